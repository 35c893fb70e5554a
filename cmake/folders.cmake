# One static library per folder of warpledger/, linked by cmake/layers.txt, so that linking enforces
# the direction of includes. A folder that does not exist yet is passed over.
file(STRINGS ${CMAKE_SOURCE_DIR}/cmake/layers.txt WL_LAYERS REGEX "^[a-z]+:")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/layers.txt)

# wl_layer_links(<out> <folder>): the libraries that <folder> may link.
function(wl_layer_links out folder)
  set(links wl_flags fmt::fmt)
  if(NOT folder STREQUAL base)
    list(APPEND links wl_base)
  endif()
  foreach(line IN LISTS WL_LAYERS)
    if(line MATCHES "^${folder}:(.*)$")
      string(REPLACE " " ";" names "${CMAKE_MATCH_1}")
      foreach(name IN LISTS names)
        if(name AND EXISTS ${CMAKE_SOURCE_DIR}/warpledger/${name})
          list(APPEND links wl_${name})
        endif()
      endforeach()
    endif()
  endforeach()
  set(${out} ${links} PARENT_SCOPE)
endfunction()

# wl_folder(<folder> [outside libraries...]): the static library of warpledger/<folder>.
function(wl_folder folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/warpledger/${folder}/*.cpp)
  wl_layer_links(links ${folder})
  add_library(wl_${folder} STATIC ${sources})
  target_link_libraries(wl_${folder} PUBLIC ${links} ${ARGN})
  set_target_properties(wl_${folder} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  set_property(GLOBAL APPEND PROPERTY WL_FOLDERS wl_${folder})
  install(TARGETS wl_${folder} EXPORT warpledger ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
endfunction()
