// States, variables, inputs and held numbers: what expressions know by name.
//
// A variable is put into the expressions that use it: nothing is added to the equations, and what is known of those
// expressions (where they break in time, what they do inside a step, their units) is known with it. One that depends on
// itself through others cannot be put anywhere; it is a row y - h = 0 of the DAE, which Newton's iteration solves with
// all the rest. So is a large one: it would be evaluated wherever it is used.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "model/compile.h"

enum { LARGE_SIZE = 200, LARGE_INPUTS = 12 }; // of a variable: operations, constants and inputs; inputs alone
enum { MOST_SIZE = 2000, MOST_INPUTS = 40 };  // of an expression with the variables it uses

static fly_signal signal_of(const fly_item *item) {
  const char *section = item->type->section;
  return strcmp(section, "states") == 0                                         ? FLY_SIGNAL_STATE
         : strcmp(section, "inputs") == 0 && fly_item_word(item, "value", 0)    ? FLY_SIGNAL_VARIABLE // of a file
         : strcmp(section, "inputs") == 0                                       ? FLY_SIGNAL_INPUT
         : strcmp(section, "held") == 0                                         ? FLY_SIGNAL_HELD
         : strcmp(section, "variables") == 0 || strcmp(section, "outputs") == 0 ? FLY_SIGNAL_VARIABLE
         : fly_item_is(item, "delay") && !fly_item_given(item, "pade")          ? FLY_SIGNAL_DELAY
                                                                                : FLY_NO_SIGNAL;
}

// ------------------------------------------------------------------------------------------ names

static const char *const sections[] = {"states", "inputs", "held", "variables", "outputs", "blocks"};
enum { SECTIONS = sizeof sections / sizeof *sections };

static bool is_function(const char *name) {
  for (int k = 0; fly_expr_function_at(k); k++)
    if (strcmp(fly_expr_function_at(k)->name, name) == 0)
      return true;
  return fly_measure_find(name) >= 0 || fly_reaction_find(name) >= 0;
}

static const fly_item *other_of_name(const fly_model *m, const fly_item *item) {
  for (int k = 0; k < SECTIONS; k++) {
    const fly_item *other = fly_spec_find(m->spec, sections[k], item->name);
    if (other && other != item)
      return other;
  }
  return NULL;
}

// " (file:line:column)", or nothing.
static void put_place(char *text, size_t size, const fly_item *item) {
  char place[300];
  fly_place_text(place, sizeof place, item->place);
  text[0] = 0;
  if (place[0])
    snprintf(text, size, " (%.*s)", (int)strlen(place) - 2, place); // less ": "
}

// An output that nothing uses may be called anything, as it always could.
static fly_status check_name(const fly_model *m, const fly_item *item, fly_error *error) {
  const fly_expr_scope scope = {.nparameters = m->spec->nparameter, .parameter = m->constant, .names = &m->names};
  if (strcmp(item->type->section, "outputs") == 0)
    return FLY_OK;
  const fly_item *other = other_of_name(m, item);
  char place[310];
  if (other) {
    put_place(place, sizeof place, other);
    return fly_item_fail(item, error, "in expressions its name could also mean that in `%s`%s; rename one of them.",
                         other->type->section, place);
  }
  const fly_item *element = fly_element_meant(m->spec, item->name);
  if (element) {
    put_place(place, sizeof place, element);
    return fly_item_fail(item, error,
                         "its name is also that of `%s` of the %s `%s`%s, which expressions would take it for; rename "
                         "one of them.",
                         strrchr(item->name, '.') + 1, element->type->name, element->name, place);
  }
  const char *is = fly_expr_find_number(&scope, item->name) ? "a parameter"
                   : fly_expr_unit_named(item->name)        ? "a unit"
                   : is_function(item->name)                ? "a function"
                   : !fly_expr_is_word(item->name)          ? "a word of the language"
                                                            : NULL;
  return is ? fly_item_fail(item, error, "its name is also that of %s, which expressions would take it for; rename it.",
                            is)
            : FLY_OK;
}

static double number_of(const fly_item *item, const char *parameter, double fallback) {
  return fly_item_given(item, parameter) ? fly_item_number(item, parameter) : fallback;
}

static int number_signal(fly_model *m, int k) {
  const fly_item *item = &m->spec->item[k];
  switch (signal_of(item)) {
  case FLY_SIGNAL_STATE: {
    const double start = fly_item_number(item, "start"), size = start != 0 ? fabs(start) : 1.0;
    m->state[m->nstate] = (fly_model_state){.item = k,
                                            .rate = -1,
                                            .start = start,
                                            .scale = number_of(item, "scale", size),
                                            .rests = fly_item_value(item, "start")->word != NULL};
    return m->nstate++;
  }
  case FLY_SIGNAL_INPUT:
    m->input[m->ninput] = (fly_model_given){.item = k, .value = fly_item_number(item, "value")};
    return m->ninput++;
  case FLY_SIGNAL_DELAY:
    m->delay[m->ndelay] = (fly_model_delay){
        k, -1, fly_item_number(item, "time"), fly_item_number(item, "start"), (int)fly_item_number(item, "room"), 1};
    return m->ndelay++;
  case FLY_SIGNAL_HELD:
    m->held[m->nheld] = (fly_model_given){.item = k, .value = fly_item_number(item, "value")};
    return m->nheld++;
  default:
    m->output[m->noutput] = (fly_model_output){.item = k, .expression = -1, .measure = -1, .written = -1};
    if (fly_item_given(item, "start")) {
      m->output[m->noutput].start = fly_item_number(item, "start");
      m->output[m->noutput].starts = true;
    }
    return m->noutput++;
  }
}

fly_status fly_number_signals(fly_model *m, fly_error *error) {
  int words = 0;
  for (int k = 0; k < m->spec->nitem; k++) {
    const fly_item *item = &m->spec->item[k];
    m->signal_of_item[k] = -1;
    if (!signal_of(item))
      continue;
    fly_status status = check_name(m, item, error);
    if (status)
      return status;
    m->signal_of_item[k] = number_signal(m, k);
    m->word[words++] = item->name;
  }
  return FLY_OK;
}

int fly_signal_input(fly_model *m, const char *name) {
  const fly_item *item = NULL;
  for (int k = 0; k < SECTIONS && !item; k++)
    item = fly_spec_find(m->spec, sections[k], name);
  if (!item || !signal_of(item))
    return FLY_EXPR_UNKNOWN;
  const int number = m->signal_of_item[item - m->spec->item];
  const int input = fly_measure_input(
      m, &(fly_model_measure){.kind = number, .joint = -1, .marker = {-1, -1, -1}, .signal = signal_of(item)});
  if (signal_of(item) == FLY_SIGNAL_VARIABLE)
    m->output[number].measure = input - 1;
  return input;
}

void fly_feel(fly_model *m, int input) {
  if (input == FLY_EXPR_TIME)
    return;
  fly_model_measure *measure = &m->measure[input - 1];
  measure->felt = true;
  if (measure->output < 0 && fly_model_measure_level(measure) == FLY_OF_ACCELERATION)
    measure->output = m->ny++;
}

static void feel_all(fly_model *m, int expression) {
  int count;
  const int *input = fly_expr_inputs(m->expression[expression], &count);
  for (int k = 0; k < count; k++)
    fly_feel(m, input[k]);
}

// ------------------------------------------------------------------------------------------ putting them in

static fly_model_output *variable_of(const fly_model *m, int input) {
  if (input == FLY_EXPR_TIME || m->measure[input - 1].signal != FLY_SIGNAL_VARIABLE)
    return NULL;
  return &m->output[m->measure[input - 1].kind];
}

static bool is_larger(const fly_expr *e, int size, int inputs) {
  int count;
  fly_expr_inputs(e, &count);
  return fly_expr_size(e) > size || count > inputs;
}

// What depends on time alone is not: motions may use it.
static bool is_large(const fly_expr *e) { return !fly_expr_is_time_only(e) && is_larger(e, LARGE_SIZE, LARGE_INPUTS); }

// What stands for an input; a large variable gets a row as soon as something uses it.
static const fly_expr *stands_for(int input, void *user) {
  const fly_model *m = user;
  fly_model_output *v = variable_of(m, input);
  if (!v || v->expression < 0 || v->row)
    return NULL;
  const fly_expr *e = m->expression[v->expression];
  v->row = is_large(e) || (m->spec->item[v->item].row && !fly_expr_is_time_only(e));
  return v->row ? NULL : m->expression[v->expression];
}

static bool uses_variables(fly_model *m, const fly_expr *e) {
  int count;
  bool any = false;
  const int *input = fly_expr_inputs(e, &count);
  for (int k = 0; k < count; k++)
    any = stands_for(input[k], m) != NULL || any;
  return any;
}

static fly_status put_into(fly_model *m, const fly_expr *e, const fly_item *item, const char *parameter,
                           const char *text, fly_expr **out, fly_error *error) {
  fly_error why = {0};
  const fly_status status = fly_expr_substitute(out, e, text, stands_for, m, &why);
  if (status == FLY_NO_MEMORY)
    return fly_fail_at(error, status, NAN, FLY_NOWHERE, item->name, "Out of memory for the expressions of `%s`.",
                       item->name);
  return status ? fly_item_fail(item, error, "`%s`, with the variables it uses: %s", parameter, why.message) : FLY_OK;
}

// Many small variables make a large expression too: then they all get rows, and it stays as it is written. True: so it
// is.
static bool give_rows(fly_model *m, const fly_expr *written, fly_expr *full) {
  int count;
  const int *input = fly_expr_inputs(written, &count);
  if (!is_larger(full, MOST_SIZE, MOST_INPUTS))
    return false;
  for (int k = 0; k < count; k++) {
    fly_model_output *v = variable_of(m, input[k]);
    if (v && v->expression >= 0)
      v->row = true;
  }
  fly_expr_free(full);
  return true;
}

fly_status fly_put_variables(fly_model *m, const fly_item *item, const char *parameter, const char *text,
                             fly_error *error) {
  fly_expr **last = &m->expression[m->nexpression - 1], *full;
  if (!uses_variables(m, *last))
    return FLY_OK;
  const fly_status status = put_into(m, *last, item, parameter, text, &full, error);
  if (status == FLY_OK && !give_rows(m, *last, full)) {
    fly_expr_free(*last);
    *last = full;
  }
  return status;
}

// ------------------------------------------------------------------------------------------ variables

static fly_status compile_variable(fly_model *m, int k, fly_error *error) {
  fly_model_output *v = &m->output[k];
  return fly_compile_text(m, &m->spec->item[v->item], "value", 0, &v->written, error);
}

// What it uses has its expression already, or is in a loop with it.
static fly_status complete(fly_model *m, fly_model_output *v, fly_error *error) {
  const fly_item *item = &m->spec->item[v->item];
  const fly_expr *written = m->expression[v->written];
  fly_status status = FLY_OK;
  int expression = v->written;
  if (uses_variables(m, written)) {
    fly_expr *full = NULL;
    status = put_into(m, written, item, "value", fly_item_word(item, "value", 0), &full, error);
    if (status == FLY_OK && !give_rows(m, written, full)) {
      expression = m->nexpression;
      m->expression[m->nexpression++] = full;
    }
  }
  v->expression = status == FLY_OK ? expression : -1;
  return status;
}

// Tarjan's search for strongly connected components: those of several variables, or of one that uses itself, are loops.
// A component is met after all it uses.
typedef struct search {
  fly_model *m;
  int *open, nopen; // met, and in no component yet
  int *path, *edge; // where the search is, and the next input to look at there
  int npath, met, loops;
} search;

static void enter(search *w, int k) {
  fly_model_output *v = &w->m->output[k];
  v->order = v->lowest = ++w->met;
  v->open = true;
  w->open[w->nopen++] = k;
  w->path[w->npath] = k;
  w->edge[w->npath++] = 0;
}

static bool uses_itself(const fly_model *m, const fly_model_output *v) {
  int count;
  const int *input = fly_expr_inputs(m->expression[v->written], &count);
  for (int k = 0; k < count; k++)
    if (variable_of(m, input[k]) == v)
      return true;
  return false;
}

static fly_status leave(search *w, fly_error *error) {
  const int k = w->path[--w->npath];
  fly_model *m = w->m;
  fly_model_output *v = &m->output[k];
  if (w->npath > 0) {
    fly_model_output *before = &m->output[w->path[w->npath - 1]];
    before->lowest = v->lowest < before->lowest ? v->lowest : before->lowest;
  }
  if (v->lowest < v->order)
    return FLY_OK;
  int first = w->nopen;
  while (w->open[--first] != k)
    ;
  const bool loop = w->nopen - first > 1 || uses_itself(m, v);
  w->loops += loop;
  for (int i = first; i < w->nopen; i++) {
    fly_model_output *one = &m->output[w->open[i]];
    one->open = false;
    one->row = loop;
    one->loop = loop ? w->loops : 0;
  }
  fly_status status = FLY_OK;
  for (int i = first; i < w->nopen && status == FLY_OK; i++)
    status = complete(m, &m->output[w->open[i]], error);
  w->nopen = first;
  return status;
}

static fly_status search_from(search *w, int start, fly_error *error) {
  fly_status status = FLY_OK;
  enter(w, start);
  while (w->npath > 0 && status == FLY_OK) {
    const int here = w->path[w->npath - 1];
    int count;
    const int *input = fly_expr_inputs(w->m->expression[w->m->output[here].written], &count);
    if (w->edge[w->npath - 1] == count) {
      status = leave(w, error);
      continue;
    }
    const fly_model_output *next = variable_of(w->m, input[w->edge[w->npath - 1]++]);
    fly_model_output *v = &w->m->output[here];
    if (next && next->order == 0)
      enter(w, (int)(next - w->m->output));
    else if (next && next->open && next->order < v->lowest)
      v->lowest = next->order;
  }
  return status;
}

// Where a search begins says nothing of what is not looked for.
static void warn_of_starts(fly_model *m) {
  for (int k = 0; k < m->noutput; k++)
    if (m->output[k].starts && m->output[k].loop == 0)
      fly_compile_warn(m, &m->spec->item[m->output[k].item],
                       "it does not depend on itself, and its `start` is not used: that is where a search begins.");
}

fly_status fly_add_variables(fly_model *m, fly_error *error) {
  fly_arena work = {0};
  const size_t n = (size_t)m->noutput;
  search w = {
      .m = m, .open = fly_arena_ints(&work, n), .path = fly_arena_ints(&work, n), .edge = fly_arena_ints(&work, n)};
  fly_status status = FLY_OK;
  if (work.failed)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d variables.", m->noutput);
  for (int k = 0; k < m->noutput && status == FLY_OK; k++)
    status = compile_variable(m, k, error);
  for (int k = 0; k < m->noutput && status == FLY_OK; k++)
    if (m->output[k].order == 0)
      status = search_from(&w, k, error);
  fly_arena_free(&work);
  if (status == FLY_OK)
    warn_of_starts(m);
  return status;
}

// ------------------------------------------------------------------------------------------ delays

// By how many derivatives it is smoother than the forces that move it: positions by two, velocities and states by one;
// whatever else there is may jump.
static int smoothness(const fly_model *m, int expression) {
  int count, least = 2;
  const int *input = fly_expr_inputs(m->expression[expression], &count);
  for (int k = 0; k < count; k++) {
    const fly_model_measure *of = input[k] == FLY_EXPR_TIME ? NULL : &m->measure[input[k] - 1];
    if (!of || (of->signal ? of->signal != FLY_SIGNAL_STATE : fly_model_measure_level(of) == FLY_OF_ACCELERATION))
      return 0;
    least = of->signal || fly_model_measure_level(of) == FLY_OF_VELOCITY ? 1 : least;
  }
  return least;
}

fly_status fly_add_delays(fly_model *m, fly_error *error) {
  fly_status status = FLY_OK;
  for (int k = 0; k < m->ndelay && status == FLY_OK; k++) {
    fly_model_delay *d = &m->delay[k];
    status = fly_compile_text(m, &m->spec->item[d->item], "input", 0, &d->expression, error);
    if (status)
      break;
    feel_all(m, d->expression);
    d->smoother = smoothness(m, d->expression);
  }
  return status;
}

// ------------------------------------------------------------------------------------------ states

fly_status fly_add_states(fly_model *m, fly_error *error) {
  fly_status status = FLY_OK;
  for (int k = 0; k < m->nstate && status == FLY_OK; k++) {
    fly_model_state *x = &m->state[k];
    if (x->part) // its rate is there already
      continue;
    status = fly_compile_text(m, &m->spec->item[x->item], "rate", 0, &x->rate, error);
    if (status == FLY_OK)
      feel_all(m, x->rate);
  }
  for (int k = 0; k < m->noutput && status == FLY_OK; k++)
    if (m->output[k].row) {
      fly_model_measure *measure = &m->measure[m->output[k].measure];
      measure->felt = true;
      measure->output = m->ny++;
      feel_all(m, m->output[k].expression);
    }
  return status;
}
