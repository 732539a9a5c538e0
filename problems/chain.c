// Hanging chain: n point masses 1/n kg in the plane on massless links of length l = 1/n m, the first from the origin;
// q = (x1, y1, x2, y2, ...). SI units, gravity 9.81 along -y. Starts straight to the right, at rest.
//
// Link k from mass k-1 to mass k, d_k = p_k - p_{k-1}, p_0 = 0:
//   m p_k'' + (d_k lambda_k - d_{k+1} lambda_{k+1})/l = (0, -m g)
//   (d_k.d_k - l^2)/(2 l) = 0            lambda_k is the tension of link k
//
// Made to scale: every pattern, and the work of every callback, is linear in n (default 10, 1 s).
#include "build.h"

#include <stdio.h>

enum { NAME = 16, N_MAX = 10000000 };

typedef struct chain {
  int n;
  double m, l;        // of one mass, of one link
  char names[][NAME]; // of the coordinates (2 n)
} chain;

static const double grav = 9.81;

static int mass(double *M, double t, const double *q, void *user) {
  (void)t, (void)q;
  const chain *c = user;
  for (int i = 0; i < 2 * c->n; i++)
    M[i] = c->m;
  return 0;
}

static int force(double *f, const fly_dae_state *s, void *user) {
  (void)s;
  const chain *c = user;
  for (int k = 0; k < c->n; k++) {
    f[2 * k] = 0;
    f[2 * k + 1] = -c->m * grav;
  }
  return 0;
}

// Component i (0: x, 1: y) of d_k, k from 0; of velocities it is d_k'.
static double link(const double *q, int k, int i) { return q[2 * k + i] - (k > 0 ? q[2 * (k - 1) + i] : 0); }

static int constraint(double *g, double t, const double *q, void *user) {
  (void)t;
  const chain *c = user;
  for (int k = 0; k < c->n; k++) {
    const double dx = link(q, k, 0), dy = link(q, k, 1);
    g[k] = (dx * dx + dy * dy - c->l * c->l) / (2 * c->l);
  }
  return 0;
}

// Linear in its argument: of q it is G, of v it is d(G v)/dq.
static void gradient(double *G, const double *q, const chain *c) {
  for (int k = 0; k < c->n; k++)
    for (int i = 0; i < 2; i++) {
      *G++ = link(q, k, i) / c->l;
      if (k + 1 < c->n)
        *G++ = -link(q, k + 1, i) / c->l;
    }
}

static int constraint_jacobian(double *G, double t, const double *q, void *user) {
  (void)t;
  gradient(G, q, user);
  return 0;
}

static int constraint_velocity_jacobian(double *Gv_q, double t, const double *q, const double *v, void *user) {
  (void)t, (void)q;
  gradient(Gv_q, v, user);
  return 0;
}

static int constraint_rate(double *g_t, double t, const double *q, void *user) {
  (void)t, (void)q;
  const chain *c = user;
  for (int k = 0; k < c->n; k++)
    g_t[k] = 0;
  return 0;
}

static int constraint_gamma(double *gamma, double t, const double *q, const double *v, void *user) {
  (void)t, (void)q;
  const chain *c = user;
  for (int k = 0; k < c->n; k++) {
    const double dx = link(v, k, 0), dy = link(v, k, 1);
    gamma[k] = (dx * dx + dy * dy) / c->l;
  }
  return 0;
}

// d(G^T lambda)/dq: x and y alike, each coupled to its neighbours.
static int jacobian(double *J0, double *J1, double *J2, const fly_dae_state *s, void *user) {
  (void)J0, (void)J1;
  const chain *c = user;
  for (int k = 0; k < c->n; k++) {
    const double here = s->lambda[k] / c->l, next = k + 1 < c->n ? s->lambda[k + 1] / c->l : 0;
    for (int i = 0; i < 2; i++) {
      if (k > 0)
        *J2++ = -here;
      *J2++ = here + next;
      if (k + 1 < c->n)
        *J2++ = -next;
    }
  }
  return 0;
}

static int energy(double *E, double t, const double *q, const double *v, void *user) {
  (void)t;
  const chain *c = user;
  *E = 0;
  for (int k = 0; k < c->n; k++)
    *E += c->m * ((v[2 * k] * v[2 * k] + v[2 * k + 1] * v[2 * k + 1]) / 2 + grav * q[2 * k + 1]);
  return 0;
}

static void row_name(char *text, size_t size, int row, void *user) {
  (void)user;
  snprintf(text, size, "link %d, length", row + 1);
}

static const fly_dae_problem dae = {
    .mass_constant = true,
    .mass = mass,
    .force = force,
    .constraint = constraint,
    .constraint_jacobian = constraint_jacobian,
    .constraint_rate = constraint_rate,
    .constraint_gamma = constraint_gamma,
    .constraint_velocity_jacobian = constraint_velocity_jacobian,
    .jacobian = jacobian,
    .energy = energy,
    .row_name = row_name,
};

static size_t pattern_ints(size_t n) {
  const size_t mass_ints = 2 * n + 1 + 2 * n, constraint_ints = 2 * n + 1 + 4 * n - 2;
  return mass_ints + constraint_ints + 3 * n + 1 + 6 * n - 4;
}

static int *set_mass_pattern(fly_pattern *pattern, int *memory, int n) {
  int *start = memory, *row = start + 2 * n + 1;
  for (int c = 0; c < 2 * n; c++)
    start[c] = row[c] = c;
  start[2 * n] = 2 * n;
  *pattern = (fly_pattern){start, row};
  return row + 2 * n;
}

static int *set_constraint_pattern(fly_pattern *pattern, int *memory, int n) {
  int *start = memory, *row = start + 2 * n + 1, count = 0;
  for (int c = 0; c < 2 * n; c++) {
    start[c] = count;
    row[count++] = c / 2;
    if (c / 2 + 1 < n)
      row[count++] = c / 2 + 1;
  }
  start[2 * n] = count;
  *pattern = (fly_pattern){start, row};
  return row + count;
}

static void set_jacobian_pattern(fly_pattern *pattern, int *memory, int n) {
  int *start = memory, *row = start + 3 * n + 1, count = 0;
  for (int c = 0; c < 2 * n; c++) {
    start[c] = count;
    for (int r = c - 2; r <= c + 2; r += 2)
      if (r >= 0 && r < 2 * n)
        row[count++] = r;
  }
  for (int c = 2 * n; c <= 3 * n; c++)
    start[c] = count;
  *pattern = (fly_pattern){start, row};
}

static void fill(fly_problem *p, int n) {
  chain *c = p->data;
  c->n = n;
  c->m = c->l = 1.0 / n;
  for (int k = 0; k < n; k++) {
    snprintf(c->names[2 * k], NAME, "x%d", k + 1);
    snprintf(c->names[2 * k + 1], NAME, "y%d", k + 1);
    p->q0[2 * k] = (k + 1) * c->l;
  }
  for (int i = 0; i < 2 * n; i++)
    p->q_names[i] = c->names[i];
  int *next = set_mass_pattern(&p->dae.mass_pattern, p->patterns, n);
  next = set_constraint_pattern(&p->dae.constraint_pattern, next, n);
  set_jacobian_pattern(&p->dae.jacobian_pattern, next, n);
}

fly_status fly_make_chain(fly_problem *out, const char *variant, int n, fly_error *error) {
  (void)variant;
  if (n == 0)
    n = 10;
  if (n < 1 || n > N_MAX)
    return fly_problem_fail(error, FLY_BAD_INPUT, "A chain has 1 to %d links, not %d.", N_MAX, n);
  fly_dae_problem sized = dae;
  sized.nq = sized.nv = 2 * n;
  sized.ng = n;
  const fly_problem_parts parts = {
      .dae = &sized,
      .t_end = 1,
      .data_size = sizeof(chain) + 2 * (size_t)n * NAME,
      .pattern_ints = pattern_ints((size_t)n),
  };
  const fly_status status = fly_problem_build(out, &parts, error);
  if (status == FLY_OK)
    fill(out, n);
  return status;
}
