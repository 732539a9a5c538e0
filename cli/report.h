// Pages of results, for the subcommands that make them.
#ifndef FLYBALL_CLI_REPORT_H
#define FLYBALL_CLI_REPORT_H

#include <stdio.h>

#include "flyball/report.h"

// Writes a page, says so, and what the page says about its results. The exit status.
int cli_write_report(FILE *say, const char *page, int count, const char *const *results,
                     const fly_report_options *options);

// Shows a file in the browser of the desktop. The exit status.
int cli_open_in_browser(const char *file);

// The page of a run that has just ended, beside its result.
int cli_report_run(FILE *say, const char *out);

#endif
