// A result once more, with a picture of the stresses of a flexible body in it (stress.json) for `flyball report`.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flyball/json.h"
#include "stress.h"

// Four digits are enough for colours, and make the page a quarter as large.
static double rounded(double x) {
  if (x == 0 || !isfinite(x))
    return 0;
  const double scale = pow(10, 3 - floor(log10(fabs(x))));
  return round(x * scale) / scale;
}

static void put_numbers(fly_json *j, const char *key, double *x, size_t n) {
  for (size_t k = 0; k < n; k++)
    x[k] = rounded(x[k]);
  fly_json_key(j, key);
  fly_json_numbers(j, x, n);
}

static void put_nodes(fly_json *j, const fly_contour *c) {
  fly_json_open_array(j, "nodes");
  for (int k = 0; k < c->nodes; k++)
    fly_json_numbers(j, c->node + 4 * (size_t)k, 4);
  fly_json_end_array(j);
  fly_json_open_array(j, "lines");
  for (int k = 0; k < 2 * c->lines; k++)
    fly_json_integer(j, c->line[k]);
  fly_json_end_array(j);
}

static void put_frames(fly_json *j, const fly_contour *c) {
  const size_t n = (size_t)c->nodes;
  fly_json_key(j, "times");
  fly_json_numbers(j, c->time, (size_t)c->frames);
  put_numbers(j, "mises", c->mises, n * (size_t)c->frames);
  put_numbers(j, "moves", c->move, 3 * n * (size_t)c->frames);
}

static void put_spots(fly_json *j, const fly_stress_spot *spot, int count) {
  fly_json_open_array(j, "spots");
  for (int k = 0; k < count; k++)
    stress_put_spot(j, &spot[k]);
  fly_json_end_array(j);
}

typedef struct bytes {
  char *text;
  size_t size, room;
} bytes;

static bool take(const char *text, size_t size, void *user) {
  bytes *b = user;
  if (b->size + size > b->room) {
    const size_t room = 2 * (b->size + size);
    char *more = realloc(b->text, room);
    if (!more)
      return false;
    b->text = more;
    b->room = room;
  }
  memcpy(b->text + b->size, text, size);
  b->size += size;
  return true;
}

static bool write_picture(bytes *b, const char *body, const fly_contour *c, const fly_stress_spot *spot, int count) {
  fly_json j = fly_json_to(take, b, 0);
  fly_json_begin_object(&j);
  fly_json_put_string(&j, "body", body);
  put_nodes(&j, c);
  put_frames(&j, c);
  put_spots(&j, spot, count);
  fly_json_end_object(&j);
  return fly_json_finish(&j);
}

// ---------------------------------------------------------------------------------------------- the copy

static fly_status copy_rows(fly_result *from, fly_result_writer *to, fly_error *error) {
  const fly_result_info *i = fly_result_info_of(from);
  double *row = malloc((size_t)i->count * sizeof *row);
  int *column = malloc((size_t)i->count * sizeof *column);
  fly_status status = row && column ? FLY_OK : FLY_NO_MEMORY;
  for (int k = 0; column && k < i->count; k++)
    column[k] = k;
  for (long k = 0; k < i->rows && status == FLY_OK; k++) {
    status = fly_result_read(from, row, column, i->count, k, 1, error);
    if (status == FLY_OK)
      status = fly_result_append(to, row, 1, error);
  }
  free(row);
  free(column);
  return status;
}

static fly_status copy_attachments(fly_result *from, fly_result_writer *to, fly_error *error) {
  const fly_result_info *i = fly_result_info_of(from);
  fly_status status = FLY_OK;
  for (int k = 0; k < i->nattachment && status == FLY_OK; k++) {
    char *text = NULL;
    size_t size = 0;
    status = fly_result_attachment(from, i->attachment[k], &text, &size, error);
    if (status == FLY_OK)
      status = fly_result_attach(to, i->attachment[k], text, size, error);
    free(text);
  }
  return status;
}

static fly_status copy_all(fly_result *from, const char *base, const bytes *picture, fly_error *error) {
  const fly_result_info *i = fly_result_info_of(from);
  const fly_result_options o = fly_result_options_default();
  fly_result_writer *w = NULL;
  fly_status status = fly_result_create(&w, base, i->channel + 1, i->count - 1, &o, error);
  if (status)
    return status;
  status = copy_rows(from, w, error);
  if (status == FLY_OK)
    status = copy_attachments(from, w, error);
  if (status == FLY_OK)
    status = fly_result_attach(w, "stress.json", picture->text, picture->size, error);
  return status ? fly_result_abandon(w, NULL), status : fly_result_finish(w, error);
}

fly_status stress_write_contour(const char *base, const char *result, const char *body, fly_stress *s,
                                const fly_stress_spot *spot, int count, fly_error *error) {
  fly_contour c;
  fly_result *from = NULL;
  bytes picture = {0};
  fly_status status = fly_stress_contour(s, &c, error);
  if (status == FLY_OK && !write_picture(&picture, body, &c, spot, count))
    status = FLY_NO_MEMORY;
  if (status == FLY_OK)
    status = fly_result_open(&from, result, error);
  if (status == FLY_OK)
    status = copy_all(from, base, &picture, error);
  fly_result_close(from);
  free(picture.text);
  return status;
}
