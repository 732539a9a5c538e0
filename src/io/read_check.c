// What can be said of a model only when all of it is read: names that refer to nothing, and parameters that exclude or
// need each other.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/forms.h"
#include "io/reader.h"

// ------------------------------------------------------------------------------------------ names

// All names of a section, ground among the bodies, ended by NULL; NULL without memory.
static const char **names_of(const fly_reader *r, const char *section) {
  const fly_spec *s = r->spec;
  const char **name = calloc((size_t)s->nitem + 2, sizeof *name);
  int count = 0;
  if (name == NULL)
    return NULL;
  for (int k = 0; k < s->nitem; k++)
    if (strcmp(s->item[k].type->section, section) == 0)
      name[count++] = s->item[k].name;
  if (strcmp(section, "bodies") == 0)
    name[count] = "ground";
  return name;
}

bool fly_reader_find_item(const fly_reader *r, const char *section, const char *name, char *why, size_t size) {
  char suggestion[100] = "";
  if (fly_spec_find(r->spec, section, name) != NULL || (strcmp(section, "bodies") == 0 && strcmp(name, "ground") == 0))
    return true;
  const char **names = names_of(r, section);
  if (names != NULL)
    fly_reader_suggest(suggestion, sizeof suggestion, name, names);
  free(names);
  snprintf(why, size, "there is no %s '%.60s'.%s", fly_section_singular(section), name, suggestion);
  return false;
}

static bool check_item(fly_reader *r, const fly_tree_node *node, const char *section) {
  char why[300];
  return fly_reader_find_item(r, section, node->text, why, sizeof why) || fly_reader_fault(r, node, "%s", why);
}

static bool check_table(fly_reader *r, const fly_tree_node *node, const char *name) {
  const fly_spec *s = r->spec;
  char suggestion[100];
  const char **names = calloc((size_t)s->ntable + 1, sizeof *names);
  if (names == NULL)
    return fly_reader_no_memory(r);
  bool found = false;
  for (int k = 0; k < s->ntable; k++) {
    names[k] = s->table_name[k];
    found = found || strcmp(name, names[k]) == 0;
  }
  fly_reader_suggest(suggestion, sizeof suggestion, name, names);
  free(names);
  return found || fly_reader_fault(r, node, "there is no table '%.60s'.%s", name, suggestion);
}

// ------------------------------------------------------------------------------------------ markers

enum { LONGEST_NAME = FLY_TREE_KEY };

static bool is_body(const fly_spec *s, const char *name) {
  return strcmp(name, "ground") == 0 || fly_spec_find(s, "bodies", name) != NULL;
}

// "crank" of "crank.pin", and what is behind it or NULL. Names of bodies in parts have dots: the longest that is one;
// if none is, what stands before the last dot.
static const char *body_part(const fly_spec *s, char body[LONGEST_NAME + 1], const char *reference) {
  snprintf(body, LONGEST_NAME + 1, "%s", reference);
  const size_t length = strlen(body);
  for (size_t n = length; n > 0; n--)
    if (n == length || body[n] == '.') {
      body[n] = 0;
      if (is_body(s, body))
        return n == length ? NULL : reference + n + 1;
    }
  const char *dot = strrchr(reference, '.');
  snprintf(body, LONGEST_NAME + 1, "%.*s", dot != NULL ? (int)(dot - reference) : LONGEST_NAME, reference);
  return dot != NULL ? dot + 1 : NULL;
}

static void no_marker(const char *body, const char *marker, const fly_tree_node *markers, char *why, size_t size) {
  char suggestion[100] = " It has none.";
  const int count = markers != NULL ? markers->count : 0;
  const char **names = count > 0 ? calloc((size_t)count + 1, sizeof *names) : NULL;
  for (int k = 0; names != NULL && k < count; k++)
    names[k] = markers->entry[k].key;
  if (names != NULL)
    fly_reader_suggest(suggestion, sizeof suggestion, marker, names);
  free(names);
  snprintf(why, size, "'%.60s' has no marker '%.60s'.%s", body, marker, suggestion);
}

bool fly_reader_find_marker(const fly_reader *r, const char *reference, char *why, size_t size) {
  char body[LONGEST_NAME + 1];
  const char *marker = body_part(r->spec, body, reference);
  const fly_item *item = fly_spec_find(r->spec, "bodies", body);
  if (item == NULL && fly_spec_find(r->spec, "joints", body) != NULL) {
    snprintf(why, size, "'%.60s' is a joint; a marker is body.marker, the name of a body, or ground.", body);
    return false;
  }
  if (!fly_reader_find_item(r, "bodies", body, why, size))
    return false;
  if (marker == NULL)
    return true;
  const fly_tree_node *markers = item != NULL ? fly_tree_find(r->node[item - r->spec->item], "markers") : NULL;
  if (fly_tree_find(markers, marker) != NULL)
    return true;
  no_marker(body, marker, markers, why, size);
  return false;
}

static bool check_marker(fly_reader *r, const fly_tree_node *node) {
  char why[300];
  return fly_reader_find_marker(r, node->text, why, sizeof why) || fly_reader_fault(r, node, "%s", why);
}

// The text as it is understood, with the places of words as they are in the file no more.
static bool check_equation(fly_reader *r, const fly_tree_node *node, const fly_parameter *row) {
  fly_tree_node understood = *node;
  char *text = fly_reader_put_slopes(node->text);
  if (text == NULL)
    return fly_reader_no_memory(r);
  understood.text = text;
  understood.made = true;
  const bool good = fly_reader_check_expression(r, &understood, row->name, row->words, false);
  free(text);
  return good;
}

static bool check_reference(fly_reader *r, const fly_reference *reference) {
  const fly_tree_node *node = reference->node;
  const fly_item *item = &r->spec->item[reference->item];
  const fly_parameter *row = &item->type->parameters[reference->parameter];
  if (strcmp(item->type->section, "functions") == 0)
    return fly_reader_check_formula(r, node, item->name);
  switch (row->type) {
  case FLY_BODY:
  case FLY_BODIES:
    return check_item(r, node, "bodies");
  case FLY_MARKER:
    return check_marker(r, node);
  case FLY_JOINT:
  case FLY_JOINTS:
    return check_item(r, node, "joints");
  case FLY_TABLE:
    return check_table(r, node, node->text);
  case FLY_SETTINGS:
    return fly_reader_check_expression(r, node, row->name, row->words, true);
  case FLY_EXPRESSION:
    if (strcmp(row->name, "equation") == 0)
      return check_equation(r, node, row);
    // in the short form its name is not there
    return fly_reader_check_expression(
        r, node, r->node[reference->item]->kind == FLY_TREE_SCALAR ? item->name : row->name, row->words,
        strcmp(item->type->section, "motions") == 0 || strcmp(item->type->section, "events") == 0);
  default:
    return true;
  }
}

// ------------------------------------------------------------------------------------------ rules

typedef enum rule_kind {
  ONE_OF,   // exactly one of the two
  EXCLUDES, // not both
  NEEDS     // the first needs the second
} rule_kind;

// Rules hold for every type that has both parameters.
static const struct rule {
  rule_kind kind;
  const char *first, *second, *why;
} rules[] = {
    {ONE_OF, "bodies", "from", "'bodies' and 'at' in space, or 'from' and 'to' with markers"},
    {ONE_OF, "rate", "equation", "'rate', its derivative, or 'equation', what is 0"},
    {ONE_OF, "value", "equation", "'value', what it is, or 'equation', what is 0"},
    {ONE_OF, "value", "file", "'value', a number, or 'file', a table of times and values"},
    {NEEDS, "from", "to", "the marker on the second body"},
    {EXCLUDES, "bodies", "to", "'to' is a marker and goes with 'from'"},
    {EXCLUDES, "from", "at", "the markers say where it is"},
    {EXCLUDES, "from", "axis", "z of the markers is the axis"},
    {EXCLUDES, "from", "axis2", "z of the markers is the axis"},
    {ONE_OF, "stiffness", "stiffness_matrix", "'stiffness', six numbers, or 'stiffness_matrix', all 36"},
    {EXCLUDES, "damping", "damping_matrix", "the diagonal is in the matrix"},
    {EXCLUDES, "force", "stiffness", "the expression is the whole force"},
    {EXCLUDES, "force", "damping", "the expression is the whole force"},
    {EXCLUDES, "force", "free_length", "the expression is the whole force"},
    {EXCLUDES, "force", "preload", "the expression is the whole force"},
    {EXCLUDES, "torque", "stiffness", "the expression is the whole torque"},
    {EXCLUDES, "torque", "damping", "the expression is the whole torque"},
    {EXCLUDES, "torque", "free_angle", "the expression is the whole torque"},
};

enum { RULES = sizeof rules / sizeof *rules };

// The rules that hold for a type, found once for items of one type that follow each other.
typedef struct type_rules {
  const fly_element_type *type;
  int count, rule[RULES], first[RULES], second[RULES]; // parameters by their numbers (count)
} type_rules;

static void find_rules(type_rules *of, const fly_element_type *type) {
  of->type = type;
  of->count = 0;
  for (int i = 0; i < RULES; i++) {
    const int first = fly_parameter_find(type, rules[i].first);
    const int second = first >= 0 ? fly_parameter_find(type, rules[i].second) : -1;
    if (second < 0)
      continue;
    of->rule[of->count] = i;
    of->first[of->count] = first;
    of->second[of->count++] = second;
  }
}

static bool check_rule(fly_reader *r, const fly_item *item, const fly_tree_node *node, const type_rules *of, int i) {
  const struct rule *rule = &rules[of->rule[i]];
  const bool a = fly_item_row(item, of->first[i])->given, b = fly_item_row(item, of->second[i])->given;
  if (rule->kind == NEEDS && a && !b)
    return fly_reader_fault(r, fly_tree_find(node, rule->first), "'%s' needs '%s', %s.", rule->first, rule->second,
                            rule->why);
  if (rule->kind == ONE_OF && !a && !b) {
    char title[80];
    fly_type_title(title, sizeof title, item->type);
    return fly_reader_fault(r, node, "the %s '%.40s' needs %s.", title, item->name, rule->why);
  }
  if (rule->kind != NEEDS && a && b)
    return fly_reader_fault_key(r, fly_tree_find_entry(node, rule->second), "'%s' is not used together with '%s': %s.",
                                rule->second, rule->first, rule->why);
  return true;
}

static bool same_body(const fly_spec *s, const char *a, const char *b) {
  char one[LONGEST_NAME + 1], other[LONGEST_NAME + 1];
  body_part(s, one, a);
  body_part(s, other, b);
  return strcmp(one, other) == 0;
}

// A word of a parameter that the type may not have; NULL if it is not given.
static const char *given_word(const fly_item *item, const char *parameter, int k) {
  const int row = fly_parameter_find(item->type, parameter);
  const fly_value *value = row >= 0 ? fly_item_row(item, row) : NULL;
  return value != NULL && value->given && value->word != NULL && k < value->count ? value->word[k] : NULL;
}

static int count_markers(const fly_element_type *type) {
  int count = 0;
  for (const fly_parameter *row = type->parameters; row->name != NULL; row++)
    count += row->type == FLY_MARKER;
  return count;
}

// Two ends on one body; where there are more, some may be.
static bool check_ends(fly_reader *r, const fly_item *item, const fly_tree_node *node) {
  const char *one = given_word(item, "bodies", 0), *other = given_word(item, "bodies", 1);
  const char *from = given_word(item, "from", 0), *to = given_word(item, "to", 0);
  if (one != NULL && other != NULL && strcmp(one, other) == 0)
    return fly_reader_fault(r, fly_tree_find(node, "bodies"), "a body cannot be joined to itself: both are '%.60s'.",
                            one);
  if (from != NULL && to != NULL && count_markers(item->type) == 2 && same_body(r->spec, from, to))
    return fly_reader_fault(r, fly_tree_find(node, "to"), "both ends are on one body: '%.60s' and '%.60s'.", from, to);
  return true;
}

static bool check_rules(fly_reader *r, int k, type_rules *of) {
  const fly_item *item = &r->spec->item[k];
  const fly_tree_node *node = r->node[k];
  if (item->made > 0)
    return true;
  if (of->count < 0 || of->type != item->type)
    find_rules(of, item->type);
  for (int i = 0; i < of->count; i++)
    if (!check_rule(r, item, node, of, i))
      return false;
  return check_ends(r, item, node);
}

bool fly_reader_check(fly_reader *r) {
  bool good = true;
  type_rules of = {.count = -1};
  r->checking = true;
  r->signals = fly_reader_signal_names(r);
  if (r->signals == NULL)
    return fly_reader_no_memory(r);
  for (int k = 0; k < r->references && fly_reader_goes_on(r); k++) {
    const bool function = strcmp(r->spec->item[r->reference[k].item].type->section, "functions") == 0;
    if (!function && !good && r->nformula > 0) // a fault in a function is one in all that call it
      break;
    good = check_reference(r, &r->reference[k]) && good;
  }
  for (int k = 0; k < r->spec->nitem && fly_reader_goes_on(r); k++)
    good = check_rules(r, k, &of) && good;
  free(r->signals);
  r->signals = NULL;
  return good;
}
