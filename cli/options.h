// Options of a subcommand as a table: reading them, their defaults, their help.
#ifndef FLYBALL_CLI_OPTIONS_H
#define FLYBALL_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum cli_kind {
  CLI_HEADING,       // no option: a line of the help
  CLI_FLAG,          // bool
  CLI_NUMBER,        // double; NAN: not given
  CLI_POSITIVE,      // double > 0; NAN: not given
  CLI_COUNT,         // long >= 1; 0: not given
  CLI_TEXT,          // const char *; NULL: not given
  CLI_OPTIONAL_TEXT, // cli_optional_text
  CLI_CHOICE,        // int: number of the word among those of `argument`
  CLI_LIST           // cli_list of numbers > 0
} cli_kind;

enum { CLI_LIST_MAX = 64, CLI_OPTION_MAX = 64, CLI_WORD_MAX = 32, CLI_NAME_MAX = 900 }; // NAME: characters of --out

typedef struct cli_list {
  int count;
  double value[CLI_LIST_MAX];
} cli_list;

typedef struct cli_optional_text {
  bool given;
  const char *text; // NULL: given without a value
} cli_optional_text;

typedef struct cli_option {
  const char *name; // without the dashes; of a CLI_HEADING: its text
  cli_kind kind;
  size_t offset;        // of the value in the struct of values
  const char *argument; // what the help calls the value; of a CLI_CHOICE: the words, separated by |
  const char *fallback; // default as one would type it, or NULL
  const char *help;     // lines separated by \n
} cli_option;

typedef struct cli_command {
  const char *name;
  const char *usage;         // what follows "flyball"
  const char *about;         // what it does, above the options
  const cli_option *options; // ended by a row without name; --help is added
  const char *notes;         // below the options, or NULL
  int max_words;             // arguments that are not options
} cli_command;

typedef struct cli_arguments {
  const cli_command *command;
  const char *word[CLI_WORD_MAX]; // arguments that are not options (nword)
  int nword;
  bool given[CLI_OPTION_MAX]; // by row of the table: it was on the command line
} cli_arguments;

// Reads argv[1..] into values. Returns < 0 to go on, or the exit status: 0 after --help, 2 after a message.
int cli_read(cli_arguments *out, void *values, const cli_command *command, int argc, char **argv);

// Takes every --name VALUE out of argv, because an option of a table is there once; at most `most` of them. Returns
// what argc is then.
int cli_take_repeated(const char *name, const char **value, int *count, int most, int argc, char **argv);

bool cli_given(const cli_arguments *arguments, const char *option);

// The word of a choice: cli_choice_word(text, size, "shift|gamma|none", 1) writes "gamma".
const char *cli_choice_word(char *text, size_t size, const char *words, int number);

// A number and nothing else: no nan, inf, hexadecimal, or text behind it.
bool cli_parse_number(double *out, const char *text);

#endif
