#include "model/block.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void fly_block_name(char name[FLY_BLOCK_NAME], const fly_spec *spec, int block, const char *letter, int number) {
  char count[20] = "";
  if (number > 0)
    snprintf(count, sizeof count, "%d", number);
  snprintf(name, FLY_BLOCK_NAME, "%.250s.%.20s%s", spec->item[block].name, letter, count);
}

bool fly_block_says(fly_block_fault *fault, const char *parameter, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(fault->text, sizeof fault->text, format, list);
  va_end(list);
  fault->parameter = parameter;
  return false;
}

fly_item *fly_block_add(fly_spec *spec, int block, const char *section, const char *name, fly_block_fault *fault) {
  const fly_element_type *type = fly_element_type_find(section, NULL);
  fly_error why = {0};
  fly_item *item = fly_spec_add(spec, type, name, spec->item[block].place, &why);
  if (item)
    item->made = 1 + block;
  else if (why.status == FLY_NO_MEMORY)
    fault->no_memory = true;
  else
    fly_block_says(fault, NULL, "it makes `%.100s`, and that name is taken.", name);
  return item;
}

bool fly_block_number(fly_spec *spec, fly_item *item, const char *parameter, double value, fly_block_fault *fault) {
  const int k = fly_parameter_find(item->type, parameter);
  fault->no_memory = !fly_spec_set_numbers(spec, item, k, 1, &value, item->place);
  return !fault->no_memory;
}

bool fly_block_words(fly_spec *spec, fly_item *item, const char *parameter, int count, const char *const *word,
                     fly_block_fault *fault) {
  const int k = fly_parameter_find(item->type, parameter);
  fault->no_memory = !fly_spec_set_words(spec, item, k, count, word, item->place);
  return !fault->no_memory;
}
