// The program's own memory: whether there is any at an address, without touching it.
#pragma once

#include <cstdint>

namespace warpledger::cuda {

/// Whether pages are mapped all over [address, address + bytes). Pages that may not be read or
/// written count as mapped.
[[nodiscard]] bool is_mapped(uint64_t address, uint64_t bytes);

}  // namespace warpledger::cuda
