// Whole models against numbers from outside: shared by the quick tests and the slow ones. Sources: problems.md of the
// reference library; "independent" means computed there by programs that share nothing with this one.
#ifndef FLY_TESTS_SYSTEM_REFERENCES_H
#define FLY_TESTS_SYSTEM_REFERENCES_H

#include "base/check.h"
#include "system/machine.h"

static inline void say_run(const char *name, double tolerance, double worst, const machine *m) {
  fly_stats s = fly_solver_stats(m->solver);
  fly_certificate c = fly_solver_certificate(m->solver);
  say("%s at %.0e: off by %.2e; %ld steps in %.2f s, energy %.1e of %.3g J\n", name, tolerance, worst, s.steps,
      s.wall_s, c.energy_drift, c.energy_start);
}

// A01: exact by elliptic functions.
static const double PENDULUM[][3] = {{1, 0.9862917511318736, -0.1650108531255508},
                                     {2, -0.7935661953432432, -0.6084839304438941},
                                     {5, -0.9423054350438086, -0.3347543384138564},
                                     {9.99, -0.3164364699132249, -0.9486137045757124},
                                     {10, -0.2750874625763147, -0.9614192050990685}};

static inline double pendulum_error(double tolerance, double *energy) {
  machine *m = machine_example("simple-pendulum");
  double worst = 0;
  machine_start(m, tolerance, 10.0);
  for (size_t k = 0; k < sizeof PENDULUM / sizeof *PENDULUM; k++) {
    fly_dae_state at = machine_at(m, PENDULUM[k][0]);
    worst = fmax(worst, hypot(at.q[0] - PENDULUM[k][1], at.q[1] - PENDULUM[k][2]));
  }
  *energy = fly_solver_certificate(m->solver).energy_drift;
  say_run("pendulum", tolerance, worst, m);
  machine_free(m);
  return worst;
}

// A04: point P3, independent.
static const double BRICARD[][4] = {
    {0.5, 0.77471781, -0.97981505, -0.19990616},  {1, 0.27448132, -0.88670794, -0.46233000},
    {1.25, -0.0023061, -0.86602694, -0.49999734}, {2.5, -0.999983185, -1.0, -1.68e-5},
    {5, 0.999932742, -0.999999998, -6.73e-5},     {10, 0.999730987, -0.999999964, -2.69e-4}};

static inline double bricard_error(double tolerance, double end, double *energy) {
  machine *m = machine_example("bricard");
  double worst = 0;
  machine_start(m, tolerance, end);
  assert_int_equal(m->model.nrow, 30);
  assert_int_equal(m->rank, 29);
  for (size_t k = 0; k < sizeof BRICARD / sizeof *BRICARD && BRICARD[k][0] <= end; k++) {
    fly_dae_state at = machine_at(m, BRICARD[k][0]);
    double p[3] = {machine_output(m, &at, "x"), machine_output(m, &at, "y"), machine_output(m, &at, "z")};
    for (int c = 0; c < 3; c++)
      worst = fmax(worst, fabs(p[c] - BRICARD[k][1 + c]));
  }
  *energy = fly_solver_certificate(m->solver).energy_drift;
  say_run("Bricard", tolerance, worst, m);
  machine_free(m);
  return worst;
}

// A1 at t = 0.03, independent (float128): angles and their rates.
static const double SEVEN_Q[7] = {15.81077119515370709711939,   -15.75637105841183946972775,
                                  0.04082224011964580485828232, -0.5347301163420795937701850,
                                  0.5244099658799540693716558,  0.5347301163420795937701850,
                                  1.048080741041937873068515};
static const double SEVEN_V[7] = {1139.920302259106064198097, -1424.379295177540073196026, 11.03291191061859374532731,
                                  19.29337410503204083162756, 0.5735699148295024538176879, -19.29337410503204083162756,
                                  0.3231791492491308749907484};

// Turns of the seven bodies, from the angles of the test set.
static inline void seven_turns(double out[7], const double q[7]) {
  memcpy(out, (double[7]){q[0], q[0] + q[1], q[2], q[3] + q[4], q[4], q[5] + q[6], q[6]}, 7 * sizeof *out);
}

// Angles and rates of the bodies at the end; angles of spatial bodies in (-pi, pi].
static inline void seven_body(const char *example, double tolerance, double angle[7], double rate[7], int redundant) {
  machine *m = machine_example(example);
  machine_start(m, tolerance, 0.03);
  assert_int_equal(m->model.nrow - m->rank, redundant);
  fly_dae_state at = machine_at(m, 0.03);
  for (int k = 0; k < 7; k++) {
    const fly_body *b = &m->model.body[k];
    bool flat = b->type->flat;
    angle[k] = flat ? at.q[b->iq + 2] : 2 * atan2(at.q[b->iq + 6], at.q[b->iq + 3]);
    rate[k] = flat ? at.v[b->iv + 2] : at.v[b->iv + 5];
  }
  say_run(example, tolerance, 0, m);
  machine_free(m);
}

static inline double turn_between(double a, double b) { return fabs(remainder(a - b, 2 * acos(-1.0))); }

// Errors of angles [rad], and of rates [rad/s].
static inline void seven_body_errors(const double angle[7], const double rate[7], double *position, double *velocity) {
  double q[7], v[7];
  seven_turns(q, SEVEN_Q);
  seven_turns(v, SEVEN_V);
  *position = *velocity = 0;
  for (int k = 0; k < 7; k++) {
    *position = fmax(*position, turn_between(angle[k], q[k]));
    *velocity = fmax(*velocity, fabs(rate[k] - v[k]));
  }
}

// Published rows of Masoudi (reading a) : time, slider, crank angle. Good to 6e-7 and 2.6e-5 up to 1 s, to 1.3e-5 and
// 3.3e-4 up to 5 s.
static const double SPATIAL_CRANK[][3] = {{0.050167224, 0.212599606, 0.2814088},
                                          {0.16722408, 0.249498591, 0.998379557},
                                          {0.284280936, 0.290155796, 2.432952873},
                                          {0.401337793, 0.235293252, 4.171787957},
                                          {0.518394649, 0.185106382, 5.520794922},
                                          {0.752508361, 0.243868505, 7.170120556},
                                          {1.337792642, 0.238527913, 13.35009261},
                                          {1.923076923, 0.23345697, 19.53652044},
                                          {4.297658863, 0.224936371, 44.50692112},
                                          {4.882943144, 0.220505674, 50.70455243},
                                          {5, 0.261012849, 51.50682085}};

static inline void spatial_crank_errors(double tolerance, double end, double *slider, double *crank, double *energy) {
  machine *m = machine_example("spatial-slider-crank");
  *slider = *crank = 0;
  machine_start(m, tolerance, end);
  assert_int_equal(m->rank, m->model.nrow);
  int b = machine_body(m, "crank")->iq, s = machine_body(m, "slider")->iq;
  for (size_t k = 0; k < sizeof SPATIAL_CRANK / sizeof *SPATIAL_CRANK && SPATIAL_CRANK[k][0] <= end; k++) {
    fly_dae_state at = machine_at(m, SPATIAL_CRANK[k][0]);
    *slider = fmax(*slider, fabs(at.q[s] - SPATIAL_CRANK[k][1]));
    *crank = fmax(*crank, turn_between(2 * atan2(at.q[b + 4], at.q[b + 3]), SPATIAL_CRANK[k][2]));
  }
  if (end == 5) { // independent, all digits printed
    fly_dae_state at = machine_at(m, end);
    assert_close(at.q[s], 0.2610020063, 1e-6);
    assert_at_most(turn_between(2 * atan2(at.q[b + 4], at.q[b + 3]), 51.5065784), 1e-5);
  }
  *energy = fly_solver_certificate(m->solver).energy_drift;
  say_run("spatial slider crank", tolerance, *slider, m);
  machine_free(m);
}

#endif
