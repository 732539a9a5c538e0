#include "expr/op.h"
#include "math/constants.h"

#include <float.h>
#include <math.h>

// Infinite slopes at finite values count as 0: see expr.h.
static double inverse(double x) { return fabs(x) < DBL_MIN ? 0 : 1 / x; }

// ---------------------------------------------------------------------------------- functions of one

typedef double function(double x);
typedef void function_slopes(fly_partials *s, double x, double y); // fills a and aa, which are 0

static void slopes_none(fly_partials *s, double x, double y) { (void)s, (void)x, (void)y; }

static void slopes_sin(fly_partials *s, double x, double y) {
  s->a = cos(x);
  s->aa = -y;
}

static void slopes_cos(fly_partials *s, double x, double y) {
  s->a = -sin(x);
  s->aa = -y;
}

static void slopes_tan(fly_partials *s, double x, double y) {
  (void)x;
  s->a = 1 + y * y;
  s->aa = 2 * y * s->a;
}

static void slopes_asin(fly_partials *s, double x, double y) {
  (void)y;
  s->a = inverse(sqrt((1 - x) * (1 + x)));
  s->aa = x * s->a * s->a * s->a;
}

static void slopes_acos(fly_partials *s, double x, double y) {
  slopes_asin(s, x, y);
  s->a = -s->a;
  s->aa = -s->aa;
}

static void slopes_atan(fly_partials *s, double x, double y) {
  (void)y;
  s->a = 1 / (1 + x * x);
  s->aa = -2 * x * s->a * s->a;
}

static void slopes_sinh(fly_partials *s, double x, double y) {
  s->a = cosh(x);
  s->aa = y;
}

static void slopes_cosh(fly_partials *s, double x, double y) {
  s->a = sinh(x);
  s->aa = y;
}

static void slopes_tanh(fly_partials *s, double x, double y) {
  const double c = cosh(x); // 1 - y^2 would lose its digits where y is near 1
  s->a = 1 / c / c;
  s->aa = -2 * y * s->a;
}

static void slopes_asinh(fly_partials *s, double x, double y) {
  (void)y;
  s->a = 1 / hypot(1, x);
  s->aa = -x * s->a * s->a * s->a;
}

static void slopes_acosh(fly_partials *s, double x, double y) {
  (void)y;
  s->a = inverse(sqrt(x - 1) * sqrt(x + 1));
  s->aa = -x * s->a * s->a * s->a;
}

static void slopes_atanh(fly_partials *s, double x, double y) {
  (void)y;
  s->a = 1 / ((1 - x) * (1 + x));
  s->aa = 2 * x * s->a * s->a;
}

static void slopes_exp(fly_partials *s, double x, double y) {
  (void)x;
  s->a = s->aa = y;
}

static void slopes_log(fly_partials *s, double x, double y) {
  (void)y;
  s->a = 1 / x;
  s->aa = -s->a / x;
}

static void slopes_log10(fly_partials *s, double x, double y) {
  (void)y;
  s->a = 1 / (x * 2.30258509299404568402); // ln 10
  s->aa = -s->a / x;
}

static void slopes_sqrt(fly_partials *s, double x, double y) {
  (void)x;
  const double r = inverse(y);
  s->a = 0.5 * r;
  s->aa = -0.25 * r * r * r;
}

static void slopes_cbrt(fly_partials *s, double x, double y) {
  const double r = inverse(x);
  s->a = y * r / 3;
  s->aa = s->a * r * (-2 / 3.0);
}

static void slopes_abs(fly_partials *s, double x, double y) {
  (void)y;
  s->a = x >= 0 ? 1 : -1;
}

static double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; } // of 0 it is 0, of NaN it is NaN

static double rise3(double t) { return t <= 0 ? 0 : t >= 1 ? 1 : t * t * (3 - 2 * t); }

static void slopes_rise3(fly_partials *s, double t, double y) {
  (void)y;
  if (t <= 0 || t >= 1)
    return;
  s->a = 6 * t * (1 - t);
  s->aa = 6 - 12 * t;
}

static double rise5(double t) { return t <= 0 ? 0 : t >= 1 ? 1 : t * t * t * (10 - t * (15 - 6 * t)); }

static void slopes_rise5(fly_partials *s, double t, double y) {
  (void)y;
  if (t <= 0 || t >= 1)
    return;
  s->a = 30 * t * t * (1 - t) * (1 - t);
  s->aa = 60 * t * (1 - t) * (1 - 2 * t);
}

static double rise_sin(double t) { return t <= 0 ? 0 : t >= 1 ? 1 : 0.5 - 0.5 * cos(FLY_PI * t); }

static void slopes_rise_sin(fly_partials *s, double t, double y) {
  (void)y;
  if (t <= 0 || t >= 1)
    return;
  s->a = FLY_PI / 2 * sin(FLY_PI * t);
  s->aa = FLY_PI * FLY_PI / 2 * cos(FLY_PI * t);
}

static const struct {
  function *value;
  function_slopes *slopes;
} unary[FLY_OP_FIRST_TABLE - FLY_OP_FIRST_UNARY] = {
    [FLY_OP_SIN - FLY_OP_FIRST_UNARY] = {sin, slopes_sin},
    [FLY_OP_COS - FLY_OP_FIRST_UNARY] = {cos, slopes_cos},
    [FLY_OP_TAN - FLY_OP_FIRST_UNARY] = {tan, slopes_tan},
    [FLY_OP_ASIN - FLY_OP_FIRST_UNARY] = {asin, slopes_asin},
    [FLY_OP_ACOS - FLY_OP_FIRST_UNARY] = {acos, slopes_acos},
    [FLY_OP_ATAN - FLY_OP_FIRST_UNARY] = {atan, slopes_atan},
    [FLY_OP_SINH - FLY_OP_FIRST_UNARY] = {sinh, slopes_sinh},
    [FLY_OP_COSH - FLY_OP_FIRST_UNARY] = {cosh, slopes_cosh},
    [FLY_OP_TANH - FLY_OP_FIRST_UNARY] = {tanh, slopes_tanh},
    [FLY_OP_ASINH - FLY_OP_FIRST_UNARY] = {asinh, slopes_asinh},
    [FLY_OP_ACOSH - FLY_OP_FIRST_UNARY] = {acosh, slopes_acosh},
    [FLY_OP_ATANH - FLY_OP_FIRST_UNARY] = {atanh, slopes_atanh},
    [FLY_OP_EXP - FLY_OP_FIRST_UNARY] = {exp, slopes_exp},
    [FLY_OP_LOG - FLY_OP_FIRST_UNARY] = {log, slopes_log},
    [FLY_OP_LOG10 - FLY_OP_FIRST_UNARY] = {log10, slopes_log10},
    [FLY_OP_SQRT - FLY_OP_FIRST_UNARY] = {sqrt, slopes_sqrt},
    [FLY_OP_CBRT - FLY_OP_FIRST_UNARY] = {cbrt, slopes_cbrt},
    [FLY_OP_ABS - FLY_OP_FIRST_UNARY] = {fabs, slopes_abs},
    [FLY_OP_SIGN - FLY_OP_FIRST_UNARY] = {sign, slopes_none},
    [FLY_OP_FLOOR - FLY_OP_FIRST_UNARY] = {floor, slopes_none},
    [FLY_OP_CEIL - FLY_OP_FIRST_UNARY] = {ceil, slopes_none},
    [FLY_OP_ROUND - FLY_OP_FIRST_UNARY] = {round, slopes_none},
    [FLY_OP_RISE3 - FLY_OP_FIRST_UNARY] = {rise3, slopes_rise3},
    [FLY_OP_RISE5 - FLY_OP_FIRST_UNARY] = {rise5, slopes_rise5},
    [FLY_OP_RISE_SIN - FLY_OP_FIRST_UNARY] = {rise_sin, slopes_rise_sin},
};

// ---------------------------------------------------------------------------------- functions of two

typedef double function_of_two(double a, double b);
typedef void function_of_two_slopes(fly_partials *s, double a, double b, double y); // fills what is not 0

// d/dx x^c = c x^(c-1), y being x^c.
static double power_slope(double x, double c, double y) {
  if (c == 0)
    return 0;
  if (x == 0 && c > 0)
    return c == 1 ? 1 : 0; // infinite below 1
  return fabs(y) >= DBL_MIN ? c * (y / x) : c * pow(x, c - 1);
}

static void slopes_power_constant(fly_partials *s, double x, double c, double y) {
  s->a = power_slope(x, c, y);
  if (x == 0 && c > 0)
    s->aa = c == 2 ? 2 : 0;
  else if (c != 0)
    s->aa = c * power_slope(x, c - 1, s->a / c);
}

static void slopes_power(fly_partials *s, double a, double b, double y) {
  slopes_power_constant(s, a, b, y);
  if (y == 0)
    return;
  const double l = log(a);
  s->b = y * l;
  s->ab = y / a * (1 + b * l);
  s->bb = y * l * l;
}

// The angle of the point (b, a), and its distance from the origin: the same unit vector rules both.
static void slopes_atan2(fly_partials *s, double a, double b, double y) {
  (void)y;
  const double r = inverse(hypot(a, b)), sine = a * r, cosine = b * r;
  s->a = cosine * r;
  s->b = -sine * r;
  s->aa = -2 * sine * cosine * r * r;
  s->ab = (sine - cosine) * (sine + cosine) * r * r;
  s->bb = -s->aa;
}

static void slopes_hypot(fly_partials *s, double a, double b, double y) {
  const double r = inverse(y), sine = a * r, cosine = b * r;
  s->a = sine;
  s->b = cosine;
  s->aa = cosine * cosine * r;
  s->ab = -sine * cosine * r;
  s->bb = sine * sine * r;
}

// a - b floor(a/b), with the sign of b.
static double mod(double a, double b) {
  const double rest = fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static void slopes_mod(fly_partials *s, double a, double b, double y) {
  s->a = 1;
  s->b = -round((a - y) / b);
}

// NaN is passed on.
static double min(double a, double b) { return a <= b || isnan(a) ? a : b; }
static double max(double a, double b) { return a >= b || isnan(a) ? a : b; }

static void slopes_min(fly_partials *s, double a, double b, double y) {
  (void)y;
  *(a <= b ? &s->a : &s->b) = 1;
}

static void slopes_max(fly_partials *s, double a, double b, double y) {
  (void)y;
  *(a >= b ? &s->a : &s->b) = 1;
}

static const struct {
  function_of_two *value;
  function_of_two_slopes *slopes;
} binary[FLY_OP_FIRST_UNARY - FLY_OP_FIRST_BINARY] = {
    [FLY_OP_POWER - FLY_OP_FIRST_BINARY] = {pow, slopes_power},
    [FLY_OP_POWER_CONSTANT - FLY_OP_FIRST_BINARY] = {pow, slopes_power_constant},
    [FLY_OP_ATAN2 - FLY_OP_FIRST_BINARY] = {atan2, slopes_atan2},
    [FLY_OP_HYPOT - FLY_OP_FIRST_BINARY] = {hypot, slopes_hypot},
    [FLY_OP_MOD - FLY_OP_FIRST_BINARY] = {mod, slopes_mod},
    [FLY_OP_MIN - FLY_OP_FIRST_BINARY] = {min, slopes_min},
    [FLY_OP_MAX - FLY_OP_FIRST_BINARY] = {max, slopes_max},
};

// ---------------------------------------------------------------------------------- all of them

double fly_op_function(const fly_instruction *i, const double *v, const fly_spline *table) {
  if (i->op < FLY_OP_FIRST_UNARY)
    return binary[i->op - FLY_OP_FIRST_BINARY].value(v[i->a], v[i->b]);
  if (i->op < FLY_OP_FIRST_TABLE)
    return unary[i->op - FLY_OP_FIRST_UNARY].value(v[i->a]);
  double y[4];
  fly_spline_evaluate(y, &table[i->c], v[i->a]);
  return y[i->op - FLY_OP_SPLINE];
}

void fly_op_function_slopes(fly_partials *s, const fly_instruction *i, const double *v, double y,
                            const fly_spline *table) {
  if (i->op < FLY_OP_FIRST_UNARY) {
    binary[i->op - FLY_OP_FIRST_BINARY].slopes(s, v[i->a], v[i->b], y);
  } else if (i->op < FLY_OP_FIRST_TABLE) {
    unary[i->op - FLY_OP_FIRST_UNARY].slopes(s, v[i->a], y);
  } else {
    double d[4];
    fly_spline_evaluate(d, &table[i->c], v[i->a]);
    s->a = d[i->op - FLY_OP_SPLINE + 1];
    s->aa = d[i->op - FLY_OP_SPLINE + 2];
  }
}
