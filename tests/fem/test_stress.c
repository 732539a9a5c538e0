// Cycles as the standard counts them, and stresses from a file and a result.
#include "meshes.h"

#include "flyball/result.h"

// The published example: ASTM E1049-85, figure 6.
static void the_example_of_the_standard(void **state) {
  const double x[] = {-2, 1, -3, 5, -1, 3, -4, 4, -2};
  const double want[11] = {[3] = 0.5, [4] = 1.5, [6] = 0.5, [8] = 1, [9] = 0.5};
  double count[11] = {0};
  fly_cycle c[9];
  const long n = fly_rainflow(x, 9, c);
  for (long k = 0; k < n; k++)
    count[(int)c[k].range] += c[k].count;
  for (int r = 0; r < 11; r++)
    assert_near(count[r], want[r], 0);
}

// Points on the way change nothing; a history that stands still has no cycles.
static void only_turning_points_count(void **state) {
  const double x[] = {-2, -1, 0, 1, -1, -3, -3, 0, 5, 2, -1, 3, 1, -4, 4, 4, -2}, flat[] = {3, 3, 3};
  fly_cycle c[17];
  double all = 0, widest = 0;
  const long n = fly_rainflow(x, 17, c);
  for (long k = 0; k < n; k++) {
    all += c[k].count;
    widest = fmax(widest, c[k].range);
  }
  assert_near(all, 4, 0);
  assert_near(widest, 9, 0);
  assert_int_equal(fly_rainflow(flat, 3, c), 0);
  assert_int_equal(fly_rainflow(flat, 0, c), 0);
}

// One mode that moves as a sine: the stresses do, and the table has the largest at its peak.
static void stresses_follow_the_modes(void **state) {
  char mesh[200], file[200], base[200], path[210];
  const box b = {.size = {0.5, 0.03, 0.02}, .cells = {4, 1, 1}, .E = 2.1e11, .nu = 0.3, .density = 7850};
  fly_reduce_options o = fly_reduce_options_default();
  write_box(scratch(mesh, "stress.inp"), &b);
  o.mesh = mesh;
  o.out = scratch(file, "stress-body.h5");
  o.modes = 2;
  fly_reduction *r = reduce_or_fail(&o);
  assert_int_equal(fly_reduction_info(r)->modes, 2);
  fly_reduction_free(r);
  const fly_channel channel[2] = {{"arm.mode1", "m", ""}, {"arm.mode2", "m", ""}};
  fly_result_writer *w = NULL;
  const fly_result_options ro = fly_result_options_default();
  fly_error error = {0};
  assert_int_equal(fly_result_create(&w, scratch(base, "stress-run"), channel, 2, &ro, &error), FLY_OK);
  for (int k = 0; k <= 100; k++)
    assert_int_equal(fly_result_append(w, (double[]){0.01 * k, 1e-4 * sin(0.0625 * k), 0}, 1, &error), FLY_OK);
  assert_int_equal(fly_result_finish(w, &error), FLY_OK);
  snprintf(path, sizeof path, "%s.h5", base);
  fly_stress *s = NULL;
  fly_stress_spot spot[10];
  double history[101];
  int found = 0;
  assert_int_equal(fly_stress_open(&s, path, "arm", file, 0, NULL, &error), FLY_OK);
  assert_int_equal(fly_stress_spots(s, 10, spot, &found, &error), FLY_OK);
  assert_int_equal(found, 10);
  for (int k = 1; k < 10; k++)
    assert_true(spot[k].stress <= spot[k - 1].stress && spot[k].node != spot[k - 1].node);
  assert_near(spot[0].time, 0.25, 1e-12);
  // bending of a free bar by 1e-4 m, some 100 MPa at most: E (h/2) w'' with w'' about 22.4 w/L^2 times 1.2
  assert_true(spot[0].stress > 5e6 && spot[0].stress < 5e7);
  assert_int_equal(fly_stress_history(s, &spot[0], false, history, &error), FLY_OK);
  for (int k = 0; k <= 100; k++)
    assert_near(history[k], spot[0].stress * fabs(sin(0.0625 * k)) / sin(0.0625 * 25), 1e-6 * spot[0].stress);
  fly_contour c;
  assert_int_equal(fly_stress_contour(s, &c, &error), FLY_OK);
  assert_int_equal(c.frames, 101);
  assert_int_equal(c.lines, 0); // a solid
  for (int n = 0; n < c.nodes; n++) {
    const double *later = c.move + 3 * ((ptrdiff_t)c.nodes * 50 + n), *u = c.move + 3 * ((ptrdiff_t)c.nodes * 25 + n);
    if ((int)c.node[4 * n] == spot[0].node)
      assert_near(c.mises[c.nodes * 25 + n], spot[0].stress, 1e-9 * spot[0].stress);
    assert_true(c.mises[c.nodes * 25 + n] <= spot[0].stress * (1 + 1e-12));
    for (int i = 0; i < 3; i++)
      assert_near(later[i] * sin(0.0625 * 25), u[i] * sin(0.0625 * 50), 1e-12);
  }
  const fly_stress_spot nowhere = {.node = 99999};
  assert_int_equal(fly_stress_history(s, &nowhere, false, history, &error), FLY_BAD_INPUT);
  fly_stress_close(s);
  assert_int_equal(fly_stress_open(&s, path, "leg", file, 0, NULL, &error), FLY_BAD_INPUT);
  assert_int_equal(fly_stress_open(&s, path, "arm", file, 1, (int[]){1}, &error), FLY_BAD_INPUT);
  // a run that ended before its first row
  assert_int_equal(fly_result_create(&w, base, channel, 2, &ro, &error), FLY_OK);
  assert_int_equal(fly_result_finish(w, &error), FLY_OK);
  assert_int_equal(fly_stress_open(&s, path, "arm", file, 0, NULL, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "has no rows"));
  remove(mesh), remove(file), remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_of_the_standard),
      cmocka_unit_test(only_turning_points_count),
      cmocka_unit_test(stresses_follow_the_modes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
