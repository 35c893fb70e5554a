// How fast this machine moves and computes: the roofs of a roofline. Bandwidth is a STREAM triad
// a[i] = b[i] + s * c[i] over arrays far larger than any cache, 24 bytes an element as STREAM
// counts them; arithmetic is a loop of independent 32-bit fused multiply-adds, 2 flops each, on
// every hardware thread. Both are repeated; the median and the spread are kept.
#pragma once

#include <string>

#include "warpledger/base/result.h"
#include "warpledger/base/table.h"
#include "warpledger/gpu/gpu.h"

namespace warpledger::study {

/// Median, smallest and largest of the repetitions.
struct Spread {
  double median = 0, low = 0, high = 0;
};

/// GB/s and GFLOP/s, both decimal. `name`: what they are the roofs of.
struct Ceilings {
  std::string name;
  Spread bandwidth_gbs;
  Spread gflops;
  int repetitions = 0;  // 0: not measured
  int threads = 0;
  Fidelity fidelity = Fidelity::kMeasured;
  std::string arithmetic = "fp32 FMA";
};

/// Takes about a second.
[[nodiscard]] Ceilings measure_ceilings();

/// From a GPU file: DRAM peak, and the fp16 tensor peak at the boost clock. Fails when the file
/// does not say one of them.
[[nodiscard]] Result<Ceilings> ceilings_of(const Gpu& gpu);

/// The flops per byte above which arithmetic and not bandwidth is the limit.
[[nodiscard]] double ridge(const Ceilings& ceilings);
/// min(peak, intensity x bandwidth), in GFLOP/s.
[[nodiscard]] double attainable(const Ceilings& ceilings, double intensity);

[[nodiscard]] Table ceilings_table(const std::vector<Ceilings>& all);

/// What `warpledger ceilings --save FILE` writes, so that a study can be repeated elsewhere.
[[nodiscard]] std::string to_json(const Ceilings& ceilings);
[[nodiscard]] Result<Ceilings> ceilings_from_json(const std::string& text);

}  // namespace warpledger::study
