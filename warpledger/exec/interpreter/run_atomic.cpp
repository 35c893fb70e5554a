// atom and red: lane after lane, in ascending order.
#include <atomic>
#include <cstring>
#include <iterator>

#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"
#include "warpledger/exec/semantics/atomic.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Space;

/// CTAs that run on different threads take turns at an address.
class AddressLock {
 public:
  explicit AddressLock(uint64_t address) : flag_(flags_[address / 8 % std::size(flags_)]) {
    while (flag_.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~AddressLock() { flag_.clear(std::memory_order_release); }
  AddressLock(const AddressLock&) = delete;
  AddressLock& operator=(const AddressLock&) = delete;

 private:
  inline static std::atomic_flag flags_[256];
  std::atomic_flag& flag_;
};

// Operands without atom's destination: address, b, c.
void update(const Context& context, const Step& step, std::span<const Value> operands, int lane,
            const SpaceAddress& at) {
  const auto size = static_cast<uint64_t>(step.variant->type[0].bits) / 8;
  std::byte* bytes = context.bytes(at, size * step.spelling().vector, lane, Access::kAtomic);
  if (bytes == nullptr || step.dropped) return;
  const bool answers = step.spelling().op() == Op::kAtom;
  const bool compares = step.variant->has(Modifier::kCas);
  const auto b = context.elements(operands[1]);
  for (size_t i = 0; i < b.size(); ++i) {
    const AddressLock lock(at.offset + i * size);
    uint64_t old = 0;
    std::memcpy(&old, bytes + i * size, size);
    const uint64_t c = compares ? context.read(operands[2], lane) : 0;
    const uint64_t now =
        atomic_update(*step.variant, old, context.read(b[i], lane), c, at.space == Space::kGlobal);
    std::memcpy(bytes + i * size, &now, size);
    if (answers) context.write(context.elements(step.operands[0])[i], lane, old);
  }
}

struct Wide {
  uint64_t word[2] = {};
  friend bool operator==(const Wide&, const Wide&) = default;
};
Wide read_wide(const Context& context, const Value& value, int lane) {
  const bool in_register = value.kind == Value::Kind::kRegister;
  return {{context.read(value, lane), in_register ? context.read_word(value, lane, 1) : 0}};
}

// atom.exch.b128 and atom.cas.b128.
void update_wide(const Context& context, const Step& step, std::span<const Value> operands,
                 int lane, const SpaceAddress& at) {
  std::byte* bytes = context.bytes(at, sizeof(Wide), lane, Access::kAtomic);
  if (bytes == nullptr || step.dropped) return;
  Wide old;
  std::memcpy(&old, bytes, sizeof old);
  const bool compares = step.variant->has(Modifier::kCas);
  const Wide b = read_wide(context, operands[1], lane);
  if (!compares || old == b) {
    const Wide now = compares ? read_wide(context, operands[2], lane) : b;
    std::memcpy(bytes, &now, sizeof now);
  }
  if (step.operands[0].kind != Value::Kind::kRegister) return;
  for (uint32_t i = 0; i < 2; ++i) context.write_word(step.operands[0], lane, i, old.word[i]);
}

Outcome run_atomic(Context& context, const Step& step) {
  const auto operands =
      step.spelling().op() == Op::kAtom ? step.operands.subspan(1) : step.operands;
  const auto bytes = static_cast<uint64_t>(step.variant->type[0].bits) / 8 * step.spelling().vector;
  PerLane<SpaceAddress> places;
  for_each_lane(context.lanes, [&](int lane) {
    if (context.failed()) return;
    const SpaceAddress at = context.address(operands[0], step.spelling().space(), lane);
    const bool shared = at.space == Space::kShared || at.space == Space::kSharedCluster;
    if (!shared && at.space != Space::kGlobal) {
      return context.fault(step, lane, "atomics work on global and shared memory only",
                           "bad-atomic-space");
    }
    const bool wide = step.variant->type[0].bits > 64;
    (wide ? update_wide : update)(context, step, operands, lane, at);
    places[static_cast<size_t>(lane)] = at;
  });
  if (context.failed()) return Outcome::kStay;
  record_spaces(context, step, places, bytes);
  return Outcome::kNext;
}

}  // namespace

Execute find_atomic(const ptx::Spelling& spelling) {
  return spelling.op() == Op::kAtom || spelling.op() == Op::kRed ? run_atomic : nullptr;
}

}  // namespace warpledger::exec::reference
