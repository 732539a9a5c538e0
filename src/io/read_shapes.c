// Shapes of a body. Their kinds and lengths are a table of the elements.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "element/inertia.h"
#include "io/forms.h"
#include "io/mesh.h"
#include "io/read.h"
#include "io/reader.h"
#include "model/curve.h"
#include "model/hull.h"

// Kinds that are not lengths.
enum { MESH = FLY_SHAPE_KINDS, HULL, CURVE, ALL_KINDS = CURVE + FLY_CURVE_TYPES };

static const char *name_of(int kind) {
  if (kind >= CURVE)
    return fly_curve_types[kind - CURVE].name;
  return kind < FLY_SHAPE_KINDS ? fly_shape_types[kind].name : kind == MESH ? "mesh" : "hull";
}

// The names of all kinds, and as a list that ends with NULL.
static void list_kinds(char *list, size_t size, const char *words[ALL_KINDS + 1]) {
  for (int k = 0; k < ALL_KINDS; k++) {
    words[k] = name_of(k);
    size_t used = k > 0 ? strlen(list) : 0;
    snprintf(list + used, size - used, k > 0 ? ", %s" : "%s", words[k]);
  }
  words[ALL_KINDS] = NULL;
}

static int no_kind(fly_reader *r, const fly_tree_node *node, const fly_tree_node *type) {
  const char *words[ALL_KINDS + 1];
  char list[300], suggestion[100];
  list_kinds(list, sizeof list, words);
  if (type == NULL)
    return fly_reader_fault(r, node, "a shape needs a 'type': one of %s.", list) - 1;
  if (type->kind != FLY_TREE_SCALAR)
    return fly_reader_fault(r, type, "'type' takes one of %s, not %s.", list, fly_tree_kind_name(type)) - 1;
  fly_reader_suggest(suggestion, sizeof suggestion, type->text, words);
  return fly_reader_fault(r, type, "there is no shape '%.60s'.%s Shapes are %s.", type->text, suggestion, list) - 1;
}

// The kind of a shape, or -1.
static int read_kind(fly_reader *r, const fly_tree_node *node) {
  const fly_tree_node *type = fly_tree_find(node, "type");
  const bool word = type != NULL && type->kind == FLY_TREE_SCALAR;
  for (int k = 0; word && k < ALL_KINDS; k++)
    if (strcmp(type->text, name_of(k)) == 0)
      return k;
  return no_kind(r, node, type);
}

// Rows of a kind: those of all shapes, then its lengths.
static void rows_of(fly_parameter rows[FLY_SHAPE_FORM_ROWS + FLY_SHAPE_SIZES + 1], const fly_shape_type *type) {
  memcpy(rows, fly_shape_form, FLY_SHAPE_FORM_ROWS * sizeof *rows);
  for (int k = 0; k < type->nsize; k++)
    rows[FLY_SHAPE_FORM_ROWS + k] = (fly_parameter){.name = type->size[k],
                                                    .type = FLY_NUMBER,
                                                    .count = 1,
                                                    .unit = "m",
                                                    .required = true,
                                                    .low = -INFINITY,
                                                    .high = INFINITY};
  rows[FLY_SHAPE_FORM_ROWS + type->nsize] = (fly_parameter){0};
}

static bool check_sizes(fly_reader *r, const fly_tree_node *node, int kind, const fly_field *size,
                        const double *value) {
  const fly_shape_type *type = &fly_shape_types[kind];
  for (int k = 0; k < type->nsize; k++)
    if (size[k].entry == NULL)
      return fly_reader_fault(r, node, "'%s' of this %s is missing [m].", type->size[k], type->name);
  const int wrong = fly_shape_check((fly_shape_kind)kind, value);
  return wrong < 0 || fly_reader_fault(r, size[wrong].entry->value, "no %s can have the %s %g m.", type->name,
                                       type->size[wrong], value[wrong]);
}

static const char *const also[] = {"type", NULL};

static void place_shape(double number[FLY_SHAPE_NUMBERS], const fly_field *field) {
  static const double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const fly_field *turned = &field[FLY_SHAPE_FORM_ORIENTATION];
  memcpy(number + FLY_SHAPE_AT, field[FLY_SHAPE_FORM_AT].number, 3 * sizeof *number);
  memcpy(number + FLY_SHAPE_AXES, turned->entry != NULL ? turned->number : axes, sizeof axes);
}

static bool copy_mesh(fly_reader *r, const fly_mesh *mesh, const char *word, const char *file) {
  fly_arena *memory = &r->spec->memory;
  const size_t corners = 3 * (size_t)mesh->nvertex, triangles = 3 * (size_t)mesh->ntriangle;
  fly_spec_mesh *m = fly_arena_take(memory, 1, sizeof *m);
  float *corner = fly_arena_take(memory, corners, sizeof *corner);
  int *of = fly_arena_ints(memory, triangles);
  if (m == NULL || corner == NULL || of == NULL)
    return fly_reader_no_memory(r);
  memcpy(corner, mesh->vertex, corners * sizeof *corner);
  memcpy(of, mesh->triangle, triangles * sizeof *of);
  *m = (fly_spec_mesh){word, file, mesh->nvertex, mesh->ntriangle, corner, of, r->spec->mesh};
  r->spec->mesh = m;
  return true;
}

// Reads the file, once for all that name it, and keeps it with the spec; one that cannot be read is told where it is
// named.
static bool keep_mesh(fly_reader *r, const fly_tree_node *node, const char *word) {
  const char *file = fly_reader_place(r, node).file;
  fly_mesh mesh;
  fly_error one;
  if (fly_spec_mesh_find(r->spec, word, file) != NULL)
    return true;
  char *path = fly_reader_path(r, node);
  if (path == NULL)
    return false;
  const fly_status status = fly_mesh_read(&mesh, path, &one);
  free(path);
  const bool good = status == FLY_OK && copy_mesh(r, &mesh, word, file);
  fly_mesh_free(&mesh);
  if (status == FLY_NO_MEMORY)
    return fly_reader_no_memory(r);
  return status != FLY_OK
             ? fly_reader_fault(r, node, "the mesh cannot be read: %.*s", (int)strcspn(one.message, "\n"), one.message)
             : good;
}

static bool read_mesh(fly_reader *r, const fly_tree_node *node, double number[FLY_SHAPE_NUMBERS], const char **word) {
  fly_field field[FLY_MESH_FORM_ROWS] = {0};
  if (!fly_reader_fields(r, node, "a mesh", fly_mesh_form, also, field))
    return false;
  const fly_tree_entry *file = field[FLY_MESH_FORM_FILE].entry, *scale = field[FLY_MESH_FORM_SCALE].entry;
  if (file == NULL)
    return fly_reader_fault(r, node, "'file' of this mesh is missing: an STL or OBJ file.");
  const char *name = fly_reader_text(r, file->value, "file", "the name of an STL or OBJ file");
  if (name == NULL)
    return false;
  char *text = fly_arena_take(&r->spec->memory, strlen(FLY_SHAPE_MESH) + strlen(name) + 1, 1);
  if (text == NULL)
    return fly_reader_no_memory(r);
  strcat(strcpy(text, FLY_SHAPE_MESH), name);
  *word = text;
  if (!keep_mesh(r, file->value, text))
    return false;
  number[FLY_SHAPE_SIZE] = scale != NULL ? field[FLY_MESH_FORM_SCALE].number[0] : 1;
  number[FLY_SHAPE_DENSITY] = NAN;
  place_shape(number, field);
  if (scale != NULL && number[FLY_SHAPE_SIZE] == 0)
    return fly_reader_fault(r, scale->value, "'scale' of a mesh cannot be 0.");
  return true;
}

// ------------------------------------------------------------------------------------------ hulls

// The points of a file into the scratch array; their count, or -1.
static int points_of_file(fly_reader *r, const fly_tree_node *node) {
  fly_mesh mesh = {0};
  fly_error one;
  char *path = fly_reader_path(r, node);
  int count = -1;
  if (path == NULL)
    return -1;
  const fly_status status = fly_mesh_read(&mesh, path, &one);
  free(path);
  if (status != FLY_OK)
    fly_reader_fault(r, node, "the points cannot be read: %.*s", (int)strcspn(one.message, "\n"), one.message);
  else if (mesh.nvertex > FLY_HULL_POINTS)
    fly_reader_fault(r, node, "a hull takes at most %d points, not the %d of this file.", FLY_HULL_POINTS,
                     mesh.nvertex);
  else if (fly_reader_reserve(r, 3 * mesh.nvertex))
    count = mesh.nvertex;
  for (int k = 0; k < 3 * count; k++)
    r->number[k] = mesh.vertex[k];
  fly_mesh_free(&mesh);
  return count;
}

// Likewise those that are written in the model.
static int points_of_list(fly_reader *r, const fly_tree_node *node) {
  int rows = 0, columns = 0;
  if (!fly_reader_matrix(r, node, &fly_hull_form[FLY_HULL_FORM_POINTS], &rows, &columns))
    return -1;
  if (columns != 3)
    return fly_reader_fault(r, node, "'points' takes a list of points [x, y, z], not of %d numbers each.", columns) - 1;
  if (rows > FLY_HULL_POINTS)
    return fly_reader_fault(r, node, "a hull takes at most %d points, not %d.", FLY_HULL_POINTS, rows) - 1;
  return rows;
}

// Numbers of the scratch array as a word, behind its first.
static char *word_of(fly_reader *r, const char *first, int count) {
  const size_t room = strlen(first) + (size_t)count * FLY_NUMBER_SIZE + 1;
  char *text = fly_arena_take(&r->spec->memory, room, 1), *end = text;
  if (text == NULL)
    return NULL;
  end += strlen(strcpy(text, first));
  for (int k = 0; k < count; k++) {
    fly_number_text(end, r->number[k]);
    end += strlen(end);
    if (k + 1 < count)
      *end++ = ' ';
    *end = 0;
  }
  return text;
}

static bool check_hull(fly_reader *r, const fly_tree_node *node, const char *word, double scale) {
  fly_arena work = {0};
  fly_hull hull;
  double middle[3];
  fly_error one;
  const fly_status status = fly_hull_of_word(&hull, middle, word, scale, &work, &one);
  fly_arena_free(&work);
  if (status == FLY_NO_MEMORY)
    return fly_reader_no_memory(r);
  return status == FLY_OK || fly_reader_fault(r, node, "%.*s", (int)strcspn(one.message, "\n"), one.message);
}

static bool read_hull(fly_reader *r, const fly_tree_node *node, double number[FLY_SHAPE_NUMBERS], const char **word) {
  fly_field field[FLY_HULL_FORM_ROWS] = {0};
  if (!fly_reader_fields(r, node, "a hull", fly_hull_form, also, field))
    return false;
  const fly_tree_entry *points = field[FLY_HULL_FORM_POINTS].entry, *file = field[FLY_HULL_FORM_FILE].entry;
  const fly_tree_entry *scale = field[FLY_HULL_FORM_SCALE].entry, *density = field[FLY_HULL_FORM_DENSITY].entry;
  if ((points == NULL) == (file == NULL))
    return fly_reader_fault(r, node, "a hull takes 'points' or a 'file', one of them.");
  number[FLY_SHAPE_SIZE] = scale != NULL ? field[FLY_HULL_FORM_SCALE].number[0] : 1;
  number[FLY_SHAPE_DENSITY] = density != NULL ? field[FLY_HULL_FORM_DENSITY].number[0] : (double)NAN;
  place_shape(number, field);
  if (scale != NULL && number[FLY_SHAPE_SIZE] == 0)
    return fly_reader_fault(r, scale->value, "'scale' of a hull cannot be 0.");
  if (file != NULL && fly_reader_text(r, file->value, "file", "the name of an STL or OBJ file") == NULL)
    return false;
  const int count = points != NULL ? points_of_list(r, points->value) : points_of_file(r, file->value);
  if (count < 0)
    return false;
  *word = word_of(r, FLY_SHAPE_HULL, 3 * count);
  if (*word == NULL)
    return fly_reader_no_memory(r);
  return check_hull(r, points != NULL ? points->value : file->value, *word, number[FLY_SHAPE_SIZE]);
}

// ------------------------------------------------------------------------------------------ curves

// The numbers of a curve into the scratch array; their count, or -1.
static int curve_numbers(fly_reader *r, const fly_curve_type *type, const fly_parameter *row, const fly_field *key) {
  int rows = 0, columns = 0;
  if (type->list == 0) {
    while (rows < FLY_CURVE_KEYS && type->key[rows] != NULL)
      rows++;
    if (!fly_reader_reserve(r, rows))
      return -1;
    for (int k = 0; k < rows; k++)
      r->number[k] = key[k].number[0];
    return rows;
  }
  const fly_tree_node *node = key[0].entry->value;
  if (!fly_reader_matrix(r, node, row, &rows, &columns))
    return -1;
  if (columns != (type->list == 2 ? 2 : 0) && !(type->list == 1 && columns == 1))
    return fly_reader_fault(r, node,
                            type->list == 2 ? "'%s' takes a list of points [x, y]." : "'%s' takes a list of numbers.",
                            type->key[0]) -
           1;
  return rows * type->list;
}

static bool check_curve(fly_reader *r, const fly_tree_node *node, const char *word, double scale) {
  fly_arena work = {0};
  fly_curve curve;
  fly_error one;
  const fly_status status = fly_curve_of_word(&curve, word, scale, &work, &one);
  fly_arena_free(&work);
  if (status == FLY_NO_MEMORY)
    return fly_reader_no_memory(r);
  return status == FLY_OK || fly_reader_fault(r, node, "%.*s", (int)strcspn(one.message, "\n"), one.message);
}

static bool read_curve(fly_reader *r, const fly_tree_node *node, const fly_curve_type *type,
                       double number[FLY_SHAPE_NUMBERS], const char **word) {
  fly_parameter rows[FLY_CURVE_FORM_ROWS];
  fly_field field[FLY_CURVE_FORM_ROWS] = {0};
  char what[60];
  const fly_field *key = field + FLY_CURVE_FORM_KEY;
  snprintf(what, sizeof what, "a %s", type->name);
  fly_curve_form_of(rows, type);
  if (!fly_reader_fields(r, node, what, rows, also, field))
    return false;
  for (int k = 0; k < FLY_CURVE_KEYS && type->key[k] != NULL; k++)
    if (key[k].entry == NULL)
      return fly_reader_fault(r, node, "'%s' of this %s is missing.", type->key[k], type->name);
  const fly_tree_entry *scale = field[FLY_CURVE_FORM_SCALE].entry;
  number[FLY_SHAPE_SIZE] = scale != NULL ? field[FLY_CURVE_FORM_SCALE].number[0] : 1;
  number[FLY_SHAPE_DENSITY] = NAN;
  place_shape(number, field);
  if (scale != NULL && number[FLY_SHAPE_SIZE] == 0)
    return fly_reader_fault(r, scale->value, "'scale' of a %s cannot be 0.", type->name);
  const int count = curve_numbers(r, type, &rows[FLY_CURVE_FORM_KEY], key);
  if (count < 0)
    return false;
  char first[20];
  snprintf(first, sizeof first, "%s ", type->name);
  *word = word_of(r, first, count);
  if (*word == NULL)
    return fly_reader_no_memory(r);
  return check_curve(r, key[0].entry->value, *word, number[FLY_SHAPE_SIZE]);
}

// ------------------------------------------------------------------------------------------ all of them

static bool read_shape(fly_reader *r, const fly_tree_node *node, double number[FLY_SHAPE_NUMBERS], const char **word) {
  fly_parameter rows[FLY_SHAPE_FORM_ROWS + FLY_SHAPE_SIZES + 1];
  fly_field field[FLY_SHAPE_FORM_ROWS + FLY_SHAPE_SIZES] = {0};
  if (node->kind != FLY_TREE_MAPPING)
    return fly_reader_fault(r, node, "a shape takes a mapping {type: box, ...}, not %s.", fly_tree_kind_name(node));
  const int kind = read_kind(r, node);
  if (kind < 0)
    return false;
  if (kind >= CURVE)
    return read_curve(r, node, &fly_curve_types[kind - CURVE], number, word);
  if (kind >= MESH)
    return (kind == MESH ? read_mesh : read_hull)(r, node, number, word);
  char what[60];
  snprintf(what, sizeof what, "a %s", fly_shape_types[kind].name);
  rows_of(rows, &fly_shape_types[kind]);
  if (!fly_reader_fields(r, node, what, rows, also, field))
    return false;
  for (int k = 0; k < FLY_SHAPE_SIZES; k++)
    number[FLY_SHAPE_SIZE + k] = field[FLY_SHAPE_FORM_ROWS + k].number[0];
  place_shape(number, field);
  const fly_field *density = &field[FLY_SHAPE_FORM_DENSITY];
  number[FLY_SHAPE_DENSITY] = density->entry != NULL ? density->number[0] : (double)NAN;
  *word = fly_shape_types[kind].name;
  return check_sizes(r, node, kind, field + FLY_SHAPE_FORM_ROWS, number + FLY_SHAPE_SIZE);
}

static bool read_all(fly_reader *r, fly_item *item, int parameter, const fly_tree_node *node, double *number,
                     const char **word) {
  bool good = true;
  for (int k = 0; k < node->count && fly_reader_goes_on(r); k++)
    good = read_shape(r, node->entry[k].value, number + (size_t)k * FLY_SHAPE_NUMBERS, &word[k]) && good;
  if (!good)
    return false;
  const fly_place place = fly_reader_place(r, node);
  return (fly_spec_set_numbers(r->spec, item, parameter, node->count * FLY_SHAPE_NUMBERS, number, place) &&
          fly_spec_set_words(r->spec, item, parameter, node->count, word, place)) ||
         fly_reader_no_memory(r);
}

bool fly_reader_shapes(fly_reader *r, fly_item *item, int parameter, const fly_tree_node *node) {
  if (node->kind != FLY_TREE_SEQUENCE)
    return fly_reader_fault(r, node, "'shapes' takes a list [{type: box, ...}, ...], not %s.",
                            fly_tree_kind_name(node));
  const size_t count = (size_t)node->count + 1; // one to spare: nothing cannot be had
  double *number = calloc(count * FLY_SHAPE_NUMBERS, sizeof *number);
  const char **word = calloc(count, sizeof *word);
  const bool good =
      number != NULL && word != NULL ? read_all(r, item, parameter, node, number, word) : fly_reader_no_memory(r);
  free(number);
  free(word);
  return good;
}
