#include <fmt/core.h>

#include "warpledger/base/number.h"
#include "warpledger/plan/report.h"
#include "warpledger/plan/tensor_memory.h"

namespace warpledger::plan {
namespace {

std::string percent(int64_t part, int64_t whole) {
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string n(int64_t value) { return group_thousands(value); }

std::string stages_text(const Plan& plan) {
  const auto stages = plan.sizes.find("stages");
  if (stages == plan.sizes.end()) return "";
  return fmt::format(", {} stage{}", stages->second, stages->second == 1 ? "" : "s");
}

std::string fits_sentence(const Plan& plan, const Fit& fit, const std::string& gpu) {
  const std::string share =
      plan.ctas_per_sm == 1 ? "" : fmt::format(" with {} blocks on an SM", plan.ctas_per_sm);
  if (fit.missing_bytes() > 0) {
    return fmt::format(
        "{} does not fit {}: {} bytes of shared memory, {} more than the {} that a "
        "block can have{}",
        plan.name, gpu, n(fit.shared_bytes), n(fit.missing_bytes()), n(fit.shared_limit), share);
  }
  return fmt::format("{} fits {}: {} of {} bytes of shared memory{} ({}), {} free{}", plan.name,
                     gpu, n(fit.shared_bytes), n(fit.shared_limit), share,
                     percent(fit.shared_bytes, fit.shared_limit),
                     n(fit.shared_limit - fit.shared_bytes), stages_text(plan));
}

std::string tensor_sentence(const Fit& fit, const std::string& gpu) {
  if (fit.tensor_limit == 0) {
    return fmt::format("it needs {} columns of tensor memory, and {} has none",
                       n(fit.tensor_columns), gpu);
  }
  if (fit.tensor_allocated > fit.tensor_limit) {
    return fmt::format("tensor memory: {} columns, {} more than the {} available",
                       n(fit.tensor_columns), n(fit.tensor_columns - fit.tensor_limit),
                       n(fit.tensor_limit));
  }
  return fmt::format("tensor memory: {} of {} columns ({}), {} KiB; tcgen05.alloc allocates {}",
                     n(fit.tensor_columns), n(fit.tensor_limit),
                     percent(fit.tensor_columns, fit.tensor_limit),
                     n(fit.tensor_columns * kColumnBytes / 1024), n(fit.tensor_allocated));
}

std::string proof_sentence(const Region& region, const char* unit) {
  const Packing& packing = region.packing;
  const int64_t saved = region.without_overlays - packing.total;
  std::string text = saved == 0 ? std::string("no two buffers can share memory")
                                : fmt::format("overlays save {} {} ({} without them)", n(saved),
                                              unit, n(region.without_overlays));
  if (region.first_fit > packing.total) {
    text += fmt::format(", {} of them over first fit", n(region.first_fit - packing.total));
  }
  if (packing.is_optimal()) {
    return text + "; this placement is proven minimal";
  }
  return text + fmt::format(
                    "; at most {} ({}) above the best possible: the search gave up after "
                    "{} nodes",
                    n(packing.total - packing.lower_bound),
                    percent(packing.total - packing.lower_bound, packing.total), n(packing.nodes));
}

std::string occupancy_sentence(const Plan& plan, const Fit& fit) {
  std::string limits;
  for (Resource resource : fit.occupancy.limited_by) {
    if (fit.occupancy.blocks_per_sm > fit.blocks_per_sm) break;
    limits += fmt::format("{}{}", limits.empty() ? "" : ", ", to_text(resource));
  }
  if (fit.blocks_by_tensor == fit.blocks_per_sm) {
    limits += fmt::format("{}tensor memory", limits.empty() ? "" : ", ");
  }
  std::string_view unknown;
  if (plan.registers == 0) unknown = " (registers not specified)";
  if (plan.threads == 0)
    unknown =
        plan.registers == 0 ? " (threads and registers not specified)" : " (threads not specified)";
  return fmt::format("{} block{} on an SM, limited by {}{}", fit.blocks_per_sm,
                     fit.blocks_per_sm == 1 ? "" : "s", limits, unknown);
}

std::string flight_sentence(const BytesInFlight& flight, const Plan& plan) {
  const auto stages = plan.sizes.find("stages");
  if (flight.bytes_per_sm == 0) {
    return fmt::format(
        "nothing is in flight while a tile is in use: {} bytes per SM would hide the DRAM latency "
        "({})",
        n(flight.wanted_bytes), to_text(flight.fidelity));
  }
  const std::string who = stages == plan.sizes.end() ? std::string("its rings")
                                                     : fmt::format("{} stage{}", stages->second,
                                                                   stages->second == 1 ? "" : "s");
  return fmt::format(
      "{} hide {:.1f}x the DRAM latency: {} bytes in flight per SM, {} needed ({} GB/s x {:.0f} ns "
      "/ {} SMs, {})",
      who, flight.ratio(), n(flight.bytes_per_sm), n(flight.wanted_bytes),
      n(static_cast<int64_t>(flight.peak_gbs)), flight.latency_ns, flight.sms,
      to_text(flight.fidelity));
}

std::string next_sentence(const StageNeeds& next, const Fit& fit) {
  std::string text = fmt::format("{} stages would need {} bytes", next.stages, n(next.bytes));
  text += next.bytes > fit.shared_limit
              ? fmt::format(", {} more than available", n(next.bytes - fit.shared_limit))
              : fmt::format(", and fit");
  if (fit.tensor_limit > 0 && next.columns > fit.tensor_limit) {
    text += fmt::format("; and {} columns, {} too many", n(next.columns),
                        n(next.columns - fit.tensor_limit));
  }
  return text;
}

std::string stages_sentence(const OtherStages& others, const Fit& fit) {
  if (fit.fits()) return next_sentence(others.next, fit);
  if (!others.deepest) return "not even one stage fits: take a smaller tile";
  return fmt::format("{} stage{} would fit: {} bytes", others.deepest->stages,
                     others.deepest->stages == 1 ? "" : "s", n(others.deepest->bytes));
}

}  // namespace

std::vector<std::string> verdict(const Plan& plan, const Placement& placement, const Fit& fit,
                                 const std::string& gpu_name,
                                 const std::optional<OtherStages>& others) {
  std::vector<std::string> lines;
  if (!placement.shared.slots.empty()) {
    lines.push_back(fits_sentence(plan, fit, gpu_name));
    lines.push_back(proof_sentence(placement.shared, "bytes"));
  } else {
    lines.push_back(
        fmt::format("{} {} {}", plan.name, fit.fits() ? "fits" : "does not fit", gpu_name));
  }
  if (!placement.tensor.slots.empty()) {
    lines.push_back(tensor_sentence(fit, gpu_name));
    lines.push_back(proof_sentence(placement.tensor, "columns"));
  }
  if (fit.fits()) lines.push_back(occupancy_sentence(plan, fit));
  if (fit.fits() && fit.in_flight) lines.push_back(flight_sentence(*fit.in_flight, plan));
  if (others) lines.push_back(stages_sentence(*others, fit));
  return lines;
}

}  // namespace warpledger::plan
