// Matrices of others: K and M as Matrix Market files, and a table of the nodes they belong to.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fem/matrices.h"

void fly_fem_entries_free(fly_fem_entries *e) {
  free(e->row);
  free(e->col);
  free(e->value);
  *e = (fly_fem_entries){0};
}

static bool read_head(char *line, bool *symmetric) {
  char form[20], field[20], symmetry[20];
  for (char *c = line; *c; c++)
    *c = (char)tolower((unsigned char)*c);
  if (sscanf(line, "%%%%matrixmarket matrix %19s %19s %19s", form, field, symmetry) != 3)
    return false;
  *symmetric = strcmp(symmetry, "symmetric") == 0;
  return strcmp(form, "coordinate") == 0 && (strcmp(field, "real") == 0 || strcmp(field, "integer") == 0) &&
         (*symmetric || strcmp(symmetry, "general") == 0);
}

static char *data_line(fly_fem_lines *l) {
  char *line;
  do
    line = fly_fem_line(l);
  while (line && (line[0] == '%' || line[0] == 0));
  return line;
}

static void add(fly_fem_entries *e, int i, int j, double x) {
  e->row[e->count] = i;
  e->col[e->count] = j;
  e->value[e->count++] = x;
}

static fly_status read_entries(fly_fem_entries *e, fly_fem_lines *l, int stored, bool symmetric) {
  for (int k = 0; k < stored; k++) {
    char *line = data_line(l);
    int i, j;
    double x;
    if (!line || !fly_fem_whole(&line, &i) || !fly_fem_whole(&line, &j) || !fly_fem_number(&line, &x) || i < 1 ||
        j < 1 || i > e->n || j > e->n)
      return fly_fem_fault(l, "entry %d of %d is not there, or not `row column value` inside the matrix.", k + 1,
                           stored);
    add(e, i - 1, j - 1, x);
    if (symmetric && i != j)
      add(e, j - 1, i - 1, x);
  }
  return FLY_OK;
}

static fly_status read_matrix(fly_fem_entries *e, fly_fem_lines *l) {
  bool symmetric;
  int rows, columns, stored;
  char *line = fly_fem_line(l);
  if (!line || !read_head(line, &symmetric))
    return fly_fem_fault(l, "a matrix is a Matrix Market file of the kind coordinate, real, symmetric or general.");
  line = data_line(l);
  if (!line || !fly_fem_whole(&line, &rows) || !fly_fem_whole(&line, &columns) || !fly_fem_whole(&line, &stored) ||
      rows != columns || rows < 1 || stored < 0)
    return fly_fem_fault(l, "`rows columns entries` of a square matrix are expected here.");
  const size_t most = (size_t)stored * (symmetric ? 2 : 1) + 1;
  e->n = rows;
  e->row = malloc(most * sizeof *e->row);
  e->col = malloc(most * sizeof *e->col);
  e->value = malloc(most * sizeof *e->value);
  if (!e->row || !e->col || !e->value)
    return fly_fail(l->error, FLY_NO_MEMORY, NAN, "%s: out of memory for this matrix.", l->path);
  return read_entries(e, l, stored, symmetric);
}

fly_status fly_fem_read_market(fly_fem_entries *e, const char *path, fly_error *error) {
  char *text;
  *e = (fly_fem_entries){0};
  fly_status status = fly_fem_load(&text, path, error);
  if (status)
    return status;
  fly_fem_lines l = {.path = path, .next = text, .error = error};
  status = read_matrix(e, &l);
  free(text);
  if (status)
    fly_fem_entries_free(e);
  return status;
}

static fly_status read_row(fly_fem_mesh *m, int *unknowns, fly_fem_lines *l, char *line) {
  int number, count = 3;
  double x[3];
  if (!fly_fem_whole(&line, &number) || !fly_fem_number(&line, &x[0]) || !fly_fem_number(&line, &x[1]) ||
      !fly_fem_number(&line, &x[2]))
    return fly_fem_fault(l, "a node is `number, x, y, z`, and 6 behind it if it has turns.");
  if (fly_fem_whole(&line, &count) && count != 3 && count != 6)
    return fly_fem_fault(l, "a node has 3 or 6 unknowns, not %d.", count);
  fly_status status = fly_fem_check_place(l, number, x);
  if (status)
    return status;
  unknowns[m->nodes] = count;
  return fly_fem_add_node(m, number, x) ? FLY_OK
                                        : fly_fail(l->error, FLY_NO_MEMORY, NAN, "%s: out of memory.", l->path);
}

fly_status fly_fem_read_table(fly_fem_mesh *m, int **unknowns, const char *path, fly_error *error) {
  char *text;
  int lines = 1;
  *m = (fly_fem_mesh){0};
  *unknowns = NULL;
  fly_status status = fly_fem_load(&text, path, error);
  if (status)
    return status;
  for (const char *c = text; *c; c++)
    lines += *c == '\n';
  fly_fem_lines l = {.path = path, .next = text, .error = error};
  *unknowns = calloc((size_t)lines + 1, sizeof **unknowns);
  if (!*unknowns)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "%s: out of memory.", path);
  for (char *line; status == FLY_OK && (line = fly_fem_line(&l)) != NULL;)
    if (isdigit((unsigned char)line[0]) || line[0] == '-')
      status = read_row(m, *unknowns, &l, line);
    else if (line[0] && line[0] != '#' && m->nodes > 0)
      status = fly_fem_fault(&l, "a node begins with its number.");
  free(text);
  if (status == FLY_OK && !fly_fem_sort(m))
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "%s: out of memory.", path);
  return status;
}
