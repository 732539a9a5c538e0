// Cases of flyball bench by the Open Dynamics Engine: six coordinates a body, all joints as constraints, its direct
// solver with a fixed step of first order. Steps and how quickly errors of joints are taken back (ERP) are searched;
// the fastest that is precise enough counts.
#define _POSIX_C_SOURCE 200809L
#define dDOUBLE
#include <ode/ode.h>

#include "planar.h"

typedef struct task {
  const peer_case *c;
  const planar_model *m;
  long steps; // of a run
  double erp;
  dWorldID world;
  dBodyID *body;
  planar_body *now;
} task;

static void add_bodies(task *s) {
  for (int k = 0; k < s->m->bodies; k++) {
    const planar_body *b = &s->m->body[k];
    const double inertia = fmax(b->inertia, 1e-9); // of a point too it must be positive
    dMass mass;
    dMatrix3 R;
    s->body[k] = dBodyCreate(s->world);
    dMassSetParameters(&mass, b->mass, 0, 0, 0, inertia, inertia, inertia, 0, 0, 0);
    dBodySetMass(s->body[k], &mass);
    dRFromAxisAndAngle(R, 0, 0, 1, b->angle);
    dBodySetRotation(s->body[k], R);
    dBodySetPosition(s->body[k], b->x, b->y, 0);
    dBodySetLinearVel(s->body[k], b->vx, b->vy, 0);
    dBodySetAngularVel(s->body[k], 0, 0, b->omega);
    dBodySetGyroscopicMode(s->body[k], 0); // in a plane there is none
  }
}

static void build(task *s) {
  s->world = dWorldCreate();
  dWorldSetGravity(s->world, 0, -s->m->gravity, 0);
  dWorldSetERP(s->world, s->erp);
  dWorldSetCFM(s->world, 1e-12);
  add_bodies(s);
  for (int k = 0; k < s->m->pins; k++) {
    const planar_pin *p = &s->m->pin[k];
    const planar_body *b = &s->m->body[p->b];
    const double c = cos(b->angle), sn = sin(b->angle);
    dJointID joint = dJointCreateHinge(s->world, 0);
    dJointAttach(joint, p->a < 0 ? 0 : s->body[p->a], s->body[p->b]);
    dJointSetHingeAnchor(joint, b->x + c * p->bx - sn * p->by, b->y + sn * p->bx + c * p->by, 0);
    dJointSetHingeAxis(joint, 0, 0, 1);
  }
}

static void see(const task *s, peer_watch *w) {
  double out[PEER_OUTPUTS] = {0};
  for (int k = 0; k < s->m->bodies; k++) {
    const dReal *x = dBodyGetPosition(s->body[k]), *v = dBodyGetLinearVel(s->body[k]);
    const dReal *R = dBodyGetRotation(s->body[k]), *omega = dBodyGetAngularVel(s->body[k]);
    planar_body b = {s->m->body[k].mass, s->m->body[k].inertia, x[0], x[1], atan2(R[4], R[0]), v[0], v[1], omega[2]};
    s->now[k] = b;
  }
  if (s->c->outputs == 0) {
    peer_see_energy(w, planar_energy(s->m, s->now));
    return;
  }
  planar_outputs(s->m, s->now, out);
  peer_see_outputs(w, out);
}

static long run(void *of, peer_watch *w, double *seconds) {
  task *s = of;
  build(s);
  const double begin = peer_processor_time(), step = s->c->end / (double)s->steps;
  for (long k = 0; k < s->steps; k++) {
    if (w && (s->c->outputs == 0 || k % (s->steps / 100) == 0))
      see(s, w);
    dWorldStep(s->world, step);
  }
  *seconds = peer_processor_time() - begin;
  if (w)
    see(s, w);
  dWorldDestroy(s->world);
  return s->steps;
}

static void search(const peer_case *c, const planar_model *m) {
  peer_point best = {.setting = ""};
  task s = {.c = c, .m = m};
  s.body = calloc((size_t)m->bodies, sizeof *s.body);
  s.now = calloc((size_t)m->bodies, sizeof *s.now);
  for (s.erp = 0.2; s.erp < 1; s.erp += 0.6) {
    const double begin = peer_processor_time();
    double error = HUGE_VAL;
    s.steps = 100;
    for (; error > c->precision && peer_processor_time() - begin < PEER_PATIENCE; s.steps *= 2) {
      char setting[80];
      snprintf(setting, sizeof setting, "step %.3g s, ERP %.1f", c->end / (double)s.steps, s.erp);
      error = peer_try(&best, c, setting, &s, run);
    }
  }
  peer_print(c, "ode", &best);
  free(s.body);
  free(s.now);
}

// Steps that are too long are part of the search.
static void say_nothing(int number, const char *text, va_list more) { (void)number, (void)text, (void)more; }

int main(int argc, char **argv) {
  static planar_case list[PLANAR_CASES];
  const int count = planar_list(list, argc, argv);
  static peer_case pendulum;
  planar_model bob = planar_pendulum();
  pendulum = peer_case_make("pendulum", "J", 10, 5e-5 * peer_factor(argc, argv), 0);
  dInitODE2(0);
  dSetMessageHandler(say_nothing);
  peer_begin("ode", "0.16");
  if (peer_wants("pendulum", argc, argv))
    search(&pendulum, &bob);
  planar_free(&bob);
  for (int k = 0; k < count; k++) { // without springs: forces would have to be written here
    if (list[k].there && list[k].model.sprung < 0 && list[k].model.stiffness == 0)
      search(&list[k].c, &list[k].model);
    planar_free(&list[k].model);
  }
  peer_end();
  dCloseODE();
  return 0;
}
