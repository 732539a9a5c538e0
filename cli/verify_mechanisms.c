// flyball verify: model files. Mechanisms against motions that nobody here computed with this code, and one model by
// every formulation and method.
#include <math.h>
#include <string.h>

#include "verify_model.h"

// ---------------------------------------------------------------------------------------------- mechanisms

// Motions at some times, by others or from exact solutions (shared/reference/problems.md says whose).
typedef struct reference {
  const char *title, *what;
  verify_model run;
  int times, values;
  double time[5], value[5][3];
  double limit;
  bool slow;
} reference;

#define FOUR_BARS(n)                                                                                                   \
  {                                                                                                                    \
    .example = "n-four-bar", .set = {"N=" #n}, .end = 10, .output = 1, .channel = { "x", "y", "parallel" }             \
  }

static const reference references[] = {
    {"A01 simple pendulum",
     "bob [m]",
     {.example = "simple-pendulum", .end = 10, .output = 10, .channel = {"x"}},
     1,
     1,
     {10},
     {{-0.2750874625763}},
     1e-5,
     false},
    {"A02 four-bars, N = 2", "tip [m]", FOUR_BARS(2), 1, 2, {10}, {{0.328458111536, 0.944518538180}}, 1e-5, false},
    {"A02 four-bars, N = 40", "tip [m]", FOUR_BARS(40), 1, 2, {10}, {{0.180512226684, 0.983572740583}}, 1e-4, true},
    {"A03 Andrews' mechanism",
     "beta [rad]",
     {.example = "seven-body-planar", .set = {"beta=-0.0620"}, .end = 0.05, .output = 0.01, .channel = {"beta"}},
     5,
     1,
     {0.01, 0.02, 0.03, 0.04, 0.05},
     {{2.153381340199}, {8.178115005483}, {15.80017467066}, {24.36806492575}, {33.81534072136}},
     1e-5,
     false},
    {"A04 Bricard",
     "P3 [m]",
     {.example = "bricard", .end = 10, .output = 0.5, .channel = {"x", "y", "z"}},
     5,
     3,
     {0.5, 1, 2.5, 5, 10},
     {{0.77471781, -0.97981505, -0.19990616},
      {0.27448132, -0.88670794, -0.46233000},
      {-0.999983185, -1.0, -1.68e-5},
      {0.999932742, -0.999999998, -6.73e-5},
      {0.999730987, -0.999999964, -2.69e-4}},
     1e-6,
     false},
    {"spatial slider crank",
     "slider [m]",
     {.example = "spatial-slider-crank", .end = 5, .output = 5, .channel = {"x"}},
     1,
     1,
     {5},
     {{0.2610020}},
     1.5e-5,
     false},
};

static double largest_error(const reference *f, const verify_motion *r) {
  double worst = 0;
  for (int k = 0; k < f->times; k++) {
    int at = 0;
    while (at < r->count && fabs(r->time[at] - f->time[k]) > 1e-6)
      at++;
    for (int i = 0; i < f->values; i++)
      worst = fmax(worst, at < r->count ? fabs(r->value[at][i] - f->value[k][i]) : (double)INFINITY);
  }
  return worst;
}

enum { COUNT = sizeof references / sizeof *references };

static bool is_complete(const verify_motion *r) { return r->status == FLY_OK || r->status == FLY_NOT_KEPT; }

static void compare_all(verify *v, double asked, double error[COUNT]) {
  verify_table_begin(v, "mechanism | of | error | rank | energy [J] | singular | steps | wall [s]",
                     "Largest error over the times compared; largest imbalance of the energy ledger; steps "
                     "near singular positions.");
  for (int k = 0; k < COUNT; k++) {
    const reference *f = &references[k];
    verify_model c = f->run;
    c.error = asked;
    error[k] = NAN;
    if (f->slow && v->quick)
      continue;
    verify_progress(v, "%s", f->title);
    const verify_motion r = verify_run_model(&c);
    error[k] = is_complete(&r) ? largest_error(f, &r) : (double)INFINITY;
    verify_row(v, "%s | %s | %.2e | %d of %d | %.1e | %ld | %ld | %.1f", f->title, f->what, error[k], r.rank, r.rows,
               r.energy, r.stats.singular_steps, r.stats.steps, r.stats.wall_s);
    if (r.status)
      verify_note(v, "%s: %s", f->title, r.message);
  }
  verify_table_end(v);
}

static double largest_spread(const verify_motion *r) {
  double spread = 0;
  for (int k = 0; k < r->count; k++)
    spread = fmax(spread, fabs(r->value[k][2]));
  return spread;
}

// Through the singular positions at every tolerance: the branch is judged by the bars staying parallel.
static void pass_singular(verify *v) {
  double spread = 0, ratio = 0;
  verify_table_begin(v,
                     "N | error asked | tip [m] | off parallel [rad] | says | energy [J] | singular | steps | wall [s]",
                     "A02 to t = 10 s at every tolerance: error of the first tip, largest angle between the first and "
                     "the last bar at eleven times, and what the run says in the end: where round-off near singular "
                     "positions exceeds the error asked for, it says that.");
  for (int k = 1; k <= 2; k++)
    for (int i = 0; i < (v->quick ? 2 : k == 1 ? 5 : 3); i++) {
      static const double tolerances[] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8}; // not by division: 1e-6/10 is not 1e-7
      const double asked = tolerances[i];
      verify_model c = references[k].run;
      c.error = asked;
      if (k == 2 && v->quick)
        continue;
      verify_progress(v, "%s at %.0e", references[k].title, asked);
      const verify_motion r = verify_run_model(&c);
      const double error = is_complete(&r) ? largest_error(&references[k], &r) : (double)INFINITY;
      const double off = is_complete(&r) ? largest_spread(&r) : (double)INFINITY;
      verify_row(v, "%d | %.0e | %.2e | %.1e | %s | %.1e | %ld | %ld | %.1f", k == 1 ? 2 : 40, asked, error, off,
                 r.status == FLY_OK ? "ok" : fly_status_name(r.status), r.energy, r.stats.singular_steps, r.stats.steps,
                 r.stats.wall_s);
      if (r.status)
        verify_note(v, "N = %d at %.0e: %s", k == 1 ? 2 : 40, asked, r.message);
      spread = fmax(spread, off);
      if (r.status == FLY_OK)
        ratio = fmax(ratio, error / asked);
    }
  verify_table_end(v);
  verify_check(v, spread, AT_MOST, 1e-6, "A02 stays on its branch: bars off parallel [rad]");
  verify_check(v, ratio, AT_MOST, 100, "A02: error of the tip over the error asked for, of runs that say ok");
}

void verify_mechanisms(verify *v) {
  const double asked = v->quick ? 1e-5 : 1e-7;
  double error[COUNT];
  verify_say(
      v,
      "Model files of the examples at --error %.0e by the default method, against the IFToMM library of multibody "
      "benchmarks: exact solutions and independent integrations where there are any, else the published values. "
      "A02 passes singular positions, A04 has one redundant row.",
      asked);
  compare_all(v, asked, error);
  for (int k = 0; k < COUNT; k++)
    if (!references[k].slow || !v->quick)
      verify_check(v, error[k], AT_MOST, v->quick ? 100 * references[k].limit : references[k].limit, "%s: error, %s",
                   references[k].title, references[k].what);
  pass_singular(v);
}

// ---------------------------------------------------------------------------------------------- formulations

void verify_formulations(verify *v) {
  static const char *const methods[] = {"ch 0.8", "gen 0.8", "wbz 0.8", "hht 0.8", "trapezoid", "newmark 0.6"};
  static const char *const formulations[] = {"ggl", "index3", "index2"};
  const double asked = 1e-5, end = 0.5;
  verify_model c = {.example = "spatial-slider-crank",
                    .error = v->quick ? 1e-6 : 1e-7,
                    .end = end,
                    .output = 0.1,
                    .channel = {"slider.x", "rod.z", "ball.fx", "ball.fz"}};
  verify_say(v,
             "The spatial slider crank to t = %g s at --error %.0e by every formulation and method of the core, "
             "compared with stabilized index 2 by CH(0.8) at %.0e: positions of slider and rod against the size of "
             "the mechanism (0.3 m), and the force in the ball joint against its largest value, at six times.",
             end, asked, c.error);
  verify_progress(v, "reference");
  const verify_motion truth = verify_run_model(&c);
  double force = 1e-300;
  for (int k = 0; k < truth.count; k++)
    force = fmax(force, hypot(truth.value[k][2], truth.value[k][3]));
  verify_check_that(v, truth.status == FLY_OK, "the reference runs to its end %s", truth.message);
  verify_table_begin(v, "method | formulation | positions | force | steps | wall [s]", "Largest difference, relative.");
  double worst_position = 0, worst_force = 0;
  c.error = asked;
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
    for (size_t f = 0; f < sizeof formulations / sizeof *formulations; f++) {
      c.method = methods[m];
      c.formulation = formulations[f];
      verify_progress(v, "%s %s", methods[m], formulations[f]);
      const verify_motion r = verify_run_model(&c);
      const double position = r.status == FLY_OK ? verify_apart(&r, &truth, 0, 1, 0.3) : (double)INFINITY;
      const double reaction = r.status == FLY_OK ? verify_apart(&r, &truth, 2, 3, force) : (double)INFINITY;
      verify_row(v, "%s | %s | %.1e | %.1e | %ld | %.2f", methods[m], formulations[f], position, reaction,
                 r.stats.steps, r.stats.wall_s);
      worst_position = fmax(worst_position, position);
      const bool judged = strncmp(methods[m], "trap", 4) != 0 && strncmp(methods[m], "newmark", 7) != 0;
      if (judged && strcmp(formulations[f], "index2") != 0)
        worst_force = fmax(worst_force, reaction);
    }
  verify_table_end(v);
  verify_check(v, worst_position, AT_MOST, 100 * asked, "positions: largest difference of any run");
  verify_check(v, worst_force, AT_MOST, 1e-3,
               "force: largest difference, damped methods of second order, index 3 and GGL");
}
