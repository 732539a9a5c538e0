// What steps cost, counted: so that methods can be compared without a clock, to the same bits every time (AU-work). And
// the fastest rate of the equations, for which explicit formulas pay (AU-rate).
#include <math.h>
#include <string.h>

#include "dae/choice.h"
#include "dae/range.h"

// Of an evaluation, in units of a product with an entry of factors: for every entry of M and G, every row, and every
// operation of an expression.
static const double ENTRY_WORK = 3.0, ROW_WORK = 12.0, CALL_WORK = 150.0, OPERATION_WORK = 2.5;
static const double JACOBIAN_WORK = 4.0; // evaluations
static const double ACCEPTED_WORK = 8.0; // likewise: prediction, certificate, events and what a step is remembered by
static const double ADAMS_WORK = 3.5;    // likewise, of a step by Adams' formulas: differences, kinematics, constraints
static const double JOINT_WORK = -2.5;   // the same joint after joint: less than what others do in an accepted step
static const double LEAP_WORK = 125.0;   // of an operation that is followed along a step, in intervals
static const double WIDTH = 1e-6;        // of a difference, in units of the scales

double fly_evaluation_work(const fly_eval *e) {
  return ENTRY_WORK * (fly_csc_nnz(&e->M) + fly_csc_nnz(&e->G) + fly_csc_nnz(&e->B)) + ROW_WORK * e->ncol +
         OPERATION_WORK * e->p.evaluation_operations + CALL_WORK;
}

double fly_adams_work(const fly_eval *e, bool joints) {
  return (joints ? JOINT_WORK : ADAMS_WORK) * fly_evaluation_work(e);
}

static double accepted_work(const fly_eval *e) {
  return ACCEPTED_WORK * fly_evaluation_work(e) + LEAP_WORK * e->p.leap_operations;
}

static double shared_work(const fly_solver *s) {
  const double calls = (double)s->e.residuals + JACOBIAN_WORK * (double)s->e.jacobians;
  return calls * fly_evaluation_work(&s->e) + (double)s->stats.steps * accepted_work(&s->e) +
         fly_lu_count(s->kkt.lu).work;
}

// So many evaluations, and solutions with two matrices of about the size of that of the accelerations.
static double step_with(const fly_solver *s, double calls) {
  return accepted_work(&s->e) + calls * (fly_evaluation_work(&s->e) + 2.0 * (double)fly_lu_entries(s->kkt.lu));
}

double fly_plain_step_work(const fly_solver *s) { return step_with(s, 3); }

// Three stages, four iterations, new factors more often than not: measured on ten examples, 28 to 48 and 140 to 550.
double fly_implicit_step_work(const fly_solver *s) {
  return fly_stages_work(s) * (35 * fly_evaluation_work(&s->e) + 400 * (double)fly_lu_entries(s->kkt.lu)) +
         LEAP_WORK * s->e.p.leap_operations;
}

double fly_explicit_step_work(const fly_solver *s) {
  const bool joints = fly_range_needless(&s->e);
  return (joints ? accepted_work(&s->e) + 2 * fly_evaluation_work(&s->e) : step_with(s, 2)) +
         fly_adams_work(&s->e, joints);
}

double fly_work(const fly_solver *s) { return shared_work(s) + s->family->work(s); }

double fly_work_of_all(const fly_solver *s) {
  if (!s->choice)
    return s->family->work ? fly_work(s) : 0.0;
  double sum = shared_work(s);
  for (int k = 0; k < FLY_MEMBERS; k++) {
    fly_solver view = fly_choice_view(s, k);
    sum += s->choice->member[k].shaped ? view.family->work(&view) : 0.0;
  }
  return sum;
}

// ------------------------------------------------------------------------------------------ rates

static double scale_of(const double *scales, int i) { return scales ? scales[i] : 1.0; }

// Positions and states count with the rate L, velocities as they are: then a vibration of any frequency grows by that
// frequency from one direction to the next, whatever L is (AU-norm).
static double norm(const fly_solver *s, const double *w, double L) {
  const fly_dae_problem *p = &s->e.p;
  double largest = 0;
  for (int i = 0; i < p->nv; i++)
    largest = fmax(largest, fmax(L * fabs(w[i]), fabs(w[p->nv + i])) / scale_of(p->scale_v, i));
  for (int i = 0; i < p->nx; i++)
    largest = fmax(largest, L * fabs(w[2 * p->nv + i]) / scale_of(p->scale_x, i));
  return largest;
}

static void first_direction(const fly_solver *s, double *w) {
  const fly_dae_problem *p = &s->e.p;
  uint32_t random = 1;
  for (int i = 0; i < p->nv; i++) {
    w[i] = 0;
    w[p->nv + i] = fly_next_random(&random) * scale_of(p->scale_v, i);
  }
  for (int i = 0; i < p->nx; i++)
    w[2 * p->nv + i] = fly_next_random(&random) * scale_of(p->scale_x, i);
}

static void gather(const fly_solver *s, double *z) {
  const fly_eval *e = &s->e;
  memcpy(z, s->now.vdot, (size_t)e->p.nv * sizeof *z);
  memcpy(z + e->p.nv, s->now.lambda, (size_t)e->nl * sizeof *z);
  memcpy(z + e->p.nv + e->nl, s->now.xdot, (size_t)e->p.nx * sizeof *z);
  memcpy(z + e->p.nv + e->nl + e->p.nx, s->now.y, (size_t)e->p.ny * sizeof *z);
}

// next = J w, by a difference of the accelerations in the direction w of the size d: (v, v', x') of it.
static bool apply(fly_solver *s, double *next, const double *w, double d, const double *here) {
  const fly_dae_problem *p = &s->e.p;
  const int nv = p->nv, first = nv + s->e.nl;
  double *z = s->side_u[1];
  for (int i = 0; i < nv; i++) {
    s->work[i] = d * w[i];
    s->side.v[i] = s->now.v[i] + d * w[nv + i];
  }
  fly_eval_plus(&s->e, s->side.q, s->now.q, s->work);
  for (int i = 0; i < p->nx; i++)
    s->side.x[i] = s->now.x[i] + d * w[2 * nv + i];
  if (fly_find_nearby(s, s->now.t, s->side.q, s->side.v, s->side.x, here, z) != FLY_SOLVED)
    return false;
  for (int i = 0; i < nv; i++) {
    next[i] = w[nv + i];
    next[nv + i] = (z[i] - here[i]) / d;
  }
  for (int i = 0; i < p->nx; i++)
    next[2 * nv + i] = (z[first + i] - here[first + i]) / d;
  return true;
}

// (AU-rate), from the direction that was the fastest last time.
double fly_fastest_rate(fly_solver *s, int iterations) {
  fly_choice *c = s->choice;
  double *here = s->side_u[0], rate = c->rate > 0 ? c->rate : 1 / (s->t_end - s->t0), seen = 0;
  if (c->rate == 0)
    first_direction(s, c->probe[0]);
  gather(s, here);
  if (fly_find_accelerations(s, s->now.t, s->now.q, s->now.v, s->now.x, here) != FLY_SOLVED)
    return c->rate;
  for (int k = 0; k < iterations; k++) {
    double *w = c->probe[0], *next = c->probe[1];
    const double size = norm(s, w, rate);
    if (!(size > 0) || !isfinite(size) || !apply(s, next, w, WIDTH * rate / size, here))
      return c->rate;
    const double grown = norm(s, next, rate) / size;
    seen = k == 0 ? grown : sqrt(seen * grown);
    rate = fmax(grown, 1e-3 * rate);
    c->probe[0] = next;
    c->probe[1] = w;
    const double unit = norm(s, next, rate);
    for (int i = 0; i < 2 * s->e.p.nv + s->e.p.nx && unit > 0; i++)
      next[i] /= unit;
  }
  c->rate = fmax(seen, 1e-300);
  return c->rate;
}
