#include "analysis/put.h"

#include <stdio.h>
#include <string.h>

void fly_put_numbers(fly_json *j, const fly_named_number *list) {
  for (; list->name; list++)
    fly_json_put_number(j, list->name, list->value);
}

void fly_put_lines(fly_json *j, const char *text) {
  for (const char *line = text, *end; *line; line = end + (*end != 0)) {
    char copy[500];
    end = line + strcspn(line, "\n");
    snprintf(copy, sizeof copy, "%.*s", (int)(end - line), line);
    fly_json_string(j, copy);
  }
}
