#include "expr/function.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

// ---------------------------------------------------------------------------------- shorthand

static fly_operand add(fly_builder *b, fly_operand x, fly_operand y) { return fly_build_binary(b, FLY_OP_ADD, x, y); }

static fly_operand subtract(fly_builder *b, fly_operand x, fly_operand y) {
  return fly_build_binary(b, FLY_OP_SUBTRACT, x, y);
}

static fly_operand multiply(fly_builder *b, fly_operand x, fly_operand y) {
  return fly_build_binary(b, FLY_OP_MULTIPLY, x, y);
}

static fly_operand divide(fly_builder *b, fly_operand x, fly_operand y) {
  return fly_build_binary(b, FLY_OP_DIVIDE, x, y);
}

// Name of argument k, as far as the list names it; its length.
static const char *argument_name(const fly_expr_function *f, int k, int *length) {
  const char *name = f->arguments;
  for (; k > 0 && strchr(name, ',') != NULL; k--)
    name = strchr(name, ',') + 2;
  *length = (int)strcspn(name, ",");
  return name;
}

// Fails if an argument is a constant that does not fit. A variable one is not checked.
static void demand(fly_builder *b, const fly_function *f, const fly_operand *argument, int k, bool zero_is_good) {
  const fly_operand x = argument[k];
  if (x.kind != FLY_OPERAND_CONSTANT || x.value > 0 || (zero_is_good && x.value == 0))
    return;
  char number[FLY_NUMBER_SIZE];
  int length;
  const char *name = argument_name(&f->shown, k, &length);
  fly_number_text(number, x.value);
  fly_build_fail(b, x.offset, "%.*s of %s must %s, and is %s", length, name, f->shown.name,
                 zero_is_good ? "not be negative" : "be positive", number);
}

// ---------------------------------------------------------------------------------- the functions

static fly_operand unary(fly_builder *b, const fly_function *f, const fly_operand *x, int n) {
  (void)n;
  return fly_build_unary(b, f->op, x[0]);
}

// op(op(x0, x1), x2) ...
static fly_operand chain(fly_builder *b, const fly_function *f, const fly_operand *x, int n) {
  fly_operand y = x[0];
  for (int k = 1; k < n; k++)
    y = fly_build_binary(b, f->op, y, x[k]);
  return y;
}

static fly_operand select(fly_builder *b, const fly_function *f, const fly_operand *x, int n) {
  (void)f, (void)n;
  return fly_build_select(b, x[0], x[1], x[2]);
}

// From h0 at x0 to h1 at x1 with r = rise((x - x0) / (x1 - x0)): h0 (1 - r) + h1 r, which is exact at both ends.
static fly_operand step(fly_builder *b, const fly_function *f, const fly_operand *x, int n) {
  (void)n;
  const fly_operand x0 = x[1], h0 = x[2], x1 = x[3], h1 = x[4];
  const fly_operand length = subtract(b, x1, x0);
  if (fly_build_is(length, 0))
    fly_build_fail(b, x1.offset, "x0 and x1 of %s must differ", f->shown.name);
  const fly_operand r = fly_build_unary(b, f->op, divide(b, subtract(b, x[0], x0), length));
  if (fly_build_is(h0, 0))
    return multiply(b, h1, r);
  const fly_operand fall = multiply(b, h0, subtract(b, fly_build_constant(1), r));
  return fly_build_is(h1, 0) ? fall : add(b, fall, multiply(b, h1, r));
}

static fly_operand clamp(fly_builder *b, const fly_function *f, const fly_operand *x, int n) {
  (void)n;
  const fly_operand room = subtract(b, x[2], x[1]);
  if (room.kind == FLY_OPERAND_CONSTANT && room.value < 0)
    fly_build_fail(b, x[2].offset, "high of %s must not be below low", f->shown.name);
  return fly_build_binary(b, FLY_OP_MAX, x[1], fly_build_binary(b, FLY_OP_MIN, x[2], x[0]));
}

// k p^e for a penetration p > 0, and cmax v rise(p / d): what a stop pushes back with, and how it damps.
static void stop_force(fly_builder *b, fly_operand *push, fly_operand *damp, fly_operand p, fly_operand v,
                       const fly_operand k_e_cmax_d[4]) {
  const fly_operand k = k_e_cmax_d[0], e = k_e_cmax_d[1], cmax = k_e_cmax_d[2], d = k_e_cmax_d[3];
  const fly_operand depth = fly_build_binary(b, FLY_OP_MAX, fly_build_constant(0), p);
  *push = multiply(b, k, fly_build_binary(b, FLY_OP_POWER, depth, e));
  *damp = fly_build_constant(0);
  if (!fly_build_is(cmax, 0))
    *damp = multiply(b, multiply(b, cmax, v), fly_build_unary(b, FLY_OP_RISE3, divide(b, p, d)));
}

static void check_stop(fly_builder *b, const fly_function *f, const fly_operand *x, int k) {
  demand(b, f, x, k, true);
  demand(b, f, x, k + 1, false);
  demand(b, f, x, k + 2, true);
  demand(b, f, x, k + 3, false);
}

static fly_operand lower_stop(fly_builder *b, fly_operand x, fly_operand v, fly_operand x1, const fly_operand *rest) {
  fly_operand push, damp;
  stop_force(b, &push, &damp, subtract(b, x1, x), v, rest);
  return fly_build_binary(b, FLY_OP_MAX, fly_build_constant(0), subtract(b, push, damp));
}

// max(0, k (x1 - x)^e - cmax v step(x, x1 - d, 1, x1, 0)) while x < x1, else 0
static fly_operand impact(fly_builder *b, const fly_function *f, const fly_operand *x, int n) {
  (void)n;
  check_stop(b, f, x, 3);
  return lower_stop(b, x[0], x[1], x[2], x + 3);
}

// impact at x1, and its mirror image at x2
static fly_operand bistop(fly_builder *b, const fly_function *f, const fly_operand *x, int n) {
  (void)n;
  check_stop(b, f, x, 4);
  const fly_operand gap = subtract(b, x[3], x[2]);
  if (gap.kind == FLY_OPERAND_CONSTANT && gap.value < 0)
    fly_build_fail(b, x[3].offset, "x2 of %s must not be below x1", f->shown.name);
  fly_operand push, damp;
  stop_force(b, &push, &damp, subtract(b, x[0], x[3]), x[1], x + 4);
  const fly_operand force = subtract(b, fly_build_unary(b, FLY_OP_NEGATE, push), damp);
  const fly_operand upper = fly_build_binary(b, FLY_OP_MIN, fly_build_constant(0), force);
  return add(b, lower_stop(b, x[0], x[1], x[2], x + 4), upper);
}

// a0 + a1 u + a2 u^2 + ..., u = x - x0, by Horner's rule
static fly_operand poly(fly_builder *b, const fly_function *f, const fly_operand *x, int n) {
  (void)f;
  const fly_operand u = subtract(b, x[0], x[1]);
  fly_operand y = x[n - 1];
  for (int k = n - 2; k >= 2; k--)
    y = add(b, multiply(b, y, u), x[k]);
  return y;
}

// a0 + a1 T1(u) + a2 T2(u) + ..., u = x - x0, by Clenshaw: c[k] = a[k] + 2 u c[k+1] - c[k+2], then a0 + u c[1] - c[2]
static fly_operand cheby(fly_builder *b, const fly_function *f, const fly_operand *x, int n) {
  (void)f;
  const fly_operand u = subtract(b, x[0], x[1]), twice = multiply(b, fly_build_constant(2), u);
  fly_operand c1 = x[n - 1], c2 = fly_build_constant(0);
  for (int k = n - 2; k >= 2; k--) {
    const fly_operand c = subtract(b, add(b, x[k], multiply(b, k == 2 ? u : twice, c1)), c2);
    c2 = c1;
    c1 = c;
  }
  return c1;
}

// a0 + a1 cos(w u) + a2 cos(2 w u) + ..., u = x - x0; or with sines
static fly_operand fourier(fly_builder *b, const fly_function *f, const fly_operand *x, int n) {
  const fly_operand angle = multiply(b, x[2], subtract(b, x[0], x[1]));
  fly_operand y = x[3];
  for (int k = 4; k < n; k++) {
    const fly_operand harmonic = multiply(b, fly_build_constant(k - 3), angle);
    if (!fly_build_is(x[k], 0))
      y = add(b, y, multiply(b, x[k], fly_build_unary(b, f->op, harmonic)));
  }
  return y;
}

// a sin(w (x - x0) - phi) + b
static fly_operand shf(fly_builder *b, const fly_function *f, const fly_operand *x, int n) {
  (void)f, (void)n;
  const fly_operand angle = subtract(b, multiply(b, x[3], subtract(b, x[0], x[1])), x[4]);
  return add(b, multiply(b, x[2], fly_build_unary(b, FLY_OP_SIN, angle)), x[5]);
}

static fly_operand curve(fly_builder *b, fly_op op, const fly_operand *x, fly_expr_curve kind) {
  if (b->scope->table[x[1].index].rows > 0)
    fly_build_fail(b, x[1].offset, "this table is a surface over x and y: linear2(x, y, table), cubic2(x, y, table)");
  return fly_build_spline(b, op, x[0], &b->scope->table[x[1].index].curve[kind]);
}

static fly_operand akima(fly_builder *b, const fly_function *f, const fly_operand *x, int n) {
  (void)n;
  return curve(b, f->op, x, FLY_CURVE_AKIMA);
}

static fly_operand cubic(fly_builder *b, const fly_function *f, const fly_operand *x, int n) {
  (void)n;
  return curve(b, f->op, x, FLY_CURVE_CUBIC);
}

static fly_operand linear(fly_builder *b, const fly_function *f, const fly_operand *x, int n) {
  (void)n;
  return curve(b, f->op, x, FLY_CURVE_LINEAR);
}

static fly_operand stairs(fly_builder *b, const fly_function *f, const fly_operand *x, int n) {
  (void)n;
  return curve(b, f->op, x, FLY_CURVE_HOLD);
}

// The sum over the rows of a surface: a curve along each, times what it weighs across.
static fly_operand surface(fly_builder *b, const fly_function *f, const fly_operand *x, fly_expr_surface kind) {
  const fly_expr_table *t = &b->scope->table[x[2].index];
  const fly_operand along = x[t->swapped ? 1 : 0], across = x[t->swapped ? 0 : 1];
  fly_operand sum = fly_build_constant(0);
  if (t->rows == 0)
    fly_build_fail(b, x[2].offset, "%s takes a table with x, y and values; this one is a curve", f->shown.name);
  for (int k = 0; k < t->rows; k++) {
    const fly_operand term = multiply(b, fly_build_spline(b, FLY_OP_SPLINE, along, &t->along[kind][k]),
                                      fly_build_spline(b, FLY_OP_SPLINE, across, &t->across[kind][k]));
    sum = k == 0 ? term : add(b, sum, term);
  }
  return sum;
}

static fly_operand linear2(fly_builder *b, const fly_function *f, const fly_operand *x, int n) {
  (void)n;
  return surface(b, f, x, FLY_SURFACE_LINEAR);
}

static fly_operand cubic2(fly_builder *b, const fly_function *f, const fly_operand *x, int n) {
  (void)n;
  return surface(b, f, x, FLY_SURFACE_CUBIC);
}

// Samples at multiples of dt, and a smooth curve through them.
static fly_operand noise(fly_builder *b, const fly_function *f, const fly_operand *x, int n) {
  (void)n;
  const double largest = 9007199254740992.0; // 2^53
  const fly_operand seed = x[1];
  demand(b, f, x, 2, false);
  if (seed.kind != FLY_OPERAND_CONSTANT || seed.value != floor(seed.value) || fabs(seed.value) > largest)
    fly_build_fail(b, seed.offset, "seed of %s must be a whole number", f->shown.name);
  const fly_spline curve = {.noise = true,
                            .seed = seed.kind == FLY_OPERAND_CONSTANT ? (uint64_t)(int64_t)seed.value : 0};
  return fly_build_spline(b, f->op, divide(b, x[0], x[2]), &curve);
}

// ---------------------------------------------------------------------------------- the list

static const fly_function functions[] = {
    {{"sin", "x", "sine", "x in rad"}, unary, FLY_OP_SIN},
    {{"cos", "x", "cosine", "x in rad"}, unary, FLY_OP_COS},
    {{"tan", "x", "tangent", "x in rad"}, unary, FLY_OP_TAN},
    {{"asin", "x", "inverse sine, -pi/2 to pi/2", "gives rad"}, unary, FLY_OP_ASIN},
    {{"acos", "x", "inverse cosine, 0 to pi", "gives rad"}, unary, FLY_OP_ACOS},
    {{"atan", "x", "inverse tangent, -pi/2 to pi/2", "gives rad"}, unary, FLY_OP_ATAN},
    {{"atan2", "y, x", "angle of the point (x, y), -pi to pi", "gives rad; x and y in the same unit"},
     chain,
     FLY_OP_ATAN2},
    {{"sinh", "x", "hyperbolic sine", ""}, unary, FLY_OP_SINH},
    {{"cosh", "x", "hyperbolic cosine", ""}, unary, FLY_OP_COSH},
    {{"tanh", "x", "hyperbolic tangent", ""}, unary, FLY_OP_TANH},
    {{"asinh", "x", "inverse hyperbolic sine", ""}, unary, FLY_OP_ASINH},
    {{"acosh", "x", "inverse hyperbolic cosine, x >= 1", ""}, unary, FLY_OP_ACOSH},
    {{"atanh", "x", "inverse hyperbolic tangent, -1 < x < 1", ""}, unary, FLY_OP_ATANH},
    {{"exp", "x", "e to the power x", ""}, unary, FLY_OP_EXP},
    {{"log", "x", "natural logarithm", ""}, unary, FLY_OP_LOG},
    {{"log10", "x", "decimal logarithm", ""}, unary, FLY_OP_LOG10},
    {{"sqrt", "x", "square root", "the root of the unit of x"}, unary, FLY_OP_SQRT},
    {{"cbrt", "x", "cubic root, also of negative x", "the cubic root of the unit of x"}, unary, FLY_OP_CBRT},
    {{"pow", "x, y", "x^y", ""}, chain, FLY_OP_POWER},
    {{"hypot", "x, y", "sqrt(x^2 + y^2)", "x, y and result in the same unit"}, chain, FLY_OP_HYPOT},
    {{"abs", "x", "absolute value", "that of x"}, unary, FLY_OP_ABS},
    {{"sign", "x", "-1, 0 or 1", ""}, unary, FLY_OP_SIGN},
    {{"min", "a, b, ...", "the least of its arguments", "all in the same unit"}, chain, FLY_OP_MIN},
    {{"max", "a, b, ...", "the greatest of its arguments", "all in the same unit"}, chain, FLY_OP_MAX},
    {{"clamp", "x, low, high", "x, but not below low and not above high", "all in the same unit"}, clamp, FLY_OP_MAX},
    {{"mod", "x, y", "x - y floor(x/y): the rest of a division, with the sign of y",
      "x, y and result in the same unit"},
     chain,
     FLY_OP_MOD},
    {{"floor", "x", "the integer below x", ""}, unary, FLY_OP_FLOOR},
    {{"ceil", "x", "the integer above x", ""}, unary, FLY_OP_CEIL},
    {{"round", "x", "the nearest integer; halves away from 0", ""}, unary, FLY_OP_ROUND},
    {{"if", "condition, a, b", "a where the condition is not 0, else b", "a, b and result in the same unit"},
     select,
     FLY_OP_SELECT},
    {{"step", "x, x0, h0, x1, h1", "from h0 at x0 to h1 at x1 by a cubic, constant outside; y' is continuous",
      "x, x0, x1 in one unit; h0, h1 and result in one unit"},
     step,
     FLY_OP_RISE3},
    {{"step5", "x, x0, h0, x1, h1", "as step, by a polynomial of degree 5; y'' is continuous", "as step"},
     step,
     FLY_OP_RISE5},
    {{"havsin", "x, x0, h0, x1, h1", "as step, by half a wave of a cosine (haversine)", "as step"},
     step,
     FLY_OP_RISE_SIN},
    {{"impact", "x, v, x1, k, e, cmax, d",
      "stop at x1: for x < x1 max(0, k (x1-x)^e - cmax v step(x, x1-d, 1, x1, 0)), else 0",
      "v is the rate of x; k in N/m^e, cmax in N s/m, d in m; gives N"},
     impact,
     FLY_OP_MAX},
    {{"bistop", "x, v, x1, x2, k, e, cmax, d", "stops at x1 and x2 > x1, each as impact: pushes back from outside",
      "as impact"},
     bistop,
     FLY_OP_MAX},
    {{"poly", "x, x0, a0, ...", "polynomial a0 + a1 (x-x0) + a2 (x-x0)^2 + ...", ""}, poly, FLY_OP_ADD},
    {{"cheby", "x, x0, a0, ...", "sum of Chebyshev polynomials a0 + a1 T1(x-x0) + a2 T2(x-x0) + ...", ""},
     cheby,
     FLY_OP_ADD},
    {{"forcos", "x, x0, w, a0, ...", "Fourier series a0 + a1 cos(w (x-x0)) + a2 cos(2 w (x-x0)) + ...",
      "w in rad per unit of x"},
     fourier,
     FLY_OP_COS},
    {{"forsin", "x, x0, w, a0, ...", "Fourier series a0 + a1 sin(w (x-x0)) + a2 sin(2 w (x-x0)) + ...",
      "w in rad per unit of x"},
     fourier,
     FLY_OP_SIN},
    {{"shf", "x, x0, a, w, phi, b", "harmonic a sin(w (x-x0) - phi) + b", "w in rad per unit of x, phi in rad"},
     shf,
     FLY_OP_SIN},
    {{"akima", "x, table",
      "curve through the points of a table after Akima: y' is continuous, a wild point is felt near it only; beyond "
      "the table straight on with the slope of its end",
      "as the table"},
     akima,
     FLY_OP_SPLINE},
    {{"akima1", "x, table", "derivative of akima", "y over x of the table"}, akima, FLY_OP_SPLINE_SLOPE},
    {{"cubic", "x, table",
      "natural cubic spline through the points of a table: y'' is continuous, and 0 at the ends; straight on beyond",
      "as the table"},
     cubic,
     FLY_OP_SPLINE},
    {{"cubic1", "x, table", "derivative of cubic", "y over x of the table"}, cubic, FLY_OP_SPLINE_SLOPE},
    {{"stairs", "x, table",
      "staircase: the value of a table's last point at or before x; before the first that of the first",
      "as the table"},
     stairs,
     FLY_OP_SPLINE},
    {{"linear", "x, table", "straight pieces through the points of a table; the first and the last go on beyond",
      "as the table"},
     linear,
     FLY_OP_SPLINE},
    {{"linear1", "x, table", "derivative of linear; at a point that from the right", "y over x of the table"},
     linear,
     FLY_OP_SPLINE_SLOPE},
    {{"linear2", "x, y, table",
      "surface through a table with x, y and values, straight along both; its ends go on straight beyond",
      "as the table"},
     linear2,
     FLY_OP_SPLINE},
    {{"cubic2", "x, y, table",
      "surface through a table with x, y and values: natural cubic splines along both, second derivatives are "
      "continuous; straight on beyond",
      "as the table"},
     cubic2,
     FLY_OP_SPLINE},
    {{"noise", "x, seed, dt",
      "a smooth curve through random numbers at multiples of dt, with mean 0 and variance 1, other ones for every "
      "seed; "
      "the same for the same seed, always",
      "x and dt in one unit"},
     noise,
     FLY_OP_SPLINE},
    {{"spline", "x, table", "another word for akima", "as the table"}, akima, FLY_OP_SPLINE},
    {{"spline1", "x, table", "another word for akima1", "y over x of the table"}, akima, FLY_OP_SPLINE_SLOPE},
};
enum { nfunctions = sizeof functions / sizeof functions[0] };

const fly_expr_function *fly_expr_function_at(int i) { return i < nfunctions ? &functions[i].shown : NULL; }

const fly_function *fly_function_find(const char *name) {
  for (int i = 0; i < nfunctions; i++)
    if (strcmp(functions[i].shown.name, name) == 0)
      return &functions[i];
  return NULL;
}

bool fly_expr_is_function(const char *name) { return fly_function_find(name) != NULL; }

int fly_expr_function_arguments(const fly_expr_function *f, bool *any_more) {
  int count = 1;
  for (const char *s = f->arguments; (s = strchr(s, ',')) != NULL; s++)
    count++;
  *any_more = strstr(f->arguments, "...") != NULL;
  return *any_more ? count - 1 : count;
}

bool fly_function_wants_table(const fly_function *f, int k) {
  int length;
  const char *name = argument_name(&f->shown, k, &length);
  return length == 5 && strncmp(name, "table", 5) == 0;
}
