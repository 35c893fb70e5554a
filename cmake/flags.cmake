# Every target of the project links wl_flags: warnings, sanitizers, the include root.
add_library(wl_flags INTERFACE)
target_include_directories(wl_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(wl_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                       -Wno-missing-field-initializers)
if(WARPLEDGER_WERROR)
  target_compile_options(wl_flags INTERFACE -Werror)
endif()
if(WARPLEDGER_SANITIZE)
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(wl_flags INTERFACE ${sanitizers})
  target_link_options(wl_flags INTERFACE ${sanitizers})
endif()
