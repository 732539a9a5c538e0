// Meshes: STL in text and binary and OBJ give the same triangles; what is damaged is named.
// labels: valgrind
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include <cmocka.h>

#include "io/mesh.h"

static char path[] = "/tmp/flyball-mesh-XXXXXX";

static int create(void **state) {
  const int file = mkstemp(path);
  return file < 0 || close(file) != 0;
}

static int destroy(void **state) { return remove(path); }

static void write_bytes(const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static fly_mesh read_good(void) {
  fly_mesh mesh;
  fly_error error = {0};
  if (fly_mesh_read(&mesh, path, &error) != FLY_OK)
    fail_msg("%s", error.message);
  return mesh;
}

// A tetrahedron with corners 0, x, y, z, outside out.
static const float corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

// Volume enclosed, by the divergence theorem: 1 if the corners are right and turn the right way.
static double volume(const fly_mesh *m) {
  double sum = 0;
  for (int t = 0; t < m->ntriangle; t++) {
    const float *a = m->vertex + 3 * (size_t)m->triangle[3 * t], *b = m->vertex + 3 * (size_t)m->triangle[3 * t + 1],
                *c = m->vertex + 3 * (size_t)m->triangle[3 * t + 2];
    sum += (double)(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                    a[2] * (b[0] * c[1] - b[1] * c[0])) /
           6;
  }
  return sum;
}

static void check_tetrahedron(void) {
  fly_mesh mesh = read_good();
  assert_int_equal(mesh.ntriangle, 4);
  assert_int_equal(mesh.nvertex, 4);
  assert_true(fabs(volume(&mesh) - 1) < 1e-12);
  fly_mesh_free(&mesh);
}

static size_t binary_stl(char *out) {
  memset(out, 0, 84 + 4 * 50);
  strcpy(out, "solid that is binary all the same");
  out[80] = 4;
  for (int t = 0; t < 4; t++)
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < 3; i++) {
        uint32_t bits;
        char *at = out + 84 + 50 * t + 12 + 12 * k + 4 * i;
        memcpy(&bits, &corner[face[t][k]][i], 4);
        for (int b = 0; b < 4; b++)
          at[b] = (char)(bits >> 8 * b & 255);
      }
  return 84 + 4 * 50;
}

static void binary(void **state) {
  char bytes[84 + 4 * 50];
  const size_t size = binary_stl(bytes);
  write_bytes(bytes, size);
  check_tetrahedron();
}

static void text_stl(void **state) {
  char text[4000];
  int n = sprintf(text, "solid tetrahedron\r\n");
  for (int t = 0; t < 4; t++) {
    n += sprintf(text + n, "  facet normal 0 0 0\n    outer loop\n");
    for (int k = 0; k < 3; k++) {
      const float *p = corner[face[t][k]];
      n += sprintf(text + n, "      vertex %g %.3e %s%g\n", (double)p[0], (double)p[1], p[2] == 0 ? "-" : "",
                   (double)p[2]);
    }
    n += sprintf(text + n, "    endloop\n  endfacet\n");
  }
  n += sprintf(text + n, "endsolid");
  write_bytes(text, (size_t)n);
  check_tetrahedron();
}

static void obj(void **state) {
  static const char text[] = "# tetrahedron\nmtllib x.mtl\nv 0 0 0\nv 1 0 0\nv 0 2 0\nvn 0 0 1\nf 1 3 2\nv 0 0 3 1.0\n"
                             "f 1/1 2/2 4/3\nf -4//1 -1//1 -2//1\nf 2/1/1 3/1/1 4/1/1\n";
  write_bytes(text, sizeof text - 1);
  check_tetrahedron();
}

static void a_polygon_is_a_fan(void **state) {
  static const char text[] = "v 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 1 0\nf 1 2 3 4 5\n";
  write_bytes(text, sizeof text - 1);
  fly_mesh mesh = read_good();
  assert_int_equal(mesh.ntriangle, 3);
  double area = 0;
  for (int t = 0; t < 3; t++) {
    const float *a = mesh.vertex + 3 * (size_t)mesh.triangle[3 * t],
                *b = mesh.vertex + 3 * (size_t)mesh.triangle[3 * t + 1],
                *c = mesh.vertex + 3 * (size_t)mesh.triangle[3 * t + 2];
    area += (double)((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
  }
  assert_true(fabs(area - 2.5) < 1e-6);
  fly_mesh_free(&mesh);
}

// More corners than the first table of them holds.
static void many_corners_are_welded(void **state) {
  enum { N = 70 };
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "solid\n");
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int half = 0; half < 2; half++)
        fprintf(file, "facet\nouter loop\nvertex %d %d 0\nvertex %d %d 0\nvertex %d %d 0\nendloop\nendfacet\n", i, j,
                i + 1, j + half, i + 1 - half, j + 1);
  assert_int_equal(fclose(file), 0);
  fly_mesh mesh = read_good();
  assert_int_equal(mesh.ntriangle, 2 * N * N);
  assert_int_equal(mesh.nvertex, (N + 1) * (N + 1));
  fly_mesh_free(&mesh);
}

static void check_bad(const void *bytes, size_t size, const char *says) {
  fly_mesh mesh;
  fly_error error = {0};
  write_bytes(bytes, size);
  assert_int_equal(fly_mesh_read(&mesh, path, &error), FLY_BAD_INPUT);
  if (strstr(error.message, says) == NULL || strstr(error.message, path) == NULL)
    fail_msg("'%s' is not in: %s", says, error.message);
  assert_null(mesh.vertex);
  assert_null(mesh.triangle);
}

static void bad_text(const char *text, const char *says) { check_bad(text, strlen(text), says); }

static void damaged(void **state) {
  char bytes[84 + 4 * 50];
  const float nan = NAN;
  const size_t size = binary_stl(bytes);
  check_bad(bytes, size - 1, "cut short");
  memcpy(bytes + 84 + 50 + 12, &nan, 4);
  check_bad(bytes, size, "triangle 2 has a corner that is not a finite number");
  check_bad("\0\1\2", 3, "neither STL nor OBJ");
  bad_text("", "neither STL nor OBJ");
  bad_text("flyball: 1\nbodies: {}\n", "neither STL nor OBJ");
  bad_text("solid\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0\n", ":5:11: a corner of a mesh takes three numbers");
  bad_text("solid\nfacet\nouter loop\nvertex 0 0 nan\n", "takes three numbers");
  bad_text("solid\nfacet\nouter loop\nvertex 0 0 0\nendloop\n", ":5:1: a facet with less than three corners");
  bad_text("solid\nfacet\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\n", "more than three corners");
  bad_text("solid\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n", "cut off in the middle");
  bad_text("solid\nfacet\nendsolid\n", "no triangles");
  bad_text("v 0 0 0\nv 1 0 0\nf 1 2 3\n", ":3:7: a face names a vertex that is not there");
  bad_text("v 0 0 0\nf 1 0 1\n", "not there");
  bad_text("v 0 0 0\nf 1 -2 1\n", "not there");
  bad_text("v 0 0 0\nf 1 x 1\n", "not there");
  bad_text("v 0 0 0\nv 1 0 0\nf 1 2\n", "three corners at least");
  fly_mesh mesh;
  fly_error error = {0};
  assert_int_equal(fly_mesh_read(&mesh, "/tmp/there-is-no/such.stl", &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "/tmp/there-is-no/such.stl: there is no such file"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(binary),  cmocka_unit_test(text_stl),
      cmocka_unit_test(obj),     cmocka_unit_test(a_polygon_is_a_fan),
      cmocka_unit_test(damaged), cmocka_unit_test(many_corners_are_welded),
  };
  return cmocka_run_group_tests(tests, create, destroy);
}
