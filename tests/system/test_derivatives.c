// Every example and every row of the element table, inside whole systems: derivatives against differences, power of
// reactions and forces, action and reaction, the rate of the energy, and a round trip through a file. A row that one of
// these has not seen fails the last test.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include <dirent.h>

#include "system/checks.h"

// ------------------------------------------------------------------------------------------ models

// What every row of the table has gone through. Derivatives and round trip are checked of every model here.
enum { TYPES = 100, SEEN = 1, POWER = 2 };
static unsigned covered[TYPES];

// The power of constraints is checked always, that of forces and bodies where they conserve energy or state it.
static void cover(const machine *m, int properties) {
  bool power = (properties & (CONSERVATIVE | CONSERVATIVE_ON_CONSTRAINTS)) != 0 || states_power(m);
  for (int k = 0; k < m->spec.nitem; k++) {
    const fly_element_type *type = m->spec.item[k].type;
    bool acts = strcmp(type->section, "bodies") == 0 || strcmp(type->section, "forces") == 0 ||
                strcmp(type->section, "contacts") == 0;
    int row = 0;
    while (fly_element_types[row] != type)
      row++;
    assert_true(row < TYPES);
    covered[row] |= SEEN | (power || !acts ? POWER : 0u);
  }
}

static void check_text(const char *name, const char *text, int properties) {
  machine *m = machine_text(text);
  check_machine(m, name, 0.2, properties);
  cover(m, properties);
  machine_free(m);
}

#define BODIES                                                                                                         \
  "flyball: 1\n"                                                                                                       \
  "bodies:\n"                                                                                                          \
  "  ground: {markers: {m: {at: [0.2, 0.1, -0.3], axis: [1, 2, 2]}}}\n"                                                \
  "  a: {mass: 1.3, inertia: [0.4, 0.5, 0.6, 0.05, -0.03, 0.02], center: [0.1, -0.2, 0.3], position: [0.4, 0, 0.1],\n" \
  "    orientation: {axis: [1, 2, 3], angle: 0.7}, markers: {m: {at: [0.3, 0.2, 0.1], axis: [2, -1, 2]}}}\n"           \
  "  b: {mass: 0.7, inertia: [0.3, 0.2, 0.25, 0.01, 0.02, 0.03], position: [-0.4, 0.5, 0.2],\n"                        \
  "    orientation: {euler313: [0.3, 0.5, -0.8]}, markers: {m: {at: [-0.3, 0.4, 0.2], axis: [-1, 1, 0.5]}}}\n"
#define FLAT                                                                                                           \
  "  p: {type: planar, mass: 2, inertia: 0.3, center: [0.1, 0.2], position: [1, 0.5], angle: 0.4,\n"                   \
  "    markers: {m: [0.3, -0.1]}}\n"                                                                                   \
  "  r: {type: planar, mass: 1, inertia: 0.2, position: [0.5, -0.5], angle: -0.9, markers: {m: [-0.2, 0.3]}}\n"
#define POINTS                                                                                                         \
  "  o: {type: point, mass: 0.5, position: [1, 0.2, -0.4]}\n"                                                          \
  "  n: {type: point, mass: 1.5, position: [-0.6, 0.3, 0.8]}\n"
#define GRAVITY "gravity: [1, -2, -9.81]\n"

#define BEAM                                                                                                           \
  "  l: {type: flexible-beam, length: 0.8, density: 2000, youngs_modulus: 300, shear_modulus: 200, area: 2e-3,\n"      \
  "    moments: [3e-4, 2e-4, 4e-4], bends: [1, 2], position: [0.4, 0, 0.1], orientation: {axis: [1, 2, 3], angle: "    \
  "0.7},\n    markers: {m: {at: [0.7, 0.1, 0], axis: [1, 1, 2]}}}\n"

// Of one mode, with the sums of four points and a little more.
#define REDUCED                                                                                                        \
  "  f: {type: flexible, position: [0.4, 0, 0.1], orientation: {axis: [1, 2, 3], angle: 0.7}, deformed: [0.1],\n"      \
  "    markers: {m: {at: [0.25, 0.6, 0], axis: [1, 1, 2]}},\n"                                                         \
  "    data: [1, 1, 2.2, 0.61, 0.19, 0.46, 0.245, 0.047, 0.134, 0.047, 0.175, -0.06, 0.134, -0.06, 0.298, "            \
  "0.01, 0, 0, 0, 0.02, 0, 0, 0, 0.03, 0.971, 0.592, -0.346, 0.01, -0.02, 0.005, 0.3158, 0.2198, "                     \
  "0.1892, 0.0617, -0.0571, 0.2384, -0.0507, -0.0115, -0.0092, 0.61501, 0.12161, -0.06917, "                           \
  "0.12161, 0.401, -0.14358, -0.06917, -0.14358, 0.12268, 1.33869, 53.5476, 7, 0.2, 0.6, 0.1, "                        \
  "0.95, 0.08, -0.02, 0.3, -0.4, 0.2]}\n"

static const char *const WHERE[] = {"a, b", "b, a", "ground, a", "b, ground"};

static void every_joint(void **state) {
  for (const fly_element_type *const *row = fly_element_types, *t; (t = *row) != NULL; row++) {
    if (strcmp(t->section, "joints") != 0 || fly_parameter_find(t, "bodies") < 0)
      continue;
    for (int k = 0; k < 4; k++) {
      char text[3000], name[100];
      snprintf(name, sizeof name, "%s [%s]", t->name, WHERE[k]);
      snprintf(text, sizeof text, BODIES "%sjoints:\n  j: {type: %s, bodies: [%s], at: [0.1, 0.3, 0.2]%s%s%s}\n",
               k < 2 ? "" : GRAVITY, t->name, WHERE[k], fly_parameter_find(t, "axis") >= 0 ? ", axis: [1, 2, -1]" : "",
               fly_parameter_find(t, "axis2") < 0          ? ""
               : strcmp(t->name, "constant-velocity") == 0 ? ", axis2: [2, 1, 0]"
                                                           : ", axis2: [1, 0, 1]",
               fly_parameter_find(t, "pitch") >= 0 ? ", pitch: 0.3" : "");
      check_text(name, text, CONSERVATIVE | (k < 2 ? FLOATING : 0));
    }
    if (fly_parameter_find(t, "axis2") < 0) {
      char text[3000];
      snprintf(text, sizeof text, BODIES "joints:\n  j: {type: %s, from: a.m, to: b.m%s}\n", t->name,
               fly_parameter_find(t, "pitch") >= 0 ? ", pitch: 0.3" : "");
      check_text(t->name, text, CONSERVATIVE | FLOATING);
    }
  }
}

// Every joint that is placed in space, between planar bodies: it works, or says that it makes no sense there.
static void every_joint_in_the_plane(void **state) {
  static const char *const pairs[] = {"p, r", "ground, p", "r, ground"};
  static const char *const axes[][2] = {{"[0, 0, 1]", "[1, 2, 0]"}, {"[1, 2, 0]", "[0, 0, 1]"}};
  int good = 0, refused = 0;
  for (const fly_element_type *const *row = fly_element_types, *t; (t = *row) != NULL; row++)
    for (int k = 0; k < 6 && strcmp(t->section, "joints") == 0 && fly_parameter_find(t, "bodies") >= 0; k++) {
      char text[3000], name[100];
      const char *const *axis = axes[k / 3];
      bool shafts = strcmp(t->name, "constant-velocity") == 0;
      fly_error error = {0};
      snprintf(name, sizeof name, "%s [%s], axis %s", t->name, pairs[k % 3], axis[0]);
      snprintf(text, sizeof text,
               "flyball: 1\nbodies:\n" FLAT "joints:\n  j: {type: %s, bodies: [%s], at: [0.1, 0.3, 0.2]%s%s%s%s%s}\n",
               t->name, pairs[k % 3], fly_parameter_find(t, "axis") >= 0 ? ", axis: " : "",
               fly_parameter_find(t, "axis") >= 0 ? axis[0] : "",
               fly_parameter_find(t, "axis2") >= 0 && !shafts ? ", axis2: " : "",
               fly_parameter_find(t, "axis2") >= 0 && !shafts ? axis[1] : "",
               fly_parameter_find(t, "pitch") >= 0 ? ", pitch: 0.3" : "");
      if (machine_refused(text, &error)) {
        say("%s: %s\n", name, error.message);
        assert_says(&error, "planar bodies");
        refused++;
        continue;
      }
      check_text(name, text, CONSERVATIVE | (k % 3 == 0 ? FLOATING : 0));
      good++;
    }
  assert_int_equal(refused, 15); // planar, in-plane and parallel with axis z; perpendicular with either
  assert_true(good >= 60);
}

static void points_and_mixed_joints(void **state) {
  check_text("flexible beam", BODIES BEAM GRAVITY "joints:\n  s: {type: spherical, from: a.m, to: l.m}\n",
             CONSERVATIVE_ON_CONSTRAINTS);
  check_text("flexible body", BODIES REDUCED GRAVITY "joints:\n  s: {type: spherical, from: a.m, to: f.m}\n",
             CONSERVATIVE_ON_CONSTRAINTS);
  check_text("distance of points", "flyball: 1\nbodies:\n" POINTS "joints:\n  d: {type: distance, from: o, to: n}\n",
             CONSERVATIVE | FLOATING);
  check_text("distance of bodies",
             BODIES POINTS "joints:\n"
                           "  d: {type: distance, from: a.m, to: b.m}\n"
                           "  e: {type: distance, from: b, to: o, length: 0.7}\n"
                           "  f: {type: spherical, bodies: [a, n], at: [-0.6, 0.3, 0.8]}\n"
                           "  g: {type: in-plane, bodies: [b, o], at: [1, 0.2, -0.4], axis: [1, 1, 2]}\n"
                           "  h: {type: revolute-spherical, from: a.m, to: n}\n",
             CONSERVATIVE | FLOATING);
  check_text("planar beside rigid",
             BODIES FLAT "joints:\n"
                         "  d: {type: distance, from: a.m, to: p.m}\n"
                         "  s: {type: spherical, bodies: [b, r], at: [0.5, -0.5, 0]}\n"
                         "  u: {type: revolute, bodies: [p, a], at: [0.3, 0, 0.2], axis: [1, 2, 3]}\n",
             CONSERVATIVE);
}

static void couplers_and_motions(void **state) {
  check_text("couplers",
             BODIES FLAT "joints:\n"
                         "  pin: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [1, 2, 3]}\n"
                         "  slide: {type: translational, bodies: [a, b], at: [0.3, 0, 0], axis: [1, 0, 3]}\n"
                         "  flat: {type: revolute, bodies: [p, r], at: [0.5, 0.4, 0], axis: [0, 0, 1]}\n"
                         "  gear: {type: coupler, joints: [pin, flat], ratios: [2, -1]}\n"
                         "  rack: {type: coupler, joints: [pin, slide, flat], ratios: [0.1, 1, 0.3]}\n",
             CONSERVATIVE);
  check_text("gears",
             BODIES FLAT "joints:\n"
                         "  pin: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [1, 2, 3]}\n"
                         "  wheel: {type: revolute, bodies: [b, a], at: [0.6, 0, -0.2], axis: [1, 2, 3]}\n"
                         "  arm: {type: revolute, bodies: [ground, p], at: [0.5, 0.4, 0]}\n"
                         "  slide: {type: translational, bodies: [r, ground], at: [0.3, 0, 0], axis: [1, 3, 0]}\n"
                         "  mesh: {type: gear, joints: [pin, wheel], ratio: 2}\n"
                         "  teeth: {type: rack-pinion, joints: [arm, slide], radius: 0.3}\n",
             CONSERVATIVE);
  check_text("links",
             BODIES "joints:\n"
                    "  l1: {type: revolute-spherical, from: a.m, to: b.m}\n"
                    "  l2: {type: revolute-spherical, from: b, to: a, length: 0.9}\n",
             CONSERVATIVE | FLOATING);
  check_text("motions of a rod",
             BODIES FLAT "joints:\n"
                         "  pin: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [1, 2, 3]}\n"
                         "  rod: {type: cylindrical, bodies: [b, a], at: [0.3, 0, 1], axis: [1, -1, 3]}\n"
                         "  flat: {type: revolute, bodies: [p, r], at: [0.5, 0.4, 0], axis: [0, 0, 1]}\n"
                         "motions:\n"
                         "  m1: {joint: pin, angle: 0.3*sin(2*time) + time^2}\n"
                         "  m3: {joint: rod, angle: 2*pi*time}\n"
                         "  m4: {joint: rod, displacement: 0.1*sin(3*time)}\n"
                         "  m6: {joint: flat, angle: 3*time}\n",
             0);
  check_text("motions of a screw",
             BODIES "joints:\n"
                    "  screw: {type: screw, bodies: [b, a], at: [0.3, 0.2, 1], axis: [1, -1, 1], pitch: 0.2}\n"
                    "  slide: {type: translational, bodies: [a, ground], at: [0.3, 0, 0], axis: [1, 0, 3]}\n"
                    "motions:\n"
                    "  m2: {joint: slide, displacement: exp(-time)*time}\n"
                    "  m5: {joint: screw, angle: time^3}\n",
             0);
}

// Motions between markers in every direction, given in every way; in the plane those that are there.
static void motions_between_markers(void **state) {
  static const char *const direction[] = {"x", "y", "z", "about-x", "about-y", "about-z"};
  static const char *const way[] = {"", "velocity", "acceleration"};
  for (int k = 0; k < 6; k++)
    for (int w = 0; w < 3; w++) {
      char text[3000], name[100];
      const char *what = w > 0 ? way[w] : k < 3 ? "displacement" : "angle";
      snprintf(name, sizeof name, "motion %s by %s", direction[k], what);
      snprintf(text, sizeof text, BODIES "motions:\n  m: {from: a.m, to: b.m, direction: %s, %s: 0.3*sin(2*time)}\n",
               direction[k], what);
      check_text(name, text, FLOATING);
      if (k > 1 && k < 5)
        continue;
      snprintf(text, sizeof text,
               "flyball: 1\nbodies:\n" FLAT "motions:\n  m: {from: p.m, to: r.m, direction: %s, %s: 0.3*sin(2*time)}\n",
               direction[k], what);
      check_text(name, text, FLOATING);
    }
}

static void springs(void **state) {
  check_text("springs",
             BODIES FLAT POINTS GRAVITY
             "forces:\n"
             "  s1: {type: spring, from: a.m, to: b.m, stiffness: 30, preload: 2}\n"
             "  s2: {type: spring, from: ground.m, to: p.m, stiffness: 20, free_length: 0.3}\n"
             "  s3: {type: spring, from: r.m, to: o, stiffness: 10, free_length: 0}\n"
             "  s4: {type: spring, from: o, to: n, stiffness: 10}\n",
             CONSERVATIVE);
  check_text("torsion springs",
             BODIES FLAT GRAVITY "joints:\n"
                                 "  pin: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [1, 2, 3]}\n"
                                 "  rod: {type: cylindrical, bodies: [a, b], at: [0.3, 0, 1], axis: [1, -1, 3]}\n"
                                 "  flat: {type: revolute, bodies: [p, r], at: [0.5, 0.4, 0], axis: [0, 0, 1]}\n"
                                 "forces:\n"
                                 "  t1: {type: torsion-spring, joint: pin, stiffness: 3, free_angle: 0.4}\n"
                                 "  t2: {type: torsion-spring, joint: rod, stiffness: 2}\n"
                                 "  t3: {type: torsion-spring, joint: flat, stiffness: 2, free_angle: -0.2}\n",
             CONSERVATIVE_ON_CONSTRAINTS);
  check_text("bushings",
             BODIES GRAVITY "forces:\n"
                            "  b1: {type: bushing, from: a.m, to: b.m, stiffness: [1, 2, 3, 0.4, 0.5, 0.6]}\n"
                            "  b2: {type: bushing, from: ground.m, to: b, stiffness: [3, 2, 1, 0.6, 0.5, 0.4]}\n",
             CONSERVATIVE);
  check_text("beams",
             BODIES FLAT GRAVITY
             "forces:\n"
             "  b1: {type: beam, from: a.m, to: b.m, youngs_modulus: 10, shear_modulus: 4, area: 0.5, "
             "moments: [0.3, 0.2, 0.1], shear_ratios: [1.2, 1], length: 0.7}\n"
             "  b2: {type: beam, from: ground.m, to: p.m, axes: markers, youngs_modulus: 5, "
             "shear_modulus: 2, area: 0.5, moments: [0.3, 0.2, 0.1]}\n",
             CONSERVATIVE);
  check_text(
      "exact beams",
      BODIES FLAT GRAVITY
      "forces:\n"
      "  b1: {type: exact-beam, from: a.m, to: b.m, youngs_modulus: 10, shear_modulus: 4, rectangle: [0.4, 0.6], "
      "shear_ratios: [1.2, 1], length: 0.7}\n"
      "  b2: {type: exact-beam, from: ground.m, to: p.m, axes: markers, rigidities: [3, 2, 0, 0.5, 0.4, 0.3], "
      "curvature: [0.1, 0.2, -0.3]}\n",
      CONSERVATIVE);
  check_text("all with damping, floating",
             BODIES "joints:\n"
                    "  rod: {type: cylindrical, bodies: [a, b], at: [0.3, 0, 1], axis: [1, -1, 3]}\n"
                    "forces:\n"
                    "  s1: {type: spring, from: a.m, to: b.m, stiffness: 30, damping: 3, preload: 2}\n"
                    "  t2: {type: torsion-spring, joint: rod, stiffness: 2, damping: 0.3}\n"
                    "  b1: {type: bushing, from: a.m, to: b.m, stiffness: [1, 2, 3, 0.4, 0.5, 0.6], damping: [3, 2, 1, "
                    "0.6, 0.5, 0.4]}\n"
                    "  b2: {type: exact-beam, from: a.m, to: b.m, rigidities: [3, 2, 0, 0.5, 0.4, 0.3], damping_time: "
                    "0.2}\n"
                    "  f1: {type: force, at: a.m, against: b.m, axes: ground.m, force: [sin(time), 'dx(a.m, b.m)', "
                    "'vx(a, b.m, a.m)'],\n"
                    "    torque: [1, 2*time, 'wz(a, b)']}\n",
             FLOATING);
  check_text(
      "floating in the plane",
      "flyball: 1\nbodies:\n" FLAT "joints:\n"
      "  flat: {type: revolute, bodies: [p, r], at: [0.5, 0.4, 0], axis: [0, 0, 1]}\n"
      "forces:\n"
      "  s1: {type: spring, from: p.m, to: r.m, stiffness: 30, damping: 3, preload: 2}\n"
      "  t1: {type: torsion-spring, joint: flat, stiffness: 2, damping: 0.3}\n"
      "  f1: {type: force, at: p, against: r.m, axes: r.m, force: [1, 'dx(p.m, r)', 0], torque: [0, 0, 'wz(p, r)']}\n",
      FLOATING);
}

// What forces do, said by measures. A force against a body acts on the point of that body where it acts itself.
// So large and so soft that random states lie inside all of them.
static void contacts(void **state) {
  static const char bodies[] =
      "flyball: 1\nbodies:\n  ground: {shapes: [{type: plane, width: 1, at: [0, 0, 4], orientation: {axis: [1, 2, 0], "
      "angle: 0.4}}]}\n"
      "  a: {mass: 1.3, inertia: [0.4, 0.5, 0.6, 0.05, -0.03, 0.02], center: [0.1, -0.2, 0.3], shapes: [{type: sphere, "
      "radius: 4}]}\n"
      "  b: {mass: 0.7, inertia: [0.3, 0.2, 0.25], position: [2, 1, 0.5], shapes: [{type: capsule, radius: 3, length: "
      "1, at: [0.1, 0.2, 0.3]}]}\n"
      "  p: {type: planar, mass: 2, inertia: 0.3, position: [2, 3], shapes: [{type: sphere, radius: 4}]}\n"
      "  o: {type: point, mass: 2, position: [-1, -3, 0], shapes: [{type: sphere, radius: 3}]}\n";
  char text[3000];
  snprintf(text, sizeof text,
           "%sgravity: [1, -2, -9.81]\ncontacts:\n  c1: {bodies: [a, b], stiffness: 2}\n  c2: {bodies: [ground, a], "
           "law: linear, stiffness: 3}\n"
           "  c3: {bodies: [b, p], stiffness: 2, exponent: 2}\n  c4: {bodies: [o, a], stiffness: 1}\n",
           bodies);
  check_text("elastic contacts", text, CONSERVATIVE);
  snprintf(text, sizeof text,
           "%scontacts:\n  c1: {bodies: [a, b], stiffness: 2, damping: 0.01, friction: {mu: 0.3, stiffness: 0.5, "
           "damping: 0.1}}\n"
           "  c2: {bodies: [o, p], law: impact, stiffness: 3, depth: 20, damping: 0.1}\n"
           "  c3: {bodies: [b, p], law: linear, stiffness: 20, damping: 0.1, friction: {law: regularized, mu: 0.1, "
           "transition_speed: 1}}\n",
           bodies);
  check_text("contacts that rub", text, 0);
}

static void stated_powers(void **state) {
  check_text("force, alone",
             BODIES "forces:\n"
                    "  f: {type: force, at: a.m, axes: b.m, force: [1, -2, 3], torque: [0.3, 0.2, -0.1]}\n"
                    "outputs:\n"
                    "  power: vx(a.m, ground, b.m) - 2*vy(a.m, ground, b.m) + 3*vz(a.m, ground, b.m)\n"
                    "    + 0.3*wx(a, ground, b.m) + 0.2*wy(a, ground, b.m) - 0.1*wz(a, ground, b.m)\n",
             0);
  check_text("force, against a body",
             BODIES "forces:\n"
                    "  f: {type: force, at: a.m, against: b.m, axes: ground.m, force: [2, 0, 0], torque: [0, 0, 3]}\n"
                    "outputs:\n"
                    "  power: 2*(vx(a.m, b.m, ground.m) - wy(b, ground, ground.m)*dz(a.m, b.m, ground.m)\n"
                    "    + wz(b, ground, ground.m)*dy(a.m, b.m, ground.m)) + 3*wz(a, b, ground.m)\n",
             FLOATING);
  check_text("spring-damper",
             BODIES "forces:\n"
                    "  s: {type: spring, from: a.m, to: b.m, stiffness: 30, damping: 3, preload: 2, free_length: 0.4}\n"
                    "outputs:\n"
                    "  power: -(30*(dm(a.m, b.m) - 0.4) + 3*vr(a.m, b.m) + 2)*vr(a.m, b.m)\n",
             FLOATING);
  check_text("torsion spring-damper in the plane",
             "flyball: 1\nbodies:\n" FLAT "joints:\n"
             "  flat: {type: revolute, bodies: [p, r], at: [0.5, 0.4, 0], axis: [0, 0, 1]}\n"
             "forces:\n"
             "  t: {type: torsion-spring, joint: flat, stiffness: 2, damping: 0.3, free_angle: 0.1}\n"
             "outputs:\n" // p is turned by 0.4, r by -0.9 at the start
             "  power: -(2*(az(r, p) + 1.3 - 0.1) + 0.3*wz(r, p))*wz(r, p)\n",
             FLOATING);
}

// Forces by every measure of positions and velocities.
static void measures(void **state) {
  for (int k = 0; k < FLY_MEASURE_KINDS; k++) {
    const fly_measure_type *t = &fly_measure_types[k];
    char text[4000], call[100];
    if (t->level == FLY_OF_ACCELERATION)
      continue;
    static const char *const arguments[] = {"", "a.m", "a.m, b.m", "a.m, b.m, p.m"};
    for (int n = 1; n <= t->markers && n <= 3; n++) {
      snprintf(call, sizeof call, "%s(%s)", t->name, arguments[n]);
      snprintf(text, sizeof text,
               BODIES FLAT POINTS "forces:\n"
                                  "  f: {type: force, at: p.m, axes: b.m, against: o, force: ['%s', 'time*%s^2', 1]}\n"
                                  "  t: {type: force, at: p.m, axes: b.m, against: a, torque: [0, 'sin(%s)', -2]}\n"
                                  "  g: {type: force, at: n, force: ['%s', 0, 0]}\n"
                                  "  h: {type: force, at: a.m, axes: a.m, torque: ['%s', 0, 0]}\n",
               call, call, call, call, call);
      check_text(call, text, 0);
    }
  }
}

// Discs and blades, on bodies that move and on ground, in space and in the plane.
static void what_does_not_slip(void **state) {
  static const char *const ends[] = {"from: a.m, to: b.m", "from: b.m, to: a.m", "from: ground.m, to: a.m",
                                     "from: ground.m, to: b"};
  for (int k = 0; k < 4; k++) {
    char text[3000];
    snprintf(text, sizeof text, BODIES "joints:\n  j: {type: rolling, %s, radius: 0.3}\n", ends[k]);
    check_text("rolling", text, 0);
    snprintf(text, sizeof text, BODIES "joints:\n  j: {type: knife-edge, %s}\n", ends[k]);
    check_text("knife-edge", text, 0);
  }
  check_text(
      "knife-edge in the plane",
      BODIES FLAT "joints: {j: {type: knife-edge, from: r, to: p.m}, k: {type: knife-edge, from: ground, to: r}}\n", 0);
  check_text("wheel in the plane",
             "{flyball: 1, gravity: [1, -9, 0], bodies: {ground: {markers: {road: {at: [0, 0], axis: [0, 1, 0]}}}, w: "
             "{type: planar, mass: 2, inertia: 0.3, position: [1, 0.5], center: [0.1, 0.2]}}, joints: {j: {type: "
             "rolling, from: ground.road, to: w, radius: 0.5}}, states: {x: {rate: vx(w) - x}}}",
             0);
}

static void outputs(void **state) {
  check_text("outputs", BODIES "outputs:\n  x: dx(a.m, ground)\n  acc: accm(b.m)\n", CONSERVATIVE | FLOATING);
}

// States, variables, inputs and held numbers that lean on each other and on all kinds of measures, at random.
static const char *const SEEN_BY_ALL[] = {"dx(a.m, b.m)",
                                          "vy(b.m, a)",
                                          "wz(a.m, b.m, b)",
                                          "accx(a.m)",
                                          "wdtz(b, a)",
                                          "fy(pin)",
                                          "tx(pin, a)",
                                          "pin.angle",
                                          "pin.w",
                                          "dm(o, p.m)",
                                          "time",
                                          "u",
                                          "gear",
                                          "x1",
                                          "x2",
                                          "x3",
                                          "plain",
                                          "used",
                                          "large",
                                          "loop1",
                                          "loop2",
                                          "self",
                                          "guide.displacement",
                                          "guide.v"};
enum { SEEN_COUNT = sizeof SEEN_BY_ALL / sizeof *SEEN_BY_ALL };

// A smooth function of `count` of them, whose slope in each is small: loops have a solution.
static void random_text(char *text, size_t size, int count, int most, uint64_t *seed) {
  static const char *const forms[] = {"0.07*sin(%s)", "0.05*%s", "0.03*%s/(1 + %s^2)", "0.02*atan(%s)*(1 + time)"};
  size_t used = (size_t)snprintf(text, size, "%.3f", random_double(seed));
  for (int k = 0; k < count; k++) {
    const char *one = SEEN_BY_ALL[(int)(fabs(random_double(seed)) * most) % most];
    used += (size_t)snprintf(text + used, size - used, " + ");
    used += (size_t)snprintf(text + used, size - used, forms[(int)(fabs(random_double(seed)) * 4) % 4], one, one);
  }
}

static void signals(void **state) {
  uint64_t seed = 11;
  for (int trial = 0; trial < 12; trial++) {
    char e[12][1200], text[20000];
    for (int k = 0; k < 12; k++) // what `plain` uses must not lead back to it: it has no row
      random_text(e[k], sizeof e[k], k == 8 ? 14 : 4, k == 6 ? 13 : SEEN_COUNT, &seed);
    snprintf(text, sizeof text,
             BODIES FLAT POINTS "joints:\n"
                                "  pin: {type: revolute, from: a.m, to: b.m}\n"
                                "  guide: {type: translational, from: ground, to: p}\n"
                                "inputs: {u: 0.3}\nheld: {gear: {value: 2, unit: m}}\n"
                                "events: {shift: {at: 100, set: {gear: 3}}}\n"
                                "states:\n  x1: {rate: '%s', start: 0.2}\n  x2: {rate: '%s - x2 + x3'}\n"
                                "  x3: {rate: '%s', start: -1, scale: 3, unit: V}\n"
                                "variables:\n  plain: '%s'\n  used: '%s + plain*x2'\n  large: '%s'\n"
                                "  loop1: '%s + 0.1*loop2'\n  loop2: '%s + 0.1*loop1'\n  self: '0.2*sin(self) + %s'\n"
                                "outputs:\n  seen: used + large\n"
                                "forces:\n"
                                "  f: {type: force, at: p.m, axes: b.m, against: o, force: ['%s', 'used*x3', 1]}\n"
                                "  t: {type: force, at: p.m, axes: b.m, against: a, torque: [0, '%s', self]}\n",
             e[0], e[1], e[2], e[6], e[3], e[8], e[4], e[5], e[7], e[9], e[10]);
    check_text("signals", text, 0);
  }
}

// Linear blocks in a loop with the mechanism, small and so large that their inputs are rows.
static void blocks(void **state) {
  uint64_t seed = 12;
  for (int trial = 0; trial < 4; trial++) {
    char e[4][1200], text[20000];
    for (int k = 0; k < 4; k++)
      random_text(e[k], sizeof e[k], 4, 11, &seed);
    snprintf(text, sizeof text,
             BODIES FLAT POINTS
             "joints: {pin: {type: revolute, from: a.m, to: b.m}}\nblocks:\n"
             "  s: {type: state-space, A: [[0.1, 2], [-3, 0]], B: [[1, 0], [0.5, -2]], C: [[1, 2]],\n"
             "    D: [[0.3, 0.1]], inputs: ['%s + lag.y', '%s'], start: [0.2, 0.1]}\n"
             "  lag: {type: transfer, numerator: [0.2, 0, 1], denominator: [1, 3, 2, 1, 4, 1], "
             "input: '%s - s.x2'}\n"
             "  many: {type: state-space, A: [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 2, 3, 4]],"
             "\n    B: [1, 2, 3, 4], C: [1, 1, 1, 1], D: 2, inputs: '%s + 0.1*s.y'}\n"
             "  late: {type: delay, input: s.y + accx(a.m), time: 0.1, start: 0.3}\n"
             "forces: {f: {type: force, at: p.m, axes: b.m, against: o, force: [s.y*late.y, many.y, lag.y]}}\n",
             e[0], e[1], e[2], e[3]);
    check_text("blocks", text, 0);
  }
}

// Two hinges of one door: a solver is made for independent rows.
static bool is_redundant(const machine *m) { return m->model.nrow > m->model.nv; }

// What lies on something when it starts is at a kink: no differences there. `contacts` has models that are deep inside.
static bool touches(const machine *m) {
  for (int k = 0; k < m->spec.nitem; k++)
    if (strcmp(m->spec.item[k].type->section, "contacts") == 0)
      return true;
  return false;
}

static void every_example(void **state) {
  DIR *folder = opendir(FLY_TEST_SOURCE_DIR "/examples");
  int count = 0;
  assert_non_null(folder);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    size_t n = strlen(entry->d_name);
    if (n < 5 || strcmp(entry->d_name + n - 5, ".yaml") != 0)
      continue;
    if (strcmp(entry->d_name, "car.yaml") == 0 || strcmp(entry->d_name, "quarter-car.yaml") == 0)
      continue; // rates of a million beside radians: differences are rough. test_shipped.c has such parts, in other
                // units
    char file[1000];
    snprintf(file, sizeof file, "%s/examples/%s", FLY_TEST_SOURCE_DIR, entry->d_name);
    machine *m = machine_file(file);
    if (!touches(m) && !is_redundant(m))
      check_machine(m, entry->d_name, 1e-3, 0);
    cover(m, 0);
    machine_free(m);
    count++;
  }
  closedir(folder);
  assert_true(count >= 15);
}

static void no_row_was_missed(void **state) {
  for (int k = 0; fly_element_types[k]; k++)
    if (covered[k] != (SEEN | POWER) && strcmp(fly_element_types[k]->name, "plugin") != 0 && // test_plugin.c
        strcmp(fly_element_types[k]->section, "functions") != 0) {                           // no element: text
      print_error("%s, %s: %s\n", fly_element_types[k]->section, fly_element_types[k]->name,
                  covered[k] ? "its power is not checked" : "in no model of this test");
      fail();
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_joint),
      cmocka_unit_test(every_joint_in_the_plane),
      cmocka_unit_test(points_and_mixed_joints),
      cmocka_unit_test(couplers_and_motions),
      cmocka_unit_test(motions_between_markers),
      cmocka_unit_test(springs),
      cmocka_unit_test(contacts),
      cmocka_unit_test(stated_powers),
      cmocka_unit_test(measures),
      cmocka_unit_test(what_does_not_slip),
      cmocka_unit_test(outputs),
      cmocka_unit_test(signals),
      cmocka_unit_test(blocks),
      cmocka_unit_test(every_example),
      cmocka_unit_test(no_row_was_missed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
