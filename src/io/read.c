#include "io/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/format.h"
#include "io/forms.h"
#include "io/reader.h"
#include "io/tree_nodes.h"

enum { VERSION = 1 }; // of the model language

char *fly_path_beside(const char *file, const char *name) {
  const char *slash = strrchr(file, '/');
  const size_t folder = slash == NULL || name[0] == '/' ? 0 : (size_t)(slash - file) + 1;
  char *path = malloc(folder + strlen(name) + 1);
  if (path != NULL) {
    memcpy(path, file, folder);
    strcpy(path + folder, name);
  }
  return path;
}

// ------------------------------------------------------------------------------------------ the top

static bool check_top_key(fly_reader *r, const fly_tree_entry *entry) {
  const char *words[32];
  char list[300] = "", suggestion[100];
  int count = 0;
  for (; fly_top_keys[count].name != NULL; count++) {
    if (strcmp(entry->key, fly_top_keys[count].name) == 0)
      return true;
    const size_t used = strlen(list);
    words[count] = fly_top_keys[count].name;
    snprintf(list + used, sizeof list - used, count > 0 ? ", %s" : "%s", words[count]);
  }
  words[count] = NULL;
  fly_reader_suggest(suggestion, sizeof suggestion, entry->key, words);
  return fly_reader_fault_key(r, entry, "there is no section '%.60s'.%s A model has %s.", entry->key, suggestion, list);
}

static bool read_version(fly_reader *r, const fly_tree_node *root) {
  const fly_tree_node *node = fly_tree_find(root, "flyball");
  double version;
  if (node == NULL)
    return fly_reader_fault(r, root, "'flyball: %d' is missing: a model file begins with the version of its language.",
                            VERSION);
  if (!fly_tree_number(node, &version))
    return fly_reader_fault(r, node, "'flyball' takes the version of the language, %d, not %s.", VERSION,
                            fly_tree_kind_name(node));
  return version == VERSION ||
         fly_reader_fault(r, node, "this is version %.20s of the language; this program reads version %d.", node->text,
                          VERSION);
}

static bool read_title(fly_reader *r, const fly_tree_node *root, const char *key, const char **out) {
  const fly_tree_node *node = fly_tree_find(root, key);
  if (node == NULL)
    return true;
  const char *text = fly_reader_text(r, node, key, "a text");
  if (text == NULL)
    return false;
  *out = fly_spec_text(r->spec, text);
  return *out != NULL || fly_reader_no_memory(r);
}

static bool read_gravity(fly_reader *r, const fly_tree_node *root) {
  static const fly_parameter row = {
      .name = "gravity", .type = FLY_NUMBER, .count = 3, .unit = "m/s^2", .low = -INFINITY, .high = INFINITY};
  const fly_tree_node *node = fly_tree_find(root, "gravity");
  if (node == NULL)
    return true;
  if (fly_reader_numbers(r, node, &row, 3, 3) < 0)
    return false;
  memcpy(r->spec->gravity, r->number, sizeof r->spec->gravity);
  return true;
}

bool fly_reader_section(fly_reader *r, const fly_tree_node *root, const char *name, const fly_tree_node **out) {
  const fly_tree_node *node = fly_tree_find(root, name);
  *out = NULL;
  if (node == NULL || fly_tree_is_null(node))
    return true;
  if (node->kind != FLY_TREE_MAPPING)
    return fly_reader_fault(r, node, "'%s' takes a mapping {name: ...}, not %s.", name, fly_tree_kind_name(node));
  *out = node;
  return true;
}

// ------------------------------------------------------------------------------------------ simulate

static bool take_settings(fly_reader *r, int count) {
  fly_spec *s = r->spec;
  s->setting_key = fly_arena_take(&s->memory, (size_t)count, sizeof *s->setting_key);
  s->setting_text = fly_arena_take(&s->memory, (size_t)count, sizeof *s->setting_text);
  s->setting_place = fly_arena_take(&s->memory, (size_t)count, sizeof *s->setting_place);
  return !s->memory.failed || fly_reader_no_memory(r);
}

static bool is_list_of_words(const fly_tree_node *node) {
  double number;
  bool words = node->kind == FLY_TREE_SEQUENCE && node->count > 0;
  for (int k = 0; words && k < node->count; k++) {
    const fly_tree_node *one = node->entry[k].value;
    words = one->kind == FLY_TREE_SCALAR && one->text[0] != 0 && !fly_tree_number(one, &number);
  }
  return words;
}

// The words of a list with commas between them; NULL without memory.
static const char *join_words(fly_spec *spec, const fly_tree_node *node) {
  size_t size = 1;
  for (int k = 0; k < node->count; k++)
    size += strlen(node->entry[k].value->text) + 2;
  char *text = fly_arena_take(&spec->memory, size, 1);
  for (int k = 0; text != NULL && k < node->count; k++) {
    strcat(text, k > 0 ? ", " : "");
    strcat(text, node->entry[k].value->text);
  }
  return text;
}

// Kept as it is: what the keys mean is the business of the analysis.
static bool read_settings(fly_reader *r, const fly_tree_node *root) {
  const fly_tree_node *node;
  bool good = fly_reader_section(r, root, "simulate", &node);
  if (node == NULL || !take_settings(r, node->count))
    return good;
  fly_spec *s = r->spec;
  for (int k = 0; k < node->count && fly_reader_goes_on(r); k++) {
    const fly_tree_entry *entry = &node->entry[k];
    const bool list = is_list_of_words(entry->value);
    const char *text = list ? join_words(s, entry->value) : fly_reader_text(r, entry->value, entry->key, "one value");
    if (text == NULL) {
      good = false;
      continue;
    }
    good = (list || fly_reader_check_units(r, entry->value, entry->key)) && good;
    s->setting_key[s->nsetting] = fly_spec_text(s, entry->key);
    s->setting_text[s->nsetting] = fly_spec_text(s, text);
    s->setting_place[s->nsetting++] = fly_reader_place(r, entry->value);
  }
  return s->memory.failed ? fly_reader_no_memory(r) : good;
}

// ------------------------------------------------------------------------------------------ the sentence

static bool read_head(fly_reader *r, const fly_tree_node *root, int nset, const char *const *set) {
  const fly_tree_node *parameters;
  bool good = read_version(r, root);
  for (int k = 0; k < root->count && fly_reader_goes_on(r); k++)
    good = check_top_key(r, &root->entry[k]) && good;
  good = read_title(r, root, "name", &r->spec->name) && good;
  good = read_title(r, root, "text", &r->spec->text) && good;
  good = fly_reader_section(r, root, "parameters", &parameters) && good;
  return good && fly_reader_functions(r, root) && fly_reader_parameters(r, parameters, nset, set);
}

static bool read_body(fly_reader *r, const fly_tree_node *root) {
  const fly_tree_node *node;
  bool good = read_gravity(r, root), repeated = true;
  good = fly_reader_section(r, root, "tables", &node) && good;
  if (node != NULL)
    good = fly_reader_tables(r, node) && good;
  good = fly_reader_places(r) && good;
  for (int k = 0; fly_sections[k] != NULL && fly_reader_goes_on(r); k++) {
    good = fly_reader_section(r, root, fly_sections[k], &node) && good;
    if (node != NULL && strcmp(fly_sections[k], "functions") != 0)
      good = fly_reader_filled_items(r, fly_sections[k], node) && good;
    repeated = repeated && fly_reader_repetitions(r, root, fly_sections[k]);
  }
  good = fly_reader_goes_on(r) && good && repeated && fly_reader_reduced(r) && fly_reader_place_items(r) &&
         fly_reader_input_files(r) && fly_reader_equations(r) && fly_reader_blocks(r);
  return read_settings(r, root) && good;
}

// A fault in one part would bring forth others in those that build on it: they are read only if it is sound.
static fly_status read_tree(fly_reader *r, const fly_tree_node *root, int nset, const char *const *set) {
  const bool good =
      fly_reader_expand(r, root, &root) && read_head(r, root, nset, set) && read_body(r, root) && fly_reader_check(r);
  if (good)
    fly_reader_warn_hidden(r);
  if (r->spec->memory.failed)
    fly_reader_no_memory(r);
  if (!good && r->faults.status == FLY_OK)
    r->faults.status = fly_fail(r->faults.error, FLY_BAD_INPUT, NAN, "The model cannot be read.");
  if (r->faults.status != FLY_OK)
    fly_spec_free(r->spec);
  free(r->number);
  free(r->reference);
  free(r->node);
  fly_arena_free(&r->memory);
  return r->faults.status;
}

// Keeps the texts that were read, for the record of a run.
static fly_status keep_sources(fly_spec *spec, const fly_tree *tree, int nset, const char *const *set,
                               fly_error *error) {
  const fly_tree_memory *m = tree->memory;
  spec->source_path = fly_arena_take(&spec->memory, (size_t)m->nsource, sizeof *spec->source_path);
  spec->source_text = fly_arena_take(&spec->memory, (size_t)m->nsource, sizeof *spec->source_text);
  spec->set = fly_arena_take(&spec->memory, (size_t)nset, sizeof *spec->set);
  for (; !spec->memory.failed && spec->nsource < m->nsource; spec->nsource++) {
    fly_source *source = m->source[spec->nsource];
    spec->source_path[spec->nsource] = fly_spec_text(spec, source->path);
    spec->source_text[spec->nsource] = source->text;
    if (fly_arena_keep(&spec->memory, source->text))
      source->text = NULL; // it is not the tree's any more
  }
  for (; !spec->memory.failed && spec->nset < nset; spec->nset++)
    spec->set[spec->nset] = fly_spec_text(spec, set[spec->nset]);
  if (!spec->memory.failed)
    return FLY_OK;
  fly_spec_free(spec);
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the text of a model.");
}

// tree: of the text, unless that failed.
static fly_status read_all(fly_spec *spec, fly_tree *tree, bool files, const fly_read_options *o, fly_error *error) {
  fly_reader reader = {.spec = spec, .tree = tree, .files = files, .options = o, .faults = {.error = error}};
  spec->plugins = o->plugins;
  fly_status status = read_tree(&reader, tree->root, o->nset, o->set);
  if (status == FLY_OK)
    status = keep_sources(spec, tree, o->nset, o->set, error);
  fly_tree_free(tree);
  return status;
}

fly_status fly_model_read_with(fly_spec *spec, const char *file, const fly_read_options *o, fly_error *error) {
  const fly_format *format = fly_format_of(file, NULL, 0);
  fly_tree *tree;
  if (format)
    return fly_import_file(spec, format, file, o->nset, error);
  fly_spec_create(spec);
  const fly_status status = fly_tree_load(&tree, file, error);
  return status ? status : read_all(spec, tree, true, o, error);
}

fly_status fly_model_read(fly_spec *spec, const char *file, int nset, const char *const *set, fly_error *error) {
  return fly_model_read_with(spec, file, &(fly_read_options){.nset = nset, .set = set}, error);
}

fly_status fly_model_read_text(fly_spec *spec, const char *name, const char *text, size_t length, int nset,
                               const char *const *set, fly_error *error) {
  const fly_format *format = fly_format_of(name, text, length);
  fly_tree *tree;
  if (format)
    return fly_import_text(spec, format, name, text, length, nset, error);
  fly_spec_create(spec);
  const fly_status status = fly_tree_parse(&tree, name, text, length, error);
  return status ? status : read_all(spec, tree, false, &(fly_read_options){.nset = nset, .set = set}, error);
}
