#include "warpledger/profile/run/machine_threads.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace warpledger::profile {
namespace {

constexpr double kWarp = 32;

/// The PTX instruction of a line, where it ran.
const CodeLine* ptx_of(const Profile& profile, const MachineLine& line) {
  if (line.number >= profile.code.size()) return nullptr;
  const CodeLine& code = profile.code[line.number];
  return code.executions > 0 ? &code : nullptr;
}

double lanes(const CodeLine& code, uint64_t executions) {
  return std::min(kWarp, static_cast<double>(code.lanes) / static_cast<double>(executions));
}

/// Lanes of an execution, from a line and its PTX instruction that both have no guard.
std::optional<double> told_lanes(const Profile& profile, const MachineLine& line) {
  const CodeLine* code = ptx_of(profile, line);
  if (code == nullptr || !line.guard.empty() || code->text.starts_with('@')) return {};
  return lanes(*code, code->executions);
}

/// By PTX instruction: how often the blocks ran that hold it under a guard.
std::map<uint32_t, uint64_t> guarded_runs(const std::vector<sass::SassBlock>& blocks,
                                          const std::vector<MachineLine>& lines) {
  std::map<uint32_t, uint64_t> runs;
  for (const sass::SassBlock& block : blocks) {
    std::set<uint32_t> numbers;
    for (uint32_t i = block.first; i < block.end; ++i)
      if (!lines[i].guard.empty()) numbers.insert(lines[i].number);
    for (const uint32_t number : numbers) runs[number] += lines[block.first].executions;
  }
  return runs;
}

uint64_t times(double lanes, uint64_t executions) {
  return static_cast<uint64_t>(std::llround(lanes * static_cast<double>(executions)));
}

void note(const Profile& profile, std::optional<double> active,
          const std::map<uint32_t, uint64_t>& runs, MachineLine& line) {
  if (const auto own = told_lanes(profile, line)) active = own;
  if (active) line.threads = times(*active, line.executions);
  if (line.guard.empty()) {
    line.threads_on = line.threads;
    return;
  }
  const CodeLine* code = ptx_of(profile, line);
  if (code == nullptr) return;
  const double on = lanes(*code, std::max(code->executions, runs.at(line.number)));
  line.threads_on = times(std::min(on, active.value_or(kWarp)), line.executions);
}

}  // namespace

void note_threads(const Profile& profile, const std::vector<sass::SassBlock>& blocks,
                  std::vector<MachineLine>& lines) {
  const std::map<uint32_t, uint64_t> runs = guarded_runs(blocks, lines);
  for (const sass::SassBlock& block : blocks) {
    std::optional<double> active;
    for (uint32_t i = block.first; i < block.end; ++i)
      if (const auto told = told_lanes(profile, lines[i]))
        active = std::max(active.value_or(0), *told);
    for (uint32_t i = block.first; i < block.end; ++i) note(profile, active, runs, lines[i]);
  }
}

}  // namespace warpledger::profile
