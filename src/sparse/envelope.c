#include "sparse/envelope.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

// ---------------------------------------------------------------------------------- groups

// What the shape is found from.
typedef struct graph {
  const fly_csc *y;
  fly_csc turned;  // Y^T: the columns of each row
  fly_csc meets;   // groups of rows that meet in a group of columns
  fly_csc columns; // and the groups of columns that a group of rows meets
  int *column;     // first column of each group of columns, and their number (bodies + 1)
  int *body;       // group of each column (cols)
  int *group;      // of each row (rows)
  int *first;      // row of each group, and their number (groups + 1)
  int *order;      // of the groups in S (groups)
  int *place;      // and where each is (groups)
  int *seen;       // round of the search that came by last (groups)
  int bodies, groups, round;
} graph;

static fly_status turn(fly_csc *out, const fly_csc *y, fly_error *error) {
  fly_arena work = {0};
  const size_t nnz = (size_t)fly_csc_nnz(y) + 1;
  fly_entries e = {0, fly_arena_ints(&work, nnz), fly_arena_ints(&work, nnz)};
  fly_status status = work.failed ? FLY_NO_MEMORY : FLY_OK;
  for (int j = 0; j < y->cols && status == FLY_OK; j++)
    for (int k = y->start[j]; k < y->start[j + 1]; k++)
      fly_entries_add(&e, j, y->row[k]);
  if (status == FLY_OK)
    status = fly_csc_from_entries(out, y->cols, y->rows, e.count, e.row, e.col, NULL, error);
  fly_arena_free(&work);
  return status;
}

static void group_columns(graph *g, const int *group) {
  for (int j = 0; j < g->y->cols; j++) {
    if (j == 0 || !group || group[j] != group[j - 1])
      g->column[g->bodies++] = j;
    g->body[j] = g->bodies - 1;
  }
  g->column[g->bodies] = g->y->cols;
}

// The next group of columns of a row behind the entry k, which moves there; -1: none.
static int next_body(const graph *g, int row, int *k, int last) {
  const fly_csc *t = &g->turned;
  while (*k < t->start[row + 1] && g->body[t->row[*k]] <= last)
    ++*k;
  return *k < t->start[row + 1] ? g->body[t->row[*k]] : -1;
}

static bool same_bodies(const graph *g, int a, int b) {
  int i = g->turned.start[a], k = g->turned.start[b], one = -1, two = -1;
  do {
    one = next_body(g, a, &i, one);
    two = next_body(g, b, &k, two);
  } while (one == two && one >= 0);
  return one == two;
}

static void group_rows(graph *g) {
  for (int i = 0; i < g->y->rows; i++) {
    const bool more =
        i > 0 && i - g->first[g->groups - 1] < FLY_ENVELOPE_ROWS && same_bodies(g, g->first[g->groups - 1], i);
    if (!more)
      g->first[g->groups++] = i;
    g->group[i] = g->groups - 1;
  }
  g->first[g->groups] = g->y->rows;
}

static fly_status find_meetings(graph *g, fly_arena *work, fly_error *error) {
  const size_t nnz = (size_t)fly_csc_nnz(g->y) + 1;
  fly_entries e = {0, fly_arena_ints(work, nnz), fly_arena_ints(work, nnz)};
  if (work->failed)
    return FLY_NO_MEMORY;
  for (int k = 0; k < g->groups; k++)
    for (int i = g->turned.start[g->first[k]], b = -1; (b = next_body(g, g->first[k], &i, b)) >= 0;)
      fly_entries_add(&e, k, b);
  const fly_status status = fly_csc_from_entries(&g->meets, g->groups, g->bodies, e.count, e.row, e.col, NULL, error);
  return status ? status : turn(&g->columns, &g->meets, error);
}

// ---------------------------------------------------------------------------------- order

// Groups in the order in which a search from one of them meets them, into `queue`; how many.
static int search(graph *g, int from, int *queue) {
  int count = 1;
  queue[0] = from;
  g->seen[from] = ++g->round;
  for (int next = 0; next < count; next++)
    for (int c = g->columns.start[queue[next]]; c < g->columns.start[queue[next] + 1]; c++) {
      const int j = g->columns.row[c];
      for (int k = g->meets.start[j]; k < g->meets.start[j + 1]; k++)
        if (g->seen[g->meets.row[k]] < g->round) {
          g->seen[g->meets.row[k]] = g->round;
          queue[count++] = g->meets.row[k];
        }
    }
  return count;
}

// Of each part of the graph: from a group at one of its ends.
static void order_groups(graph *g) {
  memset(g->place, -1, (size_t)g->groups * sizeof *g->place);
  for (int i = 0, done = 0; i < g->groups; i++) {
    int *queue = g->order + done;
    if (g->place[i] >= 0)
      continue;
    int count = search(g, i, queue);
    for (int again = 0; again < 2; again++)
      count = search(g, queue[count - 1], queue);
    for (int k = 0; k < count; k++)
      g->place[queue[k]] = done++;
  }
}

// row and reach for an order; the length of all rows.
static long find_reach(fly_envelope *s, const graph *g) {
  long length = 0;
  for (int k = 0; k < g->groups; k++) {
    s->row[k + 1] = s->row[k] + (g->first[g->order[k] + 1] - g->first[g->order[k]]);
    s->reach[k] = k;
  }
  for (int j = 0; j < g->bodies; j++) {
    int first = g->groups;
    for (int k = g->meets.start[j]; k < g->meets.start[j + 1]; k++)
      first = g->place[g->meets.row[k]] < first ? g->place[g->meets.row[k]] : first;
    for (int k = g->meets.start[j]; k < g->meets.start[j + 1]; k++) {
      int *reach = &s->reach[g->place[g->meets.row[k]]];
      *reach = first < *reach ? first : *reach;
    }
  }
  for (int k = 0; k < g->groups; k++)
    for (int i = s->row[k]; i < s->row[k + 1]; i++)
      length += i - s->row[s->reach[k]] + 1;
  return length;
}

// The better of two orders: as given, or by a search.
static void choose_order(fly_envelope *s, graph *g) {
  order_groups(g);
  const long searched = find_reach(s, g);
  for (int pass = 0; pass < 2; pass++) { // as given; then again by the search, if that was better
    if (pass == 0)
      for (int k = 0; k < g->groups; k++)
        g->order[k] = g->place[k] = k;
    else
      order_groups(g);
    if (find_reach(s, g) <= searched)
      return;
  }
}

// ---------------------------------------------------------------------------------- shape

static int width_of(const fly_envelope *s, int g) { return (s->row[g + 1] - s->row[g] + 1) & ~1; }

static void place_rows(fly_envelope *s, const graph *g) {
  for (int k = 0; k < g->groups; k++) {
    const int reach = s->row[s->reach[k]], old = g->first[g->order[k]];
    s->start[k + 1] = s->start[k] + (s->row[k + 1] - reach) * width_of(s, k);
    for (int i = s->row[k]; i < s->row[k + 1]; i++) {
      const double length = i - reach + 1;
      s->place[old + i - s->row[k]] = i;
      s->work += 0.5 * length * length;
    }
  }
}

// How many numbers they have.
static int place_blocks(fly_envelope *s, const graph *g) {
  int at = 0, count = 0;
  for (int k = 0; k < g->groups; k++) {
    const int old = g->order[k];
    for (int c = g->columns.start[old]; c < g->columns.start[old + 1]; c++) {
      const int body = g->columns.row[c], columns = g->column[body + 1] - g->column[body];
      s->blocks[count++] = (fly_envelope_block){k, g->column[body], columns, at};
      at += columns * width_of(s, k);
    }
    s->block[k + 1] = count;
  }
  return at;
}

static const fly_envelope_block *find_block(const fly_envelope *s, int group, int column) {
  const fly_envelope_block *b = &s->blocks[s->block[group]];
  while (column >= b->column + b->count)
    b++;
  return b;
}

static void place_entries(fly_envelope *s, const graph *g) {
  for (int j = 0; j < g->y->cols; j++)
    for (int k = g->y->start[j]; k < g->y->start[j + 1]; k++) {
      const int row = s->place[g->y->row[k]], group = g->place[g->group[g->y->row[k]]];
      const fly_envelope_block *b = find_block(s, group, j);
      s->entry[k] = b->at + (j - b->column) * width_of(s, group) + (row - s->row[group]);
    }
}

static int find_pair(const fly_envelope *s, int column, int one, int two, fly_envelope_pair *out) {
  const int row = one > two ? one : two, col = one > two ? two : one;
  *out = (fly_envelope_pair){.row = (int)(find_block(s, row, column) - s->blocks),
                             .col = (int)(find_block(s, col, column) - s->blocks),
                             .at = s->start[row] + (s->row[col] - s->row[s->reach[row]]) * width_of(s, row)};
  return 1;
}

static void find_pairs(fly_envelope *s, const graph *g) {
  for (int j = 0; j < g->bodies; j++)
    for (int a = g->meets.start[j]; a < g->meets.start[j + 1]; a++)
      for (int b = g->meets.start[j]; b <= a; b++)
        s->pairs +=
            find_pair(s, g->column[j], g->place[g->meets.row[a]], g->place[g->meets.row[b]], &s->pair[s->pairs]);
}

// Which pair comes first where, and what none of them gives to. seen (its length): of value.
static void find_gaps(fly_envelope *s, char *seen) {
  const int length = s->start[s->groups];
  for (int k = 0; k < s->pairs; k++) {
    fly_envelope_pair *p = &s->pair[k];
    const int rows = s->blocks[p->col].group, width = width_of(s, s->blocks[p->row].group);
    p->first = !seen[p->at];
    memset(seen + p->at, 1, (size_t)((s->row[rows + 1] - s->row[rows]) * width));
  }
  for (int at = 0, end; at < length; at = end) {
    for (end = at; end < length && seen[end] == seen[at];)
      end++;
    if (!seen[at])
      s->gap[s->gaps++] = (fly_envelope_gap){at, end - at};
  }
}

static size_t count_pairs(const fly_csc *y) {
  size_t count = 0;
  for (int j = 0; j < y->cols; j++) {
    const size_t length = (size_t)(y->start[j + 1] - y->start[j]);
    count += length * (length + 1) / 2;
  }
  return count;
}

// ---------------------------------------------------------------------------------- creation

static void take_memory(fly_envelope *s, const graph *g) {
  const size_t groups = (size_t)g->groups, blocks = (size_t)fly_csc_nnz(&g->meets);
  fly_arena *m = &s->memory;
  s->place = fly_arena_ints(m, (size_t)s->n);
  s->row = fly_arena_ints(m, groups + 1);
  s->reach = fly_arena_ints(m, groups);
  s->start = fly_arena_ints(m, groups + 1);
  s->block = fly_arena_ints(m, groups + 1);
  s->blocks = fly_arena_take(m, blocks, sizeof *s->blocks);
  s->pair = fly_arena_take(m, count_pairs(&g->meets), sizeof *s->pair);
  s->entry = fly_arena_ints(m, (size_t)fly_csc_nnz(g->y));
}

static fly_status shape(fly_envelope *s, graph *g, fly_arena *work, fly_error *error) {
  fly_status status = find_meetings(g, work, error);
  if (status)
    return status;
  s->groups = g->groups;
  take_memory(s, g);
  if (s->memory.failed)
    return FLY_NO_MEMORY;
  choose_order(s, g);
  s->work = (double)count_pairs(g->y);
  place_rows(s, g);
  s->y = fly_arena_doubles(&s->memory, (size_t)place_blocks(s, g));
  s->value = fly_arena_doubles(&s->memory, (size_t)s->start[g->groups]);
  char *seen = fly_arena_take(work, (size_t)s->start[g->groups], sizeof *seen);
  s->gap = fly_arena_take(&s->memory, (size_t)s->start[g->groups] / 2 + 1, sizeof *s->gap);
  if (s->memory.failed || work->failed)
    return FLY_NO_MEMORY;
  place_entries(s, g);
  find_pairs(s, g);
  find_gaps(s, seen);
  return FLY_OK;
}

fly_status fly_envelope_create(fly_envelope *s, const fly_csc *y, const int *group, fly_error *error) {
  const size_t rows = (size_t)y->rows, cols = (size_t)y->cols;
  fly_arena work = {0};
  graph g = {.y = y};
  *s = (fly_envelope){.n = y->rows};
  int **arrays[] = {&g.group, &g.first, &g.order, &g.place, &g.seen};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    *arrays[k] = fly_arena_ints(&work, rows + 1);
  g.column = fly_arena_ints(&work, cols + 1);
  g.body = fly_arena_ints(&work, cols + 1);
  fly_status status = work.failed ? FLY_NO_MEMORY : turn(&g.turned, y, error);
  if (status == FLY_OK) {
    group_columns(&g, group);
    group_rows(&g);
    status = shape(s, &g, &work, error);
  }
  fly_csc_free(&g.turned);
  fly_csc_free(&g.meets);
  fly_csc_free(&g.columns);
  fly_arena_free(&work);
  if (status == FLY_NO_MEMORY)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "No memory for a symmetric matrix of %d rows.", y->rows);
  return status;
}

void fly_envelope_free(fly_envelope *s) {
  fly_arena_free(&s->memory);
  *s = (fly_envelope){0};
}
