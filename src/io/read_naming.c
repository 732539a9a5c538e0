// Names of a part as the model sees them. A text is read word by word; what is no word stays as it is, and of every
// byte is kept where it came from, so that a fault is shown in the text that was written.
#include "io/naming.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element/measure.h"
#include "element/reaction.h"
#include "expr/expr.h"
#include "expr/lexer.h"
#include "io/forms.h"

enum { MOST_NODES = 20000000 }; // that uses make

// ------------------------------------------------------------------------------------------ characters

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static size_t word_length(const char *s) {
  size_t length = 0;
  while (is_letter(s[length]) || is_digit(s[length]) || s[length] == '.')
    length++;
  return length;
}

static size_t number_length(const char *s) {
  size_t n = strspn(s, "0123456789.");
  if (s[n] == 'e' || s[n] == 'E') {
    const size_t sign = s[n + 1] == '+' || s[n + 1] == '-', digits = strspn(s + n + 1 + sign, "0123456789");
    n += digits > 0 ? 1 + sign + digits : 0;
  }
  return n;
}

// ------------------------------------------------------------------------------------------ a text being changed

typedef struct change {
  const fly_naming *n;
  fly_naming_kind kind;
  const char *const *words;
  const char *text;
  size_t at;  // in the text,
  int column; // and that in characters, from 0
  char *out;
  int *from; // column of each byte of it
  size_t used, room;
  bool failed;
} change;

static void put(change *c, const char *text, size_t length) {
  if (!c->failed && c->used + length + 1 > c->room) {
    const size_t room = 2 * (c->used + length) + 64;
    char *out = realloc(c->out, room);
    if (out != NULL)
      c->out = out;
    int *from = realloc(c->from, room * sizeof *from);
    if (from != NULL)
      c->from = from;
    c->failed = out == NULL || from == NULL;
    c->room = room;
  }
  for (size_t k = 0; k < length && !c->failed; k++) {
    c->from[c->used] = c->column;
    c->out[c->used++] = text[k];
  }
}

// The text as it is.
static void copy(change *c, size_t length) {
  for (size_t k = 0; k < length; k++, c->at++) {
    put(c, c->text + c->at, 1);
    c->column += ((unsigned char)c->text[c->at + 1] & 0xC0) != 0x80;
  }
}

static void skip(change *c, size_t length) {
  for (size_t k = 0; k < length; k++, c->at++)
    c->column += ((unsigned char)c->text[c->at + 1] & 0xC0) != 0x80;
}

// ------------------------------------------------------------------------------------------ what a word is

static bool is_local(const fly_naming *n, const char *word) {
  for (const fly_local *local = n->local; local != NULL; local = local->outer)
    for (int k = 0; k < local->count; k++)
      if (strcmp(local->word[k], word) == 0)
        return true;
  return false;
}

static bool is_built_in(const char *call) {
  return fly_expr_is_function(call) || fly_measure_find(call) >= 0 || fly_reaction_find(call) >= 0 ||
         strcmp(call, "rate") == 0; // of equations
}

// Does a word mean the same in a part as outside? Names of the part hide units.
static bool is_everywhere(const change *c, const char *head, bool whole, bool call) {
  if (c->kind == FLY_NAMING_REFERENCE)
    return false;
  if (call) // `and (...)` is none
    return is_built_in(head) || !fly_expr_is_word(head);
  if (whole && (is_local(c->n, head) || fly_reader_knows(c->words, head)))
    return true;
  if (fly_tree_table_find(c->n->names, head) != NULL)
    return false;
  return whole && (!fly_expr_is_word(head) || fly_expr_unit_named(head) != NULL);
}

static const fly_connection *find_connection(const fly_naming *n, const char *head) {
  for (int k = 0; k < n->nconnections; k++)
    if (strcmp(n->connection[k].name, head) == 0)
      return &n->connection[k];
  return NULL;
}

// Is what stands behind the dot a marker that the part put there?
static bool is_own_marker(const fly_connection *connection, const char *name) {
  char marker[FLY_TREE_KEY + 1];
  const size_t length = word_length(name);
  if (length > FLY_TREE_KEY)
    return false;
  snprintf(marker, sizeof marker, "%.*s", (int)length, name);
  return fly_tree_find(connection->markers, marker) != NULL;
}

static void put_prefix(change *c) {
  put(c, c->n->use->prefix, strlen(c->n->use->prefix));
  put(c, ".", 1);
}

// The first name of a word, changed, and its dot if one follows.
static void change_head(change *c, const char *head, size_t length, bool whole, bool call) {
  const fly_connection *connection = call ? NULL : find_connection(c->n, head);
  if (connection != NULL && !(whole && is_local(c->n, head))) {
    put(c, connection->stands_for, strlen(connection->stands_for));
    skip(c, length);
    if (!whole && is_own_marker(connection, c->text + c->at + 1)) {
      copy(c, 1);
      put_prefix(c);
    }
  } else if (strcmp(head, "ground") == 0) {
    copy(c, length);
    if (!whole) {
      copy(c, 1);
      put_prefix(c);
    }
  } else {
    if (!is_everywhere(c, head, whole, call))
      put_prefix(c);
    copy(c, length);
  }
}

static void change_word(change *c);

// $i or $(i + 1) inside a name: numbers, by names of parameters and indices.
static void change_number(change *c) {
  const fly_naming_kind kind = c->kind;
  copy(c, 1);
  c->kind = FLY_NAMING_EXPRESSION;
  if (c->text[c->at] == '(') {
    int open = 0;
    do {
      const char here = c->text[c->at];
      open += here == '(' ? 1 : here == ')' ? -1 : 0;
      if (is_letter(here))
        change_word(c);
      else if (here != 0)
        copy(c, is_digit(here) ? number_length(c->text + c->at) : 1);
    } while (open > 0 && c->text[c->at] != 0);
  } else if (is_letter(c->text[c->at])) {
    size_t length = 0;
    char name[FLY_TREE_KEY + 1];
    while (is_letter(c->text[c->at + length]) || is_digit(c->text[c->at + length]))
      length++;
    snprintf(name, sizeof name, "%.*s", (int)length, c->text + c->at);
    const bool local = is_local(c->n, name);
    put(c, "(", local ? 0 : 1);
    change_head(c, name, length, true, false);
    put(c, ")", local ? 0 : 1);
  }
  c->kind = kind;
}

static void change_word(change *c) {
  const char *word = c->text + c->at;
  const size_t length = word_length(word), first = strcspn(word, ".");
  const bool numbered = word[length] == '$', whole = first >= length;
  const size_t head_length = whole ? length : first;
  const bool call = word[length + strspn(word + length, " \t\n\r")] == '(' && whole;
  char head[FLY_TREE_KEY + 2];
  if (head_length > FLY_TREE_KEY) {
    copy(c, length);
    return;
  }
  snprintf(head, sizeof head, "%.*s%s", (int)head_length, word, numbered && whole ? "$" : "");
  change_head(c, head, head_length, whole && !numbered, call);
  copy(c, length - (c->at - (size_t)(word - c->text)));
  while (c->text[c->at] == '$') {
    change_number(c);
    copy(c, word_length(c->text + c->at));
  }
}

static void change_text(change *c) {
  while (c->text[c->at] != 0 && !c->failed) {
    const char *s = c->text + c->at;
    if (is_letter(*s))
      change_word(c);
    else if (*s == '$')
      change_number(c);
    else
      copy(c, is_digit(*s) ? number_length(s) : 1);
  }
}

// ------------------------------------------------------------------------------------------ values

const fly_tree_node *fly_naming_make(fly_reader *r, const fly_tree_node *like, fly_tree_kind kind,
                                     const fly_tree_entry *entry, int count) {
  fly_tree_node *node = fly_tree_take(r->tree, sizeof *node);
  fly_error one = {0};
  if (node == NULL) {
    fly_reader_no_memory(r);
    return NULL;
  }
  *node = (fly_tree_node){.kind = (unsigned char)kind,
                          .in_flow = like->in_flow,
                          .line = like->line,
                          .column = like->column,
                          .source = like->source,
                          .use = like->use};
  const fly_status status = fly_tree_close(r->tree, node, entry, count, &one);
  if (status == FLY_NO_MEMORY)
    fly_reader_no_memory(r);
  else if (status != FLY_OK)
    fly_reader_fault_text(r, "%s", one.message);
  return status == FLY_OK ? node : NULL;
}

static fly_tree_node *copy_of(const fly_naming *n, const fly_tree_node *node) {
  fly_tree_node *made = n->r->made_nodes < MOST_NODES ? fly_tree_take(n->r->tree, sizeof *made) : NULL;
  if (made == NULL && n->r->made_nodes >= MOST_NODES)
    fly_reader_fault(n->r, node, "the parts of this model make more than %d values.", MOST_NODES);
  else if (made == NULL)
    fly_reader_no_memory(n->r);
  if (made == NULL)
    return NULL;
  n->r->made_nodes++;
  *made = *node;
  made->use = n->use;
  return made;
}

// As in a model, a parameter that has the name of a unit may not stand where that would: 6*m.
static bool check_units(const fly_naming *n, const fly_tree_node *node) {
  const fly_expr_scope scope = {.nparameters = n->nhidden, .parameter = n->hidden};
  for (int offset = 0; n->nhidden > 0; offset++) {
    bool as_unit;
    const int k = fly_expr_hidden_unit(node->text, &scope, &as_unit, &offset);
    if (k < 0)
      return true;
    if (!as_unit || is_local(n, n->hidden[k].name))
      continue;
    fly_tree_node at = *node;
    at.use = n->use;
    at.column += fly_token_column(node->text, offset) - 1 + node->quoted;
    return fly_reader_fault(n->r, &at,
                            "'%s' looks like the unit (%s), but is a parameter of this part. Rename the parameter.",
                            n->hidden[k].name, fly_expr_unit_named(n->hidden[k].name)->about);
  }
  return true;
}

static const fly_tree_node *change_scalar(const fly_naming *n, const fly_tree_node *node, fly_naming_kind kind,
                                          const char *const *words) {
  double number;
  fly_tree_node *made = copy_of(n, node);
  if (made == NULL || kind == FLY_NAMING_NONE || n->use == NULL || fly_tree_is_null(node) ||
      fly_tree_number(node, &number))
    return made;
  if (kind == FLY_NAMING_EXPRESSION && !check_units(n, node))
    return NULL;
  change c = {.n = n, .kind = kind, .words = words, .text = node->text};
  change_text(&c);
  put(&c, "", 1);
  char *text = c.failed ? NULL : fly_tree_copy_text(n->r->tree, c.out, c.used - 1);
  int *from = c.failed ? NULL : fly_tree_take(n->r->tree, c.used * sizeof *from);
  if (text != NULL && from != NULL) {
    memcpy(from, c.from, c.used * sizeof *from);
    made->text = text;
    made->from = from;
    made->made = true;
  } else {
    fly_reader_no_memory(n->r);
    made = NULL;
  }
  free(c.out);
  free(c.from);
  return made;
}

// Keys whose values are words, wherever they stand.
static fly_naming_kind kind_below(const char *key, fly_naming_kind kind) {
  static const char *const words[] = {"type", "file", "columns", "index", "unit", "law", NULL};
  return key != NULL && fly_reader_knows(words, key) ? FLY_NAMING_NONE : kind;
}

const fly_tree_node *fly_naming_value(const fly_naming *n, const fly_tree_node *node, fly_naming_kind kind,
                                      const char *const *words) {
  if (node->kind == FLY_TREE_SCALAR)
    return change_scalar(n, node, kind, words);
  fly_tree_node *made = copy_of(n, node);
  fly_tree_entry *entry = fly_tree_take(n->r->tree, (size_t)node->count * sizeof *entry);
  if (made == NULL || entry == NULL) {
    if (entry == NULL)
      fly_reader_no_memory(n->r);
    return NULL;
  }
  for (int k = 0; k < node->count; k++) {
    entry[k] = node->entry[k];
    entry[k].value = fly_naming_value(n, entry[k].value, kind_below(entry[k].key, kind), words);
    if (entry[k].value == NULL)
      return NULL;
  }
  made->entry = entry; // the keys are the same: its table of them serves again
  return made;
}

// ------------------------------------------------------------------------------------------ elements

const char *fly_naming_key(const fly_naming *n, const fly_tree_entry *entry) {
  if (n->use == NULL)
    return entry->key;
  const size_t prefix = strlen(n->use->prefix), length = strlen(entry->key);
  char *key = fly_tree_take_text(n->r->tree, prefix + length + 2);
  if (key == NULL) {
    fly_reader_no_memory(n->r);
    return NULL;
  }
  sprintf(key, "%s.%s", n->use->prefix, entry->key);
  if (prefix + length + 1 <= FLY_TREE_KEY)
    return key;
  fly_reader_fault_key(n->r, entry, "as '%.40s...%s' this name has more than %d bytes.", n->use->prefix, entry->key,
                       FLY_TREE_KEY);
  return NULL;
}

// Changes one entry of a mapping, which is a copy; false: it was told why not.
typedef bool change_entry(const fly_naming *n, fly_tree_entry *entry, const void *user);

// The mapping with its entries changed, one after the other.
static const fly_tree_node *change_entries(const fly_naming *n, const fly_tree_node *node, change_entry *one,
                                           const void *user) {
  if (node->kind != FLY_TREE_MAPPING)
    return fly_naming_value(n, node, FLY_NAMING_NONE, NULL);
  fly_tree_entry *entry = fly_tree_take(n->r->tree, (size_t)node->count * sizeof *entry);
  if (entry == NULL)
    fly_reader_no_memory(n->r);
  const fly_tree_node *where = entry != NULL ? copy_of(n, node) : NULL;
  if (where == NULL)
    return NULL;
  for (int k = 0; k < node->count; k++) {
    entry[k] = node->entry[k];
    if (!one(n, &entry[k], user))
      return NULL;
  }
  return fly_naming_make(n->r, where, FLY_TREE_MAPPING, entry, node->count);
}

// {name: expression}: the names too are those of the part.
static bool change_setting(const fly_naming *n, fly_tree_entry *entry, const void *user) {
  (void)user;
  fly_tree_node key = *entry->value;
  key.kind = FLY_TREE_SCALAR;
  key.quoted = true;
  key.text = entry->key;
  const fly_tree_node *name = change_scalar(n, &key, FLY_NAMING_REFERENCE, NULL);
  entry->value = fly_naming_value(n, entry->value, FLY_NAMING_EXPRESSION, NULL);
  if (name != NULL)
    entry->key = name->text;
  return name != NULL && entry->value != NULL;
}

static const fly_tree_node *change_settings(const fly_naming *n, const fly_tree_node *node) {
  return change_entries(n, node, change_setting, NULL);
}

static const fly_tree_node *change_row(const fly_naming *n, const fly_parameter *row, const fly_tree_node *node) {
  char copy[300];
  const char *words[32];
  switch (row->type) {
  case FLY_WORD:
    return fly_naming_value(n, node, FLY_NAMING_NONE, NULL);
  case FLY_BODY:
  case FLY_BODIES:
  case FLY_MARKER:
  case FLY_JOINT:
  case FLY_JOINTS:
  case FLY_TABLE:
    return fly_naming_value(n, node, FLY_NAMING_REFERENCE, NULL);
  case FLY_SETTINGS:
    return row->words != NULL ? fly_naming_value(n, node, FLY_NAMING_EXPRESSION, NULL) : change_settings(n, node);
  default:
    fly_reader_split_words(copy, words, row->words != NULL ? row->words : "");
    return fly_naming_value(n, node, FLY_NAMING_EXPRESSION, words);
  }
}

static const fly_element_type *type_of(const char *section, const fly_tree_node *node) {
  const fly_tree_node *type = fly_tree_find(node, "type");
  return fly_element_type_find(section, type != NULL && type->kind == FLY_TREE_SCALAR ? type->text : NULL);
}

// A mapping of an element. Its `text` is for people who read the part.
static const fly_tree_node *change_mapping(const fly_naming *n, const fly_element_type *type,
                                           const fly_tree_node *node) {
  fly_tree_entry *entry = fly_tree_take(n->r->tree, (size_t)node->count * sizeof *entry);
  fly_tree_node *where = copy_of(n, node);
  int count = 0;
  if (entry == NULL || where == NULL)
    return entry != NULL ? NULL : (fly_reader_no_memory(n->r), NULL);
  for (int k = 0; k < node->count; k++) {
    const fly_tree_entry *from = &node->entry[k];
    const int row = type != NULL ? fly_parameter_find(type, from->key) : -1;
    if (row < 0 && strcmp(from->key, "text") == 0)
      continue;
    entry[count] = *from;
    entry[count].value = row >= 0 ? change_row(n, &type->parameters[row], from->value)
                                  : fly_naming_value(n, from->value, FLY_NAMING_NONE, NULL);
    if (entry[count++].value == NULL)
      return NULL;
  }
  return fly_naming_make(n->r, where, FLY_TREE_MAPPING, entry, count);
}

// Arguments of a function, which hide names of the part.
static fly_local arguments_of(const fly_naming *n, const fly_tree_node *node, const char *word[64]) {
  const fly_tree_node *list = fly_tree_find(node, "arguments");
  fly_local local = {.word = word, .outer = n->local};
  for (int k = 0; list != NULL && list->kind == FLY_TREE_SEQUENCE && k < list->count && local.count < 64; k++)
    if (list->entry[k].value->kind == FLY_TREE_SCALAR)
      word[local.count++] = list->entry[k].value->text;
  return local;
}

const fly_tree_node *fly_naming_element(const fly_naming *n, const char *section, const fly_tree_entry *entry) {
  const fly_tree_node *node = entry->value;
  const fly_element_type *type = type_of(section, node);
  const char *word[64];
  const fly_local local = arguments_of(n, node, word);
  fly_naming inner = *n;
  if (strcmp(section, "functions") == 0)
    inner.local = &local;
  if (node->kind == FLY_TREE_MAPPING)
    return change_mapping(&inner, type, node);
  const int value = type != NULL ? fly_parameter_find(type, "value") : -1;
  return value >= 0 ? change_row(&inner, &type->parameters[value], node)
                    : fly_naming_value(&inner, node, FLY_NAMING_EXPRESSION, NULL);
}

// ------------------------------------------------------------------------------------------ repetitions

static bool is_section(const char *name) { return fly_reader_knows(fly_sections, name); }

static bool change_item(const fly_naming *n, fly_tree_entry *entry, const void *section) {
  const bool repeat = strcmp(section, "repeat") == 0;
  const fly_tree_entry old = *entry;
  entry->key = fly_naming_key(n, &old);
  entry->value = repeat ? fly_naming_repeat(n, old.value) : fly_naming_element(n, section, &old);
  return entry->key != NULL && entry->value != NULL;
}

// The index is known below the sections that are repeated, not beside them.
static bool change_repeated(const fly_naming *n, fly_tree_entry *entry, const void *inner) {
  const bool section = is_section(entry->key) || strcmp(entry->key, "repeat") == 0;
  entry->value = section ? change_entries(inner, entry->value, change_item, entry->key)
                         : fly_naming_value(n, entry->value, kind_below(entry->key, FLY_NAMING_EXPRESSION), NULL);
  return entry->value != NULL;
}

const fly_tree_node *fly_naming_repeat(const fly_naming *n, const fly_tree_node *node) {
  const fly_tree_node *named = fly_tree_find(node, "index");
  const char *index = named != NULL && named->kind == FLY_TREE_SCALAR ? named->text : "i";
  const fly_local local = {1, &index, n->local};
  fly_naming inner = *n;
  inner.local = &local;
  return change_entries(n, node, change_repeated, &inner);
}
