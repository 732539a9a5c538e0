// Equilibrium by a motion that is slowed down, docs/theory/statics.md (S-settling): the model moves under its own
// forces and a resistance c M v, time standing still for everything that depends on it. c is twice the frequency of the
// motion there is, by Rayleigh's quotient, so that the slowest direction that is left is damped critically.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/statics.h"
#include "base/error.h"

static const int MOST_STEPS = 5000;
static const double STEP_ERROR = 1e-3; // of the motion, radians and model sizes: only its end matters
static const double SETTLED = 1e-3;    // of the loads: from here Newton's iteration goes on

// Derivatives of the model, or those for Newton's iteration, and the mass.
typedef struct with_mass {
  fly_csc of, J;           // patterns, without it (not ours) and with it
  int *place, *mass_place; // where the entries of both stand
  double *own[3];          // values of the model
} with_mass;

typedef struct damped {
  fly_balance *b;
  const fly_dae_problem *of; // the model
  double c;                  // resistance over mass [1/s]
  with_mass whole, rest;     // the second only if the model has such
  fly_lean lean;
  double *Mv, *gamma, *zero; // work (nv), (ng); zero (nv)
  fly_dae_problem problem;
  fly_arena memory;
} damped;

// ------------------------------------------------------------------------------------------ the problem

static fly_dae_state still(const damped *d, const fly_dae_state *at) {
  fly_dae_state s = *at;
  s.t = d->b->t;
  return s;
}

static int mass(double *M, double t, const double *q, void *user) {
  const damped *d = user;
  (void)t;
  return d->of->mass(M, d->b->t, q, d->of->user);
}

static int force(double *f, const fly_dae_state *at, void *user) {
  damped *d = user;
  fly_dae_state s = still(d, at);
  int code = d->of->force(f, &s, d->of->user);
  fly_balance_mass(d->b, d->Mv, at->v);
  for (int i = 0; i < d->b->nv; i++)
    f[i] -= d->c * d->Mv[i];
  return code;
}

static int states(double *rows, const fly_dae_state *at, void *user) {
  damped *d = user;
  fly_dae_state s = still(d, at);
  return d->of->states(rows, &s, d->of->user);
}

static int outputs(double *h, const fly_dae_state *at, void *user) {
  damped *d = user;
  fly_dae_state s = still(d, at);
  return d->of->outputs(h, &s, d->of->user);
}

static int constraint(double *g, double t, const double *q, void *user) {
  const damped *d = user;
  (void)t;
  return d->of->constraint(g, d->b->t, q, d->of->user);
}

static int constraint_jacobian(double *G, double t, const double *q, void *user) {
  const damped *d = user;
  (void)t;
  return d->of->constraint_jacobian(G, d->b->t, q, d->of->user);
}

static int constraint_rate(double *gt, double t, const double *q, void *user) {
  const damped *d = user;
  (void)t, (void)q;
  memset(gt, 0, (size_t)d->b->ng * sizeof *gt);
  return 0;
}

// What is left without velocity is the acceleration of motions, which stand still.
static int constraint_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  damped *d = user;
  (void)t;
  d->of->constraint_gamma(d->gamma, d->b->t, q, d->zero, d->of->user);
  int code = d->of->constraint_gamma(gamma, d->b->t, q, v, d->of->user);
  for (int i = 0; i < d->b->ng; i++)
    gamma[i] -= d->gamma[i];
  return code;
}

static int constraint_velocity_jacobian(double *Z, double t, const double *q, const double *v, void *user) {
  const damped *d = user;
  (void)t;
  return d->of->constraint_velocity_jacobian(Z, d->b->t, q, v, d->of->user);
}

static void clear(with_mass *w) {
  for (int l = 0; l < 3; l++)
    memset(w->own[l], 0, (size_t)fly_csc_nnz(&w->of) * sizeof *w->own[l]);
}

static void put_together(const damped *d, const with_mass *w, double *const out[3]) {
  for (int l = 0; l < 3; l++)
    for (int k = 0; k < fly_csc_nnz(&w->of); k++)
      out[l][w->place[k]] += w->own[l][k];
  for (int k = 0; k < fly_csc_nnz(&d->b->system->M); k++)
    out[1][w->mass_place[k]] += d->c * d->b->M[k];
}

static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *at, void *user) {
  damped *d = user;
  const fly_dae_state s = still(d, at);
  clear(&d->whole);
  const int code = d->of->jacobian(d->whole.own[0], d->whole.own[1], d->whole.own[2], &s, d->of->user);
  put_together(d, &d->whole, (double *const[3]){J0, J1, J2});
  return code;
}

static int lean_jacobian(const fly_lean_values *out, const fly_dae_state *at, void *user) {
  damped *d = user;
  const fly_dae_state s = still(d, at);
  fly_lean_values of = *out;
  clear(&d->rest);
  memcpy(of.L, d->rest.own, sizeof of.L);
  const int code = d->of->lean->jacobian(&of, &s, d->of->user);
  put_together(d, &d->rest, out->L);
  return code;
}

static int append_pattern(const fly_csc *a, int *row, int *col, int n) {
  for (int j = 0; j < a->cols; j++)
    for (int k = a->start[j]; k < a->start[j + 1]; k++) {
      row[n] = a->row[k];
      col[n++] = j;
    }
  return n;
}

static fly_status no_memory(const damped *d, fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the motion of %d bodies.", d->b->model->nbody);
}

static fly_status add_mass(damped *d, with_mass *w, const fly_pattern *of, fly_error *error) {
  const fly_csc *J = &d->b->system->J, *M = &d->b->system->M;
  w->of = (fly_csc){.rows = J->rows, .cols = J->cols, .start = (int *)of->start, .row = (int *)of->row};
  const size_t nj = (size_t)fly_csc_nnz(&w->of), nm = (size_t)fly_csc_nnz(M);
  int *row = fly_arena_ints(&d->memory, nj + nm), *col = fly_arena_ints(&d->memory, nj + nm);
  w->place = fly_arena_ints(&d->memory, nj + nm);
  for (int l = 0; l < 3; l++)
    w->own[l] = fly_arena_doubles(&d->memory, nj);
  if (d->memory.failed)
    return no_memory(d, error);
  const int n = append_pattern(M, row, col, append_pattern(&w->of, row, col, 0));
  w->mass_place = w->place + nj;
  return fly_csc_from_entries(&w->J, J->rows, J->cols, n, row, col, w->place, error);
}

static fly_status make_pattern(damped *d, fly_error *error) {
  d->Mv = fly_arena_doubles(&d->memory, (size_t)d->b->nv);
  d->zero = fly_arena_doubles(&d->memory, (size_t)d->b->nv);
  d->gamma = fly_arena_doubles(&d->memory, (size_t)d->b->ng);
  if (d->memory.failed)
    return no_memory(d, error);
  fly_status status = add_mass(d, &d->whole, &d->of->jacobian_pattern, error);
  if (status == FLY_OK && d->of->lean)
    status = add_mass(d, &d->rest, &d->of->lean->rest, error);
  return status;
}

static void use_lean(damped *d) {
  d->lean = *d->of->lean;
  d->lean.rest = (fly_pattern){d->rest.J.start, d->rest.J.row};
  d->lean.jacobian = lean_jacobian;
  d->problem.lean = &d->lean;
}

static fly_status make_problem(damped *d, fly_balance *b, fly_error *error) {
  *d = (damped){.b = b, .of = &b->system->dae};
  fly_status status = make_pattern(d, error);
  d->problem = *d->of;
  d->problem.jacobian_pattern = (fly_pattern){d->whole.J.start, d->whole.J.row};
  if (d->of->lean)
    use_lean(d);
  d->problem.mass = mass;
  d->problem.force = force;
  d->problem.states = d->of->states ? states : NULL;
  d->problem.outputs = outputs;
  d->problem.constraint = constraint;
  d->problem.constraint_jacobian = constraint_jacobian;
  d->problem.rows_written = false;
  d->problem.constraint_rate = constraint_rate;
  d->problem.constraint_gamma = constraint_gamma;
  d->problem.constraint_velocity_jacobian = constraint_velocity_jacobian;
  d->problem.jacobian = jacobian;
  d->problem.autonomous = true; // motions and forces hold the value of t = 0
  d->problem.next_break = NULL;
  d->problem.longest_step = NULL;
  d->problem.leap = NULL;
  d->problem.accepted = NULL; // the balance accepts its own points
  d->problem.cross = NULL;
  d->problem.nroot = 0;
  d->problem.nrelation = d->problem.nfirm = 0;
  d->problem.energy = NULL;
  d->problem.row_name = NULL;
  d->problem.user = d;
  return status;
}

// ------------------------------------------------------------------------------------------ the motion

static fly_dae_options motion_options(void) {
  fly_dae_options o = fly_dae_options_default();
  fly_method_request m = fly_method_request_default();
  m.rho = 0; // stiff directions are to die out
  (void)fly_dae_options_method(&o, &m, NULL);
  o.error = STEP_ERROR;
  o.error_per = FLY_PER_STEP;
  return o;
}

// p.(a before - a now).M / p.M p over the step p: the square of the frequency of what moves.
static void set_resistance(damped *d, double h, const double *v) {
  fly_balance *b = d->b;
  double change = 0, way;
  for (int i = 0; i < b->nv; i++)
    b->delta[i] = h * v[i];
  fly_balance_mass(b, b->Mp, b->delta);
  way = fly_balance_dot(b->delta, b->Mp, b->nv);
  for (int i = 0; i < b->nv; i++)
    change += b->Mp[i] * (b->now.z[i] - b->next.z[i]);
  double wanted = way > 0 && change > 0 ? 2 * sqrt(change / way) : 0;
  d->c = d->c == 0 ? wanted : fmin(fmax(wanted, d->c / 1.5), 1.5 * d->c);
}

static bool one_step(damped *d, fly_solver *solver, fly_error *error) {
  fly_balance *b = d->b;
  fly_status status = fly_solver_step(solver, error);
  b->starved = b->starved || status == FLY_NO_MEMORY;
  if (status)
    return false;
  fly_dae_state at = fly_solver_state(solver);
  memcpy(b->next.q, at.q, (size_t)b->e.p.nq * sizeof *b->next.q);
  memcpy(b->next.x, at.x, (size_t)b->nx * sizeof *b->next.x);
  memcpy(b->next.z, b->now.z, (size_t)b->n * sizeof *b->next.z);
  if (!fly_balance_at(b, &b->next))
    return false;
  set_resistance(d, fly_solver_last_step(solver), at.v);
  fly_balance_accept(b, b->delta);
  return true;
}

static fly_status give_up(fly_balance *b, double t, fly_error *error) {
  char left[160], motion[160];
  fly_balance_force_text(b, &b->near, left, sizeof left);
  fly_balance_motion_text(b, b->way, motion, sizeof motion);
  return fly_fail(
      error, FLY_NO_CONVERGENCE, b->t,
      "The model does not come to rest in %d steps: after %.3g s %s still. Where the forces came nearest to balance, "
      "what is left is %s. Look for a load that is too large, or for something that nothing holds.",
      MOST_STEPS, t, motion, left);
}

static fly_status settle(damped *d, fly_solver *solver, fly_error *error) {
  fly_balance *b = d->b;
  fly_error why = {0};
  double length, angle;
  for (int k = 0; k < MOST_STEPS; k++) {
    double t = fly_solver_state(solver).t;
    if (fly_balance_residual(b, &b->now) <= SETTLED && fly_statics_polish(b)) {
      b->out->time = t;
      return FLY_OK;
    }
    if (!one_step(d, solver, &why))
      return fly_fail(error, FLY_NO_CONVERGENCE, b->t, "The motion that is to settle cannot be followed: %s",
                      why.message);
    b->out->iterations++;
    if (fly_balance_far(b, &length, &angle))
      return fly_statics_tell_far(b, error);
  }
  return give_up(b, fly_solver_state(solver).t, error);
}

fly_status fly_statics_settling(fly_balance *b, fly_error *error) {
  damped d;
  fly_solver *solver = NULL;
  fly_dae_options o = motion_options();
  fly_status status = make_problem(&d, b, error);
  if (status == FLY_OK)
    status = fly_solver_create(&solver, &d.problem, &o, error);
  if (status == FLY_OK)
    status = fly_solver_start(solver, 0.0, 1e9, b->now.q, d.zero, b->now.x, error);
  if (status == FLY_OK)
    status = settle(&d, solver, error);
  fly_solver_free(solver);
  fly_csc_free(&d.whole.J);
  fly_csc_free(&d.rest.J);
  fly_arena_free(&d.memory);
  return status;
}
