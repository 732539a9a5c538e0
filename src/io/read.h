// Model files into a spec and back. The parameter tables of the elements are the language: nothing here knows what a
// revolute joint is.
#ifndef FLY_IO_READ_H
#define FLY_IO_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "flyball/status.h"
#include "model/spec.h"

// What a model is read with.
typedef struct fly_read_options {
  int nset, ninput;
  const char *const *set;   // "name=expression" (nset)
  const char *const *input; // "name=file.csv" (ninput)
  bool plugins;             // may be loaded
} fly_read_options;
fly_status fly_model_read_with(fly_spec *spec, const char *file, const fly_read_options *options, fly_error *error);

// Reads a file and those it includes. set: "name=expression", each replaces the value of a parameter of the file. On
// success free the spec; on failure it is empty and the message gives up to five faults, each with file:line:column,
// the line and a caret.
fly_status fly_model_read(fly_spec *spec, const char *file, int nset, const char *const *set, fly_error *error);

// Reads a text in memory; name stands for the file in messages. It cannot include or name other files.
fly_status fly_model_read_text(fly_spec *spec, const char *name, const char *text, size_t length, int nset,
                               const char *const *set, fly_error *error);

// Writes a spec as a model file that reads back as the same spec: numbers evaluated, expressions as they were given.
// False if it could not be written.
bool fly_model_write(FILE *file, const fly_spec *spec);

// The path of a file named in another file, in memory that the caller frees; NULL without memory.
char *fly_path_beside(const char *file, const char *name);

#endif
