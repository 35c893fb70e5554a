#include "warpledger/render/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace warpledger {
namespace {

using Json = nlohmann::ordered_json;

Json raw_json(const RawValue& raw) {
  if (const auto* n = std::get_if<int64_t>(&raw)) return *n;
  if (const auto* x = std::get_if<double>(&raw)) return *x;
  if (const auto* s = std::get_if<std::string>(&raw)) return *s;
  return nullptr;
}

Json row_json(const Table& table, const Row& row) {
  Json fields = Json::object(), fidelity = Json::object();
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const Cell cell = i < row.cells.size() ? row.cells[i] : Cell();
    fields[table.columns[i].key] = raw_json(cell.raw);
    if (cell.fidelity) fidelity[table.columns[i].key] = to_text(*cell.fidelity);
  }
  if (!fidelity.empty()) fields["fidelity"] = fidelity;
  return fields;
}

std::string json_text(const Report& report) {
  Json json;
  json["schema_version"] = kReportSchemaVersion;
  json["command"] = report.command;
  json["verdict"] = report.verdict;
  json["tables"] = Json::array();
  for (const Table& table : report.tables) json["tables"].push_back(to_json(table));
  json["remarks"] = report.remarks;
  // Names come from files and arguments: a broken UTF-8 sequence must not throw.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

// Sentences, tables and sentences, an empty line between any two parts. Markdown joins neighboring
// lines into one paragraph, so that there `between` is an empty line too.
template <class RenderTable>
std::string parts(const Report& report, const char* between, RenderTable render_table) {
  std::vector<std::string> blocks;
  const auto add_sentences = [&](const std::vector<std::string>& sentences) {
    if (!sentences.empty()) blocks.push_back(fmt::format("{}\n", fmt::join(sentences, between)));
  };
  add_sentences(report.verdict);
  for (const Table& table : report.tables) blocks.push_back(render_table(table));
  add_sentences(report.remarks);
  return fmt::format("{}", fmt::join(blocks, "\n"));
}

}  // namespace

Json to_json(const Table& table) {
  Json json;
  json["title"] = table.title;
  json["rows"] = Json::array();
  for (const Row& row : table.rows) json["rows"].push_back(row_json(table, row));
  if (!table.notes.empty()) json["notes"] = table.notes;
  return json;
}

std::string render(const Report& report, Format format) {
  switch (format) {
    case Format::kText:
      return parts(report, "\n", [](const Table& table) { return to_text(table); });
    case Format::kMarkdown:
      return parts(report, "\n\n", [](const Table& table) { return to_markdown(table); });
    case Format::kCsv:
      return parts({.command = report.command, .tables = report.tables}, "\n",
                   [](const Table& table) { return to_csv(table); });
    case Format::kJson:
      return json_text(report);
  }
  return "";
}

}  // namespace warpledger
