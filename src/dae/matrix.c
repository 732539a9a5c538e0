#include "dae/matrix.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/phase.h"
#include "math/so3.h"

// ------------------------------------------------------------------------------------------ the blocks

typedef enum source { SRC_M, SRC_G, SRC_B, SRC_ZG, SRC_ZB, SRC_J0, SRC_J1, SRC_J2 } source;
// Turned: the columns of a rotation are multiplied by its tangent T, so an entry there has three places.
typedef enum shape { PLAIN, TRANSPOSED, TURNED } shape;
typedef enum rows { MOTION, CONSTRAINT, NONHOLONOMIC, PROJECTION, VELOCITY } rows;
typedef enum columns { ACCELERATION, LAMBDA, LAMBDA_B, ETA, MU } columns;
typedef enum factor { ONE, C_V_OR_C_X, C_Q, C_Q_OVER_C_V } factor;

enum {
  KKT = FLY_MATRIX_KKT,
  I3 = FLY_MATRIX_INDEX3,
  I2 = FLY_MATRIX_INDEX2,
  GGL = FLY_MATRIX_GGL,
  PRO = FLY_MATRIX_PROJECTION,
  F3 = FLY_MATRIX_FREE3,
  F2 = FLY_MATRIX_FREE2,
  F1 = FLY_MATRIX_FREE1,
  FREE = F3 | F2 | F1,
  STEP = I3 | I2 | GGL | FREE,
  ALL = KKT | STEP
};

typedef struct block {
  source source;
  shape shape;
  rows row;
  columns column;
  factor factor;
  int kinds; // in which matrices it stands
} block;

// The whole matrix. Blocks J run over the rows motion, states, outputs and over all columns of the core.
static const block BLOCKS[FLY_MATRIX_BLOCKS] = {
    {SRC_M, PLAIN, MOTION, ACCELERATION, ONE, ALL | PRO},
    {SRC_G, TRANSPOSED, MOTION, LAMBDA, ONE, ALL | PRO},
    {SRC_B, TRANSPOSED, MOTION, LAMBDA_B, ONE, ALL},
    {SRC_J0, PLAIN, MOTION, ACCELERATION, ONE, ALL},
    {SRC_J1, PLAIN, MOTION, ACCELERATION, C_V_OR_C_X, STEP},
    {SRC_J2, TURNED, MOTION, ACCELERATION, C_Q, STEP},
    {SRC_G, PLAIN, CONSTRAINT, ACCELERATION, ONE, KKT | I2 | F2 | F1},
    {SRC_G, TURNED, CONSTRAINT, ACCELERATION, ONE, I3 | GGL | PRO | F3},
    {SRC_ZG, TURNED, CONSTRAINT, ACCELERATION, C_Q_OVER_C_V, I2 | F2 | F1},
    {SRC_B, PLAIN, NONHOLONOMIC, ACCELERATION, ONE, ALL},
    {SRC_ZB, TURNED, NONHOLONOMIC, ACCELERATION, C_Q_OVER_C_V, STEP},
    // stabilized: positions are also moved by eta, M eta + G^T mu = 0
    {SRC_J2, TURNED, MOTION, ETA, C_Q, GGL | FREE},
    {SRC_G, TURNED, CONSTRAINT, ETA, ONE, GGL | F3},
    {SRC_ZG, TURNED, CONSTRAINT, ETA, C_Q_OVER_C_V, F2},
    {SRC_ZB, TURNED, NONHOLONOMIC, ETA, C_Q_OVER_C_V, GGL | F3 | F2},
    {SRC_M, PLAIN, PROJECTION, ETA, ONE, GGL},
    {SRC_G, TRANSPOSED, PROJECTION, MU, ONE, GGL},
    {SRC_G, PLAIN, VELOCITY, ACCELERATION, ONE, GGL},
    {SRC_ZG, TURNED, VELOCITY, ACCELERATION, C_Q_OVER_C_V, GGL},
    {SRC_ZG, TURNED, VELOCITY, ETA, C_Q_OVER_C_V, GGL},
};

static const fly_csc *block_source(const fly_eval *e, source s) {
  const fly_csc *list[] = {&e->M, &e->G, &e->B, &e->Zg, &e->Zb, &e->J[0], &e->J[1], &e->J[2]};
  return list[s];
}

static bool is_equations(const block *b) { return b->source >= SRC_J0; }

// Row of the matrix in which row i of a block stands. Constraint rows come between motion and states: those of
// velocities if both are there, because then the core is a matrix of its own (halves.c).
static int block_row(const fly_step_matrix *m, const fly_eval *e, const block *b, int i) {
  int nv = e->p.nv, positions = m->kind == FLY_MATRIX_GGL ? m->ncore + nv : nv;
  const int first[] = {0, positions, nv + e->p.ng, m->ncore, nv};
  return first[b->row] + i + (is_equations(b) && i >= nv ? e->nl : 0);
}

static int block_column(const fly_step_matrix *m, const fly_eval *e, const block *b) {
  int nv = e->p.nv;
  const int first[] = {0, nv, nv + e->p.ng, m->ncore, m->ncore + nv};
  return first[b->column];
}

static int outputs(const fly_step_matrix *m, const fly_eval *e) {
  return m->kind == FLY_MATRIX_PROJECTION ? 0 : e->p.ny;
}

// Turned blocks have columns v only.
static int block_columns(const fly_eval *e, const block *b, const fly_csc *a) {
  return b->shape == TURNED ? e->p.nv : a->cols;
}

// ------------------------------------------------------------------------------------------ pattern

static void append_block(fly_step_matrix *m, fly_entries *s, const fly_eval *e, int which) {
  const block *b = &BLOCKS[which];
  const fly_csc *a = block_source(e, b->source);
  int *place = m->place[which], col = block_column(m, e, b);
  for (int j = 0; j < block_columns(e, b, a); j++) {
    int rotation = b->shape == TURNED ? e->rotation_of[j] : -1;
    for (int k = a->start[j]; k < a->start[j + 1]; k++) {
      if (b->shape == TRANSPOSED)
        place[k] = fly_entries_add(s, block_row(m, e, b, j), col + a->row[k]);
      else if (b->shape == PLAIN)
        place[k] = fly_entries_add(s, block_row(m, e, b, a->row[k]), col + j);
      else if (rotation < 0)
        place[3 * k] = fly_entries_add(s, block_row(m, e, b, a->row[k]), col + j);
      else
        for (int c = 0; c < 3; c++)
          place[3 * k + c] = fly_entries_add(s, block_row(m, e, b, a->row[k]), col + e->p.rotation_v[rotation] + c);
    }
  }
}

static size_t block_places(const fly_eval *e, const block *b) {
  size_t n = (size_t)fly_csc_nnz(block_source(e, b->source));
  return b->shape == TURNED ? 3 * n : n;
}

// Entry numbers become places in a.val. A turned entry outside rotations has one number, the other two stay 0.
static void translate_places(fly_step_matrix *m, const fly_eval *e, const int *final) {
  for (int w = 0; w < FLY_MATRIX_BLOCKS; w++)
    for (size_t k = 0; m->place[w] && k < block_places(e, &BLOCKS[w]); k++)
      m->place[w][k] = final[m->place[w][k]];
  for (int i = 0; i < m->nones; i++)
    m->one[i] = final[m->one[i]];
}

static void collect(fly_step_matrix *m, fly_entries *s, const fly_eval *e) {
  for (int w = 0; w < FLY_MATRIX_BLOCKS; w++)
    if (m->place[w])
      append_block(m, s, e, w);
  int first_y = e->p.nv + e->nl + e->p.nx;
  for (int i = 0; i < outputs(m, e); i++)
    m->one[m->nones++] = fly_entries_add(s, first_y + i, first_y + i);
  for (int i = m->ncore; m->kind & FREE && i < m->n; i++)
    m->one[m->nones++] = fly_entries_add(s, i, i);
}

static fly_status build_pattern(fly_step_matrix *m, const fly_eval *e, fly_error *error) {
  size_t ones = (size_t)e->p.ny + (size_t)e->p.nv, total = ones + 1;
  for (int w = 0; w < FLY_MATRIX_BLOCKS; w++)
    if (BLOCKS[w].kinds & (int)m->kind) {
      size_t n = block_places(e, &BLOCKS[w]);
      m->place[w] = fly_arena_ints(&m->memory, n);
      total += n;
    }
  m->one = fly_arena_ints(&m->memory, ones);
  m->T = fly_arena_doubles(&m->memory, 9 * (size_t)e->p.nrotation);
  fly_arena work = {0};
  fly_entries s = {0, fly_arena_ints(&work, total), fly_arena_ints(&work, total)};
  int *final = fly_arena_ints(&work, total);
  fly_status status = FLY_OK;
  if (work.failed || m->memory.failed)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a matrix of %d unknowns.", m->n);
  if (status == FLY_OK) {
    collect(m, &s, e);
    status = fly_csc_from_entries(&m->a, m->n, m->n, s.count, s.row, s.col, final, error);
  }
  if (status == FLY_OK)
    translate_places(m, e, final);
  fly_arena_free(&work);
  return status;
}

void fly_step_matrix_size(fly_step_matrix *m, fly_matrix_kind kind, const fly_eval *e) {
  *m = (fly_step_matrix){.kind = kind};
  int projection = e->p.nv + e->p.ng;
  m->ncore = kind == FLY_MATRIX_PROJECTION ? projection : e->ncol;
  m->n = m->ncore + (kind == FLY_MATRIX_GGL ? projection : kind & FREE ? e->p.nv : 0);
}

fly_status fly_step_matrix_build(fly_step_matrix *m, const fly_eval *e, fly_error *error) {
  fly_status status = build_pattern(m, e, error);
  if (status)
    return status;
  m->known = false;
  m->factored = fly_arena_doubles(&m->memory, m->kind == FLY_MATRIX_KKT ? (size_t)fly_csc_nnz(&m->a) : 0);
  if (m->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a matrix of size %d.", m->n);
  return fly_lu_create(&m->lu, &m->a, error);
}

// At one place accelerations, projections and slopes are asked for one after the other, with the same values mostly.
fly_status fly_step_matrix_factor(fly_step_matrix *m) {
  const size_t size = (size_t)fly_csc_nnz(&m->a) * sizeof *m->factored;
  if (m->known && memcmp(m->factored, m->a.val, size) == 0)
    return FLY_OK;
  const fly_status status = fly_lu_factor(m->lu, &m->a);
  m->known = status == FLY_OK;
  if (m->known)
    memcpy(m->factored, m->a.val, size);
  return status;
}

void fly_step_matrix_forget(fly_step_matrix *m) {
  m->known = false;
  fly_lu_forget(m->lu);
}

void fly_step_matrix_free(fly_step_matrix *m) {
  fly_lu_free(m->lu);
  fly_csc_free(&m->a);
  fly_arena_free(&m->memory);
}

void fly_step_matrix_image(fly_step_matrix *m, const fly_eval *e, fly_image *image) {
  uint64_t built = m->lu != NULL;
  fly_image_same(image, (uint64_t)m->n);
  fly_image_bytes(image, &built, sizeof built);
  if (image->reading && built && !m->lu && !image->failure && fly_step_matrix_build(m, e, NULL))
    image->failure = FLY_IMAGE_NO_MEMORY;
  if (image->reading && !built && m->lu && !image->failure) {
    fly_step_matrix_free(m);
    *m = (fly_step_matrix){.kind = m->kind, .n = m->n, .ncore = m->ncore};
  }
  if (image->failure || !built)
    return;
  fly_image_bytes(image, m->T, 9 * (size_t)e->p.nrotation * sizeof *m->T);
  fly_image_bytes(image, &m->known, sizeof m->known);
  if (m->kind == FLY_MATRIX_KKT)
    fly_image_bytes(image, m->factored, (size_t)fly_csc_nnz(&m->a) * sizeof *m->factored);
  fly_lu_image(m->lu, image, &m->a);
}

// ------------------------------------------------------------------------------------------ values

static void fill_plain(fly_step_matrix *m, const fly_eval *e, int which, double c, double c_x) {
  const fly_csc *a = block_source(e, BLOCKS[which].source);
  const int *place = m->place[which];
  int split = BLOCKS[which].factor == C_V_OR_C_X ? a->start[e->p.nv] : fly_csc_nnz(a);
  for (int k = 0; k < split; k++)
    m->a.val[place[k]] += c * a->val[k];
  for (int k = split; k < fly_csc_nnz(a); k++)
    m->a.val[place[k]] += c_x * a->val[k];
}

static void fill_turned(fly_step_matrix *m, const fly_eval *e, int which, double c) {
  const fly_csc *a = block_source(e, BLOCKS[which].source);
  const int *place = m->place[which];
  for (int j = 0; j < e->p.nv; j++) {
    int rotation = e->rotation_of[j];
    if (rotation < 0) {
      for (int k = a->start[j]; k < a->start[j + 1]; k++)
        m->a.val[place[3 * k]] += c * a->val[k];
      continue;
    }
    const double *T = m->T + 9 * rotation + 3 * (j - e->p.rotation_v[rotation]);
    for (int k = a->start[j]; k < a->start[j + 1]; k++)
      for (int i = 0; i < 3; i++)
        m->a.val[place[3 * k + i]] += c * a->val[k] * T[i];
  }
}

static void set_tangents(fly_step_matrix *m, const fly_eval *e, const double *delta) {
  const double zero[3] = {0};
  for (int k = 0; k < e->p.nrotation; k++)
    fly_so3_tangent(m->T + 9 * k, delta ? delta + e->p.rotation_v[k] : zero);
}

static void fill(fly_step_matrix *m, const fly_eval *e, const fly_coef *c) {
  double value[] = {[ONE] = 1.0, [C_V_OR_C_X] = c->c_v, [C_Q] = c->c_q, [C_Q_OVER_C_V] = 0.0};
  if (c->c_v != 0) // of a stage that another one moves it may be negative
    value[C_Q_OVER_C_V] = c->c_q / c->c_v;
  fly_csc_zero(&m->a);
  for (int w = 0; w < FLY_MATRIX_BLOCKS; w++) {
    if (!m->place[w])
      continue;
    if (BLOCKS[w].shape == TURNED)
      fill_turned(m, e, w, value[BLOCKS[w].factor]);
    else
      fill_plain(m, e, w, value[BLOCKS[w].factor], c->c_x);
  }
  for (int i = 0; i < m->nones; i++)
    m->a.val[m->one[i]] += 1.0;
}

void fly_step_matrix_fill(fly_step_matrix *m, const fly_eval *e, const fly_coef *c, const double *delta) {
  const fly_phase before = fly_phase_enter(FLY_PHASE_SCATTER);
  set_tangents(m, e, delta);
  fill(m, e, c);
  fly_phase_leave(before);
}

void fly_step_matrix_fill_turned(fly_step_matrix *m, const fly_eval *e, const fly_coef *c) {
  const fly_phase before = fly_phase_enter(FLY_PHASE_SCATTER);
  fill(m, e, c);
  fly_phase_leave(before);
}

// ------------------------------------------------------------------------------------------ complex values

static void fill_plain_complex(double complex *val, const fly_step_matrix *m, const fly_eval *e, int which,
                               double complex c) {
  const fly_csc *a = block_source(e, BLOCKS[which].source);
  const int *place = m->place[which];
  for (int k = 0; k < fly_csc_nnz(a); k++)
    val[place[k]] += c * a->val[k];
}

static void fill_turned_complex(double complex *val, const fly_step_matrix *m, const fly_eval *e, int which,
                                double complex c, const double complex *T) {
  const fly_csc *a = block_source(e, BLOCKS[which].source);
  const int *place = m->place[which];
  for (int j = 0; j < e->p.nv; j++) {
    int rotation = e->rotation_of[j];
    double complex turned[3] = {c};
    for (int i = 0; i < 3 && rotation >= 0; i++)
      turned[i] = c * T[9 * rotation + 3 * (j - e->p.rotation_v[rotation]) + i];
    for (int k = a->start[j]; k < a->start[j + 1]; k++)
      for (int i = 0; i < (rotation < 0 ? 1 : 3); i++)
        val[place[3 * k + i]] += turned[i] * a->val[k];
  }
}

void fly_step_matrix_fill_complex(double complex *val, const fly_step_matrix *m, const fly_eval *e, double complex c,
                                  const double complex *T) {
  const double complex value[] = {[ONE] = 1.0, [C_V_OR_C_X] = c, [C_Q] = c * c, [C_Q_OVER_C_V] = c};
  const fly_phase before = fly_phase_enter(FLY_PHASE_SCATTER);
  memset(val, 0, (size_t)fly_csc_nnz(&m->a) * sizeof *val);
  for (int w = 0; w < FLY_MATRIX_BLOCKS; w++) {
    if (!m->place[w])
      continue;
    if (BLOCKS[w].shape == TURNED)
      fill_turned_complex(val, m, e, w, value[BLOCKS[w].factor], T);
    else
      fill_plain_complex(val, m, e, w, value[BLOCKS[w].factor]);
  }
  for (int i = 0; i < m->nones; i++)
    val[m->one[i]] += 1.0;
  fly_phase_leave(before);
}
