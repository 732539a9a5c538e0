// What something in the model language is, told in a terminal.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/stream.h"
#include "element/inertia.h"
#include "element/measure.h"
#include "element/reaction.h"
#include "expr/expr.h"
#include "flyball/model.h"
#include "flyball/words.h"
#include "io/explain.h"
#include "io/forms.h"
#include "io/parts.h"

static void explain_rows(FILE *file, const fly_parameter *rows) {
  for (int k = 0; rows[k].name != NULL; k++) {
    char takes[400];
    fly_row_text(takes, sizeof takes, &rows[k]);
    fprintf(file, "  %-17s %s\n%20s%s", rows[k].name, rows[k].text, "", takes);
    if (rows[k].required)
      fputs("; required", file);
    if (rows[k].fallback != NULL)
      fprintf(file, "; default %s", rows[k].fallback);
    fputc('\n', file);
  }
}

// Each of these says what it knows of a name; how many things that are.

static int explain_types(FILE *file, const char *name) {
  int found = 0;
  for (const fly_element_type *const *row = fly_element_types, *t; (t = *row) != NULL; row++) {
    char title[80];
    if (strcmp(t->name, name) != 0) // there is a planar body and a planar joint
      continue;
    fly_type_title(title, sizeof title, t);
    fprintf(file, "%s (in %s): %s\n\n", title, t->section, t->text);
    explain_rows(file, t->parameters);
    fprintf(file, "\n  %s:\n    %s\n\n", t->section, t->example);
    found++;
  }
  return found;
}

static void explain_shapes(FILE *file) {
  for (int kind = 0; kind < FLY_SHAPE_KINDS; kind++) {
    const fly_shape_type *type = &fly_shape_types[kind];
    fprintf(file, "  type: %-12s%s; ", type->name, type->text);
    for (int k = 0; k < type->nsize; k++)
      fprintf(file, "%s%s", k > 0 ? ", " : "", type->size[k]);
    fputs(" [m]\n", file);
  }
  fprintf(file, "  type: %-12s%s; file, scale\n", "mesh", FLY_MESH_TEXT);
  fprintf(file, "  type: %-12s%s; points or file, scale\n", "hull", FLY_HULL_TEXT);
  for (int kind = 0; kind < FLY_CURVE_TYPES; kind++) {
    const fly_curve_type *type = &fly_curve_types[kind];
    fprintf(file, "  type: %-12s%s; ", type->name, type->text);
    for (int k = 0; k < FLY_CURVE_KEYS && type->key[k] != NULL; k++)
      fprintf(file, "%s%s", k > 0 ? ", " : "", type->key[k]);
    fputc('\n', file);
  }
}

static bool is_name_or_plural(const char *typed, const char *name) {
  const size_t length = strlen(name);
  return strncmp(typed, name, length) == 0 && (typed[length] == 0 || strcmp(typed + length, "s") == 0);
}

static int explain_form(FILE *file, const char *name) {
  for (const fly_value_form *form = fly_value_forms; form->name != NULL; form++) {
    if (!is_name_or_plural(name, form->name))
      continue;
    fprintf(file, "%s: %s\n\n", form->name, form->text);
    explain_rows(file, form->rows);
    if (form->rows == fly_shape_form)
      explain_shapes(file);
    fprintf(file, "\n  %s\n\n", form->example);
    return 1;
  }
  return 0;
}

static int explain_expression(FILE *file, const char *name) {
  static const char *const arguments[] = {"", "a", "a, b", "a, b, c"};
  int found = 0, units;
  for (int k = 0; fly_expr_function_at(k) != NULL; k++) {
    const fly_expr_function *f = fly_expr_function_at(k);
    if (strcmp(f->name, name) == 0)
      found += fprintf(file, "%s(%s): %s%s%s\n", f->name, f->arguments, f->about, f->units[0] != 0 ? "; " : "",
                       f->units) > 0;
  }
  const int kind = fly_measure_find(name);
  if (kind >= 0)
    found += fprintf(file, "%s(%s): %s [%s]\n", name, arguments[fly_measure_types[kind].markers],
                     fly_measure_types[kind].text, fly_measure_types[kind].unit) > 0;
  const int reaction = fly_reaction_find(name);
  if (reaction >= 0)
    found += fprintf(file, "%s(j, m): %s [%s]\n", name, fly_reaction_types[reaction].text,
                     fly_reaction_types[reaction].unit) > 0;
  const fly_expr_number *unit = fly_expr_units(&units);
  for (int k = 0; k < units; k++)
    if (strcmp(unit[k].name, name) == 0)
      found += fprintf(file, "%s: unit, %s, %.10g in SI\n", name, unit[k].about, unit[k].value) > 0;
  return found;
}

static void list_section(FILE *file, const char *section) {
  fprintf(file, "%s:\n", section);
  for (const fly_element_type *const *row = fly_element_types, *t; (t = *row) != NULL; row++)
    if (strcmp(t->section, section) == 0)
      fprintf(file, "  %-19s%s\n", t->name, t->text);
}

static int explain_section(FILE *file, const char *name) {
  if (strcmp(name, "parts") == 0 || strcmp(name, "use") == 0) {
    fly_list_parts(file);
    return 1;
  }
  for (int k = 0; fly_sections[k] != NULL; k++)
    if (strcmp(name, fly_sections[k]) == 0) {
      list_section(file, name);
      return 1;
    }
  return 0;
}

static void list_all(FILE *file) {
  for (int k = 0; fly_sections[k] != NULL; k++)
    list_section(file, fly_sections[k]);
  fputs("values:\n", file);
  for (const fly_value_form *form = fly_value_forms; form->name != NULL; form++)
    fprintf(file, "  %-19s%s\n", form->name, form->text);
  fly_list_parts(file);
  fputs("functions:", file);
  for (int k = 0; fly_expr_function_at(k) != NULL; k++)
    fprintf(file, " %s", fly_expr_function_at(k)->name);
  fputs("\nmeasures:", file);
  for (int k = 0; k < FLY_MEASURE_KINDS; k++)
    fprintf(file, " %s", fly_measure_types[k].name);
  fputs("\nreactions:", file);
  for (int k = 0; k < FLY_REACTION_KINDS; k++)
    fprintf(file, " %s", fly_reaction_types[k].name);
  fputc('\n', file);
}

// ------------------------------------------------------------------------------------------ the nearest

enum { MOST_WORDS = 300 };

static void add_word(const char **words, int *count, const char *word) {
  if (*count < MOST_WORDS)
    words[(*count)++] = word;
}

static fly_status unknown(const char *name, fly_error *error) {
  const char *words[MOST_WORDS + 1];
  int count = 0;
  for (const fly_element_type *const *row = fly_element_types, *t; (t = *row) != NULL; row++)
    add_word(words, &count, t->name);
  for (const fly_value_form *form = fly_value_forms; form->name != NULL; form++)
    add_word(words, &count, form->name);
  for (int k = 0; fly_sections[k] != NULL; k++)
    add_word(words, &count, fly_sections[k]);
  for (int k = 0; fly_expr_function_at(k) != NULL; k++)
    add_word(words, &count, fly_expr_function_at(k)->name);
  for (int k = 0; k < fly_shipped_part_count; k++)
    add_word(words, &count, fly_shipped_parts[k].name);
  words[count] = NULL;
  const char *nearest = fly_nearest_word(name, words);
  if (nearest != NULL)
    return fly_fail(error, FLY_BAD_INPUT, NAN, "There is no element '%.60s'. Did you mean '%s'?", name, nearest);
  return fly_fail(error, FLY_BAD_INPUT, NAN, "There is no element '%.60s'.", name);
}

static bool is_like(const fly_parameter *a, const fly_parameter *b) {
  return strcmp(a->text, b->text) == 0 && strcmp(a->unit, b->unit) == 0;
}

// A key of elements: what it says, once for all that say the same, and whose it is.
static int explain_key(FILE *file, const char *name) {
  const fly_parameter *told[20];
  int found = 0;
  for (const fly_element_type *const *row = fly_element_types; *row != NULL; row++) {
    const int k = fly_parameter_find(*row, name);
    const fly_parameter *p = k < 0 ? NULL : &(*row)->parameters[k];
    bool known = p == NULL || found == 20;
    for (int i = 0; i < found && p != NULL; i++)
      known = known || is_like(told[i], p);
    if (known)
      continue;
    told[found++] = p;
    char takes[400];
    fly_row_text(takes, sizeof takes, p);
    fprintf(file, "%s: %s\n  %s\n  a key of", name, p->text, takes);
    for (const fly_element_type *const *of = row; *of != NULL; of++) {
      const int other = fly_parameter_find(*of, name);
      if (other >= 0 && is_like(&(*of)->parameters[other], p))
        fprintf(file, "%s %s", *of == *row ? "" : ",", (*of)->name);
    }
    fputs("\n\n", file);
  }
  return found;
}

static fly_status explain(FILE *file, const char *name, fly_error *error) {
  if (name == NULL) {
    list_all(file);
    return FLY_OK;
  }
  int found = explain_types(file, name);
  found += explain_form(file, name);
  found += explain_section(file, name);
  found += explain_expression(file, name);
  found += fly_explain_part(file, name);
  found += found > 0 ? 0 : explain_key(file, name);
  return found > 0 ? FLY_OK : unknown(name, error);
}

fly_status fly_explain(const char *name, fly_sink *sink, void *user, fly_error *error) {
  fly_text text;
  if (sink == NULL)
    return fly_missing(error, "fly_explain", "sink");
  if (!fly_text_open(&text))
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Not enough memory to explain anything.");
  const fly_status status = explain(text.file, name, error);
  if (!fly_text_close(&text, sink, user) && status == FLY_OK)
    return fly_fail(error, FLY_FILE, NAN, "The explanation could not be written to its end.");
  return status;
}
