// Sums of inertia of a reduced body (docs/theory/flexible.md, F-sums), from the mass matrix of its elements. With
// nodal velocities in place of those of points, sum m a b^T becomes sum_kl m_kl a_k b_l^T, m_kl the mean of the three
// entries by which displacements of nodes k and l along the same axis are coupled. Of tetrahedra that is the whole
// mass matrix, and the kinetic energy is exactly that of the mesh. Of beams, and where nodes are tied to a point, there
// is more: what M has beyond m_kl where nothing is deformed goes into J_R and N_R, so that mass, centre, inertia and
// what is linear in the deformation are those of M; what is left out is of second order in it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fem/reduce.h"
#include "math/so3.h"
#include "sparse/dense.h"

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

void fly_reduce_mean_mass(double *Y, const fly_fem_system *s, const double *x) {
  memset(Y, 0, 3 * (size_t)s->groups * sizeof *Y);
  for (int g = 0; g < s->groups; g++)
    for (int i = 0; i < 3; i++) {
      const int j = s->start[g] + i;
      int k = s->pattern.start[j];
      for (int e = s->first[g]; e < s->first[g + 1]; e++) {
        const int other = s->near[e];
        const double m = s->M[k + i] / 3;
        for (int c = 0; c < 3; c++)
          Y[3 * other + c] += m * x[3 * g + c];
        k += s->start[other + 1] - s->start[other];
      }
    }
}

static void displacements(double *out, const fly_fem_system *s, const double *x) {
  for (int g = 0; g < s->groups; g++)
    memcpy(out + 3 * (size_t)g, x + s->start[g], 3 * sizeof *out);
}

// A = sum a_k b_k^T (3 x 3)
static void outer(double A[9], const double *a, const double *b, int groups) {
  memset(A, 0, 9 * sizeof *A);
  for (int g = 0; g < groups; g++)
    for (int c = 0; c < 9; c++)
      A[c] += a[3 * g + c / 3] * b[3 * g + c % 3];
}

// ------------------------------------------------------------------------------------------ where nothing is deformed

typedef struct whole {
  double *R, *MR; // motions as a whole, and M times them (6 x unknowns)
  double T[36];   // R^T M R
} whole;

static void find_whole(whole *w, const fly_fem_system *s) {
  for (int i = 0; i < 6; i++) {
    fly_reduce_rigid(w->R + (size_t)i * (size_t)s->unknowns, s, i);
    fly_fem_multiply(w->MR + (size_t)i * (size_t)s->unknowns, s, s->M, w->R + (size_t)i * (size_t)s->unknowns);
  }
  for (int i = 0; i < 36; i++)
    w->T[i] =
        dot(w->R + (size_t)(i / 6) * (size_t)s->unknowns, w->MR + (size_t)(i % 6) * (size_t)s->unknowns, s->unknowns);
}

// T = (m, -m [c]; ., J)
static void take_whole(fly_reduction *r, const whole *w, const double X[9]) {
  const double *T = w->T;
  r->info.mass = (T[0] + T[7] + T[14]) / 3;
  r->S[0] = (T[6 * 1 + 5] - T[6 * 2 + 4]) / 2; // rows along, columns about
  r->S[1] = (T[6 * 2 + 3] - T[6 * 0 + 5]) / 2;
  r->S[2] = (T[6 * 0 + 4] - T[6 * 1 + 3]) / 2;
  memcpy(r->X, X, sizeof r->X);
  const double trace = X[0] + X[4] + X[8];
  for (int c = 0; c < 9; c++)
    r->JR[c] = T[6 * (3 + c / 3) + 3 + c % 3] - ((c % 4 == 0 ? trace : 0) - X[c]);
}

// About the centre: J - m (c . c - c c^T).
static void tell_inertia(fly_reduction *r, const whole *w) {
  double *c = r->info.center;
  for (int i = 0; i < 3; i++)
    c[i] = r->S[i] / r->info.mass;
  const double cc = fly_dot3(c, c);
  for (int i = 0; i < 9; i++)
    r->info.inertia[i] =
        w->T[6 * (3 + i / 3) + 3 + i % 3] - r->info.mass * ((i % 4 == 0 ? cc : 0) - c[i / 3] * c[i % 3]);
}

// ------------------------------------------------------------------------------------------ modes

static void sums_of_mode(fly_reduction *r, int j, const whole *w, const double *Y, const double *place) {
  const int n = r->s.unknowns;
  const double *phi = r->Phi + (size_t)j * (size_t)n;
  double *Q = r->Q + 9 * (size_t)j, about[3];
  outer(Q, Y, place, r->s.groups); // sum m_kl phi_k s_l^T
  for (int i = 0; i < 3; i++) {
    r->N[3 * j + i] = dot(w->MR + (size_t)i * (size_t)n, phi, n);
    about[i] = dot(w->MR + (size_t)(3 + i) * (size_t)n, phi, n);
  }
  // d_j = sum s x phi = axial(Q)
  r->NR[3 * j] = about[0] - (Q[7] - Q[5]);
  r->NR[3 * j + 1] = about[1] - (Q[2] - Q[6]);
  r->NR[3 * j + 2] = about[2] - (Q[3] - Q[1]);
}

// P_ji = sum m_kl phi_jk phi_il^T, all at once: A^T Y with the modes' x, y and z as 3 modes columns.
static fly_status sums_of_pairs(fly_reduction *r, const double *A, const double *Y) {
  const int m = r->info.modes, groups = r->s.groups, wide = 3 * m;
  double *C = fly_arena_doubles(&r->memory, (size_t)wide * (size_t)wide);
  if (!C)
    return fly_reduce_no_memory(r);
  fly_dense_multiply(C, 'T', 'N', wide, wide, groups, 1, A, Y, 0);
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++)
      for (int c = 0; c < 9; c++) {
        const size_t row = (size_t)(3 * j + c / 3), column = (size_t)(3 * i + c % 3);
        r->P[9 * (size_t)(m * j + i) + (size_t)c] =
            (C[column * (size_t)wide + row] + C[row * (size_t)wide + column]) / 2;
      }
  return FLY_OK;
}

// Into columns of one coordinate each.
static void spread(double *A, const double *x, int groups, int mode) {
  for (int g = 0; g < groups; g++)
    for (int c = 0; c < 3; c++)
      A[(size_t)(3 * mode + c) * (size_t)groups + (size_t)g] = x[3 * (size_t)g + (size_t)c];
}

// Modal masses; what the modes have in common where they should have nothing.
static fly_status modal_matrices(fly_reduction *r) {
  const int n = r->s.unknowns, m = r->info.modes;
  double *MPhi = fly_zeroed((size_t)n * 16, sizeof *MPhi);
  for (int first = 0; MPhi && first < m; first += 16) {
    const int some = m - first < 16 ? m - first : 16;
    for (int k = 0; k < some; k++)
      fly_fem_multiply(MPhi + (size_t)k * (size_t)n, &r->s, r->s.M, r->Phi + (size_t)(first + k) * (size_t)n);
    fly_dense_multiply(r->Mm + (size_t)first * (size_t)m, 'T', 'N', m, some, n, 1, r->Phi, MPhi, 0);
  }
  free(MPhi);
  if (!MPhi)
    return fly_reduce_no_memory(r);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++)
      if (i != j) {
        const double size = sqrt(r->Mm[(m + 1) * i] * r->Mm[(m + 1) * j]);
        r->info.coupling = fmax(r->info.coupling, fabs(r->Mm[m * i + j]) / size);
        r->Mm[m * i + j] = 0; // rounding
      }
  for (int i = 0; i < m; i++)
    r->Km[(m + 1) * i] = r->square[i] * r->Mm[(m + 1) * i];
  return FLY_OK;
}

static bool take(fly_reduction *r) {
  const size_t m = (size_t)r->info.modes;
  r->N = fly_arena_doubles(&r->memory, 3 * m);
  r->NR = fly_arena_doubles(&r->memory, 3 * m);
  r->Q = fly_arena_doubles(&r->memory, 9 * m);
  r->P = fly_arena_doubles(&r->memory, 9 * m * m);
  r->Mm = fly_arena_doubles(&r->memory, m * m);
  r->Km = fly_arena_doubles(&r->memory, m * m);
  return !r->memory.failed;
}

fly_status fly_reduce_sums(fly_reduction *r) {
  const size_t n = (size_t)r->s.unknowns, wide = 3 * (size_t)r->info.modes, groups = (size_t)r->s.groups;
  fly_arena memory = {0};
  whole w = {.R = fly_arena_doubles(&memory, 6 * n), .MR = fly_arena_doubles(&memory, 6 * n)};
  double *A = fly_arena_doubles(&memory, wide * groups), *Y = fly_arena_doubles(&memory, wide * groups);
  double *x = fly_arena_doubles(&memory, 3 * groups), *y = fly_arena_doubles(&memory, 3 * groups), X[9];
  fly_status status = memory.failed || !take(r) ? fly_reduce_no_memory(r) : FLY_OK;
  fly_reduce_tell(r, "sums of inertia", 0);
  if (status == FLY_OK) {
    find_whole(&w, &r->s);
    fly_reduce_mean_mass(y, &r->s, r->s.place);
    outer(X, y, r->s.place, r->s.groups);
    take_whole(r, &w, X);
    tell_inertia(r, &w);
  }
  for (int j = 0; j < r->info.modes && status == FLY_OK; j++) {
    displacements(x, &r->s, r->Phi + (size_t)j * n);
    fly_reduce_mean_mass(y, &r->s, x);
    sums_of_mode(r, j, &w, y, r->s.place);
    spread(A, x, r->s.groups, j);
    spread(Y, y, r->s.groups, j);
  }
  if (status == FLY_OK)
    status = sums_of_pairs(r, A, Y);
  if (status == FLY_OK)
    status = modal_matrices(r);
  fly_arena_free(&memory);
  return status;
}
