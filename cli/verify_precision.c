// The error of adaptive runs against the error asked for, and what they cost.
#include <math.h>

#include "verify.h"

enum { TOLERANCES = 6 };

typedef struct sweep {
  int n;
  double tolerance[TOLERANCES], error[TOLERANCES];
  double work[TOLERANCES]; // evaluations of the equations
  bool failed[TOLERANCES]; // the run says so
  int failures;
  fly_error message; // of the last failure
} sweep;

static sweep run_sweep(verify *v, const char *problem, fly_formulation f, fly_error_per per) {
  const char *form = verify_formulation_name(f);
  sweep s = {.n = v->quick ? 4 : TOLERANCES};
  verify_table_begin(
      v,
      "error asked | E | E/asked | says | steps | rejected | (Newton) | Newton it. | residuals | jacobians | "
      "factorizations | error of lambda | seconds",
      "%s, %s, error per %s. E: largest weighted error over the accepted steps.", problem, form,
      per == FLY_PER_RUN ? "run" : "step");
  for (int i = 0; i < s.n; i++) {
    const verify_case c = {
        .problem = problem, .method = "ch 0.6", .formulation = f, .per = per, .error = pow(10, -3 - i)};
    const verify_result r = verify_run(v, &c, true, NULL, NULL);
    const fly_stats *t = &r.stats;
    s.tolerance[i] = c.error;
    s.error[i] = r.weighted;
    s.work[i] = (double)t->residuals;
    s.failed[i] = r.status != FLY_OK;
    s.failures += s.failed[i];
    verify_row(v, "%.0e | %.2e | %.2f | %s | %ld | %ld | %ld | %ld | %ld | %ld | %ld | %.2e | %.2f", c.error,
               r.weighted, r.weighted / c.error, s.failed[i] ? "failed" : "ok", t->steps, t->rejected_error,
               t->rejected_newton, t->newton_iterations, t->residuals, t->jacobians,
               t->factorizations + t->refactorizations, r.lambda, t->wall_s);
    if (s.failed[i])
      s.message = r.error;
  }
  verify_table_end(v);
  return s;
}

static void check_sweep(verify *v, const char *label, const sweep *s) {
  double growth = 0, ratio = 0;
  for (int i = 0; i < s->n; i++) {
    ratio = isfinite(s->error[i]) ? fmax(ratio, s->error[i] / s->tolerance[i]) : HUGE_VAL;
    if (i > 0)
      growth = isfinite(s->error[i]) ? fmax(growth, s->error[i] / s->error[i - 1]) : HUGE_VAL;
  }
  verify_check(v, s->failures, AT_MOST, 0, "%s: runs that fail", label);
  verify_check(v, growth, AT_MOST, 1, "%s: E falls with the tolerance; largest E(tol/10)/E(tol)", label);
  verify_check(v, verify_slope(s->tolerance, s->error, s->n), AT_LEAST, 0.8, "%s: slope of log E over log tol", label);
  verify_check(v, ratio, AT_MOST, 100, "%s: largest E/tol", label);
}

// Besides the limits: a run that misses the error asked for should at least say so.
static void check_refusals(verify *v, const char *label, const sweep *s) {
  double ratio = 0;
  for (int i = 0; i < s->n; i++)
    if (!s->failed[i])
      ratio = isfinite(s->error[i]) ? fmax(ratio, s->error[i] / s->tolerance[i]) : HUGE_VAL;
  verify_note(v, "%s: %d of %d runs end with a message, the last: \"%s\" Slope over all: %.2f.", label, s->failures,
              s->n, s->message.message, verify_slope(s->tolerance, s->error, s->n));
  verify_check(v, ratio, AT_MOST, 100, "%s: largest E/tol of the runs that report success", label);
}

static const char *const styles[4] = {"linespoints lc 1 pt 7", "linespoints lc 1 pt 6 dt 2", "linespoints lc 2 pt 5",
                                      "linespoints lc 2 pt 4 dt 2"};
static const char *const titles[4] = {"index3, per run", "index3, per step", "ggl, per run", "ggl, per step"};

// E over x, the error asked or the work; four sweeps: index3 and ggl, per run and per step.
static void draw_sweeps(verify_figure *f, const sweep s[4], bool work) {
  for (int k = 0; k < 4; k++) {
    verify_curve(f, titles[k], styles[k]);
    for (int i = 0; i < s[k].n; i++)
      verify_point(f, work ? s[k].work[i] : s[k].tolerance[i], s[k].error[i]);
  }
  if (work)
    return;
  verify_curve(f, "E = error asked", "lines dt 3 lc rgb 'gray40'");
  verify_point(f, 1e-3, 1e-3);
  verify_point(f, 1e-8, 1e-8);
}

static void check_problem(verify *v, const char *problem, sweep s[4]) {
  for (int k = 0; k < 4; k++) {
    char label[100];
    const fly_formulation form = k < 2 ? FLY_INDEX3 : FLY_GGL;
    const bool run = k % 2 == 0;
    s[k] = run_sweep(v, problem, form, run ? FLY_PER_RUN : FLY_PER_STEP);
    snprintf(label, sizeof label, "%s, %s", problem, titles[k]);
    if (run)
      check_sweep(v, label, &s[k]);
    if (run && s[k].failures > 0)
      check_refusals(v, label, &s[k]);
    if (!run)
      verify_note(v, "%s: slope %.2f", label, verify_slope(s[k].tolerance, s[k].error, s[k].n));
  }
}

void verify_precision(verify *v) {
  static const char *const problems[] = {"seven-body", "slider-crank", "pendulum"};
  verify_figure f;
  sweep s[3][4];
  verify_say(v,
             "Adaptive runs of CH(0.6) with the shift, tolerances 1e-3 to %s. E is the largest error of the positions "
             "(and first-order states) over the accepted steps, each divided by its scale: the norm of --error. The "
             "limits hold for the error per run, which is the default; the error per step of the papers is shown "
             "beside it and has none: its global error goes like tol^(2/3) at best. `flyball problem NAME "
             "--formulation F --error E --error-per run|step`.",
             v->quick ? "1e-6 (--quick)" : "1e-8");
  verify_figure_begin(&f, v, "precision");
  for (int i = 0; i < 3; i++) {
    char setup[300];
    snprintf(setup, sizeof setup,
             "set title '%s'\nset xlabel 'error asked'\nset ylabel 'E'\nset logscale xy\nset format '10^{%%L}'\n"
             "set key bottom right",
             problems[i]);
    verify_heading(v, "%s", problems[i]);
    check_problem(v, problems[i], s[i]);
    verify_panel(&f, setup);
    draw_sweeps(&f, s[i], false);
  }
  verify_panel(&f, "set title 'seven-body, work'\nset xlabel 'evaluations of the equations'\nset ylabel 'E'\n"
                   "set logscale xy\nset format '10^{%L}'\nset key top right");
  draw_sweeps(&f, s[0], true);
  verify_figure_end(&f, v, "Largest weighted error over the error asked for, and over the work.");
}

// ---------------------------------------------------------------------------------------------- cost

void verify_cost(verify *v) {
  verify_say(v,
             "The seven-body mechanism at --error 1e-5 with the defaults (CH(0.6), GGL, error per run), and by other "
             "methods. Jacobians are evaluations of the derivatives, the start's included.");
  verify_table_begin(v,
                     "method | formulation | steps | rejected | rejected % | jacobians | per step | factorizations per "
                     "step | Newton it. per step | residuals per step",
                     "seven-body, --error 1e-5.");
  static const char *const methods[] = {"ch 0.6", "ch 0.6", "hht -0.3", "hht -0.3", "wbz 0.6", "wbz 0.6"};
  double jacobians = NAN, rejected = NAN;
  for (int i = 0; i < 6; i++) {
    const verify_case c = {
        .problem = "seven-body", .method = methods[i], .formulation = i % 2 == 0 ? FLY_GGL : FLY_INDEX3, .error = 1e-5};
    const verify_result r = verify_run(v, &c, false, NULL, NULL);
    const fly_stats *t = &r.stats;
    const double n = (double)t->steps, lost = (double)(t->rejected_error + t->rejected_newton);
    verify_row(v, "%s | %s | %ld | %.0f | %.1f | %ld | %.3f | %.3f | %.2f | %.2f", c.method,
               verify_formulation_name(c.formulation), t->steps, lost, 100 * lost / (n + lost), t->jacobians,
               (double)t->jacobians / n, (double)(t->factorizations + t->refactorizations) / n,
               (double)t->newton_iterations / n, (double)t->residuals / n);
    if (i == 0) {
      jacobians = r.status == FLY_OK ? (double)t->jacobians / n : HUGE_VAL;
      rejected = r.status == FLY_OK ? 100 * lost / (n + lost) : HUGE_VAL;
    }
  }
  verify_table_end(v);
  verify_check(v, jacobians, AT_MOST, 0.2, "jacobians per accepted step, defaults (aim)");
  verify_check(v, rejected, AT_MOST, 10, "rejected steps in percent, defaults");
}
