// What the tests of analyses share: a model from text, simulated by the public interface, its results read back.
#ifndef FLY_TESTS_ANALYSIS_SIMULATION_H
#define FLY_TESTS_ANALYSIS_SIMULATION_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flyball/model.h"
#include "flyball/result.h"
#include "support/motion.h"

typedef struct simulation {
  fly_run_options options;
  fly_mechanism *mechanism;
  fly_run *run;
  fly_status status;
  fly_error error;
} simulation;

static inline simulation simulation_default(double end, double step) {
  simulation s = {.options = fly_run_options_default()};
  s.options.end = end;
  s.options.step = step;
  return s;
}

static inline void simulate_file(simulation *s, const char *file) {
  s->status = fly_mechanism_load(&s->mechanism, file, 0, NULL, &s->error);
  if (s->status == FLY_OK)
    s->status = fly_run_create(&s->run, s->mechanism, &s->options, &s->error);
  if (s->status == FLY_OK)
    s->status = fly_run_start(s->run, &s->error);
  if (s->status == FLY_OK)
    s->status = fly_run_go(s->run, &s->error);
}

static inline void simulate_text(simulation *s, const char *text) {
  char file[] = "/tmp/flyball-simulation-XXXXXX";
  int handle = mkstemp(file);
  assert_true(handle >= 0);
  assert_int_equal(write(handle, text, strlen(text)), strlen(text));
  close(handle);
  simulate_file(s, file);
  unlink(file);
}

static inline void simulation_free(simulation *s) {
  fly_run_free(s->run);
  fly_mechanism_free(s->mechanism);
}

static char folder[] = "/tmp/flyball-simulation-XXXXXX"; // of the results

static inline int make_folder(void **state) { return mkdtemp(folder) == NULL; }

static inline int remove_folder(void **state) {
  char line[100];
  snprintf(line, sizeof line, "rm -r '%s'", folder);
  return system(line); // NOLINT(cert-env33-c)
}

// Runs it and opens what it wrote.
static inline fly_result *simulate_into_folder(simulation *s, const char *text) {
  static int number;
  char out[100];
  fly_result *r = NULL;
  snprintf(out, sizeof out, "%s/run-%d", folder, ++number);
  s->options.out = out;
  s->options.hdf5 = true;
  simulate_text(s, text);
  assert_ok(s->status, &s->error);
  assert_int_equal(fly_result_open(&r, out, NULL), FLY_OK);
  return r;
}

// A channel of a result, all rows; the caller's to free.
static inline double *read_channel(fly_result *r, const char *name) {
  const fly_result_info *i = fly_result_info_of(r);
  int column = fly_result_find(r, name);
  double *values = malloc((size_t)i->rows * sizeof *values);
  if (column < 0)
    fail_msg("there is no channel %s", name);
  assert_non_null(values);
  assert_int_equal(fly_result_read(r, values, &column, 1, 0, i->rows, NULL), FLY_OK);
  return values;
}

#endif
