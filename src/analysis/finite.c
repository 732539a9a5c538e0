// Values that are no numbers, counted as they are written.
#include "analysis/finite.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"

void fly_finite_look(fly_not_finite *f, const fly_channels *c, bool *seen, const double *row, long number) {
  long before = f->values;
  for (int k = 0; k < c->count; k++) {
    if (isfinite(row[1 + k]))
      continue;
    if (f->values++ == 0) {
      f->channel = c->channel[k].name;
      f->value = row[1 + k];
      f->time = row[0];
      f->row = number;
    }
    f->channels += !seen[k];
    seen[k] = true;
  }
  f->rows += f->values > before;
}

void fly_finite_text(char *text, size_t size, const fly_not_finite *f) {
  const char *what = isnan(f->value) ? "not a number" : f->value < 0 ? "minus infinity" : "infinite";
  if (f->values == 1)
    snprintf(text, size, "`%s` is %s at t = %.9g s, in row %ld of the results.", f->channel, what, f->time, f->row);
  else
    snprintf(text, size,
             "%ld values are not finite, in %d channel%s and %ld row%s of the results: the first is `%s`, %s at t = "
             "%.9g s, in row %ld.",
             f->values, f->channels, f->channels == 1 ? "" : "s", f->rows, f->rows == 1 ? "" : "s", f->channel, what,
             f->time, f->row);
}

fly_status fly_finite_judge(const fly_not_finite *f, bool allowed, fly_error *error) {
  char text[500];
  if (f->values == 0 || allowed)
    return FLY_OK;
  fly_finite_text(text, sizeof text, f);
  return fly_fail_at(error, FLY_NOT_FINITE, f->time, FLY_NOWHERE, f->channel,
                     "%s Mend what it is computed from, leave the channel out, or allow such values (--allow-nan, or "
                     "allow_nan: yes in the model's `simulate`).",
                     text);
}
