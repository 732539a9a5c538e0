// Repetitions and numbers in names: what they make is what a file would have that says it all out.
// labels: valgrind
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "base/check.h"

#include <stdbool.h>
#include <string.h>

#include "io/read.h"

static fly_error error;

static fly_spec good(const char *text, int nset, const char *const *set) {
  fly_spec spec;
  error.message[0] = 0;
  if (fly_model_read_text(&spec, "text", text, strlen(text), nset, set, &error) != FLY_OK)
    fail_msg("%s", error.message);
  return spec;
}

// Both texts give the same model, as the writer writes it.
static void assert_same(const char *repeated, const char *said) {
  char *text[2] = {NULL};
  for (int k = 0; k < 2; k++) {
    size_t length;
    fly_spec spec = good(k == 0 ? repeated : said, 0, NULL);
    FILE *file = open_memstream(&text[k], &length);
    assert_non_null(file);
    assert_true(fly_model_write(file, &spec));
    fclose(file);
    fly_spec_free(&spec);
  }
  assert_string_equal(text[0], text[1]);
  free(text[0]);
  free(text[1]);
}

static void a_repetition_is_what_it_says(void **state) {
  assert_same(
      "flyball: 1\n"
      "parameters: {N: 3, L: 0.5}\n"
      "joints:\n"
      "  pin1: {from: ground, to: bar1.a}\n"
      "repeat:\n"
      "  bars:\n"
      "    count: N\n"
      "    bodies:\n"
      "      bar$i:\n"
      "        mass: i*kg\n"
      "        inertia: [1, 1, 1]\n"
      "        position: [L*(i - 1/2), 0, 0]\n"
      "        markers: {a: [-L/2, 0, 0], b$i: [i, 0, 0]}\n"
      "    outputs: {x$i: \"i*dx(bar$i.a, bar$(N + 1 - i).b$(N + 1 - i)) + 2*i^2\"}\n"
      "  pins:\n"
      "    {count: N - 1, index: k, first: 2, joints: {pin$k: {from: \"bar$(k-1).b$(k-1)\", to: bar$k.a}}}\n"
      "outputs: {end: dx(bar$N.b$N)}\n",
      "flyball: 1\n"
      "parameters: {N: 3, L: 0.5}\n"
      "bodies:\n"
      "  bar1: {mass: 1, inertia: [1, 1, 1], position: [0.25, 0, 0], markers: {a: [-0.25, 0, 0], b1: [1, 0, 0]}}\n"
      "  bar2: {mass: 2, inertia: [1, 1, 1], position: [0.75, 0, 0], markers: {a: [-0.25, 0, 0], b2: [2, 0, 0]}}\n"
      "  bar3: {mass: 3, inertia: [1, 1, 1], position: [1.25, 0, 0], markers: {a: [-0.25, 0, 0], b3: [3, 0, 0]}}\n"
      "joints:\n"
      "  pin1: {from: ground, to: bar1.a}\n"
      "  pin2: {from: bar1.b1, to: bar2.a}\n"
      "  pin3: {from: bar2.b2, to: bar3.a}\n"
      "outputs:\n"
      "  end: dx(bar3.b3)\n"
      "  x1: (1)*dx(bar1.a, bar3.b3) + 2*(1)^2\n"
      "  x2: (2)*dx(bar2.a, bar2.b2) + 2*(2)^2\n"
      "  x3: (3)*dx(bar3.a, bar1.b1) + 2*(3)^2\n");
}

static void repetitions_inside_each_other(void **state) {
  assert_same("flyball: 1\n"
              "repeat:\n"
              "  rows:\n"
              "    count: 3\n"
              "    index: r\n"
              "    bodies: {edge$r: {type: point, mass: r}}\n"
              "    repeat:\n"
              "      columns: {count: r, index: c, first: 0, bodies: {\"p$(r)_$c\": {type: point, mass: 10*r + c}}}\n",
              "flyball: 1\n"
              "bodies:\n"
              "  edge1: {type: point, mass: 1}\n"
              "  p1_0: {type: point, mass: 10}\n"
              "  edge2: {type: point, mass: 2}\n"
              "  p2_0: {type: point, mass: 20}\n"
              "  p2_1: {type: point, mass: 21}\n"
              "  edge3: {type: point, mass: 3}\n"
              "  p3_0: {type: point, mass: 30}\n"
              "  p3_1: {type: point, mass: 31}\n"
              "  p3_2: {type: point, mass: 32}\n");
}

// The index is a word of its own: not part of another, not a unit factor, and nothing outside.
static void the_index_is_a_word(void **state) {
  assert_same("flyball: 1\n"
              "bodies: {in: {type: point, mass: 1}}\n"
              "repeat: {all: {count: 1, first: 7, outputs: {o$i: \"dx(in) + in*i + sin(i)\"}}}\n",
              "flyball: 1\n"
              "bodies: {in: {type: point, mass: 1}}\n"
              "outputs: {o7: \"dx(in) + in*(7) + sin((7))\"}\n");
}

static void count_zero_makes_nothing(void **state) {
  const char *const set[] = {"N=1"};
  const char *text = "flyball: 1\nparameters: {N: 5}\nbodies: {a: {type: point, mass: 1}}\n"
                     "repeat: {more: {count: N - 1, bodies: {b$i: {type: point, mass: 1}}}}\n";
  fly_spec spec = good(text, 1, set);
  assert_int_equal(spec.nitem, 1);
  fly_spec_free(&spec);
  spec = good(text, 0, NULL);
  assert_int_equal(spec.nitem, 5);
  assert_int_equal(spec.item[4].place.line, 4); // its place is that of what was repeated
  assert_int_equal(spec.item[4].place.column, 40);
  fly_spec_free(&spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_repetition_is_what_it_says),
      cmocka_unit_test(repetitions_inside_each_other),
      cmocka_unit_test(the_index_is_a_word),
      cmocka_unit_test(count_zero_makes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
