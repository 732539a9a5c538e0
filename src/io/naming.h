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
  // where it is put, as given, in the frame of what is around it; NULL: not said
  const fly_tree_node *at, *orientation;
  int mirror;    // which axis of that frame is turned round at last: 0 to 2; -1: none
  bool placed;   // it or what is around it is put somewhere
  bool mirrored; // all in all
  // Points of the part are c + B x in space (read_place.c); B is a rotation, or a rotation and a reflection.
  double B[9], c[3];
  struct fly_use *next; // of all, each behind those around it
} fly_use;

// What a part knows by a name of its own, and the model by another.
typedef struct fly_connection {
  const char *name, *kind; // body, marker, joint
  const char *stands_for;
  const fly_tree_node *markers; // that the part puts on the body; NULL: none
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
  int nhidden;
  const fly_expr_number *hidden; // parameters of the part that have the name of a unit (nhidden)
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

// The part that a node names; NULL: a fault (read_part.c).
const fly_tree_node *fly_reader_find_part(fly_reader *r, const fly_tree_node *named);
bool fly_reader_check_part(fly_reader *r, const fly_tree_node *part); // its keys
const char *fly_part_name(const fly_tree_node *part);
bool fly_is_made_section(const char *name); // of what parts add to the model
bool fly_is_use_key(const char *name);

// "clip(x, m)": "..." as clip: {arguments: [x, m], value: "..."} (read_function.c).
bool fly_reader_function_form(fly_reader *r, const fly_tree_entry *entry, fly_tree_entry *out);

// A text of an expression in a part that was put somewhere, as it must be in the model (read_seen.c): ground is that of
// the part, and what a mirror turns round has its sign. words: of the row, that it turns round; ended by NULL. *why:
// what cannot be mirrored, or NULL. NULL: no memory.
const char *fly_seen_text(const fly_reader *r, const fly_use *use, const char *text, const char *const *words,
                          const char **why);

// A mapping or sequence with these entries, made where another node stands; NULL: a fault.
const fly_tree_node *fly_naming_make(fly_reader *r, const fly_tree_node *like, fly_tree_kind kind,
                                     const fly_tree_entry *entry, int count);

#endif
