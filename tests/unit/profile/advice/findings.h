// What tests of findings share.
#pragma once

#include <string>
#include <vector>

#include "warpledger/profile/advice/finding.h"

namespace warpledger::profile {

/// Coalesced 32-bit requests that miss everywhere.
inline memory::SiteCounters stream(uint64_t requests) {
  memory::SiteCounters c;
  c.request = {.instructions = requests,
               .requests = requests,
               .lanes = 32 * requests,
               .sectors = 4 * requests,
               .theoretical_sectors = 4 * requests,
               .ideal_sectors = 4 * requests,
               .tags = requests,
               .data_wavefronts = requests,
               .ideal_wavefronts = requests,
               .words = 32 * requests};
  c.tag_wavefronts = requests;
  c.l2_requests = requests;
  c.l2_sectors = c.dram_read_sectors = 4 * requests;
  return c;
}

inline const Finding* with_code(const std::vector<Finding>& findings, const std::string& code) {
  for (const Finding& finding : findings) {
    if (finding.code == code) return &finding;
  }
  return nullptr;
}

}  // namespace warpledger::profile
