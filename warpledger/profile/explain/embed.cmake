# cmake -DOUT=<cpp> -DFOLDER=<docs/rules> -P embed.cmake: writes rule_pages() with the files' texts.
file(GLOB paths RELATIVE ${FOLDER} ${FOLDER}/*.md)
list(SORT paths)
set(rows "")
foreach(path IN LISTS paths)
  file(READ ${FOLDER}/${path} text)
  string(REGEX REPLACE "\\.md$" "" id ${path})
  string(APPEND rows "    {\"${id}\", R\"markdown(${text})markdown\"},\n")
endforeach()
file(WRITE ${OUT} "// Written by embed.cmake from docs/rules.
#include \"warpledger/profile/explain/rule_page.h\"

namespace warpledger::profile {
namespace {
constexpr RulePage kPages[] = {
${rows}};
}  // namespace
std::span<const RulePage> rule_pages() { return kPages; }
}  // namespace warpledger::profile
")
