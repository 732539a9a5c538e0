// A body of finite elements that a turn stiffens: frequencies of one that turns about its held end, of beams and of
// tetrahedra, against published ones and against the flexible-beam; and what is lost without it.
//
// labels: slow
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "fem/meshes.h"
#include "fem/reduce.h"
#include "system/reduced.h"

#include "flyball/model.h"
#include "flyball/modes.h"

#undef I // of complex.h

static const double PI = 3.14159265358979323846;
enum { ROWS = 400 }; // of a run

static int set_up(void **state) {
  snprintf(folder, sizeof folder, "/tmp/flyball-turning-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int clean_up(void **state) {
  static const char *const names[] = {"mesh.inp", "body.h5", "model.yaml"};
  for (int k = 0; k < 3; k++) {
    char path[300];
    path_of(path, names[k]);
    remove(path);
  }
  return rmdir(folder);
}

// mesh.inp to body.h5. Modes that stretch it are off: they only ring. It starts in the first two of the others.
static void reduce_mesh(const fly_reduce_interface face[2], char off[1000], char start[1000]) {
  char mesh[300], out[300];
  fly_reduce_options o = fly_reduce_options_default();
  path_of(mesh, "mesh.inp");
  path_of(out, "body.h5");
  o.mesh = mesh;
  o.out = out;
  o.ninterface = 2;
  o.interface = face;
  o.stiffening = "hub";
  fly_reduction *r = reduce_or_fail(&o);
  const int m = r->info.modes;
  const double *tip = r->phi + (size_t)r->interface_row[1] * 3 * (size_t)m;
  size_t length = 0;
  snprintf(start, 1000, "1e-4, 1e-4");
  for (int j = 0; j < m; j++)
    if (fabs(tip[3 * j]) > 0.05)
      length += (size_t)snprintf(off + length, 1000 - length, "%s%d", length ? ", " : "", j + 1);
    else if (j >= 2)
      strcat(start, ", 0");
  assert_true(length > 0 && length < 900);
  fly_reduction_free(r);
}

// Hann's window over the rows of z, and the frequency [rad/s] where it has most, near one that is expected.
static double share(const double *z, double dt, double w) {
  double re = 0, im = 0;
  for (int k = 0; k < ROWS; k++) {
    const double window = 1 - cos(2 * PI * k / (ROWS - 1));
    re += window * z[k] * cos(w * k * dt);
    im += window * z[k] * sin(w * k * dt);
  }
  return hypot(re, im);
}

static double strongest(double *z, double dt, double wanted) {
  double best = wanted, step = wanted / 200, mean = 0;
  for (int k = 0; k < ROWS; k++)
    mean += z[k] / ROWS;
  for (int k = 0; k < ROWS; k++)
    z[k] -= mean;
  for (int k = -100; k <= 100; k++)
    if (share(z, dt, wanted + step * k) > share(z, dt, best))
      best = wanted + step * k;
  for (; step > 1e-7 * wanted; step *= 0.6)
    for (int side = -1; side <= 1; side += 2)
      if (share(z, dt, best + side * step) > share(z, dt, best))
        best += side * step;
  return best;
}

#define TURNING                                                                                                        \
  "flyball: 1\nbodies: {t: {%s, angular_velocity: [0, 0, %.15g]}}\njoints: {j: {type: revolute, from: ground, to: "    \
  "t.hub}}\nmotions: {m: {joint: j, angle: %.15g*time}}\n"                                                             \
  "outputs: {y: 'dy(t.tip, t.hub, t.hub)', z: 'dz(t.tip, t.hub, t.hub)'}\n"

// Ten periods of the flap, by the method of order 5; found: out of the plane, in it.
static void turn(const char *body, double speed, const double wanted[2], double found[2]) {
  char text[3000], path[300];
  static double move[2][ROWS];
  const double dt = 2 * PI / wanted[0] / (ROWS / 10);
  fly_dae_options o = fly_dae_options_default();
  fly_method_request by = fly_method_request_default();
  fly_error error = {0};
  snprintf(text, sizeof text, TURNING, body, speed, speed);
  put_text("model.yaml", text);
  path_of(path, "model.yaml");
  machine *m = machine_file(path);
  by.name = "radau";
  assert_ok(fly_dae_options_method(&o, &by, &error), &error);
  o.step = dt;
  machine_independent_rows(m);
  assert_ok(fly_solver_create(&m->solver, &m->system.dae, &o, &error), &error);
  assert_ok(fly_solver_start(m->solver, 0, ROWS * dt, m->system.q0, m->system.v0, m->system.x0, &error), &error);
  for (int k = 0; k < ROWS; k++) {
    const fly_dae_state at = machine_at(m, k * dt);
    move[0][k] = machine_output(m, &at, "z");
    move[1][k] = machine_output(m, &at, "y");
  }
  machine_free(m);
  for (int k = 0; k < 2; k++) {
    if (wanted[k] == 0)
      continue; // is not asked for
    found[k] = strongest(move[k], dt, wanted[k]);
    say("%s the plane %.6g rad/s at %.4g rad/s, in theory %.6g: off by %.1e\n", k ? "in" : "out of", found[k], speed,
        wanted[k], found[k] / wanted[k] - 1);
  }
}

// First frequencies out of the plane of the turn, of a cantilever that turns at W sqrt(EI/mu)/L^2 about its held end
// (Wright, Smith, Thresher and Wang, J. Appl. Mech. 49, 1982).
static const double FLAPS[][2] = {{0, 3.5160}, {1, 3.6817}, {3, 4.7973}, {6, 7.3604}, {12, 13.1702}};
enum { SPEEDS = 5 };

#define HELD "type: flexible, file: body.h5, modes_off: [%s], deformed: [%s], stiffening: %s, "

// A steel rod of 1 m and 8 mm, from x on; unit: sqrt(EI/mu)/L^2
static const double UNIT = 10.344388306; // sqrt(2.1e11/7850) 0.004/2
static void reduce_rod(double x, char off[1000], char start[1000]) {
  const fly_reduce_interface face[2] = {{.name = "hub", .node = 1}, {.name = "tip", .node = 25}};
  const line b = {.from = {x, 0, 0},
                  .to = {x + 1, 0, 0},
                  .elements = 24,
                  .type = "B33",
                  .section = "SECTION=CIRC\n0.004",
                  .y = "0, 1, 0"};
  char path[300];
  path_of(path, "mesh.inp");
  write_line(path, &b);
  reduce_mesh(face, off, start);
}

static void a_turn_stiffens_beams(void **state) {
  char off[1000], start[1000], body[3000];
  reduce_rod(0, off, start);
  for (int k = 0; k < SPEEDS; k++) {
    const double W = FLAPS[k][0], flap = FLAPS[k][1];
    const double wanted[2] = {flap * UNIT, sqrt(flap * flap - W * W) * UNIT};
    double on[2], without[2];
    snprintf(body, sizeof body, HELD "markers: {hub: {node: hub}, tip: {node: tip}}", off, start, "on");
    turn(body, W * UNIT, wanted, on);
    assert_near(on[0] / wanted[0], 1, 2e-4);
    assert_near(on[1] / wanted[1], 1, 2e-3);
    if (W == 0 || W > 6) // at 12 it runs away without
      continue;
    snprintf(body, sizeof body, HELD "markers: {hub: {node: hub}, tip: {node: tip}}", off, start, "off");
    turn(body, W * UNIT, wanted, without);
    assert_true(without[0] < 0.995 * wanted[0] && without[1] < 0.995 * wanted[1]);
    if (W >= 3)
      assert_true(without[0] < 0.95 * wanted[0] && without[1] < 0.92 * wanted[1]);
  }
}

// Held at a hub of half its length, that turns about the origin of the mesh: as the flexible-beam, which is made in
// another way, has it. From above by the mode at rest (Southwell): w^2 = 3.516^2 + (1.193 + 1.571/2) W^2.
static void a_hub_stiffens_more(void **state) {
  char off[1000], start[1000], body[3000];
  const double W = 6, guess = 3.516 * 3.516 + (1.193 + 1.571 / 2) * W * W;
  const double wanted[2] = {sqrt(guess) * UNIT, sqrt(guess - W * W) * UNIT};
  double beam[2], found[2];
  turn("type: flexible-beam, position: [0.5, 0, 0], velocity: [0, 31.033164918, 0], length: 1, density: 7850, "
       "youngs_modulus: 2.1e11, shear_modulus: "
       "8e10, circle: 0.008, bends: [5, 5], stretches: 0, twists: 0, stiffening: on, deformed: [1e-4, 0, 0, 0, 0, "
       "1e-4, 0, 0, 0, 0], markers: {hub: [-0.5, 0, 0], tip: [1, 0, 0]}",
       W * UNIT, wanted, beam);
  reduce_rod(0.5, off, start);
  snprintf(body, sizeof body, HELD "markers: {hub: {node: hub, at: [-0.5, 0, 0]}, tip: {node: tip}}", off, start, "on");
  turn(body, W * UNIT, beam, found);
  for (int k = 0; k < 2; k++) {
    assert_true(beam[k] < wanted[k] && beam[k] > 0.97 * wanted[k]);
    assert_near(found[k] / beam[k], 1, 1e-3);
  }
}

static void a_turn_stiffens_a_solid(void **state) {
  const fly_reduce_interface face[2] = {{.name = "hub", .set = "LEFT"}, {.name = "tip", .set = "RIGHT"}};
  const box b = {.size = {0.5, 0.03, 0.01}, .cells = {12, 1, 1}, .E = 2.1e11, .nu = 0, .density = 7850};
  const double unit = sqrt(2.1e11 / 7850 * 1e-4 / 12) / 0.25;
  char path[300], off[1000], start[1000], body[3000];
  path_of(path, "mesh.inp");
  write_box(path, &b);
  reduce_mesh(face, off, start);
  for (int k = 0; k < SPEEDS; k++) {
    const double W = FLAPS[k][0], wanted[2] = {FLAPS[k][1] * unit, 0};
    double found[2];
    snprintf(body, sizeof body, HELD "position: [0, -0.015, -0.005], markers: {hub: {node: hub}, tip: {node: tip}}",
             off, start, "on");
    turn(body, W * unit, wanted, found);
    assert_near(found[0] / wanted[0], 1, 5e-3);
    if (W != 6)
      continue;
    snprintf(body, sizeof body, HELD "position: [0, -0.015, -0.005], markers: {hub: {node: hub}, tip: {node: tip}}",
             off, start, "off");
    turn(body, W * unit, wanted, found);
    assert_true(found[0] < 0.95 * wanted[0]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_turn_stiffens_beams),
      cmocka_unit_test(a_hub_stiffens_more),
      cmocka_unit_test(a_turn_stiffens_a_solid),
  };
  return cmocka_run_group_tests(tests, set_up, clean_up);
}
