// Dry friction behind blows: what stuck goes on sticking, what slid goes on sliding, and starts that friction looks
// into happen once. Against closed forms.
//
// labels: events
#include "analysis/runs.h"

static const char *const METHODS[] = {"ch", "radau", "partition", "auto"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };
static const double g = 9.81;

#define HEAD "flyball: 1\ngravity: [0, -9.81, 0]\n"
#define CART_THAT_BOUNCES "  a: {type: planar, mass: 1, inertia: 0.1, velocity: [1, 0]}\n"
#define GUIDE_WITH_LIMIT                                                                                               \
  "joints:\n  ga: {type: translational, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0, 0], "                         \
  "limits: {high: 0.5, restitution: 0.8}}\n"
#define GUIDE_THAT_RUBS                                                                                                \
  "  gb: {type: translational, bodies: [ground, b], at: [0, 0, 0], axis: [1, 0, 0], friction: {mu: 0.3}"

// The blow at t = 0.5 is another's: 1.5 N do not move what mu m g = 2.94 N hold.
static void what_sticks_goes_on_sticking(void **state) {
  static const char text[] =
      HEAD "bodies:\n" CART_THAT_BOUNCES "  b: {type: planar, mass: 1, inertia: 0.1}\n" GUIDE_WITH_LIMIT GUIDE_THAT_RUBS
           "}\nforces:\n  f: {type: force, at: b, force: [1.5, 0, 0]}\n";
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-6, 1, 0.1, "a.x b.x gb.friction");
    for (long i = 0; i < d.rows; i++) {
      const double *row = row_of(&d, i), t = row[0];
      assert_close(row[1], t < 0.5 ? t : 0.5 - 0.8 * (t - 0.5), 1e-6);
      assert_close(row[2], 0, 1e-12);
      assert_close(row[3], -1.5, 1e-6);
    }
    driven_free(&d);
  }
}

static void what_slides_goes_on_sliding(void **state) {
  static const char text[] =
      HEAD "bodies:\n" CART_THAT_BOUNCES
           "  b: {type: planar, mass: 1, inertia: 0.1, velocity: [5, 0]}\n" GUIDE_WITH_LIMIT GUIDE_THAT_RUBS "}\n";
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-6, 1, 0.1, "b.vx gb.friction");
    for (long i = 0; i < d.rows; i++) {
      assert_close(row_of(&d, i)[1], 5 - 0.3 * g * row_of(&d, i)[0], 1e-5);
      assert_close(row_of(&d, i)[2], -0.3 * g, 1e-5);
    }
    driven_free(&d);
  }
}

// Slowed down by mu g before and behind its own blow, until it rests.
static void what_rubs_bounces_off_its_own_limit(void **state) {
  static const char text[] =
      HEAD "bodies:\n  b: {type: planar, mass: 1, inertia: 0.1, velocity: [3, 0]}\njoints:\n" GUIDE_THAT_RUBS
           ", limits: {high: 0.5, restitution: 0.8}}\n";
  const double by = 0.3 * g, meets = (3 - sqrt(9 - 2 * by * 0.5)) / by, v = 0.8 * (3 - by * meets);
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-6, 1, 0.05, "b.x b.vx gb.friction");
    for (long i = 0; i < d.rows; i++) {
      const double *row = row_of(&d, i), t = row[0], since = fmin(t - meets, v / by);
      assert_close(row[1], t < meets ? t * (3 - by / 2 * t) : 0.5 - since * (v - by / 2 * since), 1e-5);
      assert_close(row[2], t < meets ? 3 - by * t : by * since - v, 1e-5);
      assert_close(row[3], t < meets ? -by : t < meets + v / by ? by : 0, 1e-5);
    }
    driven_free(&d);
  }
}

// A velocity that is set where the run begins, of a block that stood: it slides from there on.
static void what_is_struck_at_the_start_slides(void **state) {
  static const char text[] = HEAD "bodies:\n  b: {type: planar, mass: 1, inertia: 0.1}\njoints:\n" GUIDE_THAT_RUBS
                                  "}\nevents:\n  strike: {at: 0, velocity: {b.vx: 2}}\n";
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-6, 1, 0.1, "b.vx");
    for (long i = 1; i < d.rows; i++)
      assert_close(row_of(&d, i)[1], fmax(0, 2 - 0.3 * g * row_of(&d, i)[0]), 1e-5);
    driven_free(&d);
  }
}

// ---------------------------------------------------------------------------------------------- starts

// Pilots tell the run to begin again, with another tolerance: what happened at its start is undone.
static void events_of_the_start_happen_once(void **state) {
  static const char text[] =
      HEAD "bodies:\n  b: {type: planar, mass: 1, inertia: 0.1, velocity: [1, 0]}\njoints:\n" GUIDE_THAT_RUBS
           "}\nheld: {n: 0, k: 0}\nevents:\n  sample: {every: 0.1, set: {n: \"n + 1\"}}\n"
           "  once: {at: 0, set: {k: \"k + 1\"}}\n"
           "forces:\n  f: {type: force, at: b, force: [\"-20*dx(b) + 3*sin(4*time)\", 0, 0]}\n";
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-6, 0.95, 0.05, "n k");
    for (long i = 1; i < d.rows; i++) {
      assert_close(row_of(&d, i)[1], floor(row_of(&d, i)[0] / 0.1 + 1e-9) + 1, 1);
      assert_close(row_of(&d, i)[2], 1, 0);
    }
    assert_close(row_of(&d, d.rows - 1)[1], 10, 0);
    driven_free(&d);
  }
}

// What sticks there does so again, with a sample that switches on what pulls at it.
static void what_sticks_at_the_start_does_so_again(void **state) {
  static const char text[] = HEAD "bodies:\n  b: {type: planar, mass: 1, inertia: 0.1}\n  c: {type: planar, mass: 1, "
                                  "inertia: 0.1, velocity: [1, 0]}\n"
                                  "joints:\n" GUIDE_THAT_RUBS "}\n"
                                  "  gc: {type: translational, bodies: [ground, c], at: [0, 0, 0], axis: [1, 0, 0]}\n"
                                  "held: {pull: 0}\nevents:\n  sample: {every: 0.25, set: {pull: \"pull + 1\"}}\n"
                                  "forces:\n  f: {type: force, at: b, force: [pull, 0, 0]}\n"
                                  "  s: {type: force, at: c, force: [\"3*sin(4*time) - 20*dx(c)\", 0, 0]}\n";
  for (int k = 0; k < METHOD_COUNT; k++) {
    driven d = run_well(text, METHODS[k], 1e-6, 0.7, 0.1, "b.x gb.friction");
    for (long i = 1; i < d.rows; i++) {
      const double t = row_of(&d, i)[0], from = 0.5, past = fmax(0, t - from);
      assert_close(row_of(&d, i)[1], (3 - 0.3 * g) / 2 * past * past, 1e-6);
      if (fabs(t - from) > 1e-6)
        assert_close(row_of(&d, i)[2], t < 0.25 ? -1 : t < 0.5 ? -2 : -0.3 * g, 1e-6);
    }
    driven_free(&d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_sticks_goes_on_sticking),        cmocka_unit_test(what_slides_goes_on_sliding),
      cmocka_unit_test(what_rubs_bounces_off_its_own_limit), cmocka_unit_test(what_is_struck_at_the_start_slides),
      cmocka_unit_test(events_of_the_start_happen_once),     cmocka_unit_test(what_sticks_at_the_start_does_so_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
