// Orientations and markers.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/forms.h"
#include "io/reader.h"
#include "math/so3.h"

static const double UNIT[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static double length_of(const double v[3]) { return hypot(hypot(v[0], v[1]), v[2]); }

// v/|v|; false: it has no length.
static bool normalize(double v[3]) {
  const double length = length_of(v);
  for (int k = 0; k < 3; k++)
    v[k] /= length;
  return length > 0;
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void set_columns(double A[9], const double x[3], const double y[3], const double z[3]) {
  for (int k = 0; k < 3; k++) {
    A[3 * k] = x[k];
    A[3 * k + 1] = y[k];
    A[3 * k + 2] = z[k];
  }
}

// ------------------------------------------------------------------------------------------ forms

// R = Rz(a) Rx(b) Rz(c)
static void from_euler(double A[9], const double angle[3]) {
  const double z1[3] = {0, 0, angle[0]}, x[3] = {angle[1], 0, 0}, z2[3] = {0, 0, angle[2]};
  double p[4];
  fly_quat_exp(p, z1);
  fly_quat_plus(p, p, x);
  fly_quat_plus(p, p, z2);
  fly_quat_matrix(A, p);
}

static bool from_axis(double A[9], const double axis[3], double angle) {
  double u[3] = {axis[0], axis[1], axis[2]}, p[4];
  if (!normalize(u))
    return false;
  for (int k = 0; k < 3; k++)
    u[k] *= angle;
  fly_quat_exp(p, u);
  fly_quat_matrix(A, p);
  return true;
}

static bool from_quaternion(double A[9], const double quaternion[4]) {
  double p[4], length = 0;
  for (int k = 0; k < 4; k++)
    length = hypot(length, quaternion[k]);
  for (int k = 0; k < 4; k++)
    p[k] = quaternion[k] / length;
  if (!(length > 0))
    return false;
  fly_quat_matrix(A, p);
  return true;
}

// ------------------------------------------------------------------------------------------ directions

enum { X, Y, Z };

// What is left of b without its part along the unit vector a, of length 1; false: nothing.
static bool perpendicular(double b[3], const double a[3]) {
  const double along = dot(a, b);
  for (int k = 0; k < 3; k++)
    b[k] -= along * a[k];
  return length_of(b) > 1e-9 && normalize(b);
}

// Two directions: the kept one as it is, the other showing the plane. The third closes the right-handed frame.
static bool from_two(double A[9], double axis[3][3], int kept, int other) {
  const int third = 3 - kept - other, next = (third + 1) % 3, last = (third + 2) % 3;
  if (!perpendicular(axis[other], axis[kept]))
    return false;
  fly_cross(axis[third], axis[next], axis[last]);
  set_columns(A, axis[X], axis[Y], axis[Z]);
  return true;
}

// Three unit directions that are perpendicular and right-handed, but for the digits people round.
static bool from_three(double A[9], double axis[3][3]) {
  double third[3];
  fly_cross(third, axis[X], axis[Y]);
  if (fabs(dot(axis[X], axis[Y])) > 1e-3 || fabs(dot(third, axis[Z]) - 1) > 1e-3)
    return false;
  return from_two(A, axis, Z, X);
}

// Three axes as the writer gives them: nothing to mend, and the numbers stay as they are.
static bool is_exact(const fly_field *field) {
  double error = 0;
  for (int i = X; i <= Z; i++)
    for (int j = X; j <= i; j++)
      error = fmax(error, fabs(dot(field[i].number, field[j].number) - (i == j)));
  return error < 1e-14;
}

static bool read_directions(fly_reader *r, const fly_tree_node *node, const fly_field *field, double A[9]) {
  double axis[3][3];
  int count = 0;
  for (int k = X; k <= Z; k++) {
    memcpy(axis[k], field[k].number, sizeof axis[k]);
    if (field[k].entry != NULL && !normalize(axis[k]))
      return fly_reader_fault(r, field[k].entry->value, "a direction cannot be of length 0.");
    count += field[k].entry != NULL;
  }
  if (count == 1 && field[Z].entry != NULL)
    return fly_axes_from_z(A, axis[Z]);
  if (count == 1)
    return fly_reader_fault(r, node, "one direction leaves the turn about it open; give a second one, such as z.");
  if (count == 3) {
    if (!from_three(A, axis))
      return fly_reader_fault(r, node, "these three directions are not those of a right-handed frame; two are enough.");
    if (is_exact(field))
      set_columns(A, field[X].number, field[Y].number, field[Z].number);
    return true;
  }
  const int kept = field[Z].entry != NULL ? Z : X, other = field[X].entry != NULL && kept != X ? X : Y;
  return from_two(A, axis, kept, other) || fly_reader_fault(r, node, "these two directions are parallel.");
}

// ------------------------------------------------------------------------------------------ orientation

static bool two_forms(fly_reader *r, const fly_tree_node *node, const char *first, const char *second) {
  return fly_reader_fault(r, node, "an orientation is given once: '%s' or '%s', not both.", first, second);
}

static bool read_axis_angle(fly_reader *r, const fly_tree_node *node, const fly_field *field, double A[9]) {
  const fly_field *axis = &field[FLY_ORIENTATION_AXIS], *angle = &field[FLY_ORIENTATION_ANGLE];
  if (axis->entry == NULL || angle->entry == NULL)
    return fly_reader_fault(r, node, "'axis' and 'angle' belong together; '%s' is missing.",
                            axis->entry == NULL ? "axis" : "angle");
  return from_axis(A, axis->number, angle->number[0]) ||
         fly_reader_fault(r, axis->entry->value, "a direction cannot be of length 0.");
}

static bool read_form(fly_reader *r, const fly_tree_node *node, const fly_field *field, double A[9]) {
  const fly_field *quaternion = &field[FLY_ORIENTATION_QUATERNION], *direction = &field[FLY_ORIENTATION_X];
  const bool turn = field[FLY_ORIENTATION_AXIS].entry != NULL || field[FLY_ORIENTATION_ANGLE].entry != NULL;
  const bool directions = direction[X].entry != NULL || direction[Y].entry != NULL || direction[Z].entry != NULL;
  const struct {
    bool given;
    const char *name;
  } form[] = {{field[FLY_ORIENTATION_EULER].entry != NULL, "euler313"},
              {turn, "axis"},
              {quaternion->entry != NULL, "quaternion"},
              {directions, "x, y, z"}};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++)
      if (form[i].given && form[j].given)
        return two_forms(r, node, form[j].name, form[i].name);
  if (form[0].given)
    from_euler(A, field[FLY_ORIENTATION_EULER].number);
  else if (turn)
    return read_axis_angle(r, node, field, A);
  else if (directions)
    return read_directions(r, node, direction, A);
  else if (quaternion->entry != NULL)
    return from_quaternion(A, quaternion->number) ||
           fly_reader_fault(r, quaternion->entry->value, "a quaternion cannot be of length 0.");
  else
    return fly_reader_fault(r, node, "an orientation takes euler313, axis and angle, quaternion, or two of x, y, z.");
  return true;
}

bool fly_reader_orientation(fly_reader *r, const fly_tree_node *node, double A[9]) {
  fly_field field[FLY_ORIENTATION_ROWS] = {0};
  memcpy(A, UNIT, sizeof UNIT);
  return fly_reader_fields(r, node, "an orientation", fly_orientation_form, NULL, field) &&
         read_form(r, node, field, A);
}

// ------------------------------------------------------------------------------------------ markers

// Numbers a point of the body takes: 2 in the plane. On ground both will do.
static int dimension(const fly_item *item, const fly_tree_node *node) {
  const int k = fly_parameter_find(item->type, "position");
  if (k >= 0 && strcmp(item->name, "ground") != 0)
    return item->type->parameters[k].count;
  return node->kind == FLY_TREE_SEQUENCE && node->count == 2 ? 2 : 3;
}

static bool read_marker_axes(fly_reader *r, const fly_field *field, double A[9]) {
  const fly_field *axis = &field[FLY_MARKER_AXIS], *turned = &field[FLY_MARKER_ORIENTATION],
                  *angle = &field[FLY_MARKER_ANGLE];
  const int given = (axis->entry != NULL) + (turned->entry != NULL) + (angle->entry != NULL);
  if (given > 1)
    return fly_reader_fault_key(r, axis->entry != NULL ? axis->entry : angle->entry,
                                "a marker takes one of axis, orientation and angle.");
  if (turned->entry != NULL)
    memcpy(A, turned->number, 9 * sizeof *A);
  if (angle->entry != NULL)
    from_axis(A, (const double[]){0, 0, 1}, angle->number[0]);
  if (axis->entry != NULL && !fly_axes_from_z(A, axis->number))
    return fly_reader_fault(r, axis->entry->value, "a direction cannot be of length 0.");
  return true;
}

static bool read_marker(fly_reader *r, const fly_item *item, const fly_tree_entry *entry, fly_spec_marker *marker) {
  fly_parameter rows[FLY_MARKER_ROWS + 1];
  fly_field field[FLY_MARKER_ROWS] = {0};
  const fly_tree_node *node = entry->value, *at = node->kind == FLY_TREE_MAPPING ? fly_tree_find(node, "at") : node;
  memcpy(rows, fly_marker_form, sizeof rows);
  rows[FLY_MARKER_AT].count = dimension(item, at != NULL ? at : node);
  if (rows[FLY_MARKER_AT].count == 3)
    rows[FLY_MARKER_ANGLE] = rows[FLY_MARKER_ROWS]; // an angle alone says nothing in space
  if (node->kind == FLY_TREE_MAPPING) {
    if (!fly_reader_fields(r, node, "a marker", rows, NULL, field) || !read_marker_axes(r, field, marker->A))
      return false;
    const fly_tree_entry *on = field[FLY_MARKER_NODE].entry; // read_reduced.c looks for it
    if (on != NULL && fly_reader_text(r, on->value, "node", "the number or the name of a node") == NULL)
      return false;
    memcpy(marker->at, field[FLY_MARKER_AT].number, sizeof marker->at);
    return true;
  }
  rows[FLY_MARKER_AT].name = entry->key;
  if (node->kind == FLY_TREE_SCALAR)
    return fly_reader_fault(r, node, "a marker takes a point [x, y%s] or {at: [...], axis: [...]}, not %s.",
                            rows[FLY_MARKER_AT].count == 3 ? ", z" : "", fly_tree_kind_name(node));
  const int count =
      fly_reader_numbers(r, node, &rows[FLY_MARKER_AT], rows[FLY_MARKER_AT].count, rows[FLY_MARKER_AT].count);
  if (count > 0)
    memcpy(marker->at, r->number, (size_t)count * sizeof *marker->at);
  return count > 0;
}

bool fly_reader_markers(fly_reader *r, fly_item *item, const fly_tree_node *node) {
  bool good = true;
  if (node->kind != FLY_TREE_MAPPING)
    return fly_reader_fault(r, node, "'markers' takes a mapping {name: [x, y, z]}, not %s.", fly_tree_kind_name(node));
  for (int k = 0; k < node->count && fly_reader_goes_on(r); k++) {
    const fly_tree_entry *entry = &node->entry[k];
    fly_spec_marker marker = {.name = entry->key, .place = fly_reader_key_place(r, entry)};
    memcpy(marker.A, UNIT, sizeof UNIT);
    if (!fly_reader_check_name(r, entry, "marker") || !read_marker(r, item, entry, &marker))
      good = false;
    else if (!fly_spec_add_marker(r->spec, item, &marker))
      return fly_reader_no_memory(r);
  }
  return good;
}
