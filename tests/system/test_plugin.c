// Plugins: the example is built by its Makefile, allowed, run, and compared with the same model in the language; its
// Jacobian and that by differences; versions, failures and what is not finite are named.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include "base/check.h"

#include <unistd.h>

#include "flyball/model.h"
#include "math/so3.h"
#include "system/machine.h"

static char folder[] = "/tmp/flyball-plugin-XXXXXX";

static void command(const char *format, const char *a, const char *b) {
  char line[3000];
  snprintf(line, sizeof line, format, a, b);
  if (system(line) != 0) // NOLINT(cert-env33-c)
    fail_msg("%s", line);
}

static int make_folder(void **state) {
  if (mkdtemp(folder) == NULL)
    return 1;
  command("make -s -C '%2$s' OUT='%1$s' && cp '%2$s/motor.yaml' '%1$s'", folder,
          FLY_TEST_SOURCE_DIR "/examples/plugin");
  return 0;
}

static int remove_folder(void **state) {
  command("rm -r '%s'%s", folder, "");
  return 0;
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

// ------------------------------------------------------------------------------------------ runs

static fly_status run(const char *model, const char *method, const char *channel, double *at_end, fly_error *error) {
  fly_load_options load = fly_load_options_default();
  fly_run_options o = fly_run_options_default();
  fly_mechanism *m = NULL;
  fly_run *r = NULL;
  load.plugins = true;
  o.method.name = method;
  o.estimate_error = "no";
  fly_status status = fly_mechanism_load_with(&m, path_of(model), &load, error);
  if (status == FLY_OK)
    status = fly_run_create(&r, m, &o, error);
  if (status == FLY_OK)
    status = fly_run_start(r, error);
  if (status == FLY_OK)
    status = fly_run_go(r, error);
  if (status == FLY_OK) {
    assert_true(fly_run_channel(r, channel) > 0);
    *at_end = fly_run_ledger(r).kinetic;
  }
  fly_run_free(r);
  fly_mechanism_free(m);
  return status;
}

// The motor of the example in the language.
static const char SAME[] =
    "flyball: 1\nbodies: {wheel: {type: planar, mass: 1, inertia: 0.05, position: [0, 0]}}\n"
    "joints: {axle: {type: revolute, bodies: [ground, wheel], at: [0, 0, 0]}}\n"
    "states: {i: {rate: '(fuse*if(time < 1, 24, 60) - 0.5*axle.w - 2*i)/0.01'}}\nheld: {fuse: 1}\n"
    "events: {blow: {when: i > 13, set: {fuse: 0}}}\n"
    "forces: {torque: {type: force, at: wheel, torque: [0, 0, 0.5*i - 0.02*axle.w]}}\n"
    "simulate: {end: 2, output: 0.005, error: 1e-6}\n";

static void the_example(void **state) {
  static const char *const methods[] = {"ch", "radau"};
  put_file("same.yaml", SAME);
  for (int k = 0; k < 2; k++) {
    double a = 0, b = 1;
    fly_error error = {0};
    assert_ok(run("motor.yaml", methods[k], "motor.y", &a, &error), &error);
    assert_ok(run("same.yaml", methods[k], "i", &b, &error), &error);
    say("%s: kinetic energy %.12g, %.12g\n", methods[k], a, b);
    assert_true(b > 1e-3);
    assert_close(a, b, 1e-6 * b);
  }
}

static void not_without_leave(void **state) {
  fly_mechanism *m = NULL;
  fly_error error = {0};
  assert_int_equal(fly_mechanism_load(&m, path_of("motor.yaml"), 0, NULL, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "say --allow-plugins"));
  static const char text[] = "flyball: 1\nblocks: {p: {type: plugin, file: motor.so}}\n";
  assert_int_equal(fly_mechanism_parse(&m, "text", text, strlen(text), 0, NULL, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "only a model in a file can name others"));
}

// ------------------------------------------------------------------------------------------ derivatives

// A system of three inputs and two states that is not linear, with and without its Jacobian.
static const char CURVED[] =
    "#include <flyball/plugin.h>\n#include <math.h>\n"
    "static int evaluate(void *self, const fly_plugin_at *at, double *xdot, double *y, double *root) {\n"
    "  const double *u = at->u, *x = at->x;\n  (void)self, (void)root;\n"
    "  xdot[0] = sin(u[0]) * x[1] - x[0] + at->t;\n  xdot[1] = u[1] * u[2] - x[1] * x[0];\n"
    "  y[0] = exp(-u[0] * u[0]) + x[0] * x[1];\n  y[1] = u[2] + 0.1 * x[1] * u[1];\n  return 0;\n}\n"
    "static int jacobian(void *self, const fly_plugin_at *at, double *J) {\n"
    "  const double *u = at->u, *x = at->x;\n  (void)self;\n"
    "  const double rows[] = {cos(u[0]) * x[1], 0, 0, -1, sin(u[0]), 0, u[2], u[1], -x[1], -x[0],\n"
    "    -2 * u[0] * exp(-u[0] * u[0]), 0, 0, x[1], x[0], 0, 0.1 * x[1], 1, 0, 0.1 * u[1]};\n"
    "  for (int k = 0; k < 20; k++)\n    J[k] = rows[k];\n  return 0;\n}\n"
    "static const double size[] = {1, 1, 1};\n"
    "static const fly_plugin plugin = {.version = FLYBALL_PLUGIN_VERSION, .inputs = 3, .states = 2, .outputs = 2,\n"
    "  .input_size = size, .evaluate = evaluate, .jacobian = JACOBIAN};\n"
    "const fly_plugin *flyball_plugin(void) { return &plugin; }\n";

static const char CURVED_MODEL[] =
    "flyball: 1\nbodies:\n  a: {mass: 1.3, inertia: [0.4, 0.5, 0.6], position: [0.4, 0, 0.1]}\n"
    "  b: {type: point, mass: 0.7, position: [-0.4, 0.5, 0.2]}\n"
    "blocks: {p: {type: plugin, file: curved.so, inputs: ['dx(a, b)', vy(a)*p.y2 + accz(b), 0.3*sin(time) + p.x1]}}\n"
    "forces: {f: {type: force, at: a, against: b, force: [p.y1, 2*p.y2, p.x2]}}\n";

static void compile_plugin(const char *source, const char *library, const char *flags) {
  char line[2000];
  put_file("source.c", source);
  snprintf(line, sizeof line, "cc -std=c17 -fPIC -shared -I'%s/include' %s -o '%s/%s' '%s/source.c' -lm",
           FLY_TEST_SOURCE_DIR, flags, folder, library, folder);
  command("%s%s", line, "");
}

static void fill(double *x, int count, uint64_t *seed) {
  for (int k = 0; k < count; k++)
    x[k] = random_double(seed);
}

static void jacobians_hold(void **state) {
  static const char *const flags[] = {"-DJACOBIAN=jacobian", "-DJACOBIAN=0 -Wno-unused-function"};
  put_file("curved.yaml", CURVED_MODEL);
  for (int own = 0; own < 2; own++) {
    fly_error error = {0};
    machine *m = calloc(1, sizeof *m);
    uint64_t seed = 5;
    assert_non_null(m);
    compile_plugin(CURVED, "curved.so", flags[own]);
    assert_ok(fly_model_read_with(&m->spec, path_of("curved.yaml"), &(fly_read_options){.plugins = true}, &error),
              &error);
    machine_compile(m);
    machine_all_rows(m);
    for (int trial = 0; trial < 10; trial++) {
      double q[10], v[9], a[9], x[2], slope[2], y[20];
      fly_derivative_check check;
      assert_true(m->model.nq == 10 && m->model.nv == 9 && m->model.nstate == 2 && m->model.ny <= 20);
      fill(q, 10, &seed), fill(v, 9, &seed), fill(a, 9, &seed), fill(x, 2, &seed), fill(slope, 2, &seed);
      fill(y, 20, &seed);
      fly_quat_normalize(q + m->system.rotation_q[0]);
      const fly_dae_state at = {.t = 0.3, .q = q, .v = v, .vdot = a, .x = x, .xdot = slope, .y = y};
      assert_ok(fly_dae_check(&check, &m->system.dae, &at, &error), &error);
      say("%s: %.1e\n", flags[own], check.worst);
      assert_true(check.worst < 1e-6);
    }
    machine_free(m);
  }
}

// ------------------------------------------------------------------------------------------ faults

static const char FAULTY[] =
    "#include <flyball/plugin.h>\n#include <math.h>\n"
    "static int evaluate(void *self, const fly_plugin_at *at, double *xdot, double *y, double *root) {\n"
    "  (void)self, (void)root, (void)xdot;\n  y[0] = at->t > 0.5 ? NAN_OR : 1.0;\n"
    "  return at->t > 0.5 ? CODE : 0;\n}\n"
    "static const fly_plugin plugin = {.version = VERSION, .outputs = 1, .roots = ROOTS, .evaluate = evaluate};\n"
    "const fly_plugin *flyball_plugin(void) { return &plugin; }\n";

static void faults_are_named(void **state) {
  static const char model[] =
      "flyball: 1\nbodies: {a: {type: point, mass: 1}}\nblocks: {p: {type: plugin, file: faulty.so%s}}\n"
      "forces: {f: {type: force, at: a, force: [p.y, 0, 0]}}\nsimulate: {end: 1, error: 1e-4}\n";
  static const struct {
    const char *flags, *more, *says;
  } list[] = {
      {"-DVERSION=1 -DROOTS=0 -DCODE=7 -DNAN_OR=1.0", "", "the plugin `p` (faulty.so) fails with 7 at t = 0.5"},
      {"-DVERSION=1 -DROOTS=0 -DCODE=0 -DNAN_OR=NAN", "", "gives a number that is not finite at t = 0.5"},
      {"-DVERSION=2 -DROOTS=0 -DCODE=0 -DNAN_OR=1.0", "", "is a plugin of version 2, and this program takes version 1"},
      {"-DVERSION=1 -DROOTS=1 -DCODE=0 -DNAN_OR=1.0", "", "it has roots, but no `event`"},
      {"-DVERSION=1 -DROOTS=0 -DCODE=0 -DNAN_OR=1.0", ", inputs: 3", "it takes 0 inputs, and has 1"},
      {"-DVERSION=1 -DROOTS=0 -DCODE=0 -DNAN_OR=1.0", ", parameters: {R: 3}", "it has no parameter 'R'"},
      {"-DVERSION=1 -DROOTS=0 -DCODE=0 -DNAN_OR=1.0 -Dflyball_plugin=other", "", "cannot be loaded"},
  };
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    char text[1000];
    double unused;
    fly_error error = {0};
    compile_plugin(FAULTY, "faulty.so", list[k].flags);
    snprintf(text, sizeof text, model, list[k].more);
    put_file("faulty.yaml", text);
    const fly_status status = run("faulty.yaml", "ch", "p.y", &unused, &error);
    if (status == FLY_OK || !strstr(error.message, list[k].says))
      fail_msg("%s: %s", list[k].flags, error.message);
  }
}

// The second of two fails: the first is destroyed, and only it.
static const char RELUCTANT[] =
    "#include <flyball/plugin.h>\n#include <stdlib.h>\n"
    "static int created;\n"
    "static int create(void **self, const double *parameter) {\n  (void)parameter;\n"
    "  if (created++)\n    return 5;\n  *self = malloc(1);\n  return 0;\n}\n"
    "static void destroy(void *self) {\n  if (!self)\n    abort();\n  free(self);\n}\n"
    "static int evaluate(void *self, const fly_plugin_at *at, double *xdot, double *y, double *root) {\n"
    "  (void)self, (void)at, (void)xdot, (void)root;\n  y[0] = 1;\n  return 0;\n}\n"
    "static const fly_plugin plugin = {.version = FLYBALL_PLUGIN_VERSION, .outputs = 1, .create = create,\n"
    "  .destroy = destroy, .evaluate = evaluate};\n"
    "const fly_plugin *flyball_plugin(void) { return &plugin; }\n";

static void a_plugin_may_refuse_to_be_created(void **state) {
  double unused;
  fly_error error = {0};
  compile_plugin(RELUCTANT, "reluctant.so", "");
  put_file("reluctant.yaml",
           "flyball: 1\nbodies: {a: {type: point, mass: 1}}\n"
           "blocks: {p: {type: plugin, file: reluctant.so}, q: {type: plugin, file: reluctant.so}}\n"
           "forces: {f: {type: force, at: a, force: [p.y + q.y, 0, 0]}}\nsimulate: {end: 1, error: 1e-4}\n");
  assert_int_equal(run("reluctant.yaml", "ch", "p.y", &unused, &error), FLY_CALLBACK);
  assert_non_null(strstr(error.message, "The plugin `q` refuses to be created: its `create` fails with 5."));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example),
      cmocka_unit_test(not_without_leave),
      cmocka_unit_test(jacobians_hold),
      cmocka_unit_test(faults_are_named),
      cmocka_unit_test(a_plugin_may_refuse_to_be_created),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
