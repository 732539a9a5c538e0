// A file that takes its place when it is whole: until then what was there stays as it was.
#ifndef FLYBALL_CLI_DRAFT_H
#define FLYBALL_CLI_DRAFT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_draft {
  const char *path;
  char part[4096 + 8]; // where it grows: beside its place, or at it if that is a device, a pipe or a link
  FILE *file;
} cli_draft;

// Whether a file can be written there, asked before long work; false: with a message. Nothing is touched.
bool cli_draft_possible(const char *path);
bool cli_draft_open(cli_draft *d, const char *path); // false: with a message
// Puts it into its place, or drops it. False: it could not be kept; with a message.
bool cli_draft_close(cli_draft *d, bool keep);

#endif
