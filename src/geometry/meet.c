// The nearest points of two features x_a(s) and x_b(t), with n their common normal and g their distance, solve
//
//   n . x_a,i = 0,   n . x_b,i = 0,   x_b - x_a - g n = 0,   (n . n - 1)/2 = 0
//
// whether they are apart or in each other, and at g = 0 too (docs/theory/contact.md, T-features). Newton's method finds
// them from where the distance algorithm ends, and one more solution with the same matrix for each move of the second
// body gives the derivatives.
#include "geometry/meet.h"

#include <math.h>
#include <string.h>

enum { MOST = 8, ROUNDS = 12 };
static const double TRUE = 1e-9;     // of the size: the features are those whose distance this is
static const double PIVOT = 1e-11;   // below it a direction is free: any will do
static const double SETTLED = 1e-15; // of the size

typedef struct meeting {
  const fly_posed *a, *b;
  fly_feature fa, fb;
  double n[3], g, size;
} meeting;

static int count_of(const meeting *m) { return m->fa.count + m->fb.count + 4; }

// ------------------------------------------------------------------------------------------ the equations

// Lengths over the size of the cores, so that all rows are alike: unknowns (ds, dt)/size, dn, dg/size.
static void fill(double M[MOST][MOST], const meeting *m) {
  const int na = m->fa.count, nb = m->fb.count, n = na + nb;
  memset(M, 0, MOST * sizeof *M);
  for (int i = 0; i < n; i++) {
    const fly_feature *f = i < na ? &m->fa : &m->fb;
    const int own = i < na ? i : i - na, first = i < na ? 0 : na;
    for (int j = 0; j < f->count; j++)
      M[i][first + j] = m->size * fly_dot3(m->n, f->bend[own + j]);
    for (int c = 0; c < 3; c++) {
      M[i][n + c] = f->T[own][c];
      M[n + c][i] = (i < na ? -1 : 1) * f->T[own][c];
    }
  }
  for (int c = 0; c < 3; c++) {
    M[n + c][n + c] = -m->g / m->size;
    M[n + c][n + 3] = -m->n[c];
    M[n + 3][n + c] = m->n[c];
  }
}

static void residual(double r[MOST], const meeting *m) {
  const int na = m->fa.count, n = na + m->fb.count;
  for (int i = 0; i < n; i++)
    r[i] = fly_dot3(m->n, i < na ? m->fa.T[i] : m->fb.T[i - na]);
  for (int c = 0; c < 3; c++)
    r[n + c] = (m->fb.x[c] - m->fa.x[c] - m->g * m->n[c]) / m->size;
  r[n + 3] = (fly_dot3(m->n, m->n) - 1) / 2;
}

static void exchange(double *a, double *b, int count) {
  for (int k = 0; k < count; k++) {
    const double keep = a[k];
    a[k] = b[k];
    b[k] = keep;
  }
}

// M x = -R for several right sides, by elimination with full exchange; where nothing is left to divide by, the unknown
// stays 0.
static void solve(double M[MOST][MOST], double R[MOST][FLY_MOVES], int n, int sides) {
  int order[MOST], rank = 0;
  double x[MOST][FLY_MOVES] = {{0}};
  for (int k = 0; k < n; k++)
    order[k] = k;
  for (; rank < n; rank++) {
    int row = rank, col = rank;
    for (int i = rank; i < n; i++)
      for (int j = rank; j < n; j++)
        if (fabs(M[i][j]) > fabs(M[row][col])) {
          row = i;
          col = j;
        }
    if (fabs(M[row][col]) < PIVOT)
      break;
    exchange(M[rank], M[row], n);
    exchange(R[rank], R[row], sides);
    for (int i = 0; i < n; i++)
      exchange(&M[i][rank], &M[i][col], 1);
    const int keep = order[rank];
    order[rank] = order[col];
    order[col] = keep;
    for (int i = rank + 1; i < n; i++) {
      const double f = M[i][rank] / M[rank][rank];
      for (int j = rank; j < n && f != 0; j++)
        M[i][j] -= f * M[rank][j];
      for (int k = 0; k < sides; k++)
        R[i][k] -= f * R[rank][k];
    }
  }
  for (int k = 0; k < sides; k++)
    for (int i = rank - 1; i >= 0; i--) {
      double sum = -R[i][k];
      for (int j = i + 1; j < rank; j++)
        sum -= M[i][j] * x[order[j]][k];
      x[order[i]][k] = sum / M[i][i];
    }
  memcpy(R, x, sizeof x);
}

// ------------------------------------------------------------------------------------------ Newton

static void shift(fly_feature *f, const fly_posed *w, double R[MOST][FLY_MOVES], int first, double size) {
  for (int i = 0; i < f->count; i++)
    for (int c = 0; c < 3; c++)
      f->x[c] += size * R[first + i][0] * f->T[i][c];
  fly_feature_place(f, w);
}

// One step; how far it went.
static double improve(meeting *m) {
  const int n = count_of(m), na = m->fa.count, nb = m->fb.count;
  double M[MOST][MOST], r[MOST], R[MOST][FLY_MOVES] = {{0}}, far = 0;
  fill(M, m);
  residual(r, m);
  for (int k = 0; k < n; k++)
    R[k][0] = r[k];
  solve(M, R, n, 1);
  for (int k = 0; k < n; k++)
    far = fmax(far, fabs(R[k][0]));
  for (int k = 0; far > 0.5 && k < n; k++) // no farther than features are what they are
    R[k][0] *= 0.5 / far;
  shift(&m->fa, m->a, R, 0, m->size);
  shift(&m->fb, m->b, R, na, m->size);
  for (int c = 0; c < 3; c++)
    m->n[c] += R[na + nb + c][0];
  m->g += m->size * R[n - 1][0];
  return far;
}

static double worst(const meeting *m) {
  double r[MOST], most = 0;
  residual(r, m);
  for (int k = 0; k < count_of(m); k++)
    most = fmax(most, fabs(r[k]));
  return most;
}

// Both points are of their cores, which reach no farther along the normal: then nothing is nearer.
static bool is_true(const meeting *m) {
  const double back[3] = {-m->n[0], -m->n[1], -m->n[2]};
  const double limit = TRUE * m->size;
  return worst(m) < TRUE && fly_posed_excess(m->a, m->fa.x, m->n) < limit &&
         fly_posed_excess(m->b, m->fb.x, back) < limit;
}

// With features that are flat to so many radians.
static bool attempt(meeting *m, const fly_between *from, double coarse) {
  const double back[3] = {-from->n[0], -from->n[1], -from->n[2]};
  memcpy(m->n, from->n, sizeof m->n);
  m->g = from->g;
  fly_feature_find(&m->fa, m->a, from->xa, from->n, coarse);
  fly_feature_find(&m->fb, m->b, from->xb, back, coarse);
  if (m->fa.count == 0 && m->fb.count == 0 && fabs(m->g) < 1e-9 * m->size)
    return false; // two corners at one place have no normal
  for (int k = 0; k < ROUNDS; k++)
    if (improve(m) < SETTLED)
      break;
  return isfinite(m->g) && is_true(m);
}

// ------------------------------------------------------------------------------------------ derivatives

// What a move does to the second feature: dp, or dphi x (x - p), and dphi x T.
static void moved(double dx[3], double dT[2][3], const meeting *m, const double p[3], int column) {
  const double unit[3] = {column % 3 == 0, column % 3 == 1, column % 3 == 2};
  const double arm[3] = {m->fb.x[0] - p[0], m->fb.x[1] - p[1], m->fb.x[2] - p[2]};
  memset(dT, 0, 2 * sizeof *dT);
  memcpy(dx, unit, sizeof unit);
  if (column < 3)
    return;
  fly_cross(dx, unit, arm);
  for (int k = 0; k < 2; k++)
    fly_cross(dT[k], unit, m->fb.T[k]);
}

static void carry(fly_meeting *out, const meeting *m, const double p[3]) {
  const int na = m->fa.count, nb = m->fb.count, n = na + nb;
  double M[MOST][MOST], R[MOST][FLY_MOVES] = {{0}}, dx[FLY_MOVES][3], dT[2][3];
  fill(M, m);
  for (int k = 0; k < FLY_MOVES; k++) {
    moved(dx[k], dT, m, p, k);
    for (int i = 0; i < nb; i++)
      R[na + i][k] = fly_dot3(m->n, dT[i]);
    for (int c = 0; c < 3; c++)
      R[n + c][k] = dx[k][c] / m->size;
  }
  solve(M, R, n + 4, FLY_MOVES);
  for (int c = 0; c < 3; c++) {
    out->xa[0][c] = m->fa.x[c];
    out->xb[0][c] = m->fb.x[c];
    out->n[0][c] = m->n[c];
  }
  for (int k = 0; k < FLY_MOVES; k++)
    for (int c = 0; c < 3; c++) {
      double *xa = &out->xa[1 + k][c], *xb = &out->xb[1 + k][c];
      *xa = 0;
      *xb = dx[k][c];
      for (int i = 0; i < na; i++)
        *xa += m->size * R[i][k] * m->fa.T[i][c];
      for (int i = 0; i < nb; i++)
        *xb += m->size * R[na + i][k] * m->fb.T[i][c];
      out->n[1 + k][c] = R[n + c][k];
    }
  out->g = m->g;
}

// Where no features are found: the points as they are, which the second body takes along.
static void carry_points(fly_meeting *out, const fly_between *from, const double p[3]) {
  memset(out, 0, sizeof *out);
  for (int c = 0; c < 3; c++) {
    const double unit[3] = {c == 0, c == 1, c == 2};
    const double arm[3] = {from->xb[0] - p[0], from->xb[1] - p[1], from->xb[2] - p[2]};
    out->xa[0][c] = from->xa[c];
    out->xb[0][c] = from->xb[c];
    out->n[0][c] = from->n[c];
    out->xb[1 + c][c] = 1;
    fly_cross(out->xb[4 + c], unit, arm);
  }
  out->g = from->g;
}

void fly_meeting_find(fly_meeting *out, const fly_posed *a, const fly_posed *b, const double p[3]) {
  static const double coarse[] = {1e-5, 1e-3, 1e-8, 3e-2, 1e-11};
  meeting m = {.a = a, .b = b};
  fly_between from;
  fly_between_find(&from, a, b);
  m.size = fmax(fmax(fly_solid_reach(a->s), fly_solid_reach(b->s)), fabs(from.g));
  for (int k = 0; k < 5; k++)
    if (attempt(&m, &from, coarse[k])) {
      carry(out, &m, p);
      out->exact = true;
      return;
    }
  carry_points(out, &from, p);
  out->exact = false;
}
