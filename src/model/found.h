// Contacts whose pairs are not listed: which solids they are between, and who of them may touch whom. Pairs are found
// while a model runs, as they come near each other (system/pool.c; docs/theory/contact.md, T-found).
#ifndef FLY_MODEL_FOUND_H
#define FLY_MODEL_FOUND_H

#include "element/contact.h"
#include "model/model.h"

// A solid that takes part.
typedef struct fly_member {
  int body, marker; // number or FLY_GROUND, and the frame it is fixed in
  int shape;        // of the body
  const char *name; // of the body
  bool one, other;  // it is of the first group, of the second; of one group among itself it is of both
  bool except;      // two of these do not touch each other
  fly_solid solid;
} fly_member;

// A pair whose surfaces are taken back, so that what overlaps at the start only touches.
typedef struct fly_relaxed {
  int a, b; // members, a < b
  double back;
} fly_relaxed;

typedef struct fly_model_found {
  int item;
  fly_contact law; // without pairs; nspot: of a pair that has most of them
  double stiffness, soft;
  int nothing; // expression of the rates of springs along the surface, which get their own
  int count;
  fly_member *member; // (count), in the order of their lists
  int nrelaxed;
  fly_relaxed *relaxed; // in the order of a, then b (nrelaxed)
  int near;             // pairs that are near each other at the start
} fly_model_found;

// May these two members touch? a != b.
bool fly_found_may_touch(const fly_model *m, const fly_model_found *f, int a, int b);
// Those two, a < b, as a contact of one pair, and the markers of their bodies, the first of both first.
void fly_found_pair(fly_contact *contact, fly_contact_pair *pair, int marker[2], const fly_model_found *f, int a,
                    int b);
// contact.ball1-ball2, with the numbers of shapes of bodies that have several: contact.car:2-ground:1
void fly_found_name(char *text, size_t size, const fly_model *m, const fly_model_found *f, int a, int b);

#endif
