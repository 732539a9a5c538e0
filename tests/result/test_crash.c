// A run that is killed leaves files that can be read. Two ways to see it: every state the HDF5 file passes through is
// opened, one system call after the other; and processes are killed.
#define _POSIX_C_SOURCE 200809L // mkdtemp, fork, nanosleep, pwrite
#define _DEFAULT_SOURCE
#include "base/check.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>

#include "result/files.h"

// ---------------------------------------------------------------------------------- every state of the file

enum { PAGE = 4096 }; // what the system writes whole, or not at all, when it kills

// All writes to files by pwrite, which is what HDF5 uses: this function stands in for that of the C library.
typedef struct write_log {
  bool on;
  int count, capacity;
  struct one_write {
    off_t offset;
    size_t size;
    char *bytes; // NULL: ftruncate to offset
    long rows;   // that were flushed before
  } * write;     // (count)
  long rows;
} write_log;

static write_log the_log;

static void log_write(int file, const void *bytes, size_t size, off_t offset) {
  struct stat of_file, of_part;
  if (!the_log.on || fstat(file, &of_file) != 0 || stat(path_of("logged.part.h5"), &of_part) != 0 ||
      of_file.st_ino != of_part.st_ino)
    return; // what is packed at the end is another file
  if (the_log.count == the_log.capacity) {
    the_log.capacity = 2 * the_log.capacity + 100;
    the_log.write = realloc(the_log.write, (size_t)the_log.capacity * sizeof *the_log.write);
  }
  char *copy = bytes != NULL ? malloc(size + 1) : NULL;
  if (copy != NULL)
    memcpy(copy, bytes, size);
  the_log.write[the_log.count++] =
      (struct one_write){.offset = offset, .size = size, .bytes = copy, .rows = the_log.rows};
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
  ssize_t (*real)(int, const void *, size_t, off_t) = NULL;
  *(void **)&real = dlsym(RTLD_NEXT, "pwrite");
  log_write(file, bytes, size, offset);
  return real(file, bytes, size, offset);
}

int ftruncate(int file, off_t size) {
  int (*real)(int, off_t) = NULL;
  *(void **)&real = dlsym(RTLD_NEXT, "ftruncate");
  log_write(file, NULL, 0, size);
  return real(file, size);
}

static void free_log(void) {
  for (int i = 0; i < the_log.count; i++)
    free(the_log.write[i].bytes);
  free(the_log.write);
  the_log = (write_log){0};
}

// Writes rows in steps, flushing after each, and an attachment at both ends. The log begins when the file exists; what
// is written before row `from` is not looked at.
static void write_logged(int width, long from, long rows, long step) {
  const long large = 100 * 1024;
  double *row = malloc((size_t)width * sizeof *row);
  assert_non_null(row);
  the_log.rows = -1;
  the_log.on = true;
  fly_result_writer *w = create("logged", width - 1, FLY_RESULT_HDF5, 1000);
  assert_int_equal(fly_result_flush(w, NULL), FLY_OK); // until then it is empty
  the_log.rows = from > 0 ? -1 : 0;
  assert_int_equal(fly_result_attach(w, "record", "begun", 5, NULL), FLY_OK);
  for (long i = 0, n; i < rows; i += n) {
    n = i < from ? large : step;
    append(w, row, width, i, n);
    assert_int_equal(fly_result_flush(w, NULL), FLY_OK);
    the_log.rows = i + n > from ? i + n : -1;
  }
  assert_int_equal(fly_result_attach(w, "record", "end", 3, NULL), FLY_OK);
  finish(w);
  the_log.on = false;
  free(row);
}

// The last rows of a long file.
static void check_end(fly_result *r) {
  enum { ROWS = 8 * 1024 };
  static double t[ROWS];
  const int time = 0;
  const long first = fly_result_info_of(r)->rows - ROWS;
  assert_int_equal(fly_result_read(r, t, &time, 1, first, ROWS, NULL), FLY_OK);
  for (long i = 0; i < ROWS; i++)
    assert_true(t[i] == value_at(first + i, 0));
}

static void check_record(fly_result *r) {
  char *record;
  size_t size;
  assert_int_equal(fly_result_attachment(r, "record", &record, &size, NULL), FLY_OK);
  assert_true(strcmp(record, "begun") == 0 || strcmp(record, "end") == 0);
  free(record);
}

static void check_state(const char *name, long flushed, int number) {
  const long many = 1 << 20;
  fly_error error;
  fly_result *r;
  if (fly_result_open(&r, path_of(name), &error) != FLY_OK)
    fail_msg("after write %d of %d: %s", number, the_log.count, error.message);
  if (fly_result_info_of(r)->rows < flushed)
    fail_msg("after write %d: %ld rows of %ld", number, fly_result_info_of(r)->rows, flushed);
  (flushed > many ? check_end : check_values)(r);
  if (flushed > 0)
    check_record(r);
  fly_result_close(r);
}

// Whether some bytes of a file are others than these.
static bool differs(int file, const char *bytes, size_t size, off_t offset) {
  char now[PAGE];
  return pread(file, now, size, offset) != (ssize_t)size || memcmp(now, bytes, size) != 0;
}

// The chunks of a wide table, which take long to read: some of them are enough.
static bool is_left_out(const struct one_write *one, int number) {
  return one->rows < 0 || (one->size > 1 << 17 && number % 10 != 0);
}

// A write that a kill tears: the system ends it between two pages of the file. Opens each state that this leaves, of
// large chunks one.
static int write_torn(int file, const struct one_write *one, int number) {
  int states = 0;
  for (size_t at = 0, n; at < one->size; at += n) {
    const size_t left = one->size - at;
    n = PAGE - (size_t)(one->offset + (off_t)at) % PAGE;
    n = n < left ? n : left;
    const bool changes = differs(file, one->bytes + at, n, one->offset + (off_t)at);
    assert_int_equal(pwrite(file, one->bytes + at, n, one->offset + (off_t)at), n);
    const bool some = one->size <= 1 << 17 || at / PAGE == one->size / PAGE / 2;
    if (changes && some && n < left && !is_left_out(one, number)) {
      check_state("replay.part.h5", one->rows, number);
      states++;
    }
  }
  return states;
}

// Repeats the writes in another file and opens it after each, and after each page of it.
static void replay(void) {
  int file = open(path_of("replay.part.h5"), O_RDWR | O_CREAT | O_TRUNC, 0666), states = 0;
  assert_true(file >= 0);
  for (int i = 0; i < the_log.count; i++) {
    const struct one_write one = the_log.write[i];
    if (one.bytes == NULL)
      assert_int_equal(ftruncate(file, one.offset), 0);
    else
      states += write_torn(file, &one, i);
    if (!is_left_out(&one, i)) {
      check_state("replay.part.h5", one.rows, i);
      states++;
    }
  }
  close(file);
  assert_true(states > 20);
  if (getenv("FLY_SHOW_RESIDUALS") != NULL)
    printf("%d states opened and read\n", states);
}

// 80 rows of chunks: the index of the chunks splits at 64.
static void every_state_of_a_narrow_file(void **state) {
  write_logged(3, 0, 82000, 2000);
  replay();
  free_log();
}

// Chunks side by side, 47 in a row.
static void every_state_of_a_wide_file(void **state) {
  write_logged(3000, 0, 1500, 100);
  replay();
  free_log();
}

// Metadata in many places; the index of the chunks gets its third level.
static void the_end_of_a_long_file(void **state) {
  write_logged(1, 3600 * 1024, 3720 * 1024, 6 * 1024);
  replay();
  free_log();
}

// ---------------------------------------------------------------------------------- kill -9

// Writes rows until it is killed, and tells after each flush how many there are.
static void write_until_killed(unsigned format, int width, int pipe_end) {
  double *row = malloc((size_t)width * sizeof *row);
  fly_result_writer *w = create("killed", width - 1, format, 0.001);
  fly_result_attach(w, "record", "begun", 5, NULL);
  for (long i = 0;; i += 7) {
    append(w, row, width, i, 7);
    if (i % 70 == 0) {
      fly_result_flush(w, NULL);
      long rows = fly_result_rows(w);
      if (write(pipe_end, &rows, sizeof rows) < 0)
        _exit(1);
    }
  }
}

static void sleep_ms(int ms) {
  struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
  nanosleep(&time, NULL);
}

// Starts a run, kills it after its first flush and a while, and returns the rows it had flushed.
static long kill_a_run(unsigned format, int width, int ms) {
  int ends[2];
  long rows = 0, last = 0;
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    write_until_killed(format, width, ends[1]);
  }
  close(ends[1]);
  assert_int_equal(read(ends[0], &last, sizeof last), sizeof last);
  sleep_ms(ms);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  while (read(ends[0], &rows, sizeof rows) == sizeof rows)
    last = rows;
  kill(child, SIGKILL);
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFSIGNALED(status));
  fcntl(ends[0], F_SETFL, 0);
  while (read(ends[0], &rows, sizeof rows) == sizeof rows)
    last = rows;
  close(ends[0]);
  return last;
}

static void check_killed(unsigned format, int width, const char *name) {
  for (int i = 0; i < 8; i++) {
    char *record;
    size_t size;
    long flushed = kill_a_run(format, width, 3 * i * i);
    fly_result *r = open_result(name);
    assert_true(fly_result_info_of(r)->rows >= flushed);
    check_values(r);
    assert_int_equal(fly_result_attachment(r, "record", &record, &size, NULL), FLY_OK);
    assert_string_equal(record, "begun");
    free(record);
    fly_result_close(r);
  }
}

static void killed_hdf5_can_be_read(void **state) {
  check_killed(FLY_RESULT_HDF5, 5, "killed.part.h5");
  check_killed(FLY_RESULT_HDF5, 200, "killed.part.h5");
}

static void killed_csv_can_be_read(void **state) { check_killed(FLY_RESULT_CSV, 20, "killed.part.csv"); }

// ---------------------------------------------------------------------------------- while it runs

// This program as another process: reads a file and counts its rows. The library would not open a file twice in one.
static int look_at(const char *path, long rows) {
  fly_result *r;
  double t;
  const int time = 0;
  if (fly_result_open(&r, path, NULL) != FLY_OK || fly_result_info_of(r)->rows != rows)
    return 1;
  bool ok = fly_result_read(r, &t, &time, 1, rows - 1, 1, NULL) == FLY_OK && t == value_at(rows - 1, 0);
  fly_result_close(r);
  return ok ? 0 : 1;
}

static void assert_others_see(const char *name, long rows) {
  char number[24];
  int status;
  snprintf(number, sizeof number, "%ld", rows);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "test", "look", path_of(name), number, (char *)NULL);
    _exit(2);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_running_result_can_be_looked_at(void **state) {
  double row[3];
  fly_result_writer *w = create("running", 2, FLY_RESULT_CSV | FLY_RESULT_HDF5, 1000);
  for (long i = 0; i < 3000; i += 500) {
    append(w, row, 3, i, 500);
    assert_int_equal(fly_result_flush(w, NULL), FLY_OK);
    assert_others_see("running.part.h5", i + 500);
    assert_others_see("running.part.csv", i + 500);
  }
  finish(w);
}

// Rows are in the file without being asked for, once they are older than flush_seconds.
static void rows_do_not_wait_longer_than_asked(void **state) {
  double row[3];
  fly_result_writer *w = create("waiting", 2, FLY_RESULT_CSV, 0.05);
  append(w, row, 3, 0, 1);
  sleep_ms(60);
  append(w, row, 3, 1, 1);
  fly_result *r = open_result("waiting");
  assert_int_equal(fly_result_info_of(r)->rows, 2);
  fly_result_close(r);
  finish(w);
}

int main(int argc, char **argv) {
  if (argc == 4)
    return look_at(argv[2], strtol(argv[3], NULL, 10));
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_state_of_a_narrow_file),
      cmocka_unit_test(every_state_of_a_wide_file),
      cmocka_unit_test(the_end_of_a_long_file),
      cmocka_unit_test(killed_hdf5_can_be_read),
      cmocka_unit_test(killed_csv_can_be_read),
      cmocka_unit_test(a_running_result_can_be_looked_at),
      cmocka_unit_test(rows_do_not_wait_longer_than_asked),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
