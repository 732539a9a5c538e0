// A model as a DAE: patterns once, then mass, constraints, forces and their derivatives, element kind by element kind.
#ifndef FLY_SYSTEM_SYSTEM_H
#define FLY_SYSTEM_SYSTEM_H

#include "base/image.h"
#include "base/memory.h"
#include "element/contact.h"
#include "flyball/dae.h"
#include "math/grid.h"
#include "model/model.h"
#include "sparse/sparse.h"
#include "system/motion.h"

// An angle whose turns count, at the last two accepted points. This tells on which turn it is between them and a step
// later (turns.c).
typedef struct fly_turn {
  double angle, rate;     // at the last
  double from, from_rate; // at the one before
} fly_turn;

// Which angle that is.
typedef enum fly_angle_kind {
  FLY_ANGLE_OF_TERM,
  FLY_ANGLE_OF_FORCE,
  FLY_ANGLE_OF_MEASURE,
  FLY_ANGLE_OF_JOINT
} fly_angle_kind;
typedef struct fly_angle {
  fly_angle_kind kind;
  int which; // term, force, measure; of a joint: its pair
  bool felt; // by a force or a constraint: a step has relied on its count
} fly_angle;

// One expression that a force or a motion is made of, as a function of time: where it breaks next, and a stretch of
// time on which it holds no surprise.
typedef struct fly_timed {
  const fly_expr *expression;
  int level;               // derivative of a position that it gives: 0, 1, 2 of motions; -1: a force
  fly_expr_break *next;    // of each of its sources, as far as known; after is -INFINITY where it is not
  double *asked;           // from when on that is the next
  double *floor;           // of each of its parts: what is nothing beside it
  double plain_a, plain_b; // the stretch, and
  double ahead_b;          // another one behind it, plain_b to ahead_b
} fly_timed;

// A term of a force that can be nothing, or the same, but in a short stretch of the motion (leaps.c).
typedef struct fly_lurking {
  const fly_expr *expression;
  int place;   // in it
  int applied; // the force; -1: the rate of a state,
  int state;   // this one; -1: a row of a variable,
  int row;     // of this number (weights.c)
  bool late;   // it reads a delay, in which anything may be
} fly_lurking;

// The size of a vector inside a force or a rate (lengths.c).
typedef struct fly_length {
  const fly_expr *expression;
  int which, of; // so many there are in the expression
  int applied;   // the force; -1: the rate
  int state;     // of this state
} fly_length;

// A row of a variable uses another.
typedef struct fly_row_use {
  int by, of;   // rows
  int place;    // among the inputs of the expression
  double slope; // there
} fly_row_use;

// How much the rows of variables matter to forces and rates (weights.c).
typedef struct fly_weights {
  int count, nuse;
  int *output, *row_of;   // the variable of each row (count), and the row of each output y (ny); -1: none
  bool *bends;            // something feels it otherwise than along a straight line
  fly_row_use *use;       // (nuse)
  double *direct;         // work: what forces and rates feel by themselves (count)
  double *weight, *dense; // work: with all others (count), and of a loop
  double *most;           // the largest value in the step (count)
  double *largest;        // the weight: 1 / largest over a time does not matter (count)
  bool unsure;            // that of some row is not known
} fly_weights;

// What the input of a delay is at a time inside a step (trace.c).
typedef struct fly_trace_point {
  double t, value;
  bool turns; // or that it changes sides there
} fly_trace_point;

// An event that happens again, each time sooner than the time before.
typedef struct fly_pile {
  double begin, interval; // since when, and after which time the last did so [s]
  int count;              // so often in a row
  int quick;              // so often in a row without time between them
} fly_pile;

// How the frame of a marker on a body that is not rigid follows the velocities of that body (frames.c).
typedef struct fly_frame_map {
  int marker;
  double *J, *rates;      // the map, and d(J v)/dq (6 x columns of the body)
  double bias[6];         // (dJ/dt) v
  double *swing, *bias_v; // d(J v' + bias)/dq, d bias/dv, likewise
  int *base;              // J: first entry of each column of the body in its own rows
} fly_frame_map;

// What a contact took of a run so far (hot.c).
typedef struct fly_taken {
  double heat;    // [J]
  double largest; // force that pressed [N],
  double when;    // and its time [s]
  double deepest; // [m]
  double power;   // heat a second where powers were looked at last [W]
} fly_taken;

// How rows that say nothing themselves are held, of all of a system (compliance.c).
typedef struct fly_softness {
  bool rigid;                // all are, whatever they say
  bool ode;                  // what they carry is put into the forces
  double stiffness, damping; // of those that say nothing; both 0: they are rigid
} fly_softness;

typedef struct fly_row_law {
  double stiffness, damping; // both 0: it is rigid
} fly_row_law;

// Rows that give way: outputs y behind those of the model, in this order.
typedef struct fly_soft_rows {
  int count, *row;      // of the model (count)
  int *of;              // of each row of the model, which of them; -1: none
  double *value, *rate; // g and G v + g_t (count)
  double *lambda;       // what they carry, as an ODE (count)
  int entries, *start;  // in G: of each term, its first (nterm + 1)
  int *at, *col;        // of each entry: its row, and its wide column
  unsigned char *from;  // which of the 36 numbers of its term
  double *G, *Z;        // its values in G and in d(G v)/dq
  int *first, *order;   // entries by rows (count + 1), (entries)
  size_t places;        // of them in J,
  int *place;           // of G^T and G of each entry in turn; as an ODE: of products
} fly_soft_rows;

// A wide matrix, and where each of its entries goes in that of the solver.
typedef struct fly_join {
  fly_csc wide;
  bool rows_are_wide;
  int *place;
  double *value[3]; // work: values of the wide one
} fly_join;

// The derivatives of lean.c, and where the entries of the wide J go in them.
typedef struct fly_lean_join {
  fly_lean dae;
  fly_csc L, U, W;                  // patterns
  int *first;                       // of each body: its velocities that are not loose, if it is lean; all (nbody)
  int *body;                        // of each velocity (nv)
  int *load;                        // of each frame: the first of its six loads; -1: it has none (nframe)
  int *kept_start, *kept;           // wide entries that go anywhere, by columns
  int *place_L, *place_U, *place_W; // one after another
  int *base;                        // L: of each velocity's column, the first row of its body (nv)
} fly_lean_join;

// A solid that contacts may bring to another (nearby.c).
typedef struct fly_near_solid {
  int body;    // number; that of ground: nbody
  double size; // of its smallest edge, half [m]
  fly_force_bound of;
} fly_near_solid;

// Two of them, and the force between them.
typedef struct fly_near_link {
  int a, b; // solids, a < b
  int force;
  int next; // another of the same hash; -1: none
} fly_near_link;

// A slot for two solids that were found near each other: a force behind those that are listed (pool.c).
typedef struct fly_slot {
  int found; // the contact of the model that it is for
  int a, b;  // who is in it, members of that contact, a < b; a = -1: nobody
} fly_slot;

// What a pair that was in a slot took of the run (hot.c).
typedef struct fly_slot_taken {
  fly_slot of;
  fly_taken taken;
} fly_slot_taken;

typedef struct fly_pool {
  int count;
  fly_slot *slot;          // (count)
  fly_contact *contact;    // of those who are in them (count)
  fly_contact_pair *pair;  // (count)
  int nhead, *head, *next; // slots that are taken, by a hash of who is in them (nhead, a power of two), (count)
  int *member;             // of each solid: 1 + its number among the members of each contact (nsolid x nfound)
  int wanted;              // pairs that were found and have no slot,
  fly_slot *want;          // as far as there is room (count)
  int nlog, log_room;      //
  fly_slot_taken *log;     // of those who were in slots, and touched (nlog)
  fly_arena names;         // of pairs that were asked for
} fly_pool;

// Which of the contacts can act before the next search, and how far solids may go until then.
typedef struct fly_nearby {
  bool there;            // they come and go; else all are near always
  int nsolid, nbox;      // solids: half-spaces come last, behind those that have boxes
  fly_near_solid *solid; // (nsolid)
  int nlink;
  fly_near_link *link;   // (nlink)
  int nhead, *head;      // first link of each hash (nhead, a power of two)
  int *always;           // links of half-spaces, which have no boxes,
  int nalways;           // so many
  bool *stays;           // of each force: it always acts (model->nforce)
  bool *near, *next;     // of each force: does it act? will it, from the next crossing on? (model->nforce)
  int naway, *away;      // forces that do not (model->nforce)
  fly_box *box;          // where each solid stays until then (nbox)
  fly_box *trial;        // work: likewise
  double (*velocity)[3]; // work: of each at the point of a step that was looked at last (nbox)
  fly_grid grid;         // work
  fly_pool pool;         // for pairs that are found
} fly_nearby;

// Terms whose entries stand side by side in the columns of G, as those of a revolute joint do (bundles.c): all rows of
// a point, or those of two perpendicularities of one pair. Any other term is a bundle of its own.
typedef enum fly_bundle_kind { FLY_BUNDLE_TERM, FLY_BUNDLE_POINT, FLY_BUNDLE_DOTS } fly_bundle_kind;
typedef struct fly_bundle {
  fly_bundle_kind kind;
  int term;            // the first of its terms
  int row;             // the first of their kept rows
  int place[FLY_PAIR]; // G: first entry of each column; -1: none
} fly_bundle;

// Patterns of M and G, with what terms put where: the same for all systems of one model that keep the same rows, which
// share it.
typedef struct fly_patterns {
  int users;
  bool sole, bundled; // as G_sole and bundled of the system; the others likewise
  int nbundle;
  fly_csc M, G; // M with its values
  int *G_start;
  unsigned char *G_from;
  int *G_place;
  fly_bundle *bundle;
  fly_arena memory;
} fly_patterns;

// What a state has besides q and v, where the solver keeps it.
typedef struct fly_beside {
  const signed char *side; // where the relations of expressions are held; NULL: nowhere
  const double *x;         // states; NULL: none
} fly_beside;

// All state and workspace of one run besides the solver's. The model is shared, a system belongs to one thread.
typedef struct fly_system {
  const fly_model *model;
  fly_dae_problem dae; // ready for fly_solver_create; user is this system

  int nactive;    // constraint rows kept
  int nangle;     // angles whose turns count: `angle`
  int nlive;      // forces near enough to act: `live`
  int nbundle;    // `bundle`
  int *active;    // model row of each (nactive)
  int *place_of;  // kept row of each model row, -1: removed as redundant (model->nrow)
  int *term_row;  // kept row of each of the three rows of a term, -1: there is none (3 model->nterm)
  double *offset; // of rows that are counted: sum of the coordinates when they came, else 0 (model->nrow)
  fly_softness softness;
  fly_soft_rows soft;   // rows that give way
  bool *lit;            // rows that are there: what they belong to is switched on (model->nrow)
  fly_marker *grip;     // of frictions that hold an orientation: the second marker, turned as the first was (nfriction)
  double *slid;         // work: which way frictions slid before the events that are taking place (FLY_RUBS each)
  fly_motion *motion;   // of each motion of the model (model->nmotion)
  fly_angle *angle;     // which (nangle)
  fly_turn *turn;       // of each term that is an angle (model->nterm); the next three follow it
  fly_turn *force_turn; // of forces of types that count turns (model->nforce)
  fly_turn *measure_turn; // of each measure that is an angle (nmeasure)
  fly_turn *joint_turn;   // of the pair of each joint that turns (model->npair)
  fly_turn *walked;       // work: of each angle, inside a step (nangle)

  fly_kinematics *body;    // of each body, then of ground (nbody + 1)
  fly_pair *pair;          // of the model, with the kinematics above (npair)
  fly_force_at *force;     // likewise, where each force acts (model->nforce)
  fly_model_force *forces; // those of the model (model->nforce)
  int *live;               // those of them that are near enough to act, ascending (nlive)
  fly_nearby near;
  double *q_seen, *v_seen;            // where body was evaluated (nq), (nv)
  bool q_known, v_known, rates_known; // rates: of frames there
  bool value_known;                   // value is
  bool derived;                       // J is there, and what goes with it
  fly_beside *beside;                 // of the state that forces and expressions are evaluated at
  double *value;                      // of the kept rows there without their motions, at value_t (nactive)
  double value_t;

  fly_kinematics *frame;           // of markers that have one of their own (model->nframe),
  fly_marker *frame_marker;        // which stand in its origin
  fly_frame_map *map;              // and how it moves
  double *wide[5];                 // work: wide vectors (frames.c)
  const double *wide_acceleration; // where accelerations were last asked for
  fly_join join_G, join_B, join_J; // with such frames
  fly_lean_join *lean;             // what Newton takes in place of J; NULL: that
  bool leans;                      // derivatives are for it
  bool G_sole;                     // no entry of G has two of its terms' numbers, and no term a factor: they are put
  bool bundled;                    // some terms go side by side
  fly_patterns *patterns;          // of which M and the four lists that follow are, and the pattern of G
  fly_csc M, G, B, J;              // patterns; M's values. B: nonholonomic rows
  int *G_start;                    // first of each term's entries in the two lists that follow (nterm + 1)
  unsigned char *G_from;           // which of the 36 numbers of the term (3 rows x 12) ...
  int *G_place;                    // ... stands where in G's pattern
  fly_bundle *bundle;              // all terms, in their order (nbundle)
  int *pair_base; // J: first entry of each of the 12 columns of a pair in its four groups of rows, -1: none (48 a pair)
  int *force_start;       // J: where the list of each force begins in the one that follows (nforce + 1)
  int *force_base;        // as pair_base, of forces: 2 n groups of rows by 6 n columns of its n markers
  int *body_base;         // J: first entry of each column of the block of each body, one body after another
  double **body_memory;   // what each body remembers (nbody); NULL: nothing
  double *body_block;     // work: a matrix of the widest body,
  double *body_stiffness; // and another
  int *applied_place;  // J: places of every applied force's 18 rows by the 18 columns of its own bodies, then of those
                       // of each measure it uses, or by the one column of its output y; -1: none
  int *applied_start;  // where each applied force's places begin (napplied)
  int *feedback_start; // there too: where the places of the row of each output y begin: 18 columns, then 3 multipliers
                       // of each term of its joint (ny)
  int *reaction_start; // of each measure: its first in reaction_term (nmeasure + 1)
  int *reaction_term;  // terms of the joint, if the measure is a reaction
  int *slip_place;     // B: places of the rows of each joint that does not slip (24 each), -1: none
  int *signal_place;   // J: places of the rows of states, then of variables: of each input of their expressions
  double *z;           // numbers that only change between steps: value, slope and time of each input, and what they
                       // were before that time (6 ninput), then those that are held (nheld), then value and whether it
                       // is due of each action of an event
  void **plugin_self;  // of each plugin (nplugin); NULL: none was created
  double *plugin_value, *plugin_slope;   // work: what they compute (nplugged), and its derivatives
  double *plugin_argument, *plugin_work; // work: of one of them
  double plugin_time;                    // when one failed last [s],
  int plugin_fault;                      // this one; -1: none
  int plugin_code;                       // with this number (0: what it gave was not finite)
  double *past;                          // what the inputs of delays were (past.c)
  double *past_point;                    // where in a step they are looked at
  fly_trace_point *trace;                // work: one of them inside a step
  bool *sudden;                          // work: inputs of an expression that are delays (1 + nmeasure)
  double *trace_input, *trace_margin;    // work: inputs of expressions at places of the step, sides of relations there
  bool *fired;                           // events that are to be told of (nevent)
  long *happened;                        // how often each has (nevent),
  double *happened_last;                 // and when it did so last [s]
  fly_pile *pile;                        // of each: whether it happens ever more often (nevent)
  int ntimed;           // expressions of forces and motions that depend on time otherwise than along a straight line
  int nlurking;         // terms of forces that can lie in wait (leaps.c)
  int ntrace;           // points of the trace
  int nlength;          // sizes of vectors in forces and rates
  fly_timed *timed;     // (ntimed)
  fly_lurking *lurking; // (nlurking)
  fly_weights weights;  // of rows, if some of them lurk
  double *sample;       // work: inputs at places of a step, as many as cells.c takes (1 + nmeasure) each
  bool *late_condition; // which of the conditions read a delay, in which anything may be (model->nroot)
  bool *hard_condition; // and which feel accelerations or reactions (model->nroot)
  fly_length *length;   // (nlength)
  bool *is_size;        // inputs of expressions that are such sizes (1 + nmeasure)
  double *length_at[4]; // work: their values at places of a step (nlength)
  double *input;        // of expressions: time, then the measures (1 + nmeasure)
  int nrelation;        // in the expressions of the equations: forces, rates, variables
  int nfirm;            // of them, the last: those of forces of types
  bool *firm_jumps;     // the force jumps where it changes (nfirm)
  int *force_relation;  // of each force of a type: its first (model->nforce + 1)
  int *own_place;       // J: entries of the states of forces (own.c)
  double *own_slope;    // work: their derivatives, of the force with most of them
  double *recall;       // what forces of types remember, and where that of each begins (model->nforce + 1)
  int *recall_start;
  fly_taken *taken;         // by each force (model->nforce)
  fly_force_near *gap_ends; // every gap where a step begins, in its middle and where it ends (3 each)
  int *relation_start;      // of each expression of the model: its first (nexpression); -1: it is none of these
  double *scale;            // error weights (nv)
  int *rotation_q, *rotation_v;
  int *group_v;             // body of each velocity (nv)
  double *q0, *v0, *x0;     // start of the model
  double *scale_x;          // error weights (nstate)
  double *gradient;         // work: of an expression (1 + nmeasure)
  double *row;              // work (model->nrow)
  double *Q;                // work: generalized forces (nv)
  bool (*stop)(void *user); // asked at every evaluation; true: the callbacks refuse to go on. May be NULL
  void *stop_user;
  struct fly_branches *branches; // bodies that hang on each other without loops; NULL: they do not (tree.c)
  fly_arena memory;              // of tables that never change,
  fly_arena work;                // of what is found again,
  fly_arena held;    // and of all that is remembered from step to step: turn, z, events, and looks ahead of timed
  char refusal[900]; // why what was switched on cannot be

  // From here on likewise (held.c), with what motions and timed have of their own.
  double accepted;     // time up to which turns are counted [s],
  double before;       // and that of the accepted point before
  double smooth_until; // no break lies between the time it was asked for and this one
  double run_end;      // the last it was asked for
  double past_time;    // the place of the break that was told last
  bool past_unsure;    // the input of a delay could not be followed in the last step
  bool past_blow;      // velocities or states jump here
  bool near_due;       // contacts come or go at the next crossing
  bool turns_lost;     // in the last step those of some angle could not be told,
  int lost;            // this one
  int piled;           // the event that happens ever more often without end; -1: none
  int past_fault;      // the delay that cannot follow; -1: none
  fly_break past_due;  // the break that was told last,
  int past_order;      // and its order, if it is a soft one
  int near_since;      // steps since the last search for contacts
  int burst;           // the action of an event whose value is not finite, or beyond all measure; -1: none
  long switched;       // how often rows have come or gone
  double near_pace;    // as long as the longest of the last steps [s]
  long near_searches;  // how often contacts were searched for,
  long near_changes;   // and how often some of them came or went
} fly_system;

// keep: model rows to keep (count of them), NULL: all that are there at the start and do not give way. Rows that are
// kept are rigid.
fly_status fly_system_create(fly_system *s, const fly_model *model, int count, const int *keep, fly_error *error);
// The same, with rows that give way as `soft` says.
fly_status fly_system_create_soft(fly_system *s, const fly_model *model, const fly_softness *soft, int count,
                                  const int *keep, fly_error *error);
// The same, of the model of another and with rows that give way as they do there; where both keep the same rows they
// share what is known of them.
fly_status fly_system_create_beside(fly_system *s, const fly_system *other, int count, const int *keep,
                                    fly_error *error);
// The same, of all rows, for what constraints are: nobody may ask for derivatives of forces (dae.jacobian) until they
// are there as well.
fly_status fly_system_create_rows(fly_system *s, const fly_model *model, const fly_softness *soft, fly_error *error);
fly_status fly_system_derive(fly_system *s, fly_error *error);
// compliance.c: how a row is held; what it carries, if it gives way too (as an ODE: after fly_system_carry); how far a
// joint or motion has given way, in places [m] and turns [rad].
fly_row_law fly_system_row_law(const fly_system *s, int row);
fly_row_law fly_system_own_law(const fly_system *s, int row); // also where all are taken for rigid
bool fly_system_gives_way(const fly_system *s, int row);
double fly_system_multiplier(const fly_system *s, const fly_dae_state *at, int row);
void fly_system_carry(fly_system *s, const fly_dae_state *at);
void fly_system_gap(fly_system *s, const fly_dae_state *at, int item, double out[2]);
void fly_system_free(fly_system *s);
// Other rows are kept from now on: patterns anew, all that was counted goes on. On failure nothing has changed.
fly_status fly_system_keep(fly_system *s, int count, const int *keep, fly_error *error);
// Likewise with other slots for contacts that are found, each of a kind (pool.c).
fly_status fly_system_use_kinds(fly_system *s, int slots, const int *kind, fly_error *error);
// switches.c: is an element there, by its item? Which rows are, by what is switched on?
bool fly_system_is_on(const fly_system *s, int item);
bool fly_system_row_is_on(const fly_system *s, int row);
int fly_system_list_rows(const fly_system *s, int *row); // those that are there and rigid (model->nrow at most)
// A joint that sticks and is loaded by more than its friction holds; NULL: none (sticking.c).
const fly_item *fly_system_slipping(fly_system *s, const fly_dae_state *at);
// What was switched takes place: rows come and go. False: they cannot, and s->refusal says why.
bool fly_system_switch(fly_system *s, double t, const double *q, const double *v);
void fly_system_image(fly_system *s, fly_image *m); // what is remembered, both ways (held.c)
// A break at t that is as wide as one of an expression: times are told apart by that.
void fly_system_break_at(double t, double *before, double *after);
// breaks.c: what the model knows of its dependence on time; called at creation. False: no memory.
bool fly_system_find_timed(fly_system *s);
void fly_system_forget_timed(fly_system *s); // what was found ahead
bool fly_system_next_break(fly_break *next, double t, double end, void *system);
double fly_system_longest_step(double t, double h, void *system);
bool fly_system_find_lurking(fly_system *s); // leaps.c: likewise, of the motion
double fly_system_smallest_impulse(const fly_system *s, int applied, const double *impulse);
void fly_system_set_scales(fly_system *s);   // scales.c: by what errors are measured
bool fly_system_find_weights(fly_system *s); // weights.c: likewise
void fly_system_weigh_rows(fly_system *s, const double *sample, int places, const fly_step_taken *step);
// The first loop of variables whose equations have no solution near this state, or one that grows without bound; 0:
// none. Of it in words: " `u` (model.yaml:7:3), `w` (...)".
int fly_system_lost_loop(fly_system *s, const fly_dae_state *at);
void fly_system_loop_text(char *text, size_t size, const fly_model *model, int loop);
void fly_system_take_relations(fly_system *s);                // memory
void fly_system_find_relations(fly_system *s);                // relations.c
bool fly_system_find_conditions(fly_system *s);               // conditions.c: likewise
const char *fly_system_hidden_condition(const fly_system *s); // the first that is followed; NULL: none
bool fly_system_find_lengths(fly_system *s);                  // lengths.c: likewise
void fly_system_length_leap(fly_system *s, const fly_step_taken *step, fly_leap *first);
void fly_system_leap(fly_leap *first, const fly_step_taken *step, void *system);
bool fly_system_has_gaps(const fly_system *s); // gaps.c: is there a force that acts only where a gap closes?
void fly_system_gap_leap(fly_system *s, const fly_step_taken *step, fly_leap *first);
void fly_system_take_recall(fly_system *s);
void fly_system_remember_one(fly_system *s, double t, int force, bool start);
// nearby.c: the pairs that act are those that memory names, as after it was read; false: no memory.
bool fly_system_use_near(fly_system *s);
void fly_system_remember(fly_system *s, const fly_dae_state *at, bool start);
void fly_system_take_heat(fly_system *s); // memory
// What all contacts do to each body at a state: force and torque about its mass centre, along space, and how many touch
// it (FLY_TOUCHED nbody). (hot.c)
enum { FLY_TOUCHED = 7 };
void fly_system_touched(fly_system *s, const fly_dae_state *at, double *out);
void fly_system_note_touch(fly_system *s, const fly_dae_state *at); // hot.c: after a step
// What contacts gave off where powers were looked at last, for such a time.
void fly_system_add_heat(fly_system *s, double time);
void fly_system_copy_recall(fly_system *s, const fly_system *from); // of the same model
// pool.c: what pairs that were found took, of all that ever touched, so many at most; how many. Names live with s.
int fly_system_pairs_taken(const fly_system *s); // no more than these
int fly_system_taken_by_pairs(fly_system *s, fly_slot_taken *list, int most);
const char *fly_system_pair_name(fly_system *s, const fly_slot *pair);
// The motion at a time inside the last step.
typedef fly_status fly_inside_fn(void *motion, double t, fly_dae_state *out, fly_error *error);
// After an accepted step: turns are counted from here. inside tells of the step where its two ends do not; NULL:
// nothing does. False: an angle turned so far in this step that its turns could not be counted. (turns.c)
bool fly_system_accept(fly_system *s, double t, const double *q, const double *v);
bool fly_system_accept_step(fly_system *s, const fly_dae_state *at, fly_inside_fn *inside, void *motion);
// Why a run cannot go on beyond t: the delay that cannot follow, the action that bursts, the event that piles up.
fly_status fly_plugin_tell(const fly_system *s, double t, fly_error *error);    // a plugin that failed
bool fly_trace_reads_delay(const fly_model *m, const fly_expr *e, bool *which); // of its inputs
bool fly_past_resolves(const fly_system *s, double a, double b); // do points of such a cell see all pieces of the past?
fly_status fly_past_tell(const fly_system *s, double t, fly_error *error);
fly_status fly_system_tell_burst(const fly_system *s, double t, fly_error *error);
fly_status fly_system_tell_pile(const fly_system *s, double t, fly_error *error);
void fly_system_lost_turn(const fly_system *s, char *text, size_t size); // what that angle is called
// Turns, time, and numbers that only change between steps, of another system of the same model.
void fly_system_copy_history(fly_system *s, const fly_system *from);
// For turns.c: what an angle is and how fast it turns where the bodies stand, without its turns, after an update.
void fly_system_update(fly_system *s, const double *q, const double *v);
void fly_system_angle_now(const fly_system *s, const fly_angle *a, double *angle, double *rate);
// Of all angles that differ by turns, the one that the accepted points lead to at t.
double fly_count_turns(const fly_system *s, const fly_turn *turn, double t, double angle);

// Inputs of the expressions of forces at a state: time, then the measures that forces feel (1 + nmeasure). Valid until
// the next call.
const double *fly_system_felt(fly_system *s, const fly_dae_state *at);

// Goes on with the expressions of a model that was compiled with other parameters (fly_model_compile_tuned), between
// steps; it must live as long. On failure nothing has changed. Forces may jump: the solver is to be told. (tune.c)
fly_status fly_system_use_model(fly_system *s, const fly_model *tuned, fly_error *error);

// Numbers from outside and held numbers, between steps: an input is value + slope (t - t0) from now on. (signals.c)
void fly_system_set_input(fly_system *s, int input, double t0, double value, double slope);
void fly_system_set_held(fly_system *s, int held, double value);
double fly_system_input(const fly_system *s, int input, double t);
double fly_system_input_slope(const fly_system *s, int input);
void fly_system_copy_inputs(fly_system *s, const fly_system *from);
double fly_system_held(const fly_system *s, int held);
int fly_system_numbers(const fly_system *s); // length of s->z, which is all there is to save of them

// A force that jumps within 64 steps of h along the motion, back or forth; of several the largest of the nearest.
typedef struct fly_jump {
  bool found;
  int item, component;   // whose expression
  int offset;            // in its text: what switches
  const char *parameter; // force, torque
  double from, to;       // its values
} fly_jump;
bool fly_system_jump(fly_system *s, const fly_dae_state *at, double h, fly_jump *out); // jumps.c
// A force or a condition whose expression is no number, or has no slope, at a state or ahead of it along the motion:
// jumps.c.
typedef struct fly_odd {
  bool found;
  int item, component;
  const char *parameter; // force, torque, when
  double value, t;
} fly_odd;
bool fly_system_odd(fly_system *s, const fly_dae_state *at, double longest, fly_odd *out); // up to `longest` [s] ahead
void fly_odd_text(char *text, size_t size, const fly_model *model, const fly_odd *odd);
// What grows fastest, beside its size, along the motion: a variable, a force, a rate. True: beyond bounds soon.
// (jumps.c)
typedef struct fly_growth {
  int item, component;
  const char *parameter;
  double value, rate; // rate: of itself [1/s]
} fly_growth;
bool fly_system_growth(fly_system *s, const fly_dae_state *at, fly_growth *out);
void fly_growth_text(char *text, size_t size, const fly_model *model, const fly_growth *growth);
// Name of the first force that may act in a short stretch of the motion only; NULL: none.
const char *fly_system_hidden_force(const fly_system *s);
void fly_jump_text(char *text, size_t size, const fly_model *model, const fly_jump *jump); // with file, line, column

// Kinetic and potential energy [J].
typedef struct fly_energy {
  double kinetic, gravity, springs; // springs: of all forces that have a type
  double lent;                      // of these what the power of dampers counts until the springs give it back,
  double contacts;                  // and what contacts hold
} fly_energy;
void fly_system_energy(fly_system *s, double t, const double *q, const double *v, fly_energy *out);

// What changes their sum, d(kinetic + gravity + springs)/dt = forces + motions - damping + d(lent)/dt [W].
typedef struct fly_power {
  double forces;   // of what expressions push, and of forces that have neither energy nor heat
  double motions;  // of the constraints that move
  double damping;  // turned into heat, never negative for dampings that make sense;
  double contacts; // of this, in contacts
} fly_power;
void fly_system_power(fly_system *s, const fly_dae_state *at, fly_power *out);
bool fly_system_has_power(const fly_system *s);       // false: the energy is conserved
bool fly_system_power_of_motion(const fly_system *s); // it depends on positions, velocities and states alone

// Of the applied force k alone: its components, and its generalized forces (nv).
void fly_system_applied(fly_system *s, const fly_dae_state *at, int k, double f[6], double *Q);

// Values of the model's outputs (noutput).
void fly_system_outputs(fly_system *s, const fly_dae_state *at, double *out);

// Derivatives of one expression of the model, such as that of an output, and what a unit of one input does.
typedef struct fly_slopes {
  double *q, *v, *vdot;    // (nv)
  double *lambda;          // (nactive)
  double *x, *y;           // (nstate), (ny)
  double *u, *late, *held; // of inputs of the model (ninput), what comes out of delays (ndelay), held numbers (nheld)
  double *work;            // (1 + nmeasure)
} fly_slopes;
fly_slopes fly_system_take_slopes(const fly_system *s, fly_arena *memory);
void fly_system_slopes(fly_system *s, const fly_dae_state *at, int expression, const fly_slopes *out);
// Generalized forces (nv) of a unit more of a component of an applied force ...
void fly_system_load_direction(fly_system *s, const fly_dae_state *at, int applied, int component, double *Q);
// ... or of a force of a type that acts along one coordinate, which it lets grow. False: it is not of that kind.
bool fly_system_force_direction(fly_system *s, const fly_dae_state *at, int force, double *Q);

// What a unit more of a number that the equations take as given, an input of the model, what comes out of a delay or a
// held number, does to their rows: forces (nv), rates (nstate), outputs (ny).
void fly_system_given_direction(fly_system *s, const fly_dae_state *at, fly_signal signal, int number, double *out);

fly_pair fly_system_pair(fly_system *s, const fly_dae_state *at, int pair); // as elements see it

// What the constraints of each pair do to its second body: force, then torque about its marker, along the axes of the
// first marker (6 a pair). Rows that were removed carry nothing.
void fly_system_reactions(fly_system *s, const fly_dae_state *at, double *wrench);

// What a force shows at this state (fly_model_acting), and the components of a load alone.
void fly_system_acting(fly_system *s, const fly_dae_state *at, int k, double out[FLY_FORCE_VALUES]);
void fly_system_components(fly_system *s, const fly_dae_state *at, int applied, double out[FLY_LOAD_COMPONENTS]);

// A marker in space axes: position, quaternion, velocity, angular velocity, acceleration, angular acceleration (19).
void fly_system_marker(fly_system *s, const fly_dae_state *at, int marker, double *out);
// Of the pair of a joint: displacement of j from i along z of i and its rate; angle of j about z of i and its rate,
// turns counted if the joint turns.
void fly_system_coordinates(fly_system *s, const fly_dae_state *at, int pair, double out[4]);

#endif
