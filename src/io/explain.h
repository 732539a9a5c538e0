// What the program tells of parts that come with it. For explain.c and reference.c.
#ifndef FLY_IO_EXPLAIN_H
#define FLY_IO_EXPLAIN_H

#include <stdio.h>

int fly_explain_part(FILE *file, const char *name); // how many there are of that name
void fly_list_parts(FILE *file);                    // each with what it is

#endif
