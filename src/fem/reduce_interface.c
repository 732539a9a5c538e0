// The interface of a body that is reduced: its nodes and ties, and whether it holds the body.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fem/reduce.h"
#include "math/so3.h"

static fly_status no_node(const fly_reduction *r, const fly_reduce_interface *f) {
  int nearest = 0;
  for (int n = 1; n < r->mesh.nodes; n++)
    if (labs((long)r->mesh.number[n] - f->node) < labs((long)r->mesh.number[nearest] - f->node))
      nearest = n;
  return fly_fail(r->error, FLY_BAD_INPUT, NAN,
                  "Interface `%s`: the mesh has no node %d. It has %d nodes; the nearest number is %d.", f->name,
                  f->node, r->mesh.nodes, r->mesh.nodes > 0 ? r->mesh.number[nearest] : 0);
}

static fly_status no_set(const fly_reduction *r, const fly_reduce_interface *f) {
  char list[400] = "";
  for (int k = 0; k < r->mesh.sets; k++)
    if (!r->mesh.set[k].elements && strlen(list) + FLY_FEM_NAME + 2 < sizeof list)
      strcat(strcat(list, list[0] ? ", " : ""), r->mesh.set[k].name);
  return fly_fail(r->error, FLY_BAD_INPUT, NAN, "Interface `%s`: the mesh has no set of nodes `%s`. It has %s.",
                  f->name, f->set, list[0] ? list : "none");
}

static void middle_of(double x[3], const fly_reduction *r, const fly_fem_set *s) {
  memset(x, 0, 3 * sizeof *x);
  for (int k = 0; k < s->count; k++)
    for (int i = 0; i < 3; i++)
      x[i] += r->mesh.place[3 * (size_t)s->member[k] + (size_t)i] / s->count;
}

// Nodes on one line leave the turn of their point about it free.
static bool on_a_line(const fly_reduction *r, const fly_fem_set *s, const double x[3]) {
  double A[9] = {0}, c[3];
  for (int k = 0; k < s->count; k++) {
    double d[3];
    for (int i = 0; i < 3; i++)
      d[i] = r->mesh.place[3 * (size_t)s->member[k] + (size_t)i] - x[i];
    for (int i = 0; i < 9; i++)
      A[i] += (i % 4 == 0 ? fly_dot3(d, d) : 0) - d[i / 3] * d[i % 3];
  }
  fly_cross(c, A + 3, A + 6);
  const double size = A[0] + A[4] + A[8];
  return !(fly_dot3(A, c) > 1e-9 * size * size * size);
}

static bool some_turn(const fly_reduction *r, const fly_fem_set *s) {
  for (int e = 0; e < r->mesh.elements; e++)
    for (int k = 0; k < 2 && r->mesh.element[e].kind == FLY_FEM_BEAM; k++)
      for (int i = 0; i < s->count; i++)
        if (s->member[i] == r->mesh.element[e].node[k])
          return true;
  for (int i = 0; r->file_unknowns && i < s->count; i++)
    if (r->file_unknowns[s->member[i]] == 6)
      return true;
  return false;
}

static fly_status find_tie(fly_reduction *r, const fly_reduce_interface *f) {
  const fly_fem_set *s = fly_fem_find_set(&r->mesh, f->set);
  fly_fem_tie *t = &r->tie[r->ties];
  if (!s || s->count == 0)
    return no_set(r, f);
  middle_of(t->place, r, s);
  if (on_a_line(r, s, t->place) && !some_turn(r, s))
    return fly_fail(r->error, FLY_BAD_INPUT, NAN,
                    "Interface `%s`: the %d nodes of set `%s` lie on a line, about which its point would turn freely; "
                    "take three nodes at least that do not.",
                    f->name, s->count, f->set);
  if (f->placed)
    memcpy(t->place, f->at, sizeof t->place);
  t->count = s->count;
  t->node = s->member;
  r->ties++;
  return FLY_OK;
}

fly_status fly_reduce_interface_find(fly_reduction *r) {
  fly_status status = FLY_OK;
  r->tie = fly_arena_take(&r->memory, (size_t)r->o.ninterface, sizeof *r->tie);
  if (!r->tie)
    return fly_reduce_no_memory(r);
  for (int k = 0; k < r->o.ninterface && status == FLY_OK; k++) {
    const fly_reduce_interface *f = &r->o.interface[k];
    for (int i = 0; i < k; i++)
      if (strcmp(r->o.interface[i].name, f->name) == 0)
        return fly_fail(r->error, FLY_BAD_INPUT, NAN, "Two interfaces are called `%s`.", f->name);
    if (f->set)
      status = find_tie(r, f);
    else if (fly_fem_find(&r->mesh, f->node) < 0)
      status = no_node(r, f);
  }
  return status;
}

// ------------------------------------------------------------------------------------------ behind the matrices

static fly_status find_groups(fly_reduction *r) {
  int ties = 0;
  for (int k = 0; k < r->o.ninterface; k++) {
    const fly_reduce_interface *f = &r->o.interface[k];
    const int node = f->set ? -1 : fly_fem_find(&r->mesh, f->node);
    const int g = f->set ? r->s.tied[ties++] : r->s.group[node];
    if (g < 0)
      return fly_fail(r->error, FLY_BAD_INPUT, NAN, "Interface `%s`: node %d belongs to no element.", f->name, f->node);
    if (r->held[g])
      return fly_fail(r->error, FLY_BAD_INPUT, NAN, "Interface `%s`: its node is that of another interface, or tied.",
                      f->name);
    r->held[g] = true;
    r->interface_group[k] = g;
    for (int i = r->s.start[g]; i < r->s.start[g + 1]; i++)
      r->boundary[r->nb++] = i;
  }
  return FLY_OK;
}

// Groups that can be reached from the first; *other: one that cannot.
static bool in_one_piece(const fly_reduction *r, int *seen, int *stack, int *reached, int *other) {
  int top = 0;
  stack[top++] = 0;
  seen[0] = 1;
  for (*reached = 0; top > 0; (*reached)++) {
    const int g = stack[--top];
    for (int k = r->s.first[g]; k < r->s.first[g + 1]; k++)
      if (!seen[r->s.near[k]]) {
        seen[r->s.near[k]] = 1;
        stack[top++] = r->s.near[k];
      }
  }
  for (*other = 0; *other < r->s.groups && seen[*other]; (*other)++)
    ;
  return *other == r->s.groups;
}

static int number_of(const fly_reduction *r, int group) {
  return r->s.node[group] >= 0 ? r->mesh.number[r->s.node[group]] : 0;
}

static fly_status check_pieces(const fly_reduction *r) {
  int reached, other, *room = calloc(2 * (size_t)r->s.groups + 2, sizeof *room);
  if (!room)
    return fly_reduce_no_memory(r);
  const bool one = in_one_piece(r, room, room + r->s.groups, &reached, &other);
  int first = 0;
  while (first + 1 < r->s.groups && r->s.node[first] < 0)
    first++;
  free(room);
  return one ? FLY_OK
             : fly_fail(
                   r->error, FLY_BAD_INPUT, NAN,
                   "The mesh is in pieces: node %d cannot be reached from node %d, whose piece has %d of %d nodes. "
                   "Join nodes that stand at the same place, or reduce each piece by itself.",
                   number_of(r, other), number_of(r, first), reached, r->s.groups);
}

// Columns are made orthogonal one by one; what is left of one that depends on the others is rounding.
static int rank_of(double *A, int rows, int columns) {
  int rank = 0;
  for (int j = 0; j < columns; j++) {
    double *a = A + (size_t)j * (size_t)rows, size = 0, left = 0;
    for (int i = 0; i < rows; i++)
      size += a[i] * a[i];
    for (int k = 0; k < rank; k++) {
      const double *q = A + (size_t)k * (size_t)rows;
      double part = 0;
      for (int i = 0; i < rows; i++)
        part += q[i] * a[i];
      for (int i = 0; i < rows; i++)
        a[i] -= part * q[i];
    }
    for (int i = 0; i < rows; i++)
      left += a[i] * a[i];
    if (!(left > 1e-10 * size))
      continue;
    for (int i = 0; i < rows; i++)
      A[(size_t)rank * (size_t)rows + (size_t)i] = a[i] / sqrt(left);
    rank++;
  }
  return rank;
}

static fly_status check_hold(const fly_reduction *r) {
  const size_t n = (size_t)r->s.unknowns, nb = (size_t)r->nb;
  double *x = calloc(n + 6 * nb + 1, sizeof *x);
  if (!x)
    return fly_reduce_no_memory(r);
  double *A = x + n;
  for (int way = 0; way < 6; way++) {
    fly_reduce_rigid(x, &r->s, way);
    for (size_t k = 0; k < nb; k++)
      A[(size_t)way * nb + k] = x[r->boundary[k]];
  }
  const int rank = rank_of(A, r->nb, 6);
  free(x);
  return rank == 6 || r->nb == 0
             ? FLY_OK
             : fly_fail(r->error, FLY_BAD_INPUT, NAN,
                        "The interface holds the body in %d of six ways: held there, it could still %s. Add interface "
                        "nodes that are not on one line, tie a set of nodes to a point (NAME=set:SET), or name none.",
                        rank, rank >= 5 ? "turn about a line" : "turn");
}

// K times a motion as a whole is no force; each row beside the sizes of what it adds up.
static fly_status check_free(const fly_reduction *r) {
  static const char *const WAYS[] = {"along x", "along y", "along z", "about x", "about y", "about z"};
  const fly_csc *p = &r->s.pattern;
  const size_t n = (size_t)r->s.unknowns;
  double *x = calloc(n + 1, sizeof *x);
  fly_status status = x ? FLY_OK : fly_reduce_no_memory(r);
  for (int way = 0; way < 6 && status == FLY_OK; way++) {
    double worst = 0, largest = 0;
    fly_reduce_rigid(x, &r->s, way);
    for (size_t j = 0; j < n; j++) {
      double sum = 0, size = 0;
      for (int k = p->start[j]; k < p->start[j + 1]; k++) {
        sum += p->val[k] * x[p->row[k]];
        size += fabs(p->val[k] * x[p->row[k]]);
      }
      worst = fmax(worst, fabs(sum));
      largest = fmax(largest, size);
    }
    if (worst > 1e-6 * largest)
      status = fly_fail(r->error, FLY_BAD_INPUT, NAN,
                        "The stiffness matrix resists a motion of the whole body %s: it has supports, or unknowns in "
                        "another order than node by node x, y, z (and turns about them). Take the supports out; joints "
                        "hold the body in the model.",
                        WAYS[way]);
  }
  free(x);
  return status;
}

fly_status fly_reduce_interface_check(fly_reduction *r) {
  r->held = fly_arena_take(&r->memory, (size_t)r->s.groups, sizeof *r->held);
  r->boundary = fly_arena_ints(&r->memory, 6 * (size_t)r->o.ninterface);
  r->interface_group = fly_arena_ints(&r->memory, (size_t)r->o.ninterface);
  if (r->memory.failed)
    return fly_reduce_no_memory(r);
  fly_status status = find_groups(r);
  r->info.interface_unknowns = r->nb;
  if (status == FLY_OK)
    status = check_pieces(r);
  if (status == FLY_OK)
    status = check_hold(r);
  return status ? status : check_free(r);
}
