// The verdict on a run, and the errors of its channels.
#include "analysis/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/attach.h"
#include "base/error.h"
#include "base/number.h"

enum { TIMES = 200, TIMES_LEAST = 20, NUMBERS = 200000 }; // of errors.json

const char *fly_verdict_word(fly_verdict_state state) {
  static const char *const words[] = {[FLY_VERDICT_NONE] = "none",
                                      [FLY_VERDICT_KEPT] = "kept",
                                      [FLY_VERDICT_CONTROLLED] = "controlled",
                                      [FLY_VERDICT_UNCONTROLLED] = "uncontrolled",
                                      [FLY_VERDICT_WRONG] = "wrong"};
  return (int)state >= 0 && state <= FLY_VERDICT_WRONG ? words[state] : "unknown verdict";
}

// ------------------------------------------------------------------------------------------ the sentence

// Channels are estimated if the run is, unless there are very many.
static int estimated_times(const fly_promise *p) { return p ? fly_promise_count(p) : 0; }

// Largest error among the channels of one unit; < 0: there is none.
static double largest_of_unit(const fly_promise *p, const fly_channels *c, const char *unit) {
  const int n = estimated_times(p);
  double largest = -1;
  for (int k = 0; n > 0 && k < c->count && k < fly_promise_values(p); k++)
    if (c->channel[k].unit && strcmp(c->channel[k].unit, unit) == 0)
      largest = fmax(largest, fly_promise_error(p, n - 1, k));
  return largest;
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say(fly_verdict *v, const char *format, ...) {
  const size_t used = strlen(v->sentence);
  va_list list;
  va_start(list, format);
  vsnprintf(v->sentence + used, sizeof v->sentence - used, format, list);
  va_end(list);
}

static void say_units(fly_verdict *v, const fly_verdict_case *c) {
  const double length = largest_of_unit(c->promise, c->channels, "m");
  const double angle = largest_of_unit(c->promise, c->channels, "rad");
  if (length >= 0)
    say(v, " Lengths are right to %.1e m%s", length, angle >= 0 ? "," : ".");
  if (angle >= 0)
    say(v, "%s right to %.1e rad.", length >= 0 ? " angles" : " Angles are", angle);
}

static void say_estimate(fly_verdict *v, const fly_verdict_case *c, const fly_promise_report *r) {
  const bool fixed = c->settings->dae.step > 0;
  say(v, "The error of the run is about %.1e, by comparison with one of %s %.1e", r->error,
      fixed ? "step" : "tolerance", r->companion);
  if (!isnan(r->asked))
    say(v, "; %.1e was asked for", r->asked);
  say(v, ".");
  say_units(v, c);
}

static void say_growth(fly_verdict *v, const fly_promise_report *r) {
  if (!isnan(r->growth) && !isnan(r->asked))
    say(v, " Errors of steps arrive at the end %.*g-fold: steps are controlled to %.1e.", r->growth < 100 ? 2 : 4,
        r->growth, r->setting);
  if (!isnan(r->doubling))
    say(v, " Errors double every %.3g s.", r->doubling);
}

static void say_unknown(fly_verdict *v, const char *why, double error) {
  if (why)
    say(v, "How large it is was not estimated.");
  else
    say(v, "The estimated errors of the steps add up to less than %.1e; how they grow on their way is not known.",
        error);
}

static bool drifts(const fly_dae_options *o) {
  return o->family == FLY_FAMILY_DIRECT || (o->family == FLY_FAMILY_NEWMARK && o->formulation == FLY_INDEX2);
}

static const char *why_uncontrolled(const fly_dae_options *o) {
  return o->step > 0                        ? "The step was fixed: nothing controlled the error. "
         : o->error_per == FLY_PER_STEP     ? "The error of each step was controlled, not that of the run. "
         : o->form != FLY_FORM_ACCELERATION ? "The form is of first order: nothing is promised. "
         : drifts(o)                        ? "Positions drift off their constraints: see |g| in the certificate. "
                                            : NULL;
}

static void doubt(fly_verdict *v) { v->state = v->state == FLY_VERDICT_KEPT ? FLY_VERDICT_CONTROLLED : v->state; }

// What was not seen is not certified.
static void say_unsure(fly_verdict *v, const fly_verdict_case *c) {
  doubt(v);
  say(v,
      " In %ld step%s it could not be told whether `%s`, or another force that depends on the motion, acts in a short "
      "stretch on the way: --step-max makes steps shorter.",
      c->unsure, c->unsure == 1 ? "" : "s", c->hidden ? c->hidden : "a force");
}

// Whether something happens that comes nearer to its switch than the error leaves open is chance, in a companion too.
// Where the error of the run is known it is that which counts (control.md, C-grazes).
static void say_graze(fly_verdict *v, const fly_verdict_case *c, const fly_promise_report *r) {
  const double left = isnan(r->error) || isnan(r->asked) ? 1.0 : r->error / r->asked;
  if (!c->grazed || !(c->graze <= left))
    return;
  doubt(v);
  say(v,
      " But at t = %.6g s `%s` comes so near to where it switches, or passes it by so little, that the error of the "
      "run leaves open whether it does: what comes behind may be another motion. A smaller error may tell.",
      c->graze_t, c->grazed);
}

// Without damping a push grows like exp(t sqrt(-mu)), mu the lowest eigenvalue of stiffness over mass (statics.md).
static void say_start(fly_verdict *v, const fly_equilibrium *e, double end) {
  const double rate = sqrt(-e->lowest);
  say(v,
      " The equilibrium it starts from is unstable: the least push, a rounding error too, grows e-fold every %.3g s, "
      "%.1e-fold over the run, but for damping. Start a little beside it to see where it goes.",
      1 / rate, exp(fmin(end * rate, 700)));
}

// Friction by a reaction that grows without bound, as at a change point, may be leapt over by two runs in the same way:
// a comparison shows nothing, the energy does. What is kept has less than the error in it (forces.md, section 4).
// So may a contact whose places jump from one face to another: elastic springs that come from nothing (contact.md).
static const double OPEN = 10;
static const double OPEN_TOUCH = 0.01; // of contacts at least: blows are short beside the steps that count the energy

static double open_by(const fly_verdict_case *c) { return c->ledger.worst / c->ledger.moved; } // NAN: nothing moved

// An energy that takes no body farther than a thousandth of the error, or than rounding does, is nothing that moved: of
// bodies at rest the ledger holds rounding errors alone.
static bool is_at_rest(const fly_verdict_case *c, double asked) {
  const double way = fmax(isnan(asked) ? 0.0 : 1e-3 * asked, 1e-12) * c->size, speed = way / c->settings->end;
  return c->ledger.moved <= c->mass * speed * speed / 2;
}

static bool is_open_by_friction(const fly_verdict_case *c, double asked) {
  return c->rubs && !is_at_rest(c, asked) && open_by(c) > OPEN * asked; // NAN: nothing was asked for
}

static bool is_open_by_contact(const fly_verdict_case *c, double asked) {
  return c->touches && !is_at_rest(c, asked) && open_by(c) > fmax(OPEN * asked, OPEN_TOUCH);
}

// Spots of what has faces come and go where it is deep in something else that has: no smaller error mends that.
fly_status fly_verdict_judge_faces(const fly_verdict_case *c, fly_error *error) {
  const double asked = c->promise ? fly_promise_tell(c->promise).asked : c->settings->dae.error;
  if (!c->faces || is_at_rest(c, asked) || !(open_by(c) > fmax(isnan(asked) ? 0.0 : OPEN * asked, OPEN_TOUCH)))
    return FLY_OK;
  return fly_fail(error, FLY_NOT_KEPT, c->settings->end,
                  "The run is complete, but where boxes, hulls or meshes touch each other the energy ledger is open by "
                  "%.1e of the energy that moved: edges and corners came or went while they were deep in each other. "
                  "Give a stiffer contact, and parts of a mesh that are convex as hulls (`type: hull`).",
                  open_by(c));
}

static void say_open(fly_verdict *v, const fly_verdict_case *c, const char *cause) {
  doubt(v);
  say(v, " But the energy ledger is open by %.1e of the energy that moved, far more than this error: %s", open_by(c),
      cause);
}

// A load is its gap over a compliance: what positions err by, rounding among it, is large in it where hardly anything
// gives way, and larger still in the shares of joints that depend on each other, which no balance holds.
static const double LOADS_OFF = 0.01;     // of the largest load of their unit
static const double ROUNDED_LOAD = 1e-12; // of forces by the size of the model: a torque that is a rounding error

typedef struct load {
  int channel;         // of the largest error; -1: there is none
  double off, largest; // that error, and the largest load of the unit
} load;

static load worst_load(const fly_verdict_case *c, const char *unit) {
  const int n = estimated_times(c->promise);
  load w = {.channel = -1};
  for (int k = 0; k < c->channels->count && k < fly_promise_values(c->promise); k++) {
    if (!c->channels->channel[k].unit || strcmp(c->channels->channel[k].unit, unit) != 0)
      continue;
    const double off = fly_promise_error(c->promise, n - 1, k);
    w.largest = fmax(w.largest, fly_promise_size(c->promise, k));
    w.channel = off > w.off ? k : w.channel;
    w.off = fmax(w.off, off);
  }
  return w;
}

static void say_loads(fly_verdict *v, const fly_verdict_case *c) {
  const load force = worst_load(c, "N"), torque = worst_load(c, "N m");
  // Of two kinds the one that the other's rounding errors make all of is nothing, and nobody's concern.
  const bool no_torque = torque.largest <= ROUNDED_LOAD * force.largest * c->size;
  const bool no_force = force.largest * c->size <= ROUNDED_LOAD * torque.largest;
  const bool turns = no_force || (!no_torque && torque.off * force.largest > force.off * torque.largest);
  const load *w = turns ? &torque : &force;
  const char *unit = turns ? "N m" : "N";
  if (w->channel < 0)
    return;
  const char *name = c->channels->channel[w->channel].name;
  if (!c->soft && w->off > w->largest) {
    doubt(v);
    say(v, " But loads are not known: `%s` is right to %.1e %s only, where none is larger than %.1e %s.", name, w->off,
        unit, w->largest, unit);
  }
  if (c->soft && w->off > LOADS_OFF * w->largest)
    say(v,
        " Loads of joints that give way are not known as well: `%s` to %.1e %s, where the largest is %.1e %s. So "
        "little "
        "do they give way that errors of positions, rounding too, are large beside it: ask for a smaller error, or "
        "take "
        "a larger compliance.",
        name, w->off, unit, w->largest, unit);
}

// Largest value among the channels of one unit.
static double size_of_unit(const fly_promise *p, const fly_channels *c, const char *unit) {
  double largest = 0;
  for (int k = 0; k < c->count && k < fly_promise_values(p); k++)
    if (c->channel[k].unit && strcmp(c->channel[k].unit, unit) == 0)
      largest = fmax(largest, fly_promise_size(p, k));
  return largest;
}

// An error that is as large as all that moves is kept by anything. The size of a model is not always in its file.
static const double COARSE = 3;    // errors asked for: the largest length or angle, if no larger, has no digit
static const double STILL = 1e-12; // of the size: nothing moves

static bool is_coarse(const fly_verdict_case *c, double asked, double length) {
  return length > STILL * c->size && length < COARSE * asked * c->size &&
         size_of_unit(c->promise, c->channels, "rad") < COARSE * asked;
}

static void say_coarse(fly_verdict *v, const fly_verdict_case *c, double asked) {
  const double length = size_of_unit(c->promise, c->channels, "m");
  if (!is_coarse(c, asked, length))
    return;
  doubt(v);
  say(v,
      " But no length in it is larger than %.1e m, and %.1e is asked for in sizes of the model, which counts as %.3g m "
      "large: that is %.1e m. Ask for a smaller error.",
      length, asked, c->size, asked * c->size);
}

// Where a slip turns round, its rate is off by what counts as rest from there on.
static void say_slow(fly_verdict *v, const fly_verdict_case *c, double asked) {
  const double passed = c->rest * c->settings->end;
  if (!(passed > asked)) // NAN: nothing was asked for
    return;
  doubt(v);
  say(v,
      " But friction takes a slip of 1e-12 m/s, or rad/s, for rest, which would come to %.1e in the run: so much of "
      "the error is not controlled. Ask for a larger error, or for a shorter run.",
      passed);
}

static fly_verdict judge_dynamics(const fly_verdict_case *c) {
  fly_verdict v = {0};
  const fly_dae_options *o = &c->settings->dae;
  const fly_promise_report r = c->promise ? fly_promise_tell(c->promise) : fly_promise_unknown();
  const char *why = why_uncontrolled(o);
  const bool known = estimated_times(c->promise) > 0;
  v.state = why ? FLY_VERDICT_UNCONTROLLED : known ? FLY_VERDICT_KEPT : FLY_VERDICT_CONTROLLED;
  if (why)
    say(&v, "%s", why);
  if (known)
    say_estimate(&v, c, &r);
  else
    say_unknown(&v, why, o->error);
  say_growth(&v, &r);
  if (known)
    say_loads(&v, c);
  if (r.note[0])
    say(&v, " %s", r.note);
  if (c->unsure > 0)
    say_unsure(&v, c);
  say_graze(&v, c, &r);
  if (known)
    say_coarse(&v, c, r.asked);
  say_slow(&v, c, r.asked);
  if (is_open_by_friction(c, r.asked))
    say_open(&v, c,
             "the friction of a joint was passed in few steps somewhere, as where a linkage jams. A smaller error, or "
             "--step-max, shows it.");
  else if (is_open_by_contact(c, r.asked))
    say_open(&v, c,
             "a contact may have taken another face, edge or corner than that which touches, or was passed in few "
             "steps. Look at its gap, and do not trust what comes behind.");
  if (c->start && c->start->unstable > 0 && c->start->lowest < 0)
    say_start(&v, c->start, c->settings->end);
  return v;
}

fly_verdict fly_verdict_find(const fly_verdict_case *c) {
  fly_verdict v = {.state = FLY_VERDICT_NONE};
  if (c->shown)
    return v;
  if (c->status != FLY_OK) {
    v.state = FLY_VERDICT_WRONG;
    say(&v, "%s", c->message);
    return v;
  }
  if (c->settings->analysis == FLY_DYNAMICS)
    return judge_dynamics(c);
  v.state = FLY_VERDICT_KEPT;
  say(&v, "Every row solves the equations of the mechanism to round-off.");
  return v;
}

// ------------------------------------------------------------------------------------------ the errors

static void put_channel(fly_json *j, const fly_promise *p, const fly_channel *channel, int k) {
  fly_json_begin_object(j);
  fly_json_put_string(j, "name", channel->name);
  fly_json_put_string(j, "unit", channel->unit);
  fly_json_put_number(j, "end", fly_promise_latest(p, k));
  fly_json_put_number(j, "largest", fly_promise_error(p, fly_promise_count(p) - 1, k));
  fly_json_end_object(j);
}

void fly_errors_put(fly_json *j, const fly_promise *p, const fly_channels *c) {
  if (!p) {
    fly_json_put_string(j, "error", NULL);
    return;
  }
  const fly_promise_report r = fly_promise_tell(p);
  fly_json_open_object(j, "error");
  fly_json_put_number(j, "asked", r.asked);
  fly_json_put_number(j, "setting", r.setting);
  fly_json_put_number(j, "growth", r.growth);
  fly_json_put_number(j, "error", r.error);
  fly_json_put_number(j, "believable_until", r.kept_until);
  fly_json_put_number(j, "doubling", r.doubling);
  fly_json_put_number(j, "companion", r.companion);
  fly_json_put_integer(j, "pilots", r.pilots);
  fly_json_put_integer(j, "pilot_steps", r.steps);
  fly_json_put_string(j, "note", r.note[0] ? r.note : NULL);
  fly_json_open_array(j, "channels");
  for (int k = 0; estimated_times(p) > 0 && k < fly_promise_values(p); k++)
    put_channel(j, p, &c->channel[k], k);
  fly_json_end_array(j);
  fly_json_end_object(j);
}

// Every so manieth time, and the last.
static int stride_of(const fly_promise *p) {
  const int values = 1 + fly_promise_values(p), count = fly_promise_count(p);
  const int most = NUMBERS / values > TIMES ? TIMES : NUMBERS / values < TIMES_LEAST ? TIMES_LEAST : NUMBERS / values;
  return 1 + (count - 1) / most;
}

static void put_times(fly_json *j, const fly_promise *p, const char *key, int value, bool times) {
  const int stride = stride_of(p), count = fly_promise_count(p);
  fly_json_open_array(j, key);
  for (int k = (count - 1) % stride; k < count; k += stride) // three digits of an error are plenty
    fly_json_number(j, times ? fly_promise_time(p, k) : fly_number_rounded(fly_promise_error(p, k, value), 3));
  fly_json_end_array(j);
}

typedef struct errors {
  const fly_promise *promise;
  const fly_channels *channels;
} errors;

static bool write_errors(FILE *file, const void *what) {
  const fly_promise *p = ((const errors *)what)->promise;
  const fly_channels *c = ((const errors *)what)->channels;
  fly_json json = fly_json_to(fly_to_file, file, 0), *j = &json;
  fly_json_begin_object(j);
  fly_json_put_integer(j, "errors", 1);
  put_times(j, p, "time", 0, true);
  put_times(j, p, "weighted", -1, false);
  fly_json_open_array(j, "channels");
  for (int k = 0; k < fly_promise_values(p); k++) {
    fly_json_begin_object(j);
    fly_json_put_string(j, "name", c->channel[k].name);
    fly_json_put_string(j, "unit", c->channel[k].unit);
    put_times(j, p, "largest", k, false);
    fly_json_end_object(j);
  }
  fly_json_end_array(j);
  fly_json_end_object(j);
  return fly_json_finish(j);
}

fly_status fly_errors_attach(fly_result_writer *w, const fly_promise *p, const fly_channels *c, fly_error *error) {
  const errors list = {p, c};
  return estimated_times(p) > 0 ? fly_attach(w, "errors.json", "the errors of the run", write_errors, &list, error)
                                : FLY_OK;
}
