// What whole systems are checked for: derivatives against differences, power of reactions and forces, action and
// reaction, the rate of the energy, and a round trip through a file. Define _POSIX_C_SOURCE before it (open_memstream).
#ifndef FLY_TESTS_SYSTEM_CHECKS_H
#define FLY_TESTS_SYSTEM_CHECKS_H

#include "base/check.h"
#include "math/so3.h"
#include "system/machine.h"

// ------------------------------------------------------------------------------------------ random states

typedef struct random_state {
  double *q, *v, *vdot, *lambda, *y, *x, *xdot;
  fly_dae_state at;
} random_state;

static inline void fill(double *x, int n, double size, uint64_t *seed) {
  for (int k = 0; k < n; k++)
    x[k] = size * random_double(seed);
}

static inline random_state state_of(const fly_system *s, uint64_t *seed) {
  const fly_dae_problem *p = &s->dae;
  random_state r = {calloc((size_t)p->nq, sizeof(double)),     calloc((size_t)p->nv, sizeof(double)),
                    calloc((size_t)p->nv, sizeof(double)),     calloc((size_t)(p->ng + p->nb) + 1, sizeof(double)),
                    calloc((size_t)p->ny + 1, sizeof(double)), calloc((size_t)p->nx + 1, sizeof(double)),
                    calloc((size_t)p->nx + 1, sizeof(double)), {.q = NULL}};
  fill(r.q, p->nq, 0.5 * s->model->size, seed);
  fill(r.v, p->nv, 1.0, seed);
  fill(r.vdot, p->nv, 1.0, seed);
  fill(r.lambda, p->ng + p->nb, 1.0, seed);
  fill(r.y, p->ny, 1.0, seed);
  fill(r.x, p->nx, 1.0, seed);
  fill(r.xdot, p->nx, 1.0, seed);
  for (int k = 0; k < p->nq; k++)
    r.q[k] += s->q0[k];
  for (int k = 0; k < p->nrotation; k++) { // any turn
    double *e = r.q + p->rotation_q[k];
    fill(e, 4, 1.0, seed);
    fly_quat_normalize(e);
  }
  for (int k = 0; k < s->model->nbody; k++) { // and any angle
    const fly_body *b = &s->model->body[k];
    if (b->type->flat)
      r.q[b->iq + 2] = 3 * random_double(seed);
    for (int c = 0; c < 3 && b->type->turn_q < 0; c++)
      r.v[b->iv + c] *= b->column[c] >= 3 ? 1.0 : s->model->size;
  }
  r.at = (fly_dae_state){.t = 0.3 * (1 + random_double(seed)),
                         .q = r.q,
                         .v = r.v,
                         .vdot = r.vdot,
                         .lambda = r.lambda,
                         .y = r.y,
                         .x = r.x,
                         .xdot = r.xdot};
  return r;
}

static inline void state_free(random_state *r) {
  free(r->q);
  free(r->v);
  free(r->vdot);
  free(r->lambda);
  free(r->y);
  free(r->x);
  free(r->xdot);
}

// A state on the constraints, reached by a short run from the start at random velocities; lambda and v' stay random, v
// too if asked for.
static inline random_state state_on_constraints(machine *m, double end, bool random_v, uint64_t *seed) {
  random_state r = state_of(&m->system, seed);
  fly_error error = {0};
  fly_dae_options o = fly_dae_options_default();
  o.error = 1e-4;
  assert_ok(fly_solver_create(&m->solver, &m->system.dae, &o, &error), &error);
  assert_ok(fly_solver_start(m->solver, 0.0, end, m->system.q0, end == 0.2 ? r.v : m->system.v0, m->system.x0, &error),
            &error);
  while (!fly_solver_done(m->solver))
    assert_ok(fly_solver_step(m->solver, &error), &error);
  fly_dae_state at = fly_solver_state(m->solver);
  memcpy(r.q, at.q, (size_t)m->system.dae.nq * sizeof *r.q);
  if (!random_v)
    memcpy(r.v, at.v, (size_t)m->system.dae.nv * sizeof *r.v);
  r.at.t = at.t;
  fly_solver_free(m->solver);
  m->solver = NULL;
  return r;
}

// ------------------------------------------------------------------------------------------ what is checked

static inline double stiffness_of_body(const fly_system *s, int body) {
  const fly_body *b = &s->model->body[body];
  const size_t n = (size_t)(b->blocks * b->blocks);
  double *K = calloc(2 * n, sizeof *K), most = 0;
  const fly_body_at at = {&s->body[body], s->q0 + b->iq, s->v0 + b->iv, false, NULL};
  assert_non_null(K);
  b->type->derivatives(K, K + n, &at, (double[3]){0}, &b->own);
  for (size_t j = 0; j < n; j++)
    most = fmax(most, fabs(K[j]));
  free(K);
  return most;
}

// Differences are taken over a part of the scales: of modes that are measured by less than a length they are rougher.
static inline double roughness_of_body(const fly_system *s, int body) {
  const fly_body *b = &s->model->body[body];
  double least = s->model->size;
  for (int c = b->type->nv; c < b->columns; c++)
    least = fmin(least, s->scale[b->iv + c]);
  return s->model->size / least;
}

// 1e-6, but differences of stiff springs and beams are rough by rounding.
static inline double derivative_limit(fly_system *s) {
  double k = 0, K[FLY_FORCE_COLUMNS * FLY_FORCE_COLUMNS], C[FLY_FORCE_COLUMNS * FLY_FORCE_COLUMNS];
  fly_system_update(s, s->q0, s->v0);
  for (int i = 0; i < s->model->nforce; i++) {
    const fly_model_force *f = &s->model->force[i];
    f->type->derivatives(K, C, &s->force[i], f->k);
    for (int j = 0; j < 36 * f->count * f->count; j++)
      k = fmax(k, 6 * fabs(K[j])); // those of several are added up
  }
  for (int i = 0; i < s->model->nbody; i++)
    if (s->model->body[i].type->stiff)
      k = fmax(k, stiffness_of_body(s, i) * roughness_of_body(s, i));
  for (int i = 0; i < s->model->nrow; i++) // and of stiff joints
    k = fmax(k, 12 * fly_system_row_law(s, i).stiffness);
  return fmax(1e-6, 1e-11 * k);
}

static inline void check_derivatives(machine *m, const char *name, uint64_t *seed) {
  fly_derivative_check check;
  fly_error error = {0};
  random_state r = state_of(&m->system, seed);
  assert_ok(fly_dae_check(&check, &m->system.dae, &r.at, &error), &error);
  say("%-40s derivatives %.1e %s\n", name, check.worst, check.where);
  if (!(check.worst <= derivative_limit(&m->system))) {
    print_error("%s: %g, %s\n", name, check.worst, check.where);
    fail();
  }
  state_free(&r);
}

static const fly_kinematics *kinematics(const machine *m, int body) {
  return &m->system.body[body == FLY_GROUND ? m->model.nbody : body];
}

// Power of what the constraints of a pair do to its two bodies: the load on the first is that on the second, reversed.
static inline double power_of(const machine *m, int pair, const double *wrench) {
  const fly_pair *of = &m->system.pair[pair];
  const fly_kinematics *bi = of->bi, *bj = of->bj;
  double F[3] = {0}, T[3] = {0}, vj[3], wi[3], wj[3], p[3], arm[3], turn[3], power = 0;
  for (int c = 0; c < 3; c++) {
    double axis[3];
    fly_axis_space(axis, bi, of->mi, c);
    for (int k = 0; k < 3; k++) {
      F[k] += axis[k] * wrench[c];
      T[k] += axis[k] * wrench[3 + c];
    }
  }
  fly_marker_point(p, bj, of->mj);
  fly_point_velocity(vj, bj, of->mj);
  fly_to_space(wi, bi->R, bi->w);
  fly_to_space(wj, bj->R, bj->w);
  for (int k = 0; k < 3; k++)
    arm[k] = p[k] - bi->r[k];
  fly_cross(turn, wi, arm);
  for (int k = 0; k < 3; k++)
    power += F[k] * (vj[k] - bi->v[k] - turn[k]) + T[k] * (wj[k] - wi[k]);
  return power;
}

// lambda^T G v by the matrix and by the reactions. Of joints that give way both ends are not in one place:
// test_compliance.c.
static inline void check_power(machine *m, const char *name, double end, uint64_t *seed) {
  const fly_system *s = &m->system;
  if (s->soft.count > 0)
    return;
  random_state r = state_on_constraints(m, end, true, seed);
  int n = s->G.start[s->dae.nv];
  double *G = calloc((size_t)n + 1, sizeof *G), *wrench = calloc(6 * (size_t)m->model.npair + 1, sizeof *wrench);
  double power = 0, size = 0, sum = 0;
  s->dae.constraint_jacobian(G, r.at.t, r.q, s->dae.user);
  for (int c = 0; c < s->dae.nv; c++)
    for (int k = s->G.start[c]; k < s->G.start[c + 1]; k++) {
      power += r.lambda[s->G.row[k]] * G[k] * r.v[c];
      size += fabs(r.lambda[s->G.row[k]] * G[k] * r.v[c]);
    }
  double *B = calloc((size_t)(s->dae.nb > 0 ? s->B.start[s->dae.nv] : 0) + 1, sizeof *B);
  if (s->dae.nb > 0)
    s->dae.nonholonomic(B, r.at.t, r.q, s->dae.user);
  for (int c = 0; c < s->dae.nv && s->dae.nb > 0; c++)
    for (int k = s->B.start[c]; k < s->B.start[c + 1]; k++) {
      power += r.lambda[s->nactive + s->B.row[k]] * B[k] * r.v[c];
      size += fabs(r.lambda[s->nactive + s->B.row[k]] * B[k] * r.v[c]);
    }
  free(B);
  fly_system_reactions(&m->system, &r.at, wrench);
  for (int k = 0; k < m->model.npair; k++)
    sum += power_of(m, k, wrench + 6 * k);
  say("%-40s power %.1e\n", name, fabs(sum + power));
  if (!(fabs(sum + power) <= 1e-9 * (1 + size))) { // joints closed to 1e-11
    print_error("%s: the constraints' power is %.17g, the reactions' %.17g\n", name, -power, sum);
    fail();
  }
  free(G);
  free(wrench);
  state_free(&r);
}

// Sum of generalized forces as force and moment about the origin; rates of inertia are taken out.
static inline void sum_loads(machine *m, const double *Q, bool gyroscopic, double out[6], double *size) {
  for (int k = 0; k < m->model.nbody; k++) {
    const fly_body *b = &m->model.body[k];
    const fly_kinematics *at = kinematics(m, k);
    double F[6] = {0}, L[3], gyro[3] = {0}, T[3], moment[3];
    for (int c = 0; c < b->columns; c++)
      F[b->column[c]] = Q[b->iv + c];
    if (gyroscopic) {
      fly_to_space(L, b->own.J, at->w);
      fly_cross(gyro, at->w, L);
    }
    for (int c = 0; c < 3; c++)
      F[3 + c] += gyro[c];
    fly_to_space(T, at->R, F + 3);
    fly_cross(moment, at->r, F);
    for (int c = 0; c < 3; c++) {
      out[c] += F[c];
      out[3 + c] += T[c] + moment[c];
      *size += fabs(F[c]) + fabs(T[c]) + fabs(moment[c]);
    }
  }
}

static inline void check_floating(machine *m, const char *name, uint64_t *seed) {
  const fly_system *s = &m->system;
  random_state r = state_on_constraints(m, 0.2, true, seed);
  double *G = calloc((size_t)s->G.start[s->dae.nv] + 1, sizeof *G), *Q = calloc((size_t)s->dae.nv, sizeof *Q);
  double forces[6] = {0}, constraints[6] = {0}, size = 1;
  s->dae.force(Q, &r.at, s->dae.user);
  sum_loads(m, Q, true, forces, &size);
  s->dae.constraint_jacobian(G, r.at.t, r.q, s->dae.user);
  for (int c = 0; c < s->dae.nv; c++) {
    Q[c] = 0;
    for (int k = s->G.start[c]; k < s->G.start[c + 1]; k++)
      Q[c] -= G[k] * r.lambda[s->G.row[k]];
  }
  sum_loads(m, Q, false, constraints, &size);
  for (int c = 0; c < 6; c++)
    if (!(fabs(forces[c]) <= 1e-13 * size && fabs(constraints[c]) <= 1e-9 * size)) { // joints closed to 1e-11
      print_error("%s: component %d of the sum is %g for forces, %g for constraints (of %g)\n", name, c, forces[c],
                  constraints[c], size);
      fail();
    }
  free(G);
  free(Q);
  state_free(&r);
}

static inline void moved(double *q, const fly_dae_problem *p, const random_state *r, double h) {
  int iq = 0, iv = 0;
  for (int k = 0; k <= p->nrotation; k++) {
    int end = k < p->nrotation ? p->rotation_q[k] : p->nq;
    for (; iq < end; iq++, iv++)
      q[iq] = r->q[iq] + h * r->v[iv];
    if (k < p->nrotation) {
      double turn[3] = {h * r->v[iv], h * r->v[iv + 1], h * r->v[iv + 2]};
      fly_quat_plus(q + iq, r->q + iq, turn);
      iq += 4;
      iv += 3;
    }
  }
}

static inline double *some_numbers(int n) { return calloc(n > 0 ? (size_t)n : 1, sizeof(double)); }

static inline double energy_at(const fly_system *s, const random_state *r, double h) {
  const fly_dae_problem *p = &s->dae;
  double *q = some_numbers(p->nq), *v = some_numbers(p->nv), e;
  moved(q, p, r, h);
  for (int k = 0; k < p->nv; k++)
    v[k] = r->v[k] + h * r->vdot[k];
  p->energy(&e, r->at.t, q, v, p->user);
  free(q);
  free(v);
  return e;
}

// Forces that have a potential: dE/dt = v . (M v' - f) for any v', on the constraints or (but for torsion springs) off.
static inline void check_energy(machine *m, const char *name, bool anywhere, uint64_t *seed) {
  const fly_system *s = &m->system;
  const fly_dae_problem *p = &s->dae;
  random_state r = anywhere ? state_of(s, seed) : state_on_constraints(m, 0.2, false, seed);
  double *f = calloc((size_t)p->nv, sizeof *f), *M = calloc((size_t)s->M.start[p->nv], sizeof *M), power = 0, size = 1;
  p->force(f, &r.at, p->user);
  p->mass(M, r.at.t, r.q, p->user);
  for (int c = 0; c < p->nv; c++) {
    power -= f[c] * r.v[c];
    size += fabs(f[c] * r.v[c]);
    for (int k = s->M.start[c]; k < s->M.start[c + 1]; k++)
      power += r.v[s->M.row[k]] * M[k] * r.vdot[c];
  }
  const double h = 1e-3;
  double fine = (energy_at(s, &r, h / 2) - energy_at(s, &r, -h / 2)) / h;
  double coarse = (energy_at(s, &r, h) - energy_at(s, &r, -h)) / (2 * h), rate = (4 * fine - coarse) / 3;
  say("%-40s energy rate %.10g, power %.10g\n", name, rate, power);
  if (!(fabs(rate - power) <= 1e-8 * size)) {
    print_error("%s: the energy's rate is %.12g, the power %.12g\n", name, rate, power);
    fail();
  }
  free(f);
  free(M);
  state_free(&r);
}

// A model whose outputs include `power` says there what its forces do, from measures: wrench times twist.
static inline void check_stated_power(machine *m, const char *name, uint64_t *seed) {
  const fly_dae_problem *p = &m->system.dae;
  random_state r = state_on_constraints(m, 0.2, true, seed);
  double *f = calloc((size_t)p->nv, sizeof *f), power = 0, size = 1, stated = machine_output(m, &r.at, "power");
  assert_true(fly_dot3(m->model.gravity, m->model.gravity) == 0); // gravity is not stated
  p->force(f, &r.at, p->user);
  for (int c = 0; c < p->nv; c++) { // that of -w x J w is zero
    power += f[c] * r.v[c];
    size += fabs(f[c] * r.v[c]);
  }
  say("%-40s power of forces %.10g, stated %.10g\n", name, power, stated);
  if (!(fabs(power - stated) <= 1e-9 * size)) {
    print_error("%s: the forces' power is %.12g, wrench times twist %.12g\n", name, power, stated);
    fail();
  }
  free(f);
  state_free(&r);
}

static inline bool states_power(const machine *m) { return fly_spec_find(&m->spec, "outputs", "power") != NULL; }

// Written and read back: the same numbers of everything, to the last bit.
static inline void check_round_trip(machine *m, const char *name, uint64_t *seed) {
  char *text = NULL;
  size_t length = 0;
  FILE *file = open_memstream(&text, &length);
  assert_non_null(file);
  assert_true(fly_model_write(file, &m->spec));
  fclose(file);
  machine *again = machine_text(text);
  machine_all_rows(again);
  random_state r = state_of(&m->system, seed);
  const fly_dae_problem *p = &m->system.dae, *o = &again->system.dae;
  int nrow = m->model.nrow, nnz = m->system.G.start[p->nv];
  double *one = calloc((size_t)(p->nv + nrow + nnz), sizeof *one), *two = calloc((size_t)(p->nv + nrow + nnz), 8);
  bool same = p->nq == o->nq && p->nv == o->nv && nrow == again->model.nrow && nnz == again->system.G.start[o->nv];
  if (same) {
    p->force(one, &r.at, p->user);
    o->force(two, &r.at, o->user);
    p->constraint(one + p->nv, r.at.t, r.q, p->user);
    o->constraint(two + p->nv, r.at.t, r.q, o->user);
    p->constraint_jacobian(one + p->nv + nrow, r.at.t, r.q, p->user);
    o->constraint_jacobian(two + p->nv + nrow, r.at.t, r.q, o->user);
    same = memcmp(one, two, (size_t)(p->nv + nrow + nnz) * sizeof *one) == 0;
  }
  if (!same) {
    print_error("%s is not the same model after\n%s\n", name, text);
    fail();
  }
  free(one);
  free(two);
  free(text);
  state_free(&r);
  machine_free(again);
}

enum { CONSERVATIVE = 1, FLOATING = 2, CONSERVATIVE_ON_CONSTRAINTS = 4 };

static inline void check_machine(machine *m, const char *name, double end, int properties) {
  uint64_t seed = 7;
  machine_all_rows(m);
  check_round_trip(m, name, &seed);
  if (m->model.nrow > m->model.nv) { // more than a problem may have
    fly_system_free(&m->system);
    machine_independent_rows(m);
  }
  for (int trial = 0; trial < 5; trial++) {
    check_derivatives(m, name, &seed);
    if (properties & CONSERVATIVE)
      check_energy(m, name, true, &seed);
  }
  fly_system_free(&m->system);
  machine_independent_rows(m);
  for (int trial = 0; trial < 3; trial++) {
    check_power(m, name, end, &seed);
    if (states_power(m))
      check_stated_power(m, name, &seed);
    if (properties & (CONSERVATIVE | CONSERVATIVE_ON_CONSTRAINTS))
      check_energy(m, name, false, &seed);
    if (properties & FLOATING)
      check_floating(m, name, &seed);
  }
}

#endif
