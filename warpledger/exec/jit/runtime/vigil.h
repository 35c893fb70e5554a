// Whether a warp that polls memory waits in vain. Loads that spinning is done with let the other
// warps run, and most of them spin for nothing: volatile data is read that way too. A warp counts
// as waiting only after it has read the same values at the same places again and again and has done
// nothing else in between: no store, no atomic, no barrier, no long computation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>

namespace warpledger::exec::jit {

class Vigil {
 public:
  /// Repeated reads after which nobody is expected to help: loops that give up by themselves do so
  /// much earlier.
  static constexpr uint32_t kPatience = 1 << 16;

  /// The warp reads at instruction `pc` what `hash` stands for: lanes, addresses and values.
  void see(uint32_t pc, uint32_t lanes, uint64_t hash) {
    pc_ = pc;
    lanes_ = lanes;
    ++repeats_;
    if (seen_.size() == kMostSeen) start();
    if (seen_.insert(hash).second) repeats_ = 0;
  }
  /// The warp has done something that others may see, or that takes it further.
  void start() {
    seen_.clear();
    repeats_ = 0;
  }

  [[nodiscard]] bool is_in_vain() const { return repeats_ >= kPatience; }
  /// Of the last read.
  [[nodiscard]] uint32_t pc() const { return pc_; }
  [[nodiscard]] uint32_t lanes() const { return lanes_; }

 private:
  static constexpr size_t kMostSeen = 4096;  // a warp that reads more than this does not wait

  uint32_t pc_ = 0, lanes_ = 0;
  uint32_t repeats_ = 0;
  std::unordered_set<uint64_t> seen_;
};

}  // namespace warpledger::exec::jit
