// How deep two convex cores are in each other: a polytope inside b - a grows until its face next to 0 is one of b - a
// (van den Bergen, Proximity queries and penetration depth computation on 3D game objects, 2001). Room is fixed; where
// it ends, bent cores are known to what was reached.
#include <math.h>
#include <string.h>

#include "geometry/distance.h"
#include "math/so3.h"

enum { CORNERS = 80, FACES = 2 * CORNERS, EDGES = 3 * CORNERS };
static const double ENOUGH = 1e-10; // of the size: the face is one of b - a, or near to it
static const double THIN = 1e-12;   // of the size: spans nothing

typedef struct face {
  int of[3];
  double n[3], far; // outwards, and its distance from 0
  bool gone;
} face;

typedef struct polytope {
  fly_apart corner[CORNERS];
  face face[FACES];
  int corners, faces;
  int edge[EDGES][2], edges; // of the hole
  double thin;               // what lies no farther above a face lies in it
} polytope;

// ------------------------------------------------------------------------------------------ the first

// The way to w from the affine hull of the simplex, which has an orthonormal basis of count - 1 directions.
static double off_span(double out[3], const double w[3], const fly_apart *s, double basis[3][3], int count) {
  for (int c = 0; c < 3; c++)
    out[c] = w[c] - s[0].w[c];
  for (int k = 0; k + 1 < count; k++) {
    const double along = fly_dot3(out, basis[k]);
    for (int c = 0; c < 3; c++)
      out[c] -= along * basis[k][c];
  }
  return sqrt(fly_dot3(out, out));
}

// A direction across all of the basis: of the axes, what is left of the one with the most.
static void across(double out[3], double basis[3][3], int count) {
  double best = -1;
  for (int k = 0; k < 3; k++) {
    const fly_apart nowhere = {{0}, {0}, {0}};
    const double unit[3] = {k == 0, k == 1, k == 2};
    double d[3];
    const double left = off_span(d, unit, &nowhere, basis, count);
    if (left > best) {
      best = left;
      for (int c = 0; c < 3; c++)
        out[c] = d[c] / left;
    }
  }
}

static void keep_direction(double basis[3][3], int k, const double d[3]) {
  const double size = sqrt(fly_dot3(d, d));
  for (int c = 0; c < 3; c++)
    basis[k][c] = d[c] / size;
}

// Corners of the simplex that span something, then more of b - a until there are four; fewer: b - a is flat, and stands
// across the direction given back.
static int fill(fly_apart s[4], int count, const fly_posed *a, const fly_posed *b, double size, double flat[3]) {
  double basis[3][3], d[3], off[3];
  int n = 1;
  for (int k = 1; k < count; k++)
    if (off_span(off, s[k].w, s, basis, n) > THIN * size) {
      s[n] = s[k];
      keep_direction(basis, n++ - 1, off);
    }
  while (n < 4) {
    across(d, basis, n);
    fly_apart more[2];
    const double back[3] = {-d[0], -d[1], -d[2]};
    fly_apart_support(&more[0], a, b, d);
    fly_apart_support(&more[1], a, b, back);
    double one[3], two[3];
    const double far[2] = {off_span(one, more[0].w, s, basis, n), off_span(two, more[1].w, s, basis, n)};
    const int best = far[1] > far[0];
    if (far[best] <= THIN * size) {
      memcpy(flat, d, sizeof d);
      return n;
    }
    s[n] = more[best];
    keep_direction(basis, n++ - 1, best ? two : one);
  }
  return n;
}

// ------------------------------------------------------------------------------------------ growing

static bool add_face(polytope *p, int i, int j, int k) {
  face *f = &p->face[p->faces];
  double e[2][3];
  const double *o = p->corner[i].w;
  if (p->faces == FACES)
    return false;
  for (int c = 0; c < 3; c++) {
    e[0][c] = p->corner[j].w[c] - o[c];
    e[1][c] = p->corner[k].w[c] - o[c];
  }
  *f = (face){.of = {i, j, k}};
  fly_cross(f->n, e[0], e[1]);
  const double size = sqrt(fly_dot3(f->n, f->n));
  for (int c = 0; c < 3; c++)
    f->n[c] = size > 0 ? f->n[c] / size : 0.0;
  f->far = size > 0 ? fly_dot3(f->n, o) : (double)INFINITY;
  p->faces++;
  return true;
}

static void start(polytope *p, const fly_apart s[4]) {
  double e[3][3], n[3];
  p->corners = 4;
  p->faces = 0;
  memcpy(p->corner, s, 4 * sizeof *s);
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 3; c++)
      e[k][c] = s[k + 1].w[c] - s[0].w[c];
  fly_cross(n, e[0], e[1]);
  const bool up = fly_dot3(n, e[2]) > 0; // the fourth above the first three: these are seen from below
  static const int order[2][4][3] = {{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}},
                                     {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
  for (int k = 0; k < 4; k++)
    add_face(p, order[up][k][0], order[up][k][1], order[up][k][2]);
}

static const face *nearest_face(const polytope *p) {
  const face *best = NULL;
  for (int k = 0; k < p->faces; k++)
    if (!p->face[k].gone && (!best || p->face[k].far < best->far))
      best = &p->face[k];
  return best;
}

// An edge of the hole; the one of a neighbour that is gone too, which runs the other way, goes with it.
static bool add_edge(polytope *p, int i, int j) {
  for (int k = 0; k < p->edges; k++)
    if (p->edge[k][0] == j && p->edge[k][1] == i) {
      p->edges--;
      p->edge[k][0] = p->edge[p->edges][0];
      p->edge[k][1] = p->edge[p->edges][1];
      return true;
    }
  if (p->edges == EDGES)
    return false;
  p->edge[p->edges][0] = i;
  p->edge[p->edges++][1] = j;
  return true;
}

// Faces that are gone leave their places to new ones.
static void close_up(polytope *p) {
  int n = 0;
  for (int k = 0; k < p->faces; k++)
    if (!p->face[k].gone)
      p->face[n++] = p->face[k];
  p->faces = n;
}

// False: there is no room.
static bool add_corner(polytope *p, const fly_apart *w) {
  bool good = p->corners < CORNERS;
  p->edges = 0;
  for (int k = 0; good && k < p->faces; k++) {
    face *f = &p->face[k];
    const double *o = p->corner[f->of[0]].w;
    const double d[3] = {w->w[0] - o[0], w->w[1] - o[1], w->w[2] - o[2]};
    f->gone = fly_dot3(f->n, d) > p->thin;
    for (int c = 0; f->gone && good && c < 3; c++)
      good = add_edge(p, f->of[c], f->of[(c + 1) % 3]);
  }
  if (!good)
    return false;
  close_up(p);
  p->corner[p->corners] = *w;
  for (int k = 0; good && k < p->edges; k++)
    good = add_face(p, p->edge[k][0], p->edge[k][1], p->corners);
  p->corners++;
  return good;
}

// ------------------------------------------------------------------------------------------ the answer

// Shares of the corners of a face in its point next to 0; outside of it, the nearest of them.
static void shares_of(double share[3], const polytope *p, const face *f) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    const double *u = p->corner[f->of[(k + 1) % 3]].w, *v = p->corner[f->of[(k + 2) % 3]].w;
    double cross[3];
    fly_cross(cross, u, v);
    share[k] = fmax(fly_dot3(cross, f->n), 0);
    sum += share[k];
  }
  for (int k = 0; k < 3; k++)
    share[k] = sum > 0 ? share[k] / sum : 1.0 / 3;
}

static void answer(fly_between *out, const polytope *p, const face *f) {
  double share[3];
  shares_of(share, p, f);
  *out = (fly_between){.g = -f->far};
  for (int c = 0; c < 3; c++) {
    out->n[c] = -f->n[c];
    for (int k = 0; k < 3; k++) {
      out->xa[c] += share[k] * p->corner[f->of[k]].a[c];
      out->xb[c] += share[k] * p->corner[f->of[k]].b[c];
    }
  }
}

// b - a is flat and 0 lies in it: they touch, and part across.
static void touch_flat(fly_between *out, const fly_apart *s, const double flat[3]) {
  *out = (fly_between){.unknown = true};
  memcpy(out->n, flat, sizeof out->n);
  memcpy(out->xa, s[0].a, sizeof out->xa);
  memcpy(out->xb, s[0].b, sizeof out->xb);
}

void fly_between_grow(fly_between *out, const fly_posed *a, const fly_posed *b, fly_apart *simplex, int count,
                      double size) {
  polytope p;
  p.thin = THIN * size;
  double flat[3];
  if (fill(simplex, count, a, b, size, flat) < 4) {
    touch_flat(out, simplex, flat);
    return;
  }
  start(&p, simplex);
  for (;;) {
    const face f = *nearest_face(&p);
    fly_apart next;
    fly_apart_support(&next, a, b, f.n);
    answer(out, &p, &f);
    if (fly_dot3(next.w, f.n) - f.far <= ENOUGH * size || !add_corner(&p, &next) || !nearest_face(&p))
      return;
  }
}
