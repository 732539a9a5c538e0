// Cases of flyball bench by MuJoCo: joint coordinates, and loops closed by its soft constraints. Integrators and steps
// are searched, and stiffness of the constraints with them; the fastest that is precise enough counts.
#define _POSIX_C_SOURCE 200809L
#include <mujoco/mujoco.h>

#include "planar.h"

static const struct {
  const char *name;
  int integrator;
} INTEGRATORS[] = {{"Euler", mjINT_EULER}, {"RK4", mjINT_RK4}, {"implicit", mjINT_IMPLICIT}};

typedef struct task {
  const peer_case *c;
  const planar_model *planar; // NULL: not one of those
  mjModel *model;
  mjData *data;
  long steps; // of a run
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
  "<mujoco><compiler angle='radian' boundmass='1e-9' boundinertia='1e-12'/>"                                           \
  "<option gravity='0 %.17g 0'><flag contact='disable'/></option>"

// ------------------------------------------------------------------------------------------ models

// A point mass of 1 kg on a massless bar of 1 m, level.
static mjModel *make_pendulum(void) {
  char text[1000];
  snprintf(text, sizeof text,
           OPTIONS "<worldbody><body><joint type='hinge' axis='0 0 1'/>"
                   "<inertial pos='-1 0 0' mass='1' diaginertia='1e-9 1e-9 1e-9'/></body></worldbody></mujoco>",
           -9.81);
  return compile(text);
}

// The frame of a body lies in the pin by which it hangs; its axes are the body's.
static char *put_body(char *at, const planar_model *m, int k) {
  const planar_pin *p = planar_joint_of(m, k);
  const planar_body *b = &m->body[k];
  const planar_pin *of = p->a >= 0 ? planar_joint_of(m, p->a) : NULL; // the frame of the parent
  at += sprintf(at, "<body name='b%d' pos='%.17g %.17g 0' euler='0 0 %.17g'>", k, p->ax - (of ? of->bx : 0),
                p->ay - (of ? of->by : 0), b->angle - (p->a >= 0 ? m->body[p->a].angle : 0));
  at += sprintf(at, "<joint type='hinge' axis='0 0 1'");
  if (m->stiffness > 0 && p == &m->pin[1])
    at += sprintf(at, " stiffness='%.17g' damping='%.17g'", m->stiffness, m->damping);
  at += sprintf(at, "/><inertial pos='%.17g %.17g 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>", -p->bx, -p->by,
                b->mass, b->inertia, b->inertia, b->inertia);
  if (k == m->sprung)
    at += sprintf(at, "<site name='d' pos='%.17g %.17g 0'/>", m->dx - p->bx, m->dy - p->by);
  for (int c = 0; c < m->bodies; c++)
    if (m->pin[c].a == k)
      at = put_body(at, m, m->pin[c].b);
  return at + sprintf(at, "</body>");
}

static mjModel *make_planar(const planar_model *m) {
  char *text = malloc(1000 * (size_t)(m->bodies + m->pins) + 4000), *at = text;
  at += sprintf(at, OPTIONS "<worldbody>", -m->gravity);
  if (m->sprung >= 0)
    at += sprintf(at, "<site name='c' pos='%.17g %.17g 0'/>", m->cx, m->cy);
  for (int c = 0; c < m->bodies; c++)
    if (m->pin[c].a < 0)
      at = put_body(at, m, m->pin[c].b);
  at += sprintf(at, "</worldbody><equality>");
  for (int k = m->bodies; k < m->pins; k++) {
    const planar_pin *p = &m->pin[k], *of = planar_joint_of(m, p->a);
    at += sprintf(at, "<connect body1='b%d' body2='b%d' anchor='%.17g %.17g 0'/>", p->a, p->b, p->ax - of->bx,
                  p->ay - of->by);
  }
  at += sprintf(at, "</equality>");
  if (m->sprung >= 0)
    at += sprintf(at,
                  "<tendon><spatial stiffness='%.17g' springlength='%.17g'><site site='c'/><site site='d'/></spatial>"
                  "</tendon>",
                  m->spring, m->length);
  sprintf(at, "</mujoco>");
  mjModel *made = compile(text);
  free(text);
  return made;
}

// examples/bricard.yaml: five rods in a row, the last held at two points of its axis.
static mjModel *make_bricard(void) {
  char text[4000], *at = text;
  static const double joint[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {-1, 0, 0}};
  static const char *const axis[5] = {"0 1 0", "0 0 1", "1 0 0", "0 1 0", "0 0 1"};
  static const double center[5][3] = {{0.5, 0, 0}, {0, -0.5, 0}, {0, 0, 0.5}, {-0.5, 0, 0}, {0, 0.5, 0}};
  const double w = 0.1, across = (1 + w * w) / 12, along = 2 * w * w / 12;
  at += sprintf(at, OPTIONS "<worldbody>", -9.81);
  for (int k = 0; k < 5; k++)
    at += sprintf(at,
                  "<body name='b%d' pos='%g %g %g'><joint type='hinge' axis='%s'/>"
                  "<inertial pos='%g %g %g' mass='1' diaginertia='%.17g %.17g %.17g'/>",
                  k, joint[k][0], joint[k][1], joint[k][2], axis[k], center[k][0], center[k][1], center[k][2],
                  center[k][0] != 0 ? along : across, center[k][1] != 0 ? along : across,
                  center[k][2] != 0 ? along : across);
  for (int k = 0; k < 5; k++)
    at += sprintf(at, "</body>");
  sprintf(at,
          "</worldbody><equality><connect body1='b4' anchor='0 1 0'/><connect body1='b4' anchor='1 1 0'/></equality>"
          "</mujoco>");
  return compile(text);
}

// ------------------------------------------------------------------------------------------ runs

static void place_start(const task *s) {
  const planar_model *m = s->planar;
  mj_resetData(s->model, s->data);
  if (!m)
    return;
  for (int j = 0; j < s->model->njnt; j++) {
    const char *name = s->model->names + s->model->name_bodyadr[s->model->jnt_bodyid[j]];
    const int body = atoi(name + 1), parent = planar_joint_of(m, body)->a;
    s->data->qvel[j] = m->body[body].omega - (parent >= 0 ? m->body[parent].omega : 0);
    if (body == 0)
      s->data->qfrc_applied[j] = m->torque;
  }
}

static void show(const task *s, peer_watch *w) {
  const planar_model *m = s->planar;
  double out[PEER_OUTPUTS] = {0};
  mj_kinematics(s->model, s->data);
  if (!m) // Bricard: the far end of the second rod
    mju_copy3(out, s->data->xpos + 3 * 3);
  else if (m->angles > 0)
    for (int k = 0; k < m->angles; k++)
      out[k] = (k > 0 ? out[k - 1] : m->body[0].angle) + s->data->qpos[k]; // pins of the first bodies come first
  else {
    const double *x = s->data->xpos + 3 * m->bodies, *R = s->data->xmat + 9 * m->bodies;
    const double along = m->tip_x - planar_joint_of(m, m->bodies - 1)->bx;
    out[0] = x[0] + R[0] * along;
    out[1] = x[1] + R[3] * along;
  }
  peer_see_outputs(w, out);
}

static long run(void *of, peer_watch *w, double *seconds) {
  const task *s = of;
  const bool energy = w && w->c->outputs == 0, outputs = w && !energy;
  s->model->opt.enableflags = energy ? mjENBL_ENERGY : 0;
  place_start(s);
  mj_forward(s->model, s->data);
  const double begin = peer_processor_time();
  for (long k = 0; k < s->steps; k++) {
    if (outputs && k % (s->steps / 100) == 0)
      show(s, w);
    mj_step(s->model, s->data);
    if (energy)
      peer_see_energy(w, s->data->energy[0] + s->data->energy[1]); // before the step
  }
  *seconds = peer_processor_time() - begin;
  mj_forward(s->model, s->data);
  if (energy)
    peer_see_energy(w, s->data->energy[0] + s->data->energy[1]);
  if (outputs)
    show(s, w);
  return s->data->warning[mjWARN_BADQACC].number ? -1 : s->steps;
}

static void set_options(const task *s, int integrator, double step, double stiffness) {
  s->model->opt.integrator = integrator;
  s->model->opt.timestep = step;
  for (int k = 0; k < s->model->neq; k++) {
    s->model->eq_solref[mjNREF * k] = stiffness * step;
    s->model->eq_solref[mjNREF * k + 1] = 1;
    s->model->eq_solimp[mjNIMP * k] = s->model->eq_solimp[mjNIMP * k + 1] = 0.9999;
  }
}

static void search(const peer_case *c, const planar_model *planar, mjModel *model) {
  peer_point best = {.setting = ""};
  task s = {c, planar, model, model ? mj_makeData(model) : NULL, 0};
  const int closed = model && model->neq > 0;
  for (int which = 0; model && which < 3; which++)
    for (int tied = 0; tied < 1 + closed; tied++) {
      const double begin = peer_processor_time();
      double error = HUGE_VAL;
      s.steps = 100;
      for (; error > c->precision && s.steps < 20000000 && peer_processor_time() - begin < PEER_PATIENCE;
           s.steps = s.steps * 5 / 4 / 100 * 100 + 100) {
        char setting[80];
        const double step = c->end / (double)s.steps;
        set_options(&s, INTEGRATORS[which].integrator, step, tied ? 4 : 2);
        snprintf(setting, sizeof setting, "%s, step %.3g s%s", INTEGRATORS[which].name, step,
                 !closed ? ""
                 : tied  ? ", solref 4 steps"
                         : ", solref 2 steps");
        error = peer_try(&best, c, setting, &s, run);
      }
    }
  peer_print(c, "mujoco", &best);
  if (model) {
    mj_deleteData(s.data);
    mj_deleteModel(model);
  }
}

// Steps that are too long are part of the search.
static void say_nothing(const char *warning) { (void)warning; }

int main(int argc, char **argv) {
  static planar_case list[PLANAR_CASES];
  const int count = planar_list(list, argc, argv);
  const double factor = peer_factor(argc, argv);
  static peer_case pendulum, bricard;
  pendulum = peer_case_make("pendulum", "J", 10, 5e-5 * factor, 0);
  bricard = peer_case_make("bricard", "m", 10, 3e-4 * factor, 3);
  mju_user_warning = say_nothing;
  peer_begin("mujoco", mj_versionString());
  if (peer_wants("pendulum", argc, argv))
    search(&pendulum, NULL, make_pendulum());
  if (peer_wants("bricard", argc, argv) && peer_read_reference(&bricard, argc > 1 ? argv[1] : ""))
    search(&bricard, NULL, make_bricard());
  for (int k = 0; k < count; k++) {
    if (list[k].there)
      search(&list[k].c, &list[k].model, make_planar(&list[k].model));
    planar_free(&list[k].model);
  }
  peer_end();
  return 0;
}
