// What the user wrote: elements by name with their parameters as given, and where each stands in a file. Editable;
// fly_model_compile turns it into a model.
#ifndef FLY_MODEL_SPEC_H
#define FLY_MODEL_SPEC_H

#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "element/type.h"
#include "flyball/status.h"

// One parameter as given. Which fields mean something follows from its type in the table.
typedef struct fly_value {
  bool given;
  int parameter; // its row of the type's table
  fly_place place;
  int count;               // numbers or words
  int columns;             // of a matrix: so many of its numbers are in a row; 0: a list, of one row or column
  const double *number;    // (count), evaluated over parameters and units
  const char *const *word; // (count): words, references, texts of expressions
  const fly_place *at;     // (count): where each word of {name: expression} is; NULL: not known
} fly_value;

// A value of type FLY_SHAPES has, for each of its `count` shapes, the word of its kind (of a mesh FLY_SHAPE_MESH and
// the file as written, of a hull FLY_SHAPE_HULL and the numbers of its points, of a curve likewise) and so many
// numbers:
#define FLY_SHAPE_MESH "mesh "
#define FLY_SHAPE_HULL "hull "
enum {
  FLY_SHAPE_SIZE = 0,     // lengths, as the kind has them; of a mesh, a hull and a curve its scale (3)
  FLY_SHAPE_AT = 3,       // where its frame stands on the body (3)
  FLY_SHAPE_AXES = 6,     // axes in body axes, row by row (9)
  FLY_SHAPE_DENSITY = 15, // [kg/m^3]; NAN: not given, it has no mass
  FLY_SHAPE_NUMBERS = 16
};

// A marker of a body as written. Missing axes: those of the body.
typedef struct fly_spec_marker {
  const char *name;
  fly_place place;
  double at[3]; // from the body's frame, in its axes
  double A[9];  // axes in body axes, row by row (columns are the axes)
} fly_spec_marker;

typedef struct fly_item {
  const fly_element_type *type;
  const char *name;
  fly_place place;
  const char *used; // "file:line:column" of the use that made it; NULL: none did
  fly_value *own;   // of the rows of the type's table that have one of their own (nown),
  int nown;
  const fly_value *fallback; // and what stands for the others, one a row
  int made;                  // 1 + the item, a block, that it was made for; 0: it was given
  bool row;                  // a variable that many use: it is to be a row of the DAE, if it is more than a number
  int nmarker;               // bodies only
  fly_spec_marker *marker;
} fly_item;

// The triangles of a mesh that a shape names, as its file has them.
typedef struct fly_spec_mesh {
  const char *word, *file; // of the shape, and where that is written
  int corners, triangles;
  const float *corner; // (3 corners)
  const int *of;       // (3 triangles)
  struct fly_spec_mesh *next;
} fly_spec_mesh;

typedef struct fly_spec {
  fly_spec_mesh *mesh; // the last that was read; NULL: none
  const char *name;    // of the model
  const char *text;    // description
  double gravity[3];   // [m/s^2]
  int nitem;
  fly_item *item; // in the order given
  int nparameter;
  const char **parameter_name;
  double *parameter_value;
  // The first number that the model is built with, or motion or event, that uses each, and where it stands; NULL:
  // expressions of forces, states and variables alone do. Both NULL: the same of all, as of specs made by programs.
  const char **parameter_use;
  fly_place *parameter_place;
  int nsetting; // simulate: keys, values and places, understood by the analysis
  const char **setting_key, **setting_text;
  fly_place *setting_place;
  // tables: x and y of each
  int ntable;
  const char **table_name;
  int *table_count;
  double **table_x, **table_y;
  int *table_rows;       // of a surface, whose values are then in y, row by row (rows x count); 0: a curve
  double **table_across; // abscissas of its rows (rows)
  // what it was read from, for the record of a run: the file and those it includes, and the parameters set beside it
  int nsource, nset;
  const char **source_path, **source_text; // (nsource)
  const char **set;                        // "name=value" (nset)
  char warnings[2000];                     // odd but not refused: lines for people
  bool plugins;                            // may be loaded
  int item_capacity, index_capacity;       // private
  struct fly_spec_slot *index;             // private: hash of (section, name)
  fly_arena memory;
} fly_spec;

void fly_spec_create(fly_spec *spec);
void fly_spec_free(fly_spec *spec);
// A new element; text is copied. NULL: out of memory, or the name is taken in its section (error says where).
fly_item *fly_spec_add(fly_spec *spec, const fly_element_type *type, const char *name, fly_place place,
                       fly_error *error);
fly_item *fly_spec_find(const fly_spec *spec, const char *section, const char *name); // NULL: none
const char *fly_spec_text(fly_spec *spec, const char *text);                          // a copy that lives as long
// Gives a parameter a value; numbers or words are copied. False: out of memory.
bool fly_spec_set_numbers(fly_spec *spec, fly_item *item, int parameter, int count, const double *number,
                          fly_place place);
bool fly_spec_set_words(fly_spec *spec, fly_item *item, int parameter, int count, const char *const *word,
                        fly_place place);
bool fly_spec_place_words(fly_spec *spec, fly_item *item, int parameter, const fly_place *at); // of those it has
// A value of its own, to be changed; it begins as the fallback. NULL: out of memory. Those that were asked for before
// may move.
fly_value *fly_spec_own_value(fly_spec *spec, fly_item *item, int parameter);
bool fly_spec_add_marker(fly_spec *spec, fly_item *body, const fly_spec_marker *marker);

const fly_value *fly_item_row(const fly_item *item, int parameter); // by its number in the table
// The parameter of an item by name; its numbers or the fallback's (expressions without parameters). The table has the
// name.
const fly_value *fly_item_value(const fly_item *item, const char *parameter);
double fly_item_number(const fly_item *item, const char *parameter);
void fly_item_numbers(const fly_item *item, const char *parameter, int count, double *out);
const char *fly_item_word(const fly_item *item, const char *parameter, int k); // NULL: not given and no fallback
bool fly_item_given(const fly_item *item, const char *parameter); // not, too, if the table does not have the name

// Of all that a model is made of: the same for the same model, however its file is laid out.
uint64_t fly_spec_fingerprint(const fly_spec *spec);
// The mesh of a shape whose word is written in that file; NULL: there is none.
const fly_spec_mesh *fly_spec_mesh_find(const fly_spec *spec, const char *word, const char *file);

#endif
