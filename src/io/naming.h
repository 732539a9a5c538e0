// Names of a part as the model that uses it sees them: speed.kp, speed.out. For the files read*.c only.
#ifndef FLY_IO_NAMING_H
#define FLY_IO_NAMING_H

#include "io/reader.h"
#include "io/tree_nodes.h"

// A use of a part. What it makes points to it.
typedef struct fly_use {
  const char *prefix;          // "fl", or "fl.damper" of a use inside it
  const char *part;            // name of the part
  const fly_tree_entry *entry; // where it is used
  const fly_tree_node *root;   // of the part
  const struct fly_use *outer; // the use around it; NULL: the model's
} fly_use;

// What a part knows by a name of its own, and the model by another.
typedef struct fly_connection {
  const char *name, *kind; // body, marker, joint
  const char *stands_for;
} fly_connection;

// Words that stay as they are in a stretch of text: arguments of a function, the index of a repetition.
typedef struct fly_local {
  int count;
  const char *const *word; // (count)
  const struct fly_local *outer;
} fly_local;

typedef struct fly_naming {
  fly_reader *r;
  const fly_use *use;          // NULL: of the model itself, where names stay
  const fly_tree_table *names; // of the part; numbered ones (link$i) end with the $
  int nconnections;
  const fly_connection *connection; // (nconnections)
  const fly_local *local;
} fly_naming;

// Where a text stands decides what its words are.
typedef enum fly_naming_kind {
  FLY_NAMING_NONE,       // words of the language
  FLY_NAMING_EXPRESSION, // names beside units and functions
  FLY_NAMING_REFERENCE   // the name of an element
} fly_naming_kind;

// The name a key becomes; NULL: a fault.
const char *fly_naming_key(const fly_naming *n, const fly_tree_entry *entry);
// A value with its names changed, all of it a copy that points to the use; NULL: a fault. words: those of the row that
// expressions know, ended by NULL; or NULL.
const fly_tree_node *fly_naming_value(const fly_naming *n, const fly_tree_node *node, fly_naming_kind kind,
                                      const char *const *words);
// The same of an element of a section, and of a repetition.
const fly_tree_node *fly_naming_element(const fly_naming *n, const char *section, const fly_tree_entry *entry);
const fly_tree_node *fly_naming_repeat(const fly_naming *n, const fly_tree_node *node);

// A mapping or sequence with these entries, made where another node stands; NULL: a fault.
const fly_tree_node *fly_naming_make(fly_reader *r, const fly_tree_node *like, fly_tree_kind kind,
                                     const fly_tree_entry *entry, int count);

#endif
