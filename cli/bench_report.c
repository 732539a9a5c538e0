// What flyball bench found: a table, curves, JSON.
#include <math.h>

#include "bench.h"
#include "flyball/json.h"

const bench_point *bench_chosen(const bench_curve *curve) {
  for (int k = 0; k < curve->count; k++)
    if (curve->point[k].error <= curve->precision)
      return &curve->point[k];
  return NULL;
}

// ------------------------------------------------------------------------------------------ tables

static double fastest_of(const bench_curve *curve, int count, const bench_case *c) {
  double fastest = HUGE_VAL;
  for (int k = 0; k < count; k++)
    if (curve[k].c == c && bench_chosen(&curve[k]))
      fastest = fmin(fastest, bench_chosen(&curve[k])->seconds);
  return fastest;
}

// What the dashes of the table mean.
static void print_reasons(const bench_curve *curve, int count, bool markdown) {
  int told = 0;
  for (int k = 0; k < count; k++)
    if (!bench_chosen(&curve[k]))
      printf("%s%s%s, %s: %s\n", told++ == 0 ? "\n" : "", markdown ? "- " : "", curve[k].c->name, curve[k].method,
             curve[k].message);
}

void bench_print_table(const bench_curve *curve, int count, bool markdown) {
  const char *line =
      markdown ? "| %-11s | %-10s | %9s | %9s | %9s | %8s | %9s | %6s |\n" : "%-11s %-10s %9s %9s %9s %8s %9s %6s\n";
  printf(line, "case", "method", "asked", "error", "ms", "steps", "us a step", "ratio");
  if (markdown)
    printf("|---|---|---|---|---|---|---|---|\n");
  for (int k = 0; k < count; k++) {
    const bench_point *p = bench_chosen(&curve[k]);
    char text[6][24] = {"-", "-", "-", "-", "-", "-"};
    if (p) {
      snprintf(text[0], sizeof text[0], "%.1e", p->tolerance);
      snprintf(text[1], sizeof text[1], "%.1e", p->error);
      snprintf(text[2], sizeof text[2], "%.3g", 1e3 * p->seconds);
      snprintf(text[3], sizeof text[3], "%ld", p->steps);
      snprintf(text[4], sizeof text[4], "%.3g", 1e6 * p->seconds / fmax((double)p->steps, 1));
      snprintf(text[5], sizeof text[5], "%.2f", p->seconds / fastest_of(curve, count, curve[k].c));
    }
    printf(line, curve[k].c->name, curve[k].method, text[0], text[1], text[2], text[3], text[4], text[5]);
  }
  print_reasons(curve, count, markdown);
}

void bench_print_curves(const bench_curve *curve, int count) {
  for (int k = 0; k < count; k++) {
    printf("\n%s, %s: %s\n", curve[k].c->name, curve[k].method, curve[k].c->about);
    printf("%9s %9s %9s %8s %10s %10s %8s\n", "asked", "error", "ms", "steps", "evaluated", "derived", "factored");
    for (int i = 0; i < curve[k].count; i++) {
      const bench_point *p = &curve[k].point[i];
      printf("%9.1e %9.1e %9.3g %8ld %10ld %10ld %8ld\n", p->tolerance, p->error, 1e3 * p->seconds, p->steps,
             p->residuals, p->jacobians, p->factorizations);
    }
    if (curve[k].message[0])
      printf("  %s\n", curve[k].message);
  }
}

// ------------------------------------------------------------------------------------------ JSON

static void put_point(fly_json *j, const bench_point *p) {
  fly_json_put_number(j, "tolerance", p->tolerance);
  fly_json_put_number(j, "error", p->error);
  fly_json_put_number(j, "seconds", p->seconds);
  fly_json_put_integer(j, "steps", p->steps);
  fly_json_put_integer(j, "residuals", p->residuals);
  fly_json_put_integer(j, "jacobians", p->jacobians);
  fly_json_put_integer(j, "factorizations", p->factorizations);
  fly_json_put_integer(j, "solves", p->solves);
  fly_json_put_number(j, "work", p->work);
}

static void put_curve(fly_json *j, const bench_curve *curve) {
  const bench_point nothing = {.tolerance = NAN, .error = NAN, .seconds = NAN}, *best = bench_chosen(curve);
  fly_json_begin_object(j);
  fly_json_put_string(j, "case", curve->c->name);
  fly_json_put_string(j, "method", curve->method);
  fly_json_put_number(j, "precision", curve->precision);
  fly_json_put_string(j, "unit", curve->c->unit);
  put_point(j, best ? best : &nothing);
  fly_json_put_string(j, "message", curve->message[0] ? curve->message : NULL);
  fly_json_open_array(j, "curve");
  for (int k = 0; k < curve->count; k++) {
    fly_json_begin_object(j);
    put_point(j, &curve->point[k]);
    fly_json_end_object(j);
  }
  fly_json_end_array(j);
  fly_json_end_object(j);
}

bool bench_write_json(const bench_curve *curve, int count, bool complete, fly_sink *sink, void *user) {
  fly_json j = fly_json_to(sink, user, 2);
  fly_json_begin_object(&j);
  fly_json_put_integer(&j, "bench", 1);
  fly_json_put_string(&j, "program", "flyball");
  fly_json_put_string(&j, "version", fly_version());
  fly_json_put_bool(&j, "complete", complete); // false: it was interrupted, or failed in a case
  fly_json_open_array(&j, "results");
  for (int k = 0; k < count; k++)
    put_curve(&j, &curve[k]);
  fly_json_end_array(&j);
  fly_json_end_object(&j);
  return fly_json_finish(&j);
}
