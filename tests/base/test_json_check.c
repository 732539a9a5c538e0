// Whether a text is JSON: all of the grammar, and nothing beyond it.
#include "base/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_check.h"

static void good_objects(void **state) {
  (void)state;
  static const char *const good[] = {"{}",
                                     " {\n} \t\r\n",
                                     "{\"a\":1}",
                                     "{\"a\" : [ ] , \"b\":{\"c\":[1,2 , 3]}}",
                                     "{\"\":-0.5e+10,\"a\":0,\"b\":1E5,\"c\":-0,\"d\":10.25}",
                                     "{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9 \xC3\xA9\"}",
                                     "{\"a\":true,\"b\":false,\"c\":null}"};
  for (size_t k = 0; k < sizeof good / sizeof *good; k++)
    if (!fly_json_is_object(good[k], strlen(good[k])))
      fail_msg("refused: %s", good[k]);
}

static void bad_objects(void **state) {
  (void)state;
  static const char *const bad[] = {"",
                                    "[]",
                                    "1",
                                    "{",
                                    "}",
                                    "{}{}",
                                    "{,}",
                                    "{\"a\"}",
                                    "{\"a\":}",
                                    "{\"a\":1,}",
                                    "{a:1}",
                                    "{'a':1}",
                                    "{\"a\":01}",
                                    "{\"a\":1.}",
                                    "{\"a\":.5}",
                                    "{\"a\":+1}",
                                    "{\"a\":1e}",
                                    "{\"a\":NaN}",
                                    "{\"a\":tru}",
                                    "{\"a\":\"\\x\"}",
                                    "{\"a\":\"}",
                                    "{\"a\":[1,]}",
                                    "{\"a\":[1}",
                                    "{\"a\":-}",
                                    "{\"a\":\"\\u12g4\"}",
                                    "{\"a\":\"\n\"}"};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    if (fly_json_is_object(bad[k], strlen(bad[k])))
      fail_msg("accepted: %s", bad[k]);
  assert_false(fly_json_is_object("{\"a\":1}\0", 8)); // a 0 is no space
  for (size_t n = 1; n < 22; n++) {                   // cut anywhere, and nothing to read behind
    char *cut = malloc(n);
    assert_non_null(cut);
    memcpy(cut, "{\"a\":[1,\"x\\u0041\",{}]}", n);
    assert_false(fly_json_is_object(cut, n));
    free(cut);
  }
}

static void depth_is_limited(void **state) {
  (void)state;
  static char text[100000];
  size_t n = (size_t)snprintf(text, sizeof text, "{\"a\":");
  memset(text + n, '[', 90000);
  assert_false(fly_json_is_object(text, n + 90000));
  memset(text + n, '[', 50);
  memset(text + n + 50, ']', 50);
  text[n + 100] = '}';
  assert_true(fly_json_is_object(text, n + 101));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_objects),
      cmocka_unit_test(bad_objects),
      cmocka_unit_test(depth_is_limited),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
