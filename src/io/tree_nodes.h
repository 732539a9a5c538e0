// Making a tree: memory, nodes, closing mappings. For the files tree_*.c only.
#ifndef FLY_IO_TREE_NODES_H
#define FLY_IO_TREE_NODES_H

#include "base/memory.h"
#include "io/tree.h"
#include "io/tree_source.h"

// All memory of a tree: nodes, entries and texts in large blocks, and the files.
typedef struct fly_tree_memory {
  fly_arena arena;
  char *free;          // rest of the last block
  size_t left, size;   // bytes in it, and its size
  fly_source **source; // files read so far (nsource)
  int nsource, capacity;
  const fly_tree_node **part; // of the tree (part_capacity)
  int part_capacity;
  bool dollars; // some text may have a $ in it, the sign of a repetition's index
} fly_tree_memory;

fly_status fly_tree_create(fly_tree **out, fly_error *error);

// Zeroed memory that lives as long as the tree; NULL on failure.
void *fly_tree_take(fly_tree *tree, size_t size);
char *fly_tree_take_text(fly_tree *tree, size_t size); // the same for bytes
char *fly_tree_copy_text(fly_tree *tree, const char *text, size_t length);
fly_source *fly_tree_add_source(fly_tree *tree); // a zeroed one, freed with the tree; NULL on failure

// Gives a mapping or sequence its entries (copied), and a large mapping its table of keys. Two equal keys are an error.
fly_status fly_tree_close(fly_tree *tree, fly_tree_node *node, const fly_tree_entry *entry, int count,
                          fly_error *error);
fly_status fly_tree_no_memory(fly_error *error);
// "'crank' is given twice, first on line 3."
fly_status fly_tree_given_twice(const fly_tree_entry *first, const fly_tree_entry *second, fly_error *error);

// Entries found by hash, in a list that grows. Zero-initialize it.
typedef struct fly_tree_table {
  fly_tree_entry *entry; // (count)
  int *slot;
  int count, capacity;
} fly_tree_table;

fly_tree_entry *fly_tree_table_find(const fly_tree_table *table, const char *key); // NULL: not there
bool fly_tree_table_add(fly_tree_table *table, fly_tree_entry entry);              // a new key; false: no memory
void fly_tree_table_free(fly_tree_table *table);

typedef enum fly_tree_style { FLY_TREE_PLAIN, FLY_TREE_SINGLE, FLY_TREE_DOUBLE } fly_tree_style;

// What a text without quotes, or that between two quotes, means. NULL without memory; *decoded is false if an escape in
// it is no character.
const char *fly_tree_decode(fly_tree *tree, const char *text, size_t length, fly_tree_style style, bool *decoded);
// The same for a block (| or >), whose header stands between the end of the token before and its own end; column: of
// its key or dash. *decoded is false if its lines are not beyond that.
const char *fly_tree_decode_block(fly_tree *tree, const char *after, const char *end, int column, bool *decoded);

fly_status fly_tree_add_part(fly_tree *tree, const fly_tree_node *part, fly_error *error);

// A file of plain YAML; *root is NULL if it is not, or if anything is wrong with it. The source is read and checked.
fly_status fly_tree_parse_plain(fly_tree *tree, const fly_source *source, fly_tree_node **root, fly_error *error);

// One file: its parts are added to those of the tree; its root, without following `include`, or NULL if there are only
// parts in it. The source is read and checked.
fly_status fly_tree_parse_source(fly_tree *tree, const fly_source *source, fly_tree_node **root, fly_error *error);
// The same by libfyaml alone, all of YAML.
fly_status fly_tree_parse_events(fly_tree *tree, const fly_source *source, fly_tree_node **root, fly_error *error);

#endif
