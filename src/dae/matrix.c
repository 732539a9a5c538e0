#include "dae/matrix.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/phase.h"
#include "base/quad.h"
#include "base/wide.h"
#include "math/so3.h"

// ------------------------------------------------------------------------------------------ the blocks

typedef enum source { SRC_M, SRC_G, SRC_B, SRC_ZG, SRC_ZB, SRC_U, SRC_W1, SRC_W2, SRC_J0, SRC_J1, SRC_J2 } source;
// Turned: the columns of a rotation are multiplied by its tangent T, so an entry there has three places.
typedef enum shape { PLAIN, TRANSPOSED, TURNED } shape;
typedef enum rows { MOTION, CONSTRAINT, NONHOLONOMIC, PROJECTION, VELOCITY, LOADS } rows;
typedef enum columns { ACCELERATION, LAMBDA, LAMBDA_B, ETA, MU, LOAD } columns;
typedef enum factor { ONE, LESS, C_V, C_X, C_Q, C_Q_OVER_C_V } factor; // C_V: of columns of states and outputs C_X

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
    {SRC_J1, PLAIN, MOTION, ACCELERATION, C_V, STEP},
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
    // loads p that stand for U^T W: p + W dv = 0, and -U^T p in the rows of motion
    {SRC_U, TRANSPOSED, MOTION, LOAD, LESS, STEP},
    {SRC_W1, PLAIN, LOADS, ACCELERATION, C_V, STEP},
    {SRC_W2, TURNED, LOADS, ACCELERATION, C_Q, STEP},
    {SRC_W2, TURNED, LOADS, ETA, C_Q, GGL | FREE},
};

static const fly_csc *block_source(const fly_eval *e, source s) {
  const fly_csc *list[] = {&e->M,    &e->G,    &e->B,    &e->Zg,   &e->Zb,  &e->U,
                           &e->W[0], &e->W[1], &e->J[0], &e->J[1], &e->J[2]};
  return list[s];
}

// Unknowns, and loads behind them.
static int size_of(const fly_step_matrix *m) { return m->n + m->loads; }

static bool is_equations(const block *b) { return b->source >= SRC_J0; }

// Row of the matrix in which a block begins. Constraint rows come between motion and states: those of velocities if
// both are there, because then the core is a matrix of its own (halves.c).
static int block_row(const fly_step_matrix *m, const fly_eval *e, const block *b) {
  int nv = e->p.nv, positions = m->kind == FLY_MATRIX_GGL ? m->ncore + nv : nv;
  const int first[] = {0, positions, nv + e->p.ng, m->ncore, nv, m->n};
  return first[b->row];
}

static int block_column(const fly_step_matrix *m, const fly_eval *e, const block *b) {
  int nv = e->p.nv;
  const int first[] = {0, nv, nv + e->p.ng, m->ncore, m->ncore + nv, m->n};
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

static fly_by_rows list_by_rows(fly_arena *memory, const fly_csc *a) {
  const size_t nnz = (size_t)fly_csc_nnz(a);
  fly_by_rows r = {a->row, fly_arena_ints(memory, (size_t)a->rows + 2), fly_arena_ints(memory, nnz),
                   fly_arena_ints(memory, nnz)};
  if (memory->failed)
    return r;
  int *next = r.start + 1; // ends as the starts of the rows
  for (size_t k = 0; k < nnz; k++)
    next[a->row[k] + 1]++;
  for (int i = 0; i < a->rows; i++)
    next[i + 1] += next[i];
  for (int j = 0; j < a->cols; j++)
    for (int k = a->start[j]; k < a->start[j + 1]; k++) {
      const int at = next[a->row[k]]++;
      r.column[at] = j;
      r.number[at] = k;
    }
  return r;
}

// A block as the columns of the matrix see it.
typedef struct part {
  const block *block;
  const int *start, *row; // of its source by columns; of what stands transposed by rows, with
  const int *number;      // the entries' places in val (NULL: as they stand)
  int *place;             // where the places in the matrix go
  int first_row, jump;    // jump: from row nv on, over the rows of the multipliers
  int column, columns;    // of the matrix, from where to where it goes
} part;

// A column of a part's source that goes into a column of the matrix.
typedef struct span {
  const part *part;
  int j;         // the column of the source
  int stride, c; // entry i has place number stride * i + c
} span;

typedef struct builder {
  fly_step_matrix *m;
  const fly_eval *e;
  fly_by_rows G, B, U;
  part part[FLY_MATRIX_BLOCKS];
  int nparts;
  int *seen;                        // of each row: the last column that has it, plus one (n)
  int *at;                          // of each row: its place in the column (n)
  span span[3 * FLY_MATRIX_BLOCKS]; // of one column (spans)
  int spans;
  int count; // entries of them, with repetitions
} builder;

// A block before this one that has the same entries, or this one: derivatives have one pattern.
static int same_places(const fly_step_matrix *m, const fly_eval *e, int w) {
  const block *b = &BLOCKS[w];
  const fly_csc *a = block_source(e, b->source);
  for (int k = 0; k < w && is_equations(b) && !m->in_pieces; k++) {
    const block *other = &BLOCKS[k];
    if (other->kinds & (int)m->kind && is_equations(other) && other->shape == b->shape && other->row == b->row &&
        other->column == b->column && block_source(e, other->source)->row == a->row)
      return k;
  }
  return w;
}

static void list_parts(builder *b) {
  for (int w = 0; w < FLY_MATRIX_BLOCKS; w++) {
    const block *k = &BLOCKS[w];
    if (!b->m->place[w] || same_places(b->m, b->e, w) < w)
      continue;
    const fly_csc *a = block_source(b->e, k->source);
    const fly_by_rows *r = k->source == SRC_G ? &b->G : k->source == SRC_B ? &b->B : &b->U;
    const bool back = k->shape == TRANSPOSED;
    b->part[b->nparts++] = (part){.block = k,
                                  .start = back ? r->start : a->start,
                                  .row = back ? r->column : a->row,
                                  .number = back ? r->number : NULL,
                                  .place = b->m->place[w],
                                  .first_row = block_row(b->m, b->e, k),
                                  .jump = is_equations(k) ? b->e->nl : 0,
                                  .column = block_column(b->m, b->e, k),
                                  .columns = back ? a->rows : block_columns(b->e, k, a)};
  }
}

static void add_span(builder *b, const part *p, int j, int stride, int c) {
  b->span[b->spans++] = (span){p, j, stride, c};
  b->count += p->start[j + 1] - p->start[j];
}

// What stands in a column of the matrix: each entry of a source's column, or of a rotation's three columns number c.
static void add_turned(builder *b, const part *p, int j) {
  const int rotation = b->e->rotation_of[j];
  if (rotation < 0) {
    add_span(b, p, j, 3, 0);
    return;
  }
  const int first = b->e->p.rotation_v[rotation];
  for (int i = 0; i < 3; i++)
    add_span(b, p, first + i, 3, j - first);
}

static int row_of(const part *p, int i, int nv) { return p->first_row + p->row[i] + (p->row[i] >= nv ? p->jump : 0); }

// The number of the one that stands on the diagonal in column j; -1: none.
static int one_in(const fly_step_matrix *m, const fly_eval *e, int j) {
  const int first_y = e->p.nv + e->nl + e->p.nx;
  if (j >= first_y && j < first_y + outputs(m, e))
    return j - first_y;
  const int ones = m->kind & FREE ? m->n - m->ncore : 0;
  if (j >= m->n)
    return outputs(m, e) + ones + j - m->n;
  return ones > 0 && j >= m->ncore ? outputs(m, e) + j - m->ncore : -1;
}

// Is there a zero on the diagonal of column j? Of lean derivatives modes have a diagonal block: they are
// to be eliminated first, each once, which fills the diagonal of the multipliers that act on them. A multiplier that
// has no entry on its own is given the row of another unknown, and where that is a mode, modes fill each other up.
static bool has_zero(const builder *b, int j) {
  const int ng = b->e->p.ng, first = b->e->p.nv, again = b->m->ncore + first;
  return b->e->lean && ((j >= first && j < first + ng) || (j >= again && j < again + ng));
}

static void gather(builder *b, int j) {
  b->count = b->spans = 0;
  for (const part *p = b->part; p < b->part + b->nparts; p++) {
    const int own = j - p->column;
    if (own < 0 || own >= p->columns)
      continue;
    if (p->block->shape == TURNED)
      add_turned(b, p, own);
    else
      add_span(b, p, own, 1, 0);
  }
}

// One more row of a column, unless it has it: ascending; their number.
static int add_row(builder *b, int j, int i, int *row, int count) {
  int at = count;
  if (b->seen[i] == j + 1)
    return count;
  b->seen[i] = j + 1;
  for (; at > 0 && row[at - 1] > i; at--)
    row[at] = row[at - 1];
  row[at] = i;
  return count + 1;
}

// Rows of the column; their number.
static int unite(builder *b, int j, int *row) {
  const int nv = b->e->p.nv;
  int count = 0;
  for (const span *s = b->span; s < b->span + b->spans; s++)
    for (int i = s->part->start[s->j]; i < s->part->start[s->j + 1]; i++)
      count = add_row(b, j, row_of(s->part, i, nv), row, count);
  return one_in(b->m, b->e, j) >= 0 || has_zero(b, j) ? add_row(b, j, j, row, count) : count;
}

static void put_places(builder *b, int j) {
  const int nv = b->e->p.nv, *at = b->at, one = one_in(b->m, b->e, j);
  for (const span *s = b->span; s < b->span + b->spans; s++) {
    const part *p = s->part;
    for (int i = p->start[s->j]; i < p->start[s->j + 1]; i++)
      p->place[p->number ? p->number[i] : s->stride * i + s->c] = at[row_of(p, i, nv)];
  }
  if (one >= 0)
    b->m->one[one] = at[j];
}

static size_t block_places(const fly_eval *e, const block *b) {
  size_t n = (size_t)fly_csc_nnz(block_source(e, b->source));
  return b->shape == TURNED ? 3 * n : n;
}

// Rows of all columns one behind the other, in an array that grows.
typedef struct pattern {
  int *start; // (n + 1)
  int *row, room;
} pattern;

// As many rows as there are entries in its sources, mostly.
static bool take_rows(const builder *b, pattern *p) {
  size_t most = (size_t)size_of(b->m);
  for (const part *k = b->part; k < b->part + b->nparts; k++)
    most += (size_t)k->start[k->columns];
  return most > INT_MAX || fly_reserve(&p->row, &p->room, (int)(most / 2), sizeof *p->row);
}

static bool place_entries(builder *b, pattern *p) {
  if (!take_rows(b, p))
    return false;
  for (int j = 0; j < size_of(b->m); j++) {
    const int first = p->start[j];
    gather(b, j);
    if (!fly_reserve(&p->row, &p->room, first + b->count + 1, sizeof *p->row))
      return false;
    const int count = unite(b, j, p->row + first);
    for (int k = first; k < first + count; k++)
      b->at[p->row[k]] = k;
    put_places(b, j);
    p->start[j + 1] = first + count;
  }
  return true;
}

// ------------------------------------------------------------------------------------------ pieces

enum { OF_MOTION, OF_STATES, OF_VELOCITIES, OF_NONE = -1 }; // c_v and c_q; c_x; c_q/c_v

static int piece_of(factor f) { return f == C_V || f == C_Q ? OF_MOTION : f == C_Q_OVER_C_V ? OF_VELOCITIES : OF_NONE; }

// The places of a block that belong to a piece are marked, or renumbered by the marks. At states and outputs those of
// c_v are of c_x.
static void visit_places(fly_step_matrix *m, const fly_eval *e, int which, int piece, int *mark, bool renumber) {
  const block *b = &BLOCKS[which];
  const fly_csc *a = block_source(e, b->source);
  int *place = m->place[which];
  const int cols = place ? block_columns(e, b, a) : 0;
  for (int j = 0; j < cols; j++) {
    if (piece != (b->factor == C_V && j >= e->p.nv ? OF_STATES : piece_of(b->factor)))
      continue;
    const int stride = b->shape == TURNED ? 3 : 1, used = stride == 3 && e->rotation_of[j] < 0 ? 1 : stride;
    for (int k = a->start[j]; k < a->start[j + 1]; k++)
      for (int i = stride * k; i < stride * k + used; i++)
        if (renumber)
          place[i] = mark[place[i]];
        else
          mark[place[i]] = 1;
  }
}

// The entries that are marked become numbers in the piece.
static bool number_piece(fly_step_matrix *m, int piece, int *mark, int nnz) {
  fly_piece *p = &m->piece[piece];
  for (int k = 0; k < nnz; k++) {
    p->count += mark[k];
    p->runs += mark[k] && (k == 0 || !mark[k - 1]);
  }
  p->start = fly_arena_ints(&m->memory, (size_t)p->runs);
  p->length = fly_arena_ints(&m->memory, (size_t)p->runs);
  p->one = fly_arena_doubles(&m->memory, (size_t)p->count);
  p->at[0] = fly_arena_doubles(&m->memory, (size_t)p->count);
  p->at[1] = piece == OF_MOTION ? fly_arena_doubles(&m->memory, (size_t)p->count) : NULL;
  if (m->memory.failed)
    return false;
  for (int k = 0, run = -1, number = 0, before = 0; k < nnz; k++) {
    if (mark[k] && !before)
      p->start[++run] = k;
    before = mark[k];
    if (mark[k])
      p->length[run]++;
    mark[k] = number;
    number += before;
  }
  return true;
}

// Of each entry: the number of its piece, plus one; 0: it stands in none. mark: work.
static void find_kinds(unsigned char *kind, fly_step_matrix *m, const fly_eval *e, int *mark, int nnz) {
  memset(mark, 0, (size_t)nnz * sizeof *mark);
  for (int piece = 0; piece < FLY_MATRIX_PIECES; piece++) {
    for (int w = 0; w < FLY_MATRIX_BLOCKS; w++)
      visit_places(m, e, w, piece, mark, false);
    for (int k = 0; k < nnz; k++)
      if (mark[k] && !kind[k])
        kind[k] = (unsigned char)(piece + 1);
  }
}

// Values stand where the factorization reads them.
static void move_places(fly_step_matrix *m, const fly_eval *e, const int *at) {
  for (int w = 0; w < FLY_MATRIX_BLOCKS; w++)
    for (size_t k = 0; m->place[w] && k < block_places(e, &BLOCKS[w]); k++)
      m->place[w][k] = at[m->place[w][k]];
  for (int k = 0; k < m->nones; k++)
    m->one[k] = at[m->one[k]];
}

static bool split_pieces(fly_step_matrix *m, const fly_eval *e, int *mark, int nnz) {
  for (int piece = 0; piece < FLY_MATRIX_PIECES; piece++) {
    for (int k = 0; k < nnz; k++)
      mark[k] = 0;
    for (int w = 0; w < FLY_MATRIX_BLOCKS; w++)
      visit_places(m, e, w, piece, mark, false);
    if (!number_piece(m, piece, mark, nnz))
      return false;
    for (int w = 0; w < FLY_MATRIX_BLOCKS; w++)
      visit_places(m, e, w, piece, mark, true);
  }
  return true;
}

// ------------------------------------------------------------------------------------------ scatters

// Columns are worked on as a whole where they are long enough for that.
static bool find_scatters(fly_step_matrix *m, const fly_eval *e) {
  for (int w = 0; w < FLY_MATRIX_BLOCKS; w++) {
    const block *b = &BLOCKS[w];
    const fly_csc *a = block_source(e, b->source);
    const bool turned = b->shape == TURNED;
    if (!m->place[w] || !(turned || (b->shape == PLAIN && fly_csc_nnz(a) > 4 * a->cols)))
      continue;
    const int same = same_places(m, e, w);
    if (same < w) {
      m->scatter[w] = m->scatter[same];
      continue;
    }
    const bool fine = turned ? fly_scatter_find_turned(&m->scatter[w], &m->memory, e, a, m->place[w])
                             : fly_scatter_find(&m->scatter[w], &m->memory, a, m->place[w]);
    if (!fine)
      return false;
  }
  return true;
}

// Column by column: lists of all entries of all blocks would be several times as long as the matrix.
static fly_status build_columns(fly_step_matrix *m, const fly_eval *e, fly_error *error) {
  fly_arena work = {0};
  const size_t n = (size_t)size_of(m);
  builder b = {.m = m, .e = e, .seen = fly_arena_ints(&work, n), .at = fly_arena_ints(&work, n)};
  pattern p = {.start = fly_zeroed(n + 1, sizeof *p.start)};
  const bool like = m->like && m->like->G.of == e->G.row, keep = m->kind == FLY_MATRIX_KKT;
  b.G = like ? m->like->G : list_by_rows(keep ? &m->memory : &work, &e->G);
  m->G = keep ? b.G : m->G;
  b.B = list_by_rows(&work, &e->B);
  b.U = list_by_rows(&work, &e->U);
  list_parts(&b);
  const bool fine = !work.failed && !m->memory.failed && p.start && place_entries(&b, &p);
  fly_arena_free(&work);
  if (fine)
    return fly_csc_adopt(&m->a, (int)n, (int)n, p.start, p.row, error);
  free(p.start);
  free(p.row);
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a matrix of %d unknowns.", m->n);
}

static fly_status build_pattern(fly_step_matrix *m, const fly_eval *e, fly_error *error) {
  for (int w = 0; w < FLY_MATRIX_BLOCKS; w++)
    if (BLOCKS[w].kinds & (int)m->kind) {
      const int same = same_places(m, e, w);
      m->place[w] = same < w ? m->place[same] : fly_arena_ints(&m->memory, block_places(e, &BLOCKS[w]));
    }
  m->nones = outputs(m, e) + (m->kind & FREE ? m->n - m->ncore : 0) + m->loads;
  m->wide = fly_arena_doubles(&m->memory, m->loads > 0 ? (size_t)size_of(m) : 0);
  m->one = fly_arena_ints(&m->memory, (size_t)m->nones);
  m->T = fly_arena_doubles(&m->memory, 9 * (size_t)e->p.nrotation);
  if (m->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a matrix of %d unknowns.", m->n);
  return build_columns(m, e, error);
}

void fly_step_matrix_size(fly_step_matrix *m, fly_matrix_kind kind, const fly_eval *e) {
  *m = (fly_step_matrix){.kind = kind};
  int projection = e->p.nv + e->p.ng;
  m->ncore = kind == FLY_MATRIX_PROJECTION ? projection : e->ncol;
  m->n = m->ncore + (kind == FLY_MATRIX_GGL ? projection : kind & FREE ? e->p.nv : 0);
  m->loads = kind & STEP ? e->U.rows : 0;
}

void fly_step_matrix_use_diagonal(fly_step_matrix *m, const fly_step_matrix *like) {
  m->diagonal = true;
  m->like = like;
}

static fly_status fail_memory(const fly_step_matrix *m, fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a matrix of size %d.", m->n);
}

// Pivots of its own: the unknowns of each body belong together. kind: of each entry (fly_lu_groups); may be NULL.
static fly_status create_diagonal(fly_step_matrix *m, const fly_eval *e, const unsigned char *kind, fly_error *error) {
  const int size = size_of(m), nv = e->p.nv;
  int *group = e->p.group_v ? malloc((size_t)size * sizeof *group) : NULL;
  if (e->p.group_v && !group)
    return fail_memory(m, error);
  for (int j = 0; group && j < size; j++)
    group[j] = j < nv ? e->p.group_v[j] : -1;
  const fly_status status = fly_lu_create_symmetric(&m->lu, &m->a, (fly_lu_groups){group, m->rough, kind},
                                                    m->like ? m->like->lu : NULL, error);
  free(group);
  return status;
}

static fly_status create_factors(fly_step_matrix *m, const fly_eval *e, const unsigned char *kind, fly_error *error) {
  const bool zeros = e->lean; // on the diagonal, which is no less full for them
  return m->diagonal && (!zeros || size_of(m) >= FLY_LU_LARGE) ? create_diagonal(m, e, kind, error)
                                                               : fly_lu_create(&m->lu, &m->a, error);
}

// The factors may want values elsewhere, those of a piece side by side.
static fly_status create_in_pieces(fly_step_matrix *m, const fly_eval *e, fly_error *error) {
  const int nnz = fly_csc_nnz(&m->a);
  fly_arena work = {0};
  int *mark = fly_arena_ints(&work, (size_t)nnz + 1);
  unsigned char *kind = fly_arena_take(&work, (size_t)nnz + 1, 1);
  fly_status status;
  if (mark && kind) {
    find_kinds(kind, m, e, mark, nnz);
    status = create_factors(m, e, kind, error);
    if (status == FLY_OK && fly_lu_values(m->lu))
      move_places(m, e, fly_lu_values(m->lu));
    if (status == FLY_OK && !split_pieces(m, e, mark, nnz))
      status = fail_memory(m, error);
  } else {
    status = fail_memory(m, error);
  }
  fly_arena_free(&work);
  return status;
}

fly_status fly_step_matrix_build(fly_step_matrix *m, const fly_eval *e, fly_error *error) {
  fly_status status = build_pattern(m, e, error);
  if (status)
    return status;
  m->known = false;
  m->factored = fly_arena_doubles(&m->memory, m->kind == FLY_MATRIX_KKT ? (size_t)fly_csc_nnz(&m->a) : 0);
  if (m->memory.failed)
    return fail_memory(m, error);
  status = m->in_pieces ? create_in_pieces(m, e, error) : create_factors(m, e, NULL, error);
  return status || find_scatters(m, e) ? status : fail_memory(m, error);
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

void fly_step_matrix_solve(fly_step_matrix *m, double *b) {
  if (m->loads == 0) {
    fly_lu_solve(m->lu, b);
    return;
  }
  memcpy(m->wide, b, (size_t)m->n * sizeof *b);
  memset(m->wide + m->n, 0, (size_t)m->loads * sizeof *b);
  fly_lu_solve(m->lu, m->wide);
  memcpy(b, m->wide, (size_t)m->n * sizeof *b);
}

void fly_step_matrix_forget(fly_step_matrix *m) {
  m->known = false;
  fly_lu_forget(m->lu);
}

void fly_step_matrix_free(fly_step_matrix *m) {
  fly_lu_free(m->lu);
  fly_csc_free(&m->a);
  fly_arena_free(&m->memory);
  m->G = (fly_by_rows){0};
}

void fly_step_matrix_image(fly_step_matrix *m, const fly_eval *e, fly_image *image) {
  uint64_t built = m->lu != NULL;
  fly_image_same(image, (uint64_t)m->n);
  fly_image_bytes(image, &built, sizeof built);
  if (image->reading && built && !m->lu && !image->failure && fly_step_matrix_build(m, e, NULL))
    image->failure = FLY_IMAGE_NO_MEMORY;
  if (image->reading && !built && m->lu && !image->failure) {
    fly_step_matrix_free(m);
    *m = (fly_step_matrix){.kind = m->kind,
                           .n = m->n,
                           .ncore = m->ncore,
                           .loads = m->loads,
                           .diagonal = m->diagonal,
                           .rough = m->rough,
                           .in_pieces = m->in_pieces,
                           .like = m->like};
  }
  if (image->failure || !built)
    return;
  fly_image_bytes(image, m->T, 9 * (size_t)e->p.nrotation * sizeof *m->T);
  fly_image_bytes(image, &m->known, sizeof m->known);
  for (int k = 0; k < FLY_MATRIX_PIECES; k++) {
    double *list[] = {m->piece[k].one, m->piece[k].at[0], m->piece[k].at[1]};
    for (int i = 0; i < 3 && list[i]; i++)
      fly_image_bytes(image, list[i], (size_t)m->piece[k].count * sizeof(double));
  }
  if (!image->reading && m->in_terms.c_q != 0)
    fly_step_matrix_refill(m, &m->in_terms);
  m->in_terms = (fly_coef){0};
  if (m->kind == FLY_MATRIX_KKT)
    fly_image_bytes(image, m->factored, (size_t)fly_csc_nnz(&m->a) * sizeof *m->factored);
  fly_lu_image(m->lu, image, &m->a);
}

// ------------------------------------------------------------------------------------------ values

// Where the entries of a block go, and times what.
typedef struct target {
  double *val;
  double c;
} target;

// The columns of its source from `first` to `end`.
static void fill_plain(const target *to, const fly_step_matrix *m, const fly_eval *e, int which, int first, int end) {
  fly_scatter_add(to->val, to->c, block_source(e, BLOCKS[which].source), m->place[which], &m->scatter[which], first,
                  end);
}

static void fill_turned(const target *to, const fly_step_matrix *m, const fly_eval *e, int which) {
  fly_scatter_add_turned(to->val, to->c, block_source(e, BLOCKS[which].source), m->place[which], &m->scatter[which], e,
                         m->T);
}

static void set_tangents(fly_step_matrix *m, const fly_eval *e, const double *delta) {
  const double zero[3] = {0};
  for (int k = 0; k < e->p.nrotation; k++)
    fly_so3_tangent(m->T + 9 * k, delta ? delta + e->p.rotation_v[k] : zero);
}

// All blocks, each to the target of its factor.
static void fill_blocks(const fly_step_matrix *m, const fly_eval *e, const target *to) {
  for (int w = 0; w < FLY_MATRIX_BLOCKS; w++) {
    const block *b = &BLOCKS[w];
    const int cols = block_source(e, b->source)->cols, split = b->factor == C_V ? e->p.nv : cols;
    if (!m->place[w])
      continue;
    if (b->shape == TURNED) {
      fill_turned(&to[b->factor], m, e, w);
      continue;
    }
    fill_plain(&to[b->factor], m, e, w, 0, split);
    fill_plain(&to[C_X], m, e, w, split, cols);
  }
  for (int i = 0; i < m->nones; i++)
    to[ONE].val[m->one[i]] += 1.0;
}

// Of a stage that another one moves c_v may be negative.
static double ratio_of(const fly_coef *c) { return c->c_v != 0 ? c->c_q / c->c_v : 0.0; }

static void fill(fly_step_matrix *m, const fly_eval *e, const fly_coef *c) {
  double *val = m->a.val;
  const target to[] = {[ONE] = {val, 1},      [LESS] = {val, -1},    [C_V] = {val, c->c_v},
                       [C_X] = {val, c->c_x}, [C_Q] = {val, c->c_q}, [C_Q_OVER_C_V] = {val, ratio_of(c)}};
  fly_csc_zero(&m->a);
  fill_blocks(m, e, to);
}

// ------------------------------------------------------------------------------------------ values in pieces

// What is constant goes into the matrix, and what else stands at its places into their pieces.
static void fill_pieces(fly_step_matrix *m, const fly_eval *e) {
  fly_piece *p = m->piece;
  const target to[] = {
      [ONE] = {m->a.val, 1},           [LESS] = {m->a.val, -1},         [C_V] = {p[OF_MOTION].at[0], 1},
      [C_X] = {p[OF_STATES].at[0], 1}, [C_Q] = {p[OF_MOTION].at[1], 1}, [C_Q_OVER_C_V] = {p[OF_VELOCITIES].at[0], 1}};
  fly_csc_zero(&m->a);
  for (int k = 0; k < FLY_MATRIX_PIECES; k++)
    for (int i = 0; i < 2 && p[k].at[i]; i++)
      memset(p[k].at[i], 0, (size_t)p[k].count * sizeof(double));
  fill_blocks(m, e, to);
  for (int k = 0; k < FLY_MATRIX_PIECES; k++) {
    double *one = p[k].one;
    for (int i = 0; i < p[k].runs; one += p[k].length[i++])
      memcpy(one, m->a.val + p[k].start[i], (size_t)p[k].length[i] * sizeof *one);
  }
}

// val = one + a at[0] + b at[1]
INLINED void put_piece(double *val, const fly_piece *p, double a, double b, const bool both) {
  const double *one = p->one, *first = p->at[0], *second = p->at[1];
  for (int k = 0; k < p->runs; k++) {
    double *to = val + p->start[k];
    const int count = p->length[k];
    int i = 0;
    for (; i + FOUR <= count; i += FOUR) {
      quad sum = *(const quad *)(one + i) + a * *(const quad *)(first + i);
      if (both)
        sum += b * *(const quad *)(second + i);
      *(quad *)(to + i) = sum;
    }
    for (; i < count; i++)
      to[i] = both ? one[i] + a * first[i] + b * second[i] : one[i] + a * first[i];
    one += count;
    first += count;
    second = both ? second + count : NULL;
  }
}

FLY_WIDE static void join_pieces(fly_step_matrix *m, const fly_coef *c) {
  put_piece(m->a.val, &m->piece[OF_MOTION], c->c_v, c->c_q, true);
  put_piece(m->a.val, &m->piece[OF_STATES], c->c_x, 0, false);
  put_piece(m->a.val, &m->piece[OF_VELOCITIES], ratio_of(c), 0, false);
  m->in_terms = (fly_coef){0};
}

// ------------------------------------------------------------------------------------------ filling

void fly_step_matrix_fill(fly_step_matrix *m, const fly_eval *e, const fly_coef *c, const double *delta) {
  const fly_phase before = fly_phase_enter(FLY_PHASE_SCATTER);
  set_tangents(m, e, delta);
  if (m->in_pieces) {
    fill_pieces(m, e);
    join_pieces(m, c);
  } else {
    fill(m, e, c);
  }
  fly_phase_leave(before);
}

void fly_step_matrix_fill_turned(fly_step_matrix *m, const fly_eval *e, const fly_coef *c) {
  const fly_phase before = fly_phase_enter(FLY_PHASE_SCATTER);
  fill(m, e, c);
  fly_phase_leave(before);
}

void fly_step_matrix_refill(fly_step_matrix *m, const fly_coef *c) {
  const fly_phase before = fly_phase_enter(FLY_PHASE_SCATTER);
  join_pieces(m, c);
  fly_phase_leave(before);
}

fly_status fly_step_matrix_refactor(fly_step_matrix *m, const fly_coef *c) {
  const fly_piece *p = m->piece;
  const fly_terms term[FLY_KINDS - 1] = {
      [OF_MOTION] = {p[OF_MOTION].one, {p[OF_MOTION].at[0], p[OF_MOTION].at[1]}, {c->c_v, c->c_q}},
      [OF_STATES] = {p[OF_STATES].one, {p[OF_STATES].at[0]}, {c->c_x}},
      [OF_VELOCITIES] = {p[OF_VELOCITIES].one, {p[OF_VELOCITIES].at[0]}, {ratio_of(c)}}};
  if (fly_lu_factor_terms(m->lu, &m->a, term)) {
    m->in_terms = *c;
    return FLY_OK;
  }
  fly_step_matrix_refill(m, c);
  return fly_lu_factor_again(m->lu, &m->a);
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
  const double complex value[] = {[ONE] = 1.0, [LESS] = -1.0, [C_V] = c, [C_Q] = c * c, [C_Q_OVER_C_V] = c};
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
