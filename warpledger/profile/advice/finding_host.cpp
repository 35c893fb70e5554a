// Kernels that read or write the host's memory directly: the bus between them is the limit. No
// machine file says how fast a bus is, so nothing is said about time.
#include <fmt/format.h>

#include <algorithm>

#include "warpledger/profile/advice/finding.h"

namespace warpledger::profile {

void find_host_memory(const Evidence& evidence, std::vector<Finding>& findings) {
  const HostTraffic traffic = host_traffic(evidence);
  if (traffic.bytes() == 0) return;
  Finding finding{.code = to_text(FindingCode::kHostMemory),
                  .title = fmt::format("{} over the bus: {} {} in the host's memory",
                                       bytes_in_words(static_cast<double>(traffic.bytes())),
                                       fmt::join(traffic.arrays, ", "),
                                       traffic.arrays.size() == 1 ? "lies" : "lie"),
                  .is_limit = find_limit(evidence).kind == Limit::Kind::kHost,
                  .topic = Topic::kHostMemory};
  finding.because.push_back(fmt::format(
      "{} read and {} written over PCIe or NVLink (modeled), which has a tenth of DRAM's "
      "bandwidth or less; its time is not modeled, so cycles and duration assume device memory",
      bytes_in_words(static_cast<double>(traffic.read_bytes)),
      bytes_in_words(static_cast<double>(traffic.written_bytes))));
  finding.remedy =
      "copy the data to device memory first (cudaMalloc, cudaMemcpyAsync) where it is used more "
      "than once; mapped memory pays off only for data that is accessed once, with coalesced "
      "accesses";
  for (const Group& group : groups_of(evidence)) {
    const bool here = std::find(traffic.arrays.begin(), traffic.arrays.end(), group.array) !=
                      traffic.arrays.end();
    if (here && finding.where.line == 0) finding.where = group.source;
  }
  findings.push_back(std::move(finding));
}

}  // namespace warpledger::profile
