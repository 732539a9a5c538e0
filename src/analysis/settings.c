// Settings of a run: keys of the model, options of the caller, and what they exclude.
#include "analysis/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "flyball/words.h"
#include "model/simulate.h"
#include "result/result.h"

fly_run_options fly_run_options_default(void) {
  fly_run_options o = {.size = sizeof o};
  double *const open[] = {&o.end,       &o.error,    &o.step,       &o.step_max, &o.step_min, &o.output,
                          &o.max_steps, &o.max_time, &o.checkpoint, &o.epsilon,  &o.delta};
  for (size_t k = 0; k < sizeof open / sizeof *open; k++)
    *open[k] = NAN;
  o.method = fly_method_request_default();
  o.method.name = NULL;
  return o;
}

// The nearest key if one is near, else all there are.
static fly_status unknown_key(const fly_spec *spec, int k, fly_error *error) {
  const char *known[FLY_SIMULATE_MOST + 1] = {NULL};
  char list[500] = "";
  size_t used = 0;
  for (int i = 0; i < FLY_SIMULATE_MOST && fly_simulate_rows[i].name != NULL; i++) {
    known[i] = fly_simulate_rows[i].name;
    if (used < sizeof list)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", known[i]);
  }
  const char *near = fly_nearest_word(spec->setting_key[k], known);
  return fly_fail_at(error, FLY_BAD_INPUT, NAN, spec->setting_place[k], spec->setting_key[k],
                     "simulate: there is no setting `%.60s`%s%s%s The settings are %s.", spec->setting_key[k],
                     near ? "; did you mean `" : ".", near ? near : "", near ? "`?" : "", list);
}

typedef struct number_setting {
  const char *key;
  double *value;
} number_setting;

typedef struct word_setting {
  const char *key;
  const char **value;
} word_setting;

static fly_status read_number(const fly_model *model, int k, double *value, fly_error *error) {
  const fly_spec *spec = model->spec;
  fly_error why = {0};
  if (fly_model_number(model, spec->setting_text[k], value, &why) == FLY_OK && isfinite(*value))
    return FLY_OK;
  return fly_fail_at(error, FLY_BAD_INPUT, NAN, spec->setting_place[k], spec->setting_key[k],
                     "simulate: `%s: %.60s` must be a number: %s", spec->setting_key[k], spec->setting_text[k],
                     why.message[0] ? why.message : "it is not finite.");
}

// Which of the keys one is: a bit.
static uint64_t bit_of(const char *key) {
  for (int i = 0; i < FLY_SIMULATE_MOST && fly_simulate_rows[i].name != NULL; i++)
    if (strcmp(fly_simulate_rows[i].name, key) == 0)
      return (uint64_t)1 << i;
  return 0;
}

// One key of the section into a field that the caller left open.
static fly_status take_setting(const fly_model *model, int k, const number_setting *numbers, const word_setting *words,
                               uint64_t *of_model, fly_error *error) {
  const fly_spec *spec = model->spec;
  const char *key = spec->setting_key[k];
  for (; numbers->key; numbers++) {
    if (strcmp(numbers->key, key) != 0)
      continue;
    double value;
    fly_status status = read_number(model, k, &value, error);
    if (status)
      return status;
    if (!isnan(*numbers->value))
      return FLY_OK;
    *numbers->value = value;
    *of_model |= bit_of(key);
    return FLY_OK;
  }
  for (; words->key; words++) {
    if (strcmp(words->key, key) != 0)
      continue;
    if (*words->value)
      return FLY_OK;
    *words->value = spec->setting_text[k];
    *of_model |= bit_of(key);
    return FLY_OK;
  }
  return unknown_key(spec, k, error);
}

static fly_status choose(const char *what, const char *word, const char *const *names, int *out, fly_error *error) {
  for (int k = 0; names[k]; k++)
    if (strcmp(word, names[k]) == 0) {
      *out = k;
      return FLY_OK;
    }
  const char *near = fly_nearest_word(word, names);
  return fly_fail_at(error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, word, "%s `%s` is unknown%s%s%s", what, word,
                     near ? "; did you mean `" : "", near ? near : "", near ? "`?" : ".");
}

// Both by default where steps follow an error meant for the run; an estimate also elsewhere.
static fly_status choose_yes(const char *what, const char *word, bool *out, fly_error *error) {
  static const char *const words[] = {"yes", "no", "true", "false", NULL};
  int k = 0;
  fly_status status = word ? choose(what, word, words, &k, error) : FLY_OK;
  *out = k % 2 == 0;
  return status;
}

bool fly_setting_asked(const fly_run_settings *s, const char *key) { return !(s->of_model & bit_of(key)); }

fly_place fly_setting_place(const fly_run_settings *s, const fly_spec *spec, const char *key) {
  for (int k = 0; k < spec->nsetting && !fly_setting_asked(s, key); k++)
    if (strcmp(spec->setting_key[k], key) == 0)
      return spec->setting_place[k];
  return FLY_NOWHERE;
}

// Positive, and one over it, or over its square, is a number.
static fly_status check_soft(const fly_run_settings *s, const fly_spec *spec, const char *what, double value,
                             double over, const char *formulation, fly_error *error) {
  if (isnan(value))
    return fly_fail_at(error, FLY_BAD_INPUT, NAN, fly_setting_place(s, spec, "formulation"), "formulation",
                       "formulation %s needs `%s`: %s of the joints are 1/%s.", formulation, what,
                       what[0] == 'e' ? "stiffnesses" : "dampings", what[0] == 'e' ? "epsilon^2" : "delta");
  if (!(value > 0) || !isfinite(value) || !isfinite(over) || !(over > 0))
    return fly_fail_at(error, FLY_BAD_INPUT, NAN, fly_setting_place(s, spec, what), what,
                       "`%s` is %g: it must be a positive number%s.", what, value,
                       value > 0 ? " whose inverse can be told" : "");
  return FLY_OK;
}

// stiff, damped, stiff-ode, damped-ode: all that holds gives way.
static fly_status set_soft(fly_run_settings *out, const fly_spec *spec, int k, const fly_run_options *o,
                           fly_error *error) {
  const bool damped = k % 2 == 1;
  const double over = damped ? 1 / o->delta : 1 / (o->epsilon * o->epsilon);
  out->soft.ode = k >= 2;
  *(damped ? &out->soft.damping : &out->soft.stiffness) = over;
  if (out->analysis != FLY_DYNAMICS)
    return fly_fail_at(error, FLY_BAD_INPUT, NAN, fly_setting_place(out, spec, "formulation"), "formulation",
                       "formulation %s lets joints give way: %s takes a motion that is given, and rigid joints.",
                       o->formulation, out->analysis == FLY_KINEMATICS ? "kinematics" : "inverse dynamics");
  return check_soft(out, spec, damped ? "delta" : "epsilon", damped ? o->delta : o->epsilon, over, o->formulation,
                    error);
}

static fly_status set_formulation(fly_run_settings *out, const fly_spec *spec, const fly_run_options *o,
                                  fly_error *error) {
  static const char *const formulations[] = {"index3", "index2",    "ggl",        "index1", "stiff",
                                             "damped", "stiff-ode", "damped-ode", NULL};
  int k = 2;
  fly_status status = o->formulation ? choose("formulation", o->formulation, formulations, &k, error) : FLY_OK;
  if (status)
    return status;
  if (k > 3)
    status = set_soft(out, spec, k - 4, o, error);
  else
    out->dae.formulation = (fly_formulation[]){FLY_INDEX3, FLY_INDEX2, FLY_GGL, FLY_INDEX1}[k];
  const bool stray = (!isnan(o->epsilon) && !(k == 4 || k == 6)) || (!isnan(o->delta) && !(k == 5 || k == 7));
  if (status == FLY_OK && stray)
    return fly_fail_at(error, FLY_BAD_INPUT, NAN, fly_setting_place(out, spec, isnan(o->epsilon) ? "delta" : "epsilon"),
                       "formulation",
                       "`epsilon` goes with formulation stiff or stiff-ode, `delta` with damped or damped-ode.");
  return status;
}

static fly_status set_words(fly_run_settings *out, const fly_spec *spec, const fly_run_options *o, fly_error *error) {
  fly_dae_options *dae = &out->dae;
  static const char *const starts[] = {"smooth", "given", "equilibrium", NULL};
  static const char *const pers[] = {"run", "step", NULL};
  int k = 0;
  fly_status status = set_formulation(out, spec, o, error);
  if (status == FLY_OK && o->error_per) {
    status = choose("error-per", o->error_per, pers, &k, error);
    if (status == FLY_OK)
      dae->error_per = k ? FLY_PER_STEP : FLY_PER_RUN;
  }
  if (status == FLY_OK)
    status = choose_yes("calibrate", o->calibrate, &out->calibrate, error);
  if (status == FLY_OK)
    status = choose_yes("estimate_error", o->estimate_error, &out->estimate, error);
  k = 0;
  if (status == FLY_OK && o->start)
    status = choose("start", o->start, starts, &k, error);
  out->resting = k == 2;
  out->smooth = k == 0;
  return status;
}

static fly_status set_flag(bool *flag, const char *what, const char *word, fly_error *error) {
  static const char *const answers[] = {"no", "yes", "false", "true", NULL};
  int k = 0;
  fly_status status = word ? choose(what, word, answers, &k, error) : FLY_OK;
  *flag = *flag || k % 2 == 1;
  return status;
}

static fly_status set_limits(fly_run_settings *out, const fly_run_options *o, fly_error *error) {
  if (!isnan(o->max_steps) && !(o->max_steps >= 1 && o->max_steps <= 1e15 && o->max_steps == floor(o->max_steps)))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "max_steps: %g must be a whole number from 1 on.", o->max_steps);
  if (!isnan(o->max_time) && !(o->max_time > 0))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "max_time: %g s must be positive.", o->max_time);
  out->max_time = o->max_time;
  out->stop = o->stop;
  out->why = o->why;
  out->notice = o->notice;
  out->dae.max_steps = isnan(o->max_steps) ? 0 : (long)o->max_steps;
  return FLY_OK;
}

static fly_status check_together(const fly_run_options *o, fly_error *error) {
  if (!isnan(o->error) && !isnan(o->step))
    return fly_fail_at(error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, "error",
                       "simulate: give either `error` or a fixed `step`, not both.");
  if (o->follow && o->analysis != FLY_INVERSE)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "Only inverse dynamics follows the motion of a result.");
  if (!o->follow && !isnan(o->end) && !(o->end > 0))
    return fly_fail_at(error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, "end",
                       "simulate: `end` must lie after the start, 0 s, but is %g s.", o->end);
  if (!o->follow && isnan(o->end))
    return fly_fail_at(error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, "end",
                       "No end time: give `simulate: {end: ...}` in the model, or --end [s].");
  return FLY_OK;
}

// Words of a model that only add to what was asked.
typedef struct {
  const char *allow_nan, *strict;
  uint64_t of_model; // as in fly_run_settings
} flag_words;

// Auto, unless the model, the caller, or an option that only one family has says another.
static const char *method_of(const fly_run_options *o, const char **because) {
  const char *word = o->formulation ? o->formulation : "ggl";
  const bool of_newmark = strcmp(word, "index3") == 0 || strcmp(word, "index2") == 0;
  const fly_formulation formulation = strcmp(word, "index1") == 0 ? FLY_INDEX1 : of_newmark ? FLY_INDEX3 : FLY_GGL;
  return fly_method_meant(&o->method, formulation, isnan(o->step) ? NULL : "step", because);
}

// What was not asked is taken from the model.
static fly_status take_settings(fly_run_options *o, flag_words *flags, const fly_model *model, fly_error *error) {
  const number_setting numbers[] = {{"end", &o->end},
                                    {"error", &o->error},
                                    {"step", &o->step},
                                    {"step_max", &o->step_max},
                                    {"step_min", &o->step_min},
                                    {"output", &o->output},
                                    {"max_steps", &o->max_steps},
                                    {"max_time", &o->max_time},
                                    {"epsilon", &o->epsilon},
                                    {"delta", &o->delta},
                                    {"rho", &o->method.rho},
                                    {"alpha", &o->method.alpha},
                                    {"gamma", &o->method.gamma},
                                    {"beta", &o->method.beta},
                                    {"constraint", &o->method.constraint},
                                    {"stages", &o->method.stages},
                                    {0}};
  const word_setting words[] = {{"allow_nan", &flags->allow_nan},
                                {"strict", &flags->strict},
                                {"method", &o->method.name},
                                {"formulation", &o->formulation},
                                {"error_per", &o->error_per},
                                {"channels", &o->channels},
                                {"start", &o->start},
                                {"calibrate", &o->calibrate},
                                {"estimate_error", &o->estimate_error},
                                {0}};
  fly_status status = FLY_OK;
  for (int k = 0; k < model->spec->nsetting && status == FLY_OK; k++)
    status = take_setting(model, k, numbers, words, &flags->of_model, error);
  return status;
}

static fly_status copy_options(fly_run_settings *out, const fly_run_options *o, fly_error *error) {
  *out = (fly_run_settings){.dae = fly_dae_options_default(),
                            .end = o->end,
                            .progress = o->progress,
                            .state = o->state,
                            .row = o->row,
                            .user = o->user,
                            .analysis = o->analysis,
                            .follow = o->follow,
                            .method = o->method.name,
                            .channels = o->channels,
                            .out = o->out,
                            .checkpoint = o->checkpoint,
                            .note = o->note,
                            .resume = o->resume,
                            .profile = o->profile,
                            .output = isnan(o->output) ? o->end / 1000 : o->output,
                            .allow_nan = o->allow_nan,
                            .strict = o->strict};
  out->formats = (o->csv ? (unsigned)FLY_RESULT_CSV : 0u) | (o->hdf5 ? (unsigned)FLY_RESULT_HDF5 : 0u);
  if (!o->follow && !(out->output > 0))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "The output interval must be positive [s].");
  if (!isnan(o->checkpoint) && !(o->checkpoint > 0 && isfinite(o->checkpoint)))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "The interval of checkpoints must be positive [s], not %g.",
                    o->checkpoint);
  if ((!isnan(o->checkpoint) || o->resume) && !o->out)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "Checkpoints need results: give the run a place for them (out).");
  return FLY_OK;
}

// A parameter that the method does not take, where it stands in the model: who names a method for one run may not know
// what the file says.
static void locate_parameter(const fly_run_settings *s, const fly_spec *spec, fly_error *error) {
  const fly_place place = error ? fly_setting_place(s, spec, error->element) : FLY_NOWHERE;
  if (!place.file)
    return;
  const fly_error why = *error;
  fly_fail_at(error, why.status, why.time, place, why.element, "%s The model gives %s%s", why.message, why.element,
              fly_setting_asked(s, "method") ? "; the method was named by the caller." : ".");
}

static fly_status set_dae(fly_run_settings *out, const fly_spec *spec, const fly_run_options *o, fly_error *error) {
  fly_dae_options *dae = &out->dae;
  fly_status status = fly_dae_options_method(dae, &o->method, error);
  if (status)
    locate_parameter(out, spec, error);
  if (!isnan(o->error))
    dae->error = o->error;
  if (!isnan(o->step))
    dae->step = o->step;
  if (!isnan(o->step_max))
    dae->step_max = o->step_max;
  if (!isnan(o->step_min))
    dae->step_min = o->step_min;
  status = status ? status : set_words(out, spec, o, error);
  out->soft.rigid = o->analysis != FLY_DYNAMICS;
  out->estimate = out->estimate && o->analysis == FLY_DYNAMICS;
  out->calibrate = out->calibrate && o->analysis == FLY_DYNAMICS && dae->step <= 0 && dae->error_per == FLY_PER_RUN;
  return status;
}

// What is driven or followed has its motion given; a state has only its rate.
static fly_status check_states(const fly_run_options *o, const fly_model *m, fly_error *error) {
  if (o->analysis == FLY_DYNAMICS)
    return FLY_OK;
  if (m->nslip > 0)
    return fly_fail_at(
        error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, m->spec->item[m->slip[0].item].name,
        "`%s` says something of velocities only, from which no position follows: %s needs positions. Use "
        "flyball run.",
        m->spec->item[m->slip[0].item].name, o->analysis == FLY_KINEMATICS ? "kinematics" : "inverse dynamics");
  if (m->ndelay > 0)
    return fly_fail_at(error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, m->spec->item[m->delay[0].item].name,
                       "The delay `%s` remembers what was, step by step: %s takes a motion that is given and remembers "
                       "nothing. Use flyball run, with the same motions.",
                       m->spec->item[m->delay[0].item].name,
                       o->analysis == FLY_KINEMATICS ? "kinematics" : "inverse dynamics");
  if (m->nstate == 0)
    return FLY_OK;
  const fly_item *item = &m->spec->item[m->state[0].item];
  return fly_fail_at(error, FLY_BAD_INPUT, NAN, item->place, item->name,
                     "The state `%s` follows from its rate, step by step: %s takes a motion that is given and knows no "
                     "states. Use flyball run, with the same motions.",
                     item->name, o->analysis == FLY_KINEMATICS ? "kinematics" : "inverse dynamics");
}

fly_status fly_settings_make(fly_run_settings *out, const fly_model *model, const fly_run_options *options,
                             fly_error *error) {
  fly_run_options o = fly_run_options_default();
  flag_words flags = {0};
  if (options->size < sizeof options->size || options->size > sizeof o)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "fly_run_create: the options have a size of %zu bytes, and this library knows %zu. Begin with "
                    "fly_run_options_default().",
                    options->size, sizeof o);
  memcpy(&o, options, options->size);
  bool asked_error = !isnan(o.error), asked_step = !isnan(o.step);
  if (asked_error && asked_step)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "Give either an error or a fixed step, not both.");
  fly_status status = take_settings(&o, &flags, model, error);
  if (status)
    return status;
  if (asked_error)
    o.step = NAN; // what was asked on the command line wins over the file's
  if (asked_step)
    o.error = NAN;
  const char *because = NULL;
  o.method.name = method_of(&o, &because);
  status = check_together(&o, error);
  if (status == FLY_OK)
    status = check_states(&o, model, error);
  if (status == FLY_OK)
    status = copy_options(out, &o, error);
  out->because = because;
  out->of_model = flags.of_model;
  if (status == FLY_OK)
    status = set_flag(&out->allow_nan, "allow_nan", flags.allow_nan, error);
  if (status == FLY_OK)
    status = set_limits(out, &o, error);
  if (status == FLY_OK)
    status = set_flag(&out->strict, "strict", flags.strict, error);
  if (status == FLY_OK)
    status = set_dae(out, model->spec, &o, error);
  return status;
}
