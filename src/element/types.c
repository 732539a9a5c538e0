// The list of elements: one row each. The model language is this file.
#include "element/type.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define ANY -INFINITY, INFINITY, NULL
#define POSITIVE 1e-300, INFINITY, NULL
#define NOT_NEGATIVE 0.0, INFINITY, NULL
#define KNOWS(words) -INFINITY, INFINITY, words
#define END                                                                                                            \
  { 0 }

// ------------------------------------------------------------------------------------------ bodies

#define HOLD(words)                                                                                                    \
  { "hold", FLY_WORD, 0, "", NULL, false, -INFINITY, INFINITY, words, "what assembly may not move at the start" }

#define PLACEMENT                                                                                                      \
  {"position", FLY_NUMBER, 3, "m", "[0, 0, 0]", false, ANY, "where the body's frame starts, in space"},                \
      {"orientation", FLY_ORIENTATION, 9, "", NULL, false, ANY, "how it is turned at the start"},                      \
      {"velocity", FLY_NUMBER, 3, "m/s", "[0, 0, 0]", false, ANY, "velocity of its frame at the start, in space"}, {   \
    "angular_velocity", FLY_NUMBER, 3, "rad/s", "[0, 0, 0]", false, ANY, "at the start, in space axes"                 \
  }

#define COLORS "red orange yellow green teal blue purple pink brown black gray white steel brass copper"
#define LOOKS                                                                                                          \
  {"shapes", FLY_SHAPES, 0, "", NULL, false, ANY, "what it looks like; a link between its markers if not given"}, {    \
    "color", FLY_WORD, 1, "", NULL, false, -INFINITY, INFINITY, COLORS, "what it looks like"                           \
  }

static const fly_parameter RIGID[] = {
    {"mass", FLY_NUMBER, 1, "kg", NULL, false, POSITIVE, "mass; without it that of its shapes with a density"},
    {"inertia", FLY_NUMBER, 0, "kg m^2", NULL, false, ANY,
     "about the mass centre, in body axes: [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] (products as in the "
     "matrix); without it that of its shapes, scaled to `mass`"},
    {"center", FLY_NUMBER, 3, "m", "[0, 0, 0]", false, ANY,
     "mass centre, from the body's frame, in its axes; without it that of its shapes with a density"},
    PLACEMENT,
    HOLD("x y z orientation all"),
    {"markers", FLY_MARKERS, 0, "", NULL, false, ANY, "points and frames fixed to the body"},
    LOOKS,
    END};

static const fly_parameter POINT[] = {
    {"mass", FLY_NUMBER, 1, "kg", NULL, true, POSITIVE, "mass"},
    {"position", FLY_NUMBER, 3, "m", "[0, 0, 0]", false, ANY, "where it starts"},
    {"velocity", FLY_NUMBER, 3, "m/s", "[0, 0, 0]", false, ANY, "velocity at the start"},
    LOOKS,
    HOLD("x y z all"),
    END};

static const fly_parameter PLANAR[] = {
    {"mass", FLY_NUMBER, 1, "kg", NULL, true, POSITIVE, "mass"},
    {"inertia", FLY_NUMBER, 1, "kg m^2", NULL, true, POSITIVE, "about the mass centre, about z"},
    {"center", FLY_NUMBER, 2, "m", "[0, 0]", false, ANY, "mass centre, from the body's frame, in its axes"},
    {"position", FLY_NUMBER, 2, "m", "[0, 0]", false, ANY, "where the body's frame starts"},
    {"angle", FLY_NUMBER, 1, "rad", "0", false, ANY, "turn about z at the start"},
    {"velocity", FLY_NUMBER, 2, "m/s", "[0, 0]", false, ANY, "velocity of its frame at the start"},
    {"angular_velocity", FLY_NUMBER, 1, "rad/s", "0", false, ANY, "about z at the start"},
    HOLD("x y angle all"),
    {"markers", FLY_MARKERS, 0, "", NULL, false, ANY, "points and frames fixed to the body"},
    LOOKS,
    END};

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

static const fly_parameter POINTED[] = {BETWEEN, END};
static const fly_parameter AXIAL[] = {BETWEEN, AXIS("axis of the joint at the start, in space; with markers: their z"),
                                      END};
static const fly_parameter REVOLUTE[] = {
    BETWEEN, AXIS("axis of the joint at the start, in space; with markers: their z"), START_ANGLE, END};
static const fly_parameter TRANSLATIONAL[] = {
    BETWEEN, AXIS("axis of the joint at the start, in space; with markers: their z"), START_DISPLACEMENT, END};
static const fly_parameter CYLINDRICAL[] = {BETWEEN,
                                            AXIS("axis of the joint at the start, in space; with markers: their z"),
                                            START_ANGLE, START_DISPLACEMENT, END};
static const fly_parameter UNIVERSAL[] = {
    BETWEEN,
    AXIS("axis on the first body, in space; with markers: z of `from`"),
    {"axis2", FLY_NUMBER, 3, "", NULL, false, ANY, "axis on the second body, perpendicular to the first; or z of `to`"},
    END};
static const fly_parameter SCREW[] = {
    BETWEEN,
    AXIS("axis of the screw at the start, in space; with markers: their z"),
    {"pitch", FLY_NUMBER, 1, "m", NULL, true, ANY, "advance of the second body in one positive turn"},
    START_ANGLE,
    END};
static const fly_parameter DISTANCE[] = {
    {"from", FLY_MARKER, 1, "", NULL, true, ANY, "one end"},
    {"to", FLY_MARKER, 1, "", NULL, true, ANY, "other end"},
    {"length", FLY_NUMBER, 1, "m", NULL, false, POSITIVE, "length of the link; as at the start if not given"},
    END};
static const fly_parameter CONSTANT_VELOCITY[] = {
    BETWEEN,
    AXIS("shaft of the first body, in space; with markers: z of `from`"),
    {"axis2", FLY_NUMBER, 3, "", NULL, false, ANY,
     "shaft of the second body, in the same sense; the first if not given; with markers: z of `to`"},
    END};
static const fly_parameter LINK[] = {
    {"from", FLY_MARKER, 1, "", NULL, true, ANY, "the revolute end: the link turns about its z"},
    {"to", FLY_MARKER, 1, "", NULL, true, ANY, "the spherical end"},
    {"length", FLY_NUMBER, 1, "m", NULL, false, POSITIVE, "length of the link; as at the start if not given"},
    END};
static const fly_parameter GEAR[] = {
    {"joints", FLY_JOINTS, 2, "", NULL, true, ANY, "the two bearings: joints that turn, with one body in common"},
    {"radii", FLY_NUMBER, 2, "m", NULL, false, POSITIVE, "pitch radii, for parallel axes"},
    {"mesh", FLY_WORD, 1, "", "external", false, -INFINITY, INFINITY, "external internal",
     "with radii: teeth outside, or the larger has them inside"},
    {"ratio", FLY_NUMBER, 1, "", NULL, false, ANY,
     "instead of radii: turns of the first gear for one of the second, each about its joint's axis, signed"},
    END};
static const fly_parameter RACK_PINION[] = {
    {"joints", FLY_JOINTS, 2, "", NULL, true, ANY,
     "bearing of the pinion and guide of the rack, with one body in common"},
    {"radius", FLY_NUMBER, 1, "m", NULL, true, ANY,
     "travel of the rack along its axis for one radian of the pinion about its own; the sign says which way"},
    END};
static const fly_parameter COUPLER[] = {{"joints", FLY_JOINTS, 0, "", NULL, true, ANY,
                                         "two or three joints: revolute (angle) or translational (displacement)"},
                                        {"ratios", FLY_NUMBER, 0, "", NULL, true, ANY,
                                         "their factors: sum of ratio times coordinate stays as at the start"},
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
    END};

// ------------------------------------------------------------------------------------------ forces

static const fly_parameter SPRING[] = {
    {"from", FLY_MARKER, 1, "", NULL, true, ANY, "one end"},
    {"to", FLY_MARKER, 1, "", NULL, true, ANY, "other end"},
    {"stiffness", FLY_NUMBER, 1, "N/m", "0", false, NOT_NEGATIVE, "stiffness"},
    {"damping", FLY_NUMBER, 1, "N s/m", "0", false, NOT_NEGATIVE, "damping"},
    {"free_length", FLY_NUMBER, 1, "m", NULL, false, NOT_NEGATIVE,
     "length without force; as at the start if not given"},
    {"preload", FLY_NUMBER, 1, "N", "0", false, ANY, "force added, pulling the ends together"},
    {"force", FLY_EXPRESSION, 1, "N", NULL, false, KNOWS("length rate"),
     "instead of these: force that pushes the ends apart, also of its `length` [m] and the `rate` of it [m/s]"},
    END};
static const fly_parameter TORSION[] = {
    {"joint", FLY_JOINT, 1, "", NULL, true, ANY, "a revolute, cylindrical or screw joint"},
    {"stiffness", FLY_NUMBER, 1, "N m/rad", "0", false, NOT_NEGATIVE, "stiffness"},
    {"damping", FLY_NUMBER, 1, "N m s/rad", "0", false, NOT_NEGATIVE, "damping"},
    {"free_angle", FLY_NUMBER, 1, "rad", "0", false, ANY, "angle without torque; 0 is the start"},
    {"torque", FLY_EXPRESSION, 1, "N m", NULL, false, KNOWS("angle rate"),
     "instead of these: torque that turns the second body on, also of the joint's `angle` [rad] and its `rate` "
     "[rad/s]"},
    END};
static const fly_parameter BUSHING[] = {
    {"from", FLY_MARKER, 1, "", NULL, true, ANY, "marker whose axes the bushing has"},
    {"to", FLY_MARKER, 1, "", NULL, true, ANY, "marker it is tied to"},
    {"stiffness", FLY_NUMBER, 6, "N/m, N m/rad", NULL, false, NOT_NEGATIVE, "along x, y, z, then about x, y, z"},
    {"damping", FLY_NUMBER, 6, "N s/m, N m s/rad", "[0, 0, 0, 0, 0, 0]", false, NOT_NEGATIVE, "likewise"},
    {"stiffness_matrix", FLY_NUMBER, 36, "N/m, N/rad, N, N m/rad", NULL, false, ANY,
     "instead of stiffness: the full symmetric matrix, row by row"},
    {"damping_matrix", FLY_NUMBER, 36, "N s/m, N s/rad, N s, N m s/rad", NULL, false, ANY,
     "instead of damping: the full symmetric matrix, row by row"},
    {"preload", FLY_NUMBER, 6, "N, N m", "[0, 0, 0, 0, 0, 0]", false, ANY,
     "force and torque on `to` where the markers coincide, along and about the axes of `from`"},
    END};
static const fly_parameter BEAM[] = {
    {"from", FLY_MARKER, 1, "", NULL, true, ANY, "one end"},
    {"to", FLY_MARKER, 1, "", NULL, true, ANY, "other end"},
    {"youngs_modulus", FLY_NUMBER, 1, "Pa", NULL, true, POSITIVE, "Young's modulus E"},
    {"shear_modulus", FLY_NUMBER, 1, "Pa", NULL, true, POSITIVE, "shear modulus G"},
    {"area", FLY_NUMBER, 1, "m^2", NULL, true, POSITIVE, "area of the cross section"},
    {"moments", FLY_NUMBER, 3, "m^4", NULL, true, POSITIVE,
     "torsion constant, then the second moments of area about y and z of the beam"},
    {"shear_ratios", FLY_NUMBER, 2, "", "[0, 0]", false, NOT_NEGATIVE,
     "area over shear area along y and z: 1.2 for a rectangle, 10/9 for a circle; 0: rigid in shear (Euler-Bernoulli)"},
    {"length", FLY_NUMBER, 1, "m", NULL, false, POSITIVE, "without load; as at the start if not given"},
    {"damping_time", FLY_NUMBER, 1, "s", "0", false, NOT_NEGATIVE, "damping over stiffness"},
    {"axes", FLY_WORD, 1, "", "start", false, KNOWS("start markers"),
     "start: x from end to end and no load (but for `length`) as the model is given; markers: x of `from`, and no load "
     "where `to` is `length` along it and turned alike"},
    {"up", FLY_NUMBER, 3, "", "[0, 0, 1]", false, ANY,
     "with axes: start, the direction in space to which z of the beam leans"},
    END};
static const fly_parameter FORCE[] = {
    {"at", FLY_MARKER, 1, "", NULL, true, ANY, "where it acts"},
    {"force", FLY_EXPRESSION, 3, "N", NULL, false, ANY, "components along the axes of `axes`"},
    {"torque", FLY_EXPRESSION, 3, "N m", NULL, false, ANY, "components along the axes of `axes`"},
    {"axes", FLY_MARKER, 1, "", "ground", false, ANY, "marker whose axes the components have"},
    {"against", FLY_MARKER, 1, "", NULL, false, ANY, "marker that takes the reaction; nothing takes it if not given"},
    END};

// ------------------------------------------------------------------------------------------ others

static const fly_parameter TRAIL[] = {{"of", FLY_MARKER, 1, "", NULL, true, ANY, "the point"}, END};
#define UNIT_ROW(of)                                                                                                   \
  { "unit", FLY_WORD, 1, "", NULL, false, ANY, "of " of ", as it is to be shown" }
static const fly_parameter STATE[] = {
    {"rate", FLY_EXPRESSION, 1, "", NULL, true, ANY, "its derivative in time [unit of the state over s]"},
    {"start", FLY_NUMBER, 1, "", "0", false, ANY, "its value at the start, in its unit"},
    {"scale", FLY_NUMBER, 1, "", NULL, false, POSITIVE,
     "how large it is, in its unit: the error asked for is meant relative to it; the size of `start` if not given, or "
     "1 "
     "if that is 0"},
    UNIT_ROW("the state"),
    END};
static const fly_parameter VARIABLE[] = {
    {"value", FLY_EXPRESSION, 1, "", NULL, true, ANY, "what it is; other expressions may use it by its name"},
    {"unit", FLY_WORD, 1, "", NULL, false, ANY, "of the value, as it is to be shown; found if it is that of a measure"},
    END};
static const fly_parameter INPUT[] = {
    {"value", FLY_NUMBER, 1, "", NULL, true, ANY, "what it is until it is set from outside"},
    UNIT_ROW("the input"),
    END};
static const fly_parameter HELD[] = {
    {"value", FLY_NUMBER, 1, "", NULL, true, ANY, "what it is at the start"}, UNIT_ROW("the number"), END};
static const fly_parameter OUTPUT[] = {
    {"value", FLY_EXPRESSION, 1, "", NULL, true, ANY, "what is written to the results"},
    {"unit", FLY_WORD, 1, "", NULL, false, ANY, "of the value, as it is to be shown; found if it is that of a measure"},
    END};

const fly_element_type fly_element_types[] = {
    {"bodies", "rigid", "a rigid body", "crank: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}", RIGID},
    {"bodies", "planar", "a rigid body that moves in the x-y plane", "bar: {type: planar, mass: 1, inertia: 0.1}",
     PLANAR},
    {"bodies", "point", "a mass without extent", "bob: {type: point, mass: 1, position: [1, 0, 0]}", POINT},
    {"joints", "revolute", "turns about one axis",
     "pin: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}", REVOLUTE},
    {"joints", "fixed", "holds two bodies together", "weld: {type: fixed, bodies: [ground, crank], at: [0, 0, 0]}",
     POINTED},
    {"joints", "spherical", "a ball in a socket", "ball: {type: spherical, bodies: [ground, crank], at: [0, 0, 0]}",
     POINTED},
    {"joints", "translational", "slides along one axis",
     "guide: {type: translational, bodies: [ground, slider], at: [0, 0, 0], axis: [1, 0, 0]}", TRANSLATIONAL},
    {"joints", "cylindrical", "slides along and turns about one axis",
     "rod: {type: cylindrical, bodies: [ground, crank], at: [0, 0, 0], axis: [1, 0, 0]}", CYLINDRICAL},
    {"joints", "universal", "turns about two crossing axes (Hooke, Cardan)",
     "cross: {type: universal, bodies: [shaft1, shaft2], at: [0, 0, 0], axis: [0, 1, 0], axis2: [0, 0, 1]}", UNIVERSAL},
    {"joints", "planar", "keeps a plane of one body in a plane of the other; axis is its normal",
     "table: {type: planar, bodies: [ground, puck], at: [0, 0, 0], axis: [0, 0, 1]}", AXIAL},
    {"joints", "screw", "turns about an axis and advances with it",
     "jack: {type: screw, bodies: [ground, nut], at: [0, 0, 0], axis: [0, 0, 1], pitch: 5*mm}", SCREW},
    {"joints", "distance", "a massless link between two points", "link: {type: distance, from: a.end, to: b.end}",
     DISTANCE},
    {"joints", "in-line", "a point of the second body stays on an axis of the first",
     "slot: {type: in-line, bodies: [ground, crank], at: [0, 0, 0], axis: [1, 0, 0]}", AXIAL},
    {"joints", "in-plane", "a point of the second body stays in a plane of the first; axis is its normal",
     "floor: {type: in-plane, bodies: [ground, ball], at: [0, 0, 0], axis: [0, 0, 1]}", AXIAL},
    {"joints", "orientation", "keeps two bodies turned alike", "level: {type: orientation, bodies: [ground, table]}",
     POINTED},
    {"joints", "parallel", "keeps an axis of one body parallel to one of the other",
     "upright: {type: parallel, bodies: [ground, mast], at: [0, 0, 0], axis: [0, 0, 1]}", AXIAL},
    {"joints", "perpendicular", "keeps an axis of one body perpendicular to one of the other",
     "square: {type: perpendicular, bodies: [a, b], at: [0, 0, 0], axis: [1, 0, 0], axis2: [0, 1, 0]}", UNIVERSAL},
    {"joints", "constant-velocity", "joins two shafts that bend, without unevenness",
     "joint: {type: constant-velocity, bodies: [shaft1, shaft2], at: [0, 0, 0], axis: [1, 0, 0], axis2: [0.9, 0.4, 0]}",
     CONSTANT_VELOCITY},
    {"joints", "revolute-spherical", "a massless link, revolute at one end and spherical at the other",
     "link: {type: revolute-spherical, from: crank.pin, to: rocker.ball}", LINK},
    {"joints", "gear", "two gears in mesh, on bearings of one carrier",
     "mesh: {type: gear, joints: [pin1, pin2], radii: [0.05, 0.1]}", GEAR},
    {"joints", "rack-pinion", "a pinion that drives a rack",
     "steering: {type: rack-pinion, joints: [pin, guide], radius: 8*mm}", RACK_PINION},
    {"joints", "coupler", "ties the coordinates of joints together: belts, differentials",
     "gear: {type: coupler, joints: [pin1, pin2], ratios: [2, 1]}", COUPLER},
    {"motions", "motion", "moves a joint, or two markers against each other, as a function of time",
     "drive: {joint: pin, angle: 2*pi*time}", MOTION},
    {"forces", "spring", "spring and damper between two points",
     "spring: {type: spring, from: crank.pin, to: ground, stiffness: 1e4}", SPRING},
    {"forces", "torsion-spring", "spring and damper about the axis of a joint",
     "coil: {type: torsion-spring, joint: pin, stiffness: 10}", TORSION},
    {"forces", "bushing", "six springs and dampers between two markers",
     "mount: {type: bushing, from: frame.mount, to: engine.foot, stiffness: [1e6, 1e6, 2e6, 100, 100, 100]}", BUSHING},
    {"forces", "beam", "a straight, massless, linearly elastic beam between two markers",
     "rod: {type: beam, from: ground, to: crank.pin, youngs_modulus: 210*GPa, shear_modulus: 81*GPa, area: 4*cm^2, "
     "moments: [2.2*cm^4, 1.3*cm^4, 1.3*cm^4]}",
     BEAM},
    {"forces", "force", "force and torque at a marker, each component an expression",
     "motor: {type: force, at: crank, torque: [0, 0, 0.033]}", FORCE},
    {"states", "state", "a quantity with a given rate: of a controller, a motor, a fluid",
     "smooth: {rate: (vx(cart) - smooth)/0.1, start: 0, unit: m/s}", STATE},
    {"variables", "variable", "an expression with a name, for others and for the results", "speed: 30/pi*wz(rotor)",
     VARIABLE},
    {"inputs", "input", "a number that is set from outside while the model runs", "throttle: 0.2", INPUT},
    {"held", "held", "a number that stays as it is until somebody sets it", "gear: 1", HELD},
    {"outputs", "output", "a quantity written to the results", "stroke: dx(slider, ground)", OUTPUT},
    {"trails", "trail", "the way of a point, drawn in the report", "path: {of: rod.end}", TRAIL},
    {0}};

const fly_element_type *fly_element_type_find(const char *section, const char *name) {
  for (const fly_element_type *t = fly_element_types; t->name; t++)
    if (strcmp(t->section, section) == 0 && (!name || strcmp(t->name, name) == 0))
      return t;
  return NULL;
}

int fly_parameter_find(const fly_element_type *type, const char *name) {
  for (int k = 0; type->parameters[k].name; k++)
    if (strcmp(type->parameters[k].name, name) == 0)
      return k;
  return -1;
}
