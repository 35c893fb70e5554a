// The PTX that a report file of ncu holds (report/ncu/ writes it), so that its SASS can be shown
// where the kernel's own file is gone.
#pragma once

#include "warpledger/base/source.h"
#include "warpledger/profile/value/machine_code.h"

namespace warpledger::profile {

/// Empty for other files, and for what cannot be read.
[[nodiscard]] KernelTexts kept_texts(const Source& source);

}  // namespace warpledger::profile
