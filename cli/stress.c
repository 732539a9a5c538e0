// flyball stress: where a flexible body is stressed most in a run, and how often.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "options.h"
#include "stress.h"

enum { MOST_SPOTS = 100 };

typedef struct settings {
  long spots, node;
  const char *out, *contour;
  cli_list modes;
  bool rainflow, json;
} settings;

static const cli_option options[] = {
    {"spots", CLI_COUNT, offsetof(settings, spots), "N", "10", "so many nodes, those with the highest stresses"},
    {"node", CLI_COUNT, offsetof(settings, node), "NUMBER", NULL, "this node instead of the highest"},
    {"rainflow", CLI_FLAG, offsetof(settings, rainflow), NULL, NULL,
     "count the cycles there (ASTM E1049), of von Mises's stress\nwith the sign of the mean stress"},
    {"modes", CLI_LIST, offsetof(settings, modes), "N,N,...", NULL,
     "numbers of the modes that were on, if not all were"},
    {"out", CLI_TEXT, offsetof(settings, out), "BASE", NULL,
     "write von Mises's stress at these nodes over time: BASE.h5"},
    {"contour", CLI_TEXT, offsetof(settings, contour), "BASE", NULL,
     "write the result once more, with these stresses for the page:\nflyball report BASE.h5 shows the body bent and "
     "coloured by them"},
    {"json", CLI_FLAG, offsetof(settings, json), NULL, NULL, "the table as JSON"},
    {0},
};

static const cli_command stress_command = {
    .name = "stress",
    .usage = "stress RESULT BODY BODY.h5 [options]",
    .about =
        "The stresses of a flexible body over a run: its modes in the result, times the stresses of the modes in the\n"
        "file that `flyball reduce` wrote. Tells the nodes with the highest von Mises stress, and when.",
    .options = options,
    .notes = "Examples\n"
             "  flyball stress run.h5 frame frame.h5\n"
             "  flyball stress run.h5 frame frame.h5 --node 47 --rainflow\n"
             "  flyball stress run.h5 frame frame.h5 --contour shown && flyball report shown.h5",
    .max_words = 3,
};

static int fail(const fly_error *error) {
  cli_message("%s", error->message);
  return cli_exit_status(error->status);
}

static void print_spot(int k, const fly_stress_spot *s) {
  printf("%4d  %10d  ", k + 1, s->node);
  if (s->element > 0)
    printf("%8d  %5d", s->element, s->point);
  else
    printf("%8s  %5s", "-", "-");
  printf("  %14.6g  %12.6g\n", s->stress, s->time);
}

static void print_table(const fly_stress_spot *spot, int count) {
  printf(" no.        node   element  point   von Mises [Pa]      time [s]\n");
  for (int k = 0; k < count; k++)
    print_spot(k, &spot[k]);
}

void stress_put_spot(fly_json *j, const fly_stress_spot *s) {
  fly_json_begin_object(j);
  fly_json_put_integer(j, "node", s->node);
  fly_json_put_integer(j, "element", s->element);
  fly_json_put_integer(j, "point", s->point);
  fly_json_put_number(j, "von_mises", s->stress);
  fly_json_put_number(j, "time", s->time);
  fly_json_end_object(j);
}

static void put_cycles(fly_json *j, const fly_cycle *cycle, long count) {
  fly_json_open_array(j, "cycles");
  for (long k = 0; k < count; k++)
    fly_json_numbers(j, (const double[]){cycle[k].range, cycle[k].mean, cycle[k].count}, 3);
  fly_json_end_array(j);
}

static bool print_json(const fly_stress_spot *spot, int count, const fly_cycle *cycle, long cycles) {
  fly_json j = fly_json_to(fly_to_file, stdout, 2);
  fly_json_begin_object(&j);
  fly_json_open_array(&j, "spots");
  for (int k = 0; k < count; k++)
    stress_put_spot(&j, &spot[k]);
  fly_json_end_array(&j);
  if (cycle)
    put_cycles(&j, cycle, cycles);
  fly_json_end_object(&j);
  return fly_json_finish(&j);
}

static int by_range(const void *a, const void *b) {
  const fly_cycle *p = a, *q = b;
  return p->range > q->range ? -1 : p->range < q->range;
}

static void print_cycles(fly_cycle *cycle, long count, int node) {
  double all = 0;
  qsort(cycle, (size_t)count, sizeof *cycle, by_range);
  for (long k = 0; k < count; k++)
    all += cycle[k].count;
  printf("\ncycles at node %d: %g, the widest first\n    range [Pa]      mean [Pa]  count\n", node, all);
  for (long k = 0; k < count && k < 20; k++)
    printf("%14.6g %14.6g  %5.1f\n", cycle[k].range, cycle[k].mean, cycle[k].count);
  if (count > 20)
    printf("... and %ld more\n", count - 20);
}

// ---------------------------------------------------------------------------------------------- histories

static fly_status append(fly_result_writer *w, fly_stress *s, const fly_stress_spot *spot, int count,
                         fly_error *error) {
  const long rows = fly_stress_rows(s);
  const size_t wide = (size_t)count + 1;
  double *one = malloc((size_t)rows * sizeof *one + 1), *all = malloc((size_t)rows * wide * sizeof *all + 1);
  fly_status status = one && all ? FLY_OK : FLY_NO_MEMORY;
  for (int k = 0; k < count && status == FLY_OK; k++) {
    status = fly_stress_history(s, &spot[k], false, one, error);
    for (long i = 0; i < rows && status == FLY_OK; i++)
      all[(size_t)i * wide + 1 + (size_t)k] = one[i];
  }
  for (long i = 0; i < rows && status == FLY_OK; i++)
    all[(size_t)i * wide] = fly_stress_times(s)[i];
  for (long i = 0; i < rows && status == FLY_OK; i++)
    status = fly_result_append(w, all + (size_t)i * wide, 1, error);
  free(one);
  free(all);
  return status;
}

static fly_status write_histories(const char *base, fly_stress *s, const fly_stress_spot *spot, int count,
                                  fly_error *error) {
  fly_channel channel[MOST_SPOTS];
  char name[MOST_SPOTS][40];
  fly_result_writer *w = NULL;
  const fly_result_options o = fly_result_options_default();
  for (int k = 0; k < count; k++) {
    snprintf(name[k], sizeof name[k], "node%d.mises", spot[k].node);
    channel[k] = (fly_channel){name[k], "Pa", "von Mises stress"};
  }
  fly_status status = fly_result_create(&w, base, channel, count, &o, error);
  if (status)
    return status;
  status = append(w, s, spot, count, error);
  return status ? fly_result_abandon(w, NULL), status : fly_result_finish(w, error);
}

// ---------------------------------------------------------------------------------------------- the command

static fly_status find_spots(const settings *v, fly_stress *s, fly_stress_spot *spot, int *count, fly_error *error) {
  if (v->node == 0)
    return fly_stress_spots(s, (int)(v->spots < MOST_SPOTS ? v->spots : MOST_SPOTS), spot, count, error);
  double *history = malloc((size_t)fly_stress_rows(s) * sizeof *history + 1);
  spot[0] = (fly_stress_spot){.node = (int)v->node, .stress = -1};
  *count = 1;
  fly_status status = history ? fly_stress_history(s, &spot[0], false, history, error) : FLY_NO_MEMORY;
  for (long k = 0; k < fly_stress_rows(s) && status == FLY_OK; k++)
    if (history[k] > spot[0].stress) {
      spot[0].stress = history[k];
      spot[0].time = fly_stress_times(s)[k];
    }
  free(history);
  return status;
}

static fly_status count_cycles(fly_stress *s, const fly_stress_spot *spot, fly_cycle **cycle, long *count,
                               fly_error *error) {
  const long rows = fly_stress_rows(s);
  double *history = malloc((size_t)rows * sizeof *history + 1);
  *cycle = malloc(((size_t)rows + 2) * sizeof **cycle);
  fly_status status = history && *cycle ? fly_stress_history(s, spot, true, history, error) : FLY_NO_MEMORY;
  *count = status ? 0 : fly_rainflow(history, rows, *cycle);
  free(history);
  return *count < 0 ? FLY_NO_MEMORY : status;
}

static int tell(const settings *v, const cli_arguments *a, fly_stress *s) {
  fly_stress_spot spot[MOST_SPOTS];
  fly_cycle *cycle = NULL;
  fly_error error = {0};
  long cycles = 0;
  int count = 0;
  bool good = true;
  fly_status status = find_spots(v, s, spot, &count, &error);
  if (status == FLY_OK && v->rainflow && count > 0)
    status = count_cycles(s, &spot[0], &cycle, &cycles, &error);
  if (status == FLY_OK && v->out)
    status = write_histories(v->out, s, spot, count, &error);
  if (status == FLY_OK && v->contour)
    status = stress_write_contour(v->contour, a->word[0], a->word[1], s, spot, count, &error);
  if (status == FLY_OK && v->json)
    good = print_json(spot, count, cycle, cycles);
  else if (status == FLY_OK) {
    print_table(spot, count);
    if (cycle)
      print_cycles(cycle, cycles, spot[0].node);
  }
  free(cycle);
  return status ? fail(&error) : good ? CLI_DONE : CLI_FAILED;
}

int cmd_stress(int argc, char **argv) {
  settings v = {0};
  cli_arguments a;
  fly_stress *s = NULL;
  fly_error error = {0};
  int mode[CLI_LIST_MAX];
  const int code = cli_read(&a, &v, &stress_command, argc, argv);
  if (code >= 0)
    return code;
  if (a.nword != 3) {
    cli_message("stress takes a result, the name of a flexible body, and its file; see flyball stress --help.");
    return CLI_USAGE;
  }
  for (int k = 0; k < v.modes.count; k++)
    mode[k] = (int)v.modes.value[k];
  if (fly_stress_open(&s, a.word[0], a.word[1], a.word[2], v.modes.count, mode, &error) != FLY_OK)
    return fail(&error);
  const int exit_status = tell(&v, &a, s);
  fly_stress_close(s);
  return exit_status;
}
