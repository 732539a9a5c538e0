// What is found once from the pattern: the fronts, and where everything goes.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/elimination.h"
#include "sparse/fronts.h"

static const double PADDING = 1.3; // entries of a front's columns, zeros included, over those they have
// Waiting may fill the factors, as where one body carries many others: if they become more than so many times as long
// as AMD's order alone would make them, a search for pivots does better.
static const double MOST_FILL = 3;

// ---------------------------------------------------------------------------------- fronts

// Borders one behind the other, unsorted, in an array that grows.
typedef struct borders {
  int count;           // fronts
  int *first;          // (count + 1)
  int *start;          // (count + 1)
  int *list, room;     // of all of them
  int *head, *next_at; // closed fronts whose border begins at a place: the first, and the next of one (n)
  int width;           // of the open one
  double entries;      // of its columns
} borders;

static void add_to(fly_elimination *p, borders *b, int j, int place, int *count) {
  if (place <= j || p->mark[place] == j)
    return;
  p->mark[place] = j;
  b->list[(*count)++] = place;
}

// How many places j touches when it is eliminated; they stand behind the list of the open front. -1: no memory.
static int touched(fly_elimination *p, borders *b, int j) {
  const int unknown = p->order[j], from = b->start[b->count + 1];
  int most = from + p->start[unknown + 1] - p->start[unknown] + from - b->start[b->count];
  for (int c = b->head[j]; c >= 0; c = b->next_at[c])
    most += b->start[c + 1] - b->start[c];
  if (!fly_reserve(&b->list, &b->room, most, sizeof *b->list))
    return -1;
  int count = from;
  for (int k = p->start[unknown]; k < p->start[unknown + 1]; k++)
    add_to(p, b, j, p->place[p->next[k]], &count);
  for (int c = b->head[j]; c >= 0; c = b->next_at[c])
    for (int k = b->start[c]; k < b->start[c + 1]; k++)
      add_to(p, b, j, b->list[k], &count);
  if (b->width > 0 && p->parent[j - 1] == j)
    for (int k = b->start[b->count]; k < from; k++)
      add_to(p, b, j, b->list[k], &count);
  return count - from;
}

// The open front ends before place j.
static void close_front(fly_elimination *p, borders *b, int j) {
  const int parent = p->parent[j - 1];
  if (parent >= 0) {
    b->next_at[b->count] = b->head[parent];
    b->head[parent] = b->count;
  }
  b->first[++b->count] = j;
}

// Column j joins the open front if that does not pad it too much; else a new one begins with it.
static void take_column(fly_elimination *p, borders *b, int j, int own) {
  const int from = b->start[b->count + 1], width = b->width + 1; // its list stands there
  const double entries = b->entries + own, padded = (double)own * width + fly_triangle(width);
  const bool joins =
      b->width > 0 && p->parent[j - 1] == j && width <= FLY_PANELS_WIDEST && padded <= PADDING * entries + 2;
  if (joins)
    memmove(b->list + b->start[b->count], b->list + from, (size_t)own * sizeof *b->list);
  else if (b->width > 0)
    close_front(p, b, j);
  b->width = joins ? width : 1;
  b->entries = joins ? entries : own;
  b->start[b->count + 1] = b->start[b->count] + own;
}

static bool find_borders(fly_elimination *p, borders *b) {
  const size_t size = (size_t)p->n + 2;
  b->first = fly_arena_ints(&p->memory, size);
  b->start = fly_arena_ints(&p->memory, size);
  b->head = fly_arena_ints(&p->memory, size);
  b->next_at = fly_arena_ints(&p->memory, size);
  if (p->memory.failed)
    return false;
  for (int j = 0; j < p->n; j++)
    b->head[j] = p->mark[j] = -1;
  for (int j = 0; j < p->n; j++) {
    const int own = touched(p, b, j);
    if (own < 0)
      return false;
    take_column(p, b, j, own);
  }
  close_front(p, b, p->n);
  return true;
}

// ---------------------------------------------------------------------------------- what is kept

// Borders in ascending order: listed by place, and back.
static bool sort_borders(fly_elimination *p, borders *b) {
  const int total = b->start[b->count];
  if (b->list == NULL) // nothing touches anything
    return true;
  int *start = fly_arena_ints(&p->memory, (size_t)p->n + 2), *front = fly_arena_ints(&p->memory, (size_t)total);
  if (p->memory.failed)
    return false;
  for (int k = 0; k < total; k++)
    start[b->list[k] + 2]++;
  for (int i = 0; i < p->n; i++)
    start[i + 2] += start[i + 1];
  for (int s = 0; s < b->count; s++)
    for (int k = b->start[s]; k < b->start[s + 1]; k++)
      front[start[b->list[k] + 1]++] = s;
  memcpy(p->work, b->start, (size_t)b->count * sizeof *p->work);
  for (int i = 0; i < p->n; i++)
    for (int k = start[i]; k < start[i + 1]; k++)
      b->list[p->work[front[k]]++] = i;
  return true;
}

static bool put_order(fly_fronts *f, const fly_elimination *p) {
  f->n = p->n;
  f->order = fly_arena_ints(&f->plan->memory, (size_t)p->n);
  if (f->order)
    memcpy(f->order, p->order, (size_t)p->n * sizeof *f->order);
  return f->order != NULL;
}

static double count_values(const borders *b) {
  double values = 0;
  for (int s = 0; s < b->count; s++) {
    const int width = b->first[s + 1] - b->first[s];
    values += fly_triangle(width) + (double)width * (b->start[s + 1] - b->start[s]);
  }
  return values;
}

static void put_panel(fly_panels *l, int s) {
  const int width = l->first[s + 1] - l->first[s], border = l->index_start[s + 1] - l->index_start[s];
  l->value_start[s + 1] = l->value_start[s] + fly_triangle(width) + width * border;
  for (int k = l->first[s]; k < l->first[s + 1]; k++)
    l->panel_of[k] = s;
}

// False: no memory. *fine: the factors are not too long.
static bool put_panels(fly_fronts *f, fly_elimination *p, const borders *b, bool *fine) {
  const size_t size = (size_t)b->count + 1;
  const size_t indices = (size_t)b->start[b->count];
  const double values = count_values(b);
  fly_panels *l = &f->lower;
  *fine = values <= MOST_FILL * (p->promised + p->n) && values < INT_MAX / 4;
  if (!*fine)
    return true;
  *l = (fly_panels){.n = p->n, .count = b->count};
  l->first = fly_arena_ints(&f->plan->memory, size);
  l->index_start = fly_arena_ints(&f->plan->memory, size);
  l->value_start = fly_arena_ints(&f->plan->memory, size);
  l->panel_of = fly_arena_ints(&f->plan->memory, (size_t)p->n);
  l->index = fly_arena_ints(&f->plan->memory, indices + 1);
  if (f->plan->memory.failed)
    return false;
  memcpy(l->first, b->first, size * sizeof *l->first);
  memcpy(l->index_start, b->start, size * sizeof *l->index_start);
  if (indices > 0)
    memcpy(l->index, b->list, indices * sizeof *l->index);
  for (int s = 0; s < b->count; s++)
    put_panel(l, s);
  return true;
}

static int parent_panel(const fly_panels *l, int p) {
  return l->index_start[p] < l->index_start[p + 1] ? l->panel_of[l->index[l->index_start[p]]] : -1;
}

// Does panel p have in its border what the next one eliminates, and the border of that, and nothing else?
static bool goes_on(const fly_panels *l, int p) {
  return parent_panel(l, p) == p + 1 &&
         fly_panel_border(l, p) == l->first[p + 2] - l->first[p + 1] + fly_panel_border(l, p + 1);
}

static bool put_fronts(fly_fronts *f) {
  const fly_panels *l = &f->lower;
  f->panel = fly_arena_ints(&f->plan->memory, (size_t)l->count + 1);
  f->front_of = fly_arena_ints(&f->plan->memory, (size_t)l->count);
  if (f->plan->memory.failed)
    return false;
  for (int p = 0; p < l->count; p++) {
    f->front_of[p] = f->count;
    if (p + 1 == l->count || !goes_on(l, p))
      f->panel[++f->count] = p + 1;
  }
  return true;
}

static int parent_of(const fly_fronts *f, int s) {
  const int panel = parent_panel(&f->lower, f->panel[s + 1] - 1);
  return panel < 0 ? -1 : f->front_of[panel];
}

// Where the border of a front stands in that of its parent, which has all of it.
static void put_relative(fly_fronts *f, int s, int parent) {
  const int first = fly_front_first(f, parent), end = fly_front_end(f, parent);
  const int *index = fly_front_index(f, s), *beyond = fly_front_index(f, parent);
  int *relative = f->relative + f->lower.index_start[f->panel[s + 1] - 1], at = 0;
  for (int k = 0; k < fly_front_border(f, s); k++) {
    while (index[k] >= end && beyond[at] < index[k])
      at++;
    relative[k] = index[k] < end ? index[k] - first : end - first + at;
  }
}

static bool put_children(fly_fronts *f, fly_elimination *p) {
  f->child_start = fly_arena_ints(&f->plan->memory, (size_t)f->count + 1);
  f->child = fly_arena_ints(&f->plan->memory, (size_t)f->count);
  f->relative = fly_arena_ints(&f->plan->memory, (size_t)f->lower.index_start[f->lower.count]);
  if (f->plan->memory.failed)
    return false;
  for (int s = 0; s < f->count; s++) {
    const int parent = parent_of(f, s);
    if (parent < 0)
      continue;
    f->child_start[parent + 1]++;
    put_relative(f, s, parent);
  }
  for (int s = 0; s < f->count; s++) {
    f->child_start[s + 1] += f->child_start[s];
    p->work[s] = f->child_start[s];
  }
  for (int s = 0; s < f->count; s++)
    if (parent_of(f, s) >= 0)
      f->child[p->work[parent_of(f, s)]++] = s;
  return true;
}

// Entries of A whose row or column is eliminated in front s, the other not before. work: places in the front.
static int put_entries(fly_fronts *f, fly_elimination *p, int s, int at) {
  const int first = fly_front_first(f, s), end = fly_front_end(f, s), *index = fly_front_index(f, s);
  const int border = fly_front_border(f, s), m = end - first + border;
  for (int k = 0; k < border; k++)
    p->work[index[k]] = end - first + k;
  for (int k = first; k < end; k++)
    p->work[k] = k - first;
  for (int k = first; k < end; k++) {
    const int j = f->order[k];
    for (int e = p->a->start[j]; e < p->a->start[j + 1]; e++)
      if (p->place[p->a->row[e]] >= first) {
        f->entry[at] = e;
        f->entry_place[at++] = p->work[p->place[p->a->row[e]]] * m + k - first;
        if (p->a->row[e] == j)
          f->diagonal[k] = e;
      }
    for (int e = p->by_row_start[j]; e < p->by_row_start[j + 1]; e++)
      if (p->place[p->by_row[e]] >= end) {
        f->entry[at] = p->number[e];
        f->entry_place[at++] = (k - first) * m + p->work[p->place[p->by_row[e]]];
      }
  }
  return at;
}

static bool put_places(fly_fronts *f, fly_elimination *p) {
  const size_t n = (size_t)p->n, nnz = (size_t)fly_csc_nnz(p->a);
  f->entry_start = fly_arena_ints(&f->plan->memory, (size_t)f->count + 1);
  f->entry = fly_arena_ints(&f->plan->memory, nnz);
  f->entry_place = fly_arena_ints(&f->plan->memory, nnz);
  f->diagonal = fly_arena_ints(&f->plan->memory, n);
  if (f->plan->memory.failed)
    return false;
  for (int k = 0; k < p->n; k++)
    f->diagonal[k] = -1;
  for (int s = 0; s < f->count; s++)
    f->entry_start[s + 1] = put_entries(f, p, s, f->entry_start[s]);
  return true;
}

// The largest front, and the highest the stack becomes.
static void find_sizes(fly_fronts *f) {
  size_t top = 0;
  f->largest = f->highest = 0;
  for (int s = 0; s < f->count; s++) {
    const size_t border = (size_t)fly_front_border(f, s), m = border + (size_t)fly_front_width(f, s);
    for (int k = f->child_start[s]; k < f->child_start[s + 1]; k++) {
      const size_t r = (size_t)fly_front_border(f, f->child[k]);
      top -= r * r;
    }
    top += border * border;
    f->highest = top > f->highest ? top : f->highest;
    f->largest = m * m > f->largest ? m * m : f->largest;
  }
}

// What each matrix has for itself.
static bool take_values(fly_fronts *f) {
  const size_t n = (size_t)f->n, values = (size_t)f->lower.value_start[f->lower.count] + 1;
  f->upper = f->lower; // but for its values
  f->lower.value = fly_arena_doubles(&f->memory, values);
  f->upper.value = fly_arena_doubles(&f->memory, values);
  f->front = fly_arena_doubles(&f->memory, f->largest);
  f->stack = fly_arena_doubles(&f->memory, f->highest);
  f->scale = fly_arena_doubles(&f->memory, n);
  f->size = fly_arena_doubles(&f->memory, n);
  f->x = fly_arena_doubles(&f->memory, n);
  return !f->memory.failed;
}

static bool plan(fly_fronts *f, fly_elimination *p, const fly_csc *a, const fly_fronts *like, bool *fine) {
  const bool known = like && like->n == a->cols;
  borders b = {0};
  f->plan = fly_plan_create();
  if (f->plan == NULL)
    return false;
  bool good = fly_elimination_find(p, a, known ? like->order : NULL) && find_borders(p, &b) && sort_borders(p, &b) &&
              put_order(f, p);
  if (known)
    p->promised = (double)like->lower.value_start[like->lower.count];
  good = good && put_panels(f, p, &b, fine);
  if (good && *fine)
    good = put_fronts(f) && put_children(f, p) && put_places(f, p);
  if (good && *fine)
    find_sizes(f);
  free(b.list);
  return good;
}

// ---------------------------------------------------------------------------------- sharing

static int unknown_at(const fly_fronts *f, int s, int place) {
  const int width = fly_front_width(f, s);
  return f->order[place < width ? fly_front_first(f, s) + place : fly_front_index(f, s)[place - width]];
}

// Does every entry stand in the row and the column that the fronts have it in? Each is in one of them.
static bool fits(const fly_fronts *f, const fly_csc *a) {
  if (f->n != a->cols || f->entry_start[f->count] != fly_csc_nnz(a))
    return false;
  for (int s = 0; s < f->count; s++) {
    const int m = fly_front_width(f, s) + fly_front_border(f, s);
    for (int e = f->entry_start[s]; e < f->entry_start[s + 1]; e++) {
      const int number = f->entry[e], col = unknown_at(f, s, f->entry_place[e] % m);
      if (a->row[number] != unknown_at(f, s, f->entry_place[e] / m) || number < a->start[col] ||
          number >= a->start[col + 1])
        return false;
    }
  }
  return true;
}

static void share(fly_fronts *f, const fly_fronts *like) {
  *f = *like;
  f->memory = (fly_arena){0};
  f->plan->users++;
}

bool fly_fronts_create(fly_fronts **out, const fly_csc *pattern, const fly_fronts *like) {
  fly_elimination p = {0};
  fly_fronts *f = calloc(1, sizeof *f);
  bool fine = true;
  bool good = f != NULL;
  if (good && like && fits(like, pattern))
    share(f, like);
  else
    good = good && plan(f, &p, pattern, like, &fine);
  good = good && (!fine || take_values(f));
  fly_elimination_free(&p);
  *out = f;
  if (!good || !fine) {
    fly_fronts_free(f);
    *out = NULL;
  }
  return good;
}

void fly_fronts_free(fly_fronts *f) {
  if (f == NULL)
    return;
  fly_plan_leave(f->plan);
  fly_arena_free(&f->memory);
  free(f);
}
