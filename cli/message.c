// What the program says when something is wrong.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "flyball/words.h"

void cli_message(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fflush(stdout); // in a terminal the message comes after what led to it
  fputs("flyball: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}

void cli_cannot_write(const char *path) {
  char why[400];
  cli_message("cannot write %s: %s.", path, fly_why_not_written(why, sizeof why, path, errno));
}

int cli_exit_status(fly_status status) {
  if (status == FLY_OK)
    return CLI_DONE;
  return status == FLY_BAD_INPUT ? CLI_USAGE : CLI_FAILED;
}
