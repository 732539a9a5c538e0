#include "analysis/blame.h"

#include <string.h>

static bool feels_outputs(const fly_model *m, const fly_model_applied *load) {
  for (int i = 0; i < load->ninput; i++)
    if (m->measure[load->input[i]].output >= 0 && m->measure[load->input[i]].signal != FLY_SIGNAL_VARIABLE)
      return true;
  return false;
}

void fly_blame_feeling(const fly_model *m, fly_error *error) {
  int named = 0;
  for (int k = 0; k < m->napplied && named < 3; k++) {
    const fly_item *item = &m->spec->item[m->applied[k].item];
    char place[300];
    if (!feels_outputs(m, &m->applied[k]))
      continue;
    fly_place_text(place, sizeof place, item->place);
    fly_error_append(error, "%s`%s` (%.*s)",
                     named++ ? ", " : " Forces that feel accelerations or reactions: ", item->name,
                     (int)(strlen(place) > 2 ? strlen(place) - 2 : 0), place);
  }
  if (named)
    fly_error_append(error,
                     ". One that grows with an acceleration as fast as its mass takes to make it cancels the mass; "
                     "one that feels its own reaction may hold itself.");
}

void fly_blame_loops(const fly_model *m, fly_error *error) {
  int named = 0;
  for (int k = 0; k < m->noutput && named < 6; k++) {
    const fly_item *item = &m->spec->item[m->output[k].item];
    char place[300];
    if (m->output[k].loop == 0)
      continue;
    fly_place_text(place, sizeof place, item->place);
    fly_error_append(error, "%s`%s` (%.*s)", named++ ? ", " : " Variables that depend on themselves: ", item->name,
                     (int)(strlen(place) > 2 ? strlen(place) - 2 : 0), place);
  }
  if (named)
    fly_error_append(error, ". Their equations must have one solution: look for one that is its own multiple, or for a "
                            "gain of 1 around the loop.");
}
