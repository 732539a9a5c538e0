// What Newton's iteration takes in place of J where bodies have many modes: its entries, and those of the factors, grow
// as the modes and as the bodies do; it is J where nothing is left out; and runs with and without it agree, by hardly
// more iterations.
//
// labels: slow
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include <unistd.h>

#include "system/reduced.h"

#include "dae/matrix.h"

enum { MOST = 96 }; // modes of the beam

static int set_up(void **state) {
  double held[1];
  snprintf(folder, sizeof folder, "/tmp/flyball-lean-XXXXXX");
  if (!mkdtemp(folder))
    return -1;
  reduce_straight(held, 1);
  return 0;
}

static int clean_up(void **state) {
  static const char *const names[] = {"model.yaml", "straight.inp", "straight.h5"};
  for (int k = 0; k < 3; k++) {
    char path[300];
    path_of(path, names[k]);
    remove(path);
  }
  return rmdir(folder);
}

// ------------------------------------------------------------------------------------------ models

typedef struct scene {
  const char *coupling, *rest; // rest: joints and forces between ground, b, t0, t1 ...
  double spin;                 // about its hub [rad/s]; clamped there it has its first frequency at 50 rad/s
} scene;

#define MOUNT(name, at, to)                                                                                            \
  "  " name ": {type: bushing, from: " at ", to: " to ", stiffness: [4e4, 3e4, 5e4, 20, 30, 40], damping: [3, 4, 5, "  \
  "0.1, 0.2, 0.3]}\n"
#define HINGE "joints:\n  j: {type: revolute, from: ground.m, to: t0.hub}\n"
#define MOUNTS "forces:\n" MOUNT("k", "ground.m", "t0.hub") MOUNT("l", "b", "t0.middle")
#define RUBBING                                                                                                        \
  "joints:\n  j: {type: revolute, from: ground.m, to: t0.hub, friction: {law: regularized, mu: 0.2, radius: 0.02, "    \
  "transition_speed: 0.01}}\n"
#define LOAD                                                                                                           \
  HINGE "forces:\n  f: {type: force, at: t0.end, force: [0, '-100*dy(t0.end, ground.m) - vy(t0.end, ground.m)', 0]}\n"

static const scene SCENES[] = {{"partial", HINGE, 3}, {"full", HINGE, 30},  {"constant", MOUNTS, 3},
                               {"full", MOUNTS, 3},   {"full", RUBBING, 3}, {"full", LOAD, 30}};
enum { COUNT = sizeof SCENES / sizeof *SCENES };

static machine *build(const scene *of, int modes, int bodies) {
  char text[9000] = "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n  ground: {markers: {m: [0, 0, 0]}}\n"
                    "  b: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n",
       path[300], list[600] = "";
  for (int k = 0; k < modes; k++)
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%d", k ? ", " : "", k + 1);
  for (int k = 0; k < bodies; k++)
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "  t%d: {type: flexible, file: straight.h5, modes: [%s], coupling: %s, damping_ratio: 0.01, "
             "angular_velocity: [0, 0, %g], markers: {hub: {node: 1}, middle: {node: 9}, end: {node: 17}}}\n",
             k, list, of->coupling, of->spin);
  strcat(text, of->rest);
  for (int k = 1; k < bodies; k++)
    snprintf(text + strlen(text), sizeof text - strlen(text), MOUNT("c%d", "t%d.end", "t%d.hub"), k, k - 1, k);
  put_text("model.yaml", text);
  path_of(path, "model.yaml");
  machine *m = machine_file(path);
  machine_independent_rows(m);
  return m;
}

// ------------------------------------------------------------------------------------------ entries

typedef struct sizes {
  long pattern, factors;
  long most; // of factors, where each loose velocity is eliminated first, among those that are not loose
} sizes;

static long most_factors(const machine *m, int modes, const char *method) {
  const fly_dae_problem *p = &m->system.dae;
  const long unknowns = p->ng > 0 || strcmp(method, "radau") == 0 ? 2 : 1; // stabilized: velocities have moves beside
  const long loose = modes + 6 - m->system.lean->first[machine_body(m, "t0") - m->model.body];
  const long others = p->nv - loose + p->ng + p->nx + p->ny + p->lean->nload;
  return 2 * unknowns * (loose + others) * unknowns * others;
}

static sizes sizes_of(const scene *of, int modes, int bodies, const char *method) {
  fly_dae_options o = fly_dae_options_default();
  fly_method_request by = fly_method_request_default();
  fly_error error = {0};
  machine *m = build(of, modes, bodies);
  const fly_lean_join *l = m->system.lean;
  assert_non_null(l);
  by.name = method;
  assert_ok(fly_dae_options_method(&o, &by, &error), &error);
  o.step = 1e-4;
  assert_ok(fly_solver_create(&m->solver, &m->system.dae, &o, &error), &error);
  assert_ok(fly_solver_start(m->solver, 0.0, 1.0, m->system.q0, m->system.v0, m->system.x0, &error), &error);
  assert_ok(fly_solver_step(m->solver, &error), &error);
  const sizes s = {fly_csc_nnz(&l->L) + fly_csc_nnz(&l->U) + fly_csc_nnz(&l->W),
                   fly_solver_stats(m->solver).factor_entries, most_factors(m, modes, method)};
  machine_free(m);
  return s;
}

// As many more from 72 modes to 96 as from 48 to 72, and factors without what modes would fill among themselves.
static void check_modes(const scene *of, const char *method) {
  const sizes a = sizes_of(of, 48, 1, method), b = sizes_of(of, 72, 1, method), c = sizes_of(of, MOST, 1, method);
  say("%s: pattern %ld, %ld, %ld, factors %ld, %ld, %ld of %ld\n", method, a.pattern, b.pattern, c.pattern, a.factors,
      b.factors, c.factors, c.most);
  assert_int_equal(c.pattern - b.pattern, b.pattern - a.pattern);
  assert_true(a.factors <= a.most && b.factors <= b.most && c.factors <= c.most);
}

static void entries_grow_as_modes_do(void **state) {
  for (int k = 0; k < COUNT; k++) {
    check_modes(&SCENES[k], "ch");
    check_modes(&SCENES[k], "radau");
  }
}

static void entries_grow_as_bodies_do(void **state) {
  static const scene chain = {"full", "forces:\n" MOUNT("k", "ground.m", "t0.hub"), 3};
  const sizes a = sizes_of(&chain, 48, 2, "ch"), b = sizes_of(&chain, 48, 4, "ch"), c = sizes_of(&chain, 48, 6, "ch");
  say("pattern %ld, %ld, %ld, factors %ld, %ld, %ld\n", a.pattern, b.pattern, c.pattern, a.factors, b.factors,
      c.factors);
  assert_int_equal(c.pattern - b.pattern, b.pattern - a.pattern);
  assert_true((double)(c.factors - b.factors) < 1.1 * (double)(b.factors - a.factors));
}

// ------------------------------------------------------------------------------------------ values

static double entry(const fly_csc *a, int i, int j) {
  const int k = fly_csc_find(a, i, j);
  return k >= 0 ? a->val[k] : 0;
}

static double product(const fly_eval *e, int level, int i, int j) {
  double sum = 0;
  for (int k = 0; level > 0 && i < e->p.nv && j < e->p.nv && k < e->U.rows; k++)
    sum += entry(&e->U, k, i) * entry(&e->W[level - 1], k, j);
  return sum;
}

static bool is_of(const machine *m, int i, int first) {
  const fly_body *b = machine_body(m, "t0");
  return i >= b->iv + first && i < b->iv + b->columns;
}

// Between a loose mode, and another or another body's velocity.
static bool is_left_out(const machine *m, int i, int j) {
  const int first = m->system.lean->first[machine_body(m, "t0") - m->model.body], nv = m->system.dae.nv;
  const bool row = is_of(m, i, first), column = is_of(m, j, first);
  return i != j && i < nv && j < nv && ((row && column) || (row && !is_of(m, j, 0)) || (column && !is_of(m, i, 0)));
}

// J - (L + U^T W) in units of the largest entry of its row; between different loose modes only where that is asked.
static double missing(machine *m, const fly_dae_state *at, bool modes) {
  fly_error error = {0};
  fly_eval whole, lean;
  double worst = 0;
  assert_ok(fly_eval_create(&whole, &m->system.dae, &error), &error);
  assert_ok(fly_eval_create_lean(&lean, &m->system.dae, &error), &error);
  assert_int_equal(fly_eval_jacobian(&whole, at), 0);
  assert_int_equal(fly_eval_jacobian(&lean, at), 0);
  for (int l = 0; l < 3; l++)
    for (int i = 0; i < whole.nrow; i++) {
      double largest = 1e-300, off = 0;
      for (int j = 0; j < whole.ncol; j++) {
        const double x = entry(&whole.J[l], i, j);
        largest = fmax(largest, fabs(x));
        if (modes || !is_left_out(m, i, j))
          off = fmax(off, fabs(x - entry(&lean.J[l], i, j) - product(&lean, l, i, j)));
      }
      worst = fmax(worst, off / largest);
    }
  fly_eval_free(&whole);
  fly_eval_free(&lean);
  return worst;
}

// At rest, undeformed and unloaded, nothing at all is left out: forces are in U^T W to the last mode.
static void nothing_is_missing_at_rest(void **state) {
  machine *m = build(&SCENES[3], 40, 1);
  const size_t n = (size_t)m->system.dae.nv + (size_t)m->system.nactive + 1;
  double *zero = calloc(n, sizeof *zero), *v = calloc(n, sizeof *v);
  const fly_dae_state at = {0, m->system.q0, v, zero, zero, zero, zero, zero, NULL};
  const double off = missing(m, &at, true);
  say("at rest: off by %.1e\n", off);
  assert_true(off < 1e-12);
  free(zero);
  free(v);
  machine_free(m);
}

// So the matrices of both give the same corrections, in every formulation.
static void check_solutions(fly_matrix_kind kind, const fly_eval *of, const fly_eval *lean) {
  const fly_coef c = {0.01, 1e-4, 0.01};
  const fly_eval *e[2] = {of, lean};
  fly_error error = {0};
  double *b[2], largest = 0, off = 0;
  int n = 0;
  for (int k = 0; k < 2; k++) {
    fly_step_matrix m;
    uint64_t seed = 3;
    fly_step_matrix_size(&m, kind, e[k]);
    m.in_pieces = k == 1;
    assert_ok(fly_step_matrix_build(&m, e[k], &error), &error);
    fly_step_matrix_fill(&m, e[k], &c, NULL);
    assert_int_equal(fly_lu_factor(m.lu, &m.a), FLY_OK);
    n = m.n;
    b[k] = calloc((size_t)n, sizeof **b);
    for (int i = 0; i < n; i++)
      b[k][i] = uniform(&seed, -1, 1);
    fly_step_matrix_solve(&m, b[k]);
    fly_step_matrix_free(&m);
  }
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, fabs(b[0][i]));
    off = fmax(off, fabs(b[0][i] - b[1][i]));
  }
  say("matrix %d: %d unknowns, off by %.1e\n", kind, n, off / largest);
  assert_true(off <= 1e-9 * largest);
  free(b[0]);
  free(b[1]);
}

static void corrections_are_those_of_J(void **state) {
  static const scene held = {"full", HINGE "forces:\n" MOUNT("l", "b", "t0.middle"), 0};
  machine *m = build(&held, 40, 1);
  const size_t n = (size_t)m->system.dae.nv + (size_t)m->system.nactive + 1;
  double *zero = calloc(n, sizeof *zero);
  const fly_dae_state at = {0, m->system.q0, zero, zero, zero, zero, zero, zero, NULL};
  fly_error error = {0};
  fly_eval whole, lean;
  assert_ok(fly_eval_create(&whole, &m->system.dae, &error), &error);
  assert_ok(fly_eval_create_lean(&lean, &m->system.dae, &error), &error);
  assert_int_equal(fly_eval_jacobian(&whole, &at), 0);
  assert_int_equal(fly_eval_jacobian(&lean, &at), 0);
  assert_int_equal(lean.U.rows, 6);
  for (int kind = FLY_MATRIX_INDEX3; kind <= FLY_MATRIX_FREE1; kind *= 2)
    if (kind != FLY_MATRIX_PROJECTION)
      check_solutions((fly_matrix_kind)kind, &whole, &lean);
  fly_eval_free(&whole);
  fly_eval_free(&lean);
  free(zero);
  machine_free(m);
}

// Bent, moving and loaded: what is not between a mode and another velocity is there exactly.
static void only_modes_are_left_out(void **state) {
  for (int k = 0; k < COUNT; k++) {
    machine *m = build(&SCENES[k], 40, 1);
    const fly_dae_problem *p = &m->system.dae;
    const int nq = p->nq, n = p->nv + p->ng + p->nb + p->nx + p->ny + nq;
    uint64_t seed = 7;
    double *x = calloc(4 * (size_t)n, sizeof *x), *q = x + 3 * n;
    for (int i = 0; i < 3 * n; i++)
      x[i] = uniform(&seed, -0.02, 0.02);
    memcpy(q, m->system.q0, (size_t)nq * sizeof *q);
    const fly_body *b = machine_body(m, "t0");
    for (int i = 7; i < b->nq; i++)
      q[b->iq + i] += uniform(&seed, -1e-3, 1e-3);
    const fly_dae_state at = {0, q, x, x + n, x + 2 * n, x, x, x + 2 * n, NULL};
    const double off = missing(m, &at, false);
    say("%d: off by %.1e\n", k, off);
    assert_true(off < 1e-12);
    free(x);
    machine_free(m);
  }
}

// ------------------------------------------------------------------------------------------ runs

typedef struct outcome {
  double q[64];
  long iterations;
} outcome;

static outcome run(const scene *of, const char *method, double h, double end, bool lean) {
  fly_dae_options o = fly_dae_options_default();
  fly_method_request by = fly_method_request_default();
  fly_error error = {0};
  outcome out = {0};
  machine *m = build(of, 40, 1);
  fly_dae_problem p = m->system.dae;
  p.lean = lean ? p.lean : NULL;
  by.name = method;
  assert_ok(fly_dae_options_method(&o, &by, &error), &error);
  o.step = h;
  assert_ok(fly_solver_create(&m->solver, &p, &o, &error), &error);
  assert_ok(fly_solver_start(m->solver, 0.0, end, m->system.q0, m->system.v0, m->system.x0, &error), &error);
  const fly_dae_state at = machine_at(m, end);
  memcpy(out.q, at.q, (size_t)(p.nq < 64 ? p.nq : 64) * sizeof *out.q);
  out.iterations = fly_solver_stats(m->solver).newton_iterations;
  machine_free(m);
  return out;
}

static void runs_agree(void **state) {
  static const struct {
    const char *name;
    double h;
  } METHOD[] = {{"ch", 5e-4}, {"hht", 5e-4}, {"radau", 2e-3}};
  for (int k = 0; k < COUNT; k++)
    for (int i = 0; i < 3; i++) {
      const outcome whole = run(&SCENES[k], METHOD[i].name, METHOD[i].h, 0.04, false),
                    lean = run(&SCENES[k], METHOD[i].name, METHOD[i].h, 0.04, true);
      double off = 0;
      for (int j = 0; j < 64; j++)
        off = fmax(off, fabs(whole.q[j] - lean.q[j]));
      say("%d %s: off by %.1e, %ld iterations of %ld\n", k, METHOD[i].name, off, lean.iterations, whole.iterations);
      assert_true(off < 1e-8);
      assert_true((double)lean.iterations <= 1.2 * (double)whole.iterations + 2);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(entries_grow_as_modes_do),   cmocka_unit_test(entries_grow_as_bodies_do),
      cmocka_unit_test(nothing_is_missing_at_rest), cmocka_unit_test(only_modes_are_left_out),
      cmocka_unit_test(corrections_are_those_of_J), cmocka_unit_test(runs_agree),
  };
  return cmocka_run_group_tests(tests, set_up, clean_up);
}
