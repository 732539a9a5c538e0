// The Newmark family: what it keeps, how it begins, and its part in the loop of attempts: begin, predict, solve, test
// the error, accept.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/wide.h"
#include "dae/newmark.h"
#include "math/sum.h"

static const double FAR = 1e-6;   // of what is allowed: far below, a step grows whatever the level it has had,
static const double CREEP = 1.3;  // a little: a force that only begins, as a contact does, has no level yet
static const double ROUGH = 0.3;  // share of the change of v' in a step that a smooth motion does not reach
static const int MANY_FAILED = 8; // attempts at one step, after which an error below rounding is none

// A fixed step whose error is several units (radians, sizes of the model) has found another root of the equations.
static const double LOST = 4.0;

// ------------------------------------------------------------------------------------------ creation, start

static fly_matrix_kind matrix_kind(const fly_solver *s) {
  if (s->e.p.ng == 0)
    return FLY_MATRIX_INDEX3; // nothing to stabilize
  return s->o.formulation == FLY_GGL      ? FLY_MATRIX_GGL
         : s->o.formulation == FLY_INDEX2 ? FLY_MATRIX_INDEX2
                                          : FLY_MATRIX_INDEX3;
}

static void take_attempt(fly_solver *s) {
  fly_arena *m = &s->memory;
  fly_attempt *at = &s->at;
  size_t nv = (size_t)s->e.p.nv, nx = (size_t)s->e.p.nx, n = (size_t)s->step.n;
  double **v_sized[] = {&at->v0, &at->a0, &at->a_past, &at->a1, &at->delta, &at->v_clean, &at->vdot1, &at->carried};
  double **x_sized[] = {&at->w0, &at->w_past, &at->w1, &at->xdot1};
  double **n_sized[] = {&at->u_start, &fly_own(s)->newton_u, &fly_own(s)->newton_du};
  for (size_t k = 0; k < sizeof v_sized / sizeof *v_sized; k++)
    *v_sized[k] = fly_arena_doubles(m, nv);
  for (size_t k = 0; k < sizeof x_sized / sizeof *x_sized; k++)
    *x_sized[k] = fly_arena_doubles(m, nx);
  for (size_t k = 0; k < sizeof n_sized / sizeof *n_sized; k++)
    *n_sized[k] = fly_arena_doubles(m, n);
  at->M_values = fly_arena_doubles(m, (size_t)fly_csc_nnz(&s->e.M));
}

static void take_memory(fly_solver *s) {
  fly_arena *m = &s->memory;
  size_t nv = (size_t)s->e.p.nv, nx = (size_t)s->e.p.nx;
  double **v_sized[] = {&fly_own(s)->mem.v,       &fly_own(s)->mem.a,      &fly_own(s)->mem.vdot,
                        &fly_own(s)->mem.p,       &fly_own(s)->jerk.v,     &fly_own(s)->jerk.v_clean,
                        &fly_own(s)->jerk.offset, &fly_own(s)->delta_last, &fly_own(s)->dense_delta,
                        &fly_own(s)->start_vdot,  &fly_own(s)->mem.v_low,  &fly_own(s)->use.fixed};
  for (size_t k = 0; k < sizeof v_sized / sizeof *v_sized; k++)
    *v_sized[k] = fly_arena_doubles(m, nv);
  fly_own(s)->mem.w = fly_arena_doubles(m, nx);
  fly_own(s)->mem.xdot = fly_arena_doubles(m, nx);
  fly_own(s)->jerk.x = fly_arena_doubles(m, nx);
  for (int k = 0; k < FLY_HISTORY; k++)
    fly_own(s)->history.u[k] = fly_arena_doubles(m, (size_t)s->step.n);
  if (fly_own(s)->half[0].n > 0) {
    fly_own(s)->half_core = fly_arena_doubles(m, (size_t)s->step.ncore);
    fly_own(s)->half_projection = fly_arena_doubles(m, (size_t)fly_own(s)->half[1].n);
    fly_own(s)->half_eta = fly_arena_doubles(m, nv);
  }
  take_attempt(s);
}

// They may feel multipliers: a problem that does not watch its roots has them where the step's own show them.
static bool watches_roots(const fly_solver *s) { return s->e.p.nroot > 0 && s->e.p.watch; }

static fly_status create(fly_solver *s, fly_error *error) {
  if (!fly_family_own(s, sizeof(fly_newmark_own), error))
    return FLY_NO_MEMORY;
  fly_matrix_size(s, matrix_kind(s));
  take_memory(s);
  fly_newmark_prepare(s);
  fly_own(s)->solver = s;
  return FLY_OK;
}

static fly_status shape(fly_solver *s, fly_error *error) {
  const fly_status status = fly_matrix_build(s, error);
  return status == FLY_OK && watches_roots(s) ? fly_settling_shape(&fly_own(s)->settling, s, error) : status;
}

static void unshape(fly_solver *s) {
  fly_own(s)->use = (fly_matrix_use){.fixed = fly_own(s)->use.fixed};
  fly_matrix_free(s);
  fly_settling_free(&fly_own(s)->settling);
  fly_matrix_size(s, matrix_kind(s));
}

static void free_own(fly_solver *s) {
  if (s->own) {
    fly_matrix_free(s);
    fly_settling_free(&fly_own(s)->settling);
  }
  free(s->own);
}

// What the recursion carries begins with consistent values.
static void begin_recursion(fly_solver *s) {
  int nv = s->e.p.nv;
  fly_own(s)->mem.h_base = 0;
  fly_own(s)->mem.gamma = s->o.method.gamma;
  fly_own(s)->mem.theta = s->o.states.theta;
  memcpy(fly_own(s)->mem.v, s->now.v, (size_t)nv * sizeof(double));
  memset(fly_own(s)->mem.v_low, 0, (size_t)nv * sizeof(double));
  memcpy(fly_own(s)->mem.a, s->now.vdot, (size_t)nv * sizeof(double));
  memcpy(fly_own(s)->mem.w, s->now.xdot, (size_t)s->e.p.nx * sizeof(double));
  memcpy(fly_own(s)->mem.vdot, s->now.vdot, (size_t)nv * sizeof(double));
  memcpy(fly_own(s)->start_vdot, s->now.vdot, (size_t)nv * sizeof(double));
  memcpy(fly_own(s)->mem.xdot, s->now.xdot, (size_t)s->e.p.nx * sizeof(double));
  memset(fly_own(s)->mem.p, 0, (size_t)nv * sizeof(double));
  fly_csc_multiply_add(fly_own(s)->mem.p, &s->e.M, -1.0, s->now.vdot);
  fly_own(s)->jerk.known = false;
  fly_own(s)->split = false;
  fly_own(s)->obstacle = (fly_obstacle){.end = -INFINITY};
  fly_own(s)->use.valid = false;
  fly_own(s)->use.rounding = fly_own(s)->use.noise = 0;
  fly_history_clear(&fly_own(s)->history);
  fly_history_add(s);
  fly_own(s)->inherited = 0;
}

// What the caller knows of the first step; it is predicted from there, too.
static void take_given(fly_solver *s) {
  const size_t size = (size_t)s->e.p.nv * sizeof(double);
  if (s->o.start_vdot) {
    memcpy(fly_own(s)->mem.vdot, s->o.start_vdot, size);
    memcpy(fly_own(s)->history.u[0], s->o.start_vdot, size);
  }
  if (s->o.start_a)
    memcpy(fly_own(s)->mem.a, s->o.start_a, size);
}

static fly_status enter(fly_solver *s, bool first, fly_error *error) {
  if (first) {
    fly_own(s)->curvature_sum = fly_own(s)->curvature_time = 0;
    fly_matrix_forget(s);
  }
  const fly_status settled = first && watches_roots(s) ? fly_settling_begin(&fly_own(s)->settling, s, error) : FLY_OK;
  if (settled)
    return settled;
  begin_recursion(s);
  if (first && s->o.start == FLY_START_PLAIN)
    take_given(s);
  if (s->o.step == 0)
    s->h_next = fly_step_first(s);
  if (s->o.start == FLY_START_CORRECTED &&
      !fly_own(s)->jerk.known) { // fixed steps: the corrector wants to know how far it goes
    s->at.h = s->o.step > 0 ? s->o.step : s->h_next;
    fly_find_jerk(s);
  }
  if (fly_own(s)->jerk.known && fly_own(s)->jerk.trusted) {
    s->h_last = s->o.step > 0 ? s->o.step : s->h_next;
    s->estimate_last = fabs(fly_own(s)->error_constant) * pow(s->h_last, 3) * fly_weighted(s, fly_own(s)->jerk.v);
  }
  if (fly_eval_kinematics(&s->e, s->now.t, s->now.q)) // the third derivative was looked for at other places
    return fly_explain_callback(s, s->now.t, error);
  return FLY_OK;
}

static fly_status restart(fly_solver *s, fly_error *error) { return enter(s, !s->started, error); }

// The recursion carries an acceleration of another time, and the shift the derivative of accelerations: neither may
// come from the other side of a kink.
static bool restart_at(const fly_solver *s, fly_break_kind kind) {
  (void)s;
  return kind >= FLY_BREAK_KINK;
}

// ------------------------------------------------------------------------------------------ other rows

// Predictions come from points whose places are known: the last three.
static void carry(fly_solver *s) {
  const fly_point *points[] = {&s->now, &s->last, &s->before};
  fly_history *h = &fly_own(s)->history;
  int nv = s->e.p.nv, mu = s->step.ncore + nv, known = 0;
  while (known < 3 && known < h->count && h->t[known] == points[known]->t)
    known++;
  for (int k = 0; k < known; k++) {
    fly_rows_carry(s, h->t[k], points[k]->q, h->u[k] + nv);
    if (s->step.n > s->step.ncore && k < h->stabilized)
      fly_rows_carry(s, h->t[k], points[k]->q, h->u[k] + mu);
  }
  h->count = known;
  h->stabilized = h->stabilized < known ? h->stabilized : known;
}

static fly_status reshape(fly_solver *s, fly_error *error) {
  unshape(s);
  return shape(s, error);
}

// ------------------------------------------------------------------------------------------ acceptance

static void swap_arrays(double **a, double **b) {
  double *c = *a;
  *a = *b;
  *b = c;
}

// The residual form needs the forces of this point in the next step.
static int remember_forces(fly_solver *s) {
  if (s->o.form == FLY_FORM_ACCELERATION)
    return 0;
  fly_dae_state now = fly_point_state(&s->now);
  int code = fly_eval_equations(&s->e, s->dz, &now);
  memcpy(fly_own(s)->mem.p, s->dz, (size_t)s->e.p.nv * sizeof(double));
  return code;
}

// In index 3 the recursion's velocity carries the offset h^2 G E, from the start on if that was corrected: what is
// reported does not.
static bool offset_tracked(const fly_solver *s) {
  return s->o.formulation == FLY_INDEX3 && s->e.p.ng > 0 && s->o.step_change == FLY_CHANGE_SHIFT &&
         s->o.start == FLY_START_CORRECTED;
}

// What the new velocities have lost, for the next step (N-low).
FLY_WIDE static void keep_low(double *restrict low, double h, double gamma, const double *restrict v0,
                              const double *restrict v1, const double *restrict a0, const double *restrict a1, int n) {
  for (int i = 0; i < n; i++) {
    const double more = fly_velocity_increment(h, gamma, a0[i], a1[i], low[i]);
    low[i] = fly_rounded_off(v0[i], more, v1[i]);
  }
}

// What the recursion carries on from the attempt. The velocity it reports is without the offset.
static void store_recursion(fly_solver *s) {
  fly_attempt *at = &s->at;
  at->ratio = s->o.step == 0 ? fly_error_ratio(s, at->estimate, at->h) : (double)NAN;
  at->singular = s->o.step == 0 && fly_singular(s, at->h);
  keep_low(fly_own(s)->mem.v_low, at->h, at->gamma, at->v0, at->v1, at->a0, at->a1, s->e.p.nv);
  swap_arrays(&fly_own(s)->mem.vdot, &at->vdot1);
  swap_arrays(&fly_own(s)->mem.xdot, &at->xdot1);
  swap_arrays(&fly_own(s)->delta_last, &at->delta);
  memcpy(fly_own(s)->mem.v, at->v1, (size_t)s->e.p.nv * sizeof(double));
  swap_arrays(&fly_own(s)->mem.a, &at->a1);
  swap_arrays(&fly_own(s)->mem.w, &at->w1);
  fly_own(s)->mem.h_base = at->h;
  fly_own(s)->mem.gamma = at->gamma;
  fly_own(s)->mem.theta = at->theta;
  fly_own(s)->use.travelled += fly_weighted(s, fly_own(s)->delta_last);
  fly_own(s)->jerk.known = false;
  s->stats.round_off_steps += at->drowned;
  fly_inherit(s);
  if (offset_tracked(s))
    memcpy(at->end.v, at->v_clean, (size_t)s->e.p.nv * sizeof(double));
}

// What the point before has left of G v + g_t where the formulation asks for it, as an error of velocities (weighted):
// round-off, if the corrector has done its work. Near singular positions it has its own account.
static double left_in_constraints(const fly_solver *s) {
  bool asked = s->step.kind != FLY_MATRIX_INDEX3 && fly_own(s)->use.row_size > 0 && !s->at.singular;
  return asked ? s->record.velocity / fly_own(s)->use.row_size : 0.0;
}

static double rounded_position(const fly_solver *s) {
  const double *scale = s->e.p.scale_v;
  double largest = s->e.p.nrotation > 0 ? 1 : 0;
  for (int k = 0; k < s->e.nplain; k++)
    for (int i = 0; i < s->e.plain[k].count; i++) {
      const double size = fabs(s->now.q[s->e.plain[k].q + i]) / (scale ? scale[s->e.plain[k].v + i] : 1.0);
      largest = size > largest ? size : largest; // fmax is a call
    }
  return DBL_EPSILON * largest;
}

// Positions are rounded once a step, when their increments are added: those of the point before. What velocities lose
// there is added with the next increment; what is left is the rounding of the increment itself (N-low).
static void note_rounding(fly_solver *s) {
  double velocity = fmax(DBL_EPSILON * s->at.h * fly_weighted(s, s->now.vdot), left_in_constraints(s));
  fly_roundings_add(&s->roundings, rounded_position(s), velocity, s->t_end - s->now.t);
}

// Tiny steps are no sign of a run that gets nowhere where accelerations change smoothly, as when a light body passes a
// singular position: how far v' was from a straight line is then little beside its change. Noise and jumps are rough.
static void judge_progress(fly_solver *s) {
  if (s->tiny_steps == 0)
    return;
  for (int i = 0; i < s->e.p.nv; i++)
    s->work[i] = s->now.vdot[i] - s->last.vdot[i];
  if (fly_own(s)->history.curvature < ROUGH * fly_weighted(s, s->work))
    s->tiny_steps = 0;
}

static fly_status accept(fly_solver *s, double end, fly_error *error) {
  store_recursion(s);
  note_rounding(s);
  fly_step_store(s, end);
  if (remember_forces(s))
    return fly_explain_callback(s, s->now.t, error);
  fly_history_add(s);
  judge_progress(s);
  return fly_step_conclude(s, error);
}

// ------------------------------------------------------------------------------------------ attempts

static fly_outcome attempt(fly_solver *s, double h, double end) {
  fly_step_begin(s, h);
  s->at.end.t = end;
  fly_predict(s);
  const fly_outcome outcome = fly_solve_step(s);
  return outcome == FLY_SOLVED ? fly_finish_step(s) : outcome;
}

// Where the error of a smooth motion has failed, a quarter of the step makes it a sixteenth beside what is allowed. Has
// an attempt within one that failed, and much shorter, not even come down to the half of that?
static bool shorter_does_not_help(fly_solver *s, double h, double ratio) {
  fly_obstacle *o = &fly_own(s)->obstacle;
  bool within = s->at.end.t <= o->end;
  if (!within)
    *o = (fly_obstacle){.end = s->at.end.t, .h = h, .ratio = ratio};
  return within && h <= 0.25 * o->h && ratio > 0.5 * o->ratio;
}

// The estimate over what is allowed. Where the whole does not pass and shorter steps do not help, as at the corner of a
// motion and in the steps behind it, the part of it that adds up has to pass.
static double test_error(fly_solver *s, double h) {
  fly_attempt *at = &s->at;
  at->estimate = fly_step_estimate(s);
  double ratio = fly_error_ratio(s, at->estimate, h);
  bool split = !(ratio <= 1) && (shorter_does_not_help(s, h, ratio) || fly_own(s)->split);
  if (split) {
    at->estimate = fly_split_estimate(s);
    ratio = fly_error_ratio(s, at->estimate, h);
  }
  if (ratio <= 1)
    fly_own(s)->split = split;
  return ratio;
}

static fly_outcome judge(fly_solver *s, double h, int failed, double *ratio) {
  if (s->o.step > 0) {
    s->at.estimate = fly_step_estimate(s);
    return s->at.estimate > LOST ? FLY_UNSOLVED : FLY_SOLVED;
  }
  *ratio = test_error(s, h);
  if (*ratio <= 1)
    return FLY_SOLVED;
  if (failed >= MANY_FAILED && fly_error_nothing(s))
    *ratio = 1;
  else
    s->h_next = h * fmin(fly_step_factor(s, *ratio), 0.8);
  return FLY_SOLVED;
}

// The estimate alone does not tell: it vanishes in the step after a jump of forces, too, and v' is then far from a
// straight line.
static bool is_far_below(const fly_solver *s) {
  const double h = s->at.h, bent = h * h * fly_own(s)->history.curvature;
  return fly_growth_ratio(s, fmax(s->at.estimate, bent), h) < FAR;
}

// Steps are kept equal while they are about right: a kept matrix and no shift are worth more than a few percent.
static void choose_next(fly_solver *s, double ratio, bool rejected) {
  (void)ratio; // growth has its own measure
  const double growth = fly_growth_ratio(s, s->at.estimate, s->at.h), least = is_far_below(s) ? CREEP : 1.0;
  double factor = fmin(fly_step_factor(s, growth), fmax(fly_growth_limit(s), least));
  if (rejected || fly_own(s)->split)
    factor = fmin(factor, 1.0);
  if (factor > 0.95 && factor < 1.25)
    factor = 1.0;
  s->h_next = s->at.h * factor;
}

static fly_status step(fly_solver *s, fly_error *error) {
  static const fly_attempts method = {attempt, judge, accept, choose_next};
  return fly_attempts_step(s, &method, error);
}

// No test sees multipliers, and what rests takes steps of any length: where roots are looked at inside of one, they are
// what the equations say there, not what a parabola does.
static void exact(const fly_solver *s, fly_point *inside) {
  fly_newmark_own *own = s->own;
  if (!watches_roots(s))
    return;
  fly_point *kept = &own->solver->at.end; // free by then
  fly_point_copy(kept, inside, &s->e);
  if (!fly_settle(&own->settling, own->solver, inside))
    fly_point_copy(inside, kept, &s->e);
  fly_eval_kinematics(&own->solver->e, s->now.t, s->now.q); // as the next step expects them; they were there before
}

static void image(fly_solver *s, fly_image *m) {
  fly_step_matrix *list[] = {&s->step, &fly_own(s)->half[0], &fly_own(s)->half[1]};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    fly_step_matrix_image(list[k], &s->e, m);
  if (watches_roots(s))
    fly_step_matrix_image(&fly_own(s)->settling.kkt, &s->e, m);
  fly_newmark_own *own = s->own;
  FLY_IMAGE_FROM(m, own, half_core, &s->memory);
}

const fly_family fly_family_newmark = {FLY_FAMILY_OWN,
                                       FLY_FAMILY_SHAPE,
                                       .work = fly_matrix_work,
                                       .restart_at = restart_at,
                                       .dense = fly_newmark_dense,
                                       .exact = exact,
                                       .count = fly_matrix_count,
                                       .entries = fly_matrix_entries};
