#include "warpledger/ledger/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace warpledger {
namespace {

using Json = nlohmann::ordered_json;

// ---- writing

Json json_of(const Amount& amount) {
  const std::optional<int64_t> n = amount.as_integer();
  return n ? Json(*n) : Json(amount.to_text());
}

Json json_of(const Figure& figure) {
  return {{"value", json_of(figure.value)}, {"fidelity", to_text(figure.fidelity)}};
}

Json json_of(const Movement& row) {
  Json json = {{"operation", row.operation},
               {"subject", row.subject},
               {"from", to_text(row.edge.from)},
               {"to", to_text(row.edge.to)},
               {"bytes_per_iteration", json_of(row.bytes_per_iteration)},
               {"iterations", json_of(row.iterations)},
               {"total_bytes", json_of(row.total().value)},
               {"fidelity", to_text(row.fidelity)}};
  if (!row.note.empty()) json["note"] = row.note;
  for (const auto& [name, figure] : row.counters) json["counters"][name] = json_of(figure);
  return json;
}

Json totals_of(const Ledger& ledger) {
  Json totals = Json::array();
  for (const auto& [edge, figure] : edge_totals(ledger)) {
    totals.push_back({{"from", to_text(edge.from)},
                      {"to", to_text(edge.to)},
                      {"total_bytes", json_of(figure.value)},
                      {"fidelity", to_text(figure.fidelity)}});
  }
  return totals;
}

// ---- reading

Diagnostic wrong(const std::string& path, const std::string& message, std::string hint = "") {
  return {.message = path.empty() ? message : fmt::format("{}: {}", path, message),
          .hint = std::move(hint),
          .code = "bad-ledger"};
}

/// The fields of one object; each is taken by name, and what is left over is an error.
class Fields {
 public:
  static Result<Fields> of(const Json& json, std::string path) {
    if (!json.is_object()) return wrong(path, "expected an object");
    return Fields(json, std::move(path));
  }

  [[nodiscard]] std::string path(const std::string& name) const {
    return path_.empty() ? name : path_ + "." + name;
  }

  /// Null when the field is absent.
  const Json* optional(const std::string& name) {
    taken_.push_back(name);
    const auto found = json_->find(name);
    return found == json_->end() ? nullptr : &*found;
  }

  Result<const Json*> required(const std::string& name) {
    const Json* field = optional(name);
    if (field == nullptr) return wrong(path(name), "this field is missing");
    return field;
  }

  Result<std::string> text(const std::string& name) {
    WL_TRY(const Json* field, required(name));
    if (!field->is_string()) return wrong(path(name), "expected a string");
    return field->get<std::string>();
  }

  template <class Value, class Parse>
  Result<Value> word(const std::string& name, Parse parse, const std::vector<std::string>& words) {
    WL_TRY(const std::string word, text(name));
    const std::optional<Value> value = parse(word);
    if (value) return *value;
    std::string hint = did_you_mean(word, words);
    if (hint.empty()) hint = fmt::format("one of {}", fmt::join(words, ", "));
    return wrong(path(name), fmt::format("unknown value '{}'", word), hint);
  }

  Result<Amount> amount(const std::string& name) {
    WL_TRY(const Json* field, required(name));
    if (field->is_number_integer()) return *parse_expression(field->dump());
    if (!field->is_string()) {
      return wrong(path(name), "expected a whole number or an expression in a string");
    }
    return parse_expression(Source(path(name), field->get<std::string>()));
  }

  Result<Fidelity> fidelity() {
    std::vector<std::string> words;
    for (const Fidelity f : {Fidelity::kExact, Fidelity::kModeled, Fidelity::kMeasured,
                             Fidelity::kPublished, Fidelity::kAssumed}) {
      words.emplace_back(to_text(f));
    }
    return word<Fidelity>("fidelity", parse_fidelity, words);
  }

  Result<Level> level(const std::string& name) {
    std::vector<std::string> words;
    for (const Level level : kLevels) words.emplace_back(to_text(level));
    return word<Level>(name, parse_level, words);
  }

  Result<Edge> edge() {
    WL_TRY(const Level from, level("from"));
    WL_TRY(const Level to, level("to"));
    return Edge{from, to};
  }

  Status nothing_left() const {
    for (const auto& [name, value] : json_->items()) {
      if (std::find(taken_.begin(), taken_.end(), name) != taken_.end()) continue;
      return wrong(path(name), "unknown field", did_you_mean(name, taken_));
    }
    return {};
  }

 private:
  Fields(const Json& json, std::string path) : json_(&json), path_(std::move(path)) {}

  const Json* json_;
  std::string path_;
  std::vector<std::string> taken_;
};

Diagnostic unreconciled(const std::string& path, const Amount& written, const Amount& computed) {
  return {.message = fmt::format("{}: says {}, the rows give {}", path, written.to_text(),
                                 computed.to_text()),
          .hint = "a total is computed from the rows; write it with the tool, not by hand",
          .code = "totals-do-not-reconcile"};
}

Result<Figure> read_figure(const Json& json, const std::string& path) {
  WL_TRY(Fields fields, Fields::of(json, path));
  WL_TRY(const Amount value, fields.amount("value"));
  WL_TRY(const Fidelity fidelity, fields.fidelity());
  WL_TRY_STATUS(fields.nothing_left());
  return Figure{value, fidelity};
}

Status read_counters(const Json& json, const std::string& path, Movement& row) {
  if (!json.is_object()) return wrong(path, "expected an object");
  for (const auto& [name, value] : json.items()) {
    if (name == kBytes) return wrong(path + "." + name, "bytes are not a counter");
    WL_TRY(row.counters[name], read_figure(value, path + "." + name));
  }
  return {};
}

Result<Movement> read_row(const Json& json, const std::string& path) {
  WL_TRY(Fields fields, Fields::of(json, path));
  WL_TRY(std::string operation, fields.text("operation"));
  WL_TRY(std::string subject, fields.text("subject"));
  WL_TRY(const Edge edge, fields.edge());
  Movement row{std::move(operation), std::move(subject), edge};
  WL_TRY(row.bytes_per_iteration, fields.amount("bytes_per_iteration"));
  WL_TRY(row.iterations, fields.amount("iterations"));
  WL_TRY(const Amount total, fields.amount("total_bytes"));
  if (!(total == row.total().value)) {
    return unreconciled(fields.path("total_bytes"), total, row.total().value);
  }
  WL_TRY(row.fidelity, fields.fidelity());
  if (fields.optional("note") != nullptr) {
    WL_TRY(row.note, fields.text("note"));
  }
  if (const Json* counters = fields.optional("counters")) {
    WL_TRY_STATUS(read_counters(*counters, fields.path("counters"), row));
  }
  WL_TRY_STATUS(fields.nothing_left());
  return row;
}

Status check_totals(const Json& json, const Ledger& ledger) {
  if (!json.is_array()) return wrong("totals", "expected an array");
  std::map<Edge, Figure> computed = edge_totals(ledger);
  for (size_t i = 0; i < json.size(); ++i) {
    WL_TRY(Fields fields, Fields::of(json[i], fmt::format("totals[{}]", i)));
    WL_TRY(const Edge edge, fields.edge());
    WL_TRY(const Amount total, fields.amount("total_bytes"));
    WL_TRY(const Fidelity fidelity, fields.fidelity());
    WL_TRY_STATUS(fields.nothing_left());
    const Figure rows = computed[edge];
    if (!(rows == Figure{total, fidelity})) {
      return unreconciled(fields.path("total_bytes"), total, rows.value);
    }
    computed.erase(edge);
  }
  if (computed.empty()) return {};
  return wrong("totals", fmt::format("no total for {}", to_text(computed.begin()->first)));
}

Status check_schema(Fields& fields) {
  WL_TRY(const Json* version, fields.required("schema_version"));
  if (*version == kLedgerSchemaVersion) return {};
  return Diagnostic{.message = fmt::format("schema_version is {}, this warpledger reads {}",
                                           version->dump(), kLedgerSchemaVersion),
                    .hint = "write the ledger again with this version",
                    .code = "unknown-schema"};
}

Result<Ledger> read_ledger(const Json& json) {
  if (json.is_object() && !json.contains("rows")) {
    return wrong("rows", "this field is missing", "is it a ledger that warpledger wrote?");
  }
  WL_TRY(Fields fields, Fields::of(json, ""));
  WL_TRY_STATUS(check_schema(fields));
  Ledger ledger;
  WL_TRY(ledger.title, fields.text("title"));
  WL_TRY(const Json* provenance, fields.required("provenance"));
  WL_TRY(const Fields words, Fields::of(*provenance, "provenance"));
  for (const auto& [key, value] : provenance->items()) {
    if (!value.is_string()) return wrong(words.path(key), "expected a string");
    ledger.provenance[key] = value.get<std::string>();
  }
  WL_TRY(const Json* rows, fields.required("rows"));
  if (!rows->is_array()) return wrong("rows", "expected an array");
  for (size_t i = 0; i < rows->size(); ++i) {
    WL_TRY(Movement row, read_row((*rows)[i], fmt::format("rows[{}]", i)));
    ledger.rows.push_back(std::move(row));
  }
  WL_TRY(const Json* totals, fields.required("totals"));
  WL_TRY_STATUS(check_totals(*totals, ledger));
  WL_TRY_STATUS(fields.nothing_left());
  return ledger;
}

/// nlohmann's message without its own position and number; `byte` counts from 1, 0 is nowhere.
Diagnostic no_json(const Source& source, const nlohmann::json::exception& error, size_t byte) {
  const std::string what = error.what();
  const size_t begin = what.find(": "), code = what.find("] ");
  const size_t words = begin != std::string::npos  ? begin + 2
                       : code != std::string::npos ? code + 2
                                                   : 0;
  const auto at = static_cast<uint32_t>(std::min(byte == 0 ? 0 : byte - 1, source.text().size()));
  return {.message = "not JSON: " + what.substr(words),
          .code = "bad-json",
          .at = source.locate({at, at + 1})};
}

/// A number that no double holds is not a parse error to nlohmann, and has no position: its text
/// has.
Diagnostic no_number(const Source& source, const nlohmann::json::out_of_range& error) {
  const std::string what = error.what();
  const size_t open = what.find('\''), close = what.rfind('\'');
  const size_t at = close > open ? source.text().find(what.substr(open + 1, close - open - 1))
                                 : std::string::npos;
  return no_json(source, error, at == std::string::npos ? 0 : at + 1);
}

}  // namespace

std::string to_json(const Ledger& ledger) {
  Json json = {{"schema_version", kLedgerSchemaVersion}, {"title", ledger.title}};
  json["provenance"] = Json(ledger.provenance);
  json["rows"] = Json::array();
  for (const Movement& row : ledger.rows) json["rows"].push_back(json_of(row));
  json["totals"] = totals_of(ledger);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Ledger> ledger_from_json(const Source& source) {
  try {
    const std::string_view text = source.text();
    Result<Ledger> ledger = read_ledger(Json::parse(text.begin(), text.end()));
    if (ledger) return ledger;
    Diagnostic error = ledger.error();
    std::string& place = error.at ? error.at->file : error.message;
    place = fmt::format("{}: {}", source.name(), place);
    return error;
  } catch (const Json::parse_error& error) {
    return no_json(source, error, error.byte);
  } catch (const Json::out_of_range& error) {
    return no_number(source, error);
  }
}

}  // namespace warpledger
