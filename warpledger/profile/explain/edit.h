// What to change, in the names and sizes of the user's code: a declaration with its padding, a
// launch bound, a block size. Where nothing can be derived, the finding's own remedy.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "warpledger/profile/advice/finding.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::profile {

/// The lines of source files, by the names that line numbers refer to.
using SourceText = std::map<std::string, std::vector<std::string>>;

struct Edit {
  std::string text = {};
  std::string snippet = {};  // code to write; "": none could be derived
};

[[nodiscard]] Edit edit_of(const Finding& finding, const Profile& profile,
                           const SourceText& sources);

}  // namespace warpledger::profile
