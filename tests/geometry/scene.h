// Two solids, one of them moved: the gap's own derivative, and those of normal and point, against differences.
#ifndef FLY_TESTS_SCENE_H
#define FLY_TESTS_SCENE_H

#include "base/check.h"
#include "geometry/carried.h"
#include "geometry/solid.h"
#include "math/so3.h"

typedef struct scene {
  fly_solid a, b;
  double p[3], R[9];
} scene;

static inline fly_touch touch(const scene *s, int spot) {
  fly_touch t;
  fly_touch_at(&t, &s->a, &s->b, spot, s->p, s->R);
  return t;
}

// The second body moved by h along a column.
static inline scene moved(const scene *s, int column, double h) {
  scene out = *s;
  if (column < 3) {
    out.p[column] += h;
    return out;
  }
  double theta[3] = {0}, e[4], E[9];
  theta[column - 3] = h;
  fly_quat_exp(e, theta);
  fly_quat_matrix(E, e);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out.R[3 * i + j] = 0;
      for (int k = 0; k < 3; k++)
        out.R[3 * i + j] += E[3 * i + k] * s->R[3 * k + j];
    }
  return out;
}

// ------------------------------------------------------------------------------------------ derivatives

static inline void assert_derivatives(const scene *s, int spot) {
  const double h = 1e-6;
  const fly_touch t = touch(s, spot);
  for (int c = 0; c < FLY_MOVES; c++) {
    const scene up = moved(s, c, h), down = moved(s, c, -h);
    const fly_touch a = touch(&up, spot), b = touch(&down, spot);
    double unit[3] = {c % 3 == 0, c % 3 == 1, c % 3 == 2}, arm[3], turn[3];
    for (int k = 0; k < 3; k++)
      arm[k] = t.c[k] - s->p[k];
    fly_cross(turn, unit, arm);
    assert_near(fly_dot3(t.n, c < 3 ? unit : turn), (a.gap - b.gap) / (2 * h), 1e-7);
    for (int k = 0; k < 3; k++) {
      assert_near(t.dn[FLY_MOVES * k + c], (a.n[k] - b.n[k]) / (2 * h), 2e-6 * (1 + 1 / fabs(t.gap)));
      assert_near(t.dc[FLY_MOVES * k + c], (a.c[k] - b.c[k]) / (2 * h), 2e-6 * (1 + 1 / fabs(t.gap)));
    }
  }
}

// Differences mean nothing where a feature ends within their reach.
static inline bool is_smooth(const scene *s, int spot) {
  const fly_touch t = touch(s, spot);
  for (int c = 0; c < FLY_MOVES; c++)
    for (int sign = -1; sign <= 1; sign += 2) {
      const scene m = moved(s, c, sign * 2e-6);
      const fly_touch u = touch(&m, spot);
      if (fabs(u.gap - t.gap) > 1e-4)
        return false; // it comes, or goes
      for (int k = 0; k < FLY_MOVES * 3; k++)
        if (fabs(u.dn[k] - t.dn[k]) > 1e-3 || fabs(u.dc[k] - t.dc[k]) > 1e-3)
          return false;
    }
  return true;
}

#endif
