// The numbers. What is found once from the pattern: clusters_order.c.
#include "sparse/clusters.h"

#include <math.h>
#include <string.h>

#include "base/quad.h"
#include "base/wide.h"
#include "sparse/invert.h"

// Columns of blocks are taken two at a time: their number is even, the last one may be of zeros. All of this is written
// for one number of fours of rows, `fours`, so that the compiler unrolls it.

// In half as many bytes: of two numbers the upper halves, which have their signs, exponents and 20 bits behind the
// point. So nothing is too large or too small for it.
typedef unsigned long long halves __attribute__((vector_size(32), aligned(8), may_alias)); // of four pairs
static const unsigned long long UPPER = 0xffffffff00000000, ROUNDING = 0x80000000;

// Factors serve if they find a solution that is known again, but for so much of each of its entries: six digits. In
// half as many bytes it may be lost in long chains, whose accelerations are sums over all joints, and corrections,
// which are smooth, converge all the same: whoever improves them sees whether they do (fly_lu_keep_whole).
static const double MOST_WRONG = 1e-6, MOST_ROUGH = 10;

typedef struct kept {
  const double *value;
  const unsigned long long *half;
} kept;

// Four number k of the two columns that begin at `at`.
INLINED void take_two(quad two[2], const kept *from, int at, int k, const int fours, const bool half) {
  if (half) {
    const halves both = *(const halves *)(from->half + (unsigned)at / 2 + 4 * k);
    two[0] = (quad)(both << 32);
    two[1] = (quad)(both & UPPER);
  } else {
    two[0] = *(const quad *)(from->value + at + 4 * k);
    two[1] = *(const quad *)(from->value + at + 4 * fours + 4 * k);
  }
}

typedef double couple __attribute__((vector_size(16), aligned(8), may_alias));

// out -= X^T y, for columns of X, which begins at `at`
INLINED void subtract_products(double *out, const kept *X, int at, int columns, const quad *y, const int fours,
                               const bool half) {
  for (int c = 0; c < columns; c += 2, at += 8 * fours) {
    quad x[2], sum[2];
    for (int k = 0; k < fours; k++) {
      take_two(x, X, at, k, fours, half);
      sum[0] = k > 0 ? sum[0] + x[0] * y[k] : x[0] * y[0];
      sum[1] = k > 0 ? sum[1] + x[1] * y[k] : x[1] * y[0];
    }
    const quad all =
        __builtin_shufflevector(sum[0], sum[1], 0, 4, 2, 6) + __builtin_shufflevector(sum[0], sum[1], 1, 5, 3, 7);
    *(couple *)(out + c) -= (couple){all[0], all[1]} + (couple){all[2], all[3]};
  }
}

// sum = X y: `columns` of them. Two sums, because each addition waits for the one before.
INLINED void multiply(quad *sum, const kept *X, int at, const double *y, int columns, const int fours,
                      const bool half) {
  quad other[3] = {{0}, {0}, {0}};
  for (int k = 0; k < fours; k++)
    sum[k] = (quad){0};
  for (int c = 0; c < columns; c += 2, at += 8 * fours)
    for (int k = 0; k < fours; k++) {
      quad x[2];
      take_two(x, X, at, k, fours, half);
      sum[k] += x[0] * y[c];
      other[k] += x[1] * y[c + 1];
    }
  for (int k = 0; k < fours; k++)
    sum[k] += other[k];
}

// ---------------------------------------------------------------------------------- factorizing

// U becomes W = D^-1 U
INLINED void multiply_border(double *U, const kept *inverse, int reach, const unsigned char *extent, const int fours) {
  for (int c = 0; c < reach; c++, U += 4 * fours) {
    quad sum[3];
    const int from = *extent++, to = *extent++;
    multiply(sum, inverse, 4 * fours * from, U + from, to - from, fours, false);
    for (int i = 0; i < fours; i++)
      ((quad *)U)[i] = sum[i];
  }
}

// What the diagonal of a border's cluster is made of.
INLINED void add_sizes(double *size, const double *L, const double *W, int columns, const int fours) {
  for (int c = 0; c < columns; c++, L += 4 * fours, W += 4 * fours) {
    quad sum = {0};
    for (int k = 0; k < fours; k++) {
      quad term = ((const quad *)L)[k] * ((const quad *)W)[k];
      take_size(&term);
      sum += term;
    }
    size[c] += (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
}

INLINED double *room_of(const fly_clusters *f, int i) { return f->work + (ptrdiff_t)f->room[i] * f->largest; }

// What cluster i leaves to the one number a of its border, whose unknowns are those from `at` on, alone and with each
// later one b: where that begins in the border of a tells pair.
INLINED void leave(const fly_clusters *f, int i, int a, int at, const int *pair, const int fours) {
  const int *border = f->border + f->border_start[i], to = border[a], wide = fly_even(f->body[to]), column = 4 * fours;
  const int rows = f->slot[to + 1] - f->slot[to], many = f->border_start[i + 1] - f->border_start[i];
  const double *W = room_of(f, i) + (ptrdiff_t)column * fly_even(fly_cluster_width(f, i));
  const double *L = W + (ptrdiff_t)column * f->reach[i];
  const kept own[2] = {{W + (ptrdiff_t)column * at, NULL}, {L + (ptrdiff_t)column * at, NULL}};
  double *D = room_of(f, to), *U = D + (ptrdiff_t)rows * fly_even(fly_cluster_width(f, to));
  double *V = U + (ptrdiff_t)rows * f->reach[to]; // L^T of that one
  for (int c = 0; c < wide; c++)
    subtract_products(D + rows * c, &own[1], 0, wide, (const quad *)(own[0].value + column * c), fours, false);
  const int looked_at = f->held[to] ? HELD : 0; // shifts have no pivots then
  add_sizes(f->size + f->slot[to] + looked_at, own[1].value + column * looked_at, own[0].value + column * looked_at,
            wide - looked_at, fours);
  for (int b = a + 1, next = at + wide; b < many; b++) {
    const int width = fly_even(f->body[border[b]]), place = *pair++;
    for (int c = 0; c < width; c++, next++) {
      const ptrdiff_t out = (ptrdiff_t)rows * (place + c), from = (ptrdiff_t)column * next;
      subtract_products(U + out, &own[1], 0, wide, (const quad *)(W + from), fours, false);
      subtract_products(V + out, &own[0], 0, wide, (const quad *)(L + from), fours, false);
    }
  }
}

INLINED void keep_columns(const fly_clusters *f, int to, const double *from, int columns, const int fours) {
  const int count = 4 * fours * columns;
  const kept room = {from, NULL};
  if (!f->half) {
    memcpy(f->value + to, from, (size_t)count * sizeof *f->value);
    return;
  }
  for (int at = 0; at < count; at += 8 * fours)
    for (int k = 0; k < fours; k++) {
      quad x[2];
      take_two(x, &room, at, k, fours, false);
      *(halves *)(f->half + (unsigned)(to + at) / 2 + 4 * k) =
          (((halves)x[0] + ROUNDING) >> 32) | (((halves)x[1] + ROUNDING) & UPPER);
    }
}

// Into what is kept.
INLINED void keep(const fly_clusters *f, int i, const int fours) {
  const int w = fly_even(fly_cluster_width(f, i)), reach = f->reach[i], column = 4 * fours;
  const double *D = room_of(f, i), *W = D + (ptrdiff_t)column * w;
  keep_columns(f, f->ahead[i], D, w, fours);
  keep_columns(f, f->back[i], W, reach, fours);
  keep_columns(f, f->ahead[i] + column * w, W + (ptrdiff_t)column * reach, reach, fours);
}

INLINED double eliminate(fly_clusters *f, int i, const int fours) {
  const int w = fly_cluster_width(f, i), many = f->border_start[i + 1] - f->border_start[i];
  const int *pair = f->pair + f->pair_start[i];
  double *D = room_of(f, i), *size = f->size + f->slot[i];
  const double lost = f->held[i] ? invert_held(D, size, w) : invert(D, size, w, fours);
  const kept inverse = {D, NULL};
  multiply_border(D + (ptrdiff_t)4 * fours * fly_even(w), &inverse, f->reach[i],
                  f->extent + 2 * (ptrdiff_t)f->extent_start[i], fours);
  for (int a = 0, at = 0; a < many; a++) {
    leave(f, i, a, at, pair, fours);
    at += fly_even(f->body[f->border[f->border_start[i] + a]]);
    pair += many - a - 1;
  }
  keep(f, i, fours);
  return lost;
}

// Values that stand one behind the other.
INLINED void put_values(double *room, const unsigned short *to, const double *value, int count) {
  int k = 0;
  for (; k + FOUR <= count; k += FOUR)
    for (int i = k; i < k + FOUR; i++)
      room[to[i]] = value[i];
  for (; k < count; k++)
    room[to[k]] = value[k];
}

INLINED void put_entries(double *room, const unsigned short *to, const double *value, const int *from,
                         const int *const end) {
  for (; from + FOUR <= end; from += FOUR, to += FOUR) {
    const double x[FOUR] = {value[from[0]], value[from[1]], value[from[2]], value[from[3]]};
    for (int k = 0; k < FOUR; k++)
      room[to[k]] = x[k];
  }
  for (; from < end; from++, to++)
    room[*to] = value[*from];
}

// Values that are sums, from number `first` on.
INLINED void put_sums(double *room, const unsigned short *to, const fly_terms *t, int first, int count,
                      const bool both) {
  const double *one = t->one + first, *a = t->at[0] + first, *b = both ? t->at[1] + first : NULL;
  int k = 0;
  for (; k + FOUR <= count; k += FOUR) {
    quad sum = *(const quad *)(one + k) + t->c[0] * *(const quad *)(a + k);
    if (both)
      sum += t->c[1] * *(const quad *)(b + k);
    for (int i = 0; i < FOUR; i++)
      room[to[k + i]] = sum[i];
  }
  for (; k < count; k++)
    room[to[k]] = both ? one[k] + t->c[0] * a[k] + t->c[1] * b[k] : one[k] + t->c[0] * a[k];
}

INLINED void put_terms(const fly_clusters *f, int i, double *room, const double *value, const fly_terms *term) {
  const int *from = f->kind_start[i], *end = f->kind_start[i + 1];
  const unsigned short *to = f->at_place + f->shape[i];
  put_values(room, to, value + f->entry_start[i], end[0] - from[0]);
  to += end[0] - from[0];
  for (int k = 1; k < FLY_KINDS; to += end[k] - from[k], k++)
    if (term[k - 1].at[1])
      put_sums(room, to, &term[k - 1], from[k], end[k] - from[k], true);
    else
      put_sums(room, to, &term[k - 1], from[k], end[k] - from[k], false);
}

// The entries of A, where nothing was left yet.
INLINED void make_ready(const fly_clusters *f, int i, const double *value, const fly_terms *term) {
  const int count = f->value_start[i + 1] - f->value_start[i], rows = f->slot[i + 1] - f->slot[i];
  const int w = fly_cluster_width(f, i), first = f->entry_start[i], end = f->entry_start[i + 1];
  double *room = room_of(f, i), *size = f->size + f->slot[i];
  const quad *const last = (quad *)(room + count);
  quad *zero = (quad *)room;
  for (; zero + 5 < last; zero += 6) {
    zero[0] = zero[1] = zero[2] = zero[3] = zero[4] = zero[5] = (quad){0};
    __asm__("" ::: "memory"); // a call of memset would take longer
  }
  for (; zero < last; zero++)
    *zero = (quad){0};
  if (term)
    put_terms(f, i, room, value, term);
  else if (f->at)
    put_values(room, f->at_place + f->shape[i], value + first, end - first);
  else
    put_entries(room, f->place + first, value, f->entry + first, f->entry + end);
  for (const double *diagonal = room; diagonal < room + (ptrdiff_t)rows * w; diagonal += rows + 1)
    *size++ = fabs(*diagonal);
}

INLINED void fetch(const void *first, const void *end) {
  enum { LINE = 64 }; // bytes
  for (const char *line = first; line < (const char *)end; line += LINE)
    __builtin_prefetch(line);
}

// What a later cluster reads, and where it is kept, comes from memory meanwhile: nobody has looked at it since the step
// was changed the last time, hundreds of steps ago.
INLINED void fetch_terms(const fly_clusters *f, int i, const double *value, const fly_terms *term) {
  const int *from = f->kind_start[i], *end = f->kind_start[i + 1], first = f->entry_start[i];
  fetch(value + first, value + first + end[0] - from[0]);
  fetch(f->at_place + f->shape[i], f->at_place + f->shape[i] + f->entry_start[i + 1] - first);
  for (int k = 1; k < FLY_KINDS; k++) {
    const fly_terms *t = &term[k - 1];
    fetch(t->one + from[k], t->one + end[k]);
    fetch(t->at[0] + from[k], t->at[0] + end[k]);
    if (t->at[1])
      fetch(t->at[1] + from[k], t->at[1] + end[k]);
  }
  if (f->half) {
    const int back = (f->slot[i + 1] - f->slot[i]) * f->reach[i],
              ahead = f->value_start[i + 1] - f->value_start[i] - back;
    fetch(f->half + f->ahead[i] / 2, f->half + (f->ahead[i] + ahead) / 2);
    fetch(f->half + f->back[i] / 2, f->half + (f->back[i] + back) / 2);
  }
}

enum { AHEAD = 2 }; // clusters: so far it is fetched

FLY_WIDE static double eliminate_all(fly_clusters *f, const double *value, const fly_terms *term, double most) {
  double lost = 0;
  for (int i = 0; i < f->count && lost <= most; i++) {
    if (term && i + AHEAD < f->count)
      fetch_terms(f, i + AHEAD, value, term);
    for (int k = f->ready_start[i]; k < f->ready_start[i + 1]; k++)
      make_ready(f, f->ready[k], value, term);
    const int fours = (f->slot[i + 1] - f->slot[i]) / FOUR;
    const double own = fours == 3 ? eliminate(f, i, 3) : fours == 2 ? eliminate(f, i, 2) : eliminate(f, i, 1);
    lost = own <= lost ? lost : own; // also what is not a number
  }
  return isnan(lost) ? (double)INFINITY : lost;
}

// A solution with entries of plus or minus one over the largest of their columns, so that units do not matter, and its
// right side.
static void make_known(fly_clusters *f, const fly_csc *a) {
  unsigned random = 1;
  memset(f->right, 0, (size_t)f->n * sizeof *f->right);
  for (int j = 0; j < f->n; j++) {
    double largest = 0;
    for (int k = a->start[j]; k < a->start[j + 1]; k++) {
      const double size = fabs(a->val[f->at ? f->at[k] : k]);
      largest = size > largest ? size : largest;
    }
    random = random * 1664525u + 1013904223u;
    f->known[j] = (random >> 31 ? -1 : 1) / largest;
    for (int k = a->start[j]; k < a->start[j + 1]; k++)
      f->right[a->row[k]] += a->val[f->at ? f->at[k] : k] * f->known[j];
  }
}

// Errors of pivots add up and multiply in ways that no look at them one by one tells.
static bool is_known_found(fly_clusters *f, const fly_csc *a) {
  const double most = f->half ? MOST_ROUGH : MOST_WRONG;
  bool fine = true;
  make_known(f, a);
  fly_clusters_solve(f, f->right, false);
  for (int j = 0; j < f->n && fine; j++)
    fine = fabs(f->right[j] - f->known[j]) <= most * fabs(f->known[j]);
  return fine;
}

bool fly_clusters_keep_whole(fly_clusters *f) {
  if (!f->half)
    return true;
  f->value = fly_arena_doubles(&f->memory, (size_t)f->value_start[f->count]);
  if (f->value)
    f->half = NULL;
  return f->value;
}

double fly_clusters_factor(fly_clusters *f, const fly_csc *a, double most, bool tried) {
  double lost = eliminate_all(f, a->val, NULL, most);
  if (!tried || !(lost <= most) || is_known_found(f, a))
    return lost;
  if (!f->half || !fly_clusters_keep_whole(f))
    return INFINITY;
  lost = eliminate_all(f, a->val, NULL, most);
  return is_known_found(f, a) ? lost : (double)INFINITY;
}

double fly_clusters_factor_terms(fly_clusters *f, const fly_csc *a, const fly_terms *term, double most) {
  return eliminate_all(f, a->val, term, most);
}

// ---------------------------------------------------------------------------------- solving

// z = D^-1 b, b_R -= L z; of the transposed b_R -= W^T b
INLINED void forward(const fly_clusters *f, const kept *all, int i, bool transposed, const int fours, const bool half) {
  const int w = fly_even(fly_cluster_width(f, i)), inverse = f->ahead[i], column = 4 * fours;
  double *x = f->x + f->slot[i];
  quad z[3];
  if (transposed)
    for (int k = 0; k < fours; k++)
      z[k] = ((quad *)x)[k];
  else
    multiply(z, all, inverse, x, w, fours, half);
  for (int k = 0; k < fours; k++)
    ((quad *)x)[k] = z[k];
  int at = transposed ? f->back[i] : inverse + column * w;
  for (int k = f->border_start[i]; k < f->border_start[i + 1]; k++) {
    const int width = fly_even(f->body[f->border[k]]);
    subtract_products(f->x + f->slot[f->border[k]], all, at, width, z, fours, half);
    at += column * width;
  }
}

// x = z - W x_R; of the transposed x = D^-T (b - L^T x_R)
INLINED void backward(const fly_clusters *f, const kept *all, int i, bool transposed, const int fours,
                      const bool half) {
  const int w = fly_even(fly_cluster_width(f, i)), inverse = f->ahead[i], column = 4 * fours;
  double *x = f->x + f->slot[i];
  quad z[3], sum[3];
  for (int k = 0; k < fours; k++)
    z[k] = ((quad *)x)[k];
  int at = transposed ? inverse + column * w : f->back[i];
  for (int k = f->border_start[i]; k < f->border_start[i + 1]; k++) {
    const int width = fly_even(f->body[f->border[k]]);
    multiply(sum, all, at, f->x + f->slot[f->border[k]], width, fours, half);
    for (int c = 0; c < fours; c++)
      z[c] -= sum[c];
    at += column * width;
  }
  if (!transposed) {
    for (int k = 0; k < fours; k++)
      ((quad *)x)[k] = z[k];
    return;
  }
  for (int k = 0; k < fours; k++) {
    z[k] = -z[k];
    ((quad *)x)[k] = (quad){0};
  }
  subtract_products(x, all, inverse, w, z, fours, half);
}

INLINED void sweep(const fly_clusters *f, bool transposed, const bool half) {
  const kept all = {f->value, f->half};
#define OF_WIDTH(go)                                                                                                   \
  switch ((f->slot[i + 1] - f->slot[i]) / FOUR) {                                                                      \
  case 3:                                                                                                              \
    go(f, &all, i, transposed, 3, half);                                                                               \
    break;                                                                                                             \
  case 2:                                                                                                              \
    go(f, &all, i, transposed, 2, half);                                                                               \
    break;                                                                                                             \
  default:                                                                                                             \
    go(f, &all, i, transposed, 1, half);                                                                               \
  }
  for (int i = 0; i < f->count; i++)
    OF_WIDTH(forward)
  for (int i = f->count - 1; i >= 0; i--)
    OF_WIDTH(backward)
#undef OF_WIDTH
}

FLY_WIDE static void solve_plain(const fly_clusters *f) { sweep(f, false, false); }
FLY_WIDE static void solve_rough(const fly_clusters *f) { sweep(f, false, true); }
FLY_WIDE static void solve_transposed(const fly_clusters *f) { sweep(f, true, false); }
FLY_WIDE static void solve_transposed_rough(const fly_clusters *f) { sweep(f, true, true); }

// Rows that fill a cluster up to whole fours hold zeros in all blocks, and so in x.
void fly_clusters_solve(fly_clusters *f, double *b, bool transposed) {
  for (int i = 0; i < f->count; i++) {
    double *x = f->x + f->slot[i];
    for (int k = f->first[i]; k < f->first[i + 1]; k++)
      *x++ = b[f->order[k]];
  }
  if (f->half)
    (transposed ? solve_transposed_rough : solve_rough)(f);
  else
    (transposed ? solve_transposed : solve_plain)(f);
  for (int i = 0; i < f->count; i++) {
    const double *x = f->x + f->slot[i];
    for (int k = f->first[i]; k < f->first[i + 1]; k++)
      b[f->order[k]] = *x++;
  }
}

long fly_clusters_entries(const fly_clusters *f) { return f->value_start[f->count]; }
