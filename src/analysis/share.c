// The smallest lambda of all rows with a given effect (RR-smallest). With multipliers scaled to forces, l = W lambda,
// and velocities to lengths, A = W^-1 G D^-1, b = D^-1 Q:
//
//   minimize l^T l / 2  so that  A^T l + M y = b,  A_k y = 0
//
// where A_k are the rows kept, and y takes what Q has in directions that are free, as between accepted points: what is
// free, and so the rank, is said by the rows kept, not by how nearly the others depend on them. With l = A x
//
//   | A^T A  M    0     | | x  |   | b |
//   |   M    0    A_k^T | | y  | = | 0 |
//   |   0    A_k  0     | | mu |   | 0 |
//
// is sparse, and regular wherever the rows kept are independent and the motion is determined.
#include "analysis/share.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

// ------------------------------------------------------------------------------------------ which rows

static int root_of(int *parent, int k) {
  while (parent[k] != k)
    k = parent[k] = parent[parent[k]];
  return k;
}

// Rows that move a body in common, and those they lead to, belong to one part.
static void join_rows(const fly_csc *G, int *parent) {
  for (int k = 0; k < G->rows; k++)
    parent[k] = k;
  for (int j = 0; j < G->cols; j++)
    for (int k = G->start[j] + 1; k < G->start[j + 1]; k++)
      parent[root_of(parent, G->row[k])] = root_of(parent, G->row[k - 1]);
}

// Marks the parts that have a row left out, and lists their rows below `held`.
static void list_rows(fly_share *s, const int *place, int held, int *parent, bool *shares) {
  join_rows(&s->G, parent);
  for (int k = 0; k < s->nrow; k++)
    if (place[s->system->active[k]] < 0)
      shares[root_of(parent, k)] = true;
  for (int k = 0; k < s->nrow && k < held; k++)
    if (shares[root_of(parent, k)])
      s->row[s->rows++] = k;
}

// Entries of the rows listed, by rows.
static void list_entries(fly_share *s, int *of_row, int *of_col) {
  const fly_csc *G = &s->G;
  for (int k = 0; k < s->nrow; k++)
    of_row[k] = -1;
  for (int k = 0; k < s->rows; k++)
    of_row[s->row[k]] = k;
  for (int j = 0; j < G->cols; j++) {
    of_col[j] = -1;
    for (int k = G->start[j]; k < G->start[j + 1]; k++)
      if (of_row[G->row[k]] >= 0) {
        if (of_col[j] < 0) {
          s->col[s->cols] = j;
          of_col[j] = s->cols++;
        }
        s->start[of_row[G->row[k]] + 1]++;
      }
  }
  for (int k = 0; k < s->rows; k++)
    s->start[k + 1] += s->start[k];
  for (int j = 0; j < G->cols; j++)
    for (int k = G->start[j]; k < G->start[j + 1]; k++)
      if (of_row[G->row[k]] >= 0) {
        int to = s->start[of_row[G->row[k]]]++;
        s->entry[to] = k;
        s->at[to] = of_col[j];
      }
  memmove(s->start + 1, s->start, (size_t)s->rows * sizeof *s->start);
  s->start[0] = 0;
}

// What else moves with a body that is among them, by its inertia.
static void add_inertia(fly_share *s, int *of_col) {
  const fly_csc *M = &s->system->M;
  for (int j = 0; j < M->cols; j++)
    for (int k = M->start[j]; k < M->start[j + 1]; k++)
      if (of_col[j] >= 0 && of_col[M->row[k]] < 0) {
        s->col[s->cols] = M->row[k];
        of_col[M->row[k]] = s->cols++;
      }
}

// ------------------------------------------------------------------------------------------ scales

static double stiffness_of(const fly_share *s, int k) {
  return fly_system_own_law(s->system, s->system->active[s->row[k]]).stiffness;
}

// Where joints give way, what they share is what strains them least (S-share): by compliances, beside which those of
// rigid rows are nothing.
static void set_compliances(fly_share *s) {
  const double rigid = 1e-3;
  double least = 0;
  for (int k = 0; k < s->rows; k++) {
    const double stiffness = stiffness_of(s, k);
    if (stiffness > 0)
      least = least > 0 ? fmin(least, sqrt(1 / stiffness)) : sqrt(1 / stiffness);
  }
  for (int k = 0; k < s->rows && least > 0; k++) {
    const double stiffness = stiffness_of(s, k);
    s->scale[k] = stiffness > 0 ? sqrt(1 / stiffness) : rigid * least;
  }
}

// A multiplier pushes each coordinate of its row by the factor that has there: as forces, torques over the size of the
// model.
static void set_scales(fly_share *s, double *square) {
  const fly_model *m = s->system->model;
  for (int k = 0; k < m->nterm; k++) {
    const fly_term *t = &m->term[k];
    const bool length = t->kind == FLY_POINT || t->kind == FLY_PLANE || t->kind == FLY_DISTANCE;
    const double force = t->factor / (length ? 1.0 : m->size);
    for (int bit = t->rows, row = t->row; bit; bit >>= 1)
      if (bit & 1) {
        const int kept = s->system->place_of[row++];
        square[kept < 0 ? 0 : kept] += kept < 0 ? 0.0 : force * force;
      }
  }
  for (int k = 0; k < s->rows; k++)
    s->scale[k] = sqrt(square[s->row[k]]);
  for (int k = 0; k < s->cols; k++)
    s->unit[k] = m->size / s->system->scale[s->col[k]];
  set_compliances(s);
}

// ------------------------------------------------------------------------------------------ the matrix

// Entries of S, one after another: counted, then listed, then filled, always in the same order.
typedef struct entries {
  int n;
  int *row, *col; // NULL: they are filled in
} entries;

static void put(fly_share *s, entries *e, int row, int col, double value) {
  if (e->row) {
    e->row[e->n] = row;
    e->col[e->n] = col;
  } else {
    s->S.val[s->place[e->n]] += value;
  }
  e->n++;
}

static void put_row(fly_share *s, entries *e, int k, int mu) {
  const int c = s->cols;
  for (int i = s->start[k]; i < s->start[k + 1]; i++) {
    for (int j = s->start[k]; j < s->start[k + 1]; j++)
      put(s, e, s->at[i], s->at[j], s->value[i] * s->value[j]);
    if (mu < 0)
      continue;
    put(s, e, c + s->at[i], 2 * c + mu, s->value[i]);
    put(s, e, 2 * c + mu, c + s->at[i], s->value[i]);
  }
}

static void put_mass(fly_share *s, entries *e) {
  const fly_csc *M = &s->system->M;
  const int c = s->cols;
  for (int a = 0; a < c; a++)
    for (int k = M->start[s->col[a]]; k < M->start[s->col[a] + 1]; k++) {
      const int b = s->of_col[M->row[k]];
      const double value = M->val[k] / (s->mass * s->unit[a] * s->unit[b]);
      put(s, e, b, c + a, value);
      put(s, e, c + b, a, value);
    }
}

static void put_all(fly_share *s, entries *e) {
  for (int k = 0, mu = 0; k < s->rows; k++)
    put_row(s, e, k, s->kept[s->row[k]] ? mu++ : -1);
  put_mass(s, e);
}

static size_t count_entries(const fly_share *s) {
  size_t n = 0;
  for (int k = 0; k < s->rows; k++) {
    const size_t width = (size_t)(s->start[k + 1] - s->start[k]);
    n += width * (width + 2);
  }
  return n + 2 * (size_t)fly_csc_nnz(&s->system->M);
}

static fly_status no_memory(const fly_share *s, fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the reactions of %d constraint rows.", s->nrow);
}

static fly_status make_pattern(fly_share *s, fly_error *error) {
  const size_t most = count_entries(s);
  fly_arena work = {0};
  entries e = {0, fly_arena_ints(&work, most), fly_arena_ints(&work, most)};
  s->place = fly_arena_ints(&s->memory, most);
  fly_status status = work.failed || s->memory.failed ? no_memory(s, error) : FLY_OK;
  if (status == FLY_OK) {
    put_all(s, &e);
    status = fly_csc_from_entries(&s->S, s->n, s->n, e.n, e.row, e.col, s->place, error);
  }
  fly_arena_free(&work);
  return status ? status : fly_lu_create(&s->lu, &s->S, error);
}

// ------------------------------------------------------------------------------------------ life

static void take(fly_share *s) {
  const size_t nrow = (size_t)s->nrow, nv = (size_t)s->G.cols, nnz = (size_t)fly_csc_nnz(&s->G);
  int **ints[] = {&s->row, &s->col, &s->of_col, &s->start, &s->entry, &s->at};
  double **doubles[] = {&s->scale, &s->unit, &s->value, &s->force, &s->x, &s->lambda};
  const size_t int_sizes[] = {nrow, nv, nv, nrow + 1, nnz, nnz};
  const size_t double_sizes[] = {nrow, nv, nnz, nv, 2 * nv + nrow, nrow + (size_t)s->nrest};
  for (size_t k = 0; k < sizeof ints / sizeof *ints; k++)
    *ints[k] = fly_arena_ints(&s->memory, int_sizes[k]);
  for (size_t k = 0; k < sizeof doubles / sizeof *doubles; k++)
    *doubles[k] = fly_arena_doubles(&s->memory, double_sizes[k]);
  s->kept = fly_arena_take(&s->memory, nrow, sizeof *s->kept);
}

static double largest_mass(const fly_share *s) {
  const fly_csc *M = &s->system->M;
  double most = 0;
  for (int a = 0; a < s->cols; a++)
    for (int k = M->start[s->col[a]]; k < M->start[s->col[a] + 1]; k++)
      most = fmax(most, fabs(M->val[k]) / (s->unit[a] * s->unit[a]));
  return most > 0 ? most : 1.0;
}

static fly_status list_all(fly_share *s, const int *place, int held, fly_error *error) {
  fly_arena work = {0};
  int *of_row = fly_arena_ints(&work, (size_t)s->nrow);
  bool *shares = fly_arena_take(&work, (size_t)s->nrow, sizeof *shares);
  double *square = fly_arena_doubles(&work, (size_t)s->nrow);
  take(s);
  fly_status status = work.failed || s->memory.failed ? no_memory(s, error) : FLY_OK;
  if (status == FLY_OK) {
    list_rows(s, place, held, of_row, shares);
    list_entries(s, of_row, s->of_col);
    add_inertia(s, s->of_col);
    set_scales(s, square);
    s->mass = largest_mass(s);
    s->n = 2 * s->cols;
    for (int k = 0; k < s->nrow; k++)
      s->kept[k] = place[s->system->active[k]] >= 0;
    for (int k = 0; k < s->rows; k++)
      s->n += s->kept[s->row[k]];
  }
  fly_arena_free(&work);
  return status;
}

fly_status fly_share_create(fly_share *s, fly_system *system, const int *place, int held, int rest, fly_error *error) {
  *s = (fly_share){.system = system, .nrow = system->nactive, .nrest = rest};
  fly_status status = fly_csc_create(&s->G, s->nrow, system->model->nv, system->G.start, system->G.row, error);
  if (status == FLY_OK)
    status = list_all(s, place, held, error);
  return status || s->rows == 0 ? status : make_pattern(s, error);
}

bool fly_share_fits(const fly_share *s, const int *place) {
  for (int k = 0; k < s->nrow; k++)
    if (s->kept[k] != (place[s->system->active[k]] >= 0))
      return false;
  return true;
}

void fly_share_free(fly_share *s) {
  fly_lu_free(s->lu);
  fly_csc_free(&s->G);
  fly_csc_free(&s->S);
  fly_arena_free(&s->memory);
  *s = (fly_share){0};
}

// ------------------------------------------------------------------------------------------ the smallest

static bool factor(fly_share *s, double t, const double *q) {
  entries e = {0};
  fly_csc_zero(&s->G);
  fly_csc_zero(&s->S);
  s->system->dae.constraint_jacobian(s->G.val, t, q, s->system);
  for (int k = 0; k < s->rows; k++)
    for (int i = s->start[k]; i < s->start[k + 1]; i++)
      s->value[i] = s->G.val[s->entry[i]] / (s->scale[k] * s->unit[s->at[i]]);
  put_all(s, &e);
  return fly_lu_factor(s->lu, &s->S) == FLY_OK;
}

// From b, in the first places of x: the multipliers of the rows that share, in s->lambda.
static void find_smallest(fly_share *s) {
  memset(s->x + s->cols, 0, (size_t)(s->n - s->cols) * sizeof *s->x);
  fly_lu_solve(s->lu, s->x);
  for (int k = 0; k < s->rows; k++) {
    double l = 0;
    for (int i = s->start[k]; i < s->start[k + 1]; i++)
      l += s->value[i] * s->x[s->at[i]];
    s->lambda[s->row[k]] = l / s->scale[k];
  }
}

const double *fly_share_of_multipliers(fly_share *s, double t, const double *q, const double *lambda) {
  if (s->rows == 0 || !factor(s, t, q))
    return lambda;
  memcpy(s->lambda, lambda, (size_t)(s->nrow + s->nrest) * sizeof *lambda);
  memset(s->x, 0, (size_t)s->cols * sizeof *s->x);
  for (int k = 0; k < s->rows; k++)
    for (int i = s->start[k]; i < s->start[k + 1]; i++)
      s->x[s->at[i]] += s->value[i] * s->scale[k] * lambda[s->row[k]];
  find_smallest(s);
  return s->lambda;
}

const double *fly_share_of_motion(fly_share *s, const fly_dae_state *at, const double *lambda) {
  fly_system *all = s->system;
  if (s->rows == 0 || !factor(s, at->t, at->q))
    return lambda;
  memcpy(s->lambda, lambda, (size_t)(s->nrow + s->nrest) * sizeof *lambda);
  memset(s->force, 0, (size_t)all->model->nv * sizeof *s->force);
  all->dae.force(s->force, at, all);
  fly_csc_multiply_add(s->force, &all->M, -1.0, at->vdot);
  if (all->model->nslip > 0) { // what does not slip carries its own part
    fly_csc_zero(&all->B);
    all->dae.nonholonomic(all->B.val, at->t, at->q, all);
    fly_csc_multiply_transposed_add(s->force, &all->B, -1.0, lambda + s->nrow);
  }
  for (int k = 0; k < s->cols; k++)
    s->x[k] = s->force[s->col[k]] / s->unit[k];
  find_smallest(s);
  return s->lambda;
}
