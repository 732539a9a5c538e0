// Forces. What a force is and does is said by its row of the list of elements; here its markers are found
// and its parameters and expressions made.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "expr/expr.h"
#include "model/compile.h"

// ------------------------------------------------------------------------------------------ all of them

// Expressions push in its place: it has no other law, or they are given.
static bool is_load(const fly_item *item) {
  const fly_load_type *load = item->type->load;
  if (!load || !item->type->force)
    return load != NULL;
  for (int c = 0; c < FLY_LOAD_COMPONENTS; c++)
    if (load->parameter[c] && fly_item_given(item, load->parameter[c]))
      return true;
  return false;
}

static const fly_force_type *force_type(const fly_item *item) { return is_load(item) ? NULL : item->type->force; }

static size_t room_for(const fly_force_type *type) {
  return (type->size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
}

// A row that is the first of the list to do what it does.
static bool is_first(const fly_element_type *const *row) {
  const fly_element_type *const *first = fly_element_types;
  while (!(*first)->force || (*first)->force->force != (*row)->force->force)
    first++;
  return first == row;
}

// A contact makes one for each two of its bodies, others one.
static int forces_of(const fly_spec *spec, const fly_item *item) {
  return strcmp(item->type->section, "contacts") == 0 ? fly_contact_pairs(spec, item) : 1;
}

// Numbers forces so that those that do the same lie together, in the order of the list, with their parameters.
fly_status fly_number_forces(fly_model *m, fly_error *error) {
  const fly_spec *spec = m->spec;
  size_t bytes = 0;
  for (int k = 0; k < spec->nitem; k++) {
    const fly_force_type *type = force_type(&spec->item[k]);
    m->force_of_item[k] = -1;
    const int made = type ? forces_of(spec, &spec->item[k]) : 0;
    m->nforce += made;
    bytes += type ? (size_t)made * room_for(type) : 0;
  }
  char *room = fly_arena_take(&m->memory, bytes, 1);
  m->force = fly_arena_take(&m->memory, (size_t)m->nforce, sizeof *m->force);
  if (m->memory.failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d forces.", m->nforce);
  int n = 0;
  for (const fly_element_type *const *row = fly_element_types; *row; row++)
    for (int k = 0; (*row)->force && is_first(row) && k < spec->nitem; k++) {
      const fly_force_type *type = force_type(&spec->item[k]);
      if (!type || type->force != (*row)->force->force)
        continue;
      const int made = forces_of(spec, &spec->item[k]);
      m->force_of_item[k] = made > 0 ? n : -1;
      for (int i = made; i > 0; i--, room += room_for(type))
        m->force[n++] = (fly_model_force){.type = type, .item = k, .name = spec->item[k].name, .k = room};
    }
  return FLY_OK;
}

int fly_model_listed(const fly_model *m) { return m->nforce - m->nslot; }

bool fly_model_has_contacts(const fly_model *m) {
  bool has = m->nfound > 0;
  for (int k = 0; k < m->nforce && !has; k++)
    has = m->force[k].type->near != NULL;
  return has;
}

int fly_model_acting_count(const fly_model *m) { return fly_model_listed(m) + m->napplied - m->nown; }

fly_acting fly_model_acting(const fly_model *m, int k) {
  const int listed = fly_model_listed(m);
  if (k < listed)
    return (fly_acting){m->force[k].item, m->force[k].name, m->force[k].type->quantity};
  const fly_model_applied *a = &m->applied[k - listed];
  return (fly_acting){a->item, m->spec->item[a->item].name, a->type->quantity};
}

// ------------------------------------------------------------------------------------------ markers

static fly_status joint_markers(const fly_model *m, const fly_item *item, const char *parameter, int marker[2],
                                fly_error *error) {
  int joint = 0;
  fly_status status = fly_joint_named(m, item, fly_item_word(item, parameter, 0), &joint, error);
  if (status)
    return status;
  const fly_item *j = &m->spec->item[joint];
  if (item->type->force->turns && !fly_joint_turns(j))
    return fly_item_fail(item, error, "`%s` is a %s joint, which does not turn.", j->name, j->type->name);
  marker[0] = m->pair[m->joint_pair[joint]].mi;
  marker[1] = m->pair[m->joint_pair[joint]].mj;
  return FLY_OK;
}

// Those that its parameters name, in the order of their table: markers, or the two of a joint.
static fly_status force_markers(const fly_model *m, const fly_item *item, int *marker, int *count, fly_error *error) {
  fly_status status = FLY_OK;
  *count = 0;
  for (const fly_parameter *row = item->type->parameters; row->name && status == FLY_OK && *count < FLY_FORCE_MARKERS;
       row++)
    if (row->type == FLY_JOINT) {
      status = joint_markers(m, item, row->name, marker, error);
      *count = 2;
    } else if (row->type == FLY_MARKER && (row->required || fly_item_word(item, row->name, 0))) {
      status = fly_marker_named(m, item, row->name, &marker[(*count)++], error);
    }
  if (status == FLY_OK && *count == 2 && m->marker[marker[0]].body == m->marker[marker[1]].body)
    status = fly_item_fail(item, error, "acts between two points of the same body.");
  return status;
}

// ------------------------------------------------------------------------------------------ forces of a type

static void see_markers(fly_making *with, const fly_model_force *f) {
  fly_model *m = with->m;
  with->maker.start.count = f->count;
  for (int k = 0; k < f->count; k++) {
    const fly_model_marker *marker = &m->marker[f->marker[k]];
    fly_start_kinematics(m, marker->body, &with->body[k]);
    with->maker.start.marker[k] = (fly_seen){&with->body[k], &marker->m};
    with->maker.body[k] = marker->body == FLY_GROUND ? "ground" : m->body[marker->body].name;
    with->maker.cannot_turn[k] = fly_cannot_turn(m, marker->body);
  }
}

static fly_status take_axes(fly_making *with, fly_model_force *f) {
  double A[9], at[3];
  bool own = false;
  fly_status status = f->type->axes(A, &own, &with->maker);
  for (int k = 0; k < f->count && own && status == FLY_OK; k++) {
    fly_marker_point(at, with->maker.start.marker[k].body, with->maker.start.marker[k].marker);
    f->marker[k] = fly_marker_in_space(with->m, with->item->name, with->m->marker[f->marker[k]].body, at, A);
  }
  see_markers(with, f);
  return status;
}

static fly_status add_typed(fly_model *m, int item, fly_error *error) {
  fly_model_force *f = &m->force[m->force_of_item[item]];
  fly_making with = fly_making_of(m, &m->spec->item[item], error);
  fly_status status = force_markers(m, with.item, f->marker, &f->count, error);
  if (status)
    return status;
  see_markers(&with, f);
  if (f->type->axes)
    status = take_axes(&with, f);
  return status ? status : f->type->make(f->k, &with.maker);
}

// ------------------------------------------------------------------------------------------ loads

fly_measure_level fly_model_measure_level(const fly_model_measure *measure) {
  if (measure->signal)
    return FLY_OF_POSITION;
  return measure->joint >= 0 ? FLY_OF_ACCELERATION : fly_measure_types[measure->kind].level;
}

bool fly_measure_is_angle(const fly_model_measure *measure) {
  return measure->joint < 0 && !measure->signal && fly_measure_types[measure->kind].turns;
}

// The measures its expressions use, each once. What forces feel of accelerations and reactions are outputs y.
static fly_status set_inputs(fly_model *m, fly_model_applied *a, fly_error *error) {
  const fly_item *it = &m->spec->item[a->item];
  int list[FLY_LOAD_INPUTS], n = 0;
  for (int c = 0; c < FLY_LOAD_COMPONENTS; c++) {
    int count = 0;
    const int *inputs = a->expression[c] >= 0 ? fly_expr_inputs(m->expression[a->expression[c]], &count) : NULL;
    for (int k = 0; k < count; k++) {
      int i = 0;
      while (i < n && list[i] != inputs[k] - 1)
        i++;
      if (i < n || inputs[k] == FLY_EXPR_TIME)
        continue;
      if (n == FLY_LOAD_INPUTS)
        return fly_item_fail(it, error, "uses more than %d different measures.", FLY_LOAD_INPUTS);
      list[n++] = inputs[k] - 1;
      fly_feel(m, inputs[k]);
    }
  }
  a->ninput = n;
  a->input = fly_arena_ints(&m->memory, (size_t)n);
  if (m->memory.failed)
    return fly_fail_at(error, FLY_NO_MEMORY, NAN, FLY_NOWHERE, it->name, "Out of memory for the force `%s`.", it->name);
  memcpy(a->input, list, (size_t)n * sizeof *list);
  return FLY_OK;
}

// The words its expressions know stand for measures between its markers.
static fly_asking asking(fly_model *m, const fly_model_applied *a) {
  fly_asking who = {.m = m};
  for (int k = 0; k < FLY_LOAD_WORDS; k++) {
    const fly_load_word *word = &a->type->word[k];
    who.word[k] = word->word;
    who.measure[k] = (fly_model_measure){.kind = (int)word->measure, .joint = -1};
    for (int i = 0; i < 3; i++)
      who.measure[k].marker[i] = word->word && word->marker[i] >= 0 ? a->marker[word->marker[i]] : -1;
  }
  return who;
}

static fly_status load_markers(const fly_model *m, fly_model_applied *a, fly_error *error) {
  const fly_item *item = &m->spec->item[a->item];
  int count = 0;
  if (!a->type->marker[0])
    return force_markers(m, item, a->marker, &count, error);
  fly_status status = FLY_OK;
  for (int k = 0; k < 3 && status == FLY_OK; k++)
    if (k == 0 || fly_item_word(item, a->type->marker[k], 0))
      status = fly_marker_named(m, item, a->type->marker[k], &a->marker[k], error);
  return status;
}

// What a body that cannot turn would not feel must not be lost.
static fly_status check_turning(const fly_model *m, const fly_model_applied *a, fly_error *error) {
  const fly_item *item = &m->spec->item[a->item];
  const char *parameter = a->type->turning;
  for (int k = 0; k < 2 && parameter && fly_item_given(item, parameter); k++) {
    int body = a->marker[k] >= 0 ? m->marker[a->marker[k]].body : FLY_GROUND;
    if (fly_cannot_turn(m, body))
      return fly_item_fail(item, error,
                           "`%s` acts on the %s `%s`, which cannot turn; give it an inertia, or take the %s away.",
                           parameter, fly_cannot_turn(m, body), m->body[body].name, parameter);
  }
  return FLY_OK;
}

static fly_status add_load(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  fly_model_applied *a = &m->applied[m->napplied];
  *a = (fly_model_applied){.item = item, .type = it->type->load, .marker = {-1, -1, -1}};
  fly_status status = load_markers(m, a, error);
  if (status == FLY_OK)
    status = check_turning(m, a, error);
  fly_asking who = asking(m, a);
  for (int c = 0; c < FLY_LOAD_COMPONENTS; c++)
    a->expression[c] = -1;
  for (int c = 0; c < FLY_LOAD_COMPONENTS && status == FLY_OK; c++)
    if (a->type->parameter[c] && fly_item_given(it, a->type->parameter[c]))
      status = fly_compile_asking(&who, it, a->type->parameter[c], a->type->place[c], &a->expression[c], error);
  if (status == FLY_OK)
    status = set_inputs(m, a, error);
  m->napplied += status == FLY_OK;
  return status;
}

fly_status fly_add_force(fly_model *m, int item, fly_error *error) {
  return m->force_of_item[item] >= 0 ? add_typed(m, item, error) : add_load(m, item, error);
}
