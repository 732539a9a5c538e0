// The Newmark family: one step's formulas. docs/theory/newmark.md derives them; equation labels are its.
//
//   q1 = q0 (+) (h v0 + h^2 (1/2-beta) a0 + h^2 beta a1 + c_q eta)            (N-position)
//   v1 = v0 + h (1-gamma) a0 + h gamma a1                                    (N-velocity)
//   (1-alpha_m) a1 + alpha_m a0 = (1-alpha_f) v1' + alpha_f v0'              (N-acceleration)
//
// eta = 0 but in the stabilized formulation, where M eta + G^T mu = 0.
#include <math.h>
#include <string.h>

#include "base/quad.h"
#include "base/wide.h"
#include "dae/newmark.h"
#include "math/sizes.h"
#include "math/so3.h"

// ------------------------------------------------------------------------------------------ coefficients

// Coefficient of h^3 x''' in the error of x1: formula and recursion of w expanded about t0 (N-state-error).
static double state_constant(const fly_theta *p) {
  double d = p->delta_m - p->delta_f, th = p->theta;
  double formula = 1.0 / 6 - 0.5 * ((1 - th) * d * d + th * (1 + d) * (1 + d));
  double recursion = 0.5 * ((1 - p->delta_f) - (1 - p->delta_m) * (1 + d) * (1 + d) - p->delta_m * d * d);
  return formula - recursion;
}

// Index 3 in the constrained directions with positions of independent rounding errors of deviation 1, h = 1: deviation
// of v' (N-gain). The recursion at infinite frequency forgets like rho^n; where it does not (rho = 1), a thousand
// steps.
static double noise_gain(const fly_newmark *m) {
  double v = 0, a = 0, vdot = 0, sum = 0;
  for (int k = 0; k < 1000; k++) {
    double moved = k == 0 ? 1.0 : k == 1 ? -1.0 : 0.0; // the rounding error comes and goes
    double a1 = (moved - v - (0.5 - m->beta) * a) / m->beta;
    v += (1 - m->gamma) * a + m->gamma * a1;
    vdot = ((1 - m->alpha_m) * a1 + m->alpha_m * a - m->alpha_f * vdot) / (1 - m->alpha_f);
    a = a1;
    sum += vdot * vdot;
  }
  return sqrt(sum);
}

// Methods of second order have no defect but that of their parameters' rounding.
static double without_rounding(double defect) { return fabs(defect) < 1e-12 ? 0.0 : defect; }

void fly_newmark_prepare(fly_solver *s) {
  const fly_newmark *m = &s->o.method;
  const fly_theta *x = &s->o.states;
  fly_own(s)->d_alpha = m->alpha_m - m->alpha_f;
  fly_own(s)->d_delta = x->delta_m - x->delta_f;
  fly_own(s)->kappa = (1 - m->alpha_f) / (1 - m->alpha_m);
  fly_own(s)->kappa_x = (1 - x->delta_f) / (1 - x->delta_m);
  fly_own(s)->error_constant = (1 - 6 * m->beta - 3 * fly_own(s)->d_alpha) / 6;
  fly_own(s)->defect = without_rounding(m->gamma - 0.5 + fly_own(s)->d_alpha);
  fly_own(s)->noise_gain = noise_gain(m);
  fly_own(s)->x_constant = state_constant(x);
  fly_own(s)->x_defect = without_rounding(x->theta - 0.5 + fly_own(s)->d_delta);
}

// gamma* = 1 - alpha_m - gamma after a change of step by the factor s: GENALPHA (29).
static double next_gamma(double alpha_m, double alpha_f, double gamma, double ratio) {
  double star = 1 - alpha_m - gamma;
  double below = (alpha_f + ratio * (1 - alpha_f)) * star - alpha_m * (0.5 - alpha_f);
  if (alpha_m == alpha_f || fabs(below) < 1e-12)
    return gamma;
  return 1 - alpha_m - ratio * (1 - alpha_m) * (0.5 - alpha_f) * star / below;
}

static void set_coefficients(fly_solver *s, double h) {
  const fly_newmark *m = &s->o.method;
  const fly_theta *x = &s->o.states;
  fly_attempt *at = &s->at;
  at->h = h;
  at->gamma = m->gamma;
  at->theta = x->theta;
  if (s->o.step_change == FLY_CHANGE_GAMMA && fly_own(s)->mem.h_base > 0) {
    at->gamma = next_gamma(m->alpha_m, m->alpha_f, fly_own(s)->mem.gamma, h / fly_own(s)->mem.h_base);
    at->theta = next_gamma(x->delta_m, x->delta_f, fly_own(s)->mem.theta, h / fly_own(s)->mem.h_base);
  }
  at->coef = (fly_coef){.c_v = h * at->gamma * fly_own(s)->kappa,
                        .c_q = h * h * m->beta * fly_own(s)->kappa,
                        .c_x = h * at->theta * fly_own(s)->kappa_x};
}

// ------------------------------------------------------------------------------------------ start of a step

static bool same_step(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

static bool wants_shift(const fly_solver *s, double h) {
  if (fly_own(s)->mem.h_base == 0)
    return s->o.start == FLY_START_CORRECTED;
  return s->o.step_change == FLY_CHANGE_SHIFT && !same_step(h, fly_own(s)->mem.h_base);
}

// a <- a + d_alpha (h1-h0) v'',  w likewise,  index 3: v <- v_clean + h1^2 offset (N-shift).
static void shift(fly_solver *s, double h) {
  fly_attempt *at = &s->at;
  double da = fly_own(s)->d_alpha * (h - fly_own(s)->mem.h_base),
         dw = fly_own(s)->d_delta * (h - fly_own(s)->mem.h_base);
  for (int i = 0; i < s->e.p.nv; i++)
    at->a0[i] += da * fly_own(s)->jerk.v[i];
  for (int i = 0; i < s->e.p.nx; i++)
    at->w0[i] += dw * fly_own(s)->jerk.x[i];
  for (int i = 0; s->o.formulation == FLY_INDEX3 && s->e.p.ng > 0 && i < s->e.p.nv; i++)
    at->v0[i] = fly_own(s)->jerk.v_clean[i] + h * h * fly_own(s)->jerk.offset[i];
}

// A Taylor term makes sense only while the step resolves the motion: not in a stiff transient.
static bool resolved(const fly_solver *s, double h) {
  if (!fly_own(s)->jerk.trusted)
    return false;
  const double change = h * fly_weighted(s, fly_own(s)->jerk.v);
  return change <= 2 * fly_weighted(s, s->now.vdot) || change <= 2 * (0.1 * fly_weighted(s, s->now.v) / h);
}

void fly_step_begin(fly_solver *s, double h) {
  fly_attempt *at = &s->at;
  const fly_newmark *m = &s->o.method;
  const fly_theta *x = &s->o.states;
  int nv = s->e.p.nv, nx = s->e.p.nx;
  set_coefficients(s, h);
  memcpy(at->v0, fly_own(s)->mem.v, (size_t)nv * sizeof(double));
  memcpy(at->a0, fly_own(s)->mem.a, (size_t)nv * sizeof(double));
  memcpy(at->w0, fly_own(s)->mem.w, (size_t)nx * sizeof(double));
  if (wants_shift(s, h) && (fly_own(s)->jerk.known || fly_find_jerk(s) == FLY_SOLVED) && resolved(s, h)) {
    shift(s, h);
    s->stats.shifts++;
  }
  for (int i = 0; i < nv; i++)
    at->a_past[i] = (m->alpha_f * fly_own(s)->mem.vdot[i] - m->alpha_m * at->a0[i]) / (1 - m->alpha_m);
  for (int i = 0; i < nx; i++)
    at->w_past[i] = (x->delta_f * fly_own(s)->mem.xdot[i] - x->delta_m * at->w0[i]) / (1 - x->delta_m);
  at->end.t = s->now.t + h;
}

// ------------------------------------------------------------------------------------------ unknowns to state

// What a step's formulas make of v' (n numbers): a1, v1 and the increment of positions. eta NULL: 0.
typedef struct formulas {
  double h, kappa, beta, gamma, c_q;
} formulas;

INLINED void expand(const formulas *f, double *restrict a1, double *restrict v1, double *restrict delta,
                    const double *restrict vdot, const double *restrict eta, const double *restrict past,
                    const double *restrict v0, const double *restrict a0, const double *restrict low, int n) {
  const double h = f->h;
  for (int i = 0; i < n; i++) {
    a1[i] = f->kappa * vdot[i] + past[i];
    v1[i] = v0[i] + fly_velocity_increment(h, f->gamma, a0[i], a1[i], low[i]);
    delta[i] = h * v0[i] + h * h * ((0.5 - f->beta) * a0[i] + f->beta * a1[i]);
  }
  for (int i = 0; eta && i < n; i++)
    delta[i] += f->c_q * eta[i];
}

FLY_WIDE static void expand_many(const formulas *f, const fly_attempt *at, const double *eta, const double *low,
                                 int n) {
  expand(f, at->a1, at->v1, at->delta, at->end.vdot, eta, at->a_past, at->v0, at->a0, low, n);
}

void fly_step_expand(fly_solver *s) {
  fly_attempt *at = &s->at;
  const double h = at->h, *low = fly_own(s)->mem.v_low;
  const double *eta = s->step.kind == FLY_MATRIX_GGL ? at->u + s->step.ncore : NULL;
  const formulas f = {h, fly_own(s)->kappa, s->o.method.beta, at->gamma, at->coef.c_q};
  const int nv = s->e.p.nv;
  if (nv >= FLY_MANY)
    expand_many(&f, at, eta, low, nv);
  else
    expand(&f, at->a1, at->v1, at->delta, at->end.vdot, eta, at->a_past, at->v0, at->a0, low, nv);
  fly_eval_plus(&s->e, at->end.q, s->now.q, at->delta);
  for (int i = 0; i < s->e.p.nx; i++) {
    at->w1[i] = fly_own(s)->kappa_x * at->end.xdot[i] + at->w_past[i];
    at->end.x[i] = s->now.x[i] + h * ((1 - at->theta) * at->w0[i] + at->theta * at->w1[i]);
  }
}

// ------------------------------------------------------------------------------------------ residual

// M of the residual form: at q1 as printed in HHT (11a), or at q0 (+) (1-alpha_f) h v0.
static int residual_mass(fly_solver *s, fly_csc *M) {
  if (s->o.form == FLY_FORM_RESIDUAL_PRINTED)
    return 0;
  fly_attempt *at = &s->at;
  double *delta = s->work;
  for (int i = 0; i < s->e.p.nv; i++)
    delta[i] = (1 - s->o.method.alpha_f) * at->h * at->v0[i];
  fly_eval_plus(&s->e, s->side.q, s->now.q, delta);
  int n = fly_csc_nnz(&s->e.M);
  memset(at->M_values, 0, (size_t)n * sizeof(double));
  M->val = at->M_values;
  int code = s->e.p.mass(M->val, s->now.t + (1 - s->o.method.alpha_f) * at->h, s->side.q, s->e.p.user);
  return fly_eval_note(&s->e, "mass", code, M->val, n);
}

// Residual form: M a1 and the share of the forces at the start.
static int add_inertia(fly_solver *s, double *r) {
  fly_attempt *at = &s->at;
  fly_csc M = s->e.M;
  int code = residual_mass(s, &M);
  double share = 1 / (1 - s->o.method.alpha_f);
  fly_csc_multiply_add(r, &M, share, at->a1);
  for (int i = 0; i < s->e.p.nv; i++)
    r[i] += share * s->o.method.alpha_f * fly_own(s)->mem.p[i];
  return code;
}

// Adds G^T lambda + B^T lambda and M v' to the motion, G v and B v to the velocity rows; stabilized, the rows of the
// projection are M eta + G^T mu.
static int add_products(fly_solver *s, double *velocity) {
  fly_attempt *at = &s->at;
  const fly_eval *e = &s->e;
  int nv = e->p.nv, n = s->step.ncore;
  bool stabilized = s->step.kind == FLY_MATRIX_GGL, accelerations = s->o.form == FLY_FORM_ACCELERATION;
  double *projection = stabilized ? at->r + n : NULL;
  if (e->p.ng > 0)
    fly_csc_multiply_all(&e->G, velocity, at->v1, at->r, at->end.lambda, projection, at->u + n + nv);
  if (e->p.nb > 0)
    fly_csc_multiply_all(&e->B, velocity + e->p.ng, at->v1, at->r, at->end.lambda + e->p.ng, NULL, NULL);
  if (stabilized && accelerations)
    fly_csc_multiply_symmetric(&e->M, at->r, at->end.vdot, projection, at->u + n);
  else if (accelerations)
    fly_csc_multiply_add(at->r, &e->M, 1.0, at->end.vdot);
  else if (stabilized)
    fly_csc_multiply_add(projection, &e->M, 1.0, at->u + n);
  return accelerations ? 0 : add_inertia(s, at->r);
}

static int constraint_rows(fly_solver *s, const double *velocity) {
  fly_attempt *at = &s->at;
  fly_matrix_kind kind = s->step.kind;
  int nv = s->e.p.nv, ng = s->e.p.ng;
  double *row = at->r + nv;
  for (int i = kind == FLY_MATRIX_INDEX3 ? ng : 0; i < s->e.nl; i++)
    row[i] = velocity[i] / at->coef.c_v;
  if (kind == FLY_MATRIX_INDEX2)
    return 0;
  if (kind == FLY_MATRIX_GGL)
    row = at->r + s->step.ncore + nv;
  int code = fly_eval_constraint(&s->e, row, at->end.t, at->end.q);
  for (int i = 0; i < ng; i++)
    row[i] /= at->coef.c_q;
  return code;
}

int fly_step_residual(fly_solver *s) {
  fly_attempt *at = &s->at;
  int nv = s->e.p.nv, nl = s->e.nl, nx = s->e.p.nx, ny = s->e.p.ny;
  fly_dae_state end = fly_point_state(&at->end);
  int code = fly_eval_kinematics(&s->e, end.t, end.q);
  if (code == 0)
    code = fly_eval_applied(&s->e, at->r, &end);
  if (code == 0)
    code = fly_eval_rates(&s->e, s->rows, end.t, end.q);
  if (code == 0)
    code = add_products(s, s->rows);
  if (code)
    return code;
  for (int i = 0; i < ny; i++)
    at->r[nv + nx + i] += end.y[i];
  memmove(at->r + nv + nl, at->r + nv, (size_t)(nx + ny) * sizeof(double));
  return constraint_rows(s, s->rows);
}

// ------------------------------------------------------------------------------------------ norms and estimate

// As fly_correction_norm, several velocities at a time: so many of the n. 0: one of them is not finite.
FLY_WIDE static int many_moves(double *largest, double c_q, const double *du, const double *eta, const double *scale,
                               int n) {
  quad most = {0}, odd = {0};
  int done = 0;
  for (; done + FOUR <= n; done += FOUR) {
    quad size = *(const quad *)(du + done), both = {0};
    if (eta)
      both = size + *(const quad *)(eta + done);
    take_size(&size);
    take_size(&both);
    odd += (size + both) * 0.0;
    keep_larger(&size, &both);
    size = c_q * size / *(const quad *)(scale + done);
    keep_larger(&most, &size);
  }
  const bool finite = odd[0] + odd[1] + odd[2] + odd[3] == 0;
  for (int k = 0; k < FOUR && finite; k++)
    *largest = most[k] > *largest ? most[k] : *largest;
  return finite ? done : 0;
}

// A correction of the unknowns as the largest weighted change of positions and states. Stabilized, accelerations are
// asked by themselves too: positions see only their sum with eta.
double fly_correction_norm(const fly_solver *s, const double *du) {
  const fly_dae_problem *p = &s->e.p;
  const double c_q = s->at.coef.c_q, *eta = s->step.kind == FLY_MATRIX_GGL ? du + s->step.ncore : NULL;
  double largest = 0;
  const int done = p->scale_v && p->nv >= FLY_MANY ? many_moves(&largest, c_q, du, eta, p->scale_v, p->nv) : 0;
  for (int i = done; i < p->nv; i++) {
    double change = fabs(du[i]), both = eta ? fabs(du[i] + eta[i]) : 0.0;
    largest = fly_larger(largest, c_q * fly_larger(change, both) / (p->scale_v ? p->scale_v[i] : 1.0));
  }
  const double *dx = du + p->nv + s->e.nl;
  for (int i = 0; i < p->nx; i++) {
    largest = fly_larger(largest, s->at.coef.c_x * fabs(dx[i]) / (p->scale_x ? p->scale_x[i] : 1.0));
  }
  return largest;
}

FLY_WIDE static void times_difference(double *restrict out, double factor, const double *restrict a,
                                      const double *restrict b, int n) {
  for (int i = 0; i < n; i++)
    out[i] = factor * (a[i] - b[i]);
}

// h^3 E = h^2 constant (a1-a0) + h^3/12 w x w' on rotations (N-error), in s->work (nv). Where round-off was taken out
// of v' in index 3, a still has it, and in the constrained directions v1'-v0' stands in for a1-a0: both are h v''.
// First-order members lag behind by
// h^2 defect (v1' - v' at the start), whatever its sign (N-lag-error).
static void position_error(fly_solver *s) {
  fly_attempt *at = &s->at;
  double h = at->h, c = fly_own(s)->error_constant * h * h;
  if (at->cleaned)
    for (int i = 0; i < s->e.p.nv; i++)
      s->work[i] = c * (at->end.vdot[i] - s->now.vdot[i] + at->carried[i]);
  else
    times_difference(s->work, c, at->a1, at->a0, s->e.p.nv);
  const double twelfth = h * h * h / 12;
  for (int k = 0; k < s->e.p.nrotation; k++) {
    int i = s->e.p.rotation_v[k];
    double cross[3];
    fly_cross(cross, at->v1 + i, at->end.vdot + i);
    for (int j = 0; j < 3; j++)
      s->work[i + j] += twelfth * cross[j];
  }
  for (int i = 0; i < s->e.p.nv && fly_own(s)->defect != 0; i++)
    s->work[i] =
        fabs(s->work[i]) + fabs(fly_own(s)->defect) * h * h * (fabs(at->end.vdot[i]) + fabs(fly_own(s)->start_vdot[i]));
}

static double state_error(const fly_solver *s, int i) {
  const fly_attempt *at = &s->at;
  double h = at->h, e = fabs(fly_own(s)->x_defect) * h * fabs(at->w1[i] - at->w0[i]);
  e += fabs(fly_own(s)->x_constant) * h * h * h * fabs(fly_history_state_curvature(s, i));
  return e / (s->e.p.scale_x ? s->e.p.scale_x[i] : 1.0);
}

double fly_state_estimate(const fly_solver *s) {
  double estimate = 0;
  for (int i = 0; i < s->e.p.nx; i++)
    estimate = fmax(estimate, state_error(s, i));
  return estimate;
}

double fly_step_estimate(fly_solver *s) {
  s->at.constrained = 0;
  position_error(s);
  return fmax(fly_weighted(s, s->work), fly_state_estimate(s));
}
