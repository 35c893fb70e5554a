# cmake -DOUT=<cpp> -DFOLDER=<gpus> -P embed.cmake: writes builtin_gpu_files() with the files' texts.
file(GLOB_RECURSE paths RELATIVE ${FOLDER} ${FOLDER}/*.toml)
list(SORT paths)
set(rows "")
foreach(path IN LISTS paths)
  file(READ ${FOLDER}/${path} text)
  string(APPEND rows "    {\"${path}\", R\"toml(${text})toml\"},\n")
endforeach()
file(WRITE ${OUT} "// Written by embed.cmake from gpus/.
#include \"warpledger/gpu/builtin.h\"

namespace warpledger {
namespace {
constexpr BuiltinFile kFiles[] = {
${rows}};
}  // namespace
std::span<const BuiltinFile> builtin_gpu_files() { return kFiles; }
}  // namespace warpledger
")
