// The state of a run: all that its going on depends on, besides its model and its options. It can be saved between two
// steps, restored, and given to another run of the same model with the same options.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run.h"
#include "base/error.h"
#include "dae/promise.h"
#include "dae/save.h"
#include "flyball/run.h"

// ------------------------------------------------------------------------------------------ the assembly

static void image_kept(fly_assembly *a, fly_image *m) {
  uint64_t there = a->kept.all != NULL;
  fly_image_bytes(m, &there, sizeof there);
  if (m->reading && !m->failure) {
    fly_kept_free(&a->kept);
    if (there && fly_kept_create(&a->kept, &a->all, a->rank, a->system.active, NULL))
      m->failure = FLY_IMAGE_NO_MEMORY;
  }
  if (there && !m->failure)
    fly_kept_image(&a->kept, m);
}

// Of shares the pivots count: with others the same loads are shared to other bits.
static void image_share(fly_assembly *a, fly_image *m) {
  uint64_t there = a->share.system != NULL;
  fly_image_bytes(m, &there, sizeof there);
  if (m->reading && !m->failure) {
    fly_share_free(&a->share);
    if (there && fly_share_create(&a->share, &a->all, a->system.place_of, a->all.nactive, 0, NULL))
      m->failure = FLY_IMAGE_NO_MEMORY;
  }
  if (there && !m->failure && a->share.lu)
    fly_lu_image(a->share.lu, m, &a->share.S);
}

// The rows that are there now, of those that can be switched; reading, those that were there then.
static fly_status image_lit(fly_assembly *a, fly_image *m, fly_error *error) {
  uint64_t count = (uint64_t)a->all.nactive;
  fly_image_bytes(m, &count, sizeof count);
  if (m->failure || count > (uint64_t)a->mechanism->model.nrow) {
    m->failure = m->failure ? m->failure : FLY_IMAGE_STRANGE;
    return FLY_OK;
  }
  if (!m->reading)
    memcpy(a->keep, a->all.active, (size_t)count * sizeof *a->keep);
  fly_image_bytes(m, a->keep, (size_t)count * sizeof *a->keep);
  fly_image_bytes(m, &a->switched, sizeof a->switched);
  return m->reading && !m->failure ? fly_assembly_use_lit(a, (int)count, a->keep, error) : FLY_OK;
}

// The rows kept now; reading, those that were kept then, which are used from here on.
static fly_status image_rows(fly_assembly *a, fly_image *m, fly_error *error) {
  const fly_model *model = &a->mechanism->model;
  uint64_t rank = (uint64_t)a->rank;
  fly_image_bytes(m, &rank, sizeof rank);
  if (m->failure || rank > (uint64_t)model->nrow) {
    m->failure = m->failure ? m->failure : FLY_IMAGE_STRANGE;
    return FLY_OK;
  }
  if (!m->reading)
    memcpy(a->keep, a->system.active, (size_t)rank * sizeof *a->keep);
  fly_image_bytes(m, a->keep, (size_t)rank * sizeof *a->keep);
  fly_image_bytes(m, &a->dae.error, sizeof a->dae.error);
  fly_image_bytes(m, &a->dae.error_asked, sizeof a->dae.error_asked);
  return m->reading && !m->failure ? fly_assembly_use(a, &a->dae, (int)rank, a->keep, error) : FLY_OK;
}

// The contacts that were near when it was written are so again: a solver with their entries.
static fly_status use_near(fly_assembly *a, fly_error *error) {
  if (!fly_system_use_near(&a->system))
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for contacts that are near.");
  fly_solver_free(a->solver);
  a->solver = NULL;
  return fly_assembly_create_solver(a, &a->dae, error);
}

fly_status fly_assembly_image(fly_assembly *a, fly_image *m, fly_error *error) {
  fly_status status = fly_model_can_switch(&a->mechanism->model) ? image_lit(a, m, error) : FLY_OK;
  if (status == FLY_OK && !m->failure)
    status = image_rows(a, m, error);
  if (status || m->failure)
    return status;
  fly_system_image(&a->all, m);
  fly_system_image(&a->system, m);
  if (m->reading && !m->failure && a->system.near.there)
    status = use_near(a, error);
  if (status)
    return status;
  fly_solver_image(a->solver, m);
  image_kept(a, m);
  image_share(a, m);
  fly_image_bytes(m, a->redundancy, sizeof a->redundancy);
  fly_image_bytes(m, &a->changes, sizeof a->changes);
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ the run

fly_status fly_run_can_save(const fly_run *r, fly_error *error) {
  if (r->mover == &fly_mover_dynamics && fly_solver_can_save(r->assembly.solver))
    return FLY_OK;
  return fly_fail(
      error, FLY_BAD_INPUT, NAN,
      "The state of this run cannot be saved: %s. Runs that forces move can be, by the Newmark family, radau, "
      "auto and the state-space methods.",
      r->mover == &fly_mover_dynamics ? fly_solver_why_not_saved(r->assembly.solver)
                                      : "it follows motions or data, and is found again faster than it is read");
}

static uint64_t hash_text(uint64_t hash, const char *text) {
  return fly_fingerprint(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

uint64_t fly_run_fingerprint(const fly_run *r) {
  const fly_run_settings *s = &r->settings;
  const fly_dae_options *o = &s->dae;
  const double asked = o->error_asked > 0 ? o->error_asked : o->error;
  const double numbers[] = {s->end,      s->output,      asked,           o->step,           o->step_min,
                            o->step_max, o->method.beta, o->method.gamma, o->method.alpha_m, o->method.alpha_f};
  const double soft[] = {s->soft.stiffness, s->soft.damping, s->soft.ode, s->smooth};
  const int choices[] = {(int)s->analysis,  (int)s->calibrate,      (int)s->estimate,
                         (int)s->resting,   (int)o->family,         (int)o->formulation,
                         (int)o->error_per, (int)r->channels.count, o->stages};
  uint64_t hash = fly_fingerprint(fly_spec_fingerprint(&r->mechanism->spec), numbers, sizeof numbers);
  hash = fly_fingerprint(hash, choices, sizeof choices);
  hash = fly_fingerprint(hash, soft, sizeof soft);
  for (int k = 0; k < r->channels.count; k++)
    hash = hash_text(hash, r->channels.channel[k].name);
  const size_t layout = sizeof *r;
  return fly_fingerprint(hash, &layout, sizeof layout);
}

static void image_promise(fly_run *r, fly_image *m, fly_error *error) {
  uint64_t there = r->promise != NULL;
  fly_image_bytes(m, &there, sizeof there);
  if (m->reading && there && !m->failure && fly_run_create_promise(r, error))
    m->failure = FLY_IMAGE_NO_MEMORY;
  if (there && !m->failure && r->promise)
    fly_promise_image(r->promise, m);
}

// The name of the first channel that is not finite is put down as its number.
static void image_not_finite(fly_run *r, fly_image *m) {
  int64_t channel = -1;
  for (int k = 0; k < r->channels.count; k++)
    if (r->channels.channel[k].name == r->not_finite.channel)
      channel = k;
  fly_image_bytes(m, &channel, sizeof channel);
  fly_image_bytes(m, r->not_finite_seen, (size_t)r->channels.count * sizeof *r->not_finite_seen);
  r->not_finite.channel = NULL;
  FLY_IMAGE_FROM(m, r, book, NULL);
  if (channel >= 0 && channel < r->channels.count)
    r->not_finite.channel = r->channels.channel[channel].name;
}

fly_status fly_run_image(fly_run *r, fly_image *m, fly_error *error) {
  image_promise(r, m, error); // first: of what was asked, not of what its pilots made of it
  fly_status status = fly_run_image_tuned(r, m, error);
  if (status == FLY_OK)
    status = fly_assembly_image(&r->assembly, m, error);
  if (status)
    return status;
  image_not_finite(r, m);
  fly_image_bytes(m, r->given, 3 * (size_t)r->mechanism->model.ninput * sizeof *r->given);
  r->settings.dae.error = r->assembly.dae.error;
  r->settings.dae.error_asked = r->assembly.dae.error_asked;
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ saving

static fly_seal seal_of(const fly_run *r) { return (fly_seal){"run", fly_run_fingerprint(r)}; }

static fly_status allow(const fly_run *r, fly_run_call call, fly_error *error) {
  const fly_status status = fly_run_allow(r, call, error);
  return status ? status : fly_run_can_save(r, error);
}

fly_status fly_run_save(fly_run *r, void **bytes, size_t *size, fly_error *error) {
  if (!bytes || !size)
    return fly_missing(error, "fly_run_save", "place for the bytes");
  *bytes = NULL;
  *size = 0;
  fly_status status = allow(r, FLY_CALL_SAVE_RUN, error);
  if (status)
    return status;
  fly_image m = fly_image_write();
  const fly_seal seal = seal_of(r);
  status = fly_run_image(r, &m, error);
  if (status == FLY_OK)
    return fly_image_close(&m, &seal, bytes, size, error);
  fly_image_free(&m);
  return status;
}

fly_status fly_run_take_up(fly_run *r, const void *bytes, size_t size, fly_error *error) {
  fly_image m;
  const fly_seal seal = seal_of(r);
  fly_status status = fly_image_open(&m, &seal, bytes, size, error);
  if (status)
    return status;
  r->moves++;
  status = fly_run_image(r, &m, error);
  if (status == FLY_OK)
    status = fly_image_end(&m, seal.kind, error);
  if (status)
    r->stage = FLY_RUN_FAILED;
  return status;
}

fly_status fly_run_restore(fly_run *r, const void *bytes, size_t size, fly_error *error) {
  if (!bytes)
    return fly_missing(error, "fly_run_restore", "bytes");
  fly_status status = allow(r, FLY_CALL_RESTORE_RUN, error);
  if (status == FLY_OK)
    status = fly_run_take_up(r, bytes, size, error);
  if (status == FLY_OK)
    r->stage = FLY_RUN_STARTED;
  return status;
}

// ------------------------------------------------------------------------------------------ another one

static fly_run_settings settings_of_clone(const fly_run *r) {
  fly_run_settings s = r->settings;
  const fly_dae_options *o = &r->settings.dae;
  s.out = NULL;
  s.checkpoint = NAN;
  s.resume = false;
  s.progress = NULL;
  s.stop = NULL;
  s.why = NULL;
  s.notice = NULL;
  s.state = NULL;
  s.row = NULL;
  s.dae.error = o->error_asked > 0 ? o->error_asked : o->error;
  s.dae.error_asked = 0;
  return s;
}

fly_status fly_run_clone(fly_run **out, fly_run *r, fly_error *error) {
  void *bytes;
  size_t size;
  if (!out)
    return fly_missing(error, "fly_run_clone", "place for the run");
  *out = NULL;
  fly_status status = fly_run_save(r, &bytes, &size, error);
  if (status)
    return status;
  const fly_run_settings settings = settings_of_clone(r);
  status = fly_run_create_with(out, r->mechanism, &settings, error);
  if (status == FLY_OK)
    status = fly_run_start(*out, error);
  if (status == FLY_OK)
    status = fly_run_restore(*out, bytes, size, error);
  free(bytes);
  if (status) {
    fly_run_free(*out);
    *out = NULL;
  }
  return status;
}
