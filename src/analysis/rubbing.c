// Friction of joints at rest, in words.
#include "analysis/rubbing.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NAMED = 8 }; // joints

static bool slides(const fly_system *s, const fly_model_friction *f) {
  for (int i = 0; i < f->n; i++)
    if (fly_system_held(s, f->direction + i) != 0)
      return true;
  return false;
}

// Has an earlier friction of the same joint been named?
static bool is_named(const fly_model *m, int k) { return k > 0 && m->friction[k - 1].item == m->friction[k].item; }

void fly_rubbing_notes(char *text, size_t size, const fly_system *s) {
  const fly_model *m = s->model;
  size_t used = 0;
  int count = 0;
  text[0] = 0;
  for (int k = 0; k < m->nfriction; k++) {
    const fly_model_friction *f = &m->friction[k];
    const char *name = m->spec->item[f->item].name;
    if (f->pair < 0 || slides(s, f) || is_named(m, k) || count++ >= MOST_NAMED)
      continue;
    const int written = snprintf(text + used, size - used,
                                 fly_system_held(s, f->stuck) != 0
                                     ? "Friction holds `%s`: it is taken as stuck.\n"
                                     : "The friction of `%s` is left out; it would hold the joint here and on both "
                                       "sides: this is one of many positions of rest.\n",
                                 name);
    used += written > 0 && (size_t)written < size - used ? (size_t)written : 0;
    text[used] = 0;
  }
  if (count > MOST_NAMED)
    snprintf(text + used, size - used, "... and that of %d more joints.\n", count - MOST_NAMED);
}
