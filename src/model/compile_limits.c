// Limits of the coordinate of a joint. With a stiffness they push back, as springs that are there beyond the limit
// alone; with a restitution the rate is turned round in the instant it is met, by a blow that all joints share: a row
// comes for that instant, whose rate is the one behind the blow. What hardly moves rests there, on the same row, until
// it is pulled off (docs/theory/forces.md, F-limits).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/expr.h"
#include "model/compile.h"

static const double SLOW = 1e-4;  // [m/s, rad/s]: what meets a limit slower than this rests
static const double DEEP = 1e-9;  // [m, rad]: beyond a limit nobody goes unnoticed
static const double SLACK = 1e-9; // [m, rad]: that a start may be off

enum { LOW, HIGH, STIFFNESS, DAMPING, CUSHION, EXPONENT, RESTITUTION, SLOW_RATE, DEPTH };
static const char *const NUMBERS[] = {"low",      "high",        "stiffness", "damping", "cushion",
                                      "exponent", "restitution", "slow",      "deep"};
enum { NUMBER_COUNT = sizeof NUMBERS / sizeof *NUMBERS };

typedef struct making {
  fly_model *m;
  const fly_item *item;
  const char *parameter; // of its coordinate
  bool turn;
  fly_model_limit *l;
  double number[NUMBER_COUNT];
} making;

// Of the only coordinate of a joint, or of the way it slides; of its turn beside that.
static const char *const PARAMETERS[] = {"limits", "angle_limits"};
enum { PARAMETER_COUNT = sizeof PARAMETERS / sizeof *PARAMETERS };

static bool is_limited(const fly_item *item, int k) {
  return fly_parameter_find(item->type, PARAMETERS[k]) >= 0 && fly_item_given(item, PARAMETERS[k]);
}

int fly_limits_count(const fly_item *item) {
  int count = 0;
  for (int k = 0; k < PARAMETER_COUNT; k++)
    count += is_limited(item, k);
  return count;
}

static int item_of(const making *w) { return (int)(w->item - w->m->spec->item); }

// ------------------------------------------------------------------------------------------ what is given

static fly_status check_ends(const making *w, fly_error *error) {
  const fly_joint_start start = fly_model_joint_start(w->m, item_of(w));
  const double at = w->turn ? start.angle : start.displacement, low = w->number[LOW], high = w->number[HIGH];
  const char *unit = w->turn ? "rad" : "m";
  if (isinf(low) && isinf(high))
    return fly_item_fail(w->item, error, "`%s` needs `low`, `high`, or both.", w->parameter);
  if (!(low < high))
    return fly_item_fail(w->item, error, "`%s`: `low` is %.6g %s, and must be less than `high`, %.6g %s.", w->parameter,
                         low, unit, high, unit);
  if (at < low - SLACK || at > high + SLACK)
    return fly_item_fail(w->item, error, "it starts at %.6g %s, beyond its `%s` from %.6g to %.6g.", at, unit,
                         w->parameter, low, high);
  return FLY_OK;
}

static fly_status check_kind(const making *w, fly_error *error) {
  const bool soft = fly_setting(w->item, w->parameter, "stiffness"),
             hard = fly_setting(w->item, w->parameter, "restitution");
  if (soft == hard)
    return fly_item_fail(w->item, error, "`%s` takes `stiffness` (and `damping`) or `restitution`, %s.", w->parameter,
                         soft ? "not both" : "and has neither");
  if (w->number[RESTITUTION] > 1)
    return fly_item_fail(w->item, error, "`%s`: `restitution` is %.6g, and more than 1 would make energy.",
                         w->parameter, w->number[RESTITUTION]);
  return FLY_OK;
}

static fly_status read_all(making *w, fly_error *error) {
  static const struct {
    double fallback;
    int to;
    fly_sign sign;
  } list[] = {{-INFINITY, LOW, FLY_ANY_SIGN},    {INFINITY, HIGH, FLY_ANY_SIGN}, {0, STIFFNESS, FLY_POSITIVE},
              {0, DAMPING, FLY_NOT_NEGATIVE},    {1e-3, CUSHION, FLY_POSITIVE},  {1, EXPONENT, FLY_POSITIVE},
              {0, RESTITUTION, FLY_NOT_NEGATIVE}};
  fly_status status = FLY_OK;
  for (size_t k = 0; k < sizeof list / sizeof *list && status == FLY_OK; k++)
    status = fly_setting_number(w->m, w->item, w->parameter, NUMBERS[list[k].to], list[k].fallback, list[k].sign,
                                &w->number[list[k].to], error);
  w->number[SLOW_RATE] = SLOW;
  w->number[DEPTH] = DEEP;
  if (status == FLY_OK)
    status = check_ends(w, error);
  return status ? status : check_kind(w, error);
}

static making making_of(fly_model *m, int item, int k) {
  making w = {.m = m, .item = &m->spec->item[item], .parameter = PARAMETERS[k]};
  w.turn = k > 0 || !fly_joint_slides(w.item);
  return w;
}

// ------------------------------------------------------------------------------------------ texts

static int resolve(fly_expr_answer *answer, const fly_expr_reference *asked, void *user) {
  const making *w = user;
  const int pair = w->m->joint_pair[item_of(w)];
  for (int k = 0; k < NUMBER_COUNT; k++)
    if (strcmp(asked->name, NUMBERS[k]) == 0) {
      answer->value = w->number[k];
      return FLY_EXPR_CONSTANT;
    }
  if (strcmp(asked->name, "x") == 0 || strcmp(asked->name, "v") == 0)
    return asked->name[0] == 'v' ? fly_joint_rate(w->m, pair, w->turn ? 5 : 2, w->m->pair[pair].mi)
                                 : fly_joint_coordinate(w->m, pair, w->turn);
  if (strcmp(asked->name, "hold") == 0)
    return fly_joint_reaction(w->m, item_of(w), w->turn ? FLY_REACTION_TZ : FLY_REACTION_FZ, w->l->pair,
                              w->m->pair[w->l->pair].mi);
  return fly_signal_of(w->m, FLY_SIGNAL_HELD, strcmp(asked->name, "side") == 0 ? w->l->side : w->l->rebound);
}

static fly_status compile_text(making *w, const char *text, int *expression, fly_error *error) {
  return fly_compile_own(w->m, w->item, w->parameter, text, resolve, w, expression, error);
}

static fly_status add_springs(making *w, fly_error *error) {
  const fly_model_pair *p = &w->m->pair[w->m->joint_pair[item_of(w)]];
  fly_model_applied load = {.marker = {p->mj, p->mi, p->mi}, .expression = {-1, -1, -1, -1, -1, -1}};
  const char *text = isinf(w->number[HIGH])  ? "impact(x, v, low, stiffness, exponent, damping, cushion)"
                     : isinf(w->number[LOW]) ? "-impact(-x, -v, -high, stiffness, exponent, damping, cushion)"
                                             : "bistop(x, v, low, high, stiffness, exponent, damping, cushion)";
  const fly_status status = compile_text(w, text, &load.expression[w->turn ? 5 : 2], error);
  return status ? status : fly_add_joint_load(w->m, item_of(w), &load, error);
}

static bool is_second(const making *w) { return w->parameter == PARAMETERS[1]; }

static void add_stops(making *w) {
  fly_model *m = w->m;
  fly_model_limit *l = &m->limit[m->nlimit++];
  *l = (fly_model_limit){
      .item = item_of(w), .turn = w->turn, .second = is_second(w), .low = w->number[LOW], .high = w->number[HIGH]};
  l->side = fly_add_held(m, l->item, l->second ? "stop_about" : "stop");
  l->rebound = fly_add_held(m, l->item, l->second ? "rebound_about" : "rebound");
  const fly_model_pair joint = m->pair[m->joint_pair[l->item]];
  l->pair = fly_add_pair(m, joint.mi, joint.mj);
  fly_add_lock(m, l->item, l->pair, w->turn, "stop", l->side);
  l->row = m->nrow - 1;
}

static fly_status add_limit(fly_model *m, int item, int k, fly_error *error) {
  making w = making_of(m, item, k);
  if (!is_limited(w.item, k))
    return FLY_OK;
  const fly_status status = read_all(&w, error);
  if (status)
    return status;
  if (w.number[STIFFNESS] > 0)
    return add_springs(&w, error);
  add_stops(&w);
  return FLY_OK;
}

fly_status fly_add_limits(fly_model *m, int item, fly_error *error) {
  fly_status status = FLY_OK;
  for (int k = 0; k < PARAMETER_COUNT && status == FLY_OK; k++)
    status = add_limit(m, item, k, error);
  return status;
}

// ------------------------------------------------------------------------------------------ events

static fly_status add_event(making *w, const char *part, const char *when, const char *side, const char *rebound,
                            fly_error *error) {
  fly_model_action a[2] = {{.kind = FLY_SET_HELD, .which = w->l->side}, {.kind = FLY_SET_HELD, .which = w->l->rebound}};
  int condition = 0;
  fly_status status = compile_text(w, when, &condition, error);
  if (status == FLY_OK)
    status = compile_text(w, side, &a[0].expression, error);
  if (status == FLY_OK)
    status = compile_text(w, rebound, &a[1].expression, error);
  fly_add_own_event(w->m, w->l->item, part, condition, 2, a);
  return status;
}

// It meets a limit, and not the other one while it is there; one that was left and is met again before it is noticed;
// it leaves.
static fly_status add_events(making *w, fly_error *error) {
  static const struct {
    int end;
    const char *meets, *deep, *side, *rebound;
  } list[] = {{HIGH, "if(side == 0, min(x - high, v), side)", "if(side == 0, x - high - deep, -1)", "1",
               "if(v <= slow, 0, -restitution*v)"},
              {LOW, "if(side == 0, min(low - x, -v), -side)", "if(side == 0, low - x - deep, -1)", "-1",
               "if(-v <= slow, 0, -restitution*v)"}};
  fly_status status = FLY_OK;
  for (int k = 0; k < 2 && status == FLY_OK; k++) {
    if (isinf(w->number[list[k].end]))
      continue;
    status = add_event(w, "meets", list[k].meets, list[k].side, list[k].rebound, error);
    if (status == FLY_OK)
      status = add_event(w, "overruns", list[k].deep, list[k].side, list[k].rebound, error);
  }
  return status ? status
                : add_event(w, "leaves", "if(side == 0, -1, if(rebound == 0, side*hold, 0.5))", "0", "0", error);
}

fly_status fly_add_limit_events(fly_model *m, fly_error *error) {
  fly_status status = FLY_OK;
  for (int k = 0; k < m->nlimit && status == FLY_OK; k++) {
    making w = making_of(m, m->limit[k].item, m->limit[k].second);
    w.l = &m->limit[k];
    status = read_all(&w, error);
    if (status == FLY_OK)
      status = add_events(&w, error);
  }
  return status;
}
