// When a run is looked at, to be compared: at even distances, and on both sides of its breaks in time. What goes wrong
// at a break may do so in one step, which even distances miss and rows on round times do not (docs/theory/promise.md).
// Where something may begin and end at once, as a blow, or another method take over, also at the rows that are given;
// so too by formulas whose errors scatter: where stability limits their steps, reactions are off for a few steps at a
// time.
#include <math.h>
#include <stdlib.h>

#include "dae/promise.h"

enum { SAMPLES = 400, SAMPLES_LEAST = 50, VALUES_MOST = 2000000 };
enum { BREAKS_MOST = 50 };          // that are looked at; of more of them even distances meet enough
static const double OFFSET = 0.618; // of the even ones: breaks of a model lie at round times

static int even_count(int width) {
  if ((double)SAMPLES * width <= VALUES_MOST)
    return SAMPLES;
  return VALUES_MOST / width > SAMPLES_LEAST ? VALUES_MOST / width : SAMPLES_LEAST;
}

static bool next_break(const fly_promise_task *t, fly_break *next, double from) {
  return t->problem->next_break && t->problem->next_break(next, from, t->t_end, t->problem->user);
}

// Both sides of the breaks inside the interval: how many times; out may be NULL.
static int break_times(const fly_promise_task *t, double *out) {
  fly_break next = {.after = t->t0};
  int n = 0;
  for (int k = 0; k < BREAKS_MOST && next_break(t, &next, next.after) && next.after < t->t_end; k++) {
    const double sides[] = {next.before, next.after};
    for (int i = 0; i < 2 && next.before > t->t0; i++, n++)
      if (out)
        out[n] = sides[i];
  }
  return n;
}

// Rows inside the interval, or as many of them as even ones: how many; out may be NULL.
static int row_times(const fly_promise *p, double *out) {
  const fly_promise_task *t = &p->task;
  const double rows = t->output > 0 ? (t->t_end - t->t0) / t->output : 0;
  const double every = ceil(rows / SAMPLES);
  int n = 0;
  if (!p->habit->scatters && t->problem->nroot == 0 && t->problem->nrelation == 0)
    return 0;
  for (double k = every; k < rows - 0.5; k += every, n++)
    if (out)
      out[n] = t->t0 + k * t->output;
  return n;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void fly_promise_plan(fly_promise *p) {
  const fly_promise_task *t = &p->task;
  const bool room = p->width * SAMPLES <= VALUES_MOST;
  const int even = even_count(p->width), more = room ? break_times(t, NULL) : 0, rows = room ? row_times(p, NULL) : 0;
  fly_break first;
  p->n = even + more + rows;
  p->time = fly_arena_doubles(&p->memory, (size_t)p->n);
  if (p->memory.failed)
    return;
  for (int k = 0; k < even; k++)
    p->time[k] = k == even - 1 ? t->t_end : t->t0 + (t->t_end - t->t0) * (k + OFFSET) / even;
  if (more > 0)
    break_times(t, p->time + even);
  if (rows > 0)
    row_times(p, p->time + even + more);
  qsort(p->time, (size_t)p->n, sizeof *p->time, ascending);
  p->breaks = next_break(t, &first, t->t0); // last: a problem may remember what it was asked
}

double fly_promise_time(const fly_promise *p, int k) { return p ? p->time[k] : (double)NAN; }

int fly_promise_sample_before(const fly_promise *p, double t) {
  int k = 0;
  while (k + 1 < p->n && p->time[k + 1] <= t)
    k++;
  return k;
}
