// Limits of the coordinate of a joint. With a stiffness they push back, as springs that are there beyond the limit
// alone; with a restitution the rate is turned round in the instant it is met, by a blow that all joints share: a row
// comes for that instant, whose rate is the one behind the blow. What hardly moves rests there, on the same row, until
// it is pulled off (docs/theory/forces.md, F-limits).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/expr.h"
#include "model/compile.h"

static const double SHORT = 2e-9;   // of the way to a limit: what returns to it after so short a way, at most, rests
static const double DEEP = 1e-9;    // [m, rad]: beyond a limit nobody goes unnoticed,
static const double DEEPEST = 1e-5; // nor so much of the way to it
static const double SLACK = 1e-9;   // [m, rad]: that a start may be off
static const double NEVER = -1e300; // [s]

enum { LOW, HIGH, STIFFNESS, DAMPING, CUSHION, EXPONENT, RESTITUTION, SHORTEST, DEPTH };
static const char *const NUMBERS[] = {"low",      "high",        "stiffness", "damping", "cushion",
                                      "exponent", "restitution", "shortest",  "deep"};
enum { NUMBER_COUNT = sizeof NUMBERS / sizeof *NUMBERS };

// A coordinate that has ends: of a pair, along or about z of its first marker, or the turn of a pin of a cross.
typedef struct limiting {
  const char *joint, *parameter;
  bool turn;
  int pin; // of the first or the second body; 0: there is no cross
  const char *side, *rebound, *meets, *overruns, *leaves;
} limiting;

#define PARTS(more) "stop" more, "rebound" more
#define EVENTS(more) "meets" more, "overruns" more, "leaves" more
static const limiting LIMITING[] = {
    {"revolute", "limits", true, 0, PARTS(""), EVENTS("")},
    {"translational", "limits", false, 0, PARTS(""), EVENTS("")},
    {"cylindrical", "limits", false, 0, PARTS(""), EVENTS("")},
    {"cylindrical", "angle_limits", true, 0, PARTS("_about"), EVENTS("")},
    {"universal", "limits", true, 1, PARTS(""), EVENTS("")},
    {"universal", "limits2", true, 2, PARTS("2"), EVENTS("2")},
};
enum { LIMITINGS = sizeof LIMITING / sizeof *LIMITING };

typedef struct making {
  fly_model *m;
  const fly_item *item;
  const limiting *how;
  int pair; // whose coordinate it is
  fly_model_limit *l;
  double number[NUMBER_COUNT];
} making;

static bool is_limited(const fly_item *item, const limiting *how) {
  return fly_item_is(item, how->joint) && fly_item_given(item, how->parameter);
}

int fly_limits_count(const fly_item *item) {
  int count = 0;
  for (int k = 0; k < LIMITINGS; k++)
    count += is_limited(item, &LIMITING[k]);
  return count;
}

static int item_of(const making *w) { return (int)(w->item - w->m->spec->item); }

// The marker whose z is the axis of what turns: on the second body for the second pin.
static int axes_of(const making *w) {
  const fly_model_pair *p = &w->m->pair[w->m->joint_pair[item_of(w)]];
  return w->how->pin == 2 ? p->mj : p->mi;
}

// ------------------------------------------------------------------------------------------ pins of a cross

// The angle is that of the other pin about this one (F-pins). Where axes are drawn it is 0 as drawn, else where the
// other pin is along x: the marker of this pin, with x there.
static int add_reference(const making *w, int axis) {
  const bool second = w->how->pin == 2;
  double own[3], other[3], drawn[9], A[9];
  if (!fly_item_given(w->item, "axis"))
    return axis;
  const fly_model_marker *k = &w->m->marker[axis];
  fly_item_numbers(w->item, second ? "axis2" : "axis", 3, own);
  fly_item_numbers(w->item, second ? "axis" : "axis2", 3, other);
  fly_axes_from_z(drawn, own);
  double x = 0, y = 0; // of the other pin, along the axes as drawn
  for (int r = 0; r < 3; r++) {
    x += drawn[3 * r] * other[r];
    y += drawn[3 * r + 1] * other[r];
  }
  const double c = x / hypot(x, y), s = y / hypot(x, y);
  for (int r = 0; r < 3; r++) {
    const double *row = &k->m.A[3 * r];
    A[3 * r] = c * row[0] + s * row[1];
    A[3 * r + 1] = c * row[1] - s * row[0];
    A[3 * r + 2] = row[2];
  }
  return fly_add_marker(w->m, k->name, k->body, k->m.s, A);
}

static int add_pin_pair(const making *w) {
  const fly_model_pair p = w->m->pair[w->m->joint_pair[item_of(w)]];
  const bool second = w->how->pin == 2;
  const int axis = add_reference(w, second ? p.mj : p.mi);
  return fly_add_pair(w->m, axis, fly_add_crossed(w->m, second ? p.mi : p.mj));
}

// The turn of the second body about the second pin is that of the first body, backwards.
static double sense_of(const making *w) { return w->how->pin == 2 ? -1.0 : 1.0; }

static double pin_start(const making *w) {
  static const fly_primitive z = {2, 0, 0.0};
  const fly_model *m = w->m;
  const fly_model_marker *end[2] = {&m->marker[m->pair[w->pair].mi], &m->marker[m->pair[w->pair].mj]};
  fly_kinematics body[2];
  double angle;
  for (int side = 0; side < 2; side++)
    fly_start_kinematics(m, end[side]->body, &body[side]);
  fly_primitive_types[FLY_ANGLE].value(&angle, &(fly_pair){&body[0], &body[1], &end[0]->m, &end[1]->m}, &z);
  return sense_of(w) * angle;
}

// ------------------------------------------------------------------------------------------ what is given

static double start_of(const making *w) {
  const fly_joint_start start = fly_model_joint_start(w->m, item_of(w));
  return w->how->pin ? pin_start(w) : w->how->turn ? start.angle : start.displacement;
}

// How far there is to go: from the start to the nearer end, or between both; of a turn a radian. It tells what is
// little.
static double way_of(const making *w) {
  const double at = start_of(w), low = w->number[LOW], high = w->number[HIGH];
  const double nearer = fmin(at - low, high - at);
  if (w->how->turn || (!(nearer > SLACK) && isinf(high - low)))
    return 1;
  return nearer > 0 ? fmin(nearer, high - low) : high - low;
}

static fly_status check_ends(const making *w, fly_error *error) {
  const double at = start_of(w), low = w->number[LOW], high = w->number[HIGH];
  const char *unit = w->how->turn ? "rad" : "m";
  if (isinf(low) && isinf(high))
    return fly_setting_fail(w->item, w->how->parameter, NULL, error, "`%s` needs `low`, `high`, or both.",
                            w->how->parameter);
  if (!(low < high))
    return fly_setting_fail(w->item, w->how->parameter, "low", error,
                            "`%s`: `low` is %.6g %s, and must be less than `high`, %.6g %s.", w->how->parameter, low,
                            unit, high, unit);
  if (at < low - SLACK || at > high + SLACK)
    return fly_setting_fail(w->item, w->how->parameter, at < low ? "low" : "high", error,
                            "it starts at %.6g %s, beyond its `%s` from %.6g to %.6g.", at, unit, w->how->parameter,
                            low, high);
  return FLY_OK;
}

static fly_status check_kind(const making *w, fly_error *error) {
  const bool soft = fly_setting(w->item, w->how->parameter, "stiffness"),
             hard = fly_setting(w->item, w->how->parameter, "restitution");
  if (soft == hard)
    return fly_setting_fail(w->item, w->how->parameter, soft ? "stiffness" : NULL, error,
                            "`%s` takes `stiffness` (and `damping`) or `restitution`, %s.", w->how->parameter,
                            soft ? "not both" : "and has neither");
  if (w->number[RESTITUTION] > 1)
    return fly_setting_fail(w->item, w->how->parameter, "restitution", error,
                            "`%s`: `restitution` is %.6g, and more than 1 would make energy.", w->how->parameter,
                            w->number[RESTITUTION]);
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
    status = fly_setting_number(w->m, w->item, w->how->parameter, NUMBERS[list[k].to], list[k].fallback, list[k].sign,
                                &w->number[list[k].to], error);
  w->number[SHORTEST] = SHORT * way_of(w);
  w->number[DEPTH] = fmin(DEEP, DEEPEST * way_of(w));
  if (status == FLY_OK)
    status = check_ends(w, error);
  return status ? status : check_kind(w, error);
}

// ------------------------------------------------------------------------------------------ texts

// The coordinate x, its rate v and what a stop holds it with.
static int resolve_motion(fly_expr_answer *answer, const making *w, const char *name) {
  fly_model *m = w->m;
  const bool turn = w->how->turn;
  if (w->how->pin == 2 && (strcmp(name, "x") == 0 || strcmp(name, "hold") == 0)) {
    answer->text = name[0] == 'x' ? "-turn_of_first" : "-hold_of_first";
    return FLY_EXPR_TEXT;
  }
  if (strcmp(name, "x") == 0 || strcmp(name, "turn_of_first") == 0)
    return fly_joint_coordinate(m, w->pair, turn);
  if (strcmp(name, "v") == 0)
    return fly_joint_rate(m, m->joint_pair[item_of(w)], turn ? 5 : 2, axes_of(w));
  if (strcmp(name, "hold") == 0 || strcmp(name, "hold_of_first") == 0)
    return fly_joint_reaction(m, item_of(w), turn ? FLY_REACTION_TZ : FLY_REACTION_FZ, w->l->pair,
                              m->pair[w->l->pair].mi);
  const int held = strcmp(name, "side") == 0 ? w->l->side : strcmp(name, "met") == 0 ? w->l->met : w->l->rebound;
  return fly_signal_of(m, FLY_SIGNAL_HELD, held);
}

static int resolve(fly_expr_answer *answer, const fly_expr_reference *asked, void *user) {
  const making *w = user;
  for (int k = 0; k < NUMBER_COUNT; k++)
    if (strcmp(asked->name, NUMBERS[k]) == 0) {
      answer->value = w->number[k];
      return FLY_EXPR_CONSTANT;
    }
  return resolve_motion(answer, w, asked->name);
}

static fly_status compile_text(making *w, const char *text, int *expression, fly_error *error) {
  return fly_compile_own(w->m, w->item, w->how->parameter, text, resolve, w, expression, error);
}

static fly_status add_springs(making *w, fly_error *error) {
  const fly_model_pair *p = &w->m->pair[w->m->joint_pair[item_of(w)]];
  fly_model_applied load = {.marker = {p->mj, p->mi, axes_of(w)}, .expression = {-1, -1, -1, -1, -1, -1}};
  const char *text = isinf(w->number[HIGH])  ? "impact(x, v, low, stiffness, exponent, damping, cushion)"
                     : isinf(w->number[LOW]) ? "-impact(-x, -v, -high, stiffness, exponent, damping, cushion)"
                                             : "bistop(x, v, low, high, stiffness, exponent, damping, cushion)";
  const fly_status status = compile_text(w, text, &load.expression[w->how->turn ? 5 : 2], error);
  return status ? status : fly_add_joint_load(w->m, item_of(w), &load, error);
}

static void add_stops(making *w) {
  fly_model *m = w->m;
  fly_model_limit *l = &m->limit[m->nlimit++];
  *l = (fly_model_limit){
      .item = item_of(w), .how = (int)(w->how - LIMITING), .low = w->number[LOW], .high = w->number[HIGH]};
  l->side = fly_add_held(m, l->item, w->how->side);
  l->rebound = fly_add_held(m, l->item, w->how->rebound);
  l->met = fly_add_held(m, l->item, "met");
  m->held[l->met].hidden = true;
  m->held[l->met].value = NEVER;
  l->pair = w->how->pin ? w->pair : fly_add_pair(m, m->pair[w->pair].mi, m->pair[w->pair].mj);
  fly_add_coordinate(m, l->pair, w->how->turn, 2, m->nrow, sense_of(w));
  fly_add_lock_row(m, l->item, "stop", l->side);
  l->row = m->nrow - 1;
}

static fly_status add_limit(fly_model *m, int item, const limiting *how, fly_error *error) {
  making w = {.m = m, .item = &m->spec->item[item], .how = how, .pair = m->joint_pair[item]};
  if (!is_limited(w.item, how))
    return FLY_OK;
  if (how->pin)
    w.pair = add_pin_pair(&w);
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
  for (int k = 0; k < LIMITINGS && status == FLY_OK; k++)
    status = add_limit(m, item, &LIMITING[k], error);
  return status;
}

// ------------------------------------------------------------------------------------------ events

static fly_status add_event(making *w, const char *part, const char *when, const char *side, const char *rebound,
                            const char *met, fly_error *error) {
  fly_model_action a[] = {{.kind = FLY_SET_HELD, .which = w->l->side},
                          {.kind = FLY_SET_HELD, .which = w->l->rebound},
                          {.kind = FLY_SET_HELD, .which = w->l->met}};
  int condition = 0;
  fly_status status = compile_text(w, when, &condition, error);
  if (status == FLY_OK)
    status = compile_text(w, side, &a[0].expression, error);
  if (status == FLY_OK)
    status = compile_text(w, rebound, &a[1].expression, error);
  if (status == FLY_OK)
    status = compile_text(w, met, &a[2].expression, error);
  fly_add_own_event(w->m, w->l->item, part, condition, 3, a);
  return status;
}

// It meets a limit, and not the other one while it is there; one that was left and is met again before it is noticed;
// it leaves. With the rate v it comes back from a hop that took v times the time since it was met last, four times its
// height under a load that is constant: those behind it are lower still.
static fly_status add_events(making *w, fly_error *error) {
  static const struct {
    int end;
    const char *meets, *deep, *side, *rebound;
  } list[] = {{HIGH, "if(side == 0, min(x - high, v), side)", "if(side == 0, min(x - high - deep, v), -1)", "1",
               "if(v*(time - met) <= shortest, 0, -restitution*v)"},
              {LOW, "if(side == 0, min(low - x, -v), -side)", "if(side == 0, min(low - x - deep, -v), -1)", "-1",
               "if(-v*(time - met) <= shortest, 0, -restitution*v)"}};
  fly_status status = FLY_OK;
  for (int k = 0; k < 2 && status == FLY_OK; k++) {
    if (isinf(w->number[list[k].end]))
      continue;
    status = add_event(w, w->how->meets, list[k].meets, list[k].side, list[k].rebound, "time", error);
    if (status == FLY_OK)
      status = add_event(w, w->how->overruns, list[k].deep, list[k].side, list[k].rebound, "time", error);
  }
  return status ? status
                : add_event(w, w->how->leaves, "if(side == 0, -1, if(rebound == 0, side*hold, 0.5))", "0", "0", "met",
                            error);
}

fly_status fly_add_limit_events(fly_model *m, fly_error *error) {
  fly_status status = FLY_OK;
  for (int k = 0; k < m->nlimit && status == FLY_OK; k++) {
    fly_model_limit *l = &m->limit[k];
    making w = {.m = m, .item = &m->spec->item[l->item], .how = &LIMITING[l->how], .pair = l->pair, .l = l};
    status = read_all(&w, error);
    if (status == FLY_OK)
      status = add_events(&w, error);
  }
  return status;
}
