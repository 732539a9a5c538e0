// The analysis of a pattern by KLU, in a time that grows like the pattern.
#ifndef FLY_SPARSE_ANALYZE_H
#define FLY_SPARSE_ANALYZE_H

#include <suitesparse/klu.h>

klu_symbolic *fly_analyze(int n, int *start, int *row, klu_common *common); // NULL: no memory

#endif
