#include "warpledger/ncu/rep_launches.h"

#include <fmt/core.h>

namespace warpledger::ncu {
namespace {

/// What a counter counts, by a word in its name; the first that is found.
struct Counted {
  std::string_view word, unit;
};
constexpr Counted kCounted[] = {
    {"time_duration", "ns"},
    {"data_bytes_per_sector", "byte/sector"},
    {"bytes", "byte"},
    {"sectors", "sector"},
    {"cycles", "cycle"},
    {"writeback_active", "cycle"},
    {"lts__t_requests", "request"},
    {"thread_inst", ""},
    {"inst_executed", "inst"},
    {"inst_issued", "inst"},
    {"issue_stalled", "inst"},
    {"warps_", "warp"},
};

struct Named {
  std::string_view name, unit;
};
constexpr Named kNamed[] = {
    {"launch__sm_count", "SM"},
    {"launch__thread_count", "thread"},
    {"launch__shared_mem_config_size", "byte"},
    {"launch__registers_per_thread", "register/thread"},
    {"launch__registers_per_thread_allocated", "register/thread"},
    {"memory_l1_tag_requests_global", ""},
};

std::string_view counted_by(std::string_view base) {
  for (const Counted& one : kCounted) {
    if (base.find(one.word) != std::string_view::npos) return one.unit;
  }
  return {};
}

/// A counter's unit with what its roll-up does to it.
std::string rolled_up(std::string_view unit, std::string_view rollup) {
  if (rollup.ends_with("per_second")) return unit == "cycle" ? "hz" : fmt::format("{}/s", unit);
  const bool per_cycle = rollup.find("per_cycle") != std::string_view::npos ||
                         rollup.find("peak_sustained") != std::string_view::npos;
  if (!per_cycle || unit.empty() || unit == "warp" || unit == "cycle") return std::string(unit);
  return fmt::format("{}/cycle", unit);
}

std::string triple(const RepExtent& extent) {
  return fmt::format("({}, {}, {})", extent[0], extent[1], extent[2]);
}

std::string printed(const RepValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* x = std::get_if<double>(&value)) return fmt::format("{}", *x);
  return fmt::format("{}", std::get<uint64_t>(value));
}

Entry entry_of(const RepMetric& metric) {
  Entry entry{
      .name = metric.name, .unit = unit_of_metric(metric.name), .words = printed(*metric.value)};
  if (const auto* x = std::get_if<double>(&*metric.value)) entry.value = *x;
  if (const auto* n = std::get_if<uint64_t>(&*metric.value)) entry.value = static_cast<double>(*n);
  return entry;
}

std::string words_of(const Launch& launch, std::string_view metric) {
  const Entry* entry = launch.find(metric);
  return entry == nullptr ? "" : entry->words;
}

}  // namespace

std::string unit_of_metric(std::string_view name) {
  for (const Named& one : kNamed) {
    if (one.name == name) return std::string(one.unit);
  }
  if (name.starts_with("device__attribute_")) return {};
  const size_t dot = std::min(name.find('.'), name.size());
  const std::string_view base = name.substr(0, dot), rollup = name.substr(dot);
  if (rollup.find(".pct") != std::string_view::npos || base.ends_with("_pct")) return "%";
  if (base.starts_with("launch__occupancy_limit")) return "block";
  if (base.starts_with("launch__shared_mem_per_block")) return "byte/block";
  return rolled_up(counted_by(base), rollup);
}

std::vector<Launch> launches_of(const RepFile& file) {
  std::vector<Launch> launches;
  for (const RepResult& result : file.results) {
    Launch& launch = launches.emplace_back();
    launch.kernel = result.demangled.empty() ? result.function : result.demangled;
    launch.grid = triple(result.grid);
    launch.block = triple(result.block);
    for (const RepMetric& metric : result.metrics) {
      if (metric.value) launch.entries.push_back(entry_of(metric));
    }
    const std::string major = words_of(launch, "device__attribute_compute_capability_major");
    if (major.empty()) continue;
    launch.capability =
        major + "." + words_of(launch, "device__attribute_compute_capability_minor");
  }
  return launches;
}

}  // namespace warpledger::ncu
