#include "expr/enclose.h"
#include "math/constants.h"
#include "math/noise.h"

#include <math.h>

typedef fly_interval I; // long formulas are read more easily

static I add(I a, I b) { return fly_interval_add(a, b); }
static I sub(I a, I b) { return fly_interval_subtract(a, b); }
static I mul(I a, I b) { return fly_interval_multiply(a, b); }
static I over(I a, I b) { return fly_interval_divide(a, b); }
static I times(I a, double c) { return fly_interval_scale(a, c); }
static I sqr(I a) { return fly_interval_square(a); }
static I power(I a, double c) { return fly_interval_power(a, c); }
static I one(void) { return fly_exactly(1); }
static I zero(void) { return fly_exactly(0); }
static I inverse(I a) { return over(one(), a); }

static fly_jet unknown(void) { return (fly_jet){fly_entire, fly_entire, fly_entire}; }
static fly_jet constant(double c) { return (fly_jet){fly_exactly(c), zero(), zero()}; }

// f(a(t)) from enclosures of f, f' and f'' over a:  f' a',  f' a'' + f'' a'^2
static fly_jet chained(fly_jet a, I f, I f1, I f2) {
  return (fly_jet){f, mul(f1, a.slope), add(mul(f1, a.bend), mul(f2, sqr(a.slope)))};
}

static fly_jet product(fly_jet a, fly_jet b) {
  return (fly_jet){mul(a.value, b.value), add(mul(a.slope, b.value), mul(a.value, b.slope)),
                   add(add(mul(a.bend, b.value), mul(a.value, b.bend)), times(mul(a.slope, b.slope), 2))};
}

static fly_jet square(fly_jet a) { return chained(a, sqr(a.value), times(a.value, 2), fly_exactly(2)); }

static fly_jet reciprocal(fly_jet a) {
  const I r = inverse(a.value), r2 = sqr(r);
  return chained(a, r, fly_interval_negate(r2), times(mul(r2, r), 2));
}

static fly_jet sum(fly_jet a, fly_jet b) {
  return (fly_jet){add(a.value, b.value), add(a.slope, b.slope), add(a.bend, b.bend)};
}

static fly_jet difference(fly_jet a, fly_jet b) {
  return (fly_jet){sub(a.value, b.value), sub(a.slope, b.slope), sub(a.bend, b.bend)};
}

// A function of t from m - r to m + r by its values at m: Taylor's formula of first and second order (C-taylor).
// Operations on intervals alone know nothing of what a and b in a - b have in common.
static fly_jet sharpened(fly_jet over, fly_jet m, double r) {
  const I d = {-r, r}, half = {0, r * r / 2};
  if (!isfinite(m.value.lo) || !isfinite(m.value.hi))
    return over;
  over.slope = fly_meet(over.slope, add(m.slope, mul(over.bend, d)));
  over.value = fly_meet(over.value, add(m.value, mul(over.slope, d)));
  over.value = fly_meet(over.value, add(add(m.value, mul(m.slope, d)), mul(over.bend, half)));
  return over;
}

static I with_domain(I a, double lo, double hi) { return (I){fmin(fmax(a.lo, lo), hi), fmax(fmin(a.hi, hi), lo)}; }

// ---------------------------------------------------------------------------------- steps and pieces

// Values that stay between jumps: constant, or anything from lo to hi with a jump.
static fly_jet stairs(double lo, double hi) {
  return lo == hi ? constant(lo) : (fly_jet){fly_between(lo, hi), fly_entire, fly_entire};
}

static double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

static fly_jet absolute(fly_jet a) {
  if (a.value.lo >= 0)
    return a;
  if (a.value.hi <= 0)
    return chained(a, fly_interval_negate(a.value), fly_exactly(-1), zero());
  return (fly_jet){{0, fly_magnitude(a.value)}, mul((I){-1, 1}, a.slope), fly_entire};
}

// sign = 1: the smaller of the two, -1: the larger; gap: their difference. Between them lies a kink.
static fly_jet lesser(fly_jet a, fly_jet b, I gap, double sign) {
  gap = sign > 0 ? gap : fly_interval_negate(gap);
  if (gap.hi <= 0)
    return a;
  if (gap.lo >= 0)
    return b;
  const I value = sign > 0 ? (I){fmin(a.value.lo, b.value.lo), fmin(a.value.hi, b.value.hi)}
                           : (I){fmax(a.value.lo, b.value.lo), fmax(a.value.hi, b.value.hi)};
  return (fly_jet){value, fly_hull(a.slope, b.slope), fly_entire};
}

// 0 or 1: lo and hi say whether a - b can be below and above zero.
static fly_jet comparison(fly_op op, I gap) {
  const bool below = gap.lo<0, above = gap.hi> 0, equal = fly_holds(gap, 0);
  bool may = false, must = false;
  switch (op) {
  case FLY_OP_LESS:
    may = below, must = !above && !equal;
    break;
  case FLY_OP_LESS_EQUAL:
    may = below || equal, must = !above;
    break;
  case FLY_OP_EQUAL:
    may = equal, must = !below && !above;
    break;
  default:
    may = below || above, must = !equal;
  }
  return stairs(must, may);
}

static fly_jet logic(fly_op op, I a, I b) {
  const bool a_may = a.lo != 0 || a.hi != 0, a_must = !fly_holds(a, 0);
  const bool b_may = b.lo != 0 || b.hi != 0, b_must = !fly_holds(b, 0);
  if (op == FLY_OP_NOT)
    return stairs(!a_may, !a_must);
  return op == FLY_OP_AND ? stairs(a_must && b_must, a_may && b_may) : stairs(a_must || b_must, a_may || b_may);
}

static fly_jet chosen(I condition, fly_jet a, fly_jet b) {
  if (!fly_holds(condition, 0))
    return a;
  if (condition.lo == 0 && condition.hi == 0)
    return b;
  return (fly_jet){fly_hull(a.value, b.value), fly_entire, fly_entire};
}

// Between two multiples of the unit, floors of them having passed.
static fly_jet modulo_of(fly_jet a, double unit, double floors) {
  const I rest = sub(a.value, fly_exactly(floors * unit));
  return (fly_jet){with_domain(rest, fmin(0, unit), fmax(0, unit)), a.slope, a.bend};
}

static fly_jet modulo(fly_jet a, fly_jet b) {
  if (fly_width(b.value) > 0 || b.value.lo == 0)
    return (fly_jet){fly_hull(zero(), b.value), fly_entire, fly_entire};
  const double y = b.value.lo, lo = floor(a.value.lo / y), hi = floor(a.value.hi / y);
  if (lo == hi)
    return modulo_of(a, y, lo);
  return (fly_jet){fly_hull(zero(), b.value), fly_entire, fly_entire};
}

// A rise from 0 at x = 0 to 1 at x = 1: the part of x inside, and what lies outside with slopes zero.
static fly_jet rise(fly_op op, fly_jet a) {
  if (a.value.hi <= 0 || a.value.lo >= 1)
    return constant(a.value.hi <= 0 ? 0 : 1);
  const I x = with_domain(a.value, 0, 1), y = sub(one(), x), flat = mul(x, y);
  const bool out = a.value.lo < 0 || a.value.hi > 1;
  I f, f1, f2;
  if (op == FLY_OP_RISE3) {
    f = fly_between(x.lo * x.lo * (3 - 2 * x.lo), x.hi * x.hi * (3 - 2 * x.hi));
    f1 = times(flat, 6);
    f2 = sub(fly_exactly(6), times(x, 12));
  } else if (op == FLY_OP_RISE5) {
    f = fly_between(pow(x.lo, 3) * (10 - x.lo * (15 - 6 * x.lo)), pow(x.hi, 3) * (10 - x.hi * (15 - 6 * x.hi)));
    f1 = times(sqr(flat), 30);
    f2 = times(mul(flat, sub(one(), times(x, 2))), 60);
  } else {
    f = fly_between(0.5 - 0.5 * cos(FLY_PI * x.lo), 0.5 - 0.5 * cos(FLY_PI * x.hi));
    f1 = times(fly_interval_sin(times(x, FLY_PI)), FLY_PI / 2);
    f2 = times(fly_interval_cos(times(x, FLY_PI)), FLY_PI * FLY_PI / 2);
  }
  f = with_domain(add(f, (I){-1e-15, 1e-15}), 0, 1);
  return chained(a, f, out ? fly_hull(f1, zero()) : f1, out ? fly_hull(f2, zero()) : f2);
}

// ---------------------------------------------------------------------------------- tables

// Three derivatives over a piece of a cubic: the chord from end to end, and how far the curve can be off it.
static void over_piece(const fly_spline *s, double a, double b, int first, I out[3]) {
  double p[6] = {0}, q[6] = {0};
  fly_spline_evaluate(p, s, a);
  fly_spline_evaluate(q, s, b);
  for (int d = 0; d < 3; d++) {
    const int k = first + d;
    const double bend = fmax(fabs(p[k + 2 > 5 ? 5 : k + 2]), fabs(q[k + 2 > 5 ? 5 : k + 2]));
    const double off = bend * (b - a) * (b - a) / 8 + 1e-15 * fmax(fabs(p[k]), fabs(q[k]));
    out[d] = (I){fmin(p[k], q[k]) - off, fmax(p[k], q[k]) + off};
  }
}

static int first_knot_behind(const fly_spline *s, double x) {
  int low = 0, high = s->n;
  while (high > low) {
    const int middle = low + (high - low) / 2;
    if (s->x[middle] > x)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// The curve's derivatives first, first + 1, first + 2 over x. A knot inside leaves open those behind the one that
// jumps.
static void over_table(const fly_spline *s, I x, int first, I out[3]) {
  const int jumps = s->hold ? 0 : s->slope ? 2 : 1;
  double a = x.lo;
  bool knot = false;
  for (int k = first_knot_behind(s, x.lo);; k++) {
    const double b = k < s->n ? fmin(x.hi, s->x[k]) : x.hi, last = b > a ? nextafter(b, a) : a;
    I piece[3];
    over_piece(s, a, last, first, piece);
    for (int d = 0; d < 3; d++)
      out[d] = knot ? fly_hull(out[d], piece[d]) : piece[d];
    if (!(b < x.hi))
      break;
    knot = true;
    a = b;
  }
  for (int d = 0; d < 3; d++)
    if (knot && first + d > jumps)
      out[d] = fly_entire;
}

// Noise: piece by piece, or, over many of them, what no cubic between samples can exceed.
static void over_noise(const fly_spline *s, I x, int first, I out[3]) {
  enum { MANY = 12 };
  static const double most[] = {1.25, 4.0, 18.0, 36.0}; // of a derivative, in samples
  if (x.hi - x.lo > MANY) {
    for (int d = 0; d < 3; d++) {
      const size_t order = (size_t)(first + d);
      const double size = order < sizeof most / sizeof *most ? most[order] * FLY_NOISE_MOST : (double)INFINITY;
      out[d] = (I){-size, size};
    }
    return;
  }
  for (double a = x.lo, b; a == x.lo || a < x.hi; a = b) {
    I piece[3];
    b = fmin(x.hi, floor(a) + 1);
    over_piece(s, a, b > a ? nextafter(b, a) : a, first, piece);
    for (int d = 0; d < 3; d++)
      out[d] = a > x.lo ? fly_hull(out[d], piece[d]) : piece[d];
    if (!(b > a))
      break;
  }
  for (int d = 0; d < 3; d++)
    if (floor(x.hi) > floor(x.lo) && first + d > 2)
      out[d] = fly_entire;
}

static fly_jet table(const fly_spline *s, fly_jet a, int first) {
  I f[3] = {fly_entire, fly_entire, fly_entire};
  if (isfinite(a.value.lo) && isfinite(a.value.hi))
    (s->noise ? over_noise : over_table)(s, a.value, first, f);
  return chained(a, f[0], f[1], f[2]);
}

// ---------------------------------------------------------------------------------- functions

static double log10_of(double x) { return log10(x); }

// The functions of one that are smooth where they are defined: f, f' and f'' over x.
static bool circular(fly_op op, I x, I f[3]) {
  const I unit = with_domain(x, -1, 1);
  switch (op) {
  case FLY_OP_SIN:
    f[0] = fly_interval_sin(x), f[1] = fly_interval_cos(x), f[2] = fly_interval_negate(f[0]);
    break;
  case FLY_OP_COS:
    f[0] = fly_interval_cos(x), f[1] = fly_interval_negate(fly_interval_sin(x)), f[2] = fly_interval_negate(f[0]);
    break;
  case FLY_OP_TAN:
    f[0] = over(fly_interval_sin(x), fly_interval_cos(x));
    f[1] = add(one(), sqr(f[0]));
    f[2] = times(mul(f[0], f[1]), 2);
    break;
  case FLY_OP_ASIN:
  case FLY_OP_ACOS:
    f[0] = fly_interval_monotone(op == FLY_OP_ASIN ? asin : acos, unit);
    f[1] = times(power(mul(sub(one(), unit), add(one(), unit)), -0.5), op == FLY_OP_ASIN ? 1 : -1);
    f[2] = mul(unit, power(f[1], 3));
    break;
  case FLY_OP_ATAN:
    f[0] = fly_interval_monotone(atan, x);
    f[1] = inverse(add(one(), sqr(x)));
    f[2] = times(mul(x, sqr(f[1])), -2);
    break;
  default:
    return false;
  }
  return true;
}

static bool hyperbolic(fly_op op, I x, I f[3]) {
  const I unit = with_domain(x, -1, 1);
  I r;
  switch (op) {
  case FLY_OP_SINH:
  case FLY_OP_COSH:
    r = fly_interval_monotone(sinh, x), f[1] = power(add(one(), sqr(r)), 0.5);
    f[0] = f[2] = op == FLY_OP_SINH ? r : f[1];
    f[1] = op == FLY_OP_SINH ? f[1] : r;
    break;
  case FLY_OP_TANH:
    f[0] = fly_interval_monotone(tanh, x);
    f[1] = sqr(inverse((I){cosh(fly_holds(x, 0) ? 0 : fmin(fabs(x.lo), fabs(x.hi))), cosh(fly_magnitude(x))}));
    f[2] = times(mul(f[0], f[1]), -2);
    break;
  case FLY_OP_ASINH:
    f[0] = fly_interval_monotone(asinh, x);
    f[1] = power(add(one(), sqr(x)), -0.5);
    f[2] = fly_interval_negate(mul(x, power(f[1], 3)));
    break;
  case FLY_OP_ACOSH:
    r = with_domain(x, 1, INFINITY);
    f[0] = fly_interval_monotone(acosh, r);
    f[1] = power(mul(sub(r, one()), add(r, one())), -0.5);
    f[2] = fly_interval_negate(mul(r, power(f[1], 3)));
    break;
  case FLY_OP_ATANH:
    f[0] = fly_interval_monotone(atanh, unit);
    f[1] = inverse(mul(sub(one(), unit), add(one(), unit)));
    f[2] = times(mul(unit, sqr(f[1])), 2);
    break;
  default:
    return false;
  }
  return true;
}

static bool exponential(fly_op op, I x, I f[3]) {
  static const double LN10 = 2.30258509299404568402;
  const I positive = with_domain(x, 0, INFINITY);
  switch (op) {
  case FLY_OP_EXP:
    f[0] = f[1] = f[2] = fly_interval_monotone(exp, x);
    break;
  case FLY_OP_LOG:
  case FLY_OP_LOG10:
    f[0] = fly_interval_monotone(op == FLY_OP_LOG ? log : log10_of, positive);
    f[1] = times(inverse(positive), op == FLY_OP_LOG ? 1 : 1 / LN10);
    f[2] = fly_interval_negate(over(f[1], positive));
    break;
  case FLY_OP_SQRT:
    f[0] = fly_interval_monotone(sqrt, positive);
    f[1] = times(power(positive, -0.5), 0.5);
    f[2] = times(power(positive, -1.5), -0.25);
    break;
  case FLY_OP_CBRT:
    f[0] = fly_interval_monotone(cbrt, x);
    f[1] = over(f[0], times(x, 3));
    f[2] = times(over(f[1], x), -2 / 3.0);
    break;
  default:
    return false;
  }
  return true;
}

static void smooth(fly_op op, I x, I f[3]) {
  if (!circular(op, x, f) && !hyperbolic(op, x, f) && !exponential(op, x, f))
    f[0] = f[1] = f[2] = fly_entire;
}

static fly_jet unary(fly_op op, fly_jet a) {
  const I x = a.value;
  I f[3];
  switch (op) {
  case FLY_OP_ABS:
    return absolute(a);
  case FLY_OP_SIGN:
    return stairs(sign_of(x.lo), sign_of(x.hi));
  case FLY_OP_FLOOR:
    return stairs(floor(x.lo), floor(x.hi));
  case FLY_OP_CEIL:
    return stairs(ceil(x.lo), ceil(x.hi));
  case FLY_OP_ROUND:
    return stairs(round(x.lo), round(x.hi));
  case FLY_OP_RISE3:
  case FLY_OP_RISE5:
  case FLY_OP_RISE_SIN:
    return rise(op, a);
  default:
    smooth(op, x, f);
    return chained(a, f[0], f[1], f[2]);
  }
}

static fly_jet power_jet(fly_jet a, double c) {
  return chained(a, power(a.value, c), times(power(a.value, c - 1), c), times(power(a.value, c - 2), c * (c - 1)));
}

static fly_jet root(fly_jet a) { return unary(FLY_OP_SQRT, a); }

// The angle of (b, a), whose derivative is (b a' - a b') / (a^2 + b^2); the value over a rectangle without the origin
// and the half line where it jumps is taken at its corners.
static fly_jet angle(fly_jet a, fly_jet b) {
  if (b.value.lo <= 0 && fly_holds(a.value, 0))
    return (fly_jet){{-4, 4}, fly_entire, fly_entire};
  const double corner[] = {atan2(a.value.lo, b.value.lo), atan2(a.value.lo, b.value.hi), atan2(a.value.hi, b.value.lo),
                           atan2(a.value.hi, b.value.hi)};
  I value = fly_exactly(corner[0]);
  for (int k = 1; k < 4; k++)
    value = fly_hull(value, fly_exactly(corner[k]));
  const fly_jet r = sum(square(a), square(b));
  const I above = sub(mul(b.value, a.slope), mul(a.value, b.slope));
  const I above1 = sub(mul(b.value, a.bend), mul(a.value, b.bend));
  return (fly_jet){add(value, (I){-1e-15, 1e-15}), over(above, r.value),
                   over(sub(mul(above1, r.value), mul(above, r.slope)), sqr(r.value))};
}

static fly_jet binary(fly_op op, fly_jet a, fly_jet b, I gap) {
  switch (op) {
  case FLY_OP_POWER_CONSTANT:
    return power_jet(a, b.value.lo);
  case FLY_OP_POWER:
    return unary(FLY_OP_EXP, product(b, unary(FLY_OP_LOG, a)));
  case FLY_OP_ATAN2:
    return angle(a, b);
  case FLY_OP_HYPOT:
    return root(sum(square(a), square(b)));
  case FLY_OP_MOD:
    return modulo(a, b);
  case FLY_OP_MIN:
    return lesser(a, b, gap, 1);
  default:
    return lesser(a, b, gap, -1);
  }
}

static fly_jet arithmetic(const fly_instruction *i, const fly_jet *v, I gap) {
  const fly_jet a = v[i->a], b = v[i->b];
  switch (i->op) {
  case FLY_OP_ADD:
    return sum(a, b);
  case FLY_OP_SUBTRACT:
    return difference(a, b);
  case FLY_OP_MULTIPLY:
    return i->a == i->b ? square(a) : product(a, b);
  case FLY_OP_DIVIDE:
    return product(a, reciprocal(b));
  case FLY_OP_NEGATE:
    return difference(constant(0), a);
  case FLY_OP_AND:
  case FLY_OP_OR:
  case FLY_OP_NOT:
    return logic(i->op, a.value, b.value);
  case FLY_OP_SELECT:
    return chosen(v[i->c].value, a, b);
  default:
    return comparison(i->op, gap);
  }
}

// gap: the difference of its arguments, where it compares them.
static fly_jet operation(const fly_expr *e, const fly_instruction *i, const fly_jet *v, I gap) {
  if (i->op < FLY_OP_FIRST_BINARY)
    return arithmetic(i, v, gap);
  if (i->op < FLY_OP_FIRST_UNARY)
    return binary(i->op, v[i->a], v[i->b], gap);
  if (i->op < FLY_OP_FIRST_TABLE)
    return unary(i->op, v[i->a]);
  return table(&e->table[i->c], v[i->a], i->op - FLY_OP_SPLINE);
}

// ---------------------------------------------------------------------------------- as in the middle

static bool compares(fly_op op) {
  return (op >= FLY_OP_LESS && op <= FLY_OP_NOT_EQUAL) || op == FLY_OP_MIN || op == FLY_OP_MAX;
}

static bool is_sure(I a) { return a.lo == a.hi; }

// An operation whose switch stands as its arguments x in the middle say, and as its result `at` there.
static fly_jet settled(const fly_instruction *i, const fly_jet *v, const double *x, double at, fly_jet anyway) {
  const double a = x[i->a], b = x[i->b];
  fly_jet inside = v[i->a];
  switch (i->op) {
  case FLY_OP_SIGN:
  case FLY_OP_FLOOR:
  case FLY_OP_CEIL:
  case FLY_OP_ROUND:
    return constant(at);
  case FLY_OP_ABS:
    return a >= 0 ? v[i->a] : difference(constant(0), v[i->a]);
  case FLY_OP_MIN:
  case FLY_OP_MAX:
    return (a <= b) == (i->op == FLY_OP_MIN) ? v[i->a] : v[i->b];
  case FLY_OP_MOD:
    return is_sure(v[i->b].value) && b != 0 ? modulo_of(v[i->a], b, floor(a / b)) : anyway;
  case FLY_OP_RISE3:
  case FLY_OP_RISE5:
  case FLY_OP_RISE_SIN:
    inside.value = with_domain(inside.value, 0, 1);
    return a <= 0 || a >= 1 ? constant(a <= 0 ? 0 : 1) : rise(i->op, inside);
  default:
    return compares(i->op) ? constant(at) : anyway;
  }
}

// ---------------------------------------------------------------------------------- all of it

// Values over [a, b], and in its middle, whose values sharpen the former.
typedef struct sweep {
  const fly_expr *e;
  double radius;
  fly_jet *over, *middle;
  double *exact; // in the middle, as they are evaluated; NULL unless no switch changes from a to b
} sweep;

static fly_jet input_of(const fly_expr *e, int k, double a, double b) {
  return e->input[k] == FLY_EXPR_TIME ? (fly_jet){fly_between(a, b), one(), zero()} : unknown();
}

static void advance(sweep *w, const fly_instruction *i, int place) {
  fly_jet *over = w->over, *m = w->middle;
  if (!w->e->timed[place]) {
    over[place] = m[place] = unknown();
    return;
  }
  I gap = zero(), gap_m = zero();
  if (compares(i->op)) {
    const fly_jet at = difference(m[i->a], m[i->b]);
    gap_m = at.value;
    gap = sharpened(difference(over[i->a], over[i->b]), at, w->radius).value;
  }
  m[place] = operation(w->e, i, m, gap_m);
  fly_jet value = operation(w->e, i, over, gap);
  if (w->exact) {
    w->exact[place] = fly_op_value(i, w->exact, w->e->table);
    value = isnan(w->exact[place]) ? value : settled(i, over, w->exact, w->exact[place], value);
  }
  over[place] = sharpened(value, m[place], w->radius);
}

static double radius_of(double a, double b) {
  const double m = a + (b - a) / 2;
  return fmax(b - m, m - a) * (1 + 1e-15);
}

static void enclose(const fly_expr *e, double a, double b, int last, fly_jet *over, fly_jet *middle, double *exact) {
  const double m = a + (b - a) / 2;
  sweep w = {e, radius_of(a, b), over, middle, exact};
  int place = 0;
  for (int k = 0; exact && k < e->nconstants + e->ninputs; k++)
    exact[k] = k < e->nconstants ? e->constant[k] : m;
  for (int k = 0; k < e->nconstants && place <= last; k++, place++)
    over[place] = middle[place] = constant(e->constant[k]);
  for (int k = 0; k < e->ninputs && place <= last; k++, place++) {
    over[place] = input_of(e, k, a, b);
    middle[place] = input_of(e, k, m, m);
  }
  for (int k = 0; k < e->ninstructions && place <= last; k++, place++)
    advance(&w, &e->instruction[k], place);
}

void fly_expr_enclose(const fly_expr *e, double a, double b, int last, fly_jet *out) {
  fly_jet middle[FLY_EXPR_VALUES];
  enclose(e, a, b, last, out, middle, NULL);
}

void fly_expr_enclose_between(const fly_expr *e, double a, double b, int last, fly_jet *out) {
  fly_jet middle[FLY_EXPR_VALUES];
  double exact[FLY_EXPR_VALUES];
  enclose(e, a, b, last, out, middle, exact);
}

void fly_expr_enclose_in(fly_jets *w, const fly_expr *e, double a, double b, int last) {
  enclose(e, a, b, last, w->over, w->middle, NULL);
}

fly_jet fly_expr_enclose_difference(fly_jets *w, const fly_expr *e, double a, double b, int first, int second) {
  fly_expr_enclose_in(w, e, a, b, first > second ? first : second);
  if (second < 0)
    return w->over[first];
  return sharpened(difference(w->over[first], w->over[second]), difference(w->middle[first], w->middle[second]),
                   radius_of(a, b));
}

void fly_expr_enclose_from(const fly_expr *e, int last, fly_jet *out) {
  const int first = e->nconstants + e->ninputs;
  for (int k = 0; k < e->nconstants; k++)
    out[k] = constant(e->constant[k]);
  for (int k = 0; first + k <= last; k++) {
    const fly_instruction *i = &e->instruction[k];
    const I gap = compares(i->op) ? sub(out[i->a].value, out[i->b].value) : zero();
    out[first + k] = operation(e, i, out, gap);
  }
}

// Of conditions, as fly_expr_margin has it: of a < b the difference, of `and` the smaller, of `or` the larger.
fly_jet fly_expr_enclose_margin(const fly_expr *e, const fly_jet *v, int place) {
  const int first = e->nconstants + e->ninputs;
  if (place < first)
    return v[place];
  const fly_instruction *i = &e->instruction[place - first];
  fly_jet a, b;
  switch (i->op) {
  case FLY_OP_LESS:
  case FLY_OP_LESS_EQUAL:
    return difference(v[i->b], v[i->a]);
  case FLY_OP_EQUAL:
  case FLY_OP_NOT_EQUAL:
    return stairs(2 * v[place].value.lo - 1, 2 * v[place].value.hi - 1);
  case FLY_OP_AND:
  case FLY_OP_OR:
    a = fly_expr_enclose_margin(e, v, i->a);
    b = fly_expr_enclose_margin(e, v, i->b);
    return lesser(a, b, sub(a.value, b.value), i->op == FLY_OP_AND ? 1 : -1);
  case FLY_OP_NOT:
    return difference(constant(0), fly_expr_enclose_margin(e, v, i->a));
  default:
    return v[place];
  }
}
