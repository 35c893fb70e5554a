// Closing what a process has inherited.
#pragma once

#include <cstdint>
#include <vector>

namespace warpledger::cell {

/// Closes the descriptors of [first, last] that are open, also where the system has no close_range
/// (Linux before 5.9: RHEL 8, Ubuntu 20.04). Pre: no other thread opens one meanwhile.
void close_between(uint32_t first, uint32_t last);
/// The same, one after another.
void close_each(uint32_t first, uint32_t last);

/// All but these.
void close_all_but(std::vector<int> kept);

}  // namespace warpledger::cell
