// The state of a solver saved, restored, and carried over to another of the same problem.
//
// All that the going on depends on is in it: points, histories, predictions, step control, the next break, looks ahead,
// statistics, certificate; and the matrices as they were factorized, so that to save changes no bit of what follows.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dae/choice.h"
#include "dae/save.h"

uint64_t fly_solver_fingerprint(const fly_solver *s) {
  const fly_dae_options *o = &s->o;
  const double numbers[] = {o->baumgarte_alpha, o->baumgarte_beta, o->constraint_error,
                            o->method.alpha_m,  o->method.alpha_f, o->method.beta,
                            o->method.gamma,    o->states.delta_m, o->states.delta_f,
                            o->states.theta,    o->step,           o->error,
                            o->error_asked,     o->step_initial,   o->step_min,
                            o->step_max,        o->look,           o->newton_factor};
  const int choices[] = {(int)o->family,    (int)o->form, (int)o->formulation, (int)o->step_change, (int)o->start,
                         (int)o->error_per, o->nsequence, (int)o->max_steps,   o->newton_max,       o->predictor_degree,
                         o->stages};
  const size_t layout[] = {sizeof *s, sizeof s->e, sizeof s->step};
  uint64_t hash = fly_eval_fingerprint(&s->e);
  hash = fly_fingerprint(hash, numbers, sizeof numbers);
  hash = fly_fingerprint(hash, choices, sizeof choices);
  hash = fly_fingerprint(hash, s->sequence, (size_t)o->nsequence * sizeof *s->sequence);
  return fly_fingerprint(hash, layout, sizeof layout);
}

void fly_solver_image(fly_solver *s, fly_image *m) {
  fly_eval_image(&s->e, m);
  fly_step_matrix_image(&s->kkt, &s->e, m);
  fly_image_arena(m, &s->memory);
  FLY_IMAGE_FROM(m, s, t0, &s->memory);
  if (s->choice)
    fly_choice_image(s, m);
  else
    s->family->image(s, m);
  if (m->reading)
    s->stage = m->failure ? FLY_SOLVER_FAILED : FLY_SOLVER_STARTED;
}

bool fly_solver_can_save(const fly_solver *s) { return s->family->image != NULL; }

const char *fly_solver_why_not_saved(const fly_solver *s) {
  return s->o.family == FLY_FAMILY_TABLEAU
             ? "sdirk, lobatto-cd, lobatto-acd, bdf-alpha and ch-first are there to be compared with, and do not write "
               "down what their next step needs"
             : "it is kept by a library that does not give it away";
}

static fly_seal seal_of(const fly_solver *s) { return (fly_seal){"solver", fly_solver_fingerprint(s)}; }

// Whether the family can, and the solver stands at an accepted point.
static fly_status check(const fly_solver *s, fly_solver_call call, fly_error *error) {
  const fly_status status = fly_solver_allow(s, call, error);
  if (status || fly_solver_can_save(s))
    return status;
  return fly_fail(error, FLY_BAD_INPUT, NAN,
                  "The state of the method %s cannot be saved: %s. The other methods can be.",
                  fly_family_name(s->o.family), fly_solver_why_not_saved(s));
}

fly_status fly_solver_save(fly_solver *s, void **bytes, size_t *size, fly_error *error) {
  if (!bytes || !size)
    return fly_missing(error, "fly_solver_save", "place for the bytes");
  *bytes = NULL;
  *size = 0;
  const fly_status status = check(s, FLY_CALL_SAVE, error);
  if (status)
    return status;
  fly_image m = fly_image_write();
  const fly_seal seal = seal_of(s);
  fly_solver_image(s, &m);
  return fly_image_close(&m, &seal, bytes, size, error);
}

fly_status fly_solver_restore(fly_solver *s, const void *bytes, size_t size, fly_error *error) {
  fly_image m;
  if (!bytes)
    return fly_missing(error, "fly_solver_restore", "bytes");
  fly_status status = check(s, FLY_CALL_RESTORE, error);
  if (status)
    return status;
  const fly_seal seal = seal_of(s);
  status = fly_image_open(&m, &seal, bytes, size, error);
  if (status)
    return status;
  fly_solver_image(s, &m);
  status = fly_image_end(&m, seal.kind, error);
  if (status)
    s->stage = FLY_SOLVER_FAILED;
  return status;
}

fly_status fly_solver_copy(fly_solver *to, fly_solver *from, fly_error *error) {
  void *bytes;
  size_t size;
  fly_status status = fly_solver_save(from, &bytes, &size, error);
  if (status)
    return status;
  status = fly_solver_restore(to, bytes, size, error);
  free(bytes);
  return status;
}
