// The parts that come with the program: each is there, explained and run by three methods; each against a closed form
// or an independent integration; samples at exact times.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include <stdio.h>

#include "analysis/driven.h"

#include "io/parts.h"
#include "support/parts.h"

static const char *const METHODS[] = {"ch", "radau", "partition"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

static driven run(const char *text, const char *method, double error, double end, double output, const char *names) {
  char full[8000];
  driven d = driven_default(FLY_DYNAMICS, end, output);
  snprintf(full, sizeof full, "%ssimulate: {end: %g, output: %g, method: %s, error: %g, error_per: step}\n", text, end,
           output, method, error);
  drive(&d, full, names);
  if (d.status != FLY_OK)
    fail_msg("%s\n%s", full, d.error.message);
  return d;
}

// ------------------------------------------------------------------------------------------ all of them

static char *explained(const char *part) {
  char *out = NULL;
  size_t length;
  fly_error error = {0};
  FILE *file = open_memstream(&out, &length);
  assert_non_null(file);
  assert_ok(fly_explain(part, fly_to_file, file, &error), &error);
  fclose(file);
  return out;
}

// A new part is in the table, says what it is and gives an example.
static void every_part_is_explained(void **state) {
  for (int k = 0; k < fly_shipped_part_count; k++) {
    const char *name = fly_shipped_parts[k].name;
    char use[100];
    char *text = explained(name);
    if (part_model_of(name) == NULL)
      fail_msg("tests/support/parts.h has no model for the part %s", name);
    snprintf(use, sizeof use, "{part: %s, ", name);
    assert_non_null(strstr(text, "(a part, for use): "));
    assert_non_null(strstr(text, "\nparameters:\n"));
    if (strstr(text, use) == NULL)
      fail_msg("the head of %s has no example", name);
    free(text);
  }
  assert_int_equal(fly_shipped_part_count, PART_MODEL_COUNT);
}

// Three methods agree on what a part does.
static void every_part_runs(void **state) {
  for (int k = 0; k < PART_MODEL_COUNT; k++) {
    driven by[METHOD_COUNT];
    double largest = 0, apart = 0;
    for (int i = 0; i < METHOD_COUNT; i++)
      by[i] = run(PART_MODELS[k].text, METHODS[i], i == 0 ? 1e-5 : 1e-7, 0.6, 0.0503, PART_MODELS[k].out);
    for (int i = 1; i < METHOD_COUNT; i++)
      for (long r = 0; r < by[0].rows; r++) {
        largest = fmax(largest, fabs(row_of(&by[0], r)[1]));
        apart = fmax(apart, fabs(row_of(&by[i], r)[1] - row_of(&by[0], r)[1]));
      }
    say("%-20s %s up to %.3g, methods apart by %.1e\n", PART_MODELS[k].part, PART_MODELS[k].out, largest, apart);
    assert_true(largest > 0);
    if (!(apart < 5e-3 * largest))
      fail_msg("%s: %s differs by %g of %g", PART_MODELS[k].part, PART_MODELS[k].out, apart, largest);
    for (int i = 0; i < METHOD_COUNT; i++)
      driven_free(&by[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_part_is_explained),
      cmocka_unit_test(every_part_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
