#include "warpledger/exec/interpreter/special.h"

#include <fmt/core.h>

#include <optional>

#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/ptx/user_line.h"

namespace warpledger::exec::reference {

using ptx::SpecialRegister;

Extent thread_index(const Extent& block, uint32_t warp, int lane) {
  const uint32_t linear = warp * kWarpSize + static_cast<uint32_t>(lane);
  return {linear % block[0], linear / block[0] % block[1], linear / block[0] / block[1]};
}

namespace {

/// The registers of three components; none for another one.
std::optional<Extent> read_extent(const Context& context, SpecialRegister which, int lane) {
  const exec::Launch& launch = context.engine.request();
  const Extent &cta = context.cta.index, &grid = launch.grid;
  const Extent& cluster = context.engine.cluster_extent();
  switch (which) {
    case SpecialRegister::kTid:
      return thread_index(launch.block, context.warp.index, lane);
    case SpecialRegister::kNtid:
      return launch.block;
    case SpecialRegister::kCtaid:
      return cta;
    case SpecialRegister::kNctaid:
      return grid;
    case SpecialRegister::kClusterid:
      return Extent{cta[0] / cluster[0], cta[1] / cluster[1], cta[2] / cluster[2]};
    case SpecialRegister::kNclusterid:
      return Extent{grid[0] / cluster[0], grid[1] / cluster[1], grid[2] / cluster[2]};
    case SpecialRegister::kClusterCtaid:
      return Extent{cta[0] % cluster[0], cta[1] % cluster[1], cta[2] % cluster[2]};
    case SpecialRegister::kClusterNctaid:
      return cluster;
    default:
      return {};
  }
}

/// %lanemask_*; none for another one.
std::optional<uint32_t> read_lane_mask(SpecialRegister which, int lane) {
  const uint32_t own = 1u << lane, below = own - 1;
  switch (which) {
    case SpecialRegister::kLanemaskEq:
      return own;
    case SpecialRegister::kLanemaskLt:
      return below;
    case SpecialRegister::kLanemaskLe:
      return below | own;
    case SpecialRegister::kLanemaskGt:
      return ~(below | own);
    case SpecialRegister::kLanemaskGe:
      return ~below;
    default:
      return {};
  }
}

/// Time is what was executed: by the warp, by the launch. None for another register.
std::optional<uint64_t> read_time(const Context& context, SpecialRegister which) {
  const uint64_t clock = context.warp.steps;
  switch (which) {
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
    default:
      return {};
  }
}

/// %envreg1 and %envreg2 are the halves of where the grid's workspace is.
uint64_t read_environment(const exec::Launch& launch, uint64_t number) {
  if (number == 1) return launch.grid_workspace >> 32;
  return number == 2 ? launch.grid_workspace & 0xffffffff : 0;
}

}  // namespace

uint64_t read_special(const Context& context, const Value& value, int lane) {
  const auto which = static_cast<SpecialRegister>(value.slot);
  if (const auto extent = read_extent(context, which, lane))
    return value.component < 3 ? (*extent)[value.component] : 0;
  if (const auto mask = read_lane_mask(which, lane)) return *mask;
  if (const auto time = read_time(context, which)) return *time;
  switch (which) {
    case SpecialRegister::kLaneid:
      return static_cast<uint64_t>(lane);
    case SpecialRegister::kWarpid:
      return context.warp.index;
    case SpecialRegister::kNwarpid:
      return context.engine.launch().warps();
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
    case SpecialRegister::kTotalSmemSize:
    case SpecialRegister::kAggrSmemSize:
      return context.cta.shared.size();
    case SpecialRegister::kDynamicSmemSize:
      return context.engine.request().dynamic_shared_bytes;
    case SpecialRegister::kEnvreg:
      return read_environment(context.engine.request(), value.value);
    default:
      return 0;  // %gridid, %pm, reserved shared memory, graphs: none here
  }
}

std::string source_line(const ptx::Module& module, const ptx::Function& function,
                        const ptx::Instruction& instruction) {
  const ptx::SourceLocation* location = function.location_of(instruction);
  if (location == nullptr) return {};
  const ptx::SourcePlace at = ptx::user_place(module, function, *location);
  return fmt::format("{}:{}", module.file_name(at.file), at.line);
}

Diagnostic describe_fault(const Context& context, const Step& step, int lane, std::string message,
                          std::string code, std::string hint) {
  const ptx::Module& module = context.engine.image().module();
  const Extent thread = thread_index(context.engine.request().block, context.warp.index, lane);
  const Extent& block = context.cta.index;
  const ptx::Function& function = context.engine.program().function_of(step);
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
