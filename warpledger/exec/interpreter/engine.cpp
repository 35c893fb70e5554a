#include "warpledger/exec/interpreter/engine.h"

#include <fmt/core.h>

#include <utility>

#include "warpledger/exec/decode/inline.h"
#include "warpledger/exec/decode/slice/turns.h"
#include "warpledger/exec/interpreter/async/bulk.h"
#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/async/mbarrier.h"
#include "warpledger/exec/interpreter/async/warpgroup.h"
#include "warpledger/exec/interpreter/barrier.h"
#include "warpledger/exec/interpreter/converge.h"
#include "warpledger/exec/interpreter/deadlock.h"
#include "warpledger/exec/interpreter/groups.h"
#include "warpledger/exec/interpreter/register_watch.h"
#include "warpledger/exec/interpreter/special.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::reference {
namespace {

constexpr uint32_t kTurnsPerRun = 64;  // of each warp, in one call of run()
constexpr uint64_t kInstructionLimit = 200'000'000;
constexpr uint64_t kClockInstructions = 1 << 10;  // between looks at the clock

bool waits_again(const Warp& warp, uint32_t fragment) {
  return fragment < warp.fragments.size() && waits_again(warp.fragments[fragment].wait);
}

uint32_t threads_of(const Extent& block) { return block[0] * block[1] * block[2]; }

Lanes guarded(const Context& context, const Step& step, Lanes lanes) {
  if (step.guard == UINT32_MAX) return lanes;
  Lanes passed = 0;
  for_each_lane(lanes, [&](int lane) {
    const uint64_t bit =
        context.frame().registers[step.guard * kWarpSize + static_cast<uint32_t>(lane)] & 1;
    if ((bit != 0) != step.guard_negated) passed |= 1u << lane;
  });
  return passed;
}

}  // namespace

Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::create(Image& image, const exec::Launch& launch,
                                               const Limits& limits,
                                               std::shared_ptr<ValueWatch> watch, bool inlined,
                                               const EditProgram& edit) {
  WL_TRY(const ptx::Function* kernel, find_kernel(image.module(), launch.kernel));
  WL_TRY_STATUS(check_launch(image.module(), *kernel, launch));
  std::unique_ptr<Engine> engine(new Engine);
  engine->image_ = &image;
  engine->request_ = launch;
  engine->cluster_extent_ = cluster_of(*kernel, launch);
  engine->limits_ = limits;
  if (limits.warp_instructions == 0) engine->limits_.warp_instructions = kInstructionLimit;
  WL_TRY(engine->program_, decode(image, *kernel));
  link_handlers(engine->program_);
  if (launch.params.size() < engine->program_.layout.param_bytes) {
    return Diagnostic{.message = fmt::format(
                          "kernel '{}' takes {} bytes of parameters, {} were given", kernel->name,
                          engine->program_.layout.param_bytes, launch.params.size()),
                      .code = "bad-launch"};
  }
  engine->instruction_counts_.resize(engine->program_.instructions());
  if (inlined && has_calls(engine->program_, image.module())) WL_TRY_STATUS(engine->set_calls_in());
  if (watch != nullptr) engine->slice_ = cut_slice(engine->program_, image, launch);
  if (engine->slice_.is_cut) engine->watch_ = std::move(watch);
  if (engine->slice_.is_cut || engine->program_.originals.empty())
    mark_turns(engine->program_, image, launch);
  if (edit) edit(engine->program_);
  engine->allocations_ = allocations_of(launch, image);
  engine->trace_launch_ = {
      .grid = launch.grid,
      .block = launch.block,
      .shared_bytes = static_cast<uint32_t>(engine->program_.layout.static_shared_bytes) +
                      launch.dynamic_shared_bytes,
      .sites = &engine->program_.sites,
      .shapes = &engine->shapes_};
  return engine;
}

// With values, warps give way where they do when calls are calls.
Status Engine::set_calls_in() {
  mark_turns(program_, *image_, request_);
  WL_TRY_STATUS(inline_calls(program_, image_->module()));
  link_handlers(program_);
  return {};
}

void Engine::log_block(uint64_t cta) {
  const auto makes = [](const Step& step) {
    return step.spelling().op() == ptx::Op::kMbarrierInit;
  };
  for (const auto& code : program_.codes) {
    if (std::any_of(code->steps.begin(), code->steps.end(), makes))
      return recorder_.open(cta, program_.instructions());
  }
}

bool Engine::renew(const std::vector<std::byte>& params) {
  if (watch_ != nullptr || params.size() != request_.params.size()) return false;
  request_.params = params;
  // Code that is compiled gives way where the earlier parameters had it.
  if (allocations_of(request_, *image_) != allocations_) return false;
  statistics_ = {};
  for (Slot& slot : slots_) slot = {};
  std::fill(instruction_counts_.begin(), instruction_counts_.end(), InstructionCount{});
  recorder_.clear();
  return true;
}

void Engine::set_slots(uint32_t slots) {
  ctas_.resize(slots);
  clusters_.clear();
  residents_.clear();
  for (Cta& cta : ctas_) residents_.push_back(&cta);
  slots_.resize(slots);
  buffers_.resize(slots);
  for (auto& buffers : buffers_) buffers = std::vector<trace::Buffer>(trace_launch_.warps());
}

void Engine::start(uint32_t slot, uint64_t id) {
  Cta& cta = ctas_[slot];
  cta = Cta{.id = id, .slot = slot, .running = true};
  const Extent& grid = request_.grid;
  cta.index = {static_cast<uint32_t>(id % grid[0]), static_cast<uint32_t>(id / grid[0] % grid[1]),
               static_cast<uint32_t>(id / grid[0] / grid[1])};
  cta.shared.resize(trace_launch_.shared_bytes);
  const uint32_t threads = threads_of(request_.block);
  const Code& code = *program_.codes[0];
  for (uint32_t index = 0; index < trace_launch_.warps(); ++index) {
    Warp& warp = cta.warps.emplace_back();
    warp.index = index;
    const uint32_t here = std::min<uint32_t>(threads - index * kWarpSize, kWarpSize);
    warp.alive = here == kWarpSize ? ~Lanes{0} : (Lanes{1} << here) - 1;
    Activation& activation = warp.activations.emplace_back();
    activation.code = &code;
    activation.registers.assign(size_t{code.slots} * kWarpSize, 0);
    for (auto& stack : warp.stack) stack.resize(code.frame_bytes);
    warp.fragments.push_back({.lanes = warp.alive});
    warp.fuel = kTurnInstructions;
    buffers_[slot][index].push(trace::mark(trace::Mark::kCtaStart, id));
  }
  recorder_.start(cta);
  for (Barrier& barrier : cta.barriers) barrier.arrived.assign(cta.warps.size(), 0);
  join_cluster(cta);
  ++statistics_.ctas;
  statistics_.warps += cta.warps.size();
}

Result<trace::Progress> Engine::run(uint32_t slot, uint32_t budget) {
  Cta& cta = ctas_[slot];
  if (cluster(cta).started < cluster_size()) return trace::Progress::kBlocked;
  bool moved = false;
  for (uint32_t turn = 0; turn < kTurnsPerRun; ++turn) {
    bool any = false, full = false, living = false;
    for (Warp& warp : cta.warps) {
      if (warp.fragments.empty()) continue;
      any |= run_warp(cta, warp);
      if (fault(cta)) return *fault(cta);
      living |= !warp.fragments.empty();
      full |= buffers_[slot][warp.index].held().size() >= budget;
    }
    if (!living) {
      end_cta(cta);
      if (fault(cta)) return *fault(cta);
      return trace::Progress::kEnded;
    }
    const Stuck stuck = any ? Stuck::kGoOn : resolve_standstill(cta);
    if (stuck == Stuck::kFault) return *fault(cta);
    if (stuck == Stuck::kOthersMayHelp) break;
    moved = true;
    if (full) break;
  }
  return moved ? trace::Progress::kRunning : trace::Progress::kBlocked;
}

bool Engine::run_warp(Cta& cta, Warp& warp) {
  for (uint32_t i = 0;; ++i) {
    settle(warp);
    if (warp.fragments.empty()) {
      end_warp(cta, warp);
      return true;
    }
    const uint32_t fragment = choose_fragment(warp);
    if (fragment == kNone) return i > 0;
    if (gives_way(warp, fragment)) return true;
    step(cta, warp, fragment);
    if (fault(cta)) return true;
  }
}

// Compiled code does the same: exec/decode/slice/turns.h.
bool Engine::gives_way(Warp& warp, uint32_t fragment) const {
  using GaveWay = Warp::GaveWay;
  const Fragment& here = warp.fragments[fragment];
  const Code& code = *warp.activations[here.activation].code;
  const GaveWay before = std::exchange(warp.gave_way, GaveWay::kNot);
  if (here.pc >= code.steps.size() || before == GaveWay::kAtStep) return false;
  const Step& step = code.steps[here.pc];
  const auto block = static_cast<int64_t>(step.loop_block);
  if (before == GaveWay::kNot && block > 0 && warp.fuel < block) {
    warp.fuel = kTurnInstructions + block;
    warp.gave_way = GaveWay::kAtLoop;
  } else if (step.gives_way) {
    warp.gave_way = GaveWay::kAtStep;
  }
  return warp.gave_way != GaveWay::kNot;
}

void Engine::step(Cta& cta, Warp& warp, uint32_t fragment) {
  const uint32_t pc = warp.fragments[fragment].pc, activation = warp.fragments[fragment].activation;
  const Code& code = *warp.activations[activation].code;
  Context context{*this, cta, warp, fragment, activation, warp.fragments[fragment].lanes};
  if (pc >= code.steps.size()) {  // falling off the end returns
    copy_results(context, context.lanes);
    return leave(context, context.lanes);
  }
  const Step& step = code.steps[pc];
  context.lanes = guarded(context, step, context.lanes);
  ++warp.steps;
  --warp.fuel;
  if (step.polls) ++warp.polls;
  if (!may_run(context, step)) return;
  trace::Buffer& buffer = buffers_[cta.slot][warp.index];
  if (!warp.matrix.marks.empty() && !leaves_matrix_work_alone(context, step)) return;
  if (step.mark_before) buffer.push(trace::mark(trace::Mark::kUse, 0, step.number));
  const Lanes lanes = context.lanes;  // run() may gather others
  const Outcome outcome = step.vanishes ? Outcome::kNext : step.run(context, step);
  const bool is_over = outcome != Outcome::kStay || !waits_again(warp, context.fragment);
  if (is_over) count(step, lanes);
  if (is_over && cta.log != nullptr) ++cta.log->warps[warp.index].executions[step.number];
  if (!is_over && step.mark_before) buffer.set_end(buffer.end() - 1);  // it comes again
  if (outcome == Outcome::kNext) ++warp.fragments[context.fragment].pc;
  if (is_over && step.mark_after) buffer.push(trace::mark(trace::Mark::kUse, 0, step.number));
}

bool Engine::may_run(const Context& context, const Step& step) const {
  const int lane = __builtin_ctz(context.here().lanes);
  const uint64_t done = statistics_.warp_instructions;
  if (done >= limits_.warp_instructions) {
    context.fault(step, lane, fmt::format("stopped after {} warp instructions", done), "step-limit",
                  "this may be an infinite loop; otherwise raise --limit", Fallback::kMoreSteps);
  } else if ((done + 1) % kClockInstructions == 0 && limits_.is_late()) {
    const std::string why = why_not().empty() ? "" : ": " + why_not();
    context.fault(step, lane, fmt::format("kernel timed out (interpreted{})", why), kTimeLimit,
                  kTimeLimitHint, Fallback::kMoreTime);
  } else if (step.run == nullptr) {
    context.fault(step, lane, fmt::format("'{}' is not executed yet", step.spelling().text),
                  "unsupported-opcode", "see docs/ptx-support.md");
  } else {
    return true;
  }
  return false;
}

// A step that waits and is executed again is counted when its wait ends.
void Engine::count(const Step& step, Lanes lanes) {
  const auto active = static_cast<uint64_t>(__builtin_popcount(lanes));
  ++statistics_.warp_instructions;
  statistics_.thread_instructions += active;
  ++statistics_.by_family[static_cast<size_t>(step.spelling().opcode().family)];
  ++instruction_counts_[step.number].executions;
  instruction_counts_[step.number].lanes += active;
}

void Engine::end_warp(Cta& cta, Warp& warp) {
  buffers_[cta.slot][warp.index].push(trace::mark(trace::Mark::kWarpEnd));
  warp.joins.clear();
  warp.activations.clear();
  ++cta.events;
  release_barriers(*this, cta);
  release_cluster(*this, cta);
  release_warpgroup(cta, warp);
}

void Engine::end_cta(Cta& cta) {
  finish_asynchronous(cta);
  cta.running = false;
  recorder_.end(cta);
  leave_cluster(cta);
}

void Engine::finish_asynchronous(Cta& cta) {
  for (Warp& warp : cta.warps) {
    for (int lane = 0; lane < kWarpSize; ++lane) end_bulk(warp, lane);
  }
  for (const auto& [offset, arrivals] : cta.phases) finish_copies_at(*this, cta, offset);
  const std::string where = fmt::format(", in kernel '{}', block ({},{},{})", program_.kernel->name,
                                        cta.index[0], cta.index[1], cta.index[2]);
  if (cta.tensor.taken() != 0) {
    set_fault(cta, {.message = fmt::format("the block ends with {} columns of tensor memory "
                                           "allocated",
                                           cta.tensor.taken()) +
                               where,
                    .hint = "tcgen05.dealloc must free what tcgen05.alloc allocated",
                    .code = "tensor-memory-leak"});
  }
  for (const auto& [offset, arrivals] : cta.phases) {
    const std::string left = unannounced_text(cta, offset);
    if (!left.empty()) set_fault(cta, {.message = left + where, .code = "unannounced-bytes"});
  }
}

const Result<MatrixProduct>& Engine::product(const ptx::Spelling& spelling) {
  const std::lock_guard lock(products_mutex_);
  const auto found = products_.find(&spelling);
  if (found != products_.end()) return found->second;
  return products_.emplace(&spelling, plan_product(spelling, image_->module().target.number))
      .first->second;
}

Statistics Engine::statistics() const {
  Statistics sum = statistics_;
  for (const Slot& slot : slots_) sum += slot.counts;
  return sum;
}

void Engine::print(const std::string& text) {
  constexpr size_t kMost = size_t{16} << 20;
  output_ += text;
  if (output_.size() < 2 * kMost) return;
  const size_t line = output_.find('\n', kMost);
  const size_t end = line == std::string::npos ? kMost : line + 1;
  dropped_ += end;
  output_.erase(0, end);
}

std::string Engine::take_output() {
  std::string said = std::exchange(output_, {});
  if (const uint64_t dropped = std::exchange(dropped_, 0); dropped > 0)
    said.insert(0, fmt::format("({} bytes of earlier printf output were dropped)\n", dropped));
  return said;
}

Result<Statistics> run_launch(Engine& engine, trace::Sink& sink, uint32_t slots) {
  WL_TRY_STATUS(trace::run_all(engine, sink, slots));
  return engine.statistics();
}

}  // namespace warpledger::exec::reference
