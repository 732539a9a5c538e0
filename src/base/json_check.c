#include "base/json_check.h"

#include <string.h>

enum { DEPTH = 100 };

typedef struct cursor {
  const char *at, *end;
  int depth;
} cursor;

static bool value(cursor *c);

static void skip_space(cursor *c) {
  while (c->at < c->end && *c->at != 0 && strchr(" \t\r\n", *c->at) != NULL)
    c->at++;
}

// Moves over a character if it is there, and the space behind it.
static bool take(cursor *c, char what) {
  if (c->at == c->end || *c->at != what)
    return false;
  c->at++;
  skip_space(c);
  return true;
}

static bool word(cursor *c, const char *what) {
  const size_t length = strlen(what);
  if ((size_t)(c->end - c->at) < length || memcmp(c->at, what, length) != 0)
    return false;
  c->at += length;
  return true;
}

static bool hexadecimal(char x) { return (x >= '0' && x <= '9') || (x >= 'a' && x <= 'f') || (x >= 'A' && x <= 'F'); }

static bool escape(cursor *c) {
  if (c->at == c->end)
    return false;
  const char kind = *c->at++;
  if (kind != 'u')
    return kind != 0 && strchr("\"\\/bfnrt", kind) != NULL;
  for (int k = 0; k < 4; k++)
    if (c->at == c->end || !hexadecimal(*c->at++))
      return false;
  return true;
}

static bool string(cursor *c) {
  if (c->at == c->end || *c->at++ != '"')
    return false;
  while (c->at < c->end) {
    const char x = *c->at++;
    if (x == '"')
      return true;
    if ((unsigned char)x < 0x20 || (x == '\\' && !escape(c)))
      return false;
  }
  return false;
}

static bool digits(cursor *c) {
  const char *first = c->at;
  while (c->at < c->end && *c->at >= '0' && *c->at <= '9')
    c->at++;
  return c->at > first;
}

static bool number(cursor *c) {
  if (c->at < c->end && *c->at == '-')
    c->at++;
  const bool zero = c->at < c->end && *c->at == '0';
  const char *first = c->at;
  if (!digits(c) || (zero && c->at > first + 1))
    return false;
  if (c->at < c->end && *c->at == '.') {
    c->at++;
    if (!digits(c))
      return false;
  }
  if (c->at < c->end && (*c->at == 'e' || *c->at == 'E')) {
    c->at++;
    if (c->at < c->end && (*c->at == '+' || *c->at == '-'))
      c->at++;
    return digits(c);
  }
  return true;
}

// What stands between brackets: members of an object, or values.
static bool list(cursor *c, char close, bool members) {
  c->at++;
  skip_space(c);
  if (take(c, close))
    return true;
  do {
    if (members && !string(c))
      return false;
    skip_space(c);
    if ((members && !take(c, ':')) || !value(c))
      return false;
    skip_space(c);
  } while (take(c, ','));
  return take(c, close);
}

static bool value(cursor *c) {
  if (c->at == c->end || c->depth == DEPTH)
    return false;
  c->depth++;
  bool good;
  switch (*c->at) {
  case '{':
    good = list(c, '}', true);
    break;
  case '[':
    good = list(c, ']', false);
    break;
  case '"':
    good = string(c);
    break;
  case 't':
    good = word(c, "true");
    break;
  case 'f':
    good = word(c, "false");
    break;
  case 'n':
    good = word(c, "null");
    break;
  default:
    good = number(c);
  }
  c->depth--;
  return good;
}

bool fly_json_is_object(const char *text, size_t length) {
  cursor c = {text, text + length, 0};
  skip_space(&c);
  if (c.at == c.end || *c.at != '{' || !value(&c))
    return false;
  skip_space(&c);
  return c.at == c.end;
}
