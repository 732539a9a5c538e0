// The diary of a run: counts add up, extremes stay, whatever the number of steps; and nothing is allocated.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/story.h"
#include "base/allocations.h"
#include "base/stream.h"
#include "io/tree.h"

static fly_story story;

static int begin(void **state) {
  fly_story_begin(&story);
  return 0;
}

// n steps of 1 ms with one peak each in step size, residuals, iterations and rejections.
static fly_stats note_steps(long n, long peak) {
  fly_stats stats = {0};
  for (long k = 1; k <= n; k++) {
    const bool odd = k == peak;
    fly_step_record step = {.t = 1e-3 * (double)k,
                            .h = odd ? 1e-9 : 1e-3,
                            .estimate = 1e-8,
                            .ratio = odd ? 0.99 : 0.1,
                            .position = odd ? 7e-6 : 1e-16,
                            .velocity = 1e-15,
                            .acceleration = odd ? 3.0 : 1e-12};
    stats.steps++;
    stats.newton_iterations += odd ? 40 : 2;
    stats.rejected_error += odd ? 3 : 0;
    stats.rejected_newton += odd ? 6 : 0;
    stats.rejected_callback += odd ? 1 : 0;
    stats.rejected_singular += odd ? 2 : 0;
    stats.events += odd;
    fly_story_note(&story, &step, &stats);
  }
  return stats;
}

static void check_all(long n, long peak) {
  long steps = 0, newton = 0, error = 0, unsolved = 0, callback = 0, singular = 0, most = 0;
  double h_min = INFINITY, h_max = 0, position = 0, acceleration = 0, ratio = 0, before = 0;
  for (int k = 0; k < story.count; k++) {
    const fly_story_bucket *b = &story.bucket[k];
    const double first = before;
    assert_true(b->t > before);
    before = b->t;
    assert_int_equal(b->steps, k + 1 < story.count ? story.stride : n - steps);
    if (b->h_min < 1e-6) // the peak lies in its bucket
      assert_true(first < 1e-3 * ((double)peak - 0.5) && 1e-3 * ((double)peak - 0.5) < b->t);
    steps += b->steps;
    newton += b->newton;
    error += b->error;
    unsolved += b->unsolved;
    callback += b->callback;
    singular += b->singular;
    most = b->newton_max > most ? b->newton_max : most;
    h_min = fmin(h_min, b->h_min);
    h_max = fmax(h_max, b->h_max);
    position = fmax(position, b->position);
    acceleration = fmax(acceleration, b->acceleration);
    ratio = fmax(ratio, b->ratio);
  }
  assert_int_equal(steps, n);
  assert_int_equal(newton, 2 * n + 38);
  assert_int_equal(most, 40);
  assert_int_equal(error, 3);
  assert_int_equal(unsolved, 3); // of 6, less one callback and two singular matrices
  assert_int_equal(callback, 1);
  assert_int_equal(singular, 2);
  assert_true(h_min == 1e-9 && h_max == 1e-3 && position == 7e-6 && acceleration == 3.0 && ratio == 0.99);
  assert_true(before == 1e-3 * (double)n);
}

static void few_steps_are_kept_one_by_one(void **state) {
  note_steps(FLY_STORY_BUCKETS, 7);
  assert_int_equal(story.count, FLY_STORY_BUCKETS);
  assert_int_equal(story.stride, 1);
  check_all(FLY_STORY_BUCKETS, 7);
}

static void many_steps_lose_nothing_but_when(void **state) {
  static const long counts[] = {FLY_STORY_BUCKETS + 1, 3 * FLY_STORY_BUCKETS - 1, 123457};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    fly_story_begin(&story);
    note_steps(counts[k], counts[k] / 3);
    assert_true(story.count <= FLY_STORY_BUCKETS);
    assert_true(story.count >= FLY_STORY_BUCKETS / 2);
    check_all(counts[k], counts[k] / 3);
  }
}

static void a_million_steps_allocate_nothing(void **state) {
  allocations_reset(0);
  note_steps(1000000, 999999);
  assert_int_equal(the_allocations.count, 0);
  check_all(1000000, 999999);
}

static void a_failure_adds_its_rejections(void **state) {
  fly_stats stats = note_steps(10, 5);
  fly_step_record step = {.t = 0.01, .h = 1e-3};
  stats.rejected_newton += 20;
  fly_story_note(&story, &step, &stats);
  assert_int_equal(story.bucket[story.count - 1].steps, 0);
  assert_int_equal(story.bucket[story.count - 1].unsolved, 20);
}

static double number_in(const fly_tree_node *list, int k) {
  double x = NAN;
  assert_true(k < list->count && fly_tree_number(list->entry[k].value, &x));
  return x;
}

static void written_as_json(void **state) {
  char *bytes;
  size_t size;
  fly_tree *tree;
  fly_error error = {0};
  note_steps(5000, 2501);
  FILE *file = fly_stream_open(&bytes, &size);
  assert_non_null(file);
  assert_true(fly_story_write(file, &story));
  assert_int_equal(fclose(file), 0);
  assert_int_equal(fly_tree_parse(&tree, "story", bytes, size, &error), FLY_OK);
  static const char *const keys[] = {"t",        "h_min",    "h_max",        "estimate", "ratio",
                                     "position", "velocity", "acceleration", "steps",    "newton"};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    assert_int_equal(fly_tree_find(tree->root, keys[k])->count, story.count);
  const fly_tree_node *rejected = fly_tree_find(tree->root, "rejected"), *events = fly_tree_find(tree->root, "events");
  static const double reasons[] = {3, 3, 1, 2};
  for (int k = 0; k < 4; k++) {
    const fly_tree_node *list = rejected->entry[k].value;
    double sum = 0;
    for (int i = 0; i < list->count; i++)
      sum += number_in(list, i);
    assert_true(sum == reasons[k]);
  }
  assert_int_equal(events->count, 1);
  double t = 0;
  assert_true(fly_tree_number(fly_tree_find(events->entry[0].value, "t"), &t));
  assert_true(fabs(t - 2.501) < 1e-12);
  fly_tree_free(tree);
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(few_steps_are_kept_one_by_one, begin),
      cmocka_unit_test_setup(many_steps_lose_nothing_but_when, begin),
      cmocka_unit_test_setup(a_million_steps_allocate_nothing, begin),
      cmocka_unit_test_setup(a_failure_adds_its_rejections, begin),
      cmocka_unit_test_setup(written_as_json, begin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
