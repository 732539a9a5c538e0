// Texts that go with a result.
#ifndef FLY_ANALYSIS_ATTACH_H
#define FLY_ANALYSIS_ATTACH_H

#include "base/stream.h"
#include "result/result.h"

// Attaches what `write` writes of an object; `what` is it called in the message, if there is no memory for it.
fly_status fly_attach(fly_result_writer *w, const char *name, const char *what, fly_stream_fn *write,
                      const void *object, fly_error *error);

#endif
