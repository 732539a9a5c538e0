#include "fem/matrices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fem/element.h"
#include "math/so3.h"

static fly_status no_memory(fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the matrices of this mesh.");
}

void fly_fem_system_free(fly_fem_system *s) {
  fly_csc_free(&s->pattern);
  free(s->M);
  fly_arena_free(&s->memory);
  *s = (fly_fem_system){0};
}

// ------------------------------------------------------------------------------------------ groups

static void mark_used(fly_fem_system *s, const int *unknowns) {
  const fly_fem_mesh *m = s->mesh;
  for (int n = 0; n < m->nodes; n++) {
    s->group[n] = unknowns ? 0 : -1;
    s->turns[n] = unknowns && unknowns[n] == 6;
    s->tie[n] = -1;
  }
  for (int e = 0; e < m->elements; e++)
    for (int k = 0; k < fly_fem_nodes_of(m->element[e].kind); k++) {
      s->group[m->element[e].node[k]] = 0;
      s->turns[m->element[e].node[k]] |= m->element[e].kind == FLY_FEM_BEAM;
    }
}

static fly_status mark_ties(fly_fem_system *s, int ties, const fly_fem_tie *tie, fly_error *error) {
  for (int t = 0; t < ties; t++)
    for (int k = 0; k < tie[t].count; k++) {
      const int n = tie[t].node[k];
      if (s->tie[n] >= 0 && s->tie[n] != t)
        return fly_fail(error, FLY_BAD_INPUT, NAN, "Node %d is tied to two points; take it out of one of the sets.",
                        s->mesh->number[n]);
      s->tie[n] = t;
    }
  return FLY_OK;
}

static void add_group(fly_fem_system *s, const double place[3], int unknowns, int node) {
  memcpy(s->place + 3 * (size_t)s->groups, place, 3 * sizeof *place);
  s->node[s->groups++] = node;
  s->start[s->groups] = s->start[s->groups - 1] + unknowns;
}

static void make_groups(fly_fem_system *s, int ties, const fly_fem_tie *tie) {
  const fly_fem_mesh *m = s->mesh;
  for (int t = 0; t < ties; t++) {
    s->tied[t] = s->groups;
    add_group(s, tie[t].place, 6, -1);
  }
  for (int n = 0; n < m->nodes; n++) {
    if (s->group[n] < 0)
      continue;
    s->group[n] = s->tie[n] >= 0 ? s->tied[s->tie[n]] : s->groups;
    if (s->tie[n] < 0)
      add_group(s, m->place + 3 * (size_t)n, s->turns[n] ? 6 : 3, n);
  }
  s->unknowns = s->start[s->groups];
}

static fly_status number_unknowns(fly_fem_system *s, int ties, const fly_fem_tie *tie, const int *unknowns,
                                  fly_error *error) {
  const size_t nodes = (size_t)s->mesh->nodes, most = nodes + (size_t)ties;
  s->group = fly_arena_ints(&s->memory, nodes);
  s->tie = fly_arena_ints(&s->memory, nodes);
  s->turns = fly_arena_take(&s->memory, nodes, sizeof *s->turns);
  s->start = fly_arena_ints(&s->memory, most + 1);
  s->place = fly_arena_doubles(&s->memory, 3 * most);
  s->node = fly_arena_ints(&s->memory, most);
  s->tied = fly_arena_ints(&s->memory, (size_t)ties);
  if (s->memory.failed)
    return no_memory(error);
  mark_used(s, unknowns);
  fly_status status = mark_ties(s, ties, tie, error);
  if (status == FLY_OK)
    make_groups(s, ties, tie);
  return status;
}

// ------------------------------------------------------------------------------------------ pattern

// Groups that see each other: those of an element, or the two of an entry.
typedef struct cliques {
  int count;
  int *start, *member, *of; // of: node of each unknown of the entries
  int *in_start, *in;       // cliques of each group
} cliques;

static bool element_cliques(cliques *c, const fly_fem_system *s, fly_arena *memory) {
  const fly_fem_mesh *m = s->mesh;
  int put = 0;
  c->start = fly_arena_ints(memory, (size_t)m->elements + 1);
  c->member = fly_arena_ints(memory, (size_t)m->elements * FLY_FEM_NODES);
  if (memory->failed)
    return false;
  for (int e = 0; e < m->elements; e++) {
    for (int k = 0; k < fly_fem_nodes_of(m->element[e].kind); k++)
      c->member[put++] = s->group[m->element[e].node[k]];
    c->start[e + 1] = put;
  }
  c->count = m->elements;
  return true;
}

static bool entry_cliques(cliques *c, const fly_fem_system *s, const fly_fem_entries *K, const fly_fem_entries *M,
                          const int *unknowns, fly_arena *memory) {
  const size_t most = K->count + M->count;
  int at = 0;
  c->of = fly_arena_ints(memory, (size_t)K->n);
  c->start = fly_arena_ints(memory, most + 1);
  c->member = fly_arena_ints(memory, 2 * most);
  if (memory->failed)
    return false;
  for (int n = 0; n < s->mesh->nodes; n++)
    for (int k = 0; k < unknowns[n]; k++)
      c->of[at++] = n;
  for (size_t e = 0; e < most; e++) {
    const fly_fem_entries *A = e < K->count ? K : M;
    const size_t k = e < K->count ? e : e - K->count;
    c->member[2 * e] = s->group[c->of[A->row[k]]];
    c->member[2 * e + 1] = s->group[c->of[A->col[k]]];
    c->start[e + 1] = (int)(2 * e + 2);
  }
  c->count = (int)most;
  return true;
}

// The cliques of each group.
static bool turn_over(cliques *c, int groups, fly_arena *memory) {
  const int total = c->start[c->count];
  int *put = fly_arena_ints(memory, (size_t)groups + 1);
  c->in_start = fly_arena_ints(memory, (size_t)groups + 1);
  c->in = fly_arena_ints(memory, (size_t)total);
  if (memory->failed)
    return false;
  for (int k = 0; k < total; k++)
    c->in_start[c->member[k] + 1]++;
  for (int g = 0; g < groups; g++)
    put[g + 1] = c->in_start[g + 1] += c->in_start[g];
  for (int q = 0; q < c->count; q++)
    for (int k = c->start[q]; k < c->start[q + 1]; k++)
      c->in[put[c->member[k]]++] = q;
  return true;
}

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

// Counted where near is NULL, else put down and sorted.
static void find_near(fly_fem_system *s, const cliques *c, int *seen) {
  int count = 0;
  for (int g = 0; g < s->groups; g++)
    seen[g] = -1;
  for (int g = 0; g < s->groups; g++) {
    s->first[g] = count;
    for (int q = c->in_start[g]; q < c->in_start[g + 1]; q++)
      for (int k = c->start[c->in[q]]; k < c->start[c->in[q] + 1]; k++) {
        if (seen[c->member[k]] == g)
          continue;
        seen[c->member[k]] = g;
        if (s->near)
          s->near[count] = c->member[k];
        count++;
      }
    if (s->near)
      qsort(s->near + s->first[g], (size_t)(count - s->first[g]), sizeof *s->near, by_number);
  }
  s->first[s->groups] = count;
}

static int size_of(const fly_fem_system *s, int g) { return s->start[g + 1] - s->start[g]; }

// Columns of a group have the unknowns of its neighbours as rows; offset: where those of each begin.
static fly_status make_columns(fly_fem_system *s, fly_error *error) {
  size_t total = 0;
  for (int g = 0; g < s->groups; g++) {
    int at = 0;
    for (int k = s->first[g]; k < s->first[g + 1]; k++) {
      s->offset[k] = at;
      at += size_of(s, s->near[k]);
    }
    total += (size_t)at * (size_t)size_of(s, g);
  }
  if (total > 2000000000)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "The matrices of this mesh have %.3g entries; 2e9 are the most.",
                    (double)total);
  const size_t n = (size_t)s->unknowns;
  s->pattern = (fly_csc){.rows = s->unknowns, .cols = s->unknowns};
  s->pattern.start = fly_zeroed(n + 1, sizeof(int));
  s->pattern.row = fly_zeroed(total + 1, sizeof(int));
  s->pattern.val = fly_zeroed(total + 1, sizeof(double));
  s->M = fly_zeroed(total + 1, sizeof(double));
  if (!s->pattern.start || !s->pattern.row || !s->pattern.val || !s->M)
    return no_memory(error);
  int put = 0;
  for (int g = 0; g < s->groups; g++)
    for (int j = s->start[g]; j < s->start[g + 1]; j++) {
      for (int k = s->first[g]; k < s->first[g + 1]; k++)
        for (int i = s->start[s->near[k]]; i < s->start[s->near[k] + 1]; i++)
          s->pattern.row[put++] = i;
      s->pattern.start[j + 1] = put;
    }
  return FLY_OK;
}

static fly_status make_pattern(fly_fem_system *s, cliques *c, fly_arena *scratch, fly_error *error) {
  int *seen = fly_arena_ints(scratch, (size_t)s->groups);
  s->first = fly_arena_ints(&s->memory, (size_t)s->groups + 1);
  if (!seen || !s->first || !turn_over(c, s->groups, scratch))
    return no_memory(error);
  find_near(s, c, seen);
  const size_t total = (size_t)s->first[s->groups];
  s->near = fly_arena_ints(&s->memory, total);
  s->offset = fly_arena_ints(&s->memory, total);
  if (s->memory.failed)
    return no_memory(error);
  find_near(s, c, seen);
  return make_columns(s, error);
}

// ------------------------------------------------------------------------------------------ adding up

static int find_place(const fly_fem_system *s, int row, int column) {
  int low = s->first[column], high = s->first[column + 1] - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (s->near[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return s->offset[low];
}

// How a node's unknowns (rows, 3 or 6) follow from those of its group.
typedef struct slot {
  int group, rows, columns;
  double T[36];
} slot;

static slot slot_of(const fly_fem_system *s, int node, int rows) {
  slot q = {.group = s->group[node], .rows = rows};
  q.columns = size_of(s, q.group);
  for (int i = 0; i < rows && i < q.columns; i++)
    q.T[q.columns * i + i] = 1;
  if (s->tie[node] < 0)
    return q;
  double d[3];
  for (int i = 0; i < 3; i++)
    d[i] = s->mesh->place[3 * (size_t)node + (size_t)i] - s->place[3 * (size_t)q.group + (size_t)i];
  q.T[0 * 6 + 4] = d[2];
  q.T[0 * 6 + 5] = -d[1];
  q.T[1 * 6 + 3] = -d[2];
  q.T[1 * 6 + 5] = d[0];
  q.T[2 * 6 + 3] = d[1];
  q.T[2 * 6 + 4] = -d[0];
  return q;
}

// A += T_a^T B T_b; B: a.rows x b.rows, rows `width` apart
static void add_block(double *A, const fly_fem_system *s, const slot *a, const slot *b, const double *B, int width) {
  double BT[36] = {0};
  for (int i = 0; i < a->rows; i++)
    for (int j = 0; j < b->columns; j++) {
      double sum = 0;
      for (int k = 0; k < b->rows; k++)
        sum += B[width * i + k] * b->T[b->columns * k + j];
      BT[6 * i + j] = sum;
    }
  const int at = find_place(s, a->group, b->group);
  for (int j = 0; j < b->columns; j++) {
    double *column = A + s->pattern.start[s->start[b->group] + j] + at;
    for (int i = 0; i < a->columns; i++)
      for (int k = 0; k < a->rows; k++)
        column[i] += a->T[a->columns * k + i] * BT[6 * k + j];
  }
}

static fly_status bad_element(const fly_fem_system *s, const fly_fem_element *e, fly_error *error) {
  const fly_fem_mesh *m = s->mesh;
  if (e->kind == FLY_FEM_BEAM)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "Beam %d (line %d) between nodes %d and %d has no length, or lies along the direction that is "
                    "given for y of its section.",
                    e->number, e->line, m->number[e->node[0]], m->number[e->node[1]]);
  return fly_fail(error, FLY_BAD_INPUT, NAN,
                  "Tetrahedron %d (line %d) with the corners %d, %d, %d, %d is turned inside out, or so bent that a "
                  "part of it is: exchange two of its corners, or move the nodes on its edges.",
                  e->number, e->line, m->number[e->node[0]], m->number[e->node[1]], m->number[e->node[2]],
                  m->number[e->node[3]]);
}

static fly_status check_material(const fly_fem_system *s, const fly_fem_element *e, fly_error *error) {
  const fly_fem_material *m = e->material >= 0 ? &s->mesh->material[e->material] : NULL;
  if (!m || !(m->E > 0) || !(m->density > 0) || !(m->nu > -1 && m->nu < 0.5))
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "Element %d (line %d) needs a material%s%s%s with Young's modulus > 0, Poisson's ratio from -1 to "
                    "0.5 and density > 0.",
                    e->number, e->line, m ? " (`" : "", m ? m->name : "", m ? "` is not complete)" : "");
  if (e->kind == FLY_FEM_BEAM && e->section < 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "Beam %d (line %d) has no section.", e->number, e->line);
  return FLY_OK;
}

static void take_nodes(double x[FLY_FEM_NODES][3], slot q[FLY_FEM_NODES], const fly_fem_system *s,
                       const fly_fem_element *e) {
  for (int k = 0; k < fly_fem_nodes_of(e->kind); k++) {
    memcpy(x[k], s->mesh->place + 3 * (size_t)e->node[k], sizeof x[k]);
    q[k] = slot_of(s, e->node[k], fly_fem_unknowns_of(e->kind));
  }
}

static fly_status add_element(fly_fem_system *s, const fly_fem_element *e, double *K, double *M, fly_error *error) {
  const int nodes = fly_fem_nodes_of(e->kind), each = fly_fem_unknowns_of(e->kind), width = nodes * each;
  double x[FLY_FEM_NODES][3];
  slot q[FLY_FEM_NODES];
  fly_status status = check_material(s, e, error);
  if (status)
    return status;
  take_nodes(x, q, s, e);
  const fly_fem_material *m = &s->mesh->material[e->material];
  const bool good = e->kind == FLY_FEM_TETRAHEDRON
                        ? fly_fem_tetrahedron(K, M, (const double(*)[3])x, m)
                        : fly_fem_beam(K, M, (const double(*)[3])x, m, &s->mesh->section[e->section]);
  if (!good)
    return bad_element(s, e, error);
  for (int a = 0; a < nodes; a++)
    for (int b = 0; b < nodes; b++) {
      add_block(s->pattern.val, s, &q[a], &q[b], K + width * each * a + each * b, width);
      add_block(s->M, s, &q[a], &q[b], M + width * each * a + each * b, width);
    }
  return FLY_OK;
}

static fly_status add_elements(fly_fem_system *s, fly_error *error) {
  double K[FLY_FEM_UNKNOWNS * FLY_FEM_UNKNOWNS], M[FLY_FEM_UNKNOWNS * FLY_FEM_UNKNOWNS];
  fly_status status = FLY_OK;
  for (int e = 0; e < s->mesh->elements && status == FLY_OK; e++)
    status = add_element(s, &s->mesh->element[e], K, M, error);
  return status;
}

// T_a x of the nodes of an element, one behind the other.
static void gather(double *u, const fly_fem_system *s, const slot *q, int nodes, const double *x) {
  for (int k = 0; k < nodes; k++)
    for (int i = 0; i < q[k].rows; i++, u++) {
      *u = 0;
      for (int j = 0; j < q[k].columns; j++)
        *u += q[k].T[q[k].columns * i + j] * x[s->start[q[k].group] + j];
    }
}

void fly_fem_stiffening(double *G, const fly_fem_system *s, const double *x) {
  memset(G, 0, (size_t)fly_csc_nnz(&s->pattern) * sizeof *G);
  for (int k = 0; k < s->mesh->elements; k++) {
    const fly_fem_element *e = &s->mesh->element[k];
    const int nodes = fly_fem_nodes_of(e->kind), each = fly_fem_unknowns_of(e->kind), width = nodes * each;
    const fly_fem_material *m = &s->mesh->material[e->material];
    double place[FLY_FEM_NODES][3], u[FLY_FEM_UNKNOWNS], own[FLY_FEM_UNKNOWNS * FLY_FEM_UNKNOWNS];
    slot q[FLY_FEM_NODES];
    take_nodes(place, q, s, e);
    gather(u, s, q, nodes, x);
    if (e->kind == FLY_FEM_TETRAHEDRON)
      fly_fem_tetrahedron_stiffening(own, (const double(*)[3])place, u, m);
    else
      fly_fem_beam_stiffening(own, (const double(*)[3])place, u, m, &s->mesh->section[e->section]);
    for (int a = 0; a < nodes; a++)
      for (int b = 0; b < nodes; b++)
        add_block(G, s, &q[a], &q[b], own + width * each * a + each * b, width);
  }
}

// An entry is a block with one number.
static void add_entries(fly_fem_system *s, double *A, const fly_fem_entries *e, const int *of, const int *first) {
  for (size_t k = 0; k < e->count; k++) {
    const int a = of[e->row[k]], b = of[e->col[k]];
    double B[36] = {0};
    const slot qa = slot_of(s, a, s->turns[a] ? 6 : 3), qb = slot_of(s, b, s->turns[b] ? 6 : 3);
    B[qb.rows * (e->row[k] - first[a]) + e->col[k] - first[b]] = e->value[k];
    add_block(A, s, &qa, &qb, B, qb.rows);
  }
}

fly_status fly_fem_assemble(fly_fem_system *s, const fly_fem_mesh *m, int ties, const fly_fem_tie *tie,
                            const fly_fem_entries *K, const fly_fem_entries *M, const int *unknowns, fly_error *error) {
  cliques c = {0};
  fly_arena scratch = {0};
  *s = (fly_fem_system){.mesh = m};
  fly_status status = number_unknowns(s, ties, tie, K ? unknowns : NULL, error);
  if (status == FLY_OK && !(K ? entry_cliques(&c, s, K, M, unknowns, &scratch) : element_cliques(&c, s, &scratch)))
    status = no_memory(error);
  if (status == FLY_OK)
    status = make_pattern(s, &c, &scratch, error);
  if (status == FLY_OK && K) {
    int *first = fly_arena_ints(&scratch, (size_t)m->nodes + 1);
    for (int n = 0; first && n < m->nodes; n++)
      first[n + 1] = first[n] + unknowns[n];
    if (first) {
      add_entries(s, s->pattern.val, K, c.of, first);
      add_entries(s, s->M, M, c.of, first);
    } else
      status = no_memory(error);
  } else if (status == FLY_OK)
    status = add_elements(s, error);
  fly_arena_free(&scratch);
  return status;
}

// ------------------------------------------------------------------------------------------ vectors

void fly_fem_multiply(double *y, const fly_fem_system *s, const double *A, const double *x) {
  const fly_csc *p = &s->pattern;
  for (int j = 0; j < s->unknowns; j++) { // symmetric: column j is row j
    double sum = 0;
    for (int k = p->start[j]; k < p->start[j + 1]; k++)
      sum += A[k] * x[p->row[k]];
    y[j] = sum;
  }
}

void fly_fem_displacement(double u[3], const fly_fem_system *s, const double *x, int node) {
  const slot q = slot_of(s, node, 3);
  const double *from = x + s->start[q.group];
  for (int i = 0; i < 3; i++) {
    u[i] = 0;
    for (int k = 0; k < q.columns; k++)
      u[i] += q.T[q.columns * i + k] * from[k];
  }
}

// The turn theta for which sum |u_k - u - theta x d_k|^2 over the neighbours is least:
// sum (d . d - d d^T) theta = sum d x (u_k - u)
static void turn_of_neighbours(double theta[3], const fly_fem_system *s, const double *x, int g) {
  double A[9] = {0}, b[3] = {0}, d[3], du[3], c[3];
  const double *u = x + s->start[g], *at = s->place + 3 * (size_t)g;
  for (int k = s->first[g]; k < s->first[g + 1]; k++) {
    const int other = s->near[k];
    if (other == g)
      continue;
    for (int i = 0; i < 3; i++) {
      d[i] = s->place[3 * (size_t)other + (size_t)i] - at[i];
      du[i] = x[s->start[other] + i] - u[i];
    }
    fly_cross(c, d, du);
    const double dd = fly_dot3(d, d);
    for (int i = 0; i < 9; i++)
      A[i] += (i % 4 == 0 ? dd : 0) - d[i / 3] * d[i % 3];
    for (int i = 0; i < 3; i++)
      b[i] += c[i];
  }
  double c0[3], c1[3], c2[3]; // A^-1 by its columns, which are its rows
  fly_cross(c0, A + 3, A + 6);
  fly_cross(c1, A + 6, A);
  fly_cross(c2, A, A + 3);
  const double det = fly_dot3(A, c0), size = A[0] + A[4] + A[8];
  for (int i = 0; i < 3; i++)
    theta[i] = det > 1e-9 * size * size * size ? (c0[i] * b[0] + c1[i] * b[1] + c2[i] * b[2]) / det : 0;
}

void fly_fem_turn(double theta[3], const fly_fem_system *s, const double *x, int node) {
  const int g = s->group[node];
  if (size_of(s, g) == 6)
    memcpy(theta, x + s->start[g] + 3, 3 * sizeof *theta);
  else
    turn_of_neighbours(theta, s, x, g);
}
