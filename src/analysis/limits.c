// What is asked for against what there is room for.
#include "analysis/limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/disk.h"
#include "base/error.h"
#include "model/found.h"
#include "result/result.h"

static const double MOST_ROWS = 1e9;   // of results: 8 GB a channel
static const double MOST_STEPS = 1e12; // fixed: weeks, at a microsecond each

// Bytes a number takes at least: in HDF5, and as "0," in CSV.
enum { BYTES_HDF5 = 8, BYTES_CSV = 2 };

// Rounding errors of N steps add up to about sqrt(N) of one. A run that is asked for errors near round-off takes
// thousands of steps: what is asked for must leave room for those of 10^4.
static const double ROUNDING_SHARE = 100;

// Where the model's file says it; nowhere if the caller gave it, or something else that it does not go with.
static fly_place place_of(const fly_run_settings *s, const fly_model *model, const char *key, const char *with) {
  const bool asked = with && fly_setting_asked(s, with);
  return asked ? FLY_NOWHERE : fly_setting_place(s, model->spec, key);
}

// How the caller writes it, or the model.
static const char *dashes(const fly_run_settings *s, const char *key) { return fly_setting_asked(s, key) ? "--" : ""; }

static fly_status check_rows(const fly_run_settings *s, const fly_model *model, fly_error *error) {
  const double rows = s->end / s->output;
  if (s->follow || rows <= MOST_ROWS)
    return FLY_OK;
  return fly_fail_at(error, FLY_BAD_INPUT, NAN, place_of(s, model, "output", "end"), "output",
                     "%soutput: every %g s over %g s makes %.3g rows of results; at most %g are written. Leave "
                     "`output` out for a thousand rows, or give at least %.3g s.",
                     dashes(s, "output"), s->output, s->end, rows, MOST_ROWS, s->end / MOST_ROWS);
}

static fly_status check_steps(const fly_run_settings *s, const fly_model *model, fly_error *error) {
  const double steps = s->dae.step > 0 ? s->end / s->dae.step : 0;
  if (s->follow || s->analysis != FLY_DYNAMICS || steps <= MOST_STEPS)
    return FLY_OK;
  return fly_fail_at(error, FLY_BAD_INPUT, NAN, place_of(s, model, "step", "end"), "step",
                     "%sstep: %g s over %g s makes %.3g steps; beyond %g no run ends, and below %.2g s the time cannot "
                     "advance. Give a larger `step`, or an `error` in its place.",
                     dashes(s, "step"), s->dae.step, s->end, steps, MOST_STEPS, 2.3e-16 * s->end);
}

// A step ends at each sample, and at each multiple of a delay that a break comes round by.
static fly_status check_time(const fly_run_settings *s, const fly_model *model, int item, const char *key, double time,
                             fly_error *error) {
  const fly_item *of = &model->spec->item[item];
  if (s->follow || s->analysis != FLY_DYNAMICS || s->end / time <= MOST_STEPS)
    return FLY_OK;
  return fly_fail_at(error, FLY_BAD_INPUT, NAN, fly_item_value(of, key)->place, of->name,
                     "`%s`: `%s` is %g s, %.3g times in a run of %g s, and each of them may end a step; beyond %g no "
                     "run ends, and below %.2g s the time cannot advance. Give a longer `%s`%s.",
                     of->name, key, time, s->end / time, s->end, MOST_STEPS, 2.3e-16 * s->end, key,
                     strcmp(key, "every") == 0 ? "" : ", or use what goes into the delay itself");
}

static fly_status check_times(const fly_run_settings *s, const fly_model *model, fly_error *error) {
  fly_status status = FLY_OK;
  for (int k = 0; k < model->ndelay && status == FLY_OK; k++)
    status = check_time(s, model, model->delay[k].item, "time", model->delay[k].time, error);
  for (int k = 0; k < model->nevent && status == FLY_OK; k++)
    if (model->event[k].every > 0 && !model->event[k].part &&
        fly_parameter_find(model->spec->item[model->event[k].item].type, "every") >= 0)
      status = check_time(s, model, model->event[k].item, "every", model->event[k].every, error);
  return status;
}

fly_status fly_limits_counts(const fly_run_settings *s, const fly_model *model, fly_error *error) {
  fly_status status = check_rows(s, model, error);
  if (status == FLY_OK)
    status = check_steps(s, model, error);
  return status ? status : check_times(s, model, error);
}

fly_status fly_limits_disk(const fly_run_settings *s, const fly_model *model, int channels, fly_error *error) {
  const bool written = s->out && !s->follow;
  const double rows = written ? s->end / s->output : 0, numbers = 1.0 + channels;
  const double bytes =
      rows * numbers *
      ((s->formats & FLY_RESULT_HDF5 ? BYTES_HDF5 : 0) + (s->formats & FLY_RESULT_CSV ? BYTES_CSV : 0));
  const double room = written ? fly_disk_free(s->out) : (double)INFINITY;
  if (!(bytes > room))
    return FLY_OK;
  return fly_fail_at(
      error, FLY_BAD_INPUT, NAN, place_of(s, model, "output", "end"), "output",
      "%soutput: %.3g rows of %d channels take at least %.3g GB, and %.3g GB are free for `%.200s`. Give a "
      "larger `output` than %g s, or fewer `channels`.",
      dashes(s, "output"), rows, channels, 1e-9 * bytes, 1e-9 * room, s->out, s->output);
}

// Of the largest position, over the smallest of the sizes by which errors are weighted.
static double rounding_error(const fly_system *system) {
  const fly_dae_problem *p = &system->dae;
  double largest = 1, smallest = INFINITY;
  for (int i = 0; i < p->nq; i++)
    largest = fmax(largest, fabs(system->q0[i]));
  for (int i = 0; i < p->nv; i++)
    smallest = fmin(smallest, p->scale_v[i]);
  return DBL_EPSILON * fmax(largest / smallest, 1);
}

fly_status fly_limits_error(const fly_run_settings *s, const fly_model *model, const fly_system *system,
                            fly_error *error) {
  const double rounding = rounding_error(system), least = ROUNDING_SHARE * rounding;
  if (s->dae.step > 0 || s->dae.error >= least)
    return FLY_OK;
  return fly_fail_at(
      error, FLY_BAD_INPUT, NAN, place_of(s, model, "error", NULL), "error",
      "%serror: %g is less than double precision can keep: the rounding errors of some thousand steps add "
      "up to about %.1g here. Ask for an error between that and 1%s.",
      dashes(s, "error"), s->dae.error, least, rounding > 1e-15 ? ", or count positions from nearer by" : "");
}

fly_status fly_limits_found(const fly_model *m, const char *analysis, fly_error *error) {
  if (m->nfound == 0)
    return FLY_OK;
  const fly_item *item = &m->spec->item[m->found[0].item];
  return fly_fail_at(error, FLY_BAD_INPUT, NAN, item->place, item->name,
                     "the pairs of contact `%s` are found while a model runs, and %s does not run it: list them with "
                     "`pairs: near`.",
                     item->name, analysis);
}
