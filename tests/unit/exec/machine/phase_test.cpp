// The words of mbarriers, against arrivals counted by hand.
#include "warpledger/exec/machine/phase.h"

#include "tests/support/law.h"

namespace warpledger::exec::machine {
namespace {

LAW(MachinePhase, PackingLosesNothing) {
  const Phase phase{.phase = rng.coin(),
                    .expected = static_cast<uint32_t>(rng.between(1, (1 << 20) - 1)),
                    .pending = static_cast<uint32_t>(rng.between(0, (1 << 20) - 1)),
                    .transactions = static_cast<int32_t>(rng.between(-(1 << 20), 1 << 20))};
  const Phase back = unpack_phase(pack(phase));
  EXPECT_EQ(back.phase, phase.phase);
  EXPECT_EQ(back.expected, phase.expected);
  EXPECT_EQ(back.pending, phase.pending);
  EXPECT_EQ(back.transactions, phase.transactions);
}

// What ptxas writes for mbarrier.init of n arrivals.
LAW(MachinePhase, BeginsAsTheCompilerWritesIt) {
  const auto n = static_cast<uint64_t>(rng.between(1, (1 << 20) - 1));
  const uint64_t lacks = (uint64_t{1} << 20) - n;
  const Phase phase = unpack_phase(lacks << 43 | lacks << 1);
  EXPECT_EQ(phase.expected, n);
  EXPECT_EQ(phase.pending, n);
  EXPECT_EQ(phase.transactions, 0);
  EXPECT_FALSE(phase.phase);
}

}  // namespace
}  // namespace warpledger::exec::machine
