// A chain of many links reads in a time that is linear in their number.
// labels: slow
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "base/check.h"

#include <string.h>
#include <time.h>

#include "io/read.h"

static char *chain(int links) {
  char *text = NULL;
  size_t length = 0;
  FILE *file = open_memstream(&text, &length);
  assert_non_null(file);
  fputs("flyball: 1\nparameters: {l: 0.1, m: 0.05}\nbodies:\n", file);
  for (int k = 0; k < links; k++)
    fprintf(file,
            "  link%d: {mass: m, inertia: [1e-6, m*l^2/12, 4e-5], position: [%d*l + l/2, 0, 0], "
            "markers: {left: [-l/2, 0, 0], right: [l/2, 0, 0]}}\n",
            k, k);
  fputs("joints:\n  pin0: {bodies: [ground, link0], at: [0, 0, 0], axis: [0, 0, 1]}\n", file);
  for (int k = 1; k < links; k++)
    fprintf(file, "  pin%d: {type: spherical, from: link%d.right, to: link%d.left}\n", k, k - 1, k);
  fclose(file);
  return text;
}

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static double seconds_for(int links) {
  fly_spec spec;
  fly_error error;
  char *text = chain(links);
  const size_t length = strlen(text);
  const double start = seconds();
  if (fly_model_read_text(&spec, "chain", text, length, 0, NULL, &error) != FLY_OK)
    fail_msg("%s", error.message);
  const double taken = seconds() - start;
  assert_int_equal(spec.nitem, 2 * links);
  assert_near(fly_item_value(fly_spec_find(&spec, "bodies", "link7"), "position")->number[0], 0.75, 1e-15);
  print_message("%d links, %.1f MB: %.2f s\n", links, (double)length / 1e6, taken);
  fly_spec_free(&spec);
  free(text);
  return taken;
}

static void time_is_linear_in_the_number_of_bodies(void **state) {
  const double small = seconds_for(10000), large = seconds_for(100000);
  assert_true(large < 30 * (small + 0.02));
}

// The same by a repetition.
static void time_of_a_repetition(void **state) {
  const char *text = "flyball: 1\n"
                     "parameters: {N: 3, L: 0.5}\n"
                     "repeat:\n"
                     "  links:\n"
                     "    count: N\n"
                     "    bodies:\n"
                     "      link$i: {mass: 1, inertia: [1, 1, 1], position: [L*(i - 1/2), 0, 0], "
                     "markers: {a: [-L/2, 0, 0], b: [L/2, 0, 0]}}\n"
                     "  pins: {count: N - 1, joints: {pin$i: {from: link$i.b, to: link$(i+1).a}}}\n";
  const char *const sets[] = {"N=1e4", "N=1e5"};
  double taken[2];
  for (int k = 0; k < 2; k++) {
    fly_spec spec;
    fly_error error;
    const double start = seconds();
    if (fly_model_read_text(&spec, "links", text, strlen(text), 1, &sets[k], &error) != FLY_OK)
      fail_msg("%s", error.message);
    taken[k] = seconds() - start;
    assert_int_equal(spec.nitem, k == 0 ? 19999 : 199999);
    const fly_item *last = fly_spec_find(&spec, "bodies", k == 0 ? "link10000" : "link100000");
    assert_near(fly_item_value(last, "position")->number[0], k == 0 ? 4999.75 : 49999.75, 1e-9);
    print_message("%s: %.2f s\n", sets[k], taken[k]);
    fly_spec_free(&spec);
  }
  assert_true(taken[1] < 30 * (taken[0] + 0.02));
}

// One body with very many markers, and a joint on each.
static void many_markers_on_ground(void **state) {
  enum { N = 20000 };
  char *text = NULL;
  size_t length = 0;
  fly_spec spec;
  fly_error error;
  FILE *file = open_memstream(&text, &length);
  assert_non_null(file);
  fputs("flyball: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n  ground:\n    markers:\n", file);
  for (int k = 0; k < N; k++)
    fprintf(file, "      m%d: [%d, 0, 0]\n", k, k);
  fputs("forces:\n", file);
  for (int k = 0; k < N; k++)
    fprintf(file, "  s%d: {from: ground.m%d, to: a}\n", k, k);
  fclose(file);
  const double start = seconds();
  if (fly_model_read_text(&spec, "markers", text, length, 0, NULL, &error) != FLY_OK)
    fail_msg("%s", error.message);
  print_message("%d markers: %.2f s\n", N, seconds() - start);
  assert_true(seconds() - start < 5);
  fly_spec_free(&spec);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(time_is_linear_in_the_number_of_bodies),
      cmocka_unit_test(time_of_a_repetition),
      cmocka_unit_test(many_markers_on_ground),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
