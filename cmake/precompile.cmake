# Headers parsed once for the tests of the everyday build: the standard library's, fmt's and GoogleTest's (docs/decisions/010). Everything
# else has none, so that a forgotten include is found there; unity builds (unity.cmake) gain nothing by them.
if(NOT CMAKE_BUILD_TYPE STREQUAL Debug OR NOT WARPLEDGER_TESTS OR WARPLEDGER_UNITY)
  return()
endif()
file(WRITE ${CMAKE_BINARY_DIR}/wl_precompiled.cpp "")
add_library(wl_precompiled OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/wl_precompiled.cpp)
target_link_libraries(wl_precompiled PRIVATE wl_flags fmt::fmt)
target_compile_options(wl_precompiled PRIVATE -O0 -pthread)
target_compile_definitions(wl_precompiled PRIVATE GTEST_HAS_PTHREAD=1)  # as GTest::gtest says to tests
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  target_compile_options(wl_precompiled PRIVATE "SHELL:-Xclang -fno-pch-timestamp")  # for ccache
endif()
target_precompile_headers(wl_precompiled PRIVATE
  <algorithm> <array> <bit> <charconv> <cmath> <cstdint> <cstdlib> <cstring> <functional> <limits> <map> <memory> <numeric> <optional>
  <set> <span> <sstream> <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h> <fmt/ranges.h>
  <gtest/gtest.h> <gmock/gmock.h>)
get_property(targets DIRECTORY ${CMAKE_SOURCE_DIR}/tests PROPERTY BUILDSYSTEM_TARGETS)
foreach(target IN LISTS targets)
  get_target_property(links ${target} LINK_LIBRARIES)
  if(target MATCHES "^test_" AND links MATCHES "fmt::fmt|wl_[^f]")  # what knows no fmt lacks its definitions, which gcc wants alike
    target_precompile_headers(${target} REUSE_FROM wl_precompiled)
  endif()
endforeach()
