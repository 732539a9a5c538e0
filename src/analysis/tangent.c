// A run linearized where it is read: directional derivatives of accelerations, multipliers, rates and outputs.
//
// The equations in index-1 form tell z = (v', lambda, x', y) of (q, v, x, u, t). Along a direction (dq, dv, dx, du)
//
//   | M + J0  G^T + J0  J0 |  dz = - J2 dq - J1 (dv, dx) + (what du does)       equations
//   | G       0         0  |       - d(G v' + gamma) along (dq, dv)            constraints
//
// with the KKT matrix of accelerations (dae/index1.h): one factorization, and one solution a direction. The right side
// of the constraints comes from element/bend.h (docs/theory/modes.md, M-along).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/linear.h"
#include "analysis/run.h"
#include "base/error.h"
#include "dae/index1.h"
#include "flyball/run.h"

struct fly_tangent {
  fly_run *run;
  long moves; // of the run, when this was made
  fly_eval eval;
  fly_step_matrix kkt;
  fly_dae_state at;
  double *q, *v, *x;      // of that state (nq), (nv), (nx)
  double *z;              // and v', lambda, x', y (kkt.n)
  double *none, *dz;      // zeros (of all sizes), and the last answer (kkt.n)
  double *columns, *rows; // work: a direction in the columns of J (ncol), rows of the equations (nrow)
  double *bend, *lent;    // work (nl), (nq + nv + nl)
  fly_slopes slopes;      // work
  long solves;
  fly_arena memory;
};

// ------------------------------------------------------------------------------------------ names

int fly_run_coordinate(const fly_run *r, const char *name) {
  const fly_model *m = r ? &r->mechanism->model : NULL;
  for (int i = 0; name && m && i < m->nv; i++) {
    const char *body, *axis = fly_coordinate_axis(m, i, &body);
    const size_t length = strlen(body);
    if (strncmp(name, body, length) == 0 && name[length] == '.' && strcmp(name + length + 1, axis) == 0)
      return i;
  }
  return -1;
}

int fly_run_state_place(const fly_run *r, const char *name) {
  const fly_model *m = r ? &r->mechanism->model : NULL;
  for (int k = 0; name && m && k < m->nstate; k++) {
    const char *own = m->spec->item[m->state[k].item].name, *part = m->state[k].part;
    const size_t length = strlen(own);
    if (strncmp(name, own, length) == 0 &&
        (part ? name[length] == '.' && strcmp(name + length + 1, part) == 0 : name[length] == '\0'))
      return k;
  }
  return -1;
}

// ------------------------------------------------------------------------------------------ creation

static fly_index1 index1_of(fly_tangent *t) { return (fly_index1){&t->eval, &t->kkt, t->dz, &t->solves, NULL}; }

static fly_status out_of_memory(const fly_tangent *t, fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, t->at.t, "Out of memory for the derivatives of a run.");
}

static void copy(double *to, const double *from, int n) {
  if (n > 0)
    memcpy(to, from, (size_t)n * sizeof *to);
}

static fly_status take(fly_tangent *t, fly_error *error) {
  const fly_dae_problem *p = &t->eval.p;
  fly_arena *a = &t->memory;
  const int most = t->eval.ncol + p->nq + t->run->mechanism->model.ninput;
  double **const list[] = {&t->z, &t->dz, &t->columns, &t->rows, &t->bend, &t->none, &t->lent, &t->q, &t->v, &t->x};
  const int size[] = {t->kkt.n, t->kkt.n, t->eval.ncol, t->eval.nrow, t->eval.nl, most, p->nq + p->nv + t->eval.nl,
                      p->nq,    p->nv,    p->nx};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    *list[k] = fly_arena_doubles(a, (size_t)size[k]);
  t->slopes = fly_system_take_slopes(&t->run->assembly.system, a);
  return a->failed ? out_of_memory(t, error) : FLY_OK;
}

static fly_status undetermined(const fly_tangent *t, fly_outcome why, fly_error *error) {
  if (why == FLY_OUT_OF_MEMORY)
    return out_of_memory(t, error);
  if (why == FLY_NO_FACTOR)
    return fly_fail(error, FLY_SINGULAR, t->at.t,
                    "The accelerations at t = %.9g s are not determined: the matrix of the equations is singular.",
                    t->at.t);
  return fly_fail(error, FLY_CALLBACK, t->at.t,
                  "The equations cannot be solved for accelerations at t = %.9g s, so they have no derivatives there.",
                  t->at.t);
}

// The run's own accelerations have its error: they are the guess.
static fly_status solve(fly_tangent *t, const fly_dae_state *from, fly_error *error) {
  const fly_dae_problem *p = &t->eval.p;
  const fly_index1 f = index1_of(t);
  copy(t->q, from->q, p->nq);
  copy(t->v, from->v, p->nv);
  copy(t->x, from->x, p->nx);
  copy(t->z, from->vdot, p->nv);
  copy(t->z + p->nv, from->lambda, t->eval.nl);
  copy(t->z + p->nv + t->eval.nl, from->xdot, p->nx);
  copy(t->z + p->nv + t->eval.nl + p->nx, from->y, p->ny);
  t->at = fly_index1_state(&t->eval, from->t, t->q, t->v, t->x, t->z);
  fly_outcome outcome = fly_index1_find(&f, t->at.t, t->q, t->v, t->x, t->z);
  if (outcome == FLY_SOLVED)
    outcome = fly_index1_factor(&f, &t->at); // derivatives belong to what was found
  return outcome ? undetermined(t, outcome, error) : FLY_OK;
}

static fly_status create(fly_tangent *t, fly_error *error) {
  fly_dae_state from;
  fly_status status = fly_run_read_state(t->run, &from, error);
  if (status == FLY_OK)
    status = fly_eval_create(&t->eval, &t->run->assembly.system.dae, error);
  if (status)
    return status;
  fly_step_matrix_size(&t->kkt, FLY_MATRIX_KKT, &t->eval);
  status = fly_step_matrix_build(&t->kkt, &t->eval, error);
  if (status == FLY_OK)
    status = take(t, error);
  return status ? status : solve(t, &from, error);
}

fly_status fly_run_tangent(fly_tangent **out, fly_run *r, fly_error *error) {
  if (!out)
    return fly_missing(error, "fly_run_tangent", "place for the derivatives");
  *out = NULL;
  fly_status status = fly_run_allow(r, FLY_CALL_READ, error);
  if (status)
    return status;
  if (r->mover != &fly_mover_dynamics)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "fly_run_tangent: only runs that forces move have accelerations to differentiate.");
  fly_tangent *t = calloc(1, sizeof *t);
  if (!t)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the derivatives of a run.");
  t->run = r;
  t->moves = r->moves;
  status = create(t, error);
  *out = status ? NULL : t;
  if (status)
    fly_tangent_free(t);
  return status;
}

void fly_tangent_free(fly_tangent *t) {
  if (!t)
    return;
  fly_step_matrix_free(&t->kkt);
  fly_eval_free(&t->eval);
  fly_arena_free(&t->memory);
  free(t);
}

fly_tangent_sizes fly_tangent_size(const fly_tangent *t) {
  if (!t)
    return (fly_tangent_sizes){0};
  const fly_dae_problem *p = &t->eval.p;
  return (fly_tangent_sizes){p->nq, p->nv, t->eval.nl, p->nx, p->ny, t->run->mechanism->model.ninput};
}

fly_dae_state fly_tangent_state(const fly_tangent *t) { return t ? t->at : (fly_dae_state){.t = NAN}; }

// ------------------------------------------------------------------------------------------ directions

// With nothing in place of NULL.
static fly_seed whole(const fly_tangent *t, const fly_seed *seed) {
  const fly_seed s = seed ? *seed : (fly_seed){NULL, NULL, NULL, NULL};
  return (fly_seed){s.q ? s.q : t->none, s.v ? s.v : t->none, s.x ? s.x : t->none, s.u ? s.u : t->none};
}

// rows of the equations: - J2 dq - J1 (dv, dx) + what du does
static void load_equations(fly_tangent *t, const fly_seed *s) {
  const fly_dae_problem *p = &t->eval.p;
  fly_system *system = &t->run->assembly.system;
  memset(t->rows, 0, (size_t)t->eval.nrow * sizeof *t->rows);
  for (int k = 0; k < system->model->ninput; k++) {
    if (s->u[k] == 0)
      continue;
    fly_system_given_direction(system, &t->at, FLY_SIGNAL_INPUT, k, t->dz); // lent
    for (int i = 0; i < t->eval.nrow; i++)
      t->rows[i] += s->u[k] * t->dz[i];
  }
  memset(t->columns, 0, (size_t)t->eval.ncol * sizeof *t->columns);
  copy(t->columns, s->q, p->nv);
  fly_csc_multiply_add(t->rows, &t->eval.J[2], -1.0, t->columns);
  copy(t->columns, s->v, p->nv);
  copy(t->columns + p->nv + t->eval.nl, s->x, p->nx);
  fly_csc_multiply_add(t->rows, &t->eval.J[1], -1.0, t->columns);
}

// dz of a direction.
static fly_status answer(fly_tangent *t, const fly_seed *s, fly_error *error) {
  const fly_dae_problem *p = &t->eval.p;
  const fly_index1 f = index1_of(t);
  const int nl = t->eval.nl;
  if (fly_eval_bend(&t->eval, t->bend, &t->at, s->q, s->v, t->lent))
    return undetermined(t, FLY_UNSOLVED, error);
  load_equations(t, s);
  copy(t->dz, t->rows, p->nv);
  for (int i = 0; i < nl; i++)
    t->dz[p->nv + i] = -t->bend[i];
  copy(t->dz + p->nv + nl, t->rows + p->nv, p->nx + p->ny);
  fly_index1_solve(&f, t->dz);
  return FLY_OK;
}

static bool any(const double *a, int n) {
  for (int i = 0; i < n; i++)
    if (a[i] != 0)
      return true;
  return false;
}

static fly_status output_slope(fly_tangent *t, const fly_seed *s, int output, double *out, fly_error *error) {
  const fly_assembly *a = &t->run->assembly;
  const fly_model *m = a->system.model;
  const fly_slopes *d = &t->slopes;
  const int nv = m->nv, nl = t->eval.nl;
  const double *lambda = t->dz + nv, *y = lambda + nl + t->eval.p.nx;
  if (m->output[output].row) { // it is one of the unknowns
    *out = y[m->measure[m->output[output].measure].output];
    return FLY_OK;
  }
  fly_system_slopes(&t->run->assembly.system, &t->at, t->run->assembly.system.model->output[output].expression, d);
  if (a->all.nactive > a->system.nactive && any(d->lambda, nl))
    return fly_fail_at(error, FLY_BAD_INPUT, t->at.t, FLY_NOWHERE, m->spec->item[m->output[output].item].name,
                       "The output `%s` shows a reaction of a model with redundant constraints, in which joints share "
                       "loads by their compliance: it has no derivative here.",
                       m->spec->item[m->output[output].item].name);
  *out = fly_linear_dot(d->q, s->q, nv) + fly_linear_dot(d->v, s->v, nv) + fly_linear_dot(d->vdot, t->dz, nv) +
         fly_linear_dot(d->lambda, lambda, nl) + fly_linear_dot(d->x, s->x, m->nstate) +
         fly_linear_dot(d->y, y, t->eval.p.ny) + fly_linear_dot(d->u, s->u, m->ninput);
  return FLY_OK;
}

static fly_status channel_slope(fly_tangent *t, const fly_seed *s, int channel, double *out, fly_error *error) {
  const fly_channels *c = &t->run->channels;
  int which = 0;
  *out = 0;
  if (channel < 0 || channel > c->count)
    return fly_fail(error, FLY_BAD_INPUT, t->at.t,
                    "fly_tangent_along: there is no channel %d. fly_run_channel gives the handle of one by its name.",
                    channel);
  if (channel == 0)
    return FLY_OK; // the time stays
  switch (fly_channels_source(c, channel - 1, &which)) {
  case FLY_SOURCE_OUTPUT:
    return output_slope(t, s, which, out, error);
  case FLY_SOURCE_STATE:
    *out = s->x[which];
    return FLY_OK;
  case FLY_SOURCE_RATE:
    *out = t->dz[t->eval.p.nv + t->eval.nl + which];
    return FLY_OK;
  case FLY_SOURCE_INPUT:
    *out = s->u[which];
    return FLY_OK;
  case FLY_SOURCE_HELD:
    return FLY_OK;
  default:
    return fly_fail_at(error, FLY_BAD_INPUT, t->at.t, FLY_NOWHERE, c->channel[channel - 1].name,
                       "fly_tangent_along: the channel `%s` has no derivatives; outputs, variables, states and inputs "
                       "of the model have. Give the model an output that is the same, as `outputs: {height: "
                       "dy(bob)}`.",
                       c->channel[channel - 1].name);
  }
}

// What was linearized is still where the run is: the model's expressions are evaluated there.
static fly_status check(const fly_tangent *t, const char *call, fly_error *error) {
  if (!t)
    return fly_missing(error, call, "derivatives of a run");
  return t->moves == t->run->moves
             ? FLY_OK
             : fly_fail(error, FLY_BAD_INPUT, t->at.t,
                        "%s: the run has gone on since t = %.9g s, where it was linearized. Linearize it anew "
                        "(fly_run_tangent).",
                        call, t->at.t);
}

fly_status fly_tangent_along(fly_tangent *t, const fly_seed *seed, const fly_response *response, const int *channel,
                             int count, double *value, fly_error *error) {
  fly_status status = check(t, "fly_tangent_along", error);
  if (status)
    return status;
  if (count > 0 && (!channel || !value))
    return fly_missing(error, "fly_tangent_along", channel ? "place for the values" : "list of channels");
  const fly_seed s = whole(t, seed);
  const int nv = t->eval.p.nv, nl = t->eval.nl;
  status = answer(t, &s, error);
  for (int k = 0; k < count && status == FLY_OK; k++)
    status = channel_slope(t, &s, channel[k], &value[k], error);
  if (status || !response)
    return status;
  if (response->vdot)
    copy(response->vdot, t->dz, nv);
  if (response->lambda)
    copy(response->lambda, t->dz + nv, nl);
  if (response->xdot)
    copy(response->xdot, t->dz + nv + nl, t->eval.p.nx);
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ constraints

// x moves by what takes the rows away: M dx + G^T mu = 0, G dx = -rows.
static void correct(fly_tangent *t, const double *rows, double *x) {
  const fly_index1 f = index1_of(t);
  memset(t->dz, 0, (size_t)t->kkt.n * sizeof *t->dz);
  for (int i = 0; i < t->eval.nl; i++)
    t->dz[t->eval.p.nv + i] = -rows[i];
  fly_index1_solve(&f, t->dz);
  for (int i = 0; i < t->eval.p.nv; i++)
    x[i] += t->dz[i];
}

// Rows that do not slip hold velocities, not positions.
fly_status fly_tangent_allow(fly_tangent *t, double *q, double *v, fly_error *error) {
  fly_status status = check(t, "fly_tangent_allow", error);
  if (status)
    return status;
  if (!q || !v)
    return fly_missing(error, "fly_tangent_allow", q ? "changes of velocities" : "moves");
  const fly_eval *e = &t->eval;
  for (int k = 0; k < 2 && e->nl > 0; k++) { // the second takes the roundings of the first away
    memset(t->bend, 0, (size_t)e->nl * sizeof *t->bend);
    if (e->p.ng)
      fly_csc_multiply_add(t->bend, &e->G, 1.0, q);
    correct(t, t->bend, q);
  }
  for (int k = 0; k < 2 && e->nl > 0; k++) {
    memset(t->bend, 0, (size_t)e->nl * sizeof *t->bend);
    if (e->p.ng) {
      fly_csc_multiply_add(t->bend, &e->G, 1.0, v);
      fly_csc_multiply_add(t->bend, &e->Zg, 1.0, q);
    }
    if (e->p.nb) {
      fly_csc_multiply_add(t->bend + e->p.ng, &e->B, 1.0, v);
      fly_csc_multiply_add(t->bend + e->p.ng, &e->Zb, 1.0, q);
    }
    correct(t, t->bend, v);
  }
  return FLY_OK;
}
