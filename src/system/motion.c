// Motions given by position, velocity or acceleration: integrated where they are not given by position.
#include "system/motion.h"

#include <math.h>
#include <stdbool.h>

// I[0] = the integral of f from a to b, I[1] = that of (b - t) f(t), which is the integral of the integral; size: of
// |f|.
typedef struct integral {
  double I[2], size;
} integral;

// Gauss-Legendre with seven points.
static integral gauss(const fly_expr *f, double a, double b) {
  static const double node[] = {0.0, 0.40584515137739716691, 0.74153118559939443986, 0.94910791234275852453};
  static const double weight[] = {0.41795918367346938776, 0.38183005050511894495, 0.27970539148927666790,
                                  0.12948496616886969327};
  double middle = (a + b) / 2, half = (b - a) / 2;
  integral sum = {{0}, 0};
  for (int k = -3; k <= 3; k++) {
    int n = k < 0 ? -k : k;
    double t = middle + (k < 0 ? -half : half) * node[n], w = half * weight[n], value = fly_expr_value(f, &t);
    sum.I[0] += w * value;
    sum.I[1] += w * (b - t) * value;
    sum.size += fabs(w * value);
  }
  return sum;
}

static integral join(const integral *one, const integral *two, double length) {
  return (integral){{one->I[0] + two->I[0], one->I[1] + length * one->I[0] + two->I[1]}, one->size + two->size};
}

// Halves an interval until both halves together agree with the whole, or the budget of halvings is spent: a jump takes
// one branch of fifty.
static integral refine(const fly_expr *f, double a, double b, const integral *whole, int *budget) {
  double c = (a + b) / 2;
  integral left = gauss(f, a, c), right = gauss(f, c, b), both = join(&left, &right, b - c);
  bool fine = fabs(both.I[0] - whole->I[0]) <= 1e-14 * both.size;
  if (fine || !isfinite(both.size) || --*budget < 0)
    return both;
  left = refine(f, a, c, &left, budget);
  right = refine(f, c, b, &right, budget);
  return join(&left, &right, b - c);
}

static integral integrate_smooth(const fly_expr *f, double a, double b) {
  int budget = 200;
  integral whole = gauss(f, a, b);
  return refine(f, a, b, &whole, &budget);
}

static const double NOTHING = 1e-12; // of the size of an expression
static const int HALVINGS = 500;

// Points see nothing of a pulse between them, so an interval is halved first until it can hold none (C-cells).
static integral integrate_plain(const fly_expr *f, double a, double b, int *budget) {
  const double floor = fly_expr_parts(f) > 0 ? NOTHING * fly_expr_part_size(f, 0, a, b) : 0.0;
  if (--*budget < 0 || fly_expr_is_plain(f, a, b, &floor))
    return integrate_smooth(f, a, b);
  const double c = (a + b) / 2;
  integral left = integrate_plain(f, a, c, budget), right = integrate_plain(f, c, b, budget);
  return join(&left, &right, b - c);
}

// The first break of f behind t, at most b.
static double next_break(const fly_expr *f, double t, double b) {
  double next = b;
  for (int k = 0; k < fly_expr_sources(f); k++) {
    fly_expr_break found;
    if (fly_expr_next_break(f, k, t, next, 0.0, &found))
      next = fmin(next, fmax(found.after, t));
  }
  return next;
}

// From a to b > a, from break to break.
static integral integrate_forward(const fly_expr *f, double a, double b) {
  integral sum = {{0}, 0};
  int budget = HALVINGS;
  while (a < b) {
    const double c = next_break(f, a, b);
    integral piece = integrate_plain(f, a, c, &budget);
    sum = join(&sum, &piece, c - a);
    a = c;
  }
  return sum;
}

// Backwards the integral of (b - t) f changes its end: I1(a to b) = -(I1(b to a) + (b - a) I0(b to a)), a > b.
static integral integrate(const fly_expr *f, double a, double b) {
  if (a <= b)
    return integrate_forward(f, a, b);
  integral back = integrate_forward(f, b, a);
  return (integral){{-back.I[0], -(back.I[1] + (b - a) * back.I[0])}, back.size};
}

static void integrate_to(const fly_motion *m, double t, double out[3]) {
  double f[3];
  fly_expr_time(m->expression, t, f);
  integral sum = integrate(m->expression, m->t, t);
  out[0] = m->s + (m->level == 1 ? sum.I[0] : (t - m->t) * m->v + sum.I[1]);
  out[1] = m->level == 1 ? f[0] : m->v + sum.I[0];
  out[2] = m->level == 1 ? f[1] : f[0];
}

void fly_motion_at(fly_motion *m, double t, double out[3]) {
  if (m->level == 0) {
    fly_expr_time(m->expression, t, out);
    return;
  }
  if (!m->answered || m->asked != t)
    integrate_to(m, t, m->answer);
  m->answered = true;
  m->asked = t;
  for (int k = 0; k < 3; k++)
    out[k] = m->answer[k];
}

void fly_motion_accept(fly_motion *m, double t) {
  double at[3];
  if (m->level == 0 || t == m->t)
    return;
  fly_motion_at(m, t, at);
  m->t = t;
  m->s = at[0];
  m->v = at[1];
  m->answered = false; // the same, but for rounding: nothing depends on what was asked before
}
