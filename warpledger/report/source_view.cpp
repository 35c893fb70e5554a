#include "warpledger/report/source_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "warpledger/profile/metrics/sass_page.h"
#include "warpledger/profile/metrics/source_page.h"
#include "warpledger/report/words.h"

namespace warpledger::report {
namespace {

using profile::Profile;
using profile::SourceLine;

constexpr uint32_t kContext = 6;  // lines shown around those that ran

/// Columns of the source page that are shown, the most telling last: it is the one colored first.
struct Shown {
  const char* name;
  const char* key;
};
constexpr Shown kShown[] = {{"Executed", "executed"},
                            {"Asked B", "asked_bytes"},
                            {"L2 B", "l2_bytes"},
                            {"DRAM B", "dram_read_bytes"},
                            {"Excess sect", "excessive_sectors"},
                            {"Conflicts", "conflicts"}};

std::vector<size_t> places_of(const Table& table) {
  std::vector<size_t> places;
  for (const Shown& shown : kShown) {
    const auto at = std::find_if(table.columns.begin(), table.columns.end(),
                                 [&](const Column& column) { return column.key == shown.key; });
    WL_CHECK(at != table.columns.end());
    places.push_back(static_cast<size_t>(at - table.columns.begin()));
  }
  return places;
}

/// The row's numbers, shortened; zeros are left empty so that what matters stands out.
std::vector<Cell> numbers_of(const Row& row, const std::vector<size_t>& places) {
  std::vector<Cell> cells;
  for (const size_t place : places) {
    Cell cell = place < row.cells.size() ? row.cells[place] : Cell();
    if (const auto* n = std::get_if<int64_t>(&cell.raw)) {
      cell.text = *n == 0 ? "" : compact(static_cast<double>(*n));
      if (*n == 0) cell.fidelity.reset();
    }
    cells.push_back(std::move(cell));
  }
  return cells;
}

std::string key_of(const SourceLine& line) { return profile::to_text(line); }

/// The lines of a file that are shown: those that ran and what stands around them.
std::vector<uint32_t> lines_to_show(const std::set<uint32_t>& ran, uint32_t last) {
  std::set<uint32_t> lines;
  for (const uint32_t line : ran) {
    const uint32_t from = line > kContext ? line - kContext : 1;
    for (uint32_t at = from; at <= std::min(last, line + kContext); ++at) lines.insert(at);
    lines.insert(line);
  }
  return {lines.begin(), lines.end()};
}

class Left {
 public:
  Left(const Profile& profile, const Sources& sources) : sources_(sources) {
    for (const profile::CodeLine& code : profile.code) {
      if (code.executions == 0 || code.source.line == 0) continue;
      ran_[code.source.file].insert(code.source.line);
    }
    const Table table = profile::line_table(profile, {});
    const std::vector<size_t> places = places_of(table);
    for (const Row& row : table.rows) numbers_[row.cells[0].text] = numbers_of(row, places);
  }

  /// Files whose text is known first.
  std::vector<ListingLine> lines() {
    std::vector<ListingLine> lines;
    for (const bool known : {true, false}) {
      for (const auto& [file, ran] : ran_) {
        if (sources_.contains(file) == known) add_file(file, ran, lines);
      }
    }
    return lines;
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> unknown;
    for (const auto& [file, ran] : ran_) {
      if (!sources_.contains(file)) unknown.push_back(file);
    }
    if (unknown.empty()) return {};
    return {fmt::format(
        "Source file {} was not found (--source-folder DIR); only line numbers are shown.",
        fmt::join(unknown, ", "))};
  }

 private:
  void add_file(const std::string& file, const std::set<uint32_t>& ran,
                std::vector<ListingLine>& lines) {
    static const std::vector<std::string> kNone;
    const auto found = sources_.find(file);
    const std::vector<std::string>& text = found == sources_.end() ? kNone : found->second;
    lines.push_back({.label = "", .text = file, .dim = true});
    uint32_t before = 0;
    const std::vector<uint32_t> shown =
        text.empty() ? std::vector<uint32_t>(ran.begin(), ran.end())
                     : lines_to_show(ran, static_cast<uint32_t>(text.size()));
    for (const uint32_t number : shown) {
      if (before != 0 && number != before + 1)
        lines.push_back({.label = "", .text = "…", .dim = true});
      before = number;
      const std::string key = key_of({file, number});
      const bool did_run = ran.contains(number);
      ListingLine line{.label = std::to_string(number),
                       .text = number <= text.size() ? text[number - 1] : "",
                       .key = did_run ? key : "",
                       .dim = !did_run};
      if (did_run) line.numbers = numbers_[key];
      lines.push_back(std::move(line));
    }
  }

  const Sources& sources_;
  std::map<std::string, std::set<uint32_t>> ran_;
  std::map<std::string, std::vector<Cell>> numbers_;
};

std::vector<ListingLine> right_lines(const Profile& profile) {
  const Table table = profile::instruction_table(profile);
  const std::vector<size_t> places = places_of(table);
  std::vector<ListingLine> lines;
  size_t row = 0;
  for (const profile::CodeLine& code : profile.code) {
    const auto number = static_cast<size_t>(&code - profile.code.data());
    ListingLine line{.label = std::to_string(code.ptx_line),
                     .text = code.text,
                     .key = code.source.line ? key_of(code.source) : "",
                     .dim = code.executions == 0,
                     .part = std::to_string(number)};
    // The table has one row for each instruction that ran, in order.
    if (code.executions > 0) line.numbers = numbers_of(table.rows[row++], places);
    lines.push_back(std::move(line));
  }
  return lines;
}

/// The columns of sass_table() that stand behind an instruction.
constexpr const char* kBelow[] = {"executed",       "predicated_off_threads",
                                  "live_registers", "warp_cycles_percent",
                                  "longest_wait",   "waits_for",
                                  "reads_from"};

void add_sass(const Profile& profile, const profile::MachineCode& code, Listing& listing) {
  const Table table = profile::sass_table(profile, code);
  std::vector<size_t> places;
  for (const char* key : kBelow) {
    const auto at = std::find_if(table.columns.begin(), table.columns.end(),
                                 [&](const Column& column) { return column.key == key; });
    if (at == table.columns.end()) continue;
    if (std::string_view(key) == "warp_cycles_percent") listing.below_heat = places.size();
    places.push_back(static_cast<size_t>(at - table.columns.begin()));
    listing.below_columns.push_back(*at);
  }
  listing.below_title = "SASS";
  for (size_t i = 0; i < code.lines.size(); ++i) {
    const profile::MachineLine& from = code.lines[i];
    const bool mapped = from.number < profile.code.size();
    ListingLine line{.label = std::to_string(i),
                     .text = from.text(),
                     .key = mapped && profile.code[from.number].source.line
                                ? key_of(profile.code[from.number].source)
                                : "",
                     .dim = from.executions == 0,
                     .part = mapped ? std::to_string(from.number) : ""};
    for (const size_t place : places) line.numbers.push_back(table.rows[i].cells[place]);
    for (const profile::MachineInput& input : from.inputs) line.uses.push_back(input.writer);
    std::sort(line.uses.begin(), line.uses.end());
    line.uses.erase(std::unique(line.uses.begin(), line.uses.end()), line.uses.end());
    listing.below.push_back(std::move(line));
  }
  listing.notes.insert(listing.notes.end(), table.notes.begin(), table.notes.end());
}

}  // namespace

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string> source_files(const Profile& profile) {
  std::set<std::string> files;
  for (const profile::CodeLine& code : profile.code) {
    if (!code.source.file.empty()) files.insert(code.source.file);
  }
  return {files.begin(), files.end()};
}

Listing source_view(const Profile& profile, const Sources& sources,
                    const profile::MachineCode* code) {
  Listing listing{.title = "Source", .left_title = "source", .right_title = "PTX"};
  for (const Shown& shown : kShown)
    listing.columns.push_back({shown.name, shown.key, Align::kRight});
  Left left(profile, sources);
  listing.left = left.lines();
  listing.right = right_lines(profile);
  listing.notes = left.notes();
  listing.notes.push_back(
      "Click a line to see its PTX, and the other way around. Asked: bytes that lanes requested; "
      "L2 "
      "and DRAM: bytes fetched for the line (modeled); excess sect: 32-byte sectors beyond those "
      "that would hold the bytes; conflicts: wavefronts of shared memory beyond the ideal.");
  if (code != nullptr) add_sass(profile, *code, listing);
  return listing;
}

}  // namespace warpledger::report
