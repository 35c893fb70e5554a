// Calls: arguments into the callee's frame, results back, indirect targets.
#include <fmt/core.h>

#include <cstring>

#include "warpledger/exec/interpreter/converge.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::reference {
namespace {

std::byte* stack_at(const Context& context, int lane, uint64_t offset) {
  return context.warp.stack[static_cast<size_t>(lane)].data() + offset;
}

// A parameter or result as the callee sees it: in its frame, or in a register.
struct Formal {
  const ptx::Variable* variable;
  uint64_t offset;  // in the stack
};

Formal formal(const Context& context, uint32_t variable, uint64_t frame_base) {
  const auto& places = context.engine.program().layout.places;
  const auto found = places.find(variable);
  return {&context.engine.image().module().variables[variable],
          frame_base + (found == places.end() ? 0 : found->second.offset)};
}

void set_register(const Context& callee, uint32_t reg, int lane, uint64_t bits) {
  const uint32_t slot = callee.frame().code->slot_of[reg];
  callee.frame().registers[slot * kWarpSize + static_cast<uint32_t>(lane)] = bits;
}

void pass(const Context& caller, const Context& callee, const Value& argument, const Formal& to,
          int lane) {
  uint64_t size = to.variable->bytes();
  if (to.variable->space == ptx::Space::kRegister) {
    uint64_t bits = 0;
    read_argument(caller, argument, lane, &bits,
                  std::min<uint64_t>(std::max<uint64_t>(size, 1), 8));
    return set_register(callee, to.variable->reg, lane, bits);
  }
  std::vector<std::byte> bytes(size);
  read_argument(caller, argument, lane, bytes.data(), size);
  std::memcpy(stack_at(callee, lane, to.offset), bytes.data(), size);
}

// The callee of each lane: a function of the module, by index, or nothing.
std::optional<uint32_t> callee_of(const Context& context, const Step& step, int lane) {
  return context.engine.image().function_at(context.read(step.operands[1], lane));
}

Outcome call_function(Context& context, const Step& step, const Code& code, Lanes lanes) {
  const Limits& limits = context.engine.limits();
  Warp& warp = context.warp;
  const uint64_t base = context.frame().frame_base + context.frame().code->frame_bytes;
  const uint32_t depth = context.frame().depth + 1;
  if (depth > limits.call_depth || base + code.frame_bytes > limits.stack_bytes) {
    context.fault(step, __builtin_ctz(lanes),
                  fmt::format("calls nested too deep at '{}': {} calls, {} bytes of stack",
                              code.function->name, depth, base + code.frame_bytes),
                  "stack-overflow", "this may be infinite recursion");
    return Outcome::kStay;
  }
  const auto index = static_cast<uint32_t>(warp.activations.size());
  warp.activations.push_back(
      {.code = &code,
       .caller = context.activation,
       .call = &step,
       .frame_base = base,
       .depth = depth,
       .registers = std::vector<uint64_t>(size_t{code.slots} * kWarpSize, 0)});
  Context callee = context;
  callee.activation = index;
  const auto arguments = context.children(step.operands[2]);
  const auto& params = code.function->signature.params;
  for_each_lane(lanes, [&](int lane) {
    auto& stack = warp.stack[static_cast<size_t>(lane)];
    if (stack.size() < base + code.frame_bytes) stack.resize(base + code.frame_bytes);
    for (size_t i = 0; i < params.size() && i < arguments.size(); ++i) {
      pass(context, callee, arguments[i], formal(context, params[i], base), lane);
    }
  });
  enter(context, lanes, index);
  return Outcome::kMoved;
}

// The lanes that call `same` go on here; the others call theirs afterwards, and all meet behind.
void split_by_callee(Context& context, Lanes same) {
  Warp& warp = context.warp;
  const Fragment before = context.here();
  const auto join = static_cast<uint32_t>(warp.joins.size());
  warp.joins.push_back({.activation = before.activation,
                        .pc = before.pc + 1,
                        .parent = before.join,
                        .expected = before.lanes});
  Fragment others = before;
  others.lanes = before.lanes & ~same;
  others.join = join;
  warp.fragments[context.fragment].lanes = same;
  warp.fragments[context.fragment].join = join;
  warp.fragments.insert(warp.fragments.begin() + context.fragment, others);
  ++context.fragment;
}

}  // namespace

void read_argument(const Context& context, const Value& value, int lane, void* bytes,
                   uint64_t size) {
  if (value.kind == Value::Kind::kFrame) {  // a .param variable of the caller
    std::memcpy(bytes, stack_at(context, lane, context.frame().frame_base + value.value), size);
    return;
  }
  const uint64_t bits = context.read(value, lane);
  std::memset(bytes, 0, size);
  std::memcpy(bytes, &bits, std::min<uint64_t>(size, sizeof bits));
}

void write_result(const Context& context, const Value& value, int lane, const void* bytes,
                  uint64_t size) {
  if (value.kind == Value::Kind::kFrame) {
    std::memcpy(stack_at(context, lane, context.frame().frame_base + value.value), bytes, size);
    return;
  }
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, std::min<uint64_t>(size, sizeof bits));
  context.write(value, lane, bits);
}

void copy_results(const Context& context, Lanes lanes) {
  const Activation& callee = context.frame();
  if (callee.call == nullptr) return;
  Context caller = context;
  caller.activation = callee.caller;
  const auto into = caller.children(callee.call->operands[0]);
  const auto& results = callee.code->function->signature.results;
  for_each_lane(lanes, [&](int lane) {
    for (size_t i = 0; i < results.size() && i < into.size(); ++i) {
      const Formal from = formal(context, results[i], callee.frame_base);
      if (from.variable->space == ptx::Space::kRegister) {
        const uint32_t slot = callee.code->slot_of[from.variable->reg];
        const uint64_t bits = callee.registers[slot * kWarpSize + static_cast<uint32_t>(lane)];
        write_result(caller, into[i], lane, &bits, sizeof bits);
      } else {
        write_result(caller, into[i], lane, stack_at(context, lane, from.offset),
                     from.variable->bytes());
      }
    }
  });
}

namespace {

/// A function without a definition. CUDA's device runtime is in libcudadevrt as machine code only.
void refuse_call(const Context& context, const Step& step, int lane, std::string_view name) {
  if (name.starts_with("__cudaCDP") || name.starts_with("cudaGetParameterBuffer") ||
      name.starts_with("cudaLaunchDevice")) {
    context.fault(
        step, lane,
        fmt::format("'{}': kernels that launch kernels (CUDA dynamic parallelism) are not "
                    "supported",
                    name),
        "dynamic-parallelism", "launch from the host; see docs/limits.md");
  } else {
    context.fault(step, lane, fmt::format("function '{}' has no body in this module", name),
                  "undefined-function", "link the modules first");
  }
}

}  // namespace

Outcome run_call(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  const ptx::Module& module = context.engine.image().module();
  const int first = __builtin_ctz(context.lanes);
  const auto target = callee_of(context, step, first);
  if (!target) {
    context.fault(step, first,
                  fmt::format("call of {:#x}, which is not a function",
                              context.read(step.operands[1], first)),
                  "bad-call");
    return Outcome::kStay;
  }
  Lanes same = 0;
  for_each_lane(context.lanes, [&](int lane) {
    if (callee_of(context, step, lane) == target) same |= 1u << lane;
  });
  if (same != context.lanes) {
    split_by_callee(context, same);
    context.lanes = same;
  }
  if (const Code* code = context.engine.program().find(*target);
      code != nullptr && code->function->has_body) {
    return call_function(context, step, *code, context.lanes);
  }
  const std::string_view name = module.functions[*target].name;
  if (run_builtin(context, step, name)) return context.failed() ? Outcome::kStay : Outcome::kNext;
  refuse_call(context, step, first, name);
  return Outcome::kStay;
}

}  // namespace warpledger::exec::reference
