// Model files as the subcommands take them.
#ifndef FLYBALL_CLI_LOAD_H
#define FLYBALL_CLI_LOAD_H

#include <stddef.h>

#include "flyball/model.h"

// file "-": the model is read from standard input, and can name no other files.
fly_status cli_load_model_with(fly_mechanism **out, const char *file, const fly_load_options *options,
                               fly_error *error);

// A row of options, of a bool.
#define CLI_PLUGINS_OPTION(offset)                                                                                     \
  {                                                                                                                    \
    "allow-plugins", CLI_FLAG, offset, NULL, NULL,                                                                     \
        "the model may load shared libraries (blocks of type plugin),\nwhich run with all your rights"                 \
  }
// The file's name without folder and ending; of standard input: model.
void cli_base_name(char *out, size_t size, const char *file);

#endif
