// The terminal: its width, its letters, the clock and Ctrl-C.
#ifndef FLYBALL_CLI_TERMINAL_H
#define FLYBALL_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

bool cli_is_terminal(FILE *file);
int cli_terminal_width(void); // columns of stdout, $COLUMNS, or 80; between 40 and 200
bool cli_utf8(void);          // the locale speaks UTF-8
double cli_seconds(void);     // wall clock, from an arbitrary origin

// From now on Ctrl-C, SIGTERM, SIGHUP and SIGXCPU end the program at once, with a sentence and the status below: for
// all that has nothing to keep yet, as the reading of a large model.
void cli_leave_on_interrupt(void);
void cli_before_a_run(void);            // the sentence then tells that nothing was written
void cli_with_a_part(const char *base); // and base.part.h5 and base.part.csv, which are this program's, are removed

// From now on they only set a flag; a second one kills.
void cli_catch_interrupt(void);
bool cli_interrupted(void);
void cli_release_interrupt(void);   // from now on each ends the program again
void cli_ignore_limits(void);       // a file that may not grow is told by the write that fails, not by a signal
const char *cli_interruption(void); // by what, in words
int cli_interruption_status(void);  // the exit status that says so: 128 and the signal, 130 for Ctrl-C

// A bar on stderr after half a second; where that is no terminal, a line every half minute.
typedef struct cli_progress {
  bool terminal;  // stderr is one
  double started; // [s]
  double drawn;   // when it was last drawn [s]; 0: never
  double marked;  // when the pace was measured last [s],
  double reached; // how far it was then,
  double pace;    // and the pace [1/s]; 0: not known
} cli_progress;

cli_progress cli_progress_start(void);
// "3 min left" at a pace [1/s], "" if that is not known.
void cli_time_left(char *text, size_t size, double fraction, double pace);
void cli_progress_show(cli_progress *p, double fraction, const char *text); // text: what stands beside the bar
bool cli_progress_due(cli_progress *p);                                     // worth calling cli_progress_show
void cli_progress_clear(cli_progress *p);

#endif
