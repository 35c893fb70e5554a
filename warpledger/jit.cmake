# exec/jit/ is a library of its own: with LLVM 19 it compiles, without it says so and the interpreter
# runs everything.
get_target_property(exec_sources wl_exec SOURCES)
list(FILTER exec_sources EXCLUDE REGEX "/exec/jit/")
set_target_properties(wl_exec PROPERTIES SOURCES "${exec_sources}")

file(GLOB jit_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/warpledger/exec/jit/*.cpp)
# The sanitizers do not know its stacks: one per warp, switched by hand.
if(NOT WARPLEDGER_SANITIZE)
  find_package(LLVM 19.1 QUIET CONFIG HINTS /usr/lib/llvm-19)
endif()
if(LLVM_FOUND)
  list(FILTER jit_sources EXCLUDE REGEX "compiler_absent.cpp$")
else()
  list(FILTER jit_sources EXCLUDE REGEX "/(emit_[a-z]+|compiler)\\.cpp$")
  message(STATUS "No LLVM 19, or sanitizers: no JIT, the interpreter runs everything")
endif()
add_library(wl_exec_jit STATIC ${jit_sources})
target_link_libraries(wl_exec_jit PUBLIC wl_exec)
set_target_properties(wl_exec_jit PROPERTIES POSITION_INDEPENDENT_CODE ON)
if(LLVM_FOUND)
  target_include_directories(wl_exec_jit SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_link_libraries(wl_exec_jit PRIVATE LLVM)
  target_compile_definitions(wl_exec_jit PUBLIC WL_HAS_JIT)
endif()
# Not in WL_FOLDERS: loading libLLVM would more than double the time that every command takes to start
# (docs/performance.md).
