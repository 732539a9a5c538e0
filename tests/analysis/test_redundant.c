// Overconstrained mechanisms: other rows take the place of those kept where these lose their rank, nobody notices, and
// redundant joints share their loads in the one smallest way.
#include "analysis/assembly.h"
#include "analysis/driven.h"
#include "dae/rows.h"

enum { TEXT = 4000, LINKS = 3, JOINTS = 4 };

static double random_between(uint32_t *seed, double low, double high) {
  *seed = *seed * 1664525u + 1013904223u;
  return low + (high - low) * (*seed / 4294967296.0);
}

// ------------------------------------------------------------------------------------------ Bennett's loop

// Frames along a chain of joints: T <- T Rz(turn) Tx(length) Rx(twist), as Denavit and Hartenberg have them.
typedef struct frame {
  double p[3], R[9]; // R by rows
} frame;

static void turn_frame(double R[9], int axis, double angle) {
  const int a = (axis + 1) % 3, b = (axis + 2) % 3;
  const double c = cos(angle), s = sin(angle);
  for (int i = 0; i < 3; i++) {
    const double x = R[3 * i + a], y = R[3 * i + b];
    R[3 * i + a] = c * x + s * y;
    R[3 * i + b] = c * y - s * x;
  }
}

static frame next_frame(frame f, double turn, double length, double twist) {
  turn_frame(f.R, 2, turn);
  for (int i = 0; i < 3; i++)
    f.p[i] += length * f.R[3 * i];
  turn_frame(f.R, 0, twist);
  return f;
}

// Four revolute joints, lengths a b a b and twists with a/sin alpha = b/sin beta: mobile though 20 rows on 18
// coordinates say no, with tan(t1/2) tan(t2/2) = sin((beta + alpha)/2)/sin((beta - alpha)/2), t3 = -t1, t4 = -t2.
static void bennett_frames(frame f[JOINTS + 1], uint32_t seed) {
  const double alpha = random_between(&seed, 0.3, 1.2), beta = random_between(&seed, alpha + 0.3, 2.4);
  const double a = random_between(&seed, 0.3, 1.5), b = a * sin(beta) / sin(alpha);
  const double t1 = random_between(&seed, -2.5, 2.5);
  const double t2 = 2 * atan2(sin((beta + alpha) / 2) / sin((beta - alpha) / 2), tan(t1 / 2));
  const double turns[] = {t1, t2, -t1, -t2};
  f[0] = (frame){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int k = 0; k < JOINTS; k++)
    f[k + 1] = next_frame(f[k], turns[k], k % 2 ? b : a, k % 2 ? beta : alpha);
  for (int i = 0; i < 3; i++)
    assert_close(f[JOINTS].p[i], 0, 1e-12);
}

static size_t write_link(char *text, size_t used, int k, const double *p, const double *q) {
  return used + (size_t)snprintf(text + used, TEXT - used,
                                 "  r%d: {mass: %g, inertia: [%g, %g, %g], position: [%.17g, %.17g, %.17g]}\n", k,
                                 1.0 + 0.3 * k, 0.05, 0.08, 0.1 + 0.01 * k, (p[0] + q[0]) / 2, (p[1] + q[1]) / 2,
                                 (p[2] + q[2]) / 2);
}

static size_t write_joint(char *text, size_t used, int k, const frame *f, const char *more) {
  static const char *const names[] = {"ground", "r1", "r2", "r3", "ground"};
  return used + (size_t)snprintf(text + used, TEXT - used,
                                 "  J%d: {type: revolute, bodies: [%s, %s], at: [%.17g, %.17g, %.17g], axis: [%.17g, "
                                 "%.17g, %.17g]%s}\n",
                                 k, names[k], names[k + 1], f->p[0], f->p[1], f->p[2], f->R[2], f->R[5], f->R[8],
                                 k == 0 ? more : "");
}

// backwards: the joints come in the other order, so that other rows are kept.
static const char *bennett(uint32_t seed, bool backwards, const char *more, const char *rest) {
  static char text[TEXT];
  frame f[JOINTS + 1];
  bennett_frames(f, seed);
  size_t used = (size_t)snprintf(text, TEXT, "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n");
  for (int k = 0; k < LINKS; k++)
    used = write_link(text, used, k + 1, f[k].p, f[k + 1].p);
  used += (size_t)snprintf(text + used, TEXT - used, "joints:\n");
  for (int k = 0; k < JOINTS; k++)
    used = write_joint(text, used, backwards ? JOINTS - 1 - k : k, &f[backwards ? JOINTS - 1 - k : k], more);
  snprintf(text + used, TEXT - used, "%s", rest);
  return text;
}

static const char reactions[] = "J0.fx J0.fy J0.fz J0.tx J1.fx J1.fy J1.fz J1.tx J2.fx J2.fy J2.fz J2.tx J3.fx J3.fy "
                                "J3.fz J3.tx";

// ------------------------------------------------------------------------------------------ comparing

static double largest_value(const driven *d) {
  double most = 0;
  for (long k = 0; k < d->rows; k++)
    for (int c = 0; c < d->count; c++)
      most = fmax(most, fabs(row_of(d, k)[1 + c]));
  return most;
}

// Of everything in all rows; NAN if there are not as many.
static double largest_difference(const driven *a, const driven *b) {
  double most = a->rows == b->rows ? 0.0 : (double)NAN;
  for (long k = 0; k < a->rows && k < b->rows; k++)
    for (int c = 0; c < a->count; c++)
      most = fmax(most, fabs(row_of(a, k)[1 + c] - row_of(b, k)[1 + c]));
  return most;
}

typedef struct choice {
  const char *method, *formulation;
  double error;
} choice;

static const choice choices[] = {{"ch", NULL, 1e-4},     {"ch", "index3", 1e-4}, {"ch", "index2", 1e-4},
                                 {"hht", NULL, 1e-4},    {"radau", NULL, 1e-5},  {"partition", NULL, 1e-5},
                                 {"hybrid", NULL, 1e-5}, {"direct", NULL, 1e-5}, {"baumgarte", NULL, 1e-5},
                                 {"bdf", NULL, 1e-7}};

static driven run_bennett(const choice *c, double end, const char *text) {
  driven d = driven_default(FLY_DYNAMICS, end, end / 400);
  d.options.method.name = c->method;
  d.options.formulation = c->formulation;
  d.options.error = c->error;
  d.options.calibrate = d.options.estimate_error = "no"; // the method by itself
  drive(&d, text, reactions);
  return d;
}

static bool is_missing(const driven *d) { return d->status == FLY_BAD_INPUT && strstr(d->error.message, "build"); }

// ------------------------------------------------------------------------------------------ runs

// The reference keeps other rows and is a hundred times more accurate. Where rows are lost, forces were wrong by
// hundreds of times their size, or there was no run at all.
static void check_family(uint32_t seed, double end, const char *more, const char *rest) {
  const choice exact = {"radau", NULL, 1e-8};
  driven reference = run_bennett(&exact, end, bennett(seed, true, more, rest));
  assert_ok(reference.status, &reference.error);
  const double size = largest_value(&reference);
  for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
    driven d = run_bennett(&choices[k], end, bennett(seed, false, more, rest));
    if (!is_missing(&d)) {
      say("seed %u, %s %s: ", seed, choices[k].method, choices[k].formulation ? choices[k].formulation : "");
      assert_ok(d.status, &d.error);
      assert_at_most(largest_difference(&d, &reference) / size, 2e-3);
      fly_ledger l = fly_run_ledger(d.run);
      assert_at_most(l.worst / l.moved, 1e-3);
    }
    driven_free(&d);
  }
  driven_free(&reference);
}

static void bennett_falls(void **state) {
  for (uint32_t seed = 1; seed <= 3; seed++)
    check_family(seed, 1.5, "", "");
}

static void bennett_turns(void **state) {
  check_family(11, 1.5, ", angular_velocity: 6", "forces:\n  motor: {type: torsion-spring, joint: J0, torque: 3}\n");
}

// All the way round in inverse dynamics: which rows are kept, and where others are chosen, does not show.
static void inverse_dynamics_all_round(void **state) {
  for (uint32_t seed = 21; seed <= 23; seed++) {
    driven d[2];
    for (int k = 0; k < 2; k++) {
      d[k] = driven_default(FLY_INVERSE, 6.3, 0.02);
      drive(&d[k], bennett(seed, k == 1, "", "motions:\n  drive: {joint: J0, velocity: 1}\n"), reactions);
      assert_ok(d[k].status, &d[k].error);
    }
    assert_at_most(largest_difference(&d[0], &d[1]) / largest_value(&d[0]), 1e-6);
    driven_free(&d[0]);
    driven_free(&d[1]);
  }
}

// A force that feels how a redundant joint shares its load jumps with the rows: the run starts again there and goes on.
static void forces_that_feel_reactions(void **state) {
  const choice plain = {"ch", NULL, 1e-4};
  driven d = run_bennett(&plain, 1.5,
                         bennett(1, false, "",
                                 "forces:\n  drag: {type: torsion-spring, joint: J0, torque: "
                                 "-0.01*fm(J1)*rate}\n"));
  assert_ok(d.status, &d.error);
  driven_free(&d);
}

// ------------------------------------------------------------------------------------------ other rows

static void add_forces(fly_assembly *a, double *force, const fly_dae_state *at) {
  fly_csc *G = &a->system.G;
  fly_csc_zero(G);
  a->system.dae.constraint_jacobian(G->val, at->t, at->q, &a->system);
  fly_csc_multiply_transposed_add(force, G, 1.0, at->lambda);
}

// Forces of the last two points' multipliers in turn, at both ends of the last step.
static void forces_of_points(fly_assembly *a, double force[2][18]) {
  fly_error error = {0};
  fly_dae_state now = fly_solver_state(a->solver), last;
  memset(force, 0, 2 * sizeof *force);
  add_forces(a, force[0], &now);
  assert_ok(fly_solver_interpolate(a->solver, now.t - fly_solver_last_step(a->solver), &last, &error), &error);
  add_forces(a, force[1], &last);
}

// The rows kept never come near dependence, others take their place some times, and neither the state nor the forces of
// multipliers change with them.
static void rows_are_kept_independent(void **state) {
  for (int family = 0; family < 3; family++) {
    static const fly_method_family families[] = {FLY_FAMILY_NEWMARK, FLY_FAMILY_RADAU, FLY_FAMILY_PARTITION};
    fly_error error = {0};
    fly_mechanism *m;
    fly_assembly a = {0};
    const char *text = bennett(1, false, "", "");
    fly_dae_options o = fly_dae_options_default();
    o.family = families[family];
    o.error = family > 0 ? 1e-6 : 1e-4;
    assert_ok(fly_mechanism_parse(&m, "test", text, strlen(text), 0, NULL, &error), &error);
    assert_ok(fly_assemble(&a, m, &o, 1.5, &error), &error);
    while (!fly_solver_done(a.solver)) {
      double before[2][18], after[2][18], change = 0;
      const long changes = a.changes;
      fly_dae_state at = fly_solver_state(a.solver);
      forces_of_points(&a, before);
      assert_ok(fly_assembly_watch(&a, &at, fly_solver_last_step(a.solver), &error), &error);
      at = fly_solver_state(a.solver);
      forces_of_points(&a, after);
      for (int k = 0; k < 36; k++)
        change = fmax(change, fabs(after[k / 18][k % 18] - before[k / 18][k % 18]));
      // Rows depend on each other where the constraints are met. Radau meets them to a share of its error (at 1e-4,
      // 1e-5 and 1e-6 forces change by 6e-6, 3e-10 and 2e-11); the past of Adams is a polynomial, known to the error of
      // steps.
      assert_at_most(change, family == 2 ? 2e-7 : 1e-8);
      assert_at_most(a.kept.growth, 20.0);
      assert_true(a.changes == changes || a.kept.rank.rank == a.rank);
      assert_ok(fly_solver_step(a.solver, &error), &error);
      at = fly_solver_state(a.solver);
      assert_ok(fly_assembly_check(&a, &at, &error), &error);
    }
    say("%ld changes\n", a.changes);
    assert_between((double)a.changes, 1, 50);
    fly_assembly_free(&a);
    fly_mechanism_free(m);
  }
}

// ------------------------------------------------------------------------------------------ shares

// A door of weight P on two hinges, a above and below its mass centre, at b: each carries P/2, and M = P b is taken by
// two forces F and two torques T, 2 a F + 2 T = M with F^2 + T^2/L^2 the smallest, L^2 = a^2 + b^2: T = L^2 F/a.
static void door_on_two_hinges(void **state) {
  const double a = 0.9, b = 0.4, P = 20 * 9.81, L2 = a * a + b * b, F = P * b / (2 * (a + L2 / a));
  driven d = driven_default(FLY_DYNAMICS, 0.1, 0.01);
  d.options.error = 1e-5;
  drive(&d,
        "flyball: 1\ngravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  ground: {markers: {low: [0, 0, 0], high: [0, 0, 1.8]}}\n"
        "  door: {mass: 20, inertia: [3, 4, 1.5], position: [0.4, 0, 0.9], angular_velocity: [0, 0, 0],\n"
        "    markers: {low: [-0.4, 0, -0.9], high: [-0.4, 0, 0.9]}}\n"
        "joints:\n"
        "  low: {type: revolute, from: ground.low, to: door.low}\n"
        "  high: {type: revolute, from: ground.high, to: door.high}\n",
        "low.fx low.fz low.ty high.fx high.fz high.ty");
  assert_ok(d.status, &d.error);
  const double expected[] = {F, P / 2, -L2 / a * F, -F, P / 2, -L2 / a * F};
  for (long k = 0; k < d.rows; k++)
    for (int c = 0; c < 6; c++)
      assert_close(row_of(&d, k)[1 + c], expected[c], 1e-9 * P);
  driven_free(&d);
}

#define FOUR_BAR(kind, inertia, more, z)                                                                               \
  "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n"                                                                      \
  "  crank: {" kind "mass: 1, inertia: " inertia "0.01" more ", position: [0, 0.1" z "]}\n"                            \
  "  rod: {" kind "mass: 2, inertia: " inertia "0.1" more ", position: [0.4, 0.35" z "]}\n"                            \
  "  rocker: {" kind "mass: 3, inertia: " inertia "0.2" more ", position: [0.85, 0.25" z "]}\n"                        \
  "joints:\n"                                                                                                          \
  "  A: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], angular_velocity: 7}\n"              \
  "  B: {type: revolute, bodies: [crank, rod], at: [0, 0.2, 0], axis: [0, 0, 1]}\n"                                    \
  "  C: {type: revolute, bodies: [rod, rocker], at: [0.8, 0.5, 0], axis: [0, 0, 1]}\n"                                 \
  "  D: {type: revolute, bodies: [rocker, ground], at: [0.9, 0, 0], axis: [0, 0, 1]}\n"

// In the plane nothing is redundant; in space three rows are, and what they could carry across the plane is nothing.
static void four_bar_in_space(void **state) {
  static const char *const texts[] = {FOUR_BAR("type: planar, ", "", "", ""),
                                      FOUR_BAR("", "[0.15, 0.16, ", "]", ", 0")};
  static const char names[] = "A.fx A.fy B.fx B.fy C.fx C.fy D.fx D.fy A.fz B.fz C.tx D.ty";
  driven d[2];
  for (int k = 0; k < 2; k++) {
    d[k] = driven_default(FLY_DYNAMICS, 2.0, 0.01);
    d[k].options.error = 1e-6;
    d[k].options.method.name = "radau";
    drive(&d[k], texts[k], names);
    assert_ok(d[k].status, &d[k].error);
  }
  assert_int_equal(fly_run_info(d[0].run).redundant, 0);
  assert_int_equal(fly_run_info(d[1].run).redundant, 3);
  assert_at_most(largest_difference(&d[0], &d[1]), 1e-3 * largest_value(&d[0]));
  for (long k = 0; k < d[1].rows; k++)
    for (int c = 8; c < 12; c++)
      assert_close(row_of(&d[1], k)[1 + c], 0, 1e-9 * largest_value(&d[0]));
  driven_free(&d[0]);
  driven_free(&d[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bennett_falls),
      cmocka_unit_test(bennett_turns),
      cmocka_unit_test(inverse_dynamics_all_round),
      cmocka_unit_test(forces_that_feel_reactions),
      cmocka_unit_test(rows_are_kept_independent),
      cmocka_unit_test(door_on_two_hinges),
      cmocka_unit_test(four_bar_in_space),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
