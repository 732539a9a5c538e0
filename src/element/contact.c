#include "element/contact.h"

#include <math.h>
#include <string.h>

#include "element/approach.h"
#include "element/list.h"
#include "element/table.h"

enum { X = FLY_APPROACH, N = FLY_PAIR }; // relative moves, and columns of the pair

// ------------------------------------------------------------------------------------------ relative motion

typedef struct relative {
  fly_approach by;
  // Spots of the pair that was looked at last; of one that is far apart, all of them are the first.
  const fly_contact_pair *seen;
  bool far;
  fly_touch touch[FLY_SPOTS];
} relative;

static relative relative_of(const fly_force_at *at) {
  relative r;
  r.by = fly_approach_of(at->marker[0].body, at->marker[1].body);
  r.seen = NULL;
  r.far = false;
  return r;
}

// ------------------------------------------------------------------------------------------ one spot

typedef struct spot {
  const fly_contact *of;
  fly_touch touch;
  double depth;  // -gap, and what rounding may hide
  double arm[3]; // c - p
  double u[3], rate;
  double slide[3], along, s[3]; // u less the run of the surface, what of it is along n, and what is not
  double m[3];                  // moment over the normal force
  fly_pressed pressed;
  double z[3], out; // of the springs along the surface, what lies in it, and what stands out of it
  fly_rubbed rubbed;
  double f[3];
} spot;

static bool has_spot(const fly_contact_pair *pair, int which) {
  return which >= pair->first && which < pair->first + pair->spots;
}

// The pair of a spot, most often the one that was looked at last, or the next; else it is searched by halves.
static const fly_contact_pair *pair_of(const fly_contact *k, int which, const relative *r) {
  for (int n = 0; n < 2 && r->seen && r->seen + n < k->pair + k->npair; n++)
    if (has_spot(r->seen + n, which))
      return r->seen + n;
  int low = 0, high = k->npair - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (k->pair[middle].first <= which)
      low = middle;
    else
      high = middle - 1;
  }
  return &k->pair[low];
}

static double thickness(const fly_contact_pair *pair) {
  return fmin(fly_solid_thickness(&pair->a), fly_solid_thickness(&pair->b));
}

// What lies on something where the model is written down touches it, whichever way its numbers are rounded.
static const double ROUNDING = 1e-12; // of the thickness of the solids

static void touch_all(relative *r, const fly_contact_pair *pair) {
  fly_touch_all(r->touch, &pair->a, &pair->b, r->by.p, r->by.R);
  for (int k = 0; k < pair->spots; k++)
    r->touch[k].gap += pair->back;
}

static void see(relative *r, const fly_contact_pair *pair) {
  if (r->seen == pair)
    return;
  r->seen = pair;
  r->far = fly_touch_far(r->touch, &pair->a, &pair->b, r->by.p, r->by.R);
  r->touch[0].gap += r->far ? pair->back : 0.0;
  if (!r->far)
    touch_all(r, pair);
}

// Also far apart, for those who want to know the gap.
static void see_exactly(relative *r, const fly_contact_pair *pair) {
  if (r->seen != pair || r->far)
    touch_all(r, pair);
  r->seen = pair;
  r->far = false;
}

// How fast the surface of the first runs, in its axes: it runs back under the second if that one's own runs.
static void surface(double out[3], const fly_contact *k, const relative *r) {
  double own[3];
  fly_to_space(own, r->by.R, k->belt);
  for (int c = 0; c < 3; c++)
    out[c] = k->whose ? -own[c] : k->belt[c];
}

static void look(spot *o, const fly_contact *k, int which, relative *r) {
  const fly_contact_pair *pair = pair_of(k, which, r);
  double turn[3], belt[3];
  o->of = k;
  see(r, pair);
  o->touch = r->touch[r->far ? 0 : which - pair->first];
  o->depth = ROUNDING * thickness(pair) - o->touch.gap;
  for (int c = 0; c < 3; c++)
    o->arm[c] = o->touch.c[c] - r->by.p[c];
  fly_cross(turn, r->by.dw, o->arm);
  for (int c = 0; c < 3; c++)
    o->u[c] = r->by.dp[c] + turn[c];
  o->rate = fly_dot3(o->touch.n, o->u);
  surface(belt, k, r);
  for (int c = 0; c < 3; c++)
    o->slide[c] = o->u[c] - belt[c];
  o->along = fly_dot3(o->touch.n, o->slide);
  for (int c = 0; c < 3; c++)
    o->s[c] = o->slide[c] - o->along * o->touch.n[c];
  fly_roll_at(o->m, &k->roll, r->by.dw, o->touch.n);
}

static fly_press_side side_of(const fly_force_at *at, int which) {
  return at->side ? (fly_press_side){at->side[2 * which], at->side[2 * which + 1]} : (fly_press_side){0, 0};
}

static const double NONE[3] = {0};

static int states_of(const fly_contact *k) { return fly_rub_has_state(&k->rub) ? 3 * k->nspot : 0; }

static double blow_of(const fly_force_at *at, int which) { return at->memory ? at->memory[which] : 0.0; }

static void press(spot *o, const fly_contact *k, int which, const relative *r, const fly_force_at *at) {
  fly_press own = k->press;
  own.stiffness = r->seen->stiffness;
  o->pressed = (fly_pressed){0};
  if (!o->touch.absent)
    o->pressed = fly_press_at(&own, o->depth, -o->rate, blow_of(at, which), side_of(at, which));
}

static void rub(spot *o, const fly_contact *k, int which, const fly_force_at *at) {
  const double *z = states_of(k) > 0 && at->x ? at->x + 3 * which : NONE;
  o->out = fly_dot3(o->touch.n, z);
  for (int c = 0; c < 3; c++)
    o->z[c] = z[c] - o->out * o->touch.n[c];
  o->rubbed = (fly_rubbed){0};
  if (o->pressed.touches)
    fly_rub_at(&o->rubbed, &k->rub, o->s, o->z);
  for (int c = 0; c < 3; c++)
    o->f[c] = o->pressed.N * (o->touch.n[c] - o->rubbed.b[c]);
}

// One spot, as it presses now.
static spot pressed_spot(const fly_contact *k, int n, relative *r, const fly_force_at *at) {
  spot o;
  look(&o, k, n, r);
  press(&o, k, n, r, at);
  rub(&o, k, n, at);
  return o;
}

static bool is_held(const fly_contact_pair *pair, const fly_force_at *at) {
  bool held = false;
  for (int n = pair->first; at->side && n < pair->first + pair->spots; n++)
    held = held || at->side[2 * n] > 0;
  return held;
}

// The next spot from n on that may press: those of pairs that are far apart, and not held together, are passed over.
static int next_near(const fly_contact *k, int n, relative *r, const fly_force_at *at) {
  while (n < k->nspot) {
    const fly_contact_pair *pair = pair_of(k, n, r);
    see(r, pair);
    if (!r->far || is_held(pair, at))
      return n;
    n = pair->first + pair->spots;
  }
  return n;
}

// Force and moment about the origin of the second body, in axes of the first.
static void add_load(double Q[X], const spot *o) {
  double moment[3];
  fly_cross(moment, o->arm, o->f);
  for (int c = 0; c < 3; c++) {
    Q[c] += o->f[c];
    Q[3 + c] += moment[c] + o->pressed.N * o->m[c];
  }
}

// What a small change does to a spot: of its place (gap, n, arm), of the velocity there, of how it turns, of the run of
// the surface, and of its springs.
typedef struct change {
  double gap, n[3], arm[3], u[3], w[3], slide[3], z[3];
  const double *turns; // w itself
} change;

// Columns: of the relative move, of its rates, and of the springs of the spot.
enum { OF_Z = 2 * X, CHANGES = OF_Z + 3 };

// The second body's surface runs by -R b, and turns with it.
static void add_surface_turned(double slide[3], const fly_contact *k, const relative *r, const double dphi[3]) {
  double own[3], turned[3];
  fly_to_space(own, r->by.R, k->belt);
  fly_cross(turned, dphi, own);
  for (int c = 0; c < 3; c++)
    slide[c] += turned[c];
}

static change change_of(const spot *o, const relative *r, int column) {
  change d = {.turns = r->by.dw};
  const int c = column % X, axis = c % 3;
  const double unit[3] = {axis == 0, axis == 1, axis == 2};
  double turn[3];
  if (column >= OF_Z) {
    memcpy(d.z, unit, sizeof d.z);
    return d;
  }
  fly_cross(turn, unit, o->arm);
  if (column >= X) { // of p' or w
    memcpy(d.u, c < 3 ? unit : turn, sizeof d.u);
    memcpy(d.slide, d.u, sizeof d.slide);
    if (c >= 3)
      memcpy(d.w, unit, sizeof d.w);
    return d;
  }
  d.gap = fly_dot3(o->touch.n, c < 3 ? unit : turn);
  for (int k = 0; k < 3; k++) {
    d.n[k] = o->touch.dn[X * k + c];
    d.arm[k] = o->touch.dc[X * k + c] - (c == k);
  }
  fly_cross(d.u, r->by.dw, d.arm);
  memcpy(d.slide, d.u, sizeof d.slide);
  if (c >= 3 && o->of->whose)
    add_surface_turned(d.slide, o->of, r, unit);
  return d;
}

static double rate_change(const spot *o, const change *d) { return fly_dot3(d->n, o->u) + fly_dot3(o->touch.n, d->u); }

// ds, and dz of what lies in the surface, z - (n . z) n; dn . n = 0.
static void slip_change(double ds[3], double dz[3], const spot *o, const change *d) {
  const double along = fly_dot3(d->n, o->slide) + fly_dot3(o->touch.n, d->slide);
  const double out = fly_dot3(o->touch.n, d->z) + fly_dot3(d->n, o->z);
  for (int c = 0; c < 3; c++) {
    ds[c] = d->slide[c] - along * o->touch.n[c] - o->along * d->n[c];
    dz[c] = d->z[c] - out * o->touch.n[c] - o->out * d->n[c];
  }
}

static void multiply(double out[3], const double A[9], const double s[3], const double B[9], const double z[3]) {
  for (int c = 0; c < 3; c++)
    out[c] = fly_dot3(A + 3 * c, s) + fly_dot3(B + 3 * c, z);
}

// dN = N_d dd + N_w dw
static double press_change(const spot *o, const change *d) {
  return -o->pressed.dd * d->gap - o->pressed.dw * rate_change(o, d);
}

// df = dN (n - b) + N (dn - db)
static void force_change(double df[3], const spot *o, const change *d) {
  const double press = press_change(o, d);
  double ds[3], dz[3], db[3];
  slip_change(ds, dz, o, d);
  multiply(db, o->rubbed.b_s, ds, o->rubbed.b_z, dz);
  for (int c = 0; c < 3; c++)
    df[c] = (o->touch.n[c] - o->rubbed.b[c]) * press + o->pressed.N * (d->n[c] - db[c]);
}

static void load_change(double dQ[X], const spot *o, const change *d) {
  const double press = press_change(o, d);
  double first[3], second[3], dm[3];
  force_change(dQ, o, d);
  fly_cross(first, d->arm, o->f);
  fly_cross(second, o->arm, dQ);
  fly_roll_change(dm, &o->of->roll, d->turns, o->touch.n, d->w, d->n);
  for (int c = 0; c < 3; c++)
    dQ[3 + c] = first[c] + second[c] + press * o->m[c] + o->pressed.N * dm[c];
}

// Adds dQ_x/dx and dQ_x/dx'.
static void add_slopes(double K[X][X], double C[X][X], const spot *o, const relative *r) {
  for (int column = 0; column < 2 * X; column++) {
    double dQ[X];
    const change d = change_of(o, r, column);
    load_change(dQ, o, &d);
    double(*to)[X] = column < X ? K : C;
    for (int c = 0; c < X; c++)
      to[c][column % X] += dQ[c];
  }
}

// ------------------------------------------------------------------------------------------ all spots

static bool load_of(double Q[X], const fly_contact *k, const fly_force_at *at, relative *r) {
  bool any = false;
  memset(Q, 0, X * sizeof *Q);
  for (int n = next_near(k, 0, r, at); n < k->nspot; n = next_near(k, n + 1, r, at)) {
    spot o;
    look(&o, k, n, r);
    press(&o, k, n, r, at);
    if (!o.pressed.touches)
      continue;
    rub(&o, k, n, at);
    add_load(Q, &o);
    any = true;
  }
  return any;
}

static void force(double *Q, const fly_force_at *at, const void *of) {
  relative r = relative_of(at);
  double Qx[X], M[X][N];
  memset(Q, 0, N * sizeof *Q);
  if (!load_of(Qx, of, at, &r))
    return;
  fly_approach_moves(M, &r.by);
  for (int c = 0; c < N; c++)
    for (int k = 0; k < X; k++)
      Q[c] += M[k][c] * Qx[k];
}

// d(X^T Q_x)/dq at fixed Q_x = (f, m), by columns: of r_j, R_i (dtheta_i x f) and of r_i the opposite; of theta_j,
// R^T (m x dphi); of theta_i, f x dp.
static void add_turned(double *K, const double Qx[X], double M[X][N], const relative *r) {
  const double *f = Qx, *m = Qx + 3;
  for (int c = 0; c < N; c++) {
    const double unit[3] = {c == 3, c == 4, c == 5};
    const double dp[3] = {M[0][c], M[1][c], M[2][c]}, dphi[3] = {M[3][c], M[4][c], M[5][c]};
    double turned[3], space[3], moment[3], own[3], first[3];
    fly_cross(turned, unit, f);
    fly_to_space(space, r->by.i->R, turned);
    fly_cross(moment, m, dphi);
    fly_to_body(own, r->by.R, moment);
    fly_cross(first, f, dp);
    for (int k = 0; k < 3; k++) {
      K[N * k + c] -= space[k];
      K[N * (3 + k) + c] += first[k];
      K[N * (6 + k) + c] += space[k];
      K[N * (9 + k) + c] += own[k];
    }
  }
}

// K += X^T A B, 12 x 12
static void add_product(double *K, double M[X][N], double A[X][X], double B[X][N]) {
  double AB[X][N] = {{0}};
  for (int i = 0; i < X; i++)
    for (int k = 0; k < X; k++)
      for (int j = 0; j < N; j++)
        AB[i][j] += A[i][k] * B[k][j];
  for (int i = 0; i < N; i++)
    for (int k = 0; k < X; k++)
      for (int j = 0; j < N; j++)
        K[N * i + j] += M[k][i] * AB[k][j];
}

// K = X^T (dQ_x/dx X + dQ_x/dx' Z) + d(X^T)/dq Q_x, C = X^T dQ_x/dx' X
static void derivatives(double *K, double *C, const fly_force_at *at, const void *of) {
  const fly_contact *k = of;
  relative r = relative_of(at);
  double Qx[X] = {0}, Kx[X][X] = {{0}}, Cx[X][X] = {{0}}, M[X][N], Z[X][N];
  bool any = false;
  memset(K, 0, N * N * sizeof *K);
  memset(C, 0, N * N * sizeof *C);
  for (int n = next_near(k, 0, &r, at); n < k->nspot; n = next_near(k, n + 1, &r, at)) {
    const spot o = pressed_spot(k, n, &r, at);
    if (!o.pressed.touches)
      continue;
    add_load(Qx, &o);
    add_slopes(Kx, Cx, &o, &r);
    any = true;
  }
  if (!any)
    return;
  fly_approach_moves(M, &r.by);
  fly_approach_rates(Z, M, &r.by);
  add_product(K, M, Kx, M);
  add_product(K, M, Cx, Z);
  add_turned(K, Qx, M, &r);
  add_product(C, M, Cx, M);
}

// ------------------------------------------------------------------------------------------ springs along the surface

static int states(const void *k) { return states_of(k); }

static void state_rates(double *rate, const fly_force_at *at, const void *of) {
  const fly_contact *k = of;
  relative r = relative_of(at);
  for (int n = 0; n < k->nspot; n++) {
    const spot o = pressed_spot(k, n, &r, at);
    for (int c = 0; c < 3; c++)
      rate[3 * n + c] = o.pressed.touches ? o.rubbed.rate[c] : -at->x[3 * n + c] / FLY_CONTACT_FADES;
  }
}

// Of one spot: dQ_x/dz (6 x 3), and of its rates in the relative move, its rates and z (3 x 15).
typedef struct spring_slopes {
  double load[X][3], rate[3][CHANGES];
} spring_slopes;

static spring_slopes slopes_of(const spot *o, const relative *r) {
  spring_slopes out = {{{0}}, {{0}}};
  for (int column = 0; column < CHANGES; column++) {
    const change d = change_of(o, r, column);
    double ds[3], dz[3], dr[3], dQ[X];
    slip_change(ds, dz, o, &d);
    multiply(dr, o->rubbed.rate_s, ds, o->rubbed.rate_z, dz);
    load_change(dQ, o, &d);
    for (int c = 0; c < 3; c++)
      out.rate[c][column] = dr[c];
    for (int c = 0; column >= OF_Z && c < X; c++)
      out.load[c][column - OF_Z] = dQ[c];
  }
  return out;
}

// The slopes of one spot in the columns of the pair.
static void put_slopes(const fly_force_slopes *out, int n, int count, const spring_slopes *w, double M[X][N],
                       double Z[X][N]) {
  for (int c = 0; c < 3; c++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < X; k++) {
        out->Q_x[count * j + 3 * n + c] += M[k][j] * w->load[k][c];
        out->rate_q[N * (3 * n + c) + j] += w->rate[c][k] * M[k][j] + w->rate[c][X + k] * Z[k][j];
        out->rate_v[N * (3 * n + c) + j] += w->rate[c][X + k] * M[k][j];
      }
  for (int c = 0; c < 9; c++)
    out->rate_x[count * (3 * n + c / 3) + 3 * n + c % 3] = w->rate[c / 3][OF_Z + c % 3];
}

static void state_slopes(const fly_force_slopes *out, const fly_force_at *at, const void *of) {
  const fly_contact *k = of;
  relative r = relative_of(at);
  const int count = states_of(k);
  double M[X][N], Z[X][N];
  fly_approach_moves(M, &r.by);
  fly_approach_rates(Z, M, &r.by);
  for (int n = 0; n < k->nspot; n++) {
    const spot o = pressed_spot(k, n, &r, at);
    const spring_slopes w = slopes_of(&o, &r);
    if (o.pressed.touches)
      put_slopes(out, n, count, &w, M, Z);
    for (int c = 0; !o.pressed.touches && c < 3; c++)
      out->rate_x[(count + 1) * (3 * n + c)] = -1 / FLY_CONTACT_FADES;
  }
}

// ------------------------------------------------------------------------------------------ what it tells

// Power turned into heat: of the pressing, of what rubs, and of what resists rolling.
static double heat_of(const spot *o, const relative *r) {
  return o->pressed.heat - fly_dot3(o->f, o->s) - o->pressed.N * fly_dot3(o->m, r->by.dw);
}

// Energy, or heat.
static double sum_of(const fly_force_at *at, const fly_contact *k, bool heat) {
  relative r = relative_of(at);
  double sum = 0;
  for (int n = next_near(k, 0, &r, at); n < k->nspot; n = next_near(k, n + 1, &r, at)) {
    const spot o = pressed_spot(k, n, &r, at);
    sum += heat ? heat_of(&o, &r) : o.pressed.energy;
  }
  return sum;
}

static double energy(const fly_force_at *at, const void *k) { return sum_of(at, k, false); }
static double dissipation(const fly_force_at *at, const void *k) { return sum_of(at, k, true); }

// What drives a surface along does f . b, that part of it along the surface.
static double driven(const fly_force_at *at, const void *of) {
  const fly_contact *k = of;
  relative r = relative_of(at);
  double sum = 0, belt[3];
  surface(belt, k, &r);
  for (int n = next_near(k, 0, &r, at); n < k->nspot; n = next_near(k, n + 1, &r, at)) {
    const spot o = pressed_spot(k, n, &r, at);
    sum -= o.pressed.N * fly_dot3(o.rubbed.b, belt);
  }
  return sum;
}

static bool damps(const void *of) {
  const fly_contact *k = of;
  return k->rub.law != FLY_RUB_NOT || k->roll.rolling > 0 || k->roll.spinning > 0 || k->press.damping > 0 ||
         k->press.alpha > 0;
}

enum { GAP, NORMAL, FRICTION, SLIP, POINT, FORCE = POINT + 3, PRESSING = FORCE + 3 };

// What all spots do together, in axes of the first body.
typedef struct all_spots {
  double gap, normal, slip;
  double presses[3], rubs[3];  // sums of N n and N b: the force on the second body is their difference
  double nearest[3], point[3]; // the spot with the smallest gap, and the sum of N c
} all_spots;

static void count_spot(all_spots *all, const spot *o) {
  const double push = o->pressed.N;
  if (o->touch.gap < all->gap) {
    all->gap = o->touch.gap;
    memcpy(all->nearest, o->touch.c, sizeof all->nearest);
  }
  all->normal += push;
  for (int c = 0; c < 3; c++) {
    all->presses[c] += push * o->touch.n[c];
    all->rubs[c] += push * o->rubbed.b[c];
    all->point[c] += push * o->touch.c[c];
  }
  if (o->pressed.touches)
    all->slip = fmax(all->slip, sqrt(fly_dot3(o->s, o->s)));
}

static void count_pair(all_spots *all, const fly_contact *k, const fly_contact_pair *pair, relative *r,
                       const fly_force_at *at) {
  see_exactly(r, pair);
  for (int n = pair->first; n < pair->first + pair->spots; n++) {
    const spot o = pressed_spot(k, n, r, at);
    count_spot(all, &o);
  }
}

// Of pairs that are far apart only those are looked at that can be nearest, the most likely one first.
// gap: the smallest of its spots; forces: the sum over all of them; slip: the fastest that touches; point: the middle
// of the forces, in space, or where they are nearest; force on the second body, and the part of it that presses.
static void values(double *out, const fly_force_at *at, const void *of) {
  const fly_contact *k = of;
  relative r = relative_of(at);
  all_spots all = {.gap = INFINITY};
  const fly_contact_pair *nearest = k->pair;
  double bound = INFINITY;
  for (int n = 0; n < k->npair; n++) {
    see(&r, &k->pair[n]);
    if (!r.far)
      count_pair(&all, k, &k->pair[n], &r, at);
    else if (r.touch[0].gap < bound) {
      bound = r.touch[0].gap;
      nearest = &k->pair[n];
    }
  }
  if (bound < all.gap)
    count_pair(&all, k, nearest, &r, at);
  for (int n = 0; n < k->npair && bound < all.gap; n++) {
    see(&r, &k->pair[n]);
    if (r.far && r.touch[0].gap < all.gap)
      count_pair(&all, k, &k->pair[n], &r, at);
  }
  out[GAP] = all.gap;
  out[NORMAL] = all.normal;
  out[FRICTION] = sqrt(fly_dot3(all.rubs, all.rubs));
  out[SLIP] = all.slip;
  for (int c = 0; c < 3; c++)
    all.nearest[c] = all.normal > 0 ? all.point[c] / all.normal : all.nearest[c];
  double force[3];
  for (int c = 0; c < 3; c++)
    force[c] = all.presses[c] - all.rubs[c];
  fly_to_space(out + FORCE, r.by.i->R, force);
  fly_to_space(out + PRESSING, r.by.i->R, all.presses);
  fly_to_space(out + POINT, r.by.i->R, all.nearest);
  for (int c = 0; c < 3; c++)
    out[POINT + c] += r.by.i->r[c];
}

// ------------------------------------------------------------------------------------------ how soon

// The gap changes by n . u at the point of either solid next to the other, which is no farther from the middle of that
// solid than it reaches: |u| <= |p' + w x (o - p)| + |w| reach.
static bool is_hollow(const fly_solid *s) { return s->core == FLY_CORE_SURFACE || s->core == FLY_CORE_CURVE; }

static fly_force_near near_in(int which, const fly_contact *k, relative *r) {
  spot o;
  look(&o, k, which, r);
  const fly_contact_pair *pair = pair_of(k, which, r);
  const bool first = fly_solid_reach(&pair->a) < fly_solid_reach(&pair->b);
  const fly_solid *s = first ? &pair->a : &pair->b;
  fly_force_near out = {.gap = o.touch.gap, .rate = o.rate, .spin = sqrt(fly_dot3(r->by.dw, r->by.dw))};
  double arm[3], turn[3], u[3];
  fly_to_space(arm, r->by.R, s->at);
  for (int c = 0; first && c < 3; c++)
    arm[c] = s->at[c] - r->by.p[c];
  fly_cross(turn, r->by.dw, arm);
  for (int c = 0; c < 3; c++)
    u[c] = r->by.dp[c] + turn[c];
  fly_to_space(out.u, r->by.i->R, u);
  out.reach = fly_solid_reach(s);
  out.thickness = thickness(pair);
  out.hollow = is_hollow(&pair->a) || is_hollow(&pair->b);
  return out;
}

static fly_force_near near(int which, const fly_force_at *at, const void *k) {
  relative r = relative_of(at);
  return near_in(which, k, &r);
}

// ------------------------------------------------------------------------------------------ relations and memory

static int relations(const void *k) { return 2 * ((const fly_contact *)k)->nspot; }

// Do they touch: depth. Does it push: the force, which matters only there.
static void margins(double *margin, const fly_force_at *at, const void *of) {
  const fly_contact *k = of;
  relative r = relative_of(at);
  for (int n = 0; n < k->nspot; n++) {
    spot o;
    look(&o, k, n, &r);
    press(&o, k, n, &r, at);
    margin[2 * n] = o.depth;
    margin[2 * n + 1] = o.pressed.touches && damps(k) ? o.pressed.push : (double)NAN;
  }
}

// A contact begins with no force, but that of a damper that acts at once; where it ceases to push it pushes no more.
static bool jumps(int which, const void *of) {
  const fly_contact *k = of;
  return which % 2 == 0 && k->press.law == FLY_PRESS_LINEAR && k->press.damping > 0;
}

static int memory(const void *k) { return ((const fly_contact *)k)->nspot; }

static const double TOUCH = 1e-9; // of the thickness of the solids: no deeper, a contact only begins

// The speed at which they come together, as long as they do not touch.
static void remember(double *z, const fly_force_at *at, const void *of, bool start) {
  const fly_contact *k = of;
  relative r = relative_of(at);
  for (int n = 0; n < k->nspot; n++) {
    const fly_force_near here = near_in(n, k, &r);
    if (start || here.gap > -TOUCH * here.thickness)
      z[n] = fmax(-here.rate, 0);
  }
}

// ------------------------------------------------------------------------------------------ the row

static const fly_quantity QUANTITIES[] = {{"gap", "m", "distance of the surfaces; negative: depth"},
                                          {"normal", "N", "force that presses them together, of all spots"},
                                          {"friction", "N", "force along the surface"},
                                          {"slip", "m/s", "speed along the surface, of the fastest spot that touches"},
                                          FLY_ALONG("p", "m", "where they touch, or are nearest", "space"),
                                          FLY_ALONG("f", "N", "force on the second body, of all spots", "space"),
                                          FLY_ALONG("n", "N", "that part of it that presses", "space"),
                                          {0}};

const fly_force_type fly_contact_force = {.size = sizeof(fly_contact),
                                          .look = "contact",
                                          .quantity = QUANTITIES,
                                          .force = force,
                                          .derivatives = derivatives,
                                          .energy = energy,
                                          .dissipation = dissipation,
                                          .driven = driven,
                                          .damps = damps,
                                          .values = values,
                                          .operations = fly_contact_operations,
                                          .relations = relations,
                                          .jumps = jumps,
                                          .margins = margins,
                                          .memory = memory,
                                          .remember = remember,
                                          .near = near,
                                          .bounds = fly_contact_bounds,
                                          .fades = FLY_CONTACT_FADES,
                                          .states = states,
                                          .rates = state_rates,
                                          .slopes = state_slopes};
