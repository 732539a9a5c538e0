#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

// A grid of dots; a letter shows dots_x * dots_y of them: 2 x 4 in braille, 1 x 1 in ASCII.
typedef struct canvas {
  int columns, rows; // letters
  int dots_x, dots_y;
  unsigned char *cell; // bits of the braille letter, or 1 (columns*rows), row by row
  bool unicode;
} canvas;

typedef struct range {
  double low, high;
} range;

cli_plot_style cli_plot_style_default(void) {
  const int width = cli_terminal_width();
  return (cli_plot_style){.width = width < 100 ? width : 100, .height = 12, .unicode = cli_utf8(), .x_unit = ""};
}

static bool canvas_create(canvas *c, int columns, int rows, bool unicode) {
  *c = (canvas){.columns = columns, .rows = rows, .unicode = unicode};
  c->dots_x = unicode ? 2 : 1;
  c->dots_y = unicode ? 4 : 1;
  c->cell = calloc((size_t)columns * (size_t)rows, 1);
  return c->cell != NULL;
}

// x from the left, y from the bottom, in dots.
static void canvas_dot(canvas *c, int x, int y) {
  static const unsigned char bit[4][2] = {
      {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}; // Unicode 10.0, U+28xx
  const int down = c->rows * c->dots_y - 1 - y;
  const int column = x / c->dots_x, row = down / c->dots_y;
  if (x < 0 || down < 0 || column >= c->columns || row >= c->rows)
    return;
  c->cell[row * c->columns + column] |= c->unicode ? bit[down % 4][x % 2] : 1;
}

static void canvas_line(canvas *c, double x0, double y0, double x1, double y1) {
  const int steps = (int)ceil(fmax(fabs(x1 - x0), fabs(y1 - y0)));
  for (int i = 0; i <= steps; i++) {
    const double part = steps > 0 ? (double)i / steps : 0.0;
    canvas_dot(c, (int)lround(x0 + part * (x1 - x0)), (int)lround(y0 + part * (y1 - y0)));
  }
}

// Braille U+2800 + bits in UTF-8.
static void print_cell(FILE *out, const canvas *c, int row, int column) {
  const unsigned bits = c->cell[row * c->columns + column];
  if (!c->unicode || bits == 0)
    fputc(bits ? '*' : ' ', out);
  else
    fprintf(out, "\xe2%c%c", (int)(0xa0u | bits >> 6), (int)(0x80u | (bits & 0x3fu)));
}

static range range_of(const double *x, size_t n) {
  range r = {INFINITY, -INFINITY};
  for (size_t i = 0; i < n; i++)
    if (isfinite(x[i])) {
      r.low = fmin(r.low, x[i]);
      r.high = fmax(r.high, x[i]);
    }
  return r;
}

// A constant gets some air; so does what varies by rounding only.
static range widen(range r) {
  if (!(r.low <= r.high))
    return (range){0.0, 1.0};
  const double size = fmax(fabs(r.low), fabs(r.high));
  if (r.high - r.low > 1e-14 * size)
    return r;
  const double air = size > 0.0 ? 0.1 * size : 1.0;
  return (range){r.low - air, r.high + air};
}

// So many digits that the ends of the range differ.
static int digits_of(range r) {
  const double size = fmax(fabs(r.low), fabs(r.high));
  const int digits = 3 + (int)ceil(log10(fmax(1.0, size / (r.high - r.low))));
  return digits < 15 ? digits : 15;
}

// What is zero but for rounding is called zero.
static double without_noise(double x, range r) { return fabs(x) < 1e-12 * (r.high - r.low) ? 0.0 : x; }

static double abscissa(const cli_plot_style *s, double x) { return s->log_x ? log10(x) : x; }

static void draw(canvas *c, const cli_curve *curve, const cli_plot_style *s, range x, range y) {
  const double scale_x = (c->columns * c->dots_x - 1) / (x.high - x.low);
  const double scale_y = (c->rows * c->dots_y - 1) / (y.high - y.low);
  double last_x = NAN, last_y = NAN;
  for (size_t i = 0; i < curve->count; i++) {
    const double px = (abscissa(s, curve->x[i]) - x.low) * scale_x, py = (curve->y[i] - y.low) * scale_y;
    const bool seen = isfinite(px) && isfinite(py);
    if (seen && isfinite(last_x))
      canvas_line(c, last_x, last_y, px, py);
    else if (seen)
      canvas_dot(c, (int)lround(px), (int)lround(py));
    last_x = seen ? px : (double)NAN;
    last_y = py;
  }
}

enum { LABEL = 14 }; // letters left of the axis

static void print_rows(FILE *out, const canvas *c, range y) {
  for (int row = 0; row < c->rows; row++) {
    char label[64] = "";
    const bool first = row == 0, last = row == c->rows - 1;
    if (first || last)
      snprintf(label, sizeof label, "%.*g", digits_of(y), without_noise(first ? y.high : y.low, y));
    fprintf(out, "%*s ", LABEL - 2, label);
    if (c->unicode)
      fputs(first || last ? "\xe2\x94\xa4" : "\xe2\x94\x82", out); // U+2524, U+2502
    else
      fputc(first || last ? '+' : '|', out);
    for (int column = 0; column < c->columns; column++)
      print_cell(out, c, row, column);
    fputc('\n', out);
  }
}

static void print_abscissa(FILE *out, const canvas *c, const cli_plot_style *s, const cli_curve *curve) {
  fprintf(out, "%*s%s", LABEL - 1, "", c->unicode ? "\xe2\x94\x94" : "+"); // U+2514
  for (int column = 0; column < c->columns; column++)
    fputs(c->unicode ? "\xe2\x94\x80" : "-", out); // U+2500
  const range x = range_of(curve->x, curve->count);
  char low[64], high[64];
  snprintf(low, sizeof low, "%.6g%s", x.low, s->x_unit);
  snprintf(high, sizeof high, "%.6g%s", x.high, s->x_unit);
  fprintf(out, "\n%*s%s%*s\n", LABEL, "", low, c->columns - (int)strlen(low), high);
}

static bool plot_one(FILE *out, const cli_curve *curve, const cli_plot_style *s) {
  canvas c;
  if (!canvas_create(&c, s->width - LABEL, s->height, s->unicode))
    return false;
  const range seen = range_of(curve->x, curve->count), y = widen(range_of(curve->y, curve->count));
  const range x = widen((range){abscissa(s, seen.low), abscissa(s, seen.high)});
  draw(&c, curve, s, x, y);
  fprintf(out, "%*s%s\n", LABEL, "", curve->title);
  print_rows(out, &c, y);
  print_abscissa(out, &c, s, curve);
  free(c.cell);
  return true;
}

bool cli_plot(FILE *out, const cli_curve *curves, int ncurve, const cli_plot_style *style) {
  for (int i = 0; i < ncurve; i++) {
    if (i > 0)
      fputc('\n', out);
    if (curves[i].count == 0)
      fprintf(out, "%*s%s: nothing to draw\n", LABEL, "", curves[i].title);
    else if (!plot_one(out, &curves[i], style))
      return false;
  }
  return true;
}
