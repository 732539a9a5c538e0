// What is kept of the nodes of a reduced body: shapes for markers, and the stresses that each mode makes.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem/element.h"
#include "fem/reduce.h"

// ------------------------------------------------------------------------------------------ nodes

static const int FACE[4][6] = {{0, 1, 2, 4, 5, 6}, {0, 1, 3, 4, 8, 7}, {1, 2, 3, 5, 9, 8}, {2, 0, 3, 6, 7, 9}};

typedef struct face {
  int corner[3]; // ascending
  int element, side;
} face;

static int by_corners(const void *a, const void *b) {
  const face *p = a, *q = b;
  for (int i = 0; i < 3; i++)
    if (p->corner[i] != q->corner[i])
      return p->corner[i] < q->corner[i] ? -1 : 1;
  return p->element - q->element;
}

static face face_of(const fly_fem_element *e, int element, int side) {
  face f = {.element = element, .side = side};
  for (int i = 0; i < 3; i++) {
    int k = i;
    for (; k > 0 && f.corner[k - 1] > e->node[FACE[side][i]]; k--)
      f.corner[k] = f.corner[k - 1];
    f.corner[k] = e->node[FACE[side][i]];
  }
  return f;
}

// Faces that only one tetrahedron has.
static bool mark_surface(const fly_reduction *r, bool *kept) {
  const fly_fem_mesh *m = &r->mesh;
  face *list = calloc(4 * (size_t)m->elements + 1, sizeof *list);
  size_t n = 0;
  if (!list)
    return false;
  for (int e = 0; e < m->elements; e++)
    for (int side = 0; side < 4 && m->element[e].kind == FLY_FEM_TETRAHEDRON; side++)
      list[n++] = face_of(&m->element[e], e, side);
  qsort(list, n, sizeof *list, by_corners);
  for (size_t k = 0; k < n; k++) {
    const bool before = k > 0 && memcmp(list[k].corner, list[k - 1].corner, sizeof list[k].corner) == 0;
    const bool behind = k + 1 < n && memcmp(list[k].corner, list[k + 1].corner, sizeof list[k].corner) == 0;
    for (int i = 0; i < 6 && !before && !behind; i++)
      kept[m->element[list[k].element].node[FACE[list[k].side][i]]] = true;
  }
  free(list);
  return true;
}

static bool mark_kept(const fly_reduction *r, bool *kept) {
  const fly_fem_mesh *m = &r->mesh;
  const bool all = r->o.points == FLY_REDUCE_ALL || (r->file_unknowns && r->o.points == FLY_REDUCE_SURFACE);
  for (int n = 0; n < m->nodes; n++)
    kept[n] = all && r->s.group[n] >= 0;
  for (int k = 0; k < r->o.ninterface; k++)
    if (!r->o.interface[k].set)
      kept[fly_fem_find(m, r->o.interface[k].node)] = true;
  for (int e = 0; e < m->elements && r->o.points != FLY_REDUCE_INTERFACE; e++)
    for (int k = 0; k < 2 && m->element[e].kind == FLY_FEM_BEAM; k++)
      kept[m->element[e].node[k]] = true;
  return r->o.points != FLY_REDUCE_SURFACE || all || mark_surface(r, kept);
}

// A point that nodes are tied to moves as its unknowns say.
static void put_group(fly_reduction *r, int row, int group) {
  const int m = r->info.modes;
  for (int j = 0; j < m; j++) {
    const double *x = r->Phi + (size_t)j * (size_t)r->s.unknowns + r->s.start[group];
    memcpy(r->phi + 3 * ((size_t)row * (size_t)m + (size_t)j), x, 3 * sizeof *x);
    memcpy(r->theta + 3 * ((size_t)row * (size_t)m + (size_t)j), x + 3, 3 * sizeof *x);
  }
}

static void put_node(fly_reduction *r, int row, int node) {
  const int m = r->info.modes;
  for (int j = 0; j < m; j++) {
    const double *x = r->Phi + (size_t)j * (size_t)r->s.unknowns;
    fly_fem_displacement(r->phi + 3 * ((size_t)row * (size_t)m + (size_t)j), &r->s, x, node);
    fly_fem_turn(r->theta + 3 * ((size_t)row * (size_t)m + (size_t)j), &r->s, x, node);
  }
}

static void put_place(fly_reduction *r, int row, int number, const double x[3]) {
  r->kept[4 * row] = number;
  memcpy(r->kept + 4 * (size_t)row + 1, x, 3 * sizeof *x);
}

// Points of ties first, numbered -1, -2 ..., then the nodes.
static void put_kept(fly_reduction *r, const bool *kept, int *row_of) {
  int row = 0;
  for (int k = 0; k < r->o.ninterface; k++)
    if (r->o.interface[k].set) {
      r->interface_row[k] = row;
      put_place(r, row, -row - 1, r->s.place + 3 * (size_t)r->interface_group[k]);
      put_group(r, row++, r->interface_group[k]);
    }
  for (int n = 0; n < r->mesh.nodes; n++)
    if (kept[n]) {
      row_of[n] = row;
      put_place(r, row, r->mesh.number[n], r->mesh.place + 3 * (size_t)n);
      put_node(r, row++, n);
    }
  for (int k = 0; k < r->o.ninterface; k++)
    if (!r->o.interface[k].set)
      r->interface_row[k] = row_of[fly_fem_find(&r->mesh, r->o.interface[k].node)];
}

// ------------------------------------------------------------------------------------------ stresses

static void displacements_of(double *u, const fly_reduction *r, const fly_fem_element *e, int mode) {
  const double *x = r->Phi + (size_t)mode * (size_t)r->s.unknowns;
  const int each = fly_fem_unknowns_of(e->kind);
  for (int k = 0; k < fly_fem_nodes_of(e->kind); k++) {
    const int node = e->node[k];
    if (r->s.tie[node] < 0)
      memcpy(u + each * k, x + r->s.start[r->s.group[node]], (size_t)each * sizeof *u);
    else {
      fly_fem_displacement(u + each * k, &r->s, x, node);
      if (each == 6)
        fly_fem_turn(u + each * k + 3, &r->s, x, node);
    }
  }
}

static void places_of(double x[FLY_FEM_NODES][3], const fly_reduction *r, const fly_fem_element *e) {
  for (int k = 0; k < fly_fem_nodes_of(e->kind); k++)
    memcpy(x[k], r->mesh.place + 3 * (size_t)e->node[k], 3 * sizeof(double));
}

// The mean over the tetrahedra at a node: sums here, divided behind.
static void add_tetrahedron(fly_reduction *r, const fly_fem_element *e, const int *stress_of, int *count) {
  const fly_fem_material *m = &r->mesh.material[e->material];
  const int modes = r->info.modes;
  double x[FLY_FEM_NODES][3], g[10][10][3], u[30], gradient[9], stress[6];
  bool any = false;
  for (int k = 0; k < 10; k++)
    any = any || stress_of[e->node[k]] >= 0;
  if (!any)
    return;
  places_of(x, r, e);
  for (int k = 0; k < 10; k++)
    fly_fem_tetrahedron_slopes(g[k], k, (const double(*)[3])x);
  for (int j = 0; j < modes; j++) {
    displacements_of(u, r, e, j);
    for (int k = 0; k < 10; k++) {
      const int at = stress_of[e->node[k]];
      if (at < 0)
        continue;
      fly_fem_gradient(gradient, (const double(*)[3])g[k], u);
      fly_fem_stress(stress, gradient, m);
      for (int i = 0; i < 6; i++)
        r->stress[6 * ((size_t)at * (size_t)modes + (size_t)j) + (size_t)i] += stress[i];
    }
  }
  for (int k = 0; k < 10; k++)
    if (stress_of[e->node[k]] >= 0)
      count[stress_of[e->node[k]]]++;
}

static int add_beam(fly_reduction *r, const fly_fem_element *e, int at) {
  const fly_fem_section *s = &r->mesh.section[e->section];
  double x[FLY_FEM_NODES][3], u[12];
  places_of(x, r, e);
  for (int j = 0; j < r->info.modes; j++) {
    displacements_of(u, r, e, j);
    for (int q = 0; q < 2 * s->points; q++)
      fly_fem_beam_stress(r->stress + 6 * ((size_t)(at + q) * (size_t)r->info.modes + (size_t)j), q / s->points,
                          s->point[q % s->points], (const double(*)[3])x, u, &r->mesh.material[e->material], s);
  }
  for (int q = 0; q < 2 * s->points; q++) {
    double *where = r->stress_at + 3 * (size_t)(at + q);
    const int end = q / s->points, point = q % s->points;
    where[0] = r->mesh.number[e->node[end]];
    where[1] = e->number;
    where[2] = point + 1;
  }
  return at + 2 * s->points;
}

// Nodes of tetrahedra that are kept, then the points of the beams' sections.
static int count_stresses(const fly_reduction *r, const bool *kept, int *stress_of) {
  const fly_fem_mesh *m = &r->mesh;
  int n = 0;
  for (int k = 0; k < m->nodes; k++)
    stress_of[k] = -1;
  for (int e = 0; e < m->elements; e++) {
    const fly_fem_element *q = &m->element[e];
    for (int k = 0; k < 10 && q->kind == FLY_FEM_TETRAHEDRON; k++)
      if (kept[q->node[k]] && stress_of[q->node[k]] < 0)
        stress_of[q->node[k]] = n++;
  }
  for (int e = 0; e < m->elements; e++)
    if (m->element[e].kind == FLY_FEM_BEAM)
      n += 2 * m->section[m->element[e].section].points;
  return n;
}

static void mean_of(fly_reduction *r, const int *stress_of, const int *count) {
  const size_t wide = 6 * (size_t)r->info.modes;
  for (int n = 0; n < r->mesh.nodes; n++) {
    const int at = stress_of[n];
    if (at < 0)
      continue;
    r->stress_at[3 * at] = r->mesh.number[n];
    for (size_t i = 0; i < wide; i++)
      r->stress[(size_t)at * wide + i] /= count[at];
  }
}

static fly_status find_stresses(fly_reduction *r, const bool *kept, int *stress_of) {
  const fly_fem_mesh *m = &r->mesh;
  if (r->o.no_stress || r->file_unknowns || r->o.points == FLY_REDUCE_INTERFACE)
    return FLY_OK;
  const int n = count_stresses(r, kept, stress_of);
  int at = 0, *count = calloc((size_t)n + 1, sizeof *count);
  r->stress = fly_zeroed((size_t)n * 6 * (size_t)r->info.modes + 1, sizeof *r->stress);
  r->stress_at = fly_arena_doubles(&r->memory, 3 * (size_t)n);
  if (!count || !r->stress || !r->stress_at)
    return free(count), fly_reduce_no_memory(r);
  for (int e = 0; e < m->elements; e++) {
    if (m->element[e].kind == FLY_FEM_TETRAHEDRON)
      add_tetrahedron(r, &m->element[e], stress_of, count);
    if (e % 1000 == 0)
      fly_reduce_tell(r, "stresses", (double)e / m->elements);
  }
  mean_of(r, stress_of, count);
  for (int k = 0; k < m->nodes; k++)
    at += stress_of[k] >= 0;
  for (int e = 0; e < m->elements; e++)
    if (m->element[e].kind == FLY_FEM_BEAM)
      at = add_beam(r, &m->element[e], at);
  free(count);
  r->info.stresses = n;
  return FLY_OK;
}

// Room for what is kept of so many places.
static bool take_kept(fly_reduction *r, size_t count) {
  const size_t m = (size_t)r->info.modes;
  r->info.kept = (int)count;
  r->kept = fly_arena_doubles(&r->memory, 4 * count);
  r->interface_row = fly_arena_doubles(&r->memory, (size_t)r->o.ninterface);
  r->phi = fly_zeroed(count * 3 * m + 1, sizeof *r->phi);
  r->theta = fly_zeroed(count * 3 * m + 1, sizeof *r->theta);
  return r->phi && r->theta && !r->memory.failed;
}

static fly_status recover(fly_reduction *r, bool *kept, int *scratch) {
  size_t count = (size_t)r->ties;
  if (!mark_kept(r, kept))
    return fly_reduce_no_memory(r);
  for (int k = 0; k < r->mesh.nodes; k++)
    count += kept[k];
  if (!take_kept(r, count))
    return fly_reduce_no_memory(r);
  fly_reduce_tell(r, "stresses", 0);
  put_kept(r, kept, scratch);
  return find_stresses(r, kept, scratch);
}

fly_status fly_reduce_recover(fly_reduction *r) {
  const size_t nodes = (size_t)r->mesh.nodes;
  bool *kept = calloc(nodes + 1, sizeof *kept);
  int *scratch = calloc(nodes + 1, sizeof *scratch);
  const fly_status status = kept && scratch ? recover(r, kept, scratch) : fly_reduce_no_memory(r);
  free(kept);
  free(scratch);
  return status;
}
