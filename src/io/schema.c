// The JSON Schema of model files.
#include "flyball/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "element/inertia.h"
#include "flyball/json.h"
#include "io/forms.h"
#include "model/simulate.h"

#define NAME_PATTERN "^[A-Za-z_][A-Za-z0-9_]*$"
// A function with its arguments: clip(x, m)
#define FUNCTION_PATTERN "^[A-Za-z_][A-Za-z0-9_]*( *\\(.*\\))?$"
// The same with numbers put in: link$i, link$(i + 1)
#define FILLED_PATTERN "^[A-Za-z_][A-Za-z0-9_]*(\\$([A-Za-z_][A-Za-z0-9_]*|\\(.*\\))[A-Za-z0-9_]*)*$"

// ------------------------------------------------------------------------------------------ pieces

// {"type": type}
static void a_type(fly_json *j, const char *type) {
  fly_json_begin_object(j);
  fly_json_put_string(j, "type", type);
  fly_json_end_object(j);
}

// {"$ref": "#/definitions/first second"}
static void refer(fly_json *j, const char *first, const char *second) {
  char path[200];
  snprintf(path, sizeof path, "#/definitions/%s%s%s", first, second[0] != 0 ? "-" : "", second);
  fly_json_begin_object(j);
  fly_json_put_string(j, "$ref", path);
  fly_json_end_object(j);
}

static void only_names(fly_json *j, const char *pattern) {
  fly_json_open_object(j, "propertyNames");
  fly_json_put_string(j, "pattern", pattern);
  fly_json_end_object(j);
}

// ------------------------------------------------------------------------------------------ values

static void write_range(fly_json *j, const fly_parameter *row) {
  if (row->low > 0 && row->low < 1e-200)
    fly_json_put_integer(j, "exclusiveMinimum", 0);
  else if (isfinite(row->low)) {
    fly_json_key(j, "minimum");
    fly_json_number(j, row->low);
  }
  if (isfinite(row->high)) {
    fly_json_key(j, "maximum");
    fly_json_number(j, row->high);
  }
}

// A number in range, or a text that is an expression.
static void one_number(fly_json *j, const fly_parameter *row) {
  fly_json_begin_object(j);
  fly_json_open_array(j, "type");
  fly_json_string(j, "number");
  fly_json_string(j, "string");
  fly_json_end_array(j);
  write_range(j, row);
  fly_json_end_object(j);
}

static void one_word(fly_json *j, const fly_parameter *row) {
  fly_json_begin_object(j);
  if (row->words == NULL) {
    fly_json_open_array(j, "type");
    fly_json_string(j, "string");
    fly_json_string(j, "number");
    fly_json_end_array(j);
  } else {
    fly_json_open_array(j, "enum");
    for (const char *s = row->words; *s != 0;) {
      char word[60];
      const int length = (int)strcspn(s, " ");
      snprintf(word, sizeof word, "%.*s", length, s);
      fly_json_string(j, word);
      s += length + (s[length] == ' ');
    }
    fly_json_end_array(j);
  }
  fly_json_end_object(j);
}

typedef void write_one(fly_json *j, const fly_parameter *row);

static void list_keys(fly_json *j, const fly_parameter *row, int count, write_one *one) {
  fly_json_put_string(j, "type", "array");
  fly_json_key(j, "items");
  one(j, row);
  fly_json_put_integer(j, "minItems", count > 0 ? count : 1);
  if (count > 0)
    fly_json_put_integer(j, "maxItems", count);
}

static void several(fly_json *j, const fly_parameter *row, int count, write_one *one) {
  if (count != 1) {
    list_keys(j, row, count, one);
    return;
  }
  fly_json_open_array(j, "allOf"); // beside a description, as draft 7 wants it
  one(j, row);
  fly_json_end_array(j);
}

static void form(fly_json *j, const char *name) {
  fly_json_open_array(j, "allOf");
  refer(j, name, "");
  fly_json_end_array(j);
}

// One such value, or a list of them.
static void one_or_list(fly_json *j, const fly_parameter *row, void (*one)(fly_json *, const fly_parameter *)) {
  fly_json_open_array(j, "anyOf");
  one(j, row);
  fly_json_begin_object(j);
  list_keys(j, row, 0, one);
  fly_json_end_object(j);
  fly_json_end_array(j);
}

static void marker_map(fly_json *j) {
  fly_json_put_string(j, "type", "object");
  only_names(j, FILLED_PATTERN);
  fly_json_key(j, "additionalProperties");
  refer(j, "marker", "");
}

static void shape_list(fly_json *j) {
  fly_json_put_string(j, "type", "array");
  fly_json_key(j, "items");
  refer(j, "shape", "");
}

static void one_row(fly_json *j, const fly_parameter *row) {
  fly_json_begin_object(j);
  list_keys(j, row, 0, one_number);
  fly_json_end_object(j);
}

static void number_or_row(fly_json *j, const fly_parameter *row) {
  fly_json_begin_object(j);
  fly_json_open_array(j, "anyOf");
  one_number(j, row);
  one_row(j, row);
  fly_json_end_array(j);
  fly_json_end_object(j);
}

// Its rows; one row or column; one number; or a file.
static void matrix(fly_json *j, const fly_parameter *row) {
  fly_json_open_array(j, "anyOf");
  one_number(j, row);
  fly_json_begin_object(j);
  list_keys(j, row, 0, number_or_row);
  fly_json_end_object(j);
  fly_json_begin_object(j);
  fly_json_put_string(j, "type", "object");
  fly_json_open_array(j, "required");
  fly_json_string(j, "file");
  fly_json_end_array(j);
  fly_json_end_object(j);
  fly_json_end_array(j);
}

static void setting_map(fly_json *j, const fly_parameter *row) {
  fly_json_put_string(j, "type", "object");
  fly_json_key(j, "additionalProperties");
  one_number(j, row);
}

// So many of them; 0: one, or a list.
static void counted(fly_json *j, const fly_parameter *row, write_one *one) {
  if (row->count == 0)
    one_or_list(j, row, one);
  else
    several(j, row, row->count, one);
}

static void write_keys_of_type(fly_json *j, const fly_parameter *row) {
  switch (row->type) {
  case FLY_NUMBER:
    several(j, row, row->count, one_number);
    break;
  case FLY_EXPRESSION:
    counted(j, row, one_number);
    break;
  case FLY_ORIENTATION:
    form(j, "orientation");
    break;
  case FLY_MARKERS:
    marker_map(j);
    break;
  case FLY_SHAPES:
    shape_list(j);
    break;
  case FLY_MATRIX:
    matrix(j, row);
    break;
  case FLY_SETTINGS:
    setting_map(j, row);
    break;
  case FLY_WORD:
    counted(j, row, one_word);
    break;
  default:
    several(j, row, row->count, one_word);
  }
}

static void write_row(fly_json *j, const fly_parameter *row) {
  char text[500];
  snprintf(text, sizeof text, "%s%s%s%s%s%s", row->text != NULL ? row->text : "", row->unit[0] != 0 ? " [" : "",
           row->unit, row->unit[0] != 0 ? "]" : "", row->fallback != NULL ? ". Default: " : "",
           row->fallback != NULL ? row->fallback : "");
  fly_json_open_object(j, row->name);
  fly_json_put_string(j, "description", text);
  write_keys_of_type(j, row);
  fly_json_end_object(j);
}

static void begin_properties(fly_json *j) {
  fly_json_put_string(j, "type", "object");
  fly_json_open_object(j, "properties");
}

// Properties of a table; type: the word that chooses it, NULL without.
static void write_rows(fly_json *j, const fly_parameter *rows, const char *type, bool type_required) {
  begin_properties(j);
  if (type != NULL) {
    fly_json_open_object(j, "type");
    fly_json_put_string(j, "const", type);
    fly_json_end_object(j);
  }
  for (int k = 0; rows[k].name != NULL; k++)
    write_row(j, &rows[k]);
  fly_json_end_object(j);
  fly_json_open_array(j, "required");
  if (type_required)
    fly_json_string(j, "type");
  for (int k = 0; rows[k].name != NULL; k++)
    if (rows[k].required)
      fly_json_string(j, rows[k].name);
  fly_json_end_array(j);
  fly_json_put_bool(j, "additionalProperties", false);
}

// ------------------------------------------------------------------------------------------ elements

static bool in_section(const fly_element_type *type, const char *section) {
  return strcmp(type->section, section) == 0;
}

// The short form of an element: "stroke: dx(slider, ground)".
static bool has_short_form(const fly_element_type *type) { return fly_parameter_find(type, "value") >= 0; }

static void write_choice(fly_json *j, const fly_element_type *type) {
  fly_json_begin_object(j);
  fly_json_open_object(j, "if");
  fly_json_open_object(j, "properties");
  fly_json_open_object(j, "type");
  fly_json_put_string(j, "const", type->name);
  fly_json_end_object(j);
  fly_json_end_object(j);
  if (type != fly_element_type_find(type->section, NULL)) { // the first of a section is meant when no type is given
    fly_json_open_array(j, "required");
    fly_json_string(j, "type");
    fly_json_end_array(j);
  }
  fly_json_end_object(j);
  fly_json_key(j, "then");
  refer(j, type->section, type->name);
  fly_json_end_object(j);
}

static void write_type_names(fly_json *j, const char *section) {
  fly_json_open_object(j, "properties");
  fly_json_open_object(j, "type");
  fly_json_open_array(j, "enum");
  for (const fly_element_type *const *row = fly_element_types, *t; (t = *row) != NULL; row++)
    if (in_section(t, section))
      fly_json_string(j, t->name);
  fly_json_end_array(j);
  fly_json_end_object(j);
  fly_json_end_object(j);
}

// An element of a section: which table applies follows from its type.
static void write_element(fly_json *j, const char *section) {
  const bool short_form = has_short_form(fly_element_type_find(section, NULL));
  fly_json_open_object(j, section);
  fly_json_open_array(j, "type");
  fly_json_string(j, "object");
  if (short_form) {
    fly_json_string(j, "string");
    fly_json_string(j, "number");
  }
  fly_json_end_array(j);
  write_type_names(j, section);
  fly_json_open_object(j, "if"); // a text in the short form has no keys to look at
  fly_json_put_string(j, "type", "object");
  fly_json_end_object(j);
  fly_json_open_object(j, "then");
  fly_json_open_array(j, "allOf");
  for (const fly_element_type *const *row = fly_element_types, *t; (t = *row) != NULL; row++)
    if (in_section(t, section))
      write_choice(j, t);
  fly_json_end_array(j);
  fly_json_end_object(j);
  fly_json_end_object(j);
}

static void write_types(fly_json *j) {
  char name[200], title[80];
  for (const fly_element_type *const *row = fly_element_types, *t; (t = *row) != NULL; row++) {
    snprintf(name, sizeof name, "%s-%s", t->section, t->name);
    fly_type_title(title, sizeof title, t);
    fly_json_open_object(j, name);
    fly_json_put_string(j, "title", title);
    fly_json_put_string(j, "description", t->text);
    write_rows(j, t->parameters, t->name, t != fly_element_type_find(t->section, NULL));
    fly_json_end_object(j);
  }
}

// ------------------------------------------------------------------------------------------ forms

static void write_point(fly_json *j) {
  static const fly_parameter any = {.low = -INFINITY, .high = INFINITY};
  fly_json_begin_object(j);
  fly_json_put_string(j, "type", "array");
  fly_json_key(j, "items");
  one_number(j, &any);
  fly_json_put_integer(j, "minItems", 2);
  fly_json_put_integer(j, "maxItems", 3);
  fly_json_end_object(j);
}

static void write_marker_form(fly_json *j) {
  fly_json_open_object(j, "marker");
  fly_json_open_array(j, "anyOf");
  write_point(j);
  fly_json_begin_object(j);
  begin_properties(j);
  fly_json_key(j, "at");
  write_point(j);
  for (int k = FLY_MARKER_AXIS; k < FLY_MARKER_ROWS; k++)
    write_row(j, &fly_marker_form[k]);
  fly_json_end_object(j);
  fly_json_put_bool(j, "additionalProperties", false);
  fly_json_end_object(j);
  fly_json_end_array(j);
  fly_json_end_object(j);
}

static void write_shape_form(fly_json *j) {
  fly_json_open_object(j, "shape");
  fly_json_open_array(j, "oneOf");
  for (int kind = 0; kind < FLY_SHAPE_KINDS; kind++) {
    const fly_shape_type *type = &fly_shape_types[kind];
    fly_parameter rows[FLY_SHAPE_FORM_ROWS + FLY_SHAPE_SIZES + 1] = {{0}};
    memcpy(rows, fly_shape_form, FLY_SHAPE_FORM_ROWS * sizeof *rows);
    for (int k = 0; k < type->nsize; k++)
      rows[FLY_SHAPE_FORM_ROWS + k] = (fly_parameter){type->size[k], FLY_NUMBER, 1,        "m",  NULL,
                                                      true,          -INFINITY,  INFINITY, NULL, "length of the shape"};
    fly_json_begin_object(j);
    fly_json_put_string(j, "description", type->text);
    write_rows(j, rows, type->name, true);
    fly_json_end_object(j);
  }
  fly_json_begin_object(j);
  fly_json_put_string(j, "description", FLY_MESH_TEXT);
  write_rows(j, fly_mesh_form, "mesh", true);
  fly_json_end_object(j);
  fly_json_begin_object(j);
  fly_json_put_string(j, "description", FLY_HULL_TEXT);
  write_rows(j, fly_hull_form, "hull", true);
  fly_json_end_object(j);
  for (int kind = 0; kind < FLY_CURVE_TYPES; kind++) {
    fly_parameter rows[FLY_CURVE_FORM_ROWS];
    fly_curve_form_of(rows, &fly_curve_types[kind]);
    fly_json_begin_object(j);
    fly_json_put_string(j, "description", fly_curve_types[kind].text);
    write_rows(j, rows, fly_curve_types[kind].name, true);
    fly_json_end_object(j);
  }
  fly_json_end_array(j);
  fly_json_end_object(j);
}

static void write_form(fly_json *j, const char *name, const fly_parameter *rows) {
  fly_json_open_object(j, name);
  write_rows(j, rows, NULL, false);
  fly_json_end_object(j);
}

// ------------------------------------------------------------------------------------------ the top

static bool is_section(const char *name) {
  for (int k = 0; fly_sections[k] != NULL; k++)
    if (strcmp(fly_sections[k], name) == 0)
      return true;
  return false;
}

static void begin_map(fly_json *j) {
  fly_json_open_array(j, "type");
  fly_json_string(j, "object");
  fly_json_string(j, "null");
  fly_json_end_array(j);
}

static void write_ground(fly_json *j) {
  fly_json_open_object(j, "properties");
  fly_json_open_object(j, "ground");
  begin_properties(j);
  fly_json_open_object(j, "markers");
  marker_map(j);
  fly_json_end_object(j);
  fly_json_open_object(j, "shapes");
  shape_list(j);
  fly_json_end_object(j);
  fly_json_end_object(j);
  fly_json_put_bool(j, "additionalProperties", false);
  fly_json_end_object(j);
  fly_json_end_object(j);
}

// A number; in a part it may have no value, or a mapping with its unit.
static void write_parameter(fly_json *j) {
  fly_json_begin_object(j);
  fly_json_open_array(j, "anyOf");
  one_number(j, &(fly_parameter){.low = -INFINITY, .high = INFINITY});
  a_type(j, "null");
  fly_json_begin_object(j);
  begin_properties(j);
  static const char *const keys[] = {"value", "unit", "text"};
  for (int k = 0; k < 3; k++) {
    fly_json_open_object(j, keys[k]);
    fly_json_end_object(j);
  }
  fly_json_end_object(j);
  fly_json_put_bool(j, "additionalProperties", false);
  fly_json_end_object(j);
  fly_json_end_array(j);
  fly_json_end_object(j);
}

static void write_map(fly_json *j, const char *name) {
  begin_map(j);
  only_names(j, strcmp(name, "functions") == 0 ? FUNCTION_PATTERN : is_section(name) ? FILLED_PATTERN : NAME_PATTERN);
  if (strcmp(name, "bodies") == 0)
    write_ground(j);
  fly_json_key(j, "additionalProperties");
  if (is_section(name) || strcmp(name, "repeat") == 0 || strcmp(name, "use") == 0)
    refer(j, name, "");
  else if (strcmp(name, "tables") == 0)
    refer(j, "table", "");
  else
    write_parameter(j);
}

// What stands in a use: its own keys, and numbers or expressions for parameters and inputs of the part.
static void write_use_form(fly_json *j) {
  fly_json_open_object(j, "use");
  begin_properties(j);
  for (int k = 0; k < FLY_USE_ROWS; k++)
    if (k != FLY_USE_CONNECT)
      write_row(j, &fly_use_form[k]);
  fly_json_open_object(j, "connect");
  fly_json_put_string(j, "description", fly_use_form[FLY_USE_CONNECT].text);
  begin_map(j);
  fly_json_key(j, "additionalProperties");
  a_type(j, "string");
  fly_json_end_object(j);
  fly_json_end_object(j);
  fly_json_key(j, "additionalProperties");
  one_number(j, &(fly_parameter){.low = -INFINITY, .high = INFINITY});
  fly_json_end_object(j);
}

// A map of each section as at the top, and of repetitions.
static void write_repeat_form(fly_json *j) {
  fly_json_open_object(j, "repeat");
  begin_properties(j);
  for (int k = 0; k < FLY_REPEAT_ROWS; k++)
    write_row(j, &fly_repeat_form[k]);
  for (int k = 0; fly_repeated_sections[k] != NULL; k++) {
    fly_json_open_object(j, fly_repeated_sections[k]);
    write_map(j, fly_repeated_sections[k]);
    fly_json_end_object(j);
  }
  fly_json_open_object(j, "repeat");
  write_map(j, "repeat");
  fly_json_end_object(j);
  fly_json_open_object(j, "use");
  write_map(j, "use");
  fly_json_end_object(j);
  fly_json_end_object(j);
  fly_json_open_array(j, "required");
  fly_json_string(j, "count");
  fly_json_end_array(j);
  fly_json_put_bool(j, "additionalProperties", false);
  fly_json_end_object(j);
}

static void write_definitions(fly_json *j) {
  fly_json_open_object(j, "definitions");
  write_form(j, "orientation", fly_orientation_form);
  write_marker_form(j);
  write_shape_form(j);
  write_form(j, "table", fly_table_form);
  write_repeat_form(j);
  write_use_form(j);
  for (int k = 0; fly_sections[k] != NULL; k++)
    write_element(j, fly_sections[k]);
  write_types(j);
  fly_json_end_object(j);
}

static void write_include(fly_json *j) {
  fly_json_open_array(j, "anyOf");
  a_type(j, "string");
  fly_json_begin_object(j);
  fly_json_put_string(j, "type", "array");
  fly_json_key(j, "items");
  a_type(j, "string");
  fly_json_end_object(j);
  fly_json_end_array(j);
}

// A number may be an expression, and yes is a boolean in YAML.
static void write_setting(fly_json *j, const fly_parameter *row) {
  if (row->type == FLY_WORD && row->words != NULL && strncmp(row->words, "yes ", 4) == 0) {
    fly_json_open_object(j, row->name);
    fly_json_put_string(j, "description", row->text);
    fly_json_open_array(j, "anyOf");
    a_type(j, "boolean");
    one_word(j, row);
    fly_json_end_array(j);
    fly_json_end_object(j);
  } else
    write_row(j, row);
}

static void write_simulate(fly_json *j) {
  begin_map(j);
  fly_json_open_object(j, "properties");
  for (const fly_parameter *row = fly_simulate_rows; row->name != NULL; row++)
    write_setting(j, row);
  fly_json_end_object(j);
  fly_json_put_bool(j, "additionalProperties", false);
}

static void write_top_key(fly_json *j, const fly_top_key *key) {
  const char *name = key->name;
  fly_json_open_object(j, name);
  fly_json_put_string(j, "description", key->text);
  if (strcmp(name, "flyball") == 0)
    fly_json_put_integer(j, "const", 1);
  else if (strcmp(name, "name") == 0 || strcmp(name, "text") == 0 || strcmp(name, "part") == 0)
    fly_json_put_string(j, "type", "string");
  else if (strcmp(name, "connect") == 0)
    fly_json_put_string(j, "type", "object");
  else if (strcmp(name, "include") == 0)
    write_include(j);
  else if (strcmp(name, "gravity") == 0)
    list_keys(j, &(fly_parameter){.low = -INFINITY, .high = INFINITY}, 3, one_number);
  else if (strcmp(name, "simulate") == 0)
    write_simulate(j);
  else
    write_map(j, name);
  fly_json_end_object(j);
}

static void require(fly_json *j, const char *key) {
  fly_json_begin_object(j);
  fly_json_open_array(j, "required");
  fly_json_string(j, key);
  fly_json_end_array(j);
  fly_json_end_object(j);
}

bool fly_schema_write(fly_sink *sink, void *user) {
  if (sink == NULL)
    return false;
  fly_json writer = fly_json_to(sink, user, 2), *j = &writer;
  fly_json_begin_object(j);
  fly_json_put_string(j, "$schema", "http://json-schema.org/draft-07/schema#");
  fly_json_put_string(j, "title", "Flyball model");
  fly_json_put_string(j, "description", "Bodies, joints, motions and forces of a mechanism, and how to simulate it.");
  begin_properties(j);
  for (int k = 0; fly_top_keys[k].name != NULL; k++)
    write_top_key(j, &fly_top_keys[k]);
  for (int k = 0; fly_part_keys[k].name != NULL; k++)
    write_top_key(j, &fly_part_keys[k]);
  fly_json_end_object(j);
  fly_json_open_array(j, "anyOf"); // a document is the model or a part
  require(j, "flyball");
  require(j, "part");
  fly_json_end_array(j);
  fly_json_put_bool(j, "additionalProperties", false);
  write_definitions(j);
  fly_json_end_object(j);
  return fly_json_finish(j);
}
