// Every example runs to its end, here with a larger error than it asks for, and says whence it is and what it shows;
// those that are made of repetitions are what they should be in other sizes.
// timeout: 400
#include "flyball/model.h"
#include "system/machine.h"

#include <dirent.h>

#define EXAMPLES FLY_TEST_SOURCE_DIR "/examples/"

typedef struct finished {
  fly_status status;
  fly_error error;
  fly_mechanism_info info;
  fly_certificate certificate;
} finished;

static finished run_example(const char *name, const char *set, double end, double error) {
  char path[1000];
  fly_mechanism *m = NULL;
  fly_run *r = NULL;
  finished f = {.status = FLY_OK};
  fly_run_options o = fly_run_options_default();
  o.error = error;
  o.end = end;
  snprintf(path, sizeof path, EXAMPLES "%s", name);
  f.status = fly_mechanism_load(&m, path, set != NULL, &set, &f.error);
  if (f.status == FLY_OK)
    f.status = fly_run_create(&r, m, &o, &f.error);
  if (f.status == FLY_BAD_INPUT && r == NULL && m != NULL) { // it has a fixed step
    o.error = NAN;
    f.status = fly_run_create(&r, m, &o, &f.error);
  }
  if (f.status == FLY_OK)
    f.status = fly_run_start(r, &f.error);
  if (f.status == FLY_OK)
    f.status = fly_run_go(r, &f.error);
  if (r != NULL) {
    f.info = fly_run_info(r);
    f.certificate = fly_run_certificate(r);
  }
  fly_run_free(r);
  fly_mechanism_free(m);
  return f;
}

// "# source ... Shows: ..." before the model.
static void check_head(const char *name) {
  char path[1000], head[2000] = "", line[500];
  snprintf(path, sizeof path, EXAMPLES "%s", name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  while (fgets(line, sizeof line, file) && line[0] == '#')
    strncat(head, line, sizeof head - strlen(head) - 1);
  fclose(file);
  if (strstr(head, "Shows: ") == NULL || strncmp(head, "# Shows", 7) == 0)
    fail_msg("%s does not say whence it is and what it shows", name);
}

static void every_example_runs(void **state) {
  DIR *folder = opendir(EXAMPLES);
  int count = 0;
  assert_non_null(folder);
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    const char *end = strrchr(entry->d_name, '.');
    if (end == NULL || strcmp(end, ".yaml") != 0)
      continue;
    const bool long_one = strcmp(entry->d_name, "car.yaml") == 0;
    finished f = run_example(entry->d_name, NULL, long_one ? 1.5 : (double)NAN, 1e-4);
    say("%s: %.1e m\n", entry->d_name, f.certificate.position);
    if (f.status != FLY_OK)
      fail_msg("%s: %s", entry->d_name, f.error.message);
    assert_at_most(f.certificate.position, 1e-7);
    if (!(f.certificate.start_position <= 1e-5))
      fail_msg("%s: moved by %g at its start", entry->d_name, f.certificate.start_position);
    check_head(entry->d_name);
    count++;
  }
  closedir(folder);
  assert_true(count >= 20);
}

// The list that the project promises.
static void the_promised_ones_are_there(void **state) {
  static const char *const names[] = {
      "simple-pendulum",   "double-pendulum",      "n-pendulum",         "four-bar", "n-four-bar",       "slider-crank",
      "seven-body-planar", "spatial-slider-crank", "seven-body-spatial", "bricard",  "governor",         "heavy-top",
      "t-handle",          "screw-jack",           "universal-joint",    "chain",    "suspension-corner"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    char path[1000];
    snprintf(path, sizeof path, EXAMPLES "%s.yaml", names[k]);
    FILE *file = fopen(path, "r");
    if (file != NULL)
      fclose(file);
    else
      fail_msg("there is no example %s", names[k]);
  }
}

static void assert_size(const char *name, const char *set, double end, int bodies, int freedom) {
  finished f = run_example(name, set, end, 1e-4);
  if (f.status != FLY_OK)
    fail_msg("%s: %s", name, f.error.message);
  assert_int_equal(f.info.bodies, bodies);
  assert_int_equal(f.info.coordinates - f.info.rank, freedom);
  assert_int_equal(f.info.redundant, 0);
  assert_at_most(f.certificate.energy_drift, 1e-3);
}

static void other_sizes(void **state) {
  assert_size("n-four-bar.yaml", "N=40", 0.1, 81, 1);
  assert_size("n-four-bar.yaml", "N=1", 0.1, 3, 1);
  assert_size("n-pendulum.yaml", "N=1", 0.1, 1, 1);
  assert_size("n-pendulum.yaml", "N=30", 0.02, 30, 30);
  assert_size("chain.yaml", "n=1", 0.1, 1, 3);
  assert_size("chain.yaml", "n=100", 0.01, 100, 300);
  assert_size("chain.yaml", "hinged=1", 0.1, 10, 10);
}

// The bars of A02 stay parallel, and the tip is where the exact motion has it, up to the first singular position.
static void four_bars_against_the_exact_motion(void **state) {
  for (int n = 2; n <= 40; n += 38) {
    char file[1000], set[20];
    const char *const sets[] = {set};
    const double k = 3.0 * (3 * n + 1) / (2.0 * (4 * n + 1)) * 9.81, end = 0.7, h = 1e-4;
    fly_error error = {0};
    machine *m = calloc(1, sizeof *m);
    double theta = 0, w = 1;
    for (int i = 0; i < 7000; i++) { // Stoermer and Verlet's rule
      w += h / 2 * k * sin(theta);
      theta += h * w;
      w += h / 2 * k * sin(theta);
    }
    snprintf(file, sizeof file, EXAMPLES "n-four-bar.yaml");
    snprintf(set, sizeof set, "N=%d", n);
    assert_non_null(m);
    assert_ok(fly_model_read(&m->spec, file, 1, sets, &error), &error);
    machine_compile(m);
    machine_start(m, 1e-6, end);
    fly_dae_state at = machine_at(m, end);
    say("N = %d: tip off by %.1e, %.1e\n", n, machine_output(m, &at, "x") - sin(theta),
        machine_output(m, &at, "y") - cos(theta));
    assert_close(machine_output(m, &at, "x"), sin(theta), 1e-5);
    assert_close(machine_output(m, &at, "y"), cos(theta), 1e-5);
    assert_close(machine_output(m, &at, "parallel"), 0, 1e-9);
    machine_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_example_runs),
      cmocka_unit_test(the_promised_ones_are_there),
      cmocka_unit_test(other_sizes),
      cmocka_unit_test(four_bars_against_the_exact_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
