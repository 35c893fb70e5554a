#include "warpledger/profile/limits/file.h"

#include <fmt/core.h>
#include <toml++/toml.h>

#include <algorithm>
#include <set>

#include "warpledger/gpu/fact_reader.h"
#include "warpledger/profile/limits/judge.h"

namespace warpledger::profile::budget {
namespace {

constexpr int64_t kSchema = 1;
constexpr size_t kMostBudgets = 10'000;

class FileReader {
 public:
  explicit FileReader(const Source& source) : source_(source) {}

  void whole(const toml::table& root) {
    if (root["schema"].value<int64_t>() != kSchema) {
      fault(root, "'schema' must be 1", "the first line of a budgets file is: schema = 1");
    }
    refuse_others(root, {"schema", "budget"});
    const toml::array* list = root["budget"].as_array();
    if (list == nullptr) return fault(root, "there is no [[budget]]", "docs/check.md has examples");
    if (list->size() > kMostBudgets) return fault(*list, "there are too many budgets");
    for (const toml::node& node : *list) {
      const toml::table* table = node.as_table();
      if (table == nullptr) {
        fault(node, "a budget is a table: [[budget]]");
      } else {
        budget(*table);
      }
    }
  }

  [[nodiscard]] Result<std::vector<Budget>> result() && {
    if (faults_.empty()) return std::move(budgets_);
    Diagnostic first = faults_.front();
    first.also.assign(faults_.begin() + 1, faults_.end());
    return first;
  }

 private:
  void fault(const toml::node& node, std::string message, std::string hint = {}) {
    faults_.push_back({.message = std::move(message),
                       .hint = std::move(hint),
                       .code = "bad-budget",
                       .at = place_of(source_, node.source())});
  }

  void refuse_others(const toml::table& table, const std::vector<std::string>& known) {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      fault(node, fmt::format("unknown key '{}'", name), did_you_mean(name, known));
    }
  }

  template <class T>
  void get(const toml::table& table, const char* key, T& field) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return;
    const std::optional<T> value = node->value_exact<T>();
    if (!value) return fault(*node, fmt::format("'{}' has the wrong type", key));
    field = *value;
  }

  template <class T>
  void get_list(const toml::table& table, const char* key, std::vector<T>& field) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return;
    if (const std::optional<T> one = node->value_exact<T>()) {
      field = {*one};
      return;
    }
    const toml::array* list = node->as_array();
    if (list == nullptr) return fault(*node, fmt::format("'{}' must be a list", key));
    for (const toml::node& each : *list) {
      const std::optional<T> value = each.value_exact<T>();
      if (!value) return fault(each, fmt::format("'{}' has an entry of the wrong type", key));
      field.push_back(*value);
    }
  }

  void budget(const toml::table& table) {
    refuse_others(table, {"name", "file", "report", "kernel", "gpu", "grid", "block", "smem",
                          "args", "options", "limits"});
    Budget made;
    made.at = place_of(source_, table.source());
    get(table, "name", made.name);
    get(table, "file", made.file);
    get(table, "report", made.report);
    get(table, "kernel", made.kernel);
    get(table, "smem", made.shared_bytes);
    get_list(table, "gpu", made.gpus);
    get_list(table, "grid", made.grid);
    get_list(table, "block", made.block);
    get_list(table, "args", made.arguments);
    get_list(table, "options", made.options);
    limits(table, made);
    check(table, made);
    if (made.name.empty()) made.name = made.kernel;
    if (!names_.insert(made.name).second) {
      fault(table, fmt::format("there are two budgets '{}'", made.name), "give each a name");
    }
    budgets_.push_back(std::move(made));
  }

  void check(const toml::table& table, const Budget& made) {
    const bool runs = !made.file.empty();
    if (runs == !made.report.empty()) {
      fault(table, "a budget has either 'file' or 'report'");
    }
    if (runs && made.kernel.empty()) fault(table, "'kernel' is missing");
    if (runs && made.gpus.empty()) fault(table, "'gpu' is missing");
    for (const auto& [key, extent] : {std::pair("grid", &made.grid), {"block", &made.block}}) {
      if (runs && extent->empty()) fault(table, fmt::format("'{}' is missing", key));
      const bool bad = std::any_of(extent->begin(), extent->end(),
                                   [](int64_t n) { return n < 1 || n > UINT32_MAX; });
      if (bad || extent->size() > 3) {
        fault(table, fmt::format("'{}' is one to three positive numbers", key));
      }
    }
    if (made.shared_bytes < 0) fault(table, "'smem' is negative");
    if (made.limits.empty()) fault(table, "'limits' is missing or empty");
  }

  void limits(const toml::table& table, Budget& made) {
    const toml::array* list = table["limits"].as_array();
    if (list == nullptr) return;
    for (const toml::node& node : *list) {
      const std::optional<std::string> text = node.value_exact<std::string>();
      if (!text) {
        fault(node, "a limit is a string: \"dram.bytes <= 1.02 * ideal\"");
        continue;
      }
      const Source limit_source(source_.name(), *text);
      const Location at = place_of(source_, node.source());
      Result<Limit> limit = parse_limit(limit_source);
      const Status names = limit ? check_names(*limit, limit_source) : Status();
      if (!limit || !names) {
        faults_.push_back(placed(limit ? names.error() : limit.error(), at));
        continue;
      }
      made.limits.push_back({*std::move(limit), at});
    }
  }

  /// A fault inside a limit's text, at its place in the file.
  static Diagnostic placed(Diagnostic fault, Location at) {
    if (fault.at && !at.line_text.empty()) {
      at.column += fault.at->column;  // the quote stands before the text
      at.length = fault.at->length;
      const int room = static_cast<int>(at.line_text.size()) - at.column + 1;
      at.length = std::max(1, std::min(at.length, room));
    }
    fault.at = std::move(at);
    return fault;
  }

  const Source& source_;
  std::vector<Budget> budgets_;
  std::vector<Diagnostic> faults_;
  std::set<std::string> names_;
};

}  // namespace

Result<std::vector<Budget>> parse_budgets(const Source& source) {
  toml::table root;
  try {
    root = toml::parse(source.text(), source.name());
  } catch (const toml::parse_error& error) {
    return Diagnostic{.message = std::string(error.description()),
                      .code = "bad-toml",
                      .at = place_of(source, error.source())};
  }
  FileReader reader(source);
  reader.whole(root);
  return std::move(reader).result();
}

}  // namespace warpledger::profile::budget
