// Arrays that come from DRAM more than once: the L2 loses them before they are used again.
#include <fmt/core.h>

#include <algorithm>

#include "warpledger/base/units.h"
#include "warpledger/profile/advice/finding.h"

namespace warpledger::profile {
namespace {

constexpr double kWorthSaying = 1.5;  // times the array's size
// DRAM answers in 64 bytes or more, in each part of the L2: a few bytes always come with others.
constexpr uint64_t kFewBytes = 4096;

Finding describe(const Array& array, const std::vector<const Group*>& readers, double bytes) {
  const double times = bytes / static_cast<double>(array.bytes);
  Finding finding{.code = to_text(FindingCode::kL2Thrash),
                  .title = fmt::format("{} is read {:.1f} times from DRAM", array.name, times),
                  .where = readers.front()->source};
  uint64_t asked = 0;
  for (const Group* group : readers) asked += kSectorBytes * group->sum.l2_sectors;
  finding.because.push_back(
      fmt::format("{} fetched from DRAM for an array of {}, {} requested from the L2: it is "
                  "evicted before it is needed again",
                  bytes_in_words(bytes), bytes_in_words(static_cast<double>(array.bytes)),
                  bytes_in_words(static_cast<double>(asked))));
  finding.remedy =
      "make blocks that run at the same time use the same part: larger tiles per block, or a block "
      "order "
      "that walks squares of the result instead of whole rows (block swizzling)";
  return finding;
}

}  // namespace

void find_thrashing(const Evidence& evidence, std::vector<Finding>& findings) {
  const std::vector<Group> groups = groups_of(evidence);
  for (const Array& array : evidence.profile.arrays) {
    std::vector<const Group*> readers;
    uint64_t sectors = 0;
    for (const Group& group : groups) {
      if (group.array != array.name || group.sum.dram_read_sectors == 0) continue;
      readers.push_back(&group);
      sectors += group.sum.dram_read_sectors;
    }
    const auto bytes = static_cast<double>(kSectorBytes * sectors);
    if (array.bytes < kFewBytes || array.is_host ||
        bytes < kWorthSaying * static_cast<double>(array.bytes))
      continue;
    const uint64_t left = (array.bytes + kSectorBytes - 1) / kSectorBytes;
    Finding finding = describe(array, readers, bytes);
    estimate(finding, evidence, [&](memory::Counters& counters) {
      counters.dram.read_sectors -= std::min(counters.dram.read_sectors, sectors - left);
      for (const Group* group : readers) {
        for (const size_t i : group->sites) {
          uint64_t& fetched = counters.sites[i].dram_read_sectors;
          fetched = static_cast<uint64_t>(static_cast<double>(fetched) * static_cast<double>(left) /
                                          static_cast<double>(sectors));
        }
      }
    });
    findings.push_back(std::move(finding));
  }
}

}  // namespace warpledger::profile
