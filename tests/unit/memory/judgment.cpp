#include "tests/unit/memory/judgment.h"

#include <fmt/core.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "tests/support/source.h"

namespace warpledger::memory {

using trace::Kind;
using trace::Site;
using trace::Space;

Published read_published() {
  Published published;
  std::ifstream file(test::source_path("tests/inputs/memory/published.csv"));
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const size_t a = line.find(','), b = line.rfind(',');
    published[line.substr(0, a)][line.substr(a + 1, b - a - 1)] = std::stod(line.substr(b + 1));
  }
  return published;
}

double Comparison::error() const {
  if (is_rate()) return modeled - published;
  return published == 0 ? (modeled == 0 ? 0 : 1) : modeled / published - 1;
}

std::string Comparison::error_text() const {
  return is_rate() ? fmt::format("{:+.2f} points", error())
                   : fmt::format("{:+.2f} %", 100 * error());
}

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (auto* list : {matmul_cases, elementwise_cases, transpose_cases, reduction_cases,
                     stencil_cases, tile_cases}) {
    std::vector<Case> some = list();
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

namespace {

double percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::map<std::string, double> values_of(const Counters& counters, const trace::Sites& sites) {
  const auto total = [&](Space space, std::initializer_list<Kind> kinds) {
    return counters.total(sites, [&](const Site& site) {
      return site.space == space && std::count(kinds.begin(), kinds.end(), site.kind);
    });
  };
  const SiteCounters load = total(Space::kGlobal, {Kind::kLoad}),
                     store = total(Space::kGlobal, {Kind::kStore}),
                     reduction = total(Space::kGlobal, {Kind::kReduction}),
                     shared = total(Space::kShared, {Kind::kLoad, Kind::kStore});
  SiteCounters global = load;
  global += store;
  global += reduction;
  std::map<std::string, uint64_t> counts = {
      {"global_load_instructions", load.request.instructions},
      {"global_load_requests", load.request.requests},
      {"global_load_sectors", load.request.sectors},
      {"global_load_tag_wavefronts", load.tag_wavefronts},
      {"global_store_requests", store.request.requests},
      {"global_store_sectors", store.request.sectors},
      {"global_store_tag_wavefronts", store.tag_wavefronts},
      {"reduction_requests", reduction.request.requests},
      {"reduction_sectors", reduction.request.sectors},
      {"reduction_tag_wavefronts", reduction.tag_wavefronts},
      {"global_tags", global.request.tags},
      {"theoretical_sectors", global.request.theoretical_sectors},
      {"theoretical_sectors_ideal", global.request.ideal_sectors},
      {"shared_wavefronts", shared.request.data_wavefronts},
      {"shared_wavefronts_ideal", shared.request.ideal_wavefronts},
      {"l2_read_sectors", counters.l2.read_sectors},
      {"l2_read_requests", load.l2_requests},
      {"l2_write_sectors", counters.l2.write_sectors},
      {"l2_write_requests", store.l2_requests},
      {"l2_reduction_sectors", counters.l2.atomic_sectors},
      {"l2_sm_sectors", counters.l2.sm_sectors()},
      {"dram_read_bytes", counters.dram.read_sectors * 32},
      {"dram_write_bytes", counters.dram.write_sectors * 32},
  };
  std::map<std::string, double> values(counts.begin(), counts.end());
  values["global_load_hit_pct"] = percent(load.l1_hit_sectors, load.request.sectors);
  values["global_store_hit_pct"] = percent(store.l1_hit_sectors, store.request.sectors);
  values["l1_hit_pct"] = percent(global.l1_hit_sectors, global.request.sectors);
  values["l2_hit_pct"] = percent(counters.l2.hits(), counters.l2.lookups());
  return values;
}

Judgment judge(const Case& test, const Published& published, const Schedule& schedule) {
  const std::map<std::string, double>& wanted = published.at(test.name);
  const Gpu gpu = find_gpu(test.gpu).value();
  const Config config = configure(gpu, static_cast<uint32_t>(wanted.at("ctas_per_sm")),
                                  static_cast<uint64_t>(wanted.at("smem_config_bytes")))
                            .value();
  const std::unique_ptr<Synthetic> kernel = test.make();
  const Counters counters = replay(*kernel, config, schedule).value();
  const std::map<std::string, double> values = values_of(counters, *kernel->launch().sites);
  const bool has_shared = values.at("shared_wavefronts") > 0;  // some streams leave it out
  Judgment judgment;
  for (const auto& [name, value] : wanted) {
    if (name.starts_with("shared") && !has_shared) continue;
    if (const auto at = values.find(name); at != values.end()) {
      judgment.push_back({name, at->second, value});
    }
  }
  return judgment;
}

}  // namespace warpledger::memory
