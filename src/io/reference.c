// The reference manual, from the tables.
#include <stdio.h>
#include <string.h>

#include "base/stream.h"
#include "element/inertia.h"
#include "element/measure.h"
#include "element/reaction.h"
#include "expr/expr.h"
#include "flyball/model.h"
#include "io/forms.h"

// A cell of a table in Markdown: | would end it.
static void write_cell(FILE *file, const char *text) {
  for (; *text != 0; text++) {
    if (*text == '|')
      fputc('\\', file);
    fputc(*text, file);
  }
}

// A line of the tables as a sentence of its own.
static void write_sentence(FILE *file, const char *text) {
  const char first = text[0];
  fputc(first >= 'a' && first <= 'z' ? first - 'a' + 'A' : first, file);
  fprintf(file, "%s.", text + 1);
}

static void write_rows(FILE *file, const fly_parameter *rows) {
  fputs("| key | takes | default | |\n|---|---|---|---|\n", file);
  for (int k = 0; rows[k].name != NULL; k++) {
    char takes[400];
    fly_row_text(takes, sizeof takes, &rows[k]);
    fprintf(file, "| `%s` | ", rows[k].name);
    write_cell(file, takes);
    if (rows[k].fallback != NULL)
      fprintf(file, " | `%s` | ", rows[k].fallback);
    else
      fprintf(file, " | %s | ", rows[k].required ? "required" : "");
    write_cell(file, rows[k].text);
    fputs(" |\n", file);
  }
  fputc('\n', file);
}

// ------------------------------------------------------------------------------------------ elements and values

static void write_type(FILE *file, const fly_element_type *type) {
  fprintf(file, "### %s\n\n", type->name);
  write_sentence(file, type->text);
  fputs(type == fly_element_type_find(type->section, NULL) ? " It is meant when no `type` is given.\n\n" : "\n\n",
        file);
  fprintf(file, "    %s:\n      %s\n\n", type->section, type->example);
  write_rows(file, type->parameters);
}

static void write_section(FILE *file, const char *section) {
  for (int k = 0; fly_top_keys[k].name != NULL; k++)
    if (strcmp(fly_top_keys[k].name, section) == 0) {
      fprintf(file, "## %s\n\n", section);
      write_sentence(file, fly_top_keys[k].text);
      fputs("\n\n", file);
    }
  for (const fly_element_type *const *row = fly_element_types, *t; (t = *row) != NULL; row++)
    if (strcmp(t->section, section) == 0)
      write_type(file, t);
}

static void write_shapes(FILE *file) {
  fputs("| type | lengths [m] | |\n|---|---|---|\n", file);
  for (int kind = 0; kind < FLY_SHAPE_KINDS; kind++) {
    const fly_shape_type *type = &fly_shape_types[kind];
    fprintf(file, "| `%s` | ", type->name);
    for (int k = 0; k < type->nsize; k++)
      fprintf(file, "%s`%s`", k > 0 ? ", " : "", type->size[k]);
    fprintf(file, " | %s |\n", type->text);
  }
  fputs("| `mesh` | | " FLY_MESH_TEXT ". It takes, beside `at` and `orientation`: |\n\n", file);
  write_rows(file, fly_mesh_form + FLY_MESH_FORM_FILE);
  fputs("`type: hull` is " FLY_HULL_TEXT ". It takes, beside `at` and `orientation`:\n\n", file);
  write_rows(file, fly_hull_form + FLY_HULL_FORM_DENSITY);
  fputs("Curves in the x y plane of their frame, for contacts of bodies that move in it; they have no mass. Beside "
        "`at`, `orientation` and `scale` (of their lengths, 1 if not given):\n\n| type | | |\n|---|---|---|\n",
        file);
  for (int kind = 0; kind < FLY_CURVE_TYPES; kind++) {
    const fly_curve_type *type = &fly_curve_types[kind];
    fprintf(file, "| `%s` | ", type->name);
    for (int k = 0; k < FLY_CURVE_KEYS && type->key[k] != NULL; k++)
      fprintf(file, "%s`%s`", k > 0 ? ", " : "", type->key[k]);
    fprintf(file, " | %s |\n", type->text);
  }
  fputc('\n', file);
}

static void write_forms(FILE *file) {
  fputs("## Values\n\n", file);
  for (const fly_value_form *form = fly_value_forms; form->name != NULL; form++) {
    fprintf(file, "### %s\n\n", form->name);
    write_sentence(file, form->text);
    fprintf(file, "\n\n    %s\n\n", form->example);
    write_rows(file, form->rows);
    if (form->rows == fly_shape_form)
      write_shapes(file);
  }
}

// ------------------------------------------------------------------------------------------ expressions

static void write_functions(FILE *file) {
  fputs("### functions\n\n| | | units |\n|---|---|---|\n", file);
  for (int k = 0; fly_expr_function_at(k) != NULL; k++) {
    const fly_expr_function *f = fly_expr_function_at(k);
    fprintf(file, "| `%s(%s)` | ", f->name, f->arguments);
    write_cell(file, f->about);
    fputs(" | ", file);
    write_cell(file, f->units);
    fputs(" |\n", file);
  }
  fputc('\n', file);
}

static void write_measures(FILE *file) {
  static const char *const arguments[] = {"", "a", "a, b", "a, b, c"};
  fputs("### measures\n\nOf markers: `body.marker`, the name of a body, or `ground`, which those left out are.\n\n"
        "| | | unit |\n|---|---|---|\n",
        file);
  for (int k = 0; k < FLY_MEASURE_KINDS; k++) {
    const fly_measure_type *m = &fly_measure_types[k];
    fprintf(file, "| `%s(%s)` | %s | %s |\n", m->name, arguments[m->markers], m->text, m->unit);
  }
  fputs("\n### reactions\n\nOf joints, with what motions and couplers at them do.\n\n| | | unit |\n|---|---|---|\n",
        file);
  for (int k = 0; k < FLY_REACTION_KINDS; k++) {
    const fly_reaction_type *r = &fly_reaction_types[k];
    fprintf(file, "| `%s(j, m)` | %s | %s |\n", r->name, r->text, r->unit);
  }
  fputc('\n', file);
}

static void write_units(FILE *file) {
  int count;
  const fly_expr_number *unit = fly_expr_units(&count);
  fputs("### units\n\n| | SI | |\n|---|---|---|\n", file);
  for (int k = 0; k < count; k++)
    fprintf(file, "| `%s` | %.10g | %s |\n", unit[k].name, unit[k].value, unit[k].about);
  fputc('\n', file);
}

static void write_expressions(FILE *file) {
  fputs("## Expressions\n\n"
        "From loose to tight: `or`, `and`, `not`, comparisons, `+ -`, `* /`, the sign, `^` (from right to left). "
        "`time` is the time.\nA number may depend on parameters, units and functions only; expressions of forces and "
        "outputs also on time and measures,\non states, variables, inputs and held numbers by their names, on "
        "coordinates of joints (`pin.angle`, `pin.w`, "
        "`guide.displacement`, `guide.v`) and on what forces are (`s.length`,\n`s.force` of a spring, `coil.angle`, "
        "`coil.torque` of a "
        "torsion spring, `wind.fx` to `wind.tz` of a force).\n\n",
        file);
  write_functions(file);
  write_measures(file);
  write_units(file);
}

// ------------------------------------------------------------------------------------------ the manual

// Headings so far: the second of a name has an anchor of its own, planar-1.
typedef struct headings {
  const char *name[200];
  int count;
} headings;

static void write_link(FILE *file, headings *h, const char *name) {
  int same = 0;
  for (int k = 0; k < h->count; k++)
    same += strcmp(h->name[k], name) == 0;
  if (h->count < (int)(sizeof h->name / sizeof h->name[0]))
    h->name[h->count++] = name;
  if (same > 0)
    fprintf(file, "[%s](#%s-%d)", name, name, same);
  else
    fprintf(file, "[%s](#%s)", name, name);
}

static void write_contents(FILE *file) {
  static const char *const words[] = {"functions", "measures", "reactions", "units"};
  headings h = {.count = 0};
  for (int s = 0; fly_sections[s] != NULL; s++) {
    fputs("- ", file);
    write_link(file, &h, fly_sections[s]);
    const char *between = ": ";
    for (const fly_element_type *const *row = fly_element_types, *t; (t = *row) != NULL; row++)
      if (strcmp(t->section, fly_sections[s]) == 0) {
        fputs(between, file);
        write_link(file, &h, t->name);
        between = ", ";
      }
    fputc('\n', file);
  }
  fputs("- [Values](#values)", file);
  for (const fly_value_form *form = fly_value_forms; form->name != NULL; form++) {
    fputs(form == fly_value_forms ? ": " : ", ", file);
    write_link(file, &h, form->name);
  }
  fputs("\n- [Expressions](#expressions)", file);
  for (int k = 0; k < 4; k++) {
    fputs(k == 0 ? ": " : ", ", file);
    write_link(file, &h, words[k]);
  }
  fputs("\n\n", file);
}

static void write_top(FILE *file) {
  fputs("# The model language\n\n"
        "Written by `flyball schema --manual` from the tables that the reader uses. SI units throughout. A number may "
        "be\nan expression over parameters and units, such as `30*deg` or `r/2 + 5*mm`; names are letters, digits and "
        "`_`.\nA call with commas inside `{}` or `[]` needs quotes.\n\n"
        "| key | |\n|---|---|\n",
        file);
  for (int k = 0; fly_top_keys[k].name != NULL; k++)
    fprintf(file, "| `%s` | %s |\n", fly_top_keys[k].name, fly_top_keys[k].text);
  fputs("\nMarkers and shapes of the ground stand under `bodies: {ground: {markers: {...}, shapes: [...]}}`; it takes "
        "nothing else.\n\n"
        "The axes of a joint given by `at`: z is its `axis`. If that is within 26 degrees of z of space, x is x of "
        "space, made\nperpendicular to it; else y is level and x points down, along -z of space. Without an `axis` "
        "they are "
        "those of space.\n\n",
        file);
  write_contents(file);
}

static void write_all(FILE *file) {
  write_top(file);
  for (int k = 0; fly_sections[k] != NULL; k++)
    write_section(file, fly_sections[k]);
  write_forms(file);
  write_expressions(file);
}

bool fly_reference_write(fly_sink *sink, void *user) {
  fly_text text;
  if (sink == NULL || !fly_text_open(&text))
    return false;
  write_all(text.file);
  return fly_text_close(&text, sink, user);
}
