// Shared libraries that are loaded while the program runs: plugins, and what few runs need and takes long to load.
#ifndef FLY_BASE_LIBRARY_H
#define FLY_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "flyball/status.h"

typedef void fly_symbol(void); // to be cast to what it is

// A function of a library; *library is closed by fly_library_close. NULL: why says why.
fly_symbol *fly_library_open(void **library, const char *path, const char *symbol, char *why, size_t size);
void fly_library_close(void *library); // NULL is fine
// A function of a library if the process has that library already, whoever loaded it; else NULL.
fly_symbol *fly_library_loaded(const char *file, const char *symbol);

// A name of a library, and where its address goes.
typedef struct fly_late_name {
  const char *name;
  size_t place; // in the table [bytes]
} fly_late_name;

// A library of others that is loaded when it is first needed, and stays: HDF5 brings thirty more, OpenBLAS threads, and
// a run of a small model takes less time than either takes to load.
typedef struct fly_late {
  const char *file;          // as the loader knows it, "libz.so.1"
  const char *without;       // what cannot be done without it, and what to do: a sentence or two
  const fly_late_name *name; // all of them must be there (count)
  int count;
  void *table; // of addresses
  bool loaded; // the table is complete
} fly_late;

#define FLY_LATE(of, sentences, names, into)                                                                           \
  { .file = (of), .without = (sentences), .name = (names), .count = sizeof(names) / sizeof *(names), .table = &(into) }
#define FLY_LATE_NAME(table, member)                                                                                   \
  { #member, offsetof(table, member) }

// Fills the table, once. Threads may call it at a time.
fly_status fly_late_load(fly_late *late, fly_error *error);

#endif
