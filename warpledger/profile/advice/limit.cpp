#include "warpledger/profile/advice/limit.h"

#include <algorithm>
#include <set>

#include "warpledger/base/units.h"

namespace warpledger::profile {
namespace {

// No bus brings a tenth of what DRAM does (PCIe 5.0 x16: 64 GB/s, H100: 3,350 GB/s), so that this
// share of the bytes takes longer over the bus than the rest takes from DRAM.
constexpr double kHostShare = 0.1;

const Array* host_array_of(const Profile& profile, const Instruction& instruction) {
  for (const Array& array : profile.arrays) {
    if (!array.is_host) continue;
    const auto& touched = instruction.arrays;
    if (std::find(touched.begin(), touched.end(), array.name) != touched.end()) return &array;
  }
  return nullptr;
}

bool is_bus_bound(const Evidence& evidence) {
  const uint64_t over_bus = host_traffic(evidence).bytes();
  const memory::DramCounters& dram = evidence.counters.dram;
  const uint64_t all = kSectorBytes * (dram.read_sectors + dram.write_sectors);
  return over_bus > 0 && static_cast<double>(over_bus) >= kHostShare * static_cast<double>(all);
}

}  // namespace

std::string Limit::name() const {
  switch (kind) {
    case Kind::kNone:
      return "";
    case Kind::kUnit:
      return busiest->unit;
    case Kind::kLatency:
      return "latency";
    case Kind::kHost:
      return "host memory over the bus";
  }
  return "";
}

Limit find_limit(const Evidence& evidence) {
  Limit limit;
  const std::vector<UnitLoad> loads = unit_loads(evidence);
  if (loads.empty()) return limit;
  limit.busiest = loads.front();
  limit.kind = Limit::Kind::kUnit;
  if (const auto& timing = evidence.profile.timing) {
    limit.share = std::min(1.0, loads.front().cycles / timing->elapsed_cycles);
    if (limit.share < kBusy) limit.kind = Limit::Kind::kLatency;
  }
  if (is_bus_bound(evidence)) limit.kind = Limit::Kind::kHost;
  return limit;
}

bool is_l1_side(const UnitLoad& load) {
  return load.counter.starts_with("l1tex__lsuin") || load.counter.starts_with("l1tex__data_pipe") ||
         load.counter.starts_with("l1tex__lsu_writeback");
}

HostTraffic host_traffic(const Evidence& evidence) {
  HostTraffic traffic;
  const Profile& profile = evidence.profile;
  std::set<std::string> touched;
  for (size_t i = 0; i < profile.instructions.size(); ++i) {
    const Instruction& instruction = profile.instructions[i];
    const Array* array = host_array_of(profile, instruction);
    const uint64_t bytes = kSectorBytes * evidence.counters.sites[i].l2_sectors;
    if (array == nullptr || bytes == 0) continue;
    const bool writes = operation_of(instruction.site) == Operation::kStore;
    (writes ? traffic.written_bytes : traffic.read_bytes) += bytes;
    touched.insert(array->name);
  }
  traffic.arrays.assign(touched.begin(), touched.end());
  return traffic;
}

}  // namespace warpledger::profile
