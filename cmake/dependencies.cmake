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
flyball_find_library(COLAMD_LIBRARY colamd libsuitesparse-dev)
flyball_find_library(LAPACK_LIBRARY lapack libopenblas-dev)
flyball_find_library(BLAS_LIBRARY blas libopenblas-dev)
flyball_find_library(FYAML_LIBRARY fyaml libfyaml-dev)
flyball_find_header(KLU_INCLUDE_DIR suitesparse/klu.h libsuitesparse-dev)
flyball_find_header(FYAML_INCLUDE_DIR libfyaml.h libfyaml-dev)

add_library(flyball-dependencies INTERFACE)
target_include_directories(flyball-dependencies SYSTEM INTERFACE ${KLU_INCLUDE_DIR} ${FYAML_INCLUDE_DIR})
target_link_libraries(flyball-dependencies INTERFACE ${KLU_LIBRARY} ${COLAMD_LIBRARY} ${LAPACK_LIBRARY} ${BLAS_LIBRARY}
                                                     ${FYAML_LIBRARY} m)

# What the core does without.
if(FLYBALL_CORE)
  set(FLYBALL_BDF OFF CACHE STRING "The core has no method bdf" FORCE)
else()
  flyball_find_library(ARPACK_LIBRARY arpack libarpack2-dev)
  flyball_find_library(HDF5_LIBRARY "hdf5_serial;hdf5" libhdf5-dev) # the second name is what others than Debian use
  flyball_find_library(Z_LIBRARY z zlib1g-dev)
  flyball_find_header(HDF5_INCLUDE_DIR hdf5.h libhdf5-dev)
  flyball_find_header(Z_INCLUDE_DIR zlib.h zlib1g-dev)
  target_include_directories(flyball-dependencies SYSTEM INTERFACE ${HDF5_INCLUDE_DIR} ${Z_INCLUDE_DIR})
  target_link_libraries(flyball-dependencies INTERFACE ${ARPACK_LIBRARY} ${HDF5_LIBRARY} ${Z_LIBRARY})
endif()

# SUNDIALS IDA, for the method bdf. Optional: it pulls in over a hundred packages.
set(FLYBALL_BDF AUTO CACHE STRING "Build the method bdf with SUNDIALS: ON, OFF, or AUTO (if it is installed)")
if(FLYBALL_BDF)
  find_library(IDA_LIBRARY sundials_ida)
  find_library(NVECSERIAL_LIBRARY sundials_nvecserial)
  find_path(IDA_INCLUDE_DIR ida/ida.h)
  if(IDA_LIBRARY AND NVECSERIAL_LIBRARY AND IDA_INCLUDE_DIR)
    target_include_directories(flyball-dependencies SYSTEM INTERFACE ${IDA_INCLUDE_DIR})
    target_link_libraries(flyball-dependencies INTERFACE ${IDA_LIBRARY} ${NVECSERIAL_LIBRARY})
    target_compile_definitions(flyball-dependencies INTERFACE FLY_WITH_IDA)
  elseif(NOT FLYBALL_BDF STREQUAL AUTO)
    message(FATAL_ERROR "SUNDIALS IDA is missing. On Debian: tools/install-deps bdf, or apt-get install libsundials-dev")
  endif()
endif()
