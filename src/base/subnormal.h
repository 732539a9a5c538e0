// Numbers below 2e-308, which a chain at rest has beyond the bodies that feel its start: processors take a hundred
// times as long for them, 1 ms a step of 1000 bodies. While they are off they count as zero, in this thread: for linear
// algebra only, since the signs of events live at the edge of them.
#ifndef FLY_BASE_SUBNORMAL_H
#define FLY_BASE_SUBNORMAL_H

#if defined(__SSE2__)
#include <xmmintrin.h>

enum { FLY_SUBNORMALS = 0x8040 }; // results, and what is read
static inline unsigned fly_subnormals_off(void) {
  const unsigned was = _mm_getcsr();
  _mm_setcsr(was | FLY_SUBNORMALS);
  return was;
}
static inline void fly_subnormals_back(unsigned was) {
  _mm_setcsr((_mm_getcsr() & ~(unsigned)FLY_SUBNORMALS) | (was & FLY_SUBNORMALS));
}
#else
static inline unsigned fly_subnormals_off(void) { return 0; }
static inline void fly_subnormals_back(unsigned was) { (void)was; }
#endif

#endif
