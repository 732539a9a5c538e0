// Expressions of a part that was put somewhere. What they say is meant in the frame of the part, seen through its
// mirror if it has one (docs/theory/signals.md): the text is changed so that it gives in the model the number it would
// give in the part alone.
#include <stdlib.h>
#include <string.h>

#include "element/measure.h"
#include "element/reaction.h"
#include "io/naming.h"
#include "model/model.h"

typedef struct seen {
  const fly_reader *r;
  const fly_use *use;
  const char *const *words;
  const char *text;
  size_t at, used, room;
  char *out;
  bool failed;
  size_t close; // of the measure or reaction that is open; 0: none
  int missing;  // markers it leaves out
  bool turned;  // it has its sign turned round
  const char *why;
} seen;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static void put(seen *s, const char *text, size_t length) {
  if (!s->failed && s->used + length + 1 > s->room) {
    const size_t room = 2 * (s->used + length) + 64;
    char *out = realloc(s->out, room);
    s->failed = out == NULL;
    if (out != NULL) {
      s->out = out;
      s->room = room;
    }
  }
  if (s->failed || s->out == NULL)
    return;
  memcpy(s->out + s->used, text, length);
  s->used += length;
}

static void say(seen *s, const char *text) { put(s, text, strlen(text)); }

static void copy(seen *s, size_t length) {
  put(s, s->text + s->at, length);
  s->at += length;
}

static void say_ground(seen *s) {
  say(s, "ground.");
  say(s, s->use->prefix);
}

// ------------------------------------------------------------------------------------------ what a mirror turns round

// In a mirrored part x and z of every frame are mirrored as arrows, and y closes the right-handed frame: along y
// lengths change their sign, about x and z turns do.
static bool is_turned_measure(int kind) {
  static const int turned[] = {FLY_MEASURE_DY, FLY_MEASURE_VY,   FLY_MEASURE_ACCY, FLY_MEASURE_AX,
                               FLY_MEASURE_AZ, FLY_MEASURE_YAW,  FLY_MEASURE_ROLL, FLY_MEASURE_WX,
                               FLY_MEASURE_WZ, FLY_MEASURE_WDTX, FLY_MEASURE_WDTZ};
  for (size_t k = 0; k < sizeof turned / sizeof *turned; k++)
    if (turned[k] == kind)
      return true;
  return false;
}

static bool is_turned_reaction(int kind) {
  return kind == FLY_REACTION_FY || kind == FLY_REACTION_TX || kind == FLY_REACTION_TZ;
}

// pin.angle, pin.w of a joint.
static bool is_turned_coordinate(const seen *s, const char *word) {
  const char *dot = strrchr(word, '.');
  char head[FLY_TREE_KEY + 1] = "";
  if (dot == NULL || (strcmp(dot, ".angle") != 0 && strcmp(dot, ".w") != 0) || (size_t)(dot - word) >= sizeof head)
    return false;
  memcpy(head, word, (size_t)(dot - word));
  return fly_spec_find(s->r->spec, "joints", head) != NULL;
}

// coil.angle, coil.torque; wind.fy
static bool is_turned_acting(const seen *s, const char *word) {
  const fly_item *force = fly_acting_item(s->r->spec, word);
  const int quantity = force != NULL ? fly_acting_quantity(force, word) : -1;
  if (quantity < 0 || strcmp(force->type->name, "spring") == 0)
    return false;
  return strcmp(force->type->name, "force") != 0 || quantity == 1 || quantity == 3 || quantity == 5; // fy, tx, tz
}

static bool is_turned_word(const seen *s, const char *word) {
  for (const char *const *one = s->words; one != NULL && *one != NULL; one++)
    if (strcmp(*one, word) == 0)
      return true;
  return is_turned_coordinate(s, word) || is_turned_acting(s, word);
}

// ------------------------------------------------------------------------------------------ words

// The end of the parentheses that open at an offset, and how many arguments are in them; 0: they do not end.
static size_t find_close(const char *text, size_t open, int *count) {
  int depth = 0;
  *count = text[open + 1 + strspn(text + open + 1, " ")] != ')';
  for (size_t k = open; text[k] != 0; k++) {
    depth += text[k] == '(' ? 1 : text[k] == ')' ? -1 : 0;
    *count += text[k] == ',' && depth == 1;
    if (depth == 0)
      return k;
  }
  return 0;
}

static void see_call(seen *s, const char *word, size_t length, size_t open) {
  const int kind = fly_measure_find(word), reaction = fly_reaction_find(word);
  int count = 0;
  const bool euler = kind == FLY_MEASURE_PSI || kind == FLY_MEASURE_THETA || kind == FLY_MEASURE_PHI;
  if (s->use->mirrored && euler)
    s->why = "psi, theta and phi have no mirror image; use yaw, pitch and roll, or ax, ay and az";
  if (kind >= 0 || reaction >= 0) {
    s->close = find_close(s->text, open, &count);
    s->missing = kind >= 0 && count > 0 ? fly_measure_types[kind].markers - count : 0;
    s->turned =
        s->use->mirrored && s->close > 0 && (kind >= 0 ? is_turned_measure(kind) : is_turned_reaction(reaction));
    if (s->turned)
      say(s, "(-");
  }
  copy(s, length);
}

static void see_word(seen *s) {
  const char *text = s->text + s->at;
  char word[FLY_TREE_KEY + 40] = "";
  size_t length = 0;
  while (is_letter(text[length]) || is_digit(text[length]) || text[length] == '.')
    length++;
  if (length >= sizeof word) {
    copy(s, length);
    return;
  }
  memcpy(word, text, length);
  const size_t open = length + strspn(text + length, " \t\n\r");
  if (text[open] == '(') {
    see_call(s, word, length, s->at + open);
  } else if (strcmp(word, "ground") == 0) {
    say_ground(s);
    s->at += length;
  } else {
    const bool turned = s->use->mirrored && s->close == 0 && is_turned_word(s, word);
    say(s, turned ? "(-" : "");
    copy(s, length);
    say(s, turned ? ")" : "");
  }
}

static void see_close(seen *s) {
  for (int k = 0; k < s->missing; k++) {
    say(s, ", ");
    say_ground(s);
  }
  copy(s, 1);
  say(s, s->turned ? ")" : "");
  s->close = 0;
  s->turned = false;
}

static void see_number(seen *s) {
  size_t n = strspn(s->text + s->at, "0123456789.");
  const char *rest = s->text + s->at + n;
  if (*rest == 'e' || *rest == 'E') {
    const size_t sign = rest[1] == '+' || rest[1] == '-', digits = strspn(rest + 1 + sign, "0123456789");
    n += digits > 0 ? 1 + sign + digits : 0;
  }
  copy(s, n);
}

const char *fly_seen_text(const fly_reader *r, const fly_use *use, const char *text, const char *const *words,
                          const char **why) {
  seen s = {.r = r, .use = use, .words = words, .text = text};
  while (text[s.at] != 0 && !s.failed) {
    if (is_letter(text[s.at]))
      see_word(&s);
    else if (is_digit(text[s.at]))
      see_number(&s);
    else if (s.close > 0 && s.at == s.close)
      see_close(&s);
    else
      copy(&s, 1);
  }
  put(&s, "", 1);
  const char *out = s.failed ? NULL : fly_spec_text(r->spec, s.out);
  free(s.out);
  *why = s.why;
  return out;
}
