#include "warpledger/sweep/sweep.h"

#include <fmt/core.h>
#include <toml++/toml.h>

#include <charconv>

#include "warpledger/algebra/expression.h"
#include "warpledger/profile/metrics/section.h"
#include "warpledger/profile/metrics/shown.h"

namespace warpledger::study {
namespace {

Diagnostic bad(std::string what) {
  return {
      .message = std::move(what), .hint = "docs/study.md shows a whole file", .code = "bad-sweep"};
}

Result<std::vector<std::string>> words_of(const toml::table& table, const char* key,
                                          bool required) {
  std::vector<std::string> words;
  const toml::array* list = table[key].as_array();
  if (list == nullptr) {
    if (required || table.contains(key)) return bad(fmt::format("'{}' must be a list", key));
    return words;
  }
  for (const toml::node& node : *list) {
    if (const auto text = node.value<std::string>()) {
      words.push_back(*text);
    } else if (const auto number = node.value<int64_t>()) {
      words.push_back(std::to_string(*number));
    } else {
      return bad(
          fmt::format("'{}' contains something that is neither a string nor a whole number", key));
    }
  }
  return words;
}

Result<std::vector<Setting>> settings_of(const std::string& name, const toml::node& node) {
  const toml::array* list = node.as_array();
  if (list == nullptr || list->empty())
    return bad(fmt::format("parameter '{}' has no values", name));
  std::vector<Setting> values;
  for (const toml::node& one : *list) {
    if (const auto* number = one.as_integer()) {
      values.emplace_back(number->get());
    } else if (const auto* text = one.as_string()) {
      values.emplace_back(text->get());
    } else {
      return bad(fmt::format("parameter '{}' must contain whole numbers or strings", name));
    }
  }
  return values;
}

Result<exec::Extent> extent_of(const std::vector<std::string>& texts, const Settings& settings) {
  exec::Extent extent = {1, 1, 1};
  if (texts.empty() || texts.size() > 3) return bad("'grid' and 'block' have one to three numbers");
  for (size_t i = 0; i < texts.size(); ++i) {
    WL_TRY(const std::string text, fill_in(texts[i], settings));
    uint32_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc() || end != text.data() + text.size() || number == 0) {
      return bad(fmt::format("'{}' is not a number of blocks or threads", text));
    }
    extent[i] = number;
  }
  return extent;
}

Cell cell_of(const Setting& setting) {
  if (const auto* number = std::get_if<int64_t>(&setting)) return {*number, Fidelity::kExact};
  return {std::get<std::string>(setting)};
}

std::vector<std::string> standard_choice() {
  return {"gpu__time_duration.sum",     "dram__bytes_read.sum",
          "dram__bytes_write.sum",      "lts__t_sectors.sum",
          "l1tex__t_sectors.sum",       "l1tex__t_sector_hit_rate.pct",
          "lts__t_sector_hit_rate.pct", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"};
}

}  // namespace

Result<Sweep> parse_sweep(const Source& source) {
  toml::table table;
  try {
    table = toml::parse(source.text(), source.name());
  } catch (const toml::parse_error& error) {
    return bad(
        fmt::format("{}:{}: {}", source.name(), error.source().begin.line, error.description()));
  }
  Sweep sweep;
  sweep.file = table["file"].value_or("");
  sweep.kernel = table["kernel"].value_or("");
  if (sweep.file.empty() || sweep.kernel.empty()) return bad("'file' and 'kernel' are required");
  sweep.registers = table["registers"].value<int64_t>();
  WL_TRY(sweep.gpus, words_of(table, "gpus", true));
  WL_TRY(sweep.grid, words_of(table, "grid", true));
  WL_TRY(sweep.block, words_of(table, "block", true));
  WL_TRY(sweep.arguments, words_of(table, "arguments", true));
  WL_TRY(sweep.metrics, words_of(table, "metrics", false));
  if (sweep.gpus.empty()) return bad("'gpus' is empty");
  if (sweep.metrics.empty()) sweep.metrics = standard_choice();
  if (const toml::table* parameters = table["parameters"].as_table()) {
    for (const auto& [key, node] : *parameters) {
      const std::string name(key.str());
      WL_TRY(std::vector<Setting> values, settings_of(name, node));
      sweep.parameters.emplace_back(name, std::move(values));
    }
  }
  return sweep;
}

std::vector<Settings> combinations(const Sweep& sweep) {
  std::vector<Settings> all = {{}};
  for (const auto& [name, values] : sweep.parameters) {
    std::vector<Settings> longer;
    for (const Settings& settings : all) {
      for (const Setting& value : values) {
        Settings next = settings;
        next[name] = value;
        longer.push_back(std::move(next));
      }
    }
    all = std::move(longer);
  }
  return all;
}

Result<std::string> fill_in(const std::string& text, const Settings& settings) {
  Sizes sizes;
  for (const auto& [name, value] : settings) {
    if (const auto* number = std::get_if<int64_t>(&value)) sizes[name] = *number;
  }
  std::string filled;
  for (size_t at = 0; at < text.size();) {
    const size_t open = text.find('{', at);
    filled += text.substr(at, open - at);
    if (open == std::string::npos) break;
    const size_t close = text.find('}', open);
    if (close == std::string::npos) return bad(fmt::format("'{}' is missing a '}}'", text));
    const std::string inside = text.substr(open + 1, close - open - 1);
    at = close + 1;
    const auto found = settings.find(inside);
    if (found != settings.end() && std::holds_alternative<std::string>(found->second)) {
      filled += std::get<std::string>(found->second);
      continue;
    }
    WL_TRY(const Expression formula, parse_expression(inside));
    WL_TRY(const Expression value, formula.evaluate(sizes));
    const auto whole = value.as_integer();
    if (!whole) return bad(fmt::format("{{{}}} is not a whole number", inside));
    filled += std::to_string(*whole);
  }
  return filled;
}

Result<KernelCase> case_of(const Sweep& sweep, const Settings& settings) {
  KernelCase one{.registers = sweep.registers};
  WL_TRY(one.kernel, fill_in(sweep.kernel, settings));
  WL_TRY(one.grid, extent_of(sweep.grid, settings));
  WL_TRY(one.block, extent_of(sweep.block, settings));
  for (const std::string& argument : sweep.arguments) {
    WL_TRY(std::string filled, fill_in(argument, settings));
    one.arguments.push_back(std::move(filled));
  }
  return one;
}

Result<Table> run_sweep(const Sweep& sweep, const LoadPtx& load, const RunOptions& options) {
  Table table{.title = "Sweep", .columns = {{"GPU", "gpu"}}};
  for (const auto& [name, values] : sweep.parameters) {
    const bool number = std::holds_alternative<int64_t>(values.front());
    table.columns.push_back({name, name, number ? Align::kRight : Align::kLeft});
  }
  std::vector<profile::Metric> metrics;
  for (const std::string& name : sweep.metrics) {
    WL_TRY(profile::Metric metric, profile::find_metric(name));
    table.columns.push_back({name, name, Align::kRight});
    metrics.push_back(std::move(metric));
  }
  RunOptions run = options;
  for (const std::string& name : sweep.gpus) {
    WL_TRY(const Gpu gpu, load_gpu(name));
    run.requests[gpu.id] = name;
    KernelText text{.file = sweep.file};
    WL_TRY(text.ptx, load(gpu.architecture.id));
    for (const Settings& settings : combinations(sweep)) {
      WL_TRY(const KernelCase one, case_of(sweep, settings));
      WL_TRY(const profile::Profile made, profile_case(text, one, gpu, run));
      Row row{.cells = {gpu.id}};
      for (const auto& [key, value] : settings) row.cells.push_back(cell_of(value));
      for (const profile::Metric& metric : metrics) {
        row.cells.push_back(
            profile::cell_of(profile::evaluate(metric, made), metric.unit, profile::Units::kBase));
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace warpledger::study
