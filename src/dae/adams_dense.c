// The polynomials behind Adams' formulas: their integrals, dense output, and the past as points (docs/theory/adams.md,
// sections 2 and 6).
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/wide.h"
#include "dae/adams.h"
#include "dae/adams_sums.h"

// (A-recurrence)
void fly_adams_integrate(double *g, int count, double x, const double *d, const double *psi) {
  double w[FLY_ADAMS_TERMS] = {0};
  for (int q = 0; q < count; q++)
    w[q] = 1.0 / (q + 1);
  g[0] = w[0];
  for (int i = 1; i < count; i++) {
    const double own = (x + d[i - 1]) / psi[i], next = x / psi[i];
    for (int q = 0; q < count - i; q++)
      w[q] = own * w[q] - next * w[q + 1];
    g[i] = w[0];
  }
}

fly_adams_piece fly_adams_last(const fly_adams *a) {
  fly_adams_piece p = {.n = a->p.n, .order = a->order_last, .t_last = a->t_last, .t = a->t};
  p.y_last = a->y_last;
  p.y = a->y;
  memcpy(p.past, a->history.t, sizeof p.past);
  memcpy(p.phi, a->history.phi, sizeof p.phi);
  return p;
}

fly_adams_piece fly_adams_piece_take(fly_arena *memory, int n) {
  fly_adams_piece p = {.n = n};
  p.y_last = fly_arena_doubles(memory, (size_t)n);
  p.y = fly_arena_doubles(memory, (size_t)n);
  for (int i = 0; i < FLY_ADAMS_TERMS; i++)
    p.phi[i] = fly_arena_doubles(memory, (size_t)n);
  return p;
}

void fly_adams_piece_copy(fly_adams_piece *to, const fly_adams_piece *from) {
  const size_t size = (size_t)from->n * sizeof(double);
  to->order = from->order;
  to->t_last = from->t_last;
  to->t = from->t;
  memcpy(to->past, from->past, sizeof to->past);
  memcpy(to->y_last, from->y_last, size);
  memcpy(to->y, from->y, size);
  for (int i = 0; i <= from->order; i++)
    memcpy(to->phi[i], from->phi[i], size);
}

// out = y_(n+1) + integral from t_(n+1) to t_(n+1) + x of the polynomial through the last order + 1 values of f.
static double integral_at(const fly_adams_piece *p, int c, const double *g, double x) {
  double sum = 0;
  for (int i = p->order; i >= 0; i--)
    sum += g[i] * p->phi[i][c];
  return p->y[c] + x * sum;
}

// sum of g_i phi_i, i from the order down, of a stretch.
static inline void add_terms(double *sum, const fly_adams_piece *p, const double *g, int from, int n) {
  memset(sum, 0, (size_t)n * sizeof *sum);
  for (int i = p->order; i >= 0; i--)
    fly_sum_add(sum, g[i], p->phi[i] + from, n);
}

// (A-dense). What the polynomial misses y_n by is a sum of the same terms: both are summed at once.
FLY_WIDE static void piece_value(const fly_adams_piece *p, double t, const double *d, double *y) {
  const double h = p->t - p->t_last, x = t - p->t;
  double g[FLY_ADAMS_TERMS], g_last[FLY_ADAMS_TERMS], sum[FLY_SUM_STRETCH];
  fly_adams_integrate(g, p->order + 1, x, d, d);
  fly_adams_integrate(g_last, p->order + 1, -h, d, d);
  const double s = h > 0 ? (t - p->t_last) / h : 1, blend = 1 - s * s * (3 - 2 * s);
  for (int i = 0; i <= p->order; i++)
    g[i] = x * g[i] + blend * h * g_last[i];
  for (int from = 0, n; from < p->n; from += n) {
    n = fly_sum_count(from, p->n);
    add_terms(sum, p, g, from, n);
    for (int c = 0; c < n; c++) {
      const double end = p->y[from + c];
      y[from + c] = end + (sum[c] + blend * (p->y_last[from + c] - end));
    }
  }
}

// Newton's polynomial itself (A-slope).
FLY_WIDE static void piece_slope(const fly_adams_piece *p, double t, const double *d, double *f) {
  double N[FLY_ADAMS_TERMS] = {1};
  for (int i = 1; i <= p->order; i++)
    N[i] = N[i - 1] * (t - p->t + d[i - 1]) / d[i];
  for (int from = 0, n; from < p->n; from += n) {
    n = fly_sum_count(from, p->n);
    add_terms(f + from, p, N, from, n);
  }
}

void fly_adams_piece_at(const fly_adams_piece *p, double t, double *y, double *f) {
  double d[FLY_ADAMS_TERMS] = {0};
  for (int i = 0; i <= p->order; i++)
    d[i] = p->past[0] - p->past[i];
  if (y)
    piece_value(p, t, d, y);
  if (f)
    piece_slope(p, t, d, f);
}

fly_status fly_adams_interpolate(const fly_adams *a, double t, double *y, fly_error *error) {
  const double h = a->t - a->t_last, slack = 16 * DBL_EPSILON * fmax(fabs(a->t), h);
  if (!(t >= a->t_last - slack && t <= a->t + slack))
    return fly_fail(error, FLY_BAD_INPUT, t, "t = %.9g s is not in the last step, %.9g s to %.9g s.", t, a->t_last,
                    a->t);
  const fly_adams_piece last = fly_adams_last(a);
  fly_adams_piece_at(&last, t, y, NULL);
  return FLY_OK;
}

// ---------------------------------------------------------------------------------------------- the past

void fly_adams_past(const fly_adams *a, int i, double *y, double *f) {
  fly_adams_piece all = fly_adams_last(a);
  double d[FLY_ADAMS_TERMS] = {0}, g[FLY_ADAMS_TERMS];
  all.order = a->history.known - 1;
  for (int k = 0; k <= all.order; k++)
    d[k] = all.past[0] - all.past[k];
  fly_adams_integrate(g, all.order + 1, -d[i], d, d);
  for (int c = 0; c < all.n; c++)
    y[c] = integral_at(&all, c, g, -d[i]);
  piece_slope(&all, all.past[i], d, f);
}

// phi_i = d_1 ... d_i f[t_n, ..., t_(n-i)], d_j = t_n - t_(n-j): divided differences in place.
void fly_adams_set_past(fly_adams *a, int first, int count, double *const *values) {
  const fly_adams_history *h = &a->history;
  for (int c = 0; c < count; c++) {
    double f[FLY_ADAMS_TERMS] = {0}, product = 1;
    for (int i = 0; i < h->known; i++)
      f[i] = values[i][c];
    for (int level = 1; level < h->known; level++)
      for (int i = h->known - 1; i >= level; i--)
        f[i] = (f[i - 1] - f[i]) / (h->t[i - level] - h->t[i]);
    for (int i = 0; i < h->known; i++) {
      product *= i > 0 ? h->t[0] - h->t[i] : 1.0;
      h->phi[i][first + c] = product * f[i];
    }
  }
}
