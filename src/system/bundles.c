// Constraint rows with their derivatives, bundle by bundle: terms whose entries stand side by side in the columns of G
// are made side by side (element/columns.h), all others one after another.
#include "base/wide.h"
#include "element/block.h"
#include "element/columns.h"
#include "system/parts.h"

// ------------------------------------------------------------------------------------------ finding them

static bool turns(int column) { return column % 6 >= 3; }

// Takes the entries of term k, the one with `before` rows in front of it; false: they do not stand side by side.
static bool take_places(const fly_system *s, int k, int before, int place[FLY_PAIR]) {
  for (int e = s->G_start[k]; e < s->G_start[k + 1]; e++) {
    const int column = s->G_from[e] % FLY_PAIR, row = turns(column) ? before + s->G_from[e] / FLY_PAIR : 0;
    if (row == 0)
      place[column] = s->G_place[e];
    else if (s->G_place[e] != place[column] + row)
      return false;
  }
  return true;
}

// Each body moves along all its columns from the first on, in their order, or along none.
static bool whole(const fly_system *s, const fly_bundle *b, int first) {
  int column[FLY_PAIR];
  fly_system_pair_columns(s->model, s->model->term[b->term].pair, column);
  for (int c = first; c < 6; c++)
    for (int body = 0; body < FLY_PAIR; body += 6) {
      const int expected = column[body + first] < 0 ? -1 : column[body + first] + c - first;
      if (column[body + c] != expected || (b->place[body + c] < 0) != (expected < 0))
        return false;
    }
  return true;
}

static bool is_point(const fly_system *s, fly_bundle *b) {
  const int *row = s->term_row + 3 * (size_t)b->term;
  const fly_term *term = &s->model->term[b->term];
  return term->kind == FLY_POINT && b->row >= 0 && row[1] == b->row + 1 && row[2] == b->row + 2 &&
         take_places(s, b->term, 0, b->place) && whole(s, b, 0);
}

static bool are_dots(const fly_system *s, fly_bundle *b) {
  const fly_term *term = &s->model->term[b->term];
  const int next = b->term + 1;
  return next < s->model->nterm && term->kind == FLY_DOT && term[1].kind == FLY_DOT && term->pair == term[1].pair &&
         b->row >= 0 && s->term_row[3 * (size_t)next] == b->row + 1 && take_places(s, b->term, 0, b->place) &&
         take_places(s, next, 1, b->place) && whole(s, b, 3);
}

static fly_bundle begin_bundle(const fly_system *s, int term) {
  fly_bundle b = {.kind = FLY_BUNDLE_TERM, .term = term, .row = s->term_row[3 * (size_t)term]};
  for (int c = 0; c < FLY_PAIR; c++)
    b.place[c] = -1;
  return b;
}

static fly_bundle bundle_from(const fly_system *s, int term) {
  fly_bundle b = begin_bundle(s, term);
  if (s->G_sole && is_point(s, &b))
    b.kind = FLY_BUNDLE_POINT;
  else if (s->G_sole && are_dots(s, &b))
    b.kind = FLY_BUNDLE_DOTS;
  return b;
}

// Of all terms, in their order; after the pattern of G. False: no memory.
bool fly_system_find_bundles(fly_system *s, fly_arena *memory) {
  s->nbundle = 0;
  s->bundled = false;
  s->bundle = fly_arena_take(memory, (size_t)s->model->nterm, sizeof *s->bundle);
  for (int k = 0; s->bundle && k < s->model->nterm; s->nbundle++) {
    const fly_bundle b = bundle_from(s, k);
    s->bundle[s->nbundle] = b;
    s->bundled = s->bundled || b.kind != FLY_BUNDLE_TERM;
    k += b.kind == FLY_BUNDLE_DOTS ? 2 : 1;
  }
  return !memory->failed;
}

// ------------------------------------------------------------------------------------------ one term

INLINED void add_to_rows(const fly_system *s, int k, const double value[3], double *rows) {
  const double factor = s->model->term[k].factor;
  const int *kept = s->term_row + 3 * (size_t)k;
  for (int r = 0; r < 3; r++)
    if (kept[r] >= 0)
      rows[kept[r]] += factor * value[r];
}

// Adds the values of a term (of its up to three rows) to the kept rows.
void fly_system_add_to_rows(const fly_system *s, int k, const double value[3], double *rows) {
  add_to_rows(s, k, value, rows);
}

// Adds rows (rows x 12) of a term to the values of G's pattern.
INLINED void scatter_rows(const fly_system *s, int k, const double *restrict rows, double *restrict values) {
  const double factor = s->model->term[k].factor;
  const int *place = s->G_place;
  const unsigned char *from = s->G_from;
  int e = s->G_start[k];
  const int end = s->G_start[k + 1];
  if (s->G_sole)
#pragma GCC unroll 4
    for (; e < end; e++)
      values[place[e]] = rows[from[e]];
  for (; e < end; e++)
    values[place[e]] += factor * rows[from[e]];
}

// Its value, too.
INLINED void put_term(const fly_system *s, double t, int k, double *G) {
  const fly_term *term = &s->model->term[k];
  const fly_primitive_type *type = &fly_primitive_types[term->kind];
  const fly_pair *p = &s->pair[term->pair];
  double rows[3 * FLY_PAIR], g[3];
  if (type->both) {
    type->both(g, rows, p, &term->k);
  } else {
    type->jacobian(rows, p, &term->k);
    fly_system_term_value(s, t, k, p, g);
  }
  scatter_rows(s, k, rows, G);
  add_to_rows(s, k, g, s->value);
}

// ------------------------------------------------------------------------------------------ values and G

INLINED void put_three(double *out, const quad *x) {
  *(duo *)out = (duo){(*x)[0], (*x)[1]};
  out[2] = (*x)[2];
}

// The six columns of one of the bodies.
INLINED void put_point_columns(const int place[6], double along, const quad turn[3], double *G) {
  if (place[0] < 0)
    return;
  for (int c = 0; c < 3; c++) {
    G[place[c]] = along;
    put_three(G + place[3 + c], &turn[c]);
  }
}

INLINED void put_point(const fly_bundle *b, const fly_pair *p, double *value, double *G) {
  fly_point_columns at;
  fly_point_columns_at(&at, p);
  put_point_columns(b->place, -1, at.ti, G);
  put_point_columns(b->place + 6, 1, at.tj, G);
  *(duo *)value += (duo){at.g[0], at.g[1]};
  value[2] += at.g[2];
}

INLINED void put_two(const int place[3], const duo turn[3], double *G) {
  if (place[0] < 0)
    return;
  for (int c = 0; c < 3; c++)
    *(duo *)(G + place[c]) = turn[c];
}

INLINED void put_dots(const fly_bundle *b, const fly_pair *p, const fly_term *term, double *value, double *G) {
  fly_two_dots at;
  fly_two_dots_at(&at, p, &term->k, &term[1].k);
  put_two(b->place + 3, at.ti, G);
  put_two(b->place + 9, at.tj, G);
  *(duo *)value += at.g;
}

FLY_WIDE static void put_bundles(fly_system *s, double t, double *restrict G) {
  const fly_term *terms = s->model->term;
  for (const fly_bundle *b = s->bundle, *end = b + s->nbundle; b < end; b++) {
    const fly_term *term = &terms[b->term];
    if (b->kind == FLY_BUNDLE_POINT)
      put_point(b, &s->pair[term->pair], s->value + b->row, G);
    else if (b->kind == FLY_BUNDLE_DOTS)
      put_dots(b, &s->pair[term->pair], term, s->value + b->row, G);
    else
      put_term(s, t, b->term, G);
  }
}

// Rows of G where the system was updated, and their values, which have begun.
void fly_system_put_rows(fly_system *s, double t, double *G) {
  if (s->bundled)
    put_bundles(s, t, G);
  for (int k = 0; k < s->model->nterm && !s->bundled; k++)
    put_term(s, t, k, G);
}

// ------------------------------------------------------------------------------------------ gamma

INLINED void add_gamma(const fly_system *s, int k, double *gamma) {
  const fly_term *term = &s->model->term[k];
  double g[3];
  fly_primitive_types[term->kind].gamma(g, &s->pair[term->pair], &term->k);
  add_to_rows(s, k, g, gamma);
}

FLY_WIDE static void add_bundles(const fly_system *s, double *restrict gamma) {
  for (const fly_bundle *b = s->bundle, *end = b + s->nbundle; b < end; b++) {
    const fly_term *term = &s->model->term[b->term];
    const fly_pair *p = &s->pair[term->pair];
    double g[3];
    duo two;
    if (b->kind == FLY_BUNDLE_DOTS) {
      fly_two_dots_gamma(&two, p, &term->k, &term[1].k);
      *(duo *)(gamma + b->row) += two;
    } else if (b->kind == FLY_BUNDLE_POINT) {
      fly_point_gamma_of(g, p);
      for (int r = 0; r < 3; r++)
        gamma[b->row + r] += g[r];
    } else {
      add_gamma(s, b->term, gamma);
    }
  }
}

// Adds those of all rows, without what motions have of their own.
void fly_system_add_gammas(const fly_system *s, double *gamma) {
  if (s->bundled)
    add_bundles(s, gamma);
  for (int k = 0; k < s->model->nterm && !s->bundled; k++)
    add_gamma(s, k, gamma);
}

// ------------------------------------------------------------------------------------------ d(G v)/dq

INLINED void put_velocity(const fly_system *s, int k, double *Z) {
  const fly_term *term = &s->model->term[k];
  double rows[3 * FLY_PAIR];
  fly_primitive_velocity(rows, term->kind, &s->pair[term->pair], &term->k);
  scatter_rows(s, k, rows, Z);
}

FLY_WIDE void fly_system_put_velocity_rows(const fly_system *s, double *restrict Z) {
  for (const fly_bundle *b = s->bundle, *end = b + s->nbundle; b < end; b++) {
    const fly_term *term = &s->model->term[b->term];
    const fly_pair *p = &s->pair[term->pair];
    if (b->kind == FLY_BUNDLE_POINT) {
      fly_point_columns at;
      fly_point_velocity_columns(&at, p);
      put_point_columns(b->place, 0, at.ti, Z);
      put_point_columns(b->place + 6, 0, at.tj, Z);
    } else if (b->kind == FLY_BUNDLE_DOTS) {
      fly_two_dots at;
      fly_two_velocities(&at, p, &term->k, &term[1].k);
      put_two(b->place + 3, at.ti, Z);
      put_two(b->place + 9, at.tj, Z);
    } else {
      put_velocity(s, b->term, Z);
    }
  }
}

// ------------------------------------------------------------------------------------------ d(G^T lambda)/dq

// Adds factor [s] [R^T lambda] to the columns of a body, whose three rows begin at base.
INLINED void add_point_block(const double s[3], const double R[9], const double lambda[3], const double factor,
                             const int base[3], double *J) {
  double c[3], B[9];
  if (base[0] < 0)
    return;
  fly_to_body(c, R, lambda);
  fly_skew_skew(B, s, c);
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++)
      J[base[j] + i] += factor * B[3 * i + j];
}

// Adds what two perpendicularities have there, one after the other; B^T: down for across.
INLINED void add_two_blocks(const duo B[9], const duo *by, const int down, const int across, const int base[3],
                            double *J) {
  for (int j = 0; j < 3 && base[0] >= 0; j++)
    for (int i = 0; i < 3; i++) {
      const duo H = *by * B[down * i + across * j];
      J[base[j] + i] = (J[base[j] + i] + H[0]) + H[1];
    }
}

INLINED void add_dots(const fly_pair *p, const fly_term *term, const double *lambda, const int *base, double *J) {
  const duo plus = {lambda[0], lambda[1]}, minus = -plus;
  const int *of_i = base + FLY_PAIR, *of_j = base + 3 * FLY_PAIR; // groups of rows: dtheta_i, dtheta_j
  fly_two_blocks B;
  fly_two_blocks_at(&B, p, &term->k, &term[1].k);
  add_two_blocks(B.i, &plus, 3, 1, of_i + 3, J);
  add_two_blocks(B.j, &plus, 3, 1, of_j + 9, J);
  add_two_blocks(B.both, &minus, 3, 1, of_i + 9, J);
  add_two_blocks(B.both, &minus, 1, 3, of_j + 3, J);
}

// Of all terms, into the pattern of J.
FLY_WIDE void fly_system_add_curvatures(const fly_system *s, const fly_dae_state *at, double *J) {
  for (const fly_bundle *b = s->bundle, *end = b + s->nbundle; b < end; b++) {
    const fly_term *term = &s->model->term[b->term];
    const fly_pair *p = &s->pair[term->pair];
    const int *base = s->pair_base + 48 * (size_t)term->pair;
    const double *lambda = at->lambda + b->row;
    if (b->kind == FLY_BUNDLE_POINT) {
      add_point_block(p->mi->s, p->bi->R, lambda, -1.0, base + FLY_PAIR + 3, J);
      add_point_block(p->mj->s, p->bj->R, lambda, 1.0, base + 3 * FLY_PAIR + 9, J);
    } else if (b->kind == FLY_BUNDLE_DOTS) {
      add_dots(p, term, lambda, base, J);
    } else {
      fly_system_add_curvature(s, at, b->term, J);
    }
  }
}
