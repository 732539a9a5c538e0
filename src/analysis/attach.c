#include "analysis/attach.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

fly_status fly_attach(fly_result_writer *w, const char *name, const char *what, fly_stream_fn *write,
                      const void *object, fly_error *error) {
  char *bytes;
  size_t size;
  if (!fly_stream_bytes(&bytes, &size, write, object))
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %s.", what);
  const fly_status status = fly_result_attach(w, name, bytes, size, error);
  free(bytes);
  return status;
}
