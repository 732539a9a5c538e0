// Curves in the terminal: braille dots, or stars where the locale has no Unicode.
#ifndef FLYBALL_CLI_PLOT_H
#define FLYBALL_CLI_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct cli_curve {
  const char *title;
  const double *x, *y; // (count); points that are not finite leave a gap
  size_t count;
} cli_curve;

typedef struct cli_plot_style {
  int width, height;  // of one panel with its labels, in letters
  bool unicode;       // braille and box lines, or plain ASCII
  bool log_x;         // logarithmic abscissa: x > 0
  const char *x_unit; // written behind the numbers of the abscissa, "" for none
} cli_plot_style;

cli_plot_style cli_plot_style_default(void); // as wide as the terminal
// One panel a curve, below each other: their units need not agree. False without memory.
bool cli_plot(FILE *out, const cli_curve *curves, int ncurve, const cli_plot_style *style);

#endif
