#include "cli/options/sampling_options.h"

namespace warpledger::cli {

void add_sampling_options(Command& command, SamplingFlags& flags) {
  command
      .add_option("--threads", flags.threads,
                  "as many as this at once, all processors by default; the answer is the same")
      ->between(1, 1024);
  command
      .add_option("--budget", flags.sampling.budget_seconds,
                  "seconds of one thread that an exact run may take, as estimated; beyond that a "
                  "part of the grid stands for all of it")
      ->not_negative()
      ->capture_default_str();
  command.add_flag("--exact", flags.sampling.exact, "run every block, whatever it costs");
}

}  // namespace warpledger::cli
