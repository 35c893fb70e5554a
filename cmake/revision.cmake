# Writes OUT, a C++ file with the git revision of SOURCE, unless it says so already.
cmake_policy(VERSION 3.25)
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE revision ERROR_QUIET
                RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
if(failed)
  set(revision unknown)
else()
  execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    string(APPEND revision ", changed")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT "#include \"cli/terminal/version.h\"

namespace warpledger::cli {

const char* revision() { return \"@revision@\"; }

}  // namespace warpledger::cli
")
