// Which memory instructions a finding is about: those of one line that do the same, then the lines
// that do.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warpledger/profile/advice/finding.h"

namespace warpledger::profile {
namespace {

constexpr double kAlike = 0.02;  // of what a request costs

std::string kind_in_words(trace::Kind kind) {
  switch (kind) {
    case trace::Kind::kLoad:
      return "load";
    case trace::Kind::kStore:
      return "store";
    case trace::Kind::kAtomic:
    case trace::Kind::kCompareSwap:
      return "atomic";
    case trace::Kind::kReduction:
      return "reduction";
    case trace::Kind::kAsyncCopy:
      return "asynchronous copy";
    case trace::Kind::kLoadMatrix:
      return "ldmatrix";
    case trace::Kind::kStoreMatrix:
      return "stmatrix";
    case trace::Kind::kBulkCopy:
      return "bulk copy";
    case trace::Kind::kPrefetch:
      return "prefetch";
    case trace::Kind::kBulkStore:
      return "bulk store";
    case trace::Kind::kBulkReduction:
      return "bulk reduction";
    case trace::Kind::kMatrixOperand:
      return "operand of a product";
    case trace::Kind::kMatrixAddend:
    case trace::Kind::kMatrixResult:
      return "result of a product";
    case trace::Kind::kTensorCopy:
      return "copy to tensor memory";
  }
  return "access";
}

bool is_near(uint64_t a, uint64_t of_a, uint64_t b, uint64_t of_b) {
  const double x = static_cast<double>(a) / static_cast<double>(of_a);
  const double y = static_cast<double>(b) / static_cast<double>(of_b);
  return std::abs(x - y) <= kAlike * std::max(x, y);
}

/// Whether a request of the one costs what one of the other does: the same array walked in the same
/// way has one cause.
bool are_alike(const Group& a, const Group& b) {
  const memory::RequestCounters &x = a.sum.request, &y = b.sum.request;
  const auto same = [&](uint64_t memory::RequestCounters::*of) {
    return is_near(x.*of, x.requests, y.*of, y.requests);
  };
  return a.source.file == b.source.file && a.source.line != 0 && a.run_bytes == b.run_bytes &&
         a.array == b.array && a.space == b.space && a.kind == b.kind &&
         same(&memory::RequestCounters::lanes) &&
         same(&memory::RequestCounters::theoretical_sectors) &&
         same(&memory::RequestCounters::data_wavefronts) &&
         same(&memory::RequestCounters::ideal_wavefronts);
}

void join(const Group& other, Group& to) {
  to.also.push_back(other.source.line);
  to.sites.insert(to.sites.end(), other.sites.begin(), other.sites.end());
  to.sum += other.sum;
  to.bytes += other.bytes;
  to.run_bytes = std::min(to.run_bytes, other.run_bytes);
}

}  // namespace

std::string Group::name() const {
  const std::string what = kind_in_words(kind);
  const std::string of = space == trace::Space::kShared  ? " in shared memory"
                         : space == trace::Space::kLocal ? " in local memory"
                         : array.empty()                 ? ""
                                                         : " of " + array;
  std::string line = to_text(source);
  if (!also.empty()) line += fmt::format(", {}", fmt::join(also, ", "));
  return line.empty() ? what + of : line + ": " + what + of;
}

std::vector<Group> groups_of(const Evidence& evidence) {
  const Profile& profile = evidence.profile;
  std::vector<Group> groups;
  for (size_t i = 0; i < profile.instructions.size(); ++i) {
    const Instruction& instruction = profile.instructions[i];
    const memory::SiteCounters& counters = evidence.counters.sites[i];
    const trace::Space space = instruction.site.space;
    const bool goes_elsewhere = space == trace::Space::kConstant || space == trace::Space::kNone;
    if (counters.request.requests == 0 || goes_elsewhere) continue;
    const SourceLine& source = profile.code_of(instruction).source;
    const std::string array = instruction.arrays.size() == 1 ? instruction.arrays[0] : "";
    auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.source == source && group.array == array &&
             group.space == instruction.site.space && group.kind == instruction.site.kind;
    });
    if (same == groups.end()) {
      groups.push_back({.source = source,
                        .array = array,
                        .space = instruction.site.space,
                        .kind = instruction.site.kind,
                        .run_bytes = instruction.run_bytes});
      same = groups.end() - 1;
    }
    same->run_bytes = std::min(same->run_bytes, instruction.run_bytes);
    same->sites.push_back(i);
    same->sum += counters;
    same->bytes += counters.request.lanes * instruction.site.width;
  }
  return groups;
}

std::vector<Group> merge_alike(const std::vector<Group>& groups) {
  std::vector<Group> merged;
  for (const Group& group : groups) {
    const auto same = std::find_if(merged.begin(), merged.end(),
                                   [&](const Group& one) { return are_alike(one, group); });
    same == merged.end() ? merged.push_back(group) : join(group, *same);
  }
  return merged;
}

}  // namespace warpledger::profile
