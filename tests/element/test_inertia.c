// Inertia of shapes against slices and published values; adding, turning, principal axes; what no body can have.
#include "element/states.h"

#include "element/inertia.h"

static const double pi = 3.14159265358979323846;
static const double unity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static void check_inertia(const fly_inertia *a, const fly_inertia *b, double tolerance) {
  assert_near(a->mass, b->mass, tolerance * fmax(1.0, fabs(b->mass)));
  check_all_near(a->center, b->center, 3, tolerance, "center");
  check_all_near(a->I, b->I, 9, tolerance, "I");
}

static void random_size(double *size, uint64_t *seed) {
  for (int k = 0; k < 3; k++)
    size[k] = 1.2 + random_double(seed);
  size[1] *= 0.1; // the inner radius of a tube is the second
  size[1] *= size[0];
}

// ---------------------------------------------------------------------------------- shapes, slice by slice

// A slice at z: area and second moments of area (integrals of x^2 and y^2).
typedef struct slice {
  double area, xx, yy;
} slice;

static slice annulus(double r, double inner) {
  double second = pi / 4 * (pow(r, 4) - pow(inner, 4));
  return (slice){pi * (r * r - inner * inner), second, second};
}

static slice slice_of(fly_shape_kind kind, const double *size, double z) {
  double beyond;
  switch (kind) {
  case FLY_SHAPE_BOX:
    return (slice){size[0] * size[1], size[1] * pow(size[0], 3) / 12, size[0] * pow(size[1], 3) / 12};
  case FLY_SHAPE_CYLINDER:
    return annulus(size[0], 0);
  case FLY_SHAPE_SPHERE:
    return annulus(sqrt(fmax(0, size[0] * size[0] - z * z)), 0);
  case FLY_SHAPE_CAPSULE:
    beyond = fmax(0, fabs(z) - size[1] / 2);
    return annulus(sqrt(fmax(0, size[0] * size[0] - beyond * beyond)), 0);
  case FLY_SHAPE_CONE:
    return annulus(size[0] * (1 - z / size[1]), 0);
  case FLY_SHAPE_TUBE:
    return annulus(size[0], size[1]);
  case FLY_SHAPE_ELLIPSOID: // an ellipse of half axes a, b
    beyond = 1 - 4 * z * z / (size[2] * size[2]);
    return (slice){pi / 4 * size[0] * size[1] * beyond, pi / 64 * pow(size[0], 3) * size[1] * beyond * beyond,
                   pi / 64 * size[0] * pow(size[1], 3) * beyond * beyond};
  default:
    fail();
    return (slice){0};
  }
}

// Pieces of the axis on which slices are polynomials of z, of degree four at most: four points of Gauss are exact.
static int pieces_of(double *ends, fly_shape_kind kind, const double *size) {
  double half = size[kind == FLY_SHAPE_CYLINDER || kind == FLY_SHAPE_CAPSULE ? 1 : 2] / 2, r = size[0];
  if (kind == FLY_SHAPE_CONE)
    return ends[0] = 0, ends[1] = size[1], 1;
  if (kind == FLY_SHAPE_SPHERE)
    return ends[0] = -r, ends[1] = r, 1;
  if (kind == FLY_SHAPE_CAPSULE)
    return ends[0] = -half - r, ends[1] = -half, ends[2] = half, ends[3] = half + r, 3;
  return ends[0] = -half, ends[1] = half, 1;
}

static fly_inertia by_slices(fly_shape_kind kind, const double *size, double density) {
  static const double x[4] = {-0.861136311594052575, -0.339981043584856265, 0.339981043584856265, 0.861136311594052575};
  static const double w[4] = {0.347854845137453857, 0.652145154862546143, 0.652145154862546143, 0.347854845137453857};
  double ends[4], m = 0, mz = 0, mzz = 0, mxx = 0, myy = 0;
  int pieces = pieces_of(ends, kind, size);
  for (int k = 0; k < pieces; k++)
    for (int g = 0; g < 4; g++) {
      double half = (ends[k + 1] - ends[k]) / 2, z = ends[k] + half * (1 + x[g]);
      slice s = slice_of(kind, size, z);
      m += half * w[g] * s.area;
      mz += half * w[g] * s.area * z;
      mzz += half * w[g] * s.area * z * z;
      mxx += half * w[g] * s.xx;
      myy += half * w[g] * s.yy;
    }
  mzz -= mz * mz / m; // about the mass centre
  fly_inertia out = {.mass = density * m, .center = {0, 0, mz / m}};
  out.I[0] = density * (myy + mzz);
  out.I[4] = density * (mxx + mzz);
  out.I[8] = density * (mxx + myy);
  return out;
}

static void shapes_are_their_slices(void **state) {
  uint64_t seed = 2;
  for (int kind = 0; kind < FLY_SHAPE_KINDS; kind++)
    for (int n = 0; n < STATES && kind != FLY_SHAPE_PLANE; n++) {
      double size[3];
      fly_inertia shape;
      random_size(size, &seed);
      fly_shape_inertia(&shape, (fly_shape_kind)kind, size, 2.5);
      fly_inertia expected = by_slices((fly_shape_kind)kind, size, 2.5);
      check_inertia(&shape, &expected, 1e-13);
      assert_int_equal(fly_inertia_check(&shape).verdict, FLY_INERTIA_GOOD);
      assert_int_equal(fly_shape_check((fly_shape_kind)kind, size), -1);
    }
}

// All below it: no slices, and nothing that a body could carry.
static void a_plane_has_no_mass(void **state) {
  fly_inertia plane;
  fly_shape_inertia(&plane, FLY_SHAPE_PLANE, (const double[]){3}, 2.5);
  check_inertia(&plane, &(fly_inertia){0}, 0);
  assert_int_equal(fly_shape_check(FLY_SHAPE_PLANE, (const double[]){3}), -1);
}

static void names_find_their_rows(void **state) {
  for (int k = 0; k < FLY_SHAPE_KINDS; k++) {
    const fly_shape_type *type = &fly_shape_types[k];
    assert_int_equal(fly_shape_find(type->name), k);
    for (int i = 0; i < type->nsize; i++)
      assert_non_null(type->size[i]);
  }
  assert_int_equal(fly_shape_find("torus"), -1);
}

static void impossible_sizes_are_found(void **state) {
  for (int kind = 0; kind < FLY_SHAPE_KINDS; kind++)
    for (int k = 0; k < fly_shape_types[kind].nsize; k++) {
      const double bad[] = {-1, NAN, INFINITY, 0};
      bool hollow = kind == FLY_SHAPE_TUBE && k == 1;
      for (int n = 0; n < 4; n++) {
        double size[3] = {2, 1, 1};
        size[k] = bad[n];
        assert_int_equal(fly_shape_check((fly_shape_kind)kind, size), hollow && bad[n] == 0 ? -1 : k);
      }
    }
  assert_int_equal(fly_shape_check(FLY_SHAPE_TUBE, (double[]){1, 1, 1}), 1);
}

// ---------------------------------------------------------------------------------- published

// Beer & Johnston, Vector Mechanics for Engineers: masses printed in the solutions of problems 9.143 (two cylinders and
// a hole, 0.284 lb/in^3) and 9.195 (a cylinder with a small cone added and a larger one removed: 0.9 lb in all).
static double mass_in_inches(fly_shape_kind kind, double radius, double length, double density) {
  fly_inertia s;
  fly_shape_inertia(&s, kind, (double[]){radius / 12, length / 12}, density);
  return s.mass;
}

static void masses_of_a_textbook(void **state) {
  const double steel = 0.284 * 1728 / 32.2, other = 13.7266; // [lb s^2/ft^4]
  assert_near(mass_in_inches(FLY_SHAPE_CYLINDER, 4, 2, steel), 0.88667, 1e-5);
  assert_near(mass_in_inches(FLY_SHAPE_CYLINDER, 1, 3, steel), 0.083126, 1e-6);
  assert_near(mass_in_inches(FLY_SHAPE_CYLINDER, 1, 2, steel), 0.055417, 1e-6);
  assert_near(mass_in_inches(FLY_SHAPE_CYLINDER, 0.8, 2.4, other), 0.038332, 1e-6);
  assert_near(mass_in_inches(FLY_SHAPE_CONE, 0.2, 1.2, other), 0.000399, 1e-6);
  double whole = mass_in_inches(FLY_SHAPE_CYLINDER, 0.8, 2.4, other) + mass_in_inches(FLY_SHAPE_CONE, 0.2, 1.2, other) -
                 mass_in_inches(FLY_SHAPE_CONE, 0.6, 3.6, other);
  assert_near(32.2 * whole, 0.9, 1e-5);
}

// Tables of moments of inertia, as handbooks print them, at mass 1 and round numbers.
static void handbook_values(void **state) {
  fly_inertia s;
  double I[9];
  fly_shape_inertia(&s, FLY_SHAPE_SPHERE, (double[]){1}, 3 / (4 * pi)); // 2/5 m r^2
  assert_near(s.mass, 1, 1e-15);
  assert_near(s.I[0], 0.4, 1e-15);
  fly_shape_inertia(&s, FLY_SHAPE_CONE, (double[]){1, 2}, 3 / (2 * pi)); // about the tip: 3/5 m h^2 + 3/20 m r^2
  fly_inertia_about(I, &s, (double[]){0, 0, 2});
  assert_near(s.mass, 1, 1e-15);
  assert_near(I[0], 12.0 / 5 + 3.0 / 20, 1e-14);
  assert_near(I[8], 3.0 / 10, 1e-15);
  fly_shape_inertia(&s, FLY_SHAPE_BOX, (double[]){1, 2, 3}, 1.0 / 6); // m (b^2 + c^2)/12
  assert_near(s.I[0], 13.0 / 12, 1e-15);
  assert_near(s.I[4], 10.0 / 12, 1e-15);
  assert_near(s.I[8], 5.0 / 12, 1e-15);
  fly_shape_inertia(&s, FLY_SHAPE_TUBE, (double[]){2, 1, 3}, 1 / (9 * pi)); // m (3 (r1^2 + r2^2) + l^2)/12
  assert_near(s.I[0], 24.0 / 12, 1e-15);
  assert_near(s.I[8], 5.0 / 2, 1e-15);
  fly_shape_inertia(&s, FLY_SHAPE_CYLINDER, (double[]){2, 3}, 1 / (12 * pi)); // m (3 r^2 + l^2)/12
  assert_near(s.I[0], 21.0 / 12, 1e-15);
  assert_near(s.I[8], 2, 1e-15);
}

// ---------------------------------------------------------------------------------- adding and turning

// Eight boxes, each in its own turned frame, make one.
static void parts_make_the_whole(void **state) {
  uint64_t seed = 6;
  for (int n = 0; n < STATES; n++) {
    double R[9], at[3];
    const double edges[3] = {1, 2, 3};
    fly_inertia whole, sum = {0}, part;
    random_rotation(R, &seed);
    random_vector(at, 3, 5.0, &seed);
    for (int corner = 0; corner < 8; corner++) {
      double offset[3], place[3];
      fly_shape_inertia(&part, FLY_SHAPE_BOX, (double[]){0.5, 1, 1.5}, 4.0);
      for (int k = 0; k < 3; k++)
        offset[k] = edges[k] / 4 * (corner >> k & 1 ? 1 : -1);
      fly_to_space(place, R, offset);
      for (int k = 0; k < 3; k++)
        place[k] += at[k];
      fly_inertia_place(&part, &part, place, R);
      fly_inertia_add(&sum, &part);
    }
    fly_shape_inertia(&whole, FLY_SHAPE_BOX, edges, 4.0);
    fly_inertia_place(&whole, &whole, at, R);
    check_inertia(&sum, &whole, 1e-14);
  }
}

static void placed_shapes_are_where_they_were_put(void **state) {
  const double z_to_x[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}; // columns: x to y, y to z, z to x
  fly_inertia part;
  fly_shape_inertia(&part, FLY_SHAPE_CONE, (double[]){1, 2}, 3 / (2 * pi));
  fly_inertia_place(&part, &part, (double[]){10, 20, 30}, z_to_x);
  const fly_inertia cone = {1, {10.5, 20, 30}, {0.3, 0, 0, 0, 0.3, 0, 0, 0, 0.3}}; // its I happens to be round
  check_inertia(&part, &cone, 1e-14);
  fly_shape_inertia(&part, FLY_SHAPE_BOX, (double[]){1, 2, 3}, 1.0 / 6);
  fly_inertia_place(&part, &part, (double[]){-1, 0, 0}, z_to_x);
  const fly_inertia box = {1, {-1, 0, 0}, {5.0 / 12, 0, 0, 0, 13.0 / 12, 0, 0, 0, 10.0 / 12}};
  check_inertia(&part, &box, 1e-14);
}

static void a_tube_is_a_cylinder_with_a_hole(void **state) {
  fly_inertia tube, sum = {0}, part;
  fly_shape_inertia(&tube, FLY_SHAPE_TUBE, (double[]){0.5, 0.3, 2}, 10);
  fly_shape_inertia(&part, FLY_SHAPE_CYLINDER, (double[]){0.5, 2}, 10);
  fly_inertia_add(&sum, &part);
  fly_shape_inertia(&part, FLY_SHAPE_CYLINDER, (double[]){0.3, 2}, -10);
  fly_inertia_add(&sum, &part);
  check_inertia(&sum, &tube, 1e-14);
}

// I about any point: the kinetic energy of a spin about it, from the mass centre's motion.
static void parallel_axes(void **state) {
  uint64_t seed = 9;
  for (int n = 0; n < STATES; n++) {
    fly_inertia b;
    double R[9], at[3], point[3], w[3], I[9], u[3], arm[3], v[3];
    fly_shape_inertia(&b, FLY_SHAPE_BOX, (double[]){1, 2, 3}, 0.5);
    random_rotation(R, &seed);
    random_vector(at, 3, 2.0, &seed);
    random_vector(point, 3, 2.0, &seed);
    random_vector(w, 3, 1.0, &seed);
    fly_inertia_place(&b, &b, at, R);
    fly_inertia_about(I, &b, point);
    for (int k = 0; k < 3; k++)
      arm[k] = b.center[k] - point[k];
    fly_cross(v, w, arm);
    fly_to_space(u, b.I, w);
    double energy = fly_dot3(w, u) + b.mass * fly_dot3(v, v);
    fly_to_space(u, I, w);
    assert_near(fly_dot3(w, u), energy, 1e-13 * (1 + energy));
  }
}

// ---------------------------------------------------------------------------------- principal axes

static void principal_axes_undo_a_rotation(void **state) {
  static const double moments[][3] = {{1, 2, 2.5},   {1, 1, 1},    {1, 1, 1.5},
                                      {1, 1.5, 1.5}, {1e-9, 1, 1}, {0, 1, 1},
                                      {0, 0, 0},     {-1, 2, 3},   {1, 1 + 1e-12, 1 + 2e-12}};
  uint64_t seed = 12;
  for (int k = 0; k < (int)(sizeof moments / sizeof moments[0]); k++)
    for (int n = 0; n < STATES; n++) {
      double D[9] = {0}, R[9], I[9], m[3], A[9], back[9], AtA[9], z[3], x[3], y[3];
      for (int i = 0; i < 3; i++)
        D[4 * i] = moments[k][i];
      random_rotation(R, &seed);
      fly_inertia_rotate(I, R, D);
      fly_inertia_principal(m, A, I);
      check_all_near(m, moments[k], 3, 1e-14, "moments");
      assert_true(m[0] <= m[1] && m[1] <= m[2]);
      memset(D, 0, sizeof D);
      for (int i = 0; i < 3; i++)
        D[4 * i] = m[i];
      fly_inertia_rotate(back, A, D);
      check_all_near(back, I, 9, 2e-14, "A diag(moment) A^T");
      fly_multiply3_transposed(AtA, A, A);
      check_all_near(AtA, unity, 9, 1e-14, "A^T A");
      for (int i = 0; i < 3; i++)
        x[i] = A[3 * i], y[i] = A[3 * i + 1];
      fly_cross(z, x, y);
      assert_true(z[0] * A[2] + z[1] * A[5] + z[2] * A[8] > 0.99);
    }
}

static void diagonal_matrices_keep_their_digits(void **state) {
  double m[3], A[9];
  fly_inertia_principal(m, A, (double[]){0.3, 0, 0, 0, 0.1, 0, 0, 0, 0.2});
  assert_near(m[0], 0.1, 0);
  assert_near(m[1], 0.2, 0);
  assert_near(m[2], 0.3, 0);
}

// ---------------------------------------------------------------------------------- sense

static fly_inertia_verdict verdict_of(double mass, double xx, double yy, double zz, double xy) {
  fly_inertia b = {.mass = mass, .I = {xx, xy, 0, xy, yy, 0, 0, 0, zz}};
  return fly_inertia_check(&b).verdict;
}

static void senseless_inertias_are_told(void **state) {
  assert_int_equal(verdict_of(1, 1, 1, 1, 0), FLY_INERTIA_GOOD);
  assert_int_equal(verdict_of(1, 1, 2, 3, 0), FLY_INERTIA_GOOD); // a lamina
  assert_int_equal(verdict_of(0, 1, 1, 1, 0), FLY_INERTIA_NO_MASS);
  assert_int_equal(verdict_of(-1, 1, 1, 1, 0), FLY_INERTIA_NO_MASS);
  assert_int_equal(verdict_of(NAN, 1, 1, 1, 0), FLY_INERTIA_NOT_FINITE);
  assert_int_equal(verdict_of(1, 1, INFINITY, 1, 0), FLY_INERTIA_NOT_FINITE);
  assert_int_equal(verdict_of(1, 1, 1, -1, 0), FLY_INERTIA_NEGATIVE);
  assert_int_equal(verdict_of(1, 1, 1, 1, 1.5), FLY_INERTIA_NEGATIVE); // products too large
  assert_int_equal(verdict_of(1, 1, 1, 2.1, 0), FLY_INERTIA_TRIANGLE);
  assert_int_equal(verdict_of(1, 2, 2, 2, 0.9), FLY_INERTIA_GOOD);     // 1.1, 2, 2.9
  assert_int_equal(verdict_of(1, 2, 2, 2, 1.1), FLY_INERTIA_TRIANGLE); // 0.9, 2, 3.1
  assert_int_equal(verdict_of(1, 0, 1, 1, 0), FLY_INERTIA_THIN);
  assert_int_equal(verdict_of(1, 0, 0, 0, 0), FLY_INERTIA_THIN);
  for (int k = 0; k < FLY_INERTIA_VERDICTS; k++)
    assert_non_null(fly_inertia_texts[k]);
}

static void matrices_must_be_symmetric(void **state) {
  for (int k = 0; k < 9; k++) {
    fly_inertia b = {.mass = 1, .I = {2, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 2}};
    assert_int_equal(fly_inertia_check(&b).verdict, FLY_INERTIA_GOOD);
    b.I[k] += 0.01;
    assert_int_equal(fly_inertia_check(&b).verdict, k % 4 ? FLY_INERTIA_NOT_SYMMETRIC : FLY_INERTIA_GOOD);
  }
}

// A watch and a ship are judged alike.
static void size_does_not_matter(void **state) {
  for (double size = 1e-20; size <= 1e20; size *= 1e5) {
    assert_int_equal(verdict_of(1, size, size, size, 0.1 * size), FLY_INERTIA_GOOD);
    assert_int_equal(verdict_of(1, 1e-9 * size, size, size, 0), FLY_INERTIA_GOOD); // a long needle
    assert_int_equal(verdict_of(1, 1e-13 * size, size, size, 0), FLY_INERTIA_THIN);
    assert_int_equal(verdict_of(1, -1e-9 * size, size, size, 0), FLY_INERTIA_NEGATIVE);
    assert_int_equal(verdict_of(1, size, size, 2.001 * size, 0), FLY_INERTIA_TRIANGLE);
    assert_int_equal(verdict_of(1, size, size, (2 + 1e-7) * size, 0), FLY_INERTIA_GOOD); // rounded by a person
  }
}

static void the_report_says_by_how_much(void **state) {
  fly_inertia b = {.mass = 1, .I = {1, 0, 0, 0, 1, 0, 0, 0, 2.5}};
  fly_inertia_report r = fly_inertia_check(&b);
  assert_int_equal(r.verdict, FLY_INERTIA_TRIANGLE);
  assert_near(r.excess, 0.2, 1e-15);
  assert_near(r.moment[2], 2.5, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes_are_their_slices),
      cmocka_unit_test(a_plane_has_no_mass),
      cmocka_unit_test(names_find_their_rows),
      cmocka_unit_test(impossible_sizes_are_found),
      cmocka_unit_test(masses_of_a_textbook),
      cmocka_unit_test(handbook_values),
      cmocka_unit_test(parts_make_the_whole),
      cmocka_unit_test(placed_shapes_are_where_they_were_put),
      cmocka_unit_test(a_tube_is_a_cylinder_with_a_hole),
      cmocka_unit_test(parallel_axes),
      cmocka_unit_test(principal_axes_undo_a_rotation),
      cmocka_unit_test(diagonal_matrices_keep_their_digits),
      cmocka_unit_test(senseless_inertias_are_told),
      cmocka_unit_test(matrices_must_be_symmetric),
      cmocka_unit_test(size_does_not_matter),
      cmocka_unit_test(the_report_says_by_how_much),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
