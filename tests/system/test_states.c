// States, variables and inputs of models as the solver sees them: orders of convergence of x, y and reactions against
// an independent integration, loops of variables, numbers from outside.
#include "base/check.h"

#include <math.h>

#include "system/orders.h"

// ------------------------------------------------------------------------------------------ three small models

// An arm on a pin, turned by a motor with current i under a controller with integral e. (angle, w, e, i)
#define ARM                                                                                                            \
  "flyball: 1\ngravity: [0, -9.81, 0]\n"                                                                               \
  "bodies: {arm: {type: planar, mass: 2, inertia: 0.1, position: [0.5, 0]}}\n"                                         \
  "joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 0]}}\n"                                            \
  "states:\n  e: {rate: error, start: 0.1}\n  i: {rate: (u - 0.8*pin.w - 2*i)/0.2, unit: A}\n"                         \
  "variables:\n  error: 0.5 - pin.angle\n  u: 30*error + 20*e - 3*pin.w\n"                                             \
  "forces: {motor: {type: force, at: arm, torque: [0, 0, i]}}\n"

static double arm_acceleration(const double *y) { return (y[3] - 2 * 9.81 * 0.5 * cos(y[0])) / (0.1 + 2 * 0.25); }

static void arm(double *s, double t, const double *y) {
  const double error = 0.5 - y[0], u = 30 * error + 20 * y[2] - 3 * y[1];
  (void)t;
  s[0] = y[1];
  s[1] = arm_acceleration(y);
  s[2] = error;
  s[3] = (u - 0.8 * y[1] - 2 * y[3]) / 0.2;
}

// The force of the pin along x: m x'' with x = 0.5 cos(angle).
static double arm_reaction(const double *y) {
  return -2 * 0.5 * (sin(y[0]) * arm_acceleration(y) + cos(y[0]) * y[1] * y[1]);
}

// A mass on a guide whose force feels its own acceleration through a loop of two variables, and a filter of it. The
// weight is carried by the guide. (x, v, filter)
#define LOOP                                                                                                           \
  "flyball: 1\ngravity: [0, 0, -10]\nbodies: {m: {mass: 2, inertia: [1, 1, 1]}}\n"                                     \
  "joints: {guide: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: [1, 0, 0]}}\n"                      \
  "states: {slow: {rate: (accx(m) - slow)/0.3}}\n"                                                                     \
  "variables:\n  a: 5*sin(3*time) - 0.3*accx(m) - 4*dx(m) - 0.05*fz(guide, ground) + 0.5*b\n"                          \
  "  b: 0.4*a - 0.2*sin(b) + slow\n"                                                                                   \
  "forces: {push: {type: force, at: m, force: [a, 0, 2*slow]}}\n"

// b by Newton's iteration on b = 0.4 a - 0.2 sin(b) + slow, with a = m x'' and fz = 20 - 2 slow.
static double loop_acceleration(double t, const double *y) {
  double b = 0, a = 0;
  for (int k = 0; k < 50; k++) { // a (1 + 0.3/2) = 5 sin 3t - 4 x - 0.05 fz(guide) + 0.5 b
    a = (5 * sin(3 * t) - 4 * y[0] - 0.05 * (20 - 2 * y[2]) + 0.5 * b) / 1.15;
    b -= (b - 0.4 * a + 0.2 * sin(b) - y[2]) / (1 + 0.2 * cos(b) - 0.4 * 0.5 / 1.15);
  }
  return a / 2;
}

static void loop(double *s, double t, const double *y) {
  s[0] = y[1];
  s[1] = loop_acceleration(t, y);
  s[2] = (s[1] - y[2]) / 0.3;
}

// A piston between two chambers, each with its pressure, that are fed through a valve. (x, v, p1, p2)
#define PISTON                                                                                                         \
  "flyball: 1\nparameters: {V: 0.1, B: 4}\n"                                                                           \
  "bodies: {piston: {type: point, mass: 1}}\n"                                                                         \
  "joints: {line: {type: in-line, bodies: [ground, piston], at: [0, 0, 0], axis: [0, 0, 1]}}\n"                        \
  "inputs: {supply: 3}\n"                                                                                              \
  "states:\n  p1: {rate: B/(V + x)*(flow - v), start: 1, unit: bar}\n"                                                 \
  "  p2: {rate: B/(2*V - x)*(v - 0.4*p2), start: 1}\n"                                                                 \
  "variables: {x: dz(piston) + 0.3, v: vz(piston), flow: (supply - p1)/(1 + 0.3*(supply - p1)^2)}\n"                   \
  "forces: {push: {type: force, at: piston, force: [p2, 0, p1 - p2 - 0.5*v]}}\n"

static void piston(double *s, double t, const double *y) {
  const double V = 0.1, B = 4, x = y[0] + 0.3, drop = 3 - y[2], flow = drop / (1 + 0.3 * drop * drop);
  (void)t;
  s[0] = y[1];
  s[1] = y[2] - y[3] - 0.5 * y[1];
  s[2] = B / (V + x) * (flow - y[1]);
  s[3] = B / (2 * V - x) * (y[1] - 0.4 * y[3]);
}

// ------------------------------------------------------------------------------------------ orders

// Slope of the error over two halvings of the step; exact: at the end, `plain` numbers and then those of lower order.
static void check_orders(const char *name, const char *text, double h, double end, look *see, const double *exact,
                         int plain, int all) {
  for (int k = 0; k < FAMILIES; k++) {
    double error[3][MOST], step = h;
    for (int level = 0; level < 3; level++, step /= 2) {
      double out[MOST];
      run_fixed(text, &families[k], step, end, see, out);
      for (int i = 0; i < all; i++)
        error[level][i] = fabs(out[i] - exact[i]);
    }
    for (int i = 0; i < all; i++) {
      const double order = log2(error[0][i] / error[2][i]) / 2;
      const double wanted = i < plain ? families[k].order : families[k].order_y;
      say("%-7s %-10s %d: %.2e %.2e %.2e  order %.2f\n", name, families[k].name, i, error[0][i], error[1][i],
          error[2][i], order);
      if (error[2][i] > 1e-11 && !(order > wanted - 0.3))
        fail_msg("%s by %s: number %d has order %.2f, not %g", name, families[k].name, i, order, wanted);
    }
  }
}

static double reaction_of(machine *m, const fly_dae_state *at, int component) {
  double *wrench = calloc(6 * (size_t)m->model.npair, sizeof *wrench);
  assert_non_null(wrench);
  fly_system_reactions(&m->system, at, wrench);
  const double value = wrench[component];
  free(wrench);
  return value;
}

static void see_arm(machine *m, const fly_dae_state *at, double *out) {
  memcpy(out, (double[]){at->q[2], at->v[2], at->x[0], at->x[1], machine_output(m, at, "u"), reaction_of(m, at, 0)},
         6 * sizeof *out);
}

static void arm_keeps_the_orders(void **state) {
  double y[MOST] = {0, 0, 0.1, 0}, exact[MOST];
  reference(arm, 4, y, 1.0, exact);
  exact[4] = 30 * (0.5 - exact[0]) + 20 * exact[2] - 3 * exact[1];
  exact[5] = arm_reaction(exact);
  check_orders("arm", ARM, 0.02, 1.0, see_arm, exact, 5, 6);
}

static void see_loop(machine *m, const fly_dae_state *at, double *out) {
  memcpy(out,
         (double[]){at->q[0], at->v[0], at->x[0], machine_output(m, at, "a"), machine_output(m, at, "b"), at->vdot[0],
                    machine_output(m, at, "a") - 2 * at->vdot[0], at->xdot[0]},
         8 * sizeof *out);
}

static void loops_keep_the_orders(void **state) {
  double y[MOST] = {0}, exact[MOST], s[MOST];
  reference(loop, 3, y, 1.0, exact);
  loop(s, 1.0, exact);
  exact[3] = 2 * s[1];
  exact[4] = ((1.15 * 2 * s[1]) - 5 * sin(3.0) + 4 * exact[0] + 0.05 * (20 - 2 * exact[2])) / 0.5;
  exact[5] = s[1];
  exact[6] = 0;
  exact[7] = s[2];
  check_orders("loop", LOOP, 0.02, 1.0, see_loop, exact, 3, 8);
}

static void see_piston(machine *m, const fly_dae_state *at, double *out) {
  memcpy(out, (double[]){at->q[2], at->v[2], at->x[0], at->x[1], machine_output(m, at, "flow"), reaction_of(m, at, 0)},
         6 * sizeof *out);
}

static void chambers_keep_the_orders(void **state) {
  double y[MOST] = {-0.3, 0, 1, 1}, exact[MOST];
  y[0] = 0; // dz + 0.3
  reference(piston, 4, y, 0.2, exact);
  exact[4] = (3 - exact[2]) / (1 + 0.3 * (3 - exact[2]) * (3 - exact[2]));
  exact[5] = -exact[3];
  check_orders("piston", PISTON, 0.01, 0.2, see_piston, exact, 5, 6);
}

// ------------------------------------------------------------------------------------------ random models

// Carts on a rail, each with a spring to ground, pulled by forces of states; states with rates of positions,
// velocities, accelerations, each other and variables: the same numbers as a text and as functions. Accelerations come
// in with small weights and are solved for by iteration.
enum { CARTS = 2, STATES = 3, VARIABLES = 2 };

static struct {
  double k[CARTS], pull[CARTS][STATES], push[CARTS][VARIABLES];
  double x[STATES][STATES], q[STATES][CARTS], v[STATES][CARTS], a[STATES][CARTS], sine[STATES];
  double by_x[VARIABLES][STATES], by_a[VARIABLES][CARTS], by_y[VARIABLES][VARIABLES], bend[VARIABLES];
} family_now;

static void fill_random(double *x, size_t n, double size, uint64_t *seed) {
  for (size_t k = 0; k < n; k++)
    x[k] = size * round(1000 * random_double(seed)) / 1000; // as it can be written
}

static void draw(uint64_t *seed) {
  fill_random(&family_now.k[0], CARTS, 3, seed);
  fill_random(&family_now.pull[0][0], CARTS * STATES, 1, seed);
  fill_random(&family_now.push[0][0], CARTS * VARIABLES, 0.5, seed);
  fill_random(&family_now.x[0][0], STATES * STATES, 1, seed);
  fill_random(&family_now.q[0][0], STATES * CARTS, 1, seed);
  fill_random(&family_now.v[0][0], STATES * CARTS, 1, seed);
  fill_random(&family_now.a[0][0], STATES * CARTS, 0.3, seed);
  fill_random(&family_now.sine[0], STATES, 2, seed);
  fill_random(&family_now.by_x[0][0], VARIABLES * STATES, 1, seed);
  fill_random(&family_now.by_a[0][0], VARIABLES * CARTS, 0.2, seed);
  fill_random(&family_now.by_y[0][0], VARIABLES * VARIABLES, 0.3, seed);
  fill_random(&family_now.bend[0], VARIABLES, 0.3, seed);
  for (int k = 0; k < CARTS; k++)
    family_now.k[k] = 1 + fabs(family_now.k[k]);
}

// y = (q, v, x); accelerations and variables by iteration, which contracts.
static void any_family(double *s, double t, const double *y) {
  const double *q = y, *v = y + CARTS, *x = v + CARTS;
  double a[CARTS] = {0}, u[VARIABLES] = {0};
  for (int round = 0; round < 60; round++) {
    for (int i = 0; i < VARIABLES; i++) {
      double sum = family_now.bend[i] * sin(u[i]);
      for (int j = 0; j < STATES; j++)
        sum += family_now.by_x[i][j] * x[j];
      for (int j = 0; j < CARTS; j++)
        sum += family_now.by_a[i][j] * a[j];
      for (int j = 0; j < VARIABLES; j++)
        sum += family_now.by_y[i][j] * u[j];
      u[i] = sum;
    }
    for (int i = 0; i < CARTS; i++) {
      a[i] = -family_now.k[i] * q[i];
      for (int j = 0; j < STATES; j++)
        a[i] += family_now.pull[i][j] * x[j];
      for (int j = 0; j < VARIABLES; j++)
        a[i] += family_now.push[i][j] * u[j];
    }
  }
  for (int i = 0; i < CARTS; i++) {
    s[i] = v[i];
    s[CARTS + i] = a[i];
  }
  for (int i = 0; i < STATES; i++) {
    double sum = family_now.sine[i] * sin(3 * t) - x[i] * x[i] * x[i];
    for (int j = 0; j < STATES; j++)
      sum += family_now.x[i][j] * x[j];
    for (int j = 0; j < CARTS; j++)
      sum += family_now.q[i][j] * q[j] + family_now.v[i][j] * v[j] + family_now.a[i][j] * a[j];
    s[2 * CARTS + i] = sum;
  }
}

static size_t add_terms(char *text, size_t size, size_t used, const double *factor, int n, const char *form) {
  for (int j = 0; j < n; j++) {
    used += (size_t)snprintf(text + used, size - used, " + (%g)*", factor[j]);
    used += (size_t)snprintf(text + used, size - used, form, j);
  }
  return used;
}

static void write_family(char *text, size_t size) {
  size_t n = (size_t)snprintf(text, size, "flyball: 1\nbodies:\n");
  for (int i = 0; i < CARTS; i++)
    n += (size_t)snprintf(text + n, size - n, "  c%d: {type: point, mass: 1}\n", i);
  n += (size_t)snprintf(text + n, size - n, "joints:\n");
  for (int i = 0; i < CARTS; i++)
    n += (size_t)snprintf(text + n, size - n,
                          "  j%d: {type: in-line, bodies: [ground, c%d], at: [0, 0, 0], axis: [1, 0, 0]}\n", i, i);
  n += (size_t)snprintf(text + n, size - n, "states:\n");
  for (int i = 0; i < STATES; i++) {
    n += (size_t)snprintf(text + n, size - n, "  x%d: {rate: '(%g)*sin(3*time) - x%d^3", i, family_now.sine[i], i);
    n = add_terms(text, size, n, family_now.x[i], STATES, "x%d");
    n = add_terms(text, size, n, family_now.q[i], CARTS, "dx(c%d)");
    n = add_terms(text, size, n, family_now.v[i], CARTS, "vx(c%d)");
    n = add_terms(text, size, n, family_now.a[i], CARTS, "accx(c%d)");
    n += (size_t)snprintf(text + n, size - n, "'}\n");
  }
  n += (size_t)snprintf(text + n, size - n, "variables:\n");
  for (int i = 0; i < VARIABLES; i++) {
    n += (size_t)snprintf(text + n, size - n, "  u%d: '(%g)*sin(u%d)", i, family_now.bend[i], i);
    n = add_terms(text, size, n, family_now.by_x[i], STATES, "x%d");
    n = add_terms(text, size, n, family_now.by_a[i], CARTS, "accx(c%d)");
    n = add_terms(text, size, n, family_now.by_y[i], VARIABLES, "u%d");
    n += (size_t)snprintf(text + n, size - n, "'\n");
  }
  n += (size_t)snprintf(text + n, size - n, "forces:\n");
  for (int i = 0; i < CARTS; i++) {
    n += (size_t)snprintf(text + n, size - n, "  f%d: {type: force, at: c%d, force: ['-(%g)*dx(c%d)", i, i,
                          family_now.k[i], i);
    n = add_terms(text, size, n, family_now.pull[i], STATES, "x%d");
    n = add_terms(text, size, n, family_now.push[i], VARIABLES, "u%d");
    n += (size_t)snprintf(text + n, size - n, "', 0, 0]}\n");
  }
}

static void see_family(machine *m, const fly_dae_state *at, double *out) {
  (void)m;
  for (int i = 0; i < CARTS; i++) {
    out[i] = at->q[3 * i];
    out[CARTS + i] = at->v[3 * i];
  }
  memcpy(out + 2 * CARTS, at->x, STATES * sizeof *out);
}

static void random_models_agree_with_an_independent_integration(void **state) {
  static const family radau = {"radau", FLY_FAMILY_RADAU, 5, 3}, partition = {"partition", FLY_FAMILY_PARTITION, 4, 4};
  static char text[8000];
  uint64_t seed = 5;
  for (int trial = 0; trial < 6; trial++) {
    double y[MOST] = {0}, out[MOST];
    draw(&seed);
    write_family(text, sizeof text);
    rk4(any_family, 2 * CARTS + STATES, y, 2.0, 4000);
    for (int k = 0; k < 2; k++) {
      run_fixed(text, k ? &partition : &radau, 0.01, 2.0, see_family, out);
      for (int i = 0; i < 2 * CARTS + STATES; i++)
        assert_close(out[i], y[i], 2e-7);
    }
  }
}

// ------------------------------------------------------------------------------------------ other numbers on the way

#define DECAY                                                                                                          \
  "flyball: 1\nparameters: {k: 1, heavy: 2, twice: 2*k2, k2: 1, w: 3, way: 1}\n"                                       \
  "bodies: {b: {mass: heavy, inertia: [1, 1, 1]}}\n"                                                                   \
  "inputs: {u: 0}\nheld: {z: 1}\nstates: {x: {rate: -k*x, start: 1}, i: {rate: u*z}}\n"                                \
  "joints: {pin: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}}\n"                             \
  "motions: {drive: {joint: pin, angle: w*time}}\nvariables: {gated: 'if(way > 0, x, i)'}\n"

static double run_on(machine *m, double from, double to, const double *x) {
  fly_error error = {0};
  const fly_dae_state at = fly_solver_state(m->solver);
  double start[2];
  memcpy(start, x ? x : at.x, sizeof start);
  assert_ok(fly_solver_start(m->solver, from, to, from > 0 ? at.q : m->system.q0, from > 0 ? at.v : m->system.v0, start,
                             &error),
            &error);
  assert_ok(fly_solver_advance(m->solver, to, &error), &error);
  return fly_solver_state(m->solver).x[0];
}

static int parameter_of(const machine *m, const char *name) {
  for (int k = 0; k < m->spec.nparameter; k++)
    if (strcmp(m->spec.parameter_name[k], name) == 0)
      return k;
  return -1;
}

static void parameters_of_expressions_change_on_the_way(void **state) {
  machine *m = machine_text(DECAY);
  fly_error error = {0};
  fly_model tuned;
  double parameter[8];
  machine_start(m, 1e-9, 1.0);
  memcpy(parameter, m->spec.parameter_value, (size_t)m->spec.nparameter * sizeof *parameter);
  assert_close(run_on(m, 0, 1, m->system.x0), exp(-1), 1e-8);
  parameter[parameter_of(m, "k")] = 2;
  assert_ok(fly_model_tunable(&m->spec, parameter_of(m, "k"), &error), &error);
  assert_ok(fly_model_compile_tuned(&tuned, &m->spec, parameter, &error), &error);
  assert_ok(fly_system_use_model(&m->system, &tuned, &error), &error);
  assert_close(run_on(m, 1, 2, NULL), exp(-3), 1e-8);
  fly_model other;
  parameter[parameter_of(m, "way")] = -1; // another branch of an `if` of parameters
  assert_ok(fly_model_compile_tuned(&other, &m->spec, parameter, &error), &error);
  assert_int_equal(fly_system_use_model(&m->system, &other, &error), FLY_BAD_INPUT);
  assert_ptr_equal(m->system.model, &tuned);
  fly_model_free(&other);
  machine_free(m);
  fly_model_free(&tuned);
}

static void parameters_a_model_is_built_with_stay(void **state) {
  static const char *const fixed[][2] = {
      {"heavy", "`mass` (text:3:"}, {"k2", "`twice` (text:2:"}, {"w", "`angle` (text:"}};
  machine *m = machine_text(DECAY);
  for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++) {
    fly_error error = {0};
    assert_int_equal(fly_model_tunable(&m->spec, parameter_of(m, fixed[k][0]), &error), FLY_BAD_INPUT);
    if (!strstr(error.message, fixed[k][1]))
      fail_msg("\"%s\" does not say \"%s\"", error.message, fixed[k][1]);
  }
  machine_all_rows(m);
  machine_free(m);
}

// Sums of sums of measures: more than a force may use, so the variables have rows of their own. One of time alone has
// none, however large, and a motion may use it.
static void many_small_variables_get_rows(void **state) {
  enum { BODIES = 9 };
  static const char *const kinds[] = {"dx", "dy", "dz", "vx", "vy", "vz", "wx", "wy", "wz"};
  static char text[20000];
  size_t n = (size_t)snprintf(text, sizeof text, "flyball: 1\nbodies:\n");
  for (int k = 0; k < BODIES; k++)
    n += (size_t)snprintf(text + n, sizeof text - n, "  b%d: {mass: 1, inertia: [1, 1, 1], velocity: [%d, 0, 0]}\n", k,
                          k + 1);
  n += (size_t)snprintf(text + n, sizeof text - n, "variables:\n");
  for (int k = 0; k < BODIES; k++) {
    n += (size_t)snprintf(text + n, sizeof text - n, "  v%d: 0", k);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
      n += (size_t)snprintf(text + n, sizeof text - n, " + 1e-3*%s(b%d)", kinds[i], k);
    n += (size_t)snprintf(text + n, sizeof text - n, "\n");
  }
  n += (size_t)snprintf(text + n, sizeof text - n, "  long: 0");
  for (int k = 0; k < 300; k++)
    n += (size_t)snprintf(text + n, sizeof text - n, " + 1e-3*sin(%d*time)", k % 3 + 1);
  n += (size_t)snprintf(
      text + n, sizeof text - n,
      "\njoints: {pin: {type: revolute, bodies: [ground, b0], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
      "motions: {drive: {joint: pin, angle: long}}\n"
      "forces: {f: {type: force, at: b1, force: [v0 + v1 + v2 + v3 + v4 + v5 + v6 + v7 + v8, 0, 0]}}\n");
  machine *m = machine_text(text);
  assert_int_equal(m->model.ny, BODIES);
  machine_start(m, 1e-6, 0.1);
  const fly_dae_state at = machine_at(m, 0.1);
  double sum = 0;
  for (int k = 0; k < BODIES; k++) {
    char name[4] = {'v', (char)('0' + k), 0};
    sum += machine_output(m, &at, name);
  }
  assert_close(at.vdot[6], sum, 1e-6); // of b1, whose mass is 1
  machine_free(m);
}

// An input is a straight line from where it was set, and the same bits as that piece of a table.
static void inputs_are_straight_lines(void **state) {
  machine *m = machine_text(DECAY);
  machine_start(m, 1e-9, 1.0);
  fly_system_set_input(&m->system, 0, 0.0, 2.0, 0.5);
  fly_system_set_held(&m->system, 0, 3.0);
  run_on(m, 0, 1, m->system.x0);
  assert_close(fly_solver_state(m->solver).x[1], 3 * (2 + 0.25), 1e-9);
  const double x[2] = {0.1, 0.7}, y[2] = {1.3, 2.9}, slope = (y[1] - y[0]) / (x[1] - x[0]);
  const fly_spline line = {.n = 2, .x = x, .y = y};
  fly_system_set_input(&m->system, 0, x[0], y[0], slope);
  for (double t = 0.1; t < 0.7; t += 0.0137) {
    double of_table[4];
    fly_spline_evaluate(of_table, &line, t);
    assert_true(of_table[0] == fly_system_input(&m->system, 0, t));
  }
  machine_free(m);
}

static double operations_with(const char *torque) {
  char text[400];
  snprintf(text, sizeof text,
           "flyball: 1\nbodies: {arm: {type: planar, mass: 2, inertia: 0.1, position: [0.5, 0]}}\n"
           "joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 0]}}\n"
           "forces: {motor: {type: force, at: arm, torque: [0, 0, \"%s\"]}}\n",
           torque);
  machine *m = machine_text(text);
  machine_all_rows(m);
  const double count = m->system.dae.evaluation_operations;
  machine_free(m);
  return count;
}

// What an evaluation takes beyond its sizes, for method auto: a sine of a product has three operations more.
static void operations_of_forces_are_told(void **state) {
  assert_true(operations_with("pin.angle") > 0);
  assert_near(operations_with("sin(3*pin.angle)") - operations_with("pin.angle"), 3, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operations_of_forces_are_told),
      cmocka_unit_test(arm_keeps_the_orders),
      cmocka_unit_test(loops_keep_the_orders),
      cmocka_unit_test(chambers_keep_the_orders),
      cmocka_unit_test(random_models_agree_with_an_independent_integration),
      cmocka_unit_test(parameters_of_expressions_change_on_the_way),
      cmocka_unit_test(parameters_a_model_is_built_with_stay),
      cmocka_unit_test(inputs_are_straight_lines),
      cmocka_unit_test(many_small_variables_get_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
