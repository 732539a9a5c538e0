# What the library stands on. tools/install-deps installs all of it on Debian.

function(flyball_find_library variable name package)
  find_library(${variable} NAMES ${name})
  if(NOT ${variable})
    message(FATAL_ERROR "lib${name} is missing. On Debian: tools/install-deps build, or apt-get install ${package}")
  endif()
endfunction()

flyball_find_library(KLU_LIBRARY klu libsuitesparse-dev)
flyball_find_library(LAPACK_LIBRARY lapack libopenblas-dev)
flyball_find_library(BLAS_LIBRARY blas libopenblas-dev)
find_path(KLU_INCLUDE_DIR suitesparse/klu.h)
if(NOT KLU_INCLUDE_DIR)
  message(FATAL_ERROR "suitesparse/klu.h is missing. On Debian: tools/install-deps build, or apt-get install libsuitesparse-dev")
endif()

add_library(flyball-dependencies INTERFACE)
target_include_directories(flyball-dependencies SYSTEM INTERFACE ${KLU_INCLUDE_DIR})
target_link_libraries(flyball-dependencies INTERFACE ${KLU_LIBRARY} ${LAPACK_LIBRARY} ${BLAS_LIBRARY} m)
