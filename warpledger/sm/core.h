// Warps and schedulers. In every cycle each warp is in one state; they are decided in this order:
//
//   stall count, that of EXIT too: wait; after EXIT: drain; barrier; membar; a branch's target:
//   branch_resolving; code: no_instruction; a new warp's start: dispatch_stall; scoreboards: long
//   before short; constants: imc_miss; lg_throttle; mio_throttle; its pipe: math_pipe_throttle;
//   else it is eligible. One of these is selected, or held back by the register ports:
//   dispatch_stall.
//
// A scheduler stays with its warp while ptxas asks for it (sass::Control::keeps), else it takes
// the one that has waited longest.
#pragma once

#include "warpledger/sm/caches.h"
#include "warpledger/sm/sm.h"
#include "warpledger/sm/warp.h"

namespace warpledger::sm {

/// What was counted so far.
struct Tally {
  double cycles = 0, active_cycles = 0, issued = 0, eligible = 0;
  std::vector<Cycles> instructions;
  std::vector<std::vector<std::pair<uint32_t, double>>> waited_for;  // by instruction: for whom
  uint64_t endless = 0;  // waits that nobody would have ended
};

class Core {
 public:
  Core(const Program& program, const Launch& launch, const Rates& rates, const Hardware& hardware);

  /// Runs up to the next cycle in which something can change. False when all blocks have ended.
  bool advance();

  [[nodiscard]] int64_t now() const { return now_; }
  [[nodiscard]] uint32_t finished() const { return finished_; }
  [[nodiscard]] double warp_cycles() const { return warp_cycles_; }
  [[nodiscard]] const Tally& tally() const { return tally_; }
  /// Of the blocks that have ended, in that order.
  [[nodiscard]] const std::vector<BlockSpan>& spans() const { return spans_; }

 private:
  struct Scheduler {
    std::vector<uint32_t> warps;  // places
    std::array<int64_t, kPipes> pipe_free = {};
    int64_t light_fma_free = 0;
    std::array<int64_t, 2> bank_free = {};  // read ports of the registers
    uint32_t last = UINT32_MAX;
    bool keeps = false;
  };
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr size_t kMostGroups = 16;  // that a warp can wait for

  void start_blocks();
  void start(uint32_t place);
  void take_releases();
  void release(const Release& release, Warp& warp);
  void note_wait(const Warp& warp, uint32_t whom, double cycles);
  void finish_copy(Warp& warp);
  void break_groups(Warp& warp);
  int64_t break_deadlock();
  void run_scheduler(uint32_t partition, int64_t& next);
  [[nodiscard]] Reason state_of(Warp& warp, uint32_t partition);
  [[nodiscard]] std::optional<Reason> held(Warp& warp);
  [[nodiscard]] std::optional<Reason> awaits_code(Warp& warp, uint32_t partition);
  [[nodiscard]] std::optional<Reason> awaits_results(Warp& warp, const Instruction& instruction);
  [[nodiscard]] std::optional<Reason> awaits_unit(const Instruction& instruction,
                                                  uint32_t partition) const;
  [[nodiscard]] bool can_read(const Instruction& instruction, const Scheduler& scheduler) const;
  Reason until(Warp& warp, int64_t time, Reason reason) const;
  [[nodiscard]] uint32_t choose(const Scheduler& scheduler) const;
  void issue(uint32_t place, uint32_t partition);
  void occupy(const Instruction& instruction, Scheduler& scheduler);
  void send(const Instruction& instruction, uint32_t place, uint32_t partition);
  [[nodiscard]] Request request_of(const Instruction& instruction, uint32_t place,
                                   uint32_t partition);
  void meet(const Instruction& instruction, Warp& warp);
  void check_barrier(uint32_t place, uint8_t barrier, uint32_t needed);
  void go_on(const Instruction& instruction, Warp& warp);
  [[nodiscard]] uint32_t follow(const Block& from, Warp& warp);
  [[nodiscard]] static uint32_t count_on(const Block& from, size_t first, Warp& warp);
  [[nodiscard]] std::optional<uint32_t> known_edge(const Block& from, const Warp& warp) const;
  [[nodiscard]] const SyncOp* next_op(const Warp& warp) const;
  void synchronize(const Instruction& instruction, uint32_t place, uint32_t partition);
  [[nodiscard]] bool await_phase(const SyncOp& op, const Request& request);
  void finish_wait(Request request, uint32_t cause);
  void perform(const SyncOp& op, const Instruction& instruction, Warp& warp);
  [[nodiscard]] int64_t copied_at(const SyncOp& op, const Instruction& instruction);
  void arrive_later(Arrival arrival);
  void arrive(const Arrival& arrival);
  void take_arrivals();
  bool end_endless_waits();
  void multiply(const Instruction& instruction, Warp& warp, Scheduler& scheduler);
  [[nodiscard]] std::optional<Reason> awaits_products(Warp& warp, const Instruction& instruction);
  void exit(Warp& warp);
  void end(Warp& warp);
  double random();

  const Program& program_;
  const Launch& launch_;
  const Hardware& hardware_;
  Port port_;
  CodeCache code_;
  ConstantCache constants_;
  std::vector<Warp> warps_;
  std::vector<ThreadBlock> blocks_;
  std::array<Scheduler, kPartitions> schedulers_;
  std::vector<double> shares_;  // by block of code: shares of a branch, added up over warps
  std::vector<Release> released_;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<Arrival>> arrivals_;
  uint64_t arrivals_order_ = 0;
  double product_free_ = 0;  // tensor cores that all sub-partitions share
  std::vector<uint32_t> eligible_;
  std::vector<std::pair<uint32_t, Reason>> seen_;  // states of this cycle
  Tally tally_;
  std::vector<BlockSpan> spans_;
  int64_t now_ = 0;
  uint32_t started_ = 0, finished_ = 0;
  double warp_cycles_ = 0;
  double active_ = 0;  // schedulers that hold a warp
  uint64_t seed_ = 88172645463325252ULL;
};

}  // namespace warpledger::sm
