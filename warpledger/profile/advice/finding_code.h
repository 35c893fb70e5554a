// The rules that findings come from, by the names that scripts, reports and pages know. Every one
// has a page, docs/rules/CODE.md, and `warpledger explain CODE` prints it; a test compares them.
#pragma once

#include <cstdint>
#include <string>

namespace warpledger::profile {

enum class FindingCode : uint8_t {
  kHostMemory,
  kLsuBound,
  kComputeBound,
  kIssueBound,
  kBarrierBound,
  kDramBound,
  kAtomicBound,
  kL2Bound,
  kTagBound,
  kLatencyBound,
  kUncoalesced,
  kMisaligned,
  kBankConflicts,
  kShortCopies,
  kL2Thrash,
  kPartialWrites,
  kLocalMemory,
  kContendedAtomics,
  kDivergence,
  kIntegerDivision,
  kMemoryAccumulator,
  kFewBlocks,
  kLowOccupancy,
};
inline constexpr uint8_t kFindingCodes = static_cast<uint8_t>(FindingCode::kLowOccupancy) + 1;

/// "bank-conflicts".
[[nodiscard]] std::string to_text(FindingCode code);

}  // namespace warpledger::profile
