// The JSON writer: exact text, and round trips.
// labels: valgrind
#include "base/check.h"

#include <float.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "flyball/json.h"

// What fly_json_... calls wrote, as a text; valid until the next call.
static const char *written(fly_json *j) {
  static char text[1 << 20];
  assert_true(fly_json_finish(j));
  rewind((FILE *)j->user);
  size_t length = fread(text, 1, sizeof text - 1, (FILE *)j->user);
  text[length] = 0;
  fclose((FILE *)j->user);
  return text;
}

static void write_sample(fly_json *j) {
  const double numbers[] = {1, 2.5, (double)NAN};
  fly_json_begin_object(j);
  fly_json_key(j, "a");
  fly_json_begin_array(j);
  fly_json_integer(j, -7);
  fly_json_bool(j, true);
  fly_json_begin_object(j);
  fly_json_end_object(j);
  fly_json_begin_array(j);
  fly_json_end_array(j);
  fly_json_end_array(j);
  fly_json_key(j, "b");
  fly_json_numbers(j, numbers, 3);
  fly_json_key(j, "c");
  fly_json_begin_object(j);
  fly_json_key(j, "d");
  fly_json_null(j);
  fly_json_key(j, "e");
  fly_json_bool(j, false);
  fly_json_end_object(j);
  fly_json_key(j, "f");
  fly_json_numbers(j, NULL, 0);
  fly_json_end_object(j);
}

static void nesting_on_one_line(void **state) {
  (void)state;
  fly_json j = fly_json_to(fly_to_file, tmpfile(), 0);
  write_sample(&j);
  assert_string_equal(written(&j),
                      "{\"a\":[-7,true,{},[]],\"b\":[1,2.5,null],\"c\":{\"d\":null,\"e\":false},\"f\":[]}\n");
}

static void nesting_indented(void **state) {
  (void)state;
  fly_json j = fly_json_to(fly_to_file, tmpfile(), 2);
  write_sample(&j);
  assert_string_equal(written(&j), "{\n"
                                   "  \"a\": [\n"
                                   "    -7,\n"
                                   "    true,\n"
                                   "    {},\n"
                                   "    []\n"
                                   "  ],\n"
                                   "  \"b\": [1, 2.5, null],\n"
                                   "  \"c\": {\n"
                                   "    \"d\": null,\n"
                                   "    \"e\": false\n"
                                   "  },\n"
                                   "  \"f\": []\n"
                                   "}\n");
}

static void check_string(const char *text, const char *expected) {
  fly_json j = fly_json_to(fly_to_file, tmpfile(), 0);
  fly_json_string(&j, text);
  assert_string_equal(written(&j), expected);
}

static void strings_are_escaped(void **state) {
  (void)state;
  check_string("", "\"\"\n");
  check_string(NULL, "null\n");
  check_string("a\"b\\c/d", "\"a\\\"b\\\\c/d\"\n");
  check_string("\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"\n");
}

static void strings_are_utf8(void **state) {
  (void)state;
  check_string("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\xb1", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\xb1\"\n");
  check_string("latin \xe9!", "\"latin \\ufffd!\"\n");
  check_string("cut \xe2\x82", "\"cut \\ufffd\\ufffd\"\n");
  check_string("\xc0\xaf", "\"\\ufffd\\ufffd\"\n");                       // overlong /
  check_string("\xe0\x9f\xbf", "\"\\ufffd\\ufffd\\ufffd\"\n");            // overlong U+07FF
  check_string("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"\n");            // surrogate
  check_string("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"\n"); // beyond U+10FFFF
}

static void keys_are_escaped(void **state) {
  (void)state;
  fly_json j = fly_json_to(fly_to_file, tmpfile(), 0);
  fly_json_begin_object(&j);
  fly_json_key(&j, "a\n\"");
  fly_json_string(&j, "v");
  fly_json_end_object(&j);
  assert_string_equal(written(&j), "{\"a\\n\\\"\":\"v\"}\n");
}

static double nasty(int i, uint64_t *seed) {
  const double fixed[] = {0.0,
                          -0.0,
                          0.1,
                          1.0 / 3,
                          DBL_MAX,
                          -DBL_MAX,
                          DBL_MIN,
                          DBL_TRUE_MIN,
                          DBL_EPSILON,
                          0.1 + 0.2,
                          9007199254740992.,
                          1e22,
                          1e23,
                          5e-324,
                          123456789.,
                          2.2250738585e-308,
                          4.35,
                          1 - DBL_EPSILON / 2};
  const int nfixed = (int)(sizeof fixed / sizeof fixed[0]);
  return i < nfixed ? fixed[i] : ldexp(random_double(seed), random_int(seed, 2090) - 1070);
}

static void numbers_read_back_bit_for_bit(void **state) {
  (void)state;
  enum { count = 5000 };
  double x[count];
  uint64_t seed = 3;
  for (int i = 0; i < count; i++)
    x[i] = nasty(i, &seed);
  fly_json j = fly_json_to(fly_to_file, tmpfile(), 0);
  fly_json_numbers(&j, x, count);
  const char *text = written(&j);
  for (int i = 0; i < count; i++) {
    char *end;
    double back = strtod(text + 1, &end);
    assert_memory_equal(&back, &x[i], sizeof back);
    assert_true(*end == (i < count - 1 ? ',' : ']'));
    text = end;
  }
}

static void what_is_not_finite_is_null(void **state) {
  (void)state;
  fly_json j = fly_json_to(fly_to_file, tmpfile(), 0);
  fly_json_begin_array(&j);
  fly_json_number(&j, HUGE_VAL);
  fly_json_number(&j, -HUGE_VAL);
  fly_json_number(&j, (double)NAN);
  fly_json_integer(&j, INT64_MIN);
  fly_json_end_array(&j);
  assert_string_equal(written(&j), "[null,null,null,-9223372036854775808]\n");
}

static void a_full_disk_is_noticed(void **state) {
  (void)state;
  FILE *full = fopen("/dev/full", "w");
  if (full == NULL)
    skip();
  fly_json j = fly_json_to(fly_to_file, full, 0);
  fly_json_integer(&j, 1);
  assert_false(fly_json_finish(&j));
  fclose(full);
}

// A sink that takes so many bytes.
static bool take(const char *text, size_t length, void *user) {
  (void)text;
  long *left = user;
  *left -= (long)length;
  return *left >= 0;
}

static void test_sinks(void **state) {
  for (long room = 0; room < 12; room++) {
    long left = room;
    fly_json j = fly_json_to(take, &left, 0);
    fly_json_begin_object(&j);
    fly_json_put_integer(&j, "ab", 12);
    fly_json_end_object(&j);
    assert_int_equal(fly_json_finish(&j), room >= 10); // {"ab":12} and a newline
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sinks),
      cmocka_unit_test(nesting_on_one_line),
      cmocka_unit_test(nesting_indented),
      cmocka_unit_test(strings_are_escaped),
      cmocka_unit_test(strings_are_utf8),
      cmocka_unit_test(keys_are_escaped),
      cmocka_unit_test(numbers_read_back_bit_for_bit),
      cmocka_unit_test(what_is_not_finite_is_null),
      cmocka_unit_test(a_full_disk_is_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
