// Programs of others: found on the PATH, run without a shell.
#ifndef FLYBALL_CLI_BROWSER_H
#define FLYBALL_CLI_BROWSER_H

#include <stdbool.h>
#include <stddef.h>

// The first of some programs (ended by NULL) that is on the PATH, into path; NULL: none is.
const char *cli_find_program(char *path, size_t size, const char *const *names);

// Runs a program (argv[0] is its path, ended by NULL) and waits for it, so many seconds or until Ctrl-C; its output
// goes to a file, or nowhere if NULL. Its exit status, or -1.
int cli_run_program(const char *const *argv, const char *output, double seconds);

// A folder for what is thrown away afterwards.
bool cli_scratch_make(char *path, size_t size);
void cli_scratch_remove(const char *path);

#endif
