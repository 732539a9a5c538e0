// flyball stability: linear analysis of a method on q'' + omega^2 q = 0 over z = h omega.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "flyball/flyball.h"
#include "method.h"
#include "plot.h"

typedef struct settings {
  fly_method_request method;
  double z_min, z_max;
  long points;
  const char *csv;
  bool json, plot;
} settings;

static const cli_option options[] = {
    {"The method", CLI_HEADING, 0, NULL, NULL, NULL},
    CLI_METHOD_OPTIONS(settings, "ch"),
    {"The analysis", CLI_HEADING, 0, NULL, NULL, NULL},
    {"z-min", CLI_POSITIVE, offsetof(settings, z_min), "Z", "1e-2", "smallest z = h omega"},
    {"z-max", CLI_POSITIVE, offsetof(settings, z_max), "Z", "1e4", "largest z"},
    {"points", CLI_COUNT, offsetof(settings, points), "N", "241", "values of z, equally spaced in log z"},
    {"Output", CLI_HEADING, 0, NULL, NULL, NULL},
    {"csv", CLI_TEXT, offsetof(settings, csv), "FILE", NULL,
     "write z,radius,real0,imag0,real1,imag1,real2,imag2 at every z"},
    {"json", CLI_FLAG, offsetof(settings, json), NULL, NULL, "print one JSON object instead of the report"},
    {"plot", CLI_FLAG, offsetof(settings, plot), NULL, NULL, "draw the spectral radius over z"},
    {0},
};

static const cli_command command = {
    .name = "stability",
    .usage = "stability [options]",
    .about = "Spectral radius of a method over z = h omega on q'' + omega^2 q = 0, the roots of its amplification\n"
             "matrix at z = 0 and infinity, its order, and the stability conditions it violates. Unstable parameters\n"
             "are analysed, not refused.",
    .options = options,
    .notes = "Examples\n"
             "  flyball stability --method hht --alpha -0.1 --plot\n"
             "  flyball stability --method custom --alpha-m -0.5 --alpha-f 0.375 --beta 0.39 --gamma 0.75",
};

// The spectrum at one z.
typedef struct spectrum {
  double z, radius, real[3], imag[3];
} spectrum;

typedef struct analysis {
  fly_newmark method;
  fly_theta states;
  fly_stability stability;
  fly_tableau tableau; // of methods beside the Newmark family; no stages: it is of that
  spectrum zero, infinity;
  spectrum *at; // (count), z ascending
  size_t count;
  size_t worst;                       // largest radius among them
  double unstable_low, unstable_high; // z between which the radius exceeds 1; NAN: nowhere
} analysis;

static const double radius_slack = 1e-9; // rounding above 1

static bool has_tableau(const analysis *a) { return a->tableau.stages > 0; }

static spectrum spectrum_at(const analysis *a, double z) {
  spectrum s = {.z = z};
  s.radius = has_tableau(a) ? fly_tableau_roots(s.real, s.imag, &a->tableau, z)
                            : fly_newmark_roots(s.real, s.imag, &a->method, z);
  return s;
}

// Roots that a method has: those of a Runge-Kutta method and its conjugate are one.
static int roots_of(const analysis *a) { return has_tableau(a) ? 3 - a->tableau.stages : 3; }

// Parameters the library refuses as unstable are there all the same.
static int make_method(analysis *a, const fly_method_request *request) {
  fly_error error = {0};
  fly_dae_options o = fly_dae_options_default();
  const fly_status known = fly_dae_options_method(&o, request, &error);
  if (o.family == FLY_FAMILY_TABLEAU) {
    a->tableau = o.tableau;
    if (known != FLY_OK)
      cli_message("%s", error.message);
    return known == FLY_OK ? -1 : cli_exit_status(known);
  }
  a->method = (fly_newmark){NAN, NAN, NAN, NAN};
  a->states = (fly_theta){NAN, NAN, NAN};
  const fly_status status = fly_method_make(&a->method, &a->states, request, &error);
  const fly_newmark *m = &a->method;
  const bool complete = isfinite(m->alpha_m) && isfinite(m->alpha_f) && isfinite(m->beta) && isfinite(m->gamma);
  if (status == FLY_OK || complete)
    return -1;
  cli_message("%s", error.message);
  return cli_exit_status(status);
}

static void scan(analysis *a, const settings *s) {
  a->unstable_low = a->unstable_high = NAN;
  for (size_t i = 0; i < a->count; i++) {
    const double part = a->count > 1 ? (double)i / (double)(a->count - 1) : 0.0;
    a->at[i] = spectrum_at(a, s->z_min * pow(s->z_max / s->z_min, part));
    if (a->at[i].radius > a->at[a->worst].radius)
      a->worst = i;
    if (a->at[i].radius <= 1.0 + radius_slack)
      continue;
    if (isnan(a->unstable_low))
      a->unstable_low = a->at[i].z;
    a->unstable_high = a->at[i].z;
  }
}

// ---------------------------------------------------------------------------------------------- the report

static void print_roots(const char *label, const spectrum *s, int count) {
  printf("  %-14s", label);
  for (int i = 0; i < count; i++)
    if (s->imag[i] != 0.0)
      printf("%s%.6g %c %.6gi", i > 0 ? ", " : "", s->real[i], s->imag[i] < 0.0 ? '-' : '+', fabs(s->imag[i]));
    else
      printf("%s%.6g", i > 0 ? ", " : "", s->real[i]);
  printf("  (radius %.6g)\n", s->radius);
}

static const char *yes_no(bool yes) { return yes ? "yes" : "no"; }

static void print_conditions(const analysis *a) {
  const fly_stability *s = &a->stability;
  printf("\nConditions\n");
  printf("  order                     %d\n", s->order);
  printf("  zero-stable               %s\n", yes_no(s->zero_stable));
  printf("  stable at infinity        %s\n", s->strictly_at_infinity ? "yes, strictly"
                                             : s->stable_at_infinity ? "yes, not strictly"
                                                                     : "no");
  printf("  unconditionally stable    %s\n", yes_no(s->unconditional));
  printf("  violated                  %s\n", s->violated[0] != 0 ? s->violated : "none");
}

static void print_scan(const analysis *a) {
  enum { LINES = 13 };
  printf("\n           z   radius\n");
  size_t last = a->count;
  for (int k = 0; k < LINES; k++) {
    const size_t i = (a->count - 1) * (size_t)k / (LINES - 1);
    if (i != last)
      printf("  %10.4g   %.9f\n", a->at[i].z, a->at[i].radius);
    last = i;
  }
  printf("\nLargest radius %.9g at z = %.4g.", a->at[a->worst].radius, a->at[a->worst].z);
  if (!isnan(a->unstable_low))
    printf(" Unstable between z = %.4g and %.4g.", a->unstable_low, a->unstable_high);
  printf("\n");
}

static void print_tableau(const fly_tableau *t) {
  for (int i = 0; i < t->stages; i++)
    if (t->stages > 1)
      printf("  stage at %-6.4g of %.9g, %.9g\n", t->c[i], t->a[i][0], t->a[i][1]);
  if (t->stages > 1)
    printf("  end             of %.9g, %.9g\n", t->b[0], t->b[1]);
  else
    printf("  parameters    a = %.9g, u = %.9g, w0 = %.9g, w1 = %.9g\n", t->a[0][0], t->u, t->w0, t->w1);
}

static void print_report(const settings *s, const analysis *a) {
  char text[256];
  const bool newmark = !has_tableau(a);
  cli_method_describe(text, sizeof text, &s->method, newmark ? &a->method : NULL);
  printf("Method %s\n", text);
  if (newmark)
    cli_method_print(stdout, &a->method, isnan(a->states.theta) ? NULL : &a->states);
  else
    print_tableau(&a->tableau);
  printf("\nRoots of the amplification matrix\n");
  print_roots("z = 0", &a->zero, roots_of(a));
  print_roots("z = infinity", &a->infinity, roots_of(a));
  if (newmark)
    print_conditions(a);
  print_scan(a);
}

// ---------------------------------------------------------------------------------------------- files

static void json_roots(fly_json *j, const char *key, const spectrum *s) {
  fly_json_open_object(j, key);
  fly_json_key(j, "radius"), fly_json_number(j, s->radius);
  fly_json_key(j, "real"), fly_json_numbers(j, s->real, 3);
  fly_json_key(j, "imag"), fly_json_numbers(j, s->imag, 3);
  fly_json_end_object(j);
}

static void json_scan(fly_json *j, const analysis *a) {
  fly_json_open_array(j, "spectrum");
  for (size_t i = 0; i < a->count; i++)
    fly_json_numbers(j, (const double[]){a->at[i].z, a->at[i].radius}, 2);
  fly_json_end_array(j);
}

static void json_conditions(fly_json *j, const analysis *a) {
  const fly_stability *c = &a->stability;
  fly_json_key(j, "parameters"), cli_method_json(j, &a->method, &a->states);
  fly_json_key(j, "order"), fly_json_integer(j, c->order);
  fly_json_key(j, "spurious_zero"), fly_json_number(j, c->spurious_zero);
  fly_json_key(j, "rho_infinity"), fly_json_number(j, c->rho_infinity);
  fly_json_key(j, "zero_stable"), fly_json_bool(j, c->zero_stable);
  fly_json_key(j, "stable_at_infinity"), fly_json_bool(j, c->stable_at_infinity);
  fly_json_key(j, "strictly_at_infinity"), fly_json_bool(j, c->strictly_at_infinity);
  fly_json_key(j, "unconditional"), fly_json_bool(j, c->unconditional);
  fly_json_key(j, "violated"), fly_json_string(j, c->violated);
}

static bool print_json(const settings *s, const analysis *a) {
  fly_json json = fly_json_to(fly_to_file, stdout, 2), *j = &json;
  fly_json_begin_object(j);
  fly_json_key(j, "method"), fly_json_string(j, s->method.name);
  if (!has_tableau(a))
    json_conditions(j, a);
  else
    fly_json_key(j, "rho_infinity"), fly_json_number(j, a->infinity.radius);
  json_roots(j, "roots_zero", &a->zero);
  json_roots(j, "roots_infinity", &a->infinity);
  fly_json_key(j, "largest_radius"), fly_json_number(j, a->at[a->worst].radius);
  fly_json_key(j, "largest_radius_z"), fly_json_number(j, a->at[a->worst].z);
  json_scan(j, a);
  fly_json_end_object(j);
  return fly_json_finish(j);
}

static int write_csv(const char *name, const analysis *a) {
  FILE *file = fopen(name, "w");
  if (file == NULL) {
    cli_cannot_write(name);
    return CLI_USAGE;
  }
  fprintf(file, "z,radius,real0,imag0,real1,imag1,real2,imag2\n");
  for (size_t i = 0; i < a->count; i++) {
    const spectrum *s = &a->at[i];
    fprintf(file, "%.17g,%.17g", s->z, s->radius);
    for (int k = 0; k < 3; k++)
      fprintf(file, ",%.17g,%.17g", s->real[k], s->imag[k]);
    fputc('\n', file);
  }
  const bool broken = ferror(file) != 0;
  if (fclose(file) == 0 && !broken)
    return CLI_DONE;
  cli_cannot_write(name);
  return CLI_FAILED;
}

static int plot(const analysis *a) {
  double *x = malloc(2 * a->count * sizeof *x);
  bool drawn = x != NULL;
  if (drawn) {
    double *y = x + a->count;
    for (size_t i = 0; i < a->count; i++) {
      x[i] = a->at[i].z;
      y[i] = a->at[i].radius;
    }
    const cli_curve curve = {.title = "spectral radius over z", .x = x, .y = y, .count = a->count};
    cli_plot_style style = cli_plot_style_default();
    style.log_x = true;
    printf("\n");
    drawn = cli_plot(stdout, &curve, 1, &style);
  }
  free(x);
  if (!drawn)
    cli_message("out of memory for the plot.");
  return drawn ? CLI_DONE : CLI_FAILED;
}

static int worse(int a, int b) { return a > b ? a : b; }

static int analyse(const settings *s, analysis *a) {
  if (!has_tableau(a))
    a->stability = fly_newmark_stability(&a->method);
  a->zero = spectrum_at(a, 0.0);
  a->infinity = spectrum_at(a, INFINITY);
  scan(a, s);
  int exit_status = s->csv != NULL ? write_csv(s->csv, a) : CLI_DONE;
  if (s->json)
    return print_json(s, a) ? exit_status : worse(exit_status, CLI_FAILED);
  print_report(s, a);
  return s->plot ? worse(exit_status, plot(a)) : exit_status;
}

static int check(const settings *s) {
  if (s->z_min >= s->z_max) {
    cli_message("--z-min %g must be less than --z-max %g.", s->z_min, s->z_max);
    return CLI_USAGE;
  }
  if (s->points < 2 || s->points > 10000000) {
    cli_message("--points %ld must lie between 2 and 10000000.", s->points);
    return CLI_USAGE;
  }
  if (s->json && s->plot) {
    cli_message("--json and --plot exclude each other.");
    return CLI_USAGE;
  }
  return -1;
}

int cmd_stability(int argc, char **argv) {
  settings s;
  cli_arguments arguments;
  analysis a = {0};
  int exit_status = cli_read(&arguments, &s, &command, argc, argv);
  if (exit_status < 0)
    exit_status = check(&s);
  if (exit_status < 0)
    exit_status = make_method(&a, &s.method);
  if (exit_status >= 0)
    return exit_status;
  a.count = (size_t)s.points;
  a.at = calloc(a.count, sizeof *a.at);
  if (a.at == NULL) {
    cli_message("out of memory for %zu points.", a.count);
    return CLI_FAILED;
  }
  exit_status = analyse(&s, &a);
  free(a.at);
  return exit_status;
}
