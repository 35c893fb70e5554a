# What is linked, and why, stands in docs/dependencies.md; tools/install-deps installs it by name.
find_package(PkgConfig REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(TBB 2021 REQUIRED)
find_package(SQLite3 3.40 REQUIRED)
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)
pkg_check_modules(cairo REQUIRED IMPORTED_TARGET cairo)

# FLINT 2.9 ships no CMake or pkg-config file on Debian 12.
find_path(FLINT_INCLUDE flint/fmpz_mpoly_factor.h REQUIRED)
find_library(FLINT_LIBRARY flint REQUIRED)
find_library(GMP_LIBRARY gmp REQUIRED)
add_library(wl_flint INTERFACE)
target_include_directories(wl_flint SYSTEM INTERFACE ${FLINT_INCLUDE})
target_link_libraries(wl_flint INTERFACE ${FLINT_LIBRARY} ${GMP_LIBRARY})

# The CUDA toolkit is optional for a user's build: what needs it is skipped and said.
find_path(CUDA_OCCUPANCY_INCLUDE cuda_occupancy.h
          HINTS $ENV{CUDA_HOME}/include /usr/local/cuda/include)
