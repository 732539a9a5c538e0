// What the tests of kinematics and inverse dynamics share: a model from text, analysed, some channels of it kept.
#ifndef FLY_TESTS_ANALYSIS_DRIVEN_H
#define FLY_TESTS_ANALYSIS_DRIVEN_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flyball/model.h"
#include "support/motion.h"

enum { KEPT = 16 }; // channels at most

typedef struct driven {
  fly_run_options options;
  fly_mechanism *mechanism;
  fly_run *run;
  fly_status status;
  fly_error error;
  int count, column[KEPT];
  long rows, room;
  double *data; // time and the channels, row by row
} driven;

static inline driven driven_default(fly_analysis analysis, double end, double output) {
  driven d = {.options = fly_run_options_default()};
  d.options.analysis = analysis;
  d.options.end = end;
  d.options.output = output;
  return d;
}

static inline void keep_row(const double *row, void *user) {
  driven *d = user;
  int width = 1 + d->count;
  if (d->rows == d->room) {
    d->room = d->room ? 2 * d->room : 1024;
    d->data = realloc(d->data, (size_t)(d->room * width) * sizeof *d->data);
    assert_non_null(d->data);
  }
  double *to = d->data + d->rows++ * width;
  to[0] = row[0];
  for (int k = 0; k < d->count; k++)
    to[1 + k] = row[d->column[k]];
}

// names: channels to keep, separated by blanks.
static inline void drive(driven *d, const char *text, const char *names) {
  char copy[1000];
  d->options.row = keep_row;
  d->options.user = d;
  d->status = fly_mechanism_parse(&d->mechanism, "test", text, strlen(text), 0, NULL, &d->error);
  if (d->status == FLY_OK)
    d->status = fly_run_create(&d->run, d->mechanism, &d->options, &d->error);
  snprintf(copy, sizeof copy, "%s", names);
  for (char *name = strtok(copy, " "); name && d->status == FLY_OK; name = strtok(NULL, " ")) {
    assert_true(d->count < KEPT);
    d->column[d->count] = fly_run_channel(d->run, name);
    if (d->column[d->count++] < 0)
      fail_msg("there is no channel %s", name);
  }
  if (d->status == FLY_OK)
    d->status = fly_run_start(d->run, &d->error);
  if (d->status == FLY_OK)
    d->status = fly_run_go(d->run, &d->error);
}

static inline const double *row_of(const driven *d, long row) { return d->data + row * (1 + d->count); }

static inline void driven_free(driven *d) {
  fly_run_free(d->run);
  fly_mechanism_free(d->mechanism);
  free(d->data);
}

// ------------------------------------------------------------------------------------------ closed forms

// A function of the crank angle with its first two derivatives; the rules of calculus.
typedef struct jet {
  double f, d, dd;
} jet;

static inline jet jet_add(jet a, jet b) { return (jet){a.f + b.f, a.d + b.d, a.dd + b.dd}; }
static inline jet jet_times(double c, jet a) { return (jet){c * a.f, c * a.d, c * a.dd}; }
static inline jet jet_product(jet a, jet b) {
  return (jet){a.f * b.f, a.d * b.f + a.f * b.d, a.dd * b.f + 2 * a.d * b.d + a.f * b.dd};
}
static inline jet jet_root(jet a) {
  double r = sqrt(a.f);
  return (jet){r, a.d / (2 * r), a.dd / (2 * r) - a.d * a.d / (4 * r * a.f)};
}
static inline jet jet_asin(jet a) {
  double c = sqrt(1 - a.f * a.f);
  return (jet){asin(a.f), a.d / c, a.dd / c + a.f * a.d * a.d / (c * c * c)};
}
static inline jet jet_cos(jet a) { return (jet){cos(a.f), -sin(a.f) * a.d, -cos(a.f) * a.d * a.d - sin(a.f) * a.dd}; }
static inline jet jet_sin(jet a) { return (jet){sin(a.f), cos(a.f) * a.d, -sin(a.f) * a.d * a.d + cos(a.f) * a.dd}; }
// The same as a function of time, where the angle has the speed w and the acceleration e.
static inline jet in_time(jet a, double w, double e) { return (jet){a.f, a.d * w, a.dd * w * w + a.d * e}; }

// ------------------------------------------------------------------------------------------ slider cranks

// phi = 0.4 + 5 t + 0.3 sin 4t: both machines are driven so, and start so without the motion.
#define DRIVE "0.4 + 5*time + 0.3*sin(4*time)"
static inline jet drive_at(double t) {
  return (jet){0.4 + 5 * t + 0.3 * sin(4 * t), 5 + 1.2 * cos(4 * t), -4.8 * sin(4 * t)};
}

// In the plane, along x: crank R, rod L with mass centre at C from the crank pin; beta is the angle of the rod.
#define CRANK 0.15
#define ROD 0.4
#define CENTRE 0.16
#define CRANK_MASS 0.9
#define ROD_MASS 0.5
#define ROD_INERTIA 0.007
#define SLIDER_MASS 0.7
#define GRAVITY 9.81

static const char planar_crank[] =
    "flyball: 1\ngravity: [0, -9.81, 0]\n"
    "parameters: {r: 0.15, l: 0.4, c: 0.16, phi: 0.4, beta: -asin(r/l*sin(phi))}\n"
    "bodies:\n"
    "  crank: {type: planar, mass: 0.9, inertia: 0.004, center: [0.05, 0], angle: phi, markers: {pin: [r, 0]}}\n"
    "  rod: {type: planar, mass: 0.5, inertia: 0.007, center: [c, 0], position: [r*cos(phi), r*sin(phi)],\n"
    "    angle: beta, markers: {a: [0, 0], b: [l, 0]}}\n"
    "  slider: {type: planar, mass: 0.7, inertia: 0.01, position: [r*cos(phi) + l*cos(beta), 0]}\n"
    "joints:\n"
    "  main: {type: revolute, from: ground, to: crank, angular_velocity: 6.2}\n"
    "  crank_pin: {type: revolute, from: crank.pin, to: rod.a}\n"
    "  slider_pin: {type: revolute, from: rod.b, to: slider}\n"
    "  guide: {type: translational, bodies: [ground, slider], at: [0.5, 0, 0], axis: [1, 0, 0]}\n"
    "motions:\n  drive: {joint: main, angle: " DRIVE "}\n";

typedef struct plane_crank {
  jet phi, beta, x;        // angles; place of the slider, all over phi
  jet crank[2], centre[2]; // mass centres of crank and rod
} plane_crank;

static inline plane_crank plane_crank_at(double phi) {
  plane_crank k = {.phi = {phi, 1, 0}};
  jet c = jet_cos(k.phi), s = jet_sin(k.phi);
  k.beta = jet_times(-1, jet_asin(jet_times(CRANK / ROD, s)));
  k.x = jet_add(jet_times(CRANK, c), jet_times(ROD, jet_cos(k.beta)));
  k.crank[0] = jet_times(0.05, c);
  k.crank[1] = jet_times(0.05, s);
  k.centre[0] = jet_add(jet_times(CRANK, c), jet_times(CENTRE, jet_cos(k.beta)));
  k.centre[1] = jet_add(jet_times(CRANK, s), jet_times(CENTRE, jet_sin(k.beta)));
  return k;
}

// In space: the crank turns about x in the plane x = 0, at (0, 0.03, 0.05), the slider moves along x; a thin rod on
// balls, or a ball and a universal joint, so that it does not turn about itself freely.
static const char spatial_crank[] =
    "flyball: 1\ngravity: [0, 0, -9.81]\n"
    "parameters: {r: 0.1, l: 0.35, phi: 0.4, py: 0.03 + r*cos(phi), pz: 0.05 + r*sin(phi), s: sqrt(l^2 - py^2 - "
    "pz^2)}\n"
    "bodies:\n"
    "  crank: {mass: 0.8, inertia: [0.003, 0.002, 0.002], position: [0, 0.03, 0.05],\n"
    "    orientation: {axis: [1, 0, 0], angle: phi}, markers: {pin: [0, r, 0]}}\n"
    "  rod: {mass: 0.6, inertia: [1e-9, 0.6*l^2/12, 0.6*l^2/12], center: [l/2, 0, 0], position: [0, py, pz],\n"
    "    orientation: {x: [s, -py, -pz], y: [0, 1, 0]}, markers: {a: [0, 0, 0], b: [l, 0, 0]}}\n"
    "  slider: {mass: 0.5, inertia: [0.01, 0.01, 0.01], position: [s, 0, 0]}\n"
    "joints:\n"
    "  main: {type: revolute, bodies: [ground, crank], at: [0, 0.03, 0.05], axis: [1, 0, 0], angular_velocity: 6.2}\n"
    "  ball: {type: spherical, from: crank.pin, to: rod.a}\n"
    "  cross: {type: universal, bodies: [rod, slider], at: [s, 0, 0], axis: [0, 1, 0], axis2: [0, 0, 1]}\n"
    "  guide: {type: translational, bodies: [ground, slider], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "motions:\n  drive: {joint: main, angle: 5*time + 0.3*sin(4*time)}\n";

typedef struct space_crank {
  jet p[3], s; // crank pin, slider
} space_crank;

static inline space_crank space_crank_at(double phi) {
  jet one = {1, 0, 0}, angle = {phi, 1, 0};
  space_crank k = {0};
  k.p[1] = jet_add(jet_times(0.03, one), jet_times(0.1, jet_cos(angle)));
  k.p[2] = jet_add(jet_times(0.05, one), jet_times(0.1, jet_sin(angle)));
  jet square = jet_add(jet_product(k.p[1], k.p[1]), jet_product(k.p[2], k.p[2]));
  k.s = jet_root(jet_add(jet_times(0.35 * 0.35, one), jet_times(-1, square)));
  return k;
}

#endif
