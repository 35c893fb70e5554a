#include "warpledger/profile/run/query_json.h"

#include <fmt/core.h>

#include "warpledger/profile/file/field_json.h"

namespace warpledger::profile {
namespace {

using Json = nlohmann::ordered_json;

// Words of enumerations, by their values.
constexpr std::string_view kEngines[] = {"auto", "jit", "reference", "machine"};
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
  visit("sass", options.sass);
  visit("band", options.band);
  visit("check_races", options.check_races);
  visit("continue_on_error", options.continue_on_error);
  visit("seed", options.seed);
  visit("engine", options.engine);
  visit("values", options.values);
  visit("exact", options.sampling.exact);
  visit("max_seconds", options.sampling.max_seconds);
  visit("accesses_per_l2_sector", options.sampling.accesses_per_l2_sector);
  visit("cold_waves", options.sampling.cold_waves);
  visit("measured_waves", options.sampling.measured_waves);
  visit("delegates", options.sampling.delegates);
  visit("limit", options.limit);
  visit("timeout_seconds", options.timeout_seconds);
  visit("threads", options.threads);
  visit("trace_cache", options.trace_cache);
}

struct Writer : FieldWriter {
  using FieldWriter::operator();
  template <class Enum>
  requires std::is_enum_v<Enum>
  void operator()(const char* key, const Enum& field) const {
    json[key] = words_of(field)[static_cast<size_t>(field)];
  }
};

class Reader : public FieldReader {
 public:
  using FieldReader::FieldReader;
  using FieldReader::operator();
  template <class Enum>
  requires std::is_enum_v<Enum>
  void operator()(const char* key, Enum& field) {
    if (const auto number = read_word(key, words_of(field))) field = static_cast<Enum>(*number);
  }
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
  each_kernel_field(query.what, Writer{{json}});
  if (query.before) {
    json["before"] = Json::object();
    each_kernel_field(*query.before, Writer{{json["before"]}});
  }
  json["options"] = Json::object();
  each_option_field(query.options, Writer{{json["options"]}});
  // Names come from files and arguments: a broken UTF-8 sequence must not throw.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Result<Query> query_from_json(const Source& source) {
  const Json json = Json::parse(source.text(), nullptr, false);
  Query query;
  std::string fault = json.is_discarded() ? "it is not JSON" : "";
  if (fault.empty()) read_query(json, query, fault);
  if (fault.empty()) return query;
  return Diagnostic{.message = fmt::format("'{}' is not a query: {}", source.name(), fault),
                    .hint = "docs/query.md lists the fields",
                    .code = "bad-query"};
}

}  // namespace warpledger::profile
