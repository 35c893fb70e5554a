#include "warpledger/exec/interpreter/context.h"

#include <fmt/core.h>

#include <cstring>

#include "warpledger/exec/decode/bad_accesses.h"
#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/shared_use.h"
#include "warpledger/exec/interpreter/special.h"
#include "warpledger/exec/numeric/integer.h"

namespace warpledger::exec::reference {

using ptx::Space;

uint64_t Context::read(const Value& value, int lane) const {
  switch (value.kind) {
    case Value::Kind::kRegister: {
      const uint64_t bits = read_word(value, lane, 0);
      return value.negated && value.bits == 1 ? bits ^ 1 : bits;
    }
    case Value::Kind::kImmediate:
      return value.space == Space::kShared ? value.value + rank_bits(engine, cta) : value.value;
    case Value::Kind::kSpecial:
      return read_special(*this, value, lane);
    case Value::Kind::kFrame:
      return frame().frame_base + value.value + (value.space == Space::kParam ? kStackParam : 0);
    case Value::Kind::kLabel:
      return value.value;
    default:
      return 0;
  }
}

uint64_t Context::read_word(const Value& value, int lane, uint32_t word) const {
  return frame().registers[(value.slot + word) * kWarpSize + static_cast<uint32_t>(lane)];
}

void Context::write(const Value& value, int lane, uint64_t bits) const {
  if (value.kind != Value::Kind::kRegister) return;
  write_word(value, lane, 0, bits & numeric::mask_of(value.bits));
}

void Context::write_word(const Value& value, int lane, uint32_t word, uint64_t bits) const {
  frame().registers[(value.slot + word) * kWarpSize + static_cast<uint32_t>(lane)] = bits;
}

std::span<const Value> Context::children(const Value& list) const {
  return std::span(frame().code->values).subspan(list.slot, list.count);
}

std::span<const Value> Context::elements(const Value& value) const {
  return value.kind == Value::Kind::kList ? children(value) : std::span(&value, 1);
}

SpaceAddress Context::address(const Value& value, Space space, int lane) const {
  SpaceAddress at{space, value.value};
  if (value.kind == Value::Kind::kIndirect) {
    at.offset += read_word(value, lane, 0);
    if (value.bits == 32) at.offset &= 0xffffffff;
  } else if (value.kind == Value::Kind::kInFrame) {
    at.offset += frame().frame_base;
    if (value.space == Space::kParam) at.offset += kStackParam;
  }
  // [variable] is the variable itself, in a generic access too.
  const bool named = value.kind != Value::Kind::kIndirect && value.space != Space::kGeneric;
  if (named) return {space == Space::kGeneric ? value.space : space, at.offset};
  return placed(space == Space::kGeneric ? from_generic(at.offset) : at);
}

bool Context::failed() const { return engine.fault(cta).has_value(); }

namespace {

std::byte* within(std::vector<std::byte>& bytes, uint64_t offset, uint64_t size) {
  const bool fits = size <= bytes.size() && offset <= bytes.size() - size;
  return fits ? bytes.data() + offset : nullptr;
}

// A device function's parameter, or the kernel's, which is read-only.
std::byte* param_bytes(const Context& context, uint64_t offset, uint64_t size, int lane) {
  if (offset >= kStackParam)
    return within(context.warp.stack[static_cast<size_t>(lane)], offset - kStackParam, size);
  return within(context.engine.params(), offset, size);
}

std::byte* host_bytes(const Context& context, const SpaceAddress& at, uint64_t size, int lane) {
  switch (at.space) {
    case Space::kShared:
      return within(context.cta.shared, at.offset, size);
    case Space::kSharedCluster: {
      Cta* owner = owner_of(context.engine, context.cta, at.offset);
      return owner == nullptr ? nullptr : within(owner->shared, offset_in_cta(at.offset), size);
    }
    case Space::kLocal:
      return within(context.warp.stack[static_cast<size_t>(lane)], at.offset, size);
    case Space::kConst:
      return within(context.engine.image().constants(), at.offset, size);
    case Space::kParam:
      return param_bytes(context, at.offset, size, lane);
    default:
      return context.engine.image().memory().find(at.offset, size);
  }
}

std::string explained(const Context& context, const SpaceAddress& at, uint64_t size, int lane) {
  const auto window = [&](const char* what, size_t bytes) {
    return fmt::format("{} has {} bytes", what, bytes);
  };
  switch (at.space) {
    case Space::kShared:
      return window("the block's shared memory", context.cta.shared.size());
    case Space::kSharedCluster:
      if (owner_of(context.engine, context.cta, at.offset) == nullptr)
        return fmt::format("block {} of the cluster has exited or does not exist", at.offset >> 24);
      return window("the block's shared memory", context.cta.shared.size());
    case Space::kLocal:
      return window("the thread's stack", context.warp.stack[static_cast<size_t>(lane)].size());
    case Space::kConst:
      return window("the constant bank", context.engine.image().constants().size());
    case Space::kParam:
      return window("the parameter space", context.engine.request().params.size());
    default:
      return context.engine.image().memory().explain(at.offset, size);
  }
}

// What a bad access reads from or writes to if the launch continues.
constexpr uint64_t kMostBytes = 64;  // of one lane's access
std::byte* nowhere(Access access) {
  alignas(kMostBytes) static thread_local std::byte zeros[kMostBytes], sink[kMostBytes];
  if (access == Access::kRead) return zeros;
  std::memset(sink, 0, sizeof sink);
  return sink;
}

/// Over the grid; blocks are at most 1,024 threads large.
uint64_t thread_of(const Context& context, int lane) {
  constexpr uint64_t kWarp = 32, kBlock = 1024;
  return context.cta.id * kBlock + context.warp.index * kWarp + static_cast<uint64_t>(lane);
}

const char* verb(Access access) {
  return access == Access::kRead ? "read" : access == Access::kWrite ? "write" : "atomic";
}

}  // namespace

std::byte* Context::bytes(const SpaceAddress& at, uint64_t size, int lane, Access access) const {
  const Step& step = frame().code->steps[here().pc];
  const uint64_t alignment = std::min<uint64_t>(size, 32);
  if (at.offset % alignment != 0) {
    fault(step, lane,
          fmt::format("misaligned {} {} of {} bytes at {:#x}", ptx::to_text(at.space), verb(access),
                      size, at.offset),
          "misaligned-access", fmt::format("the address must be a multiple of {}", alignment));
    return nullptr;
  }
  std::byte* host = host_bytes(*this, at, size, lane);
  if (host == nullptr) {
    BadAccesses* going_on = size <= kMostBytes ? engine.limits().bad_accesses : nullptr;
    const uint64_t thread = thread_of(*this, lane);
    if (going_on != nullptr && !going_on->count(step.instruction, thread)) return nowhere(access);
    const std::string why = explained(*this, at, size, lane);
    const std::string code =
        why.find("freed") != std::string::npos ? "use-after-free" : "out-of-bounds";
    std::string message = fmt::format("{} {} {} of {} bytes at {:#x}: {}", code,
                                      ptx::to_text(at.space), verb(access), size, at.offset, why);
    if (going_on == nullptr) return fault(step, lane, std::move(message), code), nullptr;
    going_on->describe(step.instruction, thread,
                       describe_fault(*this, step, lane, std::move(message), code, {}));
    return nowhere(access);
  } else if (access != Access::kRead && is_shared(at.space) && !note_write(*this, at, size, lane)) {
    return nullptr;
  } else if (access != Access::kWrite && at.space == Space::kShared && !step.dropped &&
             !has_values(engine, cta, at.offset, size)) {
    fault_for_values(step, lane);
    return nullptr;
  } else if (at.space == Space::kGlobal && !watch(at.offset, size, lane, access)) {
    return nullptr;
  }
  return host;
}

bool Context::watch(uint64_t address, uint64_t size, int lane, Access access) const {
  ValueWatch* watched = engine.watching();
  if (watched == nullptr) return true;
  const Step& step = frame().code->steps[here().pc];
  const bool reads = access != Access::kWrite, writes = access != Access::kRead;
  bool fine = true;
  if (step.dropped) {
    fine = !writes || watched->drops_write(address, size);
  } else {
    fine = !reads || watched->keeps_read(address, size);
    if (fine && writes) watched->keeps_write(address, size);
  }
  if (!fine) fault_for_values(step, lane);
  return fine;
}

void Context::fault(const Step& step, int lane, std::string message, std::string code,
                    std::string hint, Fallback fallback) const {
  Diagnostic made =
      describe_fault(*this, step, lane, std::move(message), std::move(code), std::move(hint));
  made.fallback = fallback;
  engine.set_fault(cta, std::move(made));
}

void Context::fault_for_values(const Step& step, int lane) const {
  fault(step, lane, "this needs values that an address-only launch did not compute", kValuesNeeded,
        {}, Fallback::kValues);
}

}  // namespace warpledger::exec::reference
