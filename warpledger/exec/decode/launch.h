// What a launch is, for whichever engine runs it.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "warpledger/base/result.h"
#include "warpledger/ptx/forward.h"

namespace warpledger::exec {

using Extent = std::array<uint32_t, 3>;  // x, y, z

struct Launch {
  std::string kernel;
  Extent grid = {1, 1, 1};
  Extent block = {1, 1, 1};
  Extent cluster = {0, 0, 0};  // CTAs of a cluster; zeros: as the kernel requires, else one
  uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> params;  // as laid out by the kernel's signature
  uint64_t grid_workspace = 0;    // of a cooperative launch: where its blocks meet (%envreg1, 2)
};

/// A time after which a launch ends where it is. Compiling counts. One that was never started has
/// passed.
class Deadline {
 public:
  void start(double seconds) {
    // A year is as good as no end, and does not overflow the clock.
    end_ = now() + static_cast<int64_t>(std::min(seconds, 3e7) * 1e9);
  }
  /// Engines ask now and then, from several threads.
  [[nodiscard]] bool has_passed() const { return now() > end_; }

 private:
  [[nodiscard]] static int64_t now() {
    return std::chrono::steady_clock::now().time_since_epoch().count();
  }
  int64_t end_ = 0;
};

class BadAccesses;

/// What stops a kernel that would not stop.
struct Limits {
  uint64_t warp_instructions = 0;     // 0: some minutes' worth, which is the engine's to say
  uint32_t stack_bytes = 512 * 1024;  // per thread: local variables and call frames
  uint32_t call_depth = 1000;
  const Deadline* deadline = nullptr;
  /// Notes accesses out of bounds, which the launch then goes on from; null: the first ends it.
  BadAccesses* bad_accesses = nullptr;

  /// Whether the deadline has passed. Cheap where there is none.
  [[nodiscard]] bool is_late() const { return deadline != nullptr && deadline->has_passed(); }
};

/// What a kernel is stopped with at its deadline, and what one can do about it.
inline constexpr const char* kTimeLimit = "time-limit";
inline constexpr const char* kTimeLimitHint =
    "this may be an infinite loop; otherwise raise --timeout SECONDS (0: no limit)";

/// What a launch did, counted while it ran. All of it is exact.
struct Statistics {
  uint64_t ctas = 0;
  uint64_t warps = 0;
  uint64_t warp_instructions = 0;
  uint64_t thread_instructions = 0;         // lanes that executed, predicates respected
  std::array<uint64_t, 16> by_family = {};  // warp instructions, by ptx::Family
  struct Accesses {
    uint64_t loads = 0, stores = 0, atomics = 0;  // warp instructions
    uint64_t lanes = 0;
    uint64_t bytes = 0;
  };
  std::array<Accesses, 4> by_space = {};  // by trace::Space: global, shared, local, const
  uint64_t barriers = 0;
  uint64_t divergent_branches = 0;
  Statistics& operator+=(const Statistics& other);
};

/// Packs one argument after another by the kernel's signature.
class Arguments {
 public:
  Arguments(const ptx::Module& module, const ptx::Function& kernel);
  /// The next parameter's bytes. Fails when there are no more, or its size is another.
  [[nodiscard]] Status add(const void* bytes, uint64_t size);
  /// Fails when parameters are missing.
  [[nodiscard]] Result<std::vector<std::byte>> finish() const;
  /// The size of the next parameter; 0 when there is none.
  [[nodiscard]] uint64_t next_bytes() const;

 private:
  const ptx::Module& module_;
  const ptx::Function& kernel_;
  size_t next_ = 0;
  std::vector<std::byte> bytes_;
};

/// Fails, naming the limit, when the launch cannot be: sizes of 0, more than 1024 threads, more
/// than the kernel's .maxntid or other than its .reqntid, clusters that do not fill the grid.
[[nodiscard]] Status check_launch(const ptx::Module& module, const ptx::Function& kernel,
                                  const Launch& launch);

/// The launch's block: as it says, but for a CUDA Tile kernel. That is launched with one thread,
/// and has as many as its compiler chose (.reqntid).
[[nodiscard]] Extent block_of(const ptx::Function& kernel, const Extent& block);

/// The launch's clusters: as the launch says, else .reqnctapercluster, else {1, 1, 1}.
[[nodiscard]] Extent cluster_of(const ptx::Function& kernel, const Launch& launch);

/// The kernel of that name; without an exact match the only one whose mangled name contains it.
[[nodiscard]] Result<const ptx::Function*> find_kernel(const ptx::Module& module,
                                                       const std::string& name);

}  // namespace warpledger::exec
