#include "sparse/cascade.h"

#include <math.h>
#include <string.h>

#include "base/wide.h"
#include "sparse/lanes.h"

static int whole(int rows) { return (rows + 3) & ~3; }

// ---------------------------------------------------------------------------------- order

typedef struct maker {
  const fly_csc *a;
  int groups, steps;
  const int *group, *match;
  int *group_of;  // of each row (n)
  int *column_at; // column that a row is matched with (n)
  int *local;     // of each row: its place in its step (n)
  int *row, *at;  // of the search through each group: where it is, row and entry (groups)
  int *found;     // when the search came by, from 1 on; 0: not yet (groups)
  int *low;       // the earliest that can be come back to (groups)
  int *path;      // of the search (groups)
  int *open;      // groups whose step is not known (groups)
  int *step_of;   // counted from the last; -1: not known (groups)
  int *last;      // step that was seen last to be linked to (steps)
  int clock, depth, waiting;
} maker;

static void find_groups(maker *m) {
  for (int g = 0; g < m->groups; g++) {
    for (int i = m->group[g]; i < m->group[g + 1]; i++)
      m->group_of[i] = g;
    m->step_of[g] = -1;
  }
  for (int j = 0; j < m->a->cols; j++)
    m->column_at[m->match[j]] = j;
}

static void enter(maker *m, int g) {
  m->found[g] = m->low[g] = ++m->clock;
  m->row[g] = m->group[g];
  m->at[g] = m->a->start[m->column_at[m->row[g]]];
  m->path[m->depth++] = g;
  m->open[m->waiting++] = g;
}

// The next group that waits for unknowns of g; -1: no more.
static int next_waiting(maker *m, int g) {
  for (; m->row[g] < m->group[g + 1]; m->row[g]++) {
    const int end = m->a->start[m->column_at[m->row[g]] + 1];
    if (m->at[g] < end)
      return m->group_of[m->a->row[m->at[g]++]];
    if (m->row[g] + 1 < m->group[g + 1])
      m->at[g] = m->a->start[m->column_at[m->row[g] + 1]];
  }
  return -1;
}

// All that wait for g have been seen: if none of them leads back to one before it, those still open are a step.
static void leave(maker *m, int g) {
  m->depth--;
  if (m->depth > 0 && m->low[g] < m->low[m->path[m->depth - 1]])
    m->low[m->path[m->depth - 1]] = m->low[g];
  if (m->low[g] < m->found[g])
    return;
  for (int other = -1; other != g;) {
    other = m->open[--m->waiting];
    m->step_of[other] = m->steps;
  }
  m->steps++;
}

static void search(maker *m, int from) {
  enter(m, from);
  while (m->depth > 0) {
    const int g = m->path[m->depth - 1], other = next_waiting(m, g);
    if (other < 0)
      leave(m, g);
    else if (m->found[other] == 0)
      enter(m, other);
    else if (m->step_of[other] < 0 && m->found[other] < m->low[g])
      m->low[g] = m->found[other];
  }
}

static void find_order(maker *m) {
  for (int g = 0; g < m->groups; g++)
    if (m->found[g] == 0)
      search(m, g);
  for (int g = 0; g < m->groups; g++)
    m->step_of[g] = m->steps - 1 - m->step_of[g];
}

// ---------------------------------------------------------------------------------- building

// Rows of each step, in the order of A; false: one has too many.
static bool find_steps(fly_cascade *c, maker *m, int *values) {
  for (int i = 0; i < c->n; i++)
    m->local[i] = c->step[m->step_of[m->group_of[i]]].rows++;
  for (int k = 0, x = 0; k < m->steps; k++) {
    fly_cascade_step *s = &c->step[k];
    if (s->rows > FLY_CASCADE_ROWS)
      return false;
    s->x = x;
    s->at = *values;
    x += s->rows;
    *values += whole(s->rows) * s->rows;
    m->last[k] = -1;
  }
  for (int i = 0; i < c->n; i++) {
    const int x = c->step[m->step_of[m->group_of[i]]].x + m->local[i];
    c->row[x] = i;
    c->col[x] = m->column_at[i];
  }
  return true;
}

// Links of all steps: how many each has, into `end`; then, with link[] there, which.
static void find_links(fly_cascade *c, maker *m, int *values) {
  for (int x = 0, k = 0; x < c->n; x++) {
    while (x >= c->step[k].x + c->step[k].rows)
      k++;
    for (int e = m->a->start[c->col[x]]; e < m->a->start[c->col[x] + 1]; e++) {
      const int other = m->step_of[m->group_of[m->a->row[e]]];
      fly_cascade_step *s = &c->step[other];
      if (other == k || m->last[other] == k)
        continue;
      m->last[other] = k;
      if (c->link) {
        c->link[s->end] = (fly_cascade_link){c->step[k].x, c->step[k].rows, *values};
        *values += whole(s->rows) * c->step[k].rows;
      }
      s->end++;
    }
  }
}

// How many there are; each step begins with its own.
static int begin_links(fly_cascade *c, maker *m) {
  int links = 0;
  for (int k = 0; k < m->steps; k++) {
    const int count = c->step[k].end;
    c->step[k].link = c->step[k].end = links;
    links += count;
    m->last[k] = -1;
  }
  return links;
}

static int link_to(const fly_cascade *c, const fly_cascade_step *s, int x) {
  int k = s->link;
  while (c->link[k].x != x)
    k++;
  return c->link[k].at;
}

static void place_entries(fly_cascade *c, const maker *m) {
  for (int j = 0; j < m->a->cols; j++) {
    const int row = m->match[j];
    const fly_cascade_step *own = &c->step[m->step_of[m->group_of[row]]];
    for (int e = m->a->start[j]; e < m->a->start[j + 1]; e++) {
      const fly_cascade_step *s = &c->step[m->step_of[m->group_of[m->a->row[e]]]];
      const int at = s == own ? s->at : link_to(c, s, own->x);
      c->place[e] = at + m->local[row] * whole(s->rows) + m->local[m->a->row[e]];
    }
  }
}

// *fits: no step has too many rows. False: no memory.
static bool make(fly_cascade *c, maker *m, bool *fits) {
  int values = 0;
  c->step = fly_arena_take(&c->memory, (size_t)m->steps, sizeof *c->step);
  c->row = fly_arena_ints(&c->memory, (size_t)c->n);
  c->col = fly_arena_ints(&c->memory, (size_t)c->n);
  c->place = fly_arena_ints(&c->memory, (size_t)c->nnz);
  c->x = fly_arena_doubles(&c->memory, (size_t)c->n + FLY_CASCADE_ROWS);
  if (c->memory.failed)
    return false;
  *fits = find_steps(c, m, &values);
  if (!*fits)
    return true;
  c->inverse = fly_arena_doubles(&c->memory, (size_t)values);
  find_links(c, m, &values);
  c->link = fly_arena_take(&c->memory, (size_t)begin_links(c, m), sizeof *c->link);
  if (c->memory.failed)
    return false;
  find_links(c, m, &values);
  c->value = fly_arena_doubles(&c->memory, (size_t)values);
  if (c->memory.failed)
    return false;
  place_entries(c, m);
  c->steps = m->steps;
  return true;
}

fly_status fly_cascade_build(fly_cascade *c, const fly_csc *pattern, int groups, const int *group, const int *match) {
  fly_arena work = {0};
  maker m = {.a = pattern, .groups = groups, .group = group, .match = match};
  int **rows[] = {&m.group_of, &m.column_at, &m.local};
  int **arrays[] = {&m.row, &m.at, &m.found, &m.low, &m.path, &m.open, &m.step_of, &m.last};
  bool fits = false;
  *c = (fly_cascade){.n = pattern->cols, .nnz = fly_csc_nnz(pattern)};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    *rows[k] = fly_arena_ints(&work, (size_t)c->n);
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    *arrays[k] = fly_arena_ints(&work, (size_t)groups);
  bool fine = !work.failed;
  if (fine) {
    find_groups(&m);
    find_order(&m);
    fine = make(c, &m, &fits);
  }
  fly_arena_free(&work);
  if (!fits || !fine)
    fly_cascade_free(c);
  return fine ? FLY_OK : FLY_NO_MEMORY;
}

void fly_cascade_free(fly_cascade *c) {
  fly_arena_free(&c->memory);
  *c = (fly_cascade){0};
}

// ---------------------------------------------------------------------------------- kernels

// Columns of up to twelve numbers, four at a time; what is done with them is written for one number of fours.
enum { FOURS = FLY_CASCADE_ROWS / 4 };
#define BY_FOURS(rows, call, ...)                                                                                      \
  ((rows) <= 4 ? call(__VA_ARGS__, 1) : (rows) <= 8 ? call(__VA_ARGS__, 2) : call(__VA_ARGS__, 3))

// l += x by
INLINED void add_fours(quad *l, const double *x, double by, const int fours) {
  for (int k = 0; k < fours; k++)
    l[k] += *(const quad *)(x + 4 * k) * by;
}

INLINED void store_fours(double *x, const quad *l, const int fours) {
  for (int k = 0; k < fours; k++)
    *(quad *)(x + 4 * k) = l[k];
}

// ---------------------------------------------------------------------------------- inverses

static void swap(double *a, double *b, int n, int step) {
  for (int i = 0; i < n; i++) {
    const double kept = a[i * step];
    a[i * step] = b[i * step];
    b[i * step] = kept;
  }
}

// Of row c of a block, a number of each of its columns: the column from that of the pivot on in which it is largest.
INLINED int largest_from(const double *a, int c, int rows, const int width) {
  int most = c;
  for (int r = c + 1; r < rows; r++)
    if (fabs(a[r * width + c]) > fabs(a[most * width + c]))
      most = r;
  return most;
}

// The largest entry of each row.
INLINED void find_sizes(double size[FLY_CASCADE_ROWS], const double *a, int rows, const int fours) {
  quad most[FOURS] = {{0}};
  for (int r = 0; r < rows; r++, a += (ptrdiff_t)4 * fours)
    for (int k = 0; k < fours; k++) {
      quad entry = *(const quad *)(a + 4 * k);
      take_size(&entry);
      keep_larger(&most[k], &entry);
    }
  store_fours(size, most, fours);
}

// Columns of a without that of the pivot, c, times what they have in its row.
INLINED void eliminate(double *a, int c, double by, int rows, const int fours) {
  const int width = 4 * fours;
  double *own = a + c * width;
  quad scaled[FOURS] = {{0}};
  own[c] = 1;
  add_fours(scaled, own, by, fours);
  store_fours(own, scaled, fours);
  for (int r = 0; r < rows; r++) {
    double *other = a + r * width;
    const double factor = other[c];
    quad sum[FOURS];
    if (r == c || factor == 0)
      continue;
    other[c] = 0;
    for (int k = 0; k < fours; k++)
      sum[k] = *(const quad *)(other + 4 * k) - scaled[k] * factor;
    store_fours(other, sum, fours);
  }
}

// a: the inverse of a block, by Gauss and Jordan; pivots of a row are searched for in all columns.
INLINED bool invert(double *a, const double *from, int rows, double most, double range[2], const int fours) {
  const int width = 4 * fours;
  int with[FLY_CASCADE_ROWS];
  double sizes[FLY_CASCADE_ROWS];
  find_sizes(sizes, from, rows, fours);
  memcpy(a, from, (size_t)(rows * width) * sizeof *a);
  for (int c = 0; c < rows; c++) {
    with[c] = largest_from(a, c, rows, width);
    if (with[c] != c)
      swap(a + c * width, a + with[c] * width, width, 1);
    const double pivot = a[c * width + c], by = 1 / pivot;
    const double size = fabs(pivot) / sizes[c];
    if (!(size * most >= 1) || !isfinite(by))
      return false;
    range[0] = size < range[0] ? size : range[0];
    range[1] = size > range[1] ? size : range[1];
    eliminate(a, c, by, rows, fours);
  }
  for (int c = rows - 1; c >= 0; c--)
    if (with[c] != c)
      swap(a + c, a + with[c], rows, width);
  return true;
}

FLY_WIDE bool fly_cascade_factor(fly_cascade *c, const double *value, double most) {
  double range[2] = {HUGE_VAL, 0};
  for (int e = 0; e < c->nnz; e++)
    c->value[c->place[e]] = value[e];
  c->serves = false;
  for (int k = 0; k < c->steps; k++) {
    const fly_cascade_step *s = &c->step[k];
    if (!BY_FOURS(s->rows, invert, c->inverse + s->at, c->value + s->at, s->rows, most, range))
      return false;
  }
  c->rcond = range[0] / range[1];
  return c->serves = true;
}

// ---------------------------------------------------------------------------------- solutions

INLINED void solve_step(const fly_cascade *c, const fly_cascade_step *s, const double *b, const int fours) {
  const int width = 4 * fours, rows = s->rows;
  double left[FLY_CASCADE_ROWS];
  quad sum[FOURS] = {{0}}, out[FOURS] = {{0}};
  for (const fly_cascade_link *l = &c->link[s->link], *end = &c->link[s->end]; l < end; l++)
    for (int j = 0; j < l->count; j++)
      add_fours(sum, c->value + l->at + j * width, c->x[l->x + j], fours);
  store_fours(left, sum, fours);
  for (int j = 0; j < rows; j++)
    add_fours(out, c->inverse + s->at + j * width, b[c->row[s->x + j]] - left[j], fours);
  store_fours(c->x + s->x, out, fours); // what it writes behind its own, the next step writes again
}

FLY_WIDE void fly_cascade_solve(const fly_cascade *c, double *b) {
  for (int k = 0; k < c->steps; k++)
    BY_FOURS(c->step[k].rows, solve_step, c, &c->step[k], b);
  for (int i = 0; i < c->n; i++)
    b[c->col[i]] = c->x[i];
}
