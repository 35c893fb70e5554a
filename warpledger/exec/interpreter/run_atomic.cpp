// atom and red: lane after lane, in ascending order.
#include <cstring>

#include "warpledger/base/check.h"
#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"
#include "warpledger/exec/memory/update.h"
#include "warpledger/exec/semantics/atomic.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Space;

template <class Word, class Now>
uint64_t update_as(std::byte* at, Now now) {
  return update_shared(reinterpret_cast<Word*>(at),
                       [&](Word old) { return static_cast<Word>(now(old)); });
}

/// CTAs run on different threads. Pre: aligned.
template <class Now>
uint64_t update_word(std::byte* at, uint64_t size, Now now) {
  if (size == 2) return update_as<uint16_t>(at, now);
  if (size == 4) return update_as<uint32_t>(at, now);
  WL_CHECK(size == 8);
  return update_as<uint64_t>(at, now);
}

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
    const uint64_t c = compares ? context.read(operands[2], lane) : 0;
    const uint64_t value = context.read(b[i], lane);
    const uint64_t old = update_word(bytes + i * size, size, [&](uint64_t word) {
      return atomic_update(*step.variant, word, value, c, at.space == Space::kGlobal);
    });
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
