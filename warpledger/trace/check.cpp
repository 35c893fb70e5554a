// The invariant checker: trace.h's contract, clause by clause.
#include <fmt/core.h>

#include "warpledger/trace/sinks.h"

namespace warpledger::trace {

void CheckSink::begin(const Launch& launch) {
  launch_ = &launch;
  started_.assign(launch.ctas(), 0);
  streams_.clear();
  ended_.clear();
  faults_.clear();
}

void CheckSink::fault(const Stream& stream, std::string what) {
  constexpr size_t kEnough = 100;
  if (faults_.size() < kEnough) {
    faults_.push_back(fmt::format("cta {} warp {}: {}", stream.cta, stream.warp, what));
  }
}

void CheckSink::drain(uint32_t warp, Buffer& buffer) {
  Stream& stream = streams_[&buffer];
  stream.warp = warp;
  const std::span<const Record> held = buffer.held();
  for (size_t at = 0; at < held.size(); at += slots_of(held[at])) {
    if (at + slots_of(held[at]) > held.size()) {
      fault(stream, "a record is cut off at the end of the buffer");
      break;
    }
    if (held[at].shape == kMark) {
      check_mark(held[at], warp, stream);
    } else {
      check_access(&held[at], stream);
    }
  }
  buffer.clear();
}

void CheckSink::check_mark(const Record& record, uint32_t warp, Stream& stream) {
  const Mark kind = mark_kind(record);
  if (kind == Mark::kCtaStart) {
    if (stream.open) fault(stream, "cta_start before the previous CTA's warp_end");
    stream = {mark_count(record), warp, true};
    if (stream.cta >= started_.size()) return fault(stream, "no such CTA in the grid");
    if (++started_[stream.cta] > launch_->warps()) fault(stream, "started more than once");
    return;
  }
  if (!stream.open) fault(stream, "a mark outside cta_start ... warp_end");
  if (kind > Mark::kWarpEnd) fault(stream, "unknown mark");
  if (kind != Mark::kWarpEnd) return;
  stream.open = false;
  ++ended_[stream.cta];
}

void CheckSink::check_access(const Record* head, const Stream& stream) {
  if (!stream.open) fault(stream, "an access outside cta_start ... warp_end");
  const Sites& sites = *launch_->sites;
  if (head->site >= sites.size() || sites[head->site].group == 0 ||
      head->site + sites[head->site].group > sites.size()) {
    return fault(stream, fmt::format("no such site: {}", head->site));
  }
  if (head->shape < kTexels && head->shape >= launch_->shapes->size()) {
    return fault(stream, fmt::format("no such shape: {}", head->shape));
  }
  for (const Access& access : accesses_of(*launch_, head)) {
    const Site& site = *access.site;
    if ((head->shape == kBulk) != has_bulk_records(site)) {
      fault(stream, fmt::format("i{}: bulk record and bulk site go together", site.instruction));
    }
    if (head->shape == kTexels) {
      if (site.space != Space::kTexture) fault(stream, "texels of no texture");
      if (access.mask == 0) fault(stream, "texels without lanes");
      continue;
    }
    if (head->shape == kRaw && access.mask == 0) fault(stream, "a raw record without lanes");
    for (size_t lane = 0; lane < kLanes; ++lane) {
      if (!(access.mask >> lane & 1)) continue;
      const uint64_t address = access.address[lane];
      const uint64_t bytes = access.bulk_bytes ? access.bulk_bytes : site.width;
      if (!access.bulk_bytes && address % site.width) {
        fault(stream, fmt::format("i{} lane {}: {:x} is not a multiple of {}", site.instruction,
                                  lane, address, site.width));
      }
      if (site.space == Space::kShared && address + bytes > launch_->shared_bytes) {
        fault(stream, fmt::format("i{} lane {}: {:x} is past the CTA's {} B of shared memory",
                                  site.instruction, lane, address, launch_->shared_bytes));
      }
    }
  }
}

void CheckSink::end() {
  for (const auto& [buffer, stream] : streams_) {
    if (stream.open) fault(stream, "no warp_end");
  }
  for (uint64_t cta = 0; cta < started_.size(); ++cta) {
    if (started_[cta] != launch_->warps() || ended_[cta] != launch_->warps()) {
      fault({cta, 0}, fmt::format("{} of {} warps started, {} ended", started_[cta],
                                  launch_->warps(), ended_[cta]));
    }
  }
}

}  // namespace warpledger::trace
