// Launches of a benchmark: their durations, and nothing else (benchmark.h).
#include <cstring>

#include "interpose/benchmark_values.h"
#include "interpose/core.h"
#include "warpledger/base/fallback.h"
#include "warpledger/base/word_hash.h"
#include "warpledger/exec/memory/live.h"
#include "warpledger/profile/sampling/quick.h"
#include "warpledger/ptx/module.h"

namespace warpledger::cuda {
namespace {

constexpr uint64_t kMostHashedBytes = uint64_t{1} << 30;

template <class T>
void append(std::string& key, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// False where there is too much of it.
bool add_memory(const exec::DeviceMemory& memory, std::string& key) {
  if (memory.bytes_in_use() > kMostHashedBytes) return false;
  for (const auto& [address, bytes] : exec::live_bytes(memory)) {
    append(key, address);
    append(key, hash_words(bytes));
  }
  return true;
}

/// Pointers by what they point to: a tensor that is made anew at each call has another address.
void add_parameters(const LaunchRequest& request, const exec::DeviceMemory& memory,
                    std::string& key) {
  std::vector<std::byte> params = request.params;
  std::vector<uint64_t> seen;
  for (const uint64_t offset : parameter_offsets(*request.kernel)) {
    uint64_t value = 0;
    if (offset % sizeof value != 0 || offset + sizeof value > params.size()) continue;
    std::memcpy(&value, params.data() + offset, sizeof value);
    const exec::Allocation* held = memory.holding(value);
    if (held == nullptr) continue;
    const auto number = std::ranges::find(seen, held->address) - seen.begin();
    if (static_cast<size_t>(number) == seen.size()) seen.push_back(held->address);
    append(key, number);
    append(key, held->bytes);
    value -= held->address;
    std::memcpy(params.data() + offset, &value, sizeof value);
  }
  key.append(reinterpret_cast<const char*>(params.data()), params.size());
}

}  // namespace

// Launches with equal keys take equally long, but for where their arrays lie. Empty: nobody can
// say.
std::string Core::timing_key(const LaunchRequest& request, uint64_t workspace) const {
  std::string key;
  append(key, request.kernel);
  append(key, request.grid);
  append(key, request.block);
  append(key, request.cluster);
  append(key, request.dynamic_shared_bytes);
  append(key, request.is_cooperative);
  append(key, request.kernel->cache_preference);
  append(key, request.kernel->carveout_percent.value_or(-1));
  const exec::DeviceMemory& memory = request.kernel->module->image().memory();
  add_parameters(request, memory, key);
  if (!is_fixed(request, workspace) && !add_memory(memory, key)) return {};
  return key;
}

Core::Outcome Core::run_timed(const LaunchRequest& request, uint64_t workspace, bool report) {
  // Lent mappings hold other things of the program, which cannot be put back.
  if (benchmarks_.computes_values() || !memory_.can_begin_again())
    return run_modeled(request, workspace, report, nullptr);
  const std::string key = timing_key(request, workspace);
  const TimedLaunch* known = benchmarks_.find(key);
  if (known != nullptr && (!report || !known->profile.empty())) {
    if (report) report_.add_launch(known->profile, filter_.wanted() - 1, ReportWriter::Way::kSame);
    return {.seconds = known->seconds, .profile = known->profile};
  }
  return run_discarded(request, workspace, report, key);
}

Core::Outcome Core::run_discarded(const LaunchRequest& request, uint64_t workspace, bool report,
                                  const std::string& key) {
  profile::Placed placed = place(request, workspace);
  placed.discards = true;
  placed.reads_memory = !is_fixed(request, workspace);
  profile::Request asked = profile_request(request);
  asked.placed = &placed;
  asked.engine.values = exec::Values::kOff;
  asked.check_races = asked.check_global = false;
  asked.sampling = profile::kQuickSampling;
  asked.only_timed = !report;
  if (report) asked.progress = progress_.profiling(filter_.wanted() - 1);
  Result<profile::Profile> made = make_profile(request, asked);
  request.kernel->needs_interpreter |= placed.began_again;
  if (!made && made.error().fallback == Fallback::kValues) {
    benchmarks_.need_values();
    return {};
  }
  if (!made && error_of(made.error())) return {.fault = made.error()};
  if (!made) {
    say("not timed: " + made.error().message);
    return {};
  }
  progress_.note_compiling(made->compile_seconds);
  TimedLaunch timed{.seconds = made->timing ? made->timing->seconds() : 0};
  if (report) timed.profile = add_to_report(request, *made);
  benchmarks_.keep(key, timed);
  return {.output = made->output, .seconds = timed.seconds, .profile = timed.profile};
}

std::string Core::add_to_report(const LaunchRequest& request, const profile::Profile& profile) {
  std::string name = report_.add(profile);
  if (settings_.code) report_.add_code(name, request.kernel->module->code().source->text());
  if (benchmarks_.is_on()) report_.add_purpose(name, benchmarks_.purpose().text);
  report_.add_launch(name, filter_.wanted() - 1, ReportWriter::Way::kModel);
  return name;
}

// What was not computed stays so when it is copied; the host cannot have it.
void Core::follow_values(uint64_t to, uint64_t from, uint64_t bytes) {
  exec::Poison& poison = memory_.device().poison();
  if (poison.empty()) return;
  const bool is_poison = from != 0 && poison.touches(from, bytes);
  if (!is_poison) return poison.remove(to, bytes);
  if (memory_.is_ours(to)) return poison.add(to, bytes);
  benchmarks_.need_values();
}

bool lacks_values(Core& core, uint64_t address, uint64_t bytes) {
  return core.memory().device().poison().touches(address, bytes);
}

void note_values(Core& core, uint64_t address, uint64_t bytes, bool has_values) {
  exec::Poison& poison = core.memory().device().poison();
  if (has_values) {
    poison.remove(address, bytes);
  } else if (core.benchmarks().is_on()) {
    poison.add(address, bytes);
  }
}

bool Core::end_benchmark() {
  const bool needed = benchmarks_.end();
  if (!benchmarks_.is_on()) memory_.device().poison() = {};
  return needed;
}

}  // namespace warpledger::cuda
