// What the subcommands that run models print alike.
#ifndef FLYBALL_CLI_RUN_H
#define FLYBALL_CLI_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "flyball/model.h"

enum { CLI_MOST_SETS = 64 };

// Where the results are, the last line of a report.
void cli_print_files(long rows, const char *out, bool csv);
void cli_print_counts(const fly_mechanism_info *i);
void cli_print_lines(const char *lines); // each indented
void cli_print_redundancy(const fly_run *run);
void cli_print_warnings(const fly_mechanism *m, const char *of_start);
void cli_print_not_finite(const fly_run *run); // nothing if all values are
void cli_print_ledger(const fly_run *run);
// Method auto: who integrated what, and why; nothing for other methods. list: as many as a solver keeps.
void cli_print_stretches(FILE *out, const fly_stretch *list, int count);

bool cli_wants_stop(void *user);         // Ctrl-C was pressed, or the like
const char *cli_who_stopped(void *user); // which of them

#endif
