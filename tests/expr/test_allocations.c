// Evaluating allocates nothing; compiling survives the failure of every allocation.
// labels: valgrind
#include "base/allocations.h"
#include "sample.h"

static const char *const texts[] = {
    "1",
    "time",
    "2*r*sin(3*time + u1) - max(u1, u2, u3*deg)^2.5 + if(u4 > 0, spline(u1, table), cubic1(u2, table))",
    "impact(u1, u2, 0.1, 1e5, 1.5, 100, 1*mm) + dx(crank.pin, crank.pin) - bistop(u1, u2, 0, 1, 1e5, 1.5, 100, 1*mm)",
    "u1 + u2 + u3 + u4 + u5 + u6 + u7 + u8 + u9 + u10 + u11 + u12 + u13 + u14 + u15 + u16 + u17 + u18 + u19 + u20",
    "1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(u1))))))))))))))))))))",
};
enum { ntexts = sizeof texts / sizeof texts[0] };

static void evaluating_allocates_nothing(void **state) {
  double inputs[SAMPLE_INPUTS] = {0.3, 0.05, 0.2, 0.1}, gradient[SAMPLE_INPUTS], value, t[3];
  for (int i = 0; i < ntexts; i++) {
    allocations_reset(0);
    fly_expr *e = sample_compile(texts[i]);
    assert_true(the_allocations.count > 0);
    allocations_reset(0);
    for (int n = 0; n < 10; n++) {
      inputs[1] += 0.01;
      fly_expr_value(e, inputs);
      fly_expr_gradient(e, inputs, &value, gradient);
      if (fly_expr_is_time_only(e))
        fly_expr_time(e, inputs[0], t);
    }
    assert_int_equal(the_allocations.count, 0);
    fly_expr_free(e);
  }
}

// Compiles with the n-th allocation failing, for all n until none fails.
static void fail_each(const char *text, fly_status in_the_end) {
  const fly_expr_scope scope = sample_scope();
  for (long n = 1;; n++) {
    fly_error error = {.message = ""};
    fly_expr *e;
    allocations_reset(n);
    const fly_status status = fly_expr_compile(&e, text, &scope, &error);
    const bool none_failed = the_allocations.count < n;
    allocations_reset(0);
    assert_true((e != NULL) == (status == FLY_OK));
    assert_true(status == FLY_OK || error.message[0] != 0);
    fly_expr_free(e);
    if (none_failed) {
      assert_int_equal(status, in_the_end);
      assert_true(n > 2);
      return;
    }
    assert_int_not_equal(status, FLY_OK);
    if (in_the_end == FLY_OK) {
      assert_int_equal(status, FLY_NO_MEMORY);
      assert_non_null(strstr(error.message, "no memory to compile an expression of"));
    }
  }
}

static void every_allocation_may_fail(void **state) {
  for (int i = 0; i < ntexts; i++)
    fail_each(texts[i], FLY_OK);
}

static void also_on_the_way_to_a_message(void **state) {
  fail_each("2*spedd", FLY_BAD_INPUT);
  fail_each("3 + sni(u1)", FLY_BAD_INPUT);
  fail_each("spline(u1, tabel)", FLY_BAD_INPUT);
  fail_each("u1 + sqrt(-1)", FLY_BAD_INPUT);
}

static void evaluating_a_number_may_fail(void **state) {
  const fly_expr_scope scope = sample_scope();
  double value;
  allocations_reset(1);
  assert_int_equal(fly_expr_evaluate(&value, "30*deg", &scope, NULL), FLY_NO_MEMORY);
  allocations_reset(0);
  assert_int_equal(fly_expr_evaluate(&value, "30*deg", &scope, NULL), FLY_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(evaluating_allocates_nothing),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(also_on_the_way_to_a_message),
      cmocka_unit_test(evaluating_a_number_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
