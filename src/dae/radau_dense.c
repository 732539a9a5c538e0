// Dense output over an accepted step of Radau. The stages are of order 3 only; both ends, with their accelerations, are
// of order 5. So positions are the polynomial of degree 5 through q, v and v' of the ends, velocities its derivative,
// and what belongs to accelerations is found from the equations at three places between them (RI-dense).
#include <string.h>

#include "dae/radau.h"
#include "math/so3.h"

static void multiply3(double out[3], const double M[9], const double u[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = M[3 * i] * u[0] + M[3 * i + 1] * u[1] + M[3 * i + 2] * u[2];
}

// theta' = T^-1 v and theta'' = T^-1 (v' - T' theta') at the end; at the start they are v and v'.
static void end_rates(const fly_dae_problem *p, const fly_point *end, const double *theta, double *rate, double *bend) {
  memcpy(rate, end->v, (size_t)p->nv * sizeof(double));
  memcpy(bend, end->vdot, (size_t)p->nv * sizeof(double));
  for (int k = 0; k < p->nrotation; k++) {
    int i = p->rotation_v[k];
    double Ti[9], u[3];
    fly_so3_tangent_inverse(Ti, theta + i);
    multiply3(rate + i, Ti, end->v + i);
    fly_so3_tangent_rate(u, theta + i, rate + i);
    for (int j = 0; j < 3; j++)
      u[j] = end->vdot[i + j] - u[j];
    multiply3(bend + i, Ti, u);
  }
}

// The same polynomial at a = 1/2, of a step that is not accepted yet.
void fly_radau_middle(fly_radau *r, double *q) {
  const fly_solver *s = r->solver;
  const double h = r->h, *theta = r->theta[FLY_STAGES - 1];
  double *rate = r->omega, *bend = r->v_raw;
  end_rates(&s->e.p, &s->at.end, theta, rate, bend);
  for (int i = 0; i < s->e.p.nv; i++)
    r->dense_theta[i] = 0.5 * theta[i] + h * (s->now.v[i] - rate[i]) * 5 / 32 + h * h * (s->now.vdot[i] + bend[i]) / 64;
  fly_eval_plus(&s->e, q, s->now.q, r->dense_theta);
}

void fly_radau_remember(fly_radau *r) {
  const fly_solver *s = r->solver;
  fly_point_copy(&r->start, &s->now, &s->e);
  fly_point_copy(&r->end, &s->at.end, &s->e);
  memcpy(r->theta_end, r->theta[FLY_STAGES - 1], (size_t)s->e.p.nv * sizeof(double));
  r->h_dense = r->h;
  r->nodes_known = false;
  end_rates(&s->e.p, &r->end, r->theta_end, r->rate_end, r->bend_end);
}

// q, v, x at the share a of the step.
static void move(fly_radau *r, double a, fly_point *out) {
  const fly_eval *e = &r->solver->e;
  const fly_point *start = &r->start, *end = &r->end;
  double h = r->h_dense, a2 = a * a, a3 = a2 * a, a4 = a3 * a, a5 = a4 * a;
  const double place[] = {a - 6 * a3 + 8 * a4 - 3 * a5, 0.5 * (a2 - 3 * a3 + 3 * a4 - a5), 10 * a3 - 15 * a4 + 6 * a5,
                          -4 * a3 + 7 * a4 - 3 * a5, 0.5 * (a3 - 2 * a4 + a5)};
  const double rate[] = {1 - 18 * a2 + 32 * a3 - 15 * a4, a - 4.5 * a2 + 6 * a3 - 2.5 * a4, 30 * a2 - 60 * a3 + 30 * a4,
                         -12 * a2 + 28 * a3 - 15 * a4, 1.5 * a2 - 4 * a3 + 2.5 * a4};
  out->t = start->t + a * h;
  for (int i = 0; i < e->p.nv; i++) {
    double v0 = start->v[i], b0 = h * start->vdot[i], d = r->theta_end[i] / h, v1 = r->rate_end[i],
           b1 = h * r->bend_end[i];
    r->dense_theta[i] = h * (place[0] * v0 + place[1] * b0 + place[2] * d + place[3] * v1 + place[4] * b1);
    out->v[i] = rate[0] * v0 + rate[1] * b0 + rate[2] * d + rate[3] * v1 + rate[4] * b1;
  }
  fly_eval_plus(e, out->q, start->q, r->dense_theta);
  for (int k = 0; k < e->p.nrotation; k++) {
    double *w = out->v + e->p.rotation_v[k], T[9], u[3] = {w[0], w[1], w[2]};
    fly_so3_tangent(T, r->dense_theta + e->p.rotation_v[k]);
    multiply3(w, T, u);
  }
  for (int i = 0; i < e->p.nx; i++)
    out->x[i] = (1 - 3 * a2 + 2 * a3) * start->x[i] + (3 * a2 - 2 * a3) * end->x[i] +
                h * ((a - 2 * a2 + a3) * start->xdot[i] + (a3 - a2) * end->xdot[i]);
}

static void gather(const fly_eval *e, double *z, const fly_point *p) {
  int nv = e->p.nv, nl = e->nl, nx = e->p.nx;
  memcpy(z, p->vdot, (size_t)nv * sizeof *z);
  memcpy(z + nv, p->lambda, (size_t)nl * sizeof *z);
  memcpy(z + nv + nl, p->xdot, (size_t)nx * sizeof *z);
  memcpy(z + nv + nl + nx, p->y, (size_t)e->p.ny * sizeof *z);
}

static void scatter(const fly_eval *e, const double *z, fly_point *p) {
  int nv = e->p.nv, nl = e->nl, nx = e->p.nx;
  memcpy(p->vdot, z, (size_t)nv * sizeof *z);
  memcpy(p->lambda, z + nv, (size_t)nl * sizeof *z);
  memcpy(p->xdot, z + nv + nl, (size_t)nx * sizeof *z);
  memcpy(p->y, z + nv + nl + nx, (size_t)e->p.ny * sizeof *z);
}

static void swap_kkt(fly_radau *r) {
  fly_step_matrix kkt = r->kkt;
  r->kkt = r->solver->kkt;
  r->solver->kkt = kkt;
}

// Weights of v', lambda, x', y at the start, the first two stages and the end, at the share a of the step.
static void glance_weights(const fly_radau *r, double a, double w[4]) {
  const double at[4] = {0, r->table.c[0], r->table.c[1], 1};
  for (int k = 0; k < 4; k++) {
    w[k] = 1;
    for (int j = 0; j < 4; j++)
      if (j != k)
        w[k] *= (a - at[j]) / (at[k] - at[j]);
  }
}

// What stiff joints carry lies on the cubic through both ends and the stages: the polynomial of positions is off the
// motion by O(h^6), and k times that is more where k h^2/m > 1 (S-held).
static void hold_loads(const fly_radau *r, double a, double *z) {
  const fly_eval *e = &r->solver->e;
  const int first = e->p.nv + e->nl + e->p.nx;
  double w[4];
  glance_weights(r, a, w);
  for (int i = 0; i < e->p.ny; i++)
    if (r->held[i])
      z[first + i] =
          w[0] * r->start.y[i] + w[1] * r->K_last[0][first + i] + w[2] * r->K_last[1][first + i] + w[3] * r->end.y[i];
}

// Where the equations have no solution between the ends, a straight line stands in for it.
static void find_nodes(fly_radau *r, fly_point *work) {
  fly_solver *s = r->solver;
  int last = FLY_RADAU_NODES - 1;
  swap_kkt(r);
  gather(&s->e, r->node[0], &r->start);
  gather(&s->e, r->node[last], &r->end);
  for (int k = 1; k < last; k++) {
    double a = (double)k / last;
    for (int attempt = 0; attempt < 2; attempt++) {
      for (int i = 0; i < s->e.ncol; i++)
        r->node[k][i] = (1 - a) * r->node[0][i] + a * r->node[last][i];
      if (attempt > 0)
        break;
      hold_loads(r, a, r->node[k]);
      move(r, a, work);
      if (fly_find_others(s, work->t, work->q, work->v, work->x, r->node[k], r->held) == FLY_SOLVED)
        break;
    }
  }
  swap_kkt(r);
  r->nodes_known = true;
}

static double node_weight(int k, double a) {
  double w = 1;
  for (int j = 0; j < FLY_RADAU_NODES; j++)
    if (j != k)
      w *= (a * (FLY_RADAU_NODES - 1) - j) / (k - j);
  return w;
}

// Where no direction is free, the constraints say all: a row is what the equations say at its time, not what a
// polynomial does, nor what an iteration that was good enough for a step has left.
static bool settle(fly_radau *r, fly_point *out) {
  fly_solver *s = r->solver;
  swap_kkt(r);
  fly_outcome outcome = fly_meet_constraints(s, out);
  if (outcome == FLY_SOLVED)
    outcome = fly_find_others(s, out->t, out->q, out->v, out->x, r->core, r->held);
  swap_kkt(r);
  return outcome == FLY_SOLVED;
}

bool fly_radau_clean(fly_radau *r, fly_point *at) {
  gather(&r->solver->e, r->core, at);
  const bool settled = settle(r, at);
  if (settled)
    scatter(&r->solver->e, r->core, at);
  return settled;
}

void fly_radau_refine(const fly_solver *s, fly_point *at) {
  fly_radau *r = s->own;
  gather(&s->e, r->core, at);
  swap_kkt(r);
  if (fly_find_others(r->solver, at->t, at->q, at->v, at->x, r->core, r->held) == FLY_SOLVED)
    scatter(&s->e, r->core, at);
  swap_kkt(r);
}

void fly_radau_settle(const fly_solver *s, fly_point *end) {
  if (s->e.nl >= s->e.p.nv && !fly_radau_clean(s->own, end))
    fly_point_copy(end, &s->now, &s->e);
}

void fly_radau_dense(const fly_solver *s, double t, fly_point *out) {
  fly_radau *r = s->own;
  double a = (t - r->start.t) / r->h_dense, *z = r->core;
  if (!r->nodes_known)
    find_nodes(r, out);
  move(r, a, out);
  out->t = t;
  memset(z, 0, (size_t)s->e.ncol * sizeof *z);
  for (int k = 0; k < FLY_RADAU_NODES; k++) {
    double w = node_weight(k, a);
    for (int i = 0; i < s->e.ncol; i++)
      z[i] += w * r->node[k][i];
  }
  if (s->e.nl == s->e.p.nv && !settle(r, out))
    move(r, a, out);
  scatter(&s->e, z, out);
}

static void mix(double *out, const double w[4], const double *start, const double *const K[2], const double *end,
                int n) {
  for (int i = 0; i < n; i++)
    out[i] = w[0] * start[i] + w[1] * K[0][i] + w[2] * K[1][i] + w[3] * end[i];
}

// The stages' own derivatives, of order 3, beside those of the ends (RI-glance).
void fly_radau_glance(const fly_solver *s, double t, fly_point *out) {
  fly_radau *r = s->own;
  const fly_point *a = &r->start, *b = &r->end;
  double w[4];
  if (r->nodes_known || s->e.nl >= s->e.p.nv) {
    fly_radau_dense(s, t, out);
    return;
  }
  glance_weights(r, (t - a->t) / r->h_dense, w);
  move(r, (t - a->t) / r->h_dense, out);
  out->t = t;
  const double *const from[] = {a->vdot, a->lambda, a->xdot, a->y}, *const to[] = {b->vdot, b->lambda, b->xdot, b->y};
  double *const into[] = {out->vdot, out->lambda, out->xdot, out->y};
  const int size[] = {s->e.p.nv, s->e.nl, s->e.p.nx, s->e.p.ny};
  for (int k = 0, first = 0; k < 4; first += size[k++]) {
    const double *const K[] = {r->K_last[0] + first, r->K_last[1] + first};
    mix(into[k], w, from[k], K, to[k], size[k]);
  }
}
