// Inverse dynamics: driving torques and reactions against closed forms, the round trip through forward dynamics, and
// motions that are followed from results.
#define _POSIX_C_SOURCE 200809L
#include "analysis/driven.h"

#include "analysis/simulation.h"
#include "math/spline.h"

// ------------------------------------------------------------------------------------------ closed forms

// Of one degree of freedom, T = J(phi) phi'^2/2: the torque is J phi'' + J' phi'^2/2 + dV/dphi.
static double torque_of(jet J, jet V, jet phi) { return J.f * phi.dd + J.d * phi.d * phi.d / 2 + V.d; }

static jet derivative(jet a) { return (jet){a.d, a.dd, NAN}; } // its own second derivative is not needed

static jet squared(jet a) { return jet_product(derivative(a), derivative(a)); }

static double plane_torque(double t) {
  jet phi = drive_at(t);
  plane_crank k = plane_crank_at(phi.f);
  jet J = jet_add(jet_times(CRANK_MASS, jet_add(squared(k.crank[0]), squared(k.crank[1]))), (jet){0.004, 0, 0});
  J = jet_add(J, jet_times(ROD_MASS, jet_add(squared(k.centre[0]), squared(k.centre[1]))));
  J = jet_add(J, jet_times(ROD_INERTIA, squared(k.beta)));
  J = jet_add(J, jet_times(SLIDER_MASS, squared(k.x)));
  jet V = jet_times(GRAVITY, jet_add(jet_times(CRANK_MASS, k.crank[1]), jet_times(ROD_MASS, k.centre[1])));
  return torque_of(J, V, phi);
}

// Newton's law for slider, rod and crank one after another: forces on the slider by the rod (x, y of space), on the
// crank by ground.
static void plane_forces(double t, double wrist[2], double bearing[2]) {
  jet phi = drive_at(t);
  plane_crank k = plane_crank_at(phi.f);
  jet x = in_time(k.x, phi.d, phi.dd), beta = in_time(k.beta, phi.d, phi.dd);
  jet cx = in_time(k.centre[0], phi.d, phi.dd), cy = in_time(k.centre[1], phi.d, phi.dd);
  jet ax = in_time(k.crank[0], phi.d, phi.dd), ay = in_time(k.crank[1], phi.d, phi.dd);
  const double c = cos(beta.f), s = sin(beta.f), rest = ROD - CENTRE;
  double pin[2];
  wrist[0] = SLIDER_MASS * x.dd; // nothing else acts along the guide
  // rod: m a = pin - wrist + m g; I beta'' = -(b x wrist) + (a x pin), a = -CENTRE (c, s), b = rest (c, s)
  pin[0] = ROD_MASS * cx.dd + wrist[0];
  // with pin_y = m (cy'' + g) + wrist_y the moments are linear in wrist_y
  const double known = ROD_MASS * (cy.dd + GRAVITY);
  const double moment = ROD_INERTIA * beta.dd + rest * -s * wrist[0] - CENTRE * (s * pin[0] - c * known);
  wrist[1] = -moment / ((rest + CENTRE) * c);
  pin[1] = known + wrist[1];
  bearing[0] = CRANK_MASS * ax.dd + pin[0];
  bearing[1] = CRANK_MASS * (ay.dd + GRAVITY) + pin[1];
}

static void slider_crank_in_the_plane(void **state) {
  driven d = driven_default(FLY_INVERSE, 10, 0.01);
  double error[4] = {0}, size[4] = {0};
  drive(&d, planar_crank, "drive.torque drive.power main.fx main.fy slider_pin.fx slider_pin.fy rod.angle main.tz");
  assert_ok(d.status, &d.error);
  for (long k = 0; k < d.rows; k++) {
    const double *row = row_of(&d, k), torque = plane_torque(row[0]), c = cos(row[7]), s = sin(row[7]);
    double wrist[2], bearing[2];
    plane_forces(row[0], wrist, bearing);
    const double got[] = {row[1], row[2], hypot(row[3] - bearing[0], row[4] - bearing[1]),
                          hypot(c * row[5] - s * row[6] - wrist[0], s * row[5] + c * row[6] - wrist[1])};
    const double want[] = {torque, torque * drive_at(row[0]).d, 0, 0},
                 large[] = {torque, torque * drive_at(row[0]).d, hypot(bearing[0], bearing[1]),
                            hypot(wrist[0], wrist[1])};
    for (int i = 0; i < 4; i++) {
      error[i] = fmax(error[i], fabs(got[i] - want[i]));
      size[i] = fmax(size[i], fabs(large[i]));
    }
    assert_close(row[8], row[1], 1e-13); // the joint carries what drives it
  }
  for (int i = 0; i < 4; i++) {
    say("%d: %.2e of %.3g\n", i, error[i], size[i]);
    assert_at_most(error[i], 1e-12 * size[i]);
  }
  fly_ledger l = fly_run_ledger(d.run);
  say("imbalance %.2e of %.3g\n", l.worst, l.moved);
  assert_at_most(l.worst, 1e-6 * l.moved); // Boole's rule over steps of 0.06 rad, the interval of output
  driven_free(&d);
}

// A thin rod moves as its ends: T = m/6 (p'^2 + p' s' + s'^2); about itself it has next to no inertia.
static void slider_crank_in_space(void **state) {
  driven d = driven_default(FLY_INVERSE, 10, 0.02);
  double error = 0, size = 0;
  drive(&d, spatial_crank, "drive.torque");
  assert_ok(d.status, &d.error);
  for (long k = 0; k < d.rows; k++) {
    const double *row = row_of(&d, k);
    jet phi = drive_at(row[0]);
    space_crank c = space_crank_at(phi.f);
    jet ends = jet_add(jet_add(squared(c.p[1]), squared(c.p[2])), squared(c.s));
    jet J = jet_add(jet_add((jet){0.003, 0, 0}, jet_times(0.6 / 3, ends)), jet_times(0.5, squared(c.s)));
    jet V = jet_times(GRAVITY * 0.6 / 2, c.p[2]); // crank and slider neither rise nor fall
    error = fmax(error, fabs(row[1] - torque_of(J, V, phi)));
    size = fmax(size, fabs(row[1]));
  }
  say("torque %.2e of %.3g\n", error, size);
  assert_at_most(error, 1e-7 * size); // 1e-9 kg m^2 of the rod
  driven_free(&d);
}

// ------------------------------------------------------------------------------------------ round trips

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

// Everything of a model before its motions.
static int without_motions(char *out, size_t size, const char *text) {
  return snprintf(out, size, "%.*s", (int)(strstr(text, "motions:") - text), text);
}

// Forward dynamics, pushed by the torque that inverse dynamics found, moves as the motion did.
static void there_and_back(void **state) {
  static const char *const models[] = {planar_crank, spatial_crank}, *const torques[] = {
                                                                         "torque: [0, 0, 'cubic(time, T)']",
                                                                         "torque: ['cubic(time, T)', 0, 0]"};
  for (int k = 0; k < 2; k++) {
    driven d = driven_default(FLY_INVERSE, 1, 2.5e-4);
    drive(&d, models[k], "drive.torque crank.y slider.x");
    assert_ok(d.status, &d.error);
    char path[200], text[3000];
    snprintf(path, sizeof path, "%s/torque-%d.csv", folder, k);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "t,T\n");
    for (long i = 0; i < d.rows; i++)
      fprintf(file, "%.17g,%.17g\n", row_of(&d, i)[0], row_of(&d, i)[1]);
    assert_int_equal(fclose(file), 0);
    int n = without_motions(text, sizeof text, models[k]);
    snprintf(text + n, sizeof text - (size_t)n,
             "forces:\n  motor: {type: force, at: crank, %s}\ntables:\n  T: {file: torque-%d.csv}\n", torques[k], k);
    snprintf(path, sizeof path, "%s/there-and-back-%d.yaml", folder, k);
    write_text(path, text);
    simulation s = simulation_default(1, NAN);
    driven back = {.count = 2};
    s.options.error = 1e-6;
    s.options.output = 2.5e-3;
    s.options.row = keep_row;
    s.options.user = &back;
    s.status = fly_mechanism_load(&s.mechanism, path, 0, NULL, &s.error);
    assert_ok(s.status, &s.error);
    assert_ok(fly_run_create(&s.run, s.mechanism, &s.options, &s.error), &s.error);
    back.column[0] = fly_run_channel(s.run, "crank.y");
    back.column[1] = fly_run_channel(s.run, "slider.x");
    assert_ok(fly_run_start(s.run, &s.error), &s.error);
    assert_ok(fly_run_go(s.run, &s.error), &s.error);
    double worst = 0;
    for (long i = 0; i < back.rows; i++)
      for (int c = 0; c < 2; c++)
        worst = fmax(worst, fabs(row_of(&back, i)[1 + c] - row_of(&d, 10 * i)[2 + c]));
    say("there and back: %.2e after %ld steps\n", worst, fly_run_stats(s.run).steps);
    assert_int_equal(back.rows, 401);
    assert_at_most(worst, 1e-6); // the error of the run
    free(back.data);
    simulation_free(&s);
    driven_free(&d);
  }
}

// What a motion needs in a dynamic run is what inverse dynamics says; a guide with dry friction, which feels its own
// reaction, included.
static void run_and_inverse_agree(void **state) {
  char text[3000];
  int n = snprintf(text, sizeof text, "%s", planar_crank);
  snprintf(text + n, sizeof text - (size_t)n,
           "forces:\n  friction: {type: force, at: slider, axes: ground, "
           "force: ['-0.1*fm(guide)*sin(atan(vx(slider)/0.01))', 0, 0]}\n");
  driven inverse = driven_default(FLY_INVERSE, 1, 0.01), run = driven_default(FLY_DYNAMICS, 1, 0.01);
  static const char channels[] = "drive.torque drive.power main.fx main.fy slider_pin.fx guide.fx guide.fy guide.tz";
  run.options.error = 1e-7;
  drive(&inverse, text, channels);
  assert_ok(inverse.status, &inverse.error);
  drive(&run, text, channels);
  assert_ok(run.status, &run.error);
  double worst = 0, size = 0;
  for (long k = 0; k < run.rows; k++)
    for (int c = 1; c <= 8; c++) {
      worst = fmax(worst, fabs(row_of(&run, k)[c] - row_of(&inverse, k)[c]));
      size = fmax(size, fabs(row_of(&run, k)[c]));
    }
  say("run and inverse differ by %.2e of %.3g\n", worst, size);
  assert_at_most(worst, 1e-5 * size); // what the run leaves
  assert_at_least(size, 1);
  driven_free(&inverse);
  driven_free(&run);
}

// A force that is not a number is named; a structure without any motion is held by its reactions.
static void forces_that_cannot_be_and_no_motion(void **state) {
  char text[3000];
  snprintf(text, sizeof text, "%sforces:\n  gas: {type: force, at: slider, force: ['sqrt(0.5 - time)', 0, 0]}\n",
           planar_crank);
  driven d = driven_default(FLY_INVERSE, 1, 0.01);
  drive(&d, text, "");
  assert_int_equal(d.status, FLY_NOT_FINITE);
  assert_says(&d.error, "`gas`");
  assert_close(d.error.time, 0.5, 1e-9);
  driven_free(&d);
  d = driven_default(FLY_INVERSE, 1, 1);
  drive(&d,
        "flyball: 1\ngravity: [0, -9.81, 0]\n"
        "bodies: {beam: {mass: 2, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
        "joints: {wall: {type: fixed, bodies: [ground, beam], at: [0, 0, 0]}}\n",
        "wall.fy wall.tz");
  assert_ok(d.status, &d.error);
  assert_close(row_of(&d, 1)[1], 2 * GRAVITY, 1e-14);
  assert_close(row_of(&d, 1)[2], 2 * GRAVITY, 1e-14);
  driven_free(&d);
}

// ------------------------------------------------------------------------------------------ a manipulator

// Two links, each with its mass centre in the middle, driven by cubics through tables; torques by the equations of
// Lagrange from the same cubics.
static void manipulator_by_tables(void **state) {
  const char text[] =
      "flyball: 1\ngravity: [0, -9.81, 0]\n"
      "tables:\n"
      "  a: {x: [0, 0.2, 0.5, 0.7, 1], y: [0.1, 0.3, 0.9, 1.0, 1.1]}\n"
      "  b: {x: [0, 0.3, 0.6, 1], y: [-0.5, -0.9, 0.2, 0.4]}\n"
      "bodies:\n"
      "  upper: {type: planar, mass: 2, inertia: 0.06, center: [0.3, 0], angle: 0.1, markers: {e: [0.6, 0]}}\n"
      "  lower: {type: planar, mass: 1.5, inertia: 0.04, center: [0.25, 0], angle: -0.4, position: [0.6*cos(0.1), "
      "0.6*sin(0.1)]}\n"
      "joints:\n"
      "  shoulder: {type: revolute, from: ground, to: upper}\n"
      "  elbow: {type: revolute, from: upper.e, to: lower}\n"
      "motions:\n"
      "  lift: {joint: shoulder, angle: 'cubic(time, a)'}\n"
      "  bend: {joint: elbow, angle: 'cubic(time, b)'}\n";
  driven d = driven_default(FLY_INVERSE, 1, 0.01);
  drive(&d, text, "lift.torque bend.torque");
  assert_ok(d.status, &d.error);
  const double xa[] = {0, 0.2, 0.5, 0.7, 1}, ya[] = {0.1, 0.3, 0.9, 1.0, 1.1};
  const double xb[] = {0, 0.3, 0.6, 1}, yb[] = {-0.5, -0.9, 0.2, 0.4};
  double sa[5], sb[4], work[5];
  fly_spline_cubic(sa, xa, ya, 5, work);
  fly_spline_cubic(sb, xb, yb, 4, work);
  const fly_spline a = {.n = 5, .x = xa, .y = ya, .slope = sa}, b = {.n = 4, .x = xb, .y = yb, .slope = sb};
  const double m1 = 2, m2 = 1.5, l = 0.6, c1 = 0.3, c2 = 0.25, I1 = 0.06, I2 = 0.04, g = GRAVITY;
  double error = 0, size = 0;
  for (long k = 0; k < d.rows; k++) {
    const double *r = row_of(&d, k);
    double at[2][4];
    fly_spline_evaluate(at[0], &a, r[0]);
    fly_spline_evaluate(at[1], &b, r[0]);
    const double p = at[0][0], dp = at[0][1], ddp = at[0][2], q = at[1][0], dq = at[1][1], ddq = at[1][2];
    const double both = I2 + m2 * c2 * c2, h = m2 * l * c2 * sin(q), cross = both + m2 * l * c2 * cos(q);
    const double lower = m2 * g * c2 * cos(p + q);
    const double bend = cross * ddp + both * ddq + h * dp * dp + lower;
    const double lift = (I1 + m1 * c1 * c1 + m2 * l * l + 2 * m2 * l * c2 * cos(q) + both) * ddp + cross * ddq -
                        h * (2 * dp * dq + dq * dq) + (m1 * c1 + m2 * l) * g * cos(p) + lower;
    error = fmax(error, fmax(fabs(r[1] - lift), fabs(r[2] - bend)));
    size = fmax(size, fabs(lift));
  }
  say("torques of two links: %.2e of %.3g\n", error, size);
  assert_at_most(error, 1e-12 * size);
  driven_free(&d);
}

// ------------------------------------------------------------------------------------------ motions of results

#define TWO_LINKS                                                                                                      \
  "flyball: 1\ngravity: [0, 0, -9.81]\n"                                                                               \
  "bodies:\n"                                                                                                          \
  "  upper: {mass: 2, inertia: [0.01, 0.06, 0.07], center: [0.3, 0, 0], markers: {e: [0.6, 0, 0]}}\n"                  \
  "  lower: {mass: 1.5, inertia: [0.02, 0.04, 0.03], center: [0.25, 0.1, 0], position: [0.6, 0, 0]}\n"                 \
  "joints:\n"                                                                                                          \
  "  shoulder: {type: revolute, bodies: [ground, upper], at: [0, 0, 0], axis: [0, 1, 0.2], angular_velocity: 1}\n"     \
  "  elbow: {type: revolute, bodies: [upper, lower], at: [0.6, 0, 0], axis: [0.3, 1, 0], angular_velocity: -2}\n"

// Runs text into the folder; the name of its results in out.
static void record(char *out, size_t size, const char *text, const char *channels, double error, double step) {
  static int number;
  simulation s = simulation_default(1, NAN);
  snprintf(out, size, "%s/recorded-%d", folder, ++number);
  s.options.out = out;
  s.options.hdf5 = true;
  s.options.channels = channels;
  s.options.error = error;
  s.options.output = step;
  simulate_text(&s, text);
  assert_ok(s.status, &s.error);
  simulation_free(&s);
}

static double largest(const driven *d, int first, int count) {
  double most = 0;
  for (long k = 0; k < d->rows; k++)
    for (int c = 0; c < count; c++)
      most = fmax(most, fabs(row_of(d, k)[first + c]));
  return most;
}

// A result with the positions only of another.
static void keep_positions(char *out, size_t size, const char *in) {
  static const char *const names[] = {"upper.x", "upper.y", "upper.z", "upper.e0", "upper.e1", "upper.e2", "upper.e3",
                                      "lower.x", "lower.y", "lower.z", "lower.e0", "lower.e1", "lower.e2", "lower.e3"};
  enum { N = sizeof names / sizeof *names };
  fly_channel channels[N];
  fly_result *r = NULL;
  fly_result_writer *w = NULL;
  double row[1 + N];
  int column[1 + N] = {0};
  assert_int_equal(fly_result_open(&r, in, NULL), FLY_OK);
  for (int k = 0; k < N; k++) {
    channels[k] = (fly_channel){names[k], "m", NULL};
    column[1 + k] = fly_result_find(r, names[k]);
  }
  snprintf(out, size, "%s-positions", in);
  const fly_result_options o = fly_result_options_default();
  assert_int_equal(fly_result_create(&w, out, channels, N, &o, NULL), FLY_OK);
  for (long k = 0; k < fly_result_info_of(r)->rows; k++) {
    assert_int_equal(fly_result_read(r, row, column, 1 + N, k, 1, NULL), FLY_OK);
    assert_int_equal(fly_result_append(w, row, 1, NULL), FLY_OK);
  }
  assert_int_equal(fly_result_finish(w, NULL), FLY_OK);
  fly_result_close(r);
}

// A motion that the model makes by itself needs nothing more, up to the error of the run; without accelerations in the
// data up to that of a polynomial of degree 6, without velocities likewise.
static void nothing_is_missing(void **state) {
  char all[200], bodies[200], positions[300];
  record(all, sizeof all, TWO_LINKS, "bodies accelerations", 1e-8, 0.005);
  record(bodies, sizeof bodies, TWO_LINKS, "bodies", 1e-8, 0.005);
  keep_positions(positions, sizeof positions, all);
  const char *const results[] = {all, bodies, positions};
  const double allowed[] = {1e-6, 1e-4,
                            1e-4}; // measured 7e-8, and 1e-5 at the ends: 64 times as much at twice the step
  for (int k = 0; k < 3; k++) {
    driven d = driven_default(FLY_INVERSE, NAN, NAN);
    d.options.follow = results[k];
    drive(&d, TWO_LINKS, "shoulder.missing_torque elbow.missing_torque shoulder.fz");
    assert_ok(d.status, &d.error);
    say("missing %.2e N m of %.3g N\n", largest(&d, 1, 2), largest(&d, 3, 1));
    assert_int_equal(d.rows, 201);
    assert_at_most(largest(&d, 1, 2), allowed[k]);
    assert_at_least(largest(&d, 3, 1), 10);
    driven_free(&d);
  }
}

// What is taken out of the model is found as missing: the motor of the elbow, with its sign.
static void a_motor_is_missing(void **state) {
  char result[200];
  record(result, sizeof result,
         TWO_LINKS "forces:\n  motor: {type: torsion-spring, joint: elbow, torque: '3*cos(5*time) - 0.2*rate'}\n"
                   "outputs:\n  push: {value: 3*cos(5*time) - 0.2*0, unit: N*m}\n",
         "bodies accelerations coordinates", 1e-7, 0.01);
  driven d = driven_default(FLY_INVERSE, 0.5, NAN);
  d.options.follow = result;
  d.options.channels = "missing coordinates";
  drive(&d, TWO_LINKS, "shoulder.missing_torque elbow.missing_torque elbow.w");
  assert_ok(d.status, &d.error);
  assert_int_equal(d.rows, 51); // to the end that was asked for
  double worst = 0;
  for (long k = 0; k < d.rows; k++) {
    const double *row = row_of(&d, k);
    worst = fmax(worst, fabs(row[2] - (3 * cos(5 * row[0]) - 0.2 * row[3])));
  }
  say("motor %.2e, shoulder %.2e\n", worst, largest(&d, 1, 1));
  assert_at_most(worst, 1e-5);
  assert_at_most(largest(&d, 1, 1), 1e-5);
  driven_free(&d);
}

// Where no joint gives the freedom, forces on the bodies are named: a thrown box and a bead on a plane.
static void forces_on_bodies_are_missing(void **state) {
  const char free_box[] =
      "flyball: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  box: {mass: 2, inertia: [0.1, 0.2, 0.25], velocity: [1, 0, 3], angular_velocity: [1, 2, 3]}\n"
      "  bead: {type: point, mass: 3, position: [2, 0, 0]}\n"
      "joints:\n  floor: {type: in-plane, bodies: [ground, bead], at: [2, 0, 0], axis: [0, 0, 1]}\n";
  char result[200], pushed[1000];
  snprintf(pushed, sizeof pushed,
           "%sforces:\n  wind: {type: force, at: box, force: ['4*time', 0, 1], torque: [0, 0, 0.3], axes: box}\n"
           "  push: {type: force, at: bead, force: [0, 'sin(3*time)', 0]}\n",
           free_box);
  record(result, sizeof result, pushed, "bodies accelerations", 1e-7, 0.02);
  driven d = driven_default(FLY_INVERSE, NAN, NAN);
  d.options.follow = result;
  drive(&d, free_box,
        "box.missing_tx box.missing_ty box.missing_tz bead.missing_fx bead.missing_fy floor.fz "
        "box.missing_fx box.missing_fy box.missing_fz");
  assert_ok(d.status, &d.error);
  for (long k = 0; k < d.rows; k++) {
    const double *row = row_of(&d, k), t = row[0];
    assert_close(row[1], 0, 1e-5);
    assert_close(row[2], 0, 1e-5);
    assert_close(row[3], 0.3, 1e-5);
    assert_close(row[4], 0, 1e-6);
    assert_close(row[5], sin(3 * t), 1e-6);
    assert_close(fabs(row[6]), 3 * GRAVITY, 1e-10);
    assert_close(row[7] * row[7] + row[8] * row[8] + row[9] * row[9], 16 * t * t + 1, 1e-4); // turned with the box
  }
  driven_free(&d);
}

static void assert_not_followed(const char *model, const char *result, fly_status status, const char *says) {
  driven d = driven_default(FLY_INVERSE, NAN, NAN);
  d.options.follow = result;
  drive(&d, model, "");
  say("%s\n", d.error.message);
  assert_int_equal(d.status, status);
  assert_says(&d.error, says);
  driven_free(&d);
}

static void results_that_cannot_be_followed(void **state) {
  char result[200], file[300];
  record(result, sizeof result, TWO_LINKS, "energies", 1e-4, 0.1);
  assert_not_followed(TWO_LINKS, result, FLY_BAD_INPUT, "`upper.x`");
  assert_not_followed(TWO_LINKS, "nowhere", FLY_BAD_INPUT, "nowhere");
  record(result, sizeof result, TWO_LINKS, "bodies", 1e-4, 0.1);
  const char longer[] = "flyball: 1\nbodies:\n"
                        "  upper: {mass: 2, inertia: [0.01, 0.06, 0.07]}\n"
                        "  lower: {mass: 1.5, inertia: [0.02, 0.04, 0.03], position: [3, 0, 0]}\n"
                        "joints:\n  link: {type: distance, from: upper, to: lower}\n";
  assert_not_followed(longer, result, FLY_INCONSISTENT, "the same model");
  const char puck[] = "flyball: 1\nbodies:\n  puck: {type: point, mass: 1}\n";
  static const char *const tables[] = {"0,0,0,0\n1,1,0,0\n1,2,0,0\n", "0,0,0,0\n1,nan,0,0\n2,2,0,0\n",
                                       "0,0,0,0\n1,1,0,0\n", ""};
  static const char *const says[] = {"not later", "puck.x", "at least 3", "no rows"};
  for (int k = 0; k < 4; k++) {
    char text[200];
    snprintf(file, sizeof file, "%s/bad-%d.csv", folder, k);
    snprintf(text, sizeof text, "time [s],puck.x [m],puck.y [m],puck.z [m]\n%s", tables[k]);
    write_text(file, text);
    assert_not_followed(puck, file, FLY_BAD_INPUT, says[k]);
  }
  driven d = driven_default(FLY_KINEMATICS, 1, NAN);
  d.options.follow = result;
  drive(&d, TWO_LINKS, "");
  assert_int_equal(d.status, FLY_BAD_INPUT);
  driven_free(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slider_crank_in_the_plane),
      cmocka_unit_test(slider_crank_in_space),
      cmocka_unit_test(there_and_back),
      cmocka_unit_test(run_and_inverse_agree),
      cmocka_unit_test(forces_that_cannot_be_and_no_motion),
      cmocka_unit_test(manipulator_by_tables),
      cmocka_unit_test(nothing_is_missing),
      cmocka_unit_test(a_motor_is_missing),
      cmocka_unit_test(forces_on_bodies_are_missing),
      cmocka_unit_test(results_that_cannot_be_followed),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
