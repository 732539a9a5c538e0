// The error of a run, measured by pilots: docs/theory/promise.md. The equations there are (P-...).
#include "dae/promise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dae/choice.h"
#include "dae/radau.h"

enum { ASK_EVERY = 64 };
static const double LOOSEST = 1e-2;        // beyond, a pilot says nothing about the method
static const double TIGHTENED = 1e-4;      // the run's tolerance over the error asked for, at least, and
static const double TIGHTENED_MORE = 1e-7; // likewise where steps cost little more for it,
static const long FEW = 50;                // steps of a pilot, whose errors do not fall as those of many do
static const double STEPS_MOST = 1e7;      // with so many steps at most
static const double CHAOS_STEPS = 1e6;     // those that a motion is worth that cannot be followed to its end
static const double PILOT_STEPS = 3000000; // a pilot that needs more is given up
static const double TOO_FAR = 3.0;         // the last pilot's tolerance over the run's and the ratio of two pilots
static const double TIGHTER = 4.0;         // the run's tolerance over the last pilot's, where errors scatter
static const double TIGHTER_THEN = 10.0;   // likewise, where the other pilot is too loose
static const double CHEAP = 0.3;           // steps grow like tolerance^-cost: tighter pilots are
static const double SATURATED = 0.1;       // a difference as large as the motion: the errors are larger than it shows
static const double CAREFUL = 0.1;         // error of the run over the one asked for, where something breaks in time
static const double HAPPENING = 0.25;      // likewise where events may happen and errors scatter
static const double NOTHING_MOVES = 1e-3;  // error of a pilot over the one asked for: the tolerance does not matter
static const double NOT_FALLING = 0.7;     // errors of two pilots: a tighter tolerance is no use
static const double FLOORED = 1.5;         // sum of the estimates over the tolerance: steps went by round-off instead
static const double LIMITED = 0.5;         // of how much looser a pilot is in name: it is in truth; something limits it
static const double APART = 3.0;           // tolerances of two pilots: how errors fall between them is seen
static const double ORDER_LEAST = 0.7;     // of errors in the tolerance

static const fly_habit habits[] = {
    [FLY_FAMILY_NEWMARK] = {10, 1000, 10, 0.35, 0.5, 1e-12, false, false},
    [FLY_FAMILY_RADAU] = {30, 900, 10, 0.35, 0.2, 1e-14, false, false},
    [FLY_FAMILY_DIRECT] = {300, 30, 30, 0.25, 0.12, 1e-15, true, true},
    [FLY_FAMILY_BAUMGARTE] = {300, 30, 30, 0.25, 0.12, 1e-15, true, true},
    [FLY_FAMILY_PARTITION] = {300, 30, 30, 0.35, 0.12, 1e-15, true, true},
    [FLY_FAMILY_HYBRID] = {300, 30, 30, 0.25, 0.12, 1e-15, true, true},
    [FLY_FAMILY_BDF] = {300, 30, 30, 0.2, 0.2, 1e-15, true, false},
    [FLY_FAMILY_TABLEAU] = {10, 1000, 10, 0.35, 0.5, 1e-12, false, false}, // fixed steps only
    [FLY_FAMILY_AUTO] = {300, 30, 1, 0.2, 0.12, 1e-15, true, false},
};

static const fly_habit five_stages = {300, 30, 10, 0.25, 0.12, 1e-14, true, false}; // of radau: few steps
static const fly_habit touching = {300, 30, 1, 0.35, 0.2, 1e-14, true, false};      // likewise: contacts decide

bool fly_promise_fixed(const fly_promise *p) { return p->task.options.step > 0; }
static bool calibrates(const fly_promise *p) { return p->task.calibrate && !fly_promise_fixed(p); }
static double asked(const fly_promise *p) { return p->task.options.error; }

// ------------------------------------------------------------------------------------------ life

static const double *keep_doubles(fly_promise *p, const double *from, int count) {
  double *to = from ? fly_arena_doubles(&p->memory, (size_t)count) : NULL;
  return to ? memcpy(to, from, (size_t)count * sizeof *to) : NULL;
}

static const int *keep_ints(fly_promise *p, const int *from, int count) {
  int *to = count > 0 ? fly_arena_ints(&p->memory, (size_t)count) : NULL;
  return to ? memcpy(to, from, (size_t)count * sizeof *to) : NULL;
}

// What the norm needs of a problem that need not live as long: a system is made anew when other rows are kept.
static void keep_norm(fly_promise *p, const fly_dae_problem *from) {
  p->problem = *from;
  p->problem.scale_v = keep_doubles(p, from->scale_v, from->nv);
  p->problem.scale_x = keep_doubles(p, from->scale_x, from->nx);
  p->problem.group_v = NULL;
  p->problem.rotation_q = keep_ints(p, from->rotation_q, from->nrotation);
  p->problem.rotation_v = keep_ints(p, from->rotation_v, from->nrotation);
}

static void plan_memory(fly_promise *p) {
  p->width = p->problem.nq + p->problem.nx + p->task.nvalue;
  fly_promise_plan(p);
  const size_t size = (size_t)p->n * (size_t)(p->width + 1);
  fly_trace *const traces[] = {&p->now, &p->last, &p->other};
  for (size_t k = 0; k < sizeof traces / sizeof *traces; k++) {
    traces[k]->value = fly_arena_doubles(&p->memory, size);
    traces[k]->end = fly_arena_doubles(&p->memory, (size_t)p->n);
    traces[k]->spent = fly_arena_doubles(&p->memory, (size_t)p->n);
  }
  p->apart = fly_arena_doubles(&p->memory, (size_t)p->n * (1 + (size_t)p->task.nvalue));
  p->rounded = fly_arena_doubles(&p->memory, (size_t)p->n * (1 + (size_t)p->task.nvalue));
  p->work = fly_arena_doubles(&p->memory, 2 * (size_t)p->task.nvalue);
  p->latest = fly_arena_doubles(&p->memory, (size_t)p->task.nvalue + 1);
  p->beside = fly_arena_doubles(&p->memory, (size_t)p->task.nvalue + 1);
  p->size = fly_arena_doubles(&p->memory, (size_t)p->task.nvalue);
  p->factor = fly_arena_doubles(&p->memory, (size_t)p->task.nvalue + 1);
  p->grown = fly_arena_doubles(&p->memory, (size_t)p->n);
}

// Errors of a fixed step grow like its square; those of a tolerance like the tolerance where it is meant per run.
static double first_order(const fly_dae_options *o) {
  if (o->step > 0)
    return o->family == FLY_FAMILY_RADAU ? 2.0 * fly_radau_stages(o) - 1 : 2.0;
  return o->family == FLY_FAMILY_NEWMARK && o->error_per == FLY_PER_STEP ? 2.0 / 3 : 1.0;
}

fly_promise_report fly_promise_unknown(void) {
  const double no = NAN;
  return (fly_promise_report){no, no, no, no, no, no, .within_reach = true, .companion = no, .note = ""};
}

// By radau, errors of contacts are made in a few steps, by chance in the run more than in a looser pilot: only one that
// is tighter tells them.
static const fly_habit *habit_of(const fly_promise *p) {
  const fly_dae_options *o = &p->task.options;
  if (o->family == FLY_FAMILY_RADAU && fly_promise_touches(p))
    return &touching;
  return fly_radau_stages(o) == 5 ? &five_stages : &habits[o->family];
}

fly_status fly_promise_create(fly_promise **out, const fly_promise_task *task, fly_error *error) {
  if (!out)
    return fly_missing(error, "fly_promise_create", "place for the promise");
  *out = NULL;
  if (!task || !task->problem || (task->nvalue > 0 && !task->values))
    return fly_missing(error, "fly_promise_create",
                       !task           ? "task"
                       : task->problem ? "callback for the values"
                                       : "problem");
  const fly_dae_options *o = &task->options;
  if (!(task->t_end > task->t0) || (o->step <= 0 && !(o->error > 0)))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "A promise needs an end after its start, and an error or a step > 0.");
  fly_promise *p = calloc(1, sizeof *p);
  if (!p)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the error of a run.");
  p->task = *task;
  keep_norm(p, task->problem);
  p->habit = habit_of(p);
  p->order = first_order(o);
  plan_memory(p);
  if (p->memory.failed) {
    fly_promise_free(p);
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the error of a run.");
  }
  const bool promised = !fly_promise_fixed(p) && (task->calibrate || o->error_per == FLY_PER_RUN);
  p->report = fly_promise_unknown();
  p->report.asked = promised ? o->error : (double)NAN;
  p->report.setting = fly_promise_fixed(p) ? o->step : o->error;
  p->report.note = p->note;
  p->doing = calibrates(p) ? FLY_DOING_NOTHING : FLY_DOING_KEEP;
  *out = p;
  return FLY_OK;
}

void fly_promise_free(fly_promise *p) {
  if (!p)
    return;
  fly_arena_free(&p->memory);
  free(p);
}

void fly_promise_image(fly_promise *p, fly_image *m) {
  fly_image_arena(m, &p->memory);
  p->report.note = NULL; // it is its own
  FLY_IMAGE_FROM(m, p, time, &p->memory);
  p->report.note = p->note;
}

// ------------------------------------------------------------------------------------------ samples

fly_dae_state fly_promise_state(const fly_promise *p, const fly_trace *t, int k) {
  const double *value = t->value + (size_t)k * (size_t)p->width;
  return (fly_dae_state){.t = fly_promise_time(p, k), .q = value, .x = value + p->problem.nq};
}

double fly_promise_larger(double a, double b) { return b <= a || isnan(a) ? a : b; } // keeps NaN

static void keep(fly_promise *p, const fly_dae_state *at, double step_end, void *run) {
  p->now.end[p->now.count] = step_end;
  p->now.spent[p->now.count] = p->now.sum;
  double *to = p->now.value + (size_t)p->now.count * (size_t)p->width;
  memcpy(to, at->q, (size_t)p->problem.nq * sizeof *to);
  if (p->problem.nx)
    memcpy(to + p->problem.nq, at->x, (size_t)p->problem.nx * sizeof *to);
  if (p->task.nvalue)
    p->task.values(to + p->problem.nq + p->problem.nx, at, run);
}

static fly_status sample(fly_promise *p, fly_solver *solver, void *run, fly_error *error) {
  const double reached = fly_solver_state(solver).t;
  while (p->now.count < p->n && fly_promise_time(p, p->now.count) <= reached) {
    fly_dae_state at;
    if (p->doing == FLY_DOING_NOTHING || (p->doing == FLY_DOING_COMPARE && p->now.count >= p->last.count))
      return FLY_OK;
    fly_status status = fly_solver_interpolate(solver, fly_promise_time(p, p->now.count), &at, error);
    if (status)
      return status;
    if (p->doing == FLY_DOING_KEEP)
      keep(p, &at, reached, run);
    else
      fly_promise_compare(p, &at, reached, run);
    fly_promise_next(p);
  }
  return FLY_OK;
}

static bool goes_on(const fly_promise *p) { return !p->task.go_on || p->task.go_on(p->task.user); }

// What steps err by beside singular positions: with methods of second order it is round-off and adds up like the rest,
// whatever the tolerance; of others it is an estimate that nothing was taken from, of a few steps that scatter.
static double hidden(const fly_promise *p, const fly_certificate *c) {
  return p->task.options.family == FLY_FAMILY_NEWMARK ? c->singular : 0.0;
}

fly_status fly_promise_follow(fly_promise *p, fly_solver *solver, void *run, fly_error *error) {
  if (!p || !solver)
    return fly_missing(error, "fly_promise_follow", p ? "solver" : "promise");
  p->now.steps++;
  const fly_certificate c = fly_solver_certificate(solver);
  p->now.sum = c.estimate + hidden(p, &c);
  p->breaks = p->breaks || fly_solver_stats(solver).leaps > 0;
  if (p->flying && (double)p->now.steps > PILOT_STEPS)
    return fly_fail(error, FLY_TOO_MANY_STEPS, fly_solver_state(solver).t, "A pilot needs more than %.0f steps.",
                    PILOT_STEPS);
  if (p->flying && p->now.steps % ASK_EVERY == 0 && !goes_on(p))
    return FLY_STOPPED;
  if (!p->flying)
    fly_promise_shake(p, solver, run);
  return sample(p, solver, run, error);
}

// ------------------------------------------------------------------------------------------ one pilot

static fly_status fly_solver_through(fly_promise *p, fly_solver *s, fly_error *error) {
  const fly_promise_task *t = &p->task;
  fly_status status = fly_solver_start(s, t->t0, t->t_end, t->q0, t->v0, t->x0, error);
  while (status == FLY_OK) {
    status = fly_promise_follow(p, s, NULL, error);
    if (status || fly_solver_done(s))
      return status;
    status = fly_solver_step(s, error);
  }
  const bool ended = fly_solver_done(s) && (status == FLY_NOT_KEPT || status == FLY_STOPPED);
  return ended ? fly_promise_follow(p, s, NULL, error) : status;
}

// Also with the stages of the run (AU-stages): errors of others say little of it.
void fly_promise_options(const fly_promise *p, double setting, fly_dae_options *o) {
  if (!p || !o)
    return;
  *(o->step > 0 ? &o->step : &o->error) = setting;
  if (p->halved > 0)
    o->step_max = p->halved;
  if (o->family == FLY_FAMILY_AUTO)
    o->stages = fly_stages_first(o, asked(p));
}

static fly_status plain_pilot(fly_promise *p, double setting, void *user, fly_error *error) {
  fly_dae_options o = p->task.options;
  fly_solver *s = NULL;
  (void)user;
  fly_promise_options(p, setting, &o);
  fly_status status = fly_solver_create(&s, p->task.problem, &o, error);
  if (status == FLY_OK)
    status = fly_solver_through(p, s, error);
  fly_solver_free(s);
  return status;
}

// Whole sentences of a message, as many as fit.
static int sentences(const char *message, int most) {
  const int length = (int)strlen(message);
  int end = length < most ? length : most;
  if (end == length)
    return end;
  while (end > 0 && !(message[end - 1] == '.' && message[end] == ' '))
    end--;
  return end > 0 ? end : most;
}

// A pilot that fails says so in the note; only being stopped, or no memory, ends the search.
static fly_status fly_pilot(fly_promise *p, double setting, fly_doing what, fly_error *error) {
  fly_error why = {0};
  const fly_trace kept = p->other;
  p->other = p->last;
  p->last = p->now;
  p->now = (fly_trace){.setting = setting, .value = kept.value, .end = kept.end, .spent = kept.spent};
  p->flying = true;
  if (what == FLY_DOING_COMPARE)
    fly_promise_face(p, setting);
  else
    p->doing = FLY_DOING_KEEP;
  fly_status status = (p->task.pilot ? p->task.pilot : plain_pilot)(p, setting, p->task.user, &why);
  p->flying = false;
  p->report.steps += p->now.steps;
  p->now.complete = status == FLY_OK || status == FLY_NOT_KEPT;
  p->report.pilots += p->now.complete;
  if (!goes_on(p))
    return fly_fail(error, FLY_STOPPED, p->task.t0, "Interrupted %s the run, while a pilot measured how errors grow.",
                    what == FLY_DOING_KEEP ? "before" : "after");
  if (status == FLY_NO_MEMORY)
    return fly_fail(error, status, NAN, "%s", why.message);
  p->hopeless = status == FLY_TOO_MANY_STEPS || status == FLY_NO_PROGRESS;
  if (!p->now.complete)
    snprintf(p->note, sizeof p->note, "A pilot with %s %.1e failed: %.*s",
             fly_promise_fixed(p) ? "the step" : "the error", setting, sentences(why.message, 400), why.message);
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ two pilots

// (P-pilot): errors of the looser of two pilots, from their difference.
static double looser_share(double looser, double order) { return 1 / (1 - pow(looser, -order)); }

// How much looser the last pilot was than this one. Sums scatter, most of all with formulas of variable order and where
// something breaks in time: where they go about like the tolerance, that is what counts.
static double looser_than_now(const fly_promise *p) {
  const double name = p->last.setting / p->now.setting;
  const double truth = fly_promise_looser(p, name, p->last.sum / p->now.sum);
  return p->habit->scatters || p->breaks || truth > LIMITED * name ? name : truth;
}

// Errors that grow tenfold or more while polynomials of time grow little: (P-chaos).
static double doubling_time(const fly_promise *p, int end) {
  const double *e = p->grown;
  if (end < 8)
    return NAN;
  const double first = fly_promise_time(p, 0), span = (1 + 1e-9) * (fly_promise_time(p, end) - first);
  const int half = fly_promise_sample_before(p, first + span / 2),
            quarter = fly_promise_sample_before(p, first + span / 4);
  if (quarter < 2 || !(e[half] > 5 * e[quarter]) || !(e[end] > 30 * e[half]) || !(e[quarter] > 0))
    return NAN;
  return (fly_promise_time(p, end) - fly_promise_time(p, half)) * log(2) / log(e[end] / e[half]);
}

static fly_finding compare_pilots(fly_promise *p) {
  const int n = p->now.count < p->last.count ? p->now.count : p->last.count;
  const double looser = looser_than_now(p);
  fly_finding f = {.setting = looser * p->now.setting, .at = p->task.t_end};
  double largest = 0;
  int end = n - 1;
  for (int k = 0; k < n; k++) {
    const fly_dae_state a = fly_promise_state(p, &p->now, k), b = fly_promise_state(p, &p->last, k);
    p->grown[k] = largest = fly_promise_larger(largest, fly_dae_distance(&p->problem, &a, &b));
    if (!f.saturated && !(largest <= SATURATED)) {
      f.saturated = true;
      f.at = fly_promise_time(p, k);
      end = k;
    }
  }
  p->report.doubling = doubling_time(p, end);
  f.error = largest * looser_share(looser, p->order);
  return f;
}

static const fly_finding *finding_back(const fly_promise *p, int back) {
  return p->nfound > back ? &p->found[p->nfound - 1 - back] : NULL;
}

// Of errors in the tolerance, from two pilots: never better than one, so that luck is not extrapolated.
static void measure_order(fly_promise *p) {
  const fly_finding *a = finding_back(p, 1), *b = finding_back(p, 0);
  if (p->habit->scatters || !a || a->saturated || b->saturated || !(b->error > 0) || !(a->error > 0) ||
      !(a->setting >= APART * b->setting))
    return;
  p->order = fmin(fmax(log(a->error / b->error) / log(a->setting / b->setting), ORDER_LEAST), 1.0);
}

// ------------------------------------------------------------------------------------------ the tolerance

// Steps are right at their ends then, whatever the tolerance.
bool fly_promise_is_driven(const fly_promise *p) { return p->problem.nv == p->problem.ng + p->problem.nb; }

// Where events may happen errors that scatter do so more.
static bool happens(const fly_promise *p) { return p->habit->scatters && p->problem.nroot > 0; }

// A pilot that was lost has an error that is SATURATED at least. Where errors scatter, and where each tolerance may
// have a method of its own, one that is much tighter, and well, does not say that what lies between them is well too.
static double wanted_by_the_lost(const fly_promise *p, double target) {
  double setting = INFINITY;
  for (int k = 0; k < p->nfound && p->habit->scatters; k++)
    if (p->found[k].saturated)
      setting = fmin(setting, p->found[k].setting * pow(target * asked(p) / SATURATED, 1 / p->order));
  return setting;
}

// (P-tolerance): where the errors found would be the target; of the last two the careful one.
// Positions that are right whatever the tolerance (all of them driven) do not tell it: it stays as it was asked.
static double wanted(const fly_promise *p) {
  const double most =
      p->breaks || fly_promise_touches(p) ? asked(p) : fmin(p->habit->loosened * asked(p), fmax(3 * LOOSEST, asked(p)));
  const double target = p->breaks ? CAREFUL : happens(p) ? fmin(p->habit->target, HAPPENING) : p->habit->target;
  double setting = most;
  for (int back = 0; back < (p->breaks ? p->nfound : p->habit->scatters ? 1 : 2); back++) {
    const fly_finding *f = finding_back(p, back);
    if (f && !f->saturated && f->error > 0)
      setting = fmin(setting, f->setting * pow(target * asked(p) / f->error, 1 / p->order));
    if (f && !(f->error > NOTHING_MOVES * asked(p)))
      setting = fmin(setting, asked(p));
  }
  return fmin(setting, wanted_by_the_lost(p, target));
}

static bool is_cheap(const fly_promise *p) { return p->habit->cost < CHEAP; }

static double least_setting(const fly_promise *p) {
  return fmax((is_cheap(p) ? TIGHTENED_MORE : TIGHTENED) * asked(p), p->habit->floor);
}

static double steps_at(const fly_promise *p, double setting) {
  return (double)p->now.steps * pow(p->now.setting / setting, p->habit->cost);
}

// The run goes as it was asked, and says in the end that this was not enough.
static double out_of_reach(fly_promise *p, const char *why) {
  p->report.within_reach = false;
  p->report.setting = asked(p);
  snprintf(p->note, sizeof p->note, "%s", why);
  return 0;
}

// Chaos: the tightest tolerance in reach follows the motion for longest.
static double follow_for_longest(fly_promise *p) {
  const double tightest = fmax(least_setting(p), p->now.setting / p->habit->ratio);
  const double affordable = p->now.setting * pow((double)p->now.steps / CHAOS_STEPS, 1 / p->habit->cost);
  out_of_reach(p, "Errors grow until they are as large as the motion, however tight the tolerance.");
  p->report.setting = fmin(asked(p), fmax(tightest, affordable));
  return 0;
}

static bool stopped_falling(const fly_promise *p) {
  const fly_finding *a = finding_back(p, 1), *b = finding_back(p, 0);
  return a && !a->saturated && !b->saturated && a->setting >= APART * b->setting && b->error > NOT_FALLING * a->error &&
         b->error > asked(p) && !p->breaks;
}

// Exponential growth: with each pilot the time until it is saturated grows by the same. What is left of the interval
// tells the tolerance (P-chaos).
static double wanted_in_chaos(const fly_promise *p) {
  const fly_finding *a = finding_back(p, 1), *b = finding_back(p, 0);
  if (!a || !a->saturated || isnan(p->report.doubling) || !(b->at > a->at))
    return p->now.setting / p->habit->ratio;
  const double rungs = (p->task.t_end - b->at) / (b->at - a->at);
  return b->setting * pow(b->setting / a->setting, rungs) * p->habit->target * asked(p) / SATURATED;
}

// The last pilot from the run that is wanted.
static bool is_too_far(const fly_promise *p, double want) {
  return p->habit->scatters ? want < TIGHTER * p->now.setting : p->now.setting > TOO_FAR * p->habit->ratio * want;
}

static bool is_near(const fly_promise *p, double setting, double want) {
  return fabs(log(setting / want)) < 0.49 * log(p->habit->ratio);
}

// The last pilot is nearly the run, and the one before as well, or so loose or of so few steps that it says little: a
// tighter one costs little there. Where cost hardly grows with the tolerance, one that is too loose is reason enough.
static bool is_rough(const fly_promise *p, double want) {
  const bool near = is_near(p, p->now.setting, want),
             loose = p->last.setting > LOOSEST / 3 || (p->last.steps < FEW && !p->breaks);
  return (near && is_near(p, p->last.setting, want)) || (loose && (near || is_cheap(p)));
}

// Where steps go by round-off whatever the tolerance, a pilot that is tighter in name takes the same steps as the run,
// and shows nothing: one that is looser in truth is flown instead.
static double beside_the_floor(fly_promise *p, double want) {
  p->report.setting = want;
  return want < TIGHTER * p->floor ? TIGHTER_THEN * want : 0;
}

static void note_floor(fly_promise *p) {
  if (p->habit->sums && p->task.options.error_per == FLY_PER_RUN && p->now.sum > FLOORED * p->now.setting)
    p->floor = fmax(p->floor, p->now.sum);
}

// The next pilot's tolerance; 0: the run's is known, or that there is none.
static double decide(fly_promise *p) {
  const bool lost = finding_back(p, 0)->saturated;
  const double want = fmax(lost ? wanted_in_chaos(p) : wanted(p), p->floor), ratio = p->habit->ratio;
  const double next = lost                 ? p->now.setting / ratio
                      : p->habit->scatters ? want / ratio
                                           : fmax(p->now.setting / ratio, ratio * want);
  if (stopped_falling(p))
    return out_of_reach(p, "Errors no longer fall with the tolerance: round-off has reached them, or forces jump.");
  if (lost && (next < least_setting(p) || steps_at(p, next) > CHAOS_STEPS))
    return follow_for_longest(p);
  if (!lost && want < least_setting(p))
    return out_of_reach(p, is_cheap(p)
                               ? "It would take a tolerance smaller than a ten-millionth of the error asked for, "
                                 "or one that gets lost in round-off."
                               : "It would take a tolerance smaller than a ten-thousandth of the error asked "
                                 "for, or one that gets lost in round-off.");
  if (!lost && steps_at(p, want) > STEPS_MOST)
    return out_of_reach(p, "It would take more than ten million steps.");
  if (!lost && p->floor > 0)
    return beside_the_floor(p, want);
  if (!lost && !p->habit->scatters && p->nfound < 2 && p->halved == 0 && (p->breaks || p->now.setting / ratio >= want))
    return p->now.setting / ratio; // one may be near to the other by chance
  if (lost || is_too_far(p, want))
    return next;
  if (is_rough(p, want) && want / TIGHTER_THEN < p->now.setting)
    return want / TIGHTER_THEN;
  p->report.setting = want;
  return 0;
}

// Most samples of two pilots lie in the very same steps.
static bool share_steps(const fly_promise *p) {
  int same = 0;
  for (int k = 0; k < p->now.count && k < p->last.count; k++)
    same += p->now.end[k] == p->last.end[k];
  return same > FLY_SAME * p->now.count;
}

// Two pilots that took the same steps, or steps whose estimates add up to the same or to nothing, show nothing of how
// errors fall, whatever limited these.
static bool repeats(const fly_promise *p) {
  const double a = p->now.sum, b = p->last.sum;
  const bool sums = p->task.options.error_per == FLY_PER_RUN && p->task.options.family != FLY_FAMILY_BDF;
  const bool alike = a > 0 && b > 0 && fabs(log(a / b)) < log(FLY_ALIKE);
  return share_steps(p) || (sums && (alike || fmax(a, b) <= FLY_NO_ERROR));
}

double fly_promise_step_max(const fly_promise *p) { return p ? p->halved : 0.0; }

// No tolerance would make other steps: a pilot whose steps are at most half as long as the mean shows what they leave
// out.
static double halve(fly_promise *p) {
  p->halved = 0.5 * (p->task.t_end - p->task.t0) / (double)p->now.steps;
  return fmax(p->now.setting / p->habit->ratio, p->habit->floor);
}

// The next pilot behind one that failed, until there is nothing looser than the run. What those before it showed still
// holds: the run is as tight as they ask for, or out of reach where that is what failed.
static double behind_a_failure(fly_promise *p) {
  if (p->now.setting > asked(p) && !p->hopeless)
    return p->now.setting / p->habit->ratio;
  if (p->nfound == 0)
    return 0;
  const double want = fmax(finding_back(p, 0)->saturated ? wanted_in_chaos(p) : wanted(p), p->floor);
  p->report.within_reach = want > p->now.setting;
  p->report.setting = p->report.within_reach ? want : asked(p);
  return 0;
}

static double next_setting(fly_promise *p) {
  if (!p->now.complete)
    return behind_a_failure(p);
  if (p->last.complete && p->now.setting > p->last.setting) // beside the floor
    return 0;
  note_floor(p);
  if (!p->last.complete || (repeats(p) && p->now.setting > asked(p)))
    return p->now.setting / p->habit->ratio;
  if (repeats(p) && p->halved == 0 && p->floor == 0)
    return halve(p);
  p->note[0] = 0;
  p->found[p->nfound++] = compare_pilots(p);
  measure_order(p);
  return decide(p);
}

static fly_status climb(fly_promise *p, fly_error *error) {
  double setting = fmin(LOOSEST, p->habit->first * asked(p));
  for (int k = 0; k < FLY_PILOTS_MOST && setting > 0; k++) {
    fly_status status = fly_pilot(p, setting, FLY_DOING_KEEP, error);
    if (status)
      return status;
    setting = next_setting(p);
  }
  if (setting > 0)
    out_of_reach(p, "Pilots did not agree on how errors grow.");
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------ the run

static double apart(const fly_promise *p, const fly_trace *t) {
  return t->complete ? fabs(log(t->setting / p->report.setting)) : 0.0;
}

static void swap(fly_trace *a, fly_trace *b) {
  const fly_trace t = *a;
  *a = *b;
  *b = t;
}

// The companion is the tightest pilot that is not the run itself again. The last two are so far apart that one is.
static void expect_run(fly_promise *p) {
  const fly_finding *f = finding_back(p, 0);
  p->report.growth = f && !f->saturated ? f->error / f->setting : (double)NAN;
  p->doing = FLY_DOING_NOTHING;
  const bool tighter = p->habit->scatters || p->now.setting < p->report.setting;
  const double far = tighter ? 0.9 * log(TIGHTER) : 0.49 * log(p->habit->ratio);
  const bool twin = !(apart(p, &p->now) > far || apart(p, &p->last) < apart(p, &p->now));
  if (!twin)
    swap(&p->now, &p->last);
  if (!(twin && fly_promise_is_driven(p))) // beside the companion, the one before or behind it
    swap(&p->now, &p->other);
  p->now = (fly_trace){.value = p->now.value, .end = p->now.end, .spent = p->now.spent};
  if (apart(p, &p->last) > 0.5)
    fly_promise_face(p, p->last.setting);
}

// After the run, which was kept: with one more, of which nothing is kept.
static fly_status fly_companion(fly_promise *p, fly_error *error) {
  const double companion = fly_promise_fixed(p) ? 2 * p->task.options.step : p->habit->ratio * asked(p);
  p->now.complete = true;
  p->now.setting = p->report.setting;
  fly_status status = fly_pilot(p, companion, FLY_DOING_COMPARE, error);
  if (status || !p->now.complete)
    p->now.count = 0;
  if (status == FLY_STOPPED) // the run is complete all the same
    snprintf(p->note, sizeof p->note, "The run it was to be compared with was stopped.");
  return status == FLY_STOPPED ? FLY_OK : status;
}

fly_status fly_promise_pilot(fly_promise *p, fly_error *error) {
  if (!p)
    return fly_missing(error, "fly_promise_pilot", "promise");
  fly_status status = calibrates(p) ? climb(p, error) : fly_companion(p, error);
  if (status == FLY_OK && calibrates(p))
    expect_run(p);
  return status;
}
