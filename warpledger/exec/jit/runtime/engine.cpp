#include "warpledger/exec/jit/runtime/engine.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "warpledger/exec/decode/communication.h"
#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/special.h"
#include "warpledger/exec/jit/analysis/counts.h"
#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/analysis/partings.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::jit {
namespace {

using reference::Cta;
using State = RunningWarp::State;

constexpr uint32_t kRoundsPerRun = 64;
constexpr uint64_t kInstructionLimit = 200'000'000'000;

// Of mbarriers, only waits stop lanes: for a phase that others of their warp may have to end.
bool waits_for_lanes(const reference::Step& step) {
  if (step.names_all_here) return false;
  const ptx::Family family = step.spelling().opcode().family;
  if (step.spelling().opcode().memory == ptx::MemoryKind::kBarrierObject) return step.polls;
  return family == ptx::Family::kBarrier || family == ptx::Family::kWarp ||
         family == ptx::Family::kTensorCore;
}

bool meets_cluster(const reference::Step& step) {
  const ptx::Op op = step.spelling().op();
  return op == ptx::Op::kBarrierClusterArrive || op == ptx::Op::kBarrierClusterWait;
}

}  // namespace

Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::create(Image& image, const exec::Launch& launch,
                                               CodeCache& cache, const EngineOptions& options,
                                               const Adaptation& adaptation) {
  std::unique_ptr<Engine> engine(new Engine);
  Limits limits = options.limits;
  if (limits.warp_instructions == 0) limits.warp_instructions = kInstructionLimit;
  std::shared_ptr<ValueWatch> watch;
  if (options.values != Values::kOn)
    watch = std::make_shared<ValueWatch>(image.memory(), ValueWatch::Grain::kAllocation);
  WL_TRY(engine->reference_,
         reference::Engine::create(image, launch, limits, std::move(watch), true, adaptation.edit));
  engine->records_ = options.record;
  WL_TRY(engine->analysis_, analyze(engine->reference_->program(), image.module(), launch.block));
  if (adaptation.check) WL_TRY_STATUS(adaptation.check(engine->analysis_));
  const Slice& slice = engine->reference_->slice();
  engine->analysis_.clustered = engine->reference_->cluster_size() > 1;
  engine->analysis_.guesses = !slice.guessed.empty();
  engine->analysis_.warps_run_free =
      slice.is_cut && !slice.order_matters && has_one_barrier(*engine->analysis_.code) &&
      !engine->analysis_.notes_writes;  // a warp must not write what another one's product reads
  WL_TRY(
      engine->compiled_,
      cache.find(
          kernel_text(engine->analysis_, image.module()), engine->analysis_,
          {.record = options.record, .count = options.count, .deadline = options.limits.deadline}));
  engine->prepare();
  return engine;
}

void Engine::prepare() {
  communicates_ = reference::may_communicate(reference_->program());
  windows_ = analysis_.windows;
  patterns_ = std::make_unique<PatternTable>(reference_->shapes());
  matrices_ = std::make_unique<MatrixTable>(*reference_, analysis_);
  transfers_ = std::make_unique<TransferTable>(analysis_, reference_->shapes());
  const Partings partings(analysis_);
  for (uint32_t b = 0; b < analysis_.flow.cfg.blocks.size(); ++b) {
    const ptx::Block& block = analysis_.flow.cfg.blocks[b];
    uint32_t records = 1;
    for (uint32_t pc = block.first; pc < block.end; ++pc) {
      const reference::Step& step = analysis_.code->steps[pc];
      records += records_of(analysis_, pc);
      meets_simply_ &= !is_barrier(step) || is_block_barrier(step);
      in_step_ |= step.gives_way;
      // What is left of a dropped step may be the interpreter's, unless it is a load or a store.
      interprets_ |= !is_lowered(step) || falls_back(step) ||
                     (step.dropped && !step.vanishes && analysis_.memory_index[pc] == kNowhere);
      const bool guarded = step.guard != UINT32_MAX && !partings.has_uniform_guard(pc);
      asynchronous_ |= is_asynchronous(step);
      joins_ |= meets_cluster(step);
      may_give_up_ |= waits_for_lanes(step) && (guarded || partings.may_be_apart(b));
    }
    room_ = std::max(room_, records);
  }
  // Those of a cluster see from the interpreter's structures who waits.
  if (analysis_.clustered) asynchronous_ = joins_ = true, meets_simply_ = false;
}

void Engine::set_slots(uint32_t slots) {
  reference_->set_slots(slots);
  if (slots_.size() != slots) slots_ = std::vector<Slot>(slots);
  for (uint32_t slot = 0; slot < slots; ++slot) reference_->house(slot, slots_[slot].cta);
  for (Slot& slot : slots_) {  // of an earlier run (renew()) only the stacks are worth keeping
    slot.ctas = slot.ended_instructions = slot.instructions = 0;
    slot.windows.assign(size_t{windows_} * launch().warps(), {});
    slot.counts.assign(CountPlaces(analysis_).size(), 0);
  }
}

void Engine::start(uint32_t slot, uint64_t id) {
  Slot& here = slots_[slot];
  ++here.ctas;
  here.ended_instructions += std::exchange(here.instructions, 0);
  const exec::Launch& request = reference_->request();
  const Extent& grid = request.grid;
  Cta& cta = here.cta;
  cta.id = id;
  cta.slot = slot;
  cta.running = true;
  cta.index = {static_cast<uint32_t>(id % grid[0]), static_cast<uint32_t>(id / grid[0] % grid[1]),
               static_cast<uint32_t>(id / grid[0] / grid[1])};
  cta.shared.reserve(launch().shared_bytes + kWindowReach);
  cta.shared.assign(launch().shared_bytes, std::byte{0});
  const uint32_t warps = launch().warps();
  cta.warps.resize(warps);
  if (asynchronous_) start_asynchronous(cta);
  for (reference::Barrier& barrier : cta.barriers) {
    barrier = {};
    barrier.arrived.assign(warps, 0);
  }
  while (here.warps.size() < warps) {
    here.warps.push_back(std::make_unique<RunningWarp>());
    const std::lock_guard lock(stacks_mutex_);
    here.warps.back()->stack = stacks_.take();
    WL_CHECK(here.warps.back()->stack != nullptr);
    place_threads(*here.warps.back(), static_cast<uint32_t>(here.warps.size() - 1));
  }
  here.cta.events = here.events = here.quiet = 0;
  if (joins_) reference_->join_cluster(cta);
  start_log(here);
  here.rendezvous.start(warps);
  here.latest = warps - 1;
  for (uint32_t index = 0; index < warps; ++index) {
    start_warp(here, index);
    here.warps[index]->next = here.warps[(index + 1) % warps].get();
  }
}

void Engine::start_asynchronous(Cta& cta) const {
  cta.arrivals.clear();
  cta.phases.clear();
  cta.use = {};
  cta.use.guesses = analysis_.guesses;
  cta.tensor = {};
  const std::vector<bool>& touching = analysis_.may_touch_results;
  for (reference::Warp& warp : cta.warps) {
    warp.bulk = {};
    warp.matrix.open.clear();
    warp.matrix.groups.clear();
    warp.matrix.committed = warp.matrix.read = 0;
    warp.matrix.marks.clear();
    warp.matrix.is_watched = std::ranges::find(touching, true) != touching.end();
    warp.at_cluster_barrier = 0;
  }
}

void Engine::start_warp(Slot& slot, uint32_t index) {
  reference::Warp& warp = start_interpreted(slot, index);
  trace::Buffer& buffer = reference_->buffer(slot.cta, warp);
  buffer.push(trace::mark(trace::Mark::kCtaStart, slot.cta.id));
  buffer.reserve(room_);
  RunningWarp& running = *slot.warps[index];
  running.engine = reference_.get();
  running.cta = &slot.cta;
  running.warp = &warp;
  running.patterns = patterns_.get();
  running.kernel = compiled_.function;
  running.analysis = &analysis_;
  running.matrices = matrices_.get();
  running.transfers = transfers_.get();
  running.instructions = &slot.instructions;
  running.executed = warp.steps = 0;
  running.room = room_;
  running.records = records_;
  running.in_step = in_step_;
  running.joins = joins_;
  running.latest = &slot.latest;
  running.held = &buffer;
  running.vigil.start();
  running.polled = false;
  running.order.start(warp.alive);
  running.rendezvous = meets_simply_ ? &slot.rendezvous : nullptr;
  fill_context(slot, running);
  running.state = State::kReady;
  running.fiber.start(running.stack, run_warp, &running);
}

// The interpreter's warp: what its functions see, and no more of it than some step asks for.
reference::Warp& Engine::start_interpreted(Slot& slot, uint32_t index) {
  const reference::Code& code = *reference_->program().codes[0];
  reference::Warp& warp = slot.cta.warps[index];
  warp.index = index;
  const uint32_t threads = std::min(launch().threads() - index * 32, 32u);
  warp.alive = threads == 32 ? ~Lanes{0} : (Lanes{1} << threads) - 1;
  warp.fragments.assign(1, {.lanes = warp.alive});
  warp.joins.clear();
  warp.activations.resize(1);
  warp.activations[0].code = &code;
  if (interprets_) warp.activations[0].registers.resize(size_t{code.slots} * 32);
  if (interprets_ || code.frame_bytes != 0) {
    for (auto& stack : warp.stack) stack.assign(code.frame_bytes, std::byte{0});
    warp.copies.clear();
    warp.carry = {};
  }
  return warp;
}

// The same in every block, so said once.
void Engine::place_threads(RunningWarp& running, uint32_t index) {
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const Extent thread =
        reference::thread_index(reference_->request().block, index, static_cast<int>(lane));
    for (size_t axis = 0; axis < 3; ++axis) running.context.tid[axis][lane] = thread[axis];
  }
}

// What compiled code sees.
void Engine::fill_context(Slot& slot, RunningWarp& running) {
  const exec::Launch& request = reference_->request();
  const reference::Warp& warp = *running.warp;
  WarpContext& context = running.context;
  std::copy_n(slot.cta.index.begin(), 3, context.ctaid);
  std::copy_n(request.grid.begin(), 3, context.nctaid);
  context.warpid = warp.index;
  context.mask = context.alive = warp.alive;
  context.acted = 0;
  context.fuel = kTurnInstructions;
  context.record = running.held->end();
  context.limit = running.held->limit();
  context.global =
      reinterpret_cast<uint64_t>(reference_->image().memory().host_base()) - kGlobalBase;
  context.shared = reinterpret_cast<uint64_t>(slot.cta.shared.data());
  context.constants = reinterpret_cast<uint64_t>(reference_->image().constants().data());
  context.params = request.params.data();
  context.registers = running.warp->activations[0].registers.data();
  context.windows = slot.windows.data() + size_t{warp.index} * windows_;
  context.patterns = patterns_.get();
  context.counts =
      slot.own_counts.empty() ? slot.counts.data() : slot.own_counts[warp.index].data();
  context.warp = &running;
  context.rank_bits = static_cast<uint32_t>(reference::rank_bits(*reference_, slot.cta));
  // What peers copy there this CTA does not hear of at once.
  context.notes = analysis_.clustered || slot.cta.use.is_noted() ? 1 : 0;
}

Result<trace::Progress> Engine::run(uint32_t slot, uint32_t budget) {
  if (!reference_->limits().is_late()) return advance(slot, budget);
  // Warps in a loop say where they are at its next turn; a block of others is named.
  for (const auto& warp : slots_[slot].warps) warp->context.fuel = -1;
  const Result<trace::Progress> last = advance(slot, budget);
  if (!last) return last;
  const Extent& block = slots_[slot].cta.index;
  return Diagnostic{
      .message = fmt::format("kernel timed out (compiled), in kernel '{}', block "
                             "({},{},{})",
                             reference_->program().kernel->name, block[0], block[1], block[2]),
      .hint = kTimeLimitHint,
      .code = kTimeLimit,
      .fallback = Fallback::kMoreTime};
}

// The next warp behind the one that ran last, round by round.
Result<trace::Progress> Engine::advance(uint32_t slot, uint32_t budget) {
  Slot& here = slots_[slot];
  const auto warps = static_cast<uint32_t>(here.warps.size());
  bool ran = false;
  if (joins_ && reference_->cluster(here.cta).started < reference_->cluster_size())
    return trace::Progress::kBlocked;
  for (uint32_t round = 0; round < kRoundsPerRun; ++round) {
    bool moved = false, living = false, full = false;
    for (uint32_t i = 0; i < warps; ++i) {
      const uint32_t index = (here.latest + 1) % warps;
      RunningWarp& warp = *here.warps[index];
      const bool stuffed = warp.state == State::kFull && warp.buffer().held().size() >= budget;
      if (stuffed && in_step_ && ran) return trace::Progress::kRunning;
      here.latest = index;
      if (warp.state == State::kEnded) continue;
      living = true;
      full |= stuffed;
      if (warp.waits() || (stuffed && !in_step_)) continue;
      warp.budget = budget + (stuffed ? static_cast<uint32_t>(warp.buffer().held().size()) : 0);
      warp.fiber.resume();
      if (reference_->fault(here.cta)) return *reference_->fault(here.cta);
      moved = ran = true;
    }
    if (!living) return end(here);
    if (moved) continue;
    if (full) return trace::Progress::kRunning;
    const Stuck stuck = resolve_standstill(here);
    if (stuck == Stuck::kFault) return *reference_->fault(here.cta);
    if (stuck == Stuck::kOthersMayHelp)
      return ran ? trace::Progress::kRunning : trace::Progress::kBlocked;
  }
  if (has_ended(here)) return end(here);  // in the last round
  if (!polls_in_vain(here) || !waits_in_vain(here)) return trace::Progress::kRunning;
  return all_wait() ? Result<trace::Progress>(describe_vigils(here)) : trace::Progress::kBlocked;
}

Result<trace::Progress> Engine::end(Slot& slot) {
  if (!std::exchange(slot.cta.running, false)) return trace::Progress::kEnded;
  if (asynchronous_) reference_->finish_asynchronous(slot.cta);
  end_log(slot);
  if (joins_) reference_->leave_cluster(slot.cta);
  if (reference_->fault(slot.cta)) return *reference_->fault(slot.cta);
  return trace::Progress::kEnded;
}

}  // namespace warpledger::exec::jit
