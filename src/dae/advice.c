// What else would work where a method has failed: others are tried from there, over a few of its own steps.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "dae/solver.h"

enum {
  PROBE_STEPS = 400,   // of each method, accepted or not
  PROBE_LARGEST = 3000 // velocities: beyond, trying would take longer than a person waits
};

typedef struct candidate {
  const char *name;
  fly_method_family family;
} candidate;

static const candidate candidates[] = {
    {"ch", FLY_FAMILY_NEWMARK}, {"radau", FLY_FAMILY_RADAU}, {"partition", FLY_FAMILY_PARTITION}};
enum { CANDIDATES = sizeof candidates / sizeof *candidates };

// The same problem and error; everything else as a user would have it. Events are the run's own.
static fly_status create(fly_solver **out, const fly_solver *s, const candidate *c, fly_error *error) {
  fly_dae_problem p = s->e.p;
  fly_dae_options o = fly_dae_options_default();
  o.family = c->family;
  o.error = s->o.error;
  o.error_per = s->o.error_per;
  o.max_steps = PROBE_STEPS;
  o.step_max = s->o.step_max;
  p.nroot = 0;
  p.accepted = NULL;
  p.cross = NULL;
  p.energy = NULL;
  const fly_status status = fly_solver_create(out, &p, &o, error);
  if (*out)
    (*out)->probe = true;
  return status;
}

// Whether the method comes from where s stands to the time `there`.
static bool passes(const fly_solver *s, const candidate *c, double there) {
  fly_solver *other = NULL;
  fly_error error = {0};
  fly_status status = create(&other, s, c, &error);
  if (status == FLY_OK)
    status = fly_solver_start(other, s->now.t, s->t_end, s->now.q, s->now.v, s->now.x, &error);
  if (status == FLY_OK)
    status = fly_solver_advance(other, there, &error);
  const bool passed = status == FLY_OK || status == FLY_NOT_KEPT;
  fly_solver_free(other);
  return passed;
}

static void list_names(fly_error *error, const bool *wanted) {
  int left = 0, said = 0;
  for (int k = 0; k < CANDIDATES; k++)
    left += wanted[k];
  for (int k = 0; k < CANDIDATES; k++)
    if (wanted[k]) {
      fly_error_append(error, "%s%s", said == 0 ? "" : left == 1 ? " and " : ", ", candidates[k].name);
      said++;
      left--;
    }
}

void fly_advise(const fly_solver *s, fly_error *error) {
  bool good[CANDIDATES] = {0}, bad[CANDIDATES] = {0};
  int passed = 0;
  if (s->probe || s->choice || !error || s->e.p.nv > PROBE_LARGEST || !s->started)
    return;
  const double there = fmin(s->now.t + fmax(s->h_largest, 1e-3 * (s->t_end - s->t0)), s->t_end);
  for (int k = 0; k < CANDIDATES; k++) {
    if (candidates[k].family == s->o.family)
      continue;
    good[k] = passes(s, &candidates[k], there);
    bad[k] = !good[k];
    passed += good[k];
  }
  fly_error_append(error, " From here to t = %.9g s ", there);
  list_names(error, passed ? good : bad);
  fly_error_append(error, passed == 0   ? " were tried and do not get through either."
                          : passed == 1 ? " was tried and gets through: use that method."
                                        : " were tried and get through: use one of these methods.");
}
