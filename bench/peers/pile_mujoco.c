// Balls that fall into a pit, by MuJoCo: positions from standard input (a count, then x y z of each), radius 50 mm,
// 1000 kg/m^3, friction 0.3; walls at x, y = +-width. Prints seconds of the processor, the deepest overlap and the
// kinetic energy at the end (tools/pile.py).
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PLANE "<geom type='plane' size='9 9 1' pos='%g %g %g' zaxis='%g %g %g'/>"

static mjModel *read_model(double width) {
  int count = 0;
  if (scanf("%d", &count) != 1)
    return NULL;
  char *text = malloc((size_t)count * 200 + 3000), *at = text, why[500] = "";
  at += sprintf(at,
                "<mujoco><option gravity='0 0 -9.81' timestep='0.002'><flag energy='enable'/></option><size njmax='%d' "
                "nconmax='%d'/><default>"
                "<geom friction='0.3 0 0' density='1000'/></default><worldbody>",
                14 * count + 100, 4 * count + 20);
  at += sprintf(at, PLANE PLANE PLANE PLANE PLANE, 0., 0., 0., 0., 0., 1., width, 0., 0., -1., 0., 0., -width, 0., 0.,
                1., 0., 0., 0., width, 0., 0., -1., 0., 0., -width, 0., 0., 1., 0.);
  for (int k = 0; k < count; k++) {
    double x[3];
    if (scanf("%lf %lf %lf", &x[0], &x[1], &x[2]) != 3)
      return NULL;
    at += sprintf(at, "<body pos='%.9g %.9g %.9g'><freejoint/><geom type='sphere' size='0.05'/></body>", x[0], x[1],
                  x[2]);
  }
  sprintf(at, "</worldbody></mujoco>");
  mjVFS *files = malloc(sizeof *files);
  mj_defaultVFS(files);
  mj_makeEmptyFileVFS(files, "pile.xml", (int)strlen(text));
  memcpy(files->filedata[mj_findFileVFS(files, "pile.xml")], text, strlen(text));
  mjModel *m = mj_loadXML("pile.xml", files, why, sizeof why);
  if (!m)
    fprintf(stderr, "mujoco: %s\n", why);
  return m;
}

int main(int count, char **word) {
  const double width = atof(word[1]), end = atof(word[2]);
  mjModel *m = count > 2 ? read_model(width) : NULL;
  if (!m)
    return 2;
  mjData *d = mj_makeData(m);
  const clock_t start = clock();
  double deepest = 0, most = 0;
  while (d->time < end - 1e-9) {
    mj_step(m, d);
    deepest = 0;
    for (int k = 0; k < d->ncon; k++)
      deepest = d->contact[k].dist < -deepest ? -d->contact[k].dist : deepest;
    most = deepest > most ? deepest : most;
  }
  const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  mj_energyVel(m, d);
  printf("%g %g %g %g %d\n", seconds, deepest, most, d->energy[1], d->ncon);
  return 0;
}
