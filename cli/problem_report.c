// The run as a person reads it: what was run, where it ended, and what can be trusted.
#include <math.h>
#include <string.h>

#include "method.h"
#include "problem.h"
#include "run.h"

enum { SHOWN_ROWS = 40 }; // of a table; the rest is in the CSV file and the JSON object

const char *problem_status_word(const problem_run *r) {
  return r->interrupted ? "interrupted" : fly_status_name(r->status);
}

// ---------------------------------------------------------------------------------------------- the head

static void print_steps(FILE *out, const problem_run *r) {
  const problem_settings *s = r->settings;
  char word[32];
  cli_choice_word(word, sizeof word, STEP_CHANGES, s->step_change);
  if (r->options.step > 0.0) {
    fprintf(out, "  steps         %g s", r->options.step);
    for (int i = 0; i < s->sequence.count; i++)
      fprintf(out, "%s%g", i == 0 ? ", divided " : " : ", s->sequence.value[i]);
  } else {
    fprintf(out, "  steps         chosen for an error of %g %s", r->options.error,
            r->options.error_per == FLY_PER_RUN ? "over the run" : "in each step");
  }
  if (r->options.family == FLY_FAMILY_NEWMARK)
    fprintf(out, "; at a change of step: %s", word);
  fputc('\n', out);
}

static void print_size(FILE *out, const fly_dae_problem *p) {
  const struct {
    int count;
    const char *one, *more;
  } parts[] = {
      {p->nq, "position", "positions"},
      {p->nrotation, "rotation as a quaternion", "rotations as quaternions"},
      {p->nv, "velocity", "velocities"},
      {p->ng, "holonomic constraint", "holonomic constraints"},
      {p->nb, "nonholonomic constraint", "nonholonomic constraints"},
      {p->nx, "first-order state", "first-order states"},
      {p->ny, "output", "outputs"},
  };
  fprintf(out, "  size         ");
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    if (parts[i].count > 0)
      fprintf(out, "%s %d %s", i > 0 ? "," : "", parts[i].count, parts[i].count == 1 ? parts[i].one : parts[i].more);
  fprintf(out, "\n");
}

static void print_because(FILE *out, const problem_run *r) {
  if (r->because)
    fprintf(out, "                as `%s` was given, which auto does not have\n", r->because);
}

void problem_report_head(FILE *out, const problem_run *r) {
  static const char *const formulations[] = {"index 3", "index 2", "stabilized index 2 (GGL)", "index 1"};
  static const char *const soft_forms[] = {"springs 1/epsilon^2, lambda an unknown",
                                           "dampers 1/delta, lambda an unknown", "springs 1/epsilon^2 in the forces",
                                           "dampers 1/delta in the forces"};
  const problem_settings *s = r->settings;
  char method[256], form[32], start[32];
  const bool newmark = r->options.family == FLY_FAMILY_NEWMARK;
  cli_method_describe(method, sizeof method, &r->method, newmark ? &r->options.method : NULL);
  cli_choice_word(form, sizeof form, FORMS, s->form);
  cli_choice_word(start, sizeof start, STARTS, s->start);
  fprintf(out, "%s%s%s: %s (%s)\n", r->info->name, s->variant != NULL ? ", variant " : "",
          s->variant != NULL ? s->variant : "", r->info->summary, r->info->source);
  print_size(out, r->problem.soft != NULL ? &r->problem.rigid : &r->problem.dae);
  fprintf(out, "  time          %g s to %g s\n", r->problem.t0, r->end);
  if (newmark) {
    fprintf(out, "  method        %s; %s form; %s start\n", method, form, start);
    print_because(out, r);
    cli_method_print(out, &r->options.method, r->problem.dae.nx > 0 ? &r->options.states : NULL);
  } else {
    fprintf(out, "  method        %s\n", method);
    print_because(out, r);
  }
  const fly_method_family family = r->options.family;
  if (r->problem.dae.ng > 0 && (newmark || family == FLY_FAMILY_BDF || family == FLY_FAMILY_TABLEAU))
    fprintf(out, "  formulation   %s\n", formulations[r->options.formulation]);
  if (problem_is_soft(s))
    fprintf(out, "  constraints   give way: %s, %s = %g\n", soft_forms[problem_soft_form(s)],
            problem_is_damped(s) ? "delta" : "epsilon", problem_softness(s));
  print_steps(out, r);
  if (!newmark)
    return;
  const fly_stability stability = fly_newmark_stability(&r->options.method);
  if (stability.violated[0] != 0)
    fprintf(out, "  note          %s\n", stability.violated);
}

// ---------------------------------------------------------------------------------------------- the state

static bool at_reference(const problem_run *r, const fly_dae_state *s) {
  const double slack = 1e-9 * (1e-300 + fabs(r->problem.reference_t));
  return (r->problem.reference_q != NULL || r->problem.reference_v != NULL) &&
         fabs(s->t - r->problem.reference_t) <= slack;
}

static double largest_difference(const double *a, const double *b, int n) {
  double largest = b == NULL ? (double)NAN : 0.0;
  for (int i = 0; b != NULL && i < n; i++)
    largest = fmax(largest, fabs(a[i] - b[i]));
  return largest;
}

// Angle between two unit quaternions, which stand for the same rotation as their negatives [rad].
static double angle_between(const double *p, const double *q) {
  double minus = 0.0, plus = 0.0;
  for (int i = 0; i < 4; i++) {
    minus += (p[i] - q[i]) * (p[i] - q[i]);
    plus += (p[i] + q[i]) * (p[i] + q[i]);
  }
  return 4.0 * asin(fmin(1.0, 0.5 * sqrt(fmin(minus, plus))));
}

static double weighted_difference(const fly_dae_problem *p, const double *q, const double *reference) {
  double largest = reference == NULL ? (double)NAN : 0.0;
  int rotation = 0;
  for (int iq = 0, iv = 0; reference != NULL && iq < p->nq;) {
    const bool turns = rotation < p->nrotation && iq == p->rotation_q[rotation];
    const double difference = turns ? angle_between(q + iq, reference + iq) : fabs(q[iq] - reference[iq]);
    largest = fmax(largest, difference / (p->scale_v != NULL ? p->scale_v[iv] : 1.0));
    rotation += turns;
    iq += turns ? 4 : 1;
    iv += turns ? 3 : 1;
  }
  return largest;
}

bool problem_reference_difference(problem_difference *out, const problem_run *r, const fly_dae_state *s) {
  *out = (problem_difference){
      .q = largest_difference(s->q, r->problem.reference_q, r->problem.dae.nq),
      .v = largest_difference(s->v, r->problem.reference_v, r->problem.dae.nv),
      .weighted = weighted_difference(&r->problem.dae, s->q, r->problem.reference_q),
  };
  return at_reference(r, s);
}

static void print_number(FILE *out, double x, bool shown) {
  if (shown)
    fprintf(out, " %18.11g", x);
  else
    fprintf(out, " %18s", "");
}

static void print_error(FILE *out, double x, const double *reference, int i) {
  if (reference != NULL && i >= 0)
    fprintf(out, " %10.2e", fabs(x - reference[i]));
  else
    fprintf(out, " %10s", "");
}

// A line of the table: position iq and velocity iv, either may be -1.
static void print_coordinate(FILE *out, const problem_run *r, const fly_dae_state *s, int iq, int iv) {
  char label[32];
  const char *const *names = r->problem.q_names;
  snprintf(label, sizeof label, "q%d", iq);
  fprintf(out, "  %-14.14s", names != NULL && names[iq] != NULL ? names[iq] : label);
  print_number(out, s->q[iq], true);
  print_number(out, iv >= 0 ? s->v[iv] : 0.0, iv >= 0);
  print_number(out, iv >= 0 ? s->vdot[iv] : 0.0, iv >= 0);
  if (at_reference(r, s)) {
    print_error(out, s->q[iq], r->problem.reference_q, iq);
    print_error(out, iv >= 0 ? s->v[iv] : 0.0, r->problem.reference_v, iv);
  }
  fprintf(out, "\n");
}

// Plain positions pair off with velocities; the last three of a quaternion stand beside its angular velocity.
static void print_coordinates(FILE *out, const problem_run *r, const fly_dae_state *s) {
  const fly_dae_problem *p = &r->problem.dae;
  int rotation = 0, iv = 0;
  for (int iq = 0; iq < p->nq && iq < SHOWN_ROWS; iq++) {
    const bool scalar = rotation < p->nrotation && iq == p->rotation_q[rotation];
    print_coordinate(out, r, s, iq, scalar ? -1 : iv);
    rotation += scalar;
    iv += !scalar;
  }
  if (p->nq > SHOWN_ROWS)
    fprintf(out, "  and %d more; see --csv, --json\n", p->nq - SHOWN_ROWS);
}

static void row_label(char *text, size_t size, const fly_dae_problem *p, const char *group, int i) {
  if (strcmp(group, "lambda") == 0 && p->row_name != NULL)
    p->row_name(text, size, i, p->user);
  else
    snprintf(text, size, "%s%d", group, i);
}

static void print_group(FILE *out, const problem_run *r, const char *title, const problem_group *g) {
  if (g->count == 0)
    return;
  fprintf(out, "\n%s\n", title);
  for (int i = 0; i < g->count && i < SHOWN_ROWS; i++) {
    char label[80];
    row_label(label, sizeof label, r->problem.soft != NULL ? &r->problem.rigid : &r->problem.dae, g->name, i);
    fprintf(out, "  %-33.33s", label);
    print_number(out, g->values[i], true);
    fprintf(out, "\n");
  }
  if (g->count > SHOWN_ROWS)
    fprintf(out, "  and %d more; see --csv, --json\n", g->count - SHOWN_ROWS);
}

static void print_difference(FILE *out, const problem_run *r, const fly_dae_state *s) {
  problem_difference d;
  if (!problem_reference_difference(&d, r, s))
    return;
  fprintf(out, "\nLargest difference from the reference");
  if (!isnan(d.q))
    fprintf(out, ": positions %.2e, in the norm of --error %.2e", d.q, d.weighted);
  if (!isnan(d.v))
    fprintf(out, "%s velocities %.2e", isnan(d.q) ? ":" : ",", d.v);
  fprintf(out, "\n");
}

static void print_state(FILE *out, const problem_run *r, const fly_dae_state *s) {
  problem_group groups[PROBLEM_GROUPS];
  problem_groups(groups, &r->problem, s);
  fprintf(out, "\n%s at t = %.12g s\n", s->t >= r->end ? "End" : "Last accepted point", s->t);
  fprintf(out, "  %-14s %18s %18s %18s", "", "position", "velocity", "acceleration");
  if (at_reference(r, s))
    fprintf(out, " %10s %10s", "error q", "error v");
  fprintf(out, "\n");
  print_coordinates(out, r, s);
  print_group(out, r, "Multipliers", &groups[3]);
  print_group(out, r, "First-order states", &groups[4]);
  print_group(out, r, "Outputs", &groups[5]);
  print_difference(out, r, s);
}

// ---------------------------------------------------------------------------------------------- certificate,
// statistics

static void print_constraints(FILE *out, const fly_dae_problem *p, const fly_certificate *c) {
  if (p->ng > 0)
    fprintf(out, "  position constraints      |g| <= %.2e\n", c->position);
  if (p->ng + p->nb > 0) {
    fprintf(out, "  velocity constraints      |G v + g_t| <= %.2e\n", c->velocity);
    fprintf(out, "  acceleration constraints  |G v' + gamma| <= %.2e\n", c->acceleration);
    fprintf(out, "  start                     moved onto the constraints by %.2e in positions, %.2e in velocities\n",
            c->start_position, c->start_velocity);
  }
}

static void print_attempts(FILE *out, const problem_run *r) {
  const fly_stats s = fly_solver_stats(r->solver);
  fprintf(out, "  steps                     %ld accepted, %ld rejected by the error test, %ld by the corrector",
          s.steps, s.rejected_error, s.rejected_newton);
  if (s.cut_steps > 0)
    fprintf(out, ", %ld divided", s.cut_steps);
  fprintf(out, "\n");
  if (s.round_off_steps > 0)
    fprintf(out,
            "  round-off                 taken out of accelerations and multipliers in %ld steps, they are so small\n",
            s.round_off_steps);
  if (s.singular_steps > 0)
    fprintf(out, "  singular positions        passed in %ld steps, whose error round-off hides (estimates %.2e)\n",
            s.singular_steps, fly_solver_certificate(r->solver).singular);
  if (s.repartitions > 0)
    fprintf(out, "  independent coordinates   chosen anew %ld times\n", s.repartitions);
  if (s.stiff_steps > s.steps / 2)
    fprintf(
        out,
        "  stability                 limits %ld steps, not the error: stiff to an explicit method; try ch or radau\n",
        s.stiff_steps);
}

// What is known of the error of the whole run.
static void print_promise(FILE *out, const problem_run *r) {
  if (!r->promise)
    return;
  const fly_promise_report p = fly_promise_tell(r->promise);
  if (!isnan(p.error) && !isnan(p.asked))
    fprintf(out, "  error of the run          about %.1e, by a pilot at %.1e; %.2e was asked for\n", p.error,
            p.companion, p.asked);
  else if (!isnan(p.error))
    fprintf(out, "  error of the run          about %.1e, by a pilot with the %s %.1e\n", p.error,
            r->options.step > 0 ? "step" : "error", p.companion);
  if (!isnan(p.growth))
    fprintf(out, "  growth                    errors of steps arrive %.2g-fold; so steps are controlled to %.1e\n",
            p.growth, p.setting);
  if (!isnan(p.doubling))
    fprintf(out, "  chaos                     errors double every %.3g s\n", p.doubling);
  if (p.note[0])
    fprintf(out, "  pilots                    %s\n", p.note);
}

static void print_control(FILE *out, const problem_run *r, const fly_certificate *c) {
  if (r->options.step > 0.0)
    fprintf(out, "  error                     not controlled: fixed steps\n");
  else if (r->options.error_per == FLY_PER_RUN)
    fprintf(out, "  error                     estimates of the steps add up to %.2e; %.2e was allowed\n", c->estimate,
            r->options.error);
  else
    fprintf(out, "  error                     estimates of the steps add up to %.2e; %.2e was allowed in each\n",
            c->estimate, r->options.error);
}

static void print_certificate(FILE *out, const problem_run *r) {
  const fly_certificate c = fly_solver_certificate(r->solver);
  const bool complete = !r->interrupted && (r->status == FLY_OK || r->status == FLY_STOPPED);
  fprintf(out, "\nCertificate (residuals: the largest over all accepted steps, in the units of the constraints)\n");
  fprintf(out, "  run                       %s%s\n",
          complete                    ? "done as asked"
          : r->status == FLY_NOT_KEPT ? "complete, but not as asked: "
                                      : "ended early: ",
          complete ? "" : problem_status_word(r));
  print_attempts(out, r);
  fly_stretch list[FLY_STRETCHES_MOST];
  cli_print_stretches(out, list, fly_solver_stretches(r->solver, list, FLY_STRETCHES_MOST));
  print_control(out, r, &c);
  print_promise(out, r);
  print_constraints(out, &r->problem.dae, &c);
  if (!isnan(c.energy_start))
    fprintf(out, "  energy                    %.9g J at the start, changes by at most %.2e J\n", c.energy_start,
            c.energy_drift);
}

static void print_stats(FILE *out, const problem_run *r) {
  const fly_stats s = fly_solver_stats(r->solver);
  const double steps = s.steps > 0 ? (double)s.steps : 1.0;
  const struct {
    const char *name;
    long count;
  } rows[] = {
      {"steps accepted", s.steps},
      {"rejected by the error test", s.rejected_error},
      {"rejected by the corrector", s.rejected_newton},
      {"fixed steps divided", s.cut_steps},
      {"Newton iterations", s.newton_iterations},
      {"evaluations of the equations", s.residuals},
      {"evaluations of the derivatives", s.jacobians},
      {"factorizations", s.factorizations},
      {"refactorizations", s.refactorizations},
      {"solves", s.solves},
      {"  for accelerations and shifts", s.kkt_solves},
      {"corrected starts and changes", s.shifts},
      {"line searches", s.line_searches},
      {"steps at the round-off limit", s.round_off_steps},
      {"steps near singular positions", s.singular_steps},
      {"dependent coordinates put back", s.corrections},
      {"choices of coordinates anew", s.repartitions},
      {"steps limited by stability", s.stiff_steps},
      {"highest order of the formulas", s.order_highest},
      {"events", s.events},
  };
  fprintf(out, "\nStatistics %34s %12s\n", "number", "per step");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    fprintf(out, "  %-32s %10ld %12.3f\n", rows[i].name, rows[i].count, (double)rows[i].count / steps);
  fprintf(out, "  step sizes %g s to %g s, %.3g s in the solver\n", s.h_min, s.h_max, s.wall_s);
}

static void print_conditions(FILE *out, const problem_run *r) {
  fprintf(out, "\nCondition of the matrix of a step (2-norm)\n  %10s %14s %14s\n", "h [s]", "scaled", "unscaled");
  for (int i = 0; i < r->ncondition; i++)
    fprintf(out, "  %10.0e %14.3e %14.3e\n", r->condition[i].h, r->condition[i].scaled, r->condition[i].unscaled);
}

void problem_report_tail(FILE *out, const problem_run *r) {
  const fly_dae_state s = fly_solver_state(r->solver);
  if (r->record.table)
    problem_record_table(out, r);
  print_state(out, r, &s);
  print_certificate(out, r);
  if (r->settings->stats)
    print_stats(out, r);
  if (r->settings->condition)
    print_conditions(out, r);
}
