#include "geometry/distance.h"

#include <math.h>
#include <string.h>

#include "math/so3.h"

static const double NEAR = 1e-13;  // of the size: they touch
static const double SAME = 1e-15;  // of the size squared: directions that do not span anything
static const double ENOUGH = 1e-9; // of the distance squared: no point comes nearer
enum { LOOKS = 120 };

void fly_apart_support(fly_apart *out, const fly_posed *a, const fly_posed *b, const double d[3]) {
  const double back[3] = {-d[0], -d[1], -d[2]};
  fly_posed_support(out->b, b, d);
  fly_posed_support(out->a, a, back);
  for (int k = 0; k < 3; k++)
    out->w[k] = out->b[k] - out->a[k];
}

// ------------------------------------------------------------------------------------------ of a simplex

typedef struct simplex {
  fly_apart point[4];
  double share[4]; // of each in the point next to 0
  int count;
} simplex;

// Shares of the points of a subset in the point of their plane next to 0, by elimination; false: they span no less.
static bool shares_of(double share[4], const simplex *s, const int *which, int count) {
  double G[3][4] = {{0}}, e[3][3];
  const double *first = s->point[which[0]].w;
  for (int i = 0; i + 1 < count; i++)
    for (int c = 0; c < 3; c++)
      e[i][c] = s->point[which[i + 1]].w[c] - first[c];
  for (int i = 0; i + 1 < count; i++) {
    for (int j = 0; j + 1 < count; j++)
      G[i][j] = fly_dot3(e[i], e[j]);
    G[i][3] = -fly_dot3(e[i], first);
  }
  const double size = fmax(G[0][0], fmax(G[1][1], G[2][2]));
  for (int k = 0; k + 1 < count; k++) { // G is positive definite: no exchange is needed
    if (G[k][k] <= SAME * size)
      return false;
    for (int i = k + 1; i + 1 < count; i++) {
      const double f = G[i][k] / G[k][k];
      for (int j = k; j < 4; j++)
        G[i][j] -= f * G[k][j];
    }
  }
  share[0] = 1;
  for (int k = count - 2; k >= 0; k--) {
    share[k + 1] = G[k][3];
    for (int j = k + 1; j + 1 < count; j++)
      share[k + 1] -= G[k][j] * share[j + 1];
    share[k + 1] /= G[k][k];
    share[0] -= share[k + 1];
  }
  return true;
}

static bool all_positive(const double *share, int count) {
  for (int k = 0; k < count; k++)
    if (!(share[k] > 0))
      return false;
  return true;
}

static void combine(double out[3], const simplex *s, const int *which, const double *share, int count) {
  memset(out, 0, 3 * sizeof *out);
  for (int k = 0; k < count; k++)
    for (int c = 0; c < 3; c++)
      out[c] += share[k] * s->point[which[k]].w[c];
}

// The point of the simplex next to 0 lies inside one of its 15 corners, edges, faces and itself: of those whose shares
// are positive it is the nearest. The rest is let go.
static void reduce(simplex *s, double v[3]) {
  double best = INFINITY, best_share[4] = {0};
  int best_which[4] = {0}, best_count = 0;
  memset(v, 0, 3 * sizeof *v);
  for (int mask = 1; mask < 1 << s->count; mask++) {
    int which[4] = {0}, count = 0;
    double share[4], x[3];
    for (int k = 0; k < s->count; k++)
      if (mask >> k & 1)
        which[count++] = k;
    if (!shares_of(share, s, which, count) || !all_positive(share, count))
      continue;
    combine(x, s, which, share, count);
    if (count == 4)
      memset(x, 0, sizeof x);
    if (fly_dot3(x, x) >= best)
      continue;
    best = fly_dot3(x, x);
    best_count = count;
    memcpy(best_which, which, sizeof which);
    memcpy(best_share, share, sizeof share);
    memcpy(v, x, sizeof x);
  }
  for (int k = 0; k < best_count; k++) { // which ascends: no point is written over before it is read
    s->point[k] = s->point[best_which[k]];
    s->share[k] = best_share[k];
  }
  s->count = best_count;
}

static bool holds(const simplex *s, const fly_apart *p) {
  for (int k = 0; k < s->count; k++)
    if (s->point[k].w[0] == p->w[0] && s->point[k].w[1] == p->w[1] && s->point[k].w[2] == p->w[2])
      return true;
  return false;
}

// ------------------------------------------------------------------------------------------ apart

static void witness(fly_between *out, const simplex *s) {
  memset(out, 0, sizeof *out);
  for (int k = 0; k < s->count; k++)
    for (int c = 0; c < 3; c++) {
      out->xa[c] += s->share[k] * s->point[k].a[c];
      out->xb[c] += s->share[k] * s->point[k].b[c];
    }
}

// Of a triangle its own normal, which does not fade as the distance does.
static void normal_of(fly_between *out, const simplex *s, const double v[3]) {
  double n[3], e[2][3];
  memcpy(n, v, sizeof n);
  if (s->count == 3) {
    for (int k = 0; k < 2; k++)
      for (int c = 0; c < 3; c++)
        e[k][c] = s->point[k + 1].w[c] - s->point[0].w[c];
    fly_cross(n, e[0], e[1]);
  }
  const double size = sqrt(fly_dot3(n, n)) * (fly_dot3(n, v) < 0 ? -1 : 1);
  for (int c = 0; c < 3; c++)
    out->n[c] = n[c] / size;
  out->g = fly_dot3(out->n, v);
}

static double size_of(const fly_posed *a, const fly_posed *b) {
  return fmax(fly_solid_reach(a->s), fly_solid_reach(b->s));
}

void fly_between_find(fly_between *out, const fly_posed *a, const fly_posed *b) {
  const double size = size_of(a, b);
  simplex s = {.count = 1, .share = {1}};
  double v[3], d[3];
  for (int c = 0; c < 3; c++)
    v[c] = b->o[c] - a->o[c];
  if (fly_dot3(v, v) == 0)
    v[2] = 1;
  for (int c = 0; c < 3; c++)
    d[c] = -v[c];
  fly_apart_support(&s.point[0], a, b, d);
  memcpy(v, s.point[0].w, sizeof v);
  for (int look = 0; look < LOOKS; look++) {
    const double vv = fly_dot3(v, v);
    fly_apart next;
    if (s.count == 4 || vv <= NEAR * NEAR * size * size) {
      fly_between_grow(out, a, b, s.point, s.count, size);
      return;
    }
    for (int c = 0; c < 3; c++)
      d[c] = -v[c];
    fly_apart_support(&next, a, b, d);
    if (vv - fly_dot3(v, next.w) <= ENOUGH * vv || holds(&s, &next))
      break;
    const simplex before = s;
    double w[3];
    s.point[s.count++] = next;
    reduce(&s, w);
    if (s.count < 4 && fly_dot3(w, w) >= vv) { // rounding has the last word
      s = before;
      break;
    }
    memcpy(v, w, sizeof v);
  }
  witness(out, &s);
  normal_of(out, &s, v);
}
