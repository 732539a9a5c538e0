// Results when memory runs out.
// labels: valgrind
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include "base/allocations.h"
#include "base/check.h"

#include "result/files.h"

enum { WIDTH = 12, ROWS = 1100 };

static fly_status write_all(const fly_channel *channels, const char *base, unsigned formats) {
  fly_result_options options = {.formats = formats, .flush_seconds = 1000};
  fly_result_writer *w;
  fly_error error;
  double row[WIDTH];
  fly_status status = fly_result_create(&w, base, channels, WIDTH - 1, &options, &error);
  if (status != FLY_OK) {
    assert_null(w);
    return status;
  }
  status = fly_result_attach(w, "scene", "text", 4, &error);
  for (long i = 0; status == FLY_OK && i < ROWS; i++) {
    fill_row(row, i, WIDTH);
    status = fly_result_append(w, row, 1, &error);
  }
  fly_status finished = fly_result_finish(w, &error);
  return status != FLY_OK ? status : finished;
}

static fly_status read_all(const char *path) {
  static double out[WIDTH * ROWS];
  const int columns[2] = {3, 0};
  fly_error error;
  fly_result *r;
  char *bytes = NULL;
  size_t size;
  uint64_t hash;
  fly_status status = fly_result_open(&r, path, &error);
  if (status != FLY_OK) {
    assert_null(r);
    return status;
  }
  status = fly_result_read(r, out, columns, 2, 0, ROWS, &error);
  if (status == FLY_OK)
    status = fly_result_rehash(r, &hash, &error);
  if (status == FLY_OK)
    status = fly_result_attachment(r, "scene", &bytes, &size, &error);
  free(bytes);
  fly_result_close(r);
  return status;
}

// Makes each allocation fail in turn, until none is left to fail.
static void writing_without_memory(void **state) {
  static const unsigned formats[2] = {FLY_RESULT_CSV, FLY_RESULT_HDF5};
  fly_channel *channels = make_channels(WIDTH - 1);
  for (int f = 0; f < 2; f++) {
    fly_status status = FLY_NO_MEMORY;
    int failures = 0;
    for (; status != FLY_OK; failures++) {
      allocations_reset(failures + 1);
      status = write_all(channels, path_of("run"), formats[f]);
      allocations_reset(0);
      assert_true(status == FLY_OK || status == FLY_NO_MEMORY);
    }
    assert_true(failures > 5);
    assert_int_equal(write_all(channels, path_of("run"), formats[f]), FLY_OK);
  }
  free(channels);
}

static void reading_without_memory(void **state) {
  static const char *const files[2] = {"run.h5", "run.csv"};
  for (int f = 0; f < 2; f++) {
    fly_status status = FLY_NO_MEMORY;
    int failures = 0;
    for (; status != FLY_OK; failures++) {
      allocations_reset(failures + 1);
      status = read_all(path_of(files[f]));
      allocations_reset(0);
      assert_true(status == FLY_OK || status == FLY_NO_MEMORY);
    }
    assert_true(failures > 10);
  }
}

static void appending_takes_no_memory(void **state) {
  double row[WIDTH];
  fly_result_writer *w = create("steady", WIDTH - 1, FLY_RESULT_CSV | FLY_RESULT_HDF5, 1000);
  append(w, row, WIDTH, 0, 2000);
  allocations_reset(0);
  append(w, row, WIDTH, 2000, 3000);
  assert_int_equal(the_allocations.count, 0); // of ours; HDF5 has its own
  finish(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writing_without_memory),
      cmocka_unit_test(reading_without_memory),
      cmocka_unit_test(appending_takes_no_memory),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
