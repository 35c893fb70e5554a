// Does a placement fit a GPU, how many blocks run at a time, and do its stages hide the latency of
// DRAM?
#pragma once

#include "warpledger/gpu/gpu.h"
#include "warpledger/gpu/occupancy.h"
#include "warpledger/plan/place.h"

namespace warpledger::plan {

/// Little's law: to keep DRAM busy an SM has bandwidth x latency / SMs bytes under way.
struct BytesInFlight {
  int64_t bytes_per_sm = 0;  // loads of a plan's rings while one element of each is in use
  int64_t wanted_bytes = 0;  // by Little's law
  double peak_gbs = 0;
  double latency_ns = 0;
  int64_t sms = 0;
  Fidelity fidelity = Fidelity::kModeled;
  [[nodiscard]] double ratio() const {
    return static_cast<double>(bytes_per_sm) / static_cast<double>(wanted_bytes);
  }
};

struct Fit {
  int64_t shared_bytes = 0;      // asked for
  int64_t shared_limit = 0;      // of a block, when ctas_per_sm blocks share the SM
  int64_t tensor_columns = 0;    // used
  int64_t tensor_allocated = 0;  // as tcgen05.alloc rounds, or as the plan says
  int64_t tensor_limit = 0;      // columns of the GPU; 0: it has no TMEM
  Occupancy occupancy;           // without TMEM
  int64_t blocks_by_tensor = kUnlimited;
  int64_t blocks_per_sm = 0;  // with TMEM
  std::optional<BytesInFlight> in_flight =
      {};  // absent: nothing is loaded, or the GPU file lacks a fact

  [[nodiscard]] bool fits() const {
    return shared_bytes <= shared_limit && tensor_allocated <= tensor_limit;
  }
  [[nodiscard]] int64_t missing_bytes() const {
    return shared_bytes > shared_limit ? shared_bytes - shared_limit : 0;
  }
};

/// Registers that a plan does not say are taken as no limit, threads as one warp.
[[nodiscard]] Result<Fit> fit(const Plan& plan, const Placement& placement, const Gpu& gpu);

}  // namespace warpledger::plan
