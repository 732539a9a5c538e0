// The condition of a step's matrix, for those who ask; the run goes on as if nobody had.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dae/newmark.h"

// Rows as the equations stand: without the division by c_q and c_v.
static void unscale_rows(fly_solver *s, const fly_coef *c) {
  int nv = s->e.p.nv, ng = s->e.p.ng, nl = s->e.nl, n = s->step.ncore;
  fly_csc *a = &s->step.a;
  double holonomic = s->step.kind == FLY_MATRIX_INDEX3 ? c->c_q : c->c_v;
  for (int k = 0; k < fly_csc_nnz(a); k++) {
    int i = a->row[k];
    if (i >= nv && i < nv + ng)
      a->val[k] *= holonomic;
    else if (i >= nv + ng && i < nv + nl)
      a->val[k] *= c->c_v;
    else if (i >= n + nv && i < s->step.n)
      a->val[k] *= c->c_q;
  }
}

// Everything a question about the matrix overwrites, so that asking does not change the run.
static void swap_values(fly_solver *s, double *kept) {
  fly_csc *list[] = {&s->e.M,    &s->e.G,    &s->e.B, &s->e.Zg,   &s->e.Zb,   &s->e.J[0],
                     &s->e.J[1], &s->e.J[2], &s->e.U, &s->e.W[0], &s->e.W[1], &s->step.a};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    for (int i = 0; i < fly_csc_nnz(list[k]); i++, kept++) {
      double value = list[k]->val[i];
      list[k]->val[i] = *kept;
      *kept = value;
    }
}

static size_t count_values(const fly_solver *s) {
  const fly_csc *list[] = {&s->e.M,    &s->e.G,    &s->e.B, &s->e.Zg,   &s->e.Zb,   &s->e.J[0],
                           &s->e.J[1], &s->e.J[2], &s->e.U, &s->e.W[0], &s->e.W[1], &s->step.a};
  size_t n = 0;
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    n += (size_t)fly_csc_nnz(list[k]);
  return n;
}

fly_status fly_solver_condition(fly_solver *s, double h, bool scaled, double *condition, fly_error *error) {
  fly_status status = fly_solver_allow(s, FLY_CALL_CONDITION, error);
  if (status == FLY_OK && !condition)
    status = fly_missing(error, "fly_solver_condition", "place for the condition");
  if (status)
    return status;
  const fly_newmark *m = &s->o.method;
  fly_coef c = {h * m->gamma * fly_own(s)->kappa, h * h * m->beta * fly_own(s)->kappa,
                h * s->o.states.theta * fly_own(s)->kappa_x};
  fly_dae_state now = fly_point_state(&s->now);
  if (s->o.family != FLY_FAMILY_NEWMARK)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "The condition of a step is known for the Newmark family only.");
  if (!(h > 0) || !isfinite(h))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "The condition of a step needs a step > 0, not %g s.", h);
  if (!s->step.lu) {
    fly_status built = fly_step_matrix_build(&s->step, &s->e, error);
    if (built)
      return built;
  }
  double *kept = calloc(count_values(s) + 1, sizeof *kept);
  if (!kept)
    return fly_fail(error, FLY_NO_MEMORY, s->now.t, "Out of memory for a condition number.");
  long jacobians = s->e.jacobians, residuals = s->e.residuals;
  swap_values(s, kept);
  if (s->e.p.mass_constant) // it is not evaluated again, so it must be there
    memcpy(s->e.M.val, kept, (size_t)fly_csc_nnz(&s->e.M) * sizeof *kept);
  if (fly_eval_jacobian(&s->e, &now))
    status = fly_explain_callback(s, s->now.t, error);
  if (status == FLY_OK) {
    fly_step_matrix_fill(&s->step, &s->e, &c, NULL);
    if (!scaled)
      unscale_rows(s, &c);
    status = fly_csc_condition(&s->step.a, scaled, condition, error);
  }
  swap_values(s, kept);
  s->e.jacobians = jacobians;
  s->e.residuals = residuals;
  free(kept);
  return status;
}
