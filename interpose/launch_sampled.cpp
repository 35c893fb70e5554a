// Launches whose blocks would take long in the models: some of the blocks go through them, without
// values, and memory is as it was; the program gets its values from a bare run of the whole grid.
#include "interpose/core.h"
#include "interpose/launch_size.h"
#include "warpledger/profile/sampling/census.h"
#include "warpledger/profile/sampling/sampling.h"
#include "warpledger/ptx/module.h"

namespace warpledger::cuda {
namespace {

/// What a launch without loops and calls costs in the models, in seconds, at the most.
double straight_seconds(const LaunchRequest& request) {
  const size_t instructions = request.kernel->function->instructions.size();
  return static_cast<double>(warps_of(request) * instructions) * profile::kSecondsPerAccess;
}

}  // namespace

// Before anything is compiled for it: what a census would find too cheap is told here where it can.
bool Core::is_worth_sampling(const LaunchRequest& request) {
  const Kernel& kernel = *request.kernel;
  const uint64_t blocks = volume(request.grid);
  if (settings_.sampling.exact || settings_.check_races || request.is_cooperative) return false;
  if (blocks <= kernel.unsampled_blocks || is_small(request)) return false;
  // Poison is a benchmark's; lent mappings hold other things of the program.
  if (!memory_.device().poison().empty() || !memory_.can_begin_again()) return false;
  if (kernel.is_straight && straight_seconds(request) <= settings_.sampling.max_seconds)
    return false;
  const auto threads = static_cast<int64_t>(volume(request.block));
  const Result<Occupancy> fits = occupancy(*request.kernel, threads, request.dynamic_shared_bytes);
  if (!fits) return false;
  const auto wave = static_cast<uint64_t>(fits->blocks_per_sm * gpu_.sms.value);
  return profile::may_sample(blocks, wave, settings_.sampling);
}

std::optional<profile::Profile> Core::make_sample(const LaunchRequest& request, uint64_t workspace,
                                                  const profile::Request& asked) {
  if (!is_worth_sampling(request)) return {};
  profile::Placed placed = place(request, workspace);
  placed.discards = placed.only_sampled = true;
  placed.reads_memory = false;  // nobody asks what it would have written
  profile::Request sampled = asked;
  sampled.placed = &placed;
  sampled.engine.values = exec::Values::kOff;
  Result<profile::Profile> made = profile::run(sampled);
  memory_.device().poison() = {};           // the bare run computes it
  static_cast<void>(bad_accesses_.take());  // and says these
  if (made) return *std::move(made);
  if (settings_.verbose) say("not sampled: " + made.error().message);
  // A fault is the whole launch's to meet, with values.
  if (placed.needs_all_blocks) request.kernel->unsampled_blocks = volume(request.grid);
  return {};
}

}  // namespace warpledger::cuda
