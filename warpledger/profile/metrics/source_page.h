// The source page: what each line of the user's source, and each PTX instruction, did.
#pragma once

#include "warpledger/base/table.h"
#include "warpledger/profile/value/evidence.h"

namespace warpledger::profile {

/// One row per source line that ran. `text_of` gives the line's text, or "".
[[nodiscard]] Table line_table(const Profile& profile,
                               const std::map<SourceLine, std::string>& text_of);

/// One row per PTX instruction that ran, in order.
[[nodiscard]] Table instruction_table(const Profile& profile);

}  // namespace warpledger::profile
