// What small moves do to the accelerations that the constraints ask for (element/bend.h): of linearized motions.
#include <string.h>

#include "element/bend.h"
#include "system/parts.h"

static double part(const double *wide, int column) { return wide && column >= 0 ? wide[column] : 0.0; }

static fly_pair_move move_of(const fly_system *s, int pair, const fly_wide_move *wide) {
  fly_pair_move out;
  int column[FLY_PAIR];
  fly_system_pair_columns(s->model, pair, column);
  for (int c = 0; c < FLY_PAIR; c++) {
    out.a[c] = part(wide->a, column[c]);
    out.dq[c] = part(wide->dq, column[c]);
    out.dv[c] = part(wide->dv, column[c]);
    out.da[c] = part(wide->da, column[c]);
  }
  return out;
}

int fly_problem_bend(double *out, const fly_dae_state *at, const double *dq, const double *dv, void *user) {
  fly_system *s = user;
  const fly_model *m = s->model;
  double value[3], bend[3];
  fly_system_update(s, at->q, at->v);
  const fly_wide_move wide = fly_system_wide_move(s, at, dq, dv);
  memset(out, 0, (size_t)(s->nactive + m->nsliprow) * sizeof *out);
  for (int k = 0; k < m->nterm; k++) {
    const fly_term *term = &m->term[k];
    const fly_pair p = pair_of(s, term->pair);
    const fly_pair_move move = move_of(s, term->pair, &wide);
    fly_primitive_bend(value, bend, term->kind, &p, &term->k, &move);
    fly_system_add_to_rows(s, k, bend, out);
  }
  for (int k = 0; k < m->nslip; k++) {
    const fly_model_slip *slip = &m->slip[k];
    const fly_pair p = pair_of(s, slip->pair);
    const fly_pair_move move = move_of(s, slip->pair, &wide);
    fly_slip_bend(value, bend, slip->kind, &p, slip->radius, &move);
    for (int r = 0, row = s->nactive + slip->row; r < FLY_SLIP_ROWS; r++)
      if (slip->rows >> r & 1)
        out[row++] = bend[r];
  }
  return 0;
}
