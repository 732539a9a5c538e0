// Feeds bytes to the reader of model files. What it accepts must survive a walk and a round trip through the writer;
// what it refuses must be refused with a place. Run by tools/fuzz.sh.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool ok, const char *what, const char *detail) {
  if (ok)
    return;
  fprintf(stderr, "%s: %s\n", what, detail);
  abort();
}

// The number of nodes, aliases expanded; asks each for what can be asked.
static long walk(const fly_tree_node *node) {
  double number;
  bool truth;
  demand(node->line >= 1 && node->column >= 1, "place", fly_tree_kind_name(node));
  if (node->kind == FLY_TREE_SCALAR) {
    fly_tree_number(node, &number);
    fly_tree_bool(node, &truth);
    return 1;
  }
  long nodes = 1;
  for (int i = 0; i < node->count; i++) {
    const fly_tree_entry *entry = &node->entry[i];
    demand((entry->key != NULL) == (node->kind == FLY_TREE_MAPPING), "key", fly_tree_kind_name(node));
    demand(entry->key == NULL || fly_tree_find_entry(node, entry->key) == entry, "find", entry->key);
    nodes += walk(entry->value);
  }
  return nodes;
}

// Quotes may be added to a text that cannot do without, but never taken away, and never to a number.
static void compare_scalars(const fly_tree_node *a, const fly_tree_node *b) {
  double x = 0, y = 0;
  demand(strcmp(a->text, b->text) == 0, a->text, b->text);
  demand(b->quoted || !a->quoted, "quotes", a->text);
  demand(fly_tree_number(a, &x) == fly_tree_number(b, &y), "number", a->text);
}

static void compare(const fly_tree_node *a, const fly_tree_node *b) {
  demand(a->kind == b->kind && a->count == b->count, "kind", fly_tree_kind_name(a));
  if (a->kind == FLY_TREE_SCALAR) {
    compare_scalars(a, b);
    return;
  }
  for (int i = 0; i < a->count; i++) {
    if (a->entry[i].key != NULL)
      demand(strcmp(a->entry[i].key, b->entry[i].key) == 0, a->entry[i].key, b->entry[i].key);
    compare(a->entry[i].value, b->entry[i].value);
  }
}

static void check_round_trip(const fly_tree *tree) {
  char *text = NULL;
  size_t length = 0;
  fly_error error;
  fly_tree *again;
  FILE *file = open_memstream(&text, &length);
  demand(file != NULL && fly_tree_write(file, tree->root), "write", "failed");
  fclose(file);
  demand(fly_tree_parse(&again, "again", text, length, &error) == FLY_OK, text, error.message);
  compare(tree->root, again->root);
  fly_tree_free(again);
  free(text);
}

static void check_message(const char *message) {
  int line = 0, column = 0;
  demand(sscanf(message, "fuzz:%d:%d: ", &line, &column) == 2 && line > 0 && column > 0, "message", message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fly_error error;
  fly_tree *tree;
  if (fly_tree_parse(&tree, "fuzz", (const char *)data, size, &error) != FLY_OK) {
    check_message(error.message);
    return 0;
  }
  if (walk(tree->root) < 10000)
    check_round_trip(tree);
  fly_tree_free(tree);
  return 0;
}
