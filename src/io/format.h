// The kinds of model files, one row each: a reader turns a text into a spec. docs/adding-a-reader.md.
#ifndef FLY_IO_FORMAT_H
#define FLY_IO_FORMAT_H

#include "io/faults.h"
#include "io/tree_source.h"
#include "model/spec.h"

// A model being read.
typedef struct fly_import {
  fly_spec *spec;           // to be filled
  const char *name;         // of the file, or what stands for it in messages
  const fly_source *source; // its text, checked: UTF-8 without control characters
  fly_faults faults;
  const char *path; // private: the name, kept by the spec
} fly_import;

typedef struct fly_format {
  const char *name;    // as messages call it: "a list of masses"
  const char *endings; // of file names: ".yaml .yml"
  // Whether a text without such a name is of this kind; NULL: only names tell.
  bool (*recognize)(const char *text, size_t length);
  // Fills the spec. What is wrong is told by fly_import_fault; the answer is whether nothing was.
  bool (*read)(fly_import *in);
} fly_format;

// The list of list_formats.c, ended by NULL. The model language itself is what is none of them.
extern const fly_format *const fly_formats[];
const fly_format *fly_format_of(const char *name, const char *text, size_t length); // text may be NULL; NULL: none

// "file:line:column: message" with the line and a caret, for the place `offset` bytes into the text. False.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool fly_import_fault(fly_import *in, size_t offset, const char *format, ...);
bool fly_import_no_memory(fly_import *in);                 // false
fly_place fly_import_place(fly_import *in, size_t offset); // for items of the spec: messages name it later

fly_status fly_import_file(fly_spec *spec, const fly_format *format, const char *file, int nset, fly_error *error);
fly_status fly_import_text(fly_spec *spec, const fly_format *format, const char *name, const char *text, size_t length,
                           int nset, fly_error *error);

#endif
