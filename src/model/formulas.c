// Functions of the user, as expressions call them.
#include <string.h>

#include "model/model.h"

fly_expr_formula *fly_spec_formulas(const fly_spec *spec, fly_arena *memory, int *count) {
  *count = 0;
  for (int k = 0; k < spec->nitem; k++)
    *count += strcmp(spec->item[k].type->section, "functions") == 0;
  fly_expr_formula *list = fly_arena_take(memory, (size_t)*count + 1, sizeof *list), *next = list;
  for (int k = 0; k < spec->nitem && list; k++) {
    const fly_item *item = &spec->item[k];
    if (strcmp(item->type->section, "functions") != 0)
      continue;
    const fly_value *arguments = fly_item_value(item, "arguments");
    *next++ = (fly_expr_formula){item->name, arguments->count, arguments->word, fly_item_word(item, "value", 0)};
  }
  return list;
}
