// A result while it is written: under another name, locked, readable; an earlier one is whole until it is complete.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include "base/check.h"

#include <hdf5.h>

#include "result/files.h"

enum { WIDTH = 3 };

static void write_rows(const char *name, long rows) {
  double row[WIDTH];
  fly_result_writer *w = create(name, WIDTH - 1, FLY_RESULT_HDF5 | FLY_RESULT_CSV, 1);
  append(w, row, WIDTH, 0, rows);
  finish(w);
}

static void assert_rows(const char *name, long rows) {
  fly_result *r = open_result(name);
  assert_int_equal(fly_result_info_of(r)->rows, rows);
  check_values(r);
  fly_result_close(r);
}

static bool is_there(const char *name) { return access(path_of(name), F_OK) == 0; }

static void a_second_writer_is_refused(void **state) {
  fly_error error = {0};
  double row[WIDTH];
  fly_result_options o = fly_result_options_default();
  fly_result_writer *second, *first = create("one", WIDTH - 1, FLY_RESULT_HDF5, 1);
  append(first, row, WIDTH, 0, 10);
  assert_int_equal(fly_result_create(&second, path_of("one"), NULL, 0, &o, &error), FLY_BAD_INPUT);
  assert_null(second);
  assert_non_null(strstr(error.message, "one.part.h5: another run is writing this result"));
  append(first, row, WIDTH, 10, 10);
  finish(first);
  assert_rows("one.h5", 20);
  assert_false(is_there("one.part.h5"));
  write_rows("one", 5); // the lock is gone with its writer
  assert_rows("one.h5", 5);
}

static void an_earlier_result_is_whole_until_the_end(void **state) {
  double row[WIDTH];
  write_rows("twice", 5);
  fly_result_writer *w = create("twice", WIDTH - 1, FLY_RESULT_HDF5 | FLY_RESULT_CSV, 1);
  append(w, row, WIDTH, 0, 3);
  assert_int_equal(fly_result_flush(w, NULL), FLY_OK);
  assert_rows("twice.h5", 5);
  assert_rows("twice.csv", 5);
  assert_rows("twice", 5);
  assert_rows("twice.part.h5", 3);
  assert_rows("twice.part.csv", 3);
  finish(w);
  assert_rows("twice.h5", 3);
  assert_rows("twice.csv", 3);
  assert_false(is_there("twice.part.h5") || is_there("twice.part.csv") || is_there("twice.part.h5~"));
}

// A run that came to nothing never takes the place of one that did not.
static void an_abandoned_result_leaves_the_earlier_one(void **state) {
  write_rows("kept", 5);
  for (int k = 0; k < 2; k++) {
    fly_result_writer *w = create(k == 0 ? "kept" : "new", WIDTH - 1, FLY_RESULT_HDF5 | FLY_RESULT_CSV, 1);
    assert_int_equal(fly_result_attach(w, "record.json", "{}", 2, NULL), FLY_OK);
    assert_int_equal(fly_result_abandon(w, NULL), FLY_OK);
  }
  assert_rows("kept.h5", 5);
  assert_rows("kept.csv", 5);
  assert_rows("kept.part.h5", 0);
  assert_rows("new.h5", 0); // there was none
  assert_false(is_there("new.part.h5") || is_there("new.part.csv"));
}

static void assert_attached(fly_result *r, const char *name, const char *text) {
  char *bytes;
  size_t size;
  assert_int_equal(fly_result_attachment(r, name, &bytes, &size, NULL), FLY_OK);
  assert_int_equal(size, strlen(text));
  assert_memory_equal(bytes, text, size);
  free(bytes);
}

// The file is created when it is first needed: what was attached before is in it, the last of each name.
static void what_waits_for_the_file_is_in_it(void **state) {
  double row[WIDTH];
  fly_result *r;
  fly_result_writer *w = create("waits", WIDTH - 1, FLY_RESULT_HDF5, 1000);
  assert_int_equal(fly_result_attach(w, "record", "begun", 5, NULL), FLY_OK);
  assert_int_equal(fly_result_attach(w, "model", "bodies:", 7, NULL), FLY_OK);
  assert_int_equal(fly_result_attach(w, "record", "running", 7, NULL), FLY_OK);
  append(w, row, WIDTH, 0, 3);
  assert_int_equal(fly_result_open(&r, path_of("waits.part.h5"), NULL), FLY_BAD_INPUT); // empty
  assert_int_equal(fly_result_flush(w, NULL), FLY_OK);
  r = open_result("waits.part.h5");
  assert_attached(r, "record", "running");
  fly_result_close(r);
  append(w, row, WIDTH, 3, 2);
  assert_int_equal(fly_result_attach(w, "record", "ended", 5, NULL), FLY_OK);
  finish(w);
  assert_rows("waits.h5", 5);
  r = open_result("waits.h5");
  assert_attached(r, "record", "ended");
  assert_attached(r, "model", "bodies:");
  fly_result_close(r);
}

// What is large does not wait in memory.
static void what_is_large_does_not_wait(void **state) {
  const size_t size = (size_t)2 << 20;
  char *large = calloc(size, 1);
  fly_result_writer *w = create("large", WIDTH - 1, FLY_RESULT_HDF5, 1000);
  assert_int_equal(fly_result_attach(w, "record", "begun", 5, NULL), FLY_OK);
  assert_int_equal(fly_result_attach(w, "model", large, size, NULL), FLY_OK);
  fly_result *r = open_result("large.part.h5");
  assert_attached(r, "record", "begun");
  assert_int_equal(fly_result_info_of(r)->nattachment, 2);
  fly_result_close(r);
  finish(w);
  free(large);
}

// What a killed run left is no obstacle, and what cannot be created leaves nothing.
static void parts_that_were_left(void **state) {
  fly_error error;
  fly_result_writer *w;
  put_file("left.part.h5", "rubbish", 7);
  write_rows("left", 5);
  assert_rows("left.h5", 5);
  mkdir(path_of("half.csv"), 0777);
  fly_result_options o = {.formats = FLY_RESULT_HDF5 | FLY_RESULT_CSV, .flush_seconds = 1};
  assert_int_equal(fly_result_create(&w, path_of("half"), NULL, 0, &o, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "half.csv: cannot be written: Is a directory."));
  assert_false(is_there("half.part.h5") || is_there("half.part.csv") || is_there("half.h5"));
}

// What people see who open the file elsewhere.
static void elements_tell_their_columns(void **state) {
  static const fly_channel channels[] = {{"rod.x", "m", "along x"},     {"crank.x", "m", "along x"},
                                         {"angle", "deg", "an output"}, {"rod.pin.fx", "N", "force"},
                                         {"crank.w", "rad/s", "speed"}, {"a/b.x", "m", "not a group"}};
  const double row[7] = {0};
  int columns[2] = {0};
  char units[2][5] = {0};
  fly_result_writer *w;
  fly_result_options o = fly_result_options_default();
  assert_int_equal(fly_result_create(&w, path_of("seen"), channels, 6, &o, NULL), FLY_OK);
  assert_int_equal(fly_result_append(w, row, 1, NULL), FLY_OK);
  finish(w);
  hid_t file = H5Fopen(path_of("seen.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t crank = H5Gopen2(file, "elements/crank", H5P_DEFAULT);
  hid_t attribute = H5Aopen(crank, "columns", H5P_DEFAULT);
  assert_true(H5Aread(attribute, H5T_NATIVE_INT, columns) >= 0);
  assert_true(columns[0] == 2 && columns[1] == 5);
  H5Aclose(attribute);
  attribute = H5Aopen(crank, "units", H5P_DEFAULT);
  hid_t type = H5Aget_type(attribute);
  assert_int_equal(H5Tget_size(type), 5);
  assert_int_equal(H5Tget_strpad(type), H5T_STR_NULLPAD);
  assert_int_equal(H5Tget_cset(type), H5T_CSET_UTF8);
  assert_true(H5Aread(attribute, type, units) >= 0);
  assert_memory_equal(units[0], "m\0\0\0\0", 5);
  assert_memory_equal(units[1], "rad/s", 5);
  assert_true(H5Lexists(file, "elements/rod.pin", H5P_DEFAULT) > 0);
  H5Tclose(type);
  H5Aclose(attribute);
  H5Gclose(crank);
  H5Fclose(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_second_writer_is_refused),
      cmocka_unit_test(an_earlier_result_is_whole_until_the_end),
      cmocka_unit_test(an_abandoned_result_leaves_the_earlier_one),
      cmocka_unit_test(what_waits_for_the_file_is_in_it),
      cmocka_unit_test(what_is_large_does_not_wait),
      cmocka_unit_test(parts_that_were_left),
      cmocka_unit_test(elements_tell_their_columns),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
