// The page: the front end, and in it what there is of each result.
#include "flyball/report.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json_check.h"
#include "base/stream.h"
#include "flyball/json.h"
#include "flyball/words.h"
#include "report/blocks.h"
#include "report/page.h"
#include "report/thin.h"

fly_report_options fly_report_options_default(void) { return (fly_report_options){.limit = 32e6}; }

enum { RECORD, SCENE, STORY, MODES, ERRORS, STRESS, ATTACHMENTS };
static const char *const ATTACHMENT[ATTACHMENTS] = {"record.json", "scene.json",  "story.json",
                                                    "modes.json",  "errors.json", "stress.json"};

// A result on its way into the page.
typedef struct source {
  fly_result *result;
  const fly_result_info *info;
  char *attached[ATTACHMENTS]; // JSON objects; NULL: none
  fly_thin data;
  fly_report_result done;
} source;

// ------------------------------------------------------------------------------------------ notes

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
note(source *s, const char *format, ...) {
  if (s->done.notes == FLY_REPORT_NOTES)
    return;
  va_list list;
  va_start(list, format);
  vsnprintf(s->done.note[s->done.notes++], sizeof s->done.note[0], format, list);
  va_end(list);
}

static void note_rows(source *s) {
  const fly_thin *d = &s->data;
  if (s->info->cut)
    note(s, "The last line of the file has no end and is left out: the run was interrupted, or is still writing.");
  if (d->source_rows == 0)
    note(s, "There are no rows in this result: the run ended before its first output.");
  if (d->samples.rows < d->source_rows)
    note(s, "The file has %ld rows. The animation and the values under the cursor take %ld of them, evenly chosen.",
         d->source_rows, d->samples.rows);
  if (d->envelope.rows > 0)
    note(s,
         "Plots over time show, for each of %ld equal parts of the rows, the smallest and the largest value of a "
         "channel "
         "in the order in which they occurred: no peak is lost.",
         d->envelope.rows / 2);
  if (d->samples.rows > 0 && !d->samples.exact)
    note(s, "Numbers in this page have seven digits; the file has them all.");
}

static void note_holes(source *s) {
  int told = 0, more = 0;
  for (int k = 0; k + 1 < s->info->count; k++) {
    const fly_thin_hole *hole = &s->data.hole[k];
    if (hole->count == 0)
      continue;
    if (told++ < 3)
      note(s, "%ld values of the channel %s are not finite numbers, the first at t = %.9g s.", hole->count,
           s->info->channel[k + 1].name, hole->first);
    else
      more++;
  }
  if (more > 0)
    note(s, "%d more channels have values that are not finite numbers.", more);
}

static void note_attachments(source *s) {
  static const char *const without[ATTACHMENTS] = {
      [RECORD] =
          "There is no record in this result: how the run went, and whether it did what was asked, is not known.",
      [SCENE] = "There is no scene in this result: plots only, no animation. (Results of `flyball run` have one.)",
      [STORY] = "There is no story of the solver in this result: the run was killed, or it is of another program."};
  for (int k = 0; k < ATTACHMENTS; k++)
    if (s->attached[k] == NULL && without[k] != NULL && !(k == STORY && s->attached[MODES] != NULL))
      note(s, "%s", without[k]);
}

// ------------------------------------------------------------------------------------------ reading

// An attachment that is missing or damaged costs a note, not the page.
static void read_attachment(source *s, int k) {
  char *bytes;
  size_t size;
  if (fly_result_attachment(s->result, ATTACHMENT[k], &bytes, &size, NULL) != FLY_OK)
    return;
  if (fly_json_is_object(bytes, size)) {
    s->attached[k] = bytes;
    return;
  }
  note(s, "%s of this result is damaged: it is not JSON.", ATTACHMENT[k]);
  free(bytes);
}

static fly_status open_source(source *s, const char *path, double limit, fly_error *error) {
  fly_status status = fly_result_open(&s->result, path, error);
  if (status)
    return status;
  s->info = fly_result_info_of(s->result);
  for (int k = 0; k < ATTACHMENTS; k++)
    read_attachment(s, k);
  note_attachments(s);
  status = fly_thin_read(&s->data, s->result, limit, error);
  if (status)
    return status;
  note_rows(s);
  note_holes(s);
  s->done.rows = s->data.source_rows;
  s->done.kept = s->data.samples.rows;
  return FLY_OK;
}

static void close_source(source *s) {
  fly_thin_free(&s->data);
  for (int k = 0; k < ATTACHMENTS; k++)
    free(s->attached[k]);
  fly_result_close(s->result);
}

// ------------------------------------------------------------------------------------------ tables

// Where the next column goes.
typedef struct layout {
  int block;
  size_t offset;
} layout;

static layout place_column(layout *l, size_t bytes) {
  if (l->offset > 0 && l->offset + bytes > FLY_BLOCK_BYTES)
    *l = (layout){l->block + 1, 0};
  const layout place = *l;
  l->offset += bytes;
  return place;
}

static void begin_table(layout *l) {
  if (l->offset > 0)
    *l = (layout){l->block + 1, 0};
}

static void write_column(fly_json *j, int channel, const char *type, layout place) {
  fly_json_begin_object(j);
  fly_json_key(j, "channel");
  fly_json_integer(j, channel);
  fly_json_key(j, "type");
  fly_json_string(j, type);
  fly_json_key(j, "block");
  fly_json_integer(j, place.block);
  fly_json_key(j, "offset");
  fly_json_integer(j, (long long)place.offset);
  fly_json_end_object(j);
}

static size_t column_bytes(const fly_thin_table *t) {
  return (size_t)t->rows * (t->exact ? sizeof *t->exact : sizeof *t->value);
}

static void write_table(fly_json *j, const fly_thin_table *t, const char *kind, long source_rows, layout *l) {
  if (t->rows == 0)
    return;
  begin_table(l);
  fly_json_begin_object(j);
  fly_json_key(j, "kind");
  fly_json_string(j, kind);
  fly_json_key(j, "rows");
  fly_json_integer(j, t->rows);
  fly_json_key(j, "source_rows");
  fly_json_integer(j, source_rows);
  fly_json_open_array(j, "columns");
  write_column(j, -1, "f64", place_column(l, (size_t)t->rows * sizeof *t->time));
  for (int k = 0; k < t->count; k++)
    write_column(j, t->channel[k], t->exact ? "f64" : "f32", place_column(l, column_bytes(t)));
  fly_json_end_array(j);
  fly_json_end_object(j);
}

// The same walk once more, with the numbers.
typedef struct blocks {
  FILE *file;
  fly_block block;
  bool open;
  layout place;
  int written; // blocks begun
} blocks;

static void to_block(blocks *b, int number) {
  if (b->open && b->written == number + 1)
    return;
  if (b->open)
    fly_block_end(&b->block);
  fly_block_begin(&b->block, b->file);
  b->open = true;
  b->written = number + 1;
}

static void write_numbers(blocks *b, const fly_thin_table *t) {
  if (t->rows == 0)
    return;
  begin_table(&b->place);
  to_block(b, place_column(&b->place, (size_t)t->rows * sizeof *t->time).block);
  fly_block_doubles(&b->block, t->time, (size_t)t->rows);
  for (int k = 0; k < t->count; k++) {
    const size_t n = (size_t)t->rows, first = (size_t)k * n;
    to_block(b, place_column(&b->place, column_bytes(t)).block);
    if (t->exact)
      fly_block_doubles(&b->block, t->exact + first, n);
    else
      fly_block_floats(&b->block, t->value + first, n);
  }
}

static void write_blocks(FILE *file, const source *s, int count) {
  blocks b = {.file = file};
  for (int k = 0; k < count; k++) {
    write_numbers(&b, &s[k].data.samples);
    write_numbers(&b, &s[k].data.envelope);
  }
  if (b.open)
    fly_block_end(&b.block);
}

// ------------------------------------------------------------------------------------------ the head

static void write_channels(fly_json *j, const fly_result_info *i) {
  fly_json_open_array(j, "channels");
  for (int k = 1; k < i->count; k++) {
    const fly_channel *c = &i->channel[k];
    fly_json_begin_object(j);
    fly_json_key(j, "name");
    fly_json_string(j, c->name);
    fly_json_key(j, "unit");
    fly_json_string(j, c->unit ? c->unit : "");
    if (c->description && *c->description) {
      fly_json_key(j, "description");
      fly_json_string(j, c->description);
    }
    fly_json_end_object(j);
  }
  fly_json_end_array(j);
}

// The file's name without folder and ending; the number of the result if another has the same.
static void write_name(fly_json *j, const source *s, int k) {
  char name[2][200];
  for (int i = 0; i <= k; i++) {
    const char *path = s[i].info->path, *slash = strrchr(path, '/');
    snprintf(name[i], sizeof name[i], "%s", slash ? slash + 1 : path);
    char *dot = strrchr(name[i], '.');
    if (dot && dot != name[i])
      *dot = 0;
  }
  if (k > 0 && strcmp(name[0], name[1]) == 0)
    strncat(name[1], " (2)", sizeof name[1] - strlen(name[1]) - 1);
  fly_json_key(j, "name");
  fly_json_string(j, name[k]);
}

static void write_result(fly_json *j, const source *all, int k, layout *l) {
  const source *s = &all[k];
  fly_json_begin_object(j);
  write_name(j, all, k);
  fly_json_open_array(j, "notes");
  for (int n = 0; n < s->done.notes; n++)
    fly_json_string(j, s->done.note[n]);
  fly_json_end_array(j);
  fly_json_key(j, "record");
  fly_json_raw(j, s->attached[RECORD] ? s->attached[RECORD] : "{\"status\":\"unknown\"}");
  fly_json_key(j, "scene");
  fly_json_raw(j, s->attached[SCENE] ? s->attached[SCENE] : "null");
  fly_json_key(j, "story");
  fly_json_raw(j, s->attached[STORY] ? s->attached[STORY] : "null");
  fly_json_key(j, "modes");
  fly_json_raw(j, s->attached[MODES] ? s->attached[MODES] : "null");
  fly_json_key(j, "errors");
  fly_json_raw(j, s->attached[ERRORS] ? s->attached[ERRORS] : "null");
  fly_json_key(j, "stress");
  fly_json_raw(j, s->attached[STRESS] ? s->attached[STRESS] : "null");
  write_channels(j, s->info);
  fly_json_open_array(j, "tables");
  write_table(j, &s->data.samples, "samples", s->data.source_rows, l);
  write_table(j, &s->data.envelope, "envelope", s->data.source_rows, l);
  fly_json_end_array(j);
  fly_json_end_object(j);
}

typedef struct page {
  const source *source; // (count)
  int count;
  const char *title; // NULL: none
} page;

static bool write_head(FILE *file, const void *what) {
  const page *p = what;
  fly_json writer = fly_json_to(fly_to_file, file, 0), *j = &writer;
  char generator[60];
  layout l = {0};
  snprintf(generator, sizeof generator, "flyball %s", fly_version());
  fly_json_begin_object(j);
  fly_json_key(j, "format");
  fly_json_string(j, "flyball-page");
  fly_json_key(j, "version");
  fly_json_integer(j, 1);
  fly_json_key(j, "generator");
  fly_json_string(j, generator);
  if (p->title) {
    fly_json_key(j, "title");
    fly_json_string(j, p->title);
  }
  fly_json_open_array(j, "results");
  for (int k = 0; k < p->count; k++)
    write_result(j, p->source, k, &l);
  fly_json_end_array(j);
  fly_json_end_object(j);
  return fly_json_finish(j);
}

// ------------------------------------------------------------------------------------------ the page

// In JSON a < stands in strings only; escaped, no text can end the element it lies in.
static void write_escaped(FILE *file, const char *json) {
  for (;;) {
    const size_t length = strcspn(json, "<");
    fwrite(json, 1, length, file);
    if (json[length] == 0)
      return;
    fputs("\\u003c", file);
    json += length + 1;
  }
}

static bool write_page(FILE *file, const char *head, const source *s, int count) {
  const char *place = strstr(fly_page, FLY_PAGE_HEAD);
  if (!place)
    return false;
  fwrite(fly_page, 1, (size_t)(place - fly_page), file);
  fputs("<script type=\"application/json\" id=\"flyball-head\">", file);
  write_escaped(file, head);
  fputs("</script>\n", file);
  write_blocks(file, s, count);
  fputs(place + strlen(FLY_PAGE_HEAD), file);
  return !ferror(file);
}

static fly_status no_memory(fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Not enough memory for a report.");
}

static fly_status cannot_write(const char *path, fly_error *error) {
  char why[400];
  return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: cannot be written: %s.", path,
                  fly_why_not_written(why, sizeof why, path, errno));
}

// path is what messages call it.
static fly_status write_to(const char *place, const char *path, const char *head, const source *s, int count,
                           fly_error *error) {
  errno = 0;
  FILE *file = fopen(place, "wb");
  bool good = file && write_page(file, head, s, count);
  if (file && fclose(file) != 0)
    good = false;
  return good ? FLY_OK : cannot_write(path, error);
}

// Beside its place first: half a page is never seen. What is no ordinary file is not replaced.
static fly_status put_page(const char *path, const char *head, const source *s, int count, fly_error *error) {
  if (fly_file_is_special(path))
    return write_to(path, path, head, s, count, error);
  char *part = malloc(strlen(path) + 6);
  if (!part)
    return no_memory(error);
  strcat(strcpy(part, path), ".part");
  fly_status status = write_to(part, path, head, s, count, error);
  if (status == FLY_OK && rename(part, path) != 0)
    status = cannot_write(path, error);
  if (status)
    remove(part);
  free(part);
  return status;
}

static fly_status write_report(const char *path, const source *s, int count, const char *title, fly_error *error) {
  const page p = {s, count, title};
  char *head;
  size_t size;
  if (!fly_stream_bytes(&head, &size, write_head, &p))
    return no_memory(error);
  const fly_status status = put_page(path, head, s, count, error);
  free(head);
  return status;
}

fly_status fly_report_write(const char *file, int count, const char *const *results, const fly_report_options *options,
                            fly_report_result *done, fly_error *error) {
  const fly_report_options usual = fly_report_options_default();
  source s[FLY_REPORT_RESULTS] = {0};
  options = options ? options : &usual;
  if (!file || !results)
    return fly_missing(error, "fly_report_write", file ? "list of results" : "name of the page");
  if (count < 1 || count > FLY_REPORT_RESULTS)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "A report is of one result, or of two to compare, not of %d.", count);
  if (!(options->limit > 0))
    return fly_fail(error, FLY_BAD_INPUT, NAN, "The limit of a report is %g bytes; it must be positive.",
                    options->limit);
  fly_status status = FLY_OK;
  for (int k = 0; k < count && status == FLY_OK; k++)
    status = results[k] ? FLY_OK : fly_missing(error, "fly_report_write", "name of a result");
  for (int k = 0; k < count && status == FLY_OK; k++)
    status = open_source(&s[k], results[k], options->limit, error);
  if (status == FLY_OK)
    status = write_report(file, s, count, options->title, error);
  for (int k = 0; k < count; k++) {
    if (done)
      done[k] = s[k].done;
    close_source(&s[k]);
  }
  return status;
}
