// Elements: every key of an element is a row of its type's parameter table, and the row says how its value is read.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/forms.h"
#include "io/reader.h"

// An element being read. The item moves when the list of items grows, so it is known by its number.
typedef struct element {
  const fly_element_type *type;
  const fly_tree_entry *entry;
  int item;
  bool type_given;
} element;

enum { TITLE = 120 };

// "revolute joint 'pin'"
static const char *title_of(const element *e, char title[TITLE]) {
  char type[60];
  fly_type_title(type, sizeof type, e->type);
  snprintf(title, TITLE, "%s '%.40s'", type, e->entry->key);
  return title;
}

static fly_item *item_of(fly_reader *r, const element *e) { return &r->spec->item[e->item]; }

bool fly_reader_add_reference(fly_reader *r, const fly_tree_node *node, int item, int parameter) {
  if (!fly_reserve(&r->reference, &r->reference_capacity, r->references + 1, sizeof *r->reference))
    return fly_reader_no_memory(r);
  r->reference[r->references++] = (fly_reference){node, item, parameter};
  return true;
}

// ------------------------------------------------------------------------------------------ values

static bool set_numbers(fly_reader *r, const element *e, int k, int count, const double *number,
                        const fly_tree_node *node) {
  return fly_spec_set_numbers(r->spec, item_of(r, e), k, count, number, fly_reader_place(r, node)) ||
         fly_reader_no_memory(r);
}

// One of the words that a number may be.
static bool is_choice(const fly_tree_node *node, const char *words) {
  const size_t length = node->kind == FLY_TREE_SCALAR ? strlen(node->text) : 0;
  for (const char *w = words; length > 0 && *w != 0; w += strcspn(w, " "), w += *w == ' ')
    if (strcspn(w, " ") == length && strncmp(w, node->text, length) == 0)
      return true;
  return false;
}

static bool read_numbers(fly_reader *r, const element *e, int k, const fly_tree_node *node) {
  const fly_parameter *row = &e->type->parameters[k];
  double one;
  if (row->words != NULL && is_choice(node, row->words))
    return fly_spec_set_words(r->spec, item_of(r, e), k, 1, (const char *const[]){node->text},
                              fly_reader_place(r, node)) ||
           fly_reader_no_memory(r);
  if (row->count == 1)
    return fly_reader_number(r, node, row, &one) && set_numbers(r, e, k, 1, &one, node);
  const int count = fly_reader_numbers(r, node, row, row->count > 0 ? row->count : 1, row->count);
  return count > 0 && set_numbers(r, e, k, count, r->number, node);
}

static bool read_orientation(fly_reader *r, const element *e, int k, const fly_tree_node *node) {
  double A[9];
  return fly_reader_orientation(r, node, A) && set_numbers(r, e, k, 9, A, node);
}

static bool read_markers(fly_reader *r, const element *e, int k, const fly_tree_node *node) {
  fly_value *value = fly_spec_own_value(r->spec, item_of(r, e), k);
  if (value == NULL)
    return fly_reader_no_memory(r);
  value->given = true;
  value->place = fly_reader_place(r, node);
  return fly_reader_markers(r, item_of(r, e), node);
}

static bool read_matrix(fly_reader *r, const element *e, int k, const fly_tree_node *node) {
  int rows, columns;
  if (!fly_reader_matrix(r, node, &e->type->parameters[k], &rows, &columns) ||
      !set_numbers(r, e, k, rows * (columns > 0 ? columns : 1), r->number, node))
    return false;
  fly_value *value = fly_spec_own_value(r->spec, item_of(r, e), k); // it has one by now
  value->columns = columns;
  return true;
}

static bool read_shapes(fly_reader *r, const element *e, int k, const fly_tree_node *node) {
  return fly_reader_shapes(r, item_of(r, e), k, node);
}

// One scalar, or a list of `count` of them (0: any number, at least one; of what are not bodies, at most so many).
enum { MOST_WORDS = 64 };

static bool wrong_count(fly_reader *r, const fly_tree_node *node, const fly_parameter *row) {
  char takes[200];
  fly_takes_text(takes, sizeof takes, row);
  return fly_reader_fault(r, node, "'%s' takes %s, not %d.", row->name, takes, node->count);
}

static bool wrong_kind(fly_reader *r, const fly_tree_node *node, const fly_parameter *row) {
  char takes[200];
  fly_takes_text(takes, sizeof takes, row);
  return fly_reader_fault(r, node, "'%s' takes %s, not %s.", row->name, takes, fly_tree_kind_name(node));
}

// What it takes is said where there is none.
static bool has_text(fly_reader *r, const fly_tree_node *node, const fly_parameter *row) {
  char takes[200];
  if (node->kind == FLY_TREE_SCALAR && node->text[0] != 0 && !fly_tree_is_null(node))
    return true;
  fly_takes_text(takes, sizeof takes, row);
  return fly_reader_text(r, node, row->name, takes) != NULL;
}

// The scalars of a value, of which there are as many as the node has entries; their count, or -1.
static int scalars(fly_reader *r, const fly_tree_node *node, const fly_parameter *row, int count,
                   const fly_tree_node **scalar) {
  if (count == 1) {
    scalar[0] = node;
    return has_text(r, node, row) ? 1 : -1;
  }
  if (node->kind != FLY_TREE_SEQUENCE)
    return wrong_kind(r, node, row) - 1;
  if (node->count == 0 || (node->count > MOST_WORDS && row->type != FLY_BODIES) || (count > 0 && node->count != count))
    return wrong_count(r, node, row) - 1;
  for (int k = 0; k < node->count; k++) {
    scalar[k] = node->entry[k].value;
    if (!has_text(r, scalar[k], row))
      return -1;
  }
  return node->count;
}

void fly_reader_split_words(char copy[300], const char *words[32], const char *text) {
  int count = 0;
  snprintf(copy, 300, "%s", text);
  for (char *s = copy; *s != 0 && count < 31;) {
    const size_t length = strcspn(s, " ");
    const bool last = s[length] == 0;
    words[count++] = s;
    s[length] = 0;
    s += length + !last;
  }
  words[count] = NULL;
}

static bool check_word(fly_reader *r, const fly_tree_node *node, const fly_parameter *row) {
  char copy[300], takes[200], suggestion[100];
  const char *words[32];
  if (row->words == NULL)
    return true;
  fly_reader_split_words(copy, words, row->words);
  for (int k = 0; words[k] != NULL; k++)
    if (strcmp(words[k], node->text) == 0)
      return true;
  fly_takes_text(takes, sizeof takes, row);
  fly_reader_suggest(suggestion, sizeof suggestion, node->text, words);
  return fly_reader_fault(r, node, "'%s' takes %s, not '%.60s'.%s", row->name, takes, node->text, suggestion);
}

// Words, names and expressions: kept as texts, looked up when everything is there.
static bool read_texts(fly_reader *r, const element *e, int k, const fly_tree_node *node, const fly_tree_node **scalar,
                       const char **word) {
  const fly_parameter *row = &e->type->parameters[k];
  const bool lone = row->count == 0 && node->kind == FLY_TREE_SCALAR &&
                    (row->type == FLY_WORD || row->type == FLY_EXPRESSION); // of a list
  const bool one = lone || (row->type != FLY_BODIES && row->type != FLY_JOINTS && row->count == 1);
  const int count = scalars(r, node, row, one ? 1 : row->count, scalar);
  for (int i = 0; i < count; i++) {
    if (row->type == FLY_EXPRESSION)
      scalar[i] = fly_reader_put_indices(r, scalar[i]);
    if (scalar[i] == NULL)
      return false;
    word[i] = scalar[i]->text;
    if (row->type == FLY_WORD ? !check_word(r, scalar[i], row) : !fly_reader_add_reference(r, scalar[i], e->item, k))
      return false;
  }
  return count > 0 && (fly_spec_set_words(r->spec, item_of(r, e), k, count, word, fly_reader_place(r, node)) ||
                       fly_reader_no_memory(r));
}

static bool read_words(fly_reader *r, const element *e, int k, const fly_tree_node *node) {
  const size_t room = node->kind == FLY_TREE_SEQUENCE ? (size_t)node->count + 1 : 1;
  const fly_tree_node **scalar = calloc(room, sizeof *scalar);
  const char **word = calloc(room, sizeof *word);
  const bool good = scalar != NULL && word != NULL ? read_texts(r, e, k, node, scalar, word) : fly_reader_no_memory(r);
  free(scalar);
  free(word);
  return good;
}

// Of a mapping whose keys are known: their values are looked at when the model is compiled.
static bool is_setting(fly_reader *r, const fly_tree_entry *entry, const fly_parameter *row) {
  char copy[300], suggestion[100];
  const char *words[32];
  fly_reader_split_words(copy, words, row->words);
  for (int k = 0; words[k] != NULL; k++)
    if (strcmp(words[k], entry->key) == 0)
      return true;
  fly_reader_suggest(suggestion, sizeof suggestion, entry->key, words);
  return fly_reader_fault_key(r, entry, "'%s' takes no '%.60s'.%s It takes %s.", row->name, entry->key, suggestion,
                              row->words);
}

static bool read_settings(fly_reader *r, const element *e, int k, const fly_tree_node *node) {
  const fly_parameter *row = &e->type->parameters[k];
  const char *word[MOST_WORDS];
  fly_place at[MOST_WORDS];
  if (node->kind != FLY_TREE_MAPPING)
    return wrong_kind(r, node, row);
  if (node->count == 0 || node->count > MOST_WORDS / 2)
    return wrong_count(r, node, row);
  for (int i = 0; i < node->count; i++) {
    const fly_tree_entry *entry = &node->entry[i];
    const fly_tree_node *text =
        fly_reader_text(r, entry->value, entry->key, "an expression") ? fly_reader_put_indices(r, entry->value) : NULL;
    if (text == NULL || (row->words == NULL && !fly_reader_add_reference(r, text, e->item, k)))
      return false;
    if (row->words != NULL && !is_setting(r, entry, row))
      return false;
    word[2 * i] = entry->key;
    word[2 * i + 1] = text->text;
    at[2 * i + 1] = fly_reader_place(r, entry->value);
    at[2 * i] = fly_reader_key_place(r, entry);
  }
  return (fly_spec_set_words(r->spec, item_of(r, e), k, 2 * node->count, word, fly_reader_place(r, node)) &&
          fly_spec_place_words(r->spec, item_of(r, e), k, at)) ||
         fly_reader_no_memory(r);
}

typedef bool read_value(fly_reader *r, const element *e, int k, const fly_tree_node *node);
static read_value *const readers[] = {
    [FLY_NUMBER] = read_numbers,    [FLY_ORIENTATION] = read_orientation,
    [FLY_WORD] = read_words,        [FLY_BODY] = read_words,
    [FLY_BODIES] = read_words,      [FLY_MARKER] = read_words,
    [FLY_JOINT] = read_words,       [FLY_JOINTS] = read_words,
    [FLY_EXPRESSION] = read_words,  [FLY_TABLE] = read_words,
    [FLY_MARKERS] = read_markers,   [FLY_SHAPES] = read_shapes,
    [FLY_SETTINGS] = read_settings, [FLY_MATRIX] = read_matrix,
};

// ------------------------------------------------------------------------------------------ keys

// " Revolute and translational joints take it.": the others of the section, if they are few.
static void say_who_takes(char *text, size_t size, const fly_element_type *type, const char *key) {
  enum { FEW = 8 };
  const fly_element_type *taker[FEW];
  int count = 0;
  text[0] = 0;
  for (const fly_element_type *const *row = fly_element_types; *row != NULL; row++)
    if (strcmp((*row)->section, type->section) == 0 && fly_parameter_find(*row, key) >= 0 && count++ < FEW)
      taker[count - 1] = *row;
  if (count > FEW)
    return;
  for (int k = 0; k < count; k++) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s%s",
             k == 0          ? " It is a key of "
             : k + 1 < count ? ", "
                             : " and ",
             taker[k]->name, k + 1 == count ? "." : "");
  }
}

static bool unknown_key(fly_reader *r, const element *e, const fly_tree_entry *entry) {
  char list[300] = "type", suggestion[100], title[80], takers[300];
  for (int k = 0; e->type->parameters[k].name != NULL; k++) {
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, ", %s", e->type->parameters[k].name);
  }
  fly_type_title(title, sizeof title, e->type);
  fly_reader_suggest_row(suggestion, sizeof suggestion, entry->key, e->type->parameters);
  say_who_takes(takers, sizeof takers, e->type, entry->key);
  return fly_reader_fault_key(r, entry, "%s %s takes no '%.60s'.%s It takes %s.%s%s%s", fly_article(title), title,
                              entry->key, takers[0] ? takers : suggestion, list,
                              e->type_given ? "" : " (No type is given, so it is ", e->type_given ? "" : e->type->name,
                              e->type_given ? "" : ".)");
}

static bool read_key(fly_reader *r, const element *e, const fly_tree_entry *entry) {
  if (strcmp(entry->key, "type") == 0)
    return true;
  const int k = fly_parameter_find(e->type, entry->key);
  return k < 0 ? unknown_key(r, e, entry) : readers[e->type->parameters[k].type](r, e, k, entry->value);
}

static bool check_required(fly_reader *r, const element *e) {
  bool good = true;
  for (int k = 0; e->type->parameters[k].name != NULL; k++) {
    const fly_parameter *row = &e->type->parameters[k];
    if (!row->required || fly_item_row(item_of(r, e), k)->given)
      continue;
    char takes[200], title[TITLE];
    fly_takes_text(takes, sizeof takes, row);
    good =
        fly_reader_fault_key(r, e->entry, "the %s needs '%s' (%s): %s%s%s%s.", title_of(e, title), row->name, row->text,
                             takes, row->unit[0] != 0 ? " [" : "", row->unit, row->unit[0] != 0 ? "]" : "");
  }
  return good;
}

// The value of an element that has one may stand in its place: "stroke: dx(slider, ground)".
static int short_form(const fly_element_type *type) { return fly_parameter_find(type, "value"); }

static bool read_parameters(fly_reader *r, const element *e) {
  const fly_tree_node *node = e->entry->value;
  bool good = true;
  if (node->kind == FLY_TREE_MAPPING) {
    for (int k = 0; k < node->count && fly_reader_goes_on(r); k++)
      good = read_key(r, e, &node->entry[k]) && good;
    return good && check_required(r, e);
  }
  const int k = short_form(e->type);
  if (k >= 0 && node->kind == FLY_TREE_SCALAR)
    return readers[e->type->parameters[k].type](r, e, k, node);
  char title[TITLE];
  if (fly_tree_is_null(node))
    return fly_reader_fault_key(r, e->entry, "the %s has no values. Example: %s", title_of(e, title), e->type->example);
  return fly_reader_fault(r, node, "the %s takes a mapping {key: value}, not %s. Example: %s", title_of(e, title),
                          fly_tree_kind_name(node), e->type->example);
}

// ------------------------------------------------------------------------------------------ types

static const fly_element_type *unknown_type(fly_reader *r, const fly_tree_node *node, const char *section) {
  char list[500] = "", suggestion[100];
  const char *words[100];
  int count = 0;
  for (const fly_element_type *const *row = fly_element_types, *t; (t = *row) != NULL && count < 99; row++) {
    if (strcmp(t->section, section) != 0)
      continue;
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, used > 0 ? ", %s" : "%s", t->name);
    words[count++] = t->name;
  }
  words[count] = NULL;
  if (node->kind != FLY_TREE_SCALAR || fly_tree_is_null(node)) {
    fly_reader_fault(r, node, "'type' takes one of %s, not %s.", list, fly_tree_kind_name(node));
    return NULL;
  }
  fly_reader_suggest(suggestion, sizeof suggestion, node->text, words);
  fly_reader_fault(r, node, "there is no %s of type '%.60s'.%s Types are %s.", fly_section_singular(section),
                   node->text, suggestion, list);
  return NULL;
}

// What ground is: a type of its own if there is one.
static const fly_element_type *ground_type(const char *section) {
  const fly_element_type *type = fly_element_type_find(section, "ground");
  return type != NULL ? type : fly_element_type_find(section, NULL);
}

static const fly_element_type *type_of(fly_reader *r, const fly_tree_entry *entry, const char *section) {
  const fly_tree_node *node = fly_tree_find(entry->value, "type");
  if (node == NULL && strcmp(entry->key, "ground") == 0 && strcmp(section, "bodies") == 0)
    return ground_type(section);
  if (node == NULL)
    return fly_element_type_find(section, NULL);
  const fly_element_type *type = node->kind == FLY_TREE_SCALAR ? fly_element_type_find(section, node->text) : NULL;
  return type != NULL ? type : unknown_type(r, node, section);
}

static bool is_ground(const element *e) {
  return strcmp(e->entry->key, "ground") == 0 && strcmp(e->type->section, "bodies") == 0;
}

// Ground stands still and has no mass: markers, shapes and their material is all it takes.
static bool check_ground(fly_reader *r, const element *e) {
  const fly_tree_node *node = e->entry->value;
  for (int k = 0; node->kind == FLY_TREE_MAPPING && k < node->count; k++) {
    const int row = fly_parameter_find(e->type, node->entry[k].key);
    const fly_value_type type = row >= 0 ? e->type->parameters[row].type : FLY_MARKERS;
    if (type != FLY_MARKERS && type != FLY_SHAPES && strcmp(node->entry[k].key, "material") != 0)
      return fly_reader_fault_key(r, &node->entry[k], "ground stands still in space; it takes markers, but no '%s'.",
                                  node->entry[k].key);
  }
  return true;
}

// ------------------------------------------------------------------------------------------ elements

bool fly_reader_keep_node(fly_reader *r, int item, const fly_tree_node *node) {
  if (!fly_reserve(&r->node, &r->node_capacity, item + 1, sizeof(fly_tree_node *)))
    return fly_reader_no_memory(r);
  r->node[item] = node;
  return true;
}

// A name that comes out the same in every turn of a repetition.
static bool is_made_again(const fly_reader *r, const element *e) {
  const fly_item *other = r->nindex > 0 ? fly_spec_find(r->spec, e->type->section, e->entry->key) : NULL;
  return other != NULL && other->place.line == e->entry->key_line && other->place.column == e->entry->key_column;
}

static bool add_item(fly_reader *r, element *e) {
  fly_error one = {0};
  if (is_made_again(r, e)) {
    const char *index = r->parameter[r->spec->nparameter + r->nindex - 1].name;
    return fly_reader_fault_key(r, e->entry, "the repetition makes '%.60s' twice; put the index into its name, as $%s.",
                                e->entry->key, index);
  }
  if (fly_spec_add(r->spec, e->type, e->entry->key, fly_reader_key_place(r, e->entry), &one) == NULL)
    return one.status == FLY_NO_MEMORY ? fly_reader_no_memory(r) : fly_reader_fault_text(r, "%s", one.message);
  e->item = r->spec->nitem - 1;
  return fly_reader_keep_node(r, e->item, e->entry->value) && fly_reader_note_use(r, item_of(r, e), e->entry->value);
}

static bool read_element(fly_reader *r, const char *section, const fly_tree_entry *entry) {
  element e = {.entry = entry, .type_given = fly_tree_find(entry->value, "type") != NULL};
  if (!fly_reader_check_name(r, entry, fly_section_singular(section)))
    return false;
  e.type = type_of(r, entry, section);
  if (e.type == NULL || (is_ground(&e) && !check_ground(r, &e)))
    return false;
  return add_item(r, &e) && read_parameters(r, &e);
}

bool fly_reader_items(fly_reader *r, const char *section, const fly_tree_node *node) {
  bool good = true;
  for (int k = 0; k < node->count && fly_reader_goes_on(r); k++)
    good = read_element(r, section, &node->entry[k]) && good;
  return good;
}
