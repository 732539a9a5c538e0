// Forces that act only where a gap closes, as contact does. A gap that is open at both ends of a step may have been
// closed between them: it is followed from its own speed, so that it cannot close unseen (docs/theory/contact.md,
// T-time). What such forces remember is brought up to date at accepted points.
#include <math.h>
#include <string.h>

#include "system/parts.h"

static const double SURE = 1.25;                 // times the fastest that was seen: how fast a gap may close
static const double TOUCH = 1e-9;                // of the thickness: closed
static const double CREEP = 1e-5;                // of the step: the shortest way ahead
enum { LOOKS = 2000, HALVINGS = 40, SLOW = 64 }; // SLOW: parts of a step, while a gap is closed that does not matter

// ------------------------------------------------------------------------------------------ memory

static size_t count_gaps(const fly_model *m) {
  size_t count = 0;
  for (int k = 0; k < m->nforce; k++)
    count += m->force[k].type->near ? (size_t)m->force[k].type->relations(m->force[k].k) / 2 : 0;
  return count;
}

void fly_system_take_recall(fly_system *s) {
  const fly_model *m = s->model;
  s->recall_start = fly_arena_ints(&s->memory, (size_t)m->nforce + 1);
  for (int k = 0; s->recall_start && k < m->nforce; k++) {
    const fly_force_type *type = m->force[k].type;
    s->recall_start[k + 1] = s->recall_start[k] + (type->memory ? type->memory(m->force[k].k) : 0);
  }
  s->recall = fly_arena_doubles(&s->held, s->recall_start ? (size_t)s->recall_start[m->nforce] : 0);
  s->gap_ends = fly_arena_take(&s->work, 3 * count_gaps(m), sizeof *s->gap_ends);
}

void fly_system_remember_one(fly_system *s, double t, int k, bool start) {
  const fly_model_force *f = &s->forces[k];
  if (f->type->remember)
    f->type->remember(s->recall + s->recall_start[k], fly_system_force_at(s, t, k), f->k, start);
}

void fly_system_remember(fly_system *s, const fly_dae_state *at, bool start) {
  const fly_model *m = s->model;
  if (s->recall_start[m->nforce] == 0)
    return;
  fly_system_update(s, at->q, at->v);
  for (int n = 0; n < s->nlive; n++)
    fly_system_remember_one(s, at->t, s->live[n], start);
}

void fly_system_copy_recall(fly_system *s, const fly_system *from) {
  const int forces = s->model->nforce < from->model->nforce ? s->model->nforce : from->model->nforce; // slots differ
  const size_t n = (size_t)s->recall_start[forces];
  if (n > 0)
    memcpy(s->recall, from->recall, n * sizeof *s->recall);
}

// ------------------------------------------------------------------------------------------ one gap in a step

bool fly_system_has_gaps(const fly_system *s) {
  for (int k = 0; k < s->model->nforce; k++)
    if (s->model->force[k].type->near)
      return true;
  return false;
}

typedef struct chase {
  fly_system *s;
  const fly_step_taken *step;
  int force, gap;
  double speed;   // how fast the gap can close at most,
  double steeper; // and how fast that speed can grow [m/s^2]
} chase;

static fly_force_near near_at(const chase *c, double t) {
  const fly_dae_state at = c->step->at(t, c->step->motion);
  const fly_model_force *f = &c->s->forces[c->force];
  fly_system_update(c->s, at.q, at.v);
  return f->type->near(c->gap, fly_system_force_at(c->s, t, c->force), f->k);
}

static double fastest(const fly_force_near *n) { return sqrt(fly_dot3(n->u, n->u)) + n->spin * n->reach; }

static double difference(const fly_force_near *a, const fly_force_near *b) {
  const double d[3] = {b->u[0] - a->u[0], b->u[1] - a->u[1], b->u[2] - a->u[2]};
  return sqrt(fly_dot3(d, d));
}

// The distance of convex solids that are only shifted bends upwards, so that its rate falls no faster than the velocity
// changes; a turn adds the centripetal acceleration of what reaches farthest.
static void set_bounds(chase *c, const fly_force_near end[3]) {
  const double half = (c->step->to - c->step->from) / 2;
  double spin = 0;
  c->speed = 0;
  for (int k = 0; k < 3; k++) {
    c->speed = fmax(c->speed, SURE * fastest(&end[k]));
    spin = fmax(spin, end[k].spin);
  }
  const double change = fmax(difference(&end[0], &end[1]), difference(&end[1], &end[2]));
  c->steeper = 2 * (change / half + spin * (c->speed + spin * end[0].reach));
}

// How long a gap surely stays open: by its speed, or by its rate and how fast that can fall. In something hollow the
// rate is that of one wall, and another may be ahead.
static double open_for(const chase *c, const fly_force_near *n) {
  const double gap = fmax(n->gap, 0), by_speed = c->speed > 0 ? gap / c->speed : (double)INFINITY;
  const double root = sqrt(n->rate * n->rate + 2 * c->steeper * gap);
  const double by_rate = n->rate < 0      ? 2 * gap / (root - n->rate)
                         : c->steeper > 0 ? (n->rate + root) / c->steeper
                                          : (double)INFINITY;
  return n->hollow ? by_speed : fmax(by_speed, by_rate);
}

// A step that ends inside: the longest of the halves of what is left at whose end the gap is closed; 0: none.
static double inside_of(const chase *c, double t) {
  double length = c->step->to - t;
  for (int k = 0; k < HALVINGS; k++, length /= 2)
    if (near_at(c, t + length).gap < 0)
      return length;
  return 0;
}

// Of one velocity along an axis of space: less than this does not matter. For the impulse there is to each.
static double small_speed(const chase *c, int body, double smallest) {
  const fly_model *m = c->s->model;
  const int places = body == FLY_GROUND ? 0 : fly_body_places(&m->body[body]);
  for (int i = 0; i < places; i++) {
    const int row = m->body[body].iv + i;
    smallest = fmin(smallest, c->step->impulse[row] / c->s->M.val[fly_csc_find(&c->s->M, row, row)]);
  }
  return smallest;
}

// A blow turns the rate of a gap around at most. One so slow that this does not matter may be left out.
static bool matters(const chase *c, double rate) {
  const fly_model_force *f = &c->s->forces[c->force];
  double speed = INFINITY;
  for (int k = 0; k < f->count; k++)
    speed = small_speed(c, c->s->model->marker[f->marker[k]].body, speed);
  return !(2 * fabs(rate) < speed);
}

static bool is_closed(const fly_force_near *n) { return n->gap <= TOUCH * n->thickness; }

// Where an open gap closes first; n: as it is where the step begins.
static void follow(chase *c, fly_force_near n, fly_leap *leap) {
  const double whole = c->step->to - c->step->from, least = CREEP * whole;
  double t = c->step->from;
  bool slow = false; // the gap is closed, but that does not matter
  for (int k = 0; k < LOOKS; k++) {
    t += slow ? whole / SLOW : fmax(open_for(c, &n), least);
    if (t >= c->step->to)
      return;
    n = near_at(c, t);
    slow = is_closed(&n) && (slow || !matters(c, n.rate));
    if (slow || !is_closed(&n))
      continue;
    const double before = fmax(t - least, c->step->from), length = inside_of(c, before);
    if (length > 0) {
      *leap = (fly_leap){.from = before, .length = length / 2, .found = true, .unsure = leap->unsure};
      return;
    }
  }
  leap->unsure = true;
}

// end: the gap where the step begins, in its middle and where it ends.
static void chase_one(fly_system *s, const fly_step_taken *step, int force, int gap, const fly_force_near end[3],
                      fly_leap *first) {
  chase c = {.s = s, .step = step, .force = force, .gap = gap};
  if ((is_closed(&end[0]) && end[0].rate <= 0) || end[2].gap <= 0) // it acts, and the ends tell of it
    return;
  set_bounds(&c, end);
  fly_leap its = {0};
  follow(&c, end[0], &its);
  first->unsure = first->unsure || its.unsure;
  if (its.found && (!first->found || its.from < first->from))
    *first = (fly_leap){.from = its.from, .length = its.length, .found = true, .unsure = first->unsure};
}

// ------------------------------------------------------------------------------------------ all of them

static int gaps_of(const fly_system *s, int force) {
  const bool acts = s->forces[force].type->near && fly_system_is_on(s, s->forces[force].item);
  return acts ? s->forces[force].type->relations(s->forces[force].k) / 2 : 0; // of a slot, of who is in it
}

// All gaps at one time: the bodies are moved there once for all of them.
static void look_at_all(fly_system *s, const fly_step_taken *step, int which) {
  const double t = which == 2 ? step->to : step->from + which * (step->to - step->from) / 2;
  const fly_dae_state at = step->at(t, step->motion);
  fly_force_near *to = s->gap_ends + which;
  fly_system_update(s, at.q, at.v);
  for (int n = 0; n < s->nlive; n++) {
    const int k = s->live[n], gaps = gaps_of(s, k);
    for (int gap = 0; gap < gaps; gap++, to += 3)
      *to = s->forces[k].type->near(gap, fly_system_force_at(s, t, k), s->forces[k].k);
  }
}

void fly_system_gap_leap(fly_system *s, const fly_step_taken *step, fly_leap *first) {
  const fly_force_near *end = s->gap_ends;
  for (int which = 0; which < 3; which++)
    look_at_all(s, step, which);
  for (int n = 0; n < s->nlive; n++)
    for (int gap = 0, gaps = gaps_of(s, s->live[n]); gap < gaps; gap++, end += 3)
      chase_one(s, step, s->live[n], gap, end, first);
}
