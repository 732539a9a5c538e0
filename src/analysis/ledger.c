#include "analysis/ledger.h"

#include <math.h>
#include <string.h>

// Integral of the parabola through p0, p1, p2 at 0, 1/2, 1 from 0 to s; for s = 1 Simpson's rule.
static double integral(double p0, double p1, double p2, double s) {
  return s * (p0 + s * ((-3 * p0 + 4 * p1 - p2) / 2 + s * (2 * p0 - 4 * p1 + 2 * p2) / 3));
}

static void set_work(fly_ledger *l, const fly_book *b, double s) {
  const fly_power *p = b->power;
  l->forces = b->before[0] + b->h * integral(p[0].forces, p[1].forces, p[2].forces, s);
  l->motions = b->before[1] + b->h * integral(p[0].motions, p[1].motions, p[2].motions, s);
  l->damping = b->before[2] + b->h * integral(p[0].damping, p[1].damping, p[2].damping, s);
}

static void set_energy(fly_ledger *l, fly_system *s, const fly_dae_state *at) {
  fly_energy e;
  fly_system_energy(s, at->t, at->q, at->v, &e);
  l->kinetic = e.kinetic;
  l->gravity = e.gravity;
  l->springs = e.springs;
}

static void balance(fly_ledger *l) {
  double change = (l->kinetic - l->start_kinetic) + (l->gravity - l->start_gravity) + (l->springs - l->start_springs);
  l->imbalance = change - (l->forces + l->motions - l->damping);
}

// Kinetic energy is all in motion; of potential energy only its changes mean something.
static double largest_entry(const fly_ledger *l) {
  double list[] = {l->kinetic, l->gravity - l->start_gravity, l->springs - l->start_springs, l->forces, l->motions,
                   l->damping};
  double most = 0;
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    most = fmax(most, fabs(list[k]));
  return most;
}

void fly_book_open(fly_book *b, fly_system *s, const fly_dae_state *start) {
  *b = (fly_book){.has_power = fly_system_has_power(s), .t = start->t};
  set_energy(&b->ledger, s, start);
  b->ledger.start_kinetic = b->ledger.moved = b->ledger.kinetic;
  b->ledger.start_gravity = b->ledger.gravity;
  b->ledger.start_springs = b->ledger.springs;
  if (b->has_power)
    fly_system_power(s, start, &b->power[2]);
}

// A step begins where the last one ended, with what an event there left.
static fly_status set_powers(fly_book *b, fly_system *s, fly_solver *solver, const fly_dae_state *now,
                             fly_error *error) {
  fly_dae_state middle;
  fly_status status = fly_solver_interpolate(solver, b->t + b->h / 2, &middle, error);
  if (status)
    return status;
  b->power[0] = b->power[2];
  fly_system_power(s, &middle, &b->power[1]);
  fly_system_power(s, now, &b->power[2]);
  return FLY_OK;
}

fly_status fly_book_step(fly_book *b, fly_system *s, fly_solver *solver, fly_error *error) {
  fly_dae_state now = fly_solver_state(solver);
  fly_ledger *l = &b->ledger;
  memcpy(b->before, (double[]){l->forces, l->motions, l->damping}, sizeof b->before);
  b->h = fly_solver_last_step(solver);
  b->t = now.t - b->h;
  fly_status status = b->has_power ? set_powers(b, s, solver, &now, error) : FLY_OK;
  if (status)
    return status;
  set_energy(l, s, &now);
  set_work(l, b, 1.0);
  balance(l);
  l->worst = fmax(l->worst, fabs(l->imbalance));
  l->moved = fmax(l->moved, largest_entry(l));
  return FLY_OK;
}

fly_ledger fly_book_at(const fly_book *b, fly_system *s, const fly_dae_state *at) {
  fly_ledger l = b->ledger;
  set_energy(&l, s, at);
  set_work(&l, b, b->h > 0 ? fmin(fmax((at->t - b->t) / b->h, 0.0), 1.0) : 0.0);
  balance(&l);
  return l;
}
