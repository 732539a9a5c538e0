// A system goes on with other parameters in its expressions, between steps.
#include <math.h>

#include "base/error.h"
#include "system/system.h"

// What the solver was told of the dependence on time must stay true.
static bool knows_alike(const fly_system *s, int ntimed, int nlurking) {
  return (s->ntimed > 0) == (ntimed > 0) && (s->nlurking > 0) == (nlurking > 0);
}

static fly_status find_again(fly_system *s, fly_error *error) {
  return fly_system_find_timed(s) && fly_system_find_lurking(s)
             ? FLY_OK
             : fly_fail(error, FLY_NO_MEMORY, NAN, "Out of memory for other parameters.");
}

fly_status fly_system_use_model(fly_system *s, const fly_model *tuned, fly_error *error) {
  const fly_model *before = s->model;
  const int ntimed = s->ntimed, nlurking = s->nlurking;
  bool fits = fly_model_fits(tuned, before);
  fly_status status = FLY_OK;
  if (fits) {
    s->model = tuned;
    status = find_again(s, error);
    fits = knows_alike(s, ntimed, nlurking);
  }
  if (status == FLY_OK && fits)
    return FLY_OK;
  s->model = before;
  const fly_status back = status ? status : find_again(s, error);
  return back ? back
              : fly_fail(error, FLY_BAD_INPUT, NAN,
                         "With this value expressions of the model use other quantities than before, as behind an `if` "
                         "of a parameter: the equations would be others. Run the model anew with --set.");
}
