#include "warpledger/profile/advice/finding_code.h"

#include <iterator>

namespace warpledger::profile {
namespace {

constexpr const char* kNames[] = {
    "host-memory",        "lsu-bound",    "compute-bound",     "issue-bound",  "barrier-bound",
    "dram-bound",         "atomic-bound", "l2-bound",          "tag-bound",    "latency-bound",
    "uncoalesced",        "misaligned",   "bank-conflicts",    "short-copies", "l2-thrash",
    "partial-writes",     "local-memory", "contended-atomics", "divergence",   "integer-division",
    "memory-accumulator", "few-blocks",   "low-occupancy",
};
static_assert(std::size(kNames) == kFindingCodes);

}  // namespace

std::string to_text(FindingCode code) { return kNames[static_cast<uint8_t>(code)]; }

}  // namespace warpledger::profile
