// Cases of flyball bench by MuJoCo: joint coordinates, and loops closed by its soft constraints. Integrators and steps
// are searched, and stiffness of the constraints with them; the fastest that is precise enough counts.
#define _POSIX_C_SOURCE 200809L
#include <mujoco/mujoco.h>

#include "peer.h"

static const struct {
  const char *name;
  int integrator;
} INTEGRATORS[] = {{"Euler", mjINT_EULER}, {"RK4", mjINT_RK4}, {"implicit", mjINT_IMPLICIT}};

typedef struct task {
  const char *name, *unit;
  double end, precision;
  bool closed; // it has loops
  mjModel *model;
} task;

static mjModel *compile(const char *text) {
  char why[500] = "";
  mjVFS *files = malloc(sizeof *files);
  mj_defaultVFS(files);
  if (mj_makeEmptyFileVFS(files, "model.xml", (int)strlen(text)) == 0)
    memcpy(files->filedata[mj_findFileVFS(files, "model.xml")], text, strlen(text));
  mjModel *m = mj_loadXML("model.xml", files, why, sizeof why);
  if (!m)
    fprintf(stderr, "mujoco: %s\n", why);
  mj_deleteVFS(files);
  free(files);
  return m;
}

#define OPTIONS                                                                                                        \
  "<mujoco><compiler angle='radian' boundmass='1e-9' boundinertia='1e-9'/>"                                            \
  "<option gravity='0 -9.81 0'><flag contact='disable' energy='enable'/></option>"

// A point mass of 1 kg on a massless bar of 1 m, level.
static mjModel *make_pendulum(void) {
  return compile(OPTIONS "<worldbody><body><joint type='hinge' axis='0 0 1'/>"
                         "<inertial pos='-1 0 0' mass='1' diaginertia='1e-9 1e-9 1e-9'/><site pos='-1 0 0'/></body>"
                         "</worldbody></mujoco>");
}

// n windows of bars of 1 m and 1 kg: posts on the ground, each window's bar on one post and tied to the next.
static mjModel *make_windows(int n) {
  size_t room = 700 * (size_t)n + 2000;
  char *text = malloc(room), *at = text;
  const char *bar = "<joint type='hinge' axis='0 0 1'/><inertial pos='%s' mass='1' diaginertia='%s'/>";
  at += sprintf(at, OPTIONS "<worldbody>");
  for (int k = 0; k <= n; k++) {
    at += sprintf(at, "<body name='p%d' pos='%d 0 0'>", k, k);
    at += sprintf(at, bar, "0 0.5 0", "0.0833333333333333 1e-6 0.0833333333333333");
    if (k < n) {
      at += sprintf(at, "<body name='b%d' pos='0 1 0'>", k);
      at += sprintf(at, bar, "0.5 0 0", "1e-6 0.0833333333333333 0.0833333333333333");
      at += sprintf(at, "</body>");
    }
    at += sprintf(at, "</body>");
  }
  at += sprintf(at, "</worldbody><equality>");
  for (int k = 0; k < n; k++)
    at += sprintf(at, "<connect body1='b%d' body2='p%d' anchor='1 0 0'/>", k, k + 1);
  sprintf(at, "</equality></mujoco>");
  mjModel *m = compile(text);
  free(text);
  return m;
}

static void place_start(const task *s, mjData *d) {
  mj_resetData(s->model, d);
  for (int k = 0; s->closed && k < s->model->nv; k++) // the top moves at 1 m/s: posts turn, bars stay level
    d->qvel[k] = s->model->jnt_bodyid[k] > 0 && s->model->body_parentid[s->model->jnt_bodyid[k]] == 0 ? -1 : 1;
}

static double energy_of(const mjData *d) { return d->energy[0] + d->energy[1]; }

// The error: of the energy, at every step.
static double run(const task *s, mjData *d, long steps) {
  double worst = 0;
  place_start(s, d);
  mj_forward(s->model, d);
  const double begin = energy_of(d);
  for (long k = 0; k < steps; k++) {
    mj_step(s->model, d);
    worst = fmax(worst, fabs(energy_of(d) - begin)); // that before the step
  }
  mj_forward(s->model, d);
  worst = fmax(worst, fabs(energy_of(d) - begin));
  return isfinite(worst) ? worst : HUGE_VAL;
}

static void set_options(const task *s, int integrator, double step, double stiffness) {
  s->model->opt.integrator = integrator;
  s->model->opt.timestep = step;
  for (int k = 0; k < s->model->neq; k++) {
    s->model->eq_solref[2 * k] = stiffness * step;
    s->model->eq_solref[2 * k + 1] = 1;
    s->model->eq_solimp[5 * k] = s->model->eq_solimp[5 * k + 1] = 0.9999;
  }
}

static peer_point measure(const task *s, mjData *d, int which, long steps, double stiffness) {
  peer_point p = {.steps = steps, .seconds = HUGE_VAL};
  const double step = s->end / (double)steps;
  set_options(s, INTEGRATORS[which].integrator, step, stiffness);
  snprintf(p.setting, sizeof p.setting, "%s, step %.3g s%s", INTEGRATORS[which].name, step,
           s->closed ? stiffness > 3 ? ", solref 4 steps" : ", solref 2 steps" : "");
  p.error = run(s, d, steps);
  for (int k = 0; k < PEER_REPEATS && p.error <= s->precision; k++) {
    const double begin = peer_processor_time();
    run(s, d, steps);
    p.seconds = fmin(p.seconds, peer_processor_time() - begin);
  }
  return p;
}

static void search(task *s, bool last) {
  const double patience = 3; // [s]: an integrator that has not arrived by then is not the fastest
  peer_point best = {.setting = ""};
  mjData *d = mj_makeData(s->model);
  for (int which = 0; which < 3; which++)
    for (int tied = 0; tied < (s->closed ? 2 : 1); tied++) {
      const double begin = peer_processor_time();
      peer_point p = {.error = HUGE_VAL};
      for (long steps = 100; p.error > s->precision && steps < 20000000 && peer_processor_time() - begin < patience;
           steps = steps * 7 / 5 / 100 * 100 + 100) {
        p = measure(s, d, which, steps, tied ? 4 : 2);
        peer_take(&best, &p, s->precision);
      }
    }
  peer_print(s->name, "mujoco", s->precision, s->unit, &best, last);
  mj_deleteData(d);
  mj_deleteModel(s->model);
}

// Steps that are too long are part of the search.
static void say_nothing(const char *warning) { (void)warning; }

int main(void) {
  mju_user_warning = say_nothing;
  task tasks[] = {
      {.name = "pendulum", .unit = "J", .end = 10, .precision = 5e-5, .model = make_pendulum()},
      {.name = "four-bars",
       .unit = "J",
       .end = 10,
       .precision = 0.1,

       .closed = true,
       .model = make_windows(40)},
  };
  const int count = sizeof tasks / sizeof *tasks;
  printf("{\"bench\": 1, \"program\": \"mujoco\", \"version\": \"%s\", \"results\": [\n", mj_versionString());
  for (int k = 0; k < count; k++)
    if (tasks[k].model)
      search(&tasks[k], k + 1 == count);
  printf("]}\n");
  return 0;
}
