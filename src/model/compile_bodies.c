// Bodies with their masses, and markers.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "model/compile.h"

// ------------------------------------------------------------------------------------------ bodies

bool fly_item_is_ground(const fly_item *item) { return strcmp(item->name, "ground") == 0; }

const char *fly_cannot_turn(const fly_model *m, int body) {
  return body != FLY_GROUND && !m->body[body].type->turns ? m->body[body].type->noun : NULL;
}

bool fly_body_is_length(const fly_body *b, int c) { return b->column[c] < 3 || b->column[c] == FLY_COLUMN_OWN_LENGTH; }

// "mode3", "mode3_rate"
static fly_quantity own_quantity(fly_model *m, const fly_body_type *type, int k, const char *behind, const char *per) {
  const size_t size = strlen(type->more_name) + strlen(behind) + 12, room = strlen(type->more_unit) + strlen(per) + 1;
  char *name = fly_arena_take(&m->memory, size, 1), *unit = fly_arena_take(&m->memory, room, 1);
  if (m->memory.failed)
    return (fly_quantity){0};
  snprintf(name, size, "%s%d%s", type->more_name, k + 1, behind);
  snprintf(unit, room, "%s%s", type->more_unit, per);
  return (fly_quantity){name, unit, type->noun};
}

// Coordinates as the user asks for them, behind those that all of its kind have.
static void add_more(fly_model *m, fly_body *b, int more) {
  const fly_body_type *type = b->type;
  int *column = fly_arena_ints(&m->memory, (size_t)b->columns);
  fly_quantity *state = fly_arena_take(&m->memory, (size_t)(b->nq + b->columns + 1), sizeof *state);
  fly_quantity *acceleration = fly_arena_take(&m->memory, (size_t)(b->columns + 1), sizeof *acceleration);
  if (m->memory.failed)
    return;
  for (int c = 0; c < b->columns; c++)
    column[c] = c < type->nv ? type->column[c] : type->more_column;
  memcpy(state, type->state, (size_t)type->nq * sizeof *state);
  memcpy(state + b->nq, type->state + type->nq, (size_t)type->nv * sizeof *state);
  memcpy(acceleration, type->acceleration, (size_t)type->nv * sizeof *acceleration);
  for (int k = 0; k < more; k++) {
    state[type->nq + k] = own_quantity(m, type, k, "", "");
    state[b->nq + type->nv + k] = own_quantity(m, type, k, "_rate", "/s");
    acceleration[type->nv + k] = own_quantity(m, type, k, "_acceleration", "/s^2");
  }
  b->column = column;
  b->state = state;
  b->acceleration = acceleration;
}

static fly_status size_body(fly_model *m, fly_body *b, const fly_maker *from) {
  const fly_body_type *type = b->type;
  int more = 0;
  fly_status status = type->more ? type->more(&more, from) : FLY_OK;
  b->nq = type->nq + more;
  b->columns = type->nv + more;
  b->column = type->column;
  b->blocks = type->blocks + more;
  b->state = type->state;
  b->acceleration = type->acceleration;
  if (more > 0)
    add_more(m, b, more);
  while (b->framed < b->columns && b->column[b->framed] < FLY_COLUMN_OWN)
    b->framed++;
  b->q0 = fly_arena_doubles(&m->memory, (size_t)(b->nq + b->columns));
  b->own.k = fly_arena_take(&m->memory, type->size, 1);
  return status;
}

fly_status fly_add_body(fly_model *m, int k, fly_error *error) {
  const fly_item *item = &m->spec->item[k];
  if (fly_item_is_ground(item)) // it has markers only
    return FLY_OK;
  const fly_body_type *type = item->type->body;
  fly_body *b = &m->body[m->nbody];
  fly_making with = fly_making_of(m, item, error);
  *b = (fly_body){.name = item->name, .item = k, .type = type, .iq = m->nq, .iv = m->nv};
  fly_status status = size_body(m, b, &with.maker);
  if (status)
    return status;
  if (m->memory.failed)
    return fly_fail_at(error, FLY_NO_MEMORY, NAN, FLY_NOWHERE, item->name, "Out of memory for the body `%s`.",
                       item->name);
  b->v0 = b->q0 + b->nq;
  m->body_of_item[k] = m->nbody++;
  m->nq += b->nq;
  m->nv += b->columns;
  m->nrotation += type->turn_q >= 0;
  return type->make(&b->own, b->q0, b->v0, &with.maker);
}

int fly_body_places(const fly_body *b) {
  int n = 0;
  while (n < b->columns && b->column[n] < 3)
    n++;
  return n;
}

void fly_body_start(const fly_body *b, fly_kinematics *k) { fly_body_kinematics(b, b->q0, b->v0, k); }

void fly_body_kinematics(const fly_body *b, const double *q, const double *v, fly_kinematics *k) {
  *k = (fly_kinematics){0};
  fly_body_position(b, q, k);
  fly_body_velocity(b, v, k);
}

void fly_body_position(const fly_body *b, const double *q, fly_kinematics *k) { b->type->position(k, q); }

void fly_body_velocity(const fly_body *b, const double *v, fly_kinematics *k) { b->type->velocity(k, v); }

// ------------------------------------------------------------------------------------------ markers

static const fly_kinematics GROUND_KINEMATICS = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

void fly_start_kinematics(const fly_model *m, int body, fly_kinematics *k) {
  if (body == FLY_GROUND)
    *k = GROUND_KINEMATICS;
  else
    fly_body_start(&m->body[body], k);
}

// To a point of a body that deforms.
static void attach(fly_model *m, fly_model_marker *k, const fly_body *b) {
  void *kept = fly_arena_take(&m->memory, b->type->kept(&b->own), 1);
  if (m->memory.failed)
    return;
  b->type->attach(kept, k->offset, &k->m, &b->own);
  k->m.own = kept;
}

int fly_add_marker(fly_model *m, const char *name, int body, const double s[3], const double A[9]) {
  fly_model_marker *k = &m->marker[m->nmarker];
  k->name = name;
  k->body = body;
  k->frame = body != FLY_GROUND && m->body[body].type->frames ? m->nframe++ : -1;
  memcpy(k->m.s, s, sizeof k->m.s);
  memcpy(k->m.A, A, sizeof k->m.A);
  if (body != FLY_GROUND && m->body[body].type->attach)
    attach(m, k, &m->body[body]);
  return m->nmarker++;
}

// The frame the user gave first, then the markers, all seen from the mass centre. Marker 0 is ground.
void fly_add_body_markers(fly_model *m, int body) {
  fly_body *b = &m->body[body];
  const fly_item *item = &m->spec->item[b->item];
  double s[3] = {-b->own.center[0], -b->own.center[1], -b->own.center[2]};
  b->first_marker = fly_add_marker(m, item->name, body, s, FLY_UNIT);
  for (int k = 0; k < item->nmarker; k++) {
    for (int i = 0; i < 3; i++)
      s[i] = item->marker[k].at[i] - b->own.center[i];
    fly_add_marker(m, item->marker[k].name, body, s, item->marker[k].A);
  }
}

void fly_add_ground_markers(fly_model *m) {
  const fly_item *item = fly_spec_find(m->spec, "bodies", "ground");
  fly_add_marker(m, "ground", FLY_GROUND, (double[3]){0}, FLY_UNIT);
  for (int k = 0; item && k < item->nmarker; k++)
    fly_add_marker(m, item->marker[k].name, FLY_GROUND, item->marker[k].at, item->marker[k].A);
}

int fly_model_body(const fly_model *m, const char *name) {
  if (strcmp(name, "ground") == 0)
    return FLY_GROUND;
  const fly_item *item = fly_spec_find(m->spec, "bodies", name);
  return item ? m->body_of_item[item - m->spec->item] : -2;
}

// The marker of a body; NULL: its frame. -1: there is none.
static int marker_of(const fly_model *m, const char *body, const char *marker) {
  const int b = fly_model_body(m, body), first = b >= 0 ? m->body[b].first_marker : 0;
  const fly_item *item = b < FLY_GROUND ? NULL : fly_spec_find(m->spec, "bodies", body);
  if (!marker)
    return b < FLY_GROUND ? -1 : first;
  for (int k = 0; item && k < item->nmarker; k++)
    if (strcmp(item->marker[k].name, marker) == 0)
      return first + 1 + k;
  return -1;
}

// Names of bodies in parts have dots, and so have markers that parts put on ground: fl.wheel.hub, ground.fl.wall.
int fly_model_marker_find(const fly_model *m, const char *reference) {
  char body[256];
  size_t n = strlen(reference);
  if (n >= sizeof body)
    return -1;
  memcpy(body, reference, n + 1);
  int found = marker_of(m, body, NULL);
  while (found < 0 && n > 0) {
    if (body[--n] != '.')
      continue;
    body[n] = 0;
    found = marker_of(m, body, reference + n + 1);
  }
  return found;
}
