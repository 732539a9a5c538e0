// The word somebody probably meant.
#ifndef FLYBALL_WORDS_H
#define FLYBALL_WORDS_H

#ifdef __cplusplus
extern "C" {
#endif

// The word of a list (ended by NULL) nearest to what was typed, by insertions, deletions, replacements and swaps; NULL
// if more than about a third of it would have to change: nothing is near a single letter.
const char *fly_nearest_word(const char *typed, const char *const *words);

#ifdef __cplusplus
}
#endif
#endif
