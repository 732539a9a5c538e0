#include "model/spec.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "expr/expr.h"

void fly_spec_create(fly_spec *spec) { *spec = (fly_spec){0}; }

void fly_spec_free(fly_spec *spec) {
  fly_arena_free(&spec->memory);
  *spec = (fly_spec){0};
}

static const char *copy_text(fly_spec *spec, const char *text, size_t length) {
  char *copy = fly_arena_take(&spec->memory, length + 1, 1);
  if (copy)
    memcpy(copy, text, length); // the arena gives zeros: the text is ended
  return copy;
}

const char *fly_spec_text(fly_spec *spec, const char *text) { return copy_text(spec, text, strlen(text)); }

// ------------------------------------------------------------------------------------------ the index
//
// Open addressing, at most half full. With its hash beside it an entry is told from others without a look at their
// names, which lie all over the memory.

typedef struct fly_spec_slot {
  int entry; // n > 0 is the name of item n - 1; n < 0 says that item -n - 1 is the first of its type; 0 is empty
  uint32_t hash;
} slot;

static uint32_t hash_text(uint32_t hash, const char *text) {
  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * 16777619u; // FNV-1a
  return hash * 16777619u;                            // the end counts too: "a" "bc" is not "ab" "c"
}

static uint32_t hash_name(const char *section, const char *name) {
  return hash_text(hash_text(2166136261u, section), name);
}

static uint32_t hash_type(const fly_element_type *type) { return ~hash_name(type->section, type->name); }

static slot *next_slot(const fly_spec *spec, slot *at) {
  return at + 1 == spec->index + spec->index_capacity ? spec->index : at + 1;
}

static slot *first_slot(const fly_spec *spec, uint32_t hash) {
  return spec->index + hash % (uint32_t)spec->index_capacity;
}

// Where a name is in the index, or the empty slot where it belongs. There is an index.
static slot *slot_of_name(const fly_spec *spec, uint32_t hash, const char *section, const char *name) {
  slot *at = first_slot(spec, hash);
  for (; at->entry != 0; at = next_slot(spec, at)) {
    if (at->entry < 0 || at->hash != hash)
      continue;
    const fly_item *item = &spec->item[at->entry - 1];
    if (strcmp(item->name, name) == 0 && strcmp(item->type->section, section) == 0)
      break;
  }
  return at;
}

static slot *slot_of_type(const fly_spec *spec, const fly_element_type *type) {
  slot *at = first_slot(spec, hash_type(type));
  for (; at->entry != 0; at = next_slot(spec, at))
    if (at->entry < 0 && spec->item[-at->entry - 1].type == type)
      break;
  return at;
}

static bool grow_index(fly_spec *spec) {
  const slot *old = spec->index;
  const int old_capacity = spec->index_capacity;
  if (old_capacity > INT_MAX / 2)
    return false;
  slot *index = fly_arena_take(&spec->memory, old_capacity > 0 ? 2 * (size_t)old_capacity : 64, sizeof *index);
  if (!index)
    return false;
  spec->index = index;
  spec->index_capacity = old_capacity > 0 ? 2 * old_capacity : 64;
  for (int k = 0; k < old_capacity; k++) {
    if (old[k].entry == 0)
      continue;
    slot *at = first_slot(spec, old[k].hash);
    while (at->entry != 0)
      at = next_slot(spec, at);
    *at = old[k];
  }
  return true;
}

static bool grow_items(fly_spec *spec) {
  if (spec->item_capacity > INT_MAX / 4)
    return false;
  const int capacity = spec->item_capacity > 0 ? 2 * spec->item_capacity : 16;
  fly_item *item = fly_arena_take(&spec->memory, (size_t)capacity, sizeof *item);
  if (!item)
    return false;
  if (spec->nitem > 0)
    memcpy(item, spec->item, (size_t)spec->nitem * sizeof *item);
  spec->item = item;
  spec->item_capacity = capacity;
  return true;
}

// Room for one more item and its two entries in the index.
static bool reserve(fly_spec *spec) {
  if (spec->nitem == spec->item_capacity && !grow_items(spec))
    return false;
  return 4 * (spec->nitem + 1) <= spec->index_capacity || grow_index(spec);
}

fly_item *fly_spec_find(const fly_spec *spec, const char *section, const char *name) {
  if (spec->index_capacity == 0)
    return NULL;
  const int entry = slot_of_name(spec, hash_name(section, name), section, name)->entry;
  return entry > 0 ? &spec->item[entry - 1] : NULL;
}

// ------------------------------------------------------------------------------------------ fallbacks
//
// They are parsed once a type, with its first item; those that follow share them.

static int rows_of(const fly_element_type *type) {
  int rows = 0;
  while (type->parameters[rows].name)
    rows++;
  return rows;
}

static bool is_numeric(fly_value_type type) { return type == FLY_NUMBER || type == FLY_ORIENTATION; }

// Ends of the next piece of a list: up to a comma outside parentheses, or the end of the text.
static const char *piece_end(const char *text, const char *end) {
  int open = 0;
  for (; text < end && (*text != ',' || open > 0); text++)
    open += *text == '(' ? 1 : *text == ')' ? -1 : 0;
  return text;
}

// Value of the expression without parameters in [text, end); false: out of memory. The tables are ours, and tested.
static bool constant(double *value, const char *text, const char *end) {
  char copy[200];
  assert(end - text < (long)sizeof copy);
  snprintf(copy, sizeof copy, "%.*s", (int)(end - text), text);
  const fly_expr_scope scope = fly_expr_scope_default();
  const fly_status status = fly_expr_evaluate(value, copy, &scope, NULL);
  assert(status == FLY_OK || status == FLY_NO_MEMORY);
  return status == FLY_OK;
}

// "0" or "[0, 0, 0]" to numbers, or only their count if out is NULL; -1: out of memory.
static int parse_numbers(double *out, const char *text) {
  const char *end = text + strlen(text);
  int count = 0;
  if (*text == '[') {
    text++;
    end--;
  }
  while (text < end) {
    const char *piece = piece_end(text, end);
    if (out && !constant(&out[count], text, piece))
      return -1;
    count++;
    text = piece + 1;
  }
  return count;
}

static bool parse_fallback(fly_spec *spec, fly_value *value, const fly_parameter *row) {
  if (!row->fallback)
    return true;
  value->count = 1;
  if (is_numeric(row->type)) {
    value->count = parse_numbers(NULL, row->fallback);
    double *number = fly_arena_doubles(&spec->memory, (size_t)value->count);
    value->number = number;
    return number && parse_numbers(number, row->fallback) >= 0;
  }
  const char **word = fly_arena_take(&spec->memory, 1, sizeof *word);
  if (word)
    word[0] = row->fallback;
  value->word = word;
  return word != NULL;
}

// What a new item of the type has where nothing is given; NULL: out of memory.
static const fly_value *fallbacks(fly_spec *spec, const fly_element_type *type) {
  if (spec->nitem > 0 && spec->item[spec->nitem - 1].type == type) // as mostly
    return spec->item[spec->nitem - 1].fallback;
  const int rows = rows_of(type), first = -slot_of_type(spec, type)->entry - 1;
  if (first >= 0)
    return spec->item[first].fallback;
  fly_value *value = fly_arena_take(&spec->memory, (size_t)rows, sizeof *value);
  for (int k = 0; value && k < rows; k++) {
    value[k].parameter = k;
    if (!parse_fallback(spec, &value[k], &type->parameters[k]))
      return NULL;
  }
  return value;
}

// ------------------------------------------------------------------------------------------ items

static fly_status name_taken(const fly_item *other, fly_place place, fly_error *error) {
  char here[300], there[300];
  fly_place_text(here, sizeof here, place);
  fly_place_text(there, sizeof there, other->place);
  const size_t length = strlen(there);
  if (length >= 2)
    there[length - 2] = 0; // ": "
  return fly_fail(error, FLY_BAD_INPUT, NAN, "%sThe name '%s' is taken in %s%s%s.", here, other->name,
                  other->type->section, length ? ", by " : "", there);
}

// The item that was added last may be the first of its type.
static void note_type(fly_spec *spec, const fly_element_type *type) {
  slot *at = slot_of_type(spec, type);
  if (at->entry == 0)
    *at = (slot){-spec->nitem, hash_type(type)};
}

fly_item *fly_spec_add(fly_spec *spec, const fly_element_type *type, const char *name, fly_place place,
                       fly_error *error) {
  const fly_item *other = fly_spec_find(spec, type->section, name);
  if (other) {
    name_taken(other, place, error);
    return NULL;
  }
  const char *copy = fly_spec_text(spec, name);
  const fly_value *fallback = copy && reserve(spec) ? fallbacks(spec, type) : NULL;
  if (!fallback) {
    fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d elements.", spec->nitem + 1);
    return NULL;
  }
  fly_item *item = &spec->item[spec->nitem++];
  *item = (fly_item){.type = type, .name = copy, .place = place, .fallback = fallback};
  const uint32_t hash = hash_name(type->section, copy);
  *slot_of_name(spec, hash, type->section, copy) = (slot){spec->nitem, hash};
  if (spec->nitem == 1 || item[-1].type != type) // else it is not the first
    note_type(spec, type);
  return item;
}

// Its own value; NULL: none.
static fly_value *own_value(const fly_item *item, int parameter) {
  for (int k = 0; k < item->nown; k++)
    if (item->own[k].parameter == parameter)
      return &item->own[k];
  return NULL;
}

const fly_value *fly_item_row(const fly_item *item, int parameter) {
  const fly_value *own = own_value(item, parameter);
  return own ? own : &item->fallback[parameter];
}

// Most items have few: room for four, then doubled.
fly_value *fly_spec_own_value(fly_spec *spec, fly_item *item, int parameter) {
  fly_value *own = own_value(item, parameter);
  const int n = item->nown;
  if (own)
    return own;
  if (n == 0 || (n >= 4 && (n & (n - 1)) == 0)) {
    fly_value *room = fly_arena_take(&spec->memory, n > 0 ? 2 * (size_t)n : 4, sizeof *room);
    if (!room)
      return NULL;
    if (n > 0)
      memcpy(room, item->own, (size_t)n * sizeof *room);
    item->own = room;
  }
  item->own[n] = item->fallback[parameter];
  return &item->own[item->nown++];
}

static fly_value *give(fly_spec *spec, fly_item *item, int parameter, int count, fly_place place) {
  fly_value *value = fly_spec_own_value(spec, item, parameter);
  if (!value)
    return NULL;
  value->given = true;
  value->place = place;
  value->count = count;
  return value;
}

bool fly_spec_set_numbers(fly_spec *spec, fly_item *item, int parameter, int count, const double *number,
                          fly_place place) {
  double *copy = fly_arena_doubles(&spec->memory, (size_t)count);
  fly_value *value = copy ? give(spec, item, parameter, count, place) : NULL;
  if (!value)
    return false;
  if (count > 0)
    memcpy(copy, number, (size_t)count * sizeof *copy);
  value->number = copy;
  return true;
}

// One block: the pointers, and behind them the texts.
static const char **copy_words(fly_spec *spec, int count, const char *const *word) {
  size_t size = (size_t)count * sizeof *word;
  for (int k = 0; k < count; k++)
    size += strlen(word[k]) + 1;
  char *block = fly_arena_take(&spec->memory, size, 1);
  if (!block)
    return NULL;
  const char **copy = (const char **)(void *)block;
  char *text = block + (size_t)count * sizeof *word;
  for (int k = 0; k < count; k++) {
    copy[k] = strcpy(text, word[k]);
    text += strlen(text) + 1;
  }
  return copy;
}

bool fly_spec_set_words(fly_spec *spec, fly_item *item, int parameter, int count, const char *const *word,
                        fly_place place) {
  const char **copy = copy_words(spec, count, word);
  fly_value *value = copy ? give(spec, item, parameter, count, place) : NULL;
  if (!value)
    return false;
  value->word = copy;
  return true;
}

bool fly_spec_place_words(fly_spec *spec, fly_item *item, int parameter, const fly_place *at) {
  fly_value *value = fly_spec_own_value(spec, item, parameter);
  fly_place *copy = value ? fly_arena_take(&spec->memory, (size_t)value->count, sizeof *copy) : NULL;
  if (!copy)
    return false;
  memcpy(copy, at, (size_t)value->count * sizeof *copy);
  value->at = copy;
  return true;
}

// Room is doubled whenever the count is a power of two.
bool fly_spec_add_marker(fly_spec *spec, fly_item *body, const fly_spec_marker *marker) {
  const int n = body->nmarker;
  if ((n & (n - 1)) == 0) {
    fly_spec_marker *room = fly_arena_take(&spec->memory, n > 0 ? 2 * (size_t)n : 1, sizeof *room);
    if (!room)
      return false;
    if (n > 0)
      memcpy(room, body->marker, (size_t)n * sizeof *room);
    body->marker = room;
  }
  const char *name = fly_spec_text(spec, marker->name);
  if (!name)
    return false;
  body->marker[n] = *marker;
  body->marker[n].name = name;
  body->nmarker++;
  return true;
}

// ------------------------------------------------------------------------------------------ values

// Its own of that name; NULL: none. Few are given, so they are looked through before the table is.
static const fly_value *own_named(const fly_item *item, const char *parameter) {
  for (int k = 0; k < item->nown; k++)
    if (fly_parameter_is(&item->type->parameters[item->own[k].parameter], parameter))
      return &item->own[k];
  return NULL;
}

const fly_value *fly_item_value(const fly_item *item, const char *parameter) {
  const fly_value *own = own_named(item, parameter);
  if (own)
    return own;
  const int k = fly_parameter_find(item->type, parameter);
  assert(k >= 0);
  return &item->fallback[k];
}

bool fly_item_given(const fly_item *item, const char *parameter) {
  const fly_value *own = own_named(item, parameter);
  return own && own->given;
}

double fly_item_number(const fly_item *item, const char *parameter) {
  double number;
  fly_item_numbers(item, parameter, 1, &number);
  return number;
}

// What is neither given nor has a fallback is NAN.
void fly_item_numbers(const fly_item *item, const char *parameter, int count, double *out) {
  const fly_value *value = fly_item_value(item, parameter);
  for (int k = 0; k < count; k++)
    out[k] = value->number && k < value->count ? value->number[k] : (double)NAN;
}

const char *fly_item_word(const fly_item *item, const char *parameter, int k) {
  const fly_value *value = fly_item_value(item, parameter);
  return value->word && k < value->count ? value->word[k] : NULL;
}

static bool are_same(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

const fly_spec_mesh *fly_spec_mesh_find(const fly_spec *spec, const char *word, const char *file) {
  const fly_spec_mesh *m = spec->mesh;
  while (m && !(strcmp(m->word, word) == 0 && are_same(m->file, file)))
    m = m->next;
  return m;
}
