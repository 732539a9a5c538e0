// Results from anybody: files made to do harm, and thousands that are damaged, end in a message or in numbers.
#define _POSIX_C_SOURCE 200809L // mkdtemp, symlink
#include "base/check.h"

#include <fcntl.h>
#include <hdf5.h>

#include "result/files.h"
#include "result/hdf5_undo.h"

enum { WIDTH = 6, ROWS = 300 };

static void write_result(const char *base, unsigned formats) {
  double row[WIDTH];
  fly_result_writer *w = create(base, WIDTH - 1, formats, 1);
  assert_int_equal(fly_result_attach(w, "record.json", "{\"status\": \"ok\"}", 16, NULL), FLY_OK);
  assert_int_equal(fly_result_attach(w, "scene.json", "{}", 2, NULL), FLY_OK);
  append(w, row, WIDTH, 0, ROWS);
  finish(w);
}

// Opens a result and reads all there is.
static fly_status read_all(const char *path, fly_error *error) {
  fly_result *r;
  uint64_t hash;
  fly_status status = fly_result_open(&r, path, error);
  if (status != FLY_OK) {
    assert_null(r);
    return status;
  }
  const fly_result_info *info = fly_result_info_of(r);
  for (int k = 0; k < info->count; k++)
    assert_true(strlen(info->channel[k].name) + strlen(info->channel[k].unit) < 1 << 20);
  for (int k = 0; k < info->nattachment; k++) {
    char *bytes;
    size_t size;
    if (fly_result_attachment(r, info->attachment[k], &bytes, &size, NULL) == FLY_OK)
      assert_int_equal(bytes[size], 0);
    free(bytes);
  }
  status = fly_result_rehash(r, &hash, error);
  fly_result_close(r);
  return status;
}

// ---------------------------------------------------------------------------------- made to do harm

static const hid_t as_usual = H5P_DEFAULT;

// In place of the integer that tells the version: a thousand of them.
static void long_attribute(hid_t file) {
  static const int values[1000] = {1};
  const hsize_t size = 1000;
  H5Adelete(file, "flyball_result");
  hid_t space = H5Screate_simple(1, &size, NULL);
  hid_t attribute = H5Acreate2(file, "flyball_result", H5T_STD_I32LE, space, as_usual, as_usual);
  assert_true(H5Awrite(attribute, H5T_NATIVE_INT, values) >= 0);
  H5Aclose(attribute);
  H5Sclose(space);
}

static void remake(hid_t file, const char *name, hid_t type, int rank, const hsize_t *size, hid_t creation) {
  H5Ldelete(file, name, as_usual);
  const hsize_t any[2] = {H5S_UNLIMITED, H5S_UNLIMITED};
  hid_t space = H5Screate_simple(rank, size, rank == 2 && H5Pget_layout(creation) == H5D_CHUNKED ? any : NULL);
  hid_t set = H5Dcreate2(file, name, type, space, as_usual, creation, as_usual);
  assert_true(set >= 0);
  H5Dclose(set);
  H5Sclose(space);
}

// An attachment whose bytes are those of another file.
static void external_storage(hid_t file) {
  const hsize_t size = 6;
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(creation, path_of("secret"), 0, 6);
  remake(file, "attachments/record.json", H5T_STD_U8LE, 1, &size, creation);
  H5Pclose(creation);
}

static void external_link(hid_t file) {
  H5Ldelete(file, "names", as_usual);
  assert_true(H5Lcreate_external(path_of("good.h5"), "/names", file, "names", as_usual, as_usual) >= 0);
}

static void soft_link(hid_t file) {
  H5Ldelete(file, "units", as_usual);
  assert_true(H5Lcreate_soft("/names", file, "units", as_usual, as_usual) >= 0);
}

// A table that is a view of another file's.
static void virtual_table(hid_t file) {
  const hsize_t size[2] = {ROWS, WIDTH};
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, size, NULL);
  assert_true(H5Pset_virtual(creation, space, path_of("good.h5"), "/data", space) >= 0);
  remake(file, "data", H5T_IEEE_F64LE, 2, size, creation);
  H5Sclose(space);
  H5Pclose(creation);
}

static void chunked_table(hid_t file, hid_t type, hsize_t rows, hsize_t width, bool filtered) {
  const hsize_t size[2] = {rows, width}, chunk[2] = {1 << 10, width < 64 ? width : 64};
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(creation, 2, chunk);
  if (filtered)
    H5Pset_fletcher32(creation);
  remake(file, "data", type, 2, size, creation);
  H5Pclose(creation);
}

static void rows_that_are_not_there(hid_t file) { chunked_table(file, H5T_IEEE_F64LE, (hsize_t)1 << 40, WIDTH, false); }
static void columns_without_end(hid_t file) { chunked_table(file, H5T_IEEE_F64LE, 10, 1 << 30, false); }
static void numbers_of_another_kind(hid_t file) { chunked_table(file, H5T_IEEE_F32BE, 0, WIDTH, false); }
static void an_unknown_filter(hid_t file) { chunked_table(file, H5T_IEEE_F64LE, 0, WIDTH, true); }

static void texts_of_any_length(hid_t file) {
  const hsize_t size = WIDTH;
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  remake(file, "names", type, 1, &size, as_usual);
  H5Tclose(type);
}

static void a_short_list(hid_t file) {
  const hsize_t size = WIDTH - 1;
  remake(file, "units", H5T_C_S1, 1, &size, as_usual);
}

static void a_group_for_a_table(hid_t file) {
  H5Ldelete(file, "data", as_usual);
  H5Gclose(H5Gcreate2(file, "data", as_usual, as_usual, as_usual));
}

static void files_made_to_do_harm(void **state) {
  static const struct {
    void (*make)(hid_t file);
    const char *says;
  } cases[] = {
      {long_attribute, "attribute flyball_result is not one integer"},
      {external_link, "table of names of the old kind"},
      {soft_link, "'units' is a link to something else"},
      {virtual_table, "stored in a way"},
      {rows_that_are_not_there, "1099511627776 rows are announced that it does not hold"},
      {columns_without_end, "not a result of Flyball|does not hold"},
      {numbers_of_another_kind, "not a result of Flyball"},
      {an_unknown_filter, "filter 3, which is not known here"},
      {texts_of_any_length, "the list of names|a list is beyond its end"},
      {a_short_list, "the list of units|a list is beyond its end"},
      {a_group_for_a_table, "no type, no size or no layout"},
  };
  write_result("good", FLY_RESULT_HDF5);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    fly_error error = {0};
    write_result("harm", FLY_RESULT_HDF5);
    hid_t file = H5Fopen(path_of("harm.h5"), H5F_ACC_RDWR, as_usual);
    cases[k].make(file);
    H5Fclose(file);
    assert_int_equal(read_all(path_of("harm.h5"), &error), FLY_BAD_INPUT);
    char says[100];
    snprintf(says, sizeof says, "%s", cases[k].says);
    char *other = strchr(says, '|');
    if (other != NULL)
      *other++ = 0;
    if (strstr(error.message, says) == NULL && (other == NULL || strstr(error.message, other) == NULL))
      fail_msg("case %zu says: %s", k, error.message);
  }
}

// What lies in other files stays there, in both formats.
static void other_files_are_not_read(void **state) {
  char *bytes;
  size_t size;
  put_file("secret", "secret", 6);
  write_result("outside", FLY_RESULT_HDF5);
  hid_t file = H5Fopen(path_of("outside.h5"), H5F_ACC_RDWR, as_usual);
  external_storage(file);
  H5Fclose(file);
  fly_result *r = open_result("outside.h5");
  fly_error error = {0};
  assert_int_equal(fly_result_attachment(r, "record.json", &bytes, &size, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "lie in other files"));
  assert_null(bytes);
  assert_int_equal(fly_result_attachment(r, "scene.json", &bytes, &size, NULL), FLY_OK); // the rest is as it was
  free(bytes);
  fly_result_close(r);

  put_file("linked.csv", "time [s],x\n0,1\n", 15);
  put_file("linked.attachments", "record.json\n../secret\n\033[31m\n", 28);
  assert_int_equal(symlink(path_of("secret"), path_of("linked.record.json")), 0);
  r = open_result("linked.csv");
  assert_int_equal(fly_result_info_of(r)->nattachment, 1); // the names no attachment can have are left out
  assert_int_equal(fly_result_attachment(r, "record.json", &bytes, &size, &error), FLY_BAD_INPUT);
  assert_null(bytes);
  fly_result_close(r);
}

// ---------------------------------------------------------------------------------- damaged

static uint64_t next_random(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed >> 33;
}

// Where damage tells most: half of it in the first kilobytes, where the headers are.
static size_t pick_place(uint64_t *seed, size_t size) {
  const size_t front = size < 4096 ? size : 4096;
  return next_random(seed) % 2 == 0 ? next_random(seed) % front : next_random(seed) % size;
}

static void damage(char *bytes, size_t *size, uint64_t *seed) {
  static const uint64_t numbers[] = {
      0, 1, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 1u << 20, (uint64_t)1 << 40, UINT64_MAX, UINT64_MAX / 2};
  const int changes = 1 + (int)(next_random(seed) % 6);
  for (int k = 0; k < changes; k++) {
    const size_t at = pick_place(seed, *size), left = *size - at;
    const uint64_t number = numbers[next_random(seed) % (sizeof numbers / sizeof *numbers)];
    const size_t width = (size_t)1 << next_random(seed) % 4, from = pick_place(seed, *size);
    switch (next_random(seed) % 8) {
    case 0:
      *size = next_random(seed) % 8 == 0 ? at + 1 : *size; // cut
      break;
    case 1:
    case 2:
      bytes[at] = (char)(bytes[at] ^ 1 << next_random(seed) % 8);
      break;
    case 3:
      bytes[at] = (char)next_random(seed);
      break;
    case 4:
      memmove(bytes + at, bytes + from, left < *size - from ? (left < 16 ? left : 16) : 1);
      break;
    default:
      memcpy(bytes + at, &number, left < width ? left : width);
    }
  }
}

// A part whose last flush was not completed, with the record of what it overwrote: its place.
static size_t interrupted_part(const char *base, const char *part) {
  double row[WIDTH];
  fly_result_writer *w = create(base, WIDTH - 1, FLY_RESULT_HDF5, 1000);
  append(w, row, WIDTH, 0, ROWS);
  assert_int_equal(fly_result_flush(w, NULL), FLY_OK);
  const int file = open(path_of(part), O_RDWR);
  assert_int_equal(fly_undo_arm(path_of(part), file, FLY_UNDO_METADATA), 0);
  close(file);
  fly_h5 f;
  assert_true(fly_h5_open(&f, path_of(part)));
  assert_non_null(f.undo);
  fly_h5_close(&f);
  size_t size;
  char *bytes = get_file(part, &size);
  finish(w);
  put_file(part, bytes, size);
  free(bytes);
  return FLY_UNDO_METADATA;
}

// Makes the sum of a record right again, so that it is believed; three in four times its pieces are short.
static void resum(char *record, size_t left, uint64_t *seed) {
  const size_t head = 32, most = left < FLY_UNDO_BYTES ? left : FLY_UNDO_BYTES;
  const uint64_t size = next_random(seed) % 4 == 0 ? most - head : next_random(seed) % 200;
  const uint64_t sum = fly_undo_sum((const unsigned char *)record + head, (size_t)size);
  memcpy(record + 16, &size, 8);
  memcpy(record + 24, &sum, 8);
}

static void damaged_records(void **state) {
  const size_t place = interrupted_part("grown", "grown.part.h5");
  uint64_t seed = 5;
  size_t whole, read = 0;
  char *original = get_file("grown.part.h5", &whole), *bytes = malloc(whole);
  assert_non_null(bytes);
  for (int k = 0; k < 400; k++) {
    size_t left = whole - place;
    fly_error error = {0};
    memcpy(bytes, original, whole);
    damage(bytes + place, &left, &seed);
    memcpy(bytes + place, original + place, 16); // the letters
    resum(bytes + place, whole - place, &seed);
    put_file("damaged.part.h5", bytes, whole);
    const fly_status status = read_all(path_of("damaged.part.h5"), &error);
    assert_true(status == FLY_OK || error.message[0] != 0);
    read += status == FLY_OK;
  }
  if (getenv("FLY_SHOW_RESIDUALS") != NULL)
    printf("%zu of 400 parts with a damaged record could be read\n", read);
  free(original);
  free(bytes);
}

// FLY_MUTATIONS=5000 is for an afternoon.
static void damaged_copies(const char *name, const char *copy) {
  const char *asked = getenv("FLY_MUTATIONS");
  const long count = asked != NULL ? strtol(asked, NULL, 10) : 400;
  uint64_t seed = 11;
  size_t whole, read = 0;
  char *original = get_file(name, &whole), *bytes = malloc(whole);
  assert_non_null(bytes);
  for (long k = 0; k < count; k++) {
    size_t size = whole;
    fly_error error = {0};
    memcpy(bytes, original, whole);
    damage(bytes, &size, &seed);
    put_file(copy, bytes, size);
    const fly_status status = read_all(path_of(copy), &error);
    if (status != FLY_OK && error.message[0] == 0)
      fail_msg("copy %ld of %s is refused without a word", k, name);
    read += status == FLY_OK;
  }
  if (getenv("FLY_SHOW_RESIDUALS") != NULL)
    printf("%s: %zu of %ld damaged copies could be read\n", name, read, count);
  free(original);
  free(bytes);
}

static void damaged_hdf5(void **state) {
  write_result("whole", FLY_RESULT_HDF5);
  damaged_copies("whole.h5", "damaged.h5");
}

static void damaged_csv(void **state) {
  write_result("whole", FLY_RESULT_CSV);
  damaged_copies("whole.csv", "damaged.csv");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_made_to_do_harm), cmocka_unit_test(other_files_are_not_read),
      cmocka_unit_test(damaged_hdf5),          cmocka_unit_test(damaged_csv),
      cmocka_unit_test(damaged_records),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
