// A body of finite elements in a model: derivatives, power and energy as of every body, at random states; terms that
// are switched off; and what is refused.
//
// labels: slow
#define _POSIX_C_SOURCE 200809L // open_memstream
#include <unistd.h>

#include "system/reduced.h"

#include "flyball/model.h"
#include "flyball/modes.h"

// A bent tube of beams, soft enough that states of unit size are of interest.
#define TUBE                                                                                                           \
  "*NODE\n1, 0, 0, 0\n2, 0.3, 0.1, 0\n3, 0.5, 0.3, 0.1\n4, 0.5, 0.5, 0.4\n"                                            \
  "*ELEMENT, TYPE=B31, ELSET=T\n1, 1, 2\n2, 2, 3\n3, 3, 4\n*MATERIAL, NAME=M\n*ELASTIC\n%g, 0.3\n*DENSITY\n2000\n"     \
  "*BEAM SECTION, SECTION=PIPE, ELSET=T, MATERIAL=M\n0.1, 0.02\n0.1, 0.2, 1\n"

static fly_status reduce_tube(const char *name, double modulus, double whole[13]) {
  char mesh[300], out[300], text[1000];
  fly_reduce_options o = fly_reduce_options_default();
  const fly_reduce_interface face[2] = {{.name = "foot", .node = 1}, {.name = "head", .node = 4}};
  fly_reduction *r = NULL;
  fly_error error = {0};
  snprintf(text, sizeof text, TUBE, modulus);
  put_text("tube.inp", text);
  path_of(mesh, "tube.inp");
  path_of(out, name);
  o.mesh = mesh;
  o.out = out;
  o.ninterface = 2;
  o.interface = face;
  o.modes = 3;
  o.stiffening = "foot";
  const fly_status status = fly_reduce(&r, &o, &error);
  if (status == FLY_OK && whole) {
    whole[0] = fly_reduction_info(r)->mass;
    memcpy(whole + 1, fly_reduction_info(r)->center, 3 * sizeof *whole);
    memcpy(whole + 4, fly_reduction_info(r)->inertia, 9 * sizeof *whole);
  }
  fly_reduction_free(r);
  return status;
}

static int set_up(void **state) {
  snprintf(folder, sizeof folder, "/tmp/flyball-flexible-XXXXXX");
  return mkdtemp(folder) && reduce_tube("tube.h5", 300, NULL) == FLY_OK ? 0 : -1;
}

static int clean_up(void **state) {
  static const char *const names[] = {"tube.inp", "tube.h5", "stiff.h5", "model.yaml", "straight.inp", "straight.h5"};
  for (int k = 0; k < 6; k++) {
    char path[300];
    path_of(path, names[k]);
    remove(path);
  }
  return rmdir(folder);
}

static void check_file(const char *name, const char *options, const char *rest, int properties) {
  char text[3000], path[300];
  snprintf(
      text, sizeof text,
      "flyball: 1\nbodies:\n"
      "  t: {type: flexible, file: tube.h5, %s, position: [0.4, 0, 0.1], orientation: {axis: [1, 2, 3], angle: "
      "0.7},\n"
      "    markers: {base: {node: foot, axis: [2, -1, 2]}, end: {node: head, at: [0.1, 0.05, 0], axis: [1, 1, 2]}, "
      "side: {node: 3}}}\n" NEIGHBOURS "%s",
      options, rest);
  put_text("model.yaml", text);
  path_of(path, "model.yaml");
  machine *m = machine_file(path);
  check_machine(m, name, 0.1, properties);
  machine_free(m);
}

#define SOME "modes: [1, 2, 3, 4, 5, 7]"

static void alone(void **state) {
  check_file("alone", SOME ", deformed: [0.02, 0.01, -0.02, 0.01, 0.03, 0.02]", GRAVITY, CONSERVATIVE);
}

// What is left when terms are off still has one kinetic energy.
static void with_terms_off(void **state) {
  check_file("partial", SOME ", coupling: partial", GRAVITY, CONSERVATIVE);
  check_file("constant", SOME ", coupling: constant", GRAVITY, CONSERVATIVE);
}

// What a turn makes stiffer is a part of the kinetic energy, too.
static void with_stiffening(void **state) {
  check_file("stiffening", SOME ", stiffening: on", GRAVITY, CONSERVATIVE);
  check_file("stiffening, held", SOME ", stiffening: on",
             GRAVITY "joints:\n  j: {type: revolute, bodies: [ground, t], at: [0.4, 0, 0.1], axis: [1, 2, 2]}\n",
             CONSERVATIVE_ON_CONSTRAINTS);
}

static void with_joints_and_forces(void **state) {
  check_file("joints", SOME,
             GRAVITY "joints:\n  j: {type: revolute, from: ground.m, to: t.base}\n"
                     "  k: {type: spherical, from: t.end, to: b.m}\n",
             CONSERVATIVE_ON_CONSTRAINTS);
  check_file("forces", SOME ", damping_ratio: 0.1, damping_bands: [[0.5, 0.01], [2, 0.02]]",
             GRAVITY
             "forces:\n"
             "  m: {type: bushing, from: t.side, to: b.m, stiffness: [3, 4, 5, 1, 2, 3], damping: [1, 1, 1, 0.1, "
             "0.2, 0.3]}\n",
             0);
}

// A ball at its head and a large one that is pressed into it, wherever random states put them.
static void with_contacts(void **state) {
  check_file("contact", SOME ", shapes: [{type: sphere, radius: 30, at: [0.55, 0.5, 0.45]}]",
             "  c: {mass: 2, inertia: [1, 1, 1], position: [0, 0.3, 0], shapes: [{type: sphere, radius: 40}]}\n" GRAVITY
             "contacts:\n  k: {bodies: [t, c], stiffness: 1}\n",
             CONSERVATIVE);
}

// The modes are orthogonal: M grows as their number does, not with its square.
static void modes_are_apart_in_M(void **state) {
  char path[300];
  fly_error error = {0};
  put_text("model.yaml", "flyball: 1\nbodies:\n  t: {type: flexible, file: tube.h5}\n");
  path_of(path, "model.yaml");
  machine *m = machine_file(path);
  assert_ok(fly_system_create(&m->system, &m->model, 0, NULL, &error), &error);
  const int modes = m->model.body[0].columns - 6;
  assert_true(modes > 6);
  assert_int_equal(fly_csc_nnz(&m->system.M), 36 + 12 * modes + modes);
  machine_free(m);
}

// ------------------------------------------------------------------------------------------ vibrations

// c/(2 pi h) sqrt(6 (1 - cos k h)/(2 + cos k h)), k = (n - 1/2) pi/L: linear elements of length h with consistent
// masses
static double twisting(int n, int elements) {
  const double pi = 3.14159265358979323846, h = 1.0 / elements, c = sqrt(7e10 / 2.66 / 2700);
  const double wave = cos((n - 0.5) * pi * h);
  return c / (2 * pi * h) * sqrt(6 * (1 - wave) / (2 + wave));
}

// With all of its modes a clamped body has the frequencies of its mesh; those of a round beam come in pairs, and its
// torsion, that moves no node, is as exact.
static void a_straight_beam_rings_as_its_mesh(void **state) {
  enum { COUNT = 40 };
  double held[COUNT], twist = INFINITY;
  char path[300];
  fly_mechanism *m = NULL;
  fly_modes *modes = NULL;
  fly_error error = {0};
  const fly_modes_options o = fly_modes_options_default();
  reduce_straight(held, COUNT);
  put_text("model.yaml", "flyball: 1\nbodies:\n  t: {type: flexible, file: straight.h5, markers: {hub: {node: hub}}}\n"
                         "joints: {j: {type: fixed, from: ground, to: t.hub}}\n");
  path_of(path, "model.yaml");
  assert_ok(fly_mechanism_load(&m, path, 0, NULL, &error), &error);
  assert_ok(fly_modes_create(&modes, m, &o, &error), &error);
  for (int k = 0; k < COUNT; k++) {
    const double f = fly_modes_get(modes, k)->natural;
    assert_near(f / held[k], 1, 1e-9);
    twist = fmin(twist, fabs(f / twisting(1, 16) - 1));
  }
  assert_true(twist < 1e-9);
  for (int k = 0; k < 6; k += 2)
    assert_near(fly_modes_get(modes, k)->natural / fly_modes_get(modes, k + 1)->natural, 1, 1e-9);
  fly_modes_free(modes);
  fly_mechanism_free(m);
}

// ------------------------------------------------------------------------------------------ runs

// A tube that hangs in a hinge, from a start that is bent; %s: its file.
#define SWING(coupling)                                                                                                \
  "flyball: 1\ngravity: [0, 0, -9.81]\nbodies:\n"                                                                      \
  "  t: {type: flexible, file: tube.h5, " SOME coupling                                                                \
  ", deformed: [0.02, 0.01, -0.02, 0.01, 0.03, 0.02], markers: {base: "                                                \
  "{node: foot}}}\njoints:\n  j: {type: spherical, from: ground, to: t.base}\n"

// q at the end of a run of fixed steps.
static void run_fixed(const char *method, double h, double *out) {
  char path[300];
  fly_dae_options o = fly_dae_options_default();
  fly_method_request by = fly_method_request_default();
  fly_error error = {0};
  path_of(path, "model.yaml");
  machine *m = machine_file(path);
  by.name = method;
  assert_ok(fly_dae_options_method(&o, &by, &error), &error);
  o.step = h;
  machine_independent_rows(m);
  assert_ok(fly_solver_create(&m->solver, &m->system.dae, &o, &error), &error);
  assert_ok(fly_solver_start(m->solver, 0.0, 0.4, m->system.q0, m->system.v0, m->system.x0, &error), &error);
  const fly_dae_state at = machine_at(m, 0.4);
  memcpy(out, at.q, (size_t)(m->system.dae.nq < 13 ? m->system.dae.nq : 13) * sizeof *out);
  machine_free(m);
}

static double apart(const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < 13; i++)
    most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

static void check_orders(const char *model) {
  static const struct {
    const char *name;
    double h, order;
  } METHOD[] = {{"ch", 0.002, 2}, {"radau", 0.02, 5}};
  double truth[13], coarse[13], fine[13];
  put_text("model.yaml", model);
  run_fixed("radau", 0.0025, truth);
  for (int k = 0; k < 2; k++) {
    run_fixed(METHOD[k].name, METHOD[k].h, coarse);
    run_fixed(METHOD[k].name, METHOD[k].h / 2, fine);
    const double order = log2(apart(coarse, truth) / apart(fine, truth));
    say("%s: errors %.2e, %.2e, order %.2f\n", METHOD[k].name, apart(coarse, truth), apart(fine, truth), order);
    assert_true(order > METHOD[k].order - 0.3 && order < METHOD[k].order + 0.8);
  }
}

// With part of the coupling Newton's iteration takes lean derivatives: it still ends at the same solution.
static void methods_have_their_orders(void **state) {
  check_orders(SWING(""));
  check_orders(SWING(", coupling: partial"));
}

// As the modulus grows the tube swings as the rigid body does that has its mass, centre and inertia.
static void a_stiff_one_is_rigid(void **state) {
  char text[2000];
  double whole[13] = {0}, rigid[13] = {0}, q[13], far[2];
  const double *J = whole + 4;
  for (int k = 0; k < 2; k++) {
    assert_int_equal(reduce_tube("stiff.h5", k ? 3e8 : 3e6, whole), FLY_OK);
    snprintf(text, sizeof text,
             "flyball: 1\ngravity: [0, 0, -9.81]\nbodies:\n  t: {type: flexible, file: stiff.h5, " SOME
             ", markers: {base: {node: foot}}}\njoints:\n  j: {type: spherical, from: ground, to: t.base}\n");
    put_text("model.yaml", text);
    run_fixed("radau", 0.01, q);
    snprintf(text, sizeof text,
             "flyball: 1\ngravity: [0, 0, -9.81]\nbodies:\n  t: {mass: %.17g, center: [%.17g, %.17g, %.17g], inertia: "
             "[%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]}\njoints:\n  j: {type: spherical, bodies: [ground, t], at: "
             "[0, 0, 0]}\n",
             whole[0], whole[1], whole[2], whole[3], J[0], J[4], J[8], J[1], J[2], J[5]);
    put_text("model.yaml", text);
    run_fixed("radau", 0.01, rigid);
    far[k] = 0; // quaternions: the frame of a rigid body is in its centre
    for (int i = 3; i < 7; i++)
      far[k] = fmax(far[k], fabs(q[i] - rigid[i]));
  }
  say("off by %.2e and %.2e\n", far[0], far[1]);
  assert_true(far[0] < 2e-2 && far[1] < far[0] / 80 && far[1] > far[0] / 130); // as one over the modulus
}

static void refused(const char *body, const char *what) {
  char text[1000], path[300];
  fly_mechanism *m = NULL;
  fly_error error = {0};
  snprintf(text, sizeof text, "flyball: 1\nbodies:\n  t: {type: flexible, %s}\n", body);
  put_text("model.yaml", text);
  path_of(path, "model.yaml");
  assert_int_not_equal(fly_mechanism_load(&m, path, 0, NULL, &error), FLY_OK);
  if (!strstr(error.message, what))
    fail_msg("`%s` does not say `%s`", error.message, what);
}

static void bad_bodies_are_told(void **state) {
  refused("file: none.h5", "none.h5");
  refused("file: tube.inp", "tube.inp");
  refused("damping_ratio: 0.1", "needs a `file`");
  refused("file: tube.h5, markers: {a: {node: 4711}}", "Its interfaces are foot, head");
  refused("file: tube.h5, modes: [1, 99]", "no mode 99");
  refused("file: tube.h5, modes: [1], modes_off: [1]", "none of its modes is on");
  refused("file: tube.h5, shapes: [{type: sphere, radius: 1}, {type: sphere, radius: 1, at: [0.5, 0.5, 0.4]}]}\n"
          "  c: {mass: 1, inertia: [1, 1, 1], shapes: [{type: sphere, radius: 1}]}\ncontacts:\n  k: {bodies: [t, c], "
          "stiffness: 1",
          "its shapes 1 and 2 are fixed to different points");
  refused("file: tube.h5, deforming: [1]", "`deforming` takes a number for each");
  refused("file: tube.h5, deformed: [1]", "`deformed` takes a number for each");
  refused("file: tube.h5, stiffening: on, coupling: partial", "goes with `coupling: full`");
  refused(
      "data: [1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
      "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4], stiffening: on",
      "flyball reduce --stiffening");
  refused("file: tube.h5, damping_bands: [[5, 0.1], [2, 0.1]]", "must ascend");
}

// Two modes with a product in M, and in one triangle of K: M and K, row by row.
static void refuse_matrices(const double last[8]) {
  char text[6000] = "data: [2, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1", part[40];
  for (int k = 0; k < 9 + 6 + 6 + 18 + 36; k++)
    strcat(text, ", 0");
  for (int k = 0; k < 8; k++) {
    snprintf(part, sizeof part, ", %g", last[k]);
    strcat(text, part);
  }
  strcat(text, "]");
  refused(text, "modes 1 and 2 are not orthogonal");
}

static void modes_that_are_not_orthogonal_are_told(void **state) {
  refuse_matrices((const double[]){1, 0.1, 0.1, 1, 10, 0, 0, 20});
  refuse_matrices((const double[]){1, 0, 0, 1, 10, 3, 0, 20});
  refuse_matrices((const double[]){1, 0, 0, 1, 10, 0, 3, 20});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(alone),
      cmocka_unit_test(with_terms_off),
      cmocka_unit_test(with_stiffening),
      cmocka_unit_test(with_joints_and_forces),
      cmocka_unit_test(with_contacts),
      cmocka_unit_test(modes_are_apart_in_M),
      cmocka_unit_test(methods_have_their_orders),
      cmocka_unit_test(a_stiff_one_is_rigid),
      cmocka_unit_test(a_straight_beam_rings_as_its_mesh),
      cmocka_unit_test(bad_bodies_are_told),
      cmocka_unit_test(modes_that_are_not_orthogonal_are_told),
  };
  return cmocka_run_group_tests(tests, set_up, clean_up);
}
