// Where compiled code counts what a launch did (WarpContext::counts).
#pragma once

#include "warpledger/exec/jit/analysis/analysis.h"

namespace warpledger::exec::jit {

/// Indices: two of each block, two of each step, one of the kernel.
class CountPlaces {
 public:
  explicit CountPlaces(const Analysis& analysis)
      : blocks_(analysis.flow.cfg.blocks.size()), steps_(analysis.code->steps.size()) {}

  [[nodiscard]] size_t executions(size_t block) const { return 2 * block; }
  [[nodiscard]] size_t lanes(size_t block) const { return 2 * block + 1; }
  /// Of a cp.async: lanes that read their source.
  [[nodiscard]] size_t sources(size_t pc) const { return 2 * (blocks_ + pc); }
  /// Of a guarded step: lanes that execute it.
  [[nodiscard]] size_t guarded(size_t pc) const { return 2 * (blocks_ + pc) + 1; }
  /// Branches that sent lanes both ways.
  [[nodiscard]] size_t partings() const { return 2 * (blocks_ + steps_); }
  [[nodiscard]] size_t size() const { return partings() + 1; }

 private:
  size_t blocks_, steps_;
};

}  // namespace warpledger::exec::jit
