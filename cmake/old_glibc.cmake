# For the wheel: what runs on an older glibc than this machine's. WARPLEDGER_OLD_GLIBC is what tools/wheel-libraries made: the
# libraries of cmake/dependencies.cmake in the versions of their headers, and glibc's symbols of that time (docs/decisions/013).
set(old_glibc ${WARPLEDGER_OLD_GLIBC}/glibc)
set(old_libraries ${WARPLEDGER_OLD_GLIBC}/lib)
set(CMAKE_CXX_STANDARD_LIBRARIES "@${old_glibc}/link")  # the last words of every link line
set(CMAKE_CXX_LINK_EXECUTABLE
    "<CMAKE_CXX_COMPILER> @${old_glibc}/program-begin <FLAGS> <CMAKE_CXX_LINK_FLAGS> <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES> @${old_glibc}/program-end")
# Hidden: the process may have other copies of these.
set(hidden stdc++ newer fmt re2 hwy lz4 zstd z sqlite3 flint mpfr gmp tomlplusplus)
list(TRANSFORM hidden REPLACE "(.+)" "lib\\1.a")
list(JOIN hidden : hidden)
add_link_options(-Wl,--exclude-libs,${hidden})

set_target_properties(fmt::fmt PROPERTIES IMPORTED_LOCATION_NONE ${old_libraries}/libfmt.a)
set_target_properties(TBB::tbb PROPERTIES IMPORTED_LOCATION_NONE ${old_libraries}/libtbb.so.12)
set_target_properties(SQLite::SQLite3 PROPERTIES IMPORTED_LOCATION ${old_libraries}/libsqlite3.a)
foreach(name re2 hwy lz4 zstd tomlplusplus)
  set_target_properties(PkgConfig::${name} PROPERTIES INTERFACE_LINK_LIBRARIES ${old_libraries}/lib${name}.a)
endforeach()
set_target_properties(wl_flint PROPERTIES INTERFACE_LINK_LIBRARIES
                      "${old_libraries}/libflint.a;${old_libraries}/libmpfr.a;${old_libraries}/libgmp.a")

# What find_package(LLVM) brought along; called where it was found.
macro(wl_old_glibc_llvm)
  set_target_properties(ZLIB::ZLIB PROPERTIES IMPORTED_LOCATION ${old_libraries}/libz.a IMPORTED_LOCATION_RELEASE ${old_libraries}/libz.a)
  set_target_properties(zstd::libzstd_shared PROPERTIES IMPORTED_LOCATION ${old_libraries}/libzstd.a)
endmacro()
