// The state-space methods of DADS 7.3 over Adams' formulas: direct integration, Baumgarte's stabilization, generalized
// coordinate partitioning and the hybrid algorithm. docs/theory/statespace.md derives what is here.
//
// The ODE has the components (q, v, x), and behind them the integrals of lambda and y, which no test sees: so the
// formulas keep a history of all that is reported, and dense output is of one order throughout.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dae/choice.h"
#include "dae/outcome.h"
#include "dae/statespace.h"

enum {
  FIXED_ORDER = 5,  // of fixed steps: the highest in the tables of DADS 7.4
  FIXED_START = 8,  // the first of them is made of 2^-8, 2^-8, 2^-7, ..., 1/2 of it
  CHECK_EVERY = 16, // predictions whose accelerations are solved to the end
  COLLAPSED = 3,    // rejections of one step by the error: whoever is to blame, it may be rounding errors of joints;
  COLLAPSED_START = 12, // of the first ones behind a start, whose size and order are guesses
  STIFF_STEPS = 1000    // in a row that are limited by stability, before a hopeless run is given up
};

static const double VELOCITY_TIME = 0.1; // of the interval: an error of v is one of q after this time (SS-weights)
static const double DAMPED = 0.04;       // alpha h, if alpha is chosen (SS-alpha) ...
static const double DAMPED_MOST = 0.06;  // ... kept up to this
static const double GAIN_MOST = 100.0;   // alpha times the interval, likewise
static const double GROWTH_LIMIT = 2.0;  // of a partition (SS-growth)
static const double LOST = 4.0;          // a fixed step with an error of several units has lost the motion
static const double STIFF_SLOPE = 0.5;   // h times the fastest rate, above which stability has a say (SS-stiff)
static const double COARSE = 0.1;        // of the last step: one that must be shorter has no past to go by
static const double HOPELESS = 1e7;      // steps
static const double LOST_MOST = 1e-2;    // rounding errors of accelerations joint after joint, of what they may err by
static const double LOST_FIXED = 1e-9;   // the error that fixed steps are taken to be asked for, there

// How the formulas begin: at the start of a run, behind a jump, or where another family has been at work.
typedef enum begins { FIRST, AGAIN, ENTERING } begins;

static int code_of(state_space *w, fly_outcome outcome) {
  w->why = outcome;
  return outcome == FLY_SOLVED ? 0 : outcome == FLY_FATAL || outcome == FLY_OUT_OF_MEMORY ? -1 : 1;
}

// ------------------------------------------------------------------------------------------ the right-hand side

static int right_hand_side(double *f, double t, const double *y, void *user) {
  state_space *w = user;
  const fly_eval *e = &w->s->e;
  const fly_outcome outcome = fly_space_accelerations(w, t, y, y + w->v, y + w->x);
  if (outcome)
    return code_of(w, outcome);
  const double *lambda = w->z + e->p.nv, *xdot = lambda + e->nl;
  fly_space_rates(e, f, y, y + w->v);
  memcpy(f + w->v, w->z, (size_t)e->p.nv * sizeof *f);
  memcpy(f + w->x, xdot, (size_t)e->p.nx * sizeof *f);
  memcpy(f + w->lambda, lambda, (size_t)e->nl * sizeof *f);
  memcpy(f + w->y, xdot + e->p.nx, (size_t)e->p.ny * sizeof *f);
  w->exact = true; // unless a prediction says otherwise
  return 0;
}

// ------------------------------------------------------------------------------------------ choice of coordinates

// A rotation is weighed by its four numbers: |2 dq| = |delta|.
static void weigh_position(state_space *w, int i, double unit) {
  const fly_eval *e = &w->s->e;
  double *scale = w->adams.scale;
  if (e->q_of_v[i] >= 0)
    scale[e->q_of_v[i]] = unit;
  else
    for (int k = 0, first = e->p.rotation_q[e->rotation_of[i]]; k < 4; k++)
      scale[first + k] = fmin(scale[first + k], 0.5 * unit);
}

// Errors of independent coordinates add up over the run. Dependent ones are put back, so theirs do not, and in place of
// its share h/T of the error a step may make the whole of it: that keeps them, between the points, and motions that
// are given altogether (SS-weights).
static void set_weights(state_space *w, double h) {
  const fly_dae_problem *p = &w->s->e.p;
  const double T = w->s->t_end - w->s->t0, loose = w->s->o.error_per == FLY_PER_STEP ? 1.0 : fmax(T / h, 1.0);
  double *scale = w->adams.scale;
  w->weighed = h;
  w->adams.weighed = false;
  for (int i = 0; i < w->n; i++)
    scale[i] = INFINITY;
  for (int i = 0; i < p->nv; i++) {
    const double unit = p->scale_v ? p->scale_v[i] : 1.0;
    const fly_dependence kind = fly_space_put_back_always(w) ? w->part.kind[i] : FLY_INDEPENDENT;
    weigh_position(w, i, kind == FLY_DEPENDENT ? loose * unit : unit);
    scale[w->v + i] = (kind == FLY_INDEPENDENT ? unit : loose * unit) / w->velocity_time;
  }
  for (int i = 0; i < p->nx; i++)
    scale[w->x + i] = p->scale_x ? p->scale_x[i] : 1.0;
}

// At an accepted point, with factors of nearby. A new choice needs no restart: all coordinates have their history.
static fly_outcome watch_partition(state_space *w) {
  if (fly_partition_growth(&w->part) <= GROWTH_LIMIT)
    return FLY_SOLVED;
  const fly_status status = fly_partition_choose(&w->part, NULL);
  if (status == FLY_SINGULAR) // no choice is good here: go on with the old one while it serves
    return outcome_of_factor(fly_partition_factor(&w->part));
  if (status == FLY_OK) {
    w->s->stats.repartitions++;
    w->rcond = NAN; // of other columns: no trend
    set_weights(w, w->adams.at.h);
  }
  return outcome_of_factor(status);
}

// ------------------------------------------------------------------------------------------ inside a step

static fly_outcome at_prediction(state_space *w, double t, double *y) {
  w->exact = !w->hangs && ++w->predictions % CHECK_EVERY == 0;
  w->reuse = false;
  if (w->hangs)
    return fly_space_put_joints_back(w, y, y + w->v);
  if (!w->partition || (w->hybrid && !w->ill_conditioned))
    return FLY_SOLVED;
  const fly_outcome outcome = fly_space_factor_dependent(w, t, y);
  return outcome ? outcome : fly_space_put_back(w, t, y, y + w->v, FLY_PUT_PREDICTED);
}

static fly_outcome put_back_if_violated(state_space *w, double t, double *y) {
  bool violated = false;
  fly_outcome outcome = fly_space_factor_dependent(w, t, y);
  fly_space_watch_condition(w);
  if (outcome == FLY_SOLVED)
    outcome = fly_space_watch_corner(w, t, y, y + w->v);
  if (outcome == FLY_SOLVED)
    outcome = fly_space_find_violation(w, t, y, y + w->v, &violated);
  w->kinematics = true;
  if (outcome || !(violated || w->ill_conditioned))
    return outcome;
  if (violated && fly_adams_jump(&w->adams, t, y))
    return w->why;
  w->exact = w->reuse = true;
  w->since_correction = -1; // the step is not accepted yet
  fly_corner_settled(&w->corner, w->s);
  return fly_space_put_back(w, t, y, y + w->v, FLY_PUT_CORRECTED);
}

static fly_outcome watch_without_partition(state_space *w, double t, double *y) {
  if (w->s->e.nl == 0)
    return FLY_SOLVED;
  const fly_outcome outcome = outcome_of(fly_eval_kinematics(&w->s->e, t, y));
  w->kinematics = outcome == FLY_SOLVED;
  return outcome ? outcome : fly_space_watch_corner(w, t, y, y + w->v);
}

// With the constraints' derivatives there, by which the certificate judges.
static fly_outcome hang_at(state_space *w, double t, double *y) {
  const fly_outcome outcome = fly_space_put_joints_back(w, y, y + w->v);
  return outcome ? outcome : outcome_of(fly_eval_kinematics(&w->s->e, t, y));
}

static fly_outcome at_acceptance(state_space *w, double t, double *y) {
  w->exact = w->reuse = true;
  if (w->hangs)
    return hang_at(w, t, y);
  if (!w->partition)
    return watch_without_partition(w, t, y);
  const fly_outcome outcome =
      w->hybrid ? put_back_if_violated(w, t, y) : fly_space_put_back(w, t, y, y + w->v, FLY_PUT_ACCEPTED);
  return outcome ? outcome : watch_partition(w);
}

static int hook(fly_adams_place place, double t, double *y, void *user) {
  state_space *w = user;
  fly_space_normalize(&w->s->e, y);
  w->kinematics = false;
  const fly_outcome outcome = place == FLY_ADAMS_PREDICTED ? at_prediction(w, t, y) : at_acceptance(w, t, y);
  return outcome ? code_of(w, outcome) : 0;
}

// ------------------------------------------------------------------------------------------ creation

static fly_adams_options adams_options(const fly_dae_options *o) {
  fly_adams_options a = fly_adams_options_default();
  a.error = o->error;
  a.error_per = o->error_per;
  a.order_max = o->step > 0 ? FIXED_ORDER : FLY_ADAMS_ORDER_MAX;
  a.step = o->step;
  a.step_initial = o->step_initial;
  a.step_min = o->step_min;
  a.step_max = o->step_max;
  return a;
}

static void take_memory(state_space *w) {
  fly_solver *s = w->s;
  fly_arena *m = &s->memory;
  w->state = fly_arena_doubles(m, (size_t)w->n);
  w->slope = fly_arena_doubles(m, (size_t)w->n);
  w->z = fly_arena_doubles(m, (size_t)s->kkt.n);
  w->kept = fly_arena_doubles(m, (size_t)s->kkt.n);
  w->dz = fly_arena_doubles(m, (size_t)s->kkt.n);
  w->right = fly_arena_doubles(m, (size_t)s->e.nl);
  w->rows = fly_arena_doubles(m, (size_t)s->e.nl);
  w->delta = fly_arena_doubles(m, (size_t)s->e.p.nv);
  fly_corner_take(&w->corner, s);
  w->cut = fly_adams_piece_take(m, w->n);
}

static fly_status create(fly_solver *s, fly_error *error) {
  state_space *w = fly_family_own(s, sizeof *w, error);
  if (!w)
    return FLY_NO_MEMORY;
  const fly_dae_problem *p = &s->e.p;
  const fly_method_family family = s->o.family == FLY_FAMILY_AUTO ? FLY_FAMILY_PARTITION : s->o.family;
  w->s = s;
  w->feedback = s->e.nl > 0 && (family == FLY_FAMILY_BAUMGARTE || family == FLY_FAMILY_HYBRID);
  w->hybrid = s->e.nl > 0 && family == FLY_FAMILY_HYBRID;
  w->partition = w->hybrid || (s->e.nl > 0 && family == FLY_FAMILY_PARTITION);
  w->driven = w->partition && !w->hybrid && s->e.nl >= p->nv;
  w->v = p->nq;
  w->x = w->v + p->nv;
  w->lambda = w->x + p->nx;
  w->y = w->lambda + s->e.nl;
  w->n = w->y + p->ny;
  take_memory(w);
  fly_status status = FLY_OK;
  if (w->partition)
    status = fly_partition_create(&w->part, &s->e, error);
  if (status == FLY_OK && w->driven)
    status = fly_settling_shape(&w->settling, s, error);
  if (status)
    return status;
  const fly_adams_problem ode = {.n = w->n, .f = right_hand_side, .hook = hook, .user = w};
  const fly_adams_options options = adams_options(&s->o);
  status = fly_adams_create(&w->adams, &ode, &options, error);
  w->adams.followed = w->lambda;
  return status;
}

static void free_own(fly_solver *s) {
  state_space *w = s->own;
  if (!w)
    return;
  fly_adams_free(&w->adams);
  fly_partition_free(&w->part);
  fly_settling_free(&w->settling);
  fly_range_free(&w->range);
  free(w);
  s->own = NULL;
}

// ------------------------------------------------------------------------------------------ start

static double smallest_scale(const fly_dae_problem *p) {
  double smallest = INFINITY;
  for (int i = 0; i < p->nv; i++)
    smallest = fmin(smallest, p->scale_v ? p->scale_v[i] : 1.0);
  return smallest;
}

// The gain follows the longest step so far, in leaps, unless it was given. Not the present one: where steps shrink, a
// gain that grew would amplify rounding errors of g, which shrinks them further (SS-alpha).
static void choose_gain(state_space *w) {
  const double alpha = w->s->o.baumgarte_alpha, beta = w->s->o.baumgarte_beta;
  const double h = w->s->o.step > 0 ? w->s->o.step : w->adams.stats.step_largest;
  if (alpha > 0 || beta > 0) {
    w->alpha = alpha > 0 ? alpha : beta;
    w->beta = beta > 0 ? beta : alpha;
  } else if (w->alpha == 0 || w->alpha * h > DAMPED_MOST) {
    w->alpha = w->beta = fmin(DAMPED / h, GAIN_MOST / (w->s->t_end - w->s->t0));
  }
}

static fly_status choose_partition(state_space *w, fly_error *error) {
  const fly_status status = fly_partition_choose(&w->part, error);
  return status == FLY_SINGULAR ? fly_explain_singular(w->s, w->s->now.t, w->s->now.q, error) : status;
}

// Where light bodies carry heavy ones, differences of their inertias and loads are mostly rounding errors: beside what
// accelerations may err by (SS-lost).
static bool joints_lose(const state_space *w) {
  const fly_solver *s = w->s;
  const double off = DBL_EPSILON * w->lost * w->velocity_time * (s->t_end - s->t0);
  return off > LOST_MOST * (s->o.step > 0 ? LOST_FIXED : s->o.error) * smallest_scale(&s->e.p);
}

// At the start of a run or behind a jump.
static bool joints_tell(state_space *w) {
  const fly_point *now = &w->s->now;
  w->hangs = !w->hybrid && fly_range_needless(&w->s->e);
  w->exact = true;
  return w->hangs && fly_space_accelerations(w, now->t, now->q, now->v, now->x) == FLY_SOLVED && !joints_lose(w);
}

// Those of joints, where they say everything.
static fly_status choose_coordinates(state_space *w, fly_error *error) {
  w->hangs = joints_tell(w);
  if (!w->hangs)
    return choose_partition(w, error);
  fly_partition_follow(&w->part, w->s->e.p.tree->own);
  return FLY_OK;
}

// Between steps: all coordinates have their history, so others may be the independent ones.
static fly_status leave_joints(state_space *w, fly_error *error) {
  w->hangs = false;
  fly_status status = choose_partition(w, error);
  if (status == FLY_OK)
    status = fly_space_build_range(w, error);
  fly_corner_forget(&w->corner, w->s);
  set_weights(w, w->weighed);
  return status;
}

static void pack(const state_space *w, double *y, const fly_point *at) {
  const fly_dae_problem *p = &w->s->e.p;
  memset(y, 0, (size_t)w->n * sizeof *y);
  memcpy(y, at->q, (size_t)p->nq * sizeof *y);
  memcpy(y + w->v, at->v, (size_t)p->nv * sizeof *y);
  memcpy(y + w->x, at->x, (size_t)p->nx * sizeof *y);
}

static fly_status explain_start(state_space *w, fly_status status, fly_error *error) {
  return w->why == FLY_SOLVED ? status : fly_explain_failure(w->s, w->why, false, 0, error);
}

static fly_status begin(state_space *w, begins how, fly_error *error) {
  fly_solver *s = w->s;
  if (how == FIRST || how == ENTERING)
    return fly_adams_enter(&w->adams, s->t0, s->now.t, s->t_end, w->state, how == FIRST, error);
  if (s->stops.broken)
    return fly_adams_restart(&w->adams, s->now.t, fly_stops_limit(s), w->state, error);
  return fly_adams_restart(&w->adams, fmin(s->now.t, w->adams.t), fly_stops_limit(s), w->state, error);
}

static void keep_cut(state_space *w) {
  const fly_adams_piece last = fly_adams_last(&w->adams);
  if (last.order > 0 && w->s->jumped)
    fly_adams_piece_copy(&w->cut, &last);
}

static void forget(state_space *w) {
  const fly_solver *s = w->s;
  w->velocity_time = VELOCITY_TIME * (s->t_end - s->t0);
  w->tolerance = s->o.constraint_error > 0 ? s->o.constraint_error : s->o.error * smallest_scale(&s->e.p);
  w->rcond = NAN;
  w->predictions = w->stiff = w->hung = 0;
  w->since_correction = FLY_ADAMS_TERMS; // none
  w->alpha = w->beta = 0;
  if (w->partition)
    fly_partition_forget(&w->part);
}

static fly_status begin_from_here(state_space *w, begins how, fly_error *error) {
  fly_solver *s = w->s;
  if (how == FIRST)
    forget(w);
  else if (how == AGAIN)
    keep_cut(w);
  w->started = 0;
  fly_corner_forget(&w->corner, s);
  w->ill_conditioned = w->kinematics = w->reuse = w->doubted = false;
  w->exact = true;
  w->rate = w->bend = INFINITY;
  if (w->partition) {
    fly_status status = choose_coordinates(w, error);
    if (status == FLY_OK && how == FIRST && w->driven)
      status = fly_settling_begin(&w->settling, s, error);
    if (status)
      return status;
  }
  if (!w->hangs && (!w->range.p || how != AGAIN)) {
    const fly_status status = fly_space_build_range(w, error);
    if (status)
      return status;
  }
  set_weights(w, s->step_max);
  memcpy(w->z, s->now.vdot, (size_t)s->e.p.nv * sizeof(double));
  memcpy(w->z + s->e.p.nv, s->now.lambda, (size_t)s->e.nl * sizeof(double));
  memcpy(w->z + s->e.p.nv + s->e.nl, s->now.xdot, (size_t)s->e.p.nx * sizeof(double));
  memcpy(w->z + s->e.p.nv + s->e.nl + s->e.p.nx, s->now.y, (size_t)s->e.p.ny * sizeof(double));
  pack(w, w->state, &s->now);
  w->why = FLY_SOLVED;
  const fly_status status = begin(w, how, error);
  if (status)
    return explain_start(w, status, error);
  s->h_next = w->adams.h_next;
  choose_gain(w);
  if (fly_eval_kinematics(&s->e, s->now.t, s->now.q))
    return fly_explain_callback(s, s->now.t, error);
  return FLY_OK;
}

static fly_status restart(fly_solver *s, fly_error *error) {
  return begin_from_here(s->own, s->started ? AGAIN : FIRST, error);
}

static fly_status enter(fly_solver *s, bool first, fly_error *error) {
  const fly_status status = begin_from_here(s->own, first ? FIRST : ENTERING, error);
  if (status == FLY_OK)
    fly_space_seed(s->own);
  return status;
}

// Accelerations that a motion gives are in no error test: a polynomial over the corner they have there would be wrong
// on both sides of it. Those that forces give are: there the past is worth keeping.
static bool restart_at(const fly_solver *s, fly_break_kind kind) {
  (void)s;
  return kind == FLY_BREAK_BEND;
}

// ------------------------------------------------------------------------------------------ other rows

// The multipliers of the past, each where it belongs.
static void carry(fly_solver *s) {
  state_space *w = s->own;
  fly_arena *m = &s->carry.memory;
  fly_rows_carry(s, s->now.t, s->now.q, w->z + s->e.p.nv);
  for (int i = 0; i < w->adams.history.known; i++) {
    w->past[i] = fly_arena_doubles(m, (size_t)s->e.nl);
    if (m->failed)
      return;
    fly_adams_past(&w->adams, i, w->state, w->slope);
    fly_space_normalize(&s->e, w->state);
    memcpy(w->past[i], w->slope + w->lambda, (size_t)s->e.nl * sizeof(double));
    fly_rows_carry(s, w->adams.history.t[i], w->state, w->past[i]);
  }
}

static fly_status reshape(fly_solver *s, fly_error *error) {
  state_space *w = s->own;
  if (s->carry.count > 0) // else the rows are those of the past
    fly_adams_set_past(&w->adams, w->lambda, s->e.nl, w->past);
  w->kinematics = w->reuse = false;
  w->exact = true;
  const fly_status ranged = fly_space_build_range(w, error);
  if (ranged || !w->partition)
    return ranged;
  const bool hung = w->hangs;
  fly_status status = fly_partition_reshape(&w->part, error);
  if (hung && status == FLY_OK)
    status = choose_coordinates(w, error);
  if (status != FLY_OK && status != FLY_SINGULAR)
    return status;
  const fly_status settled = w->driven ? fly_settling_shape(&w->settling, s, error) : FLY_OK;
  return status == FLY_SINGULAR && settled == FLY_OK ? fly_explain_singular(s, s->now.t, s->now.q, error) : settled;
}

// ------------------------------------------------------------------------------------------ steps

static void fill_end(state_space *w) {
  fly_solver *s = w->s;
  const fly_dae_problem *p = &s->e.p;
  const fly_adams *a = &w->adams;
  fly_attempt *at = &s->at;
  memcpy(at->end.q, a->y, (size_t)p->nq * sizeof(double));
  memcpy(at->end.v, a->y + w->v, (size_t)p->nv * sizeof(double));
  memcpy(at->end.x, a->y + w->x, (size_t)p->nx * sizeof(double));
  memcpy(at->end.vdot, w->z, (size_t)s->kkt.n * sizeof(double)); // lambda, x' and y lie behind
  at->h = a->at.h;
  at->estimate = a->at.estimate[0];
  at->ratio = s->o.step > 0 ? (double)NAN : a->at.estimate[0] / a->at.allowed;
}

static const char stiff_text[] = " The problem looks stiff to an explicit method: use ch or radau.";

// Steps whose fastest rate is at the limit of stability, though their order is low.
static void watch_stiffness(state_space *w) {
  const fly_adams *a = &w->adams;
  const bool limited = a->order_last <= 6 && a->at.predicted_slope > STIFF_SLOPE;
  w->stiff = limited ? w->stiff + 1 : 0;
  w->s->stats.stiff_steps += limited;
}

static fly_status check_hope(const state_space *w, fly_error *error) {
  const fly_solver *s = w->s;
  const double left = (s->t_end - s->now.t) / s->at.h;
  if (w->stiff < STIFF_STEPS || left < HOPELESS || s->done)
    return FLY_OK;
  return fly_fail(
      error, FLY_STEP_TOO_SMALL, s->now.t,
      "At t = %.9g s the steps are %.2g s, for stability, not for the error asked for: %.1e of them would be "
      "left.%s",
      s->now.t, s->at.h, left, stiff_text);
}

static fly_status conclude(state_space *w, fly_status kept, fly_error *error) {
  fly_solver *s = w->s;
  fill_end(w);
  watch_stiffness(w);
  w->since_correction++;
  w->hung += w->hangs;
  w->doubted = w->hangs && (w->doubted || joints_lose(w)); // before anybody looks into the step
  fly_corner_passed(&w->corner);
  const int order = w->adams.order_last;
  s->stats.order_highest = order > s->stats.order_highest ? order : s->stats.order_highest;
  const double h = w->adams.h_next;
  fly_step_store(s, w->adams.t); // the kinematics are those of its last evaluation, and so
  s->gamma = w->feedback || w->hangs || s->e.nl == 0 ? NULL : w->right; // is gamma
  fly_status status = fly_step_conclude(s, error);
  if (!s->jumped) {
    s->h_next = h;
    choose_gain(w);
    if (w->hybrid || h != w->weighed)
      set_weights(w, h);
  }
  if (status == FLY_OK)
    status = check_hope(w, error);
  return status == FLY_OK && kept == FLY_NOT_KEPT && s->done ? fly_adams_finished(&w->adams, fly_error_asked(s), error)
                                                             : status;
}

// A past of long steps says nothing about what a much shorter one will meet, where a break or a pulse in time makes it
// short: differences over it look smooth, and so does the estimate. Begin anew there.
static bool past_is_coarse(const state_space *w, double h) {
  return w->adams.history.known > 1 && h < COARSE * (w->adams.t - w->adams.t_last);
}

// Up to the next time at which a step must end, no longer than nothing can hide in it.
static fly_status keep_within(state_space *w, fly_error *error) {
  fly_solver *s = w->s;
  fly_adams *a = &w->adams;
  const double limit = fly_stops_limit(s), wanted = fmin(a->h_next, limit - a->t), h = fly_stops_longest(s, wanted);
  fly_status status = FLY_OK;
  a->t_stop = limit;
  if (past_is_coarse(w, h)) {
    memcpy(w->state, a->y, (size_t)w->n * sizeof *w->state);
    status = fly_adams_restart(a, a->t, limit, w->state, error);
  }
  if (h < wanted)
    a->h_next = fmin(a->h_next, h);
  return status;
}

static fly_status step_adaptive(fly_solver *s, fly_error *error) {
  state_space *w = s->own;
  fly_adams *a = &w->adams;
  const fly_adams_stats before = a->stats;
  const int start_steps = a->start_steps;
  w->why = FLY_SOLVED;
  fly_status status = keep_within(w, error);
  if (status == FLY_OK)
    status = fly_adams_step(a, error);
  const long refused = a->stats.rejected_callback - before.rejected_callback;
  s->stats.rejected_error += a->stats.rejected_error - before.rejected_error;
  const int most = start_steps < FLY_ADAMS_TERMS ? COLLAPSED_START : COLLAPSED;
  w->doubted = a->stats.rejected_error - before.rejected_error >= most;
  for (long k = 0; k < refused; k++)
    fly_count_unsolved(&s->stats, w->why);
  if (status == FLY_OK || status == FLY_NOT_KEPT)
    return conclude(w, status, error);
  if (status != FLY_STEP_TOO_SMALL)
    return fly_explain_failure(s, w->why == FLY_SOLVED ? FLY_UNSOLVED : w->why, false, a->at.h, error);
  const fly_status explained = fly_explain_failure(s, FLY_SOLVED, true, a->at.h, error);
  if (s->stats.stiff_steps > s->stats.steps / 4)
    fly_error_append(error, "%s", stiff_text);
  return explained;
}

// End of the next fixed step: the grid's, or less at a start.
static double fixed_end(state_space *w) {
  double end;
  fly_plan_fixed(w->s, &end);
  const int halvings = FIXED_START - (w->started > 0 ? w->started - 1 : 0);
  return halvings > 0 ? fmin(end, w->s->now.t + ldexp(w->s->o.step * w->s->grid_cut, -halvings)) : end;
}

static fly_status step_fixed(fly_solver *s, fly_error *error) {
  state_space *w = s->own;
  for (;;) {
    const double end = fixed_end(w);
    w->why = FLY_SOLVED;
    const int code = fly_adams_take(&w->adams, end);
    if (code == 0 && w->adams.at.estimate[0] <= LOST) {
      w->started++;
      const fly_status status = conclude(w, FLY_OK, error);
      fly_plan_passed(s);
      return status;
    }
    const fly_outcome why = w->why == FLY_SOLVED ? FLY_UNSOLVED : w->why;
    fly_count_unsolved(&s->stats, why);
    s->stats.cut_steps += s->grid_cut == 1.0;
    s->grid_cut *= 0.5;
    if (code == 0)
      return fly_fail(error, FLY_NO_CONVERGENCE, s->now.t,
                      "At t = %.9g s a fixed step of %.2g s has an error of %.2g units: the motion is lost. Take a "
                      "smaller step.%s",
                      s->now.t, w->adams.at.h, w->adams.at.estimate[0], stiff_text);
    if (code < 0 || s->grid_cut < 1e-6)
      return fly_explain_failure(s, why, false, end - s->now.t, error);
  }
}

static fly_status step(fly_solver *s, fly_error *error) {
  state_space *w = s->own;
  w->rounding = fly_round_off(s);
  const fly_status status = w->hangs && w->doubted ? leave_joints(w, error) : FLY_OK;
  if (status)
    return status;
  return s->o.step > 0 ? step_fixed(s, error) : step_adaptive(s, error);
}

// ------------------------------------------------------------------------------------------ between the points

// No test sees multipliers, and what rests takes steps of any length: between their ends they are what the equations
// say, not what a polynomial does.
static void exact(const fly_solver *s, fly_point *inside) {
  state_space *w = s->own;
  if (w->driven) // they are already
    return;
  const fly_dae_problem *p = &s->e.p;
  double *const part[] = {inside->vdot, inside->lambda, inside->xdot, inside->y};
  const int size[] = {p->nv, s->e.nl, p->nx, p->ny};
  memcpy(w->kept, w->z, (size_t)s->kkt.n * sizeof(double));
  double *z = w->z;
  for (int k = 0; k < 4; z += size[k++])
    memcpy(z, part[k], (size_t)size[k] * sizeof(double));
  const fly_outcome outcome = fly_space_accelerations(w, inside->t, inside->q, inside->v, inside->x);
  z = w->z;
  for (int k = 0; k < 4 && outcome == FLY_SOLVED; z += size[k++])
    memcpy(part[k], z, (size_t)size[k] * sizeof(double));
  memcpy(w->z, w->kept, (size_t)s->kkt.n * sizeof(double));
  w->exact = true;
}

static void image(fly_solver *s, fly_image *m) {
  state_space *w = s->own;
  fly_adams_image(&w->adams, m);
  if (w->partition)
    fly_partition_image(&w->part, m);
  if (w->driven)
    fly_step_matrix_image(&w->settling.kkt, &s->e, m);
  fly_space_image_range(w, m);
  FLY_IMAGE_FROM(m, w, state, &s->memory);
}

static fly_lu_counts count(const fly_solver *s) {
  const state_space *w = s->own;
  fly_lu_counts sum = w->partition ? fly_partition_count(&w->part) : (fly_lu_counts){0};
  fly_lu_counts_add(&sum, w->ranged);
  if (w->driven)
    fly_lu_counts_add(&sum, fly_lu_count(w->settling.kkt.lu));
  return sum;
}

static double work(const fly_solver *s) {
  const state_space *w = s->own;
  return (double)(w->adams.stats.steps - w->hung) * fly_adams_work(&s->e, false) +
         (double)w->hung * fly_adams_work(&s->e, true) + count(s).work;
}

const fly_family fly_family_statespace = {FLY_FAMILY_OWN,           .restart_at = restart_at, .work = work,
                                          .dense = fly_space_dense, .exact = exact,           .count = count};
