// The loop of attempts at a step, for all implicit methods. A step is a sentence of verbs: plan, attempt, judge, accept
// or try again shorter, choose the next.
#include <math.h>

#include "dae/solver.h"
#include "math/sizes.h"

static const long NO_PROGRESS_STEPS = 2000; // so many steps in a row that are nothing beside the largest end the run

// Rows and multipliers that drive nothing do not show in any test of positions: a step with a value that is no number
// in it is not accepted, whatever the method.
static bool all_finite(const fly_solver *s) {
  const fly_point *at = &s->at.end;
  return fly_all_finite(at->vdot, s->e.ncol) && // lambda, xdot and y lie behind it
         fly_all_finite(at->v, s->e.p.nv) && fly_all_finite(at->x, s->e.p.nx);
}

static fly_outcome attempt(fly_solver *s, const fly_attempts *m, double h, double end) {
  const fly_outcome outcome = m->attempt(s, h, end);
  return outcome == FLY_SOLVED && !all_finite(s) ? FLY_UNSOLVED : outcome;
}

static fly_status fixed_step(fly_solver *s, const fly_attempts *m, fly_error *error) {
  for (;;) {
    double end, ratio, h = fly_plan_fixed(s, &end);
    fly_outcome outcome = attempt(s, m, h, end);
    if (outcome == FLY_SOLVED)
      outcome = m->judge(s, h, 0, &ratio);
    if (outcome == FLY_SOLVED) {
      const fly_status status = m->accept(s, end, error);
      fly_plan_passed(s);
      return status;
    }
    if (!fly_plan_again(s, outcome))
      return fly_explain_failure(s, outcome, false, h, error);
  }
}

static fly_status adaptive_step(fly_solver *s, const fly_attempts *m, fly_error *error) {
  fly_outcome outcome = FLY_SOLVED;
  for (int failed = 0;; failed++) {
    double end, ratio = 0, h = fly_plan_adaptive(s, &end);
    if ((failed > 0 && h >= s->h_tried) || s->tiny_steps > NO_PROGRESS_STEPS)
      return fly_explain_failure(s, outcome, outcome == FLY_SOLVED, h, error);
    s->h_tried = h;
    outcome = attempt(s, m, h, end);
    if (outcome == FLY_SOLVED)
      outcome = m->judge(s, h, failed, &ratio);
    if (outcome == FLY_FATAL || outcome == FLY_OUT_OF_MEMORY)
      return fly_explain_failure(s, outcome, false, h, error);
    if (outcome != FLY_SOLVED) {
      fly_count_unsolved(&s->stats, outcome);
      s->h_next = 0.4 * h;
      continue;
    }
    if (!(ratio <= 1)) {
      s->stats.rejected_error++;
      continue;
    }
    const fly_status status = m->accept(s, end, error);
    if (!s->jumped) { // a restart has chosen its own
      m->choose(s, ratio, failed > 0);
      fly_stops_resume(s);
    }
    return status;
  }
}

fly_status fly_attempts_step(fly_solver *s, const fly_attempts *m, fly_error *error) {
  return s->o.step > 0 ? fixed_step(s, m, error) : adaptive_step(s, m, error);
}
