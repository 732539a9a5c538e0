// A model built by a program: what a model file says, set place by place. docs/reference.md has the places.
#ifndef FLYBALL_SPEC_H
#define FLYBALL_SPEC_H

#include "flyball/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fly_draft fly_draft; // a model that is being written

// name stands for the file in messages.
fly_status fly_draft_create(fly_draft **out, const char *name, fly_error *error);
void fly_draft_free(fly_draft *d); // NULL is fine

// What stands at a place, section/element/key, as it would be written in a file, in one line:
//   fly_draft_set(d, "bodies/arm/type", "planar", e)      fly_draft_set(d, "joints/pin/bodies", "[ground, arm]", e)
// A place that was set before is set anew, and so is all that was below it. Elements stand in the order in which they
// were first named.
fly_status fly_draft_set(fly_draft *d, const char *place, const char *text, fly_error *error);
fly_status fly_draft_number(fly_draft *d, const char *place, double value, fly_error *error);
fly_status fly_draft_numbers(fly_draft *d, const char *place, int count, const double *value, fly_error *error);

// The model, checked and compiled as one that is read. A message names the place: "crane: bodies/arm/mass: ...".
fly_status fly_draft_build(fly_mechanism **out, const fly_draft *d, fly_error *error);
char *fly_draft_text(const fly_draft *d); // as a model file, the caller's to free; NULL: no memory

#ifdef __cplusplus
}
#endif
#endif
