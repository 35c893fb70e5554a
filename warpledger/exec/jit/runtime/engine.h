// exec/jit/: compiled code. analysis/ says what is known of a kernel before a line of code is
// emitted; emit/ makes LLVM of it and is a library of its own, the only one that knows LLVM;
// runtime/ loads, links, keeps and runs what came of it. Where an instruction has no lowering the
// interpreter's function executes it, and every result must equal the interpreter's bit for bit.
//
// This file: the compiled engine: one launch, CTAs in slots, warps in turn on stacks of their own.
#pragma once

#include <memory>
#include <mutex>

#include "warpledger/exec/interpreter/deadlock.h"
#include "warpledger/exec/jit/runtime/code_cache.h"
#include "warpledger/exec/jit/runtime/runtime.h"

namespace warpledger::exec::jit {

/// For programs that were not decoded from what their author wrote (exec/translate/).
struct Adaptation {
  reference::EditProgram edit;
  /// Whether the analyzed program may be compiled. What it depends on must be in the kernel's text
  /// or follow from it.
  std::function<Status(const Analysis& analysis)> check;
};

class Engine : public exec::Engine {
 public:
  /// Compiles the kernel, or fails with code "jit-unsupported" on what only the interpreter runs.
  /// Image and cache must outlive the engine.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> create(Image& image,
                                                              const exec::Launch& launch,
                                                              CodeCache& cache,
                                                              const EngineOptions& options = {},
                                                              const Adaptation& adaptation = {});
  ~Engine() override;

  // trace::Producer. run() fails with code "jit-needs-interpreter" where lanes of one warp wait for
  // each other in diverged code: run the launch again, from the memory it began with.
  [[nodiscard]] const trace::Launch& launch() const override { return reference_->launch(); }
  [[nodiscard]] trace::Freedom freedom() const override {
    if (communicates_) return trace::Freedom::kOrdered;
    return analysis_.clustered ? trace::Freedom::kClusters : trace::Freedom::kParallel;
  }
  void set_slots(uint32_t slots) override;
  void start(uint32_t slot, uint64_t cta) override;
  Result<trace::Progress> run(uint32_t slot, uint32_t budget) override;
  [[nodiscard]] std::span<trace::Buffer> buffers(uint32_t slot) override {
    return reference_->buffers(slot);
  }

  [[nodiscard]] uint64_t warp_instructions() const;
  // As the interpreter would have counted.
  [[nodiscard]] Statistics statistics() const override;
  [[nodiscard]] std::vector<InstructionCount> instruction_counts() const override;
  [[nodiscard]] std::string take_output() override { return reference_->take_output(); }
  [[nodiscard]] bool compiled() const override { return true; }
  void log_block(uint64_t cta) override { reference_->log_block(cta); }
  [[nodiscard]] const trace::BlockLog* block_log() const override {
    return reference_->block_log();
  }
  [[nodiscard]] double compile_seconds() const override { return compiled_.seconds; }
  [[nodiscard]] bool may_need_interpreter() const override { return may_give_up_; }
  [[nodiscard]] std::shared_ptr<ValueWatch> watch() const override { return reference_->watch(); }
  [[nodiscard]] bool renew(const std::vector<std::byte>& params) override {
    return reference_->renew(params);
  }
  /// The shapes of the trace's records.
  [[nodiscard]] const trace::ShapeTable& shapes() const { return reference_->shapes(); }
  [[nodiscard]] bool from_disk() const { return compiled_.from_disk; }

 private:
  /// All that running a CTA changes: different slots may run on different threads.
  struct Slot {
    reference::Cta cta;
    std::vector<std::unique_ptr<RunningWarp>> warps;
    Rendezvous rendezvous;
    std::vector<SiteWindow> windows;                // by warp, then by Analysis::memory_index
    std::vector<uint64_t> counts;                   // CountPlaces
    std::vector<std::vector<uint64_t>> own_counts;  // by warp, of a CTA that is logged
    uint64_t ctas = 0;
    uint64_t ended_instructions = 0;  // of earlier CTAs
    uint64_t instructions = 0;        // of this one: what the limit bounds
    uint32_t latest = 0;              // warp that ran last
    uint64_t events = 0;              // of the CTA, when all its warps last stood still
    uint32_t quiet = 0;               // how often they have since, without an event
  };
  Engine() = default;
  void prepare();
  void start_warp(Slot& slot, uint32_t index);
  reference::Warp& start_interpreted(Slot& slot, uint32_t index);
  void place_threads(RunningWarp& running, uint32_t index);
  void fill_context(Slot& slot, RunningWarp& running);
  [[nodiscard]] std::vector<uint64_t> all_counts() const;
  [[nodiscard]] std::vector<InstructionCount> step_counts(  // by step of the code
      const std::vector<uint64_t>& sums) const;
  [[nodiscard]] std::vector<InstructionCount> instructions_of(
      const std::vector<uint64_t>& sums) const;
  void start_log(Slot& slot);
  void end_log(Slot& slot);
  Result<trace::Progress> advance(uint32_t slot, uint32_t budget);
  void start_asynchronous(reference::Cta& cta) const;
  Result<trace::Progress> end(Slot& slot);
  enum class Stuck { kGoOn, kOthersMayHelp, kFault };
  [[nodiscard]] Stuck resolve_standstill(Slot& slot);
  /// Whether waits for mbarriers were given up, so that somebody goes on.
  [[nodiscard]] bool time_out(Slot& slot);
  /// Of the cluster, whether some other CTA can go on; or lanes wait that are not all of their
  /// warp.
  [[nodiscard]] bool peers_can_move(Slot& slot);
  [[nodiscard]] bool lanes_wait_apart(Slot& slot);
  template <class F>
  bool any_resident(Slot& slot, F f);
  [[nodiscard]] static bool has_ended(const Slot& slot);
  [[nodiscard]] static bool polls_in_vain(const Slot& slot);
  [[nodiscard]] static bool waits_in_vain(const Slot& slot);
  [[nodiscard]] bool all_wait() const;
  [[nodiscard]] Diagnostic describe_deadlock(Slot& slot) const;
  [[nodiscard]] Diagnostic describe_vigils(const Slot& here) const;
  void report(reference::WaitReport& report, RunningWarp& warp, const reference::Fragment& fragment,
              const std::string& text, const char* code) const;

  std::unique_ptr<reference::Engine> reference_;
  Analysis analysis_;
  CompiledKernel compiled_;
  std::unique_ptr<PatternTable> patterns_;
  std::unique_ptr<MatrixTable> matrices_;
  std::unique_ptr<TransferTable> transfers_;
  uint32_t windows_ = 0;  // of a warp
  std::mutex stacks_mutex_;
  StackPool stacks_;
  std::vector<Slot> slots_;
  uint32_t room_ = 0;
  bool communicates_ = true;  // decode/communication.h
  bool records_ = true;
  bool in_step_ = false;      // some step gives way: no warp is left behind
  bool interprets_ = false;   // some instruction has no lowering
  bool meets_simply_ = true;  // every barrier is of the whole block
  bool may_give_up_ = false;
  bool asynchronous_ = false;  // bulk copies, mbarriers, wgmma, tensor memory
  bool joins_ = false;         // CTAs are of clusters, or meet at their barriers
};

}  // namespace warpledger::exec::jit
