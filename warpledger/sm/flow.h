// From how often each block of machine code runs to the shares in which warps leave it.
#pragma once

#include <vector>

#include "warpledger/sm/program.h"

namespace warpledger::sm {

/// Whether the block may follow itself.
[[nodiscard]] bool repeats(const std::vector<sass::SassBlock>& blocks, uint32_t block);

/// The blocks with their edges; counts that contradict each other are mended first.
[[nodiscard]] std::vector<Block> linked(const std::vector<sass::SassBlock>& from,
                                        const Counts& counts);

}  // namespace warpledger::sm
