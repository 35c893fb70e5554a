#include "warpledger/sass/registers/scoreboards.h"

#include <algorithm>

#include "warpledger/base/check.h"

namespace warpledger::sass {
namespace {

bool takes(const Instruction& instruction, uint8_t scoreboard) {
  return instruction.control &&
         (instruction.control->sets == scoreboard || instruction.control->reads == scoreboard);
}
bool waits(const Instruction& instruction, uint8_t scoreboard) {
  return instruction.control && (instruction.control->waits >> scoreboard & 1) != 0;
}

/// Back from `reader` on every way, up to where somebody waited for it already. An instruction
/// waits before it takes.
std::vector<Awaited> takers(const std::vector<Instruction>& code, const CodeFlow& flow,
                            uint32_t reader, uint8_t scoreboard) {
  std::vector<Awaited> found;
  std::vector<bool> seen(code.size());
  std::vector<uint32_t> open = flow.before[reader];
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    if (takes(code[at], scoreboard)) found.push_back({scoreboard, at});
    if (waits(code[at], scoreboard)) continue;
    open.insert(open.end(), flow.before[at].begin(), flow.before[at].end());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<std::vector<Awaited>> awaited(const std::vector<Instruction>& code,
                                          const CodeFlow& flow) {
  WL_CHECK(flow.before.size() == code.size());
  std::vector<std::vector<Awaited>> all(code.size());
  for (uint32_t i = 0; i < code.size(); ++i) {
    for (uint8_t k = 0; k < Control::kScoreboards; ++k) {
      if (!waits(code[i], k)) continue;
      const std::vector<Awaited> found = takers(code, flow, i, k);
      all[i].insert(all[i].end(), found.begin(), found.end());
    }
  }
  return all;
}

}  // namespace warpledger::sass
