#include "io/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/stream.h"
#include "element/inertia.h"
#include "flyball/json.h"
#include "io/forms.h"
#include "io/mesh.h"
#include "io/read.h"
#include "math/constants.h"
#include "math/so3.h"
#include "model/curve.h"
#include "model/hull.h"

typedef struct scene {
  const fly_spec *spec;
  const fly_model *model;
  const double *q; // positions, or NULL: as given
  fly_json json;
  fly_status status; // of meshes
  fly_error *error;
} scene;

// ------------------------------------------------------------------------------------------ pieces

static void key_numbers(fly_json *j, const char *key, const double *x, int count) {
  fly_json_key(j, key);
  fly_json_numbers(j, x, (size_t)count);
}

static void write_axes(fly_json *j, const double A[9]) {
  double p[4];
  fly_quat_of_matrix(p, A);
  key_numbers(j, "quaternion", p, 4);
}

static void write_place(fly_json *j, fly_place place) {
  fly_json_key(j, "line");
  if (place.file == NULL) {
    fly_json_null(j);
    return;
  }
  const char *slash = strrchr(place.file, '/'); // a report is sent to others: where the file lies is not their business
  fly_json_integer(j, place.line);
  fly_json_put_string(j, "file", slash != NULL ? slash + 1 : place.file);
}

static bool in_section(const fly_item *item, const char *section) { return strcmp(item->type->section, section) == 0; }

// ------------------------------------------------------------------------------------------ what the user gave

static void write_words(fly_json *j, const fly_value *value, bool list) {
  if (!list) {
    fly_json_string(j, value->word[0]);
    return;
  }
  fly_json_begin_array(j);
  for (int k = 0; k < value->count; k++)
    fly_json_string(j, value->word[k]);
  fly_json_end_array(j);
}

// Parameters that are told elsewhere in the scene.
static bool told_elsewhere(const fly_parameter *row) {
  switch (row->type) {
  case FLY_NUMBER:
  case FLY_EXPRESSION:
    return false;
  case FLY_WORD:
    return strcmp(row->name, "color") == 0;
  default:
    return true;
  }
}

static void write_data(fly_json *j, const fly_item *item) {
  fly_json_open_object(j, "data");
  for (int k = 0; item->type->parameters[k].name != NULL; k++) {
    const fly_parameter *row = &item->type->parameters[k];
    const fly_value *value = fly_item_row(item, k);
    if (!value->given || told_elsewhere(row))
      continue;
    fly_json_key(j, row->name);
    if (row->type != FLY_NUMBER)
      write_words(j, value, row->count != 1);
    else if (row->count == 1)
      fly_json_number(j, value->number[0]);
    else
      fly_json_numbers(j, value->number, (size_t)value->count);
  }
  fly_json_end_object(j);
}

static void begin_element(fly_json *j, const fly_item *item) {
  fly_json_begin_object(j);
  fly_json_put_string(j, "name", item->name);
  fly_json_put_string(j, "type", item->type->name);
  write_place(j, item->place);
}

// ------------------------------------------------------------------------------------------ shapes

static void write_mesh(scene *s, const fly_value *value, const char *file, double scale) {
  fly_json *j = &s->json;
  fly_mesh mesh = {0};
  char *path = fly_path_beside(value->place.file != NULL ? value->place.file : "", file);
  if (path == NULL)
    s->status = fly_fail(s->error, FLY_NO_MEMORY, NAN, "Out of memory for a mesh.");
  else if (s->status == FLY_OK)
    s->status = fly_mesh_read(&mesh, path, s->error);
  free(path);
  fly_json_put_string(j, "type", "mesh");
  fly_json_put_string(j, "file", file);
  fly_json_put_number(j, "scale", scale);
  fly_json_open_array(j, "vertices");
  for (int k = 0; k < 3 * mesh.nvertex; k++) {
    char text[40];
    snprintf(text, sizeof text, "%.6g", (double)mesh.vertex[k]); // six digits are enough for a picture
    fly_json_number(j, strtod(text, NULL));
  }
  fly_json_end_array(j);
  fly_json_open_array(j, "triangles");
  for (int k = 0; k < 3 * mesh.ntriangle; k++)
    fly_json_integer(j, mesh.triangle[k]);
  fly_json_end_array(j);
  fly_mesh_free(&mesh);
}

// Triangles between rings and poles of an ellipsoid; ring 0 and RINGS are the poles, of SECTORS points at one place.
static void write_ellipsoid(fly_json *j, const double *size) {
  enum { RINGS = 16, SECTORS = 24 };
  fly_json_put_string(j, "type", "mesh");
  fly_json_put_string(j, "file", "ellipsoid");
  fly_json_put_number(j, "scale", 1);
  fly_json_open_array(j, "vertices");
  for (int k = 0; k < (RINGS + 1) * SECTORS; k++) {
    const int ring = k / SECTORS, sector = k % SECTORS;
    const double high = FLY_PI * ring / RINGS, round = 2 * FLY_PI * sector / SECTORS;
    fly_json_number(j, size[0] / 2 * sin(high) * cos(round));
    fly_json_number(j, size[1] / 2 * sin(high) * sin(round));
    fly_json_number(j, size[2] / 2 * cos(high));
  }
  fly_json_end_array(j);
  fly_json_open_array(j, "triangles");
  for (int k = 0; k < RINGS * SECTORS; k++) {
    const int next = k % SECTORS + 1 < SECTORS ? k + 1 : k + 1 - SECTORS;
    const int corner[6] = {k, k + SECTORS, next, next, k + SECTORS, next + SECTORS};
    for (int c = 0; c < 6; c++)
      fly_json_integer(j, corner[c]);
  }
  fly_json_end_array(j);
}

// A face is a fan of triangles.
static void write_hull(scene *s, const char *word, double scale) {
  fly_json *j = &s->json;
  fly_arena work = {0};
  fly_hull hull = {0};
  double middle[3] = {0};
  const fly_status status = fly_hull_of_word(&hull, middle, word, scale, &work, s->error);
  s->status = s->status == FLY_OK ? status : s->status;
  fly_json_put_string(j, "type", "mesh");
  fly_json_put_string(j, "file", "hull");
  fly_json_put_number(j, "scale", 1);
  fly_json_open_array(j, "vertices");
  for (int k = 0; status == FLY_OK && k < 3 * hull.count; k++)
    fly_json_number(j, middle[k % 3] + hull.corner[k / 3][k % 3]);
  fly_json_end_array(j);
  fly_json_open_array(j, "triangles");
  for (int k = 0; status == FLY_OK && k < hull.faces; k++)
    for (int c = hull.start[k] + 1; c + 1 < hull.start[k + 1]; c++) {
      fly_json_integer(j, hull.of[hull.start[k]]);
      fly_json_integer(j, hull.of[c]);
      fly_json_integer(j, hull.of[c + 1]);
    }
  fly_json_end_array(j);
  fly_arena_free(&work);
}

enum { ALONG = 12 }; // points of an interval of a spline, and of a sixth of a turn

static int count_seen(const fly_curve *c) {
  return c->kind == FLY_CURVE_LINES ? c->count : c->kind == FLY_CURVE_SPLINE ? ALONG * c->count : 6 * ALONG;
}

static void point_seen(double x[3][2], const fly_curve *c, int k) {
  const double from = c->kind == FLY_CURVE_ARC ? c->from : 0, to = c->kind == FLY_CURVE_ARC ? c->to : FLY_TAU;
  const double angle = from + (to - from) * k / (c->kind == FLY_CURVE_ARC ? 6 * ALONG - 1 : 6 * ALONG);
  if (c->kind == FLY_CURVE_LINES)
    memcpy(x[0], c->point[k], sizeof x[0]);
  else if (c->kind == FLY_CURVE_SPLINE)
    fly_curve_at(x, c, k / ALONG,
                 c->knot[k / ALONG] + (c->knot[k / ALONG + 1] - c->knot[k / ALONG]) * (k % ALONG) / ALONG);
  else {
    x[0][0] = c->radius * cos(angle);
    x[0][1] = c->radius * sin(angle);
  }
}

// A band along it, seen from both sides.
static void write_band(scene *s, const char *word, double scale) {
  fly_json *j = &s->json;
  fly_arena work = {0};
  fly_curve c = {0};
  const fly_status status = fly_curve_of_word(&c, word, scale, &work, s->error);
  const int n = status == FLY_OK ? count_seen(&c) : 0, last = c.closed ? n : n - 1;
  s->status = s->status == FLY_OK ? status : s->status;
  fly_json_put_string(j, "type", "mesh");
  fly_json_put_string(j, "file", "curve");
  fly_json_put_number(j, "scale", 1);
  fly_json_open_array(j, "vertices");
  for (int k = 0; k < 2 * n; k++) {
    double x[3][2];
    point_seen(x, &c, k / 2);
    fly_json_number(j, x[0][0]);
    fly_json_number(j, x[0][1]);
    fly_json_number(j, (k % 2 ? 0.1 : -0.1) * c.reach);
  }
  fly_json_end_array(j);
  fly_json_open_array(j, "triangles");
  for (int k = 0; k < last; k++) {
    const int a = 2 * k, b = 2 * ((k + 1) % n),
              corner[12] = {a, b, a + 1, b, b + 1, a + 1, a, a + 1, b, b, a + 1, b + 1};
    for (int i = 0; i < 12; i++)
      fly_json_integer(j, corner[i]);
  }
  fly_json_end_array(j);
  fly_arena_free(&work);
}

static void write_solid(fly_json *j, int kind, const double *size) {
  const fly_shape_type *type = &fly_shape_types[kind];
  if (kind == FLY_SHAPE_ELLIPSOID) {
    write_ellipsoid(j, size);
    return;
  }
  if (kind == FLY_SHAPE_PLANE) { // a sheet
    fly_json_put_string(j, "type", "box");
    key_numbers(j, "size", (double[]){size[0], size[0], 1e-3 * size[0]}, 3);
    return;
  }
  fly_json_put_string(j, "type", type->name);
  if (kind == FLY_SHAPE_BOX) {
    key_numbers(j, "size", size, 3);
    return;
  }
  for (int k = 0; k < type->nsize; k++)
    fly_json_put_number(j, kind == FLY_SHAPE_TUBE && k == 1 ? "inner" : type->size[k], size[k]);
}

static void write_shapes(scene *s, const fly_item *item, const char *color) {
  fly_json *j = &s->json;
  fly_json_open_array(j, "shapes");
  const int row = item != NULL ? fly_parameter_find(item->type, "shapes") : -1;
  const fly_value *value = row >= 0 && fly_item_row(item, row)->given ? fly_item_row(item, row) : NULL;
  for (int k = 0; value != NULL && k < value->count; k++) {
    const double *number = value->number + (size_t)k * FLY_SHAPE_NUMBERS;
    const int kind = fly_shape_find(value->word[k]);
    fly_json_begin_object(j);
    if (kind >= 0)
      write_solid(j, kind, number + FLY_SHAPE_SIZE);
    else if (fly_shape_is_hull(value->word[k]))
      write_hull(s, value->word[k], number[FLY_SHAPE_SIZE]);
    else if (fly_curve_type_of(value->word[k]))
      write_band(s, value->word[k], number[FLY_SHAPE_SIZE]);
    else
      write_mesh(s, value, value->word[k] + strlen(FLY_SHAPE_MESH), number[FLY_SHAPE_SIZE]);
    key_numbers(j, "at", number + FLY_SHAPE_AT, 3);
    write_axes(j, number + FLY_SHAPE_AXES);
    if (color != NULL)
      fly_json_put_string(j, "color", color);
    fly_json_end_object(j);
  }
  fly_json_end_array(j);
}

const char *fly_scene_color(const char *word) {
  static const char *const colors[][2] = {
      {"red", "#c8382e"},  {"orange", "#e07b22"}, {"yellow", "#e3b51e"}, {"green", "#4a9b46"}, {"teal", "#1f9a93"},
      {"blue", "#2f6db5"}, {"purple", "#7d55b0"}, {"pink", "#d3669a"},   {"brown", "#8a6242"}, {"black", "#2c2f33"},
      {"gray", "#858b92"}, {"white", "#eceef0"},  {"steel", "#9aa7b4"},  {"brass", "#c2a14b"}, {"copper", "#b87346"}};
  for (size_t k = 0; k < sizeof colors / sizeof *colors; k++)
    if (strcmp(colors[k][0], word) == 0)
      return colors[k][1];
  return NULL;
}

// "#rrggbb", or NULL: not given.
static const char *color_of(const fly_item *item) {
  const char *word =
      item != NULL && fly_parameter_find(item->type, "color") >= 0 ? fly_item_word(item, "color", 0) : NULL;
  return word != NULL ? fly_scene_color(word) : NULL;
}

// ------------------------------------------------------------------------------------------ bodies

static void write_markers(fly_json *j, const fly_item *item) {
  fly_json_open_array(j, "markers");
  for (int k = 0; item != NULL && k < item->nmarker; k++) {
    fly_json_begin_object(j);
    fly_json_put_string(j, "name", item->marker[k].name);
    key_numbers(j, "at", item->marker[k].at, 3);
    write_axes(j, item->marker[k].A);
    fly_json_end_object(j);
  }
  fly_json_end_array(j);
}

static void write_ground(scene *s) {
  fly_json *j = &s->json;
  const fly_item *item = fly_spec_find(s->spec, "bodies", "ground");
  fly_json_begin_object(j);
  fly_json_put_string(j, "name", "ground");
  fly_json_put_string(j, "kind", "ground");
  write_place(j, item != NULL ? item->place : (fly_place){0});
  write_shapes(s, item, color_of(item));
  write_markers(j, item);
  fly_json_end_object(j);
}

static void write_inertia(fly_json *j, const fly_body *b) {
  const double *J = b->own.J, all[6] = {J[0], J[4], J[8], J[1], J[2], J[5]};
  if (b->type->inertias > 0)
    key_numbers(j, "inertia", b->type->inertias == 1 ? &J[8] : all, b->type->inertias);
}

// Where a point of a flexible body stands in its frame, with a move of mode j (j < 0: none).
static void point_of_mode(double out[3], const fly_body *b, const fly_marker *m, double *q, int j, double move) {
  fly_kinematics k = {0};
  memset(q, 0, (size_t)b->nq * sizeof *q);
  q[b->type->turn_q] = 1;
  if (j >= 0)
    q[b->type->nq + j] = move;
  b->type->frames->position(&k, q, m, &b->own);
  memcpy(out, k.r, sizeof k.r);
}

// The line of a beam that deforms: points along x of its frame, and how far each mode moves them.
static void write_curve(scene *s, const fly_item *item, const fly_body *b) {
  enum { POINTS = 17 };
  if (!b->type->frames || !b->type->attach || !b->type->kept || fly_parameter_find(item->type, "length") < 0)
    return;
  const int modes = b->nq - b->type->nq;
  const size_t count = (size_t)POINTS * 3;
  double *q = calloc((size_t)b->nq + count * (1 + (size_t)modes), sizeof *q);
  void *kept = calloc(1, b->type->kept(&b->own));
  for (int k = 0; q != NULL && kept != NULL && k < POINTS; k++) {
    fly_marker m = {.s = {fly_item_number(item, "length") * k / (POINTS - 1)}, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    double *point = q + b->nq + 3 * k, *shape = q + b->nq + count + (size_t)(3 * modes * k), offset[3], back[3];
    b->type->attach(kept, offset, &m, &b->own);
    m.own = kept;
    point_of_mode(point, b, &m, q, -1, 0);
    for (int j = 0; j < modes; j++, shape += 3) { // what is of second order falls out
      point_of_mode(shape, b, &m, q, j, 1);
      point_of_mode(back, b, &m, q, j, -1);
      for (int i = 0; i < 3; i++)
        shape[i] = (shape[i] - back[i]) / 2;
    }
  }
  if (q != NULL && kept != NULL) {
    fly_json_open_object(&s->json, "curve");
    key_numbers(&s->json, "points", q + b->nq, (int)count);
    key_numbers(&s->json, "shapes", q + b->nq + count, (int)count * modes);
    fly_json_end_object(&s->json);
  }
  free(kept);
  free(q);
}

static void write_body(scene *s, const fly_body *b) {
  fly_json *j = &s->json;
  const fly_item *item = &s->spec->item[b->item];
  const char *color = color_of(item);
  fly_kinematics k = {0};
  fly_body_position(b, s->q != NULL ? s->q + b->iq : b->q0, &k);
  fly_json_begin_object(j);
  fly_json_put_string(j, "name", b->name);
  fly_json_put_string(j, "kind", item->type->name);
  write_place(j, item->place);
  fly_json_put_number(j, "mass", b->own.mass);
  write_inertia(j, b);
  key_numbers(j, "center", b->own.center, 3);
  key_numbers(j, "position", k.r, 3);
  write_axes(j, k.R);
  if (color != NULL)
    fly_json_put_string(j, "color", color);
  write_shapes(s, item, color);
  write_curve(s, item, b);
  write_markers(j, item);
  write_data(j, item);
  fly_json_end_object(j);
}

static void write_bodies(scene *s) {
  fly_json_open_array(&s->json, "bodies");
  write_ground(s);
  for (int k = 0; k < s->model->nbody; k++)
    write_body(s, &s->model->body[k]);
  fly_json_end_array(&s->json);
}

// ------------------------------------------------------------------------------------------ ends of joints, forces

// Name of a marker that the user gave; NULL: a body's frame, or made for a joint.
static const char *given_name(const scene *s, int marker) {
  const fly_model *m = s->model;
  const int body = m->marker[marker].body;
  const fly_item *item =
      body == FLY_GROUND ? fly_spec_find(s->spec, "bodies", "ground") : &s->spec->item[m->body[body].item];
  const int first = body == FLY_GROUND ? 0 : m->body[body].first_marker;
  return item != NULL && marker > first && marker <= first + item->nmarker ? m->marker[marker].name : NULL;
}

// A marker in the frame the user gave the body, not in that of its mass centre. Returns the name of the body.
static const char *place_of_marker(const scene *s, int marker, double at[3]) {
  const fly_model_marker *m = &s->model->marker[marker];
  const fly_body *body = m->body == FLY_GROUND ? NULL : &s->model->body[m->body];
  for (int k = 0; k < 3; k++)
    at[k] = m->m.s[k] + (body != NULL ? body->own.center[k] : 0);
  return body != NULL ? body->name : "ground";
}

static void write_end(scene *s, int marker) {
  fly_json *j = &s->json;
  double at[3];
  fly_json_begin_object(j);
  fly_json_put_string(j, "body", place_of_marker(s, marker, at));
  fly_json_put_string(j, "marker", given_name(s, marker));
  key_numbers(j, "at", at, 3);
  write_axes(j, s->model->marker[marker].m.A);
  fly_json_end_object(j);
}

// The marker that a parameter of an element names; -1: none.
static int marker_of(const scene *s, const fly_item *item, const char *parameter) {
  const int row = fly_parameter_find(item->type, parameter);
  if (row < 0 || item->type->parameters[row].type != FLY_MARKER)
    return -1;
  const char *word = fly_item_word(item, parameter, 0);
  return word != NULL ? fly_model_marker_find(s->model, word) : -1;
}

// Joints that an element names, if it does.
static void write_joints_named(fly_json *j, const fly_item *item) {
  for (int k = 0; item->type->parameters[k].name != NULL; k++) {
    const fly_value_type type = item->type->parameters[k].type;
    if ((type != FLY_JOINT && type != FLY_JOINTS) || !fly_item_row(item, k)->given)
      continue;
    fly_json_key(j, type == FLY_JOINT ? "joint" : "joints");
    write_words(j, fly_item_row(item, k), type == FLY_JOINTS);
  }
}

static void write_joint(scene *s, int k) {
  fly_json *j = &s->json;
  const fly_item *item = &s->spec->item[k];
  const int pair = s->model->joint_pair[k];
  begin_element(j, item);
  fly_json_open_array(j, "ends");
  if (pair >= 0) {
    write_end(s, s->model->pair[pair].mi);
    write_end(s, s->model->pair[pair].mj);
  }
  fly_json_end_array(j);
  write_joints_named(j, item);
  write_data(j, item);
  fly_json_end_object(j);
}

static void write_motion(scene *s, int k) {
  begin_element(&s->json, &s->spec->item[k]);
  write_joints_named(&s->json, &s->spec->item[k]);
  write_data(&s->json, &s->spec->item[k]);
  fly_json_end_object(&s->json);
}

// Its ends are the markers it names, but for the one that only gives axes.
static void write_force(scene *s, int k) {
  fly_json *j = &s->json;
  const fly_item *item = &s->spec->item[k];
  const int axes = marker_of(s, item, "axes");
  begin_element(j, item);
  fly_json_put_string(j, "look", item->type->force != NULL ? item->type->force->look : "arrow");
  fly_json_open_array(j, "ends");
  for (const fly_parameter *row = item->type->parameters; row->name != NULL; row++) {
    const int marker = strcmp(row->name, "axes") != 0 ? marker_of(s, item, row->name) : -1;
    if (marker >= 0)
      write_end(s, marker);
  }
  fly_json_end_array(j);
  if (axes >= 0) {
    fly_json_key(j, "axes");
    write_end(s, axes);
  }
  write_joints_named(j, item);
  write_data(j, item);
  fly_json_end_object(j);
}

static void write_trail(scene *s, int k) {
  fly_json *j = &s->json;
  const fly_item *item = &s->spec->item[k];
  const int marker = marker_of(s, item, "of");
  if (marker < 0)
    return;
  double at[3];
  const char *body = place_of_marker(s, marker, at);
  fly_json_begin_object(j);
  fly_json_put_string(j, "name", item->name);
  write_place(j, item->place);
  fly_json_put_string(j, "body", body);
  key_numbers(j, "at", at, 3);
  fly_json_end_object(j);
}

static const char *body_of_marker(const scene *s, int marker) {
  double at[3];
  return place_of_marker(s, marker, at);
}

// Each pair of bodies that may touch, by the name that its channels have.
static void write_contacts(scene *s) {
  fly_json *j = &s->json;
  fly_json_open_array(j, "contacts");
  for (int k = 0; k < s->model->nforce; k++) {
    const fly_model_force *f = &s->model->force[k];
    if (f->type->near == NULL)
      continue;
    fly_json_begin_object(j);
    fly_json_put_string(j, "name", f->name);
    write_place(j, s->spec->item[f->item].place);
    fly_json_open_array(j, "bodies");
    for (int i = 0; i < f->count; i++)
      fly_json_string(j, body_of_marker(s, f->marker[i]));
    fly_json_end_array(j);
    fly_json_end_object(j);
  }
  fly_json_end_array(j);
}

static void write_section(scene *s, const char *section, void (*write)(scene *s, int k)) {
  fly_json_open_array(&s->json, section);
  for (int k = 0; k < s->spec->nitem; k++)
    if (in_section(&s->spec->item[k], section))
      write(s, k);
  fly_json_end_array(&s->json);
}

// ------------------------------------------------------------------------------------------ the scene

static bool is_planar(const fly_model *m) {
  for (int k = 0; k < m->nbody; k++)
    if (!m->body[k].type->flat)
      return false;
  return m->nbody > 0;
}

static void write_scene(scene *s) {
  fly_json *j = &s->json;
  fly_json_begin_object(j);
  fly_json_put_string(j, "name", s->spec->name);
  fly_json_put_string(j, "text", s->spec->text);
  fly_json_key(j, "planar");
  fly_json_bool(j, is_planar(s->model));
  key_numbers(j, "gravity", s->spec->gravity, 3);
  fly_json_put_number(j, "size", s->model->size);
  write_bodies(s);
  write_section(s, "joints", write_joint);
  write_section(s, "motions", write_motion);
  write_section(s, "forces", write_force);
  write_contacts(s);
  write_section(s, "trails", write_trail);
  fly_json_end_object(j);
}

fly_status fly_scene_make(char **bytes, size_t *size, const fly_mechanism *m, const double *q, fly_error *error) {
  scene s = {.spec = &m->spec, .model = &m->model, .q = q, .error = error};
  FILE *file = fly_stream_open(bytes, size);
  bool written = file != NULL;
  if (written) {
    s.json = fly_json_to(fly_to_file, file, 0);
    write_scene(&s);
    written = fly_json_finish(&s.json);
    written = fclose(file) == 0 && written;
  }
  if (s.status == FLY_OK && !written)
    s.status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for the scene of a model.");
  if (s.status) {
    free(*bytes);
    *bytes = NULL;
    *size = 0;
  }
  return s.status;
}
