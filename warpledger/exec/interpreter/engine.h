// exec/interpreter/: executes one instruction of one warp at a time, lane by lane, in plain code,
// and is right before it is fast: everything faster is compared with it. async/ is what sm_90 and
// sm_100 do beside their warps: bulk and tensor copies, mbarriers, clusters, wgmma, tcgen05.
//
// The room knows warps, divergence, barriers and the order of execution. It computes nothing
// itself: values come from semantics/, bytes from memory/. It must not know who reads its trace.
//
// This file: the interpreter as an engine: one launch, CTAs in slots, warps in turn.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "warpledger/exec/decode/engine.h"
#include "warpledger/exec/decode/program.h"
#include "warpledger/exec/decode/slice/slice.h"
#include "warpledger/exec/interpreter/async/sync_note.h"
#include "warpledger/exec/interpreter/state.h"
#include "warpledger/exec/semantics/matrix.h"

namespace warpledger::exec::reference {

/// Changes the decoded program of a launch before anything is made of it.
using EditProgram = std::function<void(Program& program)>;

class Engine : public exec::Engine {
 public:
  /// Decodes the kernel. The image must outlive the engine. With `watch` the launch is
  /// address-only where it can be cut (exec/decode/slice/). `inlined`: for compiled code, without
  /// calls (decode/inline.h).
  [[nodiscard]] static Result<std::unique_ptr<Engine>> create(
      Image& image, const exec::Launch& launch, const Limits& limits = {},
      std::shared_ptr<ValueWatch> watch = {}, bool inlined = false, const EditProgram& edit = {});
  ~Engine() override;

  // trace::Producer
  [[nodiscard]] const trace::Launch& launch() const override { return trace_launch_; }
  void set_slots(uint32_t slots) override;
  void start(uint32_t slot, uint64_t cta) override;
  Result<trace::Progress> run(uint32_t slot, uint32_t budget) override;
  [[nodiscard]] std::span<trace::Buffer> buffers(uint32_t slot) override { return buffers_[slot]; }

  [[nodiscard]] Statistics statistics() const override;
  [[nodiscard]] std::vector<InstructionCount> instruction_counts() const override {
    return instruction_counts_;
  }
  [[nodiscard]] std::string take_output() override;
  [[nodiscard]] bool compiled() const override { return false; }
  void log_block(uint64_t cta) override;
  [[nodiscard]] const trace::BlockLog* block_log() const override { return recorder_.log(); }

  [[nodiscard]] bool renew(const std::vector<std::byte>& params) override;

  // For the instructions.
  [[nodiscard]] Image& image() const { return *image_; }
  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] const exec::Launch& request() const { return request_; }
  [[nodiscard]] std::vector<std::byte>& params() { return request_.params; }
  [[nodiscard]] const Limits& limits() const { return limits_; }
  [[nodiscard]] std::shared_ptr<ValueWatch> watch() const override { return watch_; }
  [[nodiscard]] ValueWatch* watching() const { return watch_.get(); }
  [[nodiscard]] const Slice& slice() const { return slice_; }
  /// What an mma or wmma.mma computes, planned once per spelling.
  [[nodiscard]] const Result<MatrixProduct>& product(const ptx::Spelling& spelling);
  /// What the instructions count themselves, in the CTA's slot.
  [[nodiscard]] Statistics& counts(const Cta& cta) { return slots_[cta.slot].counts; }
  [[nodiscard]] trace::Buffer& buffer(const Cta& cta, const Warp& warp) {
    return buffers_[cta.slot][warp.index];
  }
  [[nodiscard]] trace::ShapeTable& shapes() { return shapes_; }
  [[nodiscard]] const std::optional<Diagnostic>& fault(const Cta& cta) const {
    return slots_[cta.slot].fault;
  }
  [[nodiscard]] SyncRecorder& recorder() { return recorder_; }
  void set_fault(const Cta& cta, Diagnostic fault) {
    std::optional<Diagnostic>& first = slots_[cta.slot].fault;
    if (!first) first = std::move(fault);
  }
  [[nodiscard]] uint32_t slots() const { return static_cast<uint32_t>(ctas_.size()); }
  /// How many CTAs a cluster has along each axis, and in all.
  [[nodiscard]] const Extent& cluster_extent() const { return cluster_extent_; }
  [[nodiscard]] uint32_t cluster_size() const {
    return cluster_extent_[0] * cluster_extent_[1] * cluster_extent_[2];
  }
  [[nodiscard]] Cluster& cluster(const Cta& cta);
  [[nodiscard]] uint64_t cluster_id(const Extent& cta_index) const;
  [[nodiscard]] Cta& cta_in(uint32_t slot) { return *residents_[slot]; }
  /// Compiled code has CTAs of its own: `cta` is what peers in its cluster find in the slot.
  void house(uint32_t slot, Cta& cta) { residents_[slot] = &cta; }
  /// The CTA is one of its cluster, of which it may be the first; or is no longer, of which it may
  /// be the last.
  void join_cluster(Cta& cta);
  void leave_cluster(const Cta& cta);
  /// What a CTA has not waited for ends with it; a fault when it leaves something behind.
  void finish_asynchronous(Cta& cta);
  /// Device-side printf. As on a GPU its buffer has an end: the oldest text gives way.
  void print(const std::string& text);

 private:
  /// What a slot's CTAs leave: apart, so that another thread may run another slot (exec/jit/).
  struct alignas(64) Slot {
    Statistics counts;
    std::optional<Diagnostic> fault;
  };
  Engine() = default;
  [[nodiscard]] Status set_calls_in();
  bool run_warp(Cta& cta, Warp& warp);
  [[nodiscard]] bool gives_way(Warp& warp, uint32_t fragment) const;
  void step(Cta& cta, Warp& warp, uint32_t fragment);
  /// False, with a fault: the launch has used up its instructions or its time, or nothing executes
  /// the step.
  [[nodiscard]] bool may_run(const Context& context, const Step& step) const;
  void count(const Step& step, Lanes lanes);
  enum class Stuck { kGoOn, kOthersMayHelp, kFault };
  Stuck resolve_standstill(Cta& cta);
  void end_warp(Cta& cta, Warp& warp);
  void end_cta(Cta& cta);

  Image* image_ = nullptr;
  exec::Launch request_;
  Limits limits_;
  std::shared_ptr<ValueWatch> watch_;
  Program program_;
  Slice slice_;
  std::vector<uint64_t> allocations_;  // what the steps' turns depend on
  trace::Launch trace_launch_;
  trace::ShapeTable shapes_;
  std::vector<Cta> ctas_;
  Extent cluster_extent_ = {1, 1, 1};
  std::mutex clusters_mutex_;
  std::map<uint64_t, Cluster> clusters_;  // that run, by number
  std::vector<Cta*> residents_;           // by slot
  std::vector<std::vector<trace::Buffer>> buffers_;
  Statistics statistics_;
  std::vector<InstructionCount> instruction_counts_;  // by step.number
  std::vector<Slot> slots_;
  SyncRecorder recorder_;
  std::string output_;
  uint64_t dropped_ = 0;  // bytes that output_ held before
  std::mutex products_mutex_;
  std::map<const ptx::Spelling*, Result<MatrixProduct>> products_;
};

/// Runs a whole launch: every CTA, up to `slots` at once, the trace going to `sink`.
[[nodiscard]] Result<Statistics> run_launch(Engine& engine, trace::Sink& sink, uint32_t slots);

}  // namespace warpledger::exec::reference
