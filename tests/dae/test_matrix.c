// The matrix of Newton's iteration is the derivative of its residual, in every formulation and form; and its condition
// does not depend on the step.
#include <stdlib.h>
#include <string.h>

#include "dae/newmark.h"
#include "support/motion.h"

// ---------------------------------------------------------------------------------------------- derivative

// Residual at the attempt's unknowns with unknown j moved by `by`.
static void residual_moved(fly_solver *s, double *out, int j, double by) {
  const double kept = s->at.u[j];
  s->at.u[j] = kept + by;
  fly_step_expand(s);
  assert_int_equal(fly_step_residual(s), 0);
  memcpy(out, s->at.r, (size_t)s->step.n * sizeof *out);
  s->at.u[j] = kept;
}

// Largest |matrix - differences| over the largest entry of its row and column.
static double worst_entry(fly_solver *s, double h) {
  enum { MOST = 120 };
  static double a[MOST][MOST], d[MOST][MOST], plus[MOST], minus[MOST];
  const int n = s->step.n;
  assert_true(n <= MOST);
  fly_step_begin(s, h);
  fly_predict(s);
  for (int j = 0; j < s->step.ncore;
       j++) // off the solution; but d(M eta + G^T mu)/dq, which the matrix leaves out, stays 0
    s->at.u[j] += 0.01 * (1 + fabs(s->at.u[j])) * ((j * 7) % 5 - 2);
  for (int j = s->step.ncore; j < n; j++)
    s->at.u[j] = 0;
  fly_step_expand(s);
  const fly_dae_state end = fly_point_state(&s->at.end);
  assert_int_equal(fly_eval_jacobian(&s->e, &end), 0);
  fly_step_matrix_fill(&s->step, &s->e, &s->at.coef, s->at.delta);
  memset(a, 0, sizeof a);
  for (int j = 0; j < n; j++)
    for (int k = s->step.a.start[j]; k < s->step.a.start[j + 1]; k++)
      a[s->step.a.row[k]][j] = s->step.a.val[k];
  double row_size[MOST] = {0}, worst = 0, fastest = 0;
  for (int j = 0; j < s->e.p.nv; j++)
    fastest = fmax(fastest, fabs(s->at.u[j]));
  for (int j = 0; j < n; j++) {
    const double by = 1e-5 * (1 + (j < s->step.ncore ? fabs(s->at.u[j]) : fastest)); // eta is an acceleration
    residual_moved(s, plus, j, by);
    residual_moved(s, minus, j, -by);
    for (int i = 0; i < n; i++) {
      d[i][j] = (plus[i] - minus[i]) / (2 * by);
      row_size[i] = fmax(row_size[i], fabs(d[i][j]));
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      worst = fmax(worst, fabs(a[i][j] - d[i][j]) / row_size[i]);
  return worst;
}

typedef struct sample {
  const char *name;
  double t, h;
} sample;

static const sample samples[] = {{"pendulum-family", 0.3, 0.1}, {"seven-body", 0.01, 1e-3},  {"heavy-top", 0.02, 5e-3},
                                 {"rolling-coin", 0.3, 0.05},   {"spring-mass", 1, 0.3},     {"knife-edge", 0.5, 0.2},
                                 {"lock", 0.3, 0.05},           {"slider-crank", 0.01, 1e-3}};

static double worst_of(const sample *k, const fly_dae_options *o) {
  fly_problem p = problem_of(k->name, NULL, 0);
  fly_solver *s = solver_started(&p, o, p.t_end);
  fly_error error = {0};
  assert_ok(fly_solver_advance(s, k->t, &error), &error);
  const double worst = worst_entry(s, k->h);
  say("%-16s formulation %d, form %d: %.1e\n", k->name, o->formulation, o->form, worst);
  fly_solver_free(s);
  fly_problem_free(&p);
  return worst;
}

static void test_matrix_is_the_derivative(void **state) {
  for (size_t k = 0; k < sizeof samples / sizeof *samples; k++)
    for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
      const fly_dae_options o = with_error(options_of("ch", 0.6, f), 1e-3);
      assert_at_most(worst_of(&samples[k], &o), 1e-4);
    }
}

// The residual form takes M from elsewhere: there the matrix is only near, by the change of M over a step.
static void test_residual_form(void **state) {
  for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
    fly_dae_options o = with_error(options_of("hht", 0.6, f), 1e-3);
    o.form = FLY_FORM_RESIDUAL;
    assert_at_most(worst_of(&samples[0], &o), 2e-5); // constant mass
    assert_at_most(worst_of(&samples[2], &o), 2e-5);
    assert_at_most(worst_of(&samples[1], &o), 1e-3);
  }
}

// ---------------------------------------------------------------------------------------------- pieces

// A matrix filled with one set of coefficients and then with another is that of the latter.
static void check_pieces(const fly_solver *s, fly_matrix_kind kind) {
  static const fly_coef first = {0.03, 1e-3, 0.02}, then = {0.5, 0.2, 0.7};
  fly_step_matrix whole, pieces;
  fly_error error = {0};
  double off = 0, changed = 0;
  fly_step_matrix_size(&whole, kind, &s->e);
  fly_step_matrix_size(&pieces, kind, &s->e);
  pieces.in_pieces = true;
  assert_ok(fly_step_matrix_build(&whole, &s->e, &error), &error);
  assert_ok(fly_step_matrix_build(&pieces, &s->e, &error), &error);
  fly_step_matrix_fill(&whole, &s->e, &then, s->at.delta);
  fly_step_matrix_fill(&pieces, &s->e, &first, s->at.delta);
  const int count = fly_csc_nnz(&whole.a);
  assert_int_equal(fly_csc_nnz(&pieces.a), count);
  for (int k = 0; k < count; k++)
    changed = fmax(changed, fabs(pieces.a.val[k] - whole.a.val[k]));
  fly_step_matrix_refill(&pieces, &then);
  for (int k = 0; k < count; k++)
    off = fmax(off, fabs(pieces.a.val[k] - whole.a.val[k]) / (1 + fabs(whole.a.val[k])));
  assert_true(changed > 0 && off < 1e-14);
  fly_step_matrix_free(&whole);
  fly_step_matrix_free(&pieces);
}

static void test_pieces(void **state) {
  for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
    fly_problem p = problem_of(samples[k].name, NULL, 0);
    const fly_dae_options o = with_error(options_of("ch", 0.6, FLY_GGL), 1e-3);
    fly_solver *s = solver_started(&p, &o, p.t_end);
    fly_error error = {0};
    assert_ok(fly_solver_advance(s, samples[k].t, &error), &error);
    worst_entry(s, samples[k].h);
    for (int kind = FLY_MATRIX_INDEX3; kind <= FLY_MATRIX_FREE1; kind *= 2)
      if (kind != FLY_MATRIX_PROJECTION)
        check_pieces(s, (fly_matrix_kind)kind);
    fly_solver_free(s);
    fly_problem_free(&p);
  }
}

// Factors with other coefficients are those of the matrix that is put together first, also where a state is saved and
// read again in between.
static void check_refactored(fly_step_matrix *m, const fly_eval *e, const fly_coef *first, const fly_coef *then) {
  double *x = calloc((size_t)m->n, sizeof *x), *y = calloc((size_t)m->n, sizeof *y);
  fly_step_matrix_refill(m, first);
  assert_int_equal(fly_lu_factor(m->lu, &m->a), FLY_OK);
  fly_step_matrix_refill(m, then);
  assert_int_equal(fly_lu_factor_again(m->lu, &m->a), FLY_OK);
  for (int i = 0; i < m->n; i++)
    x[i] = y[i] = sin(i + 1.0);
  fly_step_matrix_solve(m, x);
  fly_step_matrix_refill(m, first);
  assert_int_equal(fly_step_matrix_refactor(m, then), FLY_OK);
  assert_true(m->in_terms.c_q == then->c_q);
  fly_image image = fly_image_write();
  fly_step_matrix_image(m, e, &image);
  assert_true(m->in_terms.c_q == 0);
  fly_step_matrix_solve(m, y);
  assert_memory_equal(x, y, (size_t)m->n * sizeof *x);
  fly_step_matrix_refill(m, first);
  fly_image read = fly_image_read(image.bytes, image.size);
  fly_step_matrix_image(m, e, &read);
  assert_int_equal(read.failure, FLY_IMAGE_FINE);
  for (int i = 0; i < m->n; i++)
    y[i] = sin(i + 1.0);
  fly_step_matrix_solve(m, y);
  assert_memory_equal(x, y, (size_t)m->n * sizeof *x);
  fly_image_free(&image);
  free(x);
  free(y);
}

// The same where the factors want values elsewhere: a chain of point masses, which is a tree of bodies.
static void test_pieces_elsewhere(void **state) {
  enum { MASSES = 300 };
  static const fly_coef first = {0.03, 1e-3, 0.02}, then = {0.5, 0.2, 0.7};
  fly_problem p = problem_of("chain", NULL, MASSES);
  int body[2 * MASSES];
  for (int k = 0; k < 2 * MASSES; k++)
    body[k] = k / 2;
  p.dae.group_v = body;
  const fly_dae_options o = with_error(options_of("ch", 0.6, FLY_GGL), 1e-3);
  fly_solver *s = solver_started(&p, &o, p.t_end);
  fly_step_matrix whole, pieces;
  fly_error error = {0};
  double off = 0, changed = 0;
  assert_ok(fly_solver_advance(s, 0.02, &error), &error);
  fly_step_matrix_size(&whole, FLY_MATRIX_INDEX2, &s->e);
  fly_step_matrix_size(&pieces, FLY_MATRIX_INDEX2, &s->e);
  fly_step_matrix_use_diagonal(&pieces, NULL);
  pieces.in_pieces = true;
  assert_ok(fly_step_matrix_build(&whole, &s->e, &error), &error);
  assert_ok(fly_step_matrix_build(&pieces, &s->e, &error), &error);
  const int *at = fly_lu_values(pieces.lu);
  assert_non_null(at);
  fly_step_matrix_fill(&whole, &s->e, &then, s->at.delta);
  fly_step_matrix_fill(&pieces, &s->e, &first, s->at.delta);
  for (int k = 0; k < fly_csc_nnz(&whole.a); k++)
    changed = fmax(changed, fabs(pieces.a.val[at[k]] - whole.a.val[k]));
  fly_step_matrix_refill(&pieces, &then);
  for (int k = 0; k < fly_csc_nnz(&whole.a); k++)
    off = fmax(off, fabs(pieces.a.val[at[k]] - whole.a.val[k]) / (1 + fabs(whole.a.val[k])));
  assert_true(changed > 0 && off < 1e-14);
  check_refactored(&pieces, &s->e, &first, &then);
  fly_step_matrix_free(&whole);
  fly_step_matrix_free(&pieces);
  fly_solver_free(s);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- holes

// a without entry number `hole`.
static fly_csc without(const fly_csc *a, int hole) {
  enum { MOST = 4000 };
  static int row[MOST], col[MOST];
  int count = 0;
  fly_csc out;
  assert_true(fly_csc_nnz(a) <= MOST);
  for (int j = 0; j < a->cols; j++)
    for (int k = a->start[j]; k < a->start[j + 1]; k++)
      if (k != hole) {
        row[count] = a->row[k];
        col[count++] = j;
      }
  assert_int_equal(fly_csc_from_entries(&out, a->rows, a->cols, count, row, col, NULL, NULL), FLY_OK);
  for (int k = 0; k < count; k++)
    out.val[k] = a->val[k + (k >= hole)];
  return out;
}

static void fill_dense(double *dense, const fly_eval *e, fly_matrix_kind kind, const double *delta) {
  static const fly_coef c = {0.5, 0.2, 0.7};
  fly_step_matrix m;
  fly_error error = {0};
  fly_step_matrix_size(&m, kind, e);
  assert_ok(fly_step_matrix_build(&m, e, &error), &error);
  fly_step_matrix_fill(&m, e, &c, delta);
  memset(dense, 0, (size_t)m.n * (size_t)m.n * sizeof *dense);
  for (int j = 0; j < m.n; j++)
    for (int k = m.a.start[j]; k < m.a.start[j + 1]; k++)
      dense[m.n * j + m.a.row[k]] = m.a.val[k];
  fly_step_matrix_free(&m);
}

// A rotation's columns need not have the same rows: an entry that is missing is a zero.
static void test_holes(void **state) {
  enum { MOST = 60 };
  static double zero[MOST * MOST], hole[MOST * MOST];
  fly_problem p = problem_of("heavy-top", NULL, 0);
  const fly_dae_options o = with_error(options_of("ch", 0.6, FLY_GGL), 1e-3);
  fly_solver *s = solver_started(&p, &o, p.t_end);
  fly_error error = {0};
  assert_ok(fly_solver_advance(s, 0.02, &error), &error);
  worst_entry(s, 5e-3);
  assert_true(s->step.n <= MOST && s->e.p.nrotation > 0);
  for (int k = s->e.J[2].start[s->e.p.rotation_v[0]]; k < s->e.J[2].start[s->e.p.rotation_v[0] + 3]; k++) {
    fly_eval e = s->e;
    for (int i = 0; i < 3; i++) {
      s->e.J[i].val[k] = 0;
      e.J[i] = without(&s->e.J[i], k);
    }
    fill_dense(zero, &s->e, FLY_MATRIX_GGL, s->at.delta);
    fill_dense(hole, &e, FLY_MATRIX_GGL, s->at.delta);
    for (int i = 0; i < s->step.n * s->step.n; i++)
      assert_at_most(fabs(hole[i] - zero[i]), 1e-14 * (1 + fabs(zero[i])));
    for (int i = 0; i < 3; i++)
      fly_csc_free(&e.J[i]);
  }
  fly_solver_free(s);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- condition

// Must show 7: seven-body at t = 0.02, scaled within a factor 100 for h = 1e-2 ... 1e-10, the unscaled one grows.
static void test_condition(void **state) {
  for (fly_formulation f = FLY_INDEX3; f <= FLY_GGL; f++) {
    fly_problem p = problem_of("seven-body", NULL, 0);
    const fly_dae_options o = with_error(options_of("ch", 0.6, f), 1e-4);
    fly_solver *s = solver_started(&p, &o, p.t_end);
    fly_error error = {0};
    assert_ok(fly_solver_advance(s, 0.02, &error), &error);
    double smallest = INFINITY, largest = 0, before = 0;
    for (int k = 2; k <= 10; k++) {
      double scaled, unscaled;
      assert_ok(fly_solver_condition(s, pow(10, -k), true, &scaled, &error), &error);
      assert_ok(fly_solver_condition(s, pow(10, -k), false, &unscaled, &error), &error);
      say("formulation %d, h = 1e-%d: %.2e scaled, %.2e unscaled\n", f, k, scaled, unscaled);
      smallest = fmin(smallest, scaled);
      largest = fmax(largest, scaled);
      if (k >= 5 && unscaled < 1e16 && before > 0)
        assert_at_least(unscaled / before, f == FLY_INDEX2 ? 5 : 9);
      before = unscaled;
    }
    assert_at_most(largest / smallest, 100);
    assert_at_most(largest, 1e6);
    fly_solver_free(s);
    fly_problem_free(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_matrix_is_the_derivative),
      cmocka_unit_test(test_residual_form),
      cmocka_unit_test(test_pieces),
      cmocka_unit_test(test_pieces_elsewhere),
      cmocka_unit_test(test_holes),
      cmocka_unit_test(test_condition),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
