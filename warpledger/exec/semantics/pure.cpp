#include "warpledger/exec/semantics/pure.h"

namespace warpledger::exec {

Pure find_pure(const ptx::Spelling& spelling) {
  for (const auto find :
       {find_float, find_integer, find_bits, find_compare, find_convert, find_video}) {
    if (const Pure pure = find(spelling)) return pure;
  }
  return nullptr;
}

bool carries(const ptx::Spelling& spelling) {
  const ptx::Op op = spelling.op();
  return spelling.has(ptx::Modifier::kCc) || op == ptx::Op::kAddc || op == ptx::Op::kSubc ||
         op == ptx::Op::kMadc;
}

}  // namespace warpledger::exec
