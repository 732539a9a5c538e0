// Starts given by joints, and what assembly may not move: against closed forms.
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "flyball/model.h"
#include "flyball/result.h"
#include "system/machine.h"

// A model at its start, as the results have it.
typedef struct start {
  fly_status status;
  fly_error error;
  fly_certificate certificate;
  fly_result *result;
} start;

static start start_file(const char *file, int nset, const char *const *set, double end) {
  char folder[] = "/tmp/flyball-held-XXXXXX", base[100], line[200];
  fly_mechanism *m = NULL;
  fly_run *r = NULL;
  start s = {.status = FLY_OK};
  fly_run_options o = fly_run_options_default();
  assert_non_null(mkdtemp(folder));
  snprintf(base, sizeof base, "%s/run", folder);
  o.end = end;
  o.output = end;
  o.error = 1e-6;
  o.out = base;
  o.hdf5 = true;
  s.status = fly_mechanism_load(&m, file, nset, set, &s.error);
  if (s.status == FLY_OK)
    s.status = fly_run_create(&r, m, &o, &s.error);
  if (s.status == FLY_OK)
    s.status = fly_run_start(r, &s.error);
  if (s.status == FLY_OK)
    s.status = fly_run_go(r, &s.error);
  if (s.status == FLY_OK) {
    s.certificate = fly_run_certificate(r);
    assert_ok(fly_result_open(&s.result, base, &s.error), &s.error);
  }
  fly_run_free(r);
  fly_mechanism_free(m);
  snprintf(line, sizeof line, "rm -r '%s'", folder);
  assert_int_equal(system(line), 0); // NOLINT(cert-env33-c): an open file stays readable
  return s;
}

static start start_text(const char *text) {
  char file[] = "/tmp/flyball-held-model-XXXXXX";
  int handle = mkstemp(file);
  assert_true(handle >= 0);
  assert_int_equal(write(handle, text, strlen(text)), strlen(text));
  close(handle);
  start s = start_file(file, 0, NULL, 1e-6);
  unlink(file);
  return s;
}

static double row_of(start *s, const char *channel, long row) {
  double value = NAN;
  if (s->status != FLY_OK)
    fail_msg("%s", s->error.message);
  const int column = fly_result_find(s->result, channel);
  if (column < 0)
    fail_msg("no channel %s", channel);
  assert_ok(fly_result_read(s->result, &value, &column, 1, row, 1, &s->error), &s->error);
  return value;
}

static double at_start(start *s, const char *channel) { return row_of(s, channel, 0); }

static void start_free(start *s) { fly_result_close(s->result); }

#define HEAD "flyball: 1\ngravity: [0, -9.81, 0]\n"

// ------------------------------------------------------------------------------------------ placed by joints

// Two bars of 0.5 m hung on each other at the angles a and a + b from the vertical.
static void assert_two_bars(const char *text) {
  const double L = 0.5, a = 0.4, b = 0.7, wa = 2, wb = -3, s1 = sin(a), c1 = cos(a), s2 = sin(a + b), c2 = cos(a + b);
  start s = start_text(text);
  assert_close(at_start(&s, "one.x"), L / 2 * s1, 1e-14);
  assert_close(at_start(&s, "one.y"), -L / 2 * c1, 1e-14);
  assert_close(at_start(&s, "two.x"), L * s1 + L / 2 * s2, 1e-14);
  assert_close(at_start(&s, "two.y"), -L * c1 - L / 2 * c2, 1e-14);
  assert_close(at_start(&s, "one.vx"), L / 2 * c1 * wa, 1e-13);
  assert_close(at_start(&s, "two.vx"), L * c1 * wa + L / 2 * c2 * (wa + wb), 1e-13);
  assert_close(at_start(&s, "two.vy"), L * s1 * wa + L / 2 * s2 * (wa + wb), 1e-13);
  assert_at_most(s.certificate.start_position, 1e-13);
  start_free(&s);
}

#define MARKERS_RIGID "markers: {head: [-0.25, 0, 0], tip: [0.25, 0, 0]}"
#define MARKERS_PLANAR "markers: {head: [-0.25, 0], tip: [0.25, 0]}"
#define HANGING "  ground: {markers: {pin: {at: [0, 0, 0], orientation: {x: [0, -1, 0], z: [0, 0, 1]}}}}\n"

static void bodies_without_coordinates(void **state) {
  assert_two_bars(HEAD "bodies:\n" HANGING "  one: {mass: 1, inertia: [1e-3, 0.1, 0.1], " MARKERS_RIGID "}\n"
                       "  two: {mass: 2, inertia: [1e-3, 0.1, 0.1], " MARKERS_RIGID "}\n"
                       "joints:\n"
                       "  a: {from: ground.pin, to: one.head, angle: 0.4, angular_velocity: 2}\n"
                       "  b: {from: one.tip, to: two.head, angle: 0.7, angular_velocity: -3}\n");
}

// The joints the other way round turn the other way; the second comes first in the file.
static void joints_the_other_way_round(void **state) {
  assert_two_bars(HEAD "bodies:\n" HANGING "  one: {mass: 1, inertia: [1e-3, 0.1, 0.1], " MARKERS_RIGID "}\n"
                       "  two: {mass: 2, inertia: [1e-3, 0.1, 0.1], " MARKERS_RIGID "}\n"
                       "joints:\n"
                       "  b: {from: two.head, to: one.tip, angle: -0.7, angular_velocity: 3}\n"
                       "  a: {from: one.head, to: ground.pin, angle: -0.4, angular_velocity: -2}\n");
}

static void planar_bodies(void **state) {
  assert_two_bars(HEAD "bodies:\n" HANGING "  one: {type: planar, mass: 1, inertia: 0.1, " MARKERS_PLANAR "}\n"
                       "  two: {type: planar, mass: 2, inertia: 0.1, " MARKERS_PLANAR "}\n"
                       "joints:\n"
                       "  a: {from: ground.pin, to: one.head, angle: 0.4, angular_velocity: 2}\n"
                       "  b: {from: one.tip, to: two.head, angle: 0.7, angular_velocity: -3}\n");
}

// Drawn hanging: the angles count from there, and a joint that says nothing brings its body along.
static void turned_from_where_they_are_drawn(void **state) {
  const char *const drawn =
      HEAD "bodies:\n"
           "  one: {mass: 1, inertia: [0.1, 1e-3, 0.1], position: [0, -0.25, 0]}\n"
           "  two: {mass: 2, inertia: [0.1, 1e-3, 0.1], position: [0, -0.75, 0]%s}\n"
           "joints:\n"
           "  a: {bodies: [ground, one], at: [0, 0, 0], axis: [0, 0, 1], angle: 0.4, angular_velocity: 2}\n"
           "  b: {bodies: [one, two], at: [0, -0.5, 0], axis: [0, 0, 1]%s}\n";
  char text[1000];
  snprintf(text, sizeof text, drawn, "", ", angle: 0.7, angular_velocity: -3");
  assert_two_bars(text);
  snprintf(text, sizeof text, drawn, ", angular_velocity: [0, 0, -3], velocity: [-0.75, 0, 0]", ", angle: 0.7");
  assert_two_bars(text); // its speed against the first as it is drawn
  snprintf(text, sizeof text, drawn, "", "");
  start s = start_text(text);
  assert_close(at_start(&s, "two.x"), 0.75 * sin(0.4), 1e-14);
  assert_close(at_start(&s, "two.vx"), 0.75 * cos(0.4) * 2, 1e-13);
  assert_close(at_start(&s, "two.wz"), 2, 1e-13);
  start_free(&s);
}

static void sliding_and_turning(void **state) {
  start s = start_text("flyball: 1\nbodies:\n"
                       "  rod: {mass: 1, inertia: [0.1, 0.1, 0.2], position: [0.3, 0, 0]}\n"
                       "  block: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                       "  nut: {mass: 1, inertia: [1, 1, 1], position: [0, 1, 0]}\n"
                       "  back: {mass: 1, inertia: [1, 1, 1], position: [0, 2, 0]}\n"
                       "joints:\n"
                       "  sleeve: {type: cylindrical, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1], angle: "
                       "90*deg, displacement: 0.2, angular_velocity: 5, velocity: -7}\n"
                       "  guide: {type: translational, bodies: [ground, block], at: [1, 0, 0], axis: [0, 1, 0], "
                       "displacement: -0.4, velocity: 3}\n"
                       "  jack: {type: screw, bodies: [ground, nut], at: [0, 1, 0], axis: [0, 0, 1], pitch: 10*mm, "
                       "angle: 180*deg, angular_velocity: 2*pi}\n"
                       "  rail: {type: translational, bodies: [back, ground], at: [0, 2, 0], axis: [1, 0, 0], "
                       "displacement: 0.3, velocity: -2}\n");
  assert_close(at_start(&s, "rod.x"), 0, 1e-15);
  assert_close(at_start(&s, "rod.y"), 0.3, 1e-15);
  assert_close(at_start(&s, "rod.z"), 0.2, 1e-15);
  assert_close(at_start(&s, "rod.vx"), -1.5, 1e-14);
  assert_close(at_start(&s, "rod.vz"), -7, 1e-14);
  assert_close(at_start(&s, "block.y"), -0.4, 1e-15);
  assert_close(at_start(&s, "block.vy"), 3, 1e-14);
  assert_close(at_start(&s, "back.x"), -0.3, 1e-15); // ground lies 0.3 m ahead of it
  assert_close(at_start(&s, "back.vx"), 2, 1e-14);
  assert_close(at_start(&s, "nut.z"), 5e-3, 1e-15);
  assert_close(at_start(&s, "nut.vz"), 1e-2, 1e-14);
  assert_at_most(s.certificate.start_position, 1e-12); // placed so, not moved there by assembly
  assert_at_most(s.certificate.start_velocity, 1e-12);
  start_free(&s);
}

// ------------------------------------------------------------------------------------------ loops

#define SLIDER_CRANK(crank, guide)                                                                                     \
  HEAD "bodies:\n"                                                                                                     \
       "  crank: {type: planar, mass: 1, inertia: 1e-2, position: [0.05, 0]}\n"                                        \
       "  rod: {type: planar, mass: 1, inertia: 1e-2, position: [0.25, 0]}\n"                                          \
       "  slider: {type: planar, mass: 1, inertia: 1e-2, position: [0.4, 0]}\n"                                        \
       "joints:\n"                                                                                                     \
       "  A: {bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]" crank "}\n"                                     \
       "  B: {bodies: [crank, rod], at: [0.1, 0, 0], axis: [0, 0, 1]}\n"                                               \
       "  C: {bodies: [rod, slider], at: [0.4, 0, 0], axis: [0, 0, 1]}\n"                                              \
       "  D: {type: translational, bodies: [ground, slider], at: [0.4, 0, 0], axis: [1, 0, 0]" guide "}\n"

// Drawn in line; x = r cos a + sqrt(l^2 - r^2 sin^2 a).
static void crank_angle_of_a_loop(void **state) {
  const double a = 50 * acos(-1.0) / 180, w = 10, r = 0.1, l = 0.3, root = sqrt(l * l - r * r * sin(a) * sin(a));
  start s = start_text(SLIDER_CRANK(", angle: 50*deg, angular_velocity: 10", ""));
  assert_close(at_start(&s, "crank.angle"), a, 1e-12);
  assert_close(at_start(&s, "crank.w"), w, 1e-11);
  assert_close(at_start(&s, "slider.x"), r * cos(a) + root, 1e-12);
  assert_close(at_start(&s, "slider.vx"), -w * r * sin(a) * (1 + r * cos(a) / root), 1e-11);
  assert_between(s.certificate.start_position, 1e-3, 10); // what was done to get there is told
  start_free(&s);
}

// The same sketched bent.
#define BENT(crank, guide)                                                                                             \
  HEAD "bodies:\n"                                                                                                     \
       "  crank: {type: planar, mass: 1, inertia: 1e-2, angle: 0.6, markers: {B: [0.1, 0]}}\n"                         \
       "  rod: {type: planar, mass: 1, inertia: 1e-2, position: [0.09, 0.05], angle: -0.1, markers: {C: [0.3, 0]}}\n"  \
       "  slider: {type: planar, mass: 1, inertia: 1e-2, position: [0.4, 0]}\n"                                        \
       "joints:\n"                                                                                                     \
       "  A: {from: ground, to: crank" crank "}\n"                                                                     \
       "  B: {from: crank.B, to: rod}\n"                                                                               \
       "  C: {from: rod.C, to: slider}\n"                                                                              \
       "  D: {type: translational, bodies: [ground, slider], at: [0.4, 0, 0], axis: [1, 0, 0]" guide "}\n"

// From the other end: the slider says where it is, the crank how fast it turns, which needs no angle.
static void displacement_of_a_loop(void **state) {
  start s = start_text(BENT("", ", displacement: -0.05, velocity: -0.5"));
  const double x = 0.35, cosine = (0.01 + x * x - 0.09) / (0.2 * x);
  assert_close(at_start(&s, "slider.x"), x, 1e-12);
  assert_close(at_start(&s, "slider.vx"), -0.5, 1e-11);
  assert_close(cos(at_start(&s, "crank.angle")), cosine, 1e-11);
  start_free(&s);
  s = start_text(BENT(", angular_velocity: 4", "")); // as sketched, then
  assert_close(at_start(&s, "crank.angle"), 0.6, 1e-12);
  assert_close(at_start(&s, "crank.w"), 4, 1e-11);
  start_free(&s);
}

static void assert_refused(const char *text, const char *part, const char *also) {
  start s = start_text(text);
  say("%s\n", s.error.message);
  assert_int_equal(s.status, FLY_INCONSISTENT);
  assert_says(&s.error, part);
  assert_says(&s.error, also);
}

static void starts_that_cannot_be(void **state) {
  assert_refused(BENT("", ", displacement: 0.1"), "cannot be closed", " m. Check"); // 0.4 m is the most
  assert_refused(BENT(", angle: 0.5", ", displacement: -0.1"), "is left with", "at the start");
  assert_refused(BENT(", angle: 0.5", "") "motions: {drive: {joint: A, angle: time}}\n",
                 "contradicts the other constraints", " rad in positions");
  assert_refused(BENT(", angular_velocity: 3", "") "motions: {drive: {joint: A, angle: 0.6 + 2*time}}\n",
                 "contradicts the other constraints", " rad/s in velocities");
}

// A motion that agrees does no harm.
static void a_motion_that_agrees(void **state) {
  start s = start_text(SLIDER_CRANK(", angle: 0.5, angular_velocity: 2", "") "motions: {drive: {joint: A, angle: 0.5 + "
                                                                             "2*time + time^2}}\n");
  assert_close(at_start(&s, "crank.angle"), 0.5, 1e-12);
  assert_close(at_start(&s, "crank.w"), 2, 1e-12);
  start_free(&s);
}

// Seven-body mechanism from another start, A03 of the IFToMM library: angles and F at 0.05 s of problems.md; F is the
// end of body 1.
static void andrews_from_another_start(void **state) {
  const char *const set[] = {"beta=-0.0620"};
  const double angle[] = {-0.0620,     -0.0620 + 2.14586854e-4,  0.455279812, 0.222668376 + 0.487364981,
                          0.487364981, 1.23054744 - 0.222668376, 1.23054744};
  start s = start_file(FLY_TEST_SOURCE_DIR "/examples/seven-body-planar.yaml", 1, set, 0.05);
  for (int k = 0; k < 7; k++) {
    char channel[40];
    snprintf(channel, sizeof channel, "body%d.angle", k + 1);
    assert_close(at_start(&s, channel), angle[k], 2e-9); // printed digits
  }
  const double beta = row_of(&s, "body1.angle", 1);
  say("beta(0.05) = %.9f\n", beta);
  assert_close(beta, 33.8153407, 1e-4);
  assert_close(0.007 * cos(beta), -5.15898525e-3, 1e-6);
  assert_close(0.007 * sin(beta), 4.73126528e-3, 1e-6);
  start_free(&s);
}

// ------------------------------------------------------------------------------------------ held bodies

#define GAP(hold)                                                                                                      \
  "flyball: 1\nbodies:\n"                                                                                              \
  "  a: {type: planar, mass: 1, inertia: 0.1, markers: {end: [0.5, 0.1]}" hold "}\n"                                   \
  "  b: {type: planar, mass: 1, inertia: 0.1, position: [1.3, 0.4], markers: {end: [-0.5, 0]}}\n"                      \
  "joints: {pin: {from: a.end, to: b.end}}\n"

static void held_bodies_stay(void **state) {
  start s = start_text(GAP(""));
  const double x = at_start(&s, "a.x"), turn = at_start(&s, "a.angle");
  assert_true(fabs(x) > 0.01 && fabs(turn) > 0.001); // both move
  start_free(&s);
  s = start_text(GAP(", hold: all"));
  assert_close(at_start(&s, "a.x"), 0, 1e-15);
  assert_close(at_start(&s, "a.y"), 0, 1e-15);
  assert_close(at_start(&s, "a.angle"), 0, 1e-15);
  assert_close(at_start(&s, "b.x") - 0.5 * cos(at_start(&s, "b.angle")), 0.5, 1e-12);
  assert_close(at_start(&s, "b.y") - 0.5 * sin(at_start(&s, "b.angle")), 0.1, 1e-12);
  start_free(&s);
  s = start_text(GAP(", hold: [angle, y]"));
  assert_close(at_start(&s, "a.y"), 0, 1e-15);
  assert_close(at_start(&s, "a.angle"), 0, 1e-15);
  assert_true(fabs(at_start(&s, "a.x")) > 0.01);
  start_free(&s);
}

// In space, with an orientation, a centre off the frame, and the frame held along the axes of space.
static void held_in_space(void **state) {
  const char *const text =
      "flyball: 1\nbodies:\n"
      "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], center: [0.2, 0, 0], position: [1, 2, 3], orientation: {axis: [1, 2, "
      "-1], angle: 0.8}, markers: {end: [0.5, 0.1, 0]}, hold: %s}\n"
      "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.3, 2.4, 3.3], markers: {end: [-0.5, 0, 0]}}\n"
      "joints: {pin: {type: revolute, from: a.end, to: b.end}}\n"
      "outputs: {x: dx(a), y: dy(a), z: dz(a)}\n";
  char all[1000];
  const double half = 0.4, n = sin(half) / sqrt(6.0);
  snprintf(all, sizeof all, text, "[z, orientation]");
  start s = start_text(all);
  assert_close(at_start(&s, "z"), 3, 1e-14);
  assert_true(fabs(at_start(&s, "x") - 1) > 1e-3);
  const double e[4] = {cos(half), n, 2 * n, -n};
  const char *const name[] = {"a.e0", "a.e1", "a.e2", "a.e3"};
  for (int k = 0; k < 4; k++)
    assert_close(at_start(&s, name[k]), e[k], 1e-12);
  start_free(&s);
  snprintf(all, sizeof all, text, "[x, y, z]");
  s = start_text(all);
  assert_close(at_start(&s, "x"), 1, 1e-14);
  assert_close(at_start(&s, "y"), 2, 1e-14);
  assert_true(fabs(at_start(&s, "a.e0") - e[0]) > 1e-3);
  start_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_without_coordinates),
      cmocka_unit_test(joints_the_other_way_round),
      cmocka_unit_test(planar_bodies),
      cmocka_unit_test(turned_from_where_they_are_drawn),
      cmocka_unit_test(sliding_and_turning),
      cmocka_unit_test(crank_angle_of_a_loop),
      cmocka_unit_test(displacement_of_a_loop),
      cmocka_unit_test(starts_that_cannot_be),
      cmocka_unit_test(a_motion_that_agrees),
      cmocka_unit_test(andrews_from_another_start),
      cmocka_unit_test(held_bodies_stay),
      cmocka_unit_test(held_in_space),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
