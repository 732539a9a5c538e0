#include "analysis/grind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

static const long WINDOW = 5000; // tries, accepted or not: a second or less of a small model

// A run chatters if a force jumps beside it, this part of its tries fails, and more are left than is worth a word. For
// so many windows, and with more left than a run takes that fails so often for another reason, it is hopeless.
static const double FAILING = 0.1, CHATTER_LEFT = 1e5, CHATTER_HOPELESS = 1e6;
enum { CHATTER_WINDOWS = 4 };
// Without a jump: a sharp passage of a long run may need as many tries as a whole run for nearly no time, so the pace
// is that of a hundred thousand.
static const double SLOW_LEFT = 1e9, SLOW_HOPELESS = 1e11; // worth a word; months
enum { SLOW_WINDOWS = 20 };
// A motion that grows without bound needs ever more tries for ever less time.
static const double GROWN = 1e4, GROWN_LEFT = 1e7;
enum { GROWING_WINDOWS = 20 };
static const double DOUBLING = 1e-3; // of the time so far, in which a speed that only grows has doubled

static const char SMOOTH[] = "Let it pass through the jump: tanh(v/0.001) or step(v, -0.001, -1, 0.001, 1) in place of "
                             "sign(v), step(x, -e, a, e, b) in place of if(x > 0, b, a).";

static double mean_step(const fly_grind_view *v, double t, long tries) {
  return tries > 0 ? (v->at.t - t) / (double)tries : 0;
}

static bool grows(const fly_grind *g) {
  return g->growing > GROWING_WINDOWS && g->left > GROWN * g->least && g->left > GROWN_LEFT;
}

// ------------------------------------------------------------------------------------------ in words

// The body that moves fastest, and whether it only becomes faster.
static void describe_motion(char *text, size_t size, const fly_grind_view *v, bool growing) {
  const fly_model *m = v->system->model;
  double most = -1, speed_up = 0;
  const char *name = "";
  for (int k = 0; k < m->nbody; k++) {
    const fly_body *b = &m->body[k];
    const int n = b->kind == FLY_PLANAR ? 2 : 3;
    double square = 0, product = 0;
    for (int i = 0; i < n && i < b->columns; i++) {
      square += v->at.v[b->iv + i] * v->at.v[b->iv + i];
      product += v->at.v[b->iv + i] * v->at.vdot[b->iv + i];
    }
    if (square > most) {
      most = square;
      speed_up = product;
      name = b->name;
    }
  }
  const double doubling = speed_up > 0 ? most / speed_up : (double)INFINITY;
  snprintf(text, size, "No force jumps there; `%s` moves fastest, at %.3g m/s%s", name, sqrt(fmax(most, 0)),
           growing || doubling < DOUBLING * v->at.t
               ? ", and ever faster: look for a force that pushes along the motion, as "
                 "one with a wrong sign."
               : ": a stiff force, a fast turn or a small error makes small steps.");
}

static void describe_cause(char *text, size_t size, const fly_grind_view *v, double h, bool growing) {
  fly_jump jump;
  if (!fly_system_jump(v->system, &v->at, h, &jump)) {
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
  describe_cause(cause, sizeof cause, v, h, grows(g));
  snprintf(g->sentence, sizeof g->sentence,
           "At t = %.9g s of %g s the run grinds: %.2g s a try, %.2g tries left at this pace. %s", v->at.t, v->end, h,
           g->left, cause);
}

void fly_grind_blame(const fly_grind_view *v, fly_error *error) {
  char cause[700];
  char *guess = strstr(error->message, " A force may jump there"); // here it is known
  if (guess)
    *guess = 0;
  describe_cause(cause, sizeof cause, v, fmax(v->stats.h_min, 4e-16 * fabs(v->at.t)), false);
  fly_error_append(error, " %s", cause);
}

// ------------------------------------------------------------------------------------------ judgement

static bool is_chattering(const fly_grind *g, const fly_grind_view *v, long tries, long rejected) {
  fly_jump jump;
  return (v->pilot || (double)rejected > FAILING * (double)tries) && g->left > CHATTER_LEFT &&
         fly_system_jump(v->system, &v->at, mean_step(v, g->t, tries), &jump);
}

static void count_windows(fly_grind *g, const fly_grind_view *v, long tries, long rejected, double before) {
  if (!(g->left > before)) {
    g->growing = 0;
    g->least = g->left;
  }
  g->growing++;
  g->slow = g->left > SLOW_LEFT ? g->slow + 1 : 0;
  g->stuck = g->left > SLOW_HOPELESS ? g->stuck + 1 : 0;
  g->chattering = is_chattering(g, v, tries, rejected) ? g->chattering + 1 : 0;
}

static bool is_hopeless(const fly_grind *g) {
  return grows(g) || g->stuck >= SLOW_WINDOWS || (g->chattering >= CHATTER_WINDOWS && g->left > CHATTER_HOPELESS);
}

static fly_status judge(fly_grind *g, const fly_grind_view *v, long tries, long rejected, fly_error *error) {
  const double before = g->left, passed = v->at.t - g->t;
  g->left = passed > 0 ? (v->end - v->at.t) / passed * (double)tries : (double)INFINITY;
  count_windows(g, v, tries, rejected, before);
  const bool hopeless = is_hopeless(g) && !v->limited;
  if (hopeless || (!g->sentence[0] && (g->chattering || g->slow >= SLOW_WINDOWS / 4)))
    describe_pace(g, v, tries);
  if (!hopeless)
    return FLY_OK;
  return fly_fail(error, FLY_NO_PROGRESS, v->at.t, "%s (Results up to there are kept; max_steps allows more.)",
                  g->sentence);
}

fly_status fly_grind_note(fly_grind *g, const fly_grind_view *v, fly_error *error) {
  const long rejected = v->stats.rejected_error + v->stats.rejected_newton, tries = v->stats.steps + rejected;
  g->judged = tries - g->tries >= WINDOW;
  if (!g->judged)
    return FLY_OK;
  const fly_status status = judge(g, v, tries - g->tries, rejected - g->rejected, error);
  g->tries = tries;
  g->rejected = rejected;
  g->t = v->at.t;
  return status;
}
