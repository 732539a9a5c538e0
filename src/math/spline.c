#include "math/spline.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "math/noise.h"

int fly_spline_check(const double *x, const double *y, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i]) || !isfinite(y[i]) || (i > 0 && !(x[i] > x[i - 1])))
      return i;
  return n;
}

// Slope of the chord from point i to i+1.
static double chord(const double *x, const double *y, int i) { return (y[i + 1] - y[i]) / (x[i + 1] - x[i]); }

// y'' continuous at point i, written in the slopes d of the points, h and m being length and slope of the chords:
//   d[i-1] / h[i-1] + 2 d[i] (1/h[i-1] + 1/h[i]) + d[i+1] / h[i] = 3 (m[i-1] / h[i-1] + m[i] / h[i]),
// and the same without the missing half where y'' = 0, at the ends. Tridiagonal and diagonally dominant.
void fly_spline_cubic(double *slope, const double *x, const double *y, int n, double *work) {
  assert(n >= 2);
  double *d = slope, *upper = work; // upper: what elimination leaves above a diagonal of ones
  double below = 0, right_below = 0, eliminated = 0, d_before = 0;
  for (int i = 0; i < n; i++) {
    const double above = i + 1 < n ? 1 / (x[i + 1] - x[i]) : 0;
    const double right_above = i + 1 < n ? 3 * chord(x, y, i) * above : 0;
    const double pivot = 2 * (below + above) - below * eliminated;
    upper[i] = above / pivot;
    d[i] = (right_below + right_above - below * d_before) / pivot;
    below = above, right_below = right_above, eliminated = upper[i], d_before = d[i];
  }
  for (int i = n - 2; i >= 0; i--)
    d[i] -= upper[i] * d[i + 1];
}

// Slope of chord i; beyond the ends, where i is -2, -1, n-1 or n, continued as on a parabola with even spacing.
static double chord_beyond(const double *x, const double *y, int n, int i) {
  const int last = n - 2;
  if (i >= 0 && i <= last)
    return chord(x, y, i);
  const int end = i < 0 ? 0 : last, beyond = i < 0 ? -i : i - last;
  const int inner = n == 2 ? end : i < 0 ? 1 : last - 1;
  const double m = chord(x, y, end);
  return m + beyond * (m - chord(x, y, inner));
}

void fly_spline_akima(double *slope, const double *x, const double *y, int n) {
  assert(n >= 2);
  for (int i = 0; i < n; i++) {
    double m[4];
    for (int k = 0; k < 4; k++)
      m[k] = chord_beyond(x, y, n, i - 2 + k);
    const double before = fabs(m[1] - m[0]), after = fabs(m[3] - m[2]), both = before + after;
    slope[i] = both > 0 ? after / both * m[1] + before / both * m[2] : (m[1] + m[2]) / 2;
  }
}

// The i with x[i] <= x < x[i+1]; outside the table the first or the last piece.
static int piece(const fly_spline *s, double x) {
  int low = 0, high = s->n - 1;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (x < s->x[middle])
      high = middle;
    else
      low = middle;
  }
  return low;
}

static void line(double out[4], double y, double slope, double u) {
  out[0] = y + slope * u;
  out[1] = slope;
  out[2] = out[3] = 0;
}

void fly_spline_evaluate(double out[4], const fly_spline *s, double x) {
  const int last = s->n - 1;
  if (s->noise) {
    fly_noise_evaluate(out, s->seed, x);
    return;
  }
  if (s->hold) {
    line(out, s->y[x >= s->x[last] ? last : piece(s, x)], 0.0, 0.0);
    return;
  }
  if (s->slope == NULL) {
    const int i = piece(s, x);
    line(out, s->y[i], chord(s->x, s->y, i), x - s->x[i]);
    return;
  }
  if (x < s->x[0]) {
    line(out, s->y[0], s->slope[0], x - s->x[0]);
    return;
  }
  if (x >= s->x[last]) {
    line(out, s->y[last], s->slope[last], x - s->x[last]);
    return;
  }
  const int i = piece(s, x);
  const double u = x - s->x[i], h = s->x[i + 1] - s->x[i], m = (s->y[i + 1] - s->y[i]) / h;
  const double a = s->slope[i], b = s->slope[i + 1];
  const double c = (3 * m - 2 * a - b) / h, d = (a + b - 2 * m) / h / h; // y + u (a + u (c + u d))
  out[0] = s->y[i] + u * (a + u * (c + u * d));
  out[1] = a + u * (2 * c + u * 3 * d);
  out[2] = 2 * c + 6 * d * u;
  out[3] = 6 * d;
}
