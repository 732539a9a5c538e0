// A body of modes that is shorter where it is bent: docs/theory/flexible.md (F-short). Its kinetic energy is that of
// masses m at points, each with the motion of a marker there (flexible_frames.c), so it is never negative:
//
//   M = sum m J^T J,   f = sum m J^T (g - b),   J, b: the upper halves of those of the marker
//
// and what turns, with K and D, is left to the sums of flexible.c, without masses.
#include <string.h>

#include "element/block.h"
#include "element/flexible.h"

enum { N = 6 + FLY_MODES_SHORTEN };

static const fly_flexible_points *points_of(const fly_body_own *own) { return ((const fly_flexible *)own->k)->points; }

static int size_of(const fly_body_own *own) { return 6 + ((const fly_flexible *)own->k)->modes; }

bool fly_flexible_take_points(fly_flexible_points *p, int count, int modes, const fly_maker *from) {
  const size_t n = (size_t)modes, each = sizeof(fly_flexible_marker) / sizeof(double) + n * (6 + n);
  const size_t marker = (sizeof(fly_marker) + sizeof(double) - 1) / sizeof(double), all = (size_t)count;
  double *kept = from->room(from, all * each), *room = from->room(from, all * (marker + 1));
  if (!kept || !room || !fly_flexible_take(&p->turns, modes, from))
    return false;
  p->count = count;
  p->mass = room;
  p->at = (fly_marker *)(void *)(room + count);
  for (size_t k = 0; k < all; k++)
    p->at[k] = (fly_marker){.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .own = kept + k * each};
  p->rest = (fly_body_own){.k = &p->turns};
  return true;
}

// out (n x n) += factor A^T B over the first three rows of A and B
static void add_product(double *out, int n, const double *A, const double *B, double factor) {
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < n; i++) {
      const double a = factor * A[n * k + i];
      for (int j = 0; j < n && a != 0; j++)
        out[n * i + j] += a * B[n * k + j];
    }
}

void fly_flexible_points_mass(double *M, const fly_body_at *at, const fly_body_own *own) {
  const fly_flexible_points *p = points_of(own);
  double J[6 * N];
  fly_flexible_mass(M, at, &p->rest);
  for (int k = 0; k < p->count; k++) {
    fly_flexible_frames.jacobian(J, at->q, &p->at[k], own);
    add_product(M, size_of(own), J, J, p->mass[k]);
  }
}

// d(m J^T J a)/dq
void fly_flexible_points_mass_slope(double *D, const fly_body_at *at, const double *a, const fly_body_own *own) {
  const double *q = at->q;
  const fly_flexible_points *p = points_of(own);
  const int n = size_of(own);
  double J[6 * N], Z[6 * N], W[N * N];
  fly_flexible_mass_slope(D, at, a, &p->rest);
  for (int k = 0; k < p->count; k++) {
    double load[6] = {0};
    fly_flexible_frames.jacobian(J, q, &p->at[k], own);
    fly_flexible_frames.rates(Z, q, a, &p->at[k], own);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < n; j++)
        load[i] += p->mass[k] * J[n * i + j] * a[j];
    fly_flexible_frames.loads(W, q, load, false, &p->at[k], own);
    for (int i = 0; i < n * n; i++)
      D[i] += W[i];
    add_product(D, n, J, Z, p->mass[k]);
  }
}

// m (g - b)
static void load_of(double load[6], int k, const fly_body_at *at, const double g[3], const fly_body_own *own) {
  const fly_flexible_points *p = points_of(own);
  double b[6];
  fly_flexible_frames.bias(b, at->q, at->v, &p->at[k], own);
  memset(load, 0, 6 * sizeof *load);
  for (int i = 0; i < 3; i++)
    load[i] = p->mass[k] * (g[i] - b[i]);
}

void fly_flexible_points_force(double *f, const fly_body_at *at, const double g[3], const fly_body_own *own) {
  const fly_flexible_points *p = points_of(own);
  const int n = size_of(own);
  double J[6 * N], load[6];
  fly_flexible_force(f, at, g, &p->rest);
  for (int k = 0; k < p->count; k++) {
    fly_flexible_frames.jacobian(J, at->q, &p->at[k], own);
    load_of(load, k, at, g, own);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < n; j++)
        f[j] += J[n * i + j] * load[i];
  }
}

void fly_flexible_points_derivatives(double *K, double *C, const fly_body_at *at, const double g[3],
                                     const fly_body_own *own) {
  const fly_flexible_points *p = points_of(own);
  const int n = size_of(own);
  double J[6 * N], Bq[6 * N], Bv[6 * N], W[N * N], load[6];
  fly_flexible_derivatives(K, C, at, g, &p->rest);
  for (int k = 0; k < p->count; k++) {
    fly_flexible_frames.jacobian(J, at->q, &p->at[k], own);
    fly_flexible_frames.biases(Bq, Bv, at->q, at->v, &p->at[k], own);
    load_of(load, k, at, g, own);
    fly_flexible_frames.loads(W, at->q, load, false, &p->at[k], own);
    for (int i = 0; i < n * n; i++)
      K[i] += W[i];
    add_product(K, n, J, Bq, -p->mass[k]);
    add_product(C, n, J, Bv, -p->mass[k]);
  }
}

double fly_flexible_points_kinetic(const fly_body_at *at, const fly_body_own *own) {
  const fly_flexible_points *p = points_of(own);
  const int n = size_of(own);
  double J[6 * N], sum = fly_flexible_kinetic(at, &p->rest);
  for (int k = 0; k < p->count; k++) {
    fly_flexible_frames.jacobian(J, at->q, &p->at[k], own);
    for (int i = 0; i < 3; i++) {
      double speed = 0;
      for (int j = 0; j < n; j++)
        speed += J[n * i + j] * at->v[j];
      sum += p->mass[k] * speed * speed / 2;
    }
  }
  return sum;
}

double fly_flexible_points_weight(const fly_body_at *at, const double g[3], const fly_body_own *own) {
  const fly_flexible_points *p = points_of(own);
  double sum = 0;
  for (int k = 0; k < p->count; k++) {
    fly_kinematics f;
    fly_flexible_frames.position(&f, at->q, &p->at[k], own);
    sum -= p->mass[k] * fly_dot3(g, f.r);
  }
  return sum;
}
