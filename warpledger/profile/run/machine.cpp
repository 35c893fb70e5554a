#include "warpledger/profile/run/machine.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/profile/metrics/pipes.h"
#include "warpledger/profile/run/machine_threads.h"
#include "warpledger/profile/run/trip_windows.h"
#include "warpledger/ptx/cfg.h"
#include "warpledger/sass/unit.h"

namespace warpledger::profile {
namespace {

using sass::AccessClass;
using sass::FateKind;
using sass::MergeRule;
using sass::SassAccess;

/// Whether the rule proves which neighbors a wide access serves, each once.
bool is_merge(const SassAccess& access) {
  return access.access_class == AccessClass::kKept && access.members.size() > 1 &&
         (access.merge == MergeRule::kSameBlock || access.merge == MergeRule::kAcrossBlocks ||
          access.merge == MergeRule::kWithHole || access.merge == MergeRule::kOtherVariable ||
          access.merge == MergeRule::kOwnCopies);
}

class Adapter {
 public:
  Adapter(const trace::Sites& sites, const sass::KernelWitness& kernel, const FirstNumbers& numbers)
      : kernel_(kernel), numbers_(numbers) {
    result_.sites = sites;
    result_.fates.resize(sites.size());
    for (size_t i = 0; i < sites.size(); ++i) by_number_[sites[i].instruction].push_back(i);
  }

  MachineSites run() {
    for (const SassAccess& access : kernel_.accesses) {
      if (is_merge(access)) note_group(access);
      if (access.access_class == AccessClass::kKept) note_kind(access);
    }
    for (const auto& [leader, group] : groups_) {
      if (!group.is_disputed) merge(group);
    }
    for (const auto& [leader, width] : trip_windows(kernel_)) {
      const auto group = groups_.find({leader.function, leader.instruction});
      if (group == groups_.end() || !group->second.is_disputed) widen(leader, width);
    }
    for (const sass::Fate& fate : kernel_.fates) {
      if (fate.kind == FateKind::kDropped) {
        silence(fate.place, fmt::format("dropped by ptxas ({})", to_text(fate.reason)));
      }
    }
    return std::move(result_);
  }

 private:
  using Key = std::pair<uint32_t, uint32_t>;  // function, first member
  struct Group {
    uint32_t function = 0;
    std::vector<uint32_t> members;
    uint32_t width = 0;
    bool is_disputed = false;
  };

  /// The only site of an instruction; nothing for generic addresses, which have several.
  std::optional<size_t> site_of(uint32_t function, uint32_t instruction) const {
    const auto first = numbers_.find(function);
    if (first == numbers_.end()) return {};
    const auto found = by_number_.find(first->second + instruction);
    if (found == by_number_.end() || found->second.size() != 1) return {};
    return found->second.front();
  }

  /// Copies of a loop must agree on who belongs together: a member of two groups is in neither.
  void note_group(const SassAccess& access) {
    for (const uint32_t member : access.members) {
      const auto [owner, is_new] =
          owner_.try_emplace({access.place.function, member}, access.members.front());
      if (!is_new && owner->second != access.members.front()) {
        groups_[{access.place.function, owner->second}].is_disputed = true;
        groups_[{access.place.function, access.members.front()}].is_disputed = true;
      }
    }
    Group& group = groups_[{access.place.function, access.members.front()}];
    if (!group.members.empty() && group.members != access.members) group.is_disputed = true;
    group.function = access.place.function;
    group.members = access.members;
    group.width = std::max(group.width, access.access.width);
  }

  /// ptxas makes RED of an atomic whose old value nobody reads, and sometimes does not.
  void note_kind(const SassAccess& access) {
    if (!access.place.is_statement()) return;
    const auto site = site_of(access.place.function, access.place.instruction);
    if (!site) return;
    trace::Kind& kind = result_.sites[*site].kind;
    if (kind == trace::Kind::kAtomic && access.access.kind == sass::AccessKind::kReduction) {
      kind = trace::Kind::kReduction;
    } else if (kind == trace::Kind::kReduction && access.access.kind == sass::AccessKind::kAtomic) {
      kind = trace::Kind::kAtomic;
    }
  }

  void widen(const sass::Place& leader, uint32_t width) {
    const auto site = site_of(leader.function, leader.instruction);
    if (!site) return;
    result_.sites[*site].width = static_cast<uint8_t>(width);
    result_.sites[*site].serves_window = true;
    result_.fates[*site] = fmt::format("{} bits, one for several trips of the loop", 8 * width);
  }

  void merge(const Group& group) {
    std::vector<size_t> sites;
    for (const uint32_t member : group.members) {
      const auto site = site_of(group.function, member);
      if (!site) return;
      sites.push_back(*site);
    }
    // The first member has the lowest address: the wide access begins there.
    result_.sites[sites.front()].width = static_cast<uint8_t>(group.width);
    result_.fates[sites.front()] =
        fmt::format("{} bits with {} more", 8 * group.width, group.members.size() - 1);
    for (size_t i = 1; i < sites.size(); ++i) {
      result_.sites[sites[i]].space = trace::Space::kNone;
      result_.fates[sites[i]] = "merged into a neighbor";
    }
  }

  void silence(const sass::Place& place, std::string why) {
    const auto site = site_of(place.function, place.instruction);
    if (!site) return;
    result_.sites[*site].space = trace::Space::kNone;
    result_.fates[*site] = std::move(why);
  }

  const sass::KernelWitness& kernel_;
  const FirstNumbers& numbers_;
  MachineSites result_;
  std::map<uint32_t, std::vector<size_t>> by_number_;
  std::map<Key, Group> groups_;
  std::map<Key, uint32_t> owner_;  // function and member -> first member of its group
};

}  // namespace

FirstNumbers first_numbers(const ptx::Module& module, const exec::KernelLayout& layout) {
  FirstNumbers numbers;
  uint32_t next = 0;
  for (const uint32_t function : layout.functions) {
    numbers[function] = next;
    next += static_cast<uint32_t>(module.functions[function].instructions.size());
  }
  return numbers;
}

MachineSites machine_sites(const trace::Sites& sites, const sass::KernelWitness& kernel,
                           const FirstNumbers& numbers) {
  return Adapter(sites, kernel, numbers).run();
}

namespace {

/// What ncu counts as branch instructions: equal with the opcode tables of 46 of 50 reports.
bool is_branch(const std::string& base) {
  return base == "BRA" || base == "EXIT" || base == "BSYNC" || base == "CALL" || base == "RET";
}

void set_copies(const sass::Instruction& instruction, ProgramInstruction& made) {
  using Copies = ProgramInstruction::Copies;
  const std::string base = instruction.base();
  if (base == "LDGSTS") made.copies = Copies::kStart;
  if (base == "LDGDEPBAR") made.copies = Copies::kCommit;
  const auto wait = sass::group_wait_of(instruction);
  if (!wait) return;
  made.copies = Copies::kAwait;
  made.groups_left = wait->left;
}

ProgramInstruction program_instruction(const sass::KernelWitness& kernel, uint32_t at,
                                       const FirstNumbers& numbers) {
  const sass::Instruction& instruction = kernel.code[at];
  const sass::Control control = instruction.control.value_or(sass::Control{});
  ProgramInstruction made{.result = result_of(instruction),
                          .stall = std::max<uint8_t>(1, control.stall),
                          .sets = control.sets,
                          .reads = control.reads,
                          .waits = control.waits,
                          .is_barrier = instruction.base() == "BAR" && instruction.has("SYNC")};
  set_copies(instruction, made);
  const sass::Place& place = kernel.places[at];
  const auto first = place.is_statement() ? numbers.find(place.function) : numbers.end();
  if (first != numbers.end()) made.number = first->second + place.instruction;
  return made;
}

void count_block(const sass::KernelWitness& kernel, const sass::SassBlock& block, uint64_t times,
                 Machine& machine) {
  for (uint32_t at = block.first; at < block.end; ++at) {
    const sass::Instruction& instruction = kernel.code[at];
    add_work(instruction, times, machine.pipes);
    if (passes_lsu_without_memory(instruction)) machine.lsu_other += times;
    if (is_branch(instruction.base())) machine.branches += times;
  }
  for (const SassAccess& access : kernel.accesses) {
    const bool here = access.index >= block.first && access.index < block.end;
    if (here && access.access_class == AccessClass::kSpill) machine.spill_requests += times;
  }
}

/// What one machine instruction adds to the PTX line that it was made for.
void note_line(const sass::Instruction& instruction, uint64_t times, uint32_t number,
               std::vector<CodeLine>& code, Machine& machine) {
  constexpr size_t kShown = 60;
  CodeLine& line = code[number];
  line.issued += times;
  if (is_integer_division(line.pipe)) add_work(instruction, times, machine.divisions[number]);
  const bool known =
      (", " + line.sass + ",").find(", " + instruction.opcode + ",") != std::string::npos;
  if (known || line.sass.ends_with("...")) return;
  if (line.sass.size() > kShown) {
    line.sass += ", ...";
  } else {
    line.sass += (line.sass.empty() ? "" : ", ") + instruction.opcode;
  }
}

}  // namespace

sass::BlockCounts block_counts(const ptx::Module& module, const FirstNumbers& numbers,
                               const std::vector<uint64_t>& executions) {
  sass::BlockCounts counts;
  for (const auto& [function, first] : numbers) {
    sass::FunctionCounts& blocks = counts.functions[function];
    for (const ptx::Block& block : ptx::build_cfg(module, module.functions[function]).blocks) {
      const bool is_empty = block.first >= block.end;
      blocks.blocks.push_back(is_empty ? 0 : executions[first + block.first]);
    }
  }
  return counts;
}

Machine count_machine(const ptx::Module& module, const sass::KernelWitness& kernel,
                      const FirstNumbers& numbers, std::vector<CodeLine>& code, bool has_diverged,
                      const sass::Shares& shares, Program& program) {
  std::vector<uint64_t> executions;
  for (const CodeLine& line : code) executions.push_back(line.executions);
  sass::BlockCounts counts = block_counts(module, numbers, executions);
  counts.shares = shares;
  counts.has_diverged = has_diverged;
  const sass::SassCounts counted = sass::count_sass(module, kernel, counts);
  Machine machine{.instructions = counted.total,
                  .opcodes = counted.by_base(),
                  .shares = shares,
                  .fidelity = counted.fidelity};
  program.clear();
  for (size_t i = 0; i < kernel.blocks.size(); ++i) {
    const sass::SassBlock& block = kernel.blocks[i];
    count_block(kernel, block, counted.blocks[i], machine);
    ProgramBlock& made = program.emplace_back();
    made.executions = counted.blocks[i];
    made.predecessors = block.predecessors;
    for (uint32_t at = block.first; at < block.end; ++at) {
      made.code.push_back(program_instruction(kernel, at, numbers));
      const uint32_t number = made.code.back().number;
      if (number < code.size()) {
        note_line(kernel.code[at], counted.blocks[i], number, code, machine);
      }
    }
  }
  machine.threads = thread_work(kernel, program, code);
  return machine;
}

/// Lanes of one warp that are apart are counted each time, and who joins whom is our policy: counts
/// of diverged warps are modeled.
Machine count_executed(const sass::KernelWitness& kernel, const std::vector<CodeLine>& code,
                       bool has_diverged, Program& program) {
  Machine machine{.fidelity = has_diverged ? Fidelity::kModeled : Fidelity::kExact};
  for (size_t at = 0; at < kernel.code.size(); ++at) {
    const sass::Instruction& instruction = kernel.code[at];
    const uint64_t times = code[at].executions;
    machine.instructions += times;
    if (times != 0) machine.opcodes[instruction.base()] += times;
    add_work(instruction, times, machine.pipes);
    if (passes_lsu_without_memory(instruction)) machine.lsu_other += times;
    if (is_branch(instruction.base())) machine.branches += times;
  }
  program.clear();
  for (const sass::SassBlock& block : kernel.blocks) {
    ProgramBlock& made = program.emplace_back();
    made.executions = code[block.first].executions;
    made.predecessors = block.predecessors;
    for (uint32_t at = block.first; at < block.end; ++at)
      made.code.push_back(program_instruction(kernel, at, {{0, 0}}));
  }
  machine.threads = thread_work(kernel, program, code);
  return machine;
}

}  // namespace warpledger::profile
