// Matrices: rows of numbers in the model, or a file beside it: CSV, or Matrix Market (Boisvert, Pozo, Remington 1996).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "io/read.h"
#include "io/reader.h"
#include "io/tree_source.h"

enum { MOST_ENTRIES = 1 << 22 }; // a dense one of order 2048

// ------------------------------------------------------------------------------------------ rows in the model

static bool wrong_kind(fly_reader *r, const fly_tree_node *node, const fly_parameter *row) {
  return fly_reader_fault(
      r, node, "'%s' takes a matrix, a list of its rows such as [[0, 1], [-4, 0]], or {file: matrix.csv}, not %s.",
      row->name, fly_tree_kind_name(node));
}

static bool too_large(fly_reader *r, const fly_tree_node *node) {
  return fly_reader_fault(r, node, "a matrix has at most %d numbers.", (int)MOST_ENTRIES);
}

static bool read_row(fly_reader *r, const fly_tree_node *node, const fly_parameter *row, int columns, double *out) {
  if (node->kind != FLY_TREE_SEQUENCE || node->count != columns)
    return fly_reader_fault(r, node, "'%s': every row of a matrix has as many numbers as the first, %d.", row->name,
                            columns);
  bool good = true;
  for (int k = 0; k < columns && fly_reader_goes_on(r); k++)
    good = fly_reader_number(r, node->entry[k].value, row, &out[k]) && good;
  return good;
}

static bool read_rows(fly_reader *r, const fly_tree_node *node, const fly_parameter *row, int *rows, int *columns) {
  const fly_tree_node *first = node->entry[0].value;
  *rows = node->count;
  *columns = first->count;
  if (*columns == 0)
    return fly_reader_fault(r, first, "'%s': a row of a matrix has one number at least.", row->name);
  if (*columns > MOST_ENTRIES / *rows)
    return too_large(r, node);
  if (!fly_reader_reserve(r, *rows * *columns))
    return false;
  bool good = true;
  for (int k = 0; k < *rows && fly_reader_goes_on(r); k++)
    good = read_row(r, node->entry[k].value, row, *columns, r->number + k * *columns) && good;
  return good;
}

// ------------------------------------------------------------------------------------------ words of a file

typedef struct matrix_file {
  fly_reader *r;
  const fly_tree_node *node; // its name in the model
  fly_source source;
  const char *at; // the next character
  int rows, columns;
} matrix_file;

static bool file_fault(const matrix_file *f, const char *what) {
  fly_error one;
  fly_source_fail_at(&f->source, (size_t)(f->at - f->source.text), &one, "%s", what);
  return fly_reader_fault(f->r, f->node, "the matrix cannot be read: %.*s", (int)strcspn(one.message, "\n"),
                          one.message);
}

static const char *const BLANKS = " \t\r,;\"";

static bool next_number(matrix_file *f, double *out) {
  const size_t length = strcspn(f->at, " \t\r,;\"\n");
  const bool good = length > 0 && fly_number_read(f->at, length, out);
  f->at += good ? length : 0;
  return good;
}

// To the next line that says something; false: there is none.
static bool next_line(matrix_file *f, char comment) {
  for (;;) {
    f->at += strspn(f->at, " \t\r,;\"\n");
    if (*f->at != comment)
      return *f->at != 0;
    f->at += strcspn(f->at, "\n");
  }
}

// ------------------------------------------------------------------------------------------ CSV

static bool keep_number(matrix_file *f, int place, double x) {
  if (place >= MOST_ENTRIES)
    return too_large(f->r, f->node);
  if (!fly_reader_reserve(f->r, place + 1))
    return false;
  f->r->number[place] = x;
  return true;
}

static bool read_csv_line(matrix_file *f) {
  int count = 0;
  for (f->at += strspn(f->at, BLANKS); *f->at != '\n' && *f->at != 0; f->at += strspn(f->at, BLANKS)) {
    double x;
    if (!next_number(f, &x))
      return file_fault(f, "a number is expected here.");
    if (!keep_number(f, f->rows * f->columns + count++, x))
      return false;
    if (f->rows > 0 && count > f->columns)
      break;
  }
  if (f->rows == 0)
    f->columns = count;
  f->rows++;
  return count == f->columns || file_fault(f, "this row has another number of columns than the first.");
}

static bool read_csv(matrix_file *f) {
  while (next_line(f, '#'))
    if (!read_csv_line(f))
      return false;
  return f->rows > 0 ||
         fly_reader_fault(f->r, f->node, "the matrix cannot be read: '%.100s' has no numbers.", f->source.path);
}

// ------------------------------------------------------------------------------------------ Matrix Market

typedef struct market {
  bool coordinate;
  double mirrored; // the entry across the diagonal, in this one: 0: it is on its own
} market;

static bool read_header(matrix_file *f, market *m) {
  char form[20] = "", field[20] = "", symmetry[20] = "";
  const int found = sscanf(f->at, "%%%%MatrixMarket matrix %19s %19s %19s", form, field, symmetry);
  m->coordinate = strcmp(form, "coordinate") == 0;
  m->mirrored = strcmp(symmetry, "symmetric") == 0 ? 1 : strcmp(symmetry, "skew-symmetric") == 0 ? -1 : 0;
  const bool good = found == 3 && (m->coordinate || strcmp(form, "array") == 0) &&
                    (strcmp(field, "real") == 0 || strcmp(field, "integer") == 0) &&
                    (m->mirrored != 0 || strcmp(symmetry, "general") == 0);
  return good || file_fault(f, "of Matrix Market files those are read that begin with '%%MatrixMarket matrix', then "
                               "coordinate or array, real or integer, general, symmetric or skew-symmetric.");
}

static bool next_whole(matrix_file *f, int low, int high, int *out) {
  double x;
  if (!next_line(f, '%') || !next_number(f, &x) || x != (double)(int)x || x < low || x > high)
    return file_fault(f, "a whole number in range is expected here.");
  *out = (int)x;
  return true;
}

static void put_entry(const matrix_file *f, const market *m, int i, int j, double x) {
  f->r->number[i * f->columns + j] = x;
  if (m->mirrored != 0 && i != j)
    f->r->number[j * f->columns + i] = m->mirrored * x;
}

static bool read_entry(matrix_file *f, const market *m, int i, int j) {
  double x;
  if (!next_line(f, '%') || !next_number(f, &x))
    return file_fault(f, "a number is expected here.");
  put_entry(f, m, i, j, x);
  return true;
}

// Column by column; of a symmetric one what is on and below the diagonal.
static bool read_array(matrix_file *f, const market *m) {
  for (int j = 0; j < f->columns; j++)
    for (int i = m->mirrored > 0 ? j : m->mirrored < 0 ? j + 1 : 0; i < f->rows; i++)
      if (!read_entry(f, m, i, j))
        return false;
  return true;
}

static bool read_coordinates(matrix_file *f, const market *m) {
  int count = 0, i = 1, j = 1;
  if (!next_whole(f, 0, f->rows * f->columns, &count))
    return false;
  for (int k = 0; k < count; k++)
    if (!next_whole(f, 1, f->rows, &i) || !next_whole(f, 1, f->columns, &j) || !read_entry(f, m, i - 1, j - 1))
      return false;
  return true;
}

static bool read_market(matrix_file *f) {
  market m;
  if (!read_header(f, &m) || !next_whole(f, 1, MOST_ENTRIES, &f->rows) ||
      !next_whole(f, 1, MOST_ENTRIES / f->rows, &f->columns))
    return false;
  if (m.mirrored != 0 && f->rows != f->columns)
    return file_fault(f, "a symmetric matrix is square.");
  if (!fly_reader_reserve(f->r, f->rows * f->columns))
    return false;
  memset(f->r->number, 0, (size_t)(f->rows * f->columns) * sizeof(double));
  return m.coordinate ? read_coordinates(f, &m) : read_array(f, &m);
}

// ------------------------------------------------------------------------------------------ both

static bool read_source(matrix_file *f) {
  fly_error one;
  char *path = fly_path_beside(fly_tree_path(f->node), f->node->text);
  if (path == NULL)
    return fly_reader_no_memory(f->r);
  fly_status status = fly_source_read(&f->source, path, &one);
  free(path);
  if (status == FLY_OK)
    status = fly_source_check_text(&f->source, &one);
  if (status == FLY_NO_MEMORY)
    return fly_reader_no_memory(f->r);
  if (status != FLY_OK)
    return fly_reader_fault(f->r, f->node, "the matrix cannot be read: %.*s", (int)strcspn(one.message, "\n"),
                            one.message);
  f->at = f->source.text;
  return strncmp(f->at, "%%MatrixMarket", 14) == 0 ? read_market(f) : read_csv(f);
}

static bool read_file(fly_reader *r, const fly_tree_node *node, const fly_parameter *row, int *rows, int *columns) {
  const fly_tree_entry *file = fly_tree_find_entry(node, "file");
  if (file == NULL || node->count != 1)
    return fly_reader_fault(r, node, "'%s' takes a matrix, or {file: matrix.csv}, the name of a file.", row->name);
  if (fly_reader_text(r, file->value, "file", "the name of a file") == NULL)
    return false;
  if (!r->files)
    return fly_reader_fault(r, file->value, "only a model in a file can name others.");
  matrix_file f = {.r = r, .node = file->value};
  const bool good = read_source(&f);
  fly_source_free(&f.source);
  *rows = f.rows;
  *columns = f.columns;
  return good;
}

bool fly_reader_matrix(fly_reader *r, const fly_tree_node *node, const fly_parameter *row, int *rows, int *columns) {
  if (node->kind == FLY_TREE_MAPPING)
    return read_file(r, node, row, rows, columns);
  if (node->kind == FLY_TREE_SEQUENCE && node->count > 0 && node->entry[0].value->kind == FLY_TREE_SEQUENCE)
    return read_rows(r, node, row, rows, columns);
  *columns = 0;
  if (node->kind == FLY_TREE_SEQUENCE) {
    *rows = fly_reader_numbers(r, node, row, 1, 0);
    return *rows > 0;
  }
  *rows = 1; // one number alone
  return node->kind == FLY_TREE_SCALAR && !fly_tree_is_null(node)
             ? fly_reader_reserve(r, 1) && fly_reader_number(r, node, row, r->number)
             : wrong_kind(r, node, row);
}
