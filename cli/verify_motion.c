#include "verify_motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "example.h"
#include "pilot.h"

// ---------------------------------------------------------------------------------------------- memory

static void free_arrays(verify_sampled *m) {
  free(m->state);
  free(m->value);
  free(m->estimate);
}

void verify_sampled_free(verify_sampled *m) {
  if (m == NULL)
    return;
  free_arrays(m);
  free(m);
}

static bool take(verify_sampled *m, int states, int values) {
  const size_t rows = VERIFY_MOTION_ROWS + 2;
  m->states = states;
  m->values = values;
  m->state = calloc(rows * (size_t)states + 1, sizeof *m->state);
  m->value = calloc(rows * (size_t)values + 1, sizeof *m->value);
  m->estimate = calloc(rows * (size_t)values + 1, sizeof *m->estimate);
  return m->state != NULL && m->value != NULL && m->estimate != NULL;
}

// Of all values at the times of the rows.
static void take_estimates(verify_sampled *m, const fly_promise *p, double t0, double end) {
  m->report = p != NULL ? fly_promise_tell(p) : fly_promise_unknown();
  m->too_long = strstr(m->report.note, "ten million") != NULL;
  m->report.note = "";
  const int count = p != NULL ? fly_promise_count(p) : 0;
  if (count == 0) {
    free(m->estimate);
    m->estimate = NULL;
    return;
  }
  for (int row = 0, k = 0; row < m->rows; row++) {
    const double t = t0 + (end - t0) * row / VERIFY_MOTION_ROWS;
    while (k + 1 < count && fly_promise_time(p, k + 1) <= t * (1 + 1e-12))
      k++;
    for (int i = 0; i < m->values && fly_promise_time(p, k) <= t * (1 + 1e-12); i++)
      m->estimate[(size_t)row * (size_t)m->values + (size_t)i] = fly_promise_error(p, k, i);
  }
}

// ---------------------------------------------------------------------------------------------- problems

static bool make_problem(fly_problem *p, const verify_subject *s, fly_error *error) {
  return fly_problem_make(p, s->problem, s->variant[0] ? s->variant : NULL, 0, error) == FLY_OK;
}

static int value_count(const fly_dae_problem *p) { return p->nq + p->nv + p->ng + p->nb; }

static void put_values(double *out, const fly_dae_state *at, void *problem) {
  const fly_dae_problem *p = problem;
  memcpy(out, at->q, (size_t)p->nq * sizeof *out);
  memcpy(out + p->nq, at->v, (size_t)p->nv * sizeof *out);
  memcpy(out + p->nq + p->nv, at->lambda, (size_t)(p->ng + p->nb) * sizeof *out);
}

static void keep_state(verify_sampled *m, const fly_dae_problem *p, const fly_dae_state *at) {
  double *to = m->state + (size_t)m->rows * (size_t)m->states;
  memcpy(to, at->q, (size_t)p->nq * sizeof *to);
  if (p->nx > 0)
    memcpy(to + p->nq, at->x, (size_t)p->nx * sizeof *to);
}

static void keep_point(verify_sampled *m, const fly_dae_problem *p, const fly_dae_state *at) {
  keep_state(m, p, at);
  put_values(m->value + (size_t)m->rows * (size_t)m->values, at, (void *)p);
  m->rows++;
}

static double row_time(const fly_problem *p, int row) {
  return row >= VERIFY_MOTION_ROWS ? p->t_end : p->t0 + (p->t_end - p->t0) * row / VERIFY_MOTION_ROWS;
}

static void keep_rows(verify_sampled *m, const fly_problem *p, fly_solver *solver) {
  fly_dae_state at;
  while (m->rows <= VERIFY_MOTION_ROWS && row_time(p, m->rows) <= fly_solver_state(solver).t &&
         fly_solver_interpolate(solver, row_time(p, m->rows), &at, NULL) == FLY_OK)
    keep_point(m, &p->dae, &at);
}

// The run that put_values is given is the problem, here and in pilots.
static void go(verify_sampled *m, fly_problem *p, const fly_dae_options *o, fly_promise *promise) {
  fly_solver *solver = NULL;
  m->status = fly_solver_create(&solver, &p->dae, o, &m->error);
  if (m->status == FLY_OK)
    m->status = fly_solver_start(solver, p->t0, p->t_end, p->q0, p->v0, p->x0, &m->error);
  if (m->status == FLY_OK)
    keep_point(m, &p->dae,
               &(fly_dae_state){.t = p->t0,
                                .q = fly_solver_state(solver).q,
                                .v = fly_solver_state(solver).v,
                                .lambda = fly_solver_state(solver).lambda,
                                .x = fly_solver_state(solver).x});
  while (m->status == FLY_OK && !fly_solver_done(solver) && !cli_interrupted()) {
    m->status = fly_solver_step(solver, &m->error);
    keep_rows(m, p, solver);
    if (promise != NULL && (m->status == FLY_OK || m->status == FLY_NOT_KEPT))
      fly_promise_follow(promise, solver, &p->dae, NULL);
  }
  if (m->status == FLY_OK && promise != NULL)
    m->status = fly_promise_judge(promise, &m->error);
  m->steps = solver != NULL ? fly_solver_stats(solver).steps : 0;
  fly_solver_free(solver);
}

static bool goes_on(void *user) {
  (void)user;
  return !cli_interrupted();
}

static bool choose_method(fly_dae_options *o, const verify_how *how, fly_error *error) {
  *o = fly_dae_options_default();
  o->error = how->error;
  o->max_steps = how->max_steps;
  if (how->formulation != NULL && strcmp(how->formulation, "index3") == 0)
    o->formulation = FLY_INDEX3;
  return verify_method(o, how->method, error);
}

static void sample_problem(verify_sampled *m, const verify_subject *s, const verify_how *how) {
  fly_problem p = {0};
  fly_promise *promise = NULL;
  fly_dae_options o;
  if (!make_problem(&p, s, &m->error) || !choose_method(&o, how, &m->error) ||
      !take(m, p.dae.nq + p.dae.nx, value_count(&p.dae)))
    return;
  cli_pilot pilot = {.name = s->problem, .variant = s->variant[0] ? s->variant : NULL, .end = p.t_end, .options = o};
  const fly_promise_task task = {.problem = &p.dae,
                                 .options = o,
                                 .t0 = p.t0,
                                 .t_end = p.t_end,
                                 .calibrate = true,
                                 .nvalue = m->values,
                                 .values = put_values,
                                 .pilot = cli_pilot_fly,
                                 .go_on = goes_on,
                                 .user = &pilot,
                                 .output = (p.t_end - p.t0) / VERIFY_MOTION_ROWS};
  if (how->calibrate && fly_promise_create(&promise, &task, &m->error) == FLY_OK &&
      fly_promise_pilot(promise, &m->error) == FLY_OK) {
    o.error_asked = o.error;
    o.error = fly_promise_tell(promise).setting;
  }
  go(m, &p, &o, promise);
  take_estimates(m, promise, p.t0, p.t_end);
  fly_promise_free(promise);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- examples

typedef struct keeper {
  verify_sampled *m;
  const fly_run *run;
} keeper;

static void keep_row_state(const fly_dae_state *at, void *user) {
  keeper *k = user;
  if (k->m->rows <= VERIFY_MOTION_ROWS)
    keep_state(k->m, fly_run_problem(k->run), at);
}

static void keep_row(const double *row, void *user) {
  verify_sampled *m = ((keeper *)user)->m;
  if (m->rows <= VERIFY_MOTION_ROWS)
    memcpy(m->value + (size_t)m->rows++ * (size_t)m->values, row + 1, (size_t)m->values * sizeof *row);
}

static bool keep_on(double t, double end, long steps, void *user) {
  (void)t, (void)end, (void)steps, (void)user;
  return !cli_interrupted();
}

static int count_channels(const fly_run *run) {
  const char *unit;
  int n = 0;
  while (fly_run_channel_name(run, n + 1, &unit) != NULL)
    n++;
  return n;
}

static fly_status go_example(verify_sampled *m, fly_run **run, const fly_mechanism *mechanism, const verify_how *how,
                             keeper *k) {
  fly_run_options o = fly_run_options_default();
  o.method.name = how->method;
  o.formulation = how->formulation;
  o.error = how->error;
  o.max_steps = how->max_steps > 0 ? (double)how->max_steps : (double)NAN;
  o.calibrate = o.estimate_error = how->calibrate ? "yes" : "no";
  o.state = keep_row_state;
  o.row = keep_row;
  o.progress = keep_on;
  o.user = k;
  fly_status status = fly_run_create(run, mechanism, &o, &m->error);
  if (status)
    return status;
  o.output = fly_run_end(*run) / VERIFY_MOTION_ROWS;
  fly_run_free(*run);
  status = fly_run_create(run, mechanism, &o, &m->error);
  if (status == FLY_OK)
    status = fly_run_start(*run, &m->error);
  k->run = *run;
  if (status == FLY_OK && !take(m, fly_run_problem(*run)->nq + fly_run_problem(*run)->nx, count_channels(*run)))
    status = FLY_NO_MEMORY;
  return status ? status : fly_run_go(*run, &m->error);
}

static void sample_example(verify_sampled *m, const verify_subject *s, const verify_how *how) {
  const cli_example *e = cli_example_find(s->example);
  fly_mechanism *mechanism = NULL;
  fly_run *run = NULL;
  keeper k = {.m = m};
  m->status = fly_mechanism_parse(&mechanism, s->example, e->text, e->length, 0, NULL, &m->error);
  if (m->status == FLY_OK)
    m->status = go_example(m, &run, mechanism, how, &k);
  if (m->state != NULL && run != NULL) {
    m->steps = fly_run_stats(run).steps;
    take_estimates(m, fly_run_promise(run), 0, fly_run_end(run));
  }
  fly_run_free(run);
  fly_mechanism_free(mechanism);
}

verify_sampled *verify_sample(const verify_subject *s, const verify_how *how) {
  verify_sampled *m = calloc(1, sizeof *m);
  if (m == NULL)
    return NULL;
  m->status = FLY_BAD_INPUT;
  if (s->problem != NULL)
    sample_problem(m, s, how);
  else
    sample_example(m, s, how);
  return m;
}

// ---------------------------------------------------------------------------------------------- size

static int example_size(const verify_subject *s) {
  const cli_example *e = cli_example_find(s->example);
  const fly_run_options o = fly_run_options_default();
  fly_mechanism *mechanism = NULL;
  fly_run *run = NULL;
  int size = 0;
  if (fly_mechanism_parse(&mechanism, s->example, e->text, e->length, 0, NULL, NULL) == FLY_OK &&
      fly_run_create(&run, mechanism, &o, NULL) == FLY_OK && fly_run_start(run, NULL) == FLY_OK)
    size = fly_run_problem(run)->nq + fly_run_problem(run)->nx;
  fly_run_free(run);
  fly_mechanism_free(mechanism);
  return size;
}

int verify_subject_size(const verify_subject *s) {
  fly_problem p = {0};
  if (s->problem == NULL)
    return example_size(s);
  const int size = make_problem(&p, s, NULL) ? p.dae.nq + p.dae.nx : 0;
  fly_problem_free(&p);
  return size;
}

// ---------------------------------------------------------------------------------------------- differences

static double apart(const fly_dae_problem *p, const verify_sampled *a, const verify_sampled *b) {
  double largest = 0;
  if (a->rows != VERIFY_MOTION_ROWS + 1 || b->rows != a->rows)
    return NAN;
  for (int row = 0; row < a->rows; row++) {
    const double *one = a->state + (size_t)row * (size_t)a->states, *two = b->state + (size_t)row * (size_t)b->states;
    const fly_dae_state first = {.q = one, .x = one + p->nq}, second = {.q = two, .x = two + p->nq};
    const double d = fly_dae_distance(p, &first, &second);
    largest = d <= largest ? largest : d;
  }
  return largest;
}

// The norm is that of the problem, which must be made again for it.
double verify_sampled_apart(const verify_subject *s, const verify_sampled *a, const verify_sampled *b) {
  double result = NAN;
  if (s->problem != NULL) {
    fly_problem p = {0};
    if (make_problem(&p, s, NULL))
      result = apart(&p.dae, a, b);
    fly_problem_free(&p);
    return result;
  }
  const cli_example *e = cli_example_find(s->example);
  fly_mechanism *mechanism = NULL;
  fly_run *run = NULL;
  const fly_run_options o = fly_run_options_default();
  if (fly_mechanism_parse(&mechanism, s->example, e->text, e->length, 0, NULL, NULL) == FLY_OK &&
      fly_run_create(&run, mechanism, &o, NULL) == FLY_OK)
    result = apart(fly_run_problem(run), a, b);
  fly_run_free(run);
  fly_mechanism_free(mechanism);
  return result;
}
