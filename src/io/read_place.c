// Where uses put their parts. A point x of a part lies at c + B x in space; B is a rotation R, and before it, if the
// part is mirrored, a reflection.
//
// Of a mirrored part every frame A becomes B A Q, Q = diag(1, -1, 1): x and z are mirrored as arrows, y is turned round
// so that the frame stays right-handed. Seen from such a frame, the point (x, y, z) is (x, -y, z): Q. Arrows
// (velocities, axes of joints) become B a; what turns (angular velocities, torques) has the other sense, det(B) B a. So
// about x and z of a mirrored frame angles and torques change their sign, and along y lengths and forces do
// (docs/theory/signals.md).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element/inertia.h"
#include "io/forms.h"
#include "io/naming.h"
#include "math/so3.h"
#include "model/model.h"

static const double UNIT[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// ------------------------------------------------------------------------------------------ the places

static bool read_at(fly_reader *r, const fly_use *use, double at[3]) {
  if (use->at == NULL)
    return true;
  if (fly_reader_numbers(r, use->at, &fly_use_form[FLY_USE_AT], 3, 3) < 0)
    return false;
  memcpy(at, r->number, 3 * sizeof *at);
  return true;
}

// x of what is around is P (at + R x).
static bool read_place(fly_reader *r, fly_use *use) {
  double at[3] = {0}, R[9];
  memcpy(R, UNIT, sizeof R);
  if (!read_at(r, use, at) || (use->orientation != NULL && !fly_reader_orientation(r, use->orientation, R)))
    return false;
  for (int i = 0; i < 3 && use->mirror >= 0; i++)
    R[3 * use->mirror + i] = 0 - R[3 * use->mirror + i]; // no -0
  if (use->mirror >= 0)
    at[use->mirror] = 0 - at[use->mirror];
  const fly_use *outer = use->outer;
  if (outer == NULL) {
    memcpy(use->B, R, sizeof R);
    memcpy(use->c, at, sizeof at);
    return true;
  }
  fly_multiply3(use->B, outer->B, R);
  fly_to_space(use->c, outer->B, at);
  for (int i = 0; i < 3; i++)
    use->c[i] += outer->c[i];
  return true;
}

bool fly_reader_places(fly_reader *r) {
  for (fly_use *use = r->use; use != NULL; use = use->next)
    if (!read_place(r, use))
      return false;
  return true;
}

// ------------------------------------------------------------------------------------------ numbers

typedef struct placing {
  fly_reader *r;
  const fly_use *use;
  fly_item *item;
  const fly_tree_node *node;
} placing;

// How a triple changes.
typedef enum triple { POINT, ARROW, TURN } triple;

static void place_triple(const fly_use *use, triple kind, double x[3]) {
  double y[3];
  fly_to_space(y, use->B, x);
  for (int k = 0; k < 3; k++)
    x[k] = kind == POINT ? use->c[k] + y[k] : kind == TURN && use->mirrored ? 0 - y[k] : y[k];
}

// A point, an arrow in a frame of the part.
static void see_triple(const fly_use *use, double x[3]) { x[1] = use->mirrored ? 0 - x[1] : x[1]; }

// A Q
static void turn_y(const fly_use *use, double A[9]) {
  for (int i = 0; i < 3 && use->mirrored; i++)
    A[3 * i + 1] = 0 - A[3 * i + 1];
}

// B A Q, of a frame in space.
static void place_axes(const fly_use *use, double A[9]) {
  double BA[9];
  fly_multiply3(BA, use->B, A);
  memcpy(A, BA, sizeof BA);
  turn_y(use, A);
}

// Q A Q, of a frame on a body.
static void see_axes(const fly_use *use, double A[9]) {
  turn_y(use, A);
  for (int j = 0; j < 3 && use->mirrored; j++)
    A[3 + j] = 0 - A[3 + j];
}

static bool has(const placing *p, const char *name) { return fly_parameter_find(p->item->type, name) >= 0; }

static bool says(const placing *p, const char *name) { return has(p, name) && fly_item_given(p->item, name); }

static bool set_numbers(const placing *p, const char *name, int count, const double *number) {
  const int row = fly_parameter_find(p->item->type, name);
  const fly_value *value = fly_item_row(p->item, row);
  return fly_spec_set_numbers(p->r->spec, p->item, row, count, number, value->given ? value->place : p->item->place) ||
         fly_reader_no_memory(p->r);
}

static bool place_row(const placing *p, const char *name, triple kind) {
  double x[3];
  if (!has(p, name) || fly_item_value(p->item, name)->count != 3)
    return true;
  fly_item_numbers(p->item, name, 3, x);
  place_triple(p->use, kind, x);
  return set_numbers(p, name, 3, x);
}

static bool place_given(const placing *p, const char *name, triple kind) {
  return !says(p, name) || place_row(p, name, kind);
}

// A number that a mirror turns round, if it is given.
static bool turn_row(const placing *p, const char *name) {
  if (!p->use->mirrored || !says(p, name))
    return true;
  const double x = 0 - fly_item_number(p->item, name);
  return set_numbers(p, name, 1, &x);
}

// ------------------------------------------------------------------------------------------ bodies

// of: what places the frame it stands in, NULL: it stands on a body of the part.
static void place_shape(const fly_use *use, bool in_space, bool mesh, double *number) {
  double *at = number + FLY_SHAPE_AT, *A = number + FLY_SHAPE_AXES;
  if (in_space)
    place_triple(use, POINT, at);
  else
    see_triple(use, at);
  if (in_space)
    place_axes(use, A);
  else
    see_axes(use, A);
  if (!mesh || !use->mirrored)
    return; // solids are their own mirror images in x z
  // a mesh and a hull are not: of scale -s it is mirrored at its origin, which is Q and half a turn about y
  number[FLY_SHAPE_SIZE] = -number[FLY_SHAPE_SIZE];
  for (int i = 0; i < 3; i++) {
    A[3 * i] = -A[3 * i];
    A[3 * i + 2] = -A[3 * i + 2];
  }
}

// use of each shape: that of the item, or on ground its own.
static bool place_shapes(const placing *p, const fly_tree_node *list) {
  if (!says(p, "shapes"))
    return true;
  fly_value *value = fly_spec_own_value(p->r->spec, p->item, fly_parameter_find(p->item->type, "shapes"));
  if (value == NULL)
    return fly_reader_no_memory(p->r);
  const int count = value->count;
  double *number = calloc((size_t)count * FLY_SHAPE_NUMBERS + 1, sizeof *number);
  if (number == NULL)
    return fly_reader_no_memory(p->r);
  memcpy(number, value->number, (size_t)count * FLY_SHAPE_NUMBERS * sizeof *number);
  for (int k = 0; k < count; k++) {
    const fly_use *use = list != NULL ? list->entry[k].value->use : p->use;
    if (use != NULL && use->placed)
      place_shape(use, list != NULL, fly_shape_find(value->word[k]) < 0, number + (size_t)k * FLY_SHAPE_NUMBERS);
  }
  const bool good = set_numbers(p, "shapes", count * FLY_SHAPE_NUMBERS, number);
  value->count = count;
  free(number);
  return good;
}

static bool place_orientation(const placing *p) {
  double A[9];
  if (!has(p, "orientation"))
    return true;
  memcpy(A, UNIT, sizeof A);
  if (fly_item_given(p->item, "orientation"))
    fly_item_numbers(p->item, "orientation", 9, A);
  place_axes(p->use, A);
  return set_numbers(p, "orientation", 9, A);
}

// Products with y change their sign.
static bool see_inertia(const placing *p) {
  double I[6];
  if (!p->use->mirrored || !says(p, "inertia") || fly_item_value(p->item, "inertia")->count != 6)
    return true;
  fly_item_numbers(p->item, "inertia", 6, I);
  I[3] = 0 - I[3];
  I[5] = 0 - I[5];
  return set_numbers(p, "inertia", 6, I);
}

// The modes of finite elements are not mirrored.
static bool refuse_elements(const placing *p) {
  return !p->use->mirrored || !says(p, "data") ||
         fly_reader_fault(p->r, p->node, "a body of finite elements cannot be mirrored; reduce its mirror image.");
}

static bool see_center(const placing *p) {
  double x[3] = {0};
  const int count = has(p, "center") ? fly_item_value(p->item, "center")->count : 0;
  if (!p->use->mirrored || count < 2 || count > 3 || !says(p, "center"))
    return true;
  fly_item_numbers(p->item, "center", count, x);
  see_triple(p->use, x);
  return set_numbers(p, "center", count, x);
}

static bool is_diagonal(const double B[9]) {
  for (int k = 0; k < 9; k++)
    if (k % 4 != 0 && B[k] != 0)
      return false;
  return true;
}

static bool check_hold(const placing *p) {
  if (!says(p, "hold") || is_diagonal(p->use->B) || strcmp(fly_item_word(p->item, "hold", 0), "all") == 0)
    return true;
  return fly_reader_fault(p->r, p->node,
                          "'hold' is along the axes of space, and '%.60s' is in a part that is turned; "
                          "hold all, or nothing.",
                          p->item->name);
}

// In the plane: x, y and an angle.
static bool place_planar(const placing *p) {
  const fly_use *use = p->use;
  double x[3] = {0}, v[3] = {0}, A[9];
  const double angle = fly_item_number(p->item, "angle"), c = cos(angle), s = sin(angle);
  if (fabs(use->B[2]) + fabs(use->B[5]) + fabs(use->B[8] - 1) > 1e-12 || use->c[2] != 0)
    return fly_reader_fault(p->r, p->node, "the planar body '%.60s' is in a part that is put out of the plane z = 0.",
                            p->item->name);
  memcpy(A, ((const double[9]){c, -s, 0, s, c, 0, 0, 0, 1}), sizeof A);
  place_axes(use, A);
  const double turned = is_diagonal(use->B) && use->B[0] > 0 ? (use->mirrored ? 0 - angle : angle) : atan2(A[3], A[0]);
  fly_item_numbers(p->item, "position", 2, x);
  fly_item_numbers(p->item, "velocity", 2, v);
  place_triple(use, POINT, x);
  place_triple(use, ARROW, v);
  return set_numbers(p, "position", 2, x) && set_numbers(p, "velocity", 2, v) && set_numbers(p, "angle", 1, &turned) &&
         turn_row(p, "angular_velocity");
}

// The part inside that put a marker on this body; NULL: it is the body's own.
static const fly_use *tied_by(const placing *p, int marker) {
  const fly_tree_node *node = fly_tree_find(fly_tree_find(p->node, "markers"), p->item->marker[marker].name);
  return node != NULL && node->use != p->use ? node->use : NULL;
}

// Where the frame of a body starts.
static void frame_of(const fly_item *body, double r[3], double R[9]) {
  const int count = fly_item_value(body, "position")->count;
  r[2] = 0;
  memcpy(R, UNIT, sizeof UNIT);
  fly_item_numbers(body, "position", count, r);
  if (count == 2) {
    const double angle = fly_item_number(body, "angle"), c = cos(angle), s = sin(angle);
    memcpy(R, ((const double[9]){c, -s, 0, s, c, 0, 0, 0, 1}), sizeof UNIT);
  } else if (fly_parameter_find(body->type, "orientation") >= 0 && fly_item_given(body, "orientation")) {
    fly_item_numbers(body, "orientation", 9, R);
  }
}

// Markers that parts put on this body lie in their frames: on the body, R' (c + B x - r) and R' B A Q.
static void tie_markers(const placing *p) {
  double r[3], R[9], x[3], A[9];
  for (int k = 0; k < p->item->nmarker; k++) {
    fly_spec_marker *marker = &p->item->marker[k];
    const fly_use *use = tied_by(p, k);
    if (use == NULL)
      continue;
    frame_of(p->item, r, R);
    memcpy(x, marker->at, sizeof x);
    place_triple(use, POINT, x);
    for (int i = 0; i < 3; i++)
      x[i] -= r[i];
    fly_to_body(marker->at, R, x);
    memcpy(A, marker->A, sizeof A);
    place_axes(use, A);
    for (int i = 0; i < 9; i++)
      marker->A[i] = R[i / 3] * A[i % 3] + R[3 + i / 3] * A[3 + i % 3] + R[6 + i / 3] * A[6 + i % 3];
  }
}

static bool place_body(const placing *p) {
  const bool planar = fly_item_value(p->item, "position")->count == 2;
  for (int k = 0; k < p->item->nmarker; k++) {
    if (tied_by(p, k) != NULL)
      continue;
    see_triple(p->use, p->item->marker[k].at);
    see_axes(p->use, p->item->marker[k].A);
  }
  if (!refuse_elements(p) || !see_center(p) || !see_inertia(p) || !place_shapes(p, NULL) || !check_hold(p))
    return false;
  return planar ? place_planar(p)
                : place_row(p, "position", POINT) && place_row(p, "velocity", ARROW) &&
                      place_row(p, "angular_velocity", TURN) && place_orientation(p);
}

// Markers and shapes of ground are each of their own part.
static bool place_ground(const placing *p) {
  const fly_tree_node *markers = fly_tree_find(p->node, "markers");
  for (int k = 0; k < p->item->nmarker; k++) {
    fly_spec_marker *marker = &p->item->marker[k];
    const fly_tree_node *node = fly_tree_find(markers, marker->name);
    if (node == NULL || node->use == NULL || !node->use->placed)
      continue;
    place_triple(node->use, POINT, marker->at);
    place_axes(node->use, marker->A);
  }
  const fly_tree_node *shapes = fly_tree_find(p->node, "shapes");
  return shapes == NULL || shapes->kind != FLY_TREE_SEQUENCE || place_shapes(p, shapes);
}

// ------------------------------------------------------------------------------------------ joints and forces

// Of a coupler: those of joints that turn change their sign.
static bool turn_ratios(const placing *p) {
  double ratio[64];
  const int count = fly_item_value(p->item, "ratios")->count;
  if (!p->use->mirrored || count > 64)
    return true;
  fly_item_numbers(p->item, "ratios", count, ratio);
  for (int k = 0; k < count && k < fly_item_value(p->item, "joints")->count; k++) {
    const fly_item *joint = fly_spec_find(p->r->spec, "joints", fly_item_word(p->item, "joints", k));
    if (joint != NULL && fly_joint_turns(joint))
      ratio[k] = 0 - ratio[k];
  }
  return set_numbers(p, "ratios", count, ratio);
}

static const char *turned_text(const placing *p, const char *text) {
  char *turned = fly_arena_take(&p->r->spec->memory, strlen(text) + 4, 1);
  if (turned == NULL)
    fly_reader_no_memory(p->r);
  else
    sprintf(turned, "-(%s)", text);
  return turned;
}

// Ends of an angle change places: low is -high.
static bool turn_ends(const placing *p, const char *parameter) {
  const int row = fly_parameter_find(p->item->type, parameter);
  if (row < 0 || !fly_item_row(p->item, row)->given)
    return true;
  const fly_value *value = fly_item_row(p->item, row);
  const char *word[64];
  for (int k = 0; k + 1 < value->count && k < 63; k += 2) {
    const bool low = strcmp(value->word[k], "low") == 0, high = strcmp(value->word[k], "high") == 0;
    word[k] = low ? "high" : high ? "low" : value->word[k];
    word[k + 1] = low || high ? turned_text(p, value->word[k + 1]) : value->word[k + 1];
    if (word[k + 1] == NULL)
      return false;
  }
  return fly_spec_set_words(p->r->spec, p->item, row, value->count, word, value->place) || fly_reader_no_memory(p->r);
}

// Not those of a joint that slides.
static bool turn_limits(const placing *p) {
  const bool slides = fly_parameter_find(p->item->type, "displacement") >= 0;
  return !p->use->mirrored ||
         ((slides || turn_ends(p, "limits")) && turn_ends(p, "angle_limits") && turn_ends(p, "limits2"));
}

static bool place_joint(const placing *p) {
  bool good = place_given(p, "at", POINT) && place_given(p, "axis", ARROW) && place_given(p, "axis2", ARROW) &&
              turn_row(p, "angle") && turn_row(p, "angular_velocity") && turn_row(p, "pitch") && turn_limits(p);
  if (strcmp(p->item->type->name, "rack-pinion") == 0)
    good = good && turn_row(p, "radius");
  return good && (!says(p, "ratios") || turn_ratios(p));
}

// Forces along and torques about x, y, z of a mirrored frame.
static const double wrench[6] = {1, -1, 1, -1, 1, -1};

static bool turn_bushing(const placing *p) {
  static const char *const matrix[] = {"stiffness_matrix", "damping_matrix"};
  double K[36];
  bool good = true;
  for (int m = 0; m < 2 && p->use->mirrored; m++) {
    if (!says(p, matrix[m]))
      continue;
    fly_item_numbers(p->item, matrix[m], 36, K);
    for (int k = 0; k < 36; k++)
      K[k] *= wrench[k / 6] * wrench[k % 6];
    good = good && set_numbers(p, matrix[m], 36, K);
  }
  if (!p->use->mirrored || !says(p, "preload"))
    return good;
  fly_item_numbers(p->item, "preload", 6, K);
  for (int k = 0; k < 6; k++)
    K[k] *= wrench[k];
  return good && set_numbers(p, "preload", 6, K);
}

static bool place_force(const placing *p) {
  const bool bushing = strcmp(p->item->type->name, "bushing") == 0;
  return (!bushing || turn_bushing(p)) && turn_row(p, "free_angle") && (!has(p, "up") || place_row(p, "up", ARROW));
}

// ------------------------------------------------------------------------------------------ texts

// Does the motion turn what it moves, and about or along which axis of its frame?
static bool is_turned_motion(const placing *p) {
  const char *direction = says(p, "direction") ? fly_item_word(p->item, "direction", 0) : "";
  const fly_item *joint =
      says(p, "joint") ? fly_spec_find(p->r->spec, "joints", fly_item_word(p->item, "joint", 0)) : NULL;
  const bool turns = direction[0] != 0 ? strncmp(direction, "about-", 6) == 0
                                       : says(p, "angle") || (joint != NULL && fly_joint_turns(joint));
  const char axis = direction[0] != 0 ? direction[strlen(direction) - 1] : 'z';
  return turns ? axis != 'y' : axis == 'y';
}

// Has a component of a row its sign turned round by a mirror?
static bool is_turned(const placing *p, const fly_parameter *row, int k) {
  const char *section = p->item->type->section;
  if (!p->use->mirrored)
    return false;
  if (strcmp(section, "motions") == 0)
    return is_turned_motion(p);
  if (strcmp(section, "forces") != 0)
    return false;
  if (strcmp(row->name, "torque") == 0)
    return row->count == 1 || k != 1;
  return strcmp(row->name, "force") == 0 && row->count == 3 && k == 1;
}

// ball.vz: velocities are along axes of space, turns about those of the body.
static bool turned_velocity(const placing *p, const char *name, bool *turned) {
  static const double axial[3] = {-1, 1, -1};
  const char *dot = strrchr(name, '.');
  const bool known = dot != NULL && strlen(dot) == 3 && strchr("vw", dot[1]) != NULL && strchr("xyz", dot[2]) != NULL;
  const int axis = known ? dot[2] - 'x' : 0;
  *turned = known && (dot[1] == 'v' ? p->use->B[4 * axis] < 0 : p->use->mirrored && axial[axis] < 0);
  return !known || dot[1] == 'w' || is_diagonal(p->use->B) ||
         fly_reader_fault(p->r, p->node,
                          "'velocity' is along the axes of space, and the event '%.60s' is in a part that "
                          "is turned.",
                          p->item->name);
}

static const char *see_text(const placing *p, const char *text, bool turned) {
  static const char *const angles[] = {"angle", "rate", NULL};
  const bool torsion = strcmp(p->item->type->name, "torsion-spring") == 0;
  const char *why, *out = fly_seen_text(p->r, p->use, text, torsion ? angles : NULL, &why);
  if (out == NULL || why != NULL) {
    if (out == NULL)
      fly_reader_no_memory(p->r);
    else
      fly_reader_fault(p->r, p->node, "'%.60s': %s.", p->item->name, why);
    return NULL;
  }
  return turned ? turned_text(p, out) : out;
}

static bool see_texts(const placing *p, int parameter) {
  const fly_parameter *row = &p->item->type->parameters[parameter];
  const fly_value *value = fly_item_row(p->item, parameter);
  const bool pairs = row->type == FLY_SETTINGS;
  const char **word = calloc((size_t)value->count + 1, sizeof *word);
  bool good = true;
  if (word == NULL)
    return fly_reader_no_memory(p->r);
  for (int k = 0; good && k < value->count; k++) {
    bool turned = is_turned(p, row, k);
    word[k] = value->word[k];
    if (pairs && k % 2 == 0)
      continue;
    if (pairs && strcmp(row->name, "velocity") == 0)
      good = turned_velocity(p, value->word[k - 1], &turned);
    word[k] = good ? see_text(p, value->word[k], turned) : NULL;
    good = word[k] != NULL;
  }
  good = good && (fly_spec_set_words(p->r->spec, p->item, parameter, value->count, word, value->place) ||
                  fly_reader_no_memory(p->r));
  free(word);
  return good;
}

// ground is the frame of the part, where nothing else is said too.
static bool see_marker(const placing *p, int parameter) {
  const fly_value *value = fly_item_row(p->item, parameter);
  char name[FLY_TREE_KEY + 10];
  if (value->count != 1 || value->word == NULL || strcmp(value->word[0], "ground") != 0)
    return true;
  snprintf(name, sizeof name, "ground.%s", p->use->prefix);
  const char *word = name;
  return fly_spec_set_words(p->r->spec, p->item, parameter, 1, &word, value->given ? value->place : p->item->place) ||
         fly_reader_no_memory(p->r);
}

static bool see_words(const placing *p) {
  bool good = true;
  for (int k = 0; p->item->type->parameters[k].name != NULL && good; k++) {
    const fly_parameter *row = &p->item->type->parameters[k];
    const fly_value_type type = row->type;
    if (type == FLY_MARKER)
      good = see_marker(p, k);
    else if ((type == FLY_EXPRESSION || (type == FLY_SETTINGS && row->words == NULL)) &&
             fly_item_row(p->item, k)->given)
      good = see_texts(p, k);
  }
  return good;
}

static bool place_item(const placing *p) {
  const char *section = p->item->type->section;
  const bool good = strcmp(section, "bodies") == 0   ? place_body(p)
                    : strcmp(section, "joints") == 0 ? place_joint(p)
                    : strcmp(section, "forces") == 0 ? place_force(p)
                                                     : true;
  return good && see_words(p);
}

bool fly_reader_place_items(fly_reader *r) {
  bool good = true;
  for (int k = 0; r->use != NULL && k < r->spec->nitem && fly_reader_goes_on(r); k++) {
    fly_item *item = &r->spec->item[k];
    const fly_tree_node *node = r->node[k];
    const placing p = {r, node->use, item, node};
    if (strcmp(item->name, "ground") == 0 && strcmp(item->type->section, "bodies") == 0)
      good = place_ground(&p) && good;
    else if (p.use != NULL && p.use->placed)
      good = place_item(&p) && good;
  }
  for (int k = 0; r->use != NULL && good && k < r->spec->nitem; k++)
    if (strcmp(r->spec->item[k].type->section, "bodies") == 0 && strcmp(r->spec->item[k].name, "ground") != 0)
      tie_markers(&(placing){r, r->node[k]->use, &r->spec->item[k], r->node[k]});
  return good;
}
