// Doubles as text: the fast way gives what printf and strtod give.
#include "base/check.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/number.h"

static uint64_t state_of_chance = 12345;

static uint64_t chance(void) {
  state_of_chance ^= state_of_chance << 13;
  state_of_chance ^= state_of_chance >> 7;
  state_of_chance ^= state_of_chance << 17;
  return state_of_chance;
}

static double share(void) { return (double)(chance() >> 11) * 0x1p-53; }

static void assert_same(double x) {
  char expected[FLY_NUMBER_SIZE], text[FLY_NUMBER_SIZE];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(expected, sizeof expected, "%.*g", digits, x);
    if (strtod(expected, NULL) == x)
      break;
  }
  fly_number_text(text, x);
  if (strcmp(text, expected) != 0)
    fail_msg("%a: %s, not %s", x, text, expected);
}

static void assert_rounded(double x, int digits) {
  char text[FLY_NUMBER_SIZE];
  snprintf(text, sizeof text, "%.*g", digits, x);
  if (fly_number_rounded(x, digits) != strtod(text, NULL))
    fail_msg("%a to %d digits: %.17g, not %s", x, digits, fly_number_rounded(x, digits), text);
}

static double of_any_size(void) { return ldexp(1 + share(), (int)(chance() % 300) - 150); }

static double of_few_digits(void) {
  char text[40];
  snprintf(text, sizeof text, "%llue%d", (unsigned long long)(chance() % (uint64_t)pow(10, (double)(chance() % 18))),
           (int)(chance() % 60) - 35);
  return strtod(text, NULL);
}

static double near_powers(void) {
  const double x = chance() % 2 ? pow(10, (double)(chance() % 50) - 25) : ldexp(1, (int)(chance() % 160) - 80);
  return nextafter(x, chance() % 2 ? 0 : INFINITY) * (chance() % 3 ? 1 : 1 + 0x1p-52);
}

static double halves(void) { return ((double)(chance() % 2000000) + 0.5) * pow(10, (double)(chance() % 9) - 4); }

static void numbers_of_all_kinds(void **state) {
  enum { COUNT = 60000 };
  double (*const kinds[])(void) = {share, of_any_size, of_few_digits, near_powers, halves};
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
    for (int k = 0; k < COUNT; k++) {
      const double x = kinds[kind](), signed_x = k % 2 ? -x : x;
      assert_same(signed_x);
      assert_rounded(signed_x, 3);
    }
}

static void numbers_of_special_kinds(void **state) {
  const double list[] = {0.0,   -0.0, 1,    -1,   0.5,    0.25,       0.1,     1e15,      1e16,   123456789012345,
                         1e17,  1e-4, 1e-5, 1e22, 1e23,   0x1p-1074,  1e308,   9.995,     99.95,  999.5,
                         9.5e9, 1e14, 1e21, 5e-5, 9.9e14, 999999.5e9, 1.5e300, 0.0009995, 1e-300, 9007199254740993.0};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    assert_same(list[k]);
    assert_rounded(list[k], 3);
  }
  for (int k = -1000; k <= 1000; k++)
    assert_same(k);
}

// Else all of this tests printf.
static void the_fast_way_is_taken(void **state) {
  int fast = 0;
  for (int k = 0; k < 1000; k++) {
    fly_digits d;
    fast += fly_digits_shortest(&d, 1e-20 + share());
  }
  assert_true(fast > 990);
}

// Numbers with few digits are read without strtod, to the same bits.
static void texts_of_few_digits(void **state) {
  for (int k = 0; k < 200000; k++) {
    char text[80];
    double x = 0;
    const double size = share() * 40 - 20;
    snprintf(text, sizeof text,
             k % 3 == 0   ? "%.*g"
             : k % 3 == 1 ? "%.*e"
                          : "%+.*f",
             (int)(share() * 18), (share() - 0.5) * pow(10, size));
    assert_true(fly_number_parse(text, strlen(text), &x));
    const double right = strtod(text, NULL);
    if (memcmp(&x, &right, sizeof x) != 0)
      fail_msg("%s is %.17g, not %.17g", text, right, x);
  }
  const char *const bad[] = {"", "+", "-", ".", "e1", "1e", "1e+", "1 ", " 1", "1.2.3", "--1", "0x1", "1e1.5", "inf"};
  double x;
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    assert_false(fly_number_parse(bad[k], strlen(bad[k]), &x));
  const char *const good[] = {"-0",
                              "1.",
                              ".5",
                              "+.5e-3",
                              "9007199254740993",
                              "9007199254740992",
                              "1e22",
                              "1e23",
                              "0.000000000000000000000001",
                              "123456789012345678901234567890",
                              "1e400",
                              "1e-400"};
  for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
    const double right = strtod(good[k], NULL);
    assert_true(fly_number_parse(good[k], strlen(good[k]), &x));
    assert_memory_equal(&x, &right, sizeof x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_of_all_kinds),
      cmocka_unit_test(numbers_of_special_kinds),
      cmocka_unit_test(the_fast_way_is_taken),
      cmocka_unit_test(texts_of_few_digits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
