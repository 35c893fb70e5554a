#include "warpledger/profile/query_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

namespace warpledger::profile {
namespace {

using Json = nlohmann::ordered_json;

// Words of enumerations, by their values.
constexpr std::string_view kEngines[] = {"auto", "jit", "reference"};
constexpr std::string_view kValues[] = {"auto", "on", "off"};
constexpr std::string_view kNameBases[] = {"function", "demangled", "mangled"};

std::span<const std::string_view> words_of(exec::EngineChoice) { return kEngines; }
std::span<const std::string_view> words_of(exec::Values) { return kValues; }
std::span<const std::string_view> words_of(NameBase) { return kNameBases; }

// The fields: writing and reading walk the same lists.
template <class What, class Visit>
void each_kernel_field(What& what, Visit visit) {
  visit("file", what.file.path);
  visit("arch", what.file.arch);
  visit("nvcc", what.file.flags);
  visit("ptx", what.ptx);
  visit("kernel", what.kernel);
  visit("kernel_name_base", what.name_base);
  visit("grid", what.grid);
  visit("block", what.block);
  visit("cluster", what.cluster);
  visit("dynamic_shared_bytes", what.dynamic_shared_bytes);
  visit("arguments", what.arguments);
}

template <class Options, class Visit>
void each_option_field(Options& options, Visit visit) {
  visit("registers", options.registers);
  visit("carveout_kib", options.carveout_kib);
  visit("prefer_shared", options.prefer_shared);
  visit("flush_caches", options.flush_caches);
  visit("witness", options.witness);
  visit("band", options.band);
  visit("check_races", options.check_races);
  visit("seed", options.seed);
  visit("engine", options.engine);
  visit("values", options.values);
  visit("exact", options.sampling.exact);
  visit("budget_seconds", options.sampling.budget_seconds);
  visit("accesses_per_l2_sector", options.sampling.accesses_per_l2_sector);
  visit("limit", options.limit);
  visit("timeout_seconds", options.timeout_seconds);
  visit("threads", options.threads);
  visit("trace_cache", options.trace_cache);
}

struct Writer {
  Json& json;
  template <class T>
  void operator()(const char* key, const T& field) const {
    if constexpr (std::is_enum_v<T>) {
      json[key] = words_of(field)[static_cast<size_t>(field)];
    } else {
      json[key] = field;
    }
  }
  template <class T>
  void operator()(const char* key, const std::optional<T>& field) const {
    json[key] = field ? Json(*field) : Json(nullptr);
  }
};

// The library's conversions wrap numbers that a type cannot hold; these say which it can.
template <class T>
bool fits(const Json&, const T&) {
  return true;
}
bool fits(const Json& value, const bool&) { return value.is_boolean(); }
bool fits(const Json& value, const int64_t&) {
  return value.is_number_integer() &&
         (!value.is_number_unsigned() || value.get<uint64_t>() <= INT64_MAX);
}
bool fits(const Json& value, const uint64_t&) { return value.is_number_unsigned(); }
bool fits(const Json& value, const uint32_t&) {
  return value.is_number_unsigned() && value.get<uint64_t>() <= UINT32_MAX;
}
bool fits(const Json& value, const exec::Extent&) {
  return value.is_array() && value.size() == 3 &&
         std::all_of(value.begin(), value.end(), [](const Json& n) { return fits(n, uint32_t{}); });
}

/// Reads the fields that are there, keeps the first fault, and knows which keys nobody asked for.
class Reader {
 public:
  Reader(const Json& json, std::string& fault) : json_(json), fault_(fault) {
    if (!json.is_object()) fail("it is not a JSON object");
  }

  template <class T>
  void operator()(const char* key, T& field) {
    const Json* value = take(key);
    if (value == nullptr) return;
    if constexpr (std::is_enum_v<T>) {
      read_word(key, *value, field);
    } else {
      read(key, *value, field);
    }
  }
  template <class T>
  void operator()(const char* key, std::optional<T>& field) {
    const Json* value = take(key);
    if (value == nullptr || value->is_null()) return;
    read(key, *value, field.emplace());
  }
  /// The value of the key; null where it is not there.
  const Json* take(const char* key) {
    known_.emplace_back(key);
    return fault_.empty() && json_.contains(key) ? &json_[key] : nullptr;
  }
  void refuse_others() {
    if (!fault_.empty()) return;
    for (const auto& [key, value] : json_.items()) {
      if (std::find(known_.begin(), known_.end(), key) == known_.end())
        return fail(fmt::format("unknown field '{}'", key));
    }
  }

 private:
  void fail(std::string why) {
    if (fault_.empty()) fault_ = std::move(why);
  }
  template <class T>
  void read(const char* key, const Json& value, T& field) {
    // The library's own conversions throw; nothing may throw across this room's interface.
    try {
      if (fits(value, field)) return static_cast<void>(field = value.get<T>());
    } catch (const Json::exception&) {
    }
    fail(fmt::format("'{}' has the wrong type", key));
  }
  template <class Enum>
  void read_word(const char* key, const Json& value, Enum& field) {
    std::string word;
    read(key, value, word);
    const auto words = words_of(field);
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end()) {
      return fail(fmt::format("'{}' cannot be '{}': {}", key, word, fmt::join(words, ", ")));
    }
    field = static_cast<Enum>(found - words.begin());
  }

  const Json& json_;
  std::string& fault_;
  std::vector<std::string> known_;
};

void read_kernel(const Json& json, KernelQuery& what, std::string& fault) {
  Reader reader(json, fault);
  each_kernel_field(what, std::ref(reader));
  reader.refuse_others();
}

void read_query(const Json& json, Query& query, std::string& fault) {
  Reader reader(json, fault);
  reader("gpu", query.gpu);
  each_kernel_field(query.what, std::ref(reader));
  if (const Json* before = reader.take("before"))
    read_kernel(*before, query.before.emplace(), fault);
  if (const Json* options = reader.take("options")) {
    Reader inner(*options, fault);
    each_option_field(query.options, std::ref(inner));
    inner.refuse_others();
  }
  reader.refuse_others();
}

}  // namespace

std::string to_json(const Query& query) {
  Json json = Json::object();
  json["gpu"] = query.gpu;
  each_kernel_field(query.what, Writer{json});
  if (query.before) {
    json["before"] = Json::object();
    each_kernel_field(*query.before, Writer{json["before"]});
  }
  json["options"] = Json::object();
  each_option_field(query.options, Writer{json["options"]});
  // Names come from files and arguments: a broken UTF-8 sequence must not throw.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Result<Query> query_from_json(const Source& source) {
  const Json json = Json::parse(source.text(), nullptr, false);
  Query query;
  std::string fault = json.is_discarded() ? "it is not JSON" : "";
  if (fault.empty()) read_query(json, query, fault);
  if (fault.empty()) return query;
  return Diagnostic{.message = fmt::format("'{}' is not a question: {}", source.name(), fault),
                    .hint = "docs/query.md lists the fields",
                    .code = "bad-query"};
}

}  // namespace warpledger::profile
