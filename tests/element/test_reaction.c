// Reactions of joints: every row of their list against differences, and what they mean.
#include "element/states.h"

#include "element/reaction.h"

static fly_triple triple_of(const bodies *s) {
  return (fly_triple){.ba = &s->b[0], .bb = &s->b[1], .bc = &s->b[2], .ma = &s->m[0], .mb = &s->m[1], .mc = &s->m[2]};
}

typedef struct question {
  fly_reaction_kind kind;
  double W[6];
} question;

static void value(double *out, const bodies *s, const void *user) {
  const question *ask = user;
  fly_triple p = triple_of(s);
  *out = fly_reaction_value(ask->kind, ask->W, &p);
}

static void gradients_match_differences(void **state) {
  uint64_t seed = 4;
  for (int k = 0; k < FLY_REACTION_KINDS; k++)
    for (int n = 0; n < STATES; n++) {
      question ask = {(fly_reaction_kind)k, {0}};
      bodies s = random_bodies(3, &seed);
      fly_triple p = triple_of(&s);
      double dW[6], dq[18], expected[18] = {0}, up, down;
      random_vector(ask.W, 6, 2.0, &seed);
      value(&up, &s, &ask);
      if (k % 4 == 3 && up < 0.5) // sizes have a kink at zero
        continue;
      fly_reaction_gradient(dW, dq, ask.kind, ask.W, &p);
      jacobian_by_differences(expected, 1, value, &s, &ask, MOVE_Q, 0.01);
      check_all_near(dq, expected, 18, 2e-11, fly_reaction_types[k].name);
      for (int c = 0; c < 6; c++) {
        question other = ask;
        const double h = 1e-5;
        other.W[c] = ask.W[c] + h;
        value(&up, &s, &other);
        other.W[c] = ask.W[c] - h;
        value(&down, &s, &other);
        assert_near(dW[c], (up - down) / (2 * h), 1e-8);
      }
    }
}

// A force F at a point of body j that is d away from the marker there, as generalized force, gives the torque d x F.
static void torque_is_about_the_marker(void **state) {
  uint64_t seed = 9;
  for (int n = 0; n < STATES; n++) {
    bodies s = random_bodies(3, &seed);
    fly_triple p = triple_of(&s);
    double F[3], d[3], arm[3], f[3], db[3], torque[3], W[6], expected[6], axis[3];
    random_vector(F, 3, 2.0, &seed);
    random_vector(d, 3, 1.0, &seed);
    fly_to_body(f, s.b[1].R, F);
    fly_to_body(db, s.b[1].R, d);
    for (int k = 0; k < 3; k++)
      arm[k] = s.m[1].s[k] + db[k];
    memcpy(W, F, sizeof F);
    fly_cross(W + 3, arm, f);
    fly_cross(torque, d, F);
    for (int k = 0; k < 3; k++) {
      fly_axis_space(axis, &s.b[2], &s.m[2], k);
      expected[k] = fly_dot3(axis, F);
      expected[3 + k] = fly_dot3(axis, torque);
      assert_near(fly_reaction_value((fly_reaction_kind)(FLY_REACTION_FX + k), W, &p), expected[k], 1e-14);
      assert_near(fly_reaction_value((fly_reaction_kind)(FLY_REACTION_TX + k), W, &p), expected[3 + k], 2e-14);
    }
    assert_near(fly_reaction_value(FLY_REACTION_FM, W, &p), sqrt(fly_dot3(F, F)), 1e-14);
    assert_near(fly_reaction_value(FLY_REACTION_TM, W, &p), sqrt(fly_dot3(torque, torque)), 2e-14);
  }
}

static void names_find_their_rows(void **state) {
  for (int k = 0; k < FLY_REACTION_KINDS; k++)
    assert_int_equal(fly_reaction_find(fly_reaction_types[k].name), k);
  assert_int_equal(fly_reaction_find("fxx"), -1);
}

static void nothing_is_no_nan(void **state) {
  uint64_t seed = 2;
  bodies s = random_bodies(3, &seed);
  fly_triple p = triple_of(&s);
  const double W[6] = {0};
  double dW[6], dq[18];
  for (int k = 0; k < FLY_REACTION_KINDS; k++) {
    fly_reaction_gradient(dW, dq, (fly_reaction_kind)k, W, &p);
    assert_true(all_numbers_finite(dW, 6) && all_numbers_finite(dq, 18));
    assert_near(fly_reaction_value((fly_reaction_kind)k, W, &p), 0, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_match_differences),
      cmocka_unit_test(torque_is_about_the_marker),
      cmocka_unit_test(names_find_their_rows),
      cmocka_unit_test(nothing_is_no_nan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
