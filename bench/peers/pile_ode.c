// Balls that fall into a pit, by ODE with its iterative solver: as pile_mujoco.c (tools/pile.py).
#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct pile {
  dWorldID world;
  dSpaceID space;
  dJointGroupID touching;
  double deepest;
  int count;
} pile;

static void touch(void *of, dGeomID a, dGeomID b) {
  pile *p = of;
  dContact c[4];
  const int count = dCollide(a, b, 4, &c[0].geom, sizeof c[0]);
  for (int k = 0; k < count; k++) {
    c[k].surface.mode = dContactApprox1;
    c[k].surface.mu = 0.3;
    p->deepest = fmax(p->deepest, c[k].geom.depth);
    p->count++;
    dJointAttach(dJointCreateContact(p->world, p->touching, &c[k]), dGeomGetBody(a), dGeomGetBody(b));
  }
}

static dBodyID add_ball(pile *p, const double x[3]) {
  dMass m;
  dBodyID body = dBodyCreate(p->world);
  dGeomID ball = dCreateSphere(p->space, 0.05);
  dMassSetSphere(&m, 1000, 0.05);
  dBodySetMass(body, &m);
  dGeomSetBody(ball, body);
  dBodySetPosition(body, x[0], x[1], x[2]);
  return body;
}

static double kinetic(dBodyID body) {
  dMass m;
  dBodyGetMass(body, &m);
  const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
  return m.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2 +
         m.I[0] * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) / 2;
}

int main(int words, char **word) {
  const double width = words > 2 ? atof(word[1]) : 0, end = words > 2 ? atof(word[2]) : 0, h = 0.002;
  int count;
  if (width <= 0 || scanf("%d", &count) != 1)
    return 2;
  dInitODE();
  pile p = {.world = dWorldCreate(), .space = dHashSpaceCreate(0), .touching = dJointGroupCreate(0)};
  dWorldSetGravity(p.world, 0, 0, -9.81);
  const double wall[5][4] = {
      {0, 0, 1, 0}, {-1, 0, 0, -width}, {1, 0, 0, -width}, {0, -1, 0, -width}, {0, 1, 0, -width}};
  for (int k = 0; k < 5; k++)
    dCreatePlane(p.space, wall[k][0], wall[k][1], wall[k][2], wall[k][3]);
  dBodyID *body = malloc((size_t)count * sizeof *body);
  for (int k = 0; k < count; k++) {
    double x[3];
    if (scanf("%lf %lf %lf", &x[0], &x[1], &x[2]) != 3)
      return 2;
    body[k] = add_ball(&p, x);
  }
  const clock_t start = clock();
  double most = 0, sum = 0;
  for (double t = 0; t < end - 1e-9; t += h) {
    p.deepest = 0;
    p.count = 0;
    dSpaceCollide(p.space, &p, touch);
    dWorldQuickStep(p.world, h);
    dJointGroupEmpty(p.touching);
    most = fmax(most, p.deepest);
  }
  const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  for (int k = 0; k < count; k++)
    sum += kinetic(body[k]);
  printf("%g %g %g %g %d\n", seconds, p.deepest, most, sum, p.count);
  return 0;
}
