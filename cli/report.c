// flyball report: results as one HTML page.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "flyball/report.h"
#include "options.h"
#include "report.h"

typedef struct settings {
  const char *out, *title;
  double limit;
  bool open;
} settings;

static const cli_option options[] = {
    {"out", CLI_TEXT, offsetof(settings, out), "FILE.html", NULL,
     "where the page goes: beside the result, with its name"},
    {"open", CLI_FLAG, offsetof(settings, open), NULL, NULL, "show it in the browser"},
    {"title", CLI_TEXT, offsetof(settings, title), "TEXT", NULL, "of the page: what the model is called"},
    {"limit", CLI_POSITIVE, offsetof(settings, limit), "MB", "32",
     "data of a result in the page; what is larger is thinned,\nwithout losing peaks, and the page says how"},
    {0},
};

static const cli_command report_command = {
    .name = "report",
    .usage = "report RESULT [RESULT2] [-o FILE.html] [--open]",
    .about =
        "Writes a result as one HTML page that opens anywhere, from disk: the mechanism moving, its plots, what the\n"
        "solver did, and the certificate. Two results are laid over each other to be compared.\n"
        "RESULT is a .h5 or .csv file, or its name without ending.",
    .options = options,
    .notes = "Examples\n"
             "  flyball report slider-crank --open\n"
             "  flyball report coarse.h5 fine.h5 -o compared.html",
    .max_words = FLY_REPORT_RESULTS,
};

// Path of a result without its ending, in memory that the caller frees; NULL without memory.
static char *stem_of(const char *path, size_t spare) {
  static const char *const endings[] = {".h5", ".csv"};
  size_t length = strlen(path);
  const bool folder = length > 0 && path[length - 1] == '/';
  for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
    const size_t n = strlen(endings[k]);
    if (length > n && strcmp(path + length - n, endings[k]) == 0) {
      length -= n;
      break;
    }
  }
  const size_t size = length + strlen("result") + spare + 1;
  char *stem = malloc(size);
  if (stem)
    snprintf(stem, size, "%.*s%s", (int)length, path, folder ? "result" : "");
  return stem;
}

// a.h5 and runs/b.h5 become a-b.html.
static char *page_name(int count, const char *const *results) {
  char *second = count > 1 ? stem_of(results[1], 0) : NULL;
  const char *slash = second ? strrchr(second, '/') : NULL, *name = slash ? slash + 1 : second;
  char *page = stem_of(results[0], (name ? strlen(name) : 0) + 7);
  if (page && name)
    strcat(strcat(page, "-"), name);
  if (page)
    strcat(page, ".html");
  free(second);
  return page;
}

static double megabytes(const char *path) {
  FILE *file = fopen(path, "rb");
  long size = 0;
  if (file && fseek(file, 0, SEEK_END) == 0)
    size = ftell(file);
  if (file)
    fclose(file);
  return 1e-6 * (double)size;
}

int cli_write_report(FILE *say, const char *page, int count, const char *const *results, const fly_report_options *o) {
  fly_report_result done[FLY_REPORT_RESULTS] = {0};
  fly_error error = {0};
  const fly_status status = fly_report_write(page, count, results, o, done, &error);
  if (status) {
    cli_message("%s", error.message);
    return cli_exit_status(status);
  }
  for (int k = 0; k < count; k++)
    for (int n = 0; n < done[k].notes; n++)
      fprintf(stderr, "note: %s%s%s\n", count > 1 ? results[k] : "", count > 1 ? ": " : "", done[k].note[n]);
  fprintf(say, "%s: %.2f MB\n", page, megabytes(page));
  return CLI_DONE;
}

// A run that came to nothing leaves its part beside an earlier result: that is the one to look at.
int cli_report_run(FILE *say, const char *out) {
  enum { LONGEST = CLI_NAME_MAX + 30 };
  const bool folder = out[strlen(out) - 1] == '/';
  const fly_report_options o = fly_report_options_default();
  char page[LONGEST], part[LONGEST];
  const char *result = out;
  snprintf(page, sizeof page, "%s%s.html", out, folder ? "result" : "");
  snprintf(part, sizeof part, "%s%s.part.h5", out, folder ? "result" : "");
  FILE *left = fopen(part, "rb");
  if (left) {
    fclose(left);
    result = part;
  }
  return cli_write_report(say, page, 1, &result, &o);
}

int cmd_report(int argc, char **argv) {
  cli_arguments a;
  settings s = {0};
  int exit_status = cli_read(&a, &s, &report_command, argc, argv);
  if (exit_status >= 0)
    return exit_status;
  if (a.nword < 1) {
    cli_message("report takes a result, or two to compare; see flyball report --help.");
    return CLI_USAGE;
  }
  fly_report_options o = fly_report_options_default();
  o.title = s.title;
  o.limit = 1e6 * s.limit;
  char *name = s.out ? NULL : page_name(a.nword, a.word);
  const char *page = s.out ? s.out : name;
  exit_status = page ? cli_write_report(stdout, page, a.nword, a.word, &o) : CLI_FAILED;
  if (exit_status == CLI_DONE && s.open)
    exit_status = cli_open_in_browser(page);
  free(name);
  return exit_status;
}
