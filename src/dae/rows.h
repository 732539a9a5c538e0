// Other rows in place of those of the constraints: where redundant ones were left out, those kept may come to depend on
// each other while others would do (docs/theory/redundancy.md). The motion does not notice; multipliers are carried
// over by the force they stand for.
#ifndef FLY_DAE_ROWS_H
#define FLY_DAE_ROWS_H

#include "flyball/dae.h"
#include "sparse/sparse.h"

// The constraints' G where the next start begins, if its rows are known to be independent, to 1e-9: they are not looked
// at again. The caller's, who keeps it until then; NULL: nothing is known.
void fly_solver_know_rows(fly_solver *s, const fly_csc *G);

// At an accepted point, while the problem still has its old rows: the forces of all multipliers that are kept.
fly_status fly_rows_leave(fly_solver *s, fly_error *error);
// Then, with the new ones: as many of them as before, which span the same directions, all else being equal. The solver
// goes on from where it is, without a restart where its method allows; again: it is made consistent there and starts
// again, as after a jump. After a failure it can only be freed.
fly_status fly_rows_enter(fly_solver *s, const fly_dae_problem *problem, bool again, fly_error *error);
// Entries of patterns came or went, rows are the same ones: the solver goes on from where it is.
fly_status fly_rows_repattern(fly_solver *s, const fly_dae_problem *fresh, fly_error *error);
// Rows came or went: everything is made anew for them but the run, which fly_rows_begin takes up again from where it
// is. After a failure the solver can only be freed.
fly_status fly_rows_reform(fly_solver *s, const fly_dae_problem *fresh, fly_error *error);
fly_status fly_rows_begin(fly_solver *s, fly_error *error);

#endif
