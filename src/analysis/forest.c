#include "analysis/forest.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

enum { MOST = 6 }; // rows of a joint, and columns of a body

// Of its row's largest entry: a pivot from here on is far from what a search for dependent rows would call none.
static const double CLEAR = 1e-6;

typedef struct forest {
  const fly_csc *G;
  const int *group;
  int *body[2]; // that a row is about, each (rows); -1: none, the ground
  int *joint;   // first of the rows with the same two bodies that a row is among (rows)
  int *tree;    // another body of the same tree, itself at its root; the ground is the last (cols + 1)
  double *size; // the largest entry of a row (rows)
} forest;

static bool take(forest *f, fly_arena *work) {
  const size_t rows = (size_t)f->G->rows;
  for (int i = 0; i < 2; i++)
    f->body[i] = fly_arena_ints(work, rows);
  f->joint = fly_arena_ints(work, rows);
  f->tree = fly_arena_ints(work, (size_t)f->G->cols + 1);
  f->size = fly_arena_doubles(work, rows);
  return !work->failed;
}

static bool note_body(forest *f, int row, int body) {
  for (int i = 0; i < 2; i++) {
    if (f->body[i][row] < 0)
      f->body[i][row] = body;
    if (f->body[i][row] == body)
      return true;
  }
  return false;
}

// False: a row is about more than two bodies, or has an entry that is no number.
static bool note_rows(forest *f) {
  const fly_csc *G = f->G;
  for (int i = 0; i < G->rows; i++)
    f->body[0][i] = f->body[1][i] = -1;
  for (int j = 0; j < G->cols; j++)
    for (int k = G->start[j]; k < G->start[j + 1]; k++) {
      const double size = fabs(G->val[k]);
      if (!isfinite(size) || !note_body(f, G->row[k], f->group[j]))
        return false;
      f->size[G->row[k]] = size > f->size[G->row[k]] ? size : f->size[G->row[k]];
    }
  return true;
}

static int root_of(int *tree, int body) {
  while (tree[body] != body)
    body = tree[body] = tree[tree[body]];
  return body;
}

// False: a joint closes a loop, which is also said of rows of one pair that do not follow each other.
static bool join_bodies(forest *f) {
  const int ground = f->G->cols;
  for (int k = 0; k <= ground; k++)
    f->tree[k] = k;
  for (int i = 0; i < f->G->rows; i++) {
    const int a = f->body[0][i], b = f->body[1][i];
    const bool same = i > 0 && a == f->body[0][i - 1] && b == f->body[1][i - 1];
    f->joint[i] = same ? f->joint[i - 1] : i;
    if (a < 0 || i - f->joint[i] >= MOST)
      return false;
    const int one = root_of(f->tree, a), other = root_of(f->tree, b >= 0 ? b : ground);
    if (!same && one == other)
      return false;
    f->tree[one] = other;
  }
  return true;
}

static int largest_in(const double *row, int columns) {
  int at = 0;
  for (int j = 1; j < columns; j++)
    if (fabs(row[j]) > fabs(row[at]))
      at = j;
  return at;
}

// By elimination, row after row; they are in units of their largest entries.
static bool are_independent(double a[MOST][MOST], int rows, int columns) {
  for (int k = 0; k < rows; k++) {
    const int pivot = largest_in(a[k], columns);
    if (!(fabs(a[k][pivot]) > CLEAR))
      return false;
    for (int i = k + 1; i < rows; i++) {
      const double factor = a[i][pivot] / a[k][pivot];
      for (int j = 0; j < columns && factor != 0; j++)
        a[i][j] -= factor * a[k][j];
    }
  }
  return true;
}

// The rows of a joint in the columns of one of its bodies, from `first` on, where at[] stands in each.
static bool is_joint_clear(const forest *f, int joint, int first, int columns, int at[MOST]) {
  const fly_csc *G = f->G;
  double a[MOST][MOST] = {{0}};
  int rows = 1;
  while (joint + rows < G->rows && f->joint[joint + rows] == joint)
    rows++;
  for (int j = 0; j < columns; j++)
    for (; at[j] < G->start[first + j + 1] && f->joint[G->row[at[j]]] == joint; at[j]++) {
      const int row = G->row[at[j]];
      a[row - joint][j] = f->size[row] > 0 ? G->val[at[j]] / f->size[row] : 0.0;
    }
  return are_independent(a, rows, columns);
}

// All joints of the body with these columns, one after another in the order of their rows.
static bool is_body_clear(const forest *f, int first, int columns) {
  const fly_csc *G = f->G;
  int at[MOST];
  for (int j = 0; j < columns; j++)
    at[j] = G->start[first + j];
  for (;;) {
    int row = G->rows;
    for (int j = 0; j < columns; j++)
      if (at[j] < G->start[first + j + 1] && G->row[at[j]] < row)
        row = G->row[at[j]];
    if (row == G->rows)
      return true;
    if (!is_joint_clear(f, f->joint[row], first, columns, at))
      return false;
  }
}

static bool are_joints_clear(const forest *f) {
  for (int first = 0, columns; first < f->G->cols; first += columns) {
    for (columns = 1; first + columns < f->G->cols && f->group[first + columns] == f->group[first];)
      columns++;
    if (columns > MOST || !is_body_clear(f, first, columns))
      return false;
  }
  return true;
}

fly_status fly_forest_independent(bool *known, const fly_csc *G, const int *group, fly_error *error) {
  forest f = {.G = G, .group = group};
  fly_arena work = {0};
  const bool taken = take(&f, &work);
  *known = taken && note_rows(&f) && join_bodies(&f) && are_joints_clear(&f);
  fly_arena_free(&work);
  return taken ? FLY_OK : fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d constraint rows.", G->rows);
}
