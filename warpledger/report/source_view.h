// Source and PTX side by side, with what each line did.
#pragma once

#include "warpledger/report/report.h"

namespace warpledger::report {

[[nodiscard]] Listing source_view(const profile::Profile& profile, const Sources& sources);

}  // namespace warpledger::report
