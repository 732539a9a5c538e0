#include "dae/range.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/phase.h"

enum { BLOCK = 12 }; // velocities of a block of M, at most
// What elimination may leave of a diagonal entry: half of the digits are then left to a correction, and the next one
// has all of them.
static const double SMALLEST = 1e-8;
static const double PRODUCT_WORK = 0.5; // of a multiplication, in the units of fly_lu_counts: four at a time

void fly_range_free(fly_range *r) {
  fly_csc_free(&r->rows);
  fly_csc_free(&r->T);
  fly_csc_free(&r->Y);
  fly_envelope_free(&r->S);
  fly_arena_free(&r->memory);
  *r = (fly_range){0};
}

// ------------------------------------------------------------------------------------------ M^-1 = T T^T

// The velocities behind the block that begins with `first`: nothing of M reaches across.
static int block_end(const fly_csc *M, int first) {
  int end = first + 1;
  for (int j = first; j < end && j < M->cols; j++)
    for (int k = M->start[j]; k < M->start[j + 1]; k++)
      if (M->val[k] != 0 && M->row[k] >= end)
        end = M->row[k] + 1;
  return end;
}

// M = L L^T of a block, and t = L^-T, row by row. false: not positive definite.
static bool invert_block(double t[BLOCK][BLOCK], const fly_csc *M, int first, int n) {
  double L[BLOCK][BLOCK] = {{0}};
  for (int j = 0; j < n; j++)
    for (int k = M->start[first + j]; k < M->start[first + j + 1]; k++)
      if (M->row[k] >= first && M->row[k] < first + n)
        L[M->row[k] - first][j] = M->val[k];
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      for (int k = 0; k < j; k++)
        L[i][j] -= L[i][k] * L[j][k];
      if (i == j && !(L[i][i] > 0))
        return false;
      L[i][j] = i == j ? sqrt(L[i][i]) : L[i][j] / L[j][j];
    }
  for (int j = 0; j < n; j++) // column j of L^-1 is row j of L^-T
    for (int i = 0; i < n; i++) {
      t[j][i] = i == j;
      for (int k = j; k < i; k++)
        t[j][i] -= L[i][k] * t[j][k];
      t[j][i] = i < j ? 0.0 : t[j][i] / L[i][i];
    }
  return true;
}

// The entries of T by columns, with their values in the same order, and the block of each; false: M has no such T.
static bool list_inverse(const fly_csc *M, fly_entries *e, double *value, int *block) {
  for (int first = 0, end; first < M->cols; first = end) {
    double t[BLOCK][BLOCK];
    end = block_end(M, first);
    for (int j = first; j < end; j++)
      block[j] = first;
    if (end - first > BLOCK || !invert_block(t, M, first, end - first))
      return false;
    for (int j = 0; j < end - first; j++)
      for (int i = 0; i <= j; i++)
        if (t[i][j] != 0)
          value[fly_entries_add(e, first + i, first + j)] = t[i][j];
  }
  return true;
}

static fly_status build_inverse(fly_range *r, const fly_eval *e, bool *there, fly_error *error) {
  fly_arena work = {0};
  const size_t room = (size_t)e->p.nv * BLOCK;
  fly_entries list = {0, fly_arena_ints(&work, room), fly_arena_ints(&work, room)};
  double *value = fly_arena_doubles(&work, room);
  fly_status status = work.failed ? FLY_NO_MEMORY : FLY_OK;
  *there = status == FLY_OK && list_inverse(&e->M, &list, value, r->block);
  if (*there)
    status = fly_csc_from_entries(&r->T, e->p.nv, e->p.nv, list.count, list.row, list.col, NULL, error);
  if (*there && status == FLY_OK)
    memcpy(r->T.val, value, (size_t)list.count * sizeof *value);
  fly_arena_free(&work);
  return status;
}

// ------------------------------------------------------------------------------------------ Y = A T

static const fly_csc *rows_of(const fly_range *r, const fly_eval *e) { return e->p.nb > 0 ? &r->rows : &e->G; }

// Of each product its entries: place[k] in Y. from and by are put down in the order of the products.
static fly_status build_product(fly_range *r, const fly_eval *e, fly_error *error) {
  const fly_csc *A = rows_of(r, e), *T = &r->T;
  fly_arena work = {0};
  size_t count = 0;
  for (int j = 0; j < T->cols; j++)
    for (int k = T->start[j]; k < T->start[j + 1]; k++)
      count += (size_t)(A->start[T->row[k] + 1] - A->start[T->row[k]]);
  fly_entries list = {0, fly_arena_ints(&work, count), fly_arena_ints(&work, count)};
  int *place = fly_arena_ints(&work, count), *from = fly_arena_ints(&work, count);
  double *by = fly_arena_doubles(&work, count);
  r->from = fly_arena_ints(&r->memory, count);
  r->by = fly_arena_doubles(&r->memory, count);
  fly_status status = work.failed || r->memory.failed ? FLY_NO_MEMORY : FLY_OK;
  for (int j = 0; j < T->cols && status == FLY_OK; j++)
    for (int k = T->start[j]; k < T->start[j + 1]; k++)
      for (int a = A->start[T->row[k]]; a < A->start[T->row[k] + 1]; a++) {
        const int at = fly_entries_add(&list, A->row[a], j);
        from[at] = a;
        by[at] = T->val[k];
      }
  if (status == FLY_OK)
    status = fly_csc_from_entries(&r->Y, e->nl, e->p.nv, list.count, list.row, list.col, place, error);
  if (status == FLY_OK)
    r->term = fly_arena_ints(&r->memory, (size_t)fly_csc_nnz(&r->Y) + 1);
  if (status == FLY_OK)
    r->one = fly_arena_doubles(&r->memory, (size_t)fly_csc_nnz(&r->Y));
  if (status == FLY_OK && r->term && r->one) {
    for (int k = 0; k < list.count; k++)
      r->term[place[k] + 1]++;
    for (int k = 0; k < fly_csc_nnz(&r->Y); k++)
      r->term[k + 1] += r->term[k];
    for (int k = list.count - 1; k >= 0; k--) { // from the end of each list, which ends as its start
      const int at = --r->term[place[k] + 1];
      r->from[at] = from[k];
      r->by[at] = by[k];
    }
    for (int k = 0; k < fly_csc_nnz(&r->Y); k++)
      r->term[k] = r->term[k + 1];
    r->term[fly_csc_nnz(&r->Y)] = list.count;
    for (int k = 0; k < fly_csc_nnz(&r->Y); k++)
      r->one[k] = 1.0;
  }
  fly_arena_free(&work);
  return status == FLY_OK && r->memory.failed ? FLY_NO_MEMORY : status;
}

// Y at the kinematics at hand. Where T is diagonal each entry is one product.
static void multiply(fly_range *r, const double *A) {
  const int nnz = fly_csc_nnz(&r->Y);
  if (r->diagonal) {
    fly_envelope_set(&r->S, nnz, A, r->by);
    return;
  }
  for (int k = 0; k < nnz; k++) {
    double sum = 0;
    for (int i = r->term[k]; i < r->term[k + 1]; i++)
      sum += A[r->from[i]] * r->by[i];
    r->Y.val[k] = sum;
  }
  fly_envelope_set(&r->S, nnz, r->Y.val, r->one);
}

// Rows that meet in the columns of Y, pair by pair: what S is made of.
static double pairs(const fly_csc *Y) {
  double sum = 0;
  for (int j = 0; j < Y->cols; j++) {
    const double length = Y->start[j + 1] - Y->start[j];
    sum += length * length / 2;
  }
  return sum;
}

// ------------------------------------------------------------------------------------------ building

static fly_status build(fly_range *r, const fly_eval *e, double most, fly_error *error) {
  const size_t nnz = (size_t)fly_csc_nnz(&e->M);
  bool there = false;
  r->mass = fly_arena_doubles(&r->memory, nnz);
  r->block = fly_arena_ints(&r->memory, (size_t)e->p.nv);
  r->p = fly_arena_doubles(&r->memory, (size_t)e->p.nv);
  r->inverse = fly_arena_doubles(&r->memory, (size_t)e->p.nv);
  double **rows[] = {&r->l, &r->d, &r->c};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    *rows[k] = fly_arena_doubles(&r->memory, (size_t)e->nl + 1);
  fly_status status = r->memory.failed ? FLY_NO_MEMORY : build_inverse(r, e, &there, error);
  if (status || !there)
    return status;
  memcpy(r->mass, e->M.val, nnz * sizeof *r->mass);
  if (e->p.nb > 0)
    status = fly_stack_rows(e, &r->rows, error);
  if (status == FLY_OK)
    status = build_product(r, e, error);
  if (status || pairs(&r->Y) > most)
    return status;
  status = fly_envelope_create(&r->S, &r->Y, e->p.group_v ? e->p.group_v : r->block, error);
  r->built = status == FLY_OK && r->S.work <= most;
  r->diagonal = fly_csc_nnz(&r->T) == r->T.cols;
  for (int j = 0; j < r->T.cols && r->diagonal; j++)
    r->inverse[j] = 1 / r->T.val[j];
  return status;
}

fly_status fly_range_build(fly_range *r, const fly_eval *e, double most, fly_error *error) {
  fly_range_free(r);
  if (e->nl == 0 || e->p.nx > 0 || e->p.ny > 0 || !e->p.mass_constant)
    return FLY_OK;
  const fly_status status = build(r, e, most, error);
  if (status == FLY_NO_MEMORY)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the multipliers of %d constraint rows.", e->nl);
  return status;
}

// J[0]: what forces, taken to the left, take from accelerations and multipliers; and rates of states, each its own.
static bool unfelt(const fly_eval *e) {
  const fly_csc *J = &e->J[0];
  for (int j = 0; j < J->cols; j++)
    for (int k = J->start[j]; k < J->start[j + 1]; k++) {
      const int state = J->row[k] - e->p.nv;
      if (J->val[k] != (state >= 0 && state < e->p.nx && j == e->p.nv + e->nl + state ? 1.0 : 0.0))
        return false;
    }
  return true;
}

bool fly_range_serves(const fly_range *r, const fly_eval *e) {
  return r->built && memcmp(r->mass, e->M.val, (size_t)fly_csc_nnz(&e->M) * sizeof *r->mass) == 0 && unfelt(e);
}

bool fly_range_needless(const fly_eval *e) {
  const fly_dae_problem *p = &e->p;
  return p->tree && p->mass_constant && p->rates_constant && p->nb == 0 && p->ny == 0 && p->ng < p->nv &&
         (e->rates_known || p->nx == 0) && unfelt(e);
}

// ------------------------------------------------------------------------------------------ numbers

void fly_range_place(fly_range *r, const fly_eval *e) {
  if (e->p.nb > 0)
    fly_stack_values(e, &r->rows);
  multiply(r, rows_of(r, e)->val);
}

bool fly_range_factor(fly_range *r) {
  const fly_phase before = fly_phase_enter(FLY_PHASE_FACTOR);
  const bool fine = fly_envelope_factor(&r->S, SMALLEST);
  fly_phase_leave(before);
  return fine;
}

// p = T^T x
static void to_unit_masses(const fly_range *r, double *p, const double *x) {
  const fly_csc *T = &r->T;
  if (r->diagonal) {
    for (int j = 0; j < T->cols; j++)
      p[j] = T->val[j] * x[j];
    return;
  }
  for (int j = 0; j < T->cols; j++) {
    double sum = 0;
    for (int k = T->start[j]; k < T->start[j + 1]; k++)
      sum += T->val[k] * x[T->row[k]];
    p[j] = sum;
  }
}

// b = T p
static void from_unit_masses(const fly_range *r, double *b, const double *p) {
  const fly_csc *T = &r->T;
  if (r->diagonal) {
    for (int j = 0; j < T->cols; j++)
      b[j] = T->val[j] * p[j];
    return;
  }
  memset(b, 0, (size_t)T->cols * sizeof *b);
  fly_csc_multiply_add(b, T, 1.0, p);
}

// Rows in the order of S, and back.
static void gather(const fly_range *r, double *out, double by, const double *rows) {
  for (int i = 0; i < r->S.n; i++)
    out[r->S.place[i]] = by * rows[i];
}
static void scatter(const fly_range *r, double *rows, const double *x) {
  for (int i = 0; i < r->S.n; i++)
    rows[i] = x[r->S.place[i]];
}

void fly_range_multiply(fly_range *r, double *rows, const double *v) {
  for (int j = 0; j < r->T.cols; j++)
    r->p[j] = r->inverse[j] * v[j];
  memset(r->d, 0, ((size_t)r->S.n + 1) * sizeof *r->d);
  fly_envelope_add(&r->S, r->d, r->p);
  for (int i = 0; i < r->S.n; i++)
    rows[i] += r->d[r->S.place[i]];
}

// With p = T^T r:  Y Y^T l = Y p - s,  a = T (p - Y^T l)
void fly_range_solve(fly_range *r, const fly_eval *e, double *b) {
  const int nv = e->p.nv;
  const fly_phase before = fly_phase_enter(FLY_PHASE_SOLVE);
  to_unit_masses(r, r->p, b);
  gather(r, r->l, -1.0, b + nv);
  fly_envelope_add(&r->S, r->l, r->p);
  fly_envelope_solve(&r->S, r->l);
  fly_envelope_subtract_transposed(&r->S, r->p, r->l);
  from_unit_masses(r, b, r->p);
  scatter(r, b + nv, r->l);
  fly_phase_leave(before);
}

// p = T^T r - Y^T l
void fly_range_begin(fly_range *r, const double *applied, const double *right, const double *lambda) {
  to_unit_masses(r, r->p, applied);
  for (int j = 0; j < r->T.cols; j++)
    r->p[j] = -r->p[j];
  gather(r, r->c, 1.0, right);
  gather(r, r->l, 1.0, lambda);
  fly_envelope_subtract_transposed(&r->S, r->p, r->l);
}

// Y Y^T d = Y p + c,  l <- l + d,  p <- p - Y^T d
void fly_range_correct(fly_range *r, const fly_eval *e, double *z, double *dz) {
  const int nv = e->p.nv;
  const fly_phase before = fly_phase_enter(FLY_PHASE_SOLVE);
  memcpy(r->d, r->c, ((size_t)r->S.n + 1) * sizeof *r->d);
  fly_envelope_add(&r->S, r->d, r->p);
  fly_envelope_solve(&r->S, r->d);
  fly_envelope_subtract_transposed(&r->S, r->p, r->d);
  from_unit_masses(r, dz, r->p);
  scatter(r, dz + nv, r->d);
  for (int i = 0; i < nv; i++) { // the new acceleration, and what the old one was off
    const double a = dz[i];
    dz[i] = z[i] - a;
    z[i] = a;
  }
  for (int i = 0; i < r->S.n; i++)
    r->l[i] += r->d[i];
  scatter(r, z + nv, r->l);
  fly_phase_leave(before);
}

void fly_range_count_factor(const fly_range *r, fly_lu_counts *n) {
  n->refactorizations++;
  n->work += PRODUCT_WORK * r->S.work;
}

void fly_range_count_solve(const fly_range *r, fly_lu_counts *n) {
  n->solves++;
  n->work += PRODUCT_WORK * 2.0 * (fly_csc_nnz(&r->Y) + r->S.start[r->S.groups]);
}
