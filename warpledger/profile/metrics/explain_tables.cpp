// An explanation as tables and lines.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "warpledger/base/number.h"
#include "warpledger/profile/metrics/explain.h"
#include "warpledger/profile/metrics/shown.h"

namespace warpledger::profile {
namespace {

constexpr Fidelity kMeasured = Fidelity::kMeasured;  // errors are against reports of hardware

std::string fidelity_of(const Value& value) {
  return value.is_known() ? std::string(to_text(value.fidelity)) : kNotModeled;
}

Table formula_table(const Explanation& explanation) {
  Table table{.title = "Formula",
              .columns = {{"Metric", "metric"},
                          {"Value", "value", Align::kRight},
                          {"Unit", "unit"},
                          {"Formula", "formula"}}};
  for (const FormulaLine& line : explanation.formulas) {
    table.rows.push_back(
        {{line.name, cell_of(line.value, line.unit, Units::kBase), line.unit, Cell(line.formula)}});
  }
  return table;
}

Table input_table(const Explanation& explanation) {
  Table table{.title = "Counters in it",
              .columns = {{"Counter", "counter"},
                          {"Value", "value", Align::kRight},
                          {"Fidelity", "fidelity_word"}}};
  for (const ExplainedInput& input : explanation.inputs) {
    const std::string word =
        input.is_factor && input.value.is_known() ? "of the GPU's file" : fidelity_of(input.value);
    table.rows.push_back({{input.name, cell_of(input.value, "", Units::kBase), word}});
  }
  return table;
}

/// Rows of feeders, summed by what they are called.
struct FeederRow {
  std::vector<Cell> labels;
  std::vector<double> added;
};

void add_to(std::vector<double>& sum, const std::vector<double>& more) {
  sum.resize(more.size());
  for (size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
}

/// Numbers are whole but for work of pipes.
Cell count_cell(double count, Fidelity fidelity) {
  const auto whole = static_cast<int64_t>(count);
  if (static_cast<double>(whole) == count) return Cell(whole, fidelity);
  return Cell(ncu_number(count), count, fidelity);
}

Cell share_cell(double part, double all, Fidelity fidelity) {
  if (all == 0) return {};
  const double share = 100 * part / all;
  return Cell(fmt::format("{:.1f} %", share), share, fidelity);
}

/// "sectors of global loads" -> "sectors_of_global_loads".
std::string key_of(const std::string& name) {
  std::string key;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!key.empty() && key.back() != '_')
      key += '_';
  }
  return key;
}

class FeederTable {
 public:
  FeederTable(const Explanation& explanation, Table table)
      : explanation_(explanation), table_(std::move(table)), labels_(table_.columns.size()) {
    for (const ExplainedInput& input : explanation.inputs) {
      if (!input.is_fed) continue;
      inputs_.push_back(&input);
      const std::string key = key_of(input.name);
      table_.columns.push_back({input.name, key, Align::kRight});
      table_.columns.push_back({"Share", key + "_percent", Align::kRight});
    }
    if (explanation.alone)
      table_.columns.push_back({"Its own " + explanation.unit, "own", Align::kRight});
  }

  void add(const FeederRow& row, bool rule_before = false) {
    Row made{.cells = row.labels, .rule_before = rule_before};
    made.cells.resize(labels_);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Value& whole = inputs_[i]->value;
      made.cells.push_back(count_cell(row.added[i], whole.fidelity));
      made.cells.push_back(share_cell(row.added[i], whole.number().value_or(0), whole.fidelity));
    }
    if (explanation_.alone)
      made.cells.push_back(cell_of(explanation_.alone(row.added), explanation_.unit, Units::kAuto));
    table_.rows.push_back(std::move(made));
  }

  /// The first `shown` rows, the others as one, counts of no instruction, and the total.
  Table take(const std::vector<FeederRow>& rows, const std::vector<FeederRow>& rests,
             size_t shown) {
    for (size_t i = 0; i < std::min(shown, rows.size()); ++i) add(rows[i]);
    if (rows.size() > shown) {
      FeederRow others{.labels = {fmt::format("[{} more]", rows.size() - shown)}};
      for (size_t i = shown; i < rows.size(); ++i) add_to(others.added, rows[i].added);
      add(others);
    }
    for (const FeederRow& rest : rests) add(rest);
    FeederRow total{.labels = {"TOTAL"}};
    for (const ExplainedInput* input : inputs_)
      total.added.push_back(input->value.number().value_or(0));
    add(total, true);
    return std::move(table_);
  }

 private:
  const Explanation& explanation_;
  Table table_;
  size_t labels_;
  std::vector<const ExplainedInput*> inputs_;
};

std::vector<FeederRow> rests_of(const Explanation& explanation) {
  std::vector<FeederRow> rows;
  for (const Feeder& feeder : explanation.feeders) {
    if (!feeder.words.empty()) rows.push_back({{fmt::format("[{}]", feeder.words)}, feeder.added});
  }
  return rows;
}

Table line_table(const Explanation& explanation, const Profile& profile, size_t shown) {
  std::map<SourceLine, std::vector<double>> by_line;
  for (const Feeder& feeder : explanation.feeders) {
    if (feeder.words.empty())
      add_to(by_line[profile.code[feeder.instruction].source], feeder.added);
  }
  std::vector<FeederRow> rows;
  for (const auto& [line, added] : by_line)
    rows.push_back({{line.line ? to_text(line) : "[no line]"}, added});
  std::stable_sort(rows.begin(), rows.end(),
                   [](const FeederRow& a, const FeederRow& b) { return a.added > b.added; });
  FeederTable table(explanation,
                    {.title = "Contributing source lines", .columns = {{"Line", "line"}}});
  return table.take(rows, rests_of(explanation), shown);
}

Table instruction_table(const Explanation& explanation, const Profile& profile, size_t shown) {
  std::vector<FeederRow> rows;
  for (const Feeder& feeder : explanation.feeders) {
    if (!feeder.words.empty()) continue;
    const CodeLine& code = profile.code[feeder.instruction];
    const Cell number(static_cast<int64_t>(code.ptx_line), Fidelity::kExact);
    rows.push_back({{code.text, number, to_text(code.source)}, feeder.added});
  }
  FeederTable table(explanation, {.title = "Instructions that feed it",
                                  .columns = {{"Instruction", "instruction"},
                                              {"PTX", "ptx_line", Align::kRight},
                                              {"Line", "line"}}});
  return table.take(rows, rests_of(explanation), shown);
}

}  // namespace

std::vector<Table> tables_of(const Explanation& explanation, const Profile& profile, size_t rows) {
  std::vector<Table> tables = {formula_table(explanation), input_table(explanation)};
  if (explanation.feeders.empty()) return tables;
  tables.push_back(line_table(explanation, profile, rows));
  tables.push_back(instruction_table(explanation, profile, rows));
  return tables;
}

Table summary_table(const std::vector<Explanation>& explanations) {
  Table table{.title = "Explained",
              .columns = {{"Metric", "metric"},
                          {"Value", "value", Align::kRight},
                          {"Unit", "unit"},
                          {"Fidelity", "fidelity_word"},
                          {"Rule", "rule"},
                          {"Source", "source"},
                          {"Documented", "documented"},
                          {"Reports", "reports", Align::kRight},
                          {"Equal", "reports_equal", Align::kRight},
                          {"Median error", "median_error", Align::kRight},
                          {"90th percentile", "high_error", Align::kRight},
                          {"Error in", "error_unit"}}};
  for (const Explanation& one : explanations) {
    Row row{.cells = {one.metric, cell_of(one.value, one.unit, Units::kBase), one.unit,
                      fidelity_of(one.value)}};
    row.cells.emplace_back(one.rule ? plain(one.rule->text) : "");
    row.cells.emplace_back(one.rule ? plain(one.rule->source) : "");
    row.cells.emplace_back(one.rule ? fmt::format("docs/memory-model.md#{}", one.rule->section)
                                    : "");
    if (const MetricError* error = one.error) {
      const auto number = [](double n) { return Cell(fmt::format("{:.2f}", n), n, kMeasured); };
      row.cells.emplace_back(static_cast<int64_t>(error->values), kMeasured);
      row.cells.emplace_back(static_cast<int64_t>(error->equal), kMeasured);
      row.cells.push_back(number(error->median));
      row.cells.push_back(number(error->high));
      row.cells.emplace_back(error->is_points ? "points" : "percent");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> lines_of(const Explanation& explanation) {
  const Shown shown = show(explanation.value, explanation.unit, Units::kBase);
  std::vector<std::string> lines;
  lines.push_back(explanation.value.is_known()
                      ? fmt::format("{} = {}{}{} ({})", explanation.metric, shown.value,
                                    shown.unit.empty() ? "" : " ", shown.unit,
                                    fidelity_of(explanation.value))
                      : fmt::format("{}: {}", explanation.metric, kNotModeled));
  if (const Rule* rule = explanation.rule) {
    lines.push_back("rule:   " + plain(rule->text));
    lines.push_back(
        fmt::format("source: {} (docs/memory-model.md#{})", plain(rule->source), rule->section));
  }
  lines.push_back("error:  " + (explanation.error
                                    ? to_text(*explanation.error) + " (docs/validation.md)"
                                    : "unknown: no published report that was compared has it"));
  if (explanation.feeders.empty())
    lines.emplace_back("lines:  no counter in it is a sum over instructions");
  return lines;
}

}  // namespace warpledger::profile
