// Dense output over an accepted step of Radau. Three stages are of order 3 only; both ends, with their accelerations,
// are of order 5. So positions are the polynomial of degree 5 through q, v and v' of the ends, velocities its
// derivative, and what belongs to accelerations is found from the equations at three places between them (RI-dense).
// Over five stages the latter stands at six places on the stages' own polynomial, and positions and velocities are what
// the accelerations found there sum up to (RI-dense-9).
#include <math.h>
#include <string.h>

#include "dae/radau.h"
#include "math/largest.h"
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

// ------------------------------------------------------------------------------------------ sums over places

static const double ROUNDED = 10;  // roundings of positions that are no difference
static const double DEFECT = 0.1;  // of the error asked for, by what the equations say at sums over nodes
static const double NODES_OFF = 2; // of the error asked for: how far the two polynomials of positions may be apart

enum { PLACES = FLY_RADAU_NODES };

// Of values at n places, at the share a of a step: weights of the value there and, by summed, of the sum from 0 to a
// and of its sum.
typedef struct weights {
  int n;
  double at[PLACES];
  double value[PLACES], once[PLACES], twice[PLACES];
} weights;

static double basis(const weights *w, int k, double a) {
  double product = 1;
  for (int j = 0; j < w->n; j++)
    if (j != k)
      product *= (a - w->at[j]) / (w->at[k] - w->at[j]);
  return product;
}

static void weigh(weights *w, double a) {
  for (int k = 0; k < w->n; k++)
    w->value[k] = basis(w, k, a);
}

// Gauss' formula of five places is exact for all of them.
static weights summed(weights w, double a) {
  static const double place[] = {0.046910077030668004, 0.23076534494715845, 0.5, 0.7692346550528415, 0.953089922969332};
  static const double share[] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444, 0.23931433524968324,
                                 0.11846344252809454};
  for (int k = 0; k < w.n; k++) {
    w.once[k] = w.twice[k] = 0;
    for (int i = 0; i < 5; i++) {
      const double part = a * share[i] * basis(&w, k, a * place[i]);
      w.once[k] += part;
      w.twice[k] += a * (1 - place[i]) * part;
    }
  }
  return w;
}

// At the start and the stages.
static weights over_stages(const fly_radau_table *t, double a) {
  weights w = {.n = t->stages + 1};
  memcpy(w.at + 1, t->c, (size_t)t->stages * sizeof *t->c);
  weigh(&w, a);
  return w;
}

// At equal distances.
static weights over_nodes(int n, double a) {
  weights w = {.n = n};
  for (int k = 0; k < n; k++)
    w.at[k] = (double)k / (n - 1);
  weigh(&w, a);
  return w;
}

// out = first w_0 + sum of w_(j+1) K_j over `count` numbers.
static void sum_of_stages(double *out, const double *w, const double *first, double *const *K, int stages, int from,
                          int count) {
  fly_radau_sum(out, w + 1, K, stages, from, count);
  for (int i = 0; i < count; i++)
    out[i] += w[0] * first[i];
}

// ------------------------------------------------------------------------------------------ q, v, x

// The same polynomial at a = 1/2, of a step that is not accepted yet.
void fly_radau_middle(fly_radau *r, double *q) {
  const fly_solver *s = r->solver;
  const double h = r->h, *theta = r->theta[r->stages - 1];
  double *rate = r->omega, *bend = r->v_raw;
  if (r->stages == 5) {
    const weights w = summed(over_stages(fly_radau_now(r), 0.5), 0.5);
    sum_of_stages(r->dense_theta, w.once, s->now.v, r->K, 5, s->step.ncore, s->e.p.nv);
    for (int i = 0; i < s->e.p.nv; i++)
      r->dense_theta[i] *= h;
  } else {
    end_rates(&s->e.p, &s->at.end, theta, rate, bend);
    for (int i = 0; i < s->e.p.nv; i++)
      r->dense_theta[i] =
          0.5 * theta[i] + h * (s->now.v[i] - rate[i]) * 5 / 32 + h * h * (s->now.vdot[i] + bend[i]) / 64;
  }
  fly_eval_plus(&s->e, q, s->now.q, r->dense_theta);
}

// Weights of v, h v' of the start and theta/h, theta', h theta'' of the end of a step, in theta/h, theta' and h theta''
// at the share a of it (RI-dense).
typedef struct hermite {
  double place[5], rate[5], bend[5];
} hermite;

static hermite hermite_at(double a) {
  const double a2 = a * a, a3 = a2 * a, a4 = a3 * a, a5 = a4 * a;
  return (hermite){{a - 6 * a3 + 8 * a4 - 3 * a5, 0.5 * (a2 - 3 * a3 + 3 * a4 - a5), 10 * a3 - 15 * a4 + 6 * a5,
                    -4 * a3 + 7 * a4 - 3 * a5, 0.5 * (a3 - 2 * a4 + a5)},
                   {1 - 18 * a2 + 32 * a3 - 15 * a4, a - 4.5 * a2 + 6 * a3 - 2.5 * a4, 30 * a2 - 60 * a3 + 30 * a4,
                    -12 * a2 + 28 * a3 - 15 * a4, 1.5 * a2 - 4 * a3 + 2.5 * a4},
                   {-36 * a + 96 * a2 - 60 * a3, 1 - 9 * a + 18 * a2 - 10 * a3, 60 * a - 180 * a2 + 120 * a3,
                    -24 * a + 84 * a2 - 60 * a3, 3 * a - 12 * a2 + 10 * a3}};
}

static double sum_of_ends(const double w[5], const double u[5]) {
  return w[0] * u[0] + w[1] * u[1] + w[2] * u[2] + w[3] * u[3] + w[4] * u[4];
}

// v = T theta', v' = T theta'' + T' theta' of rotations.
static void turn_rates(const fly_dae_problem *p, const double *theta, double *v, double *vdot) {
  for (int k = 0; k < p->nrotation; k++) {
    const int i = p->rotation_v[k];
    double T[9], u[3], w[3];
    fly_so3_tangent(T, theta + i);
    fly_so3_tangent_rate(u, theta + i, v + i);
    multiply3(w, T, vdot + i);
    for (int j = 0; j < 3; j++)
      vdot[i + j] = w[j] + u[j];
    multiply3(w, T, v + i);
    memcpy(v + i, w, sizeof w);
  }
}

// A step that is not accepted yet, on the polynomials of its start and its stages. v is the sum of v': theta' has in it
// what constraints round off, over h.
static void try_stages(fly_radau *r, const weights *w) {
  const fly_point *now = &r->solver->now;
  const int nv = r->solver->e.p.nv;
  sum_of_stages(r->dense_theta, w->once, now->v, r->K, r->stages, r->solver->step.ncore, nv);
  sum_of_stages(r->omega, w->once, now->vdot, r->K, r->stages, 0, nv);
  for (int i = 0; i < nv; i++) {
    r->dense_theta[i] *= r->h;
    r->omega[i] = now->v[i] + r->h * r->omega[i];
  }
}

// On the polynomial of three stages' ends, where rows lie: stages are of a lower order, and states that follow
// positions or velocities miss the motion as these do. In very short steps both say the same, and this rounds more:
// then nothing is changed.
static void try_ends(fly_radau *r, double a, double *vdot) {
  const fly_solver *s = r->solver;
  const fly_dae_problem *p = &s->e.p;
  const double h = r->h, *end = r->theta[r->stages - 1];
  const hermite w = hermite_at(a);
  double *theta = s->at.du, *rate = r->theta_raw, *bend = r->v_raw, apart = 0;
  end_rates(p, &s->at.end, end, rate, bend);
  for (int i = 0; i < p->nv; i++) {
    const double u[] = {s->now.v[i], h * s->now.vdot[i], end[i] / h, rate[i], h * bend[i]};
    theta[i] = h * sum_of_ends(w.place, u);
    rate[i] = sum_of_ends(w.rate, u);
    bend[i] = sum_of_ends(w.bend, u) / h;
  }
  turn_rates(p, theta, rate, bend);
  for (int i = 0; i < p->nv; i++)
    apart = fly_larger(apart, fabs(rate[i] - r->omega[i]) / (p->scale_v ? p->scale_v[i] : 1.0));
  if (!(h * apart > ROUNDED * fly_round_off(s)))
    return;
  memcpy(r->dense_theta, theta, (size_t)p->nv * sizeof *theta);
  memcpy(r->omega, rate, (size_t)p->nv * sizeof *rate);
  memcpy(vdot, bend, (size_t)p->nv * sizeof *bend);
}

fly_dae_state fly_radau_try(fly_radau *r, double a) {
  const fly_solver *s = r->solver;
  const fly_eval *e = &s->e;
  const fly_point *now = &s->now;
  const int nv = e->p.nv, nl = e->nl, nx = e->p.nx;
  const weights w = summed(over_stages(fly_radau_now(r), a), a);
  double *z = r->core, *const into[] = {z, z + nv, z + nv + nl, z + nv + nl + nx};
  const double *const from[] = {now->vdot, now->lambda, r->x_rate, now->y};
  const int size[] = {nv, nl, nx, e->p.ny};
  for (int k = 0; k < 4; k++)
    sum_of_stages(into[k], w.value, from[k], r->K, r->stages, (int)(into[k] - z), size[k]);
  try_stages(r, &w);
  if (r->stages == 3)
    try_ends(r, a, z);
  fly_eval_plus(e, r->q, now->q, r->dense_theta);
  sum_of_stages(r->x, w.once, r->x_rate, r->K, r->stages, nv + nl, nx);
  for (int i = 0; i < nx; i++)
    r->x[i] = now->x[i] + r->h * r->x[i];
  return (fly_dae_state){now->t + a * r->h, r->q, r->omega, z, into[1], r->x, into[2], into[3], NULL};
}

void fly_radau_remember(fly_radau *r) {
  const fly_solver *s = r->solver;
  fly_point_copy(&r->start, &s->now, &s->e);
  fly_point_copy(&r->end, &s->at.end, &s->e);
  memcpy(r->theta_end, r->theta[r->stages - 1], (size_t)s->e.p.nv * sizeof(double));
  r->h_dense = r->h;
  r->difference_last = r->difference;
  memcpy(r->x_rate_last, r->x_rate, (size_t)s->e.p.nx * sizeof(double));
  r->nodes_known = false;
  end_rates(&s->e.p, &r->end, r->theta_end, r->rate_end, r->bend_end);
}

// q and v of the increment dense_theta and its rate, which lies in v.
static void leave_chart(fly_radau *r, fly_point *out) {
  const fly_eval *e = &r->solver->e;
  fly_eval_plus(e, out->q, r->start.q, r->dense_theta);
  for (int k = 0; k < e->p.nrotation; k++) {
    double *w = out->v + e->p.rotation_v[k], T[9], u[3] = {w[0], w[1], w[2]};
    fly_so3_tangent(T, r->dense_theta + e->p.rotation_v[k]);
    multiply3(w, T, u);
  }
}

// What the rates at the start and of the stages sum up to, w: weights of the sum (RI-states).
static void move_states(const fly_radau *r, const double *w, fly_point *out) {
  const fly_eval *e = &r->solver->e;
  sum_of_stages(out->x, w, r->x_rate_last, r->K_last, r->stages_last, e->p.nv + e->nl, e->p.nx);
  for (int i = 0; i < e->p.nx; i++)
    out->x[i] = r->start.x[i] + r->h_dense * out->x[i];
}

// On the polynomial of three stages' ends.
static void move_between_ends(fly_radau *r, double a, fly_point *out) {
  const fly_eval *e = &r->solver->e;
  const fly_point *start = &r->start;
  const double h = r->h_dense;
  const hermite w = hermite_at(a);
  for (int i = 0; i < e->p.nv; i++) {
    const double u[] = {start->v[i], h * start->vdot[i], r->theta_end[i] / h, r->rate_end[i], h * r->bend_end[i]};
    r->dense_theta[i] = h * sum_of_ends(w.place, u);
    out->v[i] = sum_of_ends(w.rate, u);
  }
  leave_chart(r, out);
  if (e->p.nx > 0)
    move_states(r, summed(over_stages(fly_radau_of(r, 3), a), a).once, out);
}

// On the polynomial of five stages and the start.
static void move_over_stages(fly_radau *r, double a, fly_point *out) {
  const fly_eval *e = &r->solver->e;
  const int nv = e->p.nv, ncore = r->solver->step.ncore;
  const double h = r->h_dense;
  const weights w = summed(over_stages(fly_radau_of(r, 5), a), a);
  sum_of_stages(r->dense_theta, w.once, r->start.v, r->K_last, 5, ncore, nv);
  sum_of_stages(out->v, w.value, r->start.v, r->K_last, 5, ncore, nv);
  for (int i = 0; i < nv; i++)
    r->dense_theta[i] *= h;
  leave_chart(r, out);
  move_states(r, w.once, out);
}

// What the accelerations at equal distances sum up to, and the rates of states.
static void sum_up(const fly_radau *r, double a, double *theta, double *rate, double *x) {
  const fly_eval *e = &r->solver->e;
  const double h = r->h_dense;
  const weights w = summed(over_nodes(FLY_RADAU_NODES, a), a);
  for (int i = 0; i < e->p.nv; i++) {
    double once = 0, twice = 0;
    for (int k = 0; k < w.n; k++) {
      once += w.once[k] * r->bend[k][i];
      twice += w.twice[k] * r->bend[k][i];
    }
    theta[i] = h * (a * r->start.v[i] + h * twice);
    rate[i] = r->start.v[i] + h * once;
  }
  for (int i = 0; i < e->p.nx; i++) {
    double once = 0;
    for (int k = 0; k < w.n; k++)
      once += w.once[k] * r->node[k][e->p.nv + e->nl + i];
    x[i] = r->start.x[i] + h * once;
  }
}

// These, and the ends: what is missed at the end of the step is put back by a cubic.
static void move_over_nodes(fly_radau *r, double a, fly_point *out) {
  const fly_eval *e = &r->solver->e;
  const double h = r->h_dense, to = a * a * (3 - 2 * a), bent = a * a * (a - 1);
  sum_up(r, a, r->dense_theta, out->v, out->x);
  for (int i = 0; i < e->p.nv; i++) {
    r->dense_theta[i] += to * r->miss_theta[i] + h * bent * r->miss_rate[i];
    out->v[i] += 6 * a * (1 - a) * r->miss_theta[i] / h + a * (3 * a - 2) * r->miss_rate[i];
  }
  leave_chart(r, out);
  for (int i = 0; i < e->p.nx; i++)
    out->x[i] += to * r->miss_x[i];
}

// q, v, x at the share a of the step: at a glance, or for a row.
static void move(fly_radau *r, double a, bool glance, fly_point *out) {
  out->t = r->start.t + a * r->h_dense;
  if (r->stages_last == 3)
    move_between_ends(r, a, out);
  else if (glance || !r->nodes_good)
    move_over_stages(r, a, out);
  else
    move_over_nodes(r, a, out);
}

// ------------------------------------------------------------------------------------------ v', lambda, x', y

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

// What stiff joints carry lies on the polynomial through both ends and the stages: that of positions is off the motion
// by O(h^6), and k times that is more where k h^2/m > 1 (S-held).
static void hold_loads(const fly_radau *r, double a, double *z) {
  const fly_eval *e = &r->solver->e;
  const int first = e->p.nv + e->nl + e->p.nx, last = r->stages_last;
  const weights w = over_stages(fly_radau_of(r, last), a);
  for (int i = 0; i < e->p.ny; i++) {
    if (!r->held[i])
      continue;
    double sum = w.value[0] * r->start.y[i];
    for (int j = 1; j < last; j++)
      sum += w.value[j] * r->K_last[j - 1][first + i];
    z[first + i] = sum + w.value[last] * r->end.y[i];
  }
}

// At the share a of the step, from q, v, x there. Where the equations have no solution a straight line stands in for
// it.
static void find_node(fly_radau *r, int k, double a, fly_point *work) {
  fly_solver *s = r->solver;
  const int last = fly_radau_nodes(r->stages_last) - 1;
  for (int attempt = 0; attempt < 2; attempt++) {
    for (int i = 0; i < s->e.ncol; i++)
      r->node[k][i] = (1 - a) * r->node[0][i] + a * r->node[last][i];
    if (attempt > 0)
      break;
    hold_loads(r, a, r->node[k]);
    move(r, a, true, work);
    if (fly_find_others(s, work->t, work->q, work->v, work->x, r->node[k], r->held) == FLY_SOLVED)
      break;
  }
}

// theta'' at the places, and what sums over it miss at the end of the step.
static void find_bends(fly_radau *r, int k, fly_point *work) {
  const fly_eval *e = &r->solver->e;
  memcpy(work->vdot, r->node[k], (size_t)e->p.nv * sizeof(double));
  end_rates(&e->p, work, r->dense_theta, r->rate_node, r->bend[k]);
}

static void find_misses(fly_radau *r) {
  const fly_eval *e = &r->solver->e;
  memcpy(r->bend[0], r->start.vdot, (size_t)e->p.nv * sizeof(double));
  memcpy(r->bend[FLY_RADAU_NODES - 1], r->bend_end, (size_t)e->p.nv * sizeof(double));
  sum_up(r, 1, r->miss_theta, r->miss_rate, r->miss_x);
  for (int i = 0; i < e->p.nv; i++) {
    r->miss_theta[i] = r->theta_end[i] - r->miss_theta[i];
    r->miss_rate[i] = r->rate_end[i] - r->miss_rate[i];
  }
  for (int i = 0; i < e->p.nx; i++)
    r->miss_x[i] = r->end.x[i] - r->miss_x[i];
}

// Both polynomials know positions within the error asked for. Where they are further apart, the
// accelerations come from something stiff that multiplies how far the stages' polynomial is off.
static bool agree(fly_radau *r, double a, fly_point *work) {
  const fly_solver *s = r->solver;
  const double most = s->o.step > 0 ? r->difference_last : NODES_OFF * s->o.error;
  double *theta = r->rate_node;
  move_over_nodes(r, a, work);
  memcpy(theta, r->dense_theta, (size_t)s->e.p.nv * sizeof *theta);
  memcpy(r->x, work->x, (size_t)s->e.p.nx * sizeof *theta);
  move_over_stages(r, a, work);
  for (int i = 0; i < s->e.p.nv; i++)
    theta[i] -= r->dense_theta[i];
  for (int i = 0; i < s->e.p.nx; i++)
    if (!(fabs(r->x[i] - work->x[i]) <= NODES_OFF * s->o.error * (s->e.p.scale_x ? s->e.p.scale_x[i] : 1.0)))
      return false;
  return fly_weighted(s, theta) <= fmax(most, 10 * fly_round_off(s));
}

// And the equations at the sums say what was summed up: where something stiff multiplies what positions miss they do
// not, however little both polynomials are apart (RI-defect).
static bool confirm(fly_radau *r, double a, fly_point *work) {
  fly_solver *s = r->solver;
  const fly_dae_problem *p = &s->e.p;
  const int first = p->nv + s->e.nl;
  const double h = r->h_dense, most = DEFECT * s->o.error;
  const weights w = over_nodes(FLY_RADAU_NODES, a);
  double defect = 0;
  memset(r->core, 0, (size_t)s->e.ncol * sizeof *r->core);
  for (int k = 0; k < w.n; k++)
    for (int i = 0; i < s->e.ncol; i++)
      r->core[i] += w.value[k] * r->node[k][i];
  memcpy(r->x, r->core + first, (size_t)p->nx * sizeof *r->x);
  work->t = r->start.t + a * h;
  move_over_nodes(r, a, work);
  if (fly_find_others(s, work->t, work->q, work->v, work->x, r->core, r->held) != FLY_SOLVED)
    return false;
  for (int i = 0; i < p->nx; i++)
    defect = fly_larger(defect, 0.25 * h * fabs(r->core[first + i] - r->x[i]) / (p->scale_x ? p->scale_x[i] : 1.0));
  memcpy(work->vdot, r->core, (size_t)p->nv * sizeof(double));
  end_rates(p, work, r->dense_theta, r->rate_node, r->bend_node);
  for (int k = 0; k < w.n; k++)
    for (int i = 0; i < p->nv; i++)
      r->bend_node[i] -= w.value[k] * r->bend[k][i];
  return fly_larger(defect, 0.125 * h * h * fly_weighted(s, r->bend_node)) <= fmax(most, 10 * fly_round_off(s));
}

static void find_nodes(fly_radau *r, fly_point *work) {
  fly_solver *s = r->solver;
  const int last = fly_radau_nodes(r->stages_last) - 1;
  swap_kkt(r);
  gather(&s->e, r->node[0], &r->start);
  gather(&s->e, r->node[last], &r->end);
  for (int k = 1; k < last; k++) {
    find_node(r, k, (double)k / last, work);
    if (r->stages_last == 5)
      find_bends(r, k, work);
  }
  if (r->stages_last == 5) {
    find_misses(r);
    r->nodes_good = agree(r, 0.45, work) && agree(r, 0.75, work) && confirm(r, 0.25, work);
  }
  swap_kkt(r);
  r->nodes_known = true;
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
  const double a = (t - r->start.t) / r->h_dense;
  double *z = r->core;
  if (!r->nodes_known)
    find_nodes(r, out);
  move(r, a, false, out);
  out->t = t;
  const weights w = over_nodes(fly_radau_nodes(r->stages_last), a);
  memset(z, 0, (size_t)s->e.ncol * sizeof *z);
  for (int k = 0; k < w.n; k++)
    for (int i = 0; i < s->e.ncol; i++)
      z[i] += w.value[k] * r->node[k][i];
  if (s->e.nl == s->e.p.nv && !settle(r, out))
    move(r, a, false, out);
  scatter(&s->e, z, out);
}

// The stages' own derivatives, of lower order, beside those of the ends (RI-glance). What is known by then must not
// change them: who looks for rows has no say in a run.
void fly_radau_glance(const fly_solver *s, double t, fly_point *out) {
  fly_radau *r = s->own;
  const fly_point *a = &r->start, *b = &r->end;
  const int last = r->stages_last;
  if ((last == 3 && r->nodes_known) || s->e.nl >= s->e.p.nv) {
    fly_radau_dense(s, t, out);
    return;
  }
  const double share = (t - a->t) / r->h_dense;
  const weights w = over_stages(fly_radau_of(r, last), share);
  move(r, share, true, out);
  out->t = t;
  const double *const from[] = {a->vdot, a->lambda, r->x_rate_last, a->y}, *const to[] = {b->vdot, b->lambda, b->xdot,
                                                                                          b->y};
  double *const into[] = {out->vdot, out->lambda, out->xdot, out->y};
  const int size[] = {s->e.p.nv, s->e.nl, s->e.p.nx, s->e.p.ny};
  for (int k = 0, first = 0; k < 4; first += size[k++])
    for (int i = 0; i < size[k]; i++) {
      double sum = w.value[0] * from[k][i];
      for (int j = 1; j < last; j++)
        sum += w.value[j] * r->K_last[j - 1][first + i];
      into[k][i] = sum + w.value[last] * to[k][i];
    }
}
