// Method auto: the families of a solver that take turns, and what happens when one hands over to another.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dae/choice.h"

static const struct {
  const char *name;
  fly_method_family kind;
} members[FLY_MEMBERS] = {[FLY_EXPLICIT] = {"partition", FLY_FAMILY_PARTITION},
                          [FLY_IMPLICIT] = {"radau", FLY_FAMILY_RADAU},
                          [FLY_PLAIN] = {"ch", FLY_FAMILY_NEWMARK}};

// ------------------------------------------------------------------------------------------ who is at work

static void put_away(fly_solver *s) {
  fly_member *m = &s->choice->member[s->choice->active];
  m->own = s->own;
  m->step = s->step;
}

static void put_to_work(fly_solver *s, int k) {
  const fly_member *m = &s->choice->member[k];
  s->choice->active = k;
  s->family = m->family;
  s->own = m->own;
  s->step = m->step;
}

static void turn_to(fly_solver *s, int k) {
  put_away(s);
  put_to_work(s, k);
}

// ------------------------------------------------------------------------------------------ creation

fly_status fly_choice_create(fly_solver *s, fly_error *error) {
  fly_choice *c = s->choice = calloc(1, sizeof *c);
  if (!c)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a solver.");
  fly_status status = FLY_OK;
  for (int k = 0; k < FLY_MEMBERS; k++)
    c->member[k].family = fly_family_of(members[k].kind);
  for (int k = 0; k < FLY_MEMBERS && status == FLY_OK; k++) {
    s->own = NULL;
    s->step = (fly_step_matrix){0};
    put_to_work(s, k);
    fly_step_matrix_size(&s->step, FLY_MATRIX_KKT, &s->e);
    status = s->family->create(s, error);
    c->member[k].shaped = !s->family->shape;
    put_away(s);
  }
  put_to_work(s, FLY_IMPLICIT); // whose unknowns are the most
  return status;
}

// Most runs never ask all three.
static fly_status shape(fly_solver *s, fly_error *error) {
  fly_member *m = &s->choice->member[s->choice->active];
  if (m->shaped)
    return FLY_OK;
  const fly_status status = s->family->shape(s, error);
  m->shaped = status == FLY_OK;
  if (status)
    s->family->unshape(s);
  return status;
}

static void take_point(fly_solver *s, fly_point *p) {
  const fly_eval *e = &s->e;
  double **const list[] = {&p->q, &p->v, &p->vdot, &p->lambda, &p->x, &p->xdot, &p->y};
  const int size[] = {e->p.nq, e->p.nv, e->p.nv, e->nl, e->p.nx, e->p.nx, e->p.ny};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    *list[k] = fly_arena_doubles(&s->memory, (size_t)size[k]);
}

void fly_choice_take(fly_solver *s) {
  for (int k = 0; k < FLY_PAST_POINTS; k++)
    take_point(s, &s->choice->past[k]);
  for (int k = 0; k < 2; k++)
    s->choice->probe[k] = fly_arena_doubles(&s->memory, 2 * (size_t)s->e.p.nv + (size_t)s->e.p.nx);
}

void fly_choice_free(fly_solver *s) {
  if (!s->choice)
    return;
  put_away(s);
  for (int k = 0; k < FLY_MEMBERS; k++) {
    put_to_work(s, k);
    if (s->own)
      s->family->free(s);
  }
  free(s->choice);
  s->choice = NULL;
}

// ------------------------------------------------------------------------------------------ stretches

static void begin_stretch(fly_solver *s, double from) {
  fly_choice *c = s->choice;
  const int at = c->nstretch < FLY_STRETCHES_MOST ? c->nstretch : FLY_STRETCHES_MOST - 1;
  c->stretch[at] = (fly_stretch){.family = members[c->active].kind,
                                 .method = NULL,
                                 .reason = c->reason,
                                 .from = from,
                                 .to = s->now.t,
                                 .measure = c->measure};
  c->nstretch++;
}

static fly_stretch *present(fly_choice *c) {
  return &c->stretch[(c->nstretch < FLY_STRETCHES_MOST ? c->nstretch : FLY_STRETCHES_MOST) - 1];
}

static void note_step(fly_solver *s) {
  fly_choice *c = s->choice;
  fly_stretch *now = present(c);
  const double counted = fly_work(s);
  now->to = s->now.t;
  now->steps++;
  now->work += counted - c->counted;
}

int fly_solver_stretches(const fly_solver *s, fly_stretch *list, int most) {
  if (!s || !s->choice)
    return 0;
  const fly_choice *c = s->choice;
  const int kept = c->nstretch < FLY_STRETCHES_MOST ? c->nstretch : FLY_STRETCHES_MOST;
  for (int k = 0; list && k < kept && k < most; k++) {
    list[k] = c->stretch[k == most - 1 ? kept - 1 : k];
    for (int i = 0; i < FLY_MEMBERS; i++)
      if (members[i].kind == list[k].family)
        list[k].method = members[i].name;
  }
  return c->nstretch;
}

void fly_stretch_reason(char *text, size_t size, const fly_stretch *stretch) {
  static const char *const words[] = {
      [FLY_REASON_START] = "nothing in the model is fast beside its motion",
      [FLY_REASON_RATES] = "stiff from the start: the fastest rate is %.2g in the time of the run",
      [FLY_REASON_STIFF] =
          "stiff: stability, not the error, limited the steps before; h times the fastest rate was %.2g",
      [FLY_REASON_ROUGH] = "rough: breaks and events made the formulas before begin anew %.0f times so far",
      [FLY_REASON_TINY] = "the steps before had become %.1e of the largest so far",
      [FLY_REASON_SMOOTH] = "explicit formulas are cheaper here, by a factor of about %.2g",
      [FLY_REASON_PLAIN] = "cheap steps of second order are enough here, cheaper by a factor of about %.2g",
      [FLY_REASON_DEARER] = "tried again: steps of second order cost %.2g times what they did",
      [FLY_REASON_NOT_BETTER] = "the method tried before took %.2g times the work",
      [FLY_REASON_FAILED] = "the method before failed at %.9g s",
      [FLY_REASON_DRIVEN] = "nothing is free: motions and constraints say all of it",
      [FLY_REASON_REST] = "at rest: nothing moves, and steps of second order are the cheapest there",
      [FLY_REASON_FAINT] =
          "round-off, not the motion, held the formulas before to low orders; h times the fastest rate was %.2g",
      [FLY_REASON_REFUSED] = "steps of the formulas before were rejected again and again: %.2g of all so far",
      [FLY_REASON_COSTLY] = "the formulas before had come to cost %.2g times what an implicit method had",
      [FLY_REASON_BESIDE] =
          "stiff: what limited the steps before is faster than the motion bends, by a factor of about %.2g"};
  if (!text || size == 0 || !stretch)
    return;
  snprintf(text, size, words[stretch->reason], stretch->measure);
}

// ------------------------------------------------------------------------------------------ changing

// Points of the last step, if it was made by a method whose motion between its ends is as good as at them.
static void keep_past(fly_solver *s) {
  fly_choice *c = s->choice;
  const double h = s->now.t - s->last.t;
  c->npast = 0;
  if (c->active != FLY_IMPLICIT || s->cut || s->jumped || !(h > 0) || s->stats.steps == 0 || s->h_last == 0)
    return;
  fly_point_copy(&c->past[0], &s->now, &s->e);
  for (int k = 1; k < FLY_PAST_POINTS; k++)
    fly_dense_at(s, s->now.t - h * k / (FLY_PAST_POINTS - 1), &c->past[k]);
  c->npast = FLY_PAST_POINTS;
}

// The point is consistent; what is known of the steps before belongs to another family.
static fly_status enter(fly_solver *s, fly_error *error) {
  fly_choice *c = s->choice;
  const bool first = !c->entered[c->active];
  s->h_last = s->estimate_last = 0;
  s->cut = s->jumped = false;
  s->tiny_steps = 0;
  const fly_status shaped = shape(s, error);
  if (shaped)
    return shaped;
  if (fly_eval_kinematics(&s->e, s->now.t, s->now.q))
    return fly_explain_callback(s, s->now.t, error);
  c->entered[c->active] = true;
  if (c->active == FLY_IMPLICIT)
    fly_stages_enter(s);
  const double given = s->o.step_initial;
  s->o.step_initial = c->step_expected; // the given one is that of the start
  const fly_status status = s->family->enter(s, first, error);
  s->o.step_initial = given;
  c->step_expected = 0;
  c->npast = 0;
  return status;
}

static fly_status change(fly_solver *s, fly_error *error) {
  fly_choice *c = s->choice;
  keep_past(s);
  turn_to(s, c->wanted);
  begin_stretch(s, s->now.t);
  s->stats.switches++;
  c->pace[c->active] = (fly_pace){0};
  const fly_status status = enter(s, error);
  c->counted = fly_work(s);
  return status;
}

static void forget(fly_choice *c) {
  c->npast = 0;
  c->nstretch = 0;
  c->rate = 0;
  for (int k = 0; k < FLY_MEMBERS; k++) {
    c->entered[k] = false;
    c->failed_at[k] = NAN;
    c->pace[k] = (fly_pace){0};
  }
}

// The first family is at work when the start calls for its own beginning.
fly_status fly_choice_begin(fly_solver *s, fly_error *error) {
  fly_choice *c = s->choice;
  if (!c->begun) {
    forget(c);
    fly_judge_start(s);
    turn_to(s, c->wanted);
    if (c->active == FLY_IMPLICIT)
      fly_stages_enter(s);
    c->stepped = c->active;
    c->begun = true;
    begin_stretch(s, s->t0); // a break there has moved the time to behind it, by less than anyone asked for
    if (fly_eval_kinematics(&s->e, s->now.t, s->now.q)) // rates were looked for elsewhere
      return fly_explain_callback(s, s->now.t, error);
  }
  const fly_status shaped = shape(s, error);
  if (shaped)
    return shaped;
  c->entered[c->active] = true;
  c->counted = fly_work(s);
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ a step

// What no other method would do better: the run was stopped, its events or callbacks failed, or the point was accepted.
static bool is_its_own(const fly_solver *s, fly_status status, long steps) {
  return s->stats.steps == steps && (status == FLY_STEP_TOO_SMALL || status == FLY_NO_CONVERGENCE ||
                                     status == FLY_SINGULAR || status == FLY_NO_PROGRESS || status == FLY_NOT_FINITE);
}

static void say_what_was_tried(const fly_solver *s, fly_error *error) {
  const fly_choice *c = s->choice;
  fly_error_append(error, " Method auto tried");
  for (int k = 0, said = 0; k < FLY_MEMBERS; k++)
    if (!isnan(c->failed_at[k]))
      fly_error_append(error, "%s %s (to t = %.9g s)", said++ ? "," : "", members[k].name, c->failed_at[k]);
  fly_error_append(error, ".");
}

// Those who looked into the last step still can.
static fly_status give_up(fly_solver *s, const fly_error *first, fly_status status, fly_error *error) {
  turn_to(s, s->choice->stepped);
  if (error) {
    *error = *first;
    say_what_was_tried(s, error);
  }
  return status;
}

fly_status fly_choice_step(fly_solver *s, fly_error *error) {
  fly_choice *c = s->choice;
  const long steps = s->stats.steps;
  c->counted = fly_work(s); // what came between two steps, as output, has no say
  fly_error first = {0};
  fly_status failed = FLY_OK;
  for (;;) {
    fly_error own = {0};
    fly_status status = c->wanted != c->active ? change(s, &own) : FLY_OK;
    if (status == FLY_OK)
      status = s->family->step(s, &own);
    if (!is_its_own(s, status, steps)) {
      if (s->stats.steps > steps) {
        c->stepped = c->active;
        note_step(s);
        fly_judge_step(s);
      }
      if (error && status)
        *error = own;
      return status;
    }
    if (failed == FLY_OK) {
      failed = status;
      first = own;
    }
    if (!fly_judge_failure(s))
      return give_up(s, &first, failed, error);
  }
}

// ------------------------------------------------------------------------------------------ other rows, saving

fly_status fly_choice_reshape(fly_solver *s, fly_error *error) {
  const int active = s->choice->active, carried = s->carry.count;
  fly_status status = s->family->reshape(s, error);
  s->carry.count = 0; // nothing of those at rest is carried
  for (int k = 0; k < FLY_MEMBERS && status == FLY_OK; k++)
    if (k != active) {
      fly_error own = {0};
      turn_to(s, k);
      s->choice->entered[k] = false;
      status = s->choice->member[k].shaped ? s->family->reshape(s, &own) : FLY_OK;
      if (status == FLY_SINGULAR) // they choose their coordinates anew as they enter
        status = FLY_OK;
      if (status && error)
        *error = own;
    }
  turn_to(s, active);
  s->carry.count = carried;
  return status;
}

void fly_choice_go_on(fly_solver *s, const fly_solver *old) {
  const fly_choice *from = old->choice;
  fly_choice *c = s->choice;
  if (!c)
    return;
  fly_choice kept = *from;
  memcpy(kept.member, c->member, sizeof kept.member);
  memcpy(kept.past, c->past, sizeof kept.past);
  memcpy(kept.probe, c->probe, sizeof kept.probe);
  const int active = c->active;
  *c = kept;
  c->active = active;
  c->npast = 0;
  for (int k = 0; k < FLY_MEMBERS; k++)
    c->entered[k] = false;
  turn_to(s, from->active);
}

fly_solver fly_choice_view(const fly_solver *s, int k) {
  const fly_member *m = &s->choice->member[k];
  fly_solver view = *s;
  if (k != s->choice->active) {
    view.family = m->family;
    view.own = m->own;
    view.step = m->step;
  }
  return view;
}

static fly_lu_counts count_of(const fly_solver *s, int k) {
  const fly_solver view = fly_choice_view(s, k);
  return view.family->count(&view); // cppcheck-suppress returnDanglingLifetime ; numbers, none of them an address
}

fly_lu_counts fly_choice_count(const fly_solver *s) {
  fly_lu_counts sum = {0};
  for (int k = 0; k < FLY_MEMBERS; k++) {
    if (!s->choice->member[k].shaped)
      continue;
    const fly_lu_counts n = k == s->choice->active ? s->family->count(s) : count_of(s, k);
    fly_lu_counts_add(&sum, n);
  }
  return sum;
}

// One that is not shaped is, or is no longer, as the other was.
static void image_shape(fly_solver *s, fly_image *m) {
  fly_member *member = &s->choice->member[s->choice->active];
  bool shaped = member->shaped;
  fly_image_bytes(m, &shaped, sizeof shaped);
  if (m->failure || shaped == member->shaped)
    return;
  if (shaped && shape(s, NULL))
    m->failure = FLY_IMAGE_NO_MEMORY;
  if (!shaped)
    s->family->unshape(s);
  member->shaped = shaped && !m->failure;
}

// All of them: one at rest may be asked again, and what each has counted is part of the statistics.
void fly_choice_image(fly_solver *s, fly_image *m) {
  fly_choice *c = s->choice;
  const int was = c->active;
  FLY_IMAGE_FROM(m, c, past, &s->memory);
  const int active = m->failure ? was : c->active;
  c->active = was;
  for (int k = 0; k < FLY_MEMBERS && !m->failure; k++) {
    turn_to(s, k);
    image_shape(s, m);
    s->family->image(s, m);
  }
  turn_to(s, active);
}
