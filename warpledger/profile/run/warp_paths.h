// Which warp of a thread block goes where: the log of one block, as machine code.
#pragma once

#include "warpledger/profile/run/machine.h"
#include "warpledger/sm/paths.h"
#include "warpledger/trace/sync_log.h"

namespace warpledger::profile {

/// Nothing where the log is not whole.
[[nodiscard]] std::optional<sm::Paths> warp_paths(const ptx::Module& module,
                                                  const sass::KernelWitness& kernel,
                                                  const FirstNumbers& numbers,
                                                  const trace::BlockLog& log, bool has_diverged,
                                                  const sass::Shares& shares);

}  // namespace warpledger::profile
