// What grows with a model must not grow with its square: counted in entries, inputs and probes, never in seconds.
#define _POSIX_C_SOURCE 200809L
#include "expr/expr.h"
#include "sparse/sparse.h"
#include "system/machine.h"

// n x n bodies with springs that are laws, and balls between neighbours in the rows and columns.
static machine *lattice(int n) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  fprintf(
      file,
      "flyball: 1\nparameters: {n: %d}\nrepeat:\n"
      "  rows:\n    count: n\n    repeat:\n"
      "      all: {count: n, index: j, bodies: {b$(n*i+j): {mass: 1, inertia: [0.1, 0.1, 0.1], position: [i, j, "
      "sin(7*i*j)]}}}\n"
      "      along: {count: n-1, index: j, joints: {x$(n*i+j): {type: spherical, bodies: [b$(n*i+j), b$(n*i+j+1)], at: "
      "[i, j+0.5, 0]}}}\n"
      "  steps:\n    count: n-1\n    repeat:\n"
      "      across: {count: n, index: j, joints: {y$(n*i+j): {type: spherical, bodies: [b$(n*i+j), b$(n*i+j+n)], at: "
      "[i+0.5, j, 0]}}}\n",
      n);
  fclose(file);
  machine *m = machine_text(text);
  free(text);
  return m;
}

// Entries of the factors of the matrix of accelerations, over those of the matrix.
static double fill_of(int n) {
  machine *m = lattice(n);
  fly_error error = {0};
  machine_independent_rows(m);
  const fly_dae_problem *p = &m->system.dae;
  const int nv = p->nv, ng = p->ng, most = nv + 2 * m->system.G.start[nv];
  int *row = calloc((size_t)most, sizeof *row), *col = calloc((size_t)most, sizeof *col), count = 0;
  double *value = calloc((size_t)most, sizeof *value), *G = calloc((size_t)m->system.G.start[nv], sizeof *G);
  p->constraint_jacobian(G, 0, m->system.q0, p->user);
  for (int j = 0; j < nv; j++) {
    row[count] = col[count] = j;
    value[count++] = 1;
    for (int k = m->system.G.start[j]; k < m->system.G.start[j + 1]; k++)
      for (int side = 0; side < 2; side++) {
        row[count] = side ? j : nv + m->system.G.row[k];
        col[count] = side ? nv + m->system.G.row[k] : j;
        value[count++] = G[k];
      }
  }
  fly_csc a;
  int *place = calloc((size_t)count, sizeof *place);
  assert_ok(fly_csc_from_entries(&a, nv + ng, nv + ng, count, row, col, place, &error), &error);
  for (int k = 0; k < count; k++)
    a.val[place[k]] = value[k];
  fly_lu *lu;
  assert_ok(fly_lu_create(&lu, &a, &error), &error);
  assert_int_equal(fly_lu_factor(lu, &a), FLY_OK);
  const double fill = (double)fly_lu_entries(lu) / fly_csc_nnz(&a);
  fly_lu_free(lu);
  fly_csc_free(&a);
  free(row);
  free(col);
  free(value);
  free(G);
  free(place);
  machine_free(m);
  return fill;
}

static void lattices_are_factorized(void **state) {
  (void)state;
  const double fill = fill_of(16);
  assert_true(fill < 30);
}

// The channel of one force asks for what that force feels, not for what all do.
static void one_force_asks_for_its_own(void **state) {
  (void)state;
  machine *m = machine_text("flyball: 1\n"
                            "repeat:\n"
                            "  all:\n"
                            "    count: 5\n"
                            "    bodies: {b$i: {type: point, mass: 1, position: [i, 0, 0]}}\n"
                            "    forces: {f$i: {type: force, at: b$i, force: [\"-2*dx(b$i)\", 0, 0]}}\n");
  machine_start(m, 1e-5, 1);
  const fly_dae_state at = fly_solver_state(m->solver);
  assert_int_equal(m->model.napplied, 5);
  for (int k = 0; k < 5; k++) {
    double f[6];
    int known = 0;
    for (int i = 0; i < m->model.nmeasure; i++)
      m->system.input[1 + i] = NAN;
    fly_system_components(&m->system, &at, k, f);
    for (int i = 0; i < m->model.nmeasure; i++)
      known += !isnan(m->system.input[1 + i]);
    assert_int_equal(known, 1);
    assert_true(fabs(f[0] + 2 * (k + 1)) < 1e-12);
  }
  machine_free(m);
}

// Names are found at once, the first of two, and those behind the index too.
static void names_are_found(void **state) {
  (void)state;
  enum { N = 5000 };
  static char name[N + 1][16];
  static fly_expr_number list[N + 1];
  for (int k = 0; k <= N; k++) {
    snprintf(name[k], sizeof name[k], "p%d", k == 4000 ? 7 : k);
    list[k] = (fly_expr_number){name[k], k, NULL};
  }
  const int slots = fly_expr_names_slots(N);
  assert_true(slots >= 2 * N && slots <= 4 * N);
  int *slot = calloc((size_t)slots, sizeof *slot);
  fly_expr_names names;
  fly_expr_names_fill(&names, slot, list, N);
  fly_expr_scope scope = {.nparameters = N + 1, .parameter = list, .names = &names};
  for (int k = 0; k <= N; k++)
    if (k != 4000)
      assert_ptr_equal(fly_expr_find_number(&scope, name[k]), &list[k]);
  assert_null(fly_expr_find_number(&scope, "p4000"));
  int run = 0, longest = 0;
  for (int i = 0; i < slots; i++) {
    run = slot[i] > 0 ? run + 1 : 0;
    longest = run > longest ? run : longest;
  }
  assert_true(longest < 100);
  free(slot);
}

// 10^12 times nothing.
static void repetitions_of_nothing_are_not_made(void **state) {
  (void)state;
  machine *m = machine_text("flyball: 1\n"
                            "bodies: {b: {type: point, mass: 1}}\n"
                            "repeat:\n"
                            "  outer:\n"
                            "    count: 1000000\n"
                            "    repeat:\n"
                            "      inner: {count: 1000000, index: j, bodies: {}, forces: {}}\n");
  assert_int_equal(m->model.nbody, 1);
  machine_free(m);
}

// A long text repeated by aliases is many values.
static void long_texts_are_not_repeated_for_ever(void **state) {
  (void)state;
  char *text = NULL;
  size_t size = 0;
  fly_spec spec = {0};
  fly_error error = {0};
  FILE *file = open_memstream(&text, &size);
  fputs("flyball: 1\nbodies: {b: {type: point, mass: 1}}\noutputs:\n  o: &long 1", file);
  for (int k = 0; k < 30000; k++)
    fputs("+1", file);
  for (int k = 0; k < 2000; k++)
    fprintf(file, "\n  o%d: *long", k);
  fclose(file);
  assert_int_equal(fly_model_read_text(&spec, "text", text, size, 0, NULL, &error), FLY_BAD_INPUT);
  assert_says(&error, "aliases");
  fly_spec_free(&spec);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lattices_are_factorized),
      cmocka_unit_test(one_force_asks_for_its_own),
      cmocka_unit_test(names_are_found),
      cmocka_unit_test(repetitions_of_nothing_are_not_made),
      cmocka_unit_test(long_texts_are_not_repeated_for_ever),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
