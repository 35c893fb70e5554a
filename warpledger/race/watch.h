// Stands between an engine and whoever takes its records, and looks for races in them.
#pragma once

#include <mutex>
#include <set>

#include "warpledger/race/block.h"

namespace warpledger::race {

struct Options {
  bool shared = true;
  bool global = false;  // costs memory for every word that the launch touches; one thread
  std::set<uint64_t> blocks = {};  // that are looked at; empty: all
};

class Watch : public trace::Producer {
 public:
  Watch(trace::Producer& engine, const Options& options);

  [[nodiscard]] const trace::Launch& launch() const override { return engine_.launch(); }
  [[nodiscard]] trace::Freedom freedom() const override;
  void set_slots(uint32_t slots) override;
  void start(uint32_t slot, uint64_t cta) override;
  Result<trace::Progress> run(uint32_t slot, uint32_t budget) override;
  [[nodiscard]] std::span<trace::Buffer> buffers(uint32_t slot) override {
    return engine_.buffers(slot);
  }

  /// Of the blocks that have ended.
  [[nodiscard]] Report report() const;

 private:
  struct Slot {
    BlockWatch block;
    bool is_watched = false;
    std::vector<size_t> held;  // by warp: slots that were in the buffer before
  };
  void end_block(Slot& slot);

  trace::Producer& engine_;
  Options options_;
  bool is_idle_ = false;  // nothing can race
  Kernel kernel_;
  Shadow global_{trace::Space::kGlobal, kMostTouches};
  Tally global_races_;
  std::vector<Slot> slots_;
  std::mutex mutex_;  // of what follows
  Tally races_;
  uint64_t blocks_ = 0, left_alone_ = 0;

  static constexpr size_t kMostTouches = 8;  // of a word by one site
};

}  // namespace warpledger::race
