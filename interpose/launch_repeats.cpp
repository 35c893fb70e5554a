// Launches that need a profile or a duration: through the models, or shared with a modeled launch.
#include "interpose/core.h"
#include "warpledger/exec/memory/snapshot.h"

namespace warpledger::cuda {
namespace {

// Memory is held, to begin a launch again from or to compare with, where the copy takes no longer
// than the launch: a warp instruction of compiled code takes as long as some bytes.
constexpr uint64_t kKeptBytes = uint64_t{4} << 20, kBytesPerInstruction = 8;

}  // namespace

Core::Shape Core::shape_of(const LaunchRequest& request) {
  return {request.kernel,
          request.grid,
          request.block,
          request.cluster,
          request.dynamic_shared_bytes,
          request.is_cooperative,
          request.kernel->cache_preference,
          request.kernel->carveout_percent};
}

bool Core::is_fixed(const LaunchRequest& request, uint64_t workspace) const {
  std::optional<bool>& known = request.kernel->is_fixed;
  if (!known) {
    known = exec::is_fixed_by_parameters(request.kernel->module->image(),
                                         {.kernel = request.kernel->name,
                                          .grid = request.grid,
                                          .block = request.block,
                                          .cluster = request.cluster,
                                          .dynamic_shared_bytes = request.dynamic_shared_bytes,
                                          .params = request.params,
                                          .grid_workspace = workspace});
  }
  return *known;
}

Core::Outcome Core::run_asked(const LaunchRequest& request, uint64_t workspace, bool report) {
  // -c chooses launches by their numbers: each of them is wanted.
  const bool each = settings_.all_launches || settings_.selection.count.has_value();
  if (report && each) return run_modeled(request, workspace, true, nullptr);
  LaunchGroup& group = groups_[shape_of(request)];
  const auto [way, same] = group.next(request.params, is_fixed(request, workspace), report);
  if (way == LaunchGroup::Way::kModel) return run_modeled(request, workspace, report, &group);
  if (way == LaunchGroup::Way::kCount) return run_counted(request, workspace, report, group);
  return stand_in(run_proven(request, workspace, *same, group), *same, report, group);
}

bool Core::is_worth_holding(const ModeledLaunch& launch) const {
  const uint64_t most = kKeptBytes + kBytesPerInstruction * launch.counts.warp_instructions;
  return memory_.can_begin_again() && memory_.bytes_in_use() <= most;
}

// Its instructions and addresses are those of `same`: what it writes follows from memory.
Core::Outcome Core::run_proven(const LaunchRequest& request, uint64_t workspace,
                               const ModeledLaunch& same, LaunchGroup& group) {
  if (!group.may_leave_memory() || !is_worth_holding(same)) return run_bare(request, workspace);
  if (fixed_point_.begin(group, request.params)) return {};
  Outcome outcome = run_bare(request, workspace);
  if (outcome.fault) return outcome;
  const bool is_silent = outcome.output.empty();
  group.note_memory(is_silent && fixed_point_.end(group, request.params));
  return outcome;
}

Core::Outcome Core::run_counted(const LaunchRequest& request, uint64_t workspace, bool report,
                                LaunchGroup& group) {
  const ModeledLaunch& any = *group.nearest({}, report);
  std::optional<exec::MemorySnapshot> before;
  if (is_worth_holding(any)) before.emplace(memory_.device());
  Outcome outcome = run_bare(request, workspace, true);
  if (outcome.fault || !outcome.counts) return outcome;
  if (const ModeledLaunch* same = group.find(request.params, *outcome.counts, report))
    return stand_in(std::move(outcome), *same, report, group);
  if (group.is_worth_modeling(*outcome.counts, report)) {
    if (before) {
      before->restore();
      return run_modeled(request, workspace, report, &group);
    }
    group.miss();
  }
  const ModeledLaunch& like = *group.nearest(*outcome.counts, report);
  return stand_in(std::move(outcome), like, report, group);
}

// A launch that only ran is taken for `like`. Other counts: its duration is in proportion.
Core::Outcome Core::stand_in(Outcome outcome, const ModeledLaunch& like, bool report,
                             LaunchGroup& group) {
  if (outcome.fault) return outcome;
  using Way = ReportWriter::Way;
  const bool unlike = outcome.counts && *outcome.counts != like.counts;
  outcome.seconds = like.seconds;
  outcome.profile = like.profile;
  if (unlike && like.counts.warp_instructions > 0) {
    *outcome.seconds *= static_cast<double>(outcome.counts->warp_instructions) /
                        static_cast<double>(like.counts.warp_instructions);
  }
  if (report)
    report_.add_launch(like.profile, filter_.wanted() - 1, unlike ? Way::kUnlike : Way::kSame);
  group.count();
  return outcome;
}

}  // namespace warpledger::cuda
