// Method auto: one solver, several families that take turns (docs/theory/auto.md; its labels AU-... stand in the code).
//
// At every time one family is at work, as if it were the only one: s->family, s->own and s->step are its own. The
// others keep theirs in `member`. A change takes place between two steps, at an accepted point, before the next step:
// until then the last one can be looked into by those who made it.
#ifndef FLY_DAE_CHOICE_H
#define FLY_DAE_CHOICE_H

#include "dae/solver.h"

enum {
  FLY_EXPLICIT, // partition: Adams' formulas in partitioned coordinates
  FLY_IMPLICIT, // radau
  FLY_PLAIN,    // ch in GGL: second order
  FLY_MEMBERS
};

enum { FLY_PAST_POINTS = 5 };

// What a family at rest keeps of the solver.
typedef struct fly_member {
  const fly_family *family;
  bool shaped; // its matrices are made: when it is at work for the first time
  void *own;
  fly_step_matrix step;
} fly_member;

// Of a family's last steps, with weights that fade: what they cost and how far they came.
typedef struct fly_pace {
  double work, time, steps;
  double turns; // steps that second order would have taken for it (AU-plain)
} fly_pace;

typedef struct fly_trial {
  long leaving; // steps that do not count yet
  long steps;
  double work, time, turns;
} fly_trial;

// Of Radau: three stages or five, [0] and [1].
typedef struct fly_stages {
  bool five;                     // who begins when Radau is taken: who was better last
  fly_pace pace[2];              // of the last steps that should have them
  bool trying;                   // the other is on trial,
  long leaving, steps;           // whose steps do not count yet, and do
  double rate_before, rate_kept; // work a second before the last trial, and of who was the better
  long until, patience[2];       // steps before the other is tried
} fly_stages;

typedef struct fly_choice {
  fly_member member[FLY_MEMBERS];
  // From here on what travels.
  fly_point past[FLY_PAST_POINTS]; // of the step before a change, newest first, at equal distances
  int npast;                       // of them known; 0: none
  double *probe[2];                // directions of the fastest rate: (q, v, x) (2 nv + nx), and work
  bool begun;
  bool resting;              // nothing has moved yet (AU-rest)
  bool entered[FLY_MEMBERS]; // it has been at work, and its memory is its own
  int active;                // who is at work,
  int stepped;               // and who made the last step
  int wanted;                // who shall make the next
  fly_reason reason;         // for that
  double measure;
  double counted; // work at the beginning of the last step
  long starts;    // of the explicit formulas, so far,
  long rejected;  // and their steps that were rejected
  fly_pace pace[FLY_MEMBERS];
  double failed_at[FLY_MEMBERS]; // where it failed last [s]; NAN: nowhere
  bool trying;                   // the one at work is on trial: if it is not better, `before` goes on
  int before;
  fly_trial trial;                     // so far
  double rate_before, step_before;     // work a second of the one before, its mean step [s]
  double share_before;                 // and work a step of second order
  double step_expected;                // of the one that enters [s]; 0: it looks for one
  long stiff, rough;                   // marks against the explicit one,
  long refused, patience_refused;      // also where their steps are rejected again and again,
  long dear, patience_dear;            // or cost more than those of an implicit method did,
  long beside, patience_beside;        // or something much faster than the motion limits those of high order
  long tiny, faint, patience_tiny;     // likewise for tiny steps, and for those that round-off rules
  long patience_stiff, patience_rough; // of them before another is tried,
  long until_look, patience_look; // and steps of an implicit one before it is asked whether an explicit one is cheaper
  long until_plain, patience_plain; // likewise one of second order
  long until_turn, patience_turn;   // and steps of second order before one of the others is tried again,
  int turn;                         // in turn
  double rate_kept;                 // work a second of a method at the end of its trial
  fly_stages stages;
  double bias[FLY_MEMBERS];    // what trials of each came to over what was predicted, fading
  double spent;                // work of all steps so far,
  double tried, tried_at;      // and at the last trial's begin; when that was [s];
  double ended;                // and at the end of the last in vain
  double vain_until;           // work until which is believed what the implicit one, tried in vain, took
  double vain_rate, vain_step; // a second; and the explicit one's steps before [s]
  double rate;                 // fastest of the equations, as last seen [1/s]; 0: not looked for
  int nstretch;                // all of them; those beyond the list share its last place
  fly_stretch stretch[FLY_STRETCHES_MOST];
} fly_choice;

// auto.c: the life of the members
fly_status fly_choice_create(fly_solver *s, fly_error *error); // all, without matrices; s->step is that of the largest
void fly_choice_take(fly_solver *s);                           // memory of the choice itself
void fly_choice_free(fly_solver *s);
fly_status fly_choice_begin(fly_solver *s, fly_error *error); // at a start, before the family's: who begins
fly_status fly_choice_step(fly_solver *s, fly_error *error);  // one accepted step, by whoever can
fly_status fly_choice_reshape(fly_solver *s, fly_error *error);
void fly_choice_image(fly_solver *s, fly_image *m);
void fly_choice_go_on(fly_solver *s, const fly_solver *old); // in a solver that is made anew for other rows
fly_lu_counts fly_choice_count(const fly_solver *s);
fly_solver fly_choice_view(const fly_solver *s, int k); // the solver with one of them at work, for questions
// judge.c: who goes on
void fly_judge_start(fly_solver *s);
void fly_judge_step(fly_solver *s);    // after an accepted step: sets wanted, reason, measure
bool fly_judge_failure(fly_solver *s); // the one at work has failed here; false: there is no other left
// stages.c
int fly_stages_first(const fly_dae_options *o, double asked); // as given, or by the error asked for
void fly_stages_start(fly_solver *s);
void fly_stages_enter(fly_solver *s);              // Radau is taken, its memory is its own already
void fly_judge_stages(fly_solver *s, double work); // behind a step of Radau that took so much
double fly_stages_ratio(const fly_solver *s);      // steps of Adams' formulas for one of Radau, about (AU-ratio)
double fly_stages_work(const fly_solver *s);       // of a step of Radau, over that of three stages, about
// work.c
double fly_evaluation_work(const fly_eval *e); // of the equations, once
// What a step by Adams' formulas takes beyond its evaluations; joints: where there are no loops.
double fly_adams_work(const fly_eval *e, bool joints);
double fly_plain_step_work(const fly_solver *s);        // of a step of second order, about
double fly_explicit_step_work(const fly_solver *s);     // of a step by Adams' formulas, about
double fly_implicit_step_work(const fly_solver *s);     // of a step by Radau's, about
double fly_work(const fly_solver *s);                   // counted so far by the solver and the family at work
double fly_work_of_all(const fly_solver *s);            // and by all of them
double fly_fastest_rate(fly_solver *s, int iterations); // of the equations, near s->now [1/s]

#endif
