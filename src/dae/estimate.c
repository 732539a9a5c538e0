// The run against its companion: what their difference says of its error (P-estimate), over time and of every value.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "dae/promise.h"
#include "dae/solver.h"

static const double MISSED = 3.0;        // error over the one asked for: the run says that it is not kept
static const double ORDER_FLAT = 0.05;   // errors do not fall with the tolerance
static const double BY_CHANCE = 1.0 / 3; // of such an order: errors of two pilots scatter by factors of 2
static const double NEAR = 5.0;          // pilots nearer to the run show its error, whatever the order
static const double FALLING = 2.0;       // differences of a value from two pilots: errors fall with the tolerance
static const double AT_REST = 10.0;      // largest value over its difference: no digit of it is known
static const double UNKNOWN = 2.0;       // ... and it may be nothing but noise
static const double SCATTERED = 0.5;     // error over the difference from one that is looser by 10 or less
static const double TIGHTER_MOST = 1.5;  // likewise from one that is tighter, though hardly so
static const double WORSE = 1.5;         // rounding errors of a step over those of steps before: looked at again
static const double AMPLIFIED = 100.0;   // times the rounding error of a position: beside a singular one
static const double SATURATED = 0.1;     // a difference as large as the motion

// ------------------------------------------------------------------------------------------ the factor

// (P-estimate)
static double share_of_run(double rho, double order) { return fmin(1 / fabs(pow(rho, order) - 1), 1.0); }

// The order at which differences from two pilots, looser than the run by near and far, stand in this ratio (P-fitted).
static double fit_order(double near, double far, double ratio, double most) {
  double low = ORDER_FLAT, high = most;
  for (int k = 0; k < 30; k++) {
    const double p = 0.5 * (low + high);
    *((pow(far, p) - 1) / (pow(near, p) - 1) < ratio ? &low : &high) = p;
  }
  return high;
}

double fly_promise_looser(const fly_promise *p, double name, double truth) {
  const bool sums = !fly_promise_fixed(p) && p->task.options.error_per == FLY_PER_RUN && truth > 0 && isfinite(truth);
  if (!sums || p->task.options.family == FLY_FAMILY_BDF)
    return name;
  return name > 1 ? fmin(fmax(truth, 1.0), name) : fmax(fmin(truth, 1.0), name);
}

static double looser_by(const fly_promise *p, double setting, double spent, double own) {
  return fly_promise_looser(p, setting / p->report.setting, spent / own);
}

// Of the sample that is being compared: largest differences from the companion so far, weighted first.
static const double *apart_now(const fly_promise *p) {
  return p->apart + (size_t)p->now.count * (1 + (size_t)p->task.nvalue);
}

// Two looser pilots: whether errors fall with the tolerance also between them and the run, or something else, round-off
// or a force that jumps, has become larger than what the tolerance makes of them. Where steps are cut at breaks and at
// what is met on the way, errors scatter, and the one that is farther in name may be nearer by chance.
static double factor_of_two(const fly_promise *p, double companion, double other) {
  const bool farther = companion > other;
  const double near = farther ? other : companion, far = farther ? companion : other;
  const double one = apart_now(p)[0], two = p->beside[0];
  const double plain = share_of_run(companion, p->order);
  if (!(one > 0) || !(two > 0) || fmax(one, two) > SATURATED)
    return plain;
  if (near < NEAR)
    return farther ? fmin(fmax(plain, share_of_run(other, p->order) * two / one), 1.0) : plain;
  const double fitted = fit_order(near, far, farther ? one / two : two / one, p->order);
  return share_of_run(companion, fmin(fitted + BY_CHANCE, p->order));
}

// A value may be one that a symmetry keeps at rest: whatever the others have, it has nothing but rounding errors, and
// as many in a pilot as in the run. It is hardly larger than its differences, or these do not fall (P-value).
static double factor_of_value(const fly_promise *p, double companion, double other, int i) {
  const bool farther = companion > other;
  const double near = farther ? other : companion, far = farther ? companion : other;
  const double one = apart_now(p)[i], two = p->beside[i], ratio = farther ? one / two : two / one;
  const bool rests = p->size[i - 1] <= AT_REST * one;
  if (!(one > 0) || !(two > 0) || !(rests || ratio < FALLING))
    return p->factor[0];
  return fmax(p->factor[0], share_of_run(companion, fit_order(near, far, ratio, p->order)));
}

bool fly_promise_same_steps(const fly_trace *a, const fly_trace *b) { return a->steps == b->steps && a->sum == b->sum; }

static bool has_other(const fly_promise *p) {
  return p->other.complete && p->other.count > p->now.count && p->other.setting > p->report.setting &&
         !fly_promise_same_steps(&p->other, &p->last);
}

// Of the companion, at sample k; after the run `last` is the run itself, and `now` its companion.
static double companion_by(const fly_promise *p, int k) {
  const double one = p->last.spent[k], two = p->now.sum;
  return looser_by(p, p->report.companion, p->flying ? two : one, p->flying ? one : two);
}

// Motions that are given altogether: no step errs, and what differs is how the way between their ends is filled in.
static bool adds_nothing(const fly_promise *p) { return fmax(p->last.sum, p->now.sum) <= FLY_NO_ERROR; }

static bool has_two(const fly_promise *p) {
  return !p->habit->scatters && !p->breaks && has_other(p) && !adds_nothing(p);
}

static double find_factor(const fly_promise *p, double companion, double other) {
  if (companion < 1 || p->report.companion < p->report.setting)
    return fmin(1 / (1 - pow(companion, p->order)), TIGHTER_MOST);
  if (p->habit->scatters && companion <= 10)
    return SCATTERED;
  return has_two(p) ? factor_of_two(p, companion, other) : share_of_run(companion, p->order);
}

static void find_factors(fly_promise *p) {
  const int k = p->now.count;
  const bool two = has_two(p);
  const double companion = companion_by(p, k);
  const double other = two ? looser_by(p, p->other.setting, p->other.spent[k], p->now.sum) : (double)NAN;
  p->factor[0] = find_factor(p, companion, other);
  for (int i = 1; i <= p->task.nvalue; i++)
    p->factor[i] = two && companion > 1 ? factor_of_value(p, companion, other, i) : p->factor[0];
}

void fly_promise_face(fly_promise *p, double companion) {
  p->report.companion = companion;
  p->doing = FLY_DOING_COMPARE;
  p->same = p->first = 0;
  memset(p->beside, 0, ((size_t)p->task.nvalue + 1) * sizeof *p->beside);
  memset(p->size, 0, (size_t)p->task.nvalue * sizeof *p->size);
}

// ------------------------------------------------------------------------------------------ differences

// The values of this sample are in p->work.
static void compare_beside(fly_promise *p, const fly_dae_state *at) {
  const int k = p->now.count, first = p->problem.nq + p->problem.nx;
  if (!p->other.complete || k >= p->other.count)
    return;
  const fly_dae_state other = fly_promise_state(p, &p->other, k);
  const double *values = p->other.value + (size_t)k * (size_t)p->width + first;
  p->beside[0] = fly_promise_larger(p->beside[0], fly_dae_distance(&p->problem, at, &other));
  for (int i = 0; i < p->task.nvalue; i++)
    p->beside[1 + i] = fly_promise_larger(p->beside[1 + i], fabs(p->work[i] - values[i]));
}

// As long as a value is hardly larger than its difference from a looser companion it may be noise, and how noise falls
// from one pilot to the next is chance and says nothing of that of the run: the difference itself is the least of its
// estimate from here on (P-noise).
static void keep_noise(fly_promise *p, const double *apart) {
  double *least = p->rounded + (size_t)p->now.count * (1 + (size_t)p->task.nvalue);
  for (int i = 0; i < p->task.nvalue && p->report.companion > p->report.setting && !p->flying; i++)
    if (p->size[i] <= UNKNOWN * apart[1 + i])
      least[1 + i] = fmax(least[1 + i], apart[1 + i]);
}

// The values of this sample are in p->work.
static void keep_missed(fly_promise *p, const double *apart, void *run) {
  double *estimate = p->work + p->task.nvalue;
  if (!p->task.missed || p->flying)
    return;
  for (int i = 0; i < p->task.nvalue; i++)
    estimate[i] = p->factor[1 + i] * apart[1 + i];
  p->task.missed(p->rounded + (size_t)p->now.count * (1 + (size_t)p->task.nvalue) + 1, p->work, estimate, run);
}

void fly_promise_compare(fly_promise *p, const fly_dae_state *at, double step_end, void *run) {
  const int k = p->now.count, first = p->problem.nq + p->problem.nx, row = 1 + p->task.nvalue;
  double *to = p->apart + (size_t)k * (size_t)row;
  const double *companion = p->last.value + (size_t)k * (size_t)p->width + first;
  const fly_dae_state other = fly_promise_state(p, &p->last, k);
  p->latest[0] = fly_dae_distance(&p->problem, at, &other);
  if (p->task.nvalue)
    p->task.values(p->work, at, run);
  for (int i = 0; i < p->task.nvalue; i++) {
    p->latest[1 + i] = fabs(p->work[i] - companion[i]);
    p->size[i] = fmax(p->size[i], fabs(p->work[i]));
  }
  for (int i = 0; i < row; i++)
    to[i] = fly_promise_larger(k ? to[i - row] : 0.0, p->latest[i]);
  const bool same = step_end == p->last.end[k];
  p->same += same;
  if (same && p->first == k)
    p->first = k + 1;
  compare_beside(p, at);
  keep_noise(p, to);
  find_factors(p);
  keep_missed(p, to, run);
  p->differs = fabs(log(companion_by(p, k)));
}

// ------------------------------------------------------------------------------------------ rounding

// The values here are in p->work.
static void shake_values(fly_promise *p, fly_solver *solver, double sign, double *to, void *run) {
  double *shaken = p->work + p->task.nvalue;
  fly_dae_state there;
  if (p->task.nvalue == 0)
    return;
  fly_shaken_point(solver, sign, &there);
  p->task.values(shaken, &there, run);
  for (int i = 0; i < p->task.nvalue; i++)
    to[i] = fmax(to[i], fabs(shaken[i] - p->work[i]));
}

// Beside a singular position rounding errors of the constraints are amplified, in a few steps that samples may miss,
// and in one run more than in another. So in every step it is asked what they can have done: the values with such
// errors against those without (P-rounded), and what the corrector has left with either sign, so that by chance one
// does not hide the other. Of the steps between two samples each that is worse than those before.
void fly_promise_shake(fly_promise *p, fly_solver *solver, void *run) {
  const int row = 1 + p->task.nvalue;
  const double size = fmax(solver->shaken.rounded, solver->shaken.left);
  const bool beside = solver->shaken.rounded > AMPLIFIED * fly_round_off(solver);
  if (p->doing == FLY_DOING_NOTHING || p->now.count >= p->n || !beside || !(size > WORSE * p->peak))
    return;
  p->peak = size;
  double *to = p->rounded + (size_t)p->now.count * (size_t)row;
  const fly_dae_state here = fly_solver_state(solver);
  to[0] = fmax(to[0], size);
  if (p->task.nvalue)
    p->task.values(p->work, &here, run);
  shake_values(p, solver, 1, to + 1, run);
  if (solver->shaken.left > 0)
    shake_values(p, solver, -1, to + 1, run);
}

void fly_promise_next(fly_promise *p) {
  const size_t row = 1 + (size_t)p->task.nvalue;
  p->now.count++;
  if (p->flying || p->now.count >= p->n)
    return;
  memcpy(p->rounded + (size_t)p->now.count * row, p->rounded + (size_t)(p->now.count - 1) * row, row * sizeof(double));
  p->peak = 0;
}

// ------------------------------------------------------------------------------------------ what came out

static const char SAME_STEPS[] = "The run it was compared with took the same steps, so it cannot tell the error: what "
                                 "limits the steps (step_max, breaks, round-off) is not the tolerance.";

static bool is_followed(const fly_promise *p) { return p->doing == FLY_DOING_COMPARE && p->now.count > 0; }

static double largest_apart(const fly_promise *p) {
  return p->apart[(size_t)(p->now.count - 1) * (1 + (size_t)p->task.nvalue)];
}

// The companion took steps of the same errors, perhaps the very same steps: its errors are the run's, and what they
// share their difference does not show. What it shows is there all the same. Steps that are the same for most of the
// time say nothing by themselves: a machine that has come to rest is followed by the longest there are.
static bool cannot_tell(const fly_promise *p) {
  const bool alike = is_followed(p) && p->last.sum > FLY_NO_ERROR && p->differs < log(FLY_ALIKE);
  const bool same = p->same > FLY_SAME * p->now.count;
  return alike && (same || !(largest_apart(p) > MISSED * p->report.asked));
}

static double kept_until(const fly_promise *p, int n) {
  for (int k = 0; k < n && !isnan(p->report.asked); k++)
    if (!(fly_promise_error(p, k, -1) <= MISSED * p->report.asked))
      return fly_promise_time(p, k);
  return NAN;
}

fly_promise_report fly_promise_tell(const fly_promise *p) {
  if (!p)
    return fly_promise_unknown();
  fly_promise_report r = p->report;
  const int n = fly_promise_count(p);
  if (n > 0) {
    r.error = fly_promise_error(p, n - 1, -1);
    r.kept_until = kept_until(p, n);
  } else if (cannot_tell(p)) {
    r.note = SAME_STEPS;
  }
  if (!fly_promise_fixed(p) && !isnan(r.error))
    r.growth = r.error / r.setting;
  return r;
}

int fly_promise_values(const fly_promise *p) { return p ? p->task.nvalue : 0; }

int fly_promise_count(const fly_promise *p) { return p && is_followed(p) && !cannot_tell(p) ? p->now.count : 0; }

static bool has_value(const fly_promise *p, int value) { return p && value >= -1 && value < p->task.nvalue; }

// Behind a difference as large as the motion there is no order in errors: it is what they are.
static double factor_at(const fly_promise *p, int k, int value) {
  const double apart = p->apart[(size_t)k * (size_t)(1 + p->task.nvalue)], factor = p->factor[1 + value];
  return apart <= SATURATED ? factor : fmax(factor, 1.0);
}

double fly_promise_latest(const fly_promise *p, int value) {
  return has_value(p, value) && is_followed(p) ? factor_at(p, p->now.count - 1, value) * p->latest[1 + value]
                                               : (double)NAN;
}

double fly_promise_size(const fly_promise *p, int value) {
  return value >= 0 && has_value(p, value) ? p->size[value] : (double)NAN;
}

// As long as run and companion have taken the same steps their difference shows nothing, and behind them it takes a
// while to grow: until then what it is after twice that time counts.
double fly_promise_error(const fly_promise *p, int k, int value) {
  const int count = fly_promise_count(p);
  if (!has_value(p, value) || k < 0 || k >= count)
    return NAN;
  if (k < 2 * p->first)
    k = 2 * p->first < count ? 2 * p->first : count - 1;
  const size_t at = (size_t)k * (size_t)(1 + p->task.nvalue) + (size_t)(1 + value);
  return fly_promise_larger(factor_at(p, k, value) * p->apart[at], p->rounded[at]);
}

// Methods of higher order, but for the one that has just been used.
static const char *other_methods(fly_method_family used) {
  return used == FLY_FAMILY_NEWMARK ? "radau, partition" : used == FLY_FAMILY_RADAU ? "partition" : "radau";
}

static void say_what_to_try(const fly_promise *p, const fly_promise_report *r, fly_error *error) {
  if (r->note[0])
    fly_error_append(error, " %s", r->note);
  if (!isnan(r->doubling))
    fly_error_append(error,
                     " Errors double every %.3g s: such a motion can be followed for a while only. A tenfold "
                     "smaller error buys %.3g s more.",
                     r->doubling, r->doubling * log2(10));
  else if (!r->within_reach)
    fly_error_append(error, " Ask for a larger error or a shorter run, or try another method of high order: %s.",
                     other_methods(p->task.options.family));
  else
    fly_error_append(error, " Ask for a smaller error.");
}

fly_status fly_promise_judge(const fly_promise *p, fly_error *error) {
  if (!p)
    return fly_missing(error, "fly_promise_judge", "promise");
  const fly_promise_report r = fly_promise_tell(p);
  if (isnan(r.asked) || (r.within_reach && !(r.error > MISSED * r.asked)))
    return FLY_OK;
  if (r.error <= MISSED * r.asked)
    return FLY_OK;
  if (isnan(r.error))
    fly_fail(error, FLY_NOT_KEPT, p->task.t_end,
             "The run is complete, but pilots say that the error asked for, %.3g, is not kept.", r.asked);
  else
    fly_fail(error, FLY_NOT_KEPT, p->task.t_end,
             "The run is complete, but its error is about %.2g, and %.3g was asked for; it is kept until t = %.4g s.",
             r.error, r.asked, r.kept_until);
  if (error)
    say_what_to_try(p, &r, error);
  return FLY_NOT_KEPT;
}
