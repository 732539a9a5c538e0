// Steps that leap over what a force does on the way: a contact that begins and ends inside them, a bump between two
// points of a road. A problem that knows its forces is asked after every step; what it finds cuts the step before that
// place, and the next ones are short enough to meet it (docs/theory/control.md, C-leaps).
#include <math.h>

#include "dae/solver.h"

static const double SHORTEST = 1e-6; // of the step that leapt: the error test does the rest
static const double GROWTH = 2.0;    // of the longest step, after each that leaps over nothing
static const double OFF = 4.0; // the cubic that values and slopes at the ends tell, over a stiff state's polynomial
static const int MOST = 20;    // times one step is taken back

void fly_leaps_take(fly_solver *s) {
  if (!s->e.p.leap)
    return;
  s->leaps.impulse = fly_arena_doubles(&s->memory, (size_t)s->e.p.nv);
  s->leaps.change = fly_arena_doubles(&s->memory, (size_t)s->e.p.nx);
  s->leaps.back = fly_arena_doubles(&s->memory, (size_t)s->e.p.nx);
}

void fly_leaps_begin(fly_solver *s) {
  s->leaps.longest = INFINITY;
  s->leaps.undone = 0;
  for (int i = 0; s->e.p.leap && i < s->e.p.nx; i++)
    s->leaps.back[i] = 0;
}

void fly_leaps_note_states(fly_solver *s) {
  const fly_csc *J0 = &s->e.J[0], *J1 = &s->e.J[1];
  const int first = s->e.p.nv + s->e.nl;
  for (int i = 0; s->e.p.leap && i < s->e.p.nx; i++) {
    s->leaps.back[i] = 0;
    for (int k = J0->start[first + i]; k < J0->start[first + i + 1]; k++)
      if (J0->row[k] == s->e.p.nv + i && J0->val[k] != 0)
        s->leaps.back[i] = fabs(J1->val[k] / J0->val[k]);
  }
}

// An impulse p at a mass m is an error p/m of the velocity, and p T/m of the position at the end of a run of T. A
// state that goes back by itself at the rate L is moved by a rate r not by h r, but by r/L: between the ends of a long
// step its own rate is L times what its polynomial is off by, and nothing has been leapt over. Where errors of steps
// fade away and steps are controlled to more than was asked for, what is leapt over is not among them.
static void set_impulses(fly_solver *s, double h) {
  const fly_dae_problem *p = &s->e.p;
  const double time = s->o.error_per == FLY_PER_RUN ? s->t_end - s->t0 : h;
  const double error = fmin(s->o.error, fly_error_asked(s));
  fly_row_sizes(&s->e.M, s->leaps.impulse);
  for (int i = 0; i < p->nv; i++)
    s->leaps.impulse[i] *= error * (p->scale_v ? p->scale_v[i] : 1.0) / time;
  for (int i = 0; i < p->nx; i++)
    s->leaps.change[i] = error * (p->scale_x ? p->scale_x[i] : 1.0) * (1 + OFF * h * s->leaps.back[i]);
}

// Where a relation changes sides at an end of the step, forces as they come are on either side of it there.
static void ask(fly_solver *s, fly_leap *leap) {
  double from = s->last.t, to = s->now.t;
  fly_relations_inside(s, &from, &to);
  const fly_step_taken step = {.from = from,
                               .to = to,
                               .impulse = s->leaps.impulse,
                               .at = fly_glance_state,
                               .motion = s,
                               .change = s->leaps.change};
  set_impulses(s, step.to - step.from);
  *leap = (fly_leap){0};
  s->e.p.leap(leap, &step, s->e.p.user);
}

static void cut(fly_solver *s, const fly_leap *leap) {
  const double h = s->now.t - s->last.t;
  s->leaps.undone = leap->from <= s->last.t ? s->leaps.undone + 1 : 0;
  if (!leap->corner)
    s->leaps.longest = fmax(leap->length, SHORTEST * h);
  s->stats.leaps++;
  fly_dense_at(s, fmax(leap->from, s->last.t), &s->dense);
  fly_step_cut(s, fmax(leap->from, s->last.t));
  s->done = false;
  fly_cross_announce(s, FLY_EFFECT_JUMP);
}

void fly_leaps_check(fly_solver *s) {
  if (!s->e.p.leap || s->o.step > 0 || !(s->now.t > s->last.t))
    return;
  s->leaps.longest *= GROWTH;
  fly_leap leap;
  ask(s, &leap);
  if (leap.found && leap.corner && fly_dense_shorten(s, leap.from)) {
    ask(s, &leap);
    s->stats.leaps += !leap.found; // it ends right behind the corner
  }
  if (leap.found && s->leaps.undone < MOST) {
    cut(s, &leap);
    return;
  }
  s->stats.unsure += leap.unsure || leap.found;
  s->leaps.undone = 0;
}
