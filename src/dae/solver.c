// The life of a solver, common to all families of methods: creation, start, what an accepted step must pass, questions.
#include "dae/choice.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "dae/glance.h"
#include "dae/rows.h"
#include "math/sizes.h"

static const double NO_PROGRESS = 1e-7; // steps below this share of the largest so far are nothing beside it

static const double TIME_WIDEST = 1e-2; // of the interval: differences in time are no wider

fly_dae_options fly_dae_options_default(void) {
  fly_dae_options o = {.formulation = FLY_GGL,
                       .step_change = FLY_CHANGE_SHIFT,
                       .start = FLY_START_CORRECTED,
                       .error = 1e-5,
                       .error_per = FLY_PER_RUN,
                       .newton_factor = 1e-3,
                       .newton_max = 12,
                       .predictor_degree = 3};
  fly_method_request request = fly_method_request_default();
  fly_method_make(&o.method, &o.states, &request, NULL);
  return o;
}

// ------------------------------------------------------------------------------------------ creation

static fly_status check_choices(const fly_dae_options *o, fly_error *error) {
  bool known = (int)o->form >= 0 && o->form <= FLY_FORM_RESIDUAL_PRINTED && (int)o->formulation >= 0 &&
               o->formulation <= FLY_INDEX1 && (int)o->step_change >= 0 && o->step_change <= FLY_CHANGE_NONE &&
               (int)o->start >= 0 && o->start <= FLY_START_PLAIN && (int)o->error_per >= 0 &&
               o->error_per <= FLY_PER_STEP && (int)o->family >= 0 && o->family <= FLY_FAMILY_AUTO;
  if (known)
    return FLY_OK;
  return fly_fail(
      error, FLY_BAD_INPUT, NAN,
      "form = %d, formulation = %d, step_change = %d, start = %d, error_per = %d, family = %d: one of them is no value "
      "of its kind.",
      (int)o->form, (int)o->formulation, (int)o->step_change, (int)o->start, (int)o->error_per, (int)o->family);
}

static fly_status check_method(const fly_dae_options *o, fly_error *error) {
  const fly_newmark *m = &o->method;
  if (!(m->beta > 0) || !(m->gamma > 0) || !(m->alpha_m < 1) || !(m->alpha_f < 1))
    return fly_fail(
        error, FLY_BAD_INPUT, NAN,
        "method: needs beta > 0, gamma > 0, alpha_m < 1, alpha_f < 1, but beta = %g, gamma = %g, alpha_m = %g, "
        "alpha_f = %g.",
        m->beta, m->gamma, m->alpha_m, m->alpha_f);
  if (!(o->states.delta_m < 1) || !(o->states.delta_f < 1) || !(o->states.theta > 0))
    return fly_fail(
        error, FLY_BAD_INPUT, NAN,
        "method of first-order states: needs theta > 0, delta_m < 1, delta_f < 1, but theta = %g, delta_m = "
        "%g, delta_f = %g.",
        o->states.theta, o->states.delta_m, o->states.delta_f);
  if (o->form != FLY_FORM_ACCELERATION && m->alpha_m != 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "The residual form exists for alpha_m = 0 (HHT, trapezoid, Newmark) only, but alpha_m = %g.",
                    m->alpha_m);
  return FLY_OK;
}

static fly_status check_options(const fly_dae_options *o, fly_error *error) {
  if (o->formulation == FLY_INDEX1 && o->family != FLY_FAMILY_BDF)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "The formulation index1 is for the method bdf; of the others, direct and baumgarte integrate the "
                    "index-1 equations, without asking.");
  if (!(o->step >= 0) || !isfinite(o->step))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "step = %g s must be positive, or 0 for a step that follows the error.",
                    o->step);
  if (o->step == 0 && !(o->error > 0))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "error = %g must be positive.", o->error);
  if (o->nsequence < 0 || (o->nsequence > 0 && !o->sequence))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "nsequence = %d does not fit the step sequence given.", o->nsequence);
  if (o->nsequence > 0 && o->step == 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "A sequence of step fractions needs a fixed step.");
  double sum = 0;
  for (int i = 0; i < o->nsequence; i++) {
    if (!(o->sequence[i] > 0) || !isfinite(o->sequence[i]))
      return fly_fail(error, FLY_BAD_INPUT, NAN, "Fraction %d of the step sequence, %g, must be positive.", i + 1,
                      o->sequence[i]);
    sum += o->sequence[i];
  }
  if (o->nsequence > 0 && fabs(sum - 1) > 1e-9)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "The fractions of the step sequence add up to %.12g, not to 1.", sum);
  if (o->newton_max < 2 || !(o->newton_factor > 0) || o->predictor_degree < 0 || o->predictor_degree > 3)
    return fly_fail(
        error, FLY_BAD_INPUT, NAN,
        "newton_max >= 2, newton_factor > 0 and 0 <= predictor_degree <= 3 are needed, but they are %d, %g, %d.",
        o->newton_max, o->newton_factor, o->predictor_degree);
  if (!(o->step_min >= 0) || !(o->step_max >= 0) || !(o->step_initial >= 0) || !(o->look >= 0) || o->max_steps < 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "step_min, step_max, step_initial, look and max_steps must not be negative.");
  if (!(o->baumgarte_alpha >= 0) || !(o->baumgarte_beta >= 0) || !(o->constraint_error >= 0))
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "baumgarte_alpha, baumgarte_beta and constraint_error must not be negative.");
  if (o->step_min > 0 && o->step_max > 0 && o->step_min > o->step_max)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "step_min = %g s exceeds step_max = %g s.", o->step_min, o->step_max);
  return check_method(o, error);
}

static void take_point(fly_arena *m, fly_point *p, const fly_eval *e) {
  p->q = fly_arena_doubles(m, (size_t)e->p.nq);
  p->v = fly_arena_doubles(m, (size_t)e->p.nv);
  p->vdot = fly_arena_doubles(m, (size_t)e->p.nv);
  p->lambda = fly_arena_doubles(m, (size_t)e->nl);
  p->x = fly_arena_doubles(m, (size_t)e->p.nx);
  p->xdot = fly_arena_doubles(m, (size_t)e->p.nx);
  p->y = fly_arena_doubles(m, (size_t)e->p.ny);
}

// The end of an attempt: v', lambda, x', y lie in one array, in the order of the matrix.
static void take_attempt(fly_solver *s) {
  fly_arena *m = &s->memory;
  fly_attempt *at = &s->at;
  size_t nv = (size_t)s->e.p.nv, nx = (size_t)s->e.p.nx, n = (size_t)s->step.n;
  at->u = fly_arena_doubles(m, n);
  at->du = at->r = fly_arena_doubles(m, n);
  at->v1 = fly_arena_doubles(m, nv);
  at->end.q = fly_arena_doubles(m, (size_t)s->e.p.nq);
  at->end.x = fly_arena_doubles(m, nx);
  if (m->failed)
    return;
  at->end.v = at->v1;
  at->end.vdot = at->u;
  at->end.lambda = at->u + nv;
  at->end.xdot = at->end.lambda + s->e.nl;
  at->end.y = at->end.xdot + nx;
}

static void take_shaken(fly_solver *s) {
  const size_t nv = (size_t)s->e.p.nv;
  double **const list[] = {&s->shaken.q, &s->shaken.v, &s->shaken.vdot, &s->shaken.q_left, &s->shaken.v_left};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    *list[k] = fly_arena_doubles(&s->memory, nv);
  s->shaken.lambda = fly_arena_doubles(&s->memory, (size_t)s->e.nl);
  take_point(&s->memory, &s->shaken.point, &s->e);
}

static void take_memory(fly_solver *s) {
  fly_arena *m = &s->memory;
  size_t ncore = (size_t)s->kkt.n, nl = (size_t)s->e.nl;
  fly_point *points[] = {&s->now, &s->last, &s->before, &s->uncut, &s->dense, &s->side, &s->crossing.behind};
  for (size_t k = 0; k < sizeof points / sizeof *points; k++)
    take_point(m, points[k], &s->e);
  double **core_sized[] = {&s->z, &s->dz, &s->guess, &s->side_u[0], &s->side_u[1]};
  for (size_t k = 0; k < sizeof core_sized / sizeof *core_sized; k++)
    *core_sized[k] = fly_arena_doubles(m, ncore);
  s->rows = fly_arena_doubles(m, nl);
  s->rows2 = fly_arena_doubles(m, nl);
  s->rough = fly_arena_doubles(m, (size_t)s->e.p.ny);
  s->work = fly_arena_doubles(m, (size_t)s->e.p.nq);
  double **of_roots[] = {&s->ev.before, &s->ev.after,  &s->ev.near,    &s->ev.middle,  &s->ev.start,
                         &s->ev.time,   &s->ev.noise,  &s->ev.moved,   &s->ev.watched, &s->ev.room,
                         &s->ev.open,   &s->ev.swayed, &s->ev.nearest, &s->ev.low};
  for (size_t k = 0; k < sizeof of_roots / sizeof *of_roots; k++)
    *of_roots[k] = fly_arena_doubles(m, (size_t)s->e.p.nroot);
  s->ev.edge = fly_arena_ints(m, (size_t)s->e.p.nroot);
  s->ev.came = fly_arena_ints(m, (size_t)s->e.p.nroot);
  s->ev.done = fly_arena_ints(m, (size_t)s->e.p.nroot);
  s->sequence = fly_arena_doubles(m, (size_t)s->o.nsequence);
  take_attempt(s);
  take_shaken(s);
  fly_looks_take(s);
  fly_leaps_take(s);
  fly_relations_take(s);
  if (s->choice)
    fly_choice_take(s);
}

static fly_status choose_family(fly_solver *s, fly_error *error) {
  if (s->o.family == FLY_FAMILY_AUTO && (s->o.step > 0 || s->o.formulation != FLY_GGL))
    s->o.family = FLY_FAMILY_NEWMARK; // the only one of the three that has them
  s->family = fly_family_of(s->o.family);
  if (s->family)
    return FLY_OK;
  return fly_fail(error, FLY_BAD_INPUT, NAN, "Method %s is not in this build.", fly_family_name(s->o.family));
}

static fly_status check_rows(const fly_dae_problem *p, fly_error *error) {
  const int rows = p->ng + p->nb;
  if (rows <= p->nv)
    return FLY_OK;
  return fly_fail(error, FLY_BAD_INPUT, NAN,
                  "problem: %d constraint rows on %d velocities; at least %d of them must be redundant. Remove them.",
                  rows, p->nv, rows - p->nv);
}

// Stages of a tableau that feel each other have a matrix of their own, which knows of no loads.
fly_status fly_solver_evaluate(const fly_solver *s, fly_eval *e, const fly_dae_problem *problem, fly_error *error) {
  return s->o.family == FLY_FAMILY_TABLEAU ? fly_eval_create(e, problem, error)
                                           : fly_eval_create_lean(e, problem, error);
}

static fly_status create_family(fly_solver *s, fly_error *error) {
  const fly_status status = s->family->create(s, error);
  return status || !s->family->shape ? status : s->family->shape(s, error);
}

fly_status fly_solver_build(fly_solver *s, const fly_dae_problem *problem, fly_error *error) {
  fly_status status = check_choices(&s->o, error);
  if (status == FLY_OK)
    status = check_options(&s->o, error);
  if (status == FLY_OK)
    status = choose_family(s, error);
  if (status == FLY_OK)
    status = fly_solver_evaluate(s, &s->e, problem, error);
  if (status == FLY_OK)
    status = check_rows(problem, error);
  if (status == FLY_OK) {
    fly_step_matrix_size(&s->kkt, FLY_MATRIX_KKT, &s->e);
    fly_step_matrix_use_diagonal(&s->kkt, NULL);
  }
  if (status == FLY_OK)
    status = fly_step_matrix_build(&s->kkt, &s->e, error);
  if (status)
    return status;
  fly_step_matrix_size(&s->step, FLY_MATRIX_KKT, &s->e); // unless the family has another
  status = s->o.family == FLY_FAMILY_AUTO ? fly_choice_create(s, error) : create_family(s, error);
  if (status)
    return status;
  take_memory(s);
  if (s->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a solver with %d unknowns.", s->step.n);
  fly_grazes_begin(s);
  if (s->o.nsequence > 0)
    memcpy(s->sequence, s->o.sequence, (size_t)s->o.nsequence * sizeof(double));
  s->o.sequence = s->sequence;
  return FLY_OK;
}

void fly_solver_release(fly_solver *s) {
  if (s->choice)
    fly_choice_free(s);
  else if (s->family && s->family->free)
    s->family->free(s);
  fly_step_matrix_free(&s->kkt);
  fly_arena_free(&s->carry.memory);
  fly_eval_free(&s->e);
  fly_arena_free(&s->memory);
}

static void free_all(fly_solver *s) {
  fly_solver_release(s);
  free(s);
}

fly_status fly_solver_create(fly_solver **out, const fly_dae_problem *problem, const fly_dae_options *options,
                             fly_error *error) {
  if (!out)
    return fly_missing(error, "fly_solver_create", "place for the solver");
  *out = NULL;
  if (!problem)
    return fly_missing(error, "fly_solver_create", "problem");
  fly_solver *s = calloc(1, sizeof *s);
  if (!s)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a solver.");
  s->o = options ? *options : fly_dae_options_default();
  fly_status status = fly_solver_build(s, problem, error);
  if (status) {
    free_all(s);
    return status;
  }
  *out = s;
  return FLY_OK;
}

void fly_solver_free(fly_solver *s) {
  if (s && s->stage != FLY_SOLVER_BUSY) // a callback that frees its own solver would pull the floor away
    free_all(s);
}

void fly_point_copy(fly_point *to, const fly_point *from, const fly_eval *e) {
  const fly_dae_problem *p = &e->p;
  to->t = from->t;
  memcpy(to->q, from->q, (size_t)p->nq * sizeof(double));
  memcpy(to->v, from->v, (size_t)p->nv * sizeof(double));
  memcpy(to->vdot, from->vdot, (size_t)p->nv * sizeof(double));
  memcpy(to->lambda, from->lambda, (size_t)e->nl * sizeof(double));
  memcpy(to->x, from->x, (size_t)p->nx * sizeof(double));
  memcpy(to->xdot, from->xdot, (size_t)p->nx * sizeof(double));
  memcpy(to->y, from->y, (size_t)p->ny * sizeof(double));
}

// ------------------------------------------------------------------------------------------ certificate

// What the accepted point leaves in the constraints on three levels, and in the energy. Its kinematics are evaluated.
static fly_status certify(fly_solver *s, fly_error *error) {
  fly_certificate *c = &s->certificate;
  fly_step_record *r = &s->record;
  const fly_point *p = &s->now;
  int ng = s->e.p.ng, nl = s->e.nl;
  double *velocity = s->rows, *acceleration = s->rows2;
  int code = nl ? fly_eval_constraint(&s->e, s->rows, p->t, p->q) : 0;
  if (code == 0 && nl) {
    r->position = fly_largest(s->rows, ng);
    code = fly_eval_rates(&s->e, velocity, p->t, p->q);
  }
  if (code == 0 && nl && s->gamma)
    memcpy(acceleration, s->gamma, (size_t)nl * sizeof *acceleration);
  else if (code == 0 && nl)
    code = fly_eval_gamma(&s->e, acceleration, p->t, p->q, p->v);
  s->gamma = NULL;
  if (code == 0 && nl) {
    fly_csc_multiply_two(&s->e.G, velocity, p->v, acceleration, p->vdot);
    if (nl > ng)
      fly_csc_multiply_two(&s->e.B, velocity + ng, p->v, acceleration + ng, p->vdot);
    r->velocity = fly_largest(velocity, nl);
    r->acceleration = fly_largest(acceleration, nl);
    c->position = fmax(c->position, r->position);
    c->velocity = fmax(c->velocity, r->velocity);
    c->acceleration = fmax(c->acceleration, r->acceleration);
  }
  double energy = NAN;
  if (code == 0 && s->e.p.energy)
    code = fly_eval_note(&s->e, "energy", s->e.p.energy(&energy, p->t, p->q, p->v, s->e.p.user), &energy, 1);
  if (code) {
    fly_status status = fly_explain_callback(s, p->t, error);
    if (status == FLY_CALLBACK && s->e.failed_code > 0)
      fly_error_append(error, " The motion has reached that point: a smaller step cannot avoid it.");
    return status;
  }
  if (isnan(c->energy_start))
    c->energy_start = energy;
  else
    c->energy_drift = fmax(c->energy_drift, fabs(energy - c->energy_start));
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ start

// What a new start inside a run moves is no change of the given start.
fly_status fly_solver_restart(fly_solver *s, fly_error *error) {
  const double position = s->certificate.start_position, velocity = s->certificate.start_velocity;
  fly_status status = fly_relations_turn(s, error);
  if (status == FLY_OK)
    status = fly_make_consistent(s, error);
  if (s->started) {
    s->certificate.start_position = position;
    s->certificate.start_velocity = velocity;
  }
  if (status)
    return status;
  if (fly_eval_kinematics(&s->e, s->now.t, s->now.q))
    return fly_explain_callback(s, s->now.t, error);
  if (!s->started && (status = fly_mass_check(s, error)) != FLY_OK)
    return status;
  s->h_last = 0;
  s->estimate_last = 0;
  s->jumped = s->started && s->cut; // dense output over the step before goes on
  status = s->choice && !s->started ? fly_choice_begin(s, error) : FLY_OK;
  if (status == FLY_OK)
    status = s->family->restart(s, error);
  if (status)
    return status;
  fly_cross_note(s);
  status = certify(s, error);
  return status ? status : fly_events_begin(s, error);
}

static fly_status check_start(const fly_solver *s, double t0, double t_end, const double *q0, const double *v0,
                              const double *x0, fly_error *error) {
  const fly_dae_problem *p = &s->e.p;
  if (!q0 || !v0)
    return fly_missing(error, "fly_solver_start", q0 ? "initial velocity" : "initial position");
  if (!isfinite(t0) || !isfinite(t_end) || !(t_end > t0))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "The end time %g s must lie after the start time %g s.", t_end, t0);
  for (int i = 0; i < p->nq; i++)
    if (!isfinite(q0[i]))
      return fly_fail(error, FLY_BAD_INPUT, t0, "Initial position %d is not a finite number.", i);
  for (int i = 0; i < p->nv; i++)
    if (!isfinite(v0[i]))
      return fly_fail(error, FLY_BAD_INPUT, t0, "Initial velocity %d is not a finite number.", i);
  for (int i = 0; i < p->nx; i++)
    if (!x0 || !isfinite(x0[i]))
      return fly_fail(error, FLY_BAD_INPUT, t0, "Initial state %d is missing or not a finite number.", i);
  return FLY_OK;
}

// Quaternions are normalized once; the exponential keeps them so.
static fly_status set_positions(fly_solver *s, const double *q0, fly_error *error) {
  const fly_dae_problem *p = &s->e.p;
  memcpy(s->now.q, q0, (size_t)p->nq * sizeof(double));
  for (int k = 0; k < p->nrotation; k++) {
    double *c = s->now.q + p->rotation_q[k];
    double length = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + c[3] * c[3]);
    if (fabs(length - 1) > 0.1)
      return fly_fail(error, FLY_BAD_INPUT, s->now.t, "Quaternion %d of the start has length %g, not 1.", k, length);
    for (int i = 0; i < 4; i++)
      c[i] /= length;
  }
  return FLY_OK;
}

static void copy_or_zero(double *to, const double *from, int n) {
  memset(to, 0, (size_t)n * sizeof(double));
  if (from && n > 0)
    memcpy(to, from, (size_t)n * sizeof(double));
}

void fly_solver_know_rows(fly_solver *s, const fly_csc *G) { s->known_rows = G; }

void fly_solver_guess(fly_solver *s, const fly_dae_state *guess) {
  if (!s)
    return;
  const fly_dae_problem *p = &s->e.p;
  const fly_dae_state g = guess ? *guess : (fly_dae_state){0};
  copy_or_zero(s->guess, g.vdot, p->nv);
  copy_or_zero(s->guess + p->nv, g.lambda, s->e.nl);
  copy_or_zero(s->guess + p->nv + s->e.nl, g.xdot, p->nx);
  copy_or_zero(s->guess + p->nv + s->e.nl + p->nx, g.y, p->ny);
  s->guessed = guess != NULL;
}

static fly_lu_counts count_lu(const fly_solver *s) {
  fly_lu_counts sum = s->choice ? fly_choice_count(s) : s->family->count ? s->family->count(s) : (fly_lu_counts){0};
  fly_lu_counts_add(&sum, fly_lu_count(s->kkt.lu));
  return sum;
}

static fly_status start(fly_solver *s, double t0, double t_end, const double *q0, const double *v0, const double *x0,
                        fly_error *error) {
  s->clock_start = fly_clock();
  fly_status status = check_start(s, t0, t_end, q0, v0, x0, error);
  if (status)
    return status;
  s->t0 = s->now.t = t0;
  s->t_end = t_end;
  s->done = s->stopped = s->jumped = s->cut = false;
  fly_cross_forget(s);
  s->grid_step = 0;
  s->grid_cut = 1;
  s->tiny_steps = 0;
  s->roundings = (fly_roundings){0};
  s->shaken.rounded = s->shaken.left = 0;
  fly_eval_forget_widths(&s->e, TIME_WIDEST * (t_end - t0));
  s->step_max = s->o.step_max > 0 ? s->o.step_max : 0.1 * (t_end - t0);
  s->stats = (fly_stats){.h_min = INFINITY};
  s->record = (fly_step_record){0};
  if (s->choice)
    s->choice->begun = false;
  s->counted = count_lu(s);
  s->e.residuals = s->e.jacobians = 0;
  s->worked = fly_work_of_all(s);
  if (s->step.lu)
    fly_lu_forget(s->step.lu);
  fly_step_matrix_forget(&s->kkt);
  s->certificate = (fly_certificate){.energy_start = NAN, .energy_drift = s->e.p.energy ? 0.0 : (double)NAN};
  fly_stops_begin(s);
  fly_leaps_begin(s);
  fly_relations_begin(s);
  fly_edges_begin(s);
  fly_grazes_begin(s);
  s->looks.from = NAN;
  s->e.mass_known = s->e.rates_known = false;
  s->e.residuals = s->e.jacobians = 0;
  memcpy(s->now.v, v0, (size_t)s->e.p.nv * sizeof(double));
  if (s->e.p.nx)
    memcpy(s->now.x, x0, (size_t)s->e.p.nx * sizeof(double));
  status = set_positions(s, q0, error);
  if (status == FLY_OK)
    status = fly_solver_restart(s, error);
  s->h_largest = s->h_next;
  fly_point_copy(&s->last, &s->now, &s->e);
  s->started = status == FLY_OK;
  if (status == FLY_OK)
    status = fly_cross_begin(s, error);
  s->started = status == FLY_OK;
  s->stats.wall_s = fly_clock() - s->clock_start;
  return status;
}

fly_status fly_solver_start(fly_solver *s, double t0, double t_end, const double *q0, const double *v0,
                            const double *x0, fly_error *error) {
  fly_status status = fly_solver_allow(s, FLY_CALL_SOLVER_START, error);
  if (status)
    return status;
  s->stage = FLY_SOLVER_BUSY;
  s->started = false;
  status = start(s, t0, t_end, q0, v0, x0, error);
  s->stage = status ? FLY_SOLVER_FAILED : FLY_SOLVER_STARTED;
  return status;
}

// ------------------------------------------------------------------------------------------ steps

static fly_status limit_reached(const fly_solver *s, fly_error *error) {
  long tried = s->stats.steps + s->stats.rejected_error + s->stats.rejected_newton;
  if (s->o.max_steps == 0 || tried < s->o.max_steps)
    return FLY_OK;
  const fly_status status = fly_fail(error, FLY_TOO_MANY_STEPS, s->now.t,
                                     "At t = %.9g s the limit of %ld steps is reached.%s", s->now.t, s->o.max_steps,
                                     s->stats.stiff_steps > s->stats.steps / 2
                                         ? " The problem looks stiff to an explicit method: use ch or radau."
                                         : "");
  fly_explain_missing(s, error);
  return status;
}

static void swap_points(fly_point *a, fly_point *b) {
  fly_point c = *a;
  *a = *b;
  *b = c;
}

void fly_step_store(fly_solver *s, double end) {
  fly_attempt *at = &s->at;
  s->cut = s->jumped = s->stops.broken = false;
  swap_points(&s->before, &s->last);
  swap_points(&s->last, &s->now);
  fly_point_copy(&s->now, &at->end, &s->e);
  s->now.t = end;
  s->h_last = at->h;
  s->estimate_last = at->estimate;
  s->stats.steps++;
  s->stats.h_min = fmin(s->stats.h_min, at->h);
  s->stats.h_max = fmax(s->stats.h_max, at->h);
  s->record.estimate = at->estimate;
  s->record.ratio = at->ratio;
  if (at->singular) {
    s->stats.singular_steps++;
    s->certificate.singular += at->estimate;
  } else if (s->o.step == 0)
    s->certificate.estimate += at->estimate;
  s->h_largest = fmax(s->h_largest, at->h);
  s->tiny_steps = at->h < NO_PROGRESS * s->h_largest ? s->tiny_steps + 1 : 0;
}

// Every step passed its test, but round-off near singular positions is allowed for there, and no step sees that
// positions are rounded: here it counts.
static fly_status error_kept(const fly_solver *s, fly_error *error) {
  const double rounding = fly_round_off(s), asked = fly_error_asked(s);
  if (s->o.step > 0)
    return FLY_OK;
  if (s->certificate.singular > asked && s->o.error_per == FLY_PER_RUN)
    return fly_fail(error, FLY_NOT_KEPT, s->now.t,
                    "The run is complete, but in %ld steps near singular positions round-off hides the error: their "
                    "estimates add up to %.3g, and %.3g was asked for. A larger error lets steps leap further over "
                    "such positions.",
                    s->stats.singular_steps, s->certificate.singular, asked);
  if (rounding <= asked)
    return s->o.error_per == FLY_PER_RUN ? fly_roundings_kept(&s->roundings, asked, s->stats.steps, s->now.t, error)
                                         : FLY_OK;
  return fly_fail(error, FLY_NOT_KEPT, s->now.t,
                  "The run is complete, but the error asked for, %.3g, is smaller than the rounding error of the "
                  "positions, %.3g of the smallest scale. Ask for a larger error, or count positions from nearer by.",
                  asked, rounding);
}

// A root that changes its sign from one side of a known break to the other has no place inside a step.
static fly_status cross_break(fly_solver *s, fly_error *error) {
  const bool there = s->now.t >= s->stops.next.before;
  fly_status status = there ? fly_events_note(s, error) : FLY_OK;
  if (status == FLY_OK)
    status = fly_stops_cross(s, error);
  return status == FLY_OK && there && !s->done ? fly_events_passed(s, error) : status;
}

fly_status fly_step_conclude(fly_solver *s, fly_error *error) {
  fly_status status = certify(s, error);
  if (s->now.t >= s->t_end)
    s->done = true;
  if (status == FLY_OK)
    status = fly_relations_check(s, error);
  if (status == FLY_OK) {
    fly_leaps_check(s);
    status = fly_events_check(s, error);
  }
  if (status == FLY_OK)
    status = fly_cross_ask(s, error);
  if (status == FLY_OK && !s->crossing.due)
    status = cross_break(s, error);
  if (status == FLY_OK && s->done)
    status = fly_cross_last(s, error);
  return status == FLY_OK && s->done ? error_kept(s, error) : status;
}

fly_status fly_accept(fly_solver *s, double end, fly_error *error) {
  fly_step_store(s, end);
  if (fly_eval_kinematics(&s->e, s->now.t, s->now.q))
    return fly_explain_callback(s, s->now.t, error);
  return fly_step_conclude(s, error);
}

// A run that is complete, or was stopped, has not failed.
static fly_solver_stage stage_after(fly_status step) {
  return step == FLY_OK || step == FLY_STOPPED || step == FLY_NOT_KEPT ? FLY_SOLVER_STARTED : FLY_SOLVER_STUCK;
}

// A step that was taken back altogether is no step.
static fly_status step_once(fly_solver *s, fly_error *error) {
  fly_status status;
  do {
    status = fly_cross_over(s, error);
    if (status == FLY_OK)
      status = s->done ? error_kept(s, error) : s->choice ? fly_choice_step(s, error) : s->family->step(s, error);
  } while (status == FLY_OK && s->leaps.undone > 0 && !s->done);
  return status;
}

fly_status fly_solver_step(fly_solver *s, fly_error *error) {
  fly_status status = fly_solver_allow(s, FLY_CALL_STEP, error);
  if (status)
    return status;
  if (s->done)
    return s->stopped ? FLY_STOPPED : FLY_OK;
  double clock = fly_clock();
  s->stage = FLY_SOLVER_BUSY;
  status = limit_reached(s, error);
  if (status == FLY_OK)
    status = step_once(s, error);
  s->stage = stage_after(status);
  s->stats.wall_s += fly_clock() - clock;
  return status == FLY_OK && s->stopped ? FLY_STOPPED : status;
}

fly_status fly_solver_advance(fly_solver *s, double t, fly_error *error) {
  fly_status status = fly_solver_allow(s, FLY_CALL_ADVANCE, error);
  if (status == FLY_OK && isnan(t))
    status = fly_fail(error, FLY_BAD_INPUT, NAN, "fly_solver_advance: the time to reach is not a number.");
  while (status == FLY_OK && !s->done && s->now.t < t)
    status = fly_solver_step(s, error);
  return status;
}

// ------------------------------------------------------------------------------------------ questions

// All of them answer where there is no solver too (NULL), or none that was started.

bool fly_solver_done(const fly_solver *s) { return s && s->done; }

fly_dae_state fly_solver_state(const fly_solver *s) { return s ? fly_point_state(&s->now) : (fly_dae_state){.t = NAN}; }

double fly_solver_last_step(const fly_solver *s) { return s ? s->now.t - s->last.t : 0.0; }

fly_step_record fly_solver_step_record(const fly_solver *s) {
  if (!s)
    return (fly_step_record){0};
  fly_step_record record = s->record;
  record.t = s->now.t; // an event may have cut the step
  record.h = fly_solver_last_step(s);
  record.broken = s->stops.broken;
  record.before = s->stops.broken ? s->stops.before : s->now.t;
  return record;
}

static fly_status look_inside(fly_solver *s, double t, void (*at)(const fly_solver *, double, fly_point *),
                              fly_dae_state *state, fly_error *error) {
  fly_status status = fly_solver_allow(s, FLY_CALL_INTERPOLATE, error);
  if (status == FLY_OK && !state)
    status = fly_missing(error, "fly_solver_interpolate", "place for the state");
  if (status)
    return status;
  const double width = 64 * DBL_EPSILON * fabs(t); // of breaks, inside which no step lies
  double slack = fmax(1e-9 * (s->now.t - s->last.t), width), from = s->stats.steps == 0 ? s->t0 : s->last.t;
  if (!(t >= from - slack && t <= s->now.t + slack))
    return fly_fail(error, FLY_BAD_INPUT, t, "t = %.9g s lies outside the last step, %.9g s to %.9g s.", t, s->last.t,
                    s->now.t);
  at(s, t, &s->dense);
  *state = fly_point_state(&s->dense);
  return FLY_OK;
}

fly_status fly_solver_interpolate(fly_solver *s, double t, fly_dae_state *state, fly_error *error) {
  return look_inside(s, t, fly_dense_at, state, error);
}

fly_status fly_solver_glance(fly_solver *s, double t, fly_dae_state *state, fly_error *error) {
  return look_inside(s, t, fly_glance_at, state, error);
}

const fly_stats *fly_solver_counts(const fly_solver *s) { return &s->stats; }

fly_stats fly_solver_stats(const fly_solver *s) {
  if (!s)
    return (fly_stats){0};
  fly_stats stats = s->stats;
  fly_lu_counts n = count_lu(s);
  stats.residuals = s->e.residuals;
  stats.jacobians = s->e.jacobians;
  stats.factorizations = n.factorizations - s->counted.factorizations;
  stats.refactorizations = n.refactorizations - s->counted.refactorizations;
  stats.factor_entries = s->family->entries ? s->family->entries(s) : s->step.lu ? fly_lu_entries(s->step.lu) : 0;
  stats.solves = n.solves - s->counted.solves;
  stats.work = fly_work_of_all(s) - s->worked;
  if (stats.steps == 0)
    stats.h_min = 0;
  return stats;
}

fly_certificate fly_solver_certificate(const fly_solver *s) {
  if (!s)
    return (fly_certificate){.energy_start = NAN, .energy_drift = NAN};
  fly_certificate c = s->certificate;
  const fly_dae_problem *p = &s->e.p;
  const bool fixed = s->o.step > 0;
  c.time = p->autonomous     ? FLY_TIME_AUTONOMOUS
           : p->longest_step ? (fixed ? FLY_TIME_FIXED : FLY_TIME_BOUNDED)
           : fixed           ? FLY_TIME_UNKNOWN
                             : FLY_TIME_LOOKED;
  c.look_gap = p->autonomous || c.time == FLY_TIME_BOUNDED ? 0.0
               : fixed                                     ? s->stats.h_max
                                                           : fmin(fly_looks_spacing(s), s->stats.h_max);
  return c;
}
