// race: which threads touch the same bytes with nothing that orders them.
//
// The room reads the streams of a launch's warps (trace/) and nothing else; it must not know who
// runs the kernel nor how a race is shown. A race is two accesses to a byte
//   * by threads of different warps of a block, in one interval between two barriers of the whole
//     block; or, in global memory, by threads of different blocks;
//   * at least one of them a plain write, and not both of them strong (trace::Site::strong).
// Shared memory is checked exactly, with these exceptions, each of which hides races and invents
// none:
//   warps     threads of one warp are taken to be ordered: lanes that meet, __syncwarp, shuffles;
//   meetings  a warp may be ordered with others by more than barriers of the block. It releases
//   what
//             it did before by a barrier of some warps (bar.sync with a count, bar.arrive), an
//             atomic or another strong write, and acquires what others released by such a barrier,
//             an atomic's result or a strong load. Reported are races between accesses of two warps
//             that have acquired nothing since the barrier of the block, and between accesses that
//             neither releases before the next one;
//   copies    cp.async is taken to write when it is issued;
//   lanes     a block in which part of a warp comes to a barrier is left alone from there on.
// Blocks are ordered by no barrier: accesses of two blocks race unless one comes after its block
// has acquired something, in an interval before or in its own warp.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "warpledger/trace/trace.h"

namespace warpledger::race {

enum class Hazard : uint8_t { kWriteAfterRead, kReadAfterWrite, kWriteAfterWrite };
[[nodiscard]] std::string_view to_text(Hazard hazard);

/// One of the two threads, and its instruction.
struct Party {
  uint32_t site = 0;
  uint64_t block = 0;   // linear id
  uint32_t thread = 0;  // linear index in the block
  friend bool operator==(const Party&, const Party&) = default;
};

/// All races between two sites, with one example of them.
struct Race {
  trace::Space space = trace::Space::kShared;
  Hazard hazard = Hazard::kWriteAfterRead;
  Party first, second;   // first: fewer accesses behind the last barrier, where that tells
  uint64_t address = 0;  // of a byte that both touch: offset in shared memory, or device address
  uint64_t count = 0;    // accesses of threads that race with one of the other site
  friend bool operator==(const Race&, const Race&) = default;
};

struct Report {
  std::vector<Race> races = {};  // by space and sites
  uint64_t blocks = 0;           // that were checked
  uint64_t left_alone = 0;       // of these, from some barrier on not
};

}  // namespace warpledger::race
