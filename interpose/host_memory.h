// The host's memory: how much there is, and whether some is mapped at an address, without touching
// it.
#pragma once

#include <cstdint>

namespace warpledger::cuda {

/// Whether pages are mapped all over [address, address + bytes). Pages that may not be read or
/// written count as mapped.
[[nodiscard]] bool is_mapped(uint64_t address, uint64_t bytes);

/// What new allocations can have without swapping, as the kernel estimates it, and no more than
/// this process's control group leaves. The largest number where nobody says.
[[nodiscard]] uint64_t available_host_bytes();

}  // namespace warpledger::cuda
