// Events of the model: roots of their conditions, the times they are due, and what they set. An event is announced at
// the end of a step, where the right sides of all that it sets are evaluated; it takes place before the next one.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "expr/expr.h"
#include "system/parts.h"

static const double TOGETHER = 64.0; // times closer together than this, in their roundings, are one

enum { PILE = 20 };                    // times in a row that each come sooner than the one before,
static const double PILE_SHARE = 1e-6; // and at last after this share of the time since they began

enum { CHATTER = 100 };                   // times in a row between which no time passes, as of a relay that
static const double CHATTER_SHARE = 1e-9; // slides: this share of it

static const double MOST = 1e100; // what an event sets is no larger: squares of it are taken

static double rounding(double t) { return TOGETHER * DBL_EPSILON * fabs(t); }

// ------------------------------------------------------------------------------------------ when

// The first time of an event behind t; INFINITY: none.
static double next_time(const fly_model_event *e, double t) {
  if (e->every == 0)
    return e->first > t ? e->first : (double)INFINITY;
  if (t < e->first)
    return e->first;
  if (e->every < 2 * rounding(t)) // no time that can be told lies between two of them
    return t + rounding(t);
  double k = fmax(0.0, floor((t - e->first) / e->every) - 1);
  while (!(e->first + k * e->every > t))
    k++;
  return e->first + k * e->every;
}

// What breaks at one time, or closer than can be told, is one break, the most severe of all. A number that is set
// there is so at its own time, from which on it comes again.
static void join(fly_break *next, bool *found, const fly_break *also) {
  const bool together = *found && also->before <= next->after + rounding(next->after) &&
                        next->before <= also->after + rounding(also->after);
  if (together)
    *next = (fly_break){fmin(next->before, also->before), fmax(next->after, also->after),
                        next->kind > also->kind ? next->kind : also->kind};
  else if (!*found || also->before < next->before)
    *next = *also;
  *found = true;
}

static void join_events(fly_system *s, fly_break *next, bool *found, double t, double end) {
  for (int k = s->model->nroot; k < s->model->nevent; k++) {
    const double time = next_time(&s->model->event[k], t);
    if (!(time < end))
      continue;
    join(next, found, &(fly_break){time, time, FLY_BREAK_JUMP});
    if (time >= next->before && time <= next->after)
      s->past_time = time;
  }
}

bool fly_problem_next_break(fly_break *next, double t, double end, void *user) {
  fly_system *s = user;
  fly_break late;
  bool found = s->ntimed > 0 && fly_system_next_break(next, t, end, s);
  if (!fly_past_next_break(s, &late, t, end))
    late.before = INFINITY;
  if (!(late.before < end) || (found && next->before < late.before))
    s->past_order = 2; // of what breaks softly in time
  if (late.before < end)
    join(next, &found, &late);
  s->past_time = found ? next->before + (next->after - next->before) / 2 : (double)INFINITY;
  join_events(s, next, &found, t, end);
  s->past_due = found ? *next : (fly_break){INFINITY, INFINITY, FLY_BREAK_SOFT};
  return found;
}

static double *value_of(const fly_system *s, int action) { return s->z + fly_system_first_action(s) + 2 * action; }

static bool is_due(const fly_system *s, int action) { return value_of(s, action)[1] != 0; }

// What finds out how friction goes on does so once it is announced. A blow that takes place in the same instant undoes
// it, and sets it off again.
static bool is_under_way(const fly_system *s, const fly_model_event *e) {
  return e->from_start && is_due(s, e->action);
}

int fly_problem_roots(double *roots, const fly_dae_state *at, void *user) {
  fly_system *s = user;
  fly_system_felt(s, at);
  for (int k = 0; k < s->model->nroot; k++) {
    const fly_model_event *e = &s->model->event[k];
    roots[k] = is_under_way(s, e) ? -1.0 : fly_expr_margin(s->model->expression[e->when], s->input);
  }
  return 0;
}

// All it does is to set numbers to what they are, as where a coordinate rests on the edge of the condition that stopped
// it, and rounding moves it to and fro.
static bool changes_nothing(const fly_system *s, const fly_model_event *e) {
  for (int k = e->action; k < e->action + e->naction; k++) {
    const fly_model_action *a = &s->model->action[k];
    double value;
    if (a->kind != FLY_SET_HELD || !fly_expr_is_constant(s->model->expression[a->expression], &value) ||
        value != fly_system_held(s, a->which))
      return false;
  }
  return e->naction > 0 && !e->stop;
}

fly_event_action fly_problem_event(int root, int rising, double t, double *q, double *v, double *x, void *user) {
  fly_system *s = user;
  const fly_model_event *e = &s->model->event[root];
  (void)t, (void)q, (void)v, (void)x;
  if (rising < 0 || changes_nothing(s, e))
    return FLY_EVENT_CONTINUE;
  s->fired[root] = true;
  return e->stop ? FLY_EVENT_STOP : FLY_EVENT_RESTART; // a step that ends there is told of it at its exact time
}

// Those that hold at the start, of what begins there.
static void fire_at_start(fly_system *s, const fly_dae_state *at) {
  const fly_model *m = s->model;
  fly_system_felt(s, at);
  for (int k = 0; k < m->nroot; k++)
    s->fired[k] =
        s->fired[k] || (m->event[k].from_start && fly_expr_margin(m->expression[m->event[k].when], s->input) > 0);
}

// Those whose time lies in the step that was taken, or is the start: a rounding late if something jumps there.
static void fire_at_times(fly_system *s, const fly_dae_state *at, const fly_step_taken *step) {
  const fly_model *m = s->model;
  const double from = step ? step->from + rounding(step->from) : at->t - rounding(fmax(1.0, fabs(at->t)));
  for (int k = m->nroot; k < m->nevent; k++)
    s->fired[k] = s->fired[k] || next_time(&m->event[k], from) <= at->t + rounding(at->t);
}

// ------------------------------------------------------------------------------------------ what

static double present(const fly_system *s, const fly_model_action *a, const fly_dae_state *at) {
  return a->kind == FLY_SET_HELD    ? fly_system_held(s, a->which)
         : a->kind == FLY_SET_STATE ? at->x[a->which]
                                    : at->v[a->which];
}

static bool moves_rows(const fly_system *s, int held) {
  const fly_model *m = s->model;
  for (int k = 0; m->held[held].part && k < m->nrow; k++)
    if (m->row[k].held == held || m->switch_of_item[m->row[k].item] == held ||
        (m->row[k].along >= 0 && m->switch_of_item[m->row[k].along] == held))
      return true;
  return false;
}

static fly_effect announce(fly_system *s, const fly_model_event *e, const fly_dae_state *at) {
  fly_effect effect = FLY_EFFECT_NOTHING;
  for (int k = e->action; k < e->action + e->naction; k++) {
    const fly_model_action *a = &s->model->action[k];
    double *value = value_of(s, k);
    value[0] = fly_expr_value(s->model->expression[a->expression], s->input);
    value[1] = 1;
    if (!(fabs(value[0]) <= MOST) && s->burst < 0)
      s->burst = k;
    const fly_effect its = value[0] == present(s, a, at)                         ? FLY_EFFECT_NOTHING
                           : a->kind == FLY_SET_HELD && !moves_rows(s, a->which) ? FLY_EFFECT_JUMP
                                                                                 : FLY_EFFECT_IMPULSE;
    effect = its > effect ? its : effect;
  }
  return effect;
}

// A ball that bounces infinitely often in a finite time: intervals shrink, and are nothing beside the time it has
// taken.
static bool piles_up(fly_system *s, int event, double t) {
  fly_pile *p = &s->pile[event];
  const double interval = t - s->happened_last[event];
  const bool sooner = s->happened[event] > 1 && interval < p->interval;
  p->count = sooner ? p->count + 1 : 0;
  p->begin = sooner ? p->begin : s->happened[event] > 0 ? s->happened_last[event] : t;
  p->interval = s->happened[event] > 0 ? interval : (double)INFINITY;
  p->quick = s->happened[event] > 0 && interval <= CHATTER_SHARE * fabs(t) ? p->quick + 1 : 0;
  return p->quick >= CHATTER || (p->count >= PILE && interval < PILE_SHARE * (t - p->begin));
}

static void note(fly_system *s, int event, double t) {
  if (s->model->event[event].when >= 0 && piles_up(s, event, t))
    s->piled = event;
  s->happened[event]++;
  s->happened_last[event] = t;
}

fly_status fly_system_tell_pile(const fly_system *s, double t, fly_error *error) {
  const fly_item *item = &s->model->spec->item[s->model->event[s->piled].item];
  const char *part = s->model->event[s->piled].part;
  if (part && (strcmp(part, "meets") == 0 || strcmp(part, "overruns") == 0 || strcmp(part, "leaves") == 0))
    return fly_fail_at(
        error, FLY_NO_PROGRESS, t, item->place, item->name,
        "`%s` meets its limit and leaves it %ld times by t = %.9g s, without time between: what presses it there and "
        "what pulls it off change with one another. Try a limit with a `stiffness`.",
        item->name, s->happened[s->piled], s->happened_last[s->piled]);
  if (part)
    return fly_fail_at(
        error, FLY_NO_PROGRESS, t, item->place, item->name,
        "the friction of `%s` finds no way to go on: it sticks and breaks away %ld times by t = %.9g s, without "
        "time between. Where friction is large (Painleve's paradox), or several of them hold one another, the "
        "equations of bodies that are rigid have no solution, or many. Try a smaller mu, a bushing in place of a "
        "joint, or the law `regularized`.",
        item->name, s->happened[s->piled], s->happened_last[s->piled]);
  return fly_fail_at(
      error, FLY_NO_PROGRESS, t, item->place, item->name,
      "the event `%s` happens ever more often: %ld times by t = %.9g s, the last time after %.2g s. What it does "
      "comes to an end here in infinitely many of them, or slides along its condition. Let another event end it, one "
      "that holds what is to rest or stops the run, or leave a gap between two conditions (hysteresis).",
      item->name, s->happened[s->piled], s->happened_last[s->piled], s->pile[s->piled].interval);
}

static const fly_model_event *event_of(const fly_model *m, int action) {
  const fly_model_event *e = m->event;
  while (action >= e->action + e->naction)
    e++;
  return e;
}

static const char *set_by(const fly_model *m, int action) {
  const fly_model_action *a = &m->action[action];
  return a->kind == FLY_SET_HELD    ? m->spec->item[m->held[a->which].item].name
         : a->kind == FLY_SET_STATE ? m->spec->item[m->state[a->which].item].name
                                    : "a velocity";
}

fly_status fly_system_tell_burst(const fly_system *s, double t, fly_error *error) {
  const fly_model_event *e = event_of(s->model, s->burst);
  const fly_item *item = &s->model->spec->item[e->item];
  const long times = s->happened[e - s->model->event];
  return fly_fail_at(error, FLY_NOT_FINITE, t, item->place, item->name,
                     "the event `%s` sets `%s` to %.3g at t = %.9g s, the %ld. time it happens. %s", item->name,
                     set_by(s->model, s->burst), value_of(s, s->burst)[0], s->happened_last[e - s->model->event], times,
                     e->every > 0
                         ? "Numbers that grow from sample to sample: this loop is unstable. Check signs and gains, or "
                           "sample more often."
                         : "Nothing can be computed with that: check what it divides by.");
}

static bool any_fired(const fly_system *s) {
  bool any = false;
  for (int k = 0; k < s->model->nevent; k++)
    any = any || s->fired[k];
  return any;
}

static void begin_counts(fly_system *s) {
  memset(s->happened, 0, (size_t)s->model->nevent * sizeof *s->happened);
  memset(s->pile, 0, (size_t)s->model->nevent * sizeof *s->pile);
  s->piled = s->burst = -1;
}

// Where nothing changes, nothing takes place, and what was announced must not take place with a later event.
static void forget_all(const fly_system *s) {
  for (int k = 0; k < s->model->naction; k++)
    value_of(s, k)[1] = 0;
}

fly_effect fly_problem_accepted(const fly_dae_state *at, const fly_step_taken *step, void *user) {
  fly_system *s = user;
  const fly_model *m = s->model;
  fly_effect effect = FLY_EFFECT_NOTHING;
  s->plugin_fault = -1;
  if (!fly_system_follow(s, at, step))
    return FLY_EFFECT_REFUSED;
  fly_system_turn_slides(s, at);
  fly_system_remember(s, at, !step);
  if (m->ndelay > 0 && !step)
    fly_past_begin(s, at);
  if (m->ndelay > 0 && step && !fly_past_keep(s, at, step))
    return FLY_EFFECT_REFUSED;
  if (!step && m->nevent > 0)
    begin_counts(s);
  if (!step || step->to > step->from) {
    fire_at_times(s, at, step);
    effect = fly_system_search(s, at, step);
  }
  if (!step)
    fire_at_start(s, at);
  if (!any_fired(s))
    return effect;
  fly_system_felt(s, at);
  for (int k = 0; k < m->nevent; k++) {
    if (!s->fired[k])
      continue;
    s->fired[k] = false;
    const fly_effect its = announce(s, &m->event[k], at);
    effect = its > effect ? its : effect;
    note(s, k, at->t);
  }
  if (effect <= FLY_EFFECT_SMOOTH)
    forget_all(s);
  return s->piled >= 0 || s->burst >= 0 ? FLY_EFFECT_REFUSED : effect;
}

// Behind a blow, or rows that come or go, nobody knows yet what sticks and which way the rest slides: that begins anew.
static bool is_blow(const fly_system *s, const fly_model_action *a) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nfriction; k++) {
    const fly_model_friction *f = &m->friction[k];
    if (a->kind == FLY_SET_HELD &&
        (a->which == f->stuck || (a->which >= f->direction && a->which < f->direction + f->n)))
      return false;
  }
  return a->kind == FLY_SET_VELOCITY || (a->kind == FLY_SET_HELD && moves_rows(s, a->which));
}

static void begin_frictions(fly_system *s) {
  for (int k = 0; k < s->model->nfriction; k++) {
    const fly_model_friction *f = &s->model->friction[k];
    if (f->stuck < 0)
      continue;
    fly_system_set_held(s, f->stuck, 0);
    for (int i = 0; i < f->n; i++)
      fly_system_set_held(s, f->direction + i, 0);
  }
}

fly_crossed fly_problem_cross(fly_dae_problem *problem, double t, double *q, double *v, double *x, void *user) {
  fly_system *s = user;
  const long switched = s->switched;
  bool blow = false;
  fly_system_note_slides(s);
  for (int k = 0; k < s->model->naction; k++) {
    const fly_model_action *a = &s->model->action[k];
    double *value = value_of(s, k);
    if (!is_due(s, k))
      continue;
    value[1] = 0;
    blow = blow || is_blow(s, a);
    s->past_blow = s->past_blow || is_blow(s, a) || a->kind == FLY_SET_STATE;
    if (a->kind == FLY_SET_HELD)
      fly_system_set_held(s, a->which, value[0]);
    else
      (a->kind == FLY_SET_STATE ? x : v)[a->which] = value[0];
  }
  if (blow)
    begin_frictions(s);
  if (!fly_system_switch(s, t, q, v))
    return FLY_CROSSED_REFUSED;
  const bool regroups = s->near_due;
  const int slots = s->model->nslot;
  if (!fly_system_regroup(s, t, q, v, x))
    return FLY_CROSSED_REFUSED;
  if (s->switched == switched && !regroups)
    return FLY_CROSSED;
  *problem = s->dae;
  return s->switched == switched && s->model->nslot == slots ? FLY_CROSSED_PATTERNS : FLY_CROSSED_ROWS;
}
