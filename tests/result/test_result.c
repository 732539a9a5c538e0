// Results: what is written is read back, to the bit; what cannot be read is explained.
// labels: valgrind
#define _POSIX_C_SOURCE 200809L // mkdtemp, symlink, fork
#include "base/check.h"

#include <float.h>
#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <threads.h>

#include "result/files.h"

static const unsigned formats[2] = {FLY_RESULT_HDF5, FLY_RESULT_CSV};
static const char *const endings[2] = {".h5", ".csv"};

static const char *with_ending(const char *base, int format) {
  static char name[4][100];
  static int next;
  next = (next + 1) % 4;
  snprintf(name[next], sizeof name[next], "%s%s", base, endings[format]);
  return name[next];
}

static void assert_says(const fly_error *error, const char *text) {
  if (strstr(error->message, text) == NULL)
    fail_msg("says: %s\nnot:  %s", error->message, text);
}

// ---------------------------------------------------------------------------------- round trips

// Every kind of double, and many random bits.
static double odd_double(uint64_t *seed, int i) {
  static const double odd[] = {0.0,     -0.0,     NAN, INFINITY,  -INFINITY, DBL_MIN, DBL_TRUE_MIN, -DBL_TRUE_MIN,
                               DBL_MAX, -DBL_MAX, 0.1, 1.0 / 3.0, 1e22,      1e23,    5e-324,       123456789.0};
  if (i < (int)(sizeof odd / sizeof odd[0]))
    return odd[i];
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  uint64_t bits = *seed ^ *seed >> 29;
  double x;
  memcpy(&x, &bits, sizeof x);
  return isnan(x) ? (double)NAN : x;
}

static void assert_same_bits(double a, double b) {
  if (isnan(a) && isnan(b))
    return;
  assert_memory_equal(&a, &b, sizeof a);
}

static void every_bit_comes_back(void **state) {
  enum { ROWS = 2500, WIDTH = 4 };
  static double rows[ROWS][WIDTH], column[ROWS];
  uint64_t seed = 1, hash;
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < WIDTH; j++)
      rows[i][j] = j == 0 ? i * 1e-3 : odd_double(&seed, i);
  fly_result_writer *w = create("bits", WIDTH - 1, FLY_RESULT_CSV | FLY_RESULT_HDF5, 1);
  assert_int_equal(fly_result_append(w, rows[0], 1000, NULL), FLY_OK); // in pieces that fit no chunk
  assert_int_equal(fly_result_flush(w, NULL), FLY_OK);
  assert_int_equal(fly_result_append(w, rows[1000], 1, NULL), FLY_OK);
  assert_int_equal(fly_result_append(w, rows[1001], ROWS - 1001, NULL), FLY_OK);
  assert_int_equal(fly_result_append(w, rows[0], 0, NULL), FLY_OK);
  assert_int_equal(fly_result_rows(w), ROWS);
  uint64_t written = fly_result_hash(w);
  finish(w);
  for (int f = 0; f < 2; f++) {
    fly_result *r = open_result(with_ending("bits", f));
    assert_int_equal(fly_result_info_of(r)->rows, ROWS);
    assert_int_equal(fly_result_info_of(r)->format, formats[f]);
    assert_false(fly_result_info_of(r)->cut);
    for (int j = 0; j < WIDTH; j++) {
      assert_int_equal(fly_result_read(r, column, &j, 1, 0, ROWS, NULL), FLY_OK);
      for (int i = 0; i < ROWS; i++)
        assert_same_bits(column[i], rows[i][j]);
    }
    assert_int_equal(fly_result_rehash(r, &hash, NULL), FLY_OK);
    assert_true(hash == written);
    fly_result_close(r);
  }
}

static void channels_come_back(void **state) {
  static const fly_channel channels[] = {
      {"crank.x", "m", "position of the crank"},
      {"ratio", "", ""},
      {"a, \"b\"; c", "N*m", "odd"},
      {"list[0]", NULL, NULL},
      {"x [y]", "", ""},
      {"\xCF\x89", "1/s", "\xCF\x89 \xE2\x88\x98"},
      {" lead", "m/s^2", ""},
      {"-", "\"", ""},
  };
  enum { N = sizeof channels / sizeof channels[0] };
  fly_result_options options = {.formats = FLY_RESULT_CSV | FLY_RESULT_HDF5, .flush_seconds = 1};
  fly_result_writer *w;
  assert_int_equal(fly_result_create(&w, path_of("names"), channels, N, &options, NULL), FLY_OK);
  finish(w);
  for (int f = 0; f < 2; f++) {
    fly_result *r = open_result(with_ending("names", f));
    const fly_result_info *info = fly_result_info_of(r);
    assert_int_equal(info->count, N + 1);
    assert_int_equal(info->rows, 0);
    assert_string_equal(info->channel[0].name, "time");
    assert_string_equal(info->channel[0].unit, "s");
    for (int i = 0; i < N; i++) {
      assert_string_equal(info->channel[i + 1].name, channels[i].name);
      assert_string_equal(info->channel[i + 1].unit, channels[i].unit != NULL ? channels[i].unit : "");
      assert_int_equal(fly_result_find(r, channels[i].name), i + 1);
    }
    assert_string_equal(info->channel[1].description, f == 0 ? "position of the crank" : "");
    assert_int_equal(fly_result_find(r, "nothing"), -1);
    fly_result_close(r);
  }
}

static void csv_is_what_people_expect(void **state) {
  static const fly_channel channels[] = {{"crank.x", "m", ""}, {"ratio", "", ""}};
  const double rows[] = {0, 0.1, -2, 0.001, NAN, 1e-300};
  fly_result_options options = {.formats = FLY_RESULT_CSV, .flush_seconds = 1};
  fly_result_writer *w;
  size_t size;
  assert_int_equal(fly_result_create(&w, path_of("plain"), channels, 2, &options, NULL), FLY_OK);
  assert_int_equal(fly_result_append(w, rows, 2, NULL), FLY_OK);
  finish(w);
  char *text = get_file("plain.csv", &size);
  assert_string_equal(text, "time [s],crank.x [m],ratio\n0,0.1,-2\n0.001,nan,1e-300\n");
  free(text);
}

static void attachments_come_back(void **state) {
  const char record[] = "{\"finished\": false}", done[] = "{\"finished\": true, \"more\": 1}", odd[] = "\0\xFF\n\r\0";
  double row[3];
  for (int f = 0; f < 2; f++) {
    fly_result_writer *w = create("with", 2, formats[f], 1);
    assert_int_equal(fly_result_attach(w, "record.json", record, sizeof record - 1, NULL), FLY_OK);
    append(w, row, 3, 0, 1500);
    assert_int_equal(fly_result_attach(w, "bytes", odd, sizeof odd - 1, NULL), FLY_OK);
    assert_int_equal(fly_result_attach(w, "empty", "", 0, NULL), FLY_OK);
    assert_int_equal(fly_result_attach(w, "record.json", done, sizeof done - 1, NULL), FLY_OK);
    finish(w);
    char *bytes;
    size_t size;
    fly_error error;
    fly_result *r = open_result(with_ending("with", f));
    const fly_result_info *info = fly_result_info_of(r);
    assert_int_equal(info->nattachment, 3); // in order, each once
    assert_string_equal(info->attachment[0], "bytes");
    assert_string_equal(info->attachment[1], "empty");
    assert_string_equal(info->attachment[2], "record.json");
    assert_int_equal(fly_result_attachment(r, "record.json", &bytes, &size, NULL), FLY_OK);
    assert_int_equal(size, sizeof done - 1);
    assert_string_equal(bytes, done);
    free(bytes);
    assert_int_equal(fly_result_attachment(r, "bytes", &bytes, &size, NULL), FLY_OK);
    assert_int_equal(size, sizeof odd - 1);
    assert_memory_equal(bytes, odd, sizeof odd);
    free(bytes);
    assert_int_equal(fly_result_attachment(r, "empty", &bytes, &size, NULL), FLY_OK);
    assert_int_equal(size, 0);
    free(bytes);
    assert_int_equal(fly_result_attachment(r, "scene", &bytes, &size, &error), FLY_BAD_INPUT);
    assert_null(bytes);
    assert_says(&error, f == 0 ? "there is no attachment 'scene'" : "with.scene: there is no such attachment");
    assert_int_equal(fly_result_attachment(r, "../with.h5", &bytes, &size, &error), FLY_BAD_INPUT);
    check_values(r);
    fly_result_close(r);
  }
}

// A second result of the same name starts without the attachments of the first; other files of the name are left, even
// if a list that came from elsewhere calls them attachments.
static void old_attachments_go(void **state) {
  put_file("twice.yaml", "model", 5);
  for (int f = 0; f < 2; f++) {
    char *bytes;
    size_t size;
    for (int k = 0; k < 2; k++) {
      fly_result_writer *w = create("twice", 1, formats[f], 1);
      assert_int_equal(fly_result_attach(w, k == 0 ? "story.json" : "record.json", "x", 1, NULL), FLY_OK);
      finish(w);
      if (k == 0 && f == 1)
        put_file("twice.attachments", "story.json\nyaml\n", 16);
    }
    fly_result *r = open_result(with_ending("twice", f));
    assert_int_equal(fly_result_info_of(r)->nattachment, 1);
    assert_string_equal(fly_result_info_of(r)->attachment[0], "record.json");
    assert_int_equal(fly_result_attachment(r, "story.json", &bytes, &size, NULL), FLY_BAD_INPUT);
    fly_result_close(r);
  }
  assert_int_equal(access(path_of("twice.yaml"), F_OK), 0);
  assert_int_not_equal(access(path_of("twice.story.json"), F_OK), 0);
}

// One file a result: with both formats the attachments are in the HDF5 file only.
static void one_file_a_result(void **state) {
  double row[2];
  char command[200];
  mkdir(path_of("lonely"), 0777);
  for (int k = 0; k < 2; k++) {
    fly_result_writer *w = create("lonely/run", 1, k == 0 ? FLY_RESULT_HDF5 : FLY_RESULT_HDF5 | FLY_RESULT_CSV, 1);
    assert_int_equal(fly_result_attach(w, "record.json", "{}", 2, NULL), FLY_OK);
    append(w, row, 2, 0, 10);
    finish(w);
    snprintf(command, sizeof command, "test $(ls %s | wc -l) = %d", path_of("lonely"), 1 + k);
    assert_int_equal(system(command), 0);
  }
}

// What is small takes little: the numbers and a few kilobytes for names and headers.
static void small_results_are_small(void **state) {
  enum { WIDTH = 156, ROWS = 100 };
  double row[WIDTH];
  size_t size;
  fly_result_writer *w = create("little", WIDTH - 1, FLY_RESULT_HDF5, 1);
  append(w, row, WIDTH, 0, ROWS);
  finish(w);
  free(get_file("little.h5", &size));
  assert_true(size < WIDTH * ROWS * sizeof(double));
  fly_result *r = open_result("little");
  check_values(r);
  fly_result_close(r);
}

static void any_rows_and_columns(void **state) {
  enum { WIDTH = 200, ROWS = 2300 };
  static double row[WIDTH], out[6 * ROWS];
  const int columns[6] = {199, 0, 64, 65, 66, 64};
  fly_result_writer *w = create("some", WIDTH - 1, FLY_RESULT_CSV | FLY_RESULT_HDF5, 1);
  append(w, row, WIDTH, 0, ROWS);
  finish(w);
  for (int f = 0; f < 2; f++) {
    fly_result *r = open_result(with_ending("some", f));
    static const long ranges[][2] = {{0, ROWS}, {1000, 100}, {1023, 2}, {1024, 1}, {5, 0}, {ROWS, 0}, {ROWS - 1, 1}};
    for (size_t k = 0; k < sizeof ranges / sizeof ranges[0]; k++) {
      long first = ranges[k][0], n = ranges[k][1];
      assert_int_equal(fly_result_read(r, out, columns, 6, first, n, NULL), FLY_OK);
      for (int c = 0; c < 6; c++)
        for (long i = 0; i < n; i++)
          assert_true(out[c * n + i] == value_at(first + i, columns[c]));
    }
    fly_error error;
    const int none = WIDTH;
    assert_int_equal(fly_result_read(r, out, columns, 1, 1, ROWS, &error), FLY_BAD_INPUT);
    assert_int_equal(fly_result_read(r, out, columns, 1, -1, 1, &error), FLY_BAD_INPUT);
    assert_int_equal(fly_result_read(r, out, &none, 1, 0, 1, &error), FLY_BAD_INPUT);
    assert_says(&error, "there is no column 200");
    check_values(r);
    fly_result_close(r);
  }
}

// So many channels that a chunk has few rows, and a row several chunks.
static void very_wide_results(void **state) {
  enum { WIDTH = 150000, ROWS = 20 };
  double *row = malloc(WIDTH * sizeof *row);
  assert_non_null(row);
  fly_result_writer *w = create("wide", WIDTH - 1, FLY_RESULT_HDF5, 1);
  append(w, row, WIDTH, 0, ROWS);
  finish(w);
  fly_result *r = open_result("wide.h5");
  assert_int_equal(fly_result_info_of(r)->rows, ROWS);
  check_values(r);
  fly_result_close(r);
  free(row);
}

// Two runs in two threads know nothing of each other.
static int write_in_thread(void *name) {
  double row[5];
  fly_result_writer *w = create(name, 4, FLY_RESULT_CSV | FLY_RESULT_HDF5, 0.001);
  append(w, row, 5, 0, 5000);
  finish(w);
  return 0;
}

static void two_threads(void **state) {
  static char names[2][10] = {"thread0", "thread1"};
  thrd_t thread[2];
  for (int i = 0; i < 2; i++)
    assert_int_equal(thrd_create(&thread[i], write_in_thread, names[i]), thrd_success);
  for (int i = 0; i < 2; i++)
    assert_int_equal(thrd_join(thread[i], NULL), thrd_success);
  for (int i = 0; i < 4; i++) {
    fly_result *r = open_result(with_ending(names[i / 2], i % 2));
    assert_int_equal(fly_result_info_of(r)->rows, 5000);
    check_values(r);
    fly_result_close(r);
  }
}

static void only_time(void **state) {
  fly_result_writer *w = create("time", 0, FLY_RESULT_CSV | FLY_RESULT_HDF5, 0);
  double row[1];
  append(w, row, 1, 0, 10);
  finish(w);
  for (int f = 0; f < 2; f++) {
    fly_result *r = open_result(with_ending("time", f));
    assert_int_equal(fly_result_info_of(r)->rows, 10);
    check_values(r);
    fly_result_close(r);
  }
}

static void names_of_files(void **state) {
  double row[2];
  mkdir(path_of("dir"), 0777);
  fly_result_writer *w = create("dir/", 1, FLY_RESULT_CSV | FLY_RESULT_HDF5, 1);
  append(w, row, 2, 0, 3);
  finish(w);
  static const char *const ways[] = {"dir/result.h5", "dir/result", "dir/", "dir", "dir/result.csv"};
  for (int i = 0; i < 5; i++) {
    fly_result *r = open_result(ways[i]);
    assert_int_equal(fly_result_info_of(r)->format, i < 4 ? FLY_RESULT_HDF5 : FLY_RESULT_CSV);
    check_values(r);
    fly_result_close(r);
  }
  assert_int_equal(remove(path_of("dir/result.h5")), 0);
  fly_result *r = open_result("dir");
  assert_int_equal(fly_result_info_of(r)->format, FLY_RESULT_CSV);
  fly_result_close(r);
}

static void results_ignore_the_locale(void **state) {
  double row[2];
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL)
    skip();
  fly_result_writer *w = create("locale", 1, FLY_RESULT_CSV, 1);
  append(w, row, 2, 0, 100);
  finish(w);
  fly_result *r = open_result("locale.csv");
  check_values(r);
  fly_result_close(r);
  setlocale(LC_NUMERIC, "C");
}

// ---------------------------------------------------------------------------------- hash

static void hash_sees_every_change(void **state) {
  double x[4] = {1, 2, 0.0, 4}, y[4] = {1, 2, -0.0, 4}, z[4] = {2, 1, 0.0, 4};
  double nan1[1] = {NAN}, nan2[1] = {-NAN};
  uint64_t hash = fly_hash_doubles(fly_hash_start(), x, 4);
  assert_true(hash == 0xBBEB69EF48E2570Fu); // records of old runs keep their meaning
  assert_true(fly_hash_doubles(fly_hash_doubles(fly_hash_start(), x, 1), x + 1, 3) == hash);
  assert_true(fly_hash_doubles(fly_hash_start(), y, 4) != hash);
  assert_true(fly_hash_doubles(fly_hash_start(), z, 4) != hash);
  assert_true(fly_hash_doubles(fly_hash_start(), x, 3) != hash);
  assert_true(fly_hash_doubles(1, nan1, 1) == fly_hash_doubles(1, nan2, 1));
}

// ---------------------------------------------------------------------------------- what cannot be written

static void bad_requests(void **state) {
  static const struct {
    fly_channel channel[2];
    const char *says;
  } cases[] = {
      {{{"a", "", ""}, {"a", "", ""}}, "Two channels are called 'a'"},
      {{{"a", "", ""}, {"time", "", ""}}, "Two channels are called 'time'"},
      {{{"a", "", ""}, {"", "", ""}}, "no name"},
      {{{"a", "", ""}, {NULL, "", ""}}, "no name"},
      {{{"a", "", ""}, {"b\nc", "", ""}}, "control characters"},
      {{{"a", "[m]", ""}, {"b", "", ""}}, "The unit '[m]' of channel 'a'"},
  };
  fly_error error;
  fly_result_writer *w;
  fly_result_options o = fly_result_options_default();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(fly_result_create(&w, path_of("bad"), cases[i].channel, 2, &o, &error), FLY_BAD_INPUT);
    assert_null(w);
    assert_says(&error, cases[i].says);
  }
  o.formats = 0;
  assert_int_equal(fly_result_create(&w, path_of("bad"), NULL, 0, &o, &error), FLY_BAD_INPUT);
  o.formats = 4;
  assert_int_equal(fly_result_create(&w, path_of("bad"), NULL, 0, &o, &error), FLY_BAD_INPUT);
  o = fly_result_options_default();
  o.flush_seconds = NAN;
  assert_int_equal(fly_result_create(&w, path_of("bad"), NULL, 0, &o, &error), FLY_BAD_INPUT);
  o.flush_seconds = 1;
  assert_int_equal(fly_result_create(&w, path_of("bad"), NULL, -1, &o, &error), FLY_BAD_INPUT);
  assert_int_equal(access(path_of("bad.h5"), F_OK), -1);
  assert_int_equal(fly_result_finish(NULL, &error), FLY_OK);
  fly_result_close(NULL);
}

static void places_that_cannot_be_written(void **state) {
  fly_error error;
  fly_result_writer *w;
  mkdir(path_of("taken.h5"), 0777);
  mkdir(path_of("taken.csv"), 0777);
  for (int f = 0; f < 2; f++) {
    fly_result_options o = {.formats = formats[f], .flush_seconds = 1};
    assert_int_equal(fly_result_create(&w, path_of("nowhere/run"), NULL, 0, &o, &error), FLY_BAD_INPUT);
    assert_says(&error, "cannot be written: there is no folder ");
    assert_int_equal(fly_result_create(&w, path_of("taken"), NULL, 0, &o, &error), FLY_BAD_INPUT);
    assert_says(&error, "cannot be written: Is a directory.");
  }
}

static void names_of_attachments(void **state) {
  fly_error error;
  fly_result_writer *w = create("attach", 1, FLY_RESULT_HDF5, 1);
  static const char *const bad[] = {"", "a/b", ".hidden", "..", "h5", "csv", "a b", "attachments"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_int_equal(fly_result_attach(w, bad[i], "x", 1, &error), FLY_BAD_INPUT);
  finish(w);
}

// A part that leads elsewhere is not followed.
static void a_part_that_is_a_link(void **state) {
  fly_error error = {0};
  fly_result_writer *w;
  put_file("precious", "precious", 8);
  if (symlink(path_of("precious"), path_of("full.part.csv")) != 0)
    skip();
  fly_result_options o = {.formats = FLY_RESULT_CSV, .flush_seconds = 1};
  assert_int_equal(fly_result_create(&w, path_of("full"), NULL, 0, &o, &error), FLY_BAD_INPUT);
  assert_says(&error, "full.part.csv: cannot be written: ");
  assert_null(w);
  size_t size;
  free(get_file("precious", &size));
  assert_int_equal(size, 8);
}

// In a process of its own, whose files may have 8 MB: the write that fails says so, the next ones refuse, an
// attachment can still tell of it, and the process ends. 0 if all is well.
static int fill_the_disk(unsigned format) {
  enum { WIDTH = 100 };
  double row[WIDTH];
  fly_error error = {0};
  struct rlimit limit = {8 << 20, 8 << 20};
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
  fly_result_writer *w = create("limited", WIDTH - 1, format, 10);
  fly_status status = FLY_OK;
  for (long i = 0; status == FLY_OK && i < 10000; i++) {
    fill_row(row, i, WIDTH);
    status = fly_result_append(w, row, 1, &error);
  }
  if (status != FLY_FILE || strstr(error.message, "cannot be written: File too large. What") == NULL)
    return 1;
  if (fly_result_append(w, row, 1, &error) != FLY_FILE || strstr(error.message, "earlier write failed") == NULL)
    return 2;
  if (fly_result_attach(w, "record.json", "full", 4, &error) != FLY_OK)
    return 3;
  return fly_result_finish(w, &error) == FLY_OK ? 0 : 4;
}

static void a_file_that_may_not_grow_is_noticed(void **state) {
  for (int f = 0; f < 2; f++) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
      exit(fill_the_disk(formats[f])); // with all that libraries do at the end
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    fly_result *r = open_result(with_ending("limited", f)); // what was written before is there
    char *record;
    size_t size;
    assert_true(fly_result_info_of(r)->rows > 1000);
    check_values(r);
    assert_int_equal(fly_result_attachment(r, "record.json", &record, &size, NULL), FLY_OK);
    assert_string_equal(record, "full");
    free(record);
    fly_result_close(r);
  }
}

// ---------------------------------------------------------------------------------- what cannot be read

static void assert_open_fails(const char *name, const char *says) {
  fly_error error = {0};
  fly_result *r;
  assert_int_equal(fly_result_open(&r, path_of(name), &error), FLY_BAD_INPUT);
  assert_null(r);
  assert_memory_equal(error.message, folder, strlen(folder));
  assert_says(&error, says);
  assert_int_equal(fly_result_open(&r, path_of(name), NULL), FLY_BAD_INPUT);
}

#define BYTES(text) (text), sizeof(text) - 1

static void strange_files(void **state) {
  mkdir(path_of("void"), 0777);
  put_file("empty", BYTES(""));
  put_file("binary", BYTES("\177ELF\2\1\1\0\0\0\0"));
  put_file("text", BYTES("Dear reader,\nhow are you?\n"));
  put_file("foreign.csv", BYTES("date,price\n1,2\n"));
  put_file("semicolon.csv", BYTES("time [s];x [m]\n0;1\n"));
  put_file("line", BYTES("time [s],x"));
  assert_int_equal(mkfifo(path_of("pipe.h5"), 0666), 0);
  assert_open_fails("pipe.h5", "pipe.h5: this is a pipe or a device, not a file.");
  assert_open_fails("none", "none: cannot be read: No such file or directory.");
  assert_open_fails("void", "void: there is no result.h5 nor result.csv in this folder.");
  assert_open_fails("empty", "empty: this file is empty.");
  assert_open_fails("binary", "binary: this file is neither HDF5 nor CSV.");
  assert_open_fails("text", "text:1:1: the first column is 'Dear reader', not 'time [s]'");
  assert_open_fails("foreign.csv", "the first column is 'date', not 'time [s]'");
  assert_open_fails("semicolon.csv", "the first column is 'time [s];x', not 'time [s]'");
  assert_open_fails("line", "line:1:1: there is no line with the names of channels.");
}

static void strange_numbers(void **state) {
  static const struct {
    const char *line, *says;
  } cases[] = {
      {"0,1", ":3:1: this line has fewer than 3 values."}, {"0,1,2,3", ":3:1: this line has more than 3 values."},
      {"0,one,2", ":3:3: 'one' is not a number."},         {"0,,2", ":3:3: '' is not a number."},
      {"0,1;5,2", ":3:3: '1;5' is not a number."},         {"0, 1,2", ":3:3: ' 1' is not a number."},
      {"0,0x1p3,2", ":3:3: '0x1p3' is not a number."},     {"0,1,2 ", ":3:5: '2 ' is not a number."},
      {"0,1e5x,2", ":3:3: '1e5x' is not a number."},       {"x", ":3:1: 'x' is not a number."},
  };
  const int columns[3] = {0, 1, 2};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[100];
    double out[9];
    fly_error error;
    snprintf(text, sizeof text, "time,a,b\n0,1,2\n%s\n3,4,5\n", cases[i].line);
    put_file("odd.csv", text, strlen(text));
    fly_result *r = open_result("odd.csv");
    assert_int_equal(fly_result_info_of(r)->rows, 3);
    assert_int_equal(fly_result_read(r, out, columns, 3, 0, 3, &error), FLY_BAD_INPUT);
    assert_says(&error, cases[i].says);
    assert_int_equal(fly_result_read(r, out, columns, 3, 2, 1, &error), FLY_OK); // the rest can still be read
    assert_true(out[2] == 5);
    fly_result_close(r);
  }
}

static void csv_from_other_hands(void **state) {
  const int columns[2] = {1, 0};
  double out[4];
  const char text[] = "\xEF\xBB\xBFtime [s],\"a, b [m]\"\r\n0,1e3\r\n\r\n+1.5,-inf\r\n2,3";
  put_file("windows.csv", BYTES(text));
  fly_result *r = open_result("windows.csv");
  const fly_result_info *info = fly_result_info_of(r);
  assert_string_equal(info->channel[1].name, "a, b");
  assert_string_equal(info->channel[1].unit, "m");
  assert_int_equal(info->rows, 2);
  assert_true(info->cut); // the last line may have lost digits
  assert_int_equal(fly_result_read(r, out, columns, 2, 0, 2, NULL), FLY_OK);
  assert_true(out[0] == 1e3 && out[1] == -(double)INFINITY && out[2] == 0 && out[3] == 1.5);
  fly_result_close(r);
}

// Writes a small HDF5 file and gives its bytes.
static char *small_hdf5(size_t *size) {
  double row[6];
  fly_result_writer *w = create("small", 5, FLY_RESULT_HDF5, 1);
  assert_int_equal(fly_result_attach(w, "scene", "some scene", 10, NULL), FLY_OK);
  append(w, row, 6, 0, 3000);
  finish(w);
  return get_file("small.h5", size);
}

// Opens and reads a damaged file; whatever happens there, it ends with a message or with numbers.
static fly_status read_damaged(const char *name, fly_error *error) {
  fly_result *r;
  uint64_t hash;
  fly_status status = fly_result_open(&r, path_of(name), error);
  if (status == FLY_OK)
    status = fly_result_rehash(r, &hash, error);
  fly_result_close(r);
  return status;
}

static void hdf5_that_is_cut_short(void **state) {
  size_t size;
  char *bytes = small_hdf5(&size);
  for (size_t cut = 1; cut < size; cut += cut < 3000 ? 97 : size / 20) {
    fly_error error = {0};
    put_file("cut.h5", bytes, cut);
    assert_int_equal(read_damaged("cut.h5", &error), FLY_BAD_INPUT);
    if (cut > 8)
      assert_says(&error, "cut.h5: this HDF5 file is damaged or cut short: ");
    if (cut > 96)
      assert_says(&error, "cut short: it has ");
  }
  free(bytes);
}

// Puts another text of the same length in place of each occurrence.
static void patch(char *bytes, size_t size, const char *old, const char *new) {
  size_t n = strlen(old), found = 0;
  for (size_t i = 0; i + n <= size; i++)
    if (memcmp(bytes + i, old, n) == 0) {
      memcpy(bytes + i, new, n);
      found++;
    }
  assert_true(found > 0);
}

static void hdf5_of_others(void **state) {
  static const struct {
    const char *old, *new, *says;
  } cases[] = {
      {"flyball_result", "another_result", "this is an HDF5 file, but not a result of Flyball."},
      {"data", "date", "this is an HDF5 file, but not a result of Flyball."},
      {"names", "nomes", "this is an HDF5 file, but not a result of Flyball."},
      {"time", "Time", "the first column is 'Time', not time"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    size_t size;
    fly_error error = {0};
    char *bytes = small_hdf5(&size);
    patch(bytes, size, cases[i].old, cases[i].new);
    put_file("other.h5", bytes, size);
    assert_int_equal(read_damaged("other.h5", &error), FLY_BAD_INPUT);
    assert_says(&error, cases[i].says);
    free(bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_bit_comes_back),
      cmocka_unit_test(channels_come_back),
      cmocka_unit_test(csv_is_what_people_expect),
      cmocka_unit_test(attachments_come_back),
      cmocka_unit_test(old_attachments_go),
      cmocka_unit_test(one_file_a_result),
      cmocka_unit_test(small_results_are_small),
      cmocka_unit_test(any_rows_and_columns),
      cmocka_unit_test(very_wide_results),
      cmocka_unit_test(two_threads),
      cmocka_unit_test(only_time),
      cmocka_unit_test(names_of_files),
      cmocka_unit_test(results_ignore_the_locale),
      cmocka_unit_test(hash_sees_every_change),
      cmocka_unit_test(bad_requests),
      cmocka_unit_test(places_that_cannot_be_written),
      cmocka_unit_test(names_of_attachments),
      cmocka_unit_test(a_part_that_is_a_link),
      cmocka_unit_test(a_file_that_may_not_grow_is_noticed),
      cmocka_unit_test(strange_files),
      cmocka_unit_test(strange_numbers),
      cmocka_unit_test(csv_from_other_hands),
      cmocka_unit_test(hdf5_that_is_cut_short),
      cmocka_unit_test(hdf5_of_others),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
