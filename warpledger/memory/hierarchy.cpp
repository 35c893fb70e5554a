#include "warpledger/memory/hierarchy.h"

#include <fmt/format.h>

#include "warpledger/base/units.h"

namespace warpledger::memory {
namespace {

using trace::CacheOperator;
using trace::Kind;
using trace::Record;
using trace::Site;
using trace::Space;

// Lines are numbered by 32 bits: the upper half holds the local windows of resident warps (512 KiB
// per thread = 2^17 lines), the lower half 256 GiB of device addresses.
constexpr uint32_t kLocalHalf = 0x80000000;
constexpr uint32_t kLocalLines = 1u << 17;

uint32_t line_at(const Request& request, const PatternLine& line, uint32_t window) {
  const uint64_t number = request.base_line + static_cast<uint64_t>(int64_t{line.delta});
  if (window) return window + static_cast<uint32_t>(number % kLocalLines);
  return static_cast<uint32_t>(number % kLocalHalf);
}

L1::Allocate allocation(CacheOperator cache) {
  switch (cache) {
    case CacheOperator::kStream:
      return L1::Allocate::kEvictFirst;
    case CacheOperator::kNoAllocate:
      return L1::Allocate::kNever;
    default:
      return L1::Allocate::kNormal;
  }
}

bool passes_l1(const Site& site) {
  return site.cache == CacheOperator::kGlobal || site.cache == CacheOperator::kVolatile ||
         site.kind == Kind::kPrefetch;
}

Diagnostic missing(const Gpu& gpu, std::string_view fact) {
  return {.message = fmt::format("the file of GPU '{}' does not give {}", gpu.id, fact),
          .hint = "docs/gpus.md says how to add a fact",
          .code = "gpu-fact-missing"};
}

}  // namespace

Result<Config> configure(const Gpu& gpu, uint32_t ctas_per_sm, uint64_t smem_config_bytes) {
  if (!gpu.architecture.l1.unified_kib) return missing(gpu, "l1.unified_kib");
  if (!gpu.l2.bytes) return missing(gpu, "l2.bytes");
  if (!gpu.l2.dirty_left_fraction) return missing(gpu, "l2.dirty_left_fraction");
  if (!gpu.dram.fetch_bytes) return missing(gpu, "dram.fetch_bytes");
  if (!gpu.dram.inline_ecc) return missing(gpu, "dram.inline_ecc");
  if (!gpu.l2.fabric) return missing(gpu, "l2.fabric");
  Config config;
  config.sms = static_cast<uint32_t>(gpu.sms.value);
  config.ctas_per_sm = ctas_per_sm;
  config.l1_bytes = static_cast<uint64_t>(gpu.architecture.l1.unified_kib->value) * 1024;
  WL_CHECK(smem_config_bytes < config.l1_bytes && ctas_per_sm > 0);
  config.l1_bytes -= smem_config_bytes;
  config.l2.bytes = static_cast<uint64_t>(gpu.l2.bytes->value);
  config.l2.fabric = gpu.l2.fabric->value == "none"    ? Fabric::kNone
                     : gpu.l2.fabric->value == "ga100" ? Fabric::kGa100
                                                       : Fabric::kGh100;
  config.l2.fetch_bytes = static_cast<uint32_t>(gpu.dram.fetch_bytes->value);
  config.l2.dirty_share = gpu.l2.dirty_left_fraction->value;
  config.inline_ecc = gpu.dram.inline_ecc->value;
  config.l2.fill_partial_writes = config.inline_ecc;
  return config;
}

Result<Config> configure(const Gpu& gpu, const Launch& launch) {
  WL_TRY(const LaunchStatistics statistics, launch_statistics(gpu, launch));
  return configure(gpu, static_cast<uint32_t>(statistics.blocks_per_sm),
                   static_cast<uint64_t>(statistics.smem_config_bytes));
}

Hierarchy::Hierarchy(const Config& config, const trace::Launch& launch)
    : launch_(launch),
      sites_(*launch.sites),
      patterns_(sites_, *launch.shapes),
      warps_per_sm_(config.ctas_per_sm * launch.warps()),
      dram_(config.inline_ecc),
      l2_(config.l2, dram_),
      counters_(sites_.size()) {
  for (uint32_t i = 0; i < config.sms; ++i) {
    sms_.push_back({L1(config.l1_bytes), std::vector<StoreCombiner>(warps_per_sm_), {}});
  }
}

void Hierarchy::access(uint32_t sm, uint32_t warp, const Record* head) {
  Sm& unit = sms_[sm];
  const uint32_t last = head->site + sites_[head->site].group;
  for (uint32_t site = head->site; site < last; ++site) {
    if (head->shape < trace::kMaxShapes) {
      access_site(unit, sm * warps_per_sm_ + warp, site,
                  patterns_.find(site, head->shape, head->address));
    } else if (head->shape == trace::kBulk) {
      bulk(unit, head);
    } else {
      Lanes lanes{static_cast<uint32_t>(head->address), sites_[site].width,
                  trace::raw_addresses(head)};
      for (uint64_t& address : lanes.address) address += static_cast<uint64_t>(sites_[site].offset);
      access_site(unit, sm * warps_per_sm_ + warp, site, patterns_.uncached(site, lanes));
    }
  }
}

void Hierarchy::access_site(Sm& sm, uint32_t warp, uint32_t site, Request request) {
  const Pattern& pattern = *request.pattern;
  if (pattern.lines.empty()) return;
  const auto line_number = [&](const PatternLine& line) {
    return request.base_line + static_cast<uint64_t>(int64_t{line.delta});
  };
  counters_[site].tag_wavefronts += pattern.serial || pattern.lines.size() == 1
                                        ? pattern.lines.size()
                                        : tag_wavefronts(pattern.lines, line_number);
  const uint32_t window = sites_[site].space == Space::kLocal ? kLocalHalf + warp * kLocalLines : 0;
  StoreCombiner& combiner = sm.combiners[warp % warps_per_sm_];
  if (sites_[site].kind == Kind::kStore) {
    return store(sm, warp % warps_per_sm_, site, request, window);
  }
  if (!combiner.empty()) combiner.flush(sm.queue);
  switch (sites_[site].kind) {
    case Kind::kAtomic:
    case Kind::kCompareSwap:
    case Kind::kReduction:
      return update(sm, site, request);
    default:
      return load(sm, site, request, window);
  }
}

void Hierarchy::load(Sm& sm, uint32_t site, const Request& request, uint32_t window) {
  const bool pass = passes_l1(sites_[site]);
  const L1::Allocate allocate = allocation(sites_[site].cache);
  uint64_t hits = 0;
  for (const PatternLine& touch : request.pattern->lines) {
    const uint32_t line = line_at(request, touch, window);
    const uint8_t hit = pass ? uint8_t{0} : sm.l1.load(line, touch.sectors, allocate);
    hits += sector_count(hit);
    const auto miss = static_cast<uint8_t>(touch.sectors & ~hit);
    if (miss) sm.queue.push_back({line, site, L2Operation::kRead, miss, 0, {}});
  }
  counters_[site].l1_hit_sectors += hits;
}

void Hierarchy::store(Sm& sm, uint32_t warp, uint32_t site, const Request& request,
                      uint32_t window) {
  const Pattern& pattern = *request.pattern;
  StoreCombiner& combiner = sm.combiners[warp];
  for (size_t i = 0; i < pattern.lines.size(); ++i) {
    const PatternLine& touch = pattern.lines[i];
    const uint32_t line = line_at(request, touch, window);
    const auto whole = static_cast<uint8_t>(touch.sectors & ~touch.partial);
    if (sm.l1.store(line, whole)) counters_[site].l1_hit_sectors += sector_count(touch.sectors);
    const L2Request write{line, site, L2Operation::kWrite, touch.sectors, touch.partial, {}};
    if (!touch.partial) {
      sm.queue.push_back(write);
    } else if (!combiner.join(line, touch.sectors, pattern.bytes[i])) {
      combiner.hold(write, pattern.bytes[i]);
    }
  }
}

void Hierarchy::update(Sm& sm, uint32_t site, const Request& request) {
  for (const PatternLine& touch : request.pattern->lines) {
    sm.queue.push_back(
        {line_at(request, touch, 0), site, L2Operation::kAtomic, touch.sectors, 0, {}});
  }
}

/// The copy engine reads and writes whole lines past the L1.
void Hierarchy::bulk(Sm& sm, const Record* head) {
  const uint64_t first = head->address / kSectorBytes;
  const uint64_t last = (head->address + head[1].address + kSectorBytes - 1) / kSectorBytes;
  RequestCounters& cost = counters_[head->site].request;
  ++cost.instructions;
  ++cost.requests;
  if (sites_[head->site].space != Space::kGlobal) return;
  cost.theoretical_sectors += last - first;
  cost.ideal_sectors += last - first;
  for (uint64_t sector = first; sector < last;) {
    const uint64_t end = std::min(last, (sector / 4 + 1) * 4);
    const auto mask = static_cast<uint8_t>(((1u << (end - sector)) - 1) << (sector % 4));
    sm.queue.push_back({static_cast<uint32_t>(sector / 4 % kLocalHalf),
                        head->site,
                        L2Operation::kRead,
                        mask,
                        0,
                        {}});
    sector = end;
  }
}

void Hierarchy::settle(uint32_t sm, uint32_t warp) {
  StoreCombiner& combiner = sms_[sm].combiners[warp];
  if (!combiner.empty()) combiner.flush(sms_[sm].queue);
}

void Hierarchy::drain(uint32_t sm) {
  l2_.process(sms_[sm].queue, sm & 1, counters_);
  sms_[sm].queue.clear();
}

Counters Hierarchy::finish() {
  for (uint32_t sm = 0; sm < sms_.size(); ++sm) {
    for (StoreCombiner& combiner : sms_[sm].combiners) combiner.flush(sms_[sm].queue);
    drain(sm);
  }
  l2_.finish();
  patterns_.add_to(counters_);
  return {std::move(counters_), l2_.counters(), dram_.counters()};
}

}  // namespace warpledger::memory
