// sweep/: one question asked many times. A sweep is a grid of parameters and GPUs (sweep.h);
// studies (examples/studies/) ask for cases of their own. The room asks the front door
// (profile/run/) and counts nothing.
//
// This file: kernels under the profiler: many cases, each a kernel, a launch and a GPU. Answers
// are kept in a store, where there is one, so that a study that is asked again takes no time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "warpledger/profile/run/query.h"

namespace warpledger::study {

/// How cases are run; the answers do not depend on threads or store.
struct RunOptions {
  store::Store* store = nullptr;  // null: nothing is kept
  uint32_t threads = 1;
  bool sass = true;  // ask ptxas what it makes of the kernels
  profile::SamplingOptions sampling = {.max_seconds = 5};
  std::map<std::string, std::string> requests = {};  // how the user named a GPU, by its id

  /// The name, or the file, under which the GPU is found again.
  [[nodiscard]] std::string request_of(const Gpu& gpu) const {
    const auto named = requests.find(gpu.id);
    return named == requests.end() ? gpu.id : named->second;
  }
};

/// A text of PTX and what it is called.
struct KernelText {
  std::string file;
  std::string ptx;
};

struct KernelCase {
  std::string kernel;
  exec::Extent grid = {1, 1, 1}, block = {1, 1, 1};
  uint32_t dynamic_shared_bytes = 0;
  std::vector<std::string> arguments = {};  // as on the command line: "A=f32[64x64]:random"
  std::optional<int64_t> registers = {};    // instead of ptxas's
};

/// Counters of the default order. Values that no address depends on are not computed. `before`: a
/// launch of the same text that runs just before, so that the L2 holds what it leaves; null: caches
/// are empty. Arrays have the same addresses in both where both have the same arguments.
[[nodiscard]] Result<profile::Profile> profile_case(const KernelText& text, const KernelCase& one,
                                                    const Gpu& gpu, const RunOptions& options,
                                                    const KernelCase* before = nullptr);

}  // namespace warpledger::study
