// What warps do while they are resident, cycle by cycle: ncu's warp states.
//
//   sum over reasons of warp cycles = resident warps x cycles
//   ncu's ratio of a reason = its warp cycles / issued instructions, of `selected`: 1
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace warpledger::sm {

/// In the order of ncu's names.
enum class Reason : uint8_t {
  kBarrier,
  kBranchResolving,
  kDispatchStall,
  kDrain,
  kImcMiss,
  kLgThrottle,
  kLongScoreboard,
  kMathPipeThrottle,
  kMembar,
  kMioThrottle,
  kNoInstruction,
  kNotSelected,
  kSelected,
  kShortScoreboard,
  kWait,
};
inline constexpr size_t kReasons = 15;
/// "long_scoreboard", as in smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.
[[nodiscard]] std::string_view to_text(Reason reason);

/// Warp cycles by reason.
using Cycles = std::array<double, kReasons>;
[[nodiscard]] double sum_of(const Cycles& cycles);

/// The warp cycles that stood at one machine instruction, and which one they waited for most.
struct InstructionStates {
  Cycles cycles = {};
  std::optional<uint32_t> waited_for = {};  // set the scoreboard; an index into the code
  friend bool operator==(const InstructionStates&, const InstructionStates&) = default;
};

/// Of one SM over the launch, or a mean of several. Post: warps is the sum of instructions.
struct States {
  double cycles = 0;         // from the first warp's start to the last one's end
  double active_cycles = 0;  // in which a sub-partition held a warp, a mean over the four
  double issued = 0;         // instructions
  double eligible = 0;       // warp cycles, those that were selected included
  Cycles warps = {};
  std::vector<InstructionStates> instructions = {};  // by index into the code
  /// Cycles a warp spends between two of its instructions.
  [[nodiscard]] double latency() const { return issued == 0 ? 0 : sum_of(warps) / issued; }
  [[nodiscard]] double share(Reason reason) const;  // of all warp cycles, 0..1
  friend bool operator==(const States&, const States&) = default;
};

/// Of SMs that are not all alike: share x some + (1 - share) x others. Pre: of the same code.
[[nodiscard]] States mean_of(const States& some, double share, const States& others);

}  // namespace warpledger::sm
