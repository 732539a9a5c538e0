// Modes and state matrices in files: JSON for programs and the page, a script for MATLAB and Octave, a result.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/attach.h"
#include "analysis/channels.h"
#include "analysis/finite.h"
#include "analysis/ledger.h"
#include "analysis/modes.h"
#include "analysis/put.h"
#include "analysis/record.h"
#include "base/error.h"
#include "base/number.h"
#include "base/stream.h"
#include "flyball/json.h"

#define MODES "modes.json" // name of the attachment

// ------------------------------------------------------------------------------------------ JSON

static void put_texts(fly_json *j, const char *key, const char *const *text, int n) {
  fly_json_open_array(j, key);
  for (int k = 0; k < n; k++)
    fly_json_string(j, text[k]);
  fly_json_end_array(j);
}

static void put_state(fly_json *j, const fly_modes *m) {
  const fly_modes_info *i = &m->info;
  fly_json_open_object(j, "state");
  fly_json_put_number(j, "time", i->time);
  fly_json_put_integer(j, "coordinates", i->coordinates);
  fly_json_put_integer(j, "rank", i->rank);
  fly_json_put_integer(j, "dof", i->dof);
  fly_json_put_bool(j, "moving", i->moving);
  fly_json_put_bool(j, "steady", i->steady);
  fly_json_put_string(j, "frame", m->options.frame);
  fly_json_put_bool(j, "undamped", i->undamped);
  fly_json_put_bool(j, "stability", i->stability);
  fly_json_put_integer(j, "unresolved", i->unresolved);
  fly_json_put_number(j, "hidden", i->hidden);
  fly_json_open_object(j, "unbalanced");
  fly_json_put_number(j, "acceleration", i->unbalanced);
  fly_json_put_string(j, "unit", i->unbalanced_unit);
  fly_json_put_string(j, "body", i->unbalanced_body);
  fly_json_end_object(j);
  fly_json_end_object(j);
}

static void put_mode(fly_json *j, const fly_modes *m, int k) {
  const fly_mode *mode = &m->mode[k];
  size_t nbody = (size_t)m->info.bodies;
  fly_json_begin_object(j);
  fly_json_put_integer(j, "number", k + 1);
  fly_json_put_string(j, "kind", fly_mode_kind_name(mode->kind));
  FLY_PUT_NUMBERS(j, {"real", mode->real}, {"imag", mode->imag}, {"frequency", mode->frequency},
                  {"natural", mode->natural}, {"damping", mode->damping}, {"bound", mode->bound});
  fly_json_key(j, "share"), fly_json_numbers(j, mode->share, nbody);
  fly_json_key(j, "shape"), fly_json_numbers(j, mode->shape, 12 * nbody);
  fly_json_end_object(j);
}

// Row by row, as numpy.array takes it.
static void put_matrix(fly_json *j, const char *key, const double *A, int rows, int columns) {
  fly_json_open_array(j, key);
  for (int r = 0; r < rows; r++) {
    fly_json_begin_array(j);
    for (int c = 0; c < columns; c++)
      fly_json_number(j, A[(size_t)rows * (size_t)c + (size_t)r]);
    fly_json_end_array(j);
  }
  fly_json_end_array(j);
}

static void put_matrices(fly_json *j, const fly_state_space *s) {
  fly_json_open_object(j, "matrices");
  put_texts(j, "states", s->state, s->nstate);
  put_texts(j, "inputs", s->input, s->ninput);
  put_texts(j, "input_units", s->input_unit, s->ninput);
  put_texts(j, "outputs", s->output, s->noutput);
  put_texts(j, "output_units", s->output_unit, s->noutput);
  fly_json_key(j, "output_values"), fly_json_numbers(j, s->output_value, (size_t)s->noutput);
  put_matrix(j, "A", s->A, s->nstate, s->nstate);
  put_matrix(j, "B", s->B, s->nstate, s->ninput);
  put_matrix(j, "C", s->C, s->noutput, s->nstate);
  put_matrix(j, "D", s->D, s->noutput, s->ninput);
  fly_json_end_object(j);
}

bool fly_modes_write_json(const fly_modes *m, fly_sink *sink, void *user) {
  if (!m || !sink)
    return false;
  fly_json j = fly_json_to(sink, user, 1);
  fly_json_begin_object(&j);
  fly_json_put_string(&j, "version", fly_version());
  fly_json_put_string(&j, "model", m->info.name);
  fly_json_put_number(&j, "size", m->mechanism->model.size);
  put_state(&j, m);
  fly_json_open_array(&j, "notes");
  fly_put_lines(&j, m->notes);
  fly_json_end_array(&j);
  fly_json_put_bool(&j, "all", m->info.all);
  fly_json_put_string(&j, "by", m->info.arpack ? "arpack" : "dense");
  fly_json_open_array(&j, "bodies");
  for (int k = 0; k < m->info.bodies; k++)
    fly_json_string(&j, fly_modes_body(m, k));
  fly_json_end_array(&j);
  fly_json_open_array(&j, "modes");
  for (int k = 0; k < m->count; k++)
    put_mode(&j, m, k);
  fly_json_end_array(&j);
  if (m->has_matrices)
    put_matrices(&j, &m->space);
  if (m->has_loop)
    fly_modes_put_loop(&j, &m->loop);
  fly_json_end_object(&j);
  return fly_json_finish(&j);
}

// ------------------------------------------------------------------------------------------ MATLAB and Octave

static void print_number(FILE *file, double x) {
  char text[FLY_NUMBER_SIZE];
  fly_number_text(text, x);
  fputs(text, file);
}

static void print_matrix(FILE *file, const char *name, const double *A, int rows, int columns) {
  if (rows == 0 || columns == 0) {
    fprintf(file, "%s = zeros(%d, %d);\n", name, rows, columns);
    return;
  }
  fprintf(file, "%s = [ ...\n", name);
  for (int r = 0; r < rows; r++) {
    fputs("  ", file);
    for (int c = 0; c < columns; c++) {
      if (c > 0)
        fputs(", ", file);
      print_number(file, A[(size_t)rows * (size_t)c + (size_t)r]);
    }
    fputs(r + 1 < rows ? "; ...\n" : "];\n", file);
  }
}

// A quote inside is doubled.
static void print_texts(FILE *file, const char *name, const char *const *text, int n) {
  fprintf(file, "%s = {", name);
  for (int k = 0; k < n; k++) {
    fputs(k ? "; '" : "'", file);
    for (const char *c = text[k]; *c; c++) {
      if (*c == '\'')
        fputc('\'', file);
      fputc(*c == '\n' ? ' ' : *c, file);
    }
    fputc('\'', file);
  }
  fputs("};\n", file);
}

static void print_modes(FILE *file, const fly_modes *m) {
  fprintf(file, "%% Eigenvalues [1/s], of a conjugate pair the one with positive imaginary part.\nlambda = [");
  for (int k = 0; k < m->count; k++) {
    fputs(k ? "; complex(" : "complex(", file);
    print_number(file, m->mode[k].real);
    fputs(", ", file);
    print_number(file, m->mode[k].imag);
    fputc(')', file);
  }
  fputs("];\n", file);
}

static void print_script(FILE *file, const fly_modes *m) {
  fputs("% ", file);
  for (const char *c = m->info.name; *c; c++)
    fputc(*c == '\n' ? ' ' : *c, file);
  fprintf(file, ", linearized at t = %.9g s by flyball %s.\n", m->info.time, fly_version());
  if (m->has_matrices) {
    const fly_state_space *s = &m->space;
    fputs("% dx/dt = A x + B u, y = C x + D u for small changes; sys = ss(A, B, C, D) with a control toolbox.\n", file);
    print_matrix(file, "A", s->A, s->nstate, s->nstate);
    print_matrix(file, "B", s->B, s->nstate, s->ninput);
    print_matrix(file, "C", s->C, s->noutput, s->nstate);
    print_matrix(file, "D", s->D, s->noutput, s->ninput);
    print_texts(file, "states", s->state, s->nstate);
    print_texts(file, "inputs", s->input, s->ninput);
    print_texts(file, "outputs", s->output, s->noutput);
  }
  print_modes(file, m);
}

bool fly_modes_write_matlab(const fly_modes *m, fly_sink *sink, void *user) {
  fly_text text;
  if (!m || !sink || !fly_text_open(&text))
    return false;
  print_script(text.file, m);
  return fly_text_close(&text, sink, user);
}

// ------------------------------------------------------------------------------------------ result

static bool write_modes(FILE *file, const void *m) { return fly_modes_write_json(m, fly_to_file, file); }

static fly_status attach_modes(const fly_modes *m, fly_result_writer *w, fly_error *error) {
  return fly_attach(w, MODES, "the shapes of modes", write_modes, m, error);
}

static fly_status attach_scene(const fly_modes *m, fly_result_writer *w, fly_error *error) {
  char *bytes;
  size_t size;
  if (!m->mechanism->scene)
    return FLY_OK;
  fly_status status = m->mechanism->scene(&bytes, &size, m->mechanism, m->at.q, error);
  if (status)
    return status;
  status = fly_result_attach(w, "scene.json", bytes, size, error);
  free(bytes);
  return status;
}

static fly_status attach_record(const fly_modes *m, const fly_channels *c, const fly_not_finite *not_finite,
                                fly_result_writer *w, fly_error *error) {
  const fly_model *model = &m->mechanism->model;
  fly_error why = {0};
  fly_status judged = fly_finite_judge(not_finite, m->settings.allow_nan, &why);
  fly_record record = {.spec = &m->mechanism->spec,
                       .settings = &m->settings,
                       .shown = true,
                       .status = judged,
                       .message = why.message,
                       .not_finite = *not_finite,
                       .warnings = model->warnings,
                       .start_warnings = m->assembly.warnings,
                       .time = m->at.t,
                       .info = {model->spec->name, model->nbody, model->nv, m->assembly.all.nactive, m->assembly.rank,
                                m->assembly.all.nactive - m->assembly.rank, model->nsliprow, model->nstate,
                                model->noutput, m->assembly.all.soft.count, 0},
                       .redundancy = m->assembly.redundancy,
                       .certificate = fly_solver_certificate(m->assembly.solver),
                       .stats = fly_solver_stats(m->assembly.solver),
                       .rows = 1,
                       .channels = c->count,
                       .hash = fly_result_hash(w)};
  return fly_record_attach(w, &record, error);
}

static fly_status write_row(fly_modes *m, fly_channels *c, fly_result_writer *w, double *row, fly_error *error) {
  fly_book book;
  fly_book_open(&book, &m->assembly.system, &m->at, false);
  fly_ledger ledger = fly_book_at(&book, &m->assembly.system, &m->at);
  row[0] = m->at.t;
  fly_dae_state shown = m->at;
  fly_system *system;
  fly_status status = fly_assembly_report(&m->assembly, &shown, &system, error);
  if (status)
    return status;
  fly_channels_sample(c, system, &shown, &ledger, row + 1);
  return fly_result_append(w, row, 1, error);
}

fly_status fly_modes_write_result(fly_modes *m, const char *base, fly_error *error) {
  if (!m || !base)
    return fly_missing(error, "fly_modes_write_result", m ? "name of the result" : "modes");
  fly_channels c = {0};
  fly_arena memory = {0};
  fly_result_writer *w = NULL;
  const fly_result_options o = fly_result_options_default();
  fly_status status = fly_channels_make(&c, &m->mechanism->model, NULL, &memory, error);
  double *row = fly_arena_doubles(&memory, 1 + (size_t)c.count);
  bool *seen = fly_arena_take(&memory, (size_t)c.count, sizeof *seen);
  fly_not_finite not_finite = {0};
  if (status == FLY_OK)
    status = fly_result_create(&w, base, c.channel, c.count, &o, error);
  if (status == FLY_OK && memory.failed)
    status = fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for %d channels.", c.count);
  if (status == FLY_OK)
    status = write_row(m, &c, w, row, error);
  if (status == FLY_OK)
    fly_finite_look(&not_finite, &c, seen, row, 1);
  if (status == FLY_OK)
    status = attach_scene(m, w, error);
  if (status == FLY_OK)
    status = attach_record(m, &c, &not_finite, w, error);
  if (status == FLY_OK)
    status = attach_modes(m, w, error);
  fly_status closed = fly_result_finish(w, status ? NULL : error);
  if (status == FLY_OK && closed == FLY_OK)
    status = fly_finite_judge(&not_finite, m->settings.allow_nan, error);
  fly_arena_free(&memory);
  return status ? status : closed;
}
