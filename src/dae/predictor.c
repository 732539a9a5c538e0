// Prediction of the unknowns by polynomial extrapolation (HHT 3.5), degree 0 to 3 as the last steps would have liked
// it.
#include <math.h>
#include <string.h>

#include "base/quad.h"
#include "base/wide.h"
#include "dae/newmark.h"
#include "math/sizes.h"

void fly_history_clear(fly_history *h) {
  h->count = 0;
  h->stabilized = 0;
  h->degree = 0;
  h->curvature = 0;
}

// Weights of the polynomial of the given degree through the newest points, at time t.
static void weights_at(const fly_history *h, int degree, double t, double w[FLY_HISTORY]) {
  for (int i = 0; i <= degree; i++) {
    w[i] = 1;
    for (int j = 0; j <= degree; j++)
      if (j != i)
        w[i] *= (t - h->t[j]) / (h->t[i] - h->t[j]);
  }
}

// The same for all degrees below count: a point more multiplies those of the degree before by one factor each.
static void weights_of_all(const fly_history *h, int count, double t, double w[FLY_HISTORY][FLY_HISTORY]) {
  for (int d = 0; d < count; d++) {
    for (int i = 0; i < d; i++)
      w[d][i] = w[d - 1][i] * ((t - h->t[d]) / (h->t[i] - h->t[d]));
    w[d][d] = 1;
    for (int j = 0; j < d; j++)
      w[d][d] *= (t - h->t[j]) / (h->t[d] - h->t[j]);
  }
}

// Sums c[k] u[k] of n numbers, in two places.
FLY_WIDE static void put_sums(double *restrict one, double *restrict two, const double c[FLY_HISTORY],
                              const double *const u[FLY_HISTORY], int degree, int n) {
  const double *restrict u0 = u[0], *restrict u1 = u[1], *restrict u2 = u[2], *restrict u3 = u[3];
  for (int i = 0; i < n && degree == 0; i++)
    one[i] = two[i] = c[0] * u0[i];
  for (int i = 0; i < n && degree == 1; i++)
    one[i] = two[i] = c[0] * u0[i] + c[1] * u1[i];
  for (int i = 0; i < n && degree == 2; i++)
    one[i] = two[i] = (c[0] * u0[i] + c[1] * u1[i]) + c[2] * u2[i];
  for (int i = 0; i < n && degree == 3; i++)
    one[i] = two[i] = ((c[0] * u0[i] + c[1] * u1[i]) + c[2] * u2[i]) + c[3] * u3[i];
}

// Unknowns first ... last - 1 at time t, times a factor: the prediction, which is where the corrector begins.
static void extrapolate(const fly_history *h, int degree, double t, double factor, const fly_attempt *at, int first,
                        int last) {
  double w[FLY_HISTORY] = {0};
  const double *u[FLY_HISTORY];
  weights_at(h, degree, t, w);
  for (int k = 0; k < FLY_HISTORY; k++) {
    w[k] *= factor;
    u[k] = h->u[k] + first;
  }
  put_sums(at->u_start + first, at->u + first, w, u, degree, last - first);
}

// As find_misses, several at a time: so many of the n. 0: one of them is not finite.
FLY_WIDE static int some_misses(const fly_history *h, double w[FLY_HISTORY][FLY_HISTORY], const double *vdot,
                                const double *scale, int n, double miss[FLY_HISTORY]) {
  quad most[FLY_HISTORY] = {{0}}, odd = {0};
  const double *u[FLY_HISTORY]; // no weight is on points that are not there
  for (int k = 0; k < FLY_HISTORY; k++)
    u[k] = h->u[k < h->count ? k : 0];
  int done = 0;
  for (; done + FOUR <= n; done += FOUR) {
    quad at[FLY_HISTORY], unit = *(const quad *)(scale + done);
    for (int k = 0; k < FLY_HISTORY; k++)
      at[k] = *(const quad *)(u[k] + done);
#pragma GCC unroll 4
    for (int d = 0; d < FLY_HISTORY; d++) {
      quad size = w[d][0] * at[0];
#pragma GCC unroll 3
      for (int k = 1; k <= d; k++)
        size += w[d][k] * at[k];
      size -= *(const quad *)(vdot + done);
      take_size(&size);
      size /= unit;
      keep_larger(&most[d], &size);
      odd += size * 0.0;
    }
  }
  const bool finite = odd[0] + odd[1] + odd[2] + odd[3] == 0;
  for (int d = 0; d < FLY_HISTORY && finite; d++)
    for (int k = 0; k < FOUR; k++)
      miss[d] = most[d][k] > miss[d] ? most[d][k] : miss[d];
  return finite ? done : 0;
}

// From the first of the accelerations on.
static inline void add_misses(const fly_solver *s, const double *vdot, int first, double w[FLY_HISTORY][FLY_HISTORY],
                              double miss[FLY_HISTORY]) {
  const fly_history *h = &fly_own(s)->history;
  const double *scale = s->e.p.scale_v;
  for (int i = first; i < s->e.p.nv; i++) {
    double u[FLY_HISTORY] = {0};
    for (int k = 0; k < h->count; k++)
      u[k] = h->u[k][i];
    for (int d = 0; d < FLY_HISTORY; d++) {
      double e = fabs(w[d][0] * u[0] + w[d][1] * u[1] + w[d][2] * u[2] + w[d][3] * u[3] - vdot[i]);
      e = scale ? e / scale[i] : e;
      miss[d] = fly_larger(miss[d], e);
    }
  }
}

static void find_many_misses(const fly_solver *s, const double *vdot, double t, double miss[FLY_HISTORY]) {
  const fly_history *h = &fly_own(s)->history;
  double w[FLY_HISTORY][FLY_HISTORY] = {{0}};
  weights_of_all(h, h->count, t, w);
  add_misses(s, vdot, some_misses(h, w, vdot, s->e.p.scale_v, s->e.p.nv, miss), w, miss);
}

// How far polynomials of each degree, 0 to count - 1, would have missed the newest accelerations, weighted.
static void find_misses(const fly_solver *s, const double *vdot, double t, double miss[FLY_HISTORY]) {
  const fly_history *h = &fly_own(s)->history;
  double w[FLY_HISTORY][FLY_HISTORY] = {{0}};
  for (int d = 0; d < FLY_HISTORY; d++)
    miss[d] = 0;
  if (s->e.p.scale_v && s->e.p.nv >= FLY_MANY) {
    find_many_misses(s, vdot, t, miss);
    return;
  }
  weights_of_all(h, h->count, t, w);
  add_misses(s, vdot, 0, w, miss);
}

// The degree that would have predicted the newest accelerations best.
static int best_degree(fly_solver *s, const double *vdot, double t) {
  fly_history *h = &fly_own(s)->history;
  int best = 0;
  double miss[FLY_HISTORY];
  find_misses(s, vdot, t, miss);
  if (h->count > 1) // (t-t0)(t-t1)/2 second derivative, as if steps were equal
    h->curvature = miss[1] * 2 * (t - h->t[0]) / (t - h->t[1]);
  for (int d = 1; d < h->count && d <= s->o.predictor_degree; d++)
    if (miss[d] < miss[best])
      best = d;
  return best;
}

// Takes the point `now` as newest.
void fly_history_add(fly_solver *s) {
  fly_history *h = &fly_own(s)->history;
  const fly_dae_problem *p = &s->e.p;
  if (h->count > 0) {
    int best = best_degree(s, s->now.vdot, s->now.t);
    bool full = best == h->count - 1 && best < s->o.predictor_degree; // the next degree had no chance yet
    h->degree = full ? best + 1 : best;
  }
  double *oldest = h->u[FLY_HISTORY - 1];
  for (int k = FLY_HISTORY - 1; k > 0; k--) {
    h->u[k] = h->u[k - 1];
    h->t[k] = h->t[k - 1];
  }
  h->u[0] = oldest;
  h->t[0] = s->now.t;
  if (h->count < FLY_HISTORY)
    h->count++;
  memcpy(oldest, s->now.vdot, (size_t)p->nv * sizeof(double));
  memcpy(oldest + p->nv, s->now.lambda, (size_t)s->e.nl * sizeof(double));
  memcpy(oldest + p->nv + s->e.nl, s->now.xdot, (size_t)p->nx * sizeof(double));
  memcpy(oldest + p->nv + s->e.nl + p->nx, s->now.y, (size_t)p->ny * sizeof(double));
  if (s->h_last > 0 && h->count > 1) {
    for (int i = s->step.ncore; i < s->step.n; i++)
      oldest[i] = s->at.u[i] / s->h_last;
    h->stabilized = h->stabilized < h->count ? h->stabilized + 1 : h->count;
  }
}

// Unknowns at the end of the attempt. The first step after a start may use the known third derivative.
void fly_predict(fly_solver *s) {
  fly_attempt *at = &s->at;
  const fly_history *h = &fly_own(s)->history;
  int degree = h->degree < h->count ? h->degree : h->count - 1;
  extrapolate(h, degree, at->end.t, 1.0, at, 0, s->step.ncore);
  bool taylor = h->count == 1 && fly_own(s)->jerk.known && fly_own(s)->jerk.trusted;
  if (taylor && at->h * fly_weighted(s, fly_own(s)->jerk.v) <= fly_weighted(s, s->now.vdot))
    for (int i = 0; i < s->e.p.nv; i++)
      at->u[i] = at->u_start[i] += at->h * fly_own(s)->jerk.v[i];
  if (h->stabilized >
      0) // (eta, mu) are proportional to h, and small: a higher degree would extrapolate their round-off
    extrapolate(h, h->stabilized > 1 ? 1 : 0, at->end.t, at->h, at, s->step.ncore, s->step.n);
  for (int i = s->step.ncore; i < s->step.n && h->stabilized == 0; i++)
    at->u[i] = at->u_start[i] = 0;
}

// out = w[0] u[0] + w[1] u[1] + w[2] u[2], of n numbers from `first` on; u[2] NULL: without it
FLY_WIDE static void put_slopes(double *restrict out, const double *const u[3], const double w[3], int first, int n) {
  const double *newest = u[0] + first, *next = u[1] + first, *oldest = u[2] ? u[2] + first : NULL;
  if (oldest)
    for (int i = 0; i < n; i++)
      out[i] = w[0] * newest[i] + w[1] * next[i] + w[2] * oldest[i];
  else
    for (int i = 0; i < n; i++)
      out[i] = w[0] * newest[i] + w[1] * next[i];
}

// Derivative at the newest of up to three points of the polynomial through them: v'' and x''. False: one point only.
bool fly_history_jerk(const fly_solver *s, double *vjerk, double *xjerk) {
  const fly_history *h = &fly_own(s)->history;
  if (h->count < 2)
    return false;
  int use[3] = {0}, points = 1; // points too close to each other would only multiply the noise of v'
  double apart = 0.2 * fmax(s->at.h, h->t[0] - h->t[1]);
  for (int k = 1; k < h->count && points < 3; k++)
    if (h->t[use[points - 1]] - h->t[k] >= apart)
      use[points++] = k;
  if (points == 1)
    use[points++] = h->count - 1;
  double d1 = h->t[0] - h->t[use[1]], w[3] = {1 / d1, -1 / d1, 0};
  if (points > 2) {
    double d2 = h->t[0] - h->t[use[2]], d12 = h->t[use[1]] - h->t[use[2]];
    w[0] = 1 / d1 + 1 / d2;
    w[1] = -d2 / (d1 * d12);
    w[2] = d1 / (d2 * d12);
  }
  const double *u[3] = {h->u[use[0]], h->u[use[1]], points > 2 ? h->u[use[2]] : NULL};
  put_slopes(vjerk, u, w, 0, s->e.p.nv);
  put_slopes(xjerk, u, w, s->e.p.nv + s->e.nl, s->e.p.nx);
  return true;
}

// Second derivative of x' with the attempt's end as the newest point: from three points, or from two and the slope
// found at the start; without either the first difference stands in for it, which overestimates.
double fly_history_state_curvature(const fly_solver *s, int i) {
  const fly_history *h = &fly_own(s)->history;
  int at = s->e.p.nv + s->e.nl + i;
  double t = s->at.end.t, dt = t - h->t[0], slope = (s->at.end.xdot[i] - h->u[0][at]) / dt;
  if (h->count > 1)
    return 2 * (slope - (h->u[0][at] - h->u[1][at]) / (h->t[0] - h->t[1])) / (t - h->t[1]);
  if (fly_own(s)->jerk.known && fly_own(s)->jerk.trusted)
    return 2 * (slope - fly_own(s)->jerk.x[i]) / dt;
  return slope / dt;
}
