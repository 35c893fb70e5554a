#include "warpledger/gpu/fact_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpledger {
namespace {

std::string type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a fraction";
    case toml::node_type::boolean:
      return "true or false";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::table:
      return "a table";
    default:
      return "a date";
  }
}

std::string_view line_of(std::string_view text, uint32_t number) {
  size_t begin = 0;
  for (uint32_t line = 1; line < number && begin < text.size(); ++line) {
    const size_t newline = text.find('\n', begin);
    begin = newline == std::string_view::npos ? text.size() : newline + 1;
  }
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

Location place_of(const Source& text, const toml::source_region& region) {
  const bool one_line = region.end.line == region.begin.line;
  const int length = one_line ? static_cast<int>(region.end.column - region.begin.column) : 1;
  return {text.name(), static_cast<int>(region.begin.line), static_cast<int>(region.begin.column),
          std::max(length, 1), std::string(line_of(text.text(), region.begin.line))};
}

const toml::node* FactReader::expect(const char* group, const char* key) {
  keys_[group].insert(key);
  const toml::table* table = root_.get_as<toml::table>(group);
  return table == nullptr ? nullptr : table->get(key);
}

void FactReader::refuse(const toml::node& node, std::string_view key, std::string_view wanted) {
  fault({.message = fmt::format("'{}' must be {}, not {}", key, wanted, type_name(node)),
         .code = "wrong-type",
         .at = place(node.source())});
}

void FactReader::convert(const char* key, const toml::node& node, int64_t& value) {
  const auto number = node.value_exact<int64_t>();
  if (!number || *number < 0) return refuse(node, key, "an integer that is not negative");
  value = *number;
}

void FactReader::convert(const char* key, const toml::node& node, double& value) {
  if (!node.is_number()) return refuse(node, key, "a number");
  value = *node.value<double>();
}

void FactReader::convert(const char* key, const toml::node& node, bool& value) {
  if (!node.is_boolean()) return refuse(node, key, "true or false");
  value = *node.value<bool>();
}

void FactReader::convert(const char* key, const toml::node& node, std::string& value) {
  if (!node.is_string()) return refuse(node, key, "a text");
  value = *node.value<std::string>();
}

void FactReader::convert(const char* key, const toml::node& node, std::vector<int64_t>& value) {
  const toml::array* items = node.as_array();
  if (items == nullptr) return refuse(node, key, "a list of integers");
  value.assign(items->size(), 0);
  for (size_t i = 0; i < items->size(); ++i) convert(key, *items->get(i), value[i]);
}

void FactReader::convert(const char* key, const toml::node& node, std::vector<std::string>& value) {
  const toml::array* items = node.as_array();
  if (items == nullptr) return refuse(node, key, "a list of texts");
  value.assign(items->size(), "");
  for (size_t i = 0; i < items->size(); ++i) convert(key, *items->get(i), value[i]);
}

void FactReader::read_origin(const char* key, const toml::node& node, const toml::table* own,
                             const toml::table& defaults, Fidelity& fidelity, std::string& source) {
  const auto origin = [&](const char* what) -> const toml::node* {
    const toml::node* found = own != nullptr ? own->get(what) : nullptr;
    return found != nullptr ? found : defaults.get(what);
  };
  const toml::node* said_by = origin("source");
  const toml::node* trust = origin("fidelity");
  if (said_by == nullptr || trust == nullptr) {
    return fault({.message = fmt::format("'{}' has no {}", key, said_by ? "fidelity" : "source"),
                  .hint = "give its group 'source' and 'fidelity', or write "
                          "{ value = ..., source = \"...\", fidelity = \"...\" }",
                  .code = "missing-source",
                  .at = place(node.source())});
  }
  convert("source", *said_by, source);
  std::string word;
  convert("fidelity", *trust, word);
  if (const auto parsed = parse_fidelity(word)) {
    fidelity = *parsed;
  } else {
    fault({.message = fmt::format("unknown fidelity '{}'", word),
           .hint = "use exact, modeled, measured, published or assumed",
           .code = "unknown-fidelity",
           .at = place(trust->source())});
  }
  if (own == nullptr) return;
  for (const auto& [name, unused] : *own)
    refuse_unknown(name, key, {"value", "source", "fidelity"});
}

void FactReader::refuse_unknown(const toml::key& key, const std::string& where,
                                const std::set<std::string>& known) {
  const std::string name(key.str());
  if (known.contains(name)) return;
  const std::vector<std::string> names(known.begin(), known.end());
  const std::string near = did_you_mean(name, names);
  fault({.message = where.empty() ? fmt::format("unknown key '{}'", name)
                                  : fmt::format("unknown key '{}' in '{}'", name, where),
         .hint = near.empty() ? fmt::format("known here: {}", fmt::join(names, ", ")) : near,
         .code = "unknown-key",
         .at = place(key.source())});
}

void FactReader::refuse_the_rest() {
  std::set<std::string> known = top_keys_;
  for (const auto& [group, keys] : keys_) known.insert(group);
  for (const auto& [key, node] : root_) {
    const std::string name(key.str());
    const auto group = keys_.find(name);
    if (group == keys_.end()) {
      refuse_unknown(key, "", known);
    } else if (!node.is_table()) {
      refuse(node, name, "a table");
    } else {
      std::set<std::string> keys = group->second;
      keys.insert({"source", "fidelity"});
      for (const auto& [fact, unused] : *node.as_table()) refuse_unknown(fact, name, keys);
    }
  }
}

std::optional<Diagnostic> FactReader::faults() const {
  if (faults_.empty()) return std::nullopt;
  Diagnostic first = faults_.front();
  first.also.assign(faults_.begin() + 1, faults_.end());
  return first;
}

}  // namespace warpledger
