// match/: two answers about one kernel, of different kinds, side by side: a plan (a tile
// program), a prediction (a profile) and a measurement (a report of ncu). The room joins tile/,
// profile/ and ncu/ and says in sentences what the numbers mean; it must not count a byte of its
// own, nor read or print a file.
//
//   traffic.h  what each array has moved between threads, L2 and DRAM
//   plan.h     a tile program against that, array by array
//   metrics.h  two launches metric by metric, as ncu names them
#pragma once

#include <optional>

#include "warpledger/ledger/ledger.h"
#include "warpledger/ncu/report.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::match {

/// Whole bytes of a figure; 0 where there is none, or a formula.
[[nodiscard]] inline int64_t bytes_of(const std::optional<Figure>& figure) {
  return figure ? figure->value.as_integer().value_or(0) : 0;
}

/// Bytes of one direction, counted at three places on their way.
struct Traffic {
  std::optional<Figure> requested;  // by threads: lanes x width, or what bulk copies move
  std::optional<Figure> l2;         // between L1 and L2, in whole sectors
  std::optional<Figure> dram;       // between L2 and DRAM
  Traffic& operator+=(const Traffic& other);
};

struct ArrayTraffic {
  std::string name;                   // "q"; "q, k" where one instruction touches both
  std::optional<int64_t> bytes = {};  // its size
  Traffic read = {}, written = {};    // no array has its own DRAM writes: the L2 writes back
};

/// One launch, or several added up.
struct KernelTraffic {
  std::string title;                       // "flash_attention on NVIDIA A100"
  std::vector<ArrayTraffic> arrays = {};   // as the kernel first touches them
  Traffic read = {}, written = {};         // with what no array explains
  std::optional<Figure> shared_read = {};  // smem -> registers, by lanes
  std::optional<Figure> shared_written = {};
  std::optional<int64_t> l2_bytes = {};  // the GPU's cache
  int64_t left_dirty = 0;                // written by threads, still in the L2 at the end
};

/// Arrays of the same name in several launches are the same array. Pre: one launch at least.
[[nodiscard]] KernelTraffic traffic_of(const std::vector<profile::Profile>& launches);

/// A report names no arrays: totals alone, as far as it counts them.
[[nodiscard]] KernelTraffic traffic_of(const ncu::Launch& launch);

}  // namespace warpledger::match
