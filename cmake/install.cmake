# Headers, library, pkg-config file and CMake package. All of it can be moved: no absolute path inside.

include(CMakePackageConfigHelpers)

install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/flyball)
install(TARGETS flyball EXPORT flyball)
install(EXPORT flyball NAMESPACE flyball:: FILE flyballConfig.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/flyball)

write_basic_package_version_file(flyballConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/flyballConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/flyball)

# From the folder of flyball.pc back to the prefix.
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/flyball.pc.in flyball.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/flyball.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The manual page is what the program says about itself; completion asks it.
if(TARGET flyball-program)
  add_custom_command(
    OUTPUT flyball.1
    COMMAND ${PROJECT_SOURCE_DIR}/tools/man.sh $<TARGET_FILE:flyball-program> > flyball.1.new
    COMMAND ${CMAKE_COMMAND} -E rename flyball.1.new flyball.1
    DEPENDS flyball-program ${PROJECT_SOURCE_DIR}/tools/man.sh
    VERBATIM)
  add_custom_target(flyball-man ALL DEPENDS flyball.1)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/flyball.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES tools/completion/flyball.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME flyball)
  install(FILES tools/completion/_flyball DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
