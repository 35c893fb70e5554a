#include "warpledger/exec/machine/engine.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/exec/machine/bulk_copy.h"
#include "warpledger/exec/machine/sites.h"
#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/machine/tensor_work.h"
#include "warpledger/exec/machine/waiting.h"
#include "warpledger/ptx/opcode.h"

namespace warpledger::exec::machine {
namespace {

constexpr uint32_t kTurn = 128;  // instructions of a warp before the next warp's
constexpr uint64_t kMostInstructions = 400'000'000;
constexpr uint64_t kQuietRounds = 64;  // without any progress: a deadlock

Extent extent_of(uint64_t linear, const Extent& grid) {
  return {static_cast<uint32_t>(linear % grid[0]),
          static_cast<uint32_t>(linear / grid[0] % grid[1]),
          static_cast<uint32_t>(linear / grid[0] / grid[1])};
}

Warp new_warp(uint32_t index, uint32_t threads, const Loaded& loaded) {
  Warp warp;
  warp.index = index;
  warp.registers.resize(size_t{loaded.registers} * kWarpSize);
  warp.next.fill(loaded.entry);
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const bool exists = index * kWarpSize + lane < threads;
    if (exists) warp.live |= 1U << lane;
    warp.state[lane] = exists ? LaneState::kRuns : LaneState::kExited;
  }
  return warp;
}

/// What printf writes and where malloc finds memory depends on the order of blocks.
bool calls_driver(const Loaded& loaded) {
  return std::any_of(loaded.externals.begin(), loaded.externals.end(),
                     [](const auto& external) { return external.second != "__assertfail"; });
}

}  // namespace

Engine::Engine(Image& image, exec::Launch launch, Loaded loaded, const Limits& limits, bool records)
    : request_(std::move(launch)),
      image_(image),
      loaded_(std::move(loaded)),
      limits_(limits),
      recorder_(loaded_.program, records),
      context_{
          .launch = request_, .loaded = loaded_, .memory = image.memory(), .recorder = &recorder_} {
  const size_t count = loaded_.program.instructions.size();
  counts_ = {std::vector<uint64_t>(count), std::vector<uint64_t>(count)};
  trace_launch_ = {.grid = request_.grid,
                   .block = request_.block,
                   .shared_bytes = loaded_.shared_bytes,
                   .sites = &recorder_.sites(),
                   .shapes = &recorder_.shapes()};
  const bool alone = loaded_.cluster_blocks() == 1;
  if (alone && !may_communicate(loaded_.program) && !calls_driver(loaded_))
    freedom_ = trace::Freedom::kAnyOrder;
}

Result<std::unique_ptr<Engine>> Engine::create(Image& image, const exec::Launch& launch,
                                               std::string cubin, const Limits& limits,
                                               bool records, Spellings allowed) {
  WL_TRY(Loaded loaded, load(image, launch, std::move(cubin), allowed));
  return std::unique_ptr<Engine>(new Engine(image, launch, std::move(loaded), limits, records));
}

bool Engine::renew(const std::vector<std::byte>& params) {
  request_.params = params;
  loaded_.banks[0] = bank_zero(request_, loaded_);
  fill_constants(image_, loaded_.cubin, loaded_.banks[3]);
  std::fill(counts_.executions.begin(), counts_.executions.end(), 0);
  std::fill(counts_.lanes.begin(), counts_.lanes.end(), 0);
  context_.steps = context_.branches = context_.divergent_branches = 0;
  recorder_.forget_counts();
  statistics_ = {};
  return true;
}

void Engine::set_slots(uint32_t slots) {
  slots_.resize(slots);
  clusters_.clear();
}

/// Clusters are boxes of blocks; a block's rank counts along x first.
void Engine::join_cluster(Block& block) {
  const Extent& e = loaded_.cluster;
  const Extent across = {request_.grid[0] / e[0], request_.grid[1] / e[1], request_.grid[2] / e[2]};
  block.rank = block.id[0] % e[0] + e[0] * (block.id[1] % e[1] + e[1] * (block.id[2] % e[2]));
  const uint64_t number =
      block.id[0] / e[0] +
      uint64_t{across[0]} * (block.id[1] / e[1] + uint64_t{across[1]} * (block.id[2] / e[2]));
  std::shared_ptr<Cluster>& joined = clusters_[number];
  if (joined == nullptr) joined = std::make_shared<Cluster>();
  joined->blocks.resize(loaded_.cluster_blocks());
  joined->blocks[block.rank] = &block;
  block.cluster = joined;
  if (++joined->begun == loaded_.cluster_blocks()) clusters_.erase(number);
}

void Engine::start(uint32_t slot, uint64_t cta) {
  Slot& place = slots_[slot];
  place.block = {};
  place.block.id = extent_of(cta, request_.grid);
  place.block.shared.resize(loaded_.shared_bytes);
  place.block.shared_begin = loaded_.layout->shared_begin;
  place.block.books = loaded_.tensor_books;
  join_cluster(place.block);
  begin_books(place.block);
  const uint32_t warps = trace_launch_.warps();
  place.buffers.resize(warps);
  for (uint32_t i = 0; i < warps; ++i) {
    place.block.warps.push_back(new_warp(i, trace_launch_.threads(), loaded_));
    place.buffers[i].clear();
    place.buffers[i].push(trace::mark(trace::Mark::kCtaStart, cta));
  }
  ++statistics_.ctas;
  statistics_.warps += warps;
}

bool Engine::is_over_limit() const {
  const uint64_t most =
      limits_.warp_instructions != 0 ? limits_.warp_instructions : kMostInstructions;
  return context_.steps > most;
}

bool Engine::run_warp(Slot& slot, Warp& warp) {
  context_.block = &slot.block;
  context_.warp = &warp;
  context_.buffer = &slot.buffers[warp.index];
  bool ran = false;
  for (uint32_t i = 0; i < kTurn && warp.live != 0 && !context_.fault; ++i) {
    if (!step(context_, counts_)) break;
    ran = true;
  }
  if (warp.live == 0) context_.buffer->push(trace::mark(trace::Mark::kWarpEnd));
  if (is_over_limit())
    context_.stop({.message = "the launch reached its instruction limit",
                   .code = "step-limit",
                   .fallback = Fallback::kMoreSteps});
  if (limits_.is_late())
    context_.stop({.message = "kernel timed out",
                   .hint = kTimeLimitHint,
                   .code = kTimeLimit,
                   .fallback = Fallback::kMoreTime});
  return ran;
}

Diagnostic Engine::located(const Block& block, const Warp& warp) const {
  Diagnostic fault = *context_.fault;
  fault.message += fmt::format(" (kernel '{}', block ({}, {}, {}), warp {})", request_.kernel,
                               block.id[0], block.id[1], block.id[2], warp.index);
  return fault;
}

Result<trace::Progress> Engine::run(uint32_t slot, uint32_t) {
  Slot& place = slots_[slot];
  Block& block = place.block;
  if (block.cluster->begun < loaded_.cluster_blocks()) return trace::Progress::kBlocked;
  bool ran = false, alive = false;
  for (Warp& warp : block.warps) {
    if (warp.live == 0) continue;
    ran = run_warp(place, warp) || ran;
    if (context_.fault) return located(block, warp);
    alive = alive || warp.live != 0;
  }
  open_barriers(block);
  open_cluster_barrier(*block.cluster);
  block.idle = false;
  if (!alive) {
    end_block(block);
    if (context_.fault) return located(block, block.warps.front());
    return trace::Progress::kEnded;
  }
  if (ran) return trace::Progress::kRunning;
  // Barriers may have opened just now: only a second idle turn is a standstill.
  for (Warp& warp : block.warps)
    if (warp.live != 0 && run_warp(place, warp)) return trace::Progress::kRunning;
  return resolve_standstill(block);
}

void Engine::end_block(Block& block) {
  finish_all_stores(block);
  if (const uint32_t taken = block.tensor.taken(); taken != 0)
    context_.stop({.message = fmt::format("the block ends with {} columns of tensor memory "
                                          "allocated",
                                          taken),
                   .hint = "free them with tcgen05.dealloc",
                   .code = "tensor-memory-leak"});
  block.tensor_queue.clear();
  block.cluster->blocks[block.rank] = nullptr;
  ++block.cluster->events;
  block.idle = true;
  block.idle_at = block.cluster->events;
  open_cluster_barrier(*block.cluster);
}

Result<trace::Progress> Engine::resolve_standstill(Block& block) {
  Cluster& cluster = *block.cluster;
  block.idle = true;
  block.idle_at = cluster.events;
  for (const Block* peer : cluster.blocks)
    if (peer != nullptr && can_move(*peer)) return trace::Progress::kBlocked;
  cluster.quiet = cluster.events == cluster.quiet_at ? cluster.quiet + 1 : 0;
  cluster.quiet_at = cluster.events;
  if (cluster.quiet < kQuietRounds && time_out(cluster)) return trace::Progress::kRunning;
  // Blocks of other clusters may write what this one polls beside its mbarriers.
  for (const Slot& other : slots_) {
    const bool is_elsewhere =
        other.block.cluster != nullptr && other.block.cluster != block.cluster;
    if (is_elsewhere && cluster.quiet >= kQuietRounds && can_move(other.block))
      return trace::Progress::kBlocked;
  }
  context_.fault = describe_standstill(block);
  return located(block, block.warps.front());
}

Statistics Engine::statistics() const {
  Statistics all = statistics_;
  all.by_space = recorder_.counted().by_space;
  all.barriers = recorder_.counted().barriers;
  all.by_family[static_cast<size_t>(ptx::Family::kControl)] = context_.branches;
  all.divergent_branches = context_.divergent_branches;
  for (size_t i = 0; i < counts_.executions.size(); ++i) {
    all.warp_instructions += counts_.executions[i];
    all.thread_instructions += counts_.lanes[i];
  }
  return all;
}

std::vector<InstructionCount> Engine::instruction_counts() const {
  std::vector<InstructionCount> counts;
  for (size_t i = 0; i < counts_.executions.size(); ++i)
    counts.push_back({counts_.executions[i], counts_.lanes[i]});
  return counts;
}

std::map<std::string, uint64_t> Engine::spellings() const {
  std::map<std::string, uint64_t> all;
  for (size_t i = 0; i < counts_.executions.size(); ++i) {
    const std::string& text = loaded_.program.instructions[i].text;
    if (counts_.lanes[i] != 0) all[text.substr(0, text.find(' '))] += counts_.executions[i];
  }
  return all;
}

}  // namespace warpledger::exec::machine
