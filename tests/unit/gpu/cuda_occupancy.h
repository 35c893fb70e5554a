// NVIDIA's cuda_occupancy.h as an oracle, behind plain types: the header is compiled in its own
// file, without our warnings.
#pragma once

#include <optional>

#include "warpledger/gpu/occupancy.h"

namespace warpledger::testing {

/// False when the toolkit was not found at build time.
bool have_cuda_occupancy();

struct OracleAnswer {
  int blocks = 0;
  unsigned limiting = 0;  // bits in the order of Resource, as the header numbers them
  int warps = 0, registers = 0, shared_memory = 0, block_slots = 0, barriers = 0, virtual_ones = 0;
  int allocated_registers = 0;
  long allocated_smem = 0;
  friend bool operator==(const OracleAnswer&, const OracleAnswer&) = default;
};

/// nullopt when the header calls the input invalid.
std::optional<OracleAnswer> cuda_occupancy(const Architecture& architecture,
                                           const BlockNeeds& needs,
                                           const SmemPreference& preference);

}  // namespace warpledger::testing
