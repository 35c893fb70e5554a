# What is linked, and why, stands in docs/dependencies.md; tools/install-deps installs it by name. Also part of the
# installed CMake package, whose static libraries need the same.
find_package(PkgConfig REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(TBB 2021 REQUIRED)
find_package(SQLite3 3.40 REQUIRED)
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(lz4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy>=1.0.3)
set_target_properties(PkgConfig::hwy PROPERTIES INTERFACE_COMPILE_OPTIONS "")  # a name for those who build Highway itself

# FLINT 2.9 ships no CMake or pkg-config file on Debian 12.
find_path(FLINT_INCLUDE flint/fmpz_mpoly_factor.h REQUIRED)
find_library(FLINT_LIBRARY flint REQUIRED)
find_library(GMP_LIBRARY gmp REQUIRED)
if(NOT TARGET wl_flint)
  add_library(wl_flint INTERFACE IMPORTED)  # imported, so that an export names it and does not copy it
  target_include_directories(wl_flint SYSTEM INTERFACE ${FLINT_INCLUDE})
  target_link_libraries(wl_flint INTERFACE ${FLINT_LIBRARY} ${GMP_LIBRARY})
endif()
