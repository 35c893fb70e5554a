// The options of `profile` that are part of its question (profile/run/query.h), and so may stand in
// a budget of `check` too: the kernel and its launch, the GPU, how the launch is run and modeled.
#pragma once

#include "cli/options/kernel_options.h"
#include "cli/options/sampling_options.h"

namespace warpledger::cli {

struct QueryFlags {
  KernelOptions kernel;
  std::string name_base = "function";
  std::string gpu, cache_control = "all", prefer = "none";
  bool no_sass = false, no_isolation = false;
  profile::QueryOptions options;  // what needs no parsing is written here directly
  SamplingFlags sampling;
};

void add_query_options(Command& command, QueryFlags& flags);

[[nodiscard]] profile::Query query_of(const QueryFlags& flags);

/// Seconds that a launch of a budget may take where nobody says otherwise: nobody watches it.
inline constexpr double kUnattendedSeconds = 300;

/// The question that words of a command line ask, without the word `profile`. Without --timeout it
/// has kUnattendedSeconds.
[[nodiscard]] Result<profile::Query> parse_query(std::vector<std::string> words);

}  // namespace warpledger::cli
