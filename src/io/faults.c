#include "io/faults.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

bool fly_faults_go_on(const fly_faults *f) { return f->status != FLY_NO_MEMORY && f->count < FLY_FAULTS; }

void fly_faults_no_memory(fly_faults *f) {
  f->status = fly_fail(f->error, FLY_NO_MEMORY, NAN, "Not enough memory for the model.");
}

void fly_faults_add(fly_faults *f, const fly_error *one) {
  static const char more[] = "\nThere are more faults.";
  const char *message = one->message;
  f->count++;
  if (f->status == FLY_OK) {
    f->status = FLY_BAD_INPUT;
    if (f->error != NULL)
      *f->error = *one;
    return;
  }
  if (f->error == NULL || f->status == FLY_NO_MEMORY)
    return;
  const size_t used = strlen(f->error->message), room = sizeof f->error->message - sizeof more;
  const bool last = f->count == FLY_FAULTS || used + 1 + strlen(message) > room;
  if (used + 1 + strlen(message) <= room)
    fly_error_append(f->error, "\n%s", message);
  if (last) {
    fly_error_append(f->error, "%s", more);
    f->count = FLY_FAULTS;
  }
}
