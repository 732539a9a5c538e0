// An equilibrium for people: where bodies stand, what joints carry, what forces do.
#include <string.h>

#include "analysis/statics.h"

static const fly_rest_line BODY = {
    .section = "bodies", .count = 4, .label = {"x", "y", "z", "turned"}, .unit = {"m", "m", "m", "rad"}};
static const fly_rest_line JOINT = {.section = "joints",
                                    .count = 6,
                                    .label = {"fx", "fy", "fz", "tx", "ty", "tz"},
                                    .unit = {"N", "N", "N", "N m", "N m", "N m"}};
static fly_rest_line line_of(const fly_rest_line *like, const fly_balance *b, int item) {
  fly_rest_line line = *like;
  line.name = b->model->spec->item[item].name;
  line.type = b->model->spec->item[item].type->name;
  return line;
}

double fly_balance_turned(const fly_balance *b, int k) {
  const fly_body *body = &b->model->body[k];
  return body->type->turned(b->start + body->iq, b->now.q + body->iq);
}

static fly_rest_line body_line(const fly_balance *b, int k) {
  const fly_body *body = &b->model->body[k];
  fly_rest_line line = line_of(&BODY, b, body->item);
  fly_kinematics at = {0};
  fly_body_position(body, b->now.q + body->iq, &at);
  memcpy(line.value, at.r, sizeof at.r);
  line.value[3] = fly_balance_turned(b, k);
  return line;
}

static fly_rest_line joint_line(const fly_balance *b, int k) {
  fly_rest_line line = line_of(&JOINT, b, b->joint[k]);
  memcpy(line.value, b->wrench + 6 * b->model->joint_pair[b->joint[k]], 6 * sizeof *line.value);
  return line;
}

static fly_rest_line force_line(const fly_balance *b, int k) {
  const fly_acting force = fly_model_acting(b->model, k);
  fly_dae_state at = fly_balance_state(b, &b->now);
  fly_rest_line line = line_of(&(fly_rest_line){.section = "forces"}, b, force.item);
  for (; force.quantity[line.count].name; line.count++) {
    line.label[line.count] = force.quantity[line.count].name;
    line.unit[line.count] = force.quantity[line.count].unit;
  }
  fly_system_acting(b->system, &at, k, line.value);
  return line;
}

void fly_statics_list(fly_balance *b) {
  fly_dae_state at = fly_balance_state(b, &b->now);
  fly_system_reactions(b->system, &at, b->wrench);
  b->njoint = 0;
  for (int k = 0; k < b->model->spec->nitem; k++)
    if (b->model->joint_pair[k] >= 0)
      b->joint[b->njoint++] = k;
}

int fly_statics_lines(const fly_balance *b) { return b->model->nbody + b->njoint + fly_model_acting_count(b->model); }

fly_rest_line fly_statics_line(const fly_balance *b, int line) {
  const int bodies = b->model->nbody, joints = bodies + b->njoint;
  return line < bodies   ? body_line(b, line)
         : line < joints ? joint_line(b, line - bodies)
                         : force_line(b, line - joints);
}
