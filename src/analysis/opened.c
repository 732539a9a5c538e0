// A loop opened at a variable: the model compiled with the variable as a row y - h = 0, and that row taken out.
#include "analysis/opened.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "flyball/words.h"
#include "sparse/dense.h"

static size_t area(int m, int n) { return (size_t)m * (size_t)n; }

static fly_status no_memory(fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the response of a loop.");
}

// ------------------------------------------------------------------------------------------ the variable

static bool is_variable(const fly_item *item) {
  const char *section = item->type->section;
  return strcmp(section, "variables") == 0 || strcmp(section, "outputs") == 0;
}

static bool is_delay(const fly_item *item) {
  return strcmp(item->type->name, "delay") == 0 && !fly_item_given(item, "pade");
}

enum { MOST_NAMED = 10 }; // in a message

static fly_status unknown(const fly_spec *spec, const char *typed, fly_error *error) {
  const char **names = calloc((size_t)spec->nitem + 1, sizeof *names);
  int n = 0;
  for (int k = 0; names && k < spec->nitem; k++)
    if (is_variable(&spec->item[k]) || is_delay(&spec->item[k]))
      names[n++] = spec->item[k].name;
  const char *near = names ? fly_nearest_word(typed, names) : NULL;
  fly_fail_at(error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, typed, "There is no variable `%s` to open a loop at%s%s%s", typed,
              near ? "; did you mean `" : "", near ? near : "", near ? "`?" : ".");
  if (!near && n == 0)
    fly_error_append(error,
                     " The model has no variables at all: name in `variables` what goes round, such as the force "
                     "of a controller.");
  for (int k = 0; !near && k < n && k < MOST_NAMED; k++)
    fly_error_append(error, "%s`%.60s`", k > 0 ? ", " : " It can be opened at ", names[k]);
  if (!near && n > 0)
    fly_error_append(error, n > MOST_NAMED ? ", ..." : ".");
  free(names);
  return FLY_BAD_INPUT;
}

// The event that sets a held number; NULL: none does.
static const fly_item *setter_of(const fly_spec *spec, const char *held) {
  for (int k = 0; k < spec->nitem; k++) {
    const fly_item *item = &spec->item[k];
    const fly_value *set = strcmp(item->type->section, "events") == 0 ? fly_item_value(item, "set") : NULL;
    for (int i = 0; set && set->given && i < set->count; i += 2)
      if (strcmp(set->word[i], held) == 0)
        return item;
  }
  return NULL;
}

// What has the name but is no variable.
static fly_status other_kind(const fly_spec *spec, const fly_item *item, fly_error *error) {
  const char *section = item->type->section;
  const fly_item *event = strcmp(section, "held") == 0 ? setter_of(spec, item->name) : NULL;
  const fly_status status =
      fly_fail_at(error, FLY_BAD_INPUT, NAN, item->place, item->name,
                  "`%s` is in `%s`, and a loop is opened at a variable or a delay. %s", item->name, section,
                  strcmp(section, "states") == 0 ? "Let a variable have its value (w: the state), use that instead, "
                                                   "and open the loop there."
                  : strcmp(section, "held") == 0
                      ? "A held number changes at events only, and is constant for small motions between them."
                      : "Name in `variables` what goes round.");
  if (event && fly_item_given(event, "every")) {
    char place[300];
    const double period = fly_item_number(event, "every");
    fly_place_text(place, sizeof place, event->place);
    fly_error_append(error,
                     " %s`%s` sets it every %.6g s: for margins let a `delay` of half that, %.6g s, of the same "
                     "expression stand in its place, and open the loop at the delay; below a tenth of its rate a "
                     "sample that is held is that.",
                     place, event->name, period, period / 2);
  }
  return status;
}

static fly_status find_item(const fly_spec *spec, const char *name, int *out, fly_error *error) {
  static const char *const sections[] = {"variables", "outputs", "blocks", "states", "held", "inputs"};
  const fly_item *item = NULL;
  for (int k = 0; k < 6 && !item; k++)
    item = fly_spec_find(spec, sections[k], name);
  if (!item)
    return unknown(spec, name, error);
  if (!is_variable(item) && !is_delay(item))
    return other_kind(spec, item, error);
  *out = (int)(item - spec->item);
  return FLY_OK;
}

static fly_status no_loop(const fly_item *item, const char *why, fly_error *error) {
  return fly_fail_at(error, FLY_BAD_INPUT, NAN, item->place, item->name,
                     "There is no loop to open at `%s`: %s. Name a variable on the way round, such as the force of a "
                     "controller.",
                     item->name, why);
}

static fly_status find_opening(fly_opening *where, const fly_model *m, const fly_item *named, int item,
                               fly_error *error) {
  *where = (fly_opening){-1, -1};
  if (is_delay(named)) {
    where->delay = m->signal_of_item[item];
    return FLY_OK;
  }
  const fly_model_output *v = &m->output[m->signal_of_item[item]];
  if (v->measure < 0)
    return no_loop(named, "no expression uses it", error);
  if (!v->row)
    return no_loop(named, "it depends on nothing but time", error);
  where->output = m->measure[v->measure].output;
  return FLY_OK;
}

fly_status fly_opening_compile(fly_mechanism *out, fly_opening *where, const fly_mechanism *m, const char *variable,
                               fly_arena *memory, fly_error *error) {
  int item = 0;
  fly_status status = find_item(&m->spec, variable, &item, error);
  if (status)
    return status;
  *out = *m;
  out->model = (fly_model){0};
  out->spec.item = fly_arena_take(memory, (size_t)m->spec.nitem, sizeof *out->spec.item);
  if (!out->spec.item)
    return no_memory(error);
  memcpy(out->spec.item, m->spec.item, (size_t)m->spec.nitem * sizeof *out->spec.item);
  out->spec.item[item].row = true;
  status = fly_model_compile(&out->model, &out->spec, error);
  if (status == FLY_OK && !out->model.signal_of_item)
    return no_memory(error);
  return status ? status : find_opening(where, &out->model, &out->spec.item[item], item, error);
}

// ------------------------------------------------------------------------------------------ matrices

static fly_status take(fly_opened *o, fly_arena *memory, fly_error *error) {
  const size_t n = (size_t)o->n, m = (size_t)o->m;
  double **square[] = {&o->A, &o->H}, **tall[] = {&o->B, &o->C, &o->Bh, &o->Ch};
  for (int k = 0; k < 2; k++)
    *square[k] = fly_arena_doubles(memory, n * n);
  for (int k = 0; k < 4; k++)
    *tall[k] = fly_arena_doubles(memory, n * m);
  o->D = fly_arena_doubles(memory, m * m);
  o->late = fly_arena_doubles(memory, m);
  o->hessenberg = fly_arena_take(memory, n * n, sizeof *o->hessenberg);
  o->solved = fly_arena_take(memory, n * m, sizeof *o->solved);
  o->port = fly_arena_take(memory, m * (m + 1), sizeof *o->port);
  return memory->failed ? no_memory(error) : FLY_OK;
}

// The delay of a port; -1: the variable.
static int delay_of_port(fly_opening where, int port) {
  if (port == 0)
    return where.delay;
  const int k = port - 1;
  return where.delay >= 0 && k >= where.delay ? k + 1 : k;
}

// Answers of the equations to unit states and ports; would: what the opened row makes of them.
typedef struct answers {
  int columns;
  double *load, *answer, *would;
} answers;

static fly_status answer(answers *a, const fly_opened *o, const fly_linear *l, fly_system *s, const fly_dae_state *at,
                         fly_opening where, fly_arena *work, fly_error *error) {
  const int rows = l->eval.nrow;
  a->columns = o->n + o->m;
  a->load = fly_arena_doubles(work, area(rows, a->columns));
  a->answer = fly_arena_doubles(work, area(rows, a->columns));
  a->would = fly_arena_doubles(work, (size_t)a->columns);
  if (work->failed)
    return no_memory(error);
  fly_linear_state_loads(l, a->load);
  for (int k = 0; k < o->m; k++)
    if (delay_of_port(where, k) >= 0)
      fly_system_given_direction(s, at, FLY_SIGNAL_DELAY, delay_of_port(where, k), a->load + area(rows, o->n + k));
  if (where.output < 0)
    return fly_linear_answer(l, a->columns, a->load, a->answer, error);
  a->would[o->n] = 1;
  return fly_linear_answer_opened(l, where.output, a->columns, a->load, a->answer, a->would, error);
}

static void fill_states(fly_opened *o, const answers *a, const fly_linear *l) {
  const int n = l->ndof, N = o->n, rows = l->eval.nrow;
  for (int c = 0; c < a->columns; c++) {
    double *to = c < N ? o->A + area(N, c) : o->B + area(N, c - N);
    if (c >= n && c < 2 * n)
      to[c - n] = 1;
    memcpy(to + n, a->answer + area(rows, c), (size_t)n * sizeof *to);
    memcpy(to + 2 * n, a->answer + area(rows, c) + n + l->eval.nl, (size_t)l->eval.p.nx * sizeof *to);
  }
}

// A row of (C, D).
static void fill_port(fly_opened *o, int port, const double *row) {
  for (int c = 0; c < o->n; c++)
    o->C[area(o->m, c) + (size_t)port] = row[c];
  for (int c = 0; c < o->m; c++)
    o->D[area(o->m, c) + (size_t)port] = row[o->n + c];
}

static fly_status fill_ports(fly_opened *o, const answers *a, const fly_linear *l, fly_system *s,
                             const fly_dae_state *at, fly_opening where, fly_arena *work, fly_error *error) {
  const fly_slopes d = fly_system_take_slopes(s, work);
  double *row = fly_arena_doubles(work, (size_t)a->columns);
  if (work->failed)
    return no_memory(error);
  if (where.output >= 0)
    fill_port(o, 0, a->would);
  for (int k = 0; k < o->m; k++) {
    const int delay = delay_of_port(where, k);
    if (delay < 0)
      continue;
    fly_system_slopes(s, at, s->model->delay[delay].expression, &d);
    fly_linear_output_row(l, &d, a->answer, a->columns, 1, row);
    for (int c = 0; c < o->m; c++)
      row[o->n + c] += delay_of_port(where, c) >= 0 ? d.late[delay_of_port(where, c)] : 0.0;
    fill_port(o, k, row);
    o->late[k] = s->model->delay[delay].time;
  }
  return FLY_OK;
}

static fly_status prepare_shifts(fly_opened *o, fly_error *error) {
  memcpy(o->H, o->A, area(o->n, o->n) * sizeof *o->H);
  memcpy(o->Bh, o->B, area(o->n, o->m) * sizeof *o->Bh);
  memcpy(o->Ch, o->C, area(o->m, o->n) * sizeof *o->Ch);
  return fly_dense_hessenberg(o->H, o->Bh, o->Ch, o->n, o->m, o->m, error);
}

fly_status fly_opened_make(fly_opened *o, const fly_linear *l, fly_system *system, const fly_dae_state *at,
                           fly_opening where, fly_arena *memory, fly_error *error) {
  fly_arena work = {0};
  answers a = {0};
  *o = (fly_opened){.n = 2 * l->ndof + l->eval.p.nx, .m = system->model->ndelay + (where.output >= 0)};
  fly_status status = take(o, memory, error);
  if (status == FLY_OK)
    status = answer(&a, o, l, system, at, where, &work, error);
  if (status == FLY_OK) {
    fill_states(o, &a, l);
    status = fill_ports(o, &a, l, system, at, where, &work, error);
  }
  fly_arena_free(&work);
  return status ? status : prepare_shifts(o, error);
}

// ------------------------------------------------------------------------------------------ response

static double size_of(double complex z) { return fabs(creal(z)) + fabs(cimag(z)); }

// The two rows of a column step that elimination exchanges if the lower one is larger.
static void swap_rows(double complex *A, int n, int i, int from, int to) {
  for (int j = from; j < to; j++) {
    double complex *one = A + area(n, j) + i, other = one[0];
    one[0] = one[1];
    one[1] = other;
  }
}

// (s - H) X = B by elimination: one row below each, the larger of the two as the pivot.
static void solve_shifted(fly_opened *o, double complex s) {
  const int n = o->n, m = o->m;
  double complex *A = o->hessenberg, *X = o->solved;
  for (size_t k = 0; k < area(n, n); k++)
    A[k] = -o->H[k];
  for (int i = 0; i < n; i++)
    A[area(n, i) + (size_t)i] += s;
  for (size_t k = 0; k < area(n, m); k++)
    X[k] = o->Bh[k];
  for (int i = 0; i + 1 < n; i++) {
    if (size_of(A[area(n, i) + (size_t)i + 1]) > size_of(A[area(n, i) + (size_t)i])) {
      swap_rows(A, n, i, i, n);
      swap_rows(X, n, i, 0, m);
    }
    const double complex factor = A[area(n, i) + (size_t)i + 1] / A[area(n, i) + (size_t)i];
    if (factor == 0)
      continue;
    for (int j = i + 1; j < n; j++)
      A[area(n, j) + (size_t)i + 1] -= factor * A[area(n, j) + (size_t)i];
    for (int j = 0; j < m; j++)
      X[area(n, j) + (size_t)i + 1] -= factor * X[area(n, j) + (size_t)i];
  }
  for (int j = 0; j < m; j++)
    for (int i = n - 1; i >= 0; i--) {
      double complex sum = X[area(n, j) + (size_t)i];
      for (int k = i + 1; k < n; k++)
        sum -= A[area(n, k) + (size_t)i] * X[area(n, j) + (size_t)k];
      X[area(n, j) + (size_t)i] = sum / A[area(n, i) + (size_t)i];
    }
}

// w of port i for a unit of port j.
static double complex through(const fly_opened *o, int i, int j) {
  double complex sum = o->D[area(o->m, j) + (size_t)i];
  for (int k = 0; k < o->n; k++)
    sum += o->Ch[area(o->m, k) + (size_t)i] * o->solved[area(o->n, j) + (size_t)k];
  return sum;
}

// x of A x = b by elimination with pivots, b in the last column of A (d x (d + 1)), column by column; x in its place.
static void solve_small(double complex *A, int d) {
  for (int i = 0; i < d; i++) {
    int best = i;
    for (int r = i + 1; r < d; r++)
      best = size_of(A[area(d, i) + (size_t)r]) > size_of(A[area(d, i) + (size_t)best]) ? r : best;
    for (int c = i; c <= d; c++) {
      const double complex other = A[area(d, c) + (size_t)i];
      A[area(d, c) + (size_t)i] = A[area(d, c) + (size_t)best];
      A[area(d, c) + (size_t)best] = other;
    }
    for (int r = 0; r < d; r++) {
      if (r == i)
        continue;
      const double complex factor = A[area(d, i) + (size_t)r] / A[area(d, i) + (size_t)i];
      for (int c = i; c <= d; c++)
        A[area(d, c) + (size_t)r] -= factor * A[area(d, c) + (size_t)i];
    }
  }
  for (int i = 0; i < d; i++)
    A[area(d, d) + (size_t)i] /= A[area(d, i) + (size_t)i];
}

// w_k = G_k0 u + sum_j G_kj exp(-s late_j) w_j of the delays, then w_0.
double complex fly_opened_at(fly_opened *o, double complex s) {
  const int d = o->m - 1;
  double complex *A = o->port;
  solve_shifted(o, s);
  for (int i = 0; i < d; i++) {
    for (int j = 0; j < d; j++)
      A[area(d, j) + (size_t)i] = (i == j) - through(o, 1 + i, 1 + j) * cexp(-s * o->late[1 + j]);
    A[area(d, d) + (size_t)i] = through(o, 1 + i, 0);
  }
  solve_small(A, d);
  double complex w = through(o, 0, 0);
  for (int j = 0; j < d; j++)
    w += through(o, 0, 1 + j) * cexp(-s * o->late[1 + j]) * A[area(d, d) + (size_t)j];
  return -w * cexp(-s * o->late[0]);
}
