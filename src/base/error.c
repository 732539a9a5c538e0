#include "base/error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *fly_version(void) { return FLY_VERSION; }

const char *fly_status_name(fly_status status) {
  // A switch without default: the compiler reports a status that has no name.
  switch (status) {
  case FLY_OK:
    return "ok";
  case FLY_STOPPED:
    return "stopped";
  case FLY_NO_MEMORY:
    return "no memory";
  case FLY_BAD_INPUT:
    return "bad input";
  case FLY_CALLBACK:
    return "callback failed";
  case FLY_NOT_FINITE:
    return "not finite";
  case FLY_INCONSISTENT:
    return "inconsistent start";
  case FLY_REDUNDANT:
    return "redundant constraints";
  case FLY_SINGULAR:
    return "singular";
  case FLY_NO_CONVERGENCE:
    return "no convergence";
  case FLY_STEP_TOO_SMALL:
    return "step too small";
  case FLY_TOO_MANY_STEPS:
    return "too many steps";
  case FLY_NOT_KEPT:
    return "error not kept";
  case FLY_FILE:
    return "file not written";
  case FLY_NO_PROGRESS:
    return "no progress";
  }
  return "unknown status";
}

void fly_place_text(char *text, size_t size, fly_place place) {
  if (place.file)
    snprintf(text, size, "%s:%d:%d: ", place.file, place.line, place.column);
  else if (size > 0)
    text[0] = 0;
}

static void copy_text(char *to, size_t size, const char *from) { snprintf(to, size, "%.*s", (int)size - 1, from); }

void fly_error_locate(fly_error *error, fly_place place, const char *element) {
  if (error == NULL)
    return;
  copy_text(error->file, sizeof error->file, place.file ? place.file : "");
  copy_text(error->element, sizeof error->element, element ? element : "");
  error->line = place.file ? place.line : 0;
  error->column = place.file ? place.column : 0;
}

static void write(fly_error *error, fly_status status, double time, fly_place place, const char *element,
                  const char *format, va_list arguments) {
  if (error == NULL)
    return;
  error->status = status;
  error->time = time;
  fly_place_text(error->message, sizeof error->message, place);
  const size_t used = strlen(error->message);
  vsnprintf(error->message + used, sizeof error->message - used, format, arguments);
  fly_error_locate(error, place, element);
}

fly_status fly_fail(fly_error *error, fly_status status, double time, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write(error, status, time, FLY_NOWHERE, NULL, format, arguments);
  va_end(arguments);
  return status;
}

fly_status fly_fail_at(fly_error *error, fly_status status, double time, fly_place place, const char *element,
                       const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write(error, status, time, place, element, format, arguments);
  va_end(arguments);
  return status;
}

fly_status fly_missing(fly_error *error, const char *call, const char *what) {
  return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: no %s was given (NULL).", call, what);
}

void fly_error_drop(fly_error *error, const char *part) {
  char *found = error ? strstr(error->message, part) : NULL;
  if (found)
    memmove(found, found + strlen(part), strlen(found + strlen(part)) + 1);
}

void fly_error_append(fly_error *error, const char *format, ...) {
  if (error == NULL)
    return;
  size_t used = strlen(error->message);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message + used, sizeof error->message - used, format, arguments);
  va_end(arguments);
}
