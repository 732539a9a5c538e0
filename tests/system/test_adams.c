// Single-joint models against Adams (data/adams of the reference library, six digits as printed).
//
// Sign of the reactions, the same in all nine cases: Adams gives the load on ground, in space, the torque about the
// joint's marker on ground. Flyball gives the load on the second body, about its own marker, along the axes of the
// first.
#include "base/check.h"
#include "system/adams.h"
#include "system/machine.h"

#define HEAD "flyball: 1\ngravity: [0, 0, -9.80665]\nbodies:\n"
#define BODY(place, turn)                                                                                              \
  "  body: {mass: 1, inertia: [0.04, 0.1, 0.1], position: " place ", orientation: {axis: [1, 0, 0], angle: " turn "}}" \
  "\n"
#define JOINT(type, axis, at) "joints:\n  joint: {type: " type ", bodies: [ground, body], at: " at ", axis: " axis "}\n"

// Largest differences, in the units of the columns; force and torque relative to 1 + the largest of the row.
typedef struct limits {
  double position, velocity, acceleration, quaternion, angular_velocity, angular_acceleration, force, torque;
} limits;

typedef struct adams_case {
  const char *name, *text;
  const double (*row)[26];
  limits limit;
} adams_case;

static double largest(const double *a, const double *b, int n) {
  double most = 0;
  for (int k = 0; k < n; k++)
    most = fmax(most, fabs(a[k] - b[k]));
  return most;
}

static void cross(double out[3], const double a[3], const double b[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

// What the body does to ground: through the joint, or what springs do.
static void load_on_ground(machine *m, const fly_dae_state *at, double F[3], double T[3]) {
  double *wrench = calloc(6 * (size_t)m->model.npair + 1, sizeof *wrench), f[6] = {0}, p[3], arm[3], moment[3];
  memset(F, 0, 3 * sizeof *F);
  memset(T, 0, 3 * sizeof *T);
  fly_system_reactions(&m->system, at, wrench);
  for (int k = 0; k < m->spec.nitem; k++) {
    int pair = m->model.joint_pair[k];
    if (pair < 0)
      continue;
    const fly_marker *mi = &m->model.marker[m->model.pair[pair].mi].m, *mj = &m->model.marker[m->model.pair[pair].mj].m;
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < 3; i++) {
        F[i] -= mi->A[3 * i + c] * wrench[6 * pair + c];
        T[i] -= mi->A[3 * i + c] * wrench[6 * pair + 3 + c];
      }
    fly_point(p, &m->system.body[0], mj);
    for (int i = 0; i < 3; i++)
      arm[i] = p[i] - mi->s[i];
    cross(moment, arm, F);
    for (int i = 0; i < 3; i++)
      T[i] += moment[i];
  }
  m->system.dae.force(f, at, m->system.dae.user);
  if (m->model.nspring > 0)
    for (int i = 0; i < 3; i++)
      F[i] -= f[i] - m->model.gravity[i];
  if (m->model.ntorsion > 0)
    T[1] -= f[5]; // body z is space y
  free(wrench);
}

static void compare(machine *m, const double *row, const fly_dae_state *at, limits *worst) {
  const fly_kinematics *k = &m->system.body[0];
  double F[3], T[3], w[3], alpha[3], zero[3] = {0}, e[4];
  load_on_ground(m, at, F, T);
  fly_to_space(w, k->R, at->v + 3);
  fly_to_space(alpha, k->R, at->vdot + 3);
  double sign = 0;
  for (int c = 0; c < 4; c++)
    sign += at->q[3 + c] * row[ADAMS_QUAT + c];
  for (int c = 0; c < 4; c++)
    e[c] = sign < 0 ? -at->q[3 + c] : at->q[3 + c];
  worst->position = fmax(worst->position, largest(at->q, row + ADAMS_POS, 3));
  worst->velocity = fmax(worst->velocity, largest(at->v, row + ADAMS_VEL, 3));
  worst->acceleration = fmax(worst->acceleration, largest(at->vdot, row + ADAMS_ACC, 3));
  worst->quaternion = fmax(worst->quaternion, largest(e, row + ADAMS_QUAT, 4));
  worst->angular_velocity = fmax(worst->angular_velocity, largest(w, row + ADAMS_AVEL, 3));
  worst->angular_acceleration = fmax(worst->angular_acceleration, largest(alpha, row + ADAMS_AACC, 3));
  worst->force = fmax(worst->force, largest(F, row + ADAMS_FORCE, 3) / (1 + largest(zero, row + ADAMS_FORCE, 3)));
  worst->torque = fmax(worst->torque, largest(T, row + ADAMS_TORQUE, 3) / (1 + largest(zero, row + ADAMS_TORQUE, 3)));
}

static void run_case(const adams_case *c) {
  machine *m = machine_text(c->text);
  limits worst = {0};
  machine_start(m, 1e-7, 5.0);
  for (int k = 0; k < ADAMS_ROWS; k++) {
    fly_dae_state at = machine_at(m, c->row[k][ADAMS_T]);
    compare(m, c->row[k], &at, &worst);
  }
  say("%s: %.1e m, %.1e m/s, %.1e m/s2, %.1e, %.1e rad/s, %.1e rad/s2, %.1e N, %.1e N m; %ld steps, %.2f s\n", c->name,
      worst.position, worst.velocity, worst.acceleration, worst.quaternion, worst.angular_velocity,
      worst.angular_acceleration, worst.force, worst.torque, fly_solver_stats(m->solver).steps,
      fly_solver_stats(m->solver).wall_s);
  assert_at_most(worst.position, c->limit.position);
  assert_at_most(worst.velocity, c->limit.velocity);
  assert_at_most(worst.acceleration, c->limit.acceleration);
  assert_at_most(worst.quaternion, c->limit.quaternion);
  assert_at_most(worst.angular_velocity, c->limit.angular_velocity);
  assert_at_most(worst.angular_acceleration, c->limit.angular_acceleration);
  assert_at_most(worst.force, c->limit.force);
  assert_at_most(worst.torque, c->limit.torque);
  machine_free(m);
}

static void cylindrical_1(void **state) {
  run_case(&(adams_case){"Cylindrical 1",
                         HEAD BODY("[2, 0, 0]", "0") JOINT("cylindrical", "[0, 0, 1]", "[0, 0, 0]"),
                         CYLINDRICAL_1,
                         {1e-3, 1e-4, 1e-5, 1e-6, 1e-9, 1e-9, 1e-6, 1e-6}});
}
static void prismatic_1(void **state) {
  run_case(&(adams_case){"Prismatic 1",
                         HEAD BODY("[2, 0, 0]", "0") JOINT("translational", "[0, 0, 1]", "[0, 0, 0]"),
                         PRISMATIC_1,
                         {1e-3, 1e-4, 1e-5, 1e-6, 1e-9, 1e-9, 1e-6, 1e-6}});
}
static void prismatic_2(void **state) {
  run_case(&(adams_case){"Prismatic 2",
                         HEAD BODY("[3, 2, 3]", "-pi/4") JOINT("translational", "[0, 1, 1]", "[1, 2, 3]"),
                         PRISMATIC_2,
                         {1e-4, 1e-4, 5e-4, 1e-6, 1e-9, 1e-9, 1e-4, 1e-4}});
}
static void revolute_1(void **state) {
  run_case(&(adams_case){"Revolute 1",
                         HEAD BODY("[2, 0, 0]", "-pi/2") JOINT("revolute", "[0, 1, 0]", "[0, 0, 0]"),
                         REVOLUTE_1,
                         {2e-5, 5e-5, 2e-3, 1e-5, 5e-5, 2e-3, 1e-4, 1e-4}});
}
static void revolute_2(void **state) {
  run_case(&(adams_case){"Revolute 2",
                         HEAD BODY("[3, 2, 3]", "-pi/4") JOINT("revolute", "[0, 1, 1]", "[1, 2, 3]"),
                         REVOLUTE_2,
                         {2e-5, 5e-5, 2e-3, 1e-5, 5e-5, 2e-3, 1e-4, 1e-4}});
}
static void spherical_1(void **state) {
  run_case(&(adams_case){
      "Spherical 1",
      HEAD BODY("[2, 0, 0]", "0") "joints:\n  joint: {type: spherical, bodies: [ground, body], at: [0, 0, 0]}\n",
      SPHERICAL_1,
      {1e-3, 3e-3, 2e-2, 1e-3, 3e-3, 5e-3, 2e-3, 1e-6}});
}
static void distance_1(void **state) {
  run_case(&(adams_case){"Distance 1",
                         HEAD BODY("[0, 2, 0]", "0") "joints:\n  joint: {type: distance, from: ground, to: body}\n",
                         DISTANCE_1,
                         {2e-5, 5e-5, 1e-3, 1e-6, 1e-9, 1e-9, 2e-4, 1e-6}});
}
static void translational_spring_2(void **state) {
  run_case(&(adams_case){
      "TranSpring 2",
      HEAD BODY("[0, 2, 0]",
                "0") "forces:\n  spring: {type: spring, from: ground, to: body, stiffness: 100, damping: 5}\n",
      TRANSPRING_2,
      {2e-5, 5e-5, 2e-3, 1e-6, 1e-9, 1e-9, 1e-4, 1e-4}});
}
static void rotational_spring_1(void **state) {
  run_case(&(adams_case){
      "RotSpring 1",
      HEAD BODY("[2, 0, 0]", "-pi/2")
          JOINT("revolute", "[0, 1, 0]",
                "[0, 0, 0]") "forces:\n  spring: {type: torsion-spring, joint: joint, stiffness: 200, damping: 10}\n",
      ROTSPRING_1,
      {2e-5, 5e-5, 2e-3, 1e-5, 5e-5, 2e-3, 1e-4, 1e-4}});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cylindrical_1),       cmocka_unit_test(prismatic_1),
      cmocka_unit_test(prismatic_2),         cmocka_unit_test(revolute_1),
      cmocka_unit_test(revolute_2),          cmocka_unit_test(spherical_1),
      cmocka_unit_test(distance_1),          cmocka_unit_test(translational_spring_2),
      cmocka_unit_test(rotational_spring_1),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
