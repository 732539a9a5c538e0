// The slider crank with a flexible rod of Simeon (Math. Modelling of Systems 2, 1996) as posed in the Test Set for IVP
// Solvers: examples/testset-crank, whose rod has the test set's own matrices.
#define _POSIX_C_SOURCE 200809L
#include "analysis/rest.h"

static double last_of(fly_result *r, const char *name) {
  double *all = read_channel(r, name), last = all[fly_result_info_of(r)->rows - 1];
  free(all);
  return last;
}

// Published at 0.1 s, with the digits of an independent integration in quadruple precision that agree. The start leaves
// 2e-10 m in the test set's constraints, which is the difference of the slider's place.
static void it_ends_where_the_test_set_does(void **state) {
  static const struct {
    const char *name;
    double value, tolerance;
  } published[] = {{"angle", -0.33117349882563, 1e-9}, {"place", 0.16973733284307, 1e-9},
                   {"q1", 1.893192899701e-4, 1e-10},   {"q2", 2.375751249987e-5, 1e-10},
                   {"q3", -5.323896770749e-6, 1e-10},  {"q4", -8.363313278808e-6, 1e-10}};
  char out[100];
  simulation s = simulation_default(0.1, NAN);
  fly_result *r = NULL;
  snprintf(out, sizeof out, "%s/crank", folder);
  s.options.error = 1e-7;
  s.options.out = out;
  s.options.hdf5 = true;
  simulate_file(&s, FLY_TEST_SOURCE_DIR "/examples/testset-crank/crank.yaml");
  assert_ok(s.status, &s.error);
  assert_int_equal(fly_result_open(&r, out, NULL), FLY_OK);
  for (size_t k = 0; k < sizeof published / sizeof *published; k++) {
    say("%-6s %.12g, off by %.1e\n", published[k].name, last_of(r, published[k].name),
        last_of(r, published[k].name) - published[k].value);
    assert_near(last_of(r, published[k].name), published[k].value, published[k].tolerance);
  }
  fly_result_close(r);
  simulation_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(it_ends_where_the_test_set_does)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
