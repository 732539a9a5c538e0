// Motions: what they move, and by which expression.
#include <string.h>

#include "model/compile.h"

// What a motion moves: a coordinate of a pair.
typedef struct moved {
  int pair, axis;
  bool turn;
  const char *name; // of the coordinate, for people
  int joint;        // item; -1: markers
} moved;

// Which of the four expressions is given, and what it is of the coordinate.
typedef struct prescribed {
  const char *parameter;
  int level;
} prescribed;

static fly_status find_prescribed(const fly_item *item, prescribed *out, fly_error *error) {
  static const prescribed ways[] = {{"angle", 0}, {"displacement", 0}, {"velocity", 1}, {"acceleration", 2}};
  int given = 0;
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
    if (fly_item_given(item, ways[k].parameter)) {
      *out = ways[k];
      given++;
    }
  return given == 1 ? FLY_OK
                    : fly_item_fail(item, error,
                                    "takes one of `angle`, `displacement`, `velocity`, `acceleration`, not %d.", given);
}

static fly_status moved_joint(const fly_model *m, const fly_item *item, const prescribed *what, moved *out,
                              fly_error *error) {
  int joint = 0;
  const char *direction = fly_item_word(item, "direction", 0);
  fly_status status = fly_joint_named(m, item, fly_item_word(item, "joint", 0), &joint, error);
  if (status)
    return status;
  const fly_item *j = &m->spec->item[joint];
  if (direction && strcmp(direction, "z") != 0 && strcmp(direction, "about-z") != 0)
    return fly_item_fail(item, error, "`direction` of a joint is z or about-z: along or about its axis.");
  if (!direction && what->level > 0 && fly_joint_turns(j) && fly_joint_slides(j))
    return fly_item_fail(item, error, "`%s` turns and slides; say which by `direction`: about-z or z.", j->name);
  bool turn = direction         ? direction[0] == 'a'
              : what->level > 0 ? fly_joint_turns(j)
                                : strcmp(what->parameter, "angle") == 0;
  if (turn ? !fly_joint_turns(j) : !fly_joint_slides(j))
    return fly_item_fail(item, error, "`%s` is a %s joint, which does not %s.", j->name, j->type->name,
                         turn ? "turn" : "slide");
  *out = (moved){m->joint_pair[joint], 2, turn, turn ? "angle" : "displacement", joint};
  return FLY_OK;
}

static fly_status moved_markers(fly_model *m, int item, moved *out, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  const char *direction = fly_item_word(it, "direction", 0);
  int mi = 0, mj = 0;
  if (!direction)
    return fly_item_fail(it, error, "`direction` is missing: x, y, z, about-x, about-y or about-z of `from`.");
  fly_status status = fly_marker_named(m, it, "from", &mi, error);
  if (status == FLY_OK)
    status = fly_marker_named(m, it, "to", &mj, error);
  if (status == FLY_OK && m->marker[mi].body == m->marker[mj].body)
    status = fly_item_fail(it, error, "moves a body against itself.");
  if (status)
    return status;
  bool turn = direction[0] == 'a';
  *out = (moved){fly_add_pair(m, mi, mj), direction[strlen(direction) - 1] - 'x', turn, direction, -1};
  m->joint_pair[item] = out->pair;
  const fly_joint_type as_joint = {"motion", 0, 1, {{turn ? FLY_DOT : FLY_PLANE, 0, 0, ""}}};
  return fly_check_point_mass(m, it, out->pair, &as_joint, error);
}

static fly_status find_moved(fly_model *m, int item, const prescribed *what, moved *out, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  if (fly_item_given(it, "joint") == fly_item_given(it, "from"))
    return fly_item_fail(it, error, "moves either a `joint` or two markers, `from` and `to`.");
  fly_status status =
      fly_item_given(it, "joint") ? moved_joint(m, it, what, out, error) : moved_markers(m, item, out, error);
  if (status == FLY_OK && what->level == 0 && out->turn != (strcmp(what->parameter, "angle") == 0))
    return fly_item_fail(it, error, "`direction` %s goes with `%s`.", fly_item_word(it, "direction", 0),
                         out->turn ? "angle" : "displacement");
  fly_primitive k = {out->axis, 0, 0.0};
  if (status == FLY_OK && !fly_rows_felt(m, &m->pair[out->pair], out->turn ? FLY_ANGLE : FLY_PLANE, &k))
    return fly_item_fail(it, error, "planar bodies cannot move that way.");
  return status;
}

fly_status fly_add_motion(fly_model *m, int item, fly_error *error) {
  const fly_item *it = &m->spec->item[item];
  prescribed what = {0};
  moved coordinate = {0};
  int expression = 0;
  fly_status status = find_prescribed(it, &what, error);
  if (status == FLY_OK)
    status = find_moved(m, item, &what, &coordinate, error);
  if (status == FLY_OK)
    status = fly_compile_time(m, it, what.parameter, &expression, error);
  if (status)
    return status;
  fly_add_coordinate(m, coordinate.pair, coordinate.turn, coordinate.axis, m->nrow, 1.0);
  fly_add_row(m, item, coordinate.name);
  m->row[m->nrow - 1].motion = m->nmotion;
  m->row[m->nrow - 1].along = coordinate.joint;
  m->row[m->nrow - 1].angular = coordinate.turn;
  m->motion[m->nmotion++] = (fly_model_motion){item, m->nrow - 1, expression, what.level};
  return FLY_OK;
}
