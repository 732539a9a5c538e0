// The error of a run, by pilots: runs of their own, with looser tolerances, from where it starts.
#include <math.h>
#include <string.h>

#include "analysis/run.h"
#include "base/error.h"

enum { CHANNELS_MOST = 20000 }; // more of them are not compared with a pilot's

// For pilots: what cannot be sampled is not compared.
static void sample_values(double *out, const fly_dae_state *at, void *run) {
  fly_run *r = run;
  if (fly_run_sample(r, out, at, NULL))
    for (int k = 0; k < r->channels.count; k++)
      out[k] = NAN;
}

// What the ledger leaves open is an error that is known: that of its balance, and, beyond the error of the energy, one
// of the works, shared out by what they have done (P-ledger).
static void miss_works(double *least, const double *value, const double *estimate, void *run) {
  const fly_run *r = run;
  const int energy = fly_channels_energy(&r->channels), work = fly_channels_work(&r->channels);
  if (energy < 0 || work < 0)
    return;
  const double open = fabs(value[energy + FLY_ENERGY_BALANCE]), beyond = open - estimate[energy + FLY_ENERGY_TOTAL];
  double all = 0;
  for (int k = 0; k < FLY_WORK_KINDS; k++)
    all += fabs(value[work + k]);
  least[energy + FLY_ENERGY_BALANCE] = fmax(least[energy + FLY_ENERGY_BALANCE], open);
  for (int k = 0; k < FLY_WORK_KINDS && beyond > 0 && all > 0; k++)
    least[work + k] = fmax(least[work + k], beyond * fabs(value[work + k]) / all);
}

static bool goes_on(void *run) {
  fly_run *r = run;
  const fly_run_settings *s = &r->settings;
  const bool stopped = fly_run_wants_stop(r);
  return !stopped && (!s->progress || s->progress(0.0, s->end, fly_promise_tell(r->promise).steps, s->user));
}

static fly_status create_pilot(fly_run *pilot, fly_run *of, double setting, fly_error *error) {
  *pilot = (fly_run){.mechanism = of->mechanism, .settings = of->settings, .promise = of->promise, .clock = of->clock};
  pilot->flying = pilot->all_given = true;
  pilot->settings.out = NULL;
  pilot->settings.progress = NULL;
  pilot->noticed = of->noticed;
  fly_dae_options *o = &pilot->settings.dae;
  fly_promise_options(of->promise, setting, o);
  fly_story_begin(&pilot->story);
  pilot->system = &pilot->assembly.system;
  pilot->mover = &fly_mover_dynamics;
  pilot->assembly.softness = of->assembly.softness;
  fly_status status = fly_assembly_prepare(&pilot->assembly, pilot->mechanism, o, pilot->settings.end, error);
  if (status == FLY_OK)
    status = fly_run_create_channels(pilot, error);
  fly_run_listen(pilot);
  if (status == FLY_OK && fly_run_wants_stop(pilot))
    return FLY_STOPPED;
  return status ? status : fly_assembly_start_as(&pilot->assembly, &of->assembly, o, error);
}

static void free_pilot(fly_run *pilot) {
  fly_assembly_free(&pilot->assembly);
  fly_arena_free(&pilot->memory);
}

// What made a pilot slow may do so to the run.
static void learn_pace(fly_run *r, const fly_run *pilot) {
  r->noticed = pilot->noticed;
  if (!r->grind.sentence[0])
    memcpy(r->grind.sentence, pilot->grind.sentence, sizeof r->grind.sentence);
  r->grind.crowded |= pilot->grind.crowded;
}

// A whole run from where this one starts, by a system and a solver of its own: it writes nothing.
static fly_status fly_through(fly_promise *promise, double setting, void *run, fly_error *error) {
  fly_run pilot, *of = run;
  (void)promise;
  fly_status status = create_pilot(&pilot, of, setting, error);
  if (status == FLY_OK)
    status = fly_run_open(&pilot, error);
  if (status == FLY_OK)
    status = fly_run_to_end(&pilot, error);
  learn_pace(of, &pilot);
  free_pilot(&pilot);
  return status;
}

fly_status fly_run_create_promise(fly_run *r, fly_error *error) {
  fly_dae_problem problem = r->assembly.system.dae;
  problem.nx = r->mechanism->model.nstate; // in which slot a contact is that was found is another matter in every run
  const fly_promise_task task = {.problem = &problem,
                                 .options = r->settings.dae,
                                 .t_end = r->settings.end,
                                 .calibrate = r->settings.calibrate,
                                 .nvalue = r->channels.count <= CHANNELS_MOST ? r->channels.count : 0,
                                 .values = sample_values,
                                 .missed = miss_works,
                                 .pilot = fly_through,
                                 .go_on = goes_on,
                                 .user = r,
                                 .output = r->settings.output};
  if (r->drive || r->promise || !(r->settings.calibrate || r->settings.estimate))
    return FLY_OK;
  return fly_promise_create(&r->promise, &task, error);
}

// The tolerance that pilots ask for.
static fly_status calibrate(fly_run *r, fly_error *error) {
  fly_dae_options *o = &r->settings.dae;
  r->preparing = true;
  fly_status status = fly_promise_pilot(r->promise, error);
  r->preparing = status != FLY_OK;
  if (status)
    return status;
  if (!r->grind.crowded) // a jump that its pilots crawled along is no word on a run that does not
    r->grind.sentence[0] = 0;
  o->error_asked = o->error;
  o->error = fly_promise_tell(r->promise).setting;
  return o->error == o->error_asked ? FLY_OK : fly_run_begin_again(r, error);
}

fly_status fly_run_judged(fly_run *r, fly_error *error) {
  fly_status status = fly_run_create_promise(r, error);
  if (status == FLY_OK && r->promise && r->settings.calibrate && !r->prepared)
    status = calibrate(r, error);
  r->prepared = status == FLY_OK;
  if (status == FLY_STOPPED && r->stopped)
    return fly_run_stop_here(r, error);
  if (status == FLY_OK)
    status = fly_run_to_end(r, error);
  if (status == FLY_OK && r->promise && !r->settings.calibrate)
    status = fly_promise_pilot(r->promise, error);
  return status || !r->promise ? status : fly_promise_judge(r->promise, error);
}
