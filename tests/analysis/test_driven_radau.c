// Mechanisms whose motion is given altogether, with Radau: the constraints determine every position, no error adds up,
// and steps are as long as the motions allow.
//
// labels: slow
#define _POSIX_C_SOURCE 200809L
#include "analysis/simulation.h"

enum { LINKS = 3, ROWS = 100 };
static const double END = 5;

typedef struct part {
  double length, turned, swing, rate; // the joint's angle: turned + swing sin(rate t)
} part;

typedef struct arm {
  int count;
  part link[LINKS];
} arm;

static double random_between(unsigned *seed, double a, double b) {
  *seed = *seed * 1664525u + 1013904223u;
  return a + (b - a) * (double)*seed / 4294967296.0;
}

static arm random_arm(unsigned *seed) {
  arm a = {.count = 1 + (int)random_between(seed, 0, LINKS)};
  for (int i = 0; i < a.count; i++)
    a.link[i] = (part){random_between(seed, 0.3, 1.2), random_between(seed, -1, 1), random_between(seed, 0.2, 2),
                       random_between(seed, 0.5, 8)};
  return a;
}

static void write_arm(FILE *f, const arm *a) {
  double x = 0, y = 0, angle = 0;
  fprintf(f, "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n");
  for (int i = 0; i < a->count; i++) {
    const part *l = &a->link[i];
    angle += l->turned;
    fprintf(f,
            "  b%d: {type: planar, mass: 1, inertia: 0.1, position: [%.17g, %.17g], angle: %.17g, markers: {a: "
            "[%.17g, 0], b: [%.17g, 0]}}\n",
            i, x + l->length / 2 * cos(angle), y + l->length / 2 * sin(angle), angle, -l->length / 2, l->length / 2);
    x += l->length * cos(angle);
    y += l->length * sin(angle);
  }
  fprintf(f, "joints:\n  j0: {type: revolute, from: ground, to: b0.a}\n");
  for (int i = 1; i < a->count; i++)
    fprintf(f, "  j%d: {type: revolute, from: b%d.b, to: b%d.a}\n", i, i - 1, i);
  fprintf(f, "motions:\n");
  for (int i = 0; i < a->count; i++)
    fprintf(f, "  m%d: {joint: j%d, angle: %.17g + %.17g*sin(%.17g*time)}\n", i, i, a->link[i].turned, a->link[i].swing,
            a->link[i].rate);
}

// Largest error of the last link's angle over all rows, over the error asked for.
static double error_over_asked(const arm *a, double error) {
  char text[4000] = "", name[20];
  FILE *f = fmemopen(text, sizeof text, "w");
  write_arm(f, a);
  fclose(f);
  simulation s = simulation_default(END, 0);
  s.options.step = NAN;
  s.options.error = error;
  s.options.output = END / ROWS;
  s.options.method.name = "radau";
  fly_result *r = simulate_into_folder(&s, text);
  snprintf(name, sizeof name, "b%d.angle", a->count - 1);
  double *angle = read_channel(r, name), *time = read_channel(r, "time"), largest = 0;
  for (int k = 0; k <= ROWS; k++) {
    double truth = 0;
    for (int i = 0; i < a->count; i++)
      truth += a->link[i].turned + a->link[i].swing * sin(a->link[i].rate * time[k]);
    largest = fmax(largest, fabs(angle[k] - truth));
  }
  say("%d links, %.0e: %.2g of it\n", a->count, error, largest / error);
  free(angle);
  free(time);
  fly_result_close(r);
  simulation_free(&s);
  return largest / error;
}

// A contraction of 1e-13, seen in one step, let the next one pass with positions off by 1e-2 of the error; behind it
// the step had to make up for that, and no step was small enough. Half of these runs ended so.
static void test_driven_arms(void **state) {
  unsigned seed = 1;
  for (int k = 0; k < 8; k++) {
    const arm a = random_arm(&seed);
    for (double error = 1e-3; error > 0.9e-10; error *= 0.1)
      assert_at_most(error_over_asked(&a, error) * error, 1e-11); // between steps and at their ends, the last row's too
  }
}

// Angles from tables, whose third derivatives jump at every knot.
static const char by_tables[] =
    "flyball: 1\n"
    "tables:\n"
    "  first: {x: [0, 0.5, 1, 1.5, 2], y: [0.3, 0.7, 1.4, 1.5, 1.2]}\n"
    "  second: {x: [0, 0.6, 1.2, 2], y: [1, 0.3, -0.5, -0.8]}\n"
    "bodies:\n"
    "  a: {type: planar, mass: 4, inertia: 0.1, center: [0.25, 0], angle: 0.3, markers: {end: [0.5, 0]}}\n"
    "  b: {type: planar, mass: 3, inertia: 0.1, center: [0.3, 0], position: [0.5*cos(0.3), 0.5*sin(0.3)], angle: 1.3}\n"
    "joints:\n"
    "  low: {type: revolute, from: ground, to: a}\n"
    "  high: {type: revolute, from: a.end, to: b}\n"
    "motions:\n"
    "  turn: {joint: low, angle: \"cubic(time, first)\"}\n"
    "  bend: {joint: high, angle: \"cubic(time, second)\"}\n";

static double *tip_of(const char *method, double error) {
  simulation s = simulation_default(2, 0);
  s.options.step = NAN;
  s.options.error = error;
  s.options.output = 2.0 / ROWS;
  s.options.method.name = method;
  fly_result *r = simulate_into_folder(&s, by_tables);
  double *x = read_channel(r, "b.x");
  fly_result_close(r);
  simulation_free(&s);
  return x;
}

// Between the ends of long steps the polynomial was 10 to 15 times the error asked for off.
static void test_tables(void **state) {
  double *truth = tip_of("partition", 1e-10);
  for (double error = 1e-4; error > 0.9e-8; error *= 0.1) {
    double *x = tip_of("radau", error), largest = 0;
    for (int k = 0; k <= ROWS; k++)
      largest = fmax(largest, fabs(x[k] - truth[k]));
    say("tables, %.0e: %.2g of it\n", error, largest / error);
    assert_at_most(largest, 2 * error);
    free(x);
  }
  free(truth);
}

static void keep_wrong(const double *row, void *user) {
  double *largest = user;
  *largest = fmax(*largest, fabs(row[2]));
}

// Rows at the ends of steps, the last one among them, were what an iteration had left that was good enough for a step.
static void test_ends_of_steps(void **state) {
  double largest = 0; // of the closed form's difference from where the piston is
  simulation s = {.options = fly_run_options_default()};
  s.options.error = 1e-3;
  s.options.method.name = "radau";
  s.options.output = 0.02;
  s.options.channels = "outputs";
  s.options.row = keep_wrong;
  s.options.user = &largest;
  simulate_file(&s, FLY_TEST_SOURCE_DIR "/examples/driven-slider-crank.yaml");
  assert_ok(s.status, &s.error);
  assert_at_most(largest, 1e-14);
  simulation_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_driven_arms), cmocka_unit_test(test_tables),
                                     cmocka_unit_test(test_ends_of_steps)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
