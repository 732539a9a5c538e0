// What the files that compile a model share.
#ifndef FLY_MODEL_COMPILE_H
#define FLY_MODEL_COMPILE_H

#include "model/model.h"

static const double FLY_UNIT[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// compile.c
// A message that begins with the place, type and name of the item.
fly_status fly_item_fail(const fly_item *item, fly_error *error, const char *format, ...);
// Likewise, with the place of a key of a parameter {key: number}; NULL, or not there: of that parameter.
fly_status fly_setting_fail(const fly_item *item, const char *parameter, const char *key, fly_error *error,
                            const char *format, ...);
// A line for people about what is odd in an item.
void fly_compile_warn(fly_model *m, const fly_item *item, const char *text);
bool fly_item_is(const fly_item *item, const char *name);

// maker.c: what elements are made from
typedef struct fly_making {
  fly_maker maker; // first
  fly_model *m;
  const fly_item *item;
  fly_error *error;
  fly_kinematics body[FLY_FORCE_MARKERS]; // of its markers, at the start
} fly_making;
fly_making fly_making_of(fly_model *m, const fly_item *item, fly_error *error);

// compile_bodies.c
const char *fly_cannot_turn(const fly_model *m, int body); // what it is if it cannot; NULL: it can
bool fly_item_is_ground(const fly_item *item);
void fly_start_kinematics(const fly_model *m, int body, fly_kinematics *k);
int fly_add_marker(fly_model *m, const char *name, int body, const double s[3], const double A[9]);
void fly_add_body_markers(fly_model *m, int body);
void fly_add_ground_markers(fly_model *m);
fly_status fly_add_body(fly_model *m, int k, fly_error *error);

// compile_joints.c
int fly_marker_in_space(fly_model *m, const char *name, int body, const double at[3], const double A[9]);
fly_status fly_marker_named(const fly_model *m, const fly_item *item, const char *parameter, int *marker,
                            fly_error *error);
// Rows of a primitive that the pair can feel, as bits: between planar bodies not all.
int fly_rows_felt(const fly_model *m, const fly_model_pair *pair, fly_primitive_kind kind, const fly_primitive *k);
void fly_add_row(fly_model *m, int item, const char *direction);
fly_status fly_add_primitive(fly_model *m, int item, int pair, const fly_joint_row *r, int n, double c,
                             fly_error *error);
double fly_start_distance(const fly_model *m, const fly_model_pair *pair);
int fly_add_pair(fly_model *m, int mi, int mj);
fly_status fly_check_point_mass(const fly_model *m, const fly_item *item, int pair, const fly_joint_type *type,
                                fly_error *error);
void fly_add_coordinate(fly_model *m, int pair, bool angle, int axis, int row, double factor);
fly_status fly_joint_named(const fly_model *m, const fly_item *item, const char *name, int *joint, fly_error *error);
fly_status fly_add_coupler(fly_model *m, int item, fly_error *error);
fly_status fly_add_gear(fly_model *m, int item, fly_error *error);
fly_status fly_add_rack(fly_model *m, int item, fly_error *error);
fly_status fly_add_joint(fly_model *m, int item, fly_error *error);

// compile_expressions.c
int fly_measure_input(fly_model *m, const fly_model_measure *found); // 1 + its number, found again or added
// The element whose channel an expression would take a name for; NULL: none.
const fly_item *fly_element_meant(const fly_spec *spec, const char *name);
// The model an expression belongs to, and what it knows beside time and measures: words that stand for measures.
typedef struct fly_asking {
  fly_model *m;
  const char *word[3]; // ended by NULL
  fly_model_measure measure[2];
} fly_asking;
// The expression of parameter k of an item becomes the next of the model: with words of its own, with none, of time
// only.
fly_status fly_compile_asking(fly_asking *who, const fly_item *item, const char *parameter, int k, int *expression,
                              fly_error *error);
fly_status fly_compile_text(fly_model *m, const fly_item *item, const char *parameter, int k, int *expression,
                            fly_error *error);
fly_status fly_compile_time(fly_model *m, const fly_item *item, const char *parameter, int *expression,
                            fly_error *error);

// compile_motions.c
fly_status fly_add_motion(fly_model *m, int item, fly_error *error);
fly_status fly_add_compliances(fly_model *m, fly_error *error); // of joints and motions
fly_status fly_check_rebounds(fly_model *m, fly_error *error);  // of joints that give way, when limits are there

// compile_forces.c
fly_status fly_number_forces(fly_model *m, fly_error *error); // before they are added
fly_status fly_add_force(fly_model *m, int item, fly_error *error);

// compile_contacts.c
fly_status fly_add_contact(fly_model *m, int item, fly_error *error);
// Are its pairs found while the model runs, and not listed?
bool fly_contact_is_found(const fly_spec *spec, const fly_item *item);
int fly_contact_pairs(const fly_spec *spec, const fly_item *item);   // of bodies that may touch by it, if listed
int fly_contact_states(const fly_spec *spec, const fly_item *item);  // at most
int fly_contact_markers(const fly_spec *spec, const fly_item *item); // of its own, on bodies that deform, at most

// compile_signals.c
// States, variables, inputs and held numbers get their numbers, before any expression is compiled; names that mean
// something else are refused.
fly_status fly_number_signals(fly_model *m, fly_error *error);
int fly_signal_input(fly_model *m, const char *name);         // of expressions; FLY_EXPR_UNKNOWN: there is none
fly_status fly_add_variables(fly_model *m, fly_error *error); // those that lead back to themselves are rows of the DAE
fly_status fly_add_states(fly_model *m, fly_error *error);
fly_status fly_add_delays(fly_model *m, fly_error *error);
fly_status fly_add_plugins(fly_model *m, fly_error *error); // compile_plugins.c
// The variables in the last expression of the model that have no row: their expressions take their place.
fly_status fly_put_variables(fly_model *m, const fly_item *item, const char *parameter, const char *text,
                             fly_error *error);
void fly_feel(fly_model *m, int input); // the equations do

// switches.c
int fly_switch_of(fly_model *m, int item);            // held number; made if there is none yet
void fly_add_switches(fly_model *m);                  // those that are given
int fly_switch_input(fly_model *m, const char *name); // of expressions; FLY_EXPR_UNKNOWN: there is none

// compile_settings.c: what joints have beside their rows, given as {key: number}
const char *fly_setting(const fly_item *item, const char *parameter, const char *key); // as written; NULL: not given
typedef enum fly_sign { FLY_ANY_SIGN, FLY_NOT_NEGATIVE, FLY_POSITIVE } fly_sign;
// What is not given is the fallback; NAN: it must be given.
fly_status fly_setting_number(const fly_model *m, const fly_item *item, const char *parameter, const char *key,
                              double fallback, fly_sign sign, double *out, fly_error *error);
// A text of ours with words of its own; the equations feel what it uses.
fly_status fly_compile_own(fly_model *m, const fly_item *item, const char *parameter, const char *text,
                           fly_expr_resolve *resolve, void *user, int *expression, fly_error *error);
int fly_add_held(fly_model *m, int item, const char *part);
int fly_signal_of(fly_model *m, fly_signal signal, int number); // input of expressions,
// a reaction of the joint, or of what holds it, on the second marker of a pair, along the axes of a marker,
int fly_joint_reaction(fly_model *m, int item, fly_reaction_kind kind, int pair, int axes);
// and of two markers, how fast they move along (component 0 to 2) or turn about (3 to 5) an axis, and how far, about z.
int fly_joint_rate(fly_model *m, int pair, int component, int axes);
int fly_joint_coordinate(fly_model *m, int pair, bool turn);
// A wrench of a joint, by the expressions of its components between its markers; it is the next load.
fly_status fly_add_joint_load(fly_model *m, int item, const fly_model_applied *load, fly_error *error);
// The same marker with its z for x: the angle about the axis of one pin of a cross is that of the other.
int fly_add_crossed(fly_model *m, int marker);
// A row that holds the coordinate of a pair along or about z where it is when it comes, while a held number is not 0;
// or such a row whose terms are added already.
void fly_add_lock(fly_model *m, int item, int pair, bool turn, const char *direction, int held);
void fly_add_lock_row(fly_model *m, int item, const char *direction, int held);
// An event of an element with the condition `when` of expressions; its actions set held numbers.
void fly_add_own_event(fly_model *m, int item, const char *part, int when, int naction, const fly_model_action *action);

// compile_limits.c
fly_status fly_add_limits(fly_model *m, int item, fly_error *error); // of a joint, when all forces are there
fly_status fly_add_limit_events(fly_model *m, fly_error *error);
int fly_limits_count(const fly_item *item);

// compile_friction.c
fly_status fly_add_friction(fly_model *m, int item, fly_error *error); // of a joint, when all forces are there
fly_status fly_add_friction_events(fly_model *m, fly_error *error);    // when those of the user with `when` are
int fly_friction_sizes(const fly_item *item);                          // how many frictions it has, at most

// compile_acting.c: the text of a channel of a force, in the model's memory; NULL: none is left
const char *fly_acting_text(fly_model *m, const fly_item *force, int quantity);

// compile_events.c
fly_status fly_add_events(fly_model *m, fly_error *error);

#endif
