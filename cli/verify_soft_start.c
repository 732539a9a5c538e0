// Starts of a stiff spring: FAMILY Fig. 3.3, and two coefficients of (3.21) that are exchanged.
#include <math.h>

#include "verify.h"

typedef struct ringing {
  verify_figure *f;
  double low, high; // of the spring's force about the rigid one, from 1.75 s on
} ringing;

static void watch_ringing(const fly_solver *solver, const fly_dae_state *reference, void *user) {
  ringing *r = user;
  const fly_dae_state s = fly_solver_state(solver);
  const double off = s.y[0] - reference->lambda[0];
  if (s.t < 1.75)
    return;
  r->low = fmin(r->low, off);
  r->high = fmax(r->high, off);
  verify_point(r->f, s.t, s.vdot[0]);
}

typedef struct start {
  const char *title;
  double q[2], v[2];
} start;

static void ring(verify *v, verify_figure *f, const start *s, double *swing, double *evaluations) {
  ringing r = {.f = f, .low = INFINITY, .high = -INFINITY};
  verify_case c = {.problem = "pendulum-family",
                   .method = "direct",
                   .q0 = s->q,
                   .v0 = s->v,
                   .error = 1e-9,
                   .end = 2,
                   .softness = 1e-2,
                   .soft = FLY_SOFT_STIFF,
                   .loose = true};
  verify_curve(f, s->title, "lines");
  const verify_result result = verify_run(v, &c, true, watch_ringing, &r);
  *swing = r.high - r.low;
  *evaluations = (double)result.stats.residuals;
  verify_row(v, "%s | %.0f | %.2e", s->title, *evaluations, *swing);
}

void verify_soft_start(verify *v) {
  static const double g = 9.81, e2 = 1e-4, e4 = 1e-8;
  const double q = sqrt(0.5), q1 = sqrt(2) - g / 2, slope = -3 * g / sqrt(2),
               bend = -(3 * g * g + 4 * sqrt(2) * g + 8) / (2 * sqrt(2)), last = 4.5 * g * (g + 2 * sqrt(2));
  const start starts[] = {
      {"(a) disturbed by 0.05", {q + 0.05, q + 0.05}, {-0.95, 1.05}},
      {"(b) on the constraint", {q, q}, {-1, 1}},
      {"(c) epsilon^2", {q + e2 * q1, q + e2 * q1}, {-1 + e2 * slope, 1 + e2 * slope}},
      {"(d) epsilon^4",
       {q + e2 * q1 + e4 * bend, q + e2 * q1 + e4 * bend},
       {-1 + e2 * slope + e4 * last, 1 + e2 * slope + e4 * last}},
      {"as printed, epsilon^4",
       {q + e2 * q1 + e4 * slope, q + e2 * q1 + e4 * slope},
       {-1 + e2 * bend + e4 * last, 1 + e2 * bend + e4 * last}},
  };
  double swing[5], evaluations[5];
  verify_figure f;
  verify_heading(v, "Fig. 3.3: starts of a stiff spring");
  verify_say(v, "The pendulum of chapter 1 on a spring with epsilon = 1e-2, by Adams' formulas of variable order "
                "(`direct`), error 1e-9, to 2 s. The paper, by ode113 with tolerances of 1e-12: 4924 evaluations from "
                "(a) a start disturbed by 0.05, 3339 from (b) the constraint, 2331 and 1653 from (c) and (d), (3.21) "
                "up to epsilon^2 and "
                "epsilon^4. Here (3.21) is corrected: the velocity's epsilon^2 is -3g/sqrt 2, the position's epsilon^4 "
                "-(3g^2 + 4 sqrt 2 g + 8)/(2 sqrt 2); they are exchanged in print.");
  verify_figure_begin(&f, v, "soft-starts");
  verify_panel(&f, "set title 'pendulum on a spring, ε = 0.01'\nset xlabel 't [s]'\nset ylabel \"v_x' [m/s²]\"\n"
                   "set key below");
  verify_table_begin(v, "start | evaluations | swing of lambda about the rigid one, 1.75 to 2 s",
                     "What a start costs, and how much it rings.");
  for (int k = 0; k < 5; k++)
    ring(v, &f, &starts[k], &swing[k], &evaluations[k]);
  verify_table_end(v);
  verify_figure_end(&f, v, "Accelerations of a stiff pendulum from four starts (FAMILY Fig. 3.3).");
  verify_check_that(v, swing[0] > swing[1] && swing[1] > swing[2] && swing[2] >= swing[3],
                    "(a) rings more than (b), (b) than (c), (c) than (d)");
  verify_check_that(v, evaluations[0] > evaluations[1] && evaluations[1] > evaluations[2], "and costs more");
  verify_check(v, swing[4] / swing[3], AT_LEAST, 5, "(3.21) as printed: ringing over that of (d)");
}
