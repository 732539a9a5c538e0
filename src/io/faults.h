// Faults of a model file, collected: a user sees several at once.
#ifndef FLY_IO_FAULTS_H
#define FLY_IO_FAULTS_H

#include <stdbool.h>

#include "flyball/status.h"

enum { FLY_FAULTS = 5 }; // so many are reported

typedef struct fly_faults {
  fly_error *error; // filled by the first, extended by others
  fly_status status;
  int count;
} fly_faults;

void fly_faults_add(fly_faults *f, const fly_error *one); // its message, if it fits; the first gives the place
void fly_faults_no_memory(fly_faults *f);
bool fly_faults_go_on(const fly_faults *f); // memory is there, and not too many were found

#endif
