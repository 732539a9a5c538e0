# A shared library shows the functions its public headers declare, and nothing else: the headers are the list. Their
# symbols carry the version of the library, FLYBALL_major.minor: a program that was linked with another one is told so
# when it is loaded, and two of them can live in one process.

function(flyball_export_only_public_names target)
  set(names "")
  foreach(header ${ARGN})
    file(READ ${header} text)
    string(REGEX MATCHALL "fly_[a-z0-9_]+\\(" found "${text}")
    list(APPEND names ${found})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  endforeach()
  list(TRANSFORM names REPLACE "\\($" "")
  list(REMOVE_DUPLICATES names)
  list(SORT names)
  list(JOIN names ";\n    " names)
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${target}.map)
  file(CONFIGURE OUTPUT ${script} CONTENT "FLYBALL_@PROJECT_VERSION_MAJOR@.@PROJECT_VERSION_MINOR@ {\n  global:\n    @names@;\n  local:\n    *;\n};\n" @ONLY)
  target_link_options(${target} PRIVATE -Wl,--version-script=${script} -Wl,-Bsymbolic-functions)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
endfunction()
