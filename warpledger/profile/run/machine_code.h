// The machine code that belongs to a profile, with how often each instruction ran: made again from
// the PTX, since a profile that was kept has lost it.
#pragma once

#include "warpledger/profile/value/machine_code.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::profile {

/// Asks ptxas and nvdisasm. Fails with "not-its-code" when the PTX is not the one that was
/// profiled, or with what the tools say. Post: executions over all lines sum up to
/// profile.machine->instructions.
/// `with_blocks` simulates once more for MachineCode::blocks.
[[nodiscard]] Result<MachineCode> machine_code(const Profile& profile, const std::string& ptx,
                                               bool with_blocks = false);

}  // namespace warpledger::profile
