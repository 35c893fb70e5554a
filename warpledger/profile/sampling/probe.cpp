#include "warpledger/profile/sampling/probe.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "warpledger/memory/pattern.h"

namespace warpledger::profile {

namespace {

constexpr uint64_t kBlocks = 32;
constexpr uint64_t kChunk = 16;

/// Sectors beyond the ideal, or wavefronts. Estimates of a sample may fall below the ideal.
uint64_t waste_of(const memory::RequestCounters& counters, trace::Space space) {
  const bool shared = space == trace::Space::kShared;
  const uint64_t spent = shared ? counters.data_wavefronts : counters.theoretical_sectors;
  const uint64_t ideal = shared ? counters.ideal_wavefronts : counters.ideal_sectors;
  return spent > ideal ? spent - ideal : 0;
}

/// Of shared memory: its arrays are those that copies brought.
bool reads_what_was_copied(const trace::Site& site) {
  return site.kind == trace::Kind::kMatrixOperand || site.kind == trace::Kind::kTensorCopy;
}

}  // namespace

std::set<uint64_t> spread_blocks(const memory::Itinerary& itinerary, uint64_t ctas) {
  const memory::Itinerary all = itinerary.empty() ? memory::Itinerary{{0, ctas}} : itinerary;
  const uint64_t stride = std::max<uint64_t>(1, memory::ctas_of(all) / kBlocks);
  std::set<uint64_t> chosen;
  uint64_t before = 0;  // CTAs of earlier stretches
  for (const memory::Stretch& stretch : all) {
    const uint64_t count = stretch.end - stretch.first;
    for (uint64_t i = (before + stride - 1) / stride * stride; i < before + count; i += stride) {
      chosen.insert(stretch.first + i - before);
    }
    before += count;
  }
  return chosen;
}

Probe::Probe(trace::Producer& engine, std::vector<NamedRange> ranges, trace::Sites sites,
             std::set<uint64_t> watched, Detail detail)
    : engine_(engine),
      machine_sites_(std::move(sites)),
      launch_(engine.launch()),
      ranges_(std::move(ranges)),
      watched_(std::move(watched)),
      detail_(detail) {
  std::sort(ranges_.begin(), ranges_.end(),
            [](const NamedRange& a, const NamedRange& b) { return a.address < b.address; });
  WL_CHECK(machine_sites_.size() == launch_.sites->size());
  launch_.sites = &machine_sites_;
  follows_copies_ =
      detail_ == Detail::kAll &&
      std::any_of(machine_sites_.begin(), machine_sites_.end(), reads_what_was_copied);
}

void Probe::set_slots(uint32_t slots) {
  in_slot_.assign(slots, nullptr);
  engine_.set_slots(slots);
}

void Probe::start(uint32_t slot, uint64_t cta) {
  in_slot_[slot] = nullptr;
  if (watched_.contains(cta)) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<BlockView>& block = blocks_[cta];
    block = std::make_unique<BlockView>();
    block->is_first = cta == 0;
    block->sites.resize(machine_sites_.size());
    in_slot_[slot] = block.get();
  }
  engine_.start(slot, cta);
}

Result<trace::Progress> Probe::run(uint32_t slot, uint32_t budget) {
  BlockView* block = in_slot_[slot];
  if (!block || block->is_full()) return engine_.run(slot, budget);
  const std::span<trace::Buffer> warps = engine_.buffers(slot);
  std::vector<size_t> held;
  for (const trace::Buffer& warp : warps) held.push_back(warp.held().size());
  Result<trace::Progress> progress = engine_.run(slot, budget);
  if (follows_copies_) {
    for (size_t i = 0; i < warps.size(); ++i) look_at_copies(*block, warps[i], held[i]);
  }
  for (size_t i = 0; i < warps.size(); ++i) {
    look(*block, warps[i], held[i], block->is_first && i == 0);
  }
  return progress;
}

void Probe::look(BlockView& block, const trace::Buffer& buffer, size_t from, bool is_sample) const {
  const std::span<const trace::Record> held = buffer.held();
  for (size_t at = from; at < held.size(); at += slots_of(held[at])) {
    if (held[at].shape == trace::kMark) {
      block.uses += trace::mark_kind(held[at]) == trace::Mark::kUse;
      continue;
    }
    for (const trace::Access& access : accesses_of(launch(), &held[at])) {
      look(block, access, is_sample);
    }
  }
}

std::optional<size_t> Probe::range_of(uint64_t address) const {
  const auto after = std::upper_bound(
      ranges_.begin(), ranges_.end(), address,
      [](uint64_t place, const NamedRange& range) { return place < range.address; });
  if (after == ranges_.begin() || address - (after - 1)->address >= (after - 1)->bytes) return {};
  return static_cast<size_t>(after - 1 - ranges_.begin());
}

// A copy's global side comes before its shared side, in the same warp.
void Probe::look_at_copies(BlockView& block, const trace::Buffer& buffer, size_t from) const {
  const std::span<const trace::Record> held = buffer.held();
  std::optional<size_t> source;
  for (size_t at = from; at < held.size(); at += slots_of(held[at])) {
    if (held[at].shape == trace::kMark) continue;
    const trace::Kind kind = machine_sites_[held[at].site].kind;
    if (kind != trace::Kind::kBulkCopy && kind != trace::Kind::kAsyncCopy) continue;
    for (const trace::Access& access : accesses_of(launch(), &held[at])) {
      if (access.mask == 0) continue;
      const auto first = static_cast<size_t>(std::countr_zero(access.mask));
      if (access.site->space == trace::Space::kGlobal) source = range_of(access.address[first]);
      if (access.site->space != trace::Space::kShared || !source) continue;
      block.origin.resize(launch_.shared_bytes / kChunk + 1);
      const uint64_t bytes = access.bulk_bytes ? access.bulk_bytes : access.site->width;
      for (size_t lane = first; lane < trace::kLanes; ++lane) {
        if ((access.mask >> lane & 1) == 0) continue;
        const uint64_t end = (access.address[lane] + bytes + kChunk - 1) / kChunk;
        for (uint64_t i = access.address[lane] / kChunk; i < end && i < block.origin.size(); ++i)
          block.origin[i] = static_cast<uint32_t>(1 + *source);
      }
    }
  }
}

void Probe::note_range(const BlockView& block, SiteView& site, const trace::Access& access) const {
  if (access.texel_bytes && access.texels.empty()) return;
  const uint64_t address = access.texel_bytes
                               ? access.texels.front()
                               : access.address[static_cast<size_t>(std::countr_zero(access.mask))];
  if (access.site->space == trace::Space::kTensor) {
    const auto place = trace::TensorPlace::of(address);
    site.columns.insert({place.column, place.column + place.columns});
    return;
  }
  std::optional<size_t> range;
  if (access.site->space == trace::Space::kGlobal || passes_texture_unit(*access.site))
    range = range_of(address);
  if (reads_what_was_copied(*access.site) && address / kChunk < block.origin.size() &&
      block.origin[address / kChunk] != 0)
    range = block.origin[address / kChunk] - 1;
  if (range) site.ranges.insert(*range);
}

void Probe::look(BlockView& block, const trace::Access& access, bool is_sample) const {
  if (access.mask == 0) return;
  ++block.seen;
  if (detail_ == Detail::kBatches) return;
  SiteView& view = block.sites[static_cast<size_t>(access.site - launch().sites->data())];
  note_range(block, view, access);
  if (passes_texture_unit(*access.site)) return;  // nothing looks for examples of these
  if (!access.bulk_bytes && view.weighed < kMostExamples) keep_costliest(access, view);
  if (!is_sample || access.bulk_bytes || block.kept >= kMostAddresses) return;
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
    block.kept += view.unique.insert(lanes[i]).second;
  }
}

void Probe::keep_costliest(const trace::Access& access, SiteView& view) {
  const memory::Lanes lanes{access.mask, access.site->width, access.address};
  if (memory::is_served(*access.site, lanes)) return;
  ++view.weighed;
  add_runs(access, view);
  const uint64_t weight = access.site->space == trace::Space::kShared
                              ? memory::wavefronts_of(*access.site, lanes).total
                              : memory::sectors_in(memory::lines_of(lanes));
  if (weight <= view.weight) return;
  view.weight = weight;
  view.example = {.mask = access.mask, .address = access.address};
}

void Probe::add_runs(const trace::Access& access, SiteView& view) {
  std::array<uint64_t, trace::kLanes> lanes;
  size_t count = 0;
  for (size_t lane = 0; lane < trace::kLanes; ++lane) {
    if (access.mask >> lane & 1) lanes[count++] = access.address[lane];
  }
  std::sort(lanes.begin(), lanes.begin() + count);
  uint64_t end = 0;  // of the bytes so far
  for (size_t i = 0; i < count; ++i) {
    const uint64_t next = lanes[i] + access.site->width;
    view.runs += i == 0 || lanes[i] > end;
    view.run_bytes += next - (i == 0 ? lanes[i] : std::max(end, lanes[i]));
    end = next;
  }
}

const Probe::SiteView* Probe::costliest(size_t site) const {
  const SiteView* costliest = nullptr;
  for (const auto& [cta, block] : blocks_) {
    const SiteView& view = block->sites[site];
    if (view.weight > (costliest ? costliest->weight : 0)) costliest = &view;
  }
  return costliest;
}

std::vector<AccessExample> Probe::examples(const memory::Counters& counters) const {
  std::vector<AccessExample> examples;
  for (const trace::Space space : {trace::Space::kGlobal, trace::Space::kShared}) {
    uint64_t most = 0;
    std::optional<AccessExample> worst;
    for (size_t i = 0; i < machine_sites_.size(); ++i) {
      if (machine_sites_[i].space != space) continue;
      const SiteView* view = costliest(i);
      const uint64_t waste = waste_of(counters.sites[i].request, space);
      if (!view || waste <= most) continue;
      most = waste;
      worst = view->example;
      worst->instruction = static_cast<uint32_t>(i);
    }
    if (worst) examples.push_back(*worst);
  }
  return examples;
}

std::vector<std::string> Probe::tensor_tiles_of(uint32_t site) const {
  std::set<std::pair<uint32_t, uint32_t>> all, own;
  for (const auto& [cta, block] : blocks_) {
    for (const SiteView& view : block->sites) all.insert(view.columns.begin(), view.columns.end());
    const auto& columns = block->sites[site].columns;
    own.insert(columns.begin(), columns.end());
  }
  std::vector<std::pair<uint32_t, uint32_t>> tiles;  // by first column
  for (const auto& [first, end] : all) {
    if (!tiles.empty() && first < tiles.back().second)
      tiles.back().second = std::max(tiles.back().second, end);
    else
      tiles.emplace_back(first, end);
  }
  std::vector<std::string> names;
  for (const auto& tile : tiles) {
    const bool mine = std::any_of(own.begin(), own.end(), [&](const auto& columns) {
      return columns.first >= tile.first && columns.first < tile.second;
    });
    if (mine) names.push_back(fmt::format("tmem[{}:{}]", tile.first, tile.second));
  }
  return names;
}

std::vector<std::string> Probe::arrays_of(uint32_t site) const {
  if (machine_sites_[site].space == trace::Space::kTensor) return tensor_tiles_of(site);
  std::set<size_t> ranges;
  for (const auto& [cta, block] : blocks_) {
    ranges.insert(block->sites[site].ranges.begin(), block->sites[site].ranges.end());
  }
  std::vector<std::string> names;
  for (const size_t range : ranges) names.push_back(ranges_[range].name);
  return names;
}

double Probe::run_bytes_of(uint32_t site) const {
  uint64_t runs = 0, bytes = 0;
  for (const auto& [cta, block] : blocks_) {
    runs += block->sites[site].runs;
    bytes += block->sites[site].run_bytes;
  }
  return runs == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(runs);
}

double Probe::batches_per_access() const {
  uint64_t seen = 0, uses = 0;
  for (const auto& [cta, block] : blocks_) {
    seen += block->seen;
    uses += block->uses;
  }
  return seen == 0 ? 0 : static_cast<double>(uses) / static_cast<double>(seen);
}

std::vector<WarpSample> Probe::samples(const Profile& profile) const {
  std::vector<WarpSample> samples;
  std::vector<std::unordered_set<uint64_t>> unique;
  const auto first = blocks_.find(0);
  if (first == blocks_.end()) return samples;
  for (size_t i = 0; i < machine_sites_.size(); ++i) {
    const SiteView& view = first->second->sites[i];
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
