// What listed contacts and those that are found while running share (compile_contacts.c, compile_found.c).
#ifndef FLY_MODEL_CONTACTS_H
#define FLY_MODEL_CONTACTS_H

#include "element/contact.h"
#include "model/compile.h"

// Of one body, those of its shapes that a contact takes.
typedef struct fly_contact_shapes {
  int body;         // number, or FLY_GROUND
  const char *name; // of it
  const fly_value *value;
  int only;         // this one of them, counted from 1; 0: all
  int marker;       // in whose frame they are fixed
  double center[3]; // of that frame: shapes are seen from there
} fly_contact_shapes;

bool fly_contact_takes(const fly_contact_shapes *s, int k);
fly_status fly_contact_find_shapes(fly_contact_shapes *out, const fly_model *m, const fly_item *item, const char *name,
                                   fly_error *error);
// Which of its shapes: `shapes` has a number for `bodies` (0), and one for `with` (1).
fly_status fly_contact_choose(fly_contact_shapes *s, const fly_item *item, int which, fly_error *error);
// Of shape k; without a core: contact knows no such shape.
fly_status fly_contact_solid(fly_solid *out, fly_model *m, const fly_item *item, const fly_contact_shapes *s, int k,
                             fly_error *error);
bool fly_contact_has_faces(const fly_solid *s); // spots where they meet those of another may come and go
fly_status fly_contact_unknown(const fly_item *item, const fly_contact_shapes s[2], int a, int b, fly_error *error);

fly_status fly_contact_law(fly_contact *k, const fly_model *m, const fly_item *item, fly_error *error); // all but pairs
fly_status fly_contact_stiffness(fly_contact_pair *pair, const fly_item *item, fly_error *error);
double fly_contact_softness(const fly_item *item); // 1/E* of hertz; 0: of another law

// At the start: how deep the solids of a pair are in each other, and what is said of the deepest.
double fly_contact_depth(const fly_contact *k, const fly_contact_pair *pair, const fly_force_at *at);
void fly_contact_warn_overlap(fly_model *m, const fly_item *item, const fly_contact *k, const fly_force_at *at,
                              const fly_contact_shapes s[2], const fly_contact_pair *worst, double depth);

fly_status fly_add_found(fly_model *m, int item, fly_error *error); // compile_found.c

#endif
