// What the report will show: in the scene of every example, written by a run, the two ends of a joint meet.
// labels: valgrind
// timeout: 120
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <unistd.h>

#include <cmocka.h>

#include "flyball/model.h"
#include "flyball/result.h"
#include "io/scene.h"
#include "io/tree.h"
#include "math/so3.h"

static char folder[] = "/tmp/flyball-scene-XXXXXX";

static int make_folder(void **state) { return mkdtemp(folder) == NULL; }

static int remove_folder(void **state) {
  char line[64];
  snprintf(line, sizeof line, "rm -r '%s'", folder);
  return system(line) != 0; // NOLINT(cert-env33-c)
}

static void in_folder(char path[200], const char *name) { snprintf(path, 200, "%s/%s", folder, name); }

static void write_file(const char *name, const char *text) {
  char path[200];
  in_folder(path, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

// ------------------------------------------------------------------------------------------ reading a scene

static const fly_tree_node *get(const fly_tree_node *node, const char *key) {
  const fly_tree_node *found = fly_tree_find(node, key);
  if (found == NULL)
    fail_msg("there is no '%s'", key);
  return found;
}

static const char *text_of(const fly_tree_node *node, const char *key) { return get(node, key)->text; }

static void numbers(double *out, const fly_tree_node *node, const char *key, int count) {
  const fly_tree_node *list = get(node, key);
  assert_int_equal(list->count, count);
  for (int k = 0; k < count; k++)
    assert_true(fly_tree_number(list->entry[k].value, &out[k]));
}

static double number(const fly_tree_node *node, const char *key) {
  double x = NAN;
  assert_true(fly_tree_number(get(node, key), &x));
  return x;
}

static const fly_tree_node *named(const fly_tree_node *list, const char *name) {
  for (int k = 0; k < list->count; k++)
    if (strcmp(text_of(list->entry[k].value, "name"), name) == 0)
      return list->entry[k].value;
  fail_msg("there is no '%s'", name);
  return NULL;
}

// A point of a body's frame in space: r + A (p - center).
static void to_space(double out[3], const fly_tree_node *scene, const char *body, const double p[3]) {
  const fly_tree_node *b = named(get(scene, "bodies"), body);
  double r[3] = {0}, center[3] = {0}, quaternion[4] = {1, 0, 0, 0}, d[3];
  if (strcmp(text_of(b, "kind"), "ground") != 0) {
    numbers(r, b, "position", 3);
    numbers(center, b, "center", 3);
    numbers(quaternion, b, "quaternion", 4);
  }
  for (int k = 0; k < 3; k++)
    d[k] = p[k] - center[k];
  fly_quat_rotate(out, quaternion, d);
  for (int k = 0; k < 3; k++)
    out[k] += r[k];
}

static void end_in_space(double out[3], const fly_tree_node *scene, const fly_tree_node *end) {
  double at[3];
  numbers(at, end, "at", 3);
  to_space(out, scene, text_of(end, "body"), at);
}

// z of an end in space.
static void axis_in_space(double out[3], const fly_tree_node *scene, const fly_tree_node *end) {
  const fly_tree_node *b = named(get(scene, "bodies"), text_of(end, "body"));
  double of_end[4], of_body[4] = {1, 0, 0, 0}, z[3];
  numbers(of_end, end, "quaternion", 4);
  if (strcmp(text_of(b, "kind"), "ground") != 0)
    numbers(of_body, b, "quaternion", 4);
  fly_quat_rotate(z, of_end, (const double[3]){0, 0, 1});
  fly_quat_rotate(out, of_body, z);
}

static bool is_one_of(const char *word, const char *const *list) {
  for (; *list != NULL; list++)
    if (strcmp(word, *list) == 0)
      return true;
  return false;
}

// The scene that a run of no length leaves behind. It has no rows, so it would not take the place of an earlier one.
static fly_tree *scene_of(const char *file) {
  char base[200], earlier[200], *bytes = NULL;
  size_t size;
  fly_mechanism *m = NULL;
  fly_run *run = NULL;
  fly_result *result = NULL;
  fly_tree *tree = NULL;
  fly_error error = {0};
  in_folder(base, "run");
  in_folder(earlier, "run.h5");
  remove(earlier);
  fly_run_options o = fly_run_options_default();
  o.out = base;
  o.hdf5 = true;
  o.end = 1;
  if (fly_mechanism_load(&m, file, 0, NULL, &error) || fly_run_create(&run, m, &o, &error) ||
      fly_run_start(run, &error))
    fail_msg("%s: %s", file, error.message);
  fly_run_free(run);
  fly_mechanism_free(m);
  if (fly_result_open(&result, base, &error) || fly_result_attachment(result, "scene.json", &bytes, &size, &error) ||
      fly_tree_parse(&tree, "scene.json", bytes, size, &error))
    fail_msg("%s: %s", file, error.message);
  free(bytes);
  fly_result_close(result);
  return tree;
}

// ------------------------------------------------------------------------------------------ tests

// A hinge that gives way has done so under what it carries.
static bool gives_way(const fly_tree_node *joint) {
  const fly_tree_node *data = get(joint, "data");
  return fly_tree_find(data, "compliance") != NULL || fly_tree_find(data, "rotational_compliance") != NULL;
}

static void check_joint(const fly_tree_node *scene, const fly_tree_node *joint, const char *file) {
  static const char *const meet[] = {"revolute", "fixed", "spherical", "universal", NULL};
  static const char *const aligned[] = {"revolute", "translational", "cylindrical", "screw",
                                        "parallel", "planar",        NULL};
  const fly_tree_node *ends = get(joint, "ends");
  const char *type = text_of(joint, "type");
  if (ends->count == 0) {
    assert_true(get(joint, "joints")->count > 0); // a coupler
    return;
  }
  double p[2][3], z[2][3];
  for (int k = 0; k < 2; k++) {
    end_in_space(p[k], scene, ends->entry[k].value);
    axis_in_space(z[k], scene, ends->entry[k].value);
  }
  const double allowed = gives_way(joint) ? 1e-3 : 1e-6, size = 1 + number(scene, "size");
  for (int k = 0; k < 3; k++) {
    if (is_one_of(type, meet) && fabs(p[0][k] - p[1][k]) > allowed * size)
      fail_msg("%s: the ends of %s are %g apart", file, text_of(joint, "name"), p[0][k] - p[1][k]);
    if (is_one_of(type, aligned) && fabs(z[0][k] - z[1][k]) > allowed)
      fail_msg("%s: the axes of %s differ by %g", file, text_of(joint, "name"), z[0][k] - z[1][k]);
  }
}

static void joints_of_examples_meet(void **state) {
  DIR *examples = opendir(FLY_TEST_SOURCE_DIR "/examples");
  assert_non_null(examples);
  int count = 0;
  for (struct dirent *entry; (entry = readdir(examples)) != NULL;) {
    char file[1000];
    if (strstr(entry->d_name, ".yaml") == NULL)
      continue;
    snprintf(file, sizeof file, "%s/examples/%s", FLY_TEST_SOURCE_DIR, entry->d_name);
    fly_tree *tree = scene_of(file);
    const fly_tree_node *joints = get(tree->root, "joints"), *forces = get(tree->root, "forces");
    for (int k = 0; k < joints->count; k++)
      check_joint(tree->root, joints->entry[k].value, entry->d_name);
    for (int k = 0; k < forces->count; k++)
      assert_true(
          get(forces->entry[k].value, "ends")->count + (fly_tree_find(forces->entry[k].value, "joint") != NULL) > 0);
    fly_tree_free(tree);
    count++;
  }
  closedir(examples);
  assert_true(count > 10);
}

static const char tetrahedron[] = "v 0 0 0\nv 1000 0 0\nv 0 1000 0\nv 0 0 1000\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static const char model[] =
    "flyball: 1\n"
    "name: </script><b>\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: {markers: {wall: [1, 2, 3]}, shapes: [{type: box, x: 1, y: 2, z: 0.1, at: [0, 0, -1]}]}\n"
    "  arm:\n"
    "    mass: 2\n"
    "    inertia: [1, 1, 1]\n"
    "    center: [0.5, 0, 0]\n"
    "    position: [0, 0, 1]\n"
    "    orientation: {axis: [0, 0, 1], angle: 90*deg}\n"
    "    color: steel\n"
    "    markers: {tip: [1, 0, 0]}\n"
    "    shapes:\n"
    "      - {type: tube, radius: 0.2, inner_radius: 0.1, length: 1, orientation: {axis: [0, 1, 0], angle: 90*deg}}\n"
    "      - {type: mesh, file: part.obj, scale: 0.001, at: [0, 0, 0.5]}\n"
    "  bob: {type: point, mass: 1, position: [0, 1, 0], shapes: [{type: sphere, radius: 0.1}]}\n"
    "joints:\n"
    "  pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 1], axis: [0, 0, 1]}\n"
    "motions:\n"
    "  drive: {joint: pin, angle: 2*time}\n"
    "forces:\n"
    "  rope: {type: spring, from: arm.tip, to: ground.wall, stiffness: 100}\n"
    "  coil: {type: torsion-spring, joint: pin, stiffness: 3}\n"
    "  push: {type: force, at: bob, force: [1, 0, 0], against: arm.tip}\n"
    "trails:\n"
    "  path: {of: arm.tip}\n";

static void everything_is_there(void **state) {
  char file[200];
  double x[4], p[3];
  write_file("model.yaml", model);
  write_file("part.obj", tetrahedron);
  in_folder(file, "model.yaml");
  fly_tree *tree = scene_of(file);
  const fly_tree_node *s = tree->root, *bodies = get(s, "bodies"), *arm = named(bodies, "arm");
  assert_string_equal(text_of(s, "name"), "</script><b>");
  assert_string_equal(text_of(s, "planar"), "false");
  numbers(x, s, "gravity", 3);
  assert_true(x[2] == -9.81);
  assert_int_equal(bodies->count, 3);
  assert_string_equal(text_of(bodies->entry[0].value, "name"), "ground");
  assert_int_equal(get(bodies->entry[0].value, "shapes")->count, 1);
  numbers(x, get(bodies->entry[0].value, "shapes")->entry[0].value, "size", 3);
  assert_true(x[0] == 1 && x[1] == 2 && x[2] == 0.1);

  assert_string_equal(text_of(arm, "kind"), "rigid");
  assert_string_equal(text_of(arm, "color"), "#9aa7b4");
  assert_int_equal(number(arm, "line"), 6);
  assert_string_equal(text_of(arm, "file"), "model.yaml");
  assert_true(number(get(arm, "data"), "mass") == 2);
  numbers(x, arm, "position", 3); // the mass centre
  assert_true(fabs(x[0]) < 1e-12 && fabs(x[1] - 0.5) < 1e-12 && x[2] == 1);
  to_space(p, s, "arm", (double[]){1, 0, 0});
  assert_true(fabs(p[0]) < 1e-12 && fabs(p[1] - 1) < 1e-12 && fabs(p[2] - 1) < 1e-12);

  const fly_tree_node *tube = get(arm, "shapes")->entry[0].value, *mesh = get(arm, "shapes")->entry[1].value;
  assert_string_equal(text_of(tube, "type"), "tube");
  assert_string_equal(text_of(tube, "color"), "#9aa7b4");
  assert_true(number(tube, "radius") == 0.2 && number(tube, "inner") == 0.1 && number(tube, "length") == 1);
  numbers(x, tube, "quaternion", 4);
  fly_quat_rotate(p, x, (double[]){0, 0, 1});
  assert_true(fabs(p[0] - 1) < 1e-12);
  assert_string_equal(text_of(mesh, "type"), "mesh");
  assert_true(number(mesh, "scale") == 0.001);
  assert_int_equal(get(mesh, "vertices")->count, 12);
  assert_int_equal(get(mesh, "triangles")->count, 12);

  assert_string_equal(text_of(named(get(s, "motions"), "drive"), "joint"), "pin");
  assert_string_equal(text_of(get(named(get(s, "motions"), "drive"), "data"), "angle"), "2*time");
  const fly_tree_node *rope = get(named(get(s, "forces"), "rope"), "ends");
  assert_int_equal(rope->count, 2);
  assert_string_equal(text_of(rope->entry[0].value, "marker"), "tip");
  end_in_space(p, s, rope->entry[1].value);
  assert_true(p[0] == 1 && p[1] == 2 && p[2] == 3);
  assert_string_equal(text_of(named(get(s, "forces"), "coil"), "joint"), "pin");
  const fly_tree_node *push = get(named(get(s, "forces"), "push"), "ends");
  assert_string_equal(text_of(push->entry[0].value, "body"), "bob");
  assert_string_equal(text_of(push->entry[1].value, "body"), "arm");
  const fly_tree_node *path = named(get(s, "trails"), "path");
  numbers(x, path, "at", 3);
  assert_string_equal(text_of(path, "body"), "arm");
  assert_true(x[0] == 1);
  fly_tree_free(tree);
}

static void check_refused(const char *shape, const char *says) {
  char text[500], file[200];
  fly_mechanism *m;
  fly_error error = {0};
  snprintf(text, sizeof text, "flyball: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], shapes: [%s]}\n", shape);
  write_file("bad.yaml", text);
  in_folder(file, "bad.yaml");
  assert_int_equal(fly_mechanism_load(&m, file, 0, NULL, &error), FLY_BAD_INPUT);
  if (strstr(error.message, says) == NULL)
    fail_msg("'%s' is not in: %s", says, error.message);
}

static void bad_meshes_are_named(void **state) {
  write_file("notes.stl", "this is not a mesh\n");
  check_refused("{type: mesh, file: none.stl}", "bad.yaml:3:64: the mesh cannot be read: ");
  check_refused("{type: mesh, file: none.stl}", "none.stl: there is no such file.");
  check_refused("{type: mesh, file: notes.stl}", "neither STL nor OBJ");
  check_refused("{type: mesh}", "'file' of this mesh is missing");
  check_refused("{type: mesh, file: part.obj, density: 1}", "a mesh takes no 'density'");
  check_refused("{type: mesh, file: part.obj, scale: 0}", "scale");
  check_refused("{type: mash, file: part.obj}", "Did you mean 'mesh'?");
}

// The words of the model language have colors.
static void all_colors_are_known(void **state) {
  const fly_element_type *type = fly_element_type_find("bodies", "rigid");
  const char *words = type->parameters[fly_parameter_find(type, "color")].words;
  int count = 0;
  for (const char *s = words; *s != 0; s += strspn(s, " "), count++) {
    char word[40];
    const int length = (int)strcspn(s, " ");
    snprintf(word, sizeof word, "%.*s", length, s);
    const char *color = fly_scene_color(word);
    assert_non_null(color);
    assert_int_equal(strlen(color), 7);
    s += length;
  }
  assert_true(count >= 10);
  assert_null(fly_scene_color("plaid"));
}

// The line of a beam that deforms: its points, and that each mode of bending moves the last of them by one metre.
static void a_flexible_beam_has_a_line(void **state) {
  fly_tree *tree = scene_of(FLY_TEST_SOURCE_DIR "/examples/spinning-beam.yaml");
  const fly_tree_node *curve = get(named(get(tree->root, "bodies"), "beam"), "curve");
  double points[51], shapes[102];
  numbers(points, curve, "points", 51);
  numbers(shapes, curve, "shapes", 102);
  for (int k = 0; k < 17; k++)
    assert_true(fabs(points[3 * k] - 10 * k / 16.0) < 1e-12);
  for (int j = 0; j < 2; j++)
    for (int i = 0; i < 3; i++) {
      assert_true(fabs(shapes[3 * j + i]) < 1e-15);
      assert_true(fabs(shapes[96 + 3 * j + i] - (i == 1 ? 1 : 0)) < 1e-9);
    }
  fly_tree_free(tree);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joints_of_examples_meet),    cmocka_unit_test(everything_is_there),
      cmocka_unit_test(bad_meshes_are_named),       cmocka_unit_test(all_colors_are_known),
      cmocka_unit_test(a_flexible_beam_has_a_line),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
