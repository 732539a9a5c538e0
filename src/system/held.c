// What a system remembers from step to step, put down and taken up again: turns, motions that are integrated, numbers
// that only change between steps, events, and how far ahead it has looked in time. Where bodies stand is found again.
#include "system/parts.h"

void fly_system_image(fly_system *s, fly_image *m) {
  fly_image_same(m, (uint64_t)s->ntimed);
  fly_pool_image_slots(s, m);
  fly_image_arena(m, &s->held);
  fly_pool_image_taken(s, m);
  for (int k = 0; k < s->model->nmotion; k++)
    FLY_IMAGE_FROM(m, &s->motion[k], t, NULL);
  for (int k = 0; k < s->ntimed; k++)
    FLY_IMAGE_FROM(m, &s->timed[k], plain_a, NULL);
  FLY_IMAGE_FROM(m, s, accepted, NULL);
  if (m->reading)
    s->q_known = s->v_known = s->value_known = false;
}
