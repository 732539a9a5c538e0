// Where an expression jumps: which of its switches stand differently at two places.
#include <float.h>
#include <math.h>

#include "expr/compiled.h"
#include "expr/lexer.h"

// How an operation that jumps stands; of any other always the same.
static double setting(const fly_instruction *i, const double *v, double result) {
  switch (i->op) {
  case FLY_OP_LESS:
  case FLY_OP_LESS_EQUAL:
  case FLY_OP_EQUAL:
  case FLY_OP_NOT_EQUAL:
  case FLY_OP_SIGN:
  case FLY_OP_FLOOR:
  case FLY_OP_CEIL:
  case FLY_OP_ROUND:
    return result;
  case FLY_OP_SELECT: // on a number
    return v[i->c] != 0;
  case FLY_OP_MOD:
    return floor(v[i->a] / v[i->b]);
  default:
    return 0;
  }
}

bool fly_expr_switch(const fly_expr *e, const double *one, const double *other, int *offset) {
  double v[FLY_EXPR_VALUES], w[FLY_EXPR_VALUES];
  const int first = e->nconstants + e->ninputs;
  fly_expr_run(e, one, v);
  fly_expr_run(e, other, w);
  for (int k = 0; k < e->ninstructions; k++) {
    const fly_instruction *i = &e->instruction[k];
    if (setting(i, v, v[first + k]) == setting(i, w, w[first + k]))
      continue;
    *offset = e->offset[k];
    return true;
  }
  return false;
}

// Its sign is the truth: 0 is on the side where the condition stands.
static double on_side(double margin, bool holds) { return margin != 0 ? margin : holds ? DBL_MIN : -DBL_MIN; }

static double margin_of(const fly_expr *e, const double *v, int place) {
  const int first = e->nconstants + e->ninputs;
  if (place < first)
    return on_side(v[place], false);
  const fly_instruction *i = &e->instruction[place - first];
  switch (i->op) {
  case FLY_OP_LESS:
  case FLY_OP_LESS_EQUAL:
    return on_side(v[i->b] - v[i->a], v[place] != 0);
  case FLY_OP_EQUAL:
  case FLY_OP_NOT_EQUAL:
    return v[place] != 0 ? 1.0 : -1.0;
  case FLY_OP_AND:
    return fmin(margin_of(e, v, i->a), margin_of(e, v, i->b));
  case FLY_OP_OR:
    return fmax(margin_of(e, v, i->a), margin_of(e, v, i->b));
  case FLY_OP_NOT:
    return -margin_of(e, v, i->a);
  default:
    return on_side(v[place], false);
  }
}

double fly_expr_margin(const fly_expr *e, const double *inputs) {
  double v[FLY_EXPR_VALUES];
  fly_expr_run(e, inputs, v);
  return margin_of(e, v, e->result);
}

int fly_expr_token(const char *text, int offset) { return fly_token_at(text, offset).length; }
