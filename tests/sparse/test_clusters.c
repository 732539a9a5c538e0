// Blocks of trees: random trees of bodies and joints, forces between any of them, both ways, in whole and in half as
// many bytes; loops are not taken; digits that are lost are noticed. labels: valgrind
#include <string.h>

#include "matrices.h"
#include "sparse/clusters.h"

enum { MOST_DOFS = 6, MOST_BODIES = 400 };

// [A G^T; V 0] of bodies with some unknowns each. Joint k hangs body k on body on[k] (-1: ground); rows[k] = 0: none.
// Rows of a joint need not stand together: the last of each comes behind all others.
typedef struct tree {
  int bodies, dofs[MOST_BODIES], rows[MOST_BODIES], on[MOST_BODIES];
  bool point[MOST_BODIES];          // the first three rows hold the first three unknowns of the body, others turn it
  int pushes, push[MOST_BODIES][2]; // forces between two bodies
} tree;

static int pick(uint64_t *seed, int count) { return (int)(0.4999999 * (1 + random_double(seed)) * count); }

static tree random_tree(int bodies, uint64_t *seed) {
  tree t = {.bodies = bodies};
  for (int k = 0; k < bodies; k++) {
    t.on[k] = k == 0 || pick(seed, 6) == 0 ? -1 : pick(seed, 2) ? k - 1 : pick(seed, k);
    t.dofs[k] = 2 + pick(seed, MOST_DOFS - 1);
    t.rows[k] = pick(seed, 5) == 0 ? 0 : 1 + pick(seed, t.dofs[k]);
    t.point[k] = pick(seed, 2);
    if (t.point[k]) {
      t.dofs[k] = 6;
      t.rows[k] = 3 + pick(seed, 4);
    }
  }
  return t;
}

typedef struct numbering {
  int body[MOST_BODIES], joint[MOST_BODIES][MOST_DOFS + 1], n, nv;
} numbering;

static numbering number(const tree *t) {
  numbering u = {0};
  for (int k = 0; k < t->bodies; k++) {
    u.body[k] = u.n;
    u.n += t->dofs[k];
  }
  u.nv = u.n;
  for (int last = 0; last < 2; last++)
    for (int k = 0; k < t->bodies; k++)
      for (int r = 0; r < t->rows[k]; r++)
        if ((r == t->rows[k] - 1) == last)
          u.joint[k][r] = u.n++;
  return u;
}

static void couple(fly_entries *e, const tree *t, const numbering *u, int a, int b) {
  for (int i = 0; i < t->dofs[a]; i++)
    for (int j = 0; j < t->dofs[b]; j++)
      fly_entries_add(e, u->body[a] + i, u->body[b] + j);
}

static void hang(fly_entries *e, const tree *t, const numbering *u, int joint, int body) {
  for (int r = 0; r < t->rows[joint]; r++)
    for (int i = 0; i < t->dofs[body]; i++) {
      if (t->point[joint] && i < 3 && r != i && t->dofs[body] == 6)
        continue;
      fly_entries_add(e, u->joint[joint][r], u->body[body] + i);
      fly_entries_add(e, u->body[body] + i, u->joint[joint][r]);
    }
}

// A is near a positive definite matrix, V near G, and a joint's rows are nearly differences of unknowns.
static void fill(fly_csc *a, const tree *t, const numbering *u, uint64_t *seed) {
  for (int j = 0; j < a->cols; j++)
    for (int k = a->start[j]; k < a->start[j + 1]; k++)
      a->val[k] = 0.1 * random_double(seed) + (a->row[k] == j ? 2.0 : 0.0);
  for (int k = 0; k < t->bodies; k++)
    for (int r = 0; r < t->rows[k]; r++) {
      const int on = t->on[k] >= 0 && r < t->dofs[t->on[k]] ? u->body[t->on[k]] + r : -1;
      if (r < t->dofs[k])
        a->val[fly_csc_find(a, u->body[k] + r, u->joint[k][r])] += 1;
      if (on >= 0)
        a->val[fly_csc_find(a, on, u->joint[k][r])] -= 1;
    }
  for (int j = u->nv; j < a->cols; j++)
    for (int k = a->start[j]; k < a->start[j + 1]; k++)
      a->val[fly_csc_find(a, j, a->row[k])] = a->val[k] * (1 + 0.1 * random_double(seed));
}

static fly_csc matrix_of(const tree *t, const numbering *u, uint64_t *seed) {
  enum { ROOM = 40 * MOST_BODIES * MOST_DOFS };
  int *row = calloc(ROOM, sizeof *row), *col = calloc(ROOM, sizeof *col);
  fly_entries e = {0, row, col};
  for (int k = 0; k < t->bodies; k++) {
    couple(&e, t, u, k, k);
    hang(&e, t, u, k, k);
    if (t->rows[k] > 0 && t->on[k] >= 0) {
      couple(&e, t, u, k, t->on[k]);
      couple(&e, t, u, t->on[k], k);
      hang(&e, t, u, k, t->on[k]);
    }
  }
  for (int k = 0; k < t->pushes; k++)
    couple(&e, t, u, t->push[k][0], t->push[k][1]); // one of them does not feel the other
  fly_csc a;
  assert_true(e.count <= ROOM);
  assert_int_equal(fly_csc_from_entries(&a, u->n, u->n, e.count, row, col, NULL, NULL), FLY_OK);
  free(row);
  free(col);
  fill(&a, t, u, seed);
  return a;
}

static int *groups_of(const tree *t, const numbering *u) {
  int *group = calloc((size_t)u->n, sizeof *group);
  for (int j = u->nv; j < u->n; j++)
    group[j] = -1;
  for (int k = 0; k < t->bodies; k++)
    for (int i = 0; i < t->dofs[k]; i++)
      group[u->body[k] + i] = 2 * k + 1; // whatever the numbers are
  return group;
}

static void multiply(double *y, const fly_csc *a, const double *x, bool transposed) {
  memset(y, 0, (size_t)a->cols * sizeof *y);
  if (transposed)
    fly_csc_multiply_transposed_add(y, a, 1.0, x);
  else
    fly_csc_multiply_add(y, a, 1.0, x);
}

typedef struct errors {
  double own, searched; // with pivots of KLU's
} errors;

// Of solutions that are known, both ways.
static errors errors_of(fly_clusters *f, const fly_csc *a, uint64_t *seed) {
  const int n = a->cols;
  double *x = calloc((size_t)n, sizeof *x), *b = calloc((size_t)n, sizeof *b), *c = calloc((size_t)n, sizeof *c);
  errors worst = {0};
  fly_lu *lu;
  assert_int_equal(fly_lu_create(&lu, a, NULL), FLY_OK);
  assert_int_equal(fly_lu_factor(lu, a), FLY_OK);
  for (int i = 0; i < n; i++)
    x[i] = random_double(seed);
  for (int transposed = 0; transposed < 2; transposed++) {
    multiply(b, a, x, transposed);
    memcpy(c, b, (size_t)n * sizeof *c);
    fly_clusters_solve(f, b, transposed);
    (transposed ? fly_lu_solve_transposed : fly_lu_solve)(lu, c);
    for (int i = 0; i < n; i++) {
      worst.own = fmax(worst.own, fabs(b[i] - x[i]));
      worst.searched = fmax(worst.searched, fabs(c[i] - x[i]));
    }
  }
  fly_lu_free(lu);
  free(x);
  free(b);
  free(c);
  return worst;
}

static fly_clusters *take(const fly_csc *a, const int *group, bool rough, const fly_clusters *like) {
  fly_clusters *f;
  assert_true(fly_clusters_create(&f, a, (fly_lu_groups){group, rough, NULL}, like));
  return f;
}

static void trees_are_solved(void **state) {
  (void)state;
  uint64_t seed = 1;
  int served = 0, good = 0, good_rough = 0, held = 0;
  for (int repeat = 0; repeat < 200; repeat++) {
    tree t = random_tree(1 + repeat % 40, &seed);
    for (int k = 0; t.bodies > 4 && k < repeat % 3; k++, t.pushes++)
      for (int side = 0; side < 2; side++)
        t.push[t.pushes][side] = pick(&seed, t.bodies);
    const numbering u = number(&t);
    fly_csc a = matrix_of(&t, &u, &seed);
    int *group = groups_of(&t, &u);
    fly_clusters *f = take(&a, group, false, NULL), *rough = f ? take(&a, group, true, f) : NULL;
    assert_true(f || t.pushes > 0); // those may fill the factors
    if (!f) {
      fly_csc_free(&a);
      free(group);
      continue;
    }
    served++;
    for (int c = 0; c < f->count; c++)
      held += f->held[c];
    assert_ptr_equal(rough->plan, f->plan);
    const double lost = fly_clusters_factor(f, &a, 1e6, true);
    errors e = errors_of(f, &a, &seed);
    assert_true(lost >= 1);
    assert_true(e.own < 1e-7 || !(lost <= 1e6)); // if not, it is known
    fly_clusters_free(f);                        // the lists live on
    good += lost <= 1e6;
    const double without = fly_clusters_factor(rough, &a, 1e6, true);
    e = errors_of(rough, &a, &seed);
    assert_true(e.own < 1e-1);
    good_rough += without <= 1e6 && rough->half;
    fly_clusters_free(rough);
    fly_csc_free(&a);
    free(group);
  }
  assert_true(held > 1000);
  assert_true(served > 150 && good > 0.9 * served && good_rough > 0.8 * served);
}

static tree chain(int bodies, bool point) {
  tree t = {.bodies = bodies};
  for (int k = 0; k < bodies; k++) {
    t.on[k] = k - 1;
    t.dofs[k] = 6;
    t.rows[k] = 5;
    t.point[k] = point;
  }
  return t;
}

// From the outermost body inwards: what pivots lose grows like the mass that hangs on a body, not like its square.
static void long_chains_lose_nothing(void **state) {
  (void)state;
  double lost[4]; // the latter two hold points
  for (int k = 0; k < 4; k++) {
    uint64_t seed = 2;
    const tree t = chain(k % 2 ? MOST_BODIES : 20, k > 1);
    const numbering u = number(&t);
    fly_csc a = matrix_of(&t, &u, &seed);
    int *group = groups_of(&t, &u);
    fly_clusters *f = take(&a, group, false, NULL);
    lost[k] = fly_clusters_factor(f, &a, 1e8, true);
    assert_int_equal(f->rooms, 2); // one body is eliminated while the next one waits
    assert_int_equal(f->border_start[f->count], t.bodies - 1);
    for (int c = 0; c < f->count; c++) {
      assert_int_equal(f->order[f->first[c]], 6 * (t.bodies - 1 - c));
      assert_int_equal(f->held[c], k > 1);
    }
    fly_clusters_free(f);
    fly_csc_free(&a);
    free(group);
  }
  for (int k = 0; k < 4; k += 2) {
    assert_true(lost[k] > 5 && lost[k + 1] > lost[k]); // a pivot that loses nothing counts one
    assert_true(lost[k + 1] < 2 * MOST_BODIES / 20 * lost[k]);
  }
}

static bool serves(const tree *t, int extra_row, int extra_col) {
  uint64_t seed = 3;
  const numbering u = number(t);
  fly_csc a = matrix_of(t, &u, &seed);
  int *group = groups_of(t, &u), n = fly_csc_nnz(&a), count = 0;
  int *row = calloc((size_t)n + 1, sizeof *row), *col = calloc((size_t)n + 1, sizeof *col);
  for (int j = 0; j < a.cols; j++)
    for (int k = a.start[j]; k < a.start[j + 1]; k++, count++)
      row[count] = a.row[k], col[count] = j;
  row[n] = extra_row < 0 ? u.n + extra_row : extra_row;
  col[n] = extra_col < 0 ? u.n + extra_col : extra_col;
  fly_csc with;
  assert_int_equal(fly_csc_from_entries(&with, u.n, u.n, n + 1, row, col, NULL, NULL), FLY_OK);
  fly_clusters *f = take(&with, group, false, NULL);
  const bool served = f != NULL;
  fly_clusters_free(f);
  fly_csc_free(&a);
  fly_csc_free(&with);
  free(row);
  free(col);
  free(group);
  return served;
}

// What is no tree of bodies and joints is left to others.
static void others_are_refused(void **state) {
  (void)state;
  tree t = chain(6, false);
  assert_true(serves(&t, 0, 0));
  assert_false(serves(&t, -1, -1));  // something on the diagonal of a joint
  assert_false(serves(&t, -1, -2));  // joints that feel each other
  assert_false(serves(&t, -1, 0));   // a joint of three bodies
  assert_false(serves(&t, 36, -24)); // and of the first with the last: a loop
  t.rows[3] = 7;
  assert_false(serves(&t, 0, 0)); // more rows than its body has unknowns
  t.rows[3] = 5;
  t.dofs[2] = 2;
  t.rows[2] = 1;
  assert_true(serves(&t, 0, 0));
  t.dofs[2] = 1;
  t.rows[2] = 2;
  assert_false(serves(&t, 0, 0));
}

// The same with rows and columns in other units; a zero pivot, and what is not finite.
static void losses_are_noticed(void **state) {
  (void)state;
  uint64_t seed = 4;
  const tree t = chain(8, false);
  const numbering u = number(&t);
  fly_csc a = matrix_of(&t, &u, &seed);
  int *group = groups_of(&t, &u);
  fly_clusters *f = take(&a, group, false, NULL);
  const double lost = fly_clusters_factor(f, &a, 1e8, true);
  for (int j = 0; j < a.cols; j++)
    for (int k = a.start[j]; k < a.start[j + 1]; k++)
      a.val[k] *= ldexp(1, j % 5 - a.row[k] % 7);
  assert_true(fly_clusters_factor(f, &a, 1e8, true) == lost);
  const int middle = fly_csc_find(&a, 44, 44), number_of[] = {middle, fly_csc_find(&a, 44, u.n - 1), 0};
  const double kept = a.val[middle];
  a.val[middle] = 0;
  for (int j = 0; j < a.cols; j++)
    if (j != 44 && fly_csc_find(&a, 44, j) >= 0 && j < u.nv)
      a.val[fly_csc_find(&a, 44, j)] = 0;
  assert_false(fly_clusters_factor(f, &a, 1e6, true) <= 1e6);
  a.val[middle] = kept;
  for (int k = 0; k < 3; k++) {
    if (number_of[k] < 0)
      continue;
    const double was = a.val[number_of[k]];
    for (int bad = 0; bad < 2; bad++) {
      a.val[number_of[k]] = bad ? (double)NAN : (double)INFINITY;
      assert_false(fly_clusters_factor(f, &a, 1e6, true) <= 1e6);
    }
    a.val[number_of[k]] = was;
  }
  fly_clusters_free(f);
  fly_csc_free(&a);
  free(group);
}

// Half as many bytes have six digits, which bodies may lose; who sees that takes all of them.
static void what_half_the_bytes_lack(void **state) {
  (void)state;
  uint64_t seed = 5;
  tree t = chain(20, false);
  for (int k = 0; k < t.bodies; k++)
    t.rows[k] = 0;
  const numbering u = number(&t);
  fly_csc a = matrix_of(&t, &u, &seed);
  int *group = groups_of(&t, &u);
  for (int j = 0; j < u.n; j++) {
    const int first = j - j % 6;
    a.val[fly_csc_find(&a, first + 1, j)] = a.val[fly_csc_find(&a, first, j)] * (j == first + 1 ? 1 + 3e-6 : 1.0);
  }
  fly_clusters *f = take(&a, group, true, NULL);
  for (int whole = 0; whole < 2; whole++) {
    if (whole)
      assert_true(fly_clusters_keep_whole(f));
    assert_true(fly_clusters_factor(f, &a, 1e6, true) <= 1e6);
    const double error = errors_of(f, &a, &seed).own;
    assert_true(whole ? error < 1e-6 : error > 1e-2);
  }
  fly_clusters_free(f);
  fly_csc_free(&a);
  free(group);
}

// Digits that one block loses the next one multiplies: pivots one by one do not tell, a solution that is known does. Of
// matrices that are no mechanism's: rows of joints have nothing to do with their columns.
static void losses_that_multiply(void **state) {
  (void)state;
  uint64_t seed = 6;
  int caught = 0;
  for (int repeat = 0; repeat < 200; repeat++) {
    const tree t = random_tree(20 + repeat % 20, &seed);
    const numbering u = number(&t);
    fly_csc a = matrix_of(&t, &u, &seed);
    int *group = groups_of(&t, &u);
    for (int j = 0; j < u.n; j++)
      for (int k = a.start[j]; k < a.start[j + 1]; k++)
        if (j >= u.nv || a.row[k] >= u.nv)
          a.val[k] = random_double(&seed);
    fly_clusters *f = take(&a, group, false, NULL);
    const double pivots = fly_clusters_factor(f, &a, 1e6, false), known = fly_clusters_factor(f, &a, 1e6, true);
    const double error = pivots <= 1e6 ? errors_of(f, &a, &seed).own : 0.0;
    caught += pivots <= 1e6 && !(known <= 1e6);
    assert_true(error < 1e-4 || !(known <= 1e6));
    fly_clusters_free(f);
    fly_csc_free(&a);
    free(group);
  }
  assert_true(caught > 0);
}

// ---------------------------------------------------------------------------------- values that stand elsewhere

static unsigned char *random_kinds(const fly_csc *a, uint64_t *seed) {
  unsigned char *kind = calloc((size_t)fly_csc_nnz(a) + 1, 1);
  for (int k = 0; k < fly_csc_nnz(a); k++)
    kind[k] = (unsigned char)pick(seed, 4);
  return kind;
}

// Of bodies, of G^T and of G: the same in all joints of a chain.
static unsigned char *kinds_of_blocks(const fly_csc *a, const numbering *u) {
  unsigned char *kind = calloc((size_t)fly_csc_nnz(a) + 1, 1);
  for (int j = 0; j < a->cols; j++)
    for (int k = a->start[j]; k < a->start[j + 1]; k++)
      kind[k] = (unsigned char)((a->row[k] >= u->nv) + 2 * (j >= u->nv));
  return kind;
}

// The same matrix, its values where they are asked for.
static fly_csc moved(const fly_csc *a, const int *at) {
  fly_csc to;
  assert_int_equal(fly_csc_create_like(&to, a, NULL), FLY_OK);
  for (int k = 0; k < fly_csc_nnz(a); k++)
    to.val[k] = NAN;
  for (int k = 0; k < fly_csc_nnz(a); k++)
    to.val[at[k]] = a->val[k];
  return to;
}

// Kind by kind in each cluster.
static void check_kinds(const fly_clusters *f, const unsigned char *kind) {
  const int nnz = f->entry_start[f->count];
  unsigned char *of = calloc((size_t)nnz + 1, 1);
  for (int k = 0; k < nnz; k++)
    of[f->at[k]] = kind[k];
  for (int c = 0; c < f->count; c++)
    for (int e = f->entry_start[c] + 1; e < f->entry_start[c + 1]; e++)
      assert_true(of[e - 1] <= of[e]);
  free(of);
}

// To the bits of values in the order of the pattern, also with lists that another one found.
static void values_may_stand_elsewhere(void **state) {
  (void)state;
  uint64_t seed = 7;
  for (int repeat = 0; repeat < 60; repeat++) {
    const bool alike = repeat % 4 == 3;
    const tree t = alike ? chain(20 + repeat, false) : random_tree(2 + repeat, &seed);
    const numbering u = number(&t);
    fly_csc a = matrix_of(&t, &u, &seed);
    int *group = groups_of(&t, &u);
    unsigned char *kind = alike ? kinds_of_blocks(&a, &u) : random_kinds(&a, &seed);
    double *x = calloc((size_t)u.n, sizeof *x), *y = calloc((size_t)u.n, sizeof *y);
    fly_clusters *f = take(&a, group, repeat % 2, NULL), *g;
    assert_true(fly_clusters_create(&g, &a, (fly_lu_groups){group, repeat % 2, kind}, repeat % 3 ? f : NULL));
    assert_null(f->at);
    check_kinds(g, kind);
    assert_true(!alike || g->shape[15] < g->entry_start[8]); // the places of another's
    fly_csc b = moved(&a, g->at);
    const double lost = fly_clusters_factor(f, &a, 1e6, true);
    assert_true(fly_clusters_factor(g, &b, 1e6, true) == lost);
    for (int i = 0; i < u.n; i++)
      x[i] = y[i] = random_double(&seed);
    fly_clusters_solve(f, x, repeat % 5 == 0);
    fly_clusters_solve(g, y, repeat % 5 == 0);
    assert_memory_equal(x, y, (size_t)u.n * sizeof *x);
    fly_clusters_free(f);
    fly_clusters_free(g);
    fly_csc_free(&b);
    fly_csc_free(&a);
    free(group);
    free(kind);
    free(x);
    free(y);
  }
}

// Values of kinds from 1 on as sums of three terms, the last of two: to the bits of their sums.
static void values_may_be_sums(void **state) {
  (void)state;
  uint64_t seed = 10;
  for (int repeat = 0; repeat < 40; repeat++) {
    const bool alike = repeat % 4 == 3;
    const tree t = alike ? chain(20 + repeat, false) : random_tree(2 + 2 * repeat, &seed);
    const numbering u = number(&t);
    fly_csc a = matrix_of(&t, &u, &seed), constant, sum;
    int *group = groups_of(&t, &u), count[FLY_KINDS] = {0}, nnz = fly_csc_nnz(&a);
    unsigned char *kind = alike ? kinds_of_blocks(&a, &u) : random_kinds(&a, &seed), *of = calloc((size_t)nnz + 1, 1);
    double *list = calloc((size_t)(9 * nnz + 1), sizeof *list), *x = calloc((size_t)u.n, sizeof *x),
           *y = calloc((size_t)u.n, sizeof *y);
    fly_terms term[FLY_KINDS - 1];
    fly_clusters *f;
    assert_true(fly_clusters_create(&f, &a, (fly_lu_groups){group, repeat % 2, kind}, NULL));
    for (int k = 0; k < FLY_KINDS - 1; k++) {
      double *own = list + (ptrdiff_t)(3 * k * nnz);
      term[k] = (fly_terms){own, {own + nnz, k < 2 ? own + (ptrdiff_t)(2 * nnz) : NULL}, {0.3 + k, k < 2 ? -0.7 : 0.0}};
    }
    constant = moved(&a, f->at);
    sum = moved(&a, f->at);
    for (int k = 0; k < nnz; k++)
      of[f->at[k]] = kind[k];
    for (int e = 0; e < nnz; e++) {
      const int k = of[e] - 1;
      if (k < 0)
        continue;
      double *own = list + (ptrdiff_t)(3 * k * nnz) + count[k]++;
      own[nnz] = 0.1 * random_double(&seed);
      own[2 * (ptrdiff_t)nnz] = k < 2 ? 0.1 * random_double(&seed) : 0.0;
      own[0] = sum.val[e] - term[k].c[0] * own[nnz] - term[k].c[1] * own[2 * (ptrdiff_t)nnz];
      sum.val[e] = own[0] + term[k].c[0] * own[nnz];
      if (k < 2)
        sum.val[e] += term[k].c[1] * own[2 * (ptrdiff_t)nnz];
      constant.val[e] = NAN; // nobody looks
    }
    for (int i = 0; i < u.n; i++)
      x[i] = y[i] = random_double(&seed);
    const double lost = fly_clusters_factor(f, &sum, 1e6, false);
    fly_clusters_solve(f, x, false);
    assert_true(fly_clusters_factor_terms(f, &constant, term, 1e6) == lost);
    fly_clusters_solve(f, y, false);
    assert_memory_equal(x, y, (size_t)u.n * sizeof *x);
    fly_clusters_free(f);
    fly_csc_free(&constant);
    fly_csc_free(&sum);
    fly_csc_free(&a);
    free(group);
    free(kind);
    free(of);
    free(list);
    free(x);
    free(y);
  }
}

static double error_of(fly_lu *lu, const fly_csc *a) {
  uint64_t seed = 8;
  double worst = 0, *x = calloc((size_t)a->cols, sizeof *x), *b = calloc((size_t)a->cols, sizeof *b);
  for (int i = 0; i < a->cols; i++)
    x[i] = random_double(&seed);
  multiply(b, a, x, false);
  fly_lu_solve(lu, b);
  for (int i = 0; i < a->cols; i++)
    worst = fmax(worst, fabs(b[i] - x[i]));
  free(x);
  free(b);
  return worst;
}

// With zeros on the diagonals of bodies pivots must be searched for, in the matrix as its pattern has it; what is not
// finite is told by its column; factors travel.
static void a_search_puts_values_back(void **state) {
  (void)state;
  uint64_t seed = 9;
  const tree t = chain(100, false);
  const numbering u = number(&t);
  fly_csc a = matrix_of(&t, &u, &seed);
  int *group = groups_of(&t, &u);
  unsigned char *kind = random_kinds(&a, &seed);
  fly_lu *lu, *other;
  const fly_lu_groups groups = {group, false, kind};
  assert_int_equal(fly_lu_create_symmetric(&lu, &a, groups, NULL, NULL), FLY_OK);
  assert_int_equal(fly_lu_create_symmetric(&other, &a, groups, NULL, NULL), FLY_OK);
  assert_non_null(fly_lu_values(lu));
  fly_csc b = moved(&a, fly_lu_values(lu));
  assert_int_equal(fly_lu_factor(lu, &b), FLY_OK);
  assert_true(error_of(lu, &a) < 1e-9);
  for (int j = 0; j < u.nv; j++)
    a.val[fly_csc_find(&a, j, j)] = 0;
  fly_csc c = moved(&a, fly_lu_values(lu));
  for (int again = 0; again < 3; again++) {
    assert_int_equal(fly_lu_factor(lu, &c), FLY_OK);
    assert_true(error_of(lu, &a) < 1e-7);
  }
  assert_true(fly_lu_count(lu).factorizations > 1); // searched for
  fly_image m = fly_image_write();
  fly_lu_image(lu, &m, &c);
  fly_image read = fly_image_read(m.bytes, m.size);
  fly_lu_image(other, &read, &b);
  assert_int_equal(read.failure, FLY_IMAGE_FINE);
  assert_true(error_of(other, &a) == error_of(lu, &a));
  c.val[fly_lu_values(lu)[fly_csc_find(&a, 7, 7)]] = NAN;
  assert_int_equal(fly_lu_factor(lu, &c), FLY_SINGULAR);
  assert_int_equal(fly_lu_singular_column(lu), 7);
  fly_image_free(&m);
  fly_lu_free(lu);
  fly_lu_free(other);
  fly_csc_free(&c);
  fly_csc_free(&b);
  fly_csc_free(&a);
  free(group);
  free(kind);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_are_solved),           cmocka_unit_test(long_chains_lose_nothing),
      cmocka_unit_test(others_are_refused),         cmocka_unit_test(losses_are_noticed),
      cmocka_unit_test(what_half_the_bytes_lack),   cmocka_unit_test(losses_that_multiply),
      cmocka_unit_test(values_may_stand_elsewhere), cmocka_unit_test(a_search_puts_values_back),
      cmocka_unit_test(values_may_be_sums),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
