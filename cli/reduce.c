// flyball reduce: a mesh or matrices to a few modes, in one file.
#include "flyball/reduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "flyball/json.h"
#include "options.h"
#include "terminal.h"

enum { MOST_INTERFACES = 64 };

typedef struct settings {
  const char *out, *repeated, *stiffness, *mass, *nodes, *section, *stiffening;
  double youngs, poisson, density, up_to;
  long modes;
  bool all, no_stress, json;
  int points;
} settings;

static const cli_option options[] = {
    {"out", CLI_TEXT, offsetof(settings, out), "FILE", NULL,
     "the file to write; the mesh's name with .h5 if not given"},
    {"interface", CLI_TEXT, offsetof(settings, repeated), "NAME=PLACE", NULL,
     "a place for joints, forces and contacts: the number of a\nnode; or set:SET, a set of nodes tied rigidly to a "
     "point "
     "in\ntheir middle, or set:SET@X,Y,Z [m]; may be repeated"},
    {"modes", CLI_COUNT, offsetof(settings, modes), "N", "20", "modes with the interface held"},
    {"all", CLI_FLAG, offsetof(settings, all), NULL, NULL, "all modes there are, of a small body"},
    {"up-to", CLI_POSITIVE, offsetof(settings, up_to), "HZ", NULL, "leave out modes above this frequency [Hz]"},
    {"points", CLI_CHOICE, offsetof(settings, points), "surface|all|interface", "surface",
     "nodes that are kept, for markers and stresses"},
    {"no-stress", CLI_FLAG, offsetof(settings, no_stress), NULL, NULL, "without the stresses of the modes"},
    {"stiffening", CLI_TEXT, offsetof(settings, stiffening), "NAME", NULL,
     "the interface that holds the body as it turns about the\norigin of its mesh: for `stiffening: on` in the model"},
    {"Instead of what the mesh says", CLI_HEADING, 0, NULL, NULL, NULL},
    {"youngs-modulus", CLI_POSITIVE, offsetof(settings, youngs), "E", NULL,
     "of elements whose mesh has no material [Pa]"},
    {"poisson-ratio", CLI_NUMBER, offsetof(settings, poisson), "NU", NULL, "likewise"},
    {"density", CLI_POSITIVE, offsetof(settings, density), "RHO", NULL, "likewise [kg/m^3]"},
    {"section", CLI_TEXT, offsetof(settings, section), "SECTION", NULL,
     "of beams whose mesh has none: \"circle R\", \"tube R WALL\",\n\"rectangle ALONG_Y ALONG_Z\" [m]"},
    {"stiffness", CLI_TEXT, offsetof(settings, stiffness), "K.mtx", NULL,
     "instead of a mesh: a matrix in Matrix Market's format,"},
    {"mass", CLI_TEXT, offsetof(settings, mass), "M.mtx", NULL, "the mass matrix,"},
    {"nodes", CLI_TEXT, offsetof(settings, nodes), "FILE", NULL,
     "and their nodes in the order of the rows, one a line:\nnumber, x, y, z, and 6 behind it if it has turns"},
    {"json", CLI_FLAG, offsetof(settings, json), NULL, NULL, "the tables as JSON"},
    {0},
};

static const cli_command reduce_command = {
    .name = "reduce",
    .usage = "reduce MESH [options]",
    .about =
        "Reduces a body of finite elements to a few modes after Craig and Bampton, and writes the file that bodies "
        "of\ntype flexible take. A mesh is a .msh file of Gmsh (2.2 or 4.1, as text) or has Abaqus's keywords (.inp);\n"
        "its elements are ten-node tetrahedra and beams.",
    .options = options,
    .notes = "Examples\n"
             "  flyball reduce arm.msh --youngs-modulus 7e10 --poisson-ratio 0.33 --density 2700 \\\n"
             "      --interface hub=set:HUB --interface tip=set:TIP --modes 20\n"
             "  flyball reduce frame.inp --interface front=12 --interface rear=47 --up-to 2000 --out frame.h5\n"
             "  flyball reduce --stiffness K.mtx --mass M.mtx --nodes nodes.csv --interface a=1 --out body.h5",
    .max_words = 1,
};

// ---------------------------------------------------------------------------------------------- what is given

static bool read_point(double at[3], const char *text) {
  char number[60];
  for (int i = 0; i < 3; i++) {
    const size_t length = strcspn(text, ",");
    if (length == 0 || length >= sizeof number || (i < 2) != (text[length] == ','))
      return false;
    memcpy(number, text, length);
    number[length] = 0;
    if (!cli_parse_number(&at[i], number))
      return false;
    text += length + (i < 2);
  }
  return true;
}

// NAME=12, NAME=set:SET, NAME=set:SET@X,Y,Z; the text is cut up.
static bool read_interface(fly_reduce_interface *f, char *text) {
  char *place = strchr(text, '=');
  double number;
  if (!place || place == text)
    return false;
  *place++ = 0;
  *f = (fly_reduce_interface){.name = text};
  if (strncmp(place, "set:", 4) != 0) {
    if (!cli_parse_number(&number, place) || number != floor(number) || fabs(number) > 2e9)
      return false;
    f->node = (int)number;
    return true;
  }
  char *at = strchr(place, '@');
  if (at)
    *at++ = 0;
  f->set = place + 4;
  f->placed = at != NULL;
  return f->set[0] && (!at || read_point(f->at, at));
}

static int read_interfaces(fly_reduce_interface *f, char *copy, size_t size, const char *const *text, int count) {
  for (int k = 0; k < count; k++) {
    const size_t length = strlen(text[k]) + 1;
    if (length > size) {
      cli_message("--interface: these names are too long.");
      return CLI_USAGE;
    }
    memcpy(copy, text[k], length);
    if (!read_interface(&f[k], copy)) {
      cli_message("--interface takes NAME=NUMBER of a node, NAME=set:SET or NAME=set:SET@X,Y,Z, not '%s'.", text[k]);
      return CLI_USAGE;
    }
    copy += length;
    size -= length;
  }
  return -1;
}

// "parts/arm.msh" gives "parts/arm.h5".
static void name_out(char *out, size_t size, const char *mesh) {
  const char *slash = strrchr(mesh, '/'), *dot = strrchr(mesh, '.');
  const size_t length = dot && dot > (slash ? slash : mesh) ? (size_t)(dot - mesh) : strlen(mesh);
  snprintf(out, size, "%.*s.h5", (int)length, mesh);
}

// ---------------------------------------------------------------------------------------------- how far it is

typedef struct phase {
  const char *name;
  double from, to; // of all the work, about
} phase;

static const phase PHASES[] = {{"reading", 0, 0.02},           {"matrices", 0.02, 0.1},
                               {"factorization", 0.1, 0.4},    {"static modes", 0.4, 0.5},
                               {"modes", 0.5, 0.85},           {"orthogonal modes", 0.85, 0.9},
                               {"sums of inertia", 0.9, 0.95}, {"stiffening", 0.92, 0.95},
                               {"stresses", 0.95, 1},          {"writing", 0.99, 1}};

static void show(const char *name, double share, void *user) {
  cli_progress *p = user;
  if (!cli_progress_due(p))
    return;
  for (size_t k = 0; k < sizeof PHASES / sizeof *PHASES; k++)
    if (strcmp(PHASES[k].name, name) == 0)
      cli_progress_show(p, PHASES[k].from + share * (PHASES[k].to - PHASES[k].from), name);
}

// ---------------------------------------------------------------------------------------------- tables

static void print_share(double part, double of) {
  if (of > 0)
    printf("  %6.2f", 100 * part / of);
  else
    printf("  %6s", "-");
}

static void print_fixed(const fly_reduce_info *i) {
  if (i->fixed == 0 || i->interface_unknowns == 0)
    return;
  printf("\nmodes with the interface held, and the share of the mass that moves in them [%%]\n"
         " no.  frequency [Hz]       x       y       z  about x       y       z\n");
  for (int k = 0; k < i->fixed; k++) {
    if (k >= 30 && k < i->fixed - 1)
      continue;
    printf(k == i->fixed - 1 && i->fixed > 31 ? "...\n%4d  %14.6g" : "%4d  %14.6g", k + 1, i->fixed_mode[k].frequency);
    for (int w = 0; w < 6; w++)
      print_share(i->fixed_mode[k].effective[w], i->total[w]);
    putchar('\n');
  }
  printf(" all                ");
  for (int w = 0; w < 6; w++)
    print_share(i->effective[w], i->total[w]);
  printf("\n%d of %d modes; what is left out lies above %.6g Hz with the interface held, and follows statically.\n",
         i->fixed, i->fixed_possible, i->fixed_mode[i->fixed - 1].frequency);
}

static void print_modes(const fly_reduce_info *i) {
  printf("\nmodes of the free body: %d, from %.6g Hz to %.6g Hz; %d motions as a whole were taken out", i->modes,
         i->frequency[0], i->frequency[i->modes - 1], i->rigid);
  if (i->cut > 0)
    printf(", and %d modes above the highest frequency", i->cut);
  printf("\n");
  for (int k = 0; k < i->modes && k < 60; k++)
    printf("%4d %12.6g%s", k + 1, i->frequency[k], k % 5 == 4 || k == i->modes - 1 ? "\n" : "");
  if (i->modes > 60)
    printf("...\n");
}

static void print_lines(const char *text) {
  for (int length; *text; text += length + (text[length] != 0)) {
    length = (int)strcspn(text, "\n");
    if (length > 0)
      printf("note: %.*s\n", length, text);
  }
}

static void print_report(const fly_reduce_info *i, const char *out, double seconds) {
  const double *J = i->inertia, *c = i->center;
  printf("%d nodes, %d elements, %d unknowns, %d of them on the interface\n", i->nodes, i->elements, i->unknowns,
         i->interface_unknowns);
  print_lines(i->notes);
  printf("mass %.9g kg, centre [%.6g, %.6g, %.6g] m\n", i->mass, c[0], c[1], c[2]);
  printf("inertia about it: xx %.6g, yy %.6g, zz %.6g, xy %.6g, xz %.6g, yz %.6g kg m^2\n", J[0], J[4], J[8], J[1],
         J[2], J[5]);
  print_fixed(i);
  print_modes(i);
  printf("\n%s: %d modes, %d nodes, %d places of stresses; %.1f s\n", out, i->modes, i->kept, i->stresses, seconds);
}

static bool print_json(const fly_reduce_info *i, const char *out, double seconds) {
  fly_json j = fly_json_to(fly_to_file, stdout, 2);
  fly_json_begin_object(&j);
  fly_json_put_string(&j, "file", out);
  fly_json_put_integer(&j, "nodes", i->nodes);
  fly_json_put_integer(&j, "elements", i->elements);
  fly_json_put_integer(&j, "unknowns", i->unknowns);
  fly_json_put_number(&j, "mass", i->mass);
  fly_json_key(&j, "center"), fly_json_numbers(&j, i->center, 3);
  fly_json_key(&j, "inertia"), fly_json_numbers(&j, i->inertia, 9);
  fly_json_key(&j, "frequencies"), fly_json_numbers(&j, i->frequency, (size_t)i->modes);
  fly_json_open_array(&j, "interface_held");
  for (int k = 0; k < i->fixed; k++) {
    fly_json_begin_object(&j);
    fly_json_put_number(&j, "frequency", i->fixed_mode[k].frequency);
    fly_json_key(&j, "effective_mass"), fly_json_numbers(&j, i->fixed_mode[k].effective, 6);
    fly_json_end_object(&j);
  }
  fly_json_end_array(&j);
  fly_json_key(&j, "moving_mass"), fly_json_numbers(&j, i->total, 6);
  fly_json_put_integer(&j, "rigid", i->rigid);
  fly_json_put_number(&j, "factor_entries", i->factor_entries);
  fly_json_put_number(&j, "seconds", seconds);
  fly_json_put_string(&j, "notes", i->notes);
  fly_json_end_object(&j);
  return fly_json_finish(&j);
}

// ---------------------------------------------------------------------------------------------- the command

static int reduce(const settings *v, const fly_reduce_options *o) {
  fly_reduction *r = NULL;
  fly_error error = {0};
  cli_progress p = cli_progress_start();
  const double began = cli_seconds();
  fly_reduce_options all = *o;
  all.tell = show;
  all.user = &p;
  const fly_status status = fly_reduce(&r, &all, &error);
  cli_progress_clear(&p);
  if (status) {
    cli_message("%s", error.message);
    return cli_exit_status(status);
  }
  const double seconds = cli_seconds() - began;
  bool good = true;
  if (v->json)
    good = print_json(fly_reduction_info(r), o->out, seconds);
  else
    print_report(fly_reduction_info(r), o->out, seconds);
  fly_reduction_free(r);
  return good ? CLI_DONE : CLI_FAILED;
}

int cmd_reduce(int argc, char **argv) {
  settings v = {0};
  cli_arguments a;
  const char *given[MOST_INTERFACES];
  char copy[8000], out[CLI_NAME_MAX];
  fly_reduce_interface interface[MOST_INTERFACES];
  int count = 0;
  argc = cli_take_repeated("interface", given, &count, MOST_INTERFACES, argc, argv);
  int code = cli_read(&a, &v, &reduce_command, argc, argv);
  if (code < 0)
    code = read_interfaces(interface, copy, sizeof copy, given, count);
  if (code >= 0)
    return code;
  if ((a.nword == 0) == (v.stiffness == NULL) || (a.nword == 0 && !v.out)) {
    cli_message("reduce takes a mesh, or --stiffness, --mass, --nodes and --out; see flyball reduce --help.");
    return CLI_USAGE;
  }
  name_out(out, sizeof out, a.nword > 0 ? a.word[0] : "body");
  fly_reduce_options o = fly_reduce_options_default();
  o.mesh = a.nword > 0 ? a.word[0] : NULL;
  o.stiffness = v.stiffness;
  o.mass = v.mass;
  o.nodes = v.nodes;
  o.out = v.out ? v.out : out;
  o.youngs_modulus = v.youngs;
  o.poisson_ratio = v.poisson;
  o.density = v.density;
  o.section = v.section;
  o.ninterface = count;
  o.interface = interface;
  o.modes = v.all ? -1 : (int)v.modes;
  o.highest = v.up_to;
  o.points = (fly_reduce_points)v.points;
  o.no_stress = v.no_stress;
  o.stiffening = v.stiffening;
  return reduce(&v, &o);
}
