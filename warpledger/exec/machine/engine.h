// A launch of machine code: exec/decode/engine.h's seam, for the code in a cubin.
#pragma once

#include "warpledger/exec/decode/engine.h"
#include "warpledger/exec/machine/record.h"
#include "warpledger/exec/machine/warp.h"
#include "warpledger/trace/sink.h"

namespace warpledger::exec::machine {

class Engine : public exec::Engine {
 public:
  /// Loads `cubin`, made of the module that `image` holds (loader.h). The image must outlive the
  /// engine. `records`: false: buffers hold nothing but starts and ends.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> create(
      Image& image, const exec::Launch& launch, std::string cubin, const Limits& limits = {},
      bool records = true, Spellings allowed = Spellings::kVerified);

  [[nodiscard]] const trace::Launch& launch() const override { return trace_launch_; }
  [[nodiscard]] trace::Freedom freedom() const override { return freedom_; }
  void set_slots(uint32_t slots) override;
  void start(uint32_t slot, uint64_t cta) override;
  Result<trace::Progress> run(uint32_t slot, uint32_t budget) override;
  [[nodiscard]] std::span<trace::Buffer> buffers(uint32_t slot) override {
    return slots_[slot].buffers;
  }

  [[nodiscard]] Statistics statistics() const override;
  /// By instruction of the cubin's code, in order of addresses.
  [[nodiscard]] std::vector<InstructionCount> instruction_counts() const override;
  [[nodiscard]] std::string take_output() override { return std::exchange(context_.output, {}); }
  [[nodiscard]] bool compiled() const override { return false; }
  [[nodiscard]] const Listing* listing() const override { return &loaded_.listing; }
  [[nodiscard]] bool renew(const std::vector<std::byte>& params) override;

  /// Machine instructions that warps executed for at least one lane, by spelling as printed:
  /// "IMAD.WIDE.U32".
  [[nodiscard]] std::map<std::string, uint64_t> spellings() const;
  [[nodiscard]] const Loaded& loaded() const { return loaded_; }

 private:
  struct Slot {
    Block block;
    std::vector<trace::Buffer> buffers;
  };
  Engine(Image& image, exec::Launch launch, Loaded loaded, const Limits& limits, bool records);
  /// Runs a warp until it waits or others have their turn; whether it did anything.
  bool run_warp(Slot& slot, Warp& warp);
  /// A block that begins meets those of its cluster that have.
  void join_cluster(Block& block);
  void end_block(Block& block);
  /// No warp of the block can go on: others of its cluster may, or waits at mbarriers are given up.
  Result<trace::Progress> resolve_standstill(Block& block);
  [[nodiscard]] bool is_over_limit() const;
  /// The launch's fault, with who met it.
  [[nodiscard]] Diagnostic located(const Block& block, const Warp& warp) const;

  exec::Launch request_;
  const Image& image_;
  Loaded loaded_;
  Limits limits_;
  Recorder recorder_;
  Context context_;
  Counts counts_;
  trace::Launch trace_launch_;
  trace::Freedom freedom_ = trace::Freedom::kOrdered;
  std::vector<Slot> slots_;
  std::map<uint64_t, std::shared_ptr<Cluster>> clusters_;  // of which not all blocks have begun
  Statistics statistics_;
};

}  // namespace warpledger::exec::machine
