#include "analysis/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/stream.h"
#include "flyball/json.h"

enum { LAYOUT = 1 }; // grows when a key changes its meaning or goes

static void put_text(fly_json *j, const char *key, const char *text) {
  fly_json_key(j, key);
  fly_json_string(j, text);
}

static void put_number(fly_json *j, const char *key, double x) {
  fly_json_key(j, key);
  fly_json_number(j, x);
}

static void put_count(fly_json *j, const char *key, long n) {
  fly_json_key(j, key);
  fly_json_integer(j, n);
}

static void begin(fly_json *j, const char *key) {
  fly_json_key(j, key);
  fly_json_begin_object(j);
}

// ------------------------------------------------------------------------------------------ what was asked

static void put_model(fly_json *j, const fly_spec *spec, bool texts) {
  begin(j, "model");
  put_text(j, "name", spec->name);
  put_text(j, "text", spec->text);
  fly_json_key(j, "files"), fly_json_begin_array(j);
  for (int k = 0; k < spec->nsource; k++) {
    fly_json_begin_object(j);
    put_text(j, "path", spec->source_path[k]);
    put_count(j, "bytes", (long)strlen(spec->source_text[k]));
    if (texts)
      put_text(j, "text", spec->source_text[k]);
    fly_json_end_object(j);
  }
  fly_json_end_array(j);
  fly_json_key(j, "set"), fly_json_begin_array(j);
  for (int k = 0; k < spec->nset; k++)
    fly_json_string(j, spec->set[k]);
  fly_json_end_array(j);
  begin(j, "parameters");
  for (int k = 0; k < spec->nparameter; k++)
    put_number(j, spec->parameter_name[k], spec->parameter_value[k]);
  fly_json_end_object(j);
  fly_json_end_object(j);
}

// How it was integrated.
static void put_method(fly_json *j, const fly_run_settings *s) {
  static const char *const formulations[] = {
      [FLY_INDEX3] = "index3", [FLY_INDEX2] = "index2", [FLY_GGL] = "ggl", [FLY_INDEX1] = "index1"};
  const fly_dae_options *o = &s->dae;
  bool fixed = o->step > 0;
  begin(j, "method");
  put_text(j, "name", s->method);
  if (o->family == FLY_FAMILY_NEWMARK) {
    put_number(j, "alpha_m", o->method.alpha_m);
    put_number(j, "alpha_f", o->method.alpha_f);
    put_number(j, "beta", o->method.beta);
    put_number(j, "gamma", o->method.gamma);
  }
  fly_json_end_object(j);
  put_text(j, "formulation", formulations[o->formulation]);
  put_number(j, "step", fixed ? o->step : (double)NAN);
  put_number(j, "error", fixed ? (double)NAN : o->error);
  put_text(j, "error_per", fixed ? NULL : o->error_per == FLY_PER_STEP ? "step" : "run");
}

static void put_options(fly_json *j, const fly_run_settings *s) {
  static const char *const analyses[] = {
      [FLY_DYNAMICS] = "dynamics", [FLY_KINEMATICS] = "kinematics", [FLY_INVERSE] = "inverse"};
  begin(j, "options");
  put_text(j, "analysis", analyses[s->analysis]);
  put_text(j, "follow", s->follow);
  if (s->analysis == FLY_DYNAMICS)
    put_method(j, s);
  put_number(j, "end", s->end);
  put_number(j, "output", s->output);
  put_text(j, "channels", s->channels);
  fly_json_end_object(j);
}

// ------------------------------------------------------------------------------------------ how it went

static void put_system(fly_json *j, const fly_mechanism_info *i) {
  begin(j, "system");
  put_count(j, "bodies", i->bodies);
  put_count(j, "coordinates", i->coordinates);
  put_count(j, "rows", i->rows);
  put_count(j, "rank", i->rank);
  put_count(j, "redundant", i->redundant);
  put_count(j, "degrees_of_freedom", i->coordinates - i->rank);
  fly_json_end_object(j);
}

static void put_lines(fly_json *j, const char *text) {
  for (const char *line = text, *end; *line; line = end + (*end != 0)) {
    char copy[500];
    end = line + strcspn(line, "\n");
    snprintf(copy, sizeof copy, "%.*s", (int)(end - line), line);
    fly_json_string(j, copy);
  }
}

// What a reader of the numbers should know, although the run went on.
static void put_warnings(fly_json *j, const fly_record *r) {
  char text[200];
  fly_json_key(j, "warnings"), fly_json_begin_array(j);
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
  put_lines(j, r->notes ? r->notes : "");
  fly_json_end_array(j);
}

static void put_lines_of(fly_json *j, const fly_record *r, const char *section) {
  begin(j, section);
  for (int k = 0; k < r->lines; k++) {
    fly_rest_line line = fly_run_rest_line(r->run, k);
    if (strcmp(line.section, section) != 0)
      continue;
    begin(j, line.name);
    for (int c = 0; c < line.count; c++)
      put_number(j, line.label[c], line.value[c]);
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
  begin(j, "equilibrium");
  put_text(j, "by", e->by);
  put_text(j, "poise", poises[e->poise]);
  put_count(j, "freedoms", e->freedoms);
  put_count(j, "unstable", e->unstable);
  put_count(j, "neutral", e->neutral);
  put_number(j, "lowest", e->lowest);
  put_number(j, "residual", e->residual);
  put_count(j, "iterations", e->iterations);
  put_number(j, "time", e->time);
  put_number(j, "moved", e->moved);
  put_number(j, "turned", e->turned);
  fly_json_key(j, "notes"), fly_json_begin_array(j);
  put_lines(j, e->notes);
  fly_json_end_array(j);
  put_lines_of(j, r, "bodies");
  put_lines_of(j, r, "joints");
  put_lines_of(j, r, "forces");
  fly_json_end_object(j);
}

static void put_certificate(fly_json *j, const fly_certificate *c) {
  begin(j, "certificate");
  put_number(j, "estimate", c->estimate);
  put_number(j, "singular", c->singular);
  put_number(j, "position", c->position);
  put_number(j, "velocity", c->velocity);
  put_number(j, "acceleration", c->acceleration);
  put_number(j, "start_position", c->start_position);
  put_number(j, "start_velocity", c->start_velocity);
  fly_json_end_object(j);
}

static void put_energy(fly_json *j, const char *key, double kinetic, double gravity, double springs) {
  begin(j, key);
  put_number(j, "kinetic", kinetic);
  put_number(j, "gravity", gravity);
  put_number(j, "springs", springs);
  put_number(j, "total", kinetic + gravity + springs);
  fly_json_end_object(j);
}

static void put_ledger(fly_json *j, const fly_ledger *l) {
  begin(j, "ledger");
  put_energy(j, "start", l->start_kinetic, l->start_gravity, l->start_springs);
  put_energy(j, "end", l->kinetic, l->gravity, l->springs);
  begin(j, "work");
  put_number(j, "forces", l->forces);
  put_number(j, "motions", l->motions);
  put_number(j, "damping", l->damping);
  fly_json_end_object(j);
  put_number(j, "imbalance", l->imbalance);
  put_number(j, "worst", l->worst);
  put_number(j, "moved", l->moved);
  put_number(j, "relative", l->moved > 0 ? l->worst / l->moved : 0.0);
  fly_json_end_object(j);
}

static void put_stats(fly_json *j, const fly_stats *s) {
  begin(j, "stats");
  put_count(j, "steps", s->steps);
  put_count(j, "rejected_error", s->rejected_error);
  put_count(j, "rejected_newton", s->rejected_newton);
  put_count(j, "cut_steps", s->cut_steps);
  put_count(j, "newton_iterations", s->newton_iterations);
  put_count(j, "residuals", s->residuals);
  put_count(j, "jacobians", s->jacobians);
  put_count(j, "factorizations", s->factorizations);
  put_count(j, "refactorizations", s->refactorizations);
  put_count(j, "solves", s->solves);
  put_count(j, "round_off_steps", s->round_off_steps);
  put_count(j, "singular_steps", s->singular_steps);
  put_count(j, "corrections", s->corrections);
  put_count(j, "repartitions", s->repartitions);
  put_count(j, "stiff_steps", s->stiff_steps);
  put_count(j, "events", s->events);
  put_number(j, "h_min", s->h_min);
  put_number(j, "h_max", s->h_max);
  put_number(j, "wall_s", s->wall_s);
  fly_json_end_object(j);
}

static void put_results(fly_json *j, const fly_record *r) {
  char hash[17];
  snprintf(hash, sizeof hash, "%016" PRIx64, r->hash);
  begin(j, "results");
  put_count(j, "rows", r->rows);
  put_count(j, "channels", r->channels);
  put_text(j, "hash", r->running ? NULL : hash);
  fly_json_end_object(j);
}

bool fly_record_write(FILE *file, const fly_record *r, bool texts) {
  fly_json j = fly_json_to(file, 2);
  char program[60];
  snprintf(program, sizeof program, "flyball %s", fly_version());
  fly_json_begin_object(&j);
  put_count(&j, "record", LAYOUT);
  put_text(&j, "program", program);
  put_text(&j, "status",
           r->running                        ? "running"
           : r->shown && r->status == FLY_OK ? "none"
                                             : fly_status_name(r->status));
  put_text(&j, "message", r->message && r->message[0] ? r->message : NULL);
  put_number(&j, "t", r->time);
  put_number(&j, "wall_s", r->wall_s);
  put_model(&j, r->spec, texts);
  put_options(&j, r->settings);
  put_system(&j, &r->info);
  fly_json_key(&j, "redundancy"), fly_json_begin_array(&j);
  put_lines(&j, r->redundancy);
  fly_json_end_array(&j);
  put_warnings(&j, r);
  put_equilibrium(&j, r);
  put_certificate(&j, &r->certificate);
  put_number(&j, "conditioning", r->conditioning);
  put_number(&j, "conditioning_t", r->conditioning_time);
  put_ledger(&j, &r->ledger);
  put_stats(&j, &r->stats);
  put_results(&j, r);
  fly_json_end_object(&j);
  return fly_json_finish(&j);
}

fly_status fly_record_attach(fly_result_writer *w, const fly_record *r, fly_error *error) {
  char *bytes;
  size_t size;
  FILE *file = fly_stream_open(&bytes, &size);
  bool written = file && fly_record_write(file, r, true);
  if (file && fclose(file) != 0)
    written = false;
  fly_status status = written ? fly_result_attach(w, FLY_RECORD, bytes, size, error)
                              : fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the record of the run.");
  free(bytes);
  return status;
}
