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

fly_status fly_fail(fly_error *error, fly_status status, double time, const char *format, ...) {
  if (error == NULL)
    return status;
  error->status = status;
  error->time = time;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
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
