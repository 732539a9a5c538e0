// A JSON writer: calls in the order of the text. Commas, line breaks and escapes are its business, nesting the
// caller's.
//
//   fly_json j = fly_json_to(fly_to_file, stdout, 2);
//   fly_json_begin_object(&j);
//   fly_json_key(&j, "time"), fly_json_number(&j, 0.1);
//   fly_json_key(&j, "names"), fly_json_begin_array(&j), fly_json_string(&j, "crank"), fly_json_end_array(&j);
//   fly_json_end_object(&j);
//   if (!fly_json_finish(&j)) ...
#ifndef FLYBALL_JSON_H
#define FLYBALL_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "flyball/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// State of a text being written. Owns nothing.
typedef struct fly_json {
  fly_sink *sink;
  void *user;   // of the sink
  int indent;   // spaces a level; 0: all on one line
  int depth;    // open objects and arrays
  bool follows; // a value stands before on this level: the next one needs a comma
  bool keyed;   // a key was just written: its value stays on the line
  bool misused; // calls came in an order that gives no JSON
  bool full;    // the sink took no more
} fly_json;

fly_json fly_json_to(fly_sink *sink, void *user, int indent);
// Ends the text with a newline, and the sink. False if any of it could not be written, or calls did not give JSON.
bool fly_json_finish(fly_json *j);

void fly_json_begin_object(fly_json *j);
void fly_json_end_object(fly_json *j);
void fly_json_begin_array(fly_json *j);
void fly_json_end_array(fly_json *j);

void fly_json_key(fly_json *j, const char *key); // inside an object, before each value

void fly_json_string(fly_json *j, const char *text); // UTF-8, bytes that are not become U+FFFD; NULL: null
void fly_json_number(fly_json *j, double x);         // fewest digits that read back the same; not finite: null
void fly_json_integer(fly_json *j, long long i);
void fly_json_bool(fly_json *j, bool b);
void fly_json_null(fly_json *j);
// A key with its value.
void fly_json_put_string(fly_json *j, const char *key, const char *text);
void fly_json_put_number(fly_json *j, const char *key, double x);
void fly_json_put_integer(fly_json *j, const char *key, long long i);
void fly_json_put_bool(fly_json *j, const char *key, bool b);
void fly_json_open_object(fly_json *j, const char *key);
void fly_json_open_array(fly_json *j, const char *key);
void fly_json_raw(fly_json *j, const char *json);              // a value that is JSON already, written as it is
void fly_json_numbers(fly_json *j, const double *x, size_t n); // an array of n numbers on one line

#ifdef __cplusplus
}
#endif
#endif
