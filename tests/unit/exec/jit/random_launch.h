// The launch of a random kernel, with its arrays in the machine's memory.
#pragma once

#include "tests/support/law.h"
#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/jit/random_kernel.h"

namespace warpledger::exec {

inline Launch random_launch(TestMachine& machine, testing::Rng& rng, std::string kernel,
                            uint32_t grid, const Extent& block) {
  std::vector<uint32_t> input(RandomKernel::kInputs);
  for (uint32_t& value : input)
    value = static_cast<uint32_t>(rng.coin() ? rng.bits()
                                             : static_cast<uint64_t>(rng.between(-50, 50)));
  const size_t threads = size_t{block[0]} * block[1] * block[2] * grid;
  const uint64_t in = machine.put(input, "in");
  const uint64_t out =
      machine.put(std::vector<uint32_t>(threads * RandomKernel::kWordsPerThread), "out");
  const uint64_t counters = machine.put(std::vector<uint32_t>(RandomKernel::kCounters), "counters");
  const uint64_t scratch =
      machine.put(std::vector<uint32_t>(size_t{grid} * RandomKernel::kScratchWords, 3), "scratch");
  return {.kernel = std::move(kernel),
          .grid = {grid, 1, 1},
          .block = block,
          .params = TestMachine::pack(in, out, counters, scratch)};
}

}  // namespace warpledger::exec
