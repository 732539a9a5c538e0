// The equations of the stages, and simplified Newton in the coordinates in which they fall into a real system and one
// or two complex ones of the problem's own size (RI-newton).
#include <float.h>
#include <math.h>
#include <string.h>

#include "dae/outcome.h"
#include "dae/radau.h"
#include "math/largest.h"
#include "math/so3.h"

static const double ROUNDED = 4.0; // corrections of so many rounding errors are at round-off
static const int ROUNDING_SAMPLES = 2;
static const double LEFT = 1e-2;       // of that may be left: errors of one sign add up, where those of rounding do not
static const int MORE = 2;             // iterations for it, at most
static const double STAGNANT = 1e3;    // corrections that stop shrinking may be so many times what is tolerated
static const double FIRST_RATE = 0.3;  // assumed where no contraction has been seen yet
static const double LEAST_RATE = 1e-2; // ... or only in another step: the next one may bend more
static const double RENEW_RATE = 0.3;  // kept matrices that contract worse are renewed at once,
static const double SLOW_RATE = 0.05;  // and those in the next step
static const double LOADS_LEFT = 1e-7; // of the largest load of a stiff joint, by the iteration

// ------------------------------------------------------------------------------------------ residuals

// u becomes M u.
static void multiply3(const double M[9], double u[3]) {
  double a = u[0], b = u[1], c = u[2];
  for (int i = 0; i < 3; i++)
    u[i] = M[3 * i] * a + M[3 * i + 1] * b + M[3 * i + 2] * c;
}

// out = start + h sum a_ij K_j over `count` numbers from `first` on.
static void integrate(const fly_radau *r, double *out, int stage, const double *start, int first, int count) {
  fly_radau_sum(out, fly_radau_now(r)->A[stage], r->K, r->stages, first, count);
  for (int i = 0; i < count; i++)
    out[i] = (start ? start[i] : 0.0) + r->h * out[i];
}

static void integrate_positions(const fly_radau *r, int stage) {
  integrate(r, r->theta[stage], stage, NULL, r->solver->step.ncore, r->solver->e.p.nv);
}

static void integrate_velocities(const fly_radau *r, int stage) {
  integrate(r, r->v[stage], stage, r->solver->now.v, 0, r->solver->e.p.nv);
}

// q, x and v of a stage, and omega = T(theta) theta'.
static fly_dae_state expand(fly_radau *r, int stage) {
  const fly_solver *s = r->solver;
  const fly_dae_problem *p = &s->e.p;
  const double *K = r->K[stage];
  integrate_positions(r, stage);
  integrate_velocities(r, stage);
  integrate(r, r->x, stage, s->now.x, p->nv + s->e.nl, p->nx);
  fly_eval_plus(&s->e, r->q, s->now.q, r->theta[stage]);
  memcpy(r->omega, K + s->step.ncore, (size_t)p->nv * sizeof *r->omega);
  for (int k = 0; k < p->nrotation; k++) {
    int i = p->rotation_v[k];
    double T[9];
    fly_so3_tangent(T, r->theta[stage] + i);
    multiply3(T, r->omega + i);
  }
  const double *lambda = K + p->nv, *xdot = lambda + s->e.nl;
  return (fly_dae_state){
      s->now.t + fly_radau_now(r)->c[stage] * r->h, r->q, r->v[stage], K, lambda, r->x, xdot, xdot + p->nx, NULL};
}

// (RI-stage): rows of motion, velocity constraints, states, outputs, projection M (omega - v) + G^T mu, positions.
static int residual(fly_radau *r, int stage) {
  fly_eval *e = &r->solver->e;
  const fly_dae_problem *p = &e->p;
  int nv = p->nv, ng = p->ng, ncore = r->solver->step.ncore;
  double *R = r->R[stage], *projection = R + ncore;
  fly_dae_state at = expand(r, stage);
  int code = fly_eval_motion(e, R, &at);
  if (code)
    return code;
  memmove(R + nv + e->nl, R + nv, (size_t)(p->nx + p->ny) * sizeof *R);
  code = fly_eval_constraint(e, projection + nv, at.t, at.q);
  if (code == 0 && e->nl > 0)
    code = fly_eval_velocity_rows(e, R + nv, at.t, at.q, at.v);
  if (code)
    return code;
  memset(projection, 0, (size_t)nv * sizeof *R);
  for (int i = 0; i < nv; i++)
    r->omega[i] -= at.v[i];
  fly_csc_multiply_add(projection, &e->M, 1.0, r->omega);
  if (ng)
    fly_csc_multiply_transposed_add(projection, &e->G, 1.0, r->K[stage] + ncore + nv);
  return 0;
}

// ------------------------------------------------------------------------------------------ matrices

// (1 - c/2 [w] + c^2/4 w w^T) / (1 + c^2/4 w.w) (RI-chart)
void fly_radau_turning(double complex S[9], double complex c, const double w[3]) {
  double complex a = 0.5 * c, scale = 1 / (1 + a * a * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
  const double skew[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
  for (int i = 0; i < 9; i++)
    S[i] = scale * ((i % 4 == 0) - a * skew[i] + a * a * (w[i / 3] * w[i % 3]));
}

// Position rows are divided by c^2, velocity rows and the projection by c, as the matrix has them; back, eta and mu are
// multiplied by c, and theta' = c T^-1 S (v' + eta).
void fly_radau_solve_real(fly_radau *r, double *b) {
  fly_solver *s = r->solver;
  int nv = s->e.p.nv, ncore = s->step.ncore;
  double c = r->h_factored * fly_radau_now(r)->gamma0, *eta = b + ncore;
  for (int i = 0; i < s->e.nl; i++)
    b[nv + i] /= c;
  for (int i = ncore; i < ncore + nv; i++)
    b[i] /= c;
  for (int i = ncore + nv; i < r->n; i++)
    b[i] /= c * c;
  fly_step_matrix_solve(&s->step, b);
  for (int i = ncore; i < r->n; i++)
    b[i] *= c;
  for (int i = 0; i < nv; i++)
    eta[i] += c * b[i];
  for (int k = 0; k < s->e.p.nrotation; k++) {
    multiply3(s->step.T + 9 * k, eta + s->e.p.rotation_v[k]);
    multiply3(r->Ti + 9 * k, eta + s->e.p.rotation_v[k]);
  }
}

static void solve_complex(fly_radau *r, int pair, double complex *b) {
  fly_solver *s = r->solver;
  const fly_dae_problem *p = &s->e.p;
  int nv = p->nv, ncore = s->step.ncore;
  double complex c = r->h_factored * fly_radau_now(r)->eigen[pair], over = 1 / c, *eta = b + ncore;
  for (int i = 0; i < s->e.nl; i++)
    b[nv + i] *= over;
  for (int i = ncore; i < ncore + nv; i++)
    b[i] *= over;
  for (int i = ncore + nv; i < r->n; i++)
    b[i] *= over * over;
  memcpy(r->wide, b, (size_t)r->n * sizeof *b);
  memset(r->wide + r->n, 0, (size_t)s->step.loads * sizeof *b);
  fly_complex_lu_solve(r->lu[pair], r->wide);
  memcpy(b, r->wide, (size_t)r->n * sizeof *b);
  for (int i = ncore; i < r->n; i++)
    b[i] *= c;
  for (int i = 0; i < nv; i++)
    eta[i] += c * b[i];
  for (int k = 0; k < p->nrotation; k++) {
    const double complex *S = r->S[pair] + 9 * k;
    const double *Ti = r->Ti + 9 * k;
    double complex *o = eta + p->rotation_v[k], u[3];
    for (int i = 0; i < 3; i++)
      u[i] = S[3 * i] * o[0] + S[3 * i + 1] * o[1] + S[3 * i + 2] * o[2];
    for (int i = 0; i < 3; i++)
      o[i] = Ti[3 * i] * u[0] + Ti[3 * i + 1] * u[1] + Ti[3 * i + 2] * u[2];
  }
}

static void row_maxima(double *row, const fly_csc *a) {
  for (int k = 0; k < fly_csc_nnz(a); k++)
    row[a->row[k]] = fmax(row[a->row[k]], fabs(a->val[k]));
}

static double weighted_states(const fly_solver *s, const double *x) {
  double largest = 0;
  for (int i = 0; i < s->e.p.nx; i++)
    largest = fmax(largest, fabs(x[i]) / (s->e.p.scale_x ? s->e.p.scale_x[i] : 1.0));
  return largest;
}

// b = S^-1 of some rounding errors: kept if it moves positions further than those before. An error of velocities moves
// what is between the ends of a step, too.
static void keep_shaken(fly_radau *r, const double *b) {
  fly_solver *s = r->solver;
  fly_shaken *to = &s->shaken;
  const double c = r->h * fly_radau_now(r)->gamma0;
  const double size = c * fmax(fly_weighted(s, b + s->step.ncore), r->h * fly_weighted(s, b));
  if (!(size > to->rounded))
    return;
  to->rounded = size;
  for (int i = 0; i < s->e.p.nv; i++) {
    to->v[i] = c * b[i];
    to->q[i] = c * b[s->step.ncore + i] + r->h * to->v[i];
  }
}

// b = S^-1 b, and what it moves counts as rounding.
static void shake(fly_radau *r, double *b) {
  fly_solver *s = r->solver;
  const double c = r->h * fly_radau_now(r)->gamma0;
  fly_radau_solve_real(r, b);
  r->rounding_q =
      fmax(r->rounding_q, c * fmax(fly_weighted(s, b + s->step.ncore), weighted_states(s, b + s->e.p.nv + s->e.nl)));
  r->rounding_v = fmax(r->rounding_v, r->h * c * fly_weighted(s, b));
}

// Of a joint that gives way the load y = k g + d G v is rounded with the positions, and a step that is stiff in it
// makes velocities of what that is over the step: as little as no iteration gets closer to (RI-rough).
static void find_rounding_of_loads(fly_radau *r) {
  fly_solver *s = r->solver;
  const int first = s->e.p.nv + s->e.nl + s->e.p.nx;
  double *b = s->at.du;
  uint32_t random = 1;
  bool any = false;
  for (int i = 0; i < s->e.p.ny; i++)
    any = any || r->held[i];
  for (int k = 0; k < ROUNDING_SAMPLES && any; k++) {
    memset(b, 0, (size_t)r->n * sizeof *b);
    for (int i = 0; i < s->e.p.ny; i++)
      b[first + i] = r->held[i] ? fly_next_random(&random) * r->rough[i] / ROUNDED : 0;
    shake(r, b);
  }
}

// How far rounding errors of the constraints move positions and velocities through the matrix. Near a singular position
// that is many times further than elsewhere, and no iteration gets closer (docs/theory/control.md, C-amplified).
static void find_rounding(fly_radau *r) {
  fly_solver *s = r->solver;
  int nv = s->e.p.nv, ng = s->e.p.ng, nl = s->e.nl, ncore = s->step.ncore;
  double *b = s->at.du, *row = s->rows2, position, velocity;
  uint32_t random = 1;
  fly_rounding(s, &position, &velocity);
  double smallest = HUGE_VAL;
  for (int i = 0; i < nv; i++) { // from rest it is the accelerations that make velocities
    velocity = fmax(velocity, 2 * DBL_EPSILON * r->h * fabs(s->now.vdot[i]));
    smallest = fmin(smallest, s->e.p.scale_v ? s->e.p.scale_v[i] : 1.0);
  }
  r->rounding_q = fly_round_off(s);
  r->rounding_free = velocity / smallest;
  r->rounding_v = r->h * r->rounding_free;
  memset(row, 0, (size_t)nl * sizeof *row);
  row_maxima(row, &s->e.G);
  row_maxima(row + ng, &s->e.B);
  s->shaken.rounded = 0;
  for (int k = 0; k < ROUNDING_SAMPLES && nl > 0; k++) {
    memset(b, 0, (size_t)r->n * sizeof *b);
    for (int i = 0; i < nl; i++)
      b[nv + i] = fly_next_random(&random) * row[i] * velocity;
    for (int i = 0; i < ng; i++)
      b[ncore + nv + i] = fly_next_random(&random) * row[i] * position;
    shake(r, b);
    keep_shaken(r, b);
  }
  find_rounding_of_loads(r);
}

static fly_outcome factored(fly_status status) {
  return status == FLY_OK ? FLY_SOLVED : status == FLY_NO_MEMORY ? FLY_OUT_OF_MEMORY : FLY_NO_FACTOR;
}

// What rotations need of the place at which the derivatives were taken, which is expanded.
static void turn(fly_radau *r, int stage) {
  fly_solver *s = r->solver;
  const fly_radau_table *t = fly_radau_now(r);
  for (int k = 0; k < s->e.p.nrotation; k++) {
    const int i = s->e.p.rotation_v[k];
    fly_radau_turning(r->S[0] + 9 * k, r->h * t->gamma0, r->omega + i);
    for (int j = 0; j < 9; j++)
      s->step.T[9 * k + j] = creal(r->S[0][9 * k + j]);
    for (int pair = 0; pair < t->pairs; pair++)
      fly_radau_turning(r->S[pair] + 9 * k, r->h * t->eigen[pair], r->omega + i);
    fly_so3_tangent(r->T + 9 * k, r->theta[stage] + i);
    fly_so3_tangent_inverse(r->Ti + 9 * k, r->theta[stage] + i);
  }
}

static fly_outcome factor(fly_radau *r) {
  fly_solver *s = r->solver;
  const fly_radau_table *t = fly_radau_now(r);
  const double c = r->h * t->gamma0;
  const fly_coef coef = {c, c * c, c};
  fly_step_matrix_fill_turned(&s->step, &s->e, &coef);
  fly_outcome outcome = factored(fly_lu_factor(s->step.lu, &s->step.a));
  for (int pair = 0; pair < t->pairs && outcome == FLY_SOLVED; pair++) {
    fly_step_matrix_fill_complex(r->val[pair], &s->step, &s->e, r->h * t->eigen[pair], r->S[pair]);
    outcome = factored(fly_complex_lu_factor(r->lu[pair], r->val[pair]));
  }
  return outcome;
}

// All matrices for this step, at the predicted stage in its middle: it is nearer to all of them than the start is, and
// large rotations in a step make that worth it.
static fly_outcome renew(fly_radau *r) {
  fly_solver *s = r->solver;
  const int middle = r->stages / 2;
  fly_dae_state at = expand(r, middle);
  r->factored = false;
  fly_outcome outcome = outcome_of(fly_eval_jacobian(&s->e, &at));
  if (outcome)
    return outcome;
  turn(r, middle);
  memcpy(r->J0, s->e.J[0].val, (size_t)fly_csc_nnz(&s->e.J[0]) * sizeof *r->J0);
  fly_find_held(s, r->h, r->J0, r->rows, r->core, r->held);
  fly_find_rough(s, r->rough);
  fly_leaps_note_states(s);
  outcome = factor(r);
  r->factored = outcome == FLY_SOLVED;
  r->h_factored = r->h;
  r->stages_factored = r->stages;
  r->t_factored = s->now.t;
  r->rate = 0;
  if (r->factored)
    find_rounding(r);
  return outcome;
}

fly_lu_counts fly_radau_count(const fly_solver *s) {
  const fly_radau *r = s->own;
  const fly_lu_counts list[] = {fly_lu_count(s->step.lu), fly_lu_count(r->kkt.lu), fly_complex_lu_count(r->lu[0]),
                                r->lu[1] ? fly_complex_lu_count(r->lu[1]) : (fly_lu_counts){0}};
  fly_lu_counts sum = {0};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    fly_lu_counts_add(&sum, list[k]);
  return sum;
}

// ------------------------------------------------------------------------------------------ Newton

// What counts as converged: tolerances of positions and states, and of velocities times h; and the part of both that
// may be left where they are those of round-off.
typedef struct tolerance {
  double position, velocity, left;
} tolerance;

// Largest change of the stages' positions, velocities and states by corrections dK, which lie in R; in units of what is
// tolerated.
static double correction_norm(const fly_radau *r, const tolerance *allowed) {
  const fly_solver *s = r->solver;
  const fly_dae_problem *p = &s->e.p;
  const fly_radau_table *t = fly_radau_now(r);
  double largest = 0;
  for (int k = 0; k < 2 * p->nv + p->nx; k++) {
    bool position = k < p->nv, velocity = !position && k < 2 * p->nv;
    int i = position ? k : velocity ? k - p->nv : k - 2 * p->nv;
    int at = position ? s->step.ncore + i : velocity ? i : p->nv + s->e.nl + i;
    const double *scales = k < 2 * p->nv ? p->scale_v : p->scale_x;
    double weight = r->h * (velocity ? r->h / allowed->velocity : 1.0 / allowed->position) / (scales ? scales[i] : 1.0);
    for (int j = 0; j < r->stages; j++) {
      double d;
      fly_radau_sum(&d, t->A[j], r->R, r->stages, at, 1);
      largest = fly_larger(largest, weight * fabs(d));
    }
  }
  return largest;
}

// R becomes (V (x) 1) R.
static void transform(fly_radau *r, const double V[FLY_STAGES][FLY_STAGES]) {
  for (int i = 0; i < r->n; i++) {
    double u[FLY_STAGES] = {0};
    for (int j = 0; j < r->stages; j++)
      u[j] = r->R[j][i];
    for (int j = 0; j < r->stages; j++) {
      const double sum = V[j][0] * u[0] + V[j][1] * u[1] + V[j][2] * u[2];
      r->R[j][i] = r->stages == 3 ? sum : sum + V[j][3] * u[3] + V[j][4] * u[4];
    }
  }
}

// dK = -J^-1 R, in place of R.
static void correct(fly_radau *r) {
  const fly_radau_table *t = fly_radau_now(r);
  transform(r, t->Wi);
  for (int i = 0; i < r->n; i++)
    r->R[0][i] = -r->R[0][i];
  fly_radau_solve_real(r, r->R[0]);
  for (int pair = 0; pair < t->pairs; pair++) {
    double *re = r->R[2 * pair + 1], *im = r->R[2 * pair + 2];
    for (int i = 0; i < r->n; i++)
      r->z[i] = -fly_complex(re[i], im[i]);
    solve_complex(r, pair, r->z);
    for (int i = 0; i < r->n; i++) {
      re[i] = creal(r->z[i]);
      im[i] = cimag(r->z[i]);
    }
  }
  transform(r, t->W);
}

// What is left of the iteration is small beside the error a step may make, but not below round-off. Fixed steps are
// asked for to see the formulas, not the corrector.
static tolerance newton_tolerance(const fly_radau *r) {
  const fly_solver *s = r->solver;
  double share = s->o.error_per == FLY_PER_RUN ? r->h / (s->t_end - s->t0) : 1.0;
  const double wanted = s->o.step > 0 ? 0.0 : s->o.newton_factor * s->o.error * share;
  const double position = fmax(ROUNDED * r->rounding_q, wanted);
  const double velocity = fmax(ROUNDED * r->rounding_v, wanted) + DBL_MIN;
  // where forces have kinks the ends of iterations are as they were (docs/theory/radau.md)
  const double least = s->e.p.nrelation + s->e.p.nroot + s->e.p.ny > 0 ? 1.0 : LEFT;
  return (tolerance){position, velocity, fmax(least, wanted / fmax(position, velocity))};
}

static fly_outcome residuals(fly_radau *r) {
  fly_outcome outcome = FLY_SOLVED;
  for (int j = 0; j < r->stages && outcome == FLY_SOLVED; j++)
    outcome = outcome_of(residual(r, j));
  return outcome;
}

static void apply(fly_radau *r) {
  for (int j = 0; j < r->stages; j++)
    for (int i = 0; i < r->n; i++)
      r->K[j][i] += r->R[j][i];
}

// The largest that a stage of a stiff joint carries: what all of them are measured by.
static double largest_load(const fly_radau *r, int first) {
  double largest = 0;
  for (int j = 0; j < r->stages; j++)
    for (int i = 0; i < r->solver->e.p.ny; i++)
      largest = r->held[i] ? fmax(largest, fabs(r->K[j][first + i])) : largest;
  return largest;
}

// Loads of stiff joints that depend on each other move nothing, so that positions do not show whether they have
// arrived: they are asked themselves, down to what the rounding of positions does to them (N-rough).
static bool loads_arrived(const fly_radau *r, double to_come) {
  const fly_solver *s = r->solver;
  const int first = s->e.p.nv + s->e.nl + s->e.p.nx;
  const double enough = LOADS_LEFT * largest_load(r, first);
  for (int j = 0; j < r->stages; j++)
    for (int i = 0; i < s->e.p.ny; i++)
      if (r->held[i] && !(to_come * fabs(r->R[j][first + i]) <= fmax(enough, r->rough[i])))
        return false;
  return true;
}

// Stops when what is still to come, size rate/(1 - rate), is tolerated, or when round-off keeps corrections from
// shrinking.
static fly_outcome iterate(fly_radau *r, bool kept) {
  fly_solver *s = r->solver;
  const tolerance allowed = newton_tolerance(r);
  int more = 0;
  double last = 0, rate = r->rate > 0 ? fmin(fmax(r->rate, LEAST_RATE), FIRST_RATE) : FIRST_RATE;
  for (r->iterations = 1; r->iterations <= s->o.newton_max; r->iterations++) {
    fly_outcome outcome = residuals(r);
    if (outcome)
      return outcome;
    correct(r);
    s->stats.newton_iterations++;
    double size = correction_norm(r, &allowed);
    if (!isfinite(size))
      return FLY_UNSOLVED;
    bool first = r->iterations == 1, rounded = !first && size > 0.5 * last && size <= STAGNANT;
    if (!first && !rounded)
      rate = r->rate = r->iterations == 2 ? size / last : sqrt(rate * size / last);
    if (r->iterations > 2 && rate >= 1)
      return FLY_UNSOLVED;
    apply(r);
    if (kept && r->iterations > 1 && rate > RENEW_RATE)
      return FLY_UNSOLVED;
    const double left = size * rate / (1 - rate);
    const bool close = rate < 1 && left <= 1 && loads_arrived(r, rate / (1 - rate));
    if (rounded || (close && (left <= allowed.left || more++ == MORE || r->iterations == s->o.newton_max)))
      return FLY_SOLVED;
    last = size;
  }
  return FLY_UNSOLVED;
}

static void integrate_corrections(const fly_radau *r, double *out, int first, double share) {
  fly_radau_sum(out, fly_radau_now(r)->A[r->stages - 1], r->R, r->stages, first, r->solver->e.p.nv);
  for (int i = 0; i < r->solver->e.p.nv; i++)
    out[i] = share * r->h * out[i];
}

// Near a singular position the matrices change with the way in units of the distance to it, and contract in one
// direction like the way times how much they amplify there (RI-kept). Corrections in that direction may be so small
// beside the others that no rate shows it.
static double weakest_rate(const fly_radau *r, double time) {
  const fly_solver *s = r->solver;
  return s->e.nl == 0 ? 0 : time * fly_weighted(s, s->now.v) * r->rounding_q / fly_round_off(s);
}

static bool fits_here(const fly_radau *r) { return weakest_rate(r, r->solver->now.t - r->t_factored) <= RENEW_RATE; }

// What the last correction, of the last stage, which is the end of the step, has left.
void fly_radau_leave(fly_radau *r) {
  fly_solver *s = r->solver;
  fly_shaken *to = &s->shaken;
  const double rate = fmin(fmax(r->rate, weakest_rate(r, r->h)), 0.5), share = rate / (1 - rate);
  integrate_corrections(r, to->q_left, s->step.ncore, share);
  integrate_corrections(r, to->v_left, 0, share);
  for (int i = 0; i < s->e.p.nv; i++) // moves what is between the ends of the step, too
    to->q_left[i] += r->h * to->v_left[i];
  to->left = fmax(fly_weighted(s, to->q_left), r->h * fly_weighted(s, to->v_left));
}

fly_outcome fly_radau_solve(fly_radau *r) {
  bool kept =
      r->factored && r->h == r->h_factored && r->stages == r->stages_factored && r->rate <= SLOW_RATE && fits_here(r);
  fly_outcome outcome = kept ? FLY_SOLVED : renew(r);
  if (outcome == FLY_SOLVED)
    outcome = iterate(r, kept);
  if (outcome == FLY_UNSOLVED && kept) {
    if (!(r->rate < 1)) // else it has come closer
      fly_radau_predict(r, 1);
    outcome = renew(r);
    if (outcome == FLY_SOLVED)
      outcome = iterate(r, false);
  }
  if (outcome != FLY_SOLVED)
    r->factored = false;
  return outcome;
}

// ------------------------------------------------------------------------------------------ prediction

// Weights of the last step's stages at its time 1 + s, in units of that step.
static void extrapolate(double *w, const fly_radau_table *t, double s) {
  for (int j = 0; j < t->stages; j++) {
    w[j] = 1;
    for (int k = 0; k < t->stages; k++)
      if (k != j)
        w[j] *= (1 + s - t->c[k]) / (t->c[j] - t->c[k]);
  }
}

// Derivatives and multipliers continue the polynomials of the last step, or are constant after a start. Then states are
// constant: in a step that is stiff in them their rates lead far away, and so would derivatives of there. The
// positions' follow from the velocities, as if nothing had to be projected: theta' = T(theta)^-1 v. from: where the
// step begins, in the last one: 1 at its end.
void fly_radau_predict(fly_radau *r, double from) {
  fly_solver *s = r->solver;
  const fly_dae_problem *p = &s->e.p;
  const fly_radau_table *last = fly_radau_of(r, r->stages_last);
  int nv = p->nv, nl = s->e.nl, ncore = s->step.ncore;
  for (int i = 0; i < r->stages; i++) {
    double *K = r->K[i], w[FLY_STAGES];
    memset(K, 0, (size_t)r->n * sizeof *K);
    if (s->h_last > 0) {
      extrapolate(w, last, from - 1 + fly_radau_now(r)->c[i] * r->h / s->h_last);
      fly_radau_sum(K, w, r->K_last, last->stages, 0, ncore);
    } else {
      memcpy(K, s->now.vdot, (size_t)nv * sizeof *K);
      memcpy(K + nv, s->now.lambda, (size_t)nl * sizeof *K);
      memcpy(K + nv + nl + p->nx, s->now.y, (size_t)p->ny * sizeof *K);
    }
  }
  for (int sweep = 0; sweep < (p->nrotation > 0 ? 4 : 1); sweep++) {
    for (int i = 0; i < r->stages; i++) {
      integrate_velocities(r, i);
      integrate_positions(r, i);
    }
    for (int i = 0; i < r->stages; i++) {
      double *rate = r->K[i] + ncore;
      memcpy(rate, r->v[i], (size_t)nv * sizeof *rate);
      for (int k = 0; k < p->nrotation; k++) {
        int at = p->rotation_v[k];
        double Ti[9];
        fly_so3_tangent_inverse(Ti, r->theta[i] + at);
        multiply3(Ti, rate + at);
      }
    }
  }
}
