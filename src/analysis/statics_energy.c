// Equilibrium as a minimum of the potential energy, docs/theory/statics.md (S-energy).
//
// DADS 7.5 minimizes over independent coordinates, found by partitioning G = [G_u G_v] (7.5.15 - 7.5.21), with
// gradients only. Here the same null space Z = [-G_u^-1 G_v; 1] carries the exact Hessian Z^T (V_qq + lambda g_qq) Z
// too, and a trust region: a saddle is left along its negative curvature, so what is found is a minimum.
#include <math.h>
#include <string.h>

#include "analysis/statics.h"
#include "base/error.h"
#include "math/so3.h"
#include "sparse/dense.h"

static const int MOST_STEPS = 300, MOST_FREEDOMS = 500;
static const double BALANCED = 1e-12; // of the loads
static const double MOST_TURN = 1.5;  // in one step [rad]
static const double ROUGH = 1e-5;     // of its own derivatives: what a conservative force may miss, by differences

typedef struct descent {
  fly_balance *b;
  int nf;            // independent coordinates
  double *G;         // elimination (ng x nv), row by row
  int *column;       // of G: dependent ones first, in the order of their rows (nv)
  double *Z, *KZ;    // nv x nf
  double *H, *N;     // Z^T K Z, and Z^T W Z with W: radians and model sizes (nf x nf); H becomes the eigenvectors
  double *mu;        // their eigenvalues (nf)
  double *gradient;  // along the eigenvectors (nf)
  double *c;         // step along them (nf)
  double *Q, *x, *y; // work (nv)
  double *side;      // work (nq)
  double applied;    // potential of applied forces, counted from the start [J]
  double predicted;  // decrease of the energy by the step
  fly_arena memory;
} descent;

// ------------------------------------------------------------------------------------------ what is conservative

static fly_status refuse(const fly_balance *b, int force, const char *why, fly_error *error) {
  const fly_item *item = &b->model->spec->item[force];
  return fly_fail_at(error, FLY_BAD_INPUT, b->t, item->place, item->name, "force `%s` %s", item->name, why);
}

static double next_random(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)*state / 2147483648.0 - 1;
}

// Random and tangent, its largest component 1 radian or model size.
static void tangent(descent *d, double *x, unsigned *state) {
  const fly_balance *b = d->b;
  memset(x, 0, (size_t)b->nv * sizeof *x);
  for (int j = 0; j < d->nf; j++) {
    double r = next_random(state);
    for (int i = 0; i < b->nv; i++)
      x[i] += r * d->Z[(size_t)j * (size_t)b->nv + (size_t)i];
  }
  double most = fly_balance_weighted(b, x);
  for (int i = 0; i < b->nv && most > 0; i++)
    x[i] /= most;
}

// Force k at q (+) s x, v = w x.
static void force_beside(descent *d, int k, const double *q, double s, double w, const double *x, double *Q) {
  fly_balance *b = d->b;
  fly_dae_state at = fly_balance_state(b, &b->now);
  double f[6];
  for (int i = 0; i < b->nv; i++) {
    b->delta[i] = s * x[i];
    b->Mp[i] = w * x[i];
  }
  fly_eval_plus(&b->e, d->side, q, b->delta);
  at.q = d->side;
  at.v = b->Mp;
  fly_system_applied(b->system, &at, k, f, Q);
}

// y . dQ/dq x by differences
static double derivative(descent *d, int k, const double *q, const double *x, const double *y) {
  const double h = 1e-5;
  force_beside(d, k, q, h, 0.0, x, d->Q);
  double ahead = fly_balance_dot(d->Q, y, d->b->nv);
  force_beside(d, k, q, -h, 0.0, x, d->Q);
  return (ahead - fly_balance_dot(d->Q, y, d->b->nv)) / (2 * h);
}

// A force is conservative if its work does not depend on the way: dQ(x, y) = y.Qx - x.Qy - Q.[x, y] = 0 (S-closed), and
// rotations along body axes have [x, y] = x cross y.
static bool is_closed(descent *d, int k, const double *q) {
  fly_balance *b = d->b;
  const fly_dae_problem *p = &b->e.p;
  double a = derivative(d, k, q, d->x, d->y), c = derivative(d, k, q, d->y, d->x), bracket = 0, size = 0;
  force_beside(d, k, q, 0.0, 0.0, d->x, d->Q);
  for (int r = 0; r < p->nrotation; r++) {
    double cross[3];
    fly_cross(cross, d->x + p->rotation_v[r], d->y + p->rotation_v[r]);
    bracket += fly_balance_dot(cross, d->Q + p->rotation_v[r], 3);
  }
  for (int i = 0; i < b->nv; i++)
    size = fmax(size, fabs(d->Q[i]) * b->system->scale[i]);
  return fabs(a - c - bracket) <= ROUGH * (fabs(a) + fabs(c) + fabs(bracket) + 1e-3 * size);
}

// Friction that does not go to zero with the velocity.
static bool is_dry(descent *d, int k) {
  double jump[2] = {0}, w[2] = {1e-6, 1e-9};
  for (int m = 0; m < 2; m++) {
    force_beside(d, k, d->b->now.q, 0.0, w[m], d->x, d->Q);
    memcpy(d->y, d->Q, (size_t)d->b->nv * sizeof *d->y);
    force_beside(d, k, d->b->now.q, 0.0, -w[m], d->x, d->Q);
    for (int i = 0; i < d->b->nv; i++)
      jump[m] = fmax(jump[m], fabs(d->y[i] - d->Q[i]));
  }
  return jump[1] > 0.5 * jump[0];
}

static fly_measure_level level_of(const fly_model *m, const fly_model_applied *a) {
  fly_measure_level level = FLY_OF_POSITION;
  for (int i = 0; i < a->ninput; i++) {
    fly_measure_level one = fly_model_measure_level(&m->measure[a->input[i]]);
    level = one > level ? one : level;
  }
  return level;
}

static bool is_damped(const fly_model *m) {
  bool damped = false;
  for (int k = 0; k < m->nforce; k++)
    damped |= m->force[k].type->damps && m->force[k].type->damps(m->force[k].k);
  for (int k = 0; k < m->napplied; k++)
    damped |= level_of(m, &m->applied[k]) == FLY_OF_VELOCITY;
  return damped;
}

static fly_status check_force(descent *d, int k, const double *q, fly_error *error) {
  fly_balance *b = d->b;
  unsigned state = 1;
  const int item = b->model->applied[k].item;
  fly_measure_level level = level_of(b->model, &b->model->applied[k]);
  if (level == FLY_OF_ACCELERATION)
    return refuse(b, item,
                  "feels accelerations or reactions, so there is no potential energy to be least. Use --by newton.",
                  error);
  tangent(d, d->x, &state);
  if (level == FLY_OF_VELOCITY && is_dry(d, k))
    return refuse(
        b, item,
        "is dry friction: it jumps where a velocity changes its sign, and the model rests wherever that holds it, "
        "not where the energy is least. Use --by settling.",
        error);
  for (int m = 0; m < 4; m++) {
    tangent(d, d->x, &state);
    tangent(d, d->y, &state);
    if (!is_closed(d, k, q))
      return refuse(
          b, item,
          "is not conservative: its work depends on the way, as of a force that turns with its body, so there is "
          "no potential energy to be least. Use --by newton or --by settling.",
          error);
  }
  return FLY_OK;
}

static fly_status check_forces(descent *d, const double *q, fly_error *error) {
  const fly_model *m = d->b->model;
  fly_status status = FLY_OK;
  for (int k = 0; k < m->nforce; k++)
    if (!m->force[k].type->energy && !m->force[k].type->dissipation)
      return refuse(d->b, m->force[k].item,
                    "has no potential energy, so there is none to be least. Use --by newton or --by settling.", error);
  for (int k = 0; k < m->napplied && status == FLY_OK; k++)
    status = check_force(d, k, q, error);
  return status;
}

// ------------------------------------------------------------------------------------------ independent coordinates

static void swap_columns(descent *d, int a, int c) {
  int nv = d->b->nv, column = d->column[a];
  d->column[a] = d->column[c];
  d->column[c] = column;
  for (int i = 0; i < d->b->ng; i++) {
    double *row = d->G + (size_t)i * (size_t)nv, value = row[a];
    row[a] = row[c];
    row[c] = value;
  }
}

// The largest entry left, in radians and model sizes, is the next pivot. False: rows depend on each other.
static bool next_pivot(descent *d, int k) {
  int nv = d->b->nv, row = -1, column = -1;
  double most = 0;
  for (int i = k; i < d->b->ng; i++)
    for (int j = k; j < nv; j++) {
      double here = fabs(d->G[(size_t)i * (size_t)nv + (size_t)j]) * d->b->system->scale[d->column[j]];
      if (here > most) {
        most = here;
        row = i;
        column = j;
      }
    }
  if (row < 0)
    return false;
  swap_columns(d, k, column);
  for (int j = 0; j < nv && row != k; j++) {
    double *a = &d->G[(size_t)k * (size_t)nv + (size_t)j], *c = &d->G[(size_t)row * (size_t)nv + (size_t)j], value = *a;
    *a = *c;
    *c = value;
  }
  return true;
}

// G becomes [1 G_u^-1 G_v] by Gauss and Jordan; then Z = [-G_u^-1 G_v; 1].
static bool partition(descent *d) {
  const fly_csc *G = &d->b->e.G;
  int nv = d->b->nv, ng = d->b->ng;
  memset(d->G, 0, (size_t)ng * (size_t)nv * sizeof *d->G);
  for (int j = 0; j < nv; j++) {
    d->column[j] = j;
    for (int k = G->start[j]; k < G->start[j + 1]; k++)
      d->G[(size_t)G->row[k] * (size_t)nv + (size_t)j] = G->val[k];
  }
  for (int k = 0; k < ng; k++) {
    if (!next_pivot(d, k))
      return false;
    double *pivot = d->G + (size_t)k * (size_t)nv, by = pivot[k];
    for (int j = k; j < nv; j++)
      pivot[j] /= by;
    for (int i = 0; i < ng; i++) {
      double *row = d->G + (size_t)i * (size_t)nv, m = row[k];
      for (int j = k; i != k && m != 0 && j < nv; j++)
        row[j] -= m * pivot[j];
    }
  }
  memset(d->Z, 0, (size_t)nv * (size_t)d->nf * sizeof *d->Z);
  for (int j = 0; j < d->nf; j++) {
    double *z = d->Z + (size_t)j * (size_t)nv;
    z[d->column[ng + j]] = 1;
    for (int k = 0; k < ng; k++)
      z[d->column[k]] = -d->G[(size_t)k * (size_t)nv + (size_t)(ng + j)];
  }
  return true;
}

// ------------------------------------------------------------------------------------------ the model of the energy

// Z, then H = Z^T K Z and its eigenvectors in the metric of radians and model sizes.
static fly_status expand(descent *d, fly_error *error) {
  fly_balance *b = d->b;
  fly_dae_state at = fly_balance_state(b, &b->now);
  size_t nv = (size_t)b->nv, nf = (size_t)d->nf;
  if (fly_eval_jacobian(&b->e, &at) || !partition(d))
    return fly_fail(error, FLY_SINGULAR, b->t,
                    "Independent coordinates cannot be found: constraints depend on each other.");
  memset(d->KZ, 0, nv * nf * sizeof *d->KZ);
  const fly_csc *K = &b->e.J[2];
  for (size_t j = 0; j < nf; j++)
    for (int c = 0; c < b->nv; c++)
      for (int k = K->start[c]; k < K->start[c + 1]; k++)
        if (K->row[k] < b->nv)
          d->KZ[nv * j + (size_t)K->row[k]] += K->val[k] * d->Z[nv * j + (size_t)c];
  fly_dense_multiply(d->N, 'T', 'N', d->nf, d->nf, b->nv, 1.0, d->Z, d->KZ, 0.0);
  for (size_t i = 0; i < nf; i++)
    for (size_t j = 0; j < nf; j++)
      d->H[nf * j + i] = (d->N[nf * j + i] + d->N[nf * i + j]) / 2;
  for (size_t j = 0; j < nf; j++)
    for (size_t i = 0; i < nv; i++)
      d->KZ[nv * j + i] = d->Z[nv * j + i] / (b->system->scale[i] * b->system->scale[i]);
  fly_dense_multiply(d->N, 'T', 'N', d->nf, d->nf, b->nv, 1.0, d->Z, d->KZ, 0.0);
  fly_status status = fly_dense_eigen_symmetric(d->mu, d->H, d->N, d->nf, error);
  fly_balance_mass(b, b->Ma, b->now.z);
  for (size_t j = 0; j < nf && status == FLY_OK; j++) {
    d->gradient[j] = 0;
    for (size_t i = 0; i < nf; i++) {
      const double *z = d->Z + nv * i;
      d->gradient[j] -= d->H[nf * j + i] * fly_balance_dot(z, b->Ma, b->nv);
    }
  }
  return status;
}

static double step_length(descent *d, double sigma, double tiny) {
  double sum = 0;
  for (int j = 0; j < d->nf; j++) {
    double k = d->mu[j] + sigma;
    d->c[j] = k > tiny ? -d->gradient[j] / k : 0;
    sum += d->c[j] * d->c[j];
  }
  return sqrt(sum);
}

// The least of gradient.c + c.mu c / 2 over |c| <= radius (More and Sorensen 1983, in the eigenvectors): sigma of
// (mu + sigma) c = -gradient.
static double minimize(descent *d, double radius) {
  double most = fmax(fabs(d->mu[0]), fabs(d->mu[d->nf - 1])), tiny = 1e-13 * most, size = 0, flat = 0;
  for (int j = 0; j < d->nf; j++) {
    size = fmax(size, fabs(d->gradient[j]));
    if (d->mu[j] <= d->mu[0] + tiny)
      flat = fmax(flat, fabs(d->gradient[j]));
  }
  double low = fmax(0.0, -d->mu[0]), high = low + size * sqrt(d->nf) / radius + tiny;
  if (d->mu[0] > tiny && step_length(d, 0.0, tiny) <= radius)
    return 0;
  bool saddle = d->mu[0] < -tiny, hard = flat <= 1e-12 * size || size == 0;
  if (hard && step_length(d, low, tiny) <= radius) {
    double room = radius * radius;
    for (int j = 0; j < d->nf; j++)
      room -= d->c[j] * d->c[j];
    if (saddle) // along the negative curvature as far as is trusted
      d->c[0] = sqrt(fmax(0.0, room));
    return low;
  }
  for (int k = 0; k < 200 && high - low > 1e-14 * high; k++) {
    double middle = k < 60 && low > 0 ? sqrt(low * high) : (low + high) / 2;
    *(step_length(d, middle, 0.0) > radius ? &low : &high) = middle;
  }
  step_length(d, high, 0.0);
  return high;
}

static void step_of(descent *d) {
  fly_balance *b = d->b;
  size_t nv = (size_t)b->nv, nf = (size_t)d->nf;
  d->predicted = 0;
  memset(b->p, 0, (size_t)b->n * sizeof *b->p);
  for (size_t j = 0; j < nf; j++)
    d->predicted -= d->c[j] * (d->gradient[j] + d->mu[j] * d->c[j] / 2);
  for (size_t i = 0; i < nf; i++) {
    double v = 0;
    for (size_t j = 0; j < nf; j++)
      v += d->H[nf * j + i] * d->c[j];
    for (size_t k = 0; k < nv; k++)
      b->p[k] += v * d->Z[nv * i + k];
  }
}

// ------------------------------------------------------------------------------------------ the energy

static double stored(const descent *d, const double *q) {
  fly_energy e;
  fly_system_energy(d->b->system, d->b->t, q, d->b->rest, &e);
  return e.gravity + e.springs;
}

// Work of the applied forces from now to next, straight: Gauss-Legendre with four points.
static double applied_work(descent *d) {
  static const double node[] = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813, 0.93056815579702629};
  static const double weight[] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307, 0.17392742256872693};
  fly_balance *b = d->b;
  double work = 0;
  fly_eval_minus(&b->e, d->x, b->next.q, b->now.q);
  for (int k = 0; k < b->model->napplied; k++)
    for (int m = 0; m < 4; m++) {
      force_beside(d, k, b->now.q, node[m], 0.0, d->x, d->Q);
      work += weight[m] * fly_balance_dot(d->Q, d->x, b->nv);
    }
  return work;
}

// ------------------------------------------------------------------------------------------ the descent

// Tries the step; true: taken. *ratio: of what the energy fell to what was predicted.
static bool try_step(descent *d, double *ratio) {
  fly_balance *b = d->b;
  fly_eval_plus(&b->e, b->next.q, b->now.q, b->p);
  memcpy(b->next.z, b->now.z, (size_t)b->n * sizeof *b->next.z);
  *ratio = -1;
  if (!fly_balance_project(b, b->next.q) || !fly_balance_at(b, &b->next))
    return false;
  double before = stored(d, b->now.q), after = stored(d, b->next.q), work = applied_work(d);
  double rounding = 1e-14 * (fabs(before) + fabs(after) + fabs(d->applied));
  *ratio = (before - after + work) / d->predicted;
  if (d->predicted <= 1e3 * rounding) // too little to be seen: the forces tell
    *ratio = b->next.size < b->now.size ? 1 : -1;
  if (!(*ratio > 0.1))
    return false;
  d->applied -= work;
  fly_balance_accept(b, b->p);
  return true;
}

static fly_status descend(descent *d, fly_error *error) {
  fly_balance *b = d->b;
  double radius = 0.5, ratio, length, angle;
  bool fresh = false;
  for (int k = 0; k < MOST_STEPS; k++) {
    fly_status status = fresh ? FLY_OK : expand(d, error);
    if (status)
      return status;
    fresh = true;
    bool minimum = d->mu[0] >= -1e-9 * fmax(fabs(d->mu[0]), fabs(d->mu[d->nf - 1]));
    if (minimum && fly_balance_residual(b, &b->now) <= BALANCED)
      return FLY_OK;
    double sigma = minimize(d, radius);
    step_of(d);
    double step = fly_balance_weighted(b, b->p), turn = fly_balance_turn(b, b->p);
    if (turn > MOST_TURN) {
      radius *= 0.9 * MOST_TURN / turn;
      continue;
    }
    b->out->iterations++;
    if (try_step(d, &ratio)) {
      fresh = false;
      if (minimum && sigma == 0 && step <= 1e-11)
        return FLY_OK;
      if (fly_balance_far(b, &length, &angle))
        return fly_statics_tell_far(b, error);
      radius = ratio > 0.7 && sigma > 0 ? 2.5 * radius : radius;
    } else {
      if (minimum && step < 1e-6 && fly_balance_residual(b, &b->now) <= 1e-9)
        return FLY_OK;
      radius = fmin(radius, sqrt(fly_balance_dot(d->c, d->c, d->nf))) / 4;
      if (radius < 1e-14)
        break;
    }
  }
  return fly_fail(
      error, FLY_NO_CONVERGENCE, b->t,
      "The potential energy falls no further, but forces are not in balance (%.2e of them is left). Try --by "
      "newton.",
      fly_balance_residual(b, &b->now));
}

static void take(descent *d) {
  size_t nv = (size_t)d->b->nv, nf = (size_t)d->nf, ng = (size_t)d->b->ng;
  fly_arena *a = &d->memory;
  d->G = fly_arena_doubles(a, ng * nv);
  d->column = fly_arena_ints(a, nv);
  d->Z = fly_arena_doubles(a, nv * nf);
  d->KZ = fly_arena_doubles(a, nv * nf);
  d->H = fly_arena_doubles(a, nf * nf);
  d->N = fly_arena_doubles(a, nf * nf);
  d->mu = fly_arena_doubles(a, nf);
  d->gradient = fly_arena_doubles(a, nf);
  d->c = fly_arena_doubles(a, nf);
  d->Q = fly_arena_doubles(a, nv);
  d->x = fly_arena_doubles(a, nv);
  d->y = fly_arena_doubles(a, nv);
  d->side = fly_arena_doubles(a, (size_t)d->b->e.p.nq);
}

// A force that happens to look conservative where the model starts is found out beside it.
static fly_status check_beside(descent *d, fly_error *error) {
  fly_balance *b = d->b;
  unsigned state = 7;
  fly_status status = check_forces(d, b->now.q, error);
  tangent(d, d->x, &state);
  for (int i = 0; i < b->nv; i++)
    b->delta[i] = 0.1 * d->x[i];
  fly_eval_plus(&b->e, b->next.q, b->now.q, b->delta);
  return status ? status : check_forces(d, b->next.q, error);
}

fly_status fly_statics_energy(fly_balance *b, fly_error *error) {
  descent d = {.b = b, .nf = b->nv - b->ng};
  if (b->nx > 0)
    return fly_fail(
        error, FLY_BAD_INPUT, b->t,
        "The model has states, whose rates no potential energy knows of. Use --by newton or --by settling.");
  if (d.nf == 0)
    return FLY_OK;
  if (d.nf > MOST_FREEDOMS)
    return fly_fail(
        error, FLY_BAD_INPUT, b->t,
        "The energy of %d independent coordinates is too much for its dense matrices (%d at most). Use --by "
        "newton, which is sparse.",
        d.nf, MOST_FREEDOMS);
  take(&d);
  fly_status status = d.memory.failed ? fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the energy.") : FLY_OK;
  if (status == FLY_OK)
    status = expand(&d, error);
  if (status == FLY_OK)
    status = check_beside(&d, error);
  if (status == FLY_OK)
    status = descend(&d, error);
  if (status == FLY_OK)
    status = check_forces(&d, b->now.q, error);
  if (status == FLY_OK && is_damped(b->model))
    fly_balance_note(b, "Dampers, and what else depends on velocities, do nothing at rest: they are left out.");
  fly_arena_free(&d.memory);
  return status;
}
