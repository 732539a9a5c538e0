// What a system remembers from step to step, put down and taken up again: turns, motions that are integrated, numbers
// that only change between steps, and how far ahead it has looked in time. Where bodies stand is found again.
#include "system/system.h"

static void image_timed(fly_timed *x, fly_image *m) {
  const size_t sources = (size_t)fly_expr_sources(x->expression), parts = (size_t)fly_expr_parts(x->expression);
  fly_image_bytes(m, x->next, sources * sizeof *x->next);
  fly_image_bytes(m, x->asked, sources * sizeof *x->asked);
  fly_image_bytes(m, x->floor, parts * sizeof *x->floor);
  FLY_IMAGE_FROM(m, x, plain_a, NULL);
}

void fly_system_image(fly_system *s, fly_image *m) {
  const fly_model *model = s->model;
  const size_t turns = (size_t)(model->nterm + model->nforce + model->nmeasure + model->npair);
  fly_image_same(m, turns);
  fly_image_same(m, (uint64_t)s->ntimed);
  fly_image_bytes(m, s->turn, turns * sizeof *s->turn);
  fly_image_bytes(m, s->z, (size_t)fly_system_numbers(s) * sizeof *s->z);
  for (int k = 0; k < model->nmotion; k++)
    FLY_IMAGE_FROM(m, &s->motion[k], t, NULL);
  for (int k = 0; k < s->ntimed; k++)
    image_timed(&s->timed[k], m);
  FLY_IMAGE_FROM(m, s, accepted, NULL);
  if (m->reading)
    s->q_known = s->v_known = s->value_known = false;
}
