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

# What makes a mistake with memory end in a signal and not in somebody else's code: guards on the stack, checked copies,
# a table of functions that is read-only before main. tests/cli/test_hardening.sh looks whether they are there.
target_compile_options(flyball-flags INTERFACE -fstack-protector-strong -fstack-clash-protection)
target_link_options(flyball-flags INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack
                    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)
if(CMAKE_C_FLAGS_RELEASE MATCHES "-O[123s]" AND NOT FLYBALL_SANITIZE)
  target_compile_options(flyball-flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()

if(FLYBALL_WERROR)
  target_compile_options(flyball-flags INTERFACE -Werror)
endif()

if(FLYBALL_SANITIZE)
  target_compile_options(flyball-flags INTERFACE -fsanitize=${FLYBALL_SANITIZE} -fno-sanitize-recover=all
                                                 -fno-omit-frame-pointer)
  target_link_options(flyball-flags INTERFACE -fsanitize=${FLYBALL_SANITIZE})
endif()
