// Modes of a model: go to the state, see whether it is one of equilibrium, linearize, put the eigenvalues in order.
#include "analysis/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/limits.h"
#include "analysis/rubbing.h"
#include "analysis/start.h"
#include "analysis/statics.h"
#include "base/error.h"
#include "flyball/words.h"
#include "math/constants.h"
#include "math/so3.h"

// Dense matrices up to so many degrees of freedom, and numbers in the basis of motions: about a second.
enum { DENSE_DOF = 400, DENSE_BASIS = 10000000, LARGE_COUNT = 20 };
static const double BALANCED = 1e-6; // of gravity, or of the model's size a second squared

fly_modes_options fly_modes_options_default(void) { return (fly_modes_options){.time = NAN, .shift = NAN}; }

const char *fly_modes_warnings(const fly_modes *m) { return m ? m->assembly.warnings : ""; }

const char *fly_modes_notes(const fly_modes *m) { return m ? m->notes : ""; }

const char *fly_mode_kind_name(fly_mode_kind kind) {
  static const char *const names[] = {"rigid-body", "oscillating", "growing oscillation",
                                      "decaying",   "unstable",    "not resolved"};
  return (int)kind >= 0 && kind <= FLY_MODE_UNRESOLVED ? names[kind] : "unknown kind of mode";
}

// ------------------------------------------------------------------------------------------ the state

static fly_status run_until(fly_assembly *a, double time, fly_error *error) {
  fly_status status = FLY_OK;
  while (status == FLY_OK && !fly_solver_done(a->solver)) {
    fly_dae_state at = fly_solver_state(a->solver);
    status = fly_assembly_watch(a, &at, fly_solver_last_step(a->solver), error);
    if (status)
      return status;
    status = fly_solver_step(a->solver, error);
    if (status != FLY_OK && status != FLY_NOT_KEPT)
      return status;
    at = fly_solver_state(a->solver);
    status = fly_assembly_check(a, &at, error);
  }
  // From there once more, so that accelerations and multipliers belong to exactly this place.
  fly_dae_state at = fly_solver_state(a->solver);
  memcpy(a->q, at.q, (size_t)a->system.model->nq * sizeof *a->q);
  memcpy(a->v, at.v, (size_t)a->system.model->nv * sizeof *a->v);
  memcpy(a->x, at.x, (size_t)a->system.model->nstate * sizeof *a->x);
  return fly_solver_start(a->solver, at.t, at.t + (time > 0 ? time : 1.0), a->q, a->v, a->x, error);
}

static const double *copy(fly_modes *m, const double *from, int n) {
  double *to = fly_arena_doubles(&m->memory, (size_t)n);
  if (to && n > 0)
    memcpy(to, from, (size_t)n * sizeof *to);
  return to;
}

static fly_status keep_state(fly_modes *m, const fly_dae_state *at, fly_error *error) {
  const fly_dae_problem *p = &m->assembly.system.dae;
  m->at = (fly_dae_state){.t = at->t,
                          .q = copy(m, at->q, p->nq),
                          .v = copy(m, at->v, p->nv),
                          .vdot = copy(m, at->vdot, p->nv),
                          .lambda = copy(m, at->lambda, p->ng),
                          .x = copy(m, at->x, p->nx),
                          .xdot = copy(m, at->xdot, p->nx),
                          .y = copy(m, at->y, p->ny)};
  fly_rubbing_notes(m->notes, sizeof m->notes, &m->assembly.system);
  return m->memory.failed ? fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a state.") : FLY_OK;
}

// At rest, motions held.
static fly_status rest(fly_modes *m, fly_error *error) {
  fly_balance balance = {0};
  fly_equilibrium equilibrium = {0};
  fly_dae_state at = fly_solver_state(m->assembly.solver);
  fly_status status = fly_balance_create(&balance, &m->assembly.system, &at, &equilibrium, error);
  if (status == FLY_OK)
    status = fly_statics_find(&balance, NULL, error);
  if (status == FLY_OK) {
    at = fly_balance_state(&balance, &balance.now);
    status = keep_state(m, &at, error);
  }
  if (status == FLY_OK)
    status = fly_assembly_check(&m->assembly, &m->at, error);
  fly_balance_free(&balance);
  return status;
}

// What sticks at the start does so here, as in a run; what does not hold there is no equilibrium.
static fly_status stick(fly_modes *m, fly_error *error) {
  if (m->mechanism->model.nfriction == 0 || m->options.anyway || !fly_solver_crosses(m->assembly.solver))
    return FLY_OK;
  fly_status status = fly_solver_cross(m->assembly.solver, error);
  if (status == FLY_OK)
    status = fly_assembly_crossed(&m->assembly, error);
  if (status)
    return status;
  const fly_dae_state at = fly_solver_state(m->assembly.solver);
  const fly_item *item = fly_system_slipping(&m->assembly.system, &at);
  return !item ? FLY_OK
               : fly_fail_at(error, FLY_INCONSISTENT, at.t, item->place, item->name,
                             "The model is not in equilibrium at t = %.9g s: the friction of `%s` does not hold it, so "
                             "small motions about this state are no vibrations. Linearize in equilibrium (--at "
                             "equilibrium), or here all the same (--anyway).",
                             at.t, item->name);
}

static fly_status find_state(fly_modes *m, fly_error *error) {
  fly_run_options o = fly_run_options_default();
  bool run = !isnan(m->options.time) && m->options.time > 0;
  o.end = run ? m->options.time : 1.0;
  o.allow_nan = m->options.allow_nan;
  o.strict = m->options.strict;
  if (!isnan(m->options.time) && m->options.time < 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "A run has no time %.9g s: it begins at 0.", m->options.time);
  fly_status status = fly_settings_make(&m->settings, &m->mechanism->model, &o, error);
  m->assembly.softness = m->settings.soft;
  m->assembly.smooth = m->settings.smooth;
  if (status == FLY_OK)
    status = fly_assembly_create(&m->assembly, m->mechanism, &m->settings.dae, m->settings.end, error);
  m->assembly.resting = m->options.equilibrium;
  if (status == FLY_OK)
    status = fly_assembly_start(&m->assembly, error);
  if (status == FLY_OK && m->settings.strict)
    status = fly_start_refuse(&m->assembly, error);
  if (status == FLY_OK && run)
    status = run_until(&m->assembly, m->options.time, error);
  if (status == FLY_OK && m->options.equilibrium)
    return rest(m, error);
  if (status == FLY_OK && !run)
    status = stick(m, error);
  if (status)
    return status;
  fly_dae_state at = fly_solver_state(m->assembly.solver);
  return keep_state(m, &at, error);
}

// ------------------------------------------------------------------------------------------ equilibrium

// The largest acceleration that should not be, measured by what is allowed. Returns that ratio.
static double find_unbalanced(fly_modes *m, const double *a) {
  const fly_model *model = &m->mechanism->model;
  double gravity = sqrt(fly_dot3(model->gravity, model->gravity)), worst = 0;
  double allowed = BALANCED * fmax(gravity, model->size);
  for (int k = 0; k < model->nbody; k++)
    for (int c = 0; c < model->body[k].columns; c++) {
      bool turn = !fly_body_is_length(&model->body[k], c);
      double size = fabs(a[model->body[k].iv + c]), ratio = size / (turn ? allowed / model->size : allowed);
      if (ratio > worst) {
        worst = ratio;
        m->info.unbalanced = size;
        m->info.unbalanced_unit = turn ? "rad/s^2" : "m/s^2";
        m->info.unbalanced_body = model->body[k].name;
      }
    }
  return worst;
}

static bool is_moving(const fly_modes *m) {
  for (int i = 0; i < m->linear.nv; i++)
    if (m->at.v[i] != 0)
      return true;
  return false;
}

// Along a steady motion integrals of velocities go on, and nothing is wrong with that.
static fly_status check_states(const fly_modes *m, fly_error *error) {
  const fly_model *model = &m->mechanism->model;
  for (int k = 0; k < model->nstate && !m->info.moving && !m->options.anyway; k++)
    if (fabs(m->at.xdot[k]) > BALANCED * model->state[k].scale)
      return fly_fail_at(
          error, FLY_INCONSISTENT, m->at.t, FLY_NOWHERE, model->spec->item[model->state[k].item].name,
          "The model is not in equilibrium at t = %.9g s: the rate of its state `%s` is %.3g. Start it in "
          "equilibrium, or linearize there (--at equilibrium), or here all the same (--anyway).",
          m->at.t, model->spec->item[model->state[k].item].name, m->at.xdot[k]);
  return FLY_OK;
}

static fly_status check_balance(fly_modes *m, fly_error *error) {
  double *a = fly_arena_doubles(&m->memory, (size_t)m->linear.nv);
  if (!a)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a state.");
  fly_linear_unbalanced(&m->linear, &m->at, a);
  m->info.moving = is_moving(m);
  if (find_unbalanced(m, a) <= 1 || m->options.anyway)
    return check_states(m, error);
  fly_fail_at(
      error, FLY_INCONSISTENT, m->at.t, FLY_NOWHERE, m->info.unbalanced_body,
      "The model is not in equilibrium at t = %.9g s: body `%s` has an acceleration of %.3g %s%s, so small motions "
      "about this state are no vibrations. ",
      m->at.t, m->info.unbalanced_body, m->info.unbalanced, m->info.unbalanced_unit,
      m->options.frame ? " as seen from the frame" : "");
  if (m->info.moving && !m->options.frame)
    fly_error_append(error,
                     "If it moves steadily with one of its bodies, such as a shaft, give that body as --frame. ");
  fly_error_append(error, "Start it in equilibrium, or linearize there (--at equilibrium), or here all the same "
                          "(--anyway).");
  return FLY_INCONSISTENT;
}

// ------------------------------------------------------------------------------------------ modes

// A body's part of a motion, along space axes: 6 numbers.
static void body_motion(const fly_body *b, const double *q, const double *z, double out[6]) {
  memset(out, 0, 6 * sizeof *out);
  for (int c = 0; c < b->columns; c++)
    if (b->column[c] < FLY_COLUMN_OWN)
      out[b->column[c]] = z[b->iv + c];
  if (b->type->turn_q >= 0)
    fly_quat_rotate(out + 3, q + b->iq + b->type->turn_q, z + b->iv + b->type->turn_v);
}

// The largest number, with displacements over the size of the model, becomes 1.
static void scale_shape(double *shape, int nbody, double size) {
  double most = 0, re = 1, im = 0;
  for (int k = 0; k < 6 * nbody; k++) {
    double unit = k % 6 < 3 ? size : 1, x = shape[2 * k] / unit, y = shape[2 * k + 1] / unit;
    if (hypot(x, y) > most * (1 + 1e-9)) { // of equal ones the first
      most = hypot(x, y);
      re = x / (most * most);
      im = -y / (most * most);
    }
  }
  for (int k = 0; k < 6 * nbody; k++) {
    double x = shape[2 * k], y = shape[2 * k + 1];
    shape[2 * k] = re * x - im * y;
    shape[2 * k + 1] = re * y + im * x;
  }
}

// Kinetic energy of each body in a motion, over all of it. work: (nv)
static void find_shares(const fly_modes *m, const double *z, double *work, double *share) {
  const fly_model *model = &m->mechanism->model;
  double sum = 0;
  int nv = m->linear.nv;
  for (int part = 0; part < 2; part++, z += nv) {
    memset(work, 0, (size_t)nv * sizeof *work);
    fly_csc_multiply_add(work, &m->linear.eval.M, 1.0, z);
    for (int k = 0; k < model->nbody; k++)
      for (int i = model->body[k].iv; i < model->body[k].iv + model->body[k].columns; i++) {
        share[k] += z[i] * work[i];
        sum += z[i] * work[i];
      }
  }
  for (int k = 0; k < model->nbody && sum > 0; k++)
    share[k] /= sum;
}

static fly_mode_kind kind_of(const fly_roots *r, int k) {
  if (r->zero[k])
    return r->zero[k] == FLY_ROOT_RIGID ? FLY_MODE_RIGID : FLY_MODE_UNRESOLVED;
  if (r->im[k] > 0)
    return r->re[k] > r->bound[k] ? FLY_MODE_FLUTTERING : FLY_MODE_OSCILLATING;
  return r->re[k] > 0 ? FLY_MODE_DIVERGING : FLY_MODE_DECAYING;
}

static bool is_zero(fly_mode_kind kind) { return kind == FLY_MODE_RIGID || kind == FLY_MODE_UNRESOLVED; }

static void fill_mode(fly_mode *mode, const fly_roots *r, int k) {
  double re = r->re[k], im = r->im[k];
  *mode = (fly_mode){.kind = kind_of(r, k), .bound = r->bound[k], .shape = mode->shape, .share = mode->share};
  if (is_zero(mode->kind)) {
    mode->damping = NAN;
    return;
  }
  mode->real = fabs(re) <= r->bound[k] && im > 0 ? 0.0 : re;
  mode->imag = im;
  mode->frequency = im / FLY_TAU;
  mode->natural = hypot(mode->real, im) / FLY_TAU;
  mode->damping = mode->real == 0 ? 0.0 : -mode->real / hypot(mode->real, im);
}

// What is known of its growth only up to rounding: a growth below that would not be seen.
static double hidden_growth(const fly_mode *mode) {
  return is_zero(mode->kind) || (mode->imag > 0 && mode->real == 0) ? mode->bound : 0.0;
}

static void fill_shape(fly_modes *m, const double *z, double *work, double *shape, double *share) {
  const fly_model *model = &m->mechanism->model;
  for (int k = 0; k < model->nbody; k++)
    for (int part = 0; part < 2; part++) {
      double six[6];
      body_motion(&model->body[k], m->at.q, z + part * m->linear.nv, six);
      for (int c = 0; c < 6; c++)
        shape[12 * k + 2 * c + part] = six[c];
    }
  scale_shape(shape, model->nbody, model->size);
  find_shares(m, z, work, share);
}

// Of a double zero both roots come with the same motion: is it one of those before?
static bool repeats(const fly_roots *r, int k, int nv, double *work) {
  memcpy(work, r->z + 2 * (size_t)nv * (size_t)k, (size_t)nv * sizeof *work);
  double whole = 0, rest = 0;
  for (int i = 0; i < nv; i++)
    whole += work[i] * work[i];
  for (int j = 0; j < k; j++) {
    const double *z = r->z + 2 * (size_t)nv * (size_t)j;
    double along = 0, length = 0;
    if (!r->zero[j])
      continue;
    for (int i = 0; i < nv; i++) {
      along += work[i] * z[i];
      length += z[i] * z[i];
    }
    for (int i = 0; i < nv && length > 0; i++)
      work[i] -= along / length * z[i];
  }
  for (int i = 0; i < nv; i++)
    rest += work[i] * work[i];
  return whole > 0 && rest <= 1e-6 * whole; // of states alone there is none
}

static int compare_modes(const void *left, const void *right) {
  const fly_mode *a = left, *b = right;
  double x = is_zero(a->kind) ? -1 : a->natural, y = is_zero(b->kind) ? -1 : b->natural;
  if (fabs(x - y) > 1e-12 * (fabs(x) + fabs(y)))
    return x < y ? -1 : 1;
  return (a->real < b->real) - (a->real > b->real); // what grows first
}

static fly_status take_modes(fly_modes *m, const fly_roots *r, fly_error *error) {
  int nbody = m->mechanism->model.nbody, nv = m->linear.nv;
  double *work = fly_arena_doubles(&m->memory, (size_t)nv);
  m->mode = fly_arena_take(&m->memory, (size_t)r->count, sizeof *m->mode);
  for (int k = 0; k < r->count && !m->memory.failed; k++) {
    if (r->zero[k] && !r->undamped && repeats(r, k, nv, work))
      continue;
    double *shape = fly_arena_doubles(&m->memory, 12 * (size_t)nbody);
    double *share = fly_arena_doubles(&m->memory, (size_t)nbody);
    if (m->memory.failed)
      break;
    fly_mode *mode = &m->mode[m->count++];
    *mode = (fly_mode){.shape = shape, .share = share};
    fill_mode(mode, r, k);
    fill_shape(m, r->z + 2 * (size_t)nv * (size_t)k, work, shape, share);
    m->info.rigid += mode->kind == FLY_MODE_RIGID;
    m->info.unresolved += mode->kind == FLY_MODE_UNRESOLVED;
    m->info.hidden = fmax(m->info.hidden, hidden_growth(mode));
    m->info.unstable += mode->kind == FLY_MODE_FLUTTERING || mode->kind == FLY_MODE_DIVERGING;
  }
  if (m->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d modes.", r->count);
  m->info.undamped = r->undamped;
  m->info.all = r->all;
  m->info.stability = r->stability;
  qsort(m->mode, (size_t)m->count, sizeof *m->mode, compare_modes);
  return FLY_OK;
}

// Of all modes those that were asked for: nearest to the shift, still in their order.
static void choose_modes(fly_modes *m) {
  double shift = isnan(m->options.shift) ? 0 : m->options.shift;
  int wanted = m->options.count;
  if (wanted <= 0 || wanted >= m->count)
    return;
  int first = 0; // a window over what is sorted by |s|
  while (first + wanted < m->count &&
         fabs(m->mode[first].natural - shift) > fabs(m->mode[first + wanted].natural - shift))
    first++;
  memmove(m->mode, m->mode + first, (size_t)wanted * sizeof *m->mode);
  m->count = wanted;
  m->info.all = false;
}

// ------------------------------------------------------------------------------------------ life

static fly_status find_frame(const fly_modes *m, int *frame, fly_error *error) {
  const fly_model *model = &m->mechanism->model;
  *frame = FLY_GROUND;
  if (!m->options.frame)
    return FLY_OK;
  *frame = fly_model_body(model, m->options.frame);
  if (*frame >= 0 || *frame == FLY_GROUND)
    return FLY_OK;
  const char **names = calloc((size_t)model->nbody + 1, sizeof *names);
  for (int k = 0; names && k < model->nbody; k++)
    names[k] = model->body[k].name;
  const char *near = names ? fly_nearest_word(m->options.frame, names) : NULL;
  fly_fail_at(error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, m->options.frame,
              "There is no body `%s` to see the motion from%s%s%s", m->options.frame, near ? "; did you mean `" : "",
              near ? near : "", near ? "`?" : ".");
  free(names);
  return FLY_BAD_INPUT;
}

static bool is_small(const fly_modes *m) {
  if (m->options.way != FLY_MODES_AUTO)
    return m->options.way == FLY_MODES_DENSE;
  return m->options.matrices || (m->linear.ndof <= DENSE_DOF && (long)m->linear.nv * m->linear.ndof <= DENSE_BASIS);
}

static fly_status find_roots(fly_modes *m, fly_roots *r, fly_arena *memory, fly_error *error) {
  fly_linear *l = &m->linear;
  int count = m->options.count > 0 ? m->options.count : LARGE_COUNT;
  if (!is_small(m)) {
    m->info.arpack = true;
    return fly_roots_large(r, l, count < l->ndof ? count : l->ndof, m->options.shift * FLY_TAU, memory, error);
  }
  fly_status status = fly_linear_reduce(l, &m->at, error);
  if (status == FLY_OK)
    status = fly_roots_create(r, fly_roots_dense_room(l), l->nv, memory, error);
  return status ? status : fly_roots_dense(r, l, error);
}

static fly_status linearize(fly_modes *m, fly_error *error) {
  const fly_model *model = &m->mechanism->model;
  int frame;
  fly_status status = find_frame(m, &frame, error);
  if (status == FLY_OK)
    status = fly_linear_prepare(&m->linear, &m->assembly.system, &m->at, frame, error);
  if (status)
    return status;
  m->info.name = model->spec->name ? model->spec->name : "model";
  m->info.bodies = model->nbody;
  m->info.coordinates = model->nv;
  m->info.rank = m->assembly.rank;
  m->info.dof = m->linear.ndof;
  m->info.time = m->at.t;
  if (m->linear.ndof == 0 && model->nstate == 0)
    return fly_fail(error, FLY_BAD_INPUT, m->at.t,
                    "The constraints leave no degree of freedom: joints and motions hold every body, and nothing can "
                    "vibrate. Take a motion out and push by a force instead, or give a joint compliance by a bushing.");
  return check_balance(m, error);
}

// A delay has infinitely many modes; a loop with one is followed by its response.
static fly_status check_delays(const fly_model *m, fly_error *error) {
  return m->ndelay == 0 ? FLY_OK
                        : fly_fail_at(error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, m->spec->item[m->delay[0].item].name,
                                      "The delay `%s` has infinitely many modes. Give it `pade: 3`, which has three.",
                                      m->spec->item[m->delay[0].item].name);
}

static fly_status find_modes(fly_modes *m, fly_error *error) {
  fly_arena memory = {0};
  fly_roots roots = {0};
  fly_status status = find_roots(m, &roots, &memory, error);
  if (status == FLY_OK)
    status = take_modes(m, &roots, error);
  if (status == FLY_OK) {
    m->info.steady = m->linear.steady;
    if (!m->info.arpack)
      choose_modes(m);
  }
  if (status == FLY_OK && m->options.matrices) {
    status = fly_state_space_make(&m->space, &m->linear, &m->assembly.system, &m->at, &m->options, &m->memory, error);
    m->has_matrices = true;
  }
  fly_arena_free(&memory);
  return status;
}

static fly_status create(fly_modes *m, fly_error *error) {
  fly_status status =
      m->options.loop ? fly_opening_compile(&m->opened, &m->opening, m->mechanism, m->options.loop, &m->memory, error)
                      : check_delays(&m->mechanism->model, error);
  if (status == FLY_OK && m->options.loop)
    m->mechanism = &m->opened;
  if (status == FLY_OK)
    status = fly_limits_found(&m->mechanism->model, "modes", error);
  if (status == FLY_OK)
    status = find_state(m, error);
  if (status == FLY_OK)
    status = linearize(m, error);
  if (status == FLY_OK && !m->options.loop)
    return find_modes(m, error);
  if (status == FLY_OK)
    status = fly_linear_reduce(&m->linear, &m->at, error);
  return status ? status : fly_modes_open_loop(m, error);
}

fly_status fly_modes_create(fly_modes **out, const fly_mechanism *m, const fly_modes_options *options,
                            fly_error *error) {
  fly_error own = {0};
  if (!out)
    return fly_missing(error, "fly_modes_create", "place for the modes");
  *out = NULL;
  if (!m)
    return fly_missing(error, "fly_modes_create", "mechanism");
  fly_modes *modes = calloc(1, sizeof *modes);
  if (!modes)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for modes.");
  modes->mechanism = m;
  modes->options = options ? *options : fly_modes_options_default();
  fly_status status = create(modes, error ? error : &own);
  if (status)
    fly_modes_free(modes);
  else
    *out = modes;
  return status;
}

void fly_modes_free(fly_modes *m) {
  if (!m)
    return;
  fly_linear_free(&m->linear);
  fly_assembly_free(&m->assembly);
  fly_model_free(&m->opened.model);
  fly_arena_free(&m->memory);
  free(m);
}

fly_modes_info fly_modes_info_of(const fly_modes *m) { return m ? m->info : (fly_modes_info){.name = ""}; }
int fly_modes_count(const fly_modes *m) { return m ? m->count : 0; }
const fly_mode *fly_modes_get(const fly_modes *m, int k) { return m && k >= 0 && k < m->count ? &m->mode[k] : NULL; }
const char *fly_modes_body(const fly_modes *m, int body) {
  return m && body >= 0 && body < m->mechanism->model.nbody ? m->mechanism->model.body[body].name : NULL;
}
const fly_state_space *fly_modes_state_space(const fly_modes *m) { return m && m->has_matrices ? &m->space : NULL; }
