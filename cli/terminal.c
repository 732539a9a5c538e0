#define _POSIX_C_SOURCE 200809L
#include "terminal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/ioctl.h>
#include <unistd.h>

bool cli_is_terminal(FILE *file) { return isatty(fileno(file)) == 1; }

static int columns(void) {
  struct winsize size;
  if (isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  const char *text = getenv("COLUMNS");
  const long asked = text != NULL ? strtol(text, NULL, 10) : 0;
  return asked > 0 && asked < 10000 ? (int)asked : 80;
}

int cli_terminal_width(void) {
  const int width = columns();
  return width < 40 ? 40 : width > 200 ? 200 : width;
}

// As setlocale would decide, without changing the decimal point.
bool cli_utf8(void) {
  static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (int i = 0; i < 3; i++) {
    const char *value = getenv(variables[i]);
    if (value != NULL && value[0] != 0)
      return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL || strstr(value, "utf-8") != NULL ||
             strstr(value, "UTF8") != NULL;
  }
  return false;
}

double cli_seconds(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
  (void)number;
  interrupted = 1;
}

void cli_catch_interrupt(void) {
  struct sigaction action = {.sa_handler = on_interrupt};
  sigemptyset(&action.sa_mask);
  action.sa_flags = (int)SA_RESETHAND; // the second one kills
  sigaction(SIGINT, &action, NULL);
}

bool cli_interrupted(void) { return interrupted != 0; }

cli_progress cli_progress_start(void) {
  return (cli_progress){.possible = cli_is_terminal(stderr), .started = cli_seconds()};
}

bool cli_progress_due(cli_progress *p) {
  if (!p->possible)
    return false;
  const double now = cli_seconds();
  return now - p->started > 0.5 && now - p->drawn > 0.1;
}

void cli_progress_show(cli_progress *p, double fraction, const char *text) {
  enum { CELLS = 30 };
  const int full = (int)(CELLS * (fraction < 0 ? 0 : fraction > 1 ? 1 : fraction));
  p->drawn = cli_seconds();
  fputs("\r\033[K[", stderr);
  for (int i = 0; i < CELLS; i++)
    fputc(i < full ? '#' : '.', stderr);
  fprintf(stderr, "] %3.0f %%  %s", 100.0 * fraction, text);
  fflush(stderr);
}

void cli_progress_clear(cli_progress *p) {
  if (p->drawn > 0.0)
    fputs("\r\033[K", stderr);
  p->drawn = 0.0;
}
