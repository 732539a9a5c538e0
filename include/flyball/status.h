// Status of a call, and the message that explains it.
#ifndef FLYBALL_STATUS_H
#define FLYBALL_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Every call that can fail returns one of these. 0 is success.
typedef enum fly_status {
  FLY_OK = 0,
  FLY_STOPPED,        // an event asked the run to stop: done as asked, before the end time
  FLY_NO_MEMORY,      // an allocation failed
  FLY_BAD_INPUT,      // an option, a size or an argument makes no sense
  FLY_CALLBACK,       // a callback of the problem returned < 0 (fatal)
  FLY_NOT_FINITE,     // a callback returned NaN or infinity and a smaller step did not help; or results are so
  FLY_INCONSISTENT,   // the start does not fit the constraints and cannot be projected onto them
  FLY_REDUNDANT,      // constraint rows depend on each other
  FLY_SINGULAR,       // the matrix of a step is singular: the configuration is singular
  FLY_NO_CONVERGENCE, // Newton's iteration fails down to the smallest step
  FLY_STEP_TOO_SMALL, // the error asked for needs steps below the smallest one
  FLY_TOO_MANY_STEPS, // the limit on the number of steps is reached
  FLY_NOT_KEPT,       // the run is complete, but round-off did not let the error asked for be kept
  FLY_FILE,           // a file could not be written to its end, as on a full disk
  FLY_NO_PROGRESS     // at the pace of the last steps the run would never end
} fly_status;

// What happened, where, and what to try. Given last to calls that can fail; may be NULL.
typedef struct fly_error {
  fly_status status;
  double time;        // simulated time at which it happened [s]; NAN if that means nothing
  char message[1024]; // full sentences, no trailing newline
  // Where it happened, for programs:
  char file[256];    // of a model, or the name that stands for it; "": none
  int line, column;  // in it, from 1; 0: none
  char element[100]; // what it is about: the name of an element, a key, a channel, a callback; "": none
} fly_error;

// Where text goes: called with one piece after the other, and with length 0 behind the last. False: it cannot be taken,
// and the call that writes fails.
typedef bool fly_sink(const char *text, size_t length, void *user);
bool fly_to_file(const char *text, size_t length, void *file); // the sink of a FILE * of C

// A short name such as "no convergence"; never NULL.
const char *fly_status_name(fly_status status);

// Whether there is memory for the buffers of OpenBLAS (128 MB of addresses for each of its threads): where a limit such
// as `ulimit -v` leaves none, it does not fail but tries for ever. Calls of this library that need it ask before, and
// return FLY_NO_MEMORY. A program that gets FLY_NO_MEMORY here should end with _exit: OpenBLAS waits at exit for
// threads that still try. OPENBLAS_NUM_THREADS=1 in the environment does without them.
fly_status fly_memory_check(fly_error *error);

// Version of the library that is running, "major.minor.patch".
const char *fly_version(void);

#ifdef __cplusplus
}
#endif
#endif
