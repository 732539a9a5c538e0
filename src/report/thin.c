#include "report/thin.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

static const double EXACT = 8e6;                              // bytes up to which a result is taken as it is
enum { MOST_PARTS = 2000, LEAST_PARTS = 50 };                 // of the envelope
enum { MOST_ROWS = 5000, FEW_ROWS = 1000, LEAST_ROWS = 100 }; // of the samples

// ------------------------------------------------------------------------------------------ what is kept

typedef struct plan {
  bool exact;
  bool only_poses; // samples hold no more than the animation needs
  long rows, parts;
} plan;

// Channels from which the animation takes the poses of bodies.
static bool is_pose(const char *name) {
  static const char *const endings[] = {"x", "y", "z", "e0", "e1", "e2", "e3", "angle"};
  const char *dot = strrchr(name, '.');
  for (size_t k = 0; dot && k < sizeof endings / sizeof *endings; k++)
    if (strcmp(dot + 1, endings[k]) == 0)
      return true;
  return false;
}

static long limited(double x, long low, long high) { return x < (double)low ? low : x > (double)high ? high : (long)x; }

static plan make_plan(const fly_result_info *i, double limit) {
  const double channels = i->count > 1 ? i->count - 1 : 1, half = limit / 2;
  double poses = 0;
  for (int k = 1; k < i->count; k++)
    poses += is_pose(i->channel[k].name);
  if ((double)i->rows * (double)i->count * sizeof(double) <= EXACT)
    return (plan){.exact = true, .rows = i->rows};
  plan p = {.rows = limited(half / (sizeof(float) * channels), LEAST_ROWS, MOST_ROWS),
            .parts = limited(half / (2 * sizeof(float) * channels), LEAST_PARTS, MOST_PARTS)};
  p.only_poses = p.rows < FEW_ROWS && p.rows < i->rows && poses > 0;
  if (p.only_poses)
    p.rows = limited(half / (sizeof(float) * poses), LEAST_ROWS, MOST_ROWS);
  if (p.rows >= i->rows && !p.only_poses) // all rows are there, with seven digits
    p.parts = 0;
  if (p.rows > i->rows)
    p.rows = i->rows;
  if (p.parts > i->rows)
    p.parts = i->rows;
  return p;
}

// Row of the file that becomes row k of n.
static long row_of(long k, long n, long rows) {
  return n > 1 ? (long)((double)k * (double)(rows - 1) / (double)(n - 1) + 0.5) : 0;
}

// ------------------------------------------------------------------------------------------ reading

// One part of the envelope of one channel.
typedef struct extremes {
  double low, high; // NAN: nothing yet
  long low_row, high_row;
} extremes;

typedef struct reading {
  fly_thin *out;
  const fly_result_info *info;
  long block_rows;
  int *columns;         // all (info->count)
  double *block;        // one column after the other (info->count * block_rows)
  extremes *part;       // the present one, of each channel (info->count - 1)
  long sample, in_part; // rows of the tables that are filled next
  double time;          // of the row before
} reading;

static fly_status no_memory(const fly_result_info *i, fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "%s: not enough memory for a report of %d channels.", i->path, i->count);
}

static void take_table(fly_thin *t, fly_thin_table *table, long rows, bool exact) {
  const size_t numbers = (size_t)table->count * (size_t)rows;
  table->rows = rows;
  table->time = fly_arena_doubles(&t->memory, (size_t)rows);
  if (exact)
    table->exact = fly_arena_doubles(&t->memory, numbers);
  else
    table->value = fly_arena_take(&t->memory, numbers, sizeof *table->value);
}

static void choose_channels(fly_thin *t, fly_thin_table *table, const fly_result_info *i, bool only_poses) {
  table->channel = fly_arena_ints(&t->memory, (size_t)i->count);
  for (int k = 1; table->channel && k < i->count; k++)
    if (!only_poses || is_pose(i->channel[k].name))
      table->channel[table->count++] = k - 1;
}

static void take_tables(reading *r, const plan *p) {
  fly_thin *t = r->out;
  const size_t width = (size_t)r->info->count;
  choose_channels(t, &t->samples, r->info, p->only_poses);
  choose_channels(t, &t->envelope, r->info, false);
  take_table(t, &t->samples, p->rows, p->exact);
  take_table(t, &t->envelope, 2 * p->parts, false);
  t->hole = fly_arena_take(&t->memory, width, sizeof *t->hole);
  r->block_rows = limited((1 << 20) / (double)width, 1, 4096);
  r->columns = fly_arena_ints(&t->memory, width);
  r->block = fly_arena_doubles(&t->memory, width * (size_t)r->block_rows);
  r->part = fly_arena_take(&t->memory, width, sizeof *r->part);
  for (int k = 0; r->columns && k < r->info->count; k++)
    r->columns[k] = k;
}

static void store_sample(const reading *r, const double *row, long stride) {
  const fly_thin_table *s = &r->out->samples;
  s->time[r->sample] = row[0];
  for (int k = 0; k < s->count; k++) {
    const double x = row[(s->channel[k] + 1) * stride];
    const size_t place = (size_t)k * (size_t)s->rows + (size_t)r->sample;
    if (s->exact)
      s->exact[place] = x;
    else
      s->value[place] = (float)x;
  }
}

static void widen(extremes *e, double x, long row) {
  if (!(x >= e->low)) { // the first, or smaller
    e->low = x;
    e->low_row = row;
  }
  if (!(x <= e->high)) {
    e->high = x;
    e->high_row = row;
  }
}

static void store_part(reading *r, double first, double last) {
  const fly_thin_table *e = &r->out->envelope;
  e->time[r->in_part] = first;
  e->time[r->in_part + 1] = last;
  for (int k = 0; k < e->count; k++) {
    const extremes *x = &r->part[k];
    const bool low_first = x->low_row <= x->high_row;
    float *out = e->value + (size_t)k * (size_t)e->rows + (size_t)r->in_part;
    out[0] = (float)(low_first ? x->low : x->high);
    out[1] = (float)(low_first ? x->high : x->low);
    r->part[k] = (extremes){.low = NAN, .high = NAN};
  }
  r->in_part += 2;
}

static void note_holes(const reading *r, int channel, const double *column, const double *time, long n) {
  fly_thin_hole *hole = &r->out->hole[channel];
  for (long i = 0; i < n; i++)
    if (!isfinite(column[i]) && hole->count++ == 0)
      hole->first = time[i];
}

static fly_status check_time(reading *r, const double *time, long first, long n, fly_error *error) {
  for (long i = 0; i < n; i++) {
    if (!isfinite(time[i]))
      return fly_fail(error, FLY_BAD_INPUT, NAN, "%s: the time of row %ld is not a number.", r->info->path,
                      first + i + 1);
    if (first + i > 0 && time[i] < r->time)
      return fly_fail(error, FLY_BAD_INPUT, NAN,
                      "%s: time runs back at row %ld, from %.9g s to %.9g s: these are not the rows of one run.",
                      r->info->path, first + i + 1, r->time, time[i]);
    r->time = time[i];
  }
  return FLY_OK;
}

// One row of a block: stride is the length of its columns.
static void take_row(reading *r, long row, const double *at, long stride, double *part_start) {
  fly_thin *t = r->out;
  const long rows = r->info->rows, parts = t->envelope.rows / 2;
  while (r->sample < t->samples.rows && row_of(r->sample, t->samples.rows, rows) == row) {
    store_sample(r, at, stride);
    r->sample++;
  }
  if (parts == 0)
    return;
  const long part = r->in_part / 2, begins = (long)((double)part * (double)rows / (double)parts),
             ends = part + 1 == parts ? rows : (long)((double)(part + 1) * (double)rows / (double)parts);
  if (row == begins)
    *part_start = at[0];
  for (int k = 0; k < t->envelope.count; k++)
    if (isfinite(at[(k + 1) * stride]))
      widen(&r->part[k], at[(k + 1) * stride], row);
  if (row + 1 == ends)
    store_part(r, *part_start, at[0]);
}

static fly_status read_rows(reading *r, fly_result *result, fly_error *error) {
  const fly_result_info *i = r->info;
  double part_start = 0;
  for (int k = 0; k < i->count; k++)
    r->part[k] = (extremes){.low = NAN, .high = NAN};
  for (long first = 0; first < i->rows; first += r->block_rows) {
    const long n = i->rows - first < r->block_rows ? i->rows - first : r->block_rows;
    fly_status status = fly_result_read(result, r->block, r->columns, i->count, first, n, error);
    if (status == FLY_OK)
      status = check_time(r, r->block, first, n, error);
    if (status)
      return status;
    for (int k = 1; k < i->count; k++)
      note_holes(r, k - 1, r->block + (size_t)k * (size_t)n, r->block, n);
    for (long row = 0; row < n; row++)
      take_row(r, first + row, r->block + row, n, &part_start);
  }
  return FLY_OK;
}

fly_status fly_thin_read(fly_thin *out, fly_result *result, double limit, fly_error *error) {
  const fly_result_info *i = fly_result_info_of(result);
  const plan p = make_plan(i, limit);
  *out = (fly_thin){.source_rows = i->rows};
  reading r = {.out = out, .info = i};
  take_tables(&r, &p);
  return out->memory.failed ? no_memory(i, error) : read_rows(&r, result, error);
}

void fly_thin_free(fly_thin *t) { fly_arena_free(&t->memory); }
