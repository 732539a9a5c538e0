// A model of 1e5 bodies: work and memory grow with the file, not faster. What is counted is allocations and bytes; no
// clock is read.
#include "base/allocations.h"
#include "base/check.h"

#include <string.h>

#include "io/tree.h"

enum { BODY = 260 }; // bytes of a body and its joint, at most

// A chain of n bodies; NULL without memory. As JSON it is one line.
static char *chain(int n, bool json) {
  char *text = malloc((size_t)(n + 1) * BODY), *s = text;
  assert_non_null(text);
  s += sprintf(s, json ? "{\"flyball\":1,\"bodies\":{" : "flyball: 1\nbodies:\n");
  for (int i = 0; i < n && !json; i++)
    s += sprintf(s,
                 "  link%d: {mass: 0.36, inertia: [1e-5, 0.0027, 0.0027], position: [%d*r, 0, 0], markers: {pin: [r/2, "
                 "0, 0]}}\n",
                 i, i);
  for (int i = 0; i < n && json; i++)
    s += sprintf(s, "\"link%d\":{\"mass\":0.36,\"inertia\":[1e-5,0.0027,0.0027],\"note\":\"a, b\"},", i);
  s += sprintf(s, json ? "\"last\":0}}" : "joints:\n");
  for (int i = 0; i < n && !json; i++)
    s += sprintf(s, "  j%d:\n    type: revolute\n    bodies: [link%d, link%d]\n    axis: [0, 0, 1]\n", i, i - 1, i);
  return text;
}

// Reads a chain and looks up every body.
static allocations read_chain(int n, bool json) {
  fly_error error;
  fly_tree *tree;
  char *text = chain(n, json), key[20];
  allocations_reset(0);
  assert_int_equal(fly_tree_parse(&tree, "chain.yaml", text, strlen(text), &error), FLY_OK);
  allocations used = the_allocations;
  const fly_tree_node *bodies = fly_tree_find(tree->root, "bodies");
  for (int i = 0; i < n; i++) {
    snprintf(key, sizeof key, "link%d", i);
    assert_non_null(fly_tree_find(fly_tree_find(bodies, key), "mass"));
  }
  fly_tree_free(tree);
  free(text);
  return used;
}

static void check_growth(bool json) {
  allocations small = read_chain(10000, json), large = read_chain(100000, json);
  if (getenv("FLY_SHOW_RESIDUALS") != NULL)
    printf("1e4 bodies: %ld allocations, %zu bytes; 1e5 bodies: %ld, %zu\n", small.count, small.bytes, large.count,
           large.bytes);
  assert_true(large.count < 12 * small.count);
  assert_true(large.bytes < 12 * small.bytes);
  assert_true(large.count < 1000); // blocks of a megabyte, not nodes
}

static void yaml_grows_linearly(void **state) { check_growth(false); }
static void json_on_one_line_grows_linearly(void **state) { check_growth(true); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(yaml_grows_linearly),
      cmocka_unit_test(json_on_one_line_grows_linearly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
