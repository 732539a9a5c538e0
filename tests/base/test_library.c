// Libraries that are loaded when they are first needed.
#include "base/check.h"

#include <math.h>
#include <string.h>

#include "base/library.h"

typedef struct table {
  double (*cos)(double);
  double (*nowhere_to_be_found)(double);
} table;

static const fly_late_name names[] = {FLY_LATE_NAME(table, cos), FLY_LATE_NAME(table, nowhere_to_be_found)};

static void a_table_is_filled_once(void **state) {
  table t = {0};
  fly_late late = {"libm.so.6", "", names, 1, &t, false};
  assert_int_equal(fly_late_load(&late, NULL), FLY_OK);
  assert_true(late.loaded);
  assert_true(t.cos(0.0) == 1.0);
  t.cos = NULL;
  assert_int_equal(fly_late_load(&late, NULL), FLY_OK);
  assert_null(t.cos);
}

static void what_is_missing_is_told(void **state) {
  table t = {0};
  fly_error error = {0};
  fly_late late = {"libnowhere.so.7", "Nothing flies without it.", names, 1, &t, false};
  assert_int_equal(fly_late_load(&late, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "The library libnowhere.so.7 cannot be loaded: "));
  assert_non_null(strstr(error.message, "No such file"));
  assert_non_null(strstr(error.message, ". Nothing flies without it."));
  assert_false(late.loaded);
  late = (fly_late){"libm.so.6", "An older one will not do.", names, 2, &t, false};
  assert_int_equal(fly_late_load(&late, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "nowhere_to_be_found"));
  assert_false(late.loaded);
}

static void only_what_is_loaded_is_seen(void **state) {
  assert_non_null(fly_library_loaded("libc.so.6", "malloc"));
  assert_null(fly_library_loaded("libc.so.6", "nowhere_to_be_found"));
  assert_null(fly_library_loaded("libnowhere.so.7", "malloc"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_table_is_filled_once),
      cmocka_unit_test(what_is_missing_is_told),
      cmocka_unit_test(only_what_is_loaded_is_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
