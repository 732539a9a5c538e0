// Shared libraries that are loaded while the program runs.
#ifndef FLY_BASE_LIBRARY_H
#define FLY_BASE_LIBRARY_H

#include <stddef.h>

typedef void fly_symbol(void); // to be cast to what it is

// A function of a library; *library is closed by fly_library_close. NULL: why says why.
fly_symbol *fly_library_open(void **library, const char *path, const char *symbol, char *why, size_t size);
void fly_library_close(void *library); // NULL is fine

#endif
