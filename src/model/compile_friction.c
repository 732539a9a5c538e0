// Dry friction of joints. A law is a text over the reaction of the joint, its rate and a few numbers; it becomes a
// load, so that its dependence on multipliers is solved with everything else and has exact derivatives. What sticks is
// a row that holds the coordinate; three events let it stick, let it go and find how it starts (docs/theory/forces.md,
// F-friction).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "expr/expr.h"
#include "model/compile.h"

static const double REST = 1e-12; // [m/s, rad/s]: a rate below this is rest

// ------------------------------------------------------------------------------------------ joints and laws

// What presses the parts together [N]; the lever by which it brakes is the radius where it turns, 1 where it slides.
typedef struct rubbing {
  const char *joint;
  bool turn;
  const char *normal;
} rubbing;

static const rubbing RUBBING[] = {
    {"revolute", true, "preload + hypot(fx, fy) + axial*abs(fz) + bend*hypot(tx, ty)"},
    {"translational", false, "preload + hypot(fx, fy) + bend*hypot(tx, ty) + twist*abs(tz)"},
};

// The coefficient, over the sliding speed lever*v.
#define STRIBECK "(mu + (mu_static - mu)*exp(-(lever*v/speed)^2))"
#define BRISTLE_RATE "(lever*v - stiffness*abs(lever*v)*z/" STRIBECK ")"

typedef struct law {
  const char *name;
  const char *coefficient; // signed as the speed
  const char *rate;        // of its bristle; NULL: it has none
  bool sticks;
} law;

static const law LAWS[] = {
    {"coulomb", "d*mu", NULL, true},
    {"stribeck", "d*" STRIBECK, NULL, true},
    {"regularized", STRIBECK "*tanh(lever*v/transition)", NULL, false},
    {"lugre", "(stiffness*z + damping*" BRISTLE_RATE ")", BRISTLE_RATE, false},
};

static const rubbing *rubbing_of(const fly_item *joint) {
  for (size_t k = 0; k < sizeof RUBBING / sizeof *RUBBING; k++)
    if (fly_item_is(joint, RUBBING[k].joint))
      return &RUBBING[k];
  return NULL;
}

static bool has_friction(const fly_item *item) {
  return fly_parameter_find(item->type, "friction") >= 0 && fly_item_given(item, "friction");
}

int fly_friction_sizes(const fly_item *item) { return has_friction(item) ? 1 : 0; }

// ------------------------------------------------------------------------------------------ what is given

enum { MU, MU_STATIC, LEVER, PRELOAD, AXIAL, BEND, TWIST, SPEED, TRANSITION, STIFFNESS, DAMPING, VISCOUS, REST_RATE };
static const char *const NUMBERS[] = {"mu",    "mu_static",  "lever",     "preload", "axial",   "bend", "twist",
                                      "speed", "transition", "stiffness", "damping", "viscous", "rest"};
enum { NUMBER_COUNT = sizeof NUMBERS / sizeof *NUMBERS };

// A friction while it is compiled.
typedef struct making {
  fly_model *m;
  const fly_item *item;
  const rubbing *how;
  const law *law;
  fly_model_friction *f;
  int state;                   // its bristle; -1: none
  double number[NUMBER_COUNT]; // what the words in its texts are
} making;

static fly_status read_number(const making *w, const char *key, double fallback, fly_sign sign, double *out,
                              fly_error *error) {
  return fly_setting_number(w->m, w->item, "friction", key, fallback, sign, out, error);
}

static double inverse(double length) { return isinf(length) ? 0.0 : 1 / length; }

// radius, axial_radius and bending_arm become factors of forces and torques.
static fly_status read_lengths(making *w, fly_error *error) {
  double radius, axial, arm;
  const double missing = w->how->turn ? (double)NAN : (double)INFINITY;
  fly_status status = read_number(w, "radius", missing, FLY_POSITIVE, &radius, error);
  if (status == FLY_OK)
    status = read_number(w, "axial_radius", w->how->turn ? radius : 0.0, FLY_NOT_NEGATIVE, &axial, error);
  if (status == FLY_OK)
    status = read_number(w, "bending_arm", INFINITY, FLY_POSITIVE, &arm, error);
  if (status)
    return status;
  w->number[LEVER] = w->how->turn ? radius : 1.0;
  w->number[AXIAL] = w->how->turn ? axial / radius : 0.0;
  w->number[TWIST] = w->how->turn ? 0.0 : inverse(radius);
  w->number[BEND] = inverse(arm);
  w->number[REST_RATE] = REST;
  return FLY_OK;
}

static fly_status read_coefficients(making *w, fly_error *error) {
  double *n = w->number;
  fly_status status = read_number(w, "mu", NAN, FLY_NOT_NEGATIVE, &n[MU], error);
  if (status == FLY_OK)
    status = read_number(w, "mu_static", n[MU], FLY_NOT_NEGATIVE, &n[MU_STATIC], error);
  if (status == FLY_OK && n[MU_STATIC] < n[MU])
    return fly_item_fail(w->item, error,
                         "`friction`: `mu_static` is %.6g, less than `mu` = %.6g: what sticks would break away and "
                         "stick again at once. The coefficient of rest is the larger one.",
                         n[MU_STATIC], n[MU]);
  return status;
}

static fly_status read_speeds(making *w, fly_error *error) {
  const bool bristles = w->law->rate != NULL;
  const struct {
    const char *key;
    double fallback;
    fly_sign sign;
    int to;
  } list[] = {
      {"stribeck_speed", strcmp(w->law->name, "stribeck") == 0 ? (double)NAN : 1e-3, FLY_POSITIVE, SPEED},
      {"transition_speed", strcmp(w->law->name, "regularized") == 0 ? (double)NAN : 1.0, FLY_POSITIVE, TRANSITION},
      {"stiffness", bristles ? (double)NAN : 1.0, FLY_POSITIVE, STIFFNESS},
      {"damping", 0.0, FLY_NOT_NEGATIVE, DAMPING},
      {"viscous", 0.0, FLY_NOT_NEGATIVE, VISCOUS},
      {"preload", 0.0, FLY_NOT_NEGATIVE, PRELOAD}};
  fly_status status = FLY_OK;
  for (size_t k = 0; k < sizeof list / sizeof *list && status == FLY_OK; k++)
    status = read_number(w, list[k].key, list[k].fallback, list[k].sign, &w->number[list[k].to], error);
  return status;
}

static const law *law_named(const char *name) {
  for (size_t k = 0; k < sizeof LAWS / sizeof *LAWS; k++)
    if (strcmp(LAWS[k].name, name) == 0)
      return &LAWS[k];
  return NULL;
}

static fly_status read_law(making *w, fly_error *error) {
  const char *name = fly_setting(w->item, "friction", "law");
  w->law = law_named(name ? name : "coulomb");
  return w->law ? FLY_OK
                : fly_item_fail(w->item, error,
                                "`friction`: `law` is coulomb, stribeck, lugre or regularized, not `%s`.", name);
}

static fly_status read_all(making *w, fly_error *error) {
  fly_status status = read_law(w, error);
  if (status == FLY_OK)
    status = read_coefficients(w, error);
  if (status == FLY_OK)
    status = read_speeds(w, error);
  return status ? status : read_lengths(w, error);
}

// ------------------------------------------------------------------------------------------ words of the texts

static int item_of(const making *w) { return (int)(w->item - w->m->spec->item); }

static int resolve(fly_expr_answer *answer, const fly_expr_reference *asked, void *user) {
  const making *w = user;
  const int joint = w->m->joint_pair[item_of(w)], kind = fly_reaction_find(asked->name);
  for (int k = 0; k < NUMBER_COUNT; k++)
    if (strcmp(asked->name, NUMBERS[k]) == 0) {
      answer->value = w->number[k];
      return FLY_EXPR_CONSTANT;
    }
  if (kind >= 0)
    return fly_joint_reaction(w->m, item_of(w), (fly_reaction_kind)kind, joint);
  if (strcmp(asked->name, "v") == 0)
    return fly_joint_coordinate(w->m, item_of(w), w->how->turn, true);
  if (strcmp(asked->name, "hold") == 0)
    return fly_joint_reaction(w->m, item_of(w), w->how->turn ? FLY_REACTION_TZ : FLY_REACTION_FZ, w->f->pair);
  return strcmp(asked->name, "z") == 0   ? fly_signal_of(w->m, FLY_SIGNAL_STATE, w->state)
         : strcmp(asked->name, "d") == 0 ? fly_signal_of(w->m, FLY_SIGNAL_HELD, w->f->direction)
                                         : fly_signal_of(w->m, FLY_SIGNAL_HELD, w->f->stuck);
}

static fly_status compile_text(making *w, const char *text, int *expression, fly_error *error) {
  return fly_compile_own(w->m, w->item, "friction", text, resolve, w, expression, error);
}

// ------------------------------------------------------------------------------------------ the load

// A motion moves the coordinate: it never sticks.
static bool is_driven(const fly_model *m, int pair, bool turn) {
  for (int k = 0; k < m->nterm; k++)
    if (m->term[k].pair == pair && m->row[m->term[k].row].motion >= 0 && (m->term[k].kind == FLY_ANGLE) == turn)
      return true;
  return false;
}

static void add_lock(making *w) {
  w->f->pair = fly_add_lock(w->m, item_of(w), w->how->turn, "sticking", w->f->stuck);
  w->f->row = w->m->nrow - 1;
}

static void add_bristle(making *w) {
  fly_model *m = w->m;
  w->state = m->nstate;
  m->state[m->nstate++] = (fly_model_state){.item = item_of(w),
                                            .rate = -1,
                                            .scale = fmax(w->number[MU_STATIC], 1e-3) / w->number[STIFFNESS],
                                            .part = "bristle"};
}

static fly_status add_load(making *w, fly_error *error) {
  fly_model *m = w->m;
  char text[800];
  int expression;
  fly_status status = w->law->rate ? compile_text(w, w->law->rate, &m->state[w->state].rate, error) : FLY_OK;
  snprintf(text, sizeof text, "-lever*%s*(%s) - viscous*v", w->law->coefficient, w->how->normal);
  if (status == FLY_OK)
    status = compile_text(w, text, &expression, error);
  w->f->applied = m->napplied;
  if (status == FLY_OK)
    status = fly_add_joint_load(m, item_of(w), w->how->turn ? 5 : 2, error);
  m->applied[w->f->applied].rubs = true;
  return status;
}

fly_status fly_add_friction(fly_model *m, int item, fly_error *error) {
  making w = {.m = m, .item = &m->spec->item[item], .state = -1, .f = &m->friction[m->nfriction]};
  if (!has_friction(w.item))
    return FLY_OK;
  w.how = rubbing_of(w.item);
  *w.f = (fly_model_friction){.item = item, .turn = w.how->turn, .stuck = -1, .direction = -1, .pair = -1, .row = -1};
  fly_status status = read_all(&w, error);
  if (status)
    return status;
  if (w.law->sticks) {
    w.f->stuck = fly_add_held(m, item, "sticks");
    w.f->direction = fly_add_held(m, item, "slides");
  }
  if (w.law->sticks && !is_driven(m, m->joint_pair[item], w.how->turn))
    add_lock(&w);
  if (w.law->rate)
    add_bristle(&w);
  m->nfriction++;
  return add_load(&w, error);
}

// ------------------------------------------------------------------------------------------ its events

static fly_status add_event(making *w, const char *part, const char *when, const char *stuck, const char *direction,
                            fly_error *error) {
  fly_model_action a[2] = {{.kind = FLY_SET_HELD, .which = w->f->stuck},
                           {.kind = FLY_SET_HELD, .which = w->f->direction}};
  int condition = 0;
  fly_status status = compile_text(w, when, &condition, error);
  if (status == FLY_OK)
    status = compile_text(w, stuck, &a[0].expression, error);
  if (status == FLY_OK)
    status = compile_text(w, direction, &a[1].expression, error);
  fly_add_own_event(w->m, w->f->item, part, condition, 2, a);
  return status;
}

// It rests at first, or slides; it comes to rest; it breaks away, against what holds it.
static fly_status add_sticking(making *w, fly_error *error) {
  char limit[600];
  snprintf(limit, sizeof limit, "abs(stuck)*(abs(hold) - lever*mu_static*(%s)) + (abs(stuck) - 1)", w->how->normal);
  fly_status status =
      add_event(w, "begins", "0.5 - abs(stuck) - abs(d)", "abs(v) <= rest", "if(abs(v) <= rest, 0, sign(v))", error);
  w->m->event[w->m->nevent - 1].from_start = true;
  if (status == FLY_OK)
    status = add_event(w, "stops", "-d*v - rest", "d", "0", error);
  if (status == FLY_OK)
    status = add_event(w, "breaks_away", limit, "0", "-sign(hold)", error);
  return status;
}

// Where a motion says how fast it slides: the direction follows.
static fly_status add_turning(making *w, fly_error *error) {
  const fly_status status =
      add_event(w, "turns", "(1 - abs(d))*(abs(v) - 2*rest) - abs(d)*(d*v + rest)", "0", "sign(v)", error);
  w->m->event[w->m->nevent - 1].from_start = true;
  return status;
}

fly_status fly_add_friction_events(fly_model *m, fly_error *error) {
  fly_status status = FLY_OK;
  for (int k = 0; k < m->nfriction && status == FLY_OK; k++) {
    making w = {.m = m, .item = &m->spec->item[m->friction[k].item], .state = -1, .f = &m->friction[k]};
    w.how = rubbing_of(w.item);
    if (w.f->stuck < 0)
      continue;
    status = read_all(&w, error);
    if (status == FLY_OK)
      status = w.f->pair >= 0 ? add_sticking(&w, error) : add_turning(&w, error);
  }
  return status;
}
