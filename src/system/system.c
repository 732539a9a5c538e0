// A model becomes a system: memory, rows, the problem the solver sees.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "system/parts.h"

// What bodies remember of the place they were evaluated at last.
static void take_memories(fly_system *s) {
  const fly_model *m = s->model;
  s->body_memory = fly_arena_take(&s->memory, (size_t)m->nbody + 1, sizeof *s->body_memory);
  for (int k = 0; k < m->nbody && s->body_memory; k++) {
    const size_t count = m->body[k].type->remembered ? m->body[k].type->remembered(&m->body[k].own) : 0;
    s->body_memory[k] = count > 0 ? fly_arena_doubles(&s->work, count) : NULL;
  }
}

// Of bodies, what acts between them, and their motion.
static void take_bodies(fly_system *s) {
  const fly_model *m = s->model;
  fly_arena *a = &s->memory, *w = &s->work;
  s->body = fly_arena_take(w, (size_t)m->nbody + 1, sizeof *s->body);
  s->pair = fly_arena_take(a, (size_t)m->npair, sizeof *s->pair);
  s->force = fly_arena_take(w, (size_t)m->nforce, sizeof *s->force);
  s->beside = fly_arena_take(w, 1, sizeof *s->beside);
  s->q_seen = fly_arena_doubles(w, (size_t)m->nq);
  s->v_seen = fly_arena_doubles(w, (size_t)m->nv);
  s->pair_base = fly_arena_ints(a, 48 * (size_t)m->npair);
  s->force_start = fly_arena_ints(a, (size_t)m->nforce + 1);
  s->force_base = fly_arena_ints(a, fly_system_count_force_places(m));
  size_t widest, blocks = fly_system_count_blocks(m, &widest);
  s->body_base = fly_arena_ints(a, blocks);
  s->body_block = fly_arena_doubles(w, widest * widest);
  take_memories(s);
  s->body_stiffness = fly_arena_doubles(w, widest * widest);
  s->scale = fly_arena_doubles(a, (size_t)m->nv);
  s->rotation_q = fly_arena_ints(a, (size_t)m->nrotation);
  s->rotation_v = fly_arena_ints(a, (size_t)m->nrotation);
  s->group_v = fly_arena_ints(a, (size_t)m->nv);
  s->q0 = fly_arena_doubles(a, (size_t)m->nq);
  s->v0 = fly_arena_doubles(a, (size_t)m->nv);
  s->Q = fly_arena_doubles(w, (size_t)m->nv);
}

static void take(fly_system *s) {
  const fly_model *m = s->model;
  fly_arena *a = &s->memory, *w = &s->work, *h = &s->held;
  s->active = fly_arena_ints(a, (size_t)m->nrow);
  s->place_of = fly_arena_ints(a, (size_t)m->nrow);
  s->term_row = fly_arena_ints(a, 3 * (size_t)m->nterm);
  s->offset = fly_arena_doubles(h, (size_t)m->nrow);
  s->lit = fly_arena_take(h, (size_t)m->nrow, sizeof *s->lit);
  s->grip = fly_arena_take(h, (size_t)m->nfriction, sizeof *s->grip);
  s->slid = fly_arena_doubles(w, FLY_RUBS * (size_t)m->nfriction);
  fly_system_take_soft(s);
  s->row = fly_arena_doubles(w, (size_t)m->nrow);
  s->value = fly_arena_doubles(w, (size_t)m->nrow);
  s->motion = fly_arena_take(w, (size_t)m->nmotion, sizeof *s->motion);
  size_t angles = (size_t)(m->nterm + fly_model_listed(m) + m->nmeasure + m->npair);
  s->turn = fly_arena_take(h, angles, sizeof *s->turn);
  s->angle = fly_arena_take(a, angles, sizeof *s->angle);
  s->walked = fly_arena_take(w, angles, sizeof *s->walked);
  s->applied_place = fly_arena_ints(a, fly_system_count_applied_places(m));
  s->feedback_start = fly_arena_ints(a, (size_t)m->ny);
  s->reaction_start = fly_arena_ints(a, (size_t)m->nmeasure + 1);
  s->reaction_term = fly_arena_ints(a, (size_t)fly_system_count_reaction_terms(m));
  s->applied_start = fly_arena_ints(a, (size_t)m->napplied);
  s->input = fly_arena_doubles(w, 1 + (size_t)m->nmeasure);
  s->slip_place = fly_arena_ints(a, fly_system_count_slip_places(m));
  s->signal_place = fly_arena_ints(a, fly_system_count_signal_places(m));
  s->fired = fly_arena_take(h, (size_t)m->nevent, sizeof *s->fired);
  s->happened = fly_arena_take(h, (size_t)m->nevent, sizeof *s->happened);
  s->happened_last = fly_arena_doubles(h, (size_t)m->nevent);
  s->pile = fly_arena_take(h, (size_t)m->nevent, sizeof *s->pile);
  s->z = fly_arena_doubles(h, (size_t)fly_system_numbers(s));
  fly_plugins_take(s);
  s->past = fly_arena_doubles(h, fly_past_numbers(m));
  s->past_point = fly_arena_doubles(a, m->ndelay > 0 ? (size_t)fly_past_point_numbers() : 0);
  s->sudden = fly_arena_take(w, 1 + (size_t)m->nmeasure, sizeof *s->sudden);
  fly_trace_take(s);
  s->gradient = fly_arena_doubles(w, 1 + (size_t)m->nmeasure);
  fly_system_take_relations(s);
  fly_system_take_recall(s);
  fly_system_take_heat(s);
  fly_system_take_own(s);
  s->x0 = fly_arena_doubles(a, (size_t)m->nstate);
  s->scale_x = fly_arena_doubles(a, (size_t)m->nstate);
  take_bodies(s);
}

static void place_terms(fly_system *s) {
  for (int k = 0; k < s->model->nterm; k++) {
    const fly_term *term = &s->model->term[k];
    for (int r = 0, row = term->row; r < 3; r++)
      s->term_row[3 * k + r] = term->rows & (1 << r) ? s->place_of[row++] : -1;
  }
}

static void choose_rows(fly_system *s, int count, const int *keep) {
  const fly_model *m = s->model;
  s->nactive = keep ? count : fly_system_list_rows(s, s->active);
  for (int k = 0; k < m->nrow; k++) {
    s->lit[k] = fly_system_row_is_on(s, k);
    s->place_of[k] = -1;
  }
  for (int k = 0; k < s->nactive; k++) {
    s->active[k] = keep ? keep[k] : s->active[k];
    s->place_of[s->active[k]] = k;
  }
  place_terms(s);
  fly_system_choose_soft(s);
}

// Where it acts.
void fly_system_place_force(fly_system *s, int k) {
  for (int i = 0; i < s->forces[k].count; i++)
    s->force[k].marker[i] = fly_system_seen(s, s->forces[k].marker[i]);
}

static void set_bodies(fly_system *s) {
  const fly_model *m = s->model;
  int rotation = 0;
  fly_system_set_scales(s);
  for (int k = 0; k < m->nbody; k++) {
    const fly_body *b = &m->body[k];
    for (int c = 0; c < b->columns; c++)
      s->group_v[b->iv + c] = k;
    memcpy(s->q0 + b->iq, b->q0, (size_t)b->nq * sizeof(double));
    memcpy(s->v0 + b->iv, b->v0, (size_t)b->columns * sizeof(double));
    if (b->type->turn_q >= 0) {
      s->rotation_q[rotation] = b->iq + b->type->turn_q;
      s->rotation_v[rotation++] = b->iv + b->type->turn_v;
    }
  }
  s->body[m->nbody] = (fly_kinematics){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int k = 0; k < m->npair; k++) {
    const fly_seen i = fly_system_seen(s, m->pair[k].mi), j = fly_system_seen(s, m->pair[k].mj);
    s->pair[k] = (fly_pair){i.body, j.body, i.marker, j.marker};
  }
  fly_system_take_grips(s);
  for (int k = 0; k < m->nforce; k++) {
    s->force[k].count = m->force[k].count;
    s->force[k].memory = s->recall + s->recall_start[k];
    fly_system_place_force(s, k);
  }
}

static void add_angle(fly_system *s, fly_angle_kind kind, int which, bool felt) {
  s->angle[s->nangle++] = (fly_angle){kind, which, felt};
}

static void list_angles(fly_system *s) {
  const fly_model *m = s->model;
  for (int i = 0; i < m->nangle; i++)
    add_angle(s, FLY_ANGLE_OF_TERM, m->angle[i], m->row[m->term[m->angle[i]].row].counted);
  for (int k = 0; k < m->nforce; k++)
    if (m->force[k].type->turns)
      add_angle(s, FLY_ANGLE_OF_FORCE, k, true);
  for (int k = 0; k < m->nmeasure; k++)
    if (fly_measure_is_angle(&m->measure[k]))
      add_angle(s, FLY_ANGLE_OF_MEASURE, k, m->measure[k].felt);
  for (int k = 0; k < m->spec->nitem; k++)
    if (m->joint_pair[k] >= 0 && fly_joint_turns(&m->spec->item[k]))
      add_angle(s, FLY_ANGLE_OF_JOINT, m->joint_pair[k], false);
}

// Motions given by velocities or accelerations go on from where their coordinates are at the start.
static void start_motions(fly_system *s) {
  const fly_model *m = s->model;
  for (int k = 0; k < m->nmotion; k++)
    s->motion[k] = (fly_motion){.expression = m->expression[m->motion[k].expression], .level = m->motion[k].level};
  for (int k = 0; k < m->nterm; k++) {
    int motion = m->row[m->term[k].row].motion;
    fly_pair p = pair_of(s, m->term[k].pair);
    if (motion < 0 || s->motion[motion].level == 0)
      continue;
    fly_primitive_types[m->term[k].kind].value(&s->motion[motion].s, &p, &m->term[k].k);
    s->motion[motion].v = fly_primitive_rate(m->term[k].kind, &p, &m->term[k].k);
  }
}

// Couplers and screws hold the sum of their coordinates as it is at the start.
static void set_offsets(fly_system *s) {
  const fly_model *m = s->model;
  fly_system_update(s, s->q0, s->v0);
  start_motions(s);
  (void)fly_system_accept(s, 0.0, s->q0, s->v0);
  for (int k = 0; k < m->nrow; k++)
    s->offset[k] = m->row[k].counted ? fly_system_row_value(s, s->accepted, k) : 0.0;
}

static void see_frames(fly_system *s) {
  fly_dae_problem *p = &s->dae;
  for (int k = 0; k < s->model->nbody; k++)
    p->mass_constant = p->mass_constant && !s->model->body[k].type->mass_slope;
  p->mass = fly_framed_mass;
  p->force = fly_framed_force;
  p->constraint_jacobian = fly_framed_constraint_jacobian;
  p->constraint_gamma = fly_framed_constraint_gamma;
  p->constraint_velocity_jacobian = fly_framed_constraint_velocity_jacobian;
  p->nonholonomic = fly_framed_nonholonomic;
  p->nonholonomic_gamma = fly_framed_nonholonomic_gamma;
  p->nonholonomic_velocity_jacobian = fly_framed_nonholonomic_velocity_jacobian;
  p->jacobian = fly_framed_jacobian;
}

static bool can_leap(const fly_system *s) { return s->nlurking > 0 || s->nlength > 0 || fly_system_has_gaps(s); }

static const double MEASURE_OPERATIONS = 10; // of an input, about
static const double GAP_SHARE = 0.2; // of an evaluation of its force: a gap that is followed along a step, likewise

static double operations_in(const fly_model *m, int expression) {
  return expression >= 0 ? fly_expr_size(m->expression[expression]) : 0;
}

static double operations_of_gaps(const fly_model *m) {
  double sum = 0;
  for (int k = 0; k < m->nforce; k++)
    sum += m->force[k].type->operations ? m->force[k].type->operations(m->force[k].k) : 0;
  return sum;
}

// Of what an evaluation needs: forces, rates of states, and what they measure.
static double operations_of(const fly_model *m) {
  double sum = MEASURE_OPERATIONS * m->nmeasure + operations_of_gaps(m);
  for (int k = 0; k < m->napplied; k++)
    for (int c = 0; c < 6; c++)
      sum += operations_in(m, m->applied[k].expression[c]);
  for (int k = 0; k < m->nstate; k++)
    sum += m->state[k].part ? 0 : operations_in(m, m->state[k].rate);
  return sum;
}

static double operations_that_leap(const fly_system *s) {
  double sum = GAP_SHARE * operations_of_gaps(s->model);
  for (int k = 0; k < s->nlurking; k++)
    sum += fly_expr_size(s->lurking[k].expression);
  return sum;
}

static void fill_problem(fly_system *s) {
  const fly_model *m = s->model;
  s->dae = (fly_dae_problem){.name = m->spec->name,
                             .nq = m->nq,
                             .nv = m->nv,
                             .ng = s->nactive,
                             .nb = m->nsliprow,
                             .nx = m->nstate,
                             .ny = m->ny + fly_system_soft_count(s),
                             .nrotation = m->nrotation,
                             .rotation_q = s->rotation_q,
                             .rotation_v = s->rotation_v,
                             .group_v = s->group_v,
                             .mass_pattern = {s->M.start, s->M.row},
                             .constraint_pattern = {s->G.start, s->G.row},
                             .nonholonomic_pattern = {s->B.start, s->B.row},
                             .jacobian_pattern = {s->J.start, s->J.row},
                             .lean = s->lean ? &s->lean->dae : NULL,
                             .mass_constant = true,
                             .rates_constant = m->ny + fly_system_soft_count(s) == 0,
                             .rows_written = s->G_sole && m->nframe == 0,
                             .mass = fly_problem_mass,
                             .force = fly_problem_force,
                             .states = m->nstate > 0 ? fly_problem_states : NULL,
                             .outputs = fly_problem_outputs,
                             .constraint = fly_problem_constraint,
                             .constraint_jacobian = fly_problem_constraint_jacobian,
                             .constraint_rate = fly_problem_constraint_rate,
                             .constraint_gamma = fly_problem_constraint_gamma,
                             .constraint_velocity_jacobian = fly_problem_constraint_velocity_jacobian,
                             .nonholonomic = fly_problem_nonholonomic,
                             .nonholonomic_gamma = fly_problem_nonholonomic_gamma,
                             .nonholonomic_velocity_jacobian = fly_problem_nonholonomic_velocity_jacobian,
                             .jacobian = fly_problem_jacobian,
                             .bend = fly_problem_bend,
                             .energy = fly_problem_energy,
                             .row_name = fly_problem_row_name,
                             .accepted = fly_problem_accepted,
                             .autonomous = s->ntimed == 0 && m->ndelay == 0 && m->nplugin == 0,
                             .nroot = m->nroot,
                             .roots = m->nroot > 0 ? fly_problem_roots : NULL,
                             .event = m->nroot > 0 ? fly_problem_event : NULL,
                             .watch = s->model->nroot > 0 ? fly_problem_watch : NULL,
                             .nrelation = s->nrelation,
                             .nfirm = s->nfirm,
                             .firm_jumps = s->firm_jumps,
                             .relations = s->nrelation > 0 ? fly_problem_relations : NULL,
                             .cross = m->naction > 0 || s->near.there ? fly_problem_cross : NULL,
                             .next_break = m->nevent > m->nroot || m->ndelay > 0 ? fly_problem_next_break
                                           : s->ntimed                           ? fly_system_next_break
                                                                                 : NULL,
                             .longest_step = s->ntimed || m->ndelay > 0 ? fly_system_longest_step : NULL,
                             .leap = can_leap(s) ? fly_system_leap : NULL,
                             .scale_v = s->scale,
                             .scale_x = s->scale_x,
                             .evaluation_operations = operations_of(m),
                             .leap_operations = operations_that_leap(s),
                             .tree = fly_system_tree(s),
                             .user = s};
  if (m->nframe > 0)
    see_frames(s);
}

static fly_status no_memory(const fly_system *s, fly_error *error) {
  return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for a system of %d bodies.", s->model->nbody);
}

static bool has_rows_of(const fly_system *s, const fly_system *other) {
  return s->model == other->model && s->nactive == other->nactive &&
         memcmp(s->active, other->active, (size_t)s->nactive * sizeof *s->active) == 0;
}

// other: a system whose patterns will do if it keeps the same rows; NULL: none.
static fly_status make_patterns(fly_system *s, const fly_system *other, fly_error *error) {
  const fly_status status = other && has_rows_of(s, other) ? fly_system_share_patterns(s, other->patterns, error)
                                                           : fly_system_make_patterns(s, error);
  return status ? status : fly_system_slip_pattern(s, error);
}

// The pattern of the derivatives, and where their entries go; then what is joined of all.
static fly_status derive(fly_system *s, fly_error *error) {
  fly_status status = fly_system_jacobian_pattern(s, error);
  if (status)
    return status;
  s->derived = true;
  fly_system_jacobian_places(s);
  status = fly_system_join_patterns(s, error);
  return status ? status : fly_system_make_lean(s, error);
}

fly_status fly_system_create(fly_system *s, const fly_model *model, int count, const int *keep, fly_error *error) {
  return fly_system_create_soft(s, model, &(fly_softness){0}, count, keep, error);
}

// All but the derivatives.
static fly_status create(fly_system *s, const fly_model *model, const fly_softness *soft, const fly_system *other,
                         int count, const int *keep, fly_error *error) {
  *s = (fly_system){.softness = *soft, .piled = -1, .past_fault = -1, .plugin_fault = -1, .burst = -1};
  s->model = model = fly_pool_model(model, 0, NULL, &s->memory);
  if (!model)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for contacts that are found.");
  take(s);
  if (s->memory.failed || s->work.failed || s->held.failed || !fly_system_take_frames(s))
    return no_memory(s, error);
  if (!fly_plugins_create(s))
    return fly_fail(error, FLY_CALLBACK, NAN, "The plugin `%s` refuses to be created: its `create` fails with %d.",
                    model->spec->item[model->plugin[s->plugin_fault].item].name, s->plugin_code);
  if (s->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d plugins.", model->nplugin);
  s->force_turn = s->turn + model->nterm;
  s->measure_turn = s->force_turn + fly_model_listed(model);
  s->joint_turn = s->measure_turn + model->nmeasure;
  if (!fly_system_take_nearby(s))
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d forces.", model->nforce);
  fly_system_start_signals(s);
  choose_rows(s, count, keep);
  fly_system_find_reaction_terms(s);
  set_bodies(s);
  fly_system_near_start(s);
  fly_past_points(s);
  list_angles(s);
  return make_patterns(s, other, error);
}

// What is known where patterns are; the problem the solver sees.
static fly_status finish(fly_system *s, fly_error *error) {
  set_offsets(s);
  if (!fly_system_find_timed(s) || !fly_system_find_lurking(s) || !fly_system_find_lengths(s) ||
      !fly_system_find_conditions(s) || (s->derived && !fly_system_find_tree(s)))
    return no_memory(s, error);
  fly_system_find_relations(s);
  fill_problem(s);
  return FLY_OK;
}

static fly_status create_derived(fly_system *s, const fly_model *model, const fly_softness *soft,
                                 const fly_system *other, int count, const int *keep, fly_error *error) {
  fly_status status = create(s, model, soft, other, count, keep, error);
  if (status == FLY_OK)
    status = derive(s, error);
  return status ? status : finish(s, error);
}

fly_status fly_system_create_soft(fly_system *s, const fly_model *model, const fly_softness *soft, int count,
                                  const int *keep, fly_error *error) {
  return create_derived(s, model, soft, NULL, count, keep, error);
}

fly_status fly_system_create_beside(fly_system *s, const fly_system *other, int count, const int *keep,
                                    fly_error *error) {
  return create_derived(s, other->model, &other->softness, other, count, keep, error);
}

fly_status fly_system_create_rows(fly_system *s, const fly_model *model, const fly_softness *soft, fly_error *error) {
  fly_status status = create(s, model, soft, NULL, 0, NULL, error);
  if (status == FLY_OK && model->nframe > 0) // joined to the columns of others, all at once
    status = derive(s, error);
  else if (status == FLY_OK && !fly_system_list_soft(s))
    status = no_memory(s, error);
  return status ? status : finish(s, error);
}

fly_status fly_system_derive(fly_system *s, fly_error *error) {
  if (s->derived)
    return FLY_OK;
  const fly_status status = derive(s, error);
  if (status)
    return status;
  if (!fly_system_find_tree(s))
    return no_memory(s, error);
  fill_problem(s);
  return FLY_OK;
}

static void copy_events(fly_system *to, const fly_system *from) {
  const size_t n = (size_t)from->model->nevent;
  if (n == 0)
    return;
  memcpy(to->fired, from->fired, n * sizeof *to->fired);
  memcpy(to->happened, from->happened, n * sizeof *to->happened);
  memcpy(to->happened_last, from->happened_last, n * sizeof *to->happened_last);
  memcpy(to->pile, from->pile, n * sizeof *to->pile);
}

// Of a model that may have more slots.
static fly_status make_anew(fly_system *s, const fly_model *model, int count, const int *keep, fly_error *error) {
  fly_system fresh;
  fly_status status = fly_system_create_soft(&fresh, model, &s->softness, count, keep, error);
  if (status) {
    fly_system_free(&fresh);
    return status;
  }
  fly_system_copy_near(&fresh, s);
  if (!fly_system_use_near(&fresh)) {
    fly_system_free(&fresh);
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d forces.", s->model->nforce);
  }
  fly_system_copy_history(&fresh, s);
  if (fresh.model->nforce >= s->model->nforce && s->model->nforce > 0)
    memcpy(fresh.taken, s->taken, (size_t)s->model->nforce * sizeof *s->taken);
  fresh.near.pool.names = s->near.pool.names;
  s->near.pool.names = (fly_arena){0};
  copy_events(&fresh, s);
  fresh.smooth_until = s->smooth_until;
  fresh.run_end = s->run_end;
  fresh.switched = s->switched;
  fresh.stop = s->stop;
  fresh.stop_user = s->stop_user;
  fly_system_free(s);
  *s = fresh;
  s->dae.user = s;
  return FLY_OK;
}

fly_status fly_system_keep(fly_system *s, int count, const int *keep, fly_error *error) {
  return make_anew(s, s->model, count, keep, error);
}

fly_status fly_system_use_kinds(fly_system *s, int slots, const int *kind, fly_error *error) {
  fly_arena work = {0};
  const fly_model *other = fly_pool_model(s->model, slots, kind, &work);
  const fly_status status = other ? make_anew(s, other, s->nactive, s->active, error)
                                  : fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d contacts.", slots);
  fly_arena_free(&work);
  return status;
}

void fly_system_free(fly_system *s) {
  fly_plugins_free(s);
  fly_pool_free(s);
  fly_csc_free(&s->G);
  fly_csc_free(&s->B);
  fly_csc_free(&s->J);
  fly_system_free_lean(s);
  fly_csc_free(&s->join_G.wide);
  fly_csc_free(&s->join_B.wide);
  fly_csc_free(&s->join_J.wide);
  fly_patterns_drop(s->patterns);
  fly_arena_free(&s->memory);
  fly_arena_free(&s->work);
  fly_arena_free(&s->held);
}
