#include "warpledger/trace/sinks.h"

#include <fmt/core.h>

#include <bit>

namespace warpledger::trace {

std::vector<Access> accesses_of(const Launch& launch, const Record* head) {
  WL_CHECK(head->shape != kMark && head->site < launch.sites->size());
  const Site* site = &(*launch.sites)[head->site];
  std::vector<Access> accesses;
  for (uint32_t member = 0; member < site->group; ++member) {
    Access access{site + member};
    if (head->shape == kBulk) {
      access.mask = 1;
      access.address[0] = head->address;
      access.bulk_bytes = head[1].address;
    } else if (head->shape == kTexels) {
      const TexelCount count = TexelCount::of(head->address);
      access.mask = count.mask;
      access.texels = texel_addresses(head);
      access.texel_bytes = count.width;
    } else if (head->shape == kRaw) {
      access.mask = static_cast<uint32_t>(head->address);
      access.address = raw_addresses(head);
      for (uint64_t& address : access.address)
        address += static_cast<uint64_t>(access.site->offset);
    } else {
      const Shape& shape = (*launch.shapes)[head->shape];
      access.mask = shape.mask;
      for (size_t lane = 0; lane < kLanes; ++lane) {
        access.address[lane] =
            head->address + static_cast<uint64_t>(access.site->offset + shape.offset[lane]);
      }
    }
    accesses.push_back(access);
  }
  return accesses;
}

void CountSink::begin(const Launch& launch) {
  launch_ = &launch;
  sites_.assign(launch.sites->size(), {});
  marks_ = {};
  slots_ = 0;
}

void CountSink::drain(uint32_t, Buffer& buffer) {
  const std::span<const Record> held = buffer.held();
  for (size_t at = 0; at < held.size(); at += slots_of(held[at])) {
    const Record& record = held[at];
    if (record.shape == kMark) {
      ++marks_[static_cast<size_t>(mark_kind(record))];
      continue;
    }
    const bool spells_mask = record.shape == kRaw || record.shape == kTexels;
    const uint32_t mask = record.shape == kBulk ? 1
                          : spells_mask         ? static_cast<uint32_t>(record.address)
                                                : (*launch_->shapes)[record.shape].mask;
    const uint32_t group = (*launch_->sites)[record.site].group;
    for (uint32_t site = record.site; site < record.site + group; ++site) {
      ++sites_[site].executions;
      sites_[site].lanes += static_cast<uint64_t>(std::popcount(mask));
    }
  }
  slots_ += held.size();
  buffer.clear();
}

namespace {

std::string to_text(const Access& access) {
  const Site& site = *access.site;
  const uint32_t width = access.texel_bytes ? access.texel_bytes : site.width;
  std::string text = fmt::format("  i{} {}.{} {}B", site.instruction, to_text(site.kind),
                                 to_text(site.space), width);
  if (site.cache != CacheOperator::kDefault) text += fmt::format(" {}", to_text(site.cache));
  if (access.bulk_bytes)
    return text + fmt::format(" {:x}+{}\n", access.address[0], access.bulk_bytes);
  text += fmt::format(" {:08x}:", access.mask);
  for (const uint64_t texel : access.texels) text += fmt::format(" {:x}", texel);
  if (access.texel_bytes) return text + "\n";
  for (size_t lane = 0; lane < kLanes; ++lane) {
    if (access.mask >> lane & 1) text += fmt::format(" {:x}", access.address[lane]);
  }
  return text + "\n";
}

}  // namespace

void DumpSink::drain(uint32_t warp, Buffer& buffer) {
  const std::span<const Record> held = buffer.held();
  for (size_t at = 0; at < held.size(); at += slots_of(held[at])) {
    const Record& record = held[at];
    if (record.shape != kMark) {
      std::string& stream = streams_[{cta_of_[&buffer], warp}];
      for (const Access& access : accesses_of(*launch_, &record)) stream += to_text(access);
      continue;
    }
    if (mark_kind(record) == Mark::kCtaStart) cta_of_[&buffer] = mark_count(record);
    streams_[{cta_of_[&buffer], warp}] +=
        fmt::format("  {} {} i{}\n", to_text(mark_kind(record)), mark_count(record), record.site);
  }
  buffer.clear();
}

std::string DumpSink::text() const {
  std::string text;
  for (const auto& [key, stream] : streams_) {
    text += fmt::format("cta {} warp {}\n{}", key.first, key.second, stream);
  }
  return text;
}

}  // namespace warpledger::trace
