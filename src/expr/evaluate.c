#include <assert.h>
#include <string.h>

#include "expr/compiled.h"

static int first_result(const fly_expr *e) { return e->nconstants + e->ninputs; }

void fly_expr_load(const fly_expr *e, const double *inputs, double *v) {
  if (e->nconstants > 0)
    memcpy(v, e->constant, (size_t)e->nconstants * sizeof *v);
  for (int k = 0; k < e->ninputs; k++)
    v[e->nconstants + k] = inputs[e->input[k]];
}

void fly_expr_run(const fly_expr *e, const double *inputs, double *v) {
  fly_expr_load(e, inputs, v);
  double *result = v + first_result(e);
  for (int k = 0; k < e->ninstructions; k++)
    result[k] = fly_op_value(&e->instruction[k], v, e->table);
}

double fly_expr_value(const fly_expr *e, const double *inputs) {
  double v[FLY_EXPR_VALUES];
  fly_expr_run(e, inputs, v);
  return v[e->result];
}

// Backwards from the result: adjoint[i] = d result / d v[i]. What the result does not feel is skipped, so that a branch
// not taken, where slopes may be infinite, cannot spoil it: 0 * inf never happens.
void fly_expr_adjoints(const fly_expr *e, const double *v, const signed char *side, double *adjoint) {
  const int first = first_result(e);
  int relation = side ? e->nrelations - 1 : -1;
  memset(adjoint, 0, (size_t)(first + e->ninstructions) * sizeof *adjoint);
  adjoint[e->result] = 1;
  for (int k = e->ninstructions - 1; k >= 0; k--) {
    const double y_bar = adjoint[first + k];
    const signed char held = side && relation >= 0 && e->relation[relation] == k ? side[relation--] : 0;
    if (y_bar == 0)
      continue;
    const fly_instruction *i = &e->instruction[k];
    const fly_partials s = held ? fly_relation_slopes(i, held) : fly_op_slopes(i, v, v[first + k], e->table);
    if (s.a != 0)
      adjoint[i->a] += y_bar * s.a;
    if (s.b != 0)
      adjoint[i->b] += y_bar * s.b;
  }
}

void fly_expr_back(const fly_expr *e, const double *v, const signed char *side, double *gradient) {
  double adjoint[FLY_EXPR_VALUES];
  fly_expr_adjoints(e, v, side, adjoint);
  for (int k = 0; k < e->ninputs; k++)
    gradient[k] = adjoint[e->nconstants + k];
}

void fly_expr_gradient(const fly_expr *e, const double *inputs, double *value, double *gradient) {
  double v[FLY_EXPR_VALUES];
  fly_expr_run(e, inputs, v);
  *value = v[e->result];
  fly_expr_back(e, v, NULL, gradient);
}

// A product that is 0 if one factor is, whatever the other.
static double times(double p, double q) { return p == 0 || q == 0 ? 0 : p * q; }

// y' = f_a a' + f_b b',  y'' = f_a a'' + f_b b'' + f_aa a'^2 + 2 f_ab a' b' + f_bb b'^2
static void chain_rule(double *y1, double *y2, const fly_partials *s, double a1, double a2, double b1, double b2) {
  *y1 = times(s->a, a1) + times(s->b, b1);
  *y2 = times(s->a, a2) + times(s->b, b2) + times(s->aa, a1 * a1) + times(2 * s->ab, a1 * b1) + times(s->bb, b1 * b1);
}

void fly_expr_time(const fly_expr *e, double time, double value[3]) {
  assert(e->time_only);
  double v[FLY_EXPR_VALUES], v1[FLY_EXPR_VALUES], v2[FLY_EXPR_VALUES];
  fly_expr_run(e, &time, v);
  const int first = first_result(e);
  memset(v1, 0, (size_t)first * sizeof *v1);
  memset(v2, 0, (size_t)first * sizeof *v2);
  for (int k = 0; k < e->ninputs; k++)
    v1[e->nconstants + k] = 1;
  for (int k = 0; k < e->ninstructions; k++) {
    const fly_instruction *i = &e->instruction[k];
    const fly_partials s = fly_op_slopes(i, v, v[first + k], e->table);
    chain_rule(&v1[first + k], &v2[first + k], &s, v1[i->a], v2[i->a], v1[i->b], v2[i->b]);
  }
  value[0] = v[e->result];
  value[1] = v1[e->result];
  value[2] = v2[e->result];
}

const int *fly_expr_inputs(const fly_expr *e, int *count) {
  *count = e->ninputs;
  return e->input;
}

int fly_expr_size(const fly_expr *e) { return e->nconstants + e->ninputs + e->ninstructions; }

bool fly_expr_is_constant(const fly_expr *e, double *value) {
  const bool constant = e->ninputs == 0;
  if (constant && value != NULL)
    *value = e->constant[e->result]; // what has no inputs was folded
  return constant;
}

bool fly_expr_is_time_only(const fly_expr *e) { return e->time_only; }

void fly_expr_free(fly_expr *e) {
  if (e == NULL)
    return;
  fly_arena arena = e->arena; // e itself lies in it
  fly_arena_free(&arena);
}
