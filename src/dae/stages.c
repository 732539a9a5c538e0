// Method auto: how many stages the steps of Radau have (docs/theory/auto.md, AU-stages). What both orders cost is seen
// in trials, as between families.
#include <math.h>

#include "dae/choice.h"
#include "dae/radau.h"

enum {
  LOOK = 24,          // steps of three stages before five are tried,
  LOOK_BACK = 96,     // and of five before three are,
  HINT = 8,           // of which one that hints at fewer stages counts as so many
  LOOK_AGAIN = 4,     // likewise where they grow, or have become dearer
  LEAVING = 1,        // first steps of a trial, which do not count: they grow
  TRIAL = 8,          // steps of a trial,
  TRIAL_LONG = 16,    // of one whose steps still grow
  BACK_OFF = 3,       // patience grows by this where a trial was in vain,
  BACK_OFF_MOST = 27, // up to so many times what it was
};
static const double FINE = 5e-5;      // errors asked for up to which five stages begin
static const double FINER = 3e-8;     // likewise where steps are short for other reasons
static const double BETTER = 0.9;     // work of a trial over that before, to go on
static const double DEARER = 1.5;     // work a second over what it was behind the last trial
static const double GROWING = 1.5;    // the last step over the mean of the last ones
static const double IDLE = 0.01;      // of the error allowed: something else limits the step
static const double FADING = 0.9;     // weight of a step beside the next
static const double FIVE_WORK = 1.85; // of a step of five stages over one of three

static double rate_of(const fly_pace *p) { return p->time > 0 ? p->work / p->time : (double)INFINITY; }

static bool five_at_work(const fly_solver *s) { return ((const fly_radau *)s->own)->wanted == FLY_STAGES; }

// Where only the error limits them, Adams' formulas take this many times the steps of Radau: the higher the accuracy,
// the higher their order (AU-ratio).
static double steps_ratio(const fly_solver *s, bool five) {
  return five ? 3.5 : fmin(fmax(2.2 * pow(s->o.error / 1e-3, 0.09), 0.5), 2.5);
}

double fly_stages_ratio(const fly_solver *s) {
  return steps_ratio(s, s->choice->active == FLY_IMPLICIT && five_at_work(s));
}

double fly_stages_work(const fly_solver *s) { return s->choice->stages.five ? FIVE_WORK : 1.0; }

static void take(fly_solver *s, bool five) {
  fly_stages *n = &s->choice->stages;
  fly_radau_take(s->own, five ? FLY_STAGES : 3);
  n->pace[five] = (fly_pace){0};
}

int fly_stages_first(const fly_dae_options *o, double asked) { return o->stages ? o->stages : asked <= FINE ? 5 : 3; }

void fly_stages_start(fly_solver *s) {
  const bool five = fly_stages_first(&s->o, fly_error_asked(s)) == FLY_STAGES;
  s->choice->stages = (fly_stages){.five = five, .patience = {LOOK, LOOK_BACK}};
}

// Where the motion is broken again and again, or does something in no time, steps are short whatever their order.
void fly_stages_enter(fly_solver *s) {
  fly_stages *n = &s->choice->stages;
  const bool short_steps = s->choice->reason == FLY_REASON_ROUGH || s->choice->reason == FLY_REASON_TINY;
  const bool five = n->five && !(short_steps && s->o.error > FINER);
  n->trying = false;
  n->until = n->patience[five];
  n->rate_kept = INFINITY;
  take(s, five);
}

// ------------------------------------------------------------------------------------------ trials

static bool is_idle(const fly_solver *s) { return !(s->at.ratio > IDLE); }

// Steps of three stages have to be shorter than five at work, unless something else limits these.
static void turn(fly_solver *s, bool five) {
  if (!five && !is_idle(s))
    s->h_next *= fmin(1, steps_ratio(s, false) / steps_ratio(s, true));
  take(s, five);
}

static void try_other(fly_solver *s) {
  fly_stages *n = &s->choice->stages;
  const bool five = five_at_work(s);
  n->trying = true;
  n->leaving = LEAVING;
  n->steps = 0;
  n->rate_before = rate_of(&n->pace[five]);
  turn(s, !five);
}

static void end_trial(fly_solver *s) {
  fly_stages *n = &s->choice->stages;
  const bool now = five_at_work(s);
  const double rate = rate_of(&n->pace[now]);
  const long first[] = {LOOK, LOOK_BACK}, longer = BACK_OFF * n->patience[!now], most = BACK_OFF_MOST * first[!now];
  const bool better = rate < BETTER * n->rate_before;
  n->trying = false;
  n->rate_kept = better ? rate : n->rate_before;
  n->patience[!now] = better ? first[!now] : longer < most ? longer : most;
  if (!better)
    turn(s, !now);
  n->five = five_at_work(s);
  n->until = n->patience[n->five];
}

// ------------------------------------------------------------------------------------------ a step

static void note(fly_pace *p, double work, double h) {
  p->work = FADING * p->work + work;
  p->time = FADING * p->time + h;
  p->steps = FADING * p->steps + 1;
}

// What a step is worth on the way to a trial: five stages are not tried for steps that the error does not limit, and
// three sooner for these and where steps fell back to them.
static long hint(const fly_solver *s, double rate) {
  const fly_radau *r = s->own;
  const bool fewer = is_idle(s) || r->stages_last < r->wanted;
  const bool dearer = rate > DEARER * s->choice->stages.rate_kept;
  if (five_at_work(s) && fewer)
    return HINT;
  return !five_at_work(s) && fewer ? 0 : dearer ? LOOK_AGAIN : 1;
}

void fly_judge_stages(fly_solver *s, double work) {
  fly_stages *n = &s->choice->stages;
  fly_pace *p = &n->pace[five_at_work(s)];
  if (n->trying && n->leaving-- > 0)
    return;
  const double h = s->now.t - s->last.t;
  note(p, work, h);
  const bool growing = h * p->steps > GROWING * p->time;
  if (n->trying) {
    if (++n->steps >= TRIAL && (!growing || n->steps >= TRIAL_LONG))
      end_trial(s);
    return;
  }
  n->until -= hint(s, rate_of(p));
  if (n->until > 0 || s->choice->trying)
    return;
  if (growing)
    n->until = LOOK_AGAIN;
  else
    try_other(s);
}
