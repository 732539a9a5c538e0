// flyball verify methods: six systems by the methods of every family, what they reach and what it costs.
#include <math.h>
#include <string.h>

#include "verify_model.h"

typedef struct way {
  const char *label, *method;
  double finest;     // error it is asked for at most: methods of second order take too many steps below
  const char *style; // of its curve
} way;

static const way ways[] = {
    {"ch, ggl", "ch", 1e-6, "linespoints lc 1 pt 7"},           {"hht, ggl", "hht", 1e-6, "linespoints lc 2 pt 5"},
    {"radau", "radau", 1e-9, "linespoints lc 3 pt 9"},          {"bdf", "bdf", 1e-9, "linespoints lc 4 pt 11"},
    {"partition", "partition", 1e-9, "linespoints lc 5 pt 13"}, {"hybrid", "hybrid", 1e-9, "linespoints lc 6 pt 4"},
    {"baumgarte", "baumgarte", 1e-9, "linespoints lc 7 pt 6"},
};
enum { NWAY = sizeof ways / sizeof *ways };

// A system is a DAE problem, compared with the reference solution over all accepted steps, or a model file, compared
// at some times with Radau at a tolerance out of reach, which must agree with what is published.
typedef struct subject {
  const char *title;
  verify_case problem; // .problem NULL: a model
  verify_model model;
  double size;             // errors of the model's values are divided by it [m]
  double published_digits; // agreement expected with what is published
  double time[3], value[3][3];
  int times;  // published
  int values; // compared
  bool shown; // only: how methods fare there is no promise
} subject;

static const subject subjects[] = {
    {.title = "seven-body", .problem = {.problem = "seven-body"}},
    {.title = "heavy top", .problem = {.problem = "heavy-top", .end = 0.5}},
    {.title = "chain of 10", .problem = {.problem = "chain", .n = 10}},
    {.title = "spatial slider crank",
     .model = {.example = "spatial-slider-crank", .end = 5, .output = 0.5, .channel = {"x"}},
     .values = 1,
     .size = 0.3,
     .times = 1,
     .time = {5},
     .value = {{0.2610020}},
     .published_digits = 1e-6},
    {.title = "Bricard",
     .model = {.example = "bricard", .end = 2.5, .output = 0.5, .channel = {"x", "y", "z"}},
     .values = 3,
     .size = 1,
     .times = 3,
     .time = {0.5, 1, 2.5},
     .value = {{0.77471781, -0.97981505, -0.19990616},
               {0.27448132, -0.88670794, -0.46233000},
               {-0.999983185, -1.0, -1.68e-5}},
     .published_digits = 1e-7},
    {.title = "four-bars, N = 2",
     .model = {.example = "n-four-bar", .set = {"N=2"}, .end = 0.6, .output = 0.1, .channel = {"x", "y"}},
     .values = 2,
     .size = 1},
    {.title = "four-bars, N = 2, to 10 s",
     .model = {.example = "n-four-bar", .set = {"N=2"}, .end = 10, .output = 1, .channel = {"x", "y"}},
     .values = 2,
     .size = 1,
     .times = 1,
     .time = {10},
     .value = {{0.328458111536, 0.944518538180}},
     .shown = true},
};
enum { NSUBJECT = sizeof subjects / sizeof *subjects, TOLERANCES = 6 };

typedef struct outcome {
  fly_status status;
  const char *message;
  double error;
  fly_stats stats;
} outcome;

// ---------------------------------------------------------------------------------------------- runs

static outcome run_problem(verify *v, const subject *s, const way *w, double asked) {
  static verify_result r; // its message outlives the call
  verify_case c = s->problem;
  c.method = w->method;
  c.formulation = FLY_GGL;
  c.error = asked;
  r = verify_run(v, &c, true, NULL, NULL);
  return (outcome){r.status, r.error.message, r.weighted, r.stats};
}

// Largest difference from what is published [m].
static double off_published(const subject *s, const verify_motion *r) {
  double worst = 0;
  for (int k = 0; k < s->times; k++) {
    int at = 0;
    while (at < r->count && fabs(r->time[at] - s->time[k]) > 1e-6)
      at++;
    for (int i = 0; i < s->values; i++)
      worst = fmax(worst, at < r->count ? fabs(r->value[at][i] - s->value[k][i]) : (double)INFINITY);
  }
  return worst;
}

static outcome run_model(const subject *s, const way *w, double asked, const verify_motion *truth) {
  static verify_motion r;
  verify_model c = s->model;
  c.method = w->method;
  c.error = asked;
  r = verify_run_model(&c);
  const bool complete = r.status == FLY_OK || r.status == FLY_NOT_KEPT;
  const double error = s->shown ? off_published(s, &r) : verify_apart(&r, truth, 0, s->values - 1, s->size);
  return (outcome){r.status, r.message, complete ? error : (double)NAN, r.stats};
}

// The motion that models are compared with.
static verify_motion find_truth(verify *v, const subject *s) {
  verify_model c = s->model;
  c.method = "radau";
  c.error = 1e-11;
  verify_progress(v, "%s: the motion to compare with", s->title);
  const verify_motion truth = verify_run_model(&c);
  if (s->times > 0)
    verify_check(v, off_published(s, &truth), AT_MOST, s->published_digits,
                 "%s: radau at 1e-11 against the published values [m]", s->title);
  return truth;
}

// ---------------------------------------------------------------------------------------------- tables

typedef struct sweep {
  int count;
  double asked[TOLERANCES], error[TOLERANCES], seconds[TOLERANCES];
} sweep;

static void put_row(verify *v, const way *w, double asked, const outcome *r) {
  const fly_stats *t = &r->stats;
  verify_row(v, "%s | %.0e | %.1e | %s | %ld | %ld | %ld | %ld | %ld | %.3f", w->label, asked, r->error,
             r->status == FLY_OK ? "ok" : fly_status_name(r->status), t->steps, t->rejected_error + t->rejected_newton,
             t->residuals, t->jacobians, t->factorizations + t->refactorizations, t->wall_s);
}

static void run_subject(verify *v, const subject *s, sweep done[NWAY]) {
  verify_motion truth = {0};
  char failed[NWAY][300] = {{0}};
  if (!s->problem.problem && !s->shown)
    truth = find_truth(v, s);
  verify_table_begin(
      v, "method | error asked | E | says | steps | rejected | evaluations | derivatives | factorizations | seconds",
      "%s. E: largest error, %s.", s->title,
      s->problem.problem ? "weighted, over the accepted steps against the reference solution"
      : s->shown         ? "against the exact end [m]"
                         : "over the size of the mechanism, against radau at 1e-11");
  for (int k = 0; k < NWAY; k++) {
    done[k] = (sweep){0};
    for (double asked = 1e-4; asked > 0.5 * fmax(ways[k].finest, v->quick ? 1e-6 : 0.0); asked /= v->quick ? 100 : 10) {
      verify_progress(v, "%s by %s at %.0e", s->title, ways[k].label, asked);
      const outcome r = s->problem.problem ? run_problem(v, s, &ways[k], asked) : run_model(s, &ways[k], asked, &truth);
      put_row(v, &ways[k], asked, &r);
      sweep *d = &done[k];
      d->asked[d->count] = asked;
      d->error[d->count] = r.error;
      d->seconds[d->count++] = r.stats.wall_s;
      if (r.status != FLY_OK)
        snprintf(failed[k], sizeof failed[k], "%.0e: %.250s", asked, r.message);
      if (r.status == FLY_BAD_INPUT || cli_interrupted()) // not in this build
        break;
    }
  }
  verify_table_end(v);
  for (int k = 0; k < NWAY; k++)
    if (failed[k][0])
      verify_note(v, "%s, %s at %s", s->title, ways[k].label, failed[k]);
}

// Methods that promise the error of the run keep it within a factor; bdf promises that of a step.
static void check_subject(verify *v, const subject *s, const sweep done[NWAY]) {
  for (int k = 0; k < NWAY && !s->shown; k++) {
    double worst = 0;
    for (int i = 0; i < done[k].count; i++)
      worst = fmax(worst, isfinite(done[k].error[i]) ? done[k].error[i] / done[k].asked[i] : (double)INFINITY);
    if (strcmp(ways[k].method, "bdf") == 0)
      verify_note(v, "%s, bdf: largest E over the error asked for in a step: %.3g", s->title, worst);
    else
      verify_check(v, worst, AT_MOST, 100, "%s, %s: largest E over the error asked for", s->title, ways[k].label);
  }
}

static void draw_subject(verify_figure *f, const subject *s, const sweep done[NWAY]) {
  char setup[300];
  snprintf(setup, sizeof setup,
           "set title '%s'\nset xlabel 'seconds'\nset ylabel 'E'\nset logscale xy\nset format '10^{%%L}'\n"
           "set key top right",
           s->title);
  verify_panel(f, setup);
  for (int k = 0; k < NWAY; k++) {
    verify_curve(f, ways[k].label, ways[k].style);
    for (int i = 0; i < done[k].count; i++)
      verify_point(f, done[k].seconds[i], done[k].error[i]);
  }
}

// The reference solution of seven-body is that of an independent code; the published digits are another.
static void check_published(verify *v) {
  const verify_case c = {.problem = "seven-body", .method = "radau", .formulation = FLY_GGL, .error = 1e-12};
  verify_progress(v, "seven-body by radau at 1e-12");
  const verify_result r = verify_run(v, &c, true, NULL, NULL);
  verify_check(v, r.q, AT_MOST, 1e-9, "seven-body by radau at 1e-12: largest error of an angle [rad]");
  const verify_result end = verify_run(v, &c, false, NULL, NULL);
  verify_check(v, end.end_q, AT_MOST, 1e-9, "the same against the published digits at the end [rad]");
}

void verify_methods(verify *v) {
  verify_figure f;
  verify_say(
      v, "Seven-body, heavy top and chain as DAE problems; spatial slider crank, Bricard (one redundant row) and "
         "two four-bars (to 0.6 s, before their first singular position, and without verdict to 10 s, through ten "
         "of them) as model files. Each "
         "by the methods of every family with the error per run, and IDA's error per step for bdf. Evaluations are "
         "those of the equations of motion, derivatives those of their Jacobians; the explicit state-space methods "
         "factorize the matrix of accelerations once a step, partition and hybrid that of the dependent coordinates "
         "too. Times on one machine, in one run: to be "
         "compared with each other only.");
  verify_figure_begin(&f, v, "methods");
  for (int k = 0; k < NSUBJECT && !cli_interrupted(); k++) {
    sweep done[NWAY];
    verify_heading(v, "%s", subjects[k].title);
    run_subject(v, &subjects[k], done);
    check_subject(v, &subjects[k], done);
    if (!subjects[k].shown)
      draw_subject(&f, &subjects[k], done);
  }
  check_published(v);
  verify_figure_end(&f, v, "Largest error over the time a run takes.");
}
