// What a step of Radau errs by: the embedded difference, freed from what is stiff, and what it says of the error that
// is two or four orders further (RI-filter, RI-estimate).
#include <float.h>
#include <math.h>
#include <string.h>

#include "dae/radau.h"
#include "math/largest.h"

static const double ROUNDED = 4.0;          // differences of so many rounding errors are nothing
static const double BETWEEN = 0.5;          // error of dense output over that of the step (RI-dense); 0.16 at least
static const double ESTIMATE_GAIN = 12.0;   // (RI-estimate); 5.6 is exact for a small oscillation
static const double STATE_GAIN = 60.0;      // the same for states, and between the ends of a step
static const double ROUGH = 4.0;            // what makes one gain the other where steps are not smooth
static const double ESTIMATE_GAIN_9 = 40.0; // (RI-estimate-9); 18.6 is exact for a small oscillation
static const double STATE_GAIN_9 = 200.0;
static const double SMOOTH = 3e-4; // sixth derivative over fourth, as differences: beyond it a step is not smooth
static const double FOURTH_GAIN = 2.6e-4; // what makes both ways to the tenth derivative the same for an oscillation,
static const double GAP_OF_SMOOTH = 0.1;  // of the difference: a small oscillation has 0.02 h times its frequency
static const double GAP_EARLY = 0.2, GAP_LATE = 0.8; // of a step: where its equations are asked of dense output,
static const double GAP_MOST = 1.5;                  // which is at most so much further off elsewhere
static const double GAP_OF_STEP = 1.17;              // what (RI-gap-estimate) takes of the latter
static const double GAP_GAIN = 20.0;                 // (RI-gap-estimate); 10.6 is exact for a small oscillation
static const double KINK_STEP = 1e-2;                // of the recent steps: shorter ones have a jump before them
static const double VELOCITY_TIME = 0.1;             // of the time left: an error of v is one of q after it

typedef enum use { POSITIONS, STATES, INSIDE } use; // what an estimate is of

// raw = gamma0 h u0' + h sum embedded_j K_j over `count` numbers from `first` on.
static void embedded_difference(const fly_radau *r, double *raw, const double *rate, int first, int count) {
  const fly_radau_table *t = fly_radau_now(r);
  for (int i = 0; i < count; i++) {
    double sum = t->gamma0 * rate[i];
    for (int j = 0; j < r->stages; j++)
      sum += t->embedded[j] * r->K[j][first + i];
    raw[i] = r->h * sum;
  }
}

static void multiply3(const double M[9], double u[3]) {
  double a = u[0], b = u[1], c = u[2];
  for (int i = 0; i < 3; i++)
    u[i] = M[3 * i] * a + M[3 * i + 1] * b + M[3 * i + 2] * c;
}

// raw becomes (F_u' + c F_u)^-1 F_u' raw: stiff components and the constraints' directions are damped (RI-filter).
static void filter(fly_radau *r) {
  fly_solver *s = r->solver;
  const fly_eval *e = &s->e;
  int nv = e->p.nv, nl = e->nl, nx = e->p.nx, ncore = s->step.ncore;
  double c = r->h_factored * fly_radau_now(r)->gamma0, *b = s->at.du;
  fly_csc J0 = e->J[0];
  J0.val = r->J0;
  memset(r->core, 0, (size_t)e->ncol * sizeof *r->core);
  memset(r->rows, 0, (size_t)e->nrow * sizeof *r->rows);
  memset(b, 0, (size_t)r->n * sizeof *b);
  for (int i = 0; i < nv; i++)
    r->core[i] = r->v_raw[i] / c;
  for (int i = 0; i < nx; i++)
    r->core[nv + nl + i] = r->x_raw[i] / c;
  fly_csc_multiply_add(r->rows, &J0, 1.0, r->core);
  fly_csc_multiply_add(r->rows, &e->M, 1.0, r->core);
  memcpy(b, r->rows, (size_t)nv * sizeof *b);
  memcpy(b + nv + nl, r->rows + nv, (size_t)(nx + e->p.ny) * sizeof *b);
  for (int k = 0; k < e->p.nrotation; k++)
    multiply3(r->T + 9 * k, r->theta_raw + e->p.rotation_v[k]);
  fly_csc_multiply_add(b + ncore, &e->M, 1.0 / c, r->theta_raw);
  fly_radau_solve_real(r, b);
  for (int i = 0; i < nv; i++) {
    r->v_raw[i] = c * b[i];
    r->theta_raw[i] = c * b[ncore + i];
  }
  for (int i = 0; i < nx; i++)
    r->x_raw[i] = c * b[nv + nl + i];
}

// How much the derivative of one component changes over the stages: a second derivative.
static double variation(const fly_radau *r, int at) {
  double sum = 0;
  for (int j = r->stages - 1; j > 0; j--)
    sum += fabs(r->K[j][at] - r->K[j - 1][at]);
  return r->h * sum;
}

// The larger of its third differences over five stages: a fourth derivative.
static double fourth(const fly_radau *r, int at) {
  double largest = 0;
  for (int k = 0; k < FLY_RADAU_PAIRS; k++) {
    double d;
    fly_radau_sum(&d, fly_radau_now(r)->third[k], r->K, r->stages, at, 1);
    largest = fmax(largest, fabs(d));
  }
  return r->h * largest;
}

// Of one component, over three stages: the embedded difference is a fourth derivative, the variation of the stages'
// derivatives a second one; the error of the method is what comes two derivatives further (RI-estimate).
static double component_of_three(const fly_radau *r, double d, int at, double gain) {
  const double rough = STATE_GAIN * d; // how far from smooth: a jump inside the step makes it as large as the variation
  const double varied = variation(r, at);
  if (!(rough < varied))
    return d;
  const double factor = gain * d / varied * (1 + ROUGH * rough / varied * rough / varied);
  return d * fmin(factor, 1.0);
}

// Over five it is a sixth derivative, and the error of the method comes four further: by the second and the sixth, or
// by the fourth and the sixth, whichever says more; where something jumps the latter does (RI-estimate-9).
static double component_of_five(const fly_radau *r, double d, int at, double gain) {
  const double two = d / variation(r, at), four = d / fourth(r, at) / SMOOTH;
  const double factor = fmax(gain * two, FOURTH_GAIN * gain * four * four * (1 + four * four));
  return factor < 1 ? d * factor : d;
}

// Between the ends of a step of five stages, the error of dense output, of order 7.
static double between_of_five(const fly_radau *r, double d, int at) {
  const double two = d / variation(r, at), four = d / fourth(r, at) / SMOOTH;
  const double factor = fmax(sqrt(sqrt(two)), 0.128 * sqrt(four) * (1 + four * four));
  return factor < 1 ? d * factor : d;
}

static double component(const fly_radau *r, double difference, int at, use what) {
  const double d = fabs(difference);
  if (r->stages == 3)
    return component_of_three(r, d, at, what == POSITIONS ? ESTIMATE_GAIN : STATE_GAIN);
  return what == INSIDE ? between_of_five(r, d, at)
                        : component_of_five(r, d, at, what == POSITIONS ? ESTIMATE_GAIN_9 : STATE_GAIN_9);
}

bool fly_radau_is_short(const fly_radau *r) { return r->h < KINK_STEP * r->h_recent; }

// For how long errors of velocities move positions. Where steps become much shorter than they were just before,
// something jumps: a velocity errs there by h times the jump, and so does its share of the error, so that no h would be
// small enough. There h alone counts, which lets it pass at h = eps/(T jump): its error then is one share of the run.
static double travel_time(const fly_radau *r) {
  const fly_solver *s = r->solver;
  return fly_radau_is_short(r) ? r->h : fmax(r->h, VELOCITY_TIME * (s->t_end - s->now.t));
}

static double scale_of_state(const fly_radau *r, int i) {
  const double *scale = r->solver->e.p.scale_x;
  return scale ? scale[i] : 1.0;
}

// A step may be so short, where it crawls over a kink or a transient, that its share of the error is less than the
// rounding of a state: that is in the estimate then, and no step has less. It is allowed instead, in proportion: with
// nothing counted below it, and all of it beyond, every other step would be far too long. With five stages it is not:
// the estimate goes with so high a power of the step that in proportion to rounding no step would grow again. size:
// what is rounded.
static double state_error(const fly_radau *r, int i, double d, double size) {
  const fly_solver *s = r->solver;
  const double least = ROUNDED * DBL_EPSILON * size;
  const double allowed = s->o.error * fly_radau_share(r) * scale_of_state(r, i);
  if (r->stages == 3 && s->o.step == 0 && least > allowed)
    return d * (allowed / least) / scale_of_state(r, i);
  return d <= least ? 0.0 : d / scale_of_state(r, i);
}

// What rounding errors of the stages' derivatives make of an embedded difference, weighted. It goes with h, as a step's
// share of the error does: no step would be short enough.
static double rounding_from(const fly_radau *r, int first) {
  double largest = 0;
  for (int j = 0; j < r->stages; j++)
    largest = fmax(largest, fly_weighted(r->solver, r->K[j] + first));
  return ROUNDED * DBL_EPSILON * r->h * largest;
}

// Of the positions, or of the velocities, from `first` among the unknowns on.
static double weighted_part(const fly_radau *r, const double *raw, int first, use what) {
  const fly_dae_problem *p = &r->solver->e.p;
  const double rounding = rounding_from(r, first);
  double largest = 0;
  for (int i = 0; i < p->nv; i++) {
    const double d = component(r, raw[i], first + i, what) / (p->scale_v ? p->scale_v[i] : 1.0);
    if (!(d <= rounding))
      largest = fly_larger(largest, d);
  }
  return largest;
}

// Largest weighted error of positions, also those that velocities make in the time left, and of states.
static double weighted_error(const fly_radau *r) {
  const fly_solver *s = r->solver;
  const int first = s->e.p.nv + s->e.nl;
  double largest = weighted_part(r, r->theta_raw, s->step.ncore, POSITIONS);
  largest = fly_larger(largest, travel_time(r) * weighted_part(r, r->v_raw, 0, POSITIONS));
  for (int i = 0; i < s->e.p.nx; i++)
    largest = fly_larger(largest, state_error(r, i, component(r, r->x_raw[i], first + i, STATES), fabs(s->now.x[i])));
  return largest;
}

// What the filter will leave of the difference of states, and what it takes out (RI-states): the rate at the start of
// the step, without that.
static void split_states(fly_radau *r) {
  const fly_solver *s = r->solver;
  const double c = r->h * fly_radau_now(r)->gamma0;
  for (int i = 0; i < s->e.p.nx; i++) {
    const double out = r->x_rate[i] - r->x_raw[i];
    r->x_rate[i] = s->now.xdot[i] - out / c;
  }
}

// Driven positions have no error at the ends of a step, but between them: there the difference counts as it is. That of
// states does not: behind an end it is what the rate there was off by, however short the step (RI-states).
double fly_radau_estimate(fly_radau *r, bool again) {
  const fly_solver *s = r->solver;
  if (!again) {
    embedded_difference(r, r->theta_raw, s->now.v, s->step.ncore, s->e.p.nv);
    embedded_difference(r, r->v_raw, s->now.vdot, 0, s->e.p.nv);
    embedded_difference(r, r->x_raw, s->now.xdot, s->e.p.nv + s->e.nl, s->e.p.nx);
    memcpy(r->x_rate, r->x_raw, (size_t)s->e.p.nx * sizeof *r->x_rate);
    r->between = BETWEEN * weighted_part(r, r->theta_raw, s->step.ncore, INSIDE);
    r->difference = fly_weighted(s, r->theta_raw);
  }
  filter(r);
  if (!again)
    split_states(r);
  return weighted_error(r);
}

// Where a motion has a kink in a high derivative, the estimate, which knows smooth ones, does not tell how far the
// polynomial between the ends is off. The constraints do: what they are missed by, taken through the matrix. Over five
// stages rows do not lie on that polynomial but on a better one; it only shows whether the step is smooth.
double fly_radau_gap(fly_radau *r) {
  fly_solver *s = r->solver;
  const int first = s->step.ncore + s->e.p.nv;
  double *b = s->at.du;
  fly_radau_middle(r, r->q);
  memset(b, 0, (size_t)r->n * sizeof *b);
  if (s->e.p.ng == 0 || fly_eval_constraint(&s->e, b + first, s->now.t + 0.5 * r->h, r->q))
    return 0;
  fly_radau_solve_real(r, b);
  const double gap = r->h_factored * fly_radau_now(r)->gamma0 * fly_weighted(s, b + s->step.ncore);
  return r->stages == 5 && gap <= GAP_OF_SMOOTH * r->difference ? 0.0 : gap;
}

// What all equations are missed by at the share a of the step, taken through the matrix: an error of states, weighted.
// Behind it the errors lie in the estimate's place, of velocities too, which states may follow.
static double gap_at(fly_radau *r, double a) {
  fly_solver *s = r->solver;
  const int nv = s->e.p.nv, nx = s->e.p.nx, first = nv + s->e.nl;
  const double c = r->h_factored * fly_radau_now(r)->gamma0;
  double *b = s->at.du, largest = 0;
  const fly_dae_state at = fly_radau_try(r, a);
  memset(b, 0, (size_t)r->n * sizeof *b);
  if (fly_eval_motion(&s->e, r->rows, &at))
    return 0;
  memcpy(b, r->rows, (size_t)nv * sizeof *b);
  memcpy(b + first, r->rows + nv, (size_t)(nx + s->e.p.ny) * sizeof *b);
  fly_radau_solve_real(r, b);
  for (int i = 0; i < nv; i++) {
    r->v_raw[i] = c * b[i];
    r->theta_raw[i] = 0;
  }
  for (int i = 0; i < nx; i++) {
    r->x_raw[i] = c * b[first + i];
    largest = fly_larger(largest, fabs(r->x_raw[i]) / scale_of_state(r, i));
  }
  return largest;
}

// No difference tells how far the polynomial of states is off between the ends of a step, where they are stiff. The
// equations do. Behind it the errors of GAP_LATE lie in the estimate's place (RI-states).
double fly_radau_states_gap(fly_radau *r) {
  const double early = gap_at(r, GAP_EARLY);
  return GAP_MOST * fly_larger(early, gap_at(r, GAP_LATE));
}

// Where the fourth derivative of a state passes zero the embedded difference is small for several steps, and the
// estimate far too small. The gap, a fifth one, is not small at the same place: with the variation, a second one, it
// tells the sixth as well (RI-gap-estimate). What is not stiff goes with the step, not with that of kept matrices: else
// what sums of forces and rates round off would be more than any share of the error.
double fly_radau_estimate_by_gap(fly_radau *r) {
  const fly_solver *s = r->solver;
  const int first = s->e.p.nv + s->e.nl;
  const double kept = fmin(r->h / r->h_factored, 1);
  double largest = 0;
  filter(r);
  for (int i = 0; i < s->e.p.nx; i++) {
    const double d = GAP_OF_STEP * kept * fabs(r->x_raw[i]), factor = GAP_GAIN * cbrt(d / variation(r, first + i));
    const double size = fmax(fabs(s->now.x[i]), scale_of_state(r, i)); // where x passes zero, its equation does not
    largest = fly_larger(largest, state_error(r, i, factor < 1 ? d * factor : d, size));
  }
  return largest;
}
