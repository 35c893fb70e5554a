# Writes OUT: a definition of every name in NAMES that gives way to a real one. A name with _ptsz or _ptds is the
# same call on a per-thread default stream: it goes to the name without.
file(STRINGS ${NAMES} names)
cmake_policy(SET CMP0057 NEW)
set(text "// Made by cmake/door_names.cmake.\nextern \"C\" int wl_${DOOR}_not_here(const char* name);\n")
string(APPEND text "#if defined(__aarch64__)\n#define WL_GO_TO(name) \"b \" name\n#else\n"
       "#define WL_GO_TO(name) \"jmp \" name \"@PLT\"\n#endif\n")
foreach(name IN LISTS names)
  string(REGEX REPLACE "_ptsz$|_ptds$" "" base ${name})
  if(NOT base STREQUAL name AND base IN_LIST names)
    string(APPEND text "asm(\".text\\n.weak ${name}\\n.type ${name},@function\\n${name}: \" WL_GO_TO(\"${base}\") \"\\n\");\n")
  else()
    string(APPEND text "extern \"C\" __attribute__((weak)) int ${name}() { return wl_${DOOR}_not_here(\"${name}\"); }\n")
  endif()
endforeach()
file(WRITE ${OUT} "${text}")
