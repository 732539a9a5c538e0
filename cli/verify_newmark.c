// NEWMARK Tables 1-3: errors of Newmark's method at the end of the interval, fixed steps, index 3.
#include <math.h>

#include "verify.h"

// A row of the paper: h = 2^-power.
typedef struct published {
  int power;
  double q, v;
} published;

static const published table1[] = {{4, 7.72e-2, 7.46e-1},  {5, 1.49e-2, 2.94e-2}, {6, 4.48e-3, 1.10e-2},
                                   {7, 1.13e-3, 3.42e-3},  {8, 2.82e-4, 9.02e-4}, {9, 7.05e-5, 2.29e-4},
                                   {10, 1.76e-5, 5.73e-5}, {11, 4.41e-6, 1.44e-5}};
static const published table2[] = {{4, 1.56e-1, 1.13e0},   {5, 6.21e-2, 7.38e-1}, {6, 2.26e-2, 4.27e-1},
                                   {7, 8.19e-3, 2.31e-1},  {8, 3.15e-3, 1.20e-1}, {9, 1.31e-3, 6.12e-2},
                                   {10, 5.88e-4, 3.09e-2}, {11, 2.77e-4, 1.55e-2}};
static const published table3[] = {{9, 7.76e-2, 1.59e-1},  {10, 1.26e-2, 9.39e-2}, {11, 5.85e-3, 4.82e-2},
                                   {12, 2.82e-3, 2.44e-2}, {13, 1.39e-3, 1.23e-2}, {14, 6.85e-4, 6.16e-3}};

// The papers' algorithm: plain start, index 3, steps never corrected.
static verify_case case_of(const char *problem, const char *method, int power) {
  return (verify_case){.problem = problem,
                       .method = method,
                       .formulation = FLY_INDEX3,
                       .start = FLY_START_PLAIN,
                       .change = FLY_CHANGE_NONE,
                       .step = ldexp(1, -power)};
}

static double percent(double ours, double theirs) { return 100 * (ours / theirs - 1); }

// Runs all rows; the worst deviation in percent of the rows with power >= from.
static double run_table(verify *v, const char *problem, const char *method, const published *rows, int n, int from) {
  double worst = 0, last_q = NAN, last_v = NAN;
  verify_table_begin(v, "h | q published | ours | off | R | v published | ours | off | R | limit",
                     "Errors at the end of the interval, 2-norms; R: error at 2h over error at h.");
  for (int i = 0; i < n; i++) {
    const verify_case c = case_of(problem, method, rows[i].power);
    const verify_result r = verify_run(v, &c, false, NULL, NULL);
    const double off_q = percent(r.end_q, rows[i].q), off_v = percent(r.end_v, rows[i].v);
    verify_row(v, "2^-%d | %.2e | %.4e | %+.2f %% | %.2f | %.2e | %.4e | %+.2f %% | %.2f | %s", rows[i].power,
               rows[i].q, r.end_q, off_q, last_q / r.end_q, rows[i].v, r.end_v, off_v, last_v / r.end_v,
               rows[i].power >= from ? "2 %" : "none");
    last_q = r.end_q;
    last_v = r.end_v;
    if (rows[i].power >= from)
      worst = isfinite(off_q + off_v) ? fmax(worst, fmax(fabs(off_q), fabs(off_v))) : HUGE_VAL;
  }
  verify_table_end(v);
  return worst;
}

void verify_newmark_1(verify *v) {
  verify_say(
      v, "The simple pendulum of NEWMARK 6.1, T = 4 s, by the trapezoidal rule (gamma = 1/2, beta = 1/4) in index 3 "
         "with a plain start, as in the paper. `flyball problem pendulum --method trapezoid --formulation index3 "
         "--start plain --step H`. The coarse rows have no limit: the trapezoidal rule does not damp lambda, and "
         "they depend on how far the corrector is iterated.");
  const double worst = run_table(v, "pendulum", "trapezoid", table1, 8, 7);
  verify_check(v, worst, AT_MOST, 2, "Table 1, h <= 2^-7, largest deviation in percent");
}

void verify_newmark_2(verify *v) {
  verify_say(v,
             "The same pendulum with gamma = 3/4, beta = (gamma + 1/2)^2/4. `flyball problem pendulum --method newmark "
             "--gamma 0.75 --formulation index3 --start plain --step H`.");
  const double worst = run_table(v, "pendulum", "newmark 0.75", table2, 8, 0);
  verify_check(v, worst, AT_MOST, 2, "Table 2, all rows, largest deviation in percent");
}

void verify_newmark_3(verify *v) {
  verify_say(
      v, "Two rods with stiff, strongly damped torsional springs (NEWMARK 6.2), T = 2 s, gamma = 3/4. The start has "
         "theta_1 = 2 pi: the paper's \"parallel with the global frame\" leaves that open, and only so do its "
         "numbers come out. The `hard` variant has theta_1 = 0, springs wound by several radians: an undamped "
         "Newton iteration from a_1 = a_0 diverges there at h = 2^-9.");
  const double worst = run_table(v, "stiff-double-pendulum", "newmark 0.75", table3, 6, 10);
  verify_check(v, worst, AT_MOST, 2, "Table 3, h <= 2^-10, largest deviation in percent");
  const char *const variants[] = {"newmark", "hard"};
  for (int i = 0; i < 2; i++) {
    verify_case c = case_of("stiff-double-pendulum", "newmark 0.75", 9);
    c.variant = variants[i];
    const verify_result r = verify_run(v, &c, false, NULL, NULL);
    const bool done = r.status == FLY_OK && r.end_q < 0.5;
    verify_check_that(v, done, "h = 2^-9 from the start `%s` reaches T = 2 near the true motion%s%s", variants[i],
                      r.status == FLY_OK ? "" : ": ", r.status == FLY_OK ? "" : r.error.message);
    verify_note(v,
                "%ld steps (%ld had to be divided, %ld line searches), %.2f Newton iterations a step; errors %.3e in "
                "q, %.3e in v at T = 2; largest |g| %.1e.",
                r.stats.steps, r.stats.cut_steps, r.stats.line_searches,
                (double)r.stats.newton_iterations / (double)r.stats.steps, r.end_q, r.end_v, r.certificate.position);
  }
}
