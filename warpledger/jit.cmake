# The compiler, exec/jit/'s files that see LLVM, is a library of its own, loaded when a launch first asks for it
# (exec/jit/compiler.h): libLLVM linked into every command would double the time they take to start. Everything
# else of exec/jit/ is part of wl_exec. Without LLVM 19 there is no such library and the interpreter runs everything.
set(plugin_pattern "/exec/jit/(emit_[a-z_]+|compiler)\\.cpp$")
get_target_property(exec_sources wl_exec SOURCES)
set(plugin_sources ${exec_sources})
list(FILTER plugin_sources INCLUDE REGEX ${plugin_pattern})
list(FILTER exec_sources EXCLUDE REGEX ${plugin_pattern})

# What compiled code looks like follows from these sources: their hash is in its name on disk, and the library must
# have been built from the same ones.
file(GLOB_RECURSE hashed CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/exec/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/exec/*.h
     ${CMAKE_CURRENT_SOURCE_DIR}/exec/*.def ${CMAKE_CURRENT_SOURCE_DIR}/ptx/*.def
     ${CMAKE_CURRENT_SOURCE_DIR}/ptx/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/ptx/*.h
     ${CMAKE_CURRENT_SOURCE_DIR}/trace/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/trace/*.h)
list(SORT hashed)
list(JOIN hashed "\n" hashed_lines)
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/hashed.txt CONTENT "${hashed_lines}\n" @ONLY)
set(version_source ${CMAKE_CURRENT_BINARY_DIR}/code_version.cpp)
add_custom_command(
  OUTPUT ${version_source}
  COMMAND ${CMAKE_COMMAND} -DLIST=${CMAKE_CURRENT_BINARY_DIR}/hashed.txt -DOUT=${version_source}
          -P ${CMAKE_SOURCE_DIR}/cmake/code_version.cmake
  DEPENDS ${hashed} ${CMAKE_CURRENT_BINARY_DIR}/hashed.txt ${CMAKE_SOURCE_DIR}/cmake/code_version.cmake VERBATIM)
set_target_properties(wl_exec PROPERTIES SOURCES "${exec_sources};${version_source}")
target_link_libraries(wl_exec PUBLIC ${CMAKE_DL_LIBS})

# What runs kernels links wl_exec_jit: wl_exec, and the library built beside it.
add_library(wl_exec_jit INTERFACE)
target_link_libraries(wl_exec_jit INTERFACE wl_exec)
set_property(GLOBAL APPEND PROPERTY WL_FOLDERS wl_exec_jit)
install(TARGETS wl_exec_jit EXPORT warpledger)

find_package(LLVM 19.1 QUIET CONFIG HINTS /usr/lib/llvm-19)
if(NOT LLVM_FOUND)
  message(STATUS "No LLVM 19: no JIT, the interpreter runs everything")
  return()
endif()
set_property(GLOBAL PROPERTY WL_LLVM_VERSION ${LLVM_PACKAGE_VERSION})
add_library(warpledger_jit MODULE ${plugin_sources})
# Emitters are declared by their rows of exec/jit/lowerings.def: one without a row has no declaration and is an error.
set(emit_sources ${plugin_sources})
list(FILTER emit_sources INCLUDE REGEX "/emit_[a-z_]+\\.cpp$")
set_source_files_properties(${emit_sources} PROPERTIES COMPILE_OPTIONS -Wmissing-declarations)
target_include_directories(warpledger_jit SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
if(WARPLEDGER_STATIC_LLVM)
  # A wheel brings its LLVM along: the parts that are used, not all of libLLVM.
  llvm_map_components_to_libnames(llvm_parts core orcjit native passes)
  target_link_libraries(warpledger_jit PRIVATE wl_exec ${llvm_parts})
  target_link_options(warpledger_jit PRIVATE -Wl,--gc-sections -Wl,--as-needed -Wl,--exclude-libs,ALL)
else()
  target_link_libraries(warpledger_jit PRIVATE wl_exec LLVM)
endif()
# Its copies of our functions are nobody else's: a preloaded library may have them too.
target_link_options(warpledger_jit PRIVATE -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/plugin.map)
set_target_properties(warpledger_jit PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/warpledger)
add_dependencies(wl_exec_jit warpledger_jit)
install(TARGETS warpledger_jit EXPORT warpledger LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpledger COMPONENT command)
