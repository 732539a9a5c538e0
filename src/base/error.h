// Filling a fly_error.
#ifndef FLY_BASE_ERROR_H
#define FLY_BASE_ERROR_H

#include <stddef.h>

#include "flyball/status.h"

// Writes status, time and a printf message into error (may be NULL) and returns status. time may be NAN.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
fly_status
fly_fail(fly_error *error, fly_status status, double time, const char *format, ...);

// A place in a file; file NULL: made by a program.
typedef struct fly_place {
  const char *file;
  int line, column;
} fly_place;
#define FLY_NOWHERE ((fly_place){NULL, 0, 0})
// "file:line:column: " or "" into text, for messages.
void fly_place_text(char *text, size_t size, fly_place place);

// The same of something that has a name, or a place, or both: the message begins with the place, and the fields of the
// error have the two. element NULL: it has no name.
#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
fly_status
fly_fail_at(fly_error *error, fly_status status, double time, fly_place place, const char *element, const char *format,
            ...);
// Of an error whose message is written: the fields, place and name.
void fly_error_locate(fly_error *error, fly_place place, const char *element);

// Appends to the message of an error that is already filled; cut at the end of the buffer.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void fly_error_append(fly_error *error, const char *format, ...);

// Takes a part out of its message, if it is there.
void fly_error_drop(fly_error *error, const char *part);

// What a call needs was not given: FLY_BAD_INPUT, "fly_run_go: no run was given (NULL)."
fly_status fly_missing(fly_error *error, const char *call, const char *what);

#endif
