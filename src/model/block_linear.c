// Linear systems as rows of the model:
//
//   x' = A x + B u,      y = C x + D u              states and variables                                   (X-linear)
//   x⁺ = A x + B u,      y = C x + D u              held numbers, set together by one event at its times   (X-sampled)
//
// Each entry that is not 0 is a term of an expression: J has the pattern of A, and no more.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "model/block.h"

enum { MOST_ORDER = 1000 };  // an expression has at most 4096 operations: three a term
enum { ROW_FROM = 4 };       // an input that so many rows use is a row itself
enum { ROOM_OF_A_TERM = 8 }; // beside number and name: sign, blanks, times

// ------------------------------------------------------------------------------------------ names and sums

typedef struct making {
  fly_spec *spec;
  int block;
  const fly_linear_block *l;
  fly_block_fault *fault;
  char *text; // of a sum of n + m terms
} making;

static void name_of(const making *w, char name[FLY_BLOCK_NAME], const char *letter, int k, int count) {
  fly_block_name(name, w->spec, w->block, letter, count > 1 || letter[0] == 'x' ? k + 1 : 0);
}

static char *add_terms(const making *w, char *at, const double *factor, const char *letter, int count) {
  char number[FLY_NUMBER_SIZE], name[FLY_BLOCK_NAME];
  for (int k = 0; k < count; k++) {
    if (factor[k] == 0)
      continue;
    const bool first = at == w->text;
    name_of(w, name, letter, k, count);
    fly_number_text(number, fabs(factor[k]));
    at += sprintf(at, "%s%s*%s", factor[k] < 0 ? (first ? "-" : " - ") : (first ? "" : " + "), number, name);
  }
  return at;
}

// a x + b u as a text.
static const char *sum(const making *w, const double *a, const double *b) {
  char *end = add_terms(w, w->text, a, "x", w->l->n);
  end = add_terms(w, end, b, "u", w->l->m);
  if (end == w->text)
    strcpy(w->text, "0");
  return w->text;
}

// ------------------------------------------------------------------------------------------ items

static fly_item *add_expression(const making *w, const char *section, const char *name, const char *parameter,
                                const char *text) {
  fly_item *item = fly_block_add(w->spec, w->block, section, name, w->fault);
  return item && fly_block_words(w->spec, item, parameter, 1, &text, w->fault) ? item : NULL;
}

static int uses_of_input(const fly_linear_block *l, int k) {
  int uses = 0;
  for (int i = 0; i < l->n; i++)
    uses += l->B[i * l->m + k] != 0;
  for (int i = 0; i < l->p; i++)
    uses += l->D[i * l->m + k] != 0;
  return uses;
}

static bool add_inputs(const making *w) {
  char name[FLY_BLOCK_NAME];
  for (int k = 0; k < w->l->m; k++) {
    name_of(w, name, "u", k, w->l->m);
    fly_item *item = add_expression(w, "variables", name, "value", w->l->input[k]);
    if (!item)
      return false;
    item->row = uses_of_input(w->l, k) > ROW_FROM;
  }
  return true;
}

static bool add_state(const making *w, int k) {
  const fly_linear_block *l = w->l;
  char name[FLY_BLOCK_NAME];
  name_of(w, name, "x", k, l->n);
  fly_item *item = add_expression(w, "states", name, "rate", sum(w, l->A + k * l->n, l->B + k * l->m));
  return item && fly_block_number(w->spec, item, "start", l->start[k], w->fault) &&
         fly_block_number(w->spec, item, "scale", fmax(l->scale, fabs(l->start[k])), w->fault);
}

static bool add_output(const making *w, int k) {
  const fly_linear_block *l = w->l;
  char name[FLY_BLOCK_NAME];
  name_of(w, name, "y", k, l->p);
  return add_expression(w, "variables", name, "value", sum(w, l->C + k * l->n, l->D + k * l->m)) != NULL;
}

static bool add_held(const making *w, const char *letter, int k, int count, double value) {
  char name[FLY_BLOCK_NAME];
  name_of(w, name, letter, k, count);
  fly_item *item = fly_block_add(w->spec, w->block, "held", name, w->fault);
  return item && fly_block_number(w->spec, item, "value", value, w->fault);
}

// ------------------------------------------------------------------------------------------ sampled

static double output_at_start(const fly_linear_block *l, int k) {
  double y = 0;
  for (int i = 0; i < l->n; i++)
    y += l->C[k * l->n + i] * l->start[i];
  return y;
}

// Name and right side of everything that a sample sets: y, then x. All right sides see what was before.
static bool list_settings(const making *w, const char **word) {
  const fly_linear_block *l = w->l;
  char name[FLY_BLOCK_NAME];
  for (int k = 0; k < l->p + l->n; k++) {
    const int i = k < l->p ? k : k - l->p;
    const double *a = (k < l->p ? l->C : l->A) + i * l->n, *b = (k < l->p ? l->D : l->B) + i * l->m;
    name_of(w, name, k < l->p ? "y" : "x", i, k < l->p ? l->p : l->n);
    word[2 * k] = fly_spec_text(w->spec, name);
    word[2 * k + 1] = fly_spec_text(w->spec, sum(w, a, b));
    if (!word[2 * k] || !word[2 * k + 1])
      return false;
  }
  return true;
}

static bool add_samples(const making *w) {
  const fly_linear_block *l = w->l;
  char name[FLY_BLOCK_NAME];
  const char **word = fly_zeroed(2 * (size_t)(l->p + l->n), sizeof *word);
  w->fault->no_memory = !word || !list_settings(w, word);
  fly_block_name(name, w->spec, w->block, "sample", 0);
  fly_item *event = w->fault->no_memory ? NULL : fly_block_add(w->spec, w->block, "events", name, w->fault);
  const bool good = event && fly_block_number(w->spec, event, "every", l->every, w->fault) &&
                    fly_block_number(w->spec, event, "first", l->first, w->fault) &&
                    fly_block_words(w->spec, event, "set", 2 * (l->p + l->n), word, w->fault);
  free((void *)word);
  return good;
}

static bool make_sampled(const making *w) {
  const fly_linear_block *l = w->l;
  bool good = add_inputs(w);
  for (int k = 0; k < l->n && good; k++)
    good = add_held(w, "x", k, l->n, l->start[k]);
  for (int k = 0; k < l->p && good; k++)
    good = add_held(w, "y", k, l->p, output_at_start(l, k));
  return good && add_samples(w);
}

static bool make_continuous(const making *w) {
  bool good = add_inputs(w);
  for (int k = 0; k < w->l->n && good; k++)
    good = add_state(w, k);
  for (int k = 0; k < w->l->p && good; k++)
    good = add_output(w, k);
  return good;
}

bool fly_block_make_linear(fly_spec *spec, int block, const fly_linear_block *l, fly_block_fault *fault) {
  const size_t term = FLY_NUMBER_SIZE + ROOM_OF_A_TERM + strlen(spec->item[block].name) + 20;
  making w = {spec, block, l, fault, fly_zeroed((size_t)(l->n + l->m) + 1, term)};
  if (l->n + l->m > MOST_ORDER) {
    free(w.text);
    return fly_block_says(fault, NULL, "%d states and inputs are more than the %d that a linear block takes.",
                          l->n + l->m, MOST_ORDER);
  }
  fault->no_memory = !w.text;
  const bool good = w.text && (l->every > 0 ? make_sampled(&w) : make_continuous(&w));
  free(w.text);
  return good;
}
