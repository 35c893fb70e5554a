# Builds for arm64 Linux on another machine (docs/decisions/019-arm64.md): Debian's cross compiler, the libraries that
# tools/arm64-root unpacked, and qemu-user for what a build runs of itself. WARPLEDGER_ARM64_ROOT: another folder than the build's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(WARPLEDGER_ARM64_ROOT ${CMAKE_CURRENT_LIST_DIR}/../build/arm64-root CACHE PATH "What tools/arm64-root made")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WARPLEDGER_ARM64_ROOT)
cmake_path(ABSOLUTE_PATH WARPLEDGER_ARM64_ROOT NORMALIZE OUTPUT_VARIABLE CMAKE_SYSROOT)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static;-L;${CMAKE_SYSROOT})

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)

# What is built says no path of the machine that built it.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH checkout)
set(CMAKE_CXX_FLAGS_INIT -ffile-prefix-map=${checkout}=.)
file(GLOB Python_INCLUDE_DIR ${CMAKE_SYSROOT}/usr/include/python3.*)
