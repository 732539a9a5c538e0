// The word somebody probably meant.
#ifndef FLY_EXPR_SUGGEST_H
#define FLY_EXPR_SUGGEST_H

#include "expr/build.h"

typedef enum fly_suggest_kind { FLY_SUGGEST_WORD, FLY_SUGGEST_CALL, FLY_SUGGEST_TABLE } fly_suggest_kind;

// Fails with "unknown word 'tme'. Did you mean time?", or what fits a name of this kind that has no meaning.
void fly_suggest(fly_builder *b, int offset, const char *typed, fly_suggest_kind kind);

#endif
