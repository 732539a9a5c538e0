// How long the next step is, for all families: on the grid of fixed steps, or as the error, the limits and the times at
// which a step must end allow.
#include <float.h>
#include <math.h>

#include "dae/solver.h"

static const double STEP_MIN = 1e-11;      // of the largest step so far: no step is smaller
static const double ROUNDING_SEEN = 1e-10; // of a step: rounding errors of the time that may add up

// End of the fixed step with number k: t0 + (whole sequences) + fractions.
static double grid_time(const fly_solver *s, long k) {
  if (s->o.nsequence == 0)
    return s->t0 + (double)k * s->o.step;
  double part = 0;
  long whole = k / s->o.nsequence;
  for (long i = whole * s->o.nsequence; i < k; i++)
    part += s->sequence[i % s->o.nsequence];
  return s->t0 + ((double)whole + part) * s->o.step;
}

static double nominal_step(const fly_solver *s) {
  return s->o.nsequence ? s->o.step * s->sequence[s->grid_step % s->o.nsequence] : s->o.step;
}

// Fixed steps: the next grid point, or part of the way after failures. Returns the step, *end its end time.
double fly_plan_fixed(fly_solver *s, double *end) {
  double nominal = nominal_step(s);
  while (grid_time(s, s->grid_step + 1) < s->now.t + 1e-9 * nominal && s->now.t < s->t_end) // a break lay on the grid
    s->grid_step++;
  double target = grid_time(s, s->grid_step + 1), limit = fly_stops_limit(s);
  if (target > limit - 1e-9 * nominal)
    target = limit;
  double left = target - s->now.t;
  bool exact = target == s->stops.next.before;                                 // nothing may look beyond a break
  double h = !exact && fabs(left - nominal) < 1e-9 * nominal ? nominal : left; // the grid's rounding is no change
  if (s->grid_cut < 1 && s->grid_cut * nominal < 0.999 * left) {
    *end = s->now.t + s->grid_cut * nominal;
    return s->grid_cut * nominal;
  }
  *end = target;
  return h;
}

// As asked for, or where it vanishes beside the largest so far or in the rounding of the time. The interval has no say:
// a long run is no reason for long steps.
static double smallest_step(const fly_solver *s) {
  if (s->o.step_min > 0)
    return fmin(s->o.step_min, s->step_max);
  return fmax(STEP_MIN * s->h_largest, 16 * DBL_EPSILON * fabs(s->now.t));
}

// So that t + h has no rounding error, which equal steps would make again and again with one sign: of 10^5 steps of a
// short pulse it is the largest error. Of steps beside which it is nothing it is left alone.
static double without_rounding(double t, double h) {
  const double far = fabs(t) + h, grain = nextafter(far, INFINITY) - far;
  return grain > ROUNDING_SEEN * h && h > grain ? grain * floor(h / grain) : h;
}

double fly_plan_adaptive(fly_solver *s, double *end) {
  double limit = fly_stops_limit(s), left = limit - s->now.t;
  const double wanted = fmin(fmax(s->h_next, smallest_step(s)), s->step_max), most = fmin(wanted, left);
  const double free = fly_stops_longest(s, most);
  double h = free < most ? fmax(free, smallest_step(s)) : wanted;
  if (h >= left * (1 - 1e-6))
    h = left;
  else if (2 * h > left) // two equal steps rather than one and a crumb
    h = 0.5 * left;
  if (h != left && s->family == &fly_family_newmark) // the others take few steps
    h = without_rounding(s->now.t, h);
  *end = h == left ? limit : s->now.t + h;
  s->stops.wanted = free < most || !(h < wanted) ? 0.0 : wanted;
  double taken = *end - s->now.t;
  return fabs(taken - h) > 1e-6 * h ? taken : h; // far from time zero, times are coarse: the step is what they leave
}

void fly_plan_passed(fly_solver *s) {
  bool on_grid = s->now.t >= grid_time(s, s->grid_step + 1) || s->now.t >= s->t_end; // an event may have cut it
  s->grid_step += on_grid;
  s->grid_cut = on_grid ? 1.0 : s->grid_cut;
}

bool fly_plan_again(fly_solver *s, fly_outcome why) {
  fly_count_unsolved(&s->stats, why);
  s->stats.cut_steps += s->grid_cut == 1.0;
  s->grid_cut *= 0.5;
  return why != FLY_FATAL && why != FLY_OUT_OF_MEMORY && s->grid_cut >= 1e-6;
}

void fly_count_unsolved(fly_stats *stats, fly_outcome why) {
  stats->rejected_newton++;
  stats->rejected_callback += why == FLY_NOT_HERE;
  stats->rejected_singular += why == FLY_NO_FACTOR;
}
