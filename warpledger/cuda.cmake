# The doors (cuda/): wl_cuda is what stands behind them, for the command too; libwarpledger_cuda.so is that once per
# process, and libcudart.so.13 and libcuda.so.1 are thin libraries in front of it. They are built where CUDA's
# headers are found: the layouts of its structures are theirs to say.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cuda/*.cpp)
wl_layer_links(links cuda)
add_library(wl_cuda STATIC ${sources})
target_link_libraries(wl_cuda PUBLIC ${links} wl_exec_jit PRIVATE PkgConfig::lz4 PkgConfig::zstd)
set_target_properties(wl_cuda PROPERTIES POSITION_INDEPENDENT_CODE ON)
set_property(GLOBAL APPEND PROPERTY WL_FOLDERS wl_cuda)
install(TARGETS wl_cuda EXPORT warpledger ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)

file(GLOB wheel_include ${CMAKE_SOURCE_DIR}/build/cuda/lib/python3*/site-packages/nvidia/cu13/include)
find_path(CUDA_RUNTIME_INCLUDE cuda_runtime_api.h HINTS $ENV{CUDA_HOME}/include /usr/local/cuda/include
          ${wheel_include})
if(NOT CUDA_RUNTIME_INCLUDE OR WARPLEDGER_SANITIZE)
  message(STATUS "No CUDA headers, or a sanitizer: no doors")
  return()
endif()
set(door_folder ${CMAKE_BINARY_DIR}/lib/warpledger)

add_library(warpledger_cuda SHARED ${CMAKE_CURRENT_SOURCE_DIR}/cuda/core.h)
target_link_libraries(warpledger_cuda PRIVATE -Wl,--whole-archive wl_cuda -Wl,--no-whole-archive)
target_link_options(warpledger_cuda PRIVATE -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/cuda.map)
set_target_properties(warpledger_cuda PROPERTIES LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${door_folder}
                      LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/cuda.map INSTALL_RPATH "\$ORIGIN")

# wl_door(<target> <folder> <soname> <list of exported names>): every name exists; what has no definition says so.
function(wl_door target folder soname names)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cuda/${folder}/*.cpp)
  set(stubs ${CMAKE_CURRENT_BINARY_DIR}/${target}_names.cpp)
  add_custom_command(OUTPUT ${stubs} DEPENDS ${names} ${CMAKE_SOURCE_DIR}/cmake/door_names.cmake
                     COMMAND ${CMAKE_COMMAND} -DNAMES=${names} -DOUT=${stubs} -DDOOR=${folder}
                             -P ${CMAKE_SOURCE_DIR}/cmake/door_names.cmake VERBATIM)
  add_library(${target} SHARED ${sources} ${stubs})
  target_include_directories(${target} SYSTEM PRIVATE ${CUDA_RUNTIME_INCLUDE})
  target_link_libraries(${target} PRIVATE wl_flags warpledger_cuda fmt::fmt ${CMAKE_DL_LIBS})
  # Functions of our own folders come from the core alone; CUDA's declarations have C linkage already.
  target_compile_options(${target} PRIVATE -Wno-deprecated-declarations -Wno-return-type-c-linkage)
  target_link_options(${target} PRIVATE -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/${folder}.map
                                        -Wl,-soname,${soname} -Wl,--no-undefined)
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${door_folder} PREFIX "" SUFFIX ""
                        OUTPUT_NAME ${soname} BUILD_RPATH "\$ORIGIN" INSTALL_RPATH "\$ORIGIN")
endfunction()
wl_door(warpledger_runtime runtime libcudart.so.13 ${CMAKE_CURRENT_SOURCE_DIR}/cuda/runtime/names.txt)
wl_door(warpledger_driver driver libcuda.so.1 ${CMAKE_CURRENT_SOURCE_DIR}/cuda/driver/names.txt)
install(TARGETS warpledger_cuda warpledger_runtime warpledger_driver
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpledger COMPONENT command)
