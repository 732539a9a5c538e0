#include "dae/scatter.h"

#include "base/quad.h"
#include "base/wide.h"

// ------------------------------------------------------------------------------------------ finding

// Do the columns j, j + 1, j + 2 have entries in the same rows?
static bool same_rows(const fly_csc *a, int j) {
  const int *row = a->row + a->start[j], count = a->start[j + 1] - a->start[j];
  bool same = a->start[j + 3] - a->start[j] == 3 * count && a->start[j + 2] - a->start[j] == 2 * count;
  for (int k = 0; k < count && same; k++)
    same = row[k] == row[k + count] && row[k] == row[k + 2 * count];
  return same;
}

// `wide` places of each of the entries from `first` to `end` as runs behind out (NULL: they are counted); their
// number.
static int split(fly_scatter_run *out, const int *place, int first, int end, const int wide) {
  int count = 0;
  for (int k = first; k < end;) {
    int next = k + 1;
    for (bool beside = true; next < end; next++) {
      for (int i = 0; i < wide; i++)
        beside = beside && place[wide * next + i] == place[wide * (next - 1) + i] + 1;
      if (!beside)
        break;
    }
    if (out)
      out[count] =
          (fly_scatter_run){next - k, {place[wide * k], place[wide * k + wide / 2], place[wide * k + wide - 1]}};
    count++;
    k = next;
  }
  return count;
}

static bool take_runs(fly_scatter *r, fly_arena *memory, int count) {
  for (int k = 0; k < count; k++)
    r->start[k + 1] += r->start[k];
  r->run = fly_arena_take(memory, (size_t)r->start[count] + 1, sizeof *r->run);
  return r->run != NULL;
}

bool fly_scatter_find(fly_scatter *r, fly_arena *memory, const fly_csc *a, const int *place) {
  r->start = fly_arena_ints(memory, (size_t)a->cols + 1);
  for (int j = 0; j < a->cols && r->start; j++)
    r->start[j + 1] = split(NULL, place, a->start[j], a->start[j + 1], 1);
  if (!r->start || !take_runs(r, memory, a->cols))
    return false;
  for (int j = 0; j < a->cols; j++)
    split(r->run + r->start[j], place, a->start[j], a->start[j + 1], 1);
  return true;
}

bool fly_scatter_find_turned(fly_scatter *r, fly_arena *memory, const fly_eval *e, const fly_csc *a, const int *place) {
  const int count = e->p.nrotation, *first = e->p.rotation_v;
  r->start = fly_arena_ints(memory, (size_t)count + 1);
  for (int k = 0; k < count && r->start; k++)
    if (same_rows(a, first[k]))
      r->start[k + 1] = split(NULL, place, a->start[first[k]], a->start[first[k] + 1], 3);
  if (!r->start || !take_runs(r, memory, count))
    return false;
  for (int k = 0; k < count; k++)
    if (r->start[k + 1] > r->start[k])
      split(r->run + r->start[k], place, a->start[first[k]], a->start[first[k] + 1], 3);
  return true;
}

// ------------------------------------------------------------------------------------------ adding

INLINED void add_run(double *to, const double *of, int count, double c) {
  int k = 0;
  for (; k + FOUR <= count; k += FOUR)
    *(quad *)(to + k) += c * *(const quad *)(of + k);
  for (; k < count; k++)
    to[k] += c * of[k];
}

FLY_WIDE void fly_scatter_add(double *val, double c, const fly_csc *a, const int *place, const fly_scatter *r,
                              int first, int end) {
  if (!r->start) {
    for (int k = a->start[first]; k < a->start[end]; k++)
      val[place[k]] += c * a->val[k];
    return;
  }
  const double *of = a->val + a->start[first];
  const fly_scatter_run *const behind = r->run + r->start[end];
  for (const fly_scatter_run *s = r->run + r->start[first]; s < behind; of += s++->count)
    add_run(val + s->to[0], of, s->count, c);
}

// Of a rotation's three columns, which have `rows` rows each.
INLINED void add_three(double *val, const fly_scatter_run *s, const double *of, int rows, double c, const double T[9]) {
  const double *second = of + rows, *third = second + rows;
  int k = 0;
  for (; k + FOUR <= s->count; k += FOUR) {
    const quad x = c * *(const quad *)(of + k), y = c * *(const quad *)(second + k), z = c * *(const quad *)(third + k);
    for (int i = 0; i < 3; i++) {
      quad *to = (quad *)(val + s->to[i] + k);
      *to = *to + x * T[i] + y * T[3 + i] + z * T[6 + i];
    }
  }
  for (; k < s->count; k++) {
    const double x = c * of[k], y = c * second[k], z = c * third[k];
    for (int i = 0; i < 3; i++) {
      double *to = val + s->to[i] + k;
      *to = *to + x * T[i] + y * T[3 + i] + z * T[6 + i];
    }
  }
}

// Entries of one column one by one; T: its row of the rotation's matrix, NULL: it is none of a rotation.
INLINED void add_column(double *val, double c, const fly_csc *a, int j, const int *place, const double *T) {
  for (int k = a->start[j]; k < a->start[j + 1]; k++)
    for (int i = 0; i < (T ? 3 : 1); i++)
      val[place[3 * k + i]] += T ? c * a->val[k] * T[i] : c * a->val[k];
}

FLY_WIDE void fly_scatter_add_turned(double *val, double c, const fly_csc *a, const int *place, const fly_scatter *r,
                                     const fly_eval *e, const double *T) {
  for (int j = 0; j < e->p.nv; j++) {
    const int rotation = e->rotation_of[j];
    const double *own = rotation < 0 ? NULL : T + (ptrdiff_t)9 * rotation;
    if (!own || r->start[rotation] == r->start[rotation + 1]) {
      add_column(val, c, a, j, place, own ? own + (ptrdiff_t)3 * (j - e->p.rotation_v[rotation]) : NULL);
      continue;
    }
    const double *of = a->val + a->start[j];
    for (int k = r->start[rotation]; k < r->start[rotation + 1]; of += r->run[k++].count)
      add_three(val, &r->run[k], of, a->start[j + 1] - a->start[j], c, own);
    j += 2;
  }
}
