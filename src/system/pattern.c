// Where M, G and J have entries, and where each element writes its own.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "system/parts.h"

static bool is_coupled(const fly_body *b, int i, int j) {
  const int first = b->type->block, behind = first + b->blocks;
  const int apart = b->columns - (b->type->apart ? b->type->apart(&b->own) : 0);
  return i == j || (i >= first && i < behind && j >= first && j < behind && (i < apart || j < apart));
}

// Columns of M of one body: how many entries each has, or where they are and their values.
static void count_mass(const fly_body *b, int *count) {
  for (int j = 0; j < b->columns; j++)
    for (int i = 0; i < b->columns; i++)
      count[b->iv + j] += is_coupled(b, i, j);
}

static void put_mass(fly_csc *M, const fly_body *b, double *block) {
  b->type->mass(block, &(fly_body_at){.q = b->q0}, &b->own);
  for (int j = 0; j < b->columns; j++)
    for (int i = 0, n = M->start[b->iv + j]; i < b->columns; i++)
      if (is_coupled(b, i, j)) {
        M->row[n] = b->iv + i;
        M->val[n++] = block[b->columns * i + j];
      }
}

// Block by block: nothing is to be sorted.
static fly_status make_mass(fly_system *s, fly_csc *M, fly_error *error) {
  const fly_model *m = s->model;
  int *start = fly_zeroed((size_t)m->nv + 1, sizeof *start);
  for (int k = 0; k < m->nbody && start; k++)
    count_mass(&m->body[k], start + 1);
  for (int j = 0; j < m->nv && start; j++)
    start[j + 1] += start[j];
  int *row = start ? fly_zeroed((size_t)start[m->nv], sizeof *row) : NULL;
  if (!row) {
    free(start);
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d bodies.", m->nbody);
  }
  const fly_status status = fly_csc_adopt(M, m->nv, m->nv, start, row, error);
  for (int k = 0; k < m->nbody && status == FLY_OK; k++)
    put_mass(M, &m->body[k], s->body_block);
  return status;
}

// Entries that the terms may have in G, if all of their rows are kept.
static size_t most_entries(const fly_model *m) {
  size_t n = 0;
  for (int k = 0; k < m->nterm; k++)
    for (int r = 0; r < 3; r++)
      for (unsigned c = m->term[k].rows >> r & 1 ? fly_primitive_types[m->term[k].kind].columns[r] : 0; c; c &= c - 1)
        n++;
  return n;
}

// Entries of a term in G, whose pair has these columns, one after another from n on.
static int append_term(fly_system *s, int k, const int column[FLY_PAIR], int *row, int *col, int n) {
  const fly_term *term = &s->model->term[k];
  int model_row = term->row;
  for (int r = 0; r < 3; r++) {
    const int kept = term->rows >> r & 1 ? s->place_of[model_row++] : -1;
    unsigned columns = kept >= 0 ? fly_primitive_types[term->kind].columns[r] : 0;
    for (int c = 0; columns; c++, columns >>= 1) {
      if (!(columns & 1) || column[c] < 0)
        continue;
      row[n] = kept;
      col[n] = column[c];
      s->G_from[n++] = (unsigned char)(FLY_PAIR * r + c);
    }
  }
  return n;
}

// Terms of a pair follow each other mostly.
static void append_terms(fly_system *s, int *row, int *col) {
  const fly_model *m = s->model;
  int column[FLY_PAIR];
  for (int k = 0; k < m->nterm; k++) {
    if (k == 0 || m->term[k].pair != m->term[k - 1].pair)
      fly_system_pair_columns(m, m->term[k].pair, column);
    s->G_start[k + 1] = append_term(s, k, column, row, col, s->G_start[k]);
  }
}

static bool are_factors_one(const fly_model *m) {
  for (int k = 0; k < m->nterm; k++)
    if (m->term[k].factor != 1)
      return false;
  return true;
}

static fly_status make_rows(fly_system *s, fly_patterns *p, fly_error *error) {
  const fly_model *m = s->model;
  const size_t most = most_entries(m);
  fly_arena work = {0};
  int *row = fly_arena_ints(&work, most), *col = fly_arena_ints(&work, most);
  s->G_start = fly_arena_ints(&p->memory, (size_t)m->nterm + 1);
  s->G_place = fly_arena_ints(&p->memory, most);
  s->G_from = fly_arena_take(&p->memory, most, sizeof *s->G_from);
  fly_status status = FLY_OK;
  if (work.failed || p->memory.failed)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d constraint rows.", m->nrow);
  if (status == FLY_OK)
    append_terms(s, row, col);
  const int n = status == FLY_OK ? s->G_start[m->nterm] : 0;
  if (status == FLY_OK)
    status = fly_csc_from_entries(&p->G, s->nactive, fly_wide(m), n, row, col, s->G_place, error);
  s->G_sole = status == FLY_OK && fly_csc_nnz(&p->G) == n && are_factors_one(m);
  if (status == FLY_OK && !fly_system_find_bundles(s, &p->memory))
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d constraint rows.", m->nrow);
  fly_arena_free(&work);
  return status;
}

fly_status fly_system_make_patterns(fly_system *s, fly_error *error) {
  fly_patterns *p = s->patterns = fly_zeroed(1, sizeof *p);
  if (!p)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d bodies.", s->model->nbody);
  p->users = 1;
  fly_status status = make_mass(s, &p->M, error);
  if (status == FLY_OK)
    status = make_rows(s, p, error);
  if (status)
    return status;
  s->M = p->M;
  p->sole = s->G_sole;
  p->bundled = s->bundled;
  p->nbundle = s->nbundle;
  p->G_start = s->G_start;
  p->G_from = s->G_from;
  p->G_place = s->G_place;
  p->bundle = s->bundle;
  return fly_csc_create_like(&s->G, &p->G, error);
}

fly_status fly_system_share_patterns(fly_system *s, fly_patterns *p, fly_error *error) {
  p->users++;
  s->patterns = p;
  s->M = p->M;
  s->G_sole = p->sole;
  s->bundled = p->bundled;
  s->nbundle = p->nbundle;
  s->G_start = p->G_start;
  s->G_from = p->G_from;
  s->G_place = p->G_place;
  s->bundle = p->bundle;
  return fly_csc_create_like(&s->G, &p->G, error);
}

void fly_patterns_drop(fly_patterns *p) {
  if (!p || --p->users > 0)
    return;
  fly_csc_free(&p->M);
  fly_csc_free(&p->G);
  fly_arena_free(&p->memory);
  free(p);
}

int fly_system_count_reaction_terms(const fly_model *m) {
  int n = 0;
  for (int k = 0; k < m->nmeasure; k++)
    for (int i = 0; m->measure[k].joint >= 0 && i < m->nterm; i++)
      n += m->term[i].pair == m->measure[k].pair;
  return n;
}

void fly_system_find_reaction_terms(fly_system *s) {
  const fly_model *m = s->model;
  int n = 0;
  for (int k = 0; k < m->nmeasure; k++) {
    s->reaction_start[k] = n;
    for (int i = 0; m->measure[k].joint >= 0 && i < m->nterm; i++)
      if (m->term[i].pair == m->measure[k].pair)
        s->reaction_term[n++] = i;
  }
  s->reaction_start[m->nmeasure] = n;
}

// Places that applied forces need: a block of their own bodies, one a measure they use; then those of the rows of y.
size_t fly_system_count_applied_places(const fly_model *m) {
  size_t n = FLY_TRIPLE * (size_t)m->ny + 3 * (size_t)fly_system_count_reaction_terms(m);
  for (int k = 0; k < m->napplied; k++) {
    n += FLY_TRIPLE * FLY_TRIPLE;
    for (int i = 0; i < m->applied[k].ninput; i++)
      n += fly_system_measure_places(&m->measure[m->applied[k].input[i]]);
  }
  return n;
}

int fly_system_append_place(int *place, int r, int c, int *row, int *col, int n, int first) {
  *place = r >= 0 && c >= 0 ? n - first : -1;
  if (*place < 0)
    return n;
  row[n] = r;
  col[n] = c;
  return n + 1;
}

// Where what a row carries is an unknown; -1: nowhere.
static int multiplier_column(const fly_system *s, int row) {
  const int kept = s->place_of[row], soft = s->softness.ode ? -1 : s->soft.of[row];
  return kept >= 0 ? fly_wide(s->model) + kept : soft >= 0 ? fly_output_column(s, s->model->ny + soft) : -1;
}

// Rows of the outputs y: columns of their markers, and multipliers of their joints.
static int append_outputs(fly_system *s, int *place, int *row, int *col, int n, int first) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nmeasure; k++) {
    const fly_model_measure *measure = &m->measure[k];
    int columns[FLY_TRIPLE];
    if (measure->output < 0)
      continue;
    s->feedback_start[measure->output] = (int)(place - s->applied_place);
    fly_system_triple_columns(m, measure->marker, columns);
    for (int c = 0; c < FLY_TRIPLE; c++)
      n = fly_system_append_place(place++, fly_output_row(s, measure->output), columns[c], row, col, n, first);
    for (int i = s->reaction_start[k]; i < s->reaction_start[k + 1]; i++) {
      const fly_term *term = &m->term[s->reaction_term[i]];
      for (int r = 0, model_row = term->row; r < 3; r++) {
        const int column = term->rows & (1 << r) ? multiplier_column(s, model_row++) : -1;
        n = fly_system_append_place(place++, fly_output_row(s, measure->output), column, row, col, n, first);
      }
    }
  }
  return n;
}

static int append_block(const int rows[FLY_TRIPLE], const int columns[FLY_TRIPLE], int *place, int *row, int *col,
                        int n, int first) {
  for (int i = 0; i < FLY_TRIPLE * FLY_TRIPLE; i++) {
    int r = rows[i / FLY_TRIPLE], c = columns[i % FLY_TRIPLE];
    place[i] = r >= 0 && c >= 0 ? n - first : -1;
    if (place[i] < 0)
      continue;
    row[n] = r;
    col[n++] = c;
  }
  return n;
}

// Entries of applied forces; their places are counted from the first of them until the pattern is made.
static int append_applied(fly_system *s, int *row, int *col, int n) {
  const fly_model *m = s->model;
  int *place = s->applied_place, first = n;
  for (int k = 0; k < m->napplied; k++) {
    int rows[FLY_TRIPLE], columns[FLY_TRIPLE];
    fly_system_triple_columns(m, m->applied[k].marker, rows);
    s->applied_start[k] = (int)(place - s->applied_place);
    n = append_block(rows, rows, place, row, col, n, first);
    place += FLY_TRIPLE * FLY_TRIPLE;
    for (int i = 0; i < m->applied[k].ninput; i++) {
      const fly_model_measure *measure = &m->measure[m->applied[k].input[i]];
      const int column = fly_system_signal_column(s, measure);
      fly_system_triple_columns(m, measure->marker, columns);
      for (int r = 0; fly_system_has_column(measure) && r < FLY_TRIPLE; r++)
        n = fly_system_append_place(&place[r], rows[r], column, row, col, n, first);
      if (!fly_system_has_column(measure))
        n = append_block(rows, columns, place, row, col, n, first);
      place += fly_system_measure_places(measure);
    }
  }
  return append_outputs(s, place, row, col, n, first);
}

// Which blocks of its 12 x 12 each pair needs (npair): what its constraints can fill.
static void mark_blocks(const fly_model *m, unsigned short *blocks) {
  for (int k = 0; k < m->nterm; k++)
    blocks[m->term[k].pair] |= (unsigned short)fly_primitive_types[m->term[k].kind].blocks;
  for (int k = 0; k < m->nslip; k++)
    blocks[m->slip[k].pair] = 0xffff;
}

// Entries of one pair.
static int append_pair(const fly_model *m, int pair, unsigned blocks, int *row, int *col, int n) {
  int column[FLY_PAIR];
  fly_system_pair_columns(m, pair, column);
  for (int i = 0; i < FLY_PAIR; i++)
    for (int j = 0; j < FLY_PAIR; j++)
      if (column[i] >= 0 && column[j] >= 0 && (blocks >> (4 * (i / 3) + j / 3) & 1)) {
        row[n] = column[i];
        col[n++] = column[j];
      }
  return n;
}

// Entries of one force: all of its block.
static int append_force(const fly_model *m, const fly_model_force *f, int *row, int *col, int n) {
  int column[FLY_FORCE_COLUMNS], columns = 6 * f->count;
  fly_system_marker_columns(m, f->count, f->marker, column);
  for (int i = 0; i < columns; i++)
    for (int j = 0; j < columns; j++)
      if (column[i] >= 0 && column[j] >= 0) {
        row[n] = column[i];
        col[n++] = column[j];
      }
  return n;
}

static size_t force_entries(const fly_system *s) {
  size_t n = 0;
  for (int k = 0; k < s->nlive; k++)
    n += 36 * (size_t)(s->forces[s->live[k]].count * s->forces[s->live[k]].count);
  return n;
}

size_t fly_system_count_force_places(const fly_model *m) {
  size_t n = 0;
  for (int k = 0; k < m->nforce; k++)
    n += 12 * (size_t)(m->force[k].count * m->force[k].count);
  return n;
}

// The velocities of a body that its own forces tie together.
static int append_body(const fly_body *b, int *row, int *col, int n) {
  const int first = b->iv + b->type->block, count = b->blocks;
  for (int i = 0; i < count * count; i++) {
    row[n] = first + i / count;
    col[n++] = first + i % count;
  }
  return n;
}

static size_t body_entries(const fly_model *m) {
  size_t n = 0;
  for (int k = 0; k < m->nbody; k++)
    n += (size_t)(m->body[k].blocks * m->body[k].blocks);
  return n;
}

// Of all bodies together, and how many columns the widest body has.
size_t fly_system_count_blocks(const fly_model *m, size_t *widest) {
  size_t sum = 0;
  *widest = 6;
  for (int k = 0; k < m->nbody; k++) {
    sum += (size_t)m->body[k].blocks;
    *widest = m->body[k].columns > (int)*widest ? (size_t)m->body[k].columns : *widest;
  }
  return sum;
}

// Places that were counted become those of the pattern.
static void found(int *list, size_t n, const int *place) {
  for (size_t k = 0; k < n; k++)
    list[k] = list[k] >= 0 ? place[list[k]] : -1;
}

// Blocks of pairs and forces, the block of each body, and those of applied forces.
fly_status fly_system_jacobian_pattern(fly_system *s, fly_error *error) {
  const fly_model *m = s->model;
  size_t places = fly_system_count_applied_places(m);
  size_t signals = fly_system_count_signal_places(m), own = fly_system_count_own_places(m);
  if (!fly_system_list_soft(s))
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d rows that give way.", s->soft.count);
  size_t most =
      144 * (size_t)m->npair + force_entries(s) + body_entries(m) + places + signals + own + s->soft.places + 1;
  fly_arena work = {0};
  int *row = fly_arena_ints(&work, most), *col = fly_arena_ints(&work, most);
  unsigned short *used = fly_arena_take(&work, (size_t)m->npair, sizeof *used);
  int n = 0;
  fly_status status =
      work.failed ? fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d element pairs.", m->npair) : FLY_OK;
  if (status == FLY_OK)
    mark_blocks(m, used);
  for (int k = 0; k < m->npair && status == FLY_OK; k++)
    n = append_pair(m, k, used[k], row, col, n);
  for (int k = 0; k < s->nlive && status == FLY_OK; k++)
    n = append_force(m, &s->forces[s->live[k]], row, col, n);
  for (int k = 0; k < m->nbody && status == FLY_OK; k++)
    n = append_body(&m->body[k], row, col, n);
  int applied = n;
  if (status == FLY_OK)
    n = fly_system_append_own(s, row, col,
                              fly_system_append_signals(s, row, col, append_applied(s, row, col, n), applied), applied);
  const int gives = n, ny = m->ny + fly_system_soft_count(s);
  if (status == FLY_OK)
    n = fly_system_append_soft(s, row, col, n);
  const bool placed = places + signals + own + s->soft.places > 0; // pairs, forces and bodies look theirs up
  int *place = placed ? fly_arena_ints(&work, most) : NULL;
  if (status == FLY_OK && placed && !place)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d forces.", m->napplied);
  if (status == FLY_OK)
    status = fly_csc_from_entries(&s->J, fly_output_row(s, ny), fly_output_column(s, ny), n, row, col, place, error);
  if (status == FLY_OK && place) {
    found(s->applied_place, places, place + applied);
    found(s->signal_place, signals, place + applied);
    found(s->own_place, own, place + applied);
    for (size_t k = 0; k < s->soft.places; k++)
      s->soft.place[k] = place[gives + (int)k];
  }
  fly_arena_free(&work);
  return status;
}

// First entry of each column of n markers in each of their groups of rows.
static void find_places(const fly_system *s, int n, const int *marker, int *base) {
  int column[FLY_FORCE_COLUMNS];
  fly_system_marker_columns(s->model, n, marker, column);
  for (int g = 0; g < 2 * n; g++) {
    int first, of[3], count = fly_system_group_rows(s->model, marker[g / 2], g % 2, &first, of);
    for (int j = 0; j < 6 * n; j++)
      *base++ = count > 0 && column[j] >= 0 ? fly_csc_find(&s->J, first, column[j]) : -1;
  }
}

void fly_system_jacobian_places(fly_system *s) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->npair; k++) {
    const int marker[2] = {m->pair[k].mi, m->pair[k].mj};
    find_places(s, 2, marker, s->pair_base + 48 * k);
  }
  for (int k = 0; k < m->nforce; k++)
    s->force_start[k + 1] = s->force_start[k] + 12 * m->force[k].count * m->force[k].count;
  for (int k = 0; k < s->nlive; k++) {
    const fly_model_force *f = &s->forces[s->live[k]];
    find_places(s, f->count, f->marker, s->force_base + s->force_start[s->live[k]]);
  }
  int *base = s->body_base;
  for (int k = 0; k < m->nbody; k++)
    for (int j = 0, first = m->body[k].iv + m->body[k].type->block; j < m->body[k].blocks; j++)
      *base++ = fly_csc_find(&s->J, first, first + j);
}
