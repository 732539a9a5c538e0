// A result read for a page: all of it if it is small, else thinned in one pass over the file, in memory that the page
// needs anyway.
//
//   samples   some rows, evenly chosen, first and last among them: for the animation and values under the cursor
//   envelope  the rows divided in equal parts, and of each part the smallest and the largest value of every channel in
//             the order in which they occurred: for plots, so that no peak is lost
#ifndef FLY_REPORT_THIN_H
#define FLY_REPORT_THIN_H

#include "base/memory.h"
#include "result/result.h"

// Columns of numbers of one length, time beside them.
typedef struct fly_thin_table {
  long rows;     // 0: there is no such table
  int count;     // columns
  int *channel;  // of the result, 0 is the first after time (count)
  double *time;  // (rows)
  double *exact; // one column after the other (count * rows), or NULL:
  float *value;  // the same with seven digits
} fly_thin_table;

// What is not a number.
typedef struct fly_thin_hole {
  long count;
  double first; // time of the first [s]
} fly_thin_hole;

typedef struct fly_thin {
  long source_rows;
  fly_thin_table samples, envelope;
  fly_thin_hole *hole; // of each channel
  fly_arena memory;
} fly_thin;

// limit: bytes that all values may take. Free it in any case.
fly_status fly_thin_read(fly_thin *out, fly_result *r, double limit, fly_error *error);
void fly_thin_free(fly_thin *t);

#endif
