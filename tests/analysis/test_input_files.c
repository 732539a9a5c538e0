// Inputs that follow files: named in the model, or by whoever runs it. The same as the curve of a table, to the last
// bit; and what is refused.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include "base/check.h"

#include "analysis/driven.h"

#include <unistd.h>

static char folder[] = "/tmp/flyball-inputs-XXXXXX";

static int make_folder(void **state) { return mkdtemp(folder) == NULL; }

static int remove_folder(void **state) {
  char line[100];
  snprintf(line, sizeof line, "rm -r '%s'", folder);
  return system(line); // NOLINT(cert-env33-c)
}

static const char *path_of(const char *name) {
  static char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void put_file(const char *name, const char *text) {
  FILE *file = fopen(path_of(name), "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

#define CART                                                                                                           \
  "flyball: 1\nbodies: {cart: {type: point, mass: 2}}\n"                                                               \
  "forces: {push: {type: force, at: cart, force: [u, 0, 0]}}\n"                                                        \
  "simulate: {end: 4, output: 0.1, error: 1e-6}\n"
static const char ROAD[] = "time,a,b\n0,1,0\n1,3,0\n2,3,1\n4,0,1\n";

static driven run_with(driven d, const char *model, const char *input, const char *names) {
  fly_load_options load = fly_load_options_default();
  char copy[200];
  load.ninput = input != NULL;
  load.input = &input;
  put_file("model.yaml", model);
  put_file("road.csv", ROAD);
  d.options.row = keep_row;
  d.options.user = &d;
  d.status = fly_mechanism_load_with(&d.mechanism, path_of("model.yaml"), &load, &d.error);
  if (d.status == FLY_OK)
    d.status = fly_run_create(&d.run, d.mechanism, &d.options, &d.error);
  snprintf(copy, sizeof copy, "%s", names);
  for (char *name = strtok(copy, " "); name && d.status == FLY_OK; name = strtok(NULL, " "))
    d.column[d.count++] = fly_run_channel(d.run, name);
  if (d.status == FLY_OK)
    d.status = fly_run_start(d.run, &d.error);
  if (d.status == FLY_OK)
    d.status = fly_run_go(d.run, &d.error);
  return d;
}

static driven run_file(const char *model, const char *input, const char *names) {
  return run_with(driven_default(FLY_DYNAMICS, 4, 0.1), model, input, names);
}

static void assert_same(driven *a, driven *b) {
  assert_ok(a->status, &a->error);
  assert_ok(b->status, &b->error);
  assert_int_equal(a->rows, b->rows);
  assert_memory_equal(a->data, b->data, (size_t)(a->rows * (1 + a->count)) * sizeof *a->data);
  driven_free(a);
  driven_free(b);
}

static void files_are_tables(void **state) {
  static const char *const curves[] = {"linear", "akima", "cubic", "hold"};
  for (int k = 0; k < 4; k++)
    for (int second = 0; second < 2; second++) {
      char text[1000], table[1000], given[300];
      snprintf(table, sizeof table, CART "tables: {t: {x: [0, 1, 2, 4], y: %s}}\nvariables: {u: \"%s(time, t)\"}\n",
               second ? "[0, 0, 1, 1]" : "[1, 3, 3, 0]", k == 3 ? "stairs" : curves[k]);
      snprintf(text, sizeof text, CART "inputs: {u: {file: road.csv, column: %s, interpolation: %s}}\n",
               second ? "b" : "2", curves[k]);
      driven a = run_file(text, NULL, "cart.x u"), b = run_file(table, NULL, "cart.x u");
      assert_same(&a, &b);
      snprintf(text, sizeof text, CART "inputs: {u: {value: 7, interpolation: %s}}\n", curves[k]);
      snprintf(given, sizeof given, "u=%s%s", path_of("road.csv"), second ? ":b" : "");
      driven c = run_file(text, given, "cart.x u"), d = run_file(table, NULL, "cart.x u");
      assert_same(&c, &d);
    }
}

// A staircase of forces is a chain of parabolas: 1 N, 3 N, 3 N and 0 N from 0, 1, 2, 4 s on at 2 kg, and no step fails.
static void a_staircase(void **state) {
  static const char *const methods[] = {"ch", "radau", "partition"};
  for (int k = 0; k < 3; k++) {
    char text[1000];
    snprintf(text, sizeof text, CART "inputs: {u: {file: road.csv, interpolation: hold}}\nstates: {i: {rate: u}}\n");
    driven d = driven_default(FLY_DYNAMICS, 4, 0.1);
    d.options.method.name = methods[k];
    d = run_with(d, text, NULL, "cart.x cart.vx i u");
    assert_ok(d.status, &d.error);
    const double *end = d.data + (size_t)(d.rows - 1) * 5;
    assert_near(end[0], 4, 0);
    assert_near(end[1], 0.25 + 0.5 * 3 + 0.75 * 9, 1e-6);
    assert_near(end[2], 0.5 + 1.5 * 3, 1e-6);
    assert_near(end[3], 1 + 3 * 3, 1e-6);
    assert_near(end[4], 0, 0);
    assert_near(end[4 - 5], 3, 0);
    assert_int_equal(fly_run_stats(d.run).rejected_error, 0);
    driven_free(&d);
  }
}

// The table ends at 4 s, with -1.5 N/s: straight on, or held; whoever runs longer is told.
static void a_run_beyond_its_table(void **state) {
  static const struct {
    const char *more;
    double last;
    bool told;
  } list[] = {
      {"", -3, true}, {", beyond: line", -3, false}, {", beyond: hold", 0, false}, {", interpolation: hold", 0, true}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    char text[1000];
    snprintf(text, sizeof text, CART "inputs: {u: {file: road.csv%s}}\n", list[k].more);
    driven d = run_with(driven_default(FLY_DYNAMICS, 6, 0.1), text, NULL, "u");
    assert_ok(d.status, &d.error);
    assert_near(d.data[2 * d.rows - 1], list[k].last, 1e-12);
    const char *said =
        strstr(fly_run_warnings(d.run), "input `u` follows a table from 0 s to 4 s, the time of its last "
                                        "row, and the run goes from 0 to 6 s");
    assert_true((said != NULL) == list[k].told);
    driven_free(&d);
  }
  driven d =
      run_with(driven_default(FLY_DYNAMICS, 6, 0.1), CART "inputs: {u: {file: road.csv, beyond: error}}\n", NULL, "");
  assert_int_equal(d.status, FLY_BAD_INPUT);
  assert_non_null(strstr(d.error.message, "`beyond: error` asks for rows all the way"));
  driven_free(&d);
  d = run_file(CART "inputs: {u: {file: road.csv, beyond: error}}\n", NULL, "");
  assert_ok(d.status, &d.error);
  driven_free(&d);
}

static void what_is_refused(void **state) {
  static const struct {
    const char *inputs, *given, *says;
  } list[] = {
      {"u: 0", "w=road.csv", "there is no input 'w'"},
      {"u: 0", "u", "an input is given as name=file.csv, not as 'u'"},
      {"u: 0", "u=", "an input is given as name=file.csv"},
      {"u: 0", "u=nowhere.csv", "there is no such file"},
      {"u: {file: road.csv, column: c}", NULL, "has no column 'c'"},
      {"u: {file: road.csv, column: tme}", NULL, "Did you mean 'time'? Its first line is time, a, b."},
      {"u: {file: nowhere.csv}", NULL, "there is no such file"},
      {"u: {file: road.csv, value: 2}", NULL, "is not used together with"},
      {"u: {unit: m}", NULL, "'value', a number, or 'file'"},
      {"u: {file: road.csv, interpolation: spline}", NULL, "one of linear, akima, cubic, hold"},
  };
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    char text[1000];
    snprintf(text, sizeof text, CART "inputs: {%s}\n", list[k].inputs);
    driven d = run_file(text, list[k].given, "");
    if (d.status != FLY_BAD_INPUT || !strstr(d.error.message, list[k].says))
      fail_msg("%s, %s: %s", list[k].inputs, list[k].given ? list[k].given : "", d.error.message);
    driven_free(&d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_are_tables),
      cmocka_unit_test(a_staircase),
      cmocka_unit_test(a_run_beyond_its_table),
      cmocka_unit_test(what_is_refused),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
