#include "warpledger/exec/interpreter/async/mbarrier.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "warpledger/exec/interpreter/async/bulk.h"
#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/async/tensor_work.h"
#include "warpledger/exec/interpreter/engine.h"

namespace warpledger::exec::reference {
namespace {

constexpr uint64_t kCountMask = 0xfffff, kTransactionMask = 0x1fffff;

void store_phase(Cta& cta, uint64_t offset, const PhaseObject& object) {
  const uint64_t bits = pack(object);
  std::memcpy(cta.shared.data() + offset, &bits, sizeof bits);
}

}  // namespace

uint64_t pack(const PhaseObject& object) {
  return uint64_t{object.phase} << 63 | uint64_t{object.initialized} << 62 |
         (static_cast<uint64_t>(object.transactions) & kTransactionMask) << 40 |
         (uint64_t{object.expected} & kCountMask) << 20 | (object.pending & kCountMask);
}

PhaseObject unpack_phase(uint64_t bits) {
  const auto transactions = static_cast<uint32_t>(bits >> 40 & kTransactionMask);
  return {.phase = (bits >> 63) != 0,
          .initialized = ((bits >> 62) & 1) != 0,
          .transactions = static_cast<int32_t>(transactions << 11) >> 11,
          .expected = static_cast<uint32_t>(bits >> 20 & kCountMask),
          .pending = static_cast<uint32_t>(bits & kCountMask)};
}

PhaseObject load_phase(const Cta& cta, uint64_t offset) {
  uint64_t bits = 0;
  std::memcpy(&bits, cta.shared.data() + offset, sizeof bits);
  return unpack_phase(bits);
}

void wake_phase(Cta& owner, uint64_t offset) {
  for (Warp& warp : owner.warps) {
    for (Fragment& fragment : warp.fragments) {
      if (fragment.wait == Fragment::Wait::kPhase && fragment.object == offset)
        fragment.wait = Fragment::Wait::kReady;
    }
  }
}

namespace {

void end_phase_if_complete(Cta& owner, uint64_t offset, PhaseObject& object) {
  if (object.pending != 0 || object.transactions != 0) return;
  object.pending = object.expected;
  object.phase = !object.phase;
  PhaseArrivals& arrivals = owner.phases[offset];
  ++arrivals.phases;
  arrivals.warps.clear();
  ++owner.events;
  wake_phase(owner, offset);
}

}  // namespace

void change_phase(Cta& owner, uint64_t offset, PhaseObject& object) {
  end_phase_if_complete(owner, offset, object);
  store_phase(owner, offset, object);
}

void complete_transactions(Cta& owner, uint64_t offset, uint32_t bytes) {
  PhaseObject object = load_phase(owner, offset);
  object.transactions -= static_cast<int32_t>(bytes);
  change_phase(owner, offset, object);
}

void arrive_from_outside(Cta& owner, uint64_t offset) {
  PhaseObject object = load_phase(owner, offset);
  if (object.pending != 0) --object.pending;
  change_phase(owner, offset, object);
}

PhasePlace find_phase(const Context& context, const Step& step, const SpaceAddress& at, int lane) {
  if (!is_shared(at.space)) {
    context.fault(step, lane, "an mbarrier must be in shared memory", "bad-mbarrier");
    return {};
  }
  if (context.bytes(at, 8, lane, Access::kAtomic) == nullptr) return {};
  const bool own = at.space == ptx::Space::kShared;
  const PhasePlace place{own ? &context.cta : owner_of(context.engine, context.cta, at.offset),
                         own ? at.offset : offset_in_cta(at.offset)};
  // A launch that goes on after bad accesses comes here with one.
  const size_t end = place.owner == nullptr ? 0 : place.owner->shared.size();
  if (end >= 8 && place.offset <= end - 8) return place;
  context.fault(step, lane, "an mbarrier outside of shared memory", "out-of-bounds");
  return {};
}

void finish_arrivals(const Context& context, Cta& owner, uint64_t offset) {
  finish_tensor_work(context.engine, owner, offset);
  finish_copies_at(context.engine, owner, offset);
}

std::string unannounced_text(const Cta& cta, uint64_t offset) {
  const auto found = cta.phases.find(offset);
  if (found == cta.phases.end() || offset + 8 > cta.shared.size()) return {};
  const PhaseObject object = load_phase(cta, offset);
  // Of an object that has not been written over.
  const bool is_ours = object.initialized && object.expected == found->second.expected &&
                       object.pending <= object.expected;
  if (!is_ours || object.transactions >= 0) return {};
  return fmt::format(
      "the mbarrier at shared {:#x} ends with {} bytes that were copied without an expect_tx: a "
      "wait may have completed before its copies",
      offset, -object.transactions);
}

std::string phase_text(const Context& context, const Step& step, const Fragment& fragment) {
  const PhaseObject object = load_phase(context.cta, fragment.object);
  const int lane = __builtin_ctz(fragment.lanes);
  const uint64_t asked = context.read(step.operands[2], lane);
  const bool parity = step.variant->has(ptx::Modifier::kParity) ? (asked & 1) != 0 : asked >> 63;
  const auto found = context.cta.phases.find(fragment.object);
  const PhaseArrivals arrivals =
      found == context.cta.phases.end() ? PhaseArrivals{} : found->second;
  std::string text = fmt::format(
      "waits for the phase of parity {} of the mbarrier at shared {:#x}, which has ended {} phases",
      parity ? 1 : 0, fragment.object, arrivals.phases);
  text += fmt::format("; {} of {} arrivals are missing", object.pending, object.expected);
  if (!arrivals.warps.empty())
    text += fmt::format(" (warps {} have arrived)", fmt::join(arrivals.warps, ", "));
  if (object.transactions > 0)
    text += fmt::format(", and {} bytes of expect_tx have not been copied", object.transactions);
  if (object.transactions < 0)
    text += fmt::format(", and {} bytes were copied without an expect_tx", -object.transactions);
  return text;
}

}  // namespace warpledger::exec::reference
