// A linearized model with its loop opened at one variable (docs/theory/modes.md, section 6). Ports are numbers that the
// equations take as given, u, each beside what they make of it, w:
//
//   X' = A X + B u,   w = C X + D u
//
// The first port is the variable, then come the delays: u_k(t) = w_k(t - late_k). Closed, the first is u = w too.
#ifndef FLY_ANALYSIS_OPENED_H
#define FLY_ANALYSIS_OPENED_H

#include <complex.h>

#include "analysis/linear.h"
#include "model/mechanism.h"

typedef struct fly_opened {
  int n, m;              // states, ports
  double *A, *B, *C, *D; // column by column
  double *late;          // of each port [s]; 0: at once (m)
  // the same for many s: A balanced and without anything below its subdiagonal
  double *H, *Bh, *Ch;
  double complex *hessenberg, *solved, *port; // work (n x n), (n x m), (m x (m + 1))
} fly_opened;

// Which port is the first: an output of the model that is a row of the DAE, or a delay.
typedef struct fly_opening {
  int output, delay; // one of them is -1
} fly_opening;

// The model compiled again, the variable as a row of its own. spec: a copy that shares all but its list of items.
fly_status fly_opening_compile(fly_mechanism *out, fly_opening *where, const fly_mechanism *m, const char *variable,
                               fly_arena *memory, fly_error *error);

fly_status fly_opened_make(fly_opened *o, const fly_linear *l, fly_system *system, const fly_dae_state *at,
                           fly_opening where, fly_arena *memory, fly_error *error);

// L(s) = -w/u of the first port, delays closed. Not finite at a pole.
double complex fly_opened_at(fly_opened *o, double complex s);

// Poles with the ports from `first` on closed: 0 all of them, 1 the delays, o->m none. A delay has infinitely many;
// those found go up to about the frequency `highest` [rad/s], and with the loop closed 1 + L = 0 is solved exactly from
// there; what is no pole has re -INFINITY.
typedef struct fly_poles {
  int count;
  double *re, *im, *bound; // bound: of rounding
} fly_poles;
fly_status fly_opened_poles(fly_poles *p, fly_opened *o, int first, double highest, fly_arena *memory,
                            fly_error *error);
// Where the rational part of L is 0.
fly_status fly_opened_zeros(fly_poles *p, const fly_opened *o, fly_arena *memory, fly_error *error);

#endif
