// The equations of the three stages, and simplified Newton in the coordinates in which they fall into a real and a
// complex system of the problem's own size (RI-newton).
#include <float.h>
#include <math.h>
#include <string.h>

#include "dae/outcome.h"
#include "dae/radau.h"
#include "math/largest.h"
#include "math/so3.h"

static const double ROUNDED = 4.0; // corrections of so many rounding errors are at round-off
static const int ROUNDING_SAMPLES = 2;
static const double STAGNANT = 1e3;       // corrections that stop shrinking may be so many times what is tolerated
static const double FIRST_RATE = 0.3;     // assumed where no contraction has been seen yet
static const double LEAST_RATE = 1e-2;    // ... or only in another step: the next one may bend more
static const double RENEW_RATE = 0.3;     // kept matrices that contract worse are renewed at once,
static const double SLOW_RATE = 0.05;     // and those in the next step
static const double BETWEEN = 0.5;        // error of dense output over that of the step (RI-dense); 0.16 at least
static const double ESTIMATE_GAIN = 12.0; // (RI-estimate); 5.6 is exact for a small oscillation
static const double STATE_GAIN = 60.0;    // the same for states, and between the ends of a step
static const double LOADS_LEFT = 1e-7;    // of the largest load of a stiff joint, by the iteration
static const double ROUGH = 4.0;          // what makes one gain the other where steps are not smooth
static const double KINK_STEP = 1e-2;     // of the recent steps: shorter ones have a jump before them
static const double VELOCITY_TIME = 0.1;  // of the time left: an error of v is one of q after it

// ------------------------------------------------------------------------------------------ the table

static double complex cross_entry(double complex a, double complex b, double complex c, double complex d) {
  return a * d - b * c;
}

// Eigenvector of A: the cross product of two rows of A - eigenvalue.
static void eigenvector(double complex w[3], const fly_radau_table *t, double complex eigenvalue) {
  double complex a[3], b[3];
  for (int j = 0; j < 3; j++) {
    a[j] = t->A[0][j] - (j == 0 ? eigenvalue : 0);
    b[j] = t->A[1][j] - (j == 1 ? eigenvalue : 0);
  }
  w[0] = cross_entry(a[1], a[2], b[1], b[2]);
  w[1] = cross_entry(a[2], a[0], b[2], b[0]);
  w[2] = cross_entry(a[0], a[1], b[0], b[1]);
  double complex last = w[2];
  for (int j = 0; j < 3; j++)
    w[j] /= last;
}

// Wi = W^-1 by cofactors.
static void invert(fly_radau_table *t) {
  double det = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      t->Wi[j][i] = t->W[a][c] * t->W[b][d] - t->W[a][d] * t->W[b][c];
    }
  for (int j = 0; j < 3; j++)
    det += t->W[0][j] * t->Wi[j][0];
  for (int k = 0; k < 9; k++)
    t->Wi[k / 3][k % 3] /= det;
}

void fly_radau_table_make(fly_radau_table *t) {
  const double r = sqrt(6.0), root9 = cbrt(9.0), root81 = cbrt(81.0);
  *t = (fly_radau_table){.c = {(4 - r) / 10, (4 + r) / 10, 1},
                         .A = {{(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225},
                               {(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225},
                               {(16 - r) / 36, (16 + r) / 36, 1.0 / 9}},
                         .gamma0 = (6 + root81 - root9) / 30};
  double complex eigen = fly_complex((12 - root81 + root9) / 60, (root81 + root9) * sqrt(3.0) / 60);
  t->eigen = conj(eigen); // A (Re w, Im w) (a, b) = (Re w, Im w) times conj(eigenvalue) (a + i b)
  double complex real[3], pair[3];
  eigenvector(real, t, t->gamma0);
  eigenvector(pair, t, eigen);
  for (int i = 0; i < 3; i++) {
    t->W[i][0] = creal(real[i]);
    t->W[i][1] = creal(pair[i]);
    t->W[i][2] = cimag(pair[i]);
  }
  invert(t);
  const double e[] = {t->gamma0 / 3 * (-13 - 7 * r), t->gamma0 / 3 * (-13 + 7 * r), -t->gamma0 / 3};
  for (int j = 0; j < 3; j++)
    t->embedded[j] = e[0] * t->A[0][j] + e[1] * t->A[1][j] + e[2] * t->A[2][j];
}

// ------------------------------------------------------------------------------------------ residuals

// u becomes M u.
static void multiply3(const double M[9], double u[3]) {
  double a = u[0], b = u[1], c = u[2];
  for (int i = 0; i < 3; i++)
    u[i] = M[3 * i] * a + M[3 * i + 1] * b + M[3 * i + 2] * c;
}

// out = start + h sum a_ij K_j over `count` numbers from `first` on.
static void integrate(const fly_radau *r, double *out, int stage, const double *start, int first, int count) {
  const double *a = r->table.A[stage];
  const double *K0 = r->K[0] + first, *K1 = r->K[1] + first, *K2 = r->K[2] + first;
  for (int i = 0; i < count; i++)
    out[i] = (start ? start[i] : 0.0) + r->h * (a[0] * K0[i] + a[1] * K1[i] + a[2] * K2[i]);
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
      s->now.t + r->table.c[stage] * r->h, r->q, r->v[stage], K, lambda, r->x, xdot, xdot + p->nx, NULL};
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
static void solve_real(fly_radau *r, double *b) {
  fly_solver *s = r->solver;
  int nv = s->e.p.nv, ncore = s->step.ncore;
  double c = r->h_factored * r->table.gamma0, *eta = b + ncore;
  for (int i = 0; i < s->e.nl; i++)
    b[nv + i] /= c;
  for (int i = ncore; i < ncore + nv; i++)
    b[i] /= c;
  for (int i = ncore + nv; i < r->n; i++)
    b[i] /= c * c;
  fly_lu_solve(s->step.lu, b);
  for (int i = ncore; i < r->n; i++)
    b[i] *= c;
  for (int i = 0; i < nv; i++)
    eta[i] += c * b[i];
  for (int k = 0; k < s->e.p.nrotation; k++) {
    multiply3(s->step.T + 9 * k, eta + s->e.p.rotation_v[k]);
    multiply3(r->Ti + 9 * k, eta + s->e.p.rotation_v[k]);
  }
}

static void solve_complex(fly_radau *r, double complex *b) {
  fly_solver *s = r->solver;
  const fly_dae_problem *p = &s->e.p;
  int nv = p->nv, ncore = s->step.ncore;
  double complex c = r->h_factored * r->table.eigen, over = 1 / c, *eta = b + ncore;
  for (int i = 0; i < s->e.nl; i++)
    b[nv + i] *= over;
  for (int i = ncore; i < ncore + nv; i++)
    b[i] *= over;
  for (int i = ncore + nv; i < r->n; i++)
    b[i] *= over * over;
  fly_complex_lu_solve(r->lu, b);
  for (int i = ncore; i < r->n; i++)
    b[i] *= c;
  for (int i = 0; i < nv; i++)
    eta[i] += c * b[i];
  for (int k = 0; k < p->nrotation; k++) {
    const double complex *S = r->S + 9 * k;
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
  const double c = r->h * r->table.gamma0;
  const double size = c * fmax(fly_weighted(s, b + s->step.ncore), r->h * fly_weighted(s, b));
  if (!(size > to->rounded))
    return;
  to->rounded = size;
  for (int i = 0; i < s->e.p.nv; i++) {
    to->v[i] = c * b[i];
    to->q[i] = c * b[s->step.ncore + i] + r->h * to->v[i];
  }
}

// How far rounding errors of the constraints move positions and velocities through the matrix. Near a singular position
// that is many times further than elsewhere, and no iteration gets closer (docs/theory/control.md, C-amplified).
static void find_rounding(fly_radau *r) {
  fly_solver *s = r->solver;
  int nv = s->e.p.nv, ng = s->e.p.ng, nl = s->e.nl, ncore = s->step.ncore;
  double *b = s->at.du, *row = s->rows2, position, velocity, c = r->h * r->table.gamma0;
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
    solve_real(r, b);
    r->rounding_q = fmax(r->rounding_q, c * fmax(fly_weighted(s, b + ncore), weighted_states(s, b + nv + nl)));
    r->rounding_v = fmax(r->rounding_v, r->h * c * fly_weighted(s, b));
    keep_shaken(r, b);
  }
}

static fly_outcome factored(fly_status status) {
  return status == FLY_OK ? FLY_SOLVED : status == FLY_NO_MEMORY ? FLY_OUT_OF_MEMORY : FLY_NO_FACTOR;
}

// Both matrices for this step, at the predicted second stage: it is nearer to all three than the start is, and large
// rotations in a step make that worth it.
static fly_outcome renew(fly_radau *r) {
  fly_solver *s = r->solver;
  const fly_dae_problem *p = &s->e.p;
  double c = r->h * r->table.gamma0;
  double complex cz = r->h * r->table.eigen;
  fly_dae_state at = expand(r, 1);
  r->factored = false;
  fly_outcome outcome = outcome_of(fly_eval_jacobian(&s->e, &at));
  if (outcome)
    return outcome;
  for (int k = 0; k < p->nrotation; k++) {
    int i = p->rotation_v[k];
    fly_radau_turning(r->S + 9 * k, c, r->omega + i);
    for (int j = 0; j < 9; j++)
      s->step.T[9 * k + j] = creal(r->S[9 * k + j]);
    fly_radau_turning(r->S + 9 * k, cz, r->omega + i);
    fly_so3_tangent(r->T + 9 * k, r->theta[1] + i);
    fly_so3_tangent_inverse(r->Ti + 9 * k, r->theta[1] + i);
  }
  memcpy(r->J0, s->e.J[0].val, (size_t)fly_csc_nnz(&s->e.J[0]) * sizeof *r->J0);
  fly_find_held(s, r->h, r->J0, r->rows, r->core, r->held);
  fly_find_rough(s, r->rough);
  const fly_coef coef = {c, c * c, c};
  fly_step_matrix_fill_turned(&s->step, &s->e, &coef);
  outcome = factored(fly_lu_factor(s->step.lu, &s->step.a));
  if (outcome)
    return outcome;
  fly_step_matrix_fill_complex(r->val, &s->step, &s->e, cz, r->S);
  outcome = factored(fly_complex_lu_factor(r->lu, r->val));
  r->factored = outcome == FLY_SOLVED;
  r->h_factored = r->h;
  r->t_factored = s->now.t;
  r->rate = 0;
  if (r->factored)
    find_rounding(r);
  return outcome;
}

fly_lu_counts fly_radau_count(const fly_solver *s) {
  const fly_radau *r = s->own;
  const fly_lu_counts list[] = {fly_lu_count(s->step.lu), fly_lu_count(r->kkt.lu), fly_complex_lu_count(r->lu)};
  fly_lu_counts sum = {0};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    sum.factorizations += list[k].factorizations;
    sum.refactorizations += list[k].refactorizations;
    sum.solves += list[k].solves;
  }
  return sum;
}

// ------------------------------------------------------------------------------------------ Newton

// What counts as converged: tolerances of positions and states, and of velocities times h.
typedef struct tolerance {
  double position, velocity;
} tolerance;

// Largest change of the stages' positions, velocities and states by corrections dK, which lie in R; in units of what is
// tolerated.
static double correction_norm(const fly_radau *r, const tolerance *allowed) {
  const fly_solver *s = r->solver;
  const fly_dae_problem *p = &s->e.p;
  const fly_radau_table *t = &r->table;
  double largest = 0;
  for (int k = 0; k < 2 * p->nv + p->nx; k++) {
    bool position = k < p->nv, velocity = !position && k < 2 * p->nv;
    int i = position ? k : velocity ? k - p->nv : k - 2 * p->nv;
    int at = position ? s->step.ncore + i : velocity ? i : p->nv + s->e.nl + i;
    const double *scales = k < 2 * p->nv ? p->scale_v : p->scale_x;
    double weight = r->h * (velocity ? r->h / allowed->velocity : 1.0 / allowed->position) / (scales ? scales[i] : 1.0);
    for (int j = 0; j < FLY_STAGES; j++) {
      double d = weight * fabs(t->A[j][0] * r->R[0][at] + t->A[j][1] * r->R[1][at] + t->A[j][2] * r->R[2][at]);
      largest = fly_larger(largest, d);
    }
  }
  return largest;
}

// dK = -J^-1 R, in place of R.
static void correct(fly_radau *r) {
  const fly_radau_table *t = &r->table;
  double *b = r->solver->at.du, **R = r->R;
  double complex *z = r->z;
  for (int i = 0; i < r->n; i++) {
    b[i] = -(t->Wi[0][0] * R[0][i] + t->Wi[0][1] * R[1][i] + t->Wi[0][2] * R[2][i]);
    z[i] = -fly_complex(t->Wi[1][0] * R[0][i] + t->Wi[1][1] * R[1][i] + t->Wi[1][2] * R[2][i],
                        t->Wi[2][0] * R[0][i] + t->Wi[2][1] * R[1][i] + t->Wi[2][2] * R[2][i]);
  }
  solve_real(r, b);
  solve_complex(r, z);
  for (int j = 0; j < FLY_STAGES; j++)
    for (int i = 0; i < r->n; i++)
      R[j][i] = t->W[j][0] * b[i] + t->W[j][1] * creal(z[i]) + t->W[j][2] * cimag(z[i]);
}

// What is left of the iteration is small beside the error a step may make, but not below round-off. Fixed steps are
// asked for to see the formulas, not the corrector.
static tolerance newton_tolerance(const fly_radau *r) {
  const fly_solver *s = r->solver;
  double share = s->o.error_per == FLY_PER_RUN ? r->h / (s->t_end - s->t0) : 1.0;
  double wanted = s->o.step > 0 ? 0.0 : s->o.newton_factor * s->o.error * share;
  return (tolerance){fmax(ROUNDED * r->rounding_q, wanted), fmax(ROUNDED * r->rounding_v, wanted) + DBL_MIN};
}

static fly_outcome residuals(fly_radau *r) {
  fly_outcome outcome = FLY_SOLVED;
  for (int j = 0; j < FLY_STAGES && outcome == FLY_SOLVED; j++)
    outcome = outcome_of(residual(r, j));
  return outcome;
}

static void apply(fly_radau *r) {
  for (int j = 0; j < FLY_STAGES; j++)
    for (int i = 0; i < r->n; i++)
      r->K[j][i] += r->R[j][i];
}

// The largest that a stage of a stiff joint carries: what all of them are measured by.
static double largest_load(const fly_radau *r, int first) {
  double largest = 0;
  for (int j = 0; j < FLY_STAGES; j++)
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
  for (int j = 0; j < FLY_STAGES; j++)
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
    if (rounded || (size * rate <= 1 - rate && loads_arrived(r, rate / (1 - rate))))
      return FLY_SOLVED;
    last = size;
  }
  return FLY_UNSOLVED;
}

static void integrate_corrections(const fly_radau *r, double *out, int first, double share) {
  const double *w = r->table.A[FLY_STAGES - 1];
  for (int i = 0; i < r->solver->e.p.nv; i++)
    out[i] = share * r->h * (w[0] * r->R[0][first + i] + w[1] * r->R[1][first + i] + w[2] * r->R[2][first + i]);
}

// Near a singular position the matrices change with the way in units of the distance to it, and contract in one
// direction like the way times how much they amplify there (RI-kept). Corrections in that direction may be so small
// beside the others that no rate shows it.
static double weakest_rate(const fly_radau *r, double time) {
  const fly_solver *s = r->solver;
  return s->e.nl == 0 ? 0 : time * fly_weighted(s, s->now.v) * r->rounding_q / fly_round_off(s);
}

static bool fits_here(const fly_radau *r) { return weakest_rate(r, r->solver->now.t - r->t_factored) <= RENEW_RATE; }

// What the last correction, of the third stage, which is the end of the step, has left.
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
  bool kept = r->factored && r->h == r->h_factored && r->rate <= SLOW_RATE && fits_here(r);
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

// Weight of the last step's stage j at its time 1 + s, in units of that step.
static double extrapolate(const double c[FLY_STAGES], int j, double s) {
  double w = 1;
  for (int k = 0; k < FLY_STAGES; k++)
    if (k != j)
      w *= (1 + s - c[k]) / (c[j] - c[k]);
  return w;
}

// Derivatives and multipliers continue the polynomials of the last step, or are constant after a start. The positions'
// follow from the velocities, as if nothing had to be projected: theta' = T(theta)^-1 v. from: where the step begins,
// in the last one: 1 at its end.
void fly_radau_predict(fly_radau *r, double from) {
  fly_solver *s = r->solver;
  const fly_dae_problem *p = &s->e.p;
  int nv = p->nv, nl = s->e.nl, ncore = s->step.ncore;
  for (int i = 0; i < FLY_STAGES; i++) {
    double *K = r->K[i], w[FLY_STAGES];
    memset(K, 0, (size_t)r->n * sizeof *K);
    if (s->h_last > 0) {
      for (int j = 0; j < FLY_STAGES; j++)
        w[j] = extrapolate(r->table.c, j, from - 1 + r->table.c[i] * r->h / s->h_last);
      for (int k = 0; k < ncore; k++)
        K[k] = w[0] * r->K_last[0][k] + w[1] * r->K_last[1][k] + w[2] * r->K_last[2][k];
    } else {
      memcpy(K, s->now.vdot, (size_t)nv * sizeof *K);
      memcpy(K + nv, s->now.lambda, (size_t)nl * sizeof *K);
      memcpy(K + nv + nl, s->now.xdot, (size_t)p->nx * sizeof *K);
      memcpy(K + nv + nl + p->nx, s->now.y, (size_t)p->ny * sizeof *K);
    }
  }
  for (int sweep = 0; sweep < (p->nrotation > 0 ? 4 : 1); sweep++) {
    for (int i = 0; i < FLY_STAGES; i++) {
      integrate_velocities(r, i);
      integrate_positions(r, i);
    }
    for (int i = 0; i < FLY_STAGES; i++) {
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

// ------------------------------------------------------------------------------------------ error

// raw = gamma0 h u0' + h sum embedded_j K_j over `count` numbers from `first` on.
static void embedded_difference(const fly_radau *r, double *raw, const double *rate, int first, int count) {
  const double *w = r->table.embedded;
  for (int i = 0; i < count; i++)
    raw[i] = r->h * (r->table.gamma0 * rate[i] + w[0] * r->K[0][first + i] + w[1] * r->K[1][first + i] +
                     w[2] * r->K[2][first + i]);
}

// raw becomes (F_u' + c F_u)^-1 F_u' raw: stiff components and the constraints' directions are damped (RI-filter).
static void filter(fly_radau *r) {
  fly_solver *s = r->solver;
  const fly_eval *e = &s->e;
  int nv = e->p.nv, nl = e->nl, nx = e->p.nx, ncore = s->step.ncore;
  double c = r->h_factored * r->table.gamma0, *b = s->at.du;
  fly_csc J0 = e->J[0];
  J0.val = r->J0;
  memset(r->core, 0, (size_t)e->ncol * sizeof *r->core);
  memset(r->rows, 0, (size_t)e->nrow * sizeof *r->rows);
  memset(b, 0, (size_t)r->n * sizeof *b);
  for (int i = 0; i < nv; i++)
    r->core[i] = r->v_raw[i] / c;
  for (int i = 0; i < nx; i++)
    r->core[nv + nl + i] = r->x_raw[i] / c;
  fly_csc_multiply_add(r->rows, &J0, 1.0, r->core);
  fly_csc_multiply_add(r->rows, &e->M, 1.0, r->core);
  memcpy(b, r->rows, (size_t)nv * sizeof *b);
  memcpy(b + nv + nl, r->rows + nv, (size_t)(nx + e->p.ny) * sizeof *b);
  for (int k = 0; k < e->p.nrotation; k++)
    multiply3(r->T + 9 * k, r->theta_raw + e->p.rotation_v[k]);
  fly_csc_multiply_add(b + ncore, &e->M, 1.0 / c, r->theta_raw);
  solve_real(r, b);
  for (int i = 0; i < nv; i++) {
    r->v_raw[i] = c * b[i];
    r->theta_raw[i] = c * b[ncore + i];
  }
  for (int i = 0; i < nx; i++)
    r->x_raw[i] = c * b[nv + nl + i];
}

// Of one component: the embedded difference is a fourth derivative, the variation of the stages' derivatives a second
// one; the error of the method is what comes two derivatives further (RI-estimate).
static double component(const fly_radau *r, double difference, int at, double gain) {
  double variation = r->h * (fabs(r->K[2][at] - r->K[1][at]) + fabs(r->K[1][at] - r->K[0][at]));
  double d = fabs(difference);
  const double rough = STATE_GAIN * d; // how far from smooth: a jump inside the step makes it as large as the variation
  if (!(rough < variation))
    return d;
  const double factor = gain * d / variation * (1 + ROUGH * rough / variation * rough / variation);
  return d * fmin(factor, 1.0);
}

bool fly_radau_is_short(const fly_radau *r) { return r->h < KINK_STEP * r->h_recent; }

// For how long errors of velocities move positions. Where steps become much shorter than they were just before,
// something jumps: a velocity errs there by h times the jump, and so does its share of the error, so that no h would be
// small enough. There h alone counts, which lets it pass at h = eps/(T jump): its error then is one share of the run.
static double travel_time(const fly_radau *r) {
  const fly_solver *s = r->solver;
  return fly_radau_is_short(r) ? r->h : fmax(r->h, VELOCITY_TIME * (s->t_end - s->now.t));
}

// A step may be so short, where it crawls over a kink, that its share of the error is less than the rounding of a
// state: that is in the estimate then, and no step has less.
static double state_error(const fly_radau *r, int i) {
  const fly_solver *s = r->solver;
  const double d = component(r, r->x_raw[i], s->e.p.nv + s->e.nl + i, STATE_GAIN);
  return d <= ROUNDED * DBL_EPSILON * fabs(s->now.x[i]) ? 0.0 : d;
}

// What rounding errors of the stages' derivatives make of an embedded difference, weighted. It goes with h, as a step's
// share of the error does: no step would be short enough.
static double rounding_from(const fly_radau *r, int first) {
  double largest = 0;
  for (int j = 0; j < FLY_STAGES; j++)
    largest = fmax(largest, fly_weighted(r->solver, r->K[j] + first));
  return ROUNDED * DBL_EPSILON * r->h * largest;
}

// Of the positions, or of the velocities, from `first` among the unknowns on.
static double weighted_part(const fly_radau *r, const double *raw, int first, double gain) {
  const fly_dae_problem *p = &r->solver->e.p;
  const double rounding = rounding_from(r, first);
  double largest = 0;
  for (int i = 0; i < p->nv; i++) {
    const double d = component(r, raw[i], first + i, gain) / (p->scale_v ? p->scale_v[i] : 1.0);
    if (!(d <= rounding))
      largest = fly_larger(largest, d);
  }
  return largest;
}

// Largest weighted error of positions, also those that velocities make in the time left, and of states.
static double weighted_error(const fly_radau *r, bool velocities) {
  const fly_solver *s = r->solver;
  const fly_dae_problem *p = &s->e.p;
  const double gain = velocities ? ESTIMATE_GAIN : STATE_GAIN;
  double largest = weighted_part(r, r->theta_raw, s->step.ncore, gain);
  const double travelled = velocities ? travel_time(r) * weighted_part(r, r->v_raw, 0, gain) : 0.0;
  largest = fly_larger(largest, travelled);
  for (int i = 0; i < p->nx; i++) {
    double d = state_error(r, i) / (p->scale_x ? p->scale_x[i] : 1.0);
    largest = fly_larger(largest, d);
  }
  return largest;
}

// Driven positions have no error at the ends of a step, but between them: there the difference counts as it is.
double fly_radau_estimate(fly_radau *r, bool again) {
  const fly_solver *s = r->solver;
  if (!again) {
    embedded_difference(r, r->theta_raw, s->now.v, s->step.ncore, s->e.p.nv);
    embedded_difference(r, r->v_raw, s->now.vdot, 0, s->e.p.nv);
    embedded_difference(r, r->x_raw, s->now.xdot, s->e.p.nv + s->e.nl, s->e.p.nx);
    r->between = BETWEEN * weighted_error(r, false);
  }
  filter(r);
  return weighted_error(r, true);
}

// Where a motion has a kink in a high derivative, the estimate, which knows smooth ones, does not tell how far the
// polynomial between the ends is off. The constraints do: what they are missed by, taken through the matrix.
double fly_radau_gap(fly_radau *r) {
  fly_solver *s = r->solver;
  const int first = s->step.ncore + s->e.p.nv;
  double *b = s->at.du;
  fly_radau_middle(r, r->q);
  memset(b, 0, (size_t)r->n * sizeof *b);
  if (s->e.p.ng == 0 || fly_eval_constraint(&s->e, b + first, s->now.t + 0.5 * r->h, r->q))
    return 0;
  solve_real(r, b);
  return r->h_factored * r->table.gamma0 * fly_weighted(s, b + s->step.ncore);
}
