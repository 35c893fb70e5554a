#include "warpledger/plan/fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "warpledger/base/units.h"
#include "warpledger/plan/tensor_memory.h"

namespace warpledger::plan {
namespace {

/// The most a block may ask for when `blocks` of them share an SM.
int64_t shared_limit(const SharedMemoryFacts& facts, int64_t blocks) {
  const int64_t unit = facts.alloc_unit_bytes.value;
  const int64_t share = facts.bytes_per_sm.value / blocks / unit * unit;
  return std::max(int64_t{0}, std::min(facts.bytes_per_block_optin.value,
                                       share - facts.reserved_bytes_per_block.value));
}

std::optional<BytesInFlight> in_flight(const Plan& plan, const Gpu& gpu, int64_t blocks) {
  int64_t bytes = 0;
  bool loads = false;  // through a ring of any depth; a buffer loaded once is not a pipeline
  for (const Buffer& buffer : plan.buffers) {
    bytes += buffer.bytes_in_flight;
    loads = loads || (buffer.is_loaded && (buffer.ring > 1 || plan.sizes.contains("stages")));
  }
  if (!loads || !gpu.dram.peak_gbs || !gpu.latency.dram_cycles || !gpu.latency.clock_mhz) {
    return std::nullopt;
  }
  BytesInFlight flight;
  flight.bytes_per_sm = bytes * blocks;
  flight.peak_gbs = gpu.dram.peak_gbs->value;
  flight.sms = gpu.sms.value;
  flight.latency_ns = 1000.0 * static_cast<double>(gpu.latency.dram_cycles->value) /
                      static_cast<double>(gpu.latency.clock_mhz->value);
  // GB/s x ns = bytes.
  flight.wanted_bytes = static_cast<int64_t>(
      std::llround(flight.peak_gbs * flight.latency_ns / static_cast<double>(flight.sms)));
  flight.fidelity = weakest(
      Fidelity::kModeled, weakest(gpu.dram.peak_gbs->fidelity, gpu.latency.dram_cycles->fidelity));
  return flight;
}

}  // namespace

Result<Fit> fit(const Plan& plan, const Placement& placement, const Gpu& gpu) {
  const SharedMemoryFacts& facts = gpu.architecture.shared_memory;
  Fit result;
  result.shared_bytes = placement.shared.packing.total;
  result.shared_limit = shared_limit(facts, plan.ctas_per_sm);
  result.tensor_columns = placement.tensor.packing.total;
  result.tensor_allocated = plan.tensor_allocations.empty()
                                ? allocation_for(result.tensor_columns)
                                : std::accumulate(plan.tensor_allocations.begin(),
                                                  plan.tensor_allocations.end(), int64_t{0});
  if (const Fact<int64_t>& columns = gpu.architecture.tensor_memory.columns) {
    result.tensor_limit = columns->value;
  }
  WL_TRY(result.occupancy,
         occupancy(gpu.architecture, {.threads = std::max(plan.threads, 1),
                                      .registers_per_thread = plan.registers,
                                      .dynamic_smem_bytes = result.shared_bytes}));
  if (result.tensor_allocated > 0) {
    result.blocks_by_tensor = result.tensor_limit / result.tensor_allocated;
  }
  result.blocks_per_sm = std::min(result.occupancy.blocks_per_sm, result.blocks_by_tensor);
  result.in_flight = in_flight(plan, gpu, std::max(int64_t{1}, result.blocks_per_sm));
  return result;
}

}  // namespace warpledger::plan
