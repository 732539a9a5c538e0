// What the writer and the reader of HDF5 must agree on. For this room only.
#ifndef FLY_RESULT_HDF5_LAYOUT_H
#define FLY_RESULT_HDF5_LAYOUT_H

enum { FLY_HDF5_VERSION = 1 }; // of the layout, in the attribute of the root
#define FLY_HDF5_ATTRIBUTE "flyball_result"

#endif
