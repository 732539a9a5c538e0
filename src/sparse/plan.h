// The lists that follow from the pattern of a matrix, for all whose pattern is the same: they live as long as one of
// them. For this room only.
#ifndef FLY_SPARSE_PLAN_H
#define FLY_SPARSE_PLAN_H

#include <stdlib.h>

#include "base/memory.h"

typedef struct fly_plan {
  int users;
  fly_arena memory;
} fly_plan;

static inline fly_plan *fly_plan_create(void) { // NULL: no memory
  fly_plan *p = calloc(1, sizeof *p);
  if (p != NULL)
    p->users = 1;
  return p;
}

static inline void fly_plan_leave(fly_plan *p) { // NULL is fine
  if (p == NULL || --p->users > 0)
    return;
  fly_arena_free(&p->memory);
  free(p);
}

#endif
