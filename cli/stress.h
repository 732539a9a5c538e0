// What the files of `flyball stress` share.
#ifndef CLI_STRESS_H
#define CLI_STRESS_H

#include "flyball/json.h"
#include "flyball/reduce.h"
#include "flyball/result.h"

void stress_put_spot(fly_json *j, const fly_stress_spot *s);
// The result as base.h5, with stress.json for the page.
fly_status stress_write_contour(const char *base, const char *result, const char *body, fly_stress *s,
                                const fly_stress_spot *spot, int count, fly_error *error);

#endif
