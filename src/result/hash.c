#include <math.h>
#include <string.h>

#include "result/result.h"

uint64_t fly_hash_start(void) { return 0x666C7962616C6C31u; } // "flyball1"

uint64_t fly_hash_doubles(uint64_t hash, const double *x, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint64_t bits = 0x7FF8000000000000u; // any NaN: text keeps neither its sign nor its payload
    if (!isnan(x[i]))
      memcpy(&bits, &x[i], sizeof bits);
    hash = (hash ^ bits) * 0x9E3779B97F4A7C15u; // each step can be undone, so that no difference is ever lost
    hash ^= hash >> 32;
  }
  return hash;
}
