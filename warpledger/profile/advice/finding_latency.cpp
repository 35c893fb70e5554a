// Launches that keep no unit busy: what they wait for instead, in numbers.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "warpledger/base/units.h"
#include "warpledger/profile/advice/finding.h"
#include "warpledger/profile/advice/waits.h"
#include "warpledger/profile/time/model.h"

namespace warpledger::profile {
namespace {

constexpr double kMostly = 0.5;  // of the launch
constexpr double kManyBarriers = 4;
constexpr double kWorthSaying = 0.2;
constexpr double kFullWave = 0.8;  // of the last wave's places are taken
constexpr double kFewWaves = 4;    // more, and the last one does not weigh

struct Waits {
  const Profile& profile;
  const Timing& timing;
  time::Latencies latency;
  double overhead = 0;        // of the launch, 0..1
  double of_a_warp = 0;       // share of its path in which a warp waits for memory
  double mean = 0;            // cycles of one wait
  bool idle_is_said = false;  // by a finding of its own
  double waves = 0;           // of the fullest SM, the last one in part
};

double last_wave(double waves) { return waves - std::floor(waves); }

Waits waits_of(const Evidence& evidence, const time::Latencies& latency) {
  const Profile& profile = evidence.profile;
  const Timing& timing = *profile.timing;
  Waits waits{.profile = profile, .timing = timing, .latency = latency};
  waits.overhead = time::launch_overhead(profile.gpu, latency) / timing.elapsed_cycles;
  waits.mean = time::mean_wait(evidence, latency);
  if (timing.path_cycles > 0) {
    waits.of_a_warp = std::min(1.0, timing.path_waits * waits.mean / timing.path_cycles);
  }
  waits.waves = profile.statistics.waves_per_sm;
  return waits;
}

/// Little's law: what DRAM at full speed has under way, and what is (modeled).
void describe_bytes_in_flight(const Evidence& evidence, const Waits& waits, Finding& finding) {
  const memory::DramCounters& dram = evidence.counters.dram;
  const auto bytes = static_cast<double>(kSectorBytes * (dram.read_sectors + dram.write_sectors));
  double busy = 0;
  for (const UnitLoad& load : unit_loads(evidence)) {
    if (load.unit == "DRAM") busy = load.cycles;
  }
  if (busy <= 0 || bytes <= 0) return;
  const double peak = bytes / busy;  // bytes per cycle
  finding.because.push_back(fmt::format(
      "{} are in flight on average, {} would keep DRAM busy (its rate times {} cycles of latency)",
      bytes_in_words(bytes / waits.timing.elapsed_cycles * waits.latency.dram),
      bytes_in_words(peak * waits.latency.dram), in_words(std::round(waits.latency.dram))));
}

std::string barriers_of(const Timing& timing) {
  const double barriers = std::round(timing.path_barriers);
  return barriers < kManyBarriers ? "" : fmt::format(" and at {} barriers", in_words(barriers));
}

void describe_warps(const Waits& waits, Finding& finding) {
  if (waits.of_a_warp >= kWorthSaying) {
    const double times = std::round(waits.timing.path_waits * 10) / 10;
    finding.because.push_back(fmt::format(
        "a warp waits {} for memory, {} cycles{}: {:.0f} % of its {} cycles; {:.1f} of {} warps "
        "are "
        "resident on an SM",
        times == 1 ? "once" : in_words(times) + " times", in_words(std::round(waits.mean)),
        times == 1 ? "" : " each", 100 * waits.of_a_warp,
        in_words(std::round(waits.timing.path_cycles)), waits.timing.resident_warps,
        waits.profile.gpu.architecture.execution.max_warps_per_sm.value));
    return;
  }
  finding.because.push_back(fmt::format(
      "a warp takes {} cycles, most of them from one instruction to the next{}; {:.1f} of {} warps "
      "are resident on an SM",
      in_words(std::round(waits.timing.path_cycles)), barriers_of(waits.timing),
      waits.timing.resident_warps,
      waits.profile.gpu.architecture.execution.max_warps_per_sm.value));
}

void describe_shape(const Waits& waits, Finding& finding) {
  const int64_t blocks = waits.profile.statistics.blocks, sms = waits.profile.gpu.sms.value;
  if (blocks < sms && !waits.idle_is_said) {
    finding.because.push_back(fmt::format("{} {} {} of {} SMs idle", counted(blocks, "block"),
                                          blocks == 1 ? "leaves" : "leave", sms - blocks, sms));
  }
  if (waits.overhead >= kWorthSaying && waits.overhead < kMostly) {
    finding.because.push_back(fmt::format(
        "{:.0f} % of the launch is start-up and tail, whatever it does", 100 * waits.overhead));
  }
  const double last = last_wave(waits.waves);
  if (waits.waves > 1 && waits.waves < kFewWaves && last > 0 && last < kFullWave) {
    finding.because.push_back(
        fmt::format("the grid runs in {:.2f} waves: the last one fills {:.0f} % of the GPU",
                    waits.waves, 100 * last));
  }
}

std::string title_of(const Limit& limit, const Waits& waits) {
  if (waits.overhead >= kMostly) {
    return fmt::format(
        "The launch is too small: {:.0f} % of its {} cycles are start-up and tail (modeled)",
        100 * waits.overhead, in_words(waits.timing.elapsed_cycles));
  }
  return fmt::format(
      "Latency is the limit: the busiest unit, {}, is busy {:.0f} % of the launch (modeled)",
      limit.busiest->unit, 100 * limit.share);
}

bool loads_from_memory(const Evidence& evidence, const SourceLine& source) {
  return std::any_of(evidence.profile.instructions.begin(), evidence.profile.instructions.end(),
                     [&](const Instruction& one) {
                       return evidence.profile.code[one.site.instruction].source == source &&
                              passes_l1_tags(one.site);
                     });
}

/// Where warps wait most, and what the simulated SM without the waits for the line that is awaited
/// longest says these are worth.
std::string describe_wait(const Profile& profile, double saving) {
  const auto longest = longest_wait(profile);
  if (saving < kLeastSaving) return longest ? to_text(*longest) : "";
  const bool is_same = longest && longest->waits_for == profile.awaited->source;
  return fmt::format(
      "{}; without {} the launch takes {:.0f} % less time (simulated again)",
      is_same ? to_text(*longest)
              : fmt::format("{:.0f} % of all warp cycles wait for {}", 100 * profile.awaited->share,
                            to_text(profile.awaited->source)),
      is_same ? "this wait" : "these waits", 100 * saving);
}

std::string remedy_of_wait(const Evidence& evidence, const std::string& otherwise) {
  const SourceLine& source = evidence.profile.awaited->source;
  const char* how = ", or put independent work between it and its first use";
  const bool is_load = loads_from_memory(evidence, source);
  if (is_load)
    how = ": load the next iteration's data before this one's is used (double buffering, cp.async)";
  return fmt::format("start {} {} earlier{}; or {}", is_load ? "the load at" : "the work of",
                     to_text(source), how, otherwise);
}

std::string remedy_of(const Waits& waits) {
  if (waits.overhead >= kMostly) {
    return "give the launch more work, or join it with others: fuse kernels, batch the calls, CUDA "
           "graphs";
  }
  if (waits.of_a_warp >= kWorthSaying) {
    const bool is_empty = waits.profile.statistics.blocks < waits.profile.gpu.sms.value;
    return fmt::format(
        "keep more loads in flight: load two or more elements per thread before the first is used "
        "(unroll, 64 or 128 bits per lane), or {}",
        is_empty ? "split the work over more threads and blocks" : "make more warps resident");
  }
  return "add independent work: several results per thread, unrolled loops, or more warps";
}

/// Half as many waits: two loads in flight where there is one.
double saving_of_pairs(const Evidence& evidence, const Waits& waits) {
  if (waits.of_a_warp < kWorthSaying || waits.overhead >= kMostly) return 0;
  time::Path path = time::path_of(waits.timing);
  path.cycles -= path.waits / 2 * std::min(waits.mean, path.cycles / path.waits);
  path.waits /= 2;
  return saving_of(evidence, evidence, path);
}

}  // namespace

void find_latency_bound(const Evidence& evidence, std::vector<Finding>& findings) {
  const Limit limit = find_limit(evidence);
  const auto latency = time::latencies(evidence.profile.gpu);
  if (limit.kind != Limit::Kind::kLatency || !latency) return;
  Waits waits = waits_of(evidence, *latency);
  waits.idle_is_said = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.topic == Topic::kIdleSms;
  });
  Finding finding{.code = to_text(FindingCode::kLatencyBound),
                  .title = title_of(limit, waits),
                  .remedy = remedy_of(waits),
                  .saving = saving_of_pairs(evidence, waits),
                  .is_limit = true};
  describe_warps(waits, finding);
  const double saving = waits.overhead < kMostly ? saving_without_wait(evidence.profile) : 0;
  if (std::string wait = describe_wait(evidence.profile, saving); !wait.empty()) {
    finding.cause = finding.because.size();
    finding.because.push_back(std::move(wait));
  }
  if (saving >= kLeastSaving) {
    finding.remedy = remedy_of_wait(evidence, finding.remedy);
    finding.saving = saving;
    finding.basis = Basis::kResimulated;
  }
  if (finding.saving > 0) describe_bytes_in_flight(evidence, waits, finding);
  describe_shape(waits, finding);
  findings.push_back(std::move(finding));
}

}  // namespace warpledger::profile
