#include <fmt/core.h>

#include <map>

#include "warpledger/report/ncu/ncu_report.h"

namespace warpledger::report {
namespace {

using profile::MachineCode;
using profile::MachineLine;

std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) made += c == '"' ? "\"\"" : std::string(1, c);
  return made + "\"";
}

/// A metric's values by address.
struct Filled {
  std::string label;
  bool is_of_memory = false;  // instructions that access no memory have 0, as ncu prints it
  std::map<uint64_t, uint64_t> values;
};

std::vector<Filled> filled_columns(const profile::Profile& profile, const MachineCode& code) {
  const std::vector<ncu::RepMetric> metrics = ncu_source_metrics(profile, code);
  std::vector<Filled> columns;
  for (const ncu::RepLine& line : ncu_source_columns()) {
    for (const ncu::RepMetric& metric : metrics) {
      if (metric.name != line.metric || metric.instances.empty()) continue;
      Filled& made = columns.emplace_back();
      made.label = line.label;
      made.is_of_memory = metric.name.find("memory_") != std::string::npos;
      for (const ncu::RepInstance& one : metric.instances)
        made.values[std::get<uint64_t>(one.id)] = std::get<uint64_t>(one.value);
    }
  }
  return columns;
}

/// Without what ncu does not show: operands that stay in the operand cache. Branches lead to
/// addresses.
std::string operands_text(const MachineLine& line) {
  std::string text = line.operands;
  for (size_t at; (at = text.find(".reuse")) != std::string::npos;) text.erase(at, 6);
  if (!line.target) return text;
  const size_t last = text.rfind(' ');
  const std::string before = last == std::string::npos ? "" : text.substr(0, last + 1);
  return fmt::format("{}0x{:x}", before, *line.target);
}

/// "@!P1  BRA 0x1000020 ": as ncu writes an instruction.
std::string source_text(const MachineLine& line) {
  return fmt::format("{:<6}{}{}{} ", line.guard, line.opcode, line.operands.empty() ? "" : " ",
                     operands_text(line));
}

std::string value_text(const Filled& column, uint64_t address) {
  const auto found = column.values.find(address);
  if (found != column.values.end()) return std::to_string(found->second);
  return column.is_of_memory ? "0" : "-";
}

}  // namespace

std::string ncu_source_csv(const profile::Profile& profile, const MachineCode& code) {
  const std::vector<Filled> columns = filled_columns(profile, code);
  std::string text =
      fmt::format("\"Kernel Name\",{},\n", quoted(profile::shown_name(profile.kernel)));
  text += "\"Address\",\"Source\"";
  for (const Filled& column : columns) text += "," + quoted(column.label);
  text += "\n";
  for (const MachineLine& line : code.lines) {
    text += fmt::format("\"0x{:x}\",{}", line.address, quoted(source_text(line)));
    for (const Filled& column : columns) text += "," + quoted(value_text(column, line.address));
    text += "\n";
  }
  return text;
}

}  // namespace warpledger::report
