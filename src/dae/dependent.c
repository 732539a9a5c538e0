// Dependent coordinates of the state-space methods: put back onto the constraints, always or beyond a tolerance, and
// watched for corners of the constraints' motions (docs/theory/statespace.md, sections 4 to 6).
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/phase.h"
#include "dae/outcome.h"
#include "dae/statespace.h"

enum { POSITION_SOLVES = 12 }; // corrections of the dependent positions

// A corner of a constraint's motion (SS-corner): a change of velocity rows so many times what steps may err by, where
// all coordinates are integrated, or dependent ones put back; or so many roundings. It is passed in a step that moves
// positions by this share of the error.
static const double CORNER_INTEGRATED = 4.0, CORNER_PUT_BACK = 0.2, CORNER_ROUNDING = 1e4, CORNER_SHARE = 0.01;
static const double PREDICTED = 1e-5;  // of a step's share of the error: what a prediction may miss the constraints by
static const double STAYING = 0.01;    // likewise: what accelerations of one that stays beside them may make of it,
static const double LEAST_SLOPE = 0.1; // by h times the rates of the equations as last seen, or by this
static const double NO_CORNER = 0.01;  // of what smooth steps change velocities by: no need to look closer
static const double STEPS_AHEAD = 3.0; // a singular position within so many steps: hybrid corrects always

fly_outcome fly_space_factor_dependent(state_space *w, double t, const double *q) {
  const fly_outcome outcome = outcome_of(fly_eval_kinematics(&w->s->e, t, q));
  return outcome ? outcome : outcome_of_factor(fly_partition_factor(&w->part));
}

// What positions may be off the constraints by. A prediction is corrected anyway: there it is a small part of the error
// that a step is allowed (SS-predicted).
static double position_slack(const state_space *w, bool predicted) {
  const double rounding = 4 * w->rounding;
  return predicted && w->s->o.step == 0 ? fmax(rounding, PREDICTED * fly_adams_allowed(&w->adams)) : rounding;
}

// What this correction has left, by the last one; or, of the first at a prediction, by what second ones have shown.
static double position_left(const state_space *w, bool predicted, int k, double size, double last) {
  return k > 0 ? size / last * size : predicted ? w->bend * size * size : (double)INFINITY;
}

// Whether a prediction may stay where it is: its accelerations are off by what the equations make of its miss.
static bool may_stay(const state_space *w, double miss) {
  const double slope = fmax(w->adams.at.predicted_slope, LEAST_SLOPE);
  return w->s->o.step == 0 && slope * miss <= STAYING * fly_adams_allowed(&w->adams);
}

// Newton's method for g(u, w) = 0 with the factors at hand, renewed where it is slow (SS-position).
static fly_outcome put_positions_back(state_space *w, double t, double *q, bool predicted) {
  fly_solver *s = w->s;
  fly_eval *e = &s->e;
  const double enough = position_slack(w, predicted);
  double last = INFINITY;
  w->moved = 0;
  for (int k = 0; k < POSITION_SOLVES && e->p.ng > 0; k++) {
    memset(w->rows + e->p.ng, 0, (size_t)e->p.nb * sizeof *w->rows);
    fly_outcome outcome = outcome_of(fly_eval_constraint(e, w->rows, t, q));
    if (outcome)
      return outcome;
    fly_partition_solve(&w->part, w->delta, w->rows);
    const double size = fly_weighted(s, w->delta);
    if (k == 0 && predicted && may_stay(w, size))
      return FLY_SOLVED;
    fly_eval_plus(e, q, q, w->delta);
    w->moved += size;
    if (k == 1 && w->fresh)
      w->bend = size / (last * last);
    if (size <= enough || position_left(w, predicted, k, size, last) <= enough)
      return FLY_SOLVED;
    if (!isfinite(size) || (k > 0 && size > 0.5 * last)) {
      if (size <= 100 * enough)
        return FLY_SOLVED;
      outcome = isfinite(size) && k < POSITION_SOLVES / 2 ? fly_space_factor_dependent(w, t, q) : FLY_UNSOLVED;
      if (outcome)
        return outcome;
    }
    last = size;
  }
  return e->p.ng > 0 ? FLY_UNSOLVED : FLY_SOLVED;
}

// Hybrid feeds errors back instead, into all coordinates by their masses: there those of dependent ones add up as well.
// Unless they have just been put back: while the formulas still see that jump in their past, it counts for nothing.
bool fly_space_put_back_always(const state_space *w) {
  const bool jumping = w->since_correction <= w->adams.order_last + 1;
  return w->partition && (!w->hybrid || w->ill_conditioned || jumping);
}

// What smooth steps change the velocity rows by, as a change of velocities [1/s].
static double smooth_change(const state_space *w) {
  const fly_solver *s = w->s;
  const fly_adams_attempt *at = &w->adams.at;
  const double span = s->t_end - s->t0, rounding = CORNER_ROUNDING * DBL_EPSILON * fly_weighted(s, s->now.v);
  const double share = fly_space_put_back_always(w) ? CORNER_PUT_BACK * fmax(span / at->h, 1.0) : CORNER_INTEGRATED;
  return fmax(fmax(share * at->allowed / w->velocity_time, rounding), 2 * w->corner.rate * at->h);
}

// What putting the velocities back will change them by: rows were satisfied before, so that is all they have changed
// by.
static double dependent_change(state_space *w) {
  fly_partition_solve(&w->part, w->delta, w->corner.after);
  w->corner.solved = true;
  return fly_weighted(w->s, w->delta);
}

// Constraints whose velocity has jumped show it in their rows, and in nothing else. The step is divided until not
// knowing when makes no error; then velocities take the blow that the constraints give (SS-corner).
fly_outcome fly_space_watch_corner(state_space *w, double t, const double *q, double *v) {
  fly_solver *s = w->s;
  fly_adams *a = &w->adams;
  const double h = a->at.h, shortest = fmax(1e-11 * a->h_largest, 64 * DBL_EPSILON * fabs(t));
  if (s->o.step > 0)
    return FLY_SOLVED;
  const fly_outcome outcome = fly_space_velocity_rows(w, w->corner.after, t, q, v);
  if (outcome)
    return outcome;
  fly_corner_looked(&w->corner);
  const double smooth = smooth_change(w);
  if (w->partition && !w->hybrid && dependent_change(w) <= NO_CORNER * smooth)
    return FLY_SOLVED;
  fly_corner_blow(&w->corner, s);
  fly_space_solve(w, w->corner.blow);
  const double size = fly_weighted(s, w->corner.blow);
  if (!(size > smooth))
    return FLY_SOLVED;
  const fly_corner_trend trend = fly_corner_follow(&w->corner, a->t, h, size);
  if (trend == FLY_CORNER_FADES)
    return FLY_SOLVED;
  if (h > shortest && (trend == FLY_CORNER_NEW || size * h > CORNER_SHARE * s->o.error)) {
    fly_adams_refuse(a);
    return FLY_UNSOLVED;
  }
  fly_corner_strike(&w->corner, s, v);
  fly_adams_break(a);
  return FLY_SOLVED;
}

// What a first correction of velocities leaves, with factors of where positions were before they moved: A_u bends by
// what their second corrections have shown.
static bool velocities_do(const state_space *w, double size) {
  const double share = PREDICTED * fly_adams_allowed(&w->adams) / w->velocity_time;
  return w->s->o.step == 0 && 2 * w->bend * w->moved * size <= share;
}

// A_u u = -(A_w w + g_t, b), with factors of nearby; the kinematics are those of q. Rows that a look for corners has
// evaluated are taken as they are.
static fly_outcome put_velocities_back(state_space *w, double t, const double *q, double *v, bool predicted) {
  fly_eval *e = &w->s->e;
  double last = INFINITY;
  for (int k = 0; k < 3; k++) {
    const bool known = k == 0 && w->corner.looked;
    const fly_outcome outcome = known ? FLY_SOLVED : fly_space_velocity_rows(w, w->rows, t, q, v);
    if (outcome)
      return outcome;
    if (!(known && w->corner.solved))
      fly_partition_solve(&w->part, w->delta, known ? w->corner.after : w->rows);
    for (int i = 0; i < e->p.nv; i++)
      v[i] += w->delta[i];
    const double size = largest(w->delta, e->p.nv), enough = 1e-15 * largest(v, e->p.nv);
    if (size <= enough || (k > 0 && size / last * size <= enough))
      break;
    if (predicted && velocities_do(w, fly_weighted(w->s, w->delta)))
      break;
    last = size;
  }
  return FLY_SOLVED;
}

fly_outcome fly_space_put_back(state_space *w, double t, double *q, double *v, fly_put_back how) {
  const bool watch = how == FLY_PUT_ACCEPTED, predicted = how == FLY_PUT_PREDICTED && !w->exact;
  w->fresh = how == FLY_PUT_PREDICTED;
  w->corner.looked = false;
  fly_outcome outcome = put_positions_back(w, t, q, predicted);
  if (outcome == FLY_SOLVED && !(predicted && w->moved == 0)) // there they are evaluated
    outcome = outcome_of(fly_eval_kinematics(&w->s->e, t, q));
  if (outcome == FLY_SOLVED && watch)
    outcome = fly_space_watch_corner(w, t, q, v);
  if (outcome == FLY_SOLVED)
    outcome = put_velocities_back(w, t, q, v, predicted);
  if (watch)
    fly_corner_settled(&w->corner, w->s);
  w->kinematics = outcome == FLY_SOLVED;
  w->s->stats.corrections++;
  return outcome;
}

fly_outcome fly_space_put_joints_back(state_space *w, double *q, double *v) {
  fly_eval *e = &w->s->e;
  const fly_phase before = fly_phase_enter(FLY_PHASE_KINEMATICS);
  const int code = e->p.tree->put_back(q, v, e->p.user);
  fly_phase_leave(before);
  w->s->stats.corrections++;
  return outcome_of(fly_eval_note(e, "tree, put_back", code, NULL, 0));
}

// Hybrid: whether the constraints are missed by more than the tolerance. Kinematics are those of q.
fly_outcome fly_space_find_violation(state_space *w, double t, const double *q, const double *v, bool *violated) {
  fly_eval *e = &w->s->e;
  int code = fly_eval_constraint(e, w->rows, t, q);
  *violated = code == 0 && !(largest(w->rows, e->p.ng) <= w->tolerance);
  if (code == 0)
    code = fly_eval_velocity_rows(e, w->rows, t, q, v);
  *violated = *violated || (code == 0 && !(largest(w->rows, e->nl) * w->velocity_time <= w->tolerance));
  return outcome_of(code);
}

// Hybrid: if the smallest pivot, which moves as it did, vanishes within a few steps before or behind, errors in the
// constraints make forces without bounds (DADS 7.3.5): no feedback then, and pure partitioning.
void fly_space_watch_condition(state_space *w) {
  const double rcond = fly_partition_rcond(&w->part);
  w->ill_conditioned = rcond < STEPS_AHEAD * fabs(rcond - w->rcond);
  w->rcond = rcond;
}
