// Forces and outputs.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "element/beam.h"
#include "expr/expr.h"
#include "math/so3.h"
#include "model/compile.h"

// ------------------------------------------------------------------------------------------ forces

static fly_status force_ends(const fly_model *m, const fly_item *item, int marker[2], fly_error *error) {
  fly_status status = fly_marker_named(m, item, "from", &marker[0], error);
  if (status == FLY_OK)
    status = fly_marker_named(m, item, "to", &marker[1], error);
  if (status == FLY_OK && m->marker[marker[0]].body == m->marker[marker[1]].body)
    status = fly_item_fail(item, error, "acts between two points of the same body.");
  return status;
}

static fly_status force_pair(fly_model *m, const fly_item *item, int *pair, fly_error *error) {
  int marker[2] = {0, 0};
  fly_status status = force_ends(m, item, marker, error);
  if (status == FLY_OK)
    *pair = fly_add_pair(m, marker[0], marker[1]);
  return status;
}

fly_measure_level fly_model_measure_level(const fly_model_measure *measure) {
  if (measure->signal)
    return FLY_OF_POSITION;
  return measure->joint >= 0 ? FLY_OF_ACCELERATION : fly_measure_types[measure->kind].level;
}

bool fly_measure_is_angle(const fly_model_measure *measure) {
  return measure->joint < 0 && !measure->signal && fly_measure_types[measure->kind].turns;
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
        return fly_item_fail(it, error, "uses more than %d different measures.", FLY_LOAD_INPUTS);
      list[n++] = inputs[k] - 1;
      fly_feel(m, inputs[k]);
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
static fly_status add_law(fly_model *m, fly_model_applied *a, const char *parameter, fly_asking *who,
                          fly_error *error) {
  fly_status status = fly_compile_asking(who, &m->spec->item[a->item], parameter, 0, &a->expression[0], error);
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
  fly_asking who = {m,
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
  fly_asking who = {m,
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
                  .free_length = fly_start_distance(m, &m->pair[pair]),
                  .preload = fly_item_number(it, "preload")};
  if (fly_item_given(it, "free_length"))
    k.free_length = fly_item_number(it, "free_length");
  m->spring[m->nspring++] = (fly_model_spring){item, pair, k};
  return FLY_OK;
}

static fly_status add_torsion(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  int joint = 0;
  fly_status status = fly_joint_named(m, it, fly_item_word(it, "joint", 0), &joint, error);
  if (status)
    return status;
  const fly_item *j = &m->spec->item[joint];
  if (!fly_joint_turns(j))
    return fly_item_fail(it, error, "`%s` is a %s joint, which does not turn.", j->name, j->type->name);
  if (fly_item_given(it, "torque"))
    return add_torsion_law(m, item, &m->pair[m->joint_pair[joint]], error);
  fly_torsion k = {fly_item_number(it, "stiffness"), fly_item_number(it, "damping"), fly_item_number(it, "free_angle")};
  m->torsion[m->ntorsion++] = (fly_model_torsion){item, m->joint_pair[joint], k};
  return FLY_OK;
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
        return fly_item_fail(it, error, "`%s` is not symmetric: %g in row %d, column %d, but %g in row %d, column %d.",
                             full, A[6 * i + j], i + 1, j + 1, A[6 * j + i], j + 1, i + 1);
  if (!is_semidefinite(A)) {
    char text[200];
    snprintf(text, sizeof text, "`%s` is not positive semidefinite: there is a displacement it drives on.", full);
    fly_compile_warn(m, it, text);
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
    fly_start_kinematics(m, m->marker[marker[i]].body, &k[i]);
    fly_point(at[i], &k[i], &m->marker[marker[i]].m);
  }
  for (int i = 0; i < 3; i++)
    d[i] = at[1][i] - at[0][i];
  if (!(fly_dot3(d, d) > 0))
    return fly_item_fail(it, error, "its ends coincide at the start.");
  fly_item_numbers(it, "up", 3, up);
  if (!beam_axes(A, d, up) && (fly_item_given(it, "up") || !beam_axes(A, d, (const double[]){1, 0, 0})))
    return fly_item_fail(it, error, "`up` is along the beam; give a direction across it.");
  for (int i = 0; i < 2; i++)
    marker[i] = fly_marker_in_space(m, it->name, m->marker[marker[i]].body, at[i], A);
  return FLY_OK;
}

static fly_status beam_ends(fly_model *m, const fly_item *it, int marker[2], fly_error *error) {
  fly_status status = force_ends(m, it, marker, error);
  for (int i = 0; i < 2 && status == FLY_OK; i++) {
    int body = m->marker[marker[i]].body;
    if (body != FLY_GROUND && m->body[body].kind == FLY_POINT_MASS)
      return fly_item_fail(it, error,
                           "ends at the point mass `%s`, which cannot turn; give it an inertia, or use a spring.",
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
  int pair = fly_add_pair(m, marker[0], marker[1]);
  fly_beam b = {.length = fly_item_given(it, "length") ? fly_item_number(it, "length")
                                                       : fly_start_distance(m, &m->pair[pair]),
                .young = fly_item_number(it, "youngs_modulus"),
                .shear = fly_item_number(it, "shear_modulus"),
                .area = fly_item_number(it, "area"),
                .damping = fly_item_number(it, "damping_time")};
  if (!(b.length > 0))
    return fly_item_fail(it, error, "its ends coincide at the start, and no `length` is given.");
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
    status = fly_compile_text(m, item, parameter, k, &expression[k], error);
  return status;
}

// A point mass cannot turn: a torque on it would be lost.
static fly_status check_torque(const fly_model *m, const fly_item *item, const int marker[2], fly_error *error) {
  for (int k = 0; k < 2 && fly_item_given(item, "torque"); k++) {
    int body = marker[k] >= 0 ? m->marker[marker[k]].body : FLY_GROUND;
    if (body != FLY_GROUND && m->body[body].kind == FLY_POINT_MASS)
      return fly_item_fail(item, error,
                           "`torque` acts on the point mass `%s`, which cannot turn; give it an inertia, or take the "
                           "torque away.",
                           m->body[body].name);
  }
  return FLY_OK;
}

static fly_status add_applied(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  fly_model_applied *a = &m->applied[m->napplied];
  *a = (fly_model_applied){.item = item, .marker = {-1, -1, 0}};
  fly_status status = fly_marker_named(m, it, "at", &a->marker[0], error);
  if (status == FLY_OK && fly_item_given(it, "against"))
    status = fly_marker_named(m, it, "against", &a->marker[1], error);
  if (status == FLY_OK && fly_item_given(it, "axes"))
    status = fly_marker_named(m, it, "axes", &a->marker[2], error);
  if (status == FLY_OK)
    status = check_torque(m, it, a->marker, error);
  if (status == FLY_OK)
    status = add_components(m, it, "force", a->expression, error);
  if (status == FLY_OK)
    status = add_components(m, it, "torque", a->expression + 3, error);
  if (status == FLY_OK)
    status = set_inputs(m, a, error);
  m->napplied += status == FLY_OK;
  return status;
}

fly_status fly_add_force(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  if (fly_item_is(it, "spring"))
    return add_spring(m, item, error);
  if (fly_item_is(it, "torsion-spring"))
    return add_torsion(m, item, error);
  if (fly_item_is(it, "beam"))
    return add_beam(m, item, error);
  return fly_item_is(it, "bushing") ? add_bushing(m, item, error) : add_applied(m, item, error);
}
