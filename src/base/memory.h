// Memory: zeroed arrays, large ones on large pages; and many arrays freed together, because all of a solver's memory is
// planned, taken once and freed once.
#ifndef FLY_BASE_MEMORY_H
#define FLY_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

// count zeroed elements, or NULL; count 0 gives a valid pointer. Freed by free. A step of a large model reads hundreds
// of megabytes once, and finding their 4 kB pages takes a tenth of its time: so large arrays ask for large pages.
void *fly_zeroed(size_t count, size_t size);

// Room for count elements in an array that grows: `array` is where its pointer is (&list->entry), moved and doubled if
// need be. false: no memory; the array is as it was.
bool fly_reserve(void *array, int *capacity, int count, size_t size);

typedef struct fly_arena_block {
  void *start;
  size_t size; // in use [bytes]
} fly_arena_block;

// A block in pages of its own.
typedef struct fly_arena_pages {
  void *mapped;
  size_t size; // [bytes]
  int block;   // its number
} fly_arena_pages;

// A list of allocations that are freed together. Zero-initialize it: fly_arena a = {0};
typedef struct fly_arena {
  fly_arena_block *block; // (count)
  int count, capacity;
  char *room; // what is left of the block that its larger arrays share,
  size_t left;
  int shared;             // and its number
  fly_arena_pages *pages; // of the largest blocks (npages)
  int npages, room_for_pages;
  int failed; // an allocation failed: every later call returns NULL, so one check at the end is enough
} fly_arena;

// count zeroed elements of the given size; NULL on failure (failed is then set). count 0 gives a valid pointer.
void *fly_arena_take(fly_arena *arena, size_t count, size_t size);
// A block that malloc gave is the arena's from now on; false: there is no memory, and it is not.
bool fly_arena_keep(fly_arena *arena, void *block);
void fly_arena_free(fly_arena *arena);

double *fly_arena_doubles(fly_arena *arena, size_t count);
int *fly_arena_ints(fly_arena *arena, size_t count);

bool fly_memory_has(size_t bytes); // so much could be taken now; for libraries that do not ask

#endif
