// A look over the engine's shoulder: which arrays an instruction touches, and how often a warp asks
// for the same addresses. It stands between the engine and the memory model, sees a few blocks of
// the grid only, and changes nothing.
#pragma once

#include <set>
#include <unordered_set>
#include <vector>

#include "warpledger/profile/profile.h"
#include "warpledger/trace/sinks.h"

namespace warpledger::profile {

/// A range of device memory with a name.
struct NamedRange {
  std::string name = {};
  uint64_t address = 0;
  uint64_t bytes = 0;
};

class Probe : public trace::Producer {
 public:
  /// Watches block 0 and up to kBlocks others, spread evenly. `sites` stand for the engine's own:
  /// as many, for the same instructions.
  Probe(trace::Producer& engine, std::vector<NamedRange> ranges, trace::Sites sites);

  [[nodiscard]] const trace::Launch& launch() const override { return launch_; }
  [[nodiscard]] trace::Freedom freedom() const override {  // it looks at one slot at a time
    return std::min(engine_.freedom(), trace::Freedom::kAnyOrder);
  }
  void set_slots(uint32_t slots) override;
  void start(uint32_t slot, uint64_t cta) override;
  Result<trace::Progress> run(uint32_t slot, uint32_t budget) override;
  [[nodiscard]] std::span<trace::Buffer> buffers(uint32_t slot) override {
    return engine_.buffers(slot);
  }

  /// The arrays that a site was seen to touch, in the order of their addresses.
  [[nodiscard]] std::vector<std::string> arrays_of(uint32_t site) const;
  /// Use marks per access of the watched blocks: how many batches the accesses come in.
  [[nodiscard]] double batches_per_access() const {
    return seen_ == 0 ? 0 : static_cast<double>(uses_) / static_cast<double>(seen_);
  }
  /// The costliest of the first requests of the global and of the shared instruction that waste
  /// most: sectors beyond the ideal, wavefronts beyond one a phase. Spaces without waste have none.
  [[nodiscard]] std::vector<AccessExample> examples(const memory::Counters& counters) const;
  /// What warp 0 of block 0 did, one entry for each line, array and kind, in the order of `sites`.
  [[nodiscard]] std::vector<WarpSample> samples(const Profile& profile) const;

 private:
  static constexpr uint64_t kBlocks = 32;
  static constexpr uint64_t kMostAccesses = 1'000'000;   // of all watched blocks
  static constexpr uint64_t kMostAddresses = 1'000'000;  // of the watched warp
  static constexpr uint32_t kMostExamples = 16;          // requests of a site that are weighed

  struct SiteView {
    std::set<size_t> ranges;
    uint64_t requests = 0, lanes = 0, addresses = 0;  // of the one warp
    std::unordered_set<uint64_t> unique;
    uint32_t weighed = 0;  // requests, for the example
    uint64_t weight = 0;   // sectors or wavefronts of the example
    AccessExample example;
  };
  static void keep_costliest(const trace::Access& access, SiteView& view);
  void look(const trace::Buffer& buffer, size_t from, bool is_sample);
  void look(const trace::Access& access, bool is_sample);

  trace::Producer& engine_;
  trace::Sites machine_sites_;
  trace::Launch launch_;
  std::vector<NamedRange> ranges_;  // by address
  uint64_t stride_ = 1;
  std::vector<uint64_t> cta_of_;  // by slot
  std::vector<SiteView> sites_;
  uint64_t seen_ = 0, kept_ = 0, uses_ = 0;
};

}  // namespace warpledger::profile
