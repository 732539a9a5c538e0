// What the program says when something is wrong.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

void cli_message(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fflush(stdout); // in a terminal the message comes after what led to it
  fputs("flyball: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}

int cli_exit_status(fly_status status) {
  if (status == FLY_OK || status == FLY_STOPPED)
    return CLI_DONE;
  return status == FLY_BAD_INPUT ? CLI_USAGE : CLI_FAILED;
}
