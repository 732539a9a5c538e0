// What a part that comes with the program takes and gives, told in a terminal.
#include "io/explain.h"

#include <string.h>

#include "io/parts.h"
#include "io/tree_nodes.h"

// A text of a mapping; "" if it has none.
static const char *text_of(const fly_tree_node *node, const char *key) {
  const fly_tree_node *found = fly_tree_find(node, key);
  return found != NULL && found->kind == FLY_TREE_SCALAR && !fly_tree_is_null(found) ? found->text : "";
}

static void explain_row(FILE *file, const fly_tree_entry *entry, bool given) {
  const fly_tree_node *node = entry->value;
  const bool alone = node->kind == FLY_TREE_SCALAR;
  const char *unit = text_of(node, "unit"), *text = text_of(node, "text");
  const char *value = !alone ? text_of(node, "value") : fly_tree_is_null(node) ? "" : node->text;
  fprintf(file, "  %-18s%s%s%s%s%s", entry->key, text, unit[0] != 0 && text[0] != 0 ? " " : "", unit[0] != 0 ? "[" : "",
          unit, unit[0] != 0 ? "]" : "");
  if (given)
    fprintf(file, "%s%s%s", text[0] != 0 || unit[0] != 0 ? "; " : "", value[0] != 0 ? "default " : "required", value);
  fputc('\n', file);
}

static void explain_section(FILE *file, const fly_tree_node *part, const char *section, const char *title, bool given) {
  const fly_tree_node *node = fly_tree_find(part, section);
  if (node == NULL || node->kind != FLY_TREE_MAPPING || node->count == 0)
    return;
  fprintf(file, "%s:\n", title);
  for (int k = 0; k < node->count; k++)
    explain_row(file, &node->entry[k], given);
}

static void explain_connections(FILE *file, const fly_tree_node *part) {
  const fly_tree_node *node = fly_tree_find(part, "connect");
  for (int k = 0; node != NULL && node->kind == FLY_TREE_MAPPING && k < node->count; k++)
    fprintf(file, "%s  %-18sa %s\n", k == 0 ? "connect:\n" : "", node->entry[k].key,
            node->entry[k].value->kind == FLY_TREE_SCALAR ? node->entry[k].value->text : "");
}

static void explain(FILE *file, const char *name, const fly_tree_node *part) {
  fprintf(file, "%s (a part, for use): %s\n\n", name, text_of(part, "text"));
  explain_section(file, part, "parameters", "parameters", true);
  explain_section(file, part, "inputs", "inputs", true);
  explain_connections(file, part);
  explain_section(file, part, "states", "states", false);
  explain_section(file, part, "variables", "variables", false);
  explain_section(file, part, "outputs", "outputs", false);
  explain_section(file, part, "held", "held", false);
  explain_section(file, part, "events", "events", false);
  explain_section(file, part, "bodies", "bodies", false);
  explain_section(file, part, "joints", "joints", false);
  explain_section(file, part, "forces", "forces", false);
}

// The part of a text that comes with the program; NULL: no memory. Free the tree.
static const fly_tree_node *parse(const fly_shipped_part *shipped, fly_tree **tree) {
  const fly_tree_node *part = NULL;
  if (fly_tree_create(tree, NULL) != FLY_OK)
    return NULL;
  fly_tree_parse_part(*tree, &part, shipped->name, shipped->text, shipped->length, NULL);
  return part;
}

int fly_explain_part(FILE *file, const char *name) {
  int found = 0;
  for (int k = 0; k < fly_shipped_part_count; k++) {
    if (strcmp(fly_shipped_parts[k].name, name) != 0)
      continue;
    fly_tree *tree = NULL;
    const fly_tree_node *part = parse(&fly_shipped_parts[k], &tree);
    if (part != NULL)
      explain(file, name, part);
    if (part != NULL) {
      fprintf(file, "\nAs it is written:\n\n%s", fly_shipped_parts[k].text);
      found++;
    }
    fly_tree_free(tree);
  }
  return found;
}

void fly_list_parts(FILE *file) {
  fputs("parts:\n", file);
  for (int k = 0; k < fly_shipped_part_count; k++) {
    fly_tree *tree = NULL;
    const fly_tree_node *part = parse(&fly_shipped_parts[k], &tree);
    if (part != NULL)
      fprintf(file, "  %-19s%s\n", fly_shipped_parts[k].name, text_of(part, "text"));
    fly_tree_free(tree);
  }
}
