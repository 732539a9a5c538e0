// The record of a run, written as JSON.
#include "analysis/record.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/attach.h"
#include "analysis/finite.h"
#include "analysis/put.h"
#include "base/error.h"
#include "flyball/json.h"

enum { LAYOUT = 1 }; // grows when a key changes its meaning or goes

// ------------------------------------------------------------------------------------------ what was asked

static void put_model(fly_json *j, const fly_spec *spec, bool texts) {
  fly_json_open_object(j, "model");
  fly_json_put_string(j, "name", spec->name);
  fly_json_put_string(j, "text", spec->text);
  fly_json_open_array(j, "files");
  for (int k = 0; k < spec->nsource; k++) {
    fly_json_begin_object(j);
    fly_json_put_string(j, "path", spec->source_path[k]);
    fly_json_put_integer(j, "bytes", (long)strlen(spec->source_text[k]));
    if (texts)
      fly_json_put_string(j, "text", spec->source_text[k]);
    fly_json_end_object(j);
  }
  fly_json_end_array(j);
  fly_json_open_array(j, "set");
  for (int k = 0; k < spec->nset; k++)
    fly_json_string(j, spec->set[k]);
  fly_json_end_array(j);
  fly_json_open_object(j, "parameters");
  for (int k = 0; k < spec->nparameter; k++)
    fly_json_put_number(j, spec->parameter_name[k], spec->parameter_value[k]);
  fly_json_end_object(j);
  fly_json_end_object(j);
}

// Of all that says nothing of its compliance: by its name, with its number.
static void put_formulation(fly_json *j, const fly_run_settings *s) {
  static const char *const rigid[] = {
      [FLY_INDEX3] = "index3", [FLY_INDEX2] = "index2", [FLY_GGL] = "ggl", [FLY_INDEX1] = "index1"};
  static const char *const soft[] = {"stiff", "damped", "stiff-ode", "damped-ode"};
  const bool damped = s->soft.damping > 0, gives = damped || s->soft.stiffness > 0;
  fly_json_put_string(j, "formulation", gives ? soft[damped + 2 * s->soft.ode] : rigid[s->dae.formulation]);
  if (gives)
    fly_json_put_number(j, damped ? "delta" : "epsilon", damped ? 1 / s->soft.damping : 1 / sqrt(s->soft.stiffness));
}

// How it was integrated.
static void put_method(fly_json *j, const fly_run_settings *s) {
  const fly_dae_options *o = &s->dae;
  bool fixed = o->step > 0;
  fly_json_open_object(j, "method");
  fly_json_put_string(j, "name", s->method);
  if (s->because)
    fly_json_put_string(j, "because", s->because);
  if (o->family == FLY_FAMILY_NEWMARK)
    FLY_PUT_NUMBERS(j, {"alpha_m", o->method.alpha_m}, {"alpha_f", o->method.alpha_f}, {"beta", o->method.beta},
                    {"gamma", o->method.gamma});
  fly_json_end_object(j);
  put_formulation(j, s);
  fly_json_put_number(j, "step", fixed ? o->step : (double)NAN);
  fly_json_put_number(j, "error", fixed ? (double)NAN : o->error_asked > 0 ? o->error_asked : o->error);
  fly_json_put_string(j, "error_per", fixed ? NULL : o->error_per == FLY_PER_STEP ? "step" : "run");
}

static void put_options(fly_json *j, const fly_run_settings *s, bool rests) {
  static const char *const analyses[] = {
      [FLY_DYNAMICS] = "dynamics", [FLY_KINEMATICS] = "kinematics", [FLY_INVERSE] = "inverse"};
  fly_json_open_object(j, "options");
  fly_json_put_string(j, "analysis", rests ? "statics" : analyses[s->analysis]);
  fly_json_put_string(j, "follow", s->follow);
  if (s->analysis == FLY_DYNAMICS)
    put_method(j, s);
  fly_json_put_number(j, "end", s->end);
  fly_json_put_number(j, "output", s->output);
  fly_json_put_string(j, "channels", s->channels);
  fly_json_end_object(j);
}

// ------------------------------------------------------------------------------------------ how it went

// Rolling rows and states only where there are some.
static void put_system(fly_json *j, const fly_mechanism_info *i) {
  const struct {
    const char *name;
    int count, least;
  } list[] = {{"bodies", i->bodies, 0},       {"coordinates", i->coordinates, 0},
              {"rows", i->rows, 0},           {"rank", i->rank, 0},
              {"rolling", i->rolling, 1},     {"states", i->states, 1},
              {"redundant", i->redundant, 0}, {"degrees_of_freedom", i->coordinates - i->rank, INT_MIN}};
  fly_json_open_object(j, "system");
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    if (list[k].count >= list[k].least)
      fly_json_put_integer(j, list[k].name, list[k].count);
  fly_json_end_object(j);
}

// What a reader of the numbers should know, although the run went on.
static void put_warnings(fly_json *j, const fly_record *r) {
  char text[200];
  fly_json_open_array(j, "warnings");
  if (r->info.redundant > 0) {
    snprintf(text, sizeof text, "The reactions of joints with redundant rows (%d) are not unique.", r->info.redundant);
    fly_json_string(j, text);
  }
  if (r->stats.cut_steps > 0) {
    snprintf(text, sizeof text, "%ld fixed steps had to be divided.", r->stats.cut_steps);
    fly_json_string(j, text);
  }
  if (r->stats.singular_steps > 0) {
    snprintf(text, sizeof text, "Singular positions were passed: round-off hides the error of %ld steps.",
             r->stats.singular_steps);
    fly_json_string(j, text);
  }
  if (r->stats.stiff_steps > r->stats.steps / 2) {
    snprintf(text, sizeof text,
             "Stability limits %ld steps: the model is stiff to an explicit method; try ch or radau.",
             r->stats.stiff_steps);
    fly_json_string(j, text);
  }
  if (r->not_finite.values > 0) {
    char sentence[500];
    fly_finite_text(sentence, sizeof sentence, &r->not_finite);
    fly_json_string(j, sentence);
  }
  fly_put_lines(j, r->warnings ? r->warnings : "");
  fly_put_lines(j, r->start_warnings ? r->start_warnings : "");
  fly_put_lines(j, r->left_out ? r->left_out : "");
  fly_put_lines(j, r->notes ? r->notes : "");
  fly_json_end_array(j);
}

// Joints that cannot be closed, where the scene shows them.
static void put_open(fly_json *j, const fly_assembly *a) {
  enum { MOST = 20 };
  fly_open_joint list[MOST];
  if (!a || !a->open.found)
    return;
  const int count = fly_open_joints(&a->open, &a->mechanism->model, list, MOST);
  fly_json_open_array(j, "open");
  for (int k = 0; k < count; k++) {
    fly_json_begin_object(j);
    fly_json_put_string(j, "joint", list[k].name);
    FLY_PUT_NUMBERS(j, {"length", list[k].length}, {"angle", list[k].angle});
    fly_json_end_object(j);
  }
  fly_json_end_array(j);
}

static void put_lines_of(fly_json *j, const fly_record *r, const char *section) {
  fly_json_open_object(j, section);
  for (int k = 0; k < r->lines; k++) {
    fly_rest_line line = fly_run_rest_line(r->run, k);
    if (strcmp(line.section, section) != 0)
      continue;
    fly_json_open_object(j, line.name);
    for (int c = 0; c < line.count; c++)
      fly_json_put_number(j, line.label[c], line.value[c]);
    fly_json_end_object(j);
  }
  fly_json_end_object(j);
}

static void put_equilibrium(fly_json *j, const fly_record *r) {
  static const char *const poises[] = {[FLY_POISE_UNKNOWN] = "unknown",
                                       [FLY_POISE_STABLE] = "stable",
                                       [FLY_POISE_NEUTRAL] = "neutral",
                                       [FLY_POISE_UNSTABLE] = "unstable"};
  const fly_equilibrium *e = r->equilibrium;
  if (!e)
    return;
  fly_json_open_object(j, "equilibrium");
  fly_json_put_string(j, "by", e->by);
  fly_json_put_string(j, "poise", poises[e->poise]);
  fly_json_put_integer(j, "freedoms", e->freedoms);
  fly_json_put_integer(j, "unstable", e->unstable);
  fly_json_put_integer(j, "neutral", e->neutral);
  FLY_PUT_NUMBERS(j, {"lowest", e->lowest}, {"residual", e->residual});
  fly_json_put_integer(j, "iterations", e->iterations);
  FLY_PUT_NUMBERS(j, {"time", e->time}, {"moved", e->moved}, {"turned", e->turned});
  fly_json_open_array(j, "notes");
  fly_put_lines(j, e->notes);
  fly_json_end_array(j);
  put_lines_of(j, r, "bodies");
  put_lines_of(j, r, "joints");
  put_lines_of(j, r, "forces");
  fly_json_end_object(j);
}

static void put_certificate(fly_json *j, const fly_certificate *c) {
  static const char *const times[] = {[FLY_TIME_AUTONOMOUS] = "autonomous",
                                      [FLY_TIME_BOUNDED] = "bounded",
                                      [FLY_TIME_FIXED] = "fixed",
                                      [FLY_TIME_LOOKED] = "looked",
                                      [FLY_TIME_UNKNOWN] = "unknown"};
  fly_json_open_object(j, "certificate");
  fly_json_put_string(j, "time", times[c->time]);
  FLY_PUT_NUMBERS(j, {"look_gap", c->look_gap}, {"estimate", c->estimate}, {"singular", c->singular},
                  {"position", c->position}, {"velocity", c->velocity}, {"acceleration", c->acceleration},
                  {"start_position", c->start_position}, {"start_velocity", c->start_velocity});
  fly_json_end_object(j);
}

static void put_energy(fly_json *j, const char *key, double kinetic, double gravity, double springs) {
  fly_json_open_object(j, key);
  FLY_PUT_NUMBERS(j, {"kinetic", kinetic}, {"gravity", gravity}, {"springs", springs},
                  {"total", kinetic + gravity + springs});
  fly_json_end_object(j);
}

static void put_ledger(fly_json *j, const fly_ledger *l) {
  fly_json_open_object(j, "ledger");
  put_energy(j, "start", l->start_kinetic, l->start_gravity, l->start_springs);
  put_energy(j, "end", l->kinetic, l->gravity, l->springs);
  fly_json_open_object(j, "work");
  FLY_PUT_NUMBERS(j, {"forces", l->forces}, {"motions", l->motions}, {"damping", l->damping}, {"events", l->events});
  fly_json_end_object(j);
  FLY_PUT_NUMBERS(j, {"imbalance", l->imbalance}, {"worst", l->worst}, {"moved", l->moved},
                  {"relative", l->moved > 0 ? l->worst / l->moved : 0.0});
  fly_json_end_object(j);
}

static void put_stats(fly_json *j, const fly_stats *s) {
  fly_json_open_object(j, "stats");
  double value;
  bool counts;
  const char *name;
  for (int k = 0; (name = fly_stats_field(s, k, &value, &counts)); k++)
    if (counts)
      fly_json_put_integer(j, name, (long)value);
    else
      fly_json_put_number(j, name, value);
  fly_json_end_object(j);
}

// Method auto: who integrated what, and why.
static void put_stretches(fly_json *j, const fly_run *run) {
  fly_stretch list[FLY_STRETCHES_MOST];
  const int count = run ? fly_run_stretches(run, list, FLY_STRETCHES_MOST) : 0;
  if (count == 0)
    return;
  fly_json_open_array(j, "methods");
  for (int k = 0; k < count && k < FLY_STRETCHES_MOST; k++) {
    char why[200];
    fly_stretch_reason(why, sizeof why, &list[k]);
    fly_json_begin_object(j);
    fly_json_put_string(j, "method", list[k].method);
    fly_json_put_number(j, "from", list[k].from);
    fly_json_put_number(j, "to", list[k].to);
    fly_json_put_integer(j, "steps", list[k].steps);
    fly_json_put_number(j, "work", list[k].work);
    fly_json_put_string(j, "why", why);
    fly_json_end_object(j);
  }
  fly_json_end_array(j);
}

enum { HOT = 20 }; // contacts

static void put_hottest(fly_json *j, const fly_run *run) {
  fly_hot_contact hot[HOT];
  const int count = run ? fly_run_hottest(run, hot, HOT) : 0;
  if (count == 0)
    return;
  fly_json_open_array(j, "hottest");
  for (int k = 0; k < count; k++) {
    fly_json_begin_object(j);
    fly_json_put_string(j, "contact", hot[k].name);
    fly_json_put_number(j, "heat", hot[k].heat);
    fly_json_put_number(j, "largest", hot[k].largest);
    fly_json_put_number(j, "when", hot[k].when);
    fly_json_put_number(j, "deepest", hot[k].deepest);
    fly_json_end_object(j);
  }
  fly_json_end_array(j);
}

// Up to here; what is written after the record is not in it.
static void put_profile(fly_json *j, const fly_profile *p) {
  if (!p->on)
    return;
  fly_json_open_object(j, "profile");
  fly_json_open_object(j, "seconds");
  for (int k = 0; k < FLY_PHASES; k++)
    fly_json_put_number(j, fly_phase_name((fly_phase)k), p->seconds[k]);
  fly_json_end_object(j);
  fly_json_open_object(j, "entries");
  for (int k = 0; k < FLY_PHASES; k++)
    fly_json_put_number(j, fly_phase_name((fly_phase)k),
                        fly_phase_is_counted((fly_phase)k) ? (double)p->entries[k] : (double)NAN);
  fly_json_end_object(j);
  fly_json_end_object(j);
}

static void put_not_finite(fly_json *j, const fly_not_finite *f) {
  fly_json_open_object(j, "not_finite");
  fly_json_put_integer(j, "values", f->values);
  fly_json_put_integer(j, "rows", f->rows);
  fly_json_put_integer(j, "channels", f->channels);
  fly_json_put_string(j, "channel", f->channel);
  fly_json_put_number(j, "t", f->values > 0 ? f->time : (double)NAN);
  fly_json_put_integer(j, "row", f->row);
  fly_json_end_object(j);
}

static void put_results(fly_json *j, const fly_record *r) {
  char hash[17];
  snprintf(hash, sizeof hash, "%016" PRIx64, r->hash);
  fly_json_open_object(j, "results");
  fly_json_put_integer(j, "rows", r->rows);
  fly_json_put_integer(j, "channels", r->channels);
  fly_json_put_string(j, "hash", r->running ? NULL : hash);
  put_not_finite(j, &r->not_finite);
  fly_json_end_object(j);
}

static void put_verdict(fly_json *j, const fly_verdict *v) {
  fly_json_open_object(j, "verdict");
  fly_json_put_string(j, "state", fly_verdict_word(v->state));
  fly_json_put_string(j, "sentence", v->sentence[0] ? v->sentence : NULL);
  fly_json_end_object(j);
}

static void put_events(fly_json *j, const fly_run *run) {
  fly_json_open_array(j, "events");
  for (int k = 0; run && k < fly_run_events(run); k++) {
    const fly_event_told e = fly_run_event(run, k);
    fly_json_begin_object(j);
    fly_json_put_string(j, "name", e.name);
    if (e.part)
      fly_json_put_string(j, "part", e.part);
    fly_json_put_string(j, "message", e.message);
    fly_json_put_integer(j, "count", e.count);
    fly_json_put_number(j, "last", e.last);
    fly_json_put_bool(j, "ended", e.ended);
    fly_json_end_object(j);
  }
  fly_json_end_array(j);
}

bool fly_record_write(const fly_record *r, bool texts, fly_sink *sink, void *user) {
  fly_json j = fly_json_to(sink, user, 2);
  char program[60];
  snprintf(program, sizeof program, "flyball %s", fly_version());
  fly_json_begin_object(&j);
  fly_json_put_integer(&j, "record", LAYOUT);
  fly_json_put_string(&j, "program", program);
  fly_json_put_string(&j, "status",
                      r->running                        ? "running"
                      : r->shown && r->status == FLY_OK ? "none"
                                                        : fly_status_name(r->status));
  fly_json_put_string(&j, "message", r->message && r->message[0] ? r->message : NULL);
  put_verdict(&j, &r->verdict);
  fly_json_put_number(&j, "t", r->time);
  fly_json_put_number(&j, "wall_s", r->wall_s);
  put_model(&j, r->spec, texts);
  put_options(&j, r->settings, r->shown && r->equilibrium);
  put_system(&j, &r->info);
  fly_json_open_array(&j, "redundancy");
  fly_put_lines(&j, r->redundancy);
  fly_json_end_array(&j);
  put_warnings(&j, r);
  put_open(&j, r->assembly);
  put_equilibrium(&j, r);
  put_certificate(&j, &r->certificate);
  fly_errors_put(&j, r->promise, r->channel);
  fly_json_put_number(&j, "conditioning", r->conditioning);
  fly_json_put_number(&j, "conditioning_t", r->conditioning_time);
  put_ledger(&j, &r->ledger);
  put_hottest(&j, r->run);
  put_stats(&j, &r->stats);
  put_stretches(&j, r->run);
  put_profile(&j, &r->profile);
  put_events(&j, r->run);
  put_results(&j, r);
  fly_json_end_object(&j);
  return fly_json_finish(&j);
}

static bool write_record(FILE *file, const void *r) { return fly_record_write(r, true, fly_to_file, file); }

fly_status fly_record_attach(fly_result_writer *w, const fly_record *r, fly_error *error) {
  return fly_attach(w, FLY_RECORD, "the record of the run", write_record, r, error);
}
