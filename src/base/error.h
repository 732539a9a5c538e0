// Filling a fly_error.
#ifndef FLY_BASE_ERROR_H
#define FLY_BASE_ERROR_H

#include "flyball/status.h"

// Writes status, time and a printf message into error (may be NULL) and returns status. time may be NAN.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
fly_status
fly_fail(fly_error *error, fly_status status, double time, const char *format, ...);

// Appends to the message of an error that is already filled; cut at the end of the buffer.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void fly_error_append(fly_error *error, const char *format, ...);

// What a call needs was not given: FLY_BAD_INPUT, "fly_run_go: no run was given (NULL)."
fly_status fly_missing(fly_error *error, const char *call, const char *what);

#endif
