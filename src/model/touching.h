// Which bodies a contact lets touch: by their names, or by their materials.
#ifndef FLY_MODEL_TOUCHING_H
#define FLY_MODEL_TOUCHING_H

#include "model/compile.h"

// Two of them, by name.
typedef struct fly_touching {
  const char *body[2];
} fly_touching;

// Those of a list, or all of a material among the items of the model.
typedef struct fly_touching_group {
  const fly_spec *spec;
  const fly_value *list;
  const char *material; // NULL: the list
} fly_touching_group;

// Each of one group with each of the other; or (among) of one with itself.
typedef struct fly_touching_walk {
  fly_touching_group one, other;
  bool among, alone; // alone: two bodies by their names, whatever joins them
  bool joined;       // there are joints
  const fly_value *except;
  int i, k; // where it is
} fly_touching_walk;

fly_touching_walk fly_touching_begin(const fly_spec *spec, const fly_item *item);
bool fly_touching_next(fly_touching_walk *w, fly_touching *out); // false: there are no more

// Place k of a group, of so many; NULL: there is nobody.
int fly_touching_group_size(const fly_touching_group *g);
const char *fly_touching_group_body(const fly_touching_group *g, int k);
bool fly_touching_is_named(const fly_value *list, const char *body);

// The first or second body that a joint joins, or a marker of it: by `bodies`, or by its markers; empty: none.
const char *fly_touching_joined(const fly_item *joint, int i);
const fly_item *fly_touching_joint(const fly_spec *spec, const fly_touching *t); // that joins them, or NULL
fly_status fly_touching_check(const fly_spec *spec, const fly_item *it, fly_error *error);

#endif
