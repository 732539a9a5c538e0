// Every public call on nothing: NULL for what it works on, for its names, for where its answer goes; numbers out of
// range. A status and a sentence that names the call, or an answer that says nothing; never a signal.
//
// labels: valgrind
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flyball/flyball.h"
#include "flyball/json.h"
#include "support/motion.h"

#define REFUSED(call, name)                                                                                            \
  do {                                                                                                                 \
    fly_error error = {0};                                                                                             \
    assert_int_equal(call, FLY_BAD_INPUT);                                                                             \
    if (!strstr(error.message, name))                                                                                  \
      fail_msg("'%s' does not name %s", error.message, name);                                                          \
  } while (0)

#define PENDULUM                                                                                                       \
  "flyball: 1\nsimulate: {end: 0.1}\nbodies:\n  bob: {type: point, mass: 1, position: [0, -1, 0]}\ngravity: [0, "      \
  "-9.81, 0]\njoints:\n  bar: {type: distance, from: ground, to: bob}\n"

static void mechanisms(void **state) {
  fly_mechanism *m = NULL;
  const char *none[1] = {NULL};
  REFUSED(fly_mechanism_load(NULL, "x.yaml", 0, NULL, &error), "fly_mechanism_load");
  REFUSED(fly_mechanism_load(&m, NULL, 0, NULL, &error), "fly_mechanism_load");
  REFUSED(fly_mechanism_load(&m, "x.yaml", 2, NULL, &error), "fly_mechanism_load");
  REFUSED(fly_mechanism_load(&m, "x.yaml", -2, none, &error), "fly_mechanism_load");
  REFUSED(fly_mechanism_load(&m, "x.yaml", 1, none, &error), "fly_mechanism_load");
  REFUSED(fly_mechanism_parse(NULL, "x", "flyball: 1", 10, 0, NULL, &error), "fly_mechanism_parse");
  REFUSED(fly_mechanism_parse(&m, NULL, "flyball: 1", 10, 0, NULL, &error), "fly_mechanism_parse");
  REFUSED(fly_mechanism_parse(&m, "x", NULL, 10, 0, NULL, &error), "fly_mechanism_parse");
  assert_string_equal(fly_mechanism_warnings(NULL), "");
  assert_null(m);
  fly_mechanism_free(NULL);
}

static void ask_modes(const fly_modes *m, int beyond) {
  assert_null(fly_modes_get(m, -1));
  assert_null(fly_modes_get(m, beyond));
  assert_null(fly_modes_body(m, -1));
  assert_null(fly_modes_body(m, 1000));
  assert_null(fly_modes_state_space(m));
  assert_non_null(fly_modes_warnings(m));
  assert_false(fly_modes_write_json(m, NULL, NULL));
  assert_false(fly_modes_write_matlab(m, NULL, NULL));
}

static void modes(void **state) {
  fly_mechanism *mechanism = NULL;
  fly_modes *m = NULL;
  fly_error failed = {0};
  REFUSED(fly_modes_create(&m, NULL, NULL, &error), "fly_modes_create");
  REFUSED(fly_modes_create(NULL, NULL, NULL, &error), "fly_modes_create");
  REFUSED(fly_modes_write_result(NULL, "x", &error), "fly_modes_write_result");
  assert_int_equal(fly_modes_count(NULL), 0);
  assert_string_equal(fly_modes_info_of(NULL).name, "");
  assert_non_null(fly_mode_kind_name((fly_mode_kind)99));
  ask_modes(NULL, 0);
  fly_modes_free(NULL);
  assert_ok(fly_mechanism_parse(&mechanism, "x", PENDULUM, strlen(PENDULUM), 0, NULL, &failed), &failed);
  assert_ok(fly_modes_create(&m, mechanism, NULL, &failed), &failed);
  REFUSED(fly_modes_write_result(m, NULL, &error), "fly_modes_write_result");
  ask_modes(m, fly_modes_count(m));
  fly_modes_free(m);
  fly_mechanism_free(mechanism);
}

static void results(void **state) {
  fly_result_writer *w = NULL;
  fly_result *r = NULL;
  char *bytes;
  size_t size;
  uint64_t hash;
  double number;
  const int column = 0;
  REFUSED(fly_result_create(NULL, "/tmp/x", NULL, 0, NULL, &error), "fly_result_create");
  REFUSED(fly_result_create(&w, NULL, NULL, 0, NULL, &error), "fly_result_create");
  REFUSED(fly_result_create(&w, "/tmp/x", NULL, 3, NULL, &error), "fly_result_create");
  REFUSED(fly_result_append(NULL, &number, 1, &error), "fly_result_append");
  REFUSED(fly_result_attach(NULL, "x", "x", 1, &error), "fly_result_attach");
  REFUSED(fly_result_flush(NULL, &error), "fly_result_flush");
  assert_int_equal(fly_result_finish(NULL, NULL), FLY_OK);
  assert_int_equal(fly_result_abandon(NULL, NULL), FLY_OK);
  assert_int_equal(fly_result_rows(NULL), 0);
  assert_true(fly_result_hash(NULL) == fly_hash_start());
  REFUSED(fly_result_open(NULL, "x", &error), "fly_result_open");
  REFUSED(fly_result_open(&r, NULL, &error), "fly_result_open");
  REFUSED(fly_result_read(NULL, &number, &column, 1, 0, 1, &error), "fly_result_read");
  REFUSED(fly_result_attachment(NULL, "x", &bytes, &size, &error), "fly_result_attachment");
  REFUSED(fly_result_attachment(NULL, "x", NULL, NULL, &error), "fly_result_attachment");
  REFUSED(fly_result_rehash(NULL, &hash, &error), "fly_result_rehash");
  assert_null(fly_result_info_of(NULL));
  assert_int_equal(fly_result_find(NULL, "x"), -1);
  fly_result_close(NULL);
}

static void a_writer_with_wrong_arguments(void **state) {
  char folder[] = "/tmp/flyball-nothing-XXXXXX", base[64];
  const fly_channel channel = {.name = "a"};
  fly_result_writer *w = NULL;
  fly_error failed = {0};
  double row[2] = {0};
  assert_non_null(mkdtemp(folder));
  snprintf(base, sizeof base, "%s/", folder);
  assert_ok(fly_result_create(&w, base, &channel, 1, NULL, &failed), &failed);
  REFUSED(fly_result_append(w, NULL, 1, &error), "fly_result_append");
  REFUSED(fly_result_append(w, row, -1, &error), "fly_result_append");
  REFUSED(fly_result_attach(w, NULL, "x", 1, &error), "fly_result_attach");
  REFUSED(fly_result_attach(w, "x", NULL, 1, &error), "fly_result_attach");
  assert_ok(fly_result_append(w, row, 1, &failed), &failed);
  assert_ok(fly_result_finish(w, &failed), &failed);
  snprintf(base, sizeof base, "rm -r '%s'", folder);
  assert_int_equal(system(base), 0); // NOLINT(cert-env33-c)
}

static void reports_and_words(void **state) {
  const char *none[1] = {NULL};
  REFUSED(fly_report_write(NULL, 1, none, NULL, NULL, &error), "fly_report_write");
  REFUSED(fly_report_write("/tmp/x.html", 1, NULL, NULL, NULL, &error), "fly_report_write");
  REFUSED(fly_report_write("/tmp/x.html", 1, none, NULL, NULL, &error), "fly_report_write");
  REFUSED(fly_report_write("/tmp/x.html", 3, none, NULL, NULL, &error), "not of 3");
  REFUSED(fly_explain("body", NULL, NULL, &error), "fly_explain");
  assert_false(fly_schema_write(NULL, NULL));
  assert_false(fly_reference_write(NULL, NULL));
  assert_null(fly_nearest_word(NULL, none));
  assert_null(fly_nearest_word("x", NULL));
  assert_non_null(fly_status_name((fly_status)99));
  assert_non_null(fly_verdict_word((fly_verdict_state)99));
}

static void json_out_of_order(void **state) {
  for (int k = 0; k < 5; k++) {
    FILE *file = tmpfile();
    fly_json j = fly_json_to(fly_to_file, file, 2);
    if (k == 0)
      fly_json_end_object(&j);
    if (k == 1)
      fly_json_begin_array(&j);
    if (k == 2)
      fly_json_key(&j, "outside");
    if (k == 3)
      fly_json_begin_object(&j), fly_json_key(&j, "a"), fly_json_key(&j, "b"), fly_json_end_object(&j);
    if (k == 4)
      fly_json_begin_object(&j), fly_json_end_object(&j);
    assert_int_equal(fly_json_finish(&j), k == 4);
    fclose(file);
  }
}

static int no_change(double *f, double t, const double *y, void *user) {
  f[0] = 0;
  return 0;
}

static void methods(void **state) {
  const fly_method_request request = fly_method_request_default();
  const fly_adams_problem p = {.n = 1, .f = no_change};
  fly_dae_options o = fly_dae_options_default();
  double y = 0, real[3], imag[3];
  REFUSED(fly_method_make(NULL, NULL, &request, &error), "fly_method_make");
  REFUSED(fly_method_make(&o.method, &o.states, NULL, &error), "fly_method_make");
  REFUSED(fly_dae_options_method(&o, NULL, &error), "fly_dae_options_method");
  REFUSED(fly_dae_options_method(NULL, &request, &error), "fly_dae_options_method");
  assert_true(isnan(fly_newmark_roots(real, imag, NULL, 1.0)));
  assert_false(fly_newmark_stability(NULL).unconditional);
  REFUSED(fly_adams_run(NULL, NULL, &y, 0, 1, NULL, &error), "fly_adams_run");
  REFUSED(fly_adams_run(&p, NULL, NULL, 0, 1, NULL, &error), "fly_adams_run");
  assert_int_equal(fly_adams_run(&p, NULL, &y, 0, 1, NULL, NULL), FLY_OK);
  REFUSED(fly_adams_run_fixed(NULL, &y, 0, 0.1, 1, &error), "fly_adams_run_fixed");
  fly_adams_coefficients(NULL, NULL, 3);
  REFUSED(fly_dae_check(NULL, NULL, NULL, &error), "fly_dae_check");
  assert_true(isnan(fly_dae_distance(NULL, NULL, NULL)));
}

static void promises(void **state) {
  fly_promise *p = NULL;
  const fly_promise_task empty = {.t_end = 1};
  REFUSED(fly_promise_create(&p, NULL, &error), "fly_promise_create");
  REFUSED(fly_promise_create(&p, &empty, &error), "fly_promise_create");
  REFUSED(fly_promise_create(NULL, &empty, &error), "fly_promise_create");
  REFUSED(fly_promise_pilot(NULL, &error), "fly_promise_pilot");
  REFUSED(fly_promise_follow(NULL, NULL, NULL, &error), "fly_promise_follow");
  REFUSED(fly_promise_judge(NULL, &error), "fly_promise_judge");
  assert_true(isnan(fly_promise_tell(NULL).error));
  assert_int_equal(fly_promise_values(NULL), 0);
  assert_int_equal(fly_promise_count(NULL), 0);
  assert_true(isnan(fly_promise_time(NULL, 0)));
  assert_true(isnan(fly_promise_latest(NULL, 0)));
  assert_true(isnan(fly_promise_error(NULL, 0, 0)));
  fly_promise_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mechanisms),        cmocka_unit_test(modes),
      cmocka_unit_test(results),           cmocka_unit_test(a_writer_with_wrong_arguments),
      cmocka_unit_test(reports_and_words), cmocka_unit_test(json_out_of_order),
      cmocka_unit_test(methods),           cmocka_unit_test(promises),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
