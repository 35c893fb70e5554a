// ncu's command line as that of `warpledger profile`: each option is the same here, needs nothing
// because it is always so, or is refused by name, since an answer to another question is worse than
// none.
#pragma once

#include <string>
#include <vector>

#include "warpledger/base/result.h"

namespace warpledger::cli {

/// `words` as ncu takes them, the program and its arguments included. Fails with "not-honored" on
/// what would change the answer and is not done here, and with "usage" on what ncu does not have.
[[nodiscard]] Result<std::vector<std::string>> profile_words(const std::vector<std::string>& words);

}  // namespace warpledger::cli
