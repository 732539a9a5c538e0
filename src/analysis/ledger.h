// The energy ledger of a run, kept over accepted steps; docs/theory/energy.md.
#ifndef FLY_ANALYSIS_LEDGER_H
#define FLY_ANALYSIS_LEDGER_H

#include "flyball/model.h"
#include "system/system.h"

enum { FLY_BOOK_POINTS = 5, FLY_BOOK_HALVES = 2, FLY_WORKS = 4 };

typedef struct fly_book {
  bool has_power;           // else the energy is conserved, and there is nothing to integrate
  bool fine;                // powers are evaluated at all five points of a step, not at three
  fly_ledger ledger;        // after the last accepted step
  double t, h;              // that step: where it begins, how long it is
  double before[FLY_WORKS]; // work of forces, of motions, of dampers with what is lent, in contacts, up to there
  double dampers;           // the third of these, after it
  double lent, start_lent;  // of the springs' energy what dampers count (E-soft)
  int halves;               // 2: it is long even for a method of high order, and each half has five points
  fly_power power[FLY_BOOK_HALVES * (FLY_BOOK_POINTS - 1) + 1]; // at equal distances over it
  fly_power begin; // where the next step begins: behind a break it is not where this one ends
  double blow;     // work of motions in the corner that ends it
} fly_book;

// At the start of a run. fine: its steps will be large, of a method of high order.
void fly_book_open(fly_book *b, fly_system *s, const fly_dae_state *start, bool fine);
// After an accepted step of h to now, which ended there or, at a break of time, at `before`. Allocates nothing. A step
// of order 9 may set halves to 2 before.
fly_status fly_book_step(fly_book *b, fly_system *s, double h, double before, const fly_dae_state *now,
                         fly_inside_fn *inside, void *motion, fly_error *error);
// An event has changed the state, or the equations, before the next step.
void fly_book_event(fly_book *b, fly_system *s, const fly_dae_state *now);
// The ledger at a point inside the last step (worst and moved are those of the steps).
fly_ledger fly_book_at(const fly_book *b, fly_system *s, const fly_dae_state *at);

#endif
