// `x[i] += ...` in a loop: the same thread stores to the same address again and again, where a
// register would do. Seen in what one warp asked: the line stores to one array, and the addresses
// repeat. Loads of the sum may be gone: the compiler may forward what was stored, and not drop it.
#include <fmt/core.h>

#include <algorithm>

#include "warpledger/profile/advice/finding.h"
#include "warpledger/profile/time/path.h"

namespace warpledger::profile {
namespace {

constexpr double kRepeats = 4;   // stores per address and warp
constexpr double kUnrolled = 4;  // iterations that nvcc unrolls if no store is between loads

struct Accumulator {
  SourceLine source = {};
  std::string array = {};
  bool is_loaded = false;  // again in every iteration, too
  double repeats = 0;      // stores of a warp to each address
  uint64_t stores = 0;     // of the watched warp
};

double repeats_of(const WarpSample& sample) {
  return static_cast<double>(sample.addresses) /
         static_cast<double>(std::max<uint64_t>(1, sample.unique_addresses));
}

std::vector<Accumulator> accumulators_of(const Profile& profile) {
  std::vector<Accumulator> found;
  for (const WarpSample& store : profile.samples) {
    if (store.kind != trace::Kind::kStore || store.array.empty() || repeats_of(store) < kRepeats) {
      continue;
    }
    const bool loads =
        std::any_of(profile.samples.begin(), profile.samples.end(), [&](const WarpSample& load) {
          return load.kind == trace::Kind::kLoad && load.source == store.source &&
                 load.array == store.array && repeats_of(load) >= kRepeats;
        });
    // Values that others read between barriers must be stored.
    const bool shares = profile.execution.barriers >= profile.execution.warps * store.requests;
    if (!shares) {
      found.push_back({store.source, store.array, loads, repeats_of(store), store.requests});
    }
  }
  return found;
}

bool belongs(const Group& group, const Accumulator& one) {
  const bool plain = group.kind == trace::Kind::kLoad || group.kind == trace::Kind::kStore;
  return plain && group.space == trace::Space::kGlobal && group.source == one.source &&
         group.array == one.array;
}

void keep_share(memory::SiteCounters& site, double kept) {
  memory::RequestCounters& request = site.request;
  for (uint64_t* n : {&request.instructions, &request.requests, &request.lanes, &request.sectors,
                      &request.theoretical_sectors, &request.ideal_sectors, &request.tags,
                      &request.data_wavefronts, &request.ideal_wavefronts, &request.words,
                      &site.tag_wavefronts, &site.l2_partial_requests}) {
    *n = static_cast<uint64_t>(static_cast<double>(*n) * kept);
  }
}

/// The accesses that are left, and loads of the loop that are then in flight together.
double saving_without(const Evidence& evidence, const Accumulator& one) {
  memory::Counters after = evidence.counters;
  const double kept = 1 / one.repeats;
  for (const Group& group : groups_of(evidence)) {
    if (!belongs(group, one)) continue;
    for (const size_t i : group.sites) {
      scale_traffic(after, i, kept, group.kind == trace::Kind::kStore);
      keep_share(after.sites[i], kept);
    }
  }
  const Evidence better{evidence.profile, after};
  const auto latency = time::latencies(evidence.profile.gpu);
  if (!evidence.profile.timing || !latency) return saving_of(evidence, better);
  time::Path path = time::path_of(*evidence.profile.timing);
  const double waits = std::min(path.waits, static_cast<double>(one.stores));
  const double fewer = waits * (1 - 1 / kUnrolled);
  path.cycles =
      std::max(path.cycles - fewer * time::mean_wait(evidence, *latency), path.cycles / kUnrolled);
  path.waits -= fewer;
  return saving_of(evidence, better, path);
}

}  // namespace

void find_memory_accumulators(const Evidence& evidence, std::vector<Finding>& findings) {
  for (const Accumulator& one : accumulators_of(evidence.profile)) {
    const std::string line = to_text(one.source);
    Finding finding{
        .code = to_text(FindingCode::kMemoryAccumulator),
        .title = fmt::format("{} is {}stored in every iteration{}", one.array,
                             one.is_loaded ? "loaded and " : "", line.empty() ? "" : ": " + line),
        .where = one.source};
    finding.because.push_back(fmt::format(
        "a thread stores {} times to the same address; the compiler keeps the stores, because "
        "other pointers may point there, and cannot move loads of later iterations before them",
        in_words(one.repeats)));
    finding.remedy =
        "accumulate in a local variable (a register) and store once after the loop; __restrict__ "
        "on the pointers lets the compiler do it";
    finding.saving = saving_without(evidence, one);
    findings.push_back(std::move(finding));
  }
}

}  // namespace warpledger::profile
