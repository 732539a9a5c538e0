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

static void copy_part(char *to, size_t size, const char *from, size_t length) {
  length = length < size ? length : size - 1;
  memcpy(to, from, length);
  to[length] = 0;
}

// "file:line:column: ..." at the start, `name` anywhere: as all messages have them.
static void find_parts(fly_error *e) {
  const char *quote = strchr(e->message, '`'), *end = quote ? strchr(quote + 1, '`') : NULL;
  e->file[0] = e->element[0] = 0;
  e->line = e->column = 0;
  if (end)
    copy_part(e->element, sizeof e->element, quote + 1, (size_t)(end - quote - 1));
  for (const char *s = strchr(e->message, ':'); s && s < (end ? quote : s + 1); s = strchr(s + 1, ':')) {
    int line = 0, column = 0, length = 0;
    if (sscanf(s, ":%d:%d: %n", &line, &column, &length) != 2 || length == 0 || line < 1 || column < 1)
      continue;
    copy_part(e->file, sizeof e->file, e->message, (size_t)(s - e->message));
    e->line = line;
    e->column = column;
    return;
  }
}

fly_status fly_fail(fly_error *error, fly_status status, double time, const char *format, ...) {
  if (error == NULL)
    return status;
  error->status = status;
  error->time = time;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  find_parts(error);
  return status;
}

fly_status fly_missing(fly_error *error, const char *call, const char *what) {
  return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: no %s was given (NULL).", call, what);
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
