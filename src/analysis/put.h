// Parts that the JSON texts of runs and modes have in common.
#ifndef FLY_ANALYSIS_PUT_H
#define FLY_ANALYSIS_PUT_H

#include "flyball/json.h"

typedef struct fly_named_number {
  const char *name;
  double value;
} fly_named_number;

// Into the object that is open; a name of NULL ends the list.
void fly_put_numbers(fly_json *j, const fly_named_number *list);
#define FLY_PUT_NUMBERS(j, ...) fly_put_numbers(j, (const fly_named_number[]){__VA_ARGS__, {NULL, 0}})

// Into the array that is open: each line of a text.
void fly_put_lines(fly_json *j, const char *text);

#endif
