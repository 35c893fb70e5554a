#include "warpledger/sass/witness/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "warpledger/ptx/user_line.h"

namespace warpledger::sass {
namespace {

constexpr std::array kClasses = {
    AccessClass::kKept,      AccessClass::kFiller, AccessClass::kSpill,    AccessClass::kCalleeSave,
    AccessClass::kExpansion, AccessClass::kSunk,   AccessClass::kMismapped};

Cell number(uint64_t n, Fidelity fidelity = Fidelity::kExact) {
  return {static_cast<int64_t>(n), fidelity};
}
Cell number(const std::optional<uint32_t>& n) { return n ? number(*n) : Cell{}; }

std::string key_of(AccessClass access_class) {
  std::string key(to_text(access_class));
  std::replace_if(
      key.begin(), key.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return key;
}

/// "LDS.128 x8" and the like, in order of first appearance.
std::string opcodes_of(const KernelWitness& kernel, const Fate& fate) {
  std::vector<std::pair<std::string, int>> counts;
  for (const uint32_t access : fate.accesses) {
    const std::string& opcode = kernel.code[kernel.accesses[access].index].opcode;
    const auto found = std::find_if(counts.begin(), counts.end(),
                                    [&](const auto& entry) { return entry.first == opcode; });
    if (found == counts.end())
      counts.emplace_back(opcode, 1);
    else
      ++found->second;
  }
  std::vector<std::string> texts;
  for (const auto& [opcode, count] : counts)
    texts.push_back(count == 1 ? opcode : fmt::format("{} x{}", opcode, count));
  return fmt::format("{}", fmt::join(texts, ", "));
}

const SassAccess* merged_access(const KernelWitness& kernel, const Fate& fate) {
  for (const uint32_t access : fate.accesses) {
    if (kernel.accesses[access].members.size() > 1 ||
        kernel.accesses[access].merge != MergeRule::kNone)
      return &kernel.accesses[access];
  }
  return nullptr;
}

/// The other PTX instructions that its SASS instruction works for.
std::string neighbors_of(const KernelWitness& kernel, const Fate& fate) {
  const SassAccess* merged = merged_access(kernel, fate);
  if (merged == nullptr) return "";
  std::vector<uint32_t> others;
  for (const uint32_t member : merged->members) {
    if (member != fate.place.instruction) others.push_back(member);
  }
  return fmt::format("{}", fmt::join(others, " "));
}

std::string why(const KernelWitness& kernel, const Fate& fate) {
  if (fate.kind == FateKind::kDropped) return std::string(to_text(fate.reason));
  const SassAccess* merged = merged_access(kernel, fate);
  return merged == nullptr ? "" : std::string(to_text(merged->merge));
}

/// Proofs and plain counts are exact; guesses are not.
Fidelity fidelity_of(const KernelWitness& kernel, const Fate& fate) {
  const SassAccess* merged = merged_access(kernel, fate);
  const bool guessed = merged != nullptr && merged->merge >= MergeRule::kOtherVariable;
  return guessed || fate.kind == FateKind::kDropped ? Fidelity::kModeled : Fidelity::kExact;
}

Cell source_line(const ptx::Module& module, const Place& place) {
  const ptx::Function& function = module.functions[place.function];
  const auto* location = function.location_of(function.instructions[place.instruction]);
  if (location == nullptr) return {};
  const ptx::SourcePlace at = ptx::user_place(module, function, *location);
  const std::string_view path = module.file_name(at.file);
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return fmt::format("{}:{}", file, at.line);
}

std::string_view spelling_of(const ptx::Module& module, const Place& place) {
  const ptx::Function& function = module.functions[place.function];
  return module.spelling(function.instructions[place.instruction]).text;
}

}  // namespace

Table kernel_table(const Witness& witness) {
  Table table{.title = "kernels",
              .columns = {{"kernel", "kernel"},
                          {"registers", "registers", Align::kRight},
                          {"frame bytes", "frame_bytes", Align::kRight},
                          {"shared bytes", "static_shared_bytes", Align::kRight},
                          {"spill store bytes", "spill_store_bytes", Align::kRight},
                          {"spill load bytes", "spill_load_bytes", Align::kRight},
                          {"callee save bytes", "callee_save_bytes", Align::kRight},
                          {"SASS instructions", "sass_instructions", Align::kRight},
                          {"of memory", "sass_memory_instructions", Align::kRight}}};
  for (const KernelWitness& kernel : witness.kernels) {
    const SassFunction& own = kernel.functions.front();
    uint64_t saves = 0;
    for (const SassFunction& function : kernel.functions)
      saves += function.save_store_bytes + function.save_load_bytes;
    table.rows.push_back(
        {{kernel.is_entry ? kernel.name : kernel.name + " (function)", number(kernel.registers),
          number(kernel.frame_bytes), number(kernel.static_shared_bytes),
          number(own.spill_store_bytes), number(own.spill_load_bytes), number(saves),
          number(kernel.code.size()), number(kernel.accesses.size())}});
  }
  table.notes = {"spills and saves: bytes of one thread, each instruction counted once"};
  return table;
}

Table function_table(const Witness& witness) {
  Table table{.title = "functions",
              .columns = {{"function", "function"},
                          {"in", "kernel"},
                          {"spill store bytes", "spill_store_bytes", Align::kRight},
                          {"spill load bytes", "spill_load_bytes", Align::kRight},
                          {"save store bytes", "save_store_bytes", Align::kRight},
                          {"save load bytes", "save_load_bytes", Align::kRight}}};
  for (const KernelWitness& kernel : witness.kernels) {
    for (const SassFunction& function : kernel.functions) {
      table.rows.push_back({{function.name, kernel.name, number(function.spill_store_bytes),
                             number(function.spill_load_bytes), number(function.save_store_bytes),
                             number(function.save_load_bytes)}});
    }
  }
  return table;
}

Table class_table(const Witness& witness) {
  Table table{.title = "SASS memory instructions by class", .columns = {{"kernel", "kernel"}}};
  for (const AccessClass access_class : kClasses)
    table.columns.push_back(
        {std::string(to_text(access_class)), key_of(access_class), Align::kRight});
  table.columns.push_back({"of them widened", "widened", Align::kRight});
  table.columns.push_back({"unexplained", "widened_unexplained", Align::kRight});
  std::vector<uint64_t> totals(kClasses.size() + 2);
  const auto add_row = [&](const std::string& name, const std::vector<uint64_t>& counts) {
    Row row{{name}};
    for (const uint64_t count : counts) row.cells.push_back(number(count));
    table.rows.push_back(std::move(row));
  };
  for (const KernelWitness& kernel : witness.kernels) {
    std::vector<uint64_t> counts(totals.size());
    for (const SassAccess& access : kernel.accesses) {
      const auto at = std::find(kClasses.begin(), kClasses.end(), access.access_class);
      ++counts[static_cast<size_t>(at - kClasses.begin())];
      counts[kClasses.size()] += access.merge != MergeRule::kNone;
      counts[kClasses.size() + 1] += access.merge == MergeRule::kUnexplained;
    }
    for (size_t i = 0; i < totals.size(); ++i) totals[i] += counts[i];
    add_row(kernel.name, counts);
  }
  add_row("TOTAL", totals);
  table.rows.back().rule_before = true;
  return table;
}

Table fate_table(const ptx::Module& module, const KernelWitness& kernel) {
  Table table{.title = fmt::format("PTX memory instructions of {}", kernel.name),
              .columns = {{"PTX", "ptx_instruction", Align::kRight},
                          {"opcode", "ptx_opcode"},
                          {"source", "source"},
                          {"became", "fate"},
                          {"SASS", "sass"},
                          {"times", "sass_instructions", Align::kRight},
                          {"with", "neighbors"},
                          {"rule or reason", "why"}}};
  const bool several = std::any_of(kernel.fates.begin(), kernel.fates.end(), [&](const Fate& fate) {
    return fate.place.function != kernel.function;
  });
  if (several) table.columns.insert(table.columns.begin(), {"function", "function"});
  for (const Fate& fate : kernel.fates) {
    Row row;
    if (several) row.cells.emplace_back(std::string(module.functions[fate.place.function].name));
    row.cells.push_back(number(fate.place.instruction));
    row.cells.emplace_back(std::string(spelling_of(module, fate.place)));
    row.cells.push_back(source_line(module, fate.place));
    row.cells.emplace_back(std::string(to_text(fate.kind)));
    row.cells.emplace_back(opcodes_of(kernel, fate));
    row.cells.push_back(number(fate.accesses.size(), fidelity_of(kernel, fate)));
    row.cells.emplace_back(neighbors_of(kernel, fate));
    row.cells.emplace_back(why(kernel, fate));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> unexplained(const ptx::Module& module, const KernelWitness& kernel) {
  std::vector<std::string> lines;
  const auto at = [&](uint32_t index) {
    const Place place = kernel.places[index];
    return fmt::format("{} at {:#x} ({})", kernel.code[index].opcode, kernel.code[index].address,
                       place.is_statement() ? fmt::format("{} of {}", spelling_of(module, place),
                                                          module.functions[place.function].name)
                                            : "no PTX statement");
  };
  for (const SassAccess& access : kernel.accesses) {
    if (access.access_class == AccessClass::kMismapped)
      lines.push_back(fmt::format("{}: {} fits no rule", kernel.name, at(access.index)));
    if (access.merge == MergeRule::kUnexplained)
      lines.push_back(fmt::format("{}: {} is wider than its PTX, and no neighbor explains it",
                                  kernel.name, at(access.index)));
  }
  for (const uint32_t index : kernel.unknown_opcodes)
    lines.push_back(fmt::format("{}: {} looks like a memory instruction but is not known",
                                kernel.name, at(index)));
  for (const Fate& fate : kernel.fates) {
    if (fate.reason == DropReason::kUnexplained)
      lines.push_back(fmt::format("{}: {} (PTX instruction {} of {}) has no SASS", kernel.name,
                                  spelling_of(module, fate.place), fate.place.instruction,
                                  module.functions[fate.place.function].name));
  }
  return lines;
}

}  // namespace warpledger::sass
