// The reader of model files: every example reads, every file of the catalogue of faults is refused with its message,
// and what is read is what was written. labels: valgrind
#define _POSIX_C_SOURCE 200809L // chdir, opendir
#include "base/check.h"

#include <dirent.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "io/read.h"

static fly_error error;

static const double PI = 3.14159265358979323846;

// Reads a text that must be good.
static fly_spec good(const char *text) {
  fly_spec spec;
  error.message[0] = 0;
  if (fly_model_read_text(&spec, "text", text, strlen(text), 0, NULL, &error) != FLY_OK)
    fail_msg("%s", error.message);
  return spec;
}

static void assert_refused(const char *text, const char *expected) {
  fly_spec spec;
  assert_int_equal(fly_model_read_text(&spec, "text", text, strlen(text), 0, NULL, &error), FLY_BAD_INPUT);
  if (strstr(error.message, expected) == NULL)
    fail_msg("'%s' is not in '%s'", expected, error.message);
  assert_int_equal(spec.nitem, 0); // empty: nothing to free
}

static const fly_item *body(const fly_spec *spec, const char *name) {
  const fly_item *item = fly_spec_find(spec, "bodies", name);
  assert_non_null(item);
  return item;
}

static void assert_numbers(const fly_item *item, const char *parameter, int count, const double *expected) {
  const fly_value *value = fly_item_value(item, parameter);
  assert_int_equal(value->count, count);
  for (int k = 0; k < count; k++)
    assert_near(value->number[k], expected[k], 1e-15);
}

#define TOP "flyball: 1\n"
#define BODY TOP "bodies:\n  a: {mass: 1, inertia: [1, 1, 1]"

// ------------------------------------------------------------------------------------------ files

static bool ends_with(const char *text, const char *end) {
  return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

// Calls a function for every YAML file of a folder of the source tree, standing in it; their number.
static int each_file(const char *folder, void (*check)(const char *name)) {
  char path[1000];
  int files = 0;
  snprintf(path, sizeof path, "%s/%s", FLY_TEST_SOURCE_DIR, folder);
  assert_int_equal(chdir(path), 0);
  DIR *directory = opendir(".");
  assert_non_null(directory);
  for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
    if (ends_with(entry->d_name, ".yaml")) {
      check(entry->d_name);
      files++;
    }
  closedir(directory);
  return files;
}

static void check_example(const char *name) {
  fly_spec spec;
  if (fly_model_read(&spec, name, 0, NULL, &error) != FLY_OK)
    fail_msg("%s", error.message);
  assert_true(spec.nitem > 0 && spec.nsetting > 0);
  assert_non_null(spec.name);
  fly_spec_free(&spec);
}

static void every_example_reads(void **state) { assert_true(each_file("examples", check_example) >= 14); }

// The message without the lines of the file that it shows, and without the name of the file.
static void plain_message(char *out, size_t size, const char *message, const char *name) {
  char prefix[300];
  const size_t length = (size_t)snprintf(prefix, sizeof prefix, "%s:", name);
  size_t used = 0;
  out[0] = 0;
  for (const char *line = message; *line != 0;) {
    const char *end = line + strcspn(line, "\n");
    const char *from = strncmp(line, prefix, length) == 0 ? line + length : line;
    if (strncmp(line, "    ", 4) != 0 && used < size)
      used += (size_t)snprintf(out + used, size - used, "%.*s\n", (int)(end - from), from);
    line = *end != 0 ? end + 1 : end;
  }
}

// Compares line by line; an expected line that ends in "..." needs only begin so.
static bool same_lines(const char *expected, const char *found) {
  while (*expected != 0 && *found != 0) {
    const size_t e = strcspn(expected, "\n"), f = strcspn(found, "\n");
    const bool open = e >= 3 && strncmp(expected + e - 3, "...", 3) == 0;
    if (open ? strncmp(expected, found, e - 3) != 0 : e != f || strncmp(expected, found, e) != 0)
      return false;
    expected += e + 1;
    found += f + 1;
  }
  return *expected == *found;
}

// The first lines of a bad file say what is expected of it: "#! 3:7: message"
static void expected_message(char *out, size_t size, const char *name) {
  char line[2000];
  size_t used = 0;
  FILE *file = fopen(name, "r");
  assert_non_null(file);
  out[0] = 0;
  while (fgets(line, sizeof line, file) != NULL && strncmp(line, "#! ", 3) == 0 && used < size)
    used += (size_t)snprintf(out + used, size - used, "%s", line + 3);
  fclose(file);
}

static void check_bad(const char *name) {
  char expected[3000], found[3000];
  fly_spec spec;
  expected_message(expected, sizeof expected, name);
  if (fly_model_read(&spec, name, 0, NULL, &error) != FLY_BAD_INPUT)
    fail_msg("%s is accepted", name);
  plain_message(found, sizeof found, error.message, name);
  if (!same_lines(expected, found))
    fail_msg("%s: expected\n%sfound\n%s", name, expected, found);
  assert_int_equal(fly_model_read(&spec, name, 0, NULL, NULL), FLY_BAD_INPUT); // without an error to fill
}

static void every_bad_file_is_refused(void **state) { assert_true(each_file("tests/io/bad", check_bad) >= 170); }

static void what_is_no_model_is_refused(void **state) {
  fly_spec spec;
  assert_int_equal(fly_model_read(&spec, "/no/such/file.yaml", 0, NULL, &error), FLY_BAD_INPUT);
  assert_string_equal(error.message, "/no/such/file.yaml: there is no such file.");
  assert_int_equal(fly_model_read(&spec, FLY_TEST_SOURCE_DIR, 0, NULL, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "this is a folder"));
  assert_refused("", "text:1:1: this file is empty");
  assert_int_equal(fly_model_read_text(&spec, "text", "fly\0ball: 1", 11, 0, NULL, &error), FLY_BAD_INPUT);
  assert_refused("\x7f"
                 "ELF\x02\x01\x01",
                 "Is this a text file?");
  assert_refused("\xff\xfe"
                 "f",
                 "UTF-16");
}

static void a_line_of_ten_megabytes_is_refused(void **state) {
  const size_t size = 10 << 20;
  char *text = malloc(size + 1);
  assert_non_null(text);
  memset(text, 'a', size);
  memcpy(text, "flyball: 1\nname: ", 17);
  text[size] = 0;
  assert_refused(text, "a line may have");
  memset(text, '(', size);
  memcpy(text, "flyball: ", 9);
  assert_refused(text, "text:1:1: ");
  free(text);
}

// ------------------------------------------------------------------------------------------ parameters

static void parameters_may_use_each_other_in_any_order(void **state) {
  fly_spec spec = good(TOP "parameters: {half: length/2, length: 2*e5 + 1e-5*0, e5: 3*mm, speed: 60*rpm}\n");
  assert_int_equal(spec.nparameter, 4);
  assert_string_equal(spec.parameter_name[0], "half");
  assert_near(spec.parameter_value[0], 3e-3, 1e-18);
  assert_near(spec.parameter_value[3], 2 * PI, 1e-15);
  fly_spec_free(&spec);
}

static fly_status read_set(fly_spec *spec, int nset, const char *const *set) {
  const char *text = TOP "parameters: {r: 2, speed: 10, half: r/2}\ngravity: [0, 0, half]\n";
  return fly_model_read_text(spec, "text", text, strlen(text), nset, set, &error);
}

static void parameters_can_be_set(void **state) {
  fly_spec spec;
  const char *const set[] = {"r=4*mm", "speed=r*2"};
  assert_int_equal(read_set(&spec, 2, set), FLY_OK);
  assert_near(spec.parameter_value[0], 4e-3, 0);
  assert_near(spec.parameter_value[1], 8e-3, 0);
  assert_near(spec.gravity[2], 2e-3, 0);
  fly_spec_free(&spec);
}

static void what_cannot_be_set_is_told(void **state) {
  static const struct {
    const char *set, *message;
  } cases[] = {
      {"sped=3", "The model has no parameter 'sped'. Did you mean 'speed'?"},
      {"speed", "'speed' does not set a parameter; write name=value."},
      {"speed=", "'speed=' does not set a parameter; write name=value."},
      {"=3", "'=3' does not set a parameter; write name=value."},
      {"speed=3x", "speed=3x: "},
      {"r=half", "text:2:17: these parameters need each other: r needs half needs r."},
      {"speed=1/0", "speed=1/0: "},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    fly_spec spec;
    assert_int_equal(read_set(&spec, 1, &cases[k].set), FLY_BAD_INPUT);
    if (strncmp(error.message, cases[k].message, strlen(cases[k].message)) != 0)
      fail_msg("%s: %s", cases[k].set, error.message);
  }
}

// A chain in the wrong order is deeper than a stack of calls would bear.
static void long_chains_of_parameters(void **state) {
  enum { N = 3000 };
  char *text = malloc(40 * N);
  assert_non_null(text);
  size_t used = (size_t)sprintf(text, TOP "parameters:\n");
  for (int k = 0; k < N; k++)
    used += (size_t)sprintf(text + used, "  p%d: p%d + 1\n", k, k + 1);
  sprintf(text + used, "  p%d: 1\n", N);
  fly_spec spec = good(text);
  assert_near(spec.parameter_value[0], N + 1, 0);
  fly_spec_free(&spec);
  free(text);
}

// ------------------------------------------------------------------------------------------ values

static void the_top_of_a_model(void **state) {
  fly_spec spec = good(TOP "name: slider crank\ntext: >\n  What it\n  is.\ngravity: [0, -g0, 1e-3]\nbodies:\n"
                           "simulate: {end: 2*pi, method: hht, verbose: true}\n");
  assert_string_equal(spec.name, "slider crank");
  assert_string_equal(spec.text, "What it is.\n");
  assert_near(spec.gravity[1], -9.80665, 0);
  assert_int_equal(spec.nsetting, 3);
  assert_string_equal(spec.setting_key[1], "method");
  assert_string_equal(spec.setting_text[0], "2*pi");
  assert_string_equal(spec.setting_place[1].file, "text");
  assert_int_equal(spec.setting_place[1].line, 8);
  assert_int_equal(spec.setting_place[1].column, 31);
  fly_spec_free(&spec);
}

static void numbers_and_their_places(void **state) {
  fly_spec spec = good(BODY ", position: [1, 2*mm, \"max(1, 2)\"]}\n");
  const fly_item *a = body(&spec, "a");
  assert_numbers(a, "position", 3, (const double[]){1, 2e-3, 2});
  assert_string_equal(a->place.file, "text");
  assert_int_equal(a->place.line, 3);
  assert_int_equal(a->place.column, 3);
  assert_int_equal(fly_item_value(a, "inertia")->place.column, 25);
  assert_true(fly_item_given(a, "position") && !fly_item_given(a, "velocity"));
  assert_numbers(a, "velocity", 3, (const double[]){0, 0, 0}); // the fallback
  assert_true(isnan(fly_item_number(a, "orientation")));
  fly_spec_free(&spec);
}

static void the_short_form_of_an_output(void **state) {
  fly_spec spec = good(BODY "}\noutputs:\n  x: dx(a, ground)\n  y: {value: 2*time}\n  z: 3\n");
  assert_string_equal(fly_item_word(fly_spec_find(&spec, "outputs", "x"), "value", 0), "dx(a, ground)");
  assert_string_equal(fly_item_word(fly_spec_find(&spec, "outputs", "y"), "value", 0), "2*time");
  assert_string_equal(fly_item_word(fly_spec_find(&spec, "outputs", "z"), "value", 0), "3");
  fly_spec_free(&spec);
}

static void sections_may_stand_in_any_order(void **state) {
  fly_spec spec = good("outputs: {x: \"dx(a, ground)\"}\nmotions: {m: {joint: j, angle: time}}\n"
                       "joints: {j: {bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
                       "bodies: {a: {mass: m, inertia: [m, m, m]}}\nparameters: {m: 2}\nflyball: 1\n");
  assert_int_equal(spec.nitem, 4);
  assert_string_equal(spec.item[0].name, "a"); // section by section
  fly_spec_free(&spec);
}

static void json_is_read_too(void **state) {
  fly_spec spec = good("{\"flyball\": 1, \"parameters\": {\"m\": \"2*kg\"}, \"bodies\": {\"a\": {\"mass\": \"m/2\", "
                       "\"inertia\": [1, 1, 1]}}, \"outputs\": {\"x\": \"dx(a, ground)\"}}");
  assert_near(fly_item_number(body(&spec, "a"), "mass"), 1, 0);
  fly_spec_free(&spec);
  assert_refused("{\"flyball\": 1, \"gravity\": [0, 0, \"2*gg\"]}", "text:1:37: 'gravity': unknown word 'gg'");
}

// ------------------------------------------------------------------------------------------ orientations

static void assert_turned(const char *orientation, const double expected[9]) {
  char text[500];
  snprintf(text, sizeof text, BODY ", orientation: %s}\n", orientation);
  fly_spec spec = good(text);
  assert_numbers(body(&spec, "a"), "orientation", 9, expected);
  fly_spec_free(&spec);
}

static void all_forms_of_orientation(void **state) {
  const double about_z[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}, about_x[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
  assert_turned("{axis: [0, 0, 3], angle: 90*deg}", about_z);
  assert_turned("{euler313: [90*deg, 0, 0]}", about_z);
  assert_turned("{euler313: [45*deg, 0, pi/4]}", about_z);
  assert_turned("{euler313: [0, 90*deg, 0]}", about_x);
  assert_turned("{quaternion: [2, 0, 0, 2]}", about_z);
  assert_turned("{x: [0, 1, 0], y: [-2, 0, 0]}", about_z);
  assert_turned("{x: [0, 1, 0], y: [-2, 1, 0]}", about_z); // x is kept, y shows the plane
  assert_turned("{x: [0, 5, 1], z: [0, 0, 1]}", about_z);  // z is kept
  assert_turned("{y: [-1, 0, 1], z: [0, 0, 1]}", about_z);
  assert_turned("{x: [0, 1, 0], y: [-1, 0, 0], z: [0, 0, 1]}", about_z);
  assert_turned("{x: [0, 1.0001, 0], y: [-1, 0, 0.0001], z: [0, 0, 1]}", about_z); // as people round
  assert_turned("{z: [0, 0, 2]}", (const double[]){1, 0, 0, 0, 1, 0, 0, 0, 1});
  // R = Rz(a) Rx(b) Rz(c) has the third column (sin a sin b, -cos a sin b, cos b) and the third row (sin b sin c, ...)
  fly_spec spec = good(BODY ", orientation: {euler313: [0.3, 0.7, -1.1]}}\n");
  const double *A = fly_item_value(body(&spec, "a"), "orientation")->number;
  assert_near(A[2], sin(0.3) * sin(0.7), 1e-15);
  assert_near(A[5], -cos(0.3) * sin(0.7), 1e-15);
  assert_near(A[8], cos(0.7), 1e-15);
  assert_near(A[6], sin(0.7) * sin(-1.1), 1e-15);
  fly_spec_free(&spec);
}

// Every direction gives a right-handed frame with that z.
static void axes_of_a_marker(void **state) {
  uint64_t seed = 5;
  for (int trial = 0; trial < 200; trial++) {
    char text[500];
    double z[3];
    for (int k = 0; k < 3; k++)
      z[k] = trial < 6 ? (trial % 3 == k) * (trial < 3 ? 1 : -1) : random_double(&seed);
    snprintf(text, sizeof text, BODY ", markers: {p: {at: [1, 2, 3], axis: [%.17g, %.17g, %.17g]}}}\n", z[0], z[1],
             z[2]);
    fly_spec spec = good(text);
    const fly_spec_marker *marker = body(&spec, "a")->marker;
    const double *A = marker->A, length = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
    for (int i = 0; i < 3; i++) {
      assert_near(A[3 * i + 2], z[i] / length, 1e-15);
      for (int j = 0; j < 3; j++)
        assert_near(A[3 * i] * A[3 * j] + A[3 * i + 1] * A[3 * j + 1] + A[3 * i + 2] * A[3 * j + 2], i == j, 1e-14);
    }
    const double det =
        A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) + A[2] * (A[3] * A[7] - A[4] * A[6]);
    assert_near(det, 1, 1e-14);
    assert_near(marker->at[1], 2, 0);
    fly_spec_free(&spec);
  }
}

static void markers_of_planar_bodies_and_ground(void **state) {
  fly_spec spec = good(TOP "bodies:\n"
                           "  bar: {type: planar, mass: 1, inertia: 1, markers: {p: [1, 2], q: {angle: 90*deg}, "
                           "r: {at: [3, 4], angle: 0}}}\n"
                           "  ground: {markers: {a: [1, 2], b: [1, 2, 3]}}\n"
                           "forces:\n  s: {from: bar.q, to: ground.b}\n");
  const fly_item *bar = body(&spec, "bar"), *ground = body(&spec, "ground");
  assert_int_equal(bar->nmarker, 3);
  assert_near(bar->marker[0].at[1], 2, 0);
  assert_near(bar->marker[1].A[3], 1, 1e-15);
  assert_near(bar->marker[2].at[0], 3, 0);
  assert_int_equal(ground->nmarker, 2);
  assert_near(ground->marker[0].at[2], 0, 0);
  assert_near(ground->marker[1].at[2], 3, 0);
  fly_spec_free(&spec);
}

static void shapes_as_numbers(void **state) {
  fly_spec spec = good(TOP "bodies:\n  a:\n    shapes:\n      - {type: box, x: 1, y: 2, z: 3, density: -5}\n"
                           "      - {type: sphere, radius: 4, at: [1, 2, 3], orientation: {z: [1, 0, 0]}}\n");
  const fly_value *shapes = fly_item_value(body(&spec, "a"), "shapes");
  assert_int_equal(shapes->count, 2);
  assert_string_equal(shapes->word[1], "sphere");
  const double *box = shapes->number, *sphere = shapes->number + FLY_SHAPE_NUMBERS;
  assert_near(box[FLY_SHAPE_SIZE + 2], 3, 0);
  assert_near(box[FLY_SHAPE_DENSITY], -5, 0);
  assert_near(box[FLY_SHAPE_AXES], 1, 0);
  assert_near(sphere[FLY_SHAPE_SIZE], 4, 0);
  assert_near(sphere[FLY_SHAPE_AT + 2], 3, 0);
  assert_near(sphere[FLY_SHAPE_AXES + 2], 1, 1e-15);
  assert_true(isnan(sphere[FLY_SHAPE_DENSITY]));
  fly_spec_free(&spec);
}

// ------------------------------------------------------------------------------------------ tables and includes

static void tables_in_the_model_and_beside_it(void **state) {
  char path[1000];
  fly_spec spec;
  snprintf(path, sizeof path, "%s/tests/io/files/tables.yaml", FLY_TEST_SOURCE_DIR);
  if (fly_model_read(&spec, path, 0, NULL, &error) != FLY_OK)
    fail_msg("%s", error.message);
  assert_int_equal(spec.ntable, 4);
  for (int k = 0; k < 4; k++) {
    assert_int_equal(spec.table_count[k], 3);
    for (int i = 0; i < 3; i++) {
      assert_near(spec.table_x[k][i], i, 0);
      assert_near(spec.table_y[k][i], i * i * 1e-3, 1e-18);
    }
  }
  assert_string_equal(spec.table_name[3], "by_name");
  assert_near(spec.parameter_value[0], 1, 0);
  assert_near(fly_item_number(body(&spec, "a"), "mass"), 4e-3, 1e-18);
  assert_non_null(strstr(body(&spec, "a")->place.file, "files/body.yaml")); // included
  fly_spec_free(&spec);
}

static void a_text_cannot_name_files(void **state) {
  assert_refused(TOP "tables: {t: {file: a.csv}}\n", "only a model in a file can name others");
  assert_refused(TOP "include: a.yaml\n", "only a file can include others");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_example_reads),
      cmocka_unit_test(every_bad_file_is_refused),
      cmocka_unit_test(what_is_no_model_is_refused),
      cmocka_unit_test(a_line_of_ten_megabytes_is_refused),
      cmocka_unit_test(parameters_may_use_each_other_in_any_order),
      cmocka_unit_test(parameters_can_be_set),
      cmocka_unit_test(what_cannot_be_set_is_told),
      cmocka_unit_test(long_chains_of_parameters),
      cmocka_unit_test(the_top_of_a_model),
      cmocka_unit_test(numbers_and_their_places),
      cmocka_unit_test(the_short_form_of_an_output),
      cmocka_unit_test(sections_may_stand_in_any_order),
      cmocka_unit_test(json_is_read_too),
      cmocka_unit_test(all_forms_of_orientation),
      cmocka_unit_test(axes_of_a_marker),
      cmocka_unit_test(markers_of_planar_bodies_and_ground),
      cmocka_unit_test(shapes_as_numbers),
      cmocka_unit_test(tables_in_the_model_and_beside_it),
      cmocka_unit_test(a_text_cannot_name_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
