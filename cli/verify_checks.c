// Conditioning, agreement of two models, invariants, nonholonomic constraints, and scaling with the size.
#include <math.h>
#include <string.h>

#include "problems/reference.h"
#include "verify.h"

// ---------------------------------------------------------------------------------------------- condition

enum { CONDITIONS = 9 }; // h = 1e-2 ... 1e-10

typedef struct conditions {
  double scaled[CONDITIONS], unscaled[CONDITIONS];
} conditions;

static double condition_step(int i) { return pow(10, -2 - i); }

// At t = 0.02 of a run of the seven-body mechanism. False after a note.
static bool find_conditions(verify *v, fly_formulation f, conditions *c) {
  fly_problem p;
  fly_solver *s = NULL;
  fly_error error = {0};
  fly_dae_options o = fly_dae_options_default();
  o.formulation = f;
  o.error = 1e-6;
  fly_status status = fly_problem_make(&p, "seven-body", NULL, 0, &error);
  if (status == FLY_OK)
    status = fly_solver_create(&s, &p.dae, &o, &error);
  if (status == FLY_OK)
    status = fly_solver_start(s, 0, 0.02, p.q0, p.v0, p.x0, &error);
  if (status == FLY_OK)
    status = fly_solver_advance(s, 0.02, &error);
  for (int i = 0; i < CONDITIONS && status == FLY_OK; i++) {
    status = fly_solver_condition(s, condition_step(i), true, &c->scaled[i], &error);
    if (status == FLY_OK)
      status = fly_solver_condition(s, condition_step(i), false, &c->unscaled[i], &error);
  }
  fly_solver_free(s);
  fly_problem_free(&p);
  if (status == FLY_OK)
    return true;
  verify_check_that(v, false, "condition of %s: %s", verify_formulation_name(f), error.message);
  return false;
}

static double spread(const double *a, int n) {
  double low = HUGE_VAL, high = 0;
  for (int i = 0; i < n; i++) {
    low = fmin(low, a[i]);
    high = fmax(high, a[i]);
  }
  return high / low;
}

void verify_condition(verify *v) {
  conditions index3, ggl;
  verify_say(
      v, "2-norm condition of the matrix of one step at t = 0.02 s of the seven-body mechanism, CH(0.6): scaled as it "
         "is factorized, and as the equations stand. `flyball problem seven-body --end 0.02 --error 1e-6 "
         "--condition --formulation F`. An independent prototype has 1.7e4 to 5.2e4 in index 3 and 4e3 to 7e4 in "
         "GGL, equilibrated.");
  if (!find_conditions(v, FLY_INDEX3, &index3) || !find_conditions(v, FLY_GGL, &ggl))
    return;
  verify_table_begin(v, "h [s] | index3 scaled | unscaled | ggl scaled | unscaled", "Condition numbers.");
  for (int i = 0; i < CONDITIONS; i++)
    verify_row(v, "%.0e | %.2e | %.2e | %.2e | %.2e", condition_step(i), index3.scaled[i], index3.unscaled[i],
               ggl.scaled[i], ggl.unscaled[i]);
  verify_table_end(v);
  verify_check(v, spread(index3.scaled, CONDITIONS), AT_MOST, 100, "index 3, scaled: largest over smallest");
  verify_check(v, spread(ggl.scaled, CONDITIONS), AT_MOST, 100, "GGL, scaled: largest over smallest");
  verify_check(v, spread(index3.unscaled, CONDITIONS), AT_LEAST, 1e6, "index 3, unscaled: largest over smallest");
  verify_check(v, spread(ggl.unscaled, CONDITIONS), AT_LEAST, 1e6, "GGL, unscaled: largest over smallest");
}

// ---------------------------------------------------------------------------------------------- two models

enum { BODIES = 7, CARTESIAN = 3 * BODIES };

// Angles of the bodies at the last point.
typedef struct last_point {
  bool cartesian; // of (x, y, phi) of each body; else from the seven angles of the mechanism
  double phi[BODIES];
} last_point;

// The bodies turn with (beta, beta+Theta, gamma, Phi+delta, delta, Omega+epsilon, epsilon).
static void find_angles(last_point *p, const double *q) {
  const double angle[BODIES] = {q[0], q[0] + q[1], q[2], q[3] + q[4], q[4], q[5] + q[6], q[6]};
  for (int i = 0; i < BODIES; i++)
    p->phi[i] = p->cartesian ? q[3 * i + 2] : angle[i];
}

static void keep_last(const fly_solver *solver, const fly_dae_state *reference, void *user) {
  (void)reference;
  find_angles(user, fly_solver_state(solver).q);
}

static double model_difference(const last_point *a, const last_point *b) {
  double largest = 0;
  for (int i = 0; i < BODIES; i++)
    largest = fmax(largest, fabs(a->phi[i] - b->phi[i]));
  return largest;
}

static bool reference_end(last_point *out, const char *problem) {
  fly_problem p;
  fly_reference *r = NULL;
  double q[CARTESIAN];
  if (fly_problem_make(&p, problem, NULL, 0, NULL) != FLY_OK)
    return false;
  fly_status status = fly_reference_create(&r, &p.dae, 0, p.t_end, p.q0, p.v0, p.x0, FLY_REFERENCE_TOLERANCE, NULL);
  if (status == FLY_OK)
    status = fly_reference_at(r, p.t_end, q, NULL, NULL, NULL, NULL, NULL);
  if (status == FLY_OK)
    find_angles(out, q);
  fly_reference_free(r);
  fly_problem_free(&p);
  return status == FLY_OK;
}

static void check_models(verify *v) {
  enum { N = 4 };
  static const fly_formulation forms[] = {FLY_GGL, FLY_INDEX3};
  double tolerance[N], difference[2][N], worst = 0;
  verify_heading(v, "The seven-body mechanism in 7 angles and in 21 Cartesian coordinates");
  verify_table_begin(v, "error asked | ggl: difference at T | over asked | index3: difference at T | over asked",
                     "Largest difference of the angles of the bodies at T = 0.03 s [rad], CH(0.6).");
  for (int i = 0; i < N; i++) {
    tolerance[i] = pow(10, -4 - i);
    for (int g = 0; g < 2; g++) {
      last_point angles = {.cartesian = false}, cartesian = {.cartesian = true};
      verify_case c = {.problem = "seven-body", .method = "ch 0.6", .formulation = forms[g], .error = tolerance[i]};
      const bool one = verify_run(v, &c, false, keep_last, &angles).status == FLY_OK;
      c.problem = "seven-body-cartesian";
      const bool two = verify_run(v, &c, false, keep_last, &cartesian).status == FLY_OK;
      difference[g][i] = one && two ? model_difference(&angles, &cartesian) : HUGE_VAL;
      worst = fmax(worst, difference[g][i] / tolerance[i]);
    }
    verify_row(v, "%.0e | %.2e | %.2f | %.2e | %.2f", tolerance[i], difference[0][i], difference[0][i] / tolerance[i],
               difference[1][i], difference[1][i] / tolerance[i]);
  }
  verify_table_end(v);
  verify_check(v, worst, AT_MOST, 100, "largest difference over the error asked");
  verify_check(v, verify_slope(tolerance, difference[0], N), AT_LEAST, 0.8, "GGL: slope of the difference");
  last_point a = {.cartesian = false}, b = {.cartesian = true};
  const bool both = reference_end(&a, "seven-body") && reference_end(&b, "seven-body-cartesian");
  verify_check(v, both ? model_difference(&a, &b) : HUGE_VAL, AT_MOST, 1e-10,
               "the two reference solutions differ at T by [rad]");
}

// ---------------------------------------------------------------------------------------------- invariants

// Heavy top of problems/heavy_top.c: largest deviations of the energy and of the vertical angular momentum about the
// fixed point, e_z . (r x m r' + R J omega).
typedef struct invariants {
  const fly_dae_problem *p;
  double energy0, momentum0, energy, momentum;
} invariants;

static double vertical_momentum(const double *q, const double *v) {
  static const double m = 15, J[3] = {0.234375, 0.46875, 0.234375};
  const double *p = q + 3, *w = v + 3;
  const double row[3] = {2 * (p[1] * p[3] - p[0] * p[2]), 2 * (p[2] * p[3] + p[0] * p[1]),
                         1 - 2 * (p[1] * p[1] + p[2] * p[2])}; // third row of R
  return m * (q[0] * v[1] - q[1] * v[0]) + row[0] * J[0] * w[0] + row[1] * J[1] * w[1] + row[2] * J[2] * w[2];
}

static void watch_invariants(const fly_solver *solver, const fly_dae_state *reference, void *user) {
  (void)reference;
  invariants *i = user;
  const fly_dae_state s = fly_solver_state(solver);
  double E = NAN;
  i->p->energy(&E, s.t, s.q, s.v, i->p->user);
  i->energy = fmax(i->energy, fabs(E - i->energy0));
  i->momentum = fmax(i->momentum, fabs(vertical_momentum(s.q, s.v) - i->momentum0));
}

static void check_top(verify *v) {
  enum { N = 4 };
  static const fly_formulation forms[] = {FLY_GGL, FLY_INDEX3};
  fly_problem p;
  if (fly_problem_make(&p, "heavy-top", NULL, 0, NULL) != FLY_OK)
    return;
  invariants start = {.p = &p.dae, .momentum0 = vertical_momentum(p.q0, p.v0)};
  p.dae.energy(&start.energy0, 0, p.q0, p.v0, p.dae.user);
  double energy[2][N], momentum[2][N];
  verify_heading(v, "Invariants of the heavy top");
  verify_table_begin(v,
                     "h [s] | ggl: energy [J] | order | momentum [Js] | order | index3: energy [J] | order | "
                     "momentum [Js] | order",
                     "Largest deviations over T = 1 s, CH(0.6), fixed steps; energy %.6g J, vertical momentum %.6g Js.",
                     start.energy0, start.momentum0);
  for (int k = 0; k < N; k++) {
    const double h = ldexp(1e-3, -k);
    double order[2][2] = {{NAN, NAN}, {NAN, NAN}};
    for (int g = 0; g < 2; g++) {
      invariants i = start;
      const verify_case c = {.problem = "heavy-top", .method = "ch 0.6", .formulation = forms[g], .step = h};
      const bool done = verify_run(v, &c, false, watch_invariants, &i).status == FLY_OK;
      energy[g][k] = done ? i.energy : HUGE_VAL;
      momentum[g][k] = done ? i.momentum : HUGE_VAL;
      order[g][0] = k > 0 ? verify_order(energy[g][k - 1], energy[g][k], 2) : (double)NAN;
      order[g][1] = k > 0 ? verify_order(momentum[g][k - 1], momentum[g][k], 2) : (double)NAN;
    }
    verify_row(v, "%g | %.3e | %.2f | %.3e | %.2f | %.3e | %.2f | %.3e | %.2f", h, energy[0][k], order[0][0],
               momentum[0][k], order[0][1], energy[1][k], order[1][0], momentum[1][k], order[1][1]);
  }
  verify_table_end(v);
  for (int g = 0; g < 2; g++) {
    const char *form = verify_formulation_name(forms[g]);
    verify_check(v, verify_order(energy[g][N - 2], energy[g][N - 1], 2), AT_LEAST, 1.9, "%s: order of the energy",
                 form);
    verify_check(v, verify_order(momentum[g][N - 2], momentum[g][N - 1], 2), AT_LEAST, 1.9,
                 "%s: order of the vertical momentum", form);
  }
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- nonholonomic

static void check_nonholonomic(verify *v) {
  static const char *const problems[] = {"knife-edge", "rolling-coin"};
  static const fly_formulation forms[] = {FLY_GGL, FLY_INDEX3};
  double worst = 0;
  verify_heading(v, "Nonholonomic constraints");
  verify_table_begin(v, "problem | formulation | error asked | largest position | largest velocity | E | E/asked",
                     "Largest residuals of the constraints (|g| and |B v + b|, in m and m/s) and weighted error.");
  for (int i = 0; i < 2; i++)
    for (int g = 0; g < 2; g++)
      for (int k = 0; k < 2; k++) {
        const verify_case c = {
            .problem = problems[i], .method = "ch 0.6", .formulation = forms[g], .error = pow(10, -4 - 2 * k)};
        const verify_result r = verify_run(v, &c, true, NULL, NULL);
        verify_row(v, "%s | %s | %.0e | %.1e | %.1e | %.2e | %.2f", problems[i], verify_formulation_name(forms[g]),
                   c.error, r.certificate.position, r.certificate.velocity, r.weighted, r.weighted / c.error);
        worst = fmax(worst, r.status == FLY_OK ? r.certificate.velocity / c.error : HUGE_VAL);
      }
  verify_table_end(v);
  verify_check(v, worst, AT_MOST, 1e-3, "largest |B v + b| over the error asked");
}

void verify_agreement(verify *v) {
  check_models(v);
  check_top(v);
  check_nonholonomic(v);
}
