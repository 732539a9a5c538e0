// Craig and Bampton's reduction (AIAA Journal 6, 1968), docs/theory/flexible.md (F-reduce): of the unknowns those of
// the interface are b, the others i;
//
//   Psi = -K_ii^-1 K_ib            static modes: one unknown of the interface moved by one
//   K_ii phi = w^2 M_ii phi        modes with the interface held
//   B = (1, 0; Psi, Phi),   B^T K B x = w^2 B^T M B x
//
// The eigenvectors x make the modes orthogonal; those of the six motions as a whole have w = 0 and are taken out.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fem/reduce.h"
#include "math/constants.h"
#include "sparse/arpack.h"
#include "sparse/cholesky.h"
#include "sparse/dense.h"

enum { DENSE = 400, BATCH = 16 }; // unknowns up to which all modes are found; right sides at a time

typedef struct inverting {
  fly_reduction *r;
  fly_cholesky *c;
  long solved;
  int expected;
  fly_status status;
} inverting;

static void apply_inverse(double *y, const double *x, void *user) {
  inverting *v = user;
  memcpy(y, x, (size_t)v->r->s.unknowns * sizeof *y);
  if (v->status == FLY_OK)
    v->status = fly_cholesky_solve(v->c, y, 1, v->r->error);
  v->solved++;
  fly_reduce_tell(v->r, "modes", 1 - exp(-(double)v->solved / v->expected));
}

// M of what is not held.
static void apply_mass(double *y, const double *x, void *user) {
  const inverting *v = user;
  const fly_reduction *r = v->r;
  fly_fem_multiply(y, &r->s, r->s.M, x);
  for (int k = 0; k < r->nb; k++)
    y[r->boundary[k]] = 0;
}

// ------------------------------------------------------------------------------------------ static modes

static void put_right_side(double *x, const fly_reduction *r, int unknown) {
  const fly_csc *p = &r->s.pattern;
  for (int k = p->start[unknown]; k < p->start[unknown + 1]; k++)
    x[p->row[k]] = -p->val[k];
}

static fly_status static_modes(fly_reduction *r, fly_cholesky *c) {
  const size_t n = (size_t)r->s.unknowns;
  fly_status status = FLY_OK;
  for (int first = 0; first < r->nb && status == FLY_OK; first += BATCH) {
    const int count = r->nb - first < BATCH ? r->nb - first : BATCH;
    double *X = r->B + (size_t)first * n;
    for (int k = 0; k < count; k++)
      put_right_side(X + (size_t)k * n, r, r->boundary[first + k]);
    status = fly_cholesky_solve(c, X, count, r->error); // zero at the interface
    for (int k = 0; k < count; k++)
      X[(size_t)k * n + (size_t)r->boundary[first + k]] = 1;
    fly_reduce_tell(r, "static modes", (double)(first + count) / r->nb);
  }
  return status;
}

// ------------------------------------------------------------------------------------------ modes held

// All of them, of a small body: K and M of what is not held, dense.
static fly_status dense_modes(fly_reduction *r, int inner, double *Z) {
  const fly_csc *p = &r->s.pattern;
  const size_t n = (size_t)inner;
  fly_arena memory = {0};
  double *K = fly_arena_doubles(&memory, n * n), *M = fly_arena_doubles(&memory, n * n);
  double *mu = fly_arena_doubles(&memory, n);
  int *to = fly_arena_ints(&memory, (size_t)r->s.unknowns);
  if (memory.failed)
    return fly_arena_free(&memory), fly_reduce_no_memory(r);
  for (int k = 0; k < r->nb; k++)
    to[r->boundary[k]] = -1;
  for (int i = 0, at = 0; i < r->s.unknowns; i++)
    to[i] = to[i] < 0 ? -1 : at++;
  for (int j = 0; j < r->s.unknowns; j++)
    for (int k = p->start[j]; to[j] >= 0 && k < p->start[j + 1]; k++)
      if (to[p->row[k]] >= 0) {
        K[(size_t)to[j] * n + (size_t)to[p->row[k]]] = p->val[k];
        M[(size_t)to[j] * n + (size_t)to[p->row[k]]] = r->s.M[k];
      }
  fly_status status = fly_dense_eigen_symmetric(mu, K, M, inner, r->error);
  for (int m = 0; m < r->info.fixed && status == FLY_OK; m++) {
    r->fixed_square[m] = mu[m];
    for (int i = 0; i < r->s.unknowns; i++)
      Z[(size_t)m * (size_t)r->s.unknowns + (size_t)i] = to[i] < 0 ? 0 : K[(size_t)m * n + (size_t)to[i]];
  }
  fly_arena_free(&memory);
  return status;
}

static fly_status large_modes(fly_reduction *r, fly_cholesky *c, double shift, double *Z) {
  inverting v = {.r = r, .c = c, .expected = 2 * r->info.fixed + 20};
  const fly_symmetric_pencil p = {.n = r->s.unknowns,
                                  .rank = fly_cholesky_free_count(c),
                                  .invert = apply_inverse,
                                  .mass = apply_mass,
                                  .shift = -shift,
                                  .user = &v};
  int found = 0;
  fly_status status = fly_arpack_symmetric(&p, r->info.fixed, r->fixed_square, Z, &found, r->error);
  if (status == FLY_OK && v.status)
    status = v.status;
  if (status == FLY_OK && found < r->info.fixed) {
    fly_reduce_note(r, "only %d of %d modes with the interface held converged; the others are left out", found,
                    r->info.fixed);
    r->info.fixed = found;
  }
  return status;
}

// What a motion of the interface as a whole takes along: (phi^T M r)^2/(phi^T M phi).
static void measure_fixed(fly_reduction *r, const double *Z, double *Mx, double *rigid) {
  const size_t n = (size_t)r->s.unknowns;
  for (int way = 0; way < 6; way++) {
    fly_reduce_rigid(rigid, &r->s, way);
    for (int k = 0; k < r->nb; k++)
      rigid[r->boundary[k]] = 0;
    fly_fem_multiply(Mx, &r->s, r->s.M, rigid);
    for (size_t i = 0; i < n; i++)
      r->info.total[way] += rigid[i] * Mx[i];
    for (int m = 0; m < r->info.fixed; m++) {
      double part = 0;
      for (size_t i = 0; i < n; i++)
        part += Z[(size_t)m * n + i] * Mx[i];
      r->fixed_mode[m].effective[way] = part * part; // phi^T M phi = 1
      r->info.effective[way] += part * part;
      r->fixed_mode[m].frequency = sqrt(fmax(r->fixed_square[m], 0)) / (2 * FLY_PI);
    }
  }
}

// Without an interface nothing holds the body, and K alone is singular.
static double shift_of(const fly_reduction *r) {
  double least = INFINITY;
  for (int j = 0; j < r->s.unknowns && r->nb == 0; j++) {
    const int k = fly_csc_find(&r->s.pattern, j, j);
    if (k >= 0 && r->s.M[k] > 0)
      least = fmin(least, r->s.pattern.val[k] / r->s.M[k]);
  }
  return r->nb == 0 ? 1e-6 * least : 0;
}

static void tell_factor(double share, void *user) { fly_reduce_tell(user, "factorization", share); }

static fly_status factor(fly_reduction *r, fly_cholesky **c, double shift) {
  const fly_cholesky_order order = {r->s.groups, r->s.start, r->s.place, r->held};
  fly_reduce_tell(r, "factorization", 0);
  fly_status status = fly_cholesky_create(c, &r->s.pattern, &order, r->error);
  if (status)
    return status;
  r->info.factor_entries = (double)fly_cholesky_entries(*c);
  status = fly_cholesky_factor(*c, r->s.pattern.val, r->s.M, shift, tell_factor, r, r->error);
  if (status == FLY_SINGULAR)
    return fly_fail(r->error, FLY_BAD_INPUT, NAN,
                    "The stiffness matrix of what the interface holds is not positive definite: a part of the body can "
                    "still move freely (a hinge, an element without stiffness, a node that only an edge holds), or its "
                    "units do not fit.");
  return status;
}

// How many modes with the interface held; ARPACK finds fewer than there are.
static void count_fixed(fly_reduction *r) {
  const int inner = r->s.unknowns - r->nb, most = inner <= DENSE || r->o.modes < 0 ? inner : inner - 1;
  r->info.fixed_possible = inner;
  r->info.fixed = r->o.modes < 0 || r->o.modes > most ? most : r->o.modes;
  if (r->nb == 0) // the rigid ones are among them
    r->info.fixed = r->info.fixed + 6 < most ? r->info.fixed + 6 : most;
}

static fly_status find_fixed(fly_reduction *r, fly_cholesky *c, double shift, double *Z) {
  const int inner = r->s.unknowns - r->nb;
  if (r->info.fixed == 0)
    return FLY_OK;
  return inner <= DENSE || r->info.fixed >= inner ? dense_modes(r, inner, Z) : large_modes(r, c, shift, Z);
}

static fly_status span(fly_reduction *r) {
  const size_t n = (size_t)r->s.unknowns;
  fly_cholesky *c = NULL;
  const double shift = shift_of(r);
  count_fixed(r);
  const size_t count = (size_t)(r->nb + r->info.fixed);
  r->B = fly_zeroed(n * (count + 1), sizeof *r->B);
  r->fixed_square = fly_arena_doubles(&r->memory, count);
  r->fixed_mode = fly_arena_take(&r->memory, count, sizeof *r->fixed_mode);
  double *scratch = fly_zeroed(2 * n, sizeof *scratch);
  if (!r->B || !scratch || r->memory.failed)
    return free(scratch), fly_reduce_no_memory(r);
  double *Z = r->B + n * (size_t)r->nb;
  fly_status status = factor(r, &c, shift);
  if (status == FLY_OK)
    status = static_modes(r, c);
  if (status == FLY_OK)
    status = find_fixed(r, c, shift, Z);
  if (status == FLY_OK)
    measure_fixed(r, Z, scratch, scratch + n);
  fly_cholesky_free(c);
  free(scratch);
  return status;
}

// ------------------------------------------------------------------------------------------ orthogonal modes

// out = B^T A B (count x count)
static bool project(double *out, const fly_reduction *r, const double *A, int count) {
  const size_t n = (size_t)r->s.unknowns;
  double *AB = fly_zeroed(n * (size_t)BATCH, sizeof *AB);
  for (int first = 0; AB && first < count; first += BATCH) {
    const int some = count - first < BATCH ? count - first : BATCH;
    for (int k = 0; k < some; k++)
      fly_fem_multiply(AB + (size_t)k * n, &r->s, A, r->B + (size_t)(first + k) * n);
    fly_dense_multiply(out + (size_t)first * (size_t)count, 'T', 'N', count, some, (int)n, 1, r->B, AB, 0);
  }
  free(AB);
  for (int i = 0; AB && i < count; i++)
    for (int j = 0; j < i; j++) {
      double *a = &out[(size_t)i * (size_t)count + (size_t)j], *b = &out[(size_t)j * (size_t)count + (size_t)i];
      *a = *b = (*a + *b) / 2;
    }
  return AB != NULL;
}

static fly_status check_rigid(fly_reduction *r, const double *mu, int count) {
  const double elastic = count > 6 ? mu[6] : mu[count - 1];
  for (r->info.rigid = 0; r->info.rigid < count && mu[r->info.rigid] < 1e-6 * elastic; r->info.rigid++)
    ;
  if (r->info.rigid != 6)
    return fly_fail(r->error, FLY_BAD_INPUT, NAN,
                    "The reduced body has %d motions without stiffness, not six: %s (its lowest frequencies: %.3g, "
                    "%.3g, %.3g Hz).",
                    r->info.rigid,
                    r->info.rigid > 6 ? "a part of it moves freely, as by a hinge"
                                      : "something holds it in space; take the supports out of its matrices",
                    sqrt(fmax(mu[0], 0)) / (2 * FLY_PI), sqrt(fmax(count > 6 ? mu[6] : 0, 0)) / (2 * FLY_PI),
                    sqrt(fmax(count > 7 ? mu[7] : 0, 0)) / (2 * FLY_PI));
  return FLY_OK;
}

// The diagonal of the box around the nodes.
static double size_of(const fly_fem_system *s) {
  double size[3];
  for (int i = 0; i < 3; i++) {
    double low = INFINITY, high = -INFINITY;
    for (int g = 0; g < s->groups; g++) {
      low = fmin(low, s->place[3 * (size_t)g + (size_t)i]);
      high = fmax(high, s->place[3 * (size_t)g + (size_t)i]);
    }
    size[i] = high - low;
  }
  return sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
}

// One metre where a mode moves most, or where its turn times the size of the body is more: the torsion of nodes on one
// line moves none of them (docs/theory/flexible.md, F-scale).
static void scale(double *phi, const fly_fem_system *s, double size) {
  double most = 0;
  for (int g = 0; g < s->groups; g++)
    for (int i = s->start[g]; i < s->start[g + 1]; i++)
      most = fmax(most, fabs(phi[i]) * (i < s->start[g] + 3 ? 1 : size));
  for (int i = 0; i < s->unknowns && most > 0; i++)
    phi[i] /= most;
}

static fly_status combine(fly_reduction *r, const double *mu, const double *X, int count) {
  const size_t n = (size_t)r->s.unknowns;
  const double size = size_of(&r->s);
  int last = count;
  while (isfinite(r->o.highest) && last > 6 && sqrt(fmax(mu[last - 1], 0)) > 2 * FLY_PI * r->o.highest)
    last--;
  r->info.cut = count - last;
  r->info.modes = last - 6;
  if (r->info.modes < 1)
    return fly_fail(r->error, FLY_BAD_INPUT, NAN,
                    "No mode is left: the lowest has %.4g Hz. Ask for a higher frequency, for modes, or take a rigid "
                    "body.",
                    count > 6 ? sqrt(fmax(mu[6], 0)) / (2 * FLY_PI) : 0);
  r->Phi = fly_zeroed(n * (size_t)r->info.modes, sizeof *r->Phi);
  r->square = fly_arena_doubles(&r->memory, (size_t)r->info.modes);
  r->frequency = fly_arena_doubles(&r->memory, (size_t)r->info.modes);
  if (!r->Phi || r->memory.failed)
    return fly_reduce_no_memory(r);
  fly_dense_multiply(r->Phi, 'N', 'N', (int)n, r->info.modes, count, 1, r->B, X + 6 * (size_t)count, 0);
  for (int m = 0; m < r->info.modes; m++) {
    r->square[m] = mu[6 + m];
    r->frequency[m] = sqrt(mu[6 + m]) / (2 * FLY_PI);
    scale(r->Phi + (size_t)m * n, &r->s, size);
  }
  return FLY_OK;
}

fly_status fly_reduce_modes(fly_reduction *r) {
  fly_arena memory = {0};
  fly_status status = span(r);
  const int count = r->nb + r->info.fixed;
  const size_t n = (size_t)count;
  double *K = fly_arena_doubles(&memory, n * n), *M = fly_arena_doubles(&memory, n * n);
  double *mu = fly_arena_doubles(&memory, n + 1);
  if (status == FLY_OK && memory.failed)
    status = fly_reduce_no_memory(r);
  fly_reduce_tell(r, "orthogonal modes", 0);
  if (status == FLY_OK && (!project(K, r, r->s.pattern.val, count) || !project(M, r, r->s.M, count)))
    status = fly_reduce_no_memory(r);
  if (status == FLY_OK)
    status = fly_dense_eigen_symmetric(mu, K, M, count, r->error);
  if (status == FLY_SINGULAR)
    status = fly_fail(r->error, FLY_BAD_INPUT, NAN,
                      "The mass of the reduced body is not positive definite: an unknown of its interface, or a node, "
                      "has no mass.");
  if (status == FLY_OK)
    status = check_rigid(r, mu, count);
  if (status == FLY_OK)
    status = combine(r, mu, K, count);
  fly_arena_free(&memory);
  free(r->B);
  r->B = NULL;
  return status;
}
