// The solver's state and the verbs of a step. One file a verb; solver.c says the sentence.
#ifndef FLY_DAE_SOLVER_H
#define FLY_DAE_SOLVER_H

#include <stdint.h>

#include "dae/calls.h"
#include "dae/eval.h"
#include "dae/family.h"
#include "dae/matrix.h"

// One point of the motion with arrays of its own.
typedef struct fly_point {
  double t;
  double *q, *v, *vdot, *lambda, *x, *xdot, *y;
} fly_point;

// The step being tried.
typedef struct fly_attempt {
  double h;
  double gamma, theta;
  fly_coef coef;
  double *v0, *a0, *w0;         // start of the step, moved to its h (nv), (nv), (nx)
  double *a_past, *w_past;      // parts of a1, w1 that do not depend on the unknowns
  double *u, *u_start;          // unknowns, their prediction (n)
  double *du, *r;               // correction, with the sign of the residual, which stood in the same place (n)
  double *a1, *w1, *delta, *v1; // (nv), (nx), (nv), (nv)
  fly_point end;                // vdot, lambda, xdot, y lie inside u; v is v1
  double *vdot1, *xdot1;        // as solved for, before cleaning (nv), (nx)
  double *v_clean;              // index 3: v1 without its offset (nv)
  double *carried;              // cleaned: (a1-a0) - (v1'-v0') in the free directions (nv)
  bool cleaned;                 // index 3: round-off was taken out of v', lambda, x', y
  bool drowned;                 // index 3: round-off can explain all that G v' + gamma misses
  double *M_values;             // residual form: M where that form takes it, as values in the pattern of M
  double estimate;              // of the local error, weighted
  double constrained;           // of it, what the constraints put back: asked for when the whole does not pass, else 0
  double ratio;                 // of the estimate to what is allowed; NAN: the step is fixed
  bool singular;                // so near a singular position that round-off hides the error asked for
} fly_attempt;

// Rounding errors of the steps of a run, weighted as its error is. They have no sign in common, so it is their squares
// that add up (docs/theory/control.md, C-roundings).
typedef struct fly_roundings {
  double squares;
} fly_roundings;

// How far the end of a step may be from where its equations have it, by rounding errors of the constraints, as its
// matrix passes them on (C-amplified): those of some random ones that move positions furthest; and by what the
// corrector was content with.
typedef struct fly_shaken {
  double rounded, left; // both, weighted, with what velocities make of it in a step; 0: not known
  double *q, *v;        // rounding: increments of positions, changes of velocities (nv),
  double *vdot;         // accelerations (nv)
  double *lambda;       // and multipliers (nl)
  double *q_left;       // the last correction likewise (nv)
  double *v_left;       // (nv)
  fly_point point;      // the last point that was shaken by all of them
} fly_shaken;

// A multiplier that outlives a change of rows (rows.c): where it belongs, and the force it stands for.
typedef struct fly_carried {
  double t;
  double *q;          // (nq)
  double *force;      // G^T lambda (nv)
  double *multiplier; // of the holonomic rows (ng)
} fly_carried;

enum { FLY_CARRIED = 32 };

typedef struct fly_carry {
  int count;
  fly_carried item[FLY_CARRIED];
  fly_arena memory;
} fly_carry;

// A root that came near to zero, or passed it by little.
typedef struct fly_graze {
  double share; // of what the error asked for leaves open of it
  int root;
  double t;
} fly_graze;

typedef struct fly_events {
  double *before, *after, *middle; // root functions (nroot)
  double *start;                   // at the beginning of the step (nroot)
  double *time;                    // of the crossings in the last step, NAN: none (nroot)
  double *near;                    // so much is zero, of what a root changes over a step (nroot)
  double *noise;                   // what the motion leaves open of each, in the step from noisy_at on (nroot)
  double *moved;                   // likewise for positions, velocities and states alone (nroot)
  double noisy_at;                 // NAN: of none
  double *watched;                 // work: what the problem is asked about (nroot)
  double *room;                    // what the error asked for leaves open of each; INFINITY: not known (nroot)
  double *open;                    // likewise that of the run; INFINITY: not known (nroot)
  double *swayed;                  // as moved, with velocities as fast as they have been, in the step from swayed_at on
  double swayed_at, pace;          // how fast that is: |v| or |v'|^(1/2), weighted
  double *nearest;                 // how near to zero each comes in the step, on its side (nroot)
  double *low;                     // and since it was farther than what is open; NAN: it was not (nroot)
  fly_graze graze;                 // the nearest of all; its share is INFINITY: none
  int *edge;                       // those that stay there are on this side, 1 or -1; 0: free (nroot)
  int *came;                       // where those that ended the last step went, 1 or -1; 0: others (nroot)
  int *done;                       // 1: roots that ended the step; 2, -2: others that rose, fell there (nroot)
} fly_events;

// What is due before the next step (cross.c).
typedef struct fly_crossing {
  bool due;
  fly_effect effect;
  bool moved;       // q, v and x are those of `behind`
  bool restarted;   // roots that ended the step were at zero there
  fly_point behind; // as an event left them
  bool kept;        // a restart on its way keeps positions and velocities
  bool checked;     // and rows that do not depend on each other
} fly_crossing;

// Times at which a step must end.
typedef struct fly_stops {
  fly_break next; // of the problem's breaks; before is INFINITY behind the last
  double asked;   // by the user; INFINITY: none
  double passed;  // where the last break ended: what lies before is another problem
  double before;  // of the break that ended the last step
  double wanted;  // step that was cut short by one of these times, to be taken up behind it; 0: none
  bool broken;    // there was one, and a new start
} fly_stops;

// Relations of the equations, held on one of their sides within a step (relations.c).
typedef struct fly_relations {
  signed char *side;       // of each; 0: as it comes (nrelation)
  bool *left;              // it is left as it comes to the end of the run (nrelation)
  bool *turns;             // it changes sides, or is left, at the end of the last step (nrelation)
  double *before, *margin; // at the beginning of a part of a step and elsewhere (nrelation)
  double *start;           // at that of the step (nrelation)
  double *changed;         // when each changed sides last [s]; -INFINITY: never (nrelation)
  long *count;             // how often each did (nrelation),
  int *quick;              // and how often of late without time between them (nrelation)
  double *rows[3];         // of the equations, with either side, and what these differ by (nrow)
  double until;            // those that turn do so here; NAN: none
  double busy;             // share of the steps of late in which some changed,
  bool crowded;            // too many to end a step at each: those without jumps come as they come
} fly_relations;

enum { FLY_LOOK_NODES = 5 };

// Looking between the ends of steps at a problem that says nothing of its dependence on time: the rows that may depend
// on it, forces, states, outputs, constraints, at the present state and other times.
typedef struct fly_looks {
  double *value[FLY_LOOK_NODES]; // at points of the step that is planned (nrow + ng + nb) each
  double *here;                  // at another
  double *weight;                // what a unit of each does to positions, weighted
  double *y;                     // outputs there (ny)
  double from, free;             // looked at last: from when on, and the step that was found free of surprises
} fly_looks;

// What steps leapt over: after one was cut, steps are short and become longer again (leaps.c).
typedef struct fly_leaps {
  double *impulse; // of each velocity: what matters (nv)
  double *change;  // of each first-order state likewise (nx)
  double *back;    // how fast each goes back by itself, where the method is stiff and knows it, else 0 [1/s] (nx)
  double longest;  // step; INFINITY: any
  int undone;      // so often in a row the last step was taken back to its start
} fly_leaps;

struct fly_choice;

struct fly_solver {
  // What belongs to this solver: no step changes it but through functions that have their own way to travel.
  fly_dae_options o;
  const fly_family *family;
  void *own;                 // what the family keeps
  struct fly_choice *choice; // method auto (choice.h): the families that take turns; NULL: there is one
  double *sequence;
  fly_eval e;
  fly_step_matrix step; // of Newton's iteration; sizes only while the two of half its size do
  fly_step_matrix kkt;  // of accelerations and projections
  fly_carry carry;      // while rows change
  double clock_start;   // of the last call
  bool probe;           // it is tried for another that failed: its own failure is not looked into
  const double *gamma;  // at the point that is stored, where the family knows it (nl); NULL: it does not
  fly_solver_stage stage;
  fly_arena memory;

  // From here on what travels when a state is saved (save.c), with all of `memory`.
  double t0, t_end;
  double step_max;             // as asked for, or a share of the interval
  bool started, done, stopped; // started: the start is behind
  bool guessed;                // `guess` is the caller's
  const fly_csc *known_rows;   // G of the start, whose rows are independent: known to the caller; or NULL
  fly_point now, last, before; // last accepted, the one before, and the one before that
  bool cut;                    // the last step was made shorter: its end, had it not been, is in `uncut`
  bool jumped;                 // and a new start was made behind it
  fly_point uncut;
  fly_point dense; // interpolated
  fly_attempt at;
  fly_events ev;
  fly_roundings roundings;
  fly_shaken shaken;
  fly_crossing crossing;
  fly_stops stops;
  fly_looks looks;
  fly_leaps leaps;
  fly_relations relations;

  double h_next;        // proposed
  double h_tried;       // by the last attempt
  double h_last;        // accepted last
  double estimate_last; // weighted, of the last accepted step
  long grid_step;       // fixed steps: number of the step in the sequence
  double grid_cut;      // fixed steps: fraction of the step that is tried after failures
  double h_largest;     // accepted, or proposed at the start
  long tiny_steps;      // accepted in a row that are nothing beside it
  double *z, *dz;       // accelerations and multipliers (ncore)
  double *guess;        // of them at the start, where the caller knows better than zero (ncore)
  double *rows, *rows2; // constraint rows (nl)
  double *rough;        // rounding errors of the rows of outputs (ny)
  double *work;         // (nq)
  fly_point side;       // a neighbouring point, for jerks
  double *side_u[2];    // its accelerations (ncore)

  fly_stats stats;
  fly_lu_counts counted; // of both matrices before this start
  double worked;         // likewise
  fly_certificate certificate;
  fly_step_record record;
};

typedef enum fly_outcome {
  FLY_SOLVED,
  FLY_UNSOLVED,  // no convergence
  FLY_NOT_HERE,  // a callback said > 0 or gave NaN
  FLY_NO_FACTOR, // singular matrix
  FLY_FATAL,     // a callback said < 0
  FLY_OUT_OF_MEMORY
} fly_outcome;

// attempts.c: what a method does at a step of h to `end`
typedef struct fly_attempts {
  fly_outcome (*attempt)(fly_solver *s, double h, double end); // solves for s->at.end
  // Completes it, and how good it is: s->at.estimate, and of steps that follow the error its ratio to what is allowed;
  // above 1, with s->h_next to be tried next. failed: attempts at this step before.
  fly_outcome (*judge)(fly_solver *s, double h, int failed, double *ratio);
  fly_status (*accept)(fly_solver *s, double end, fly_error *error);
  void (*choose)(fly_solver *s, double ratio, bool rejected); // s->h_next, after a step that was accepted
} fly_attempts;
fly_status fly_attempts_step(fly_solver *s, const fly_attempts *method, fly_error *error);
// plan.c: for the families
double fly_plan_fixed(fly_solver *s, double *end);    // the next step on the grid, or a part of it; *end: its end
double fly_plan_adaptive(fly_solver *s, double *end); // s->h_next within its limits and the end of the run
void fly_plan_passed(fly_solver *s);                  // after an accepted step of a fixed size
bool fly_plan_again(fly_solver *s, fly_outcome why);  // after a fixed step that failed: half of it; false: give up
void fly_count_unsolved(fly_stats *stats, fly_outcome why);
// solver.c: all that a solver holds, for a problem, of options that are set
fly_status fly_solver_build(fly_solver *s, const fly_dae_problem *problem, fly_error *error);
// The equations as its matrices take them: fly_eval_create, or that with lean derivatives.
fly_status fly_solver_evaluate(const fly_solver *s, fly_eval *e, const fly_dae_problem *problem, fly_error *error);
void fly_solver_release(fly_solver *s);
// for the families
void fly_step_store(fly_solver *s, double end);                     // the attempt becomes the last accepted point
fly_status fly_step_conclude(fly_solver *s, fly_error *error);      // certificate, events, the end
fly_status fly_accept(fly_solver *s, double end, fly_error *error); // both, with the kinematics evaluated between
// consistent.c: starts, accelerations, projections, jerks
fly_status fly_make_consistent(fly_solver *s, fly_error *error);
// q and v of a point that is near them, moved onto the constraints.
fly_outcome fly_meet_constraints(fly_solver *s, fly_point *at);
// z = (v', lambda, x', y) (kkt.n) at a state, from the z given as a first guess.
fly_outcome fly_find_accelerations(fly_solver *s, double t, const double *q, const double *v, const double *x,
                                   double *z);
// The same at a place so near that of the matrix at hand that it will do; where it does not, with one of its own.
fly_outcome fly_find_nearby(fly_solver *s, double t, const double *q, const double *v, const double *x,
                            const double *guess, double *z);
// As the first, but outputs that are held (ny) stay as they are given.
fly_outcome fly_find_others(fly_solver *s, double t, const double *q, const double *v, const double *x, double *z,
                            const bool *held);
fly_outcome fly_find_jerk(fly_solver *s);
// free = what is left of an increment e of positions without its mass-orthogonal part in the directions of G. The
// kinematics at hand are those of the attempt's end.
fly_outcome fly_free_part(fly_solver *s, const double *e, double *free);
// held.c: which outputs a step of h is stiff in (ny), by the derivatives at hand with J0 for J[0]; work: mass (nv),
// push (ny)
void fly_find_held(fly_solver *s, double h, const double *J0, double *mass, double *push, bool *held);
// What rounding of positions does to the rows of outputs (ny): the load of a very stiff joint feels it (N-rough).
void fly_find_rough(const fly_solver *s, double *rough);
// halves.c: the matrix of the iteration, in full or as two of half the size
void fly_matrix_size(fly_solver *s, fly_matrix_kind kind);
fly_status fly_matrix_build(fly_solver *s, fly_error *error); // once sized
void fly_matrix_free(fly_solver *s);
void fly_matrix_forget(fly_solver *s); // pivots
fly_lu_counts fly_matrix_count(const fly_solver *s);
long fly_matrix_entries(const fly_solver *s);    // of the factors in use
double fly_matrix_work(const fly_solver *s);     // what they cost so far, in products of two numbers
double fly_next_random(uint32_t *state);         // evenly spread over -1 ... 1, the same in every run
fly_status fly_matrix_factor(fly_solver *s);     // at the attempt, from the derivatives of s->e
bool fly_matrix_is_scaled(const fly_solver *s);  // factorized with other coefficients than its derivatives were first
bool fly_matrix_keep_whole(fly_solver *s);       // all digits of it, once renewed; false: they are there already
void fly_matrix_solve(fly_solver *s, double *b); // b (n) becomes S^-1 b
// control.c
double fly_step_first(fly_solver *s);
double fly_round_off(const fly_solver *s);                              // weighted size of a position's rounding error
double fly_error_ratio(const fly_solver *s, double estimate, double h); // <= 1: accept
double fly_split_estimate(fly_solver *s);    // without at.constrained, which it sets: those errors do not add up
bool fly_error_nothing(const fly_solver *s); // the estimate just made is less than positions are rounded by
void fly_rounding(const fly_solver *s, double *position, double *velocity); // of the largest
// An accepted step's rounding errors of positions and velocities, and the time those of velocities have left to travel.
void fly_roundings_add(fly_roundings *r, double position, double velocity, double left);
// The end of the last step as rounding and the corrector can have left it; sign: of the one beside the other.
void fly_shaken_point(fly_solver *s, double sign, fly_dae_state *out);
double fly_roundings_total(const fly_roundings *r);
// FLY_NOT_KEPT, with a message, if they hide an error of the run that was asked for.
fly_status fly_roundings_kept(const fly_roundings *r, double asked, long steps, double t, fly_error *error);
double fly_growth_ratio(const fly_solver *s, double estimate, double h);
bool fly_singular(const fly_solver *s,
                  double h);     // so near a singular position that round-off hides the error asked for
void fly_inherit(fly_solver *s); // an accepted step passes on its rounding errors
double fly_step_factor(const fly_solver *s, double ratio);
double fly_growth_limit(fly_solver *s);
double fly_weighted(const fly_solver *s, const double *v); // largest |v_i| / scale_i
// interpolate.c
// Something changes inside the last step, at t: makes the step anew so that it ends a little behind, where the family
// has less accurate points inside its steps than at their ends. True: now, and dense output, are those of that step.
bool fly_dense_shorten(fly_solver *s, double t);
void fly_dense_at(const fly_solver *s, double t, fly_point *out); // any family's
fly_dae_state fly_dense_state(double t, void *solver);            // the same, for those who look into a step
// Likewise for those who look whether something is there at all: accelerations and multipliers are less exact.
void fly_glance_at(const fly_solver *s, double t, fly_point *out);
fly_dae_state fly_glance_state(double t, void *solver);
void fly_newmark_dense(const fly_solver *s, double t, fly_point *out);
// The increment over the last step and a place of its size (nv); three: the point before its start is of the same
// motion.
void fly_hermite_dense(const fly_solver *s, double t, fly_point *out, const double *delta, double *work, bool three);
// mass.c
fly_status fly_mass_check(const fly_solver *s, fly_error *error); // that it is nowhere negative, at the start
// rows.c: for the families, a multiplier (ng) they keep and where it belongs
void fly_rows_carry(fly_solver *s, double t, const double *q, double *multiplier);
// events.c
// The value of function i at a place inside the last step.
typedef fly_status fly_along_fn(fly_solver *s, int i, double t, double *value, fly_error *error);
// Where it passes zero from fa at a to fb at b, by the Illinois rule, bisecting where that is slow: on the far side.
fly_status fly_locate(fly_solver *s, fly_along_fn *along, int i, double a, double fa, double b, double fb, double *time,
                      fly_error *error);
fly_status fly_events_begin(fly_solver *s, fly_error *error);
fly_status fly_events_check(fly_solver *s, fly_error *error);
fly_status fly_roots_at(fly_solver *s, double *out, const fly_point *at, fly_error *error);
// noise.c
double fly_root_noise(int root, double t, void *solver); // in the last step
double fly_root_room(int root, double t, fly_solver *s); // what the tolerance of the steps leaves open of it there
double fly_root_open(int root, double t, fly_solver *s); // what the error of the run does, as fast as the motion was
// grazes.c
void fly_grazes_begin(fly_solver *s);
void fly_grazes_look(fly_solver *s);                                       // before the last step is looked into
void fly_grazes_pass(fly_solver *s);                                       // at the end of a part of it
void fly_grazes_meet(fly_solver *s, int i, double t, fly_along_fn *along); // a root that is met in it
void fly_grazes_keep(fly_solver *s);                                       // of a step that stays
void fly_grazes_copy(fly_solver *s, const fly_solver *old);
bool fly_solver_graze(const fly_solver *s, fly_graze *nearest); // false: none
// edges.c
void fly_edges_begin(fly_solver *s);
fly_status fly_edges_find(fly_solver *s, fly_error *error); // those that stay at zero in the last step
void fly_edges_keep(const fly_solver *s, double *roots);    // of those the side they are on
void fly_step_cut(fly_solver *s,
                  double t); // the last step ends at t, where s->dense is: what lies behind never happened
// breaks.c: times at which a step must end
void fly_stops_begin(fly_solver *s);                         // at s->now.t, which a break there moves
double fly_stops_limit(const fly_solver *s);                 // no step goes beyond
double fly_stops_longest(fly_solver *s, double h);           // from now, at most h
fly_status fly_stops_cross(fly_solver *s, fly_error *error); // after an accepted step
void fly_stops_again(fly_solver *s);                         // the breaks to come, of a problem that has changed
void fly_stops_resume(fly_solver *s); // s->h_next is chosen: a step that was cut short says nothing about the next
// looks.c
bool fly_looks_needed(const fly_solver *s);
bool fly_looks_take(fly_solver *s); // memory; false: there is none
double fly_looks_spacing(const fly_solver *s);
double fly_looks_longest(fly_solver *s, double h); // from now, at most h
void fly_row_sizes(const fly_csc *a, double *out); // largest entry of each row, 0 where it has none
// relations.c
void fly_relations_take(fly_solver *s);                          // memory
void fly_relations_begin(fly_solver *s);                         // at a start: all come as they come
fly_status fly_relations_turn(fly_solver *s, fly_error *error);  // before a new start: those that are due
fly_status fly_relations_check(fly_solver *s, fly_error *error); // after an accepted step, which it may cut short
void fly_relations_inside(const fly_solver *s, double *from, double *to); // the last step without places of changes
void fly_relations_copy(fly_solver *s, const fly_solver *old);            // of a solver of the same relations
// leaps.c
void fly_leaps_take(fly_solver *s); // memory
void fly_leaps_begin(fly_solver *s);
void fly_leaps_note_states(fly_solver *s);                   // how fast they go back, by the derivatives last evaluated
void fly_leaps_check(fly_solver *s);                         // after an accepted step, which it may cut short
fly_status fly_events_note(fly_solver *s, fly_error *error); // before a change: how the roots are,
fly_status fly_events_again(fly_solver *s, fly_error *error);  // and behind it: which have passed zero by it
fly_status fly_events_passed(fly_solver *s, fly_error *error); // likewise behind a known break
// cross.c: what changes behind an accepted point
void fly_cross_announce(fly_solver *s, fly_effect effect);
void fly_cross_forget(fly_solver *s);                        // at a start
fly_status fly_cross_begin(fly_solver *s, fly_error *error); // the problem remembers from here on
void fly_cross_note(fly_solver *s);                          // a new start was made
fly_status fly_cross_ask(fly_solver *s, fly_error *error);   // and goes on to the end of the last step
fly_status fly_cross_over(fly_solver *s, fly_error *error);  // what is due takes place
fly_status fly_cross_last(fly_solver *s, fly_error *error);  // a run that ends at an event ends behind it
// diagnose.c: failures in words
void fly_constraint_text(const fly_eval *e, int row, char *text, size_t size);
fly_status fly_check_rank(fly_solver *s, double t, const double *q, fly_error *error);
fly_status fly_explain_singular(fly_solver *s, double t, const double *q, fly_error *error);
fly_status fly_explain_callback(const fly_solver *s, double t, fly_error *error);
void fly_explain_missing(const fly_solver *s, fly_error *error); // which callbacks differences stand for, if any
fly_status fly_explain_failure(fly_solver *s, fly_outcome why, bool error_test, double h, fly_error *error);
// save.c: what a state belongs to; the same for solvers of the same problem and options
uint64_t fly_solver_fingerprint(const fly_solver *s);
// advice.c: which other methods get further from here; they are tried
void fly_advise(const fly_solver *s, fly_error *error);

// The error that verdicts are about: steps may be controlled to another (promise.c).
static inline double fly_error_asked(const fly_solver *s) {
  return s->o.error_asked > 0 ? s->o.error_asked : s->o.error;
}
static inline fly_dae_state fly_point_state(const fly_point *p) {
  return (fly_dae_state){p->t, p->q, p->v, p->vdot, p->lambda, p->x, p->xdot, p->y, NULL};
}
void fly_point_copy(fly_point *to, const fly_point *from, const fly_eval *e);
fly_status fly_solver_restart(fly_solver *s, fly_error *error); // from s->now.{t,q,v,x}

#endif
