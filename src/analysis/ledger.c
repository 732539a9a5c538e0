// Kinetic and potential energy, and the works between accepted steps.
#include "analysis/ledger.h"

#include <math.h>
#include <string.h>

// Integral of the polynomial of degree 4 through p at 0, 1/4, 1/2, 3/4, 1 from 0 to s, by its differences; for s = 1
// Boole's rule.
static double integral(const double p[FLY_BOOK_POINTS], double s) {
  double d[FLY_BOOK_POINTS], u = 4 * s, u2 = u * u, u3 = u2 * u, u4 = u3 * u;
  memcpy(d, p, sizeof d);
  for (int order = 1; order < FLY_BOOK_POINTS; order++)
    for (int k = FLY_BOOK_POINTS - 1; k >= order; k--)
      d[k] -= d[k - 1];
  return 0.25 * (u * d[0] + u2 / 2 * d[1] + (u3 / 6 - u2 / 4) * d[2] + (u4 / 24 - u3 / 6 + u2 / 6) * d[3] +
                 (u4 * u / 120 - u4 / 16 + 11 * u3 / 72 - u2 / 8) * d[4]);
}

// Of a step whose halves have their own points.
static double integral_of(const fly_book *b, const double *p, double s) {
  if (b->halves < 2)
    return integral(p, s);
  const double first = integral(p, fmin(2 * s, 1));
  return 0.5 * (s > 0.5 ? first + integral(p + FLY_BOOK_POINTS - 1, 2 * s - 1) : first);
}

static int last_point(const fly_book *b) { return b->halves * (FLY_BOOK_POINTS - 1); }

// Returns the work of dampers with what springs beside them hold; of the ledger is only what is lost.
static double set_work(fly_ledger *l, const fly_book *b, double s, double lent) {
  double p[FLY_WORKS][FLY_BOOK_HALVES * (FLY_BOOK_POINTS - 1) + 1] = {0};
  if (!b->has_power) { // nothing was ever added
    l->damping = b->before[2] - (lent - b->start_lent);
    return b->before[2];
  }
  for (int k = 0; k <= last_point(b); k++) {
    p[0][k] = b->power[k].forces;
    p[1][k] = b->power[k].motions;
    p[2][k] = b->power[k].damping;
    p[3][k] = b->power[k].contacts;
  }
  l->forces = b->before[0] + b->h * integral_of(b, p[0], s);
  l->motions = b->before[1] + b->h * integral_of(b, p[1], s);
  const double dampers = b->before[2] + b->h * integral_of(b, p[2], s);
  l->damping = dampers - (lent - b->start_lent);
  l->contact_heat = b->before[3] + b->h * integral_of(b, p[3], s);
  return dampers;
}

static double set_energy(fly_ledger *l, fly_system *s, const fly_dae_state *at) {
  fly_energy e;
  fly_system_energy(s, at->t, at->q, at->v, &e);
  l->kinetic = e.kinetic;
  l->gravity = e.gravity;
  l->springs = e.springs;
  l->contacts = e.contacts;
  return e.lent;
}

static void balance(fly_ledger *l) {
  double change = (l->kinetic - l->start_kinetic) + (l->gravity - l->start_gravity) + (l->springs - l->start_springs);
  l->imbalance = change - (l->forces + l->motions - l->damping + l->events);
}

// Kinetic energy is all in motion; of potential energy only its changes mean something.
static double largest_entry(const fly_ledger *l) {
  double list[] = {
      l->kinetic, l->gravity - l->start_gravity, l->springs - l->start_springs, l->forces, l->motions, l->damping,
      l->events};
  double most = 0;
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    most = fmax(most, fabs(list[k]));
  return most;
}

void fly_book_open(fly_book *b, fly_system *s, const fly_dae_state *start, bool fine) {
  *b = (fly_book){.has_power = fly_system_has_power(s), .fine = fine, .halves = 1, .t = start->t};
  b->start_lent = b->lent = set_energy(&b->ledger, s, start);
  b->ledger.start_kinetic = b->ledger.moved = b->ledger.kinetic;
  b->ledger.start_gravity = b->ledger.gravity;
  b->ledger.start_springs = b->ledger.springs;
  b->ledger.start_contacts = b->ledger.contacts;
  if (b->has_power)
    fly_system_power(s, start, &b->begin);
}

static double between(double a, double m, double c, double s) { // of the parabola through a, m, c at 0, 1/2, 1
  return a + s * (-3 * a + 4 * m - c + s * (2 * a - 4 * m + 2 * c));
}

// Three points are enough for the small steps of a method of second order: a parabola gives the others.
static void fill_powers(fly_power *p) {
  for (int k = 1; k < FLY_BOOK_POINTS - 1; k += 2) {
    double s = 0.25 * k;
    p[k] = (fly_power){.forces = between(p[0].forces, p[2].forces, p[4].forces, s),
                       .motions = between(p[0].motions, p[2].motions, p[4].motions, s),
                       .damping = between(p[0].damping, p[2].damping, p[4].damping, s),
                       .contacts = between(p[0].contacts, p[2].contacts, p[4].contacts, s)};
  }
}

// What the integral over the whole step takes of point k.
static double weight_of(const fly_book *b, int k) {
  static const double boole[FLY_BOOK_POINTS] = {7.0 / 90, 32.0 / 90, 12.0 / 90, 32.0 / 90, 7.0 / 90};
  const int intervals = FLY_BOOK_POINTS - 1, inside = k % intervals;
  if (!b->fine) // Simpson's rule
    return inside == 0 ? 1.0 / 6 : 4.0 / 6;
  const bool between_halves = inside == 0 && k > 0 && k < last_point(b);
  return (between_halves ? 2 : 1) * boole[inside] / b->halves;
}

static fly_status set_powers(fly_book *b, fly_system *s, double before, const fly_dae_state *now, fly_inside_fn *inside,
                             void *motion, fly_error *error) {
  const int last = last_point(b);
  b->power[0] = b->begin;
  fly_system_add_heat(s, b->h * weight_of(b, 0));
  for (int k = b->fine ? 1 : 2; k <= last; k += b->fine ? 1 : 2) {
    fly_dae_state at = *now;
    fly_status status = FLY_OK;
    if (k < last || before < now->t)
      status = inside(motion, k < last ? b->t + b->h * k / last : before, &at, error);
    if (status)
      return status;
    fly_system_power(s, &at, &b->power[k]);
    fly_system_add_heat(s, b->h * weight_of(b, k));
  }
  if (before < now->t)
    fly_system_power(s, now, &b->begin);
  else
    b->begin = b->power[last];
  if (!b->fine)
    fill_powers(b->power);
  return FLY_OK;
}

// At a corner of a motion velocities jump. Joints that stand still do no work then, nor does a finite force: what the
// kinetic energy changes by is work of the motions (E-blow).
static fly_status add_blow(fly_book *b, fly_system *s, double before, const fly_dae_state *now, fly_inside_fn *inside,
                           void *motion, fly_error *error) {
  fly_dae_state at;
  fly_energy energy;
  b->blow = 0;
  if (!(before < now->t) || s->model->nmotion == 0)
    return FLY_OK;
  fly_status status = inside(motion, before, &at, error);
  if (status)
    return status;
  fly_system_energy(s, at.t, at.q, at.v, &energy);
  b->blow = b->ledger.kinetic - energy.kinetic;
  b->ledger.motions += b->blow;
  return FLY_OK;
}

fly_status fly_book_step(fly_book *b, fly_system *s, double h, double before, const fly_dae_state *now,
                         fly_inside_fn *inside, void *motion, fly_error *error) {
  fly_ledger *l = &b->ledger;
  memcpy(b->before, (double[]){l->forces, l->motions, b->dampers, l->contact_heat}, sizeof b->before);
  b->h = h;
  b->t = now->t - h;
  fly_status status = b->has_power ? set_powers(b, s, before, now, inside, motion, error) : FLY_OK;
  if (status)
    return status;
  b->lent = set_energy(l, s, now);
  b->dampers = set_work(l, b, 1.0, b->lent);
  status = add_blow(b, s, before, now, inside, motion, error);
  balance(l);
  l->worst = fmax(l->worst, fabs(l->imbalance));
  l->moved = fmax(l->moved, largest_entry(l));
  return status;
}

void fly_book_event(fly_book *b, fly_system *s, const fly_dae_state *now) {
  fly_ledger *l = &b->ledger;
  const double before = l->kinetic + l->gravity + l->springs;
  const double lent = set_energy(l, s, now);
  b->start_lent += lent - b->lent; // a joint that is let go of gives nothing to its damper
  b->lent = lent;
  l->events += l->kinetic + l->gravity + l->springs - before;
  if (b->has_power)
    fly_system_power(s, now, &b->begin);
}

fly_ledger fly_book_at(const fly_book *b, fly_system *s, const fly_dae_state *at) {
  fly_ledger l = b->ledger;
  const double lent = set_energy(&l, s, at);
  set_work(&l, b, b->h > 0 ? fmin(fmax((at->t - b->t) / b->h, 0.0), 1.0) : 0.0, lent);
  l.motions += at->t >= b->t + b->h ? b->blow : 0.0;
  balance(&l);
  return l;
}
