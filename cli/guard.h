// What reaches the terminal: texts come from files, and files may come from anybody.
#ifndef FLYBALL_CLI_GUARD_H
#define FLYBALL_CLI_GUARD_H

#include <stdio.h>

// From now on control characters in what is printed, on stdout and stderr, become question marks, all but line ends and
// tabs: no name in a file can move the cursor, colour the screen or type into it.
void cli_guard_output(void);
FILE *cli_unguarded(void); // stderr, for what the program draws itself

#endif
