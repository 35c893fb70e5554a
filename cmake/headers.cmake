# Headers are self-contained: `cmake --build build/dev --target all_verify_interface_header_sets` compiles each alone.
# The header sets belong to targets of their own: those of the libraries would have to be installed, and only public
# headers are (cmake/public_headers.txt).

# wl_header_set(<library> <folder of warpledger/>): the headers that come with a library. Those that see LLVM or cairo
# are left to the sources that know where these are.
function(wl_header_set library folder)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/warpledger/${folder}/*.h)
  list(FILTER headers EXCLUDE REGEX "/exec/jit/emit/|/render/cairo\\.h$")
  if(NOT headers)
    return()
  endif()
  add_library(${library}_headers INTERFACE)
  target_link_libraries(${library}_headers INTERFACE ${library})
  target_sources(${library}_headers INTERFACE FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR} FILES ${headers})
  set_target_properties(${library}_headers PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()
