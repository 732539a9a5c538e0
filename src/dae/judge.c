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
  REFUSED = 15,        // marks of a rejected step; one that is accepted takes back one,
  REFUSED_MARKS = 600, // of which so many count: what is new to the formulas has a dozen of rejections by itself
  STARTED = 25,        // marks of a start of the formulas; a step takes back one
  TINY_MARKS = 300,    // likewise for tiny steps,
  DEAR_MARKS = 90,     // and for those dearer than an implicit method's were,
  BESIDE_MARKS = 300,  // or of high order that something much faster than the motion limits:
  BESIDE_MOST = 20000, // below so many the patience for those
  BACK_OFF_BESIDE = 9, // grows by this
  ROUGH_MARKS = 75,    // likewise
  TRIAL_IMPLICIT = 8,  // accepted steps of a trial before it is judged,
  TRIAL_EXPLICIT = 30, // likewise of second order
  TRIAL_SHORT = 4,     // of one whose steps are dear and do not grow,
  TRIAL_LONG = 24,     // and of one whose steps still grow,
  TRIAL_RISE = 96,     // or whose order rises
  LOOK_EVERY = 12,     // steps of an implicit method before it is asked whether an explicit one is cheaper
  LOOK_PLAIN = 30,     // explicit steps before they are asked whether steps of second order would be cheaper,
  PLAIN_SHARE = 3,     // of which an implicit one counts as so many
  LOOK_TURNS = 200,    // steps of second order before one of the others, in turn, is tried again
  LOOK_AGAIN = 4,      // likewise where they grow
  BACK_OFF = 3,        // patience grows by this where a trial was in vain,
  BACK_OFF_MOST = 27,  // up to so many times what it was: trials then cost less than a tenth of the run
  LEAVING = 2          // steps behind a change that say nothing of an implicit method: it factorizes, and they grow
};
static const int STIFF_ORDER = 7;        // the highest order at which stability has a say (AU-marks),
static const double STIFF_SLOPE = 0.5;   // and h times the fastest rate above which it has
static const double HIGH_SLOPE = 0.15;   // the same at higher orders (AU-beside),
static const double BESIDE = 10;         // where that rate is so many times the one by which the motion bends
static const double FAINT = 1e-2;        // the same where nothing but round-off keeps the order low
static const double TINY = 1e-3;         // of the largest step so far: one that gets nowhere
static const double STABLE = 0.5;        // h times the fastest rate of explicit steps, about
static const double RATES_MOST = 4000.0; // fastest rate in the time of the run, above which an implicit method begins
static const double BETTER = 0.8;        // work of a trial over what it was before, to go on with it,
static const double DEAR = 1.5;          // and to end it early,
static const double HOPELESS = 10;       // and at once
static const double AFFORDABLE = 0.1;    // of the work that is left, for a trial that is in vain
static const double PROMISING = 0.6;     // predicted work of the explicit formulas over that of the method at work
static const double FINE = 5e-5;         // errors asked for up to which states are not left to second order
static const double MAKING = 3e5;        // work that the matrices of a method are worth that was not at work yet
static const double ALIKE = 3;           // steps of explicit formulas, now over then, where a trial in vain is believed
static const double BIAS_MOST = 10;      // times what was predicted
static const double BELIEVED = 50;       // times what a trial in vain has cost: work until it is forgotten
static const double DEARER = 1.5;        // work a second over what it was when a method was taken, or another's
static const double GROWING = 1.5;       // the next step over the mean of the last ones
static const double FADING = 0.9;        // weight of an implicit step beside the next

// ------------------------------------------------------------------------------------------ paces

static double rate_of(const fly_pace *p) { return p->time > 0 ? p->work / p->time : (double)INFINITY; }

static double share_of(const fly_pace *p) { return p->turns > 0 ? p->work / p->turns : (double)INFINITY; }

static double step_of(const fly_pace *p) { return p->steps > 0 ? p->time / p->steps : (double)INFINITY; }

// |v''|, weighted, as the ends of the last step have it.
static double bend_of_step(fly_solver *s) {
  const double h = s->now.t - s->last.t;
  for (int i = 0; i < s->e.p.nv; i++)
    s->work[i] = s->now.vdot[i] - s->last.vdot[i];
  return h > 0 ? fly_weighted(s, s->work) / h : 0.0;
}

// Steps of second order that the last step is worth: their error c h^3 |v''| may be error h/T (AU-plain).
static double turns_of_step(fly_solver *s) {
  const fly_newmark *m = &s->o.method;
  const double constant = fabs(1 - 6 * m->beta - 3 * (m->alpha_m - m->alpha_f)) / 6;
  const double share = s->o.error_per == FLY_PER_RUN ? s->o.error / (s->t_end - s->t0) : s->o.error;
  return (s->now.t - s->last.t) * fmax(sqrt(constant * bend_of_step(s) / share), 1 / s->step_max);
}

static void note_pace(fly_solver *s, double work, double turns) {
  fly_choice *c = s->choice;
  fly_pace *p = &c->pace[c->active];
  const double fading = c->active == FLY_EXPLICIT ? sqrt(FADING) : FADING;
  p->work = fading * p->work + work;
  p->time = fading * p->time + (s->now.t - s->last.t);
  p->steps = fading * p->steps + 1;
  p->turns = fading * p->turns + turns;
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

static void try_other(fly_solver *s, int who, fly_reason reason, double measure) {
  fly_choice *c = s->choice;
  c->trying = true;
  c->before = c->active;
  c->trial = (fly_trial){0};
  c->rate_before = rate_of(&c->pace[c->active]);
  c->step_before = step_of(&c->pace[c->active]);
  c->share_before = share_of(&c->pace[c->active]);
  c->step_expected = 0;
  c->tried = c->spent;
  c->tried_at = s->now.t;
  wish(c, who, reason, measure);
}

static bool has_failed(const fly_solver *s, int who) { return !isnan(s->choice->failed_at[who]); }

// Constraints and motions say all of it; between the points rows are what the equations say there, by the families that
// settle them: not by the one of second order.
static bool nothing_is_free(const fly_solver *s) { return s->e.nl >= s->e.p.nv; }

// And no state follows an equation of its own: no error adds up, and no rate limits a step.
static bool is_driven(const fly_solver *s) { return nothing_is_free(s) && s->e.p.nx == 0; }

static void forget_marks(fly_choice *c) {
  c->stiff = c->rough = c->tiny = c->faint = c->refused = c->dear = c->beside = 0;
}

// As it starts, nothing would move by more than the error asked for until the end (AU-rest).
static bool is_at_rest(fly_solver *s) {
  const fly_dae_problem *p = &s->e.p;
  const double T = s->t_end - s->t0;
  double moved = T * (fly_weighted(s, s->now.v) + 0.5 * T * fly_weighted(s, s->now.vdot));
  for (int i = 0; i < p->nx; i++)
    moved = fmax(moved, T * fabs(s->now.xdot[i]) / (p->scale_x ? p->scale_x[i] : 1.0));
  return moved <= s->o.error;
}

// By the fastest rate: what turns often in the time of the run is left to an implicit method.
static void choose_by_rate(fly_solver *s) {
  const double fastest = fly_fastest_rate(s, FIRST_PROBES) * (s->t_end - s->t0);
  if (fastest > RATES_MOST)
    wish(s->choice, FLY_IMPLICIT, FLY_REASON_RATES, fastest);
  else
    wish(s->choice, FLY_EXPLICIT, FLY_REASON_START, fastest);
}

void fly_judge_start(fly_solver *s) {
  fly_choice *c = s->choice;
  c->trying = false;
  c->starts = c->rejected = 0;
  forget_marks(c);
  c->patience_tiny = TINY_MARKS;
  c->patience_stiff = STIFF_MARKS;
  c->patience_rough = ROUGH_MARKS;
  c->patience_refused = REFUSED_MARKS;
  c->patience_dear = DEAR_MARKS;
  c->patience_beside = BESIDE_MARKS;
  c->until_look = c->patience_look = LOOK_EVERY;
  c->until_plain = c->patience_plain = LOOK_PLAIN;
  c->until_turn = c->patience_turn = LOOK_TURNS;
  c->turn = 0;
  c->rate_kept = c->step_expected = 0;
  fly_stages_start(s);
  for (int k = 0; k < FLY_MEMBERS; k++)
    c->bias[k] = 1;
  c->spent = c->tried = c->ended = c->vain_until = 0;
  c->resting = !nothing_is_free(s) && is_at_rest(s);
  if (is_driven(s))
    wish(c, FLY_EXPLICIT, FLY_REASON_DRIVEN, 0);
  else if (c->resting)
    wish(c, FLY_PLAIN, FLY_REASON_REST, 0);
  else
    choose_by_rate(s);
}

// What has begun to move is somebody's who moves. Behind a break in time it may begin so gently that nothing tells yet:
// a first step of second order would there be as long as the steps at rest were, whatever the tolerance, in the run and
// in its companion alike, and their difference would not show its error.
static void judge_rest(fly_solver *s) {
  if (is_at_rest(s) && s->stats.breaks == 0)
    return;
  s->choice->resting = false;
  choose_by_rate(s);
}

// ------------------------------------------------------------------------------------------ second order

// (AU-plain): predicted work of ch over that of the present method.
static double plain_prospect(const fly_solver *s) {
  return s->choice->bias[FLY_PLAIN] * fly_plain_step_work(s) / share_of(&s->choice->pace[s->choice->active]);
}

// What it is asked for to be tried: the smaller the error, the less often it is cheaper, and what a flight promises, a
// blow does not keep; where large ones are allowed, its matrices are renewed in most of its steps.
static double promising_plain(const fly_solver *s) {
  const double off = s->o.error / 1e-3;
  return PROMISING * pow(fmin(off, 1 / off), 0.125);
}

// Its errors are what is asked for, where those of the others are far below, and states may magnify them: where a
// relaxation oscillator jumps, by the ratio of its speeds.
static bool may_magnify(const fly_solver *s) { return s->e.p.nx > 0 && fly_error_asked(s) <= FINE; }

static bool wants_plain(fly_solver *s) {
  fly_choice *c = s->choice;
  c->until_plain -= c->active == FLY_IMPLICIT ? PLAIN_SHARE : 1;
  const bool begins = c->active == FLY_EXPLICIT && c->pace[FLY_EXPLICIT].steps < TRIAL_EXPLICIT / 2.0;
  if (nothing_is_free(s) || may_magnify(s) || has_failed(s, FLY_PLAIN) || c->until_plain > 0 || begins)
    return false;
  c->until_plain = c->patience_plain;
  const double prospect = plain_prospect(s);
  if (prospect >= promising_plain(s)) {
    c->bias[FLY_PLAIN] = sqrt(c->bias[FLY_PLAIN]);
    return false;
  }
  const fly_pace *p = &c->pace[c->active];
  try_other(s, FLY_PLAIN, FLY_REASON_PLAIN, 1 / prospect);
  c->step_expected = 0.5 * p->time / p->turns;
  return true;
}

// The shortest trial of an implicit method against what is left to do at the pace of the last steps.
static bool is_worth_a_trial(const fly_solver *s) {
  const fly_pace *own = &s->choice->pace[s->choice->active], *other = &s->choice->pace[FLY_IMPLICIT];
  const double step = other->steps > 0 ? other->work / other->steps : fly_implicit_step_work(s);
  return (LEAVING + 1) * step <= AFFORDABLE * rate_of(own) * (s->t_end - s->now.t);
}

// What the others would take is not seen from its steps: they are tried in turn, and at once where its own have become
// dearer than they were when it was taken.
static void judge_plain(fly_solver *s) {
  fly_choice *c = s->choice;
  const double dearer = rate_of(&c->pace[FLY_PLAIN]) / c->rate_kept;
  const int other = c->turn % 2 ? FLY_EXPLICIT : FLY_IMPLICIT;
  c->until_turn -= dearer > DEARER ? LOOK_AGAIN : 1;
  if (c->until_turn > 0)
    return;
  c->turn++;
  c->until_turn = c->patience_turn;
  if (!has_failed(s, other) && (other == FLY_EXPLICIT || is_worth_a_trial(s)))
    try_other(s, other, FLY_REASON_DEARER, dearer);
}

static long longer(long patience, long first) {
  const long most = BACK_OFF_MOST * first, next = BACK_OFF * patience;
  return next < most ? next : most;
}

// ------------------------------------------------------------------------------------------ the explicit one

static void mark(long *marks, long against) {
  *marks += against > 0 ? against : -1;
  if (*marks < 0)
    *marks = 0;
}

static bool is_against(const fly_choice *c) {
  return c->stiff >= c->patience_stiff || c->refused >= c->patience_refused || c->tiny >= c->patience_tiny ||
         c->faint >= c->patience_tiny || c->rough >= c->patience_rough || c->dear >= c->patience_dear ||
         c->beside >= c->patience_beside;
}

// An implicit method takes what it took in its last trial, if that was in vain, beside what the explicit formulas take
// now (AU-vain).
static bool would_be_in_vain(const fly_choice *c) {
  const fly_pace *own = &c->pace[FLY_EXPLICIT];
  const double longer_by = step_of(own) / c->vain_step;
  const bool alike = longer_by < ALIKE && longer_by > 1 / ALIKE;
  return alike && c->spent < c->vain_until && rate_of(own) <= c->vain_rate;
}

// How much faster than the motion bends the rate is that limits a step of high order; 0: none does (AU-beside).
static double beside_motion(fly_solver *s, const fly_adams *a) {
  const double slope = a->at.predicted_slope;
  if (a->order_last <= STIFF_ORDER || !(slope > HIGH_SLOPE))
    return 0;
  const double bend = bend_of_step(s);
  return bend > 0 ? slope / a->at.h * fly_weighted(s, s->now.vdot) / bend : 0;
}

// Steps that stability limits are of low order and have a fastest rate to show; a motion that is broken again and again
// never lets the order rise (AU-marks).
static void judge_explicit(fly_solver *s) {
  fly_choice *c = s->choice;
  const fly_adams *a = &((const state_space *)s->own)->adams;
  const double slope = a->at.predicted_slope;
  const double beside = beside_motion(s, a);
  mark(&c->stiff, a->order_last <= STIFF_ORDER && slope > STIFF_SLOPE ? AGAINST : 0);
  mark(&c->beside, beside > BESIDE ? AGAINST : 0);
  mark(&c->refused, REFUSED * (a->stats.rejected_error - c->rejected));
  mark(&c->rough, STARTED * (a->stats.starts - c->starts));
  mark(&c->tiny, a->at.h < TINY * s->h_largest ? AGAINST : 0);
  mark(&c->faint, a->order_last <= STIFF_ORDER && slope < FAINT ? AGAINST : 0);
  const double dearer = rate_of(&c->pace[FLY_EXPLICIT]) / rate_of(&c->pace[FLY_IMPLICIT]);
  mark(&c->dear, dearer > DEARER ? AGAINST : 0);
  c->starts = a->stats.starts;
  c->rejected = a->stats.rejected_error;
  if (has_failed(s, FLY_IMPLICIT))
    return;
  if (!is_worth_a_trial(s)) {
    wants_plain(s);
    return;
  }
  if (is_against(c) && would_be_in_vain(c))
    forget_marks(c);
  if (c->stiff >= c->patience_stiff)
    try_other(s, FLY_IMPLICIT, FLY_REASON_STIFF, slope);
  else if (c->refused >= c->patience_refused)
    try_other(s, FLY_IMPLICIT, FLY_REASON_REFUSED, (double)c->rejected / (double)(c->rejected + a->stats.steps));
  else if (c->tiny >= c->patience_tiny)
    try_other(s, FLY_IMPLICIT, FLY_REASON_TINY, a->at.h / s->h_largest);
  else if (c->faint >= c->patience_tiny) {
    c->patience_look = longer(c->patience_look, LOOK_EVERY); // a prospect knows nothing of round-off
    try_other(s, FLY_IMPLICIT, FLY_REASON_FAINT, slope);
  } else if (c->rough >= c->patience_rough)
    try_other(s, FLY_IMPLICIT, FLY_REASON_ROUGH, (double)c->starts);
  else if (c->dear >= c->patience_dear)
    try_other(s, FLY_IMPLICIT, FLY_REASON_COSTLY, dearer);
  else if (c->beside >= c->patience_beside)
    try_other(s, FLY_IMPLICIT, FLY_REASON_BESIDE, beside);
  else
    wants_plain(s);
}

// ------------------------------------------------------------------------------------------ the implicit ones

// Work of an explicit step over that of one at hand: as last counted, or about.
static double explicit_share(const fly_solver *s) {
  const fly_choice *c = s->choice;
  const fly_pace *e = &c->pace[FLY_EXPLICIT], *own = &c->pace[c->active];
  const double step = e->steps > TRIAL_EXPLICIT / 2.0 ? e->work / e->steps : fly_explicit_step_work(s);
  return own->steps > 0 ? step / (own->work / own->steps) : 1.0;
}

// (AU-back): predicted work of explicit formulas over that of the present method, for the same time.
static double explicit_prospect(fly_solver *s) {
  fly_choice *c = s->choice;
  const fly_pace *own = &c->pace[c->active];
  const double h = own->time / fmax(own->steps, 1), L = fly_fastest_rate(s, PROBES);
  return c->bias[FLY_EXPLICIT] * h / fmin(h / fly_stages_ratio(s), STABLE / L) * explicit_share(s);
}

// (AU-few): all that is left, by steps of second order at the bend of the last step, costs less than by Radau's, even
// if each of these were twice as long as the one before.
static bool is_soon_over(const fly_solver *s, double turns) {
  const fly_pace *own = &s->choice->pace[FLY_IMPLICIT];
  const double left = s->t_end - s->now.t, steps = fmax(log2(1 + left / s->h_next), left / s->step_max);
  const double making = s->choice->entered[FLY_PLAIN] ? 0 : MAKING;
  const double plain = turns * left / (s->now.t - s->last.t) * fly_plain_step_work(s);
  return plain + making < PROMISING * steps * fmin(own->work / own->steps, fly_implicit_step_work(s));
}

static void judge_implicit(fly_solver *s, double turns) {
  fly_choice *c = s->choice;
  if (c->patience_plain == LOOK_PLAIN && is_soon_over(s, turns))
    c->until_plain = 0;
  c->until_look -= s->family->order(s) > 5 ? 2 : 1;
  if (wants_plain(s) || has_failed(s, FLY_EXPLICIT) || c->until_look > 0)
    return;
  if (is_growing(s)) {
    c->until_look = LOOK_AGAIN;
    return;
  }
  c->until_look = c->patience_look;
  const double prospect = explicit_prospect(s);
  if (prospect < PROMISING)
    try_other(s, FLY_EXPLICIT, FLY_REASON_SMOOTH, 1 / prospect);
  else
    c->bias[FLY_EXPLICIT] = sqrt(c->bias[FLY_EXPLICIT]);
}

// ------------------------------------------------------------------------------------------ trials

// What was predicted came to so many times that; a blow says little of the flight behind it.
static void correct(double *bias, double by) { *bias = fmin(fmax(*bias * by, 1), BIAS_MOST); }

// More marks are asked for until trials cost little beside what is done between them. What limits steps of high order
// may have only begun to: a trial for that is no word on others.
static void lose_patience_with_marks(fly_choice *c, double lost) {
  if (c->reason == FLY_REASON_BESIDE) {
    c->patience_beside *= c->patience_beside < BESIDE_MOST ? BACK_OFF_BESIDE : 1;
    return;
  }
  c->vain_until = c->spent + BELIEVED * lost;
  c->vain_rate = rate_of(&c->pace[FLY_IMPLICIT]);
  c->vain_step = c->step_before;
  if (lost <= AFFORDABLE * (c->tried - c->ended))
    return;
  if (c->reason == FLY_REASON_REFUSED) {
    c->patience_refused = longer(c->patience_refused, REFUSED_MARKS);
    return;
  }
  if (c->reason == FLY_REASON_COSTLY) {
    c->patience_dear = longer(c->patience_dear, DEAR_MARKS);
    return;
  }
  c->patience_stiff = longer(c->patience_stiff, STIFF_MARKS);
  c->patience_rough = longer(c->patience_rough, ROUGH_MARKS);
  c->patience_tiny = longer(c->patience_tiny, TINY_MARKS);
}

// lost: work beyond what the one before would have taken.
static void lose_patience(fly_choice *c, double ratio, double lost) {
  if (c->active != FLY_IMPLICIT && c->before != FLY_PLAIN) // who was predicted to be cheaper
    correct(&c->bias[c->active], ratio * c->measure);
  if (c->active == FLY_PLAIN)
    c->patience_plain = longer(c->patience_plain, LOOK_PLAIN);
  else if (c->before == FLY_PLAIN)
    c->patience_turn = longer(c->patience_turn, LOOK_TURNS);
  else if (c->active == FLY_IMPLICIT)
    lose_patience_with_marks(c, lost);
  else
    c->patience_look = longer(c->patience_look, LOOK_EVERY);
}

static void end_trial(fly_solver *s, double ratio) {
  fly_choice *c = s->choice;
  c->trying = false;
  forget_marks(c);
  c->until_look = c->patience_look;
  c->rate_kept = rate_of(&c->pace[c->active]);
  const bool better = ratio < BETTER;
  if (better && c->active == FLY_IMPLICIT && c->before == FLY_EXPLICIT)
    correct(&c->bias[FLY_EXPLICIT], 1 / (ratio * explicit_prospect(s)));
  if (better || has_failed(s, c->before))
    return;
  lose_patience(c, ratio, c->spent - c->tried - c->rate_before * (s->now.t - c->tried_at));
  c->ended = c->spent;
  wish(c, c->before, FLY_REASON_NOT_BETTER, ratio);
}

// Work of a trial over that of the one before, for the same time: with its first steps, matrices and all, where that is
// less, because they may be the longest. Beside steps of second order also for as much bending
// of the motion, which counts in their steps, so that a stretch of flight says nothing of the blow before it; but what
// is stiff seems to bend in short steps, and who leaves them has the better of the two.
static double trial_ratio(const fly_solver *s) {
  const fly_choice *c = s->choice;
  const fly_trial *t = &c->trial;
  const fly_pace *p = &c->pace[c->active];
  const double whole = (c->spent - c->tried) / (s->now.t - c->tried_at);
  const bool rises = c->active == FLY_EXPLICIT; // its order, from one or four
  const double by_time = (rises ? rate_of(p) : fmin(t->work / t->time, whole)) / c->rate_before;
  const double by_turns = (rises ? share_of(p) : t->work / t->turns) / c->share_before;
  if (c->active == FLY_PLAIN)
    return by_turns;
  return c->before == FLY_PLAIN ? fmin(by_time, by_turns) : by_time;
}

// The first steps behind a change say nothing of the others: matrices are made, steps grow.
static void judge_trial(fly_solver *s, double work, double turns) {
  fly_choice *c = s->choice;
  const bool implicit = c->active == FLY_IMPLICIT;
  if (c->active != FLY_EXPLICIT && c->trial.leaving++ < LEAVING)
    return;
  const long steps = ++c->trial.steps;
  c->trial.work += work;
  c->trial.time += s->now.t - s->last.t;
  c->trial.turns += turns;
  const double ratio = trial_ratio(s);
  const long enough = !implicit ? TRIAL_EXPLICIT : ratio > HOPELESS ? 1 : ratio > DEAR ? TRIAL_SHORT : TRIAL_IMPLICIT;
  const bool growing = is_growing(s) && steps < (c->active == FLY_EXPLICIT ? TRIAL_RISE : TRIAL_LONG);
  if (!growing && steps >= enough)
    end_trial(s, ratio);
}

// Where a family has failed, another has been at work for a while: it may be asked again.
static void forgive(fly_solver *s) {
  fly_choice *c = s->choice;
  const fly_stretch *now = &c->stretch[(c->nstretch < FLY_STRETCHES_MOST ? c->nstretch : FLY_STRETCHES_MOST) - 1];
  for (int k = 0; k < FLY_MEMBERS; k++)
    if (k != c->active && now->steps >= c->patience_look)
      c->failed_at[k] = NAN;
}

void fly_judge_step(fly_solver *s) {
  fly_choice *c = s->choice;
  const double work = fly_work(s) - c->counted;
  const double turns = turns_of_step(s);
  c->spent += work;
  note_pace(s, work, turns);
  if (c->active == FLY_IMPLICIT)
    fly_judge_stages(s, work);
  forgive(s);
  if (c->trying)
    judge_trial(s, work, turns);
  else if (is_driven(s))
    return; // nothing is stiff, and no method has less to do
  else if (c->resting && c->active == FLY_PLAIN)
    judge_rest(s);
  else if (c->active == FLY_EXPLICIT)
    judge_explicit(s);
  else if (c->active == FLY_IMPLICIT)
    judge_implicit(s, turns);
  else
    judge_plain(s);
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
