// Faults of a model file: how they are reported and collected.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "flyball/words.h"
#include "io/forms.h"
#include "io/naming.h"
#include "io/read.h"

bool fly_reader_goes_on(const fly_reader *r) { return fly_faults_go_on(&r->faults); }

bool fly_reader_knows(const char *const *words, const char *word) {
  for (; words != NULL && *words != NULL; words++)
    if (strcmp(word, *words) == 0)
      return true;
  return false;
}

bool fly_reader_no_memory(fly_reader *r) {
  fly_faults_no_memory(&r->faults);
  return false;
}

char *fly_reader_path(fly_reader *r, const fly_tree_node *node) {
  if (!r->files) {
    fly_reader_fault(r, node, "only a model in a file can name others.");
    return NULL;
  }
  char *path = fly_path_beside(fly_tree_path(node), node->text);
  if (path == NULL)
    fly_reader_no_memory(r);
  return path;
}

// What a repetition makes wrong it makes wrong many times, and then all of it is read before it is checked: a place is
// told once.
static bool is_told(fly_reader *r, const fly_tree_node *node, int line, int column) {
  for (int k = 0; k < r->ntold; k++)
    if (r->told[k].line == line && r->told[k].column == column && r->told[k].source == node->source)
      return true;
  if ((r->checking || node->use != NULL) && r->ntold < FLY_FAULTS)
    r->told[r->ntold++] = (fly_told){node->source, line, column};
  return false;
}

// Of a part: who used it.
static void add_uses(const fly_tree_node *node, char *text, size_t size) {
  for (const fly_use *use = node->use; use != NULL; use = use->outer) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%spart '%.60s', used as '%.60s' at %.200s:%d:%d%s",
             use == node->use ? " (" : "; ", use->part, use->prefix, fly_tree_path(use->entry->value),
             use->entry->key_line, use->entry->key_column, use->outer == NULL ? ")" : "");
  }
}

// Which turn of a repetition it was.
static void add_indices(const fly_reader *r, char *text, size_t size) {
  for (int k = 0; k < r->nindex; k++) {
    const fly_expr_number *index = &r->parameter[r->spec->nparameter + k];
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%.60s = %.0f%s", k > 0 ? ", " : " (", index->name, index->value,
             k + 1 < r->nindex ? "" : ")");
  }
}

bool fly_reader_note_use(fly_reader *r, fly_item *item, const fly_tree_node *node) {
  char text[300];
  if (node->use == NULL)
    return true;
  const fly_tree_entry *entry = node->use->entry;
  snprintf(text, sizeof text, "%.250s:%d:%d", fly_tree_path(entry->value), entry->key_line, entry->key_column);
  item->used = fly_spec_text(r->spec, text);
  return item->used != NULL || fly_reader_no_memory(r);
}

// key: the fault is in the key of the entry, else in its value.
static bool fault_at(fly_reader *r, const fly_tree_entry *entry, bool key, const char *format, va_list arguments) {
  char text[1200];
  fly_error one;
  vsnprintf(text, 700, format, arguments);
  const fly_tree_node *node = entry->value;
  if (is_told(r, node, key ? entry->key_line : node->line, key ? entry->key_column : node->column))
    return false;
  add_indices(r, text, sizeof text);
  add_uses(node, text, sizeof text);
  if (key)
    fly_tree_fail_key(entry, &one, "%s", text);
  else
    fly_tree_fail(node, &one, "%s", text);
  fly_faults_add(&r->faults, &one);
  return false;
}

bool fly_reader_fault(fly_reader *r, const fly_tree_node *node, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fault_at(r, &(fly_tree_entry){.value = node}, false, format, arguments);
  va_end(arguments);
  return false;
}

bool fly_reader_fault_key(fly_reader *r, const fly_tree_entry *entry, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fault_at(r, entry, true, format, arguments);
  va_end(arguments);
  return false;
}

bool fly_reader_fault_text(fly_reader *r, const char *format, ...) {
  char text[1000];
  fly_error one;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fly_fail(&one, FLY_BAD_INPUT, NAN, "%s", text);
  fly_faults_add(&r->faults, &one);
  return false;
}

// ------------------------------------------------------------------------------------------ nearest words

void fly_reader_suggest(char *text, size_t size, const char *typed, const char *const *words) {
  const char *nearest = fly_nearest_word(typed, words);
  if (nearest != NULL)
    snprintf(text, size, " Did you mean '%s'?", nearest);
  else
    snprintf(text, size, "%s", "");
}

void fly_reader_suggest_row(char *text, size_t size, const char *typed, const fly_parameter *rows) {
  const char *words[64] = {"type"};
  int count = 1;
  for (int k = 0; rows[k].name != NULL && count < 63; k++)
    words[count++] = rows[k].name;
  words[count] = NULL;
  fly_reader_suggest(text, size, typed, words);
}

// ------------------------------------------------------------------------------------------ places and names

// The path of a tree dies with it: the spec keeps its own.
static const char *kept_path(fly_reader *r, const fly_tree_node *node) {
  const char *path = fly_tree_path(node);
  if (r->path == NULL || (path != r->path && strcmp(path, r->path) != 0)) {
    r->path_copy = fly_spec_text(r->spec, path);
    r->path = r->path_copy;
  }
  return r->path_copy;
}

fly_place fly_reader_place(fly_reader *r, const fly_tree_node *node) {
  return (fly_place){kept_path(r, node), node->line, node->column};
}

fly_place fly_reader_key_place(fly_reader *r, const fly_tree_entry *entry) {
  return (fly_place){kept_path(r, entry->value), entry->key_line, entry->key_column};
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static size_t name_length(const char *s) {
  size_t length = 0;
  while (is_letter(s[length]) || (length > 0 && is_digit(s[length])))
    length++;
  return length;
}

bool fly_reader_check_name(fly_reader *r, const fly_tree_entry *entry, const char *what) {
  const char *s = entry->key;
  size_t length = name_length(s);
  while (length > 0 && s[length] == '.') { // what parts make: speed.out
    s += length + 1;
    length = name_length(s);
  }
  const bool good = length > 0 && s[length] == 0;
  if (good && !fly_expr_is_word(entry->key)) // time, and, or, not
    return fly_reader_fault_key(r, entry,
                                "'%.60s' cannot be the name of %s %s: it has a meaning of its own in expressions.",
                                entry->key, fly_article(what), what);
  if (good)
    return true;
  return fly_reader_fault_key(r, entry,
                              "'%.60s' cannot be the name of %s %s: names are letters, digits and _, and do not begin "
                              "with a digit, so that references and expressions can use them.",
                              entry->key, fly_article(what), what);
}
