// Source and PTX side by side, SASS below them, with what each line did.
#pragma once

#include "warpledger/report/report.h"

namespace warpledger::report {

[[nodiscard]] Listing source_view(const profile::Profile& profile, const Sources& sources,
                                  const profile::MachineCode* code = nullptr);

}  // namespace warpledger::report
