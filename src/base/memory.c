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
  ask_for_large_pages(block, (size_t)larger * size);
  memcpy(array, &block, sizeof block);
  *capacity = larger;
  return true; // cppcheck-suppress memleak // *array has it
}

static bool arena_add(fly_arena *arena, void *start, size_t size) {
  if (start == NULL || !fly_reserve(&arena->block, &arena->capacity, arena->count + 1, sizeof *arena->block)) {
    arena->failed = 1;
    return false;
  }
  arena->block[arena->count++] = (fly_arena_block){start, size};
  return true;
}

static void *arena_block(fly_arena *arena, size_t count, size_t size) {
  void *block = fly_zeroed(count, size);
  if (arena_add(arena, block, count * size))
    return block;
  free(block);
  return NULL;
}

// Addresses that are zero and on large pages from the first on; only what is touched is taken. NULL: there are none.
static void *arena_pages(fly_arena *arena, size_t bytes) {
  const size_t page = (size_t)1 << 21, all = bytes + page;
  if (all < bytes || !fly_reserve(&arena->pages, &arena->room_for_pages, arena->npages + 1, sizeof *arena->pages))
    return NULL;
  char *mapped = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return NULL;
  char *start = mapped + (page - (uintptr_t)mapped % page) % page;
  ask_for_large_pages(start, bytes);
  if (!arena_add(arena, start, 0)) {
    (void)munmap(mapped, all);
    return NULL;
  }
  arena->pages[arena->npages++] = (fly_arena_pages){mapped, all, arena->count - 1};
  return start;
}

// A block for arrays that follow each other, of which none has been taken yet.
static bool arena_share(fly_arena *arena, size_t bytes) {
  const size_t few = (size_t)1 << 20, most = (size_t)1 << 25;
  const size_t size = bytes < few ? 8 * bytes : bytes < most ? most : bytes;
  arena->room = bytes < few ? arena_block(arena, size, 1) : arena_pages(arena, size);
  arena->left = arena->room ? size : 0;
  arena->shared = arena->count - 1;
  if (arena->room)
    arena->block[arena->shared].size = 0;
  else
    arena->failed = 1;
  return arena->room != NULL;
}

// What is left of a shared block begins at a multiple of so many bytes from its start.
static void arena_align(fly_arena *arena, size_t unit) {
  const size_t skip = arena->left > 0 ? (unit - arena->block[arena->shared].size % unit) % unit : 0;
  if (skip >= arena->left) {
    arena->left = 0;
    return;
  }
  arena->room += skip;
  arena->left -= skip;
  arena->block[arena->shared].size += skip;
}

// Arrays from 256 kB on share blocks, so that they too lie on large pages; smaller ones stand alone, where tools see
// who reads beyond them, unless there are thousands of them (a large model's words and numbers): each would cost as
// much again for itself. Blocks have room for eight like the one that asks: memory may have been used before, and is
// then set to zero, all of a block. From 1 MB on they come from the system: zero, and taken where they are touched.
void *fly_arena_take(fly_arena *arena, size_t count, size_t size) {
  const size_t smallest = (size_t)1 << 18, piece = 16, line = 64, megabyte = (size_t)1 << 20;
  const int many = 4096;
  if (arena->failed)
    return NULL;
  const bool small = size == 0 || count < smallest / size;
  if (small ? arena->count < many : count > (SIZE_MAX - line) / size)
    return arena_block(arena, count, size);
  const size_t all = count * size > 0 ? count * size : 1, unit = small ? piece : line;
  const size_t bytes = (all + unit - 1) / unit * unit;
  arena_align(arena, unit);
  if (bytes > arena->left && !arena_share(arena, small ? megabyte : bytes))
    return NULL;
  void *taken = arena->room;
  arena->room += bytes;
  arena->left -= bytes;
  arena->block[arena->shared].size += bytes;
  return taken;
}

void fly_arena_free(fly_arena *arena) {
  for (int i = 0; i < arena->npages; i++) {
    arena->block[arena->pages[i].block].start = NULL;
    (void)munmap(arena->pages[i].mapped, arena->pages[i].size);
  }
  for (int i = 0; i < arena->count; i++)
    free(arena->block[i].start);
  free(arena->block);
  free(arena->pages);
  *arena = (fly_arena){0};
}

bool fly_arena_keep(fly_arena *arena, void *block) { return !arena->failed && arena_add(arena, block, 0); }

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
