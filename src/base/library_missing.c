// Stands in where nothing is loaded while the program runs (FLYBALL_CORE).
#include <stdio.h>

#include "base/library.h"

#ifdef FLY_CORE

fly_symbol *fly_library_open(void **library, const char *path, const char *symbol, char *why, size_t size) {
  (void)path, (void)symbol;
  *library = NULL;
  snprintf(why, size, "this library was built without plugins");
  return NULL;
}

void fly_library_close(void *library) { (void)library; }

fly_symbol *fly_library_loaded(const char *file, const char *symbol) {
  (void)file, (void)symbol;
  return NULL;
}
#endif
