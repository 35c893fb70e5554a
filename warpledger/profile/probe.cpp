#include "warpledger/profile/probe.h"

#include <algorithm>
#include <bit>

#include "warpledger/memory/banks.h"
#include "warpledger/memory/coalescer.h"

namespace warpledger::profile {

Probe::Probe(trace::Producer& engine, std::vector<NamedRange> ranges, trace::Sites sites)
    : engine_(engine),
      machine_sites_(std::move(sites)),
      launch_(engine.launch()),
      ranges_(std::move(ranges)),
      stride_(std::max<uint64_t>(1, engine.launch().ctas() / kBlocks)),
      sites_(engine.launch().sites->size()) {
  std::sort(ranges_.begin(), ranges_.end(),
            [](const NamedRange& a, const NamedRange& b) { return a.address < b.address; });
  WL_CHECK(machine_sites_.size() == launch_.sites->size());
  launch_.sites = &machine_sites_;
}

void Probe::set_slots(uint32_t slots) {
  cta_of_.assign(slots, 0);
  engine_.set_slots(slots);
}

void Probe::start(uint32_t slot, uint64_t cta) {
  cta_of_[slot] = cta;
  engine_.start(slot, cta);
}

Result<trace::Progress> Probe::run(uint32_t slot, uint32_t budget) {
  if (cta_of_[slot] % stride_ != 0 || seen_ >= kMostAccesses) return engine_.run(slot, budget);
  const std::span<trace::Buffer> warps = engine_.buffers(slot);
  std::vector<size_t> held;
  for (const trace::Buffer& warp : warps) held.push_back(warp.held().size());
  Result<trace::Progress> progress = engine_.run(slot, budget);
  for (size_t i = 0; i < warps.size(); ++i) look(warps[i], held[i], cta_of_[slot] == 0 && i == 0);
  return progress;
}

void Probe::look(const trace::Buffer& buffer, size_t from, bool is_sample) {
  const std::span<const trace::Record> held = buffer.held();
  for (size_t at = from; at < held.size(); at += slots_of(held[at])) {
    if (held[at].shape == trace::kMark) {
      uses_ += trace::mark_kind(held[at]) == trace::Mark::kUse;
      continue;
    }
    for (const trace::Access& access : accesses_of(launch(), &held[at])) look(access, is_sample);
  }
}

void Probe::look(const trace::Access& access, bool is_sample) {
  if (access.mask == 0) return;
  ++seen_;
  SiteView& view = sites_[static_cast<size_t>(access.site - launch().sites->data())];
  if (access.site->space == trace::Space::kGlobal) {
    const uint64_t address = access.address[static_cast<size_t>(std::countr_zero(access.mask))];
    const auto after = std::upper_bound(
        ranges_.begin(), ranges_.end(), address,
        [](uint64_t place, const NamedRange& range) { return place < range.address; });
    if (after != ranges_.begin() && address - (after - 1)->address < (after - 1)->bytes) {
      view.ranges.insert(static_cast<size_t>(after - 1 - ranges_.begin()));
    }
  }
  if (!access.bulk_bytes && view.weighed < kMostExamples) keep_costliest(access, view);
  if (!is_sample || access.bulk_bytes || kept_ >= kMostAddresses) return;
  std::array<uint64_t, trace::kLanes> lanes;
  size_t count = 0;
  for (size_t lane = 0; lane < trace::kLanes; ++lane) {
    if (access.mask >> lane & 1) lanes[count++] = access.address[lane];
  }
  std::sort(lanes.begin(), lanes.begin() + count);
  ++view.requests;
  view.lanes += count;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0 && lanes[i] == lanes[i - 1]) continue;
    ++view.addresses;
    kept_ += view.unique.insert(lanes[i]).second;
  }
}

void Probe::keep_costliest(const trace::Access& access, SiteView& view) {
  ++view.weighed;
  const memory::Lanes lanes{access.mask, access.site->width, access.address};
  const bool shared = access.site->space == trace::Space::kShared;
  const bool matrix = access.site->kind == trace::Kind::kLoadMatrix ||
                      access.site->kind == trace::Kind::kStoreMatrix;
  const uint64_t weight = !shared  ? memory::sectors_in(memory::lines_of(lanes))
                          : matrix ? memory::matrix_wavefronts(lanes).total
                                   : memory::shared_wavefronts(lanes).total;
  if (weight <= view.weight) return;
  view.weight = weight;
  view.example = {.mask = access.mask, .address = access.address};
}

std::vector<AccessExample> Probe::examples(const memory::Counters& counters) const {
  std::vector<AccessExample> examples;
  for (const trace::Space space : {trace::Space::kGlobal, trace::Space::kShared}) {
    uint64_t most = 0;
    std::optional<AccessExample> worst;
    for (size_t i = 0; i < sites_.size(); ++i) {
      const memory::RequestCounters& c = counters.sites[i].request;
      const uint64_t waste = space == trace::Space::kGlobal
                                 ? c.theoretical_sectors - c.ideal_sectors
                                 : c.data_wavefronts - c.ideal_wavefronts;
      if (machine_sites_[i].space != space || sites_[i].weight == 0 || waste <= most) continue;
      most = waste;
      worst = sites_[i].example;
      worst->instruction = static_cast<uint32_t>(i);
    }
    if (worst) examples.push_back(*worst);
  }
  return examples;
}

std::vector<std::string> Probe::arrays_of(uint32_t site) const {
  std::vector<std::string> names;
  for (const size_t range : sites_[site].ranges) names.push_back(ranges_[range].name);
  return names;
}

std::vector<WarpSample> Probe::samples(const Profile& profile) const {
  std::vector<WarpSample> samples;
  std::vector<std::unordered_set<uint64_t>> unique;
  for (size_t i = 0; i < sites_.size(); ++i) {
    const SiteView& view = sites_[i];
    const Instruction& instruction = profile.instructions[i];
    const SourceLine& source = profile.code_of(instruction).source;
    if (view.requests == 0 || instruction.site.space != trace::Space::kGlobal) continue;
    const std::string array = instruction.arrays.size() == 1 ? instruction.arrays[0] : "";
    const auto same = std::find_if(samples.begin(), samples.end(), [&](const WarpSample& sample) {
      return sample.source == source && sample.array == array &&
             sample.kind == instruction.site.kind;
    });
    const auto at = static_cast<size_t>(same - samples.begin());
    if (same == samples.end()) {
      samples.push_back({.source = source, .array = array, .kind = instruction.site.kind});
      unique.emplace_back();
    }
    samples[at].requests += view.requests;
    samples[at].lanes += view.lanes;
    samples[at].addresses += view.addresses;
    unique[at].insert(view.unique.begin(), view.unique.end());
    samples[at].unique_addresses = unique[at].size();
  }
  return samples;
}

}  // namespace warpledger::profile
