// Laws of friction as texts (friction_words.c).
#ifndef FLY_MODEL_FRICTION_WORDS_H
#define FLY_MODEL_FRICTION_WORDS_H

#include <stdbool.h>

#include "model/model.h"

typedef struct fly_friction_law {
  const char *name;
  const char *coefficient[FLY_RUBS]; // along each direction, signed as the slip
  const char *rate[FLY_RUBS];        // of its bristle there; NULL: it has none
  const char *only;                  // keys that not every law takes, and this one does
  bool sticks;
  bool bell; // it may have one over the speed, and nothing of its own that moves as fast
} fly_friction_law;

const fly_friction_law *fly_friction_law_find(const char *name); // NULL: there is none
// Whether a law takes a key; if not, another that does.
bool fly_friction_law_takes(const fly_friction_law *law, const char *key, const char **instead);

// The text that a word stands for where n directions slip; NULL: it is a number or a measure.
const char *fly_friction_word(const char *name, int n);

#endif
