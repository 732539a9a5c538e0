#define _POSIX_C_SOURCE 200809L // dlopen
#include "base/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

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
