#define FLY_HDF5_NAMES_ONLY
#include "result/hdf5_calls.h"

#include "base/library.h"

fly_hdf5_table fly_hdf5_found;

#define PLACE(name) FLY_LATE_NAME(fly_hdf5_table, name),
static const fly_late_name names[] = {FLY_HDF5_CALLS(PLACE) FLY_HDF5_NUMBERS(PLACE)};

static fly_late library =
    FLY_LATE(FLY_HDF5_FILE,
             "Results are written with HDF5. On Debian: apt-get install libhdf5-103-1; programs may take rows as they "
             "come (fly_run_options.row).",
             names, fly_hdf5_found);

fly_status fly_hdf5_load(fly_error *error) { return fly_late_load(&library, error); }
