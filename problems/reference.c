#include "reference.h"
#include "build.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 8 }; // of the extrapolation table: midpoint rules with 2, 4, ... 16 substeps, order 16

struct fly_reference {
  fly_dae_problem p;
  int nc, ne, nu, nz; // rows of C; rows of the equations nv+nx+ny; unknowns ne+nc; numbers of the motion (q, v, x)
  double tolerance, length, step;

  double t;
  double *z;       // motion (q, v, x) at t (nz)
  double *rate;    // its derivative (nz)
  double *u;       // v', lambda, x', y at t (nu)
  double *u_stage; // and inside a step (nu)

  double *M, *C;          // mass (nv*nv) and constraint matrix [G; B] (nc*nv), column by column
  double *A;              // matrix of the unknowns, then its factors (nu*nu)
  int *pivot;             // (nu)
  double *values;         // of a pattern (largest number of entries)
  double *J[3];           // of the jacobian callback ((nv+nx+ny) * nu)
  double *r;              // right-hand side (nu)
  double *work[6];        // scratch (nu or nz, the larger)
  double *table[COLUMNS]; // extrapolation (nz)
  double *size;           // largest |z| so far (nz)
  double magnitude;       // largest term of the equations of motion
  double *memory;         // all of the above
  fly_error error;
};

// ---------------------------------------------------------------------------------------------- dense elimination

// Factors A (n*n, by columns) in place with row interchanges. False if singular.
static bool factor(double *A, int *pivot, int n) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[k * n + i]) > fabs(A[k * n + best]))
        best = i;
    pivot[k] = best;
    if (!(fabs(A[k * n + best]) > 0))
      return false;
    for (int j = 0; j < n && best != k; j++) {
      const double swap = A[j * n + k];
      A[j * n + k] = A[j * n + best];
      A[j * n + best] = swap;
    }
    for (int i = k + 1; i < n; i++)
      A[k * n + i] /= A[k * n + k];
    for (int j = k + 1; j < n; j++) {
      const double a = A[j * n + k];
      for (int i = k + 1; i < n && a != 0; i++)
        A[j * n + i] -= A[k * n + i] * a;
    }
  }
  return true;
}

static void solve(double *b, const double *A, const int *pivot, int n) {
  for (int k = 0; k < n; k++) {
    const double swap = b[k];
    b[k] = b[pivot[k]];
    b[pivot[k]] = swap;
  }
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++)
      b[i] -= A[k * n + i] * b[k];
  for (int k = n - 1; k >= 0; k--) {
    b[k] /= A[k * n + k];
    for (int i = 0; i < k; i++)
      b[i] -= A[k * n + i] * b[k];
  }
}

static double largest(const double *a, int n) {
  double size = 0;
  for (int i = 0; i < n; i++)
    size = fmax(size, fabs(a[i]));
  return size;
}

// ---------------------------------------------------------------------------------------------- positions

// The rotation whose velocities start at v[iv], or -1.
static int rotation_at(const fly_dae_problem *p, int iv) {
  for (int i = 0; i < p->nrotation; i++)
    if (p->rotation_v[i] == iv)
      return i;
  return -1;
}

// out = p (0, w)/2, the rate of a quaternion.
static void quaternion_rate(double out[4], const double p[4], const double w[3]) {
  out[0] = -(p[1] * w[0] + p[2] * w[1] + p[3] * w[2]) / 2;
  out[1] = (p[0] * w[0] + p[2] * w[2] - p[3] * w[1]) / 2;
  out[2] = (p[0] * w[1] + p[3] * w[0] - p[1] * w[2]) / 2;
  out[3] = (p[0] * w[2] + p[1] * w[1] - p[2] * w[0]) / 2;
}

static void normalize(double p[4]) {
  const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
  for (int i = 0; i < 4; i++)
    p[i] /= length;
}

// A place among the positions: where it is in q and in v; a rotation has 4 and 3 numbers there, else 1 and 1.
typedef struct place {
  int iq, iv;
  bool turn;
} place;

static place first_place(const fly_dae_problem *p) { return (place){0, 0, rotation_at(p, 0) >= 0}; }

static place next_place(const fly_dae_problem *p, place at) {
  at.iq += at.turn ? 4 : 1;
  at.iv += at.turn ? 3 : 1;
  at.turn = rotation_at(p, at.iv) >= 0;
  return at;
}

static void positions_rate(double *qdot, const fly_dae_problem *p, const double *q, const double *v) {
  for (place at = first_place(p); at.iv < p->nv; at = next_place(p, at))
    if (at.turn)
      quaternion_rate(qdot + at.iq, q + at.iq, v + at.iv);
    else
      qdot[at.iq] = v[at.iv];
}

// q (+) by * v, to the second order in rotations, normalized: for small increments.
static void positions_move(double *out, const fly_dae_problem *p, const double *q, const double *v, double by) {
  for (place at = first_place(p); at.iv < p->nv; at = next_place(p, at)) {
    if (!at.turn) {
      out[at.iq] = q[at.iq] + by * v[at.iv];
      continue;
    }
    double rate[4], second[4], moved[4];
    quaternion_rate(rate, q + at.iq, v + at.iv);
    quaternion_rate(second, rate, v + at.iv);
    for (int k = 0; k < 4; k++)
      moved[k] = q[at.iq + k] + by * rate[k] + by * by / 2 * second[k];
    normalize(moved);
    memcpy(out + at.iq, moved, sizeof moved);
  }
}

static void normalize_rotations(double *q, const fly_dae_problem *p) {
  for (int i = 0; i < p->nrotation; i++)
    normalize(q + p->rotation_q[i]);
}

// ---------------------------------------------------------------------------------------------- the problem's terms

// Number of values of a pattern.
static size_t entries(const fly_pattern *pattern, int rows, int cols) {
  return pattern->start ? (size_t)pattern->start[cols] : (size_t)rows * (size_t)cols;
}

// Writes values of a pattern into rows first, first+1, ... of a matrix with `rows` rows, column by column.
static void put(double *A, int rows, int first, const double *values, const fly_pattern *pattern, int height,
                int cols) {
  for (int c = 0; c < cols; c++)
    if (!pattern->start)
      memcpy(A + c * rows + first, values + c * height, (size_t)height * sizeof *A);
    else
      for (int k = pattern->start[c]; k < pattern->start[c + 1]; k++)
        A[c * rows + first + pattern->row[k]] = values[k];
}

// Calls a callback that gives a matrix and puts it into A. Returns what the callback returns.
static int put_matrix(fly_reference *s, double *A, int rows, int first, fly_position_fn *fn, const fly_pattern *pattern,
                      int height, double t, const double *q) {
  const int cols = s->p.nv;
  memset(s->values, 0, entries(pattern, height, cols) * sizeof *s->values);
  const int status = fn(s->values, t, q, s->p.user);
  put(A, rows, first, s->values, pattern, height, cols);
  return status;
}

static int find_mass(fly_reference *s, double t, const double *q) {
  memset(s->M, 0, (size_t)(s->p.nv * s->p.nv) * sizeof *s->M);
  return put_matrix(s, s->M, s->p.nv, 0, s->p.mass, &s->p.mass_pattern, s->p.nv, t, q);
}

// C = [G; B]
static int find_constraints(fly_reference *s, double *C, double t, const double *q) {
  const fly_dae_problem *p = &s->p;
  int status = 0;
  memset(C, 0, (size_t)(s->nc * p->nv) * sizeof *C);
  if (p->ng > 0)
    status = put_matrix(s, C, s->nc, 0, p->constraint_jacobian, &p->constraint_pattern, p->ng, t, q);
  if (p->nb > 0 && status == 0)
    status = put_matrix(s, C, s->nc, p->ng, p->nonholonomic, &p->nonholonomic_pattern, p->nb, t, q);
  return status;
}

// g_t by differences of fourth order.
static int rate_differences(fly_reference *s, double *g_t, double t, const double *q) {
  const fly_dae_problem *p = &s->p;
  const double h = 1e-3 * s->length, weight[4] = {1, -8, 8, -1};
  int status = 0;
  memset(g_t, 0, (size_t)p->ng * sizeof *g_t);
  for (int k = 0; k < 4 && status == 0; k++) {
    status = p->constraint(s->values, t + (k < 2 ? k - 2 : k - 1) * h, q, p->user);
    for (int i = 0; i < p->ng; i++)
      g_t[i] += weight[k] * s->values[i] / (12 * h);
  }
  return status;
}

// c = (g_t, b), the part of (g', B v + b) that is not C v.
static int find_rates(fly_reference *s, double *c, double t, const double *q) {
  const fly_dae_problem *p = &s->p;
  int status = 0;
  memset(c, 0, (size_t)s->nc * sizeof *c);
  if (p->ng > 0)
    status = p->constraint_rate ? p->constraint_rate(c, t, q, p->user) : rate_differences(s, c, t, q);
  if (p->nb > 0 && p->nonholonomic_rate && status == 0)
    status = p->nonholonomic_rate(c + p->ng, t, q, p->user);
  return status;
}

// r = C v + c. Uses s->C.
static int find_velocity_residual(fly_reference *s, double *r, double t, const double *q, const double *v) {
  int status = find_rates(s, r, t, q);
  if (status == 0)
    status = find_constraints(s, s->C, t, q);
  for (int j = 0; j < s->p.nv; j++)
    for (int i = 0; i < s->nc; i++)
      r[i] += s->C[j * s->nc + i] * v[j];
  return status;
}

// gamma by fourth-order differences of C v + c along the motion with constant v.
static int gamma_differences(fly_reference *s, double *gamma, double t, const double *q, const double *v) {
  const double weight[4] = {1, -8, 8, -1};
  double speed = 1 / s->length, *moved = s->work[0], *value = s->work[1];
  int status = 0;
  for (int i = 0; i < s->p.nv; i++)
    speed = fmax(speed, fabs(v[i]));
  const double h = 1e-3 / speed;
  memset(gamma, 0, (size_t)s->nc * sizeof *gamma);
  for (int k = 0; k < 4 && status == 0; k++) {
    const double by = (k < 2 ? k - 2 : k - 1) * h;
    positions_move(moved, &s->p, q, v, by);
    status = find_velocity_residual(s, value, t + by, moved, v);
    for (int i = 0; i < s->nc; i++)
      gamma[i] += weight[k] * value[i] / (12 * h);
  }
  return status;
}

static int find_gamma(fly_reference *s, double *gamma, double t, const double *q, const double *v) {
  const fly_dae_problem *p = &s->p;
  if ((p->ng > 0 && !p->constraint_gamma) || (p->nb > 0 && !p->nonholonomic_gamma))
    return gamma_differences(s, gamma, t, q, v);
  int status = 0;
  if (p->ng > 0)
    status = p->constraint_gamma(gamma, t, q, v, p->user);
  if (p->nb > 0 && status == 0)
    status = p->nonholonomic_gamma(gamma + p->ng, t, q, v, p->user);
  return status;
}

// ---------------------------------------------------------------------------------------------- index 1

// The motion z and the unknowns u as callbacks see them.
static fly_dae_state state_of(const fly_reference *s, double t, const double *z, const double *u) {
  const fly_dae_problem *p = &s->p;
  return (fly_dae_state){.t = t,
                         .q = z,
                         .v = z + p->nq,
                         .x = z + p->nq + p->nv,
                         .vdot = u,
                         .lambda = u + p->nv,
                         .xdot = u + p->nv + s->nc,
                         .y = u + p->nv + s->nc + p->nx};
}

// r = (M v' + C^T lambda - f, d, y - h). Uses s->M, s->C.
static int find_equations(fly_reference *s, double *r, const fly_dae_state *at) {
  const fly_dae_problem *p = &s->p;
  const int nv = p->nv;
  memset(r, 0, (size_t)s->ne * sizeof *r);
  int status = p->force(r, at, p->user);
  s->magnitude = largest(r, nv);
  for (int i = 0; i < nv; i++) {
    r[i] = -r[i];
    for (int k = 0; k < s->nc; k++)
      r[i] += s->C[i * s->nc + k] * at->lambda[k];
  }
  s->magnitude = fmax(s->magnitude, largest(r, nv));
  for (int j = 0; j < nv; j++)
    for (int i = 0; i < nv; i++)
      r[i] += s->M[j * nv + i] * at->vdot[j];
  if (p->nx > 0 && status == 0)
    status = p->states(r + nv, at, p->user);
  if (p->ny > 0 && status == 0)
    status = p->outputs(r + nv + p->nx, at, p->user);
  for (int i = 0; i < p->ny; i++)
    r[nv + p->nx + i] = at->y[i] - r[nv + p->nx + i];
  return status;
}

// d(equations)/du by central differences into A, which already has all of M, C^T and the 1 of y.
static int unknowns_differences(fly_reference *s, double *A, const fly_dae_state *at, double *u) {
  double *plus = s->work[0], *minus = s->work[1];
  int status = 0;
  for (int j = 0; j < s->nu && status == 0; j++) {
    const double keep = u[j], h = 1e-6 * fmax(1, fabs(keep));
    u[j] = keep + h;
    status = find_equations(s, plus, at);
    u[j] = keep - h;
    if (status == 0)
      status = find_equations(s, minus, at);
    u[j] = keep;
    for (int i = 0; i < s->ne; i++)
      A[j * s->nu + i] = (plus[i] - minus[i]) / (2 * h);
  }
  return status;
}

// Matrix of the unknowns: rows (equations, C v' + gamma).
static int find_matrix(fly_reference *s, const fly_dae_state *at, double *u) {
  const fly_dae_problem *p = &s->p;
  const int n = s->nu, nv = p->nv;
  const size_t bytes = entries(&p->jacobian_pattern, s->ne, n) * sizeof(double);
  int status = 0;
  memset(s->A, 0, (size_t)(n * n) * sizeof *s->A);
  if (p->jacobian) {
    for (int k = 0; k < 3; k++)
      memset(s->J[k], 0, bytes);
    status = p->jacobian(s->J[0], s->J[1], s->J[2], at, p->user);
    put(s->A, n, 0, s->J[0], &p->jacobian_pattern, s->ne, n);
    for (int j = 0; j < nv; j++) {
      for (int i = 0; i < nv; i++)
        s->A[j * n + i] += s->M[j * nv + i];
      for (int k = 0; k < s->nc; k++)
        s->A[(nv + k) * n + j] += s->C[j * s->nc + k];
    }
    for (int i = 0; i < p->ny; i++)
      s->A[(n - p->ny + i) * n + nv + p->nx + i] += 1;
  } else {
    status = unknowns_differences(s, s->A, at, u);
  }
  for (int j = 0; j < nv; j++)
    for (int k = 0; k < s->nc; k++)
      s->A[j * n + s->ne + k] = s->C[j * s->nc + k];
  return status;
}

static fly_status fail(fly_reference *s, double t, fly_status status, const char *what) {
  fly_problem_fail(&s->error, status, "The reference solution fails at t = %.9g s: %s.", t, what);
  s->error.time = t;
  return status;
}

static fly_status fail_callback(fly_reference *s, double t) {
  return fail(s, t, FLY_CALLBACK, "a callback of the problem reports an error");
}

// One Newton correction of u with the factors at hand. Returns its size relative to u, largest of (v'), (lambda), ...
static double correct(fly_reference *s, double *u) {
  const int end[4] = {s->p.nv, s->p.nv + s->nc, s->p.nv + s->nc + s->p.nx, s->nu};
  double worst = 0;
  solve(s->r, s->A, s->pivot, s->nu);
  for (int k = 0, i = 0; k < 4; k++) {
    double change = 0, size = DBL_MIN;
    for (; i < end[k]; i++) {
      u[i] -= s->r[i];
      change = fmax(change, fabs(s->r[i]));
      size = fmax(size, fabs(u[i]));
    }
    worst = fmax(worst, change / size);
  }
  return worst;
}

// Finds u = (v', lambda, x', y) at (t, z), from the u that is there, by Newton's iteration; what is linear takes one
// correction and one refinement.
static fly_status find_unknowns(fly_reference *s, double t, const double *z, double *u) {
  const fly_dae_state at = state_of(s, t, z, u);
  double *gamma = s->work[2], last = HUGE_VAL;
  if (find_gamma(s, gamma, t, at.q, at.v) || (!s->p.mass_constant && find_mass(s, t, at.q)) ||
      find_constraints(s, s->C, t, at.q))
    return fail_callback(s, t);
  for (int iteration = 0; iteration < 30; iteration++) {
    if (find_equations(s, s->r, &at))
      return fail_callback(s, t);
    memcpy(s->r + s->ne, gamma, (size_t)s->nc * sizeof *gamma);
    for (int j = 0; j < s->p.nv; j++)
      for (int k = 0; k < s->nc; k++)
        s->r[s->ne + k] += s->C[j * s->nc + k] * u[j];
    if (iteration == 0 || last > 1e-3) {
      if (find_matrix(s, &at, u))
        return fail_callback(s, t);
      if (!factor(s->A, s->pivot, s->nu))
        return fail(s, t, FLY_SINGULAR, "the matrix of the accelerations is singular");
    }
    const double residual = largest(s->r, s->nu), change = correct(s, u);
    const bool converged = change * change <= 1e-16 * last, stalled = change > last / 4;
    if (change == 0 || (iteration > 0 && converged) || (stalled && residual <= 1e-13 * s->magnitude))
      return FLY_OK;
    if (!isfinite(change))
      break;
    last = change;
  }
  return fail(s, t, FLY_NO_CONVERGENCE, "Newton's iteration for the accelerations does not converge");
}

static fly_status find_rate(fly_reference *s, double *rate, double t, const double *z, double *u) {
  const fly_dae_problem *p = &s->p;
  const fly_status status = find_unknowns(s, t, z, u);
  positions_rate(rate, p, z, z + p->nq);
  memcpy(rate + p->nq, u, (size_t)p->nv * sizeof *rate);
  memcpy(rate + p->nq + p->nv, u + p->nv + s->nc, (size_t)p->nx * sizeof *rate);
  return status;
}

// ---------------------------------------------------------------------------------------------- projection

// delta of M delta + D^T mu = 0, D delta = -residual, D the first `rows` rows of C. residual is s->r + nv on entry.
static bool solve_projection(fly_reference *s, int rows) {
  const int nv = s->p.nv, n = nv + rows;
  memset(s->A, 0, (size_t)(n * n) * sizeof *s->A);
  for (int j = 0; j < nv; j++) {
    memcpy(s->A + j * n, s->M + j * nv, (size_t)nv * sizeof *s->A);
    for (int k = 0; k < rows; k++)
      s->A[j * n + nv + k] = s->A[(nv + k) * n + j] = s->C[j * s->nc + k];
  }
  if (!factor(s->A, s->pivot, n))
    return false;
  for (int i = 0; i < n; i++)
    s->r[i] = i < nv ? 0 : -s->r[i];
  solve(s->r, s->A, s->pivot, n);
  return true;
}

// Largest |delta| in the scales of the positions.
static double increment(const fly_reference *s, double unit) {
  double largest = 0;
  for (int i = 0; i < s->p.nv; i++)
    largest = fmax(largest, fabs(s->r[i]) / ((s->p.scale_v ? s->p.scale_v[i] : 1) * unit));
  return isfinite(largest) ? largest : HUGE_VAL;
}

static fly_status project_positions(fly_reference *s, double t, double *q) {
  const fly_dae_problem *p = &s->p;
  double last = HUGE_VAL;
  for (int iteration = 0; iteration < 30 && p->ng > 0; iteration++) {
    if (p->constraint(s->r + p->nv, t, q, p->user) || find_mass(s, t, q) || find_constraints(s, s->C, t, q))
      return fail_callback(s, t);
    if (!solve_projection(s, p->ng))
      return fail(s, t, FLY_REDUNDANT, "constraint rows depend on each other");
    positions_move(q, p, q, s->r, 1);
    const double change = increment(s, 1);
    if (change < 1e-9 && (change < 1e-14 || change > last / 4 || last < 1e-5))
      return FLY_OK;
    last = change;
  }
  return p->ng == 0 ? FLY_OK : fail(s, t, FLY_INCONSISTENT, "the positions cannot be projected onto the constraints");
}

static fly_status project_velocities(fly_reference *s, double t, const double *q, double *v) {
  const fly_dae_problem *p = &s->p;
  for (int iteration = 0; iteration < 2 && s->nc > 0; iteration++) {
    if (find_mass(s, t, q) || find_velocity_residual(s, s->r + p->nv, t, q, v))
      return fail_callback(s, t);
    if (!solve_projection(s, s->nc))
      return fail(s, t, FLY_REDUNDANT, "constraint rows depend on each other");
    for (int i = 0; i < p->nv; i++)
      v[i] += s->r[i];
  }
  return FLY_OK;
}

static fly_status project(fly_reference *s, double t, double *z) {
  normalize_rotations(z, &s->p);
  const fly_status status = project_positions(s, t, z);
  return status == FLY_OK ? project_velocities(s, t, z, z + s->p.nq) : status;
}

// ---------------------------------------------------------------------------------------------- extrapolation

// out: Gragg's modified midpoint rule over H with m substeps.
static fly_status midpoint(fly_reference *s, double *out, double H, int m) {
  const double h = H / m;
  double *a = s->work[3], *b = s->work[4], *rate = s->work[5], *u = s->u_stage;
  fly_status status = FLY_OK;
  memcpy(u, s->u, (size_t)s->nu * sizeof *u);
  for (int i = 0; i < s->nz; i++) {
    a[i] = s->z[i];
    b[i] = a[i] + h * s->rate[i];
  }
  for (int k = 1; k <= m && status == FLY_OK; k++) {
    status = find_rate(s, rate, s->t + k * h, b, u);
    for (int i = 0; i < s->nz && k < m; i++) {
      const double next = a[i] + 2 * h * rate[i];
      a[i] = b[i];
      b[i] = next;
    }
  }
  for (int i = 0; i < s->nz; i++)
    out[i] = (a[i] + b[i] + h * rate[i]) / 2;
  return status;
}

// Difference of the two best values of the table, T(k,k) and T(k,k-1), in units of the tolerance.
static double difference(const fly_reference *s) {
  double largest = 0;
  for (int i = 0; i < s->nz; i++) {
    const double e = fabs(s->table[0][i] - s->table[1][i]) / fmax(s->size[i], fabs(s->table[0][i]));
    if (!isfinite(e))
      return HUGE_VAL;
    largest = fmax(largest, e);
  }
  return largest / s->tolerance;
}

// One step of H into table[0]. *used: columns it took; COLUMNS + 1 if they were not enough.
static fly_status extrapolate(fly_reference *s, double H, int *used) {
  double last = HUGE_VAL;
  for (int k = 0; k < COLUMNS; k++) {
    const fly_status status = midpoint(s, s->table[k], H, 2 * (k + 1));
    if (status != FLY_OK)
      return status;
    for (int j = k - 1; j >= 0; j--) {
      const double ratio = (double)(k + 1) / (j + 1), factor_j = 1 / (ratio * ratio - 1);
      for (int i = 0; i < s->nz; i++)
        s->table[j][i] = s->table[j + 1][i] + (s->table[j + 1][i] - s->table[j][i]) * factor_j;
    }
    const double error = k > 0 ? difference(s) : HUGE_VAL;
    *used = k + 1;
    if (error <= 1 || (error < 100 && error > last / 2)) // or no more to gain: round-off
      return FLY_OK;
    last = error;
  }
  *used = COLUMNS + 1;
  return FLY_OK;
}

static void accept(fly_reference *s, double t) {
  s->t = t;
  memcpy(s->z, s->table[0], (size_t)s->nz * sizeof *s->z);
  for (int i = 0; i < s->nz; i++)
    s->size[i] = fmax(s->size[i], fabs(s->z[i]));
}

// One accepted step towards t, projected. The step for the next one is kept where t cuts this one short.
static fly_status step_towards(fly_reference *s, double t) {
  for (;;) {
    const bool cut = s->t + 1.001 * s->step >= t;
    const double H = cut ? t - s->t : s->step;
    int used = 0;
    fly_status status = extrapolate(s, H, &used);
    if (status != FLY_OK && status != FLY_CALLBACK && status != FLY_NO_CONVERGENCE)
      return status;
    if (status == FLY_OK && used <= COLUMNS) {
      const double factor_H = used < COLUMNS - 1 ? 1.5 : used == COLUMNS ? 0.8 : 1;
      s->step = fmax(cut && factor_H >= 1 ? s->step : 0, H * factor_H);
      accept(s, cut ? t : s->t + H);
      status = project(s, s->t, s->z);
      return status == FLY_OK ? find_rate(s, s->rate, s->t, s->z, s->u) : status;
    }
    s->step = H / 2;
    if (s->t + s->step / 16 <= s->t)
      return status != FLY_OK ? status : fail(s, s->t, FLY_STEP_TOO_SMALL, "the tolerance needs steps below rounding");
  }
}

static void copy(double *out, const double *in, int n) {
  if (out && n > 0)
    memcpy(out, in, (size_t)n * sizeof *out);
}

fly_status fly_reference_at(fly_reference *s, double t, double *q, double *v, double *vdot, double *lambda, double *x,
                            double *y) {
  const fly_dae_problem *p = &s->p;
  if (!(t >= s->t) || !isfinite(t))
    return fail(s, s->t, FLY_BAD_INPUT, "it goes forward only, and an earlier time is asked for");
  while (s->t < t) {
    const fly_status status = step_towards(s, t);
    if (status != FLY_OK)
      return status;
  }
  copy(q, s->z, p->nq);
  copy(v, s->z + p->nq, p->nv);
  copy(x, s->z + p->nq + p->nv, p->nx);
  copy(vdot, s->u, p->nv);
  copy(lambda, s->u + p->nv, s->nc);
  copy(y, s->u + p->nv + s->nc + p->nx, p->ny);
  return FLY_OK;
}

const fly_error *fly_reference_error(const fly_reference *s) { return &s->error; }

// ---------------------------------------------------------------------------------------------- life

static size_t more(size_t a, size_t b) { return a > b ? a : b; }

// Lays out the arrays; without memory it only counts. Returns the number of doubles.
static size_t lay_out(fly_reference *s, double *memory) {
  const fly_dae_problem *p = &s->p;
  const size_t nz = (size_t)s->nz, nu = (size_t)s->nu, nv = (size_t)p->nv, nc = (size_t)s->nc;
  const size_t values =
      more(more(entries(&p->mass_pattern, p->nv, p->nv), nu),
           more(entries(&p->constraint_pattern, p->ng, p->nv), entries(&p->nonholonomic_pattern, p->nb, p->nv)));
  const size_t jacobian = entries(&p->jacobian_pattern, s->ne, s->nu);
  struct {
    double **array;
    size_t count;
  } parts[] = {{&s->z, nz},          {&s->rate, nz},       {&s->size, nz},      {&s->u, nu},          {&s->u_stage, nu},
               {&s->M, nv * nv},     {&s->C, nc * nv},     {&s->A, nu * nu},    {&s->values, values}, {&s->r, nu},
               {&s->J[0], jacobian}, {&s->J[1], jacobian}, {&s->J[2], jacobian}};
  size_t used = 0;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; used += parts[i++].count)
    *parts[i].array = memory ? memory + used : NULL;
  for (int i = 0; i < 6; used += more(nz, nu), i++)
    s->work[i] = memory ? memory + used : NULL;
  for (int i = 0; i < COLUMNS; used += nz, i++)
    s->table[i] = memory ? memory + used : NULL;
  return used;
}

static bool take_memory(fly_reference *s) {
  s->memory = calloc(lay_out(s, NULL) + 1, sizeof *s->memory);
  s->pivot = calloc((size_t)s->nu + 1, sizeof *s->pivot);
  if (s->memory)
    lay_out(s, s->memory);
  return s->memory && s->pivot;
}

// What the error of each number is measured against, at least: a position's scale, or that per run.
static void set_sizes(fly_reference *s) {
  const fly_dae_problem *p = &s->p;
  for (place at = first_place(p); at.iv < p->nv; at = next_place(p, at)) {
    for (int k = 0; k < (at.turn ? 4 : 1); k++)
      s->size[at.iq + k] = at.turn || !p->scale_v ? 1 : p->scale_v[at.iv];
    for (int k = 0; k < (at.turn ? 3 : 1); k++)
      s->size[p->nq + at.iv + k] = (p->scale_v ? p->scale_v[at.iv + k] : 1) / s->length;
  }
  for (int i = 0; i < p->nx; i++)
    s->size[p->nq + p->nv + i] = p->scale_x ? p->scale_x[i] : 1;
  for (int i = 0; i < s->nz; i++)
    s->size[i] = fmax(s->size[i], fabs(s->z[i]));
}

static fly_status start(fly_reference *s, const double *q0, const double *v0, const double *x0) {
  const fly_dae_problem *p = &s->p;
  copy(s->z, q0, p->nq);
  copy(s->z + p->nq, v0, p->nv);
  copy(s->z + p->nq + p->nv, x0, p->nx);
  if (find_mass(s, s->t, s->z))
    return fail_callback(s, s->t);
  const fly_status status = project(s, s->t, s->z);
  if (status != FLY_OK)
    return status;
  set_sizes(s);
  return find_rate(s, s->rate, s->t, s->z, s->u);
}

fly_status fly_reference_create(fly_reference **out, const fly_dae_problem *problem, double t0, double t_end,
                                const double *q0, const double *v0, const double *x0, double tolerance,
                                fly_error *error) {
  *out = NULL;
  if (!(t_end > t0) || !(tolerance > 0))
    return fly_problem_fail(error, FLY_BAD_INPUT, "The reference needs t_end > t0 and a tolerance > 0.");
  fly_reference *s = calloc(1, sizeof *s);
  if (s) {
    s->p = *problem;
    s->nc = problem->ng + problem->nb;
    s->ne = problem->nv + problem->nx + problem->ny;
    s->nu = s->ne + s->nc;
    s->nz = problem->nq + problem->nv + problem->nx;
    s->t = t0;
    s->length = t_end - t0;
    s->step = s->length / 1000;
    s->tolerance = tolerance;
  }
  if (!s || !take_memory(s)) {
    fly_reference_free(s);
    return fly_problem_fail(error, FLY_NO_MEMORY, "There is not enough memory for a reference solution.");
  }
  const fly_status status = start(s, q0, v0, x0);
  if (status == FLY_OK) {
    *out = s;
    return FLY_OK;
  }
  if (error)
    *error = s->error;
  fly_reference_free(s);
  return status;
}

void fly_reference_free(fly_reference *s) {
  if (!s)
    return;
  free(s->memory);
  free(s->pivot);
  free(s);
}
