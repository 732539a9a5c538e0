// The program's pages and pictures: report, run --report, view, render.
// timeout: 120
#define _POSIX_C_SOURCE 200809L
#define SCRATCH "report-cli"
#include "cli/program.h"
#include "support/page.h"

#include <sys/stat.h>

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
  if (mkdtemp(folder) == NULL)
    return 1;
  write_file("lock.yaml", lock);
  return shell("$F run $E/slider-crank.yaml --error 1e-4 --csv --report 2>&1") != 0;
}

static void a_run_with_its_page(void **state) {
  struct stat what;
  char path[200];
  page p;
  open_page(&p, "slider-crank.html");
  const fly_tree_node *r = page_result(&p, 0);
  assert_string_equal(page_get(page_get(r, "scene"), "name")->text, "slider crank");
  assert_int_equal(page_number(page_table(r, "samples"), "rows"), 1001);
  assert_true(page_get(page_get(r, "story"), "t")->count > 10);
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

// What failed is marked as failed, in the page of its run too, and no text of the model is taken for HTML.
static void a_failed_run_says_so(void **state) {
  assert_int_equal(shell("$F run lock.yaml --report 2>&1"), 1);
  assert_says("lock.html: ");
  page p;
  open_page(&p, "lock.html");
  const fly_tree_node *r = page_result(&p, 0), *record = page_get(r, "record");
  assert_string_not_equal(page_get(record, "status")->text, "ok");
  assert_non_null(strstr(page_get(record, "message")->text, "`drive, displacement` depends on"));
  assert_string_equal(page_get(page_get(r, "scene"), "name")->text, "</script><h1>lock");
  assert_null(strstr(p.text, "<h1>lock"));
  const fly_tree_node *rejected = page_get(page_get(page_get(r, "story"), "rejected"), "error");
  double sum = 0, x = 0;
  for (int k = 0; k < rejected->count; k++, sum += x)
    assert_true(fly_tree_number(rejected->entry[k].value, &x));
  assert_true(sum > 0);
  page_close(&p);
}

// The page of an old run does not stand for a new one that could not begin.
static void no_page_without_a_run(void **state) {
  assert_int_equal(shell("rm -f other.html; $F run none.yaml --report --out other 2>&1; test -e other.html"), 1);
}

static void a_model_before_any_run(void **state) {
  assert_int_equal(shell("$F view $E/bricard.yaml 2>&1"), 0);
  assert_says("bricard-view.html: ");
  page p;
  open_page(&p, "bricard-view.html");
  const fly_tree_node *r = page_result(&p, 0);
  assert_string_equal(page_get(page_get(r, "record"), "status")->text, "none");
  assert_string_equal(page_get(r, "name")->text, "bricard");
  assert_int_equal(page_number(page_table(r, "samples"), "rows"), 1);
  assert_int_equal(page_get(page_get(r, "scene"), "joints")->count, 6);
  page_close(&p);
  assert_int_equal(shell("mkdir alone; cd alone; $F view ../lock.yaml -o v.html 2>&1 && ls"), 0);
  assert_says("MB\nv.html\n"); // and nothing else
  assert_int_equal(shell("$F view 2>&1"), 2);
  assert_int_equal(shell("$F view none.yaml 2>&1"), 2);
  assert_says("none.yaml: there is no such file");
}

// A loop that cannot close is shown as it is given.
static void a_model_that_cannot_be_assembled(void **state) {
  assert_int_equal(shell("printf 'flyball: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
                         "joints:\n  pin: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                         "  link: {type: distance, from: ground, to: a, length: 3}\n' > open.yaml; "
                         "$F view open.yaml 2>&1"),
                   1);
  assert_says("link");
  page p;
  open_page(&p, "open-view.html");
  const fly_tree_node *r = page_result(&p, 0);
  assert_string_equal(page_get(page_get(r, "record"), "status")->text, "inconsistent start");
  assert_int_equal(page_get(page_get(r, "scene"), "bodies")->count, 2);
  assert_int_equal(page_get(r, "tables")->count, 0);
  page_close(&p);
}

static void pictures_need_a_browser(void **state) {
  assert_int_equal(shell("PATH=/nowhere; $F render slider-crank -o a.png 2>&1"), 1);
  assert_says("there is no Chromium here");
  // a program of that name that does nothing, or fails, leaves no picture and a message
  assert_int_equal(shell("mkdir -p bin; printf '#!/bin/sh\\nexit 0\\n' > bin/chromium; chmod +x bin/chromium; "
                         "PATH=$PWD/bin:/bin:/usr/bin; export TMPDIR=$PWD; $F render slider-crank -o a.png 2>&1; "
                         "s=$?; ls -d flyball-* a.png 2>/dev/null; exit $s"),
                   1);
  assert_says("bin/chromium could not draw the page");
  assert_null(strstr(output, "\nflyball-"));
  assert_null(strstr(output, "a.png\n"));
  assert_int_equal(shell("PATH=$PWD/bin; $F render slider-crank -o a.mp4 2>&1"), 1);
  assert_says("there is no ffmpeg here");
}

static void wrong_lines(void **state) {
  assert_int_equal(shell("printf 'time [s],x\\n0,1\\n' > plain.csv"), 0);
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
      {"render", "render takes one result"},
      {"render slider-crank", "render needs -o FILE.png, FILE.mp4 or FILE.webm."},
      {"render none -o a.png", "none: cannot be read"},
      {"render plain.csv -o a.png",
       "plain.csv has no scene (results of flyball run have one): there is nothing to draw."},
      {"render slider-crank -o nowhere/a.png", "cannot write nowhere/a.png: there is no folder 'nowhere'; make it"},
      {"render slider-crank -o a.gif", "'a.gif' is none of FILE.png, FILE.mp4 and FILE.webm."},
      {"render slider-crank -o a.png --size 12", "--size: '12' is not a size such as 1280x720"},
      {"render slider-crank -o a.png --size 12x99999", "is not a size"},
      {"render slider-crank -o a.png --view 'a b'", "--view: 'a b' has a character that no name has."},
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
      cmocka_unit_test(a_run_with_its_page),     cmocka_unit_test(pages_of_results),
      cmocka_unit_test(a_failed_run_says_so),    cmocka_unit_test(no_page_without_a_run),
      cmocka_unit_test(a_model_before_any_run),  cmocka_unit_test(a_model_that_cannot_be_assembled),
      cmocka_unit_test(pictures_need_a_browser), cmocka_unit_test(wrong_lines),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
