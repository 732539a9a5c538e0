// The run as one JSON object.
#include <math.h>
#include <stdio.h>

#include "flyball/json.h"
#include "method.h"
#include "problem.h"

static void put_word(fly_json *j, const char *key, const char *words, int number) {
  char word[32];
  fly_json_key(j, key);
  fly_json_string(j, cli_choice_word(word, sizeof word, words, number));
}

static void put_settings(fly_json *j, const problem_run *r) {
  const problem_settings *s = r->settings;
  fly_json_key(j, "problem"), fly_json_string(j, r->info->name);
  if (s->variant != NULL)
    fly_json_key(j, "variant"), fly_json_string(j, s->variant);
  if (s->n > 0)
    fly_json_put_integer(j, "n", s->n);
  fly_json_key(j, "method"), fly_json_string(j, r->method.name);
  if (r->options.family == FLY_FAMILY_NEWMARK)
    fly_json_key(j, "parameters"), cli_method_json(j, &r->options.method, &r->options.states);
  put_word(j, "formulation", FORMULATIONS, problem_is_soft(s) ? s->formulation : (int)r->options.formulation);
  if (problem_is_soft(s))
    fly_json_put_number(j, problem_is_damped(s) ? "delta" : "epsilon", problem_softness(s));
  put_word(j, "form", FORMS, s->form);
  put_word(j, "start", STARTS, s->start);
  put_word(j, "step_change", STEP_CHANGES, s->step_change);
  if (r->options.step > 0.0) {
    fly_json_put_number(j, "step", r->options.step);
  } else {
    fly_json_put_number(j, "error", r->options.error);
    put_word(j, "error_per", ERROR_PERS, r->options.error_per);
  }
  fly_json_put_number(j, "t0", r->problem.t0);
  fly_json_put_number(j, "t_end", r->end);
}

static void put_state(fly_json *j, const problem_run *r, const fly_dae_state *s) {
  problem_group groups[PROBLEM_GROUPS];
  problem_groups(groups, &r->problem, s);
  fly_json_put_number(j, "t", s->t);
  for (int k = 0; k < PROBLEM_GROUPS; k++) {
    fly_json_key(j, groups[k].name);
    fly_json_numbers(j, groups[k].values, (size_t)groups[k].count);
  }
}

static void put_reference(fly_json *j, const problem_run *r, const fly_dae_state *s) {
  problem_difference difference;
  if (!problem_reference_difference(&difference, r, s))
    return;
  fly_json_open_object(j, "reference");
  fly_json_put_number(j, "t", r->problem.reference_t);
  fly_json_put_number(j, "error_q", difference.q);
  fly_json_put_number(j, "error_v", difference.v);
  fly_json_put_number(j, "error_weighted", difference.weighted);
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

static void put_certificate(fly_json *j, const fly_certificate *c) {
  fly_json_open_object(j, "certificate");
  fly_json_put_number(j, "position", c->position);
  fly_json_put_number(j, "velocity", c->velocity);
  fly_json_put_number(j, "acceleration", c->acceleration);
  fly_json_put_number(j, "energy_start", c->energy_start);
  fly_json_put_number(j, "energy_drift", c->energy_drift);
  fly_json_put_number(j, "estimate", c->estimate);
  fly_json_put_number(j, "singular", c->singular);
  fly_json_put_number(j, "start_position", c->start_position);
  fly_json_put_number(j, "start_velocity", c->start_velocity);
  fly_json_end_object(j);
}

static void put_conditions(fly_json *j, const problem_run *r) {
  fly_json_open_array(j, "condition");
  for (int i = 0; i < r->ncondition; i++) {
    fly_json_begin_object(j);
    fly_json_put_number(j, "h", r->condition[i].h);
    fly_json_put_number(j, "scaled", r->condition[i].scaled);
    fly_json_put_number(j, "unscaled", r->condition[i].unscaled);
    fly_json_end_object(j);
  }
  fly_json_end_array(j);
}

static void put_stretches(fly_json *j, const problem_run *r) {
  fly_stretch list[FLY_STRETCHES_MOST];
  const int count = fly_solver_stretches(r->solver, list, FLY_STRETCHES_MOST);
  if (count == 0)
    return;
  fly_json_key(j, "methods"), fly_json_begin_array(j);
  for (int k = 0; k < count && k < FLY_STRETCHES_MOST; k++) {
    char why[200];
    fly_stretch_reason(why, sizeof why, &list[k]);
    fly_json_begin_object(j);
    fly_json_key(j, "method"), fly_json_string(j, list[k].method);
    fly_json_key(j, "from"), fly_json_number(j, list[k].from);
    fly_json_key(j, "to"), fly_json_number(j, list[k].to);
    fly_json_key(j, "steps"), fly_json_integer(j, list[k].steps);
    fly_json_key(j, "work"), fly_json_number(j, list[k].work);
    fly_json_key(j, "why"), fly_json_string(j, why);
    fly_json_end_object(j);
  }
  fly_json_end_array(j);
}

static void put_result(fly_json *j, const problem_run *r) {
  const fly_dae_state s = fly_solver_state(r->solver);
  const fly_stats stats = fly_solver_stats(r->solver);
  const fly_certificate certificate = fly_solver_certificate(r->solver);
  put_state(j, r, &s);
  put_reference(j, r, &s);
  put_stats(j, &stats);
  put_stretches(j, r);
  put_certificate(j, &certificate);
  if (r->settings->condition)
    put_conditions(j, r);
}

bool problem_json(FILE *out, const problem_run *r) {
  fly_json json = fly_json_to(fly_to_file, out, 2), *j = &json;
  const bool failed = r->status != FLY_OK && r->status != FLY_STOPPED;
  fly_json_begin_object(j);
  put_settings(j, r);
  fly_json_key(j, "status"), fly_json_string(j, problem_status_word(r));
  fly_json_key(j, "message"), fly_json_string(j, failed ? r->error.message : NULL);
  if (r->started)
    put_result(j, r);
  fly_json_end_object(j);
  return fly_json_finish(j);
}
