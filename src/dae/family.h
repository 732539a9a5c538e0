// A family of methods: what fly_solver asks of it. Evaluation, consistent starts, certificate, events and the grid of
// fixed steps are the solver's; docs/adding-a-method.md tells how a new family is added.
#ifndef FLY_DAE_FAMILY_H
#define FLY_DAE_FAMILY_H

#include "base/image.h"
#include "flyball/dae.h"
#include "sparse/sparse.h"

struct fly_point;

typedef struct fly_family {
  // All memory of the family, kept in s->own or s->memory.
  fly_status (*create)(fly_solver *s, fly_error *error);
  // What create leaves out because it is large and, of one that takes turns, may never be needed: its matrices. Before
  // it is at work for the first time; and away with them again. NULL: create has made all of it.
  fly_status (*shape)(fly_solver *s, fly_error *error);
  void (*unshape)(fly_solver *s);
  void (*free)(fly_solver *s); // also after a create that failed; NULL: nothing to free
  // s->now is consistent and its kinematics are evaluated: begin from there, at the start and after events. Dense
  // output over the step before must go on working, up to s->now.t.
  fly_status (*restart)(fly_solver *s, fly_error *error);
  // Method auto: s->now is consistent and evaluated, and another family has made the steps before. first: it has not
  // been at work in this run. s->choice->past may help. NULL: not one of those that take turns.
  fly_status (*enter)(fly_solver *s, bool first, fly_error *error);
  // What its own matrices have cost so far, in products of two numbers; NULL likewise.
  double (*work)(const fly_solver *s);
  // A break of time at s->now.t is milder than a jump: is a new start worth it? NULL: no.
  bool (*restart_at)(const fly_solver *s, fly_break_kind kind);
  // One accepted step with its own attempts. At its end: s->at.end filled (q, v, v', lambda, x, x', y), s->at.h,
  // s->at.estimate, s->at.ratio set, then fly_accept. Rejections are counted in s->stats.
  fly_status (*step)(fly_solver *s, fly_error *error);
  // The point at t inside the last accepted step; t lies before s->now.t.
  void (*dense)(const fly_solver *s, double t, struct fly_point *out);
  // The same at a glance, with no solution of the equations: v', lambda, x', y of a lower order. NULL: dense is that.
  void (*glance)(const fly_solver *s, double t, struct fly_point *out);
  // Where that is less accurate than the end of a step: the last step once more, to end at t. False: it stays as it is.
  bool (*shorten)(fly_solver *s, double t);
  void (*settle)(const fly_solver *s, struct fly_point *end); // a step's end as a row has it; NULL: as it is
  // Accelerations and multipliers of a point, where they are not what its step had them; NULL: they are.
  void (*refine)(const fly_solver *s, struct fly_point *at);
  // The same of a point inside the last step, where no error test has held the dense output to them; NULL: one has.
  void (*exact)(const fly_solver *s, struct fly_point *inside);
  int (*order)(const fly_solver *s);           // of the last step; NULL: it does not tell how long that is
  fly_lu_counts (*count)(const fly_solver *s); // of its own matrices; NULL: it has none
  long (*entries)(const fly_solver *s);        // of the factors in use; NULL: those of s->step
  // Other rows span the constraints from here on (rows.h). First: it names the multipliers it keeps besides those of
  // the solver's points, by fly_rows_carry; NULL: none.
  void (*carry)(fly_solver *s);
  // Then, with the new patterns, the multipliers carried over and s->now evaluated: its matrices once more.
  fly_status (*reshape)(fly_solver *s, fly_error *error);
  // All that it goes on from, besides what lies in s->memory: both ways. NULL: its state cannot be saved.
  void (*image)(fly_solver *s, fly_image *m);
} fly_family;

// Of a family whose file gives them these names; and of one that can be saved.
#define FLY_FAMILY_STEPS .create = create, .free = free_own, .reshape = reshape, .restart = restart, .step = step
#define FLY_FAMILY_OWN FLY_FAMILY_STEPS, .enter = enter, .carry = carry, .image = image
#define FLY_FAMILY_SHAPE .shape = shape, .unshape = unshape

extern const fly_family fly_family_newmark;
extern const fly_family fly_family_statespace; // direct, baumgarte, partition, hybrid
extern const fly_family fly_family_radau;
extern const fly_family fly_family_tableau; // rivals.c
const fly_family *fly_family_bdf(void);     // ida.c; without SUNDIALS ida_missing.c, whose create says what is missing

// NULL: not in this build.
const fly_family *fly_family_of(fly_method_family family);
const char *fly_family_name(fly_method_family family);
// For its create: zeroed memory that becomes s->own. NULL: there is none, and error tells.
void *fly_family_own(fly_solver *s, size_t size, fly_error *error);

#endif
