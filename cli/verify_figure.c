// Plots of flyball verify, drawn by gnuplot.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "verify.h"

void verify_figure_begin(verify_figure *f, verify *v, const char *name) {
  *f = (verify_figure){.data = NULL};
  snprintf(f->name, sizeof f->name, "%s", name);
  if (v->page != NULL)
    f->data = tmpfile();
}

void verify_panel(verify_figure *f, const char *setup) {
  if (f->panels < (int)(sizeof f->panel_setup / sizeof f->panel_setup[0]))
    snprintf(f->panel_setup[f->panels++], sizeof f->panel_setup[0], "%s", setup);
}

void verify_curve(verify_figure *f, const char *title, const char *style) {
  if (f->curves == VERIFY_CURVES)
    return;
  if (f->data != NULL && f->curves > 0)
    fputs("e\n", f->data);
  f->panel[f->curves] = f->panels - 1;
  snprintf(f->curve[f->curves++], sizeof f->curve[0], "title \"%s\" with %s", title, style);
}

void verify_point(verify_figure *f, double x, double y) {
  if (f->data == NULL)
    return;
  if (isfinite(x) && isfinite(y))
    fprintf(f->data, "%.7g %.7g\n", x, y);
  else
    fputs("\n", f->data);
}

// Copies the points of the next curve, named blocks being what all versions of gnuplot can read from a pipe.
static void put_block(FILE *out, FILE *data, int number) {
  char line[80];
  fprintf(out, "$c%d << EOD\n", number);
  while (fgets(line, sizeof line, data) != NULL && strcmp(line, "e\n") != 0)
    fputs(line, out);
  fputs("EOD\n", out);
}

static void put_script(const verify_figure *f, const verify *v, FILE *out) {
  const int height = 340 * (f->panels + (f->panels > 1 ? f->panels % 2 : 0)) / (f->panels > 1 ? 2 : 1);
  fprintf(out, "set terminal svg size %d,%d dynamic background rgb 'white' font 'sans,11'\n", f->panels > 1 ? 980 : 640,
          f->panels > 1 ? height : 420);
  fprintf(out, "set output '%s/figures/%s.svg'\nset encoding utf8\n", v->folder, f->name);
  rewind(f->data);
  for (int i = 0; i < f->curves; i++)
    put_block(out, f->data, i);
  fputs("set grid lc rgb '#dddddd'\nset border 3\nset tics nomirror\nset key Left reverse\n", out);
  if (f->panels > 1)
    fprintf(out, "set multiplot layout %d,2\n", (f->panels + 1) / 2);
  for (int p = 0; p < f->panels; p++) {
    fprintf(out, "unset logscale\nset format '%%g'\nset autoscale\nunset label\nset key top right\n%s\nplot ",
            f->panel_setup[p]);
    for (int i = 0, first = 1; i < f->curves; i++)
      if (f->panel[i] == p) {
        fprintf(out, "%s$c%d %s", first ? "" : ", ", i, f->curve[i]);
        first = 0;
      }
    fputs("\n", out);
  }
  if (f->panels > 1)
    fputs("unset multiplot\n", out);
}

// True if the file was drawn.
static bool draw(const verify_figure *f, const verify *v) {
  const bool there = system("command -v gnuplot >/dev/null 2>&1") == 0; // NOLINT(bugprone-command-processor)
  FILE *out = there ? popen("gnuplot", "w") : NULL;                     // NOLINT(bugprone-command-processor)
  if (out == NULL)
    return false;
  put_script(f, v, out);
  return pclose(out) == 0;
}

void verify_figure_end(verify_figure *f, verify *v, const char *caption, ...) {
  char text[800];
  va_list list;
  va_start(list, caption);
  vsnprintf(text, sizeof text, caption, list);
  va_end(list);
  if (f->data == NULL)
    return;
  if (draw(f, v)) {
    verify_page(v, "![%s](figures/%s.svg)\n\n*%s*\n\n", f->name, f->name, text);
  } else {
    cli_message("verify: no plot %s: gnuplot is missing or failed.", f->name);
    verify_page(v, "(The plot %s is missing: gnuplot was not there.)\n\n", f->name);
  }
  fclose(f->data);
  f->data = NULL;
}
