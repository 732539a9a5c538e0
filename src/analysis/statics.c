// Equilibrium: the residual, steps of Newton and what is told of the result.
#include "analysis/statics.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/limits.h"
#include "analysis/rubbing.h"
#include "base/error.h"
#include "flyball/words.h"

static const double MOST_CORRECTION = 0.5;             // of a projection, in one iteration [rad]
static const double FAR_LENGTH = 1e4, FAR_ANGLE = 100; // model sizes, radians: nothing comes back from there

// ------------------------------------------------------------------------------------------ vectors

double fly_balance_dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

void fly_balance_mass(const fly_balance *b, double *out, const double *p) {
  memset(out, 0, (size_t)b->nv * sizeof *out);
  fly_csc_multiply_add(out, &b->system->M, 1.0, p);
}

double fly_balance_weighted(const fly_balance *b, const double *p) {
  double most = 0;
  for (int i = 0; i < b->nv; i++)
    if (!(fabs(p[i]) / b->system->scale[i] <= most))
      most = fabs(p[i]) / b->system->scale[i];
  return most;
}

double fly_balance_length(const fly_balance *b, const double *p) {
  double most = fly_balance_weighted(b, p);
  for (int i = 0; i < b->nx; i++) {
    const double own = fabs(p[b->nv + b->ng + i]) / b->system->scale_x[i];
    most = own <= most ? most : own;
  }
  return most;
}

double fly_balance_turn(const fly_balance *b, const double *p) {
  double most = 0;
  for (int k = 0; k < b->model->nbody; k++) {
    const fly_body *body = &b->model->body[k];
    for (int c = 0; c < body->columns; c++)
      if (!fly_body_is_length(body, c))
        most = fmax(most, fabs(p[body->iv + c]));
  }
  return most;
}

// Every force on every coordinate, those of the joints too, as the acceleration it alone would cause.
static double size_of_loads(fly_balance *b, const fly_rest *at) {
  double sum = 0;
  memset(b->delta, 0, (size_t)b->nv * sizeof *b->delta);
  if (b->ng > 0)
    fly_csc_multiply_transposed_add(b->delta, &b->e.G, 1.0, at->z + b->nv);
  for (int i = 0; i < b->nv; i++) {
    double m = b->system->M.val[fly_csc_find(&b->system->M, i, i)];
    double all = fabs(b->delta[i]) + fabs(b->equations[i] - b->delta[i]);
    sum += m > 0 ? all * all / m : 0;
  }
  return sqrt(sum);
}

// Where all springs are free there are none: then those of the start count a little.
double fly_balance_loads(const fly_balance *b, const fly_rest *at) { return fmax(at->loads, 1e-3 * b->start_loads); }

double fly_balance_residual(const fly_balance *b, const fly_rest *at) {
  return at->size > 0 ? at->size / fmax(fly_balance_loads(b, at), at->size) : 0;
}

// ------------------------------------------------------------------------------------------ places

fly_dae_state fly_balance_state(const fly_balance *b, const fly_rest *at) {
  const double *lambda = at->z + b->nv;
  return (fly_dae_state){b->t, at->q, b->rest, b->rest, lambda, at->x, b->still, lambda + b->ng + b->nx, NULL};
}

// Nothing moves and nothing is accelerated, so what forces feel of accelerations is left out.
static void drop_accelerations(fly_balance *b) {
  fly_csc *J0 = &b->e.J[0];
  memset(J0->val, 0, (size_t)J0->start[b->nv] * sizeof *J0->val);
}

static bool factor(fly_balance *b, fly_step_matrix *m) {
  fly_status status = b->starved ? FLY_NO_MEMORY : fly_lu_factor(m->lu, &m->a);
  b->starved = status == FLY_NO_MEMORY;
  return status == FLY_OK;
}

static bool factor_kkt(fly_balance *b, const fly_dae_state *at) {
  const fly_coef limit = {0};
  int code = b->nx + b->ny > 0 ? fly_eval_jacobian(&b->e, at) : fly_eval_kinematics(&b->e, b->t, at->q);
  if (code)
    return false;
  drop_accelerations(b);
  fly_step_matrix_fill(&b->kkt, &b->e, &limit, NULL);
  return factor(b, &b->kkt);
}

// K + sigma M:  the shift goes in through the mass, S-shift
bool fly_balance_factor(fly_balance *b, double sigma) {
  const fly_coef stiffness = {0, 1, 1};
  fly_dae_state at = fly_balance_state(b, &b->now);
  if (fly_eval_jacobian(&b->e, &at))
    return false;
  drop_accelerations(b);
  fly_statics_rest_states(b);
  int n = fly_csc_nnz(&b->e.M);
  for (int k = 0; k < n; k++)
    b->e.M.val[k] = sigma * b->M[k];
  fly_step_matrix_fill(&b->tangent, &b->e, &stiffness, NULL);
  memcpy(b->e.M.val, b->M, (size_t)n * sizeof *b->M);
  return factor(b, &b->tangent);
}

// One solution of the linear equations for (a, lambda, x', y); more only where outputs y make them nonlinear.
bool fly_balance_at(fly_balance *b, fly_rest *at) {
  fly_dae_state s = fly_balance_state(b, at);
  double change = 1;
  for (int k = 0; k < (b->ny > 0 ? 20 : 2) && change > 0; k++) {
    if ((k == 0 || b->ny > 0) && !factor_kkt(b, &s))
      return false;
    if (fly_eval_equations(&b->e, b->equations, &s))
      return false;
    for (int i = 0; i < b->nv; i++)
      b->work[i] = -b->equations[i];
    memset(b->work + b->nv, 0, (size_t)b->ng * sizeof *b->work);
    for (int i = 0; i < b->nx + b->ny; i++)
      b->work[b->nv + b->ng + i] = -b->equations[b->nv + i];
    fly_lu_solve(b->kkt.lu, b->work);
    memcpy(at->z, b->work, (size_t)b->nv * sizeof *at->z);
    memset(at->z + b->nv + b->ng, 0, (size_t)b->nx * sizeof *at->z); // as a: found from nothing
    change = 0;
    for (int i = b->nv; i < b->n; i++) {
      at->z[i] += b->work[i];
      if (i < b->nv + b->ng || i >= b->nv + b->ng + b->nx)
        change = fmax(change, fabs(b->work[i]) - 1e-14 * fabs(at->z[i]));
    }
  }
  fly_balance_mass(b, b->Ma, at->z);
  at->size = sqrt(fmax(0.0, fly_balance_dot(at->z, b->Ma, b->nv)));
  at->loads = size_of_loads(b, at);
  return isfinite(at->size);
}

static double largest(const double *x, int n) {
  double m = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) <= m))
      m = fabs(x[i]);
  return m;
}

// The matrix of the last place does for the next while it converges quickly.
bool fly_balance_project(fly_balance *b, double *q) {
  fly_dae_state at = fly_balance_state(b, &b->now);
  double before = INFINITY, moved = INFINITY;
  at.q = q;
  for (int k = 0; k < 40 && b->ng > 0; k++) {
    if (fly_eval_constraint(&b->e, b->rows, b->t, q))
      return false;
    double now = largest(b->rows, b->ng);
    if (now == 0 || (moved <= 1e-13 && !(now < 0.5 * before)))
      return true;
    if (!isfinite(now) || (k > 8 && !(now < 2 * before)))
      return moved <= 1e-9;
    bool fresh = k > 0 ? !(now < 0.1 * before) : now > 1e-3 * b->model->size;
    fresh |= !fly_lu_ready(b->kkt.lu); // at the place tried last it was singular
    if (fresh && !factor_kkt(b, &at))
      return false;
    memset(b->work, 0, (size_t)b->n * sizeof *b->work);
    for (int i = 0; i < b->ng; i++)
      b->work[b->nv + i] = -b->rows[i];
    fly_lu_solve(b->kkt.lu, b->work);
    moved = fly_balance_weighted(b, b->work);
    if (!(moved < 1e4))
      return false;
    double turn = fly_balance_turn(b, b->work);
    for (int i = 0; i < b->nv && turn > MOST_CORRECTION; i++)
      b->work[i] *= MOST_CORRECTION / turn;
    fly_eval_plus(&b->e, q, q, b->work);
    before = now;
  }
  return b->ng == 0 || moved <= 1e-9;
}

static void copy_rest(const fly_balance *b, fly_rest *to, const fly_rest *from) {
  memcpy(to->q, from->q, (size_t)b->e.p.nq * sizeof *to->q);
  memcpy(to->x, from->x, (size_t)b->nx * sizeof *to->x);
  memcpy(to->z, from->z, (size_t)b->n * sizeof *to->z);
  to->size = from->size;
  to->loads = from->loads;
}

void fly_balance_accept(fly_balance *b, const double *p) {
  fly_rest old = b->now;
  b->now = b->next;
  b->next = old;
  (void)fly_system_accept(b->system, b->t, b->now.q, b->rest);
  for (int i = 0; i < b->nv; i++)
    b->way[i] += p[i];
  if (b->now.size < b->near.size)
    copy_rest(b, &b->near, &b->now);
}

bool fly_balance_rewind(fly_balance *b) {
  const fly_model *m = b->model;
  memcpy(b->now.q, b->start, (size_t)b->e.p.nq * sizeof *b->start);
  memcpy(b->now.x, b->start_x, (size_t)b->nx * sizeof *b->start_x);
  memset(b->now.z, 0, (size_t)b->n * sizeof *b->now.z);
  memset(b->way, 0, (size_t)b->nv * sizeof *b->way);
  memcpy(b->system->turn, b->turn, (size_t)m->nterm * sizeof *b->turn);
  memcpy(b->system->force_turn, b->force_turn, (size_t)m->nforce * sizeof *b->turn);
  memcpy(b->system->measure_turn, b->measure_turn, (size_t)m->nmeasure * sizeof *b->turn);
  bool here = fly_balance_at(b, &b->now);
  b->start_loads = b->now.loads;
  if (here && b->now.size < b->near.size)
    copy_rest(b, &b->near, &b->now);
  return here;
}

bool fly_balance_far(const fly_balance *b, double *length, double *angle) {
  *length = *angle = 0;
  for (int k = 0; k < b->model->nbody; k++) {
    const fly_body *body = &b->model->body[k];
    for (int c = 0; c < body->columns; c++) {
      double *to = fly_body_is_length(body, c) ? length : angle;
      *to = fmax(*to, fabs(b->way[body->iv + c]));
    }
  }
  return *length > FAR_LENGTH * b->model->size || *angle > FAR_ANGLE;
}

// ------------------------------------------------------------------------------------------ words

void fly_balance_note(fly_balance *b, const char *format, ...) {
  size_t used = strlen(b->out->notes), size = sizeof b->out->notes;
  va_list list;
  va_start(list, format);
  vsnprintf(b->out->notes + used, size - used, format, list);
  va_end(list);
  used = strlen(b->out->notes);
  snprintf(b->out->notes + used, size - used, "\n");
}

// Moves (dr in space, dtheta in body axes) of a body, both in space.
static void body_vector(const fly_balance *b, const double *q, int k, const double *p, double r[3], double turn[3]) {
  const fly_body *body = &b->model->body[k];
  double w[3] = {0};
  fly_kinematics at = {0};
  memset(r, 0, 3 * sizeof *r);
  for (int c = 0; c < body->columns && body->column[c] < FLY_COLUMN_OWN; c++)
    *(body->column[c] < 3 ? &r[body->column[c]] : &w[body->column[c] - 3]) = p[body->iv + c];
  fly_body_position(body, q + body->iq, &at);
  fly_to_space(turn, at.R, w);
}

static void direction_text(const double d[3], char *text, size_t size) {
  static const char axes[] = "xyz";
  double length = sqrt(fly_balance_dot(d, d, 3));
  for (int c = 0; c < 3; c++)
    if (fabs(d[c]) > 0.999 * length) {
      snprintf(text, size, "%s%c", d[c] < 0 ? "-" : "", axes[c]);
      return;
    }
  snprintf(text, size, "(%.3g, %.3g, %.3g)", d[0] / length, d[1] / length, d[2] / length);
}

// The body that moves most in p, how far, whether it is its turn, and which way.
static int main_motion(const fly_balance *b, const double *q, const double *p, bool *turns, double d[3]) {
  double most = -1, r[3], turn[3];
  int body = 0;
  for (int k = 0; k < b->model->nbody; k++) {
    body_vector(b, q, k, p, r, turn);
    double here = fmax(sqrt(fly_balance_dot(r, r, 3)) / b->model->size, sqrt(fly_balance_dot(turn, turn, 3)));
    if (here > 1.001 * most) { // the first of equals
      most = here;
      body = k;
    }
  }
  body_vector(b, q, body, p, r, turn);
  *turns = sqrt(fly_balance_dot(turn, turn, 3)) * b->model->size > 0.5 * sqrt(fly_balance_dot(r, r, 3));
  memcpy(d, *turns ? turn : r, 3 * sizeof *d);
  return body;
}

int fly_balance_motion_text(const fly_balance *b, const double *p, char *text, size_t size) {
  double d[3];
  char direction[60];
  bool turns;
  int body = main_motion(b, b->now.q, p, &turns, d);
  direction_text(d, direction, sizeof direction);
  snprintf(text, size, "`%s` %s %s", b->model->body[body].name, turns ? "turns about" : "moves along", direction);
  return body;
}

// a.M a over the main motion: the force that does the same work along it.
void fly_balance_force_text(const fly_balance *b, const fly_rest *at, char *text, size_t size) {
  double d[3];
  char direction[60];
  bool turns;
  int body = main_motion(b, at->q, at->z, &turns, d);
  direction_text(d, direction, sizeof direction);
  snprintf(text, size, "%.3g %s with which `%s` %s %s", at->size * at->size / sqrt(fly_balance_dot(d, d, 3)),
           turns ? "N m" : "N", b->model->body[body].name, turns ? "turns about" : "moves along", direction);
}

// ------------------------------------------------------------------------------------------ life

static void take_rest(fly_balance *b, fly_rest *r) {
  r->q = fly_arena_doubles(&b->memory, (size_t)b->e.p.nq);
  r->x = fly_arena_doubles(&b->memory, (size_t)b->nx);
  r->z = fly_arena_doubles(&b->memory, (size_t)b->n);
  r->size = INFINITY;
}

static void take(fly_balance *b) {
  fly_arena *a = &b->memory;
  const fly_model *m = b->model;
  size_t nv = (size_t)b->nv;
  take_rest(b, &b->now);
  take_rest(b, &b->next);
  take_rest(b, &b->near);
  b->M = fly_arena_doubles(a, (size_t)fly_csc_nnz(&b->e.M));
  b->rest = fly_arena_doubles(a, nv);
  b->still = fly_arena_doubles(a, (size_t)b->nx);
  b->start_x = fly_arena_doubles(a, (size_t)b->nx);
  b->start = fly_arena_doubles(a, (size_t)b->e.p.nq);
  b->equations = fly_arena_doubles(a, (size_t)b->e.nrow);
  b->rows = fly_arena_doubles(a, (size_t)b->ng);
  b->p = fly_arena_doubles(a, (size_t)b->n);
  b->work = fly_arena_doubles(a, (size_t)b->n);
  b->Ma = fly_arena_doubles(a, nv);
  b->Mp = fly_arena_doubles(a, nv);
  b->delta = fly_arena_doubles(a, nv);
  b->way = fly_arena_doubles(a, nv);
  b->wrench = fly_arena_doubles(a, 6 * (size_t)m->npair);
  b->joint = fly_arena_ints(a, (size_t)m->spec->nitem);
  b->turn = fly_arena_take(a, (size_t)m->nterm, sizeof *b->turn);
  b->force_turn = fly_arena_take(a, (size_t)m->nforce, sizeof *b->turn);
  b->measure_turn = fly_arena_take(a, (size_t)m->nmeasure, sizeof *b->turn);
}

static fly_status starve(const fly_balance *b, fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the equilibrium of %d bodies.", b->model->nbody);
}

static void keep_start(fly_balance *b, const fly_dae_state *start) {
  const fly_model *m = b->model;
  for (int k = 0; k < m->nbody; k++)
    b->total_mass += m->body[k].own.mass;
  memcpy(b->M, b->system->M.val, (size_t)fly_csc_nnz(&b->system->M) * sizeof *b->M);
  memcpy(b->start, start->q, (size_t)b->e.p.nq * sizeof *b->start);
  memcpy(b->start_x, start->x, (size_t)b->nx * sizeof *b->start_x);
  (void)fly_system_accept(b->system, b->t, b->start, b->rest);
  memcpy(b->turn, b->system->turn, (size_t)m->nterm * sizeof *b->turn);
  memcpy(b->force_turn, b->system->force_turn, (size_t)m->nforce * sizeof *b->turn);
  memcpy(b->measure_turn, b->system->measure_turn, (size_t)m->nmeasure * sizeof *b->turn);
}

// What has no equilibrium, or one that depends on the way there.
static fly_status refuse(const fly_model *m, double t, fly_error *error) {
  const bool slips = m->nslip > 0;
  if (!slips && m->ndelay == 0)
    return FLY_OK;
  const char *name = m->spec->item[slips ? m->slip[0].item : m->delay[0].item].name;
  return fly_fail_at(error, FLY_BAD_INPUT, t, FLY_NOWHERE, name,
                     slips ? "`%s` says something of velocities only: wherever it rolls to, it may rest, and which "
                             "place that is depends on the way. Let it move, with a damper, and see where it stops."
                           : "The delay `%s` remembers what was, and an equilibrium has no past. Give it `pade: 3`, "
                             "which is a linear system.",
                     name);
}

fly_status fly_balance_create(fly_balance *b, fly_system *system, const fly_dae_state *start, fly_equilibrium *out,
                              fly_error *error) {
  *b = (fly_balance){.system = system, .model = system->model, .t = start->t, .out = out};
  fly_status status = refuse(system->model, start->t, error);
  if (status == FLY_OK)
    status = fly_limits_found(system->model, "statics", error);
  if (status == FLY_OK)
    status = fly_eval_create(&b->e, &system->dae, error);
  if (status)
    return status;
  b->nv = b->e.p.nv;
  b->ng = b->e.p.ng;
  b->nx = b->e.p.nx;
  b->ny = b->e.p.ny;
  b->n = b->e.ncol;
  take(b);
  if (b->memory.failed)
    return starve(b, error);
  fly_step_matrix_size(&b->tangent, FLY_MATRIX_INDEX3, &b->e);
  fly_step_matrix_size(&b->kkt, FLY_MATRIX_KKT, &b->e);
  status = fly_step_matrix_build(&b->tangent, &b->e, error);
  if (status == FLY_OK)
    status = fly_step_matrix_build(&b->kkt, &b->e, error);
  if (status)
    return status;
  keep_start(b, start);
  if (fly_balance_rewind(b))
    return FLY_OK;
  return b->starved ? starve(b, error)
                    : fly_fail(error, FLY_SINGULAR, b->t,
                               "Forces and reactions cannot be found where the model is assembled.");
}

void fly_balance_free(fly_balance *b) {
  fly_step_matrix_free(&b->tangent);
  fly_step_matrix_free(&b->kkt);
  fly_eval_free(&b->e);
  fly_arena_free(&b->memory);
}

// ------------------------------------------------------------------------------------------ the search

static void measure_way(fly_balance *b) {
  for (int k = 0; k < b->model->nbody; k++) {
    const fly_body *body = &b->model->body[k];
    double d[3] = {0};
    for (int c = 0; c < body->columns && body->column[c] < 3; c++)
      d[c] = b->now.q[body->iq + c] - b->start[body->iq + c];
    b->out->moved = fmax(b->out->moved, sqrt(fly_balance_dot(d, d, 3)));
    b->out->turned = fmax(b->out->turned, fly_balance_turned(b, k));
  }
}

static const struct {
  const char *name;
  fly_status (*find)(fly_balance *b, fly_error *error);
} ways[] = {{"newton", fly_statics_newton}, {"energy", fly_statics_energy}, {"settling", fly_statics_settling}};

static fly_status search(fly_balance *b, const char *by, fly_error *error) {
  for (size_t k = 0; by && k < sizeof ways / sizeof *ways; k++)
    if (strcmp(ways[k].name, by) == 0) {
      b->out->by = ways[k].name;
      return ways[k].find(b, error);
    }
  b->out->by = "newton";
  fly_status status = fly_statics_newton(b, error);
  if (status != FLY_NO_CONVERGENCE || b->free)
    return status;
  fly_error second = {0};
  b->out->by = "settling";
  if (!fly_balance_rewind(b) || fly_statics_settling(b, &second) != FLY_OK) {
    fly_error_append(error, " Settling did not find one either.");
    return status;
  }
  fly_balance_note(b, "Newton's iteration found nothing; the model was let settle instead.");
  return FLY_OK;
}

// What depends on time is held: told, if it would change.
static void tell_time(fly_balance *b) {
  double moves = 0, changes = 0, f[6];
  fly_dae_state at = fly_balance_state(b, &b->now);
  if (b->ng > 0 && fly_eval_constraint_rate(&b->e, b->rows, b->t, b->now.q) == 0)
    for (int i = 0; i < b->ng; i++)
      moves = fmax(moves, fabs(b->rows[i]));
  for (int k = 0; k < b->model->napplied; k++) {
    fly_system_applied(b->system, &at, k, f, b->delta);
    at.t = b->t + 0.1;
    fly_system_applied(b->system, &at, k, f, b->Mp);
    at.t = b->t;
    for (int i = 0; i < b->nv; i++)
      changes = fmax(changes, fabs(b->delta[i] - b->Mp[i]));
  }
  if (moves > 0 || changes > 0)
    fly_balance_note(b, "%s%s%s hold the value they have at t = %.9g s.", moves > 0 ? "Motions" : "",
                     moves > 0 && changes > 0 ? " and forces"
                     : changes > 0            ? "Forces"
                                              : "",
                     changes > 0 ? " that depend on time" : "", b->t);
}

static void tell_unstable(fly_balance *b) {
  if (b->out->unstable > 0)
    fly_balance_note(b, strcmp(b->out->by, "newton") == 0
                            ? "Newton's iteration takes any equilibrium; --by energy or --by settling, from a little "
                              "beside it, finds one that is stable."
                            : "It was found because the search began there: begin a little beside it.");
}

// Friction that sticks: a line for each joint.
static void tell_friction(fly_balance *b) {
  char text[1200];
  fly_rubbing_notes(text, sizeof text, b->system);
  for (const char *line = text; *line;) {
    const int length = (int)strcspn(line, "\n");
    fly_balance_note(b, "%.*s", length, line);
    line += length + (line[length] != 0);
  }
}

// A mass matrix that rounding makes indefinite comes without a text from its eigenvalues.
static fly_status tell_singular(const fly_balance *b, fly_error *error) {
  return fly_fail(error, FLY_SINGULAR, b->t,
                  "Whether the equilibrium is stable cannot be told: the masses of what can move are too far apart for "
                  "double precision, or something moves that has no mass. Look for a mass, an inertia or a mode of a "
                  "flexible body that is very large or very small beside the others; reduce such a body anew.");
}

fly_status fly_statics_find(fly_balance *b, const char *by, fly_error *error) {
  static const char *const names[] = {"newton", "energy", "settling", NULL};
  bool known = !by;
  for (int k = 0; names[k] && by; k++)
    known = known || strcmp(by, names[k]) == 0;
  if (!known) {
    const char *near = fly_nearest_word(by, names);
    return fly_fail_at(error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, by, "There is no way `%s` to find an equilibrium%s%s%s",
                       by, near ? "; did you mean `" : ": take newton, energy or settling", near ? near : "",
                       near ? "`?" : ".");
  }
  fly_status status = search(b, by, error);
  if (status == FLY_OK)
    status = b->nx > 0 ? fly_statics_judge_states(b, error) : fly_statics_judge(b, error);
  if (b->starved || status == FLY_NO_MEMORY)
    return starve(b, error);
  if (status)
    return status == FLY_SINGULAR && error->message[0] == 0 ? tell_singular(b, error) : status;
  b->out->residual = fly_balance_residual(b, &b->now);
  measure_way(b);
  tell_unstable(b);
  tell_time(b);
  tell_friction(b);
  fly_statics_list_states(b);
  fly_statics_list(b);
  return FLY_OK;
}
