// The reader of plain YAML against libfyaml: what it takes, libfyaml takes too, and both make the same tree.
// labels: valgrind
#define _POSIX_C_SOURCE 200809L
#include "base/check.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/tree_nodes.h"

typedef fly_status parser(fly_tree *tree, const fly_source *source, fly_tree_node **root, fly_error *error);

static void assert_same(const fly_tree_node *a, const fly_tree_node *b, const char *text) {
  if (a->kind != b->kind || a->quoted != b->quoted || a->in_flow != b->in_flow || a->line != b->line ||
      a->column != b->column || a->count != b->count || (a->slot == NULL) != (b->slot == NULL))
    fail_msg("%d:%d and %d:%d differ in\n%s", a->line, a->column, b->line, b->column, text);
  if (a->kind == FLY_TREE_SCALAR && strcmp(a->text, b->text) != 0)
    fail_msg("'%s' is '%s' in\n%s", a->text, b->text, text);
  for (int i = 0; i < a->count; i++) {
    const fly_tree_entry *x = &a->entry[i], *y = &b->entry[i];
    if (a->kind == FLY_TREE_MAPPING &&
        (strcmp(x->key, y->key) != 0 || x->key_line != y->key_line || x->key_column != y->key_column))
      fail_msg("key %s is %s in\n%s", x->key, y->key, text);
    assert_same(x->value, y->value, text);
  }
}

static const fly_tree_node *root_of(fly_tree *tree, const fly_source *source, parser *parse, fly_error *error) {
  fly_tree_node *root = NULL;
  *error = (fly_error){0};
  const fly_status status = parse(tree, source, &root, error);
  assert_int_not_equal(status, FLY_NO_MEMORY);
  if (status != FLY_OK)
    return NULL;
  return root != NULL || tree->nparts == 0 ? root : tree->part[tree->nparts - 1];
}

// Whether a text is plain.
static bool compare(const char *text, size_t length) {
  fly_error error;
  fly_tree *tree;
  fly_source source;
  assert_int_equal(fly_tree_create(&tree, &error), FLY_OK);
  assert_int_equal(fly_source_copy(&source, "t.yaml", text, length, &error), FLY_OK);
  bool plain = false;
  if (fly_source_check(&source, &error) == FLY_OK) {
    const fly_tree_node *quick = root_of(tree, &source, fly_tree_parse_plain, &error);
    plain = quick != NULL;
    if (plain) {
      const fly_tree_node *slow = root_of(tree, &source, fly_tree_parse_events, &error);
      if (slow == NULL)
        fail_msg("%s\nin\n%s", error.message, source.text);
      assert_same(quick, slow, source.text);
    }
  }
  fly_source_free(&source);
  fly_tree_free(tree);
  return plain;
}

static bool compare_text(const char *text) { return compare(text, strlen(text)); }

// ---------------------------------------------------------------------------------- files

static int compare_folder(const char *folder, int *files) {
  char path[1000];
  int plain = 0;
  snprintf(path, sizeof path, "%s/%s", FLY_TEST_SOURCE_DIR, folder);
  DIR *listed = opendir(path);
  assert_non_null(listed);
  for (const struct dirent *file = readdir(listed); file != NULL; file = readdir(listed)) {
    fly_error error;
    fly_source source;
    if (strstr(file->d_name, ".yaml") == NULL)
      continue;
    snprintf(path, sizeof path, "%s/%s/%s", FLY_TEST_SOURCE_DIR, folder, file->d_name);
    if (fly_source_read(&source, path, &error) == FLY_OK)
      plain += compare(source.text, source.length);
    fly_source_free(&source);
    ++*files;
  }
  closedir(listed);
  return plain;
}

static void files_are_read_alike(void **state) {
  const char *folder[] = {"examples", "parts", "fuzz", "tests/io/bad", "tests/io/files"};
  int files = 0, plain = 0;
  for (size_t i = 0; i < sizeof folder / sizeof folder[0]; i++)
    plain += compare_folder(folder[i], &files);
  if (getenv("FLY_TEST_VERBOSE") != NULL)
    printf("%d of %d files are plain\n", plain, files);
  assert_true(files > 100 && plain > 20);
}

// ---------------------------------------------------------------------------------- texts

static const char model[] =
    "# a chain\n"
    "flyball: 1\n"
    "name: two rods, in a row # or so\n"
    "gravity: [0, 0, -9.81]\n"
    "\n"
    "bodies:   # what moves\n"
    "  b0: {mass: 1, inertia: [0.01, 2*l/3, .5], text: \"a, b: {c\", turn: {axis: [ 0, -1 ,0 ]}}\n"
    "  b1:\n"
    "    mass: -(2 + 3)*4e-3\n"
    "    # nothing\n"
    "    place: 'left # of it'\n"
    "joints:\n"
    "  j: { type: revolute, bodies: [b0, b1], at: [-.5, +3, 1^2] }\n"
    "simulate: {end: 0.1, output: 0.1}\n";

static void what_is_plain(void **state) {
  assert_true(compare_text(model));
  assert_true(compare_text("a: b\n"));
  assert_true(compare_text("a:\n b:\n  c: 1\n d: 2\ne: 3"));
  assert_true(compare_text("a: 1\nb: 2\nc: 3\nd: 4\ne: 5\nf: 6\ng: 7\nh: 8\ni: 9\nj: {k: 1}\n"));
  const char *left[] = {"a: &b c\n",     "a: *b\n",
                        "a:\n- b\n",     "a: |\n b\n",
                        "a: b\n c\n",    "a: {b: c,\n d: e}\n",
                        "a: \xC2\xB5\n", "a: \"\\n\"\n",
                        "---\na: b\n",   "a:\tb\n",
                        "a:\n",          "a: 1\na: 2\n",
                        "a: [(1, 2)]\n", "",
                        "# none\n",      "a: {b}\n",
                        "? a\n: b\n",    "a: b: c\n",
                        "a: b\r\n",      " a: b\n",
                        "a: '''\n",      "a: ''''\n",
                        "{a: b}\n",      "a: [1, ]\n"};
  for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
    if (compare_text(left[i]))
      fail_msg("'%s' is not for the plain reader", left[i]);
}

// The model with bytes changed, put in or taken out: most are no longer plain, the others are read alike.
static void changed_texts_are_read_alike(void **state) {
  static const char put[] = " \n:,{}[]#-'\"\\.()&*!|>%@`?~ab1\t_+/^=<;  \n  ";
  const uint64_t by = 6364136223846793005u;
  const int texts = getenv("FLY_TEST_VERBOSE") != NULL ? 300000 : 20000;
  uint64_t random = 1;
  int plain = 0;
  for (int k = 0; k < texts; k++) {
    char text[2 * sizeof model];
    size_t length = sizeof model - 1;
    memcpy(text, model, length + 1);
    for (int change = 0; change <= k % 3; change++) {
      random = random * by + 1442695040888963407u;
      const size_t at = (size_t)(random >> 33) % length, what = (size_t)(random >> 20) % 3;
      const char c = put[(random >> 45) % (sizeof put - 1)];
      if (what == 0) {
        text[at] = c;
      } else if (what == 1) {
        memmove(text + at + 1, text + at, length++ - at + 1);
        text[at] = c;
      } else {
        memmove(text + at, text + at + 1, length-- - at);
      }
    }
    plain += compare(text, length);
  }
  if (getenv("FLY_TEST_VERBOSE") != NULL)
    printf("%d of %d changed texts are plain\n", plain, texts);
  assert_true(plain > texts / 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_are_read_alike),
      cmocka_unit_test(what_is_plain),
      cmocka_unit_test(changed_texts_are_read_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
