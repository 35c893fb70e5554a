// Loads, stores, hints and fences. Memory is sequentially consistent here: one instruction of one
// warp at a time, so orders and scopes need nothing further.
#include <cstring>

#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Op;
using ptx::Space;

struct Shape {
  uint64_t element = 0;  // bytes
  uint64_t total = 0;
};

Shape shape_of(const Step& step) {
  const auto element = static_cast<uint64_t>(step.variant->type[0].bits) / 8;
  return {element, element * step.spelling().vector};
}

void load_element(const Context& context, const Step& step, const Value& to, int lane,
                  const std::byte* from) {
  const TypeInfo& type = step.variant->type[0];
  uint64_t words[2] = {};
  std::memcpy(words, from, static_cast<size_t>(type.bits) / 8);
  if (type.bits > 64) {
    context.write_word(to, lane, 0, words[0]);
    context.write_word(to, lane, 1, words[1]);
  } else {
    context.write(to, lane, numeric::extend(type.integer(), words[0]));
  }
}

void store_element(const Context& context, const Step& step, const Value& from, int lane,
                   std::byte* to) {
  const TypeInfo& type = step.variant->type[0];
  uint64_t words[2] = {context.read(from, lane), 0};
  if (type.bits > 64 && from.kind == Value::Kind::kRegister)
    words[1] = context.read_word(from, lane, 1);
  std::memcpy(to, words, static_cast<size_t>(type.bits) / 8);
}

Outcome run_load(Context& context, const Step& step) {
  const Shape shape = shape_of(step);
  PerLane<SpaceAddress> places;
  for_each_lane(context.lanes, [&](int lane) {
    if (context.failed()) return;
    const SpaceAddress at = context.address(step.operands[1], step.spelling().space(), lane);
    places[static_cast<size_t>(lane)] = at;
    const std::byte* bytes = context.bytes(at, shape.total, lane, Access::kRead);
    if (bytes == nullptr || step.dropped) return;
    std::byte copy[64];  // a destination may be the address register itself
    std::memcpy(copy, bytes, shape.total);
    const auto elements = context.elements(step.operands[0]);
    for (size_t i = 0; i < elements.size(); ++i)
      load_element(context, step, elements[i], lane, copy + i * shape.element);
  });
  if (!context.failed()) record_spaces(context, step, places, shape.total);
  return Outcome::kNext;
}

Outcome run_store(Context& context, const Step& step) {
  const Shape shape = shape_of(step);
  PerLane<SpaceAddress> places;
  for_each_lane(context.lanes, [&](int lane) {
    if (context.failed()) return;
    const SpaceAddress at = context.address(step.operands[0], step.spelling().space(), lane);
    places[static_cast<size_t>(lane)] = at;
    if (at.space == Space::kConst || (at.space == Space::kParam && at.offset < kStackParam)) {
      context.fault(step, lane, "write to read-only memory", "read-only-write");
      return;
    }
    std::byte* bytes = context.bytes(at, shape.total, lane, Access::kWrite);
    if (bytes == nullptr || step.dropped) return;
    const auto elements = context.elements(step.operands[1]);
    for (size_t i = 0; i < elements.size(); ++i)
      store_element(context, step, elements[i], lane, bytes + i * shape.element);
  });
  if (!context.failed()) record_spaces(context, step, places, shape.total);
  return Outcome::kNext;
}

// Fences order nothing here; prefetches and priorities move no value. A prefetch of a bad address
// is not an error on hardware. Who sleeps waits for nothing: warps take turns anyway, and lanes
// that spin are known by what they poll.
Outcome run_nothing(Context&, const Step&) { return Outcome::kNext; }

}  // namespace

Execute find_memory(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kLd, run_load},           {Op::kLdu, run_load},
      {Op::kSt, run_store},          {Op::kPrefetch, run_nothing},
      {Op::kPrefetchu, run_nothing}, {Op::kApplypriority, run_nothing},
      {Op::kDiscard, run_nothing},   {Op::kMembar, run_nothing},
      {Op::kFence, run_nothing},     {Op::kFenceProxy, run_nothing},
      {Op::kNanosleep, run_nothing}, {Op::kPmevent, run_nothing},
  };
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
