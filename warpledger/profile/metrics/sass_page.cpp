#include "warpledger/profile/metrics/sass_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "warpledger/base/number.h"
#include "warpledger/sass/unit.h"

namespace warpledger::profile {
namespace {

Cell count(uint64_t n, Fidelity fidelity) {
  return Cell(group_thousands(static_cast<int64_t>(n)), static_cast<int64_t>(n), fidelity);
}
Cell known(const std::optional<uint64_t>& n) { return n ? count(*n, Fidelity::kModeled) : Cell(); }

double all_cycles(const MachineCode& code) {
  double sum = 0;
  for (const MachineLine& line : code.lines)
    if (line.states) sum += sm::sum_of(line.states->cycles);
  return sum;
}

bool has_states(const MachineCode& code) {
  return std::any_of(code.lines.begin(), code.lines.end(),
                     [](const MachineLine& line) { return line.states.has_value(); });
}

std::vector<Column> columns(bool with_states) {
  std::vector<Column> all = {{"#", "number", Align::kRight},
                             {"Offset", "offset", Align::kRight},
                             {"SASS", "sass"},
                             {"PTX", "ptx_line", Align::kRight},
                             {"Line", "line"},
                             {"Executed", "executed", Align::kRight},
                             {"Threads", "thread_instructions", Align::kRight},
                             {"Pred. Off", "predicated_off_threads", Align::kRight},
                             {"Live Regs", "live_registers", Align::kRight},
                             {"Reads From", "reads_from"},
                             {"Waits For", "waits_for"}};
  if (!with_states) return all;
  all.push_back({"Warp Cycles %", "warp_cycles_percent", Align::kRight});
  all.push_back({"Longest Wait", "longest_wait"});
  return all;
}

Fidelity counted_as(const Profile& profile) {
  return profile.machine ? profile.machine->fidelity : Fidelity::kModeled;
}

/// What is shorter beside the numbers; scripts get it all.
Cell shortened(const std::string& text, size_t width) {
  Cell cell(text);
  if (text.size() > width) cell.text = text.substr(0, width - 3) + "...";
  return cell;
}

void add_cells(const Profile& profile, const MachineCode& code, size_t at, Row& row) {
  const MachineLine& line = code.lines[at];
  const bool mapped = line.number < profile.code.size();
  const CodeLine ptx = mapped ? profile.code[line.number] : CodeLine();
  const std::optional<uint64_t> off = line.threads && line.threads_on
                                          ? std::optional(*line.threads - *line.threads_on)
                                          : std::nullopt;
  row.cells = {Cell(static_cast<int64_t>(at), Fidelity::kExact),
               fmt::format("{:04x}", line.address - code.address),
               shortened(line.text(), 44),
               mapped ? count(ptx.ptx_line, Fidelity::kExact) : Cell(),
               mapped ? to_text(ptx.source) : "",
               count(line.executions, counted_as(profile)),
               known(line.threads),
               known(off),
               line.live_registers ? count(*line.live_registers, Fidelity::kExact) : Cell(),
               shortened(inputs_text(line), 28),
               shortened(waits_text(code, line), 28)};
}

void add_states(const MachineLine& line, double all, Row& row) {
  const double here = line.states ? sm::sum_of(line.states->cycles) : 0;
  const double share = all > 0 ? 100 * here / all : 0;
  row.cells.push_back(here > 0 ? Cell(ncu_number(share), share, Fidelity::kModeled) : Cell());
  row.cells.emplace_back(longest_wait(line));
}

void add_notes(const MachineCode& code, Table& table) {
  table.notes.push_back(
      "Executed counts warps, Threads their active lanes, Pred. Off the lanes whose predicate is "
      "false. Reads From names the instructions that produce its inputs, Waits For the scoreboards "
      "that it waits on and the instructions that set them.");
  if (!code.no_registers.empty())
    table.notes.push_back("live registers and dependencies are not known: " + code.no_registers);
  if (!has_states(code)) table.notes.push_back("warp cycles are not known for this launch");
}

/// Instructions by the source line of their PTX instruction; those without one first.
std::map<SourceLine, std::vector<size_t>> by_source(const Profile& profile,
                                                    const MachineCode& code) {
  std::map<SourceLine, std::vector<size_t>> lines;
  for (size_t i = 0; i < code.lines.size(); ++i) {
    const uint32_t number = code.lines[i].number;
    lines[number < profile.code.size() ? profile.code[number].source : SourceLine()].push_back(i);
  }
  return lines;
}

std::string unit_name(const MachineLine& line) {
  using sass::Unit;
  constexpr const char* kNames[] = {"",     "ALU",    "FMA",     "FMA",     "FMA", "XU",
                                    "FP64", "Tensor", "Uniform", "Barrier", "LSU"};
  return kNames[static_cast<size_t>(
      sass::unit_of(sass::read_instruction(line.opcode + " " + line.operands)))];
}

}  // namespace

std::string inputs_text(const MachineLine& line) {
  std::map<uint32_t, std::vector<std::string>> by_writer;
  for (const MachineInput& input : line.inputs) by_writer[input.writer].push_back(input.which);
  std::string text;
  for (const auto& [writer, registers] : by_writer)
    text += fmt::format("{}#{} {}", text.empty() ? "" : ", ", writer, fmt::join(registers, " "));
  return text;
}

std::string waits_text(const MachineCode& code, const MachineLine& line) {
  std::map<uint8_t, std::vector<std::string>> by_scoreboard;
  for (const MachineWait& wait : line.waits)
    by_scoreboard[wait.scoreboard].push_back(
        fmt::format("#{} {}", wait.taker, code.lines[wait.taker].opcode));
  std::string text;
  for (const auto& [scoreboard, takers] : by_scoreboard)
    text +=
        fmt::format("{}SB{}: {}", text.empty() ? "" : "; ", scoreboard, fmt::join(takers, ", "));
  return text;
}

std::string longest_wait(const MachineLine& line) {
  if (!line.states) return {};
  size_t longest = sm::kReasons;
  for (size_t i = 0; i < sm::kReasons; ++i) {
    const double here = line.states->cycles[i];
    if (static_cast<sm::Reason>(i) == sm::Reason::kSelected || here <= 0) continue;
    if (longest == sm::kReasons || here > line.states->cycles[longest]) longest = i;
  }
  return longest == sm::kReasons ? "" : std::string(to_text(static_cast<sm::Reason>(longest)));
}

std::optional<double> cycles_percent(const MachineCode& code, const MachineLine& line) {
  const double all = line.states ? all_cycles(code) : 0;
  if (all <= 0) return {};
  return 100 * sm::sum_of(line.states->cycles) / all;
}

Table sass_table(const Profile& profile, const MachineCode& code) {
  const bool with_states = has_states(code);
  const double all = all_cycles(code);
  Table table{.title = "SASS instructions", .columns = columns(with_states)};
  for (size_t i = 0; i < code.lines.size(); ++i) {
    Row row;
    add_cells(profile, code, i, row);
    if (with_states) add_states(code.lines[i], all, row);
    table.rows.push_back(std::move(row));
  }
  add_notes(code, table);
  return table;
}

Table lines_with_sass(const Profile& profile, const MachineCode& code,
                      const std::map<SourceLine, std::string>& text_of) {
  const Table flat = sass_table(profile, code);
  Table table{.title = "Source lines and their SASS", .columns = flat.columns};
  table.notes = flat.notes;
  for (const auto& [source, places] : by_source(profile, code)) {
    uint64_t executed = 0;
    for (const size_t place : places) executed += code.lines[place].executions;
    const auto text = text_of.find(source);
    Row head{.cells = std::vector<Cell>(flat.columns.size()), .rule_before = true};
    head.cells[2] = text == text_of.end() ? Cell() : shortened(text->second, 44);
    head.cells[4] = source.line ? to_text(source) : "[no line]";
    head.cells[5] = count(executed, counted_as(profile));
    table.rows.push_back(std::move(head));
    for (const size_t place : places) table.rows.push_back(flat.rows[place]);
  }
  return table;
}

Table stall_table(const MachineCode& code) {
  Table table{.title = "Warp cycles by reason",
              .columns = {{"#", "number", Align::kRight}, {"SASS", "sass"}}};
  sm::Cycles sums = {};
  for (const MachineLine& line : code.lines)
    for (size_t r = 0; line.states && r < sm::kReasons; ++r) sums[r] += line.states->cycles[r];
  for (size_t r = 0; r < sm::kReasons; ++r) {
    const std::string name(to_text(static_cast<sm::Reason>(r)));
    if (sums[r] > 0) table.columns.push_back({name, name + "_warp_cycles", Align::kRight});
  }
  for (size_t i = 0; i < code.lines.size(); ++i) {
    const MachineLine& line = code.lines[i];
    if (!line.states || sm::sum_of(line.states->cycles) <= 0) continue;
    Row row{.cells = {Cell(static_cast<int64_t>(i), Fidelity::kExact), line.opcode}};
    for (size_t r = 0; r < sm::kReasons; ++r) {
      const auto here = static_cast<uint64_t>(line.states->cycles[r] + 0.5);
      if (sums[r] > 0) row.cells.push_back(here > 0 ? count(here, Fidelity::kModeled) : Cell());
    }
    table.rows.push_back(std::move(row));
  }
  if (!table.rows.empty()) table.notes.push_back("of the simulated SM");
  return table;
}

Table opcode_table(const Profile& profile, const MachineCode& code) {
  struct Mix {
    std::string unit;
    uint64_t executed = 0;
  };
  std::map<std::string, Mix> mixes;
  uint64_t all = 0;
  for (const MachineLine& line : code.lines) {
    Mix& mix = mixes[line.opcode.substr(0, line.opcode.find('.'))];
    mix.unit = unit_name(line);
    mix.executed += line.executions;
    all += line.executions;
  }
  std::vector<std::pair<std::string, Mix>> order(mixes.begin(), mixes.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second.executed > b.second.executed;
  });
  Table table{.title = "Instruction mix",
              .columns = {{"Opcode", "opcode"},
                          {"Unit", "unit"},
                          {"Executed", "executed", Align::kRight},
                          {"Share", "share_percent", Align::kRight}}};
  for (const auto& [opcode, mix] : order) {
    if (mix.executed == 0) continue;
    const double share = 100 * static_cast<double>(mix.executed) / static_cast<double>(all);
    table.rows.push_back({{opcode, mix.unit, count(mix.executed, counted_as(profile)),
                           Cell(ncu_number(share), share, counted_as(profile))}});
  }
  return table;
}

}  // namespace warpledger::profile
