# `cmake --install`: the command with its manual, and the libraries as a CMake package; `cpack -G DEB` makes Debian's
# package of the same. docs/install.md.
#
#   command  bin/warpledger, lib/warpledger/libwarpledger_jit.so, man page, completion
#   library  public headers (cmake/public_headers.txt), static libraries, find_package(warpledger) -> warpledger::warpledger
#   python   what goes into a wheel (python/CMakeLists.txt)
include(CMakePackageConfigHelpers)

# All of it under one name.
get_property(folders GLOBAL PROPERTY WL_FOLDERS)
add_library(warpledger_all INTERFACE)
target_link_libraries(warpledger_all INTERFACE ${folders})
set_target_properties(warpledger_all PROPERTIES EXPORT_NAME warpledger)
add_library(warpledger::warpledger ALIAS warpledger_all)
set_target_properties(warpledger PROPERTIES EXPORT_NAME command)
add_executable(warpledger::command ALIAS warpledger)

install(TARGETS wl_flags warpledger_all EXPORT warpledger)
install(TARGETS warpledger EXPORT warpledger RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
install(CODE "set(WL_SOURCE [[${CMAKE_SOURCE_DIR}]])\nset(WL_DESTINATION [[${CMAKE_INSTALL_INCLUDEDIR}]])" COMPONENT library)
install(SCRIPT cmake/install_headers.cmake COMPONENT library)

# The package, in the install tree and in the build tree.
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/warpledger)
set(config ${CMAKE_BINARY_DIR}/warpledger-config.cmake)
file(WRITE ${config} "include(\${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake)
include(\${CMAKE_CURRENT_LIST_DIR}/warpledger-targets.cmake)
")
write_basic_package_version_file(${CMAKE_BINARY_DIR}/warpledger-config-version.cmake COMPATIBILITY ExactVersion)
configure_file(cmake/dependencies.cmake ${CMAKE_BINARY_DIR}/dependencies.cmake COPYONLY)
install(FILES ${config} ${CMAKE_BINARY_DIR}/warpledger-config-version.cmake cmake/dependencies.cmake
        DESTINATION ${package_folder} COMPONENT library)
install(EXPORT warpledger NAMESPACE warpledger:: FILE warpledger-targets.cmake DESTINATION ${package_folder}
        COMPONENT library)
export(EXPORT warpledger NAMESPACE warpledger:: FILE ${CMAKE_BINARY_DIR}/warpledger-targets.cmake)

# Manual and completion, from the option table that the help is made of.
set(manual ${CMAKE_BINARY_DIR}/share/warpledger.1)
set(completion ${CMAKE_BINARY_DIR}/share/warpledger)  # .bash, .zsh, .fish
set(completions ${completion}.bash ${completion}.zsh ${completion}.fish)
add_custom_command(OUTPUT ${manual} ${completions}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/share
  COMMAND warpledger manual > ${manual}
  COMMAND warpledger completion bash > ${completion}.bash
  COMMAND warpledger completion zsh > ${completion}.zsh
  COMMAND warpledger completion fish > ${completion}.fish
  DEPENDS warpledger VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual} ${completions})
install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
install(FILES ${completion}.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME warpledger
        COMPONENT command)
install(FILES ${completion}.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _warpledger COMPONENT command)
install(FILES ${completion}.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME warpledger.fish
        COMPONENT command)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT command)

# All of the component `command`. Tests and benchmarks are no part of a package.
add_custom_target(command DEPENDS warpledger manual)
foreach(target warpledger_ptxas warpledger_jit warpledger_runtime warpledger_runtime_12 warpledger_driver warpledger_cupti warpledger_nvrtc warpledger_nvjitlink warpledger_blas
               warpledger_blas_lt warpledger_random warpledger_fft warpledger_sparse warpledger_solver)
  if(TARGET ${target})
    add_dependencies(command ${target})
  endif()
endforeach()
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME warpledger)
set(CPACK_PACKAGE_CONTACT "The warpledger authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "where every byte of a GPU kernel goes, without a GPU")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL command)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libcairo2, libopenblas0")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
include(CPack)
