#include "dae/index1.h"

#include <math.h>
#include <string.h>

#include "dae/outcome.h"

static fly_outcome factor(const fly_index1 *f, int evaluated) {
  const fly_outcome outcome = outcome_of(evaluated);
  if (outcome)
    return outcome;
  const fly_coef limit = {0};
  fly_step_matrix_fill(f->kkt, f->e, &limit, NULL);
  return outcome_of_factor(fly_step_matrix_factor(f->kkt));
}

fly_outcome fly_index1_factor(const fly_index1 *f, const fly_dae_state *at) {
  return factor(f, fly_eval_jacobian(f->e, at));
}

fly_outcome fly_index1_factor_alone(const fly_index1 *f, const fly_dae_state *at) {
  return factor(f, fly_eval_index1(f->e, at));
}

void fly_index1_solve(const fly_index1 *f, double *b) {
  fly_lu_solve(f->kkt->lu, b);
  ++*f->solves;
}

static void hold(const fly_index1 *f, double *outputs) {
  for (int i = 0; f->held && i < f->e->p.ny; i++)
    if (f->held[i])
      outputs[i] = 0;
}

// What is known of a point already: nothing, its kinematics, or gamma too, in e->dl, which is free here.
typedef enum known { NOTHING, KINEMATICS, GAMMA } known;

// Differences look for their widths whenever they are taken, and are not the same twice.
static bool are_exact(const fly_dae_problem *p) {
  return (p->ng == 0 || (p->constraint_jacobian && p->constraint_gamma)) && (p->nb == 0 || p->nonholonomic_gamma);
}

static int rows_at(fly_eval *e, const fly_dae_state *at, known so_far, double *r) {
  const fly_dae_problem *p = &e->p;
  int nv = p->nv, nl = e->nl;
  int code = so_far == NOTHING ? fly_eval_kinematics(e, at->t, at->q) : 0;
  if (code == 0)
    code = fly_eval_equations(e, r, at);
  if (code)
    return code;
  fly_csc_multiply_add(r, &e->M, 1.0, at->vdot);
  memmove(r + nv + nl, r + nv, (size_t)(p->nx + p->ny) * sizeof(double));
  if (so_far != GAMMA)
    code = fly_eval_gamma(e, e->dl, at->t, at->q, at->v);
  memcpy(r + nv, e->dl, (size_t)nl * sizeof(double));
  if (p->ng)
    fly_csc_multiply_add(r + nv, &e->G, 1.0, at->vdot);
  if (p->nb)
    fly_csc_multiply_add(r + nv + p->ng, &e->B, 1.0, at->vdot);
  return code;
}

int fly_index1_rows(fly_eval *e, const fly_dae_state *at, double *r) { return rows_at(e, at, NOTHING, r); }

static fly_outcome iterate(const fly_index1 *f, const fly_dae_state *at, known so_far, double *z) {
  const int n = f->kkt->n;
  const known stays = are_exact(&f->e->p) ? GAMMA : NOTHING;
  double last = INFINITY;
  for (int k = 0; k < 40; k++) {
    fly_outcome outcome = outcome_of(rows_at(f->e, at, k > 0 ? stays : so_far, f->dz));
    if (outcome)
      return outcome;
    hold(f, f->dz + n - f->e->p.ny);
    fly_index1_solve(f, f->dz);
    double size = largest(f->dz, n), scale = largest(z, n);
    if (!isfinite(size))
      return FLY_UNSOLVED;
    if (size >= last) // round-off, or no convergence
      return last <= 1e-6 * fmax(scale, 1e-300) ? FLY_SOLVED : FLY_UNSOLVED;
    for (int i = 0; i < n; i++)
      z[i] -= f->dz[i];
    if (size <= 1e-15 * scale || size == 0)
      return FLY_SOLVED;
    last = size;
  }
  return FLY_UNSOLVED;
}

fly_outcome fly_index1_accelerations(const fly_index1 *f, const fly_dae_state *at, double *z) {
  return iterate(f, at, NOTHING, z);
}

fly_dae_state fly_index1_state(const fly_eval *e, double t, const double *q, const double *v, const double *x,
                               const double *z) {
  const double *lambda = z + e->p.nv, *xdot = lambda + e->nl;
  return (fly_dae_state){t, q, v, z, lambda, x, xdot, xdot + e->p.nx, NULL};
}

fly_outcome fly_index1_find(const fly_index1 *f, double t, const double *q, const double *v, const double *x,
                            double *z) {
  const fly_dae_state at = fly_index1_state(f->e, t, q, v, x, z);
  fly_outcome outcome = FLY_UNSOLVED;
  for (int k = 0; k < 30 && outcome == FLY_UNSOLVED; k++) { // nonlinear in lambda or y: renew the matrix
    outcome = fly_index1_factor_alone(f, &at);
    if (outcome == FLY_SOLVED)
      outcome = iterate(f, &at, are_exact(&f->e->p) ? KINEMATICS : NOTHING, z);
  }
  return outcome;
}
