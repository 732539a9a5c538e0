// Frames of the markers of a body of modes (docs/theory/flexible.md): with c = Theta eta/2, c' = Theta eta'/2,
// k = 1/(1 + c . c) and H = 2 k (1 - [c]), Cayley's rotation E by c has the angular velocity u = H c' in its own axes,
// and u' = -2 k (c . c') u where c'' = 0; so
//
//   J = (1, -R [rho], R Phi; 0, E^T, H Theta/2)
//   b = (R (w x (w x rho) + 2 w x Phi eta' - e_x eta' . h eta'); -u x E^T w - 2 k (c . c') u)
//
// where a body that shortens has rho less e_x eta . h eta/2, and so phi_j less e_x (h eta)_j; of others h = 0.
#include <math.h>
#include <string.h>

#include "element/block.h"
#include "element/flexible.h"
#include "math/so3.h"

enum { Q_ETA = 7, V_ETA = 6 };

void fly_flexible_start(fly_body_own *own, double *q, double *v, const fly_maker *from) {
  fly_turning_start(q, v, own, from);
  if (from->given(from, "deformed"))
    from->numbers(from, "deformed", from->count(from, "deformed"), q + Q_ETA);
  if (from->given(from, "deforming"))
    from->numbers(from, "deforming", from->count(from, "deforming"), v + V_ETA);
}

// ------------------------------------------------------------------------------------------ those of markers

typedef struct place {
  int modes, n;
  const double *phi, *theta, *h;      // h NULL: it does not shorten
  double bent[3 * FLY_MODES_SHORTEN]; // phi, where it does
  double R[9], rho[3];
  double c[3], k, E[9];
} place;

static void sum_shapes(double out[3], const double *shape, const double *x, int modes, double factor) {
  memset(out, 0, 3 * sizeof *out);
  for (int j = 0; j < modes; j++)
    fly_add3(out, shape + 3 * j, factor * x[j]);
}

// (h x)_j
static double shortened(const place *p, const double *x, int j) {
  double sum = 0;
  for (int i = 0; p->h && i < p->modes; i++)
    sum += p->h[p->modes * j + i] * x[i];
  return sum;
}

static void shorten(place *p, const double *eta) {
  memcpy(p->bent, p->phi, 3 * (size_t)p->modes * sizeof *p->bent);
  for (int j = 0; j < p->modes; j++) {
    const double less = shortened(p, eta, j);
    p->rho[0] -= eta[j] * less / 2;
    p->bent[3 * j] -= less;
  }
  p->phi = p->bent;
}

static void place_of(place *p, const double *q, const fly_marker *m, const fly_body_own *own) {
  const fly_flexible_marker *at = m->own;
  const fly_flexible *k = own->k;
  p->modes = k->modes;
  p->n = V_ETA + p->modes;
  p->phi = at->shape;
  p->theta = at->shape + 3 * p->modes;
  p->h = k->shortens ? at->shape + 6 * p->modes : NULL;
  fly_quat_matrix(p->R, q + 3);
  sum_shapes(p->rho, p->phi, q + Q_ETA, p->modes, 1);
  fly_add3(p->rho, at->s, 1);
  if (p->h)
    shorten(p, q + Q_ETA);
  sum_shapes(p->c, p->theta, q + Q_ETA, p->modes, 0.5);
  p->k = 1 / (1 + fly_dot3(p->c, p->c));
  fly_quat_matrix(p->E, (double[4]){sqrt(p->k), sqrt(p->k) * p->c[0], sqrt(p->k) * p->c[1], sqrt(p->k) * p->c[2]});
}

// H x = 2 k (x - c x x)
static void turn(double out[3], const place *p, const double x[3]) {
  fly_cross(out, p->c, x);
  for (int i = 0; i < 3; i++)
    out[i] = 2 * p->k * (x[i] - out[i]);
}

// dc of a unit of mode j, and what it turns the marker by, in its own axes
static void turn_of_mode(double dc[3], double turned[3], const place *p, int j) {
  for (int i = 0; i < 3; i++)
    dc[i] = p->theta[3 * j + i] / 2;
  turn(turned, p, dc);
}

static void position(fly_kinematics *f, const double *q, const fly_marker *m, const fly_body_own *own) {
  place p;
  place_of(&p, q, m, own);
  fly_to_space(f->r, p.R, p.rho);
  fly_add3(f->r, q, 1);
  fly_multiply3(f->R, p.R, p.E);
}

static void jacobian(double *J, const double *q, const fly_marker *m, const fly_body_own *own) {
  place p;
  place_of(&p, q, m, own);
  double A[9], u[3], dc[3];
  memset(J, 0, 6 * (size_t)p.n * sizeof *J);
  for (int i = 0; i < 3; i++)
    J[(p.n + 1) * i] = 1;
  fly_times_skew(A, p.R, p.rho);
  fly_add_block(J, p.n, 0, 3, A, -1.0);
  fly_add_block_transposed(J, p.n, 3, 3, p.E, 1.0);
  for (int j = 0; j < p.modes; j++) {
    fly_to_space(u, p.R, p.phi + 3 * j);
    fly_add_column(J, p.n, 0, V_ETA + j, u, 1);
    turn_of_mode(dc, u, &p, j);
    fly_add_column(J, p.n, 3, V_ETA + j, u, 1);
  }
}

// ------------------------------------------------------------------------------------------ how they move

typedef struct motion {
  double Nv[3];         // Phi eta'
  double a[3];          // w x (w x rho) + 2 w x Phi eta' - e_x eta' . h eta'
  double rate[3], u[3]; // c', and the angular velocity u against the body's frame
  double w[3];          // E^T w
  double cc;            // c . c'
} motion;

static motion motion_of(const place *p, const double *v) {
  motion m;
  double x[3];
  sum_shapes(m.Nv, p->phi, v + V_ETA, p->modes, 1);
  fly_cross(x, v + 3, p->rho);
  fly_add3(x, m.Nv, 2);
  fly_cross(m.a, v + 3, x);
  for (int j = 0; p->h && j < p->modes; j++)
    m.a[0] -= v[V_ETA + j] * shortened(p, v + V_ETA, j);
  sum_shapes(m.rate, p->theta, v + V_ETA, p->modes, 0.5);
  turn(m.u, p, m.rate);
  fly_to_body(m.w, p->E, v + 3);
  m.cc = fly_dot3(p->c, m.rate);
  return m;
}

static void bias(double b[6], const double *q, const double *v, const fly_marker *marker, const fly_body_own *own) {
  place p;
  place_of(&p, q, marker, own);
  const motion m = motion_of(&p, v);
  fly_to_space(b, p.R, m.a);
  fly_cross(b + 3, m.w, m.u);
  fly_add3(b + 3, m.u, -2 * p.k * m.cc);
}

// du while c moves by dc and c' stays: -2 k ((c . dc) u + dc x c')
static void spin_by_turn(double out[3], const place *p, const motion *m, const double dc[3]) {
  fly_cross(out, dc, m->rate);
  fly_add3(out, m->u, fly_dot3(p->c, dc));
  for (int i = 0; i < 3; i++)
    out[i] *= -2 * p->k;
}

static void rates(double *Z, const double *q, const double *v, const fly_marker *marker, const fly_body_own *own) {
  place p;
  place_of(&p, q, marker, own);
  const motion m = motion_of(&p, v);
  double x[3], A[9];
  memset(Z, 0, 6 * (size_t)p.n * sizeof *Z);
  fly_cross(x, v + 3, p.rho);
  fly_add3(x, m.Nv, 1);
  fly_times_skew(A, p.R, x);
  fly_add_block(Z, p.n, 0, 3, A, -1.0);
  for (int j = 0; j < p.modes; j++) {
    double dc[3], turned[3], y[3];
    fly_cross(x, v + 3, p.phi + 3 * j);
    x[0] -= shortened(&p, v + V_ETA, j);
    fly_to_space(y, p.R, x);
    fly_add_column(Z, p.n, 0, V_ETA + j, y, 1);
    turn_of_mode(dc, turned, &p, j);
    fly_cross(x, m.w, turned);
    spin_by_turn(y, &p, &m, dc);
    fly_add_column(Z, p.n, 3, V_ETA + j, x, 1);
    fly_add_column(Z, p.n, 3, V_ETA + j, y, 1);
  }
}

// J^T (F, T) = (F, rho x R^T F + E T, Phi^T R^T F + k Theta^T (T + c x T))
static void loads(double *W, const double *q, const double load[6], bool lean, const fly_marker *marker,
                  const fly_body_own *own) {
  const int loose = lean ? ((const fly_flexible *)own->k)->modes - fly_flexible_loose(own) : FLY_MODES_MOST;
  place p;
  place_of(&p, q, marker, own);
  const double *T = load + 3;
  double F[3], A[9], cT[3];
  memset(W, 0, (size_t)(p.n * p.n) * sizeof *W);
  fly_to_body(F, p.R, load);
  fly_skew_skew(A, p.rho, F);
  fly_add_block(W, p.n, 3, 3, A, 1.0);
  fly_cross(cT, p.c, T);
  fly_add3(cT, T, 1);
  for (int j = 0; j < p.modes; j++) {
    double x[3], y[3], dc[3], turned[3];
    fly_cross(x, p.phi + 3 * j, F);
    fly_add_column(W, p.n, 3, V_ETA + j, x, 1);
    for (int i = 0; i < 3; i++)
      W[p.n * (V_ETA + j) + 3 + i] = x[i];
    turn_of_mode(dc, turned, &p, j);
    fly_cross(x, turned, T);
    fly_to_space(y, p.E, x);
    fly_add_column(W, p.n, 3, V_ETA + j, y, 1);
    fly_cross(x, dc, T); // of k (T + c x T)
    fly_add3(x, cT, -2 * p.k * fly_dot3(p.c, dc));
    for (int i = fly_next_mode(-1, j, loose, p.modes); i < p.modes; i = fly_next_mode(i, j, loose, p.modes))
      W[p.n * (V_ETA + i) + V_ETA + j] += p.k * fly_dot3(p.theta + 3 * i, x) - (p.h ? p.h[p.modes * i + j] * F[0] : 0);
  }
}

// Columns of b_r = w x u - 2 k (c . c') u, w = E^T w, as mode j moves the marker by dc.
static void bias_by_mode(double out[3], const place *p, const motion *m, const double dc[3], const double turned[3]) {
  double du[3], dw[3], x[3];
  spin_by_turn(du, p, m, dc);
  fly_cross(dw, m->w, turned);
  fly_cross(out, m->w, du);
  fly_cross(x, dw, m->u);
  fly_add3(out, x, 1);
  fly_add3(out, m->u, 4 * p->k * p->k * fly_dot3(p->c, dc) * m->cc - 2 * p->k * fly_dot3(dc, m->rate));
  fly_add3(out, du, -2 * p->k * m->cc);
}

static void biases_by_turn(double *Bq, double *Bv, const place *p, const motion *m, const double *v) {
  double x[3], A[9], S[9];
  fly_times_skew(A, p->R, m->a);
  fly_add_block(Bq, p->n, 0, 3, A, -1.0);
  fly_cross(x, v + 3, p->rho); // da = -[w x rho + 2 Phi eta'] dw - [w][rho] dw
  fly_add3(x, m->Nv, 2);
  fly_skew(S, x);
  fly_skew_skew(A, v + 3, p->rho);
  for (int i = 0; i < 9; i++)
    S[i] += A[i];
  fly_multiply3(A, p->R, S);
  fly_add_block(Bv, p->n, 0, 3, A, -1.0);
  for (int i = 0; i < 9; i++) // -[u] E^T
    S[i] = p->E[3 * (i % 3) + i / 3];
  fly_skew_times(A, m->u, S);
  fly_add_block(Bv, p->n, 3, 3, A, -1.0);
}

static void biases(double *Bq, double *Bv, const double *q, const double *v, const fly_marker *marker,
                   const fly_body_own *own) {
  place p;
  place_of(&p, q, marker, own);
  const motion m = motion_of(&p, v);
  memset(Bq, 0, 6 * (size_t)p.n * sizeof *Bq);
  memset(Bv, 0, 6 * (size_t)p.n * sizeof *Bv);
  biases_by_turn(Bq, Bv, &p, &m, v);
  for (int j = 0; j < p.modes; j++) {
    double wphi[3], wwphi[3], x[3], dc[3], turned[3];
    const double shorter = shortened(&p, v + V_ETA, j);
    fly_cross(wphi, v + 3, p.phi + 3 * j);
    wphi[0] -= 2 * shorter;
    fly_cross(wwphi, v + 3, wphi);
    wphi[0] += shorter;
    fly_to_space(x, p.R, wwphi);
    fly_add_column(Bq, p.n, 0, V_ETA + j, x, 1);
    fly_to_space(x, p.R, wphi);
    fly_add_column(Bv, p.n, 0, V_ETA + j, x, 2);
    turn_of_mode(dc, turned, &p, j);
    bias_by_mode(x, &p, &m, dc, turned);
    fly_add_column(Bq, p.n, 3, V_ETA + j, x, 1);
    fly_cross(x, m.w, turned); // as c' moves, u does by H dc
    fly_add3(x, m.u, -2 * p.k * fly_dot3(p.c, dc));
    fly_add3(x, turned, -2 * p.k * m.cc);
    fly_add_column(Bv, p.n, 3, V_ETA + j, x, 1);
  }
}

const fly_body_frames fly_flexible_frames = {position, jacobian, bias, rates, loads, biases};

const fly_quantity fly_flexible_state[] = {FLY_ALONG("", "m", "origin of its frame", "space"),
                                           FLY_QUATERNION("frame"),
                                           FLY_ALONG("v", "m/s", "velocity of its frame", "space"),
                                           FLY_ALONG("w", "rad/s", "angular velocity of its frame", "space"),
                                           {0}};
const fly_quantity fly_flexible_acceleration[] = {
    FLY_ALONG("acc", "m/s^2", "acceleration of its frame", "space"),
    FLY_ALONG("wdt", "rad/s^2", "angular acceleration of its frame", "space"),
    {0}};
