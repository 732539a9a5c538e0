// What is told about the language: schema, manual and explanations name everything that is in the tables.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "base/check.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "element/inertia.h"
#include "flyball/model.h"
#include "io/forms.h"
#include "io/read.h"
#include "io/tree.h"
#include "model/simulate.h"

static char *text;
static size_t length;

static FILE *open_text(void) {
  free(text);
  text = NULL;
  FILE *file = open_memstream(&text, &length);
  assert_non_null(file);
  return file;
}

static const fly_tree_node *follow(const fly_tree_node *node, const char *a, const char *b, const char *c) {
  const char *const path[] = {a, b, c};
  for (int k = 0; k < 3 && path[k] != NULL; k++) {
    const fly_tree_node *next = fly_tree_find(node, path[k]);
    if (next == NULL)
      fail_msg("no '%s'", path[k]);
    node = next;
  }
  return node;
}

// Every type is a definition with all its rows, and every reference leads somewhere.
static void check_references(const fly_tree_node *node, const fly_tree_node *definitions) {
  const fly_tree_node *reference = fly_tree_find(node, "$ref");
  if (reference != NULL) {
    assert_true(strncmp(reference->text, "#/definitions/", 14) == 0);
    if (fly_tree_find(definitions, reference->text + 14) == NULL)
      fail_msg("%s leads nowhere", reference->text);
  }
  for (int k = 0; node->kind != FLY_TREE_SCALAR && k < node->count; k++)
    check_references(node->entry[k].value, definitions);
}

static void the_schema_has_every_row(void **state) {
  fly_tree *tree;
  fly_error error;
  FILE *file = open_text();
  assert_true(fly_schema_write(fly_to_file, file));
  fclose(file);
  if (fly_tree_parse(&tree, "schema", text, length, &error) != FLY_OK) // JSON is YAML
    fail_msg("%s", error.message);
  const fly_tree_node *definitions = follow(tree->root, "definitions", NULL, NULL);
  check_references(tree->root, definitions);
  for (const fly_element_type *const *row = fly_element_types, *type; (type = *row) != NULL; row++) {
    char name[100];
    snprintf(name, sizeof name, "%s-%s", type->section, type->name);
    for (int k = 0; type->parameters[k].name != NULL; k++)
      follow(definitions, name, "properties", type->parameters[k].name);
  }
  for (int k = 0; fly_top_keys[k].name != NULL; k++)
    follow(tree->root, "properties", fly_top_keys[k].name, "description");
  const fly_tree_node *simulate = follow(tree->root, "properties", "simulate", "properties");
  for (int k = 0; fly_simulate_rows[k].name != NULL; k++)
    follow(simulate, fly_simulate_rows[k].name, "description", NULL);
  fly_tree_free(tree);
}

static void the_manual_names_everything(void **state) {
  FILE *file = open_text();
  assert_true(fly_reference_write(fly_to_file, file));
  fclose(file);
  for (const fly_element_type *const *row = fly_element_types, *type; (type = *row) != NULL; row++) {
    char heading[100];
    snprintf(heading, sizeof heading, "### %s\n", type->name);
    const char *found = strstr(text, heading);
    if (found == NULL || strstr(text, type->example) == NULL)
      fail_msg("%s is not in the manual", type->name);
  }
  for (int k = 0; k < FLY_SHAPE_KINDS; k++)
    assert_non_null(strstr(text, fly_shape_types[k].text));
}

// docs/reference.md is what the program writes: `flyball schema --manual > docs/reference.md` mends it.
static void the_reference_in_the_tree_is_this_one(void **state) {
  static char kept[400000];
  FILE *file = open_text();
  assert_true(fly_reference_write(fly_to_file, file));
  fclose(file);
  file = fopen(FLY_TEST_SOURCE_DIR "/docs/reference.md", "r");
  assert_non_null(file);
  kept[fread(kept, 1, sizeof kept - 1, file)] = 0;
  fclose(file);
  assert_true(strcmp(kept, text) == 0);
}

static const char *explained(const char *name) {
  fly_error error;
  FILE *file = open_text();
  if (fly_explain(name, fly_to_file, file, &error) != FLY_OK)
    fail_msg("%s", error.message);
  fclose(file);
  return text;
}

static void every_element_is_explained(void **state) {
  for (const fly_element_type *const *row = fly_element_types, *type; (type = *row) != NULL; row++) {
    explained(type->name);
    assert_non_null(strstr(text, type->example));
    for (int k = 0; type->parameters[k].name != NULL; k++)
      assert_non_null(strstr(text, type->parameters[k].text));
  }
}

static void explanations_of_other_things(void **state) {
  assert_non_null(strstr(explained("planar"), "planar body"));
  assert_non_null(strstr(text, "planar joint")); // both
  assert_non_null(strstr(explained("orientation"), "quaternion"));
  assert_non_null(strstr(explained("markers"), "[0.1, 0, 0]"));
  assert_non_null(strstr(explained("shape"), "cylinder"));
  assert_non_null(strstr(explained("joints"), "revolute"));
  assert_non_null(strstr(explained(NULL), "torsion-spring"));
  assert_non_null(strstr(explained("step"), "x0, h0, x1, h1"));
  assert_non_null(strstr(explained("dx"), "displacement of a from b"));
  assert_non_null(strstr(explained("rpm"), "per minute"));
  assert_non_null(strstr(explained("simulate"), "error of the run"));
  for (int k = 0; fly_simulate_rows[k].name != NULL; k++)
    assert_non_null(strstr(text, fly_simulate_rows[k].text));
  assert_non_null(strstr(explained("Nm"), "newton metre"));
  assert_non_null(strstr(explained("bushing"), "list of 6 numbers [N/m, N m/rad], not negative\n"));
}

static void an_unknown_element_is_not_explained(void **state) {
  fly_error error;
  FILE *file = open_text();
  assert_int_equal(fly_explain("revolut", fly_to_file, file, &error), FLY_BAD_INPUT);
  assert_string_equal(error.message, "There is no element 'revolut'. Did you mean 'revolute'?");
  assert_int_equal(fly_explain("xyzzy", fly_to_file, file, &error), FLY_BAD_INPUT);
  fclose(file);
  assert_int_equal(length, 0);
}

static void a_full_disk_is_noticed(void **state) {
  FILE *full = fopen("/dev/full", "w");
  if (full == NULL)
    skip();
  assert_false(fly_schema_write(fly_to_file, full));
  assert_false(fly_reference_write(fly_to_file, full));
  fclose(full);
}

static int free_text(void **state) {
  free(text);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_schema_has_every_row),
      cmocka_unit_test(the_manual_names_everything),
      cmocka_unit_test(the_reference_in_the_tree_is_this_one),
      cmocka_unit_test(every_element_is_explained),
      cmocka_unit_test(explanations_of_other_things),
      cmocka_unit_test(an_unknown_element_is_not_explained),
      cmocka_unit_test(a_full_disk_is_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, free_text);
}
