// What moves do to the accelerations that constraints ask for, against differences: the test walks the lists of
// primitives and of what does not slip.
#include "element/states.h"

#include "element/bend.h"

typedef struct subject {
  bool slips;
  int kind;
  fly_primitive k;
  double radius;
} subject;

static int rows_of(const subject *c) {
  return c->slips ? fly_slip_types[c->kind].rows : fly_primitive_types[c->kind].rows;
}

// G a + gamma by what steps use: Jacobian and gamma of a primitive, B and its derivatives of a slip.
static void acceleration(double *out, const bodies *s, const void *user) {
  const subject *c = (const subject *)user;
  const fly_pair p = pair_of(s);
  double G[3 * FLY_PAIR] = {0}, D[FLY_SLIP_ROWS * FLY_PAIR * FLY_PAIR], v[FLY_PAIR] = {0};
  velocities(v, s);
  if (c->slips) {
    fly_slip_rows(G, D, (fly_slip_kind)c->kind, &p, c->radius);
    for (int i = 0; i < rows_of(c); i++) {
      out[i] = 0;
      for (int j = 0; j < FLY_PAIR * FLY_PAIR; j++)
        out[i] += v[j / FLY_PAIR] * D[FLY_PAIR * FLY_PAIR * i + j] * v[j % FLY_PAIR];
    }
  } else {
    fly_primitive_types[c->kind].jacobian(G, &p, &c->k);
    fly_primitive_types[c->kind].gamma(out, &p, &c->k);
  }
  for (int i = 0; i < rows_of(c); i++)
    for (int j = 0; j < FLY_PAIR; j++)
      out[i] += G[FLY_PAIR * i + j] * s->a[j];
}

// Far from where an angle or a wheel that lies flat is singular.
static bool regular(const bodies *s, const subject *c) {
  double a[3], b[3];
  const bool angle = !c->slips && c->kind == FLY_ANGLE;
  fly_axis_space(a, &s->b[0], &s->m[0], c->slips ? 2 : c->k.axis_i);
  fly_axis_space(b, &s->b[1], &s->m[1], c->slips ? 2 : angle ? (c->k.axis_i + 1) % 3 : c->k.axis_j);
  return fabs(fly_dot3(a, b)) < 0.9;
}

static void check(const subject *c, const bodies *s, uint64_t *seed) {
  const fly_pair p = pair_of(s);
  fly_pair_move m;
  double value[3], bend[3], direct[3], expected[3] = {0};
  memcpy(m.a, s->a, sizeof m.a);
  random_vector(m.dq, FLY_PAIR, 1.0, seed);
  random_vector(m.dv, FLY_PAIR, 1.0, seed);
  random_vector(m.da, FLY_PAIR, 1.0, seed);
  if (c->slips)
    fly_slip_bend(value, bend, (fly_slip_kind)c->kind, &p, c->radius, &m);
  else
    fly_primitive_bend(value, bend, (fly_primitive_kind)c->kind, &p, &c->k, &m);
  acceleration(direct, s, c);
  check_all_near(value, direct, rows_of(c), 1e-12, "G a + gamma");
  const double *const move[] = {m.dq, m.dv, m.da};
  for (int k = 0; k < 3; k++) {
    double part[3];
    derivative_along(part, rows_of(c), acceleration, s, c, (what_moves)k, move[k], 0.01);
    for (int i = 0; i < rows_of(c); i++)
      expected[i] += part[i];
  }
  check_all_near(bend, expected, rows_of(c), 1e-8, c->slips ? "slip" : fly_primitive_types[c->kind].name);
}

static void walk(bool slips, int kinds) {
  uint64_t seed = 5;
  for (int kind = 0; kind < kinds; kind++)
    for (int n = 0; n < STATES;) {
      const bodies s = random_bodies(2, &seed);
      subject c = {.slips = slips, .kind = kind, .radius = 0.7};
      c.k = (fly_primitive){random_int(&seed, 3), random_int(&seed, 3), 1.5 + random_double(&seed)};
      if (!regular(&s, &c))
        continue;
      check(&c, &s, &seed);
      n++;
    }
}

static void primitives_bend_as_differences_say(void **state) { walk(false, FLY_PRIMITIVES); }
static void slips_bend_as_differences_say(void **state) { walk(true, FLY_SLIPS); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(primitives_bend_as_differences_say),
      cmocka_unit_test(slips_bend_as_differences_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
