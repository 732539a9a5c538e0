// What nature keeps, kept to the order of the method: energy, angular momentum, constraints that do no work. And two
// formulations of one mechanism agree.
#include <string.h>

#include "problems/seven_body.h"
#include "support/motion.h"

// ---------------------------------------------------------------------------------------------- energy

typedef struct sample {
  const char *name;
  double t_end, h;
} sample;

static double drift_of(const sample *k, fly_dae_options o) {
  fly_problem p = problem_of(k->name, NULL, 0);
  motion m = motion_run(&p, &o, k->t_end);
  const double drift = m.certificate.energy_drift;
  motion_free(&m);
  fly_problem_free(&p);
  return drift;
}

// Second order (or better), in every formulation; the first entry of the certificate is the true start.
static void test_energy(void **state) {
  const sample samples[] = {{"pendulum", 2, 4e-3},      {"double-pendulum", 1, 2e-3}, {"seven-body", 0.01, 1e-5},
                            {"heavy-top", 0.2, 2.5e-4}, {"chain", 0.4, 5e-4},         {"rolling-coin", 1, 2e-3},
                            {"knife-edge", 2, 5e-3}};
  for (size_t k = 0; k < sizeof samples / sizeof *samples; k++)
    for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
      const fly_dae_options o = options_of("ch", 0.8, f);
      const double coarse = drift_of(&samples[k], with_step(o, samples[k].h));
      const double fine = drift_of(&samples[k], with_step(o, samples[k].h / 2));
      say("%-16s formulation %d: energy drift %.2e, %.2e\n", samples[k].name, f, coarse, fine);
      assert_at_least(order_of(coarse, fine, 2), 1.85);
    }
}

// The trapezoid rule stabilized keeps the energy of a chain over many steps; damped members lose it and never gain.
static void test_damping_takes_energy(void **state) {
  fly_problem p = problem_of("pendulum", NULL, 0);
  for (int k = 0; k < 3; k++) {
    const char *names[] = {"hht", "wbz", "ch"};
    const fly_dae_options o = with_step(options_of(names[k], 0.5, FLY_GGL), 0.02);
    motion m = motion_run(&p, &o, 20);
    double first, last;
    const fly_dae_state a = motion_at(&m, 0), b = motion_end(&m);
    p.dae.energy(&first, a.t, a.q, a.v, NULL);
    p.dae.energy(&last, b.t, b.q, b.v, NULL);
    assert_at_most(last - first, -1e-4);
    assert_at_least(last, -9.81);
    motion_free(&m);
  }
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- the heavy top

// Vertical angular momentum about the pivot: (r x m r')_z + (R J omega)_z. Gravity has no moment about the vertical.
static double vertical_momentum(const fly_dae_state *s) {
  const double J[3] = {0.234375, 0.46875, 0.234375}, *p = s->q + 3, *w = s->v + 3;
  const double L[3] = {J[0] * w[0], J[1] * w[1], J[2] * w[2]};
  const double orbital = 15 * (s->q[0] * s->v[1] - s->q[1] * s->v[0]);
  return orbital + 2 * (p[1] * p[3] - p[0] * p[2]) * L[0] + 2 * (p[2] * p[3] + p[0] * p[1]) * L[1] +
         (1 - 2 * (p[1] * p[1] + p[2] * p[2])) * L[2];
}

static void test_heavy_top(void **state) {
  fly_problem p = problem_of("heavy-top", NULL, 0);
  for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
    double momentum[2] = {0}, spin = 0;
    for (int k = 0; k < 2; k++) {
      const fly_dae_options o = with_step(options_of("ch", 0.8, f), k ? 1.25e-4 : 2.5e-4);
      motion m = motion_run(&p, &o, 0.5);
      const fly_dae_state first = motion_at(&m, 0);
      for (int i = 0; i < m.count; i++) {
        const fly_dae_state s = motion_at(&m, i);
        momentum[k] = fmax(momentum[k], fabs(vertical_momentum(&s) - vertical_momentum(&first)));
        spin = fmax(spin, fabs(s.v[4] - first.v[4])); // about its axis of symmetry nothing turns it
      }
      motion_free(&m);
    }
    say("formulation %d: vertical momentum off by %.2e, %.2e, spin by %.1e\n", f, momentum[0], momentum[1], spin);
    assert_at_least(order_of(momentum[0], momentum[1], 2), 1.9);
    assert_at_most(momentum[1], 1e-2); // of 1.1 ... and 70 about the axis
    assert_at_most(spin, 1e-5);
  }
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- constraints

// Each formulation keeps what it says it keeps, and no more.
static void test_constraints(void **state) {
  const sample samples[] = {{"pendulum-family", 4, 5e-3}, {"seven-body", 0.03, 1e-5}, {"rolling-coin", 2, 2e-3}};
  for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
    fly_certificate c[3];
    for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
      fly_problem p = problem_of(samples[k].name, NULL, 0);
      const fly_dae_options o = with_step(options_of("ch", 0.8, f), samples[k].h);
      motion m = motion_run(&p, &o, samples[k].t_end);
      c[f] = m.certificate;
      say("%-16s formulation %d: position %.1e, velocity %.1e, acceleration %.1e\n", samples[k].name, f, c[f].position,
          c[f].velocity, c[f].acceleration);
      motion_free(&m);
      fly_problem_free(&p);
    }
    assert_at_most(c[FLY_INDEX3].position, 1e-9);
    assert_at_most(c[FLY_GGL].position, 1e-9);
    assert_at_least(c[FLY_INDEX2].position, 1e-9); // drifts
    assert_at_most(c[FLY_INDEX2].velocity, 1e-6);
    assert_at_most(c[FLY_GGL].velocity, 1e-6);
    for (int f = 0; f < 3; f++)
      assert_at_least(c[f].acceleration, 1e-9); // of the step, not solved for
  }
}

// ---------------------------------------------------------------------------------------------- one mechanism, twice

static void test_seven_body_twice(void **state) {
  for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
    fly_problem angles = problem_of("seven-body", NULL, 0), cartesian = problem_of("seven-body-cartesian", NULL, 0);
    double difference[2];
    for (int k = 0; k < 2; k++) {
      const fly_dae_options o = with_step(options_of("ch", 0.8, f), k ? 5e-6 : 1e-5);
      motion a = motion_run(&angles, &o, 0.01), c = motion_run(&cartesian, &o, 0.01);
      assert_int_equal(a.count, c.count);
      difference[k] = 0;
      for (int i = 0; i < a.count; i++) {
        const fly_dae_state s = motion_at(&a, i), r = motion_at(&c, i);
        double q[FLY_SEVEN_CARTESIAN], v[FLY_SEVEN_CARTESIAN];
        fly_seven_body_to_cartesian(q, v, s.q, s.v);
        for (int j = 0; j < FLY_SEVEN_CARTESIAN; j++)
          difference[k] = fmax(difference[k], fabs(q[j] - r.q[j]));
      }
      motion_free(&a);
      motion_free(&c);
    }
    say("formulation %d: angles and Cartesian differ by %.2e, %.2e\n", f, difference[0], difference[1]);
    assert_at_most(difference[1], 1e-5);
    assert_between(order_of(difference[0], difference[1], 2), 1.9, 2.1); // only by their discretization errors
    fly_problem_free(&angles);
    fly_problem_free(&cartesian);
  }
}

// A chain of one link is the pendulum, in another constraint: half the square of the length over the length.
static void test_chain_of_one(void **state) {
  fly_problem chain = problem_of("chain", NULL, 1), pendulum = problem_of("pendulum", NULL, 0);
  pendulum.q0[0] = 1, pendulum.q0[1] = 0;
  const fly_dae_options o = with_step(options_of("ch", 0.8, FLY_GGL), 2e-3);
  motion a = motion_run(&chain, &o, 1), b = motion_run(&pendulum, &o, 1);
  for (int i = 0; i < a.count; i++) {
    const fly_dae_state s = motion_at(&a, i), r = motion_at(&b, i);
    for (int j = 0; j < 2; j++)
      if (fabs(s.q[j] - r.q[j]) > 1e-9)
        fail_msg("t = %g: %.12g, %.12g", s.t, s.q[j], r.q[j]);
    if (fabs(s.lambda[0] - 2 * r.lambda[0]) > 1e-5)
      fail_msg("t = %g: tension %.12g, %.12g", s.t, s.lambda[0], 2 * r.lambda[0]);
  }
  motion_free(&a);
  motion_free(&b);
  fly_problem_free(&chain);
  fly_problem_free(&pendulum);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_energy),           cmocka_unit_test(test_damping_takes_energy),
      cmocka_unit_test(test_heavy_top),        cmocka_unit_test(test_constraints),
      cmocka_unit_test(test_seven_body_twice), cmocka_unit_test(test_chain_of_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
