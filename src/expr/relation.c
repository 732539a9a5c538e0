// Relations of an expression: which operations they are, values with each held on one of its sides, and how far each is
// from its other side.
#include <math.h>
#include <string.h>

#include "expr/compiled.h"

static bool chooses(fly_op op) {
  return op == FLY_OP_LESS || op == FLY_OP_LESS_EQUAL || op == FLY_OP_MIN || op == FLY_OP_MAX || op == FLY_OP_ABS ||
         op == FLY_OP_SIGN;
}

static int first_result(const fly_expr *e) { return e->nconstants + e->ninputs; }

static bool is_relation(const fly_expr *e, int instruction) {
  return chooses(e->instruction[instruction].op) && !e->timed[first_result(e) + instruction];
}

bool fly_expr_find_relations(fly_expr *e) {
  for (int k = 0; k < e->ninstructions; k++)
    e->nrelations += is_relation(e, k);
  e->relation = fly_arena_ints(&e->arena, (size_t)e->nrelations);
  if (e->arena.failed)
    return false;
  for (int k = 0, n = 0; k < e->ninstructions; k++)
    if (is_relation(e, k))
      e->relation[n++] = k;
  return true;
}

int fly_expr_relations(const fly_expr *e) { return e->nrelations; }

// ---------------------------------------------------------------------------------- values

static double held_value(const fly_instruction *i, const double *v, signed char side) {
  const double a = v[i->a], b = v[i->b];
  switch (i->op) {
  case FLY_OP_MIN:
  case FLY_OP_MAX:
    return side > 0 ? a : b;
  case FLY_OP_ABS:
    return side > 0 ? a : -a;
  case FLY_OP_SIGN:
    return side;
  default:
    return side > 0;
  }
}

fly_partials fly_relation_slopes(const fly_instruction *i, signed char side) {
  fly_partials s = {0};
  if (i->op == FLY_OP_MIN || i->op == FLY_OP_MAX)
    *(side > 0 ? &s.a : &s.b) = 1;
  else if (i->op == FLY_OP_ABS)
    s.a = side;
  return s;
}

void fly_expr_run_held(const fly_expr *e, const double *inputs, const signed char *side, double *v) {
  double *result = v + first_result(e);
  int next = 0;
  fly_expr_load(e, inputs, v);
  for (int k = 0; k < e->ninstructions; k++) {
    const fly_instruction *i = &e->instruction[k];
    const bool here = next < e->nrelations && e->relation[next] == k;
    const signed char its = here && side ? side[next] : 0;
    result[k] = its ? held_value(i, v, its) : fly_op_value(i, v, e->table);
    next += here;
  }
}

double fly_expr_value_held(const fly_expr *e, const double *inputs, const signed char *side) {
  double v[FLY_EXPR_VALUES];
  if (side && e->nrelations > 0) {
    fly_expr_run_held(e, inputs, side, v);
    if (isfinite(v[e->result]))
      return v[e->result];
  }
  return fly_expr_value(e, inputs);
}

void fly_expr_gradient_held(const fly_expr *e, const double *inputs, const signed char *side, double *value,
                            double *gradient) {
  double v[FLY_EXPR_VALUES];
  if (side && e->nrelations > 0) {
    fly_expr_run_held(e, inputs, side, v);
    *value = v[e->result];
    if (isfinite(*value)) {
      fly_expr_back(e, v, side, gradient);
      return;
    }
  }
  fly_expr_gradient(e, inputs, value, gradient);
}

// ---------------------------------------------------------------------------------- margins

// What an operation reads that its result feels: of a choice the part that was chosen, of logic what decides it.
static void mark(const fly_instruction *i, const double *v, bool *felt) {
  const bool both = i->op != FLY_OP_AND && i->op != FLY_OP_OR;
  const bool decides = i->op == FLY_OP_OR; // a side of logic that is so decides alone
  if (i->op == FLY_OP_SELECT) {
    felt[i->c] = true;
    felt[v[i->c] != 0 ? i->a : i->b] = true;
    return;
  }
  const bool first = (v[i->a] != 0) == decides, second = (v[i->b] != 0) == decides;
  felt[i->a] = felt[i->a] || both || first || !second;
  felt[i->b] = felt[i->b] || both || !first;
}

static double margin_of(const fly_instruction *i, const double *v) {
  switch (i->op) {
  case FLY_OP_MAX:
    return v[i->a] - v[i->b];
  case FLY_OP_ABS:
  case FLY_OP_SIGN:
    return v[i->a];
  default:
    return v[i->b] - v[i->a];
  }
}

void fly_expr_relation_margins(const fly_expr *e, const double *inputs, const signed char *side, double *margin) {
  double v[FLY_EXPR_VALUES];
  bool felt[FLY_EXPR_VALUES];
  const int first = first_result(e);
  fly_expr_run_held(e, inputs, side, v);
  memset(felt, 0, (size_t)(first + e->ninstructions) * sizeof *felt);
  felt[e->result] = true;
  for (int k = e->ninstructions - 1; k >= 0; k--)
    if (felt[first + k])
      mark(&e->instruction[k], v, felt);
  for (int r = 0; r < e->nrelations; r++) {
    const int k = e->relation[r];
    margin[r] = felt[first + k] ? margin_of(&e->instruction[k], v) : (double)NAN;
  }
}
