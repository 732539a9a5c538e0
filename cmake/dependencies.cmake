# What the library stands on. tools/install-deps installs all of it on Debian.

function(flyball_find_library variable name package)
  find_library(${variable} NAMES ${name})
  if(NOT ${variable})
    list(GET name 0 name)
    message(FATAL_ERROR "lib${name} is missing. On Debian: tools/install-deps build, or apt-get install ${package}")
  endif()
endfunction()

function(flyball_find_header variable name package)
  find_path(${variable} NAMES ${name} PATH_SUFFIXES hdf5/serial)
  if(NOT ${variable})
    message(FATAL_ERROR "${name} is missing. On Debian: tools/install-deps build, or apt-get install ${package}")
  endif()
endfunction()

flyball_find_library(KLU_LIBRARY klu libsuitesparse-dev)
flyball_find_library(LAPACK_LIBRARY lapack libopenblas-dev)
flyball_find_library(BLAS_LIBRARY blas libopenblas-dev)
flyball_find_library(ARPACK_LIBRARY arpack libarpack2-dev)
flyball_find_library(FYAML_LIBRARY fyaml libfyaml-dev)
flyball_find_library(HDF5_LIBRARY "hdf5_serial;hdf5" libhdf5-dev) # the second name is what others than Debian use
flyball_find_header(KLU_INCLUDE_DIR suitesparse/klu.h libsuitesparse-dev)
flyball_find_header(FYAML_INCLUDE_DIR libfyaml.h libfyaml-dev)
flyball_find_header(HDF5_INCLUDE_DIR hdf5.h libhdf5-dev)

add_library(flyball-dependencies INTERFACE)
target_include_directories(flyball-dependencies SYSTEM INTERFACE ${KLU_INCLUDE_DIR} ${FYAML_INCLUDE_DIR}
                                                                 ${HDF5_INCLUDE_DIR})
target_link_libraries(flyball-dependencies INTERFACE ${KLU_LIBRARY} ${ARPACK_LIBRARY} ${LAPACK_LIBRARY} ${BLAS_LIBRARY}
                                                     ${FYAML_LIBRARY} ${HDF5_LIBRARY} m)
