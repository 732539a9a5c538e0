// Models with states in every analysis: equilibrium against closed forms, modes and state matrices against matrices
// built by hand, runs against closed forms and an independent integration, and what is refused.
//
// labels: blas
#define _XOPEN_SOURCE 700 // mkstemp, mkdtemp
#include "analysis/rest.h"

#include <math.h>

#include "flyball/modes.h"
#include "sparse/dense.h"

// ------------------------------------------------------------------------------------------ the model

// An arm on a pin, held at `target` by a motor of current i under a controller with integral e. way is a counter, which
// nothing uses.
#define SERVO                                                                                                          \
  "flyball: 1\ngravity: [0, -9.81, 0]\n"                                                                               \
  "bodies: {arm: {type: planar, mass: 2, inertia: 0.1, position: [0.5, 0]}}\n"                                         \
  "joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 0]}}\n"                                            \
  "inputs: {target: 0.5}\n"                                                                                            \
  "states:\n  e: {rate: error, unit: rad s}\n  i: {rate: (u - 0.1*pin.w - 2*i)/0.01, unit: A}\n"                       \
  "  way: {rate: abs(pin.w), start: 7}\n"                                                                              \
  "variables:\n  error: target - pin.angle\n  u: 100*error + 200*e - 10*pin.w\n  pull: accx(arm) + i\n"                \
  "forces: {motor: {type: force, at: arm, torque: [0, 0, i]}}\n"

static const double J = 0.1 + 2 * 0.25, HOLD = 2 * 9.81 * 0.5; // about the pin; m g l

// ------------------------------------------------------------------------------------------ equilibrium

typedef struct seen {
  double q[3], x[3];
} seen;

static void see(const fly_dae_state *at, void *user) {
  seen *s = user;
  memcpy(s->q, at->q, sizeof s->q);
  memcpy(s->x, at->x, sizeof s->x);
}

static seen rest_of(const char *text, const char *by) {
  seen s = {0};
  fly_mechanism *m = NULL;
  fly_run *run = NULL;
  fly_error error = {0};
  fly_run_options o = fly_run_options_default();
  o.end = 1;
  o.state = see;
  o.user = &s;
  assert_ok(fly_mechanism_parse(&m, "model", text, strlen(text), 0, NULL, &error), &error);
  assert_ok(fly_run_create(&run, m, &o, &error), &error);
  assert_ok(fly_run_rest(run, by, &error), &error);
  assert_int_equal(fly_run_equilibrium(run)->poise, FLY_POISE_NEUTRAL); // the counter
  assert_int_equal(fly_run_equilibrium(run)->unstable, 0);
  assert_ok(fly_run_show(run, &error), &error);
  fly_run_free(run);
  fly_mechanism_free(m);
  return s;
}

// The motor holds the weight: i = m g l cos(target), u = 2 i, e = u/200. A counter stays as it is, or counts the way.
static void a_servo_rests_on_its_integral(void **state) {
  static const char *const by[] = {"newton", "settling"};
  for (int k = 0; k < 2; k++) {
    const seen s = rest_of(SERVO, by[k]);
    assert_close(s.q[2], 0.5, 1e-11);
    assert_close(s.x[1], HOLD * cos(0.5), 1e-10);
    assert_close(s.x[0], HOLD * cos(0.5) / 100, 1e-11);
    if (k == 0)
      assert_close(s.x[2], 7, 0);
  }
}

static void a_run_that_starts_in_equilibrium_stays(void **state) {
  simulation s = simulation_default(2, NAN);
  fly_result *r = simulate_into_folder(&s, SERVO "simulate: {start: equilibrium, error: 1e-6}\n");
  double *i = read_channel(r, "i"), *rate = read_channel(r, "e.rate"), *u = read_channel(r, "u");
  const long rows = fly_result_info_of(r)->rows;
  for (long k = 0; k < rows; k++) {
    assert_close(i[k], HOLD * cos(0.5), 1e-6);
    assert_close(rate[k], 0, 1e-7);
    assert_close(u[k], 2 * HOLD * cos(0.5), 1e-6);
  }
  free(i);
  free(rate);
  free(u);
  fly_result_close(r);
  simulation_free(&s);
}

static void refused(const char *text, const char *by, const char *word) {
  rest r = find(text, by, 0, NULL);
  assert_true(r.status != FLY_OK);
  if (!strstr(r.error.message, word))
    fail_msg("\"%s\" does not say \"%s\"", r.error.message, word);
  done(&r);
}

static void what_cannot_rest_is_named(void **state) {
#define ROTOR                                                                                                          \
  "{flyball: 1, bodies: {r: {mass: 1, inertia: [1, 1, 1]}}, joints: {b: {type: revolute, bodies: [ground, r], at: "    \
  "[0, 0, 0], axis: [0, 0, 1]}}, forces: {f: {type: force, at: r, torque: [0, 0, 'x - b.angle']}}, states: {x: "
  refused(ROTOR "{rate: 3 - b.w, unit: V}}}", "newton", "the state `x` cannot rest");
  refused(ROTOR "{rate: 3 - b.w, unit: V}}}", NULL, "is 3 V/s wherever");
  refused(ROTOR "{rate: 1 + x^2}}}", "newton", "`x` cannot rest");
  refused(ROTOR "{rate: -x}}}", "energy", "has states");
}

static void an_unstable_loop_is_told(void **state) {
  rest r = find(ROTOR "{rate: x - 2*b.angle}}}", "newton", 0, NULL);
  assert_ok(r.status, &r.error);
  assert_int_equal(r.at->poise, FLY_POISE_UNSTABLE);
  assert_non_null(strstr(r.at->notes, "exp("));
  done(&r);
}

// ------------------------------------------------------------------------------------------ modes

// (angle, w, e, i, way) at rest: J w' = m g l sin(0.5) angle + i
static void servo_matrix(double A[25]) {
  const double by_hand[5][5] = {{0, 1, 0, 0, 0},
                                {HOLD * sin(0.5) / J, 0, 0, 1 / J, 0},
                                {-1, 0, 0, 0, 0},
                                {-1e4, -1010, 2e4, -200, 0},
                                {0, 0, 0, 0, 0}}; // abs has no slope where it is 0 but from the right
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++)
      A[5 * j + i] = by_hand[i][j];
}

static fly_modes *servo_modes(fly_mechanism **m, const fly_modes_options *o) {
  fly_modes *modes = NULL;
  fly_error error = {0};
  assert_ok(fly_mechanism_parse(m, "text", SERVO, strlen(SERVO), 0, NULL, &error), &error);
  assert_ok(fly_modes_create(&modes, *m, o, &error), &error);
  return modes;
}

static void check_roots(const fly_modes_options *o, double allowed) {
  double A[25], re[5], im[5], Z[25];
  fly_mechanism *m = NULL;
  fly_modes *modes = servo_modes(&m, o);
  servo_matrix(A);
  assert_int_equal(fly_dense_eigen(re, im, Z, A, 5, NULL), FLY_OK);
  int found = 0;
  for (int k = 0; k < 5; k++)
    for (int j = 0; j < fly_modes_count(modes) && im[k] >= 0; j++) {
      const fly_mode *mode = fly_modes_get(modes, j);
      found += hypot(mode->real - re[k], mode->imag - im[k]) <= allowed * (1 + hypot(re[k], im[k]));
    }
  assert_int_equal(found, fly_modes_count(modes));
  assert_int_equal(found, 4); // one is a pair
  assert_int_equal(fly_modes_info_of(modes).unstable, 0);
  fly_modes_free(modes);
  fly_mechanism_free(m);
}

static void roots_are_those_of_the_matrix_by_hand(void **state) {
  fly_modes_options o = fly_modes_options_default();
  o.equilibrium = true;
  check_roots(&o, 1e-9);
}

// After a run that has brought it to rest, its states too.
static void roots_are_the_same_after_a_run(void **state) {
  fly_modes_options o = fly_modes_options_default();
  o.time = 20;
  o.anyway = true;
  check_roots(&o, 1e-5);
}

// The state of the mechanism is a displacement of the arm; with T = d(state)/d(angle) all follows from the matrix
// above.
static void state_matrices_are_those_by_hand(void **state) {
  static const char *const input[] = {"target"}, *const output[] = {"error", "u", "pull"};
  double A[25];
  fly_mechanism *m = NULL;
  fly_modes_options o = fly_modes_options_default();
  o.equilibrium = o.matrices = true;
  o.ninput = 1;
  o.input = input;
  o.noutput = 3;
  o.output = output;
  fly_modes *modes = servo_modes(&m, &o);
  const fly_state_space *s = fly_modes_state_space(modes);
  servo_matrix(A);
  assert_int_equal(s->nstate, 5);
  assert_string_equal(s->state[2], "e");
  assert_string_equal(s->state[4], "way");
  const double T = strcmp(s->state[0], "arm.x") == 0   ? -0.5 * sin(0.5)
                   : strcmp(s->state[0], "arm.y") == 0 ? 0.5 * cos(0.5)
                                                       : 1.0;
  const double scale[5] = {T, T, 1, 1, 1};
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 4; j++) // what way does is a matter of a kink
      assert_close(s->A[5 * j + i], i == 4 && j == 1 ? s->A[5 * j + i] : A[5 * j + i] * scale[i] / scale[j],
                   1e-8 * (1 + fabs(A[5 * j + i])));
  const double B[5] = {0, 0, 1, 1e4, 0}, C[3][5] = {{-1 / T, 0, 0, 0, 0},
                                                    {-100 / T, -10 / T, 200, 0, 0},
                                                    {-0.5 * sin(0.5) * A[1] / T, 0, 0, 1 - 0.5 * sin(0.5) / J, 0}};
  for (int i = 0; i < 5; i++)
    assert_close(s->B[i], B[i], 1e-8 * (1 + fabs(B[i])));
  for (int k = 0; k < 3; k++) {
    for (int j = 0; j < 5; j++)
      assert_close(s->C[3 * j + k], C[k][j], 1e-8 * (1 + fabs(C[k][j])));
    assert_close(s->D[k], ((double[]){1, 100, 0})[k], 1e-9);
  }
  fly_modes_free(modes);
  fly_mechanism_free(m);
}

// The force is the first and only expression: x'' = 3 u / 2.
static void an_input_moves_a_body_by_a_force(void **state) {
  static const char *const input[] = {"u"};
  static const char text[] = "flyball: 1\nbodies: {b: {type: point, mass: 2}}\ninputs: {u: {value: 0}}\n"
                             "forces: {push: {type: force, at: b, force: [3*u, 0, 0]}}\n";
  fly_mechanism *m = NULL;
  fly_modes *modes = NULL;
  fly_error error = {0};
  double sum = 0;
  fly_modes_options o = fly_modes_options_default();
  o.matrices = true;
  o.ninput = 1;
  o.input = input;
  assert_ok(fly_mechanism_parse(&m, "test", text, strlen(text), 0, NULL, &error), &error);
  assert_ok(fly_modes_create(&modes, m, &o, &error), &error);
  const fly_state_space *s = fly_modes_state_space(modes);
  for (int i = 0; i < s->nstate; i++)
    sum += fabs(s->B[i]);
  assert_close(sum, 1.5, 1e-12);
  fly_modes_free(modes);
  fly_mechanism_free(m);
}

// ------------------------------------------------------------------------------------------ runs

// A motor with inductance under a PI controller: J w' = k i, L i' = u - k w - R i, e' = target - w, u = kp e' + ki e.
// Its solution is exp(A t), by squaring a Taylor series.
static void multiply(double out[16], const double a[16], const double b[16]) {
  double c[16] = {0};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 4; k++)
        c[4 * i + j] += a[4 * i + k] * b[4 * k + j];
  memcpy(out, c, sizeof c);
}

static void exponential(double out[16], const double A[16], double t) {
  double term[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, At[16];
  for (int i = 0; i < 16; i++)
    At[i] = A[i] * t / 65536;
  memcpy(out, term, sizeof term);
  for (int k = 1; k < 12; k++) {
    multiply(term, term, At);
    for (int i = 0; i < 16; i++) {
      term[i] /= k;
      out[i] += term[i];
    }
  }
  for (int k = 0; k < 16; k++)
    multiply(out, out, out);
}

static void a_motor_follows_its_closed_form(void **state) {
  const double k = 0.05, R = 0.5, L = 0.02, I = 1e-3, kp = 0.2, ki = 1, target = 50;
  // (w, i, e, 1)
  const double A[16] = {0, k / I, 0, 0, -(k + kp) / L, -R / L, ki / L, kp * target / L, -1, 0, 0, target, 0, 0, 0, 0};
  simulation s = simulation_default(1, NAN);
  fly_result *r = simulate_into_folder(
      &s, "flyball: 1\nparameters: {k: 0.05, R: 0.5, L: 0.02, I: 1e-3, kp: 0.2, ki: 1, target: 50}\n"
          "bodies: {rotor: {mass: 1, inertia: [I, I, I]}}\n"
          "joints: {shaft: {type: revolute, bodies: [ground, rotor], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
          "states: {i: {rate: (u - k*shaft.w - R*i)/L, unit: A}, e: {rate: error, unit: rad}}\n"
          "variables: {error: target - wz(rotor), u: kp*error + ki*e}\n"
          "forces: {torque: {type: force, at: rotor, torque: [0, 0, k*i]}}\n"
          "simulate: {error: 1e-7, method: radau, output: 0.05}\n");
  double *t = read_channel(r, "time"), *w = read_channel(r, "rotor.wz"), *i = read_channel(r, "i");
  double *e = read_channel(r, "e"), *u = read_channel(r, "u"), *rate = read_channel(r, "e.rate");
  for (long n = 0; n < fly_result_info_of(r)->rows; n++) {
    double E[16];
    exponential(E, A, t[n]);
    assert_close(w[n], E[3], 1e-5);
    assert_close(i[n], E[7], 1e-5);
    assert_close(e[n], E[11], 1e-6);
    assert_close(rate[n], target - E[3], 1e-5);
    assert_close(u[n], kp * (target - E[3]) + ki * E[11], 1e-5);
  }
  double *const list[] = {t, w, i, e, u, rate};
  for (size_t n = 0; n < sizeof list / sizeof *list; n++)
    free(list[n]);
  fly_result_close(r);
  simulation_free(&s);
}

// A body that flies freely makes steps of a tenth of the run; on its way a state grows by a narrow bell, whose integral
// is 1000 0.01 sqrt(pi)/v.
static void a_rate_that_lies_in_wait_is_met(void **state) {
  simulation s = simulation_default(10, NAN);
  fly_result *r = simulate_into_folder(
      &s, "flyball: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 0]}}\n"
          "states: {x: {rate: 'bell + 0*x', scale: 10}}\nvariables: {bell: '1000*exp(-((dx(b) - 5.3)/0.01)^2)'}\n"
          "simulate: {error: 1e-4}\n");
  double *x = read_channel(r, "x");
  assert_close(x[fly_result_info_of(r)->rows - 1], 10 * sqrt(3.14159265358979), 1e-2);
  free(x);
  fly_result_close(r);
  simulation_free(&s);
}

// ------------------------------------------------------------------------------------------ bad input

static void bad(const char *more, const char *word) {
  char text[2000];
  fly_mechanism *m = NULL;
  fly_error error = {0};
  snprintf(text, sizeof text, "flyball: 1\nparameters: {speed: 3}\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n%s",
           more);
  assert_int_equal(fly_mechanism_parse(&m, "text", text, strlen(text), 0, NULL, &error), FLY_BAD_INPUT);
  if (!strstr(error.message, word))
    fail_msg("\"%s\" does not say \"%s\"", error.message, word);
  fly_mechanism_free(m);
}

static void what_is_wrong_is_said(void **state) {
  bad("states: {x: {rate: 1 - current}}\ninputs: {currant: 1}\n", "Did you mean currant?");
  bad("states: {x: {rate: -x}}\nvariables: {x: 1}\n", ":13); rename one of them.");
  bad("states: {speed: {rate: 1}}\n", "that of a parameter");
  bad("variables: {m: 1}\n", "that of a unit");
  bad("inputs: {sin: 1}\n", "that of a function");
  bad("held: {wz: 1}\n", "that of a function");
  bad("states: {x: {start: 1}}\n", "needs 'rate'");
  bad("states: {x: -x}\n", "takes a mapping");
  bad("states: {x: {rate: -x, scale: 0}}\n", "positive");
  bad("states: {x: {rate: x(b)}}\n", "'x' is a number, not a function");
  bad("states: {x: {rate: pin.angle}}\n", "unknown word");
  bad("joints: {pin: {type: spherical, bodies: [ground, b], at: [0, 0, 0]}}\nstates: {x: {rate: pin.angle}}\n",
      "has no 'angle'");
  bad("variables: {a: 1/z, z: 0}\n", "division by zero");
}

// Two motions of kinematics are given; a state is not.
static void a_given_motion_knows_no_states(void **state) {
  simulation s = simulation_default(1, NAN);
  s.options.analysis = FLY_KINEMATICS;
  simulate_text(&s, SERVO "motions: {drive: {joint: pin, angle: time}}\n");
  assert_int_equal(s.status, FLY_BAD_INPUT);
  assert_non_null(strstr(s.error.message, "The state `e`"));
  simulation_free(&s);
}

// Kinematics has no equations of motion, in which loops are solved; inverse dynamics has.
static void loops_are_left_out_of_kinematics(void **state) {
  static const char text[] = "flyball: 1\nbodies: {arm: {type: planar, mass: 2, inertia: 0.1, position: [0.5, 0]}}\n"
                             "joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 0]}}\n"
                             "motions: {drive: {joint: pin, angle: sin(time)}}\n"
                             "variables: {a: 0.5*b + dx(arm), b: 0.3*a + accx(arm), c: 2*a, d: 3*dx(arm)}\n";
  for (int k = 0; k < 2; k++) {
    simulation s = simulation_default(1, NAN);
    s.options.analysis = k ? FLY_INVERSE : FLY_KINEMATICS;
    fly_result *r = simulate_into_folder(&s, text);
    assert_true(fly_result_find(r, "d") >= 0);
    assert_int_equal(fly_result_find(r, "a") >= 0, k);
    assert_int_equal(fly_result_find(r, "c") >= 0, k);
    assert_int_equal(strstr(fly_run_left_out(s.run), "`c` is left out") != NULL, !k);
    if (k) {
      double *a = read_channel(r, "a"), *x = read_channel(r, "arm.x"), *b = read_channel(r, "b");
      const long last = fly_result_info_of(r)->rows - 1;
      assert_close(a[last], 0.5 * b[last] + x[last], 1e-12);
      assert_at_least(fabs(b[last]), 0.1);
      free(a);
      free(x);
      free(b);
    }
    fly_result_close(r);
    simulation_free(&s);
  }
}

// a = 2 a - b, b = a: the loop holds for any a.
static void a_singular_loop_is_named(void **state) {
  simulation s = simulation_default(1, NAN);
  simulate_text(&s, "flyball: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                    "variables: {first: 2*first - second, second: first, other: 3}\n");
  assert_int_equal(s.status, FLY_SINGULAR);
  assert_non_null(strstr(s.error.message, "`first`"));
  assert_non_null(strstr(s.error.message, "`second`"));
  assert_null(strstr(s.error.message, "`other`"));
  simulation_free(&s);
}

static void run_fails(const char *text, fly_status status, const char *word) {
  simulation s = simulation_default(2, NAN);
  simulate_text(&s, text);
  assert_int_equal(s.status, status);
  if (!strstr(s.error.message, word))
    fail_msg("\"%s\" does not say \"%s\"", s.error.message, word);
  simulation_free(&s);
}

#define LOOSE "flyball: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"

static void failures_name_the_state_or_the_variable(void **state) {
  run_fails(LOOSE "variables: {a: a^2 + 1}\n", FLY_INCONSISTENT, "`a`");
  run_fails(LOOSE "variables: {a: 'sqrt(-1 - a^2)'}\n", FLY_NOT_FINITE, "`a`");
  run_fails(LOOSE "states: {x: {rate: log(x)}}\n", FLY_NOT_FINITE, "The rate `x`");
  run_fails(LOOSE
            "states: {x: {rate: x^2, start: 1}}\nsimulate: {calibrate: no, estimate_error: no, error: 1e-3, method: "
            "ch}\n",
            FLY_STEP_TOO_SMALL, "the state `x` changes fastest");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_servo_rests_on_its_integral),
      cmocka_unit_test(a_run_that_starts_in_equilibrium_stays),
      cmocka_unit_test(what_cannot_rest_is_named),
      cmocka_unit_test(an_unstable_loop_is_told),
      cmocka_unit_test(roots_are_those_of_the_matrix_by_hand),
      cmocka_unit_test(roots_are_the_same_after_a_run),
      cmocka_unit_test(state_matrices_are_those_by_hand),
      cmocka_unit_test(an_input_moves_a_body_by_a_force),
      cmocka_unit_test(a_motor_follows_its_closed_form),
      cmocka_unit_test(a_rate_that_lies_in_wait_is_met),
      cmocka_unit_test(what_is_wrong_is_said),
      cmocka_unit_test(a_given_motion_knows_no_states),
      cmocka_unit_test(loops_are_left_out_of_kinematics),
      cmocka_unit_test(a_singular_loop_is_named),
      cmocka_unit_test(failures_name_the_state_or_the_variable),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
