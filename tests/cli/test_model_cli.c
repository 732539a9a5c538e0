// The program with model files and results: new, check, run, info, plot, explain, schema.
// timeout: 120
#define _POSIX_C_SOURCE 200809L
#define SCRATCH "model-cli"
#include "cli/program.h"

// flyball ARGUMENTS; messages are in the output too. Redirections come first, so that those of the line stay its own.
static int run(const char *arguments) {
  char line[1000];
  snprintf(line, sizeof line, "$F 2>&1 %s", arguments);
  return shell(line);
}

// ---------------------------------------------------------------------------------------------- models of the tests

static const char misspelt[] = "flyball: 1\n"
                               "bodies:\n"
                               "  bar: {mass: 1, inertia: [1, 1, 1], positon: [0.5, 0, 0]}\n"
                               "joints:\n"
                               "  pin: {type: revolut, bodies: [ground, bar], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                               "simulate: {end: 1}\n";

static const char door[] = "flyball: 1\n"
                           "name: door\n"
                           "bodies:\n"
                           "  door: {mass: 20, inertia: [7, 8, 1.5], position: [0.4, 0, 1]}\n"
                           "joints:\n"
                           "  low: {type: revolute, bodies: [ground, door], at: [0, 0, 0.3], axis: [0, 0, 1]}\n"
                           "  high: {type: revolute, bodies: [ground, door], at: [0, 0, 1.7], axis: [0, 0, 1]}\n";

// A slider driven away from a link that is too short for it: fails half-way.
static const char lock[] = "flyball: 1\n"
                           "bodies:\n"
                           "  a: {type: planar, mass: 1, inertia: 0.1, markers: {e: [1, 0]}}\n"
                           "  b: {type: planar, mass: 1, inertia: 0.1, position: [1, 0.5]}\n"
                           "joints:\n"
                           "  across: {type: translational, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
                           "  up: {type: translational, bodies: [ground, b], at: [1, 0.5, 0], axis: [0, 1, 0]}\n"
                           "  link: {type: distance, from: a.e, to: b}\n"
                           "motions:\n"
                           "  drive: {joint: across, displacement: time}\n"
                           "simulate: {end: 1, method: ch, output: 0.001}\n";

static const char open_loop[] = "flyball: 1\n"
                                "bodies:\n"
                                "  a: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
                                "joints:\n"
                                "  pin: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                                "  link: {type: distance, from: ground, to: a, length: 3}\n"
                                "simulate: {end: 1}\n";

static int make_folder(void **state) {
  if (mkdtemp(folder) == NULL)
    return 1;
  write_file("misspelt.yaml", misspelt);
  write_file("door.yaml", door);
  write_file("lock.yaml", lock);
  write_file("open.yaml", open_loop);
  write_file("empty.yaml", "");
  write_file("empty.csv", "time [s],x [m]\n");
  write_file("cut.csv", "time [s],x [m]\n0,1\n1,2\n2,");
  if (run("new swing") != 0)
    return 1;
  return run("run swing.yaml --csv") != 0; // swing.csv and swing.h5
}

// ---------------------------------------------------------------------------------------------- bad command lines

typedef struct bad_line {
  const char *arguments;
  int exit_status;
  const char *says;
} bad_line;

static const bad_line bad_lines[] = {
    {"rum swing.yaml", 2, "flyball: there is no subcommand 'rum'; did you mean run?"},
    {"plto swing angle", 2, "flyball: there is no subcommand 'plto'; did you mean plot?"},
    {"new", 2, "flyball: new takes the name of the model"},
    {"new ''", 2, "flyball: '' cannot be the name of a model."},
    {"new there/", 2, "flyball: 'there/' cannot be the name of a model."},
    {"new 'a\"b'", 2, "cannot be the name of a model."},
    {"new a b", 2, "flyball: new: 'b' is one argument too many."},
    {"new swing", 2, "flyball: swing.yaml is there already and is left alone; choose another name."},
    {"new swing.yaml", 2, "flyball: swing.yaml is there already"},
    {"new nowhere/x", 2, "flyball: cannot write nowhere/x.yaml: there is no folder 'nowhere'; make it first"},
    {"new --force swing", 2, "flyball: new has no option --force; see flyball new --help."},
    {"run", 2, "flyball: run takes one model file; see flyball run --help."},
    {"run a.yaml b.yaml", 2, "flyball: run: 'b.yaml' is one argument too many."},
    {"run nothing.yaml", 2, "flyball: nothing.yaml: there is no such file."},
    {"run misspelt.yaml", 2, "misspelt.yaml:3:38: a rigid body takes no 'positon'. Did you mean 'position'?"},
    {"run misspelt.yaml", 2, "misspelt.yaml:5:15: there is no joint of type 'revolut'. Did you mean 'revolute'?"},
    {"run empty.yaml", 2, "empty.yaml:1:1: this file is empty."},
    {"run door.yaml", 2, "flyball: No end time: give `simulate: {end: ...}` in the model, or --end [s]."},
    {"run swing.yaml --ned 1", 2, "flyball: run has no option --ned; did you mean --end?"},
    {"run swing.yaml --end 0", 2, "flyball: --end: '0' must be greater than 0."},
    {"run swing.yaml --error 1e-4x", 2, "flyball: --error: '1e-4x' is not a number."},
    {"run swing.yaml --set lenght=1", 2, "The model has no parameter 'lenght'. Did you mean 'length'?"},
    {"run swing.yaml --set length=1,5", 2, "flyball: length=1,5: column"},
    {"run swing.yaml --set length", 2, "flyball: "},
    {"run swing.yaml --set", 2, "flyball: --set needs a value: --set P=V."},
    {"run swing.yaml --method hth", 2, "flyball: unknown method 'hth'. Did you mean hht?"},
    {"run swing.yaml --formulation gg", 2, "flyball: formulation `gg` is unknown; did you mean `ggl`?"},
    {"run swing.yaml --error-per stpe", 2, "flyball: error-per `stpe` is unknown; did you mean `step`?"},
    {"run swing.yaml --channels bodys", 2, "flyball: channels: there is no `bodys`; did you mean `bodies`?"},
    {"run swing.yaml --out nowhere/x", 2,
     "flyball: nowhere/x.h5: cannot be written: there is no folder 'nowhere'; make it first"},
    {"run swing.yaml --out swing.yaml/x", 2,
     "flyball: swing.yaml/x.h5: cannot be written: 'swing.yaml' is a file, not a folder."},
    {"run open.yaml", 1, "flyball: `link, length` contradicts the other constraints"},
    {"check", 2, "flyball: check takes one model file; see flyball check --help."},
    {"check nothing.yaml", 2, "flyball: nothing.yaml: there is no such file."},
    {"check misspelt.yaml", 2, "Did you mean 'position'?"},
    {"check open.yaml", 1, "flyball: `link, length` contradicts the other constraints"},
    {"check swing.yaml > /dev/full", 1, "flyball: standard output could not be written."},
    {"info", 2, "flyball: info takes one result; see flyball info --help."},
    {"info swing door", 2, "flyball: info: 'door' is one argument too many."},
    {"info nothing", 2, "flyball: nothing: cannot be read: No such file or directory."},
    {"info swing.yaml", 2, "this is not a result of Flyball."},
    {"info empty.yaml", 2, "empty.yaml: this file is empty."},
    {"plot", 2, "flyball: plot takes a result and channels of it"},
    {"plot swing", 2, "flyball: plot takes a result and channels of it"},
    {"plot nothing angle", 2, "flyball: nothing: cannot be read: No such file or directory."},
    {"plot swing anlge", 2, "flyball: swing.h5 has no channel 'anlge'; did you mean angle?"},
    {"plot swing.csv angle bar.vxx", 2, "flyball: swing.csv has no channel 'bar.vxx'; did you mean bar.vx?"},
    {"plot swing something", 2, "flyball: swing.h5 has no channel 'something'; flyball info swing.h5 lists its 32."},
    {"plot swing angle --from 3 --to 2", 2, "flyball: --from 3 s lies after --to 2 s."},
    {"plot swing angle --from 7", 2, "flyball: swing.h5 has no rows in that interval; it goes from 0 s to 5 s."},
    {"plot swing angle --to -1", 2, "flyball: swing.h5 has no rows in that interval"},
    {"plot swing angle --from soon", 2, "flyball: --from: 'soon' is not a number."},
    {"plot empty.csv x", 2, "flyball: empty.csv has no rows."},
    {"explain revolut", 2, "flyball: There is no element 'revolut'. Did you mean 'revolute'?"},
    {"explain a b", 2, "flyball: explain: 'b' is one argument too many."},
    {"schema all", 2, "flyball: schema: 'all' is one argument too many."},
    {"schema --manaul", 2, "flyball: schema has no option --manaul; did you mean --manual?"},
};

static void test_bad_lines(void **state) {
  for (size_t i = 0; i < sizeof bad_lines / sizeof bad_lines[0]; i++) {
    const bad_line *b = &bad_lines[i];
    const int exit_status = run(b->arguments);
    if (exit_status != b->exit_status)
      fail_msg("flyball %s: exit status %d, not %d:\n%.1000s", b->arguments, exit_status, b->exit_status, output);
    if (strstr(output, b->says) == NULL)
      fail_msg("flyball %s does not say '%s' but:\n%.1000s", b->arguments, b->says, output);
  }
}

static void test_help(void **state) {
  static const char *const names[] = {"new", "run", "check", "info", "plot", "explain", "schema"};
  assert_int_equal(run("--help"), 0);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char line[64];
    snprintf(line, sizeof line, "  flyball %s ", names[i]);
    assert_int_equal(run("--help"), 0);
    assert_says(line);
    snprintf(line, sizeof line, "%s --help", names[i]);
    assert_int_equal(run(line), 0);
    snprintf(line, sizeof line, "usage: flyball %s", names[i]);
    assert_says(line);
  }
}

// ---------------------------------------------------------------------------------------------- new, check, run

// What is refused is left as it was, and what is written runs as the message says.
static void test_new(void **state) {
  assert_int_equal(shell("mkdir sub; $F new sub/mine.yaml && cp sub/mine.yaml copy && ! $F new sub/mine 2>/dev/null && "
                         "cmp sub/mine.yaml copy && ! test -e sub/mine.yaml.yaml"),
                   0);
  assert_says("sub/mine.yaml is written. Next:\n  flyball run sub/mine.yaml\n  flyball plot mine angle height\n");
  assert_int_equal(run("run sub/mine.yaml"), 0);
  assert_says("mine: 1 body, 6 coordinates, 5 constraint rows");
  assert_says("501 rows in mine.h5\n");
  assert_int_equal(run("plot mine angle height"), 0);
  assert_int_equal(run("new 'two words'"), 0);
  assert_int_equal(run("check 'two words.yaml'"), 0);
  assert_says("two words: 1 body");
}

static void test_check(void **state) {
  assert_int_equal(run("check swing.yaml --set length=1"), 0);
  assert_says("swing: 1 body, 6 coordinates, 5 constraint rows");
  assert_says("degrees of freedom   1 by count, 1 by rank");
  assert_silent_about("redundant");
  assert_int_equal(run("check $E/bricard.yaml"), 0);
  assert_says("degrees of freedom   0 by count, 1 by rank");
  assert_says("1 of 30 rows (rank 29)");
  assert_int_equal(shell("ls bricard* 2>/dev/null"), 2); // it only looks
}

// Two hinges: five rows too many, each named.
static void test_redundancy(void **state) {
  assert_int_equal(run("check door.yaml"), 0);
  assert_says("degrees of freedom   -4 by count, 1 by rank");
  assert_says("5 of 10 rows (rank 5), taken out; the reactions of these sets are not unique:");
  assert_says("`high, z` follows from `low, z`");
  assert_int_equal(run("run door.yaml --end 0.1"), 0);
  assert_says("redundant");
}

static void test_run(void **state) {
  assert_int_equal(run("run swing.yaml --out again --csv --stats"), 0);
  static const char *const said[] = {"Certificate",           "done as asked",  "5 s of 5 s",
                                     "1.0e-04 was asked for", "|G v + g_t| <=", "Energy ledger [J]",
                                     "Newton iterations",     "step sizes",     "501 rows in again.h5 and again.csv"};
  for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
    assert_says(said[i]);
  assert_int_equal(shell("cmp swing.csv again.csv"), 0); // the same run gives the same bits
}

// Options win over the file; a parameter may be given as an expression.
static void test_run_options(void **state) {
  assert_int_equal(
      run("run swing.yaml --json --out o --end 1 --error 1e-3 --output 0.1 --set start=0*deg --set mass=2"), 0);
  assert_says("\"status\": \"ok\"");
  assert_true(json_number("t") == 1.0);
  assert_true(strstr(output, "\"results\"") != NULL);
  assert_says("\"rows\": 11,\n    \"channels\"");
  assert_true(json_number("estimate") <= 1e-3);
  assert_int_equal(run("run swing.yaml --json --out o --end 1 --step 0.01 --method hht --formulation index3"), 0);
  assert_true(json_number("steps") == 100.0);
}

static const char falling[] = "flyball: 1\n"
                              "gravity: [0, -9.81, 0]\n"
                              "bodies: {a: {type: planar, mass: 1, inertia: 0.1, position: [1, 0]}}\n"
                              "joints: {p: {type: revolute, bodies: [ground, a], at: [0, 0, 0]}}\n"
                              "simulate:\n"
                              "  end: 0.5\n"
                              "  %s\n";

static void write_falling(const char *setting) {
  char text[600];
  snprintf(text, sizeof text, falling, setting);
  write_file("falling.yaml", text);
}

// The certificate names the method, and who named it.
static void test_named_method(void **state) {
  write_falling("method: radau");
  assert_int_equal(run("run falling.yaml"), 0);
  assert_says("\n  method                    radau (falling.yaml:7)\n");
  assert_int_equal(run("run falling.yaml --method ch"), 0);
  assert_says("\n  method                    ch (the command line)\n");
  assert_int_equal(run("run falling.yaml --method auto"), 0);
  assert_silent_about("\n  method  ");
  write_falling("rho: 0.5");
  assert_int_equal(run("run falling.yaml"), 0);
  assert_says("\n  method                    ch: `rho` was given (falling.yaml:7), which auto does not have\n");
  assert_int_equal(run("run falling.yaml --rho 0.7"), 0);
  assert_says("\n  method                    ch: `rho` was given (the command line), which auto does not have\n");
  assert_int_equal(run("run falling.yaml --method radau"), 2);
  assert_says("flyball: falling.yaml:7:8: method radau does not take rho;");
  assert_says("The model gives rho; the method was named by the caller.");
}

// What was estimated is not said to be not estimated.
static void test_reservations(void **state) {
  write_falling("output: 0.1");
  assert_int_equal(run("run falling.yaml --error 1"), 0);
  assert_says("\nError controlled and estimated, with reservations\n  The error of the run is about ");
  assert_says("Ask for a smaller error.");
  assert_int_equal(run("run falling.yaml --estimate-error no"), 0);
  assert_says("\nError controlled, not estimated\n");
}

// A failure half-way: exit status 1, the reason, and results that can be read up to there.
static void test_run_fails(void **state) {
  assert_int_equal(run("run lock.yaml --csv"), 1);
  assert_says("not as asked");
  assert_says("The mechanism is in a singular position");
  assert_int_equal(run("info lock.h5"), 0);
  assert_says("lock.h5: HDF5, 500 rows, time 0 s to 0.499 s");
  assert_int_equal(run("info lock.csv"), 0);
  assert_says("lock.csv: CSV, 500 rows, time 0 s to 0.499 s");
}

// Files that may not grow beyond 4.5 MB, as on a full disk: a message, and both results up to there.
static void test_run_disk_full(void **state) {
  assert_int_equal(shell("trap '' XFSZ; ulimit -f 9000; $F run swing.yaml --out full --csv --output 1e-4 2>&1"), 1);
  assert_says("not as asked: file not written");
  assert_says(": cannot be written: File too large. What was written before is kept; make room");
  assert_int_equal(run("info full.h5"), 0);
  assert_says("rows, time 0 s to ");
  assert_int_equal(run("info full.csv"), 0);
  assert_says("rows, time 0 s to ");
}

// Ctrl-C: exit status 130, and results up to there. In the foreground timeout sends one signal; else it sends a second
// one to its group, and a second Ctrl-C ends the program at once.
static void test_run_interrupted(void **state) {
  assert_int_equal(
      shell("timeout --foreground --preserve-status -s INT 1 $F run swing.yaml --out cut-off --end 1e5 --step 1e-4 "
            "--output 0.01 2>&1"),
      130);
  assert_says("flyball: Interrupted at t = ");
  assert_int_equal(run("info cut-off"), 0);
  assert_says("HDF5, ");
  assert_silent_about(", 0 rows");
}

// Stopped before its first row: nothing is kept, and an earlier result of the name is not called empty.
static void test_stopped_before_the_first_row(void **state) {
  assert_int_equal(run("run swing.yaml --out twice"), 0);
  assert_int_equal(run("run swing.yaml --out twice --error 1e-9 --max-time 1e-9"), 1);
  assert_says("there are no results yet");
  assert_silent_about("0 rows in twice.h5");
  assert_says("no rows: the earlier result twice.h5 is as it was, and twice.part.h5 tells how this run ended");
  assert_int_equal(run("info twice"), 0);
  assert_says("501 rows");
}

// What ends is not blamed on a motion that could not be followed any more.
static void test_given_motions_are_stopped(void **state) {
  write_file("given.yaml", "flyball: 1\nbodies: {a: {type: planar, mass: 1, inertia: 0.1}}\n"
                           "joints: {p: {type: revolute, bodies: [ground, a], at: [0, 0, 0]}}\n"
                           "motions: {m: {joint: p, angle: sin(time)}}\n"
                           "simulate: {end: 1000, output: 1e-3, max_time: 1e-3}\n");
  for (int k = 0; k < 2; k++) {
    assert_int_equal(run(k ? "inverse given.yaml" : "kinematics given.yaml"), 1);
    assert_says("the run has taken the 0.001 s of max_time");
  }
}

// While the model is still being read: a sentence, the same status, and nothing is left.
static void test_interrupted_before_the_run(void **state) {
  assert_int_equal(shell("sleep 4 | timeout --foreground --preserve-status -s TERM 2 $F run - --out never 2>&1"), 143);
  assert_says("flyball: stopped by SIGTERM before the run began: nothing was written, and an earlier result is as it");
  assert_int_equal(shell("sleep 4 | timeout --foreground --preserve-status -s INT 2 $F check - 2>&1"), 130);
  assert_says("flyball: stopped by Ctrl-C (SIGINT).\n");
  assert_int_equal(shell("ls never* 2>/dev/null"), 2);
}

// ---------------------------------------------------------------------------------------------- info, plot

static void test_info(void **state) {
  assert_int_equal(run("info swing"), 0);
  assert_says("swing.h5: HDF5, 501 rows, time 0 s to 5 s\n");
  assert_says("\n32 channels\n");
  assert_says("  bar.vx           m/s       velocity of the mass centre, along x of space\n");
  assert_says("  pin.tz           N m       torque on the second body, about its marker, along z of the first\n");
  assert_says("  angle                      az(bar, ground)/deg\n");
  assert_says("  height           m         dy(bar.tip, ground)\n");
  assert_int_equal(run("info swing.csv"), 0);
  assert_says("swing.csv: CSV, 501 rows, time 0 s to 5 s\n");
  assert_says("  bar.vx           m/s\n");
  assert_int_equal(run("info empty.csv"), 0);
  assert_says("empty.csv: CSV, 0 rows\n");
  assert_int_equal(run("info cut.csv"), 0);
  assert_says("cut.csv: CSV, 2 rows, time 0 s to 1 s; the last line is not complete and is left out\n");
}

// Attachments lie beside a CSV file, in a list.
static void test_info_attachments(void **state) {
  write_file("with.csv", "time [s],x [m]\n0,1\n");
  write_file("with.yaml", "a model, no attachment\n");
  assert_int_equal(run("info with.csv"), 0);
  assert_silent_about("attachments");
  write_file("with.notes", "abc");
  write_file("with.attachments", "notes\n");
  assert_int_equal(run("info with.csv"), 0);
  assert_says("\nattachments\n  notes  3 bytes\n");
  assert_silent_about("yaml");
}

// ---------------------------------------------------------------------------------------------- the record

// The object that Python sees under `record` in both formats: EXPRESSION over r must be true.
static void assert_record(const char *result, const char *expression) {
  char line[1500];
  for (int f = 0; f < 2; f++) {
    snprintf(
        line, sizeof line,
        "$F info %s.%s --json | python3 -c \"import json, sys; r = json.load(sys.stdin)['record']; print(json.dumps("
        "r)); sys.exit(not (%s))\"",
        result, f ? "csv" : "h5", expression);
    if (shell(line) != 0)
      fail_msg("%s.%s: the record does not fulfil %s:\n%.3000s", result, f ? "csv" : "h5", expression, output);
  }
}

// As many outputs as rows; what has no count shows none; the sum of all.
static void test_profile(void **state) {
  write_falling("output: 0.1");
  assert_int_equal(run("run falling.yaml --profile"), 0);
  assert_int_equal(
      shell(
          "$F run falling.yaml --profile | grep -cE '^  (output .* 6 times|(control|files) .* -|total +[0-9.e-]+ s)$'"),
      0);
  assert_says("4\n");
  assert_int_equal(run("run falling.yaml --profile --csv --out falling"), 0);
  assert_record("falling",
                "r['profile']['entries']['control'] is None and r['profile']['entries']['files'] is None and "
                "r['profile']['entries']['output'] == 6 and r['profile']['seconds']['files'] >= 0");
}

// What was asked, by file and by options; what came out; and the hash of the rows.
static void test_record(void **state) {
  write_file("half.yaml", "parameters: {k: 200}\nbodies:\n  bob: {type: point, mass: 2, position: [0, 0, 1]}\n");
  write_file("whole.yaml", "flyball: 1\nname: whole\ninclude: half.yaml\nforces:\n"
                           "  s: {type: spring, from: ground, to: bob, stiffness: k, free_length: 0.9}\n");
  assert_int_equal(run("run whole.yaml --end 1 --step 0.01 --method hht --rho 0.8 --csv --set k=2*150"), 0);
  assert_record("whole", "r['record'] == 1 and r['program'].startswith('flyball ') and r['status'] == 'ok' and "
                         "r['message'] is None and r['t'] == 1");
  assert_record("whole", "[f['path'] for f in r['model']['files']] == ['whole.yaml', 'half.yaml'] and "
                         "r['model']['files'][1]['text'] == open('half.yaml').read()");
  assert_record("whole", "r['model']['set'] == ['k=2*150'] and r['model']['parameters'] == {'k': 300}");
  assert_record("whole",
                "r['options']['method']['name'] == 'hht' and abs(r['options']['method']['alpha_f'] - 1/9) < "
                "1e-12 and r['options']['formulation'] == 'ggl' and r['options']['step'] == 0.01 and "
                "r['options']['error'] is None and r['options']['end'] == 1 and r['options']['output'] == 1e-3");
  assert_record("whole", "r['stats']['steps'] == 100 and r['results']['rows'] == 1001 and "
                         "r['system']['degrees_of_freedom'] == 3 and r['wall_s'] > 0");
  assert_int_equal(run("info whole --check"), 0);
  assert_says("the rows are those of the record: hash ");
  assert_int_equal(shell("sed -i '7s/[1-8],/9,/' whole.csv; $F info whole.csv --check 2>&1"), 1);
  assert_says("whole.csv: the rows are not those of the record");
  assert_int_equal(run("info cut.csv --check"), 1);
  assert_says("there is no record of a run");
}

static void test_record_of_failures(void **state) {
  run("run lock.yaml --csv");
  assert_record("lock",
                "r['status'] == 'step too small' and 'singular position' in r['message'] and 0.49 < r['t'] < 0.51 and "
                "r['results']['rows'] == 500");
  run("run open.yaml --csv");
  assert_record("open", "r['status'] == 'inconsistent start' and 'contradicts' in r['message'] and "
                        "r['results']['rows'] == 0");
  run("run door.yaml --csv --end 0.1");
  assert_record("door", "r['system']['redundant'] == 5 and len(r['redundancy']) == 5 and 'low, z' in "
                        "' '.join(r['redundancy']) and 'not unique' in r['warnings'][0]");
  run("info door");
  assert_says("\nrecord of the run\n");
  assert_says("    degrees_of_freedom    1\n");
  // killed without warning: what was asked stands there, and that it did not end
  shell("$F run swing.yaml --out killed --csv --end 1e5 --step 1e-4 >/dev/null 2>&1 & p=$!; for i in $(seq 200); do "
        "$F info killed.part.h5 2>&1 | grep -q 'status *running' && break; sleep 0.05; done; kill -9 $p");
  assert_record("killed.part",
                "r['status'] == 'running' and r['options']['end'] == 1e5 and r['results']['hash'] is None");
}

static void test_plot(void **state) {
  assert_int_equal(run("plot swing angle bar.vx"), 0);
  assert_says("angle\n");
  assert_says("bar.vx [m/s]\n");
  assert_says("***");
  assert_says("         -30 +");
  assert_says("0 s ");
  assert_says("5 s\n");
  assert_int_equal(run("plot swing.csv angle --from 1 --to=2"), 0);
  assert_says("1 s ");
  assert_says("2 s\n");
  assert_int_equal(run("plot cut.csv x time"), 0);
  assert_says("x [m]\n");
  assert_says("time [s]\n");
  assert_int_equal(run("plot cut.csv x --from 1"), 0); // one point
  assert_int_equal(shell("LC_ALL=C.UTF-8 $F plot swing angle"), 0);
  assert_says("\xe2\xa0"); // braille
}

// ---------------------------------------------------------------------------------------------- the language

static void test_explain(void **state) {
  assert_int_equal(run("explain"), 0);
  static const char *const said[] = {"bodies:", "  revolute ", "  spring ", "functions:", "measures:"};
  for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
    assert_says(said[i]);
  assert_int_equal(run("explain revolute"), 0);
  assert_says("turns about one axis");
  assert_says("pin: {type: revolute");
  assert_int_equal(run("explain planar"), 0); // two of that name
  assert_says("planar body");
  assert_says("planar joint");
}

static void test_schema(void **state) {
  assert_int_equal(run("schema"), 0);
  assert_int_equal(output[0], '{');
  assert_says("\"$schema\"");
  assert_says("\"revolute\"");
  assert_int_equal(run("schema --manual"), 0);
  assert_says("# The model language");
  assert_says("### revolute");
}

// The first model of the tutorial, as printed.
static void the_first_model_of_the_tutorial(void **state) {
  static char manual[200000];
  FILE *file = fopen(FLY_TEST_SOURCE_DIR "/docs/tutorial.md", "r");
  assert_non_null(file);
  manual[fread(manual, 1, sizeof manual - 1, file)] = 0;
  fclose(file);
  char *begin = strstr(manual, "```yaml\n");
  assert_non_null(begin);
  begin += strlen("```yaml\n");
  char *end = strstr(begin, "```");
  assert_non_null(end);
  *end = 0;
  write_file("first.yaml", begin);
  assert_int_equal(run("check first.yaml"), 0);
  assert_says("1 by rank");
  assert_int_equal(run("run first.yaml"), 0);
  assert_says("done as asked");
  assert_says("501 rows in first.h5\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_model_of_the_tutorial),
      cmocka_unit_test(test_bad_lines),
      cmocka_unit_test(test_help),
      cmocka_unit_test(test_new),
      cmocka_unit_test(test_check),
      cmocka_unit_test(test_redundancy),
      cmocka_unit_test(test_run),
      cmocka_unit_test(test_run_options),
      cmocka_unit_test(test_named_method),
      cmocka_unit_test(test_reservations),
      cmocka_unit_test(test_profile),
      cmocka_unit_test(test_run_fails),
      cmocka_unit_test(test_info),
      cmocka_unit_test(test_info_attachments),
      cmocka_unit_test(test_record),
      cmocka_unit_test(test_record_of_failures),
      cmocka_unit_test(test_run_disk_full),
      cmocka_unit_test(test_plot),
      cmocka_unit_test(test_run_interrupted),
      cmocka_unit_test(test_stopped_before_the_first_row),
      cmocka_unit_test(test_given_motions_are_stopped),
      cmocka_unit_test(test_interrupted_before_the_run),
      cmocka_unit_test(test_explain),
      cmocka_unit_test(test_schema),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
