// flyball verify promise: --error is the error of the run. E over the error asked for, of every problem and every
// example, and how well the runs know their own errors.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "example.h"
#include "verify_cells.h"
#include "verify_motion.h"

enum { REFERENCE_STEPS = 200000, EXPLICIT_STEPS = 400000 }; // of those that partition takes, a tenth as dear
enum { SUBJECTS = 128, TOLERANCES = 7, CELLS = 1024, CASES = 200000 };
static const double tolerances[TOLERANCES] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
static const double LIMIT_MOST = 3,
                    LIMIT_OK = 10; // E over the error asked for: in 95 of 100 cells, and in all that say ok
static const double COVERED = 5, COVERED_MOST = 20; // error over its estimate, or the inverse; error over its estimate
static const double REFERENCE = 1e-11;              // tolerance of the motions compared with
static const double STEPS_MOST = 1e7;               // of a cell; of a method that is only reported,
static const double REPORTED_MOST = 1e6;            // fewer; of large models,
static const double WORK_MOST = 2.7e11;             // whose steps cost more, so many over the cube of their size,
static const double RADAU_STEP = 3;                 // and a third of those by radau
static const double RULED = 1.1;       // steps of a tenfold smaller error: if not more, something else limits them
static const double ROUND_OFF = 1e-13; // of a channel, over its largest value and 1: errors above ten times count

typedef struct way {
  const char *label, *method, *formulation;
  int count; // of tolerances
  bool judged;
} way;

static const way ways[] = {
    // in the order of --ways
    {"radau", "radau", NULL, 7, true},        {"partition", "partition", NULL, 7, true},
    {"ch, ggl", "ch", NULL, 5, true},         {"auto", "auto", NULL, 7, true},
    {"hybrid", "hybrid", NULL, 7, false},     {"bdf", "bdf", NULL, 7, false},
    {"ch, index3", "ch", "index3", 5, false}, {"hht, ggl", "hht", NULL, 5, false},
};
enum { NWAY = sizeof ways / sizeof *ways };

// A motion that is as good as exact, by two methods: one for those that use the other.
typedef struct truth {
  bool known;            // it was looked for
  double steps;          // that a run of this subject may take
  verify_sampled *by[2]; // radau, or the problems' own reference; partition
  double tolerance[2];   // of these
  double apart;
} truth;

// All subjects and what they are compared with.
typedef struct work {
  verify_subject *list;
  truth *truths;
  int n;
  verify_cells *cells; // measured before; NULL: none
} work;

// What a table adds up to.
typedef struct count {
  double ratio[CELLS]; // E over the error asked for, of cells that say ok
  double ruled[CELLS]; // of those whose steps the error rules
  int ok, nruled, refused, failed, beyond;
  double *coverage; // error over estimate (CASES)
  int cases;
  double worst;    // the largest of them,
  char where[200]; // and where it was
} tally;

// ---------------------------------------------------------------------------------------------- subjects

static bool fails_on_purpose(const char *name) { return strcmp(name, "redundant") == 0 || strcmp(name, "lock") == 0; }

static int add_problem(verify_subject *list, int n, const fly_problem_info *p) {
  const char *word = p->variants;
  do {
    const size_t length = strcspn(word, " ");
    verify_subject *s = &list[n++];
    *s = (verify_subject){.problem = p->name};
    snprintf(s->variant, sizeof s->variant, "%.*s", (int)length, word);
    snprintf(s->title, sizeof s->title, "%s%s%s", p->name, s->variant[0] ? " " : "", s->variant);
    word += length + (word[length] == ' ');
  } while (*word != 0 && n < SUBJECTS);
  return n;
}

// A list of titles with commas between them; NULL: all.
static bool is_wanted(const char *only, const char *title) {
  const size_t length = strlen(title);
  for (const char *at = only; at != NULL && *at != 0; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
    if (strcspn(at, ",") == length && strncmp(at, title, length) == 0)
      return true;
  return only == NULL;
}

static int find_subjects(verify_subject list[SUBJECTS], bool quick, const char *only) {
  static const char *const few[] = {"pendulum newmark", "seven-body testset",   "slider-crank-ida",
                                    "heavy-top.yaml",   "simple-pendulum.yaml", NULL};
  int n = 0;
  for (const fly_problem_info *p = fly_problem_list; p->name != NULL && n < SUBJECTS; p++)
    if (!fails_on_purpose(p->name))
      n = add_problem(list, n, p);
  for (int k = 0; k < cli_example_count && n < SUBJECTS; k++, n++) {
    list[n] = (verify_subject){.example = cli_examples[k].name};
    snprintf(list[n].title, sizeof list[n].title, "%s.yaml", cli_examples[k].name);
  }
  int kept = 0;
  for (int k = 0; k < n; k++) {
    bool wanted = !quick && is_wanted(only, list[k].title);
    for (int i = 0; quick && few[i] != NULL; i++)
      wanted = wanted || strcmp(list[k].title, few[i]) == 0;
    if (wanted)
      list[kept++] = list[k];
  }
  return kept;
}

// ---------------------------------------------------------------------------------------------- truths

static bool is_complete(const verify_sampled *m) { return m != NULL && m->rows == VERIFY_MOTION_ROWS + 1; }

// In a place of the truth: the method at the reference's tolerance; where round-off or a singular position keeps it
// from getting through, at ten times that and so on; else another. What is too stiff for an explicit method is so at
// every tolerance.
static void find_motion(truth *t, int place, const verify_subject *s, const char *method) {
  const bool explicit = strcmp(method, "partition") == 0;
  const long most =
      (long)fmin(explicit ? EXPLICIT_STEPS : REFERENCE_STEPS, explicit ? t->steps : t->steps / RADAU_STEP);
  const verify_how hows[] = {{method, NULL, REFERENCE, false, most},
                             {method, NULL, 10 * REFERENCE, false, most},
                             {method, NULL, 100 * REFERENCE, false, most},
                             {method, NULL, 1000 * REFERENCE, false, most},
                             {"hybrid", NULL, REFERENCE, false, most}};
  verify_sampled *m = NULL;
  for (size_t k = 0; k < sizeof hows / sizeof *hows && !is_complete(m) && !cli_interrupted(); k++) {
    if (m && m->status == FLY_TOO_MANY_STEPS && explicit)
      break;
    verify_sampled_free(m);
    m = verify_sample(s, &hows[k]);
    t->tolerance[place] = hows[k].error;
  }
  t->by[place] = m;
}

static double steps_most(const verify_subject *s) {
  const double size = fmax(verify_subject_size(s), 1);
  return fmin(STEPS_MOST, WORK_MOST / (size * size * size));
}

static truth find_truth(const verify_subject *s) {
  truth t = {.known = true, .steps = steps_most(s), .apart = NAN};
  find_motion(&t, 0, s, "radau");
  find_motion(&t, 1, s, "partition");
  if (is_complete(t.by[0]) && is_complete(t.by[1]))
    t.apart = verify_sampled_apart(s, t.by[0], t.by[1]);
  return t;
}

// In one line, to be kept with the cells.
static void describe_truth(char *text, size_t size, const truth *t) {
  static const char *const names[] = {"radau", "partition"};
  size_t used = 0;
  text[0] = 0;
  for (int k = 0; k < 2 && used < size; k++)
    if (!is_complete(t->by[k]))
      used += (size_t)snprintf(text + used, size - used, "no motion by %s to compare with; ", names[k]);
    else if (t->tolerance[k] > REFERENCE)
      used +=
          (size_t)snprintf(text + used, size - used, "gets through by %s at %.0e only; ", names[k], t->tolerance[k]);
  if (t->apart > 1e-10 && used < size)
    snprintf(text + used, size - used, "the two motions it is compared with differ by %.1e; ", t->apart);
  const size_t length = strlen(text);
  if (length > 1)
    text[length - 2] = 0;
}

static void free_truth(truth *t) {
  verify_sampled_free(t->by[0]);
  verify_sampled_free(t->by[1]);
}

// ---------------------------------------------------------------------------------------------- coverage

// Errors of one value so far against their estimates, at quarters of the run.
static void cover_value(verify_piece *c, const verify_sampled *m, const truth *t, const verify_sampled *exact, int i,
                        const char *where) {
  double error = 0, unsure = 0, size = 0;
  for (int row = 0; row < m->rows; row++) {
    const size_t at = (size_t)row * (size_t)m->values + (size_t)i;
    error = fmax(error, fabs(m->value[at] - exact->value[at]));
    unsure = fmax(unsure, fabs(t->by[0]->value[at] - t->by[1]->value[at]));
    size = fmax(size, fabs(exact->value[at]));
    const bool asked = row > 0 && row % (VERIFY_MOTION_ROWS / 4) == 0 && c->cases < VERIFY_CASES;
    if (!asked || !(error > 10 * ROUND_OFF * fmax(size, 1)) || !(error > 10 * unsure))
      continue;
    const double ratio = c->coverage[c->cases++] = error / m->estimate[at];
    if (ratio > c->worst) {
      c->worst = ratio;
      snprintf(c->where, sizeof c->where, "%s, value %d, row %d", where, i, row);
    }
  }
}

static void cover(verify_piece *c, const verify_sampled *m, const truth *t, const verify_sampled *exact,
                  const char *where) {
  if (m->estimate == NULL || !t->by[0] || !t->by[1] || t->by[0]->values != m->values || t->by[1]->values != m->values)
    return;
  for (int i = 0; i < m->values; i++)
    cover_value(c, m, t, exact, i, where);
}

// ---------------------------------------------------------------------------------------------- cells

static bool too_many(const verify_sampled *m) { return m != NULL && m->status == FLY_TOO_MANY_STEPS; }

static void put_cell(char *text, size_t size, double ratio, const verify_sampled *m, bool known, double most) {
  if (too_many(m))
    snprintf(text, size, "> %.0e steps", most);
  else if (m == NULL || isnan(ratio))
    snprintf(text, size, "%s", m == NULL || m->status == FLY_OK ? "no reference" : fly_status_name(m->status));
  else if (!known)
    snprintf(text, size, "< %.1g", ratio);
  else
    snprintf(text, size, "%.2g%s", ratio, m->status == FLY_OK ? "" : m->too_long ? " (> 1e7 steps)" : " (not kept)");
}

static verify_piece *measure_cell(const verify_subject *s, const way *w, double asked, bool plain, const truth *t) {
  static verify_piece c; // its list is long
  const double room = fmin(t->steps, w->judged ? STEPS_MOST : REPORTED_MOST);
  const double most = strcmp(w->method, "radau") == 0 ? room / RADAU_STEP : room;
  const bool large = room < STEPS_MOST; // others end by themselves: what grinds is told from what takes long
  const verify_how how = {w->method, w->formulation, asked, !plain, large ? (long)most : 0};
  const verify_sampled *exact = t->by[strcmp(w->method, "radau") == 0];
  if (!is_complete(exact)) // then the other is all there is, and shown as not known
    exact = t->by[strcmp(w->method, "radau") != 0];
  verify_sampled *m = is_complete(exact) ? verify_sample(s, &how) : NULL;
  const double e = m ? verify_sampled_apart(s, m, exact) : (double)NAN;
  const bool known = t->apart <= 0.1 * fmax(asked, e), ok = m != NULL && m->status == FLY_OK;
  c = (verify_piece){
      .ratio = e / asked, .beyond = m != NULL && !m->report.within_reach, .steps = m != NULL ? (double)m->steps : 0};
  put_cell(c.text, sizeof c.text, e / asked, m, known, most);
  if (isnan(e))
    c.kind = m != NULL && !ok && !too_many(m) ? VERIFY_FAILED : VERIFY_NOTHING;
  else
    c.kind = !ok ? VERIFY_REFUSED : known ? VERIFY_OK : VERIFY_NOTHING;
  char where[VERIFY_CELL + 40];
  snprintf(where, sizeof where, "%.*s at %.0e", VERIFY_CELL, s->title, asked);
  if (c.kind == VERIFY_OK)
    cover(&c, m, t, exact, where);
  verify_sampled_free(m);
  return &c;
}

static void count_cell(tally *c, const verify_piece *piece) {
  c->beyond += piece->beyond;
  c->failed += piece->kind == VERIFY_FAILED;
  c->refused += piece->kind == VERIFY_REFUSED;
  if (piece->kind == VERIFY_OK && c->ok < CELLS)
    c->ratio[c->ok++] = piece->ratio;
  for (int k = 0; k < piece->cases && c->cases < CASES; k++)
    c->coverage[c->cases++] = piece->coverage[k];
  if (piece->worst > c->worst) {
    c->worst = piece->worst;
    snprintf(c->where, sizeof c->where, "%s", piece->where);
  }
}

// A row of the table: what its cells that say ok have, and what they took.
typedef struct taken {
  bool ok[TOLERANCES];
  double ratio[TOLERANCES], steps[TOLERANCES];
} taken;

// Does the error rule the steps of a cell? If a tenfold tighter one takes hardly more of them, or a tenfold looser one
// hardly fewer, stability, breaks or events do, and no looser tolerance would make the run any cheaper.
static bool is_ruled(const taken *row, int i, int count) {
  const int next = i + 1 < count && row->steps[i + 1] > 0 ? i + 1 : i - 1;
  if (next < 0 || !(row->steps[i] > 0) || !(row->steps[next] > 0))
    return true;
  const double more = next > i ? row->steps[next] / row->steps[i] : row->steps[i] / row->steps[next];
  return more > RULED;
}

static void count_ruled(tally *c, const taken *row, int count) {
  for (int i = 0; i < count; i++)
    if (row->ok[i] && is_ruled(row, i, count) && c->nruled < CELLS)
      c->ruled[c->nruled++] = row->ratio[i];
}

// From the file of those that were measured before, if there is one.
static void run_cell(char *text, size_t size, tally *c, taken *row, const work *all, int subject, const way *w, int i,
                     bool plain) {
  const double asked = tolerances[i];
  static verify_piece found;
  verify_piece *piece = &found;
  const verify_subject *s = &all->list[subject];
  truth *t = &all->truths[subject];
  char key[200];
  snprintf(key, sizeof key, "%s%s, %s, %.0e", w->label, plain ? ", plain" : "", s->title, asked);
  if (!verify_cells_find(all->cells, key, piece)) {
    if (!t->known)
      *t = find_truth(s);
    piece = measure_cell(s, w, asked, plain, t);
    if (!cli_interrupted())
      verify_cells_add(all->cells, key, piece);
  }
  count_cell(c, piece);
  row->ok[i] = piece->kind == VERIFY_OK;
  row->ratio[i] = piece->ratio;
  row->steps[i] = piece->steps;
  snprintf(text, size, "%s", piece->text);
}

static void run_table(verify *v, tally *c, const way *w, const work *all, bool plain) {
  const int columns = (v->quick || plain) && w->count > 3 ? 3 : w->count;
  verify_table_begin(v,
                     columns <= 3   ? "subject | 1e-3 | 1e-4 | 1e-5"
                     : columns == 5 ? "subject | 1e-3 | 1e-4 | 1e-5 | 1e-6 | 1e-7"
                                    : "subject | 1e-3 | 1e-4 | 1e-5 | 1e-6 | 1e-7 | 1e-8 | 1e-9",
                     "%s%s: E over the error asked for.", w->label, plain ? ", --calibrate no" : "");
  for (int k = 0; k < all->n && !cli_interrupted(); k++) {
    taken took = {0};
    char row[TOLERANCES][VERIFY_CELL] = {{0}}, line[TOLERANCES * (VERIFY_CELL + 4) + 4] = "";
    for (int i = 0; i < columns; i++) {
      verify_progress(v, "%s, %s at %.0e", all->list[k].title, w->label, tolerances[i]);
      run_cell(row[i], sizeof row[i], c, &took, all, k, w, i, plain);
      strcat(strcat(line, " | "), row[i]);
    }
    count_ruled(c, &took, columns);
    verify_row(v, "%s%s", all->list[k].title, line);
  }
  verify_table_end(v);
  if (v->text != NULL)
    fflush(v->text); // it takes long
}

// ---------------------------------------------------------------------------------------------- verdicts

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double part_of(double *values, int n, double part) {
  qsort(values, (size_t)n, sizeof *values, ascending);
  return n > 0 ? values[(int)(part * (n - 1))] : (double)NAN;
}

static void judge(verify *v, const way *w, tally *c) {
  int within = 0;
  for (int k = 0; k < c->ok; k++)
    within += c->ratio[k] <= LIMIT_MOST;
  const double largest = part_of(c->ratio, c->ok, 1), median = part_of(c->ratio, c->ok, 0.5);
  const double ruled = part_of(c->ruled, c->nruled, 0.5);
  const double share = c->ok > 0 ? 100.0 * within / c->ok : 0;
  verify_note(v,
              "%s: %d cells say ok, %d that the error is not kept (of them %d: out of reach), %d fail; median %.2g, of "
              "the %d whose steps the error rules %.2g, %.1f %% up to %g, largest %.3g",
              w->label, c->ok, c->refused, c->beyond, c->failed, median, c->nruled, ruled, share, LIMIT_MOST, largest);
  if (!w->judged)
    return;
  verify_check(v, share, AT_LEAST, 95, "%s: cells with E up to %g times the error asked for [%%]", w->label,
               LIMIT_MOST);
  verify_check(v, largest, AT_MOST, LIMIT_OK, "%s: largest E over the error asked for of cells that say ok", w->label);
  if (strcmp(w->method, "auto") != 0) // whose tolerance pilots do not loosen: its errors are smaller, and so reported
    verify_check(v, ruled, AT_LEAST, 0.1, "%s: median of E over the error asked for where it rules the steps",
                 w->label);
  verify_check(v, median, AT_MOST, 1, "%s: median of E over the error asked for", w->label);
}

static void judge_coverage(verify *v, const way *w, tally *c) {
  int within = 0;
  for (int k = 0; k < c->cases; k++)
    within += c->coverage[k] <= COVERED && c->coverage[k] >= 1 / COVERED;
  const double share = c->cases > 0 ? 100.0 * within / c->cases : 0, largest = part_of(c->coverage, c->cases, 1);
  verify_note(v,
              "%s: %d errors of channels against their estimates: median %.2g, %.1f %% within a factor %g, largest "
              "error over estimate %.3g (%s)",
              w->label, c->cases, part_of(c->coverage, c->cases, 0.5), share, COVERED, largest, c->where);
  if (!w->judged)
    return;
  verify_check(v, share, AT_LEAST, 95, "%s: estimates within a factor %g of the error [%%]", w->label, COVERED);
  verify_check(v, largest, AT_MOST, COVERED_MOST, "%s: largest error over its estimate", w->label);
}

static void run_way(verify *v, const way *w, const work *all) {
  static tally c; // its tables are large
  for (int plain = v->quick || !w->judged ? 0 : 1; plain >= 0 && !cli_interrupted(); plain--) {
    double *coverage = c.coverage;
    c = (tally){.coverage = coverage ? coverage : calloc(CASES, sizeof *coverage)};
    if (c.coverage == NULL)
      return;
    run_table(v, &c, w, all, plain);
    if (!plain) {
      judge(v, w, &c);
      judge_coverage(v, w, &c);
    }
  }
}

static bool is_asked_for(const verify *v, const way *w) {
  if (v->ways >= VERIFY_FIRST_WAY)
    return w == &ways[v->ways - VERIFY_FIRST_WAY];
  return v->ways == VERIFY_ALL ? !v->quick || w->judged : w->judged == (v->ways == VERIFY_JUDGED);
}

// What is known of the motions compared with: measured here, or kept with the cells.
static void say_truths(verify *v, const work *all) {
  static verify_piece piece;
  for (int k = 0; k < all->n; k++) {
    char key[200];
    snprintf(key, sizeof key, "truth, %.100s", all->list[k].title);
    if (!verify_cells_find(all->cells, key, &piece)) {
      if (!all->truths[k].known || cli_interrupted())
        continue;
      piece = (verify_piece){.kind = VERIFY_NOTHING};
      describe_truth(piece.where, sizeof piece.where, &all->truths[k]);
      verify_cells_add(all->cells, key, &piece);
    }
    if (piece.where[0] != 0)
      verify_note(v, "%s: %s", all->list[k].title, piece.where);
  }
}

void verify_promise_list(void) {
  static verify_subject list[SUBJECTS];
  const int n = find_subjects(list, false, NULL);
  for (int k = 0; k < n; k++)
    puts(list[k].title);
}

void verify_promise(verify *v) {
  static verify_subject list[SUBJECTS];
  static truth truths[SUBJECTS];
  const work all = {list, truths, find_subjects(list, v->quick, v->only), verify_cells_open(v->keep)};
  verify_say(
      v,
      "Every problem (all variants but those meant to fail) and every example, to its end. E: the largest "
      "weighted error of positions and states over %d output rows, against radau (that of radau: against "
      "partition; where one does not get through, hybrid) at %.0e. \"<\": the two "
      "motions compared with do not agree well enough to tell. The coverage of the estimates: errors so far of all "
      "channels (of problems: q, v, lambda) at quarters of the run over their estimates, where they are "
      "above ten times round-off. The error rules the steps of a run if a tenfold smaller one takes a tenth more of "
      "them; else stability does, or breaks, and no looser tolerance is any cheaper. \"> n steps\": a run was given up "
      "that needs more; of large models, and of methods that are not judged, fewer than ten "
      "million.",
      VERIFY_MOTION_ROWS, REFERENCE);
  for (int w = 0; w < NWAY && !cli_interrupted(); w++)
    if (is_asked_for(v, &ways[w]))
      run_way(v, &ways[w], &all);
  say_truths(v, &all);
  for (int k = 0; k < all.n; k++)
    free_truth(&truths[k]);
  verify_cells_close(all.cells);
}
