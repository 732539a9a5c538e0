// Bodies with their masses, and markers.
#include <math.h>
#include <string.h>

#include "element/inertia.h"
#include "math/so3.h"
#include "model/compile.h"

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
    return fly_item_fail(item, error, "`inertia` takes 3 or 6 numbers, not %d.", v->count);
  return FLY_OK;
}

// What is given wins over what the shapes say: another mass scales their inertia.
static fly_status join_inertia(const fly_item *item, bool shaped, fly_inertia *sum, fly_error *error) {
  const bool mass = fly_item_given(item, "mass"), inertia = fly_item_given(item, "inertia");
  if (!shaped && !mass)
    return fly_item_fail(item, error, "`mass` is missing [kg]: give it, or a density to its shapes.");
  if (!shaped && !inertia)
    return fly_item_fail(item, error, "`inertia` is missing [kg m^2]: give it, or a density to its shapes.");
  if (shaped && !(sum->mass > 0))
    return fly_item_fail(item, error,
                         "its shapes have a mass of %.4g kg in all; holes (of negative density) lie in something.",
                         sum->mass);
  if (shaped && !inertia && fly_item_given(item, "center"))
    return fly_item_fail(item, error,
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
    return fly_item_fail(item, error, "%s. Its principal moments are %.4g, %.4g and %.4g kg m^2.",
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

bool fly_item_is_ground(const fly_item *item) { return strcmp(item->name, "ground") == 0; }

fly_status fly_add_body(fly_model *m, int k, fly_error *error) {
  const fly_item *item = &m->spec->item[k];
  if (fly_item_is_ground(item)) // it has markers only
    return FLY_OK;
  fly_body *b = &m->body[m->nbody];
  fly_status status = FLY_OK;
  *b = (fly_body){.name = item->name, .item = k, .iq = m->nq, .iv = m->nv};
  b->kind = fly_item_is(item, "planar") ? FLY_PLANAR : fly_item_is(item, "point") ? FLY_POINT_MASS : FLY_RIGID;
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

void fly_start_kinematics(const fly_model *m, int body, fly_kinematics *k) {
  if (body == FLY_GROUND)
    *k = GROUND_KINEMATICS;
  else
    fly_body_start(&m->body[body], k);
}

int fly_add_marker(fly_model *m, const char *name, int body, const double s[3], const double A[9]) {
  fly_model_marker *k = &m->marker[m->nmarker];
  k->name = name;
  k->body = body;
  memcpy(k->m.s, s, sizeof k->m.s);
  memcpy(k->m.A, A, sizeof k->m.A);
  return m->nmarker++;
}

// The frame the user gave first, then the markers, all seen from the mass centre. Marker 0 is ground.
void fly_add_body_markers(fly_model *m, int body) {
  fly_body *b = &m->body[body];
  const fly_item *item = &m->spec->item[b->item];
  double s[3] = {-b->center[0], -b->center[1], -b->center[2]};
  b->first_marker = fly_add_marker(m, item->name, body, s, FLY_UNIT);
  for (int k = 0; k < item->nmarker; k++) {
    for (int i = 0; i < 3; i++)
      s[i] = item->marker[k].at[i] - b->center[i];
    fly_add_marker(m, item->marker[k].name, body, s, item->marker[k].A);
  }
}

void fly_add_ground_markers(fly_model *m) {
  const fly_item *item = fly_spec_find(m->spec, "bodies", "ground");
  fly_add_marker(m, "ground", FLY_GROUND, (double[3]){0}, FLY_UNIT);
  for (int k = 0; item && k < item->nmarker; k++)
    fly_add_marker(m, item->marker[k].name, FLY_GROUND, item->marker[k].at, item->marker[k].A);
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
