// Four numbers side by side, for loops that are compiled twice (base/wide.h). They are handed over by their address: by
// value, how depends on the processor.
#ifndef FLY_BASE_QUAD_H
#define FLY_BASE_QUAD_H

#define INLINED static inline __attribute__((always_inline)) // the compiler then knows the lengths

enum { FOUR = 4 };
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
typedef double duo __attribute__((vector_size(16), aligned(8), may_alias));          // and two of them
typedef long long quad_bits __attribute__((vector_size(32), aligned(8), may_alias)); // signs, or answers

INLINED void take_size(quad *x) { *x = (quad)((quad_bits)*x & 0x7fffffffffffffffLL); }

// What is not a number is not seen.
INLINED void keep_larger(quad *most, const quad *x) {
  const quad_bits more = *x > *most;
  *most = (quad)((more & (quad_bits)*x) | (~more & (quad_bits)*most));
}

#endif
