// Round trips: what is written reads back as the same spec, for every example of a model and for every element type and
// each of its parameters. A new row of the list of elements is tested the moment it exists.
// labels: valgrind
#define _POSIX_C_SOURCE 200809L // chdir, opendir, open_memstream
#include "base/check.h"

#include <dirent.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "io/forms.h"
#include "io/read.h"
#include "io/tree.h"

static fly_error error;

// ------------------------------------------------------------------------------------------ equality

static bool same_text(const char *a, const char *b) { return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0; }

static bool same_numbers(const double *a, const double *b, int count) {
  return count == 0 || (a == NULL) == (b == NULL) ? a == NULL || memcmp(a, b, (size_t)count * sizeof *a) == 0 : false;
}

static bool same_value(const fly_parameter *row, const fly_value *a, const fly_value *b) {
  const int numbers = row->type == FLY_SHAPES ? FLY_SHAPE_NUMBERS * a->count : a->count;
  if (a->given != b->given || a->count != b->count || a->columns != b->columns ||
      (a->word == NULL) != (b->word == NULL))
    return false;
  if (row->type == FLY_MARKERS)
    return true;
  for (int k = 0; a->word != NULL && k < a->count; k++)
    if (!same_text(a->word[k], b->word[k]))
      return false;
  return same_numbers(a->number, b->number, numbers);
}

static bool same_marker(const fly_spec_marker *a, const fly_spec_marker *b) {
  return same_text(a->name, b->name) && same_numbers(a->at, b->at, 3) && same_numbers(a->A, b->A, 9);
}

static void assert_same_item(const fly_item *a, const fly_item *b) {
  assert_ptr_equal(a->type, b->type);
  assert_string_equal(a->name, b->name);
  for (int k = 0; a->type->parameters[k].name != NULL; k++)
    if (!same_value(&a->type->parameters[k], fly_item_row(a, k), fly_item_row(b, k)))
      fail_msg("%s of %s %s is not the same", a->type->parameters[k].name, a->type->name, a->name);
  assert_int_equal(a->nmarker, b->nmarker);
  for (int k = 0; k < a->nmarker; k++)
    if (!same_marker(&a->marker[k], &b->marker[k]))
      fail_msg("marker %s of %s is not the same", a->marker[k].name, a->name);
}

static void assert_same(const fly_spec *a, const fly_spec *b) {
  assert_true(same_text(a->name, b->name) && same_text(a->text, b->text));
  assert_true(same_numbers(a->gravity, b->gravity, 3));
  assert_int_equal(a->nitem, b->nitem);
  for (int k = 0; k < a->nitem; k++)
    assert_same_item(&a->item[k], &b->item[k]);
  assert_int_equal(a->nparameter, b->nparameter);
  assert_true(same_numbers(a->parameter_value, b->parameter_value, a->nparameter));
  assert_int_equal(a->nsetting, b->nsetting);
  for (int k = 0; k < a->nsetting; k++)
    assert_true(same_text(a->setting_key[k], b->setting_key[k]) && same_text(a->setting_text[k], b->setting_text[k]));
  assert_int_equal(a->ntable, b->ntable);
  for (int k = 0; k < a->ntable; k++)
    assert_true(
        a->table_count[k] == b->table_count[k] && same_text(a->table_name[k], b->table_name[k]) &&
        same_numbers(a->table_x[k], b->table_x[k], a->table_count[k]) && a->table_rows[k] == b->table_rows[k] &&
        same_numbers(a->table_across[k], b->table_across[k], a->table_rows[k]) &&
        same_numbers(a->table_y[k], b->table_y[k], a->table_count[k] * (a->table_rows[k] > 0 ? a->table_rows[k] : 1)));
}

// ------------------------------------------------------------------------------------------ round trips

static char *written(const fly_spec *spec) {
  char *text = NULL;
  size_t length = 0;
  FILE *file = open_memstream(&text, &length);
  assert_non_null(file);
  assert_true(fly_model_write(file, spec));
  fclose(file);
  return text;
}

static void check_round_trip(const fly_spec *spec) {
  fly_spec again;
  char *text = written(spec);
  if (fly_model_read_text(&again, "written", text, strlen(text), 0, NULL, &error) != FLY_OK)
    fail_msg("%s\n%s", error.message, text);
  assert_same(spec, &again);
  fly_spec_free(&again);
  free(text);
}

static fly_spec read_text(const char *text) {
  fly_spec spec;
  if (fly_model_read_text(&spec, "text", text, strlen(text), 0, NULL, &error) != FLY_OK)
    fail_msg("%s\n%s", error.message, text);
  return spec;
}

static void check_text(const char *text) {
  fly_spec spec = read_text(text);
  check_round_trip(&spec);
  fly_spec_free(&spec);
}

static void every_example_survives(void **state) {
  char path[1000];
  int files = 0;
  snprintf(path, sizeof path, "%s/examples", FLY_TEST_SOURCE_DIR);
  assert_int_equal(chdir(path), 0);
  DIR *directory = opendir(".");
  assert_non_null(directory);
  for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    fly_spec spec;
    if (strstr(entry->d_name, ".yaml") == NULL)
      continue;
    assert_int_equal(fly_model_read(&spec, entry->d_name, 0, NULL, &error), FLY_OK);
    check_round_trip(&spec);
    fly_spec_free(&spec);
    files++;
  }
  closedir(directory);
  assert_true(files > 0);
}

// ------------------------------------------------------------------------------------------ elements

// A model around one element: the bodies, markers and joints that it refers to.
typedef struct surroundings {
  fly_tree *tree;
  char bodies[20][60];
  char markers[20][20][60]; // of each body
  char joints[20][60];
  int nbody, nmarker[20], njoint;
} surroundings;

static int find_or_add(char list[20][60], int *count, const char *name) {
  for (int k = 0; k < *count; k++)
    if (strcmp(list[k], name) == 0)
      return k;
  assert_true(*count < 20);
  snprintf(list[*count], 60, "%s", name);
  return (*count)++;
}

static void add_marker(surroundings *s, const char *reference) {
  char body[60];
  const char *dot = strchr(reference, '.');
  snprintf(body, sizeof body, "%.*s", (int)strcspn(reference, "."), reference);
  const int k = find_or_add(s->bodies, &s->nbody, body);
  if (dot != NULL)
    find_or_add(s->markers[k], &s->nmarker[k], dot + 1);
}

// Names in an expression that no call follows are markers.
static void add_expression(surroundings *s, const char *text) {
  for (const char *t = text; *t != 0;) {
    const size_t length = strspn(t, "abcdefghijklmnopqrstuvwxyz_.ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
    char word[60];
    snprintf(word, sizeof word, "%.*s", (int)length, t);
    t += length + (length == 0);
    if (length > 0 && *t != '(' && (*t == ',' || *t == ')') && strcmp(word, "time") != 0 &&
        strspn(word, ".0123456789") < length)
      add_marker(s, word);
  }
}

static void add_reference(surroundings *s, fly_value_type type, const char *text) {
  if (type == FLY_BODY || type == FLY_BODIES || type == FLY_MARKER)
    add_marker(s, text);
  else if (type == FLY_JOINT || type == FLY_JOINTS)
    find_or_add(s->joints, &s->njoint, text);
  else if (type == FLY_EXPRESSION)
    add_expression(s, text);
}

static void add_references(surroundings *s, fly_value_type type, const fly_tree_node *node) {
  if (node->kind == FLY_TREE_SCALAR)
    add_reference(s, type, node->text);
  for (int k = 0; node->kind != FLY_TREE_SCALAR && k < node->count; k++)
    add_references(s, type, node->entry[k].value);
}

static void look_around(surroundings *s, const fly_element_type *type, const char *line) {
  fly_tree *tree;
  if (fly_tree_parse(&tree, type->name, line, strlen(line), &error) != FLY_OK)
    fail_msg("%s", error.message);
  const fly_tree_node *node = tree->root->entry[0].value;
  if (node->kind == FLY_TREE_SCALAR)
    add_references(s, FLY_EXPRESSION, node);
  for (int k = 0; node->kind == FLY_TREE_MAPPING && k < node->count; k++) {
    const int row = fly_parameter_find(type, node->entry[k].key);
    if (row >= 0)
      add_references(s, type->parameters[row].type, node->entry[k].value);
  }
  fly_tree_free(tree);
}

static void write_body(FILE *file, const surroundings *s, int k) {
  const bool ground = strcmp(s->bodies[k], "ground") == 0;
  if (ground && s->nmarker[k] == 0)
    return;
  fprintf(file, "  %s: {%smarkers: {", s->bodies[k], ground ? "" : "mass: 1, inertia: [1, 1, 1], ");
  for (int i = 0; i < s->nmarker[k]; i++)
    fprintf(file, "%s%s: [0, 0, 0]", i > 0 ? ", " : "", s->markers[k][i]);
  fputs("}}\n", file);
}

// A model of the element and what it needs.
static char *model_of(const fly_element_type *type, const char *line) {
  static surroundings s;
  char *text = NULL;
  size_t length = 0;
  s = (surroundings){0};
  look_around(&s, type, line);
  if (s.njoint > 0)
    find_or_add(s.bodies, &s.nbody, "spare");
  FILE *file = open_memstream(&text, &length);
  assert_non_null(file);
  fputs("flyball: 1\nbodies:\n", file);
  for (int k = 0; k < s.nbody; k++)
    write_body(file, &s, k);
  if (strcmp(type->section, "bodies") != 0)
    fputs("joints:\n", file);
  for (int k = 0; k < s.njoint; k++)
    fprintf(file, "  %s: {bodies: [ground, spare], at: [0, 0, 0], axis: [0, 0, 1]}\n", s.joints[k]);
  if (strcmp(type->section, "bodies") != 0 && strcmp(type->section, "joints") != 0)
    fprintf(file, "%s:\n", type->section);
  fprintf(file, "  %s\n", line);
  fclose(file);
  return text;
}

// The last that was given; what blocks are made of comes behind it.
static const fly_item *last_given(const fly_spec *spec) {
  int k = spec->nitem - 1;
  while (spec->item[k].made > 0)
    k--;
  return &spec->item[k];
}

// It needs a library and leave to load it (tests/system/test_plugin.c), or a reduced body
// (tests/system/test_flexible_body.c).
static bool needs_a_file(const fly_element_type *type) {
  return strcmp(type->name, "plugin") == 0 || strcmp(type->name, "flexible") == 0;
}

static void the_example_of_every_type_survives(void **state) {
  for (const fly_element_type *const *row = fly_element_types, *type; (type = *row) != NULL; row++) {
    if (needs_a_file(type))
      continue;
    char *text = model_of(type, type->example);
    fly_spec spec = read_text(text);
    int same = 0;
    for (int k = 0; k < spec.nitem; k++)
      same += spec.item[k].type == type;
    assert_true(same > 0);
    check_round_trip(&spec);
    fly_spec_free(&spec);
    free(text);
  }
}

// ------------------------------------------------------------------------------------------ parameters

// A value for a row, as a user would write it.
static void sample(char *out, size_t size, const fly_parameter *row, uint64_t *seed) {
  static const char *const fixed[] = {
      [FLY_ORIENTATION] = "{euler313: [0.1, -0.2, 3]}",
      [FLY_BODY] = "other",
      [FLY_BODIES] = "[other, ground]",
      [FLY_MARKER] = "other.spot",
      [FLY_JOINT] = "hinge",
      [FLY_JOINTS] = "[hinge, hinge2]",
      [FLY_TABLE] = "curve",
      [FLY_SETTINGS] = "{gear: 2*time, \"b.vx\": \"max(1, 2)\"}",
      [FLY_MATRIX] = "[[1, 2, 3], [0.5, -6, 7], [8, 0, 9]]",
      [FLY_MARKERS] = "{p: {axis: [1, 2, 3]}, q: {orientation: {quaternion: [1, 2, 3, 4]}}}",
      [FLY_SHAPES] = "[{type: cone, radius: 0.1, height: 0.2, at: [1, 2, 3], orientation: {z: [1, 2, 3]}, density: 2}, "
                     "{type: hull, "
                     "scale: 2, points: [[0, 0, 0], [1, 0, 0], [0, 1.5, 0], [0, 0, 1]], density: 1}]",
  };
  if (row->type == FLY_WORD && row->count == 2) {
    snprintf(out, size, "[word, other]");
    return;
  }
  if (row->type == FLY_WORD) {
    snprintf(out, size, "%.*s", row->words ? (int)strcspn(row->words, " ") : 4, row->words ? row->words : "word");
    return;
  }
  if (row->type == FLY_SETTINGS && row->words) {
    snprintf(out, size, "{%.*s: word}", (int)strcspn(row->words, " "), row->words);
    return;
  }
  if (row->type != FLY_NUMBER && row->type != FLY_EXPRESSION) {
    snprintf(out, size, "%s", strcmp(row->name, "to") == 0 ? "ground" : fixed[row->type]);
    return;
  }
  const int count = row->count > 0 ? row->count : 3;
  size_t used = (size_t)snprintf(out, size, "%s", row->count == 1 ? "" : "[");
  for (int k = 0; k < count; k++) {
    const double x = random_double(seed), low = isfinite(row->low) ? row->low : -10,
                 high = isfinite(row->high) ? row->high : 10;
    used += (size_t)snprintf(out + used, size - used, "%s%.17g", k > 0 ? ", " : "", low + (x + 1) / 2 * (high - low));
  }
  snprintf(out + used, size - used, "%s", row->count == 1 ? "" : "]");
}

static bool is_one_of(const char *word, const char *const *list) {
  for (; *list != NULL; list++)
    if (strcmp(word, *list) == 0)
      return true;
  return false;
}

// An element with a value for each of its rows but some; the number of them.
static int check_all_but(const fly_element_type *type, const char *const *but, uint64_t *seed) {
  char line[4000], value[1500];
  int rows = 0;
  size_t used = (size_t)snprintf(line, sizeof line, "it: {type: %s", type->name);
  for (const fly_parameter *row = type->parameters; row->name != NULL; row++) {
    if (is_one_of(row->name, but))
      continue;
    sample(value, sizeof value, row, seed);
    used += (size_t)snprintf(line + used, sizeof line - used, ", %s: %s", row->name, value);
    rows++;
  }
  snprintf(line + used, sizeof line - used, "}");
  char *text = model_of(type, line);
  fly_spec spec = read_text(text);
  const fly_item *item = last_given(&spec);
  for (int k = 0; type->parameters[k].name != NULL; k++)
    assert_true(fly_item_row(item, k)->given != is_one_of(type->parameters[k].name, but));
  check_round_trip(&spec);
  fly_spec_free(&spec);
  free(text);
  return rows;
}

// Joints are placed in space or by markers; springs are linear or have a law.
static void every_parameter_of_every_type_survives(void **state) {
  static const char *const
      by_markers[] = {"bodies", "at", "axis", "axis2", NULL},
      *const in_space[] = {"from", "to", NULL}, *const none[] = {NULL}, *const linear[] = {"force", "torque", NULL},
      *const diagonal[] = {"stiffness_matrix", "damping_matrix", NULL}, *const full[] = {"stiffness", "damping", NULL},
      *const remembers[] = {"pade", NULL}, *const a_number[] = {"file", NULL}, *const explicitly[] = {"equation", NULL},
      *const law[] = {"stiffness", "damping", "free_length", "free_angle", "preload", NULL};
  uint64_t seed = 7;
  int rows = 0;
  for (const fly_element_type *const *row = fly_element_types, *type; (type = *row) != NULL; row++) {
    if (needs_a_file(type))
      continue;
    const bool both = fly_parameter_find(type, "bodies") >= 0 && fly_parameter_find(type, "from") >= 0;
    const bool spring = strcmp(type->name, "spring") == 0 || strcmp(type->name, "torsion-spring") == 0;
    const bool bushing = strcmp(type->name, "bushing") == 0, delay = strcmp(type->name, "delay") == 0;
    const bool input = strcmp(type->section, "inputs") == 0, equation = fly_parameter_find(type, "equation") >= 0;
    rows += check_all_but(type,
                          both       ? by_markers
                          : spring   ? linear
                          : bushing  ? diagonal
                          : delay    ? remembers
                          : input    ? a_number
                          : equation ? explicitly
                                     : none,
                          &seed);
    if (both)
      rows += check_all_but(type, in_space, &seed);
    if (spring)
      rows += check_all_but(type, law, &seed);
    if (bushing)
      rows += check_all_but(type, full, &seed);
  }
  assert_true(rows > 100);
}

static void the_rest_of_a_model_survives(void **state) {
  check_text("flyball: 1\nname: 'null'\ntext: |\n  two\n  lines: # no comment\ngravity: [0, 0.1, -1e-300]\n"
             "parameters: {a: 1/3, b: a*1e90}\ntables: {t: {x: [0, 1, 2], y: [a, b, -0.0]}, s: {x: [0, a], y: [1, 2, "
             "3], values: [[1, 2], [3, 4], [a, b]]}}\n"
             "simulate: {end: 1, method: 'a: b', other: '~', \"a b\": \"x # y\"}\n");
  check_text("flyball: 1\nbodies:\n  ground: {markers: {a: [1, 2, 3], b: {axis: [1, 0, 0]}}}\n  p: {type: planar, "
             "mass: 1, inertia: 1, markers: {a: [1, 2], b: {at: [1, 2], angle: 1}}}\n");
  check_text("flyball: 1\nbodies:\n  a: {markers: {}, shapes: []}\n");
}

static void a_long_table_survives(void **state) {
  enum { N = 30000 };
  char *text = malloc(50 * N);
  assert_non_null(text);
  size_t used = (size_t)sprintf(text, "flyball: 1\ntables:\n  t:\n    x: [0");
  for (int k = 1; k < N; k++)
    used += (size_t)sprintf(text + used, k % 10 ? ", %d" : ",\n      %d", k);
  used += (size_t)sprintf(text + used, "]\n    y: [0");
  for (int k = 1; k < N; k++)
    used += (size_t)sprintf(text + used, k % 10 ? ", %.17g" : ",\n      %.17g", sin(k));
  sprintf(text + used, "]\n");
  check_text(text);
  free(text);
}

static void a_full_disk_is_noticed(void **state) {
  FILE *full = fopen("/dev/full", "w");
  if (full == NULL)
    skip();
  fly_spec spec = read_text("flyball: 1\nname: x\n");
  assert_false(fly_model_write(full, &spec));
  fly_spec_free(&spec);
  fclose(full);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_example_survives),
      cmocka_unit_test(the_example_of_every_type_survives),
      cmocka_unit_test(every_parameter_of_every_type_survives),
      cmocka_unit_test(the_rest_of_a_model_survives),
      cmocka_unit_test(a_long_table_survives),
      cmocka_unit_test(a_full_disk_is_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
