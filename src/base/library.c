#define _GNU_SOURCE // dlopen, RTLD_NOLOAD
#include "base/library.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/phase.h"

fly_symbol *fly_library_open(void **library, const char *path, const char *symbol, char *why, size_t size) {
  fly_symbol *function = NULL;
  *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *address = *library ? dlsym(*library, symbol) : NULL;
  if (!address) {
    snprintf(why, size, "%s", dlerror());
    fly_library_close(*library);
    *library = NULL;
    return NULL;
  }
  memcpy(&function, &address, sizeof function); // ISO C has no cast for this
  return function;
}

void fly_library_close(void *library) {
  if (library)
    dlclose(library);
}

fly_symbol *fly_library_loaded(const char *file, const char *symbol) {
  fly_symbol *function = NULL;
  void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  void *address = library ? dlsym(library, symbol) : NULL;
  memcpy(&function, &address, sizeof function);
  fly_library_close(library); // one of those who hold it: it stays
  return function;
}

// As if it were linked: what the program itself brings comes first. A program that is linked with the library may have
// its variables (copy relocations), and those are the ones that the library then uses.
static void *find(void *library, const char *name) {
  void *address = dlsym(RTLD_DEFAULT, name);
  return address ? address : dlsym(library, name);
}

// Functions are bound as they are called: most of what such a library brings is never.
static const char *fill(const fly_late *late) {
  void *library = dlopen(late->file, RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return dlerror();
  for (int k = 0; k < late->count; k++) {
    void *address = find(library, late->name[k].name);
    if (!address)
      return dlerror();
    memcpy((char *)late->table + late->name[k].place, &address, sizeof address);
  }
  return NULL;
}

// In a profile what loads a library is not what needs it first.
static const char *fill_watched(const fly_late *late) {
  const fly_phase before = fly_phase_enter(FLY_PHASE_FILES);
  const char *why = fill(late);
  fly_phase_leave(before);
  return why;
}

fly_status fly_late_load(fly_late *late, fly_error *error) {
  static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
  fly_status status = FLY_OK;
  pthread_mutex_lock(&loading);
  const char *why = late->loaded ? NULL : fill_watched(late);
  late->loaded = why == NULL;
  if (why)
    status =
        fly_fail(error, FLY_BAD_INPUT, NAN, "The library %s cannot be loaded: %s. %s", late->file, why, late->without);
  pthread_mutex_unlock(&loading);
  return status;
}
