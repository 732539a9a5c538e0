// The problems against published numbers and against each other: accelerations and multipliers from a dense solve, and
// whole motions followed by extrapolation of the index-1 equations. Nothing of the library takes part.
//
// labels: slow
#include "oracle.h"
#include "problems/seven_body.h"

static fly_problem make(const char *name, const char *variant) {
  fly_problem p;
  fly_error error = {0};
  if (fly_problem_make(&p, name, variant, 0, &error) != FLY_OK)
    fail_msg("%s", error.message);
  return p;
}

static void near(const char *what, double is, double should, double tolerance) {
  if (!(fabs(is - should) <= tolerance))
    fail_msg("%s is %.15g, should be %.15g (off by %.1e, allowed %.1e)", what, is, should, is - should, tolerance);
}

static void near_all(const char *what, const double *is, const double *should, int n, double tolerance) {
  char name[80];
  for (int i = 0; i < n; i++) {
    snprintf(name, sizeof name, "%s[%d]", what, i);
    near(name, is[i], should[i], tolerance);
  }
}

// ---------------------------------------------------------------------------------------------- starts

// Energy at the start, by hand.
static void test_start_energies(void **state) {
  (void)state;
  const struct {
    const char *name, *variant;
    double energy;
  } row[] = {
      {"pendulum", "newmark", -9.81 / 2},
      {"pendulum", "iftomm", 0},
      {"pendulum-family", NULL, 1 + 9.81 * sqrt(0.5)},
      {"double-pendulum", NULL, 2 + 9.81 * 3 * sqrt(0.5)},
      {"oscillator", "undamped", 2 * acos(-1.0) * acos(-1.0)},
      {"heavy-top", NULL, 7.5 * 4.61538 * 4.61538 + (0.46875 * 150 * 150 + 0.234375 * 4.61538 * 4.61538) / 2},
      {"four-bar", "parallelogram", 5.0 / 6 + 2 * 9.81}, // B2: 1 dof, (2/3 + 1)/2 theta'^2 + 2 g cos theta
      {"chain", NULL, 0},
      {"knife-edge", NULL, 0.2},
      {"redundant", NULL, 0},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    fly_problem p = make(row[i].name, row[i].variant);
    const point s = start_of(&p);
    near(row[i].name, energy_of(&p.dae, &s), row[i].energy, 1e-14 * fmax(1, row[i].energy));
    fly_problem_free(&p);
  }
}

// The start that NEWMARK prints; body 1 is "parallel with the global frame". Its y2' is 14.4888874, not 14.4888887.
static void test_stiff_double_pendulum_start(void **state) {
  (void)state;
  const double pi = acos(-1.0);
  const double q[6] = {1, 0, 2 * pi, 3.4488887, -0.388228, 23 * pi / 12}, v[6] = {0, 0, 0, 3.8822857, 14.4888874, 10};
  fly_problem p = make("stiff-double-pendulum", NULL), hard = make("stiff-double-pendulum", "hard");
  near_all("q0", p.q0, q, 6, 1e-6);
  near_all("v0", p.v0, v, 6, 1e-6);
  near_all("q0, hard", hard.q0 + 3, q + 3, 3, 1e-6);
  near_all("v0, hard", hard.v0, v, 6, 1e-6);
  near("theta1, hard", hard.q0[2], 0, 0);
  fly_problem_free(&p);
  fly_problem_free(&hard);
}

static void test_row_names(void **state) {
  (void)state;
  const struct {
    const char *name;
    int row;
    const char *text;
  } row[] = {{"double-pendulum", 0, "rod 1, length"}, {"stiff-double-pendulum", 3, "hinge, y"},
             {"seven-body", 0, "loop 1, x"},          {"seven-body", 5, "loop 3, y"},
             {"slider-crank", 2, "crank drive"},      {"seven-body-cartesian", 13, "hinge H of 4-5, y"},
             {"heavy-top", 1, "spherical joint, y"},  {"four-bar", 2, "crank-coupler hinge, x"},
             {"rolling-coin", 0, "contact height"},   {"rolling-coin", 2, "no slip, y"},
             {"redundant", 1, "rod again"},           {"lock", 1, "drive of slider A"}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    char text[80];
    fly_problem p = make(row[i].name, NULL);
    p.dae.row_name(text, sizeof text, row[i].row, p.dae.user);
    assert_string_equal(text, row[i].text);
    fly_problem_free(&p);
  }
}

// ---------------------------------------------------------------------------------------------- whole motions

// Followed to t (0: the end of the problem) in `steps`; errors are relative to the scales, and to the fastest speed.
typedef struct run {
  const char *name, *variant;
  double t;
  int steps;
  double q, v, energy; // what is allowed, ten times what was seen or more; energy relative to its value at the start
} run;

static const run runs[] = {
    {"pendulum", "newmark", 0, 200, 1e-11, 1e-11, 1e-11},
    {"pendulum", "iftomm", 0, 400, 1e-11, 1e-11, 1e-11},
    {"pendulum-family", NULL, 0, 400, 2e-11, 2e-11, 1e-11},
    {"double-pendulum", NULL, 0, 2000, 1e-9, 1e-9, 1e-11}, // chaotic
    {"seven-body", "testset", 0, 1000, 1e-11, 1e-11, 1e-11},
    {"seven-body", "iftomm", 0, 1600, 2e-11, 1e-11, 1e-11},
    {"seven-body-cartesian", "testset", 0, 600, 1e-11, 1e-11, 1e-11},
    {"slider-crank", "smooth-start", 0, 4000, 1e-9, 1e-9, 0},
    {"slider-crank", "rigid-start", 0, 4000, 1e-9, 1e-9, 0},
    {"slider-crank-ida", NULL, 0, 200, 1e-12, 1e-12, 0},
    {"spring-mass", NULL, 0, 200, 1e-12, 1e-12, 0},
    {"oscillator", "undamped", 0, 300, 1e-11, 1e-11, 1e-11},
    {"oscillator", "damped", 0, 300, 1e-12, 1e-12, 0},
    {"oscillator", "stiff", 0, 20000, 1e-13, 1e-13, 0},
    {"heavy-top", NULL, 0, 1000, 1e-11, 1e-11, 1e-12},
    {"four-bar", "parallelogram", 0.5, 50, 0, 0, 1e-12}, // short of its singular position
    {"four-bar", "grashof", 0, 1000, 5e-10, 5e-10, 1e-10},
    {"four-bar", "large", 0, 1000, 5e-9, 5e-9, 1e-8},
    {"chain", NULL, 0, 400, 0, 0, 1e-11},
    {"rolling-coin", NULL, 0, 500, 2e-11, 2e-11, 1e-12},
    {"knife-edge", NULL, 0, 200, 1e-11, 1e-11, 1e-11},
};

// Largest errors of q and v against the reference.
static void compare_end(double *q, double *v, const fly_problem *p, const point *s) {
  const fly_dae_problem *d = &p->dae;
  double speed = 1;
  *q = *v = 0;
  for (int i = 0; i < d->nq; i++) {
    const double scale = d->nrotation ? 1 : scale_of(d, i);
    *q = fmax(*q, fabs(s->q[i] - p->reference_q[i]) / fmax(scale, fabs(s->q[i])));
  }
  for (int i = 0; i < d->nv; i++)
    speed = fmax(speed, fabs(s->v[i]) / scale_of(d, i));
  for (int i = 0; i < d->nv; i++)
    *v = fmax(*v, fabs(s->v[i] - p->reference_v[i]) / (scale_of(d, i) * speed));
}

static void check_run(const run *r) {
  fly_problem p = make(r->name, r->variant);
  const fly_dae_problem *d = &p.dae;
  const double end = r->t > 0 ? r->t : p.t_end;
  point s = start_of(&p);
  const double before = d->energy ? energy_of(d, &s) : 0;
  follow(&s, d, end, r->steps);
  const double drift = d->energy ? fabs(energy_of(d, &s) - before) / fmax(1, fabs(before)) : 0;
  double q = 0, v = 0;
  if (p.reference_q && p.reference_t == end)
    compare_end(&q, &v, &p, &s);
  print_message("  %-22s %-14s q %.1e v %.1e energy %.1e\n", r->name, r->variant ? r->variant : "", q, v, drift);
  assert_int_equal(d->energy != NULL, r->energy > 0);
  if (!(q <= r->q && v <= r->v && drift <= r->energy))
    fail_msg("%s misses q by %.1e, v by %.1e, energy by %.1e", r->name, q, v, drift);
  fly_problem_free(&p);
}

static void test_motions(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
    check_run(&runs[i]);
}

// ---------------------------------------------------------------------------------------------- seven-body mechanism

// Published start of the test set, and the independent float128 column at its end.
static void test_seven_body_accelerations(void **state) {
  (void)state;
  fly_problem p = make("seven-body", NULL);
  const double w0[7] = {14222.4439199541138705911625887, -10666.8329399655854029433719415};
  const double lambda0[6] = {98.5668703962410896057654982170, -6.12268834425566265503114393122};
  point s = start_of(&p);
  assert_true(accelerate(&s, &p.dae));
  near_all("w(0)", s.vdot, w0, 7, 2e-8); // lengths of 1e-2, masses of 1e-3: eight digits below the largest
  near_all("lambda(0)", s.lambda, lambda0, 6, 1e-12);
  const double w[7] = {-24631.76312287463447005080, 51850.31963646423153375400, 324102.6007075786058119411,
                       566749.4220009953264932948,  16743.63541834544460964463, -566749.4220009953264932948,
                       9826.507801544162688490504};
  const double lambda[6] = {199.1753481045386281862395, -29.75530997497176332441573, 23.06654361162215112861737,
                            31.45272527577113707538454, 22.64249478639437857771292,  11.61739235261125590680148};
  s.t = p.reference_t;
  memcpy(s.q, p.reference_q, sizeof w);
  memcpy(s.v, p.reference_v, sizeof w);
  assert_true(accelerate(&s, &p.dae));
  near_all("w(0.03)", s.vdot, w, 7, 1e-7);
  near_all("lambda(0.03)", s.lambda, lambda, 6, 1e-10);
  fly_problem_free(&p);
}

static double angle_part(const double *a, int body) {
  return body == 0   ? a[0]
         : body == 1 ? a[0] + a[1]
         : body == 3 ? a[3] + a[4]
         : body == 5 ? a[5] + a[6]
                     : a[body == 2   ? 2
                         : body == 4 ? 4
                                     : 6];
}

// The Cartesian form at a state of the angle form: same energy, constraints met, same angular accelerations.
static void compare_forms(const fly_problem *angles, const fly_problem *cartesian, point *a) {
  point c = {.t = a->t};
  double g[MAX] = {0}, rate[MAX] = {0};
  fly_seven_body_to_cartesian(c.q, c.v, a->q, a->v);
  positions_residual(g, &cartesian->dae, &c);
  velocities_residual(rate, &cartesian->dae, &c);
  near("position rows", largest(g, 20), 0, 1e-13);
  near("velocity rows", largest(rate, 20), 0, 1e-10);
  const double E = energy_of(&angles->dae, a);
  near("energy", energy_of(&cartesian->dae, &c), E, 1e-13 * fmax(1, fabs(E)));
  assert_true(accelerate(a, &angles->dae));
  assert_true(accelerate(&c, &cartesian->dae));
  const double size = largest(a->vdot, 7);
  for (int i = 0; i < 7; i++)
    near("phi''", c.vdot[3 * i + 2], angle_part(a->vdot, i), 1e-9 * size);
}

// Along the motion, with the speed changed at random: all of these states fit the constraints.
static void test_seven_body_forms(void **state) {
  (void)state;
  fly_problem angles = make("seven-body", "iftomm"), cartesian = make("seven-body-cartesian", "iftomm");
  uint64_t seed = 5;
  point along = start_of(&angles);
  for (int n = 1; n <= 20; n++) {
    follow(&along, &angles.dae, 0.03 * n / 20, 50);
    point a = along;
    const double factor = 1 + noise(&seed);
    for (int i = 0; i < 7; i++)
      a.v[i] *= factor;
    compare_forms(&angles, &cartesian, &a);
  }
  fly_problem_free(&angles);
  fly_problem_free(&cartesian);
}

// T + V of random states that fit nothing: the mass matrix is that of the seven bodies at any angles.
static void test_seven_body_energy(void **state) {
  (void)state;
  fly_problem angles = make("seven-body", NULL), cartesian = make("seven-body-cartesian", NULL);
  uint64_t seed = 6;
  for (int n = 0; n < 50; n++) {
    point a = {0}, c = {0};
    for (int i = 0; i < 7; i++) {
      a.q[i] = 3 * noise(&seed);
      a.v[i] = 100 * noise(&seed);
    }
    fly_seven_body_to_cartesian(c.q, c.v, a.q, a.v);
    const double E = energy_of(&angles.dae, &a);
    near("energy", energy_of(&cartesian.dae, &c), E, 1e-13 * fmax(1, fabs(E)));
  }
  fly_problem_free(&angles);
  fly_problem_free(&cartesian);
}

// IFToMM A03: the start as published, and F = (rr cos beta, rr sin beta) on the way, from the independent history.
static void test_seven_body_iftomm(void **state) {
  (void)state;
  fly_problem p = make("seven-body", "iftomm");
  const double start[7] = {-0.0620, 2.14586854e-4, .455279812, .222668376, .487364981, -.222668376, 1.23054744};
  near_all("start", p.q0, start, 7, 6e-9);
  near("Theta", p.q0[1], start[1], 6e-13);
  near("F_x", 0.007 * cos(p.reference_q[0]), -5.158985250192e-03, 1e-14); // its own error
  near("F_y", 0.007 * sin(p.reference_q[0]), 4.731265284076e-03, 1e-14);  // its own error
  near("beta", p.reference_q[0], 33.81534072136, 6e-12);
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- slider cranks

// Set 2 of the test set, exactly; and the end of set 1.
static void test_slider_crank_accelerations(void **state) {
  (void)state;
  fly_problem rigid = make("slider-crank", "rigid-start"), smooth = make("slider-crank", NULL);
  point s = start_of(&rigid);
  assert_true(accelerate(&s, &rigid.dae));
  const double w0[7] = {0, 0, -3.789473684210526e3, 0, 0, 1.924342105263158e2, 1.273026315789474e3};
  near_all("w(0)", s.vdot, w0, 7, 1e-10);
  near("lambda2(0)", s.lambda[1], 2.863023157894737e2, 1e-12);
  const double w[7] = {0,
                       6488.737541124978478608943,
                       2167.938629337737304854297,
                       33.91137062121661546502559,
                       0.1715134343021158798688204,
                       -1.422449326175436667683495,
                       1.003946265185321266371934};
  const double lambda[3] = {-62.32935832773677402392477, -163.7920993237247288563519, 25.29857947000306628580961};
  s = start_of(&smooth);
  s.t = smooth.reference_t;
  memcpy(s.q, smooth.reference_q, sizeof w);
  memcpy(s.v, smooth.reference_v, sizeof w);
  assert_true(accelerate(&s, &smooth.dae));
  near_all("w(0.1)", s.vdot, w, 7, 2e-6); // stiffness 1e8 N/m on coordinates of 1e-5 m
  near_all("lambda(0.1)", s.lambda, lambda, 3, 1e-6);
  fly_problem_free(&rigid);
  fly_problem_free(&smooth);
}

// The published nine-digit start of set 1, with its accelerations.
static void test_slider_crank_published_start(void **state) {
  (void)state;
  fly_problem p = make("slider-crank", NULL);
  const double v[7] = {150, -74.9957670, -.268938672e-5, .444896105, .463434311e-2, -.178591076e-5, -.268938672e-5};
  const double w[7] = {0,
                       -1.344541576008661e-3,
                       -5.062194923138079e3,
                       -6.833142732779555e-5,
                       1.449382650173157e-8,
                       -4.268463211410861,
                       2.098334687947376e-1};
  const double lambda[3] = {-6.397251492537153e-8, 3.824589508329281e2, -4.376060460948886e-9};
  point s = start_of(&p);
  near_all("v0", s.v, v, 7, 5e-8); // what the projection changed
  memcpy(s.v, v, sizeof v);
  assert_true(accelerate(&s, &p.dae));
  near_all("w(0)", s.vdot, w, 7, 1e-6);
  near_all("lambda(0)", s.lambda, lambda, 3, 1e-7);
  fly_problem_free(&p);
}

// Five digits at some of the 41 published times.
static void test_slider_crank_ida(void **state) {
  (void)state;
  const double published[][4] = {{0.25, 1.5548, 0.87406, -0.52352},
                                 {9.5, 1.3266, 0.99533, -0.50655},
                                 {9.75, 1.3185, 0.99977, -0.50542},
                                 {10, 1.2757, 1.0236, -0.49881}};
  fly_problem p = make("slider-crank-ida", NULL);
  point s = start_of(&p);
  for (int n = 0; n < 4; n++) {
    follow(&s, &p.dae, published[n][0], n == 1 ? 200 : 20);
    near("q", s.q[0], published[n][1], 6e-5);
    near("x", s.q[1], published[n][2], 6e-5);
    near("p", s.q[2], published[n][3], 6e-5);
  }
  fly_problem_free(&p);
}

// ---------------------------------------------------------------------------------------------- the others

// The angular accelerations of NEWMARK's eqs. (53), (54) at random states.
static void test_stiff_double_pendulum(void **state) {
  (void)state;
  const double m1 = 3, m2 = 0.3, L1 = 1, L2 = 1.5, k1 = 400, k2 = 3e5, c1 = 15, c2 = 5e4, g = 9.81;
  fly_problem p = make("stiff-double-pendulum", NULL);
  uint64_t seed = 1;
  for (int n = 0; n < 20; n++) {
    const double a = 3 * noise(&seed), b = a + 0.1 * noise(&seed), u = 3 * noise(&seed), v = u + noise(&seed);
    point s = {.q = {L1 * cos(a), L1 * sin(a), a, 2 * L1 * cos(a) + L2 * cos(b), 2 * L1 * sin(a) + L2 * sin(b), b},
               .v = {-L1 * sin(a) * u, L1 * cos(a) * u, u, -2 * L1 * sin(a) * u - L2 * sin(b) * v,
                     2 * L1 * cos(a) * u + L2 * cos(b) * v, v}};
    assert_true(accelerate(&s, &p.dae));
    const double Q1 = 1.5 * acos(-1.0) * k1 - (k1 + k2) * a - (c1 + c2) * u + k2 * b + c2 * v;
    const double Q2 = k2 * (a - b) + c2 * (u - v), coupling = 2 * m2 * L1 * L2;
    const double left1 = 4 * L1 * L1 * (m1 / 3 + m2) * s.vdot[2] + coupling * cos(a - b) * s.vdot[5];
    const double left2 = coupling * cos(a - b) * s.vdot[2] + 4 * m2 * L2 * L2 / 3 * s.vdot[5];
    near("(53)", left1, Q1 - coupling * sin(a - b) * v * v - (m1 + 2 * m2) * g * L1 * cos(a), 1e-8);
    near("(54)", left2, Q2 + coupling * sin(a - b) * u * u - m2 * g * L2 * cos(b), 1e-8);
  }
  fly_problem_free(&p);
}

// GENALPHA: consistent start values q'' = -(k/m) q0, x' = (b k/m) q0; x at the end.
static void test_spring_mass(void **state) {
  (void)state;
  fly_problem p = make("spring-mass", NULL);
  point s = start_of(&p);
  assert_true(accelerate(&s, &p.dae));
  near("q''", s.vdot[0], -5, 1e-14);
  near("x'", s.xdot[0], 7, 1e-14);
  follow(&s, &p.dae, 20, 200);
  near("x(20)", s.x[0], -0.1105453809490839259, 1e-13);
  near("y1", s.y[1], tanh(s.x[0]), 1e-15);
  fly_problem_free(&p);
}

// IFToMM A02 with one window: theta'' = 1.2 g sin theta wherever the bars are not on the x axis, where the rows lose
// rank.
static void test_four_bar(void **state) {
  (void)state;
  fly_problem p = make("four-bar", NULL);
  const double up = acos(-1.0) / 2;
  for (int n = 0; n < 20; n++) {
    const double theta = 0.1 + 0.3 * n, c = cos(up - theta) / 2, s = sin(up - theta) / 2, w = 2;
    point a = {.q = {c, s, up - theta, 2 * c + 0.5, 2 * s, 0, 1 + c, s, up - theta},
               .v = {w * s, -w * c, -w, 2 * w * s, -2 * w * c, 0, w * s, -w * c, -w}};
    assert_true(accelerate(&a, &p.dae));
    near("theta''", -a.vdot[2], 1.2 * 9.81 * sin(theta), 1e-10);
    near("theta''", -a.vdot[8], 1.2 * 9.81 * sin(theta), 1e-10);
  }
  point flat = {.q = {0.5, 0, 0, 1.5, 0, 0, 1.5, 0, 0}};
  assert_false(accelerate(&flat, &p.dae));
  fly_problem_free(&p);
}

// Euler's disk: inclined by alpha, its centre at rest, it turns steadily when Omega^2 = 4 g/(a sin alpha).
static void test_rolling_coin_steady(void **state) {
  (void)state;
  const double a = 0.25, g = 9.81;
  fly_problem p = make("rolling-coin", NULL);
  for (double alpha = 0.2; alpha < 1.5; alpha += 0.2) {
    const double Omega = sqrt(4 * g / (a * sin(alpha)));
    // Turned by alpha about x: the steepest direction u in the disk is body y; omega lies along it.
    point s = {.q = {0, 0, a * sin(alpha), cos(alpha / 2), sin(alpha / 2), 0, 0},
               .v = {0, 0, 0, 0, Omega * sin(alpha), 0}};
    double residual[3] = {0};
    positions_residual(residual, &p.dae, &s);
    near("height", residual[0], 0, 1e-15);
    velocities_residual(residual, &p.dae, &s);
    near("slip", largest(residual, 3), 0, 1e-14);
    assert_true(accelerate(&s, &p.dae));
    near("centre's acceleration", largest(s.vdot, 3), 0, 1e-11);
  }
  fly_problem_free(&p);
}

// The redundant rows are equal, so that the accelerations have no unique multipliers. One of them is the pendulum's.
static void test_redundant_is_singular(void **state) {
  (void)state;
  fly_problem p = make("redundant", NULL), single = make("pendulum", NULL);
  point s = start_of(&p);
  assert_false(accelerate(&s, &p.dae));
  point a = {.q = {0.6, -0.8}, .v = {1, 0.75}};
  double twice[2], once[2];
  near("energy", energy_of(&p.dae, &a), energy_of(&single.dae, &a), 0);
  assert_true(accelerate(&a, &single.dae));
  a.lambda[0] *= 0.25;
  a.lambda[1] = 3 * a.lambda[0];
  equations(twice, &p.dae, &a);
  near_all("redundant", twice, (const double[]){0, 0}, 2, 1e-14);
  equations_bare(twice, &p.dae, &a);
  equations_bare(once, &single.dae, &a);
  near_all("force", twice, once, 2, 0);
  fly_problem_free(&p);
  fly_problem_free(&single);
}

// The rod's y' and the multipliers grow without bound as t -> 0.8: 2 y lambda1 = -m (g + y''), y y'' = -x'^2 - y'^2.
static void test_lock_grows(void **state) {
  (void)state;
  fly_problem p = make("lock", NULL);
  double last = 0;
  for (double left = 0.1; left > 1e-9; left /= 10) {
    const double t = 0.8 - left, x = 0.6 + 0.5 * t, y = sqrt((1 - x) * (1 + x));
    point s = {.t = t, .q = {x, y}, .v = {0.5, -0.5 * x / y}};
    assert_true(accelerate(&s, &p.dae));
    const double y2 = -(0.25 + s.v[1] * s.v[1]) / y;
    near("lambda1", s.lambda[0], -(9.81 + y2) / (2 * y), 1e-12 * fabs(y2 / y) + 1e-12);
    assert_true(fabs(s.lambda[0]) > 20 * last);
    last = fabs(s.lambda[0]);
  }
  point flat = {.t = 0.8, .q = {1, 0}, .v = {0.5, 0}};
  assert_false(accelerate(&flat, &p.dae));
  fly_problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_start_energies),
      cmocka_unit_test(test_stiff_double_pendulum_start),
      cmocka_unit_test(test_row_names),
      cmocka_unit_test(test_seven_body_accelerations),
      cmocka_unit_test(test_seven_body_forms),
      cmocka_unit_test(test_seven_body_energy),
      cmocka_unit_test(test_seven_body_iftomm),
      cmocka_unit_test(test_slider_crank_accelerations),
      cmocka_unit_test(test_slider_crank_published_start),
      cmocka_unit_test(test_slider_crank_ida),
      cmocka_unit_test(test_stiff_double_pendulum),
      cmocka_unit_test(test_spring_mass),
      cmocka_unit_test(test_four_bar),
      cmocka_unit_test(test_rolling_coin_steady),
      cmocka_unit_test(test_redundant_is_singular),
      cmocka_unit_test(test_lock_grows),
      cmocka_unit_test(test_motions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
