// A look over the engine's shoulder: which arrays an instruction touches, and how often a warp asks
// for the same addresses. It stands between the engine and the memory model, sees a few blocks of
// the grid only, and changes nothing.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_set>
#include <vector>

#include "warpledger/memory/replay.h"
#include "warpledger/profile/value/profile.h"
#include "warpledger/trace/sinks.h"

namespace warpledger::profile {

/// A range of device memory with a name.
struct NamedRange {
  std::string name = {};
  uint64_t address = 0;
  uint64_t bytes = 0;
  bool is_host = false;
};

/// Block 0 and up to 63 others, spread evenly over those that an itinerary starts (empty: all of
/// the grid).
[[nodiscard]] std::set<uint64_t> spread_blocks(const memory::Itinerary& itinerary, uint64_t ctas);

class Probe : public trace::Producer {
 public:
  /// What is looked at: all of it, or only what durations need, batches_per_access().
  enum class Detail { kAll, kBatches };

  /// `sites` stand for the engine's own: as many, for the same instructions.
  Probe(trace::Producer& engine, std::vector<NamedRange> ranges, trace::Sites sites,
        std::set<uint64_t> watched = {}, Detail detail = Detail::kAll);

  [[nodiscard]] const trace::Launch& launch() const override { return launch_; }
  [[nodiscard]] trace::Freedom freedom() const override { return engine_.freedom(); }
  void set_slots(uint32_t slots) override;
  void start(uint32_t slot, uint64_t cta) override;
  Result<trace::Progress> run(uint32_t slot, uint32_t budget) override;
  [[nodiscard]] std::span<trace::Buffer> buffers(uint32_t slot) override {
    return engine_.buffers(slot);
  }

  /// The arrays that a site was seen to touch, in the order of their addresses. An operand of a
  /// tensor core: those that copies brought its bytes of shared memory from. Tensor memory: the
  /// tiles, columns that overlapping accesses share, "tmem[0:64]".
  [[nodiscard]] std::vector<std::string> arrays_of(uint32_t site) const;
  /// Bytes that lanes ask side by side, on average over the requests that were weighed; 0 without.
  [[nodiscard]] double run_bytes_of(uint32_t site) const;
  /// Use marks per access of the watched blocks: how many batches the accesses come in.
  [[nodiscard]] double batches_per_access() const;
  /// The costliest of the first requests of the global and of the shared instruction that waste
  /// most: sectors beyond the ideal, wavefronts beyond one a phase. Spaces without waste have none.
  [[nodiscard]] std::vector<AccessExample> examples(const memory::Counters& counters) const;
  /// What warp 0 of block 0 did, one entry for each line, array and kind, in the order of `sites`.
  [[nodiscard]] std::vector<WarpSample> samples(const Profile& profile) const;

 private:
  static constexpr uint64_t kMostAccesses = 1'000'000;   // of block 0
  static constexpr uint64_t kFewAccesses = 30'000;       // of each other one
  static constexpr uint64_t kMostAddresses = 1'000'000;  // of the watched warp
  static constexpr uint32_t kMostExamples = 16;          // requests of a site that are weighed

  struct SiteView {
    std::set<size_t> ranges;
    std::set<std::pair<uint32_t, uint32_t>> columns;  // of tensor memory: [first, end)
    uint64_t requests = 0, lanes = 0, addresses = 0;  // of the one warp
    std::unordered_set<uint64_t> unique;
    uint32_t weighed = 0;              // requests, for the example
    uint64_t runs = 0, run_bytes = 0;  // of these: stretches without a gap, and their bytes
    uint64_t weight = 0;               // sectors or wavefronts of the example
    AccessExample example;
  };
  static void add_runs(const trace::Access& access, SiteView& view);
  static void keep_costliest(const trace::Access& access, SiteView& view);
  /// What was seen of one block: blocks run on different threads, so each has its own.
  struct BlockView {
    bool is_first = false;
    std::vector<SiteView> sites;
    std::vector<uint32_t> origin;  // of 16 bytes of shared memory: 1 + the range; 0: no copy's
    uint64_t seen = 0, kept = 0, uses = 0;
    [[nodiscard]] bool is_full() const { return seen >= (is_first ? kMostAccesses : kFewAccesses); }
  };
  void look(BlockView& block, const trace::Buffer& buffer, size_t from, bool is_sample) const;
  void look(BlockView& block, const trace::Access& access, bool is_sample) const;
  void look_at_copies(BlockView& block, const trace::Buffer& buffer, size_t from) const;
  void note_range(const BlockView& block, SiteView& site, const trace::Access& access) const;
  [[nodiscard]] std::optional<size_t> range_of(uint64_t address) const;
  [[nodiscard]] std::vector<std::string> tensor_tiles_of(uint32_t site) const;
  /// What was seen of the site's costliest weighed request; null: none was seen.
  [[nodiscard]] const SiteView* costliest(size_t site) const;

  trace::Producer& engine_;
  trace::Sites machine_sites_;
  trace::Launch launch_;
  std::vector<NamedRange> ranges_;  // by address
  bool follows_copies_ = false;     // some site reads what was copied
  std::set<uint64_t> watched_;
  Detail detail_;
  std::mutex mutex_;                                       // of blocks_ while the engine runs
  std::map<uint64_t, std::unique_ptr<BlockView>> blocks_;  // by CTA
  std::vector<BlockView*> in_slot_;                        // null: not watched
};

}  // namespace warpledger::profile
