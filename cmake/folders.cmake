# One static library per room, linked by cmake/layers.txt, so that linking enforces the direction of includes:
# warpledger/ptx is wl_ptx, warpledger/exec/decode is wl_exec_decode.
file(STRINGS ${CMAKE_SOURCE_DIR}/cmake/layers.txt WL_LAYERS REGEX "^[a-z/]+:")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/layers.txt)

# wl_layer_links(<out> <room>): the libraries that <room> may link.
function(wl_layer_links out room)
  set(links wl_flags fmt::fmt)
  if(NOT room STREQUAL base)
    list(APPEND links wl_base)
  endif()
  foreach(line IN LISTS WL_LAYERS)
    if(line MATCHES "^${room}: (.*)$")
      string(REPLACE " " ";wl_" names "wl_${CMAKE_MATCH_1}")
      string(REPLACE "/" "_" names "${names}")
      list(APPEND links ${names})
    endif()
  endforeach()
  set(${out} ${links} PARENT_SCOPE)
endfunction()

# wl_room_library(<room> <sources> [outside libraries...])
function(wl_room_library room sources)
  string(REPLACE "/" "_" name wl_${room})
  wl_layer_links(links ${room})
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC ${links} ${ARGN})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(room MATCHES "^exec/")
    target_compile_options(${name} PRIVATE -ffp-contract=off)  # no host feature changes a result
  endif()
  if(room MATCHES "^(compare|launch|ledger|store|sweep|toolchain|profile/limits)$")
    wl_quick_to_build(${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY WL_FOLDERS ${name})
  wl_header_set(${name} ${room})
  install(TARGETS ${name} EXPORT warpledger ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
endfunction()

# wl_folder(<room> [outside libraries...]): the library of warpledger/<room>, from every .cpp below it.
function(wl_folder room)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/warpledger/${room}/*.cpp)
  wl_room_library(${room} "${sources}" ${ARGN})
endfunction()
