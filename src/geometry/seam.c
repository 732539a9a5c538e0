#include "geometry/seam.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// ------------------------------------------------------------------------------------------ who is beside whom

// Edges of all triangles in as many lists as there are edges, so that each is short, however many meet in a corner.
typedef struct edges {
  int lists;
  int *head, *next; // (lists), (3 triangles)
} edges;

static int list_of(const edges *e, int low, int high) {
  const uint64_t mixed = (uint64_t)low * 0x9e3779b97f4a7c15u + (uint64_t)high * 0xc2b2ae3d27d4eb4fu;
  return (int)((mixed >> 20) % (uint64_t)e->lists);
}

// The one other edge between these corners, if it runs the other way; or -1.
static int other_edge(const edges *e, const int (*of)[3], int from, int to) {
  const int low = from < to ? from : to, high = from < to ? to : from;
  int count = 0, other = -1;
  for (int k = e->head[list_of(e, low, high)]; k >= 0; k = e->next[k]) {
    const int a = of[k / 3][k % 3], b = of[k / 3][(k + 1) % 3];
    count += (a == low && b == high) || (a == high && b == low);
    if (a == to && b == from)
      other = k;
  }
  return count == 2 ? other : -1;
}

static int find_all(int (*beside)[3], const edges *e, int triangles, const int (*of)[3]) {
  for (int k = 0; k < 3 * triangles; k++) {
    const int other = other_edge(e, of, of[k / 3][k % 3], of[k / 3][(k + 1) % 3]);
    if (other < 0)
      return k / 3;
    beside[k / 3][k % 3] = other / 3;
  }
  return -1;
}

int fly_seam_beside(int (*beside)[3], int triangles, const int (*of)[3]) {
  fly_arena work = {0};
  const int lists = 3 * triangles;
  edges e = {lists, fly_arena_ints(&work, (size_t)lists), fly_arena_ints(&work, (size_t)lists)};
  int open = -2;
  if (e.head && e.next) {
    memset(e.head, -1, (size_t)lists * sizeof *e.head);
    for (int k = 0; k < 3 * triangles; k++) {
      const int a = of[k / 3][k % 3], b = of[k / 3][(k + 1) % 3];
      const int list = list_of(&e, a < b ? a : b, a < b ? b : a);
      e.next[k] = e.head[list];
      e.head[list] = k;
    }
    open = find_all(beside, &e, triangles, of);
  }
  fly_arena_free(&work);
  return open;
}

// ------------------------------------------------------------------------------------------ what stands out

static const double FLAT = 1e-6;     // [rad]: between triangles of one face
static const double STRAIGHT = 1e-3; // sine between two edges that are one

static int corner_across(const fly_surface *s, int k, int e) {
  const int other = s->beside[k][e];
  for (int i = 0; i < 3; i++)
    if (s->of[other][i] != s->of[k][e] && s->of[other][i] != s->of[k][(e + 1) % 3])
      return s->of[other][i];
  return s->of[other][0];
}

// How high the triangle beyond an edge rises over this one, as a sine; below 0 it falls, and the edge stands out.
static double rise(const fly_surface *s, int k, int e) {
  const double *from = s->corner[s->of[k][e]], *to = s->corner[corner_across(s, k, e)];
  const double d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
  double m[3];
  fly_cross(m, s->normal[k], s->normal[s->beside[k][e]]);
  const double sine = sqrt(fly_dot3(m, m));
  return fly_dot3(s->normal[k], d) < 0 ? -sine : sine;
}

bool fly_surface_is_hollow(const fly_surface *s, int k, int e) { return rise(s, k, e) > FLAT; }

// Of a corner: the first edge that stands out of it, and whether there is another one, not along it.
typedef struct tip {
  double d[3];
  bool seen, stands;
} tip;

static void count_edge(tip *t, const double from[3], const double to[3]) {
  double d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]}, across[3];
  const double size = sqrt(fly_dot3(d, d));
  for (int c = 0; c < 3; c++)
    d[c] /= size;
  fly_cross(across, t->d, d);
  t->stands = t->stands || (t->seen && fly_dot3(across, across) > STRAIGHT * STRAIGHT);
  if (!t->seen)
    memcpy(t->d, d, sizeof d);
  t->seen = true;
}

static void count_edges(fly_surface *s, tip *of) {
  for (int k = 0; k < 3 * s->triangles; k++) {
    const int i = k / 3, e = k % 3, from = s->of[i][e], to = s->of[i][(e + 1) % 3];
    if (rise(s, i, e) > -FLAT)
      continue;
    if (i < s->beside[i][e])
      s->own[i] = (unsigned char)(s->own[i] | FLY_OWN_EDGE << e);
    count_edge(&of[from], s->corner[from], s->corner[to]);
    count_edge(&of[to], s->corner[to], s->corner[from]);
  }
}

bool fly_seam_mark(fly_surface *s, int corners) {
  fly_arena work = {0};
  tip *of = fly_arena_take(&work, (size_t)corners, sizeof *of);
  if (of) {
    memset(s->own, 0, (size_t)s->triangles);
    count_edges(s, of);
    for (int k = 0; k < 3 * s->triangles; k++) {
      tip *t = &of[s->of[k / 3][k % 3]];
      if (t->stands)
        s->own[k / 3] = (unsigned char)(s->own[k / 3] | FLY_OWN_CORNER << k % 3);
      t->stands = false; // the first triangle has it
    }
  }
  fly_arena_free(&work);
  return of != NULL;
}
