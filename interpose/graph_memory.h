// What the memory nodes of graphs have of a device. Memory is taken when a node runs and goes back
// when it is freed, so nothing is reserved beyond what is used, and there is nothing to trim.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace warpledger::cuda {

class GraphMemory {
 public:
  void take(uint64_t bytes) {
    used_ += bytes;
    used_high_ = std::max(used_high_, used_);
    reserved_high_ = std::max(reserved_high_, used_);
  }
  void give_back(uint64_t bytes) { used_ -= bytes; }

  /// By the number that cudaGraphMemAttributeType and CUgraphMem_attribute share. Nothing for
  /// others.
  [[nodiscard]] std::optional<uint64_t> get(int attribute) const {
    const uint64_t values[] = {used_, used_high_, used_, reserved_high_};
    return attribute >= 0 && attribute < 4 ? std::optional(values[attribute]) : std::nullopt;
  }
  /// Marks can be set to zero, and nothing else: false.
  [[nodiscard]] bool reset(int attribute, uint64_t value) {
    constexpr int kUsedHigh = 1, kReservedHigh = 3;
    if (value != 0 || (attribute != kUsedHigh && attribute != kReservedHigh)) return false;
    (attribute == kUsedHigh ? used_high_ : reserved_high_) = 0;
    return true;
  }

 private:
  uint64_t used_ = 0, used_high_ = 0, reserved_high_ = 0;
};

}  // namespace warpledger::cuda
