// Loops over many numbers, compiled twice: for processors that take four at a time, and for all others. Each number is
// worked on by itself and in the same order, so both give the same bits. (Sanitizers start after the choice is made.)
#ifndef FLY_BASE_WIDE_H
#define FLY_BASE_WIDE_H

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&                       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FLY_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define FLY_WIDE
#endif

// Some numbers that lie side by side, worked on together; where a compiler knows of no such thing, one.
#if defined(__GNUC__)
typedef double fly_lane __attribute__((vector_size(32), aligned(8), may_alias));
#else
typedef double fly_lane;
#endif
enum { FLY_LANE = sizeof(fly_lane) / sizeof(double) };

#endif
