// Doubles as text, the same in every file Flyball writes.
#ifndef FLY_BASE_NUMBER_H
#define FLY_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

enum { FLY_NUMBER_SIZE = 40 }; // room for any double and the final 0

// The shortest of 15, 16 or 17 significant digits that reads back as the same double, with a decimal point whatever
// the locale. "nan", "inf" and "-inf" for what is not finite.
void fly_number_text(char text[FLY_NUMBER_SIZE], double x);
// The double nearest to x rounded to so many digits, at most 15.
double fly_number_rounded(double x, int digits);

// A decimal number with a point, whatever the locale, that is all of the text (length bytes, at most 500). False: it is
// not one. One that is too large is infinite.
bool fly_number_parse(const char *text, size_t length, double *out);
// The same, but a finite one.
bool fly_number_read(const char *text, size_t length, double *out);

#endif
