// Whole bodies: frequencies against closed forms as the mesh is refined, masses, the reduction against the full model,
// matrices and Gmsh's format against the same mesh, and what is refused.
#include "meshes.h"

#include "fem/element.h"
#include "fem/reduce.h"

#undef I // of complex.h

static const double PI = 3.14159265358979323846;

static box steel_bar(int along) {
  return (box){.size = {0.5, 0.03, 0.02}, .cells = {along, 1, 1}, .E = 2.1e11, .nu = 0, .density = 7850};
}

// Of a mesh in a file, which is gone afterwards.
static fly_reduction *reduce_file(const char *path, int modes, int faces, const fly_reduce_interface *face) {
  fly_reduce_options o = fly_reduce_options_default();
  o.mesh = path;
  o.modes = modes;
  o.ninterface = faces;
  o.interface = face;
  fly_reduction *r = reduce_or_fail(&o);
  remove(path);
  return r;
}

static fly_reduction *reduce_box(const box *b, int modes, int faces, const fly_reduce_interface *face) {
  char path[200];
  write_box(scratch(path, "box.inp"), b);
  return reduce_file(path, modes, faces, face);
}

// The frequency nearest to one that is wanted, over it, less one.
static double off(const fly_reduction *r, double wanted) {
  const fly_reduce_info *i = fly_reduction_info(r);
  double best = INFINITY;
  for (int k = 0; k < i->modes; k++)
    if (fabs(i->frequency[k] / wanted - 1) < fabs(best))
      best = i->frequency[k] / wanted - 1;
  return best;
}

// ------------------------------------------------------------------------------------------ closed forms

// Without Poisson's ratio a bar stretches as a string: c/(2 L), to the fourth power of the size of the elements.
static void a_solid_bar_rings_as_it_should(void **state) {
  double error[3];
  for (int k = 0; k < 3; k++) {
    const box b = steel_bar(2 << k);
    fly_reduction *r = reduce_box(&b, 30, 0, NULL);
    error[k] = off(r, sqrt(2.1e11 / 7850) / (2 * 0.5));
    assert_int_equal(fly_reduction_info(r)->rigid, 6);
    fly_reduction_free(r);
  }
  assert_true(error[0] > 0 && error[0] < 5e-3);
  assert_true(error[1] < error[0] / 10 && error[2] < error[1] / 10);
  assert_true(error[2] < 2e-5);
}

// A slender block held at one end, beside Timoshenko's beam (Euler and Bernoulli's first frequency, less what shear and
// rotary inertia take away: some 0.3 %).
static void a_solid_cantilever_rings_as_it_should(void **state) {
  const fly_reduce_interface root = {.name = "root", .set = "LEFT"};
  double last = INFINITY;
  for (int cells = 4; cells <= 16; cells *= 2) {
    const box b = steel_bar(cells);
    fly_reduction *r = reduce_box(&b, 6, 1, &root);
    const double slender = 1.8751040687 * 1.8751040687 / (2 * PI * 0.25) * sqrt(2.1e11 / 7850 * 4e-4 / 12);
    const double first = fly_reduction_info(r)->fixed_mode[0].frequency / slender - 1;
    assert_true(first < last); // from above
    last = first;
    fly_reduction_free(r);
  }
  assert_true(fabs(last) < 5e-3);
}

static fly_reduction *reduce_line(const line *b, int modes, int faces, const fly_reduce_interface *face) {
  char path[200];
  write_line(scratch(path, "line.inp"), b);
  return reduce_file(path, modes, faces, face);
}

// Beams without shear, held at one end, in a direction of no axis: (k L)^2 of cos cosh = -1; stretching; twisting.
static void beams_ring_as_they_should(void **state) {
  const double root[3] = {1.8751040687, 4.6940911330, 7.8547574382};
  const fly_reduce_interface first = {.name = "first", .node = 1};
  double error[2] = {0};
  for (int fine = 0; fine < 2; fine++) {
    const line b = {.to = {1.2, 0.96, 1.28},
                    .elements = fine ? 32 : 8,
                    .type = "B33",
                    .section = "SECTION=CIRC\n0.01",
                    .y = "0, 0, 1"};
    const double L = 2, I = PI * 1e-8 / 4, A = PI * 1e-4, EI = 2.1e11 * I;
    fly_reduction *r = reduce_line(&b, 20, 1, &first);
    const fly_reduce_info *i = fly_reduction_info(r);
    for (int k = 0; k < 3; k++) {
      const double f = root[k] * root[k] / (2 * PI * L * L) * sqrt(EI / (7850 * A));
      error[fine] = fmax(error[fine], fabs(i->fixed_mode[2 * k].frequency / f - 1));
      error[fine] = fmax(error[fine], fabs(i->fixed_mode[2 * k + 1].frequency / f - 1));
    }
    fly_reduction_free(r);
  }
  assert_true(error[0] < 2e-3 && error[1] < 3e-4); // rotary inertia takes 2e-4 of the third away
}

// A thick beam with shear: Timoshenko's equation, hinged at both ends, has (Huang 1961) for the wave n pi/L
// a w^4 - b w^2 + c = 0. Of a free beam no such form is short; the hinges are two nodes held along y.
static void shear_makes_it_slower(void **state) {
  line b = {.to = {1, 0, 0}, .elements = 40, .type = "B31", .section = "SECTION=RECT\n0.1, 0.1", .y = "0, 1, 0"};
  const fly_reduce_interface first = {.name = "first", .node = 1};
  fly_reduction *thick = reduce_line(&b, 10, 1, &first);
  b.type = "B33";
  fly_reduction *slender = reduce_line(&b, 10, 1, &first);
  const double ratio =
      fly_reduction_info(thick)->fixed_mode[0].frequency / fly_reduction_info(slender)->fixed_mode[0].frequency;
  // first order: 1 - (E I/(k G A L^2)) (k L)^2 c, with c of a cantilever between 0.7 and 1.2
  const double s = 2.1e11 * 0.01 / 12 / (10 * 1.3 / (12 + 11 * 0.3) * 2.1e11 / 2.6);
  assert_true(ratio < 1 - s && ratio > 1 - 3 * s);
  fly_reduction_free(thick);
  fly_reduction_free(slender);
}

// ------------------------------------------------------------------------------------------ masses

static void mass_centre_and_inertia_are_those_of_the_box(void **state) {
  box b = steel_bar(3);
  b.nu = 0.3;
  fly_reduction *r = reduce_box(&b, 3, 0, NULL);
  const fly_reduce_info *i = fly_reduction_info(r);
  const double m = 7850 * 0.5 * 0.03 * 0.02;
  const double J[3] = {m / 12 * (0.03 * 0.03 + 0.02 * 0.02), m / 12 * (0.5 * 0.5 + 0.02 * 0.02),
                       m / 12 * (0.5 * 0.5 + 0.03 * 0.03)};
  assert_near(i->mass, m, 1e-12 * m);
  for (int k = 0; k < 3; k++) {
    assert_near(i->center[k], b.size[k] / 2, 1e-13);
    assert_near(i->inertia[4 * k], J[k], 1e-11 * J[2]);
  }
  fly_reduction_free(r);
}

static void those_of_a_tube_too(void **state) {
  const line b = {.from = {0.3, 0, 0},
                  .to = {0.3, 2, 0},
                  .elements = 5,
                  .type = "B31",
                  .section = "SECTION=PIPE\n0.03, 0.005",
                  .y = "1, 0, 0"};
  fly_reduction *r = reduce_line(&b, 3, 0, NULL);
  const fly_reduce_info *i = fly_reduction_info(r);
  const double A = PI * (9e-4 - 6.25e-4), I = PI / 4 * (pow(0.03, 4) - pow(0.025, 4)), m = 7850 * A * 2;
  assert_near(i->mass, m, 1e-12 * m);
  assert_near(i->center[0], 0.3, 1e-12);
  assert_near(i->center[1], 1, 1e-12);
  assert_near(i->inertia[0], m * 4 / 12 + 7850 * I * 2, 1e-9 * m);
  assert_near(i->inertia[4], 2 * 7850 * I * 2, 1e-9 * m);
  fly_reduction_free(r);
}

// ------------------------------------------------------------------------------------------ the reduction

// With all modes there are, the reduced body is the full one: the same frequencies with an interface and without.
static void with_all_modes_it_is_the_full_model(void **state) {
  const fly_reduce_interface face[2] = {{.name = "a", .node = 1}, {.name = "b", .node = 6}};
  const line b = {
      .to = {0.9, 0.3, 0.2}, .elements = 5, .type = "B31", .section = "SECTION=RECT\n0.04, 0.03", .y = "0, 1, 0"};
  fly_reduction *full = reduce_line(&b, -1, 0, NULL), *held = reduce_line(&b, -1, 2, face);
  const fly_reduce_info *i = fly_reduction_info(full), *j = fly_reduction_info(held);
  assert_int_equal(i->modes, 30);
  assert_int_equal(j->modes, 30);
  for (int k = 0; k < 30; k++)
    assert_near(j->frequency[k], i->frequency[k], 1e-10 * i->frequency[29]);
  for (int k = 3; k < 30; k++)
    assert_near(j->frequency[k] / i->frequency[k], 1, 1e-8);
  assert_true(i->coupling < 1e-9 && j->coupling < 1e-9);
  fly_reduction_free(full);
  fly_reduction_free(held);
}

// The largest modal mass over the smallest.
static double spread_of_masses(const fly_reduction *r) {
  double least = INFINITY, most = 0;
  for (int k = 0; k < r->info.modes; k++) {
    const double m = r->Mm[(size_t)k * (size_t)(r->info.modes + 1)];
    least = fmin(least, m);
    most = fmax(most, m);
  }
  assert_true(least > 0);
  return most / least;
}

// Torsion of nodes on one line moves none of them, and is no reason to divide by rounding: modal masses are apart by
// the square of the slenderness, as J and m L^2 of the beam are, and by the waves of the modes.
static void torsion_of_a_straight_beam_is_scaled(void **state) {
  const fly_reduce_interface face[2] = {{.name = "hub", .node = 1}, {.name = "tip", .node = 17}};
  static const double along[3][3] = {{1, 0, 0}, {0, 0, 1}, {0.48, 0.6, 0.64}};
  for (int k = 0; k < 6; k++) {
    line b = {.elements = 16, .type = "B31", .section = "SECTION=CIRC\n0.01", .y = "0.1, 1, 0.2"};
    memcpy(b.to, along[k % 3], sizeof b.to);
    fly_reduction *r = reduce_line(&b, k < 3 ? 8 : -1, 2, face);
    assert_true(spread_of_masses(r) < 1e6);
    fly_reduction_free(r);
  }
}

// With few modes, those of the free body come from above, and better with more.
static void more_modes_are_better(void **state) {
  const box b = steel_bar(8);
  const fly_reduce_interface face[2] = {{.name = "a", .set = "LEFT"}, {.name = "b", .set = "RIGHT"}};
  fly_reduction *all = reduce_box(&b, -1, 2, face);
  double before = INFINITY;
  for (int modes = 1; modes <= 16; modes *= 4) {
    fly_reduction *r = reduce_box(&b, modes, 2, face);
    const double error = fly_reduction_info(r)->frequency[1] / fly_reduction_info(all)->frequency[1] - 1;
    assert_true(error > -1e-9 && error < before);
    before = error;
    double shares = fly_reduction_info(r)->effective[0] / fly_reduction_info(r)->total[0];
    assert_true(shares >= 0 && shares <= 1 + 1e-9);
    fly_reduction_free(r);
  }
  assert_true(before < 1e-3);
  // all modes with the interface held take all of the mass that moves along
  for (int w = 0; w < 6; w++)
    assert_near(fly_reduction_info(all)->effective[w] / fly_reduction_info(all)->total[w], 1, 1e-8);
  fly_reduction_free(all);
}

// ------------------------------------------------------------------------------------------ other files

static void refused(const fly_reduce_options *o, const char *what) {
  fly_reduction *r = NULL;
  fly_error error = {0};
  assert_int_equal(fly_reduce(&r, o, &error), FLY_BAD_INPUT);
  assert_null(r);
  if (!strstr(error.message, what))
    fail_msg("`%s` does not say `%s`", error.message, what);
}

static void put_file(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static void same_frequencies(const fly_reduction *a, const fly_reduction *b) {
  const fly_reduce_info *i = fly_reduction_info(a), *j = fly_reduction_info(b);
  assert_int_equal(i->modes, j->modes);
  assert_near(i->mass, j->mass, 1e-12 * i->mass);
  for (int k = 0; k < 9; k++)
    assert_near(i->inertia[k], j->inertia[k], 1e-9 * i->mass);
  for (int k = 0; k < i->modes; k++)
    assert_near(i->frequency[k], j->frequency[k], 1e-8 * i->frequency[i->modes - 1]);
}

static const line RECTANGLE = {
    .to = {0.8, 0, 0}, .elements = 2, .type = "B31", .section = "SECTION=RECT\n0.03, 0.03", .y = "0, 1, 0"};

// Lower triangles of K and M of two beams in a row.
static void write_market(const char *path, bool mass) {
  const fly_fem_material steel = {"steel", 2.1e11, 0.3, 7850};
  fly_fem_section s = {.y = {0, 1, 0}};
  double K[144], M[144], A[18][18] = {{0}};
  fly_fem_section_rectangle(&s, 0.03, 0.03);
  for (int e = 0; e < 2; e++) {
    const double x[2][3] = {{0.4 * e, 0, 0}, {0.4 * (e + 1), 0, 0}};
    assert_true(fly_fem_beam(K, M, x, &steel, &s));
    for (int i = 0; i < 144; i++)
      A[6 * e + i / 12][6 * e + i % 12] += mass ? M[i] : K[i];
  }
  FILE *f = fopen(path, "w");
  fprintf(f, "%%%%MatrixMarket matrix coordinate real symmetric\n%% two beams\n18 18 171\n");
  for (int j = 0; j < 18; j++)
    for (int i = j; i < 18; i++)
      fprintf(f, "%d %d %.17g\n", i + 1, j + 1, A[i][j]);
  fclose(f);
}

static void matrices_give_the_same_body(void **state) {
  char K[200], M[200], nodes[200];
  const fly_reduce_interface face = {.name = "end", .node = 1};
  fly_reduce_options o = fly_reduce_options_default();
  write_market(scratch(K, "K.mtx"), false);
  write_market(scratch(M, "M.mtx"), true);
  put_file(scratch(nodes, "nodes.csv"), "number, x, y, z, unknowns\n1, 0, 0, 0, 6\n2, 0.4, 0, 0, 6\n3, 0.8, 0, 0, 6\n");
  o.stiffness = K;
  o.mass = M;
  o.nodes = nodes;
  o.modes = 4;
  o.ninterface = 1;
  o.interface = &face;
  fly_reduction *a = reduce_or_fail(&o), *b = reduce_line(&RECTANGLE, 4, 1, &face);
  same_frequencies(a, b);
  fly_reduction_free(a);
  fly_reduction_free(b);
  o.stiffening = "end";
  refused(&o, "matrices have none");
  o.stiffening = NULL;
  // held in space, or in another order: refused
  put_file(nodes, "1, 0, 0, 0, 6\n2, 0.4, 0, 0, 6\n3, 0, 0.8, 0, 6\n");
  refused(&o, "resists a motion of the whole body");
  put_file(nodes, "1, 0, 0, 0, 6\n2, 0.4, 0, 0, 6\n");
  refused(&o, "these must be the same");
  remove(K), remove(M), remove(nodes);
}

static void gmsh_4_gives_the_same_body(void **state) {
  char path[200];
  const fly_reduce_interface face = {.name = "end", .node = 1};
  fly_reduce_options o = fly_reduce_options_default();
  put_file(scratch(path, "line.msh"),
           "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n1 7 \"bar\"\n$EndPhysicalNames\n"
           "$Entities\n2 1 0 0\n1 0 0 0 0\n2 0.8 0 0 0\n1 0 0 0 0.8 0 0 1 7 2 1 -2\n$EndEntities\n"
           "$Nodes\n3 3 1 3\n0 1 0 1\n1\n0 0 0\n0 2 0 1\n3\n0.8 0 0\n1 1 0 1\n2\n0.4 0 0\n$EndNodes\n"
           "$Elements\n1 2 1 2\n1 1 1 2\n1 1 2\n2 2 3\n$EndElements\n");
  o.mesh = path;
  o.modes = 4;
  o.ninterface = 1;
  o.interface = &face;
  o.youngs_modulus = 2.1e11;
  o.poisson_ratio = 0.3;
  o.density = 7850;
  refused(&o, "has no section");
  o.section = "square 3";
  refused(&o, "is no section");
  o.section = "rectangle 0.03 0.03";
  fly_reduction *a = reduce_or_fail(&o), *b = reduce_line(&RECTANGLE, 4, 1, &face);
  same_frequencies(a, b);
  fly_reduction_free(a);
  fly_reduction_free(b);
  remove(path);
}

// ------------------------------------------------------------------------------------------ what is refused

static void bad_meshes_are_told(void **state) {
  char path[200];
  box b = steel_bar(2);
  fly_reduce_options o = fly_reduce_options_default();
  fly_reduce_interface face = {.name = "hub", .node = 4711};
  o.mesh = scratch(path, "bad.inp");
  b.inside_out = true;
  write_box(path, &b);
  refused(&o, "Tetrahedron 1 (line");
  b.inside_out = false;
  b.gap = 0.1;
  write_box(path, &b);
  refused(&o, "in pieces");
  b.gap = 0;
  write_box(path, &b);
  o.ninterface = 1;
  o.interface = &face;
  refused(&o, "no node 4711");
  face.node = 1;
  refused(&o, "turn"); // one node of a solid holds it in three ways
  face.set = "HUB";
  refused(&o, "It has LEFT, RIGHT");
  o.ninterface = 0;
  o.highest = 1;
  refused(&o, "No mode is left");
  b.density = 0;
  write_box(path, &b);
  refused(&o, "density > 0");
  remove(path);
  refused(&o, "cannot be read");
}

static void stiffening_needs_an_interface_that_holds(void **state) {
  char path[200];
  const box b = steel_bar(2);
  const fly_reduce_interface face[3] = {{.name = "a", .node = 1}, {.name = "b", .node = 5}, {.name = "c", .node = 11}};
  fly_reduce_options o = fly_reduce_options_default();
  o.mesh = scratch(path, "box.inp");
  o.ninterface = 3;
  o.interface = face;
  write_box(path, &b);
  o.stiffening = "hub";
  refused(&o, "no interface `hub`");
  o.stiffening = "b";
  refused(&o, "holds the body in three ways only");
  remove(path);
}

// A beam along x from the origin, held there: e_x s_x pulls it by N = mu (L^2 - x^2)/2, so G_ji,xx is
// -int N phi_j' . phi_i' dx, summed over the turns of its nodes.
static void tension_is_what_the_beam_beyond_pulls(void **state) {
  const line b = {.to = {2, 0, 0}, .elements = 40, .type = "B33", .section = "SECTION=CIRC\n0.01", .y = "0, 1, 0"};
  const fly_reduce_interface foot = {.name = "foot", .node = 1};
  char path[200];
  fly_reduce_options o = fly_reduce_options_default();
  o.mesh = scratch(path, "line.inp");
  o.ninterface = 1;
  o.interface = &foot;
  o.modes = 4;
  o.stiffening = "foot";
  write_line(path, &b);
  fly_reduction *r = reduce_or_fail(&o);
  const int m = r->info.modes;
  const double mu = 7850 * PI * 1e-4;
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) {
      const double *G = r->G + 9 * (m * j + i), *back = r->G + 9 * (m * i + j);
      const double *pj = r->Phi + (size_t)j * (size_t)r->s.unknowns, *pi = r->Phi + (size_t)i * (size_t)r->s.unknowns;
      double want = 0;
      for (int k = 0; k <= 40; k++) { // turns of the nodes, trapezoids
        const double x = 0.05 * k, *a = pj + r->s.start[k], *c = pi + r->s.start[k];
        want -= (k % 40 == 0 ? 0.025 : 0.05) * mu * (4 - x * x) / 2 * (a[4] * c[4] + a[5] * c[5]);
      }
      assert_near(G[0], want, 5e-3);
      for (int c = 1; c < 9; c++) {
        assert_near(G[c], G[3 * (c % 3) + c / 3], 0);
        assert_near(G[c], back[c], 0);
      }
    }
  fly_reduction_free(r);
  remove(path);
}

static void faults_in_files_have_lines(void **state) {
  static const char *const BAD[][2] = {
      {"*NODE\n1, 0, 0\n", ":2:1: a node is"},
      {"*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n*ELEMENT, TYPE=B31\n1, 1, 3\n", ":5:1: element 1 has node 3"},
      {"*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D8\n1, 1, 1, 1, 1, 1, 1, 1, 1\n", "C3D8"},
      {"*NODE\n1, 0, 0, 0\n*ELASTIC\n1, 0.3\n", ":3:1: *ELASTIC stands behind"},
      {"*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n1, 2, 0, 0\n", ":4:1: node 1 is there twice, first in line 2"},
      {"*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n*ELEMENT, TYPE=B31\n7, 1, 2\n7, 2, 1\n",
       ":6:1: element 7 is there twice, first in line 5"},
      {"*NODE\n1, 0, 0, 0\n2, 1, 1e200, 0\n", ":3:1: node 2 has the coordinate y = 1e+200 m"},
      {"*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n*ELEMENT, TYPE=S3, ELSET=E\n1, 1,\n2, 1\n2, 1, 2, 1\n*BEAM SECTION, ELSET=E, "
       "MATERIAL=M, SECTION=CIRC\n0.1\n",
       ":4: 2 elements of type S3: left out"},
      {"*NODE\n1, 0, 0, 0\n*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=CIRC\n-0.1\n",
       ":4:1: a beam's section of kind CIRC"},
      {"*NODE\n1, 0, 0, 0\n*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=RECT\n-0.1, -0.1\n",
       ":4:1: a beam's section of kind RECT"},
      {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 1e200\n$EndNodes\n",
       ":6:1: node 1 has the coordinate z"},
      {"hello\n", ":1:1: this is no mesh"},
      {"$MeshFormat\n3 0 8\n$EndMeshFormat\n", "2.2 and 4.1"},
      {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n", "ends in the middle"},
  };
  char path[200];
  fly_reduce_options o = fly_reduce_options_default();
  o.mesh = scratch(path, "fault.inp");
  for (size_t k = 0; k < sizeof BAD / sizeof *BAD; k++) {
    FILE *f = fopen(path, "w");
    fputs(BAD[k][0], f);
    fclose(f);
    refused(&o, BAD[k][1]);
  }
  remove(path);
}

// Millimetres with Pa and kg/m^3: a thousandth of the size, a thousand times the frequency; with MPa as Pa a millionth.
static void odd_units_are_told(void **state) {
  box b = steel_bar(2);
  b.E *= 1e12;
  fly_reduction *r = reduce_box(&b, 3, 0, NULL);
  assert_non_null(strstr(fly_reduction_info(r)->notes, "look at the units"));
  fly_reduction_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_solid_bar_rings_as_it_should),
      cmocka_unit_test(a_solid_cantilever_rings_as_it_should),
      cmocka_unit_test(beams_ring_as_they_should),
      cmocka_unit_test(shear_makes_it_slower),
      cmocka_unit_test(mass_centre_and_inertia_are_those_of_the_box),
      cmocka_unit_test(those_of_a_tube_too),
      cmocka_unit_test(with_all_modes_it_is_the_full_model),
      cmocka_unit_test(torsion_of_a_straight_beam_is_scaled),
      cmocka_unit_test(more_modes_are_better),
      cmocka_unit_test(matrices_give_the_same_body),
      cmocka_unit_test(gmsh_4_gives_the_same_body),
      cmocka_unit_test(bad_meshes_are_told),
      cmocka_unit_test(stiffening_needs_an_interface_that_holds),
      cmocka_unit_test(tension_is_what_the_beam_beyond_pulls),
      cmocka_unit_test(faults_in_files_have_lines),
      cmocka_unit_test(odd_units_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
