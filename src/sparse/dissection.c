#include "sparse/dissection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF = 48, CUTS = 9 }; // nodes that are not parted any more; planes that are tried

typedef struct placed {
  double x;
  int node;
} placed;

typedef struct parting {
  const fly_graph *g;
  fly_dissection *d;
  signed char *side; // of each node: -1 not here, 0 left, 1 right, 2 between (n)
  placed *order;     // (count)
  int put;           // nodes in their places
} parting;

static int by_place(const void *a, const void *b) {
  const placed *p = a, *q = b;
  return p->x < q->x ? -1 : p->x > q->x ? 1 : p->node - q->node;
}

static int longest_axis(const fly_graph *g, const int *list, int count) {
  double low[3], high[3];
  int axis = 0;
  memcpy(low, g->place + 3 * (size_t)list[0], sizeof low);
  memcpy(high, low, sizeof high);
  for (int k = 1; k < count; k++)
    for (int i = 0; i < 3; i++) {
      low[i] = fmin(low[i], g->place[3 * (size_t)list[k] + (size_t)i]);
      high[i] = fmax(high[i], g->place[3 * (size_t)list[k] + (size_t)i]);
    }
  for (int i = 1; i < 3; i++)
    if (high[i] - low[i] > high[axis] - low[axis])
      axis = i;
  return axis;
}

static bool touches(const parting *p, int node, int side) {
  for (int k = p->g->start[node]; k < p->g->start[node + 1]; k++)
    if (p->side[p->g->next[k]] == side)
      return true;
  return false;
}

// Nodes of one side that touch the other.
static int count_touching(const parting *p, const int *list, int count, int side) {
  int n = 0;
  for (int k = 0; k < count; k++)
    n += p->side[list[k]] == side && touches(p, list[k], 1 - side);
  return n;
}

static void take_sides(parting *p, int *list, int count, int cut) {
  for (int k = 0; k < count; k++) {
    list[k] = p->order[k].node;
    p->side[list[k]] = k >= cut;
  }
}

// Nodes left of a plane, of which the plane at this share of them is moved on to where they change place; 0: nowhere.
static int cut_at(const parting *p, int count, double share) {
  const double step = 1e-9 * (p->order[count - 1].x - p->order[0].x);
  int cut = (int)(share * count);
  while (cut > 0 && cut < count && p->order[cut].x - p->order[cut - 1].x <= step)
    cut++;
  return cut < count ? cut : 0;
}

// The plane with the fewest nodes, and from which side they are taken; false: there is none worth it.
static bool choose_cut(parting *p, int *list, int count, int *cut, int *from) {
  int least = count / 2;
  *cut = 0;
  for (int k = 0; k < CUTS; k++) {
    const int at = cut_at(p, count, 0.4 + 0.2 * k / (CUTS - 1));
    if (at == 0)
      continue;
    take_sides(p, list, count, at);
    for (int side = 0; side < 2; side++) {
      const int n = count_touching(p, list, count, side);
      if (n < least) {
        least = n;
        *cut = at;
        *from = side;
      }
    }
  }
  return *cut > 0;
}

static int add_set(parting *p, const int *list, int count) {
  fly_dissection *d = p->d;
  for (int k = 0; k < count; k++) {
    d->node[p->put++] = list[k];
    p->side[list[k]] = -1;
  }
  d->parent[d->sets] = -1;
  d->first[++d->sets] = p->put;
  return d->sets - 1;
}

// Left first, then right, then between.
static void gather(const parting *p, int *list, int count, int n[3]) {
  int at[3] = {0, 0, 0};
  memset(n, 0, 3 * sizeof *n);
  for (int k = 0; k < count; k++)
    n[(int)p->side[p->order[k].node]]++;
  at[1] = n[0];
  at[2] = n[0] + n[1];
  for (int k = 0; k < count; k++)
    list[at[(int)p->side[p->order[k].node]]++] = p->order[k].node;
}

// The set of the nodes between, or of all of them.
static int part(parting *p, int *list, int count) {
  int cut, from, n[3];
  if (count <= LEAF)
    return add_set(p, list, count);
  const int axis = longest_axis(p->g, list, count);
  for (int k = 0; k < count; k++)
    p->order[k] = (placed){p->g->place[3 * (size_t)list[k] + (size_t)axis], list[k]};
  qsort(p->order, (size_t)count, sizeof *p->order, by_place);
  if (!choose_cut(p, list, count, &cut, &from))
    return add_set(p, list, count);
  take_sides(p, list, count, cut);
  for (int k = 0; k < count; k++)
    if (p->side[list[k]] == from && touches(p, list[k], 1 - from))
      p->side[list[k]] = 2;
  gather(p, list, count, n);
  for (int k = 0; k < count; k++)
    p->side[list[k]] = -1;
  const int left = n[0] > 0 ? part(p, list, n[0]) : -1, right = n[1] > 0 ? part(p, list + n[0], n[1]) : -1;
  const int between = add_set(p, list + n[0] + n[1], n[2]);
  if (left >= 0)
    p->d->parent[left] = between;
  if (right >= 0)
    p->d->parent[right] = between;
  return between;
}

bool fly_dissect(fly_dissection *d, const fly_graph *g, int *list, int count) {
  const size_t n = (size_t)count + 1;
  parting p = {.g = g, .d = d};
  // a tree of parts has fewer than twice as many sets as leaves, and each leaf has a node
  *d = (fly_dissection){
      .first = calloc(2 * n, sizeof(int)), .node = calloc(n, sizeof(int)), .parent = calloc(2 * n, sizeof(int))};
  p.side = malloc((size_t)g->n + 1);
  p.order = calloc(n, sizeof *p.order);
  const bool good = d->first && d->node && d->parent && p.side && p.order;
  if (good) {
    memset(p.side, -1, (size_t)g->n + 1);
    if (count > 0)
      part(&p, list, count);
  }
  free(p.side);
  free(p.order);
  if (!good)
    fly_dissection_free(d);
  return good;
}

void fly_dissection_free(fly_dissection *d) {
  free(d->first);
  free(d->node);
  free(d->parent);
  *d = (fly_dissection){0};
}
