// Runs that would never end: said with force, line and column, and ended; those that are only long are left alone; what
// no machine can do is refused; a run can be stopped anywhere.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "analysis/grind.h"
#include "simulation.h"
#include "system/machine.h"

// A block on a guide with a force along it; the force stands in line 6, its expression in column 42.
static const char *block(double x, double v, const char *force, const char *simulate) {
  static char text[1000];
  snprintf(text, sizeof text,
           "flyball: 1\n"
           "gravity: [0, 0, -9.81]\n"
           "bodies: {block: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [%g, 0, 0], velocity: [%g, 0, 0]}}\n"
           "joints: {guide: {type: translational, bodies: [ground, block], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
           "forces:\n"
           "  law: {type: force, at: block, force: [\"%s\", 0, 0]}\n"
           "simulate: {%s}\n",
           x, v, force, simulate);
  return text;
}

// ------------------------------------------------------------------------------------------ what grinds

static int notices;
static char noticed[1000];

static void notice(const char *sentence, void *user) {
  notices++;
  snprintf(noticed, sizeof noticed, "%s", sentence);
}

static const char FRICTION[] = "-0.3*fm(guide)*sign(vx(block))";
static const char RELAY[] = "-10*dx(block) - if(vx(block) > 0, 2, -2)";

// Tries a run took.
static long tries(const simulation *s) {
  fly_stats stats = fly_run_stats(s->run);
  return stats.steps + stats.rejected_error + stats.rejected_newton;
}

static void ends_with(const char *method, double x, double v, const char *force, const char *where) {
  simulation s = simulation_default(NAN, NAN);
  s.options.method.name = method;
  s.options.notice = notice;
  notices = 0;
  simulate_text(&s, block(x, v, force, "end: 5"));
  assert_true(s.status == FLY_NO_PROGRESS || s.status == FLY_STEP_TOO_SMALL);
  assert_says(&s.error, "force `law`");
  assert_says(&s.error, where);
  assert_says(&s.error, "tanh(v/0.001)");
  assert_says(&s.error, "`friction` of a joint");
  assert_true(tries(&s) < 40000);
  assert_true(fly_promise_tell(fly_run_promise(s.run)).steps < 200000); // nor do its pilots crawl
  if (s.status == FLY_NO_PROGRESS) {
    assert_int_equal(notices, 1);
    assert_non_null(strstr(noticed, where));
    assert_says(&s.error, "tries left");
    assert_string_equal(fly_run_notes(s.run) + strlen(fly_run_notes(s.run)) - 10,
                        noticed + strlen(noticed) - 10); // the record has it
  }
  simulation_free(&s);
}

static void dry_friction_is_named(void **state) {
  ends_with("ch", 0, 1, FRICTION, ":6:57) jumps from ");
  ends_with("partition", 0, 1, FRICTION, ":6:57) jumps from ");
  ends_with("radau", 0.1, 0, RELAY, ":6:71) jumps from ");
  ends_with("partition", 0.1, 0, RELAY, ":6:71) jumps from ");
}

// As loose as may be: nearly no step fails, and it crawls all the same.
static void loose_runs_are_told(void **state) {
  simulation s = simulation_default(NAN, NAN);
  s.options.error = 1;
  s.options.notice = notice;
  notices = 0;
  simulate_text(&s, block(0, 1, FRICTION, "end: 5, calibrate: no"));
  assert_int_equal(notices, 1);
  assert_non_null(strstr(noticed, "force `law`"));
  assert_non_null(strstr(noticed, ":6:57) jumps from "));
  simulation_free(&s);
}

// A hundred thousand known times a second: said with the place.
static void crowds_of_times_are_told(void **state) {
  simulation s = simulation_default(NAN, NAN);
  s.options.notice = notice;
  s.options.max_steps = 6000;
  notices = 0;
  simulate_text(&s, block(0, 0, "1e-6*floor(1e5*time)", "end: 50, calibrate: no"));
  assert_int_equal(s.status, FLY_TOO_MANY_STEPS);
  assert_int_equal(notices, 1);
  assert_non_null(strstr(noticed, "1e+05 known times a second"));
  assert_non_null(strstr(noticed, "force `law`"));
  assert_non_null(strstr(noticed, "where `floor` switches"));
  simulation_free(&s);
}

// Events, samples and delays a billionth of a second apart, for ever: said with the place, and ended after some
// windows; by fixed steps too.
static void crowds_of_events_end(void **state) {
  static const char delayed[] = "blocks:\n\n  tick: {type: delay, input: dx(a), time: 1e-9}\nvariables: {y: tick.y}\n"
                                "forces: {f: {type: force, at: a, force: [-y, 0, 0]}}\n";
  static const char *const more[] = {
      "held: {n: 0, next: 0}\nevents:\n  tick: {when: \"time + 0*dx(a) - next\", set: {next: time + 1e-9}}\n",
      "states: {c: {rate: 1 + 0*dx(a)}}\nevents:\n  tick: {when: c > 1e-9, set: {c: 0}}\n",
      "held: {n: 0}\nevents:\n  tick: {every: 1e-9, set: {n: n + 1}}\n", delayed};
  static const char *const says[] = {"events come every 1e-09 s", "`tick` has happened 5000 times",
                                     "`tick` happens every 1e-09 s", "`tick` delays by 1e-09 s"};
  for (int k = 0; k < 8; k++) {
    simulation s = simulation_default(NAN, NAN);
    char text[1000];
    snprintf(text, sizeof text, "flyball: 1\nbodies: {a: {type: point, mass: 1}}\n%ssimulate: {end: 1, %s}\n",
             more[k % 4], k < 4 ? "error: 1e-5" : "step: 0.01");
    simulate_text(&s, text);
    assert_int_equal(s.status, FLY_NO_PROGRESS);
    assert_says(&s.error, says[k % 4]);
    assert_says(&s.error, ":5:3: `tick`");
    assert_true(tries(&s) <= 20000);
    simulation_free(&s);
  }
}

static void spring_laws_are_named_too(void **state) {
  simulation s = simulation_default(NAN, NAN);
  simulate_text(&s, "flyball: 1\n"
                    "bodies: {ball: {type: point, mass: 1, position: [1, 0, 0]}}\n"
                    "forces:\n"
                    "  damper:\n"
                    "    type: spring\n"
                    "    from: ground\n"
                    "    to: ball\n"
                    "    force: -20*(length - 0.9) - if(rate > 0, 5, -5)\n"
                    "simulate: {end: 5}\n");
  assert_true(s.status == FLY_NO_PROGRESS || s.status == FLY_STEP_TOO_SMALL);
  assert_says(&s.error, "`damper`");
  assert_says(&s.error, ":8:41)");
  simulation_free(&s);
}

// Where what changes fastest is the spring along the surface of a contact, which has no line of its own.
static void states_of_contacts_are_named(void **state) {
  simulation s = simulation_default(NAN, NAN);
  s.options.method.name = "ch";
  s.options.error = 1e-7;
  s.options.notice = notice;
  notices = 0;
  simulate_text(&s, "flyball: 1\n"
                    "gravity: [0, 0, -9.81]\n"
                    "bodies:\n"
                    "  ground: {shapes: [{type: plane, width: 4}]}\n"
                    "  ball: {position: [0, 0, 0.11], velocity: [3.5, 0, 0], shapes: [{type: sphere, radius: 0.11, "
                    "density: 1200}]}\n"
                    "contacts:\n"
                    "  floor: {bodies: [ground, ball], law: hertz, young: [10*GPa, 3*GPa], restitution: 0.6, "
                    "friction: {mu: 0.3}}\n"
                    "simulate: {end: 1}\n");
  assert_int_equal(notices, 1);
  assert_non_null(strstr(noticed, "a state of `floor` changes fastest"));
  simulation_free(&s);
}

static void growth_is_named(void **state) {
  static const char *const methods[] = {"ch", "radau", "partition"};
  for (int k = 0; k < 3; k++) {
    simulation s = simulation_default(NAN, NAN);
    s.options.method.name = methods[k];
    simulate_text(&s, block(0.1, 0, "100*dx(block) + dx(block)^3", "end: 5"));
    assert_true(s.status == FLY_NO_PROGRESS || s.status == FLY_STEP_TOO_SMALL);
    assert_says(&s.error, "No force jumps");
    assert_says(&s.error, "`block` moves fastest");
    assert_says(&s.error, "ever faster");
    assert_null(strstr(s.error.message, "may jump"));
    simulation_free(&s);
  }
}

// What the manual writes, and what the message advises, works: the block stops after v^2/(2 mu g).
static void smooth_friction_stops_a_block(void **state) {
  static const char *const laws[] = {"-0.3*fm(guide)*tanh(vx(block)/0.001)",
                                     "-0.3*fm(guide)*step(vx(block), -0.001, -1, 0.001, 1)"};
  for (int k = 0; k < 2; k++) {
    simulation s = simulation_default(NAN, NAN);
    fly_result *r = simulate_into_folder(&s, block(0, 1, laws[k], "end: 1"));
    double *x = read_channel(r, "block.x");
    assert_true(fabs(x[1000] - 1 / (2 * 0.3 * 9.81)) < 1e-3);
    assert_true(tries(&s) < 20000);
    assert_string_equal(fly_run_notes(s.run), "");
    free(x);
    fly_result_close(r);
    simulation_free(&s);
  }
}

// ------------------------------------------------------------------------------------------ what is only long

// Windows of 5000 tries, a share of them rejected, at a pace that leaves so many. They end where it is hopeless.
static int windows(fly_grind *g, fly_grind_view *v, int count, double left, double rejected) {
  fly_error error = {0};
  for (int k = 0; k < count; k++) {
    v->at.t += 5000 / left * (v->end - v->at.t);
    v->stats.steps += (long)(5000 * (1 - rejected));
    v->stats.rejected_error += 5000 - (long)(5000 * (1 - rejected));
    if (fly_grind_note(g, v, &error))
      return k + 1;
  }
  return 0;
}

static fly_system none;
static double zeros[100];
static const fly_model empty = {0};

static fly_grind_view begin(fly_grind *g) {
  *g = (fly_grind){0};
  none = (fly_system){.model = &empty};
  return (fly_grind_view){.system = &none, .end = 1000, .at = {.q = zeros, .v = zeros, .vdot = zeros}};
}

static void long_runs_are_left_alone(void **state) {
  fly_grind g;
  fly_grind_view v = begin(&g);
  assert_int_equal(windows(&g, &v, 200, 5e8, 0.02), 0); // a million steps, and half a billion to go
  assert_int_equal(windows(&g, &v, 200, 5e8, 0.5), 0);  // half of them fail, but no force jumps
  assert_string_equal(g.sentence, "");
  assert_int_equal(windows(&g, &v, 200, 5e10, 0.02), 0); // worth a word
  assert_non_null(strstr(g.sentence, "tries left"));
  assert_int_equal(windows(&g, &v, 19, 1e12, 0.1), 0); // an impact
  assert_int_equal(windows(&g, &v, 1, 1e5, 0.1), 0);
  assert_int_equal(windows(&g, &v, 19, 1e12, 0.1), 0); // the next
  v = begin(&g);
  for (double left = 1e4; left < 9e6; left *= 1.3) // it becomes stiffer
    assert_int_equal(windows(&g, &v, 1, left, 0.1), 0);
}

static void hopeless_paces_end(void **state) {
  fly_grind g;
  fly_grind_view v = begin(&g);
  assert_int_equal(windows(&g, &v, 100, 1e12, 0.0), 20);
  v = begin(&g);
  v.limited = true; // the user's own limit
  assert_int_equal(windows(&g, &v, 100, 1e12, 0.0), 0);
  v = begin(&g);
  int ended = 0;
  v.speed = 1;
  for (double left = 1e4; left < 1e9 && !ended; left *= 1.3, v.speed *= 1.3)
    ended = windows(&g, &v, 1, left, 0.0);
  assert_true(ended);
}

// A body that tumbles out of a steady turn: ever smaller steps for a while, at the same speed.
static void a_tumble_is_no_growth(void **state) {
  fly_grind g;
  fly_grind_view v = begin(&g);
  v.speed = 1000;
  for (double left = 1e4; left < 1e9; left *= 1.3)
    assert_int_equal(windows(&g, &v, 1, left, 0.0), 0);
}

// The same where time stands still.
static void no_advance_ends(void **state) {
  fly_grind g;
  fly_grind_view v = begin(&g);
  assert_int_equal(windows(&g, &v, 100, INFINITY, 0.5), 20);
}

// A point at rest on a force that jumps there, a million tries left: said at once where steps fail or a pilot crawls;
// of a run without failures the first window may have ended there by chance, the second tells.
static int windows_until_told(bool pilot, double rejected) {
  static const double push[3] = {-1, 0, 0};
  machine *m = machine_text("flyball: 1\nbodies: {a: {type: point, mass: 1}}\n"
                            "forces: {law: {type: force, at: a, force: [-sign(vx(a)), 0, 0]}}\n");
  fly_grind g;
  fly_grind_view v = begin(&g);
  int count = 0;
  machine_all_rows(m);
  v.system = &m->system;
  v.pilot = pilot;
  v.at.vdot = push; // back through the jump
  v.at.lambda = v.at.x = v.at.xdot = v.at.y = zeros;
  for (; count < 3 && !g.sentence[0]; count++)
    assert_int_equal(windows(&g, &v, 1, 1e6, rejected), 0);
  assert_non_null(strstr(g.sentence, "force `law`"));
  machine_free(m);
  return count;
}

static void crawling_beside_a_jump_is_told(void **state) {
  assert_int_equal(windows_until_told(true, 0.0), 1);
  assert_int_equal(windows_until_told(false, 0.5), 1);
  assert_int_equal(windows_until_told(false, 0.02), 2);
}

// ------------------------------------------------------------------------------------------ limits

static void refused(const char *simulate, const char *what) {
  simulation s = simulation_default(NAN, NAN);
  char out[100];
  snprintf(out, sizeof out, "%s/none", folder);
  s.options.out = out;
  s.options.csv = s.options.hdf5 = true;
  simulate_text(&s, block(0, 1, "0", simulate));
  assert_int_equal(s.status, FLY_BAD_INPUT);
  assert_says(&s.error, what);
  assert_says(&s.error, ":7:"); // the line
  simulation_free(&s);
  strcat(out, ".csv");
  assert_int_equal(access(out, F_OK), -1);
}

static void absurd_requests_are_refused(void **state) {
  refused("end: 1, output: 1e-300", "1e+300 rows");
  refused("end: 1e10, output: 1", "1e+10 rows");
  refused("end: 1, step: 1e-300", "1e+300 steps");
  refused("end: 1, step: 1e-13", "1e+13 steps");
  refused("end: 1, error: 1e-14", "double precision");
  refused("end: 1, output: 1e-9, channels: all", "GB are free");
}

// What the caller asks for is not blamed on the file, though it says something of the same key.
static void refused_of_caller(double *field, simulation *s, double value, const char *what) {
  *field = value;
  simulate_text(s, block(0, 1, "0", "end: 1, error: 1e-5, output: 0.1"));
  assert_int_equal(s->status, FLY_BAD_INPUT);
  assert_says(&s->error, what);
  assert_null(strstr(s->error.message, ":7:"));
  assert_int_equal(s->error.line, 0);
  simulation_free(s);
}

static void the_caller_is_told_apart_from_the_file(void **state) {
  simulation s = simulation_default(NAN, NAN);
  refused_of_caller(&s.options.error, &s, 1e-30, "--error: 1e-30 is less than double precision can keep");
  s = simulation_default(NAN, NAN);
  refused_of_caller(&s.options.error, &s, 1e-30, "Ask for an error between that and 1");
  s = simulation_default(NAN, NAN);
  refused_of_caller(&s.options.output, &s, 1e-300, "--output: every 1e-300 s");
  s = simulation_default(NAN, NAN);
  refused_of_caller(&s.options.end, &s, 1e300, "rows of results"); // the file's interval is no fault then
}

static void limits_must_make_sense(void **state) {
  static const char *const list[][2] = {{"end: 1, max_steps: 0.5", "max_steps"}, {"end: 1, max_time: -1", "max_time"}};
  for (int k = 0; k < 2; k++) {
    simulation s = simulation_default(NAN, NAN);
    simulate_text(&s, block(0, 1, "0", list[k][0]));
    assert_int_equal(s.status, FLY_BAD_INPUT);
    assert_says(&s.error, list[k][1]);
    simulation_free(&s);
  }
}

static void steps_are_limited(void **state) {
  simulation s = simulation_default(NAN, NAN);
  simulate_text(&s, block(0, 1, FRICTION, "end: 1, max_steps: 500"));
  assert_int_equal(s.status, FLY_TOO_MANY_STEPS);
  assert_true(tries(&s) >= 500 && tries(&s) < 520);
  assert_says(&s.error, "500 steps");
  assert_says(&s.error, "force `law`");
  assert_true(fly_run_rows(s.run) > 300); // what was reached is there
  simulation_free(&s);
}

static void the_clock_is_limited(void **state) {
  simulation s = simulation_default(NAN, NAN);
  simulate_text(&s, block(0, 1, FRICTION, "end: 1, max_time: 1e-9"));
  assert_int_equal(s.status, FLY_STOPPED);
  assert_says(&s.error, "max_time");
  simulation_free(&s);
}

// ------------------------------------------------------------------------------------------ stopping

typedef struct patience {
  long asked, most;
} patience;

static bool stop(void *user) {
  patience *p = user;
  return ++p->asked > p->most;
}

// Wherever it is asked, in the start, in a step or between rows, it ends soon after, and says so.
static void a_run_stops_wherever_it_is(void **state) {
  for (long most = 0; most < 400; most += 1 + most / 8) {
    patience p = {.most = most};
    simulation s = simulation_default(NAN, NAN);
    s.options.stop = stop;
    s.options.user = &p;
    simulate_text(&s, block(0, 1, "-dx(block)", "end: 1, output: 0.2, error: 1e-8"));
    assert_int_equal(s.status, FLY_STOPPED);
    assert_says(&s.error, "Interrupted at t = ");
    assert_true(p.asked < most + 20);
    simulation_free(&s);
  }
}

// One step over many rows.
static void a_run_stops_between_rows(void **state) {
  patience p = {.most = 5000};
  simulation s = simulation_default(NAN, NAN);
  s.options.stop = stop;
  s.options.user = &p;
  simulate_text(&s, block(0, 1, "0", "end: 1, output: 1e-6"));
  assert_int_equal(s.status, FLY_STOPPED);
  assert_true(fly_run_rows(s.run) > 0 && fly_run_rows(s.run) <= 5000);
  simulation_free(&s);
}

// A pendulum let go for a long time and a small error: 10^9 steps. It falls, and steps become smaller; that is all.
static void falling_is_no_growth(void **state) {
  patience p = {.most = 800000};
  simulation s = simulation_default(NAN, NAN);
  s.options.calibrate = s.options.estimate_error = "no"; // the run itself, without pilots
  s.options.stop = stop;
  s.options.user = &p;
  simulate_text(&s, "flyball: 1\n"
                    "gravity: [0, -9.81, 0]\n"
                    "bodies: {bob: {type: point, mass: 1, position: [1, 0, 0]}}\n"
                    "joints: {rod: {type: distance, from: ground, to: bob}}\n"
                    "simulate: {end: 1000, method: ch, error: 1e-8, output: 100}\n");
  assert_int_equal(s.status, FLY_STOPPED);
  assert_true(tries(&s) > 100000);
  simulation_free(&s);
}

static void a_turn_is_called_a_turn(void **state) {
  simulation s = simulation_default(NAN, NAN);
  s.options.calibrate = s.options.estimate_error = "no";
  simulate_text(&s, "flyball: 1\n"
                    "bodies: {b: {mass: 0.2, inertia: [2e-4, 1e-4, 2.7e-4], angular_velocity: [10, 0.001, 0.002]}}\n"
                    "simulate: {end: 60, method: ch, error: 3e-8, output: 1, max_steps: 110000}\n");
  assert_int_equal(s.status, FLY_TOO_MANY_STEPS);
  assert_says(&s.error, "`b` turns fastest, at 10.6 rad/s: a stiff force");
  simulation_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dry_friction_is_named),
      cmocka_unit_test(spring_laws_are_named_too),
      cmocka_unit_test(states_of_contacts_are_named),
      cmocka_unit_test(loose_runs_are_told),
      cmocka_unit_test(crowds_of_times_are_told),
      cmocka_unit_test(crowds_of_events_end),
      cmocka_unit_test(growth_is_named),
      cmocka_unit_test(smooth_friction_stops_a_block),
      cmocka_unit_test(long_runs_are_left_alone),
      cmocka_unit_test(hopeless_paces_end),
      cmocka_unit_test(no_advance_ends),
      cmocka_unit_test(crawling_beside_a_jump_is_told),
      cmocka_unit_test(absurd_requests_are_refused),
      cmocka_unit_test(the_caller_is_told_apart_from_the_file),
      cmocka_unit_test(limits_must_make_sense),
      cmocka_unit_test(steps_are_limited),
      cmocka_unit_test(the_clock_is_limited),
      cmocka_unit_test(a_run_stops_wherever_it_is),
      cmocka_unit_test(a_run_stops_between_rows),
      cmocka_unit_test(falling_is_no_growth),
      cmocka_unit_test(a_tumble_is_no_growth),
      cmocka_unit_test(a_turn_is_called_a_turn),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
