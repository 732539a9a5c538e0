// What the files of this room share. fly_problem_...: callbacks of the problem that the solver sees.
#ifndef FLY_SYSTEM_PARTS_H
#define FLY_SYSTEM_PARTS_H

#include "element/applied.h"
#include "math/constants.h"
#include "system/system.h"

static const fly_primitive FLY_ABOUT_Z = {2, 0, 0.0};

static inline int body_index(const fly_system *s, int marker) {
  int body = s->model->marker[marker].body;
  return body == FLY_GROUND ? s->model->nbody : body;
}

static inline fly_body_at fly_system_body_at(const fly_system *s, int body) {
  const fly_body *b = &s->model->body[body];
  return (fly_body_at){&s->body[body], s->q_seen + b->iq, s->v_seen + b->iv, false, s->body_memory[body]};
}

static inline fly_pair pair_of(const fly_system *s, int pair) { return s->pair[pair]; }

// Rows and columns of the wide J (frames.c): of frames, of the states, and of the outputs y.
static inline int fly_frame_column(const fly_model *m, int frame) { return m->nv + 6 * frame; }
static inline int fly_wide(const fly_model *m) { return fly_frame_column(m, m->nframe); }
static inline int fly_state_row(const fly_system *s, int k) { return fly_wide(s->model) + k; }
static inline int fly_output_row(const fly_system *s, int k) { return fly_state_row(s, s->model->nstate + k); }
static inline int fly_state_column(const fly_system *s, int k) {
  return fly_wide(s->model) + s->nactive + s->model->nsliprow + k;
}
static inline int fly_output_column(const fly_system *s, int k) { return fly_state_column(s, s->model->nstate + k); }

// turns.c: history is brought up to an accepted point; false: turns are lost
bool fly_system_follow(fly_system *s, const fly_dae_state *at, const fly_step_taken *step);

// events.c
fly_accepted_fn fly_problem_accepted;
fly_cross_fn fly_problem_cross;
fly_root_fn fly_problem_roots;
fly_event_fn fly_problem_event;
fly_watch_fn fly_problem_watch; // conditions.c
fly_break_fn fly_problem_next_break;
int fly_system_first_action(const fly_system *s); // in z: value and whether it is due, of each

// kinematics.c
void fly_system_marker_columns(const fly_model *m, int n, const int *marker, int *column);
void fly_system_pair_columns(const fly_model *m, int pair, int column[FLY_PAIR]);
fly_triple fly_system_triple_of(const fly_system *s, const int marker[3]);
void fly_system_triple_columns(const fly_model *m, const int marker[3], int column[FLY_TRIPLE]);
double fly_system_angle_rate(const fly_pair *p);
const fly_force_at *fly_system_force_at(const fly_system *s, double t, int k); // turns counted

// frames.c: bodies whose markers have frames of their own. "Wide" vectors and matrices have six columns for each frame
// behind those of v; without frames they are what the solver sees.
bool fly_system_take_frames(fly_system *s);
fly_status fly_system_join_patterns(fly_system *s, fly_error *error);
fly_status fly_system_make_lean(fly_system *s, fly_error *error); // lean.c
void fly_system_free_lean(fly_system *s);
fly_lean_fn fly_lean_jacobian;
void fly_system_place_frames(fly_system *s); // positions, where q was seen
void fly_system_move_frames(fly_system *s);  // velocities, where v was seen
fly_seen fly_system_seen(const fly_system *s, int marker);
double *fly_system_open(fly_system *s, double *out);     // a wide vector of zeros, which
void fly_system_close(const fly_system *s, double *out); // becomes one of v
const double *fly_system_wide_accelerations(fly_system *s, const fly_dae_state *at);
// Accelerations, and what a move of positions and velocities does to positions, velocities and, at fixed v',
// accelerations, in wide vectors; da NULL: nothing. After an update.
typedef struct fly_wide_move {
  const double *a, *dq, *dv, *da;
} fly_wide_move;
fly_wide_move fly_system_wide_move(fly_system *s, const fly_dae_state *at, const double *dq, const double *dv);
fly_slopes fly_system_open_slopes(fly_system *s, const fly_slopes *out); // likewise, of three vectors
void fly_system_close_slopes(fly_system *s, const fly_dae_state *at, const fly_slopes *wide, const fly_slopes *out);
fly_mass_fn fly_framed_mass;
fly_force_fn fly_framed_force;
fly_position_fn fly_framed_constraint_jacobian, fly_framed_nonholonomic;
fly_velocity_fn fly_framed_constraint_gamma, fly_framed_constraint_velocity_jacobian;
fly_velocity_fn fly_framed_nonholonomic_gamma, fly_framed_nonholonomic_velocity_jacobian;
fly_jacobian_fn fly_framed_jacobian;

// system.c
void fly_system_place_force(fly_system *s, int k); // where it acts, by its markers

// nearby.c: contacts that come and go
bool fly_system_take_nearby(fly_system *s); // false: no memory
fly_effect fly_system_search(fly_system *s, const fly_dae_state *at, const fly_step_taken *step);
// What that announced takes place; false: no memory, and s->refusal says so.
bool fly_system_regroup(fly_system *s, double t, const double *q, const double *v, const double *x);
void fly_system_list_live(fly_system *s);
void fly_system_find_pairs(fly_system *s); // of the boxes in trial: in next
void fly_system_near_start(fly_system *s); // where the model starts: who is in slots
void fly_system_near_leap(fly_system *s, const fly_step_taken *step, fly_leap *first); // a step that outran it
void fly_system_copy_near(fly_system *s, const fly_system *from);                      // of the same model

// pool.c: pairs that are found, in slots
// A model with slots of these kinds; NULL: with those it has, or those for the start. NULL: no memory.
const fly_model *fly_pool_model(const fly_model *m, int slots, const int *kind, fly_arena *memory);
bool fly_pool_take(fly_system *s); // false: no memory
void fly_pool_begin_search(fly_system *s);
void fly_pool_note(fly_system *s, int a, int b); // two solids that are near each other
bool fly_pool_lacks(const fly_system *s);        // pairs were found that have no slot
int fly_pool_near(const fly_system *s);          // so many were found in all
// Who is no longer near leaves, who is wanted comes; x: springs of nx states, which let others come where they have
// faded. False: not all have a slot, and so many more are to be made of each contact (nfound; NULL: nobody asks).
bool fly_pool_seat(fly_system *s, const double *x, int nx, int *more);
fly_status fly_pool_grow(fly_system *s, const int *more, fly_error *error);
bool fly_pool_copy(fly_system *s, const fly_system *from); // who is in slots, if s has no fewer; false: it has
void fly_system_copy_slots(fly_system *s, const fly_system *from);
void fly_pool_image_slots(fly_system *s, fly_image *m); // before what is held,
void fly_pool_image_taken(fly_system *s, fly_image *m); // and behind it
void fly_pool_use_model(fly_system *s);                 // with other numbers
void fly_pool_free(fly_system *s);

// constraints.c
int fly_system_go_on(const fly_system *s); // -1: somebody asked to stop
fly_mass_fn fly_problem_mass;
fly_position_fn fly_problem_constraint, fly_problem_constraint_rate, fly_problem_constraint_jacobian;
fly_velocity_fn fly_problem_constraint_velocity_jacobian, fly_problem_constraint_gamma;
fly_row_name_fn fly_problem_row_name;
double fly_system_row_rate(const fly_system *s, int row);
double fly_system_row_value(const fly_system *s, double t, int row); // of a row of the model, less nothing
void fly_system_term_value(const fly_system *s, double t, int k, const fly_pair *p, double g[3]);
void fly_system_term_multipliers(const fly_system *s, const fly_term *term, const fly_dae_state *at, double lambda[3]);
void fly_system_joint_load(const fly_system *s, int measure, const fly_dae_state *at, double W[6], double *dW);

// bundles.c
bool fly_system_find_bundles(fly_system *s, fly_arena *memory); // false: no memory
void fly_system_put_rows(fly_system *s, double t, double *G);
void fly_system_add_gammas(const fly_system *s, double *gamma);
void fly_system_put_velocity_rows(const fly_system *s, double *Z);
void fly_system_add_curvatures(const fly_system *s, const fly_dae_state *at, double *J);
void fly_system_add_curvature(const fly_system *s, const fly_dae_state *at, int k, double *J); // derivatives.c: one
void fly_system_add_to_rows(const fly_system *s, int k, const double value[3], double *rows);

// compliance.c: rows that give way
void fly_system_take_soft(fly_system *s);
void fly_system_choose_soft(fly_system *s);
bool fly_system_list_soft(fly_system *s);              // false: no memory
int fly_system_soft_count(const fly_system *s);        // outputs y that they are
void fly_system_gaps(fly_system *s, double t);         // after an update
void fly_system_find_carried(fly_system *s, double t); // likewise, as an ODE
void fly_system_soft_outputs(fly_system *s, double t, double *h);
void fly_system_soft_forces(fly_system *s, const fly_dae_state *at, double *f);
int fly_system_append_soft(fly_system *s, int *row, int *col, int n);
void fly_system_soft_derivatives(fly_system *s, double *J0, double *J1, double *J2);
double fly_system_soft_energy(fly_system *s, double t);
double fly_system_soft_heat(fly_system *s,
                            const fly_dae_state *at); // of dampers, or of them and the springs beside [W]
double fly_system_soft_lent(fly_system *s, double t); // what these springs hold [J]
double fly_system_soft_motions(fly_system *s, const fly_dae_state *at); // power of motions that give way [W]

// forces.c
fly_force_fn fly_problem_force;
void fly_system_scatter_force(const fly_system *s, int force, const double *Q, double *f);
void fly_system_applied_forces(const fly_system *s, double *out);
void fly_system_some_applied_forces(const fly_system *s, int first, int end, double *out);

// expressions.c
fly_outputs_fn fly_problem_outputs;
void fly_system_triple_accelerations(const fly_model *m, const int marker[3], const double *wide, double a[FLY_TRIPLE]);
void fly_system_update_input(fly_system *s, const fly_dae_state *at, int k);
void fly_system_update_inputs(fly_system *s, const fly_dae_state *at);
// An expression of the equations after that, with its relations held where the state said.
double fly_system_expression(const fly_system *s, int expression);
void fly_system_expression_slopes(const fly_system *s, int expression, double *value, double *gradient);

// relations.c
fly_relations_fn fly_problem_relations;

// signals.c: the rows of states and of variables
fly_states_fn fly_problem_states;
void fly_system_start_signals(fly_system *s);
bool fly_system_variable_values(fly_system *s, const fly_dae_state *at, double *h); // of those that have rows; false: a
// plugin fails
double fly_system_signal_value(const fly_system *s, const fly_dae_state *at, const fly_model_measure *measure);
bool fly_system_has_column(const fly_model_measure *measure);                        // in J: it is an x or a y,
int fly_system_signal_column(const fly_system *s, const fly_model_measure *measure); // this one; -1: it has none
size_t fly_system_count_signal_places(const fly_model *m);
// Entries of J from n on; places are counted from `first` until the pattern is made. NULL rows: none are written.
int fly_system_append_signals(fly_system *s, int *row, int *col, int n, int first);
void fly_system_signal_derivatives(const fly_system *s, double *J0, double *J1, double *J2);

// own.c: states of forces of types
void fly_system_take_own(fly_system *s);
void fly_system_own_rates(fly_system *s, const fly_dae_state *at, double *d); // less these, d becomes
size_t fly_system_count_own_places(const fly_model *m);
int fly_system_append_own(fly_system *s, int *row, int *col, int n, int first);
void fly_system_own_derivatives(const fly_system *s, double t, double *J1, double *J2);

// past.c: what expressions were some time ago
size_t fly_past_numbers(const fly_model *m);                     // of s->past
int fly_past_point_numbers(void);                                // of s->past_point,
void fly_past_points(fly_system *s);                             // which are set here
double fly_past_value(const fly_system *s, int delay, double t); // at t, of an input that was a delay ago
void fly_past_begin(fly_system *s, const fly_dae_state *at);     // a start
bool fly_past_keep(fly_system *s, const fly_dae_state *at, const fly_step_taken *step); // false: it cannot be
void fly_past_copy(fly_system *s, const fly_system *from);                              // of the same model
bool fly_past_next_break(fly_system *s, fly_break *next, double t, double end);
double fly_past_longest(const fly_system *s, double h);

// trace.c: what the input of a delay does inside a step
typedef struct fly_range {
  double lo, hi;
} fly_range;
void fly_trace_take(fly_system *s);
// Into s->trace; no points: there is nothing to follow. False: it cannot be followed. The range grows by its values.
bool fly_trace_step(fly_system *s, int delay, const fly_step_taken *step, fly_range *range);

// plugins.c
void fly_plugins_take(fly_system *s);
bool fly_plugins_create(fly_system *s); // false: one refuses
void fly_plugins_free(fly_system *s);
bool fly_plugins_evaluate(fly_system *s);      // into plugin_value, of s->input. False: one fails, and is noted
bool fly_plugins_differentiate(fly_system *s); // likewise
int fly_plugin_columns(const fly_model *m, int plugin);                          // inputs and states
const double *fly_plugin_slopes(const fly_system *s, int plugin, int component); // derivatives in them
const fly_model_measure *fly_plugin_argument(const fly_model *m, int plugin, int column);

// switches.c: of `count` rows those that are independent at q; how many, -1: no memory
int fly_system_independent(const fly_system *s, double t, const double *q, int count, int *row);
// sticking.c: what comes to stick and cannot slides on, the other way. False: no memory.
bool fly_system_pass(fly_system *s, double t, const double *q, const double *v);
void fly_system_note_slides(fly_system *s);                          // before events change them
void fly_system_turn_slides(fly_system *s, const fly_dae_state *at); // as they have turned in a step
void fly_system_take_grips(fly_system *s);                           // as pairs are made
void fly_system_copy_grips(fly_system *s, const fly_system *from);   // of the same model
void fly_system_align_grips(fly_system *s, const double *q);         // of those that come

// bends.c: what moves do to the accelerations that the rows ask for
fly_bend_fn fly_problem_bend;

// tree.c: bodies without loops. False: no memory
bool fly_system_find_tree(fly_system *s);
const fly_joint_tree *fly_system_tree(const fly_system *s); // NULL: there are loops

// slips.c: nonholonomic rows
fly_position_fn fly_problem_nonholonomic;
fly_velocity_fn fly_problem_nonholonomic_gamma, fly_problem_nonholonomic_velocity_jacobian;
void fly_system_slip_name(const fly_system *s, char *text, size_t size, int row);
size_t fly_system_count_slip_places(const fly_model *m);
fly_status fly_system_slip_pattern(fly_system *s, fly_error *error);
void fly_system_slip_curvature(const fly_system *s, int k, const double *lambda, double *H); // H += d(B^T lambda)/dq
void fly_system_slip_load(const fly_system *s, int k, const double *lambda, double Q[6]);    // Q -= B^T lambda

// derivatives.c
fly_jacobian_fn fly_problem_jacobian;
int fly_system_group_rows(const fly_model *m, int marker, bool turn, int *first, int of[3]);
size_t fly_system_measure_places(const fly_model_measure *measure);
void fly_system_reaction_gradient(const fly_system *s, const fly_dae_state *at, int k, double weight[6],
                                  double dq[FLY_TRIPLE]);

// energy.c
fly_energy_fn fly_problem_energy;

// pattern.c
// An entry of a pattern in row r and column c, behind n others; its place counts from `first`, -1: it is nowhere.
int fly_system_append_place(int *place, int r, int c, int *row, int *col, int n, int first);
fly_status fly_system_make_patterns(fly_system *s, fly_error *error);                   // of M and G, of the rows kept
fly_status fly_system_share_patterns(fly_system *s, fly_patterns *p, fly_error *error); // or those of another
void fly_patterns_drop(fly_patterns *p);                                                // one user less; NULL: none
fly_status fly_system_jacobian_pattern(fly_system *s, fly_error *error);
void fly_system_jacobian_places(fly_system *s);
int fly_system_count_reaction_terms(const fly_model *m);
void fly_system_find_reaction_terms(fly_system *s);
size_t fly_system_count_applied_places(const fly_model *m);
size_t fly_system_count_force_places(const fly_model *m);
size_t fly_system_count_blocks(const fly_model *m, size_t *widest);

#endif
