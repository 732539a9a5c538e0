// Which coordinates of joints may come to stick. One may pass through rest while the mechanism moves on, as a rocker
// does where it turns round: to hold it there would take a blow that stops all the rest. With the rows of joints and
// motions and the one that would hold it, G, of which that one has the rate r,
//
//   | M  G^T | | dv |   |  0   |
//   | G   0  | | -  | = | -r e |
//
// is that blow. Where it is none, the coordinate comes to rest with what it belongs to, and may stick.
#include <math.h>
#include <stdio.h>

#include "sparse/sparse.h"
#include "system/parts.h"

static const double SLIGHT = 1e-6; // of the size of the model, or of a radian, over a second: a blow that is none
static const double STEEP = 20.0;  // so much faster than the coordinate the mechanism moves: others hold it better

typedef struct entries {
  int n, *row, *col;
  double *value;
} entries;

static void put(entries *e, int row, int col, double value) {
  e->row[e->n] = row;
  e->col[e->n] = col;
  e->value[e->n++] = value;
}

static void put_matrices(entries *e, const fly_csc *M, const fly_csc *G) {
  for (int j = 0; j < M->cols; j++)
    for (int k = M->start[j]; k < M->start[j + 1]; k++)
      put(e, M->row[k], j, M->val[k]);
  for (int j = 0; j < G->cols; j++)
    for (int k = G->start[j]; k < G->start[j + 1]; k++) {
      put(e, M->cols + G->row[k], j, G->val[k]);
      put(e, j, M->cols + G->row[k], G->val[k]);
    }
}

// b becomes the solution; false: there is none, or no memory.
static bool solve(const fly_csc *M, const fly_csc *G, double *b) {
  const size_t most = (size_t)(fly_csc_nnz(M) + 2 * fly_csc_nnz(G));
  const int n = M->cols + G->rows;
  fly_arena work = {0};
  entries e = {0, fly_arena_ints(&work, most), fly_arena_ints(&work, most), fly_arena_doubles(&work, most)};
  int *place = fly_arena_ints(&work, most);
  fly_csc K = {0};
  fly_lu *lu = NULL;
  fly_status status = work.failed ? FLY_NO_MEMORY : FLY_OK;
  if (status == FLY_OK) {
    put_matrices(&e, M, G);
    status = fly_csc_from_entries(&K, n, n, e.n, e.row, e.col, place, NULL);
  }
  for (int k = 0; k < e.n && status == FLY_OK; k++)
    K.val[place[k]] += e.value[k];
  if (status == FLY_OK)
    status = fly_lu_create(&lu, &K, NULL);
  if (status == FLY_OK)
    status = fly_lu_factor(lu, &K);
  if (status == FLY_OK)
    fly_lu_solve(lu, b);
  fly_lu_free(lu);
  fly_csc_free(&K);
  fly_arena_free(&work);
  return status == FLY_OK;
}

// The largest change of velocities for a rate of 1, in sizes of the model and radians; INFINITY: there is none that
// would do.
static double blow(fly_system *kept, double t, const double *q, int row, double *b) {
  const fly_model *m = kept->model;
  fly_csc G = {0}, M = {0};
  double most = INFINITY;
  if (fly_csc_create(&G, kept->nactive, m->nv, kept->G.start, kept->G.row, NULL) == FLY_OK &&
      fly_csc_create(&M, m->nv, m->nv, kept->M.start, kept->M.row, NULL) == FLY_OK) {
    kept->dae.constraint_jacobian(G.val, t, q, kept);
    b[m->nv + kept->place_of[row]] = -1.0;
    if (kept->dae.mass(M.val, t, q, kept) == 0 && solve(&M, &G, b))
      most = 0;
    for (int i = 0; i < m->nv && most < (double)INFINITY; i++)
      most = fmax(most, fabs(b[i]) / kept->scale[i]);
  }
  fly_csc_free(&G);
  fly_csc_free(&M);
  return most;
}

static bool is_among(int row, const int *list, int n) {
  for (int k = 0; k < n; k++)
    if (list[k] == row)
      return true;
  return false;
}

// 1: yes; 0: no; -1: no memory.
static int may_stick(fly_system *s, double t, const double *q, int row, double unit) {
  const fly_model *m = s->model;
  fly_arena work = {0};
  fly_system kept;
  int *list = fly_arena_ints(&work, (size_t)m->nrow), n = 0, sticks = 0;
  double *b = fly_arena_doubles(&work, (size_t)(m->nv + m->nrow));
  for (int k = 0; k < m->nrow && !work.failed; k++)
    if (k == row || (m->row[k].held < 0 && fly_system_row_is_on(s, k)))
      list[n++] = k;
  n = work.failed ? -1 : fly_system_independent(s, t, q, n, list);
  if (n >= 0 && is_among(row, list, n)) {
    const fly_status status = fly_system_create(&kept, m, n, list, NULL);
    const double change = status ? 0.0 : blow(&kept, t, q, row, b);
    sticks = status ? -1 : change * unit <= STEEP && change * fabs(fly_system_row_rate(s, row)) <= SLIGHT;
    fly_system_free(&kept);
  }
  fly_arena_free(&work);
  return n < 0 ? -1 : sticks;
}

bool fly_system_pass(fly_system *s, double t, const double *q, const double *v) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nfriction; k++) {
    const fly_model_friction *f = &m->friction[k];
    if (f->row < 0 || s->lit[f->row] || !fly_system_row_is_on(s, f->row))
      continue;
    fly_system_update(s, q, v);
    const int sticks = may_stick(s, t, q, f->row, f->turn ? 1.0 : m->size);
    if (sticks < 0) {
      snprintf(s->refusal, sizeof s->refusal, "Out of memory for %d constraint rows.", m->nrow);
      return false;
    }
    if (sticks)
      continue;
    fly_system_set_held(s, f->direction, -fly_system_held(s, f->stuck));
    fly_system_set_held(s, f->stuck, 0);
  }
  return true;
}
