// Sections of a model being put together from those of its parts. For read_use.c and read_join.c.
#ifndef FLY_IO_EXPANSION_H
#define FLY_IO_EXPANSION_H

#include "io/naming.h"

// Entries of a section, of the model and of all parts.
typedef struct fly_gathered {
  const char *name;
  fly_tree_entry *entry; // (count)
  int count, capacity;
} fly_gathered;

enum { FLY_MOST_SECTIONS = 40 };

typedef struct fly_expansion {
  fly_reader *r;
  fly_gathered section[FLY_MOST_SECTIONS];
  int nsections;
  fly_gathered marker, shape; // of ground, in parts
  fly_gathered tied;          // markers that parts put on bodies of others: key body, value the marker
  fly_gathered tied_name;     // and their names there
} fly_expansion;

bool fly_gather(fly_reader *r, fly_gathered *g, fly_tree_entry entry);            // one more; false: no memory
fly_gathered *fly_gathered_section(fly_expansion *x, const char *name);           // that of a name, empty if it is new
const fly_tree_node *fly_join_model(fly_expansion *x, const fly_tree_node *root); // the model of all; NULL: a fault

#endif
