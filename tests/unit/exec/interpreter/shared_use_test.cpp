#include "warpledger/exec/interpreter/shared_use.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/law.h"

namespace warpledger::exec::reference {
namespace {

constexpr uint32_t kPieces = 64;

/// Some work in flight, and by piece who reads it: oldest first.
struct WorkInFlight {
  std::vector<Step> steps = std::vector<Step>(6);
  std::vector<KnownOperands> operands;
  SharedUse use;

  explicit WorkInFlight(testing::Rng& rng) {
    for (const Step& step : steps) {
      KnownOperands one;
      for (auto& operand : one) {
        if (rng.bits() % 4 == 0) continue;
        auto known = std::make_shared<KnownOperand>();
        for (uint64_t n = 1 + rng.bits() % 8; n > 0; --n)
          known->pieces.add(static_cast<uint32_t>(rng.bits() % kPieces));
        operand = known;
      }
      begin_reads(use, step, one);
      operands.push_back(one);
    }
  }
  /// The definition: a look at each work, the youngest first.
  [[nodiscard]] const Step* reader(uint64_t offset, uint64_t size) const {
    for (size_t i = operands.size(); i-- > 0;) {
      for (const auto& operand : operands[i]) {
        if (operand == nullptr) continue;
        for (const uint32_t piece : operand->pieces.numbers) {
          const uint64_t begin = uint64_t{piece} * kChunkBytes;
          if (offset < begin + kChunkBytes && begin < offset + size) return &steps[i];
        }
      }
    }
    return nullptr;
  }
};

LAW(SharedUse, FindsTheYoungestReader) {
  const WorkInFlight work(rng);
  for (int i = 0; i < 100; ++i) {
    const uint64_t offset = rng.bits() % (kPieces * kChunkBytes), size = rng.bits() % 80;
    EXPECT_EQ(find_reader(work.use, offset, size), size == 0 ? nullptr : work.reader(offset, size));
  }
}

LAW(SharedUse, ForgetsWhatHasEndedInAnyOrder) {
  WorkInFlight work(rng);
  while (!work.operands.empty()) {
    const auto ended = static_cast<std::ptrdiff_t>(rng.bits() % work.operands.size());
    end_reads(work.use, work.operands[static_cast<size_t>(ended)]);
    work.operands.erase(work.operands.begin() + ended);
    work.steps.erase(work.steps.begin() + ended);
    const bool is_read = work.reader(0, kPieces * kChunkBytes) != nullptr;
    EXPECT_EQ(find_reader(work.use, 0, kPieces * kChunkBytes) != nullptr, is_read);
  }
  EXPECT_FALSE(work.use.is_noted());
}

LAW(SharedUse, AWriteThatConcernsNobodyMeetsNoReaderAndNoGuess) {
  const WorkInFlight work(rng);
  const SharedRange guess{rng.bits() % 512, 512 + rng.bits() % 512};
  for (int i = 0; i < 100; ++i) {
    const uint64_t low = rng.bits() % (kPieces * kChunkBytes), end = low + 1 + rng.bits() % 80;
    if (!concerns_nobody(work.use, {&guess, 1}, low, end)) continue;
    EXPECT_EQ(work.reader(low, end - low), nullptr);
    EXPECT_FALSE(guess.meets({low, end}));
  }
}

TEST(SharedUse, AWriteToATileConcernsWhoeverReadsItBySwizzle) {
  SharedUse use;
  EXPECT_TRUE(concerns_nobody(use, {}, 0, 16));
  use.mode.assign(kPieces, 0);
  EXPECT_FALSE(concerns_nobody(use, {}, 0, 16));
}

TEST(SharedUse, CountsChangesOfModesAlone) {
  SharedUse use;
  use.mode.assign(kPieces, 0);
  note_mode(use, 8, 16, 3);  // two pieces
  EXPECT_EQ(use.mode_changes, 2u);
  note_mode(use, 8, 16, 3);
  EXPECT_EQ(use.mode_changes, 2u);
  note_mode(use, 0, 16, 0);
  EXPECT_EQ(use.mode_changes, 3u);
  EXPECT_EQ(use.mode[1], 3);
}

}  // namespace
}  // namespace warpledger::exec::reference
