// Parts as they are written: finding the one that a use names, and what a document of a part may hold.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/forms.h"
#include "io/naming.h"
#include "io/parts.h"

bool fly_is_made_section(const char *name) {
  for (int k = 0; fly_sections[k] != NULL; k++)
    if (strcmp(name, fly_sections[k]) == 0)
      return true;
  return strcmp(name, "parameters") == 0 || strcmp(name, "tables") == 0 || strcmp(name, "repeat") == 0;
}

bool fly_is_use_key(const char *name) {
  for (int k = 0; k < FLY_USE_ROWS; k++)
    if (strcmp(name, fly_use_form[k].name) == 0)
      return true;
  return false;
}

// ------------------------------------------------------------------------------------------ finding parts

static bool is_file(const char *name) {
  static const char *const endings[] = {".yaml", ".yml", ".json"};
  const size_t length = strlen(name);
  for (int k = 0; k < 3; k++)
    if (length > strlen(endings[k]) && strcmp(name + length - strlen(endings[k]), endings[k]) == 0)
      return true;
  return strchr(name, '/') != NULL;
}

const char *fly_part_name(const fly_tree_node *part) {
  const fly_tree_node *name = fly_tree_find(part, "part");
  return name != NULL && name->kind == FLY_TREE_SCALAR ? name->text : "";
}

static bool no_part(fly_reader *r, const fly_tree_node *named) {
  const fly_tree *tree = r->tree;
  const char **words = calloc((size_t)tree->nparts + (size_t)fly_shipped_part_count + 1, sizeof *words);
  char suggestion[100];
  int count = 0;
  if (words == NULL)
    return fly_reader_no_memory(r);
  for (int k = 0; k < tree->nparts; k++)
    words[count++] = fly_part_name(tree->part[k]);
  for (int k = 0; k < fly_shipped_part_count; k++)
    words[count++] = fly_shipped_parts[k].name;
  fly_reader_suggest(suggestion, sizeof suggestion, named->text, words);
  free(words);
  return fly_reader_fault(
      r, named,
      "there is no part '%.60s' in this file, and none comes with the program.%s A part in a file of "
      "its own is used by the name of the file, as corner.yaml.",
      named->text, suggestion);
}

// A part of the same file, or of the model and what it includes; NULL: none, or (*twice) two.
static const fly_tree_node *find_document(fly_reader *r, const fly_tree_node *named, const fly_tree_node **twice) {
  const fly_tree *tree = r->tree;
  const fly_tree_node *found = NULL;
  *twice = NULL;
  for (int own = 1; own >= 0 && found == NULL; own--)
    for (int k = 0; k < tree->nparts; k++) {
      const fly_tree_node *part = tree->part[k];
      if (strcmp(fly_part_name(part), named->text) != 0 || (own ? part->source != named->source : k >= r->own_parts))
        continue;
      *twice = found != NULL ? part : *twice;
      found = part;
    }
  return found;
}

static const fly_tree_node *from_elsewhere(fly_reader *r, const fly_tree_node *named) {
  const fly_tree_node *part = NULL;
  fly_error one = {0};
  fly_status status = FLY_OK;
  if (is_file(named->text) && !r->files) {
    fly_reader_fault(r, named, "only a model in a file can name others.");
    return NULL;
  }
  if (is_file(named->text))
    status = fly_tree_load_part(r->tree, &part, named, &one);
  for (int k = 0; k < fly_shipped_part_count && part == NULL && status == FLY_OK; k++)
    if (strcmp(fly_shipped_parts[k].name, named->text) == 0) {
      char path[100];
      snprintf(path, sizeof path, "parts/%.80s.yaml", named->text);
      status = fly_tree_parse_part(r->tree, &part, path, fly_shipped_parts[k].text, fly_shipped_parts[k].length, &one);
    }
  if (status == FLY_NO_MEMORY)
    fly_reader_no_memory(r);
  else if (status != FLY_OK)
    fly_reader_fault_text(r, "%s", one.message);
  else if (part == NULL)
    no_part(r, named);
  return part;
}

const fly_tree_node *fly_reader_find_part(fly_reader *r, const fly_tree_node *named) {
  const fly_tree_node *twice, *part = find_document(r, named, &twice);
  if (twice != NULL) {
    fly_reader_fault(r, fly_tree_find(twice, "part"), "there are two parts '%.60s'.", named->text);
    return NULL;
  }
  return part != NULL ? part : from_elsewhere(r, named);
}

// ------------------------------------------------------------------------------------------ a part as it is written

static bool check_part_key(fly_reader *r, const fly_tree_entry *entry) {
  if (fly_is_part_key(entry->key))
    return true;
  if (fly_is_top_key(entry->key))
    return fly_reader_fault_key(r, entry, "a part takes no '%s'; that is the business of the model.", entry->key);
  char list[300] = "", suggestion[100];
  const char *words[40];
  int count = 0;
  for (const fly_top_key *key = fly_part_keys; key->name != NULL; key++)
    words[count++] = key->name;
  for (const fly_top_key *key = fly_top_keys; key->name != NULL && count < 39; key++)
    if (fly_is_part_key(key->name))
      words[count++] = key->name;
  words[count] = NULL;
  for (int k = 0; k < count; k++) {
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, k > 0 ? ", %s" : "%s", words[k]);
  }
  fly_reader_suggest(suggestion, sizeof suggestion, entry->key, words);
  return fly_reader_fault_key(r, entry, "there is no section '%.60s'.%s A part has %s.", entry->key, suggestion, list);
}

bool fly_reader_check_part(fly_reader *r, const fly_tree_node *part) {
  const fly_tree_node *name = fly_tree_find(part, "part"), *section;
  bool good = name->kind == FLY_TREE_SCALAR && !fly_tree_is_null(name);
  if (!good)
    fly_reader_fault(r, name, "'part' takes the name of the part, not %s.", fly_tree_kind_name(name));
  for (int k = 0; k < part->count && fly_reader_goes_on(r); k++) {
    const char *key = part->entry[k].key;
    good = check_part_key(r, &part->entry[k]) && good;
    if (fly_is_made_section(key) || strcmp(key, "use") == 0 || strcmp(key, "connect") == 0)
      good = fly_reader_section(r, part, key, &section) && good;
  }
  for (int i = 0; i < 2 && good; i++) {
    const fly_tree_node *given = fly_tree_find(part, i == 0 ? "parameters" : "inputs");
    for (int k = 0; given != NULL && k < given->count && good; k++)
      if (fly_is_use_key(given->entry[k].key))
        good = fly_reader_fault_key(r, &given->entry[k], "'%s' is a key of `use`, and cannot be the name of %s.",
                                    given->entry[k].key, i == 0 ? "a parameter" : "an input");
  }
  return good;
}
