// The compiled model: everything numbered, constant during a run, shared by runs. Made from a spec by
// fly_model_compile.
#ifndef FLY_MODEL_MODEL_H
#define FLY_MODEL_MODEL_H

#include "base/memory.h"
#include "element/body.h"
#include "element/force.h"
#include "element/frame.h"
#include "element/load.h"
#include "element/measure.h"
#include "element/primitive.h"
#include "element/reaction.h"
#include "element/slip.h"
#include "expr/expr.h"
#include "flyball/plugin.h"
#include "flyball/status.h"
#include "model/spec.h"

enum { FLY_GROUND = -1 };

typedef struct fly_body {
  const char *name;
  int item; // in the spec
  const fly_body_type *type;
  fly_body_own own;
  int iq, iv;        // first of its positions and velocities
  int nq, columns;   // positions and velocities: which of the six columns (dr, dtheta) of its frame
  const int *column; // each is, or its own (columns)
  int framed;        // the first of them, those that are
  int blocks;        // those that M couples, from block of the type on
  const fly_quantity *state, *acceleration; // names of q and v, and of v'
  double *q0, *v0;                          // its start
  int first_marker;                         // its frame; the markers follow
} fly_body;

typedef struct fly_model_marker {
  const char *name; // body.marker, or the joint's name
  int body;         // or FLY_GROUND
  int frame;        // of its own, on a body whose markers have some; -1: that of the body
  fly_marker m;
  double offset[3]; // from the origin of that frame
} fly_model_marker;

// Two markers with constraints between them.
typedef struct fly_model_pair {
  int mi, mj; // markers
} fly_model_pair;

// A primitive in a row (or three): value times factor is added to it. Those of a joint follow each other.
typedef struct fly_term {
  fly_primitive_kind kind;
  fly_primitive k;
  int pair;
  int row;  // first constraint row
  int rows; // bit k set if row k of the primitive exists; they are numbered without gaps from `row`
  double factor;
} fly_term;

// What does not slip: nonholonomic rows of a joint.
typedef struct fly_model_slip {
  int item, pair;
  fly_slip_kind kind;
  double radius;
  int row;  // first of its nonholonomic rows
  int rows; // bit k set if row k of the kind exists; they are numbered without gaps from `row`
} fly_model_slip;

// One constraint row, for people and for motions.
typedef struct fly_row {
  int item;              // joint or motion in the spec
  const char *direction; // "x", "axis tilt about y" ...
  int motion;            // what is subtracted, in the list of motions; -1: nothing
  bool counted;          // turns count: a coupler or a screw
  bool angular;          // an angle: taken modulo a turn against the motion
  int held;              // a held number without which it is not there, as of a joint that sticks; -1: none
  int along;             // another item without which it is not there, as the joint of a motion; -1: none
  bool turning;          // what it holds is an angle, else a length
  // It gives way: 1/compliance [N/m, N m/rad] and damping [N s/m, N m s/rad] of what holds it. Both 0: it is rigid
  double stiffness, damping;
} fly_row;

// What a motion prescribes of the coordinate in its row: an expression of time for its position (level 0), velocity (1)
// or acceleration (2).
typedef struct fly_model_motion {
  int item, row, expression, level;
} fly_model_motion;

// A force of a type of the table. Those that do the same lie together.
typedef struct fly_model_force {
  const fly_force_type *type;
  int item;
  int count; // of its markers
  int marker[FLY_FORCE_MARKERS];
  const char *name;  // that of its item, or of one of several made by it
  void *k;           // its parameters
  int state, states; // first of its states among those of the model, and how many
} fly_model_force;

// What has a name of its own in expressions (compile_signals.c).
typedef enum fly_signal {
  FLY_NO_SIGNAL,
  FLY_SIGNAL_STATE,
  FLY_SIGNAL_INPUT,
  FLY_SIGNAL_HELD,
  FLY_SIGNAL_VARIABLE, // an output of the model
  FLY_SIGNAL_DELAY,    // an expression as it was some time ago
  FLY_SIGNALS
} fly_signal;

// A quantity that expressions see: input 1 + its number, because input 0 is time.
typedef struct fly_model_measure {
  int kind;      // fly_measure_kind; of a joint: fly_reaction_kind; of a signal: its number
  int joint;     // item of the joint whose reaction it is; -1: a measure of markers
  int pair;      // of that joint, or where it sticks; read where there is a joint
  int marker[3]; // -1: left out; of a joint: its two markers and the one that gives the axes
  int output;    // the equations feel it, and it needs accelerations or multipliers, or is a variable with a row of its
                 // own: this output y of the DAE; -1: none
  bool felt;     // by forces, rates and rows of variables
  fly_signal signal;
} fly_model_measure;

enum { FLY_LOAD_INPUTS = 64 }; // different measures a load may use

// What expressions push, as their type says.
typedef struct fly_model_applied {
  const fly_load_type *type;
  int item;
  int marker[3];                       // of the type; -1: left out
  int expression[FLY_LOAD_COMPONENTS]; // of the components; -1: zero
  int ninput;
  int *input; // measures its expressions use, each once (ninput)
  bool rubs;  // it is friction,
  bool bell;  // by a law with a bell over the speed
} fly_model_applied;

// An output, or a variable: a named expression. Where others use it, its own expression is put into theirs; it is a row
// y - h = 0 of the DAE if it depends on itself, or is large.
typedef struct fly_model_output {
  int item;
  int expression;
  int measure; // by which expressions see it; -1: none does
  int written; // its expression as written, with variables as inputs
  int order;   // private: when the search for loops met it, from 1 on,
  int lowest;  // and the first it leads back to
  int loop;    // number of the loop it is in; 0: none
  bool open, row;
  double start;  // where the search for its value begins,
  bool starts;   // which is given
  int plugin;    // 1 + the plugin that computes it, and its expression is nothing but itself; 0: none does,
  int component; // this number of it
} fly_model_output;

// A limit that turns the rate of a joint round (compile_limits.c).
typedef struct fly_model_limit {
  int item;
  int how;           // which coordinate of which joint: a row of the table there
  int side, rebound; // held numbers: where it rests or is met, -1 or 1, 0: nowhere; and the rate behind the blow
  int met;           // and when that was [s]
  int pair, row;     // where it holds
  double low, high;  // [m, rad]
} fly_model_limit;

// A first-order state x' = rate.
typedef struct fly_model_state {
  int item;
  int rate; // expression
  double start, scale;
  bool rests;       // it starts where its rate vanishes; start is a guess
  const char *part; // as of fly_model_given
} fly_model_state;

// Dry friction of a joint, or of a pin of it, in up to three directions that rub on one surface (compile_friction.c).
enum { FLY_RUBS = 3 };
typedef struct fly_model_friction {
  int item;
  const char *parameter;   // which friction of the item
  int n;                   // directions of slip
  int component[FLY_RUBS]; // of the load: along (0 to 2) or about (3 to 5) an axis of the marker `axes`
  int axes;
  int rate[FLY_RUBS];     // measures
  double lever[FLY_RUBS]; // slip over rate [m, or 1]
  double eta;             // a slip slower than this is a turn of its direction or the end of it [m/s]
  double rest;            // a rate below this is rest [m/s or rad/s]
  int applied;            // the load, while it slides
  int stuck, direction;   // held numbers: does it stick, which way does it slide (the first of n); -1: it never sticks,
                          // as by smooth laws
  int spread;             // held numbers: projection on the slips that the mechanism allows, row by row of the upper
                          // triangle; -1: there is one direction
  int pair, row, rows;    // where it sticks; -1: nowhere
  int along[FLY_RUBS];    // of each of those rows, its direction of slip
  double sense;           // of the load of that pair: -1 where it is that on the first body
  bool grips;             // it holds an orientation, as found when it comes
} fly_model_friction;

// A number that comes from outside, or that only events change.
typedef struct fly_model_given {
  int item;
  double value;     // at the start
  const char *part; // it belongs to an element, and is called item.part; NULL: it is the item
  bool hidden;      // people are not shown it
} fly_model_given;

// What an expression was some time ago.
typedef struct fly_model_delay {
  int item;
  int expression;
  double time;  // [s]
  double start; // its value before the start
  int room;     // pieces of steps it remembers
  int smoother; // by so many derivatives than forces, where they break
} fly_model_delay;

// Code of the user's (plugin.h).
typedef struct fly_model_plugin {
  int item;
  const fly_plugin *code;
  void *library;
  double *parameter;     // (code->parameters)
  int *input, *x, *z;    // measures that are its arguments (code->inputs), (code->states), (code->held)
  int first, components; // of all numbers that plugins compute
} fly_model_plugin;

// What an event does: a held number, a state x, or a velocity v gets the value of an expression.
typedef enum fly_action_kind { FLY_SET_HELD, FLY_SET_STATE, FLY_SET_VELOCITY } fly_action_kind;
typedef struct fly_model_action {
  fly_action_kind kind;
  int which, expression;
} fly_model_action;

typedef struct fly_model_event {
  int item;
  int when;            // expression: it happens when that comes true; -1: at `first`,
  double first;        // [s]
  double every;        // and again so much later; 0: once
  int action, naction; // first of its actions in the model's list, and how many
  bool stop;
  const char *part; // it belongs to an element, and is called item.part; NULL: it is the item
  bool from_start;  // it happens at the start if it holds there
} fly_model_event;

// A closed surface that shapes in contact share.
struct fly_surface;
typedef struct fly_model_surface {
  const fly_spec_mesh *mesh;
  double scale;
  const struct fly_surface *surface;
  struct fly_model_surface *next;
  bool asked;                  // whether it is convex; then
  const struct fly_hull *hull; // what it is the surface of; NULL: it is not
  double middle[3];            // where that stands
} fly_model_surface;

typedef struct fly_model {
  fly_model_surface *surface; // the last that was made; NULL: none
  const fly_spec *spec;       // must live as long
  double gravity[3];
  int nq, nv, nrotation;
  int nbody;
  fly_body *body;
  int nmarker, npair, nframe;
  fly_model_marker *marker;
  fly_model_pair *pair;
  int nterm, nangle;
  fly_term *term;
  int *angle; // terms that are angles (nangle)
  int nrow, nmotion;
  fly_row *row;
  int nslip, nsliprow; // joints that do not slip, and their nonholonomic rows
  fly_model_slip *slip;
  fly_model_motion *motion;
  int nmeasure;
  int ny;                           // measures that are outputs of the DAE
  int *measure_slot, measure_slots; // private: hash of the measures
  fly_model_measure *measure;
  int napplied, noutput;
  fly_model_applied *applied;
  fly_model_output *output;
  int nstate, ninput, nheld;
  fly_model_state *state;
  fly_model_given *input, *held;
  int ndelay;
  fly_model_delay *delay;
  int nplugin, nplugged; // plugins, and numbers that they compute
  fly_model_plugin *plugin;
  int nevent, naction, nroot; // nroot: events with `when`; they come first
  fly_model_event *event;
  fly_model_action *action;
  fly_model_friction *friction;
  fly_model_limit *limit;
  int nfriction, nlimit;
  int nown;            // loads that belong to joints: the last ones
  int *switch_of_item; // held number that is not 0 while an element is there; -1: it always is (spec->nitem)
  int *signal_of_item; // number of the state, variable, input or held number, for items that are one (spec->nitem)
  const char **word;   // names of all of them, ended by NULL; private
  int nforce, nslot;   // forces; the last of them: slots for pairs that are found while it runs (system/pool.c)
  int nfound, njoined; // contacts whose pairs are found so, and pairs of bodies that joints join, if there are any
  fly_model_force *force;
  int *slot_kind; // which of these contacts each slot is for (nslot)
  struct fly_model_found *found;
  int (*joined)[2];          // in order (njoined)
  int *force_of_item;        // number of the force, for items that are forces of a type; else -1 (spec->nitem)
  int *body_of_item;         // number of the body, for items that are bodies
  int *joint_pair;           // pair of each item that is a joint or a motion between markers, else -1 (spec->nitem)
  fly_expr_number *constant; // the parameters, for expressions (spec->nparameter)
  fly_expr_names names;      // of them
  fly_expr_table *table;     // and the tables (spec->ntable)
  fly_expr_formula *formula; // and functions of the user (nformula)
  int nformula, nexpression;
  fly_expr **expression; // of motions, forces and outputs
  double size;           // a length of the model, for error weights [m]
  bool faces_meet;       // a contact is between two boxes, hulls or meshes
  char warnings[4000];   // odd but not refused: lines for people
  fly_arena memory;
} fly_model;

fly_status fly_model_compile(fly_model *model, const fly_spec *spec, fly_error *error);

// The functions of a spec, which must live as long; NULL: no memory (formulas.c).
fly_expr_formula *fly_spec_formulas(const fly_spec *spec, fly_arena *memory, int *count);

// The same with more rows, which assembly holds beside the constraints: what joints say about their start and what
// bodies hold; or only how fast joints are to move. Or rows that hold nothing, the coordinates of all joints, for
// motions given by data. Bodies, markers and the first rows are those of the other.
typedef enum fly_held { FLY_HOLD_NOTHING, FLY_HOLD_POSITIONS, FLY_HOLD_SPEEDS, FLY_HOLD_COORDINATES } fly_held;
bool fly_spec_holds(const fly_spec *spec, fly_held held); // is there anything of the kind?
fly_status fly_model_compile_held(fly_model *model, const fly_spec *spec, fly_held held, fly_error *error);

// Parameters that change while a model runs (tune.c): is it used in expressions alone? If not, the error says for what.
fly_status fly_model_tunable(const fly_spec *spec, int parameter, fly_error *error);
// The same model with other parameters in its expressions (spec->nparameter); numbers it is built with stay.
fly_status fly_model_compile_tuned(fly_model *model, const fly_spec *spec, const double *parameter, fly_error *error);
bool fly_model_fits(const fly_model *tuned,
                    const fly_model *model); // do its expressions use what those of the other do?

// The start of a joint along and about z of its first marker: what it says, and what is drawn where it says nothing
// (place.c).
typedef struct fly_joint_start {
  double angle, angular_velocity, displacement, velocity; // [rad], [rad/s], [m], [m/s]
} fly_joint_start;
fly_joint_start fly_model_joint_start(const fly_model *model, int joint); // item
fly_status fly_model_place(fly_model *model, fly_error *error);           // bodies by what joints say

void fly_model_free(fly_model *model);

// All forces, those of types and then the loads, as people are shown them.
typedef struct fly_acting {
  int item;
  const char *name;
  const fly_quantity *quantity; // ended by a row without a name
} fly_acting;
// A force whose channel a word is (s.force), and which; -1: none that expressions know (compile_acting.c).
const fly_item *fly_acting_item(const fly_spec *spec, const char *name); // NULL: no force
int fly_acting_quantity(const fly_item *force, const char *name);
int fly_model_listed(const fly_model *model); // forces but for slots
bool fly_model_has_contacts(const fly_model *model);
int fly_model_acting_count(const fly_model *model);
fly_acting fly_model_acting(const fly_model *model, int k);

// Joints, motions and forces are there while their switch is not 0 (switches.c). The item that `name.on` is about, as
// events and expressions see it; NULL: there is none.
const fly_item *fly_switched_item(const fly_spec *spec, const char *name);
bool fly_model_can_switch(const fly_model *model); // is there one with constraints?

bool fly_measure_is_angle(const fly_model_measure *measure);                 // turns are counted
fly_measure_level fly_model_measure_level(const fly_model_measure *measure); // reactions are as accelerations
int fly_model_body(const fly_model *model, const char *name);                // number, FLY_GROUND, or -2: none
// Marker by its reference (body.marker, body, ground); -1: none.
int fly_model_marker_find(const fly_model *model, const char *reference);

const char *fly_model_input_unit(const fly_model *m, int input); // of an input of expressions; "": not known
const char *fly_signal_unit(const fly_model *m, fly_signal signal, int number);
// As the user gave it, or that of the measures it is made of; "": not known.
const char *fly_model_output_unit(const fly_model *model, int output);
// The value of a constant expression over units and the model's parameters.
fly_status fly_model_number(const fly_model *model, const char *text, double *out, fly_error *error);

void fly_body_kinematics(const fly_body *b, const double *q, const double *v, fly_kinematics *k); // q, v: its own
void fly_body_position(const fly_body *b, const double *q, fly_kinematics *k); // r, R of it; v, w keep their values
void fly_body_velocity(const fly_body *b, const double *v, fly_kinematics *k); // v, w of it, where they can move
void fly_body_start(const fly_body *b, fly_kinematics *k);
bool fly_body_is_length(const fly_body *b, int c); // velocity c: its error is measured by the size of the model
int fly_body_places(const fly_body *b);            // how many of its velocities, the first, are along axes of space

// Joints as lists of primitives (joints.c).
typedef struct fly_joint_row {
  fly_primitive_kind kind;
  int axis_i, axis_j;
  const char *direction; // NULL: no row of its own, subtracted from the one above
} fly_joint_row;
// What is left to move along and about z of its first marker: each by itself, or the one with the other.
enum { FLY_TURNS = 1, FLY_SLIDES = 2, FLY_ADVANCES = 4 };
typedef struct fly_joint_type {
  const char *name;
  unsigned moves;
  int nrow;
  fly_joint_row row[6];
} fly_joint_type;
// It has a coordinate about, along z of its first marker that moves by itself.
bool fly_joint_turns(const fly_item *joint);
bool fly_joint_slides(const fly_item *joint);
bool fly_joint_goes(const fly_item *joint);                  // along z, by itself or as it turns
const fly_joint_type *fly_joint_type_find(const char *name); // NULL: made otherwise (couplers)

#endif
