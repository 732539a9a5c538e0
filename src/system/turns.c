// Turns of angles, counted at accepted points; docs/theory/elements.md, Turns.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "system/parts.h"

static const double SURE = 2.0;  // [rad]: mistaken by no more than this, a turn is known; half a turn would be needed
static const double LONGER = 10; // than the last step: that says little of this one
enum { MOST_PARTS = 1024 };      // of a step, in which turns are looked for

// Less than half a turn is its own remainder.
static double nearest_turn(double angle, double reference) {
  const double apart = angle - reference;
  return reference + (fabs(apart) < 3 ? apart : remainder(apart, FLY_TAU));
}

// Where the last two accepted points lead: theta + h theta' + h^2 theta''/2, theta'' from their rates. Behind a step of
// no length to speak of, as events leave them, that is rounding: its share is no more than may be mistaken.
static double ahead(const fly_system *s, const fly_turn *turn, double t) {
  double h = t - s->accepted, last = s->accepted - s->before;
  double bent = last > 0 ? h * h / 2 * (turn->rate - turn->from_rate) / last : 0.0;
  if (h > LONGER * last)
    bent = fmax(-SURE, fmin(SURE, bent));
  return turn->angle + h * turn->rate + bent;
}

// Between them: the cubic through both angles with both rates.
static double between(const fly_system *s, const fly_turn *turn, double t) {
  double h = s->accepted - s->before, r = (t - s->before) / h, passed = turn->angle - turn->from;
  return turn->from + r * (h * turn->from_rate + r * (3 * passed - h * (2 * turn->from_rate + turn->rate) +
                                                      r * (h * (turn->from_rate + turn->rate) - 2 * passed)));
}

double fly_count_turns(const fly_system *s, const fly_turn *turn, double t, double angle) {
  bool inside = t < s->accepted && t > s->before;
  return nearest_turn(angle, inside ? between(s, turn, t) : ahead(s, turn, t));
}

static fly_turn *turn_of(const fly_system *s, const fly_angle *a) {
  fly_turn *const list[] = {[FLY_ANGLE_OF_TERM] = s->turn,
                            [FLY_ANGLE_OF_FORCE] = s->force_turn,
                            [FLY_ANGLE_OF_MEASURE] = s->measure_turn,
                            [FLY_ANGLE_OF_JOINT] = s->joint_turn};
  return list[a->kind] + a->which;
}

// Goes on by h to an angle without its turns. While a rate only grows or only falls, the mean of both ends errs by no
// more than half its change times h. False: that is too much to tell the turn.
static bool advance(fly_turn *turn, double h, double angle, double rate) {
  double mean = turn->angle + h * (turn->rate + rate) / 2;
  bool sure = fabs(h * (rate - turn->rate)) / 2 < SURE;
  *turn = (fly_turn){nearest_turn(angle, mean), rate, turn->angle, turn->rate};
  return sure;
}

// Euler angles turn without bounds near their singular positions; what is not felt may be uncertain there.
static bool may_be_singular(const fly_angle *a) { return a->kind == FLY_ANGLE_OF_MEASURE && !a->felt; }

// One part of a step for all angles. False: some cannot be told.
static bool walk_part(fly_system *s, double h) {
  bool sure = true;
  for (int k = 0; k < s->nangle; k++) {
    double angle, rate;
    fly_system_angle_now(s, &s->angle[k], &angle, &rate);
    if (!advance(&s->walked[k], h, angle, rate) && !may_be_singular(&s->angle[k])) {
      s->lost = k;
      sure = false;
    }
  }
  return sure;
}

static void begin_walk(fly_system *s, bool from_last) {
  for (int k = 0; k < s->nangle; k++) {
    const fly_turn *turn = turn_of(s, &s->angle[k]);
    s->walked[k] = from_last ? *turn : (fly_turn){.angle = turn->from, .rate = turn->from_rate};
  }
}

// From the last accepted point to `at` in equal parts; walked has the ends then. False: their turns cannot be told.
static bool walk(fly_system *s, const fly_dae_state *at, int parts, fly_inside_fn *inside, void *motion) {
  double h = (at->t - s->accepted) / parts;
  bool sure = true;
  begin_walk(s, true);
  for (int k = 1; k <= parts && sure; k++) {
    fly_dae_state here = *at;
    sure = k == parts || inside(motion, s->accepted + k * h, &here, NULL) == FLY_OK;
    if (!sure)
      break;
    fly_system_update(s, here.q, here.v);
    sure = walk_part(s, h);
  }
  return sure;
}

// Do the ends tell the turns? Where a rate changes much they do if it changes as in the step before.
static bool ends_tell(fly_system *s, double t) {
  double h = t - s->accepted;
  bool sure = true;
  begin_walk(s, true);
  for (int k = 0; k < s->nangle && h > 0; k++) {
    double angle, rate;
    const fly_turn *turn = turn_of(s, &s->angle[k]);
    fly_system_angle_now(s, &s->angle[k], &angle, &rate);
    bool told = advance(&s->walked[k], h, angle, rate);
    if (told || fabs(s->walked[k].angle - ahead(s, turn, t)) < SURE / 2)
      continue;
    s->lost = k;
    sure = false;
  }
  return sure;
}

// What a step relied on is what was counted.
static bool was_felt_so(fly_system *s, double t) {
  for (int k = 0; k < s->nangle; k++) {
    if (!s->angle[k].felt)
      continue;
    double counted = s->walked[k].angle, felt = fly_count_turns(s, turn_of(s, &s->angle[k]), t, counted);
    if (fabs(felt - counted) > FLY_TAU / 2) {
      s->lost = k;
      return false;
    }
  }
  return true;
}

static bool cubic_agrees(fly_system *s, double t) {
  for (int k = 0; k < s->nangle; k++) {
    double apart = fabs(between(s, turn_of(s, &s->angle[k]), t) - s->walked[k].angle);
    if (apart > SURE && !may_be_singular(&s->angle[k])) {
      s->lost = k;
      return false;
    }
  }
  return true;
}

// Between its ends a step is counted by a cubic; where it was walked in parts, does that lead to the same turns?
static bool inside_tells(fly_system *s, int parts, fly_inside_fn *inside, void *motion) {
  double h = (s->accepted - s->before) / parts;
  bool sure = true;
  begin_walk(s, false);
  for (int k = 1; k < parts && sure; k++) {
    fly_dae_state here;
    double t = s->before + k * h;
    sure = inside(motion, t, &here, NULL) == FLY_OK;
    if (!sure)
      break;
    fly_system_update(s, here.q, here.v);
    walk_part(s, h);
    sure = cubic_agrees(s, t);
  }
  return sure;
}

// At a start, or where something was put elsewhere without time: the nearest turn.
static void put(fly_system *s) {
  for (int k = 0; k < s->nangle; k++) {
    fly_turn *turn = turn_of(s, &s->angle[k]);
    double angle, rate;
    fly_system_angle_now(s, &s->angle[k], &angle, &rate);
    angle = nearest_turn(angle, turn->angle);
    *turn = (fly_turn){angle, rate, angle, rate};
  }
}

static void keep_walked(fly_system *s) {
  for (int k = 0; k < s->nangle; k++) {
    fly_turn *turn = turn_of(s, &s->angle[k]);
    *turn = (fly_turn){s->walked[k].angle, s->walked[k].rate, turn->angle, turn->rate};
  }
}

static void move_time(fly_system *s, double t) {
  for (int k = 0; k < s->model->nmotion; k++)
    fly_motion_accept(&s->motion[k], t);
  s->before = t > s->accepted ? s->accepted : t;
  s->accepted = t;
  s->value_known = s->value_known && s->nangle == 0; // turns are counted from elsewhere now
}

bool fly_system_accept_step(fly_system *s, const fly_dae_state *at, fly_inside_fn *inside, void *motion) {
  int parts = 1;
  bool sure = true;
  fly_system_update(s, at->q, at->v);
  if (at->t > s->accepted) {
    sure = ends_tell(s, at->t);
    while (!sure && inside && parts < MOST_PARTS)
      sure = walk(s, at, parts *= 2, inside, motion);
    fly_system_update(s, at->q, at->v);
    if (!sure)
      (void)ends_tell(s, at->t);
    sure = was_felt_so(s, at->t) && sure;
    keep_walked(s);
  } else {
    put(s);
  }
  move_time(s, at->t);
  sure = sure && (parts == 1 || inside_tells(s, parts, inside, motion));
  return sure;
}

static fly_status inside_taken(void *taken, double t, fly_dae_state *out, fly_error *error) {
  const fly_step_taken *step = taken;
  (void)error;
  *out = step->at(t, step->motion);
  return FLY_OK;
}

// Behind a change angles are where they were, but rates may not be. What was counted in the step before still is.
static void turn_anew(fly_system *s, double t) {
  const double before = s->before;
  for (int k = 0; k < s->nangle; k++) {
    double angle;
    fly_system_angle_now(s, &s->angle[k], &angle, &turn_of(s, &s->angle[k])->rate);
  }
  move_time(s, t);
  s->before = before;
}

static void begin_turns(fly_system *s, double t) {
  put(s);
  move_time(s, t);
}

bool fly_system_follow(fly_system *s, const fly_dae_state *at, const fly_step_taken *step) {
  s->turns_lost = false;
  if (!step || !(step->to > step->from)) {
    fly_system_update(s, at->q, at->v);
    (step ? turn_anew : begin_turns)(s, at->t);
    return true;
  }
  fly_step_taken taken = *step;
  s->turns_lost = !fly_system_accept_step(s, at, inside_taken, &taken);
  return !s->turns_lost;
}

bool fly_system_accept(fly_system *s, double t, const double *q, const double *v) {
  return fly_system_accept_step(s, &(fly_dae_state){.t = t, .q = q, .v = v}, NULL, NULL);
}

void fly_system_lost_turn(const fly_system *s, char *text, size_t size) {
  const fly_model *m = s->model;
  const fly_angle *a = &s->angle[s->lost];
  int item = -1;
  for (int k = 0; a->kind == FLY_ANGLE_OF_JOINT && k < m->spec->nitem; k++)
    item = m->joint_pair[k] == a->which ? k : item;
  item = a->kind == FLY_ANGLE_OF_TERM    ? m->row[m->term[a->which].row].item
         : a->kind == FLY_ANGLE_OF_FORCE ? m->force[a->which].item
                                         : item;
  if (a->kind == FLY_ANGLE_OF_MEASURE)
    snprintf(text, size, "%s(%s)", fly_measure_types[m->measure[a->which].kind].name,
             m->marker[m->measure[a->which].marker[0]].name);
  else
    snprintf(text, size, "`%s`", item >= 0 ? m->spec->item[item].name : "");
}

void fly_system_copy_history(fly_system *s, const fly_system *from) {
  const fly_model *m = s->model;
  memcpy(s->turn, from->turn, (size_t)(m->nterm + fly_model_listed(m) + m->nmeasure + m->npair) * sizeof *s->turn);
  s->before = from->before;
  s->accepted = from->accepted;
  for (int k = 0; k < m->nmotion; k++)
    s->motion[k] = from->motion[k];
  s->value_known = false;
  memcpy(s->z, from->z, (size_t)fly_system_numbers(s) * sizeof *s->z);
  if (m->nrow > 0) {
    memcpy(s->offset, from->offset, (size_t)m->nrow * sizeof *s->offset);
    memcpy(s->lit, from->lit, (size_t)m->nrow * sizeof *s->lit);
  }
  fly_system_copy_grips(s, from);
  if (m->nslot > 0)
    fly_system_copy_slots(s, from);
  fly_system_copy_recall(s, from);
  fly_past_copy(s, from);
}
