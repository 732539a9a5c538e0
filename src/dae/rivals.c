// Damped methods of second order by their tableaus, with fixed steps: what the Newmark family is compared with
// (docs/theory/rivals.md; its labels RV-... stand in the code).
//
// Unknowns of a stage: (v', lambda, x', y). Positions, velocities and states of all stages are linear in them
// (RV-stages), so that all stages are one system with one matrix, whose blocks are those of any step.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dae/outcome.h"
#include "dae/solver.h"
#include "dae/tableau.h"

enum { STAGES = FLY_TABLEAU_STAGES };

static const double SLOW_RATE = 0.03; // a kept matrix that contracts worse than this is formed anew
static const double LEFT = 0.1;       // of a position's rounding error: what the iteration may leave
static const double SHARE = 1e-6;     // of a step's error likewise
static const double STAGNANT = 1e5;   // rounding errors of positions: corrections that do not shrink below are noise
static const double WIDTH = 0.05;     // of a step: distance of the accelerations that give v'' at a start
static const double TRUSTED = 2.0;    // h |v''| over |v'|: beyond, a start does not resolve the motion

typedef struct rival {
  fly_solver *solver;
  int stages, n;                  // n: unknowns of a stage
  double squared[STAGES][STAGES]; // A^2
  double limit[STAGES + 1];       // fly_tableau_limit
  fly_csc S;                      // of all stages
  fly_lu *lu;
  int *place[STAGES][STAGES]; // of the entries of s->step.a in each block; NULL: it is zero (nnz)
  double *level0;             // values of a step of no length (nnz of s->step.a)
  fly_arena memory, shaped;

  bool factored;
  double h_factored, rate; // contraction seen with it; 0: none yet
  double h;                // step being tried
  double *K, *R;           // unknowns and residuals of the stages (stages n)
  double *v[STAGES], *theta[STAGES], *x[STAGES];
  double *q;                               // of one stage (nq)
  double *v_known, *theta_known, *x_known; // what does not depend on the unknowns
  double h_past;                           // distance of `past` from now; 0: there is none
  fly_point past;                          // the point before
  double *vdot, *xdot;                     // derivatives now, as the next step takes them (nv), (nx)
  double *z[3], *jerk;                     // accelerations near a start (ncol), v'' and x'' (nv + nx)
  bool known;                              // z_last is that of the point before now, with the same rows
  double *z_last;                          // (n)
  double *delta_last, *dense_delta;        // increment over the last step (nv), work
} rival;

static const fly_tableau *table(const rival *r) { return &r->solver->o.tableau; }

// ------------------------------------------------------------------------------------------ creation

static void take_point(fly_arena *m, fly_point *p, const fly_eval *e) {
  double **sized[] = {&p->q, &p->v, &p->vdot, &p->lambda, &p->x, &p->xdot, &p->y};
  const int size[] = {e->p.nq, e->p.nv, e->p.nv, e->nl, e->p.nx, e->p.nx, e->p.ny};
  for (size_t k = 0; k < sizeof sized / sizeof *sized; k++)
    *sized[k] = fly_arena_doubles(m, (size_t)size[k]);
}

static void take_memory(rival *r) {
  const fly_eval *e = &r->solver->e;
  const size_t all = (size_t)(r->stages * r->n), nv = (size_t)e->p.nv, nx = (size_t)e->p.nx;
  fly_arena *m = &r->memory;
  r->K = fly_arena_doubles(m, all);
  r->R = fly_arena_doubles(m, all);
  for (int i = 0; i < r->stages; i++) {
    r->v[i] = fly_arena_doubles(m, nv);
    r->theta[i] = fly_arena_doubles(m, nv);
    r->x[i] = fly_arena_doubles(m, nx);
  }
  double **v_sized[] = {&r->v_known, &r->theta_known, &r->delta_last, &r->dense_delta, &r->vdot};
  for (size_t k = 0; k < sizeof v_sized / sizeof *v_sized; k++)
    *v_sized[k] = fly_arena_doubles(m, nv);
  r->x_known = fly_arena_doubles(m, nx);
  r->xdot = fly_arena_doubles(m, nx);
  r->q = fly_arena_doubles(m, (size_t)e->p.nq);
  r->jerk = fly_arena_doubles(m, nv + nx);
  r->z_last = fly_arena_doubles(m, (size_t)e->ncol);
  for (int k = 0; k < 3; k++)
    r->z[k] = fly_arena_doubles(m, (size_t)e->ncol);
  take_point(m, &r->past, e);
}

static fly_status no_memory(const rival *r, fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a solver with %d unknowns.", r->stages * r->n);
}

static bool coupled(const rival *r, int i, int j) { return i == j || table(r)->a[i][j] != 0; }

// The pattern of all stages: that of a step in every block that is not zero.
static fly_status build_pattern(rival *r, fly_error *error) {
  const fly_csc *a = &r->solver->step.a;
  const int nnz = fly_csc_nnz(a), most = STAGES * STAGES * nnz;
  fly_arena work = {0};
  int *row = fly_arena_ints(&work, (size_t)most), *col = fly_arena_ints(&work, (size_t)most), count = 0;
  int *place = fly_arena_ints(&r->shaped, (size_t)most);
  r->level0 = fly_arena_doubles(&r->shaped, (size_t)nnz);
  if (work.failed || r->shaped.failed) {
    fly_arena_free(&work);
    return no_memory(r, error);
  }
  for (int i = 0; i < r->stages; i++)
    for (int j = 0; j < r->stages; j++) {
      r->place[i][j] = coupled(r, i, j) ? place + count : NULL;
      for (int c = 0; r->place[i][j] && c < r->n; c++)
        for (int k = a->start[c]; k < a->start[c + 1]; k++, count++) {
          row[count] = i * r->n + a->row[k];
          col[count] = j * r->n + c;
        }
    }
  const fly_status status =
      fly_csc_from_entries(&r->S, r->stages * r->n, r->stages * r->n, count, row, col, place, error);
  fly_arena_free(&work);
  return status;
}

static fly_status shape(rival *r, fly_error *error) {
  fly_solver *s = r->solver;
  const bool positions = s->e.p.ng > 0 && s->o.formulation == FLY_INDEX3;
  fly_step_matrix_size(&s->step, positions ? FLY_MATRIX_INDEX3 : FLY_MATRIX_INDEX2, &s->e);
  fly_status status = fly_step_matrix_build(&s->step, &s->e, error);
  r->n = s->step.n;
  if (status == FLY_OK)
    status = build_pattern(r, error);
  return status == FLY_OK ? fly_lu_create(&r->lu, &r->S, error) : status;
}

static void forget_shape(rival *r) {
  fly_step_matrix_free(&r->solver->step);
  fly_lu_free(r->lu);
  r->lu = NULL;
  fly_csc_free(&r->S);
  r->S = (fly_csc){0};
  fly_arena_free(&r->shaped);
  r->shaped = (fly_arena){0};
}

// What these methods are made for: stages of order 1 leave nothing of lambda in index 3, and none has the unknowns that
// stabilize positions.
static fly_status check(const fly_solver *s, fly_error *error) {
  const bool two = s->o.tableau.stages == STAGES;
  if (s->o.tableau.stages < 1 || s->o.tableau.stages > STAGES || !(s->o.tableau.a[0][0] > 0))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "tableau: it has %d stages; it needs 1 or 2, and a[0][0] > 0.",
                    s->o.tableau.stages);
  if (s->o.step == 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "Methods by a tableau (sdirk, lobatto-cd, lobatto-acd, bdf-alpha, ch-first) take fixed steps: give "
                    "a step. Those that choose it are ch, hht, wbz, gen, radau and the state-space methods.");
  if (s->e.p.ng == 0 || s->o.formulation == FLY_INDEX2 || (!two && s->o.formulation == FLY_INDEX3))
    return FLY_OK;
  return fly_fail(error, FLY_BAD_INPUT, NAN,
                  "This method meets constraints on velocities%s: use the formulation index2%s.",
                  two ? "" : " or on positions", two ? "" : " or index3");
}

static void square_tableau(rival *r) {
  const fly_tableau *t = table(r);
  for (int i = 0; i < r->stages; i++)
    for (int j = 0; j < r->stages; j++)
      r->squared[i][j] = t->a[i][0] * t->a[0][j] + (r->stages > 1 ? t->a[i][1] * t->a[1][j] : 0);
  fly_tableau_limit(r->limit, t);
}

static fly_status create(fly_solver *s, fly_error *error) {
  fly_status status = check(s, error);
  if (status)
    return status;
  rival *r = fly_family_own(s, sizeof *r, error);
  if (!r)
    return FLY_NO_MEMORY;
  r->solver = s;
  r->stages = s->o.tableau.stages;
  square_tableau(r);
  status = shape(r, error);
  if (status)
    return status;
  take_memory(r);
  return r->memory.failed ? no_memory(r, error) : FLY_OK;
}

static void free_own(fly_solver *s) {
  rival *r = s->own;
  if (!r)
    return;
  r->solver = s;
  forget_shape(r);
  fly_arena_free(&r->memory);
  free(r);
}

static fly_status reshape(fly_solver *s, fly_error *error) {
  rival *r = s->own;
  forget_shape(r);
  r->factored = r->known = false;
  return shape(r, error);
}

static fly_status restart(fly_solver *s, fly_error *error) {
  rival *r = s->own;
  (void)error;
  r->factored = r->known = false;
  r->h_past = 0;
  fly_lu_forget(r->lu);
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ the point before a start

// Accelerations and multipliers at now + k tau along a parabola.
static bool accelerations_ahead(rival *r, int k, double tau) {
  fly_solver *s = r->solver;
  const fly_dae_problem *p = &s->e.p;
  const double dt = k * tau;
  for (int i = 0; i < p->nv; i++) {
    r->theta[0][i] = dt * (s->now.v[i] + 0.5 * dt * s->now.vdot[i]);
    r->v[0][i] = s->now.v[i] + dt * s->now.vdot[i];
  }
  for (int i = 0; i < p->nx; i++)
    r->x[0][i] = s->now.x[i] + dt * s->now.xdot[i];
  fly_eval_plus(&s->e, r->q, s->now.q, r->theta[0]);
  return fly_find_accelerations(s, s->now.t + dt, r->q, r->v[0], r->x[0], r->z[k]) == FLY_SOLVED;
}

static void put_unknowns(const fly_solver *s, double *z) {
  const fly_dae_problem *p = &s->e.p;
  memcpy(z, s->now.vdot, (size_t)p->nv * sizeof *z);
  memcpy(z + p->nv, s->now.lambda, (size_t)s->e.nl * sizeof *z);
  memcpy(z + p->nv + s->e.nl, s->now.xdot, (size_t)p->nx * sizeof *z);
  memcpy(z + p->nv + s->e.nl + p->nx, s->now.y, (size_t)p->ny * sizeof *z);
}

// v'' and x'' by three points ahead, or zero: where the step does not resolve the motion a Taylor term makes no sense,
// and without it the start is still good enough for q and v of second order.
static void find_jerk(rival *r) {
  fly_solver *s = r->solver;
  const int nv = s->e.p.nv, nx = s->e.p.nx, first = nv + s->e.nl;
  const double tau = WIDTH * r->h;
  bool found = true;
  for (int k = 0; k < 3 && found; k++) {
    put_unknowns(s, r->z[k]);
    found = accelerations_ahead(r, k, tau);
  }
  if (!found)
    put_unknowns(s, r->z[0]);
  found = found && s->o.start == FLY_START_CORRECTED;
  for (int i = 0; i < nv + nx; i++) {
    const int at = i < nv ? i : first + i - nv;
    r->jerk[i] = found ? (4 * r->z[1][at] - r->z[2][at] - 3 * r->z[0][at]) / (2 * tau) : 0.0;
  }
  const double scale = fmax(fly_weighted(s, s->now.vdot), 0.1 * fly_weighted(s, s->now.v) / r->h);
  if (!(r->h * fly_weighted(s, r->jerk) <= TRUSTED * scale))
    memset(r->jerk, 0, (size_t)(nv + nx) * sizeof *r->jerk);
}

// (RV-before), with accelerations that belong to the positions and velocities: those that a step of another size has
// left in the constrained directions do not, and what is made of them grows with every change of step.
static void invent_past(rival *r) {
  fly_solver *s = r->solver;
  const int nv = s->e.p.nv, nx = s->e.p.nx, first = nv + s->e.nl;
  const double h = r->h, *vdot = r->z[0], *xdot = r->z[0] + first;
  find_jerk(r);
  memcpy(r->vdot, vdot, (size_t)nv * sizeof *vdot);
  memcpy(r->xdot, xdot, (size_t)nx * sizeof *xdot);
  for (int i = 0; i < nv; i++) {
    r->theta[0][i] = -h * (s->now.v[i] - h * (vdot[i] / 2 - h * r->jerk[i] / 6));
    r->past.v[i] = s->now.v[i] - h * (vdot[i] - h * r->jerk[i] / 2);
    r->past.vdot[i] = vdot[i] - h * r->jerk[i];
  }
  for (int i = 0; i < nx; i++) {
    r->past.x[i] = s->now.x[i] - h * (xdot[i] - h * r->jerk[nv + i] / 2);
    r->past.xdot[i] = xdot[i] - h * r->jerk[nv + i];
  }
  fly_eval_plus(&s->e, r->past.q, s->now.q, r->theta[0]);
  r->h_past = h;
}

// ------------------------------------------------------------------------------------------ stages

// (RV-stages) without the unknowns.
static void find_known(rival *r) {
  const fly_solver *s = r->solver;
  const fly_tableau *t = table(r);
  const fly_point *now = &s->now, *past = &r->past;
  const double h = r->h;
  memcpy(r->v_known, now->v, (size_t)s->e.p.nv * sizeof *r->v_known);
  memcpy(r->x_known, now->x, (size_t)s->e.p.nx * sizeof *r->x_known);
  memset(r->theta_known, 0, (size_t)s->e.p.nv * sizeof *r->theta_known);
  if (r->stages > 1)
    return;
  fly_eval_minus(&s->e, r->theta_known, past->q, now->q);
  for (int i = 0; i < s->e.p.nv; i++) {
    r->v_known[i] += t->u * (past->v[i] - now->v[i]) + h * (t->w0 * r->vdot[i] + t->w1 * past->vdot[i]);
    r->theta_known[i] = t->u * r->theta_known[i] + h * (t->w0 * now->v[i] + t->w1 * past->v[i]);
  }
  for (int i = 0; i < s->e.p.nx; i++)
    r->x_known[i] += t->u * (past->x[i] - now->x[i]) + h * (t->w0 * r->xdot[i] + t->w1 * past->xdot[i]);
}

static void expand(rival *r) {
  const fly_solver *s = r->solver;
  const int nv = s->e.p.nv, nx = s->e.p.nx, first = nv + s->e.nl;
  const double h = r->h;
  for (int i = 0; i < r->stages; i++) {
    memcpy(r->v[i], r->v_known, (size_t)nv * sizeof *r->v[i]);
    memcpy(r->x[i], r->x_known, (size_t)nx * sizeof *r->x[i]);
    for (int j = 0; j < r->stages; j++) {
      const double share = h * table(r)->a[i][j], *K = r->K + j * r->n;
      for (int k = 0; k < nv; k++)
        r->v[i][k] += share * K[k];
      for (int k = 0; k < nx; k++)
        r->x[i][k] += share * K[first + k];
    }
  }
  for (int i = 0; i < r->stages; i++) {
    memcpy(r->theta[i], r->theta_known, (size_t)nv * sizeof *r->theta[i]);
    for (int j = 0; j < r->stages; j++)
      for (int k = 0; k < nv; k++)
        r->theta[i][k] += h * table(r)->a[i][j] * r->v[j][k];
  }
}

static fly_dae_state stage_state(rival *r, int i) {
  const fly_solver *s = r->solver;
  const double c = table(r)->c[i], *K = r->K + i * r->n;
  const int nv = s->e.p.nv, first = nv + s->e.nl;
  fly_eval_plus(&s->e, r->q, s->now.q, r->theta[i]);
  return (fly_dae_state){.t = c == 1 ? s->at.end.t : s->now.t + c * r->h,
                         .q = r->q,
                         .v = r->v[i],
                         .vdot = K,
                         .lambda = K + nv,
                         .x = r->x[i],
                         .xdot = K + first,
                         .y = K + first + s->e.p.nx,
                         .side = s->e.side};
}

static fly_coef coefficients(const rival *r, int i, int j) {
  const double a = r->h * table(r)->a[i][j];
  return (fly_coef){.c_v = a, .c_q = r->h * r->h * r->squared[i][j], .c_x = a};
}

// Rows: motion, constraints, states, outputs.
static fly_outcome residual(rival *r, int i) {
  fly_solver *s = r->solver;
  const int nv = s->e.p.nv, ng = s->e.p.ng, nl = s->e.nl, rest = s->e.p.nx + s->e.p.ny;
  const fly_coef c = coefficients(r, i, i);
  double *R = r->R + i * r->n;
  const fly_dae_state at = stage_state(r, i);
  int code = fly_eval_motion(&s->e, R, &at);
  memmove(R + nv + nl, R + nv, (size_t)rest * sizeof *R);
  if (code == 0)
    code = fly_eval_velocity_rows(&s->e, R + nv, at.t, at.q, at.v);
  for (int k = 0; k < nl; k++)
    R[nv + k] /= c.c_v;
  if (code || s->step.kind != FLY_MATRIX_INDEX3)
    return outcome_of(code);
  code = fly_eval_constraint(&s->e, R + nv, at.t, at.q);
  for (int k = 0; k < ng; k++)
    R[nv + k] /= c.c_q;
  return outcome_of(code);
}

// ------------------------------------------------------------------------------------------ the matrix

// How the unknowns of stage j move the rows of stage i (RV-blocks): of the equations what is not of level 0, of the
// velocity constraints, which are divided by h a_ii, the share a_ij / a_ii.
static void put_coupling(rival *r, int i, int j) {
  fly_step_matrix *m = &r->solver->step;
  const fly_coef c = coefficients(r, i, j);
  const int first = r->solver->e.p.nv, last = first + r->solver->e.nl;
  const double share = table(r)->a[i][j] / table(r)->a[i][i];
  fly_step_matrix_fill(m, &r->solver->e, &c, r->theta[r->stages - 1]);
  for (int k = 0; k < fly_csc_nnz(&m->a); k++) {
    const bool constraint = m->a.row[k] >= first && m->a.row[k] < last;
    r->S.val[r->place[i][j][k]] = constraint ? share * m->a.val[k] : m->a.val[k] - r->level0[k];
  }
}

static void put_own(rival *r, int i) {
  fly_step_matrix *m = &r->solver->step;
  const fly_coef c = coefficients(r, i, i);
  fly_step_matrix_fill(m, &r->solver->e, &c, r->theta[r->stages - 1]);
  for (int k = 0; k < fly_csc_nnz(&m->a); k++)
    r->S.val[r->place[i][i][k]] = m->a.val[k];
}

// With derivatives at the last stage.
static fly_outcome renew(rival *r) {
  fly_solver *s = r->solver;
  const fly_coef nothing = {0};
  const fly_dae_state at = stage_state(r, r->stages - 1);
  const fly_outcome outcome = outcome_of(fly_eval_jacobian(&s->e, &at));
  if (outcome)
    return outcome;
  fly_step_matrix_fill(&s->step, &s->e, &nothing, r->theta[r->stages - 1]);
  memcpy(r->level0, s->step.a.val, (size_t)fly_csc_nnz(&s->step.a) * sizeof *r->level0);
  for (int i = 0; i < r->stages; i++)
    for (int j = 0; j < r->stages; j++)
      if (i == j)
        put_own(r, i);
      else if (r->place[i][j])
        put_coupling(r, i, j);
  const fly_status status = fly_lu_factor(r->lu, &r->S);
  r->factored = status == FLY_OK;
  r->h_factored = r->h;
  r->rate = 0;
  return outcome_of_factor(status);
}

// ------------------------------------------------------------------------------------------ Newton

// A correction as the largest change of positions and states, weighted.
static double correction_size(const rival *r) {
  const fly_solver *s = r->solver;
  const int first = s->e.p.nv + s->e.nl;
  double size = 0;
  for (int j = 0; j < r->stages; j++) {
    const double *d = r->R + j * r->n;
    size = fmax(size, r->h * r->h * fly_weighted(s, d));
    for (int i = 0; i < s->e.p.nx; i++)
      size = fmax(size, r->h * fabs(d[first + i]) / (s->e.p.scale_x ? s->e.p.scale_x[i] : 1.0));
    for (int i = 0; i < r->n; i++)
      if (!isfinite(d[i]))
        return INFINITY;
  }
  return size;
}

static fly_outcome correct(rival *r) {
  fly_outcome outcome = FLY_SOLVED;
  for (int i = 0; i < r->stages && outcome == FLY_SOLVED; i++)
    outcome = residual(r, i);
  if (outcome)
    return outcome;
  fly_lu_solve(r->lu, r->R);
  r->solver->stats.newton_iterations++;
  return FLY_SOLVED;
}

static void apply(rival *r) {
  for (int i = 0; i < r->stages * r->n; i++)
    r->K[i] -= r->R[i];
  expand(r);
}

// Fixed steps are asked for to see the formulas, not the corrector: what it leaves is nothing beside the error of a
// step, or round-off.
static double tolerance(const fly_solver *s) {
  return fmax(LEFT * fly_round_off(s), s->h_last > 0 ? SHARE * s->estimate_last : 0.0);
}

static fly_outcome iterate(rival *r) {
  const double floor = fly_round_off(r->solver), allowed = tolerance(r->solver);
  bool fresh = false;
  double last = 0;
  fly_outcome outcome = r->factored && r->h == r->h_factored && r->rate <= SLOW_RATE ? FLY_SOLVED : renew(r);
  for (int k = 0; outcome == FLY_SOLVED && k < 3 * r->solver->o.newton_max; k++) {
    outcome = correct(r);
    const double size = outcome == FLY_SOLVED ? correction_size(r) : (double)INFINITY;
    if (outcome || !isfinite(size))
      return outcome ? outcome : FLY_UNSOLVED;
    const double rate = last > 0 ? size / last : 0.5;
    apply(r);
    if (size == 0 || (last > 0 && rate < 1 && size * rate <= allowed * (1 - rate)))
      return FLY_SOLVED;
    if (last > 0 && rate > 0.5 && size <= STAGNANT * floor)
      return FLY_SOLVED;
    if (last > 0)
      r->rate = fmax(r->rate, rate);
    last = size;
    if (rate > SLOW_RATE && !fresh && k > 0) {
      outcome = renew(r);
      fresh = true;
      last = 0;
    }
  }
  return outcome ? outcome : FLY_UNSOLVED;
}

// ------------------------------------------------------------------------------------------ attempts

// Along the straight line through the ends of the last step, if they belong together.
static void predict(rival *r) {
  const fly_solver *s = r->solver;
  for (int j = 0; j < r->stages; j++) {
    double *K = r->K + j * r->n;
    put_unknowns(s, K);
    for (int k = 0; r->known && k < r->n; k++)
      K[k] += table(r)->c[j] * (K[k] - r->z_last[k]);
  }
  expand(r);
}

static bool same_step(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

static fly_outcome attempt(fly_solver *s, double h, double end) {
  rival *r = s->own;
  s->at.h = r->h = h;
  s->at.end.t = end;
  memcpy(r->vdot, s->now.vdot, (size_t)s->e.p.nv * sizeof *r->vdot);
  memcpy(r->xdot, s->now.xdot, (size_t)s->e.p.nx * sizeof *r->xdot);
  if (r->stages == 1 && !same_step(r->h_past, h))
    invent_past(r);
  find_known(r);
  predict(r);
  const fly_outcome outcome = iterate(r);
  if (outcome)
    r->factored = false;
  return outcome;
}

// The end of the step from its stages; what is no derivative by (RV-limit).
static void combine(rival *r) {
  fly_solver *s = r->solver;
  const int nv = s->e.p.nv, first = nv + s->e.nl;
  fly_point *end = &s->at.end;
  const fly_tableau *t = table(r);
  memcpy(end->v, s->now.v, (size_t)nv * sizeof *end->v);
  memcpy(end->x, s->now.x, (size_t)s->e.p.nx * sizeof *end->x);
  memset(r->dense_delta, 0, (size_t)nv * sizeof *r->dense_delta);
  put_unknowns(s, s->at.u);
  for (int k = 0; k < r->n; k++)
    s->at.u[k] *= r->limit[STAGES];
  for (int j = 0; j < r->stages; j++) {
    const double share = r->h * t->b[j], *K = r->K + j * r->n;
    for (int i = 0; i < nv; i++) {
      end->v[i] += share * K[i];
      r->dense_delta[i] += share * r->v[j][i];
    }
    for (int i = 0; i < s->e.p.nx; i++)
      end->x[i] += share * K[first + i];
    for (int k = 0; k < r->n; k++)
      s->at.u[k] += r->limit[j] * K[k];
  }
}

static void finish(rival *r) {
  fly_solver *s = r->solver;
  if (r->stages > 1)
    combine(r);
  else {
    memcpy(s->at.end.v, r->v[0], (size_t)s->e.p.nv * sizeof *r->v[0]);
    memcpy(s->at.end.x, r->x[0], (size_t)s->e.p.nx * sizeof *r->x[0]);
    memcpy(r->dense_delta, r->theta[0], (size_t)s->e.p.nv * sizeof *r->theta[0]);
    memcpy(s->at.u, r->K, (size_t)r->n * sizeof *r->K);
  }
  fly_eval_plus(&s->e, s->at.end.q, s->now.q, r->dense_delta);
}

// No step depends on it: the size of h^3 v'' / 12, of which the error of a second-order method is a multiple.
static fly_outcome judge(fly_solver *s, double h, int failed, double *ratio) {
  rival *r = s->own;
  (void)failed;
  finish(r);
  for (int i = 0; i < s->e.p.nv; i++)
    s->work[i] = h * h / 12 * (s->at.end.vdot[i] - s->now.vdot[i]);
  s->at.estimate = fly_weighted(s, s->work);
  s->at.ratio = *ratio = NAN;
  return FLY_SOLVED;
}

static fly_status accept(fly_solver *s, double end, fly_error *error) {
  rival *r = s->own;
  fly_point_copy(&r->past, &s->now, &s->e);
  put_unknowns(s, r->z_last);
  r->known = true;
  r->h_past = r->h;
  double *swap = r->delta_last;
  r->delta_last = r->dense_delta;
  r->dense_delta = swap;
  return fly_accept(s, end, error);
}

static fly_status step(fly_solver *s, fly_error *error) {
  static const fly_attempts method = {attempt, judge, accept, NULL};
  return fly_attempts_step(s, &method, error);
}

static void dense(const fly_solver *s, double t, fly_point *out) {
  const rival *r = s->own;
  fly_hermite_dense(s, t, out, r->delta_last, r->dense_delta, false);
}

static fly_lu_counts count(const fly_solver *s) { return fly_lu_count(((const rival *)s->own)->lu); }

static long entries(const fly_solver *s) { return fly_lu_entries(((const rival *)s->own)->lu); }

static double work(const fly_solver *s) { return fly_lu_count(((const rival *)s->own)->lu).work; }

const fly_family fly_family_tableau = {FLY_FAMILY_STEPS, .work = work, .dense = dense, .count = count,
                                       .entries = entries};
