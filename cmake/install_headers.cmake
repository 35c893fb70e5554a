# Runs at install time: copies the public headers and what they include in turn. At install time, because a header that
# gains an include does not make CMake configure again.
#
#   WL_SOURCE       the source folder
#   WL_DESTINATION  the include folder below the prefix
cmake_policy(VERSION 3.25)

# wl_reachable(<out> <header>...): the headers and all that they include from warpledger/, by path.
function(wl_reachable out)
  set(todo ${ARGN})
  set(reached "")
  while(todo)
    list(POP_FRONT todo header)
    if(header IN_LIST reached)
      continue()
    endif()
    if(NOT EXISTS ${WL_SOURCE}/${header})
      message(FATAL_ERROR "cmake/public_headers.txt reaches '${header}', which does not exist")
    endif()
    list(APPEND reached ${header})
    file(STRINGS ${WL_SOURCE}/${header} lines REGEX "^[ \t]*#[ \t]*include[ \t]*\"warpledger/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^[^\"]*\"([^\"]*)\".*$" "\\1" included "${line}")
      list(APPEND todo ${included})
    endforeach()
  endwhile()
  set(${out} ${reached} PARENT_SCOPE)
endfunction()

file(STRINGS ${WL_SOURCE}/cmake/public_headers.txt public REGEX "^warpledger/")
wl_reachable(headers ${public})
foreach(header IN LISTS headers)
  get_filename_component(folder ${header} DIRECTORY)
  file(INSTALL ${WL_SOURCE}/${header} DESTINATION ${CMAKE_INSTALL_PREFIX}/${WL_DESTINATION}/${folder})
endforeach()
