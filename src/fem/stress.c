// Stresses of a reduced body over a run: those of its modes, times the modes (docs/theory/flexible.md, F-stress).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fem/stress.h"
#include "flyball/result.h"
#include "sparse/dense.h"

fly_status fly_stress_no_memory(fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the stresses.");
}

// ------------------------------------------------------------------------------------------ opening

static fly_status read_file(fly_stress *s, const char *path, fly_error *error) {
  size_t modes = 0, columns = 0, wide = 0;
  fly_status status = fly_arrays_open(&s->file, path, "flyball_body", 1, error);
  if (status == FLY_OK)
    status = fly_arrays_size(s->file, "frequency", &modes, &columns, error);
  if (status == FLY_OK)
    status = fly_arrays_size(s->file, "stress", &s->places, &wide, error);
  if (status)
    return status;
  s->all = (int)modes;
  if (s->places == 0 || modes == 0 || wide != 6 * modes)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "%s: this body was reduced without stresses; `flyball reduce` keeps them unless told otherwise.",
                    path);
  s->at = fly_arena_doubles(&s->memory, 3 * s->places);
  s->row = fly_arena_doubles(&s->memory, wide);
  return s->memory.failed ? fly_stress_no_memory(error)
                          : fly_arrays_read(s->file, "stress_at", 0, s->places, s->at, error);
}

static int count_channels(const fly_result *r, const char *body) {
  char name[300];
  int n = 0;
  do
    snprintf(name, sizeof name, "%s.mode%d", body, ++n);
  while (fly_result_find(r, name) >= 0);
  return n - 1;
}

static fly_status choose_modes(fly_stress *s, const char *body, int count, const int *mode, fly_error *error) {
  const int wanted = count > 0 ? count : s->all;
  if (s->modes == 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "The result has no channel `%s.mode1`: no flexible body of this name.",
                    body);
  if (s->modes != wanted)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "The result has %d modes of `%s`, the file %d%s; name those that were on.", s->modes, body, wanted,
                    count > 0 ? " that are named" : "");
  s->mode = fly_arena_ints(&s->memory, (size_t)s->modes);
  if (!s->mode)
    return fly_stress_no_memory(error);
  for (int k = 0; k < s->modes; k++) {
    s->mode[k] = count > 0 ? mode[k] - 1 : k;
    if (s->mode[k] < 0 || s->mode[k] >= s->all)
      return fly_fail(error, FLY_BAD_INPUT, NAN, "The file has modes 1 to %d, and no mode %d.", s->all, mode[k]);
  }
  return FLY_OK;
}

static fly_status read_modes(fly_stress *s, fly_result *r, const char *body, fly_error *error) {
  const size_t rows = (size_t)s->rows, m = (size_t)s->modes;
  int *column = fly_arena_ints(&s->memory, m);
  s->time = fly_arena_doubles(&s->memory, rows);
  s->eta = fly_arena_doubles(&s->memory, rows * m);
  s->use = fly_arena_doubles(&s->memory, 6 * m);
  s->tensor = fly_arena_doubles(&s->memory, 6 * rows);
  s->mises = fly_arena_doubles(&s->memory, rows);
  if (s->memory.failed)
    return fly_stress_no_memory(error);
  for (size_t k = 0; k < m; k++) {
    char name[300];
    snprintf(name, sizeof name, "%s.mode%zu", body, k + 1);
    column[k] = fly_result_find(r, name);
  }
  const int first = 0;
  fly_status status = fly_result_read(r, s->time, &first, 1, 0, s->rows, error);
  return status ? status : fly_result_read(r, s->eta, column, s->modes, 0, s->rows, error);
}

static fly_status open_all(fly_stress *s, const char *result, const char *body, const char *file, int count,
                           const int *mode, fly_error *error) {
  fly_result *r = NULL;
  fly_status status = fly_result_open(&r, result, error);
  if (status == FLY_OK)
    status = read_file(s, file, error);
  if (status == FLY_OK && fly_result_info_of(r)->rows < 1)
    status = fly_fail(error, FLY_BAD_INPUT, NAN,
                      "%s: this result has no rows, so there are no stresses in it: its run ended before its first.",
                      result);
  if (status == FLY_OK) {
    s->rows = fly_result_info_of(r)->rows;
    s->modes = count_channels(r, body);
    status = choose_modes(s, body, count, mode, error);
  }
  if (status == FLY_OK)
    status = read_modes(s, r, body, error);
  fly_result_close(r);
  return status;
}

fly_status fly_stress_open(fly_stress **out, const char *result, const char *body, const char *file, int count,
                           const int *mode, fly_error *error) {
  fly_stress *s = calloc(1, sizeof *s);
  *out = s;
  fly_status status = s ? open_all(s, result, body, file, count, mode, error) : fly_stress_no_memory(error);
  if (status) {
    fly_stress_close(s);
    *out = NULL;
  }
  return status;
}

void fly_stress_close(fly_stress *s) {
  if (!s)
    return;
  fly_arrays_close(s->file);
  fly_arena_free(&s->memory);
  free(s);
}

long fly_stress_rows(const fly_stress *s) { return s->rows; }
const double *fly_stress_times(const fly_stress *s) { return s->time; }

// ------------------------------------------------------------------------------------------ over time

// sqrt(((xx - yy)^2 + (yy - zz)^2 + (zz - xx)^2)/2 + 3 (xy^2 + yz^2 + zx^2))
static double von_mises(const double t[6]) {
  const double a = t[0] - t[1], b = t[1] - t[2], c = t[2] - t[0];
  return sqrt((a * a + b * b + c * c) / 2 + 3 * (t[3] * t[3] + t[4] * t[4] + t[5] * t[5]));
}

// sigma(t) = sum sigma_j eta_j(t) at one place.
fly_status fly_stress_go_through(fly_stress *s, size_t place, fly_error *error) {
  fly_status status = fly_arrays_read(s->file, "stress", place, 1, s->row, error);
  for (int k = 0; k < s->modes && status == FLY_OK; k++)
    memcpy(s->use + 6 * (size_t)k, s->row + 6 * (size_t)s->mode[k], 6 * sizeof *s->use);
  if (status)
    return status;
  fly_dense_multiply(s->tensor, 'N', 'T', 6, (int)s->rows, s->modes, 1, s->use, s->eta, 0);
  for (long k = 0; k < s->rows; k++)
    s->mises[k] = von_mises(s->tensor + 6 * k);
  return FLY_OK;
}

static fly_stress_spot highest(const fly_stress *s, size_t place) {
  const double *at = s->at + 3 * place;
  fly_stress_spot spot = {.node = (int)at[0], .element = (int)at[1], .point = (int)at[2], .stress = -1};
  for (long k = 0; k < s->rows; k++)
    if (s->mises[k] > spot.stress) {
      spot.stress = s->mises[k];
      spot.time = s->time[k];
    }
  return spot;
}

// Into a list that is sorted; of a node only its highest.
static int put(fly_stress_spot *list, int count, int most, fly_stress_spot spot) {
  int k = 0;
  while (k < count && list[k].node != spot.node)
    k++;
  if (k < count && list[k].stress >= spot.stress)
    return count;
  if (k == count && count == most && (most == 0 || list[most - 1].stress >= spot.stress))
    return count;
  const int total = k < count ? count : count < most ? count + 1 : count;
  k = k < count ? k : total - 1;
  for (; k > 0 && list[k - 1].stress < spot.stress; k--)
    list[k] = list[k - 1];
  list[k] = spot;
  return total;
}

fly_status fly_stress_spots(fly_stress *s, int most, fly_stress_spot *spot, int *found, fly_error *error) {
  fly_status status = FLY_OK;
  *found = 0;
  for (size_t k = 0; k < s->places && status == FLY_OK; k++) {
    status = fly_stress_go_through(s, k, error);
    if (status == FLY_OK)
      *found = put(spot, *found, most, highest(s, k));
  }
  return status;
}

static bool is_at(const double *at, const fly_stress_spot *spot) {
  return at[0] == spot->node && (spot->element == 0 || at[1] == spot->element) &&
         (spot->point == 0 || at[2] == spot->point);
}

fly_status fly_stress_history(fly_stress *s, const fly_stress_spot *at, bool sign, double *out, fly_error *error) {
  double most = -1;
  for (size_t k = 0; k < s->places; k++) {
    if (!is_at(s->at + 3 * k, at))
      continue;
    fly_status status = fly_stress_go_through(s, k, error);
    if (status)
      return status;
    const double here = highest(s, k).stress;
    if (!(here > most))
      continue;
    most = here;
    for (long i = 0; i < s->rows; i++) {
      const double *t = s->tensor + 6 * i;
      out[i] = sign && t[0] + t[1] + t[2] < 0 ? -s->mises[i] : s->mises[i];
    }
  }
  return most >= 0 ? FLY_OK
                   : fly_fail(error, FLY_BAD_INPUT, NAN,
                              "Node %d has no stresses in the file; it keeps those of the surface and of beams, or of "
                              "all nodes (flyball reduce --points all).",
                              at->node);
}
