// From what the user wrote to a model with everything numbered.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/library.h"
#include "base/number.h"
#include "expr/expr.h"
#include "math/so3.h"
#include "model/compile.h"
#include "model/found.h"

// ------------------------------------------------------------------------------------------ messages

static fly_status fail_there(const fly_item *item, fly_place place, fly_error *error, const char *text) {
  return fly_fail_at(error, FLY_BAD_INPUT, NAN, place, item->name, "%s `%s`: %s%s%s%s", item->type->name, item->name,
                     text, item->used ? " (Used at " : "", item->used ? item->used : "", item->used ? ".)" : "");
}

fly_status fly_item_fail(const fly_item *item, fly_error *error, const char *format, ...) {
  char text[600];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  return fail_there(item, item->place, error, text);
}

// Where the value of a key is, where the key is missing the mapping; an element that a program made has none.
static fly_place place_of_key(const fly_item *item, const char *parameter, const char *key) {
  const fly_value *value = fly_item_value(item, parameter);
  for (int k = 0; key && value->at && k + 1 < value->count; k += 2)
    if (strcmp(value->word[k], key) == 0)
      return value->at[k + 1];
  return value->place.file ? value->place : item->place;
}

fly_status fly_setting_fail(const fly_item *item, const char *parameter, const char *key, fly_error *error,
                            const char *format, ...) {
  char text[600];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  return fail_there(item, place_of_key(item, parameter, key), error, text);
}

// ------------------------------------------------------------------------------------------ counting

typedef struct sizes {
  int body, joint, marker, pair, row, motion, force, output, state, number, delay, event, action, expression, measure;
  int friction, limit, found;
} sizes;

// The first letter tells most words apart.
static bool are_same(const char *a, const char *b) { return a[0] == b[0] && strcmp(a, b) == 0; }

static bool in_section(const fly_item *item, const char *section) { return are_same(item->type->section, section); }
void fly_compile_warn(fly_model *m, const fly_item *item, const char *text) {
  char place[300];
  size_t used = strlen(m->warnings);
  fly_place_text(place, sizeof place, item->place);
  snprintf(m->warnings + used, sizeof m->warnings - used, "%s%s `%s`: %s\n", place, item->type->name, item->name, text);
}

bool fly_item_is(const fly_item *item, const char *name) { return are_same(item->type->name, name); }

// Every call and every word with a dot may be a measure, and so may two words that an expression knows.
static void count_expressions(const fly_item *item, sizes *n) {
  for (int k = 0; item->type->parameters[k].name; k++) {
    const fly_value *v = fly_item_row(item, k);
    const fly_value_type type = item->type->parameters[k].type;
    if ((type != FLY_EXPRESSION && type != FLY_SETTINGS) || !v->given)
      continue;
    n->expression += v->count;
    n->action += type == FLY_SETTINGS ? v->count / 2 : 0;
    for (int i = 0; i < v->count; i++) {
      n->measure += 2;
      for (const char *s = v->word[i]; *s; s++)
        n->measure += *s == '(' ? 1 : *s == '.' ? 3 : 0; // dx(a), pin.angle; s.force is two and its switch
    }
  }
}

// A friction has, for each direction, a row where it sticks, a state, a number that says whether it slides that way, up
// to two that say what the mechanism allows; and a pair, a marker, a load, a number and four events that set numbers.
static void count_friction(const fly_item *item, sizes *n) {
  const int count = fly_friction_sizes(item);
  n->friction += count;
  n->pair += count;
  n->marker += count;
  n->row += FLY_RUBS * count;
  n->force += count;
  n->state += FLY_RUBS * count;
  n->number += (1 + 3 * FLY_RUBS) * count;
  n->event += 4 * count;
  n->action += 4 * (1 + FLY_RUBS) * count;
  n->expression += (2 * FLY_RUBS + 4 * (2 + FLY_RUBS)) * count;
  n->measure += (10 + 5 * FLY_RUBS) * count;
}

// A limit has a row and a pair where it holds, or a load, and five events that set three numbers each.
static void count_limits(const fly_item *item, sizes *n) {
  const int count = fly_limits_count(item);
  n->limit += count;
  n->pair += count;
  n->marker += 2 * count; // of the pins of a cross
  n->row += count;
  n->force += count;
  n->number += 3 * count;
  n->event += 5 * count;
  n->action += 15 * count;
  n->expression += 21 * count;
  n->measure += 6 * count;
}

// Upper bounds: a joint has at most two markers of its own and six rows.
static sizes count_all(const fly_spec *spec, fly_held held) {
  sizes n = {.marker = 1};
  for (int k = 0; k < spec->nitem; k++) {
    const fly_item *item = &spec->item[k];
    if (in_section(item, "bodies")) {
      n.body++;
      n.marker += 1 + item->nmarker;
    } else if (in_section(item, "joints")) {
      n.joint++;
      n.marker += 2;
      n.pair++;
      n.row += 6;
      n.number++; // its switch
      count_friction(item, &n);
      count_limits(item, &n);
    } else if (in_section(item, "motions")) {
      n.motion++;
      n.pair++;
      n.row++;
      n.number++;
    } else if (in_section(item, "contacts")) {
      n.force++;
      n.number++;
      n.marker += fly_contact_markers(spec, item);
      n.state += fly_contact_states(spec, item);
      n.expression += 1 + fly_contact_pairs(spec, item); // of the rates of their states
      n.found += fly_contact_is_found(spec, item);
    } else if (in_section(item, "forces")) {
      n.marker += FLY_FORCE_MARKERS; // of a beam
      n.force++;
      n.number++;
    } else if (in_section(item, "outputs") || in_section(item, "variables")) {
      n.output++;
      n.expression++; // with the variables it uses
    } else if (in_section(item, "states")) {
      n.state++;
    } else if (in_section(item, "inputs") || in_section(item, "held")) {
      n.number++;
      n.output += in_section(item, "inputs"); // if it follows a file
      n.expression += 2;
    } else if (in_section(item, "events")) {
      n.event++;
    } else if (in_section(item, "blocks")) {
      n.delay++;
    }
    count_expressions(item, &n);
  }
  n.measure += n.output + n.state + n.number + n.delay;
  if (held) { // angle and displacement of every joint; each body against two markers on ground
    n.row += 2 * n.joint + 6 * n.body;
    n.expression += 2 * n.joint;
    n.motion += 2 * n.joint;
    n.marker += 2 * n.body;
    n.pair += 2 * n.body;
  }
  return n;
}

static fly_status take(fly_model *m, const sizes *n, fly_error *error) {
  fly_arena *a = &m->memory;
  m->body = fly_arena_take(a, (size_t)n->body, sizeof *m->body);
  m->marker = fly_arena_take(a, (size_t)n->marker, sizeof *m->marker);
  m->pair = fly_arena_take(a, (size_t)n->pair, sizeof *m->pair);
  m->term = fly_arena_take(a, 3 * (size_t)n->row, sizeof *m->term);
  m->row = fly_arena_take(a, (size_t)n->row, sizeof *m->row);
  m->slip = fly_arena_take(a, (size_t)n->joint, sizeof *m->slip);
  m->motion = fly_arena_take(a, (size_t)n->motion, sizeof *m->motion);
  m->applied = fly_arena_take(a, (size_t)n->force, sizeof *m->applied);
  m->output = fly_arena_take(a, (size_t)n->output, sizeof *m->output);
  m->state = fly_arena_take(a, (size_t)n->state, sizeof *m->state);
  m->found = fly_arena_take(a, (size_t)n->found, sizeof *m->found);
  m->input = fly_arena_take(a, (size_t)n->number, sizeof *m->input);
  m->held = fly_arena_take(a, (size_t)n->number, sizeof *m->held);
  m->delay = fly_arena_take(a, (size_t)n->delay, sizeof *m->delay);
  m->plugin = fly_arena_take(a, (size_t)n->delay, sizeof *m->plugin);
  m->event = fly_arena_take(a, (size_t)n->event, sizeof *m->event);
  m->action = fly_arena_take(a, (size_t)n->action, sizeof *m->action);
  m->friction = fly_arena_take(a, (size_t)n->friction, sizeof *m->friction);
  m->limit = fly_arena_take(a, (size_t)n->limit, sizeof *m->limit);
  m->switch_of_item = fly_arena_ints(a, (size_t)m->spec->nitem);
  m->signal_of_item = fly_arena_ints(a, (size_t)m->spec->nitem);
  m->word = fly_arena_take(a, (size_t)(n->output + n->state + n->number + n->delay) + 1, sizeof *m->word);
  m->measure = fly_arena_take(a, (size_t)n->measure, sizeof *m->measure);
  for (m->measure_slots = 1; m->measure_slots <= 2 * n->measure;)
    m->measure_slots *= 2;
  m->measure_slot = fly_arena_ints(a, (size_t)m->measure_slots);
  m->expression = fly_arena_take(a, (size_t)n->expression, sizeof *m->expression);
  m->joint_pair = fly_arena_ints(a, (size_t)m->spec->nitem);
  m->force_of_item = fly_arena_ints(a, (size_t)m->spec->nitem);
  m->constant = fly_arena_take(a, (size_t)m->spec->nparameter, sizeof *m->constant);
  m->names.slot = fly_arena_ints(a, (size_t)fly_expr_names_slots(m->spec->nparameter));
  m->body_of_item = fly_arena_ints(a, (size_t)m->spec->nitem);
  m->table = fly_arena_take(a, (size_t)m->spec->ntable, sizeof *m->table);
  m->formula = fly_spec_formulas(m->spec, a, &m->nformula);
  return a->failed ? fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a model of %d bodies.", n->body) : FLY_OK;
}

// ------------------------------------------------------------------------------------------ tables

static fly_status add_surface(fly_model *m, int k, fly_error *error) {
  const fly_spec *s = m->spec;
  const int nx = s->table_count[k], ny = s->table_rows[k];
  const double *x = s->table_x[k], *y = s->table_across[k];
  if (nx < 2 || ny < 2 || fly_spline_check(x, x, nx) < nx || fly_spline_check(y, y, ny) < ny)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "table `%s`: x and y must have two points at least, and ascend.",
                    s->table_name[k]);
  return fly_expr_surface_make(&m->table[k], s->table_name[k], nx, x, ny, y, s->table_y[k], &m->memory)
             ? FLY_OK
             : fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a table of %d by %d points.", nx, ny);
}

// The reader has said so before, with its place; a program may make a spec of its own.
static fly_status add_table(fly_model *m, int k, fly_error *error) {
  const fly_spec *s = m->spec;
  if (s->table_rows && s->table_rows[k] > 0)
    return add_surface(m, k, error);
  const int n = s->table_count[k], good = fly_spline_check(s->table_x[k], s->table_y[k], n);
  if (n < 2 || good < n)
    return fly_fail_at(error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, s->table_name[k], "table `%s`: %s %d.", s->table_name[k],
                       n < 2 ? "it takes two points at least, and has" : "x must ascend, and does not at point",
                       n < 2 ? n : good + 1);
  double *slopes = fly_arena_doubles(&m->memory, 3 * (size_t)n);
  if (!slopes)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a table of %d points.", n);
  fly_expr_table_make(&m->table[k], s->table_name[k], n, s->table_x[k], s->table_y[k], slopes);
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ the start

// A row that keeps a coordinate of a joint at value + rate * time.
static fly_status hold_coordinate(fly_model *m, int item, bool angle, double value, double rate, fly_error *error) {
  char a[FLY_NUMBER_SIZE], b[FLY_NUMBER_SIZE], text[2 * FLY_NUMBER_SIZE + 20];
  const fly_expr_scope scope = fly_expr_scope_default();
  fly_number_text(a, value);
  fly_number_text(b, rate);
  snprintf(text, sizeof text, "%s + (%s)*time", a, b);
  fly_status status = fly_expr_compile(&m->expression[m->nexpression], text, &scope, error);
  if (status)
    return status;
  fly_add_coordinate(m, m->joint_pair[item], angle, 2, m->nrow, 1.0);
  fly_add_row(m, item, angle ? "angle at the start" : "displacement at the start");
  m->row[m->nrow - 1].motion = m->nmotion;
  m->row[m->nrow - 1].angular = angle;
  m->motion[m->nmotion++] = (fly_model_motion){item, m->nrow - 1, m->nexpression++, 0};
  return FLY_OK;
}

static fly_status hold_joint(fly_model *m, int item, fly_held held, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  const bool turning = fly_item_given(it, "angular_velocity"), sliding = fly_item_given(it, "velocity");
  const bool positions = held == FLY_HOLD_POSITIONS,
             any = turning || sliding || fly_item_given(it, "angle") || fly_item_given(it, "displacement");
  if (m->joint_pair[item] < 0 || !any)
    return FLY_OK;
  const fly_joint_start s = fly_model_joint_start(m, item);
  fly_status status = FLY_OK;
  if (turning || (positions && fly_item_given(it, "angle")))
    status = hold_coordinate(m, item, true, s.angle, s.angular_velocity, error);
  if (status == FLY_OK && (sliding || (positions && fly_item_given(it, "displacement"))))
    status = hold_coordinate(m, item, false, s.displacement, s.velocity, error);
  return status;
}

// Rows whose values are the coordinates of joints, whatever they say.
static void add_joint_coordinates(fly_model *m, int item) {
  const fly_item *it = &m->spec->item[item];
  for (int turn = 1; turn >= 0; turn--)
    if (m->joint_pair[item] >= 0 && (turn ? fly_joint_turns(it) : fly_joint_slides(it))) {
      fly_add_coordinate(m, m->joint_pair[item], turn, 2, m->nrow, 1.0);
      fly_add_row(m, item, turn ? "angle" : "displacement");
    }
}

static bool holds(const fly_item *body, const char *word) {
  const fly_value *v = fly_item_value(body, "hold");
  for (int k = 0; v->given && k < v->count; k++)
    if (strcmp(v->word[k], word) == 0 || strcmp(v->word[k], "all") == 0)
      return true;
  return false;
}

// The frame of a body against markers on ground that stand where it starts: places along the axes of space, turns from
// those of the body.
static fly_status hold_body(fly_model *m, int item, fly_error *error) {
  static const struct {
    const char *word;
    fly_joint_row row;
  } rows[] = {{"x", {FLY_PLANE, 0, 0, "x at the start"}},
              {"y", {FLY_PLANE, 1, 0, "y at the start"}},
              {"z", {FLY_PLANE, 2, 0, "z at the start"}},
              {"orientation", {FLY_DOT, 2, 0, "turn about y at the start"}},
              {"orientation", {FLY_DOT, 2, 1, "turn about x at the start"}},
              {"orientation", {FLY_DOT, 0, 1, "turn about z at the start"}},
              {"angle", {FLY_ANGLE, 2, 0, "angle at the start"}}};
  const fly_item *it = &m->spec->item[item];
  if (fly_item_is_ground(it) || !fly_item_given(it, "hold"))
    return FLY_OK;
  const fly_body *b = &m->body[m->body_of_item[item]];
  const bool flat = b->type->flat, turns = b->type->turn_q >= 0;
  fly_kinematics start;
  double at[3];
  fly_body_start(b, &start);
  fly_marker_point(at, &start, &m->marker[b->first_marker].m);
  const int place = fly_add_pair(m, fly_add_marker(m, it->name, FLY_GROUND, at, FLY_UNIT), b->first_marker);
  const int turn = fly_add_pair(m, fly_add_marker(m, it->name, FLY_GROUND, at, start.R), b->first_marker);
  fly_status status = FLY_OK;
  for (size_t k = 0; k < sizeof rows / sizeof *rows && status == FLY_OK; k++) {
    const bool has = k < 2 || (k == 2 && !flat) || (k >= 3 && k < 6 && turns) || (k == 6 && flat);
    if (has && holds(it, rows[k].word))
      status = fly_add_primitive(m, item, k < 3 ? place : turn, &rows[k].row, 1, 0.0, error);
  }
  return status;
}

bool fly_spec_holds(const fly_spec *spec, fly_held held) {
  for (int k = 0; k < spec->nitem; k++) {
    const fly_item *it = &spec->item[k];
    const bool joint = in_section(it, "joints"), body = in_section(it, "bodies");
    if (joint && (fly_item_given(it, "angular_velocity") || fly_item_given(it, "velocity")))
      return true;
    if (held == FLY_HOLD_POSITIONS && ((joint && (fly_item_given(it, "angle") || fly_item_given(it, "displacement"))) ||
                                       (body && fly_item_given(it, "hold"))))
      return true;
  }
  return false;
}

static fly_status hold_all(fly_model *m, fly_held held, fly_error *error) {
  fly_status status = FLY_OK;
  for (int k = 0; k < m->spec->nitem && status == FLY_OK; k++) {
    const bool joint = in_section(&m->spec->item[k], "joints");
    if (joint && held == FLY_HOLD_COORDINATES)
      add_joint_coordinates(m, k);
    else if (joint)
      status = hold_joint(m, k, held, error);
    else if (held == FLY_HOLD_POSITIONS && in_section(&m->spec->item[k], "bodies"))
      status = hold_body(m, k, error);
  }
  return status;
}

// ------------------------------------------------------------------------------------------ the sentence

static fly_status each(fly_model *m, const char *section, fly_status (*add)(fly_model *, int, fly_error *),
                       fly_error *error) {
  fly_status status = FLY_OK;
  for (int k = 0; k < m->spec->nitem && status == FLY_OK; k++)
    if (in_section(&m->spec->item[k], section))
      status = add(m, k, error);
  return status;
}

static fly_status add_if_coupler(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  if (fly_item_is(it, "gear"))
    return fly_add_gear(m, item, error);
  if (fly_item_is(it, "rack-pinion"))
    return fly_add_rack(m, item, error);
  return fly_item_is(it, "coupler") ? fly_add_coupler(m, item, error) : FLY_OK;
}

static fly_status list_angles(fly_model *m, fly_error *error) {
  m->angle = fly_arena_ints(&m->memory, (size_t)m->nterm);
  if (m->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d constraints.", m->nterm);
  for (int k = 0; k < m->nterm; k++)
    if (m->term[k].kind == FLY_ANGLE)
      m->angle[m->nangle++] = k;
  return FLY_OK;
}

static const double NOTHING = 1e-6;  // of the largest coordinate of a start: it may be a rounding,
static const double ROUNDED = 1e-12; // and is one of a marker that was given in space

typedef struct row_of_points {
  double last[3], nearest;
  int count;
} row_of_points;

static void add_point(row_of_points *r, const double *at, int n) {
  double square = 0, here[3] = {0};
  memcpy(here, at, (size_t)n * sizeof *at);
  for (int i = 0; i < 3; i++)
    square += (here[i] - r->last[i]) * (here[i] - r->last[i]);
  if (r->count++ > 0 && sqrt(square) > r->nearest * NOTHING)
    r->nearest = fmin(r->nearest, sqrt(square));
  memcpy(r->last, here, sizeof here);
}

// The smallest distance between what is marked on the ground, but for its origin, and where bodies start, each from the
// one before it in the file; 0: there are no two places.
static double starts_apart(const fly_model *m, double farthest) {
  row_of_points r = {{0}, 4 * farthest, 0};
  for (int k = 1; k < m->nmarker; k++)
    if (m->marker[k].body == FLY_GROUND)
      add_point(&r, m->marker[k].m.s, 3);
  for (int k = 0; k < m->nbody; k++)
    add_point(&r, m->body[k].q0, fly_body_places(&m->body[k]));
  return r.nearest < 4 * farthest ? r.nearest : 0;
}

static double farthest_start(const fly_model *m) {
  double farthest = 0;
  for (int k = 0; k < m->nbody; k++)
    for (int i = 0; i < fly_body_places(&m->body[k]); i++)
      farthest = fmax(farthest, fabs(m->body[k].q0[i]));
  return farthest;
}

// The smallest coordinate of a start, but for those that are nothing beside the largest: along an axis a model may
// stand anywhere.
static double nearest_start(const fly_model *m, double farthest) {
  double nearest = farthest;
  for (int k = 0; k < m->nbody; k++)
    for (int i = 0; i < fly_body_places(&m->body[k]); i++)
      if (fabs(m->body[k].q0[i]) > NOTHING * farthest)
        nearest = fmin(nearest, fabs(m->body[k].q0[i]));
  return nearest;
}

// A length of the model: the largest distance of a marker from its body's mass centre. Where all markers are there, how
// near bodies start to each other or to what is marked on the ground, wherever that is in space; if they do not,
// how far they are from the origin along an axis.
static double model_size(const fly_model *m) {
  double size = 0;
  for (int k = 0; k < m->nmarker; k++)
    if (m->marker[k].body != FLY_GROUND)
      size = fmax(size, sqrt(fly_dot3(m->marker[k].m.s, m->marker[k].m.s)));
  const double farthest = farthest_start(m);
  if (size > ROUNDED * farthest)
    return size;
  size = starts_apart(m, farthest);
  if (!(size > NOTHING * farthest))
    size = nearest_start(m, farthest);
  return size > 0 ? size : 1.0;
}

static void start_axis(const fly_model *m, int marker, double axis[3]) {
  fly_kinematics k = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  if (m->marker[marker].body != FLY_GROUND)
    fly_start_kinematics(m, m->marker[marker].body, &k);
  fly_axis_space(axis, &k, &m->marker[marker].m, 2);
}

// The arms of a cross that are parallel where it starts: their row cannot say which way to open, its derivative is 0.
static fly_status check_cross(fly_model *m, int item, fly_error *error) {
  const fly_item *joint = &m->spec->item[item];
  double a[3], b[3];
  if (!fly_item_is(joint, "universal") && !fly_item_is(joint, "perpendicular"))
    return FLY_OK;
  start_axis(m, m->pair[m->joint_pair[item]].mi, a);
  start_axis(m, m->pair[m->joint_pair[item]].mj, b);
  if (fabs(fly_dot3(a, b)) < 0.99995)
    return FLY_OK;
  return fly_item_fail(joint, error,
                       "its two axes are parallel where it starts, and must be perpendicular, as the arms of a cross: "
                       "give `axis2` across `axis`, or turn z of `to`.");
}

// What a model is made of once it has bodies, in this order: each element of a section, or all that there is of a kind.
static const struct {
  const char *section;
  fly_status (*one)(fly_model *, int, fly_error *);
  fly_status (*all)(fly_model *, fly_error *);
} MAKING[] = {
    {"joints", fly_add_joint, NULL},     {NULL, NULL, fly_model_place},      {"joints", check_cross, NULL},
    {"joints", add_if_coupler, NULL},    {NULL, NULL, fly_add_variables},    {"motions", fly_add_motion, NULL},
    {NULL, NULL, fly_add_compliances},   {NULL, NULL, fly_number_forces},    {"forces", fly_add_force, NULL},
    {"contacts", fly_add_contact, NULL}, {"joints", fly_add_friction, NULL}, {"joints", fly_add_limits, NULL},
    {NULL, NULL, fly_check_rebounds},    {NULL, NULL, fly_add_events},       {NULL, NULL, fly_add_plugins},
    {NULL, NULL, fly_add_delays},        {NULL, NULL, fly_add_states},
};

static fly_status compile(fly_model *m, const fly_spec *spec, const double *parameter, fly_held held,
                          fly_error *error) {
  *m = (fly_model){.spec = spec};
  memcpy(m->gravity, spec->gravity, sizeof m->gravity);
  strcpy(m->warnings, spec->warnings); // there is room for more
  sizes n = count_all(spec, held);
  fly_status status = take(m, &n, error);
  if (status)
    return status;
  for (int k = 0; k < spec->nitem; k++)
    m->joint_pair[k] = -1;
  for (int k = 0; k < spec->nparameter; k++)
    m->constant[k] = (fly_expr_number){spec->parameter_name[k], parameter[k], NULL};
  fly_expr_names_fill(&m->names, m->names.slot, m->constant, spec->nparameter);
  for (int k = 0; k < spec->ntable && status == FLY_OK; k++)
    status = add_table(m, k, error);
  if (status == FLY_OK)
    status = fly_number_signals(m, error);
  fly_add_switches(m);
  if (status == FLY_OK)
    status = each(m, "bodies", fly_add_body, error);
  if (status)
    return status;
  if (m->nbody == 0 && m->nstate == 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "The model has neither bodies nor states: there is nothing that could change.");
  fly_add_ground_markers(m);
  for (int k = 0; k < m->nbody; k++)
    fly_add_body_markers(m, k);
  for (size_t k = 0; k < sizeof MAKING / sizeof *MAKING && status == FLY_OK; k++)
    status = MAKING[k].one ? each(m, MAKING[k].section, MAKING[k].one, error) : MAKING[k].all(m, error);
  if (status == FLY_OK && held)
    status = hold_all(m, held, error);
  if (status == FLY_OK)
    status = list_angles(m, error);
  m->size = model_size(m);
  return status;
}

fly_status fly_model_compile_held(fly_model *m, const fly_spec *spec, fly_held held, fly_error *error) {
  return compile(m, spec, spec->parameter_value, held, error);
}

fly_status fly_model_compile_tuned(fly_model *m, const fly_spec *spec, const double *parameter, fly_error *error) {
  return compile(m, spec, parameter, FLY_HOLD_NOTHING, error);
}

fly_status fly_model_compile(fly_model *m, const fly_spec *spec, fly_error *error) {
  return fly_model_compile_held(m, spec, FLY_HOLD_NOTHING, error);
}

void fly_model_free(fly_model *m) {
  for (int k = 0; k < m->nexpression; k++)
    fly_expr_free(m->expression[k]);
  for (int k = 0; k < m->nplugin; k++)
    fly_library_close(m->plugin[k].library);
  fly_arena_free(&m->memory);
}
