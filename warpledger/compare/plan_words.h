// What plan.h's numbers say, in words. Private to match/.
#pragma once

#include "warpledger/compare/plan.h"

namespace warpledger::match {

struct Moved {
  Expression bytes, size, blocks;
};

/// "once"; "N/Br = 32 times (once per block)"; "" when nothing is moved. Pre: `sizes` has all.
[[nodiscard]] std::string times_words(const Moved& moved, const Sizes& sizes);

/// Of one tensor and its array, or of a tensor that the kernel does not have (null).
[[nodiscard]] std::vector<std::string> sentences_of(const PlanTensor& tensor,
                                                    const ArrayTraffic* array);

/// Of all arrays together: shared memory, what the L2 could hold, what was left in it; of a report
/// without arrays also its totals.
[[nodiscard]] std::vector<std::string> sentences_of(const Plan& plan, const KernelTraffic& kernel);

}  // namespace warpledger::match
