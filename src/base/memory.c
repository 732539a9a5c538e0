// C17 knows no pages: madvise is of BSD and Linux.
#define _DEFAULT_SOURCE

#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/library.h"

// Large pages for those that lie inside the block. A wish: nothing depends on it.
static void ask_for_large_pages(char *block, size_t bytes) {
#ifdef MADV_HUGEPAGE
  const size_t page = (size_t)1 << 21;
  size_t before = (page - (uintptr_t)block % page) % page;
  if (bytes >= before + page)
    (void)madvise(block + before, (bytes - before) / page * page, MADV_HUGEPAGE);
#else
  (void)block, (void)bytes;
#endif
}

void *fly_zeroed(size_t count, size_t size) {
  if (count == 0 || size == 0) // calloc may give NULL for nothing, which would look like a failure
    return calloc(1, 1);
  void *block = calloc(count, size); // checks the product
  if (block != NULL)
    ask_for_large_pages(block, count * size);
  return block;
}

bool fly_reserve(void *array, int *capacity, int count, size_t size) {
  void *old;
  if (count <= *capacity)
    return true;
  if (count > INT_MAX / 2)
    return false;
  const int larger = count > 8 ? 2 * count : 16;
  memcpy(&old, array, sizeof old); // a pointer of whatever type
  void *block = realloc(old, (size_t)larger * size);
  if (block == NULL)
    return false;
  memcpy(array, &block, sizeof block);
  *capacity = larger;
  return true; // cppcheck-suppress memleak // *array has it
}

static void *arena_block(fly_arena *arena, size_t count, size_t size) {
  const bool room = fly_reserve(&arena->block, &arena->capacity, arena->count + 1, sizeof *arena->block);
  void *block = room ? fly_zeroed(count, size) : NULL;
  if (block == NULL)
    arena->failed = 1;
  else
    arena->block[arena->count++] = (fly_arena_block){block, count * size};
  return block;
}

// Arrays of 256 kB to 4 MB share blocks, so that they too lie on large pages; smaller ones stand alone, where tools see
// who reads beyond them. Blocks have room for eight like the one that asks: memory may have been used before, and is
// then set to zero, all of a block.
void *fly_arena_take(fly_arena *arena, size_t count, size_t size) {
  const size_t smallest = (size_t)1 << 18, largest = (size_t)1 << 22, most = (size_t)1 << 23, line = 64;
  if (arena->failed)
    return NULL;
  if (size == 0 || count < smallest / size || count > largest / size)
    return arena_block(arena, count, size);
  size_t bytes = (count * size + line - 1) / line * line;
  if (bytes > arena->left) {
    const size_t shared = 8 * bytes < most ? 8 * bytes : most;
    arena->room = arena_block(arena, shared, 1);
    arena->left = arena->room ? shared : 0;
  }
  if (arena->failed)
    return NULL;
  void *taken = arena->room;
  arena->room += bytes;
  arena->left -= bytes;
  return taken;
}

void fly_arena_free(fly_arena *arena) {
  for (int i = 0; i < arena->count; i++)
    free(arena->block[i].start);
  free(arena->block);
  *arena = (fly_arena){0};
}

double *fly_arena_doubles(fly_arena *arena, size_t count) { return fly_arena_take(arena, count, sizeof(double)); }

int *fly_arena_ints(fly_arena *arena, size_t count) { return fly_arena_take(arena, count, sizeof(int)); }

// Addresses only: nothing is touched.
bool fly_memory_has(size_t bytes) {
  void *there = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return there != MAP_FAILED && munmap(there, bytes) == 0;
}

// Of OpenBLAS, where it is the BLAS and linked; else it is asked whether the process has it (0: no).
extern int openblas_get_num_threads(void) __attribute__((weak));
static int blas_threads(void) {
  if (openblas_get_num_threads)
    return openblas_get_num_threads();
  int (*ask)(void) = (int (*)(void))fly_library_loaded("libopenblas.so.0", "openblas_get_num_threads");
  return ask ? ask() : 0;
}

// Each thread of OpenBLAS takes a buffer at a time of its own, the caller at the first call: there must be room for all
// that may still be taken.
fly_status fly_memory_check(fly_error *error) {
  const size_t buffer = (size_t)129 << 20; // of OpenBLAS on 64 bits: 32 << 22 and a page
  const int threads = blas_threads();
  const size_t all = buffer * (size_t)(threads > 1 ? threads : 1);
  if (fly_memory_has(all))
    return FLY_OK;
  return fly_fail(error, FLY_NO_MEMORY, NAN,
                  "There are no %zu MB of addresses left for buffers of OpenBLAS (128 MB for each of its threads), "
                  "which would wait for them for ever. Raise the limit of memory (ulimit -v), or set "
                  "OPENBLAS_NUM_THREADS=1.",
                  all >> 20);
}
