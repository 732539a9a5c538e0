// The numbers of a reduced body as one list: what a file of `flyball reduce` has, of the nodes those that are used.
#ifndef FLY_ELEMENT_REDUCED_H
#define FLY_ELEMENT_REDUCED_H

#include <stdbool.h>
#include <stddef.h>

enum { FLY_REDUCED_MODES = 1000, FLY_REDUCED_MASS = 2, FLY_REDUCED_HEAD = 3 }; // modes, nodes, mass

// Where each part begins.
typedef struct fly_reduced_layout {
  size_t S, X, JR, N, NR, Q, P, M, K;
  size_t nodes, node; // the first; how many numbers each has: its number, x, y, z, phi and theta of the modes (3 each)
  size_t count;       // of all numbers
  size_t G;           // where the file has it, behind them all (9 modes^2 more)
} fly_reduced_layout;

static inline fly_reduced_layout fly_reduced_layout_of(int modes, int nodes) {
  const size_t m = (size_t)modes;
  fly_reduced_layout a = {.S = FLY_REDUCED_HEAD};
  a.X = a.S + 3;
  a.JR = a.X + 9;
  a.N = a.JR + 9;
  a.NR = a.N + 3 * m;
  a.Q = a.NR + 3 * m;
  a.P = a.Q + 9 * m;
  a.M = a.P + 9 * m * m;
  a.K = a.M + m * m;
  a.nodes = a.K + m * m;
  a.node = 4 + 6 * m;
  a.count = a.nodes + (size_t)nodes * a.node;
  a.G = a.count;
  return a;
}

// With G or without it.
static inline size_t fly_reduced_count(const fly_reduced_layout *a, int modes, bool stiffened) {
  return a->count + (stiffened ? 9 * (size_t)modes * (size_t)modes : 0);
}

#endif
