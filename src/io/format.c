// Which kind of file it is, and what all readers share: places, faults, the text kept for the record.
#include "io/format.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

static bool has_ending(const char *name, const char *endings) {
  const size_t length = strlen(name);
  for (const char *s = endings; *s != 0; s += strspn(s, " ")) {
    const size_t n = strcspn(s, " ");
    if (length > n && strncmp(name + length - n, s, n) == 0)
      return true;
    s += n;
  }
  return false;
}

const fly_format *fly_format_of(const char *name, const char *text, size_t length) {
  for (const fly_format *const *f = fly_formats; *f != NULL; f++)
    if (has_ending(name, (*f)->endings))
      return *f;
  for (const fly_format *const *f = fly_formats; text != NULL && *f != NULL; f++)
    if ((*f)->recognize != NULL && (*f)->recognize(text, length))
      return *f;
  return NULL;
}

bool fly_import_fault(fly_import *in, size_t offset, const char *format, ...) {
  char text[700];
  fly_error one;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fly_source_fail_at(in->source, offset, &one, "%s", text);
  fly_faults_add(&in->faults, &one);
  return false;
}

bool fly_import_no_memory(fly_import *in) {
  fly_faults_no_memory(&in->faults);
  return false;
}

fly_place fly_import_place(fly_import *in, size_t offset) {
  fly_cursor cursor = {.line = 1, .column = 1};
  fly_cursor_move(&cursor, in->source, offset);
  if (in->path == NULL)
    in->path = fly_spec_text(in->spec, in->source->path);
  return (fly_place){in->path, cursor.line, cursor.column};
}

// Kept for the record of a run.
static void keep_source(fly_spec *spec, const fly_source *source) {
  spec->source_path = fly_arena_take(&spec->memory, 1, sizeof *spec->source_path);
  spec->source_text = fly_arena_take(&spec->memory, 1, sizeof *spec->source_text);
  if (spec->memory.failed)
    return;
  spec->source_path[0] = fly_spec_text(spec, source->path);
  spec->source_text[0] = fly_spec_text(spec, source->text);
  spec->nsource = 1;
}

static fly_status read_source(fly_spec *spec, const fly_format *format, fly_source *source, int nset,
                              fly_error *error) {
  fly_status status = fly_source_check(source, error);
  if (status == FLY_OK && nset > 0)
    status =
        fly_fail(error, FLY_BAD_INPUT, NAN, "%s: %s has no parameters that could be set.", source->path, format->name);
  if (status)
    return status;
  fly_import in = {.spec = spec, .name = source->path, .source = source, .faults = {.error = error}};
  const bool good = format->read(&in);
  keep_source(spec, source);
  if (spec->memory.failed)
    fly_faults_no_memory(&in.faults);
  if (!good && in.faults.status == FLY_OK)
    in.faults.status = fly_fail(error, FLY_BAD_INPUT, NAN, "%s cannot be read as %s.", source->path, format->name);
  return in.faults.status;
}

static fly_status finish(fly_spec *spec, fly_source *source, fly_status status) {
  fly_source_free(source);
  if (status)
    fly_spec_free(spec);
  return status;
}

fly_status fly_import_file(fly_spec *spec, const fly_format *format, const char *file, int nset, fly_error *error) {
  fly_source source = {0};
  fly_spec_create(spec);
  fly_status status = fly_source_read(&source, file, error);
  return finish(spec, &source, status ? status : read_source(spec, format, &source, nset, error));
}

fly_status fly_import_text(fly_spec *spec, const fly_format *format, const char *name, const char *text, size_t length,
                           int nset, fly_error *error) {
  fly_source source = {0};
  fly_spec_create(spec);
  fly_status status = fly_source_copy(&source, name, text, length, error);
  return finish(spec, &source, status ? status : read_source(spec, format, &source, nset, error));
}
