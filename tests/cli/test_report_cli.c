// The program's pages: report, run --report.
// timeout: 120
#define _POSIX_C_SOURCE 200809L
#include "support/page.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/flyball-report-cli-XXXXXX";
static char output[100000]; // of the last run

// Runs a line of the shell in the scratch folder ($F: the program, $E: the examples); returns the exit status.
static int shell(const char *line) {
  char all[3000];
  const int n = snprintf(all, sizeof all, "cd %s; F='%s'; E='%s/examples'; export LC_ALL=C; %s", folder,
                         FLY_TEST_PROGRAM, FLY_TEST_SOURCE_DIR, line);
  assert_in_range(n, 1, sizeof all - 1);
  FILE *pipe = popen(all, "r");
  assert_non_null(pipe);
  const size_t length = fread(output, 1, sizeof output - 1, pipe);
  output[length] = 0;
  const int status = pclose(pipe);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void assert_says(const char *part) {
  if (strstr(output, part) == NULL)
    fail_msg("'%s' is not in the output:\n%.3000s", part, output);
}

static void open_page(page *p, const char *name) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  page_open(p, path);
}

// A slider driven away from a link that is too short for it: fails half-way.
static const char lock[] = "flyball: 1\n"
                           "name: </script><h1>lock\n"
                           "bodies:\n"
                           "  a: {type: planar, mass: 1, inertia: 0.1, markers: {e: [1, 0]}}\n"
                           "  b: {type: planar, mass: 1, inertia: 0.1, position: [1, 0.5]}\n"
                           "joints:\n"
                           "  across: {type: translational, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
                           "  up: {type: translational, bodies: [ground, b], at: [1, 0.5, 0], axis: [0, 1, 0]}\n"
                           "  link: {type: distance, from: a.e, to: b}\n"
                           "motions:\n"
                           "  drive: {joint: across, displacement: time}\n"
                           "simulate: {end: 1, output: 0.001}\n";

static int make_folder(void **state) {
  char path[200];
  if (mkdtemp(folder) == NULL)
    return 1;
  snprintf(path, sizeof path, "%s/lock.yaml", folder);
  FILE *file = fopen(path, "w");
  if (file == NULL || fputs(lock, file) < 0 || fclose(file) != 0)
    return 1;
  return shell("$F run $E/slider-crank.yaml --error 1e-4 --report 2>&1") != 0;
}

static int remove_folder(void **state) {
  char line[100];
  snprintf(line, sizeof line, "rm -r '%s'", folder);
  return system(line) != 0; // NOLINT(cert-env33-c)
}

static void a_run_with_its_page(void **state) {
  struct stat what;
  char path[200];
  page p;
  open_page(&p, "slider-crank.html");
  const fly_tree_node *r = page_result(&p, 0);
  assert_string_equal(page_get(page_get(r, "scene"), "name")->text, "slider crank");
  assert_int_equal(page_number(page_table(r, "samples"), "rows"), 1001);
  assert_true(page_get(page_get(r, "story"), "t")->count > 100);
  page_close(&p);
  snprintf(path, sizeof path, "%s/slider-crank.html", folder);
  assert_int_equal(stat(path, &what), 0);
  assert_true(what.st_size < 3000000);
}

static void pages_of_results(void **state) {
  assert_int_equal(shell("$F report slider-crank.csv -o other.html 2>&1"), 0);
  assert_says("other.html: ");
  page p;
  open_page(&p, "other.html");
  assert_int_equal(page_number(page_table(page_result(&p, 0), "samples"), "rows"), 1001);
  page_close(&p);
  assert_int_equal(shell("$F report slider-crank ./slider-crank.csv 2>&1 --title 'A & B'"), 0);
  assert_says("slider-crank-slider-crank.html: ");
  open_page(&p, "slider-crank-slider-crank.html");
  assert_string_equal(page_get(p.head->root, "title")->text, "A & B");
  assert_int_equal(page_get(p.head->root, "results")->count, 2);
  page_close(&p);
}

static void wrong_lines(void **state) {
  static const struct {
    const char *arguments, *says;
  } lines[] = {
      {"report", "report takes a result, or two to compare"},
      {"report none", "none: cannot be read: No such file or directory."},
      {"report lock.yaml", "not a result of Flyball"},
      {"report slider-crank -o no/such.html", "no/such.html: cannot be written"},
      {"report slider-crank a b", "one argument too many"},
      {"report slider-crank --limit 0", "--limit: '0' must be greater than 0."},
      {"report slider-crank -o", "--out needs a value"},
      {"report slider-crank -x", "has no option -x"},
  };
  for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
    char line[200];
    snprintf(line, sizeof line, "$F %s 2>&1", lines[k].arguments);
    assert_int_equal(shell(line), 2);
    assert_says(lines[k].says);
  }
  assert_int_equal(shell("PATH=/nowhere; $F report slider-crank --open 2>&1"), 1);
  assert_says("there is no xdg-open here");
  assert_int_equal(shell("$F report --help"), 0);
  assert_says("flyball report slider-crank --open");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_with_its_page),
      cmocka_unit_test(pages_of_results),
      cmocka_unit_test(wrong_lines),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
