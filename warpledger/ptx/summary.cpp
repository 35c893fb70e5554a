#include "warpledger/ptx/summary.h"

#include <algorithm>
#include <array>
#include <set>

namespace warpledger::ptx {
namespace {

constexpr size_t kFamilies = static_cast<size_t>(Family::kMisc) + 1;
constexpr size_t kTiers = static_cast<size_t>(Tier::kHopper) + 1;

Cell number(uint64_t n) { return {static_cast<int64_t>(n), Fidelity::kExact}; }

std::string directives_text(const Function& function) {
  std::string text;
  for (const Directive& directive : function.signature.directives) {
    if (!text.empty()) text += ' ';
    text += to_text(directive.kind);
    for (size_t i = 0; i < directive.values.size(); ++i) {
      text += (i == 0 ? " " : ",") + std::to_string(directive.values[i]);
    }
  }
  return text;
}

Table function_table(const Module& module) {
  Table table;
  table.title = "functions";
  table.columns = {{"function", "function"},
                   {"kind", "kind"},
                   {"parameters", "parameters", Align::kRight},
                   {"parameter bytes", "parameter_bytes", Align::kRight},
                   {"virtual registers", "virtual_registers", Align::kRight},
                   {"static shared bytes", "static_shared_bytes", Align::kRight},
                   {"instructions", "instructions", Align::kRight},
                   {"directives", "directives"}};
  for (const Function& function : module.functions) {
    if (!function.has_body) continue;
    table.rows.push_back(
        {{std::string(function.name), function.is_entry ? "entry" : "func",
          number(function.signature.params.size()), number(parameter_bytes(module, function)),
          number(function.register_count()), number(static_shared_bytes(module, function)),
          number(function.instructions.size()), directives_text(function)}});
  }
  return table;
}

Table family_table(const Module& module) {
  std::array<std::array<uint64_t, kTiers>, kFamilies> counts = {};
  for (const Function& function : module.functions) {
    for (const Instruction& instruction : function.instructions) {
      const Spelling& spelling = module.spelling(instruction);
      ++counts[static_cast<size_t>(spelling.opcode().family)][static_cast<size_t>(spelling.tier())];
    }
  }
  Table table;
  table.title = "instructions by family and tier";
  table.columns = {{"family", "family"},
                   {"tier i", "tier_1", Align::kRight},
                   {"tier ii", "tier_2", Align::kRight},
                   {"tier iii", "tier_3", Align::kRight},
                   {"parsed only", "parsed_only", Align::kRight},
                   {"total", "total", Align::kRight}};
  std::array<uint64_t, kTiers> sum = {};
  const auto row = [&](std::string name, const std::array<uint64_t, kTiers>& tiers) {
    const uint64_t total = tiers[0] + tiers[1] + tiers[2] + tiers[3];
    table.rows.push_back({{std::move(name), number(tiers[1]), number(tiers[2]), number(tiers[3]),
                           number(tiers[0]), number(total)}});
    return total;
  };
  for (size_t f = 0; f < kFamilies; ++f) {
    if (std::ranges::all_of(counts[f], [](uint64_t n) { return n == 0; })) continue;
    row(std::string(to_text(static_cast<Family>(f))), counts[f]);
    for (size_t t = 0; t < kTiers; ++t) sum[t] += counts[f][t];
  }
  row("TOTAL", sum);
  table.rows.back().rule_before = true;
  return table;
}

}  // namespace

uint64_t parameter_bytes(const Module& module, const Function& function) {
  uint64_t bytes = 0;
  for (const uint32_t index : function.signature.params) {
    const Variable& param = module.variables[index];
    const uint64_t align = std::max<uint64_t>(param.alignment(), 1);
    bytes = (bytes + align - 1) / align * align + param.bytes();
  }
  return bytes;
}

uint64_t static_shared_bytes(const Module& module, const Function& function) {
  std::set<uint32_t> named;
  for (const Operand& operand : function.operands) {
    const bool variable =
        operand.kind == OperandKind::kVariable || operand.kind == OperandKind::kAddressOfVariable;
    if (variable && module.variables[operand.index].space == Space::kShared)
      named.insert(operand.index);
  }
  uint64_t bytes = 0;
  for (const uint32_t index : named) {
    const Variable& variable = module.variables[index];
    const uint64_t align = std::max<uint64_t>(variable.alignment(), 1);
    bytes = (bytes + align - 1) / align * align + variable.bytes();
  }
  return bytes;
}

std::vector<Table> summarize(const Module& module) {
  return {function_table(module), family_table(module)};
}

}  // namespace warpledger::ptx
