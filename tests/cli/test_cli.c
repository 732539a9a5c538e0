// The program as a user meets it: exit status, messages, files.
// timeout: 120
#define _POSIX_C_SOURCE 200809L
#define SCRATCH "cli"
#include "cli/program.h"

#ifndef FLYBALL_PROGRAM
#define FLYBALL_PROGRAM FLY_TEST_PROGRAM
#endif

// Runs the program with arguments as a shell reads them ($D: a folder to write in); returns the exit status.
static int run_as(const char *before, const char *arguments) {
  char line[2000];
  snprintf(line, sizeof line, "D=%s; %s '%s' %s", folder, before, FLYBALL_PROGRAM, arguments);
  return run_line(line);
}

static int run(const char *arguments) { return run_as("LC_ALL=C COLUMNS=100", arguments); }

static int make_folder(void **state) { return mkdtemp(folder) == NULL; }

// ---------------------------------------------------------------------------------------------- bad command lines

typedef struct bad_line {
  const char *arguments;
  int exit_status;
  const char *says;
} bad_line;

static const bad_line bad_lines[] = {
    {"", 2, "usage: flyball SUBCOMMAND"},
    {"problme", 2, "flyball: there is no subcommand 'problme'; did you mean problem?"},
    {"zzzzzzzz", 2, "flyball: there is no subcommand 'zzzzzzzz'; see flyball --help."},
    {"problem penduluum", 2, "Did you mean \"pendulum\"?"},
    {"problem pendulum chain", 2, "flyball: problem: 'chain' is one argument too many."},
    {"problem pendulum --stpe 1e-3", 2, "flyball: problem has no option --stpe; did you mean --step?"},
    {"problem pendulum --wxyz", 2, "flyball: problem has no option --wxyz; see flyball problem --help."},
    {"problem pendulum -s", 2, "flyball: problem has no option -s; options start with two dashes"},
    {"problem pendulum --step", 2, "flyball: --step needs a value: --step H."},
    {"problem pendulum --step 1e-3x", 2, "flyball: --step: '1e-3x' is not a number."},
    {"problem pendulum --step nan", 2, "flyball: --step: 'nan' is not a number."},
    {"problem pendulum --step=inf", 2, "flyball: --step: 'inf' is not a number."},
    {"problem pendulum --step 0x1p-3", 2, "flyball: --step: '0x1p-3' is not a number."},
    {"problem pendulum --step 1e999", 2, "flyball: --step: '1e999' is not a number."},
    {"problem pendulum --step ''", 2, "flyball: --step: '' is not a number."},
    {"problem pendulum --step ' 1'", 2, "flyball: --step: ' 1' is not a number."},
    {"problem pendulum --step 1,5", 2, "flyball: --step: '1,5' is not a number."},
    {"problem pendulum --step 0", 2, "flyball: --step: '0' must be greater than 0."},
    {"problem pendulum --error -1e-3", 2, "flyball: --error: '-1e-3' must be greater than 0."},
    {"problem pendulum --step 1e-3 --error 1e-3", 2, "--step means fixed steps, so --error has no meaning"},
    {"problem pendulum --step 1e-3 --step-max 1", 2, "--step means fixed steps, so --step-max has no meaning"},
    {"problem pendulum --sequence 0.3,0.7", 2, "--sequence divides fixed steps; give --step too."},
    {"problem pendulum --step 0.1 --sequence 0.3,,0.7", 2, "flyball: --sequence: '' is not a number."},
    {"problem pendulum --step 0.1 --sequence 0.3,0.8", 2, "add up to 1.1, not to 1"},
    {"problem pendulum --formulation index4", 2,
     "flyball: --formulation: 'index4' is not one of index3|index2|ggl|index1|stiff|damped|stiff-ode|damped-ode."},
    {"problem pendulum --formulation stiff", 2, "flyball: --formulation stiff needs --epsilon"},
    {"problem pendulum --delta 1e-3", 2, "--delta for damped or damped-ode."},
    {"problem pendulum --formulation damped --delta 0", 2, "must be greater than 0."},
    {"problem pendulum --smooth", 2, "--smooth is for --formulation stiff"},
    {"problem oscillator --formulation stiff --epsilon 0.1", 2, "no constraints on positions that could give way"},
    {"problem pendulum --step-change maybe", 2, "flyball: --step-change: 'maybe' is not one of shift|gamma|none."},
    {"problem pendulum --method hth", 2, "flyball: unknown method 'hth'. Did you mean hht?"},
    {"problem pendulum --rho 1.5", 2, "flyball: method ch: rho = 1.5 is out of range; rho, the damping"},
    {"problem pendulum --method hht --alpha 0.1", 2, "method hht: alpha = 0.1 is out of range"},
    {"problem pendulum --method hht --phi0 0.1", 2, "method hht does not take phi0; it takes alpha"},
    {"problem pendulum --method custom --alpha-m 0.7 --alpha-f 0.1", 2, "Zero-stability needs alpha_m <= 1/2"},
    {"problem pendulum --method sdirk", 2, "take fixed steps: give a step."},
    {"problem pendulum --method sdirk --step 0.1 --formulation ggl", 2, "use the formulation index2."},
    {"problem pendulum --method sdirk --step 0.1 --z0 3", 2, "method sdirk does not take z0; it takes rho"},
    {"problem pendulum --form residual", 2, "residual form exists for alpha_m = 0"},
    {"problem pendulum --variant newton", 2, "The problem pendulum has no variant \"newton\"."},
    {"problem pendulum --n 3", 2, "The problem pendulum has a fixed size"},
    {"problem chain --n 2.5", 2, "flyball: --n: '2.5' is not a whole number greater than 0."},
    {"problem chain --n 0", 2, "flyball: --n: '0' is not a whole number greater than 0."},
    {"problem chain --n 99999999999999999999", 2, "is not a whole number greater than 0."},
    {"problem pendulum --end -1", 2, "flyball: --end -1 s must lie after the start, 0 s."},
    {"problem pendulum --csv /nonexistent/x.csv", 2,
     "flyball: cannot write /nonexistent/x.csv: there is no folder '/nonexistent'"},
    {"problem pendulum --plot q7", 2, "flyball: --plot: pendulum has no column 'q7'; it has q0...q1 v0...v1"},
    {"problem pendulum --plot=x,z", 2, "flyball: --plot: pendulum has no column 'z'"},
    {"problem pendulum --json --plot", 2, "it excludes --plot and --stats."},
    {"problem pendulum --json --csv -", 2, "--csv - and --json both want standard output."},
    {"problem pendulum --json --output 0.1", 2, "--output with --json needs --csv"},
    {"problem pendulum --stats=yes", 2, "flyball: --stats takes no value."},
    {"problem redundant", 1, "1 of 2 constraint rows are redundant"},
    {"problem redundant", 1, "`rod again` depends on `rod`"},
    {"problem lock", 1, "singular position"},
    {"problem lock", 1, "Last accepted point at t = 0."},
    {"problem pendulum --max-steps 5", 1, "the limit of 5 steps is reached."},
    {"problem pendulum --step-min 0.5 --error 1e-9", 1, "flyball: "},
    {"problem pendulum > /dev/full", 1, "flyball: standard output could not be written."},
    {"problem pendulum --csv /dev/full", 1, "flyball: cannot write /dev/full: No space left on device."},
    {"stability pendulum", 2, "flyball: stability: 'pendulum' is one argument too many."},
    {"stability --method hht --alpha 0.1", 2, "method hht: alpha = 0.1 is out of range"},
    {"stability --method lobatto-acd --z0 1", 2, "method lobatto-acd: z0 = 1 is too small for rho = 0.6"},
    {"stability --method radau", 2, "method radau is not of the Newmark family"},
    {"stability --method custom --alpha-m 0.1", 2, "method custom needs alpha_m and alpha_f"},
    {"stability --z-min 10 --z-max 1", 2, "--z-min 10 must be less than --z-max 1."},
    {"stability --points 1", 2, "--points 1 must lie between 2 and"},
    {"stability --json --plot", 2, "--json and --plot exclude each other."},
};

static void test_bad_lines(void **state) {
  for (size_t i = 0; i < sizeof bad_lines / sizeof bad_lines[0]; i++) {
    const bad_line *b = &bad_lines[i];
    char line[400];
    snprintf(line, sizeof line, "2>&1 %s", b->arguments); // before, so that a redirection of stdout stays the user's
    const int exit_status = run(line);
    if (exit_status != b->exit_status)
      fail_msg("flyball %s: exit status %d, not %d:\n%.1000s", b->arguments, exit_status, b->exit_status, output);
    if (strstr(output, b->says) == NULL)
      fail_msg("flyball %s does not say '%s' but:\n%.1000s", b->arguments, b->says, output);
  }
}

// ---------------------------------------------------------------------------------------------- help and lists

static void test_help(void **state) {
  assert_int_equal(run("--help"), 0);
  assert_says("flyball problem");
  assert_says("flyball stability");
  assert_says("flyball verify");
  assert_says("0 done as asked");
  assert_int_equal(run("--version"), 0);
  assert_int_equal(strncmp(output, "flyball ", 8), 0);
  assert_int_equal(run("stability --help"), 0);
  assert_says("--z-max Z");
}

// Every default and the norm of --error are stated.
static void test_problem_help(void **state) {
  assert_int_equal(run("problem pendulum --help"), 0);
  static const char *const said[] = {"(default auto)",  "default 0.6",
                                     "default -0.3",    "(default ggl)",
                                     "(default 1e-5)",  "(default run)",
                                     "(default shift)", "(default corrected)",
                                     "--sequence",      "--max-steps",
                                     "--condition",     "The norm of --error",
                                     "--alpha-f",       "(default acceleration)",
                                     "(gamma+1/2)^2/4"};
  for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
    assert_says(said[i]);
}

static void test_problem_list(void **state) {
  assert_int_equal(run("problem"), 0);
  static const char *const said[] = {"pendulum-family", "seven-body-cartesian", "variants: newmark iftomm", "FAMILY"};
  for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
    assert_says(said[i]);
}

// ---------------------------------------------------------------------------------------------- runs

static void test_report(void **state) {
  assert_int_equal(run("problem pendulum --stats --condition --output=0.5 2>&1"), 0);
  static const char *const said[] = {"ch, rho = 0.6",
                                     "corrected start",
                                     "stabilized index 2 (GGL)",
                                     "chosen for an error of 1e-05 over the run",
                                     "End at t = 4 s",
                                     "error q",
                                     "Multipliers",
                                     "rod length",
                                     "Largest difference from the reference",
                                     "done as asked",
                                     "|G v + g_t| <=",
                                     " J at the start",
                                     "Newton iterations",
                                     "unscaled",
                                     "1e-10",
                                     "Motion"};
  for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
    assert_says(said[i]);
}

static void test_plot(void **state) {
  assert_int_equal(run("problem pendulum --end 1 --plot y,v0,lambda0,0 2>&1"), 0);
  assert_says("q1: y\n");
  assert_says("v0\n");
  assert_says("lambda0\n");
  assert_says("q0: x\n");
  assert_says("***");
  assert_says("1 s\n");
  assert_int_equal(run_as("LC_ALL=C.UTF-8 COLUMNS=100", "problem --plot pendulum --end 1"), 0);
  assert_says("\xe2\xa0"); // braille
}

static void test_json(void **state) {
  assert_int_equal(run("problem pendulum --json --condition 2>&1"), 0);
  static const char *const keys[] = {"problem",
                                     "method",
                                     "parameters",
                                     "formulation",
                                     "status",
                                     "message",
                                     "t",
                                     "q",
                                     "v",
                                     "vdot",
                                     "lambda",
                                     "x",
                                     "y",
                                     "stats",
                                     "steps",
                                     "cut_steps",
                                     "jacobians",
                                     "rejected_error",
                                     "factorizations",
                                     "rejected_newton",
                                     "solves",
                                     "kkt_solves",
                                     "shifts",
                                     "residuals",
                                     "newton_iterations",
                                     "line_searches",
                                     "refactorizations",
                                     "events",
                                     "h_min",
                                     "h_max",
                                     "wall_s",
                                     "certificate",
                                     "position",
                                     "velocity",
                                     "acceleration",
                                     "energy_start",
                                     "estimate",
                                     "condition",
                                     "energy_drift",
                                     "start_position",
                                     "start_velocity",
                                     "scaled",
                                     "unscaled",
                                     "h"};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
    (void)json_number(keys[i]);
  assert_says("\"problem\": \"pendulum\"");
  assert_says("\"method\": \"ch\"");
  assert_says("\"status\": \"ok\"");
  assert_true(json_number("t") == 4.0);
  // NEWMARK 6.1 at T = 4
  assert_true(fabs(json_number("q") - 0.61858011377508215) < 1e-3);
  assert_true(json_number("estimate") <= 1e-5);
}

// What failed is said in the object as well, and the results up to there are in it.
static void test_json_of_failure(void **state) {
  assert_int_equal(run("problem pendulum --json --max-steps 5 2>/dev/null"), 1);
  assert_says("\"status\": \"too many steps\"");
  assert_says("\"message\": \"At t = ");
  assert_true(json_number("t") > 0.0 && json_number("t") < 4.0);
  assert_true(json_number("steps") == 5.0);
  assert_int_equal(run("problem redundant --json 2>/dev/null"), 1);
  assert_says("\"status\": \"redundant constraints\"");
  assert_silent_about("\"stats\"");
}

// The words reach the right enumerators: each formulation meets its own constraints.
static void test_words_of_formulations(void **state) {
  assert_int_equal(run("problem pendulum --json --step 0.01 --formulation index3 --start plain"), 0);
  assert_true(json_number("position") < 1e-6 && json_number("velocity") > 1e-4);
  assert_int_equal(run("problem pendulum --json --step 0.01 --formulation index2"), 0);
  assert_true(json_number("position") > 1e-4 && json_number("velocity") < 1e-4);
  assert_int_equal(run("problem pendulum --json --step 0.01 --formulation ggl"), 0);
  assert_true(json_number("position") < 1e-6 && json_number("velocity") < 1e-4);
}

static void test_words_of_steps(void **state) {
  assert_int_equal(run("problem pendulum --json --method ch --error 1e-4 --error-per step"), 0);
  assert_says("\"error_per\": \"step\"");
  const double loose = json_number("steps");
  assert_true(json_number("estimate") > 1e-4);
  assert_int_equal(run("problem pendulum --json --method ch --error 1e-4"), 0);
  assert_true(json_number("estimate") <= 1e-4);
  assert_true(json_number("steps") > loose);
  const double shifts = json_number("shifts");
  assert_int_equal(run("problem pendulum --json --error 1e-4 --step-change none"), 0);
  assert_true(json_number("shifts") < shifts);
  assert_int_equal(run("problem pendulum --json --step 0.1 --sequence 0.25,0.75"), 0);
  assert_true(json_number("steps") == 80.0);
  assert_true(fabs(json_number("h_min") - 0.025) < 1e-12 && fabs(json_number("h_max") - 0.075) < 1e-12);
}

static void test_options_reach_the_method(void **state) {
  assert_int_equal(run("problem pendulum --json --end 0.1 --method newmark --gamma 0.75"), 0);
  assert_true(json_number("beta") == 0.390625 && json_number("gamma") == 0.75);
  assert_int_equal(
      run("problem pendulum --json --end 0.1 --method=custom --alpha-m=0.1 --alpha-f 0.3 --gamma 0.8 --beta 0.5"), 0);
  assert_true(json_number("alpha_m") == 0.1 && json_number("alpha_f") == 0.3);
  assert_true(json_number("gamma") == 0.8 && json_number("beta") == 0.5);
  assert_int_equal(run("problem pendulum --end 0.1 --method hht --alpha -0.1 --form residual"), 0);
  assert_says("hht, alpha = -0.1; residual form");
  assert_int_equal(run("problem chain --n 4 --end 0.01"), 0);
  assert_says("8 positions");
}

// ---------------------------------------------------------------------------------------------- CSV

typedef struct csv_row {
  int columns;
  double value[32];
} csv_row;

static csv_row read_row(FILE *file) {
  char line[4000];
  csv_row row = {0};
  if (fgets(line, sizeof line, file) == NULL)
    return row;
  assert_non_null(strchr(line, '\n'));
  for (char *at = line, *end = NULL; row.columns < 32; at = end + 1) {
    row.value[row.columns++] = strtod(at, &end);
    if (*end != ',')
      break;
  }
  return row;
}

static FILE *open_csv(const char *name, const char *header) {
  char path[128], line[4000];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_non_null(fgets(line, sizeof line, file));
  assert_string_equal(line, header);
  return file;
}

static const char pendulum_header[] = "time,q0,q1,v0,v1,vdot0,vdot1,lambda0\n";

static void test_csv_of_steps(void **state) {
  assert_int_equal(run("problem pendulum --step 0.25 --csv $D/steps.csv"), 0);
  FILE *file = open_csv("steps.csv", pendulum_header);
  for (int k = 0; k <= 16; k++) {
    const csv_row row = read_row(file);
    assert_int_equal(row.columns, 8);
    assert_true(fabs(row.value[0] - 0.25 * k) < 1e-12);
  }
  assert_int_equal(read_row(file).columns, 0);
  fclose(file);
}

// Points between steps lie on the curve, and do not change the steps.
static void test_csv_of_outputs(void **state) {
  assert_int_equal(run("problem pendulum --json --output 0.3 --csv $D/output.csv"), 0);
  const double steps = json_number("steps"), q_end = json_number("q");
  FILE *file = open_csv("output.csv", pendulum_header);
  for (int k = 0; k <= 14; k++) {
    const csv_row row = read_row(file);
    assert_int_equal(row.columns, 8);
    assert_true(fabs(row.value[0] - (k < 14 ? 0.3 * k : 4.0)) < 1e-12);
    assert_true(fabs(row.value[1] * row.value[1] + row.value[2] * row.value[2] - 1.0) < 1e-5);
    if (k == 14)
      assert_true(row.value[1] == q_end); // 17 digits
  }
  assert_int_equal(read_row(file).columns, 0);
  fclose(file);
  assert_int_equal(run("problem pendulum --json"), 0);
  assert_true(json_number("steps") == steps);
}

// An output interval that divides the run but for rounding gives no second row at the end.
static void test_csv_ends_once(void **state) {
  assert_int_equal(run("problem pendulum --end 0.3 --output 0.1 --csv $D/end.csv"), 0);
  FILE *file = open_csv("end.csv", pendulum_header);
  int rows = 0;
  while (read_row(file).columns > 0)
    rows++;
  assert_int_equal(rows, 4);
  fclose(file);
}

static void test_csv_of_states(void **state) {
  assert_int_equal(run("problem spring-mass --end 0.5 --csv $D/states.csv"), 0);
  fclose(open_csv("states.csv", "time,q0,v0,vdot0,x0,y0,y1\n"));
  assert_int_equal(run("problem pendulum --end 0.1 --csv - 2>/dev/null"), 0);
  assert_int_equal(strncmp(output, pendulum_header, strlen(pendulum_header)), 0);
  assert_silent_about("Certificate");
}

static void test_csv_of_failure(void **state) {
  assert_int_equal(run("problem pendulum --max-steps 5 --csv $D/failed.csv 2>&1"), 1);
  FILE *file = open_csv("failed.csv", pendulum_header);
  for (int k = 0; k <= 5; k++)
    assert_int_equal(read_row(file).columns, 8);
  assert_int_equal(read_row(file).columns, 0);
  fclose(file);
}

static void test_interrupt(void **state) {
  const int exit_status = run_as("timeout --foreground --preserve-status -s INT 1",
                                 "problem seven-body --method ch --error 1e-13 --calibrate no --max-steps "
                                 "100000000 --csv $D/interrupted.csv 2>&1");
  assert_int_equal(exit_status, 130);
  assert_says("flyball: interrupted at t = ");
  assert_says("ended early: interrupted");
  char path[128];
  snprintf(path, sizeof path, "%s/interrupted.csv", folder);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  fseek(file, -1, SEEK_END);
  assert_int_equal(fgetc(file), '\n');
  fclose(file);
}

// ---------------------------------------------------------------------------------------------- stability

static void test_stability(void **state) {
  assert_int_equal(run("stability --method hht --alpha=-0.1 --plot --csv $D/stability.csv 2>&1"), 0);
  static const char *const said[] = {"hht, alpha = -0.1",
                                     "z = infinity",
                                     "unconditionally stable    yes",
                                     "violated                  none",
                                     "order                     2",
                                     "spectral radius over z"};
  for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
    assert_says(said[i]);
  FILE *file = open_csv("stability.csv", "z,radius,real0,imag0,real1,imag1,real2,imag2\n");
  int rows = 0;
  for (csv_row row; (row = read_row(file)).columns > 0; rows++) {
    assert_int_equal(row.columns, 8);
    assert_true(row.value[1] <= 1.0 + 1e-14);
  }
  assert_int_equal(rows, 241);
  fclose(file);
}

// Unstable parameters are analysed here, and refused for a run.
static void test_stability_of_unstable(void **state) {
  assert_int_equal(run("stability --method custom --alpha-m 0.7 --alpha-f 0.1 --gamma 0.9 2>&1"), 0);
  assert_says("zero-stable               no");
  assert_says("Zero-stability needs alpha_m <= 1/2, here 0.7");
  assert_says("Unstable between z = ");
  assert_int_equal(run("stability --method newmark --gamma 0.5 --beta 0.1 --json 2>&1"), 0);
  assert_says("\"stable_at_infinity\": false");
  assert_true(json_number("rho_infinity") > 1.0);
  assert_int_equal(run("stability --method ch --rho 0.8 --json"), 0);
  assert_true(fabs(json_number("rho_infinity") - 0.8) < 1e-14);
  assert_true(json_number("order") == 2.0);
}

// Methods beside the Newmark family: one root, or two, and no conditions; they take constraints on velocities unasked.
static void test_rivals(void **state) {
  assert_int_equal(run("stability --method lobatto-acd --rho 0.8 --z0 5 2>&1"), 0);
  assert_says("z = infinity  0.8  (radius 0.8)");
  assert_int_equal(run("stability --method bdf-alpha --rho 0.8 --json"), 0);
  assert_true(fabs(json_number("rho_infinity") - 0.8) < 1e-14);
  assert_int_equal(run("problem pendulum --method ch-first --step 0.01 --json"), 0);
  assert_says("\"formulation\": \"index2\"");
  assert_int_equal(run("problem pendulum --method bdf-alpha --step 0.01 --formulation index3 --json"), 0);
  assert_says("\"formulation\": \"index3\"");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rivals),
      cmocka_unit_test(test_bad_lines),
      cmocka_unit_test(test_help),
      cmocka_unit_test(test_problem_help),
      cmocka_unit_test(test_problem_list),
      cmocka_unit_test(test_report),
      cmocka_unit_test(test_plot),
      cmocka_unit_test(test_json),
      cmocka_unit_test(test_json_of_failure),
      cmocka_unit_test(test_words_of_formulations),
      cmocka_unit_test(test_words_of_steps),
      cmocka_unit_test(test_options_reach_the_method),
      cmocka_unit_test(test_csv_of_steps),
      cmocka_unit_test(test_csv_of_outputs),
      cmocka_unit_test(test_csv_ends_once),
      cmocka_unit_test(test_csv_of_states),
      cmocka_unit_test(test_csv_of_failure),
      cmocka_unit_test(test_interrupt),
      cmocka_unit_test(test_stability),
      cmocka_unit_test(test_stability_of_unstable),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
