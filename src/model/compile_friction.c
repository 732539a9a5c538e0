// Dry friction of joints. A law is a text over the reaction of the joint, its rates and a few numbers; it becomes a
// load, so that its dependence on multipliers is solved with everything else and has exact derivatives. What sticks is
// rows that hold the coordinates; three events let it stick, let it go and find how it starts (docs/theory/forces.md,
// F-friction).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "expr/expr.h"
#include "model/compile.h"
#include "model/friction_words.h"

static const double REST = 1e-12; // [m/s, rad/s]: a rate below this is rest
static const double ETA = 1e-7;   // [m/s, rad/s]: below this the direction of a slip is not its own any more

// ------------------------------------------------------------------------------------------ joints

// A surface that rubs: the directions of its slip, and what presses the parts together [N].
typedef struct rubbing {
  const char *joint, *parameter;
  const char *otherwise; // parameter in its place, if it is not given; NULL: none
  int n, component[FLY_RUBS];
  bool second; // z of the second marker is its axis, not that of the first
  const char *normal;
} rubbing;

#define PIN "preload + hypot(fx, fy) + axial*abs(fz) + bend*hypot(tx, ty)"

static const rubbing RUBBING[] = {
    {"revolute", "friction", NULL, 1, {5}, false, PIN},
    {"translational", "friction", NULL, 1, {2}, false, "preload + hypot(fx, fy) + bend*hypot(tx, ty) + twist*abs(tz)"},
    {"cylindrical", "friction", NULL, 2, {2, 5}, false, "preload + hypot(fx, fy) + bend*hypot(tx, ty)"},
    {"universal", "friction", NULL, 1, {5}, false, PIN},
    {"universal", "friction2", "friction", 1, {5}, true, PIN},
    {"spherical", "friction", NULL, 3, {3, 4, 5}, false, "preload + fm"},
};
enum { RUBBINGS = sizeof RUBBING / sizeof *RUBBING };

// The parameter that says how it rubs; NULL: it does not.
static const char *given(const rubbing *how, const fly_item *item) {
  if (!fly_item_is(item, how->joint))
    return NULL;
  return fly_item_given(item, how->parameter)                     ? how->parameter
         : how->otherwise && fly_item_given(item, how->otherwise) ? how->otherwise
                                                                  : NULL;
}

int fly_friction_sizes(const fly_item *item) {
  int count = 0;
  for (int k = 0; k < RUBBINGS; k++)
    count += given(&RUBBING[k], item) != NULL;
  return count;
}

// ------------------------------------------------------------------------------------------ what is given

enum { MU, MU_STATIC, PRELOAD, AXIAL, BEND, TWIST, SPEED, TRANSITION, STIFFNESS, DAMPING, REST_SLIP, SLOW, SENSE };
static const char *const NUMBERS[] = {"mu",         "mu_static", "preload", "axial", "bend", "twist", "speed",
                                      "transition", "stiffness", "damping", "rest",  "eta",  "sense"};
enum { NUMBER_COUNT = sizeof NUMBERS / sizeof *NUMBERS };

// A friction while it is compiled.
typedef struct making {
  fly_model *m;
  const fly_item *item;
  const rubbing *how;
  const char *parameter;
  const fly_friction_law *law;
  fly_model_friction *f;
  int state;                   // its first bristle; -1: none
  double number[NUMBER_COUNT]; // what the words in its texts are,
  double damp[FLY_RUBS];       // viscous friction over the rate,
  bool driven[FLY_RUBS];       // and whether a motion moves it
} making;

static int item_of(const making *w) { return (int)(w->item - w->m->spec->item); }
static int pair_of(const making *w) { return w->m->joint_pair[item_of(w)]; }

static bool turns(int component) { return component >= 3; }

static fly_status read_number(const making *w, const char *key, double fallback, fly_sign sign, double *out,
                              fly_error *error) {
  return fly_setting_number(w->m, w->item, w->parameter, key, fallback, sign, out, error);
}

static double inverse(double length) { return isinf(length) ? 0.0 : 1 / length; }

// The lever of a turn is the radius of the surface; that of a slide, 1. Where both rub on one surface, viscous
// friction goes by the slip, else by the rate.
static void set_levers(making *w, double radius, double viscous) {
  fly_model_friction *f = w->f;
  double least = INFINITY;
  for (int k = 0; k < f->n; k++) {
    f->lever[k] = turns(f->component[k]) ? radius : 1.0;
    least = fmin(least, f->lever[k]);
    w->damp[k] = turns(w->how->component[0]) ? viscous : viscous * f->lever[k] * f->lever[k];
  }
  f->eta = ETA * least;
  w->number[SLOW] = f->eta;
  f->rest = REST;
  w->number[REST_SLIP] = REST * least;
}

// radius, axial_radius and bending_arm become factors of forces and torques.
static fly_status read_lengths(making *w, fly_error *error) {
  const bool turning = turns(w->how->component[w->how->n - 1]);
  double radius, axial, arm, viscous;
  fly_status status = read_number(w, "radius", turning ? (double)NAN : (double)INFINITY, FLY_POSITIVE, &radius, error);
  if (status == FLY_OK)
    status = read_number(w, "axial_radius", turning ? radius : 0.0, FLY_NOT_NEGATIVE, &axial, error);
  if (status == FLY_OK)
    status = read_number(w, "bending_arm", INFINITY, FLY_POSITIVE, &arm, error);
  if (status == FLY_OK)
    status = read_number(w, "viscous", 0.0, FLY_NOT_NEGATIVE, &viscous, error);
  if (status)
    return status;
  set_levers(w, radius, viscous);
  w->number[AXIAL] = turning ? axial / radius : 0.0;
  w->number[TWIST] = turning ? 0.0 : inverse(radius);
  w->number[BEND] = inverse(arm);
  w->number[SENSE] = w->f->sense;
  return FLY_OK;
}

static fly_status read_coefficients(making *w, fly_error *error) {
  double *n = w->number;
  fly_status status = read_number(w, "mu", NAN, FLY_NOT_NEGATIVE, &n[MU], error);
  if (status == FLY_OK)
    status = read_number(w, "mu_static", n[MU], FLY_NOT_NEGATIVE, &n[MU_STATIC], error);
  if (status == FLY_OK && n[MU_STATIC] < n[MU])
    return fly_setting_fail(w->item, w->parameter, "mu_static", error,
                            "`%s`: `mu_static` is %.6g, less than `mu` = %.6g: what sticks would break away and "
                            "stick again at once. The coefficient of rest is the larger one.",
                            w->parameter, n[MU_STATIC], n[MU]);
  return status;
}

static fly_status read_speeds(making *w, fly_error *error) {
  const bool bristles = w->law->rate[0] != NULL;
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
      {"preload", 0.0, FLY_NOT_NEGATIVE, PRELOAD}};
  fly_status status = FLY_OK;
  for (size_t k = 0; k < sizeof list / sizeof *list && status == FLY_OK; k++)
    status = read_number(w, list[k].key, list[k].fallback, list[k].sign, &w->number[list[k].to], error);
  return status;
}

static fly_status read_law(making *w, fly_error *error) {
  const char *name = fly_setting(w->item, w->parameter, "law");
  w->law = fly_friction_law_find(name ? name : "coulomb");
  return w->law ? FLY_OK
                : fly_setting_fail(w->item, w->parameter, "law", error,
                                   "`%s`: `law` is coulomb, stribeck, lugre or regularized, not `%s`.", w->parameter,
                                   name);
}

// What only another law takes would be left out in silence.
static fly_status check_keys(const making *w, fly_error *error) {
  const fly_value *value = fly_item_value(w->item, w->parameter);
  const char *instead;
  for (int k = 0; k + 1 < value->count; k += 2)
    if (!fly_friction_law_takes(w->law, value->word[k], &instead))
      return fly_setting_fail(w->item, w->parameter, value->word[k], error,
                              "`%s`: the law %s%s has no `%s`. Take it out, or say `law: %s`.", w->parameter,
                              w->law->name, fly_setting(w->item, w->parameter, "law") ? "" : ", as no other is given,",
                              value->word[k], instead);
  return FLY_OK;
}

static fly_status read_all(making *w, fly_error *error) {
  fly_status status = read_law(w, error);
  if (status == FLY_OK)
    status = check_keys(w, error);
  if (status == FLY_OK)
    status = read_coefficients(w, error);
  if (status == FLY_OK)
    status = read_speeds(w, error);
  return status ? status : read_lengths(w, error);
}

// ------------------------------------------------------------------------------------------ words of the texts

// A word and the direction it is of: v2, p13.
static bool is_of(const char *name, const char *word, int count, int digit[2]) {
  const size_t length = strlen(word);
  if (strncmp(name, word, length) != 0 || strlen(name) != length + (size_t)count)
    return false;
  for (int k = 0; k < count; k++) {
    digit[k] = name[length + (size_t)k] - '1';
    if (digit[k] < 0 || digit[k] >= FLY_RUBS)
      return false;
  }
  return true;
}

static int number(fly_expr_answer *answer, double value) {
  answer->value = value;
  return FLY_EXPR_CONSTANT;
}

// Of n (n + 1)/2 numbers of the upper triangle, row by row.
static int place_in_triangle(int n, int row, int column) { return row * n - row * (row - 1) / 2 + column - row; }

static int resolve_direction(fly_expr_answer *answer, making *w, const char *name) {
  const fly_model_friction *f = w->f;
  int k[2];
  if (is_of(name, "lever", 1, k))
    return number(answer, f->lever[k[0]]);
  if (is_of(name, "damp", 1, k))
    return number(answer, w->damp[k[0]]);
  if (is_of(name, "m", 1, k))
    return number(answer, w->driven[k[0]]);
  if (is_of(name, "v", 1, k))
    return fly_joint_rate(w->m, pair_of(w), f->component[k[0]], f->axes);
  if (is_of(name, "z", 1, k))
    return fly_signal_of(w->m, FLY_SIGNAL_STATE, w->state + k[0]);
  if (is_of(name, "d", 1, k))
    return fly_signal_of(w->m, FLY_SIGNAL_HELD, f->direction + k[0]);
  if (is_of(name, "p", 2, k))
    return fly_signal_of(w->m, FLY_SIGNAL_HELD, f->spread + place_in_triangle(f->n, k[0], k[1]));
  if (is_of(name, "hold", 1, k)) {
    const int component = f->component[k[0]];
    const int kind = turns(component) ? (int)FLY_REACTION_TX + component - 3 : (int)FLY_REACTION_FX + component;
    return fly_joint_reaction(w->m, item_of(w), (fly_reaction_kind)kind, f->pair, f->axes);
  }
  return FLY_EXPR_UNKNOWN;
}

static int resolve(fly_expr_answer *answer, const fly_expr_reference *asked, void *user) {
  making *w = user;
  const int kind = fly_reaction_find(asked->name);
  for (int k = 0; k < NUMBER_COUNT; k++)
    if (strcmp(asked->name, NUMBERS[k]) == 0)
      return number(answer, w->number[k]);
  if (kind >= 0)
    return fly_joint_reaction(w->m, item_of(w), (fly_reaction_kind)kind, pair_of(w), w->f->axes);
  if (strcmp(asked->name, "stuck") == 0)
    return fly_signal_of(w->m, FLY_SIGNAL_HELD, w->f->stuck);
  answer->text = strcmp(asked->name, "normal") == 0 ? w->how->normal : fly_friction_word(asked->name, w->f->n);
  return answer->text ? FLY_EXPR_TEXT : resolve_direction(answer, w, asked->name);
}

static fly_status compile_text(making *w, const char *text, int *expression, fly_error *error) {
  return fly_compile_own(w->m, w->item, w->parameter, text, resolve, w, expression, error);
}

// ------------------------------------------------------------------------------------------ what rubs

// Planar bodies turn about z and slide across it.
static bool is_felt(const making *w, int component) {
  const fly_model_pair *p = &w->m->pair[pair_of(w)];
  double a[3];
  for (int side = 0; side < 2; side++) {
    const int body = w->m->marker[side ? p->mj : p->mi].body;
    if (body != FLY_GROUND && !w->m->body[body].type->flat)
      return true;
  }
  fly_axis(a, &w->m->marker[w->f->axes].m, component % 3);
  return fabs(turns(component) ? a[2] : hypot(a[0], a[1])) > 1e-9;
}

static fly_status find_directions(making *w, fly_error *error) {
  const fly_model_pair *p = &w->m->pair[pair_of(w)];
  fly_model_friction *f = w->f;
  for (int side = 0; side < 2; side++) {
    const char *noun = fly_cannot_turn(w->m, w->m->marker[side ? p->mj : p->mi].body);
    if (noun)
      return fly_item_fail(w->item, error, "`%s`: a %s does not turn, and nothing rubs. Take a body with an inertia.",
                           w->parameter, noun);
  }
  for (int k = 0; k < w->how->n; k++)
    if (is_felt(w, w->how->component[k]))
      f->component[f->n++] = w->how->component[k];
  return f->n > 0 ? FLY_OK
                  : fly_item_fail(w->item, error, "`%s`: between planar bodies nothing moves there.", w->parameter);
}

// A motion moves the coordinate: it never sticks.
static bool is_driven(const fly_model *m, int pair, int component) {
  for (int k = 0; k < m->nterm && component % 3 == 2; k++)
    if (m->term[k].pair == pair && m->row[m->term[k].row].motion >= 0 &&
        (m->term[k].kind == FLY_ANGLE) == turns(component))
      return true;
  return false;
}

static void find_driven(making *w) {
  for (int k = 0; k < w->f->n && !w->f->grips; k++)
    w->driven[k] = is_driven(w->m, pair_of(w), w->f->component[k]);
}

// ------------------------------------------------------------------------------------------ where it sticks

static void add_hold_pair(making *w) {
  fly_model *m = w->m;
  const fly_model_pair p = m->pair[pair_of(w)];
  const bool universal = fly_item_is(w->item, "universal");
  const int first = w->how->second ? p.mj : p.mi, second = w->how->second ? p.mi : p.mj;
  w->f->pair = fly_add_pair(m, first, universal ? fly_add_crossed(m, second) : second);
}

// Turns about axis a of an orientation that was found: (c_i . b_j - b_i . c_j)/2, with axes a, b, c in cyclic order.
static void add_grip(making *w, int axis) {
  fly_model *m = w->m;
  const int b = (axis + 1) % 3, c = (axis + 2) % 3;
  const fly_term term = {.kind = FLY_DOT, .pair = w->f->pair, .row = m->nrow, .rows = 1};
  m->term[m->nterm] = term;
  m->term[m->nterm].k = (fly_primitive){c, b, 0.0};
  m->term[m->nterm++].factor = 0.5;
  m->term[m->nterm] = term;
  m->term[m->nterm].k = (fly_primitive){b, c, 0.0};
  m->term[m->nterm++].factor = -0.5;
  fly_add_lock_row(m, item_of(w), "sticking", w->f->stuck);
}

static void add_locks(making *w) {
  fly_model_friction *f = w->f;
  bool any = false;
  for (int k = 0; k < f->n; k++)
    any = any || !w->driven[k];
  if (!any)
    return;
  add_hold_pair(w);
  f->row = w->m->nrow;
  for (int k = 0; k < f->n; k++) {
    if (w->driven[k])
      continue;
    f->along[f->rows++] = k;
    if (f->grips)
      add_grip(w, f->component[k] - 3);
    else
      fly_add_lock(w->m, f->item, f->pair, turns(f->component[k]), "sticking", f->stuck);
  }
}

// What belongs to one direction is named for it where there are several; what belongs to a second pin has a 2.
typedef struct names {
  const char *plain, *axis[3], *about, *second;
} names;

static const char *name_of(const making *w, const names *list, int k) {
  const int component = w->f->component[k];
  return w->how->second                       ? list->second
         : w->how->n == 3                     ? list->axis[component - 3]
         : w->how->n == 2 && turns(component) ? list->about
                                              : list->plain;
}

static void add_numbers(making *w) {
  static const names slides = {"slides", {"slides_x", "slides_y", "slides_z"}, "slides_about", "slides2"};
  fly_model *m = w->m;
  fly_model_friction *f = w->f;
  f->stuck = fly_add_held(m, f->item, w->how->second ? "sticks2" : "sticks");
  for (int k = 0; k < f->n; k++) {
    const int held = fly_add_held(m, f->item, name_of(w, &slides, k));
    f->direction = k == 0 ? held : f->direction;
  }
  for (int i = 0; i < f->n && f->n > 1; i++)
    for (int j = i; j < f->n; j++) {
      const int held = fly_add_held(m, f->item, "spread");
      m->held[held].hidden = true;
      m->held[held].value = i == j;
      f->spread = i + j == 0 ? held : f->spread;
    }
}

// ------------------------------------------------------------------------------------------ the load

static fly_status add_bristles(making *w, fly_error *error) {
  static const names bristles = {"bristle", {"bristle_x", "bristle_y", "bristle_z"}, "bristle_about", "bristle2"};
  fly_model *m = w->m;
  fly_status status = FLY_OK;
  w->state = m->nstate;
  for (int k = 0; k < w->f->n; k++)
    m->state[m->nstate++] = (fly_model_state){.item = item_of(w),
                                              .rate = -1,
                                              .scale = fmax(w->number[MU_STATIC], 1e-3) / w->number[STIFFNESS],
                                              .part = name_of(w, &bristles, k)};
  for (int k = 0; k < w->f->n && status == FLY_OK; k++)
    status = compile_text(w, w->law->rate[k], &m->state[w->state + k].rate, error);
  return status;
}

static fly_status add_load(making *w, fly_error *error) {
  const fly_model_pair *p = &w->m->pair[pair_of(w)];
  fly_model_applied load = {
      .marker = {p->mj, p->mi, w->f->axes}, .expression = {-1, -1, -1, -1, -1, -1}, .rubs = true, .bell = w->law->bell};
  fly_status status = FLY_OK;
  for (int k = 0; k < w->f->n && status == FLY_OK; k++) {
    char text[200];
    snprintf(text, sizeof text, "-lever%d*(%s)*normal - damp%d*v%d", k + 1, w->law->coefficient[k], k + 1, k + 1);
    status = compile_text(w, text, &load.expression[w->f->component[k]], error);
    w->f->rate[k] = fly_joint_rate(w->m, pair_of(w), w->f->component[k], w->f->axes) - 1;
  }
  w->f->applied = w->m->napplied;
  return status ? status : fly_add_joint_load(w->m, item_of(w), &load, error);
}

static fly_status add_one(fly_model *m, int item, const rubbing *how, fly_error *error) {
  const fly_model_pair *p = &m->pair[m->joint_pair[item]];
  making w = {.m = m, .item = &m->spec->item[item], .state = -1, .how = how, .f = &m->friction[m->nfriction++]};
  w.parameter = given(how, w.item);
  *w.f = (fly_model_friction){.item = item,
                              .parameter = how->parameter,
                              .axes = how->second ? p->mj : p->mi,
                              .sense = how->second ? -1.0 : 1.0,
                              .stuck = -1,
                              .direction = -1,
                              .spread = -1,
                              .pair = -1,
                              .row = -1,
                              .grips = how->n == 3};
  fly_status status = find_directions(&w, error);
  if (status == FLY_OK)
    status = read_all(&w, error);
  if (status)
    return status;
  find_driven(&w);
  if (w.law->sticks) {
    add_numbers(&w);
    add_locks(&w);
  }
  if (w.law->rate[0])
    status = add_bristles(&w, error);
  return status ? status : add_load(&w, error);
}

fly_status fly_add_friction(fly_model *m, int item, fly_error *error) {
  fly_status status = FLY_OK;
  for (int k = 0; k < RUBBINGS && status == FLY_OK; k++)
    if (given(&RUBBING[k], &m->spec->item[item]))
      status = add_one(m, item, &RUBBING[k], error);
  return status;
}

// ------------------------------------------------------------------------------------------ its events

// Event names of a second pin have a 2 behind them.
typedef struct event {
  const char *part, *second;
  const char *when, *stuck;
  const char *direction[FLY_RUBS];
} event;

static fly_status add_event(making *w, const event *e, fly_error *error) {
  fly_model_action a[1 + FLY_RUBS] = {{.kind = FLY_SET_HELD, .which = w->f->stuck}};
  int condition = 0;
  fly_status status = compile_text(w, e->when, &condition, error);
  if (status == FLY_OK)
    status = compile_text(w, e->stuck, &a[0].expression, error);
  for (int k = 0; k < w->f->n && status == FLY_OK; k++) {
    a[1 + k] = (fly_model_action){.kind = FLY_SET_HELD, .which = w->f->direction + k};
    status = compile_text(w, e->direction[k], &a[1 + k].expression, error);
  }
  fly_add_own_event(w->m, w->f->item, w->how->second ? e->second : e->part, condition, 1 + w->f->n, a);
  return status;
}

#define BEGUN(k) "if(slip <= rest, 0, s" k "/max(slip, rest))"
#define GOES(k) "(1 - stopped)*s" k "/max(slip, eta)"
#define AGAINST(k) "-p" k "/max(load, 1e-300)"
#define SLIPS(k) "s" k "/max(slip, eta)"
#define BY(TEXT)                                                                                                       \
  { TEXT("1"), TEXT("2"), TEXT("3") }

// It rests at first, or slides; it comes to rest, or slides on another way; it breaks away, against what holds it, or
// where a motion moves it.
static fly_status add_sticking(making *w, fly_error *error) {
  static const event list[] = {
      {"begins", "begins2", "0.5 - stuck - dd", "slip <= rest", BY(BEGUN)},
      {"stops", "stops2", "-along - rest", "stopped", BY(GOES)},
      {"breaks_away", "breaks_away2", "stuck*(load - mu_static*normal) + (stuck - 1)", "0", BY(AGAINST)},
      {"is_moved", NULL, "stuck*(driven/eta - 4) + (stuck - 1)", "0", BY(SLIPS)}};
  const int count = w->driven[0] || w->driven[w->f->n - 1] ? 4 : 3, first = w->m->nevent;
  fly_status status = FLY_OK;
  for (int k = 0; k < count && status == FLY_OK; k++)
    status = add_event(w, &list[k], error);
  w->m->event[first].from_start = true;
  return status;
}

// Where motions say how fast it slides: the direction follows.
static fly_status add_turning(making *w, fly_error *error) {
  static const event turning = {"turns", "turns2", "(1 - dd)*(slip - 2*rest) - dd*(along + rest)", "0", BY(BEGUN)};
  const fly_status status = add_event(w, &turning, error);
  w->m->event[w->m->nevent - 1].from_start = true;
  return status;
}

fly_status fly_add_friction_events(fly_model *m, fly_error *error) {
  fly_status status = FLY_OK;
  for (int k = 0; k < m->nfriction && status == FLY_OK; k++) {
    making w = {.m = m, .item = &m->spec->item[m->friction[k].item], .state = -1, .f = &m->friction[k]};
    for (int r = 0; r < RUBBINGS; r++)
      if (given(&RUBBING[r], w.item) && strcmp(RUBBING[r].parameter, w.f->parameter) == 0)
        w.how = &RUBBING[r];
    w.parameter = given(w.how, w.item);
    if (w.f->stuck < 0)
      continue;
    find_driven(&w);
    status = read_all(&w, error);
    if (status == FLY_OK)
      status = w.f->pair >= 0 ? add_sticking(&w, error) : add_turning(&w, error);
  }
  return status;
}
