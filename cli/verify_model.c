#include "verify_model.h"

#include <math.h>
#include <string.h>

#include "example.h"

typedef struct keeper {
  verify_motion *result;
  int place[VERIFY_VALUES];
} keeper;

static void keep_row(const double *row, void *user) {
  keeper *k = user;
  verify_motion *r = k->result;
  if (r->count == VERIFY_TIMES)
    return;
  r->time[r->count] = row[0];
  for (int i = 0; i < VERIFY_VALUES; i++)
    r->value[r->count][i] = k->place[i] >= 0 ? row[k->place[i]] : (double)NAN;
  r->count++;
}

static fly_status go(verify_motion *r, const fly_mechanism *m, const verify_model *c, fly_error *error) {
  keeper k = {.result = r};
  fly_run *run = NULL;
  fly_run_options o = fly_run_options_default();
  char name[32] = "ch";
  if (c->method)
    sscanf(c->method, "%31s %lf", name, strncmp(c->method, "newmark", 7) == 0 ? &o.method.gamma : &o.method.rho);
  o.method.name = name;
  o.formulation = c->formulation;
  o.error = c->error;
  o.calibrate = o.estimate_error = "no"; // the method by itself; `promise` has the others
  o.end = c->end;
  o.output = c->output;
  o.row = keep_row;
  o.user = &k;
  fly_status status = fly_run_create(&run, m, &o, error);
  for (int i = 0; i < VERIFY_VALUES && status == FLY_OK; i++)
    k.place[i] = c->channel[i] ? fly_run_channel(run, c->channel[i]) : -1;
  if (status == FLY_OK)
    status = fly_run_start(run, error);
  if (status == FLY_OK)
    status = fly_run_go(run, error);
  if (run) {
    fly_mechanism_info info = fly_run_info(run);
    r->rank = info.rank;
    r->rows = info.rows;
    r->stats = fly_run_stats(run);
    r->energy = fly_run_ledger(run).worst;
  }
  fly_run_free(run);
  return status;
}

verify_motion verify_run_model(const verify_model *c) {
  verify_motion r = {0};
  fly_error error = {0};
  fly_mechanism *m = NULL;
  const cli_example *e = cli_example_find(c->example);
  r.status =
      e ? fly_mechanism_parse(&m, c->example, e->text, e->length, c->set[0] ? 1 : 0, c->set, &error) : FLY_BAD_INPUT;
  if (r.status == FLY_OK)
    r.status = go(&r, m, c, &error);
  snprintf(r.message, sizeof r.message, "%.*s", (int)sizeof r.message - 1, e ? error.message : "no such example");
  fly_mechanism_free(m);
  return r;
}

double verify_apart(const verify_motion *a, const verify_motion *b, int first, int last, double scale) {
  double worst = 0;
  for (int k = 0; k < a->count && k < b->count; k++)
    for (int i = first; i <= last; i++)
      worst = fmax(worst, fabs(a->value[k][i] - b->value[k][i]) / scale);
  return a->count == b->count ? worst : (double)INFINITY;
}
