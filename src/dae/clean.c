// The end of a step in index 3, made fit to be judged and reported: the velocity without its offset, accelerations and
// multipliers without round-off. docs/theory/control.md, section 6, derives the bound.
#include <float.h>
#include <math.h>
#include <string.h>

#include "dae/newmark.h"
#include "dae/outcome.h"

static const double SIGMAS = 6;      // rounding errors beyond so many standard deviations do not happen in a run
static const double ENOUGH = 1e-6;   // relative change of what is taken out that ends its refinement
static const double NEGLIGIBLE = 30; // an excess over the bound that leaves less than a thousandth to be taken out
static const int ROUNDS = 15;

// The velocity without the offset of index 3, with the matrix the step already has. It is not quite the matrix of this
// point, so it takes a few rounds: until what is left would move positions less than the corrector leaves.
static fly_outcome clean_velocity(fly_solver *s, double *v, double t, const double *q) {
  double *b = s->at.r, enough = 0.1 * fmax(fly_newton_tolerance(s), fly_round_off(s)) / s->at.h;
  for (int k = 0; k < 15; k++) {
    fly_outcome outcome = outcome_of(fly_eval_velocity_rows(&s->e, s->rows, t, q, v));
    if (outcome)
      return outcome;
    memset(b, 0, (size_t)s->step.n * sizeof(double));
    for (int i = 0; i < s->e.nl; i++)
      b[s->e.p.nv + i] = -s->rows[i];
    fly_step_matrix_solve(&s->step, b);
    for (int i = 0; i < s->e.p.nv; i++)
      v[i] += b[i];
    if (!(fly_weighted(s, b) > enough))
      break;
  }
  return FLY_SOLVED;
}

// ------------------------------------------------------------------------------------------ round-off

// What rounding can leave in the acceleration constraints G v' + gamma (C-row): positions and time are rounded, the
// row is evaluated in double precision, and the recursion at infinite frequency divides by h^2.
static void row_bounds(const fly_solver *s, const double *v, double *bound) {
  const fly_dae_problem *p = &s->e.p;
  const fly_csc *G = &s->e.G;
  const fly_point *end = &s->at.end;
  double *speed = s->work; // G v = -g_t
  memset(bound, 0, (size_t)p->ng * sizeof(double));
  memset(speed, 0, (size_t)p->ng * sizeof(double));
  fly_csc_multiply_add(speed, G, 1.0, v);
  for (int j = 0; j < p->nv; j++) {
    double size = s->e.q_of_v[j] < 0 ? 1.0 : fmax(fabs(end->q[s->e.q_of_v[j]]), p->scale_v ? p->scale_v[j] : 1.0);
    for (int k = G->start[j]; k < G->start[j + 1]; k++)
      bound[G->row[k]] += fabs(G->val[k]) * size;
  }
  double h = s->at.h;
  for (int i = 0; i < p->ng; i++)
    bound[i] = SIGMAS * fly_own(s)->noise_gain * DBL_EPSILON * (bound[i] + fabs(speed[i] * end->t)) / (h * h);
}

// Residual of the corrections z = (v', lambda, x', y): equilibrium, states and outputs keep what they had, the
// constraint rows change by -rows. The derivatives J[0] are those of the matrix, the rest belongs to this point.
static void correction_residual(const fly_solver *s, const double *z, const double *rows, double *r) {
  const fly_eval *e = &s->e;
  int nv = e->p.nv, nl = e->nl, rest = e->p.nx + e->p.ny;
  const double *mu = z + nv;
  memset(r, 0, (size_t)s->step.n * sizeof(double));
  fly_csc_multiply_add(r, &e->J[0], 1.0, z);
  memmove(r + nv + nl, r + nv, (size_t)rest * sizeof(double));
  for (int i = s->step.n - e->p.ny; i < s->step.n; i++)
    r[i] += z[i];
  fly_csc_multiply_add(r, &e->M, 1.0, z);
  fly_csc_multiply_transposed_add(r, &e->G, 1.0, mu);
  fly_csc_multiply_transposed_add(r, &e->B, 1.0, mu + e->p.ng);
  memcpy(r + nv, rows, (size_t)nl * sizeof(double));
  fly_csc_multiply_add(r + nv, &e->G, 1.0, z);
  fly_csc_multiply_add(r + nv + e->p.ng, &e->B, 1.0, z);
}

// s->z: mass-orthogonal, G z = -rows. With the step's matrix, in rounds, because that is not quite the matrix of this
// point.
static void take_out(fly_solver *s, const double *rows) {
  double *z = s->z, *r = s->at.r;
  int n = s->step.n, nv = s->e.p.nv, nl = s->e.nl;
  memset(z, 0, (size_t)n * sizeof(double));
  for (int k = 0; k < ROUNDS; k++) {
    correction_residual(s, z, rows, r);
    fly_step_matrix_solve(&s->step, r);
    for (int i = 0; i < n; i++)
      z[i] -= r[i];
    if (largest(r, nv) <= ENOUGH * largest(z, nv) && largest(r + nv, nl) <= ENOUGH * largest(z + nv, nl))
      break;
  }
}

// The recursion carries a, not v'. How their changes over the step differ, without the constrained directions, where a
// is the noisier of the two: what the error estimate must not miss (C-carried).
static void find_carried(fly_solver *s) {
  fly_attempt *at = &s->at;
  double *carried = at->carried;
  int nv = s->e.p.nv;
  for (int i = 0; i < nv; i++)
    carried[i] = (at->a1[i] - at->a0[i]) - (at->end.vdot[i] - s->now.vdot[i]);
  memset(s->rows, 0, (size_t)s->e.nl * sizeof(double));
  fly_csc_multiply_add(s->rows, &s->e.G, 1.0, carried);
  fly_csc_multiply_add(s->rows + s->e.p.ng, &s->e.B, 1.0, carried);
  take_out(s, s->rows);
  for (int i = 0; i < nv; i++)
    carried[i] += s->z[i];
}

// Every iteration of the corrector brings a new rounding error of the constraints, and leaves in the other equations
// what an old matrix makes of it. One more correction of those, with the positions as they are.
static fly_outcome settle(fly_solver *s) {
  double *r = s->at.r;
  fly_outcome outcome = outcome_of(fly_step_residual(s));
  if (outcome)
    return outcome;
  memset(r + s->e.p.nv, 0, (size_t)s->e.nl * sizeof(double));
  fly_step_matrix_solve(&s->step, r);
  for (int i = 0; i < s->step.n; i++)
    s->at.u[i] -= r[i];
  return FLY_SOLVED;
}

// rows = G v' + gamma; returns the largest of them over its bound.
static fly_outcome missed(fly_solver *s, const double *v, double *rows, const double *bound, double *excess) {
  const fly_point *end = &s->at.end;
  fly_outcome outcome = outcome_of(fly_eval_gamma(&s->e, rows, end->t, end->q, v));
  if (outcome)
    return outcome;
  fly_csc_multiply_add(rows, &s->e.G, 1.0, end->vdot);
  *excess = 0;
  for (int i = 0; i < s->e.p.ng; i++)
    *excess = fmax(*excess, fabs(rows[i]) / bound[i]);
  return FLY_SOLVED;
}

// If rounding can explain what G v' + gamma misses, it is taken for rounding, all of it; if not, a share that vanishes
// quickly (C-clean). One share for all rows: the rows of a joint are components of one vector.
static fly_outcome clean_accelerations(fly_solver *s, const double *v) {
  double *rows = s->rows, *bound = s->rows2, excess;
  row_bounds(s, v, bound);
  fly_outcome outcome = missed(s, v, rows, bound, &excess);
  if (outcome || !(excess < NEGLIGIBLE))
    return outcome;
  outcome = settle(s);
  if (outcome == FLY_SOLVED)
    outcome = missed(s, v, rows, bound, &excess);
  if (outcome)
    return outcome;
  s->at.cleaned = true;
  s->at.drowned = excess <= 1;
  double share = excess > 1 ? 1 / (excess * excess) : 1.0;
  for (int i = 0; i < s->e.p.ng; i++)
    rows[i] *= share;
  memset(rows + s->e.p.ng, 0, (size_t)s->e.p.nb * sizeof(double));
  take_out(s, rows);
  for (int i = 0; i < s->step.n; i++)
    s->at.u[i] += s->z[i];
  find_carried(s);
  return FLY_SOLVED;
}

// Kinematics at the end of the attempt, and its cleaned values.
fly_outcome fly_finish_step(fly_solver *s) {
  fly_attempt *at = &s->at;
  at->cleaned = at->drowned = false;
  memcpy(at->vdot1, at->end.vdot, (size_t)s->e.p.nv * sizeof(double));
  memcpy(at->xdot1, at->end.xdot, (size_t)s->e.p.nx * sizeof(double));
  fly_outcome outcome = outcome_of(fly_eval_kinematics(&s->e, at->end.t, at->end.q));
  if (outcome || s->step.kind != FLY_MATRIX_INDEX3 || s->e.p.ng == 0)
    return outcome;
  memcpy(at->v_clean, at->v1, (size_t)s->e.p.nv * sizeof(double));
  outcome = clean_velocity(s, at->v_clean, at->end.t, at->end.q);
  return outcome ? outcome : clean_accelerations(s, at->v_clean);
}
