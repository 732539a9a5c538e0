// Tables: curves given by points in the model or in a CSV file beside it.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "io/forms.h"
#include "io/read.h"
#include "io/reader.h"
#include "io/tree_source.h"

typedef struct curve {
  double *x, *y; // in the memory of the spec (count)
  int count;
  double *across; // of a surface: abscissas of its rows (rows), and y are values, row by row
  int rows;
} curve;

static bool take_curve(fly_reader *r, curve *c, int count) {
  c->count = count;
  c->x = fly_arena_doubles(&r->spec->memory, (size_t)count);
  c->y = fly_arena_doubles(&r->spec->memory, (size_t)count);
  return (c->x != NULL && c->y != NULL) || fly_reader_no_memory(r);
}

// The first point that is not to the right of the one before, or 0.
static int descends(const curve *c) {
  for (int k = 1; k < c->count; k++)
    if (!(c->x[k] > c->x[k - 1]))
      return k;
  return 0;
}

// ------------------------------------------------------------------------------------------ points in the model

static bool read_column(fly_reader *r, const fly_field *field, int row, double *out, int count) {
  const fly_tree_node *node = field[row].entry->value;
  if (fly_reader_numbers(r, node, &fly_table_form[row], count, count) < 0)
    return false;
  memcpy(out, r->number, (size_t)count * sizeof *out);
  return true;
}

static bool read_points(fly_reader *r, const fly_tree_entry *table, const fly_field *field, curve *c) {
  for (int row = FLY_TABLE_X; row <= FLY_TABLE_Y; row++)
    if (field[row].entry == NULL)
      return fly_reader_fault_key(r, table, "'%s' of this table is missing.", fly_table_form[row].name);
  const fly_tree_node *x = field[FLY_TABLE_X].entry->value, *y = field[FLY_TABLE_Y].entry->value;
  if (x->kind == FLY_TREE_SEQUENCE && x->count < 2)
    return fly_reader_fault(r, x, "a table has two points at least.");
  if (x->kind == FLY_TREE_SEQUENCE && y->kind == FLY_TREE_SEQUENCE && x->count != y->count)
    return fly_reader_fault(r, y, "this table has %d values for %d abscissas.", y->count, x->count);
  const int count = x->kind == FLY_TREE_SEQUENCE ? x->count : 2;
  if (!take_curve(r, c, count) || !read_column(r, field, FLY_TABLE_X, c->x, count) ||
      !read_column(r, field, FLY_TABLE_Y, c->y, count))
    return false;
  const int k = descends(c);
  return k == 0 ||
         fly_reader_fault(r, x->entry[k].value, "'x' must ascend: %g does not follow %g.", c->x[k], c->x[k - 1]);
}

// ------------------------------------------------------------------------------------------ surfaces

static double *read_abscissas(fly_reader *r, const fly_tree_entry *table, const fly_field *field, int row, int *count) {
  if (field[row].entry == NULL) {
    fly_reader_fault_key(r, table, "'%s' of this table is missing.", fly_table_form[row].name);
    return NULL;
  }
  const fly_tree_node *node = field[row].entry->value;
  *count = fly_reader_numbers(r, node, &fly_table_form[row], 2, 0);
  if (*count < 0)
    return NULL;
  for (int k = 1; k < *count; k++)
    if (!(r->number[k] > r->number[k - 1])) {
      fly_reader_fault(r, node->entry[k].value, "'%s' must ascend: %g does not follow %g.", fly_table_form[row].name,
                       r->number[k], r->number[k - 1]);
      return NULL;
    }
  double *x = fly_arena_doubles(&r->spec->memory, (size_t)*count);
  if (x == NULL)
    fly_reader_no_memory(r);
  else
    memcpy(x, r->number, (size_t)*count * sizeof *x);
  return x;
}

static bool read_surface(fly_reader *r, const fly_tree_entry *table, const fly_field *field, curve *c) {
  const fly_tree_node *node = field[FLY_TABLE_VALUES].entry->value;
  int rows, columns;
  c->x = read_abscissas(r, table, field, FLY_TABLE_X, &c->count);
  c->across = c->x != NULL ? read_abscissas(r, table, field, FLY_TABLE_Y, &c->rows) : NULL;
  if (c->across == NULL || !fly_reader_matrix(r, node, &fly_table_form[FLY_TABLE_VALUES], &rows, &columns))
    return false;
  if (rows != c->rows || columns != c->count)
    return fly_reader_fault(r, node,
                            "'values' takes %d rows, one for each y, of %d numbers, one for each x; it has %d of %d.",
                            c->rows, c->count, columns > 0 ? rows : 1, columns > 0 ? columns : rows);
  if (rows > FLY_SURFACE_ROWS && columns > FLY_SURFACE_ROWS)
    return fly_reader_fault(r, node, "a surface has at most %d points along x or along y.", (int)FLY_SURFACE_ROWS);
  c->y = fly_arena_doubles(&r->spec->memory, (size_t)rows * (size_t)columns);
  if (c->y == NULL)
    return fly_reader_no_memory(r);
  memcpy(c->y, r->number, (size_t)rows * (size_t)columns * sizeof *c->y);
  return true;
}

// ------------------------------------------------------------------------------------------ CSV

enum { FIELDS = 256 }; // columns that are looked at

// One line cut at its commas (or semicolons, or tabs).
typedef struct csv_line {
  int count;
  const char *field[FIELDS]; // without blanks and quotes around them
  size_t length[FIELDS];
} csv_line;

typedef struct csv {
  fly_reader *r;
  const fly_tree_node *node; // the name of the file
  fly_source source;
  char separator;
  int column[2];
  const char *second; // the column of y, with the first as x; NULL: as the model says
} csv;

static bool csv_fault(const csv *f, const char *at, const char *what, const char *text, size_t length) {
  fly_error one;
  fly_source_fail_at(&f->source, (size_t)(at - f->source.text), &one, "%s '%.*s'.", what,
                     (int)(length < 60 ? length : 60), text);
  return fly_reader_fault(f->r, f->node, "the table cannot be read: %.*s", (int)strcspn(one.message, "\n"),
                          one.message);
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '"'; }

static void cut(csv_line *line, char separator, const char *text, const char *end) {
  line->count = 0;
  while (text <= end && line->count < FIELDS) {
    const char *stop = memchr(text, separator, (size_t)(end - text)), *last = stop != NULL ? stop : end;
    const char *next = last + 1;
    while (text < last && is_blank(*text))
      text++;
    while (last > text && is_blank(last[-1]))
      last--;
    line->field[line->count] = text;
    line->length[line->count++] = (size_t)(last - text);
    text = next;
  }
}

static bool field_number(const csv_line *line, int k, double *out) {
  return k < line->count && fly_number_read(line->field[k], line->length[k], out);
}

// Number of the column that a word names: by the names in the first line, or a number from 1. -1: none.
static int find_column(const csv_line *names, const char *word) {
  for (int k = 0; k < names->count; k++)
    if (strlen(word) == names->length[k] && strncmp(word, names->field[k], names->length[k]) == 0)
      return k;
  char *end;
  const long number = strtol(word, &end, 10);
  return *end == 0 && number >= 1 && number <= names->count ? (int)number - 1 : -1;
}

// "There is no column 'hight' in road.csv. Did you mean 'height'? It has time, height."
static bool no_column(csv *f, const csv_line *first, const fly_tree_node *node, const char *name) {
  enum { MOST = 20, LONGEST = 40 };
  char text[MOST][LONGEST + 1], list[300] = "", suggestion[100];
  const char *words[MOST + 1];
  int count = 0;
  for (; count < first->count && count < MOST; count++) {
    const size_t length = first->length[count] < LONGEST ? first->length[count] : LONGEST, used = strlen(list);
    snprintf(text[count], sizeof text[count], "%.*s", (int)length, first->field[count]);
    words[count] = text[count];
    snprintf(list + used, sizeof list - used, "%s%.40s", count > 0 ? ", " : "", words[count]);
  }
  words[count] = NULL;
  fly_reader_suggest(suggestion, sizeof suggestion, name, words);
  return fly_reader_fault(f->r, node, "'%.100s' has no column '%.60s'.%s Its first line is %s%s.", f->source.path, name,
                          suggestion, list, first->count > MOST ? ", ..." : "");
}

static bool choose_columns(csv *f, const csv_line *first, const fly_tree_node *node) {
  f->column[0] = 0;
  f->column[1] = f->second != NULL ? find_column(first, f->second) : 1;
  if (f->column[1] < 0)
    return no_column(f, first, f->node, f->second);
  if (node == NULL)
    return first->count >= 2 ||
           fly_reader_fault(f->r, f->node, "the table cannot be read: '%.100s' has one column.", f->source.path);
  if (node->kind != FLY_TREE_SEQUENCE || node->count != 2)
    return fly_reader_fault(f->r, node, "'columns' takes two names or numbers, such as [time, force].");
  for (int k = 0; k < 2; k++) {
    const fly_tree_node *word = node->entry[k].value;
    if (fly_reader_text(f->r, word, "columns", "names or numbers of columns") == NULL)
      return false;
    f->column[k] = find_column(first, word->text);
    if (f->column[k] < 0)
      return no_column(f, first, word, word->text);
  }
  return true;
}

static bool is_empty(const csv_line *line) {
  return line->count == 0 || (line->count == 1 && line->length[0] == 0) || line->field[0][0] == '#';
}

static int count_lines(const char *text) {
  int lines = 1;
  for (; *text != 0; text++)
    lines += *text == '\n';
  return lines;
}

static bool read_lines(csv *f, const fly_tree_node *columns, curve *c) {
  const char *text = f->source.text, *end;
  bool first = true;
  csv_line line;
  if (!take_curve(f->r, c, count_lines(text)))
    return false;
  c->count = 0;
  for (; *text != 0; text = *end != 0 ? end + 1 : end) {
    end = text + strcspn(text, "\n");
    cut(&line, f->separator, text, end);
    if (is_empty(&line))
      continue;
    if (first && !choose_columns(f, &line, columns))
      return false;
    double x, y;
    const bool good = field_number(&line, f->column[0], &x) && field_number(&line, f->column[1], &y);
    if (!good && !first) // the first line may hold names
      return csv_fault(f, text, "two numbers are expected in", text, (size_t)(end - text));
    first = false;
    if (good) {
      c->x[c->count] = x;
      c->y[c->count++] = y;
    }
    if (good && c->count > 1 && !(x > c->x[c->count - 2]))
      return csv_fault(f, text, "the abscissas must ascend; they do not at", line.field[f->column[0]],
                       line.length[f->column[0]]);
  }
  return c->count >= 2 ||
         fly_reader_fault(f->r, f->node, "a table has two points at least; '%.100s' has %d.", f->source.path, c->count);
}

static bool read_path(fly_reader *r, const fly_tree_node *node, const char *path, const char *second,
                      const fly_tree_node *columns, curve *c) {
  csv f = {.r = r, .node = node, .second = second};
  fly_error one;
  fly_status status = fly_source_read(&f.source, path, &one);
  if (status == FLY_OK)
    status = fly_source_check(&f.source, &one);
  bool good = status == FLY_OK;
  if (status == FLY_NO_MEMORY)
    fly_reader_no_memory(r);
  else if (!good)
    fly_reader_fault(r, node, "the table cannot be read: %.*s", (int)strcspn(one.message, "\n"), one.message);
  if (good) {
    const char *text = f.source.text;
    f.separator = strchr(text, ';') != NULL ? ';' : strchr(text, ',') != NULL ? ',' : '\t';
    good = read_lines(&f, columns, c);
  }
  fly_source_free(&f.source);
  return good;
}

static bool read_file(fly_reader *r, const fly_tree_node *node, const char *second, const fly_tree_node *columns,
                      curve *c) {
  if (fly_reader_text(r, node, "file", "the name of a CSV file") == NULL)
    return false;
  char *path = fly_reader_path(r, node);
  if (path == NULL)
    return false;
  const bool good = read_path(r, node, path, second, columns, c);
  free(path);
  return good;
}

// ------------------------------------------------------------------------------------------ tables

static bool read_table(fly_reader *r, const fly_tree_entry *table, curve *c) {
  fly_field field[FLY_TABLE_ROWS] = {0};
  if (!fly_reader_fields(r, table->value, "a table", fly_table_form, NULL, field))
    return false;
  const fly_tree_entry *file = field[FLY_TABLE_FILE].entry, *columns = field[FLY_TABLE_COLUMNS].entry;
  if (file != NULL && (field[FLY_TABLE_X].entry != NULL || field[FLY_TABLE_Y].entry != NULL))
    return fly_reader_fault_key(r, file, "a table takes x and y, or a file, not both.");
  if (field[FLY_TABLE_VALUES].entry != NULL)
    return file == NULL
               ? read_surface(r, table, field, c)
               : fly_reader_fault_key(r, file, "a surface takes x, y and values; {file: name} may stand for values.");
  if (columns != NULL && file == NULL)
    return fly_reader_fault_key(r, columns, "'columns' are those of a file; 'file' is missing.");
  if (file != NULL)
    return read_file(r, file->value, NULL, columns != NULL ? columns->value : NULL, c);
  return read_points(r, table, field, c);
}

static bool take_tables(fly_reader *r, int count) {
  fly_spec *s = r->spec;
  s->table_name = fly_arena_take(&s->memory, (size_t)count, sizeof *s->table_name);
  s->table_count = fly_arena_ints(&s->memory, (size_t)count);
  s->table_x = fly_arena_take(&s->memory, (size_t)count, sizeof *s->table_x);
  s->table_y = fly_arena_take(&s->memory, (size_t)count, sizeof *s->table_y);
  s->table_rows = fly_arena_ints(&s->memory, (size_t)count);
  s->table_across = fly_arena_take(&s->memory, (size_t)count, sizeof *s->table_across);
  return !s->memory.failed || fly_reader_no_memory(r);
}

// The curves as expressions see them.
static bool make_splines(fly_reader *r) {
  const fly_spec *s = r->spec;
  r->table = fly_arena_take(&r->memory, (size_t)s->ntable, sizeof *r->table);
  for (int k = 0; r->table != NULL && k < s->ntable; k++) {
    if (s->table_rows[k] > 0) {
      if (!fly_expr_surface_make(&r->table[k], s->table_name[k], s->table_count[k], s->table_x[k], s->table_rows[k],
                                 s->table_across[k], s->table_y[k], &r->memory))
        break;
      continue;
    }
    double *slopes = fly_arena_doubles(&r->memory, 3 * (size_t)s->table_count[k]);
    if (slopes == NULL)
      break;
    fly_expr_table_make(&r->table[k], s->table_name[k], s->table_count[k], s->table_x[k], s->table_y[k], slopes);
  }
  return !r->memory.failed || fly_reader_no_memory(r);
}

bool fly_reader_tables(fly_reader *r, const fly_tree_node *node) {
  bool good = take_tables(r, node->count);
  for (int k = 0; k < node->count && fly_reader_goes_on(r); k++) {
    const fly_tree_entry *entry = &node->entry[k];
    curve c = {0};
    if (!fly_reader_check_name(r, entry, "table") || !read_table(r, entry, &c)) {
      good = false;
      continue;
    }
    fly_spec *s = r->spec;
    s->table_name[k] = fly_spec_text(s, entry->key);
    if (s->table_name[k] == NULL)
      return fly_reader_no_memory(r);
    s->table_count[k] = c.count;
    s->table_x[k] = c.x;
    s->table_y[k] = c.y;
    s->table_rows[k] = c.rows;
    s->table_across[k] = c.across;
    s->ntable = k + 1;
  }
  return good && make_splines(r);
}

// ------------------------------------------------------------------------------------------ inputs that follow files

// Room for more tables, behind those there are.
static bool more_tables(fly_reader *r, int count) {
  fly_spec *s = r->spec;
  const fly_spec old = *s;
  const size_t n = (size_t)old.ntable;
  if (!take_tables(r, old.ntable + count))
    return false;
  if (n == 0)
    return true;
  memcpy(s->table_name, old.table_name, n * sizeof *s->table_name);
  memcpy(s->table_count, old.table_count, n * sizeof *s->table_count);
  memcpy(s->table_x, old.table_x, n * sizeof *s->table_x);
  memcpy(s->table_y, old.table_y, n * sizeof *s->table_y);
  memcpy(s->table_rows, old.table_rows, n * sizeof *s->table_rows);
  memcpy(s->table_across, old.table_across, n * sizeof *s->table_across);
  return true;
}

// The input becomes a curve through a table of its name.
static bool follow(fly_reader *r, int item, const curve *c) {
  fly_spec *s = r->spec;
  fly_item *input = &s->item[item];
  char name[FLY_TREE_KEY + 10], text[FLY_TREE_KEY + 150], when[90] = "time";
  snprintf(name, sizeof name, "%s.file", input->name);
  const char *way = fly_item_word(input, "interpolation", 0);
  if (fly_item_given(input, "beyond") && strcmp(fly_item_word(input, "beyond", 0), "hold") == 0)
    snprintf(when, sizeof when, "clamp(time, %.17g, %.17g)", c->x[0], c->x[c->count - 1]);
  snprintf(text, sizeof text, "%s(%s, %s)", strcmp(way, "hold") == 0 ? "stairs" : way, when, name);
  const char *word = text;
  const int value = fly_parameter_find(input->type, "value"), k = s->ntable;
  const bool given = fly_item_row(input, value)->given;
  s->table_name[k] = fly_spec_text(s, name);
  s->table_count[k] = c->count;
  s->table_x[k] = c->x;
  s->table_y[k] = c->y;
  if (s->table_name[k] == NULL || !fly_spec_set_numbers(s, input, value, 1, c->y, input->place) ||
      !fly_spec_set_words(s, input, value, 1, &word, input->place))
    return fly_reader_no_memory(r);
  fly_spec_own_value(s, input, value)->given = given; // it has one by now
  s->ntable++;
  return true;
}

// "name=file.csv" or "name=file.csv:column" of the caller; the file is where the program runs.
static bool follow_given(fly_reader *r, const char *given) {
  char name[FLY_TREE_KEY + 1], path[1000], why[300];
  const size_t length = strcspn(given, "=");
  snprintf(name, sizeof name, "%.*s", (int)(length < FLY_TREE_KEY ? length : FLY_TREE_KEY), given);
  if (given[length] == 0 || given[length + 1] == 0)
    return fly_reader_fault_text(r, "an input is given as name=file.csv, not as '%.100s'.", given);
  const fly_item *item = fly_spec_find(r->spec, "inputs", name);
  if (item == NULL) {
    fly_reader_find_item(r, "inputs", name, why, sizeof why);
    return fly_reader_fault_text(r, "%s", why);
  }
  snprintf(path, sizeof path, "%s", given + length + 1);
  char *colon = strrchr(path, ':');
  if (colon != NULL)
    *colon++ = 0;
  const int k = (int)(item - r->spec->item);
  curve c = {0};
  return read_path(r, r->node[k], path, colon, NULL, &c) && follow(r, k, &c);
}

bool fly_reader_input_files(fly_reader *r) {
  const int given = r->options != NULL ? r->options->ninput : 0;
  int files = 0;
  bool good = true;
  for (int k = 0; k < r->spec->nitem; k++)
    files += strcmp(r->spec->item[k].type->section, "inputs") == 0 && fly_item_given(&r->spec->item[k], "file");
  if (files + given == 0)
    return true;
  if (!more_tables(r, files + given))
    return false;
  for (int k = 0; k < r->spec->nitem && fly_reader_goes_on(r); k++) {
    const fly_item *item = &r->spec->item[k];
    curve c = {0};
    if (strcmp(item->type->section, "inputs") != 0 || !fly_item_given(item, "file"))
      continue;
    const fly_tree_node *file = fly_tree_find(r->node[k], "file");
    good = read_file(r, file, fly_item_word(item, "column", 0), NULL, &c) && follow(r, k, &c) && good;
  }
  for (int k = 0; k < given && fly_reader_goes_on(r); k++)
    good = follow_given(r, r->options->input[k]) && good;
  return good && make_splines(r);
}
