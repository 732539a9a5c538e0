// The operations a compiled expression is made of: values, and exact first and second partial derivatives.
#ifndef FLY_EXPR_OP_H
#define FLY_EXPR_OP_H

#include "math/spline.h"

typedef enum fly_op {
  // arithmetic and logic
  FLY_OP_ADD,
  FLY_OP_SUBTRACT,
  FLY_OP_MULTIPLY,
  FLY_OP_DIVIDE,
  FLY_OP_NEGATE,
  FLY_OP_LESS,
  FLY_OP_LESS_EQUAL,
  FLY_OP_EQUAL,
  FLY_OP_NOT_EQUAL,
  FLY_OP_AND,
  FLY_OP_OR,
  FLY_OP_NOT,
  FLY_OP_SELECT, // c != 0 ? a : b
  // functions of a and b
  FLY_OP_POWER,
  FLY_OP_POWER_CONSTANT, // b is constant
  FLY_OP_ATAN2,
  FLY_OP_HYPOT,
  FLY_OP_MOD,
  FLY_OP_MIN,
  FLY_OP_MAX,
  // functions of a
  FLY_OP_SIN,
  FLY_OP_COS,
  FLY_OP_TAN,
  FLY_OP_ASIN,
  FLY_OP_ACOS,
  FLY_OP_ATAN,
  FLY_OP_SINH,
  FLY_OP_COSH,
  FLY_OP_TANH,
  FLY_OP_ASINH,
  FLY_OP_ACOSH,
  FLY_OP_ATANH,
  FLY_OP_EXP,
  FLY_OP_LOG,
  FLY_OP_LOG10,
  FLY_OP_SQRT,
  FLY_OP_CBRT,
  FLY_OP_ABS,
  FLY_OP_SIGN,
  FLY_OP_FLOOR,
  FLY_OP_CEIL,
  FLY_OP_ROUND,
  FLY_OP_RISE3,    // 0 up to a = 0, 1 from a = 1 on, between them a^2 (3 - 2a)
  FLY_OP_RISE5,    // a^3 (10 - 15a + 6a^2)
  FLY_OP_RISE_SIN, // (1 - cos(pi a)) / 2
  // functions of a and of table c
  FLY_OP_SPLINE,
  FLY_OP_SPLINE_SLOPE,
  FLY_OP_FIRST_BINARY = FLY_OP_POWER,
  FLY_OP_FIRST_UNARY = FLY_OP_SIN,
  FLY_OP_FIRST_TABLE = FLY_OP_SPLINE,
} fly_op;

// Operands are places in the array of values; b is a where there is no second, c the condition or the table.
typedef struct fly_instruction {
  fly_op op;
  int a, b, c;
} fly_instruction;

// Partial derivatives with respect to a and b, first and second.
typedef struct fly_partials {
  double a, b, aa, ab, bb;
} fly_partials;

// What is not arithmetic; y is the value that was found. Slopes that are 0 are left as they are.
double fly_op_function(const fly_instruction *i, const double *v, const fly_spline *table);
void fly_op_function_slopes(fly_partials *s, const fly_instruction *i, const double *v, double y,
                            const fly_spline *table);

static inline double fly_op_value(const fly_instruction *i, const double *v, const fly_spline *table) {
  const double a = v[i->a], b = v[i->b];
  switch (i->op) {
  case FLY_OP_ADD:
    return a + b;
  case FLY_OP_SUBTRACT:
    return a - b;
  case FLY_OP_MULTIPLY:
    return a * b;
  case FLY_OP_DIVIDE:
    return a / b;
  case FLY_OP_NEGATE:
    return -a;
  case FLY_OP_LESS:
    return a < b;
  case FLY_OP_LESS_EQUAL:
    return a <= b;
  case FLY_OP_EQUAL:
    return a == b;
  case FLY_OP_NOT_EQUAL:
    return a != b;
  case FLY_OP_AND:
    return a != 0 && b != 0;
  case FLY_OP_OR:
    return a != 0 || b != 0;
  case FLY_OP_NOT:
    return a == 0;
  case FLY_OP_SELECT:
    return v[i->c] != 0 ? a : b;
  default:
    return fly_op_function(i, v, table);
  }
}

// Inline: who needs no second derivatives does not pay for them.
static inline fly_partials fly_op_slopes(const fly_instruction *i, const double *v, double y, const fly_spline *table) {
  const double a = v[i->a], b = v[i->b];
  fly_partials s = {0};
  switch (i->op) {
  case FLY_OP_ADD:
    s.a = s.b = 1;
    break;
  case FLY_OP_SUBTRACT:
    s.a = 1;
    s.b = -1;
    break;
  case FLY_OP_MULTIPLY:
    s.a = b;
    s.b = a;
    s.ab = 1;
    break;
  case FLY_OP_DIVIDE:
    s.a = 1 / b;
    s.b = -y / b;
    s.ab = -1 / b / b;
    s.bb = 2 * y / b / b;
    break;
  case FLY_OP_NEGATE:
    s.a = -1;
    break;
  case FLY_OP_LESS:
  case FLY_OP_LESS_EQUAL:
  case FLY_OP_EQUAL:
  case FLY_OP_NOT_EQUAL:
  case FLY_OP_AND:
  case FLY_OP_OR:
  case FLY_OP_NOT:
    break;
  case FLY_OP_SELECT:
    *(v[i->c] != 0 ? &s.a : &s.b) = 1;
    break;
  default:
    fly_op_function_slopes(&s, i, v, y, table);
  }
  return s;
}

#endif
