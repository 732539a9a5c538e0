// A spec as a model file.
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "element/inertia.h"
#include "io/forms.h"
#include "io/read.h"
#include "io/tree.h"
#include "model/curve.h"
#include "model/hull.h"

static void write_number(FILE *file, double x) {
  char text[FLY_NUMBER_SIZE];
  fly_number_text(text, x);
  fputs(text, file);
}

// A list; a long one in several lines, since a line has its limits.
static void write_numbers(FILE *file, const double *x, int count) {
  enum { A_LINE = 16 };
  for (int k = 0; k < count; k++) {
    fputs(k == 0 ? "[" : k % A_LINE == 0 ? ",\n        " : ", ", file);
    write_number(file, x[k]);
  }
  fputs(count > 0 ? "]" : "[]", file);
}

// Rotation matrix, row by row: its columns are the axes.
static void write_axes(FILE *file, const double A[9]) {
  static const char *const name[] = {"{x: ", ", y: ", ", z: "};
  for (int k = 0; k < 3; k++) {
    fputs(name[k], file);
    write_numbers(file, (const double[]){A[k], A[3 + k], A[6 + k]}, 3);
  }
  fputc('}', file);
}

static bool is_unit(const double A[9]) {
  for (int k = 0; k < 9; k++)
    if (A[k] != (k % 4 == 0))
      return false;
  return true;
}

// A text that stays a text: null is nothing without quotes.
static void write_scalar(FILE *file, const char *text, bool in_flow) {
  const bool null =
      strcmp(text, "~") == 0 || strcmp(text, "null") == 0 || strcmp(text, "Null") == 0 || strcmp(text, "NULL") == 0;
  fly_tree_write_scalar(file, text, null, in_flow);
}

static void write_words(FILE *file, const fly_value *value, bool list) {
  if (list)
    fputc('[', file);
  for (int k = 0; k < value->count; k++) {
    if (k > 0)
      fputs(", ", file);
    write_scalar(file, value->word[k], list);
  }
  if (list)
    fputc(']', file);
}

// ------------------------------------------------------------------------------------------ bodies

static int dimension(const fly_item *item) {
  const int k = fly_parameter_find(item->type, "position");
  return k >= 0 ? item->type->parameters[k].count : 3;
}

static void write_marker(FILE *file, const fly_item *item, const fly_spec_marker *marker) {
  const bool turned = !is_unit(marker->A);
  fprintf(file, "      %s: %s", marker->name, turned ? "{at: " : "");
  write_numbers(file, marker->at, dimension(item));
  if (turned) {
    fputs(", orientation: ", file);
    write_axes(file, marker->A);
    fputc('}', file);
  }
  fputc('\n', file);
}

static void write_markers(FILE *file, const fly_item *item) {
  fputs(item->nmarker > 0 ? "    markers:\n" : "    markers: {}\n", file);
  for (int k = 0; k < item->nmarker; k++)
    write_marker(file, item, &item->marker[k]);
}

// So many numbers are a point.
static void write_points(FILE *file, const char *key, const char *text, int each) {
  const char *next = each > 1 ? "], [" : ", ";
  fprintf(file, ", %s: %s", key, each > 1 ? "[[" : "[");
  for (int n = 0; *text; n++) {
    const size_t length = strcspn(text, " ");
    fprintf(file, "%s%.*s", n == 0 ? "" : n % each == 0 ? next : ", ", (int)length, text);
    text += length + (text[length] != 0);
  }
  fputs(each > 1 ? "]]" : "]", file);
}

static void write_curve(FILE *file, const fly_curve_type *type, const char *numbers) {
  if (type->list > 0) {
    write_points(file, type->key[0], numbers, type->list);
    return;
  }
  for (int k = 0; k < FLY_CURVE_KEYS && type->key[k] != NULL; k++) {
    const size_t length = strcspn(numbers, " ");
    fprintf(file, ", %s: %.*s", type->key[k], (int)length, numbers);
    numbers += length + (numbers[length] != 0);
  }
}

static void write_scale(FILE *file, double scale) {
  fputs(", scale: ", file);
  write_number(file, scale);
}

static void write_shape(FILE *file, const char *word, const double *number) {
  const int kind = fly_shape_find(word);
  const size_t mesh = strlen(FLY_SHAPE_MESH);
  fprintf(file, "      - {type: %.*s", (int)strcspn(word, " "), word);
  if (strncmp(word, FLY_SHAPE_MESH, mesh) == 0) {
    fputs(", file: ", file);
    write_scalar(file, word + mesh, true);
  }
  if (kind < 0)
    write_scale(file, number[FLY_SHAPE_SIZE]);
  if (fly_shape_is_hull(word))
    write_points(file, "points", word + strlen(FLY_SHAPE_HULL), 3);
  if (fly_curve_type_of(word))
    write_curve(file, fly_curve_type_of(word), word + strcspn(word, " ") + 1);
  for (int k = 0; kind >= 0 && k < fly_shape_types[kind].nsize; k++) {
    fprintf(file, ", %s: ", fly_shape_types[kind].size[k]);
    write_number(file, number[FLY_SHAPE_SIZE + k]);
  }
  fputs(", at: ", file);
  write_numbers(file, number + FLY_SHAPE_AT, 3);
  if (!is_unit(number + FLY_SHAPE_AXES)) {
    fputs(", orientation: ", file);
    write_axes(file, number + FLY_SHAPE_AXES);
  }
  if (!isnan(number[FLY_SHAPE_DENSITY])) {
    fputs(", density: ", file);
    write_number(file, number[FLY_SHAPE_DENSITY]);
  }
  fputs("}\n", file);
}

static void write_shapes(FILE *file, const char *name, const fly_value *value) {
  fprintf(file, value->count > 0 ? "    %s:\n" : "    %s: []\n", name);
  for (int k = 0; k < value->count; k++)
    write_shape(file, value->word[k], value->number + (size_t)k * FLY_SHAPE_NUMBERS);
}

// ------------------------------------------------------------------------------------------ elements

static void write_matrix(FILE *file, const fly_value *value) {
  if (value->columns == 0) {
    write_numbers(file, value->number, value->count);
    return;
  }
  for (int k = 0; k < value->count; k += value->columns) {
    fputs(k == 0 ? "[" : ",\n        ", file);
    write_numbers(file, value->number + k, value->columns);
  }
  fputc(']', file);
}

static void write_settings_of(FILE *file, const fly_value *value) {
  for (int k = 0; k < value->count; k += 2) {
    fputs(k > 0 ? ", " : "{", file);
    write_scalar(file, value->word[k], true);
    fputs(": ", file);
    write_scalar(file, value->word[k + 1], true);
  }
  fputc('}', file);
}

static void write_value(FILE *file, const fly_item *item, int k) {
  const fly_parameter *row = &item->type->parameters[k];
  const fly_value *value = fly_item_row(item, k);
  if (row->type == FLY_MARKERS) {
    write_markers(file, item);
    return;
  }
  if (row->type == FLY_SHAPES) {
    write_shapes(file, row->name, value);
    return;
  }
  fprintf(file, "    %s: ", row->name);
  if (row->type == FLY_SETTINGS)
    write_settings_of(file, value);
  else if (row->type == FLY_MATRIX)
    write_matrix(file, value);
  else if (row->type == FLY_ORIENTATION)
    write_axes(file, value->number);
  else if (row->type == FLY_NUMBER && value->word != NULL)
    write_words(file, value, false);
  else if (row->type == FLY_NUMBER && row->count == 1)
    write_number(file, value->number[0]);
  else if (row->type == FLY_NUMBER)
    write_numbers(file, value->number, value->count);
  else
    write_words(file, value, row->type == FLY_BODIES || row->type == FLY_JOINTS || row->count != 1);
  fputc('\n', file);
}

static void write_item(FILE *file, const fly_item *item) {
  const bool ground = strcmp(item->name, "ground") == 0 && strcmp(item->type->section, "bodies") == 0;
  fprintf(file, "  %s:\n", item->name);
  if (!ground)
    fprintf(file, "    type: %s\n", item->type->name);
  for (int k = 0; item->type->parameters[k].name != NULL; k++)
    if (fly_item_row(item, k)->given)
      write_value(file, item, k);
}

static void write_section(FILE *file, const fly_spec *spec, const char *section) {
  bool begun = false;
  for (int k = 0; k < spec->nitem; k++) {
    if (strcmp(spec->item[k].type->section, section) != 0 || spec->item[k].made > 0)
      continue;
    if (!begun)
      fprintf(file, "%s:\n", section);
    begun = true;
    write_item(file, &spec->item[k]);
  }
}

// ------------------------------------------------------------------------------------------ the rest

static void write_text(FILE *file, const char *key, const char *text) {
  if (text == NULL)
    return;
  fprintf(file, "%s: ", key);
  write_scalar(file, text, false);
  fputc('\n', file);
}

static void write_tables(FILE *file, const fly_spec *spec) {
  if (spec->ntable > 0)
    fputs("tables:\n", file);
  for (int k = 0; k < spec->ntable; k++) {
    fprintf(file, "  %s:\n    x: ", spec->table_name[k]);
    write_numbers(file, spec->table_x[k], spec->table_count[k]);
    const int rows = spec->table_rows ? spec->table_rows[k] : 0;
    fputs("\n    y: ", file);
    write_numbers(file, rows > 0 ? spec->table_across[k] : spec->table_y[k], rows > 0 ? rows : spec->table_count[k]);
    for (int i = 0; i < rows; i++) {
      fputs(i == 0 ? "\n    values: [" : ",\n      ", file);
      write_numbers(file, spec->table_y[k] + (size_t)i * (size_t)spec->table_count[k], spec->table_count[k]);
    }
    fputs(rows > 0 ? "]\n" : "\n", file);
  }
}

static void write_parameters(FILE *file, const fly_spec *spec) {
  if (spec->nparameter > 0)
    fputs("parameters:\n", file);
  for (int k = 0; k < spec->nparameter; k++) {
    fprintf(file, "  %s: ", spec->parameter_name[k]);
    write_number(file, spec->parameter_value[k]);
    fputc('\n', file);
  }
}

static void write_settings(FILE *file, const fly_spec *spec) {
  if (spec->nsetting > 0)
    fputs("simulate:\n", file);
  for (int k = 0; k < spec->nsetting; k++) {
    fputs("  ", file);
    write_scalar(file, spec->setting_key[k], false);
    fputs(": ", file);
    write_scalar(file, spec->setting_text[k], false);
    fputc('\n', file);
  }
}

bool fly_model_write(FILE *file, const fly_spec *spec) {
  fputs("flyball: 1\n", file);
  write_text(file, "name", spec->name);
  write_text(file, "text", spec->text);
  if (spec->gravity[0] != 0 || spec->gravity[1] != 0 || spec->gravity[2] != 0) {
    fputs("gravity: ", file);
    write_numbers(file, spec->gravity, 3);
    fputc('\n', file);
  }
  write_parameters(file, spec);
  write_tables(file, spec);
  for (int k = 0; fly_sections[k] != NULL; k++)
    write_section(file, spec, fly_sections[k]);
  write_settings(file, spec);
  return fflush(file) == 0 && !ferror(file);
}
