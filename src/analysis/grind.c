// Is a run worth going on with? Counted steps, and who moves fastest.
#include "analysis/grind.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "math/so3.h"

static const long WINDOW = 5000; // tries, accepted or not: a second or less of a small model

// A run chatters if a force jumps beside it and more tries are left than is worth a word; at once if this part of them
// fails. For so many windows, and with more left than a run takes that fails so often for another reason, it is
// hopeless.
static const double NO_STEP = 1e-12; // of the run: where the cause is looked for that no step was taken
static const double FAILING = 0.1, CHATTER_LEFT = 1e5, CHATTER_HOPELESS = 1e6;
enum { CHATTER_WINDOWS = 4 };
// Without a jump: a sharp passage of a long run may need as many tries as a whole run for nearly no time, so the pace
// is that of a hundred thousand.
static const double SLOW_LEFT = 1e9, SLOW_HOPELESS = 1e11; // worth a word; months
enum { SLOW_WINDOWS = 20 };
// Steps that mostly end at times the model names, or at events, and so many that they are worth a word; hours, if it
// has been so for some windows.
static const double CROWDED = 0.2, CROWDED_LEFT = 1e5, CROWDED_HOPELESS = 3e8;
enum { CROWDED_WINDOWS = 4 };
enum { FURTHER = 4 }; // powers of ten of a step
// A motion that grows without bound needs ever more tries for ever less time, and goes ever faster: in lengths of the
// model or radians, over the whole run, far. A body that tumbles out of a steady turn, or falls over, needs ever more
// tries for a while, too.
static const double GROWN = 100, GROWN_LEFT = 1e7, GROWN_SPEED = 100, FAR = 1e5;
enum { GROWING_WINDOWS = 20 };
// The acceleration a motion asks for over what it was this part of the run ago, or a tenth or a hundredth of it.
static const double WILD = 1e3, WILD_BACK = 1e-2;
static const double JAMMED = 10.0;   // times weights and inertias a force of friction
static const double OFTEN = 2.0;     // steps of a run that a period may have
static const double DOUBLING = 1e-3; // of the time so far, in which a speed that only grows has doubled

static const char SMOOTH[] = "Let it pass through the jump: tanh(v/0.001) or step(v, -0.001, -1, 0.001, 1) in place of "
                             "sign(v), step(x, -e, a, e, b) in place of if(x > 0, b, a). Dry friction is the key "
                             "`friction` of a joint: that sticks.";

static double mean_step(const fly_grind_view *v, double t, long tries) {
  return tries > 0 ? (v->at.t - t) / (double)tries : 0;
}

static bool grows(const fly_grind *g, const fly_grind_view *v) {
  return g->growing > GROWING_WINDOWS && g->left > GROWN * g->least && g->left > GROWN_LEFT &&
         !(v->speed <= GROWN_SPEED * g->slow_speed) && !(v->speed * v->end <= FAR);
}

// ------------------------------------------------------------------------------------------ in words

// A body's velocity, or how fast it turns, as one number; *product: with what it changes by.
static double square_of(const fly_grind_view *v, int first, int n, double *product) {
  double square = 0;
  *product = 0;
  for (int i = first; i < first + n; i++) {
    square += v->at.v[i] * v->at.v[i];
    *product += v->at.v[i] * v->at.vdot[i];
  }
  return square;
}

// What moves fastest.
typedef struct fastest {
  const char *name;
  double square, product; // v^2 and v v', or of the turn
  double weighted;        // v^2 over that of the model's size
  bool turns;
} fastest;

static void look_at(fastest *f, const fly_grind_view *v, const fly_body *b, int first, int n, double size, bool turns) {
  double product;
  const double square = square_of(v, b->iv + first, n, &product);
  if (n > 0 && square / (size * size) > f->weighted)
    *f = (fastest){b->name, square, product, square / (size * size), turns};
}

static fastest find_fastest(const fly_grind_view *v) {
  const fly_model *m = v->system->model;
  fastest f = {.name = "", .weighted = -1};
  for (int k = 0; k < m->nbody; k++) {
    const fly_body *b = &m->body[k];
    const int n = fly_body_places(b);
    look_at(&f, v, b, 0, n, m->size > 0 ? m->size : 1, false);
    look_at(&f, v, b, n, b->framed - n, 1, true);
  }
  return f;
}

// The state that changes fastest, beside its size; -1: bodies move faster.
static int fastest_state(const fly_grind_view *v, double than) {
  int found = -1;
  for (int k = 0; k < v->system->model->nstate; k++) {
    const double speed = fabs(v->at.xdot[k]) / v->system->scale_x[k];
    if (speed > than) {
      than = speed;
      found = k;
    }
  }
  return found;
}

// The rate as it is written; states of contacts, friction and blocks have none in the model file.
static const char *written_rate(const fly_item *item) {
  return fly_parameter_find(item->type, "rate") >= 0 ? fly_item_word(item, "rate", 0) : NULL;
}

static void describe_state(char *text, size_t size, const fly_grind_view *v, int state) {
  const fly_model *m = v->system->model;
  const fly_item *item = &m->spec->item[m->state[state].item];
  const char *unit = fly_signal_unit(m, FLY_SIGNAL_STATE, state), *rate = written_rate(item);
  char law[100] = "";
  if (rate != NULL)
    snprintf(law, sizeof law, " (`%.80s`)", rate);
  snprintf(text, size,
           "Nothing jumps there; %s `%s` changes fastest: it is %.3g%s%s, and its rate %.3g/s%s. Look for %s%s.",
           rate != NULL ? "the state" : "a state of", item->name, v->at.x[state], unit[0] ? " " : "", unit,
           v->at.xdot[state], law, rate != NULL ? "one that feeds itself" : "what is stiff or strongly damped in it",
           v->damps ? "" : ", or that is fast beside the rest, for which --method radau is made");
}

// ... and whether it only becomes faster.
static void describe_motion(char *text, size_t size, const fly_grind_view *v, bool growing) {
  const fastest f = find_fastest(v);
  const int state = fastest_state(v, sqrt(fmax(f.weighted, 0)));
  if (state >= 0) {
    describe_state(text, size, v, state);
    return;
  }
  const double doubling = f.product > 0 ? f.square / f.product : (double)INFINITY;
  snprintf(text, size, "No force jumps there; `%s` %s fastest, at %.3g %s%s", f.name, f.turns ? "turns" : "moves",
           sqrt(fmax(f.square, 0)), f.turns ? "rad/s" : "m/s",
           growing || doubling < DOUBLING * v->at.t
               ? ", and ever faster: look for a force that pushes along the motion, as "
                 "one with a wrong sign."
               : ": a stiff force, a fast turn or a small error makes small steps.");
}

// The largest force by which a joint rubs [N]: its item; -1: none does.
static int rubs_most(const fly_grind_view *v, double *force) {
  const fly_model *m = v->system->model;
  int item = -1;
  *force = 0;
  for (int k = 0; k < m->nfriction; k++) {
    const fly_model_friction *f = &m->friction[k];
    double load[FLY_LOAD_COMPONENTS];
    fly_system_components(v->system, &v->at, f->applied, load);
    for (int i = 0; i < f->n; i++)
      if (fabs(load[f->component[i]]) / f->lever[i] > *force) {
        *force = fabs(load[f->component[i]]) / f->lever[i];
        item = f->item;
      }
  }
  return item;
}

// The weight of the model, and what its inertia takes at its speed [N].
static double usual_force(const fly_grind_view *v) {
  const fly_model *m = v->system->model;
  const double gravity = sqrt(fly_dot3(m->gravity, m->gravity));
  fly_energy e;
  double sum;
  fly_system_energy(v->system, v->at.t, v->at.q, v->at.v, &e);
  sum = e.kinetic / m->size;
  for (int k = 0; k < m->nbody; k++)
    sum += m->body[k].own.mass * gravity;
  return sum;
}

// Friction that grows with the reaction it makes.
static bool describe_jam(char *text, size_t size, const fly_grind_view *v) {
  const fly_model *m = v->system->model;
  double force;
  const int item = rubs_most(v, &force);
  if (item < 0 || !(force > JAMMED * usual_force(v)))
    return false;
  snprintf(
      text, size,
      "Friction jams the mechanism there: that of `%s` is %.3g N, and more the more it is loaded, as where the line "
      "of a force passes through the pins that it should turn, nearer than mu*radius. Bodies that are rigid have no "
      "motion beyond. Try a smaller mu or radius, or a bushing in place of a joint.",
      m->spec->item[item].name, force);
  return true;
}

static bool describe_odd(char *text, size_t size, const fly_grind_view *v, double longest) {
  fly_odd odd;
  char what[400];
  if (!fly_system_odd(v->system, &v->at, longest, &odd))
    return false;
  fly_odd_text(what, sizeof what, v->system->model, &odd);
  snprintf(text, size, "The %s. Look in it for a root or a logarithm of a negative number, a division by zero.", what);
  return true;
}

// The acceleration that a motion asks for; its expression is of the position, the velocity or the acceleration.
static double asked_by(const fly_model *m, const fly_model_motion *motion, double t) {
  double value[3];
  fly_expr_time(m->expression[motion->expression], t, value);
  return fabs(value[2 - motion->level]);
}

// Is it no number a little ahead, or has it grown out of all proportion to what it was?
static bool is_wild(const fly_grind_view *v, const fly_model_motion *motion, double ahead) {
  const fly_model *m = v->system->model;
  const double t = v->at.t, here = asked_by(m, motion, t);
  double before = 0;
  for (double back = WILD_BACK; back > 0.5 * WILD_BACK / 100; back /= 10)
    before = fmax(before, asked_by(m, motion, t - back * v->end));
  return here > WILD * before || !isfinite(asked_by(m, motion, t + ahead));
}

static bool describe_wild(char *text, size_t size, const fly_grind_view *v, double ahead) {
  const fly_model *m = v->system->model;
  for (int k = 0; k < m->nmotion; k++) {
    const fly_item *item = &m->spec->item[m->motion[k].item];
    char place[300];
    if (!is_wild(v, &m->motion[k], ahead))
      continue;
    fly_place_text(place, sizeof place, item->place);
    snprintf(text, size,
             "%sThe motion `%s` grows without bound there, or is no number behind it: look in it for a root of what "
             "becomes negative, a division by zero.",
             place, item->name);
    return true;
  }
  return false;
}

// An event that comes round so often that most steps end at it.
static bool describe_period(char *text, size_t size, const fly_grind_view *v, double h) {
  const fly_model *m = v->system->model;
  const fly_model_event *found = NULL;
  for (int k = 0; k < m->nevent; k++)
    if (m->event[k].every > 0 && m->event[k].every <= OFTEN * h && (!found || m->event[k].every < found->every))
      found = &m->event[k];
  if (!found)
    return false;
  const fly_item *item = &m->spec->item[found->item];
  char place[300];
  fly_place_text(place, sizeof place, item->place);
  snprintf(text, size,
           "%s`%s` happens every %.3g s, %.2g times in this run, and each time ends a step: give it a longer `every`, "
           "or the run an earlier end.",
           place, item->name, found->every, (v->end - found->first) / found->every);
  return true;
}

// A loop of variables whose solution ends.
static bool describe_loop(char *text, size_t size, const fly_grind_view *v) {
  char names[500];
  const int loop = fly_system_lost_loop(v->system, &v->at);
  if (loop == 0)
    return false;
  fly_system_loop_text(names, sizeof names, v->system->model, loop);
  snprintf(
      text, size,
      "The solution of the variables that depend on themselves ends there, or grows without bound: the gain around "
      "the loop has become 1. They are%s.",
      names);
  return true;
}

static bool is_part_of_word(char c) { return c == '_' || isalnum((unsigned char)c); }

static bool uses_word(const char *text, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = text ? strstr(text, name) : NULL; at; at = strstr(at + 1, name))
    if ((at == text || !is_part_of_word(at[-1])) && !is_part_of_word(at[length]))
      return true;
  return false;
}

static void name_pushed(char *text, size_t size, const fly_model *m, const fly_growth *growth) {
  const char *name = m->spec->item[growth->item].name;
  const size_t used = strlen(text);
  for (int k = 0; k < m->napplied && strcmp(growth->parameter, "value") == 0; k++)
    for (int c = 0; c < FLY_LOAD_COMPONENTS; c++) {
      const fly_item *item = &m->spec->item[m->applied[k].item];
      if (m->applied[k].expression[c] < 0 ||
          !uses_word(fly_item_word(item, m->applied[k].type->parameter[c], m->applied[k].type->place[c]), name))
        continue;
      snprintf(text + used, size - used, " `%s` uses it.", item->name);
      return;
    }
}

// A pole of an expression.
static bool describe_growth(char *text, size_t size, const fly_grind_view *v) {
  fly_growth growth;
  char what[500];
  if (!fly_system_growth(v->system, &v->at, &growth))
    return false;
  fly_growth_text(what, sizeof what, v->system->model, &growth);
  snprintf(text, size, "The %s. Look in it for a division by what becomes zero.", what);
  name_pushed(text, size, v->system->model, &growth);
  return true;
}

// A motion that rests on a jump hardly moves: it is looked for in longer steps, too.
static bool jumps_beside(const fly_grind_view *v, double h, fly_jump *jump) {
  bool found = fly_system_jump(v->system, &v->at, h, jump);
  for (int k = 0; k < FURTHER && !found; k++)
    found = fly_system_jump(v->system, &v->at, h *= 10, jump);
  return found;
}

static void describe_cause(char *text, size_t size, const fly_grind_view *v, double h, bool growing) {
  fly_jump jump;
  if (describe_loop(text, size, v) || describe_odd(text, size, v, 64 * h) || describe_wild(text, size, v, 64 * h) ||
      describe_period(text, size, v, h) || describe_jam(text, size, v))
    return;
  if (!jumps_beside(v, h, &jump)) {
    if (!describe_growth(text, size, v))
      describe_motion(text, size, v, growing);
    return;
  }
  char where[400];
  fly_jump_text(where, sizeof where, v->system->model, &jump);
  snprintf(text, size, "The %s. %s", where, SMOOTH);
}

static void describe_pace(fly_grind *g, const fly_grind_view *v, long tries) {
  char cause[700];
  const double h = mean_step(v, g->t, tries);
  describe_cause(cause, sizeof cause, v, h, grows(g, v));
  snprintf(g->sentence, sizeof g->sentence,
           "At t = %.9g s of %g s the run grinds: %.2g s a try, %.2g tries left at this pace. %s", v->at.t, v->end, h,
           g->left, cause);
}

// A delay so short that what it passes on breaks a step each time.
static bool describe_delay(char *text, size_t size, const fly_grind_view *v, double apart) {
  const fly_model *m = v->system->model;
  for (int k = 0; k < m->ndelay; k++) {
    const fly_item *item = &m->spec->item[m->delay[k].item];
    char place[300];
    if (!(m->delay[k].time <= OFTEN * apart))
      continue;
    fly_place_text(place, sizeof place, item->place);
    snprintf(text, size,
             "%s`%s` delays by %.3g s, and no step is longer than that: give it a longer `time`, or, where so short a "
             "delay changes nothing, what it delays in its place; `pade` makes states of it, without such steps.",
             place, item->name, m->delay[k].time);
    return true;
  }
  return false;
}

// What names so many times: an event, or what jumps beside the motion.
static void describe_times(char *text, size_t size, const fly_grind_view *v, double apart) {
  static const char fewer[] = "Fewer steps in it, or a smooth function in its place, make the run short.";
  char where[400];
  fly_jump jump;
  if (describe_period(text, size, v, apart) || describe_delay(text, size, v, apart))
    return;
  const bool jumps = fly_system_jump(v->system, &v->at, 2 * apart, &jump);
  if (jumps)
    fly_jump_text(where, sizeof where, v->system->model, &jump);
  snprintf(text, size, "%s%s%s%s", jumps ? "The " : "", jumps ? where : "", jumps ? ". " : "", fewer);
}

// breaks: known times of the window at which steps ended.
static void describe_crowd(fly_grind *g, const fly_grind_view *v, double breaks) {
  char cause[700];
  const double rate = breaks / (v->at.t - g->t);
  describe_times(cause, sizeof cause, v, 1 / rate);
  snprintf(
      g->sentence, sizeof g->sentence,
      "At t = %.9g s of %g s the run meets %.2g known times a second, each the end of a step; %.2g of them, and %.2g "
      "tries, are left. %s",
      v->at.t, v->end, rate, rate * (v->end - v->at.t), g->left, cause);
  g->crowded = true;
}

// events: those of the window.
static void describe_events(fly_grind *g, const fly_grind_view *v, double events) {
  const fly_model *m = v->system->model;
  const double passed = v->at.t - g->t;
  int most = 0;
  char place[300];
  for (int k = 1; k < m->nevent; k++)
    if (v->system->happened[k] > v->system->happened[most])
      most = k;
  const fly_item *item = &m->spec->item[m->event[most].item];
  const char *part = m->event[most].part;
  fly_place_text(place, sizeof place, item->place);
  snprintf(
      g->sentence, sizeof g->sentence,
      "At t = %.9g s of %g s events come every %.2g s, each the end of a step; %.2g of them, and %.2g tries, are "
      "left. %s`%s%s%s` has happened %ld times: let what it sets keep its condition false for longer (a gap between "
      "on and off, a larger step of a counter), or let it `stop` the run.",
      v->at.t, v->end, passed / events, events / passed * (v->end - v->at.t), g->left, place, item->name,
      part ? "." : "", part ? part : "", v->system->happened[most]);
  g->crowded = true;
}

void fly_grind_blame(const fly_grind_view *v, fly_error *error) {
  char cause[700];
  char *guess = strstr(error->message, " A force may jump there"); // here it is known
  const double least = fmax(4e-16 * fabs(v->at.t), NO_STEP * fabs(v->end));
  const double h = v->stats.steps > 0 ? fmax(v->stats.h_min, least) : least;
  if (describe_period(cause, sizeof cause, v, h)) {
    fly_fail(error, error->status, error->time, "At t = %.9g s of %g s the run goes on in steps of %.2g s. %s",
             error->time, v->end, h, cause);
    return;
  }
  if (guess)
    *guess = 0;
  fly_error_drop(error, " Check the derivatives with fly_dae_check and the forces there for jumps.");
  describe_cause(cause, sizeof cause, v, h, false);
  fly_error_append(error, " %s", cause);
}

void fly_grind_blame_odd(const fly_grind_view *v, fly_error *error) {
  char cause[700];
  if (describe_odd(cause, sizeof cause, v, v->stats.h_max > 0 ? v->stats.h_max : 0.1 * v->end))
    fly_fail(error, FLY_NOT_FINITE, error->time, "At t = %.9g s the run %s. %s", error->time,
             v->stats.steps > 0 ? "ends" : "cannot go on", cause);
  else if (v->stats.steps > 0 && describe_wild(cause, sizeof cause, v, v->stats.h_max))
    fly_error_append(error, " %s", cause);
}

// ------------------------------------------------------------------------------------------ judgement

static bool is_chattering(const fly_grind *g, const fly_grind_view *v, long tries) {
  fly_jump jump;
  return g->left > CHATTER_LEFT && fly_system_jump(v->system, &v->at, mean_step(v, g->t, tries), &jump);
}

// One window may end beside a jump by chance; where the error is large, a run crawls along one with few failures.
static bool chatters(const fly_grind *g, const fly_grind_view *v, long tries, long rejected) {
  return g->chattering > (v->pilot || (double)rejected > FAILING * (double)tries ? 0 : 1);
}

static void count_windows(fly_grind *g, const fly_grind_view *v, long tries, double before) {
  if (!(g->left > before) || g->growing == 0) { // the first window, too, begins from itself
    g->growing = 0;
    g->least = g->left;
    g->slow_speed = v->speed;
  }
  g->growing++;
  g->slow = g->left > SLOW_LEFT ? g->slow + 1 : 0;
  g->stuck = g->left > SLOW_HOPELESS ? g->stuck + 1 : 0;
  g->chattering = is_chattering(g, v, tries) ? g->chattering + 1 : 0;
}

static bool is_hopeless(const fly_grind *g, const fly_grind_view *v) {
  const bool crowded = g->crowd >= CROWDED_WINDOWS && g->left > CROWDED_HOPELESS;
  return v->fixed ? crowded
                  : grows(g, v) || crowded || g->stuck >= SLOW_WINDOWS ||
                        (g->chattering >= CHATTER_WINDOWS && g->left > CHATTER_HOPELESS);
}

// Steps that end where the model says, by known times or by events.
static void note_crowd(fly_grind *g, const fly_grind_view *v, double tries, double passed) {
  const double breaks = (double)(v->stats.breaks - g->breaks), events = (double)(v->stats.events - g->events);
  const bool known = breaks > CROWDED * tries, met = !known && events > CROWDED * tries;
  g->crowd = passed > 0 && (known || met) && g->left > CROWDED_LEFT ? g->crowd + 1 : 0;
  if (g->crowd == 0 || g->crowded)
    return;
  if (known)
    describe_crowd(g, v, breaks);
  else
    describe_events(g, v, events);
}

static fly_status judge(fly_grind *g, const fly_grind_view *v, long tries, long rejected, fly_error *error) {
  const double before = g->left, passed = v->at.t - g->t;
  g->left = passed > 0 ? (v->end - v->at.t) / passed * (double)tries : (double)INFINITY;
  count_windows(g, v, tries, before);
  note_crowd(g, v, (double)tries, passed);
  const bool hopeless = is_hopeless(g, v) && !v->limited;
  if ((hopeless && g->crowd < CROWDED_WINDOWS) ||
      (!g->sentence[0] && !v->fixed && (chatters(g, v, tries, rejected) || g->slow >= SLOW_WINDOWS / 4)))
    describe_pace(g, v, tries);
  if (!hopeless)
    return FLY_OK;
  return fly_fail(error, FLY_NO_PROGRESS, v->at.t, "%s (Results up to there are kept; max_steps allows more.)",
                  g->sentence);
}

bool fly_grind_due(fly_grind *g, const fly_stats *n) {
  g->judged = n->steps + n->rejected_error + n->rejected_newton - g->tries >= WINDOW;
  return g->judged;
}

fly_status fly_grind_note(fly_grind *g, const fly_grind_view *v, fly_error *error) {
  const long rejected = v->stats.rejected_error + v->stats.rejected_newton, tries = v->stats.steps + rejected;
  if (!fly_grind_due(g, &v->stats))
    return FLY_OK;
  const fly_status status = judge(g, v, tries - g->tries, rejected - g->rejected, error);
  g->tries = tries;
  g->rejected = rejected;
  g->breaks = v->stats.breaks;
  g->events = v->stats.events;
  g->t = v->at.t;
  return status;
}
