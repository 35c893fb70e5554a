// atom and red, where all lanes are aligned and lie together. Operands come by the interpreter's
// registers; lanes follow each other in ascending order, as in the interpreter.
#include "warpledger/exec/memory/update.h"

#include <bit>
#include <cstring>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/runtime/runtime_memory.h"
#include "warpledger/exec/semantics/atomic.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Space;
using reference::Context;
using reference::Step;
using reference::Value;

/// A value of each lane, or one for all.
struct Source {
  const uint64_t* lanes = nullptr;
  uint64_t constant = 0;
  uint64_t operator[](int lane) const { return lanes != nullptr ? lanes[lane] : constant; }
};

bool is_source(const Value& value) {
  const bool is_register = value.kind == Value::Kind::kRegister && value.count == 1 &&
                           value.bits <= 64 && !value.negated;
  return is_register || (value.kind == Value::Kind::kImmediate && value.space != Space::kShared);
}

Source source_of(const WarpContext& c, const Value& value) {
  if (value.kind == Value::Kind::kImmediate) return {.constant = value.value};
  return {.lanes = c.registers + size_t{value.slot} * 32};
}

/// Operands behind the result.
std::span<const Value> inputs_of(const Step& step) {
  return step.spelling().op() == Op::kAtom ? step.operands.subspan(1) : step.operands;
}

bool is_simple(const Step& step) {
  const auto inputs = inputs_of(step);
  const int bits = step.variant->type[0].bits;
  if (bits > 64 || bits < 16 || step.spelling().vector != 1 || !is_addressed(inputs[0]))
    return false;
  for (size_t i = 1; i < inputs.size(); ++i)
    if (!is_source(inputs[i])) return false;
  return true;
}

// What softer arithmetic would come to: all of them, and the sum, are normal.
bool add_normal(uint32_t a, uint32_t b, uint32_t& sum) {
  const auto is_normal = [](uint32_t bits) { return (bits >> 23 & 0xff) - 1u < 0xfe; };
  sum = std::bit_cast<uint32_t>(std::bit_cast<float>(a) + std::bit_cast<float>(b));
  return is_normal(a) && is_normal(b) && is_normal(sum);
}

/// One lane: what was there, and what comes there.
template <class Word>
class Update {
 public:
  Update(const Step& step, bool global)
      : variant_(*step.variant),
        global_(global),
        adds_floats_(is_f32(variant_.type[0]) && is_add()),
        adds_integers_(!variant_.type[0].is_float && variant_.type[0].count == 1 && is_add()) {}

  Word operator()(Word old, uint64_t b, uint64_t c) const {
    if (adds_integers_) return static_cast<Word>(old + b);
    if constexpr (sizeof(Word) == 4) {
      uint32_t sum = 0;
      if (adds_floats_ && add_normal(old, static_cast<uint32_t>(b), sum)) return sum;
    }
    return static_cast<Word>(atomic_update(variant_, old, b, c, global_));
  }

 private:
  [[nodiscard]] bool is_add() const {
    return variant_.get(ptx::Slot::kOperation) == Modifier::kAdd;
  }

  const Variant& variant_;
  bool global_, adds_floats_, adds_integers_;
};

struct Updated {
  const Context& context;
  const Step& step;
  Source b, c;
  uint64_t* old = nullptr;  // of each lane; null: nobody asks
};

template <class Word>
void update_lanes(const Updated& all, const LaneBytes& found, uint64_t low,
                  const uint64_t* address) {
  const bool global = found.low.space == Space::kGlobal;
  const Update<Word> how(all.step, global);
  for_each_lane(all.context.lanes, [&](int lane) {
    auto* at = reinterpret_cast<Word*>(found.host + (address[lane] - low));
    const auto now = [&](Word old) { return how(old, all.b[lane], all.c[lane]); };
    const Word old = global ? update_shared(at, now) : update_own(at, now);
    if (all.old != nullptr) all.old[lane] = old;
  });
}

void update_words(const Updated& all, int bits, const LaneBytes& found, uint64_t low,
                  const uint64_t* address) {
  if (bits == 16) return update_lanes<uint16_t>(all, found, low, address);
  if (bits == 32) return update_lanes<uint32_t>(all, found, low, address);
  update_lanes<uint64_t>(all, found, low, address);
}

/// False, with nothing done, where a look at each lane has to say what is wrong, or what this does
/// not do.
bool update_at_once(WarpContext& c, const Context& context, const Step& step) {
  const RunningWarp& warp = running(&c);
  if (context.lanes == 0 || !is_simple(step)) return false;
  const auto inputs = inputs_of(step);
  const int bits = step.variant->type[0].bits;
  const auto bytes = static_cast<uint64_t>(bits) / 8;
  const reference::Accessed at = addressed(c, inputs[0], context.lanes);
  const LaneExtent all = extent_of(at.lanes, at.address.data());
  if (all.bits % bytes != 0) return false;
  const auto found =
      find_at_once(warp, step.spelling().space(), all, bytes, reference::Access::kAtomic);
  if (!found || found->host == nullptr) return false;
  const int first = __builtin_ctz(context.lanes);
  const bool global = found->low.space == Space::kGlobal;
  if (global && !context.watch(all.low, bytes, first, reference::Access::kAtomic)) return true;
  if (!step.dropped) {
    Updated updated{context, step, source_of(c, inputs[1]), {}};
    if (inputs.size() > 2) updated.c = source_of(c, inputs[2]);
    const Value& to = step.operands[0];
    const bool answers = step.spelling().op() == Op::kAtom && to.kind == Value::Kind::kRegister;
    if (answers) updated.old = c.registers + size_t{to.slot} * 32;
    update_words(updated, bits, *found, all.low, at.address.data());
  }
  record_at_once(context, step, all, found->low, bytes, at.address.data());
  return true;
}

}  // namespace

int32_t update(WarpContext* c, uint32_t pc, uint32_t mask, uint32_t lanes) {
  RunningWarp& warp = running(c);
  take_records(warp);
  const Context context = context_at(warp, pc, mask, lanes);
  if (!update_at_once(*c, context, step_at(warp, pc))) return interpret(c, pc, mask, lanes);
  c->acted = 1;
  if (context.failed()) return 1;
  give_records(warp, warp.room);
  return 0;
}

}  // namespace warpledger::exec::jit
