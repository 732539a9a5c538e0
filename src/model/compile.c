// From what the user wrote to a model with everything numbered.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "element/beam.h"
#include "element/inertia.h"
#include "expr/expr.h"
#include "math/so3.h"
#include "model/model.h"

// ------------------------------------------------------------------------------------------ messages

static fly_status fail_at(const fly_item *item, fly_error *error, const char *format, ...) {
  char place[300], text[600];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  fly_place_text(place, sizeof place, item->place);
  return fly_fail(error, FLY_BAD_INPUT, NAN, "%s%s `%s`: %s", place, item->type->name, item->name, text);
}

// ------------------------------------------------------------------------------------------ counting

typedef struct sizes {
  int body, joint, marker, pair, row, motion, force, bushing, output, expression, measure;
} sizes;

static bool in_section(const fly_item *item, const char *section) { return strcmp(item->type->section, section) == 0; }
static bool is_type(const fly_item *item, const char *name) { return strcmp(item->type->name, name) == 0; }

// Every call may be a measure, and so may two words that an expression knows.
static void count_expressions(const fly_item *item, sizes *n) {
  for (int k = 0; item->type->parameters[k].name; k++) {
    const fly_value *v = &item->value[k];
    if (item->type->parameters[k].type != FLY_EXPRESSION || !v->given)
      continue;
    n->expression += v->count;
    for (int i = 0; i < v->count; i++) {
      n->measure += 2;
      for (const char *s = v->word[i]; *s; s++)
        n->measure += *s == '(';
    }
  }
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
    } else if (in_section(item, "motions")) {
      n.motion++;
      n.pair++;
      n.row++;
    } else if (in_section(item, "forces")) {
      n.marker += 2; // of a beam
      n.pair++;
      n.force++;
      n.bushing += is_type(item, "bushing") || is_type(item, "beam");
    } else if (in_section(item, "outputs")) {
      n.output++;
    }
    count_expressions(item, &n);
  }
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
  m->motion = fly_arena_take(a, (size_t)n->motion, sizeof *m->motion);
  m->spring = fly_arena_take(a, (size_t)n->force, sizeof *m->spring);
  m->torsion = fly_arena_take(a, (size_t)n->force, sizeof *m->torsion);
  m->bushing = fly_arena_take(a, (size_t)n->bushing, sizeof *m->bushing);
  m->applied = fly_arena_take(a, (size_t)n->force, sizeof *m->applied);
  m->output = fly_arena_take(a, (size_t)n->output, sizeof *m->output);
  m->measure = fly_arena_take(a, (size_t)n->measure, sizeof *m->measure);
  for (m->measure_slots = 1; m->measure_slots <= 2 * n->measure;)
    m->measure_slots *= 2;
  m->measure_slot = fly_arena_ints(a, (size_t)m->measure_slots);
  m->expression = fly_arena_take(a, (size_t)n->expression, sizeof *m->expression);
  m->joint_pair = fly_arena_ints(a, (size_t)m->spec->nitem);
  m->constant = fly_arena_take(a, (size_t)m->spec->nparameter, sizeof *m->constant);
  m->body_of_item = fly_arena_ints(a, (size_t)m->spec->nitem);
  m->table = fly_arena_take(a, (size_t)m->spec->ntable, sizeof *m->table);
  return a->failed ? fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a model of %d bodies.", n->body) : FLY_OK;
}

// ------------------------------------------------------------------------------------------ bodies

static void set_columns(fly_body *b) {
  static const int count[] = {[FLY_RIGID] = 6, [FLY_PLANAR] = 3, [FLY_POINT_MASS] = 3};
  static const int list[][6] = {
      [FLY_RIGID] = {0, 1, 2, 3, 4, 5}, [FLY_PLANAR] = {0, 1, 5}, [FLY_POINT_MASS] = {0, 1, 2}};
  b->columns = count[b->kind];
  memcpy(b->column, list[b->kind], sizeof b->column);
}

// Mass, centre and inertia of the shapes that have a density, in the body's frame. False: none has one.
static bool add_shapes(const fly_item *item, fly_inertia *sum) {
  const fly_value *shapes = fly_item_value(item, "shapes");
  bool any = false;
  *sum = (fly_inertia){0};
  for (int k = 0; shapes->given && k < shapes->count; k++) {
    const double *n = shapes->number + (size_t)k * FLY_SHAPE_NUMBERS;
    fly_inertia part;
    const int kind = fly_shape_find(shapes->word[k]); // a mesh has none and is only seen
    if (kind < 0 || isnan(n[FLY_SHAPE_DENSITY]))
      continue;
    fly_shape_inertia(&part, (fly_shape_kind)kind, n + FLY_SHAPE_SIZE, n[FLY_SHAPE_DENSITY]);
    fly_inertia_place(&part, &part, n + FLY_SHAPE_AT, n + FLY_SHAPE_AXES);
    fly_inertia_add(sum, &part);
    any = true;
  }
  return any;
}

static fly_status given_inertia(const fly_item *item, double J[9], fly_error *error) {
  const fly_value *v = fly_item_value(item, "inertia");
  const double *I = v->number;
  if (v->count == 3)
    memcpy(J, (double[9]){I[0], 0, 0, 0, I[1], 0, 0, 0, I[2]}, 9 * sizeof *J);
  else if (v->count == 6)
    memcpy(J, (double[9]){I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}, 9 * sizeof *J);
  else
    return fail_at(item, error, "`inertia` takes 3 or 6 numbers, not %d.", v->count);
  return FLY_OK;
}

// What is given wins over what the shapes say: another mass scales their inertia.
static fly_status join_inertia(const fly_item *item, bool shaped, fly_inertia *sum, fly_error *error) {
  const bool mass = fly_item_given(item, "mass"), inertia = fly_item_given(item, "inertia");
  if (!shaped && !mass)
    return fail_at(item, error, "`mass` is missing [kg]: give it, or a density to its shapes.");
  if (!shaped && !inertia)
    return fail_at(item, error, "`inertia` is missing [kg m^2]: give it, or a density to its shapes.");
  if (shaped && !(sum->mass > 0))
    return fail_at(item, error,
                   "its shapes have a mass of %.4g kg in all; holes (of negative density) lie in something.",
                   sum->mass);
  if (shaped && !inertia && fly_item_given(item, "center"))
    return fail_at(item, error,
                   "`center` is given, but the inertia of its shapes is about their own mass centre; give "
                   "`inertia` too, or no `center`.");
  if (mass) {
    const double given = fly_item_number(item, "mass");
    for (int k = 0; shaped && k < 9; k++)
      sum->I[k] *= given / sum->mass;
    sum->mass = given;
  }
  if (!shaped || fly_item_given(item, "center"))
    fly_item_numbers(item, "center", 3, sum->center);
  return inertia ? given_inertia(item, sum->I, error) : FLY_OK;
}

static fly_status set_inertia(const fly_item *item, fly_body *b, fly_error *error) {
  fly_inertia sum;
  const bool shaped = add_shapes(item, &sum);
  fly_status status = join_inertia(item, shaped, &sum, error);
  if (status)
    return status;
  const fly_inertia_report report = fly_inertia_check(&sum);
  if (report.verdict != FLY_INERTIA_GOOD)
    return fail_at(item, error, "%s. Its principal moments are %.4g, %.4g and %.4g kg m^2.",
                   fly_inertia_texts[report.verdict], report.moment[0], report.moment[1], report.moment[2]);
  b->mass = sum.mass;
  memcpy(b->center, sum.center, sizeof b->center);
  memcpy(b->J, sum.I, sizeof b->J);
  return FLY_OK;
}

// Frame of the user to mass centre: r + R c, v + w x R c; angular velocity from space to body axes.
static void place_rigid(const fly_item *item, fly_body *b) {
  double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, w[3], rc[3], wrc[3];
  if (fly_item_given(item, "orientation"))
    fly_item_numbers(item, "orientation", 9, R);
  fly_item_numbers(item, "position", 3, b->q0);
  fly_item_numbers(item, "velocity", 3, b->v0);
  fly_item_numbers(item, "angular_velocity", 3, w);
  fly_to_space(rc, R, b->center);
  fly_cross(wrc, w, rc);
  for (int k = 0; k < 3; k++) {
    b->q0[k] += rc[k];
    b->v0[k] += wrc[k];
  }
  fly_quat_of_matrix(b->q0 + 3, R);
  fly_to_body(b->v0 + 3, R, w);
}

static void place_planar(const fly_item *item, fly_body *b) {
  double p[2], v[2], angle = fly_item_number(item, "angle"), w = fly_item_number(item, "angular_velocity");
  fly_item_numbers(item, "center", 2, b->center);
  fly_item_numbers(item, "position", 2, p);
  fly_item_numbers(item, "velocity", 2, v);
  double c = cos(angle), s = sin(angle);
  double x = c * b->center[0] - s * b->center[1], y = s * b->center[0] + c * b->center[1];
  memcpy(b->q0, (double[3]){p[0] + x, p[1] + y, angle}, 3 * sizeof(double));
  memcpy(b->v0, (double[3]){v[0] - w * y, v[1] + w * x, w}, 3 * sizeof(double));
}

static bool is_ground(const fly_item *item) { return strcmp(item->name, "ground") == 0; }

static fly_status add_body(fly_model *m, int k, fly_error *error) {
  const fly_item *item = &m->spec->item[k];
  if (is_ground(item)) // it has markers only
    return FLY_OK;
  fly_body *b = &m->body[m->nbody];
  fly_status status = FLY_OK;
  *b = (fly_body){.name = item->name, .item = k, .iq = m->nq, .iv = m->nv};
  b->kind = is_type(item, "planar") ? FLY_PLANAR : is_type(item, "point") ? FLY_POINT_MASS : FLY_RIGID;
  set_columns(b);
  if (b->kind != FLY_RIGID)
    b->mass = fly_item_number(item, "mass");
  if (b->kind == FLY_RIGID) {
    status = set_inertia(item, b, error);
    place_rigid(item, b);
  } else if (b->kind == FLY_PLANAR) {
    b->J[8] = fly_item_number(item, "inertia");
    place_planar(item, b);
  } else {
    fly_item_numbers(item, "position", 3, b->q0);
    fly_item_numbers(item, "velocity", 3, b->v0);
  }
  m->body_of_item[k] = m->nbody++;
  m->nq += b->columns + (b->kind == FLY_RIGID);
  m->nv += b->columns;
  m->nrotation += b->kind == FLY_RIGID;
  return status;
}

void fly_body_start(const fly_body *b, fly_kinematics *k) { fly_body_kinematics(b, b->q0, b->v0, k); }

void fly_body_kinematics(const fly_body *b, const double *q, const double *v, fly_kinematics *k) {
  *k = (fly_kinematics){0};
  fly_body_position(b, q, k);
  fly_body_velocity(b, v, k);
}

void fly_body_position(const fly_body *b, const double *q, fly_kinematics *k) {
  memcpy(k->r, q, sizeof k->r);
  if (b->kind == FLY_RIGID) {
    fly_quat_matrix(k->R, q + 3);
    return;
  }
  memcpy(k->R, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, sizeof k->R);
  if (b->kind == FLY_PLANAR) {
    k->r[2] = 0;
    k->R[0] = k->R[4] = cos(q[2]);
    k->R[3] = sin(q[2]);
    k->R[1] = -k->R[3];
  }
}

void fly_body_velocity(const fly_body *b, const double *v, fly_kinematics *k) {
  memcpy(k->v, v, sizeof k->v);
  if (b->kind == FLY_RIGID) {
    memcpy(k->w, v + 3, sizeof k->w);
  } else if (b->kind == FLY_PLANAR) {
    k->v[2] = 0;
    k->w[2] = v[2];
  }
}

// ------------------------------------------------------------------------------------------ markers

static const fly_kinematics GROUND_KINEMATICS = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static void start_kinematics(const fly_model *m, int body, fly_kinematics *k) {
  if (body == FLY_GROUND)
    *k = GROUND_KINEMATICS;
  else
    fly_body_start(&m->body[body], k);
}

static int add_marker(fly_model *m, const char *name, int body, const double s[3], const double A[9]) {
  fly_model_marker *k = &m->marker[m->nmarker];
  k->name = name;
  k->body = body;
  memcpy(k->m.s, s, sizeof k->m.s);
  memcpy(k->m.A, A, sizeof k->m.A);
  return m->nmarker++;
}

static const double UNIT[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// The frame the user gave first, then the markers, all seen from the mass centre. Marker 0 is ground.
static void add_body_markers(fly_model *m, int body) {
  fly_body *b = &m->body[body];
  const fly_item *item = &m->spec->item[b->item];
  double s[3] = {-b->center[0], -b->center[1], -b->center[2]};
  b->first_marker = add_marker(m, item->name, body, s, UNIT);
  for (int k = 0; k < item->nmarker; k++) {
    for (int i = 0; i < 3; i++)
      s[i] = item->marker[k].at[i] - b->center[i];
    add_marker(m, item->marker[k].name, body, s, item->marker[k].A);
  }
}

static void add_ground_markers(fly_model *m) {
  const fly_item *item = fly_spec_find(m->spec, "bodies", "ground");
  add_marker(m, "ground", FLY_GROUND, (double[3]){0}, UNIT);
  for (int k = 0; item && k < item->nmarker; k++)
    add_marker(m, item->marker[k].name, FLY_GROUND, item->marker[k].at, item->marker[k].A);
}

int fly_model_body(const fly_model *m, const char *name) {
  if (strcmp(name, "ground") == 0)
    return FLY_GROUND;
  const fly_item *item = fly_spec_find(m->spec, "bodies", name);
  return item ? m->body_of_item[item - m->spec->item] : -2;
}

int fly_model_marker_find(const fly_model *m, const char *reference) {
  char body[256];
  const char *dot = strrchr(reference, '.');
  size_t n = dot ? (size_t)(dot - reference) : strlen(reference);
  if (n >= sizeof body)
    return -1;
  memcpy(body, reference, n);
  body[n] = 0;
  int b = fly_model_body(m, body), first = b >= 0 ? m->body[b].first_marker : 0;
  const fly_item *item = b < FLY_GROUND ? NULL : fly_spec_find(m->spec, "bodies", body);
  if (!dot)
    return b < FLY_GROUND ? -1 : first;
  for (int k = 0; item && k < item->nmarker; k++)
    if (strcmp(item->marker[k].name, dot + 1) == 0)
      return first + 1 + k;
  return -1;
}

// ------------------------------------------------------------------------------------------ joints

// Axes with the given z. The second axis is kept level or along y, so that in a plane one of x, y is its normal.
static bool axes_of(double A[9], const double z[3]) {
  double n = sqrt(fly_dot3(z, z)), e[3], x[3], y[3];
  if (!(n > 0))
    return false;
  for (int k = 0; k < 3; k++)
    e[k] = z[k] / n;
  const double up[3] = {0, 0, 1}, right[3] = {1, 0, 0};
  bool steep = fabs(e[2]) > 0.9;
  if (steep) {
    fly_cross(y, e, right);
  } else {
    fly_cross(y, up, e);
  }
  double length = sqrt(fly_dot3(y, y));
  for (int k = 0; k < 3; k++)
    y[k] /= length;
  fly_cross(x, y, e);
  for (int k = 0; k < 3; k++) {
    A[3 * k] = x[k];
    A[3 * k + 1] = y[k];
    A[3 * k + 2] = e[k];
  }
  return true;
}

// A marker on a body at a place and with axes given in space at the start.
static int marker_in_space(fly_model *m, const char *name, int body, const double at[3], const double A[9]) {
  fly_kinematics k;
  double d[3], s[3], local[9];
  start_kinematics(m, body, &k);
  for (int i = 0; i < 3; i++)
    d[i] = at[i] - k.r[i];
  fly_to_body(s, k.R, d);
  fly_multiply3_transposed(local, k.R, A);
  return add_marker(m, name, body, s, local);
}

static fly_status marker_named(const fly_model *m, const fly_item *item, const char *parameter, int *marker,
                               fly_error *error) {
  const char *reference = fly_item_word(item, parameter, 0);
  if (!reference)
    return fail_at(item, error, "`%s` is missing.", parameter);
  *marker = fly_model_marker_find(m, reference);
  return *marker < 0 ? fail_at(item, error, "`%s`: there is no marker `%s`.", parameter, reference) : FLY_OK;
}

static fly_status joint_bodies(const fly_model *m, const fly_item *item, int body[2], fly_error *error) {
  for (int k = 0; k < 2; k++) {
    const char *name = fly_item_word(item, "bodies", k);
    body[k] = name ? fly_model_body(m, name) : -2;
    if (body[k] < FLY_GROUND)
      return fail_at(item, error, "`bodies`: there is no body `%s`.", name ? name : "");
  }
  return body[0] == body[1] ? fail_at(item, error, "joins a body to itself.") : FLY_OK;
}

static bool flat_body(const fly_model *m, int body) { return body == FLY_GROUND || m->body[body].kind == FLY_PLANAR; }

static fly_status axes_given(const fly_item *item, const char *parameter, double A[9], fly_error *error) {
  double z[3];
  fly_item_numbers(item, parameter, 3, z);
  return axes_of(A, z) ? FLY_OK : fail_at(item, error, "`%s` has no length.", parameter);
}

// Axes B as A after the shortest turn that takes the z of A to the z of B: 1 + [u] + [u]^2 / (1 + c), u = z_A x z_B,
// c = z_A . z_B.
static bool bend(double B[9], const double A[9]) {
  const double a[3] = {A[2], A[5], A[8]}, b[3] = {B[2], B[5], B[8]};
  double u[3], S[9], SS[9], c = fly_dot3(a, b);
  fly_cross(u, a, b);
  fly_skew(S, u);
  fly_multiply3(SS, S, S);
  for (int k = 0; k < 9; k++)
    S[k] += UNIT[k] + SS[k] / (1 + c);
  if (c > 0)
    fly_multiply3(B, S, A);
  return c > 0;
}

// Axes of the two markers in space: z along axis, and along axis2 on the second body where the joint has one.
static fly_status joint_axes(const fly_model *m, const fly_item *item, const int body[2], double A[2][9],
                             fly_error *error) {
  bool straight = is_type(item, "constant-velocity"); // axis2 may be left out
  memcpy(A[0], UNIT, sizeof UNIT);
  memcpy(A[1], UNIT, sizeof UNIT);
  if (fly_parameter_find(item->type, "axis") < 0)
    return FLY_OK;
  bool given = fly_item_given(item, "axis");
  if (!given && !(flat_body(m, body[0]) && flat_body(m, body[1])))
    return fail_at(item, error, "`axis` is missing: a direction in space at the start.");
  fly_status status = given ? axes_given(item, "axis", A[0], error) : FLY_OK;
  memcpy(A[1], A[0], sizeof A[0]);
  if (status || fly_parameter_find(item->type, "axis2") < 0)
    return status;
  if (fly_item_given(item, "axis2"))
    status = axes_given(item, "axis2", A[1], error);
  else if (!straight)
    return fail_at(item, error, "`axis2` is missing: a direction in space at the start.");
  if (status == FLY_OK && straight && !bend(A[1], A[0]))
    return fail_at(
        item, error,
        "`axis` and `axis2` are 90 degrees apart or more; both shafts point the same way through the joint.");
  return status;
}

static fly_status joint_markers(fly_model *m, const fly_item *item, int marker[2], fly_error *error) {
  if (fly_parameter_find(item->type, "bodies") < 0 || !fly_item_given(item, "bodies")) {
    fly_status status = marker_named(m, item, "from", &marker[0], error);
    if (status == FLY_OK)
      status = marker_named(m, item, "to", &marker[1], error);
    if (status == FLY_OK && m->marker[marker[0]].body == m->marker[marker[1]].body)
      status = fail_at(item, error, "joins a body to itself.");
    return status;
  }
  int body[2] = {FLY_GROUND, FLY_GROUND};
  double A[2][9] = {{0}}, at[3] = {0};
  fly_status status = joint_bodies(m, item, body, error);
  if (status == FLY_OK)
    status = joint_axes(m, item, body, A, error);
  if (status)
    return status;
  if (fly_item_given(item, "at")) {
    fly_item_numbers(item, "at", 3, at);
  } else if (!is_type(item, "orientation")) {
    return fail_at(item, error, "`at` is missing: where the joint is at the start [m].");
  }
  for (int k = 0; k < 2; k++)
    marker[k] = marker_in_space(m, item->name, body[k], at, A[k]);
  return FLY_OK;
}

static bool flat(const fly_model *m, int marker) { return flat_body(m, m->marker[marker].body); }

// Columns of the pair along which its bodies can move.
static void pair_columns(const fly_model *m, const fly_model_pair *pair, bool active[FLY_PAIR]) {
  for (int side = 0; side < 2; side++) {
    int body = m->marker[side ? pair->mj : pair->mi].body;
    for (int c = 0; c < 6; c++)
      active[6 * side + c] = false;
    for (int c = 0; body != FLY_GROUND && c < m->body[body].columns; c++)
      active[6 * side + m->body[body].column[c]] = true;
  }
}

// Rows of a primitive that planar bodies feel at all: in the plane a revolute joint is two rows, not five.
static int rows_felt(const fly_model *m, const fly_model_pair *pair, fly_primitive_kind kind, const fly_primitive *k) {
  int all = (1 << fly_primitive_types[kind].rows) - 1, felt = 0;
  if (!flat(m, pair->mi) || !flat(m, pair->mj))
    return all;
  bool active[FLY_PAIR];
  pair_columns(m, pair, active);
  for (int trial = 0; trial < 2; trial++) { // two turns, so that no row is missed by chance
    fly_kinematics body[2];
    for (int side = 0; side < 2; side++) {
      double a = m->marker[side ? pair->mj : pair->mi].body == FLY_GROUND ? 0.0 : 0.7 + trial + 0.4 * side;
      body[side] = (fly_kinematics){.r = {0.3 * side, 0.2, 0}, .R = {cos(a), -sin(a), 0, sin(a), cos(a), 0, 0, 0, 1}};
    }
    fly_pair p = {&body[0], &body[1], &m->marker[pair->mi].m, &m->marker[pair->mj].m};
    double G[3 * FLY_PAIR];
    fly_primitive_types[kind].jacobian(G, &p, k);
    for (int row = 0; row < fly_primitive_types[kind].rows; row++)
      for (int c = 0; c < FLY_PAIR; c++)
        if (active[c] && fabs(G[FLY_PAIR * row + c]) > 1e-9)
          felt |= 1 << row;
  }
  return felt;
}

static void add_row(fly_model *m, int item, const char *direction) {
  m->row[m->nrow++] = (fly_row){.item = item, .direction = direction, .motion = -1};
}

// Its turns count.
static void add_counted(fly_model *m, int item, const char *direction) {
  add_row(m, item, direction);
  m->row[m->nrow - 1].counted = true;
}

// What planar bodies do not feel they cannot mend either: it must hold as it stands.
static fly_status check_unfelt(const fly_model *m, int item, int pair, const fly_joint_row *r, int n, int felt,
                               fly_error *error) {
  fly_kinematics body[2];
  double sum[3] = {0};
  if (felt == (1 << fly_primitive_types[r->kind].rows) - 1)
    return FLY_OK;
  start_kinematics(m, m->marker[m->pair[pair].mi].body, &body[0]);
  start_kinematics(m, m->marker[m->pair[pair].mj].body, &body[1]);
  fly_pair p = {&body[0], &body[1], &m->marker[m->pair[pair].mi].m, &m->marker[m->pair[pair].mj].m};
  for (int k = 0; k < n; k++) {
    double g[3] = {0};
    fly_primitive_types[r[k].kind].value(g, &p, &(fly_primitive){r[k].axis_i, r[k].axis_j, 0.0});
    for (int row = 0; row < 3; row++)
      sum[row] += k > 0 ? -g[row] : g[row];
  }
  for (int row = 0; row < fly_primitive_types[r->kind].rows; row++)
    if (!(felt & (1 << row)) && fabs(sum[row]) > 1e-9)
      return fail_at(&m->spec->item[item], error,
                     "its %s is off by %.3g and planar bodies cannot move that way; check places and axes.",
                     r->kind == FLY_POINT ? "height" : r->direction, sum[row]);
  return FLY_OK;
}

// A primitive of a joint and its rows, less the n - 1 primitives that follow it.
static fly_status add_primitive(fly_model *m, int item, int pair, const fly_joint_row *r, int n, double c,
                                fly_error *error) {
  static const char *const space[] = {"x", "y", "z"};
  int felt = 0;
  for (int k = 0; k < n; k++)
    felt |= rows_felt(m, &m->pair[pair], r[k].kind, &(fly_primitive){r[k].axis_i, r[k].axis_j, c});
  fly_status status = check_unfelt(m, item, pair, r, n, felt, error);
  if (status || !felt)
    return status;
  for (int k = 0; k < n; k++)
    m->term[m->nterm++] = (fly_term){.kind = r[k].kind,
                                     .k = {r[k].axis_i, r[k].axis_j, c},
                                     .pair = pair,
                                     .row = m->nrow,
                                     .rows = felt,
                                     .factor = k > 0 ? -1.0 : 1.0};
  for (int row = 0; row < 3; row++) // no primitive has more
    if (felt & (1 << row))
      add_row(m, item, r->kind == FLY_POINT ? space[row] : r->direction);
  return FLY_OK;
}

static double start_distance(const fly_model *m, const fly_model_pair *pair) {
  fly_kinematics ki, kj;
  double a[3], b[3];
  start_kinematics(m, m->marker[pair->mi].body, &ki);
  start_kinematics(m, m->marker[pair->mj].body, &kj);
  fly_point(a, &ki, &m->marker[pair->mi].m);
  fly_point(b, &kj, &m->marker[pair->mj].m);
  return sqrt(pow(b[0] - a[0], 2) + pow(b[1] - a[1], 2) + pow(b[2] - a[2], 2));
}

static int add_pair(fly_model *m, int mi, int mj) {
  m->pair[m->npair] = (fly_model_pair){mi, mj};
  return m->npair++;
}

static fly_status link_length(const fly_model *m, const fly_item *item, int pair, double *length, fly_error *error) {
  *length = fly_item_given(item, "length") ? fly_item_number(item, "length") : start_distance(m, &m->pair[pair]);
  return *length > 0 ? FLY_OK : fail_at(item, error, "its ends coincide at the start and no `length` is given.");
}

// A point mass has a place, but neither axes nor other places.
static fly_status check_point_mass(const fly_model *m, const fly_item *item, int pair, const fly_joint_type *type,
                                   fly_error *error) {
  for (int side = 0; side < 2; side++) {
    const fly_model_marker *at = &m->marker[side ? m->pair[pair].mj : m->pair[pair].mi];
    if (at->body == FLY_GROUND || m->body[at->body].kind != FLY_POINT_MASS)
      continue;
    const char *name = m->body[at->body].name;
    for (int k = 0; k < type->nrow; k++)
      if (type->row[k].kind == FLY_DOT || (type->row[k].kind == FLY_PLANE && side == 0))
        return fail_at(item, error, "`%s` is a point mass, which has no axes%s.", name,
                       type->row[k].kind == FLY_PLANE ? "; let it be the second body" : ": try a spherical joint");
    if (sqrt(fly_dot3(at->m.s, at->m.s)) > 1e-9)
      return fail_at(item, error, "`at` is %.3g m from the point mass `%s`; give the place where that starts.",
                     sqrt(fly_dot3(at->m.s, at->m.s)), name);
  }
  return FLY_OK;
}

static fly_status add_primitives(fly_model *m, int item, int pair, const fly_joint_type *type, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  int first = m->nrow;
  double length = 0;
  fly_status status = check_point_mass(m, it, pair, type, error);
  if (status == FLY_OK && fly_parameter_find(it->type, "length") >= 0)
    status = link_length(m, it, pair, &length, error);
  for (int k = 0, n = 1; k < type->nrow && status == FLY_OK; k += n) {
    const fly_joint_row *r = &type->row[k];
    for (n = 1; k + n < type->nrow && !r[n].direction;)
      n++;
    status = add_primitive(m, item, pair, r, n, r->kind == FLY_DISTANCE ? length : 0.0, error);
  }
  if (status == FLY_OK && m->nrow == first)
    status = fail_at(it, error, "holds nothing between planar bodies, which stay in their plane by themselves.");
  return status;
}

// Coordinate of a pair as one term of a row: its turn about an axis of the first marker, or its displacement along it.
static void add_coordinate(fly_model *m, int pair, bool angle, int axis, int row, double factor) {
  fly_primitive k = {axis, 0, 0.0};
  m->term[m->nterm++] =
      (fly_term){.kind = angle ? FLY_ANGLE : FLY_PLANE, .k = k, .pair = pair, .row = row, .rows = 1, .factor = factor};
}

static fly_status add_joint(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  int marker[2] = {0, 0};
  const fly_joint_type *type = fly_joint_type_find(it->type->name);
  if (!type)
    return FLY_OK; // a coupler: when all joints are there
  fly_status status = joint_markers(m, it, marker, error);
  if (status)
    return status;
  int pair = add_pair(m, marker[0], marker[1]);
  m->joint_pair[item] = pair;
  status = add_primitives(m, item, pair, type, error);
  if (status == FLY_OK && is_type(it, "screw")) {
    const double tau = 6.283185307179586;
    add_coordinate(m, pair, false, 2, m->nrow, 1.0);
    add_coordinate(m, pair, true, 2, m->nrow, -fly_item_number(it, "pitch") / tau);
    add_counted(m, item, "advance");
  }
  return status;
}

static fly_status joint_named(const fly_model *m, const fly_item *item, const char *name, int *joint,
                              fly_error *error) {
  const fly_item *found = name ? fly_spec_find(m->spec, "joints", name) : NULL;
  if (!found)
    return fail_at(item, error, "there is no joint `%s`.", name ? name : "");
  *joint = (int)(found - m->spec->item);
  return FLY_OK;
}

static bool turns(const fly_item *joint) {
  return is_type(joint, "revolute") || is_type(joint, "cylindrical") || is_type(joint, "screw");
}
static bool slides(const fly_item *joint) { return is_type(joint, "translational") || is_type(joint, "cylindrical"); }

static fly_status add_coupler(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  const fly_value *joints = fly_item_value(it, "joints"), *ratios = fly_item_value(it, "ratios");
  if (joints->count < 2 || joints->count > 3 || ratios->count != joints->count)
    return fail_at(it, error, "takes two or three joints and as many ratios, not %d and %d.", joints->count,
                   ratios->count);
  for (int k = 0; k < joints->count; k++) {
    int joint = 0;
    fly_status status = joint_named(m, it, joints->word[k], &joint, error);
    if (status)
      return status;
    const fly_item *j = &m->spec->item[joint];
    if (!turns(j) && !slides(j))
      return fail_at(it, error, "`%s` is a %s joint; a coupler takes revolute and translational ones.", j->name,
                     j->type->name);
    add_coordinate(m, m->joint_pair[joint], turns(j), 2, m->nrow, ratios->number[k]);
  }
  add_counted(m, item, "ratio");
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ gears

// Two joints with a body in common, the carrier. Turns and travels are those of the other bodies against it: sign is
// -1 where the joint has it second.
typedef struct geared {
  const fly_item *joint[2];
  int pair[2], carrier;
  double sign[2];
} geared;

static int pair_body(const fly_model *m, int pair, int side) {
  return m->marker[side ? m->pair[pair].mj : m->pair[pair].mi].body;
}

static fly_status find_carrier(const fly_model *m, const fly_item *item, geared *g, fly_error *error) {
  int found = 0;
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++)
      if (pair_body(m, g->pair[0], a) == pair_body(m, g->pair[1], b)) {
        g->carrier = pair_body(m, g->pair[0], a);
        g->sign[0] = a ? -1.0 : 1.0;
        g->sign[1] = b ? -1.0 : 1.0;
        found++;
      }
  if (found == 1)
    return FLY_OK;
  return fail_at(item, error, "its joints `%s` and `%s` need one body in common, the carrier; they have %s.",
                 g->joint[0]->name, g->joint[1]->name, found ? "two" : "none");
}

static fly_status find_geared(const fly_model *m, const fly_item *item, bool rack, geared *g, fly_error *error) {
  const fly_value *joints = fly_item_value(item, "joints");
  if (joints->count != 2)
    return fail_at(item, error, "takes two joints, not %d.", joints->count);
  for (int k = 0; k < 2; k++) {
    int joint = 0;
    fly_status status = joint_named(m, item, joints->word[k], &joint, error);
    if (status)
      return status;
    g->joint[k] = &m->spec->item[joint];
    g->pair[k] = m->joint_pair[joint];
    bool slide = rack && k == 1;
    if (slide ? !slides(g->joint[k]) : !turns(g->joint[k]))
      return fail_at(item, error, "`%s` is a %s joint, which does not %s.", g->joint[k]->name, g->joint[k]->type->name,
                     slide ? "slide" : "turn");
  }
  return find_carrier(m, item, g, error);
}

static const fly_marker *on_carrier(const fly_model *m, const geared *g, int k) {
  const fly_model_pair *pair = &m->pair[g->pair[k]];
  return &m->marker[g->sign[k] > 0 ? pair->mi : pair->mj].m;
}

// Turns of the first for one of the second, from pitch radii: the axes must be parallel, and as far apart as the radii
// say.
static fly_status ratio_of_radii(const fly_model *m, const fly_item *item, const geared *g, double *ratio,
                                 fly_error *error) {
  const fly_marker *one = on_carrier(m, g, 0), *two = on_carrier(m, g, 1);
  double r[2], a[3], b[3], d[3], across[3];
  bool internal = strcmp(fly_item_word(item, "mesh", 0), "internal") == 0;
  fly_item_numbers(item, "radii", 2, r);
  fly_axis(a, one, 2);
  fly_axis(b, two, 2);
  double alike = fly_dot3(a, b);
  if (fabs(alike) < 1 - 1e-6)
    return fail_at(item, error, "its axes are not parallel; give their `ratio` instead of `radii`.");
  for (int k = 0; k < 3; k++)
    d[k] = two->s[k] - one->s[k];
  fly_cross(across, a, d);
  double apart = sqrt(fly_dot3(across, across)), meant = internal ? fabs(r[0] - r[1]) : r[0] + r[1];
  if (fabs(apart - meant) > 1e-3 * (r[0] + r[1]))
    return fail_at(item, error, "its axes are %.6g m apart, but gears of these `radii` in %s mesh %.6g m.", apart,
                   internal ? "internal" : "external", meant);
  *ratio = (internal == (alike > 0) ? 1.0 : -1.0) * r[1] / r[0];
  return FLY_OK;
}

// angle - ratio * angle2 stays as at the start.
static fly_status add_gear(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  bool radii = fly_item_given(it, "radii");
  double ratio = fly_item_given(it, "ratio") ? fly_item_number(it, "ratio") : 0.0;
  geared g = {0};
  if (radii == fly_item_given(it, "ratio"))
    return fail_at(it, error, "takes either `radii` or `ratio`.");
  if (!radii && (ratio == 0 || fly_item_given(it, "mesh")))
    return fail_at(it, error, ratio == 0 ? "`ratio` is 0." : "`mesh` goes with `radii`; a `ratio` has its sign.");
  fly_status status = find_geared(m, it, false, &g, error);
  if (status == FLY_OK && radii)
    status = ratio_of_radii(m, it, &g, &ratio, error);
  if (status)
    return status;
  add_coordinate(m, g.pair[0], true, 2, m->nrow, g.sign[0]);
  add_coordinate(m, g.pair[1], true, 2, m->nrow, -ratio * g.sign[1]);
  add_counted(m, item, "ratio");
  return FLY_OK;
}

// displacement - radius * angle stays as at the start.
static fly_status add_rack(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  double radius = fly_item_number(it, "radius");
  geared g = {0};
  if (radius == 0)
    return fail_at(it, error, "`radius` is 0.");
  fly_status status = find_geared(m, it, true, &g, error);
  if (status)
    return status;
  add_coordinate(m, g.pair[0], true, 2, m->nrow, -radius * g.sign[0]);
  add_coordinate(m, g.pair[1], false, 2, m->nrow, g.sign[1]);
  add_counted(m, item, "travel");
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ motions

// The model an expression belongs to, and what it knows beside time and measures: words that stand for measures.
typedef struct asking {
  fly_model *m;
  const char *word[3]; // ended by NULL
  fly_model_measure measure[2];
} asking;

static bool same_measure(const fly_model_measure *a, const fly_model_measure *b) {
  return a->kind == b->kind && a->joint == b->joint && memcmp(a->marker, b->marker, sizeof a->marker) == 0;
}

// The input of a measure: 1 + its number. The same measure is found again. There is room for all: they were counted.
static int measure_input(fly_model *m, const fly_model_measure *found) {
  const int part[] = {found->kind, found->joint, found->marker[0], found->marker[1], found->marker[2]};
  unsigned at = 2166136261U, mask = (unsigned)m->measure_slots - 1; // FNV
  for (int k = 0; k < 5; k++)
    at = (at ^ (unsigned)part[k]) * 16777619U;
  at ^= at >> 15;
  for (; m->measure_slot[at & mask] > 0; at++)
    if (same_measure(&m->measure[m->measure_slot[at & mask] - 1], found))
      return m->measure_slot[at & mask];
  m->measure[m->nmeasure] = *found;
  m->measure[m->nmeasure].output = -1;
  return m->measure_slot[at & mask] = ++m->nmeasure;
}

static int resolve_word(const asking *who, const char *name) {
  for (int k = 0; k < 2 && who->word[k]; k++)
    if (strcmp(who->word[k], name) == 0)
      return measure_input(who->m, &who->measure[k]);
  return FLY_EXPR_UNKNOWN;
}

// fx(joint, marker) as a measure.
static int resolve_reaction(fly_expr_answer *answer, fly_model *m, int kind, const fly_expr_reference *asked) {
  const char *name = asked->count > 0 ? asked->argument[0].word : NULL;
  const fly_item *joint = name ? fly_spec_find(m->spec, "joints", name) : NULL;
  const int pair = joint ? m->joint_pair[joint - m->spec->item] : -1;
  answer->argument = asked->count > 0 ? 0 : -1;
  if (asked->count > 2 || pair < 0) {
    snprintf(answer->message, sizeof answer->message,
             joint && pair < 0 ? "`%s` has no reaction of its own: ask the joints it ties together"
                               : "%s takes a joint, and perhaps a marker whose axes it has",
             joint && pair < 0 ? joint->name : asked->name);
    return FLY_EXPR_UNKNOWN;
  }
  fly_model_measure found = {.kind = kind,
                             .joint = (int)(joint - m->spec->item),
                             .marker = {m->pair[pair].mi, m->pair[pair].mj, m->pair[pair].mi}};
  if (asked->count == 2) {
    const char *word = asked->argument[1].word;
    found.marker[2] = word ? fly_model_marker_find(m, word) : -1;
  }
  if (found.marker[2] >= 0)
    return measure_input(m, &found);
  answer->argument = 1;
  snprintf(answer->message, sizeof answer->message, "there is no marker `%s`",
           asked->argument[1].word ? asked->argument[1].word : "");
  return FLY_EXPR_UNKNOWN;
}

// dx(a, b, c) as a measure.
static int resolve(fly_expr_answer *answer, const fly_expr_reference *asked, void *user) {
  const asking *who = user;
  fly_model *m = who->m;
  if (!asked->call)
    return resolve_word(who, asked->name);
  int kind = fly_measure_find(asked->name), reaction = fly_reaction_find(asked->name);
  if (reaction >= 0)
    return resolve_reaction(answer, m, reaction, asked);
  if (kind < 0)
    return FLY_EXPR_UNKNOWN;
  fly_model_measure found = {.kind = kind, .joint = -1, .marker = {-1, -1, -1}};
  const fly_measure_type *type = &fly_measure_types[kind];
  if (asked->count < 1 || asked->count > type->markers) {
    snprintf(answer->message, sizeof answer->message, "%s takes 1 to %d markers, not %d", asked->name, type->markers,
             asked->count);
    return FLY_EXPR_UNKNOWN;
  }
  for (int k = 0; k < asked->count; k++) {
    const char *word = asked->argument[k].word;
    found.marker[k] = word ? fly_model_marker_find(m, word) : -1;
    if (found.marker[k] >= 0)
      continue;
    answer->argument = k;
    snprintf(answer->message, sizeof answer->message, "there is no marker `%s`", word ? word : "");
    return FLY_EXPR_UNKNOWN;
  }
  return measure_input(m, &found);
}

static fly_status compile_asking(asking *who, const fly_item *item, const char *parameter, int k, int *expression,
                                 fly_error *error) {
  fly_model *m = who->m;
  fly_expr_scope scope = fly_expr_scope_default();
  fly_error why = {0};
  const char *calls[FLY_MEASURE_KINDS + FLY_REACTION_KINDS + 1] = {NULL};
  for (int i = 0; i < FLY_MEASURE_KINDS; i++)
    calls[i] = fly_measure_types[i].name;
  for (int i = 0; i < FLY_REACTION_KINDS; i++)
    calls[FLY_MEASURE_KINDS + i] = fly_reaction_types[i].name;
  scope.nparameters = m->spec->nparameter;
  scope.parameter = m->constant;
  scope.ntables = m->spec->ntable;
  scope.table = m->table;
  scope.resolve = resolve;
  scope.user = who;
  scope.words = who->word;
  scope.calls = calls;
  fly_status status = fly_expr_compile(&m->expression[m->nexpression], fly_item_word(item, parameter, k), &scope, &why);
  if (status)
    return fail_at(item, error, "`%s`: %s", parameter, why.message);
  *expression = m->nexpression++;
  return FLY_OK;
}

static fly_status compile_text(fly_model *m, const fly_item *item, const char *parameter, int k, int *expression,
                               fly_error *error) {
  asking who = {.m = m};
  return compile_asking(&who, item, parameter, k, expression, error);
}

static fly_status compile_time(fly_model *m, const fly_item *item, const char *parameter, int *expression,
                               fly_error *error) {
  fly_status status = compile_text(m, item, parameter, 0, expression, error);
  if (status == FLY_OK && !fly_expr_is_time_only(m->expression[*expression]))
    return fail_at(item, error, "`%s` of a motion may depend on time only.", parameter);
  return status;
}

// What a motion moves: a coordinate of a pair.
typedef struct moved {
  int pair, axis;
  bool turn;
  const char *name; // of the coordinate, for people
} moved;

// Which of the four expressions is given, and what it is of the coordinate.
typedef struct prescribed {
  const char *parameter;
  int level;
} prescribed;

static fly_status find_prescribed(const fly_item *item, prescribed *out, fly_error *error) {
  static const prescribed ways[] = {{"angle", 0}, {"displacement", 0}, {"velocity", 1}, {"acceleration", 2}};
  int given = 0;
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
    if (fly_item_given(item, ways[k].parameter)) {
      *out = ways[k];
      given++;
    }
  return given == 1
             ? FLY_OK
             : fail_at(item, error, "takes one of `angle`, `displacement`, `velocity`, `acceleration`, not %d.", given);
}

static fly_status moved_joint(const fly_model *m, const fly_item *item, const prescribed *what, moved *out,
                              fly_error *error) {
  int joint = 0;
  const char *direction = fly_item_word(item, "direction", 0);
  fly_status status = joint_named(m, item, fly_item_word(item, "joint", 0), &joint, error);
  if (status)
    return status;
  const fly_item *j = &m->spec->item[joint];
  if (direction && strcmp(direction, "z") != 0 && strcmp(direction, "about-z") != 0)
    return fail_at(item, error, "`direction` of a joint is z or about-z: along or about its axis.");
  if (!direction && what->level > 0 && turns(j) && slides(j))
    return fail_at(item, error, "`%s` turns and slides; say which by `direction`: about-z or z.", j->name);
  bool turn = direction ? direction[0] == 'a' : what->level > 0 ? turns(j) : strcmp(what->parameter, "angle") == 0;
  if (turn ? !turns(j) : !slides(j))
    return fail_at(item, error, "`%s` is a %s joint, which does not %s.", j->name, j->type->name,
                   turn ? "turn" : "slide");
  *out = (moved){m->joint_pair[joint], 2, turn, turn ? "angle" : "displacement"};
  return FLY_OK;
}

static fly_status moved_markers(fly_model *m, int item, moved *out, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  const char *direction = fly_item_word(it, "direction", 0);
  int mi = 0, mj = 0;
  if (!direction)
    return fail_at(it, error, "`direction` is missing: x, y, z, about-x, about-y or about-z of `from`.");
  fly_status status = marker_named(m, it, "from", &mi, error);
  if (status == FLY_OK)
    status = marker_named(m, it, "to", &mj, error);
  if (status == FLY_OK && m->marker[mi].body == m->marker[mj].body)
    status = fail_at(it, error, "moves a body against itself.");
  if (status)
    return status;
  bool turn = direction[0] == 'a';
  *out = (moved){add_pair(m, mi, mj), direction[strlen(direction) - 1] - 'x', turn, direction};
  m->joint_pair[item] = out->pair;
  const fly_joint_type as_joint = {"motion", 1, {{turn ? FLY_DOT : FLY_PLANE, 0, 0, ""}}};
  return check_point_mass(m, it, out->pair, &as_joint, error);
}

static fly_status find_moved(fly_model *m, int item, const prescribed *what, moved *out, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  if (fly_item_given(it, "joint") == fly_item_given(it, "from"))
    return fail_at(it, error, "moves either a `joint` or two markers, `from` and `to`.");
  fly_status status =
      fly_item_given(it, "joint") ? moved_joint(m, it, what, out, error) : moved_markers(m, item, out, error);
  if (status == FLY_OK && what->level == 0 && out->turn != (strcmp(what->parameter, "angle") == 0))
    return fail_at(it, error, "`direction` %s goes with `%s`.", fly_item_word(it, "direction", 0),
                   out->turn ? "angle" : "displacement");
  fly_primitive k = {out->axis, 0, 0.0};
  if (status == FLY_OK && !rows_felt(m, &m->pair[out->pair], out->turn ? FLY_ANGLE : FLY_PLANE, &k))
    return fail_at(it, error, "planar bodies cannot move that way.");
  return status;
}

static fly_status add_motion(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  prescribed what = {0};
  moved coordinate = {0};
  int expression = 0;
  fly_status status = find_prescribed(it, &what, error);
  if (status == FLY_OK)
    status = find_moved(m, item, &what, &coordinate, error);
  if (status == FLY_OK)
    status = compile_time(m, it, what.parameter, &expression, error);
  if (status)
    return status;
  add_coordinate(m, coordinate.pair, coordinate.turn, coordinate.axis, m->nrow, 1.0);
  add_row(m, item, coordinate.name);
  m->row[m->nrow - 1].motion = m->nmotion;
  m->row[m->nrow - 1].angular = coordinate.turn;
  m->motion[m->nmotion++] = (fly_model_motion){item, m->nrow - 1, expression, what.level};
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ forces

static fly_status force_ends(const fly_model *m, const fly_item *item, int marker[2], fly_error *error) {
  fly_status status = marker_named(m, item, "from", &marker[0], error);
  if (status == FLY_OK)
    status = marker_named(m, item, "to", &marker[1], error);
  if (status == FLY_OK && m->marker[marker[0]].body == m->marker[marker[1]].body)
    status = fail_at(item, error, "acts between two points of the same body.");
  return status;
}

static fly_status force_pair(fly_model *m, const fly_item *item, int *pair, fly_error *error) {
  int marker[2] = {0, 0};
  fly_status status = force_ends(m, item, marker, error);
  if (status == FLY_OK)
    *pair = add_pair(m, marker[0], marker[1]);
  return status;
}

fly_measure_level fly_model_measure_level(const fly_model_measure *measure) {
  return measure->joint >= 0 ? FLY_OF_ACCELERATION : fly_measure_types[measure->kind].level;
}

bool fly_measure_is_angle(const fly_model_measure *measure) {
  return measure->joint < 0 && fly_measure_types[measure->kind].turns;
}

// The measures its expressions use, each once. What forces feel of accelerations and reactions are outputs y.
static fly_status set_inputs(fly_model *m, fly_model_applied *a, fly_error *error) {
  const fly_item *it = &m->spec->item[a->item];
  int list[FLY_LOAD_INPUTS], n = 0;
  for (int c = 0; c < 6; c++) {
    int count = 0;
    const int *inputs = a->expression[c] >= 0 ? fly_expr_inputs(m->expression[a->expression[c]], &count) : NULL;
    for (int k = 0; k < count; k++) {
      int i = 0;
      while (i < n && list[i] != inputs[k] - 1)
        i++;
      if (i < n || inputs[k] == FLY_EXPR_TIME)
        continue;
      if (n == FLY_LOAD_INPUTS)
        return fail_at(it, error, "uses more than %d different measures.", FLY_LOAD_INPUTS);
      list[n++] = inputs[k] - 1;
      fly_model_measure *measure = &m->measure[inputs[k] - 1];
      measure->felt = true;
      if (measure->output < 0 && fly_model_measure_level(measure) == FLY_OF_ACCELERATION)
        measure->output = m->ny++;
    }
  }
  a->ninput = n;
  a->input = fly_arena_ints(&m->memory, (size_t)n);
  if (m->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the force `%s`.", it->name);
  memcpy(a->input, list, (size_t)n * sizeof *list);
  return FLY_OK;
}

// A coordinate of two markers, pushed by one expression that knows it and its rate.
static fly_status add_law(fly_model *m, fly_model_applied *a, const char *parameter, asking *who, fly_error *error) {
  fly_status status = compile_asking(who, &m->spec->item[a->item], parameter, 0, &a->expression[0], error);
  if (status == FLY_OK)
    status = set_inputs(m, a, error);
  if (status == FLY_OK)
    m->applied[m->napplied++] = *a;
  return status;
}

static fly_status add_spring_law(fly_model *m, int item, fly_error *error) {
  int end[2] = {0, 0};
  fly_status status = force_ends(m, &m->spec->item[item], end, error);
  if (status)
    return status;
  fly_model_applied a = {
      .item = item, .kind = FLY_LOAD_LENGTH, .marker = {end[0], end[1], -1}, .expression = {-1, -1, -1, -1, -1, -1}};
  asking who = {m,
                {"length", "rate"},
                {{.kind = FLY_MEASURE_DM, .joint = -1, .marker = {end[1], end[0], -1}},
                 {.kind = FLY_MEASURE_VR, .joint = -1, .marker = {end[1], end[0], -1}}}};
  return add_law(m, &a, "force", &who, error);
}

static fly_status add_torsion_law(fly_model *m, int item, const fly_model_pair *joint, fly_error *error) {
  fly_model_applied a = {.item = item,
                         .kind = FLY_LOAD_ANGLE,
                         .marker = {joint->mi, joint->mj, -1},
                         .expression = {-1, -1, -1, -1, -1, -1}};
  asking who = {m,
                {"angle", "rate"},
                {{.kind = FLY_MEASURE_AZ, .joint = -1, .marker = {joint->mj, joint->mi, -1}},
                 {.kind = FLY_MEASURE_WZ, .joint = -1, .marker = {joint->mj, joint->mi, joint->mi}}}};
  return add_law(m, &a, "torque", &who, error);
}

static fly_status add_spring(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  int pair = 0;
  if (fly_item_given(it, "force"))
    return add_spring_law(m, item, error);
  fly_status status = force_pair(m, it, &pair, error);
  if (status)
    return status;
  fly_spring k = {.stiffness = fly_item_number(it, "stiffness"),
                  .damping = fly_item_number(it, "damping"),
                  .free_length = start_distance(m, &m->pair[pair]),
                  .preload = fly_item_number(it, "preload")};
  if (fly_item_given(it, "free_length"))
    k.free_length = fly_item_number(it, "free_length");
  m->spring[m->nspring++] = (fly_model_spring){item, pair, k};
  return FLY_OK;
}

static fly_status add_torsion(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  int joint = 0;
  fly_status status = joint_named(m, it, fly_item_word(it, "joint", 0), &joint, error);
  if (status)
    return status;
  const fly_item *j = &m->spec->item[joint];
  if (!turns(j))
    return fail_at(it, error, "`%s` is a %s joint, which does not turn.", j->name, j->type->name);
  if (fly_item_given(it, "torque"))
    return add_torsion_law(m, item, &m->pair[m->joint_pair[joint]], error);
  fly_torsion k = {fly_item_number(it, "stiffness"), fly_item_number(it, "damping"), fly_item_number(it, "free_angle")};
  m->torsion[m->ntorsion++] = (fly_model_torsion){item, m->joint_pair[joint], k};
  return FLY_OK;
}

static void warn_at(fly_model *m, const fly_item *item, const char *text) {
  char place[300];
  size_t used = strlen(m->warnings);
  fly_place_text(place, sizeof place, item->place);
  snprintf(m->warnings + used, sizeof m->warnings - used, "%s%s `%s`: %s\n", place, item->type->name, item->name, text);
}

// No negative pivot in L D L^T with diagonal pivoting, to rounding; the rows are scaled alike first, because forces and
// torques have different units.
static bool is_semidefinite(const double A[36]) {
  double B[36], scale[6];
  for (int i = 0; i < 6; i++)
    scale[i] = A[7 * i] > 0 ? 1 / sqrt(A[7 * i]) : 1.0;
  for (int i = 0; i < 36; i++)
    B[i] = A[i] * scale[i / 6] * scale[i % 6];
  bool done[6] = {false};
  for (int step = 0; step < 6; step++) {
    int k = -1;
    for (int i = 0; i < 6; i++)
      if (!done[i] && (k < 0 || B[7 * i] > B[7 * k]))
        k = i;
    done[k] = true;
    double pivot = B[7 * k];
    for (int i = 0; i < 6 && pivot <= 1e-12; i++) // what is left must be zero
      for (int j = 0; j < 6; j++)
        if ((!done[i] || i == k) && (!done[j] || j == k) && fabs(B[6 * i + j]) > 1e-9)
          return false;
    if (pivot <= 1e-12)
      return true;
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        if (!done[i] && !done[j])
          B[6 * i + j] -= B[6 * i + k] * B[6 * k + j] / pivot;
  }
  return true;
}

// A matrix of a bushing: its diagonal, or all of it.
static fly_status bushing_matrix(fly_model *m, const fly_item *it, const char *diagonal, const char *full, double A[36],
                                 fly_error *error) {
  double d[6] = {0}, largest = 0;
  memset(A, 0, 36 * sizeof *A);
  if (!fly_item_given(it, full)) {
    fly_item_numbers(it, diagonal, 6, d);
    for (int i = 0; i < 6; i++)
      A[7 * i] = d[i];
    return FLY_OK;
  }
  fly_item_numbers(it, full, 36, A);
  for (int i = 0; i < 36; i++)
    largest = fmax(largest, fabs(A[i]));
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < i; j++)
      if (fabs(A[6 * i + j] - A[6 * j + i]) > 1e-9 * largest)
        return fail_at(it, error, "`%s` is not symmetric: %g in row %d, column %d, but %g in row %d, column %d.", full,
                       A[6 * i + j], i + 1, j + 1, A[6 * j + i], j + 1, i + 1);
  if (!is_semidefinite(A)) {
    char text[200];
    snprintf(text, sizeof text, "`%s` is not positive semidefinite: there is a displacement it drives on.", full);
    warn_at(m, it, text);
  }
  return FLY_OK;
}

static fly_status add_bushing(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  int pair = 0;
  fly_bushing k = {0};
  fly_status status = force_pair(m, it, &pair, error);
  if (status == FLY_OK)
    status = bushing_matrix(m, it, "stiffness", "stiffness_matrix", k.stiffness, error);
  if (status == FLY_OK)
    status = bushing_matrix(m, it, "damping", "damping_matrix", k.damping, error);
  if (status)
    return status;
  fly_item_numbers(it, "preload", 6, k.preload);
  for (int i = 0; i < 6; i++)
    k.preload[i] = -k.preload[i]; // given as it acts on `to`
  m->bushing[m->nbushing++] = (fly_model_bushing){item, pair, k};
  return FLY_OK;
}

// x along d, z towards up. False: there is no such z.
static bool beam_axes(double A[9], const double d[3], const double up[3]) {
  double x[3], y[3], z[3], l = sqrt(fly_dot3(d, d));
  for (int k = 0; k < 3; k++)
    x[k] = d[k] / l;
  fly_cross(y, up, x);
  double n = sqrt(fly_dot3(y, y));
  if (!(n > 1e-6 * sqrt(fly_dot3(up, up))))
    return false;
  for (int k = 0; k < 3; k++)
    y[k] /= n;
  fly_cross(z, x, y);
  for (int k = 0; k < 3; k++) {
    A[3 * k] = x[k];
    A[3 * k + 1] = y[k];
    A[3 * k + 2] = z[k];
  }
  return true;
}

// Markers of a beam that is straight as the model is given.
static fly_status beam_markers(fly_model *m, const fly_item *it, int marker[2], fly_error *error) {
  fly_kinematics k[2];
  double at[2][3], d[3], up[3], A[9];
  for (int i = 0; i < 2; i++) {
    start_kinematics(m, m->marker[marker[i]].body, &k[i]);
    fly_point(at[i], &k[i], &m->marker[marker[i]].m);
  }
  for (int i = 0; i < 3; i++)
    d[i] = at[1][i] - at[0][i];
  if (!(fly_dot3(d, d) > 0))
    return fail_at(it, error, "its ends coincide at the start.");
  fly_item_numbers(it, "up", 3, up);
  if (!beam_axes(A, d, up) && (fly_item_given(it, "up") || !beam_axes(A, d, (const double[]){1, 0, 0})))
    return fail_at(it, error, "`up` is along the beam; give a direction across it.");
  for (int i = 0; i < 2; i++)
    marker[i] = marker_in_space(m, it->name, m->marker[marker[i]].body, at[i], A);
  return FLY_OK;
}

static fly_status beam_ends(fly_model *m, const fly_item *it, int marker[2], fly_error *error) {
  fly_status status = force_ends(m, it, marker, error);
  for (int i = 0; i < 2 && status == FLY_OK; i++) {
    int body = m->marker[marker[i]].body;
    if (body != FLY_GROUND && m->body[body].kind == FLY_POINT_MASS)
      return fail_at(it, error, "ends at the point mass `%s`, which cannot turn; give it an inertia, or use a spring.",
                     m->body[body].name);
  }
  return status;
}

static fly_status add_beam(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  int marker[2] = {0, 0};
  double moments[3];
  fly_status status = beam_ends(m, it, marker, error);
  if (status == FLY_OK && strcmp(fly_item_word(it, "axes", 0), "start") == 0)
    status = beam_markers(m, it, marker, error);
  if (status)
    return status;
  int pair = add_pair(m, marker[0], marker[1]);
  fly_beam b = {.length =
                    fly_item_given(it, "length") ? fly_item_number(it, "length") : start_distance(m, &m->pair[pair]),
                .young = fly_item_number(it, "youngs_modulus"),
                .shear = fly_item_number(it, "shear_modulus"),
                .area = fly_item_number(it, "area"),
                .damping = fly_item_number(it, "damping_time")};
  if (!(b.length > 0))
    return fail_at(it, error, "its ends coincide at the start, and no `length` is given.");
  fly_item_numbers(it, "moments", 3, moments);
  fly_item_numbers(it, "shear_ratios", 2, b.shear_ratio);
  b.torsion = moments[0];
  memcpy(b.moment, moments + 1, sizeof b.moment);
  m->bushing[m->nbushing++] = (fly_model_bushing){item, pair, fly_beam_bushing(&b)};
  return FLY_OK;
}

static fly_status add_components(fly_model *m, const fly_item *item, const char *parameter, int *expression,
                                 fly_error *error) {
  fly_status status = FLY_OK;
  const fly_value *v = fly_item_value(item, parameter);
  for (int k = 0; k < 3; k++)
    expression[k] = -1;
  for (int k = 0; v->given && k < 3 && status == FLY_OK; k++)
    status = compile_text(m, item, parameter, k, &expression[k], error);
  return status;
}

static fly_status add_applied(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  fly_model_applied *a = &m->applied[m->napplied];
  *a = (fly_model_applied){.item = item, .marker = {-1, -1, 0}};
  fly_status status = marker_named(m, it, "at", &a->marker[0], error);
  if (status == FLY_OK && fly_item_given(it, "against"))
    status = marker_named(m, it, "against", &a->marker[1], error);
  if (status == FLY_OK && fly_item_given(it, "axes"))
    status = marker_named(m, it, "axes", &a->marker[2], error);
  if (status == FLY_OK)
    status = add_components(m, it, "force", a->expression, error);
  if (status == FLY_OK)
    status = add_components(m, it, "torque", a->expression + 3, error);
  if (status == FLY_OK)
    status = set_inputs(m, a, error);
  m->napplied += status == FLY_OK;
  return status;
}

static fly_status add_output(fly_model *m, int item, fly_error *error) {
  fly_model_output *o = &m->output[m->noutput++];
  o->item = item;
  return compile_text(m, &m->spec->item[item], "value", 0, &o->expression, error);
}

static fly_status add_force(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  if (is_type(it, "spring"))
    return add_spring(m, item, error);
  if (is_type(it, "torsion-spring"))
    return add_torsion(m, item, error);
  if (is_type(it, "beam"))
    return add_beam(m, item, error);
  return is_type(it, "bushing") ? add_bushing(m, item, error) : add_applied(m, item, error);
}

// ------------------------------------------------------------------------------------------ tables

// The reader has said so before, with its place; a program may make a spec of its own.
static fly_status add_table(fly_model *m, int k, fly_error *error) {
  const fly_spec *s = m->spec;
  const int n = s->table_count[k], good = fly_spline_check(s->table_x[k], s->table_y[k], n);
  if (n < 2 || good < n)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "table `%s`: %s %d.", s->table_name[k],
                    n < 2 ? "it takes two points at least, and has" : "x must ascend, and does not at point",
                    n < 2 ? n : good + 1);
  double *slopes = fly_arena_doubles(&m->memory, 3 * (size_t)n);
  if (!slopes)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a table of %d points.", n);
  fly_expr_table_make(&m->table[k], s->table_name[k], n, s->table_x[k], s->table_y[k], slopes);
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ the start

static bool says(const fly_item *item, const char *parameter) {
  return fly_parameter_find(item->type, parameter) >= 0 && fly_item_given(item, parameter);
}

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
  add_coordinate(m, m->joint_pair[item], angle, 2, m->nrow, 1.0);
  add_row(m, item, angle ? "angle at the start" : "displacement at the start");
  m->row[m->nrow - 1].motion = m->nmotion;
  m->row[m->nrow - 1].angular = angle;
  m->motion[m->nmotion++] = (fly_model_motion){item, m->nrow - 1, m->nexpression++, 0};
  return FLY_OK;
}

static fly_status hold_joint(fly_model *m, int item, fly_held held, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  const bool turning = says(it, "angular_velocity"), sliding = says(it, "velocity");
  const bool positions = held == FLY_HOLD_POSITIONS,
             any = turning || sliding || says(it, "angle") || says(it, "displacement");
  if (m->joint_pair[item] < 0 || !any)
    return FLY_OK;
  const fly_joint_start s = fly_model_joint_start(m, item);
  fly_status status = FLY_OK;
  if (turning || (positions && says(it, "angle")))
    status = hold_coordinate(m, item, true, s.angle, s.angular_velocity, error);
  if (status == FLY_OK && (sliding || (positions && says(it, "displacement"))))
    status = hold_coordinate(m, item, false, s.displacement, s.velocity, error);
  return status;
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
  if (is_ground(it) || !fly_item_given(it, "hold"))
    return FLY_OK;
  const fly_body *b = &m->body[m->body_of_item[item]];
  const bool flat = b->kind == FLY_PLANAR, turns = b->kind == FLY_RIGID;
  fly_kinematics start;
  double at[3];
  fly_body_start(b, &start);
  fly_point(at, &start, &m->marker[b->first_marker].m);
  const int place = add_pair(m, add_marker(m, it->name, FLY_GROUND, at, UNIT), b->first_marker);
  const int turn = add_pair(m, add_marker(m, it->name, FLY_GROUND, at, start.R), b->first_marker);
  fly_status status = FLY_OK;
  for (size_t k = 0; k < sizeof rows / sizeof *rows && status == FLY_OK; k++) {
    const bool has = k < 2 || (k == 2 && !flat) || (k >= 3 && k < 6 && turns) || (k == 6 && flat);
    if (has && holds(it, rows[k].word))
      status = add_primitive(m, item, k < 3 ? place : turn, &rows[k].row, 1, 0.0, error);
  }
  return status;
}

bool fly_spec_holds(const fly_spec *spec, fly_held held) {
  for (int k = 0; k < spec->nitem; k++) {
    const fly_item *it = &spec->item[k];
    const bool joint = in_section(it, "joints"), body = in_section(it, "bodies");
    if (joint && (says(it, "angular_velocity") || says(it, "velocity")))
      return true;
    if (held == FLY_HOLD_POSITIONS &&
        ((joint && (says(it, "angle") || says(it, "displacement"))) || (body && says(it, "hold"))))
      return true;
  }
  return false;
}

static fly_status hold_all(fly_model *m, fly_held held, fly_error *error) {
  fly_status status = FLY_OK;
  for (int k = 0; k < m->spec->nitem && status == FLY_OK; k++) {
    if (in_section(&m->spec->item[k], "joints"))
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
  if (is_type(it, "gear"))
    return add_gear(m, item, error);
  if (is_type(it, "rack-pinion"))
    return add_rack(m, item, error);
  return is_type(it, "coupler") ? add_coupler(m, item, error) : FLY_OK;
}

// Terms of a kind together, so that a kind is one plain loop. A stable counting sort.
static fly_status sort_terms(fly_model *m, fly_error *error) {
  fly_term *sorted = fly_arena_take(&m->memory, (size_t)m->nterm, sizeof *sorted);
  if (!sorted)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d constraints.", m->nterm);
  int place = 0;
  for (int kind = 0; kind < FLY_PRIMITIVES; kind++) {
    m->term_start[kind] = place;
    for (int k = 0; k < m->nterm; k++)
      if ((int)m->term[k].kind == kind)
        sorted[place++] = m->term[k];
  }
  m->term_start[FLY_PRIMITIVES] = place;
  m->term = sorted;
  return FLY_OK;
}

// A length of the model: the largest distance of a marker from its body's mass centre, or of a start from the origin.
static double model_size(const fly_model *m) {
  double size = 0;
  for (int k = 0; k < m->nmarker; k++)
    if (m->marker[k].body != FLY_GROUND)
      size = fmax(size, sqrt(fly_dot3(m->marker[k].m.s, m->marker[k].m.s)));
  for (int k = 0; k < m->nbody && size == 0; k++)
    size = fmax(size, fabs(m->body[k].q0[0]) + fabs(m->body[k].q0[1]));
  return size > 0 ? size : 1.0;
}

fly_status fly_model_compile_held(fly_model *m, const fly_spec *spec, fly_held held, fly_error *error) {
  *m = (fly_model){.spec = spec};
  memcpy(m->gravity, spec->gravity, sizeof m->gravity);
  sizes n = count_all(spec, held);
  fly_status status = take(m, &n, error);
  if (status)
    return status;
  for (int k = 0; k < spec->nitem; k++)
    m->joint_pair[k] = -1;
  for (int k = 0; k < spec->nparameter; k++)
    m->constant[k] = (fly_expr_number){spec->parameter_name[k], spec->parameter_value[k], NULL};
  for (int k = 0; k < spec->ntable && status == FLY_OK; k++)
    status = add_table(m, k, error);
  if (status == FLY_OK)
    status = each(m, "bodies", add_body, error);
  if (status)
    return status;
  if (m->nbody == 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "The model has no bodies.");
  add_ground_markers(m);
  for (int k = 0; k < m->nbody; k++)
    add_body_markers(m, k);
  status = each(m, "joints", add_joint, error);
  if (status == FLY_OK)
    status = fly_model_place(m, error);
  if (status == FLY_OK)
    status = each(m, "joints", add_if_coupler, error);
  if (status == FLY_OK)
    status = each(m, "motions", add_motion, error);
  if (status == FLY_OK)
    status = each(m, "forces", add_force, error);
  if (status == FLY_OK)
    status = each(m, "outputs", add_output, error);
  if (status == FLY_OK && held)
    status = hold_all(m, held, error);
  if (status == FLY_OK)
    status = sort_terms(m, error);
  m->size = model_size(m);
  return status;
}

fly_status fly_model_compile(fly_model *m, const fly_spec *spec, fly_error *error) {
  return fly_model_compile_held(m, spec, FLY_HOLD_NOTHING, error);
}

void fly_model_free(fly_model *m) {
  for (int k = 0; k < m->nexpression; k++)
    fly_expr_free(m->expression[k]);
  fly_arena_free(&m->memory);
}
