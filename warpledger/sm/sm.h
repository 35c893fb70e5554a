// sm/: one streaming multiprocessor, cycle by cycle: four schedulers that issue machine code with
// the waits that ptxas wrote into it, pipes, the memory port, barriers, a cold start. It says what
// warps do in every cycle: ncu's warp states.
//
//   states.h    the answer: warp cycles by reason and instruction
//   hardware.h  an SM's numbers, from a GPU's file
//   program.h   machine code -> units, intervals, latencies; shares of branches
//   port.h      queues, load/store unit, tag and data stage, ways to L2 and DRAM
//   caches.h    code and constants
//   paths.h     which warp goes where, and what it does with mbarriers
//   mbarrier.h  phases of arrivals and bytes
//   core.h      warps, schedulers, the order in which a warp's state is decided
//
// The room knows machine code and GPUs. It must not know PTX, addresses, engines or profiles:
// whoever asks says how often blocks of code ran and what each instruction asks of memory.
// Everything here is modeled; errors are in docs/validation.md.
#pragma once

#include "warpledger/sm/block_span.h"
#include "warpledger/sm/port.h"
#include "warpledger/sm/states.h"

namespace warpledger::sm {

/// What one SM is given.
struct Launch {
  uint32_t warps = 1;     // of a thread block
  uint32_t resident = 1;  // thread blocks at a time
  uint32_t blocks = 1;    // thread blocks in all
};

/// How long to look: what is left is taken to go on as the last part did.
struct Effort {
  int64_t cycles = 200'000;
  int64_t warp_cycles = 2'000'000;
};

/// What a simulation tells besides.
struct Seen {
  std::vector<BlockSpan> spans = {};  // of the blocks that ended while it looked
  uint64_t endless = 0;               // waits for mbarriers that nobody would have ended
};

/// Post: the same for the same input; sum of States::warps = warp cycles, of instructions as well.
[[nodiscard]] States simulate(const Program& program, const Launch& launch, const Rates& rates,
                              const Hardware& hardware, const Effort& effort = {},
                              Seen* seen = nullptr);

}  // namespace warpledger::sm
