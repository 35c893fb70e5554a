#include "cli/options/query_options.h"

#include <algorithm>

namespace warpledger::cli {
namespace {

/// What the kernel runs on, and what its program asked of it.
void add_machine_options(Command& command, QueryFlags& flags) {
  command.add_option("--gpu", flags.gpu,
                     "a GPU listed by 'warpledger gpus', or your own ./file.toml (default for a "
                     "program: a100-80)");
  command
      .add_option("--regs,--registers", flags.options.registers,
                  "registers per thread, instead of ptxas's")
      ->between(1, 255);
  command.add_option("--prefer", flags.prefer, "the program's cache preference: none, shared")
      ->one_of({"none", "shared"});
  command
      .add_option("--carveout", flags.options.carveout_kib,
                  "shared memory per SM requested by the program, in KiB")
      ->between(0, 1024);
}

/// How the launch is run and replayed.
void add_model_options(Command& command, QueryFlags& flags) {
  add_values_option(command, flags.kernel,
                    "compute values that no address depends on: auto, on, off");
  command
      .add_option("--cache-control", flags.cache_control,
                  "all: start with empty caches, as ncu does; none: the L2 holds what a previous "
                  "run of the same launch left")
      ->one_of({"all", "none"})
      ->capture_default_str();
  command.add_flag("--no-sass", flags.no_sass, "do not run ptxas; count PTX instructions");
  command.add_flag("--no-witness", flags.no_sass, "--no-sass")->group("");  // before 0.1
  command.add_option("--seed", flags.options.seed, "seed of the order in which SMs advance")
      ->capture_default_str();
  command.add_flag("--racecheck", flags.options.check_races,
                   "check every block for races, in global memory too (slow; default: shared "
                   "memory of up to 64 blocks)");
  add_on_error_option(command, flags.options.continue_on_error);
  command.add_flag("--band", flags.options.band,
                   "run three orders instead of one, and show how far values depend on the order");
  command
      .add_option("--timeout", flags.options.timeout_seconds,
                  "stop a launch after this many seconds (compiling included) and report where it "
                  "was; 0: no limit")
      ->not_negative();
  command.add_flag("--no-isolation", flags.no_isolation,
                   "run the kernel with your rights instead of in a sandbox");
}

}  // namespace

void add_query_options(Command& command, QueryFlags& flags) {
  add_kernel_options(command, flags.kernel, false);
  command
      .add_option("--kernel-name-base", flags.name_base,
                  "name that a -k pattern is compared with: function, demangled or mangled")
      ->one_of({"function", "demangled", "mangled"})
      ->group("As in ncu");
  add_machine_options(command, flags);
  add_model_options(command, flags);
  add_sampling_options(command, flags.sampling);
  command
      .add_option("--trace-cache", flags.options.trace_cache,
                  "print the accesses of a source line on one SM in replay order, with set, way, "
                  "hit and victim: line=FILE:NUMBER[,sm=0][,first=40]")
      ->group("Debug a number");
}

profile::Query query_of(const QueryFlags& flags) {
  profile::Query query{.what = query_of(flags.kernel), .gpu = flags.gpu, .options = flags.options};
  query.what.name_base = *profile::parse_name_base(flags.name_base);
  query.options.prefer_shared = flags.prefer == "shared";
  query.options.flush_caches = flags.cache_control == "all";
  query.options.sass = !flags.no_sass;
  query.options.engine = flags.kernel.engine;
  query.options.values = flags.kernel.values;
  query.options.limit = flags.kernel.limit;
  query.options.isolate = !flags.no_isolation;
  query.options.threads = flags.sampling.threads;
  query.options.sampling = sampling_of(flags.sampling);
  return query;
}

Result<profile::Query> parse_query(std::vector<std::string> words) {
  OptionTable table;
  QueryFlags flags;
  flags.options.timeout_seconds = kUnattendedSeconds;
  add_query_options(table.root(), flags);
  WL_TRY_STATUS(table.parse(std::move(words)));
  return query_of(flags);
}

}  // namespace warpledger::cli
