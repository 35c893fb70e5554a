#include "cli/options/sampling_options.h"

#include "warpledger/profile/sampling/quick.h"

namespace warpledger::cli {

void add_sampling_options(Command& command, SamplingFlags& flags) {
  command
      .add_option("--threads", flags.threads,
                  "number of threads (default: all processors); does not change the result")
      ->between(1, 1024);
  command
      .add_option("--max-seconds", flags.sampling.max_seconds,
                  "sample the grid if an exact run is estimated to take more than this many "
                  "seconds of one thread")
      ->not_negative()
      ->capture_default_str();
  // The name before 0.1.
  command.add_option("--budget", flags.sampling.max_seconds, "--max-seconds")
      ->not_negative()
      ->group("");
  command.add_flag("--exact", flags.sampling.exact, "run every block; never sample");
  command.add_flag("--quick", flags.quick,
                   "sample two waves of the grid: enough to rank configurations");
}

profile::SamplingOptions sampling_of(const SamplingFlags& flags) {
  return flags.quick && !flags.sampling.exact ? profile::kQuickSampling : flags.sampling;
}

}  // namespace warpledger::cli
