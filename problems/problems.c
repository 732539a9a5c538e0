#include "problems.h"
#include "build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flyball/words.h"

const fly_problem_info fly_problem_list[] = {
    {"pendulum", "NEWMARK 6.1; IFToMM A01", "simple pendulum, x^2 + y^2 = 1", "newmark iftomm", false,
     fly_make_pendulum},
    {"pendulum-family", "FAMILY 1.1", "simple pendulum, the constraint as a length", "", false,
     fly_make_pendulum_family},
    {"double-pendulum", "FAMILY 6.2.1.1", "two point masses on two rods, chaotic", "", false, fly_make_double_pendulum},
    {"stiff-double-pendulum", "NEWMARK 6.2", "two rods with stiff, strongly damped torsional springs", "newmark hard",
     false, fly_make_stiff_double_pendulum},
    {"seven-body", "IVP test set, Andrews' squeezer; IFToMM A03", "seven-body mechanism in 7 angles, mass matrix M(q)",
     "testset iftomm", false, fly_make_seven_body},
    {"seven-body-cartesian", "IVP test set, Andrews' squeezer; IFToMM A03",
     "the same mechanism as 7 planar bodies with 10 hinges", "testset iftomm", false, fly_make_seven_body_cartesian},
    {"slider-crank", "Simeon; IVP test set", "driven slider crank with a flexible rod", "smooth-start rigid-start",
     false, fly_make_slider_crank},
    {"slider-crank-ida", "SUNDIALS idaSlCrank_dns", "rigid slider crank with a spring-damper", "", false,
     fly_make_slider_crank_ida},
    {"spring-mass", "GENALPHA, applications", "controlled spring-mass with saturated acceleration feedback", "", false,
     fly_make_spring_mass},
    {"oscillator", "linear test equation", "one coordinate, no constraint, exact solution", "undamped damped stiff",
     false, fly_make_oscillator},
    {"heavy-top", "Bruels, Cardona", "fast spinning top on a spherical joint, rotation as a quaternion", "", false,
     fly_make_heavy_top},
    {"four-bar", "IFToMM A02, one window", "four-bar linkage; the parallelogram passes singular positions",
     "parallelogram grashof large", false, fly_make_four_bar},
    {"chain", "made to scale", "n point masses on rigid links, sparse; --n links (10)", "", true, fly_make_chain},
    {"rolling-coin", "classical", "disk rolling without slip, nonholonomic, on SO(3)", "", false,
     fly_make_rolling_coin},
    {"knife-edge", "Neimark, Fufaev", "skate on a slope, nonholonomic, exact solution", "", false, fly_make_knife_edge},
    {"redundant", "made to fail", "meant to fail: a pendulum with its constraint given twice", "", false,
     fly_make_redundant},
    {"lock", "made to fail", "meant to fail: a rod driven past its reach at t = 0.8", "", false, fly_make_lock},
    {NULL, NULL, NULL, NULL, false, NULL},
};

// ---------------------------------------------------------------------------------------------- names

enum { LONGEST = 40, MOST_WORDS = 40 }; // of a name that is compared, quoted or guessed; names in a list

// " Did you mean "pendulum"?", or nothing, after a list of words separated by spaces. True if the word is one of them.
static bool find_word(const char *words, const char *text, char *guess, size_t size) {
  char copy[800];
  const char *list[MOST_WORDS + 1] = {NULL};
  int count = 0;
  snprintf(copy, sizeof copy, "%s", words);
  for (char *s = copy; *s && count < MOST_WORDS;) {
    const size_t length = strcspn(s, " ");
    const bool last = s[length] == 0;
    s[length] = 0;
    if (strcmp(s, text) == 0)
      return true;
    list[count++] = s;
    s += length + !last;
  }
  const char *nearest = fly_nearest_word(text, list);
  snprintf(guess, size, nearest ? " Did you mean \"%s\"?" : "%s", nearest ? nearest : "");
  return false;
}

// All names, separated by spaces, cut at the end of text.
static void join_names(char *text, size_t size) {
  size_t used = 0;
  text[0] = 0;
  for (const fly_problem_info *i = fly_problem_list; i->name && used + 1 < size; i++) {
    const int n = snprintf(text + used, size - used, "%s%s", used ? " " : "", i->name);
    used += n > 0 ? (size_t)n : 0;
  }
}

static fly_status check_variant(const fly_problem_info *info, const char *variant, fly_error *error) {
  char guess[100];
  if (!info->variants[0])
    return fly_problem_fail(error, FLY_BAD_INPUT, "The problem %s has no variants, so not \"%.*s\" either.", info->name,
                            LONGEST, variant);
  if (find_word(info->variants, variant, guess, sizeof guess))
    return FLY_OK;
  return fly_problem_fail(error, FLY_BAD_INPUT, "The problem %s has no variant \"%.*s\".%s Its variants are: %s.",
                          info->name, LONGEST, variant, guess, info->variants);
}

static const fly_problem_info *find_problem(const char *name) {
  for (const fly_problem_info *i = fly_problem_list; i->name; i++)
    if (strcmp(i->name, name) == 0)
      return i;
  return NULL;
}

static fly_status fail_unknown(const char *name, fly_error *error) {
  char names[800], guess[100];
  join_names(names, sizeof names);
  find_word(names, name, guess, sizeof guess);
  return fly_problem_fail(error, FLY_BAD_INPUT, "There is no problem \"%.*s\".%s The problems are: %s.", LONGEST, name,
                          guess, names);
}

// ---------------------------------------------------------------------------------------------- making

fly_status fly_problem_make(fly_problem *out, const char *name, const char *variant, int n, fly_error *error) {
  const fly_problem_info *info = find_problem(name);
  *out = (fly_problem){0};
  if (!info)
    return fail_unknown(name, error);
  fly_status status = variant ? check_variant(info, variant, error) : FLY_OK;
  if (status != FLY_OK)
    return status;
  if (n != 0 && !info->sized)
    return fly_problem_fail(error, FLY_BAD_INPUT, "The problem %s has a fixed size: it takes no n.", info->name);
  status = info->make(out, variant, n, error);
  if (status == FLY_OK)
    out->dae.name = info->name;
  return status;
}

fly_status fly_problem_soften(fly_problem *p, fly_soft_form form, double parameter, bool smooth, fly_error *error) {
  const fly_status status = fly_soft_create(&p->soft, &p->dae, form, parameter, error);
  if (status != FLY_OK)
    return status;
  p->rigid = p->dae;
  p->dae = *fly_soft_problem(p->soft);
  return smooth ? fly_soft_start(p->soft, p->t0, p->q0, p->v0, p->x0, error) : FLY_OK;
}

void fly_problem_free(fly_problem *p) {
  if (!p)
    return;
  fly_soft_free(p->soft);
  free(p->q0);
  free(p->v0);
  free(p->x0);
  free(p->q_names);
  free(p->data);
  free(p->reference_q);
  free(p->reference_v);
  free(p->patterns);
  *p = (fly_problem){0};
}
