// A picture of the stresses of a reduced body: its nodes, the lines of its beams, and at some times of the run what
// every node carries and how far it moved (docs/theory/flexible.md, F-point and F-stress).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fem/stress.h"

enum { MOST_FRAMES = 200, MOST_NUMBERS = 400000 }; // of stresses and moves, over all frames

// A node and its row in the file.
typedef struct numbered {
  int node, row;
} numbered;

static int by_node(const void *a, const void *b) {
  const numbered *p = a, *q = b;
  return (p->node > q->node) - (p->node < q->node);
}

static numbered *find(const numbered *list, int count, int node) {
  const numbered key = {node, 0};
  return list && count > 0 ? bsearch(&key, list, (size_t)count, sizeof *list, by_node) : NULL;
}

// ------------------------------------------------------------------------------------------ nodes and lines

// Nodes that have stresses, in the order of their numbers, with their places.
static fly_status list_nodes(fly_stress *s, fly_contour *c, numbered **out, fly_error *error) {
  size_t kept = 0, wide = 0;
  fly_status status = fly_arrays_size(s->file, "nodes", &kept, &wide, error);
  if (status)
    return status;
  double *all = fly_arena_doubles(&s->memory, 4 * kept);
  numbered *list = fly_arena_take(&s->memory, kept, sizeof *list);
  bool *used = fly_arena_take(&s->memory, kept, sizeof *used);
  c->node = fly_arena_doubles(&s->memory, 4 * kept);
  if (s->memory.failed || wide != 4)
    return fly_stress_no_memory(error);
  status = fly_arrays_read(s->file, "nodes", 0, kept, all, error);
  for (size_t k = 0; k < kept && status == FLY_OK; k++)
    list[k] = (numbered){(int)all[4 * k], (int)k};
  qsort(list, kept, sizeof *list, by_node);
  for (size_t k = 0; k < s->places && status == FLY_OK; k++) {
    const numbered *at = find(list, (int)kept, (int)s->at[3 * k]);
    if (at)
      used[at - list] = true;
  }
  for (size_t k = 0; k < kept && status == FLY_OK; k++)
    if (used[k]) {
      memcpy(c->node + 4 * (size_t)c->nodes, all + 4 * (size_t)list[k].row, 4 * sizeof *c->node);
      list[c->nodes++] = list[k];
    }
  *out = list;
  return status;
}

// A beam has stresses at two nodes: between them is a line. Places of an element follow each other.
static fly_status list_lines(fly_stress *s, fly_contour *c, const numbered *list, fly_error *error) {
  c->line = fly_arena_ints(&s->memory, 2 * s->places);
  if (!c->line)
    return fly_stress_no_memory(error);
  for (size_t k = 1; k < s->places; k++) {
    const double *last = s->at + 3 * (k - 1), *at = s->at + 3 * k;
    const numbered *p = find(list, c->nodes, (int)last[0]), *q = find(list, c->nodes, (int)at[0]);
    if (at[1] <= 0 || at[1] != last[1] || at[0] == last[0] || !p || !q)
      continue;
    c->line[2 * c->lines] = (int)(p - list);
    c->line[2 * c->lines++ + 1] = (int)(q - list);
  }
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ frames

static long row_of(const fly_stress *s, const fly_contour *c, int frame) {
  return c->frames > 1 ? (s->rows - 1) * frame / (c->frames - 1) : 0;
}

static fly_status take_frames(fly_stress *s, fly_contour *c, fly_error *error) {
  const int fit = MOST_NUMBERS / (4 * (c->nodes > 0 ? c->nodes : 1));
  c->frames = fit < 2 ? 2 : fit < MOST_FRAMES ? fit : MOST_FRAMES;
  c->frames = s->rows < c->frames ? (int)s->rows : c->frames;
  const size_t numbers = (size_t)c->frames * (size_t)c->nodes;
  c->time = fly_arena_doubles(&s->memory, (size_t)c->frames);
  c->mises = fly_arena_doubles(&s->memory, numbers);
  c->move = fly_arena_doubles(&s->memory, 3 * numbers);
  if (s->memory.failed)
    return fly_stress_no_memory(error);
  for (int k = 0; k < c->frames; k++)
    c->time[k] = s->time[row_of(s, c, k)];
  return FLY_OK;
}

// The same stresses, seen at the frames alone.
static fly_status at_frames(fly_stress *part, fly_stress *s, const fly_contour *c, fly_error *error) {
  *part = *s;
  part->rows = c->frames;
  part->eta = fly_arena_doubles(&s->memory, (size_t)c->frames * (size_t)s->modes);
  if (!part->eta)
    return fly_stress_no_memory(error);
  for (int j = 0; j < s->modes; j++)
    for (int f = 0; f < c->frames; f++)
      part->eta[c->frames * j + f] = s->eta[s->rows * j + row_of(s, c, f)];
  return FLY_OK;
}

// Of a node the highest of its places, at each time.
static fly_status fill_stresses(fly_stress *part, const fly_contour *c, const numbered *list, fly_error *error) {
  fly_status status = FLY_OK;
  for (size_t k = 0; k < part->places && status == FLY_OK; k++) {
    const numbered *at = find(list, c->nodes, (int)part->at[3 * k]);
    if (!at)
      continue;
    status = fly_stress_go_through(part, k, error);
    for (int f = 0; f < c->frames && status == FLY_OK; f++) {
      double *here = &c->mises[(ptrdiff_t)c->nodes * f + (at - list)];
      *here = fmax(*here, part->mises[f]);
    }
  }
  return status;
}

// Phi eta
static fly_status fill_moves(fly_stress *part, const fly_contour *c, const numbered *list, fly_error *error) {
  double *phi = calloc(3 * (size_t)part->all, sizeof *phi);
  fly_status status = FLY_OK;
  if (!phi)
    return fly_stress_no_memory(error);
  for (int n = 0; n < c->nodes && status == FLY_OK; n++) {
    status = fly_arrays_read(part->file, "phi", (size_t)list[n].row, 1, phi, error);
    for (int f = 0; f < c->frames && status == FLY_OK; f++) {
      double *u = c->move + 3 * ((ptrdiff_t)c->nodes * f + n);
      for (int j = 0; j < part->modes; j++)
        for (int i = 0; i < 3; i++)
          u[i] += phi[3 * part->mode[j] + i] * part->eta[c->frames * j + f];
    }
  }
  free(phi);
  return status;
}

fly_status fly_stress_contour(fly_stress *s, fly_contour *c, fly_error *error) {
  numbered *list = NULL;
  fly_stress part = {0};
  *c = (fly_contour){0};
  fly_status status = list_nodes(s, c, &list, error);
  if (status == FLY_OK)
    status = list_lines(s, c, list, error);
  if (status == FLY_OK)
    status = take_frames(s, c, error);
  if (status == FLY_OK)
    status = at_frames(&part, s, c, error);
  if (status == FLY_OK)
    status = fill_stresses(&part, c, list, error);
  return status ? status : fill_moves(&part, c, list, error);
}
