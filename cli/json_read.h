// Reading JSON that this program wrote: places in a text. A value is where its first letter is.
#ifndef FLYBALL_CLI_JSON_READ_H
#define FLYBALL_CLI_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

// Where a text stops to be one value and nothing else (RFC 8259, nested no deeper than 100); NULL: nowhere. All below
// is for texts without a fault.
const char *cli_json_fault(const char *text);

const char *cli_json_value(const char *text);                     // the value of a text, behind its blanks
const char *cli_json_member(const char *value, const char *name); // the first of that name; NULL: none, or no object
const char *cli_json_first(const char *value);                    // of an array; NULL: empty, or no array
const char *cli_json_next(const char *value);                     // behind a value of an array; NULL: it is the last

bool cli_json_is_null(const char *value);
bool cli_json_number(double *out, const char *value);          // false: no number, or none that is finite
bool cli_json_name(char *out, size_t size, const char *value); // false: no string, or too long, or with escapes

#endif
