#include "warpledger/memory/memory.h"

namespace warpledger::memory {

RequestCounters& RequestCounters::operator+=(const RequestCounters& other) {
  instructions += other.instructions;
  requests += other.requests;
  lanes += other.lanes;
  sectors += other.sectors;
  theoretical_sectors += other.theoretical_sectors;
  ideal_sectors += other.ideal_sectors;
  tags += other.tags;
  data_wavefronts += other.data_wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  words += other.words;
  return *this;
}

SiteCounters& SiteCounters::operator+=(const SiteCounters& other) {
  request += other.request;
  tag_wavefronts += other.tag_wavefronts;
  l1_hit_sectors += other.l1_hit_sectors;
  l2_requests += other.l2_requests;
  l2_partial_requests += other.l2_partial_requests;
  l2_sectors += other.l2_sectors;
  l2_hit_sectors += other.l2_hit_sectors;
  l2_promoted_sectors += other.l2_promoted_sectors;
  dram_read_sectors += other.dram_read_sectors;
  return *this;
}

}  // namespace warpledger::memory
