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
#include <string.h>

#include "expr/expr.h"
#include "math/so3.h"
#include "sparse/sparse.h"
#include "system/parts.h"

static const double SLIGHT = 1e-5; // of the size of the model, or of a radian, over a second: a blow that is none
static const double SAME = 1e-6;   // of a slip: what it has beside others that is none
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

// The change of velocities for a rate of 1 of a row, into b; false: there is none.
static bool blow(fly_system *kept, double t, const double *q, int row, double *b) {
  const fly_model *m = kept->model;
  fly_csc G = {0}, M = {0};
  bool found = false;
  memset(b, 0, (size_t)(m->nv + kept->nactive) * sizeof *b);
  if (fly_csc_create(&G, kept->nactive, m->nv, kept->G.start, kept->G.row, NULL) == FLY_OK &&
      fly_csc_create(&M, m->nv, m->nv, kept->M.start, kept->M.row, NULL) == FLY_OK) {
    kept->dae.constraint_jacobian(G.val, t, q, kept);
    b[m->nv + kept->place_of[row]] = 1.0;
    found = kept->dae.mass(M.val, t, q, kept) == 0 && solve(&M, &G, b);
  }
  fly_csc_free(&G);
  fly_csc_free(&M);
  return found;
}

static double largest(const fly_system *s, const double *dv) {
  double most = 0;
  for (int i = 0; i < s->model->nv; i++)
    most = fmax(most, fabs(dv[i]) / s->scale[i]);
  return most;
}

static bool is_among(int row, const int *list, int n) {
  for (int k = 0; k < n; k++)
    if (list[k] == row)
      return true;
  return false;
}

// ------------------------------------------------------------------------------------------ slips that are possible

// Of a friction that comes to stick: slips that the mechanism allows, orthonormal.
typedef struct slips {
  int count;
  double basis[FLY_RUBS][FLY_RUBS];
} slips;

// Adds what a slip has beside those that are there.
static void add_slip(slips *all, int n, const double *slip) {
  double *b = all->basis[all->count], size = 0, left = 0;
  for (int i = 0; i < n; i++) {
    b[i] = slip[i];
    size += slip[i] * slip[i];
  }
  for (int k = 0; k < all->count; k++) {
    double part = 0;
    for (int i = 0; i < n; i++)
      part += all->basis[k][i] * b[i];
    for (int i = 0; i < n; i++)
      b[i] -= part * all->basis[k][i];
  }
  for (int i = 0; i < n; i++)
    left += b[i] * b[i];
  if (left <= SAME * SAME * size)
    return;
  for (int i = 0; i < n; i++)
    b[i] /= sqrt(left);
  all->count++;
}

// The slip of a friction when the velocities are dv, and how fast its fastest coordinate is, in sizes of the model or
// radians.
static double slip_of(fly_system *s, const fly_model_friction *f, const double *q, const double *dv, double *slip) {
  double fastest = 0;
  fly_system_update(s, q, dv);
  for (int r = 0; r < f->rows; r++) {
    const int k = f->along[r];
    const double rate = fly_system_row_rate(s, f->row + r);
    slip[k] = f->lever[k] * rate;
    fastest = fmax(fastest, fabs(rate) / (f->component[k] >= 3 ? 1.0 : s->model->size));
  }
  return fastest;
}

// A load across them is carried by the joints of the mechanism, not by friction (F-spread).
static void set_spread(fly_system *s, const fly_model_friction *f, const slips *all) {
  for (int i = 0, held = f->spread; i < f->n && held >= 0; i++)
    for (int j = i; j < f->n; j++, held++) {
      double sum = 0;
      for (int k = 0; k < all->count; k++)
        sum += all->basis[k][i] * all->basis[k][j];
      fly_system_set_held(s, held, sum);
    }
}

// ------------------------------------------------------------------------------------------ may it stick?

typedef struct sticking {
  const fly_model_friction *f;
  double t;
  const double *q, *v;
  double *b; // work (nv + nrow)
} sticking;

static bool holds(fly_system *s, const sticking *w, fly_system *kept, const int *list, int n) {
  const fly_model_friction *f = w->f;
  slips all = {0};
  double rate[FLY_RUBS], sum = 0;
  fly_system_update(s, w->q, w->v);
  for (int r = 0; r < f->rows; r++)
    rate[r] = fly_system_row_rate(s, f->row + r);
  for (int r = 0; r < f->rows; r++) {
    double slip[FLY_RUBS] = {0};
    if (!is_among(f->row + r, list, n))
      continue;
    if (!blow(kept, w->t, w->q, f->row + r, w->b) || largest(s, w->b) > STEEP * slip_of(s, f, w->q, w->b, slip))
      return false;
    sum += largest(s, w->b) * fabs(rate[r]);
    add_slip(&all, f->n, slip);
  }
  set_spread(s, f, &all);
  return all.count > 0 && sum <= SLIGHT;
}

static bool is_own(const fly_model_friction *f, int row) { return row >= f->row && row < f->row + f->rows; }

// 1: yes; 0: no; -1: no memory.
static int may_stick(fly_system *s, double t, const double *q, const double *v, const fly_model_friction *f) {
  const fly_model *m = s->model;
  fly_arena work = {0};
  fly_system kept;
  int *list = fly_arena_ints(&work, (size_t)m->nrow), n = 0, sticks = 0;
  const sticking w = {f, t, q, v, fly_arena_doubles(&work, (size_t)(m->nv + m->nrow))};
  for (int k = 0; k < m->nrow && !work.failed; k++)
    if (is_own(f, k) || (m->row[k].held < 0 && fly_system_row_is_on(s, k) && !fly_system_gives_way(s, k)))
      list[n++] = k;
  n = work.failed ? -1 : fly_system_independent(s, t, q, n, list);
  if (n >= 0) {
    const fly_status status = fly_system_create_soft(&kept, m, &s->softness, n, list, NULL);
    if (status == FLY_OK)
      fly_system_copy_grips(&kept, s);
    sticks = status ? -1 : holds(s, &w, &kept, list, n);
    fly_system_free(&kept);
  }
  fly_arena_free(&work);
  return n < 0 ? -1 : sticks;
}

// It slides on, the other way; where nobody knows which way it came, the next event finds out.
static void slide_on(fly_system *s, int k) {
  const fly_model_friction *f = &s->model->friction[k];
  double *slid = s->slid + FLY_RUBS * k, size = 0;
  for (int i = 0; i < f->n; i++)
    size += fabs(slid[i]);
  for (int i = 0; i < f->n; i++)
    fly_system_set_held(s, f->direction + i, size > 0 ? -slid[i] : i == 0 ? -1.0 : 0.0);
  fly_system_set_held(s, f->stuck, 0);
}

bool fly_system_pass(fly_system *s, double t, const double *q, const double *v) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nfriction; k++) {
    const fly_model_friction *f = &m->friction[k];
    if (f->row < 0 || s->lit[f->row] || !fly_system_row_is_on(s, f->row))
      continue;
    const int sticks = may_stick(s, t, q, v, f);
    if (sticks < 0) {
      snprintf(s->refusal, sizeof s->refusal, "Out of memory for %d constraint rows.", m->nrow);
      return false;
    }
    if (!sticks)
      slide_on(s, k);
  }
  return true;
}

// An event that lets it go.
static bool lets_go(const fly_model *m, const fly_model_event *e, const fly_model_friction *f) {
  double value;
  const fly_model_action *a = &m->action[e->action];
  return e->part && e->naction > 0 && a->kind == FLY_SET_HELD && a->which == f->stuck &&
         fly_expr_is_constant(m->expression[a->expression], &value) && value == 0;
}

const fly_item *fly_system_slipping(fly_system *s, const fly_dae_state *at) {
  const fly_model *m = s->model;
  fly_system_felt(s, at);
  for (int k = 0; k < m->nfriction; k++)
    for (int e = 0; e < m->nroot && m->friction[k].pair >= 0; e++)
      if (lets_go(m, &m->event[e], &m->friction[k]) && fly_expr_margin(m->expression[m->event[e].when], s->input) > 0)
        return &m->spec->item[m->friction[k].item];
  return NULL;
}

// ------------------------------------------------------------------------------------------ directions

void fly_system_note_slides(fly_system *s) {
  for (int k = 0; k < s->model->nfriction; k++) {
    const fly_model_friction *f = &s->model->friction[k];
    for (int i = 0; i < f->n && f->stuck >= 0; i++)
      s->slid[FLY_RUBS * k + i] = fly_system_held(s, f->direction + i);
  }
}

// The held direction is only felt by slips slower than eta: those that are faster take it along.
static void turn_slide(fly_system *s, const fly_model_friction *f, const fly_dae_state *at) {
  double slip[FLY_RUBS], along = 0, size = 0;
  for (int i = 0; i < f->n; i++) {
    fly_system_update_input(s, at, f->rate[i]);
    slip[i] = f->lever[i] * s->input[1 + f->rate[i]];
    along += slip[i] * fly_system_held(s, f->direction + i);
    size += slip[i] * slip[i];
  }
  for (int i = 0; i < f->n && along > 2 * f->eta; i++)
    fly_system_set_held(s, f->direction + i, slip[i] / sqrt(size));
}

void fly_system_turn_slides(fly_system *s, const fly_dae_state *at) {
  for (int k = 0; k < s->model->nfriction; k++)
    if (s->model->friction[k].stuck >= 0 && s->model->friction[k].n > 1) {
      fly_system_update(s, at->q, at->v);
      turn_slide(s, &s->model->friction[k], at);
    }
}

// ------------------------------------------------------------------------------------------ orientations

void fly_system_take_grips(fly_system *s) {
  for (int k = 0; k < s->model->nfriction; k++) {
    const fly_model_friction *f = &s->model->friction[k];
    if (!f->grips || f->pair < 0)
      continue;
    s->grip[k] = *s->pair[f->pair].mj;
    s->pair[f->pair].mj = &s->grip[k];
  }
}

void fly_system_copy_grips(fly_system *s, const fly_system *from) {
  for (int k = 0; k < s->model->nfriction; k++)
    s->grip[k] = from->grip[k];
}

// A_j = R_j^T R_i A_i
void fly_system_align_grips(fly_system *s, const double *q) {
  for (int k = 0; k < s->model->nfriction; k++) {
    const fly_model_friction *f = &s->model->friction[k];
    if (!f->grips || f->row < 0 || s->lit[f->row] || !fly_system_row_is_on(s, f->row))
      continue;
    fly_system_update(s, q, NULL);
    const fly_pair *p = &s->pair[f->pair];
    double R[9];
    fly_multiply3_transposed(R, p->bj->R, p->bi->R);
    fly_multiply3(s->grip[k].A, R, p->mi->A);
    s->value_known = false;
  }
}
