// The examples, built into the program (cmake/examples.cmake).
#ifndef FLYBALL_CLI_EXAMPLE_H
#define FLYBALL_CLI_EXAMPLE_H

#include <stddef.h>

typedef struct cli_example {
  const char *name; // of the file, without its ending
  const char *text;
  size_t length;
} cli_example;

extern const cli_example cli_examples[]; // by name
extern const int cli_example_count;

const cli_example *cli_example_find(const char *name); // NULL: none

#endif
