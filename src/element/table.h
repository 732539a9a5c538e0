// Words for parameter tables, for the files that hold rows of the list of elements.
#ifndef FLY_ELEMENT_TABLE_H
#define FLY_ELEMENT_TABLE_H

#include <math.h>
#include <stddef.h>

// Of a row: low, high, words.
#define ANY -INFINITY, INFINITY, NULL
#define POSITIVE 1e-300, INFINITY, NULL
#define NOT_NEGATIVE 0.0, INFINITY, NULL
#define KNOWS(words) -INFINITY, INFINITY, words
#define END                                                                                                            \
  { 0 }

#endif
