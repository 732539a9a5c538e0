// BDF by SUNDIALS IDA, wrapped one level above the library's own methods: IDA sees a vector space, chooses order and
// step, and solves its linear systems with our factorization. docs/theory/bdf.md.
//
//   variables  Y = (q, v, x, lambda, y, mu)              rotations as quaternions p of any length
//   rows       projection M (w - v) + G^T mu (ggl) or w - v (others), with w = 2 (p^-1 p') on rotations, p.p' = 0;
//              motion; constraints on the level of the formulation; B v + b; d; y - h; ggl: G v + g_t
//
// The build defines FLY_WITH_IDA if SUNDIALS is there; otherwise this file is empty, and ida_missing.c stands in for
// it.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dae/radau.h"
#include "math/so3.h"

#ifdef FLY_WITH_IDA
#include <ida/ida.h>
#include <nvector/nvector_serial.h>

static const double STEP_MIN = 1e-14; // of the interval
static const double COARSE = 0.1;     // of the last step: one that must be shorter has no past to go by

typedef struct bdf {
  fly_solver *solver; // it belongs to
  SUNContext context;
  void *ida;
  SUNMatrix matrix;       // only a name: the matrix is s->step
  SUNLinearSolver linear; // likewise
  N_Vector Y, Yp, id, errors;
  int n;                       // variables
  int iv, ix, il, iy, imu;     // where they begin, after q
  int rv, rnorm, rm, rg, rest; // where rows begin: projection, norms, motion, constraints, states
  int rvel;                    // velocity constraints
  double *rows;                // work (nl)
  double *q, *w;               // normalized positions (nq), velocities of the positions (nv), of the last evaluation
  double *b;                   // right side in the order of s->step (s->step.n)
  double complex *S;           // of one rotation (9)
  double c;                    // 1/c_j of the present step; the factorized matrix may be an older one
  double *q_matrix, *w_matrix; // where it was (nq), (nv)
  double largest_lambda;       // seen so far
  bool pending;                // start again with the next step: until then dense output is that of the last
  bool begun;                  // IDAInit is done
  long failed_error, failed_newton, iterations; // counted before the last start
  fly_status factor;                            // of the last factorization
  char message[240];                            // IDA's own words
  fly_arena memory;
} bdf;

static double *values(N_Vector v) { return N_VGetArrayPointer(v); }

static bool stabilized(const fly_solver *s) { return s->step.kind == FLY_MATRIX_GGL; }

// ------------------------------------------------------------------------------------------ the equations

static double dot4(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]; }

static double scale_of(const double *scale, int i) { return scale ? scale[i] : 1.0; }

// b->q = positions with unit quaternions; b->w = the velocity with which Y moves them.
static void take_positions(bdf *b, const double *Y, const double *Yp) {
  const fly_eval *e = &b->solver->e;
  memcpy(b->q, Y, (size_t)e->p.nq * sizeof(double));
  for (int i = 0; i < e->p.nv; i++)
    if (e->q_of_v[i] >= 0)
      b->w[i] = Yp[e->q_of_v[i]];
  for (int k = 0; k < e->p.nrotation; k++) {
    int iq = e->p.rotation_q[k], iv = e->p.rotation_v[k];
    const double *p = Y + iq;
    double squared = dot4(p, p), inverse[4] = {p[0], -p[1], -p[2], -p[3]}, product[4];
    fly_quat_multiply(product, inverse, Yp + iq);
    for (int j = 0; j < 3; j++)
      b->w[iv + j] = 2 * product[j + 1] / squared;
    fly_quat_normalize(b->q + iq);
  }
}

static fly_dae_state state_at(bdf *b, double t, const double *Y, const double *Yp) {
  take_positions(b, Y, Yp);
  return (fly_dae_state){t, b->q, Y + b->iv, Yp + b->iv, Y + b->il, Y + b->ix, Yp + b->ix, Y + b->iy, NULL};
}

// Constraint rows of the formulation, holonomic ones first.
static int constraint_rows(bdf *b, double *R, const fly_dae_state *at) {
  fly_eval *e = &b->solver->e;
  int ng = e->p.ng, code = 0;
  if (e->nl == 0)
    return 0;
  if (b->solver->o.formulation == FLY_INDEX1) {
    code = fly_eval_gamma(e, R + b->rg, at->t, at->q, at->v);
    fly_csc_multiply_add(R + b->rg, &e->G, 1.0, at->vdot);
    fly_csc_multiply_add(R + b->rg + ng, &e->B, 1.0, at->vdot);
    return code;
  }
  code = fly_eval_velocity_rows(e, b->rows, at->t, at->q, at->v);
  memcpy(R + b->rg, b->rows, (size_t)e->nl * sizeof(double));
  if (b->solver->o.formulation == FLY_INDEX2 || code)
    return code;
  if (stabilized(b->solver))
    memcpy(R + b->rvel, b->rows, (size_t)ng * sizeof(double));
  return fly_eval_constraint(e, R + b->rg, at->t, at->q);
}

static int residual(double t, N_Vector Yv, N_Vector Ypv, N_Vector Rv, void *user) {
  bdf *b = user;
  fly_eval *e = &b->solver->e;
  const fly_dae_problem *p = &e->p;
  const double *Y = values(Yv), *Yp = values(Ypv);
  double *R = values(Rv), *core = b->b;
  fly_dae_state at = state_at(b, t, Y, Yp);
  int code = fly_eval_motion(e, core, &at);
  if (code)
    return code;
  memcpy(R + b->rm, core, (size_t)p->nv * sizeof *R);
  memcpy(R + b->rest, core + p->nv, (size_t)(p->nx + p->ny) * sizeof *R);
  for (int i = 0; i < p->nv; i++)
    R[b->rv + i] = b->w[i] - at.v[i];
  if (stabilized(b->solver)) {
    memcpy(core, R + b->rv, (size_t)p->nv * sizeof *R);
    memset(R + b->rv, 0, (size_t)p->nv * sizeof *R);
    fly_csc_multiply_add(R + b->rv, &e->M, 1.0, core);
    fly_csc_multiply_transposed_add(R + b->rv, &e->G, 1.0, Y + b->imu);
  }
  for (int k = 0; k < p->nrotation; k++)
    R[b->rnorm + k] = dot4(Y + p->rotation_q[k], Yp + p->rotation_q[k]);
  return constraint_rows(b, R, &at);
}

// ------------------------------------------------------------------------------------------ linear systems

// With c = 1/c_j: dv = c dv', dx = c dx', and on rotations the increment d of p = p (1 + d/2) moves w by d/c + w x d,
// so d = c^2 (1 + c [w])^-1 (dv' + deta), eta = w - v over c. That is the matrix of our own methods.
static int jacobian(double t, double cj, N_Vector Yv, N_Vector Ypv, N_Vector Rv, SUNMatrix J, void *user, N_Vector t1,
                    N_Vector t2, N_Vector t3) {
  (void)Rv, (void)J, (void)t1, (void)t2, (void)t3;
  bdf *b = user;
  fly_solver *s = b->solver;
  const fly_dae_problem *p = &s->e.p;
  fly_dae_state at = state_at(b, t, values(Yv), values(Ypv));
  int code = fly_eval_jacobian(&s->e, &at);
  if (code)
    return code;
  b->c = 1 / cj;
  for (int k = 0; k < p->nrotation; k++) {
    fly_radau_turning(b->S, 2 * b->c, b->w + p->rotation_v[k]);
    for (int i = 0; i < 9; i++)
      s->step.T[9 * k + i] = creal(b->S[i]);
  }
  memcpy(b->q_matrix, values(Yv), (size_t)p->nq * sizeof(double));
  memcpy(b->w_matrix, b->w, (size_t)p->nv * sizeof(double));
  const fly_coef coef = {b->c, b->c * b->c, b->c};
  fly_step_matrix_fill_turned(&s->step, &s->e, &coef);
  b->factor = fly_lu_factor(s->step.lu, &s->step.a);
  return b->factor == FLY_OK ? 0 : b->factor == FLY_NO_MEMORY ? -1 : 1;
}

// Rows in the order of s->step, scaled as its rows are; stabilized, those of positions come last.
static void gather(const bdf *b, const double *R, double *m) {
  const fly_solver *s = b->solver;
  int nv = s->e.p.nv, ng = s->e.p.ng, nl = s->e.nl, ncore = s->step.ncore;
  fly_formulation f = s->o.formulation;
  double c = b->c, holonomic = f == FLY_INDEX3 ? c * c : f == FLY_INDEX1 ? 1 : c, other = f == FLY_INDEX1 ? 1 : c;
  const double *first = R + (stabilized(s) ? b->rvel : b->rg);
  memcpy(m, R + b->rm, (size_t)nv * sizeof *m);
  for (int i = 0; i < ng; i++)
    m[nv + i] = first[i] / holonomic;
  for (int i = ng; i < nl; i++)
    m[nv + i] = R[b->rg + i] / other;
  memcpy(m + nv + nl, R + b->rest, (size_t)(s->e.p.nx + s->e.p.ny) * sizeof *m);
  for (int i = 0; i < nv; i++)
    m[ncore + i] = R[b->rv + i] / c;
  for (int i = 0; stabilized(s) && i < ng; i++)
    m[ncore + nv + i] = R[b->rg + i] / (c * c);
}

// The solution m in terms of Y. R: the right side, for the lengths of quaternions.
static void scatter(const bdf *b, const double *m, const double *R, double *dY) {
  const fly_solver *s = b->solver;
  const fly_eval *e = &s->e;
  int nv = e->p.nv, nl = e->nl, nx = e->p.nx, ncore = s->step.ncore;
  double c = b->c;
  for (int i = 0; i < nv; i++) {
    dY[b->iv + i] = c * m[i];
    if (e->q_of_v[i] >= 0)
      dY[e->q_of_v[i]] = c * c * (m[i] + m[ncore + i]);
  }
  for (int k = 0; k < e->p.nrotation; k++) {
    int iv = e->p.rotation_v[k], iq = e->p.rotation_q[k];
    const double *S = s->step.T + 9 * k, *p = b->q_matrix + iq;
    double d[4] = {0}, product[4];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        d[i + 1] += c * c * S[3 * i + j] * (m[iv + j] + m[ncore + iv + j]);
    fly_quat_multiply(product, p, d);
    double along = 0;
    for (int i = 0; i < 3; i++)
      along += b->w_matrix[iv + i] * d[i + 1];
    double longer = c * (R[b->rnorm + k] / dot4(p, p) - 0.25 * along);
    for (int i = 0; i < 4; i++)
      dY[iq + i] = 0.5 * product[i] + longer * p[i];
  }
  memcpy(dY + b->il, m + nv, (size_t)nl * sizeof *m);
  for (int i = 0; i < nx; i++)
    dY[b->ix + i] = c * m[nv + nl + i];
  memcpy(dY + b->iy, m + nv + nl + nx, (size_t)e->p.ny * sizeof *m);
  for (int i = 0; stabilized(s) && i < e->p.ng; i++)
    dY[b->imu + i] = c * m[ncore + nv + i];
}

static int solve(SUNLinearSolver linear, SUNMatrix A, N_Vector x, N_Vector right, double tolerance) {
  (void)A, (void)tolerance;
  bdf *b = linear->content;
  double cj = 1 / b->c;
  IDAGetCurrentCj(b->ida, &cj);
  b->c = 1 / cj; // so a kept matrix is off only where c multiplies derivatives of forces, and IDA need not scale
  gather(b, values(right), b->b);
  fly_step_matrix_solve(&b->solver->step, b->b);
  memcpy(b->solver->at.du, b->b, (size_t)b->solver->step.n * sizeof(double)); // for messages
  scatter(b, b->b, values(right), values(x));
  return 0;
}

static SUNLinearSolver_Type direct(SUNLinearSolver linear) {
  (void)linear;
  return SUNLINEARSOLVER_DIRECT;
}
static int nothing(SUNLinearSolver linear, SUNMatrix A) {
  (void)linear, (void)A;
  return 0;
}
static SUNMatrix_ID custom(SUNMatrix A) {
  (void)A;
  return SUNMATRIX_CUSTOM;
}
static int zero(SUNMatrix A) {
  (void)A;
  return 0;
}

// ------------------------------------------------------------------------------------------ tolerances

// Weights of the root-mean-square norm, times the root of n: no component exceeds the error, in its scale. Variables of
// index 2 count times h, of index 3 times h^2 (B-weights); multipliers by their largest value so far.
static int weights(N_Vector Yv, N_Vector ewt, void *user) {
  bdf *b = user;
  const fly_solver *s = b->solver;
  const fly_eval *e = &s->e;
  const double *Y = values(Yv);
  double *w = values(ewt), h = 0;
  fly_formulation f = s->o.formulation;
  IDAGetCurrentStep(b->ida, &h);
  if (!(h > 0))
    h = s->h_next;
  for (int i = 0; i < e->nl; i++)
    b->largest_lambda = fmax(b->largest_lambda, fabs(Y[b->il + i]));
  double per = sqrt((double)b->n) / s->o.error, span = s->t_end - s->t0;
  double speed = f == FLY_INDEX3 && e->p.ng > 0 ? h : fmin(span, 1.0), multiplier = 1;
  if (f == FLY_GGL || f == FLY_INDEX2)
    multiplier = fmin(h / span, 1.0);
  if (f == FLY_INDEX3)
    multiplier = fmin(h * h / (span * span), 1.0);
  for (int i = 0; i < e->p.nv; i++) {
    double unit = scale_of(e->p.scale_v, i);
    if (e->q_of_v[i] >= 0)
      w[e->q_of_v[i]] = per / unit;
    w[b->iv + i] = per * speed / unit;
  }
  for (int k = 0; k < e->p.nrotation; k++)
    for (int i = 0; i < 4; i++)
      w[e->p.rotation_q[k] + i] = 2 * per / scale_of(e->p.scale_v, e->p.rotation_v[k]);
  for (int i = 0; i < e->p.nx; i++)
    w[b->ix + i] = per / scale_of(e->p.scale_x, i);
  for (int i = b->il; i < b->n; i++)
    w[i] = per * multiplier / fmax(b->largest_lambda, 1.0);
  for (int i = 0; i < e->p.ny; i++)
    w[b->iy + i] = per / fmax(fabs(Y[b->iy + i]), 1.0);
  for (int i = 0; stabilized(s) && i < e->p.ng; i++)
    w[b->imu + i] = per * multiplier;
  return 0;
}

// What IDA's error test looks at: positions and states, and velocities where they are not of index 2.
static void choose_tested(bdf *b) {
  const fly_solver *s = b->solver;
  double *id = values(b->id);
  bool velocities = !(s->o.formulation == FLY_INDEX3 && s->e.p.ng > 0);
  for (int i = 0; i < b->n; i++)
    id[i] = i < b->il && (velocities || i < b->iv || i >= b->ix);
}

static void take_words(int code, const char *module, const char *function, char *text, void *user) {
  (void)code, (void)module, (void)function;
  bdf *b = user;
  strncpy(b->message, text, sizeof b->message - 1);
}

// ------------------------------------------------------------------------------------------ creation

static fly_status refuse(const fly_solver *s, fly_error *error) {
  if (s->o.step > 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "Method bdf chooses its own steps: give an error in place of a step of %g s, or limit steps by "
                    "their largest.",
                    s->o.step);
  return FLY_OK;
}

static void place_variables(bdf *b) {
  const fly_eval *e = &b->solver->e;
  const fly_dae_problem *p = &e->p;
  int mu = stabilized(b->solver) ? p->ng : 0;
  b->iv = p->nq;
  b->ix = b->iv + p->nv;
  b->il = b->ix + p->nx;
  b->iy = b->il + e->nl;
  b->imu = b->iy + p->ny;
  b->n = b->imu + mu;
  b->rv = 0;
  b->rnorm = p->nv;
  b->rm = b->rnorm + p->nrotation;
  b->rg = b->rm + p->nv;
  b->rest = b->rg + e->nl;
  b->rvel = b->rest + p->nx + p->ny;
}

static bool take_memory(bdf *b) {
  fly_arena *m = &b->memory;
  const fly_eval *e = &b->solver->e;
  size_t room = (size_t)(b->solver->step.n > e->nrow ? b->solver->step.n : e->nrow);
  b->rows = fly_arena_doubles(m, (size_t)e->nl);
  b->q = fly_arena_doubles(m, (size_t)e->p.nq);
  b->q_matrix = fly_arena_doubles(m, (size_t)e->p.nq);
  b->w = fly_arena_doubles(m, (size_t)e->p.nv);
  b->w_matrix = fly_arena_doubles(m, (size_t)e->p.nv);
  b->b = fly_arena_doubles(m, room);
  b->S = fly_arena_take(m, 9, sizeof *b->S);
  if (m->failed || SUNContext_Create(NULL, &b->context))
    return false;
  N_Vector *list[] = {&b->Y, &b->Yp, &b->id, &b->errors};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    if (!(*list[k] = N_VNew_Serial(b->n, b->context)))
      return false;
  b->ida = IDACreate(b->context);
  b->matrix = SUNMatNewEmpty(b->context);
  b->linear = SUNLinSolNewEmpty(b->context);
  return b->ida && b->matrix && b->linear;
}

static bool set_up(bdf *b) {
  const fly_solver *s = b->solver;
  b->matrix->ops->getid = custom;
  b->matrix->ops->zero = zero;
  b->linear->ops->gettype = direct;
  b->linear->ops->setup = nothing;
  b->linear->ops->solve = solve;
  b->linear->content = b;
  choose_tested(b);
  N_VConst(0, b->Y);
  N_VConst(0, b->Yp);
  return !IDAInit(b->ida, residual, 0, b->Y, b->Yp) && !IDASetUserData(b->ida, b) &&
         !IDASetErrHandlerFn(b->ida, take_words, b) && !IDAWFtolerances(b->ida, weights) &&
         !IDASetLinearSolver(b->ida, b->linear, b->matrix) && !IDASetJacFn(b->ida, jacobian) &&
         !IDASetLinearSolutionScaling(b->ida, 0) && !IDASetId(b->ida, b->id) && !IDASetSuppressAlg(b->ida, 1) &&
         !IDASetMaxNumSteps(b->ida, -1) && !IDASetMaxConvFails(b->ida, 30) && !IDASetMaxErrTestFails(b->ida, 30) &&
         !IDASetInitStep(b->ida, s->o.step_initial);
}

static fly_status create(fly_solver *s, fly_error *error) {
  static const fly_matrix_kind kinds[] = {[FLY_INDEX3] = FLY_MATRIX_FREE3,
                                          [FLY_INDEX2] = FLY_MATRIX_FREE2,
                                          [FLY_GGL] = FLY_MATRIX_GGL,
                                          [FLY_INDEX1] = FLY_MATRIX_FREE1};
  fly_status status = refuse(s, error);
  if (status)
    return status;
  bdf *b = fly_family_own(s, sizeof *b, error);
  if (!b)
    return FLY_NO_MEMORY;
  b->solver = s;
  s->o.error_per = FLY_PER_STEP;
  fly_step_matrix_size(&s->step, kinds[s->o.formulation], &s->e);
  status = fly_step_matrix_build(&s->step, &s->e, error);
  if (status)
    return status;
  place_variables(b);
  if (!take_memory(b) || !set_up(b))
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for IDA with %d variables.", b->n);
  return FLY_OK;
}

static void free_own(fly_solver *s) {
  bdf *b = s->own;
  fly_step_matrix_free(&s->step);
  if (!b)
    return;
  if (b->ida)
    IDAFree(&b->ida);
  if (b->linear)
    SUNLinSolFreeEmpty(b->linear);
  if (b->matrix)
    SUNMatFreeEmpty(b->matrix);
  N_Vector list[] = {b->Y, b->Yp, b->id, b->errors};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    if (list[k])
      N_VDestroy(list[k]);
  if (b->context)
    SUNContext_Free(&b->context);
  fly_arena_free(&b->memory);
  free(b);
}

static fly_lu_counts count(const fly_solver *s) { return fly_lu_count(s->step.lu); }

// ------------------------------------------------------------------------------------------ start

// N(q) v: the derivatives of the stored positions.
static void position_rates(const fly_eval *e, const double *q, const double *v, double *rate) {
  for (int i = 0; i < e->p.nv; i++)
    if (e->q_of_v[i] >= 0)
      rate[e->q_of_v[i]] = v[i];
  for (int k = 0; k < e->p.nrotation; k++) {
    const double *w = v + e->p.rotation_v[k];
    double half[4] = {0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]};
    fly_quat_multiply(rate + e->p.rotation_q[k], q + e->p.rotation_q[k], half);
  }
}

static double first_step(const fly_solver *s) {
  double span = s->t_end - s->t0, h = fmin(s->step_max, 1e-3 * span);
  if (s->o.step_initial > 0)
    return fmin(s->o.step_initial, s->step_max);
  double a = fly_weighted(s, s->now.vdot), v = fly_weighted(s, s->now.v);
  if (a > 0) // it begins with order 1, whose error is h^2 a/2
    h = fmin(h, sqrt(s->o.error / a));
  if (v > 0)
    h = fmin(h, 0.1 * sqrt(s->o.error) / v);
  return fmax(h, 1e-10 * span);
}

static fly_status restart(fly_solver *s, fly_error *error) {
  (void)error;
  bdf *b = s->own;
  b->pending = true;
  if (s->stats.steps == 0) {
    b->failed_error = b->failed_newton = b->iterations = 0;
    b->begun = false;
    b->largest_lambda = 0;
  }
  s->h_next = first_step(s);
  return FLY_OK;
}

// Left alone, IDA goes on with steps that no longer move the time.
static double smallest_step(const fly_solver *s) {
  if (s->o.step_min > 0)
    return fmin(s->o.step_min, s->step_max);
  return fmax(STEP_MIN * (s->t_end - s->t0), 16 * DBL_EPSILON * fmax(fabs(s->t0), fabs(s->t_end)));
}

static int begin(bdf *b) {
  fly_solver *s = b->solver;
  const fly_dae_problem *p = &s->e.p;
  double *Y = values(b->Y), *Yp = values(b->Yp);
  memset(Y, 0, (size_t)b->n * sizeof *Y);
  memset(Yp, 0, (size_t)b->n * sizeof *Yp);
  memcpy(Y, s->now.q, (size_t)p->nq * sizeof *Y);
  memcpy(Y + b->iv, s->now.v, (size_t)p->nv * sizeof *Y);
  memcpy(Y + b->ix, s->now.x, (size_t)p->nx * sizeof *Y);
  memcpy(Y + b->il, s->now.lambda, (size_t)s->e.nl * sizeof *Y);
  memcpy(Y + b->iy, s->now.y, (size_t)p->ny * sizeof *Y);
  position_rates(&s->e, s->now.q, s->now.v, Yp);
  memcpy(Yp + b->iv, s->now.vdot, (size_t)p->nv * sizeof *Y);
  memcpy(Yp + b->ix, s->now.xdot, (size_t)p->nx * sizeof *Y);
  int flag = IDAReInit(b->ida, s->now.t, b->Y, b->Yp);
  if (!flag)
    flag = IDASetInitStep(b->ida, s->h_next);
  if (!flag)
    flag = IDASetMaxStep(b->ida, s->step_max);
  if (!flag)
    flag = IDASetMinStep(b->ida, smallest_step(s));
  b->pending = false;
  b->begun = true;
  return flag;
}

// ------------------------------------------------------------------------------------------ steps

static void take_point(const bdf *b, double t, const double *Y, const double *Yp, fly_point *out) {
  const fly_solver *s = b->solver;
  const fly_dae_problem *p = &s->e.p;
  out->t = t;
  memcpy(out->q, Y, (size_t)p->nq * sizeof *Y);
  for (int k = 0; k < p->nrotation; k++)
    fly_quat_normalize(out->q + p->rotation_q[k]);
  memcpy(out->v, Y + b->iv, (size_t)p->nv * sizeof *Y);
  memcpy(out->vdot, Yp + b->iv, (size_t)p->nv * sizeof *Y);
  memcpy(out->lambda, Y + b->il, (size_t)s->e.nl * sizeof *Y);
  memcpy(out->x, Y + b->ix, (size_t)p->nx * sizeof *Y);
  memcpy(out->xdot, Yp + b->ix, (size_t)p->nx * sizeof *Y);
  memcpy(out->y, Y + b->iy, (size_t)p->ny * sizeof *Y);
}

static void dense(const fly_solver *s, double t, fly_point *out) {
  bdf *b = s->own;
  IDAGetDky(b->ida, t, 0, b->Y);
  IDAGetDky(b->ida, t, 1, b->Yp);
  take_point(b, t, values(b->Y), values(b->Yp), out);
}

// Largest weighted local error of positions and states, as IDA estimates it.
static double estimate(const bdf *b) {
  const fly_eval *e = &b->solver->e;
  const double *d = values(b->errors);
  double largest = 0;
  if (IDAGetEstLocalErrors(b->ida, b->errors))
    return NAN;
  for (int i = 0; i < e->p.nv; i++)
    if (e->q_of_v[i] >= 0)
      largest = fmax(largest, fabs(d[e->q_of_v[i]]) / scale_of(e->p.scale_v, i));
  for (int k = 0; k < e->p.nrotation; k++)
    for (int i = 0; i < 4; i++)
      largest = fmax(largest, 2 * fabs(d[e->p.rotation_q[k] + i]) / scale_of(e->p.scale_v, e->p.rotation_v[k]));
  for (int i = 0; i < e->p.nx; i++)
    largest = fmax(largest, fabs(d[b->ix + i]) / scale_of(e->p.scale_x, i));
  return largest;
}

// IDA counts from its last start; the solver from the run's.
static void keep_counts(bdf *b, bool closing) {
  fly_stats *stats = &b->solver->stats;
  long error = 0, newton = 0, iterations = 0;
  IDAGetNumErrTestFails(b->ida, &error);
  IDAGetNumNonlinSolvConvFails(b->ida, &newton);
  IDAGetNumNonlinSolvIters(b->ida, &iterations);
  stats->rejected_error = b->failed_error + error;
  stats->rejected_newton = b->failed_newton + newton;
  stats->newton_iterations = b->iterations + iterations;
  if (closing) {
    b->failed_error = stats->rejected_error;
    b->failed_newton = stats->rejected_newton;
    b->iterations = stats->newton_iterations;
  }
}

// What stopped IDA, as our own methods would say it, with its own word for it.
static fly_status explain(bdf *b, int flag, fly_error *error) {
  fly_solver *s = b->solver;
  double h = 0, t = s->now.t;
  IDAGetCurrentStep(b->ida, &h);
  bool evaluation = flag == IDA_RES_FAIL || flag == IDA_FIRST_RES_FAIL || flag == IDA_REP_RES_ERR;
  bool setup = flag == IDA_LSETUP_FAIL;
  if (evaluation || (setup && b->factor == FLY_OK && s->e.failed))
    return fly_explain_callback(s, t, error);
  if (flag == IDA_MEM_FAIL || (setup && b->factor == FLY_NO_MEMORY))
    return fly_fail(error, FLY_NO_MEMORY, t, "Out of memory in IDA at t = %.9g s.", t);
  char *name = IDAGetReturnFlagName(flag);
  fly_status status;
  if (flag == IDA_ERR_FAIL)
    status = fly_explain_failure(s, FLY_SOLVED, true, h, error);
  else if (flag == IDA_CONV_FAIL || setup)
    status = fly_explain_failure(s, setup ? FLY_NO_FACTOR : FLY_UNSOLVED, false, h, error);
  else
    status = fly_fail(error, FLY_STEP_TOO_SMALL, t, "At t = %.9g s IDA says: %s", t, b->message);
  fly_error_append(error, " (%s of IDA.)", name ? name : "?");
  free(name);
  if (s->o.formulation == FLY_INDEX3 && s->e.p.ng > 0)
    fly_error_append(error, " Index 3 is beyond what a BDF code controls: use the formulation ggl.");
  fly_error_append(error, " Or use the methods ch or radau.");
  return status;
}

// The past of a method of many steps lies on the other side of a break.
static bool restart_at(const fly_solver *s, fly_break_kind kind) {
  (void)s, (void)kind;
  return true;
}

// Where a pulse in time makes the next step much shorter than the last, that says nothing about it: begin anew.
static void leave_coarse_past(bdf *b, double longest) {
  fly_solver *s = b->solver;
  if (b->pending || !(longest < COARSE * (s->now.t - s->last.t)))
    return;
  b->pending = true;
  s->h_next = fmin(first_step(s), longest);
}

static fly_status step(fly_solver *s, fly_error *error) {
  bdf *b = s->own;
  double t = 0, h = 0;
  int flag = 0;
  const double limit = fly_stops_limit(s), longest = fly_stops_longest(s, fmin(s->step_max, limit - s->now.t));
  leave_coarse_past(b, longest);
  if (b->pending) {
    if (b->begun)
      keep_counts(b, true);
    flag = begin(b);
  }
  b->factor = FLY_OK;
  s->e.failed = NULL;
  const double room = limit - s->now.t, stop = longest < room ? s->now.t + fmax(longest, smallest_step(s)) : limit;
  if (flag >= 0)
    flag = IDASetStopTime(b->ida, stop); // a largest step would be heeded one step later only
  if (flag >= 0)
    flag = IDASolve(b->ida, s->t_end, &t, b->Y, b->Yp, IDA_ONE_STEP);
  keep_counts(b, false);
  if (flag < 0)
    return explain(b, flag, error);
  IDAGetLastStep(b->ida, &h);
  take_point(b, t, values(b->Y), values(b->Yp), &s->at.end);
  s->at.h = h;
  s->at.estimate = estimate(b);
  s->at.ratio = s->at.estimate / s->o.error;
  return fly_accept(s, flag == IDA_TSTOP_RETURN || t >= stop ? stop : t, error);
}

// IDA does not let its past be rewritten: it starts again.
static fly_status reshape(fly_solver *s, fly_error *error) {
  const fly_matrix_kind kind = s->step.kind;
  fly_step_matrix_free(&s->step);
  fly_step_matrix_size(&s->step, kind, &s->e);
  fly_status status = fly_step_matrix_build(&s->step, &s->e, error);
  return status ? status : restart(s, error);
}

static const fly_family family = {FLY_FAMILY_STEPS, .restart_at = restart_at, .dense = dense, .count = count};

const fly_family *fly_family_bdf(void) { return &family; }

#endif
