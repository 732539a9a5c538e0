// Small motions about a state: a basis of what can move, how it turns, and the reduced matrices.
#include "analysis/linear.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "math/so3.h"
#include "sparse/dense.h"

enum { DENSE_BASIS = 600 };        // coordinates up to which the basis is found by dense matrices
static const double STEADY = 1e-9; // of H Z, beside what it is made of

static size_t area(int m, int n) { return (size_t)m * (size_t)n; }

static double largest(const double *a, size_t n) {
  double most = 0;
  for (size_t k = 0; k < n; k++)
    most = fmax(most, fabs(a[k]));
  return most;
}

// ------------------------------------------------------------------------------------------ turning axes

static const double *turning_of(const fly_spin *s, fly_turning which) {
  return which == FLY_TURN_OWN ? s->own : which == FLY_TURN_FRAME ? s->frame : s->frame_slope;
}

void fly_linear_turn_add(const fly_linear *l, fly_turning which, double factor, const double *x, double *out) {
  for (int k = 0; k < l->nspin; k++) {
    const fly_spin *s = &l->spin[k];
    double u[3], turned[3];
    for (int c = 0; c < 3; c++)
      u[c] = s->iv[c] >= 0 ? x[s->iv[c]] : 0.0;
    fly_cross(turned, turning_of(s, which), u);
    for (int c = 0; c < 3; c++)
      if (s->iv[c] >= 0)
        out[s->iv[c]] += factor * turned[c];
  }
}

static void turn_columns_add(const fly_linear *l, fly_turning which, double factor, const double *X, double *out) {
  for (int j = 0; j < l->ndof; j++)
    fly_linear_turn_add(l, which, factor, X + area(l->nv, j), out + area(l->nv, j));
}

static void rotation_spins(fly_linear *l, const fly_dae_state *at, const double frame[3], const double slope[3]) {
  const fly_dae_problem *p = &l->eval.p;
  for (int k = 0; k < p->nrotation; k++) {
    fly_spin *s = &l->spin[l->nspin++];
    double R[9];
    fly_quat_matrix(R, at->q + p->rotation_q[k]);
    for (int c = 0; c < 3; c++) {
      s->iv[c] = p->rotation_v[k] + c;
      s->own[c] = at->v[s->iv[c]];
      for (int i = 0; i < 3; i++) {
        s->frame[c] += R[3 * i + c] * frame[i];
        s->frame_slope[c] += R[3 * i + c] * slope[i];
      }
    }
  }
}

// Displacements are given along space axes.
static void displacement_spins(fly_linear *l, const fly_model *m, const double frame[3], const double slope[3]) {
  for (int k = 0; k < m->nbody; k++) {
    fly_spin *s = &l->spin[l->nspin++];
    for (int c = 0; c < 3; c++) {
      s->iv[c] = -1;
      s->frame[c] = frame[c];
      s->frame_slope[c] = slope[c];
    }
    for (int c = 0; c < m->body[k].columns; c++)
      if (m->body[k].column[c] < 3)
        s->iv[m->body[k].column[c]] = m->body[k].iv + c;
  }
}

// Angular velocity of a body along space axes, and its derivative.
static void body_spin(const fly_model *m, int body, const fly_dae_state *at, double w[3], double wdot[3]) {
  const fly_body *b = &m->body[body];
  const int turn_v = b->iv + b->type->turn_v;
  memset(w, 0, 3 * sizeof *w);
  memset(wdot, 0, 3 * sizeof *wdot);
  if (b->type->turn_q >= 0) {
    fly_quat_rotate(w, at->q + b->iq + b->type->turn_q, at->v + turn_v);
    fly_quat_rotate(wdot, at->q + b->iq + b->type->turn_q, at->vdot + turn_v);
    return;
  }
  for (int c = 0; c < b->columns; c++) // about an axis that stays
    if (b->column[c] >= 3 && b->column[c] < FLY_COLUMN_OWN) {
      w[b->column[c] - 3] = at->v[b->iv + c];
      wdot[b->column[c] - 3] = at->vdot[b->iv + c];
    }
}

// ------------------------------------------------------------------------------------------ products

// out += factor times the first nv columns of the rows [first, first + rows) of A times X (nv x k)
static void equations_add(const fly_csc *A, int nv, int first, int rows, double factor, const double *X, int k,
                          double *out, int out_rows) {
  for (int c = 0; c < k; c++)
    for (int j = 0; j < nv; j++) {
      double x = factor * X[area(nv, c) + (size_t)j];
      for (int e = A->start[j]; e < A->start[j + 1]; e++)
        if (A->row[e] >= first && A->row[e] < first + rows)
          out[area(out_rows, c) + (size_t)(A->row[e] - first)] += A->val[e] * x;
    }
}

static void matrix_add(const fly_csc *A, double factor, const double *X, int k, double *out) {
  for (int c = 0; c < k; c++)
    fly_csc_multiply_add(out + area(A->rows, c), A, factor, X + area(A->cols, c));
}

// ------------------------------------------------------------------------------------------ how the basis moves

static fly_status out_of_memory(const fly_linear *l, fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory to linearize %d coordinates.", l->nv);
}

// (M G^T; G 0), factorized.
static fly_status factor_kkt(fly_linear *l, fly_error *error) {
  const fly_eval *e = &l->eval;
  int nv = l->nv, n = nv + e->nl, most = fly_csc_nnz(&e->M) + 2 * fly_csc_nnz(&e->G), k = 0;
  fly_arena work = {0};
  int *row = fly_arena_ints(&work, (size_t)most), *col = fly_arena_ints(&work, (size_t)most);
  int *place = fly_arena_ints(&work, (size_t)most);
  double *value = fly_arena_doubles(&work, (size_t)most);
  fly_status status = work.failed ? out_of_memory(l, error) : FLY_OK;
  for (int j = 0; j < nv && status == FLY_OK; j++) {
    for (int i = e->M.start[j]; i < e->M.start[j + 1]; i++, k++)
      row[k] = e->M.row[i], col[k] = j, value[k] = e->M.val[i];
    for (int i = e->G.start[j]; i < e->G.start[j + 1]; i++, k += 2) {
      row[k] = col[k + 1] = nv + e->G.row[i];
      col[k] = row[k + 1] = j;
      value[k] = value[k + 1] = e->G.val[i];
    }
  }
  if (status == FLY_OK)
    status = fly_csc_from_entries(&l->kkt, n, n, k, row, col, place, error);
  for (int i = 0; i < k && status == FLY_OK; i++)
    l->kkt.val[place[i]] = value[i];
  if (status == FLY_OK)
    status = fly_lu_create(&l->lu, &l->kkt, error);
  if (status == FLY_OK)
    status = fly_lu_factor(l->lu, &l->kkt);
  fly_arena_free(&work);
  if (status == FLY_SINGULAR)
    fly_fail(error, status, NAN, "The accelerations at this state are not determined: its matrix is singular.");
  return status == FLY_NO_MEMORY ? out_of_memory(l, error) : status;
}

// Y, mass-orthogonal to the motions the constraints leave, with G Y = g (ng x ndof): (M G^T; G 0) (Y; nu) = (0; g).
static fly_status across(const fly_linear *l, const double *g, double *Y, fly_error *error) {
  int nv = l->nv, nl = l->eval.nl;
  fly_arena work = {0};
  double *b = fly_arena_doubles(&work, (size_t)(nv + nl));
  for (int c = 0; c < l->ndof && b; c++) {
    memset(b, 0, (size_t)nv * sizeof *b);
    memcpy(b + nv, g + area(nl, c), (size_t)nl * sizeof *b);
    fly_lu_solve(l->lu, b);
    memcpy(Y + area(nv, c), b, (size_t)nv * sizeof *Y);
  }
  fly_arena_free(&work);
  return b ? FLY_OK : out_of_memory(l, error);
}

// H Z: how G Z = 0 changes as seen from the frame, H = d(G v + g_t)/dq + G [w_frame]. Returns what to compare it with.
static double constraint_change(const fly_linear *l, double *HZ) {
  const fly_eval *e = &l->eval;
  matrix_add(&e->Zg, 1.0, l->Z, l->ndof, HZ);
  double size = largest(HZ, area(e->nl, l->ndof));
  turn_columns_add(l, FLY_TURN_FRAME, 1.0, l->Z, l->Au); // lent
  matrix_add(&e->G, 1.0, l->Au, l->ndof, HZ);
  size = fmax(size, largest(l->Au, area(l->nv, l->ndof)) * largest(e->G.val, (size_t)fly_csc_nnz(&e->G)));
  memset(l->Au, 0, area(l->nv, l->ndof) * sizeof *l->Au);
  return size;
}

// Z^T M Z'' = -Z'^T M Z' - Z^T (D^T M + M D) Z', D = [w_frame] - [w]: the derivative of Z^T M Z' = 0. Its
// mass-orthogonal rest closes the constraints on accelerations, G As = -d(G v' + gamma).
static fly_status add_second_derivative(fly_linear *l, const fly_dae_state *at, const double *Zdot, fly_error *error) {
  int nv = l->nv, n = l->ndof, nl = l->eval.nl;
  fly_arena work = {0};
  double *MZ = fly_arena_doubles(&work, area(nv, n)), *MZdot = fly_arena_doubles(&work, area(nv, n));
  double *D = fly_arena_doubles(&work, area(nv, n)), *T = fly_arena_doubles(&work, area(n, n));
  double *mass = fly_arena_doubles(&work, area(n, n)), *g = fly_arena_doubles(&work, area(nl, n));
  double *Y = fly_arena_doubles(&work, area(nv, n));
  double *lent = fly_arena_doubles(&work, (size_t)(l->eval.p.nq + nv + nl));
  fly_status status = FLY_OK;
  if (work.failed)
    status = out_of_memory(l, error);
  if (status == FLY_OK) {
    matrix_add(&l->eval.M, 1.0, l->Z, n, MZ);
    matrix_add(&l->eval.M, 1.0, Zdot, n, MZdot);
    fly_dense_multiply(T, 'T', 'N', n, n, nv, -1.0, Zdot, MZdot, 0.0);
    turn_columns_add(l, FLY_TURN_FRAME, 1.0, l->Z, D);
    turn_columns_add(l, FLY_TURN_OWN, -1.0, l->Z, D);
    fly_dense_multiply(T, 'T', 'N', n, n, nv, -1.0, D, MZdot, 1.0);
    memset(D, 0, area(nv, n) * sizeof *D);
    turn_columns_add(l, FLY_TURN_FRAME, 1.0, Zdot, D);
    turn_columns_add(l, FLY_TURN_OWN, -1.0, Zdot, D);
    fly_dense_multiply(T, 'T', 'N', n, n, nv, -1.0, MZ, D, 1.0);
    memcpy(mass, l->M, area(n, n) * sizeof *mass);
    status = fly_dense_solve(mass, T, n, n, error);
  }
  if (status == FLY_OK)
    fly_dense_multiply(l->As, 'N', 'N', nv, n, n, 1.0, l->Z, T, 1.0);
  for (int c = 0; c < n && status == FLY_OK; c++)
    if (fly_eval_bend(&l->eval, g + area(nl, c), at, l->Z + area(nv, c), l->Vs + area(nv, c), lent))
      status = fly_fail(error, FLY_CALLBACK, at->t, "The constraints cannot be evaluated beside t = %.9g s.", at->t);
  if (status == FLY_OK) {
    for (size_t k = 0; k < area(nl, n); k++)
      g[k] = -g[k];
    matrix_add(&l->eval.G, -1.0, l->As, n, g);
    status = across(l, g, Y, error);
  }
  for (size_t k = 0; k < area(nv, n) && status == FLY_OK; k++)
    l->As[k] += Y[k];
  fly_arena_free(&work);
  return status;
}

// Vs, Au, As of a state that moves (docs/theory/modes.md, M-velocity, M-acceleration): with z seen from the frame,
// dv = z' + [f] z and dv' = z'' + 2 [f] z' + [f]^2 z + [f'] z - [w] dv, where z = Z s, z' = Z s' + Z' s.
static fly_status move_basis(fly_linear *l, const fly_dae_state *at, fly_error *error) {
  int nv = l->nv, n = l->ndof, nl = l->eval.nl;
  fly_arena work = {0};
  double *HZ = fly_arena_doubles(&work, area(nl, n)), *Zdot = fly_arena_doubles(&work, area(nv, n));
  if (work.failed) {
    fly_arena_free(&work);
    return out_of_memory(l, error);
  }
  fly_status status = FLY_OK;
  double size = constraint_change(l, HZ);
  l->steady = nl == 0 || largest(HZ, area(nl, n)) <= STEADY * size;
  for (size_t k = 0; k < area(nl, n); k++)
    HZ[k] = -HZ[k];
  if (!l->steady)
    status = across(l, HZ, Zdot, error);
  if (status == FLY_OK) {
    memcpy(l->Vs, Zdot, area(nv, n) * sizeof *Zdot);
    turn_columns_add(l, FLY_TURN_FRAME, 1.0, l->Z, l->Vs);
    for (size_t k = 0; k < area(nv, n); k++)
      l->Au[k] = 2 * Zdot[k];
    turn_columns_add(l, FLY_TURN_FRAME, 2.0, l->Z, l->Au);
    turn_columns_add(l, FLY_TURN_OWN, -1.0, l->Z, l->Au);
    turn_columns_add(l, FLY_TURN_FRAME, 1.0, Zdot, l->As);
    turn_columns_add(l, FLY_TURN_FRAME, 1.0, l->Vs, l->As);
    turn_columns_add(l, FLY_TURN_FRAME_SLOPE, 1.0, l->Z, l->As);
    turn_columns_add(l, FLY_TURN_OWN, -1.0, l->Vs, l->As);
  }
  if (status == FLY_OK && nl > 0)
    status = add_second_derivative(l, at, Zdot, error);
  fly_arena_free(&work);
  return status;
}

// ------------------------------------------------------------------------------------------ reduction

static bool has_feedback(const fly_linear *l) { return l->eval.p.nx + l->eval.p.ny > 0; }

void fly_linear_state_loads(const fly_linear *l, double *load) {
  const fly_eval *e = &l->eval;
  int nv = l->nv, n = l->ndof, rows = e->nrow;
  double *by_s = load, *by_u = load + area(rows, n), *by_x = by_u + area(rows, n);
  memset(load, 0, area(rows, 2 * n + e->p.nx) * sizeof *load);
  equations_add(&e->J[2], nv, 0, rows, -1.0, l->Z, n, by_s, rows);
  equations_add(&e->J[1], nv, 0, rows, -1.0, l->Z, n, by_u, rows);
  if (l->moving) {
    equations_add(&e->J[1], nv, 0, rows, -1.0, l->Vs, n, by_s, rows);
    equations_add(&e->M, nv, 0, nv, -1.0, l->As, n, by_s, rows);
    equations_add(&e->M, nv, 0, nv, -1.0, l->Au, n, by_u, rows);
    equations_add(&e->J[0], nv, 0, rows, -1.0, l->As, n, by_s, rows);
    equations_add(&e->J[0], nv, 0, rows, -1.0, l->Au, n, by_u, rows);
  }
  int first = nv + e->nl;
  for (int c = 0; c < e->p.nx; c++)
    for (int k = e->J[1].start[first + c]; k < e->J[1].start[first + c + 1]; k++)
      by_x[area(rows, c) + (size_t)e->J[1].row[k]] -= e->J[1].val[k];
}

// (M + dr/dv') Z, then G^T + dr/dlambda, dr/dx', dr/dy: the matrix of (s'', dlambda, x', dy).
static void answer_matrix(const fly_linear *l, double *A) {
  const fly_eval *e = &l->eval;
  int nv = l->nv, rows = e->nrow;
  equations_add(&e->M, nv, 0, nv, 1.0, l->Z, l->ndof, A, rows);
  equations_add(&e->J[0], nv, 0, rows, 1.0, l->Z, l->ndof, A, rows);
  double *rest = A + area(rows, l->ndof);
  for (int j = 0; j < nv; j++)
    for (int k = e->G.start[j]; k < e->G.start[j + 1]; k++)
      rest[area(rows, e->G.row[k]) + (size_t)j] += e->G.val[k];
  for (int j = nv; j < e->ncol; j++)
    for (int k = e->J[0].start[j]; k < e->J[0].start[j + 1]; k++)
      rest[area(rows, j - nv) + (size_t)e->J[0].row[k]] += e->J[0].val[k];
  for (int k = 0; k < e->p.ny; k++)
    rest[area(rows, e->nl + e->p.nx + k) + (size_t)(nv + e->p.nx + k)] += 1;
}

fly_status fly_linear_answer(const fly_linear *l, int nload, const double *load, double *answer, fly_error *error) {
  int rows = l->eval.nrow;
  fly_arena work = {0};
  double *A = fly_arena_doubles(&work, area(rows, rows));
  fly_status status = FLY_OK;
  if (work.failed)
    status = out_of_memory(l, error);
  if (status == FLY_OK) {
    answer_matrix(l, A);
    memcpy(answer, load, area(rows, nload) * sizeof *answer);
    status = fly_dense_solve(A, answer, rows, nload, error);
  }
  fly_arena_free(&work);
  if (status == FLY_SINGULAR)
    fly_fail(error, status, NAN, "The accelerations at this state are not determined: its matrix is singular.");
  return status;
}

// y - h = 0 becomes y = what is given; h is what the row was without its y, on the other side.
fly_status fly_linear_answer_opened(const fly_linear *l, int output, int nload, const double *load, double *answer,
                                    double *would, fly_error *error) {
  const int rows = l->eval.nrow, row = l->nv + l->eval.p.nx + output;
  const int column = l->ndof + l->eval.nl + l->eval.p.nx + output;
  fly_arena work = {0};
  double *A = fly_arena_doubles(&work, area(rows, rows)), *taken = fly_arena_doubles(&work, (size_t)rows);
  fly_status status = work.failed ? out_of_memory(l, error) : FLY_OK;
  if (status == FLY_OK) {
    answer_matrix(l, A);
    for (int j = 0; j < rows; j++) {
      taken[j] = A[area(rows, j) + (size_t)row] - (j == column);
      A[area(rows, j) + (size_t)row] = j == column;
    }
    memcpy(answer, load, area(rows, nload) * sizeof *answer);
    for (int c = 0; c < nload; c++)
      answer[area(rows, c) + (size_t)row] = would[c];
    status = fly_dense_solve(A, answer, rows, nload, error);
  }
  for (int c = 0; c < nload && status == FLY_OK; c++) {
    would[c] = load[area(rows, c) + (size_t)row];
    for (int j = 0; j < rows; j++)
      would[c] -= taken[j] * answer[area(rows, c) + (size_t)j];
  }
  fly_arena_free(&work);
  if (status == FLY_SINGULAR)
    fly_fail(error, status, NAN, "With the loop opened there the accelerations are not determined: a singular matrix.");
  return status;
}

static fly_status state_matrix_by_answer(const fly_linear *l, double *A, fly_error *error) {
  int n = l->ndof, nx = l->eval.p.nx, N = 2 * n + nx, rows = l->eval.nrow, x = n + l->eval.nl;
  fly_arena work = {0};
  double *load = fly_arena_doubles(&work, area(rows, N)), *answer = fly_arena_doubles(&work, area(rows, N));
  fly_status status = FLY_OK;
  if (work.failed)
    status = out_of_memory(l, error);
  if (status == FLY_OK) {
    fly_linear_state_loads(l, load);
    status = fly_linear_answer(l, N, load, answer, error);
  }
  for (int c = 0; c < N && status == FLY_OK; c++) {
    memcpy(A + area(N, c) + n, answer + area(rows, c), (size_t)n * sizeof *A);
    memcpy(A + area(N, c) + 2 * n, answer + area(rows, c) + x, (size_t)nx * sizeof *A);
  }
  fly_arena_free(&work);
  return status;
}

// -M^-1 (K, C)
static fly_status state_matrix_by_mass(const fly_linear *l, double *A, fly_error *error) {
  int n = l->ndof;
  fly_arena work = {0};
  double *M = fly_arena_doubles(&work, area(n, n)), *B = fly_arena_doubles(&work, area(n, 2 * n));
  fly_status status = FLY_OK;
  if (work.failed)
    status = out_of_memory(l, error);
  if (status == FLY_OK) {
    memcpy(M, l->M, area(n, n) * sizeof *M);
    memcpy(B, l->K, area(n, n) * sizeof *B);
    memcpy(B + area(n, n), l->C, area(n, n) * sizeof *B);
    status = fly_dense_solve(M, B, n, 2 * n, error);
  }
  for (int c = 0; c < 2 * n && status == FLY_OK; c++)
    for (int i = 0; i < n; i++)
      A[area(2 * n, c) + (size_t)(n + i)] = -B[area(n, c) + (size_t)i];
  fly_arena_free(&work);
  return status;
}

fly_status fly_linear_state_matrix(const fly_linear *l, double *A, fly_error *error) {
  int n = l->ndof, N = 2 * n + l->eval.p.nx;
  memset(A, 0, area(N, N) * sizeof *A);
  for (int i = 0; i < n; i++)
    A[area(N, n + i) + (size_t)i] = 1;
  return has_feedback(l) ? state_matrix_by_answer(l, A, error) : state_matrix_by_mass(l, A, error);
}

// Forces do not feel accelerations or reactions: Z^T of the equations of motion.
static void project(fly_linear *l, const double *load) {
  int nv = l->nv, n = l->ndof;
  fly_dense_multiply(l->K, 'T', 'N', n, n, nv, -1.0, l->Z, load, 0.0);
  fly_dense_multiply(l->C, 'T', 'N', n, n, nv, -1.0, l->Z, load + area(nv, n), 0.0);
}

// They do: s'' = -M^-1 (C s' + K s) all the same.
static fly_status solve_for_matrices(fly_linear *l, const double *load, double *answer, fly_error *error) {
  int n = l->ndof, rows = l->eval.nrow;
  fly_status status = fly_linear_answer(l, 2 * n, load, answer, error);
  for (int c = 0; c < 2 * n && status == FLY_OK; c++)
    fly_dense_multiply((c < n ? l->K : l->C) + area(n, c % n), 'N', 'N', n, 1, n, -1.0, l->M, answer + area(rows, c),
                       0.0);
  return status;
}

static void judge(fly_linear *l, const double *load) {
  int n = l->ndof;
  double k = largest(l->K, area(n, n)), made_of = largest(load, area(l->eval.nrow, n)), skew = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      skew = fmax(skew, fabs(l->K[area(n, j) + (size_t)i] - l->K[area(n, i) + (size_t)j]));
  double c = largest(l->C, area(n, n)), size = sqrt(largest(l->M, area(n, n)) * k);
  l->asymmetry = skew > 0 ? skew / fmax(k, made_of) : 0;
  l->damping = c > 0 ? c / fmax(size, 1e-300) : 0;
}

static fly_status reduce(fly_linear *l, fly_error *error) {
  int n = l->ndof, rows = l->eval.nrow, columns = 2 * n + l->eval.p.nx;
  fly_arena work = {0};
  double *load = fly_arena_doubles(&work, area(rows, columns)), *answer = fly_arena_doubles(&work, area(rows, columns));
  fly_status status = FLY_OK;
  if (work.failed)
    status = out_of_memory(l, error);
  else
    fly_linear_state_loads(l, load);
  if (status == FLY_OK && has_feedback(l))
    status = solve_for_matrices(l, load, answer, error);
  else if (status == FLY_OK)
    project(l, load);
  if (status == FLY_OK)
    judge(l, load);
  fly_arena_free(&work);
  return status;
}

// ------------------------------------------------------------------------------------------ creation

static fly_status take(fly_linear *l, fly_error *error) {
  int nv = l->nv, n = l->ndof;
  fly_arena *a = &l->memory;
  double **tall[] = {&l->Z, &l->Vs, &l->Au, &l->As}, **square[] = {&l->M, &l->C, &l->K};
  for (int k = 0; k < 4; k++)
    *tall[k] = fly_arena_doubles(a, area(nv, n));
  for (int k = 0; k < 3; k++)
    *square[k] = fly_arena_doubles(a, area(n, n));
  return a->failed ? out_of_memory(l, error) : FLY_OK;
}

// By QR of all of G^T.
static fly_status dense_basis(fly_linear *l, fly_error *error) {
  const fly_eval *e = &l->eval;
  int m = e->nl;
  fly_arena work = {0};
  double *G = fly_arena_doubles(&work, area(m, l->nv));
  for (int j = 0; j < l->nv && G; j++)
    for (int k = e->G.start[j]; k < e->G.start[j + 1]; k++)
      G[area(m, j) + (size_t)e->G.row[k]] = e->G.val[k];
  fly_status status = G ? fly_dense_null_space(l->Z, G, m, l->nv, error) : out_of_memory(l, error);
  fly_arena_free(&work);
  return status;
}

// Of many coordinates: random motions, projected mass-orthogonally onto those the constraints leave, then made
// orthonormal. As random as they were, they lean on each other only as random vectors do.
static fly_status projected_basis(fly_linear *l, fly_error *error) {
  int nv = l->nv;
  uint32_t seed = 1;
  fly_arena work = {0};
  double *b = fly_arena_doubles(&work, (size_t)(nv + l->eval.nl)), *r = fly_arena_doubles(&work, (size_t)nv);
  fly_status status = work.failed ? out_of_memory(l, error) : FLY_OK;
  for (int c = 0; c < l->ndof && status == FLY_OK; c++) {
    memset(b, 0, (size_t)(nv + l->eval.nl) * sizeof *b);
    for (int i = 0; i < nv; i++) {
      seed = seed * 1664525u + 1013904223u;
      r[i] = (double)seed / 2147483648.0 - 1;
    }
    fly_csc_multiply_add(b, &l->eval.M, 1.0, r);
    fly_lu_solve(l->lu, b);
    memcpy(l->Z + area(nv, c), b, (size_t)nv * sizeof *b);
  }
  fly_arena_free(&work);
  return status ? status : fly_dense_orthonormalize(l->Z, nv, l->ndof, error);
}

static fly_status find_basis(fly_linear *l, fly_error *error) {
  fly_arena work = {0};
  double *MZ = fly_arena_doubles(&work, area(l->nv, l->ndof));
  fly_status status = factor_kkt(l, error);
  if (status == FLY_OK && !MZ)
    status = out_of_memory(l, error);
  if (status == FLY_OK)
    status = l->nv <= DENSE_BASIS ? dense_basis(l, error) : projected_basis(l, error);
  if (status == FLY_OK) {
    matrix_add(&l->eval.M, 1.0, l->Z, l->ndof, MZ);
    fly_dense_multiply(l->M, 'T', 'N', l->ndof, l->ndof, l->nv, 1.0, l->Z, MZ, 0.0);
  }
  fly_arena_free(&work);
  return status;
}

static fly_status begin(fly_linear *l, const fly_dae_problem *p, const fly_dae_state *at, int nspin, fly_error *error) {
  *l = (fly_linear){.nv = p->nv, .ndof = p->nv - p->ng - p->nb, .steady = true};
  fly_status status = fly_eval_create(&l->eval, p, error);
  if (status)
    return status;
  if (p->nb > 0)
    return fly_fail(error, FLY_BAD_INPUT, at->t, "Nonholonomic constraints cannot be linearized yet.");
  if (fly_eval_jacobian(&l->eval, at))
    return fly_fail(error, FLY_CALLBACK, at->t, "The derivatives of the equations cannot be evaluated at t = %.9g s.",
                    at->t);
  l->spin = fly_arena_take(&l->memory, (size_t)nspin, sizeof *l->spin);
  l->moving = largest(at->v, (size_t)l->nv) > 0 || largest(at->vdot, (size_t)l->nv) > 0;
  return l->spin ? FLY_OK : out_of_memory(l, error);
}

static fly_status prepare_problem(fly_linear *l, const fly_dae_problem *problem, const fly_dae_state *at,
                                  fly_error *error) {
  const double still[3] = {0};
  fly_status status = begin(l, problem, at, problem->nrotation, error);
  if (status == FLY_OK)
    rotation_spins(l, at, still, still);
  return status;
}

fly_status fly_linear_prepare(fly_linear *l, fly_system *system, const fly_dae_state *at, int frame, fly_error *error) {
  const fly_model *m = system->model;
  double w[3], wdot[3];
  if (frame == FLY_GROUND)
    return prepare_problem(l, &system->dae, at, error);
  fly_status status = begin(l, &system->dae, at, m->nrotation + m->nbody, error);
  if (status)
    return status;
  body_spin(m, frame, at, w, wdot);
  rotation_spins(l, at, w, wdot);
  displacement_spins(l, m, w, wdot);
  return FLY_OK;
}

fly_status fly_linear_reduce(fly_linear *l, const fly_dae_state *at, fly_error *error) {
  fly_status status = take(l, error);
  if (status == FLY_OK)
    status = find_basis(l, error);
  if (status == FLY_OK && l->moving)
    status = move_basis(l, at, error);
  return status ? status : reduce(l, error);
}

fly_status fly_linear_make_problem(fly_linear *l, const fly_dae_problem *problem, const fly_dae_state *at,
                                   fly_error *error) {
  fly_status status = prepare_problem(l, problem, at, error);
  return status ? status : fly_linear_reduce(l, at, error);
}

fly_status fly_linear_make(fly_linear *l, fly_system *system, const fly_dae_state *at, fly_error *error) {
  return fly_linear_make_problem(l, &system->dae, at, error);
}

void fly_linear_free(fly_linear *l) {
  fly_eval_free(&l->eval);
  fly_csc_free(&l->kkt);
  fly_lu_free(l->lu);
  fly_arena_free(&l->memory);
}

void fly_linear_unbalanced(const fly_linear *l, const fly_dae_state *at, double *out) {
  memcpy(out, at->vdot, (size_t)l->nv * sizeof *out);
  fly_linear_turn_add(l, FLY_TURN_FRAME, -1.0, at->v, out);
}
