// The seam between execution and its consumers.
//
//   Producer  an engine with one launch loaded: CTAs that can be started in a slot and run a little
//             further. exec/ implements it.
//   Sink      takes records out of the warps' buffers: now, later, or never.
//   run_all() the simplest driver: every CTA to its end, in order. memory/'s replay is another
//             driver: it keeps many slots alive and chooses whose records come next.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "warpledger/base/result.h"
#include "warpledger/trace/buffer.h"
#include "warpledger/trace/shape.h"
#include "warpledger/trace/trace.h"

namespace warpledger::trace {

/// What a consumer must know of a launch. Sites and shapes are owned by the producer; shapes may
/// grow while the launch runs.
struct Launch {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::array<uint32_t, 3> block = {1, 1, 1};
  uint32_t shared_bytes = 0;  // static and dynamic together
  const Sites* sites = nullptr;
  const ShapeTable* shapes = nullptr;

  [[nodiscard]] uint64_t ctas() const { return uint64_t{grid[0]} * grid[1] * grid[2]; }
  [[nodiscard]] uint32_t threads() const { return block[0] * block[1] * block[2]; }
  [[nodiscard]] uint32_t warps() const { return (threads() + 31) / 32; }
};

enum class Progress {
  kRunning,  // more records can be had by calling again
  kBlocked,  // waits for another CTA: run others first
  kEnded,    // every warp's stream is complete in its buffer
};

/// What a driver may choose without changing a launch's records and memory. Races between CTAs
/// through plain loads and stores are the program's undefined behavior, and exempt.
enum class Freedom {
  kOrdered,   // nothing: CTAs may communicate; their order of start() and run() may show
  kClusters,  // the order of clusters; CTAs of one communicate, in step
  kAnyOrder,  // CTAs run when it likes
  kParallel,  // and start(), run() and buffers() of different slots from different threads at once
};

class Producer {
 public:
  virtual ~Producer() = default;
  [[nodiscard]] virtual const Launch& launch() const = 0;
  [[nodiscard]] virtual Freedom freedom() const { return Freedom::kOrdered; }
  /// How many CTAs may be alive at once; slots are 0 .. slots - 1. Called before the first start.
  virtual void set_slots(uint32_t slots) = 0;
  /// Puts CTA `cta` into a free slot and its cta_start marks into the buffers of its warps.
  virtual void start(uint32_t slot, uint64_t cta) = 0;
  /// Runs the CTA's warps until each has ended, waits, or has written about `budget` further
  /// slots. An error is the kernel's (bad address, deadlock): the launch is over.
  virtual Result<Progress> run(uint32_t slot, uint32_t budget) = 0;
  /// The buffers of the slot's warps, by warp index. Valid until the next start in that slot.
  [[nodiscard]] virtual std::span<Buffer> buffers(uint32_t slot) = 0;
};

class Sink {
 public:
  virtual ~Sink() = default;
  /// A launch begins, or begins again because its producer could not go on: what was taken of it
  /// before is void.
  virtual void begin(const Launch& launch) = 0;
  /// Called after each run(); takes what it wants out of `buffer`. Records of one warp come in
  /// program order; between warps there is no promise.
  virtual void drain(uint32_t warp, Buffer& buffer) = 0;
  virtual void end() {}
  /// Whether drain() of different buffers may be called from different threads at once.
  [[nodiscard]] virtual bool is_parallel() const { return false; }
};

/// Takes and forgets: the bare run.
class NoSink : public Sink {
 public:
  void begin(const Launch&) override {}
  void drain(uint32_t, Buffer& buffer) override { buffer.clear(); }
  [[nodiscard]] bool is_parallel() const override { return true; }
};

/// Every CTA from start to end, in order of its id; CTAs that wait for each other are run in turn,
/// up to `slots` at once. `threads` are used where the producer allows it (Freedom::kParallel),
/// each with one CTA at a time. A fault is that of the lowest CTA for any number of threads; what
/// higher ones had done by then may differ.
[[nodiscard]] Status run_all(Producer& producer, Sink& sink, uint32_t slots = 1,
                             uint32_t threads = 1);

}  // namespace warpledger::trace
