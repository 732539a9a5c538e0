// What a turn does to the stiffness of a reduced body (docs/theory/flexible.md, F-held and F-stiffening). A body that
// is held at one interface and turns about the origin of its mesh is pulled by W s, W = w.w - w w^T, at a point s. By
// the stresses sigma_ab of (e_a s_b + e_b s_a)/2, six loads, two modes have
//
//   K sigma_ab:   u_ab = K^-1 sum m_kl (e_a s_b + e_b s_a)_l/2,    G_ji,ab = -phi_j . K_g(u_ab) phi_i
//
// so that f_j = sum_i eta_i (tr G_ji w.w - w.G_ji w): as P_ji does, and G is added to it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fem/reduce.h"
#include "sparse/cholesky.h"
#include "sparse/dense.h"

enum { LOADS = 6 };

static const int PAIR[LOADS][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};

static int find_interface(const fly_reduction *r) {
  for (int k = 0; k < r->o.ninterface; k++)
    if (strcmp(r->o.interface[k].name, r->o.stiffening) == 0)
      return k;
  return -1;
}

fly_status fly_reduce_stiffening_check(const fly_reduction *r) {
  if (!r->o.stiffening)
    return FLY_OK;
  const int k = find_interface(r), g = k < 0 ? -1 : r->interface_group[k];
  if (g < 0)
    return fly_fail(r->error, FLY_BAD_INPUT, NAN, "Stiffening: there is no interface `%s` that could hold the body.",
                    r->o.stiffening);
  if (r->s.start[g + 1] - r->s.start[g] < 6)
    return fly_fail(r->error, FLY_BAD_INPUT, NAN,
                    "Stiffening: interface `%s` is a node that cannot turn, and holds the body in three ways only. Tie "
                    "a set of nodes to a point (NAME=set:SET).",
                    r->o.stiffening);
  if (r->file_unknowns)
    return fly_fail(r->error, FLY_BAD_INPUT, NAN,
                    "Stiffening comes from the stresses of elements: matrices have none. Reduce a mesh.");
  return FLY_OK;
}

// x = m_kl (e_a s_b + e_b s_a)_l/2; s and y: room (3 groups)
static void put_load(double *x, const fly_reduction *r, const int pair[2], double *s, double *y) {
  const int a = pair[0], b = pair[1];
  memset(s, 0, 3 * (size_t)r->s.groups * sizeof *s);
  for (int g = 0; g < r->s.groups; g++) {
    s[3 * g + a] += r->s.place[3 * g + b] / 2;
    s[3 * g + b] += r->s.place[3 * g + a] / 2;
  }
  fly_reduce_mean_mass(y, &r->s, s);
  for (int g = 0; g < r->s.groups; g++)
    memcpy(x + r->s.start[g], y + 3 * (size_t)g, 3 * sizeof *y);
}

// Columns of displacements by the six loads.
static fly_status find_pulled(fly_reduction *r, double *U) {
  const int group = r->interface_group[find_interface(r)];
  fly_arena memory = {0};
  bool *held = fly_arena_take(&memory, (size_t)r->s.groups, sizeof *held);
  double *s = fly_arena_doubles(&memory, 3 * (size_t)r->s.groups),
         *y = fly_arena_doubles(&memory, 3 * (size_t)r->s.groups);
  fly_cholesky *c = NULL;
  fly_status status = memory.failed ? fly_reduce_no_memory(r) : FLY_OK;
  if (status == FLY_OK) {
    held[group] = true;
    for (int k = 0; k < LOADS; k++)
      put_load(U + (size_t)k * (size_t)r->s.unknowns, r, PAIR[k], s, y);
    const fly_cholesky_order order = {r->s.groups, r->s.start, r->s.place, held};
    status = fly_cholesky_create(&c, &r->s.pattern, &order, r->error);
  }
  if (status == FLY_OK)
    status = fly_cholesky_factor(c, r->s.pattern.val, NULL, 0, NULL, NULL, r->error);
  if (status == FLY_SINGULAR)
    status = fly_fail(r->error, FLY_BAD_INPUT, NAN, "Stiffening: held at `%s` alone the body can still move.",
                      r->o.stiffening);
  if (status == FLY_OK)
    status = fly_cholesky_solve(c, U, LOADS, r->error);
  fly_cholesky_free(c);
  fly_arena_free(&memory);
  return status;
}

// G_ji,ab = G_ji,ba = -phi_j . A phi_i; Y: room (unknowns x modes), C: (modes x modes)
static void put_products(fly_reduction *r, const int pair[2], const double *A, double *Y, double *C) {
  const size_t n = (size_t)r->s.unknowns, m = (size_t)r->info.modes;
  for (size_t j = 0; j < m; j++)
    fly_fem_multiply(Y + j * n, &r->s, A, r->Phi + j * n);
  fly_dense_multiply(C, 'T', 'N', (int)m, (int)m, (int)n, 1, r->Phi, Y, 0);
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < m; i++) {
      double *G = r->G + 9 * (m * j + i);
      G[3 * pair[0] + pair[1]] = G[3 * pair[1] + pair[0]] = -(C[m * j + i] + C[m * i + j]) / 2;
    }
}

fly_status fly_reduce_stiffening(fly_reduction *r) {
  const size_t n = (size_t)r->s.unknowns, m = (size_t)r->info.modes;
  if (!r->o.stiffening)
    return FLY_OK;
  fly_reduce_tell(r, "stiffening", 0);
  fly_arena memory = {0};
  double *U = fly_arena_doubles(&memory, LOADS * n), *Y = fly_arena_doubles(&memory, n * m);
  double *A = fly_arena_doubles(&memory, (size_t)fly_csc_nnz(&r->s.pattern)), *C = fly_arena_doubles(&memory, m * m);
  r->G = fly_arena_doubles(&r->memory, 9 * m * m);
  fly_status status = memory.failed || r->memory.failed ? fly_reduce_no_memory(r) : find_pulled(r, U);
  for (int k = 0; k < LOADS && status == FLY_OK; k++) {
    fly_fem_stiffening(A, &r->s, U + (size_t)k * n);
    put_products(r, PAIR[k], A, Y, C);
    fly_reduce_tell(r, "stiffening", (k + 1.0) / LOADS);
  }
  fly_arena_free(&memory);
  return status;
}
