// Sums of unlike quantities: what an expression adds, compares or chooses between must have one unit, where it is
// known.
#include <string.h>

#include "expr/compiled.h"

typedef enum rule {
  UNKNOWN, // products, powers, functions: a constant in them may carry any unit
  SAME,    // of the unit of a
  ALIKE,   // a and b have one unit, the result's
  COMPARED // a and b have one unit, the result none
} rule;

static rule rule_of(fly_op op) {
  switch (op) {
  case FLY_OP_ADD:
  case FLY_OP_SUBTRACT:
  case FLY_OP_SELECT:
  case FLY_OP_MIN:
  case FLY_OP_MAX:
  case FLY_OP_HYPOT:
  case FLY_OP_MOD:
    return ALIKE;
  case FLY_OP_LESS:
  case FLY_OP_LESS_EQUAL:
  case FLY_OP_EQUAL:
  case FLY_OP_NOT_EQUAL:
  case FLY_OP_ATAN2:
    return COMPARED;
  case FLY_OP_NEGATE:
  case FLY_OP_ABS:
    return SAME;
  default:
    return UNKNOWN;
  }
}

bool fly_expr_mixes(const fly_expr *e, fly_expr_unit *unit_of, void *user, const char **one, const char **other) {
  const char *unit[FLY_EXPR_VALUES] = {NULL}; // NULL: not known, as of constants
  for (int k = 0; k < e->ninputs; k++)
    unit[e->nconstants + k] = unit_of(e->input[k], user);
  for (int k = 0; k < e->ninstructions; k++) {
    const fly_instruction *i = &e->instruction[k];
    const char *a = unit[i->a], *b = unit[i->b];
    const rule r = rule_of(i->op);
    if ((r == ALIKE || r == COMPARED) && a && b && strcmp(a, b) != 0) {
      *one = a;
      *other = b;
      return true;
    }
    unit[e->nconstants + e->ninputs + k] = r == SAME ? a : r == ALIKE ? (a ? a : b) : NULL;
  }
  return false;
}
