// What flyball bench found, beside what it found before.
#include <math.h>
#include <string.h>

#include "bench.h"
#include "cli.h"

enum { LINE = 200 };

// As it was written and read back.
static bool is_same(double a, double b) { return fabs(a - b) <= 1e-9 * b; }

static bool is_of(const bench_entry *e, const char *name, const char *method) {
  return strcmp(e->name, name) == 0 && strcmp(e->method, method) == 0;
}

// The entry of a case, method and precision; NULL: none, and why.
static const bench_entry *find(char why[LINE], const bench_baseline *b, const bench_case *c, const char *method,
                               double precision) {
  snprintf(why, LINE, "not in %.150s", b->file);
  for (int k = 0; k < b->count; k++) {
    const bench_entry *e = &b->entry[k];
    if (is_of(e, c->name, method) && is_same(e->precision, precision))
      return e;
    if (is_of(e, c->name, method))
      snprintf(why, LINE, "not in %.100s to this precision: %g %s there, %g %s here", b->file, e->precision, c->unit,
               precision, c->unit);
  }
  return NULL;
}

bool bench_baseline_fits(const bench_baseline *b, const bench_rows *rows, double factor) {
  char why[LINE];
  const int count = rows->ncase * rows->nmethod;
  for (int k = 0; k < count; k++) {
    const bench_case *c = rows->c[k / rows->nmethod];
    if (find(why, b, c, rows->method[k % rows->nmethod], c->precision * factor))
      return true;
  }
  cli_message("nothing here can be compared with %s, and nothing was measured:", b->file);
  for (int k = 0; k < count; k++) {
    const bench_case *c = rows->c[k / rows->nmethod];
    const char *method = rows->method[k % rows->nmethod];
    (void)find(why, b, c, method, c->precision * factor);
    fprintf(stderr, "  %s, %s: %s\n", c->name, method, why);
  }
  return false;
}

// ------------------------------------------------------------------------------------------ rows

typedef enum verdict { AS_FAST, SLOWER, NOT_COMPARED } verdict;

static verdict judge_times(char remark[LINE], double before, double now, double limit) {
  if (!(now > 0)) {
    snprintf(remark, LINE, "not compared: shorter than the clock can tell");
    return NOT_COMPARED;
  }
  const bool worse = now / before > limit;
  snprintf(remark, LINE, "%s", worse ? "<- slower" : "");
  return worse ? SLOWER : AS_FAST;
}

// Seconds; NAN: not reached. remark: what stands behind the row.
static verdict judge(char remark[LINE], double before, double now, double limit) {
  if (!isnan(now) && !isnan(before))
    return judge_times(remark, before, now, limit);
  if (isnan(now) && isnan(before)) {
    snprintf(remark, LINE, "not compared: the precision was not reached, and is not now");
    return NOT_COMPARED;
  }
  snprintf(remark, LINE, isnan(now) ? "<- the precision is no longer reached" : "the precision was not reached before");
  return isnan(now) ? SLOWER : AS_FAST;
}

static void print_row(const bench_curve *curve, double before, double now, const char *remark) {
  char text[3][24] = {"-", "-", "-"};
  if (!isnan(before))
    snprintf(text[0], sizeof text[0], "%.3g", 1e3 * before);
  if (!isnan(now))
    snprintf(text[1], sizeof text[1], "%.3g", 1e3 * now);
  if (now > 0 && before > 0)
    snprintf(text[2], sizeof text[2], "%.2f", now / before);
  printf("%-11s %-10s %9s %9s %6s%s%s\n", curve->c->name, curve->method, text[0], text[1], text[2], *remark ? "  " : "",
         remark);
}

static verdict compare_row(const bench_baseline *b, const bench_curve *curve, double limit) {
  char remark[LINE];
  const bench_point *p = bench_chosen(curve);
  const bench_entry *e = find(remark, b, curve->c, curve->method, curve->precision);
  const double before = e ? e->seconds : (double)NAN, now = p ? p->seconds : (double)NAN;
  const verdict found = e ? judge(remark, before, now, limit) : NOT_COMPARED;
  print_row(curve, before, now, remark);
  return found;
}

int bench_compare(const bench_baseline *b, const bench_curve *curve, int count, double limit) {
  int found[3] = {0};
  printf("\nwith %s: %s %s then, flyball %s now\n", b->file, b->program, b->version, fly_version());
  printf("%-11s %-10s %9s %9s %6s\n", "case", "method", "ms before", "ms now", "ratio");
  for (int k = 0; k < count; k++)
    found[compare_row(b, &curve[k], limit)]++;
  if (found[NOT_COMPARED] == count)
    cli_message("nothing could be compared with %s.", b->file);
  else if (found[NOT_COMPARED] > 0)
    cli_message("%d of %d rows could not be compared with %s.", found[NOT_COMPARED], count, b->file);
  return found[SLOWER] > 0 || found[NOT_COMPARED] == count ? CLI_FAILED : CLI_DONE;
}
