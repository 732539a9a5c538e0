// Parts and functions: what a use makes is what a file would have that says it all out.
//
// labels: valgrind
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "base/check.h"

#include <stdbool.h>
#include <string.h>

#include "io/parts.h"
#include "io/read.h"
#include "io/tree_nodes.h"
#include "model/model.h"

static fly_error error;

static fly_spec good(const char *text, int nset, const char *const *set) {
  fly_spec spec;
  error.message[0] = 0;
  if (fly_model_read_text(&spec, "text", text, strlen(text), nset, set, &error) != FLY_OK)
    fail_msg("%s", error.message);
  return spec;
}

static char *written(const char *text) {
  char *out = NULL;
  size_t length;
  fly_spec spec = good(text, 0, NULL);
  FILE *file = open_memstream(&out, &length);
  assert_non_null(file);
  assert_true(fly_model_write(file, &spec));
  fclose(file);
  fly_spec_free(&spec);
  return out;
}

// Both texts give the same model, as the writer writes it; and that reads.
static void assert_same(const char *used, const char *said) {
  char *one = written(used), *other = written(said), *again = written(one);
  assert_string_equal(one, other);
  assert_string_equal(one, again);
  free(one);
  free(other);
  free(again);
}

static void a_part_is_what_it_says(void **state) {
  assert_same("part: lag\n"
              "parameters: {T: 0.1, gain: {value: 2/T, unit: 1/s, text: for people}}\n"
              "inputs: {u: 0, v: {value: 1, unit: m, text: likewise}}\n"
              "states: {x: {rate: \"gain*(u - x) + v*clip(x, T)\", start: T, text: it}}\n"
              "functions: {\"clip(x, m)\": \"max(-m, min(m, x))\"}\n"
              "held: {h: 1}\n"
              "events: {reset: {when: x > h, set: {x: h/2, h: 2*h}}}\n"
              "---\n"
              "flyball: 1\n"
              "parameters: {t0: 0.5}\n"
              "bodies: {rotor: {mass: 1, inertia: [1, 1, 1]}}\n"
              "use:\n"
              "  a: {part: lag, u: wz(rotor) + 2*b.x, T: t0/2}\n"
              "  b: {part: lag, v: time}\n"
              "variables: {y: a.x + b.x}\n",
              "flyball: 1\n"
              "parameters: {t0: 0.5, a.T: t0/2, a.gain: 2/a.T, b.T: 0.1, b.gain: 2/b.T}\n"
              "functions:\n"
              "  \"a.clip(x, m)\": \"max(-m, min(m, x))\"\n"
              "  \"b.clip(x, m)\": \"max(-m, min(m, x))\"\n"
              "bodies: {rotor: {mass: 1, inertia: [1, 1, 1]}}\n"
              "variables:\n"
              "  y: a.x + b.x\n"
              "  a.u: wz(rotor) + 2*b.x\n"
              "  b.v: {value: time, unit: m}\n"
              "inputs: {a.v: {value: 1, unit: m}, b.u: 0}\n"
              "states:\n"
              "  a.x: {rate: \"a.gain*(a.u - a.x) + a.v*a.clip(a.x, a.T)\", start: a.T}\n"
              "  b.x: {rate: \"b.gain*(b.u - b.x) + b.v*b.clip(b.x, b.T)\", start: b.T}\n"
              "held: {a.h: 1, b.h: 1}\n"
              "events:\n"
              "  a.reset: {when: a.x > a.h, set: {a.x: a.h/2, a.h: 2*a.h}}\n"
              "  b.reset: {when: b.x > b.h, set: {b.x: b.h/2, b.h: 2*b.h}}\n");
}

// Markers and shapes of ground in parts, and parts in parts.
static void ground_is_one(void **state) {
  assert_same("flyball: 1\n"
              "bodies: {ground: {markers: {w: [1, 2, 3]}, shapes: [{type: sphere, radius: 1}]}}\n"
              "use: {a: {part: q}}\n"
              "---\n"
              "part: q\n"
              "bodies: {ground: {markers: {w: [7, 0, 0]}}}\n"
              "use: {b: {part: p, m: 4}}\n"
              "---\n"
              "part: p\n"
              "parameters: {m: 1}\n"
              "bodies: {ground: {markers: {w: [m, 0, 0]}, shapes: [{type: sphere, radius: m}]}}\n"
              "variables: {z: dx(ground.w)}\n",
              "flyball: 1\n"
              "bodies:\n"
              "  ground:\n"
              "    markers: {a.w: [7, 0, 0], a.b.w: [4, 0, 0], w: [1, 2, 3]}\n"
              "    shapes: [{type: sphere, radius: 4}, {type: sphere, radius: 1}]\n"
              "parameters: {a.b.m: 4}\n"
              "variables: {a.b.z: dx(ground.a.b.w)}\n");
}

static void a_part_with_everything(void **state) {
  assert_same("part: p\n"
              "parameters: {m: 2, kg: 3, n: 2}\n"
              "bodies:\n"
              "  ground: {markers: {w: [0, 0, 0]}}\n"
              "  N: {mass: m*kg, inertia: [1, 2e-3, 1e0], markers: {e: [m*mm, 0, 0]}}\n"
              "joints: {pin: {from: ground.w, to: N.e, friction: {law: coulomb, mu: m/10}}}\n"
              "motions: {go: {joint: pin, angle: m*time}}\n"
              "forces: {s: {from: ground.w, to: N, force: -m*length - 2*rate}}\n"
              "variables: {v: \"if((time > 1) and not (pin.w < m*2), dx(N, ground.w, ground), fx(pin, N)*5*mm)\"}\n"
              "tables: {tab: {x: [0, m], y: [1, 2]}}\n"
              "outputs: {o: \"spline(v, tab)\"}\n"
              "trails: {way: {of: N.e}}\n"
              "repeat:\n"
              "  row:\n"
              "    count: n\n"
              "    bodies: {b$i: {type: point, mass: i*m}}\n"
              "    outputs: {x$i: dx(b$i) + i - dz(b$n) + dy(b$(n + 1 - i))}\n"
              "---\n"
              "flyball: 1\n"
              "use: {a: {part: p}}\n",
              "flyball: 1\n"
              "parameters: {a.m: 2, a.kg: 3, a.n: 2}\n"
              "bodies:\n"
              "  a.N: {mass: 6, inertia: [1, 2e-3, 1], markers: {e: [2*mm, 0, 0]}}\n"
              "  ground: {markers: {a.w: [0, 0, 0]}, shapes: []}\n"
              "  a.b1: {type: point, mass: 2}\n"
              "  a.b2: {type: point, mass: 4}\n"
              "joints: {a.pin: {from: ground.a.w, to: a.N.e, friction: {law: coulomb, mu: a.m/10}}}\n"
              "motions: {a.go: {joint: a.pin, angle: a.m*time}}\n"
              "forces: {a.s: {from: ground.a.w, to: a.N, force: -a.m*length - 2*rate}}\n"
              "variables: {a.v: \"if((time > 1) and not (a.pin.w < a.m*2), dx(a.N, ground.a.w, ground), fx(a.pin, "
              "a.N)*5*mm)\"}\n"
              "tables: {a.tab: {x: [0, 2], y: [1, 2]}}\n"
              "outputs: {a.o: \"spline(a.v, a.tab)\",\n"
              "  a.x1: dx(a.b1) + (1) - dz(a.b2) + dy(a.b2), a.x2: dx(a.b2) + (2) - dz(a.b2) + dy(a.b1)}\n"
              "trails: {a.way: {of: a.N.e}}\n");
}

static void parts_are_tied_to_what_is_outside(void **state) {
  assert_same("part: damper\n"
              "parameters: {c: 1}\n"
              "connect: {one: marker, two: body, axle: joint}\n"
              "forces: {d: {from: one, to: two.tip, damping: c}}\n"
              "variables: {turn: \"axle.angle*dm(one, two) + fm(axle)\"}\n"
              "---\n"
              "part: pair\n"
              "bodies: {arm: {mass: 1, inertia: [1, 1, 1], markers: {end: [1, 0, 0]}}}\n"
              "connect: {to: body, hinge: joint}\n"
              "use:\n"
              "  l: {part: damper, connect: {one: arm.end, two: to, axle: hinge}}\n"
              "  r: {like: l, c: 3, connect: {one: arm}}\n"
              "---\n"
              "flyball: 1\n"
              "bodies: {base: {mass: 1, inertia: [1, 1, 1], markers: {tip: [0, 1, 0]}}}\n"
              "joints: {pin: {bodies: [ground, base], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
              "use: {f: {part: pair, connect: {to: base, hinge: pin}}}\n",
              "flyball: 1\n"
              "parameters: {f.l.c: 1, f.r.c: 3}\n"
              "bodies:\n"
              "  base: {mass: 1, inertia: [1, 1, 1], markers: {tip: [0, 1, 0]}}\n"
              "  f.arm: {mass: 1, inertia: [1, 1, 1], markers: {end: [1, 0, 0]}}\n"
              "joints: {pin: {bodies: [ground, base], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
              "forces:\n"
              "  f.l.d: {from: f.arm.end, to: base.tip, damping: 1}\n"
              "  f.r.d: {from: f.arm, to: base.tip, damping: 3}\n"
              "variables:\n"
              "  f.l.turn: pin.angle*dm(f.arm.end, base) + fm(pin)\n"
              "  f.r.turn: pin.angle*dm(f.arm, base) + fm(pin)\n");
}

// Places inside each other: B = B' P R, c = c' + B' P a.
static void places_add_up(void **state) {
  fly_spec spec =
      good("part: inner\n"
           "parameters: {h: 1}\n"
           "bodies:\n"
           "  ground: {markers: {w: [1, 2, h]}}\n"
           "  b: {mass: 1, inertia: [1, 1, 1, 0.1, 0.2, 0.3], position: [1, 2, 3], markers: {e: [4, 5, 6]}}\n"
           "---\n"
           "part: outer\n"
           "use: {i: {part: inner, at: [0, 0, 1], mirror: x, h: 7}}\n"
           "---\n"
           "flyball: 1\n"
           "parameters: {far: 100}\n"
           "use: {o: {part: outer, at: [far, 0, 0], orientation: {x: [0, 1, 0], z: [0, 0, 1]}}}\n",
           0, NULL);
  // (1, 2, 3) is (-1, 2, 4) in the outer part, whose x is y of space, and y -x
  const double position[3] = {100 - 2, -1, 4}, marker[3] = {100 - 2, -1, 8};
  double at[3], I[6];
  const fly_item *b = fly_spec_find(&spec, "bodies", "o.i.b"), *ground = fly_spec_find(&spec, "bodies", "ground");
  assert_non_null(b);
  assert_non_null(ground);
  fly_item_numbers(b, "position", 3, at);
  fly_item_numbers(b, "inertia", 6, I);
  for (int k = 0; k < 3; k++)
    assert_near(at[k], position[k], 1e-13);
  assert_true(I[3] == -0.1 && I[4] == 0.2 && I[5] == -0.3);
  assert_true(b->marker[0].at[0] == 4 && b->marker[0].at[1] == -5 && b->marker[0].at[2] == 6);
  for (int k = 0; k < ground->nmarker; k++)
    for (int i = 0; i < 3 && strcmp(ground->marker[k].name, "o.i.w") == 0; i++)
      assert_near(ground->marker[k].at[i], marker[i], 1e-13);
  fly_spec_free(&spec);
}

// On a body that is turned by 90 degrees about z, and on ground.
static void markers_lie_where_the_part_has_them(void **state) {
  fly_spec spec =
      good("part: p\n"
           "connect: {one: body, two: body}\n"
           "bodies: {one: {markers: {m: [3, 0, 0]}}, two: {markers: {m: [3, 0, 0]}}}\n"
           "forces: {s: {from: one.m, to: two.m, stiffness: 1}}\n"
           "---\n"
           "flyball: 1\n"
           "bodies:\n"
           "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], orientation: {axis: [0, 0, 1], angle: 90*deg},"
           " markers: {m: [9, 9, 9]}}\n"
           "use: {u: {part: p, at: [0, 0, 2], connect: {one: b, two: ground}}}\n",
           0, NULL);
  const fly_item *b = fly_spec_find(&spec, "bodies", "b"), *s = fly_spec_find(&spec, "forces", "u.s");
  const double at[3] = {0, -2, 2}, axes[9] = {0, 1, 0, -1, 0, 0, 0, 0, 1};
  assert_string_equal(fly_item_word(s, "from", 0), "b.u.m");
  assert_string_equal(fly_item_word(s, "to", 0), "ground.u.m");
  assert_int_equal(b->nmarker, 2);
  assert_true(b->marker[0].at[0] == 9);
  assert_string_equal(b->marker[1].name, "u.m");
  for (int k = 0; k < 3; k++)
    assert_near(b->marker[1].at[k], at[k], 1e-13);
  for (int k = 0; k < 9; k++)
    assert_near(b->marker[1].A[k], axes[k], 1e-13);
  fly_spec_free(&spec);
}

#define LINK                                                                                                           \
  "part: link\nparameters: {long: 0.5, m: 1}\nconnect: {before: marker}\n"                                             \
  "bodies: {rod: {mass: m, inertia: [0.01, 0.02, 0.02], position: [long/2, 0, 0], markers: {tip: [long/2, 0, 0], "     \
  "root: [-long/2, 0, 0]}}}\njoints: {pin: {from: before, to: rod.root, type: revolute}}\n---\nflyball: 1\n"           \
  "parameters: {N: 3, i0: 2}\nbodies: {ground: {markers: {nail: [0, 0, 0]}}}\n"

// A chain of parts, each tied to the one before; the index is a number in what they are given, and in their names.
static void parts_are_repeated(void **state) {
  assert_same(LINK "use: {seg0: {part: link, connect: {before: ground.nail}}}\n"
                   "repeat: {chain: {count: N, use: {seg$i: {part: link, at: [0.5*i, 0, 0], m: 1/(i + i0), connect: "
                   "{before: seg$(i - 1).rod.tip}}}}}\n",
              LINK "use:\n"
                   "  seg0: {part: link, connect: {before: ground.nail}}\n"
                   "  seg1: {part: link, at: [0.5, 0, 0], m: 1/3, connect: {before: seg0.rod.tip}}\n"
                   "  seg2: {part: link, at: [1, 0, 0], m: 1/4, connect: {before: seg1.rod.tip}}\n"
                   "  seg3: {part: link, at: [1.5, 0, 0], m: 1/5, connect: {before: seg2.rod.tip}}\n");
  // one inside the other, from another number on, beside elements, in expressions of others
  assert_same(
      "flyball: 1\nrepeat: {a: {count: 2, first: 3, states: {x$i: {rate: f$(i)_0.out - x$i}}, repeat: {b: {index: "
      "j, count: 1, first: 0, use: {f$(i)_$j: {part: low-pass, input: x$i + i + j, frequency: 2*i}}}}}}\n",
      "flyball: 1\nrepeat: {a: {count: 2, first: 3, states: {x$i: {rate: f$(i)_0.out - x$i}}}}\nuse: {f3_0: {part: "
      "low-pass, input: x3 + (3) + (0), frequency: 6}, f4_0: {part: low-pass, input: x4 + (4) + (0), frequency: "
      "8}}\n");
}

static void repeated_wrongly(const char *text, const char *says) {
  fly_spec spec;
  error.message[0] = 0;
  const fly_status status = fly_model_read_text(&spec, "text", text, strlen(text), 0, NULL, &error);
  if (status != FLY_BAD_INPUT || strstr(error.message, says) == NULL)
    fail_msg("'%s' is not in '%s'", says, error.message);
}

static void what_cannot_be_repeated(void **state) {
#define STATE "flyball: 1\nstates: {x: {rate: -x}}\n"
  repeated_wrongly(STATE "repeat: {a: {count: 2, use: {f: {part: low-pass, input: x}}}}\n",
                   "text:3:30: a use in a repetition has its number in its name, as 'f$i'");
  repeated_wrongly(STATE "repeat: {a: {count: nn, use: {f$i: {part: low-pass, input: x}}}}\n", "unknown word 'nn'");
  repeated_wrongly(STATE "repeat: {a: {use: {f$i: {part: low-pass, input: x}}}}\n", "needs 'count'");
  repeated_wrongly(STATE "repeat: {a: {count: 2, use: {f$i: {part: low-pas, input: x}}}}\n",
                   "Did you mean 'low-pass'?");
  repeated_wrongly(STATE "repeat: {a: {count: 2, use: {f$i: {part: low-pass}}}}\n", "'f1' needs 'input'");
  repeated_wrongly(STATE "use: {f2: {part: low-pass, input: x}}\nrepeat: {a: {count: 2, use: {f$i: {part: low-pass, "
                         "input: x}}}}\n",
                   "f2");
  repeated_wrongly("part: row\nrepeat: {a: {count: 2, use: {f$i: {part: low-pass, input: 0}}}}\n---\n" STATE
                   "use: {r: {part: row}}\n",
                   "a repetition inside of a part cannot use other parts");
}

static void repeated_parameters_can_be_set(void **state) {
  const char *const set[] = {"N=2", "seg2.m=7"};
  fly_spec spec =
      good(LINK "use: {seg0: {part: link, connect: {before: ground.nail}}}\nrepeat: {chain: {count: N, use: "
                "{seg$i: {part: link, at: [0.5*i, 0, 0], connect: {before: seg$(i - 1).rod.tip}}}}}\n",
           2, set);
  assert_non_null(fly_spec_find(&spec, "bodies", "seg2.rod"));
  assert_null(fly_spec_find(&spec, "bodies", "seg3.rod"));
  assert_near(fly_item_number(fly_spec_find(&spec, "bodies", "seg2.rod"), "mass"), 7, 0);
  fly_spec_free(&spec);
}

static void parameters_of_parts_can_be_set(void **state) {
  const char *text = "part: p\nparameters: {k: 1, twice: 2*k}\n---\n"
                     "flyball: 1\nuse: {a: {part: p}, b: {part: p, k: a.twice}}\n";
  const char *const set[] = {"a.k=5"};
  fly_spec spec = good(text, 1, set);
  assert_int_equal(spec.nparameter, 4);
  assert_string_equal(spec.parameter_name[3], "b.twice");
  assert_true(spec.parameter_value[0] == 5 && spec.parameter_value[3] == 20);
  fly_spec_free(&spec);
}

// In any order: a function needs the parameters in its text, and its arguments hide those of their names.
static void functions_stand_in_numbers(void **state) {
  fly_spec spec = good("flyball: 1\n"
                       "parameters: {a: \"f(3)\", x: \"g(2)\", b: 2 + c, c: 1}\n"
                       "functions: {\"f(x)\": \"b*g(x) + c\", \"g(y)\": y^2}\n"
                       "bodies: {p: {type: point, mass: \"f(a/28)\"}}\n",
                       0, NULL);
  assert_true(spec.parameter_value[0] == 28 && spec.parameter_value[1] == 4);
  assert_true(fly_item_number(fly_spec_find(&spec, "bodies", "p"), "mass") == 4);
  fly_spec_free(&spec);
}

static void parts_inside_each_other_are_bounded(void **state) {
  char text[4000] = "";
  size_t used = 0;
  for (int k = 0; k < 40; k++)
    used += (size_t)snprintf(text + used, sizeof text - used, "part: p%d\nuse: {a: {part: p%d}, b: {part: p%d}}\n---\n",
                             k, k + 1, k + 1);
  snprintf(text + used, sizeof text - used, "flyball: 1\nuse: {a: {part: p0}}\n");
  fly_spec spec;
  assert_int_equal(fly_model_read_text(&spec, "text", text, strlen(text), 0, NULL, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "parts are used inside each other more than 16 deep"));
}

static bool is_required(const fly_tree_node *node) {
  const fly_tree_node *value = node->kind == FLY_TREE_MAPPING ? fly_tree_find(node, "value") : node;
  return value == NULL || fly_tree_is_null(value);
}

static void give(FILE *file, const fly_tree_node *part, const char *section) {
  const fly_tree_node *node = fly_tree_find(part, section);
  for (int k = 0; node != NULL && k < node->count; k++)
    if (is_required(node->entry[k].value))
      fprintf(file, ", %s: 1", node->entry[k].key);
}

static void tie(FILE *file, const fly_tree_node *part) {
  const fly_tree_node *node = fly_tree_find(part, "connect");
  fputs(", connect: {", file);
  for (int k = 0; node != NULL && k < node->count; k++)
    fprintf(file, "%s%s: %s", k > 0 ? ", " : "", node->entry[k].key,
            strcmp(node->entry[k].value->text, "joint") == 0 ? "pin"
            : k % 2 == 0                                     ? "one"
                                                             : "two");
  fputs("}}}\n", file);
}

// Every part that comes with the program reads, alone and mirrored, when it gets what it needs.
static void every_shipped_part_reads(void **state) {
  assert_true(fly_shipped_part_count > 0);
  for (int k = 0; k < 2 * fly_shipped_part_count; k++) {
    const fly_shipped_part *shipped = &fly_shipped_parts[k / 2];
    const fly_tree_node *part;
    fly_tree *tree;
    char *text = NULL;
    size_t length;
    assert_int_equal(fly_tree_create(&tree, &error), FLY_OK);
    if (fly_tree_parse_part(tree, &part, shipped->name, shipped->text, shipped->length, &error) != FLY_OK)
      fail_msg("%s", error.message);
    assert_string_equal(fly_tree_find(part, "part")->text, shipped->name);
    assert_non_null(fly_tree_find(part, "text"));
    FILE *file = open_memstream(&text, &length);
    fprintf(file,
            "flyball: 1\nbodies: {one: {mass: 1, inertia: [1, 1, 1]}, two: {mass: 1, inertia: [1, 1, 1]}}\n"
            "joints: {pin: {bodies: [one, two], at: [0, 0, 0], axis: [0, 0, 1]}}\nuse: {x: {part: %s%s",
            shipped->name, k % 2 ? ", mirror: y" : "");
    give(file, part, "parameters");
    give(file, part, "inputs");
    tie(file, part);
    fclose(file);
    fly_spec spec = good(text, 0, NULL);
    fly_spec_free(&spec);
    fly_tree_free(tree);
    free(text);
  }
}

// A part in a file of its own, which has one for itself; and a file of parts that is included.
static void parts_in_files(void **state) {
  fly_spec spec;
  error.message[0] = 0;
  if (fly_model_read(&spec, FLY_TEST_SOURCE_DIR "/tests/io/files/uses.yaml", 0, NULL, &error) != FLY_OK)
    fail_msg("%s", error.message);
  static const char *const names[] = {"l.arm", "r.arm", "l.spare.knob"};
  for (int k = 0; k < 3; k++)
    assert_non_null(fly_spec_find(&spec, "bodies", names[k]));
  assert_non_null(fly_spec_find(&spec, "states", "lag.x"));
  const fly_item *arm = fly_spec_find(&spec, "bodies", "l.arm");
  assert_string_equal(arm->place.file, FLY_TEST_SOURCE_DIR "/tests/io/files/arm.yaml");
  assert_true(spec.nsource == 3);
  fly_spec_free(&spec);
  const char *text = "flyball: 1\nuse: {l: {part: arm.yaml}}\n";
  assert_int_equal(fly_model_read_text(&spec, "text", text, strlen(text), 0, NULL, &error), FLY_BAD_INPUT);
  assert_non_null(strstr(error.message, "only a model in a file can name others"));
}

static void shipped_parts_are_found(void **state) {
  fly_spec spec = good("flyball: 1\nuse: {c: {part: pid, error: time, kp: 2}}\n", 0, NULL);
  assert_non_null(fly_spec_find(&spec, "variables", "c.out"));
  assert_non_null(fly_spec_find(&spec, "states", "c.i"));
  assert_non_null(fly_spec_find(&spec, "variables", "c.error"));
  fly_spec_free(&spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_part_is_what_it_says),
      cmocka_unit_test(a_part_with_everything),
      cmocka_unit_test(parts_are_tied_to_what_is_outside),
      cmocka_unit_test(places_add_up),
      cmocka_unit_test(markers_lie_where_the_part_has_them),
      cmocka_unit_test(parameters_of_parts_can_be_set),
      cmocka_unit_test(parts_inside_each_other_are_bounded),
      cmocka_unit_test(parts_are_repeated),
      cmocka_unit_test(what_cannot_be_repeated),
      cmocka_unit_test(repeated_parameters_can_be_set),
      cmocka_unit_test(shipped_parts_are_found),
      cmocka_unit_test(parts_in_files),
      cmocka_unit_test(every_shipped_part_reads),
      cmocka_unit_test(ground_is_one),
      cmocka_unit_test(functions_stand_in_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
