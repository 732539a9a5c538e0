// State space and transfer function: what is given is brought into the form of a linear block, or refused.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/block.h"

static void set_times(fly_linear_block *l, const fly_item *item) {
  l->scale = fly_item_number(item, "scale");
  l->every = fly_item_given(item, "every") ? fly_item_number(item, "every") : 0;
  l->first = fly_item_number(item, "first");
}

static bool check_times(const fly_item *item, fly_block_fault *fault) {
  return !fly_item_given(item, "first") || fly_item_given(item, "every") ||
         fly_block_says(fault, "first", "'first' is that of many times: it needs 'every'.");
}

// ------------------------------------------------------------------------------------------ state space

// A list of numbers is one column, or one row.
static int columns_of(const fly_value *v, bool row) { return v->columns > 0 ? v->columns : row ? v->count : 1; }

static bool check_size(const fly_item *item, const char *parameter, bool row, int rows, int columns,
                       fly_block_fault *fault) {
  const fly_value *v = fly_item_value(item, parameter);
  const int has = v->given ? columns_of(v, row) : columns;
  if (!v->given || (has == columns && v->count == rows * columns))
    return true;
  return fly_block_says(fault, parameter, "'%s' is %d x %d, and must be %d x %d.", parameter, v->count / has, has, rows,
                        columns);
}

static bool check_sizes(const fly_item *item, fly_linear_block *l, fly_block_fault *fault) {
  const fly_value *A = fly_item_value(item, "A"), *C = fly_item_value(item, "C"),
                  *start = fly_item_value(item, "start");
  l->n = A->count / columns_of(A, false);
  l->m = fly_item_value(item, "inputs")->count;
  l->p = C->given ? C->count / columns_of(C, true) : l->n;
  if (!check_size(item, "A", false, l->n, l->n, fault) || !check_size(item, "B", false, l->n, l->m, fault) ||
      !check_size(item, "C", true, l->p, l->n, fault) || !check_size(item, "D", false, l->p, l->m, fault))
    return false;
  return !start->given || start->count == l->n ||
         fly_block_says(fault, "start", "'start' has %d numbers for %d states.", start->count, l->n);
}

static bool make_state_space(fly_spec *spec, int block, fly_block_fault *fault) {
  const fly_item *item = &spec->item[block];
  fly_linear_block l = {0};
  if (!check_times(item, fault) || !check_sizes(item, &l, fault))
    return false;
  const size_t n = (size_t)l.n, size = n * n + (size_t)l.p * (size_t)l.m + n;
  double *room = fly_zeroed(size, sizeof *room);
  fault->no_memory = !room;
  if (!room)
    return false;
  const fly_value *C = fly_item_value(item, "C"), *D = fly_item_value(item, "D"),
                  *start = fly_item_value(item, "start");
  for (size_t k = 0; k < n; k++)
    room[k * (n + 1)] = 1;
  l.A = fly_item_value(item, "A")->number;
  l.B = fly_item_value(item, "B")->number;
  l.C = C->given ? C->number : room;
  l.D = D->given ? D->number : room + n * n;
  l.start = start->given ? start->number : room + size - n;
  l.input = fly_item_value(item, "inputs")->word;
  set_times(&l, item);
  const bool good = fly_block_make_linear(spec, block, &l, fault);
  free(room);
  return good;
}

// ------------------------------------------------------------------------------------------ transfer functions

// A polynomial, the highest power first, without the zeros before it.
typedef struct polynomial {
  int degree;                // -1: nothing is left
  const double *coefficient; // (degree + 1)
} polynomial;

static polynomial polynomial_of(const fly_item *item, const char *parameter) {
  const fly_value *v = fly_item_value(item, parameter);
  int first = 0;
  while (first < v->count && v->number[first] == 0)
    first++;
  return (polynomial){v->count - first - 1, v->number + first};
}

static double power_of(const polynomial *p, int power) {
  return power <= p->degree ? p->coefficient[p->degree - power] : 0.0;
}

static bool check_degrees(const polynomial *b, const polynomial *a, fly_block_fault *fault) {
  if (a->degree < 0)
    return fly_block_says(fault, "denominator", "'denominator' is 0.");
  return b->degree <= a->degree ||
         fly_block_says(fault, "numerator",
                        "the transfer function is improper: its numerator has degree %d, its denominator only %d. It "
                        "would differentiate its input; give the denominator a fast root more, as of (T*s + 1), or use "
                        "the rate itself.",
                        b->degree, a->degree);
}

// A frequency of its roots: their geometric mean without those at 0. States measured by it are alike in size.
static double frequency(const polynomial *a) {
  int last = a->degree;
  while (a->coefficient[last] == 0)
    last--;
  return last > 0 ? pow(fabs(a->coefficient[last] / a->coefficient[0]), 1.0 / last) : 1.0;
}

// Controllable canonical form, with the chain of states scaled by w:
//
//   ξⱼ' = w ξⱼ₊₁,   ξₙ' = w u − Σ aⱼ₋₁/(a wⁿ⁻ʲ) ξⱼ,   y = Σ (bⱼ₋₁ − d aⱼ₋₁)/(a wⁿ⁻ʲ⁺¹) ξⱼ + d u (X-chain-form)
//
// where a is the coefficient of sⁿ below, d a that above.
typedef struct canonical {
  double *A, *B, *C, *start; // (n x n), (n), (n), (n)
  double D;
} canonical;

static void fill_canonical(canonical *f, const polynomial *b, const polynomial *a, double w) {
  const int n = a->degree;
  const double top = a->coefficient[0];
  f->D = power_of(b, n) / top;
  for (int j = 1; j <= n; j++) {
    const double below = power_of(a, j - 1) / top;
    if (j < n)
      f->A[(j - 1) * n + j] = w;
    f->A[(n - 1) * n + j - 1] = -below / pow(w, n - j);
    f->C[j - 1] = (power_of(b, j - 1) / top - f->D * below) / pow(w, n - j + 1);
  }
  if (n > 0)
    f->B[n - 1] = w;
}

static double value_at_one(const polynomial *p) {
  double sum = 0;
  for (int k = 0; k <= p->degree; k++)
    sum += p->coefficient[k];
  return sum;
}

// At rest ξ₁ alone is not 0, and y = b₀/(a wⁿ) ξ₁; sampled all are alike, and y = Σb/a ξ.
static bool set_start(canonical *f, const polynomial *b, const polynomial *a, double w, bool sampled, double output,
                      fly_block_fault *fault) {
  const double gain = (sampled ? value_at_one(b) : power_of(b, 0) / pow(w, a->degree)) / a->coefficient[0];
  if (output == 0)
    return true;
  if (gain == 0 || a->degree == 0)
    return fly_block_says(fault, "start", "'start' is its output at rest, and at rest that is %s.",
                          a->degree == 0 ? "given by its input alone" : "always 0");
  for (int k = 0; k < (sampled ? a->degree : 1); k++)
    f->start[k] = output / gain;
  return true;
}

static bool make_transfer(fly_spec *spec, int block, fly_block_fault *fault) {
  const fly_item *item = &spec->item[block];
  const polynomial b = polynomial_of(item, "numerator"), a = polynomial_of(item, "denominator");
  if (!check_times(item, fault) || !check_degrees(&b, &a, fault))
    return false;
  const size_t n = (size_t)a.degree;
  double *room = fly_zeroed(n * n + 3 * n + 1, sizeof *room);
  fault->no_memory = !room;
  if (!room)
    return false;
  canonical f = {room, room + n * n, room + n * n + n, room + n * n + 2 * n, 0};
  fly_linear_block l = {.n = a.degree, .m = 1, .p = 1, .A = f.A, .B = f.B, .C = f.C, .D = &f.D, .start = f.start};
  set_times(&l, item);
  l.input = fly_item_value(item, "input")->word;
  const double w = l.every > 0 ? 1.0 : frequency(&a);
  fill_canonical(&f, &b, &a, w);
  const bool good = set_start(&f, &b, &a, w, l.every > 0, fly_item_number(item, "start"), fault) &&
                    fly_block_make_linear(spec, block, &l, fault);
  free(room);
  return good;
}

// ------------------------------------------------------------------------------------------ delays

// exp(-sT) ≈ N(-sT)/N(sT), N(z) = Σ cₖ zᵏ, c₀ = 1, cₖ₊₁ = cₖ (n − k)/((2n − k)(k + 1)) (Padé; Hairer & Wanner IV.3)
// The highest power first.
static void pade(int n, double time, double *above, double *below) {
  double c = 1;
  for (int k = 0; k <= n; k++) {
    below[n - k] = c * pow(time, k);
    above[n - k] = k % 2 ? -below[n - k] : below[n - k];
    c *= (double)(n - k) / ((double)(2 * n - k) * (k + 1));
  }
}

static bool make_pade(fly_spec *spec, int block, int n, fly_block_fault *fault) {
  enum { MOST = 10 };
  const fly_item *item = &spec->item[block];
  double above[MOST + 1] = {0}, below[MOST + 1] = {0}, room[MOST * MOST + 3 * MOST] = {0};
  pade(n, fly_item_number(item, "time"), above, below);
  const polynomial b = {n, above}, a = {n, below};
  canonical f = {room, room + n * n, room + n * n + n, room + n * n + 2 * n, 0};
  const double w = frequency(&a);
  fill_canonical(&f, &b, &a, w);
  const fly_linear_block l = {.n = n,
                              .m = 1,
                              .p = 1,
                              .A = f.A,
                              .B = f.B,
                              .C = f.C,
                              .D = &f.D,
                              .start = f.start,
                              .input = fly_item_value(item, "input")->word,
                              .scale = 1};
  return set_start(&f, &b, &a, w, false, fly_item_number(item, "start"), fault) &&
         fly_block_make_linear(spec, block, &l, fault);
}

static bool add_variable(fly_spec *spec, int block, const char *letter, const char *text, fly_block_fault *fault) {
  char name[FLY_BLOCK_NAME];
  fly_block_name(name, spec, block, letter, 0);
  fly_item *item = fly_block_add(spec, block, "variables", name, fault);
  return item && fly_block_words(spec, item, "value", 1, &text, fault);
}

// What remembers is the block itself, a signal that the variable late.y shows.
static bool make_delay(fly_spec *spec, int block, fly_block_fault *fault) {
  const double order = fly_item_given(&spec->item[block], "pade") ? fly_item_number(&spec->item[block], "pade") : 0;
  if (order != floor(order))
    return fly_block_says(fault, "pade", "'pade' takes a whole number.");
  if (order > 0)
    return make_pade(spec, block, (int)order, fault);
  return add_variable(spec, block, "u", fly_item_word(&spec->item[block], "input", 0), fault) &&
         add_variable(spec, block, "y", spec->item[block].name, fault);
}

// ------------------------------------------------------------------------------------------ the table

static const struct maker {
  const char *type;
  bool (*make)(fly_spec *spec, int block, fly_block_fault *fault);
} makers[] = {{"state-space", make_state_space},
              {"transfer", make_transfer},
              {"delay", make_delay},
              {"plugin", fly_block_make_plugin}};

bool fly_block_make(fly_spec *spec, int item, fly_block_fault *fault) {
  const char *type = spec->item[item].type->name;
  *fault = (fly_block_fault){0};
  for (size_t k = 0; k < sizeof makers / sizeof *makers; k++)
    if (strcmp(makers[k].type, type) == 0)
      return makers[k].make(spec, item, fault);
  return true;
}
