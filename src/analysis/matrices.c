// State matrices of a linearized model. Its states are displacements and turns of bodies, chosen so that they tell all
// the others, and their rates.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/modes.h"
#include "base/error.h"
#include "flyball/words.h"
#include "math/so3.h"
#include "sparse/dense.h"

static const char *const AXES[] = {"x", "y", "z", "turn_x", "turn_y", "turn_z"};

static size_t area(int m, int n) { return (size_t)m * (size_t)n; }

static fly_status no_memory(const fly_linear *l, fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the state matrices of %d coordinates.", l->nv);
}

static const char *keep_text(fly_arena *memory, const char *a, const char *b, const char *c) {
  size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
  char *text = fly_arena_take(memory, size, 1);
  if (text)
    snprintf(text, size, "%s%s%s", a, b, c);
  return text;
}

// ------------------------------------------------------------------------------------------ states

// Rows of Z along space axes.
static void space_rows(const fly_linear *l, const fly_model *m, const fly_dae_state *at, double *rows) {
  for (int c = 0; c < l->ndof; c++) {
    const double *z = l->Z + area(l->nv, c);
    double *out = rows + area(l->nv, c);
    memcpy(out, z, (size_t)l->nv * sizeof *out);
    for (int k = 0; k < m->nbody; k++) {
      const fly_body_type *type = m->body[k].type;
      const int turn = m->body[k].iv + type->turn_v;
      if (type->turn_q >= 0)
        fly_quat_rotate(out + turn, at->q + m->body[k].iq + type->turn_q, z + turn);
    }
  }
}

// The row that has most left after the chosen ones; displacements are measured by the size of the model.
static int largest_row(const double *rest, const double *weight, int nv, int n) {
  int best = 0;
  double most = -1;
  for (int i = 0; i < nv; i++) {
    double sum = 0;
    for (int c = 0; c < n; c++)
      sum += rest[area(nv, c) + (size_t)i] * rest[area(nv, c) + (size_t)i];
    sum /= weight[i] * weight[i];
    if (sum > most * (1 + 1e-6)) { // of equal ones the first
      most = sum;
      best = i;
    }
  }
  return best;
}

// Takes row i out of all rows.
static void take_out(double *rest, int nv, int n, int i, double *unit) {
  double length = 0;
  for (int c = 0; c < n; c++) {
    unit[c] = rest[area(nv, c) + (size_t)i];
    length += unit[c] * unit[c];
  }
  for (int r = 0; r < nv && length > 0; r++) {
    double along = 0;
    for (int c = 0; c < n; c++)
      along += rest[area(nv, c) + (size_t)r] * unit[c];
    for (int c = 0; c < n; c++)
      rest[area(nv, c) + (size_t)r] -= along / length * unit[c];
  }
}

const char *fly_coordinate_axis(const fly_model *m, int i, const char **body) {
  for (int k = 0; k < m->nbody; k++) {
    const fly_body *b = &m->body[k];
    if (i < b->iv || i >= b->iv + b->columns)
      continue;
    const int c = i - b->iv, own = c + b->nq - b->columns; // behind a quaternion
    *body = b->name;
    return b->column[c] < FLY_COLUMN_OWN ? AXES[b->column[c]] : b->state[own].name;
  }
  return NULL;
}

static const char *coordinate_name(const fly_model *m, int i, const char *end, fly_arena *memory) {
  const char *body = "", *axis = fly_coordinate_axis(m, i, &body), *name = keep_text(memory, body, ".", axis);
  return name ? keep_text(memory, name, end, "") : NULL;
}

// T (ndof x ndof): the states are T s. Their names.
static fly_status choose_states(const fly_linear *l, fly_system *system, const fly_dae_state *at, double *T,
                                const char **name, fly_arena *memory, fly_error *error) {
  int nv = l->nv, n = l->ndof;
  fly_arena work = {0};
  double *rows = fly_arena_doubles(&work, area(nv, n)), *rest = fly_arena_doubles(&work, area(nv, n));
  double *unit = fly_arena_doubles(&work, (size_t)n);
  fly_status status = work.failed ? no_memory(l, error) : FLY_OK;
  if (status == FLY_OK) {
    space_rows(l, system->model, at, rows);
    memcpy(rest, rows, area(nv, n) * sizeof *rest);
  }
  for (int k = 0; k < n && status == FLY_OK; k++) {
    int i = largest_row(rest, system->scale, nv, n);
    for (int c = 0; c < n; c++)
      T[area(n, c) + (size_t)k] = rows[area(nv, c) + (size_t)i];
    take_out(rest, nv, n, i, unit);
    name[k] = coordinate_name(system->model, i, "", memory);
    name[n + k] = coordinate_name(system->model, i, ".rate", memory);
  }
  for (int k = 0; k < system->model->nstate; k++)
    name[2 * n + k] = system->model->spec->item[system->model->state[k].item].name;
  fly_arena_free(&work);
  return status == FLY_OK && memory->failed ? no_memory(l, error) : status;
}

// ------------------------------------------------------------------------------------------ inputs

typedef struct inputs {
  int count, room;
  const char **name, **unit;
  double *Q; // what a unit of each does to the equations: generalized forces, rates, outputs (rows a column)
  int rows;
  int *own; // of each: the model's input it is, -1: a force
} inputs;

static double *add_input(inputs *in, const char *name, const char *unit) {
  in->name[in->count] = name;
  in->unit[in->count] = unit;
  in->own[in->count] = -1;
  return in->Q + area(in->rows, in->count++);
}

// Zero is how a component is left out in a list of three.
static bool is_left_out(const fly_model *m, int expression) {
  int count = 0;
  double none[1] = {0};
  if (expression < 0)
    return true;
  (void)fly_expr_inputs(m->expression[expression], &count);
  return count == 0 && fly_expr_value(m->expression[expression], none) == 0;
}

// A load: one component, or all that there are.
static bool add_load(inputs *in, fly_system *s, const fly_dae_state *at, int applied, const char *component,
                     fly_arena *memory) {
  const fly_model *m = s->model;
  const fly_model_applied *a = &m->applied[applied];
  const char *own = m->spec->item[a->item].name;
  int before = in->count;
  for (int c = 0; c < FLY_LOAD_COMPONENTS && a->type->parameter[c]; c++) {
    const char *name = a->type->component[c];
    bool asked = !name ? !component : component ? strcmp(component, name) == 0 : !is_left_out(m, a->expression[c]);
    if (!asked)
      continue;
    name = name ? keep_text(memory, own, ".", name) : own;
    fly_system_load_direction(s, at, applied, c, add_input(in, name, a->type->unit[c]));
  }
  return in->count > before;
}

// The input of this name: an element, and of a wrench maybe a component. False: there is none.
static bool add_by_name(inputs *in, fly_system *s, const fly_dae_state *at, const char *name, const char *component,
                        fly_arena *memory) {
  const fly_model *m = s->model;
  const fly_item *item = fly_spec_find(m->spec, "forces", name);
  int number = item ? (int)(item - m->spec->item) : -1;
  for (int k = 0; k < m->napplied && item; k++)
    if (m->applied[k].item == number)
      return add_load(in, s, at, k, component, memory);
  const int force = item && !component ? m->force_of_item[number] : -1;
  if (force < 0 || !m->force[force].type->direction)
    return false;
  return fly_system_force_direction(s, at, force, add_input(in, item->name, m->force[force].type->unit));
}

static fly_status unknown(const char *what, const char *typed, const fly_spec *spec, const char *section,
                          fly_error *error) {
  const char **names = calloc((size_t)spec->nitem + 1, sizeof *names);
  int n = 0;
  for (int k = 0; names && k < spec->nitem; k++)
    if (strcmp(spec->item[k].type->section, section) == 0)
      names[n++] = spec->item[k].name;
  const char *near = names ? fly_nearest_word(typed, names) : NULL;
  fly_fail_at(error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, typed, "There is no %s `%s`%s%s%s", what, typed,
              near ? "; did you mean `" : "", near ? near : "", near ? "`?" : ".");
  if (!near && n == 0)
    fly_error_append(error, " The model has no %s at all.", section);
  free(names);
  return FLY_BAD_INPUT;
}

static fly_status find_input(inputs *in, fly_system *s, const fly_dae_state *at, const char *name, fly_arena *memory,
                             fly_error *error) {
  const char *dot = strrchr(name, '.');
  const fly_item *item = fly_spec_find(s->model->spec, "inputs", name);
  if (item) {
    const int k = s->model->signal_of_item[item - s->model->spec->item];
    fly_system_given_direction(s, at, FLY_SIGNAL_INPUT, k,
                               add_input(in, item->name, fly_signal_unit(s->model, FLY_SIGNAL_INPUT, k)));
    in->own[in->count - 1] = k;
    return FLY_OK;
  }
  if (add_by_name(in, s, at, name, NULL, memory))
    return FLY_OK;
  char *head = dot ? fly_arena_take(memory, strlen(name) + 1, 1) : NULL;
  if (head) {
    memcpy(head, name, (size_t)(dot - name));
    if (add_by_name(in, s, at, head, dot + 1, memory))
      return FLY_OK;
  }
  if (fly_spec_find(s->model->spec, "forces", head ? head : name))
    return fly_fail_at(
        error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, name,
        "`%s` is no input: a force or a torque has components fx, fy, fz, tx, ty, tz, springs and torsion "
        "springs have one force, and others none.",
        name);
  return unknown("force", name, s->model->spec, "forces", error);
}

static fly_status find_inputs(inputs *in, const fly_linear *l, fly_system *s, const fly_dae_state *at,
                              const fly_modes_options *o, fly_arena *memory, fly_error *error) {
  in->room = 6 * o->ninput;
  in->name = fly_arena_take(memory, (size_t)in->room, sizeof *in->name);
  in->unit = fly_arena_take(memory, (size_t)in->room, sizeof *in->unit);
  in->rows = l->eval.nrow;
  in->own = fly_arena_ints(memory, (size_t)in->room);
  in->Q = fly_arena_doubles(memory, area(in->rows, in->room));
  fly_status status = memory->failed ? no_memory(l, error) : FLY_OK;
  for (int k = 0; k < o->ninput && status == FLY_OK; k++)
    status = find_input(in, s, at, o->input[k], memory, error);
  return status == FLY_OK && memory->failed ? no_memory(l, error) : status;
}

// ------------------------------------------------------------------------------------------ outputs

static bool has_variables(const fly_model *m) {
  for (int k = 0; k < m->noutput; k++)
    if (strcmp(m->spec->item[m->output[k].item].type->section, "variables") == 0)
      return true;
  return false;
}

static fly_status find_outputs(int *which, int *count, const fly_model *m, const fly_modes_options *o,
                               fly_error *error) {
  *count = o->noutput > 0 ? o->noutput : m->noutput;
  for (int k = 0; k < *count; k++) {
    which[k] = o->noutput > 0 ? -1 : k;
    for (int i = 0; i < m->noutput && o->noutput > 0; i++)
      if (strcmp(m->spec->item[m->output[i].item].name, o->output[k]) == 0)
        which[k] = i;
    if (which[k] < 0)
      return unknown("output", o->output[k], m->spec, has_variables(m) ? "variables" : "outputs", error);
  }
  return FLY_OK;
}

void fly_linear_output_row(const fly_linear *l, const fly_slopes *d, const double *answer, int columns, int noutput,
                           double *out) {
  int nv = l->nv, n = l->ndof, rows = l->eval.nrow;
  for (int c = 0; c < columns; c++) {
    const double *a = answer + area(rows, c);
    double sum = fly_linear_dot(d->lambda, a + n, l->eval.nl) +
                 fly_linear_dot(d->y, a + n + l->eval.nl + l->eval.p.nx, l->eval.p.ny);
    for (int k = 0; k < n; k++)
      sum += a[k] * fly_linear_dot(d->vdot, l->Z + area(nv, k), nv);
    if (c < n)
      sum += fly_linear_dot(d->q, l->Z + area(nv, c), nv) + fly_linear_dot(d->v, l->Vs + area(nv, c), nv) +
             fly_linear_dot(d->vdot, l->As + area(nv, c), nv);
    else if (c < 2 * n)
      sum += fly_linear_dot(d->v, l->Z + area(nv, c - n), nv) + fly_linear_dot(d->vdot, l->Au + area(nv, c - n), nv);
    else if (c < 2 * n + l->eval.p.nx)
      sum += d->x[c - 2 * n];
    out[area(noutput, c)] = sum;
  }
}

// ------------------------------------------------------------------------------------------ together

// All in terms of (s, s', x) and u: the answer of the equations, and the rows of the outputs.
typedef struct response {
  int nstate, columns; // columns: states, then inputs
  double *load, *answer;
  double *rows; // (noutput x columns)
} response;

static fly_status respond(response *r, const fly_linear *l, const inputs *in, fly_arena *work, fly_error *error) {
  int rows = l->eval.nrow;
  r->nstate = 2 * l->ndof + l->eval.p.nx;
  r->columns = r->nstate + in->count;
  r->load = fly_arena_doubles(work, area(rows, r->columns));
  r->answer = fly_arena_doubles(work, area(rows, r->columns));
  if (work->failed)
    return no_memory(l, error);
  fly_linear_state_loads(l, r->load);
  for (int k = 0; k < in->count; k++)
    memcpy(r->load + area(rows, r->nstate + k), in->Q + area(rows, k), (size_t)rows * sizeof *r->load);
  return fly_linear_answer(l, r->columns, r->load, r->answer, error);
}

// X (2n + nx states) in place of (s, s', x): columns times blockdiag(T^-1, T^-1, 1).
static fly_status from_right(double *X, int rows, const double *T, int n, fly_arena *work, fly_error *error) {
  double *Tt = fly_arena_doubles(work, area(n, n)), *Y = fly_arena_doubles(work, area(n, rows));
  if (work->failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for state matrices.");
  for (int part = 0; part < 2; part++) {
    double *block = X + area(rows, part * n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        Tt[area(n, j) + (size_t)i] = T[area(n, i) + (size_t)j];
    for (int r = 0; r < rows; r++)
      for (int c = 0; c < n; c++)
        Y[area(n, r) + (size_t)c] = block[area(rows, c) + (size_t)r];
    fly_status status = fly_dense_solve(Tt, Y, n, rows, error);
    if (status == FLY_SINGULAR)
      fly_fail(error, status, NAN, "No set of coordinates tells all the others at this state.");
    if (status)
      return status;
    for (int r = 0; r < rows; r++)
      for (int c = 0; c < n; c++)
        block[area(rows, c) + (size_t)r] = Y[area(n, r) + (size_t)c];
  }
  return FLY_OK;
}

static void from_left(double *X, int rows, int columns, const double *T, int n, double *work) {
  for (int c = 0; c < columns; c++)
    for (int part = 0; part < 2; part++) {
      double *x = X + area(rows, c) + part * n;
      fly_dense_multiply(work, 'N', 'N', n, 1, n, 1.0, T, x, 0.0);
      memcpy(x, work, (size_t)n * sizeof *x);
    }
}

static void fill_A_and_B(const response *r, const fly_linear *l, double *A, double *B) {
  int n = l->ndof, nx = l->eval.p.nx, N = r->nstate, rows = l->eval.nrow;
  for (int c = 0; c < r->columns; c++) {
    double *to = c < N ? A + area(N, c) : B + area(N, c - N);
    const double *a = r->answer + area(rows, c);
    if (c >= n && c < 2 * n)
      to[c - n] = 1;
    memcpy(to + n, a, (size_t)n * sizeof *to);
    memcpy(to + 2 * n, a + n + l->eval.nl, (size_t)nx * sizeof *to);
  }
}

static fly_status fill_outputs(fly_state_space *out, const inputs *in, const response *r, const fly_linear *l,
                               fly_system *s, const fly_dae_state *at, const int *which, double *C, double *D,
                               fly_arena *memory, fly_arena *work, fly_error *error) {
  const fly_model *m = s->model;
  int no = out->noutput;
  double *rows = fly_arena_doubles(work, area(no, r->columns)), *all = fly_arena_doubles(work, (size_t)m->noutput);
  double *value = fly_arena_doubles(memory, (size_t)no);
  const char **name = fly_arena_take(memory, (size_t)no, sizeof *name);
  const char **unit = fly_arena_take(memory, (size_t)no, sizeof *unit);
  const fly_slopes d = fly_system_take_slopes(s, work);
  if (work->failed || memory->failed)
    return no_memory(l, error);
  fly_system_outputs(s, at, all);
  for (int k = 0; k < no; k++) {
    fly_system_slopes(s, at, m->output[which[k]].expression, &d);
    fly_linear_output_row(l, &d, r->answer, r->columns, no, rows + k);
    for (int c = 0; c < in->count; c++)
      rows[area(no, r->nstate + c) + (size_t)k] += in->own[c] >= 0 ? d.u[in->own[c]] : 0.0;
    name[k] = m->spec->item[m->output[which[k]].item].name;
    unit[k] = fly_model_output_unit(m, which[k]);
    value[k] = all[which[k]];
  }
  memcpy(C, rows, area(no, r->nstate) * sizeof *C);
  memcpy(D, rows + area(no, r->nstate), area(no, out->ninput) * sizeof *D);
  out->output = name;
  out->output_unit = unit;
  out->output_value = value;
  return FLY_OK;
}

static fly_status make(fly_state_space *out, const fly_linear *l, fly_system *s, const fly_dae_state *at,
                       const fly_modes_options *o, fly_arena *memory, fly_arena *work, fly_error *error) {
  int n = l->ndof, N = 2 * n + l->eval.p.nx;
  inputs in = {0};
  response r = {0};
  int *which = fly_arena_ints(work, (size_t)(o->noutput > s->model->noutput ? o->noutput : s->model->noutput));
  double *T = fly_arena_doubles(work, area(n, n)), *column = fly_arena_doubles(work, (size_t)n);
  const char **state = fly_arena_take(memory, (size_t)N, sizeof *state);
  if (work->failed || memory->failed)
    return no_memory(l, error);
  fly_status status = find_outputs(which, &out->noutput, s->model, o, error);
  if (status == FLY_OK)
    status = find_inputs(&in, l, s, at, o, memory, error);
  if (status == FLY_OK)
    status = choose_states(l, s, at, T, state, memory, error);
  if (status == FLY_OK)
    status = respond(&r, l, &in, work, error);
  if (status)
    return status;
  out->nstate = N;
  out->ninput = in.count;
  double *A = fly_arena_doubles(memory, area(N, N)), *B = fly_arena_doubles(memory, area(N, in.count));
  double *C = fly_arena_doubles(memory, area(out->noutput, N)),
         *D = fly_arena_doubles(memory, area(out->noutput, in.count));
  if (memory->failed)
    return no_memory(l, error);
  fill_A_and_B(&r, l, A, B);
  status = fill_outputs(out, &in, &r, l, s, at, which, C, D, memory, work, error);
  if (status == FLY_OK)
    status = from_right(A, N, T, n, work, error);
  if (status == FLY_OK)
    status = from_right(C, out->noutput, T, n, work, error);
  from_left(A, N, N, T, n, column);
  for (int c = 0; c < 2 * n; c++) // the rates of the states, without rounding errors
    for (int i = 0; i < n; i++)
      A[area(N, c) + (size_t)i] = c == n + i;
  from_left(B, N, in.count, T, n, column);
  out->state = state;
  out->input = in.name;
  out->input_unit = in.unit;
  out->A = A;
  out->B = B;
  out->C = C;
  out->D = D;
  return status;
}

fly_status fly_state_space_make(fly_state_space *out, const fly_linear *l, fly_system *system, const fly_dae_state *at,
                                const fly_modes_options *o, fly_arena *memory, fly_error *error) {
  fly_arena work = {0};
  *out = (fly_state_space){0};
  fly_status status = make(out, l, system, at, o, memory, &work, error);
  fly_arena_free(&work);
  return status;
}
