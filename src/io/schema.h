// The model language told from its tables: to editors as a JSON Schema, to people as a manual and in a terminal.
#ifndef FLY_IO_SCHEMA_H
#define FLY_IO_SCHEMA_H

#include <stdbool.h>
#include <stdio.h>

#include "flyball/status.h"

bool fly_schema_write(FILE *file);    // JSON Schema (draft 7); false if it could not be written
bool fly_reference_write(FILE *file); // the reference manual, Markdown; likewise

// What an element or a form (orientation, marker, shape, table) takes: units, defaults, an example. NULL or a section:
// what there is. An unknown name is FLY_BAD_INPUT, and the message has the nearest.
fly_status fly_explain(FILE *file, const char *name, fly_error *error);

#endif
