# flyball_texts(FILE HEADER LIST MODEL...): a C file with the texts of files and their names, so that the program has them
# wherever it runs. Written again when one of them changes. The header declares the list and its count.
function(flyball_texts file header list)
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
  if(count EQUAL 0)
    set(table "    {0},\n")
  endif()
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT
"// Generated from files of the repository.
#include \"@header@\"

@texts@
const @list@ @list@s[] = {
@table@};
const int @list@_count = @count@;
")
endfunction()
