// Runs of flyball verify: the solver against the reference solution, step by step.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/reference.h"
#include "verify.h"

// ---------------------------------------------------------------------------------------------- the method

bool verify_method(fly_dae_options *options, const char *method, fly_error *error) {
  char name[32] = "";
  double number[2] = {NAN, NAN};
  fly_method_request request = fly_method_request_default();
  if (sscanf(method, "%31s %lf %lf", name, &number[0], &number[1]) < 1)
    return false;
  request.name = name;
  if (strcmp(name, "hht") == 0)
    request.alpha = number[0];
  else if (strcmp(name, "newmark") == 0)
    request.gamma = number[0];
  else if (strcmp(name, "hybrid") == 0) {
    request.alpha = number[0];
    request.constraint = number[1];
  } else
    request.rho = number[0];
  if (strcmp(name, "gen") == 0)
    request.phi0 = number[1];
  if (strcmp(name, "lobatto-acd") == 0)
    request.z0 = number[1];
  return fly_dae_options_method(options, &request, error) == FLY_OK;
}

const char *verify_formulation_name(fly_formulation f) {
  return f == FLY_INDEX3 ? "index3" : f == FLY_INDEX2 ? "index2" : "ggl";
}

static bool make_options(fly_dae_options *o, const verify_case *c, fly_error *error) {
  *o = fly_dae_options_default();
  if (!verify_method(o, c->method, error))
    return false;
  o->form = c->form;
  o->formulation = c->formulation;
  o->step_change = c->change;
  o->start = c->start;
  o->error_per = c->per;
  o->step = c->step;
  o->sequence = c->sequence;
  o->nsequence = c->nsequence;
  if (c->error > 0)
    o->error = c->error;
  o->start_vdot = c->start_vdot;
  o->start_a = c->start_a;
  if (c->custom != NULL)
    o->method = *c->custom;
  return true;
}

// ---------------------------------------------------------------------------------------------- errors

typedef struct comparison {
  const verify_case *c;
  fly_problem p;
  fly_solver *solver;
  fly_reference *reference;
  fly_dae_state at;                      // of the reference
  double *q, *v, *vdot, *lambda, *x, *y; // of the reference
  double *velocity;                      // work (nv)
  double *memory;                        // of these
  double *lambda_error;                  // at each accepted step (count)
  size_t count, capacity;
  double next; // no comparison before this time [s]
  double step; // the last one [s]
  int since;   // and how many there were of its size
  verify_result *result;
} comparison;

static double largest_difference(const double *a, const double *b, int n) {
  double largest = 0;
  for (int i = 0; i < n; i++)
    largest = fmax(largest, fabs(a[i] - b[i]));
  return largest;
}

static double norm_difference(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

// The rotation vector from b to a, both unit quaternions that are close.
static void turn_between(double turn[3], const double a[4], const double b[4]) {
  const double w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const double sign = w < 0 ? -2 : 2;
  turn[0] = sign * (b[0] * a[1] - b[1] * a[0] - b[2] * a[3] + b[3] * a[2]);
  turn[1] = sign * (b[0] * a[2] - b[2] * a[0] - b[3] * a[1] + b[1] * a[3]);
  turn[2] = sign * (b[0] * a[3] - b[3] * a[0] - b[1] * a[2] + b[2] * a[1]);
}

// Largest |q_a - q_b| as increments, each divided by its scale if `weighted`.
static double position_difference(const fly_dae_problem *p, const double *a, const double *b, bool weighted) {
  double largest = 0;
  int rotation = 0;
  for (int iq = 0, iv = 0; iv < p->nv;) {
    double d[3] = {a[iq] - b[iq], 0, 0};
    const bool turn = rotation < p->nrotation && p->rotation_v[rotation] == iv;
    if (turn)
      turn_between(d, a + iq, b + iq);
    for (int k = 0; k < (turn ? 3 : 1); k++, iv++)
      largest = fmax(largest, fabs(d[k]) / (weighted && p->scale_v ? p->scale_v[iv] : 1));
    iq += turn ? 4 : 1;
    rotation += turn;
  }
  return largest;
}

static double weighted_difference(const fly_dae_problem *p, const fly_dae_state *a, const fly_dae_state *b) {
  double largest = position_difference(p, a->q, b->q, true);
  for (int i = 0; i < p->nx; i++)
    largest = fmax(largest, fabs(a->x[i] - b->x[i]) / (p->scale_x ? p->scale_x[i] : 1));
  return largest;
}

// fmax that keeps NaN.
static void grow(double *largest, double value) {
  if (!(value <= *largest))
    *largest = value;
}

static void keep_lambda_error(comparison *m, double error) {
  if (m->count == m->capacity) {
    const size_t capacity = m->capacity > 0 ? 2 * m->capacity : 1024;
    double *grown = realloc(m->lambda_error, capacity * sizeof *grown);
    if (grown == NULL)
      return;
    m->lambda_error = grown;
    m->capacity = capacity;
  }
  m->lambda_error[m->count++] = error;
}

// What is compared with: of constraints that give way the rigid ones, with multipliers as these have them.
static const fly_dae_problem *compared(const comparison *m) { return m->p.soft ? &m->p.rigid : &m->p.dae; }

static fly_dae_state state_of(const comparison *m) {
  fly_dae_state s = fly_solver_state(m->solver);
  if (m->p.soft)
    s.lambda = fly_soft_multipliers(m->p.soft, &s);
  return s;
}

static void compare_split(comparison *m, const fly_dae_state *s) {
  const fly_dae_problem *p = compared(m);
  verify_split split;
  for (int i = 0; i < p->nv; i++)
    m->velocity[i] = s->v[i] - m->v[i];
  verify_project(p, m->at.t, m->q, m->velocity, &split);
  grow(&m->result->along, split.along);
  grow(&m->result->across, split.across);
}

static void compare_point(comparison *m) {
  const fly_dae_problem *p = compared(m);
  const fly_dae_state s = state_of(m);
  const int nc = p->ng + p->nb;
  verify_result *r = m->result;
  grow(&r->q, position_difference(p, s.q, m->q, false));
  grow(&r->v, largest_difference(s.v, m->v, p->nv));
  if (m->c->split)
    compare_split(m, &s);
  grow(&r->vdot, largest_difference(s.vdot, m->vdot, p->nv));
  grow(&r->x, largest_difference(s.x, m->x, p->nx));
  grow(&r->y, largest_difference(s.y, m->y, p->ny));
  grow(&r->weighted, weighted_difference(p, &s, &m->at));
  const double lambda = largest_difference(s.lambda, m->lambda, nc);
  grow(&r->lambda, lambda);
  for (int i = 0; i < nc; i++)
    r->largest_lambda = fmax(r->largest_lambda, fabs(m->lambda[i]));
  keep_lambda_error(m, lambda);
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double percentile(double *values, size_t count, double part) {
  if (count == 0)
    return NAN;
  qsort(values, count, sizeof *values, ascending);
  const size_t i = (size_t)ceil(part * (double)count);
  return values[i > 0 ? i - 1 : 0];
}

// ---------------------------------------------------------------------------------------------- a run

static bool take_reference(comparison *m, double end, fly_error *error) {
  const fly_dae_problem *p = &m->p.dae;
  const int size[7] = {p->nq, p->nv, p->nv, p->ng + p->nb, p->nx, p->ny, p->nv};
  double **const array[7] = {&m->q, &m->v, &m->vdot, &m->lambda, &m->x, &m->y, &m->velocity};
  size_t used = 0;
  m->memory = calloc((size_t)(p->nq + 3 * p->nv + p->ng + p->nb + p->nx + p->ny + 1), sizeof *m->memory);
  if (m->memory == NULL) {
    snprintf(error->message, sizeof error->message, "There is not enough memory.");
    return false;
  }
  for (int i = 0; i < 7; used += (size_t)size[i++])
    *array[i] = m->memory + used;
  m->at = (fly_dae_state){.q = m->q, .v = m->v, .vdot = m->vdot, .lambda = m->lambda, .x = m->x, .y = m->y};
  return fly_reference_create(&m->reference, p, m->p.t0, end, m->p.q0, m->p.v0, m->p.x0, FLY_REFERENCE_TOLERANCE,
                              error) == FLY_OK;
}

static bool follow_reference(comparison *m, double t, verify_result *r) {
  m->at.t = t;
  const fly_status status = fly_reference_at(m->reference, t, m->q, m->v, m->vdot, m->lambda, m->x, m->y);
  if (status == FLY_OK)
    return true;
  r->status = status;
  r->complete = false;
  r->error = *fly_reference_error(m->reference);
  return false;
}

static void say_progress(verify *v, const comparison *m, double end) {
  if (!cli_progress_due(&v->progress))
    return;
  const double t = fly_solver_state(m->solver).t;
  verify_progress(v, "%s, %s, %s: %.0f %%", m->c->problem, m->c->method, verify_formulation_name(m->c->formulation),
                  100 * (t - m->p.t0) / (end - m->p.t0));
}

// Whether this step is compared: all are, but of very many only some, evenly spread, the last, and the two behind every
// change of step, where reactions would spike.
static bool due(comparison *m, double end) {
  const double t = fly_solver_state(m->solver).t, h = fly_solver_last_step(m->solver);
  m->since = fabs(h - m->step) > 1e-9 * h ? 0 : m->since + 1;
  m->step = h;
  if (t < m->c->from || (t < m->next && t < end && m->since > 1))
    return false;
  m->next = t + (end - m->p.t0) / VERIFY_COMPARED;
  return true;
}

static void advance(verify *v, comparison *m, double end, verify_watch *watch, void *user) {
  verify_result *r = m->result;
  while (r->status == FLY_OK && !fly_solver_done(m->solver)) {
    if (cli_interrupted()) {
      r->status = FLY_STOPPED;
      snprintf(r->error.message, sizeof r->error.message, "Interrupted.");
      return;
    }
    r->status = fly_solver_step(m->solver, &r->error);
    r->complete = fly_solver_done(m->solver);
    if (r->status != FLY_OK && !r->complete)
      return;
    r->t = fly_solver_state(m->solver).t;
    if (m->reference != NULL && due(m, end)) {
      if (!follow_reference(m, r->t, r))
        return;
      compare_point(m);
    }
    if (watch != NULL)
      watch(m->solver, m->reference != NULL ? &m->at : NULL, user);
    say_progress(v, m, end);
  }
}

static void conclude(comparison *m) {
  verify_result *r = m->result;
  r->stats = fly_solver_stats(m->solver);
  r->certificate = fly_solver_certificate(m->solver);
  r->mean_step = (r->t - m->p.t0) / (double)(r->stats.steps > 0 ? r->stats.steps : 1);
  const fly_dae_state s = fly_solver_state(m->solver);
  const bool known = m->p.reference_q != NULL && m->p.reference_v != NULL && s.t == m->p.reference_t;
  r->end_q = r->end_v = NAN;
  if (m->reference != NULL || known) {
    r->end_q = norm_difference(s.q, m->reference != NULL ? m->q : m->p.reference_q, m->p.dae.nq);
    r->end_v = norm_difference(s.v, m->reference != NULL ? m->v : m->p.reference_v, m->p.dae.nv);
  }
  r->p95_lambda = percentile(m->lambda_error, m->count, 0.95);
}

// A run that did not reach its end has no errors worth a number.
static void forget(verify_result *r) {
  r->q = r->v = r->vdot = r->lambda = r->x = r->y = r->weighted = r->end_q = r->end_v = r->p95_lambda = r->along =
      r->across = NAN;
}

static void put_start(fly_problem *p, const verify_case *c) {
  if (c->q0 != NULL)
    memcpy(p->q0, c->q0, (size_t)p->dae.nq * sizeof *p->q0);
  if (c->v0 != NULL)
    memcpy(p->v0, c->v0, (size_t)p->dae.nv * sizeof *p->v0);
}

// The start that is asked for, on the constraints.
static bool take_start(fly_problem *p, const verify_case *c, fly_error *error) {
  if (!c->loose)
    put_start(p, c);
  if (!(c->begin > 0))
    return true;
  fly_reference *r = NULL;
  fly_status status =
      fly_reference_create(&r, &p->dae, p->t0, c->begin, p->q0, p->v0, p->x0, FLY_REFERENCE_TOLERANCE, error);
  if (status == FLY_OK)
    status = fly_reference_at(r, c->begin, p->q0, p->v0, NULL, NULL, p->x0, NULL);
  fly_reference_free(r);
  p->t0 = c->begin;
  return status == FLY_OK;
}

static fly_status give_way(fly_problem *p, const verify_case *c, fly_error *error) {
  if (!(c->softness > 0))
    return FLY_OK;
  if (c->loose)
    put_start(p, c);
  for (int i = 0; i < p->dae.nq; i++)
    p->q0[i] *= 1 + c->disturb_q;
  for (int i = 0; i < p->dae.nv; i++)
    p->v0[i] += c->disturb_v;
  return fly_problem_soften(p, c->soft, c->softness, c->smooth, error);
}

verify_result verify_run(verify *v, const verify_case *c, bool compare, verify_watch *watch, void *user) {
  verify_result r = {.status = FLY_BAD_INPUT};
  comparison m = {.c = c, .result = &r};
  fly_dae_options options;
  if (fly_problem_make(&m.p, c->problem, c->variant, c->n, &r.error) == FLY_OK && take_start(&m.p, c, &r.error)) {
    const double end = c->end > 0 ? c->end : m.p.t_end;
    if (make_options(&options, c, &r.error) && (!compare || take_reference(&m, end, &r.error))) {
      r.status = give_way(&m.p, c, &r.error);
      if (r.status == FLY_OK)
        r.status = fly_solver_create(&m.solver, &m.p.dae, &options, &r.error);
      if (r.status == FLY_OK)
        r.status = fly_solver_start(m.solver, m.p.t0, end, m.p.q0, m.p.v0, m.p.x0, &r.error);
      r.t = m.p.t0;
      if (r.status == FLY_OK)
        advance(v, &m, end, watch, user);
      if (m.solver != NULL)
        conclude(&m);
    }
  }
  if (!r.complete)
    forget(&r);
  fly_solver_free(m.solver);
  fly_reference_free(m.reference);
  fly_problem_free(&m.p);
  free(m.memory);
  free(m.lambda_error);
  return r;
}

// ---------------------------------------------------------------------------------------------- orders

double verify_order(double coarse, double fine, double ratio) { return log(coarse / fine) / log(ratio); }

double verify_slope(const double *x, const double *y, int n) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; i++) {
    const double a = log(x[i]), b = log(y[i]);
    sx += a;
    sy += b;
    sxx += a * a;
    sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}
