# Unity builds (docs/decisions/017): eight source files are compiled as one, because most of a file's time goes to headers and templates
# that its neighbors need, too. .ci/run and the sanitizer preset build so; the everyday build does not, so that a changed file is
# compiled alone and a forgotten include is found.
option(WARPLEDGER_UNITY "Compile eight source files as one: quicker from nothing" OFF)
if(NOT WARPLEDGER_UNITY)
  return()
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/unity-apart.txt)
file(STRINGS ${CMAKE_SOURCE_DIR}/cmake/unity-apart.txt files_apart REGEX "^[a-z]")
list(TRANSFORM files_apart PREPEND ${CMAKE_SOURCE_DIR}/)

# wl_use_unity(<folder>): its libraries and programs, and those of the folders below it.
function(wl_use_unity folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(NOT type MATCHES "^(STATIC|SHARED|MODULE|OBJECT)_LIBRARY$|^EXECUTABLE$")
      continue()
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    # CMake names the parts by full paths: __FILE__ would differ in each clone, and ccache would compile them again.
    target_compile_options(${target} PRIVATE -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)
    set_source_files_properties(${files_apart} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
  get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(next IN LISTS below)
    wl_use_unity(${next})
  endforeach()
endfunction()
wl_use_unity(${CMAKE_SOURCE_DIR})
