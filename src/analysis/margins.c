// Margins of a loop: its response on points so close that nothing is between them, then each crossing by bisection.
#include "analysis/margins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/constants.h"

enum { MOST_POINTS = 40000, SEEDS = 26, HALVINGS = 200 };
static const double ROUGH_TURN = 0.3, ROUGH_GROWTH = 0.5, ROUGH_BEND = 0.05; // of ln L between neighbours
static const double NEAREST = 1e-9;                                          // two frequencies, relatively
static const double FAINT = 1e-3;                                            // |L| that no longer matters
static const double HUGE_GAIN = 1e9;                                         // |L| that is a pole's
static const double NOISE = 1e-10;                                           // of Im L beside |L|: rounding

typedef struct curve {
  fly_opened *o;
  fly_loop *out;
  int count;
  double *w;         // frequencies (count)
  double complex *L; // (count)
  bool full;
} curve;

static double complex at(const curve *c, double w) { return fly_opened_at(c->o, fly_complex(0, w)); }

static bool is_finite(double complex z) { return isfinite(creal(z)) && isfinite(cimag(z)); }

static fly_status no_memory(fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the curve of a loop.");
}

// ------------------------------------------------------------------------------------------ points

static void add_point(curve *c, double w, double complex L) {
  if (c->count == MOST_POINTS) {
    c->full = true;
    return;
  }
  c->w[c->count] = w;
  c->L[c->count++] = L;
}

// Between two neighbours ln L goes nearly straight, a small way.
static bool is_smooth(double complex a, double complex middle, double complex b) {
  if (a == 0 && middle == 0 && b == 0)
    return true;
  const double complex one = clog(middle / a), two = clog(b / middle);
  return fabs(cimag(one)) + fabs(cimag(two)) < ROUGH_TURN && fabs(creal(one)) + fabs(creal(two)) < ROUGH_GROWTH &&
         cabs(one - two) < ROUGH_BEND;
}

// Adds what is between a and b, and b.
static void fill(curve *c, double a, double complex La, double b, double complex Lb) {
  const double middle = sqrt(a * b);
  const double complex Lm = at(c, middle);
  if (c->full)
    return;
  if (is_smooth(La, Lm, Lb) || b <= a * (1 + NEAREST)) {
    add_point(c, middle, Lm);
    add_point(c, b, Lb);
    return;
  }
  fill(c, a, La, middle, Lm);
  fill(c, middle, Lm, b, Lb);
}

static int by_size(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

// Frequencies beside a pole or zero, as near as it is to the axis and nearer; itself, if it is not on it.
static int seeds_of(double re, double im, double *out) {
  static const double beside[] = {0.1, 0.3, 1, 3};
  int n = 0;
  const double w = fabs(im), far = fmax(fabs(re), NEAREST * w);
  if (!isfinite(re) || !isfinite(im) || hypot(re, im) == 0)
    return 0;
  out[n++] = hypot(re, im);
  for (int k = 0; k < 4; k++)
    for (int side = -1; side <= 1; side += 2)
      if (w + side * beside[k] * far > 0)
        out[n++] = w + side * beside[k] * far;
  for (double d = 0.1; d > far / fmax(w, far) && n + 2 <= SEEDS; d /= 10) {
    out[n++] = w * (1 - d);
    out[n++] = w * (1 + d);
  }
  return n;
}

static int add_seeds(double *seed, int n, const fly_poles *p) {
  double largest = 0;
  for (int k = 0; k < p->count; k++)
    largest = isfinite(p->re[k]) ? fmax(largest, hypot(p->re[k], p->im[k])) : largest;
  for (int k = 0; k < p->count; k++)
    if (p->im[k] >= 0 && hypot(p->re[k], p->im[k]) > fmax(1e-13 * largest, p->bound[k]))
      n += seeds_of(p->re[k], p->im[k], seed + n);
  return n;
}

// Ends of what is looked at: beyond, L goes on as a power of the frequency.
static double lowest(const curve *c, double w) {
  for (int k = 0; k < 12; k++, w /= 10) {
    const double here = cabs(at(c, w)), below = cabs(at(c, w / 10));
    const bool flat = fabs(below - here) <= 1e-6 * here, away = (below > here) == (here > 1);
    if (!(here > 0) || !isfinite(below) || flat || away)
      break;
  }
  return w;
}

static double highest(const curve *c, double w) {
  for (int k = 0; k < 15; k++, w *= 10) {
    const double here = cabs(at(c, w)), above = cabs(at(c, 10 * w));
    if (!(here > FAINT) || !isfinite(above) || fabs(above - here) <= 1e-6 * here || above > here)
      break;
  }
  return w;
}

// With a delay L turns on for ever; where it has become faint there is nothing to see.
static double highest_late(const curve *c, double low, double high) {
  while (high > 2 * low) {
    double most = 0;
    for (int k = 0; k <= 16; k++)
      most = fmax(most, cabs(at(c, high * exp2(-k / 16.0))));
    if (!(most < 10 * FAINT))
      break;
    high /= 2;
  }
  return high;
}

static bool is_late(const fly_opened *o) {
  for (int k = 0; k < o->m; k++)
    if (o->late[k] > 0)
      return true;
  return false;
}

static void draw(curve *c, double *seed, int n) {
  qsort(seed, (size_t)n, sizeof *seed, by_size);
  double low = n > 0 ? seed[0] / 100 : 0.01, high = n > 0 ? seed[n - 1] * 100 : 100;
  low = lowest(c, low);
  high = highest(c, high);
  if (is_late(c->o))
    high = highest_late(c, low, high);
  double w = low;
  double complex L = at(c, w);
  add_point(c, w, L);
  for (int k = 0; k <= n; k++) {
    const double next = k < n ? seed[k] : high;
    if (next <= w * (1 + NEAREST) || next > high)
      continue;
    const double complex Ln = at(c, next);
    if (!is_finite(Ln))
      continue;
    fill(c, w, L, next, Ln);
    w = next;
    L = Ln;
  }
}

// ------------------------------------------------------------------------------------------ crossings

// What changes its sign where something is crossed.
typedef double sign_fn(double complex L);

static double beyond_one(double complex L) { return log(cabs(L)); }
static double beside_axis(double complex L) { return cimag(L); }
static double beyond_band(double complex L) { return cabs(L / (1 + L)) - sqrt(0.5); }

static double bisect(const curve *c, sign_fn *f, double a, double b) {
  const bool up = f(at(c, b)) > 0;
  for (int k = 0; k < HALVINGS && b > a * (1 + 4e-16); k++) {
    const double middle = sqrt(a) * sqrt(b);
    if (middle <= a || middle >= b)
      break;
    if ((f(at(c, middle)) > 0) == up)
      b = middle;
    else
      a = middle;
  }
  return sqrt(a) * sqrt(b);
}

// [deg]
static double lag_left(double complex L) { return carg(-L) * 360 / FLY_TAU; }

static fly_loop_crossing crossing_at(const curve *c, double w) {
  const double complex L = at(c, w);
  return (fly_loop_crossing){w, cabs(L), lag_left(L)};
}

// Between points that lie on different sides. Through a pole L comes back from the other side: that is no crossing.
static int find_crossings(const curve *c, sign_fn *f, fly_loop_crossing *out, int most) {
  int n = 0;
  double last = 0;
  for (int k = 0, before = 0; k < c->count && n < most; k++) {
    const double here = f(c->L[k]);
    if (here == 0 || !is_finite(c->L[k]) || (f == beside_axis && fabs(here) <= NOISE * cabs(c->L[k])))
      continue;
    if (last != 0 && (here > 0) != (last > 0)) {
      const fly_loop_crossing x = crossing_at(c, bisect(c, f, c->w[before], c->w[k]));
      if (x.gain < HUGE_GAIN && x.gain > 1 / HUGE_GAIN)
        out[n++] = x;
    }
    last = here;
    before = k;
  }
  return n;
}

static bool is_negative(const fly_loop_crossing *x) { return fabs(x->phase) < 1e-3; }

static void keep_negative(fly_loop_crossing *x, int *n) {
  int kept = 0;
  for (int k = 0; k < *n; k++)
    if (is_negative(&x[k]))
      x[kept++] = x[k];
  *n = kept;
}

// ------------------------------------------------------------------------------------------ margins

static void try_factor(fly_loop *out, double gain, double w) {
  const double factor = 1 / gain;
  if (factor > 1 && factor < out->gain_up) {
    out->gain_up = factor;
    out->gain_up_at = w;
  }
  if (factor < 1 && factor > out->gain_down) {
    out->gain_down = factor;
    out->gain_down_at = w;
  }
}

// At 0 and at infinity L is real too. A pole at 0 leaves no limit there, and rounding may put any number in its place;
// nor does a delay behind the loop at infinity: |D| turns round for ever.
static void try_ends(const curve *c) {
  const double complex zero = fly_opened_at(c->o, 0);
  const bool is_limit = c->count > 0 && cabs(zero - c->L[0]) <= 0.1 * cabs(c->L[0]);
  if (is_limit && cabs(zero) < HUGE_GAIN && creal(zero) < 0)
    try_factor(c->out, -creal(zero), 0.0);
  const double end = c->o->D[0];
  if (c->o->m == 1 && (end > 0 || (c->o->late[0] > 0 && end != 0)))
    try_factor(c->out, fabs(end), INFINITY);
}

static void find_gain_margins(const curve *c) {
  fly_loop *out = c->out;
  out->gain_up = INFINITY;
  out->gain_down = 0;
  out->gain_up_at = out->gain_down_at = NAN;
  for (int k = 0; k < out->nreal; k++)
    try_factor(out, out->real[k].gain, out->real[k].frequency);
  try_ends(c);
}

static void find_phase_margins(fly_loop *out) {
  out->phase = out->delay = INFINITY;
  out->phase_at = out->delay_at = NAN;
  for (int k = 0; k < out->ncrossover; k++) {
    const fly_loop_crossing *x = &out->crossover[k];
    if (fabs(x->phase) < fabs(out->phase)) {
      out->phase = x->phase;
      out->phase_at = x->frequency;
    }
    const double turn = (x->phase < 0 ? x->phase + 360 : x->phase) * FLY_TAU / 360, delay = turn / x->frequency;
    if (delay < out->delay) {
      out->delay = delay;
      out->delay_at = x->frequency;
    }
  }
}

static double sensitivity(const curve *c, double w) { return 1 / cabs(1 + at(c, w)); }

// The largest between a and b, where there is one, by golden sections of ln w.
static double summit(const curve *c, double a, double b) {
  const double part = (sqrt(5) - 1) / 2;
  double low = log(a), high = log(b), one = high - part * (high - low), two = low + part * (high - low);
  double f1 = sensitivity(c, exp(one)), f2 = sensitivity(c, exp(two));
  for (int k = 0; k < 80; k++) {
    if (f1 > f2) {
      high = two, two = one, f2 = f1;
      one = high - part * (high - low);
      f1 = sensitivity(c, exp(one));
    } else {
      low = one, one = two, f1 = f2;
      two = low + part * (high - low);
      f2 = sensitivity(c, exp(two));
    }
  }
  return exp((low + high) / 2);
}

static void try_peak(fly_loop *out, double size, double w) {
  if (!(size > out->peak))
    return;
  out->peak = size;
  out->peak_at = w;
}

static void find_peak(const curve *c) {
  fly_loop *out = c->out;
  int best = 0;
  for (int k = 1; k < c->count; k++)
    if (cabs(1 + c->L[k]) < cabs(1 + c->L[best]))
      best = k;
  const int before = best > 0 ? best - 1 : 0, behind = best + 1 < c->count ? best + 1 : best;
  const double w = summit(c, c->w[before], c->w[behind]);
  out->peak = 0;
  try_peak(out, sensitivity(c, w), w);
  const double complex zero = fly_opened_at(c->o, 0);
  if (is_finite(zero))
    try_peak(out, (1 - 1e-9) / cabs(1 + zero), 0.0); // at the end of a plain there is no summit
  if (!is_late(c->o))
    try_peak(out, (1 - 1e-9) / fabs(1 - c->o->D[0]), INFINITY);
}

static void find_bandwidth(const curve *c, fly_loop_crossing *work) {
  const int n = find_crossings(c, beyond_band, work, c->count);
  c->out->bandwidth = NAN;
  if (n > 0 && beyond_band(c->L[c->count - 1]) < 0)
    c->out->bandwidth = work[n - 1].frequency;
}

// ------------------------------------------------------------------------------------------ poles

static void count_poles(const fly_poles *p, int *unstable, int *axis) {
  *unstable = *axis = 0;
  for (int k = 0; k < p->count; k++) {
    if (!isfinite(p->re[k]))
      continue;
    *unstable += p->re[k] > p->bound[k];
    *axis += fabs(p->re[k]) <= p->bound[k];
  }
}

// A pole on the axis that is none of 1 + L: the loop does not move it, as nothing moves a wheel back to an angle.
// Beside the axis, as L may have the pole too.
static int count_untouched(fly_opened *o, const fly_poles *closed) {
  int n = 0;
  double largest = 0;
  for (int k = 0; k < closed->count; k++)
    largest = isfinite(closed->re[k]) ? fmax(largest, hypot(closed->re[k], closed->im[k])) : largest;
  for (int k = 0; k < closed->count; k++) {
    const double complex beside = fly_complex(fmax(closed->bound[k], 1e-9 * largest), closed->im[k]);
    n += fabs(closed->re[k]) <= closed->bound[k] && !(cabs(1 + fly_opened_at(o, beside)) < 1e-5);
  }
  return n;
}

static void judge_poles(fly_loop *out, fly_opened *o, const fly_poles *open, const fly_poles *closed) {
  count_poles(open, &out->open_unstable, &out->open_axis);
  count_poles(closed, &out->closed_unstable, &out->closed_axis);
  out->closed_untouched = count_untouched(o, closed);
  out->encirclements = out->open_unstable - out->closed_unstable;
  out->rightmost = -INFINITY;
  for (int k = 0; k < closed->count; k++)
    if (closed->re[k] > out->rightmost && (fabs(closed->re[k]) > closed->bound[k] || out->closed_untouched == 0)) {
      out->rightmost = closed->re[k];
      out->rightmost_imag = fabs(closed->im[k]);
    }
}

// ------------------------------------------------------------------------------------------ together

static fly_status find_curve(curve *c, const fly_poles *closed, fly_arena *memory, fly_error *error) {
  fly_poles open = {0}, zeros = {0};
  fly_arena work = {0};
  fly_status status = fly_opened_zeros(&zeros, c->o, &work, error);
  if (status == FLY_OK)
    status = fly_opened_poles(&open, c->o, c->o->m, 0, &work, error);
  double *seed = fly_arena_doubles(&work, (size_t)SEEDS * (size_t)(open.count + zeros.count + closed->count + c->o->m));
  c->w = fly_arena_doubles(memory, MOST_POINTS);
  c->L = fly_arena_take(memory, MOST_POINTS, sizeof *c->L);
  if (status == FLY_OK && (work.failed || memory->failed))
    status = no_memory(error);
  if (status == FLY_OK) {
    int n = add_seeds(seed, 0, &open);
    n = add_seeds(seed, n, &zeros);
    n = add_seeds(seed, n, closed);
    for (int k = 0; k < c->o->m; k++)
      if (c->o->late[k] > 0)
        seed[n++] = 1 / c->o->late[k];
    draw(c, seed, n);
  }
  fly_arena_free(&work);
  return status;
}

static fly_status take_curve(const curve *c, fly_arena *memory, fly_error *error) {
  fly_loop *out = c->out;
  double *re = fly_arena_doubles(memory, (size_t)c->count), *im = fly_arena_doubles(memory, (size_t)c->count);
  if (memory->failed)
    return no_memory(error);
  for (int k = 0; k < c->count; k++) {
    re[k] = creal(c->L[k]);
    im[k] = cimag(c->L[k]);
  }
  out->count = c->count;
  out->frequency = c->w;
  out->re = re;
  out->im = im;
  out->from = c->w[0];
  out->to = c->w[c->count - 1];
  out->whole = !c->full;
  return FLY_OK;
}

static bool is_nothing(const curve *c) {
  for (int k = 0; k < c->count; k++)
    if (cabs(c->L[k]) > 1e-14)
      return false;
  return true;
}

static fly_status find_margins(curve *c, fly_arena *memory, fly_error *error) {
  fly_loop *out = c->out;
  fly_loop_crossing *one = fly_arena_take(memory, (size_t)c->count, sizeof *one);
  fly_loop_crossing *real = fly_arena_take(memory, (size_t)c->count, sizeof *real);
  fly_loop_crossing *band = fly_arena_take(memory, (size_t)c->count, sizeof *band);
  if (memory->failed)
    return no_memory(error);
  out->ncrossover = find_crossings(c, beyond_one, one, c->count);
  out->nreal = find_crossings(c, beside_axis, real, c->count);
  keep_negative(real, &out->nreal);
  out->crossover = one;
  out->real = real;
  find_gain_margins(c);
  find_phase_margins(out);
  find_peak(c);
  find_bandwidth(c, band);
  return FLY_OK;
}

// Highest frequency at which the loop still gives back a third of what it gets: there may be poles up to there.
static double alive(const curve *c) {
  for (int k = c->count - 1; k >= 0; k--)
    if (cabs(c->L[k]) > 0.3)
      return c->w[k];
  return c->w[0];
}

fly_status fly_margins_find(fly_loop *out, fly_opened *o, fly_arena *memory, fly_error *error) {
  fly_poles open = {0}, closed = {0};
  curve c = {.o = o, .out = out};
  fly_status status = is_late(o) ? FLY_OK : fly_opened_poles(&closed, o, 0, 0, memory, error);
  if (status == FLY_OK)
    status = find_curve(&c, &closed, memory, error);
  if (status == FLY_OK && is_nothing(&c)) {
    out->peak = 0; // the caller knows the names
    return FLY_OK;
  }
  if (status == FLY_OK)
    status = take_curve(&c, memory, error);
  if (status == FLY_OK)
    status = find_margins(&c, memory, error);
  if (status == FLY_OK && is_late(o))
    status = fly_opened_poles(&closed, o, 0, alive(&c), memory, error);
  if (status == FLY_OK)
    status = fly_opened_poles(&open, o, 1, alive(&c), memory, error);
  if (status == FLY_OK)
    judge_poles(out, o, &open, &closed);
  return status;
}
