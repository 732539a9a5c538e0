#include "sparse/cascade.h"

#include <math.h>
#include <string.h>

#include "base/wide.h"
#include "sparse/lanes.h"

static int whole(int rows) { return (rows + 3) & ~3; }

// ---------------------------------------------------------------------------------- what must be solved together

// Rows stand for the unknowns they are solved for. A row waits for another if it holds the unknown of that.
typedef struct maker {
  const fly_csc *a;
  const int *match;
  int *column_at; // column that a row is matched with (n)
  int *at;        // entry of that column where the search is (n)
  int *found;     // when the search came by, from 1 on; 0: not yet (n)
  int *low;       // the earliest that can be come back to (n)
  int *path;      // of the search (n)
  int *open;      // rows whose knot is not known (n)
  int *knot;      // rows that wait for each other have one; -1: not known (n)
  int *size;      // of each knot (knots)
  int *first;     // its first row (knots),
  int *next;      // and of each row the next one; -1: none (n)
  int *waits;     // entries of a knot in unknowns that are not solved for yet (knots)
  int *ready[2];  // knots of one row, and of more, in the order in which they wait for nothing (knots)
  int *step_of;   // of each row (n)
  int *local;     // its place there (n)
  int *last;      // step that was seen last to be linked to (n)
  int clock, depth, waiting, knots, steps, listed[2], taken[2];
} maker;

static void enter(maker *m, int row) {
  m->found[row] = m->low[row] = ++m->clock;
  m->at[row] = m->a->start[m->column_at[row]];
  m->path[m->depth++] = row;
  m->open[m->waiting++] = row;
}

// All that wait for a row have been seen: if none of them leads back to one before it, those still open are a knot.
static void leave(maker *m, int row) {
  m->depth--;
  if (m->depth > 0 && m->low[row] < m->low[m->path[m->depth - 1]])
    m->low[m->path[m->depth - 1]] = m->low[row];
  if (m->low[row] < m->found[row])
    return;
  m->first[m->knots] = -1;
  for (int other = -1; other != row;) {
    other = m->open[--m->waiting];
    m->knot[other] = m->knots;
    m->next[other] = m->first[m->knots];
    m->first[m->knots] = other;
    m->size[m->knots]++;
  }
  m->knots++;
}

static void search(maker *m, int from) {
  enter(m, from);
  while (m->depth > 0) {
    const int row = m->path[m->depth - 1];
    if (m->at[row] == m->a->start[m->column_at[row] + 1]) {
      leave(m, row);
      continue;
    }
    const int other = m->a->row[m->at[row]++];
    if (m->found[other] == 0)
      enter(m, other);
    else if (m->knot[other] < 0 && m->found[other] < m->low[row])
      m->low[row] = m->found[other];
  }
}

static void find_knots(maker *m) {
  const int n = m->a->cols;
  for (int j = 0; j < n; j++) {
    m->column_at[m->match[j]] = j;
    m->knot[j] = -1;
  }
  for (int i = 0; i < n; i++)
    if (m->found[i] == 0)
      search(m, i);
  for (int j = 0; j < n; j++)
    for (int e = m->a->start[j]; e < m->a->start[j + 1]; e++)
      m->waits[m->knot[m->a->row[e]]] += m->knot[m->a->row[e]] != m->knot[m->match[j]];
}

// ---------------------------------------------------------------------------------- order

static void list_ready(maker *m, int knot) {
  const int large = m->size[knot] > 1;
  m->ready[large][m->listed[large]++] = knot;
}

// A knot joins the last step; what waited for nothing else is ready then. How many rows it has.
static int take_knot(maker *m, int knot) {
  for (int row = m->first[knot]; row >= 0; row = m->next[row]) {
    const int j = m->column_at[row];
    m->step_of[row] = m->steps - 1;
    for (int e = m->a->start[j]; e < m->a->start[j + 1]; e++) {
      const int other = m->knot[m->a->row[e]];
      if (other != knot && --m->waits[other] == 0)
        list_ready(m, other);
    }
  }
  return m->size[knot];
}

// Knots of several rows are steps; of single rows as many as are ready make one, up to four.
static void find_order(maker *m) {
  for (int k = 0; k < m->knots; k++)
    if (m->waits[k] == 0)
      list_ready(m, k);
  for (;;) {
    const int large = m->taken[1] < m->listed[1];
    if (!large && m->taken[0] == m->listed[0])
      return;
    m->steps++;
    if (large)
      take_knot(m, m->ready[1][m->taken[1]++]);
    for (int rows = 0; !large && rows < 4 && m->taken[0] < m->listed[0];)
      rows += take_knot(m, m->ready[0][m->taken[0]++]);
  }
}

// ---------------------------------------------------------------------------------- building

// Rows of each step, in the order of A; false: one has too many.
static bool find_steps(fly_cascade *c, maker *m, int *values) {
  for (int i = 0; i < c->n; i++)
    m->local[i] = c->step[m->step_of[i]].rows++;
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
    const int x = c->step[m->step_of[i]].x + m->local[i];
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
      const int other = m->step_of[m->a->row[e]];
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
    const fly_cascade_step *own = &c->step[m->step_of[row]];
    for (int e = m->a->start[j]; e < m->a->start[j + 1]; e++) {
      const fly_cascade_step *s = &c->step[m->step_of[m->a->row[e]]];
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

fly_status fly_cascade_build(fly_cascade *c, const fly_csc *pattern, const int *match) {
  fly_arena work = {0};
  maker m = {.a = pattern, .match = match};
  int **arrays[] = {&m.column_at, &m.at,   &m.found, &m.low,      &m.path,     &m.open,    &m.knot,  &m.size,
                    &m.first,     &m.next, &m.waits, &m.ready[0], &m.ready[1], &m.step_of, &m.local, &m.last};
  bool fits = false;
  *c = (fly_cascade){.n = pattern->cols, .nnz = fly_csc_nnz(pattern)};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    *arrays[k] = fly_arena_ints(&work, (size_t)c->n);
  bool fine = !work.failed;
  if (fine) {
    find_knots(&m);
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

FLY_WIDE bool fly_cascade_factor(fly_cascade *c, const double *value, double most, double *rcond) {
  double range[2] = {HUGE_VAL, 0};
  for (int e = 0; e < c->nnz; e++)
    c->value[c->place[e]] = value[e];
  for (int k = 0; k < c->steps; k++) {
    const fly_cascade_step *s = &c->step[k];
    if (!BY_FOURS(s->rows, invert, c->inverse + s->at, c->value + s->at, s->rows, most, range))
      return false;
  }
  *rcond = range[0] / range[1];
  return true;
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
