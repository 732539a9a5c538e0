// Kinematic analysis: closed forms, branches, dead points, crossings of branches, models that are not driven as they
// should be.
#include "analysis/driven.h"

static const double PI = 3.14159265358979323846;

// ------------------------------------------------------------------------------------------ closed forms

// Largest error of three channels against a jet in time, each relative to the largest it gets.
typedef struct largest {
  double error[3], size[3];
} largest;

static void compare(largest *w, const double *got, jet truth) {
  const double want[] = {truth.f, truth.d, truth.dd};
  for (int k = 0; k < 3; k++) {
    w->error[k] = fmax(w->error[k], fabs(got[k] - want[k]));
    w->size[k] = fmax(w->size[k], fabs(want[k]));
  }
}

static void assert_exact(const char *what, const largest *w, double tolerance) {
  for (int k = 0; k < 3; k++) {
    say("%s, derivative %d: %.2e of %.3g\n", what, k, w->error[k], w->size[k]);
    assert_at_most(w->error[k], tolerance * w->size[k]);
  }
}

static void slider_crank_in_the_plane(void **state) {
  driven d = driven_default(FLY_KINEMATICS, 10, 0.01);
  largest slider = {0}, rod = {0}, centre = {0};
  drive(&d, planar_crank, "slider.x slider.vx slider.accx rod.angle rod.w rod.wdt rod.y rod.vy rod.accy");
  assert_ok(d.status, &d.error);
  assert_int_equal(d.rows, 1001);
  for (long k = 0; k < d.rows; k++) {
    const double *row = row_of(&d, k);
    jet phi = drive_at(row[0]);
    plane_crank truth = plane_crank_at(phi.f);
    compare(&slider, row + 1, in_time(truth.x, phi.d, phi.dd));
    compare(&rod, row + 4, in_time(truth.beta, phi.d, phi.dd));
    compare(&centre, row + 7, in_time(truth.centre[1], phi.d, phi.dd));
  }
  assert_exact("slider", &slider, 1e-12);
  assert_exact("rod", &rod, 1e-12);
  assert_exact("centre", &centre, 1e-12);
  fly_certificate c = fly_run_certificate(d.run);
  assert_at_most(c.position, 1e-15);
  assert_at_most(c.velocity, 1e-13);
  assert_at_most(c.acceleration, 1e-12);
  assert_string_equal(fly_run_notes(d.run), "");
  driven_free(&d);
}

static void slider_crank_in_space(void **state) {
  driven d = driven_default(FLY_KINEMATICS, 10, 0.02);
  largest slider = {0}, middle = {0};
  drive(&d, spatial_crank, "slider.x slider.vx slider.accx rod.z rod.vz rod.accz");
  assert_ok(d.status, &d.error);
  for (long k = 0; k < d.rows; k++) {
    const double *row = row_of(&d, k);
    jet phi = drive_at(row[0]);
    space_crank truth = space_crank_at(phi.f);
    compare(&slider, row + 1, in_time(truth.s, phi.d, phi.dd));
    compare(&middle, row + 4, in_time(jet_times(0.5, truth.p[2]), phi.d, phi.dd));
  }
  assert_exact("slider", &slider, 1e-12);
  assert_exact("middle of the rod", &middle, 1e-12);
  driven_free(&d);
}

// ------------------------------------------------------------------------------------------ four bars

// Ground from (0, 0) to (g, 0), crank, coupler, rocker of lengths a, b, c; the crank starts at angle 0.5 + `shift`.
static void write_bars(char *text, size_t size, double a, double b, double c, double g, const char *motions,
                       bool in_space) {
  const char *const ends = in_space ? "[%.17g, 0, 0]" : "[%.17g, 0]";
  char end[3][60], middle[3][60], inertia[3][80];
  const double length[] = {a, b, c};
  for (int k = 0; k < 3; k++) {
    snprintf(end[k], sizeof end[k], ends, length[k]); // NOLINT(clang-diagnostic-format-nonliteral)
    snprintf(middle[k], sizeof middle[k], ends, length[k] / 2);
    snprintf(inertia[k], sizeof inertia[k], in_space ? "[0.001, %.17g, %.17g]" : "%.17g", length[k] / 12,
             length[k] / 12);
  }
  const double bx = a * cos(0.5), by = a * sin(0.5), dx = g - bx, l = hypot(dx, by);
  const double x = (b * b - c * c + l * l) / (2 * l), y = sqrt(b * b - x * x);
  const double cx = bx + (x * dx + y * by) / l, cy = by + (-x * by + y * dx) / l;
  const double angle[] = {0.5, atan2(cy - by, cx - bx), atan2(cy, cx - g)}, px[] = {0, bx, g}, py[] = {0, by, 0};
  static const char *const names[] = {"crank", "coupler", "rocker"};
  int n = snprintf(text, size, "flyball: 1\nbodies:\n");
  for (int k = 0; k < 3; k++)
    n += snprintf(text + n, size - (size_t)n,
                  in_space ? "  %s: {mass: 1, inertia: %s, center: %s, position: [%.17g, %.17g, 0], orientation: "
                             "{axis: [0, 0, 1], angle: %.17g}, markers: {s: [0, 0, 0], e: %s}}\n"
                           : "  %s: {type: planar, mass: 1, inertia: %s, center: %s, position: [%.17g, %.17g], "
                             "angle: %.17g, markers: {s: [0, 0], e: %s}}\n",
                  names[k], inertia[k], middle[k], px[k], py[k], angle[k], end[k]);
  snprintf(text + n, size - (size_t)n,
           "joints:\n  A: {type: revolute, from: ground, to: crank.s}\n"
           "  B: {type: revolute, from: crank.e, to: coupler.s}\n"
           "  C: {type: revolute, from: coupler.e, to: rocker.e}\n"
           "  D: {type: revolute, bodies: [ground, rocker], at: [%.17g, 0, 0], axis: [0, 0, 1]}\n%s",
           g, motions);
}

#define MOTION(expression) "motions:\n  drive: {joint: A, angle: " expression "}\n"

static driven drive_bars(const double *length, const char *motions, bool in_space, double end, double output) {
  char text[3000];
  driven d = driven_default(FLY_KINEMATICS, end, output);
  write_bars(text, sizeof text, length[0], length[1], length[2], length[3], motions, in_space);
  drive(&d, text, "rocker.x rocker.y crank.y");
  return d;
}

static const double rocker[] = {1, 3, 2.5, 3};

// Distance of the rocker's mass centre from where the closed form has it, on the branch it starts on; angle of the
// crank 0.5 + speed t.
static double rocker_error(const driven *d, const double *length, double speed) {
  const double a = length[0], b = length[1], c = length[2], g = length[3];
  double most = 0;
  for (long k = 0; k < d->rows; k++) {
    const double *row = row_of(d, k), phi = 0.5 + speed * row[0];
    const double bx = a * cos(phi), by = a * sin(phi), dx = g - bx, l = hypot(dx, by);
    const double x = (b * b - c * c + l * l) / (2 * l), y = sqrt(b * b - x * x);
    const double cx = bx + (x * dx + y * by) / l, cy = by + (-x * by + y * dx) / l;
    most = fmax(most, hypot(row[1] - (g + cx) / 2, row[2] - cy / 2));
  }
  return most;
}

// A crank-rocker over 159 revolutions, seven steps of output to each: the rocker stays on its branch.
static void branch_is_kept(void **state) {
  for (int in_space = 0; in_space < 2; in_space++) {
    driven d = drive_bars(rocker, MOTION("0.5 + 100*time"), in_space, 10, 0.01);
    assert_ok(d.status, &d.error);
    say("after 159 revolutions %.2e, %ld steps\n", rocker_error(&d, rocker, 100), fly_run_stats(d.run).steps);
    assert_at_most(rocker_error(&d, rocker, 100), 1e-11); // the angle itself, 1000 rad, is known to 1e-13
    driven_free(&d);
  }
}

// Coupler and rocker are stretched by the crank to 1 - 1e-4 ... 1 - 1e-10 of their length: two branches come near each
// other, the mechanism turns back on its own as sharply, and never goes over to the other.
static void branches_that_come_near(void **state) {
  static const double gaps[] = {1e-4, 1e-6, 1e-8, 1e-10}, outputs[] = {0.05, 0.3, 1};
  for (int k = 0; k < 12; k++) {
    const double gap = gaps[k / 3], length[] = {1, 1.55, 1.45 + 3 * gap, 2};
    driven d = drive_bars(length, MOTION("0.5 + time"), false, 15, outputs[k % 3]);
    assert_ok(d.status, &d.error);
    say("gap %.0e: %.2e, %ld steps, %s\n", gap, rocker_error(&d, length, 1), fly_run_stats(d.run).steps,
        fly_run_notes(d.run));
    assert_at_most(rocker_error(&d, length, 1), 1e-11);
    assert_string_equal(fly_run_notes(d.run), "");
    driven_free(&d);
  }
}

// Coupler and rocker in line, b + c = |BD|: cos phi = (1 + g^2 - (b + c)^2)/2g = 1/8.
static void lock_up(void **state) {
  const double length[] = {1, 1.2, 1.1, 2.2}, when = acos(0.125) - 0.5;
  for (int in_space = 0; in_space < 2; in_space++) {
    driven d = drive_bars(length, MOTION("0.5 + time"), in_space, 3, 0.01);
    say("%.10f %s\n", fly_run_time(d.run) - when, d.error.message);
    assert_int_equal(d.status, FLY_SINGULAR);
    assert_close(d.error.time, when, 1e-8);
    assert_says(&d.error, "t = 0.9454");
    assert_says(&d.error, "locks up");
    assert_says(&d.error, "`drive` gets no further than 1.44547 rad");
    static const char *const joints[] = {"`A`", "`B`", "`C`", "`D`", "`drive`"};
    for (size_t k = 0; k < sizeof joints / sizeof *joints; k++)
      assert_says(&d.error, joints[k]);
    assert_int_equal(d.rows, 95); // up to 0.94 s
    driven_free(&d);
  }
}

// A slider pushed from its end is at a dead point when the crank is stretched: r + l.
static void dead_centre(void **state) {
  const char text[] = "flyball: 1\nparameters: {phi: 60*deg, beta: -asin(0.5*sin(phi))}\n"
                      "bodies:\n"
                      "  crank: {type: planar, mass: 1, inertia: 1, angle: phi, markers: {pin: [1, 0]}}\n"
                      "  rod: {type: planar, mass: 1, inertia: 1, angle: beta, position: [cos(phi), sin(phi)],\n"
                      "    markers: {b: [2, 0]}}\n"
                      "  slider: {type: planar, mass: 1, inertia: 1, position: [cos(phi) + 2*cos(beta), 0]}\n"
                      "joints:\n"
                      "  main: {type: revolute, from: ground, to: crank}\n"
                      "  pin: {type: revolute, from: crank.pin, to: rod}\n"
                      "  wrist: {type: revolute, from: rod.b, to: slider}\n"
                      "  guide: {type: translational, bodies: [ground, slider], at: [0, 0, 0], axis: [1, 0, 0]}\n"
                      "motions:\n  push: {joint: guide, velocity: 0.5}\n";
  const double start = 0.5 + 2 * cos(asin(0.5 * sin(PI / 3))), when = (3 - start) / 0.5;
  driven d = driven_default(FLY_KINEMATICS, 5, 0.01);
  drive(&d, text, "slider.x");
  assert_int_equal(d.status, FLY_SINGULAR);
  assert_close(d.error.time, when, 1e-7);
  assert_says(&d.error, "`push` gets no further than");
  assert_says(&d.error, "`wrist`");
  driven_free(&d);
}

// The Bricard mechanism moves although by count it cannot. Angles of neighbouring joints obey cos a cos b + cos a + cos
// b = 0, so cos a >= -1/2: a joint that starts at 90 degrees gets to -120 degrees, in 7 pi/6 s at 1 rad/s.
static void overconstrained(void **state) {
  const char text[] = "flyball: 1\nparameters: {w: 0.1}\nbodies:\n"
                      "  rod1: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
                      "  rod2: {mass: 1, inertia: [1, 1, 1], position: [1, -0.5, 0]}\n"
                      "  rod3: {mass: 1, inertia: [1, 1, 1], position: [1, -1, 0.5]}\n"
                      "  rod4: {mass: 1, inertia: [1, 1, 1], position: [0.5, -1, 1]}\n"
                      "  rod5: {mass: 1, inertia: [1, 1, 1], position: [0, -0.5, 1]}\n"
                      "joints:\n"
                      "  J0: {type: revolute, bodies: [ground, rod1], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                      "  J1: {type: revolute, bodies: [rod1, rod2], at: [1, 0, 0], axis: [0, 0, 1]}\n"
                      "  J2: {type: revolute, bodies: [rod2, rod3], at: [1, -1, 0], axis: [1, 0, 0]}\n"
                      "  J3: {type: revolute, bodies: [rod3, rod4], at: [1, -1, 1], axis: [0, 1, 0]}\n"
                      "  J4: {type: revolute, bodies: [rod4, rod5], at: [0, -1, 1], axis: [0, 0, 1]}\n"
                      "  J5: {type: revolute, bodies: [rod5, ground], at: [0, 0, 1], axis: [1, 0, 0]}\n"
                      "motions:\n  drive: {joint: J0, velocity: 1}\n";
  driven d = driven_default(FLY_KINEMATICS, 20, 0.01);
  drive(&d, text, "J0.angle J1.angle");
  say("%s\n", d.error.message);
  assert_int_equal(d.status, FLY_SINGULAR);
  assert_close(d.error.time, 7 * PI / 6, 1e-8);
  assert_says(&d.error, "locks up");
  assert_int_equal(fly_run_info(d.run).redundant, 1);
  double most = 0;
  for (long k = 0; k < d.rows; k++) {
    double a = sin(row_of(&d, k)[1]), b = sin(row_of(&d, k)[2]); // cosines; the sign of b is that of an axis
    most = fmax(most, fabs(fabs(b) - fabs(a / (1 + a))));
  }
  say("angles of neighbours: %.2e in %ld rows\n", most, d.rows);
  assert_at_most(most, 1e-10);
  driven_free(&d);
}

// Slider and crank are both driven, and agree. The motion of the slider, which is there first, says nothing at the dead
// centres; there that of the crank is used, and no crossing is seen.
static void redundant_rows_take_turns(void **state) {
  char text[3000];
  int n = snprintf(text, sizeof text, "%.*s", (int)(strstr(planar_crank, "motions:") - planar_crank), planar_crank);
  snprintf(text + n, sizeof text - (size_t)n,
           "motions:\n  push: {joint: guide, displacement: r*(cos(" DRIVE ") - cos(phi)) + sqrt(l^2 - (r*sin(" DRIVE
           "))^2) - sqrt(l^2 - (r*sin(phi))^2)}\n  drive: {joint: main, angle: " DRIVE "}\n");
  driven d = driven_default(FLY_KINEMATICS, 5, 0.01);
  largest slider = {0};
  drive(&d, text, "rod.angle rod.w rod.wdt");
  assert_ok(d.status, &d.error);
  say("%s", fly_run_notes(d.run));
  for (long k = 0; k < d.rows; k++) {
    jet phi = drive_at(row_of(&d, k)[0]);
    compare(&slider, row_of(&d, k) + 1, in_time(plane_crank_at(phi.f).beta, phi.d, phi.dd));
  }
  assert_string_equal(fly_run_notes(d.run), "");
  assert_exact("rod", &slider, 1e-8); // before the rows are exchanged the slider drives the crank, near its dead centre
  driven_free(&d);
}

// A parallelogram in line: branches cross, and the smooth one, all angles alike, is followed, in the plane and with the
// redundant rows of space; also where a point of output is exactly there.
static void crossings_are_passed(void **state) {
  const double length[] = {1, 3, 1, 3};
  for (int in_space = 0; in_space < 2; in_space++) {
    driven d = drive_bars(length, MOTION("0.5 + (pi - 0.5)*time"), in_space, 6, 0.125);
    assert_ok(d.status, &d.error);
    double worst = 0;
    for (long k = 0; k < d.rows; k++) {
      const double *row = row_of(&d, k), phi = 0.5 + (PI - 0.5) * row[0];
      worst = fmax(worst, hypot(row[1] - 3 - cos(phi) / 2, row[2] - sin(phi) / 2));
    }
    say("%.2e\n%s", worst, fly_run_notes(d.run));
    assert_int_equal(d.rows, 49);
    assert_at_most(worst, 1e-9); // beside a crossing positions are interpolated over 0.02 rad
    const char *notes = fly_run_notes(d.run);
    int found = 0;
    for (const char *at = notes; (at = strstr(at, "At t = ")); at++, found++) {
      double t = strtod(at + 7, NULL), phi = 0.5 + (PI - 0.5) * t;
      assert_close(phi / PI, round(phi / PI), 1e-6);
    }
    assert_int_equal(found, 5); // 1 to 5 half turns in 0.5 .. 16.35 rad
    assert_non_null(strstr(notes, "not unique"));
    assert_non_null(strstr(notes, "`B`, `C`"));
    driven_free(&d);
  }
}

// Two of them side by side: a determinant of both keeps its sign.
static void crossings_that_come_together(void **state) {
  char one[3000], text[6000];
  write_bars(one, sizeof one, 1, 3, 1, 3, MOTION("0.5 + time"), false);
  const char *joints = strstr(one, "joints:"), *motions = strstr(one, "motions:");
  // the second: names with a 2
  int n = snprintf(text, sizeof text, "%.*s", (int)(joints - one), one);
  for (const char *c = strstr(one, "bodies:") + 8; c < joints; c++)
    n += snprintf(text + n, sizeof text - (size_t)n,
                  c[0] == ':' && c[1] == ' ' && c[2] == '{' && c[3] == 't' ? "2%c" : "%c", *c);
  n += snprintf(text + n, sizeof text - (size_t)n, "%.*s", (int)(motions - joints), joints);
  snprintf(text + n, sizeof text - (size_t)n,
           "  A2: {type: revolute, from: ground, to: crank2.s}\n"
           "  B2: {type: revolute, from: crank2.e, to: coupler2.s}\n"
           "  C2: {type: revolute, from: coupler2.e, to: rocker2.e}\n"
           "  D2: {type: revolute, bodies: [ground, rocker2], at: [3, 0, 0], axis: [0, 0, 1]}\n%s"
           "  second: {joint: A2, angle: 0.5 + time}\n",
           motions);
  driven d = driven_default(FLY_KINEMATICS, 3, 0.1);
  drive(&d, text, "rocker.x rocker2.x");
  assert_ok(d.status, &d.error);
  assert_non_null(strstr(fly_run_notes(d.run), "At t = 2.641592"));
  for (long k = 0; k < d.rows; k++) {
    assert_close(row_of(&d, k)[1], 3 + cos(0.5 + row_of(&d, k)[0]) / 2, 1e-9);
    assert_close(row_of(&d, k)[2], 3 + cos(0.5 + row_of(&d, k)[0]) / 2, 1e-9);
  }
  driven_free(&d);
}

// A mechanism that starts in line is not sent one way or the other.
static void singular_start(void **state) {
  const char text[] =
      "flyball: 1\nbodies:\n"
      "  crank: {type: planar, mass: 1, inertia: 1, markers: {e: [1, 0]}}\n"
      "  coupler: {type: planar, mass: 1, inertia: 1, position: [1, 0], markers: {e: [3, 0]}}\n"
      "  rocker: {type: planar, mass: 1, inertia: 1, position: [3, 0], markers: {e: [1, 0]}}\n"
      "joints:\n  A: {type: revolute, from: ground, to: crank}\n"
      "  B: {type: revolute, from: crank.e, to: coupler}\n"
      "  C: {type: revolute, from: coupler.e, to: rocker.e}\n"
      "  D: {type: revolute, bodies: [ground, rocker], at: [3, 0, 0], axis: [0, 0, 1]}\n" MOTION("time");
  driven d = driven_default(FLY_KINEMATICS, 1, 0.1);
  drive(&d, text, "");
  say("%s\n", d.error.message);
  assert_int_equal(d.status, FLY_SINGULAR);
  assert_says(&d.error, "beside");
  driven_free(&d);
}

// Turns of a gear are counted over long steps of output.
static void turns_are_counted(void **state) {
  const char text[] = "flyball: 1\nbodies:\n"
                      "  one: {type: planar, mass: 1, inertia: 1}\n"
                      "  two: {type: planar, mass: 1, inertia: 1, position: [3, 0]}\n"
                      "joints:\n  a: {type: revolute, bodies: [ground, one], at: [0, 0, 0]}\n"
                      "  b: {type: revolute, bodies: [ground, two], at: [3, 0, 0]}\n"
                      "  ratio: {type: coupler, joints: [a, b], ratios: [1, 2]}\n"
                      "motions:\n  drive: {joint: a, angle: 20*time}\n";
  driven d = driven_default(FLY_KINEMATICS, 10, 2.5);
  drive(&d, text, "b.angle two.angle a.angle");
  assert_ok(d.status, &d.error);
  assert_close(row_of(&d, 4)[1], -100, 1e-11);
  assert_close(row_of(&d, 4)[2], -100, 1e-11);
  assert_close(row_of(&d, 4)[3], 200, 1e-11);
  driven_free(&d);
}

// ------------------------------------------------------------------------------------------ not driven as it should be

static void assert_refused(const double *length, const char *motions, fly_status status, double end,
                           const char *const *says) {
  driven d = drive_bars(length, motions, false, end, 0.01);
  say("%s: %s\n", fly_status_name(d.status), d.error.message);
  assert_int_equal(d.status, status);
  for (; *says; says++)
    assert_says(&d.error, *says);
  driven_free(&d);
}

#define SAYS(...)                                                                                                      \
  (const char *const[]) { __VA_ARGS__, NULL }

static void freedom_is_named(void **state) {
  assert_refused(rocker, "", FLY_SINGULAR, 1,
                 SAYS("no motions", "1 degree of freedom", "{joint: A, angle: ...}", "flyball run"));
  const char two_arms[] = "flyball: 1\nbodies:\n"
                          "  upper: {mass: 1, inertia: [1, 1, 1], markers: {e: [1, 0, 0]}}\n"
                          "  lower: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                          "  puck: {type: point, mass: 1, position: [0, 5, 0]}\n"
                          "joints:\n  shoulder: {type: revolute, from: ground, to: upper}\n"
                          "  elbow: {type: revolute, from: upper.e, to: lower}\n"
                          "motions:\n  lift: {joint: shoulder, angle: time}\n";
  for (int inverse = 0; inverse < 2; inverse++) {
    driven d = driven_default(inverse ? FLY_INVERSE : FLY_KINEMATICS, 1, 0.1);
    drive(&d, two_arms, "");
    say("%s\n", d.error.message);
    assert_int_equal(d.status, FLY_SINGULAR);
    assert_says(&d.error, "4 degrees of freedom");
    assert_says(&d.error, "body `lower` can still turn about z, with joint `elbow`");
    assert_says(&d.error, "body `puck` can still move along x");
    assert_says(&d.error, "{joint: elbow, angle: ...}");
    driven_free(&d);
  }
}

static void motions_that_agree_and_others(void **state) {
  const char same[] = MOTION("0.5 + time") "  two: {joint: A, angle: 0.5 + 2*sin(time/2)*cos(time/2) + time - "
                                           "sin(time)}\n";
  driven d = drive_bars(rocker, same, false, 1, 0.1);
  assert_ok(d.status, &d.error);
  assert_close(row_of(&d, 10)[3], sin(1.5) / 2, 1e-14);
  assert_int_equal(fly_run_info(d.run).redundant, 1);
  driven_free(&d);
  assert_refused(rocker, MOTION("0.5 + time") "  two: {joint: D, velocity: 0.3}\n", FLY_INCONSISTENT, 1,
                 SAYS("two", "contradicts"));
  assert_refused(rocker, MOTION("0.5 + time") "  two: {joint: A, angle: 0.5 + time + 0.01*time^4}\n", FLY_INCONSISTENT,
                 1, SAYS("`two, angle` contradicts", "This shows at t = 0."));
}

static void motions_that_cannot_be(void **state) {
  assert_refused(rocker, MOTION("0.5 + sqrt(0.3 - time) - sqrt(0.3)"), FLY_NOT_FINITE, 1, SAYS("`drive`", "t = 0.3 s"));
  assert_refused(rocker, MOTION("'if(time < 0.3, 0.5, 1.5)'"), FLY_NO_CONVERGENCE, 1,
                 SAYS("`drive` jumps by 1 rad at t = 0.3 s"));
  for (int k = 0; k < 2; k++) { // at a point of output, and between two
    driven d = drive_bars(rocker, MOTION("0.5 + abs(time - 0.3)"), false, 1, k ? 0.0101 : 0.01);
    assert_ok(d.status, &d.error);
    assert_non_null(strstr(fly_run_notes(d.run), "At t = 0.3 s"));
    assert_non_null(strstr(fly_run_notes(d.run), k ? "`drive` gives jumps by 2 rad/s" : "`drive` gives jumps by"));
    driven_free(&d);
  }
  driven d =
      drive_bars(rocker, "motions:\n  drive: {joint: A, angle: '0.5 + step(time, 0.3, 0, 0.35, 1)'}\n", false, 1, 0.01);
  assert_ok(d.status, &d.error); // fast, but smooth
  assert_string_equal(fly_run_notes(d.run), "");
  assert_close(row_of(&d, 100)[3], sin(1.5) / 2, 1e-14);
  driven_free(&d);
}

// A pulse in a long rest is not stepped over.
static void short_pulses_are_seen(void **state) {
  driven d = drive_bars(rocker, MOTION("0.5 + exp(-((time - 50.01)/0.02)^2)"), false, 100, 0.01);
  assert_ok(d.status, &d.error);
  assert_close(row_of(&d, 5001)[3], sin(1.5) / 2, 1e-14);
  assert_close(row_of(&d, 5003)[3], sin(0.5 + exp(-1.0)) / 2, 1e-13);
  driven_free(&d);
}

static void forces_are_not_known(void **state) {
  driven d = driven_default(FLY_KINEMATICS, 1, 0.1);
  d.options.channels = "bodies joints";
  drive(&d, planar_crank, "");
  assert_int_equal(d.status, FLY_BAD_INPUT);
  assert_says(&d.error, "flyball inverse");
  driven_free(&d);
  d = driven_default(FLY_KINEMATICS, NAN, 0.1);
  drive(&d, planar_crank, "");
  assert_int_equal(d.status, FLY_BAD_INPUT);
  assert_says(&d.error, "No end time");
  driven_free(&d);
}

// ------------------------------------------------------------------------------------------ bodies that deform

// The rod as a beam of steel, 0.4 m of 10 mm by 10 mm, straight or stretched by 1 mm, and as the rigid body that it
// then is: mass 0.314 kg, turning inertias mass times b^2/6 and b^2/12 more.
#define STIFF_CRANK(rod)                                                                                               \
  "flyball: 1\ngravity: [0, -9.81, 0]\n"                                                                               \
  "parameters: {r: 0.15, l: 0.4, b: 10*mm, m: 7850*l*b^2, phi: 0.4, beta: -asin(r/l*sin(phi))}\n"                      \
  "bodies:\n"                                                                                                          \
  "  crank: {type: planar, mass: 0.9, inertia: 0.004, center: [0.05, 0], angle: phi, markers: {pin: [r, 0]}}\n"        \
  "  rod: {" rod ", position: [r*cos(phi), r*sin(phi), 0], orientation: {axis: [0, 0, 1], angle: beta},\n"             \
  "    markers: {a: [0, 0, 0], b: [l, 0, 0]}}\n"                                                                       \
  "  slider: {type: planar, mass: 0.7, inertia: 0.01, position: [r*cos(phi) + l*cos(beta), 0]}\n"                      \
  "joints:\n"                                                                                                          \
  "  main: {type: revolute, from: ground, to: crank, angular_velocity: 6.2}\n"                                         \
  "  crank_pin: {type: revolute, from: crank.pin, to: rod.a}\n"                                                        \
  "  slider_pin: {type: in-line, from: slider, to: rod.b}\n"                                                           \
  "  guide: {type: translational, bodies: [ground, slider], at: [0.5, 0, 0], axis: [1, 0, 0]}\n"
#define BEAM                                                                                                           \
  "type: flexible-beam, length: l, density: 7850, youngs_modulus: 2e11, shear_modulus: 7.7e10, rectangle: [b, b]"
#define DRIVEN_BY "motions:\n  drive: {joint: main, angle: " DRIVE "}\n"

static void bodies_that_deform_are_stiff(void **state) {
  static const char names[] = "slider.x slider.vx crank_pin.fx crank_pin.fy slider_pin.fy drive.torque";
  driven d[2] = {driven_default(FLY_INVERSE, 2, 0.02), driven_default(FLY_INVERSE, 2, 0.02)};
  drive(&d[0], STIFF_CRANK(BEAM) DRIVEN_BY, names);
  drive(&d[1],
        STIFF_CRANK("mass: m, center: [l/2, 0, 0], inertia: [m*b^2/6, m*l^2/12 + m*b^2/12, m*l^2/12 + m*b^2/12]")
            DRIVEN_BY,
        names);
  for (int k = 0; k < 2; k++)
    assert_ok(d[k].status, &d[k].error);
  assert_non_null(strstr(fly_run_notes(d[0].run), "`rod` is stiff here: its 8 modes stay as they start"));
  double worst = 0;
  for (long k = 0; k < d[0].rows; k++)
    for (int c = 1; c <= d[0].count; c++)
      worst = fmax(worst, fabs(row_of(&d[0], k)[c] - row_of(&d[1], k)[c]) / (1 + fabs(row_of(&d[1], k)[c])));
  say("a stiff beam and the rigid rod: %.1e\n", worst);
  assert_at_most(worst, 1e-11);
  driven_free(&d[0]);
  driven_free(&d[1]);
}

// It keeps the deformation it is given: here the rod is 1 mm longer.
static void deformed_as_they_start(void **state) {
  driven d = driven_default(FLY_KINEMATICS, 1, 0.1);
  drive(&d, STIFF_CRANK(BEAM ", bends: [0, 0], twists: 0, deformed: [1*mm]") DRIVEN_BY, "slider.x rod.mode1");
  assert_ok(d.status, &d.error);
  for (long k = 0; k < d.rows; k++) {
    const double phi = drive_at(row_of(&d, k)[0]).f, y = 0.15 * sin(phi);
    assert_close(row_of(&d, k)[1], 0.15 * cos(phi) + sqrt(0.401 * 0.401 - y * y), 1e-12);
    assert_close(row_of(&d, k)[2], 1e-3, 1e-15);
  }
  driven_free(&d);
}

// A freedom that is left is told as if they were rigid.
static void freedoms_beside_modes(void **state) {
  driven d = driven_default(FLY_KINEMATICS, 1, 0.1);
  drive(&d, STIFF_CRANK(BEAM), "");
  assert_int_equal(d.status, FLY_SINGULAR);
  assert_says(&d.error, "leave 1 degree of freedom");
  assert_says(&d.error, "{joint: main, angle: ...}");
  driven_free(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slider_crank_in_the_plane),
      cmocka_unit_test(slider_crank_in_space),
      cmocka_unit_test(branch_is_kept),
      cmocka_unit_test(branches_that_come_near),
      cmocka_unit_test(lock_up),
      cmocka_unit_test(dead_centre),
      cmocka_unit_test(overconstrained),
      cmocka_unit_test(redundant_rows_take_turns),
      cmocka_unit_test(crossings_are_passed),
      cmocka_unit_test(crossings_that_come_together),
      cmocka_unit_test(singular_start),
      cmocka_unit_test(turns_are_counted),
      cmocka_unit_test(freedom_is_named),
      cmocka_unit_test(motions_that_agree_and_others),
      cmocka_unit_test(motions_that_cannot_be),
      cmocka_unit_test(short_pulses_are_seen),
      cmocka_unit_test(forces_are_not_known),
      cmocka_unit_test(bodies_that_deform_are_stiff),
      cmocka_unit_test(deformed_as_they_start),
      cmocka_unit_test(freedoms_beside_modes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
