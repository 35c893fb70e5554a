#include "warpledger/profile/run/wait_states.h"

#include <fmt/format.h>

#include <algorithm>

#include "warpledger/profile/time/warp_states.h"

namespace warpledger::profile {
namespace {

bool copies_out_of_shared(const Instruction& instruction) {
  const trace::Kind kind = instruction.site.kind;
  return kind == trace::Kind::kBulkStore || kind == trace::Kind::kBulkReduction;
}

/// What takes no time in the simulated SM although warps wait for it (docs/warp-states.md).
std::string left_out(const Profile& profile, const time::WarpStates& made) {
  const auto has = [&](const char* opcode) { return profile.machine->opcodes.contains(opcode); };
  std::vector<std::string> left;
  if (has("SYNCS") && !made.has_paths) left.emplace_back("mbarriers");
  if (std::any_of(profile.instructions.begin(), profile.instructions.end(), copies_out_of_shared))
    left.emplace_back("bulk copies out of shared memory");
  if (has("LDTM") || has("STTM")) left.emplace_back("the bandwidth of tensor memory");
  if (made.endless > 0)
    left.push_back(fmt::format("{} mbarriers whose phase never ended there", made.endless));
  return fmt::format("{}", fmt::join(left, ", "));
}

}  // namespace

void describe_states(const sass::KernelWitness* kernel, const std::optional<sm::Paths>& paths,
                     Profile& profile) {
  if (kernel == nullptr) {
    profile.no_states = "no machine code: " + profile.no_machine;
    return;
  }
  auto made = time::warp_states({profile, profile.counters}, *kernel, paths);
  if (!made) {
    profile.no_states = "the GPU's file has no latencies";
    return;
  }
  if (profile.machine) profile.no_states = left_out(profile, *made);
  profile.states = std::move(made->states);
  profile.awaited = std::move(made->awaited);
}

}  // namespace warpledger::profile
