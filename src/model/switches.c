// Joints, motions and forces that events switch off and on: each has a held number, made when something needs it.
#include <stdio.h>
#include <string.h>

#include "expr/expr.h"
#include "model/compile.h"

static const char *const sections[] = {"joints", "motions", "forces", "contacts"};
enum { SECTIONS = sizeof sections / sizeof *sections };

static bool has_switch(const fly_item *item) { return fly_parameter_find(item->type, "on") >= 0; }

const fly_item *fly_switched_item(const fly_spec *spec, const char *name) {
  const char *dot = strrchr(name, '.');
  char head[200];
  if (!dot || strcmp(dot, ".on") != 0 || (size_t)(dot - name) >= sizeof head)
    return NULL;
  snprintf(head, sizeof head, "%.*s", (int)(dot - name), name);
  for (int k = 0; k < SECTIONS; k++) {
    const fly_item *item = fly_spec_find(spec, sections[k], head);
    if (item && has_switch(item))
      return item;
  }
  return NULL;
}

int fly_switch_of(fly_model *m, int item) {
  if (m->switch_of_item[item] < 0) {
    const fly_item *it = &m->spec->item[item];
    m->held[m->nheld] = (fly_model_given){.item = item, .value = fly_item_number(it, "on"), .part = "on"};
    m->switch_of_item[item] = m->nheld++;
  }
  return m->switch_of_item[item];
}

void fly_add_switches(fly_model *m) {
  for (int k = 0; k < m->spec->nitem; k++) {
    m->switch_of_item[k] = -1;
    if (has_switch(&m->spec->item[k]) && fly_item_given(&m->spec->item[k], "on"))
      fly_switch_of(m, k);
  }
}

int fly_switch_input(fly_model *m, const char *name) {
  const fly_item *item = fly_switched_item(m->spec, name);
  return item ? fly_measure_input(m, &(fly_model_measure){.kind = fly_switch_of(m, (int)(item - m->spec->item)),
                                                          .joint = -1,
                                                          .marker = {-1, -1, -1},
                                                          .signal = FLY_SIGNAL_HELD})
              : FLY_EXPR_UNKNOWN;
}

bool fly_model_can_switch(const fly_model *m) {
  for (int k = 0; k < m->nrow; k++)
    if (m->row[k].held >= 0 || m->switch_of_item[m->row[k].item] >= 0 ||
        (m->row[k].along >= 0 && m->switch_of_item[m->row[k].along] >= 0))
      return true;
  return false;
}
