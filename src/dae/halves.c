// Solving with the matrix of the stabilized formulation. In full it is
//
//           v'  lambda  eta  mu
//   motion  [ A   G^T    K    0  ]     A = M + c_v J1 + K, K = c_q J2 T
//   velocity[ V   0      Z    0  ]     V = G + Z, Z = (c_q/c_v) d(G v)/dq T
//   project.[ 0   0      M   G^T ]
//   position[ G T 0     G T   0  ]
//
// with the rows and columns of B, states and outputs beside those of v' and lambda. What couples eta back into the
// first two rows is of the order of h. Without it there are two matrices of half the size, [A G^T; V 0], that of index
// 2, and [M G^T; G T 0], whose factors together are less than half as long; a few sweeps put the coupling in again
// (docs/theory/newmark.md, N-split). How many are needed is measured whenever derivatives are renewed; where sweeps
// do not converge quickly, as near singular positions, the full matrix is made after all.
#include <math.h>
#include <string.h>

#include "dae/newmark.h"

static const int SPLIT_FROM = 500;    // unknowns (v', lambda, x', y); below, the full matrix fits into the cache
static const double SPLIT_LOSS = 0.1; // of a correction may be left by the last sweep: kept matrices leave as much
static const int MOST_SWEEPS = 3, PROBES = 3;
static const double COUPLED_WORK = 1.5; // of a half with its part of the coupling over that of its factors (AU-work)

enum { CORE, PROJECTION }; // the two matrices

// ------------------------------------------------------------------------------------------ creation

static bool split_wanted(const fly_solver *s) { return s->step.kind == FLY_MATRIX_GGL && s->step.ncore >= SPLIT_FROM; }

void fly_matrix_size(fly_solver *s, fly_matrix_kind kind) {
  fly_step_matrix *half = fly_own(s)->half;
  fly_step_matrix_size(&s->step, kind, &s->e);
  if (kind != FLY_MATRIX_GGL) // the stabilized one, in full, is made where halves fail: pivots are searched for
    fly_step_matrix_use_diagonal(&s->step, &s->kkt);
  half[CORE] = half[PROJECTION] = (fly_step_matrix){0};
  if (!split_wanted(s))
    return;
  fly_step_matrix_size(&half[CORE], FLY_MATRIX_INDEX2, &s->e);
  fly_step_matrix_size(&half[PROJECTION], FLY_MATRIX_PROJECTION, &s->e);
  fly_step_matrix_use_diagonal(&half[CORE], &s->kkt);
  fly_step_matrix_use_diagonal(&half[PROJECTION], &s->kkt);
  half[CORE].rough = half[PROJECTION].rough = half[CORE].in_pieces = true;
}

fly_status fly_matrix_build(fly_solver *s, fly_error *error) {
  fly_step_matrix *half = fly_own(s)->half;
  if (!split_wanted(s))
    return fly_step_matrix_build(&s->step, &s->e, error);
  const fly_status status = fly_step_matrix_build(&half[CORE], &s->e, error);
  return status ? status : fly_step_matrix_build(&half[PROJECTION], &s->e, error);
}

void fly_matrix_free(fly_solver *s) {
  fly_step_matrix_free(&s->step);
  fly_step_matrix_free(&fly_own(s)->half[CORE]);
  fly_step_matrix_free(&fly_own(s)->half[PROJECTION]);
}

void fly_matrix_forget(fly_solver *s) {
  fly_step_matrix *list[] = {&s->step, &fly_own(s)->half[CORE], &fly_own(s)->half[PROJECTION]};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    if (list[k]->lu)
      fly_lu_forget(list[k]->lu);
}

// The two halves are always factorized together, and count once.
fly_lu_counts fly_matrix_count(const fly_solver *s) {
  fly_lu_counts sum = {0};
  const fly_step_matrix *list[] = {&s->step, &fly_own(s)->half[CORE]};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    if (list[k]->lu)
      fly_lu_counts_add(&sum, fly_lu_count(list[k]->lu));
  return sum;
}

double fly_matrix_work(const fly_solver *s) {
  const fly_newmark_own *own = fly_own(s);
  double sum = s->step.lu ? fly_lu_count(s->step.lu).work : 0.0;
  for (int k = 0; k < 2; k++)
    sum += own->half[k].lu ? COUPLED_WORK * fly_lu_count(own->half[k].lu).work : 0.0;
  return sum;
}

long fly_matrix_entries(const fly_solver *s) {
  if (fly_own(s)->use.sweeps == 0)
    return s->step.lu ? fly_lu_entries(s->step.lu) : 0;
  return fly_lu_entries(fly_own(s)->half[CORE].lu) + fly_lu_entries(fly_own(s)->half[PROJECTION].lu);
}

// ------------------------------------------------------------------------------------------ sweeps

// out = T x: what the tangents of the rotations make of an increment.
static void turn(const fly_solver *s, double *out, const double *x) {
  const fly_dae_problem *p = &s->e.p;
  memcpy(out, x, (size_t)p->nv * sizeof *out);
  for (int k = 0; k < p->nrotation; k++) {
    const double *T = fly_own(s)->half[PROJECTION].T + 9 * k, *u = x + p->rotation_v[k];
    for (int i = 0; i < 3; i++)
      out[p->rotation_v[k] + i] = T[3 * i] * u[0] + T[3 * i + 1] * u[1] + T[3 * i + 2] * u[2];
  }
}

// core (v', lambda, x', y) and projection (eta, mu) hold right sides; they become the solution without the coupling.
static void sweep(fly_solver *s, double *core, double *projection) {
  fly_step_matrix_solve(&fly_own(s)->half[CORE], core);
  turn(s, s->work, core);
  fly_csc_multiply_add(projection + s->e.p.nv, &s->e.G, -1.0, s->work);
  fly_lu_solve(fly_own(s)->half[PROJECTION].lu, projection);
}

// core -= c U^T W x, where W is of positions
static void subtract_loads(fly_solver *s, double *core, const double *x, double c) {
  double *load = fly_own(s)->half[CORE].wide;
  memset(load, 0, (size_t)s->e.U.rows * sizeof *load);
  fly_csc_multiply_add(load, &s->e.W[1], -c, x);
  fly_csc_multiply_transposed_add(core, &s->e.U, 1.0, load);
}

// core -= (K, Z) eta
static void subtract_coupling(fly_solver *s, double *core, const double *eta) {
  const fly_eval *e = &s->e;
  const fly_coef *c = &fly_own(s)->use.coef;
  const fly_csc *K = &e->J[2];
  int nv = e->p.nv, rest = nv + e->nl;
  turn(s, s->work, eta);
  for (int j = 0; j < nv; j++) {
    double x = c->c_q * s->work[j];
    for (int k = K->start[j]; k < K->start[j + 1]; k++) {
      int i = K->row[k];
      core[i < nv ? i : rest + i - nv] -= K->val[k] * x;
    }
  }
  if (e->U.rows > 0)
    subtract_loads(s, core, s->work, c->c_q);
  fly_csc_multiply_add(core + nv, &e->Zg, -c->c_q / c->c_v, s->work);
  fly_csc_multiply_add(core + nv + e->p.ng, &e->Zb, -c->c_q / c->c_v, s->work);
}

// ------------------------------------------------------------------------------------------ factorizing

double fly_next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state / 2147483648.0 - 1;
}

// An eta taken at random is sent through the coupling some times: the first time shows what one sweep leaves out of it,
// the last how quickly further ones converge.
static void measure_coupling(fly_solver *s) {
  double *core = fly_own(s)->half_core, *projection = fly_own(s)->half_projection, *eta = fly_own(s)->half_projection;
  fly_coupling *c = &fly_own(s)->use.coupling;
  int nv = s->e.p.nv;
  uint32_t random = 1;
  *c = (fly_coupling){.coef = s->at.coef};
  for (int i = 0; i < nv; i++)
    eta[i] = fly_next_random(&random) * (s->e.p.scale_v ? s->e.p.scale_v[i] : 1.0);
  for (int k = 0; k < PROBES; k++) {
    double before = fly_weighted(s, eta);
    memset(core, 0, (size_t)s->step.ncore * sizeof *core);
    subtract_coupling(s, core, eta);
    memset(projection, 0, (size_t)(s->step.n - s->step.ncore) * sizeof *projection);
    sweep(s, core, projection);
    c->rate = fly_weighted(s, eta) / before;
    c->loss = fmax(c->loss, fmax(c->rate, fly_weighted(s, core) / before));
    if (!(c->loss > 0)) // nothing couples
      return;
  }
}

// What is measured with other coefficients: K goes with c_q and Z with c_q/c_v, of which the inverse may take as much
// away, where stiff springs rule it, but does not add.
static void scale_coupling(fly_solver *s, fly_coupling *c) {
  const fly_coef *now = &s->at.coef, *then = &c->coef;
  const double grown = fmax(1, fmax(now->c_q / then->c_q, now->c_q / then->c_q * then->c_v / now->c_v));
  c->loss *= grown;
  c->rate *= grown;
}

// Sweeps so that the coupling left out is SPLIT_LOSS of eta; 0: too many.
static int count_sweeps(const fly_coupling *c) {
  double loss = c->loss;
  for (int k = 1; k <= MOST_SWEEPS; k++, loss *= c->rate)
    if (!(loss > SPLIT_LOSS))
      return k;
  return 0;
}

static fly_status factor_full(fly_solver *s) {
  fly_status status = s->step.lu ? FLY_OK : fly_step_matrix_build(&s->step, &s->e, NULL);
  if (status)
    return status;
  fly_step_matrix_fill(&s->step, &s->e, &s->at.coef, s->at.delta);
  return fly_lu_factor(s->step.lu, &s->step.a);
}

static fly_status factor_half(fly_solver *s, int which) {
  fly_step_matrix *half = &fly_own(s)->half[which];
  const bool fresh = fly_own(s)->use.fresh;
  if (half->in_pieces && !fresh)
    return fly_step_matrix_refactor(half, &s->at.coef);
  fly_step_matrix_fill(half, &s->e, &s->at.coef, s->at.delta);
  return (fresh ? fly_lu_factor : fly_lu_factor_again)(half->lu, &half->a);
}

// Other coefficients with the derivatives there are: [M G^T; G T 0] has none, and stays. Where the coupling, scaled,
// would take more sweeps, it is measured again.
static bool factor_core(fly_solver *s) {
  fly_matrix_use *use = &fly_own(s)->use;
  if (use->fresh || use->sweeps == 0 || !fly_lu_ready(fly_own(s)->half[PROJECTION].lu) || factor_half(s, CORE))
    return false;
  fly_coupling scaled = use->coupling;
  scale_coupling(s, &scaled);
  if (count_sweeps(&scaled) != use->sweeps)
    measure_coupling(s);
  use->sweeps = count_sweeps(&use->coupling);
  return use->sweeps > 0;
}

fly_status fly_matrix_factor(fly_solver *s) {
  fly_matrix_use *use = &fly_own(s)->use;
  use->coef = s->at.coef;
  if (factor_core(s))
    return FLY_OK;
  fly_status status = FLY_SINGULAR;
  use->sweeps = 0;
  if (fly_own(s)->half[CORE].lu) {
    status = factor_half(s, CORE);
    status = status ? status : factor_half(s, PROJECTION);
  }
  if (status == FLY_OK) {
    measure_coupling(s);
    use->sweeps = count_sweeps(&use->coupling);
  }
  return use->sweeps > 0 ? FLY_OK : factor_full(s);
}

bool fly_matrix_keep_whole(fly_solver *s) {
  bool changed = false;
  for (int k = 0; k < 2; k++)
    if (fly_own(s)->half[k].lu && fly_lu_keep_whole(fly_own(s)->half[k].lu))
      changed = true;
  return changed;
}

bool fly_matrix_is_scaled(const fly_solver *s) {
  const fly_matrix_use *use = &fly_own(s)->use;
  return use->sweeps > 0 && use->coupling.coef.c_q != use->coef.c_q;
}

// ------------------------------------------------------------------------------------------ solving

void fly_matrix_solve(fly_solver *s, double *b) {
  if (fly_own(s)->use.sweeps == 0) {
    fly_step_matrix_solve(&s->step, b);
    return;
  }
  int ncore = s->step.ncore;
  size_t core_bytes = (size_t)ncore * sizeof *b, projection_bytes = (size_t)(s->step.n - ncore) * sizeof *b;
  if (fly_own(s)->use.sweeps > 1) {
    memcpy(fly_own(s)->half_core, b, core_bytes);
    memcpy(fly_own(s)->half_projection, b + ncore, projection_bytes);
  }
  sweep(s, b, b + ncore);
  for (int k = 1; k < fly_own(s)->use.sweeps; k++) {
    memcpy(fly_own(s)->half_eta, b + ncore, (size_t)s->e.p.nv * sizeof *b);
    memcpy(b, fly_own(s)->half_core, core_bytes);
    memcpy(b + ncore, fly_own(s)->half_projection, projection_bytes);
    subtract_coupling(s, b, fly_own(s)->half_eta);
    sweep(s, b, b + ncore);
  }
}
