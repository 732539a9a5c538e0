#include "io/forms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/simulate.h"

#define ANY -INFINITY, INFINITY, NULL
#define END                                                                                                            \
  { 0 }

const fly_parameter fly_orientation_form[] = {
    [FLY_ORIENTATION_EULER] = {"euler313", FLY_NUMBER, 3, "rad", NULL, false, ANY,
                               "turns about z, then about the new x, then about the new z"},
    [FLY_ORIENTATION_AXIS] = {"axis", FLY_NUMBER, 3, "", NULL, false, ANY, "axis of one turn, with `angle`"},
    [FLY_ORIENTATION_ANGLE] = {"angle", FLY_NUMBER, 1, "rad", NULL, false, ANY, "the turn about `axis`"},
    [FLY_ORIENTATION_QUATERNION] = {"quaternion", FLY_NUMBER, 4, "", NULL, false, ANY,
                                    "w, x, y, z of any length but 0"},
    [FLY_ORIENTATION_X] = {"x", FLY_NUMBER, 3, "", NULL, false, ANY,
                           "direction of the x axis; two of x, y, z are enough"},
    [FLY_ORIENTATION_Y] = {"y", FLY_NUMBER, 3, "", NULL, false, ANY, "direction of the y axis"},
    [FLY_ORIENTATION_Z] = {"z", FLY_NUMBER, 3, "", NULL, false, ANY,
                           "direction of the z axis: kept as it is if given (else x is), the other shows the plane"},
    END};

const fly_parameter fly_marker_form[] = {
    [FLY_MARKER_AT] = {"at", FLY_NUMBER, 3, "m", "[0, 0, 0]", false, ANY,
                       "where it is, from the body's frame, in its axes; two numbers on a planar body"},
    [FLY_MARKER_AXIS] = {"axis", FLY_NUMBER, 3, "", NULL, false, ANY, "direction of its z axis, in the body's axes"},
    [FLY_MARKER_ORIENTATION] = {"orientation", FLY_ORIENTATION, 9, "", NULL, false, ANY,
                                "how it is turned against the body"},
    [FLY_MARKER_NODE] = {"node", FLY_WORD, 1, "", NULL, false, ANY,
                         "of a flexible body: a node by its number, or by the name of an interface; `at` is then from "
                         "there"},
    [FLY_MARKER_ANGLE] = {"angle", FLY_NUMBER, 1, "rad", NULL, false, ANY, "turn about z, on a planar body"},
    END};

#define PLACEMENT                                                                                                      \
  [FLY_SHAPE_FORM_AT] = {"at", FLY_NUMBER, 3, "m", "[0, 0, 0]", false, ANY, "where it is on the body"},                \
  [FLY_SHAPE_FORM_ORIENTATION] = {"orientation", FLY_ORIENTATION, 9,   "",                                             \
                                  NULL,          false,           ANY, "how it is turned against the body"}

const fly_parameter fly_shape_form[] = {
    PLACEMENT,
    [FLY_SHAPE_FORM_DENSITY] = {"density", FLY_NUMBER, 1, "kg/m^3", NULL, false, ANY,
                                "gives mass and inertia; negative: a hole; without it the shape is only seen"},
    END};

const fly_parameter fly_mesh_form[] = {
    PLACEMENT, [FLY_MESH_FORM_FILE] = {"file", FLY_WORD, 1, "", NULL, true, ANY, "an STL or OBJ file beside the model"},
    [FLY_MESH_FORM_SCALE] = {"scale", FLY_NUMBER, 1, "m", "1", false, ANY,
                             "length of a unit of the file: 0.001 if it is in millimetres; less than 0: mirrored"},
    END};

const fly_parameter fly_hull_form[] = {
    PLACEMENT,
    [FLY_HULL_FORM_DENSITY] = {"density", FLY_NUMBER, 1, "kg/m^3", NULL, false, ANY,
                               "gives mass and inertia; negative: a hole; without it the shape has no mass"},
    [FLY_HULL_FORM_POINTS] = {"points", FLY_MATRIX, 0, "m", NULL, false, ANY,
                              "[x, y, z] of each; those inside are no corners"},
    [FLY_HULL_FORM_FILE] = {"file", FLY_WORD, 1, "", NULL, false, ANY,
                            "instead: an STL or OBJ file beside the model, whose corners they are"},
    [FLY_HULL_FORM_SCALE] = {"scale", FLY_NUMBER, 1, "m", "1", false, ANY,
                             "length of a unit of the points: 0.001 if they are in millimetres; less than 0: mirrored"},
    END};

static const fly_parameter CURVE[] = {
    PLACEMENT,
    [FLY_CURVE_FORM_SCALE] = {"scale", FLY_NUMBER, 1, "m", "1", false, ANY,
                              "length of a unit of its lengths: 0.001 if they are in millimetres"},
};

static const fly_parameter CURVE_KEYS[] = {
    {"radius", FLY_NUMBER, 1, "m", NULL, true, ANY, "of the circle"},
    {"length", FLY_NUMBER, 1, "m", NULL, true, ANY, "of the line"},
    {"from", FLY_NUMBER, 1, "rad", NULL, true, ANY, "angle at which it begins"},
    {"to", FLY_NUMBER, 1, "rad", NULL, true, ANY, "and at which it ends, against the clock"},
    {"points", FLY_MATRIX, 0, "m", NULL, true, ANY, "[x, y] of each; or {file: points.csv}"},
    {"radii", FLY_MATRIX, 0, "m", NULL, true, ANY, "its distances from the origin, at equal angles all around"},
};

void fly_curve_form_of(fly_parameter rows[FLY_CURVE_FORM_ROWS], const fly_curve_type *type) {
  memset(rows, 0, FLY_CURVE_FORM_ROWS * sizeof *rows);
  memcpy(rows, CURVE, sizeof CURVE);
  for (int k = 0; k < FLY_CURVE_KEYS && type->key[k] != NULL; k++)
    for (size_t row = 0; row < sizeof CURVE_KEYS / sizeof *CURVE_KEYS; row++)
      if (strcmp(CURVE_KEYS[row].name, type->key[k]) == 0)
        rows[FLY_CURVE_FORM_KEY + k] = CURVE_KEYS[row];
}

const fly_parameter fly_table_form[] = {
    [FLY_TABLE_X] = {"x", FLY_NUMBER, 0, "", NULL, false, ANY, "abscissas, ascending"},
    [FLY_TABLE_Y] = {"y", FLY_NUMBER, 0, "", NULL, false, ANY, "values there, as many; with `values`: ascending too"},
    [FLY_TABLE_VALUES] = {"values", FLY_MATRIX, 0, "", NULL, false, ANY,
                          "of a surface over x and y: a row for each y, with a number for each x"},
    [FLY_TABLE_FILE] = {"file", FLY_WORD, 1, "", NULL, false, ANY,
                        "a CSV file beside the model, instead of x and y; its first line may hold names"},
    [FLY_TABLE_COLUMNS] = {"columns", FLY_WORD, 2, "", "[1, 2]", false, ANY,
                           "which columns of the file are x and y: names, or numbers from 1"},
    END};

const fly_parameter fly_repeat_form[] = {
    [FLY_REPEAT_COUNT] = {"count", FLY_NUMBER, 1, "", NULL, true, 0, 1e6, NULL, "how often; a whole number"},
    [FLY_REPEAT_INDEX] = {"index", FLY_WORD, 1, "", "i", false, ANY,
                          "name of the number that counts: a number in expressions, $i in names"},
    [FLY_REPEAT_FIRST] = {"first", FLY_NUMBER, 1, "", "1", false, 0, 1e6, NULL, "where it begins to count"},
    END};

const fly_parameter fly_use_form[] = {
    [FLY_USE_PART] = {"part", FLY_WORD, 1, "", NULL, false, ANY,
                      "name of a part of this file or of the program, or a file that holds one: corner.yaml"},
    [FLY_USE_LIKE] = {"like", FLY_WORD, 1, "", NULL, false, ANY,
                      "name of another use: all that it says, but for what is given here"},
    [FLY_USE_AT] = {"at", FLY_NUMBER, 3, "m", "[0, 0, 0]", false, ANY, "where the frame of the part is put"},
    [FLY_USE_ORIENTATION] = {"orientation", FLY_ORIENTATION, 9, "", NULL, false, ANY, "how that frame is turned"},
    [FLY_USE_MIRROR] = {"mirror", FLY_WORD, 1, "", NULL, false, -INFINITY, INFINITY, "x y z none",
                        "the axis of the model that is turned round, of all, `at` too: the part becomes its mirror "
                        "image"},
    [FLY_USE_CONNECT] = {"connect", FLY_SETTINGS, 0, "", NULL, false, ANY,
                         "what the part is tied to, by the names it has for them: bodies, markers, joints"},
    END};

#define NOT_NEGATIVE 0, INFINITY, NULL
static const fly_parameter friction_form[] = {
    {"law", FLY_WORD, 1, "", "coulomb", false, -INFINITY, INFINITY, "coulomb stribeck regularized lugre",
     "coulomb: mu while it slides, mu_static where it sticks; stribeck: from mu_static to mu over the stribeck_speed; "
     "regularized: smooth, it never sticks; lugre: bristles"},
    {"mu", FLY_NUMBER, 1, "", NULL, true, NOT_NEGATIVE, "coefficient while it slides"},
    {"mu_static", FLY_NUMBER, 1, "", "mu", false, NOT_NEGATIVE, "coefficient where it sticks"},
    {"radius", FLY_NUMBER, 1, "m", NULL, false, NOT_NEGATIVE,
     "of a pin, a rod in its bush, a ball: required; of a guide: at which a torque about its axis presses"},
    {"axial_radius", FLY_NUMBER, 1, "m", "radius", false, NOT_NEGATIVE,
     "of revolute and universal joints: at which the load along the axis rubs"},
    {"bending_arm", FLY_NUMBER, 1, "m", NULL, false, NOT_NEGATIVE,
     "half the length of the bearing: a torque T that tilts it presses with T/bending_arm; not of spherical joints"},
    {"preload", FLY_NUMBER, 1, "N", "0", false, NOT_NEGATIVE, "presses, beside the reaction"},
    {"stribeck_speed", FLY_NUMBER, 1, "m/s", NULL, false, NOT_NEGATIVE, "of stribeck: required"},
    {"transition_speed", FLY_NUMBER, 1, "m/s", NULL, false, NOT_NEGATIVE, "of regularized: required"},
    {"stiffness", FLY_NUMBER, 1, "1/m", NULL, false, NOT_NEGATIVE, "of lugre, over the normal force: required"},
    {"damping", FLY_NUMBER, 1, "s/m", "0", false, NOT_NEGATIVE, "of lugre, over the normal force"},
    {"viscous", FLY_NUMBER, 1, "N s/m, N m s", "0", false, NOT_NEGATIVE,
     "times the rate; of cylindrical joints times the speed on the surface"},
    END};
static const fly_parameter limits_form[] = {
    {"low", FLY_NUMBER, 1, "m, rad", NULL, false, ANY, "lower end; it, high, or both"},
    {"high", FLY_NUMBER, 1, "m, rad", NULL, false, ANY, "upper end"},
    {"restitution", FLY_NUMBER, 1, "", NULL, false, 0, 1, NULL,
     "rate behind the blow over the rate before it; it, or stiffness"},
    {"stiffness", FLY_NUMBER, 1, "N/m, N m/rad", NULL, false, NOT_NEGATIVE, "of a spring beyond the end"},
    {"damping", FLY_NUMBER, 1, "N s/m, N m s", "0", false, NOT_NEGATIVE, "of that spring"},
    {"cushion", FLY_NUMBER, 1, "m, rad", "1e-3", false, NOT_NEGATIVE, "depth over which its damping grows"},
    {"exponent", FLY_NUMBER, 1, "", "1", false, NOT_NEGATIVE, "of the depth in its force"},
    END};

const fly_value_form fly_value_forms[] = {
    {"orientation", "how something is turned, given in one of four ways",
     "orientation: {axis: [0, 0, 1], angle: 30*deg}", fly_orientation_form},
    {"marker", "a point of a body, and axes there; a point alone has the axes of the body",
     "markers: {pin: [0.1, 0, 0], guide: {at: [0, 0, 0], axis: [1, 0, 0]}}", fly_marker_form},
    {"shape", "what a body looks like; with a density also its mass and inertia. z is the axis of a shape",
     "shapes: [{type: cylinder, radius: 10*mm, length: 0.2, density: 7850}]", fly_shape_form},
    {"repeat",
     "elements made `count` times: it takes bodies, joints, motions, forces, states, variables, blocks, outputs and "
     "repeat, in "
     "which $i, or "
     "$(i + 1), in a name is a number. $ is understood outside too, over parameters: link$N",
     "repeat: {links: {count: N, bodies: {link$i: {type: point, mass: i*kg, position: [i, 0, 0]}}}}", fly_repeat_form},
    {"use",
     "a part with a name: every name inside it gets that of the use and a dot before it, as `speed.out`. Beside these "
     "keys it takes the parameters of the part, each a number over parameters, and its inputs, each an expression",
     "use: {speed: {part: pid, error: target - wz(rotor), kp: 2, ki: 5}}", fly_use_form},
    {"friction",
     "of a revolute, translational, cylindrical, universal or spherical joint: dry friction by the reaction of the "
     "joint, which sticks and breaks away. `friction2`: that of the second pin of a universal joint",
     "joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], friction: {mu: 0.3, radius: 10*mm}}}",
     friction_form},
    {"limits",
     "ends of the coordinate of a revolute or translational joint, hard or soft; of a cylindrical one, of its "
     "displacement, "
     "and `angle_limits` of its turn; of a universal one, of its turn about `axis`, and `limits2` of that about "
     "`axis2`",
     "joints: {guide: {type: translational, bodies: [ground, slider], at: [0, 0, 0], limits: {high: 0.2, restitution: "
     "0.5}}}",
     limits_form},
    {"table", "a curve through points, or a surface",
     "tables: {lift: {x: [0, 1, 2], y: [0, 5*mm, 0]}, map: {x: [0, 1], y: [0, 2, 4], values: [[1, 2], [3, 4], [5, "
     "6]]}}",
     fly_table_form},
    {"simulate", "what `flyball run` does; options of the command line win over it",
     "simulate: {end: 5, error: 1e-4, output: 0.01}", fly_simulate_rows},
    {0}};

const fly_top_key fly_top_keys[] = {
    {"flyball", "version of the language: 1"},
    {"name", "of the model"},
    {"text", "what it is, for people"},
    {"include", "a file, or a list of files, whose sections are added to these"},
    {"gravity", "acceleration in space [m/s^2]: three numbers; none if not given"},
    {"parameters", "names and their values; expressions may use each other"},
    {"functions", "functions with arguments, for expressions"},
    {"tables", "curves and surfaces through points"},
    {"use", "parts, each with a name that stands before all of its names"},
    {"bodies", "what has mass; markers and shapes of the ground stand here too, under `ground`"},
    {"joints", "what keeps bodies together"},
    {"motions", "what drives joints"},
    {"forces", "springs, dampers, loads"},
    {"contacts", "shapes that touch"},
    {"states", "quantities with a given rate: of controllers, motors, fluids"},
    {"variables", "expressions with a name, which others may use; they are written too"},
    {"inputs", "numbers that are set from outside while the model runs"},
    {"held", "numbers that stay as they are until somebody sets them"},
    {"events", "what happens when a condition comes true, or at given times"},
    {"blocks", "what expressions cannot say: linear systems, transfer functions, delays, code of your own"},
    {"outputs", "what is written beside the motion: another word for variables"},
    {"trails", "points whose way is drawn in the report"},
    {"repeat", "elements made many times over, with numbers in their names"},
    {"simulate", "what `flyball run` does: end, error, method ..."},
    {0}};

const fly_top_key fly_part_keys[] = {
    {"part", "its name"},
    {"connect", "bodies, markers and joints that a use gives: {chassis: body, pin: marker, axle: joint}"},
    {0}};

bool fly_is_part_key(const char *name) {
  static const char *const of_models[] = {"name", "include", "gravity", "simulate"};
  for (size_t k = 0; k < sizeof of_models / sizeof *of_models; k++)
    if (strcmp(of_models[k], name) == 0)
      return false;
  for (int k = 0; fly_part_keys[k].name != NULL; k++)
    if (strcmp(fly_part_keys[k].name, name) == 0)
      return true;
  return fly_is_top_key(name);
}

bool fly_is_top_key(const char *name) {
  int k = 0;
  while (fly_top_keys[k].name != NULL && strcmp(fly_top_keys[k].name, name) != 0)
    k++;
  return fly_top_keys[k].name != NULL;
}

const char *const fly_sections[] = {"functions", "bodies", "joints",    "motions", "forces",
                                    "contacts",  "states", "variables", "inputs",  "held",
                                    "events",    "blocks", "outputs",   "trails",  NULL};

const char *const *const fly_repeated_sections = fly_sections + 1;

const char *fly_section_singular(const char *section) {
  static const char *const singular[] = {"function", "body",  "joint", "motion", "force", "contact", "state",
                                         "variable", "input", "held",  "event",  "block", "output",  "trail"};
  for (int k = 0; fly_sections[k]; k++)
    if (strcmp(fly_sections[k], section) == 0)
      return singular[k];
  return section;
}

const char *fly_article(const char *word) {
  return strchr("aeio", word[0]) != NULL ? "an" : "a"; // a universal joint
}

void fly_type_title(char *text, size_t size, const fly_element_type *type) {
  const char *one = fly_section_singular(type->section);
  if (strcmp(type->name, one) == 0)
    snprintf(text, size, "%s", one);
  else
    snprintf(text, size, "%s %s", type->name, one);
}

void fly_range_text(char *text, size_t size, const fly_parameter *row) {
  if (row->low > 0 && row->low < 1e-200 && isinf(row->high))
    snprintf(text, size, "positive");
  else if (row->low == 0 && isinf(row->high))
    snprintf(text, size, "not negative");
  else if (isfinite(row->low) && isfinite(row->high))
    snprintf(text, size, "between %g and %g", row->low, row->high);
  else if (isfinite(row->low))
    snprintf(text, size, "at least %g", row->low);
  else if (isfinite(row->high))
    snprintf(text, size, "at most %g", row->high);
  else
    snprintf(text, size, "%s", "");
}

static void takes_several(char *text, size_t size, const char *one, const char *many, int count) {
  if (count == 1)
    snprintf(text, size, "%s", one);
  else if (count > 1)
    snprintf(text, size, "a list of %d %s", count, many);
  else
    snprintf(text, size, "a list of %s", many);
}

static void takes_words(char *text, size_t size, const fly_parameter *row) {
  size_t used = (size_t)snprintf(text, size, row->count == 0 ? "one or a list of " : "one of ");
  for (const char *s = row->words; *s && used + 3 < size; s++) {
    if (*s == ' ')
      text[used++] = ',';
    text[used++] = *s;
  }
  text[used] = 0;
}

void fly_takes_text(char *text, size_t size, const fly_parameter *row) {
  static const char *const fixed[] = {
      [FLY_ORIENTATION] = "an orientation, such as {axis: [0, 0, 1], angle: 30*deg}",
      [FLY_BODY] = "the name of a body, or ground",
      [FLY_MARKER] = "a marker: body.marker, the name of a body, or ground",
      [FLY_JOINT] = "the name of a joint",
      [FLY_TABLE] = "the name of a table",
      [FLY_MARKERS] = "markers, such as {pin: [0.1, 0, 0]}",
      [FLY_SHAPES] = "a list of shapes, such as [{type: box, ...}]",
      [FLY_SETTINGS] = "names and expressions, such as {gear: 2}",
      [FLY_MATRIX] = "a matrix, a list of its rows such as [[0, 1], [-4, 0]], or {file: matrix.csv}",
  };
  if (row->type == FLY_NUMBER && row->words)
    snprintf(text, size, "a number, or %s", row->words);
  else if (row->type == FLY_NUMBER)
    takes_several(text, size, "a number", "numbers", row->count);
  else if (row->type == FLY_JOINTS)
    takes_several(text, size, "a joint", "joints", row->count);
  else if (row->type == FLY_BODIES)
    snprintf(text, size, row->count == 2 ? "a list of two bodies" : "a list of bodies");
  else if (row->type == FLY_EXPRESSION)
    takes_several(text, size, "an expression", "expressions", row->count);
  else if (row->type == FLY_WORD && row->words)
    takes_words(text, size, row);
  else if (row->type == FLY_WORD)
    takes_several(text, size, "a text", "texts", row->count);
  else
    snprintf(text, size, "%s", fixed[row->type]);
}

void fly_row_text(char *text, size_t size, const fly_parameter *row) {
  char takes[200], range[80];
  fly_takes_text(takes, sizeof takes, row);
  fly_range_text(range, sizeof range, row);
  const bool unit = row->unit[0] != 0;
  snprintf(text, size, "%s%s%s%s%s%s", takes, unit ? " [" : "", row->unit, unit ? "]" : "", range[0] != 0 ? ", " : "",
           range);
}
