// Which blocks lanes of a warp can be apart in: finer than Analysis::may_be_partial, which follows
// how registers are held. `if (threadIdx.x < 32)` sends whole warps one way.
#pragma once

#include "warpledger/exec/jit/analysis/analysis.h"

namespace warpledger::exec::jit {

class Partings {
 public:
  explicit Partings(const Analysis& analysis);

  /// By block: whether lanes that live may be elsewhere while others are here.
  [[nodiscard]] bool may_be_apart(uint32_t block) const { return apart_[block]; }
  /// Whether the guard of the step lets all lanes of a warp through, or none.
  [[nodiscard]] bool has_uniform_guard(uint32_t pc) const;

 private:
  [[nodiscard]] bool is_uniform_branch(uint32_t pc) const;
  /// Of a register that one instruction writes, before any reads it, from what stays the same while
  /// the kernel runs.
  enum class Fact : uint8_t {
    kNothing,
    kSame,    // one value for the warp
    kCounts,  // a multiple of 32, the same for the warp, plus the lane
  };
  [[nodiscard]] Fact slot_fact(uint32_t slot, uint32_t pc) const;
  [[nodiscard]] Fact fact_of(const reference::Value& value, uint32_t pc) const;
  [[nodiscard]] Fact result_of(uint32_t pc) const;
  [[nodiscard]] bool compares_warps(uint32_t pc) const;
  void find_writers();
  bool find_more_facts();
  void find_apart();

  const Analysis& analysis_;
  std::vector<uint32_t> writer_;  // by slot: the only step that does; kNowhere
  std::vector<Fact> facts_;       // by slot, where the writer has been
  std::vector<bool> apart_;
};

}  // namespace warpledger::exec::jit
