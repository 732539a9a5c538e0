// Lengths inside an expression: sizes of vectors, as hypot(x, y) of the motion. Each has a corner where its vector
// passes through zero, and no side on which it could be held: beside zero it is smooth, however sharply it bends.
#include "expr/compiled.h"

static int first_result(const fly_expr *e) { return e->nconstants + e->ninputs; }

// Is the value at a place such a size, of an operation or, by the table `size`, of an input?
static bool is_length(const fly_expr *e, const bool *size, int place) {
  const int first = first_result(e);
  if (place < first)
    return place >= e->nconstants && size[e->input[place - e->nconstants]];
  const fly_op op = e->instruction[place - first].op;
  return (op == FLY_OP_HYPOT || op == FLY_OP_SQRT) && !e->timed[place];
}

int fly_expr_lengths(const fly_expr *e, const bool *size) {
  int count = 0;
  for (int k = 0; k < first_result(e) + e->ninstructions; k++)
    count += is_length(e, size, k);
  return count;
}

void fly_expr_length_values(const fly_expr *e, const bool *size, const double *inputs, double *length) {
  double v[FLY_EXPR_VALUES];
  fly_expr_run(e, inputs, v);
  for (int k = 0, n = 0; k < first_result(e) + e->ninstructions; k++)
    if (is_length(e, size, k))
      length[n++] = v[k];
}

double fly_expr_length_slope(const fly_expr *e, const bool *size, int which, const double *inputs) {
  double v[FLY_EXPR_VALUES], adjoint[FLY_EXPR_VALUES];
  fly_expr_run(e, inputs, v);
  fly_expr_adjoints(e, v, NULL, adjoint);
  for (int k = 0, n = 0; k < first_result(e) + e->ninstructions; k++)
    if (is_length(e, size, k) && n++ == which)
      return adjoint[k];
  return 0.0;
}
