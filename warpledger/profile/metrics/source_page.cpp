#include "warpledger/profile/metrics/source_page.h"

#include <fmt/format.h>

#include "warpledger/base/check.h"
#include "warpledger/base/number.h"
#include "warpledger/base/units.h"

namespace warpledger::profile {
namespace {

using memory::SiteCounters;
using trace::Space;

/// What a line or an instruction did, summed.
struct Sum {
  uint64_t executions = 0, lanes = 0;
  SiteCounters global, shared;  // global: with local memory, textures and surfaces
  Fidelity placed = Fidelity::kExact;
  uint64_t asked_bytes = 0;
  bool has_memory = false;
  sm::Cycles states = {};

  Sum& operator+=(const Sum& other) {
    executions += other.executions;
    lanes += other.lanes;
    global += other.global;
    shared += other.shared;
    placed = weakest(placed, other.placed);
    asked_bytes += other.asked_bytes;
    has_memory |= other.has_memory;
    for (size_t i = 0; i < sm::kReasons; ++i) states[i] += other.states[i];
    return *this;
  }
};

/// By number of the instruction; one more for the machine instructions that belong to none.
std::vector<Sum> sums_of(const Profile& profile) {
  std::vector<Sum> sums(profile.code.size() + 1);
  WL_CHECK(!profile.states || profile.states->instructions.size() == sums.size());
  for (size_t i = 0; profile.states && i < sums.size(); ++i)
    sums[i].states = profile.states->instructions[i].cycles;
  for (size_t i = 0; i < profile.code.size(); ++i) {
    sums[i].executions = profile.code[i].executions;
    sums[i].lanes = profile.code[i].lanes;
  }
  for (size_t i = 0; i < profile.instructions.size(); ++i) {
    const Instruction& instruction = profile.instructions[i];
    const trace::Site& site = instruction.site;
    const SiteCounters& counters = profile.counters.sites[i];
    Sum& sum = sums[site.instruction];
    if (counters.request.requests == 0) continue;
    sum.has_memory = true;
    sum.asked_bytes += counters.request.lanes * site.width;
    if (site.space == Space::kShared) sum.shared += counters;
    if (is_far(site)) sum.global += counters;
    sum.placed = weakest(sum.placed, placed_as(instruction));
  }
  return sums;
}

bool ran(const Sum& sum) { return sum.executions > 0 || sm::sum_of(sum.states) > 0; }

std::vector<Column> columns(const Profile& profile) {
  std::vector<Column> all = {{"Executed", "executed", Align::kRight},
                             {"Threads", "threads_per_warp", Align::kRight},
                             {"Asked", "asked_bytes", Align::kRight},
                             {"Sect/Req", "sectors_per_request", Align::kRight},
                             {"Excessive", "excessive_sectors", Align::kRight},
                             {"L1 Hit", "l1_hit_percent", Align::kRight},
                             {"L2 Bytes", "l2_bytes", Align::kRight},
                             {"L2 Hit", "l2_hit_percent", Align::kRight},
                             {"DRAM Read", "dram_read_bytes", Align::kRight},
                             {"Smem Wavefronts", "shared_wavefronts", Align::kRight},
                             {"Conflicts", "conflicts", Align::kRight}};
  if (!profile.states) return all;
  all.push_back({"Warp Cycles %", "warp_cycles_percent", Align::kRight});
  all.push_back({"Longest Wait", "longest_wait"});
  return all;
}

Cell count(uint64_t n, Fidelity fidelity) {
  return Cell(group_thousands(static_cast<int64_t>(n)), static_cast<int64_t>(n), fidelity);
}
Cell quotient(uint64_t a, uint64_t b, double by, Fidelity fidelity) {
  if (b == 0) return {};
  const double value = by * static_cast<double>(a) / static_cast<double>(b);
  return Cell(ncu_number(value), value, fidelity);
}

/// How much of all warp cycles stood here, and for what most of them waited.
void add_states(const Sum& sum, const sm::States& states, Row& row) {
  const double here = sm::sum_of(sum.states), all = sm::sum_of(states.warps);
  const double share = all > 0 ? 100 * here / all : 0;
  row.cells.push_back(here > 0 ? Cell(ncu_number(share), share, Fidelity::kModeled) : Cell());
  size_t longest = sm::kReasons;
  for (size_t i = 0; i < sm::kReasons; ++i) {
    const bool waits = static_cast<sm::Reason>(i) != sm::Reason::kSelected && sum.states[i] > 0;
    if (waits && (longest == sm::kReasons || sum.states[i] > sum.states[longest])) longest = i;
  }
  row.cells.push_back(longest == sm::kReasons
                          ? Cell()
                          : Cell(std::string(to_text(static_cast<sm::Reason>(longest)))));
}

void add_cells(const Profile& profile, const Sum& sum, Row& row) {
  const Fidelity exact = profile.counted_as();
  const Fidelity placed = weakest(exact, sum.placed);
  const Fidelity modeled = weakest(Fidelity::kModeled, sum.placed);
  row.cells.push_back(count(sum.executions, exact));
  row.cells.push_back(quotient(sum.lanes, sum.executions, 1, exact));
  const memory::RequestCounters& request = sum.global.request;
  const bool global = request.requests > 0, shared = sum.shared.request.requests > 0;
  const auto when = [](bool there, const Cell& cell) { return there ? cell : Cell(); };
  row.cells.push_back(when(sum.has_memory, count(sum.asked_bytes, exact)));
  row.cells.push_back(quotient(request.sectors, request.requests, 1, placed));
  row.cells.push_back(
      when(global, count(request.theoretical_sectors - request.ideal_sectors, placed)));
  row.cells.push_back(quotient(sum.global.l1_hit_sectors, request.sectors, 100, modeled));
  row.cells.push_back(when(global, count(kSectorBytes * sum.global.l2_sectors, modeled)));
  row.cells.push_back(quotient(sum.global.l2_hit_sectors, sum.global.l2_sectors, 100, modeled));
  row.cells.push_back(when(global, count(kSectorBytes * sum.global.dram_read_sectors, modeled)));
  const memory::RequestCounters& banks = sum.shared.request;
  row.cells.push_back(when(shared, count(banks.data_wavefronts, exact)));
  row.cells.push_back(when(shared, count(banks.data_wavefronts - banks.ideal_wavefronts, exact)));
  if (profile.states) add_states(sum, *profile.states, row);
}

/// What fits beside the numbers; scripts get it all.
Cell shortened(const std::string& text) {
  constexpr size_t kWidth = 44;
  Cell cell(text);
  if (text.size() > kWidth) cell.text = text.substr(0, kWidth - 3) + "...";
  return cell;
}

/// "LDG.E.128 (128 bits with 3 more)": what ptxas made of an instruction, and how.
std::string machine_code(const CodeLine& code, const std::string& fate) {
  if (fate.empty() || code.sass.empty()) return code.sass + fate;
  return fmt::format("{} ({})", code.sass, fate);
}

/// "k.cu:7 (cuda_fp16.hpp:2630)": the user's line, and the header's that was inlined there.
std::string lines_of(const CodeLine& code) {
  const std::string line = to_text(code.source), inner = to_text(code.inner);
  return inner.empty() ? line : fmt::format("{} ({})", line, inner);
}

void add_total(const Profile& profile, const Sum& sum, size_t label_cells, Table& table) {
  Row row{.cells = {"TOTAL"}, .rule_before = true};
  row.cells.resize(label_cells);
  add_cells(profile, sum, row);
  table.rows.push_back(std::move(row));
}

}  // namespace

Table line_table(const Profile& profile, const std::map<SourceLine, std::string>& text_of) {
  Table table{.title = "Source lines", .columns = {{"Line", "line"}, {"Source", "source"}}};
  for (Column& column : columns(profile)) table.columns.push_back(std::move(column));
  const std::vector<Sum> sums = sums_of(profile);
  std::map<SourceLine, Sum> by_line;
  Sum total;
  for (size_t i = 0; i < sums.size(); ++i) {
    if (!ran(sums[i])) continue;
    by_line[i < profile.code.size() ? profile.code[i].source : SourceLine()] += sums[i];
    total += sums[i];
  }
  for (const auto& [line, sum] : by_line) {
    const auto text = text_of.find(line);
    Row row{.cells = {line.line ? to_text(line) : "[no line]",
                      text == text_of.end() ? Cell() : shortened(text->second)}};
    add_cells(profile, sum, row);
    table.rows.push_back(std::move(row));
  }
  add_total(profile, total, 2, table);
  return table;
}

Table instruction_table(const Profile& profile) {
  const bool is_machine_code = profile.engine.starts_with("machine code");
  Table table{.title = is_machine_code ? "Machine instructions" : "PTX instructions",
              .columns = {{"PTX", "ptx_line", Align::kRight},
                          {"Instruction", "instruction"},
                          {"Line", "line"},
                          {"Arrays", "arrays"},
                          {"Machine Code", "sass"}}};
  for (Column& column : columns(profile)) table.columns.push_back(std::move(column));
  const std::vector<Sum> sums = sums_of(profile);
  std::map<uint32_t, std::string> arrays, fates;  // by number of the instruction
  for (const Instruction& instruction : profile.instructions) {
    if (!instruction.fate.empty())
      fates.try_emplace(instruction.site.instruction, instruction.fate);
    if (instruction.arrays.empty()) continue;
    arrays[instruction.site.instruction] = fmt::format("{}", fmt::join(instruction.arrays, ", "));
  }
  Sum total;
  for (size_t i = 0; i < sums.size(); ++i) {
    if (!ran(sums[i])) continue;
    const CodeLine code = i < profile.code.size() ? profile.code[i] : CodeLine{.text = "[none]"};
    const bool has_line = code.ptx_line != 0 || !is_machine_code;
    Row row{.cells = {has_line ? count(code.ptx_line, Fidelity::kExact) : Cell(), code.text,
                      lines_of(code), arrays[static_cast<uint32_t>(i)],
                      machine_code(code, fates[static_cast<uint32_t>(i)])}};
    add_cells(profile, sums[i], row);
    table.rows.push_back(std::move(row));
    total += sums[i];
  }
  add_total(profile, total, 5, table);
  if (!profile.machine) {
    table.notes.push_back("no machine code: " +
                          (profile.no_machine.empty() ? "ptxas was not run" : profile.no_machine));
  }
  return table;
}

}  // namespace warpledger::profile
