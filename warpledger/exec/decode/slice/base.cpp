#include "warpledger/exec/decode/slice/base.h"

#include <cstring>

#include "warpledger/exec/decode/operands.h"
#include "warpledger/exec/memory/address.h"

namespace warpledger::exec {
namespace {

using ptx::Op;
using ptx::Space;
using reference::Step;
using reference::Value;

uint8_t bit_of(Space space) {
  switch (space) {
    case Space::kShared:
    case Space::kSharedCluster:
      return Home::kShared;
    case Space::kLocal:
    case Space::kParam:  // of device functions: on the stack
      return Home::kLocal;
    case Space::kConst:
      return 0;
    case Space::kGlobal:
      return Home::kGlobal;
    default:
      return Home::kAnywhere;
  }
}

bool is_loaded(const Step& step) {
  const auto memory = step.spelling().opcode().memory;
  return memory != ptx::MemoryKind::kNone;
}

}  // namespace

Bases::Bases(const reference::Code& code, const Image& image, const Launch& launch)
    : code_(code), memory_(image.memory()), launch_(launch), bases_(code.slots) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Step& step : code_.steps) changed |= visit(step);
  }
}

Bases::Base Bases::join(const Base& a, const Base& b) {
  using Kind = Base::Kind;
  if (a.kind == Kind::kNone || a == b) return b;
  if (b.kind == Kind::kNone) return a;
  if (a.kind == Kind::kMany || b.kind == Kind::kMany || a.space != b.space)
    return {.kind = Kind::kMany};
  return {.kind = Kind::kOne, .space = a.space};
}

bool Bases::raise(uint32_t slot, const Base& base) {
  const Base now = join(bases_[slot], base);
  if (now == bases_[slot]) return false;
  bases_[slot] = now;
  return true;
}

Bases::Base Bases::of_variable(const Value& value) const {
  if (value.space == Space::kGeneric) return {};
  Base base{.kind = Base::Kind::kOne, .space = value.space};
  if (base.space == Space::kSharedCluster) base.space = Space::kShared;
  if (base.space == Space::kGlobal) {
    const Allocation* found = memory_.holding(value.value);
    base.object = found == nullptr ? 0 : found->address;
  }
  return base;
}

Bases::Base Bases::of(const Value& value) const {
  switch (value.kind) {
    case Value::Kind::kRegister:
      return bases_[value.slot];
    case Value::Kind::kImmediate:
    case Value::Kind::kFrame:
      return of_variable(value);
    default:
      return {};
  }
}

// A parameter that points into an allocation is a pointer; sizes and strides do not.
Bases::Base Bases::of_param(uint64_t offset) const {
  uint64_t value = 0;
  if (offset + sizeof value > launch_.params.size()) return {};
  std::memcpy(&value, launch_.params.data() + offset, sizeof value);
  const Allocation* found = memory_.holding(value);
  if (found == nullptr) return {};
  return {.kind = Base::Kind::kOne, .space = Space::kGlobal, .object = found->address};
}

Bases::Base Bases::result_of(const Step& step) const {
  Base base;
  for (size_t i = 1; i < step.operands.size(); ++i) base = join(base, of(step.operands[i]));
  const bool names_space = step.spelling().op() == Op::kCvta && base.kind == Base::Kind::kNone &&
                           !step.variant->has(ptx::Modifier::kTo);
  if (names_space) return {.kind = Base::Kind::kOne, .space = step.spelling().space()};
  return base;
}

bool Bases::visit(const Step& step) {
  const bool is_param = step.spelling().op() == Op::kLd && step.spelling().space() == Space::kParam;
  bool changed = false;
  if (is_param && step.variant->type[0].bits == 64) {
    const bool kernel = step.operands[1].kind == Value::Kind::kFixed;
    uint64_t at = step.operands[1].value;
    reference::for_each_written(code_, step, [&](uint32_t slot) {
      changed |= raise(slot, kernel ? of_param(at) : Base{.kind = Base::Kind::kMany});
      at += 8;
    });
    return changed;
  }
  if (is_loaded(step)) return false;
  const Base base = result_of(step);
  reference::for_each_written(code_, step, [&](uint32_t slot) { changed |= raise(slot, base); });
  return changed;
}

Home Bases::home_of(const Step& step, const Value& address) const {
  const Base base =
      address.kind == Value::Kind::kIndirect ? bases_[address.slot] : of_variable(address);
  const bool known = base.kind == Base::Kind::kOne;
  Home home{.spaces = bit_of(step.spelling().space())};
  if (home.spaces == Home::kAnywhere && known) home.spaces = bit_of(base.space);
  if (home.spaces == Home::kGlobal && known && base.space == Space::kGlobal)
    home.allocation = base.object;
  return home;
}

}  // namespace warpledger::exec
