// What tests share that run models by a method, with an error: RUN_BEGINS is the text that all of them begin with,
// RUN_KEYS further keys of `simulate`.
#ifndef FLY_TESTS_ANALYSIS_RUNS_H
#define FLY_TESTS_ANALYSIS_RUNS_H

#include "analysis/driven.h"

#ifndef RUN_BEGINS
#define RUN_BEGINS ""
#endif
#ifndef RUN_KEYS
#define RUN_KEYS ""
#endif

static inline driven run(const char *text, const char *method, double error, double end, double output,
                         const char *names) {
  char full[8000];
  driven d = driven_default(FLY_DYNAMICS, end, output);
  snprintf(full, sizeof full, RUN_BEGINS "%ssimulate: {end: %g, output: %g, method: %s, error: %g" RUN_KEYS "}\n", text,
           end, output, method, error);
  drive(&d, full, names);
  return d;
}

static inline driven run_well(const char *text, const char *method, double error, double end, double output,
                              const char *names) {
  driven d = run(text, method, error, end, output, names);
  assert_ok(d.status, &d.error);
  return d;
}

// Of an event by its name, or by the part it plays for its element ("stops", "breaks_away").
static inline fly_event_told told(const driven *d, const char *name) {
  for (int k = 0; k < fly_run_events(d->run); k++) {
    const fly_event_told e = fly_run_event(d->run, k);
    if (strcmp(e.part ? e.part : e.name, name) == 0)
      return e;
  }
  fail_msg("there is no event %s", name);
  return (fly_event_told){0};
}

static inline void refused_text(const char *text, const char *says) {
  driven d = run(text, "ch", 1e-5, 1, 1, "");
  assert_int_equal(d.status, FLY_BAD_INPUT);
  if (!strstr(d.error.message, says))
    fail_msg("%s", d.error.message);
  driven_free(&d);
}

#endif
