// What the tests of the problems measure with, apart from the library: differences, a dense solve for the
// accelerations, and an extrapolation method that follows the motion by them. Small problems only; a failure is an
// assertion.
#ifndef FLY_TESTS_PROBLEMS_ORACLE_H
#define FLY_TESTS_PROBLEMS_ORACLE_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "problems/problems.h"

enum { MAX = 64 }; // of any vector

// A state that owns its numbers.
typedef struct point {
  double t, q[MAX], v[MAX], vdot[MAX], lambda[MAX], x[MAX], xdot[MAX], y[MAX];
} point;

static inline fly_dae_state state_of(const point *p) {
  return (fly_dae_state){p->t, p->q, p->v, p->vdot, p->lambda, p->x, p->xdot, p->y, NULL};
}

static inline point start_of(const fly_problem *p) {
  point s = {.t = p->t0};
  memcpy(s.q, p->q0, (size_t)p->dae.nq * sizeof *s.q);
  memcpy(s.v, p->v0, (size_t)p->dae.nv * sizeof *s.v);
  if (p->dae.nx > 0)
    memcpy(s.x, p->x0, (size_t)p->dae.nx * sizeof *s.x);
  return s;
}

// Uniform in (-1, 1); the same numbers in every run.
static inline double noise(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1; // 2^53/2
}

static inline double scale_of(const fly_dae_problem *d, int i) { return d->scale_v ? d->scale_v[i] : 1; }

// ---------------------------------------------------------------------------------------------- positions

// out = p * exp(theta).
static inline void quaternion_plus(double out[4], const double p[4], const double theta[3]) {
  const double angle = sqrt(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]);
  const double c = cos(angle / 2), k = angle > 1e-8 ? sin(angle / 2) / angle : 0.5;
  const double e[4] = {c, k * theta[0], k * theta[1], k * theta[2]};
  const double r[4] = {
      p[0] * e[0] - p[1] * e[1] - p[2] * e[2] - p[3] * e[3], p[0] * e[1] + p[1] * e[0] + p[2] * e[3] - p[3] * e[2],
      p[0] * e[2] + p[2] * e[0] + p[3] * e[1] - p[1] * e[3], p[0] * e[3] + p[3] * e[0] + p[1] * e[2] - p[2] * e[1]};
  memcpy(out, r, sizeof r);
}

// q = q (+) delta.
static inline void positions_plus(double *q, const fly_dae_problem *d, const double *delta) {
  int iq = 0, iv = 0, rotation = 0;
  while (iv < d->nv) {
    if (rotation < d->nrotation && d->rotation_v[rotation] == iv) {
      assert_int_equal(d->rotation_q[rotation], iq);
      quaternion_plus(q + iq, q + iq, delta + iv);
      iq += 4, iv += 3, rotation++;
    } else {
      q[iq++] += delta[iv++];
    }
  }
  assert_int_equal(iq, d->nq);
}

// qdot of the stored numbers: v, and p (0, omega)/2 for quaternions.
static inline void positions_rate(double *qdot, const fly_dae_problem *d, const double *q, const double *v) {
  int iq = 0, iv = 0, rotation = 0;
  while (iv < d->nv) {
    if (rotation < d->nrotation && d->rotation_v[rotation] == iv) {
      const double *p = q + iq, *w = v + iv;
      qdot[iq] = -(p[1] * w[0] + p[2] * w[1] + p[3] * w[2]) / 2;
      qdot[iq + 1] = (p[0] * w[0] + p[2] * w[2] - p[3] * w[1]) / 2;
      qdot[iq + 2] = (p[0] * w[1] + p[3] * w[0] - p[1] * w[2]) / 2;
      qdot[iq + 3] = (p[0] * w[2] + p[1] * w[1] - p[2] * w[0]) / 2;
      iq += 4, iv += 3, rotation++;
    } else {
      qdot[iq++] = v[iv++];
    }
  }
}

// ---------------------------------------------------------------------------------------------- matrices

typedef struct matrix {
  int rows, cols;
  double a[MAX * MAX]; // column by column
} matrix;

static inline double *entry(matrix *A, int row, int col) { return &A->a[col * A->rows + row]; }

static inline matrix *clear(matrix *A, int rows, int cols) {
  assert_true(rows * cols <= MAX * MAX);
  A->rows = rows;
  A->cols = cols;
  memset(A->a, 0, sizeof(double) * (size_t)(rows * cols));
  return A;
}

// Writes the values of a pattern into a matrix that was cleared.
static inline void expand(matrix *A, const fly_pattern *pattern, const double *value) {
  if (!pattern->start) {
    memcpy(A->a, value, sizeof(double) * (size_t)(A->rows * A->cols));
    return;
  }
  for (int c = 0; c < A->cols; c++)
    for (int k = pattern->start[c]; k < pattern->start[c + 1]; k++)
      *entry(A, pattern->row[k], c) = value[k];
}

// Zeroed room for the values of a matrix, until the next call.
static inline double *values(int rows, int cols) {
  static double value[MAX * MAX];
  assert_true(rows * cols <= MAX * MAX);
  memset(value, 0, sizeof *value * (size_t)(rows * cols));
  return value;
}

static inline matrix *mass_of(matrix *M, const fly_dae_problem *d, const point *p) {
  double *value = values(d->nv, d->nv);
  assert_int_equal(d->mass(value, p->t, p->q, d->user), 0);
  expand(clear(M, d->nv, d->nv), &d->mass_pattern, value);
  return M;
}

static inline matrix *holonomic_of(matrix *G, const fly_dae_problem *d, const point *p) {
  double *value = values(d->ng, d->nv);
  if (d->ng > 0)
    assert_int_equal(d->constraint_jacobian(value, p->t, p->q, d->user), 0);
  expand(clear(G, d->ng, d->nv), &d->constraint_pattern, value);
  return G;
}

static inline matrix *nonholonomic_of(matrix *B, const fly_dae_problem *d, const point *p) {
  double *value = values(d->nb, d->nv);
  if (d->nb > 0)
    assert_int_equal(d->nonholonomic(value, p->t, p->q, d->user), 0);
  expand(clear(B, d->nb, d->nv), &d->nonholonomic_pattern, value);
  return B;
}

// [G; B]
static inline matrix *constraints_of(matrix *C, const fly_dae_problem *d, const point *p) {
  static matrix G, B;
  holonomic_of(&G, d, p);
  nonholonomic_of(&B, d, p);
  clear(C, d->ng + d->nb, d->nv);
  for (int c = 0; c < d->nv; c++)
    for (int r = 0; r < C->rows; r++)
      *entry(C, r, c) = r < d->ng ? *entry(&G, r, c) : *entry(&B, r - d->ng, c);
  return C;
}

static inline void jacobians_of(matrix *J0, matrix *J1, matrix *J2, const fly_dae_problem *d, const point *p) {
  const int rows = d->nv + d->nx + d->ny, cols = d->nv + d->ng + d->nb + d->nx + d->ny;
  static double value[3][MAX * MAX];
  for (int k = 0; k < 3; k++)
    memset(value[k], 0, sizeof(double) * (size_t)(rows * cols));
  const fly_dae_state s = state_of(p);
  assert_int_equal(d->jacobian(value[0], value[1], value[2], &s, d->user), 0);
  expand(clear(J0, rows, cols), &d->jacobian_pattern, value[0]);
  expand(clear(J1, rows, cols), &d->jacobian_pattern, value[1]);
  expand(clear(J2, rows, cols), &d->jacobian_pattern, value[2]);
}

// Elimination with row pivots on equilibrated rows; A is lost, b becomes the solution. False if A is singular.
static inline bool gauss(matrix *A, double *b) {
  const int n = A->rows;
  for (int i = 0; i < n; i++) {
    double size = 0;
    for (int j = 0; j < n; j++)
      size = fmax(size, fabs(*entry(A, i, j)));
    if (size == 0)
      return false;
    for (int j = 0; j < n; j++)
      *entry(A, i, j) /= size;
    b[i] /= size;
  }
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(*entry(A, i, k)) > fabs(*entry(A, pivot, k)))
        pivot = i;
    if (fabs(*entry(A, pivot, k)) < 1e-14)
      return false;
    for (int j = 0; j < n && pivot != k; j++) {
      const double swap = *entry(A, k, j);
      *entry(A, k, j) = *entry(A, pivot, j);
      *entry(A, pivot, j) = swap;
    }
    const double swap = b[k];
    b[k] = b[pivot];
    b[pivot] = swap;
    for (int i = k + 1; i < n; i++) {
      const double factor = *entry(A, i, k) / *entry(A, k, k);
      for (int j = k; j < n && factor != 0; j++)
        *entry(A, i, j) -= factor * *entry(A, k, j);
      b[i] -= factor * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      b[i] -= *entry(A, i, j) * b[j];
    b[i] /= *entry(A, i, i);
  }
  return true;
}

// ---------------------------------------------------------------------------------------------- equations

// Callbacks write all of a vector: what they leave out stays NaN.
static inline double *poison(double *a, int n) {
  for (int i = 0; i < n; i++)
    a[i] = (double)NAN;
  return a;
}

// (-f, d, -h): the equations without what the library adds.
static inline void equations_bare(double *out, const fly_dae_problem *d, const point *p) {
  const fly_dae_state s = state_of(p);
  poison(out, d->nv + d->nx + d->ny);
  assert_int_equal(d->force(out, &s, d->user), 0);
  if (d->nx > 0)
    assert_int_equal(d->states(out + d->nv, &s, d->user), 0);
  if (d->ny > 0)
    assert_int_equal(d->outputs(out + d->nv + d->nx, &s, d->user), 0);
  for (int i = 0; i < d->nv; i++)
    out[i] = -out[i];
  for (int i = d->nv + d->nx; i < d->nv + d->nx + d->ny; i++)
    out[i] = -out[i];
}

// (M v' + G^T lambda_g + B^T lambda_b - f, d, y - h)
static inline void equations(double *out, const fly_dae_problem *d, const point *p) {
  static matrix M, C;
  mass_of(&M, d, p);
  constraints_of(&C, d, p);
  equations_bare(out, d, p);
  for (int i = 0; i < d->nv; i++) {
    for (int j = 0; j < d->nv; j++)
      out[i] += *entry(&M, i, j) * p->vdot[j];
    for (int k = 0; k < C.rows; k++)
      out[i] += *entry(&C, k, i) * p->lambda[k];
  }
  for (int i = 0; i < d->ny; i++)
    out[d->nv + d->nx + i] += p->y[i];
}

static inline void positions_residual(double *g, const fly_dae_problem *d, const point *p) {
  if (d->ng > 0)
    assert_int_equal(d->constraint(poison(g, d->ng), p->t, p->q, d->user), 0);
}

// (G v + g_t, B v + b)
static inline void velocities_residual(double *out, const fly_dae_problem *d, const point *p) {
  static matrix C;
  constraints_of(&C, d, p);
  memset(out, 0, sizeof(double) * (size_t)C.rows);
  if (d->ng > 0)
    assert_int_equal(d->constraint_rate(poison(out, d->ng), p->t, p->q, d->user), 0);
  if (d->nb > 0 && d->nonholonomic_rate)
    assert_int_equal(d->nonholonomic_rate(poison(out + d->ng, d->nb), p->t, p->q, d->user), 0);
  for (int i = 0; i < C.rows; i++)
    for (int j = 0; j < d->nv; j++)
      out[i] += *entry(&C, i, j) * p->v[j];
}

static inline void gammas(double *gamma, const fly_dae_problem *d, const point *p) {
  if (d->ng > 0)
    assert_int_equal(d->constraint_gamma(poison(gamma, d->ng), p->t, p->q, p->v, d->user), 0);
  if (d->nb > 0)
    assert_int_equal(d->nonholonomic_gamma(poison(gamma + d->ng, d->nb), p->t, p->q, p->v, d->user), 0);
}

static inline double energy_of(const fly_dae_problem *d, const point *p) {
  double E = 0;
  assert_int_equal(d->energy(&E, p->t, p->q, p->v, d->user), 0);
  return E;
}

static inline double largest(const double *a, int n) {
  double size = 0;
  for (int i = 0; i < n; i++)
    size = fmax(size, fabs(a[i]));
  return size;
}

// Finds v', lambda, x', y from q, v, x by Newton's iteration (one step if all is linear). False if singular.
static inline bool accelerate(point *p, const fly_dae_problem *d) {
  static matrix A, M, C, J0, J1, J2;
  const int nc = d->ng + d->nb, ne = d->nv + d->nx + d->ny, n = ne + nc;
  double r[MAX] = {0}, gamma[MAX] = {0};
  gammas(gamma, d, p);
  mass_of(&M, d, p);
  constraints_of(&C, d, p);
  for (int iteration = 0; iteration < 20; iteration++) {
    equations(r, d, p);
    for (int i = 0; i < nc; i++) {
      r[ne + i] = gamma[i];
      for (int j = 0; j < d->nv; j++)
        r[ne + i] += *entry(&C, i, j) * p->vdot[j];
    }
    jacobians_of(&J0, &J1, &J2, d, p);
    clear(&A, n, n);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < ne; i++)
        *entry(&A, i, j) = *entry(&J0, i, j);
    for (int j = 0; j < d->nv; j++) {
      for (int i = 0; i < d->nv; i++)
        *entry(&A, i, j) += *entry(&M, i, j);
      for (int k = 0; k < nc; k++) {
        *entry(&A, j, d->nv + k) += *entry(&C, k, j);
        *entry(&A, ne + k, j) = *entry(&C, k, j);
      }
    }
    for (int i = 0; i < d->ny; i++)
      *entry(&A, d->nv + d->nx + i, n - d->ny + i) += 1;
    if (!gauss(&A, r))
      return false;
    double change = 0, size = 1;
    double *const part[4] = {p->vdot, p->lambda, p->xdot, p->y};
    const int length[4] = {d->nv, nc, d->nx, d->ny};
    for (int k = 0, at = 0; k < 4; at += length[k++])
      for (int i = 0; i < length[k]; i++) {
        part[k][i] -= r[at + i];
        change = fmax(change, fabs(r[at + i]));
        size = fmax(size, fabs(part[k][i]));
      }
    if (change <= 1e-9 * size)
      return true;
  }
  return false;
}

// ---------------------------------------------------------------------------------------------- differences

typedef void vector_fn(double *out, const fly_dae_problem *d, const point *p);
typedef void move_fn(point *p, const fly_dae_problem *d, int i, double by);

static inline void move_q(point *p, const fly_dae_problem *d, int i, double by) {
  double delta[MAX] = {0};
  delta[i] = by;
  positions_plus(p->q, d, delta);
}

// clang-format off
static inline void move_v(point *p, const fly_dae_problem *d, int i, double by) { p->v[i] += by; (void)d; }
static inline void move_vdot(point *p, const fly_dae_problem *d, int i, double by) { p->vdot[i] += by; (void)d; }
static inline void move_lambda(point *p, const fly_dae_problem *d, int i, double by) { p->lambda[i] += by; (void)d; }
static inline void move_x(point *p, const fly_dae_problem *d, int i, double by) { p->x[i] += by; (void)d; }
static inline void move_xdot(point *p, const fly_dae_problem *d, int i, double by) { p->xdot[i] += by; (void)d; }
static inline void move_y(point *p, const fly_dae_problem *d, int i, double by) { p->y[i] += by; (void)d; }
static inline void move_t(point *p, const fly_dae_problem *d, int i, double by) { p->t += by; (void)d; (void)i; }
// clang-format on

// Along the motion with constant v.
static inline void move_along(point *p, const fly_dae_problem *d, int i, double by) {
  double delta[MAX] = {0};
  (void)i;
  for (int k = 0; k < d->nv; k++)
    delta[k] = by * p->v[k];
  positions_plus(p->q, d, delta);
  p->t += by;
}

// Derivative of fn (n) under the motion move(i), with its errors: by round-off, and what the last column changed.
typedef struct difference {
  double value[MAX], roundoff[MAX], truncation[MAX];
} difference;

static inline difference differentiate(vector_fn *fn, int n, const fly_dae_problem *d, const point *at, move_fn *move,
                                       int i, double h) {
  enum { LEVELS = 4 };
  double table[LEVELS][MAX], size[MAX] = {0};
  difference out = {0};
  for (int k = 0; k < LEVELS; k++) { // row k: h/2^k, then Richardson's columns in place
    const double step = h / (1 << k);
    double plus[MAX] = {0}, minus[MAX] = {0};
    point a = *at, b = *at;
    move(&a, d, i, step);
    move(&b, d, i, -step);
    fn(plus, d, &a);
    fn(minus, d, &b);
    for (int r = 0; r < n; r++) {
      table[k][r] = (plus[r] - minus[r]) / (2 * step);
      size[r] = fmax(size[r], fmax(fabs(plus[r]), fabs(minus[r])));
    }
    for (int j = k - 1; j >= 0; j--)
      for (int r = 0; r < n; r++) {
        out.truncation[r] = fabs(table[j + 1][r] - table[j][r]);
        table[j][r] = table[j + 1][r] + (table[j + 1][r] - table[j][r]) / (pow(4, k - j) - 1);
      }
  }
  for (int r = 0; r < n; r++) {
    out.value[r] = table[0][r];
    out.roundoff[r] = 100 * DBL_EPSILON * size[r] / h;
  }
  return out;
}

// ---------------------------------------------------------------------------------------------- motion

typedef struct motion {
  int nq, n;         // of (q, v, x)
  double z[3 * MAX]; // (q, v, x)
} motion;

static inline motion pack(const fly_dae_problem *d, const point *p) {
  motion m = {.nq = d->nq, .n = d->nq + d->nv + d->nx};
  memcpy(m.z, p->q, (size_t)d->nq * sizeof *m.z);
  memcpy(m.z + d->nq, p->v, (size_t)d->nv * sizeof *m.z);
  memcpy(m.z + d->nq + d->nv, p->x, (size_t)d->nx * sizeof *m.z);
  return m;
}

static inline void unpack(point *p, const fly_dae_problem *d, const double *z) {
  memcpy(p->q, z, (size_t)d->nq * sizeof *z);
  memcpy(p->v, z + d->nq, (size_t)d->nv * sizeof *z);
  memcpy(p->x, z + d->nq + d->nv, (size_t)d->nx * sizeof *z);
}

static inline void motion_rate(double *rate, const fly_dae_problem *d, point *p, double t, const double *z) {
  unpack(p, d, z);
  p->t = t;
  assert_true(accelerate(p, d));
  positions_rate(rate, d, p->q, p->v);
  memcpy(rate + d->nq, p->vdot, (size_t)d->nv * sizeof *z);
  memcpy(rate + d->nq + d->nv, p->xdot, (size_t)d->nx * sizeof *z);
}

// One step of the modified midpoint rule with m substeps.
static inline void midpoint(double *out, const fly_dae_problem *d, point *p, double t, const motion *from,
                            const double *rate0, double H, int m) {
  const double h = H / m;
  double a[3 * MAX] = {0}, b[3 * MAX] = {0}, rate[3 * MAX] = {0};
  for (int i = 0; i < from->n; i++) {
    a[i] = from->z[i];
    b[i] = a[i] + h * rate0[i];
  }
  for (int k = 1; k < m; k++) {
    motion_rate(rate, d, p, t + k * h, b);
    for (int i = 0; i < from->n; i++) {
      const double next = a[i] + 2 * h * rate[i];
      a[i] = b[i];
      b[i] = next;
    }
  }
  motion_rate(rate, d, p, t + H, b);
  for (int i = 0; i < from->n; i++)
    out[i] = (a[i] + b[i] + h * rate[i]) / 2;
}

// Follows the motion over `steps` equal steps to t_end, by Gragg's extrapolation of order 12 on the index-1 equations.
static inline void follow(point *p, const fly_dae_problem *d, double t_end, int steps) {
  enum { K = 6 };
  const double t0 = p->t, H = (t_end - t0) / steps;
  motion m = pack(d, p);
  double table[K][3 * MAX], rate[3 * MAX];
  for (int s = 0; s < steps; s++) {
    const double t = t0 + s * H;
    motion_rate(rate, d, p, t, m.z);
    for (int k = 0; k < K; k++) {
      midpoint(table[k], d, p, t, &m, rate, H, 2 * (k + 1));
      for (int j = k - 1; j >= 0; j--) {
        const double ratio = (double)(k + 1) / (j + 1), factor = 1 / (ratio * ratio - 1);
        for (int i = 0; i < m.n; i++)
          table[j][i] = table[j + 1][i] + (table[j + 1][i] - table[j][i]) * factor;
      }
    }
    memcpy(m.z, table[0], (size_t)m.n * sizeof *m.z);
  }
  motion_rate(rate, d, p, t_end, m.z); // the state with its accelerations
}

#endif
