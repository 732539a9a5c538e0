// flyball verify: the car of GENALPHA with its semi-active suspension, by the example `car`.
#include <math.h>
#include <string.h>

#include "example.h"
#include "verify.h"

enum { ROWS = 901, BEFORE = 100 }; // one each 10 ms; the lane change begins at 1 s

enum { X, Y, Z, ROLL, PITCH, FL, FR, RL, RR, REBOUND, COMPRESSION, RATE, ACCELERATION, CHANNELS };
static const char *const channels[CHANNELS] = {"body.x",
                                               "body.y",
                                               "body.z",
                                               "roll_angle",
                                               "pitch_angle",
                                               "fl.current",
                                               "fr.current",
                                               "rl.current",
                                               "rr.current",
                                               "rr.strut.damper.p_reb",
                                               "rr.strut.damper.p_comp",
                                               "rr.strut.rate",
                                               "body.accy"};

static const double RESERVOIR = 4e5, SOFT = 0.3, HARD = 1.6; // of the model: Pa, A

typedef struct drive {
  const char *set;    // or NULL
  double step, error; // one of them NAN
  fly_status status;
  fly_error failure;
  fly_stats stats;
  int place[CHANNELS], rows;
  double value[ROWS][CHANNELS];
} drive;

static void keep(const double *row, void *user) {
  drive *d = user;
  if (d->rows == ROWS)
    return;
  for (int i = 0; i < CHANNELS; i++)
    d->value[d->rows][i] = row[d->place[i]];
  d->rows++;
}

static fly_status go(drive *d, const fly_mechanism *m) {
  fly_run *run = NULL;
  fly_run_options o = fly_run_options_default();
  o.method.name = isfinite(d->step) ? "ch" : "radau";
  o.method.rho = isfinite(d->step) ? 0.9 : (double)NAN;
  o.step = d->step;
  o.error = d->error;
  o.calibrate = o.estimate_error = "no";
  o.channels = "bodies,accelerations,states,variables";
  o.row = keep;
  o.user = d;
  fly_status status = fly_run_create(&run, m, &o, &d->failure);
  for (int i = 0; i < CHANNELS && status == FLY_OK; i++)
    d->place[i] = fly_run_channel(run, channels[i]);
  if (status == FLY_OK)
    status = fly_run_start(run, &d->failure);
  if (status == FLY_OK)
    status = fly_run_go(run, &d->failure);
  if (run)
    d->stats = fly_run_stats(run);
  fly_run_free(run);
  return status;
}

static bool run_car(verify *v, drive *d, const char *what) {
  const cli_example *e = cli_example_find("car");
  fly_mechanism *m = NULL;
  d->status = fly_mechanism_parse(&m, "car", e->text, e->length, d->set != NULL, &d->set, &d->failure);
  if (d->status == FLY_OK)
    d->status = go(d, m);
  fly_mechanism_free(m);
  return verify_check_that(v, d->status == FLY_OK && d->rows == ROWS, "%s: the run arrives%s%s", what,
                           d->status ? ": " : "", d->status ? d->failure.message : "");
}

// ---------------------------------------------------------------------------------------------- what is looked at

// Largest deviation from where it was before the lane change.
static double largest(const drive *d, int channel) {
  double worst = 0;
  for (int k = BEFORE; k < ROWS; k++)
    worst = fmax(worst, fabs(d->value[k][channel] - d->value[BEFORE - 1][channel]));
  return worst;
}

static double apart(const drive *a, const drive *b, int first, int last) {
  double worst = 0;
  for (int k = BEFORE; k < ROWS; k++)
    for (int i = first; i <= last; i++)
      worst = fmax(worst, fabs(a->value[k][i] - b->value[k][i]));
  return worst;
}

// Share of the time in which the currents stand at a limit.
static double saturated(const drive *d) {
  int count = 0;
  for (int k = BEFORE; k < ROWS; k++)
    for (int i = FL; i <= RR; i++)
      count += d->value[k][i] <= SOFT + 1e-6 || d->value[k][i] >= HARD - 1e-6;
  return count / (4.0 * (ROWS - BEFORE));
}

// Mean over the times at which the damper extends (sign 1) or is compressed (-1) by more than 20 mm/s, of the pressure
// of the compression chamber over that of the rebound chamber, both above the reservoir.
static double pressure_ratio(const drive *d, int sign) {
  double sum = 0;
  int count = 0;
  for (int k = BEFORE; k < ROWS; k++)
    if (sign * d->value[k][RATE] > 0.02) {
      sum += (d->value[k][COMPRESSION] - RESERVOIR) / (d->value[k][REBOUND] - RESERVOIR);
      count++;
    }
  return count > 0 ? sum / count : (double)NAN;
}

static void draw(verify_figure *f, const char *title, const char *style, const drive *d, int x, int y, double unit) {
  verify_curve(f, title, style);
  for (int k = 0; k < ROWS; k++)
    verify_point(f, x < 0 ? k / 100.0 : d->value[k][x], d->value[k][y] / unit);
}

static void draw_all(verify *v, const drive *active, const drive *passive) {
  static const char *const colours[] = {"lines lc 1", "lines lc 2", "lines lc 3", "lines lc 4"};
  static const char *const wheels[] = {"front left", "front right", "rear left", "rear right"};
  verify_figure f;
  verify_figure_begin(&f, v, "car");
  verify_panel(&f, "set title 'Fig. 12: trajectory'\nset xlabel 'x [m]'\nset ylabel 'y [m]'");
  draw(&f, "semi-active", "lines lc 1", active, X, Y, 1);
  draw(&f, "passive", "lines lc 8 dt 2", passive, X, Y, 1);
  verify_panel(&f, "set title 'Fig. 13: roll and pitch'\nset xlabel 't [s]'\nset ylabel 'angle [deg]'");
  draw(&f, "roll", "lines lc 1", active, -1, ROLL, 1);
  draw(&f, "roll, passive", "lines lc 1 dt 2", passive, -1, ROLL, 1);
  draw(&f, "pitch", "lines lc 2", active, -1, PITCH, 1);
  draw(&f, "pitch, passive", "lines lc 2 dt 2", passive, -1, PITCH, 1);
  verify_panel(&f, "set title 'Fig. 14: currents'\nset xlabel 't [s]'\nset ylabel 'current [A]'");
  for (int i = 0; i < 4; i++)
    draw(&f, wheels[i], colours[i], active, -1, FL + i, 1);
  verify_panel(&f, "set title 'Fig. 15: pressures, rear right'\nset xlabel 't [s]'\nset ylabel 'pressure [bar]'");
  draw(&f, "rebound", "lines lc 1", active, -1, REBOUND, 1e5);
  draw(&f, "compression", "lines lc 2", active, -1, COMPRESSION, 1e5);
  verify_figure_end(&f, v, "The lane change of the car (GENALPHA Figs. 12 to 15).");
}

// ---------------------------------------------------------------------------------------------- checks

static void check_statements(verify *v, const drive *active, const drive *passive) {
  verify_check(v, largest(active, ROLL) / largest(passive, ROLL), AT_MOST, 0.9, "roll, semi-active over passive");
  verify_check(v, largest(active, PITCH) / largest(passive, PITCH), AT_MOST, 0.9, "pitch, semi-active over passive");
  verify_check(v, fabs(active->value[ROWS - 1][Y]), AT_LEAST, 0.5, "lateral drift at the end [m]");
  verify_check(v, saturated(active), AT_LEAST, 0.3, "share of the time in which currents are at a limit");
  verify_check(v, pressure_ratio(active, 1), AT_MOST, 0.1, "extending: compression over rebound pressure");
  verify_check_near(v, pressure_ratio(active, -1), 1, 0.1, "compressed: compression over rebound pressure");
}

static void check_order(verify *v, const drive *reference, const drive *steps, int count) {
  double place[3], acceleration[3];
  verify_table_begin(v, "h | steps | position [m] | body.accy [m/s^2]", "Fixed steps against radau at 1e-6.");
  for (int i = 0; i < count; i++) {
    place[i] = apart(reference, &steps[i], X, Z);
    acceleration[i] = apart(reference, &steps[i], ACCELERATION, ACCELERATION);
    verify_row(v, "%g | %ld | %.2e | %.2e", steps[i].step, steps[i].stats.steps, place[i], acceleration[i]);
  }
  verify_table_end(v);
  verify_check_near(v, verify_order(place[count - 2], place[count - 1], 2), 2, 0.4, "order in positions");
  verify_check(v, verify_order(acceleration[count - 2], acceleration[count - 1], 2), AT_LEAST, 1.6,
               "order in the lateral acceleration");
}

void verify_car(verify *v) {
  static drive active = {.step = 0.01, .error = NAN}, passive = {.set = "active=0", .step = 0.01, .error = NAN};
  static drive reference = {.step = NAN, .error = 1e-6};
  static drive fine[3] = {
      {.step = 5e-3, .error = NAN}, {.step = 2.5e-3, .error = NAN}, {.step = 1.25e-3, .error = NAN}};
  verify_say(
      v,
      "The car of GENALPHA, \"Semi-active suspension\": a lane change at 10 m/s by a driver who does not look, "
      "without engine and brakes, by CH(0.9) for q and x with h = 0.01 s, as in the paper. The paper gives no data of "
      "the car "
      "and prints no numbers; what it says of Figs. 12 to 15 is checked: the car drifts sideways, currents are ruled "
      "by their saturation, the pressure of the compression chamber is very low in extension and close to "
      "that of the rebound chamber in compression. `flyball run examples/car.yaml`.");
  bool there = run_car(v, &active, "semi-active, h = 0.01") && run_car(v, &passive, "passive, h = 0.01");
  if (!there)
    return;
  verify_note(v, "%ld steps; roll up to %.2f deg (passive %.2f), pitch %.2f deg (%.2f), y = %.2f m at the end.",
              active.stats.steps, largest(&active, ROLL), largest(&passive, ROLL), largest(&active, PITCH),
              largest(&passive, PITCH), active.value[ROWS - 1][Y]);
  check_statements(v, &active, &passive);
  draw_all(v, &active, &passive);
  if (v->quick)
    return;
  there = run_car(v, &reference, "radau, error 1e-6");
  for (int i = 0; i < 3 && there; i++)
    there = run_car(v, &fine[i], "finer steps");
  if (there)
    check_order(v, &reference, fine, 3);
}
