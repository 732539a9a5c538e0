// Expressions: what their words and calls mean in a model.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "expr/expr.h"
#include "model/compile.h"

static bool same_measure(const fly_model_measure *a, const fly_model_measure *b) {
  return a->kind == b->kind && a->joint == b->joint && (a->joint < 0 || a->pair == b->pair) && a->signal == b->signal &&
         memcmp(a->marker, b->marker, sizeof a->marker) == 0;
}

// The input of a measure: 1 + its number. The same measure is found again. There is room for all: they were counted.
int fly_measure_input(fly_model *m, const fly_model_measure *found) {
  const int part[] = {found->kind,      found->joint,     found->marker[0],
                      found->marker[1], found->marker[2], (int)found->signal};
  unsigned at = 2166136261U, mask = (unsigned)m->measure_slots - 1; // FNV
  for (int k = 0; k < 6; k++)
    at = (at ^ (unsigned)part[k]) * 16777619U;
  at ^= at >> 15;
  for (; m->measure_slot[at & mask] > 0; at++)
    if (same_measure(&m->measure[m->measure_slot[at & mask] - 1], found))
      return m->measure_slot[at & mask];
  m->measure[m->nmeasure] = *found;
  m->measure[m->nmeasure].output = -1;
  return m->measure_slot[at & mask] = ++m->nmeasure;
}

// pin.angle, pin.w, guide.displacement, guide.v: coordinates of a joint and their rates, as its channels are called.
static const fly_item *coordinate_of(const fly_spec *spec, const char *name, fly_measure_kind *kind) {
  static const struct {
    const char *name;
    bool turns;
    fly_measure_kind kind;
  } list[] = {{"angle", true, FLY_MEASURE_AZ},
              {"w", true, FLY_MEASURE_WZ},
              {"displacement", false, FLY_MEASURE_DZ},
              {"v", false, FLY_MEASURE_VZ}};
  char head[200];
  const char *dot = strrchr(name, '.');
  if (!dot || (size_t)(dot - name) >= sizeof head)
    return NULL;
  snprintf(head, sizeof head, "%.*s", (int)(dot - name), name);
  const fly_item *joint = fly_spec_find(spec, "joints", head);
  for (size_t k = 0; k < sizeof list / sizeof *list && joint; k++)
    if (strcmp(dot + 1, list[k].name) == 0 && (list[k].turns ? fly_joint_turns(joint) : fly_joint_slides(joint))) {
      *kind = list[k].kind;
      return joint;
    }
  return NULL;
}

static int resolve_coordinate(fly_model *m, const char *name) {
  fly_measure_kind kind = FLY_MEASURE_AZ;
  const fly_item *joint = coordinate_of(m->spec, name, &kind);
  const int pair = joint ? m->joint_pair[joint - m->spec->item] : -1;
  if (pair < 0)
    return FLY_EXPR_UNKNOWN;
  const int mi = m->pair[pair].mi, third = kind == FLY_MEASURE_AZ ? -1 : mi;
  return fly_measure_input(
      m, &(fly_model_measure){.kind = (int)kind, .joint = -1, .marker = {m->pair[pair].mj, mi, third}});
}

const fly_item *fly_element_meant(const fly_spec *spec, const char *name) {
  fly_measure_kind kind;
  const fly_item *joint = coordinate_of(spec, name, &kind), *switched = fly_switched_item(spec, name);
  const fly_item *force = fly_acting_item(spec, name);
  return joint ? joint : switched ? switched : force && fly_acting_quantity(force, name) >= 0 ? force : NULL;
}

// s.force: a text over what the spring is made of.
static int resolve_acting(fly_expr_answer *answer, fly_model *m, const char *name) {
  const fly_item *force = fly_acting_item(m->spec, name);
  const int quantity = force ? fly_acting_quantity(force, name) : -1;
  answer->text = quantity >= 0 ? fly_acting_text(m, force, quantity) : NULL;
  return answer->text ? FLY_EXPR_TEXT : FLY_EXPR_UNKNOWN;
}

static int resolve_word(fly_expr_answer *answer, const fly_asking *who, const char *name) {
  for (int k = 0; k < 2 && who->word[k]; k++)
    if (strcmp(who->word[k], name) == 0)
      return fly_measure_input(who->m, &who->measure[k]);
  const int coordinate = resolve_coordinate(who->m, name);
  const int turned = coordinate >= 0 ? coordinate : fly_switch_input(who->m, name);
  const int signal = turned >= 0 ? turned : fly_signal_input(who->m, name);
  return signal >= 0 ? signal : resolve_acting(answer, who->m, name);
}

// fx(joint, marker) as a measure.
static int resolve_reaction(fly_expr_answer *answer, fly_model *m, int kind, const fly_expr_reference *asked) {
  const char *name = asked->count > 0 ? asked->argument[0].word : NULL;
  const fly_item *joint = name ? fly_spec_find(m->spec, "joints", name) : NULL;
  const int pair = joint ? m->joint_pair[joint - m->spec->item] : -1;
  answer->argument = asked->count > 0 ? 0 : -1;
  if (joint && (fly_item_is(joint, "rolling") || fly_item_is(joint, "knife-edge"))) {
    snprintf(answer->message, sizeof answer->message,
             "the reaction of a joint that does not slip is a channel, but expressions cannot use it");
    return FLY_EXPR_UNKNOWN;
  }
  if (asked->count > 2 || pair < 0) {
    snprintf(answer->message, sizeof answer->message,
             joint && pair < 0 ? "`%s` has no reaction of its own: ask the joints it ties together"
                               : "%s takes a joint, and perhaps a marker whose axes it has",
             joint && pair < 0 ? joint->name : asked->name);
    return FLY_EXPR_UNKNOWN;
  }
  fly_model_measure found = {.kind = kind,
                             .joint = (int)(joint - m->spec->item),
                             .pair = pair,
                             .marker = {m->pair[pair].mi, m->pair[pair].mj, m->pair[pair].mi}};
  if (asked->count == 2) {
    const char *word = asked->argument[1].word;
    found.marker[2] = word ? fly_model_marker_find(m, word) : -1;
  }
  if (found.marker[2] >= 0)
    return fly_measure_input(m, &found);
  answer->argument = 1;
  snprintf(answer->message, sizeof answer->message, "there is no marker `%s`",
           asked->argument[1].word ? asked->argument[1].word : "");
  return FLY_EXPR_UNKNOWN;
}

// dx(a, b, c) as a measure.
static int resolve(fly_expr_answer *answer, const fly_expr_reference *asked, void *user) {
  const fly_asking *who = user;
  fly_model *m = who->m;
  if (!asked->call)
    return resolve_word(answer, who, asked->name);
  int kind = fly_measure_find(asked->name), reaction = fly_reaction_find(asked->name);
  if (reaction >= 0)
    return resolve_reaction(answer, m, reaction, asked);
  if (kind < 0)
    return FLY_EXPR_UNKNOWN;
  fly_model_measure found = {.kind = kind, .joint = -1, .marker = {-1, -1, -1}};
  const fly_measure_type *type = &fly_measure_types[kind];
  if (asked->count < 1 || asked->count > type->markers) {
    snprintf(answer->message, sizeof answer->message, "%s takes 1 to %d markers, not %d", asked->name, type->markers,
             asked->count);
    return FLY_EXPR_UNKNOWN;
  }
  for (int k = 0; k < asked->count; k++) {
    const char *word = asked->argument[k].word;
    found.marker[k] = word ? fly_model_marker_find(m, word) : -1;
    if (found.marker[k] >= 0)
      continue;
    answer->argument = k;
    snprintf(answer->message, sizeof answer->message, "there is no marker `%s`", word ? word : "");
    return FLY_EXPR_UNKNOWN;
  }
  return fly_measure_input(m, &found);
}

static const char *unit_of(int input, void *user) {
  const char *unit = fly_model_input_unit(user, input);
  return unit[0] ? unit : NULL;
}

static void warn_of_mixed_units(fly_model *m, const fly_item *item, const char *parameter, const fly_expr *e) {
  const char *one, *other;
  char text[200];
  if (!fly_expr_mixes(e, unit_of, m, &one, &other))
    return;
  snprintf(text, sizeof text, "`%s` adds, compares or chooses between %s and %s; one of them needs a factor.",
           parameter, one, other);
  fly_compile_warn(m, item, text);
}

fly_status fly_compile_asking(fly_asking *who, const fly_item *item, const char *parameter, int k, int *expression,
                              fly_error *error) {
  fly_model *m = who->m;
  fly_expr_scope scope = fly_expr_scope_default();
  fly_error why = {0};
  const char *calls[FLY_MEASURE_KINDS + FLY_REACTION_KINDS + 1] = {NULL};
  for (int i = 0; i < FLY_MEASURE_KINDS; i++)
    calls[i] = fly_measure_types[i].name;
  for (int i = 0; i < FLY_REACTION_KINDS; i++)
    calls[FLY_MEASURE_KINDS + i] = fly_reaction_types[i].name;
  scope.nparameters = m->spec->nparameter;
  scope.parameter = m->constant;
  scope.names = &m->names;
  scope.ntables = m->spec->ntable;
  scope.table = m->table;
  scope.nformulas = m->nformula;
  scope.formula = m->formula;
  scope.resolve = resolve;
  scope.user = who;
  scope.words = who->word;
  scope.more_words = m->word;
  scope.calls = calls;
  fly_status status = fly_expr_compile(&m->expression[m->nexpression], fly_item_word(item, parameter, k), &scope, &why);
  if (status == FLY_NO_MEMORY)
    return fly_fail_at(error, status, NAN, FLY_NOWHERE, item->name, "Out of memory for the expressions of `%s`.",
                       item->name);
  if (status)
    return fly_item_fail(item, error, "`%s`: %s", parameter, why.message);
  warn_of_mixed_units(m, item, parameter, m->expression[m->nexpression]);
  *expression = m->nexpression++;
  return fly_put_variables(m, item, parameter, fly_item_word(item, parameter, k), error);
}

fly_status fly_compile_text(fly_model *m, const fly_item *item, const char *parameter, int k, int *expression,
                            fly_error *error) {
  fly_asking who = {.m = m};
  return fly_compile_asking(&who, item, parameter, k, expression, error);
}

fly_status fly_compile_time(fly_model *m, const fly_item *item, const char *parameter, int *expression,
                            fly_error *error) {
  fly_status status = fly_compile_text(m, item, parameter, 0, expression, error);
  if (status == FLY_OK && !fly_expr_is_time_only(m->expression[*expression]))
    return fly_item_fail(item, error, "`%s` of a motion may depend on time only.", parameter);
  return status;
}
