#include "options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "flyball/words.h"

static const cli_option help_option = {"help", CLI_FLAG, 0, NULL, NULL, "this text"};

// ---------------------------------------------------------------------------------------------- values

bool cli_parse_number(double *out, const char *text) {
  if (text[0] == 0 || text[strspn(text, "0123456789+-.eE")] != 0)
    return false;
  char *end = NULL;
  const double value = strtod(text, &end);
  if (end == text || *end != 0 || !isfinite(value))
    return false;
  *out = value;
  return true;
}

static bool set_number(double *out, const cli_option *o, const char *text) {
  double value = NAN;
  if (!cli_parse_number(&value, text)) {
    cli_message("--%s: '%s' is not a number.", o->name, text);
    return false;
  }
  if (o->kind != CLI_NUMBER && !(value > 0.0)) {
    cli_message("--%s: '%s' must be greater than 0.", o->name, text);
    return false;
  }
  *out = value;
  return true;
}

static bool set_count(long *out, const cli_option *o, const char *text) {
  char *end = NULL;
  errno = 0;
  const long value = strtol(text, &end, 10);
  if (text[0] == 0 || text[strspn(text, "0123456789")] != 0 || errno != 0 || value < 1) {
    cli_message("--%s: '%s' is not a whole number greater than 0.", o->name, text);
    return false;
  }
  *out = value;
  return true;
}

static bool set_list(cli_list *out, const cli_option *o, const char *text) {
  out->count = 0;
  for (const char *start = text;;) {
    char item[64];
    const size_t length = strcspn(start, ",");
    snprintf(item, sizeof item, "%.*s", (int)(length < sizeof item ? length : sizeof item - 1), start);
    if (out->count == CLI_LIST_MAX) {
      cli_message("--%s: more than %d numbers.", o->name, CLI_LIST_MAX);
      return false;
    }
    if (!set_number(&out->value[out->count++], o, item))
      return false;
    if (start[length] == 0)
      return true;
    start += length + 1;
  }
}

static int choice_number(const char *words, const char *word) {
  int number = 0;
  for (const char *start = words; *start != 0; number++) {
    const size_t length = strcspn(start, "|");
    if (strlen(word) == length && strncmp(start, word, length) == 0)
      return number;
    start += length + (start[length] == '|');
  }
  return -1;
}

static bool set_choice(int *out, const cli_option *o, const char *text) {
  const int number = choice_number(o->argument, text);
  if (number < 0) {
    cli_message("--%s: '%s' is not one of %s.", o->name, text, o->argument);
    return false;
  }
  *out = number;
  return true;
}

const char *cli_choice_word(char *text, size_t size, const char *words, int number) {
  for (; number > 0; number--)
    words += strcspn(words, "|") + 1;
  snprintf(text, size, "%.*s", (int)strcspn(words, "|"), words);
  return text;
}

// A name to write to.
static bool check_name(const cli_option *o, const char *text) {
  if (strcmp(o->name, "out") != 0 || (text[0] != 0 && strlen(text) <= CLI_NAME_MAX))
    return true;
  if (text[0] == 0)
    cli_message("--out: the name is empty.");
  else
    cli_message("--out: the name has %zu characters; %d is the most.", strlen(text), CLI_NAME_MAX);
  return false;
}

static bool set_value(void *values, const cli_option *o, const char *text) {
  void *out = (char *)values + o->offset;
  switch (o->kind) {
  case CLI_NUMBER:
  case CLI_POSITIVE:
    return set_number(out, o, text);
  case CLI_COUNT:
    return set_count(out, o, text);
  case CLI_LIST:
    return set_list(out, o, text);
  case CLI_CHOICE:
    return set_choice(out, o, text);
  case CLI_TEXT:
    *(const char **)out = text;
    return check_name(o, text);
  case CLI_OPTIONAL_TEXT:
    *(cli_optional_text *)out = (cli_optional_text){.given = true, .text = text};
    return true;
  case CLI_FLAG:
    *(bool *)out = true;
    return true;
  case CLI_HEADING:
    break;
  }
  return true;
}

static void clear_value(void *values, const cli_option *o) {
  void *out = (char *)values + o->offset;
  if (o->fallback != NULL)
    set_value(values, o, o->fallback);
  else if (o->kind == CLI_NUMBER || o->kind == CLI_POSITIVE)
    *(double *)out = NAN;
  else if (o->kind == CLI_COUNT)
    *(long *)out = 0;
  else if (o->kind == CLI_TEXT)
    *(const char **)out = NULL;
  else if (o->kind == CLI_OPTIONAL_TEXT)
    *(cli_optional_text *)out = (cli_optional_text){.given = false, .text = NULL};
  else if (o->kind == CLI_LIST)
    ((cli_list *)out)->count = 0;
  else if (o->kind == CLI_FLAG)
    *(bool *)out = false;
}

// ---------------------------------------------------------------------------------------------- help

static void print_option(const cli_option *o) {
  enum { LEFT = 30 };
  char left[160];
  if (o->kind == CLI_FLAG)
    snprintf(left, sizeof left, "--%s", o->name);
  else if (o->kind == CLI_OPTIONAL_TEXT)
    snprintf(left, sizeof left, "--%s [%s]", o->name, o->argument);
  else
    snprintf(left, sizeof left, "%s--%s %s", strcmp(o->name, "out") == 0 ? "-o, " : "", o->name, o->argument);
  printf("  %-*s", LEFT, left);
  if (strlen(left) >= LEFT)
    printf("\n  %*s", LEFT, "");
  for (const char *line = o->help;; line += strcspn(line, "\n") + 1) {
    const int length = (int)strcspn(line, "\n");
    printf("%.*s", length, line);
    if (line[length] == 0)
      break;
    printf("\n  %*s", LEFT, "");
  }
  if (o->fallback != NULL)
    printf(" (default %s)", o->fallback);
  printf("\n");
}

static void print_help(const cli_command *c) {
  printf("usage: flyball %s\n\n%s\n", c->usage, c->about);
  for (const cli_option *o = c->options; o->name != NULL; o++)
    if (o->kind == CLI_HEADING)
      printf("\n%s\n", o->name);
    else
      print_option(o);
  print_option(&help_option);
  if (c->notes != NULL)
    printf("\n%s\n", c->notes);
}

// ---------------------------------------------------------------------------------------------- the command line

static const cli_option *find_option(const cli_command *c, const char *name, size_t length) {
  for (const cli_option *o = c->options; o->name != NULL; o++)
    if (o->kind != CLI_HEADING && strlen(o->name) == length && strncmp(o->name, name, length) == 0)
      return o;
  return NULL;
}

static int fail_unknown(const cli_command *c, const char *name, size_t length) {
  const char *words[CLI_OPTION_MAX + 2] = {"help"};
  char typed[64];
  int n = 1;
  snprintf(typed, sizeof typed, "%.*s", (int)(length < sizeof typed ? length : sizeof typed - 1), name);
  for (const cli_option *o = c->options; o->name != NULL; o++)
    if (o->kind != CLI_HEADING)
      words[n++] = o->name;
  words[n] = NULL;
  const char *nearest = fly_nearest_word(typed, words);
  if (nearest != NULL)
    cli_message("%s has no option --%s; did you mean --%s?", c->name, typed, nearest);
  else
    cli_message("%s has no option --%s; see flyball %s --help.", c->name, typed, c->name);
  return CLI_USAGE;
}

// Whether the next argument is the value of an option that can do without: only once all other words are there.
static bool takes_next(const cli_arguments *a, const char *next) {
  return next != NULL && next[0] != '-' && a->nword == a->command->max_words;
}

// An option at argv[*i]; moves *i over its value.
static int read_option(cli_arguments *a, void *values, int argc, char **argv, int *i) {
  const char *name = argv[*i][1] == 'o' ? "out" : argv[*i] + 2, *next = *i + 1 < argc ? argv[*i + 1] : NULL;
  const size_t length = strcspn(name, "=");
  const char *value = name[length] == '=' ? name + length + 1 : NULL;
  const cli_option *o = find_option(a->command, name, length);
  if (o == NULL)
    return fail_unknown(a->command, name, length);
  if (o->kind == CLI_FLAG && value != NULL) {
    cli_message("--%s takes no value.", o->name);
    return CLI_USAGE;
  }
  const bool wants = o->kind == CLI_OPTIONAL_TEXT ? takes_next(a, next) : o->kind != CLI_FLAG;
  if (value == NULL && wants) {
    if (next == NULL) {
      cli_message("--%s needs a value: --%s %s.", o->name, o->name, o->argument);
      return CLI_USAGE;
    }
    value = next;
    ++*i;
  }
  a->given[o - a->command->options] = true;
  return set_value(values, o, value) ? -1 : CLI_USAGE;
}

// -o is short for --out.
static bool is_option(const char *argument) { return strncmp(argument, "--", 2) == 0 || strcmp(argument, "-o") == 0; }

// literal: behind "--", where nothing is an option.
static int read_word(cli_arguments *a, const char *word, bool literal) {
  if (word[0] == '-' && word[1] != 0 && !literal) {
    cli_message("%s has no option %s; options start with two dashes, see flyball %s --help.", a->command->name, word,
                a->command->name);
    return CLI_USAGE;
  }
  if (a->nword == a->command->max_words) {
    cli_message("%s: '%s' is one argument too many.", a->command->name, word);
    return CLI_USAGE;
  }
  a->word[a->nword++] = word;
  return -1;
}

// The place of "--", behind which names may begin with a dash; argc: there is none.
static int end_of_options(int argc, char **argv) {
  int i = 1;
  while (i < argc && strcmp(argv[i], "--") != 0)
    i++;
  return i;
}

int cli_read(cli_arguments *out, void *values, const cli_command *command, int argc, char **argv) {
  *out = (cli_arguments){.command = command};
  for (const cli_option *o = command->options; o->name != NULL; o++)
    clear_value(values, o);
  const int end = end_of_options(argc, argv);
  for (int i = 1; i < end; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      print_help(command);
      return CLI_DONE;
    }
  for (int i = 1; i < argc; i++) {
    if (i == end)
      continue;
    const int exit_status =
        i < end && is_option(argv[i]) ? read_option(out, values, end, argv, &i) : read_word(out, argv[i], i > end);
    if (exit_status >= 0)
      return exit_status;
  }
  return -1;
}

int cli_take_repeated(const char *name, const char **value, int *count, int most, int argc, char **argv) {
  const size_t length = strlen(name);
  const int end = end_of_options(argc, argv);
  int kept = 1;
  for (int i = 1; i < argc; i++) {
    const bool named = i < end && strncmp(argv[i], "--", 2) == 0 && strncmp(argv[i] + 2, name, length) == 0;
    const char *found = NULL;
    if (named && argv[i][2 + length] == 0 && i + 1 < argc)
      found = argv[++i];
    else if (named && argv[i][2 + length] == '=')
      found = argv[i] + 3 + length;
    if (!found)
      argv[kept++] = argv[i];
    else if (*count < most)
      value[(*count)++] = found;
  }
  return kept;
}

bool cli_given(const cli_arguments *arguments, const char *option) {
  const cli_option *o = find_option(arguments->command, option, strlen(option));
  return o != NULL && arguments->given[o - arguments->command->options];
}
