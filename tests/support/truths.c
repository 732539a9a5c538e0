#include "support/truths.h"

#include <stdlib.h>
#include <string.h>

#include "problems/reference.h"

static const double grav = 9.81;

static void pendulum_step(double *phi, double *rate, double h) {
  const double a1 = -grav * cos(*phi), p2 = *phi + h / 2 * *rate, r2 = *rate + h / 2 * a1;
  const double a2 = -grav * cos(p2), p3 = *phi + h / 2 * r2, r3 = *rate + h / 2 * a2;
  const double a3 = -grav * cos(p3), p4 = *phi + h * r3, r4 = *rate + h * a3, a4 = -grav * cos(p4);
  *phi += h / 6 * (*rate + 2 * r2 + 2 * r3 + r4);
  *rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
}

pendulum_truth *pendulum_truth_of(const fly_problem *p, double t_end, double lambda_factor) {
  pendulum_truth *truth = malloc(sizeof *truth);
  assert_non_null(truth);
  truth->dt = t_end / (PENDULUM_NODES - 1);
  truth->lambda_factor = lambda_factor;
  double phi = atan2(p->q0[1], p->q0[0]), rate = p->q0[0] * p->v0[1] - p->q0[1] * p->v0[0];
  for (int i = 0; i < PENDULUM_NODES; i++) {
    truth->phi[i] = phi;
    truth->rate[i] = rate;
    pendulum_step(&phi, &rate, truth->dt);
  }
  return truth;
}

void pendulum_at(point *out, double t, const void *user) {
  const pendulum_truth *truth = user;
  int i = (int)(t / truth->dt);
  i = i < PENDULUM_NODES ? i : PENDULUM_NODES - 1;
  double phi = truth->phi[i], w = truth->rate[i];
  pendulum_step(&phi, &w, t - i * truth->dt);
  const double c = cos(phi), s = sin(phi), a = -grav * c;
  out->q[0] = c, out->q[1] = s;
  out->v[0] = -s * w, out->v[1] = c * w;
  out->vdot[0] = -c * w * w - s * a, out->vdot[1] = -s * w * w + c * a;
  out->lambda[0] = truth->lambda_factor * (w * w - grav * s);
}

// ---------------------------------------------------------------------------------------------- reference

enum { DEGREE = 16 };

struct reference_truth {
  int nq, nv, nl, nx, ny, width; // of a row q, v, v', lambda, x, y
  int panels;
  double t0, length; // of the first panel's start, of a panel
  double *rows;      // (panels * DEGREE + 1) * width: neighbours share a node
};

// Chebyshev's points of the second kind, on [0, 1].
static double node_of(int i) { return 0.5 - 0.5 * cos(3.14159265358979323846 * i / DEGREE); }

static double *row_of(const reference_truth *r, int i) { return r->rows + (size_t)i * (size_t)r->width; }

reference_truth *reference_truth_of(const fly_problem *p, double t_end, int panels) {
  const fly_dae_problem *d = &p->dae;
  reference_truth *r = malloc(sizeof *r);
  assert_non_null(r);
  *r = (reference_truth){.nq = d->nq, .nv = d->nv, .nl = d->ng + d->nb, .nx = d->nx, .ny = d->ny, .panels = panels};
  r->width = r->nq + 2 * r->nv + r->nl + r->nx + r->ny;
  r->t0 = p->t0;
  r->length = (t_end - p->t0) / panels;
  r->rows = calloc((size_t)(panels * DEGREE + 1) * (size_t)r->width, sizeof *r->rows);
  assert_non_null(r->rows);
  fly_reference *reference;
  fly_error error = {0};
  assert_ok(fly_reference_create(&reference, d, p->t0, t_end, p->q0, p->v0, p->x0, FLY_REFERENCE_TOLERANCE, &error),
            &error);
  for (int i = 0; i <= panels * DEGREE; i++) {
    double *q = row_of(r, i), *v = q + r->nq, *vdot = v + r->nv, *lambda = vdot + r->nv, *x = lambda + r->nl;
    const int panel = i / DEGREE;
    const double t = r->t0 + r->length * (panel + node_of(i % DEGREE));
    assert_ok(fly_reference_at(reference, t, q, v, vdot, lambda, x, x + r->nx), fly_reference_error(reference));
  }
  fly_reference_free(reference);
  return r;
}

void reference_truth_free(reference_truth *r) {
  free(r->rows);
  free(r);
}

// Barycentric interpolation; weights 1, -1, 1, ... halved at the ends.
static void interpolate(double *out, const reference_truth *r, int panel, double s) {
  double below = 0;
  memset(out, 0, (size_t)r->width * sizeof *out);
  for (int i = 0; i <= DEGREE; i++) {
    const double *row = row_of(r, panel * DEGREE + i), gap = s - node_of(i);
    if (gap == 0) {
      memcpy(out, row, (size_t)r->width * sizeof *out);
      return;
    }
    const double w = (i % 2 ? -1.0 : 1.0) * (i == 0 || i == DEGREE ? 0.5 : 1.0) / gap;
    below += w;
    for (int k = 0; k < r->width; k++)
      out[k] += w * row[k];
  }
  for (int k = 0; k < r->width; k++)
    out[k] /= below;
}

void reference_at(point *out, double t, const void *user) {
  const reference_truth *r = user;
  double row[7 * POINT];
  int panel = (int)((t - r->t0) / r->length);
  panel = panel < 0 ? 0 : panel < r->panels ? panel : r->panels - 1;
  interpolate(row, r, panel, (t - r->t0) / r->length - panel);
  const double *from = row;
  double *const part[] = {out->q, out->v, out->vdot, out->lambda, out->x, out->y};
  const int length[] = {r->nq, r->nv, r->nv, r->nl, r->nx, r->ny};
  for (int k = 0; k < 6; from += length[k++])
    if (length[k] > 0)
      memcpy(part[k], from, (size_t)length[k] * sizeof *from);
}
