#include "io/tree.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "io/tree_nodes.h"

// ------------------------------------------------------------------------------------------------ memory

fly_status fly_tree_no_memory(fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Not enough memory for the model file.");
}

fly_status fly_tree_create(fly_tree **out, fly_error *error) {
  fly_tree *tree = calloc(1, sizeof *tree);
  fly_tree_memory *memory = calloc(1, sizeof *memory);
  *out = tree;
  if (tree == NULL || memory == NULL) {
    free(tree);
    free(memory);
    *out = NULL;
    return fly_tree_no_memory(error);
  }
  tree->memory = memory;
  return FLY_OK;
}

void fly_tree_free(fly_tree *tree) {
  if (tree == NULL)
    return;
  fly_tree_memory *memory = tree->memory;
  for (int i = 0; i < memory->nsource; i++) {
    fly_source_free(memory->source[i]);
    free(memory->source[i]);
  }
  free(memory->source);
  free(memory->part);
  fly_arena_free(&memory->arena);
  free(memory);
  free(tree);
}

// Takes a new block, each twice as large as the one before up to a megabyte, and large enough.
static bool new_block(fly_tree_memory *memory, size_t needed) {
  const size_t smallest = 1 << 14, largest = 1 << 20;
  size_t size = memory->size == 0 ? smallest : memory->size < largest ? 2 * memory->size : largest;
  memory->size = size;
  memory->left = needed > size ? needed : size;
  memory->free = fly_arena_take(&memory->arena, memory->left, 1);
  if (memory->free == NULL)
    memory->left = 0;
  return memory->free != NULL;
}

static void *take(fly_tree *tree, size_t size, size_t alignment) {
  fly_tree_memory *memory = tree->memory;
  size_t skip = (alignment - (uintptr_t)memory->free % alignment) % alignment;
  if (memory->left < size + skip) {
    if (!new_block(memory, size))
      return NULL;
    skip = 0;
  }
  void *taken = memory->free + skip;
  memory->free += size + skip;
  memory->left -= size + skip;
  return taken;
}

void *fly_tree_take(fly_tree *tree, size_t size) { return take(tree, size, sizeof(void *)); }

char *fly_tree_take_text(fly_tree *tree, size_t size) { return take(tree, size, 1); }

char *fly_tree_copy_text(fly_tree *tree, const char *text, size_t length) {
  char *copy = fly_tree_take_text(tree, length + 1);
  if (copy != NULL && length > 0)
    memcpy(copy, text, length);
  return copy;
}

fly_source *fly_tree_add_source(fly_tree *tree) {
  fly_tree_memory *memory = tree->memory;
  if (!fly_reserve(&memory->source, &memory->capacity, memory->nsource + 1, sizeof(fly_source *)))
    return NULL;
  fly_source *source = calloc(1, sizeof *source);
  if (source != NULL)
    memory->source[memory->nsource++] = source;
  return source;
}

fly_status fly_tree_add_part(fly_tree *tree, const fly_tree_node *part, fly_error *error) {
  fly_tree_memory *memory = tree->memory;
  if (tree->nparts == FLY_TREE_PARTS)
    return fly_tree_fail(part, error, "there are more than %d parts.", FLY_TREE_PARTS);
  if (!fly_reserve(&memory->part, &memory->part_capacity, tree->nparts + 1, sizeof(fly_tree_node *)))
    return fly_tree_no_memory(error);
  memory->part[tree->nparts++] = part;
  tree->part = memory->part;
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------------ keys

enum { SMALL = 8 }; // mappings of so many entries are searched one by one

// A table of slots for so many entries: a power of two, at least twice as many. A slot holds the number of an entry
// from 1, or 0.
static int slots_for(int count) {
  int slots = 2 * SMALL;
  while (slots / 2 < count)
    slots *= 2;
  return slots;
}

static uint64_t hash_of(const char *key) { // FNV-1a
  uint64_t hash = 14695981039346656037u;
  for (; *key != 0; key++)
    hash = (hash ^ (unsigned char)*key) * 1099511628211u;
  return hash ^ hash >> 32;
}

// The slot of a key, or the free one where it belongs.
static int find_slot(const int *slot, int slots, const fly_tree_entry *entry, const char *key) {
  int at = (int)(hash_of(key) & (uint64_t)(slots - 1));
  while (slot[at] != 0 && strcmp(entry[slot[at] - 1].key, key) != 0)
    at = (at + 1) & (slots - 1);
  return at;
}

fly_tree_entry *fly_tree_table_find(const fly_tree_table *table, const char *key) {
  if (table->count == 0)
    return NULL;
  int number = table->slot[find_slot(table->slot, slots_for(table->capacity), table->entry, key)];
  return number > 0 ? &table->entry[number - 1] : NULL;
}

static bool table_grow(fly_tree_table *table) {
  int capacity = table->capacity > 0 ? 2 * table->capacity : SMALL, slots = slots_for(capacity);
  fly_tree_entry *entry = realloc(table->entry, (size_t)capacity * sizeof *entry);
  if (entry == NULL)
    return false;
  table->entry = entry;
  int *slot = calloc((size_t)slots, sizeof *slot);
  if (slot == NULL)
    return false;
  free(table->slot);
  table->slot = slot;
  table->capacity = capacity;
  for (int i = 0; i < table->count; i++)
    slot[find_slot(slot, slots, entry, entry[i].key)] = i + 1;
  return true;
}

bool fly_tree_table_add(fly_tree_table *table, fly_tree_entry entry) {
  if (table->count == table->capacity && !table_grow(table))
    return false;
  table->slot[find_slot(table->slot, slots_for(table->capacity), table->entry, entry.key)] = table->count + 1;
  table->entry[table->count++] = entry;
  return true;
}

void fly_tree_table_free(fly_tree_table *table) {
  free(table->entry);
  free(table->slot);
  *table = (fly_tree_table){0};
}

static const fly_tree_entry *search(const fly_tree_entry *entry, int count, const char *key) {
  for (int i = 0; i < count; i++)
    if (entry[i].key[0] == key[0] && strcmp(entry[i].key, key) == 0)
      return &entry[i];
  return NULL;
}

fly_status fly_tree_given_twice(const fly_tree_entry *first, const fly_tree_entry *second, fly_error *error) {
  const fly_source *source = first->value->source;
  if (source == second->value->source)
    return fly_tree_fail_key(second, error, "'%s' is given twice, first on line %d.", second->key, first->key_line);
  return fly_tree_fail_key(second, error, "'%s' is given twice, first at %s:%d:%d.", second->key, source->path,
                           first->key_line, first->key_column);
}

// The table of a large mapping; stops at the first key that is there already.
static fly_status index_keys(fly_tree *tree, fly_tree_node *node, fly_error *error) {
  int slots = slots_for(node->count);
  int *slot = fly_tree_take(tree, (size_t)slots * sizeof *slot);
  if (slot == NULL)
    return fly_tree_no_memory(error);
  for (int i = 0; i < node->count; i++) {
    int at = find_slot(slot, slots, node->entry, node->entry[i].key);
    if (slot[at] != 0)
      return fly_tree_given_twice(&node->entry[slot[at] - 1], &node->entry[i], error);
    slot[at] = i + 1;
  }
  node->slot = slot;
  return FLY_OK;
}

static fly_status compare_keys(const fly_tree_node *node, fly_error *error) {
  for (int i = 1; i < node->count; i++) {
    const fly_tree_entry *first = search(node->entry, i, node->entry[i].key);
    if (first != NULL)
      return fly_tree_given_twice(first, &node->entry[i], error);
  }
  return FLY_OK;
}

fly_status fly_tree_close(fly_tree *tree, fly_tree_node *node, const fly_tree_entry *entry, int count,
                          fly_error *error) {
  fly_tree_entry *copy = fly_tree_take(tree, (size_t)count * sizeof *copy);
  if (copy == NULL)
    return fly_tree_no_memory(error);
  if (count > 0)
    memcpy(copy, entry, (size_t)count * sizeof *copy);
  node->entry = copy;
  node->count = count;
  if (node->kind != FLY_TREE_MAPPING)
    return FLY_OK;
  return count > SMALL ? index_keys(tree, node, error) : compare_keys(node, error);
}

const fly_tree_entry *fly_tree_find_entry(const fly_tree_node *node, const char *key) {
  if (node == NULL || node->kind != FLY_TREE_MAPPING)
    return NULL;
  if (node->slot == NULL)
    return search(node->entry, node->count, key);
  int number = node->slot[find_slot(node->slot, slots_for(node->count), node->entry, key)];
  return number > 0 ? &node->entry[number - 1] : NULL;
}

const fly_tree_node *fly_tree_find(const fly_tree_node *node, const char *key) {
  const fly_tree_entry *entry = fly_tree_find_entry(node, key);
  return entry != NULL ? entry->value : NULL;
}

// ------------------------------------------------------------------------------------------------ scalars

static bool is_plain(const fly_tree_node *node) { return node->kind == FLY_TREE_SCALAR && !node->quoted; }

bool fly_tree_is_null(const fly_tree_node *node) {
  if (!is_plain(node))
    return false;
  const char first = node->text[0]; // tells most of what is asked apart
  return first == 0 || (first == '~' && node->text[1] == 0) || (first == 'n' && strcmp(node->text, "null") == 0);
}

bool fly_tree_bool(const fly_tree_node *node, bool *value) {
  if (!is_plain(node) || (node->text[0] != 't' && node->text[0] != 'f'))
    return false;
  *value = strcmp(node->text, "true") == 0;
  return *value || strcmp(node->text, "false") == 0;
}

static const char *skip_digits(const char *s, int *digits) {
  for (; *s >= '0' && *s <= '9'; s++)
    ++*digits;
  return s;
}

// [-+]? digits? ( . digits? )? ( [eE] [-+]? digits )?  with a digit before the exponent
static bool looks_like_number(const char *s) {
  int digits = 0, exponent = 0;
  s += *s == '-' || *s == '+';
  s = skip_digits(s, &digits);
  if (*s == '.')
    s = skip_digits(s + 1, &digits);
  if (digits > 0 && (*s == 'e' || *s == 'E')) {
    s++;
    s += *s == '-' || *s == '+';
    s = skip_digits(s, &exponent);
    return *s == 0 && exponent > 0;
  }
  return *s == 0 && digits > 0;
}

// .inf, -.inf, .nan
static bool not_finite(const char *s, double *value) {
  bool negative = *s == '-';
  if (*s != '.' && (*s == 0 || s[1] != '.'))
    return false;
  bool number = strcmp(s, ".nan") == 0;
  *value = NAN;
  s += *s == '-' || *s == '+';
  if (strcmp(s, ".inf") == 0) {
    *value = negative ? -INFINITY : INFINITY;
    return true;
  }
  return number;
}

bool fly_tree_number(const fly_tree_node *node, double *value) {
  if (!is_plain(node))
    return false;
  if (not_finite(node->text, value))
    return true;
  return looks_like_number(node->text) && fly_number_parse(node->text, strlen(node->text), value);
}

// ------------------------------------------------------------------------------------------------ messages

const char *fly_tree_kind_name(const fly_tree_node *node) {
  double number;
  bool truth;
  if (node->kind == FLY_TREE_SCALAR)
    return fly_tree_is_null(node)           ? "nothing"
           : fly_tree_number(node, &number) ? "a number"
           : fly_tree_bool(node, &truth)    ? "true or false"
                                            : "a text";
  return node->kind == FLY_TREE_SEQUENCE ? "a list" : "a mapping";
}

const char *fly_tree_path(const fly_tree_node *node) { return node->source->path; }

fly_status fly_tree_fail(const fly_tree_node *node, fly_error *error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fly_status status = fly_source_fail(node->source, node->line, node->column, error, format, arguments);
  va_end(arguments);
  return status;
}

fly_status fly_tree_fail_key(const fly_tree_entry *entry, fly_error *error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fly_status status =
      fly_source_fail(entry->value->source, entry->key_line, entry->key_column, error, format, arguments);
  va_end(arguments);
  return status;
}
