// Pages: what is in the file is in the page, peaks of a thinned result too; what is damaged is said.
// labels: valgrind
#define _POSIX_C_SOURCE 200809L
#include "support/page.h"

#include <sys/stat.h>
#include <unistd.h>

#include "flyball/report.h"
#include "flyball/result.h"

static char folder[] = "/tmp/flyball-report-XXXXXX";
static char base[100], html[100];

static int make_folder(void **state) {
  if (mkdtemp(folder) == NULL)
    return 1;
  snprintf(base, sizeof base, "%s/run", folder);
  snprintf(html, sizeof html, "%s/run.html", folder);
  return 0;
}

static int remove_folder(void **state) {
  char line[100];
  snprintf(line, sizeof line, "rm -r '%s'", folder);
  return system(line) != 0; // NOLINT(cert-env33-c)
}

static const char *in_folder(char path[200], const char *name) {
  snprintf(path, 200, "%s/%s", folder, name);
  return path;
}

static void write_file(const char *name, const char *text) {
  char path[200];
  FILE *file = fopen(in_folder(path, name), "wb");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

// ------------------------------------------------------------------------------------------ a result

// Two channels of a body, one that has a single peak, one with holes.
enum { X, ANGLE, PEAK, HOLES, CHANNELS };
static const fly_channel channels[CHANNELS] = {{"crank.x", "m", "of the mass centre"},
                                               {"crank.angle", "rad", NULL},
                                               {"pin.f<x>", "N", "with </script> in it"},
                                               {"holes", "", NULL}};

static double value_of(int channel, long row, long rows) {
  const double t = 1e-3 * (double)row;
  switch (channel) {
  case X:
    return sin(t);
  case ANGLE:
    return t;
  case PEAK:
    return row == rows / 3 ? 1e6 : row == rows / 3 + 1 ? -2e6 : 1e-3 * sin(40 * t);
  default:
    return row % 100 == 7 ? (double)NAN : row == 50 ? (double)INFINITY : 1 + t;
  }
}

static const char scene[] = "{\"planar\": true, \"bodies\": [{\"name\": \"</script><script>alert(1)</script>\"}]}";

static void make_result(long rows, unsigned formats, bool attachments) {
  fly_result_options o = fly_result_options_default();
  fly_result_writer *w = NULL;
  fly_error error = {0};
  o.formats = formats;
  assert_int_equal(fly_result_create(&w, base, channels, CHANNELS, &o, &error), FLY_OK);
  for (long i = 0; i < rows; i++) {
    double row[1 + CHANNELS] = {1e-3 * (double)i};
    for (int k = 0; k < CHANNELS; k++)
      row[1 + k] = value_of(k, i, rows);
    assert_int_equal(fly_result_append(w, row, 1, &error), FLY_OK);
  }
  static const char record[] = "{\"status\": \"no convergence\", \"message\": \"At t = 1 s ... <b>\"}",
                    story[] = "{\"t\": []}";
  if (attachments) {
    assert_int_equal(fly_result_attach(w, "scene.json", scene, strlen(scene), &error), FLY_OK);
    assert_int_equal(fly_result_attach(w, "record.json", record, strlen(record), &error), FLY_OK);
    assert_int_equal(fly_result_attach(w, "story.json", story, strlen(story), &error), FLY_OK);
  }
  assert_int_equal(fly_result_finish(w, &error), FLY_OK);
}

static fly_report_result report_of(const char *path, double limit) {
  fly_report_options o = fly_report_options_default();
  fly_report_result done = {0};
  fly_error error = {0};
  if (limit > 0)
    o.limit = limit;
  if (fly_report_write(html, 1, &path, &o, &done, &error) != FLY_OK)
    fail_msg("%s", error.message);
  return done;
}

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

// ------------------------------------------------------------------------------------------ tests

static void a_small_result_is_there_to_the_last_digit(void **state) {
  static const unsigned formats[] = {FLY_RESULT_HDF5, FLY_RESULT_CSV};
  for (int f = 0; f < 2; f++) {
    enum { ROWS = 1234 };
    char path[200];
    make_result(ROWS, formats[f], true);
    const fly_report_result done = report_of(in_folder(path, f == 0 ? "run.h5" : "run.csv"), 0);
    assert_int_equal(done.rows, ROWS);
    assert_int_equal(done.kept, ROWS);
    page p;
    page_open(&p, html);
    const fly_tree_node *r = page_result(&p, 0), *samples = page_table(r, "samples");
    assert_string_equal(page_get(r, "name")->text, "run");
    assert_int_equal(page_number(samples, "rows"), ROWS);
    assert_int_equal(page_number(samples, "source_rows"), ROWS);
    assert_null(page_table(r, "envelope"));
    for (int k = -1; k < CHANNELS; k++) {
      double *column = page_column(&p, samples, k);
      assert_non_null(column);
      for (long i = 0; i < ROWS; i++)
        assert_true(same_number(column[i], k < 0 ? 1e-3 * (double)i : value_of(k, i, ROWS)));
      free(column);
    }
    const fly_tree_node *c = page_get(r, "channels");
    assert_int_equal(c->count, CHANNELS);
    assert_string_equal(page_get(c->entry[PEAK].value, "name")->text, "pin.f<x>");
    assert_string_equal(page_get(c->entry[PEAK].value, "unit")->text, "N");
    if (f == 0)
      assert_string_equal(page_get(c->entry[PEAK].value, "description")->text, "with </script> in it");
    page_close(&p);
  }
}

static void attachments_are_there_and_end_no_element(void **state) {
  char path[200];
  make_result(10, FLY_RESULT_HDF5, true);
  report_of(in_folder(path, "run.h5"), 0);
  page p;
  page_open(&p, html); // checks that no < is in the head
  const fly_tree_node *r = page_result(&p, 0), *bodies = page_get(page_get(r, "scene"), "bodies");
  assert_string_equal(page_get(bodies->entry[0].value, "name")->text, "</script><script>alert(1)</script>");
  assert_string_equal(page_get(page_get(r, "record"), "status")->text, "no convergence");
  assert_int_equal(page_get(page_get(r, "story"), "t")->count, 0);
  assert_null(strstr(p.text, "alert(1)</script>"));
  page_close(&p);
}

// More rows than fit: every peak is in the envelope, the animation has the first and the last row.
static void a_thinned_result_keeps_its_peaks(void **state) {
  enum { ROWS = 300001 };
  char path[200];
  make_result(ROWS, FLY_RESULT_HDF5, true);
  const fly_report_result done = report_of(in_folder(path, "run.h5"), 200e3);
  page p;
  page_open(&p, html);
  const fly_tree_node *r = page_result(&p, 0), *samples = page_table(r, "samples"),
                      *envelope = page_table(r, "envelope");
  const long m = (long)page_number(samples, "rows"), parts = (long)page_number(envelope, "rows") / 2;
  assert_int_equal(done.kept, m);
  assert_true(m > 100 && m < 10000 && parts > 100 && parts <= 2000);
  assert_true((double)(p.size[0] + p.size[1]) < 200e3 + 8.0 * (double)(m + 2 * parts) + 1);
  assert_int_equal(page_number(envelope, "source_rows"), ROWS);
  assert_true(page_notes(r, "no peak is lost"));
  assert_true(page_notes(r, "The file has 300001 rows"));

  double *time = page_column(&p, samples, -1), *x = page_column(&p, samples, X);
  assert_true(time[0] == 0 && time[m - 1] == 1e-3 * (ROWS - 1));
  for (long i = 0; i < m; i++) {
    assert_true(i == 0 || time[i] > time[i - 1]);
    assert_true(fabs(x[i] - sin(time[i])) < 1e-6); // of the same row
  }
  free(time);
  free(x);

  time = page_column(&p, envelope, -1);
  for (int k = 0; k < CHANNELS; k++) {
    double *e = page_column(&p, envelope, k);
    for (long b = 0; b < parts; b++) {
      const long first = lround(time[2 * b] / 1e-3), last = lround(time[2 * b + 1] / 1e-3);
      assert_int_equal(first, b == 0 ? 0 : lround(time[2 * b - 1] / 1e-3) + 1); // no row is left out
      double low = INFINITY, high = -INFINITY;
      long low_row = 0, high_row = 0;
      for (long i = first; i <= last; i++) {
        const double v = value_of(k, i, ROWS);
        if (isfinite(v) && v < low)
          low = v, low_row = i;
        if (isfinite(v) && v > high)
          high = v, high_row = i;
      }
      assert_true(e[2 * b] == (double)(float)(low_row <= high_row ? low : high));
      assert_true(e[2 * b + 1] == (double)(float)(low_row <= high_row ? high : low));
    }
    assert_int_equal(lround(time[2 * parts - 1] / 1e-3), ROWS - 1);
    free(e);
  }
  free(time);
  page_close(&p);
}

// With many channels the animation keeps the poses, and plots all of them.
static void poses_come_first(void **state) {
  enum { WIDE = 500, ROWS = 3000 };
  static char name[WIDE][20];
  fly_channel channel[WIDE];
  char path[200];
  fly_result_options o = fly_result_options_default();
  fly_result_writer *w = NULL;
  for (int k = 0; k < WIDE; k++) {
    snprintf(name[k], sizeof name[k], k < 7 ? "b%d.x" : "b%d.fx", k);
    channel[k] = (fly_channel){name[k], "m", NULL};
  }
  assert_int_equal(fly_result_create(&w, base, channel, WIDE, &o, NULL), FLY_OK);
  for (long i = 0; i < ROWS; i++) {
    double row[1 + WIDE] = {(double)i};
    for (int k = 0; k < WIDE; k++)
      row[1 + k] = (double)(i + k);
    assert_int_equal(fly_result_append(w, row, 1, NULL), FLY_OK);
  }
  assert_int_equal(fly_result_finish(w, NULL), FLY_OK);
  report_of(in_folder(path, "run.h5"), 1e6);
  page p;
  page_open(&p, html);
  const fly_tree_node *r = page_result(&p, 0);
  assert_int_equal(page_get(page_table(r, "samples"), "columns")->count, 8);
  assert_int_equal(page_number(page_table(r, "samples"), "rows"), ROWS);
  assert_int_equal(page_get(page_table(r, "envelope"), "columns")->count, WIDE + 1);
  page_close(&p);
}

static void holes_are_told(void **state) {
  char path[200];
  make_result(1000, FLY_RESULT_CSV, true);
  report_of(in_folder(path, "run.csv"), 0);
  page p;
  page_open(&p, html);
  assert_true(page_notes(page_result(&p, 0),
                         "11 values of the channel holes are not finite numbers, the first at t = 0.007 s"));
  page_close(&p);
}

static void what_is_missing_is_told(void **state) {
  char path[200];
  write_file("plain.csv", "time [s],x [m]\n0,1\n1,2\n2,");
  report_of(in_folder(path, "plain.csv"), 0);
  page p;
  page_open(&p, html);
  const fly_tree_node *r = page_result(&p, 0);
  assert_true(page_notes(r, "no scene") && page_notes(r, "no record") && page_notes(r, "no story"));
  assert_true(page_notes(r, "The last line of the file has no end"));
  assert_string_equal(page_get(page_get(r, "record"), "status")->text, "unknown");
  assert_true(fly_tree_is_null(page_get(r, "scene")));
  assert_int_equal(page_number(page_table(r, "samples"), "rows"), 2);
  page_close(&p);

  write_file("empty.csv", "time [s],x [m]\n");
  report_of(in_folder(path, "empty.csv"), 0);
  page_open(&p, html);
  assert_true(page_notes(page_result(&p, 0), "There are no rows"));
  assert_int_equal(page_get(page_result(&p, 0), "tables")->count, 0);
  assert_int_equal(p.nblock, 0);
  page_close(&p);
}

static void damaged_attachments_are_told(void **state) {
  static const char *const bad[] = {"",          "{\"a\": 1",       "[]",  "{\"a\": NaN}", "{}x",
                                    "{\"a\" 1}", "{\"a\": \"\n\"}", "null"};
  char path[200];
  write_file("odd.csv", "time [s],x [m]\n0,1\n");
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    write_file("odd.scene.json", bad[k]);
    report_of(in_folder(path, "odd.csv"), 0);
    page p;
    page_open(&p, html);
    assert_true(page_notes(page_result(&p, 0), "scene.json of this result is damaged: it is not JSON."));
    assert_true(fly_tree_is_null(page_get(page_result(&p, 0), "scene")));
    page_close(&p);
  }
}

static void two_results_in_one_page(void **state) {
  char path[200], other[200];
  make_result(100, FLY_RESULT_CSV | FLY_RESULT_HDF5, true);
  const char *const both[] = {in_folder(path, "run.h5"), in_folder(other, "run.csv")};
  const fly_report_options o = fly_report_options_default();
  fly_error error = {0};
  assert_int_equal(fly_report_write(html, 2, both, &o, NULL, &error), FLY_OK);
  page p;
  page_open(&p, html);
  assert_string_equal(page_get(page_result(&p, 0), "name")->text, "run");
  assert_string_equal(page_get(page_result(&p, 1), "name")->text, "run (2)");
  for (int k = 0; k < 2; k++) {
    double *x = page_column(&p, page_table(page_result(&p, k), "samples"), X);
    assert_true(x[99] == sin(0.099));
    free(x);
  }
  page_close(&p);
}

static void refuse(const char *path, const char *says) {
  const fly_report_options o = fly_report_options_default();
  fly_error error = {0};
  write_file("run.html", "the page before");
  const fly_status status = fly_report_write(html, 1, &path, &o, NULL, &error);
  if (status != FLY_BAD_INPUT || strstr(error.message, says) == NULL)
    fail_msg("'%s' is not in: %s", says, error.message);
  char *text = page_read_file(html), part[120];
  assert_string_equal(text, "the page before"); // it stays
  free(text);
  snprintf(part, sizeof part, "%s.part", html);
  assert_int_not_equal(access(part, F_OK), 0);
}

static void foreign_and_damaged_files(void **state) {
  char path[200];
  refuse(in_folder(path, "none.h5"), "none.h5: cannot be read: No such file");
  write_file("foreign.csv", "name,age\nAda,36\n");
  refuse(in_folder(path, "foreign.csv"), "this is not a result of Flyball");
  write_file("word.csv", "time [s],x\n0,1\n1,one\n");
  refuse(in_folder(path, "word.csv"), "word.csv:3:3: 'one' is not a number");
  write_file("back.csv", "time [s],x\n0,1\n2,1\n1,1\n");
  refuse(in_folder(path, "back.csv"), "time runs back at row 3, from 2 s to 1 s");
  write_file("when.csv", "time [s],x\n0,1\nnan,1\n1,1\n");
  refuse(in_folder(path, "when.csv"), "the time of row 2 is not a number");
  make_result(5000, FLY_RESULT_HDF5, true);
  assert_int_equal(truncate(in_folder(path, "run.h5"), 3000), 0);
  refuse(path, "damaged or cut short");
  write_file("run.h5", "\211HDF\r\n\032\nand nothing more");
  refuse(path, "damaged or cut short");
}

static void places_that_cannot_be_written(void **state) {
  char path[200];
  const char *result = in_folder(path, "odd.csv");
  const fly_report_options o = fly_report_options_default(), none = {0};
  fly_error error = {0};
  write_file("odd.csv", "time [s],x [m]\n0,1\n");
  assert_int_equal(fly_report_write("/tmp/there-is-no/such.html", 1, &result, &o, NULL, &error), FLY_BAD_INPUT);
  assert_non_null(
      strstr(error.message,
             "/tmp/there-is-no/such.html: cannot be written: there is no folder '/tmp/there-is-no'; make it first"));
  assert_int_equal(fly_report_write(html, 0, &result, &o, NULL, &error), FLY_BAD_INPUT);
  assert_int_equal(fly_report_write(html, 1, &result, &none, NULL, &error), FLY_BAD_INPUT);
  if (access("/dev/full", W_OK) == 0) { // a device is written to, not replaced
    struct stat what;
    assert_int_equal(fly_report_write("/dev/full", 1, &result, &o, NULL, &error), FLY_BAD_INPUT);
    assert_non_null(strstr(error.message, "No space left on device"));
    assert_int_equal(stat("/dev/full", &what), 0);
    assert_true(S_ISCHR(what.st_mode));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_small_result_is_there_to_the_last_digit),
      cmocka_unit_test(attachments_are_there_and_end_no_element),
      cmocka_unit_test(a_thinned_result_keeps_its_peaks),
      cmocka_unit_test(poses_come_first),
      cmocka_unit_test(holes_are_told),
      cmocka_unit_test(what_is_missing_is_told),
      cmocka_unit_test(damaged_attachments_are_told),
      cmocka_unit_test(two_results_in_one_page),
      cmocka_unit_test(foreign_and_damaged_files),
      cmocka_unit_test(places_that_cannot_be_written),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
