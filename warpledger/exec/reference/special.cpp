#include "warpledger/exec/reference/special.h"

#include <fmt/format.h>

#include "warpledger/exec/reference/engine.h"

namespace warpledger::exec::reference {

using ptx::SpecialRegister;

Extent thread_index(const Extent& block, const Warp& warp, int lane) {
  const uint32_t linear = warp.index * kWarpSize + static_cast<uint32_t>(lane);
  return {linear % block[0], linear / block[0] % block[1], linear / block[0] / block[1]};
}

uint64_t read_special(const Context& context, const Value& value, int lane) {
  const exec::Launch& launch = context.engine.request();
  const size_t axis = value.component;
  const auto three = [axis](const Extent& extent) { return axis < 3 ? extent[axis] : 0u; };
  const uint32_t one = 1u << lane;
  const uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  const uint64_t clock = context.warp.steps;
  const Extent& cluster = context.engine.cluster_extent();
  switch (static_cast<SpecialRegister>(value.slot)) {
    case SpecialRegister::kTid:
      return three(thread_index(launch.block, context.warp, lane));
    case SpecialRegister::kNtid:
      return three(launch.block);
    case SpecialRegister::kLaneid:
      return static_cast<uint64_t>(lane);
    case SpecialRegister::kWarpid:
      return context.warp.index;
    case SpecialRegister::kNwarpid:
      return (threads + kWarpSize - 1) / kWarpSize;
    case SpecialRegister::kCtaid:
      return three(context.cta.index);
    case SpecialRegister::kNctaid:
      return three(launch.grid);
    case SpecialRegister::kClusterid:
      return axis < 3 ? context.cta.index[axis] / cluster[axis] : 0;
    case SpecialRegister::kNclusterid:
      return axis < 3 ? launch.grid[axis] / cluster[axis] : 0;
    case SpecialRegister::kClusterCtaid:
      return axis < 3 ? context.cta.index[axis] % cluster[axis] : 0;
    case SpecialRegister::kClusterNctaid:
      return three(cluster);
    case SpecialRegister::kClusterCtarank:
      return context.cta.rank;
    case SpecialRegister::kClusterNctarank:
      return context.engine.cluster_size();
    case SpecialRegister::kIsExplicitCluster:
      return context.engine.cluster_size() > 1 ? 1 : 0;
    case SpecialRegister::kSmid:
      return context.cta.slot;
    case SpecialRegister::kNsmid:
      return context.engine.slots();
    case SpecialRegister::kLanemaskEq:
      return one;
    case SpecialRegister::kLanemaskLt:
      return one - 1;
    case SpecialRegister::kLanemaskLe:
      return (one - 1) | one;
    case SpecialRegister::kLanemaskGt:
      return ~((one - 1) | one);
    case SpecialRegister::kLanemaskGe:
      return ~(one - 1);
    case SpecialRegister::kClock:
      return clock & 0xffffffff;
    case SpecialRegister::kClockHi:
      return clock >> 32;
    case SpecialRegister::kClock64:
      return clock;
    case SpecialRegister::kGlobaltimer:
      return context.engine.statistics().warp_instructions;
    case SpecialRegister::kGlobaltimerLo:
      return context.engine.statistics().warp_instructions & 0xffffffff;
    case SpecialRegister::kGlobaltimerHi:
      return context.engine.statistics().warp_instructions >> 32;
    case SpecialRegister::kTotalSmemSize:
    case SpecialRegister::kAggrSmemSize:
      return context.cta.shared.size();
    case SpecialRegister::kDynamicSmemSize:
      return launch.dynamic_shared_bytes;
    case SpecialRegister::kEnvreg:  // 1 and 2: the workspace's halves
      return value.value == 1   ? launch.grid_workspace >> 32
             : value.value == 2 ? launch.grid_workspace & 0xffffffff
                                : 0;
    default:
      return 0;  // other %envreg, %pm, cluster ranks and reserved shared memory: none here
  }
}

std::string source_line(const ptx::Module& module, const ptx::Function& function,
                        const ptx::Instruction& instruction) {
  const ptx::SourceLocation* location = function.location_of(instruction);
  if (location == nullptr) return {};
  return fmt::format("{}:{}", module.file_name(location->at.file), location->at.line);
}

Diagnostic describe_fault(const Context& context, const Step& step, int lane, std::string message,
                          std::string code, std::string hint) {
  const ptx::Module& module = context.engine.image().module();
  const Extent thread = thread_index(context.engine.request().block, context.warp, lane);
  const Extent& block = context.cta.index;
  const ptx::Function& function = *context.frame().code->function;
  const std::string line = source_line(module, function, *step.instruction);
  message += fmt::format(", in kernel '{}', block ({},{},{}), thread ({},{},{})",
                         context.engine.program().kernel->name, block[0], block[1], block[2],
                         thread[0], thread[1], thread[2]);
  if (!line.empty()) message += ", source line " + line;
  return {.message = std::move(message),
          .hint = std::move(hint),
          .code = std::move(code),
          .at = module.source->locate(step.instruction->span)};
}

}  // namespace warpledger::exec::reference
