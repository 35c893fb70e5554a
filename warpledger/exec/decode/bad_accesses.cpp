#include "warpledger/exec/decode/bad_accesses.h"

#include <fmt/core.h>

#include "warpledger/base/number.h"

namespace warpledger::exec {

Diagnostic describe(const BadAccess& access) {
  Diagnostic said = access.first;
  said.message += fmt::format(
      "; the launch went on (--on-error continue), {} such access{} at this instruction",
      group_thousands(static_cast<int64_t>(access.lanes)), access.lanes == 1 ? "" : "es");
  return said;
}

}  // namespace warpledger::exec
