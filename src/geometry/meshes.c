// Two closed surfaces of triangles (docs/theory/contact.md, T-facets): corners of each that are in the other, and edges
// that cross. Where they are apart there is one spot, where two triangles are nearest.
#include <math.h>
#include <string.h>

#include "geometry/facet.h"

static const double LIMIT = 1e-3;   // of the smaller one: spots that are open by more are not looked for
static const double CROSSED = 1e-3; // sine between edges that cross

typedef struct meshes {
  const fly_side *side[2];
  const fly_surface *s[2];
  fly_posed at[2];
  double o[2][3], A[2][9]; // of the other one in the frame of this one
  double size;
  fly_found found;
} meshes;

// ------------------------------------------------------------------------------------------ both of them

static void set_other(meshes *w, int k) {
  const fly_posed *here = &w->at[k], *there = &w->at[1 - k];
  fly_posed_own(w->o[k], here, there->o);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      w->A[k][3 * i + j] =
          here->A[i] * there->A[j] + here->A[3 + i] * there->A[3 + j] + here->A[6 + i] * there->A[6 + j];
}

static meshes meshes_of(fly_touch *out, const fly_side *a, const fly_side *b) {
  meshes w = {.side = {a, b}, .s = {a->s->surface, b->s->surface}};
  w.at[0] = fly_posed_of(a->s, NULL, NULL);
  w.at[1] = fly_posed_of(b->s, b->p, b->R);
  for (int k = 0; k < 2; k++)
    set_other(&w, k);
  w.size = fmin(fly_solid_reach(a->s), fly_solid_reach(b->s));
  w.found = fly_found_begin(out, LIMIT * w.size);
  return w;
}

// A box of the other one, in the frame of k.
static fly_extent seen_from(const meshes *w, int k, const fly_extent *e) {
  fly_extent out;
  for (int i = 0; i < 3; i++) {
    double middle = w->o[k][i], half = 0;
    for (int j = 0; j < 3; j++) {
      middle += w->A[k][3 * i + j] * (e->low[j] + e->high[j]) / 2;
      half += fabs(w->A[k][3 * i + j]) * (e->high[j] - e->low[j]) / 2;
    }
    out.low[i] = middle - half;
    out.high[i] = middle + half;
  }
  return out;
}

// Behind a node: what is in it if it comes as near as that, or what follows it.
static bool next_node(const fly_surface *s, int *k, const fly_extent *e, double limit) {
  while (*k < s->nodes) {
    const fly_surface_node *n = &s->node[*k];
    const fly_extent box = fly_extent_node(n);
    const bool far = fly_extent_far(&box, e) > limit;
    if (!far && n->count > 0)
      return true;
    *k = far ? n->skip : *k + 1;
  }
  return false;
}

// ------------------------------------------------------------------------------------------ corners in the other one

static void corner_in(meshes *w, int of, int k, int e) {
  const fly_solid point = fly_facet_point(w->side[of]->s, k, e);
  fly_touch t[FLY_SPOTS];
  const fly_side *b = w->side[1];
  fly_touch_all(t, of ? w->side[0]->s : &point, of ? &point : b->s, b->p, b->R);
  const fly_posed *own = &w->at[of]; // in the part of its own: it stays there
  fly_found_put(&w->found, of * FLY_PLACES, fly_found_part(own, own, &t[0]), &t[0]);
}

// ------------------------------------------------------------------------------------------ edges across edges

// Does the surface fall away on both sides of an edge, seen along n, which goes out of it in axes of the first body?
static bool stands_out(const meshes *w, int of, int k, int e, const double n[3]) {
  const fly_surface *s = w->s[of];
  const double *from = s->corner[s->of[k][e]];
  double own[3];
  for (int c = 0; c < 3; c++)
    own[c] = w->at[of].A[c] * n[0] + w->at[of].A[3 + c] * n[1] + w->at[of].A[6 + c] * n[2];
  for (int i = 0; i < 3; i++) {
    const double *one = s->corner[s->of[k][i]], *other = s->corner[s->of[s->beside[k][e]][i]];
    const double slack = 1e-9 * w->size;
    if (fly_dot3(own, one) - fly_dot3(own, from) > slack || fly_dot3(own, other) - fly_dot3(own, from) > slack)
      return false;
  }
  return true;
}

// How far the triangles at edge e of k of one reach behind the plane of triangle `wall` of the other.
static double behind_wall(const meshes *w, int of, int k, int e, int wall) {
  const fly_surface *s = w->s[of], *other = w->s[1 - of];
  const double *n = other->normal[wall];
  double least = INFINITY;
  for (int i = 0; i < 6; i++) {
    const double *own = s->corner[s->of[i < 3 ? k : s->beside[k][e]][i % 3]];
    double x[3];
    for (int c = 0; c < 3; c++)
      x[c] = w->o[1 - of][c] + fly_dot3(w->A[1 - of] + 3 * c, own);
    least = fmin(least, fly_dot3(n, x) - fly_dot3(n, other->corner[other->of[wall][0]]));
  }
  return -least;
}

// Do two edges that cross so deep leave each other by a shorter way, through one of the triangles beside them?
static bool is_detour(const meshes *w, const int k[2], const int e[2], double depth) {
  for (int of = 0; of < 2; of++)
    for (int i = 0; i < 2; i++) {
      const int wall = i ? w->s[1 - of]->beside[k[1 - of]][e[1 - of]] : k[1 - of];
      if (behind_wall(w, of, k[of], e[of], wall) < depth)
        return true;
    }
  return false;
}

static void carry_edge(fly_vector7 o, fly_vector7 d, double *length, const meshes *w, int of, int k, int e) {
  const fly_surface *s = w->s[of];
  fly_vector7 to;
  fly_carry_own(o, w->side[of], s->corner[s->of[k][e]]);
  fly_carry_own(to, w->side[of], s->corner[s->of[k][(e + 1) % 3]]);
  fly_vector7_sum(d, to, -1.0, o);
  *length = sqrt(fly_dot3(d[0], d[0]));
  fly_vector7_unit(d, d);
}

static bool is_between(fly_vector7 x, fly_vector7 o, fly_vector7 d, double length) {
  const double place = fly_dot3(d[0], x[0]) - fly_dot3(d[0], o[0]);
  return place > 0 && place < length;
}

static void edges_cross(meshes *w, const int k[2], const int e[2]) {
  fly_vector7 o[2], d[2], x[2], n;
  double length[2];
  for (int i = 0; i < 2; i++)
    carry_edge(o[i], d[i], &length[i], w, i, k[i], e[i]);
  fly_vector7_cross(n, d[0], d[1]);
  if (fly_dot3(n[0], n[0]) < CROSSED * CROSSED)
    return;
  fly_vector7_unit(n, n);
  fly_lines_meet(x[0], x[1], o[0], o[1], d[0], d[1]);
  if (!is_between(x[0], o[0], d[0], length[0]) || !is_between(x[1], o[1], d[1], length[1]))
    return;
  if (!stands_out(w, 0, k[0], e[0], n[0]))
    fly_vector7_negate(n);
  const double back[3] = {-n[0][0], -n[0][1], -n[0][2]};
  if (!stands_out(w, 0, k[0], e[0], n[0]) || !stands_out(w, 1, k[1], e[1], back))
    return;
  fly_touch t;
  fly_touch_between(&t, 0, 0, x[0], x[1], n);
  const int smaller = fly_solid_reach(w->side[1]->s) < fly_solid_reach(w->side[0]->s);
  if (t.gap > 0 || !is_detour(w, k, e, -t.gap))
    fly_found_put(&w->found, smaller * FLY_PLACES, fly_found_part(&w->at[0], &w->at[1], &t), &t);
}

// Edge e of triangle k of the first, with all of the second.
static void edge_across(meshes *w, int k, int e) {
  const fly_extent own = fly_extent_edge(w->s[0], k, e), there = seen_from(w, 1, &own);
  for (int n = 0; next_node(w->s[1], &n, &there, w->found.limit); n++) {
    const fly_surface_node *node = &w->s[1]->node[n];
    for (int i = 3 * node->first; i < 3 * (node->first + node->count); i++) {
      const fly_extent other = fly_extent_edge(w->s[1], i / 3, i % 3);
      if (w->s[1]->own[i / 3] & FLY_OWN_EDGE << i % 3 && fly_extent_far(&other, &there) <= w->found.limit)
        edges_cross(w, (int[2]){k, i / 3}, (int[2]){e, i % 3});
    }
  }
}

// ------------------------------------------------------------------------------------------ in each other

static void pieces_of(meshes *w, int of, int k) {
  const fly_extent own = fly_extent_triangle(w->s[of], k), there = seen_from(w, 1 - of, &own);
  int first = 0;
  if (!next_node(w->s[1 - of], &first, &there, w->found.limit))
    return; // near no triangle of the other
  for (int e = 0; e < 3; e++) {
    if (w->s[of]->own[k] & FLY_OWN_CORNER << e)
      corner_in(w, of, k, e);
    if (of == 0 && w->s[of]->own[k] & FLY_OWN_EDGE << e)
      edge_across(w, k, e);
  }
}

static void collect(meshes *w, int of) {
  const fly_extent all = fly_extent_node(w->s[1 - of]->node), there = seen_from(w, of, &all);
  for (int n = 0; next_node(w->s[of], &n, &there, w->found.limit); n++) {
    const fly_surface_node *node = &w->s[of]->node[n];
    for (int i = node->first; i < node->first + node->count; i++)
      pieces_of(w, of, i);
  }
}

// ------------------------------------------------------------------------------------------ apart

typedef struct closest {
  int triangle[2];
  double g;
} closest;

static void try_pair(closest *best, const meshes *w, int a, int b) {
  fly_facet f[2];
  fly_between g;
  fly_facet_set(&f[0], w->side[0]->s, a);
  fly_facet_set(&f[1], w->side[1]->s, b);
  const fly_posed first = fly_posed_of(&f[0].solid, NULL, NULL),
                  second = fly_posed_of(&f[1].solid, w->side[1]->p, w->side[1]->R);
  fly_between_find(&g, &first, &second);
  if (g.g < best->g)
    *best = (closest){{a, b}, g.g};
}

static void try_with_all(closest *best, const meshes *w, int a) {
  const fly_extent own = fly_extent_triangle(w->s[0], a), there = seen_from(w, 1, &own);
  for (int n = 0; next_node(w->s[1], &n, &there, fmax(best->g, 0)); n++) {
    const fly_surface_node *node = &w->s[1]->node[n];
    for (int i = node->first; i < node->first + node->count; i++) {
      const fly_extent other = fly_extent_triangle(w->s[1], i);
      if (fly_extent_far(&other, &there) <= fmax(best->g, 0))
        try_pair(best, w, a, i);
    }
  }
}

static closest find_closest(const meshes *w) {
  const fly_extent all = fly_extent_node(w->s[1]->node), there = seen_from(w, 0, &all);
  closest best = {{0, 0}, INFINITY};
  for (int n = 0; next_node(w->s[0], &n, &there, fmax(best.g, 0)); n++) {
    const fly_surface_node *node = &w->s[0]->node[n];
    for (int i = node->first; i < node->first + node->count; i++)
      try_with_all(&best, w, i);
  }
  return best;
}

static void put_nearest(meshes *w) {
  const closest best = find_closest(w);
  fly_touch nearest;
  fly_facet f[2];
  for (int k = 0; k < 2; k++)
    fly_facet_set(&f[k], w->side[k]->s, best.triangle[k]);
  fly_facet_nearest(&nearest, &f[0].solid, &f[1].solid, w->side[1]);
  if (nearest.gap < w->found.least) {
    w->found.best = w->found.there[w->found.best] ? w->found.best : 0;
    w->found.there[w->found.best] = true;
    w->found.out[w->found.best] = nearest;
  }
}

void fly_touch_two_surfaces(fly_touch out[FLY_SPOTS], const fly_side *a, const fly_side *b) {
  meshes w = meshes_of(out, a, b);
  for (int k = 0; k < 2; k++)
    collect(&w, k);
  if (w.found.least > 0)
    put_nearest(&w);
  fly_found_end(&w.found, a, b, &out[w.found.best]);
}
