// How much rows of variables matter: what a row y - h = 0 does in a short stretch of the motion reaches forces and
// rates through whatever uses y, loops too (docs/theory/signals.md, X-weights).
//
//   w_j = b_j + sum over k of dh_k/dy_j w_k,   b_j = sum of |dF/dy_j| / impulse that matters
//
// so that a change of h_j over a time matters if it is more than 1 / w_j. A use that is no straight line in y_j counts
// as one that feels a small part of it.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "system/parts.h"

static const double PART = 1e-3;  // of the size of a variable: what a use that bends feels,
static const double SMALL = 1e-6; // and if it has none
enum { LARGEST = 32, SWEEPS = 50 };
static const double LOST = 1e3; // so many times a loop makes a change larger: its solution ends near there

// ------------------------------------------------------------------------------------------ which rows use which

static const fly_model_output *variable_at(const fly_system *s, int row) {
  return &s->model->output[s->weights.output[row]];
}

static const fly_expr *expression_at(const fly_system *s, int row) {
  return s->model->expression[variable_at(s, row)->expression];
}

// The row that an input of an expression is; -1: none.
static int row_of_input(const fly_system *s, int input) {
  const int y = input == FLY_EXPR_TIME ? -1 : s->model->measure[input - 1].output;
  return y < 0 ? -1 : s->weights.row_of[y];
}

static void mark_bends(fly_system *s, const fly_expr *e) {
  int count;
  const int *input = fly_expr_inputs(e, &count);
  for (int k = 0; k < count; k++) {
    const int row = row_of_input(s, input[k]);
    if (row >= 0 && fly_expr_bends_in(e, input[k]))
      s->weights.bends[row] = true;
  }
}

// Whatever a plugin or a delay sees of a row it may see in any way.
static void mark_arguments(fly_system *s) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nplugin; k++)
    for (int c = 0; c < fly_plugin_columns(m, k); c++) {
      const int y = fly_plugin_argument(m, k, c)->output, row = y < 0 ? -1 : s->weights.row_of[y];
      if (row >= 0)
        s->weights.bends[row] = true;
    }
  for (int k = 0; k < m->ndelay; k++) {
    int count;
    const int *input = fly_expr_inputs(m->expression[m->delay[k].expression], &count);
    for (int i = 0; i < count; i++)
      if (row_of_input(s, input[i]) >= 0)
        s->weights.bends[row_of_input(s, input[i])] = true;
  }
}

static void mark_all(fly_system *s) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->napplied; k++)
    for (int c = 0; c < 6; c++)
      if (m->applied[k].expression[c] >= 0)
        mark_bends(s, m->expression[m->applied[k].expression[c]]);
  for (int k = 0; k < m->nstate; k++)
    mark_bends(s, m->expression[m->state[k].rate]);
  for (int k = 0; k < s->weights.count; k++)
    mark_bends(s, expression_at(s, k));
  mark_arguments(s);
}

static void list_rows(fly_system *s) {
  const fly_model *m = s->model;
  fly_weights *w = &s->weights;
  for (int k = 0; k < m->ny; k++)
    w->row_of[k] = -1;
  w->count = 0;
  for (int k = 0; k < m->noutput; k++)
    if (m->output[k].row && !m->output[k].plugin) {
      w->row_of[m->measure[m->output[k].measure].output] = w->count;
      w->output[w->count++] = k;
    }
}

static int list_uses(fly_system *s, fly_row_use *use) {
  int n = 0;
  for (int k = 0; k < s->weights.count; k++) {
    int count;
    const int *input = fly_expr_inputs(expression_at(s, k), &count);
    for (int i = 0; i < count; i++) {
      const int row = row_of_input(s, input[i]);
      if (row >= 0 && use)
        use[n] = (fly_row_use){k, row, i, 0};
      n += row >= 0;
    }
  }
  return n;
}

bool fly_system_find_weights(fly_system *s) {
  const fly_model *m = s->model;
  fly_weights *w = &s->weights;
  const size_t n = (size_t)m->noutput;
  *w = (fly_weights){.row_of = fly_arena_ints(&s->work, (size_t)m->ny), .output = fly_arena_ints(&s->work, n)};
  w->bends = fly_arena_take(&s->work, n, sizeof *w->bends);
  w->direct = fly_arena_doubles(&s->work, n);
  w->weight = fly_arena_doubles(&s->work, n);
  w->most = fly_arena_doubles(&s->work, n);
  w->largest = fly_arena_doubles(&s->work, n);
  w->dense = fly_arena_doubles(&s->work, LARGEST * (2 * LARGEST));
  if (s->work.failed)
    return false;
  list_rows(s);
  w->nuse = list_uses(s, NULL);
  w->use = fly_arena_take(&s->work, (size_t)w->nuse, sizeof *w->use);
  if (s->work.failed)
    return false;
  list_uses(s, w->use);
  mark_all(s);
  return true;
}

// ------------------------------------------------------------------------------------------ at one place

static void add_use(fly_system *s, const double *input, int expression, double impulse) {
  int count;
  double value;
  const fly_expr *e = s->model->expression[expression];
  const int *list = fly_expr_inputs(e, &count);
  bool any = false;
  for (int k = 0; k < count && !any; k++)
    any = row_of_input(s, list[k]) >= 0;
  if (!any)
    return;
  fly_expr_gradient(e, input, &value, s->gradient);
  for (int k = 0; k < count; k++) {
    const int row = row_of_input(s, list[k]);
    if (row >= 0 && impulse > 0)
      s->weights.direct[row] += fabs(s->gradient[k]) / impulse;
  }
}

static void find_direct(fly_system *s, const double *input, const fly_step_taken *step) {
  const fly_model *m = s->model;
  fly_weights *w = &s->weights;
  for (int k = 0; k < w->count; k++) {
    const double size = fmax(PART * w->most[k], SMALL) * (step->to - step->from);
    w->direct[k] = w->bends[k] ? 1 / size : 0;
  }
  for (int k = 0; k < m->napplied; k++)
    for (int c = 0; c < 6; c++)
      if (m->applied[k].expression[c] >= 0)
        add_use(s, input, m->applied[k].expression[c], fly_system_smallest_impulse(s, k, step->impulse));
  for (int k = 0; k < m->nstate; k++)
    add_use(s, input, m->state[k].rate, step->change[k]);
}

static void find_slopes(fly_system *s, const double *input) {
  fly_weights *w = &s->weights;
  int by = -1;
  for (int k = 0; k < w->nuse; k++) {
    double value;
    if (w->use[k].by != by)
      fly_expr_gradient(expression_at(s, w->use[k].by), input, &value, s->gradient);
    by = w->use[k].by;
    w->use[k].slope = s->gradient[w->use[k].place];
  }
}

// ------------------------------------------------------------------------------------------ loops

// What comes to a row from outside of its loop.
static double incoming(const fly_system *s, int row) {
  const fly_weights *w = &s->weights;
  const int loop = variable_at(s, row)->loop;
  double sum = w->direct[row];
  for (int k = 0; k < w->nuse; k++)
    if (w->use[k].of == row && (loop == 0 || variable_at(s, w->use[k].by)->loop != loop))
      sum += fabs(w->use[k].slope) * w->weight[w->use[k].by];
  return sum;
}

// [I - A^T, I] of a loop, its rows in `member`.
static void fill_loop(const fly_system *s, const int *member, int n) {
  double *a = s->weights.dense;
  memset(a, 0, (size_t)(n * 2 * n) * sizeof *a);
  for (int i = 0; i < n; i++) {
    a[i * 2 * n + i] += 1;
    a[i * 2 * n + n + i] = 1;
    for (int k = 0; k < s->weights.nuse; k++)
      for (int j = 0; j < n && s->weights.use[k].of == member[i]; j++)
        if (s->weights.use[k].by == member[j])
          a[i * 2 * n + j] -= s->weights.use[k].slope;
  }
}

static void swap_rows(double *a, int width, int i, int j) {
  for (int c = 0; c < width; c++) {
    const double kept = a[i * width + c];
    a[i * width + c] = a[j * width + c];
    a[j * width + c] = kept;
  }
}

// Gauss and Jordan: the second half becomes the inverse. A pivot that is nothing makes it very large.
static void invert(double *a, int n) {
  const int width = 2 * n;
  for (int c = 0; c < n; c++) {
    int best = c;
    for (int i = c + 1; i < n; i++)
      best = fabs(a[i * width + c]) > fabs(a[best * width + c]) ? i : best;
    swap_rows(a, width, c, best);
    const double pivot = a[c * width + c], below = fabs(pivot) > DBL_EPSILON ? pivot : DBL_EPSILON;
    for (int j = 0; j < width; j++)
      a[c * width + j] /= below;
    for (int i = 0; i < n; i++) {
      const double factor = a[i * width + c];
      for (int j = 0; i != c && j < width; j++)
        a[i * width + j] -= factor * a[c * width + j];
    }
  }
}

static int members_of(const fly_system *s, int loop, int *member) {
  int n = 0;
  for (int k = 0; k < s->weights.count; k++)
    if (variable_at(s, k)->loop == loop) {
      if (n == LARGEST)
        return 0;
      member[n++] = k;
    }
  return n;
}

static void weigh_loop(fly_system *s, int loop) {
  fly_weights *w = &s->weights;
  int member[LARGEST];
  const int n = members_of(s, loop, member);
  if (n == 0) {
    w->unsure = true;
    return;
  }
  fill_loop(s, member, n);
  invert(w->dense, n);
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++)
      sum += fabs(w->dense[i * 2 * n + n + j]) * incoming(s, member[j]);
    w->weight[member[i]] = sum;
  }
}

// Rows that others use come before these in the list or behind: until nothing changes.
static void spread(fly_system *s) {
  fly_weights *w = &s->weights;
  memset(w->weight, 0, (size_t)w->count * sizeof *w->weight);
  bool changed = true;
  for (int sweep = 0; changed && sweep < SWEEPS; sweep++) {
    changed = false;
    for (int k = w->count - 1; k >= 0; k--) {
      const double before = w->weight[k];
      const int loop = variable_at(s, k)->loop;
      if (loop > 0)
        weigh_loop(s, loop);
      else
        w->weight[k] = incoming(s, k);
      changed = changed || fabs(w->weight[k] - before) > 1e-3 * before;
    }
  }
  w->unsure = w->unsure || changed;
}

// ------------------------------------------------------------------------------------------ the sentence

// sample: inputs at `places` times of a step, (1 + nmeasure) each.
void fly_system_weigh_rows(fly_system *s, const double *sample, int places, const fly_step_taken *step) {
  fly_weights *w = &s->weights;
  const size_t stride = (size_t)(1 + s->model->nmeasure);
  w->unsure = false;
  memset(w->largest, 0, (size_t)w->count * sizeof *w->largest);
  memset(w->most, 0, (size_t)w->count * sizeof *w->most);
  for (int p = 0; p < places; p++)
    for (int k = 0; k < w->count; k++)
      w->most[k] = fmax(w->most[k], fmax(fabs(sample[p * stride + 1 + (size_t)variable_at(s, k)->measure]),
                                         fabs(fly_expr_value(expression_at(s, k), sample + p * stride))));
  for (int p = 0; p < places; p++) {
    find_direct(s, sample + p * stride, step);
    find_slopes(s, sample + p * stride);
    spread(s);
    for (int k = 0; k < w->count; k++)
      w->largest[k] = fmax(w->largest[k], w->weight[k]);
  }
}

// ------------------------------------------------------------------------------------------ loops without a solution

static bool is_lost(const fly_system *s, int loop) {
  int member[LARGEST];
  double largest = 0;
  const int n = members_of(s, loop, member);
  fill_loop(s, member, n);
  invert(s->weights.dense, n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      largest = fmax(largest, fabs(s->weights.dense[i * 2 * n + n + j]));
  return n > 0 && !(largest < LOST);
}

int fly_system_lost_loop(fly_system *s, const fly_dae_state *at) {
  if (s->weights.count == 0)
    return 0;
  find_slopes(s, fly_system_felt(s, at));
  for (int k = 0; k < s->weights.count; k++)
    if (variable_at(s, k)->loop > 0 && is_lost(s, variable_at(s, k)->loop))
      return variable_at(s, k)->loop;
  return 0;
}

void fly_system_loop_text(char *text, size_t size, const fly_model *model, int loop) {
  size_t used = 0;
  *text = 0;
  for (int k = 0; k < model->noutput; k++) {
    char place[300];
    const fly_item *item = &model->spec->item[model->output[k].item];
    if (model->output[k].loop != loop || used + 2 > size)
      continue;
    fly_place_text(place, sizeof place, item->place);
    const size_t length = strlen(place);
    place[length >= 2 ? length - 2 : 0] = 0; // ": "
    snprintf(text + used, size - used, place[0] ? "%s `%s` (%s)" : "%s `%s`", used > 0 ? "," : "", item->name, place);
    used = strlen(text);
  }
}
