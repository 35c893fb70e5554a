#include "warpledger/exec/translate/subroutines.h"

#include <algorithm>
#include <set>

#include "warpledger/exec/machine/table.h"

namespace warpledger::exec::translate {
namespace {

class Finder {
 public:
  Finder(const machine::Loaded& loaded, uint32_t entry)
      : loaded_(loaded), program_(loaded.program), entry_(entry) {}

  ControlFlow run() {
    for (const uint32_t at : reached_from(entry_)) {
      if (is(at, "BRX")) flow_.places[at] = table_of(at);
      if (!is(at, "CALL")) continue;
      const std::set<uint32_t> exits = exits_of(at);
      flow_.comes_back[at] = !exits.empty();
      for (const uint32_t exit : exits) flow_.places[exit].push_back(at + 1);
    }
    return std::move(flow_);
  }

 private:
  [[nodiscard]] const Instruction& one(uint32_t at) const { return program_.instructions[at]; }
  [[nodiscard]] bool is(uint32_t at, std::string_view opcode) const {
    return one(at).row != nullptr && one(at).row->opcode == opcode;
  }
  [[nodiscard]] std::optional<uint32_t> target_of(uint32_t at) const {
    return one(at).target ? program_.find(*one(at).target) : std::nullopt;
  }

  /// Where ptxas says that a BRX leads.
  [[nodiscard]] std::vector<uint32_t> table_of(uint32_t at) const {
    std::vector<uint32_t> places;
    const auto found = loaded_.listing.indirect.find(one(at).address - machine::kMachineCode);
    if (found == loaded_.listing.indirect.end()) return places;
    for (const uint64_t target : found->second)
      if (const auto place = program_.find(target + machine::kMachineCode))
        if (std::ranges::find(places, *place) == places.end()) places.push_back(*place);
    return places;
  }

  /// RETs of the subroutine that is called there; of those that it calls, not theirs.
  const std::set<uint32_t>& exits_of(uint32_t call) {
    const auto target = target_of(call);
    const auto [found, is_new] = exits_.try_emplace(target.value_or(UINT32_MAX));
    if (!is_new || !target) return found->second;  // recursion: seen on the way
    std::set<uint32_t> exits;
    for (const uint32_t at : reached_from(*target))
      if (is(at, "RET")) exits.insert(at);
    return exits_[*target] = std::move(exits);
  }

  std::set<uint32_t> reached_from(uint32_t first) {
    std::set<uint32_t> reached;
    std::vector<uint32_t> work = {first};
    while (!work.empty()) {
      const uint32_t at = work.back();
      work.pop_back();
      if (at >= program_.instructions.size() || !reached.insert(at).second) continue;
      if (one(at).row == nullptr) continue;
      const bool is_plain = !one(at).has(M::kDIV) && !one(at).has(M::kCONV) &&
                            one(at).guard == machine::kTruePredicate && !one(at).guard_inverted &&
                            std::ranges::none_of(one(at).operands, machine::is_predicate);
      const bool calls = is(at, "CALL"), comes_back = calls && !exits_of(at).empty();
      if (is(at, "BRA") || (calls && (!comes_back || first == entry_)))
        if (const auto target = target_of(at)) work.push_back(*target);
      if (is(at, "BRX")) {
        const std::vector<uint32_t> places = table_of(at);
        work.insert(work.end(), places.begin(), places.end());
      }
      const bool leaves = is(at, "BRA") || is(at, "BRX") || is(at, "EXIT") || is(at, "RET") ||
                          (calls && !comes_back);
      if (!leaves || !is_plain) work.push_back(at + 1);
    }
    return reached;
  }

  const machine::Loaded& loaded_;
  const machine::Program& program_;
  const uint32_t entry_;  // whose way through subroutines is followed, too
  ControlFlow flow_;
  std::map<uint32_t, std::set<uint32_t>> exits_;  // by a subroutine's first instruction
};

}  // namespace

ControlFlow find_control_flow(const machine::Loaded& loaded) {
  const auto entry = loaded.program.find(loaded.entry);
  return entry ? Finder(loaded, *entry).run() : ControlFlow{};
}

}  // namespace warpledger::exec::translate
