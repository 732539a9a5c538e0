// Saved states and checkpoints that were damaged, cut or lengthened at random are refused with a sentence; nothing of
// the run that was to take them up has changed.
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/image.h"
#include "flyball/run.h"

enum { TIMES = 500 };
static const char MODEL[] = "flyball: 1\ngravity: [0, -9.81, 0]\n"
                            "bodies: {arm: {type: planar, mass: 1, inertia: 0.1, position: [1, 0]}}\n"
                            "joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 0]}}\n"
                            "simulate: {end: 2, error: 1e-5, output: 1/50, calibrate: no, estimate_error: no}\n";

static void ok(fly_status status, const fly_error *error) {
  if (status)
    fail_msg("%s", error->message);
}

static fly_mechanism *mechanism(void) {
  fly_mechanism *m;
  fly_error error = {0};
  ok(fly_mechanism_parse(&m, "damaged", MODEL, strlen(MODEL), 0, NULL, &error), &error);
  return m;
}

static uint32_t random_below(uint32_t *state, size_t n) {
  *state = *state * 1664525u + 1013904223u;
  return (uint32_t)((*state >> 8) % n);
}

// A copy of the bytes that differs from them, and its size: bits turned over, an end that is missing, one too much, a
// piece that stands elsewhere. Every second damage is in the first hundred bytes, which say what the others are.
static unsigned char *damage(const unsigned char *bytes, size_t *size, uint32_t *state) {
  unsigned char *copy = malloc(*size + 64);
  const size_t reach = random_below(state, 2) ? 100 : *size, at = random_below(state, reach);
  memcpy(copy, bytes, *size);
  memset(copy + *size, 0x5a, 64);
  switch (random_below(state, 4)) {
  case 0:
    *size = at;
    break;
  case 1:
    *size += 1 + random_below(state, 64);
    break;
  case 2:
    for (size_t k = at; k < *size && k < at + 8; k++)
      copy[k] = (unsigned char)random_below(state, 256);
    copy[at] = (unsigned char)(bytes[at] ^ 0x10);
    break;
  default:
    copy[at] = (unsigned char)(bytes[at] ^ (1u << random_below(state, 8)));
  }
  return copy;
}

static void refused(fly_status status, const fly_error *error) {
  assert_int_equal(status, FLY_BAD_INPUT);
  assert_true(strlen(error->message) > 40);
  assert_int_equal(error->message[strlen(error->message) - 1], '.');
}

static uint64_t state_hash(fly_run *r) {
  fly_dae_state at;
  fly_error error = {0};
  ok(fly_run_read_state(r, &at, &error), &error);
  return fly_fingerprint(fly_fingerprint(0, at.q, 3 * sizeof(double)), at.v, 3 * sizeof(double));
}

static void test_states(void **unused) {
  fly_mechanism *m = mechanism();
  fly_error error = {0};
  fly_run_options o = fly_run_options_default();
  fly_run *r;
  void *bytes;
  size_t size;
  uint32_t state = 12;
  ok(fly_run_create(&r, m, &o, &error), &error);
  ok(fly_run_start(r, &error), &error);
  ok(fly_run_advance(r, 0.5, FLY_ADVANCE_STOP, &error), &error);
  ok(fly_run_save(r, &bytes, &size, &error), &error);
  ok(fly_run_advance(r, 1, FLY_ADVANCE_STOP, &error), &error);
  const uint64_t expected = state_hash(r);
  for (int k = 0; k < TIMES; k++) {
    size_t length = size;
    unsigned char *copy = damage(bytes, &length, &state);
    refused(fly_run_restore(r, copy, length, &error), &error);
    free(copy);
  }
  assert_true(state_hash(r) == expected);
  ok(fly_run_restore(r, bytes, size, &error), &error);
  ok(fly_run_advance(r, 1, FLY_ADVANCE_STOP, &error), &error);
  assert_true(state_hash(r) == expected);
  free(bytes);
  fly_run_free(r);
  fly_mechanism_free(m);
}

// ------------------------------------------------------------------------------------------ files

static bool until_one(double t, double end, long steps, void *user) { return t < 1; }

static fly_run_options with_checkpoints(const char *base) {
  fly_run_options o = fly_run_options_default();
  o.out = base;
  o.csv = true;
  o.checkpoint = 0.1;
  o.note = "a note";
  return o;
}

static void leave_checkpoint(const fly_mechanism *m, const char *base) {
  fly_run_options o = with_checkpoints(base);
  fly_error error = {0};
  fly_run *r;
  o.progress = until_one;
  ok(fly_run_create(&r, m, &o, &error), &error);
  ok(fly_run_start(r, &error), &error);
  assert_int_equal(fly_run_go(r, &error), FLY_STOPPED);
  fly_run_free(r);
}

static unsigned char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  unsigned char *bytes = malloc(1 << 20);
  *size = fread(bytes, 1, 1 << 20, file);
  fclose(file);
  assert_true(*size > 1000 && *size < 1 << 20);
  return bytes;
}

static void write_file(const char *path, const unsigned char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

static fly_status resume(const fly_mechanism *m, const char *base, fly_error *error) {
  fly_run_options o = with_checkpoints(base);
  fly_run *r;
  o.resume = true;
  fly_status status = fly_run_create(&r, m, &o, error);
  if (status)
    return status;
  status = fly_run_start(r, error);
  if (status == FLY_OK)
    status = fly_run_go(r, error);
  fly_run_free(r);
  return status;
}

static void clear(const char *folder, const char *base) {
  static const char *const endings[] = {".csv",        ".part.csv",   ".checkpoint",  ".resume.csv",
                                        ".story.json", ".scene.json", ".record.json", ".attachments"};
  char path[200];
  for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
    snprintf(path, sizeof path, "%s%s", base, endings[k]);
    remove(path);
  }
  rmdir(folder);
}

static void test_checkpoints(void **unused) {
  char folder[] = "/tmp/damaged-XXXXXX", base[100], path[120];
  assert_non_null(mkdtemp(folder));
  snprintf(base, sizeof base, "%s/run", folder);
  snprintf(path, sizeof path, "%s.checkpoint", base);
  fly_mechanism *m = mechanism();
  fly_error error = {0};
  size_t size;
  uint32_t state = 7;
  leave_checkpoint(m, base);
  unsigned char *bytes = read_file(path, &size);
  for (int k = 0; k < TIMES; k++) {
    size_t length = size;
    unsigned char *copy = damage(bytes, &length, &state);
    write_file(path, copy, length);
    refused(resume(m, base, &error), &error);
    assert_non_null(strstr(error.message, path));
    free(copy);
  }
  write_file(path, bytes, size);
  ok(resume(m, base, &error), &error);
  free(bytes);
  fly_mechanism_free(m);
  clear(folder, base);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_states), cmocka_unit_test(test_checkpoints)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
