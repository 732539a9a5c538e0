// The law of contact: derivatives of force and moment against differences at random states, power against energy and
// heat, restitution against quadrature, and that nothing ever pulls.
#include "element/contact.h"

#include "element/states.h"

// ------------------------------------------------------------------------------------------ derivatives

typedef struct tried {
  fly_contact contact;
  fly_contact_pair pair[2];
  double memory[16], x[48];
} tried;

static tried random_contact(uint64_t *seed, int law, int kind) {
  static const fly_core core[][2] = {{FLY_CORE_PLANE, FLY_CORE_POINT},    {FLY_CORE_BOX, FLY_CORE_PLANE},
                                     {FLY_CORE_POINT, FLY_CORE_POINT},    {FLY_CORE_SEGMENT, FLY_CORE_SEGMENT},
                                     {FLY_CORE_POINT, FLY_CORE_SEGMENT},  {FLY_CORE_POINT, FLY_CORE_BOX},
                                     {FLY_CORE_PLANE, FLY_CORE_CYLINDER}, {FLY_CORE_POINT, FLY_CORE_CYLINDER}};
  tried t = {.contact = {.press = {.law = (fly_press_law)law,
                                   .exponent = law == FLY_PRESS_LINEAR ? 1 : 1.5,
                                   .damping = 0.1,
                                   .depth = 0.7,
                                   .alpha = law == FLY_PRESS_HERTZ ? 0.4 : 0,
                                   .slow = 1},
                         .rub = {.law = (fly_rub_law)(1 + kind % 3),
                                 .mu = 0.3,
                                 .mu_static = 0.4,
                                 .speed = 3,
                                 .transition = 2,
                                 .stiffness = 0.4,
                                 .damping = 0.05},
                         .roll = {.rolling = 0.3, .spinning = 0.2, .slow = 0.7},
                         .whose = kind % 2,
                         .npair = 1,
                         .pair = NULL}};
  fly_solid *both[2] = {&t.pair[0].a, &t.pair[0].b};
  for (int k = 0; k < 2; k++) {
    *both[k] = (fly_solid){.core = core[kind][k], .radius = 2, .half = {1, 1.5, 2}};
    if (both[k]->core == FLY_CORE_PLANE || both[k]->core >= FLY_CORE_BOX)
      both[k]->radius = 0;
    random_vector(both[k]->at, 3, 0.3, seed);
    random_rotation(both[k]->A, seed);
  }
  t.pair[0].stiffness = 3;
  t.pair[0].spots = t.contact.nspot = fly_touch_spots(&t.pair[0].a, &t.pair[0].b);
  for (int k = 0; k < 16; k++)
    t.memory[k] = 2;
  random_vector(t.x, 48, 0.8, seed);
  random_vector(t.contact.belt, 3, 2, seed);
  return t;
}

static fly_force_at at_of(const bodies *s, const tried *t) {
  return (fly_force_at){
      .count = 2, .marker = {{&s->b[0], &s->m[0]}, {&s->b[1], &s->m[1]}}, .memory = t->memory, .x = t->x};
}

static void force_of(double *out, const bodies *s, const void *user) {
  tried t = *(const tried *)user;
  t.contact.pair = t.pair;
  const fly_force_at at = at_of(s, &t);
  fly_contact_force.force(out, &at, &t.contact);
}

static double size_of(const double *u, int n) {
  double most = 0;
  for (int k = 0; k < n; k++)
    most = fmax(most, fabs(u[k]));
  return most;
}

static bool agrees(const bodies *s, const tried *t, double *touched) {
  double K[144], C[144], Kd[144], Cd[144], Q[12];
  tried own = *t;
  own.contact.pair = own.pair;
  const fly_force_at at = at_of(s, &own);
  fly_contact_force.derivatives(K, C, &at, &own.contact);
  force_of(Q, s, t);
  *touched = size_of(Q, 12);
  jacobian_by_differences(Kd, 12, force_of, s, t, MOVE_Q, 1e-4);
  jacobian_by_differences(Cd, 12, force_of, s, t, MOVE_V, 1e-3);
  for (int k = 0; k < 144; k++)
    if (fabs(K[k] - Kd[k]) > 1e-6 * (1 + size_of(Kd, 144)) || fabs(C[k] - Cd[k]) > 1e-6 * (1 + size_of(Cd, 144)))
      return false;
  return true;
}

// A few states lie where a spot begins to touch, or a feature ends, within the reach of differences.
static void forces_have_their_derivatives(void **state) {
  uint64_t seed = 5;
  int wrong = 0, touching = 0;
  for (int n = 0; n < 480; n++) {
    const bodies s = random_bodies(2, &seed);
    const tried t = random_contact(&seed, n % 4, n / 4 % 8);
    double touched;
    wrong += !agrees(&s, &t, &touched);
    touching += touched > 0;
  }
  assert_true(touching > 200);
  assert_in_range(wrong, 0, 8);
}

// ------------------------------------------------------------------------------------------ springs along the surface

static void rates_of(double *out, const bodies *s, const void *user) {
  tried t = *(const tried *)user;
  double rate[48] = {0};
  t.contact.pair = t.pair;
  const fly_force_at at = at_of(s, &t);
  fly_contact_force.rates(rate, &at, &t.contact);
  memcpy(out, rate, 3 * sizeof *out); // of the first spot
}

static bool springs_agree(const bodies *s, const tried *t) {
  double Q_x[12 * 48] = {0}, q[12 * 48] = {0}, v[12 * 48] = {0}, x[48 * 48] = {0}, by_q[36], by_v[36];
  tried own = *t;
  own.contact.pair = own.pair;
  const int n = fly_contact_force.states(&own.contact);
  const fly_force_slopes slopes = {Q_x, q, v, x};
  const fly_force_at at = at_of(s, &own);
  fly_contact_force.slopes(&slopes, &at, &own.contact);
  jacobian_by_differences(by_q, 3, rates_of, s, t, MOVE_Q, 1e-4);
  jacobian_by_differences(by_v, 3, rates_of, s, t, MOVE_V, 1e-4);
  bool good = true;
  for (int k = 0; k < 36; k++)
    good = good && fabs(q[k] - by_q[k]) < 1e-5 * (1 + size_of(by_q, 36)) && fabs(v[k] - by_v[k]) < 1e-5;
  for (int c = 0; c < 3; c++) {
    tried up = *t, down = *t;
    double a[12], b[12], ra[3], rb[3];
    up.x[c] += 1e-6;
    down.x[c] -= 1e-6;
    force_of(a, s, &up);
    force_of(b, s, &down);
    rates_of(ra, s, &up);
    rates_of(rb, s, &down);
    for (int k = 0; k < 12; k++)
      good = good && fabs(Q_x[n * k + c] - (a[k] - b[k]) / 2e-6) < 1e-6 * (1 + size_of(Q_x, 12 * n));
    for (int k = 0; k < 3; k++)
      good = good && fabs(x[n * k + c] - (ra[k] - rb[k]) / 2e-6) < 1e-6 * (1 + size_of(x, n * n));
  }
  return good;
}

static void springs_have_their_derivatives(void **state) {
  uint64_t seed = 9;
  int wrong = 0, looked = 0;
  for (int n = 0; n < 240; n++) {
    const bodies s = random_bodies(2, &seed);
    const tried t = random_contact(&seed, n % 4, n / 4 % 8);
    if (!fly_rub_has_state(&t.contact.rub))
      continue;
    wrong += !springs_agree(&s, &t);
    looked++;
  }
  assert_true(looked > 100);
  assert_in_range(wrong, 0, 4);
}

// ------------------------------------------------------------------------------------------ power

static double energy_of(const bodies *s, tried *t) {
  t->contact.pair = t->pair;
  const fly_force_at at = at_of(s, t);
  return fly_contact_force.energy(&at, &t->contact);
}

// Q . v = -dE/dt - D + P, D is never negative, and P is what runs the surface.
static void power_is_energy_and_heat(void **state) {
  uint64_t seed = 6;
  int wrong = 0;
  for (int n = 0; n < 240; n++) {
    const bodies s = random_bodies(2, &seed);
    tried t = random_contact(&seed, n % 4, n / 4 % 8);
    double v[12], Q[12], power = 0;
    velocities(v, &s);
    force_of(Q, &s, &t);
    for (int k = 0; k < 12; k++)
      power += Q[k] * v[k];
    const bodies up = moved(&s, MOVE_Q, v, 1e-6), down = moved(&s, MOVE_Q, v, -1e-6);
    const double grows = (energy_of(&up, &t) - energy_of(&down, &t)) / 2e-6;
    const fly_force_at at = at_of(&s, &t);
    const double heat = fly_contact_force.dissipation(&at, &t.contact);
    const double comes = fly_contact_force.driven(&at, &t.contact);
    assert_true(heat >= -1e-12 || fly_rub_has_state(&t.contact.rub)); // what springs give back is no loss
    wrong += fabs(power + grows + heat - comes) > 1e-5 * (1 + fabs(power));
  }
  assert_in_range(wrong, 0, 3);
}

// ------------------------------------------------------------------------------------------ restitution

// A unit mass against the law, by Runge and Kutta's rule: speed of the rebound over that of the blow.
static double rebound(const fly_press *k, double speed) {
  double d = 0, w = speed, top = 0;
  const double h = 5e-4 * pow(speed, (1 - k->exponent) / (k->exponent + 1)) / sqrt(k->stiffness);
  const fly_press_side touches = {1, 0};
  while (d >= 0) {
    double dd[5] = {0}, ww[5] = {0};
    const double part[4] = {0, 0.5, 0.5, 1};
    for (int n = 0; n < 4; n++) {
      const double dn = d + h * part[n] * dd[n], wn = w + h * part[n] * ww[n];
      const fly_pressed p = fly_press_at(k, dn, wn, speed, touches);
      assert_true(p.N >= 0 || dn < 0);
      dd[n + 1] = wn;
      ww[n + 1] = -p.N;
    }
    d += h / 6 * (dd[1] + 2 * dd[2] + 2 * dd[3] + dd[4]);
    w += h / 6 * (ww[1] + 2 * ww[2] + 2 * ww[3] + ww[4]);
    top = fmax(top, d);
  }
  assert_true(top > 0);
  return -w / speed;
}

static void restitution_is_kept_at_any_speed(void **state) {
  for (double e = 0.1; e < 1; e += 0.2)
    for (double speed = 0.02; speed < 100; speed *= 7) {
      fly_press k = {.law = FLY_PRESS_HUNT_CROSSLEY,
                     .stiffness = 1e4,
                     .exponent = e < 0.5 ? 1.5 : 2,
                     .alpha = fly_press_alpha(e),
                     .slow = 0.01};
      assert_near(rebound(&k, speed), e, 2e-4);
      k.law = FLY_PRESS_HERTZ;
      k.exponent = 1.5;
      assert_near(rebound(&k, speed), e, 2e-4);
    }
}

// A unit mass against k d^1.5 + c s(d/depth) w, never below 0, s(u) = u^2 (3 - 2 u) up to 1: over the way d, with the
// energy E = w^2/2, dE/dd = -+ force, by the middle of many short pieces; in, and then out from where it turned.
static double rebound_by_quadrature(const fly_press *k, double speed) {
  const double piece = 2e-6 * pow(1.25 * speed * speed / k->stiffness, 0.4);
  double d = 0, E = speed * speed / 2;
  for (int out = 0; out < 2; out++)
    while (out ? d > piece / 2 : E > 0) {
      const double at = out ? d - piece / 2 : d + piece / 2, u = fmin(at / k->depth, 1), s = u * u * (3 - 2 * u);
      const double start = sqrt(2 * fmax(E, 0)), spring = k->stiffness * pow(at, 1.5);
      // the speed in the middle of the piece, by the force at its start
      const double first = fmax(spring + (out ? -1 : 1) * k->damping * s * start, 0);
      const double w = sqrt(2 * fmax(E + (out ? 1 : -1) * first * piece / 2, 0));
      const double force = fmax(spring + (out ? -1 : 1) * k->damping * s * w, 0);
      E += (out ? 1 : -1) * force * piece;
      d += (out ? -1 : 1) * piece;
      if (!out && E <= 0) {
        d += E / force; // where it turned
        E = 0;
        break;
      }
    }
  return sqrt(2 * E) / speed;
}

static void an_impact_comes_back_as_quadrature_says(void **state) {
  for (double damping = 1; damping < 60; damping *= 3)
    for (double speed = 0.1; speed < 4; speed *= 5) {
      const fly_press k = {
          .law = FLY_PRESS_IMPACT, .stiffness = 1e6, .exponent = 1.5, .damping = damping, .depth = 1e-3};
      assert_near(rebound(&k, speed), rebound_by_quadrature(&k, speed), 2e-4);
    }
}

// With the damping ratio z a linear contact lets go where k d + c d' = 0, at the time acos(2 z^2 - 1)/w_d, and the
// speed there is exp(-z w_0 t) of that of the blow.
static double operations_between(fly_core a, fly_core b, int spots) {
  fly_contact_pair pair = {.a = {.core = a}, .b = {.core = b}, .spots = spots};
  const fly_contact contact = {.npair = 1, .pair = &pair};
  return fly_contact_force.operations(&contact);
}

// For method auto: balls are found at once, boxes on a plane corner by corner, cores and curves by a walk.
static void what_a_contact_takes_depends_on_its_solids(void **state) {
  const double balls = operations_between(FLY_CORE_POINT, FLY_CORE_POINT, 1),
               box = operations_between(FLY_CORE_PLANE, FLY_CORE_BOX, 8),
               boxes = operations_between(FLY_CORE_BOX, FLY_CORE_BOX, 8),
               curves = operations_between(FLY_CORE_CURVE, FLY_CORE_CURVE, 1);
  assert_true(balls > 0 && box == 8 * balls && boxes > 2 * box && curves > boxes);
}

static void a_linear_contact_lets_go_before_it_pulls(void **state) {
  for (double z = 0.05; z < 0.9; z += 0.2) {
    const fly_press k = {.law = FLY_PRESS_LINEAR, .stiffness = 400, .exponent = 1, .damping = 2 * z * 20};
    assert_near(rebound(&k, 3.0), exp(-z / sqrt(1 - z * z) * acos(2 * z * z - 1)), 1e-3);
  }
}

static void nothing_pulls(void **state) {
  uint64_t seed = 8;
  for (int n = 0; n < 1000; n++) {
    const fly_press k = {.law = (fly_press_law)(n % 4),
                         .stiffness = 100,
                         .exponent = n % 4 == FLY_PRESS_LINEAR ? 1 : 1.5,
                         .damping = 30,
                         .depth = 0.01};
    const fly_pressed p =
        fly_press_at(&k, 0.1 * random_double(&seed), 3 * random_double(&seed), 1, (fly_press_side){0, 0});
    assert_true(p.N >= 0);
    assert_true(p.heat >= -1e-12);
  }
}

// Beyond the end as just before it: a step that reaches there is told that the last push has begun. Wherever they touch
// the relation has the sign of the force.
static void the_last_push_is_seen_from_beyond_the_end(void **state) {
  uint64_t seed = 5;
  const fly_press_side touches = {1, 0}, pushes = {1, 1};
  for (int n = 0; n < 1000; n++) {
    const fly_press k = {.law = FLY_PRESS_IMPACT, .stiffness = 1e6, .exponent = 1.5, .damping = 60, .depth = 1e-3};
    const double d = 1.5e-3 * (1 + random_double(&seed)), w = 2 * random_double(&seed);
    assert_true(fly_press_at(&k, -d, w, 1, touches).push > 0);
    assert_true((fly_press_at(&k, d, w, 1, touches).push > 0) == (fly_press_at(&k, d, w, 1, pushes).N > 0));
  }
}

// Within a step a contact that touched is held to touch. Of rods that have come to cross one of two spots is no more:
// it does nothing then, as if nobody held it, and is not pulled back from as far as its gap is set.
static void what_is_held_but_absent_does_nothing(void **state) {
  static const signed char held[4] = {1, 0, 1, 0};
  uint64_t seed = 17;
  int seen = 0;
  for (int n = 0; n < 200; n++) {
    const bodies s = random_bodies(2, &seed);
    tried t = random_contact(&seed, FLY_PRESS_IMPACT, 3);
    double free[12], kept[12];
    t.contact.pair = t.pair;
    t.contact.press.damping = 0; // it pushes whenever it touches
    fly_force_at at = at_of(&s, &t);
    fly_contact_force.force(free, &at, &t.contact);
    at.side = held;
    fly_contact_force.force(kept, &at, &t.contact);
    for (int k = 0; size_of(free, 12) > 0 && k < 12; k++)
      assert_near(kept[k], free[k], 1e-12 * size_of(free, 12));
    seen += size_of(free, 12) > 0;
  }
  assert_true(seen > 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_held_but_absent_does_nothing),
                                     cmocka_unit_test(forces_have_their_derivatives),
                                     cmocka_unit_test(springs_have_their_derivatives),
                                     cmocka_unit_test(power_is_energy_and_heat),
                                     cmocka_unit_test(restitution_is_kept_at_any_speed),
                                     cmocka_unit_test(an_impact_comes_back_as_quadrature_says),
                                     cmocka_unit_test(a_linear_contact_lets_go_before_it_pulls),
                                     cmocka_unit_test(what_a_contact_takes_depends_on_its_solids),
                                     cmocka_unit_test(the_last_push_is_seen_from_beyond_the_end),
                                     cmocka_unit_test(nothing_pulls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
