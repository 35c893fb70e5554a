// Kinds of launches whose modeled times err alike, by what limits them. Published reports of a kind
// say how far the time of a new launch of this kind may be off (docs/validation.md, "By kind of
// launch"; tools/validation/kinds.py sorts the reports by the same rule).
//
//   short         it ends before kShortCycles: starting and ending it weigh most
//   tensor        tensor cores work in it
//   latency ...   else by find_limit(): the unit that is busy for most of it, or none
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "warpledger/profile/value/evidence.h"

namespace warpledger::profile {

enum class LaunchKind : uint8_t { kShort, kTensor, kLatency, kDram, kL2, kL1, kCompute };

/// "DRAM-bound".
[[nodiscard]] std::string_view to_text(LaunchKind kind);

/// Pre: the launch's time is modeled.
[[nodiscard]] LaunchKind kind_of(const Evidence& evidence);

/// How far modeled Durations of a kind were from published ones.
struct KindError {
  std::string_view kind;        // to_text(LaunchKind)
  uint32_t reports = 0;         // published
  double shift = 0;             // median of (modeled / published - 1), percent
  double spread = 0;            // median distance from it: what two launches of a kind do not share
  double median = 0, high = 0;  // of its absolute value; high: the 90th percentile
};
[[nodiscard]] std::span<const KindError> kind_errors();

/// "DRAM-bound launches: 2.1 % too short in the median of 34 published reports, 90th percentile of
/// the error 12.0 %".
[[nodiscard]] std::string to_text(const KindError& error);

/// Null: too few reports of this kind to say anything.
[[nodiscard]] const KindError* find_error(LaunchKind kind);

}  // namespace warpledger::profile
