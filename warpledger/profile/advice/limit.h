// What a launch waits for: one verdict, which everything that names a limit takes from here.
#pragma once

#include "warpledger/profile/metrics/units.h"

namespace warpledger::profile {

inline constexpr double kBusy = 0.6;  // less, and latency limits: ncu's rule of thumb

struct Limit {
  enum class Kind : uint8_t {
    kNone,     // nothing has anything to do
    kUnit,     // `busiest` is busy for most of the launch
    kLatency,  // no unit is: warps wait, or the launch starts and ends
    kHost,     // the host's memory, over the bus; how long is not modeled
  };
  Kind kind = Kind::kNone;
  std::optional<UnitLoad> busiest = {};
  double share = 0;  // of the launch in which it is busy, 0..1; 0 without a model of time

  /// "DRAM", "latency", "host memory over the bus", "".
  [[nodiscard]] std::string name() const;
};

[[nodiscard]] Limit find_limit(const Evidence& evidence);

/// Whether it is the load/store unit, or a part of the L1 that it keeps busy.
[[nodiscard]] bool is_l1_side(const UnitLoad& load);

/// Bytes of sectors that move between the GPU and host memory, at the least: what the L2 is asked
/// of arrays there.
struct HostTraffic {
  uint64_t read_bytes = 0, written_bytes = 0;
  std::vector<std::string> arrays = {};
  [[nodiscard]] uint64_t bytes() const { return read_bytes + written_bytes; }
};
[[nodiscard]] HostTraffic host_traffic(const Evidence& evidence);

}  // namespace warpledger::profile
