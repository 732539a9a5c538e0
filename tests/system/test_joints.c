// Joints by what they do: shafts, gears, racks and links with known answers.
#include <math.h>

#include "system/machine.h"

static const double PI = 3.14159265358979323846;

static double angle_of(const machine *m, const fly_dae_state *at, const char *body) { // planar: turns are counted
  return at->q[machine_body(m, body)->iq + 2];
}

// ------------------------------------------------------------------------------------------ freedom

// Which moves of the second body a joint with axis z (and axis2 x) at its mass centre leaves: along x, y, z, about x
// (a), y (b), z (c). Links are fixed at [1, 0, 0] to ground.
static const struct {
  const char *type, *free;
} FREEDOM[] = {{"fixed", ""},
               {"revolute", "c"},
               {"spherical", "abc"},
               {"universal", "ac"},
               {"constant-velocity", "ab"},
               {"cylindrical", "zc"},
               {"screw", ""},
               {"translational", "z"},
               {"planar", "xyc"},
               {"in-line", "zabc"},
               {"in-plane", "xyabc"},
               {"orientation", "xyz"},
               {"parallel", "xyzc"},
               {"perpendicular", "xyzac"},
               {"distance", "yzabc"},
               {"revolute-spherical", "yabc"}};

static const char *freedom_of(const char *type) {
  for (size_t k = 0; k < sizeof FREEDOM / sizeof *FREEDOM; k++)
    if (strcmp(FREEDOM[k].type, type) == 0)
      return FREEDOM[k].free;
  print_error("%s: what does it leave free? Add a row.\n", type);
  fail();
  return NULL;
}

static machine *single_joint(const fly_element_type *t) {
  char text[1000];
  bool link = fly_parameter_find(t, "length") >= 0, shafts = strcmp(t->name, "constant-velocity") == 0;
  snprintf(text, sizeof text,
           "flyball: 1\nbodies:\n  ground: {markers: {m: [1, 0, 0]}}\n  b: {mass: 1, inertia: [1, 1, 1]}\n"
           "joints:\n  j: {type: %s, %s%s%s%s}\n",
           t->name, link ? "from: ground.m, to: b" : "bodies: [ground, b], at: [0, 0, 0]",
           fly_parameter_find(t, "axis") >= 0 ? ", axis: [0, 0, 1]" : "",
           fly_parameter_find(t, "axis2") >= 0 && !shafts ? ", axis2: [1, 0, 0]" : "",
           fly_parameter_find(t, "pitch") >= 0 ? ", pitch: 2*pi" : "");
  machine *m = machine_text(text);
  machine_all_rows(m);
  return m;
}

// Every joint between two bodies, as the element table lists them.
static void joints_leave_their_freedom(void **state) {
  for (const fly_element_type *const *each = fly_element_types, *t; (t = *each) != NULL; each++) {
    if (strcmp(t->section, "joints") != 0 || fly_parameter_find(t, "joints") >= 0)
      continue;
    if (fly_parameter_find(t, "bodies") < 0 && fly_parameter_find(t, "length") < 0)
      continue; // it says something of velocities: test_slips.c
    machine *m = single_joint(t);
    const char *given = freedom_of(t->name);
    double G[6 * 6] = {0}, rate[7] = {0}; // of each move, and of one radian of a screw with its advance
    m->system.dae.constraint_jacobian(G, 0, m->system.q0, &m->system);
    for (int c = 0; c < 6; c++)
      for (int k = m->system.G.start[c]; k < m->system.G.start[c + 1]; k++)
        rate[c] += fabs(G[k]);
    if (strcmp(t->name, "screw") == 0)
      for (int row = 0; row < 5; row++) {
        double sum = 0;
        for (int c = 2; c < 6; c += 3)
          for (int k = m->system.G.start[c]; k < m->system.G.start[c + 1]; k++)
            sum += m->system.G.row[k] == row ? G[k] : 0.0;
        rate[6] += fabs(sum);
      }
    assert_close(rate[6], 0, 1e-14);
    for (int c = 0; c < 6; c++)
      if ((strchr(given, "xyzabc"[c]) != NULL) != (rate[c] < 1e-14)) {
        print_error("%s joint: %c is %s\n", t->name, "xyzabc"[c], rate[c] < 1e-14 ? "free" : "held");
        fail();
      }
    machine_free(m);
  }
}

// ------------------------------------------------------------------------------------------ shafts

// Two shafts at 30 degrees, the first driven at 10 rad/s. The second bearing is a point on a line: nothing is
// redundant.
#define SHAFTS(joint)                                                                                                  \
  "flyball: 1\n"                                                                                                       \
  "parameters: {b: 30*deg, ux: cos(b), uy: sin(b)}\n"                                                                  \
  "bodies:\n"                                                                                                          \
  "  ground: {markers: {in: {at: [0, 0, 0], axis: [1, 0, 0]}, out: {at: [0, 0, 0], axis: [ux, uy, 0]}}}\n"             \
  "  input: {mass: 2, inertia: [0.01, 0.05, 0.05], position: [-0.5, 0, 0], angular_velocity: [10, 0, 0],\n"            \
  "    markers: {m: {at: [0, 0, 0], axis: [1, 0, 0]}}}\n"                                                              \
  "  output: {mass: 2, inertia: [0.01, 0.05, 0.05], position: [0.5*ux, 0.5*uy, 0],\n"                                  \
  "    orientation: {axis: [0, 0, 1], angle: b}, angular_velocity: [10*ux*ux, 10*ux*uy, 0],\n"                         \
  "    markers: {m: {at: [0, 0, 0], axis: [1, 0, 0]}}}\n"                                                              \
  "joints:\n"                                                                                                          \
  "  bearing1: {type: revolute, bodies: [ground, input], at: [-0.5, 0, 0], axis: [1, 0, 0]}\n"                         \
  "  bearing2: {type: in-line, bodies: [ground, output], at: [ux, uy, 0], axis: [ux, uy, 0]}\n"                        \
  "  joint: " joint "\n"                                                                                               \
  "motions:\n"                                                                                                         \
  "  drive: {joint: bearing1, angle: 10*time}\n"                                                                       \
  "outputs:\n"                                                                                                         \
  "  a1: az(input.m, ground.in)\n"                                                                                     \
  "  a2: az(output.m, ground.out)\n"                                                                                   \
  "  w2: wx(output, ground, output)\n"

static void constant_velocity_joint_runs_evenly(void **state) {
  machine *m = machine_text(
      SHAFTS("{type: constant-velocity, bodies: [input, output], at: [0, 0, 0], axis: [1, 0, 0], axis2: [ux, uy, 0]}"));
  machine_start(m, 1e-7, 1.5);
  assert_int_equal(m->rank, m->model.nrow);
  for (int k = 0; k <= 30; k++) {
    fly_dae_state at = machine_at(m, 0.05 * k);
    assert_close(machine_output(m, &at, "a1"), 0.5 * k, 1e-6);
    assert_close(machine_output(m, &at, "a2"), 0.5 * k, 1e-6);
    assert_close(machine_output(m, &at, "w2"), 10, 1e-5);
  }
  machine_free(m);
}

// tan a1 = tan a2 cos b where the fork of the first shaft stands across the plane of the shafts at a1 = 0.
static void universal_joint_runs_unevenly(void **state) {
  machine *m = machine_text(
      SHAFTS("{type: universal, bodies: [input, output], at: [0, 0, 0], axis: [0, 0, 1], axis2: [uy, -ux, 0]}"));
  double most = 0, b = PI / 6;
  machine_start(m, 1e-7, 1.5);
  for (int k = 0; k <= 30; k++) {
    fly_dae_state at = machine_at(m, 0.05 * k);
    double a1 = 0.5 * k, a2 = atan2(sin(a1) * cos(b), cos(a1));
    a2 += 2 * PI * round((a1 - a2) / (2 * PI));
    assert_close(machine_output(m, &at, "a2"), a2, 1e-6);
    most = fmax(most, fabs(a2 - a1));
  }
  assert_true(most > 0.07); // a joint that ran evenly would not pass
  machine_free(m);
}

// A nut driven 10 turns advances by 10 pitches along the axis, and its reaction balances the load along it.
static void a_screw_advances(void **state) {
  machine *m =
      machine_text("flyball: 1\ngravity: [0, 0, -10]\n"
                   "bodies:\n"
                   "  nut: {mass: 2, inertia: [0.01, 0.01, 0.02]}\n"
                   "joints:\n"
                   "  thread: {type: screw, bodies: [ground, nut], at: [0, 0, 0], axis: [0, 0, 1], pitch: 0.05}\n"
                   "motions:\n"
                   "  drive: {joint: thread, angle: 20*pi*time}\n");
  double wrench[6];
  machine_start(m, 1e-5, 1);
  machine_at(m, 1);
  fly_dae_state at = fly_solver_state(m->solver);
  fly_system_reactions(&m->system, &at, wrench);
  assert_close(at.q[2], 0.5, 1e-9);
  assert_close(wrench[2], 20, 1e-6);
  assert_close(wrench[5], 0, 1e-6); // the thread's torque and the drive's
  machine_free(m);
}

// ------------------------------------------------------------------------------------------ gears

// A free gear in external, another in internal mesh with a driven one, 100 turns of the first. The second bearing names
// ground second, the third has its axis reversed: neither may matter.
static void gears_keep_their_ratio(void **state) {
  machine *m = machine_text("flyball: 1\n"
                            "bodies:\n"
                            "  one: {type: planar, mass: 1, inertia: 0.1}\n"
                            "  two: {type: planar, mass: 1, inertia: 0.3, position: [0.4, 0], angle: 1}\n"
                            "  three: {type: planar, mass: 1, inertia: 0.3, position: [0, 0.25], angle: -2}\n"
                            "joints:\n"
                            "  pin1: {type: revolute, bodies: [ground, one], at: [0, 0, 0]}\n"
                            "  pin2: {type: revolute, bodies: [two, ground], at: [0.4, 0, 0]}\n"
                            "  pin3: {type: revolute, bodies: [ground, three], at: [0, 0.25, 0], axis: [0, 0, -1]}\n"
                            "  outside: {type: gear, joints: [pin1, pin2], radii: [0.1, 0.3]}\n"
                            "  inside: {type: gear, joints: [pin1, pin3], radii: [0.1, 0.35], mesh: internal}\n"
                            "motions:\n"
                            "  drive: {joint: pin1, angle: 20*pi*time + 3*sin(time)}\n");
  machine_start(m, 1e-6, 10);
  assert_int_equal(m->rank, m->model.nrow);
  for (int k = 0; k <= 10; k++) {
    fly_dae_state at = machine_at(m, k);
    double turn = 20 * PI * k + 3 * sin(k);
    assert_close(angle_of(m, &at, "one"), turn, 1e-8);
    assert_close(angle_of(m, &at, "two"), 1 - turn / 3, 1e-8);
    assert_close(angle_of(m, &at, "three"), -2 + turn / 3.5, 1e-8);
  }
  machine_free(m);
}

// Sun 1, planet 1, ring 3 (ground): the sun turns four times for one of the carrier (Willis). Bodies in space; the
// inertia on the carrier's shaft is that of the carrier and sixteen times that of the sun.
static void planetary_gear(void **state) {
  machine *m =
      machine_text("flyball: 1\n"
                   "bodies:\n"
                   "  carrier: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
                   "  sun: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
                   "  planet: {mass: 1e-6, inertia: [1e-9, 1e-9, 1e-9], position: [0.2, 0, 0]}\n"
                   "joints:\n"
                   "  arm: {type: revolute, bodies: [ground, carrier], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                   "  sun_pin: {type: revolute, bodies: [carrier, sun], at: [0, 0, 0], axis: [0, 0, -1]}\n"
                   "  planet_pin: {type: revolute, bodies: [carrier, planet], at: [0.2, 0, 0], axis: [0, 0, 1]}\n"
                   "  inner: {type: gear, joints: [sun_pin, planet_pin], radii: [0.1, 0.1]}\n"
                   "  outer: {type: gear, joints: [planet_pin, arm], radii: [0.1, 0.3], mesh: internal}\n"
                   "forces:\n"
                   "  load: {type: force, at: carrier, torque: [0, 0, 2]}\n"
                   "outputs:\n"
                   "  arm: az(carrier, ground)\n"
                   "  sun: az(sun, ground)\n"
                   "  rate: wz(carrier)\n");
  machine_start(m, 1e-5, 4);
  assert_int_equal(m->rank, m->model.nrow);
  double inertia = 0.1 + 16 * 0.1 + 1e-6 * 0.04; // of the planet almost nothing
  for (int k = 0; k <= 4; k++) {
    fly_dae_state at = machine_at(m, k);
    double turn = 0.5 * 2 / inertia * k * k; // one and a half turns of the carrier, six of the sun
    assert_close(machine_output(m, &at, "arm"), turn, 1e-5);
    assert_close(machine_output(m, &at, "sun"), 4 * machine_output(m, &at, "arm"), 1e-8);
    assert_close(machine_output(m, &at, "rate"), 2 / inertia * k, 1e-5);
  }
  machine_free(m);
}

// A bevel gear by its ratio, axes at a right angle: one turns three times for each of the other.
static void bevel_gear(void **state) {
  machine *m = machine_text("flyball: 1\n"
                            "bodies:\n"
                            "  one: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
                            "  two: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
                            "joints:\n"
                            "  pin1: {type: revolute, bodies: [ground, one], at: [0, 0, 0], axis: [1, 0, 0]}\n"
                            "  pin2: {type: revolute, bodies: [two, ground], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                            "  mesh: {type: gear, joints: [pin1, pin2], ratio: -3}\n"
                            "motions:\n"
                            "  drive: {joint: pin1, angle: 9*time}\n"
                            "outputs:\n"
                            "  w: wy(two)\n");
  machine_start(m, 1e-6, 5);
  fly_dae_state at = machine_at(m, 5);
  assert_close(machine_output(m, &at, "w"), -3, 1e-7);
  machine_free(m);
}

// Gears whose joints begin turned mesh as they stand: ratio times one angle is the other but for that.
static void gears_mesh_where_they_start(void **state) {
  machine *m = machine_text("flyball: 1\n"
                            "bodies:\n"
                            "  one: {type: planar, mass: 1, inertia: 0.1}\n"
                            "  two: {type: planar, mass: 1, inertia: 0.3, position: [0.4, 0]}\n"
                            "joints:\n"
                            "  pin1: {type: revolute, bodies: [ground, one], at: [0, 0, 0], angle: 0.7}\n"
                            "  pin2: {type: revolute, bodies: [ground, two], at: [0.4, 0, 0], angle: -0.2}\n"
                            "  mesh: {type: gear, joints: [pin1, pin2], radii: [0.1, 0.3]}\n"
                            "motions:\n"
                            "  drive: {joint: pin1, angle: 0.7 + 2*time}\n");
  machine_start(m, 1e-6, 3);
  for (int k = 0; k <= 3; k++) {
    fly_dae_state at = machine_at(m, k);
    assert_close(angle_of(m, &at, "one"), 0.7 + 2 * k, 1e-8);
    assert_close(angle_of(m, &at, "two"), -0.2 - 2.0 / 3 * k, 1e-8);
  }
  machine_free(m);
}

// A torque T on a pinion (J) that moves a rack (m): travel = r angle, angle'' = T/(J + m r^2).
// The rack's guide names ground second and its axis points against x.
static void rack_follows_its_pinion(void **state) {
  machine *m =
      machine_text("flyball: 1\n"
                   "bodies:\n"
                   "  pinion: {type: planar, mass: 1, inertia: 0.02}\n"
                   "  rack: {type: planar, mass: 3, inertia: 0.1, position: [1, -0.1], velocity: [0, 0]}\n"
                   "joints:\n"
                   "  pin: {type: revolute, bodies: [ground, pinion], at: [0, 0, 0]}\n"
                   "  guide: {type: translational, bodies: [rack, ground], at: [0, -0.1, 0], axis: [-1, 0, 0]}\n"
                   "  teeth: {type: rack-pinion, joints: [pin, guide], radius: -0.1}\n"
                   "forces:\n"
                   "  motor: {type: force, at: pinion, torque: [0, 0, 0.5]}\n");
  machine_start(m, 1e-6, 12);
  assert_int_equal(m->rank, m->model.nrow);
  for (int k = 0; k <= 4; k++) {
    fly_dae_state at = machine_at(m, 3 * k);
    double turn = 0.5 * 0.5 / (0.02 + 3 * 0.01) * 9 * k * k; // 720 rad: 115 turns
    assert_close(angle_of(m, &at, "pinion"), turn, 1e-5 * (1 + turn));
    assert_close(at.q[machine_body(m, "rack")->iq], 1 + 0.1 * angle_of(m, &at, "pinion"), 1e-8);
  }
  machine_free(m);
}

// What a gear does shows in the bearings: the driver's torque times the ratio holds the load on the other.
static void torques_of_gears(void **state) {
  machine *m = machine_text("flyball: 1\n"
                            "bodies:\n"
                            "  one: {type: planar, mass: 1, inertia: 0.1}\n"
                            "  two: {type: planar, mass: 1, inertia: 0.3, position: [0.4, 0]}\n"
                            "joints:\n"
                            "  pin1: {type: revolute, bodies: [ground, one], at: [0, 0, 0]}\n"
                            "  pin2: {type: revolute, bodies: [ground, two], at: [0.4, 0, 0]}\n"
                            "  mesh: {type: gear, joints: [pin1, pin2], radii: [0.1, 0.3]}\n"
                            "motions:\n"
                            "  drive: {joint: pin1, angle: time}\n"
                            "forces:\n"
                            "  load: {type: force, at: two, torque: [0, 0, 6]}\n");
  double wrench[2 * 6];
  machine_start(m, 1e-6, 0.5);
  fly_dae_state at = machine_at(m, 0.5);
  assert_int_equal(m->model.npair, 2);
  fly_system_reactions(&m->system, &at, wrench);
  assert_close(wrench[5], 0, 1e-7);      // the drive's 2 N m and the gear's are balanced on the first
  assert_close(wrench[6 + 5], -6, 1e-7); // held
  machine_free(m);
}

// ------------------------------------------------------------------------------------------ links

#define SPATIAL_LINK(body, joints)                                                                                     \
  "flyball: 1\ngravity: [0, -9.81, 0]\n"                                                                               \
  "bodies:\n"                                                                                                          \
  "  crank: {mass: 1, inertia: [0.01, 0.02, 0.02], angular_velocity: [0, 0, 3],\n"                                     \
  "    markers: {pin: {at: [0.3, 0, 0], axis: [0, 1, -2]}}}\n"                                                         \
  "  rocker: {mass: 2, inertia: [0.04, 0.05, 0.03], position: [1, -0.1, 0.2], markers: {ball: [0, 0.5, 0]}}\n" body    \
  "joints:\n"                                                                                                          \
  "  main: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"                                \
  "  slide: {type: cylindrical, bodies: [ground, rocker], at: [1, -0.1, 0.2], axis: [1, 0, 0]}\n" joints "outputs:\n"  \
  "  x: dx(rocker)\n"                                                                                                  \
  "  turn: ax(rocker, ground)\n"

// A spatial four-bar, revolute - revolute - spherical - cylindrical: the massless link against a body of a tenth of a
// milligram.
static void massless_link_is_the_limit_of_a_light_one(void **state) {
  machine *link =
      machine_text(SPATIAL_LINK("", "  link: {type: revolute-spherical, from: crank.pin, to: rocker.ball}\n"));
  machine *body =
      machine_text(SPATIAL_LINK("  rod: {mass: 1e-7, inertia: [1e-9, 1e-9, 1e-9], position: [0.3, 0, 0]}\n",
                                "  end1: {type: revolute, bodies: [crank, rod], at: [0.3, 0, 0], axis: [0, 1, -2]}\n"
                                "  end2: {type: spherical, bodies: [rod, rocker], at: [1, 0.4, 0.2]}\n"));
  double wrench[3 * 6];
  assert_int_equal(link->model.nv - link->model.nrow, 1);
  machine_start(link, 1e-7, 1);
  machine_start(body, 1e-7, 1);
  for (int k = 0; k <= 10; k++) {
    fly_dae_state a = machine_at(link, 0.1 * k);
    fly_dae_state b = machine_at(body, 0.1 * k);
    assert_close(machine_output(link, &a, "x"), machine_output(body, &b, "x"), 1e-5);
    assert_close(machine_output(link, &a, "turn"), machine_output(body, &b, "turn"), 1e-5);
  }
  fly_dae_state at = machine_at(link, 1);
  fly_system_reactions(&link->system, &at, wrench);
  for (int c = 3; c < 6; c++) // on the ball: a force, no torque
    assert_close(wrench[12 + c], 0, 1e-10);
  assert_true(hypot(wrench[12], hypot(wrench[13], wrench[14])) > 0.1);
  machine_free(link);
  machine_free(body);
}

// In the plane it is a distance.
static void link_in_the_plane(void **state) {
  machine *m = machine_text("flyball: 1\n"
                            "bodies:\n"
                            "  bar: {type: planar, mass: 1, inertia: 0.1, position: [0.3, 0.4], angle: 0.3}\n"
                            "joints:\n"
                            "  link: {type: revolute-spherical, from: ground, to: bar}\n");
  assert_int_equal(m->model.nrow, 1);
  assert_int_equal(m->model.term[0].kind, FLY_DISTANCE);
  assert_close(m->model.term[0].k.c, 0.5, 1e-15);
  machine_free(m);
}

// What is given is the velocity of the frame, what moves is the mass centre: u + w x c, with c turned by 90 degrees.
static void a_planar_body_turns_about_its_frame(void **state) {
  machine *m = machine_text("flyball: 1\nbodies:\n  b: {type: planar, mass: 1, inertia: 0.1, angle: 90*deg, "
                            "center: [0.5, 0.2], velocity: [3, 4], angular_velocity: 2}\n");
  machine_all_rows(m);
  assert_close(m->system.v0[0], 3 - 2 * 0.5, 1e-14);
  assert_close(m->system.v0[1], 4 + 2 * -0.2, 1e-14);
  machine_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_planar_body_turns_about_its_frame),
      cmocka_unit_test(joints_leave_their_freedom),
      cmocka_unit_test(constant_velocity_joint_runs_evenly),
      cmocka_unit_test(universal_joint_runs_unevenly),
      cmocka_unit_test(a_screw_advances),
      cmocka_unit_test(gears_keep_their_ratio),
      cmocka_unit_test(gears_mesh_where_they_start),
      cmocka_unit_test(planetary_gear),
      cmocka_unit_test(bevel_gear),
      cmocka_unit_test(rack_follows_its_pinion),
      cmocka_unit_test(torques_of_gears),
      cmocka_unit_test(massless_link_is_the_limit_of_a_light_one),
      cmocka_unit_test(link_in_the_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
