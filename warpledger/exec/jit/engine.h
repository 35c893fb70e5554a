// The compiled engine: one launch, CTAs in slots, warps in turn on stacks of their own.
#pragma once

#include <memory>

#include "warpledger/exec/jit/code_cache.h"
#include "warpledger/exec/jit/runtime.h"

namespace warpledger::exec::jit {

class Engine : public exec::Engine {
 public:
  /// Compiles the kernel, or fails with code "jit-unsupported" on what only the interpreter runs.
  /// Image and cache must outlive the engine.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> create(Image& image,
                                                              const exec::Launch& launch,
                                                              CodeCache& cache,
                                                              const EngineOptions& options = {});
  ~Engine() override;

  // trace::Producer. run() fails with code "jit-needs-interpreter" where lanes of one warp wait for
  // each other in diverged code: run the launch again, from the memory it began with.
  [[nodiscard]] const trace::Launch& launch() const override { return reference_->launch(); }
  [[nodiscard]] bool is_independent() const override { return true; }
  void set_slots(uint32_t slots) override;
  void start(uint32_t slot, uint64_t cta) override;
  Result<trace::Progress> run(uint32_t slot, uint32_t budget) override;
  [[nodiscard]] std::span<trace::Buffer> buffers(uint32_t slot) override {
    return reference_->buffers(slot);
  }

  [[nodiscard]] uint64_t warp_instructions() const { return instructions_; }
  // As the interpreter would have counted.
  [[nodiscard]] Statistics statistics() const override;
  [[nodiscard]] std::vector<InstructionCount> instruction_counts() const override;
  [[nodiscard]] std::string take_output() override { return reference_->take_output(); }
  [[nodiscard]] bool compiled() const override { return true; }
  [[nodiscard]] double compile_seconds() const override { return compiled_.seconds; }
  [[nodiscard]] bool may_need_interpreter() const override { return may_give_up_; }
  [[nodiscard]] bool from_disk() const { return compiled_.from_disk; }

 private:
  struct Slot {
    reference::Cta cta;
    std::vector<std::unique_ptr<RunningWarp>> warps;
    Rendezvous rendezvous;
  };
  Engine() = default;
  void prepare();
  void start_warp(Slot& slot, uint32_t index);
  [[nodiscard]] Diagnostic describe_deadlock(Slot& slot) const;

  std::unique_ptr<reference::Engine> reference_;
  Analysis analysis_;
  CompiledKernel compiled_;
  std::unique_ptr<PatternTable> patterns_;
  std::vector<SiteWindow> windows_;  // by warp of a block, then by memory instruction
  uint32_t accesses_ = 0;            // memory instructions
  StackPool stacks_;
  std::vector<Slot> slots_;
  uint64_t instructions_ = 0;
  uint32_t room_ = 0;
  std::vector<uint64_t> counts_;  // executions and lanes of blocks, guarded steps, partings
  uint64_t ctas_ = 0;
  bool records_ = true;
  bool interprets_ = false;   // some instruction has no lowering
  bool meets_simply_ = true;  // every barrier is of the whole block
  bool may_give_up_ = false;
};

}  // namespace warpledger::exec::jit
