// Linear blocks, continuous and sampled: closed forms, recursions that are exact, samples at exact times, sizes of
// matrices, and what is refused.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#define RUN_BEGINS                                                                                                     \
  "flyball: 1\nbodies: {cart: {type: point, mass: 2, position: [0.5, 0, 0]}}\n"                                        \
  "joints: {rail: {type: in-line, bodies: [ground, cart], at: [0.5, 0, 0], axis: [1, 0, 0]}}\n"
#define RUN_KEYS ", estimate_error: \"no\""
#include "analysis/runs.h"

#include "io/read.h"
#include "math/noise.h"
#include "model/model.h"
#include "system/system.h"

static const char *const METHODS[] = {"ch", "radau", "partition"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

// ------------------------------------------------------------------------------------------ continuous

typedef struct form {
  const char *text;
  double (*exact)(double t);
} form;

static double lag(double t) { return 1 - exp(-t / 0.3); }
static double lead(double t) { return 0.2 + 1.8 * exp(-10 * t); } // (2 s + 2)/(s + 10) of 1
static double swing(double t) {                                   // 4/(s^2 + 0.4 s + 4) of 1
  const double w = sqrt(4 - 0.04);
  return 1 - exp(-0.2 * t) * (cos(w * t) + 0.2 / w * sin(w * t));
}
// 1/((s + 1)(s + 100)(s + 10000)) times 10^6: roots far apart
static double apart(double t) {
  return 1 - exp(-t) * 1e6 / (99.0 * 9999.0) + exp(-100 * t) * 1e6 / (100 * 99.0 * 9900.0) -
         exp(-10000 * t) * 1e6 / (10000 * 9999.0 * 9900.0);
}
static double ramp(double t) { return 3 + t * t / 2; }
static double decay(double t) { return exp(-t) * 2 + exp(-3 * t) * (-1); }
static double gain(double t) { return 2.5 * sin(t); }

static const form FORMS[] = {
    {"{type: transfer, numerator: [1], denominator: [0.3, 1], input: 1}", lag},
    {"{type: transfer, numerator: [0, 2, 2], denominator: [0, 0, 1, 10], input: 1}", lead},
    {"{type: transfer, numerator: [4], denominator: [1, 0.4, 4], input: 1}", swing},
    {"{type: transfer, numerator: [1e6], denominator: [1, 10101, 1010100, 1e6], input: 1}", apart},
    {"{type: transfer, numerator: [1], denominator: [1, 0, 0], input: 1, start: 3}", ramp},
    {"{type: transfer, numerator: [5], denominator: [2], input: sin(time)}", gain},
    {"{type: state-space, A: [[0, 1], [-4, -0.4]], B: [0, 4], C: [1, 0], inputs: [1]}", swing},
    {"{type: state-space, A: [[-1, 0], [0, -3]], B: [0, 0], C: [2, -1], inputs: time, start: [1, 1]}", decay},
};

static void closed_forms(void **state) {
  for (size_t k = 0; k < sizeof FORMS / sizeof *FORMS; k++)
    for (int i = 0; i < METHOD_COUNT; i++) {
      char text[400];
      double worst = 0;
      if (FORMS[k].exact == apart && i == 2)
        continue; // stiff
      snprintf(text, sizeof text, "blocks: {b: %s}\n", FORMS[k].text);
      driven d = run_well(text, METHODS[i], 1e-7, 2, 0.05, "b.y");
      for (long r = 0; r < d.rows; r++)
        worst = fmax(worst, fabs(row_of(&d, r)[1] - FORMS[k].exact(row_of(&d, r)[0])));
      say("%-90s %-9s %.1e\n", FORMS[k].text, METHODS[i], worst);
      assert_true(worst < (FORMS[k].exact == apart ? 1e-5 : 1e-6)); // radau leaps at the start of a stiff one
      driven_free(&d);
    }
}

// A block and the same written as states move a cart alike: the block is nothing else.
static void blocks_are_states(void **state) {
  static const char force[] = "forces: {push: {type: force, at: cart, force: [out, 0, 0]}}\n";
  char block[1000], states[1000];
  snprintf(block, sizeof block,
           "%sblocks:\n  c: {type: state-space, A: [[-1, 2], [0, -3]], B: [[1, 0], [0, 0.5]], C: [[4, 1]], D: [[-6, 0]]"
           ",\n    inputs: [dx(cart), accx(cart)]}\nvariables: {out: -c.y}\n",
           force);
  snprintf(states, sizeof states,
           "%sstates:\n  x1: {rate: -1*x1 + 2*x2 + 1*dx(cart)}\n  x2: {rate: -3*x2 + 0.5*accx(cart)}\n"
           "variables: {out: -(4*x1 + 1*x2 - 6*dx(cart))}\n",
           force);
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven a = run_well(block, METHODS[k], 1e-6, 3, 0.1, "cart.x c.x2 c.x2.rate out");
    driven b = run_well(states, METHODS[k], 1e-6, 3, 0.1, "cart.x x2 x2.rate out");
    assert_int_equal(a.rows, b.rows);
    for (long r = 0; r < a.rows; r++)
      for (int i = 0; i < 5; i++)
        assert_close(row_of(&a, r)[i], row_of(&b, r)[i], 1e-12);
    driven_free(&a);
    driven_free(&b);
  }
}

// ------------------------------------------------------------------------------------------ sampled

// The recursion in the same arithmetic: samples are at exact times, nothing is added.
static void samples_are_exact(void **state) {
  static const char text[] =
      "blocks:\n  f: {type: state-space, A: [[0.5, -0.25], [1, 0]], B: [1, 0], C: [[0.5, 2], [1, 0]], D: [3, 0],\n"
      "    inputs: sin(2*time), every: 0.01, first: 0.02, start: [1, -1]}\n"
      "  g: {type: transfer, numerator: [1, 0.5], denominator: [2, -1], input: sin(2*time), every: 0.01, start: 4}\n";
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-4, 1, 0.005, "f.y1 f.y2 f.x2 g.y");
    double x[2] = {1, -1}, y[2] = {0.5 - 2, 1}, g = 4, u_before = 4 / 1.5 * 1;
    for (int n = 0; n < 100; n++) {
      const double t = n * 0.01, u = sin(2 * t);
      if (n >= 2) { // y, then x
        const double next = 0.5 * x[0] - 0.25 * x[1] + u;
        y[0] = 0.5 * x[0] + 2 * x[1] + 3 * u;
        y[1] = x[0];
        x[1] = x[0];
        x[0] = next;
      }
      g = (g + u + 0.5 * u_before) / 2;
      u_before = u;
      const double *row = row_of(&d, 2L * n + 1);
      assert_close(row[0], t + 0.005, 1e-12);
      assert_close(row[1], y[0], 1e-13);
      assert_close(row[2], y[1], 1e-13);
      assert_close(row[3], x[1], 1e-13);
      assert_close(row[4], g, 1e-13);
    }
    driven_free(&d);
  }
}

// A cart of 2 kg under a controller of 1 kHz that looks at place and velocity, for 10 s: between samples it moves along
// parabolas, which are added up here.
static void a_controller_of_1_kHz(void **state) {
  static const char text[] = "blocks:\n  c: {type: state-space, A: [[0.9]], B: [[0.1, 0]], C: [[-1]], D: [[-8, -4]],\n"
                             "    inputs: [dx(cart), vx(cart)], every: 1*ms}\n"
                             "forces: {push: {type: force, at: cart, force: [c.y, 0, 0]}}\n";
  for (int k = 0; k < 2; k++) {
    driven d = run_well(text, METHODS[k], 1e-7, 10, 0.25, "cart.x cart.vx");
    double x = 0.5, v = 0, z = 0, worst = 0;
    for (int n = 0; n < 10000; n++) {
      if (n % 250 == 0)
        worst = fmax(worst, fabs(row_of(&d, n / 250)[1] - x) + fabs(row_of(&d, n / 250)[2] - v));
      const double a = (-z - 8 * x - 4 * v) / 2, h = 1e-3;
      z = 0.9 * z + 0.1 * x;
      x += h * v + h * h / 2 * a;
      v += h * a;
    }
    say("1 kHz by %s: %.1e\n", METHODS[k], worst);
    assert_true(worst < 1e-6);
    driven_free(&d);
  }
}

static void an_unstable_loop_is_named(void **state) {
  driven d = run("blocks: {c: {type: transfer, numerator: [1], denominator: [1, -3], input: dx(cart), every: 0.01}}\n",
                 "ch", 1e-4, 100, 1, "c.y");
  assert_int_equal(d.status, FLY_NOT_FINITE);
  assert_non_null(strstr(d.error.message, "`c.sample` sets `c."));
  assert_non_null(strstr(d.error.message, "this loop is unstable"));
  assert_true(fly_run_time(d.run) > 2 && fly_run_time(d.run) < 3); // 3^n beyond 1e100
  driven_free(&d);
}

// ------------------------------------------------------------------------------------------ large ones

// A chain of 50 states whose input feels the cart: J has what A has, a row for the input, and the cart.
static void fifty_states_stay_sparse(void **state) {
  enum { N = 50 };
  static char text[40000];
  size_t used = (size_t)snprintf(text, sizeof text, RUN_BEGINS "blocks:\n  b:\n    type: state-space\n    A:\n");
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", j == 0 ? "    - [" : ", ",
                               i == j       ? "-2"
                               : j == i + 1 ? "1"
                                            : "0");
    used += (size_t)snprintf(text + used, sizeof text - used, "]\n");
  }
  used += (size_t)snprintf(text + used, sizeof text - used, "    B: [");
  for (int i = 0; i < N; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s1", i ? ", " : "");
  snprintf(text + used, sizeof text - used,
           "]\n    inputs: dx(cart)*vx(cart) + sin(dm(cart, ground))\n"
           "forces: {push: {type: force, at: cart, force: [b.y50, 0, 0]}}\n");
  fly_spec spec;
  fly_model model;
  fly_system system;
  fly_error error = {0};
  assert_ok(fly_model_read_text(&spec, "text", text, strlen(text), 0, NULL, &error), &error);
  assert_ok(fly_model_compile(&model, &spec, &error), &error);
  assert_ok(fly_system_create(&system, &model, 0, NULL, &error), &error);
  assert_int_equal(model.nstate, N);
  assert_int_equal(model.ny, 1);
  const int entries = system.J.start[system.J.cols];
  say("50 states: %d entries\n", entries);
  assert_true(entries < 3 * N + 60);
  fly_system_free(&system);
  fly_model_free(&model);
  fly_spec_free(&spec);
}

// ------------------------------------------------------------------------------------------ refused

static const struct refused {
  const char *block, *says;
} REFUSED[] = {
    {"{type: transfer, numerator: [1, 0, 0], denominator: [1, 2], input: 1}",
     "numerator has degree 2, its denominator only 1"},
    {"{type: transfer, numerator: [1], denominator: [0, 0], input: 1}", "'denominator' is 0"},
    {"{type: transfer, numerator: [1, 0], denominator: [1, 1], input: 1, start: 2}", "at rest that is always 0"},
    {"{type: transfer, numerator: [1], denominator: [1, 1], input: nothing}", "nothing"},
    {"{type: transfer, numerator: [1], denominator: [1, 1], input: 1, first: 2}", "needs 'every'"},
    {"{type: transfer, numerator: [1], denominator: [1, 1], input: 1, every: 0}", "'every' must be positive"},
    {"{type: state-space, A: [[1, 2]], B: [1], inputs: 1}", "'A' is 1 x 2, and must be 1 x 1"},
    {"{type: state-space, A: [[1, 2], [3]], B: [1, 1], inputs: 1}", "every row of a matrix"},
    {"{type: state-space, A: [[1, 2], [3, 4]], B: [1, 1, 1], inputs: 1}", "'B' is 3 x 1, and must be 2 x 1"},
    {"{type: state-space, A: [[1, 2], [3, 4]], B: [1, 1], inputs: [1, 2]}", "'B' is 2 x 1, and must be 2 x 2"},
    {"{type: state-space, A: 1, B: 1, C: [1, 2], inputs: 1}", "'C' is 1 x 2, and must be 1 x 1"},
    {"{type: state-space, A: 1, B: 1, D: [1, 2], inputs: 1}", "'D' is 2 x 1, and must be 1 x 1"},
    {"{type: state-space, A: 1, B: 1, start: [1, 2], inputs: 1}", "'start' has 2 numbers for 1 states"},
    {"{type: state-space, A: {file: a.csv}, B: 1, inputs: 1}", "only a model in a file can name others"},
    {"{type: state-space, A: {name: a.csv}, B: 1, inputs: 1}", "{file: matrix.csv}"},
    {"{type: state-space, A: ~, B: 1, inputs: 1}", "takes a matrix"},
    {"{type: transfre}", "Did you mean 'transfer'?"},
};

static void what_is_refused(void **state) {
  for (size_t k = 0; k < sizeof REFUSED / sizeof *REFUSED; k++) {
    char text[1000];
    fly_mechanism *m = NULL;
    fly_error error = {0};
    snprintf(text, sizeof text, RUN_BEGINS "blocks:\n  b: %s\n", REFUSED[k].block);
    const fly_status status = fly_mechanism_parse(&m, "test", text, strlen(text), 0, NULL, &error);
    if (status != FLY_BAD_INPUT || !strstr(error.message, REFUSED[k].says))
      fail_msg("%s: status %d, %s", REFUSED[k].block, (int)status, error.message);
    fly_mechanism_free(m);
  }
}

// ------------------------------------------------------------------------------------------ functions

// A cart pushed by noise: its samples' cubics, integrated twice in closed form.
static void noise_is_followed(void **state) {
  static const char text[] = "forces: {push: {type: force, at: cart, force: [\"10*noise(time, 3, 0.05)\", 0, 0]}}\n"
                             "variables: {n: \"noise(time, 3, 0.05)\"}\n";
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-6, 2, 0.05, "cart.x n");
    double x = 0.5, v = 0;
    for (int i = 0; i < 40; i++) {
      double y[4];
      const double h = 0.05;
      assert_close(row_of(&d, i)[1], x, 2e-6);
      fly_noise_evaluate(y, 3, i);
      assert_close(row_of(&d, i)[2], y[0], 1e-9);
      x += h * v + 5 * h * h * (y[0] / 2 + y[1] / 6 + y[2] / 24 + y[3] / 120);
      v += 5 * h * (y[0] + y[1] / 2 + y[2] / 6 + y[3] / 24);
    }
    driven_free(&d);
  }
}

// A spring whose force is a surface over place and velocity: that of a product, which both surfaces hold exactly.
static void a_surface_pushes(void **state) {
  for (int cubic = 0; cubic < 2; cubic++)
    for (int k = 0; k < METHOD_COUNT; k++) {
      char text[500];
      snprintf(
          text, sizeof text,
          "tables: {map: {x: [-2, 0, 1, 2], y: [-3, 0, 3], values: [[6, 0, -3, -6], [0, 0, 0, 0], [-6, 0, 3, 6]]}}\n"
          "forces: {push: {type: force, at: cart, force: [\"-8*dx(cart) - %s(dx(cart), vx(cart), map)\", 0, 0]}}\n",
          cubic ? "cubic2" : "linear2");
      driven a = run_well(text, METHODS[k], 1e-7, 2, 0.1, "cart.x");
      driven b = run_well("forces: {push: {type: force, at: cart, force: [-8*dx(cart) - dx(cart)*vx(cart), 0, 0]}}\n",
                          METHODS[k], 1e-7, 2, 0.1, "cart.x");
      for (long r = 0; r < a.rows; r++)
        assert_close(row_of(&a, r)[1], row_of(&b, r)[1], 4e-7);
      driven_free(&a);
      driven_free(&b);
    }
}

// ------------------------------------------------------------------------------------------ files

static char folder[] = "/tmp/flyball-blocks-XXXXXX";

static int make_folder(void **state) { return mkdtemp(folder) == NULL; }

static int remove_folder(void **state) {
  char line[100];
  snprintf(line, sizeof line, "rm -r '%s'", folder);
  return system(line); // NOLINT(cert-env33-c)
}

static void put_file(const char *name, const char *text) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static fly_status load(const char *matrix, fly_spec *spec, fly_error *error) {
  char path[200];
  put_file("a", matrix);
  put_file("model.yaml", RUN_BEGINS "blocks:\n  b: {type: state-space, A: {file: a}, B: [1, 0], inputs: 1}\n");
  snprintf(path, sizeof path, "%s/model.yaml", folder);
  return fly_model_read(spec, path, 0, NULL, error);
}

static void matrices_from_files(void **state) {
  static const struct {
    const char *text, *says; // NULL: 1 2; 3 -4, or its symmetric part
    double entry[4];
  } files[] = {
      {"1,2\n3,-4\n", NULL, {1, 2, 3, -4}},
      {"# named\n 1; 2\r\n3;-4", NULL, {1, 2, 3, -4}},
      {"1 2\n\n3\t-4\n", NULL, {1, 2, 3, -4}},
      {"%%MatrixMarket matrix coordinate real general\n% c\n2 2 3\n1 1 1\n2 1 3\n2 2 -4\n", NULL, {1, 0, 3, -4}},
      {"%%MatrixMarket matrix array integer general\n2 2\n1\n3\n2\n-4\n", NULL, {1, 2, 3, -4}},
      {"%%MatrixMarket matrix array real symmetric\n2 2\n1\n3\n-4\n", NULL, {1, 3, 3, -4}},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n", NULL, {0, -3, 3, 0}},
      {"1,2\n3\n", "another number of columns", {0}},
      {"1,2\n3,4,5\n", "another number of columns", {0}},
      {"1,2\n3,x\n", "a number is expected", {0}},
      {"\n# nothing\n", "has no numbers", {0}},
      {"%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 1 0\n", "those are read that begin", {0}},
      {"%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n", "a whole number in range", {0}},
      {"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n", "a whole number in range", {0}},
      {"%%MatrixMarket matrix coordinate real general\n99999 99999 1\n1 1 1\n", "a whole number in range", {0}},
      {"%%MatrixMarket matrix array real symmetric\n2 3\n1\n", "is square", {0}},
      {"1,2,3\n3,4,5\n", "'A' is 2 x 3, and must be 2 x 2", {0}},
  };
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    fly_spec spec;
    fly_error error = {0};
    const fly_status status = load(files[k].text, &spec, &error);
    if (files[k].says) {
      if (status != FLY_BAD_INPUT || !strstr(error.message, files[k].says))
        fail_msg("%s: %s", files[k].text, error.message);
      continue;
    }
    assert_ok(status, &error);
    const fly_value *A = fly_item_value(fly_spec_find(&spec, "blocks", "b"), "A");
    assert_int_equal(A->columns, 2);
    for (int i = 0; i < 4; i++)
      assert_true(A->number[i] == files[k].entry[i]);
    fly_spec_free(&spec);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(blocks_are_states),
      cmocka_unit_test(samples_are_exact),
      cmocka_unit_test(a_controller_of_1_kHz),
      cmocka_unit_test(an_unstable_loop_is_named),
      cmocka_unit_test(fifty_states_stay_sparse),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(noise_is_followed),
      cmocka_unit_test(a_surface_pushes),
      cmocka_unit_test(matrices_from_files),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
