// Method auto: who makes the next step. From counts only: orders, starts, rates seen, what steps cost; the same input
// gives the same decisions (docs/theory/auto.md).
#include <math.h>

#include "dae/choice.h"
#include "dae/statespace.h"

enum {
  FIRST_PROBES = 8,    // of the fastest rate at the start,
  PROBES = 3,          // and later
  AGAINST = 3,         // marks of a step that stability limits; one that it does not takes back one
  STIFF_MARKS = 30,    // against the explicit formulas before an implicit method is tried
  STARTED = 12,        // marks of a start of the formulas; a step takes back one
  ROUGH_MARKS = 40,    // likewise
  TRIAL_IMPLICIT = 8,  // accepted steps of a trial before it is judged,
  TRIAL_EXPLICIT = 30, //
  TRIAL_SHORT = 4,     // of one whose steps are dear and do not grow,
  TRIAL_LONG = 24,     // and of one whose steps still grow
  LOOK_EVERY = 12,     // steps of an implicit method before it is asked whether an explicit one is cheaper
  LOOK_AGAIN = 4,      // likewise where they grow
  BACK_OFF = 3         // patience grows by this where a trial was in vain
};
static const int STIFF_ORDER = 7;        // the highest order at which stability has a say (AU-marks),
static const double STIFF_SLOPE = 0.5;   // and h times the fastest rate above which it has
static const double STABLE = 0.5;        // h times the fastest rate of explicit steps, about
static const double RATES_MOST = 4000.0; // fastest rate in the time of the run, above which an implicit method begins
static const double BETTER = 0.8;        // work of a trial over what it was before, to go on with it,
static const double DEAR = 1.5;          // and to end it early
static const double PROMISING = 0.6;     // predicted work of the explicit formulas over that of the method at work
static const double GROWING = 1.5;       // the next step over the mean of the last ones
static const double FADING = 0.9;        // weight of an implicit step beside the next

// ------------------------------------------------------------------------------------------ paces

static double rate_of(const fly_pace *p) { return p->time > 0 ? p->work / p->time : (double)INFINITY; }

static void note_pace(fly_solver *s, double work) {
  fly_choice *c = s->choice;
  fly_pace *p = &c->pace[c->active];
  const double fading = c->active == FLY_EXPLICIT ? sqrt(FADING) : FADING;
  p->work = fading * p->work + work;
  p->time = fading * p->time + (s->now.t - s->last.t);
  p->steps = fading * p->steps + 1;
}

// Steps that grow have a transient behind them, which says nothing of what comes.
static bool is_growing(const fly_solver *s) {
  const fly_pace *p = &s->choice->pace[s->choice->active];
  return s->h_next * p->steps > GROWING * p->time;
}

// ------------------------------------------------------------------------------------------ wishes

static void wish(fly_choice *c, int who, fly_reason reason, double measure) {
  c->wanted = who;
  c->reason = reason;
  c->measure = measure;
}

static void try_other(fly_choice *c, int who, fly_reason reason, double measure) {
  c->trying = true;
  c->before = c->active;
  c->trial = (fly_trial){0};
  c->rate_before = rate_of(&c->pace[c->active]);
  wish(c, who, reason, measure);
}

static bool has_failed(const fly_solver *s, int who) { return !isnan(s->choice->failed_at[who]); }

void fly_judge_start(fly_solver *s) {
  fly_choice *c = s->choice;
  c->trying = false;
  c->stiff = c->rough = c->starts = 0;
  c->patience_stiff = STIFF_MARKS;
  c->patience_rough = ROUGH_MARKS;
  c->until_look = c->patience_look = LOOK_EVERY;
  const double fastest = fly_fastest_rate(s, FIRST_PROBES) * (s->t_end - s->t0);
  if (fastest > RATES_MOST)
    wish(c, FLY_IMPLICIT, FLY_REASON_RATES, fastest);
  else
    wish(c, FLY_EXPLICIT, FLY_REASON_START, fastest);
}

// ------------------------------------------------------------------------------------------ the explicit one

static void mark(long *marks, long against) {
  *marks += against > 0 ? against : -1;
  if (*marks < 0)
    *marks = 0;
}

// Steps that stability limits are of low order and have a fastest rate to show; a motion that is broken again and again
// never lets the order rise (AU-marks).
static void judge_explicit(fly_solver *s) {
  fly_choice *c = s->choice;
  const fly_adams *a = &((const state_space *)s->own)->adams;
  const double slope = a->at.predicted_slope;
  mark(&c->stiff, a->order_last <= STIFF_ORDER && slope > STIFF_SLOPE ? AGAINST : 0);
  mark(&c->rough, STARTED * (a->stats.starts - c->starts));
  c->starts = a->stats.starts;
  if (has_failed(s, FLY_IMPLICIT))
    return;
  if (c->stiff >= c->patience_stiff)
    try_other(c, FLY_IMPLICIT, FLY_REASON_STIFF, slope);
  else if (c->rough >= c->patience_rough)
    try_other(c, FLY_IMPLICIT, FLY_REASON_ROUGH, (double)c->starts);
}

// ------------------------------------------------------------------------------------------ the implicit ones

// Where only the error limits them, the explicit formulas take this many times the steps of Radau: the higher the
// accuracy, the higher their order (AU-ratio).
static double steps_ratio(const fly_solver *s) { return fmin(fmax(2.2 * pow(s->o.error / 1e-3, 0.09), 0.5), 2.5); }

// Work of an explicit step over that of one at hand: as last counted; or about that of two evaluations and solutions
// against those of three stages and their iterations, or of second-order steps.
static double explicit_share(const fly_solver *s) {
  const fly_choice *c = s->choice;
  const fly_pace *e = &c->pace[FLY_EXPLICIT], *own = &c->pace[c->active];
  if (e->steps > TRIAL_EXPLICIT / 2.0 && own->steps > 0)
    return e->work / e->steps / (own->work / own->steps);
  return c->active == FLY_IMPLICIT ? 0.25 : 2.0;
}

// (AU-back): predicted work of explicit formulas over that of the present method, for the same time.
static double explicit_prospect(fly_solver *s) {
  fly_choice *c = s->choice;
  const fly_pace *own = &c->pace[c->active];
  const double h = own->time / fmax(own->steps, 1), L = fly_fastest_rate(s, PROBES);
  const double longest = c->active == FLY_IMPLICIT ? h / steps_ratio(s) : (double)INFINITY;
  return h / fmin(longest, STABLE / L) * explicit_share(s);
}

static void judge_implicit(fly_solver *s) {
  fly_choice *c = s->choice;
  if (has_failed(s, FLY_EXPLICIT) || --c->until_look > 0)
    return;
  if (is_growing(s)) {
    c->until_look = LOOK_AGAIN;
    return;
  }
  c->until_look = c->patience_look;
  const double prospect = explicit_prospect(s);
  if (prospect < PROMISING)
    try_other(c, FLY_EXPLICIT, FLY_REASON_SMOOTH, 1 / prospect);
}

// ------------------------------------------------------------------------------------------ trials

static void lose_patience(fly_choice *c) {
  if (c->active == FLY_EXPLICIT)
    c->patience_look *= BACK_OFF;
  else {
    c->patience_stiff *= BACK_OFF;
    c->patience_rough *= BACK_OFF;
  }
}

static void end_trial(fly_solver *s, double ratio) {
  fly_choice *c = s->choice;
  c->trying = false;
  c->stiff = c->rough = 0;
  c->until_look = c->patience_look;
  if (ratio < BETTER || has_failed(s, c->before))
    return;
  lose_patience(c);
  wish(c, c->before, FLY_REASON_NOT_BETTER, ratio);
}

// All steps of a trial count: what one method leaves to the other it has to cope with.
static void judge_trial(fly_solver *s, double work) {
  fly_choice *c = s->choice;
  const long steps = ++c->trial.steps, enough = c->active == FLY_EXPLICIT ? TRIAL_EXPLICIT : TRIAL_IMPLICIT;
  c->trial.work += work;
  c->trial.time += s->now.t - s->last.t;
  const double ratio = c->trial.work / c->trial.time / c->rate_before;
  const bool growing = is_growing(s) && steps<TRIAL_LONG, dear = ratio> DEAR && c->active != FLY_EXPLICIT;
  if (!growing && steps >= (dear ? TRIAL_SHORT : enough))
    end_trial(s, ratio);
}

// Where a family has failed, another has been at work for a while: it may be asked again.
static void forgive(fly_solver *s) {
  fly_choice *c = s->choice;
  const fly_stretch *now = &c->stretch[(c->nstretch < FLY_STRETCHES ? c->nstretch : FLY_STRETCHES) - 1];
  for (int k = 0; k < FLY_MEMBERS; k++)
    if (k != c->active && now->steps >= c->patience_look)
      c->failed_at[k] = NAN;
}

void fly_judge_step(fly_solver *s) {
  fly_choice *c = s->choice;
  const double work = fly_work(s) - c->counted;
  note_pace(s, work);
  forgive(s);
  if (c->trying)
    judge_trial(s, work);
  else if (c->active == FLY_EXPLICIT)
    judge_explicit(s);
  else
    judge_implicit(s);
}

bool fly_judge_failure(fly_solver *s) {
  fly_choice *c = s->choice;
  static const int order[] = {FLY_IMPLICIT, FLY_EXPLICIT, FLY_PLAIN};
  c->failed_at[c->active] = s->now.t;
  c->trying = false;
  for (int k = 0; k < FLY_MEMBERS; k++)
    if (!has_failed(s, order[k])) {
      wish(c, order[k], FLY_REASON_FAILED, s->now.t);
      return true;
    }
  return false;
}
