// Events: when they happen, and what they set.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/expr.h"
#include "model/compile.h"

static void feel_all(fly_model *m, int expression) {
  int count;
  const int *input = fly_expr_inputs(m->expression[expression], &count);
  for (int k = 0; k < count; k++)
    fly_feel(m, input[k]);
}

static bool is_event(const fly_item *item) { return strcmp(item->type->section, "events") == 0; }

// ------------------------------------------------------------------------------------------ when

static fly_status check_times(const fly_item *item, fly_error *error) {
  const int given = fly_item_given(item, "when") + fly_item_given(item, "at") + fly_item_given(item, "every");
  if (given != 1)
    return fly_item_fail(item, error, "it takes one of `when`, `at` and `every`, and has %s.",
                         given == 0 ? "none" : "more than one");
  if (fly_item_given(item, "first") && !fly_item_given(item, "every"))
    return fly_item_fail(item, error, "`first` is that of many times: it needs `every`.");
  if (strcmp(fly_item_word(item, "stop", 0), "yes") == 0 && !fly_item_given(item, "when"))
    return fly_item_fail(item, error, "`stop` needs `when`; at a given time a run ends by `end` in `simulate`.");
  return FLY_OK;
}

static fly_status set_times(fly_model *m, fly_model_event *e, fly_error *error) {
  const fly_item *item = &m->spec->item[e->item];
  fly_status status = check_times(item, error);
  if (status)
    return status;
  e->when = -1;
  e->stop = strcmp(fly_item_word(item, "stop", 0), "yes") == 0;
  if (fly_item_given(item, "at"))
    e->first = fly_item_number(item, "at");
  if (fly_item_given(item, "every")) {
    e->first = fly_item_number(item, "first");
    e->every = fly_item_number(item, "every");
  }
  if (!fly_item_given(item, "when"))
    return FLY_OK;
  status = fly_compile_text(m, item, "when", 0, &e->when, error);
  if (status == FLY_OK && fly_expr_is_time_only(m->expression[e->when]))
    return fly_item_fail(item, error, "`when` depends on nothing but time: use `at` or `every`.");
  if (status == FLY_OK)
    feel_all(m, e->when);
  return status;
}

// ------------------------------------------------------------------------------------------ what

static fly_status set_signal(fly_model *m, const fly_item *item, const char *name, fly_model_action *a,
                             fly_error *error) {
  const fly_item *held = fly_spec_find(m->spec, "held", name), *state = fly_spec_find(m->spec, "states", name);
  const fly_item *switched = held || state ? NULL : fly_switched_item(m->spec, name);
  if (switched) {
    a->kind = FLY_SET_HELD;
    a->which = fly_switch_of(m, (int)(switched - m->spec->item));
    return FLY_OK;
  }
  if (!held && !state)
    return fly_item_fail(
        item, error,
        "`set`: there is no held number and no state `%s`. List it in `held`; elements are switched by `name.on`.",
        name);
  a->kind = held ? FLY_SET_HELD : FLY_SET_STATE;
  a->which = m->signal_of_item[(held ? held : state) - m->spec->item];
  return FLY_OK;
}

// "ball.vz": which of the velocities v.
static fly_status set_velocity(fly_model *m, const fly_item *item, const char *name, fly_model_action *a,
                               fly_error *error) {
  static const char *const components[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
  const char *dot = strrchr(name, '.');
  char body[200];
  snprintf(body, sizeof body, "%.*s", dot ? (int)(dot - name) : 0, name);
  const int k = fly_model_body(m, body);
  if (!dot || k < 0)
    return fly_item_fail(item, error, "`velocity`: `%s` is no velocity of a body, as body.vx or body.wz.", name);
  for (int c = 0; c < m->body[k].columns; c++)
    if (strcmp(dot + 1, components[m->body[k].column[c]]) == 0) {
      a->kind = FLY_SET_VELOCITY;
      a->which = m->body[k].iv + c;
      return FLY_OK;
    }
  return fly_item_fail(item, error, "`velocity`: the body `%s` has no `%s`.", body, dot + 1);
}

typedef fly_status set_fn(fly_model *m, const fly_item *item, const char *name, fly_model_action *a, fly_error *error);

// A switch is on or off: half on is a slip of the pen.
static fly_status check_switch(const fly_model *m, const fly_item *item, const char *name, const fly_model_action *a,
                               fly_error *error) {
  double value;
  const bool known = a->kind == FLY_SET_HELD && fly_expr_is_constant(m->expression[a->expression], &value);
  if (!known || value == 0 || value == 1 || fly_spec_find(m->spec, "held", name))
    return FLY_OK;
  return fly_item_fail(item, error, "`set`: `%s` is 1 (on) or 0 (off), not %.6g.", name, value);
}

static fly_status add_actions(fly_model *m, const fly_item *item, const char *parameter, set_fn *set,
                              fly_error *error) {
  const fly_value *value = fly_item_value(item, parameter);
  fly_status status = FLY_OK;
  for (int k = 0; value->given && k < value->count && status == FLY_OK; k += 2) {
    fly_model_action *a = &m->action[m->naction];
    status = set(m, item, value->word[k], a, error);
    if (status == FLY_OK)
      status = fly_compile_text(m, item, parameter, k + 1, &a->expression, error);
    if (status == FLY_OK)
      status = check_switch(m, item, value->word[k], a, error);
    if (status == FLY_OK)
      feel_all(m, a->expression);
    m->naction += status == FLY_OK;
  }
  return status;
}

static fly_status add_event(fly_model *m, int item, fly_error *error) {
  fly_model_event *e = &m->event[m->nevent];
  *e = (fly_model_event){.item = item, .action = m->naction};
  const fly_item *it = &m->spec->item[item];
  fly_status status = set_times(m, e, error);
  if (status == FLY_OK)
    status = add_actions(m, it, "set", set_signal, error);
  if (status == FLY_OK)
    status = add_actions(m, it, "velocity", set_velocity, error);
  if (status)
    return status;
  e->naction = m->naction - e->action;
  m->nevent++;
  m->nroot += e->when >= 0;
  if (e->naction == 0 && !e->stop && !fly_item_given(it, "message"))
    return fly_item_fail(it, error, "nothing happens: it takes `set`, `velocity`, `stop` or `message`.");
  return FLY_OK;
}

static fly_status add_some(fly_model *m, bool timed, fly_error *error) {
  fly_status status = FLY_OK;
  for (int k = 0; k < m->spec->nitem && status == FLY_OK; k++)
    if (is_event(&m->spec->item[k]) && fly_item_given(&m->spec->item[k], "when") == !timed)
      status = add_event(m, k, error);
  return status;
}

fly_status fly_add_events(fly_model *m, fly_error *error) {
  fly_status status = add_some(m, false, error);
  if (status == FLY_OK)
    status = fly_add_friction_events(m, error);
  if (status == FLY_OK)
    status = fly_add_limit_events(m, error);
  return status ? status : add_some(m, true, error);
}
