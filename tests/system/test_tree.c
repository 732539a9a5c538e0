// Mechanisms without loops: what follows joint after joint satisfies the equations that everything else solves.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>

#include "system/checks.h"

enum { BODIES = 9, TREES = 300 };

static const char *const JOINTS[] = {"fixed",  "revolute", "spherical", "cylindrical", "translational",
                                     "planar", "in-line",  "in-plane",  "orientation", "parallel"};

static int any(int n, uint64_t *seed) { return (int)floor(0.5 * (1 + random_double(seed)) * n) % n; }

static void add_vector(FILE *f, const char *name, double size, uint64_t *seed) {
  fprintf(f, ", %s: [%.6f, %.6f, %.6f]", name, size * random_double(seed), size * random_double(seed),
          size * random_double(seed));
}

static void add_body(FILE *f, int k, bool dot, const double at[3], uint64_t *seed) {
  const double a = 1 + 0.4 * random_double(seed), b = 1 + 0.4 * random_double(seed), mass = 2 + random_double(seed);
  fprintf(f, "  b%d: {position: [%.6f, %.6f, %.6f], mass: %.6f", k, at[0], at[1], at[2], mass);
  if (dot) {
    fprintf(f, ", type: point}\n");
    return;
  }
  fprintf(f, ", inertia: [%.6f, %.6f, 1.1, 0.05, -0.1, 0.08], markers: {m: [0.3, %.6f, -0.2]}}\n", a, b, a);
}

// A joint of body k on another (-1: ground), which both may bear.
static void add_joint(FILE *f, int k, int on, const bool *dots, const double (*at)[3], uint64_t *seed) {
  char name[2][20];
  const int of[2] = {k, on};
  for (int i = 0; i < 2; i++)
    snprintf(name[i], sizeof name[i], of[i] < 0 ? "ground" : dots[of[i]] ? "b%d" : "b%d.m", of[i]);
  const int first = any(2, seed);
  if (dots[k] || (on >= 0 && dots[on]) || any(4, seed) == 0) {
    const int place = dots[k] ? k : on;
    if (any(3, seed) == 0 && !(dots[k] && on >= 0 && dots[on]) && place >= 0 && dots[place]) {
      name[0][strcspn(name[0], ".")] = name[1][strcspn(name[1], ".")] = 0;
      fprintf(f, "  j%d: {type: spherical, bodies: [%s, %s], at: [%.6f, %.6f, %.6f]}\n", k, name[first], name[!first],
              at[place][0], at[place][1], at[place][2]);
      return;
    }
    fprintf(f, "  j%d: {type: distance, from: %s, to: %s}\n", k, name[first], name[!first]);
    return;
  }
  const int type = any(sizeof JOINTS / sizeof *JOINTS, seed);
  const bool aimed = strcmp(JOINTS[type], "in-line") == 0 || strcmp(JOINTS[type], "in-plane") == 0;
  name[0][strcspn(name[0], ".")] = name[1][strcspn(name[1], ".")] = 0;
  const int swap = first && !aimed; // seen from a body that turns freely there is no such tree
  fprintf(f, "  j%d: {type: %s, bodies: [%s, %s]", k, JOINTS[type], name[!swap], name[swap]);
  if (strcmp(JOINTS[type], "orientation") != 0)
    add_vector(f, "at", 2, seed);
  if (strcmp(JOINTS[type], "spherical") != 0 && strcmp(JOINTS[type], "fixed") != 0 &&
      strcmp(JOINTS[type], "orientation") != 0)
    add_vector(f, "axis", 1, seed);
  fprintf(f, "}\n");
}

// Each body on one before it, on the ground, or on nothing, by any joint, from either side; some are points.
static machine *random_tree(uint64_t *seed) {
  char *text = NULL;
  size_t size;
  bool dots[BODIES];
  double at[BODIES][3];
  FILE *f = open_memstream(&text, &size);
  assert_non_null(f);
  fprintf(f, "flyball: 1\nbodies:\n");
  for (int k = 0; k < BODIES; k++) {
    dots[k] = any(4, seed) == 0;
    fill(at[k], 3, 2.0, seed);
    add_body(f, k, dots[k], at[k], seed);
  }
  fprintf(f, "joints:\n");
  for (int k = 0; k < BODIES; k++) {
    const int on = any(k + 2, seed) - 2;
    if (on > -2)
      add_joint(f, k, on, dots, (const double(*)[3])at, seed);
  }
  fclose(f);
  machine *m = machine_text(text);
  free(text);
  machine_all_rows(m);
  return m;
}

// The same in a plane, with some bodies of space on those in it.
static machine *random_flat_tree(uint64_t *seed) {
  static const char *const types[] = {"revolute", "fixed", "translational", "in-plane", "distance"};
  enum { REVOLUTE, FIXED, TRANSLATIONAL, IN_PLANE, DISTANCE, TYPES };
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  assert_non_null(f);
  fprintf(f, "flyball: 1\nbodies:\n");
  for (int k = 0; k < BODIES; k++)
    fprintf(f, "  b%d: {type: %s, mass: %.6f, inertia: %s, position: [%.6f, %.6f%s], markers: {m: [0.3, %.6f%s]}}\n", k,
            k < BODIES - 2 ? "planar" : "rigid", 2 + random_double(seed), k < BODIES - 2 ? "0.7" : "[0.5, 0.6, 0.8]",
            2 * random_double(seed), 2 * random_double(seed), k < BODIES - 2 ? "" : ", 0.3", random_double(seed),
            k < BODIES - 2 ? "" : ", 0.1");
  fprintf(f, "joints:\n");
  for (int k = 0; k < BODIES; k++) {
    const int on = any((k < BODIES - 2 ? k : BODIES - 2) + 1, seed) - 1, type = any(TYPES, seed);
    const bool first = any(2, seed) > 0 && type != IN_PLANE; // a slot is that of the body that is hung on
    char name[2][20] = {"ground", "ground"};
    for (int i = 0; i < 2; i++)
      if ((i == 0 ? on : k) >= 0)
        snprintf(name[i], sizeof name[i], type == DISTANCE ? "b%d.m" : "b%d", i == 0 ? on : k);
    fprintf(f, type == DISTANCE ? "  j%d: {type: %s, from: %s, to: %s" : "  j%d: {type: %s, bodies: [%s, %s]", k,
            types[type], name[first], name[!first]);
    if (type != DISTANCE)
      fprintf(f, ", at: [%.6f, %.6f, %s]", random_double(seed), random_double(seed), k < BODIES - 2 ? "0" : "0.2");
    if (type == REVOLUTE)
      fprintf(f, ", axis: [0, 0, 1]");
    else if (type == TRANSLATIONAL || type == IN_PLANE)
      fprintf(f, ", axis: [%.6f, %.6f, 0]", random_double(seed), random_double(seed));
    fprintf(f, "}\n");
  }
  fclose(f);
  machine *m = machine_text(text);
  free(text);
  machine_all_rows(m);
  return m;
}

// G v of the system's rows at q.
static void velocity_rows(fly_system *s, double *rows, const double *q, const double *v) {
  memset(rows, 0, (size_t)s->nactive * sizeof *rows);
  if (s->nactive == 0)
    return;
  fly_csc_zero(&s->G);
  assert_int_equal(s->dae.constraint_jacobian(s->G.val, 0, q, s), 0);
  fly_csc_multiply_add(rows, &s->G, 1.0, v);
}

static double most(const double *x, int n) {
  double size = 0;
  for (int k = 0; k < n; k++)
    size = fmax(size, fabs(x[k]));
  return size;
}

static void puts_back(fly_system *s, double *q, double *v) {
  double rows[6 * BODIES + 1];
  assert_int_equal(s->dae.tree->put_back(q, v, s), 0);
  s->q_known = s->v_known = false; // what it found is not to be trusted here
  assert_int_equal(s->dae.constraint(rows, 0, q, s), 0);
  assert_true(most(rows, s->nactive) < 1e-13);
  velocity_rows(s, rows, q, v);
  assert_true(most(rows, s->nactive) < 1e-13);
}

// A second time nothing moves, and what nothing holds does not at all.
static void stays(fly_system *s, const double *q, const double *v) {
  double again[7 * BODIES], rate[6 * BODIES];
  memcpy(again, q, (size_t)s->dae.nq * sizeof *q);
  memcpy(rate, v, (size_t)s->dae.nv * sizeof *v);
  assert_int_equal(s->dae.tree->put_back(again, rate, s), 0);
  for (int k = 0; k < s->dae.nq; k++)
    assert_true(fabs(again[k] - q[k]) < 1e-13);
  for (int k = 0; k < s->dae.nv; k++)
    assert_true(fabs(rate[k] - v[k]) < 1e-13);
}

static void satisfies_the_equations(fly_system *s, const double *q, const double *v, uint64_t *seed) {
  const int nv = s->dae.nv, nl = s->nactive;
  double f[6 * BODIES], a[6 * BODIES], alone[6 * BODIES], lambda[6 * BODIES + 1], r[6 * BODIES], rows[6 * BODIES + 1];
  double lost = NAN;
  fill(f, nv, 10.0, seed);
  assert_int_equal(s->dae.tree->accelerate(a, lambda, &lost, q, v, f, s), 0);
  assert_int_equal(s->dae.tree->accelerate(alone, NULL, NULL, q, v, f, s), 0);
  assert_memory_equal(a, alone, (size_t)nv * sizeof *a);
  assert_true(isfinite(lost) && lost >= 0);
  velocity_rows(s, rows, q, a);
  const double size = 1 + most(a, nv) + most(lambda, nl);
  double gamma[6 * BODIES + 1] = {0};
  assert_int_equal(s->dae.constraint_gamma(gamma, 0, q, v, s), 0);
  for (int k = 0; k < nl; k++)
    assert_true(fabs(rows[k] + gamma[k]) < 1e-12 * size);
  for (int k = 0; k < nv; k++)
    r[k] = -f[k];
  fly_csc_multiply_add(r, &s->M, 1.0, a);
  if (nl > 0)
    fly_csc_multiply_transposed_add(r, &s->G, 1.0, lambda);
  for (int k = 0; k < nv; k++)
    assert_true(fabs(r[k]) < 1e-12 * size);
}

static void tree_satisfies_its_equations(machine *m, uint64_t *seed) {
  random_state at = state_of(&m->system, seed);
  assert_non_null(m->system.dae.tree);
  puts_back(&m->system, at.q, at.v);
  stays(&m->system, at.q, at.v);
  satisfies_the_equations(&m->system, at.q, at.v, seed);
  state_free(&at);
  machine_free(m);
}

static void trees_satisfy_their_equations(void **state) {
  uint64_t seed = 20261117;
  for (int k = 0; k < TREES; k++) {
    tree_satisfies_its_equations(random_tree(&seed), &seed);
    tree_satisfies_its_equations(random_flat_tree(&seed), &seed);
  }
}

// Axes that point against each other are parallel as well: what starts so stays so.
static void axes_may_point_against_each_other(void **state) {
  static const char *const types[] = {"revolute", "fixed", "translational", "cylindrical"};
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    for (int flip = 0; flip < 3; flip++) {
      static const char *const axes[] = {"x: [1, 0, 0], z: [0, 0, -1]", "x: [-1, 0, 0], z: [0, 0, -1]",
                                         "x: [-1, 0, 0], z: [0, 0, 1]"};
      char text[1000];
      snprintf(text, sizeof text,
               "flyball: 1\nbodies:\n  ground: {markers: {m: [1, 0, 0]}}\n"
               "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], markers: {m: {at: [0, 0, 0], orientation: "
               "{%s}}}}\njoints:\n  j: {type: %s, from: ground.m, to: b.m}\n",
               axes[flip], types[k]);
      machine *m = machine_text(text);
      machine_all_rows(m);
      double q[7], v[6] = {0};
      memcpy(q, m->system.q0, sizeof q);
      puts_back(&m->system, q, v);
      for (int i = 0; i < 7; i++)
        assert_true(fabs(q[i] - m->system.q0[i]) < 1e-14);
      machine_free(m);
    }
}

static bool is_tree(const char *text) {
  machine *m = machine_text(text);
  machine_all_rows(m);
  const bool tree = m->system.dae.tree != NULL;
  machine_free(m);
  return tree;
}

#define TWO_BARS                                                                                                       \
  "flyball: 1\nbodies:\n"                                                                                              \
  "  a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"                                                          \
  "  b: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}\n"                                                          \
  "joints:\n"                                                                                                          \
  "  i: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"                                       \
  "  j: {type: revolute, bodies: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"

static void loops_are_no_trees(void **state) {
  assert_true(is_tree(TWO_BARS));
  assert_false(is_tree(TWO_BARS "  k: {type: spherical, bodies: [b, ground], at: [2, 0, 0]}\n"));
  assert_false(is_tree(TWO_BARS "  k: {type: parallel, bodies: [a, b], at: [2, 0, 0], axis: [1, 0, 0]}\n"));
  assert_false(is_tree(TWO_BARS "motions:\n  drive: {joint: i, angle: 'time'}\n"));
  assert_false(is_tree("flyball: 1\nbodies:\n"
                       "  a: {mass: 1, inertia: [1, 1, 1]}\n"
                       "joints:\n  i: {type: translational, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                       "motions:\n  drive: {joint: i, displacement: 'time'}\n"));
  assert_false(is_tree("flyball: 1\nbodies:\n"
                       "  a: {mass: 1, inertia: [1, 1, 1]}\n  p: {type: planar, mass: 1, inertia: 1}\n"
                       "joints:\n  i: {type: distance, from: a, to: p, length: 1}\n"
                       "  j: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"));
  assert_false(is_tree("flyball: 1\nbodies:\n"
                       "  a: {mass: 1, inertia: [1, 1, 1]}\n"
                       "joints:\n  i: {type: universal, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], "
                       "axis2: [1, 0, 0]}\n"));
}

// ------------------------------------------------------------------------------------------ runs

// By a method to the end; equations: without what is known of joints. How far the matrices of partition were
// factorized.
static long run_to(machine *m, const char *method, double error, double end, bool equations, double *q,
                   double *lambda) {
  fly_error e = {0};
  fly_dae_options o = fly_dae_options_default();
  fly_method_request request = fly_method_request_default();
  request.name = method;
  assert_ok(fly_dae_options_method(&o, &request, &e), &e);
  o.error = error;
  fly_system_free(&m->system);
  machine_all_rows(m);
  if (equations)
    m->system.dae.tree = NULL;
  fly_solver *s = NULL;
  assert_ok(fly_solver_create(&s, &m->system.dae, &o, &e), &e);
  assert_ok(fly_solver_start(s, 0.0, end, m->system.q0, m->system.v0, m->system.x0, &e), &e);
  while (!fly_solver_done(s))
    assert_ok(fly_solver_step(s, &e), &e);
  const fly_dae_state at = fly_solver_state(s);
  memcpy(q, at.q, (size_t)m->system.dae.nq * sizeof *q);
  memcpy(lambda, at.lambda, (size_t)m->system.nactive * sizeof *lambda);
  const fly_certificate c = fly_solver_certificate(s);
  assert_true(c.position < 1e-12);
  assert_true(c.velocity < 1e-11);
  const long factors = fly_solver_stats(s).refactorizations;
  fly_solver_free(s);
  return factors;
}

static double apart(const double *a, const double *b, int n) {
  double size = 0;
  for (int k = 0; k < n; k++)
    size = fmax(size, fabs(a[k] - b[k]));
  return size;
}

// An arm with an unbalanced wheel on a slide, in space: springs, a damper, a motor with states and a controller.
static const char ARM[] =
    "flyball: 1\n"
    "gravity: [0, -3, -9]\n"
    "bodies:\n"
    "  carriage: {mass: 3, inertia: [0.2, 0.3, 0.4, 0.01, 0, 0.02], position: [0.1, 0, 0.2]}\n"
    "  arm: {mass: 2, inertia: [0.1, 0.2, 0.2], position: [0.6, 0.1, 0]}\n"
    "  wheel: {mass: 1, inertia: [0.05, 0.06, 0.08, 0.01, 0.01, 0], position: [1.1, 0.2, 0.1]}\n"
    "  bob: {mass: 0.5, inertia: [0.01, 0.01, 0.01], position: [1.1, 0.2, -0.4]}\n"
    "joints:\n"
    "  rail: {type: translational, bodies: [carriage, ground], at: [0, 0, 0], axis: [1, 0.2, 0]}\n"
    "  hinge: {type: revolute, bodies: [carriage, arm], at: [0.2, 0, 0], axis: [0.1, 0.3, 1]}\n"
    "  pin: {type: revolute, bodies: [wheel, arm], at: [1, 0.1, 0], axis: [0, 1, 0.5]}\n"
    "  ball: {type: spherical, bodies: [wheel, bob], at: [1.1, 0.2, 0]}\n"
    "states:\n"
    "  sum: {rate: '20*(0.3*sin(3*time) - hinge.angle)', start: 0}\n"
    "  slow: {rate: '(pin.w - slow)/0.1', start: 0.2}\n"
    "forces:\n"
    "  back: {type: spring, from: ground, to: carriage, stiffness: 80, free_length: 0.1}\n"
    "  drive: {type: torsion-spring, joint: hinge, torque: '30*(0.3*sin(3*time) - hinge.angle) - 2*hinge.w + sum'}\n"
    "  brake: {type: torsion-spring, joint: pin, torque: '-0.3*slow'}\n";

static void runs_are_those_of_the_equations(void **state) {
  double q[3][40], lambda[3][40];
  machine *m = machine_text(ARM);
  machine_all_rows(m);
  const int nq = m->system.dae.nq, nl = m->system.nactive;
  assert_true(nq < 40 && nl < 40);
  assert_true(run_to(m, "partition", 1e-9, 2, false, q[0], lambda[0]) < 10); // none but at the start
  assert_true(run_to(m, "partition", 1e-9, 2, true, q[1], lambda[1]) > 100);
  run_to(m, "radau", 1e-9, 2, false, q[2], lambda[2]);
  assert_true(apart(q[0], q[1], nq) < 1e-7);
  assert_true(apart(q[0], q[2], nq) < 1e-7);
  assert_true(apart(lambda[0], lambda[1], nl) < 1e-5);
  assert_true(apart(lambda[0], lambda[2], nl) < 1e-5);
  machine_free(m);
}

// A body of a gram that carries a ton: differences of their inertias are noise, and the equations take over. (Without:
// no end in minutes, steps of nanoseconds.)
static void light_bodies_may_carry_heavy_ones(void **state) {
  static const char text[] =
      "flyball: 1\n"
      "gravity: [1, -2, -9]\n"
      "bodies:\n"
      "  light: {mass: 1e-3, inertia: [2e-5, 5e-6, 1.8e-5], position: [0.3, 0.1, -0.4]}\n"
      "  heavy: {mass: 1000, inertia: [5, 8, 7], position: [0.03, -1.05, -1.28], markers: {k: [-0.2, 0.3, 0.27]}}\n"
      "joints:\n"
      "  a: {type: in-plane, bodies: [ground, light], at: [0, 0, 0], axis: [0.3, -0.1, 0.95]}\n"
      "  b: {type: parallel, bodies: [light, heavy], at: [0.3, -0.5, -1], axis: [0.3, 0.4, 0.95]}\n"
      "forces:\n"
      "  s: {type: spring, from: ground, to: heavy.k, stiffness: 10000, free_length: 0.8}\n";
  double q[2][40], lambda[2][40];
  machine *m = machine_text(text);
  machine_all_rows(m);
  assert_non_null(m->system.dae.tree);
  const int nq = m->system.dae.nq;
  assert_true(run_to(m, "partition", 1e-7, 1, false, q[0], lambda[0]) > 100);
  run_to(m, "radau", 1e-9, 1, false, q[1], lambda[1]);
  assert_true(apart(q[0], q[1], nq) < 1e-4);
  machine_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_satisfy_their_equations),
      cmocka_unit_test(axes_may_point_against_each_other),
      cmocka_unit_test(loops_are_no_trees),
      cmocka_unit_test(runs_are_those_of_the_equations),
      cmocka_unit_test(light_bodies_may_carry_heavy_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
