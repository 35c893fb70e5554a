// A launch of machine code, compiled: exec/jit/ runs the translation, and what it tells is told of
// the machine instructions.
#pragma once

#include <deque>
#include <memory>

#include "warpledger/exec/jit/runtime/engine.h"
#include "warpledger/exec/translate/call.h"
#include "warpledger/exec/translate/translate.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::translate {

/// How lanes that have parted go on: where PTX would join them, if that is the same, or always as
/// the interpreter has it.
enum class Parting { kByCode, kByAddress };

class Engine : public exec::Engine {
 public:
  /// Loads `cubin`, made of the module that `image` holds, as machine::Engine does, and compiles
  /// it. Fails with Fallback::kInterpreter, naming the reason, where machine::Engine must run it.
  /// Image and cache must outlive the engine.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> create(
      Image& image, const exec::Launch& launch, std::string cubin, jit::CodeCache& cache,
      const EngineOptions& options = {}, machine::Spellings allowed = machine::Spellings::kVerified,
      Parting parting = Parting::kByCode);

  [[nodiscard]] const trace::Launch& launch() const override { return trace_launch_; }
  [[nodiscard]] trace::Freedom freedom() const override;
  void set_slots(uint32_t slots) override { compiled_->set_slots(slots); }
  void start(uint32_t slot, uint64_t cta) override { compiled_->start(slot, cta); }
  Result<trace::Progress> run(uint32_t slot, uint32_t budget) override;
  [[nodiscard]] std::span<trace::Buffer> buffers(uint32_t slot) override {
    return compiled_->buffers(slot);
  }

  [[nodiscard]] Statistics statistics() const override;
  [[nodiscard]] std::vector<InstructionCount> instruction_counts() const override;
  [[nodiscard]] std::string take_output() override { return {}; }
  [[nodiscard]] bool compiled() const override { return true; }
  [[nodiscard]] const machine::Listing* listing() const override { return &loaded_.listing; }
  /// Faults are told of a place in the translation: the interpreter runs the launch again and says
  /// which instruction it was.
  [[nodiscard]] bool may_need_interpreter() const override { return true; }
  [[nodiscard]] double compile_seconds() const override { return compiled_->compile_seconds(); }
  [[nodiscard]] bool renew(const std::vector<std::byte>& params) override;

 private:
  Engine() = default;
  [[nodiscard]] Status compile(DeviceMemory& memory, jit::CodeCache& cache,
                               const EngineOptions& options, bool by_address);
  [[nodiscard]] exec::Launch translated_launch() const;
  void adapt(reference::Program& program);
  void fill_constants();

  exec::Launch request_;
  const Image* original_ = nullptr;
  machine::Loaded loaded_;
  trace::Sites sites_;
  Translation translation_;
  std::unique_ptr<ptx::Module> module_;
  std::unique_ptr<Image> image_;
  std::deque<Call> calls_;
  std::vector<bool> uniform_;  // slots of the warp's registers
  std::unique_ptr<jit::Engine> compiled_;
  trace::Launch trace_launch_;
};

}  // namespace warpledger::exec::translate
