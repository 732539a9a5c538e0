// Whether a text is JSON.
#ifndef FLY_BASE_JSON_CHECK_H
#define FLY_BASE_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

// True if the text is one JSON object and nothing else (RFC 8259; nested no deeper than 100). Sequences of bytes that
// are not UTF-8 are let pass.
bool fly_json_is_object(const char *text, size_t length);

#endif
