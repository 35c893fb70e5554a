# Writes OUT: a C++ file with the hash of the files named in LIST.
file(STRINGS ${LIST} files)
set(text "")
foreach(name IN LISTS files)
  file(SHA256 ${name} hash)
  string(APPEND text "${hash}\n")
endforeach()
string(SHA256 version "${text}")
file(WRITE ${OUT} "#include \"warpledger/exec/jit/runtime/compiler.h\"

namespace warpledger::exec::jit {

const char* code_version() { return \"${version}\"; }

}  // namespace warpledger::exec::jit
")
