#include "base/memory.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// Makes room for one more pointer in the list of blocks.
static bool arena_reserve(fly_arena *arena) {
  if (arena->count < arena->capacity)
    return true;
  if (arena->capacity > INT_MAX / 2)
    return false;
  int capacity = arena->capacity > 0 ? 2 * arena->capacity : 16;
  void **block = realloc(arena->block, (size_t)capacity * sizeof *block);
  if (block == NULL)
    return false;
  arena->block = block;
  arena->capacity = capacity;
  return true;
}

void *fly_arena_take(fly_arena *arena, size_t count, size_t size) {
  if (arena->failed)
    return NULL;
  void *block = NULL;
  bool overflow = size > 0 && count > SIZE_MAX / size;
  if (!overflow && arena_reserve(arena)) // calloc may give NULL for nothing, which would look like a failure
    block = calloc(count > 0 ? count : 1, size > 0 ? size : 1);
  if (block == NULL) {
    arena->failed = 1;
    return NULL;
  }
  arena->block[arena->count++] = block;
  return block;
}

void fly_arena_free(fly_arena *arena) {
  for (int i = 0; i < arena->count; i++)
    free(arena->block[i]);
  free(arena->block);
  *arena = (fly_arena){0};
}

double *fly_arena_doubles(fly_arena *arena, size_t count) { return fly_arena_take(arena, count, sizeof(double)); }

int *fly_arena_ints(fly_arena *arena, size_t count) { return fly_arena_take(arena, count, sizeof(int)); }
