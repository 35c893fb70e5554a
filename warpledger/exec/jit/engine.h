// The compiled engine: one launch, CTAs in slots, warps in turn on stacks of their own.
#pragma once

#include <memory>

#include "warpledger/exec/jit/compiler.h"
#include "warpledger/exec/jit/runtime.h"

namespace warpledger::exec::jit {

struct EngineOptions {
  bool record = true;  // false: buffers hold nothing but starts and ends
  bool count = false;  // fill statistics(); warp_instructions() is counted always
  Limits limits = {};
};

class Engine : public trace::Producer {
 public:
  /// Compiles the kernel, or fails with code "jit-unsupported" on what only the interpreter runs.
  /// Image and compiler must outlive the engine.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> create(Image& image,
                                                              const exec::Launch& launch,
                                                              Compiler& compiler,
                                                              const EngineOptions& options = {});
  ~Engine() override;

  // trace::Producer. run() fails with code "jit-needs-interpreter" where lanes of one warp wait for
  // each other in diverged code: run the launch again, from the memory it began with.
  [[nodiscard]] const trace::Launch& launch() const override { return reference_->launch(); }
  void set_slots(uint32_t slots) override;
  void start(uint32_t slot, uint64_t cta) override;
  Result<trace::Progress> run(uint32_t slot, uint32_t budget) override;
  [[nodiscard]] std::span<trace::Buffer> buffers(uint32_t slot) override {
    return reference_->buffers(slot);
  }

  [[nodiscard]] uint64_t warp_instructions() const { return instructions_; }
  /// What the launch did so far, as the interpreter would have counted. Pre: options.count.
  [[nodiscard]] Statistics statistics() const;
  [[nodiscard]] double compile_seconds() const { return compiled_.seconds; }
  /// Whether the launch may turn out to need the interpreter (see run()).
  [[nodiscard]] bool may_need_interpreter() const { return may_give_up_; }
  [[nodiscard]] std::string take_output() { return reference_->take_output(); }

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
