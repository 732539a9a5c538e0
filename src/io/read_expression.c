// Expressions in a model file: constants over parameters and units, and functions of time and measures, of which the
// form and the names are checked here.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element/measure.h"
#include "element/reaction.h"
#include "expr/expr.h"
#include "io/reader.h"
#include "model/model.h"

// ------------------------------------------------------------------------------------------ messages

// How far a column of the text, from 1, stands behind the start of what was written.
static int columns_behind(const fly_tree_node *node, int column) {
  if (!node->made)
    return column - 1 + node->quoted;
  size_t at = 0;
  for (int k = 1; k < column && node->text[at] != 0; k++)
    for (at++; ((unsigned char)node->text[at] & 0xC0) == 0x80;)
      at++;
  return node->from != NULL ? node->from[at] + node->quoted : 0;
}

// "column 7: what" stands 6 characters behind the start of the text.
static bool expression_fault(fly_reader *r, const fly_tree_node *node, const char *name, const char *message) {
  fly_tree_node at = *node;
  int column = 1, length = 0;
  if (sscanf(message, "column %d: %n", &column, &length) == 1 && length > 0) {
    at.column += columns_behind(node, column);
    message += length;
  }
  const size_t end = strlen(message);
  const bool ended = end > 0 && strchr(".?)", message[end - 1]) != NULL;
  const bool outside = node->use != NULL && strncmp(message, "unknown word", 12) == 0;
  return fly_reader_fault(r, &at, "'%.60s': %s%s%s", name, message, ended ? "" : ".",
                          outside ? " A part sees its own names only; what it needs of others is an input of it." : "");
}

// ------------------------------------------------------------------------------------------ names

// Takes a list of markers; the first is required.
static bool check_markers(const fly_reader *r, fly_expr_answer *answer, const fly_expr_reference *asked, int most) {
  if (asked->count < 1 || asked->count > most) {
    snprintf(answer->message, sizeof answer->message, "%s takes 1 to %d markers, and got %d", asked->name, most,
             asked->count);
    return false;
  }
  for (int k = 0; k < asked->count; k++) {
    const char *word = asked->argument[k].word;
    answer->argument = k;
    if (word == NULL) {
      snprintf(answer->message, sizeof answer->message,
               "argument %d of %s is a marker: body.marker, the name of a body, or ground", k + 1, asked->name);
      return false;
    }
    if (!fly_reader_find_marker(r, word, answer->message, sizeof answer->message))
      return false;
  }
  return true;
}

// A joint, and perhaps a marker whose axes the components have.
static bool check_reaction(const fly_reader *r, fly_expr_answer *answer, const fly_expr_reference *asked) {
  if (asked->count < 1 || asked->count > 2 || asked->argument[0].word == NULL) {
    snprintf(answer->message, sizeof answer->message, "%s takes a joint, and perhaps a marker whose axes it has",
             asked->name);
    return false;
  }
  answer->argument = 0;
  if (!fly_reader_find_item(r, "joints", asked->argument[0].word, answer->message, sizeof answer->message))
    return false;
  answer->argument = 1;
  return asked->count == 1 ||
         (asked->argument[1].word != NULL &&
          fly_reader_find_marker(r, asked->argument[1].word, answer->message, sizeof answer->message));
}

// Who asks, and what its expression knows beside.
typedef struct asking {
  const fly_reader *r;
  const char *const *words;
  const fly_tree_node *node; // where it asks
} asking;

// What expressions know by name: they find out what it is when the model is compiled.
static const char *const signal_sections[] = {"states", "variables", "inputs", "held", "outputs", NULL};

static bool is_signal(const fly_reader *r, const char *name) {
  for (int k = 0; signal_sections[k] != NULL; k++)
    if (fly_spec_find(r->spec, signal_sections[k], name) != NULL)
      return true;
  return false;
}

const char **fly_reader_signal_names(const fly_reader *r) {
  const fly_spec *s = r->spec;
  const char **name = calloc((size_t)s->nitem + 1, sizeof *name);
  for (int k = 0, count = 0; name != NULL && k < s->nitem; k++)
    if (fly_reader_knows(signal_sections, s->item[k].type->section))
      name[count++] = s->item[k].name;
  return name;
}

// pin.angle: a joint that has such a coordinate.
static bool is_coordinate(const fly_reader *r, fly_expr_answer *answer, const char *word) {
  static const char *const turning[] = {"angle", "w", NULL}, *const sliding[] = {"displacement", "v", NULL};
  const char *dot = strrchr(word, '.');
  char name[FLY_TREE_KEY + 1];
  if (dot == NULL)
    return false;
  snprintf(name, sizeof name, "%.*s", (int)(dot - word), word);
  const fly_item *joint = fly_spec_find(r->spec, "joints", name);
  if (joint == NULL)
    return false;
  if ((fly_joint_turns(joint) && fly_reader_knows(turning, dot + 1)) ||
      (fly_joint_slides(joint) && fly_reader_knows(sliding, dot + 1)))
    return true;
  snprintf(
      answer->message, sizeof answer->message,
      "the %s joint '%.60s' has no '%.60s'; joints that turn have angle and w, those that slide displacement and v",
      joint->type->name, name, dot + 1);
  return false;
}

// s.force: a channel of a force that expressions may use.
static bool is_acting(const fly_reader *r, fly_expr_answer *answer, const char *word) {
  const fly_item *force = fly_acting_item(r->spec, word);
  if (force == NULL || fly_acting_quantity(force, word) >= 0)
    return force != NULL;
  const bool none = strcmp(force->type->name, "bushing") == 0 || strcmp(force->type->name, "beam") == 0;
  snprintf(answer->message, sizeof answer->message, "the %s '%.60s' has no '%.60s'%s", force->type->name, force->name,
           strrchr(word, '.') + 1, none ? " for expressions: its loads are channels of the results alone" : "");
  return false;
}

// k.z of a block, a part or a body that has none: what it has. Always false.
static bool say_what_it_has(const asking *who, fly_expr_answer *answer, const char *word) {
  enum { MOST = 12 };
  const char *dot = strrchr(word, '.');
  const fly_spec *s = who->r->spec;
  char head[FLY_TREE_KEY + 1], list[150] = "";
  int count = 0;
  if (dot == NULL || answer->message[0] != 0 || who->node->use != NULL) // a part: it was asked without its prefix
    return false;
  snprintf(head, sizeof head, "%.*s", (int)(dot - word), word);
  const size_t length = strlen(head);
  for (int k = 0; k < s->nitem; k++) {
    const char *name = s->item[k].name;
    if (!fly_reader_knows(signal_sections, s->item[k].type->section) || strncmp(name, head, length) != 0 ||
        name[length] != '.' || count++ >= MOST)
      continue;
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%.30s", used > 0 ? ", " : "", name + length + 1);
  }
  if (count > 0)
    snprintf(answer->message, sizeof answer->message, "'%.60s' has no '%.60s'; it has %s%s", head, dot + 1, list,
             count > MOST ? ", ..." : "");
  else if (fly_spec_find(s, "bodies", head) != NULL)
    snprintf(
        answer->message, sizeof answer->message,
        "'%.60s' is a channel of the results at best; expressions ask for dx(%.30s), vx(%.30s), wz(%.30s) and the like",
        word, head, head, head);
  return false;
}

static int resolve(fly_expr_answer *answer, const fly_expr_reference *asked, void *user) {
  enum { ANY_INPUT = FLY_EXPR_TIME + 1 };
  const asking *who = user;
  const fly_reader *r = who->r;
  if (!asked->call)
    return fly_reader_knows(who->words, asked->name) || is_signal(r, asked->name) ||
                   fly_switched_item(r->spec, asked->name) || is_coordinate(r, answer, asked->name) ||
                   is_acting(r, answer, asked->name) || say_what_it_has(who, answer, asked->name)
               ? ANY_INPUT
               : FLY_EXPR_UNKNOWN;
  const int kind = fly_measure_find(asked->name);
  const bool good =
      kind >= 0 ? check_markers(r, answer, asked, fly_measure_types[kind].markers) : check_reaction(r, answer, asked);
  return good ? ANY_INPUT : FLY_EXPR_UNKNOWN;
}

// Who uses a parameter for a number that the model is built with.
typedef struct builder {
  fly_reader *r;
  const fly_tree_node *node;
  const char *name;
} builder;

// The first is kept, for people.
static void note_use(int parameter, void *user) {
  const builder *by = user;
  fly_spec *s = by->r->spec;
  if (parameter >= s->nparameter || s->parameter_use[parameter] != NULL)
    return;
  s->parameter_use[parameter] = fly_spec_text(s, by->name);
  s->parameter_place[parameter] = fly_reader_place(by->r, by->node);
}

// Calls that markers and joints answer, ended by NULL.
enum { CALLS = FLY_MEASURE_KINDS + FLY_REACTION_KINDS + 1 };

static void list_calls(const char *calls[CALLS]) {
  for (int k = 0; k < FLY_MEASURE_KINDS; k++)
    calls[k] = fly_measure_types[k].name;
  for (int k = 0; k < FLY_REACTION_KINDS; k++)
    calls[FLY_MEASURE_KINDS + k] = fly_reaction_types[k].name;
  calls[CALLS - 1] = NULL;
}

static fly_expr_scope full_scope(const fly_reader *r, asking *who, const char *const *calls) {
  fly_expr_scope scope = fly_reader_scope(r);
  scope.resolve = resolve;
  scope.user = who;
  scope.words = who->words;
  scope.calls = calls;
  scope.more_words = r->signals;
  return scope;
}

bool fly_reader_check_expression(fly_reader *r, const fly_tree_node *node, const char *name, const char *words,
                                 bool fixed) {
  const char *calls[CALLS], *known[32];
  char copy[300];
  list_calls(calls);
  fly_reader_split_words(copy, known, words != NULL ? words : "");
  asking who = {r, known, node};
  fly_expr_scope scope = full_scope(r, &who, calls);
  builder by = {r, node, name};
  scope.use = fixed ? note_use : NULL;
  scope.use_user = &by;
  double number;
  if (fly_tree_number(node, &number)) // not finite only as .nan or .inf
    return isfinite(number) || fly_reader_fault(r, node, "'%.60s' must be finite, not %.20s.", name, node->text);
  fly_expr *expression;
  fly_error one = {0};
  const fly_status status = fly_expr_compile(&expression, node->text, &scope, &one);
  fly_expr_free(expression);
  if (status == FLY_NO_MEMORY)
    return fly_reader_no_memory(r);
  if (status != FLY_OK)
    return expression_fault(r, node, name, one.message);
  return fly_reader_check_units(r, node, name);
}

bool fly_reader_check_formula(fly_reader *r, const fly_tree_node *node, const char *name) {
  const char *calls[CALLS], *none[] = {NULL};
  asking who = {r, none, node};
  fly_error one = {0};
  fly_status status = FLY_OK;
  list_calls(calls);
  const fly_expr_scope scope = full_scope(r, &who, calls);
  for (int k = 0; k < r->nformula; k++)
    if (strcmp(r->formula[k].name, name) == 0)
      status = fly_expr_check_formula(&r->formula[k], &scope, &one);
  if (status == FLY_NO_MEMORY)
    return fly_reader_no_memory(r);
  return status == FLY_OK || expression_fault(r, node, name, one.message);
}

// ------------------------------------------------------------------------------------------ constants

fly_expr_scope fly_reader_scope(const fly_reader *r) {
  fly_expr_scope scope = fly_expr_scope_default();
  scope.nparameters = r->spec->nparameter + r->nindex;
  scope.parameter = r->parameter;
  scope.names = &r->names;
  scope.ntables = r->table != NULL ? r->spec->ntable : 0;
  scope.table = r->table;
  scope.nformulas = r->nformula;
  scope.formula = r->formula;
  return scope;
}

bool fly_reader_evaluate(fly_reader *r, const fly_tree_node *node, const char *name, double *out) {
  builder by = {r, node, name};
  fly_expr_scope scope = fly_reader_scope(r);
  scope.use = note_use;
  scope.use_user = &by;
  fly_error one = {0};
  const fly_status status = fly_expr_evaluate(out, node->text, &scope, &one);
  if (status == FLY_NO_MEMORY)
    return fly_reader_no_memory(r);
  if (status != FLY_OK)
    return expression_fault(r, node, name, one.message);
  if (!fly_reader_check_units(r, node, name))
    return false;
  return isfinite(*out) || fly_reader_fault(r, node, "'%.60s' must be finite: %.60s is not.", name, node->text);
}
