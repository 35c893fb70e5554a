// Code and constants that a warp must have before it can issue. Lines of 128 B (8 instructions)
// come from the L0 of the sub-partition, behind it the cache of the SM, which the launch finds
// cold; constants come in lines that the launch finds cold.
#pragma once

#include <vector>

#include "warpledger/sm/program.h"

namespace warpledger::sm {

class CodeCache {
 public:
  static constexpr uint32_t kInstructions = 8;  // of a line
  CodeCache(const Hardware& hardware, size_t instructions);

  /// When the sub-partition has the line, asked for at `now`.
  [[nodiscard]] int64_t ready(uint32_t partition, uint32_t line, int64_t now);

 private:
  static constexpr int64_t kAbsent = -1;
  struct L0 {
    std::vector<int64_t> lines;  // when each is there
    uint32_t held = 0;
  };
  int64_t from_sm(uint32_t line, int64_t now);
  static void hold(L0& cache, uint32_t line, int64_t at);

  const Hardware& hardware_;
  std::vector<int64_t> sm_;
  std::vector<L0> l0_;
};

class ConstantCache {
 public:
  ConstantCache(const Hardware& hardware, uint32_t lines)
      : hardware_(hardware), lines_(lines, -1) {}
  [[nodiscard]] int64_t ready(int32_t line, int64_t now);

 private:
  const Hardware& hardware_;
  std::vector<int64_t> lines_;
};

}  // namespace warpledger::sm
