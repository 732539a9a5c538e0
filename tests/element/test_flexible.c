// A body of modes against the sum over its points, written out: kinetic energy, mass matrix, weight, momentum.
//
// labels: valgrind
#include "base/check.h"
#include "element/flexible.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MODES = 4, POINTS = 7, N = 6 + MODES };

typedef struct body {
  fly_flexible k;
  fly_body_own own;
  double room[MODES * (24 + 12 * MODES)];
  double phi[POINTS][3 * MODES], theta[POINTS][3 * MODES];
  fly_flexible_point point[POINTS];
  double q[7 + MODES], v[N];
} body;

static double draw(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static double *room_of;
static double *room(const fly_maker *from, size_t count) {
  (void)from, (void)count;
  return room_of;
}

static void make_body(body *b, uint64_t *seed) {
  const fly_maker maker = {.room = room};
  *b = (body){.own = {.k = &b->k}};
  room_of = b->room;
  assert_true(fly_flexible_take(&b->k, MODES, &maker));
  for (int p = 0; p < POINTS; p++) {
    fly_flexible_point *at = &b->point[p];
    at->mass = 1 + draw(seed);
    for (int i = 0; i < 3; i++) {
      at->s[i] = draw(seed);
      at->I[4 * i] = 2 + draw(seed);
    }
    for (int i = 0; i < 3 * MODES; i++) {
      b->phi[p][i] = draw(seed);
      b->theta[p][i] = draw(seed);
    }
    at->phi = b->phi[p];
    at->theta = b->theta[p];
    b->own.mass += at->mass;
    fly_flexible_add(&b->k, at);
  }
  for (int i = 0; i < 7 + MODES; i++)
    b->q[i] = draw(seed);
  fly_quat_normalize(b->q + 3);
  for (int i = 0; i < N; i++)
    b->v[i] = draw(seed);
}

// m |dr/dt + R (w x rho + Phi eta')|^2/2 + (w + Theta eta') . I (w + Theta eta')/2
static double energy_of_points(const body *b) {
  double R[9], sum = 0;
  fly_quat_matrix(R, b->q + 3);
  for (int p = 0; p < POINTS; p++) {
    const fly_flexible_point *at = &b->point[p];
    double rho[3], u[3] = {0}, w[3], x[3], v[3], Iw[3];
    memcpy(rho, at->s, sizeof rho);
    memcpy(w, b->v + 3, sizeof w);
    for (int j = 0; j < MODES; j++)
      for (int i = 0; i < 3; i++) {
        rho[i] += at->phi[3 * j + i] * b->q[7 + j];
        u[i] += at->phi[3 * j + i] * b->v[6 + j];
        w[i] += at->theta[3 * j + i] * b->v[6 + j];
      }
    fly_cross(x, b->v + 3, rho);
    for (int i = 0; i < 3; i++)
      x[i] += u[i];
    fly_to_space(v, R, x);
    for (int i = 0; i < 3; i++)
      v[i] += b->v[i];
    fly_to_space(Iw, at->I, w);
    sum += at->mass * fly_dot3(v, v) / 2 + fly_dot3(w, Iw) / 2;
  }
  return sum;
}

static double energy_of_body(const body *b) {
  fly_kinematics frame = {0};
  fly_turning_position(&frame, b->q);
  fly_turning_velocity(&frame, b->v);
  return fly_flexible_kinetic(&(fly_body_at){&frame, b->q, b->v, false, NULL}, &b->own);
}

static void energy_is_that_of_the_points(void **state) {
  uint64_t seed = 3;
  (void)state;
  for (int trial = 0; trial < 20; trial++) {
    body b;
    double M[N * N], sum = 0;
    make_body(&b, &seed);
    const double T = energy_of_points(&b);
    assert_near(energy_of_body(&b), T, 1e-12 * T);
    fly_flexible_mass(M, &(fly_body_at){.q = b.q}, &b.own);
    for (int i = 0; i < N * N; i++)
      sum += b.v[i / N] * M[i] * b.v[i % N] / 2;
    assert_near(sum, T, 1e-12 * T);
    for (int i = 0; i < N * N; i++)
      assert_near(M[i], M[N * (i % N) + i / N], 1e-13);
  }
}

// -sum m g . (r + R rho)
static void weight_is_that_of_the_points(void **state) {
  const double g[3] = {1, -2, -9.81};
  uint64_t seed = 5;
  body b;
  double R[9], sum = 0;
  (void)state;
  make_body(&b, &seed);
  fly_quat_matrix(R, b.q + 3);
  for (int p = 0; p < POINTS; p++) {
    double rho[3], r[3];
    memcpy(rho, b.point[p].s, sizeof rho);
    for (int i = 0; i < 3 * MODES; i++)
      rho[i % 3] += b.point[p].phi[i] * b.q[7 + i / 3];
    fly_to_space(r, R, rho);
    sum -= b.point[p].mass * (fly_dot3(g, r) + fly_dot3(g, b.q));
  }
  assert_near(fly_flexible_weight(&(fly_body_at){NULL, b.q, b.v, false, NULL}, g, &b.own), sum, 1e-11);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_is_that_of_the_points),
      cmocka_unit_test(weight_is_that_of_the_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
