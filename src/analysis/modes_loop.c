// The loop of a linearized model: its margins, and how they are told.
#include <math.h>
#include <string.h>

#include "analysis/margins.h"
#include "analysis/modes.h"
#include "analysis/put.h"
#include "base/error.h"

// "`sample` (model.yaml:9:3) sets `u` every 0.001 s: ..." of the first event that comes again; nothing without one.
static void tell_sample(const fly_model *m, fly_error *error) {
  for (int k = 0; k < m->nevent; k++) {
    const fly_model_event *e = &m->event[k];
    const fly_item *item = &m->spec->item[e->item];
    char place[300];
    if (!(e->every > 0))
      continue;
    for (int i = e->action; i < e->action + e->naction; i++)
      if (m->action[i].kind == FLY_SET_HELD) {
        fly_place_text(place, sizeof place, item->place);
        fly_error_append(error,
                         "%s`%s` sets `%s` every %.6g s. For its margins let a `delay` of half that, %.6g s, stand in "
                         "its place: below a tenth of its rate a sample that is held is that. ",
                         place, item->name, m->spec->item[m->held[m->action[i].which].item].name, e->every,
                         e->every / 2);
        return;
      }
  }
}

// Events that come again set numbers which stay as they are for small motions: a loop through them is not seen.
static fly_status no_way_round(const fly_modes *m, fly_error *error) {
  const fly_model *model = &m->mechanism->model;
  fly_fail_at(
      error, FLY_BAD_INPUT, m->at.t, FLY_NOWHERE, m->options.loop,
      "There is no loop to open at `%s`: a small change of it changes nothing that it depends on, at t = %.9g s. ",
      m->options.loop, m->at.t);
  if (model->naction > 0)
    fly_error_append(error, "Numbers that events set are constant here: what goes round through samples is not seen. ");
  tell_sample(model, error);
  fly_error_append(error, "If it is at a limit (clamp, if), linearize where it is not; else name a variable on the way "
                          "round, such as the force of a controller.");
  return FLY_BAD_INPUT;
}

// Numbers that events set, not those of joints that stick or rest.
static int set_by_events(const fly_model *m) {
  int n = 0;
  for (int k = 0; k < m->nheld; k++) {
    bool set = false;
    for (int i = 0; i < m->naction; i++)
      set = set || (m->action[i].kind == FLY_SET_HELD && m->action[i].which == k);
    n += set;
  }
  return n;
}

fly_status fly_modes_open_loop(fly_modes *m, fly_error *error) {
  const fly_model *model = &m->mechanism->model;
  fly_opened opened;
  fly_status status = fly_opened_make(&opened, &m->linear, &m->assembly.system, &m->at, m->opening, &m->memory, error);
  if (status == FLY_OK)
    status = fly_margins_find(&m->loop, &opened, &m->memory, error);
  if (status)
    return status;
  m->loop.variable = m->options.loop;
  m->loop.unit = "";
  for (int k = 0; k < model->noutput; k++)
    if (strcmp(model->spec->item[model->output[k].item].name, m->options.loop) == 0)
      m->loop.unit = fly_model_output_unit(model, k);
  m->loop.delays = model->ndelay;
  m->loop.held = set_by_events(model);
  m->has_loop = true;
  return m->loop.count > 0 ? FLY_OK : no_way_round(m, error);
}

const fly_loop *fly_modes_loop(const fly_modes *m) { return m && m->has_loop ? &m->loop : NULL; }

// ------------------------------------------------------------------------------------------ JSON

static void put_pair(fly_json *j, const char *key, const char *what, double value, double frequency) {
  fly_json_open_object(j, key);
  FLY_PUT_NUMBERS(j, {what, value}, {"frequency", frequency});
  fly_json_end_object(j);
}

static void put_crossings(fly_json *j, const char *key, const fly_loop_crossing *x, int n) {
  fly_json_open_array(j, key);
  for (int k = 0; k < n; k++) {
    fly_json_begin_object(j);
    FLY_PUT_NUMBERS(j, {"frequency", x[k].frequency}, {"gain", x[k].gain}, {"phase", x[k].phase});
    fly_json_end_object(j);
  }
  fly_json_end_array(j);
}

static void put_poles(fly_json *j, const char *key, int unstable, int axis) {
  fly_json_open_object(j, key);
  fly_json_put_integer(j, "unstable", unstable);
  fly_json_put_integer(j, "on_axis", axis);
  fly_json_end_object(j);
}

void fly_modes_put_loop(fly_json *j, const fly_loop *l) {
  fly_json_open_object(j, "loop");
  fly_json_put_string(j, "variable", l->variable);
  fly_json_put_bool(j, "stable", l->closed_unstable == 0 && l->closed_axis == l->closed_untouched);
  put_poles(j, "open", l->open_unstable, l->open_axis);
  put_poles(j, "closed", l->closed_unstable, l->closed_axis);
  fly_json_put_integer(j, "untouched", l->closed_untouched);
  fly_json_put_integer(j, "encirclements", l->encirclements);
  fly_json_key(j, "rightmost"), fly_json_numbers(j, (double[]){l->rightmost, l->rightmost_imag}, 2);
  put_pair(j, "gain_up", "factor", l->gain_up, l->gain_up_at);
  put_pair(j, "gain_down", "factor", l->gain_down, l->gain_down_at);
  put_pair(j, "phase", "degrees", l->phase, l->phase_at);
  put_pair(j, "delay", "seconds", l->delay, l->delay_at);
  put_pair(j, "sensitivity", "peak", l->peak, l->peak_at);
  fly_json_put_number(j, "bandwidth", l->bandwidth);
  put_crossings(j, "crossovers", l->crossover, l->ncrossover);
  put_crossings(j, "negative", l->real, l->nreal);
  fly_json_put_integer(j, "delays", l->delays);
  fly_json_put_integer(j, "held", l->held);
  fly_json_put_bool(j, "whole", l->whole);
  fly_json_key(j, "frequency"), fly_json_numbers(j, l->frequency, (size_t)l->count);
  fly_json_key(j, "real"), fly_json_numbers(j, l->re, (size_t)l->count);
  fly_json_key(j, "imag"), fly_json_numbers(j, l->im, (size_t)l->count);
  fly_json_end_object(j);
}
