# Headers parsed once (docs/decisions/010): the standard library's, fmt's and GoogleTest's for tests, and for everything under
# sanitizers and with WARPLEDGER_PRECOMPILE. The everyday build has none elsewhere, so that a forgotten include is found there.
if(NOT CMAKE_BUILD_TYPE STREQUAL Debug OR NOT WARPLEDGER_TESTS)
  return()
endif()
set(headers <algorithm> <array> <bit> <charconv> <cmath> <cstdint> <cstdlib> <cstring> <functional> <limits> <map> <memory>
            <numeric> <optional> <set> <span> <sstream> <string> <string_view> <unordered_map> <utility> <variant> <vector>
            <fmt/format.h> <fmt/ranges.h>)
# wl_precompiled(<name> <optimization> [further headers...])
function(wl_precompiled name optimization)
  file(WRITE ${CMAKE_BINARY_DIR}/${name}.cpp "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE wl_flags fmt::fmt)
  target_compile_options(${name} PRIVATE ${optimization})
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")  # for ccache
  endif()
  target_precompile_headers(${name} PRIVATE ${headers} ${ARGN})
endfunction()
wl_precompiled(wl_precompiled_quick -O0 <gtest/gtest.h> <gmock/gmock.h>)
target_compile_options(wl_precompiled_quick PRIVATE -pthread)
target_compile_definitions(wl_precompiled_quick PRIVATE GTEST_HAS_PTHREAD=1)  # as GTest::gtest says to tests
set(precompiled_for "^test_")
if(WARPLEDGER_SANITIZE OR WARPLEDGER_PRECOMPILE)
  wl_precompiled(wl_precompiled -O1)
  set(precompiled_for "^(test_|wl_|warpledger)")
endif()

# wl_use_precompiled(<folder>): its libraries and programs, and those of the folders below it.
function(wl_use_precompiled folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(options ${target} COMPILE_OPTIONS)
    get_target_property(links ${target} LINK_LIBRARIES)
    if(NOT target MATCHES "${precompiled_for}" OR target MATCHES "^wl_precompiled" OR
       NOT type MATCHES "^(STATIC|SHARED|MODULE)_LIBRARY$|^EXECUTABLE$" OR
       NOT links MATCHES "fmt::fmt|wl_[^f]")  # what knows no fmt lacks its definitions, which gcc wants alike
      continue()
    endif()
    if(options MATCHES "-O0" AND NOT target MATCHES "^test_" AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      continue()  # GoogleTest's definitions, too
    elseif(options MATCHES "-O0")
      target_precompile_headers(${target} REUSE_FROM wl_precompiled_quick)
    elseif(TARGET wl_precompiled)
      target_precompile_headers(${target} REUSE_FROM wl_precompiled)
    endif()
  endforeach()
  get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(next IN LISTS below)
    wl_use_precompiled(${next})
  endforeach()
endfunction()
wl_use_precompiled(${CMAKE_SOURCE_DIR})
