// A warp's walk through one block of machine code: when each instruction issues, and what is still
// under way at the end. Results of unknown latency release a scoreboard; copies to shared memory
// (cp.async) do not: they are waited for in groups, the oldest first.
#pragma once

#include <array>
#include <deque>
#include <map>

#include "warpledger/profile/time/path.h"
#include "warpledger/sass/code.h"

namespace warpledger::profile::time {

/// That a load goes on to the L2, and to DRAM.
struct Chances {
  double l2 = 0, dram = 0;
};
[[nodiscard]] Chances chances_of(const memory::SiteCounters& site, trace::Kind kind);

/// What an instruction may have to wait for: results at a known time, and loads.
struct Held {
  double until = -1e9;            // known results
  double loaded_at = -1e9;        // the last load's issue
  double no_l2 = 1, no_dram = 1;  // chances that no load goes there
  double l2 = 0, dram = 0;        // the largest of one load

  void add(double at, const Chances& chances);
  [[nodiscard]] bool has_loads() const { return loaded_at > -1e8; }
  [[nodiscard]] double free_at(const Latencies& latency) const;
  /// What a load of these takes that no other is under way with.
  [[nodiscard]] double whole(const Latencies& latency) const;
};

/// What a warp has under way.
struct State {
  std::array<Held, sass::Control::kScoreboards> scoreboards = {};
  Held open = {};                // copies since the last commit
  std::deque<Held> groups = {};  // committed, the oldest first
};

struct BlockTime {
  double cycles = 0, waits = 0, barriers = 0;  // as in Path
  State after = {};                            // times from the block's end
};

class Walker {
 public:
  Walker(const Evidence& evidence, const Latencies& latency);
  [[nodiscard]] BlockTime walk(const ProgramBlock& block, const State& before);

 private:
  void wait(const ProgramInstruction& instruction);
  void await_groups(size_t left);
  void wait_for(const Held& held);
  void issue(const ProgramInstruction& instruction);
  void note_copies(const ProgramInstruction& instruction);
  [[nodiscard]] Chances chances_of_access(uint32_t number) const;
  [[nodiscard]] double latency_of(ProgramInstruction::Result result) const;

  Latencies latency_;
  std::map<uint32_t, Chances> chances_;  // by PTX instruction
  Chances unknown_;
  State state_ = {};
  double now_ = 0, waits_ = 0;
};

}  // namespace warpledger::profile::time
