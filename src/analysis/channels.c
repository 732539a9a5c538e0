// Channels of a run: their names by element, which are wanted, and their values.
#include "analysis/channels.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "flyball/words.h"
#include "math/so3.h"

// ------------------------------------------------------------------------------------------ what there is

// Names, units and descriptions of a block; what is behind the name of its element and a dot.
static const fly_quantity REACTION[] = {
    FLY_ALONG("f", "N", "force on the second body", "the first marker"),
    FLY_ALONG("t", "N m", "torque on the second body, about its marker", "the first"),
    {0}};
// Of a body, by all contacts together.
static const fly_quantity TOUCHED[] = {
    FLY_ALONG("contact_f", "N", "force of all contacts on it", "space"),
    FLY_ALONG("contact_t", "N m", "torque of all contacts on it, about its mass centre", "space"),
    {"contacts", "", "pairs of shapes, or of bodies if listed, that touch it"},
    {0}};
// Of a joint that gives way.
static const fly_quantity GAP[] = {{"gap", "m", "how far it has given way where it holds places"},
                                   {"tilt", "rad", "how far it has given way where it holds turns"},
                                   {0}};
static const fly_quantity DRIVING_FORCE[] = {
    {"force", "N", "force of the motion, along its coordinate"}, {"power", "W", "power of the motion"}, {0}};
static const fly_quantity DRIVING_TORQUE[] = {
    {"torque", "N m", "torque of the motion, about its axis"}, {"power", "W", "power of the motion"}, {0}};
// What a motion given by data needs and the model has not; of bodies by column: along space, about the body's own axes.
static const fly_quantity MISSING_FORCE[] = {{"missing_force", "N", "force missing along the joint"}, {0}};
static const fly_quantity MISSING_TORQUE[] = {{"missing_torque", "N m", "torque missing about the joint"}, {0}};
static const fly_quantity MISSING_LOAD[6][2] = {
    {{"missing_fx", "N", "force missing at the mass centre, along x of space"}, {0}},
    {{"missing_fy", "N", "force missing at the mass centre, along y of space"}, {0}},
    {{"missing_fz", "N", "force missing at the mass centre, along z of space"}, {0}},
    {{"missing_tx", "N m", "torque missing, along x of the body"}, {0}},
    {{"missing_ty", "N m", "torque missing, along y of the body"}, {0}},
    {{"missing_tz", "N m", "torque missing, along z of the body"}, {0}}};
static const fly_quantity TURN[] = {{"angle", "rad", "angle of the second marker about z of the first, turns counted"},
                                    {"w", "rad/s", "its rate"},
                                    {0}};
static const fly_quantity SLIDE[] = {
    {"displacement", "m", "of the second marker from the first, along z of the first"}, {"v", "m/s", "its rate"}, {0}};
static const fly_quantity MARKER[] = {FLY_ALONG("", "m", "position", "space"),
                                      FLY_QUATERNION("marker"),
                                      FLY_ALONG("v", "m/s", "velocity", "space"),
                                      FLY_ALONG("w", "rad/s", "angular velocity", "space"),
                                      FLY_ALONG("acc", "m/s^2", "acceleration", "space"),
                                      FLY_ALONG("wdt", "rad/s^2", "angular acceleration", "space"),
                                      {0}};
static const fly_quantity ENERGY[] = {
    {"kinetic", "J", "kinetic energy of all bodies"},
    {"gravity", "J", "potential energy of gravity, 0 at the origin"},
    {"springs", "J", "energy of springs, torsion springs, bushings and joints that give way"},
    {"total", "J", "kinetic + gravity + springs"},
    {"balance", "J", "change of the total less the works: the error of the energy"},
    {0}};
static const fly_quantity WORK[] = {{"forces", "J", "work done by forces and laws given as expressions"},
                                    {"motions", "J", "work done by motions"},
                                    {"damping", "J", "energy lost in dampers"},
                                    {0}};

// Held numbers that belong to elements, by their names.
static const fly_quantity PARTS[][2] = {
    {{"on", "", "1: it is there; 0: it is switched off"}, {0}},
    {{"sticks", "", "1: it sticks; 0: it slides"}, {0}},
    {{"slides", "", "which way it slides: -1 or 1; 0: it sticks"}, {0}},
    {{"slides_about", "", "which way it turns, of the speed on its surface: -1 to 1; 0: it sticks"}, {0}},
    {{"slides_x", "", "which way it turns, along x of its first marker: -1 to 1; 0: it sticks"}, {0}},
    {{"slides_y", "", "likewise, along y"}, {0}},
    {{"slides_z", "", "likewise, along z"}, {0}},
    {{"sticks2", "", "1: its second pin sticks; 0: it slides"}, {0}},
    {{"slides2", "", "which way its second pin slides: -1 or 1; 0: it sticks"}, {0}},
    {{"stop", "", "the limit it rests on: -1 the low one, 1 the high one, 0 none"}, {0}},
    {{"rebound", "", "its rate behind a limit that it meets"}, {0}},
    {{"stop_about", "", "the limit its turn rests on: -1 the low one, 1 the high one, 0 none"}, {0}},
    {{"rebound_about", "", "the rate of its turn behind a limit that it meets"}, {0}},
    {{"stop2", "", "the limit its second pin rests on: -1 the low one, 1 the high one, 0 none"}, {0}},
    {{"rebound2", "", "the rate of its second pin behind a limit that it meets"}, {0}},
};
// Friction: along an axis, about it, about both; of a second pin; of a ball.
static const fly_quantity RUBS[] = {{"friction", "N", "friction on the second body, along the axis"}, {0}};
static const fly_quantity RUBS_TURNING[] = {{"friction", "N m", "torque of friction on the second body"}, {0}};
static const fly_quantity RUBS_ABOUT[] = {{"friction_about", "N m", "torque of friction on the second body"}, {0}};
static const fly_quantity RUBS_SECOND[] = {{"friction2", "N m", "likewise, of its second pin"}, {0}};
static const fly_quantity RUBS_BALL[][2] = {
    {{"friction_x", "N m", "torque of friction on the second body, along x of the first marker"}, {0}},
    {{"friction_y", "N m", "likewise, along y"}, {0}},
    {{"friction_z", "N m", "likewise, along z"}, {0}}};

typedef struct fly_channel_block block;

// What there is to be sampled.
typedef struct moment {
  const fly_channels *channels; // with their reactions and outputs
  fly_system *system;
  const fly_dae_state *at;
  const fly_ledger *ledger;
} moment;

typedef void sample_fn(double *out, const block *b, const moment *now);

struct fly_channel_block {
  const fly_quantity *list;
  sample_fn *sample;
  int which; // body, pair, marker
  int count;
};

// ------------------------------------------------------------------------------------------ values

static void sample_body(double *out, const block *b, const moment *now) {
  const fly_body *body = &now->system->model->body[b->which];
  const double *q = now->at->q + body->iq, *v = now->at->v + body->iv;
  const int nq = body->nq, turn_q = body->type->turn_q, turn_v = body->type->turn_v;
  memcpy(out, q, (size_t)nq * sizeof *out);
  memcpy(out + nq, v, (size_t)body->columns * sizeof *out);
  if (turn_q >= 0) // angular velocity in space axes
    fly_quat_rotate(out + nq + turn_v, q + turn_q, v + turn_v);
}

static void sample_acceleration(double *out, const block *b, const moment *now) {
  const fly_body *body = &now->system->model->body[b->which];
  const double *a = now->at->vdot + body->iv;
  memcpy(out, a, (size_t)body->columns * sizeof *out);
  if (body->type->turn_q >= 0)
    fly_quat_rotate(out + body->type->turn_v, now->at->q + body->iq + body->type->turn_q, a + body->type->turn_v);
}

static void sample_reaction(double *out, const block *b, const moment *now) {
  memcpy(out, now->channels->wrench + 6 * b->which, 6 * sizeof *out);
}

static void sample_touched(double *out, const block *b, const moment *now) {
  memcpy(out, now->channels->touched + FLY_TOUCHED * b->which, FLY_TOUCHED * sizeof *out);
}

static void sample_gap(double *out, const block *b, const moment *now) {
  fly_system_gap(now->system, now->at, b->which, out);
}

static void sample_force(double *out, const block *b, const moment *now) {
  double value[FLY_FORCE_VALUES];
  fly_system_acting(now->system, now->at, b->which, value);
  memcpy(out, value, (size_t)b->count * sizeof *out);
}

// M v' + G^T lambda = f: a motion pushes its coordinate by -lambda. One that was removed carries nothing, unless it
// shares (share.h).
static void sample_motion(double *out, const block *b, const moment *now) {
  const fly_model_motion *motion = &now->system->model->motion[b->which];
  double f[3];
  fly_system_carry(now->system, now->at);
  fly_motion_at(&now->system->motion[b->which], now->at->t, f);
  out[0] = -fly_system_multiplier(now->system, now->at, motion->row);
  out[1] = out[0] * f[1];
}

static void sample_missing(double *out, const block *b, const moment *now) { out[0] = -now->at->lambda[b->which]; }

// Of one freedom of a joint: its place and its rate, of (displacement, v, angle, w).
static void sample_coordinate(double *out, const block *b, const moment *now, int first) {
  double coordinates[4];
  fly_system_coordinates(now->system, now->at, b->which, coordinates);
  memcpy(out, coordinates + first, 2 * sizeof *out);
}

static void sample_turn(double *out, const block *b, const moment *now) { sample_coordinate(out, b, now, 2); }
static void sample_slide(double *out, const block *b, const moment *now) { sample_coordinate(out, b, now, 0); }

static void sample_marker(double *out, const block *b, const moment *now) {
  fly_system_marker(now->system, now->at, b->which, out);
}

static void sample_energy(double *out, const block *b, const moment *now) {
  const fly_ledger *l = now->ledger;
  (void)b;
  const double list[] = {l->kinetic, l->gravity, l->springs, l->kinetic + l->gravity + l->springs, l->imbalance};
  memcpy(out, list, sizeof list);
}

static void sample_work(double *out, const block *b, const moment *now) {
  const fly_ledger *l = now->ledger;
  (void)b;
  const double list[] = {l->forces, l->motions, l->damping};
  memcpy(out, list, sizeof list);
}

static void sample_state(double *out, const block *b, const moment *now) {
  out[0] = now->at->x[b->which];
  out[1] = now->at->xdot[b->which];
}

static void sample_input(double *out, const block *b, const moment *now) {
  out[0] = fly_system_input(now->system, b->which, now->at->t);
}

static void sample_held(double *out, const block *b, const moment *now) {
  const char *part = now->system->model->held[b->which].part;
  const double value = fly_system_held(now->system, b->which);
  out[0] = part && strcmp(part, "sticks") == 0 ? value != 0 : value;
}

// The load while it slides, and what holds it where it sticks.
static void sample_friction(double *out, const block *b, const moment *now) {
  const fly_model_friction *f = &now->system->model->friction[b->which / FLY_RUBS];
  const int component = f->component[b->which % FLY_RUBS];
  double value[FLY_LOAD_COMPONENTS];
  fly_system_components(now->system, now->at, f->applied, value);
  out[0] = value[component] + (f->pair >= 0 ? f->sense * now->channels->wrench[6 * f->pair + component] : 0.0);
}

static void sample_output(double *out, const block *b, const moment *now) { out[0] = now->channels->output[b->which]; }

fly_channel_source fly_channels_source(const fly_channels *c, int channel, int *which) {
  static const struct {
    sample_fn *sample;
    fly_channel_source source[2]; // of the channels of a block
  } list[] = {{sample_output, {FLY_SOURCE_OUTPUT, FLY_SOURCE_OTHER}},
              {sample_state, {FLY_SOURCE_STATE, FLY_SOURCE_RATE}},
              {sample_input, {FLY_SOURCE_INPUT, FLY_SOURCE_OTHER}},
              {sample_held, {FLY_SOURCE_HELD, FLY_SOURCE_OTHER}}};
  const block *b = c->block;
  for (; channel >= b->count; b++)
    channel -= b->count;
  *which = b->which;
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    if (b->sample == list[k].sample)
      return list[k].source[channel];
  return FLY_SOURCE_OTHER;
}

static int first_of(const fly_channels *c, sample_fn *sample) {
  int first = 0;
  for (int k = 0; k < c->nblock; first += c->block[k++].count)
    if (c->block[k].sample == sample)
      return first;
  return -1;
}

int fly_channels_energy(const fly_channels *c) { return first_of(c, sample_energy); }
int fly_channels_work(const fly_channels *c) { return first_of(c, sample_work); }

void fly_channels_sample(fly_channels *c, fly_system *s, const fly_dae_state *at, const fly_ledger *ledger,
                         double *out) {
  if (c->touches)
    fly_system_touched(s, at, c->touched);
  if (c->wrenches)
    fly_system_reactions(s, at, c->wrench);
  fly_system_outputs(s, at, c->output);
  const moment now = {c, s, at, ledger};
  for (int k = 0; k < c->nblock; k++) {
    c->block[k].sample(out, &c->block[k], &now);
    out += c->block[k].count;
  }
}

// ------------------------------------------------------------------------------------------ what is wanted

// Those of them that are known.
static const char DEFAULT[] = "bodies joints forces motions missing energies states variables inputs outputs";
static const char WITHOUT_FORCES[] = "bodies accelerations coordinates states variables inputs outputs";
static const char SEPARATORS[] = ", \t\n";
enum { GROUPS = 15, MOST_WORDS = 200 };
static const char *const groups[GROUPS + 1] = {"bodies",    "accelerations", "joints",  "coordinates", "motions",
                                               "missing",   "forces",        "markers", "energies",    "states",
                                               "variables", "inputs",        "outputs", "contacts",    "all"};

typedef struct request {
  fly_channels *c;
  const fly_model *m;
  const fly_channels_known *known;
  fly_arena *memory;
  char *text; // the words, each ended by a 0
  const char *word[MOST_WORDS + 1];
  bool used[MOST_WORDS];
  int nword, capacity; // room for blocks
  bool counting;       // the first time round: how many there are,
  size_t letters;      // and how long the names of those in blocks are, one behind the other
  char *names;         // the next of them
} request;

static bool split(request *r, const char *wanted) {
  r->text = fly_arena_take(r->memory, strlen(wanted) + 1, 1);
  if (!r->text)
    return false;
  strcpy(r->text, wanted);
  for (char *s = r->text; *s && r->nword < MOST_WORDS;) {
    s += strspn(s, SEPARATORS);
    size_t length = strcspn(s, SEPARATORS);
    if (length > 0)
      r->word[r->nword++] = s;
    s += length;
    if (*s)
      *s++ = 0;
  }
  return true;
}

static bool same(const char *a, const char *b) { return a[0] == b[0] && strcmp(a, b) == 0; }

// Is a group wanted, or an element of it by its name?
static bool is_wanted(request *r, const char *group, const char *name) {
  bool found = false;
  for (int k = 0; k < r->nword; k++) {
    bool own = same(r->word[k], "all") || same(r->word[k], group) || (name && same(r->word[k], name));
    r->used[k] = r->used[k] || own;
    found = found || own;
  }
  return found;
}

// Owner and name, with a dot between.
static void name_channel(request *r, const char *owner, const fly_quantity *like) {
  const size_t first = strlen(owner), second = strlen(like->name), size = first + second + 2;
  if (r->counting) {
    r->letters += size;
    return;
  }
  memcpy(r->names, owner, first);
  r->names[first] = '.';
  memcpy(r->names + first + 1, like->name, second + 1);
  r->c->channel[r->c->count] = (fly_channel){r->names, like->unit, like->text};
  r->names += size;
}

static void add_block(request *r, const char *owner, const fly_quantity *list, sample_fn *sample, int which) {
  fly_channels *c = r->c;
  int count = 0;
  for (; list[count].name; count++) {
    name_channel(r, owner, &list[count]);
    c->count++;
  }
  if (!r->counting)
    c->block[c->nblock] = (block){list, sample, which, count};
  c->nblock++;
}

static void add_bodies(request *r) {
  for (int k = 0; k < r->m->nbody; k++) {
    const fly_body *b = &r->m->body[k];
    if (is_wanted(r, "bodies", b->name))
      add_block(r, b->name, b->state, sample_body, k);
    if (is_wanted(r, "accelerations", NULL))
      add_block(r, b->name, b->acceleration, sample_acceleration, k);
  }
}

// Of bodies that have shapes, in a model with contacts.
static void add_touched(request *r) {
  const bool touch = fly_model_has_contacts(r->m);
  for (int k = 0; k < r->m->nbody && touch && r->known->multipliers; k++) {
    const fly_body *b = &r->m->body[k];
    if (!fly_item_given(&r->m->spec->item[b->item], "shapes") || !is_wanted(r, "contacts", NULL))
      continue;
    add_block(r, b->name, TOUCHED, sample_touched, k);
    r->c->touches = true;
  }
}

static bool is_one_of(const char *word, const char *const *words) {
  for (; *words; words++)
    if (strcmp(word, *words) == 0)
      return true;
  return false;
}

static void add_joints(request *r) {
  for (int k = 0; k < r->m->spec->nitem; k++) {
    const fly_item *joint = &r->m->spec->item[k];
    int pair = r->m->joint_pair[k];
    if (pair < 0)
      continue;
    if (r->known->multipliers && is_wanted(r, "joints", joint->name)) {
      add_block(r, joint->name, REACTION, sample_reaction, pair);
      r->c->wrenches = true;
    }
    if (!is_wanted(r, "coordinates", joint->name))
      continue;
    if (fly_joint_turns(joint))
      add_block(r, joint->name, TURN, sample_turn, pair);
    if (fly_joint_goes(joint))
      add_block(r, joint->name, SLIDE, sample_slide, pair);
  }
}

// Of joints that say by how much; of others that give way by the formulation of the run nobody asked.
static void add_gaps(request *r) {
  for (int k = 0, last = -1; k < r->m->nrow && r->known->multipliers; k++) {
    const int item = r->m->row[k].item;
    const char *name = r->m->spec->item[item].name;
    if (item == last || !(r->m->row[k].stiffness > 0))
      continue;
    last = item; // its rows follow each other
    if (is_wanted(r, "joints", name))
      add_block(r, name, GAP, sample_gap, item);
  }
}

static const fly_quantity *friction_quantity(const fly_model_friction *f, int k) {
  return f->grips               ? RUBS_BALL[f->component[k] - 3]
         : f->sense < 0         ? RUBS_SECOND
         : f->component[k] < 3  ? RUBS
         : f->component[0] == 2 ? RUBS_ABOUT
                                : RUBS_TURNING;
}

static void add_frictions(request *r) {
  for (int k = 0; k < r->m->nfriction && r->known->multipliers; k++) {
    const fly_model_friction *f = &r->m->friction[k];
    const char *name = r->m->spec->item[f->item].name;
    if (!is_wanted(r, "joints", name))
      continue;
    for (int i = 0; i < f->n; i++)
      add_block(r, name, friction_quantity(f, i), sample_friction, FLY_RUBS * k + i);
    r->c->wrenches = true;
  }
}

static void add_forces(request *r) {
  for (int k = 0; k < fly_model_acting_count(r->m) && r->known->multipliers; k++) { // some feel reactions
    const fly_acting force = fly_model_acting(r->m, k);
    if (is_wanted(r, "forces", r->m->spec->item[force.item].name))
      add_block(r, force.name, force.quantity, sample_force, k);
  }
}

static void add_motions(request *r) {
  for (int k = 0; k < r->m->nmotion && r->known->multipliers; k++) {
    const fly_model_motion *motion = &r->m->motion[k];
    const char *name = r->m->spec->item[motion->item].name;
    if (is_wanted(r, "motions", name))
      add_block(r, name, r->m->row[motion->row].angular ? DRIVING_TORQUE : DRIVING_FORCE, sample_motion, k);
  }
}

static void add_missing_of_body(request *r, int column) {
  for (int k = 0; k < r->m->nbody; k++) {
    const fly_body *b = &r->m->body[k];
    if (column >= b->iv && column < b->iv + b->columns && b->column[column - b->iv] < FLY_COLUMN_OWN &&
        is_wanted(r, "missing", b->name))
      add_block(r, b->name, MISSING_LOAD[b->column[column - b->iv]], sample_missing, r->known->nrow + column);
  }
}

static void add_missing(request *r) {
  for (int k = 0; k < r->known->nmissing; k++) {
    int row = r->known->missing[k];
    if (row >= r->known->nrow) {
      add_missing_of_body(r, row - r->known->nrow);
      continue;
    }
    const fly_row *of = &r->m->row[r->known->active[row]];
    const char *name = r->m->spec->item[of->item].name;
    bool turn = strcmp(of->direction, "angle") == 0;
    if (is_wanted(r, "missing", name))
      add_block(r, name, turn ? MISSING_TORQUE : MISSING_FORCE, sample_missing, row);
  }
}

static void add_markers(request *r) {
  for (int k = 0; k < r->m->nbody; k++) {
    const fly_body *b = &r->m->body[k];
    const fly_item *item = &r->m->spec->item[b->item];
    for (int i = 0; i < item->nmarker; i++) {
      char name[300];
      snprintf(name, sizeof name, "%s.%s", b->name, item->marker[i].name);
      if (is_wanted(r, "markers", name))
        add_block(r, name, MARKER, sample_marker, b->first_marker + 1 + i);
    }
  }
}

// Does an output need reactions, or a row of the equations of motion that it or another one has?
static bool feels_reactions(const fly_model *m, int output) {
  int count = 0;
  const int *input = fly_expr_inputs(m->expression[m->output[output].expression], &count);
  for (int k = 0; k < count; k++)
    if (input[k] > 0 && (m->measure[input[k] - 1].joint >= 0 || m->measure[input[k] - 1].signal == FLY_SIGNAL_VARIABLE))
      return true;
  return m->output[output].row;
}

static void leave_out(request *r, const char *name) {
  char *text = r->c->left_out;
  size_t used = strlen(text), size = sizeof r->c->left_out;
  if (r->counting || used > size - 200)
    return;
  snprintf(text + used, size - used,
           "The output `%.60s` is left out: it needs reactions, or depends on itself, and %.60s", name,
           used == 0 ? "kinematics knows no forces; flyball inverse does.\n" : "they are not known here.\n");
}

// A channel that is called as its element is.
static void add_named(request *r, const fly_channel *channel, sample_fn *sample, int which, int count) {
  for (int k = 0; k < count && !r->counting; k++)
    r->c->channel[r->c->count + k] = channel[k];
  if (!r->counting)
    r->c->block[r->c->nblock] = (block){NULL, sample, which, count};
  r->c->count += count;
  r->c->nblock++;
}

// Unit of a rate: "m/s" of "m", "m/s^2" of "m/s".
static const char *rate_unit(request *r, const char *unit) {
  const size_t length = strlen(unit);
  const bool again = length > 2 && strcmp(unit + length - 2, "/s") == 0;
  char *text = unit[0] ? fly_arena_take(r->memory, length + 3, 1) : NULL;
  if (text)
    snprintf(text, length + 3, "%s%s", unit, again ? "^2" : "/s");
  return text ? text : "";
}

static const char *joined(request *r, const char *name, const char *part) {
  const size_t size = strlen(name) + strlen(part) + 2;
  char *text = fly_arena_take(r->memory, size, 1);
  if (text)
    snprintf(text, size, "%s.%s", name, part);
  return text ? text : name;
}

static void add_states(request *r) {
  for (int k = 0; k < r->m->nstate; k++) {
    const fly_item *item = &r->m->spec->item[r->m->state[k].item];
    if (!is_wanted(r, "states", item->name))
      continue;
    const char *unit = fly_signal_unit(r->m, FLY_SIGNAL_STATE, k), *part = r->m->state[k].part;
    const char *name = part && !r->counting ? joined(r, item->name, part) : item->name;
    const fly_channel two[] = {{name, unit, part ? "deflection of the bristles of its friction" : "state"},
                               {r->counting ? NULL : joined(r, name, "rate"), r->counting ? "" : rate_unit(r, unit),
                                part ? "its rate" : fly_item_word(item, "rate", 0)}};
    add_named(r, two, sample_state, k, 2);
  }
}

static const fly_quantity *quantity_of(const char *part) {
  size_t k = 0;
  while (k + 1 < sizeof PARTS / sizeof *PARTS && strcmp(PARTS[k][0].name, part) != 0)
    k++;
  return PARTS[k];
}

static void add_numbers(request *r, const fly_model_given *list, int count, fly_signal signal, sample_fn *sample) {
  for (int k = 0; k < count; k++) {
    const char *name = r->m->spec->item[list[k].item].name;
    if (!is_wanted(r, "inputs", name))
      continue;
    if (list[k].hidden)
      continue;
    if (list[k].part) {
      add_block(r, name, quantity_of(list[k].part), sample, k);
      continue;
    }
    const fly_channel one = {name, fly_signal_unit(r->m, signal, k),
                             signal == FLY_SIGNAL_INPUT ? "input from outside" : "held number"};
    add_named(r, &one, sample, k, 1);
  }
}

static void add_outputs(request *r) {
  for (int k = 0; k < r->m->noutput; k++) {
    const fly_item *item = &r->m->spec->item[r->m->output[k].item];
    if (!is_wanted(r, item->type->section, item->name))
      continue;
    if (!r->known->multipliers && feels_reactions(r->m, k)) {
      leave_out(r, item->name);
      continue;
    }
    const fly_channel one = {item->name, fly_model_output_unit(r->m, k), fly_item_word(item, "value", 0)};
    add_named(r, &one, sample_output, k, 1);
  }
}

static void add_all(request *r) {
  r->c->count = r->c->nblock = 0;
  add_bodies(r);
  add_touched(r);
  add_joints(r);
  add_gaps(r);
  add_frictions(r);
  add_forces(r);
  add_motions(r);
  add_missing(r);
  add_markers(r);
  if (r->known->ledger && is_wanted(r, "energies", NULL)) {
    add_block(r, "energy", ENERGY, sample_energy, 0);
    add_block(r, "work", WORK, sample_work, 0);
  }
  add_states(r);
  add_numbers(r, r->m->input, r->m->ninput, FLY_SIGNAL_INPUT, sample_input);
  add_numbers(r, r->m->held, r->m->nheld, FLY_SIGNAL_HELD, sample_held);
  add_outputs(r);
}

// The nearest of the groups and of the names of elements.
static const char *nearest(const request *r, const char *word) {
  const char *list[1000];
  int n = 0;
  for (int k = 0; groups[k]; k++)
    list[n++] = groups[k];
  for (int k = 0; k < r->m->spec->nitem && n < 999; k++)
    list[n++] = r->m->spec->item[k].name;
  list[n] = NULL;
  return fly_nearest_word(word, list);
}

// A group that this analysis does not know.
static bool is_unknown(const request *r, const char *word) {
  static const char *const forces[] = {"joints", "motions", "forces", "contacts", NULL};
  for (int k = 0; k < r->m->noutput && !r->known->multipliers; k++)
    if (feels_reactions(r->m, k) && strcmp(word, r->m->spec->item[r->m->output[k].item].name) == 0)
      return true;
  return (!r->known->multipliers && is_one_of(word, forces)) || (!r->known->ledger && strcmp(word, "energies") == 0);
}

static fly_status check_words(const request *r, fly_error *error) {
  for (int k = 0; k < r->nword; k++) {
    if (is_unknown(r, r->word[k]))
      return fly_fail_at(error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, r->word[k], "channels: `%s` is not known here: %s",
                         r->word[k], r->known->why);
    bool group = is_one_of(r->word[k], groups); // it may be empty
    if (r->used[k] || group)
      continue;
    const char *near = nearest(r, r->word[k]);
    return fly_fail_at(
        error, FLY_BAD_INPUT, NAN, FLY_NOWHERE, r->word[k],
        "channels: there is no `%s`%s%s%s Groups are bodies, accelerations, joints, coordinates, motions, missing, "
        "forces, contacts (on each body), markers, energies, states, variables, inputs, outputs and all; elements go "
        "by "
        "their names.",
        r->word[k], near ? "; did you mean `" : ".", near ? near : "", near ? "`?" : "");
  }
  return FLY_OK;
}

static bool is_signal(const fly_item *item) {
  static const char *const sections[] = {"states", "variables", "inputs", "held", "outputs", NULL};
  return is_one_of(item->type->section, sections);
}

// The body, joint, force or motion that a name with a dot seems to be a channel of; NULL: none.
static const fly_item *owner_of(const fly_spec *spec, const char *name) {
  static const char *const sections[] = {"bodies", "joints", "forces", "motions"};
  const char *dot = strrchr(name, '.');
  char head[200];
  if (!dot || (size_t)(dot - name) >= sizeof head)
    return NULL;
  snprintf(head, sizeof head, "%.*s", (int)(dot - name), name);
  for (int k = 0; k < 4; k++) {
    const fly_item *item = fly_spec_find(spec, sections[k], head);
    if (item)
      return item;
  }
  return NULL;
}

// What the user calls as a channel of an element is called would be there twice.
static fly_status check_twice(const request *r, fly_error *error) {
  for (int k = 0; k < r->m->spec->nitem; k++) {
    const fly_item *item = &r->m->spec->item[k];
    const fly_item *owner = strchr(item->name, '.') && is_signal(item) ? owner_of(r->m->spec, item->name) : NULL;
    int count = 0;
    for (int i = 0; owner && i < r->c->count; i++)
      count += strcmp(r->c->channel[i].name, item->name) == 0;
    if (count < 2)
      continue;
    char place[300];
    fly_place_text(place, sizeof place, owner->place);
    return fly_fail_at(
        error, FLY_BAD_INPUT, NAN, item->place, item->name,
        "%s `%s`: two channels have this name: it is also one of the %s `%s` (%.*s); rename one of them.",
        item->type->name, item->name, owner->type->name, owner->name, (int)strlen(place) - (place[0] ? 2 : 0), place);
  }
  return FLY_OK;
}

fly_status fly_channels_make_known(fly_channels *c, const fly_model *model, const fly_channels_known *known,
                                   const char *wanted, fly_arena *memory, fly_error *error) {
  request r = {.c = c, .m = model, .known = known, .memory = memory, .counting = true};
  const bool fallback = !wanted;
  *c = (fly_channels){0};
  if (split(&r, wanted ? wanted : known->multipliers ? DEFAULT : WITHOUT_FORCES)) {
    add_all(&r);
    c->channel = fly_arena_take(memory, (size_t)c->count, sizeof *c->channel);
    c->block = fly_arena_take(memory, (size_t)c->nblock, sizeof *c->block);
    c->wrench = fly_arena_doubles(memory, 6 * (size_t)model->npair);
    c->output = fly_arena_doubles(memory, (size_t)model->noutput);
    r.names = fly_arena_take(memory, r.letters, 1);
    c->touched = fly_arena_doubles(memory, c->touches ? FLY_TOUCHED * (size_t)model->nbody : 0);
  }
  r.counting = false;
  if (!memory->failed)
    add_all(&r);
  if (memory->failed)
    return fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d channels.", c->count);
  const fly_status status = fallback ? FLY_OK : check_words(&r, error);
  return status ? status : check_twice(&r, error);
}

fly_status fly_channels_make(fly_channels *c, const fly_model *model, const char *wanted, fly_arena *memory,
                             fly_error *error) {
  const fly_channels_known all = {.multipliers = true, .ledger = true};
  return fly_channels_make_known(c, model, &all, wanted, memory, error);
}
