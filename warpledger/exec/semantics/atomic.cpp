#include "warpledger/exec/semantics/atomic.h"

#include <cstring>

#include "warpledger/exec/semantics/combine.h"
#include "warpledger/exec/semantics/pure.h"

namespace warpledger::exec {
namespace {

using ptx::Modifier;

// inc and dec wrap around at b.
uint64_t updated(const TypeInfo& type, const Combination& how, uint64_t a, uint64_t b) {
  if (how.operation == Modifier::kInc) return a >= b ? 0 : a + 1;
  if (how.operation == Modifier::kDec) return a == 0 || a > b ? b : a - 1;
  return combine(type, how, a, b);
}

}  // namespace

uint64_t atomic_update(const Variant& variant, uint64_t old, uint64_t b, uint64_t c, bool flush) {
  const TypeInfo& type = variant.type[0];
  if (variant.has(Modifier::kCas)) return old == (b & type.mask()) ? c : old;
  if (variant.has(Modifier::kExch)) return b;
  const Modifier named = variant.get(ptx::Slot::kOperation);
  return atomic_update(type, named == Modifier::kNone ? Modifier::kAdd : named, old, b, flush);
}

uint64_t atomic_update(const TypeInfo& type, ptx::Modifier operation, uint64_t old, uint64_t b,
                       bool flush) {
  const Combination how{.operation = operation, .ftz = flush && type.format == numeric::kF32};
  const Inputs in{.value = {old, b & type.mask()}};
  return each_element(type, in,
                      [&](uint64_t x, uint64_t y, uint64_t) { return updated(type, how, x, y); });
}

void reduce_bytes(const TypeInfo& type, ptx::Modifier operation, std::byte* to,
                  const std::byte* from, uint64_t bytes) {
  const auto size = static_cast<uint64_t>(type.bits) / 8;
  for (uint64_t at = 0; at < bytes; at += size) {
    uint64_t old = 0, value = 0;
    std::memcpy(&old, to + at, size);
    std::memcpy(&value, from + at, size);
    old = atomic_update(type, operation, old, value, true);
    std::memcpy(to + at, &old, size);
  }
}

}  // namespace warpledger::exec
