// Equations: of a state its derivative is what makes one 0, of a variable its value. They become variables that lead
// back to themselves, y = y - e, which the solver finds together with the motion.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/reader.h"
#include "model/block.h"

// ------------------------------------------------------------------------------------------ rate(x)

static bool is_of_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

// If rate(name) stands at s: where name is, its length, and what comes behind; else NULL.
static const char *rate_at(const char *text, const char *s, int *length, const char **behind) {
  if (strncmp(s, "rate", 4) != 0 || (s > text && is_of_word(s[-1])))
    return NULL;
  s += 4 + strspn(s + 4, " ");
  if (*s != '(')
    return NULL;
  const char *name = s + 1 + strspn(s + 1, " "), *end = name;
  while (is_of_word(*end))
    end++;
  *length = (int)(end - name);
  end += strspn(end, " ");
  *behind = end + 1;
  return *length > 0 && *end == ')' ? name : NULL;
}

// The text with name.slope in the place of rate(name), in memory that the caller frees; NULL without memory.
char *fly_reader_put_slopes(const char *text) {
  char *out = malloc(3 * strlen(text) + 1), *to = out;
  for (const char *s = text; out != NULL && *s != 0;) {
    int length;
    const char *behind, *name = rate_at(text, s, &length, &behind);
    if (name == NULL) {
      *to++ = *s++;
      continue;
    }
    to += sprintf(to, "%.*s.slope", length, name);
    s = behind;
  }
  if (out != NULL)
    *to = 0;
  return out;
}

// ------------------------------------------------------------------------------------------ what they are made of

static bool has_equation(const fly_item *item) {
  return (strcmp(item->type->section, "states") == 0 || strcmp(item->type->section, "variables") == 0) &&
         item->made == 0 && fly_item_given(item, "equation");
}

// Every rate(name) is that of a state with an equation.
static bool check_rates(fly_reader *r, int item, const char *text) {
  char name[FLY_TREE_KEY + 1];
  for (const char *s = text; *s != 0; s++) {
    int length;
    const char *behind, *found = rate_at(text, s, &length, &behind);
    if (found == NULL)
      continue;
    snprintf(name, sizeof name, "%.*s", length, found);
    const fly_item *state = fly_spec_find(r->spec, "states", name);
    if (state == NULL || !fly_item_given(state, "equation"))
      return fly_reader_fault(r, fly_tree_find(r->node[item], "equation"),
                              "'equation': rate(%.60s) is known of a state with an equation only, and '%.60s' is none.",
                              name, name);
  }
  return true;
}

static bool set_text(fly_reader *r, fly_item *item, const char *parameter, const char *text) {
  const int row = fly_parameter_find(item->type, parameter);
  const bool given = fly_item_row(item, row)->given;
  if (!fly_spec_set_words(r->spec, item, row, 1, &text, item->place))
    return fly_reader_no_memory(r);
  fly_spec_own_value(r->spec, item, row)->given = given; // it was not written
  return true;
}

static bool set_itself(fly_reader *r, fly_item *variable, const char *equation) {
  char *slopes = fly_reader_put_slopes(equation);
  const size_t size = (slopes != NULL ? strlen(slopes) : 0) + strlen(variable->name) + 10;
  char *text = slopes != NULL ? malloc(size) : NULL;
  if (text != NULL)
    snprintf(text, size, "%s - (%s)", variable->name, slopes);
  const bool good = text != NULL ? set_text(r, variable, "value", text) : fly_reader_no_memory(r);
  free(text);
  free(slopes);
  return good;
}

// x' is the variable x.slope.
static bool add_slope(fly_reader *r, int item, const char *equation) {
  char name[FLY_BLOCK_NAME];
  fly_block_fault fault = {0};
  fly_block_name(name, r->spec, item, "slope", 0);
  if (fly_block_add(r->spec, item, "variables", name, &fault) == NULL)
    return fault.no_memory ? fly_reader_no_memory(r) : fly_reader_fault(r, r->node[item], "%s", fault.text);
  fly_item *slope = &r->spec->item[r->spec->nitem - 1];
  return fly_reader_keep_node(r, r->spec->nitem - 1, r->node[item]) && set_itself(r, slope, equation) &&
         set_text(r, &r->spec->item[item], "rate", name);
}

bool fly_reader_equations(fly_reader *r) {
  const int given = r->spec->nitem;
  bool good = true;
  for (int k = 0; k < given && fly_reader_goes_on(r); k++) {
    if (!has_equation(&r->spec->item[k]))
      continue;
    const char *equation = fly_item_word(&r->spec->item[k], "equation", 0);
    const bool state = strcmp(r->spec->item[k].type->section, "states") == 0;
    good = check_rates(r, k, equation) &&
           (state ? add_slope(r, k, equation) : set_itself(r, &r->spec->item[k], equation)) && good;
  }
  return good;
}
