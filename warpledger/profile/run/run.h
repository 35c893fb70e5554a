// profile/run/: a question answered: the kernel's text found and compiled, the launch run, its
// accesses sent through the memory model, counters, machine code and time joined into a Profile.
// query.h is the front door of the library; it is the one room of this wing that executes.
//
// This file: from a launch to a Profile: carve-out and residents as the driver chooses them, the
// kernel through an engine, its accesses through the memory model in a stated order.
#pragma once

#include <functional>
#include <set>

#include "warpledger/exec/memory/snapshot.h"
#include "warpledger/exec/run/engine.h"
#include "warpledger/launch/argument.h"
#include "warpledger/profile/sampling/sampling_options.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::profile {

/// A launch where somebody else has put it: what it writes stays, unless it is discarded.
struct Placed {
  exec::Image& image;
  /// Nobody reads what it writes: without values, blocks may be left out, and memory is afterwards
  /// what it was, with poison where the launch would have written. A launch that needs values which
  /// were poison before fails with Fallback::kValues; one that needs its own computes them, and
  /// they stay.
  bool discards = false;
  /// Pre: discards. A sample or nothing: a launch that would run in full fails instead, before any
  /// of it ran, and says so in `needs_all_blocks`.
  bool only_sampled = false;
  bool needs_all_blocks = false;
  bool reads_memory = true;  // unless exec::is_fixed_by_parameters(): looked at where it discards
  std::vector<std::byte> params = {};
  uint64_t grid_workspace = 0;
  std::map<uint64_t, std::string> names = {};  // of allocations, by address: what to call them
  /// Whether a MemorySnapshot holds all that the launch may write, and there is room for one: it is
  /// taken before a run that may turn out to need the interpreter.
  bool may_begin_again = false;
  std::optional<exec::MemorySnapshot> before = {};
  bool began_again = false;      // it did
  std::set<uint64_t> host = {};  // allocations of the host, by address
};

struct Request {
  const ptx::Module& module;
  std::string file = {};    // as the user named it
  std::string kernel = {};  // or a part that only one has
  Gpu gpu = {};
  std::string gpu_request = {};
  exec::Extent grid = {1, 1, 1};
  exec::Extent block = {1, 1, 1};
  exec::Extent cluster = {0, 0, 0};  // zeros: as the kernel requires
  uint32_t dynamic_shared_bytes = 0;
  std::vector<exec::Argument> arguments = {};
  // Instead of arguments. Pre: one order; values are on, or placed->discards.
  Placed* placed = nullptr;
  std::optional<int64_t> registers = {};  // instead of ptxas's
  std::optional<int64_t> carveout_kib = {};
  CachePreference cache = CachePreference::kNone;
  Policy policy = {};
  // Where caches are not flushed: the launch that ran just before; null: this one, once more.
  const Request* before = nullptr;
  bool check_races = true;    // of shared memory
  bool check_global = false;  // in every block, and of global memory: slow
  bool sass = true;           // ask ptxas what it makes of the kernel
  bool only_timed = false;    // nobody reads arrays, examples and samples: they stay empty
  uint32_t orders = 1;        // 3: two further interleavings, for the band
  exec::EngineOptions engine = {};
  uint32_t threads = 1;  // the result is the same for any number
  SamplingOptions sampling = {};
  Progress progress = {};
  /// Called once, with the memory as the launch left it, when all of it was run with values.
  std::function<void(const std::vector<exec::Argument>&, const exec::DeviceMemory&)> after =
      nullptr;
};

/// Fails when the launch cannot be, or with the kernel's own fault.
[[nodiscard]] Result<Profile> run(const Request& request);

}  // namespace warpledger::profile
