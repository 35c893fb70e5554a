#include "warpledger/tile/matmul_unit.h"

#include <algorithm>

namespace warpledger::tile {

std::vector<std::string> known_targets() {
  return {"sm_70", "sm_75",  "sm_80",  "sm_86",  "sm_87",  "sm_89",
          "sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"};
}

std::optional<MatmulUnit> matmul_unit(std::string_view target) {
  const auto names = known_targets();
  if (std::find(names.begin(), names.end(), target) == names.end()) return std::nullopt;
  if (target == "sm_90") {
    return MatmulUnit{
        "WGMMA", {Space::kShared, Space::kRegisters}, {Space::kShared}, {Space::kRegisters}};
  }
  if (target == "sm_100" || target == "sm_103" || target == "sm_110") {
    return MatmulUnit{"TCGEN05", {Space::kShared, Space::kTmem}, {Space::kShared}, {Space::kTmem}};
  }
  const std::vector<Space> either = {Space::kShared, Space::kRegisters};
  return MatmulUnit{"MMA", either, either, {Space::kRegisters}};
}

bool allows(const std::vector<Space>& spaces, Space space) {
  return std::find(spaces.begin(), spaces.end(), space) != spaces.end();
}

std::string to_text(const std::vector<Space>& spaces) {
  std::string text;
  for (const Space space : spaces) {
    if (!text.empty()) text += " or ";
    text += to_text(space);
  }
  return text;
}

}  // namespace warpledger::tile
