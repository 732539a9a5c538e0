# Flags of everything that is compiled here; nothing of it is installed.

add_library(flyball-flags INTERFACE)
target_compile_options(
  flyball-flags
  INTERFACE -ffp-contract=off
            -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wno-sign-conversion
            $<$<C_COMPILER_ID:GNU>:-Wdouble-promotion> # clang takes offence at NAN and INFINITY
            -Wstrict-prototypes
            -Wmissing-prototypes
            -Wvla)
target_link_options(flyball-flags INTERFACE -Wl,--as-needed)

if(FLYBALL_WERROR)
  target_compile_options(flyball-flags INTERFACE -Werror)
endif()

if(FLYBALL_SANITIZE)
  target_compile_options(flyball-flags INTERFACE -fsanitize=${FLYBALL_SANITIZE} -fno-sanitize-recover=all
                                                 -fno-omit-frame-pointer)
  target_link_options(flyball-flags INTERFACE -fsanitize=${FLYBALL_SANITIZE})
endif()
