// What is found once from the pattern: bodies and joints, whose joint is whose, and where everything goes.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/clusters.h"
#include "sparse/invert.h"

// Forces between distant bodies fill the factors: beyond so many times the entries of the matrix others do better.
static const double MOST_FILL = 4;
enum { LOOKS = 1000 }; // so many joints of a body, the latest, are compared for one between the same two bodies

typedef struct planner {
  const fly_csc *a;
  const int *group;
  int n, bodies, joints;
  int *body_of;      // of each unknown, -1: it is a joint's (n)
  int (*pair)[2];    // of each unknown of a joint: its bodies, -1: ground (n)
  int *joint_of;     // of each unknown, -1: it is a body's (n)
  int (*ends)[2];    // of each joint, at most n
  int *rows;         // of each joint
  int *latest;       // of each body: a joint, -1 (bodies); and
  int (*before)[2];  // of each joint: the one before it of its bodies
  int *dofs;         // of each body
  int *open;         // joints of each body that are nobody's yet, and
  int *which;        // their numbers, exclusive or of all: the number of the last one
  int *own;          // the joint that a body is eliminated with, -1
  int *order;        // bodies in the order of elimination
  int *place;        // of each body in that order
  int *position;     // of each unknown in its cluster (n)
  int *cluster;      // of each unknown (n)
  int *start, *next; // earlier and later clusters that each one is coupled with
  int *mark;         // scratch
  fly_arena memory;
} planner;

static bool take_lists(planner *p) {
  const size_t n = (size_t)p->n + 1;
  int **lists[] = {&p->body_of, &p->joint_of, &p->rows,  &p->latest,   &p->dofs,    &p->open,  &p->which,
                   &p->own,     &p->order,    &p->place, &p->position, &p->cluster, &p->start, &p->mark};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
    *lists[k] = fly_arena_ints(&p->memory, n);
  p->pair = fly_arena_take(&p->memory, n, sizeof *p->pair);
  p->ends = fly_arena_take(&p->memory, n, sizeof *p->ends);
  p->before = fly_arena_take(&p->memory, n, sizeof *p->before);
  return !p->memory.failed;
}

// ---------------------------------------------------------------------------------- bodies and joints

static void number_bodies(planner *p) {
  for (int j = 0; j < p->n; j++) {
    p->joint_of[j] = p->body_of[j] = p->pair[j][0] = p->pair[j][1] = -1;
    if (p->group[j] < 0)
      continue;
    p->bodies += j == 0 || p->group[j] != p->group[j - 1];
    p->body_of[j] = p->bodies - 1;
    p->dofs[p->bodies - 1]++;
  }
}

// Joint's unknown j touches a body. False: that is the third.
static bool add_end(planner *p, int j, int body) {
  int *pair = p->pair[j];
  if (pair[0] == body || pair[1] == body)
    return true;
  if (pair[1] >= 0)
    return false;
  const int first = pair[0];
  pair[0] = first < 0 || body < first ? body : first;
  pair[1] = first < 0 ? -1 : body < first ? first : body;
  return true;
}

// What has neither a body nor a diagonal is a joint's, and touches one body or two, and no other joint.
static bool find_ends(planner *p) {
  bool fine = true;
  for (int j = 0; j < p->n && fine; j++)
    for (int k = p->a->start[j]; k < p->a->start[j + 1] && fine; k++) {
      const int i = p->a->row[k];
      if (p->body_of[j] < 0)
        fine = p->body_of[i] >= 0 && add_end(p, j, p->body_of[i]);
      else if (p->body_of[i] < 0)
        fine = add_end(p, i, p->body_of[j]);
    }
  return fine;
}

// The joint between the same bodies, of the few that one of them had last; -1.
static int find_joint(const planner *p, const int *pair) {
  const int side = pair[1] >= 0 && p->open[pair[1]] < p->open[pair[0]];
  int joint = p->latest[pair[side]];
  for (int k = 0; k < LOOKS && joint >= 0; k++) {
    const int *ends = p->ends[joint];
    if (ends[0] == pair[0] && ends[1] == pair[1])
      return joint;
    joint = p->before[joint][ends[1] == pair[side]];
  }
  return -1;
}

static int add_joint(planner *p, const int *pair) {
  const int joint = p->joints++;
  for (int side = 0; side < 2; side++) {
    const int body = p->ends[joint][side] = pair[side];
    if (body < 0)
      continue;
    p->before[joint][side] = p->latest[body];
    p->latest[body] = joint;
    p->open[body]++;
    p->which[body] ^= joint;
  }
  return joint;
}

static bool find_joints(planner *p) {
  for (int b = 0; b < p->bodies; b++)
    p->latest[b] = p->own[b] = -1;
  for (int j = 0; j < p->n; j++) {
    if (p->body_of[j] >= 0)
      continue;
    if (p->pair[j][0] < 0)
      return false;
    const int known = find_joint(p, p->pair[j]);
    p->joint_of[j] = known >= 0 ? known : add_joint(p, p->pair[j]);
    p->rows[p->joint_of[j]]++;
  }
  return true;
}

// Bodies that wait for their turn, each once.
typedef struct line {
  int count, *body;
  bool *waits;
} line;

static void stand_in_line(line *l, int body) {
  if (!l->waits[body])
    l->body[l->count++] = body;
  l->waits[body] = true;
}

// Body b goes, with the joint that it has left, if any.
static void go(planner *p, line *l, int b, int count) {
  p->place[b] = count;
  p->order[count] = b;
  if (p->open[b] == 0)
    return;
  const int joint = p->which[b], other = p->ends[joint][p->ends[joint][0] == b];
  p->own[b] = joint;
  p->open[b] = 0;
  if (other < 0)
    return;
  p->which[other] ^= joint;
  if (--p->open[other] <= 1)
    stand_in_line(l, other);
}

// A body with one joint left takes it if it has as many unknowns, and goes; so its neighbour may be the next. False:
// there is a loop, or a joint that no body can take.
static bool peel(planner *p) {
  int count = 0;
  line l = {.body = p->mark, .waits = fly_arena_take(&p->memory, (size_t)p->bodies + 1, sizeof *l.waits)};
  if (p->memory.failed)
    return false;
  for (int b = p->bodies - 1; b >= 0; b--)
    if (p->open[b] <= 1)
      stand_in_line(&l, b);
  while (l.count > 0) {
    const int b = l.body[--l.count], rows = p->open[b] > 0 ? p->rows[p->which[b]] : 0;
    l.waits[b] = false;
    if (rows > p->dofs[b]) // its neighbour may take the joint
      continue;
    if (p->dofs[b] + rows > FLY_CLUSTER_WIDEST)
      return false;
    go(p, &l, b, count++);
  }
  return count == p->bodies;
}

// ---------------------------------------------------------------------------------- clusters

static void put_unknown(const fly_clusters *f, planner *p, int j, int cluster) {
  p->cluster[j] = cluster;
  p->position[j] = p->mark[cluster]++;
  f->order[f->first[cluster] + p->position[j]] = j;
}

// Unknowns cluster by cluster, the body's before its joint's. which: whose a joint is; mark: how many are put.
static bool put_clusters(fly_clusters *f, planner *p) {
  const size_t size = (size_t)p->bodies + 1;
  f->n = p->n;
  f->count = p->bodies;
  int **lists[] = {&f->first,      &f->slot,        &f->body,  &f->border_start, &f->reach,      &f->value_start,
                   &f->pair_start, &f->ready_start, &f->ready, &f->room,         &f->entry_start};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
    *lists[k] = fly_arena_ints(&f->plan->memory, size);
  f->order = fly_arena_ints(&f->plan->memory, (size_t)p->n);
  if (f->plan->memory.failed)
    return false;
  for (int c = 0; c < f->count; c++) {
    const int body = p->order[c], joint = p->own[body];
    f->body[c] = p->dofs[body];
    f->first[c + 1] = f->first[c] + f->body[c] + (joint >= 0 ? p->rows[joint] : 0);
    f->slot[c + 1] = f->slot[c] + fly_cluster_rows(fly_cluster_width(f, c));
    p->mark[c] = 0;
    if (joint >= 0)
      p->which[joint] = c;
  }
  for (int j = 0; j < p->n; j++)
    if (p->body_of[j] >= 0)
      put_unknown(f, p, j, p->place[p->body_of[j]]);
  for (int j = 0; j < p->n; j++)
    if (p->joint_of[j] >= 0)
      put_unknown(f, p, j, p->which[p->joint_of[j]]);
  return true;
}

// ---------------------------------------------------------------------------------- borders

// For each cluster those later ones that an entry couples it with, some of them twice. at: how far each list is, or
// NULL to count.
static void list_couplings(const fly_clusters *f, planner *p, int *at) {
  for (int c = 0; c < f->count; c++)
    p->mark[c] = -1;
  for (int c = 0; c < f->count; c++)
    for (int k = f->first[c]; k < f->first[c + 1]; k++)
      for (int e = p->a->start[f->order[k]]; e < p->a->start[f->order[k] + 1]; e++) {
        const int other = p->cluster[p->a->row[e]], early = other < c ? other : c;
        if (other == c || p->mark[other] == c)
          continue;
        p->mark[other] = c;
        if (at)
          p->next[at[early]++] = other < c ? c : other;
        else
          p->start[early + 1]++;
      }
}

static bool find_couplings(const fly_clusters *f, planner *p) {
  memset(p->start, 0, ((size_t)f->count + 1) * sizeof *p->start);
  list_couplings(f, p, NULL);
  for (int c = 0; c < f->count; c++)
    p->start[c + 1] += p->start[c];
  p->next = fly_arena_ints(&p->memory, (size_t)p->start[f->count] + 1);
  int *at = fly_arena_ints(&p->memory, (size_t)f->count + 1);
  if (p->memory.failed)
    return false;
  memcpy(at, p->start, (size_t)f->count * sizeof *at);
  list_couplings(f, p, at);
  return true;
}

// Borders one behind the other, in an array that grows.
typedef struct borders {
  int *list, room;
  int *head, *sibling; // clusters whose border begins with one: the first of them, and the next; -1 (count)
  double values;       // of all factors
} borders;

// Ascending, each once.
static void add_to(const planner *p, borders *b, int c, int first, int *end, int cluster) {
  if (cluster <= c || p->mark[cluster] == c)
    return;
  p->mark[cluster] = c;
  int at = (*end)++;
  for (; at > first && b->list[at - 1] > cluster; at--)
    b->list[at] = b->list[at - 1];
  b->list[at] = cluster;
}

// What c touches when it is eliminated: what it is coupled with, and what those left that touched it first.
static bool find_border(const fly_clusters *f, planner *p, borders *b, int c) {
  const int first = f->border_start[c];
  int end = first, most = first + p->start[c + 1] - p->start[c];
  for (int k = b->head[c]; k >= 0; k = b->sibling[k])
    most += f->border_start[k + 1] - f->border_start[k];
  if (!fly_reserve(&b->list, &b->room, most + 1, sizeof *b->list))
    return false;
  for (int k = p->start[c]; k < p->start[c + 1]; k++)
    add_to(p, b, c, first, &end, p->next[k]);
  for (int k = b->head[c]; k >= 0; k = b->sibling[k])
    for (int e = f->border_start[k]; e < f->border_start[k + 1]; e++)
      add_to(p, b, c, first, &end, b->list[e]);
  f->border_start[c + 1] = end;
  if (end > first) {
    b->sibling[c] = b->head[b->list[first]];
    b->head[b->list[first]] = c;
  }
  for (int k = first; k < end; k++)
    f->reach[c] += fly_even(f->body[b->list[k]]);
  return true;
}

// False: no memory. *fine: the factors are not too long.
static bool find_borders(fly_clusters *f, planner *p, borders *b, bool *fine) {
  const size_t count = (size_t)f->count;
  const double most = MOST_FILL * ((double)fly_csc_nnz(p->a) + p->n);
  b->head = fly_arena_ints(&p->memory, count + 1);
  b->sibling = fly_arena_ints(&p->memory, count + 1);
  if (p->memory.failed)
    return false;
  for (int c = 0; c < f->count; c++)
    b->head[c] = p->mark[c] = -1;
  for (int c = 0; c < f->count && *fine; c++) {
    if (!find_border(f, p, b, c))
      return false;
    const int rows = f->slot[c + 1] - f->slot[c], many = f->border_start[c + 1] - f->border_start[c];
    const double own = (double)rows * (fly_even(fly_cluster_width(f, c)) + 2 * f->reach[c]);
    b->values += own;
    *fine = b->values <= most && b->values < INT_MAX / 2 && many < SHRT_MAX && own <= USHRT_MAX;
    f->value_start[c + 1] = *fine ? (int)b->values : 0;
    f->pair_start[c + 1] = f->pair_start[c] + many * (many - 1) / 2;
  }
  return true;
}

// ---------------------------------------------------------------------------------- places

// Where a cluster begins among the unknowns of c's border, which has it.
static int place_in_border(const fly_clusters *f, int c, int cluster) {
  int at = 0;
  for (const int *k = f->border + f->border_start[c]; *k != cluster; k++)
    at += fly_even(f->body[*k]);
  return at;
}

static bool put_borders(fly_clusters *f, const borders *b) {
  const int total = f->border_start[f->count];
  f->border = fly_arena_ints(&f->plan->memory, (size_t)total + 1);
  f->pair = fly_arena_ints(&f->plan->memory, (size_t)f->pair_start[f->count] + 1);
  if (f->plan->memory.failed)
    return false;
  if (b->list) // there are clusters
    memcpy(f->border, b->list, (size_t)total * sizeof *f->border);
  for (int c = 0, *pair = f->pair; c < f->count; c++)
    for (int k = f->border_start[c]; k < f->border_start[c + 1]; k++)
      for (int l = k + 1; l < f->border_start[c + 1]; l++)
        *pair++ = place_in_border(f, f->border[k], f->border[l]);
  return true;
}

static bool put_starts(fly_clusters *f) {
  int ahead = 0, back = 0;
  f->ahead = fly_arena_ints(&f->plan->memory, (size_t)f->count + 1);
  f->back = fly_arena_ints(&f->plan->memory, (size_t)f->count + 1);
  if (f->plan->memory.failed)
    return false;
  for (int c = 0; c < f->count; c++) {
    const int own = (f->slot[c + 1] - f->slot[c]) * f->reach[c];
    f->ahead[c] = ahead;
    f->back[c] = back;
    ahead += f->value_start[c + 1] - f->value_start[c] - own;
    back += own;
  }
  for (int c = 0; c < f->count; c++)
    f->back[c] += ahead;
  return true;
}

// Who is touched first by whom, and has which room from then on. mark: it was touched; place: rooms
// that are free.
static void put_ready(fly_clusters *f, planner *p) {
  int count = 0, unused = 0, *left = p->place;
  memset(p->mark, 0, (size_t)f->count * sizeof *p->mark);
  for (int c = 0; c < f->count; c++) {
    const int values = f->value_start[c + 1] - f->value_start[c];
    f->largest = values > f->largest ? values : f->largest;
    for (int k = f->border_start[c] - 1; k < f->border_start[c + 1]; k++) {
      const int touched = k < f->border_start[c] ? c : f->border[k];
      if (p->mark[touched])
        continue;
      p->mark[touched] = 1;
      f->ready[count++] = touched;
      f->room[touched] = unused > 0 ? left[--unused] : f->rooms++;
    }
    f->ready_start[c + 1] = count;
    left[unused++] = f->room[c];
  }
}

// Of the entry in row i and column j, in the room of its cluster.
static int place_of(const fly_clusters *f, const planner *p, int i, int j) {
  const int row = p->cluster[i], col = p->cluster[j], c = row < col ? row : col, rows = f->slot[c + 1] - f->slot[c];
  const int inside = p->position[row == c ? i : j];
  int column = p->position[j];
  if (row != col) {
    column = fly_even(fly_cluster_width(f, c)) + place_in_border(f, c, row < col ? col : row);
    column += p->position[row == c ? j : i] + (col == c ? f->reach[c] : 0);
  }
  return rows * column + inside;
}

// How many entries each cluster has. False: one touches the joint of a later cluster.
static bool count_entries(const fly_clusters *f, const planner *p) {
  bool fine = true;
  for (int j = 0; j < p->n && fine; j++)
    for (int e = p->a->start[j]; e < p->a->start[j + 1] && fine; e++) {
      const int i = p->a->row[e], row = p->cluster[i], col = p->cluster[j];
      f->entry_start[(row < col ? row : col) + 1]++;
      fine = row == col || p->position[row < col ? j : i] < f->body[row < col ? col : row];
    }
  for (int c = 0; c < f->count; c++)
    f->entry_start[c + 1] += f->entry_start[c];
  return fine;
}

static bool put_entries(fly_clusters *f, const planner *p) {
  const size_t nnz = (size_t)fly_csc_nnz(p->a);
  f->entry = fly_arena_ints(&f->plan->memory, nnz + 1);
  f->place = fly_arena_take(&f->plan->memory, nnz + 1, sizeof *f->place);
  if (f->plan->memory.failed)
    return false;
  memcpy(p->mark, f->entry_start, (size_t)f->count * sizeof *p->mark);
  for (int j = 0; j < p->n; j++)
    for (int e = p->a->start[j]; e < p->a->start[j + 1]; e++) {
      const int i = p->a->row[e], early = p->cluster[i] < p->cluster[j] ? i : j, at = p->mark[p->cluster[early]]++;
      f->entry[at] = e;
      f->place[at] = (unsigned short)place_of(f, p, i, j);
    }
  return true;
}

// Does the joint hold a point of its body (invert.h)? Then an entry of D that is none of these says no: rows and
// columns of the first three multipliers have one place among the shifts, and all among the turns.
static bool may_stand_in_held(int row, int column) {
  const bool press_row = row >= HELD_BODY && row < HELD_LEAST,
             press_column = column >= HELD_BODY && column < HELD_LEAST;
  if (row < HELD)
    return column < HELD_BODY || (press_column && column == HELD_BODY + row);
  if (column < HELD)
    return row < HELD_BODY || (press_row && row == HELD_BODY + column);
  return !(press_row && column >= HELD_BODY) && !(press_column && row >= HELD_BODY);
}

static bool is_held(const fly_clusters *f, int c) {
  const int rows = f->slot[c + 1] - f->slot[c], w = fly_cluster_width(f, c);
  bool held = f->body[c] == HELD_BODY && w >= HELD_LEAST && w <= HELD_ROWS;
  int pivots = 0;
  for (int e = f->entry_start[c]; e < f->entry_start[c + 1] && held; e++) {
    const int row = f->place[e] % rows, column = f->place[e] / rows;
    held = column >= w || may_stand_in_held(row, column);
    pivots += (row < HELD && column == HELD_BODY + row) || (column < HELD && row == HELD_BODY + column);
  }
  return held && pivots == 2 * HELD;
}

// Rows of U that clusters leave nothing to, and that have no entry, are zero.
static void find_extent(const fly_clusters *f, int c, bool filled) {
  const int rows = f->slot[c + 1] - f->slot[c], w = fly_even(fly_cluster_width(f, c));
  unsigned char *extent = f->extent + 2 * (ptrdiff_t)f->extent_start[c];
  for (int k = 0; k < f->reach[c]; k++) {
    extent[2 * k] = (unsigned char)(filled ? 0 : w);
    extent[2 * k + 1] = (unsigned char)(filled ? w : 0);
  }
  for (int e = f->entry_start[c]; e < f->entry_start[c + 1]; e++) {
    const int row = f->place[e] % rows, column = f->place[e] / rows - w;
    if (column < 0 || column >= f->reach[c])
      continue;
    extent[2 * column] = (unsigned char)(row < extent[2 * column] ? row & ~1 : extent[2 * column]);
    extent[2 * column + 1] = (unsigned char)(row < extent[2 * column + 1] ? extent[2 * column + 1] : (row & ~1) + 2);
  }
  for (int k = 0; k < f->reach[c]; k++)
    extent[2 * k] = extent[2 * k] < extent[2 * k + 1] ? extent[2 * k] : extent[2 * k + 1];
}

// filled: work (count)
static bool find_extents(fly_clusters *f, int *filled) {
  f->extent_start = fly_arena_ints(&f->plan->memory, (size_t)f->count + 1);
  for (int c = 0; c < f->count && f->extent_start; c++)
    f->extent_start[c + 1] = f->extent_start[c] + f->reach[c];
  f->extent = f->extent_start ? fly_arena_take(&f->plan->memory, 2 * (size_t)f->extent_start[f->count] + 1, 1) : NULL;
  if (!f->extent)
    return false;
  memset(filled, 0, (size_t)f->count * sizeof *filled);
  for (int c = 0; c < f->count; c++)
    for (int k = f->border_start[c]; k + 1 < f->border_start[c + 1]; k++)
      filled[f->border[k]] = 1; // by what later ones of the border have in common with it
  for (int c = 0; c < f->count; c++)
    find_extent(f, c, filled[c]);
  return true;
}

static bool find_held(fly_clusters *f) {
  f->held = fly_arena_ints(&f->plan->memory, (size_t)f->count + 1);
  for (int c = 0; c < f->count && f->held; c++)
    f->held[c] = is_held(f, c);
  return f->held;
}

// ---------------------------------------------------------------------------------- creation

static bool plan(fly_clusters *f, planner *p, bool *fine) {
  borders b = {0};
  f->plan = fly_plan_create();
  if (f->plan == NULL)
    return false;
  if (!take_lists(p))
    return false;
  number_bodies(p);
  *fine = find_ends(p) && find_joints(p) && peel(p);
  bool good =
      !p->memory.failed && (!*fine || (put_clusters(f, p) && find_couplings(f, p) && find_borders(f, p, &b, fine)));
  *fine = good && *fine && count_entries(f, p);
  if (*fine) {
    good = put_borders(f, &b) && put_starts(f) && put_entries(f, p) && find_held(f) && find_extents(f, p->mark);
    put_ready(f, p);
  }
  free(b.list);
  return good;
}

// The entries of cluster c from number `at` on, those of one kind side by side: where their values stand, and their
// places, which go to `place`.
static void order_cluster(fly_clusters *f, const unsigned char *kind, int c, int at, unsigned short *place) {
  for (int k = 0; k < FLY_KINDS; k++) {
    const int first = at;
    for (int e = f->entry_start[c]; e < f->entry_start[c + 1]; e++)
      if (kind[f->entry[e]] == k) {
        f->at[f->entry[e]] = at++;
        *place++ = f->place[e];
      }
    f->kind_start[c + 1][k] = f->kind_start[c][k] + at - first;
  }
}

// The places of the latest shapes of clusters. Chains and trees of joints of a few types have a few.
typedef struct shapes {
  int count, next, start[8], size[8];
} shapes;

// Where these places stand first: there, or before them.
static int find_shape(shapes *s, const unsigned short *all, int start, int size) {
  enum { MOST = sizeof s->start / sizeof *s->start };
  for (int k = 0; k < s->count; k++)
    if (s->size[k] == size && memcmp(all + s->start[k], all + start, (size_t)size * sizeof *all) == 0)
      return s->start[k];
  s->start[s->next] = start;
  s->size[s->next] = size;
  s->next = (s->next + 1) % MOST;
  s->count += s->count < MOST;
  return start;
}

// Values one behind the other as clusters read them. Places of clusters that look alike are kept once: a matrix of 1e5
// bodies that is factorized anew waits for what it reads.
static bool order_values(fly_clusters *f, const unsigned char *kind) {
  const size_t nnz = (size_t)f->entry_start[f->count];
  shapes known = {0};
  f->at = fly_arena_ints(&f->memory, nnz + 1);
  f->at_place = fly_arena_take(&f->memory, nnz + 1, sizeof *f->at_place);
  f->shape = fly_arena_ints(&f->memory, (size_t)f->count + 1);
  f->kind_start = fly_arena_take(&f->memory, (size_t)f->count + 1, sizeof *f->kind_start);
  if (f->memory.failed)
    return false;
  for (int c = 0, end = 0; c < f->count; c++) {
    const int size = f->entry_start[c + 1] - f->entry_start[c];
    order_cluster(f, kind, c, f->entry_start[c], f->at_place + end);
    f->shape[c] = find_shape(&known, f->at_place, end, size);
    end += f->shape[c] == end ? size : 0;
  }
  return true;
}

// What each matrix has for itself.
static bool take_values(fly_clusters *f, bool rough) {
  const size_t slots = (size_t)f->slot[f->count], values = (size_t)f->value_start[f->count];
  f->value = rough ? NULL : fly_arena_doubles(&f->memory, values);
  f->half = rough ? fly_arena_take(&f->memory, values / 2, sizeof *f->half) : NULL;
  f->work = fly_arena_doubles(&f->memory, (size_t)f->rooms * (size_t)f->largest);
  f->size = fly_arena_doubles(&f->memory, slots);
  f->x = fly_arena_doubles(&f->memory, slots);
  f->known = fly_arena_doubles(&f->memory, (size_t)f->n);
  f->right = fly_arena_doubles(&f->memory, (size_t)f->n);
  return !f->memory.failed;
}

static int unknown_in_border(const fly_clusters *f, int c, int at) {
  const int *k = f->border + f->border_start[c];
  for (; at >= fly_even(f->body[*k]); k++)
    at -= fly_even(f->body[*k]);
  return f->order[f->first[*k] + at];
}

static bool entry_fits(const fly_clusters *f, const fly_csc *a, int c, int e) {
  const int rows = f->slot[c + 1] - f->slot[c], w = fly_even(fly_cluster_width(f, c)), number = f->entry[e];
  const int place = f->place[e], column = place / rows;
  int row = f->order[f->first[c] + place % rows], col;
  if (column < w) {
    col = f->order[f->first[c] + column];
  } else if (column < w + f->reach[c]) {
    col = unknown_in_border(f, c, column - w);
  } else {
    col = row;
    row = unknown_in_border(f, c, column - w - f->reach[c]);
  }
  return a->row[number] == row && a->start[col] <= number && number < a->start[col + 1];
}

// Does every entry stand in the row and the column that the clusters have it in?
static bool fits(const fly_clusters *f, const fly_csc *a) {
  bool fine = f->n == a->cols && f->entry_start[f->count] == fly_csc_nnz(a);
  for (int c = 0; c < f->count && fine; c++)
    for (int e = f->entry_start[c]; e < f->entry_start[c + 1] && fine; e++)
      fine = entry_fits(f, a, c, e);
  return fine;
}

static void share(fly_clusters *f, const fly_clusters *like) {
  *f = *like;
  f->memory = (fly_arena){0};
  f->at = NULL;
  f->at_place = NULL;
  f->shape = NULL;
  f->kind_start = NULL;
  f->plan->users++;
}

bool fly_clusters_create(fly_clusters **out, const fly_csc *pattern, fly_lu_groups groups, const fly_clusters *like) {
  planner p = {.a = pattern, .group = groups.body, .n = pattern->cols};
  fly_clusters *f = calloc(1, sizeof *f);
  bool fine = true, good = f != NULL;
  if (good && like && fits(like, pattern))
    share(f, like);
  else
    good = good && plan(f, &p, &fine);
  good = good && (!fine || (take_values(f, groups.rough) && (!groups.kind || order_values(f, groups.kind))));
  fly_arena_free(&p.memory);
  *out = f;
  if (!good || !fine) {
    fly_clusters_free(f);
    *out = NULL;
  }
  return good;
}

void fly_clusters_free(fly_clusters *f) {
  if (f == NULL)
    return;
  fly_plan_leave(f->plan);
  fly_arena_free(&f->memory);
  free(f);
}
