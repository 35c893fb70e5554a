// The front door: one question as a plain value, and answer(), which everybody asks it through: the
// command, `check`, sweeps, Python. What is typed (argument texts, a GPU's name) stays text here,
// so that a question can be written to a file and asked again elsewhere (query_json.h).
//
// A profile follows from the question, the files that it names and the installed tools, and from
// nothing else: that is what makes it a key of the store.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warpledger/exec/decode/bad_accesses.h"
#include "warpledger/profile/run/kernel_text.h"
#include "warpledger/profile/run/observation.h"
#include "warpledger/profile/run/run.h"
#include "warpledger/profile/value/launch_filter.h"

namespace warpledger::profile {

/// One launch of a kernel in a file.
struct KernelQuery {
  KernelFile file = {};
  std::string ptx = {};     // the text itself: nothing is read or compiled. file.path names it
  std::string kernel = {};  // its name, a part that only one has, or regex:EXPRESSION
  NameBase name_base = NameBase::kFunction;
  exec::Extent grid = {1, 1, 1};
  exec::Extent block = {1, 1, 1};
  exec::Extent cluster = {0, 0, 0};  // zeros: as the kernel requires
  uint32_t dynamic_shared_bytes = 0;
  std::vector<std::string> arguments = {};  // as launch/argument.h reads them
  std::vector<exec::Argument> given = {};   // instead, where the caller holds the bytes. Not kept
};

/// How the launch is run and what the model assumes.
struct QueryOptions {
  std::optional<int64_t> registers = {};  // instead of ptxas's
  std::optional<int64_t> carveout_kib = {};
  bool prefer_shared = false;
  bool flush_caches = true;        // ncu's --cache-control all
  bool sass = true;                // ask ptxas what it makes of the kernel
  bool band = false;               // three orders instead of one
  bool check_races = false;        // in every block, and in global memory too
  bool continue_on_error = false;  // bad accesses are noted; such a profile is not kept
  uint64_t seed = memory::Schedule{}.seed;
  exec::EngineChoice engine = exec::EngineChoice::kAuto;
  exec::Values values = exec::Values::kAuto;  // kAuto: off; counters follow from addresses
  SamplingOptions sampling = {};
  // These change when a run is given up or how long it takes, never its answer.
  uint64_t limit = 0;          // warp instructions; 0: the engine's own
  double timeout_seconds = 0;  // 0: no end
  bool isolate = false;        // the kernel runs in a process that has nothing (cell/)
  uint32_t threads = 0;        // 0: all processors
  // Watches accesses of a line on one SM, as cache_trace.h reads it; "": none. The launch is run,
  // whatever the store holds, and its profile is the same.
  std::string trace_cache = {};
};

struct Query {
  KernelQuery what = {};
  // The launch of the same file that ran just before: the L2 holds what it left. Pre: caches are
  // not flushed.
  std::optional<KernelQuery> before = {};
  std::string gpu = {};  // a name of `warpledger gpus`, or a file
  QueryOptions options = {};
};

/// What the caller wants to hear while the launch runs.
struct Listeners {
  Progress progress = {};
  decltype(Request::after) after = nullptr;
  RunStatistics* statistics = nullptr;
};

struct QueryAnswer {
  Profile profile;
  bool from_store = false;
  std::optional<CacheTrace> trace = {};     // as QueryOptions::trace_cache asks
  std::optional<Diagnostic> not_kept = {};  // why the store does not hold it now
  /// Of a launch that went on from them. Counted in the blocks that ran, each time they did.
  std::vector<exec::BadAccess> bad_accesses = {};
};

/// Fails when the question cannot be asked (unknown GPU or kernel, bad argument), or with the
/// kernel's own fault. `store`: null: nothing is looked up or kept.
[[nodiscard]] Result<QueryAnswer> answer(const Query& query, store::Store* store,
                                         const Listeners& listeners = {});

/// The kernel of `module` that the text means: the one of that name, the only one that the pattern
/// matches, or the text as it is, for who looks up parts of names.
[[nodiscard]] Result<std::string> choose_kernel(const std::string& text, NameBase base,
                                                const ptx::Module& module);

/// The kernels that a module defines.
[[nodiscard]] std::vector<std::string> kernel_names(const ptx::Module& module);

}  // namespace warpledger::profile
