// The laws of friction as texts, in the letters of docs/theory/forces.md, section 4, over one, two or three directions
// of slip. A word that stands for a text is put in its place, so that what `expr` differentiates is the whole law.
#include "model/friction_words.h"

#include <stdio.h>
#include <string.h>

// By the number of directions.
typedef struct word {
  const char *name;
  const char *text[FLY_RUBS];
} word;

#define SAME(text)                                                                                                     \
  { text, text, text }
#define EACH(name, TEXT)                                                                                               \
  {name "1", SAME(TEXT("1"))}, {name "2", SAME(TEXT("2"))}, { name "3", SAME(TEXT("3")) }

#define SLIP(k) "lever" k "*v" k
#define HOLD(k) "sense*hold" k "/lever" k
// The direction of slip. Slower than eta along d it is that of the slip across d beside eta d, so that a load that
// stops it finds the same force on both sides of rest (F-direction).
#define DIRECTION(k) "dd*(s" k " + gap*d" k ")/sqrt(ss + gap*(gap + 2*along))"
#define SOFT(k) "s" k "*tanh(size/transition)/size"
#define BRISTLE_RATE(k) "s" k " - stiffness*slip*z" k "/curve"

static const word WORDS[] = {
    EACH("s", SLIP),
    {"ss", {"s1^2", "s1^2 + s2^2", "s1^2 + s2^2 + s3^2"}},
    {"slip", {"abs(s1)", "hypot(s1, s2)", "hypot(hypot(s1, s2), s3)"}},
    {"size", SAME("sqrt(ss + (1e-6*transition)^2)")},     // of the slip, with a slope at rest
    {"stopped", {"1", "slip <= 2*eta", "slip <= 2*eta"}}, // where it has no speed along d any more
    {"dd", {"d1^2", "d1^2 + d2^2", "d1^2 + d2^2 + d3^2"}},
    {"along", {"d1*s1", "d1*s1 + d2*s2", "d1*s1 + d2*s2 + d3*s3"}},
    {"gap", SAME("(eta - along)*step(along, 0, 1, eta, 0)")},
    {"e1", {"d1", DIRECTION("1"), DIRECTION("1")}},
    {"e2", SAME(DIRECTION("2"))},
    {"e3", SAME(DIRECTION("3"))},
    {"soft1", {"tanh(s1/transition)", SOFT("1"), SOFT("1")}},
    {"soft2", SAME(SOFT("2"))},
    {"soft3", SAME(SOFT("3"))},
    {"curve", SAME("mu + (mu_static - mu)*exp(-ss/speed^2)")},
    EACH("bristle_rate", BRISTLE_RATE),
    EACH("h", HOLD),
    {"p1", {"h1", "p11*h1 + p12*h2", "p11*h1 + p12*h2 + p13*h3"}},
    {"p2", {NULL, "p12*h1 + p22*h2", "p12*h1 + p22*h2 + p23*h3"}},
    {"p3", {NULL, NULL, "p13*h1 + p23*h2 + p33*h3"}},
    {"load", {"abs(p1)", "hypot(p1, p2)", "hypot(hypot(p1, p2), p3)"}},
    // The directions of it that a motion moves.
    {"driven", {"abs(m1*s1)", "hypot(m1*s1, m2*s2)", "hypot(hypot(m1*s1, m2*s2), m3*s3)"}},
};

const char *fly_friction_word(const char *name, int n) {
  for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++)
    if (strcmp(WORDS[k].name, name) == 0)
      return WORDS[k].text[n - 1];
  return NULL;
}

// ------------------------------------------------------------------------------------------ laws

#define BY(TEXT)                                                                                                       \
  { TEXT("1"), TEXT("2"), TEXT("3") }
#define COULOMB(k) "mu*e" k
#define STRIBECK(k) "curve*e" k
#define REGULARIZED(k) "curve*soft" k
#define LUGRE(k) "stiffness*z" k " + damping*bristle_rate" k
#define RATE(k) "bristle_rate" k

static const fly_friction_law LAWS[] = {
    {"coulomb", BY(COULOMB), {NULL}, "", true, false},
    {"stribeck", BY(STRIBECK), {NULL}, " stribeck_speed ", true, true},
    {"regularized", BY(REGULARIZED), {NULL}, " stribeck_speed transition_speed ", false, true},
    {"lugre", BY(LUGRE), BY(RATE), " stribeck_speed stiffness damping ", false, false},
};

static bool is_in(const char *list, const char *key) {
  char spaced[40];
  snprintf(spaced, sizeof spaced, " %s ", key);
  return strstr(list, spaced) != NULL;
}

bool fly_friction_law_takes(const fly_friction_law *law, const char *key, const char **instead) {
  *instead = NULL;
  for (size_t k = 0; k < sizeof LAWS / sizeof *LAWS; k++)
    if (is_in(LAWS[k].only, key))
      *instead = *instead ? *instead : LAWS[k].name;
  return !*instead || is_in(law->only, key);
}

const fly_friction_law *fly_friction_law_find(const char *name) {
  for (size_t k = 0; k < sizeof LAWS / sizeof *LAWS; k++)
    if (strcmp(LAWS[k].name, name) == 0)
      return &LAWS[k];
  return NULL;
}
