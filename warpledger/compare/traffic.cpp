#include "warpledger/compare/traffic.h"

#include <fmt/format.h>

#include <algorithm>

#include "warpledger/base/units.h"
#include "warpledger/profile/value/evidence.h"

namespace warpledger::match {
namespace {

using profile::Profile;
using trace::Space;

Figure figure(uint64_t n, Fidelity fidelity) { return {Amount(static_cast<int64_t>(n)), fidelity}; }

void add(std::optional<Figure>& sum, const std::optional<Figure>& part) {
  if (part) sum = sum ? *sum + *part : *part;
}

class Reader {
 public:
  explicit Reader(KernelTraffic& into) : into_(into) {}

  void add_launch(const Profile& profile) {
    for (size_t i = 0; i < profile.instructions.size(); ++i) add_site(profile, i);
    const memory::DramCounters& dram = profile.counters.dram;
    add(into_.read.dram, figure(kSectorBytes * dram.read_sectors, Fidelity::kModeled));
    add(into_.written.dram, figure(kSectorBytes * dram.write_sectors, Fidelity::kModeled));
    into_.left_dirty += static_cast<int64_t>(kSectorBytes * dram.dirty_left_sectors);
  }

 private:
  void add_site(const Profile& profile, size_t i) {
    const profile::Instruction& one = profile.instructions[i];
    const memory::SiteCounters& c = profile.counters.sites[i];
    if (c.request.requests == 0) return;
    const bool bulk = trace::is_bulk(one.site.kind);
    const uint64_t moved =
        bulk ? kSectorBytes * c.request.sectors : c.request.lanes * one.site.width;
    const Figure requested = figure(moved, profile.counted_as());
    if (one.site.space == Space::kShared) return add_shared(one.site, requested);
    if (!is_far(one.site)) return;
    Traffic traffic{requested, figure(kSectorBytes * c.l2_sectors, Fidelity::kModeled), {}};
    // Atomics go one way here, as ncu's charts draw them: towards the L2.
    if (effect_of(one.site) != trace::Effect::kRead) {
      into_.written += traffic;
      if (!one.arrays.empty()) array(profile, one).written += traffic;
      return;
    }
    into_.read += traffic;
    if (one.arrays.empty()) return;
    traffic.dram = figure(kSectorBytes * c.dram_read_sectors, Fidelity::kModeled);
    array(profile, one).read += traffic;
  }

  void add_shared(const trace::Site& site, const Figure& bytes) {
    const bool read = passes_load_store_unit(site) && effect_of(site) == trace::Effect::kRead;
    add(read ? into_.shared_read : into_.shared_written, bytes);
  }

  ArrayTraffic& array(const Profile& profile, const profile::Instruction& one) {
    const std::string name = fmt::format("{}", fmt::join(one.arrays, ", "));
    const auto found = std::find_if(into_.arrays.begin(), into_.arrays.end(),
                                    [&](const ArrayTraffic& a) { return a.name == name; });
    if (found != into_.arrays.end()) return *found;
    ArrayTraffic& made = into_.arrays.emplace_back(ArrayTraffic{.name = name});
    int64_t bytes = 0;
    for (const profile::Array& known : profile.arrays) {
      const auto& names = one.arrays;
      if (std::find(names.begin(), names.end(), known.name) == names.end()) continue;
      bytes += static_cast<int64_t>(known.bytes);
    }
    if (bytes > 0) made.bytes = bytes;
    return made;
  }

  KernelTraffic& into_;
};

}  // namespace

Traffic& Traffic::operator+=(const Traffic& other) {
  add(requested, other.requested);
  add(l2, other.l2);
  add(dram, other.dram);
  return *this;
}

KernelTraffic traffic_of(const std::vector<Profile>& launches) {
  WL_CHECK(!launches.empty());
  const Profile& first = launches.front();
  KernelTraffic traffic{
      .title = fmt::format("{} on {}", profile::shown_name(first.kernel), first.gpu.name)};
  if (first.gpu.l2.bytes) traffic.l2_bytes = first.gpu.l2.bytes->value;
  if (launches.size() > 1) {
    traffic.title = fmt::format("{} launches from {}", launches.size(), traffic.title);
  }
  Reader reader(traffic);
  for (const Profile& one : launches) reader.add_launch(one);
  return traffic;
}

KernelTraffic traffic_of(const ncu::Launch& launch) {
  const Ledger counted = ncu::ledger_of(launch);
  KernelTraffic traffic{.title = counted.title};
  for (const auto& [edge, bytes] : edge_totals(counted)) {
    if (edge == Edge{Level::kDram, Level::kL2}) traffic.read.dram = bytes;
    if (edge == Edge{Level::kL2, Level::kDram}) traffic.written.dram = bytes;
    if (edge == Edge{Level::kL2, Level::kL1}) traffic.read.l2 = bytes;
    if (edge == Edge{Level::kL1, Level::kL2}) traffic.written.l2 = bytes;
  }
  return traffic;
}

}  // namespace warpledger::match
