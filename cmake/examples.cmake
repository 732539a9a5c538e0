# flyball_examples(FILE MODEL...): a C file with the texts of the models, so that the program has them wherever it runs.
# Written again when one of them changes.
function(flyball_examples file)
  set(texts "")
  set(table "")
  set(count 0)
  foreach(model IN LISTS ARGN)
    get_filename_component(name ${model} NAME_WLE)
    file(READ ${model} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(APPEND texts "static const char text_${count}[] = {${bytes}0};\n")
    string(APPEND table "    {\"${name}\", text_${count}, sizeof text_${count} - 1},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT
"// Generated from examples/*.yaml.
#include \"example.h\"

@texts@
const cli_example cli_examples[] = {
@table@};
const int cli_example_count = @count@;
")
endfunction()
