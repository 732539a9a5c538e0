// The text of an expression as a sequence of tokens.
#ifndef FLY_EXPR_LEXER_H
#define FLY_EXPR_LEXER_H

#include <stdbool.h>

typedef enum fly_token_kind {
  FLY_TOKEN_END,
  FLY_TOKEN_BAD, // see why
  FLY_TOKEN_NUMBER,
  FLY_TOKEN_WORD,
  FLY_TOKEN_OPEN,
  FLY_TOKEN_CLOSE,
  FLY_TOKEN_COMMA,
  FLY_TOKEN_OR, // the operators: here to FLY_TOKEN_POWER
  FLY_TOKEN_AND,
  FLY_TOKEN_NOT,
  FLY_TOKEN_LESS,
  FLY_TOKEN_LESS_EQUAL,
  FLY_TOKEN_GREATER,
  FLY_TOKEN_GREATER_EQUAL,
  FLY_TOKEN_EQUAL,
  FLY_TOKEN_NOT_EQUAL,
  FLY_TOKEN_PLUS,
  FLY_TOKEN_MINUS,
  FLY_TOKEN_TIMES,
  FLY_TOKEN_OVER,
  FLY_TOKEN_POWER,
  FLY_TOKEN_KINDS,
} fly_token_kind;

typedef struct fly_token {
  fly_token_kind kind;
  int offset, length; // in bytes of the text
  double number;      // of a number
  const char *why;    // of a bad token: "is too large", to stand behind the token
} fly_token;

// The first token at or behind an offset; the next one begins at offset + length of this one.
fly_token fly_token_at(const char *text, int offset);

int fly_token_column(const char *text, int offset); // from 1, in characters

#endif
