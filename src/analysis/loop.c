// A run in a loop of somebody else: up to a time, inputs, on.
//
// A stop at t is a break of time that nobody knows the kind of yet: the step ends on its near side. Only when the run
// goes on is it known what has been set; then the break is crossed, with that kind, and only then what belongs to the
// step (rows, ledger) is done: as it is in a run whose model knows its inputs as tables, to the last bit.
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/run.h"
#include "base/error.h"
#include "dae/stops.h"
#include "flyball/run.h"

static const double SAME = 64 * DBL_EPSILON; // of a value: no jump

// ------------------------------------------------------------------------------------------ inputs

int fly_run_input(const fly_run *r, const char *name) {
  const fly_model *m = r ? &r->mechanism->model : NULL;
  for (int k = 0; name && m && k < m->ninput; k++)
    if (strcmp(m->spec->item[m->input[k].item].name, name) == 0)
      return k;
  return -1;
}

fly_status fly_run_allow(const fly_run *r, fly_run_call call, fly_error *error) {
  if (!r)
    return fly_missing(error, fly_run_call_name(call), "run");
  const char *why = fly_run_refusal(r->stage, call);
  return why ? fly_fail(error, FLY_BAD_INPUT, NAN, "%s: %s", fly_run_call_name(call), why) : FLY_OK;
}

bool fly_run_stands(const fly_run *r) { return r->waits || r->at_event || fly_run_stats(r).steps == 0; }

fly_status fly_run_set(fly_run *r, int input, double value, double slope, fly_error *error) {
  const fly_status status = fly_run_allow(r, FLY_CALL_SET, error);
  if (status)
    return status;
  if (input < 0 || input >= r->mechanism->model.ninput)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "fly_run_set: the model has no input %d. fly_run_input gives the handle of an input by its name.",
                    input);
  if (!isfinite(value) || !isfinite(slope))
    return fly_fail_at(error, FLY_BAD_INPUT, r->reached, FLY_NOWHERE,
                       r->mechanism->model.spec->item[r->mechanism->model.input[input].item].name,
                       "fly_run_set: input `%s` is to be %g with the slope %g.",
                       r->mechanism->model.spec->item[r->mechanism->model.input[input].item].name, value, slope);
  if (!fly_run_stands(r))
    return fly_fail(error, FLY_BAD_INPUT, r->reached,
                    "fly_run_set: the run has passed t = %.9g s inside a step. Advance with FLY_ADVANCE_STOP to where "
                    "an input is to be set.",
                    r->reached);
  double *given = r->given + 3 * input;
  given[0] = value;
  given[1] = slope;
  given[2] = r->reached;
  r->set = true;
  return FLY_OK;
}

static bool jumps(double old, double value) { return fabs(value - old) > SAME * fmax(fabs(value), fabs(old)); }

// What has been set becomes what is; how much it breaks the motion.
static bool take_inputs(fly_run *r, fly_break_kind *kind) {
  fly_system *const list[] = {&r->assembly.system, &r->assembly.all};
  bool changed = false;
  *kind = FLY_BREAK_SOFT;
  for (int k = 0; k < r->mechanism->model.ninput; k++) {
    const double *given = r->given + 3 * k;
    if (isnan(given[2]))
      continue;
    const bool leaps = jumps(fly_system_input(r->system, k, given[2]), given[0]),
               bends = given[1] != fly_system_input_slope(r->system, k);
    if (!leaps && !bends)
      continue;
    *kind = leaps ? FLY_BREAK_JUMP : *kind < FLY_BREAK_KINK ? FLY_BREAK_KINK : *kind;
    changed = true;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
      fly_system_set_input(list[i], k, given[2], given[0], given[1]);
  }
  fly_run_forget_inputs(r);
  return changed;
}

void fly_run_forget_inputs(fly_run *r) {
  for (int k = 0; k < 3 * r->mechanism->model.ninput; k++)
    r->given[k] = NAN;
  r->set = false;
}

// ------------------------------------------------------------------------------------------ going on

// What belongs to the last step is done with the parameters it was made with.
static fly_status take_parameters(fly_run *r, bool *followed, fly_error *error) {
  fly_status status = FLY_OK;
  *followed = r->waits;
  if (r->waits)
    status = fly_run_follow(r, error);
  return status ? status : fly_run_use_wanted(r, error);
}

fly_status fly_run_complete(fly_run *r, fly_error *error) {
  fly_break_kind kind = FLY_BREAK_SOFT;
  double before, after;
  bool followed = false;
  const bool tuned = r->pending != NULL;
  fly_status status = tuned ? take_parameters(r, &followed, error) : FLY_OK;
  if (status)
    return status;
  const bool changed = (r->set && take_inputs(r, &kind)) || tuned;
  kind = tuned ? FLY_BREAK_JUMP : kind;
  if (r->at_event) {
    r->at_event = false;
    return changed ? fly_solver_changed(r->assembly.solver, FLY_EFFECT_JUMP, error) : FLY_OK;
  }
  if (!r->waits)
    return changed ? fly_run_begin_again(r, error) : FLY_OK; // inputs that were set before the first step
  r->waits = false;
  fly_system_break_at(r->reached, &before, &after);
  if (changed && !r->mover->done(r))
    status = fly_solver_break_here(r->assembly.solver, after, kind, error);
  if (status == FLY_OK && changed && !r->mover->done(r))
    status = fly_solver_cross(r->assembly.solver, error);
  if (status == FLY_OK)
    status = fly_assembly_crossed(&r->assembly, error);
  return status ? fly_run_explain(r, status, error) : followed ? FLY_OK : fly_run_follow(r, error);
}

// What comes behind a stop depends on where the next one is.
static fly_status name_stop(fly_run *r, double t, double *before, fly_error *error) {
  double after;
  *before = INFINITY;
  if (!(t < r->settings.end))
    return FLY_OK;
  fly_system_break_at(t, before, &after);
  return fly_solver_stop_at(r->assembly.solver, *before, error);
}

static long happenings(const fly_run *r) {
  long sum = 0;
  for (int k = 0; k < r->mechanism->model.nevent; k++)
    sum += r->mechanism->model.event[k].part ? 0 : r->system->happened[k]; // friction has events of its own
  return sum;
}

// Steps up to a stop: what belongs to the last one waits until it is known what lies behind. events: up to one of them.
static fly_status step_to(fly_run *r, double before, bool events, fly_error *error) {
  const long happened = happenings(r);
  fly_status status = FLY_OK;
  while (status == FLY_OK && !r->waits && !r->at_event && !r->mover->done(r)) {
    status = fly_run_step(r, error);
    r->waits = status == FLY_OK && fly_run_time(r) >= before;
    r->at_event = status == FLY_OK && events && !r->waits && !r->mover->done(r) && happenings(r) > happened;
    if ((status == FLY_OK || status == FLY_NOT_KEPT) && !r->waits) {
      const fly_status followed = fly_run_follow(r, error);
      status = followed ? followed : status;
    }
  }
  return status;
}

static fly_status pass(fly_run *r, double t, fly_error *error) {
  fly_status status = FLY_OK;
  while (status == FLY_OK && !r->mover->done(r) && fly_run_time(r) < t)
    status = fly_run_once(r, error);
  return status;
}

static fly_status check(const fly_run *r, double t, fly_advance how, fly_error *error) {
  if (r->mover != &fly_mover_dynamics)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "fly_run_advance: only runs that forces move can be stepped.");
  if (!(t > r->reached))
    return fly_fail(error, FLY_BAD_INPUT, r->reached, "fly_run_advance: t = %.9g s does not lie behind %.9g s.", t,
                    r->reached);
  if (how != FLY_ADVANCE_PASS && r->settings.dae.step > 0 && t < r->settings.end)
    return fly_fail(error, FLY_BAD_INPUT, t,
                    "fly_run_advance: a fixed step cannot end at t = %.9g s. Let steps follow an error, or pass the "
                    "time (FLY_ADVANCE_PASS).",
                    t);
  return FLY_OK;
}

static fly_status advance(fly_run *r, double t, fly_advance how, fly_error *error) {
  double before = INFINITY;
  const bool fresh = fly_run_stats(r).steps == 0;
  fly_status status = fresh ? fly_run_complete(r, error) : FLY_OK; // a new start forgets stops
  if (status == FLY_OK && how != FLY_ADVANCE_PASS)
    status = name_stop(r, t, &before, error);
  if (status == FLY_OK)
    status = fresh ? fly_run_give_rows(r, error) : fly_run_complete(r, error);
  if (status == FLY_OK)
    status = how == FLY_ADVANCE_PASS ? pass(r, t, error) : step_to(r, before, how == FLY_ADVANCE_EVENT, error);
  r->reached = fmin(t, r->waits ? t : fly_run_time(r));
  return status;
}

fly_status fly_run_advance(fly_run *r, double t, fly_advance how, fly_error *error) {
  fly_error own = {0};
  error = error ? error : &own;
  fly_status status = fly_run_allow(r, FLY_CALL_ADVANCE_RUN, error);
  if (status == FLY_OK)
    status = check(r, t, how, error);
  if (status)
    return status;
  r->stage = FLY_RUN_BUSY;
  r->moves++;
  r->prepared = true; // there are no pilots
  status = advance(r, t, how, error);
  r->stage = status == FLY_OK || status == FLY_NOT_KEPT ? FLY_RUN_STARTED : FLY_RUN_STUCK;
  if (status && status != FLY_NOT_KEPT)
    r->outcome = *error;
  r->outcome.status = status;
  return status;
}

bool fly_run_done(const fly_run *r) {
  return r && r->mover && (r->stage == FLY_RUN_ENDED || r->stage == FLY_RUN_STUCK || r->mover->done(r));
}

double fly_run_reached(const fly_run *r) { return r ? r->reached : (double)NAN; }

// ------------------------------------------------------------------------------------------ reading

fly_status fly_run_read_state(fly_run *r, fly_dae_state *state, fly_error *error) {
  fly_status status = fly_run_allow(r, FLY_CALL_READ, error);
  if (status == FLY_OK && !state)
    status = fly_missing(error, "fly_run_read_state", "place for the state");
  if (status)
    return status;
  *state = fly_run_state(r);
  return r->reached < state->t ? r->mover->inside(r, r->reached, state, error) : FLY_OK;
}

static fly_status check_channels(const fly_run *r, const int *channel, int count, fly_error *error) {
  for (int k = 0; k < count; k++)
    if (channel[k] < 0 || channel[k] > r->channels.count)
      return fly_fail(error, FLY_BAD_INPUT, r->reached,
                      "fly_run_read: there is no channel %d. fly_run_channel gives the handle of one by its name.",
                      channel[k]);
  return FLY_OK;
}

// The ledger goes with the step that waits, and back.
static fly_status sample(fly_run *r, const fly_dae_state *at, fly_error *error) {
  const fly_book book = r->book;
  fly_status status = r->waits && fly_run_has_ledger(r) ? fly_run_book(r, error) : FLY_OK;
  r->value[0] = r->reached;
  if (status == FLY_OK)
    status = fly_run_sample(r, r->value + 1, at, error);
  r->book = book;
  return status;
}

fly_status fly_run_read(fly_run *r, const int *channel, int count, double *value, fly_error *error) {
  fly_dae_state at;
  fly_status status = fly_run_read_state(r, &at, error);
  if (status || count <= 0)
    return status;
  if (!channel || !value)
    return fly_missing(error, "fly_run_read", channel ? "place for the values" : "list of channels");
  status = check_channels(r, channel, count, error);
  if (status == FLY_OK)
    status = sample(r, &at, error);
  for (int k = 0; k < count && status == FLY_OK; k++)
    value[k] = r->value[channel[k]];
  return status;
}
