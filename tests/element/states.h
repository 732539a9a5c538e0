// What the tests of elements share: bodies and markers at random, small moves of bodies, derivatives by differences.
#ifndef FLY_TESTS_STATES_H
#define FLY_TESTS_STATES_H

#include "base/check.h"

#include <stdbool.h>
#include <string.h>

#include "element/frame.h"
#include "math/so3.h"

enum { STATES = 40, MAX_BODIES = 3, MAX_OUT = 18 };

static inline void random_vector(double *u, int n, double size, uint64_t *seed) {
  for (int k = 0; k < n; k++)
    u[k] = size * random_double(seed);
}

static inline void random_rotation(double R[9], uint64_t *seed) {
  double p[4];
  random_vector(p, 4, 1.0, seed);
  fly_quat_normalize(p);
  fly_quat_matrix(R, p);
}

static inline void random_kinematics(fly_kinematics *b, uint64_t *seed) {
  random_vector(b->r, 3, 2.0, seed);
  random_rotation(b->R, seed);
  random_vector(b->v, 3, 3.0, seed);
  random_vector(b->w, 3, 3.0, seed);
}

static inline void random_marker(fly_marker *m, uint64_t *seed) {
  random_vector(m->s, 3, 1.0, seed);
  random_rotation(m->A, seed);
}

// Up to three bodies with a marker each, and their accelerations.
typedef struct bodies {
  int n;
  fly_kinematics b[MAX_BODIES];
  fly_marker m[MAX_BODIES];
  double a[6 * MAX_BODIES]; // r'' in space, w' in body axes
} bodies;

static inline bodies random_bodies(int n, uint64_t *seed) {
  bodies s = {.n = n};
  for (int k = 0; k < n; k++) {
    random_kinematics(&s.b[k], seed);
    random_marker(&s.m[k], seed);
  }
  random_vector(s.a, 6 * n, 2.0, seed);
  return s;
}

static inline fly_pair pair_of(const bodies *s) {
  return (fly_pair){.bi = &s->b[0], .bj = &s->b[1], .mi = &s->m[0], .mj = &s->m[1]};
}

static inline void velocities(double *v, const bodies *s) {
  for (int k = 0; k < s->n; k++) {
    memcpy(v + 6 * k, s->b[k].v, sizeof s->b[k].v);
    memcpy(v + 6 * k + 3, s->b[k].w, sizeof s->b[k].w);
  }
}

static inline void turn_matrix(double R[9], const double theta[3]) {
  double p[4], E[9], RE[9];
  fly_quat_exp(p, theta);
  fly_quat_matrix(E, p);
  fly_multiply3(RE, R, E);
  memcpy(R, RE, sizeof RE);
}

// What may move: q by (dr, dtheta in body axes), v, or v'.
typedef enum what_moves { MOVE_Q, MOVE_V, MOVE_A } what_moves;

static inline bodies moved(const bodies *s, what_moves what, const double *delta, double h) {
  bodies out = *s;
  for (int k = 0; k < s->n; k++) {
    const double *d = delta + 6 * k;
    double theta[3] = {h * d[3], h * d[4], h * d[5]};
    fly_kinematics *b = &out.b[k];
    for (int i = 0; i < 3; i++)
      if (what == MOVE_Q)
        b->r[i] += h * d[i];
      else if (what == MOVE_V)
        b->v[i] += h * d[i], b->w[i] += h * d[3 + i];
      else
        out.a[6 * k + i] += h * d[i], out.a[6 * k + 3 + i] += h * d[3 + i];
    if (what == MOVE_Q)
      turn_matrix(b->R, theta);
  }
  return out;
}

// The bodies a time h later or earlier, positions and velocities up to what constant accelerations give: second
// derivatives at h = 0 are exact, higher ones are not.
static inline bodies later(const bodies *s, double h) {
  bodies out = *s;
  for (int k = 0; k < s->n; k++) {
    fly_kinematics *b = &out.b[k];
    const double *a = s->a + 6 * k;
    double theta[3];
    for (int i = 0; i < 3; i++) {
      b->r[i] += h * b->v[i] + h * h / 2 * a[i];
      theta[i] = h * b->w[i] + h * h / 2 * a[3 + i];
      b->v[i] += h * a[i];
      b->w[i] += h * a[3 + i];
    }
    turn_matrix(b->R, theta);
  }
  return out;
}

// out (n numbers) from a state
typedef void state_function(double *out, const bodies *s, const void *user);

// Richardson's extrapolation of central differences along delta: an error of h^6.
static inline void derivative_along(double *out, int n, state_function *f, const bodies *s, const void *user,
                                    what_moves what, const double *delta, double h) {
  double d[3][MAX_OUT] = {{0}};
  for (int level = 0; level < 3; level++, h /= 2) {
    double plus[MAX_OUT] = {0}, minus[MAX_OUT] = {0};
    bodies up = moved(s, what, delta, h), down = moved(s, what, delta, -h);
    f(plus, &up, user);
    f(minus, &down, user);
    for (int i = 0; i < n; i++)
      d[level][i] = (plus[i] - minus[i]) / (2 * h);
  }
  for (int i = 0; i < n; i++) {
    double coarse = (4 * d[1][i] - d[0][i]) / 3, fine = (4 * d[2][i] - d[1][i]) / 3;
    out[i] = (16 * fine - coarse) / 15;
  }
}

// J (n x 6 bodies, row by row)
static inline void jacobian_by_differences(double *J, int n, state_function *f, const bodies *s, const void *user,
                                           what_moves what, double h) {
  int columns = 6 * s->n;
  for (int j = 0; j < columns; j++) {
    double delta[6 * MAX_BODIES] = {0}, column[MAX_OUT];
    delta[j] = 1;
    derivative_along(column, n, f, s, user, what, delta, h);
    for (int i = 0; i < n; i++)
      J[columns * i + j] = column[i];
  }
}

static inline double largest(const double *u, int n) {
  double size = 0;
  for (int i = 0; i < n; i++)
    size = fmax(size, fabs(u[i]));
  return size;
}

// Entry by entry, to a fraction of the largest of them (or of 1).
static inline void check_all_near(const double *a, const double *b, int n, double tolerance, const char *what) {
  double size = fmax(1.0, largest(b, n));
  for (int i = 0; i < n; i++) {
    char name[100];
    snprintf(name, sizeof name, "%s[%d]", what, i);
    check_near(a[i], b[i], tolerance * size, name, __FILE__, __LINE__);
  }
}

// Power of generalized forces in the columns of the bodies.
static inline double power(const double *Q, const bodies *s) {
  double v[6 * MAX_BODIES] = {0}, sum = 0;
  velocities(v, s);
  for (int i = 0; i < 6 * s->n; i++)
    sum += Q[i] * v[i];
  return sum;
}

// Total force (3) and total moment about the origin (3) of generalized forces.
static inline void resultant(double total[6], const double *Q, const bodies *s) {
  memset(total, 0, 6 * sizeof *total);
  for (int k = 0; k < s->n; k++) {
    double moment[3], torque[3];
    fly_cross(moment, s->b[k].r, Q + 6 * k);
    fly_to_space(torque, s->b[k].R, Q + 6 * k + 3);
    for (int i = 0; i < 3; i++) {
      total[i] += Q[6 * k + i];
      total[3 + i] += moment[i] + torque[i];
    }
  }
}

static inline bool all_numbers_finite(const double *u, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(u[i]))
      return false;
  return true;
}

#endif
