// Words of messages: the one somebody probably meant, and why a file cannot be written.
#ifndef FLYBALL_WORDS_H
#define FLYBALL_WORDS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// The word of a list (ended by NULL) nearest to what was typed, by insertions, deletions, replacements and swaps; NULL
// if more than about a third of it would have to change: nothing is near a single letter.
const char *fly_nearest_word(const char *typed, const char *const *words);

// Why a file cannot be written, without a full stop: its folder is missing, is no folder, may not be written; else what
// the system says. reason: errno. Returns text.
const char *fly_why_not_written(char *text, size_t size, const char *path, int reason);

#ifdef __cplusplus
}
#endif
#endif
