// A YAML (so also JSON) file as a tree of scalars, sequences and mappings, each with its place in the file.
//
//   fly_tree *tree;
//   if (fly_tree_load(&tree, "crank.yaml", error) != FLY_OK) ...           // "crank.yaml:3:7: what is wrong", with a
//   caret const fly_tree_node *bodies = fly_tree_find(tree->root, "bodies"); for (int i = 0; i < bodies->count; i++)
//     read_body(bodies->entry[i].key, bodies->entry[i].value);
//   fly_tree_free(tree);
//
// What a model file may use of YAML: documents whose tops are mappings, those with a key `part` beside one without it,
// the model; keys that are words, each once in a mapping; anchors and aliases (an alias is the same node once more,
// nothing is copied). What it may not: tags, directives, merge keys (<<). Text is UTF-8.
#ifndef FLY_IO_TREE_H
#define FLY_IO_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "flyball/status.h"

enum {
  FLY_TREE_DEPTH = 100,            // mappings and sequences inside each other, aliases followed
  FLY_TREE_EXPANSION = 1000000,    // nodes that aliases may repeat
  FLY_TREE_LONG = 100,             // bytes of a text that count as one more of them
  FLY_TREE_INCLUDES = 16,          // files that include each other in a chain
  FLY_TREE_PARTS = 1000,           // parts in all files
  FLY_TREE_KEY = 200,              // bytes of a key
  FLY_TREE_LINE = 1 << 20,         // bytes of a line; JSON is exempt, as long as it has commas
  FLY_TREE_FILE_SIZE = 1024 << 20, // bytes of a file
};

typedef enum fly_tree_kind { FLY_TREE_SCALAR, FLY_TREE_SEQUENCE, FLY_TREE_MAPPING } fly_tree_kind;

typedef struct fly_source fly_source; // the text of one file
typedef struct fly_tree_node fly_tree_node;

// One thing inside a mapping or a sequence.
typedef struct fly_tree_entry {
  const char *key; // NULL in a sequence
  int key_line, key_column;
  const fly_tree_node *value;
} fly_tree_entry;

// 48 bytes: a large model has millions of them.
struct fly_tree_node {
  unsigned char kind; // a fly_tree_kind
  bool quoted;        // scalar: written in quotes or as a block of text, so never a number
  bool in_flow;       // written inside {} or []
  bool made;          // by a repetition or a use: its text is not the one in the file
  int line, column; // of its first character, from 1; columns count characters. An empty value has the place of its key
  int count;        // mapping, sequence: entries
  const fly_source *source;
  union {
    const char *text;            // scalar, "" if empty
    const fly_tree_entry *entry; // mapping, sequence, in the order of the file (count)
  };
  union {
    const int *slot; // large mappings: the table of fly_tree_find_entry
    const int *from; // scalar made by a use: of each byte of its text, and its end, the column in the file from 0; or
                     // NULL
  };
  const struct fly_use *use; // it was made by; NULL: it stands in the model itself
};

typedef struct fly_tree {
  const fly_tree_node *root;        // a mapping: the model
  const fly_tree_node *const *part; // documents with a key `part` (nparts)
  int nparts;
  struct fly_tree_memory *memory;
} fly_tree;

// Reads a file and those it includes. A top-level key `include` names one file or a list of them, relative to the file
// it stands in; their entries come first, section by section, and each element may be defined once only; keys of
// `simulate` may be given again, and the file that includes has the last word. A file that is included by several
// others is read once. The key itself does not appear in the tree.
fly_status fly_tree_load(fly_tree **out, const char *path, fly_error *error);

// The part in the file that a node names, relative to the file it stands in: the last one, if there are several. The
// others are known in that file alone. A file is read once.
fly_status fly_tree_load_part(fly_tree *tree, const fly_tree_node **part, const fly_tree_node *named, fly_error *error);
// The same of a text that comes with the program.
fly_status fly_tree_parse_part(fly_tree *tree, const fly_tree_node **part, const char *name, const char *text,
                               size_t length, fly_error *error);

// Reads a text in memory; name stands for the path in messages. It cannot include files.
fly_status fly_tree_parse(fly_tree **out, const char *name, const char *text, size_t length, fly_error *error);

void fly_tree_free(fly_tree *tree); // NULL is fine

// The entry or the value of a key; NULL if it is not there or node is NULL or no mapping. Constant time.
const fly_tree_entry *fly_tree_find_entry(const fly_tree_node *node, const char *key);
const fly_tree_node *fly_tree_find(const fly_tree_node *node, const char *key);

bool fly_tree_is_null(const fly_tree_node *node); // a plain scalar that is empty, ~ or null
// A plain scalar that is wholly a decimal number as YAML has it (1, -2.5e3, .5, .inf, .nan), whatever the locale.
bool fly_tree_number(const fly_tree_node *node, double *value);
bool fly_tree_bool(const fly_tree_node *node, bool *value); // plain true or false

const char *fly_tree_kind_name(const fly_tree_node *node); // "a list", "a mapping", "a text" ... for messages

// Writes "file:line:column: message", the line and a caret under the place into error; returns FLY_BAD_INPUT.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
fly_status
fly_tree_fail(const fly_tree_node *node, fly_error *error, const char *format, ...);
// The same at the key of an entry of a mapping.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
fly_status
fly_tree_fail_key(const fly_tree_entry *entry, fly_error *error, const char *format, ...);
const char *fly_tree_path(const fly_tree_node *node); // the file it stands in

// Writes a tree as YAML that reads back the same: mappings and lists of scalars that fit on a line in {} and [], the
// rest indented. Comments and aliases are not kept. False if it could not be written.
bool fly_tree_write(FILE *file, const fly_tree_node *node);
// One scalar, in double quotes if it is to be or if it cannot do without.
void fly_tree_write_scalar(FILE *file, const char *text, bool quoted, bool in_flow);

#endif
