// The diary of the accepted steps, thinned as it grows.
#include "analysis/story.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flyball/json.h"

void fly_story_begin(fly_story *story) {
  story->count = 0;
  story->stride = 1;
  story->seen = (fly_stats){0};
  story->events = 0;
}

static long most(long a, long b) { return a > b ? a : b; }

// b follows a. fmax and fmin leave out NAN.
static void merge(fly_story_bucket *a, const fly_story_bucket *b) {
  a->t = b->t;
  a->h_min = fmin(a->h_min, b->h_min);
  a->h_max = fmax(a->h_max, b->h_max);
  a->estimate = fmax(a->estimate, b->estimate);
  a->ratio = fmax(a->ratio, b->ratio);
  a->position = fmax(a->position, b->position);
  a->velocity = fmax(a->velocity, b->velocity);
  a->acceleration = fmax(a->acceleration, b->acceleration);
  a->steps += b->steps;
  a->newton += b->newton;
  a->newton_max = most(a->newton_max, b->newton_max);
  a->error += b->error;
  a->unsolved += b->unsolved;
  a->callback += b->callback;
  a->singular += b->singular;
}

static void halve(fly_story *story) {
  const int count = story->count / 2;
  for (int k = 0; k < count; k++) {
    story->bucket[k] = story->bucket[2 * k];
    merge(&story->bucket[k], &story->bucket[2 * k + 1]);
  }
  story->count = count;
  story->stride *= 2;
}

// What happened between two counts, at the end of a step.
static fly_story_bucket bucket_of(const fly_step_record *step, const fly_stats *now, const fly_stats *before) {
  fly_story_bucket b = {.t = step->t,
                        .h_min = step->h,
                        .h_max = step->h,
                        .estimate = step->estimate,
                        .ratio = step->ratio,
                        .position = step->position,
                        .velocity = step->velocity,
                        .acceleration = step->acceleration,
                        .steps = now->steps - before->steps,
                        .newton = now->newton_iterations - before->newton_iterations,
                        .error = now->rejected_error - before->rejected_error,
                        .unsolved = now->rejected_newton - before->rejected_newton,
                        .callback = now->rejected_callback - before->rejected_callback,
                        .singular = now->rejected_singular - before->rejected_singular};
  b.newton_max = b.newton;
  b.unsolved -= b.callback + b.singular;
  return b;
}

void fly_story_note(fly_story *story, const fly_step_record *step, const fly_stats *stats) {
  const fly_stats *seen = &story->seen;
  const fly_story_bucket b = bucket_of(step, stats, seen);
  for (long k = stats->events - seen->events; k > 0; k--, story->events++)
    if (story->events < FLY_STORY_EVENTS)
      story->event[story->events] = step->t;
  story->seen = *stats;
  fly_story_bucket *last = story->count > 0 ? &story->bucket[story->count - 1] : NULL;
  if (last && last->steps < story->stride) {
    merge(last, &b);
    return;
  }
  if (story->count == FLY_STORY_BUCKETS)
    halve(story);
  story->bucket[story->count++] = b;
}

// ------------------------------------------------------------------------------------------ writing

// A picture needs no more digits, and the file is half as long.
static double rounded(double x, int digits) {
  char text[40];
  snprintf(text, sizeof text, "%.*g", digits, x);
  return strtod(text, NULL);
}

static void write_numbers(fly_json *j, const char *key, const fly_story *story, size_t offset, int digits) {
  fly_json_open_array(j, key);
  for (int k = 0; k < story->count; k++) {
    double x;
    memcpy(&x, (const char *)&story->bucket[k] + offset, sizeof x);
    fly_json_number(j, rounded(x, digits));
  }
  fly_json_end_array(j);
}

static void write_counts(fly_json *j, const char *key, const fly_story *story, size_t offset) {
  fly_json_open_array(j, key);
  for (int k = 0; k < story->count; k++) {
    long n;
    memcpy(&n, (const char *)&story->bucket[k] + offset, sizeof n);
    fly_json_integer(j, n);
  }
  fly_json_end_array(j);
}

#define FIELD(name) #name, offsetof(fly_story_bucket, name)

typedef struct field {
  const char *key;
  size_t offset;
} field;

static void write_buckets(fly_json *j, const fly_story *story) {
  static const field numbers[] = {{FIELD(h_min)},    {FIELD(h_max)},    {FIELD(estimate)},    {FIELD(ratio)},
                                  {FIELD(position)}, {FIELD(velocity)}, {FIELD(acceleration)}},
                     counts[] = {{FIELD(steps)}, {FIELD(newton)}, {FIELD(newton_max)}};
  write_numbers(j, "t", story, offsetof(fly_story_bucket, t), 12);
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    write_numbers(j, numbers[k].key, story, numbers[k].offset, 6);
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
    write_counts(j, counts[k].key, story, counts[k].offset);
}

static void write_rejections(fly_json *j, const fly_story *story) {
  static const field counts[] = {{"error", offsetof(fly_story_bucket, error)},
                                 {"newton", offsetof(fly_story_bucket, unsolved)},
                                 {"callback", offsetof(fly_story_bucket, callback)},
                                 {"singular", offsetof(fly_story_bucket, singular)}};
  fly_json_open_object(j, "rejected");
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
    write_counts(j, counts[k].key, story, counts[k].offset);
  fly_json_end_object(j);
}

static void write_events(fly_json *j, const fly_story *story) {
  fly_json_open_array(j, "events");
  for (long k = 0; k < story->events && k < FLY_STORY_EVENTS; k++) {
    fly_json_begin_object(j);
    fly_json_key(j, "t");
    fly_json_number(j, story->event[k]);
    fly_json_key(j, "name");
    fly_json_string(j, "event");
    fly_json_end_object(j);
  }
  fly_json_end_array(j);
  fly_json_key(j, "events_counted");
  fly_json_integer(j, story->events);
}

bool fly_story_write(FILE *file, const void *what) {
  const fly_story *story = what;
  fly_json writer = fly_json_to(fly_to_file, file, 0), *j = &writer;
  fly_json_begin_object(j);
  fly_json_key(j, "steps_in_a_bucket");
  fly_json_integer(j, story->stride);
  write_buckets(j, story);
  write_rejections(j, story);
  write_events(j, story);
  fly_json_end_object(j);
  return fly_json_finish(j);
}
