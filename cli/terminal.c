#define _POSIX_C_SOURCE 200809L
#include "terminal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include "guard.h"

bool cli_is_terminal(FILE *file) { return isatty(file == stdout ? STDOUT_FILENO : STDERR_FILENO) == 1; }

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

// What asks a run to stop. All of them leave what was reached.
static const struct {
  int number;
  const char *name;
} interruptions[] = {{SIGINT, "Ctrl-C (SIGINT)"},
                     {SIGTERM, "SIGTERM"},
                     {SIGHUP, "SIGHUP: the terminal was closed"},
                     {SIGXCPU, "SIGXCPU: the limit of processor time"}};
enum { NINTERRUPTION = sizeof interruptions / sizeof *interruptions };

static void on_interrupt(int number) { interrupted = number; }

// What is ignored stays ignored: that is how nohup works.
static void set_signal(int number, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler}, before;
  sigemptyset(&action.sa_mask);
  action.sa_flags = flags;
  if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
    sigaction(number, &action, NULL);
}

void cli_catch_interrupt(void) {
  for (int k = 0; k < NINTERRUPTION; k++)
    set_signal(interruptions[k].number, on_interrupt, (int)SA_RESETHAND); // the second one kills
}

void cli_ignore_limits(void) { signal(SIGXFSZ, SIG_IGN); }

bool cli_interrupted(void) { return interrupted != 0; }
int cli_interruption_status(void) { return 128 + interrupted; }

const char *cli_interruption(void) {
  for (int k = 0; k < NINTERRUPTION; k++)
    if (interruptions[k].number == interrupted)
      return interruptions[k].name;
  return "a signal";
}

static char of_a_part[2][4096];                 // files that go when the program is left; "": none
static const char *volatile where_it_was = "."; // ends the sentence

static void say(const char *text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0)
    return; // nobody listens
}

// Only what may be called at any instant.
static void on_leave(int number) {
  interrupted = number;
  for (int k = 0; k < 2; k++)
    if (of_a_part[k][0] != 0)
      unlink(of_a_part[k]);
  say("flyball: stopped by ");
  say(cli_interruption());
  say(where_it_was);
  say("\n");
  _exit(cli_interruption_status());
}

void cli_leave_on_interrupt(void) {
  where_it_was = ".";
  of_a_part[0][0] = of_a_part[1][0] = 0;
  for (int k = 0; k < NINTERRUPTION; k++)
    set_signal(interruptions[k].number, on_leave, 0);
}

void cli_before_a_run(void) {
  where_it_was = " before the run began: nothing was written, and an earlier result is as it was.";
}

void cli_with_a_part(const char *base) {
  static const char *const endings[2] = {".part.h5", ".part.csv"};
  const size_t length = strlen(base);
  const char *stem = length > 0 && base[length - 1] == '/' ? "result" : "";
  for (int k = 0; k < 2; k++)
    if (length + 20 < sizeof of_a_part[k])
      snprintf(of_a_part[k], sizeof of_a_part[k], "%s%s%s", base, stem, endings[k]);
}

void cli_release_interrupt(void) { cli_leave_on_interrupt(); }

static const double LINES = 30.0, PACE = 5.0; // seconds between lines, and over which the pace is measured

cli_progress cli_progress_start(void) {
  const double now = cli_seconds();
  return (cli_progress){.terminal = cli_is_terminal(stderr), .started = now, .marked = now};
}

bool cli_progress_due(cli_progress *p) {
  const double now = cli_seconds();
  if (!p->terminal)
    return now - (p->drawn > p->started ? p->drawn : p->started) > LINES;
  return now - p->started > 0.5 && now - p->drawn > 0.1;
}

void cli_time_left(char *text, size_t size, double fraction, double pace) {
  const double left = pace > 0 ? (1.0 - fraction) / pace : -1;
  if (left < 0)
    snprintf(text, size, "%s", "");
  else if (left < 99.5)
    snprintf(text, size, ", %.0f s left", left);
  else if (left < 99.5 * 60)
    snprintf(text, size, ", %.0f min left", left / 60);
  else if (left < 48 * 3600.0)
    snprintf(text, size, ", %.0f h left", left / 3600);
  else
    snprintf(text, size, ", %.3g days left", left / 86400);
}

static void measure_pace(cli_progress *p, double fraction) {
  const double passed = p->drawn - p->marked;
  if (passed < PACE && p->pace > 0)
    return;
  p->pace = passed > 0 ? (fraction - p->reached) / passed : 0;
  if (passed < PACE)
    return;
  p->marked = p->drawn;
  p->reached = fraction;
}

void cli_progress_show(cli_progress *p, double fraction, const char *text) {
  enum { CELLS = 30 };
  const int full = (int)(CELLS * (fraction < 0 ? 0 : fraction > 1 ? 1 : fraction));
  char left[60];
  p->drawn = cli_seconds();
  measure_pace(p, fraction);
  cli_time_left(left, sizeof left, fraction, p->pace);
  if (!p->terminal) {
    fprintf(stderr, "flyball: %.3g %%, %s%s\n", 100.0 * fraction, text, left);
    return;
  }
  fputs("\r\033[K[", cli_unguarded());
  for (int i = 0; i < CELLS; i++)
    fputc(i < full ? '#' : '.', cli_unguarded());
  fprintf(cli_unguarded(), "] %3.0f %%  %s%s", 100.0 * fraction, text, left);
  fflush(cli_unguarded());
}

void cli_progress_clear(cli_progress *p) {
  if (p->drawn > 0.0 && p->terminal)
    fputs("\r\033[K", cli_unguarded());
  p->drawn = 0.0;
}
