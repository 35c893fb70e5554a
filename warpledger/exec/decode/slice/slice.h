// exec/decode/slice/: which instructions of a launch its addresses depend on.
//
// A backward slice from what a profile sees: addresses and guards of accesses, branches, barriers,
// calls, the lanes that meet. Everything else is *dropped*: its values are not computed. What is
// left of a dropped instruction is what the trace and the counts show of it: an access still checks
// its bounds and writes its record, lanes still meet. Both engines obey Step::dropped.
//
// Memory carries values too. A store is kept when it may feed a kept load (alias rule below); what
// dropped stores wrote is poisoned (memory/poison.h), and a kept load that reads poison ends the
// launch with code "values-needed": it has to run again with values. The rule is therefore free to
// guess where poison watches, and sound by itself where nothing does:
//   shared, local  a kept load keeps every store of its space: sound. mbarrier objects are apart:
//                  no plain store is taken to write one. In a kernel with tcgen05.alloc, a load
//                  that names its bytes ([variable + constant], where the allocated address is
//                  found) is taken to be fed by writes that name them too; the bytes are watched.
//   tensor         a kept tcgen05.ld, or a product whose result is kept, keeps what writes there.
//   global         an address made from one pointer parameter, or one variable, is taken to stay in
//                  the allocation that the pointer points to at this launch; loads and stores in
//                  different allocations do not meet, nor do .nc loads and any store. An address of
//                  other origin may be anywhere. Where the guess is wrong, poison notices.
//   generic        in the window of the object it is made from; of other origin: in all three.
// The room knows reference/'s decoded program; it must not know how the engines run it.
#pragma once

#include "warpledger/exec/decode/launch.h"
#include "warpledger/exec/decode/program.h"
#include "warpledger/exec/decode/slice/base.h"

namespace warpledger::exec {

struct Slice {
  bool is_cut = false;        // false: it has to run with values
  uint32_t instructions = 0;  // of the kernel and what it may call
  uint32_t dropped = 0;
  /// Whether some kept access may read what another warp wrote, or warps show their order in other
  /// ways. If not, warps need not wait for each other: barriers are marks in the trace, no more.
  bool order_matters = false;
  /// Whether addresses, branches or guards may depend on what global or constant memory holds. If
  /// not, the trace follows from shape and parameters alone.
  bool reads_memory = true;
  /// Bytes of shared memory that kept loads read and dropped writes are guessed not to touch.
  std::vector<SharedRange> guessed = {};
};

/// Marks the steps whose values nothing in the trace depends on. A kernel that may call malloc or
/// free is not cut: a second run would find its memory elsewhere.
[[nodiscard]] Slice cut_slice(reference::Program& program, const Image& image,
                              const Launch& launch);

}  // namespace warpledger::exec
