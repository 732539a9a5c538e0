// Joints that give way, inside whole systems: derivatives of every joint and of every example against differences, as
// multipliers and as an ODE; what the bodies feel is that of the rigid rows at the loads of springs and dampers; energy
// and heat.
//
// labels: derivatives
#define _POSIX_C_SOURCE 200809L // open_memstream
#include <dirent.h>

#include "system/checks.h"

#define BODIES                                                                                                         \
  "flyball: 1\n"                                                                                                       \
  "gravity: [1, -2, -9.81]\n"                                                                                          \
  "bodies:\n"                                                                                                          \
  "  a: {mass: 1.3, inertia: [0.4, 0.5, 0.6, 0.05, -0.03, 0.02], center: [0.1, -0.2, 0.3], position: [0.4, 0, 0.1],\n" \
  "    orientation: {axis: [1, 2, 3], angle: 0.7}, markers: {m: {at: [0.3, 0.2, 0.1], axis: [2, -1, 2]}}}\n"           \
  "  b: {mass: 0.7, inertia: [0.3, 0.2, 0.25, 0.01, 0.02, 0.03], position: [-0.4, 0.5, 0.2],\n"                        \
  "    orientation: {euler313: [0.3, 0.5, -0.8]}, markers: {m: {at: [-0.3, 0.4, 0.2], axis: [-1, 1, 0.5]}}}\n"

static const fly_softness forms[] = {{.stiffness = 3.0, .damping = 0.7},
                                     {.stiffness = 3.0, .damping = 0.7, .ode = true},
                                     {.damping = 2.0},
                                     {.damping = 2.0, .ode = true}};

static void soften(machine *m, const fly_softness *soft) {
  fly_error error = {0};
  fly_system_free(&m->system);
  assert_ok(fly_system_create_soft(&m->system, &m->model, soft, 0, NULL, &error), &error);
}

static bool reads_reactions(const machine *m) {
  for (int k = 0; k < m->model.nmeasure; k++)
    if (m->model.measure[k].joint >= 0 && m->model.measure[k].output >= 0)
      return true;
  return false;
}

// Differences are rough where springs are stiff; a wrong sign is of order 1.
static void check_roughly(machine *m, const char *name, uint64_t *seed) {
  fly_derivative_check check;
  fly_error error = {0};
  random_state r = state_of(&m->system, seed);
  assert_ok(fly_dae_check(&check, &m->system.dae, &r.at, &error), &error);
  if (!(check.worst <= fmax(1e-4, derivative_limit(&m->system)))) {
    print_error("%s: %g, %s\n", name, check.worst, check.where);
    fail();
  }
  state_free(&r);
}

static void check_soft(machine *m, const char *name) {
  uint64_t seed = 7;
  for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
    if (forms[k].ode && reads_reactions(m))
      continue;
    soften(m, &forms[k]);
    check_roughly(m, name, &seed);
  }
}

static void every_joint(void **state) {
  for (const fly_element_type *const *row = fly_element_types, *t; (t = *row) != NULL; row++) {
    char text[3000];
    if (strcmp(t->section, "joints") != 0 || fly_parameter_find(t, "bodies") < 0)
      continue;
    snprintf(text, sizeof text, BODIES "joints:\n  j: {type: %s, bodies: [a, b], at: [0.1, 0.3, 0.2]%s%s%s}\n", t->name,
             fly_parameter_find(t, "axis") >= 0 ? ", axis: [1, 2, -1]" : "",
             fly_parameter_find(t, "axis2") < 0          ? ""
             : strcmp(t->name, "constant-velocity") == 0 ? ", axis2: [2, 1, 0]"
                                                         : ", axis2: [1, 0, 1]",
             fly_parameter_find(t, "pitch") >= 0 ? ", pitch: 0.3" : "");
    machine *m = machine_text(text);
    check_soft(m, t->name);
    machine_free(m);
  }
}

// Expressions of some are no numbers at any state; stiff contacts that a state presses deep into each other drown all
// other differences in rounding.
static bool can_be_checked(machine *m) {
  uint64_t seed = 7;
  bool can = true;
  for (size_t k = 0; k < sizeof forms / sizeof *forms && can; k++) {
    fly_derivative_check check;
    random_state r = state_of(&m->system, &seed);
    can = fly_dae_check(&check, &m->system.dae, &r.at, NULL) == FLY_OK && check.worst < 1e-4;
    state_free(&r);
  }
  return can;
}

static void every_example(void **state) {
  DIR *folder = opendir(FLY_TEST_SOURCE_DIR "/examples");
  int count = 0;
  assert_non_null(folder);
  for (const struct dirent *e; (e = readdir(folder)) != NULL;) {
    char name[300];
    const char *end = strstr(e->d_name, ".yaml");
    if (!end)
      continue;
    snprintf(name, sizeof name, "%.*s", (int)(end - e->d_name), e->d_name);
    machine *m = machine_example(name);
    machine_all_rows(m);
    if (m->model.nv <= 80 && can_be_checked(m)) {
      check_soft(m, name);
      count++;
    }
    machine_free(m);
  }
  closedir(folder);
  assert_true(count > 20);
}

// A load that feels the reaction of a joint that gives way, and a motion that does.
static void what_reads_and_drives(void **state) {
  machine *m = machine_text(BODIES "joints:\n"
                                   "  j: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1],\n"
                                   "    compliance: 0.3, damping: 0.5, rotational_compliance: 0.2}\n"
                                   "  k: {type: spherical, bodies: [a, b], at: [0.1, 0.3, 0.2], compliance: 0.4}\n"
                                   "motions:\n"
                                   "  d: {joint: j, angle: '0.3*sin(2*time)', compliance: 0.1, damping: 0.2}\n"
                                   "forces:\n"
                                   "  f: {type: force, at: b.m, force: ['0.3*fx(j)', '0.1*fm(k)', 0]}\n");
  assert_int_equal(m->model.row[0].stiffness * 3, 10);
  machine_all_rows(m);
  assert_int_equal(m->system.dae.ng, 0);
  assert_int_equal(m->system.soft.count, m->model.nrow);
  uint64_t seed = 3;
  check_derivatives(m, "reads", &seed);
  machine_free(m);
}

// What the bodies feel: G^T y of the rigid rows.
static void loads_are_those_of_the_rows(void **state) {
  uint64_t seed = 11;
  fly_error error = {0};
  machine *m = machine_example("slider-crank");
  machine_all_rows(m);
  const int n = m->system.nactive, nv = m->model.nv;
  random_state r = state_of(&m->system, &seed);
  double *G = some_numbers(m->system.G.start[nv]), *f = some_numbers(nv), *soft = some_numbers(nv);
  m->system.dae.force(f, &r.at, &m->system);
  m->system.dae.constraint_jacobian(G, r.at.t, r.q, &m->system);
  for (int c = 0; c < nv; c++)
    for (int k = m->system.G.start[c]; k < m->system.G.start[c + 1]; k++)
      f[c] -= G[k] * r.lambda[m->system.G.row[k]];
  fly_system s;
  assert_ok(fly_system_create_soft(&s, &m->model, &forms[0], 0, NULL, &error), &error);
  assert_int_equal(s.dae.ng, 0);
  assert_int_equal(s.dae.ny, m->model.ny + n);
  fly_dae_state at = r.at;
  at.lambda = NULL;
  at.y = r.lambda;
  s.dae.force(soft, &at, &s);
  for (int c = 0; c < nv; c++)
    assert_near(soft[c], f[c], 1e-12);
  fly_system_free(&s);
  free(G);
  free(f);
  free(soft);
  state_free(&r);
  machine_free(m);
}

// dE/dt = v . (M v' - f) less the heat, of any motion, with the loads of the springs and dampers. Beside springs
// dampers are counted by the work on both, of which the springs hold their share.
static void energy_and_heat(void **state) {
  static const char *const names[] = {"slider-crank", "spatial-slider-crank", "universal-joint", "bricard"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    uint64_t seed = 5;
    machine *m = machine_example(names[i]);
    soften(m, &(fly_softness){.stiffness = 40.0, .ode = true});
    if (m->model.nmotion == 0)
      check_energy(m, names[i], true, &seed);
    soften(m, &(fly_softness){.stiffness = 40.0, .damping = 3.0});
    random_state r = state_of(&m->system, &seed);
    double *h = some_numbers(m->system.dae.ny), work = 0, held = 0;
    fly_power p;
    fly_energy e;
    m->system.dae.outputs(h, &r.at, &m->system);
    r.at.y = h;
    fly_system_power(&m->system, &r.at, &p);
    fly_system_energy(&m->system, r.at.t, r.at.q, r.at.v, &e);
    for (int k = 0; k < m->system.soft.count; k++) {
      const double gap = m->system.soft.value[k], rate = m->system.soft.rate[k];
      work += (40.0 * gap + 3.0 * rate) * rate;
      held += 20.0 * gap * gap;
    }
    assert_near(p.damping, work, 1e-12 * fabs(work));
    assert_near(e.lent, held, 1e-12 * held);
    r.at.y = r.y;
    free(h);
    state_free(&r);
    machine_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_joint), cmocka_unit_test(every_example),
                                     cmocka_unit_test(what_reads_and_drives),
                                     cmocka_unit_test(loads_are_those_of_the_rows), cmocka_unit_test(energy_and_heat)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
