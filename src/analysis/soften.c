// On a smooth motion what gives way does so by what it carries. With lambda and its rate of the rigid model, a row that
// carries y = k g + d g' has, to first order in 1/k,
//
//   g' = lambda'/k,   g = (lambda - d g')/k;      k = 0:  g' = lambda/d (S-smooth-row)
//
// and the start is moved there by the smallest change. Where rows are redundant, lambda is that of the compliances:
// then k^-1 lambda fits together (share.h).
#include "analysis/soften.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/so3.h"

static const double FAR = 0.02; // of the size of the model, or of a radian: first order is not enough

typedef struct softening {
  fly_assembly *a, *rigid;
  double *move, *slide; // of each row of the model: how far it gives way, and how fast (nrow)
  double *lambda[3];    // work: at the start, before and after it (nrow)
  double *q, *v, *x;    // the start
  double *vdot, *xdot;  // and how it goes on
  double *qa, *va, *xa; // beside it
  fly_arena memory;
} softening;

static fly_status no_memory(fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, 0.0, "Out of memory for the start of joints that give way.");
}

static bool take(softening *w) {
  const fly_model *m = &w->a->mechanism->model;
  fly_arena *a = &w->memory;
  double **rows[] = {&w->move, &w->slide, &w->lambda[0], &w->lambda[1], &w->lambda[2]};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    *rows[k] = fly_arena_doubles(a, (size_t)m->nrow);
  w->q = fly_arena_doubles(a, (size_t)m->nq);
  w->qa = fly_arena_doubles(a, (size_t)m->nq);
  double **velocities[] = {&w->v, &w->vdot, &w->va}, **states[] = {&w->x, &w->xdot, &w->xa};
  for (int k = 0; k < 3; k++) {
    *velocities[k] = fly_arena_doubles(a, (size_t)m->nv);
    *states[k] = fly_arena_doubles(a, (size_t)m->nstate);
  }
  return !a->failed;
}

// ------------------------------------------------------------------------------------------ what is carried

static void copy(double *to, const double *from, int n) {
  if (n > 0)
    memcpy(to, from, (size_t)n * sizeof *to);
}

// Of the rigid model where its solver stands.
static fly_status read_lambda(softening *w, double *lambda, fly_error *error) {
  const fly_model *m = &w->a->mechanism->model;
  fly_dae_state at = fly_solver_state(w->rigid->solver);
  fly_system *system;
  const fly_status status = fly_assembly_report(w->rigid, &at, &system, error);
  for (int row = 0; row < m->nrow && status == FLY_OK; row++)
    lambda[row] = fly_system_multiplier(system, &at, row);
  return status;
}

static fly_status keep_start(softening *w, fly_error *error) {
  const fly_model *m = &w->a->mechanism->model;
  const fly_dae_state at = fly_solver_state(w->rigid->solver);
  copy(w->q, at.q, m->nq);
  copy(w->v, at.v, m->nv);
  copy(w->vdot, at.vdot, m->nv);
  copy(w->x, at.x, m->nstate);
  copy(w->xdot, at.xdot, m->nstate);
  return read_lambda(w, w->lambda[0], error);
}

// A tenth of a thousandth of the time in which velocities or accelerations would carry it across its own size.
static double short_time(const softening *w) {
  const fly_system *s = &w->a->system;
  double v = 0, a = 0;
  for (int i = 0; i < s->model->nv; i++) {
    v = fmax(v, fabs(w->v[i]) / s->scale[i]);
    a = fmax(a, fabs(w->vdot[i]) / s->scale[i]);
  }
  return 1e-4 / fmax(v + sqrt(a), 1e-6);
}

// q (+) dq of bodies that turn.
static void plus(const fly_system *s, double *q, const double *dq) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nbody; k++) {
    const fly_body *b = &m->body[k];
    const int turn_v = b->type->turn_v;
    for (int c = 0, at = 0; c < b->columns; c++) {
      const bool turns = turn_v >= 0 && c >= turn_v && c < turn_v + 3;
      if (!turns)
        q[b->iq + at++] += dq[b->iv + c];
      else if (c == turn_v) {
        fly_quat_plus(q + b->iq + b->type->turn_q, q + b->iq + b->type->turn_q, dq + b->iv + c);
        at += 4;
      }
    }
  }
}

// A little before or after the start, the rigid model put together there.
static fly_status go_beside(softening *w, double dt, double *lambda, fly_error *error) {
  const fly_model *m = &w->a->mechanism->model;
  copy(w->qa, w->q, m->nq);
  for (int i = 0; i < m->nv; i++)
    w->va[i] = dt * (w->v[i] + 0.5 * dt * w->vdot[i]);
  plus(&w->a->system, w->qa, w->va);
  for (int i = 0; i < m->nv; i++)
    w->va[i] = w->v[i] + dt * w->vdot[i];
  for (int i = 0; i < m->nstate; i++)
    w->xa[i] = w->x[i] + dt * w->xdot[i];
  const fly_status status = fly_solver_start(w->rigid->solver, dt, dt + w->a->end, w->qa, w->va, w->xa, error);
  return status ? status : read_lambda(w, lambda, error);
}

// Only ahead: before the start nothing is known of forces that depend on time.
static fly_status find_moves(softening *w, fly_error *error) {
  const fly_system *s = &w->a->system;
  fly_status status = keep_start(w, error);
  const double tau = short_time(w);
  for (int k = 1; k <= 2 && status == FLY_OK; k++)
    status = go_beside(w, k * tau, w->lambda[k], error);
  for (int row = 0; row < s->model->nrow && status == FLY_OK; row++) {
    const fly_row_law law = fly_system_row_law(s, row);
    const double *const *l = (const double *const *)w->lambda;
    const double rate = (-3 * l[0][row] + 4 * l[1][row] - l[2][row]) / (2 * tau);
    if (law.stiffness > 0) {
      w->slide[row] = rate / law.stiffness;
      w->move[row] = (l[0][row] - law.damping * w->slide[row]) / law.stiffness;
    } else if (law.damping > 0) {
      w->slide[row] = l[0][row] / law.damping;
    }
  }
  return status;
}

static bool is_far(const softening *w) {
  const fly_model *m = &w->a->mechanism->model;
  for (int row = 0; row < m->nrow; row++)
    if (!(fabs(w->move[row]) <= FAR * (m->row[row].turning ? 1.0 : m->size)))
      return true;
  return false;
}

// ------------------------------------------------------------------------------------------ moved there

static fly_system *rigid_of(void *user) { return &((softening *)user)->rigid->system; }

static int moved_constraint(double *g, double t, const double *q, void *user) {
  const softening *w = user;
  fly_system *s = rigid_of(user);
  const int code = s->dae.constraint(g, t, q, s);
  for (int k = 0; k < s->nactive; k++)
    g[k] -= w->move[s->active[k]] + t * w->slide[s->active[k]];
  return code;
}

static int moved_rate(double *rate, double t, const double *q, void *user) {
  const softening *w = user;
  fly_system *s = rigid_of(user);
  const int code = s->dae.constraint_rate(rate, t, q, s);
  for (int k = 0; k < s->nactive; k++)
    rate[k] -= w->slide[s->active[k]];
  return code;
}

static int same_jacobian(double *G, double t, const double *q, void *user) {
  return rigid_of(user)->dae.constraint_jacobian(G, t, q, rigid_of(user));
}

static int same_nonholonomic(double *B, double t, const double *q, void *user) {
  return rigid_of(user)->dae.nonholonomic(B, t, q, rigid_of(user));
}

static int same_mass(double *M, double t, const double *q, void *user) {
  return rigid_of(user)->dae.mass(M, t, q, rigid_of(user));
}

static int no_force(double *f, const fly_dae_state *at, void *user) {
  (void)at;
  memset(f, 0, (size_t)rigid_of(user)->dae.nv * sizeof *f);
  return 0;
}

// Positions, velocities and constraints only.
static fly_dae_problem moved_problem(softening *w) {
  const fly_dae_problem *p = &w->rigid->system.dae;
  return (fly_dae_problem){.name = p->name,
                           .nq = p->nq,
                           .nv = p->nv,
                           .ng = p->ng,
                           .nb = p->nb,
                           .nrotation = p->nrotation,
                           .rotation_q = p->rotation_q,
                           .rotation_v = p->rotation_v,
                           .mass_pattern = p->mass_pattern,
                           .constraint_pattern = p->constraint_pattern,
                           .nonholonomic_pattern = p->nonholonomic_pattern,
                           .mass_constant = p->mass_constant,
                           .mass = same_mass,
                           .force = no_force,
                           .constraint = moved_constraint,
                           .constraint_jacobian = same_jacobian,
                           .constraint_rate = moved_rate,
                           .nonholonomic = same_nonholonomic,
                           .scale_v = p->scale_v,
                           .user = w};
}

static fly_status move(softening *w, fly_error *error) {
  const fly_dae_problem p = moved_problem(w);
  const fly_dae_options o = fly_dae_options_default();
  fly_solver *solver = NULL;
  fly_status status = fly_solver_create(&solver, &p, &o, error);
  if (status == FLY_OK)
    status = fly_solver_start(solver, 0.0, 1.0, w->q, w->v, NULL, error);
  if (status == FLY_OK) {
    const fly_dae_state at = fly_solver_state(solver);
    copy(w->a->q, at.q, p.nq);
    copy(w->a->v, at.v, p.nv);
  }
  fly_solver_free(solver);
  return status;
}

fly_status fly_soften_start(fly_assembly *a, fly_assembly *rigid, bool *far, fly_error *error) {
  softening w = {.a = a, .rigid = rigid};
  fly_status status = take(&w) ? find_moves(&w, error) : no_memory(error);
  *far = status == FLY_OK && is_far(&w);
  if (status == FLY_OK && !*far)
    status = move(&w, error);
  fly_arena_free(&w.memory);
  return status;
}
