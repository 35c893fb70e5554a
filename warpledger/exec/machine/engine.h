// A launch of machine code: exec/decode/engine.h's seam, for the code in a cubin.
#pragma once

#include "warpledger/exec/decode/engine.h"
#include "warpledger/exec/machine/warp.h"
#include "warpledger/trace/sink.h"

namespace warpledger::exec::machine {

class Engine : public exec::Engine {
 public:
  /// Loads `cubin`, made of the module that `image` holds (loader.h). The image must outlive the
  /// engine. Records of accesses are not written yet: buffers hold starts and ends alone.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> create(Image& image,
                                                              const exec::Launch& launch,
                                                              std::string cubin,
                                                              const Limits& limits = {});

  [[nodiscard]] const trace::Launch& launch() const override { return trace_launch_; }
  void set_slots(uint32_t slots) override;
  void start(uint32_t slot, uint64_t cta) override;
  Result<trace::Progress> run(uint32_t slot, uint32_t budget) override;
  [[nodiscard]] std::span<trace::Buffer> buffers(uint32_t slot) override {
    return slots_[slot].buffers;
  }

  [[nodiscard]] Statistics statistics() const override;
  /// By instruction of the cubin's code, in order of addresses.
  [[nodiscard]] std::vector<InstructionCount> instruction_counts() const override;
  [[nodiscard]] std::string take_output() override { return {}; }
  [[nodiscard]] bool compiled() const override { return false; }

  /// Machine instructions executed by warps, by spelling as printed: "IMAD.WIDE.U32".
  [[nodiscard]] std::map<std::string, uint64_t> spellings() const;
  [[nodiscard]] const Loaded& loaded() const { return loaded_; }

 private:
  struct Slot {
    Block block;
    std::vector<trace::Buffer> buffers;
  };
  Engine(Image& image, exec::Launch launch, Loaded loaded, const Limits& limits);
  /// Runs a warp until it waits or others have their turn; whether it did anything.
  bool run_warp(Block& block, Warp& warp);
  [[nodiscard]] bool is_over_limit() const;

  exec::Launch request_;
  Loaded loaded_;
  Limits limits_;
  Context context_;
  Counts counts_;
  trace::Launch trace_launch_;
  trace::Sites sites_;
  trace::ShapeTable shapes_;
  std::vector<Slot> slots_;
  Statistics statistics_;
};

}  // namespace warpledger::exec::machine
