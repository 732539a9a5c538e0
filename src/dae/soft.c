// A problem whose holonomic constraints are springs or dampers: docs/theory/soft.md.
#include "flyball/soft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dae/eval.h"

struct fly_soft {
  fly_eval rigid;
  fly_dae_problem p; // what it has become
  bool damped;
  bool ode;
  double over; // 1/epsilon^2 or 1/delta

  fly_csc J;      // pattern of its derivatives
  fly_csc A;      // as an ODE: derivatives of the rigid equations with respect to lambda (nrow x ng)
  int *of_J;      // where each entry of the rigid derivatives goes in J; of lambda's columns as an ODE: in A
  int *of_T;      // each entry of G^T: in J, or in A
  int *of_R;      // each entry of G: in the rows lambda = h of J; as an ODE: each product of A's column and G's entry
  double *lambda; // (ng + nb)
  double *law;    // (ng)
  double *move, *slide; // of constraints at a smooth start (ng), whose time is
  double t0;            // [s]
  fly_arena memory;
};

// ------------------------------------------------------------------------------------------ lambda

// g or G v + g_t, which lambda is proportional to.
static int find_law(fly_soft *s, double t, const double *q, const double *v) {
  return s->damped ? fly_eval_velocity_rows_at(&s->rigid, s->law, true, t, q, v)
                   : fly_eval_constraint(&s->rigid, s->law, t, q);
}

static int find_lambda(fly_soft *s, const fly_dae_state *at) {
  const fly_dae_problem *p = &s->rigid.p;
  const int code = s->ode ? find_law(s, at->t, at->q, at->v) : 0;
  for (int i = 0; i < p->ng; i++)
    s->lambda[i] = s->ode ? s->over * s->law[i] : at->y[p->ny + i];
  for (int i = 0; i < p->nb; i++)
    s->lambda[p->ng + i] = at->lambda[i];
  return code;
}

const double *fly_soft_multipliers(fly_soft *s, const fly_dae_state *at) {
  return find_lambda(s, at) == 0 ? s->lambda : NULL;
}

// The state as the rigid problem knows it: its outputs are the first ones.
static int to_rigid(fly_soft *s, fly_dae_state *out, const fly_dae_state *at) {
  *out = *at;
  out->lambda = s->lambda;
  return find_lambda(s, at);
}

// ------------------------------------------------------------------------------------------ the equations

// What one of the rigid problem's callbacks says of a state.
typedef int of_state(double *out, const fly_dae_state *at, void *user);
static int ask(fly_soft *s, of_state *rigid, double *out, const fly_dae_state *at) {
  fly_dae_state r;
  const int code = to_rigid(s, &r, at);
  return code ? code : rigid(out, &r, s->rigid.p.user);
}

static int force(double *f, const fly_dae_state *at, void *user) {
  fly_soft *s = user;
  fly_eval *e = &s->rigid;
  int code = ask(s, e->p.force, f, at);
  if (code == 0)
    code = fly_eval_constraint_jacobian(e, e->G.val, at->t, at->q);
  if (code == 0)
    fly_csc_multiply_transposed_add(f, &e->G, -1.0, s->lambda);
  return code;
}

static int states(double *d, const fly_dae_state *at, void *user) {
  return ask(user, ((fly_soft *)user)->rigid.p.states, d, at);
}

static int outputs(double *h, const fly_dae_state *at, void *user) {
  fly_soft *s = user;
  const fly_dae_problem *p = &s->rigid.p;
  int code = p->ny > 0 ? ask(s, p->outputs, h, at) : 0;
  if (code || s->ode)
    return code;
  code = find_law(s, at->t, at->q, at->v);
  for (int i = 0; i < p->ng; i++)
    h[p->ny + i] = s->over * s->law[i];
  return code;
}

static int roots(double *out, const fly_dae_state *at, void *user) {
  return ask(user, ((fly_soft *)user)->rigid.p.roots, out, at);
}

static int relations(double *margin, const fly_dae_state *at, void *user) {
  return ask(user, ((fly_soft *)user)->rigid.p.relations, margin, at);
}

// Springs hold energy, dampers lose it.
static int energy(double *E, double t, const double *q, const double *v, void *user) {
  fly_soft *s = user;
  int code = s->rigid.p.energy(E, t, q, v, s->rigid.p.user);
  if (code || s->damped)
    return code;
  code = find_law(s, t, q, v);
  for (int i = 0; i < s->rigid.p.ng; i++)
    *E += 0.5 * s->over * s->law[i] * s->law[i];
  return code;
}

// ------------------------------------------------------------------------------------------ the derivatives

// J0 += d/dlambda through y, J1 and J2 -= dh/dv and dh/dq.
static void add_outputs(const fly_soft *s, double *J0, double *J1, double *J2) {
  const fly_csc *G = &s->rigid.G, *Z = &s->rigid.Zg;
  for (int k = 0; k < fly_csc_nnz(G); k++) {
    J0[s->of_T[k]] += G->val[k];
    (s->damped ? J1 : J2)[s->of_R[k]] -= s->over * G->val[k];
    if (s->damped)
      J2[s->of_R[k]] -= s->over * Z->val[k];
  }
}

// J1 and J2 += A dlambda/dv and A dlambda/dq.
static void add_products(const fly_soft *s, double *J1, double *J2) {
  const fly_csc *G = &s->rigid.G, *Z = &s->rigid.Zg, *A = &s->A;
  const int *place = s->of_R;
  for (int k = 0; k < fly_csc_nnz(G); k++) {
    const double slope = s->over * G->val[k], turn = s->damped ? s->over * Z->val[k] : 0;
    for (int m = A->start[G->row[k]]; m < A->start[G->row[k] + 1]; m++, place++) {
      (s->damped ? J1 : J2)[*place] += A->val[m] * slope;
      if (s->damped)
        J2[*place] += A->val[m] * turn;
    }
  }
}

static bool is_lambda(const fly_soft *s, int col) {
  return col >= s->rigid.p.nv && col < s->rigid.p.nv + s->rigid.p.ng;
}

// The rigid derivatives, in their new places.
static void add_rigid(const fly_soft *s, double *J0, double *J1, double *J2) {
  const fly_csc *from = s->rigid.J;
  for (int j = 0; j < from->cols; j++)
    for (int k = from->start[j]; k < from->start[j + 1]; k++)
      if (s->ode && is_lambda(s, j))
        s->A.val[s->of_J[k]] += from[0].val[k];
      else {
        J0[s->of_J[k]] += from[0].val[k];
        J1[s->of_J[k]] += from[1].val[k];
        J2[s->of_J[k]] += from[2].val[k];
      }
}

static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *at, void *user) {
  fly_soft *s = user;
  fly_eval *e = &s->rigid;
  fly_dae_state r;
  int code = to_rigid(s, &r, at);
  if (code == 0)
    code = fly_eval_jacobian(e, &r);
  if (code)
    return code;
  if (s->ode) {
    fly_csc_zero(&s->A);
    for (int k = 0; k < fly_csc_nnz(&e->G); k++)
      s->A.val[s->of_T[k]] += e->G.val[k];
  }
  add_rigid(s, J0, J1, J2);
  if (s->ode)
    add_products(s, J1, J2);
  else
    add_outputs(s, J0, J1, J2);
  return 0;
}

// ------------------------------------------------------------------------------------------ handed on

static int mass(double *M, double t, const double *q, void *user) {
  const fly_dae_problem *p = &((fly_soft *)user)->rigid.p;
  return p->mass(M, t, q, p->user);
}

static int nonholonomic(double *B, double t, const double *q, void *user) {
  const fly_dae_problem *p = &((fly_soft *)user)->rigid.p;
  return p->nonholonomic(B, t, q, p->user);
}

static int nonholonomic_rate(double *b, double t, const double *q, void *user) {
  const fly_dae_problem *p = &((fly_soft *)user)->rigid.p;
  return p->nonholonomic_rate(b, t, q, p->user);
}

static int nonholonomic_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  const fly_dae_problem *p = &((fly_soft *)user)->rigid.p;
  return p->nonholonomic_gamma(gamma, t, q, v, p->user);
}

static int nonholonomic_velocity_jacobian(double *Z, double t, const double *q, const double *v, void *user) {
  const fly_dae_problem *p = &((fly_soft *)user)->rigid.p;
  return p->nonholonomic_velocity_jacobian(Z, t, q, v, p->user);
}

static fly_event_action event(int root, int rising, double t, double *q, double *v, double *x, void *user) {
  const fly_dae_problem *p = &((fly_soft *)user)->rigid.p;
  return p->event(root, rising, t, q, v, x, p->user);
}

static bool next_break(fly_break *next, double t, double end, void *user) {
  const fly_dae_problem *p = &((fly_soft *)user)->rigid.p;
  return p->next_break(next, t, end, p->user);
}

static double longest_step(double t, double h, void *user) {
  const fly_dae_problem *p = &((fly_soft *)user)->rigid.p;
  return p->longest_step(t, h, p->user);
}

static void row_name(char *text, size_t size, int row, void *user) {
  const fly_dae_problem *p = &((fly_soft *)user)->rigid.p;
  p->row_name(text, size, p->ng + row, p->user);
}

static void hand_on(fly_soft *s) {
  const fly_dae_problem *from = &s->rigid.p;
  fly_dae_problem *to = &s->p;
  *to = *from;
  to->user = s;
  to->ng = 0;
  to->constraint_pattern = (fly_pattern){0};
  to->constraint = NULL;
  to->constraint_jacobian = to->constraint_rate = NULL;
  to->constraint_gamma = to->constraint_velocity_jacobian = NULL;
  to->mass = mass;
  to->force = force;
  to->jacobian = jacobian;
  to->states = from->states ? states : NULL;
  to->outputs = from->outputs ? outputs : NULL;
  to->nonholonomic = from->nonholonomic ? nonholonomic : NULL;
  to->nonholonomic_rate = from->nonholonomic_rate ? nonholonomic_rate : NULL;
  to->nonholonomic_gamma = from->nonholonomic_gamma ? nonholonomic_gamma : NULL;
  to->nonholonomic_velocity_jacobian = from->nonholonomic_velocity_jacobian ? nonholonomic_velocity_jacobian : NULL;
  to->event = from->event ? event : NULL;
  to->next_break = from->next_break ? next_break : NULL;
  to->longest_step = from->longest_step ? longest_step : NULL;
  to->row_name = from->row_name ? row_name : NULL;
  to->roots = from->roots ? roots : NULL;
  to->relations = from->relations ? relations : NULL;
  to->energy = from->energy ? energy : NULL;
  if (s->ode)
    return;
  to->ny += from->ng;
  to->outputs = outputs;
}

// ------------------------------------------------------------------------------------------ patterns

// The new column of a rigid unknown: lambda goes behind the outputs.
static int new_column(const fly_soft *s, int col) {
  const fly_dae_problem *p = &s->rigid.p;
  if (is_lambda(s, col))
    return p->nv + p->nb + p->nx + p->ny + (col - p->nv);
  return col < p->nv ? col : col - p->ng;
}

// Entries of the rigid derivatives in columns of lambda, or in the others.
static void put_rigid(const fly_soft *s, fly_entries *e, bool lambda, bool all) {
  const fly_csc *J = s->rigid.J;
  for (int j = 0; j < J->cols; j++)
    for (int k = J->start[j]; k < J->start[j + 1]; k++)
      if (all || is_lambda(s, j) == lambda)
        fly_entries_add(e, J->row[k], lambda ? j - s->rigid.p.nv : new_column(s, j));
}

static void put_transposed(const fly_soft *s, fly_entries *e, int first) {
  const fly_csc *G = &s->rigid.G;
  for (int j = 0; j < G->cols; j++)
    for (int k = G->start[j]; k < G->start[j + 1]; k++)
      fly_entries_add(e, j, first + G->row[k]);
}

static void put_outputs(const fly_soft *s, fly_entries *e) {
  const fly_csc *G = &s->rigid.G;
  for (int j = 0; j < G->cols; j++)
    for (int k = G->start[j]; k < G->start[j + 1]; k++)
      fly_entries_add(e, s->rigid.nrow + G->row[k], j);
}

static void put_products(const fly_soft *s, fly_entries *e) {
  const fly_csc *G = &s->rigid.G, *A = &s->A;
  for (int j = 0; j < G->cols; j++)
    for (int k = G->start[j]; k < G->start[j + 1]; k++)
      for (int m = A->start[G->row[k]]; m < A->start[G->row[k] + 1]; m++)
        fly_entries_add(e, A->row[m], j);
}

static size_t products(const fly_soft *s) {
  const fly_csc *G = &s->rigid.G, *A = &s->A;
  size_t n = 0;
  for (int k = 0; k < fly_csc_nnz(G); k++)
    n += (size_t)(A->start[G->row[k] + 1] - A->start[G->row[k]]);
  return n;
}

static bool has_room(fly_soft *s, fly_entries *e, int **place, size_t n) {
  e->row = fly_arena_ints(&s->memory, n);
  e->col = fly_arena_ints(&s->memory, n);
  *place = fly_arena_ints(&s->memory, n);
  return !s->memory.failed;
}

static fly_status no_memory(fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the constraints' springs or dampers.");
}

// With multipliers: rigid derivatives, G^T in the columns of lambda, G in its rows.
static fly_status plan_outputs(fly_soft *s, fly_error *error) {
  const fly_dae_problem *p = &s->rigid.p;
  const int nJ = fly_csc_nnz(s->rigid.J), nG = fly_csc_nnz(&s->rigid.G), n = nJ + 2 * nG;
  fly_entries e = {0};
  if (!has_room(s, &e, &s->of_J, (size_t)n))
    return no_memory(error);
  put_rigid(s, &e, false, true);
  put_transposed(s, &e, new_column(s, p->nv));
  put_outputs(s, &e);
  s->of_T = s->of_J + nJ;
  s->of_R = s->of_T + nG;
  return fly_csc_from_entries(&s->J, s->rigid.nrow + p->ng, s->rigid.ncol, n, e.row, e.col, s->of_J, error);
}

// Places of entries that were put in another order than they lie in: those of lambda's columns are in A.
static void share_places(fly_soft *s, const int *in_A, const int *in_J) {
  const fly_csc *J = s->rigid.J;
  for (int j = 0; j < J->cols; j++)
    for (int k = J->start[j]; k < J->start[j + 1]; k++)
      s->of_J[k] = is_lambda(s, j) ? *in_A++ : *in_J++;
}

// As an ODE: first A, then what its products with G meet.
static fly_status plan_products(fly_soft *s, fly_error *error) {
  const fly_dae_problem *p = &s->rigid.p;
  const fly_csc *J = s->rigid.J;
  const int nJ = fly_csc_nnz(J), nG = fly_csc_nnz(&s->rigid.G), nl = J->start[p->nv + p->ng] - J->start[p->nv];
  fly_entries a = {0}, e = {0};
  int *in_A, *in_J;
  if (!has_room(s, &a, &in_A, (size_t)nl + (size_t)nG))
    return no_memory(error);
  put_rigid(s, &a, true, false);
  put_transposed(s, &a, 0);
  fly_status status = fly_csc_from_entries(&s->A, s->rigid.nrow, p->ng, a.count, a.row, a.col, in_A, error);
  if (status)
    return status;
  s->of_J = fly_arena_ints(&s->memory, (size_t)nJ);
  if (!has_room(s, &e, &in_J, (size_t)(nJ - nl) + products(s)))
    return no_memory(error);
  put_rigid(s, &e, false, false);
  put_products(s, &e);
  status = fly_csc_from_entries(&s->J, s->rigid.nrow, s->rigid.ncol - p->ng, e.count, e.row, e.col, in_J, error);
  if (status)
    return status;
  share_places(s, in_A, in_J);
  s->of_T = in_A + nl;
  s->of_R = in_J + (nJ - nl);
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ create

static fly_status check(const fly_dae_problem *rigid, bool damped, double parameter, fly_error *error) {
  const char *word = damped ? "delta" : "epsilon";
  if (!(parameter > 0) || !isfinite(parameter))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s must be a positive number, not %g.", word, parameter);
  const double square = damped ? parameter : parameter * parameter;
  if (!(square > 0) || !isfinite(1 / square))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s = %g is too small: 1/%s%s is not a number.", word, parameter, word,
                    damped ? "" : "^2");
  if (rigid->ng == 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "The problem has no constraints on positions that could give way.");
  if (rigid->accepted || rigid->cross || rigid->leap)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "Constraints of a problem that changes with its motion cannot give way.");
  return FLY_OK;
}

static fly_status plan(fly_soft *s, fly_error *error) {
  const fly_dae_problem *p = &s->rigid.p;
  s->lambda = fly_arena_doubles(&s->memory, (size_t)s->rigid.nl);
  s->law = fly_arena_doubles(&s->memory, (size_t)p->ng);
  s->move = fly_arena_doubles(&s->memory, (size_t)p->ng);
  s->slide = fly_arena_doubles(&s->memory, (size_t)p->ng);
  const fly_status status = s->ode ? plan_products(s, error) : plan_outputs(s, error);
  if (status)
    return status;
  if (s->memory.failed)
    return no_memory(error);
  hand_on(s);
  s->p.jacobian_pattern = (fly_pattern){s->J.start, s->J.row};
  s->p.lean = NULL;
  return FLY_OK;
}

fly_status fly_soft_create(fly_soft **out, const fly_dae_problem *rigid, fly_soft_form form, double parameter,
                           fly_error *error) {
  *out = NULL;
  const bool damped = form == FLY_SOFT_DAMPED || form == FLY_SOFT_DAMPED_ODE;
  fly_status status = check(rigid, damped, parameter, error);
  if (status)
    return status;
  fly_soft *s = calloc(1, sizeof *s);
  if (!s)
    return no_memory(error);
  s->damped = damped;
  s->ode = form == FLY_SOFT_STIFF_ODE || form == FLY_SOFT_DAMPED_ODE;
  s->over = 1 / (damped ? parameter : parameter * parameter);
  status = fly_eval_create(&s->rigid, rigid, error);
  if (status == FLY_OK)
    status = plan(s, error);
  if (status) {
    fly_soft_free(s);
    return status;
  }
  *out = s;
  return FLY_OK;
}

void fly_soft_free(fly_soft *s) {
  if (!s)
    return;
  fly_csc_free(&s->J);
  fly_csc_free(&s->A);
  fly_eval_free(&s->rigid);
  fly_arena_free(&s->memory);
  free(s);
}

const fly_dae_problem *fly_soft_problem(const fly_soft *s) { return &s->p; }

// ------------------------------------------------------------------------------------------ smooth starts

// On the smooth motion g = epsilon^2 lambda, or G v + g_t = delta lambda, where lambda is, to first order, that of the
// rigid motion: so the start is moved onto constraints that are moved by so much (S-smooth).
static int moved_constraint(double *g, double t, const double *q, void *user) {
  const fly_soft *s = user;
  const int code = s->rigid.p.constraint(g, t, q, s->rigid.p.user);
  for (int i = 0; i < s->rigid.p.ng; i++)
    g[i] -= s->move[i] + s->slide[i] * (t - s->t0);
  return code;
}

static int moved_rate(double *rate, double t, const double *q, void *user) {
  const fly_soft *s = user;
  const int code = s->rigid.p.constraint_rate(rate, t, q, s->rigid.p.user);
  for (int i = 0; i < s->rigid.p.ng; i++)
    rate[i] -= s->slide[i];
  return code;
}

static int moved_jacobian(double *G, double t, const double *q, void *user) {
  const fly_dae_problem *p = &((fly_soft *)user)->rigid.p;
  return p->constraint_jacobian(G, t, q, p->user);
}

static int no_force(double *f, const fly_dae_state *at, void *user) {
  (void)at;
  memset(f, 0, (size_t)((fly_soft *)user)->p.nv * sizeof *f);
  return 0;
}

// Positions, velocities and constraints only.
static fly_dae_problem moved_problem(const fly_soft *s) {
  const fly_dae_problem *rigid = &s->rigid.p;
  fly_dae_problem p = s->p;
  p.ng = rigid->ng;
  p.constraint_pattern = rigid->constraint_pattern;
  p.constraint = moved_constraint;
  p.constraint_rate = rigid->constraint_rate ? moved_rate : NULL;
  p.constraint_jacobian = rigid->constraint_jacobian ? moved_jacobian : NULL;
  p.rows_written = false;
  p.force = no_force;
  p.nx = p.ny = p.nroot = p.nrelation = p.nfirm = 0;
  p.jacobian = NULL;
  p.jacobian_pattern = (fly_pattern){0};
  p.lean = NULL;
  return p;
}

// A tenth of a thousandth of the time in which velocities or accelerations would carry it across its own size.
static double short_time(const fly_soft *s, const fly_dae_state *at) {
  const double *scale = s->rigid.p.scale_v;
  double v = 0, a = 0;
  for (int i = 0; i < s->rigid.p.nv; i++) {
    v = fmax(v, fabs(at->v[i]) / (scale ? scale[i] : 1));
    a = fmax(a, fabs(at->vdot[i]) / (scale ? scale[i] : 1));
  }
  return 1e-4 / fmax(v + sqrt(a), 1e-100);
}

// lambda of the rigid problem at a start (ng).
static fly_status rigid_lambda(const fly_soft *s, fly_solver *solver, double t, const double *q, const double *v,
                               const double *x, double *lambda, fly_error *error) {
  const fly_status status = fly_solver_start(solver, t, t + 1, q, v, x, error);
  if (status == FLY_OK)
    memcpy(lambda, fly_solver_state(solver).lambda, (size_t)s->rigid.p.ng * sizeof *lambda);
  return status;
}

// slide = dlambda/dt along the motion, by lambda a short time before and after.
static fly_status find_slide(fly_soft *s, fly_solver *solver, const fly_dae_state *at, double *work, fly_error *error) {
  const fly_dae_problem *p = &s->rigid.p;
  const double tau = short_time(s, at);
  double *q = work, *v = q + p->nq, *x = v + p->nv, *step = x + p->nx;
  for (int k = 0; k < 2; k++) {
    const double dt = k ? tau : -tau;
    for (int i = 0; i < p->nv; i++) {
      step[i] = dt * (at->v[i] + 0.5 * dt * at->vdot[i]);
      v[i] = at->v[i] + dt * at->vdot[i];
    }
    for (int i = 0; i < p->nx; i++)
      x[i] = at->x[i] + dt * at->xdot[i];
    memcpy(q, at->q, (size_t)p->nq * sizeof *q);
    fly_eval_plus(&s->rigid, q, q, step);
    const fly_status status = rigid_lambda(s, solver, at->t + dt, q, v, x, s->law, error);
    if (status)
      return status;
    for (int i = 0; i < p->ng; i++)
      s->slide[i] = k ? (s->law[i] - s->slide[i]) / (2 * tau) : s->law[i];
  }
  return FLY_OK;
}

// A state that the solver's next start will not change: in `memory` (nq + 2 nv + 2 nx).
static fly_dae_state kept_state(const fly_dae_problem *p, const fly_dae_state *from, double *memory) {
  const double *array[] = {from->q, from->v, from->vdot, from->x, from->xdot};
  const int size[] = {p->nq, p->nv, p->nv, p->nx, p->nx};
  for (int k = 0; k < 5; memory += size[k++]) {
    if (size[k] > 0)
      memcpy(memory, array[k], (size_t)size[k] * sizeof *memory);
    array[k] = memory;
  }
  return (fly_dae_state){.t = from->t, .q = array[0], .v = array[1], .vdot = array[2], .x = array[3], .xdot = array[4]};
}

// What lambda makes of the constraints: move and slide.
static fly_status find_moved(fly_soft *s, double t0, const double *q, const double *v, const double *x,
                             fly_error *error) {
  const fly_dae_problem *p = &s->rigid.p;
  const fly_dae_options o = fly_dae_options_default();
  const size_t n = (size_t)(p->nq + 2 * p->nv + 2 * p->nx);
  fly_solver *solver = NULL;
  double *work = fly_zeroed(2 * n, sizeof *work);
  if (!work)
    return no_memory(error);
  fly_status status = fly_solver_create(&solver, p, &o, error);
  if (status == FLY_OK)
    status = rigid_lambda(s, solver, t0, q, v, x, s->move, error);
  if (status == FLY_OK && !s->damped) {
    const fly_dae_state now = fly_solver_state(solver), at = kept_state(p, &now, work + n);
    status = find_slide(s, solver, &at, work, error);
  }
  fly_solver_free(solver);
  free(work);
  return status;
}

fly_status fly_soft_start(fly_soft *s, double t0, double *q, double *v, const double *x, fly_error *error) {
  s->t0 = t0;
  memset(s->slide, 0, (size_t)s->rigid.p.ng * sizeof *s->slide);
  fly_status status = find_moved(s, t0, q, v, x, error);
  for (int i = 0; i < s->rigid.p.ng; i++) {
    const double lambda = s->move[i] / s->over;
    s->move[i] = s->damped ? 0 : lambda;
    s->slide[i] = s->damped ? lambda : s->slide[i] / s->over;
  }
  const fly_dae_problem p = moved_problem(s);
  const fly_dae_options o = fly_dae_options_default();
  fly_solver *solver = NULL;
  if (status == FLY_OK)
    status = fly_solver_create(&solver, &p, &o, error);
  if (status == FLY_OK)
    status = fly_solver_start(solver, t0, t0 + 1, q, v, NULL, error);
  if (status == FLY_OK) {
    const fly_dae_state now = fly_solver_state(solver);
    memcpy(q, now.q, (size_t)p.nq * sizeof *q);
    memcpy(v, now.v, (size_t)p.nv * sizeof *v);
  }
  fly_solver_free(solver);
  return status;
}
