// Model files as the subcommands take them.
#ifndef FLYBALL_CLI_LOAD_H
#define FLYBALL_CLI_LOAD_H

#include <stddef.h>

#include "flyball/model.h"

// file "-": the model is read from standard input.
fly_status cli_load_model(fly_mechanism **out, const char *file, int nset, const char *const *set, fly_error *error);
// The file's name without folder and ending; of standard input: model.
void cli_base_name(char *out, size_t size, const char *file);

#endif
