// flyball new: a first model to start from.
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "example.h"
#include "options.h"

typedef struct settings {
  const char *from;
} settings;

static const cli_option options[] = {
    {"from", CLI_TEXT, offsetof(settings, from), "EXAMPLE", NULL, "begin with a copy of an example; `list` lists them"},
    {0},
};

static const cli_command new_command = {
    .name = "new",
    .usage = "new NAME [--from EXAMPLE]",
    .about = "Writes NAME.yaml, a small model with comments, to be changed into your own. Never overwrites a file.",
    .options = options,
    .notes = "Examples\n  flyball new pendulum\n  flyball run pendulum.yaml\n  flyball new mine --from slider-crank",
    .max_words = 1,
};

// What follows the name of the model.
static const char model[] =
    "gravity: [0, -9.81, 0]  # m/s^2 in x, y, z of space. Everything is in SI units, angles in rad\n"
    "\n"
    "parameters:             # numbers with names; `flyball run ... --set length=0.5` changes one\n"
    "  length: 800*mm        # a unit is a factor: 800*mm is 0.8\n"
    "  mass: 1.2\n"
    "  start: 30*deg         # of the bar below the level\n"
    "\n"
    "bodies:                 # what moves; `ground` is always there\n"
    "  bar:                  # a thin bar along its own x axis; its frame is in its middle\n"
    "    mass: mass\n"
    "    inertia: [1e-4, mass*length^2/12, mass*length^2/12] # about its mass centre and its own x, y, z\n"
    "    position: [length/2*cos(start), -length/2*sin(start), 0]\n"
    "    orientation: {axis: [0, 0, 1], angle: -start}\n"
    "    markers: {tip: [length/2, 0, 0]} # a point of the bar, in its own axes\n"
    "\n"
    "joints:                 # what holds bodies together; `at` and `axis` are in space, at the start\n"
    "  pin: {type: revolute, bodies: [ground, bar], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "\n"
    "forces:\n"
    "  friction: {type: torsion-spring, joint: pin, damping: 0.1} # N m s/rad\n"
    "\n"
    "outputs:                # expressions, written beside the motion of bodies and the forces in joints\n"
    "  angle: az(bar, ground)/deg\n"
    "  height: dy(bar.tip, ground)\n"
    "\n"
    "simulate: {end: 5, error: 1e-4, output: 0.01} # s; radians and sizes of the model; s\n";

// The name as a text between quotes must need no escapes.
static bool is_plain(const char *name) {
  for (const char *c = name; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7f || *c == '"' || *c == '\\')
      return false;
  return true;
}

// The file of a model called `name`, and its name without folder and ending. False if it is too long or no name.
static bool split(const char *name, char *file, char *base, size_t size) {
  const size_t length = strlen(name);
  const bool ended = length > 5 && strcmp(name + length - 5, ".yaml") == 0;
  const char *slash = strrchr(name, '/'), *start = slash ? slash + 1 : name;
  const int n = snprintf(file, size, "%s%s", name, ended ? "" : ".yaml");
  if (n < 0 || (size_t)n >= size)
    return false;
  snprintf(base, size, "%.*s", (int)(strlen(start) - (ended ? 5 : 0)), start);
  return *base != 0 && is_plain(name);
}

static int fail_to_write(const char *file) {
  if (errno == EEXIST)
    cli_message("%s is there already and is left alone; choose another name.", file);
  else
    cli_cannot_write(file);
  return CLI_USAGE;
}

static int close_model(FILE *out, const char *file) {
  const bool failed = ferror(out) != 0;
  if (fclose(out) == 0 && !failed)
    return CLI_DONE;
  cli_message("cannot write %s: %s. Nothing of it is left.", file, strerror(errno));
  remove(file);
  return CLI_FAILED;
}

static int write_model(const char *file, const char *base) {
  FILE *out = fopen(file, "wx");
  if (!out)
    return fail_to_write(file);
  fprintf(out,
          "# A first model: a bar on a pin. `flyball run %s` simulates it; `flyball explain` tells what there is.\n"
          "flyball: 1              # version of the language\nname: \"%s\"\n%s",
          file, base, model);
  const int exit_status = close_model(out, file);
  if (exit_status == CLI_DONE)
    printf("%s is written. Next:\n  flyball run %s\n  flyball plot %s angle height\n", file, file, base);
  return exit_status;
}

const cli_example *cli_example_find(const char *name) {
  for (int k = 0; k < cli_example_count; k++)
    if (strcmp(cli_examples[k].name, name) == 0)
      return &cli_examples[k];
  return NULL;
}

// The first comment of an example says what it is.
static void list_examples(void) {
  for (int k = 0; k < cli_example_count; k++) {
    const char *text = cli_examples[k].text;
    text += *text == '#' ? 1 + (text[1] == ' ') : 0;
    printf("  %-22s %.*s\n", cli_examples[k].name, (int)strcspn(text, "\n"), text);
  }
}

static int copy_example(const char *file, const char *name) {
  const cli_example *e = cli_example_find(name);
  if (!e) {
    cli_message("there is no example '%s'. There are:", name);
    list_examples();
    return CLI_USAGE;
  }
  FILE *out = fopen(file, "wx");
  if (!out)
    return fail_to_write(file);
  fwrite(e->text, 1, e->length, out);
  const int exit_status = close_model(out, file);
  if (exit_status == CLI_DONE)
    printf("%s is written, a copy of the example %s. Next:\n  flyball run %s\n", file, name, file);
  return exit_status;
}

int cmd_new(int argc, char **argv) {
  cli_arguments a;
  settings values = {0};
  char file[1024], base[1024];
  int exit_status = cli_read(&a, &values, &new_command, argc, argv);
  if (exit_status >= 0)
    return exit_status;
  if (values.from && a.nword == 0 && strcmp(values.from, "list") == 0) {
    list_examples();
    return CLI_DONE;
  }
  if (a.nword != 1) {
    cli_message("new takes the name of the model: flyball new pendulum.");
    return CLI_USAGE;
  }
  if (!split(a.word[0], file, base, sizeof file)) {
    cli_message("'%s' cannot be the name of a model.", a.word[0]);
    return CLI_USAGE;
  }
  return values.from ? copy_example(file, values.from) : write_model(file, base);
}
