// Writing CSV: whole lines only, so that a killed run leaves no half line.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "flyball/words.h"
#include "result/formats.h"

enum { TEXT = 1 << 16 }; // bytes of lines that are written together, if a line is no longer

struct fly_csv_writer {
  FILE *file;
  char *base, *path;
  int width;
  char *text; // lines not written yet (room)
  size_t used, room;
  char *list; // names of the attachments, each ended by a line break; NULL: none
};

static fly_status cannot_write(const char *path, fly_error *error) {
  return fly_result_cannot_write(path, errno, error);
}

fly_status fly_csv_flush(fly_csv_writer *w, fly_error *error) {
  errno = 0;
  bool ok = fwrite(w->text, 1, w->used, w->file) == w->used;
  w->used = 0;
  return ok ? FLY_OK : cannot_write(w->path, error);
}

// ------------------------------------------------------------------------------------------------ header

static void write_field(FILE *file, const char *name, const char *unit) {
  // A name that ends like a unit gets an empty one, so that it is not taken for it.
  bool bracket = unit[0] != 0 || name[strlen(name) - 1] == ']';
  bool quotes = strpbrk(name, ",\";") != NULL || strpbrk(unit, ",\";") != NULL || name[0] == ' ';
  if (quotes)
    fputc('"', file);
  for (const char *s = name; *s != 0; s++)
    fprintf(file, *s == '"' ? "\"\"" : "%c", *s);
  if (bracket)
    fputs(" [", file);
  for (const char *s = unit; *s != 0; s++)
    fprintf(file, *s == '"' ? "\"\"" : "%c", *s);
  if (bracket)
    fputc(']', file);
  if (quotes)
    fputc('"', file);
}

static fly_status write_header(fly_csv_writer *w, const fly_channel *channel, fly_error *error) {
  errno = 0;
  for (int i = 0; i < w->width; i++) {
    if (i > 0)
      fputc(',', w->file);
    write_field(w->file, channel[i].name, channel[i].unit);
  }
  fputc('\n', w->file);
  return fflush(w->file) == 0 && !ferror(w->file) ? FLY_OK : cannot_write(w->path, error);
}

// ------------------------------------------------------------------------------------------------ attachments

static fly_status write_file(const char *path, const void *bytes, size_t size, fly_error *error) {
  errno = 0;
  FILE *file = fopen(path, "wb");
  if (file == NULL)
    return cannot_write(path, error);
  bool ok = fwrite(bytes, 1, size, file) == size;
  ok = fclose(file) == 0 && ok;
  return ok ? FLY_OK : cannot_write(path, error);
}

// Written under another name first: what was there is whole until the new one is.
static fly_status replace_file(const char *path, const char *draft, const void *bytes, size_t size, fly_error *error) {
  fly_status status = write_file(draft, bytes, size, error);
  if (status == FLY_OK && rename(draft, path) != 0)
    status = cannot_write(path, error);
  if (status != FLY_OK)
    remove(draft);
  return status;
}

// BASE.NAME, in memory that the caller frees.
static char *attachment_path(const char *base, const char *name) {
  char *dot = fly_result_path(base, ".");
  char *path = dot != NULL ? fly_result_path(dot, name) : NULL;
  free(dot);
  return path;
}

static fly_status put_attachment(const fly_csv_writer *w, const char *name, const void *bytes, size_t size,
                                 fly_error *error) {
  char *path = attachment_path(w->base, name), *draft = path != NULL ? fly_result_path(path, "~") : NULL;
  fly_status status = draft != NULL ? replace_file(path, draft, bytes, size, error) : fly_result_no_memory(error);
  free(path);
  free(draft);
  return status;
}

static bool is_listed(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *s = list; s != NULL && *s != 0; s = strchr(s, '\n') + 1)
    if (strncmp(s, name, length) == 0 && s[length] == '\n')
      return true;
  return false;
}

// The list is written after what it names.
static fly_status list_attachment(fly_csv_writer *w, const char *name, fly_error *error) {
  if (is_listed(w->list, name))
    return FLY_OK;
  size_t used = w->list != NULL ? strlen(w->list) : 0;
  char *longer = realloc(w->list, used + strlen(name) + 2);
  if (longer == NULL)
    return fly_result_no_memory(error);
  w->list = longer;
  sprintf(longer + used, "%s\n", name);
  return put_attachment(w, FLY_CSV_LIST, longer, strlen(longer), error);
}

fly_status fly_csv_attach(fly_csv_writer *w, const char *name, const void *bytes, size_t size, fly_error *error) {
  fly_status status = put_attachment(w, name, bytes, size, error);
  return status == FLY_OK ? list_attachment(w, name, error) : status;
}

// ------------------------------------------------------------------------------------------------ in place of others

// What a result of ours may have beside it. A list that came from elsewhere may name any file of the folder.
static bool is_ours(const char *name) {
  static const char *const ours[] = {"record.json", "scene.json", "story.json", "modes.json", "errors.json"};
  for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
    if (strcmp(name, ours[k]) == 0)
      return true;
  return false;
}

// Attachments of an earlier result of this name do not belong to this one.
static fly_status remove_old_attachments(const char *base, fly_error *error) {
  char *path = attachment_path(base, FLY_CSV_LIST), *names = NULL;
  size_t size;
  fly_status status = path != NULL ? fly_result_read_file(path, &names, &size, NULL) : FLY_NO_MEMORY;
  char *rest = names;
  for (char *name; rest != NULL && (name = fly_result_next_line(&rest)) != NULL;) {
    char *old = is_ours(name) ? attachment_path(base, name) : NULL;
    if (old != NULL)
      remove(old);
    free(old);
  }
  if (status == FLY_OK)
    remove(path);
  free(names);
  free(path);
  return status == FLY_NO_MEMORY ? fly_result_no_memory(error) : FLY_OK;
}

static fly_status move_attachment(const fly_csv_writer *w, const char *base, const char *name, fly_error *error) {
  char *from = attachment_path(w->base, name), *to = attachment_path(base, name);
  fly_status status = from != NULL && to != NULL ? FLY_OK : fly_result_no_memory(error);
  errno = 0;
  if (status == FLY_OK && rename(from, to) != 0)
    status = cannot_write(to, error);
  free(from);
  free(to);
  return status;
}

fly_status fly_csv_move_attachments(fly_csv_writer *w, const char *base, fly_error *error) {
  fly_status status = remove_old_attachments(base, error);
  char *rest = w->list;
  if (rest == NULL)
    return status;
  for (char *name; status == FLY_OK && (name = fly_result_next_line(&rest)) != NULL;)
    status = move_attachment(w, base, name, error);
  return status == FLY_OK ? move_attachment(w, base, FLY_CSV_LIST, error) : status;
}

// ------------------------------------------------------------------------------------------------ life

fly_status fly_csv_create(fly_csv_writer **out, const char *base, const fly_channel *channel, int width,
                          fly_error *error) {
  fly_csv_writer *w = calloc(1, sizeof *w);
  *out = w;
  if (w == NULL)
    return fly_result_no_memory(error);
  w->width = width;
  w->room = TEXT + (size_t)width * FLY_NUMBER_SIZE;
  w->base = fly_result_path(base, "");
  w->path = fly_result_path(base, ".csv");
  w->text = malloc(w->room);
  if (w->base == NULL || w->path == NULL || w->text == NULL)
    return fly_result_no_memory(error);
  errno = 0;
  w->file = fopen(w->path, "wb");
  char why[400];
  if (w->file == NULL)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: cannot be written: %s.", w->path,
                    fly_why_not_written(why, sizeof why, w->path, errno));
  fly_status status = remove_old_attachments(w->base, error); // of a run that was killed
  if (status == FLY_OK)
    status = write_header(w, channel, error);
  setvbuf(w->file, NULL, _IONBF, 0); // from here on every write is one of whole lines
  return status;
}

fly_status fly_csv_close(fly_csv_writer *w, fly_error *error) {
  fly_status status = FLY_OK;
  if (w == NULL)
    return FLY_OK;
  errno = 0;
  if (w->file != NULL && fclose(w->file) != 0)
    status = cannot_write(w->path, error);
  free(w->base);
  free(w->path);
  free(w->text);
  free(w->list);
  free(w);
  return status;
}

// ------------------------------------------------------------------------------------------------ rows

static void add_row(fly_csv_writer *w, const double *row) {
  for (int i = 0; i < w->width; i++) {
    char *text = w->text + w->used;
    fly_number_text(text, row[i]);
    w->used += strlen(text);
    w->text[w->used++] = i + 1 < w->width ? ',' : '\n';
  }
}

fly_status fly_csv_write(fly_csv_writer *w, const double *rows, int nrows, fly_error *error) {
  const size_t longest = (size_t)w->width * FLY_NUMBER_SIZE;
  fly_status status = FLY_OK;
  for (int i = 0; status == FLY_OK && i < nrows; i++) {
    add_row(w, rows + (size_t)i * (size_t)w->width);
    if (w->used + longest > w->room)
      status = fly_csv_flush(w, error);
  }
  return status;
}
