// Joints as rows of primitives, couplers, gears.
#include <math.h>
#include <string.h>

#include "math/constants.h"
#include "math/so3.h"
#include "model/compile.h"

// ------------------------------------------------------------------------------------------ joints

// A marker on a body at a place and with axes given in space at the start.
int fly_marker_in_space(fly_model *m, const char *name, int body, const double at[3], const double A[9]) {
  fly_kinematics k;
  double d[3], s[3], local[9];
  fly_start_kinematics(m, body, &k);
  for (int i = 0; i < 3; i++)
    d[i] = at[i] - k.r[i];
  fly_to_body(s, k.R, d);
  fly_multiply3_transposed(local, k.R, A);
  return fly_add_marker(m, name, body, s, local);
}

fly_status fly_marker_named(const fly_model *m, const fly_item *item, const char *parameter, int *marker,
                            fly_error *error) {
  const char *reference = fly_item_word(item, parameter, 0);
  if (!reference)
    return fly_item_fail(item, error, "`%s` is missing.", parameter);
  *marker = fly_model_marker_find(m, reference);
  return *marker < 0 ? fly_item_fail(item, error, "`%s`: there is no marker `%s`.", parameter, reference) : FLY_OK;
}

static fly_status joint_bodies(const fly_model *m, const fly_item *item, int body[2], fly_error *error) {
  for (int k = 0; k < 2; k++) {
    const char *name = fly_item_word(item, "bodies", k);
    body[k] = name ? fly_model_body(m, name) : -2;
    if (body[k] < FLY_GROUND)
      return fly_item_fail(item, error, "`bodies`: there is no body `%s`.", name ? name : "");
  }
  return body[0] == body[1] ? fly_item_fail(item, error, "joins a body to itself.") : FLY_OK;
}

static bool flat_body(const fly_model *m, int body) { return body == FLY_GROUND || m->body[body].type->flat; }

static fly_status axes_given(const fly_item *item, const char *parameter, double A[9], fly_error *error) {
  double z[3];
  fly_item_numbers(item, parameter, 3, z);
  return fly_axes_from_z(A, z) ? FLY_OK : fly_item_fail(item, error, "`%s` has no length.", parameter);
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
    S[k] += FLY_UNIT[k] + SS[k] / (1 + c);
  if (c > 0)
    fly_multiply3(B, S, A);
  return c > 0;
}

// Axes of the two markers in space: z along axis, and along axis2 on the second body where the joint has one.
static fly_status joint_axes(const fly_model *m, const fly_item *item, const int body[2], double A[2][9],
                             fly_error *error) {
  bool straight = fly_item_is(item, "constant-velocity"); // axis2 may be left out
  memcpy(A[0], FLY_UNIT, sizeof FLY_UNIT);
  memcpy(A[1], FLY_UNIT, sizeof FLY_UNIT);
  if (fly_parameter_find(item->type, "axis") < 0)
    return FLY_OK;
  bool given = fly_item_given(item, "axis");
  if (!given && !(flat_body(m, body[0]) && flat_body(m, body[1])))
    return fly_item_fail(item, error, "`axis` is missing: a direction in space at the start.");
  fly_status status = given ? axes_given(item, "axis", A[0], error) : FLY_OK;
  memcpy(A[1], A[0], sizeof A[0]);
  if (status || fly_parameter_find(item->type, "axis2") < 0)
    return status;
  if (fly_item_given(item, "axis2"))
    status = axes_given(item, "axis2", A[1], error);
  else if (!straight)
    return fly_item_fail(item, error, "`axis2` is missing: a direction in space at the start.");
  if (status == FLY_OK && straight && !bend(A[1], A[0]))
    return fly_item_fail(
        item, error,
        "`axis` and `axis2` are 90 degrees apart or more; both shafts point the same way through the joint.");
  return status;
}

static fly_status joint_markers(fly_model *m, const fly_item *item, int marker[2], fly_error *error) {
  if (!fly_item_given(item, "bodies")) {
    fly_status status = fly_marker_named(m, item, "from", &marker[0], error);
    if (status == FLY_OK)
      status = fly_marker_named(m, item, "to", &marker[1], error);
    if (status == FLY_OK && m->marker[marker[0]].body == m->marker[marker[1]].body)
      status = fly_item_fail(item, error, "joins a body to itself.");
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
  } else if (!fly_item_is(item, "orientation")) {
    return fly_item_fail(item, error, "`at` is missing: where the joint is at the start [m].");
  }
  for (int k = 0; k < 2; k++)
    marker[k] = fly_marker_in_space(m, item->name, body[k], at, A[k]);
  return FLY_OK;
}

static bool flat(const fly_model *m, int marker) { return flat_body(m, m->marker[marker].body); }

// Columns of the pair along which its bodies can move.
static void pair_columns(const fly_model *m, const fly_model_pair *pair, bool active[FLY_PAIR]) {
  for (int side = 0; side < 2; side++) {
    int body = m->marker[side ? pair->mj : pair->mi].body;
    for (int c = 0; c < 6; c++)
      active[6 * side + c] = false;
    for (int c = 0; body != FLY_GROUND && c < m->body[body].framed; c++)
      active[6 * side + m->body[body].column[c]] = true;
  }
}

// Rows of a primitive that planar bodies feel at all: in the plane a revolute joint is two rows, not five.
int fly_rows_felt(const fly_model *m, const fly_model_pair *pair, fly_primitive_kind kind, const fly_primitive *k) {
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

void fly_add_row(fly_model *m, int item, const char *direction) {
  m->row[m->nrow++] = (fly_row){.item = item, .direction = direction, .motion = -1, .held = -1, .along = -1};
}

// Its turns count.
static void add_counted(fly_model *m, int item, const char *direction) {
  fly_add_row(m, item, direction);
  m->row[m->nrow - 1].counted = true;
}

// What planar bodies do not feel they cannot mend either: it must hold as it stands.
static fly_status check_unfelt(const fly_model *m, int item, int pair, const fly_joint_row *r, int n, int felt,
                               fly_error *error) {
  fly_kinematics body[2];
  double sum[3] = {0};
  if (felt == (1 << fly_primitive_types[r->kind].rows) - 1)
    return FLY_OK;
  fly_start_kinematics(m, m->marker[m->pair[pair].mi].body, &body[0]);
  fly_start_kinematics(m, m->marker[m->pair[pair].mj].body, &body[1]);
  fly_pair p = {&body[0], &body[1], &m->marker[m->pair[pair].mi].m, &m->marker[m->pair[pair].mj].m};
  for (int k = 0; k < n; k++) {
    double g[3] = {0};
    fly_primitive_types[r[k].kind].value(g, &p, &(fly_primitive){r[k].axis_i, r[k].axis_j, 0.0});
    for (int row = 0; row < 3; row++)
      sum[row] += k > 0 ? -g[row] : g[row];
  }
  for (int row = 0; row < fly_primitive_types[r->kind].rows; row++)
    if (!(felt & (1 << row)) && fabs(sum[row]) > 1e-9)
      return fly_item_fail(&m->spec->item[item], error,
                           "its %s is off by %.3g and planar bodies cannot move that way; check places and axes.",
                           r->kind == FLY_POINT ? "height" : r->direction, sum[row]);
  return FLY_OK;
}

// A primitive of a joint and its rows, less the n - 1 primitives that follow it.
fly_status fly_add_primitive(fly_model *m, int item, int pair, const fly_joint_row *r, int n, double c,
                             fly_error *error) {
  static const char *const space[] = {"x", "y", "z"};
  int felt = 0;
  for (int k = 0; k < n; k++)
    felt |= fly_rows_felt(m, &m->pair[pair], r[k].kind, &(fly_primitive){r[k].axis_i, r[k].axis_j, c});
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
      fly_add_row(m, item, r->kind == FLY_POINT ? space[row] : r->direction);
  return FLY_OK;
}

double fly_start_distance(const fly_model *m, const fly_model_pair *pair) {
  fly_kinematics ki, kj;
  fly_start_kinematics(m, m->marker[pair->mi].body, &ki);
  fly_start_kinematics(m, m->marker[pair->mj].body, &kj);
  return fly_seen_distance(&(fly_seen){&ki, &m->marker[pair->mi].m}, &(fly_seen){&kj, &m->marker[pair->mj].m});
}

int fly_add_pair(fly_model *m, int mi, int mj) {
  m->pair[m->npair] = (fly_model_pair){mi, mj};
  return m->npair++;
}

static fly_status link_length(const fly_model *m, const fly_item *item, int pair, double *length, fly_error *error) {
  *length = fly_item_given(item, "length") ? fly_item_number(item, "length") : fly_start_distance(m, &m->pair[pair]);
  return *length > 0 ? FLY_OK : fly_item_fail(item, error, "its ends coincide at the start and no `length` is given.");
}

// A point mass has a place, but neither axes nor other places.
fly_status fly_check_point_mass(const fly_model *m, const fly_item *item, int pair, const fly_joint_type *type,
                                fly_error *error) {
  for (int side = 0; side < 2; side++) {
    const fly_model_marker *at = &m->marker[side ? m->pair[pair].mj : m->pair[pair].mi];
    const char *noun = fly_cannot_turn(m, at->body);
    if (!noun)
      continue;
    const char *name = m->body[at->body].name;
    for (int k = 0; k < type->nrow; k++)
      if (type->row[k].kind == FLY_DOT || type->row[k].kind == FLY_WHEEL ||
          (type->row[k].kind == FLY_PLANE && side == 0))
        return fly_item_fail(item, error, "`%s` is a %s, which has no axes%s.", name, noun,
                             type->row[k].kind == FLY_PLANE ? "; let it be the second body"
                                                            : ": try a spherical joint");
    if (sqrt(fly_dot3(at->m.s, at->m.s)) > 1e-9)
      return fly_item_fail(item, error, "`at` is %.3g m from the %s `%s`; give the place where that starts.",
                           sqrt(fly_dot3(at->m.s, at->m.s)), noun, name);
  }
  return FLY_OK;
}

static fly_status add_primitives(fly_model *m, int item, int pair, const fly_joint_type *type, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  int first = m->nrow;
  double length = 0;
  fly_status status = fly_check_point_mass(m, it, pair, type, error);
  if (status == FLY_OK && fly_parameter_find(it->type, "length") >= 0)
    status = link_length(m, it, pair, &length, error);
  for (int k = 0, n = 1; k < type->nrow && status == FLY_OK; k += n) {
    const fly_joint_row *r = &type->row[k];
    for (n = 1; k + n < type->nrow && !r[n].direction;)
      n++;
    const double c = r->kind == FLY_DISTANCE ? length : r->kind == FLY_WHEEL ? fly_item_number(it, "radius") : 0.0;
    status = fly_add_primitive(m, item, pair, r, n, c, error);
  }
  if (status == FLY_OK && m->nrow == first && type->nrow > 0)
    status = fly_item_fail(it, error, "holds nothing between planar bodies, which stay in their plane by themselves.");
  return status;
}

// Coordinate of a pair as one term of a row: its turn about an axis of the first marker, or its displacement along it.
void fly_add_coordinate(fly_model *m, int pair, bool angle, int axis, int row, double factor) {
  fly_primitive k = {axis, 0, 0.0};
  m->term[m->nterm++] =
      (fly_term){.kind = angle ? FLY_ANGLE : FLY_PLANE, .k = k, .pair = pair, .row = row, .rows = 1, .factor = factor};
}

// Rows that planar bodies can feel.
static int slip_rows_felt(const fly_model *m, const fly_model_slip *slip) {
  const fly_model_pair *pair = &m->pair[slip->pair];
  double B[FLY_SLIP_ROWS * FLY_PAIR];
  bool active[FLY_PAIR];
  int felt = 0;
  fly_kinematics body[2];
  fly_start_kinematics(m, m->marker[pair->mi].body, &body[0]);
  fly_start_kinematics(m, m->marker[pair->mj].body, &body[1]);
  const fly_pair p = {&body[0], &body[1], &m->marker[pair->mi].m, &m->marker[pair->mj].m};
  pair_columns(m, pair, active);
  fly_slip_rows(B, NULL, slip->kind, &p, slip->radius);
  for (int r = 0; r < fly_slip_types[slip->kind].rows; r++)
    for (int c = 0; c < FLY_PAIR; c++)
      if (active[c] && fabs(B[FLY_PAIR * r + c]) > 1e-9)
        felt |= 1 << r;
  return felt;
}

// A disc that lies flat has no lowest point.
static fly_status check_flat(const fly_model *m, const fly_item *item, int pair, fly_error *error) {
  double normal[3], axis[3];
  fly_kinematics body[2];
  const fly_model_pair *of = &m->pair[pair];
  fly_start_kinematics(m, m->marker[of->mi].body, &body[0]);
  fly_start_kinematics(m, m->marker[of->mj].body, &body[1]);
  fly_axis_space(normal, &body[0], &m->marker[of->mi].m, 2);
  fly_axis_space(axis, &body[1], &m->marker[of->mj].m, 2);
  return fabs(fly_dot3(normal, axis)) < 0.9999
             ? FLY_OK
             : fly_item_fail(item, error,
                             "the disc lies flat where it starts and has no lowest point: z of `to` is its "
                             "axis, z of `from` the normal of the plane.");
}

static fly_status add_slip(fly_model *m, int item, int pair, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  const bool rolls = fly_item_is(it, "rolling");
  fly_model_slip slip = {.item = item,
                         .pair = pair,
                         .kind = rolls ? FLY_SLIP_ROLL : FLY_SLIP_KNIFE,
                         .radius = rolls ? fly_item_number(it, "radius") : 0.0,
                         .row = m->nsliprow};
  if (!rolls && !fly_item_is(it, "knife-edge"))
    return FLY_OK;
  fly_status status = rolls ? check_flat(m, it, pair, error) : FLY_OK;
  if (status)
    return status;
  slip.rows = slip_rows_felt(m, &slip);
  if (slip.rows == 0)
    return fly_item_fail(it, error, "holds nothing: planar bodies do not move that way. Turn y of `to`.");
  for (int r = 0; r < FLY_SLIP_ROWS; r++)
    m->nsliprow += slip.rows >> r & 1;
  m->slip[m->nslip++] = slip;
  return FLY_OK;
}

fly_status fly_add_joint(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  int marker[2] = {0, 0};
  const fly_joint_type *type = fly_joint_type_find(it->type->name);
  if (!type)
    return FLY_OK; // a coupler: when all joints are there
  fly_status status = joint_markers(m, it, marker, error);
  if (status)
    return status;
  int pair = fly_add_pair(m, marker[0], marker[1]);
  m->joint_pair[item] = pair;
  status = add_primitives(m, item, pair, type, error);
  if (status == FLY_OK)
    status = add_slip(m, item, pair, error);
  if (status == FLY_OK && (type->moves & FLY_ADVANCES)) {
    fly_add_coordinate(m, pair, false, 2, m->nrow, 1.0);
    fly_add_coordinate(m, pair, true, 2, m->nrow, -fly_item_number(it, "pitch") / FLY_TAU);
    add_counted(m, item, "advance");
  }
  return status;
}

fly_status fly_joint_named(const fly_model *m, const fly_item *item, const char *name, int *joint, fly_error *error) {
  const fly_item *found = name ? fly_spec_find(m->spec, "joints", name) : NULL;
  if (!found)
    return fly_item_fail(item, error, "there is no joint `%s`.", name ? name : "");
  *joint = (int)(found - m->spec->item);
  return FLY_OK;
}

static bool can(const fly_item *joint, unsigned moves) {
  const fly_joint_type *type = fly_joint_type_find(joint->type->name);
  return type && (type->moves & moves);
}

bool fly_joint_turns(const fly_item *joint) { return can(joint, FLY_TURNS); }
bool fly_joint_slides(const fly_item *joint) { return can(joint, FLY_SLIDES); }
bool fly_joint_goes(const fly_item *joint) { return can(joint, FLY_SLIDES | FLY_ADVANCES); }

fly_status fly_add_coupler(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  const fly_value *joints = fly_item_value(it, "joints"), *ratios = fly_item_value(it, "ratios");
  if (joints->count < 2 || joints->count > 3 || ratios->count != joints->count)
    return fly_item_fail(it, error, "takes two or three joints and as many ratios, not %d and %d.", joints->count,
                         ratios->count);
  for (int k = 0; k < joints->count; k++) {
    int joint = 0;
    fly_status status = fly_joint_named(m, it, joints->word[k], &joint, error);
    if (status)
      return status;
    const fly_item *j = &m->spec->item[joint];
    if (!fly_joint_turns(j) && !fly_joint_slides(j))
      return fly_item_fail(it, error, "`%s` is a %s joint; a coupler takes revolute and translational ones.", j->name,
                           j->type->name);
    fly_add_coordinate(m, m->joint_pair[joint], fly_joint_turns(j), 2, m->nrow, ratios->number[k]);
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
  return fly_item_fail(item, error, "its joints `%s` and `%s` need one body in common, the carrier; they have %s.",
                       g->joint[0]->name, g->joint[1]->name, found ? "two" : "none");
}

static fly_status find_geared(const fly_model *m, const fly_item *item, bool rack, geared *g, fly_error *error) {
  const fly_value *joints = fly_item_value(item, "joints");
  if (joints->count != 2)
    return fly_item_fail(item, error, "takes two joints, not %d.", joints->count);
  for (int k = 0; k < 2; k++) {
    int joint = 0;
    fly_status status = fly_joint_named(m, item, joints->word[k], &joint, error);
    if (status)
      return status;
    g->joint[k] = &m->spec->item[joint];
    g->pair[k] = m->joint_pair[joint];
    bool slide = rack && k == 1;
    if (slide ? !fly_joint_slides(g->joint[k]) : !fly_joint_turns(g->joint[k]))
      return fly_item_fail(item, error, "`%s` is a %s joint, which does not %s.", g->joint[k]->name,
                           g->joint[k]->type->name, slide ? "slide" : "turn");
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
    return fly_item_fail(item, error, "its axes are not parallel; give their `ratio` instead of `radii`.");
  for (int k = 0; k < 3; k++)
    d[k] = two->s[k] - one->s[k];
  fly_cross(across, a, d);
  double apart = sqrt(fly_dot3(across, across)), meant = internal ? fabs(r[0] - r[1]) : r[0] + r[1];
  if (fabs(apart - meant) > 1e-3 * (r[0] + r[1]))
    return fly_item_fail(item, error, "its axes are %.6g m apart, but gears of these `radii` in %s mesh %.6g m.", apart,
                         internal ? "internal" : "external", meant);
  *ratio = (internal == (alike > 0) ? 1.0 : -1.0) * r[1] / r[0];
  return FLY_OK;
}

// angle - ratio * angle2 stays as at the start.
fly_status fly_add_gear(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  bool radii = fly_item_given(it, "radii");
  double ratio = fly_item_given(it, "ratio") ? fly_item_number(it, "ratio") : 0.0;
  geared g = {0};
  if (radii == fly_item_given(it, "ratio"))
    return fly_item_fail(it, error, "takes either `radii` or `ratio`.");
  if (!radii && (ratio == 0 || fly_item_given(it, "mesh")))
    return fly_item_fail(it, error, ratio == 0 ? "`ratio` is 0." : "`mesh` goes with `radii`; a `ratio` has its sign.");
  fly_status status = find_geared(m, it, false, &g, error);
  if (status == FLY_OK && radii)
    status = ratio_of_radii(m, it, &g, &ratio, error);
  if (status)
    return status;
  fly_add_coordinate(m, g.pair[0], true, 2, m->nrow, g.sign[0]);
  fly_add_coordinate(m, g.pair[1], true, 2, m->nrow, -ratio * g.sign[1]);
  add_counted(m, item, "ratio");
  return FLY_OK;
}

// displacement - radius * angle stays as at the start.
fly_status fly_add_rack(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  double radius = fly_item_number(it, "radius");
  geared g = {0};
  if (radius == 0)
    return fly_item_fail(it, error, "`radius` is 0.");
  fly_status status = find_geared(m, it, true, &g, error);
  if (status)
    return status;
  fly_add_coordinate(m, g.pair[0], true, 2, m->nrow, -radius * g.sign[0]);
  fly_add_coordinate(m, g.pair[1], false, 2, m->nrow, g.sign[1]);
  add_counted(m, item, "travel");
  return FLY_OK;
}
