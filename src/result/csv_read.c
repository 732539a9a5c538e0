// Reading CSV: line by line, each time from where the last reading ended.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "result/formats.h"

typedef struct reader {
  const char *path;
  FILE *file;
  int width;
  long line, row; // lines and rows read so far
  char *text;     // the last line, without its end (room)
  size_t room, length;
  double *value; // of the columns that are wanted (width)
  char *wanted;  // (width)
} reader;

// ------------------------------------------------------------------------------------------------ lines

static bool grow(reader *r) {
  size_t room = r->room > 0 ? 2 * r->room : 4096;
  char *text = realloc(r->text, room);
  if (text == NULL)
    return false;
  r->text = text;
  r->room = room;
  return true;
}

typedef enum line { LINE, END, CUT, NO_MEMORY } line; // CUT: a line that does not end

// Reads the next line up to its end, which is taken off.
static line read_piece(reader *r) {
  r->length = 0;
  for (;;) {
    if (r->room - r->length < 2 && !grow(r))
      return NO_MEMORY;
    size_t left = r->room - r->length;
    if (fgets(r->text + r->length, left > INT_MAX ? INT_MAX : (int)left, r->file) == NULL)
      return r->length > 0 ? CUT : END;
    r->length += strlen(r->text + r->length);
    if (r->length > 0 && r->text[r->length - 1] == '\n') {
      r->length -= 1 + (r->length > 1 && r->text[r->length - 2] == '\r');
      r->text[r->length] = 0;
      return LINE;
    }
    if (r->length + 1 < r->room) // the file has ended, or there is a 0 in it
      return CUT;
  }
}

// The next line that is not empty.
static line read_line(reader *r) {
  line found;
  do {
    found = read_piece(r);
    r->line++;
  } while (found == LINE && r->length == 0);
  return found;
}

// ------------------------------------------------------------------------------------------------ header

// Splits a field off a header in place, quotes taken away; *rest becomes NULL after the last.
static char *split_field(char **rest) {
  char *field = *rest, *out = field, *in = field;
  bool quoted = *in == '"';
  in += quoted;
  while (*in != 0 && (quoted || *in != ',')) {
    if (*in == '"' && in[1] == '"')
      in++;
    else if (*in == '"' && quoted) {
      quoted = false;
      in++;
      continue;
    }
    *out++ = *in++;
  }
  *rest = *in == ',' ? in + 1 : NULL;
  *out = 0;
  return field;
}

// Divides "crank.x [m]" into name and unit.
static fly_channel channel_of(char *field) {
  fly_channel c = {.name = field, .unit = "", .description = ""};
  size_t length = strlen(field);
  if (length == 0 || field[length - 1] != ']')
    return c;
  for (char *s = field + length - 1; s > field; s--)
    if (*s == '[' && s[-1] == ' ') {
      field[length - 1] = 0;
      s[-1] = 0;
      c.unit = s + 1;
      return c;
    }
  return c;
}

static int count_fields(const char *header) {
  int count = 1;
  bool quoted = false;
  for (const char *s = header; *s != 0; s++) {
    quoted = *s == '"' ? !quoted : quoted;
    count += *s == ',' && !quoted;
  }
  return count;
}

static fly_status read_header(reader *r, fly_result_info *info, fly_arena *arena, fly_error *error) {
  line found = read_line(r);
  if (found == NO_MEMORY)
    return fly_result_no_memory(error);
  if (found != LINE)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s:1:1: there is no line with the names of channels.", r->path);
  const char *header = r->text + (strncmp(r->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0);
  char *rest = fly_arena_take(arena, strlen(header) + 1, 1);
  r->width = count_fields(header);
  fly_channel *channel = fly_arena_take(arena, (size_t)r->width, sizeof *channel);
  r->value = fly_arena_doubles(arena, (size_t)r->width);
  r->wanted = fly_arena_take(arena, (size_t)r->width, 1);
  if (arena->failed)
    return fly_result_no_memory(error);
  strcpy(rest, header);
  int count = 0;
  while (rest != NULL && count < r->width)
    channel[count++] = channel_of(split_field(&rest));
  if (strcmp(channel[0].name, "time") != 0)
    return fly_fail(error, FLY_BAD_INPUT, NAN,
                    "%s:1:1: the first column is '%.60s', not 'time [s]': this is not a result of Flyball.", r->path,
                    channel[0].name);
  info->count = r->width = count;
  info->channel = channel;
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------------ numbers

// What the writer writes: a decimal number, nan, inf or -inf.
static bool to_double(const char *text, size_t length, double *value) {
  static const struct {
    const char *text;
    double value;
  } others[] = {{"nan", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (length == strlen(others[k].text) && strncmp(text, others[k].text, length) == 0) {
      *value = others[k].value;
      return true;
    }
  return fly_number_parse(text, length, value);
}

static fly_status bad_number(const reader *r, const char *text, size_t length, fly_error *error) {
  return fly_fail(error, FLY_BAD_INPUT, NAN, "%s:%ld:%ld: '%.*s' is not a number.", r->path, r->line,
                  (long)(text - r->text) + 1, length > 40 ? 40 : (int)length, text);
}

// The wanted values of the line.
static fly_status parse_row(reader *r, fly_error *error) {
  const char *text = r->text;
  for (int i = 0; i < r->width; i++) {
    size_t length = strcspn(text, ",");
    bool last = i + 1 == r->width, ended = text[length] == 0;
    if (r->wanted[i] && !to_double(text, length, &r->value[i]))
      return bad_number(r, text, length, error);
    if (last != ended)
      return fly_fail(error, FLY_BAD_INPUT, NAN, "%s:%ld:1: this line has %s than %d values.", r->path, r->line,
                      ended ? "fewer" : "more", r->width);
    text += length + 1;
  }
  return FLY_OK;
}

// ------------------------------------------------------------------------------------------------ rows

static fly_status ended_early(const reader *r, line found, fly_error *error) {
  if (found == NO_MEMORY)
    return fly_result_no_memory(error);
  return fly_fail(error, FLY_BAD_INPUT, NAN, "%s:%ld:1: the file ends here; it was longer when it was opened.", r->path,
                  r->line);
}

// Goes to the beginning of a row.
static fly_status seek_row(reader *r, long row, fly_error *error) {
  line found = LINE;
  if (row < r->row) {
    rewind(r->file);
    r->line = 0;
    r->row = 0;
    found = read_line(r); // the header
  }
  for (; found == LINE && r->row < row; r->row++)
    found = read_line(r);
  return found == LINE ? FLY_OK : ended_early(r, found, error);
}

static fly_status next_row(reader *r, fly_error *error) {
  line found = read_line(r);
  if (found != LINE)
    return ended_early(r, found, error);
  r->row++;
  return parse_row(r, error);
}

static fly_status read_columns(void *user, double *out, const int *columns, int ncolumns, long first, long nrows,
                               fly_error *error) {
  reader *r = user;
  memset(r->wanted, 0, (size_t)r->width);
  for (int k = 0; k < ncolumns; k++)
    r->wanted[columns[k]] = 1;
  fly_status status = seek_row(r, first, error);
  for (long i = 0; status == FLY_OK && i < nrows; i++) {
    status = next_row(r, error);
    for (int k = 0; status == FLY_OK && k < ncolumns; k++)
      out[k * nrows + i] = r->value[columns[k]];
  }
  return status;
}

// ------------------------------------------------------------------------------------------------ attachments

static fly_status read_all(FILE *file, const char *path, char **bytes, size_t *size, fly_error *error) {
  size_t room = 1 << 14;
  for (;;) {
    char *larger = realloc(*bytes, room + 1);
    if (larger == NULL)
      break;
    *bytes = larger;
    *size += fread(*bytes + *size, 1, room - *size, file);
    (*bytes)[*size] = 0;
    if (ferror(file))
      return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: cannot be read: %s.", path, strerror(errno));
    if (*size < room)
      return FLY_OK;
    room *= 2;
  }
  return fly_result_no_memory(error);
}

fly_status fly_result_read_file(const char *path, char **bytes, size_t *size, fly_error *error) {
  *bytes = NULL;
  *size = 0;
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: there is no such attachment.", path);
  fly_status status = read_all(file, path, bytes, size, error);
  fclose(file);
  if (status != FLY_OK) {
    free(*bytes);
    *bytes = NULL;
    *size = 0;
  }
  return status;
}

// The file of an attachment beside path, in memory that the caller frees.
static char *beside(const char *csv, const char *name) {
  size_t stem = strlen(csv);
  if (stem >= 4 && strcmp(csv + stem - 4, ".csv") == 0)
    stem -= 4;
  size_t size = stem + strlen(name) + 2;
  char *path = malloc(size);
  if (path != NULL)
    snprintf(path, size, "%.*s.%s", (int)stem, csv, name);
  return path;
}

// A link beside a result that came from elsewhere could lead to any file, whose text would go into a page.
static fly_status refuse_link(const char *path, fly_error *error) {
  return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: this attachment is a link to another file, and is not followed.",
                  path);
}

static fly_status read_attachment(void *user, const char *name, char **bytes, size_t *size, fly_error *error) {
  const reader *r = user;
  char *path = beside(r->path, name);
  if (path == NULL)
    return fly_result_no_memory(error);
  fly_status status =
      fly_file_is_link(path) ? refuse_link(path, error) : fly_result_read_file(path, bytes, size, error);
  free(path);
  return status;
}

char *fly_result_next_line(char **rest) {
  char *start = *rest, *end = strchr(start, '\n');
  if (end == NULL)
    return NULL;
  *end = 0;
  *rest = end + 1;
  return start;
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

// The lines of NAME.attachments, in order. Without that file there are none.
static fly_status list_attachments(const reader *r, fly_result_info *info, fly_arena *arena, fly_error *error) {
  char *path = beside(r->path, FLY_CSV_LIST), *bytes = NULL;
  size_t size = 0;
  if (path == NULL)
    return fly_result_no_memory(error);
  fly_status status = fly_result_read_file(path, &bytes, &size, NULL);
  free(path);
  if (status != FLY_OK || bytes == NULL)
    return status == FLY_NO_MEMORY ? fly_result_no_memory(error) : FLY_OK;
  char *text = fly_arena_take(arena, size + 1, 1);
  const char **name = fly_arena_take(arena, size + 1, sizeof *name);
  if (!arena->failed) {
    strcpy(text, bytes);
    for (char *next; (next = fly_result_next_line(&text)) != NULL;)
      if (fly_result_check_name(next, NULL) == FLY_OK)
        name[info->nattachment++] = next;
    qsort(name, (size_t)info->nattachment, sizeof *name, compare_names);
    info->attachment = name;
  }
  free(bytes);
  return arena->failed ? fly_result_no_memory(error) : FLY_OK;
}

// ------------------------------------------------------------------------------------------------ life

static fly_status count_rows(reader *r, fly_result_info *info, fly_error *error) {
  line found;
  while ((found = read_line(r)) == LINE)
    info->rows++;
  if (found == NO_MEMORY)
    return fly_result_no_memory(error);
  if (ferror(r->file))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: cannot be read: %s.", r->path, strerror(errno));
  info->cut = found == CUT;
  r->row = LONG_MAX; // so that the next reading starts over
  return FLY_OK;
}

static fly_status open_file(void **out, fly_result_info *info, fly_arena *arena, fly_error *error) {
  reader *r = calloc(1, sizeof *r);
  *out = r;
  if (r == NULL)
    return fly_result_no_memory(error);
  r->path = info->path;
  info->format = FLY_RESULT_CSV;
  errno = 0;
  r->file = fopen(r->path, "rb");
  if (r->file == NULL)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: cannot be read: %s.", r->path, strerror(errno));
  fly_status status = read_header(r, info, arena, error);
  if (status == FLY_OK)
    status = count_rows(r, info, error);
  return status == FLY_OK ? list_attachments(r, info, arena, error) : status;
}

static void free_reader(void *user) {
  reader *r = user;
  if (r == NULL)
    return;
  if (r->file != NULL)
    fclose(r->file);
  free(r->text);
  free(r);
}

const fly_result_reading fly_csv_reading = {open_file, read_columns, read_attachment, free_reader};
