// flyball verify drift: what the state-space methods leave in the constraints over time, and how often independent
// coordinates are chosen anew.
#include <math.h>

#include "verify.h"

enum { DIRECT, BAUMGARTE, HYBRID, SLACK, PARTITION, NWAY };
static const char *const names[NWAY] = {"direct", "baumgarte", "hybrid", "hybrid, weak feedback", "partition"};
static const char *const styles[NWAY] = {"lines lc 1", "lines lc 2", "lines lc 3", "lines lc 6", "lines lc 4"};

// The largest |g| up to the end of each tenth of the run.
enum { TENTHS = 10 };
typedef struct trail {
  verify_figure *f;
  double end;
  double upto[TENTHS];
  double in_bin; // largest of the points that make one of the figure
  int bin, bins;
} trail;

static void watch(const fly_solver *solver, const fly_dae_state *reference, void *user) {
  (void)reference;
  trail *t = user;
  const fly_step_record r = fly_solver_step_record(solver);
  for (int i = 0; i < TENTHS; i++)
    if (r.t <= t->end * (i + 1) / TENTHS * (1 + 1e-12))
      t->upto[i] = fmax(t->upto[i], r.position);
  const int bin = (int)fmin(t->bins * r.t / t->end, t->bins - 1);
  if (bin != t->bin) {
    verify_point(t->f, t->end * (t->bin + 0.5) / t->bins, fmax(t->in_bin, 1e-17));
    t->bin = bin;
    t->in_bin = 0;
  }
  t->in_bin = fmax(t->in_bin, r.position);
}

typedef struct subject {
  const char *title;
  verify_case run;
  const char *slack; // hybrid with a weak feedback and a tolerance
  double tolerance;  // of it
} subject;

static const subject subjects[] = {
    {"four-bar, crank-rocker of 10 m, 13 revolutions",
     {.problem = "four-bar", .variant = "large", .error = 1e-6, .end = 25},
     "hybrid 0.01 1e-9",
     1e-9},
    {"seven-body mechanism", {.problem = "seven-body", .error = 1e-6, .end = 0.06}, "hybrid 1 1e-10", 1e-10},
};

static void verify_subject(verify *v, verify_figure *f, const subject *s) {
  char setup[300];
  double last[NWAY], half[NWAY];
  snprintf(setup, sizeof setup,
           "set title '%s'\nset xlabel 't [s]'\nset ylabel 'largest |g|'\nset logscale y\nset format y '10^{%%L}'\nset "
           "yrange "
           "[1e-18:1e3]\nset key top right",
           s->title);
  verify_panel(f, setup);
  verify_table_begin(v, "method | steps | T/10 | T/2 | T | corrections | new coordinates | error at the end",
                     "%s, error %.0e: the largest |g| so far.", s->title, s->run.error);
  for (int i = 0; i < NWAY; i++) {
    verify_case c = s->run;
    c.method = i == SLACK ? s->slack : names[i];
    trail t = {.f = f, .end = c.end, .bins = 100};
    verify_curve(f, names[i], styles[i]);
    verify_progress(v, "%s, %s", s->title, names[i]);
    const verify_result r = verify_run(v, &c, true, watch, &t);
    verify_point(f, t.end * (t.bin + 0.5) / t.bins, fmax(t.in_bin, 1e-17));
    last[i] = t.upto[TENTHS - 1];
    half[i] = t.upto[TENTHS / 2 - 1];
    verify_row(v, "%s | %ld | %.1e | %.1e | %.1e | %ld | %ld | %.1e", names[i], r.stats.steps, t.upto[0], half[i],
               last[i], r.stats.corrections, r.stats.repartitions, r.q);
  }
  verify_curve(f, "tolerance of weak feedback", "lines dt 2 lc 8");
  verify_point(f, 0, s->tolerance);
  verify_point(f, s->run.end, s->tolerance);
  verify_table_end(v);
  verify_check(v, last[DIRECT] / half[DIRECT], AT_LEAST, 1.5, "%s: direct, |g| at the end over that at half the time",
               s->title);
  verify_check(v, last[BAUMGARTE] / half[BAUMGARTE], AT_MOST, 2, "%s: baumgarte, the same", s->title);
  verify_check(v, last[DIRECT] / last[BAUMGARTE], AT_LEAST, 5, "%s: direct over baumgarte", s->title);
  verify_check(v, last[HYBRID], AT_MOST, s->run.error, "%s: hybrid, largest |g|", s->title);
  verify_check(v, last[SLACK], AT_MOST, s->tolerance, "%s: hybrid with weak feedback, largest |g|", s->title);
  verify_check(v, last[SLACK], AT_LEAST, 0.1 * s->tolerance, "%s: and it comes near", s->title);
  verify_check(v, last[PARTITION], AT_MOST, 1e-12, "%s: partition, largest |g|", s->title);
}

// ---------------------------------------------------------------------------------------------- coordinates

enum { MOST = 40, NV = 9 };

typedef struct choices {
  int count;
  double t[MOST], turns[MOST];
  int coordinate[MOST];
} choices;

static void watch_choices(const fly_solver *solver, const fly_dae_state *reference, void *user) {
  (void)reference;
  choices *c = user;
  int velocity[NV];
  const fly_dae_state s = fly_solver_state(solver);
  fly_solver_independent(solver, velocity);
  if (c->count == MOST || (c->count > 0 && c->coordinate[c->count - 1] == velocity[0]))
    return;
  c->t[c->count] = s.t;
  c->turns[c->count] = s.q[2] / (2 * acos(-1.0));
  c->coordinate[c->count++] = velocity[0];
}

static void verify_choices(verify *v) {
  static const char *const coordinates[NV] = {"x1", "y1", "phi1", "x2", "y2", "phi2", "x3", "y3", "phi3"};
  choices c = {0};
  const verify_case run = {.problem = "four-bar", .variant = "large", .method = "partition", .error = 1e-8};
  const verify_result r = verify_run(v, &run, true, watch_choices, &c);
  verify_table_begin(v, "t [s] | revolutions | independent | t [s] | revolutions | independent",
                     "Independent coordinate of the four-bar by `partition`, error 1e-8, and from when on. Bars 1 to "
                     "3: crank, coupler, "
                     "rocker.");
  for (int i = 0; i < (c.count + 1) / 2; i++) {
    const int k = i + (c.count + 1) / 2;
    if (k < c.count)
      verify_row(v, "%.4f | %.2f | %s | %.4f | %.2f | %s", c.t[i], c.turns[i], coordinates[c.coordinate[i]], c.t[k],
                 c.turns[k], coordinates[c.coordinate[k]]);
    else
      verify_row(v, "%.4f | %.2f | %s | | |", c.t[i], c.turns[i], coordinates[c.coordinate[i]]);
  }
  verify_table_end(v);
  verify_check(v, (double)r.stats.repartitions, AT_LEAST, 16, "choices anew in eight revolutions");
  verify_check(v, r.weighted, AT_MOST, 1e-8, "error of that run, asked for 1e-8");
  verify_check(v, (double)r.stats.rejected_error, AT_MOST, 0.05 * (double)r.stats.steps,
               "steps rejected of %ld: a new choice disturbs none", r.stats.steps);
}

void verify_drift(verify *v) {
  verify_say(
      v, "DADS 7.3: direct integration lets the constraints drift, Baumgarte's feedback (gains chosen by the program) "
         "bounds the "
         "drift, the hybrid algorithm holds the set tolerance, and coordinate partitioning "
         "leaves rounding errors. `flyball problem four-bar --variant large --method hybrid --error 1e-6 --end 25`.");
  verify_figure f;
  verify_figure_begin(&f, v, "drift");
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
    verify_subject(v, &f, &subjects[i]);
  verify_figure_end(
      &f, v, "What the state-space methods leave in the position constraints, largest of each hundredth of the run.");
  verify_heading(v, "Coordinates chosen anew");
  verify_choices(v);
}
