// Running the program as a user does: what the tests of the command line share. Define SCRATCH before.
#ifndef FLY_TESTS_CLI_PROGRAM_H
#define FLY_TESTS_CLI_PROGRAM_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/flyball-" SCRATCH "-XXXXXX"; // to write in
static char output[400000];                               // of the last run

// Runs a line of the shell; returns the exit status.
static int run_line(const char *line) {
  FILE *pipe = popen(line, "r");
  assert_non_null(pipe);
  const size_t n = fread(output, 1, sizeof output - 1, pipe);
  output[n] = 0;
  const int status = pclose(pipe);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

// The same in the scratch folder; $F: the program, $E: the examples.
static inline int shell(const char *line) {
  char all[3000];
  const int n = snprintf(all, sizeof all, "cd %s; F='%s'; E='%s/examples'; export LC_ALL=C COLUMNS=100; %s", folder,
                         FLY_TEST_PROGRAM, FLY_TEST_SOURCE_DIR, line);
  assert_in_range(n, 1, sizeof all - 1);
  return run_line(all);
}

static inline void write_file(const char *name, const char *text) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static inline void assert_says(const char *part) {
  if (strstr(output, part) == NULL)
    fail_msg("'%s' is not in the output:\n%.3000s", part, output);
}

static inline void assert_silent_about(const char *part) {
  if (strstr(output, part) != NULL)
    fail_msg("'%s' is in the output:\n%.3000s", part, output);
}

// The number behind "key": of the last run's JSON object; the first number if it is an array.
static inline double json_number(const char *key) {
  char quoted[64];
  snprintf(quoted, sizeof quoted, "\"%s\":", key);
  const char *found = strstr(output, quoted);
  if (found == NULL) {
    fail_msg("no \"%s\" in the output:\n%.3000s", key, output);
    return NAN;
  }
  found += strlen(quoted);
  return strtod(found + strspn(found, " ["), NULL);
}

static inline int remove_folder(void **state) {
  char line[100];
  snprintf(line, sizeof line, "rm -r '%s'", folder);
  return system(line) != 0; // NOLINT(cert-env33-c)
}

#endif
