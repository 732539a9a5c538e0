// Placeholder: the recomputed tables of the papers come here.
#include <stdio.h>

#include "cli.h"

int cmd_verify(int argc, char **argv) {
  if (argc > 1 && argv[1][0] != '-') {
    cli_message("verify: nothing is called '%s'; there is nothing to verify yet.", argv[1]);
    return CLI_USAGE;
  }
  printf("Nothing to verify yet.\n");
  return CLI_DONE;
}
