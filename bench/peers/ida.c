// Cases of flyball bench that move in a plane, by IDA of SUNDIALS: its variable order BDF on the stabilized equations
// of index 2 (Gear, Gupta, Leimkuhler) in three coordinates a body, with their exact derivatives and KLU; the pendulum
// and the stiff one in their angles, which is how one would write those. Tolerances are searched.
#define _POSIX_C_SOURCE 200809L
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "planar.h"

typedef struct task {
  const peer_case *c;
  const planar_model *m;
  bool angles;             // in angles, derived by hand
  int n;                   // unknowns: q, v, lambda, mu; or angles and their rates
  double tolerance, loose; // the latter of multipliers, over that of positions
  planar_body *now;        // (bodies)
  int *start, *row;        // pattern of the derivatives, by columns
  double *dense;           // a column of them (n)
  SUNContext context;
} task;

// ------------------------------------------------------------------------------------------ in the plane

typedef struct arm {
  int body;    // < 0: the ground
  double sign; // of its end in the constraint
  double x, y; // from the centre, in the plane
} arm;

static arm arm_of(const double *q, const planar_pin *p, bool second) {
  const int body = second ? p->b : p->a;
  const double px = second ? p->bx : p->ax, py = second ? p->by : p->ay, sign = second ? -1 : 1;
  if (body < 0)
    return (arm){body, sign, px, py};
  const double c = cos(q[3 * body + 2]), sn = sin(q[3 * body + 2]);
  return (arm){body, sign, c * px - sn * py, sn * px + c * py};
}

// out += G^T l
static void add_reactions(const task *s, const double *q, const double *l, double *out) {
  for (int k = 0; k < s->m->pins; k++)
    for (int side = 0; side < 2; side++) {
      const arm a = arm_of(q, &s->m->pin[k], side);
      if (a.body < 0)
        continue;
      double *o = out + 3 * a.body;
      o[0] += a.sign * l[2 * k];
      o[1] += a.sign * l[2 * k + 1];
      o[2] += a.sign * (-a.y * l[2 * k] + a.x * l[2 * k + 1]);
    }
}

static void find_spring(const task *s, const double *q, double f[3], double *r, double d[2], double along[2]) {
  const planar_model *m = s->m;
  const double *at = q + 3 * m->sprung, c = cos(at[2]), sn = sin(at[2]);
  d[0] = c * m->dx - sn * m->dy;
  d[1] = sn * m->dx + c * m->dy;
  along[0] = at[0] + d[0] - m->cx;
  along[1] = at[1] + d[1] - m->cy;
  *r = hypot(along[0], along[1]);
  const double pull = -m->spring * (1 - m->length / *r);
  f[0] = pull * along[0];
  f[1] = pull * along[1];
  f[2] = d[0] * f[1] - d[1] * f[0];
}

static int plane_residual(realtype t, N_Vector Y, N_Vector Yp, N_Vector R, void *of) {
  const task *s = of;
  const planar_model *m = s->m;
  const int nq = 3 * m->bodies, ng = 2 * m->pins;
  const double *q = NV_DATA_S(Y), *v = q + nq, *l = v + nq, *mu = l + ng, *qp = NV_DATA_S(Yp), *vp = qp + nq;
  double *r = NV_DATA_S(R), *motion = r + nq, *g = motion + nq, *rate = g + ng;
  (void)t;
  for (int i = 0; i < nq; i++)
    r[i] = qp[i] - v[i];
  add_reactions(s, q, mu, r);
  for (int k = 0; k < m->bodies; k++) {
    const planar_body *b = &m->body[k];
    motion[3 * k] = b->mass * vp[3 * k];
    motion[3 * k + 1] = b->mass * (vp[3 * k + 1] + m->gravity);
    motion[3 * k + 2] = b->inertia * vp[3 * k + 2];
  }
  motion[2] -= m->torque;
  if (m->stiffness > 0) {
    const double knee = m->stiffness * (q[5] - q[2]) + m->damping * (v[5] - v[2]);
    motion[2] -= knee;
    motion[5] += knee;
  }
  if (m->sprung >= 0) {
    double f[3], length, d[2], along[2];
    find_spring(s, q, f, &length, d, along);
    for (int i = 0; i < 3; i++)
      motion[3 * m->sprung + i] -= f[i];
  }
  add_reactions(s, q, l, motion);
  memset(g, 0, 2 * (size_t)ng * sizeof *g);
  for (int k = 0; k < m->pins; k++)
    for (int side = 0; side < 2; side++) {
      const arm a = arm_of(q, &m->pin[k], side);
      const double *at = q + 3 * a.body, *moves = v + 3 * a.body;
      g[2 * k] += a.sign * (a.x + (a.body < 0 ? 0 : at[0]));
      g[2 * k + 1] += a.sign * (a.y + (a.body < 0 ? 0 : at[1]));
      if (a.body < 0)
        continue;
      rate[2 * k] += a.sign * (moves[0] - a.y * moves[2]);
      rate[2 * k + 1] += a.sign * (moves[1] + a.x * moves[2]);
    }
  return 0;
}

// Entries of the derivatives; `put` counts them, lists them or fills them in.
typedef void put(void *to, int row, int col, double value);

static void list_spring(const task *s, const double *q, put *add, void *to) {
  double f[3], r, d[2], a[2], turn[2], K[3][3];
  const int first = 3 * s->m->sprung, row = 3 * s->m->bodies + first;
  find_spring(s, q, f, &r, d, a);
  turn[0] = -d[1], turn[1] = d[0]; // of d by the angle
  const double pull = -s->m->spring * (1 - s->m->length / r), bend = -s->m->spring * s->m->length / (r * r * r);
  for (int j = 0; j < 3; j++) {
    const double da[2] = {j == 0 ? 1 : j == 2 ? turn[0] : 0, j == 1 ? 1 : j == 2 ? turn[1] : 0};
    const double stretched = a[0] * da[0] + a[1] * da[1];
    for (int i = 0; i < 2; i++)
      K[i][j] = pull * da[i] + bend * stretched * a[i];
    K[2][j] = d[0] * K[1][j] - d[1] * K[0][j] + (j == 2 ? turn[0] * f[1] - turn[1] * f[0] : 0);
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      add(to, row + i, first + j, -K[i][j]);
}

static void list_pin(const task *s, const double *y, int k, bool side, put *add, void *to) {
  const int nq = 3 * s->m->bodies, ng = 2 * s->m->pins, g = 2 * nq + 2 * k, rate = g + ng;
  const arm a = arm_of(y, &s->m->pin[k], side);
  if (a.body < 0)
    return;
  const int q = 3 * a.body, v = nq + q, lambda = 2 * nq + 2 * k, mu = lambda + ng;
  const double G[2][3] = {{a.sign, 0, -a.sign * a.y}, {0, a.sign, a.sign * a.x}}, omega = y[v + 2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 3; j++) {
      if (G[i][j] == 0 && j == 1 - i)
        continue;
      add(to, g + i, q + j, G[i][j]);
      add(to, rate + i, v + j, G[i][j]);
      add(to, q + j, mu + i, G[i][j]);
      add(to, v + j, lambda + i, G[i][j]);
    }
  add(to, rate, q + 2, -a.sign * a.x * omega);
  add(to, rate + 1, q + 2, -a.sign * a.y * omega);
  add(to, q + 2, q + 2, -a.sign * (a.x * y[mu] + a.y * y[mu + 1]));
  add(to, v + 2, q + 2, -a.sign * (a.x * y[lambda] + a.y * y[lambda + 1]));
}

static void list_entries(const task *s, const double *y, double c, put *add, void *to) {
  const int nq = 3 * s->m->bodies;
  for (int i = 0; i < nq; i++) {
    const planar_body *b = &s->m->body[i / 3];
    add(to, i, i, c);
    add(to, i, nq + i, -1);
    add(to, nq + i, nq + i, c * (i % 3 < 2 ? b->mass : b->inertia));
  }
  for (int k = 0; k < s->m->pins; k++)
    for (int side = 0; side < 2; side++)
      list_pin(s, y, k, side, add, to);
  for (int i = 0; i < 2 && s->m->stiffness > 0; i++)
    for (int j = 0; j < 2; j++) {
      const double sign = i == j ? 1 : -1;
      add(to, nq + 3 * i + 2, 3 * j + 2, sign * s->m->stiffness);
      add(to, nq + 3 * i + 2, nq + 3 * j + 2, sign * s->m->damping);
    }
  if (s->m->sprung >= 0)
    list_spring(s, y, add, to);
}

typedef struct entries {
  int count, *row, *col;
} entries;
static void put_entry(void *to, int row, int col, double value) {
  entries *e = to;
  (void)value;
  e->row[e->count] = row;
  e->col[e->count++] = col;
}

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

// The pattern by columns, rows ascending, each once.
static void make_pattern(task *s) {
  const size_t room = 200 * (size_t)(s->m->bodies + s->m->pins);
  entries e = {0, malloc(room * sizeof(int)), malloc(room * sizeof(int))};
  double *y = calloc((size_t)s->n, sizeof *y);
  for (int k = 0; k < s->m->bodies; k++)
    y[3 * k] = s->m->body[k].x, y[3 * k + 1] = s->m->body[k].y, y[3 * k + 2] = s->m->body[k].angle;
  list_entries(s, y, 1, put_entry, &e);
  s->start = calloc((size_t)s->n + 1, sizeof(int));
  s->row = malloc((size_t)e.count * sizeof(int));
  int *raw = calloc((size_t)s->n + 1, sizeof(int)), *sorted = malloc((size_t)e.count * sizeof(int)), count = 0;
  for (int k = 0; k < e.count; k++)
    raw[e.col[k] + 1]++;
  for (int j = 0; j < s->n; j++)
    raw[j + 1] += raw[j];
  for (int k = 0, *next = memcpy(malloc(((size_t)s->n + 1) * sizeof(int)), raw, ((size_t)s->n + 1) * sizeof(int));
       k <= e.count; k++)
    if (k < e.count)
      sorted[next[e.col[k]]++] = e.row[k];
    else
      free(next);
  for (int j = 0; j < s->n; j++) {
    qsort(sorted + raw[j], (size_t)(raw[j + 1] - raw[j]), sizeof(int), by_value);
    for (int k = raw[j]; k < raw[j + 1]; k++)
      if (k == raw[j] || sorted[k] != sorted[k - 1])
        s->row[count++] = sorted[k];
    s->start[j + 1] = count;
  }
  free(raw), free(sorted), free(e.row), free(e.col), free(y);
}

static void put_value(void *to, int row, int col, double value) {
  SUNMatrix J = to;
  const sunindextype *start = SUNSparseMatrix_IndexPointers(J), *rows = SUNSparseMatrix_IndexValues(J);
  sunindextype low = start[col], high = start[col + 1] - 1;
  while (low < high) {
    const sunindextype middle = (low + high) / 2;
    if (rows[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  SUNSparseMatrix_Data(J)[low] += value;
}

static int plane_jacobian(realtype t, realtype c, N_Vector Y, N_Vector Yp, N_Vector R, SUNMatrix J, void *of,
                          N_Vector a, N_Vector b, N_Vector d) {
  const task *s = of;
  (void)t, (void)Yp, (void)R, (void)a, (void)b, (void)d;
  SUNMatZero(J);
  for (int j = 0; j <= s->n; j++)
    SUNSparseMatrix_IndexPointers(J)[j] = s->start[j];
  for (int k = 0; k < s->start[s->n]; k++)
    SUNSparseMatrix_IndexValues(J)[k] = s->row[k];
  list_entries(s, NV_DATA_S(Y), c, put_value, J);
  return 0;
}

// ------------------------------------------------------------------------------------------ in angles

// A point on a bar: theta from the level, at its left.
static int pendulum_residual(realtype t, N_Vector Y, N_Vector Yp, N_Vector R, void *of) {
  const double *y = NV_DATA_S(Y), *yp = NV_DATA_S(Yp);
  double *r = NV_DATA_S(R);
  (void)t, (void)of;
  r[0] = yp[0] - y[1];
  r[1] = yp[1] + 9.81 * cos(y[0]);
  return 0;
}

// Two bars of 1 m and 1 kg with absolute angles a, b: (m/3 + m) a'' + m/2 cos(a - b) b'' and so on.
static int stiff_residual(realtype t, N_Vector Y, N_Vector Yp, N_Vector R, void *of) {
  const double *y = NV_DATA_S(Y), *yp = NV_DATA_S(Yp), g = 9.81;
  double *r = NV_DATA_S(R);
  const task *s = of;
  const double c = cos(y[0] - y[1]), sn = sin(y[0] - y[1]);
  const double knee = s->m->stiffness * (y[1] - y[0]) + s->m->damping * (y[3] - y[2]);
  (void)t;
  r[0] = yp[0] - y[2];
  r[1] = yp[1] - y[3];
  r[2] = 4.0 / 3 * yp[2] + 0.5 * c * yp[3] + 0.5 * sn * y[3] * y[3] + 1.5 * g * cos(y[0]) - knee;
  r[3] = 0.5 * c * yp[2] + yp[3] / 3 - 0.5 * sn * y[2] * y[2] + 0.5 * g * cos(y[1]) + knee;
  return 0;
}

// ------------------------------------------------------------------------------------------ runs

static void see(const task *s, const double *y, peer_watch *w) {
  double out[PEER_OUTPUTS] = {0};
  if (s->angles && s->c->outputs == 0) {
    peer_see_energy(w, 0.5 * y[1] * y[1] + 9.81 * sin(y[0]));
    return;
  }
  for (int k = 0; k < s->m->bodies && !s->angles; k++) {
    const double *q = y + 3 * k, *v = q + 3 * s->m->bodies;
    planar_body b = {s->m->body[k].mass, s->m->body[k].inertia, q[0], q[1], q[2], v[0], v[1], v[2]};
    s->now[k] = b;
  }
  if (s->angles)
    memcpy(out, y, 2 * sizeof *out);
  else if (s->c->outputs > 0)
    planar_outputs(s->m, s->now, out);
  if (s->c->outputs > 0)
    peer_see_outputs(w, out);
  else
    peer_see_energy(w, planar_energy(s->m, s->now));
}

static void set_start(const task *s, double *y, double *yp, double *kind) {
  if (s->angles && s->n == 2) {
    y[0] = 3.14159265358979323846;
    yp[1] = 9.81;
  }
  for (int k = 0; !s->angles && k < s->m->bodies; k++) {
    const planar_body *b = &s->m->body[k];
    double *q = y + 3 * k, *v = q + 3 * s->m->bodies, *qp = yp + 3 * k;
    q[0] = b->x, q[1] = b->y, q[2] = b->angle;
    qp[0] = v[0] = b->vx, qp[1] = v[1] = b->vy, qp[2] = v[2] = b->omega;
  }
  for (int i = 0; i < s->n; i++)
    kind[i] = s->angles || i < 6 * s->m->bodies;
}

static int advance(const task *s, void *ida, N_Vector Y, N_Vector Yp, peer_watch *w) {
  const double begin = peer_processor_time();
  realtype t = 0;
  int flag = 0;
  IDASetStopTime(ida, s->c->end);
  if (!w)
    return IDASolve(ida, s->c->end, &t, Y, Yp, IDA_NORMAL);
  see(s, NV_DATA_S(Y), w);
  for (int row = 1; flag >= 0 && t < s->c->end * (1 - 1e-12);) {
    if (s->c->outputs == 0)
      flag = IDASolve(ida, s->c->end, &t, Y, Yp, IDA_ONE_STEP);
    else
      flag = IDASolve(ida, peer_time_of(s->c, row++), &t, Y, Yp, IDA_NORMAL);
    see(s, NV_DATA_S(Y), w);
    if (peer_processor_time() - begin > 5 * PEER_PATIENCE)
      return -1;
  }
  return flag;
}

// v' and lambda at the start: for a large c the derivatives leave M v' + G^T lambda = f, G v' = -gamma of one solution.
static int find_accelerations(task *s, N_Vector Y, N_Vector Yp, SUNMatrix J, SUNLinearSolver by) {
  const double c = 1e7;
  const int nq = 3 * s->m->bodies, ng = 2 * s->m->pins;
  N_Vector R = N_VClone(Y), X = N_VClone(Y);
  double *r = NV_DATA_S(R), *x = NV_DATA_S(X), *y = NV_DATA_S(Y), *yp = NV_DATA_S(Yp);
  plane_residual(0, Y, Yp, R, s);
  for (int i = 0; i < s->n; i++)
    r[i] = i >= nq && i < 2 * nq ? -r[i] : 0;
  for (int k = 0; k < s->m->pins; k++)
    for (int side = 0; side < 2; side++) {
      const arm a = arm_of(y, &s->m->pin[k], side);
      const double omega = a.body < 0 ? 0 : y[nq + 3 * a.body + 2];
      r[2 * nq + ng + 2 * k] += a.sign * a.x * omega * omega / c;
      r[2 * nq + ng + 2 * k + 1] += a.sign * a.y * omega * omega / c;
    }
  plane_jacobian(0, c, Y, Yp, R, J, s, NULL, NULL, NULL);
  SUNLinSolInitialize(by);
  int flag = SUNLinSolSetup(by, J);
  flag = flag ? flag : SUNLinSolSolve(by, J, X, R, 0);
  for (int i = 0; i < nq; i++)
    yp[nq + i] = c * x[nq + i];
  memcpy(y + 2 * nq, x + 2 * nq, (size_t)ng * sizeof *y);
  N_VDestroy(R), N_VDestroy(X);
  return flag;
}

// Velocities are measured by the time of the motion; multipliers, which are no better than tolerance / step, hardly at
// all: with the weights of positions Newton does not converge.
static void set_weights(const task *s, double *weight) {
  const int places = s->angles ? s->n / 2 : 3 * s->m->bodies;
  for (int i = 0; i < s->n; i++)
    weight[i] = s->tolerance * (i < places ? 1 : i < 2 * places ? 10 / s->c->end : s->loose);
}

static int prepare(task *s, void *ida, N_Vector Y, N_Vector Yp, N_Vector kind, N_Vector weight, SUNMatrix J,
                   SUNLinearSolver by) {
  IDAResFn residual = !s->angles ? plane_residual : s->n == 2 ? pendulum_residual : stiff_residual;
  set_start(s, NV_DATA_S(Y), NV_DATA_S(Yp), NV_DATA_S(kind));
  if (!s->angles && find_accelerations(s, Y, Yp, J, by))
    return -1;
  set_weights(s, NV_DATA_S(weight));
  if (IDAInit(ida, residual, 0, Y, Yp) || IDASVtolerances(ida, s->tolerance, weight))
    return -1;
  IDASetInitStep(ida, 1e-5 * s->c->end);
  IDASetUserData(ida, s);
  IDASetId(ida, kind);
  IDASetSuppressAlg(ida, 1);
  IDASetMaxNumSteps(ida, 10000000);
  if (IDASetLinearSolver(ida, by, J) || (!s->angles && IDASetJacFn(ida, plane_jacobian)))
    return -1;
  return 0;
}

static long run(void *of, peer_watch *w, double *seconds) {
  task *s = of;
  void *ida = IDACreate(s->context);
  N_Vector Y = N_VNew_Serial(s->n, s->context), Yp = N_VClone(Y), kind = N_VClone(Y), weight = N_VClone(Y);
  N_VConst(0, Y), N_VConst(0, Yp);
  SUNMatrix J = s->angles ? SUNDenseMatrix(s->n, s->n, s->context)
                          : SUNSparseMatrix(s->n, s->n, s->start[s->n], CSC_MAT, s->context);
  SUNLinearSolver by = s->angles ? SUNLinSol_Dense(Y, J, s->context) : SUNLinSol_KLU(Y, J, s->context);
  int flag = prepare(s, ida, Y, Yp, kind, weight, J, by);
  const double begin = peer_processor_time();
  flag = flag ? flag : advance(s, ida, Y, Yp, w);
  *seconds = peer_processor_time() - begin;
  long steps = -1;
  if (flag >= 0)
    IDAGetNumSteps(ida, &steps);
  IDAFree(&ida);
  SUNLinSolFree(by), SUNMatDestroy(J);
  N_VDestroy(Y), N_VDestroy(Yp), N_VDestroy(kind), N_VDestroy(weight);
  return steps;
}

static void search(const peer_case *c, const planar_model *m, bool angles, SUNContext context) {
  peer_point best = {.setting = ""};
  task s = {.c = c, .m = m, .angles = angles, .context = context};
  s.n = angles ? 2 * m->bodies : 6 * m->bodies + 4 * m->pins;
  s.now = calloc((size_t)m->bodies, sizeof *s.now);
  if (!angles)
    make_pattern(&s);
  for (s.loose = 1; s.loose <= (angles ? 1 : 1e6); s.loose *= 1000) {
    const double begin = peer_processor_time();
    double error = HUGE_VAL;
    s.tolerance = 1e-2;
    for (int k = 0; k < 21 && error > c->precision && peer_processor_time() - begin < PEER_PATIENCE;
         k++, s.tolerance /= sqrt(10)) {
      char setting[80];
      snprintf(setting, sizeof setting, "tolerance %.1e, of multipliers %.0e times", s.tolerance, s.loose);
      error = peer_try(&best, c, setting, &s, run);
    }
  }
  peer_print(c, angles ? "ida-angles" : "ida", &best);
  free(s.now), free(s.start), free(s.row);
}

int main(int argc, char **argv) {
  static planar_case list[PLANAR_CASES];
  const int count = planar_list(list, argc, argv);
  static peer_case pendulum;
  char version[40] = "";
  SUNContext context = NULL;
  if (SUNContext_Create(NULL, &context))
    return 1;
  pendulum = peer_case_make("pendulum", "J", 10, 5e-5 * peer_factor(argc, argv), 0);
  SUNDIALSGetVersion(version, sizeof version);
  peer_begin("ida", version);
  planar_model bob = planar_pendulum();
  for (int angles = 0; angles < 2 && peer_wants("pendulum", argc, argv); angles++)
    search(&pendulum, &bob, angles, context);
  planar_free(&bob);
  for (int k = 0; k < count; k++) {
    for (int angles = 0; angles < (list[k].model.stiffness > 0 ? 2 : 1) && list[k].there; angles++)
      search(&list[k].c, &list[k].model, angles, context);
    planar_free(&list[k].model);
  }
  peer_end();
  SUNContext_Free(&context);
  return 0;
}
