// The fixed-step, self-starting Adams formulas of DADS 7.4, in the letters of the text.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "dae/adams.h"

// (A-gamma). The sums are those of the generating function -s/((1-s) log(1-s)); DADS Table 7.4.4 has a slip in gamma_5.
void fly_adams_coefficients(double *gamma, double *gamma_star, int count) {
  for (int i = 0; gamma && gamma_star && i < count; i++) {
    gamma[i] = 1;
    for (int j = 0; j < i; j++)
      gamma[i] -= gamma[j] / (i + 1 - j);
    gamma_star[i] = i == 0 ? 1 : gamma[i] - gamma[i - 1];
  }
}

// f at (t, y) into nabla[0] and the differences up to nabla[k] behind it, from those at the point before.
static void difference(double **nabla, const double *f, int k, int n) {
  for (int c = 0; c < n; c++) {
    double now = f[c];
    for (int i = 0; i <= k; i++) {
      const double before = nabla[i][c];
      nabla[i][c] = now;
      now -= before;
    }
  }
}

static void add(double *y, double h, const double *weight, double *const *nabla, int terms, int n) {
  for (int c = 0; c < n; c++) {
    double sum = 0;
    for (int i = terms - 1; i >= 0; i--)
      sum += weight[i] * nabla[i][c];
    y[c] += h * sum;
  }
}

static fly_status evaluate(const fly_adams_fixed *a, double *f, double t, const double *y, fly_error *error) {
  const int code = a->f(f, t, y, a->user);
  if (code)
    return fly_fail(error, FLY_CALLBACK, t,
                    "At t = %.9g s the right-hand side returned %d. Fixed steps cannot give way: use a smaller step.",
                    t, code);
  for (int c = 0; c < a->n; c++)
    if (!isfinite(f[c]))
      return fly_fail(error, FLY_NOT_FINITE, t,
                      "At t = %.9g s component %d of the right-hand side is not finite. Use a smaller step.", t, c);
  return FLY_OK;
}

typedef struct tableau {
  double gamma[FLY_ADAMS_TERMS], gamma_star[FLY_ADAMS_TERMS];
  double *nabla[FLY_ADAMS_TERMS], *trial[FLY_ADAMS_TERMS]; // differences at t_n, and of f^p at t_(n+1) (n) each
  double *y, *f;                                           // predicted; f there (n)
} tableau;

// One step (A-predictor), (A-corrector) with the predictor of order k; f_n and its differences are in w->nabla.
static fly_status take_step(const fly_adams_fixed *a, tableau *w, double *y, double t1, double h, int k,
                            fly_error *error) {
  const size_t size = (size_t)a->n * sizeof(double);
  memcpy(w->y, y, size);
  add(w->y, h, w->gamma, w->nabla, k, a->n);
  if (a->formula == FLY_ADAMS_PECE) {
    const fly_status status = evaluate(a, w->f, t1, w->y, error);
    if (status)
      return status;
    for (int i = 0; i <= k; i++)
      memcpy(w->trial[i], w->nabla[i], size);
    difference(w->trial, w->f, k, a->n);
    add(y, h, w->gamma_star, w->trial, k + 1, a->n);
  } else {
    memcpy(y, w->y, size);
  }
  const fly_status status = evaluate(a, w->f, t1, y, error);
  if (status == FLY_OK)
    difference(w->nabla, w->f, k, a->n);
  return status;
}

fly_status fly_adams_run_fixed(const fly_adams_fixed *a, double *y, double t0, double h, long steps, fly_error *error) {
  if (!a || !a->f || !y)
    return fly_missing(error, "fly_adams_run_fixed", !a ? "problem" : y ? "callback `f`" : "start");
  if (a->n < 1 || a->order < 1 || a->order > FLY_ADAMS_ORDER_MAX || !isfinite(h) || h == 0 || steps < 0)
    return fly_fail(error, FLY_BAD_INPUT, t0,
                    "Adams formulas need n >= 1, an order of 1 to %d and a step that is not zero; they were given %d, "
                    "%d and %g s.",
                    FLY_ADAMS_ORDER_MAX, a->n, a->order, h);
  fly_arena memory = {0};
  tableau w;
  fly_adams_coefficients(w.gamma, w.gamma_star, FLY_ADAMS_TERMS);
  for (int i = 0; i < FLY_ADAMS_TERMS; i++) {
    w.nabla[i] = fly_arena_doubles(&memory, (size_t)a->n);
    w.trial[i] = fly_arena_doubles(&memory, (size_t)a->n);
  }
  w.y = fly_arena_doubles(&memory, (size_t)a->n);
  w.f = fly_arena_doubles(&memory, (size_t)a->n);
  fly_status status = memory.failed ? fly_fail(error, FLY_NO_MEMORY, t0, "Out of memory for the Adams formulas.")
                                    : evaluate(a, w.f, t0, y, error);
  if (status == FLY_OK)
    memcpy(w.nabla[0], w.f, (size_t)a->n * sizeof(double));
  for (long i = 0; i < steps && status == FLY_OK; i++)
    status = take_step(a, &w, y, t0 + (double)(i + 1) * h, h, i + 1 < a->order ? (int)i + 1 : a->order, error);
  fly_arena_free(&memory);
  return status;
}
