#include "warpledger/memory/l1.h"

#include <algorithm>

#include "warpledger/base/units.h"

namespace warpledger::memory {
namespace {

uint32_t lines_per_bank(uint64_t bytes) {
  return std::max(1u, static_cast<uint32_t>(bytes / kLineBytes / kTagBanks));
}

uint32_t sets_for(uint64_t bytes) {
  return static_cast<uint32_t>(ceil_div(lines_per_bank(bytes), TagArray::kWays));
}

}  // namespace

L1::L1(uint64_t bytes)
    : sets_per_bank_(sets_for(bytes)),
      ways_(lines_per_bank(bytes) / sets_per_bank_),
      lines_(uint64_t{kTagBanks} * sets_per_bank_ * ways_),
      index_(sets_per_bank_),
      tags_(kTagBanks * sets_per_bank_, ways_) {}

}  // namespace warpledger::memory
