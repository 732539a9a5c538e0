// Rows of elements that have no file of their own, and what is found in the list.
#include "element/type.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "element/list.h"
#include "element/table.h"

// ------------------------------------------------------------------------------------------ joints

#define BETWEEN                                                                                                        \
  {"bodies", FLY_BODIES, 2, "", NULL, false, ANY, "the two bodies, with `at` (and `axis`) in space at the start"},     \
      {"at", FLY_NUMBER, 3, "m", NULL, false, ANY, "where the joint is at the start, in space"},                       \
      {"from", FLY_MARKER, 1, "", NULL, false, ANY, "marker on the first body, instead of bodies and at"}, {           \
    "to", FLY_MARKER, 1, "", NULL, false, ANY, "marker on the second body"                                             \
  }
#define AXIS(text)                                                                                                     \
  { "axis", FLY_NUMBER, 3, "", NULL, false, ANY, text }

// What a joint says about its start places the body behind it and is held by assembly.
#define START_ANGLE                                                                                                    \
  {"angle",                                                                                                            \
   FLY_NUMBER,                                                                                                         \
   1,                                                                                                                  \
   "rad",                                                                                                              \
   NULL,                                                                                                               \
   false,                                                                                                              \
   ANY,                                                                                                                \
   "turn at the start, of the second body against the first; from where they are drawn, or from x to x of markers"},   \
  {                                                                                                                    \
    "angular_velocity", FLY_NUMBER, 1, "rad/s", NULL, false, ANY, "how fast it turns at the start"                     \
  }
#define START_DISPLACEMENT                                                                                             \
  {"displacement",                                                                                                     \
   FLY_NUMBER,                                                                                                         \
   1,                                                                                                                  \
   "m",                                                                                                                \
   NULL,                                                                                                               \
   false,                                                                                                              \
   ANY,                                                                                                                \
   "along the axis at the start, of the second body; from where they are drawn, or from marker to marker"},            \
  {                                                                                                                    \
    "velocity", FLY_NUMBER, 1, "m/s", NULL, false, ANY, "how fast it slides at the start"                              \
  }

#define COEFFICIENTS "law mu mu_static radius preload stribeck_speed transition_speed stiffness damping viscous"
#define RUBS(name, more, of)                                                                                           \
  {                                                                                                                    \
    name, FLY_SETTINGS, 0, "", NULL, false, KNOWS(COEFFICIENTS more),                                                  \
        "dry friction by the reaction of the joint" of ": {law: coulomb, mu: 0.3}, and what else the law takes"        \
  }
#define FRICTION RUBS("friction", " axial_radius bending_arm", "")

#define ENDS(name, of)                                                                                                 \
  {                                                                                                                    \
    name, FLY_SETTINGS, 0, "", NULL, false, KNOWS("low high stiffness damping cushion exponent restitution"),          \
        "ends of " of ": {low: -1, high: 1, stiffness: 1e5, damping: 100} or {high: 1, restitution: 0.5}"              \
  }
#define LIMITS ENDS("limits", "its coordinate")

// What holds it gives way (docs/theory/soft.md).
#define GIVES_WAY                                                                                                      \
  {"compliance",                                                                                                       \
   FLY_NUMBER,                                                                                                         \
   1,                                                                                                                  \
   "m/N, rad/(N m)",                                                                                                   \
   NULL,                                                                                                               \
   false,                                                                                                              \
   POSITIVE,                                                                                                           \
   "it gives way by so much for each newton, and newton metre, that it carries; rigid if not given"},                  \
      {"damping",                                                                                                      \
       FLY_NUMBER,                                                                                                     \
       1,                                                                                                              \
       "N s/m, N m s/rad",                                                                                             \
       NULL,                                                                                                           \
       false,                                                                                                          \
       NOT_NEGATIVE,                                                                                                   \
       "of what gives way: force over its speed; 0 if not given"},                                                     \
      {"rotational_compliance",                                                                                        \
       FLY_NUMBER,                                                                                                     \
       1,                                                                                                              \
       "rad/(N m)",                                                                                                    \
       NULL,                                                                                                           \
       false,                                                                                                          \
       NOT_NEGATIVE,                                                                                                   \
       "where it holds turns, if that is not the number of `compliance`; 0: rigid there"},                             \
  {                                                                                                                    \
    "rotational_damping", FLY_NUMBER, 1, "N m s/rad", NULL, false, NOT_NEGATIVE, "likewise, if it is not `damping`"    \
  }

static const fly_parameter POINTED[] = {BETWEEN, GIVES_WAY, SWITCH, END};
static const fly_parameter SPHERICAL[] = {BETWEEN, RUBS("friction", "", ", about any axis"), GIVES_WAY, SWITCH, END};
static const fly_parameter AXIAL[] = {BETWEEN, AXIS("axis of the joint at the start, in space; with markers: their z"),
                                      GIVES_WAY, SWITCH, END};
static const fly_parameter REVOLUTE[] = {
    BETWEEN,     AXIS("axis of the joint at the start, in space; with markers: their z"),
    START_ANGLE, FRICTION,
    LIMITS,      GIVES_WAY,
    SWITCH,      END};
static const fly_parameter TRANSLATIONAL[] = {BETWEEN,
                                              AXIS("axis of the joint at the start, in space; with markers: their z"),
                                              START_DISPLACEMENT,
                                              FRICTION,
                                              LIMITS,
                                              GIVES_WAY,
                                              SWITCH,
                                              END};
static const fly_parameter CYLINDRICAL[] = {BETWEEN,
                                            AXIS("axis of the joint at the start, in space; with markers: their z"),
                                            START_ANGLE,
                                            START_DISPLACEMENT,
                                            RUBS("friction", " bending_arm", ", along and about its axis"),
                                            ENDS("limits", "its displacement"),
                                            ENDS("angle_limits", "its turn"),
                                            GIVES_WAY,
                                            SWITCH,
                                            END};
#define SECOND_AXIS                                                                                                    \
  { "axis2", FLY_NUMBER, 3, "", NULL, false, ANY, "axis on the second body, perpendicular to the first; or z of `to`" }
static const fly_parameter PERPENDICULAR[] = {
    BETWEEN, AXIS("axis on the first body, in space; with markers: z of `from`"), SECOND_AXIS, GIVES_WAY, SWITCH, END};
static const fly_parameter UNIVERSAL[] = {
    BETWEEN,
    AXIS("axis on the first body, in space; with markers: z of `from`"),
    SECOND_AXIS,
    RUBS("friction", " axial_radius bending_arm", ", in both pins"),
    RUBS("friction2", " axial_radius bending_arm", ", in the pin of the second body, if it is another"),
    ENDS("limits", "its turn about the first axis"),
    ENDS("limits2", "its turn about the second axis"),
    GIVES_WAY,
    SWITCH,
    END};
static const fly_parameter SCREW[] = {
    BETWEEN,
    AXIS("axis of the screw at the start, in space; with markers: their z"),
    {"pitch", FLY_NUMBER, 1, "m", NULL, true, ANY, "advance of the second body in one positive turn"},
    START_ANGLE,
    GIVES_WAY,
    SWITCH,
    END};
static const fly_parameter DISTANCE[] = {
    {"from", FLY_MARKER, 1, "", NULL, true, ANY, "one end"},
    {"to", FLY_MARKER, 1, "", NULL, true, ANY, "other end"},
    {"length", FLY_NUMBER, 1, "m", NULL, false, POSITIVE, "length of the link; as at the start if not given"},
    GIVES_WAY,
    SWITCH,
    END};
static const fly_parameter CONSTANT_VELOCITY[] = {
    BETWEEN,
    AXIS("shaft of the first body, in space; with markers: z of `from`"),
    {"axis2", FLY_NUMBER, 3, "", NULL, false, ANY,
     "shaft of the second body, in the same sense; the first if not given; with markers: z of `to`"},
    GIVES_WAY,
    SWITCH,
    END};
static const fly_parameter LINK[] = {
    {"from", FLY_MARKER, 1, "", NULL, true, ANY, "the revolute end: the link turns about its z"},
    {"to", FLY_MARKER, 1, "", NULL, true, ANY, "the spherical end"},
    {"length", FLY_NUMBER, 1, "m", NULL, false, POSITIVE, "length of the link; as at the start if not given"},
    GIVES_WAY,
    SWITCH,
    END};
static const fly_parameter ROLLING[] = {
    {"from", FLY_MARKER, 1, "", NULL, true, ANY,
     "a marker in the plane it rolls on: z is the normal, to the side of the disc"},
    {"to", FLY_MARKER, 1, "", NULL, true, ANY, "a marker at the centre of the disc: z is its axis"},
    {"radius", FLY_NUMBER, 1, "m", NULL, true, POSITIVE, "radius of the disc"},
    END};
static const fly_parameter KNIFE_EDGE[] = {
    {"from", FLY_MARKER, 1, "", NULL, true, ANY, "a marker of the body it moves on"},
    {"to", FLY_MARKER, 1, "", NULL, true, ANY, "a marker of the blade: it does not move along its y"},
    END};
static const fly_parameter GEAR[] = {
    {"joints", FLY_JOINTS, 2, "", NULL, true, ANY, "the two bearings: joints that turn, with one body in common"},
    {"radii", FLY_NUMBER, 2, "m", NULL, false, POSITIVE, "pitch radii, for parallel axes"},
    {"mesh", FLY_WORD, 1, "", "external", false, -INFINITY, INFINITY, "external internal",
     "with radii: teeth outside, or the larger has them inside"},
    {"ratio", FLY_NUMBER, 1, "", NULL, false, ANY,
     "instead of radii: turns of the first gear for one of the second, each about its joint's axis, signed"},
    GIVES_WAY,
    SWITCH,
    END};
static const fly_parameter RACK_PINION[] = {
    {"joints", FLY_JOINTS, 2, "", NULL, true, ANY,
     "bearing of the pinion and guide of the rack, with one body in common"},
    {"radius", FLY_NUMBER, 1, "m", NULL, true, ANY,
     "travel of the rack along its axis for one radian of the pinion about its own; the sign says which way"},
    GIVES_WAY,
    SWITCH,
    END};
static const fly_parameter COUPLER[] = {{"joints", FLY_JOINTS, 0, "", NULL, true, ANY,
                                         "two or three joints: revolute (angle) or translational (displacement)"},
                                        {"ratios", FLY_NUMBER, 0, "", NULL, true, ANY,
                                         "their factors: sum of ratio times coordinate stays as at the start"},
                                        GIVES_WAY,
                                        SWITCH,
                                        END};

// ------------------------------------------------------------------------------------------ motions

static const fly_parameter MOTION[] = {
    {"joint", FLY_JOINT, 1, "", NULL, false, ANY,
     "the joint that is moved: revolute, translational, cylindrical or screw"},
    {"from", FLY_MARKER, 1, "", NULL, false, ANY, "instead of a joint: marker from which is measured, along its axes"},
    {"to", FLY_MARKER, 1, "", NULL, false, ANY, "marker that is moved"},
    {"direction", FLY_WORD, 1, "", NULL, false, -INFINITY, INFINITY, "x y z about-x about-y about-z",
     "of the movement, in axes of `from`; of a cylindrical joint: z or about-z"},
    {"angle", FLY_EXPRESSION, 1, "rad", NULL, false, ANY, "angle as a function of time"},
    {"displacement", FLY_EXPRESSION, 1, "m", NULL, false, ANY, "displacement as a function of time"},
    {"velocity", FLY_EXPRESSION, 1, "m/s, rad/s", NULL, false, ANY,
     "instead: rate of the displacement or angle, which starts from where the bodies are"},
    {"acceleration", FLY_EXPRESSION, 1, "m/s^2, rad/s^2", NULL, false, ANY,
     "instead: its acceleration; the velocity starts from that of the bodies"},
    GIVES_WAY,
    SWITCH,
    END};

// ------------------------------------------------------------------------------------------ others

static const fly_parameter FUNCTION[] = {
    {"arguments", FLY_WORD, 0, "", NULL, true, ANY, "names of what is given to it"},
    {"value", FLY_EXPRESSION, 1, "", NULL, true, ANY, "what it is, of its arguments and all that expressions know"},
    END};
static const fly_parameter TRAIL[] = {{"of", FLY_MARKER, 1, "", NULL, true, ANY, "the point"}, END};
#define UNIT_ROW(of)                                                                                                   \
  { "unit", FLY_WORD, 1, "", NULL, false, ANY, "of " of ", as it is to be shown" }
static const fly_parameter STATE[] = {
    {"rate", FLY_EXPRESSION, 1, "", NULL, false, ANY, "its derivative in time [unit of the state over s]"},
    {"equation", FLY_EXPRESSION, 1, "", NULL, false, ANY,
     "instead: what is 0, an expression with its derivative in it, written rate(name)"},
    {"start", FLY_NUMBER, 1, "", "0", false, KNOWS("equilibrium"),
     "its value at the start, in its unit; equilibrium: where its rate vanishes there, all else as given"},
    {"scale", FLY_NUMBER, 1, "", NULL, false, POSITIVE,
     "how large it is, in its unit: the error asked for is meant relative to it; the size of `start` if not given, or "
     "1 "
     "if that is 0"},
    UNIT_ROW("the state"),
    END};
static const fly_parameter VARIABLE[] = {
    {"value", FLY_EXPRESSION, 1, "", NULL, false, ANY, "what it is; other expressions may use it by its name"},
    {"equation", FLY_EXPRESSION, 1, "", NULL, false, ANY, "instead: what is 0, an expression with its name in it"},
    {"start", FLY_NUMBER, 1, "", "0", false, ANY,
     "of one that depends on itself: where the search for its value begins, and which of several it becomes"},
    {"unit", FLY_WORD, 1, "", NULL, false, ANY, "of the value, as it is to be shown; found if it is that of a measure"},
    END};
static const fly_parameter INPUT[] = {
    {"value", FLY_NUMBER, 1, "", NULL, false, ANY, "what it is until it is set from outside"},
    {"file", FLY_WORD, 1, "", NULL, false, ANY,
     "instead: it follows a CSV file beside the model, with the time in its first column"},
    {"column", FLY_WORD, 1, "", "2", false, ANY, "with file: the column with its values, a name or a number from 1"},
    {"interpolation", FLY_WORD, 1, "", "linear", false, KNOWS("linear akima cubic hold"),
     "with file, or a file that is given when it is run: the curve through its points, or hold: the last value until "
     "the next"},
    {"beyond", FLY_WORD, 1, "", NULL, false, KNOWS("line hold error"),
     "with file, before its first and after its last row: line, straight on; hold, as in that row; error, a run that "
     "long is refused. Not given: line, with a warning"},
    UNIT_ROW("the input"),
    END};
static const fly_parameter HELD[] = {
    {"value", FLY_NUMBER, 1, "", NULL, true, ANY, "what it is at the start"}, UNIT_ROW("the number"), END};
static const fly_parameter EVENT[] = {
    {"when", FLY_EXPRESSION, 1, "", NULL, false, ANY,
     "a condition; the event happens when it comes true (of an expression without comparison: grows through 0)"},
    {"at", FLY_NUMBER, 1, "s", NULL, false, NOT_NEGATIVE, "instead: the time at which it happens"},
    {"every", FLY_NUMBER, 1, "s", NULL, false, POSITIVE, "instead: it happens again and again, so far apart"},
    {"first", FLY_NUMBER, 1, "s", "0", false, NOT_NEGATIVE, "with every: the first time"},
    {"set", FLY_SETTINGS, 0, "", NULL, false, ANY,
     "held numbers and states, and their new values; all right sides see what was before"},
    {"velocity", FLY_SETTINGS, 0, "m/s, rad/s", NULL, false, ANY,
     "velocities of bodies after a blow: body.vx, vy, vz along space axes, body.wx, wy, wz about its own; constraints "
     "are kept by the smallest change"},
    {"stop", FLY_WORD, 1, "", "no", false, KNOWS("yes no"), "the run ends there"},
    {"message", FLY_WORD, 1, "", NULL, false, ANY, "what is said when it happens"},
    END};
static const fly_parameter OUTPUT[] = {
    {"value", FLY_EXPRESSION, 1, "", NULL, true, ANY, "what is written to the results"},
    {"unit", FLY_WORD, 1, "", NULL, false, ANY, "of the value, as it is to be shown; found if it is that of a measure"},
    END};

const fly_element_type fly_joints_revolute = FLY_ELEMENT(
    "joints", "revolute", "turns about one axis",
    "pin: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}", .parameters = REVOLUTE);
const fly_element_type fly_joints_fixed =
    FLY_ELEMENT("joints", "fixed", "holds two bodies together",
                "weld: {type: fixed, bodies: [ground, crank], at: [0, 0, 0]}", .parameters = POINTED);
const fly_element_type fly_joints_spherical =
    FLY_ELEMENT("joints", "spherical", "a ball in a socket",
                "ball: {type: spherical, bodies: [ground, crank], at: [0, 0, 0]}", .parameters = SPHERICAL);
const fly_element_type fly_joints_translational =
    FLY_ELEMENT("joints", "translational", "slides along one axis",
                "guide: {type: translational, bodies: [ground, slider], at: [0, 0, 0], axis: [1, 0, 0]}",
                .parameters = TRANSLATIONAL);
const fly_element_type fly_joints_cylindrical = FLY_ELEMENT(
    "joints", "cylindrical", "slides along and turns about one axis",
    "rod: {type: cylindrical, bodies: [ground, crank], at: [0, 0, 0], axis: [1, 0, 0]}", .parameters = CYLINDRICAL);
const fly_element_type fly_joints_universal =
    FLY_ELEMENT("joints", "universal", "turns about two crossing axes (Hooke, Cardan)",
                "cross: {type: universal, bodies: [shaft1, shaft2], at: [0, 0, 0], axis: [0, 1, 0], axis2: [0, 0, 1]}",
                .parameters = UNIVERSAL);
const fly_element_type fly_joints_planar =
    FLY_ELEMENT("joints", "planar", "keeps a plane of one body in a plane of the other; axis is its normal",
                "table: {type: planar, bodies: [ground, puck], at: [0, 0, 0], axis: [0, 0, 1]}", .parameters = AXIAL);
const fly_element_type fly_joints_screw = FLY_ELEMENT(
    "joints", "screw", "turns about an axis and advances with it",
    "jack: {type: screw, bodies: [ground, nut], at: [0, 0, 0], axis: [0, 0, 1], pitch: 5*mm}", .parameters = SCREW);
const fly_element_type fly_joints_distance =
    FLY_ELEMENT("joints", "distance", "a massless link between two points",
                "link: {type: distance, from: a.end, to: b.end}", .parameters = DISTANCE);
const fly_element_type fly_joints_in_line =
    FLY_ELEMENT("joints", "in-line", "a point of the second body stays on an axis of the first",
                "slot: {type: in-line, bodies: [ground, crank], at: [0, 0, 0], axis: [1, 0, 0]}", .parameters = AXIAL);
const fly_element_type fly_joints_in_plane =
    FLY_ELEMENT("joints", "in-plane", "a point of the second body stays in a plane of the first; axis is its normal",
                "floor: {type: in-plane, bodies: [ground, ball], at: [0, 0, 0], axis: [0, 0, 1]}", .parameters = AXIAL);
const fly_element_type fly_joints_orientation =
    FLY_ELEMENT("joints", "orientation", "keeps two bodies turned alike",
                "level: {type: orientation, bodies: [ground, table]}", .parameters = POINTED);
const fly_element_type fly_joints_parallel = FLY_ELEMENT(
    "joints", "parallel", "keeps an axis of one body parallel to one of the other",
    "upright: {type: parallel, bodies: [ground, mast], at: [0, 0, 0], axis: [0, 0, 1]}", .parameters = AXIAL);
const fly_element_type fly_joints_perpendicular =
    FLY_ELEMENT("joints", "perpendicular", "keeps an axis of one body perpendicular to one of the other",
                "square: {type: perpendicular, bodies: [a, b], at: [0, 0, 0], axis: [1, 0, 0], axis2: [0, 1, 0]}",
                .parameters = PERPENDICULAR);
const fly_element_type fly_joints_constant_velocity =
    FLY_ELEMENT("joints", "constant-velocity", "joins two shafts that bend, without unevenness",
                "joint: {type: constant-velocity, bodies: [shaft1, shaft2], "
                "at: [0, 0, 0], axis: [1, 0, 0], axis2: [0.9, 0.4, 0]}",
                .parameters = CONSTANT_VELOCITY);
const fly_element_type fly_joints_revolute_spherical =
    FLY_ELEMENT("joints", "revolute-spherical", "a massless link, revolute at one end and spherical at the other",
                "link: {type: revolute-spherical, from: crank.pin, to: rocker.ball}", .parameters = LINK);
const fly_element_type fly_joints_rolling =
    FLY_ELEMENT("joints", "rolling", "a disc that rolls on a plane without slipping, upright or tilted",
                "tread: {type: rolling, from: ground.road, to: wheel.hub, radius: 0.3}", .parameters = ROLLING);
const fly_element_type fly_joints_knife_edge =
    FLY_ELEMENT("joints", "knife-edge", "a blade or a wheel that does not move sideways",
                "skate: {type: knife-edge, from: ground.ice, to: sled.blade}", .parameters = KNIFE_EDGE);
const fly_element_type fly_joints_gear =
    FLY_ELEMENT("joints", "gear", "two gears in mesh, on bearings of one carrier",
                "mesh: {type: gear, joints: [pin1, pin2], radii: [0.05, 0.1]}", .parameters = GEAR);
const fly_element_type fly_joints_rack_pinion =
    FLY_ELEMENT("joints", "rack-pinion", "a pinion that drives a rack",
                "steering: {type: rack-pinion, joints: [pin, guide], radius: 8*mm}", .parameters = RACK_PINION);
const fly_element_type fly_joints_coupler =
    FLY_ELEMENT("joints", "coupler", "ties the coordinates of joints together: belts, differentials",
                "gear: {type: coupler, joints: [pin1, pin2], ratios: [2, 1]}", .parameters = COUPLER);
const fly_element_type fly_motions_motion =
    FLY_ELEMENT("motions", "motion", "moves a joint, or two markers against each other, as a function of time",
                "drive: {joint: pin, angle: 2*pi*time}", .parameters = MOTION);
const fly_element_type fly_functions_function =
    FLY_ELEMENT("functions", "function", "a function for expressions; short: `name(arguments): value`",
                "\"clip(x, m)\": max(-m, min(m, x))", .parameters = FUNCTION);
const fly_element_type fly_states_state =
    FLY_ELEMENT("states", "state", "a quantity with a given rate: of a controller, a motor, a fluid",
                "smooth: {rate: (vx(cart) - smooth)/0.1, start: 0, unit: m/s}", .parameters = STATE);
const fly_element_type fly_variables_variable =
    FLY_ELEMENT("variables", "variable", "an expression with a name, for others and for the results",
                "speed: 30/pi*wz(rotor)", .parameters = VARIABLE);
const fly_element_type fly_inputs_input = FLY_ELEMENT(
    "inputs", "input", "a number that is set from outside while the model runs", "throttle: 0.2", .parameters = INPUT);
const fly_element_type fly_held_held =
    FLY_ELEMENT("held", "held", "a number that stays as it is until somebody sets it", "gear: 1", .parameters = HELD);
const fly_element_type fly_events_event =
    FLY_ELEMENT("events", "event", "what happens when a condition comes true, or at given times",
                "shift: {when: \"wz(rotor) > 300\", set: {gear: 2}}", .parameters = EVENT);
const fly_element_type fly_outputs_output = FLY_ELEMENT("outputs", "output", "a quantity written to the results",
                                                        "stroke: dx(slider, ground)", .parameters = OUTPUT);
const fly_element_type fly_trails_trail = FLY_ELEMENT("trails", "trail", "the way of a point, drawn in the report",
                                                      "path: {of: rod.end}", .parameters = TRAIL);

const fly_element_type *fly_element_type_find(const char *section, const char *name) {
  for (const fly_element_type *const *row = fly_element_types, *t; (t = *row) != NULL; row++)
    if (strcmp(t->section, section) == 0 && (!name || strcmp(t->name, name) == 0))
      return t;
  return NULL;
}

int fly_parameter_find(const fly_element_type *type, const char *name) {
  for (int k = 0; type->parameters[k].name; k++)
    if (fly_parameter_is(&type->parameters[k], name))
      return k;
  return -1;
}
