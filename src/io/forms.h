// What stands inside the larger values (orientations, markers, shapes, tables) and at the top of a file, as parameter
// tables: reader, schema and manual follow from them as they follow from those of the elements.
#ifndef FLY_IO_FORMS_H
#define FLY_IO_FORMS_H

#include "model/curve.h"
#include "model/spec.h"

// Orientation. These are its rows:
enum {
  FLY_ORIENTATION_EULER,
  FLY_ORIENTATION_AXIS,
  FLY_ORIENTATION_ANGLE,
  FLY_ORIENTATION_QUATERNION,
  FLY_ORIENTATION_X,
  FLY_ORIENTATION_Y,
  FLY_ORIENTATION_Z,
  FLY_ORIENTATION_ROWS
};
extern const fly_parameter fly_orientation_form[];

enum { FLY_MARKER_AT, FLY_MARKER_AXIS, FLY_MARKER_ORIENTATION, FLY_MARKER_NODE, FLY_MARKER_ANGLE, FLY_MARKER_ROWS };
extern const fly_parameter fly_marker_form[];

enum { FLY_SHAPE_FORM_AT, FLY_SHAPE_FORM_ORIENTATION, FLY_SHAPE_FORM_DENSITY, FLY_SHAPE_FORM_ROWS };
extern const fly_parameter fly_shape_form[]; // beside type and its lengths

enum { FLY_MESH_FORM_FILE = FLY_SHAPE_FORM_DENSITY, FLY_MESH_FORM_SCALE, FLY_MESH_FORM_ROWS };
extern const fly_parameter fly_mesh_form[]; // of the shape `mesh`, beside type
#define FLY_MESH_TEXT                                                                                                  \
  "triangles of a file, STL or OBJ: seen, without mass, and in contacts touched by spheres and capsules"

enum {
  FLY_HULL_FORM_DENSITY = FLY_SHAPE_FORM_DENSITY,
  FLY_HULL_FORM_POINTS,
  FLY_HULL_FORM_FILE,
  FLY_HULL_FORM_SCALE,
  FLY_HULL_FORM_ROWS
};
extern const fly_parameter fly_hull_form[]; // of the shape `hull`, beside type
#define FLY_HULL_TEXT "the smallest convex solid around points"

// Of shapes that are curves, beside type: these, then the keys of the type and what ends a table.
enum {
  FLY_CURVE_FORM_SCALE = FLY_SHAPE_FORM_DENSITY,
  FLY_CURVE_FORM_KEY,
  FLY_CURVE_FORM_ROWS = FLY_CURVE_FORM_KEY + 4
};
void fly_curve_form_of(fly_parameter rows[FLY_CURVE_FORM_ROWS], const fly_curve_type *type);

enum { FLY_TABLE_X, FLY_TABLE_Y, FLY_TABLE_VALUES, FLY_TABLE_FILE, FLY_TABLE_COLUMNS, FLY_TABLE_ROWS };
extern const fly_parameter fly_table_form[];

enum { FLY_REPEAT_COUNT, FLY_REPEAT_INDEX, FLY_REPEAT_FIRST, FLY_REPEAT_ROWS };
extern const fly_parameter fly_repeat_form[]; // beside the sections and repetitions it has inside

enum { FLY_USE_PART, FLY_USE_LIKE, FLY_USE_AT, FLY_USE_ORIENTATION, FLY_USE_MIRROR, FLY_USE_CONNECT, FLY_USE_ROWS };
extern const fly_parameter fly_use_form[]; // beside the parameters and inputs of the part

// A value that has a table of its own, for the manual.
typedef struct fly_value_form {
  const char *name, *text, *example;
  const fly_parameter *rows;
} fly_value_form;
extern const fly_value_form fly_value_forms[]; // ended by a row without a name

// A key at the top of a file.
typedef struct fly_top_key {
  const char *name, *text;
} fly_top_key;
extern const fly_top_key fly_top_keys[];  // ended by a row without a name
extern const fly_top_key fly_part_keys[]; // of parts alone
bool fly_is_top_key(const char *name);
bool fly_is_part_key(const char *name); // of parts, those of models among them

// Sections of elements in the order in which they are read, ended by NULL, and what one of their elements is called.
extern const char *const fly_sections[];
extern const char *const *const fly_repeated_sections; // those that repetitions make: all but the first, functions
const char *fly_section_singular(const char *section);
// "an" before a vowel, else "a"
const char *fly_article(const char *word);
// "revolute joint", "motion"
void fly_type_title(char *text, size_t size, const fly_element_type *type);

// "positive", "not negative", "between 0 and 1" into text; "" if any number will do.
void fly_range_text(char *text, size_t size, const fly_parameter *row);
// "a list of 3 numbers", "one of x, y, z", "the name of a joint"
void fly_takes_text(char *text, size_t size, const fly_parameter *row);
// The same with unit and range: "a list of 3 numbers [m], not negative"
void fly_row_text(char *text, size_t size, const fly_parameter *row);

#endif
