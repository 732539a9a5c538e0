#include "planar.h"

#include <math.h>
#include <stdio.h>

void fly_planar_turn(double out[2], double phi, const double s[2]) {
  const double c = cos(phi), n = sin(phi);
  out[0] = c * s[0] - n * s[1];
  out[1] = n * s[0] + c * s[1];
}

// +1 if the body is side a of the joint, -1 if side b, else 0.
static int side_of(const fly_planar_joint *joint, int body) { return (joint->a == body) - (joint->b == body); }

// The side's own vector from the mass centre to the joint, in space axes.
static void arm_of(double arm[2], const fly_planar_joint *joint, int body, double phi) {
  fly_planar_turn(arm, phi, joint->a == body ? joint->sa : joint->sb);
}

int fly_planar_mass(double *M, double t, const double *q, void *user) {
  (void)t, (void)q;
  const fly_planar *model = user;
  for (int i = 0; i < model->nbody; i++) {
    M[3 * i] = M[3 * i + 1] = model->body[i].mass;
    M[3 * i + 2] = model->body[i].inertia;
  }
  return 0;
}

// Adds sign * (place of the joint on a body).
static void add_point(double g[2], int sign, const double *q, int body, const double s[2]) {
  double p[2] = {s[0], s[1]};
  if (body != FLY_GROUND) {
    fly_planar_turn(p, q[3 * body + 2], s);
    p[0] += q[3 * body];
    p[1] += q[3 * body + 1];
  }
  g[0] += sign * p[0];
  g[1] += sign * p[1];
}

int fly_planar_constraint(double *g, double t, const double *q, void *user) {
  (void)t;
  const fly_planar *model = user;
  for (int j = 0; j < model->njoint; j++) {
    const fly_planar_joint *joint = &model->joint[j];
    g[2 * j] = g[2 * j + 1] = 0;
    add_point(g + 2 * j, 1, q, joint->a, joint->sa);
    add_point(g + 2 * j, -1, q, joint->b, joint->sb);
  }
  return 0;
}

// Column x, y or phi (c = 0, 1, 2) of a body in G, from value on; returns what follows it.
static double *put_gradient(double *value, const fly_planar *model, int body, int c, double phi) {
  for (int j = 0; j < model->njoint; j++) {
    const int side = side_of(&model->joint[j], body);
    if (side == 0)
      continue;
    if (c < 2) {
      *value++ = side;
      continue;
    }
    double arm[2];
    arm_of(arm, &model->joint[j], body, phi);
    *value++ = -side * arm[1];
    *value++ = side * arm[0];
  }
  return value;
}

int fly_planar_constraint_jacobian(double *G, double t, const double *q, void *user) {
  (void)t;
  const fly_planar *model = user;
  for (int i = 0; i < model->nbody; i++)
    for (int c = 0; c < 3; c++)
      G = put_gradient(G, model, i, c, q[3 * i + 2]);
  return 0;
}

int fly_planar_constraint_rate(double *g_t, double t, const double *q, void *user) {
  (void)t, (void)q;
  const fly_planar *model = user;
  for (int i = 0; i < 2 * model->njoint; i++)
    g_t[i] = 0;
  return 0;
}

int fly_planar_constraint_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  const fly_planar *model = user;
  fly_planar_constraint_rate(gamma, t, q, user);
  for (int i = 0; i < model->nbody; i++) {
    const double phi = q[3 * i + 2], rate = v[3 * i + 2];
    for (int j = 0; j < model->njoint; j++) {
      const int side = side_of(&model->joint[j], i);
      if (side == 0)
        continue;
      double arm[2];
      arm_of(arm, &model->joint[j], i, phi);
      gamma[2 * j] -= side * arm[0] * rate * rate;
      gamma[2 * j + 1] -= side * arm[1] * rate * rate;
    }
  }
  return 0;
}

// Entries in the phi columns only; those of x and y are skipped and stay zero.
int fly_planar_constraint_velocity_jacobian(double *Gv_q, double t, const double *q, const double *v, void *user) {
  (void)t;
  const fly_planar *model = user;
  for (int i = 0; i < model->nbody; i++) {
    for (int j = 0; j < model->njoint; j++)
      Gv_q += side_of(&model->joint[j], i) ? 2 : 0;
    for (int j = 0; j < model->njoint; j++) {
      const int side = side_of(&model->joint[j], i);
      if (side == 0)
        continue;
      double arm[2];
      arm_of(arm, &model->joint[j], i, q[3 * i + 2]);
      *Gv_q++ = -side * arm[0] * v[3 * i + 2];
      *Gv_q++ = -side * arm[1] * v[3 * i + 2];
    }
  }
  return 0;
}

void fly_planar_reaction_jacobian(double *J2, const fly_dae_state *s, const fly_planar *model) {
  for (int i = 0; i < model->nbody; i++)
    for (int j = 0; j < model->njoint; j++) {
      const int side = side_of(&model->joint[j], i);
      if (side == 0)
        continue;
      double arm[2];
      arm_of(arm, &model->joint[j], i, s->q[3 * i + 2]);
      J2[9 * i + 8] -= side * (arm[0] * s->lambda[2 * j] + arm[1] * s->lambda[2 * j + 1]);
    }
}

void fly_planar_gravity(double *f, const fly_planar *model) {
  for (int i = 0; i < model->nbody; i++) {
    f[3 * i] = f[3 * i + 2] = 0;
    f[3 * i + 1] = -model->body[i].mass * model->gravity;
  }
}

int fly_planar_energy(double *E, double t, const double *q, const double *v, void *user) {
  (void)t;
  const fly_planar *model = user;
  *E = 0;
  for (int i = 0; i < model->nbody; i++) {
    const double m = model->body[i].mass, *w = v + 3 * i;
    *E += (m * (w[0] * w[0] + w[1] * w[1]) + model->body[i].inertia * w[2] * w[2]) / 2;
    *E += m * model->gravity * q[3 * i + 1];
  }
  return 0;
}

void fly_planar_row_name(char *text, size_t size, int row, void *user) {
  const fly_planar *model = user;
  snprintf(text, size, "%s, %c", model->joint[row / 2].name, row % 2 ? 'y' : 'x');
}

// ---------------------------------------------------------------------------------------------- patterns

static int sides(const fly_planar *model) {
  int count = 0;
  for (int j = 0; j < model->njoint; j++)
    count += (model->joint[j].a != FLY_GROUND) + (model->joint[j].b != FLY_GROUND);
  return count;
}

size_t fly_planar_pattern_ints(const fly_planar *model) {
  const int nv = 3 * model->nbody, ng = 2 * model->njoint;
  const int mass = nv + 1 + nv, constraint = nv + 1 + 4 * sides(model), jacobian = nv + ng + 1 + 3 * nv;
  return (size_t)(mass + constraint + jacobian);
}

// Rows of column c (x, y, phi) of a body in G, from count on; returns the new count.
static int put_rows(int *row, int count, const fly_planar *model, int body, int c) {
  for (int j = 0; j < model->njoint; j++) {
    if (side_of(&model->joint[j], body) == 0)
      continue;
    if (c != 1)
      row[count++] = 2 * j;
    if (c != 0)
      row[count++] = 2 * j + 1;
  }
  return count;
}

static int *set_mass_pattern(fly_pattern *pattern, int *memory, int nv) {
  int *start = memory, *row = start + nv + 1;
  for (int c = 0; c <= nv; c++)
    start[c] = c;
  for (int c = 0; c < nv; c++)
    row[c] = c;
  *pattern = (fly_pattern){start, row};
  return row + nv;
}

static int *set_constraint_pattern(fly_pattern *pattern, int *memory, const fly_planar *model) {
  const int nv = 3 * model->nbody;
  int *start = memory, *row = start + nv + 1, count = 0;
  for (int c = 0; c < nv; c++) {
    start[c] = count;
    count = put_rows(row, count, model, c / 3, c % 3);
  }
  start[nv] = count;
  *pattern = (fly_pattern){start, row};
  return row + count;
}

static void set_jacobian_pattern(fly_pattern *pattern, int *memory, int nv, int ng) {
  int *start = memory, *row = start + nv + ng + 1;
  for (int c = 0; c <= nv + ng; c++)
    start[c] = c < nv ? 3 * c : 3 * nv;
  for (int k = 0; k < 3 * nv; k++)
    row[k] = 3 * (k / 9) + k % 3;
  *pattern = (fly_pattern){start, row};
}

void fly_planar_set_patterns(fly_problem *p, const fly_planar *model) {
  const int nv = 3 * model->nbody, ng = 2 * model->njoint;
  int *next = set_mass_pattern(&p->dae.mass_pattern, p->patterns, nv);
  next = set_constraint_pattern(&p->dae.constraint_pattern, next, model);
  set_jacobian_pattern(&p->dae.jacobian_pattern, next, nv, ng);
}
