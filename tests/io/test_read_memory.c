// Every allocation of the reader may fail: it says so, and leaks nothing.
// labels: valgrind
#include "base/allocations.h"
#include "base/check.h"

#include <string.h>

#include "io/read.h"

static const char model[] =
    "flyball: 1\n"
    "name: all there is\n"
    "parameters: {a: 2*b, b: 1}\n"
    "gravity: [0, 0, -a]\n"
    "tables: {curve: {x: [0, 1, a], y: [0, 1, 0]}}\n"
    "bodies:\n"
    "  ground: {markers: {wall: [0, 0, 1]}}\n"
    "  crank: {mass: a, inertia: [1, 1, 1], orientation: {axis: [0, 0, 1], angle: 30*deg}, markers: {pin: [1, 0, 0], "
    "q: {axis: [0, 1, 0]}}, shapes: [{type: sphere, radius: 1}]}\n"
    "joints:\n"
    "  pin: {bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "motions:\n"
    "  drive: {joint: pin, angle: a*time}\n"
    "forces:\n"
    "  spring: {from: crank.pin, to: ground.wall, stiffness: 1e3}\n"
    "outputs:\n"
    "  x: dx(crank.pin, ground) + spline(time, curve)\n"
    "simulate: {end: 1}\n";

// Parts, one of them of the program, functions, connections, a mirror, repetitions.
static const char parts[] =
    "part: corner\n"
    "connect: {chassis: body, axle: joint}\n"
    "parameters: {k: {value: 5000, unit: N/m}, n: 2}\n"
    "inputs: {u: null}\n"
    "functions: {\"f(x, m)\": \"max(-m, min(m, x*k))\"}\n"
    "bodies:\n"
    "  ground: {markers: {w: [0, n, 0]}}\n"
    "  chassis: {markers: {top: [0, -0.1, 0.5]}}\n"
    "  arm: {mass: 3, inertia: [0.2, 0.25, 0.3, 0.01, 0.02, -0.03], markers: {out: [0, 0.2, 0]}}\n"
    "joints: {pivot: {type: revolute, bodies: [chassis, arm], at: [0, 1, 0], axis: [1, 0.2, 0.1]}}\n"
    "forces:\n"
    "  strut: {from: chassis.top, to: arm.out, stiffness: k, damping: 1}\n"
    "  push: {type: force, at: arm.out, force: [0, \"f(dy(arm), u)\", strut.force]}\n"
    "states: {x: {rate: pivot.w - x + axle.angle}}\n"
    "events: {e: {when: x > 1, set: {x: 0}, velocity: {arm.vz: 1}}}\n"
    "repeat: {r: {count: n, bodies: {p$i: {type: point, mass: i}}, variables: {y$i: dx(p$i)}}}\n"
    "---\n"
    "flyball: 1\n"
    "bodies: {car: {mass: 9, inertia: [3, 4, 5]}}\n"
    "joints: {pin: {bodies: [ground, car], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
    "use:\n"
    "  fl: {part: corner, at: [1, 0.7, 0.2], connect: {chassis: car, axle: pin}, u: time}\n"
    "  fr: {like: fl, mirror: y, k: 4000}\n"
    "  c: {part: pid, error: fl.x, kp: 2}\n";

static const char bad_part[] = "part: p\nparameters: {k: 1}\nvariables: {v: 2*l}\n---\nflyball: 1\n"
                               "functions: {\"f(x)\": 2*x}\nuse: {a: {part: p}, b: {like: a, mirror: y}}\n";
static const char bad_use[] = "part: p\nparameters: {k: 1}\n---\nflyball: 1\nuse: {a: {part: p, q: 2}, b: {part: r}}\n";

// A fault near the end of each stage, so that the ways out are walked too.
static const char bad_parameter[] = "flyball: 1\nparameters: {a: 1, b: 2*c}\n";
static const char bad_body[] = "flyball: 1\nbodies: {a: {mass: 1, inertai: 2}, b: {mass: -1}}\n";
static const char bad_reference[] = "flyball: 1\nbodies: {a: {mass: 1}}\njoints: {j: {bodies: [ground, b], at: [0, 0, "
                                    "0]}}\nforces: {f: {from: a.x, to: c}}\n";

static void check(const char *text, const char *set, fly_status expected) {
  long n = 1, failures = 0;
  for (bool done = false; !done; n++) {
    fly_spec spec;
    fly_error error = {0};
    allocations_reset(n);
    const fly_status status = fly_model_read_text(&spec, "text", text, strlen(text), set != NULL, &set, &error);
    done = the_allocations.count < n;
    if (status == FLY_OK)
      fly_spec_free(&spec);
    // a suggestion of the nearest word may be left out when memory is short; nothing else may go on
    if (done)
      assert_int_equal(status, expected);
    else
      assert_true(status == FLY_NO_MEMORY || (expected == FLY_BAD_INPUT && status == FLY_BAD_INPUT));
    assert_true(status == FLY_OK || error.message[0] != 0);
    failures += status == FLY_NO_MEMORY;
  }
  allocations_reset(0);
  assert_true(failures > 10);
}

static void every_allocation_of_a_good_model_may_fail(void **state) { check(model, "b=2*1", FLY_OK); }

static void every_allocation_of_a_model_of_parts_may_fail(void **state) {
  check(parts, "fl.k=4000", FLY_OK);
  check(bad_part, NULL, FLY_BAD_INPUT);
  check(bad_use, NULL, FLY_BAD_INPUT);
}

static void every_allocation_of_a_bad_model_may_fail(void **state) {
  check(bad_parameter, NULL, FLY_BAD_INPUT);
  check(bad_body, NULL, FLY_BAD_INPUT);
  check(bad_reference, NULL, FLY_BAD_INPUT);
  check(bad_parameter, "x=1", FLY_BAD_INPUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_allocation_of_a_good_model_may_fail),
      cmocka_unit_test(every_allocation_of_a_bad_model_may_fail),
      cmocka_unit_test(every_allocation_of_a_model_of_parts_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
