// Text as UTF-8.
#ifndef FLY_BASE_UTF8_H
#define FLY_BASE_UTF8_H

#include <stddef.h>

// Length of the UTF-8 sequence at the start of a text, 0 if there is none: no overlong forms, surrogates, nor beyond
// U+10FFFF.
size_t fly_utf8_length(const char *text);

#endif
