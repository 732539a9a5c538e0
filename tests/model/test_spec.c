// The editable description of a model: names, values, fallbacks, memory.
// labels: valgrind
#include "base/allocations.h"
#include "base/check.h"

#include <string.h>
#include <time.h>

#include "model/spec.h"

static const fly_place nowhere = {0};

static const fly_element_type *type_of(const char *section, const char *name) {
  const fly_element_type *type = fly_element_type_find(section, name);
  assert_non_null(type);
  return type;
}

static void names_are_found_in_their_section(void **state) {
  fly_spec spec;
  fly_spec_create(&spec);
  assert_null(fly_spec_find(&spec, "bodies", "a"));
  char name[] = "a";
  assert_non_null(fly_spec_add(&spec, type_of("bodies", "rigid"), name, nowhere, NULL));
  name[0] = 'x'; // it was copied
  assert_non_null(fly_spec_add(&spec, type_of("joints", "fixed"), "a", nowhere, NULL));
  assert_string_equal(fly_spec_find(&spec, "bodies", "a")->type->name, "rigid");
  assert_string_equal(fly_spec_find(&spec, "joints", "a")->type->name, "fixed");
  assert_null(fly_spec_find(&spec, "forces", "a"));
  assert_null(fly_spec_find(&spec, "bodie", "sa"));
  fly_spec_free(&spec);
  assert_int_equal(spec.nitem, 0);
}

static void a_name_is_given_once(void **state) {
  fly_spec spec;
  fly_error error = {0};
  fly_spec_create(&spec);
  assert_non_null(fly_spec_add(&spec, type_of("bodies", "rigid"), "a", (fly_place){"m.yaml", 3, 5}, &error));
  assert_null(fly_spec_add(&spec, type_of("bodies", "point"), "a", (fly_place){"n.yaml", 7, 1}, &error));
  assert_int_equal(error.status, FLY_BAD_INPUT);
  assert_string_equal(error.message, "n.yaml:7:1: The name 'a' is taken in bodies, by m.yaml:3:5.");
  assert_null(fly_spec_add(&spec, type_of("bodies", "point"), "a", nowhere, NULL));
  assert_int_equal(spec.nitem, 1);
  fly_spec_free(&spec);
}

static void places_as_text(void **state) {
  char text[40];
  fly_place_text(text, sizeof text, (fly_place){"a.yaml", 12, 3});
  assert_string_equal(text, "a.yaml:12:3: ");
  fly_place_text(text, sizeof text, nowhere);
  assert_string_equal(text, "");
}

static void values_replace_fallbacks_of_one_item_only(void **state) {
  fly_spec spec;
  fly_spec_create(&spec);
  const fly_element_type *rigid = type_of("bodies", "rigid");
  fly_item *a = fly_spec_add(&spec, rigid, "a", nowhere, NULL);
  assert_true(fly_spec_set_numbers(&spec, a, fly_parameter_find(rigid, "position"), 3, (const double[]){1, 2, 3},
                                   (fly_place){"m.yaml", 1, 2}));
  fly_item *b = fly_spec_add(&spec, rigid, "b", nowhere, NULL);
  a = fly_spec_find(&spec, "bodies", "a");
  double x[3];
  fly_item_numbers(a, "position", 3, x);
  assert_near(x[2], 3, 0);
  fly_item_numbers(b, "position", 3, x);
  assert_near(x[2], 0, 0);
  assert_true(fly_item_given(a, "position") && !fly_item_given(b, "position"));
  assert_int_equal(fly_item_value(a, "position")->place.column, 2);
  assert_true(isnan(fly_item_number(b, "mass"))); // neither given nor a fallback
  fly_spec_free(&spec);
}

// Every fallback of every table parses, and has as many numbers as its row takes.
static void all_fallbacks_parse(void **state) {
  fly_spec spec;
  fly_spec_create(&spec);
  for (const fly_element_type *const *each = fly_element_types, *type; (type = *each) != NULL; each++) {
    const fly_item *item = fly_spec_add(&spec, type, type->name, nowhere, NULL);
    assert_non_null(item);
    for (int k = 0; type->parameters[k].name; k++) {
      const fly_parameter *row = &type->parameters[k];
      const fly_value *value = fly_item_row(item, k);
      assert_false(value->given);
      if (!row->fallback)
        assert_int_equal(value->count, 0);
      else if (row->type == FLY_NUMBER)
        assert_true(value->count == row->count && isfinite(fly_item_number(item, row->name)));
      else
        assert_string_equal(fly_item_word(item, row->name, 0), row->fallback);
      if (row->fallback && row->type == FLY_NUMBER)
        assert_true(value->number[0] >= row->low && value->number[0] <= row->high);
    }
  }
  fly_spec_free(&spec);
}

static void words_are_copied(void **state) {
  fly_spec spec;
  fly_spec_create(&spec);
  const fly_element_type *type = type_of("joints", "revolute");
  fly_item *pin = fly_spec_add(&spec, type, "pin", nowhere, NULL);
  char one[] = "ground", two[] = "crank";
  const char *words[] = {one, two};
  assert_true(fly_spec_set_words(&spec, pin, fly_parameter_find(type, "bodies"), 2, words, nowhere));
  one[0] = two[0] = '?';
  assert_string_equal(fly_item_word(pin, "bodies", 0), "ground");
  assert_string_equal(fly_item_word(pin, "bodies", 1), "crank");
  assert_null(fly_item_word(pin, "bodies", 2));
  assert_null(fly_item_word(pin, "from", 0));
  fly_spec_free(&spec);
}

static void markers_keep_their_order(void **state) {
  fly_spec spec;
  fly_spec_create(&spec);
  fly_item *body = fly_spec_add(&spec, type_of("bodies", "rigid"), "a", nowhere, NULL);
  for (int k = 0; k < 100; k++) {
    char name[20];
    snprintf(name, sizeof name, "m%d", k);
    assert_true(fly_spec_add_marker(&spec, body, &(fly_spec_marker){.name = name, .at = {k}}));
  }
  assert_int_equal(body->nmarker, 100);
  for (int k = 0; k < 100; k++) {
    assert_near(body->marker[k].at[0], k, 0);
    assert_int_equal(atoi(body->marker[k].name + 1), k);
  }
  fly_spec_free(&spec);
}

// ------------------------------------------------------------------------------------------ many

static double seconds_for(int count) {
  fly_spec spec;
  char name[30];
  const clock_t start = clock();
  fly_spec_create(&spec);
  for (int k = 0; k < count; k++) {
    snprintf(name, sizeof name, "link%d", k);
    assert_non_null(fly_spec_add(&spec, type_of(k % 2 ? "bodies" : "joints", NULL), name, nowhere, NULL));
  }
  for (int k = 0; k < count; k++) {
    snprintf(name, sizeof name, "link%d", k);
    assert_ptr_equal(fly_spec_find(&spec, k % 2 ? "bodies" : "joints", name), &spec.item[k]);
    assert_null(fly_spec_find(&spec, k % 2 ? "joints" : "bodies", name));
  }
  fly_spec_free(&spec);
  return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void time_is_linear_in_the_number_of_items(void **state) {
  const double small = seconds_for(10000), large = seconds_for(100000);
  print_message("10^4 items: %.3f s, 10^5: %.3f s\n", small, large);
  assert_true(large < 40 * (small + 0.01)); // quadratic time would be a hundred times longer
}

// ------------------------------------------------------------------------------------------ failures

// Everything that allocates; true if all of it could be done.
static bool exercise(void) {
  fly_spec spec;
  fly_error error = {0};
  fly_spec_create(&spec);
  bool good = true;
  for (int k = 0; k < 40 && good; k++) {
    char name[20];
    snprintf(name, sizeof name, "b%d", k);
    fly_item *item = fly_spec_add(&spec, type_of("bodies", k % 2 ? "rigid" : "planar"), name, nowhere, &error);
    good = item && fly_spec_set_numbers(&spec, item, 0, 1, (const double[]){1}, nowhere) &&
           fly_spec_add_marker(&spec, item, &(fly_spec_marker){.name = "p"}) &&
           fly_spec_set_words(&spec, item, 1, 1, (const char *const[]){"w"}, nowhere) && fly_spec_text(&spec, "text");
    if (!item)
      assert_int_equal(error.status, FLY_NO_MEMORY);
  }
  fly_spec_free(&spec);
  return good;
}

static void every_allocation_may_fail(void **state) {
  long n = 1;
  for (bool done = false; !done; n++) {
    allocations_reset(n);
    done = exercise();
    assert_true(done == (the_allocations.count < n)); // it was done only if none failed
  }
  allocations_reset(0);
  assert_true(n > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_found_in_their_section),
      cmocka_unit_test(a_name_is_given_once),
      cmocka_unit_test(places_as_text),
      cmocka_unit_test(values_replace_fallbacks_of_one_item_only),
      cmocka_unit_test(all_fallbacks_parse),
      cmocka_unit_test(words_are_copied),
      cmocka_unit_test(markers_keep_their_order),
      cmocka_unit_test(time_is_linear_in_the_number_of_items),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
