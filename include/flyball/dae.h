// The mechanical DAE as callbacks, and the Newmark family that integrates it.
//
//   M(q,t) v' + G(q,t)^T lambda_g + B(q,t)^T lambda_b = f(q,v,t, x,x',y,lambda)   equations of motion (nv)
//   g(q,t) = 0                          holonomic constraints, G = dg/dq           (ng)
//   B(q,t) v + b(q,t) = 0               nonholonomic constraints                   (nb)
//   d(x',x,q,v,v',lambda,y,t) = 0       first-order states                         (nx)
//   y - h(q,v,v',lambda,x,x',y,t) = 0   outputs                                    (ny)
//
// lambda = (lambda_g, lambda_b), length ng + nb. The library forms M v', G^T lambda and B^T lambda itself.
// Positions live on a manifold: plain numbers, and rotations stored as unit quaternions (w,x,y,z) of the turn from
// body to space, moved by q (+) theta = q * exp(theta) with theta a rotation vector in body axes; the velocity of a
// rotation is the angular velocity in body axes. "Derivative with respect to q" always means with respect to the
// nv increments of q (+) delta at delta = 0.
//
// A minimal problem needs mass, force and, with constraints, constraint. Every derivative that is NULL is filled in by
// coloured differences.
#ifndef FLYBALL_DAE_H
#define FLYBALL_DAE_H

#include <stdbool.h>
#include <stddef.h>

#include "flyball/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------- the problem

// Where a matrix has entries: compressed columns, row indices ascending in each column. start == NULL means dense:
// the values are then an array [rows*cols], column by column. Patterns are copied.
typedef struct fly_pattern {
  const int *start; // first entry of each column (cols + 1), or NULL for dense
  const int *row;   // row of each entry (start[cols])
} fly_pattern;

// One point of the motion, as callbacks see it.
typedef struct fly_dae_state {
  double t;             // time [s]
  const double *q;      // positions (nq)
  const double *v;      // velocities (nv)
  const double *vdot;   // accelerations v' (nv)
  const double *lambda; // multipliers: holonomic (ng), then nonholonomic (nb)
  const double *x;      // first-order states (nx)
  const double *xdot;   // their derivatives (nx)
  const double *y;      // outputs (ny)
  // Of each relation in the equations (fly_dae_problem.relations) the side on which it is held, +1 or -1; 0: as it
  // comes. NULL: all of them (nrelation)
  const signed char *side;
} fly_dae_state;

// Callbacks return 0, or > 0 "not here, try a smaller step", or < 0 "stop the run". Output first, user data last.
// Matrix callbacks write every value of their pattern: arrays come in zeroed.
typedef int fly_mass_fn(double *M, double t, const double *q, void *user);
typedef int fly_force_fn(double *f, const fly_dae_state *s, void *user); // f: do not read s->vdot, use an output y
typedef int fly_states_fn(double *d, const fly_dae_state *s, void *user);
typedef int fly_outputs_fn(double *h, const fly_dae_state *s, void *user);                        // h, not y - h
typedef int fly_position_fn(double *out, double t, const double *q, void *user);                  // g, G, g_t, B, b
typedef int fly_velocity_fn(double *out, double t, const double *q, const double *v, void *user); // gamma and d(Gv)/dq

// clang-format off
// Derivatives of the rows (M v' + G^T lambda_g + B^T lambda_b - f, nv), (d, nx), (y - h, ny), in columns
// (nv, ng + nb, nx, ny). All three arrays share `jacobian_pattern`:
//   J0: with respect to (v', lambda, x', y), without M, G^T, B^T and the 1 of y - h, which the library adds;
//   J1: with respect to (v, -, x, -);
//   J2: with respect to (q, -, -, -), including d(M v' + G^T lambda_g + B^T lambda_b)/dq at fixed v', lambda.
// So the first nv rows hold -df/d(...); the last ny rows hold -dh/d(...).
// clang-format on
typedef int fly_jacobian_fn(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user);

// Derivatives for Newton's iteration alone, in fewer entries: J0 about L0, and in the rows of motion and the columns of
// velocities
//
//   J1 about L1 + U^T W1,   J2 about L2 + U^T W2
//
// where many velocities feel each other through a few loads only: W says how a load changes with v and with q, U how it
// acts on each velocity. What is so small beside others that the iteration converges without it may be left out.
typedef struct fly_lean_values {
  double *L[3]; // as J0, J1, J2, in the pattern `rest`
  double *U;    // in the pattern `arms`
  double *W[2]; // with respect to v and q, in the pattern `answers`
} fly_lean_values;
typedef int fly_lean_fn(const fly_lean_values *out, const fly_dae_state *s, void *user);

// How G v' + gamma (ng), then B v' + gamma (nb), change at fixed v' along a move dq of the positions (q (+) dq) and a
// change dv of the velocities (nv each). No step needs it: linearized motions do.
typedef int fly_bend_fn(double *out, const fly_dae_state *s, const double *dq, const double *dv, void *user);

// Root functions, watched for sign changes.
typedef int fly_root_fn(double *roots, const fly_dae_state *s, void *user);

// Relations inside the equations, as x > gap in a force that then jumps or has a kink: how far each is inside its side
// +1, below 0: inside its side -1; exactly 0: on neither; NAN: at this state nothing depends on it. Within a step
// force, states, outputs, jacobian and this callback go on smoothly with the sides in s->side, also where the relation
// itself has changed: where it does is located inside the step, which ends there, and the next begins on the other
// side.
typedef int fly_relations_fn(double *margin, const fly_dae_state *s, void *user);

typedef enum fly_event_action {
  FLY_EVENT_CONTINUE, // note it and go on; q, v, x unchanged
  FLY_EVENT_RESTART,  // q, v or x were changed, or the forces jump: the next step starts again from here
  FLY_EVENT_STOP      // end the run here
} fly_event_action;

// Called at a located root. May change q, v and x. rising: +1 the root function grows through zero, -1 it falls.
typedef fly_event_action fly_event_fn(int root, int rising, double t, double *q, double *v, double *x, void *user);

// What happens to the equations behind an accepted point, from mild to severe.
typedef enum fly_effect {
  FLY_EFFECT_REFUSED = -1, // what the problem remembers cannot follow this step: the run ends
  FLY_EFFECT_NOTHING,      // they go on as they were
  FLY_EFFECT_SMOOTH,       // numbers in them change, but accelerations and their slopes go on: nothing is lost
  FLY_EFFECT_JUMP,         // forces jump, accelerations and multipliers with them: positions and velocities are kept
  FLY_EFFECT_IMPULSE       // velocities jump, or rows come: they are moved onto the constraints by the smallest change
} fly_effect;

struct fly_step_taken;
struct fly_dae_problem;

// What the problem remembers of the motion is brought up to an accepted point: the start (step NULL), then the end of
// every step, also of one that an event or a break of time has ended; and once more (step of no length, the answer does
// not count) behind a jump. Nothing in the equations may change yet, so that
// the step can still be looked into: the answer announces what will, before the next step, by `cross`.
typedef fly_effect fly_accepted_fn(const fly_dae_state *at, const struct fly_step_taken *step, void *user);

// What `accepted` or `event` announced takes place. q, v and x may be changed, as in an event. Rows may come and go
// (ng, nb), and entries of all patterns, but not those of the mass: the solver's copy of the problem is written anew
// then. With FLY_CROSSED_ROWS there may be more states x and relations behind those there were; such states begin at 0.
typedef enum fly_crossed {
  FLY_CROSSED_REFUSED = -1, // it cannot take place: the run ends
  FLY_CROSSED,              // patterns are as they were
  FLY_CROSSED_PATTERNS,     // and here they are not; rows are the same ones, unless there are more or less of them
  FLY_CROSSED_ROWS          // other rows are there, perhaps as many as before
} fly_crossed;
typedef fly_crossed fly_cross_fn(struct fly_dae_problem *problem, double t, double *q, double *v, double *x,
                                 void *user);

// Total energy [J], for the certificate.
typedef int fly_energy_fn(double *energy, double t, const double *q, const double *v, void *user);

// What is not smooth in time, from mild to severe. A step ends at every one of them and another begins behind it.
typedef enum fly_break_kind {
  FLY_BREAK_SOFT,   // a second or higher derivative of a force jumps
  FLY_BREAK_KINK,   // the slope of a force jumps
  FLY_BREAK_BEND,   // the slope of the acceleration of a constraint that moves jumps
  FLY_BREAK_JUMP,   // a force jumps, and accelerations and multipliers with it
  FLY_BREAK_CURVE,  // the acceleration of a constraint that moves jumps, and so do they
  FLY_BREAK_CORNER, // its velocity jumps: velocities follow by the smallest change, as a blow would do it
  FLY_BREAK_TEAR    // its position jumps, which no motion can follow: the run ends there
} fly_break_kind;

// Everything is smooth up to `before` and again from `after` on; what lies between, a few roundings of the time, is
// never evaluated, so that each side is seen with its own values.
typedef struct fly_break {
  double before, after; // [s]
  fly_break_kind kind;
} fly_break;

// The first break with after > t and before < end, if there is one. Asked again when it is passed.
typedef bool fly_break_fn(fly_break *next, double t, double end, void *user);

// The longest step from t, at most h, over which no dependence on time can hide between the ends; no break lies inside.
typedef double fly_longest_fn(double t, double h, void *user);

// A step that was taken and may still be taken back.
typedef struct fly_step_taken {
  double from, to;       // [s]
  const double *impulse; // of each velocity: a force over a time, less than this does not matter (nv)
  fly_dae_state (*at)(double t, void *motion); // the motion inside it, until the next call
  void *motion;
  const double *change; // of each first-order state: a rate over a time, less than this does not matter (nx)
  // Likewise, with accelerations and multipliers from the equations, at the price of a solution; NULL: they are so.
  fly_dae_state (*exact)(double t, void *motion);
} fly_step_taken;

// The first place in a step where a force that feels the motion does what the ends of the step do not tell of, as a
// contact that begins and ends inside it. All is as they tell up to `from`; a step of `length` [s] from there meets it.
typedef struct fly_leap {
  double from, length;
  bool found;
  bool unsure; // the search was given up before the end of the step
  bool corner; // found: a force has a corner at `from`, where the step ends; the next may be as long as any
} fly_leap;
typedef void fly_leap_fn(fly_leap *first, const fly_step_taken *step, void *user); // first comes in zeroed

// The first time in a step at which a root is seen on the other side of zero than at its start, be it for a moment
// only; before: the roots there, of which the signs count, 0: not to be watched (nroot). Asked again from that time on.
typedef struct fly_sighting {
  double t;           // comes in as INFINITY: none is
  bool unsure;        // the search was given up before the end of the step
  bool all;           // every root is watched: they need not be looked at elsewhere in the step
  const double *open; // nearer to zero than this nobody can tell whether a root gets there (nroot)
  double *nearest;    // how near each comes on its side, where that is nearer: comes in as INFINITY (nroot)
} fly_sighting;
typedef double fly_noise_fn(int root, double t, void *motion); // of a root, at t: beyond zero by less is nothing
typedef void fly_watch_fn(fly_sighting *first, const fly_step_taken *step, const double *before, fly_noise_fn *noise,
                          void *user);

// Name of a constraint row (0 .. ng+nb-1) for messages, written into text.
typedef void fly_row_name_fn(char *text, size_t size, int row, void *user);

typedef struct fly_lean {
  int nload;
  fly_pattern rest;    // of L: (nv+nx+ny) x (nv+ng+nb+nx+ny)
  fly_pattern arms;    // of U: nload x nv
  fly_pattern answers; // of W: nload x nv
  fly_lean_fn *jacobian;
} fly_lean;

// A mechanism without loops: every row belongs to a joint, and nothing but joints holds bodies. Where bodies are, and
// how they accelerate, then follows joint after joint, without equations.
typedef int fly_put_back_fn(double *q, double *v, void *user);
// lost: what rounding does to accelerations, the largest, over that of a 1 [m/s^2, rad/s^2]. Both NULL: nobody asks.
typedef int fly_accelerate_fn(double *vdot, double *lambda, double *lost, const double *q, const double *v,
                              const double *f, void *user);
typedef struct fly_joint_tree {
  const bool *own; // velocities that a joint leaves free: their errors add up, those of others are put back (nv)
  fly_put_back_fn *put_back;     // q and v onto g = 0 and G v = 0; what a joint leaves free stays
  fly_accelerate_fn *accelerate; // M v' + G^T lambda = f, G v' + gamma = 0 for a place there
} fly_joint_tree;

typedef struct fly_dae_problem {
  const char *name;
  int nq, nv;             // stored position numbers and degrees of freedom before constraints; nq = nv + nrotation
  int ng, nb;             // holonomic and nonholonomic rows
  int nx, ny;             // first-order states and outputs
  int nroot;              // root functions
  int nrelation;          // relations inside the equations
  int nfirm;              // the last so many of them are located however smooth the equations are there,
  const bool *firm_jumps; // unless they are many: where the equations themselves jump (nfirm); NULL: everywhere

  int nrotation;         // rotations among the positions
  const int *rotation_q; // first of the 4 quaternion numbers of each in q (nrotation), ascending
  const int *rotation_v; // first of its 3 velocities in v (nrotation), ascending
                         // the other positions and velocities pair off in order

  fly_pattern mass_pattern;         // nv x nv
  fly_pattern constraint_pattern;   // ng x nv: coordinates on which each g depends (so of G and of d(Gv+g_t)/dq)
  fly_pattern nonholonomic_pattern; // nb x nv: of B and of d(Bv+b)/dq together
  fly_pattern jacobian_pattern;     // (nv+nx+ny) x (nv+ng+nb+nx+ny)
  const struct fly_lean *lean;      // what Newton's iteration may take in its place; NULL: it takes that

  bool mass_constant;  // M never changes: it is evaluated once
  bool rates_constant; // J0 never changes, as where forces feel neither v' nor lambda: likewise
  bool rows_written;   // constraint_jacobian writes every value of its pattern: they need not be zero before it

  fly_mass_fn *mass;   // required
  fly_force_fn *force; // required
  fly_states_fn *states;
  fly_outputs_fn *outputs;

  fly_position_fn *constraint;                   // g (ng)
  fly_position_fn *constraint_jacobian;          // G
  fly_position_fn *constraint_rate;              // g_t = dg/dt at fixed q (ng)
  fly_velocity_fn *constraint_gamma;             // gamma in g'' = G v' + gamma (ng)
  fly_velocity_fn *constraint_velocity_jacobian; // d(G v + g_t)/dq, in the pattern of G

  fly_position_fn *nonholonomic;                   // B
  fly_position_fn *nonholonomic_rate;              // b (nb); NULL: zero
  fly_velocity_fn *nonholonomic_gamma;             // gamma in (B v + b)' = B v' + gamma (nb)
  fly_velocity_fn *nonholonomic_velocity_jacobian; // d(B v + b)/dq, in nonholonomic_pattern

  fly_jacobian_fn *jacobian;
  fly_root_fn *roots;
  fly_event_fn *event;         // NULL: roots are located and counted, the run goes on
  fly_accepted_fn *accepted;   // NULL: nothing is remembered
  fly_cross_fn *cross;         // NULL: nothing else changes at events
  fly_relations_fn *relations; // required if there are some

  // What the problem knows of its own dependence on time. With both NULL and autonomous false it is looked at between
  // the ends of long steps (fly_dae_options.look).
  bool autonomous;              // time appears nowhere
  fly_break_fn *next_break;     // NULL: it has none
  fly_longest_fn *longest_step; // NULL: nothing is known
  fly_leap_fn *leap;            // asked after every step whose size follows the error; NULL: nothing lies in wait
  fly_energy_fn *energy;
  fly_row_name_fn *row_name;

  const double *scale_v; // size of each position increment for error control, in its unit (nv); NULL: all 1
  const double *scale_x; // size of each first-order state (nx); NULL: all 1

  void *user;

  fly_bend_fn *bend;   // NULL: by differences
  fly_watch_fn *watch; // NULL: roots are looked at in some places of a step, and may pass zero twice between two

  const int *group_v; // velocities of one body: the same number, never less than the one before (nv); NULL: not told.
                      // Nothing but speed depends on it

  // What method auto cannot tell from the sizes above: operations of the expressions in an evaluation, and of those
  // that `leap` follows along an accepted step. Nothing but the choice of methods depends on them.
  double evaluation_operations, leap_operations;

  const fly_joint_tree *tree; // NULL: there are loops, or it is not told. Nothing but speed depends on it
} fly_dae_problem;

// Compares a problem's derivatives with differences at one state (rotations: at that quaternion).
typedef struct fly_derivative_check {
  double worst;    // largest |given - difference| / (1 + |difference|) over all callbacks that are given
  char where[160]; // "jacobian, J1: row 3, column 2 is 1.5, differences give 1.25"
} fly_derivative_check;
fly_status fly_dae_check(fly_derivative_check *check, const fly_dae_problem *problem, const fly_dae_state *state,
                         fly_error *error);

// ---------------------------------------------------------------------------------------------- the methods

// q1 = q0 (+) (h v0 + h^2 (1/2-beta) a0 + h^2 beta a1),  v1 = v0 + h (1-gamma) a0 + h gamma a1,
// (1-alpha_m) a1 + alpha_m a0 = (1-alpha_f) v1' + alpha_f v0'
typedef struct fly_newmark {
  double alpha_m, alpha_f, beta, gamma;
} fly_newmark;

// x1 = x0 + h (1-theta) w0 + h theta w1,  (1-delta_m) w1 + delta_m w0 = (1-delta_f) x1' + delta_f x0'
typedef struct fly_theta {
  double delta_m, delta_f, theta;
} fly_theta;

// What a method is asked for by name. NAN: not given.
typedef struct fly_method_request {
  const char *name; // trapezoid, newmark, hht, wbz, ch, gen, custom; of other families: fly_dae_options_method
  double rho, alpha, gamma, phi0, alpha_m, alpha_f, beta;
  double constraint; // hybrid
  double z0;         // lobatto-acd
  double stages;     // radau: 3 or 5
} fly_method_request;

fly_method_request fly_method_request_default(void); // "ch", everything NAN
// Turns a request into parameters, for positions and for first-order states. Says what is out of range. Unstable custom
// or Newmark parameters are refused, but written all the same, so that fly_newmark_stability can be asked about them.
fly_status fly_method_make(fly_newmark *method, fly_theta *states, const fly_method_request *request, fly_error *error);

// Linear analysis on q'' + omega^2 q = 0, z = h omega.
typedef struct fly_stability {
  int order;                 // 1 or 2 (3 possible for custom parameters); 0: not consistent
  double spurious_zero;      // |root| beside the double 1 at z = 0
  double rho_infinity;       // spectral radius at z = infinity
  bool zero_stable;          // alpha_m <= 1/2, or alpha_m = alpha_f
  bool stable_at_infinity;   // alpha_f <= 1/2, gamma >= 1/2, beta >= gamma/2
  bool strictly_at_infinity; // the same with <, >
  bool unconditional;        // and gamma >= 1/2 - alpha_m + alpha_f
  char violated[512];        // the violated conditions in words; empty if none
} fly_stability;
fly_stability fly_newmark_stability(const fly_newmark *method);
// Roots of the amplification matrix at z (may be INFINITY): real and imaginary parts; returns the spectral radius.
double fly_newmark_roots(double real[3], double imag[3], const fly_newmark *method, double z);

// Damped methods of second order beside the Newmark family (FAMILY Remark 4.22), on y' = f(y), y = (q, v, x):
//   Y_i = y0 + u (y_-1 - y0) + h (w0 y0' + w1 y_-1') + h sum_j a_ij Y_j',  y1 = y0 + h sum_j b_j Y_j'; of one stage Y_1
// Two stages: Runge-Kutta methods, u = w0 = w1 = 0. One: two-step methods, from the point before.
enum { FLY_TABLEAU_STAGES = 2 };
typedef struct fly_tableau {
  int stages;
  double a[FLY_TABLEAU_STAGES][FLY_TABLEAU_STAGES], b[FLY_TABLEAU_STAGES], c[FLY_TABLEAU_STAGES];
  double u, w0, w1;
} fly_tableau;

// sdirk (rho), lobatto-cd (rho), lobatto-acd (rho, z0: there the amplification is (1 + rho)/2), bdf-alpha (rho),
// ch-first (rho: generalized-alpha of the whole system in first-order form).
fly_status fly_tableau_make(fly_tableau *tableau, const fly_method_request *request, fly_error *error);
// On q'' + omega^2 q = 0, z = h omega (may be INFINITY): the roots, the principal one first; returns its modulus.
double fly_tableau_roots(double real[2], double imag[2], const fly_tableau *tableau, double z);

// Methods beside the Newmark family.
typedef enum fly_method_family {
  FLY_FAMILY_NEWMARK,
  FLY_FAMILY_DIRECT,    // the index-1 equations as an ODE, by Adams' formulas: constraints drift
  FLY_FAMILY_BAUMGARTE, // the same with the drift fed back
  FLY_FAMILY_PARTITION, // independent coordinates as an ODE, dependent ones from the constraints
  FLY_FAMILY_HYBRID,    // both: all coordinates integrated, put back when they leave the constraints
  FLY_FAMILY_RADAU,     // Radau IIA of order 5 or 9, stabilized index 2
  FLY_FAMILY_BDF,       // IDA's backward differences
  FLY_FAMILY_TABLEAU,   // damped methods of second order by a tableau, fixed steps: index 2 or none
  FLY_FAMILY_AUTO       // partition, radau or newmark (ch), chosen and changed while it runs
} fly_method_family;

typedef enum fly_form {
  FLY_FORM_ACCELERATION,    // equilibrium at t1 exactly (default)
  FLY_FORM_RESIDUAL,        // HHT (11a) with M at q0 (+) (1-alpha_f) h v0: second order for any M(q); alpha_m = 0 only
  FLY_FORM_RESIDUAL_PRINTED // HHT (11a) as printed, M at q1: first order when M depends on q
} fly_form;
typedef enum fly_formulation {
  FLY_INDEX3, // positions on their constraints
  FLY_INDEX2, // velocities
  FLY_GGL,    // both
  FLY_INDEX1  // accelerations: bdf only, the state-space methods have it built in
} fly_formulation;
typedef enum fly_step_change { FLY_CHANGE_SHIFT, FLY_CHANGE_GAMMA, FLY_CHANGE_NONE } fly_step_change;
typedef enum fly_start { FLY_START_CORRECTED, FLY_START_PLAIN } fly_start;
typedef enum fly_error_per { FLY_PER_RUN, FLY_PER_STEP } fly_error_per;

typedef struct fly_dae_options {
  fly_method_family family;
  double baumgarte_alpha, baumgarte_beta; // [1/s], of baumgarte and hybrid; 0: chosen
  int stages;                             // radau: 3 (order 5) or 5 (order 9); 0: 3; auto: 0: it chooses
  double constraint_error; // hybrid: |g| beyond which it is put back, in its units; 0: error times the smallest scale

  fly_newmark method; // default CH(0.6)
  fly_theta states;
  fly_tableau tableau; // of FLY_FAMILY_TABLEAU
  fly_form form;
  fly_formulation formulation;
  fly_step_change step_change;
  fly_start start;
  // Newmark family, plain start: v' and a of the first step (nv) in place of what the equations give, as averages over
  // an oscillation that no step resolves; NULL: as they give it. Read at the start.
  const double *start_vdot, *start_a;

  double step;            // > 0: fixed step [s]; 0: the step follows the error
  const double *sequence; // fixed steps: fractions of `step`, taken in turn (nsequence), or NULL; copied
  int nsequence;

  double error;            // tolerance, in units of scale_v and scale_x (largest weighted component)
  double error_asked;      // what the verdict at the end is about, if steps are controlled to another; 0: error
  fly_error_per error_per; // per run: estimate <= error * h / (end - start); per step: estimate <= error
  double step_initial;     // first step [s]; 0: chosen
  double step_min;         // [s]; 0: 1e-11 of the largest step so far
  double step_max;         // [s]; 0: a tenth of the interval
  long max_steps;          // accepted and rejected together; 0: no limit
  double look;             // adaptive runs of problems that say nothing of their dependence on time: they are looked at
                           // at least so often [s]; 0: a two thousandth of the interval

  double newton_factor; // corrector tolerance relative to the error of a step
  int newton_max;       // iterations before a step counts as failed
  int predictor_degree; // highest degree of extrapolation, 0 to 3
} fly_dae_options;

fly_dae_options fly_dae_options_default(void);
// Family and parameters of any method by its name: those of fly_method_make, direct, baumgarte (alpha, beta),
// partition, hybrid (alpha, beta, constraint), radau (stages), bdf (whose error is that of each step), those of
// fly_tableau_make, auto. With a fixed step, or another formulation than ggl, auto is ch.
fly_status fly_dae_options_method(fly_dae_options *o, const fly_method_request *request, fly_error *error);
// Who is meant where no method is named, or auto: auto, or the one that a parameter given belongs to (rho: ch, phi0:
// gen, alpha_m: custom, constraint: hybrid, stages: radau), or that has the formulation (index1: bdf, others than ggl:
// ch); or ch where newmark_only names another option given that only the Newmark family has, as a fixed step (NULL:
// none). because, if not NULL: the option that decided; NULL where none did.
const char *fly_method_meant(const fly_method_request *request, fly_formulation formulation, const char *newmark_only,
                             const char **because);

// ---------------------------------------------------------------------------------------------- the solver

typedef struct fly_stats {
  long steps;             // accepted
  long rejected_error;    // by the error test
  long rejected_newton;   // by the corrector, for whatever reason
  long rejected_callback; // of them because a callback refused the state or gave NaN
  long rejected_singular; // of them because the matrix was singular
  long cut_steps;         // fixed-step runs: steps that had to be divided
  long newton_iterations; // linear solves inside the corrector
  long residuals;         // evaluations of the equations
  long jacobians;         // evaluations of the derivatives
  long factorizations;    // with new pivots
  long refactorizations;  // with kept pivots
  long factor_entries;    // of the triangular factors a correction is solved with
  long solves;
  long kkt_solves; // of them for accelerations, projections and shifts
  long shifts;     // starts and changes of step that were corrected
  long line_searches;
  long singular_steps;  // accepted so near a singular position that round-off hides the error asked for
  long round_off_steps; // index 3: accepted steps whose v' and lambda had to be freed from round-off
  long corrections;     // partition, hybrid: times the dependent coordinates were put back onto the constraints
  long repartitions;    // likewise: choices of independent coordinates after the first
  long stiff_steps;     // state-space methods: accepted steps whose size stability limits, not the error
  int order_highest;    // state-space methods: of the formulas used
  long events;
  long relations;      // relations of the equations that changed sides
  long breaks;         // of time: passed
  long restarts;       // of them: begun anew, because accelerations jump
  long corners;        // of them: velocities jumped
  long looks;          // at what depends on time, between the ends of steps
  long surprises;      // steps that were made shorter for what was seen there
  long leaps;          // steps that were cut short because they leapt over what a force does on the way
  long switches;       // method auto: changes from one of its methods to another
  long unsure;         // steps that could not be searched for that to their end
  double h_min, h_max; // accepted steps [s]
  double work;         // counted, in products with an entry of triangular factors: what a run costs without a clock;
                       // 0 for bdf
  double wall_s;       // seconds in the solver
} fly_stats;
// All of them one by one, for lists and files: the name of the field and its value, and whether it counts (a whole
// number); NULL behind the last.
const char *fly_stats_field(const fly_stats *s, int k, double *value, bool *counts);

typedef enum fly_time_known {
  FLY_TIME_AUTONOMOUS, // nothing depends on time, or only along straight lines
  FLY_TIME_BOUNDED,    // steps ended at every break, and none was longer than nothing can hide in
  FLY_TIME_FIXED,      // the same with steps of a given size, which were cut at breaks only
  FLY_TIME_LOOKED,     // it was looked at now and then: a pulse shorter than look_gap may have been missed
  FLY_TIME_UNKNOWN     // likewise at the ends of fixed steps only
} fly_time_known;

// The largest residuals over all accepted steps, in the units of the constraints.
typedef struct fly_certificate {
  double position;     // |g|
  double velocity;     // |G v + g_t|, |B v + b| of the reported velocity
  double acceleration; // |G v' + gamma| of the reported acceleration
  double energy_start; // [J]; NAN if the problem has no energy
  double energy_drift; // largest |E - E(start)| [J]; NAN likewise
  double estimate;     // adaptive runs: sum of the error estimates of the accepted steps, in the units of `error`
  double singular;     // the same sum over steps near singular positions, where estimates are mostly round-off
  fly_time_known time; // how the dependence on time was followed,
  double look_gap;     // and the widest stretch of time that was not looked at [s]; 0: nothing can have hidden
  double start_position, start_velocity; // how far the given start was moved to fit the constraints (weighted)
} fly_certificate;

// The last accepted step: for those who keep a diary of a run. Zero before the first.
typedef struct fly_step_record {
  double t, h;         // its end and its size [s]
  double estimate;     // of its error, in the units of `error`
  double ratio;        // the estimate over what the error test allows, at most 1; NAN: the step is fixed
  double position;     // residuals of the constraints at its end, as in the certificate
  double velocity;     //
  double acceleration; //
  bool broken;         // a break of time ended it, behind which the motion has begun anew:
  double before;       // the step itself ended there [s]
} fly_step_record;

typedef struct fly_solver fly_solver;

// Takes all memory a run needs. The problem struct is copied; what it points to (scales, user) is not and must live on.
fly_status fly_solver_create(fly_solver **out, const fly_dae_problem *problem, const fly_dae_options *options,
                             fly_error *error);
void fly_solver_free(fly_solver *s); // NULL is fine

// Accelerations, multipliers, x' and y of a start are found by Newton's iteration from zero. Where their equations have
// several solutions, or are not solved from there, it begins with vdot, lambda, xdot and y of `guess` instead (NULL
// arrays: zero); copied, for all starts to come. NULL: from zero again.
void fly_solver_guess(fly_solver *s, const fly_dae_state *guess);
// Makes the start consistent (positions, velocities, accelerations, multipliers) and prepares the first step. x0 may be
// NULL if nx is 0. The end time gives `error per run` its meaning and is where the run will stop.
fly_status fly_solver_start(fly_solver *s, double t0, double t_end, const double *q0, const double *v0,
                            const double *x0, fly_error *error);
// One accepted step. FLY_OK also at the end time: see fly_solver_done.
fly_status fly_solver_step(fly_solver *s, fly_error *error);
// Steps until time t is inside the last step, or the end. A failure leaves the last accepted step intact.
fly_status fly_solver_advance(fly_solver *s, double t, fly_error *error);
// What an event or `accepted` announced at the end of the last step takes place now, and not first in the next step:
// fly_solver_state is that behind it then, and the step before cannot be interpolated any more where rows have changed.
fly_status fly_solver_cross(fly_solver *s, fly_error *error);
bool fly_solver_crosses(const fly_solver *s); // something is due
// The caller has changed the problem at the last accepted point: it has this effect, in the next step.
fly_status fly_solver_changed(fly_solver *s, fly_effect effect, fly_error *error);
// Adaptive runs: no step goes beyond t, and one ends there exactly; nothing is begun anew. Holds until t is reached or
// another time is named; INFINITY takes it back.
fly_status fly_solver_stop_at(fly_solver *s, double t, fly_error *error);
bool fly_solver_done(const fly_solver *s); // end time reached, or stopped by an event

// The last accepted point, as reported: with shift and corrected start the velocity is without the offset of index 3.
// Pointers stay valid, contents change.
fly_dae_state fly_solver_state(const fly_solver *s);
// The point at t inside the last accepted step. The arrays belong to the solver, contents until the next call.
fly_status fly_solver_interpolate(fly_solver *s, double t, fly_dae_state *state, fly_error *error);
// All that the solver goes on from, as bytes: the caller's to free. To save changes nothing, and what is restored goes
// on to the same bits; also in another solver of the same problem with the same options, started or not, in another
// thread or in another run of a program with the same version of the library on the same kind of machine. Bytes that
// are damaged, or of another problem, method, option or version, are refused, and nothing has changed. What callbacks
// keep for themselves behind `user` is theirs to save. Method bdf cannot.
fly_status fly_solver_save(fly_solver *s, void **bytes, size_t *size, fly_error *error);
fly_status fly_solver_restore(fly_solver *s, const void *bytes, size_t size, fly_error *error);
fly_status fly_solver_copy(fly_solver *to, fly_solver *from, fly_error *error); // both
// Methods partition and hybrid: numbers of the velocities that are independent now, written to velocity (nv at most;
// NULL: not wanted), and how many they are. Other methods: all.
int fly_solver_independent(const fly_solver *s, int *velocity);

// Method auto: a part of the run that one of its methods integrated, and why that one.
typedef enum fly_reason {
  FLY_REASON_START,      // the model has nothing that is fast beside its motion
  FLY_REASON_RATES,      // it has from the start: stability would ask an explicit method for too many steps
  FLY_REASON_STIFF,      // stability limited the steps of the one before, not the error
  FLY_REASON_ROUGH,      // breaks, events or rejections kept its order low
  FLY_REASON_TINY,       // its steps had become so small that it got nowhere
  FLY_REASON_SMOOTH,     // an explicit method is cheaper again
  FLY_REASON_PLAIN,      // cheap steps of second order are enough
  FLY_REASON_DEARER,     // these have been taken for a while, or have become dearer: another is tried again
  FLY_REASON_NOT_BETTER, // the other was tried and took more work for the same time
  FLY_REASON_FAILED,     // the one before it failed
  FLY_REASON_DRIVEN,     // nothing is free: constraints and motions say all
  FLY_REASON_REST,       // nothing moves at the start
  FLY_REASON_FAINT,      // round-off kept the order of the one before low, in short steps
  FLY_REASON_REFUSED,    // steps of the one before were rejected again and again, whatever for; the share of them
  FLY_REASON_COSTLY,     // they had become dearer than those of an implicit method had been
  FLY_REASON_BESIDE      // something much faster than the motion limited them, at high orders
} fly_reason;
typedef struct fly_stretch {
  fly_method_family family;
  fly_reason reason;
  const char *method; // its name
  double from, to;    // [s]
  long steps;         // accepted
  double work;        // counted, in units of one product with an entry of factors
  double measure;     // of the reason, as its sentence has it
} fly_stretch;
enum { FLY_STRETCHES_MOST = 256 }; // that a solver keeps; of the last place: the latest
// How many there were, with the one at hand; the first `most` of them (of the last place: the latest) are written to
// list, unless that is NULL. Other methods: 0.
int fly_solver_stretches(const fly_solver *s, fly_stretch *list, int most);
// The reason in words, with its measure: "stiff: stability allows Adams' formulas a 40th of the step".
void fly_stretch_reason(char *text, size_t size, const fly_stretch *stretch);
double fly_solver_last_step(const fly_solver *s); // size of the last accepted step [s], 0 before the first
fly_step_record fly_solver_step_record(const fly_solver *s);

fly_stats fly_solver_stats(const fly_solver *s);
fly_certificate fly_solver_certificate(const fly_solver *s);

// 2-norm condition number of the matrix of a step of size h at the present state; scaled: as it is factorized (rows
// over beta h^2 and gamma h, then equilibrated), or as the equations stand. Dense: for small problems.
fly_status fly_solver_condition(fly_solver *s, double h, bool scaled, double *condition, fly_error *error);

#ifdef __cplusplus
}
#endif
#endif
