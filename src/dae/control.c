// Error and step control: weighted norms, the test, the next step, the first step.
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "dae/newmark.h"
#include "math/largest.h"
#include "math/sizes.h"

static const double LEVEL = 2.0;
static const double NOISE = 30.0;          // an estimate may be off by so many typical rounding errors
static const double AMPLIFIED = 100.0;     // times the rounding error of a position: near a singular one
static const double FORGET = 0.8;          // of an inherited velocity error, a step
static const double PUT_BACK_SHARE = 0.1;  // of the error of the run, for one step in the constrained directions
static const double ROUNDING_SHARE = 10.0; // rounding errors may add up to this times the error asked for

double fly_weighted(const fly_solver *s, const double *v) {
  if (s->e.p.scale_v)
    return fly_largest_over(v, s->e.p.scale_v, s->e.p.nv);
  double largest = 0;
  for (int i = 0; i < s->e.p.nv; i++)
    largest = fly_larger(largest, fabs(v[i]));
  return largest;
}

static double largest_position(const fly_solver *s) {
  double largest = s->e.p.nrotation > 0 ? 1 : 1e-300;
  for (int k = 0; k < s->e.nplain; k++) {
    const double *q = s->now.q + s->e.plain[k].q;
    for (int i = 0; i < s->e.plain[k].count; i++)
      largest = fabs(q[i]) > largest ? fabs(q[i]) : largest; // fmax is a call
  }
  return largest;
}

void fly_rounding(const fly_solver *s, double *position, double *velocity) {
  double largest = 0;
  for (int i = 0; i < s->e.p.nv; i++)
    largest = fmax(largest, fabs(s->now.v[i]));
  *position = 2 * DBL_EPSILON * largest_position(s);
  *velocity = 2 * DBL_EPSILON * largest;
}

// That of the largest position, seen through the smallest scale, because constraints carry it from one to the other.
double fly_round_off(const fly_solver *s) {
  double smallest = HUGE_VAL;
  const fly_dae_problem *p = &s->e.p;
  for (int i = 0; i < p->nv; i++) {
    double scale = p->scale_v ? p->scale_v[i] : 1.0;
    smallest = scale < smallest ? scale : smallest;
  }
  double floor = fmax(largest_position(s) / smallest, 1.0);
  for (int i = 0; i < p->nx; i++)
    floor = fmax(floor, fabs(s->now.x[i]) / (p->scale_x ? p->scale_x[i] : 1.0));
  return 2 * DBL_EPSILON * floor;
}

// ------------------------------------------------------------------------------------------ rounding errors of a run

void fly_roundings_add(fly_roundings *r, double position, double velocity, double left) {
  double travelled = velocity * left;
  r->squares += position * position + travelled * travelled;
}

double fly_roundings_total(const fly_roundings *r) { return sqrt(r->squares); }

fly_status fly_roundings_kept(const fly_roundings *r, double asked, long steps, double t, fly_error *error) {
  double total = fly_roundings_total(r);
  if (!(total > ROUNDING_SHARE * asked))
    return FLY_OK;
  return fly_fail(error, FLY_NOT_KEPT, t,
                  "The run is complete, but rounding errors and what its %ld steps have left in the constraints of "
                  "velocities add up to about %.2g, and an error of %.2g was asked for. Ask for a larger error.",
                  steps, total, asked);
}

void fly_shaken_point(fly_solver *s, double sign, fly_dae_state *out) {
  const fly_shaken *by = &s->shaken;
  const fly_point *now = &s->now;
  fly_point *to = &s->shaken.point;
  fly_point_copy(to, now, &s->e);
  for (int i = 0; i < s->e.p.nv; i++) {
    s->work[i] = by->q[i] + sign * by->q_left[i];
    to->v[i] += by->v[i] + sign * by->v_left[i];
    to->vdot[i] += by->vdot[i];
  }
  for (int i = 0; i < s->e.nl; i++)
    to->lambda[i] += by->lambda[i];
  fly_eval_plus(&s->e, to->q, now->q, s->work);
  if (s->family->refine)
    s->family->refine(s, to);
  *out = fly_point_state(to);
}

// ------------------------------------------------------------------------------------------ test and next step

static double allowed_error(const fly_solver *s, double h) {
  return s->o.error_per == FLY_PER_RUN ? s->o.error * h / (s->t_end - s->t0) : s->o.error;
}

// Errors that are put back do not add up, but there may be some such steps in a run.
static double put_back(const fly_solver *s) { return s->at.constrained / (PUT_BACK_SHARE * s->o.error); }

// A rounding error of a position, through accelerations, in the estimate.
static double in_estimate(const fly_solver *s, double rounding) {
  return fabs(fly_own(s)->error_constant) / s->o.method.beta * rounding;
}

// What rounding errors add to the estimate near a singular position: those of this step, and those that steps even
// nearer have left in the velocities, which the constraints now take out again. In index 3 accelerations carry rounding
// errors everywhere; they are taken out (clean.c), unless the position amplifies them.
static double amplified(const fly_solver *s) {
  double rounding = fmax(fly_own(s)->use.noise, fly_own(s)->inherited * s->at.h);
  bool taken_out = s->step.kind == FLY_MATRIX_INDEX3 && rounding <= AMPLIFIED * fly_round_off(s);
  return s->e.p.ng == 0 || taken_out ? 0.0 : in_estimate(s, rounding);
}

// The error of a run is the sum of its steps' errors, so a step may add its share of the interval (numerics 6). No step
// reduces what the estimate carries of round-off near singular positions. Asking for less would end in a spiral of ever
// smaller steps.
double fly_error_ratio(const fly_solver *s, double estimate, double h) {
  double adds_up = fmax(estimate - NOISE * amplified(s), 0.0) / allowed_error(s, h);
  return fmax(adds_up, put_back(s));
}

// What a step's error does later depends on its direction. In the free ones it stays, and adds up over the run; in the
// constrained ones the next step's constraints put it back, so there it may be a share of that of the run (C-split). At
// the corner of a motion, where velocities jump, it is c h |jump|, and no step would pass a test against its share c h.
double fly_split_estimate(fly_solver *s) {
  double *e = s->work, *rest = s->at.du;
  int nv = s->e.p.nv;
  double whole = fmax(fly_weighted(s, e), fly_state_estimate(s));
  bool splits = s->e.p.ng > 0 && fly_own(s)->defect == 0 && s->o.error_per == FLY_PER_RUN;
  if (!splits || fly_free_part(s, e, rest) != FLY_SOLVED)
    return whole;
  double adds_up = fmax(fly_weighted(s, rest), fly_state_estimate(s));
  for (int i = 0; i < nv; i++)
    rest[i] = e[i] - rest[i];
  s->at.constrained = fly_weighted(s, rest);
  return adds_up;
}

static double position_size(const fly_solver *s, int i) {
  double scale = s->e.p.scale_v ? s->e.p.scale_v[i] : 1.0;
  return s->e.q_of_v[i] < 0 ? 1.0 : fmax(fabs(s->now.q[s->e.q_of_v[i]]), scale);
}

// Asked where many attempts have failed in a row, as at a force that jumps: not everywhere, or the roundings of a run's
// many steps would go uncounted.
bool fly_error_nothing(const fly_solver *s) {
  for (int i = 0; i < s->e.p.nv; i++)
    if (!(fabs(s->work[i]) <= DBL_EPSILON * position_size(s, i)))
      return false;
  return fly_state_estimate(s) <= DBL_EPSILON;
}

bool fly_singular(const fly_solver *s, double h) { return amplified(s) > allowed_error(s, h); }

// For the next step. Near a singular position it is chosen so that the error is that of round-off: smaller steps come
// closer, where round-off is larger, and larger ones leap over it.
double fly_growth_ratio(const fly_solver *s, double estimate, double h) {
  return fmax(estimate / fmax(allowed_error(s, h), amplified(s)), put_back(s));
}

// The estimate grows like h^3, with first-order members like h^2; per run it is measured against h.
static double exponent(const fly_solver *s) {
  bool first = fly_own(s)->defect != 0 || (fly_own(s)->x_defect != 0 && s->e.p.nx > 0);
  return 1.0 / ((first ? 2 : 3) - (s->o.error_per == FLY_PER_RUN ? 1 : 0));
}

double fly_step_factor(const fly_solver *s, double ratio) {
  double factor = 0.9 * pow(fmax(ratio, 1e-12), -exponent(s));
  return fmin(fmax(factor, 0.2), 2.0);
}

// The estimate h^3 v'' vanishes where v'' passes through zero, and a step chosen by it alone leaps there; accelerations
// and reactions, whose error is h^2 times the derivative after, then jump out of line (they did by factors of 10). So a
// step may grow only while that quantity stays at the level it has had in the run. Called once an accepted step.
double fly_growth_limit(fly_solver *s) {
  double curvature = fly_own(s)->history.curvature, h = s->at.h;
  fly_own(s)->curvature_sum += h * curvature * curvature;
  fly_own(s)->curvature_time += h;
  double level = sqrt(fly_own(s)->curvature_sum / fly_own(s)->curvature_time);
  return curvature > 0 ? fmax(1.0, sqrt(LEVEL * level / curvature)) : 2.0;
}

void fly_inherit(fly_solver *s) {
  fly_own(s)->inherited = fmax(FORGET * fly_own(s)->inherited, fly_own(s)->use.noise / s->at.h);
}

// First step: from the third derivative if the motion has one there, from the acceleration and the speed otherwise; the
// error test has the last word.
double fly_step_first(fly_solver *s) {
  double span = s->t_end - s->t0, h = fmin(s->step_max, 1e-2 * span);
  if (s->o.step_initial > 0)
    return fmin(s->o.step_initial, s->step_max);
  double a = fly_weighted(s, s->now.vdot), v = fly_weighted(s, s->now.v);
  if (a > 0)
    h = fmin(h, pow(s->o.error, exponent(s)) * sqrt(1.0 / a)); // as if the motion's time scale were sqrt(1/a)
  if (v > 0)
    h = fmin(h, 0.1 / v);
  s->at.h = h;
  if (fly_find_jerk(s) != FLY_SOLVED)
    return h;
  double estimate =
      h * h *
      (fabs(fly_own(s)->error_constant) * h * fly_weighted(s, fly_own(s)->jerk.v) + 2 * fabs(fly_own(s)->defect) * a);
  if (estimate > 0) {
    double ratio = fly_error_ratio(s, estimate, h);
    h = fmin(h, 0.5 * h * pow(ratio, -exponent(s)));
  }
  return fmax(h, 1e-10 * span);
}
