#include "warpledger/exec/machine/phase.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "warpledger/exec/machine/shared.h"

namespace warpledger::exec::machine {
namespace {

constexpr uint32_t kBytes = 8;
constexpr uint64_t kExpectedAt = 1, kTransactionsAt = 21, kPendingAt = 43, kPhaseAt = 63;
constexpr uint32_t kCount = (1U << 20) - 1, kTransactions = (1U << 22) - 1;
constexpr int kUpper = 32 - 22;  // bits of a word above the transactions

/// Counts are kept as what they lack of 2^20.
uint64_t stored(uint32_t count) { return (0U - count) & kCount; }

}  // namespace

Phase unpack_phase(uint64_t word) {
  const auto transactions = static_cast<uint32_t>(word >> kTransactionsAt) & kTransactions;
  return {.phase = word >> kPhaseAt != 0,
          .expected = (0U - static_cast<uint32_t>(word >> kExpectedAt)) & kCount,
          .pending = (0U - static_cast<uint32_t>(word >> kPendingAt)) & kCount,
          .transactions = static_cast<int32_t>(transactions << kUpper) >> kUpper};
}

uint64_t pack(const Phase& phase) {
  return uint64_t{phase.phase} << kPhaseAt | stored(phase.pending) << kPendingAt |
         (static_cast<uint64_t>(phase.transactions) & kTransactions) << kTransactionsAt |
         stored(phase.expected) << kExpectedAt;
}

PhasePlace find_phase(Context& context, const Instruction& instruction, uint32_t address) {
  const SharedPlace place = find_shared(context, address);
  if (place.owner != nullptr && place.offset % kBytes == 0 &&
      shared_bytes(place, kBytes) != nullptr)
    return {place.owner, place.offset};
  context.stop(fmt::format("{} names an mbarrier at shared 0x{:x}, where there is none",
                           instruction.text, address),
               "bad-mbarrier");
  return {};
}

Phase load_phase(const PhasePlace& place) {
  uint64_t word = 0;
  std::memcpy(&word, place.owner->shared.data() + place.offset, sizeof word);
  return unpack_phase(word);
}

void store_phase(const PhasePlace& place, Phase phase) {
  if (phase.pending == 0 && phase.transactions == 0) {
    phase.pending = phase.expected;
    phase.phase = !phase.phase;
    ++place.owner->cluster->events;
  }
  const uint64_t word = pack(phase);
  std::memcpy(place.owner->shared.data() + place.offset, &word, sizeof word);
}

void arrive_from_outside(const PhasePlace& place) {
  Phase phase = load_phase(place);
  if (phase.pending != 0) --phase.pending;
  store_phase(place, phase);
}

void finish_copies(const PhasePlace& place) {
  std::vector<LateCopy>& all = place.owner->arriving;
  const auto due = std::stable_partition(
      all.begin(), all.end(), [&](const LateCopy& one) { return one.barrier != place.offset; });
  const std::vector<LateCopy> copies(std::make_move_iterator(due),
                                     std::make_move_iterator(all.end()));
  all.erase(due, all.end());
  for (const LateCopy& copy : copies) {
    Block* to = place.owner->cluster->blocks[copy.to_rank];
    for (const LateCopy::Piece& piece : copy.pieces) {
      if (to != nullptr)
        std::memcpy(to->shared.data() + piece.to, copy.data->data() + piece.from, piece.bytes);
    }
    Phase phase = load_phase(place);
    phase.transactions -= static_cast<int32_t>(copy.transactions);
    store_phase(place, phase);
  }
}

std::string describe_wait(Block& block, const PhaseWait& wait) {
  const Phase phase = load_phase({&block, wait.offset});
  std::string text = fmt::format(
      "waits for the phase of parity {} of the mbarrier at shared 0x{:x}: {} of {} arrivals are "
      "missing",
      wait.phase ? 1 : 0, wait.offset, phase.pending, phase.expected);
  if (phase.transactions > 0)
    text += fmt::format(", and {} bytes of expect_tx have not been copied", phase.transactions);
  if (phase.transactions < 0)
    text += fmt::format(", and {} bytes were copied without an expect_tx", -phase.transactions);
  return text;
}

}  // namespace warpledger::exec::machine
