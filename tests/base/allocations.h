// Counts allocations and makes the n-th fail. The build links a test that includes this file with
// -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc, which turns every call of malloc outside shared libraries into one of
// __wrap_malloc. Include it in one file a program.
#ifndef FLY_TESTS_ALLOCATIONS_H
#define FLY_TESTS_ALLOCATIONS_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct allocations {
  long count;   // since allocations_reset
  size_t bytes; // asked for in them
  long fail_at; // the allocation that fails, counted from 1; 0: none
} allocations;

static allocations the_allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

static inline void allocations_reset(long fail_at) { the_allocations = (allocations){.fail_at = fail_at}; }

static inline bool allocation_fails(size_t bytes) {
  the_allocations.bytes += bytes;
  return ++the_allocations.count == the_allocations.fail_at;
}

void *__wrap_malloc(size_t size) { return allocation_fails(size) ? NULL : __real_malloc(size); }

void *__wrap_calloc(size_t count, size_t size) {
  return allocation_fails(count * size) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size) { return allocation_fails(size) ? NULL : __real_realloc(block, size); }

// KLU is a shared library, but asks through pointers in this table of SuiteSparse 5, of which these are the first.
// (Found by name: its header belongs to the room sparse.) Here malloc is wrapped, so KLU is counted from now on. False
// if there is no such table.
static inline bool allocations_hook_klu(void) {
  struct {
    void *(*malloc_func)(size_t);
    void *(*calloc_func)(size_t, size_t);
    void *(*realloc_func)(void *, size_t);
  } *config = dlsym(dlopen(NULL, RTLD_NOW), "SuiteSparse_config");
  if (config == NULL)
    return false;
  config->malloc_func = malloc;
  config->calloc_func = calloc;
  config->realloc_func = realloc;
  return true;
}

#endif
