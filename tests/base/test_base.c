// Errors, arenas, numbers as text, the clock.
// labels: valgrind
#include "base/allocations.h"
#include "base/check.h"

#include <float.h>
#include <limits.h>
#include <locale.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/stream.h"

// ---------------------------------------------------------------------------------- errors

static void statuses_have_names_of_their_own(void **state) {
  (void)state;
  for (int i = FLY_OK; i <= FLY_NO_PROGRESS; i++) {
    assert_string_not_equal(fly_status_name((fly_status)i), "unknown status");
    for (int j = FLY_OK; j < i; j++)
      assert_string_not_equal(fly_status_name((fly_status)i), fly_status_name((fly_status)j));
  }
  assert_string_equal(fly_status_name((fly_status)1000), "unknown status");
  assert_string_equal(fly_status_name(FLY_NO_CONVERGENCE), "no convergence");
}

static void version_is_three_numbers(void **state) {
  (void)state;
  int major, minor, patch;
  assert_int_equal(sscanf(fly_version(), "%d.%d.%d", &major, &minor, &patch), 3);
}

static void fail_fills_the_error(void **state) {
  (void)state;
  fly_error error;
  assert_int_equal(fly_fail(&error, FLY_SINGULAR, 2.5, "joint %s, row %d", "crank", 3), FLY_SINGULAR);
  assert_int_equal(error.status, FLY_SINGULAR);
  assert_true(error.time == 2.5);
  assert_string_equal(error.message, "joint crank, row 3");
  fly_error_append(&error, "; try %g", 0.5);
  assert_string_equal(error.message, "joint crank, row 3; try 0.5");
  assert_int_equal(fly_fail(NULL, FLY_CALLBACK, NAN, "nobody listens"), FLY_CALLBACK);
  fly_error_append(NULL, "nor here");
}

static void long_messages_are_cut(void **state) {
  (void)state;
  fly_error error;
  fly_fail(&error, FLY_BAD_INPUT, NAN, "%*s", 1000, "");
  for (int i = 0; i < 5; i++)
    fly_error_append(&error, "0123456789");
  assert_int_equal(strlen(error.message), sizeof error.message - 1);
  assert_string_equal(error.message + 1000, "01234567890123456789012");
}

// ---------------------------------------------------------------------------------- arena

// Arrays that share blocks, and some that ask for pages of their own: zeroed, apart, all of them. A block is as long as
// what was taken of it: that is what travels.
static void large_arrays_do_not_overlap(void **state) {
  (void)state;
  enum { arrays = 40 };
  fly_arena arena = {0};
  double *array[arrays];
  size_t count[arrays];
  for (int i = 0; i < arrays; i++) {
    count[i] = i % 10 == 9 ? 700000 : 32768 + 2777 * (size_t)i;
    array[i] = fly_arena_doubles(&arena, count[i]);
    assert_non_null(array[i]);
    assert_int_equal((uintptr_t)array[i] % sizeof(double), 0);
    for (size_t k = 0; k < count[i]; k++) {
      assert_true(array[i][k] == 0);
      array[i][k] = i + 1;
    }
  }
  assert_in_range(arena.count, 2, 8); // 47 MB in blocks of 2 to 8 MB, and pages of 32
  assert_in_range(arena.npages, 1, 2);
  size_t taken = 0, used = 0;
  for (int i = 0; i < arrays; i++) {
    taken += (count[i] * sizeof(double) + 63) / 64 * 64;
    for (size_t k = 0; k < count[i]; k++)
      assert_true(array[i][k] == i + 1);
  }
  for (int i = 0; i < arena.count; i++)
    used += arena.block[i].size;
  assert_int_equal(used, taken);
  fly_arena_free(&arena);
}

static void arena_gives_zeroed_separate_blocks(void **state) {
  (void)state;
  fly_arena arena = {0};
  double *block[100];
  for (int i = 0; i < 100; i++) {
    block[i] = fly_arena_doubles(&arena, (size_t)i);
    assert_non_null(block[i]);
    for (int k = 0; k < i; k++) {
      assert_true(block[i][k] == 0);
      block[i][k] = i;
    }
  }
  for (int i = 0; i < 100; i++)
    for (int k = 0; k < i; k++)
      assert_true(block[i][k] == i);
  assert_int_equal(arena.count, 100);
  fly_arena_free(&arena);
  assert_null(arena.block);
  assert_int_equal(arena.count, 0);
}

// Thousands of small arrays share blocks: zeroed and apart all the same. A block that malloc gave is freed with them.
static void arena_takes_many_small_ones(void **state) {
  (void)state;
  enum { MANY = 20000 };
  fly_arena arena = {0};
  static int *array[MANY];
  char *kept = malloc(100);
  assert_true(fly_arena_keep(&arena, kept));
  for (int i = 0; i < MANY; i++) {
    array[i] = fly_arena_ints(&arena, (size_t)(i % 7));
    assert_non_null(array[i]);
    assert_true((uintptr_t)array[i] % _Alignof(max_align_t) == 0);
    for (int k = 0; k < i % 7; k++) {
      assert_int_equal(array[i][k], 0);
      array[i][k] = i;
    }
  }
  assert_in_range(arena.count, 1000, 10000);
  double *large = fly_arena_doubles(&arena, 100000);
  assert_non_null(large);
  for (int k = 0; k < 100000; k++)
    assert_true(large[k] == 0);
  for (int i = 0; i < MANY; i++)
    for (int k = 0; k < i % 7; k++)
      assert_int_equal(array[i][k], i);
  fly_arena_free(&arena);
}

static void arena_survives_each_failure(void **state) {
  (void)state;
  for (long fail_at = 1;; fail_at++) {
    fly_arena arena = {0};
    allocations_reset(fail_at);
    for (int i = 0; i < 40; i++)
      fly_arena_ints(&arena, 3);
    long count = the_allocations.count;
    allocations_reset(0);
    assert_true(count > 0); // else the program was not linked as allocations.h says
    if (!arena.failed) {
      assert_true(count < fail_at);
      fly_arena_free(&arena);
      return;
    }
    assert_null(fly_arena_doubles(&arena, 1)); // failed stays failed, without trying
    assert_int_equal(the_allocations.count, 0);
    fly_arena_free(&arena);
    assert_false(arena.failed);
  }
}

static void growing_arrays_keep_what_they_hold(void **state) {
  struct {
    char *text;
    int capacity;
  } a = {0};
  for (int n = 1; n <= 1000; n++) {
    assert_true(fly_reserve(&a.text, &a.capacity, n, sizeof *a.text));
    assert_true(a.capacity >= n);
    a.text[n - 1] = (char)n;
    for (int k = 0; k < n; k++)
      assert_int_equal(a.text[k], (char)(k + 1));
  }
  const char *before = a.text;
  const int capacity = a.capacity;
  assert_false(fly_reserve(&a.text, &a.capacity, INT_MAX, sizeof *a.text)); // twice as many are no int
  assert_ptr_equal(a.text, before);
  assert_int_equal(a.capacity, capacity);
  free(a.text);
}

static void arena_refuses_sizes_that_overflow(void **state) {
  (void)state;
  fly_arena arena = {0};
  assert_null(fly_arena_doubles(&arena, SIZE_MAX / 4));
  assert_true(arena.failed);
  fly_arena_free(&arena);
}

// ---------------------------------------------------------------------------------- numbers, clock

static void check_text(double x, const char *expected) {
  char text[FLY_NUMBER_SIZE];
  fly_number_text(text, x);
  assert_string_equal(text, expected);
}

static void numbers_are_short(void **state) {
  (void)state;
  check_text(0.1, "0.1");
  check_text(-0.0, "-0");
  check_text(100000, "100000");
  check_text(1e22, "1e+22");
  check_text(0.1 + 0.2, "0.30000000000000004");
  check_text(5e-324, "4.94065645841247e-324");
  check_text((double)NAN, "nan");
  check_text(HUGE_VAL, "inf");
  check_text(-HUGE_VAL, "-inf");
}

static void numbers_read_back_the_same(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int i = 0; i < 20000; i++) {
    double x = ldexp(random_double(&seed), random_int(&seed, 2090) - 1070);
    char text[FLY_NUMBER_SIZE];
    fly_number_text(text, x);
    assert_true(strtod(text, NULL) == x);
  }
}

static void numbers_ignore_the_locale(void **state) {
  (void)state;
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL)
    skip();
  char text[FLY_NUMBER_SIZE];
  fly_number_text(text, -1.5e-300);
  setlocale(LC_NUMERIC, "C");
  assert_string_equal(text, "-1.5e-300");
}

static void clock_does_not_run_back(void **state) {
  (void)state;
  double before = fly_clock();
  for (int i = 0; i < 1000; i++) {
    double now = fly_clock();
    assert_true(now >= before);
    before = now;
  }
}

static bool reads(const char *text, double expected) {
  double x = NAN;
  return fly_number_read(text, strlen(text), &x) && x == expected;
}

static void numbers_are_read_whole_or_not_at_all(void **state) {
  (void)state;
  static const char *const bad[] = {"", "-", "1,5", "1.5.2", "nan", "inf", "0x10", " 1", "1 ", "1e999", "1e", "one"};
  double x;
  assert_true(reads("1", 1) && reads("-1.5e3", -1500) && reads("+.25", 0.25) && reads("7.", 7));
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    assert_false(fly_number_read(bad[k], strlen(bad[k]), &x));
  assert_true(fly_number_read("12345", 2, &x) && x == 12);
}

static void a_stream_grows_in_memory(void **state) {
  (void)state;
  char *bytes;
  size_t size;
  FILE *file = fly_stream_open(&bytes, &size);
  assert_non_null(file);
  for (int k = 0; k < 10000; k++)
    fprintf(file, "%d ", k % 10);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(size, 20000);
  assert_int_equal(strlen(bytes), size);
  assert_memory_equal(bytes + 19990, "5 6 7 8 9 ", 10);
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statuses_have_names_of_their_own),
      cmocka_unit_test(version_is_three_numbers),
      cmocka_unit_test(fail_fills_the_error),
      cmocka_unit_test(long_messages_are_cut),
      cmocka_unit_test(arena_gives_zeroed_separate_blocks),
      cmocka_unit_test(arena_takes_many_small_ones),
      cmocka_unit_test(large_arrays_do_not_overlap),
      cmocka_unit_test(arena_survives_each_failure),
      cmocka_unit_test(arena_refuses_sizes_that_overflow),
      cmocka_unit_test(growing_arrays_keep_what_they_hold),
      cmocka_unit_test(numbers_are_short),
      cmocka_unit_test(numbers_read_back_the_same),
      cmocka_unit_test(numbers_ignore_the_locale),
      cmocka_unit_test(numbers_are_read_whole_or_not_at_all),
      cmocka_unit_test(a_stream_grows_in_memory),
      cmocka_unit_test(clock_does_not_run_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
