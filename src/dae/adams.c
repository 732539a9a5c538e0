// Adams PECE of variable order and step on modified divided differences (docs/theory/adams.md, sections 2 to 6).
#include "dae/adams.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/wide.h"
#include "dae/adams_sums.h"
#include "math/sizes.h"
#include "math/sum.h"

enum {
  START_STEPS = 8, // steps of a start that have a share of their own in the error of a run
  FAILURES = 3     // of one step, after which its past is not trusted
};
static const double RUN_SHARE = 0.75;       // of the error of a run for h/T, the rest for starts
static const double START_SHARE = 1.0 / 64; // for one step of the first start, over r^2 for the r-th
static const double ROUND_OFF = 4 * DBL_EPSILON;

fly_adams_options fly_adams_options_default(void) {
  return (fly_adams_options){.error = 1e-6, .error_per = FLY_PER_RUN, .order_max = FLY_ADAMS_ORDER_MAX};
}

// ---------------------------------------------------------------------------------------------- making

static fly_status check_options(const fly_adams_problem *p, const fly_adams_options *o, fly_error *error) {
  if (p->n < 1 || p->f == NULL)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "An ODE needs at least one component and a right-hand side.");
  if (o->order_max < 1 || o->order_max > FLY_ADAMS_ORDER_MAX)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "order_max = %d is not in 1 to %d.", o->order_max, FLY_ADAMS_ORDER_MAX);
  if (!(o->step >= 0) || !(o->step_min >= 0) || !(o->step_max >= 0) || !(o->step_initial >= 0) || o->max_steps < 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "step, step_min, step_max, step_initial and max_steps must not be negative.");
  if (o->step_min > 0 && o->step_max > 0 && o->step_min > o->step_max)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "step_min = %g s exceeds step_max = %g s.", o->step_min, o->step_max);
  if (o->step == 0 && !(o->error > 0 && isfinite(o->error)))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "The error asked for (%g) must be positive.", o->error);
  for (int i = 0; o->sequence && i < o->nsequence; i++)
    if (!(o->sequence[i] > 0 && isfinite(o->sequence[i])))
      return fly_fail(error, FLY_BAD_INPUT, NAN, "Fraction %d of the steps (%g) must be positive.", i, o->sequence[i]);
  for (int i = 0; p->scale && i < p->n; i++)
    if (!(p->scale[i] > 0))
      return fly_fail(error, FLY_BAD_INPUT, NAN, "The scale of component %d (%g) must be positive.", i, p->scale[i]);
  return FLY_OK;
}

fly_status fly_adams_create(fly_adams *a, const fly_adams_problem *problem, const fly_adams_options *options,
                            fly_error *error) {
  *a = (fly_adams){.p = *problem, .o = *options, .followed = problem->n};
  const fly_status status = check_options(problem, options, error);
  if (status)
    return status;
  const size_t n = (size_t)problem->n;
  fly_adams_coefficients(a->gamma, a->gamma_star, FLY_ADAMS_TERMS);
  double **arrays[] = {&a->inverse, &a->y,     &a->y_last,      &a->scale,       &a->f,       &a->more,
                       &a->low,     &a->trial, &a->f_predicted, &a->y_predicted, &a->f_before};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i] = fly_arena_doubles(&a->memory, n);
  for (int i = 0; i < FLY_ADAMS_TERMS; i++)
    a->history.phi[i] = fly_arena_doubles(&a->memory, n);
  if (a->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for an ODE of %d components.", problem->n);
  for (size_t i = 0; i < n; i++)
    a->scale[i] = problem->scale ? problem->scale[i] : 1;
  a->p.scale = a->scale;
  return FLY_OK;
}

void fly_adams_free(fly_adams *a) { fly_arena_free(&a->memory); }

void fly_adams_image(fly_adams *a, fly_image *m) {
  fly_image_arena(m, &a->memory);
  FLY_IMAGE_FROM(m, a, gamma, &a->memory);
}

// ---------------------------------------------------------------------------------------------- norm and share

static double weight(const fly_adams *a, int c) {
  return a->o.relative ? fmax(a->scale[c], fabs(a->y[c])) : a->scale[c];
}

static double norm(const fly_adams *a, const double *v) { return fly_largest_times(v, a->inverse, a->followed); }

// The weights as they are now, and y by them.
static void measure(fly_adams *a) {
  for (int c = 0; c < a->p.n && (a->o.relative || !a->weighed); c++)
    a->inverse[c] = 1 / weight(a, c);
  a->weighed = true;
  a->size = norm(a, a->y);
}

// What the tolerance allows a step (A-share).
static double share(const fly_adams *a, double h) {
  if (a->o.error_per == FLY_PER_STEP)
    return a->o.error;
  const double r = (double)a->stats.starts, start = a->start_steps < START_STEPS ? START_SHARE / (r * r) : 0;
  return a->o.error * (RUN_SHARE * h / (a->t_end - a->t0) + start);
}

// An estimate below the rounding errors of y says nothing.
static double allowed(const fly_adams *a, double h) { return fmax(share(a, h), ROUND_OFF * a->size); }

double fly_adams_allowed(const fly_adams *a) { return allowed(a, a->at.h); }

// ---------------------------------------------------------------------------------------------- callbacks

typedef enum outcome { DONE, TOO_LARGE, REFUSED, NOT_FINITE, FATAL } outcome;

static bool finite(const double *v, int n) { return fly_all_finite(v, n); }

static outcome outcome_of(int code, const double *v, int n) {
  if (code)
    return code < 0 ? FATAL : REFUSED;
  return finite(v, n) ? DONE : NOT_FINITE;
}

static outcome evaluate(fly_adams *a, double t, const double *y) {
  a->stats.evaluations++;
  return outcome_of(a->p.f(a->f, t, y, a->p.user), a->f, a->p.n);
}

static outcome correct_state(const fly_adams *a, fly_adams_place place, double t, double *y) {
  return a->p.hook ? outcome_of(a->p.hook(place, t, y, a->p.user), y, a->p.n) : DONE;
}

int fly_adams_jump(fly_adams *a, double t, const double *y) {
  a->stats.evaluations++;
  a->jumped = true;
  return a->p.f(a->f_before, t, y, a->p.user);
}

void fly_adams_refuse(fly_adams *a) { a->refused = true; }

void fly_adams_break(fly_adams *a) { a->broken = true; }

static fly_status explain(const fly_adams *a, outcome why, double h, fly_error *error) {
  if (why == FATAL)
    return fly_fail(error, FLY_CALLBACK, a->t, "In the step from t = %.9g s a callback reported a fatal failure.",
                    a->t);
  if (why == TOO_LARGE)
    return fly_fail(error, FLY_STEP_TOO_SMALL, a->t,
                    "At t = %.9g s the error asked for (%g) needs steps below %.2g s. The right-hand side may jump "
                    "there: end the run at the jump and restart behind it; or ask for a larger error.",
                    a->t, a->o.error, h);
  return fly_fail(error, why == REFUSED ? FLY_CALLBACK : FLY_NOT_FINITE, a->t,
                  "Behind t = %.9g s the right-hand side or the hook %s. Smaller steps, down to %.2g s, did not help.",
                  a->t, why == REFUSED ? "refuses the state" : "gives a number that is not finite", h);
}

// ---------------------------------------------------------------------------------------------- starting

// The past is the present point alone; a->f belongs to it.
static void forget(fly_adams *a) {
  a->history.known = 1;
  a->history.t[0] = a->t;
  memcpy(a->history.phi[0], a->f, (size_t)a->p.n * sizeof(double));
  a->order = 1;
  a->starting = a->o.step == 0;
  a->start_steps = 0;
  a->stats.starts++;
}

// A first step whose error at order 1, h^2 |y''|/2, is a quarter of its share; y'' from a small step of Euler's
// (A-first).
static double first_step(fly_adams *a) {
  const double *f = a->history.phi[0];
  const double span = a->t_stop - a->t, most = fmin(a->step_max, span);
  const double size = fmax(a->size, 1), slope = norm(a, f);
  const double d = fmin(1e-6 * span, slope > 0 ? 1e-6 * size / slope : 1e-6 * span);
  for (int c = 0; c < a->p.n; c++)
    a->trial[c] = a->y[c] + d * f[c];
  if (!(d > 0) || evaluate(a, a->t + d, a->trial) != DONE)
    return fmin(most, d > 0 ? d : DBL_MIN);
  for (int c = 0; c < a->p.n; c++)
    a->trial[c] = (a->f[c] - f[c]) / d;
  const double bend = norm(a, a->trial), h = bend > 0 ? sqrt(0.5 * allowed(a, 0) / bend) : most;
  return fmin(fmin(h, slope > 0 ? 0.1 * size / slope : h), most);
}

static fly_status begin(fly_adams *a, fly_error *error) {
  const outcome result = evaluate(a, a->t, a->y);
  if (result != DONE)
    return fly_fail(error, result == NOT_FINITE ? FLY_NOT_FINITE : FLY_CALLBACK, a->t,
                    "At the start, t = %.9g s, the right-hand side %s.", a->t,
                    result == NOT_FINITE ? "is not finite" : "refuses the state");
  forget(a);
  measure(a);
  memset(a->low, 0, (size_t)a->p.n * sizeof(double));
  a->t_last = a->t;
  memcpy(a->y_last, a->y, (size_t)a->p.n * sizeof(double));
  a->order_last = 0;
  if (a->t < a->t_end)
    a->h_next = a->o.step > 0           ? a->o.step
                : a->o.step_initial > 0 ? fmin(a->o.step_initial, a->step_max)
                                        : first_step(a);
  a->h_largest = fmax(a->h_largest, a->h_next);
  return FLY_OK;
}

fly_status fly_adams_enter(fly_adams *a, double t0, double t, double t_end, const double *y, bool first,
                           fly_error *error) {
  if (!isfinite(t0) || !isfinite(t_end) || !(t_end > t))
    return fly_fail(error, FLY_BAD_INPUT, t0, "The end time %g s must be behind the start time %g s.", t_end, t);
  if (!finite(y, a->p.n))
    return fly_fail(error, FLY_BAD_INPUT, t0, "The state at the start is not finite.");
  a->t0 = t0;
  a->t = t;
  a->t_end = a->t_stop = t_end;
  a->step_max = a->o.step_max > 0 ? a->o.step_max : 0.1 * (t_end - t0);
  if (first) {
    a->stats = (fly_adams_stats){0};
    a->fixed_step = 0;
    a->rounding = a->h_largest = a->h_next = 0;
  }
  memcpy(a->y, y, (size_t)a->p.n * sizeof(double));
  return begin(a, error);
}

fly_status fly_adams_start(fly_adams *a, double t0, double t_end, const double *y0, fly_error *error) {
  return fly_adams_enter(a, t0, t0, t_end, y0, true, error);
}

// ---------------------------------------------------------------------------------------------- the formulas

// Coefficients of a step h of the present order.
static void prepare(fly_adams *a, double h) {
  const int k = a->order, used = a->history.known < k + 1 ? k : k + 1; // points in use
  double d[FLY_ADAMS_TERMS] = {0}, psi[FLY_ADAMS_TERMS] = {1};         // t_n - t_(n-j);  t_(n+1) - t_(n+1-j)
  fly_adams_attempt *at = &a->at;
  at->h = h;
  at->beta[0] = at->uniform[0] = 1;
  for (int i = 0; i < used; i++) {
    d[i] = a->history.t[0] - a->history.t[i];
    psi[i + 1] = h + d[i];
    at->uniform[i + 1] = at->uniform[i] * (i + 1) * h / psi[i + 1];
    if (i > 0)
      at->beta[i] = at->beta[i - 1] * psi[i] / d[i];
  }
  fly_adams_integrate(at->g, used + 1, h, d, psi);
}

// (A-predict) into more and trial.
FLY_WIDE static void predict(fly_adams *a) {
  const fly_adams_attempt *at = &a->at;
  double sum[FLY_SUM_STRETCH];
  for (int from = 0, n; from < a->followed; from += n) {
    n = fly_sum_count(from, a->followed);
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int i = a->order - 1; i >= 0; i--)
      fly_sum_add(sum, at->g[i] * at->beta[i], a->history.phi[i] + from, n);
    for (int c = 0; c < n; c++) {
      a->more[from + c] = at->h * sum[c] + a->low[from + c];
      a->trial[from + c] = a->y[from + c] + a->more[from + c];
    }
  }
}

// phi_k at the new point, of a stretch of f there.
static void difference(const fly_adams *a, double *phi, const double *f, int from, int n) {
  memcpy(phi, f + from, (size_t)n * sizeof *phi);
  for (int i = 0; i < a->order; i++)
    fly_sum_add(phi, -a->at.beta[i], a->history.phi[i] + from, n);
}

// (A-correct) into trial, from f at the prediction, and the estimates (A-estimate).
FLY_WIDE static void correct(fly_adams *a) {
  fly_adams_attempt *at = &a->at;
  const int k = a->order, lowest = k > 2 ? k - 2 : 1;
  const double last = at->h * at->g[k];
  double phi[FLY_SUM_STRETCH], size[3] = {0};
  for (int from = 0, n; from < a->followed; from += n) {
    n = fly_sum_count(from, a->followed);
    difference(a, phi, a->f, from, n);
    for (int c = 0; c < n; c++) {
      a->more[from + c] += last * phi[c];
      a->trial[from + c] = a->y[from + c] + a->more[from + c];
    }
    for (int j = k; j >= lowest; j--) { // phi of order k, then down to the lowest one
      size[k - j] = fmax(size[k - j], fly_largest_times(phi, a->inverse + from, n));
      if (j > lowest)
        fly_sum_add(phi, at->beta[j - 1], a->history.phi[j - 1] + from, n);
    }
  }
  for (int j = 0; j < 3; j++)
    at->estimate[j] = k - j >= lowest ? at->h * fabs(at->g[k - j] - at->g[k - j - 1]) * size[j] : 0;
}

// The new point, with f there in a->f, joins the differences (A-update).
FLY_WIDE static void remember(fly_adams *a, double t1) {
  const int k = a->order;
  fly_adams_history *past = &a->history;
  const bool more = past->known > k; // phi_(k+1) comes out, too
  const double *f = a->jumped ? a->f_before : a->f;
  double phi[FLY_SUM_STRETCH];
  for (int from = 0, n; from < a->p.n; from += n) {
    n = fly_sum_count(from, a->p.n);
    difference(a, phi, f, from, n);
    for (int c = 0; c < n && more; c++)
      past->phi[k + 1][from + c] = phi[c] - a->at.beta[k] * past->phi[k][from + c];
    memcpy(past->phi[k] + from, phi, (size_t)n * sizeof *phi);
    for (int i = k - 1; i >= 0; i--) {
      fly_sum_add(phi, a->at.beta[i], past->phi[i] + from, n);
      memcpy(past->phi[i] + from, phi, (size_t)n * sizeof *phi);
    }
  }
  if (a->jumped) // a shift of all values is one of phi_0 alone (A-jump)
    memcpy(past->phi[0], a->f, (size_t)a->p.n * sizeof(double));
  memmove(past->t + 1, past->t, (FLY_ADAMS_TERMS - 1) * sizeof(double));
  past->t[0] = t1;
  past->known = k + 1 + more;
}

// Error at order j had all steps been as long as the last (A-uniform).
static double uniform_error(const fly_adams *a, int j) {
  return a->at.h * fabs(a->gamma_star[j]) * a->at.uniform[j] * norm(a, a->history.phi[j]);
}

// ---------------------------------------------------------------------------------------------- order and step

static bool lower_is_better(int k, double e, double e1, double e2) {
  return k > 2 ? fmax(e1, e2) <= e : k == 2 && e1 <= 0.5 * e;
}

// Section 5 of the theory. Returns the error to be expected at the order chosen.
static double choose_order(fly_adams *a) {
  const int k = a->order;
  const double e = uniform_error(a, k), e1 = k > 1 ? uniform_error(a, k - 1) : 0,
               e2 = k > 2 ? uniform_error(a, k - 2) : 0;
  if (lower_is_better(k, e, e1, e2)) {
    a->order--;
    a->starting = false;
    return e1;
  }
  if (k == a->o.order_max)
    a->starting = false;
  if (k == a->o.order_max || a->starting || a->history.known < k + 2) {
    a->order += a->starting;
    return e;
  }
  const double above = uniform_error(a, k + 1);
  if (k > 1 && e1 <= fmin(e, above)) {
    a->order--;
    return e1;
  }
  if (above < (k == 1 ? 0.5 * e : e)) {
    a->order++;
    return above;
  }
  return e;
}

// Doubled if half the share is enough for that, kept, or shrunk (A-step).
static void choose_step(fly_adams *a) {
  const double h = a->at.h;
  const double e = choose_order(a);
  if (a->starting) {
    a->h_next = 2 * h;
    return;
  }
  const int exponent = a->order + (a->o.error_per == FLY_PER_STEP);
  const double factor = e > 0 ? pow(0.5 * allowed(a, h) / e, 1.0 / exponent) : 2;
  a->h_next = h * (factor >= 2 ? 2 : factor >= 1 ? 1 : fmin(0.9, fmax(0.5, factor)));
}

static double smallest_step(const fly_adams *a) {
  if (a->o.step_min > 0)
    return a->o.step_min;
  return fmax(1e-13 * a->h_largest, 16 * DBL_EPSILON * fabs(a->t));
}

// The last two steps before the end are made equal rather than one full and one crumb.
static double next_time(const fly_adams *a, double h) {
  const double left = a->t_stop - a->t;
  if (h >= left * (1 - 1e-10))
    return a->t_stop;
  return a->t + (a->o.step == 0 && 2 * h > left ? 0.5 * left : h);
}

// After a rejection.
static void give_way(fly_adams *a, outcome why, int failures) {
  const fly_adams_attempt *at = &a->at;
  a->starting = false;
  a->h_next = at->h * (why == TOO_LARGE ? 0.5 : 0.25);
  if (why == TOO_LARGE && lower_is_better(a->order, at->estimate[0], at->estimate[1], at->estimate[2]))
    a->order--;
  if (failures < FAILURES)
    return;
  memcpy(a->f, a->history.phi[0], (size_t)a->p.n * sizeof(double));
  if (a->history.known > 1)
    forget(a);
  if (why == TOO_LARGE) // at order 1 the estimate goes like h^2 and is, with a jump inside, like h
    a->h_next = at->h * fmin(0.5, fmax(1e-3, 0.5 * allowed(a, 0) / at->estimate[0]));
}

// ---------------------------------------------------------------------------------------------- a step

static void keep_prediction(fly_adams *a) {
  const size_t size = (size_t)a->followed * sizeof(double);
  memcpy(a->y_predicted, a->trial, size);
  memcpy(a->f_predicted, a->f, size);
}

// What the two evaluations of a step say about the rates of the equations.
static double slope_seen(const fly_adams *a) {
  const double moved = fly_largest_apart(a->trial, a->y_predicted, a->inverse, a->followed);
  const double changed = fly_largest_apart(a->f, a->f_predicted, a->inverse, a->followed);
  return moved > ROUND_OFF * a->size ? a->at.h * changed / moved : 0;
}

// P E C, the test, and the last E.
static outcome attempt(fly_adams *a, double t1) {
  a->jumped = a->refused = a->broken = false;
  prepare(a, t1 - a->t);
  measure(a);
  predict(a);
  outcome result = correct_state(a, FLY_ADAMS_PREDICTED, t1, a->trial);
  if (result == DONE)
    result = evaluate(a, t1, a->trial);
  if (result != DONE)
    return result;
  keep_prediction(a);
  correct(a);
  if (!finite(a->trial, a->followed))
    return NOT_FINITE;
  a->at.allowed = a->o.step > 0 ? (double)INFINITY : allowed(a, a->at.h);
  if (!(a->at.estimate[0] <= a->at.allowed))
    return TOO_LARGE;
  result = correct_state(a, FLY_ADAMS_ACCEPTED, t1, a->trial);
  if (a->refused && result != FATAL)
    return TOO_LARGE;
  if (result == DONE)
    result = evaluate(a, t1, a->trial);
  if (result == DONE)
    a->at.predicted_slope = slope_seen(a);
  return result;
}

// What the sum y + more has lost, for the next step (A-low); where the hook has moved the sum, nothing.
FLY_WIDE static void keep_low(fly_adams *a) {
  const double *restrict y = a->y, *restrict more = a->more, *restrict trial = a->trial;
  double *restrict low = a->low;
  for (int c = 0; c < a->followed; c++) {
    const double sum = y[c] + more[c], lost = fly_rounded_off(y[c], more[c], sum);
    low[c] = trial[c] == sum ? lost : 0.0;
  }
}

static void accept(fly_adams *a, double t1) {
  const double h = a->at.h;
  keep_low(a);
  a->rounding += a->o.step > 0 ? 0 : allowed(a, h) - share(a, h);
  remember(a, t1);
  double *freed = a->y_last;
  a->y_last = a->y;
  a->y = a->trial;
  a->trial = freed;
  a->t_last = a->t;
  a->t = t1;
  a->order_last = a->order;
  a->start_steps++;
  fly_adams_stats *s = &a->stats;
  s->step_smallest = s->steps == 0 ? h : fmin(s->step_smallest, h);
  s->step_largest = fmax(s->step_largest, h);
  s->steps++;
  if (a->order > s->order_highest)
    s->order_highest = a->order;
  a->h_largest = fmax(a->h_largest, h);
}

static void plan_next(fly_adams *a, bool cut, double wanted) {
  if (a->broken && a->o.step == 0) {
    forget(a);
    a->h_next = a->at.h;
    return;
  }
  if (a->o.step > 0) {
    a->fixed_step++;
    a->order += a->order < a->o.order_max;
    a->h_next = a->o.step;
    return;
  }
  measure(a);
  choose_step(a);
  if (cut) // by the end, which is near: its length says nothing
    a->h_next = fmax(a->h_next, wanted);
}

static double wanted_step(const fly_adams *a) {
  if (a->o.step > 0)
    return a->o.step * (a->o.sequence && a->o.nsequence > 0 ? a->o.sequence[a->fixed_step % a->o.nsequence] : 1);
  return fmin(fmax(a->h_next, smallest_step(a)), a->step_max);
}

fly_status fly_adams_finished(const fly_adams *a, double asked, fly_error *error) {
  if (a->t < a->t_end || !(a->rounding > asked))
    return FLY_OK;
  return fly_fail(error, FLY_NOT_KEPT, a->t,
                  "The run is complete, but the error asked for (%g) is below the rounding errors of its %ld steps, "
                  "about %.1e. Ask for a larger error.",
                  asked, a->stats.steps, a->rounding);
}

fly_status fly_adams_step(fly_adams *a, fly_error *error) {
  if (a->t >= a->t_stop)
    return FLY_OK;
  for (int failures = 0;;) {
    if (a->o.max_steps > 0 && a->stats.steps + a->stats.rejected_error + a->stats.rejected_callback >= a->o.max_steps)
      return fly_fail(error, FLY_TOO_MANY_STEPS, a->t, "%ld steps were not enough to get beyond t = %.9g s of %.9g s.",
                      a->o.max_steps, a->t, a->t_end);
    const double h = wanted_step(a), t1 = next_time(a, h);
    const outcome result = attempt(a, t1);
    if (result == DONE) {
      accept(a, t1);
      plan_next(a, t1 - a->t_last < 0.999 * h, h);
      return fly_adams_finished(a, a->o.error, error);
    }
    a->stats.rejected_error += result == TOO_LARGE;
    a->stats.rejected_callback += result != TOO_LARGE;
    if (result == FATAL || a->o.step > 0 || fmin(h, a->at.h) <= smallest_step(a))
      return explain(a, result, a->at.h, error);
    give_way(a, result, ++failures);
  }
}

int fly_adams_take(fly_adams *a, double t1) {
  const outcome result = attempt(a, t1);
  if (result != DONE) {
    a->stats.rejected_callback++;
    return result == FATAL ? -1 : 1;
  }
  accept(a, t1);
  plan_next(a, false, 0);
  return 0;
}

fly_status fly_adams_advance(fly_adams *a, double t, fly_error *error) {
  fly_status status = FLY_OK;
  while (status == FLY_OK && a->t < fmin(t, a->t_stop))
    status = fly_adams_step(a, error);
  return status;
}

fly_status fly_adams_run(const fly_adams_problem *problem, const fly_adams_options *options, double *y, double t0,
                         double t_end, fly_adams_stats *stats, fly_error *error) {
  const fly_adams_options usual = fly_adams_options_default();
  fly_adams a;
  if (!problem || !problem->f || !y)
    return fly_missing(error, "fly_adams_run", !problem ? "problem" : y ? "callback `f`" : "start");
  fly_status status = fly_adams_create(&a, problem, options ? options : &usual, error);
  if (status == FLY_OK)
    status = fly_adams_start(&a, t0, t_end, y, error);
  if (status == FLY_OK)
    status = fly_adams_advance(&a, t_end, error);
  if (a.y)
    memcpy(y, a.y, (size_t)problem->n * sizeof *y);
  if (stats)
    *stats = a.stats;
  fly_adams_free(&a);
  return status;
}

// ---------------------------------------------------------------------------------------------- the past of others

void fly_adams_seed(fly_adams *a, int count, const double *t, double *const *f) {
  memcpy(a->history.t, t, (size_t)count * sizeof *t);
  a->history.known = count;
  fly_adams_set_past(a, 0, a->p.n, f);
  a->order = count - 1;
  a->starting = false;
  a->h_next = fmin(t[0] - t[1], a->step_max);
  a->h_largest = fmax(a->h_largest, a->h_next);
}

// ---------------------------------------------------------------------------------------------- stops and restarts

fly_status fly_adams_stop_at(fly_adams *a, double t, fly_error *error) {
  if (!(t >= a->t && t <= a->t_end))
    return fly_fail(error, FLY_BAD_INPUT, t, "A stop at %.9g s is not between the present time, %.9g s, and the end.",
                    t, a->t);
  a->t_stop = t;
  return FLY_OK;
}

fly_status fly_adams_restart(fly_adams *a, double t, double stop, const double *y, fly_error *error) {
  const bool beyond = y && t > a->t;
  const fly_status status = beyond ? FLY_OK : fly_adams_interpolate(a, t, a->trial, error); // checks t, too
  if (status)
    return status;
  if (y && !finite(y, a->p.n))
    return fly_fail(error, FLY_BAD_INPUT, t, "The state of the restart at t = %.9g s is not finite.", t);
  memcpy(a->y, y ? y : a->trial, (size_t)a->p.n * sizeof(double));
  a->t = t;
  a->t_stop = fmin(stop, a->t_end);
  return begin(a, error);
}
